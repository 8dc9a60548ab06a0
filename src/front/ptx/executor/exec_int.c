/* Integer add, subtract, minimum, maximum, absolute value, carry chains. */
#include "front/ptx/executor/simd.h"

/* Two's complement: signed and unsigned share the functions whose result does not depend on the sign. */
EXEC2(add_u16, u16, u16, u16, (u32)a + b)
EXEC2(add_u32, u32, u32, u32, a + b)
EXEC2(add_u64, u64, u64, u64, a + b)
EXEC2(sub_u16, u16, u16, u16, (u32)a - b)
EXEC2(sub_u32, u32, u32, u32, a - b)
EXEC2(sub_u64, u64, u64, u64, a - b)
EXEC1(neg_u16, u16, u16, 0u - a)
EXEC1(neg_u32, u32, u32, 0u - a)
EXEC1(neg_u64, u64, u64, 0ull - a)
EXEC1(abs_s16, s16, s16, a < 0 ? -a : a)
EXEC1(abs_s32, s32, s32, (s32)(a < 0 ? 0u - (u32)a : (u32)a))
EXEC1(abs_s64, s64, s64, (s64)(a < 0 ? 0ull - (u64)a : (u64)a))
#define DEF(T)                                                                                                         \
	EXEC2(min_##T, T, T, T, a < b ? a : b)                                                                             \
	EXEC2(max_##T, T, T, T, a > b ? a : b)                                                                             \
	EXEC3(sad_##T, T, T, T, T, (u64)c + (a < b ? (u64)b - (u64)a : (u64)a - (u64)b))
EACH_INT(DEF)
#undef DEF

EXEC2(min_relu_s32, s32, s32, s32, (a < b ? a : b) < 0 ? 0 : (a < b ? a : b))
EXEC2(max_relu_s32, s32, s32, s32, (a > b ? a : b) < 0 ? 0 : (a > b ? a : b))

static inline s32 saturate_s32(s64 v)
{
	return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (s32)v;
}
EXEC2(add_sat_s32, s32, s32, s32, saturate_s32((s64)a + b))
EXEC2(sub_sat_s32, s32, s32, s32, saturate_s32((s64)a - b))

/* Carry chains. The carry flag is a lane mask: d[3] when written (.cc), s[4] when read (addc, subc, madc). A
 * subtraction is a + ~b + 1, so its flag is clear after a borrow: nvcc's 128-bit division takes the flag of a sub.cc
 * chain with an addc and adds the divisor back where it is 0. */
static inline u32 carry_in(const struct exec *x, const struct inst *in, u32 first)
{
	return in->flags & IF_CC_IN ? read_pred(x, in->s[4]) : first;
}
static inline void carry_out(struct exec *x, const struct inst *in, u32 bits)
{
	if (in->flags & IF_CC_OUT)
		write_pred(x, in->d[3], bits);
}

#define CARRY(NAME, T, NSRC, FIRST, SUM)                                                                               \
	static void NAME(void *ctx, const struct inst *in)                                                                 \
	{                                                                                                                  \
		struct exec *x = ctx;                                                                                          \
		T *d = exec_at(x, in->d[0]);                                                                                   \
		const T *pa = exec_at(x, in->s[0]), *pb = exec_at(x, in->s[1]);                                                \
		const T *pc = NSRC > 2 ? exec_at(x, in->s[2]) : pa;                                                            \
		const u32 cf = carry_in(x, in, FIRST);                                                                         \
		u32 out = 0;                                                                                                   \
		T t[LANES];                                                                                                    \
		for (u32 i = 0; i < LANES; i++) {                                                                              \
			const T a = pa[i], b = pb[i], c = pc[i], k = cf >> i & 1;                                                  \
			T r;                                                                                                       \
			bool o;                                                                                                    \
			(void)c;                                                                                                   \
			SUM;                                                                                                       \
			t[i] = r;                                                                                                  \
			out |= (u32)o << i;                                                                                        \
		}                                                                                                              \
		for (u32 i = 0; i < LANES; i++)                                                                                \
			d[i] = (x->mask >> i & 1) ? t[i] : d[i];                                                                   \
		carry_out(x, in, out);                                                                                         \
	}
#define ADD_CARRY(p, q)                                                                                                \
	bool o1 = __builtin_add_overflow(p, q, &r);                                                                        \
	o = __builtin_add_overflow(r, k, &r) | o1
#define NO_CARRY 0u
#define NO_BORROW FULL_MASK
CARRY(addc_u32, u32, 2, NO_CARRY, ADD_CARRY(a, b))
CARRY(addc_u64, u64, 2, NO_CARRY, ADD_CARRY(a, b))
CARRY(subc_u32, u32, 2, NO_BORROW, ADD_CARRY(a, ~b))
CARRY(subc_u64, u64, 2, NO_BORROW, ADD_CARRY(a, ~b))
CARRY(madc_lo_u32, u32, 3, NO_CARRY, const u32 p = a * b; ADD_CARRY(p, c))
CARRY(madc_hi_u32, u32, 3, NO_CARRY, const u32 p = (u32)((u64)a * b >> 32); ADD_CARRY(p, c))
CARRY(madc_hi_s32, u32, 3, NO_CARRY, const u32 p = (u32)((s64)(s32)a * (s32)b >> 32); ADD_CARRY(p, c))
CARRY(madc_lo_u64, u64, 3, NO_CARRY, const u64 p = a * b; ADD_CARRY(p, c))
CARRY(madc_hi_u64, u64, 3, NO_CARRY, const u64 p = (u64)((unsigned __int128)a * b >> 64); ADD_CARRY(p, c))
CARRY(madc_hi_s64, u64, 3, NO_CARRY, const u64 p = (u64)((__int128)(s64)a * (s64)b >> 64); ADD_CARRY(p, c))

static exec_fn carry_for(const struct inst *in, bool sub)
{
	bool cc_ok =
	    (!(in->flags & IF_CC_OUT) || in->d[3] != OPND_NONE) && (!(in->flags & IF_CC_IN) || in->s[4] != OPND_NONE);
	if (!cc_ok || !has_opnds(in, 1, 2) || ptype_is_float(in->type))
		return NULL;
	switch (ptype_bytes(in->type)) {
	case 4: return sub ? subc_u32 : addc_u32;
	case 8: return sub ? subc_u64 : addc_u64;
	default: return NULL;
	}
}

static exec_fn mad_carry_for(const struct inst *in)
{
	bool hi = in->mode == MUL_HI, sign = ptype_is_signed(in->type);
	if (!has_opnds(in, 1, 3) || in->mode == MUL_WIDE || !carry_for(in, false))
		return NULL;
	if (ptype_bytes(in->type) == 4)
		return !hi ? madc_lo_u32 : sign ? madc_hi_s32 : madc_hi_u32;
	return !hi ? madc_lo_u64 : sign ? madc_hi_s64 : madc_hi_u64;
}

exec_fn LEVEL_NAME(exec_int)(const struct inst *in)
{
	static const exec_fn add[T_COUNT] = BY_SIZE(add), sub[T_COUNT] = BY_SIZE(sub);
	static const exec_fn min[T_COUNT] = BY_SIGN(min), max[T_COUNT] = BY_SIGN(max), sad[T_COUNT] = BY_SIGN(sad);
	static const exec_fn neg[T_COUNT] = {[T_S16] = neg_u16, [T_S32] = neg_u32, [T_S64] = neg_u64};
	static const exec_fn abs[T_COUNT] = {[T_S16] = abs_s16, [T_S32] = abs_s32, [T_S64] = abs_s64};
	const bool cc = in->flags & (IF_CC_IN | IF_CC_OUT), sat = in->flags & IF_SAT, relu = in->flags & IF_RELU;
	switch (in->op) {
	case OP_ADD:
	case OP_ADDC:
	case OP_SUB:
	case OP_SUBC: {
		bool minus = in->op == OP_SUB || in->op == OP_SUBC;
		if (cc)
			return sat ? NULL : carry_for(in, minus);
		if (!has_opnds(in, 1, 2) || in->op == OP_ADDC || in->op == OP_SUBC)
			return NULL;
		if (sat)
			return in->type != T_S32 ? NULL : minus ? sub_sat_s32 : add_sat_s32;
		return minus ? sub[in->type] : add[in->type];
	}
	case OP_MAD:
	case OP_MADC: return cc && !sat ? mad_carry_for(in) : NULL;
	case OP_MIN: return !has_opnds(in, 1, 2) ? NULL : !relu ? min[in->type] : in->type == T_S32 ? min_relu_s32 : NULL;
	case OP_MAX: return !has_opnds(in, 1, 2) ? NULL : !relu ? max[in->type] : in->type == T_S32 ? max_relu_s32 : NULL;
	case OP_SAD: return has_opnds(in, 1, 3) ? sad[in->type] : NULL;
	case OP_NEG: return has_opnds(in, 1, 1) ? neg[in->type] : NULL;
	case OP_ABS: return has_opnds(in, 1, 1) ? abs[in->type] : NULL;
	default: return NULL;
	}
}
