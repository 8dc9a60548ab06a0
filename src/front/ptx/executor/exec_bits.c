/* Bit fields, byte permutation, counting. */
#include "front/ptx/executor/simd.h"

/* bfe: position and length are the low 8 bits of b and c; beyond the width, bits are 0 or (signed) copies of the
 * field's top bit, or of the value's when the field runs over it. */
#define DEF(W, U, S, ONE)                                                                                              \
	static inline U bfe_bits_##W(U a, u32 b, u32 c)                                                                    \
	{                                                                                                                  \
		u32 pos = b & 255, len = c & 255;                                                                              \
		U v = pos < W ? a >> (pos & (W - 1)) : 0;                                                                      \
		return len < W ? v & ((ONE << (len & (W - 1))) - 1) : v;                                                       \
	}                                                                                                                  \
	static inline U bfe_sign_##W(U a, u32 b, u32 c)                                                                    \
	{                                                                                                                  \
		u32 pos = b & 255, len = c & 255, top = pos + len - 1 < W - 1 ? pos + len - 1 : W - 1;                         \
		U sign = len ? 0 - (a >> (top & (W - 1)) & 1) : 0, v = bfe_bits_##W(a, b, c);                                  \
		u32 have = pos >= W ? 0 : len < W - pos ? len : W - pos;                                                       \
		return have >= W ? v : v | sign << (have & (W - 1));                                                           \
	}                                                                                                                  \
	static inline U bfi_##W(U a, U b, u32 c, u32 dd)                                                                   \
	{                                                                                                                  \
		u32 pos = c & 255, len = dd & 255;                                                                             \
		U field = len < W ? (ONE << (len & (W - 1))) - 1 : 0 - ONE;                                                    \
		U at = pos < W ? field << (pos & (W - 1)) : 0, v = pos < W ? a << (pos & (W - 1)) : 0;                         \
		return (b & ~at) | (v & at);                                                                                   \
	}
DEF(32, u32, s32, 1u)
DEF(64, u64, s64, 1ull)
#undef DEF
EXEC3(bfe_u32, u32, u32, u32, u32, bfe_bits_32(a, b, c))
EXEC3(bfe_u64, u64, u64, u32, u32, bfe_bits_64(a, b, c))
EXEC3(bfe_s32, u32, u32, u32, u32, bfe_sign_32(a, b, c))
EXEC3(bfe_s64, u64, u64, u32, u32, bfe_sign_64(a, b, c))
EXEC3(bfi_u32, u32, u32, u32, u32, bfi_32(a, b, c, ((const u32 *)exec_at(x, in->s[3]))[i]))
EXEC3(bfi_u64, u64, u64, u64, u32, bfi_64(a, b, c, ((const u32 *)exec_at(x, in->s[3]))[i]))

/* bfind: position of the most significant bit that differs from the sign (1 for unsigned); none = all ones. */
static inline u32 top_bit_32(u32 a)
{
	return a ? 31u - (u32)__builtin_clz(a) : ~0u;
}
static inline u32 top_bit_64(u64 a)
{
	return a ? 63u - (u32)__builtin_clzll(a) : ~0u;
}
static inline u32 find_amount(u32 pos, u32 top, u32 fl)
{
	return fl & IF_SHIFTAMT && pos != ~0u ? top - pos : pos;
}
EXEC1(bfind_u32, u32, u32, find_amount(top_bit_32(a), 31, fl))
EXEC1(bfind_s32, u32, s32, find_amount(top_bit_32((u32)(a < 0 ? ~a : a)), 31, fl))
EXEC1(bfind_u64, u32, u64, find_amount(top_bit_64(a), 63, fl))
EXEC1(bfind_s64, u32, s64, find_amount(top_bit_64((u64)(a < 0 ? ~a : a)), 63, fl))

static inline u32 reverse_32(u32 a)
{
	a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
	a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
	a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(a);
}
EXEC1(brev_u32, u32, u32, reverse_32(a))
EXEC1(brev_u64, u64, u64, (u64)reverse_32((u32)a) << 32 | reverse_32((u32)(a >> 32)))
EXEC1(clz_u32, u32, u32, a ? (u32)__builtin_clz(a) : 32)
EXEC1(clz_u64, u32, u64, a ? (u32)__builtin_clzll(a) : 64)
static inline u32 ones_32(u32 a)
{
	a -= a >> 1 & 0x55555555;
	a = (a & 0x33333333) + (a >> 2 & 0x33333333);
	a = (a + (a >> 4)) & 0x0f0f0f0f;
	return a * 0x01010101u >> 24;
}
EXEC1(popc_u32, u32, u32, ones_32(a))
EXEC1(popc_u64, u32, u64, ones_32((u32)a) + ones_32((u32)(a >> 32)))

/* bmsk: b ones from bit a. Modulo 32 under .wrap; .clamp: a >= 32 gives none, and ones that run over bit 31 are lost.
 */
