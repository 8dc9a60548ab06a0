/* Conformance of the execution functions, third part: what works on pairs of halves (set, setp, cvt, .relu), tf32,
 * cvt.pack, packed 16-bit integers, lop3 with a predicate. References find halves by search, not by rounding bits. */
#include "tests/rig/exec_rig.h"
#include "front/ptx/executor/video.h"
#include "tests/rig/refusal.h"

/* --- halves by search --------------------------------------------------------------------------------------------- */

static double value_of(u32 h, bool bf16)
{
	const int frac = bf16 ? 7 : 10, bias = bf16 ? 127 : 15, top = bf16 ? 255 : 31;
	const int e = (int)(h >> frac) & top, m = (int)(h & ((1u << frac) - 1));
	const double v = e == top ? (m ? NAN : INFINITY) : ldexp(e ? m + (1 << frac) : m, (e ? e : 1) - bias - frac);
	return h & 0x8000 ? -v : v;
}
static u32 infinity_of(bool bf16)
{
	return bf16 ? 0x7f80 : 0x7c00;
}
/* zero: towards zero, else nearest, ties to even. */
static u32 nearest(double v, bool bf16, bool zero)
{
	const u32 inf = infinity_of(bf16), sign = signbit(v) ? 0x8000 : 0;
	const double x = fabs(v);
	if (isnan(v))
		return 0x7fff;
	if (isinf(v))
		return sign | inf;
	u32 lo = 0, hi = inf - 1;
	while (lo < hi) { /* the largest half not above x */
		const u32 mid = (lo + hi + 1) / 2;
		if (value_of(mid, bf16) <= x)
			lo = mid;
		else
			hi = mid - 1;
	}
	const double next = lo == inf - 1 ? 2 * value_of(lo, bf16) - value_of(lo - 1, bf16) : value_of(lo + 1, bf16);
	const double below = x - value_of(lo, bf16), above = next - x;
	return sign | (!zero && (above < below || (above == below && lo & 1)) ? lo + 1 : lo);
}
static bool bf16_type(u8 t)
{
	return t == T_BF16 || t == T_BF16X2;
}

/* --- conversions -------------------------------------------------------------------------------------------------- */

static u32 ref_half_of(const struct inst *in, u64 a)
{
	const bool bf16 = bf16_type(in->type);
	const double v = f32_bits((u32)a);
	const u32 h = nearest(v, bf16, in->round == RND_RZ), inf = infinity_of(bf16);
	if (in->flags & IF_RELU && !isnan(v) && signbit(v))
		return 0;
	return in->flags & IF_SATFINITE && !isnan(v) && (h & 0x7fff) == inf ? (h & 0x8000) | (inf - 1) : h;
}
static u64 ref_cvt(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	const bool pair = in->type == T_F16X2 || in->type == T_BF16X2;
	return pair ? ref_half_of(in, a) << 16 | ref_half_of(in, b) : ref_half_of(in, a);
}
static void test_cvt_halves(void **state)
{
	static const u8 types[] = {T_F16X2, T_BF16X2, T_F16, T_BF16};
	static const u32 flags[] = {0, IF_RELU, IF_SATFINITE, IF_RELU | IF_SATFINITE};
	for (u32 rounds = 0; rounds < 8; rounds++)
		for (u32 k = 0; k < ARRAY_LEN(types) * ARRAY_LEN(flags) * 2; k++) {
			const u8 t = types[k % 4];
			const struct shape sh = {t, {T_F32, k % 4 < 2 ? T_F32 : T_NONE}};
			struct inst in = make(OP_CVT, t, T_F32, sh);
			in.flags = flags[k / 4 % 4];
			in.round = k / 16 ? RND_RZ : RND_RN;
			conform(in, sh, ref_cvt);
		}
}
/* Every half, and the f32 values between each half and the next: just below, at and just above the middle. */
static void test_cvt_ties(void **state)
{
	for (u32 bf16 = 0; bf16 < 2; bf16++) {
		const struct shape sh = {bf16 ? T_BF16X2 : T_F16X2, {T_F32, T_F32}};
		struct inst in = make(OP_CVT, sh.d, T_F32, sh);
		in.round = RND_RN;
		for (u32 l = 0; l <= (u32)exec_best_level(); l++) {
			assert_true(exec_resolve_level(&in, l));
			for (u32 h = 0; h < 0x10000; h += 16) {
				struct exec x = {.base = {frame, NULL}, .mask = FULL_MASK, .active = FULL_MASK};
				for (u32 i = 0; i < LANES; i++) {
					const double low = value_of(h + i / 2, bf16), next = value_of(h + i / 2 + 1, bf16);
					const float mid = (float)((low + next) / 2);
					put(R_A, T_F32, i, i & 1 ? bits_f32((float)low) : bits_f32(mid));
					put(R_B, T_F32, i, bits_f32(mid) + (i & 1 ? 1 : (u32)-1));
				}
				in.exec(&x, &in);
				for (u32 i = 0; i < LANES; i++)
					assert_int_equal(get(R_D, T_B32, i), ref_cvt(&in, get(R_A, T_F32, i), get(R_B, T_F32, i), 0, 0));
			}
		}
	}
}

