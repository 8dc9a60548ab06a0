/* message: what endpoints send each other beside requests and answers: control from SM to SM, data from one L1D to
 * another, what a rule of coherence needs. Endpoints are the SMs, then the L2 slices; any may address any other.
 *
 *   mem_send() -> [ outbox ] -- network --> [ inbox ] -> the rule's message(), or mem_receive()
 *
 * Both boxes are bounded (noc.message_queue places). A message leaves its outbox when the network takes it and its
 * inbox has a free place. It holds this place until it is taken out of the inbox: a travelling message lies in the
 * inbox already, with the time at which it arrives. Messages of one endpoint leave in order, so the first one stops
 * those behind it. Messages that wait for a place in one inbox are served in order of arrival. Only a sender waits for
 * an outbox, so a rule whose message() never has to send more than it has room for cannot lock up. */
#ifndef MEM_NOC_MESSAGE_H
#define MEM_NOC_MESSAGE_H
#include "base/fifo.h"
#include "mem/mem.h"

struct parcel {
	struct message msg;
	u64 ready; /* core cycle: in an outbox it came, in an inbox it is there */
};
struct endpoint {
	struct fifo out, in;
	u32 arrived;              /* of `in`, from the front */
	u32 promised;             /* places of its inbox kept for who waited */
	u32 wait_head, wait_tail; /* endpoints + 1 whose first message waits for a place in its inbox */
	u32 next_waiter;          /* endpoint + 1 */
	u32 travelling;           /* to it, in the network's own buffers: each has a place promised */
	bool waiting, granted;    /* as in struct sm_port */
	u8 pad[6];
};

void message_init(struct mem *m, struct arena *a);
/* The timers of an endpoint: its outbox may send, its inbox has an arrival. */
void message_depart(struct mem *m, u32 endpoint, u64 now);
void message_arrive(struct mem *m, u32 endpoint, u64 now);
/* For a network that carries messages by itself (network_ops.send): the first one of an outbox leaves; it will be there
 * at core cycle `at`, in the order of the calls. */
void message_take(struct mem *m, u32 endpoint, struct message *out, u64 now);
void message_land(struct mem *m, const struct message *g, u64 at);
/* Sent = received + on their way; boxes, waiters and promises fit each other. on_way: adds messages by class. */
bool message_check(const struct mem *m, u64 on_way[MSG_CLASSES], struct err *e);
/* Messages in all boxes. */
u32 message_held(const struct mem *m);
#endif