static inline u32 field_mask(u32 a, u32 b, u32 fl)
{
	const u32 pos = a & 31, len = b & 31;
	const bool clamp = !(fl & IF_WRAP);
	const u32 from = clamp && a > 31 ? 0 : ~0u << pos;
	const bool over = pos + len > 31 || (clamp && (a > 31 || b > 31));
	return over ? from : from & ~(~0u << ((pos + len) & 31));
}
/* szext: the low b bits of a, extended. Modulo 32 under .wrap; .clamp: a itself from 32 bits on. */
static inline u32 field_extend(u32 a, u32 b, u32 fl, bool sign)
{
	if (!(fl & IF_WRAP) && b > 31)
		return a;
	const u32 len = b & 31, high = ~0u << len;
	return len && sign && (a >> (len - 1) & 1) ? a | high : a & ~high;
}
EXEC2(bmsk_b32, u32, u32, u32, field_mask(a, b, fl))
EXEC2(szext_u32, u32, u32, u32, field_extend(a, b, fl, false))
EXEC2(szext_s32, u32, u32, u32, field_extend(a, b, fl, true))

/* fns: the n-th set bit of a counted from bit `base`, upwards for n > 0, downwards for n < 0; n = 0: base itself when
 * set. */
static inline u32 nth_set(u32 a, u32 base, s32 n)
{
	if (base > 31)
		return ~0u;
	if (n == 0)
		return a >> base & 1 ? base : ~0u;
	u32 left = (u32)(n < 0 ? -(s64)n : n);
	for (s32 pos = (s32)base; pos >= 0 && pos<32; pos += n> 0 ? 1 : -1)
		if ((a >> pos & 1) && !--left)
			return (u32)pos;
	return ~0u;
}
EXEC3(fns_u32, u32, u32, u32, s32, nth_set(a, b, c))

/* prmt. The byte pool is b:a (a = bytes 0..3); a selector's bit 3 replicates the byte's sign. Special modes build the
 * selector. */
enum { PRMT_DEFAULT, PRMT_F4E, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16 };
static inline u32 prmt_selector(u32 mode, u32 c)
{
	static const u16 table[7][4] = {
	    [PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543}, [PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
	    [PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333}, [PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
	    [PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210}, [PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232}};
	return mode == PRMT_DEFAULT ? c : table[mode][c & 3];
}
static inline u32 permute(u32 a, u32 b, u32 sel)
{
	u64 pool = (u64)b << 32 | a;
	u32 r = 0;
	for (u32 k = 0; k < 4; k++) {
		u32 s = sel >> 4 * k, byte = (u32)(pool >> (s & 7) * 8) & 255;
		r |= (s & 8 ? (0u - (byte >> 7)) & 255 : byte) << 8 * k;
	}
	return r;
}
EXEC3(prmt_b32, u32, u32, u32, u32, permute(a, b, c))
EXEC3(prmt_mode_b32, u32, u32, u32, u32, permute(a, b, prmt_selector(in->mode, c)))

exec_fn LEVEL_NAME(exec_bits)(const struct inst *in)
{
	static const exec_fn bfe[T_COUNT] = {[T_U32] = bfe_u32, [T_S32] = bfe_s32, [T_U64] = bfe_u64, [T_S64] = bfe_s64};
	static const exec_fn bfi[T_COUNT] = {[T_B32] = bfi_u32, [T_B64] = bfi_u64};
	static const exec_fn bfind[T_COUNT] = {
	    [T_U32] = bfind_u32, [T_S32] = bfind_s32, [T_U64] = bfind_u64, [T_S64] = bfind_s64};
	const bool wide = ptype_bytes(in->type) == 8, one = has_opnds(in, 1, 1), three = has_opnds(in, 1, 3);
	if (ptype_bytes(in->type) < 4)
		return NULL;
	switch (in->op) {
	case OP_BFE: return three ? bfe[in->type] : NULL;
	case OP_BFI: return has_opnds(in, 1, 4) ? bfi[in->type] : NULL;
	case OP_BFIND: return one ? bfind[in->type] : NULL;
	case OP_BREV: return !one ? NULL : wide ? brev_u64 : brev_u32;
	case OP_CLZ: return !one ? NULL : wide ? clz_u64 : clz_u32;
	case OP_POPC: return !one ? NULL : wide ? popc_u64 : popc_u32;
	case OP_BMSK: return has_opnds(in, 1, 2) && in->type == T_B32 ? bmsk_b32 : NULL;
	case OP_SZEXT:
		return !has_opnds(in, 1, 2) ? NULL : in->type == T_U32 ? szext_u32 : in->type == T_S32 ? szext_s32 : NULL;
	case OP_FNS: return three ? fns_u32 : NULL;
	case OP_PRMT: return !three || in->mode > PRMT_RC16 ? NULL : in->mode == PRMT_DEFAULT ? prmt_b32 : prmt_mode_b32;
	default: return NULL;
	}
}
