/* A network: carries packets from the SMs' miss queues to the L2 slices' inputs, and from their outputs back. One
 * folder or file, one const ops struct at its end, one line in all.def. Registry names are the values of `network`.
 *
 *   SM: miss queue --- inject ---> in list of a slice (in_head, in_n)     a request; its packet says when it is there
 *   SM: arrive    <--- output ---- out list of a slice (out_head, out_n)  its answer, the same packet
 *
 * A network polls nothing. It is called when one of its timers fires, when a queue that was empty got something, and
 * when a place for which somebody waits has become free. State beyond the ports' fields (struct sm_port, struct
 * slice_state) is taken from the arena in `init`, which is called whether the network is in use or not.
 *
 * A network must not lose a packet, and no packet may overtake another one of the same source, destination and way. A
 * request leaves only if its slice has a place (noc_slice_room()), and an answer only if the SM's port has one. The
 * network counts each message: count_sent() when it leaves, count_received() when an answer arrives (a slice counts its
 * requests itself). */
#ifndef MEM_NOC_NETWORK_H
#define MEM_NOC_NETWORK_H
#include "conf/policy.h"
#include "probe/probe.h"

struct arena;
struct mem;
struct message;
struct noc_census {
	u32 carried[3];          /* requests, replies, messages in buffers of the network's own */
	u64 on_way[MSG_CLASSES]; /* the same by class */
};
struct network_ops {
	POLICY_HEAD;
	/* The machine is built: takes state from the arena and writes nothing to it. */
	void (*init)(struct mem *m, struct arena *a);
	/* An SM's miss queue got something in this cycle. */
	void (*fresh)(struct mem *m, u32 sm, u64 now);
	/* A slice has served a packet: it joins the slice's output. */
	void (*reply)(struct mem *m, u32 slice, u32 packet, u64 now);
	/* A place became free at a slice's input for which somebody waits (wait_head, shut). */
	void (*credit)(struct mem *m, u32 slice, u64 now);
	/* A message of so many flits from an endpoint to another (noc/message.h) that was ready at core cycle `ready`.
	 * True: it leaves now and is there at core cycle *at; false: it may ask again at *at, or *at is NEVER, and the
	 * network will take it (message_take()) and deliver it (message_land()) by itself. */
	bool (*send)(struct mem *m, const struct message *g, u32 flits, u64 ready, u64 now, u64 *at);
	/* The timers: an SM's, that of a slice's output (NULL: it sets none of them), a packet's on its way to an SM. */
	void (*inject)(struct mem *m, u32 sm, u64 now);
	void (*output)(struct mem *m, u32 slice, u64 now);
	void (*arrive)(struct mem *m, u32 packet, u64 now);
	/* Optional: adds what is on its way beyond the lists above and the packets' timers. False with *e: its own state
	 * does not agree with itself. */
	bool (*census)(const struct mem *m, struct noc_census *n, struct err *e);
};
/* All of them; ends with NULL. Each is the head of a struct network_ops. */
extern const struct policy *const network_policies[];
#endif
