/* Bitwise logic on registers and predicates, shifts. */
#include "front/ptx/executor/simd.h"

#define DEF(T)                                                                                                         \
	EXEC2(and_##T, T, T, T, a &b)                                                                                      \
	EXEC2(or_##T, T, T, T, a | b)                                                                                      \
	EXEC2(xor_##T, T, T, T, a ^ b)                                                                                     \
	EXEC1(not_##T, T, T, ~a)                                                                                           \
	EXEC1(cnot_##T, T, T, a == 0)
EACH_UNSIGNED(DEF)
#undef DEF

/* Shift amounts are u32 for every width; an amount of at least the width gives 0 (or copies of the sign). */
EXEC2(shl_u16, u16, u16, u32, b > 15 ? 0 : (u32)a << (b & 15))
EXEC2(shl_u32, u32, u32, u32, b > 31 ? 0 : a << (b & 31))
EXEC2(shl_u64, u64, u64, u32, b > 63 ? 0 : a << (b & 63))
EXEC2(shr_u16, u16, u16, u32, b > 15 ? 0 : (u32)a >> (b & 15))
EXEC2(shr_u32, u32, u32, u32, b > 31 ? 0 : a >> (b & 31))
EXEC2(shr_u64, u64, u64, u32, b > 63 ? 0 : a >> (b & 63))
EXEC2(shr_s16, s16, s16, u32, (s32)a >> (b > 15 ? 15 : b))
EXEC2(shr_s32, s32, s32, u32, a >> (b > 31 ? 31 : b))
EXEC2(shr_s64, s64, s64, u32, a >> (b > 63 ? 63 : b))

/* Funnel shift of c:b (c = the high word) by n in 0..32. */
static inline u32 funnel_left(u32 b, u32 c, u32 n)
{
	return n ? (n > 31 ? b : c << n | b >> (32 - n)) : c;
}
static inline u32 funnel_right(u32 b, u32 c, u32 n)
{
	return n ? (n > 31 ? c : b >> n | c << (32 - n)) : b;
}
EXEC3(shf_l_wrap, u32, u32, u32, u32, funnel_left(a, b, c & 31))
EXEC3(shf_r_wrap, u32, u32, u32, u32, funnel_right(a, b, c & 31))
EXEC3(shf_l_clamp, u32, u32, u32, u32, funnel_left(a, b, c > 32 ? 32 : c))
EXEC3(shf_r_clamp, u32, u32, u32, u32, funnel_right(a, b, c > 32 ? 32 : c))

/* lop3: bit 4a+2b+c of the table for the operand bits a, b, c. The table (in->mode) selects minterms by masks. */
#define MINTERM(n) (0u - (fl_lut >> n & 1))
static inline u32 lop3(u32 fl_lut, u32 a, u32 b, u32 c)
{
	u32 lo = (~b & ~c & MINTERM(0)) | (~b & c & MINTERM(1)) | (b & ~c & MINTERM(2)) | (b & c & MINTERM(3));
	u32 hi = (~b & ~c & MINTERM(4)) | (~b & c & MINTERM(5)) | (b & ~c & MINTERM(6)) | (b & c & MINTERM(7));
	return (~a & lo) | (a & hi);
}
EXEC3(lop3_u32, u32, u32, u32, u32, lop3(in->mode, a, b, c))

/* lop3.or, lop3.and: the second destination says whether the result is not 0, combined with a predicate. */
static void lop3_pred(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const u32 *a = exec_at(x, in->s[0]), *b = exec_at(x, in->s[1]), *c = exec_at(x, in->s[2]);
	const u32 q = read_pred(x, in->s[3]) ^ (in->flags & IF_NEG_PRED ? ~0u : 0);
	u32 t[LANES], bits = 0;
	for (u32 i = 0; i < LANES; i++) {
		t[i] = lop3(in->mode, a[i], b[i], c[i]);
		bits |= (u32)(t[i] != 0) << i;
	}
	if (in->d[0] != OPND_NONE) {
		u32 *d = exec_at(x, in->d[0]);
		FOR_LANES d[i] = (x->mask >> i & 1) ? t[i] : d[i];
	}
	write_pred(x, in->d[1], in->boolop == BOOL_OR ? bits | q : bits & q);
}

#define PRED_EXEC(NAME, EXPR)                                                                                          \
	static void NAME(void *ctx, const struct inst *in)                                                                 \
	{                                                                                                                  \
		struct exec *x = ctx;                                                                                          \
		const u32 a = read_pred(x, in->s[0]) ^ (in->flags & IF_NEG_PRED ? ~0u : 0);                                    \
		const u32 b = in->s[1] == OPND_NONE ? 0 : read_pred(x, in->s[1]) ^ (in->flags & IF_NEG_PRED2 ? ~0u : 0);       \
		(void)b;                                                                                                       \
		write_pred(x, in->d[0], EXPR);                                                                                 \
	}
PRED_EXEC(and_pred, a &b)
PRED_EXEC(or_pred, a | b)
PRED_EXEC(xor_pred, a ^ b)
PRED_EXEC(not_pred, ~a)

static exec_fn shf_for(const struct inst *in)
{
	if (!has_opnds(in, 1, 3))
		return NULL;
	if (in->flags & IF_WRAP)
		return in->flags & IF_RIGHT ? shf_r_wrap : shf_l_wrap;
	return in->flags & IF_RIGHT ? shf_r_clamp : shf_l_clamp;
}

static exec_fn lop3_for(const struct inst *in)
{
	if (in->type != T_B32)
		return NULL;
	if (in->boolop != BOOL_NONE)
		return in->boolop != BOOL_XOR && has_opnds(in, 0, 4) ? lop3_pred : NULL;
	return has_opnds(in, 1, 3) ? lop3_u32 : NULL;
}

exec_fn LEVEL_NAME(exec_logic)(const struct inst *in)
{
	static const exec_fn and[T_COUNT] = BY_SIZE(and), or [T_COUNT] = BY_SIZE(or), xor[T_COUNT] = BY_SIZE(xor);
	static const exec_fn not [T_COUNT] = BY_SIZE(not ), cnot[T_COUNT] = BY_SIZE(cnot), shl[T_COUNT] = BY_SIZE(shl);
	static const exec_fn shr[T_COUNT] = {
	    [T_B16] = shr_u16, [T_B32] = shr_u32, [T_B64] = shr_u64, [T_U16] = shr_u16, [T_U32] = shr_u32,
	    [T_U64] = shr_u64, [T_S16] = shr_s16, [T_S32] = shr_s32, [T_S64] = shr_s64};
	const bool pred = in->type == T_PRED, two = has_opnds(in, 1, 2), one = has_opnds(in, 1, 1);
	switch (in->op) {
	case OP_AND: return !two ? NULL : pred ? and_pred : and[in->type];
	case OP_OR: return !two ? NULL : pred ? or_pred : or [in->type];
	case OP_XOR: return !two ? NULL : pred ? xor_pred : xor[in->type];
	case OP_NOT: return !one ? NULL : pred ? not_pred : not [in->type];
	case OP_CNOT: return !one ? NULL : cnot[in->type];
	case OP_SHL: return two ? shl[in->type] : NULL;
	case OP_SHR: return two ? shr[in->type] : NULL;
	case OP_SHF: return shf_for(in);
	case OP_LOP3: return lop3_for(in);
	default: return NULL;
	}
}
