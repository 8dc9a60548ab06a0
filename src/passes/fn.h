/* fn: what the passes work on - one function's instructions, still over virtual registers.
 *
 * Before register allocation an operand without OPND_POOL is the number of a virtual register of the function; the
 * guard and the carry flag (d[3] of IF_CC_OUT, s[4] of IF_CC_IN) are virtual registers of class VC_PRED too. So the
 * passes need no knowledge of opcodes to find definitions and uses: every destination is a definition, every source
 * and the guard a use (ir/wide.h: inst_dst(), inst_src()). */
#ifndef PASSES_FN_H
#define PASSES_FN_H
#include "ir/wide.h"

enum vclass { VC_PRED, VC_32, VC_64 }; /* one u32 mask; one slot; two slots */

struct fn {
	struct inst *code; /* the module's code; pcs are absolute */
	u32 begin, end;    /* the function's pcs: [begin, end), not empty */
	const struct branch_table *tables;
	const u8 *vclass; /* enum vclass of each virtual register */
	u32 nregs;
	u32 carry; /* virtual register of the carry flag or OPND_NONE */
};

static inline bool opnd_is_vreg(opnd o)
{
	return o != OPND_NONE && !(o & OPND_POOL);
}
/* Does control never continue at pc + 1 for a lane that executes this? */
static inline bool inst_ends_block(const struct inst *in)
{
	bool leaves = in->op == OP_BRA || in->op == OP_BRX || in->op == OP_RET || in->op == OP_EXIT || in->op == OP_TRAP;
	return leaves && in->guard == OPND_NONE;
}
#endif
