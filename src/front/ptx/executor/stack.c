/* alloca: the stack of a function's activation, in local memory, gets longer downwards. */
#include "front/ptx/executor/stack.h"

static u64 size_of(const struct exec *x, const struct inst *in, u32 lane)
{
	return ptype_bytes(in->type) == 8 ? ((const u64 *)exec_at(x, in->s[1]))[lane]
	                                  : ((const u32 *)exec_at(x, in->s[1]))[lane];
}

/* s[0] = the stack's end, s[1] = bytes, s[2] = the lowest it can be; d[0] = the address, d[1] = the new end. */
static void stack_alloca(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const u32 *end = exec_at(x, in->s[0]), *lowest = exec_at(x, in->s[2]);
	u32 at[LANES] = {0}, bad = 0;
	for (u32 left = x->mask; left; left &= left - 1) {
		const u32 i = first_lane(left);
		const u64 size = size_of(x, in, i);
		at[i] = (end[i] - (u32)size) & ~((u32)in->imm - 1);
		bad |= (u32)(size > end[i] - lowest[i] || at[i] < lowest[i]) << i;
	}
	if (bad) {
		const u32 i = first_lane(bad);
		exec_fault(x, FAULT_ALLOCA, bad, size_of(x, in, i), end[i] - lowest[i], false, SPC_LOCAL);
		return;
	}
	for (u32 left = x->mask; left; left &= left - 1) {
		const u32 i = first_lane(left);
		((u32 *)exec_at(x, in->d[1]))[i] = at[i];
		if (in->d[0] == OPND_NONE)
			continue;
		if (ptype_bytes(in->type) == 8)
			((u64 *)exec_at(x, in->d[0]))[i] = at[i];
		else
			((u32 *)exec_at(x, in->d[0]))[i] = at[i];
	}
}

exec_fn exec_stack(const struct inst *in)
{
	return in->op == OP_ALLOCA ? stack_alloca : NULL;
}
