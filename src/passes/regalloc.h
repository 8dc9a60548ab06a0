/* regalloc: virtual registers onto the compact slots of a frame (see ir/ir.h), first fit over live segments with their
 * holes.
 *
 * Two registers share a slot only if no pc is in both live ranges; a destination never shares with a source of the same
 * instruction, so an execution function may write lane by lane. 64-bit registers share only with 64-bit ones: lane l's
 * value lies where other lanes' 32-bit values would, and under divergence those may be alive. Registers that are read
 * but never written get a slot like any other. The carry flag, when used, is the last predicate word and shared with
 * nothing. */
#ifndef PASSES_REGALLOC_H
#define PASSES_REGALLOC_H
#include "passes/liveness.h"

struct regalloc {
	u32 *index; /* per virtual register: predicate number or first slot; UINT32_MAX = never mentioned */
	u32 npreds, nslots;
	u32 wide_slots; /* the first of nslots, those of 64-bit registers */
	u32 nregs;
};
/* False when more than SB_IDS_MAX scoreboard ids would be needed. */
bool regalloc_run(struct regalloc *ra, const struct fn *f, const struct liveness *l, struct err *e);
void regalloc_release(struct regalloc *ra);

u32 regalloc_pred_bytes(const struct regalloc *ra);  /* multiple of 128 */
u32 regalloc_frame_bytes(const struct regalloc *ra); /* multiple of 128 */
/* Place in the frame, and scoreboard id, of a virtual register that has an index. */
opnd regalloc_opnd(const struct regalloc *ra, const struct fn *f, u32 vreg);
u16 regalloc_sb(const struct regalloc *ra, const struct fn *f, u32 vreg);
/* Replaces the virtual registers in the code by frame offsets and fills the scoreboard lists. */
void regalloc_apply(const struct regalloc *ra, const struct fn *f);
#endif