/* tf32: f32 with 10 bits of fraction. The neighbours are found by cutting, distances in double. */
static u64 ref_tf32(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	const float v = f32_bits((u32)a);
	const u32 low = (u32)a & ~0x1fffu;
	if (isnan(v))
		return 0x7fffffff;
	u32 r = low;
	if (isfinite(v) && in->round != RND_RZ) {
		const u32 below = (u32)a - low;
		r += below > 0x1000 || (below == 0x1000 && (in->round == RND_RNA || low & 0x2000)) ? 0x2000 : 0;
	}
	if (in->flags & IF_RELU && r >> 31)
		return 0;
	return in->flags & IF_SATFINITE && (r & 0x7fffffff) == 0x7f800000 ? (r & 0x80000000) | 0x7f7fe000 : r;
}
static void test_tf32(void **state)
{
	static const u8 rounds[] = {RND_RNA, RND_RN, RND_RZ};
	static const u32 flags[] = {0, IF_RELU, IF_SATFINITE};
	const struct shape sh = {T_TF32, {T_F32}};
	for (u32 k = 0; k < 9 * 20; k++) {
		struct inst in = make(OP_CVT, T_TF32, T_F32, sh);
		in.round = rounds[k % 3];
		in.flags = flags[k / 3 % 3];
		conform(in, sh, ref_tf32);
	}
	struct inst tie = make(OP_CVT, T_TF32, T_F32, sh); /* 1 + 2^-11: away from zero, to even */
	for (u32 k = 0; k < 2; k++) {
		struct exec x = {.base = {frame, NULL}, .mask = 1, .active = 1};
		put(R_A, T_F32, 0, 0x3f801000);
		tie.round = rounds[k];
		assert_true(exec_resolve(&tie));
		tie.exec(&x, &tie);
		assert_int_equal(get(R_D, T_B32, 0), k ? 0x3f800000 : 0x3f802000);
	}
}

static s64 within(s64 v, s64 lo, s64 hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}
static u64 ref_pack(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	const s64 x = (s32)a, y = (s32)b;
	switch (in->type) {
	case T_S16: return (u32)within(x, -32768, 32767) << 16 | ((u32)within(y, -32768, 32767) & 0xffff);
	case T_U16: return (u32)within(x, 0, 65535) << 16 | (u32)within(y, 0, 65535);
	case T_S8: return (u32)c << 16 | ((u32)within(x, -128, 127) & 255) << 8 | ((u32)within(y, -128, 127) & 255);
	default: return (u32)c << 16 | (u32)within(x, 0, 255) << 8 | (u32)within(y, 0, 255);
	}
}
static void test_cvt_pack(void **state)
{
	static const u8 types[] = {T_S16, T_U16, T_S8, T_U8};
	for (u32 k = 0; k < 4 * 20; k++) {
		const struct shape sh = {T_B32, {T_S32, T_S32, k % 4 > 1 ? T_B32 : T_NONE}};
		struct inst in = make(OP_CVT, types[k % 4], T_S32, sh);
		in.flags = IF_SAT;
		in.mode = 1;
		conform(in, sh, ref_pack);
	}
}

/* --- comparisons -------------------------------------------------------------------------------------------------- */

