/* swaps: the swaps of virtual threads (cta-virtual=vt) as pairs: who has left which slot and why, who has come, and how
 * long each had been there or away. Made of what moves.h has noted. */
#ifndef UI_DBG_SWAPS_H
#define UI_DBG_SWAPS_H
#include "dbg/state.h"

#define SWAP_FREE_SLOTS UINT32_MAX /* cause: nobody has left, there were free slots */
#define SWAP_UNKNOWN UINT64_MAX
struct swap {
	u64 cycle, over; /* it began, it was over: 0 while it is under way */
	u32 sm, slot;
	u32 cause; /* of the leaving, as cta-swap-out has it (0 memory, 1 barrier, 2 ending), or SWAP_FREE_SLOTS */
	u32 out_launch, in_launch;
	u64 out, in; /* the CTA that leaves (SWAP_FREE_SLOTS: of no meaning) and the one that comes */
	u64 held;    /* cycles for which the one that leaves had its slots */
	u64 away;    /* cycles for which the one that comes had no slot when the swap began; since it began at all: */
	bool is_new; /* it has not had any */
	u64 ready;   /* of them, those for which it was ready. SWAP_UNKNOWN: what tells it is forgotten */
};
/* The swaps that began within what is counted (scope, or the run so far), in the order of their beginnings. To be
 * freed. */
struct swap *swaps_known(const struct debugger *d, u32 *n);
/* The present swap of an SM, or the last one, in a line: "CTA 2 -> CTA 47 in slot 0 until cycle 476: all its warps wait
 * for memory". Nothing while there was none. */
void swap_line(const struct debugger *d, u32 sm, struct strbuf *out);
/* The SM's CTAs without a slot, and what each waits for: "2 (16 results), 31 (ready for 120)". */
void slotless_line(const struct debugger *d, u32 sm, struct strbuf *out);
/* Why a CTA has left its slots, in words: "all its warps wait for memory". */
const char *swap_cause_text(u32 cause);
#endif
