/* constants: L1I holds constants, too (l1c.behind=l1i). The constant cache of an SM is then a small one in front of
 * L1I.
 *
 *   constant cache --miss--> L1I --hit---------------------------> l1c.behind_latency --> constant cache, its waiters
 *                             '--miss--> L2 --> L1I's line -----> l1c.behind_latency --'
 *
 * A miss of the constant cache looks into L1I in the same cycle; all of the way there and back is in the latency. It is
 * refused if L1I cannot take it (each line of the set is reserved, no MSHR is free, its merge list or the miss queue is
 * full), and may ask again when data have come to L1I or a request of L1I has left.
 *
 * A constant that waits in an MSHR of L1I is a waiter with the operation MO_LOAD, and instead of a token it has the
 * number of the constant cache's MSHR. When L1I has the line, that number goes into a fifo, which a timer of the SM
 * empties. Each MSHR of the constant cache is in one of these two places, so the fifo has as many places. Until then it
 * counts as a request of the SM that is under way. What others call of constants.c is declared in impl.h and l1.h. */
#ifndef MEM_CONSTANTS_H
#define MEM_CONSTANTS_H
#include "mem/impl.h"

struct constant_answer {
	u64 ready; /* core cycle in which the line is in the constant cache */
	u32 mshr;  /* of the constant cache */
	u32 dram;  /* L2 had to ask DRAM */
};

/* The k-th oldest that is under way from L1I, k < m->constants[sm].n. */
static inline const struct constant_answer *constants_at(const struct mem *m, u32 sm, u32 k)
{
	const u32 places = m->c.l1c_mshrs;
	return &m->on_the_way[(size_t)sm * places + fifo_at(&m->constants[sm], places, k)];
}
/* Is a waiter of L1I a constant? Its number is then an MSHR of the constant cache. */
static inline bool constants_wait(u32 word)
{
	return answer_op(word) == MO_LOAD;
}
#endif