static bool holds(u8 cmp, double a, double b)
{
	const bool un = isnan(a) || isnan(b);
	switch (cmp) {
	case CMP_EQ: return !un && a == b;
	case CMP_NE: return !un && a != b;
	case CMP_LT: return !un && a < b;
	case CMP_LE: return !un && a <= b;
	case CMP_GT: return !un && a > b;
	case CMP_GE: return !un && a >= b;
	case CMP_EQU: return un || a == b;
	case CMP_NEU: return un || a != b;
	case CMP_LTU: return un || a < b;
	case CMP_LEU: return un || a <= b;
	case CMP_GTU: return un || a > b;
	case CMP_GEU: return un || a >= b;
	case CMP_NUM: return !un;
	default: return un;
	}
}
static const u8 relations[] = {CMP_EQ,  CMP_NE,  CMP_LT,  CMP_LE,  CMP_GT,  CMP_GE,  CMP_EQU,
                               CMP_NEU, CMP_LTU, CMP_LEU, CMP_GTU, CMP_GEU, CMP_NUM, CMP_NAN};
static double operand_of(const struct inst *in, u64 v, u8 t)
{
	const double x = value_of((u32)v & 0xffff, bf16_type(t));
	return in->flags & IF_FTZ && fabs(x) < 0x1p-14 ? copysign(0, x) : x;
}
static bool with_third(const struct inst *in, bool t, u64 c)
{
	const bool q = in->flags & IF_NEG_PRED ? !(c & 1) : c & 1;
	return in->boolop == BOOL_AND ? t && q : in->boolop == BOOL_OR ? t || q : in->boolop == BOOL_XOR ? t != q : t;
}
static bool half_holds(const struct inst *in, u8 t, u64 a, u64 b, u64 c)
{
	return with_third(in, holds(in->cmp, operand_of(in, a, t), operand_of(in, b, t)), c);
}
static u64 ref_set(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	const u8 s = in->stype;
	const u32 one = in->type == T_F32                            ? 0x3f800000
	                : in->type == T_F16 || in->type == T_F16X2   ? 0x3c00
	                : in->type == T_BF16 || in->type == T_BF16X2 ? 0x3f80
	                : in->type == T_U16 || in->type == T_S16     ? 0xffff
	                                                             : 0xffffffff;
	if (s != T_F16X2 && s != T_BF16X2)
		return half_holds(in, s, a, b, c) ? one : 0;
	return (half_holds(in, s, a, b, c) ? one & 0xffff : 0) | (half_holds(in, s, a >> 16, b >> 16, c) ? one << 16 : 0);
}
/* Of the destinations that a source type may have, all. */
static void test_set(void **state)
{
	static const struct {
		u8 d, s;
		bool ftz;
	} cases[] = {{T_F16, T_F16, 1},   {T_U16, T_F16, 1},     {T_S16, T_F16, 0},   {T_U32, T_F16, 1},
	             {T_S32, T_F16, 0},   {T_F16X2, T_F16X2, 1}, {T_U32, T_F16X2, 1}, {T_S32, T_F16X2, 0},
	             {T_BF16, T_BF16, 0}, {T_U16, T_BF16, 0},    {T_S32, T_BF16, 0},  {T_BF16X2, T_BF16X2, 0},
	             {T_F32, T_F16, 0},   {T_U32, T_BF16X2, 0},  {T_S32, T_BF16X2, 0}};
	for (u32 k = 0; k < ARRAY_LEN(cases); k++)
		for (u32 r = 0; r < ARRAY_LEN(relations); r++)
			for (u32 op = BOOL_NONE; op <= BOOL_XOR; op++) {
				const struct shape sh = {cases[k].d, {cases[k].s, cases[k].s, op ? T_PRED : T_NONE}};
				struct inst in = make(OP_SET, sh.d, cases[k].s, sh);
				in.cmp = relations[r];
				in.boolop = (u8)op;
				in.flags = (cases[k].ftz && r & 1 ? IF_FTZ : 0) | (op == BOOL_AND ? IF_NEG_PRED : 0);
				conform(in, sh, ref_set);
			}
}
/* Both predicates of setp: that of the lower and of the upper half. */
static u64 ref_setp_low(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	return half_holds(in, in->type, a, b, c);
}
static void check_high(const struct inst *in, const u32 mask, const u32 before)
{
	u32 want = before;
	for (u32 i = 0; i < LANES; i++) {
		const u64 c = in->boolop ? get(R_P1, T_PRED, i) : 0;
		const bool t = half_holds(in, in->type, get(R_A, T_B32, i) >> 16, get(R_B, T_B32, i) >> 16, c);
		if (mask >> i & 1)
			want = (want & ~(1u << i)) | (u32)t << i;
	}
	assert_int_equal(*(u32 *)(frame + R_P2), want);
}
static void test_setp(void **state)
{
	static const u8 types[] = {T_F16X2, T_BF16X2};
	for (u32 k = 0; k < 2 * ARRAY_LEN(relations) * 4; k++) {
		const u8 t = types[k % 2], op = (u8)(k / 2 % 4);
		const struct shape sh = {T_PRED, {t, t, op ? T_PRED : T_NONE}};
		struct inst in = make(OP_SETP, t, 0, sh);
		in.cmp = relations[k / 8];
		in.boolop = op;
		in.flags = op == BOOL_XOR ? IF_NEG_PRED : 0;
		conform(in, sh, ref_setp_low);
		in.d[1] = R_P2;
		for (u32 l = 0; l <= (u32)exec_best_level(); l++) {
			const u32 mask = (u32)rng_next(&seed), before = (u32)rng_next(&seed);
			struct exec x = {.base = {frame, NULL}, .mask = mask, .active = mask};
			assert_true(exec_resolve_level(&in, l));
			fill(R_A, t);
			fill(R_B, t);
			fill(R_P1, T_PRED);
			correlate(&in, sh);
			*(u32 *)(frame + R_P2) = before;
			in.exec(&x, &in);
			check_high(&in, mask, before);
		}
	}
	/* f16 with .ftz: the smallest subnormal equals zero */
	const struct shape sh = {T_PRED, {T_F16, T_F16}};
	struct inst in = make(OP_SETP, T_F16, 0, sh);
	in.cmp = CMP_EQ;
	for (u32 ftz = 0; ftz < 2; ftz++) {
		struct exec x = {.base = {frame, NULL}, .mask = 1, .active = 1};
		in.flags = ftz ? IF_FTZ : 0;
		put(R_A, T_B32, 0, 0x8001);
		put(R_B, T_B32, 0, 0);
		assert_true(exec_resolve(&in));
		in.exec(&x, &in);
		assert_int_equal(get(R_P0, T_PRED, 0), ftz);
	}
}

