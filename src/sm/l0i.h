/* l0i: an instruction cache of each scheduler in front of L1I, with a stream buffer (Huerta 2025: Ampere's
 * sub-cores have one each, and a prefetcher of consecutive lines suffices to explain what was measured; Jia 2018: 12 KB
 * in Volta).
 *
 * A fetch looks there first. A miss asks L1I, whose answer takes l0i.latency cycles longer, and begins the stream
 * buffer anew with the lines behind it; L1I gives it one line a cycle. A line that is found in the stream buffer goes
 * into the cache, what stands before it is dropped, and the buffer is filled up. Lines that L1I has not got end the
 * buffer. */
#ifndef SM_L0I_H
#define SM_L0I_H
#include "sm/sm.h"

#define L0I_LINES 256
#define L0I_STREAM 16
struct l0i_line {
	u64 addr, ready; /* addr + 1; 0: empty; ready: the cycle from which its instructions are there */
	u64 used;        /* when it was last looked for */
};
struct l0i {
	struct l0i_line line[L0I_LINES];
	struct l0i_line stream[L0I_STREAM]; /* oldest first */
	u32 streams, pad;
};

size_t l0i_bytes(const struct conf *c); /* of an SM; 0: there is none */
/* A fetch of the line at addr, of a module whose code ends before `end`. True: it is there, from cycle *ready on. */
bool l0i_find(struct sm_ctx *x, struct sm *s, u32 sched, u64 addr, u64 end, u64 now, u64 *ready);
/* L1I's answer to a miss comes at cycle `ready`. */
void l0i_miss(struct sm_ctx *x, struct sm *s, u32 sched, u64 addr, u64 end, u64 ready);
#endif
