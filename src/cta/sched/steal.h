/* Locality-preserving work stealing (Huzaifa 2020, section 4.4). Each SM has a chunk, and a queue of the CTAs that it
 * has stolen. An SM that has begun all its own CTAs takes one from another SM, and keeps it for the kernels to come.
 *
 *   queue    [ 40 17 23 ]           the order of a kernel: chunk, then queue; every other kernel goes
 *   chunk    [ 6 7 8 9 10 11 )      backwards: queue from its end, then chunk from its end
 *
 * A thief asks the queue of its left neighbour, then that of its right neighbour, then all queues from SM 0 on, then
 * the chunks in the same order (algorithm 1). SM 0 has no left neighbour, and the last SM no right one. The thief takes
 * the CTA that its victim would come to last. If a queue is full (32), or the grid has other dimensions, the next
 * kernel begins with new chunks. The direction turns with every launch, as under flip, also then: it is a bit of its
 * own (section 4.3).
 *
 * An SM has executed its own CTAs when the register of its current CTA has come to the end of both (section 4.4): when
 * no CTA is left to begin, and the SM has room. Waiting until they have ended as well would cost up to 2 % of the time
 * of work-stealing. A kernel that starts while another kernel of the scheduler runs has chunks of its own, which are
 * not remembered. */
#ifndef CTA_SCHED_STEAL_H
#define CTA_SCHED_STEAL_H
#include "cta/sched/ikra.h"

#define STEAL_QUEUE CTA_SHARE_QUEUE /* entries: 32, section 4.4 */

struct steal_queue {
	u64 n, entry[STEAL_QUEUE]; /* positions */
};
struct steal_machine {
	struct ikra_history history;
	struct ikra_chunks chunk; /* whose the CTAs are: [lo, hi) */
	struct steal_queue queue[CONF_MAX_SMS];
	u32 owner;     /* launch + 1 of the kernel that works on them; 0 = none */
	bool begin;    /* a queue became full: the next kernel begins anew */
	bool backward; /* of the last kernel */
	bool any;      /* there has been a kernel: the first one goes forwards */
	u8 pad;
};
struct steal { /* of a kernel */
	struct ikra_chunks c;
	struct ikra_affine map;
	u8 qlo[CONF_MAX_SMS], qhi[CONF_MAX_SMS]; /* entries of the queue that have not been dispatched: [qlo, qhi) */
	u64 ended, stolen;
	bool remembers; /* works on what the machine keeps */
	bool backward;
	u8 pad[6];
};
#endif