/* --- arithmetic --------------------------------------------------------------------------------------------------- */

static u32 ref_fma_half(const struct inst *in, u64 a, u64 b, u64 c)
{
	const bool bf16 = bf16_type(in->type);
	const double x = value_of((u32)a & 0xffff, bf16), y = value_of((u32)b & 0xffff, bf16),
	             z = value_of((u32)c & 0xffff, bf16);
	const double p = x * y, s = p + z; /* the product is exact; on ties of the sum the rest decides */
	double r = s;
	if (isfinite(p) && isfinite(z)) {
		const double part = s - p, rest = (p - (s - part)) + (z - part);
		if (rest != 0)
			r = nextafter(s, rest > 0 ? INFINITY : -INFINITY);
	}
	const u32 h = nearest(r, bf16, false);
	return h & 0x8000 ? 0 : h;
}
static u64 ref_fma_relu(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	const u32 lo = ref_fma_half(in, a, b, c);
	return in->type == T_F16 || in->type == T_BF16 ? lo : lo | ref_fma_half(in, a >> 16, b >> 16, c >> 16) << 16;
}
static void test_fma_relu(void **state)
{
	static const u8 types[] = {T_F16, T_F16X2, T_BF16, T_BF16X2};
	for (u32 k = 0; k < 4 * 20; k++) {
		const u8 t = types[k % 4];
		const struct shape sh = {t, {t, t, t}};
		struct inst in = make(OP_FMA, t, 0, sh);
		in.round = RND_RN;
		in.flags = IF_RELU;
		conform(in, sh, ref_fma_relu);
	}
}

static u32 packed_one(const struct inst *in, u32 a, u32 b)
{
	const bool sign = in->type == T_S16X2;
	const s32 x = sign ? (s32)(s16)a : (s32)(a & 0xffff), y = sign ? (s32)(s16)b : (s32)(b & 0xffff);
	s32 r = in->op == OP_ADD ? x + y : (x < y) == (in->op == OP_MIN) ? x : y;
	if (in->flags & IF_RELU && r < 0)
		r = 0;
	return (u32)r & 0xffff;
}
static u64 ref_packed(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	if (in->type == T_S32) {
		const s32 x = (s32)a, y = (s32)b, r = (x < y) == (in->op == OP_MIN) ? x : y;
		return (u32)(r < 0 ? 0 : r);
	}
	return packed_one(in, (u32)a, (u32)b) | packed_one(in, (u32)(a >> 16), (u32)(b >> 16)) << 16;
}
static void test_packed(void **state)
{
	static const u8 ops[] = {OP_ADD, OP_MIN, OP_MAX}, types[] = {T_U16X2, T_S16X2, T_S32};
	for (u32 k = 0; k < 9 * 20; k++) {
		const u8 t = types[k / 3 % 3], op = ops[k % 3];
		const struct shape sh = {t, {t, t}};
		struct inst in = make(op, t, 0, sh);
		const bool relu = t == T_S32 || (t == T_S16X2 && op != OP_ADD && k & 1);
		in.flags = relu ? IF_RELU : 0;
		if (t != T_S32 || op != OP_ADD)
			conform(in, sh, ref_packed);
	}
}

/* Video instructions on two halves, with the sum that .add makes. */
static u64 ref_video(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	u32 sum = (u32)c, packed = 0;
	for (u32 k = 0; k < 32; k += 16) {
		const bool sign = in->stype == T_S32;
		const s32 x = sign ? (s32)(s16)(a >> k) : (s32)(u16)(a >> k),
		          y = sign ? (s32)(s16)(b >> k) : (s32)(u16)(b >> k);
		s32 r = x;
		switch (in->op) {
		case OP_VABSDIFF2: r = x < y ? y - x : x - y; break;
		case OP_VADD2: r = x + y; break;
		case OP_VSUB2: r = x - y; break;
		case OP_VMIN2: r = x < y ? x : y; break;
		default: r = x < y ? y : x;
		}
		sum += (u32)r;
		packed |= ((u32)r & 0xffff) << k;
	}
	return in->mode ? sum : packed;
}
static void test_video(void **state)
{
	static const u8 ops[] = {OP_VABSDIFF2, OP_VADD2, OP_VSUB2, OP_VMIN2, OP_VMAX2};
	const struct shape sh = {T_U32, {T_U32, T_U32, T_U32}};
	for (u32 k = 0; k < 5 * 4 * 4; k++) {
		struct inst in = make(ops[k % 5], k / 5 & 1 ? T_S32 : T_U32, k / 5 & 1 ? T_S32 : T_U32, sh);
		in.mode = k / 10 & 1;
		in.imm = (s64)video_plain(in.op, in.stype);
		conform(in, sh, ref_video);
	}
}

/* --- min and max of magnitudes, with the product's sign; ex2 of bf16; bf16 to f32 --------------------------------- */

/* Magnitudes of floating-point numbers are in the order of their bits. */
static u32 xorsign_one(const struct inst *in, u32 a, u32 b, u32 bits, u32 inf, u32 least)
{
	const u32 top = 1u << (bits - 1), sign = (a ^ b) & top, nan = top - 1;
	u32 x = a & (top - 1), y = b & (top - 1);
	if (in->flags & IF_FTZ)
		x = x < least ? 0 : x, y = y < least ? 0 : y;
	if ((x > inf && y > inf) || (in->flags & IF_NAN && (x > inf || y > inf)))
		return nan;
	if (x > inf || y > inf)
		return (x > inf ? y : x) | sign;
	return ((in->op == OP_MIN) == (x < y) ? x : y) | sign;
}
static u64 ref_xorsign(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	const bool bf16 = in->type == T_BF16 || in->type == T_BF16X2, two = in->type == T_F16X2 || in->type == T_BF16X2;
	const u32 inf = bf16 ? 0x7f80 : 0x7c00, least = bf16 ? 0x80 : 0x400;
	if (in->type == T_F32)
		return xorsign_one(in, (u32)a, (u32)b, 32, 0x7f800000, 0x00800000);
	const u32 low = xorsign_one(in, (u16)a, (u16)b, 16, inf, least);
	return two ? low | xorsign_one(in, (u16)(a >> 16), (u16)(b >> 16), 16, inf, least) << 16 : low;
}
static void test_xorsign(void **state)
{
	static const u8 types[] = {T_F32, T_F16, T_F16X2, T_BF16, T_BF16X2};
	for (u32 k = 0; k < 5 * 2 * 2 * 2 * 4; k++) {
		const u8 t = types[k % 5];
		struct inst in = make(k / 5 & 1 ? OP_MIN : OP_MAX, t, 0, (struct shape){t, {t, t}});
		const bool bf16 = t == T_BF16 || t == T_BF16X2;
		in.mode = 1;
		in.flags = (k / 10 & 1 ? IF_NAN : 0) | (k / 20 & 1 && !bf16 ? IF_FTZ : 0);
		conform(in, (struct shape){t, {t, t}}, ref_xorsign);
	}
}
/* Exact for bf16's whole exponents; else within one unit of the last place. */
static void test_ex2_bf16(void **state)
{
	struct inst in = make(OP_EX2, T_BF16, 0, (struct shape){T_BF16, {T_BF16}});
	in.flags = IF_FTZ | IF_APPROX;
	for (u32 l = 0; l <= (u32)exec_best_level(); l++) {
		assert_true(exec_resolve_level(&in, l));
		for (u32 h = 0; h < 65536; h += LANES) {
			struct exec x = {.base = {frame, NULL}, .mask = FULL_MASK, .active = FULL_MASK};
			for (u32 i = 0; i < LANES; i++)
				put(R_A, T_U32, i, h + i);
			in.exec(&x, &in);
			for (u32 i = 0; i < LANES; i++) {
				const u32 a = h + i, got = (u16)get(R_D, T_U32, i), mag = a & 0x7fff;
				const double v = mag < 0x80 ? 0 : (double)bf16_to_f32((u16)a), want = exp2(v);
				if (mag > 0x7f80)
					assert_int_equal(got, 0x7fff);
				else if (want < 0x1p-126)
					assert_true(got == 0 || got == 0x80);
				else if (want >= 0x1p128)
					assert_int_equal(got, 0x7f80);
				else if (fabs((double)bf16_to_f32((u16)got) - want) > want * 0x1p-8)
					fail_msg("ex2 of %04x: %04x", a, got);
			}
		}
	}
}
static u64 ref_from_bf16(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	return (a & 0x7fff) > 0x7f80 ? 0x7fffffff : a << 16;
}
static void test_from_bf16(void **state)
{
	static const u8 rounds[] = {RND_NONE, RND_RN, RND_RZ, RND_RM, RND_RP};
	for (u32 k = 0; k < ARRAY_LEN(rounds); k++) {
		struct inst in = make(OP_CVT, T_F32, T_BF16, (struct shape){T_F32, {T_BF16}});
		in.round = rounds[k];
		conform(in, (struct shape){T_F32, {T_BF16}}, ref_from_bf16);
	}
}

/* --- lop3 with a predicate ---------------------------------------------------------------------------------------- */

static u32 table(u8 lut, u32 a, u32 b, u32 c)
{
	u32 r = 0;
	for (u32 i = 0; i < 32; i++)
		r |= (u32)(lut >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
	return r;
}
static u64 ref_lop3(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	return table(in->mode, (u32)a, (u32)b, (u32)c);
}
static void lop3_once(struct inst in)
{
	const u32 mask = (u32)rng_next(&seed), before = (u32)rng_next(&seed);
	struct exec x = {.base = {frame, NULL}, .mask = mask, .active = mask};
	u32 want = before;
	fill(R_A, T_B32);
	fill(R_B, T_B32);
	fill(R_C, T_B32);
	fill(R_P1, T_PRED);
	const u32 q = *(u32 *)(frame + R_P1) ^ (in.flags & IF_NEG_PRED ? ~0u : 0);
	for (u32 i = 0; i < LANES; i++) {
		if (rng_next(&seed) & 1) { /* a result of 0 is rare among random words */
			put(R_A, T_B32, i, 0);
			put(R_B, T_B32, i, 0);
		}
		const bool t = table(in.mode, (u32)get(R_A, T_B32, i), (u32)get(R_B, T_B32, i), (u32)get(R_C, T_B32, i)) != 0;
		const bool p = in.boolop == BOOL_OR ? t || q >> i & 1 : t && q >> i & 1;
		if (mask >> i & 1)
			want = (want & ~(1u << i)) | (u32)p << i;
	}
	*(u32 *)(frame + R_P2) = before;
	in.exec(&x, &in);
	assert_int_equal(*(u32 *)(frame + R_P2), want);
}
static void test_lop3(void **state)
{
	const struct shape sh = {T_B32, {T_B32, T_B32, T_B32, T_PRED}};
	for (u32 lut = 0; lut < 256; lut += 3) {
		struct inst in = make(OP_LOP3, T_B32, 0, sh);
		in.mode = (u8)lut;
		in.s[3] = R_P1;
		in.boolop = lut & 1 ? BOOL_AND : BOOL_OR;
		in.flags = lut & 4 ? IF_NEG_PRED : 0;
		in.d[1] = R_P2;
		conform(in, sh, ref_lop3);
		for (u32 l = 0; l <= (u32)exec_best_level(); l++)
			for (u32 sink = 0; sink < 2; sink++) {
				in.d[0] = sink ? OPND_NONE : R_D;
				assert_true(exec_resolve_level(&in, l));
				lop3_once(in);
			}
	}
}

/* --- refusals ----------------------------------------------------------------------------------------------------- */

static void test_refused(void **state)
{
	static const struct {
		const char *inst, *says;
	} cases[] = {
	    {"cvt.rn.f16x2.f32 %r1, %f1", "takes 3 operands"},
	    {"cvt.rn.f32.f16 %f1, %h1, %h1", "takes 2 operands"},
	    {"cvt.rm.f16x2.f32 %r1, %f1, %f1", "'cvt.rm.f16x2.f32' is not supported"},
	    {"cvt.rna.f16.f32 %h1, %f1", "'cvt.rna.f16.f32' is not supported"},
	    {"cvt.rm.tf32.f32 %r1, %f1", "'cvt.rm.tf32.f32' is not supported"},
	    {"cvt.rn.relu.f32.f16 %f1, %h1", "'cvt.rn.relu.f32.f16' is not supported"},
	    {"fma.rn.relu.f32 %f1, %f1, %f1, %f1", ".relu is for f16"},
	    {"max.relu.u32 %r1, %r1, %r1", ".relu is for s32"},
	    {"add.sat.s16x2 %r1, %r1, %r1", "'add.sat.s16x2' is not supported"},
	    {"set.eq.f16x2.f16 %r1, %h1, %h1", "'set.eq.f16x2.f16' is not supported"},
	    {"set.eq.ftz.bf16.bf16 %h1, %h1, %h1", "'set.eq.ftz.bf16.bf16' is not supported"},
	    {"lop3.or.b32 %r1, %r1, %r1, %r1, 3, %p1", "second destination needs"},
	    {"lop3.b32 %r1|%p1, %r1, %r1, %r1, 3", "second destination needs"},
	    {"lop3.and.b32 %r1|%p1, %r1, %r1, %r1, 3", "combine with"},
	    {"wgmma.load.a.sync.aligned.row.m64n16k16.global.f16 {%r1}, [%rd1]",
	     "'wgmma.load.a.sync.aligned.row.m64n16k16.global.f16' is not supported"},
	};
	for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
		char text[512], place[64];
		const bool file = !strstr(cases[i].says, "is not supported") && !strstr(cases[i].says, ".relu is for");
		const int n = snprintf(text, sizeof text,
		                       ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
		                       ".reg .pred %%p<2>;\n.reg .b16 %%h<2>;\n.reg .b32 %%r<2>;\n.reg .f32 %%f<2>;\n"
		                       ".reg .b64 %%rd<2>;\n    %s;\nret;\n}\n",
		                       cases[i].inst);
		const struct refusal r = refusal_of("x.ptx", text, (size_t)n);
		snprintf(place, sizeof place, "x.ptx:11:");
		if (r.file != file || strncmp(r.text, place, strlen(place)) || !strstr(r.text, cases[i].says))
			fail_msg("%s: %s: %s", cases[i].inst, r.file ? "the file" : "the kernel", r.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cvt_halves), cmocka_unit_test(test_cvt_ties),  cmocka_unit_test(test_tf32),
	    cmocka_unit_test(test_cvt_pack),   cmocka_unit_test(test_set),       cmocka_unit_test(test_setp),
	    cmocka_unit_test(test_fma_relu),   cmocka_unit_test(test_packed),    cmocka_unit_test(test_video),
	    cmocka_unit_test(test_lop3),       cmocka_unit_test(test_refused),   cmocka_unit_test(test_xorsign),
	    cmocka_unit_test(test_ex2_bf16),   cmocka_unit_test(test_from_bf16),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
