/* cvt: between integers, floats and small floats. Directed rounding to f32 and f64 is in exec_fround.c. */
#include "front/ptx/runtime/fp.h"
#include "front/ptx/executor/simd.h"

#define EACH8(X, ...)                                                                                                  \
	X(u8, __VA_ARGS__)                                                                                                 \
	X(s8, __VA_ARGS__)                                                                                                 \
	X(u16, __VA_ARGS__)                                                                                                \
	X(s16, __VA_ARGS__) X(u32, __VA_ARGS__) X(s32, __VA_ARGS__) X(u64, __VA_ARGS__) X(s64, __VA_ARGS__)

/* integer to integer: extend by the source's sign, cut to the destination's width */
#define INT_FROM(S, D) EXEC1(cvt_##D##_##S, D, S, (vt_##D)a)
EACH8(INT_FROM, u8)
EACH8(INT_FROM, s8)
EACH8(INT_FROM, u16)
EACH8(INT_FROM, s16)
EACH8(INT_FROM, u32)
EACH8(INT_FROM, s32)
EACH8(INT_FROM, u64)
EACH8(INT_FROM, s64)

/* .sat: to the destination's range */
static const struct range {
	s64 lo;
	u64 hi;
} ranges[T_COUNT] = {
    [T_U8] = {0, UINT8_MAX},          [T_S8] = {INT8_MIN, INT8_MAX},   [T_U16] = {0, UINT16_MAX},
    [T_S16] = {INT16_MIN, INT16_MAX}, [T_U32] = {0, UINT32_MAX},       [T_S32] = {INT32_MIN, INT32_MAX},
    [T_U64] = {0, UINT64_MAX},        [T_S64] = {INT64_MIN, INT64_MAX}};
static u64 clamp_int(u64 v, bool is_signed, struct range r)
{
	if (is_signed && (s64)v < 0)
		return (s64)v < r.lo ? (u64)r.lo : v;
	return v > r.hi ? r.hi : v;
}
#define SAT_FROM(S, D) EXEC1(sat_##D##_##S, D, S, clamp_int((u64)a, ptype_is_signed(in->stype), ranges[in->type]))
EACH8(SAT_FROM, u32)
EACH8(SAT_FROM, u64)

/* integer to float, nearest even */
#define FLOAT_FROM(S, D) EXEC1(cvt_##D##_##S, D, S, sat_##D((vt_##D)a, fl &IF_SAT))
EACH8(FLOAT_FROM, f32)
EACH8(FLOAT_FROM, f64)

/* To an integral value by the instruction's rounding; f32 is exact in double. rint relies on the host's default mode.
 */
static void round_lanes(double *v, u8 round)
{
	switch (round) {
	case RND_RZI: FOR_LANES v[i] = __builtin_trunc(v[i]); break;
	case RND_RMI: FOR_LANES v[i] = __builtin_floor(v[i]); break;
	case RND_RPI: FOR_LANES v[i] = __builtin_ceil(v[i]); break;
	case RND_RNI: FOR_LANES v[i] = __builtin_rint(v[i]); break;
	default: break;
	}
}
/* Saturating conversions; NaN gives 0. v is integral, so the limits compare exactly. */
static inline s32 int_within(double v, double lo, double hi)
{
	double c = v != v ? 0.0 : v < lo ? lo : v > hi ? hi : v;
	return (s32)c;
}
static inline u8 to_u8(double v)
{
	return (u8)int_within(v, 0, 255);
}
static inline s8 to_s8(double v)
{
	return (s8)int_within(v, -128, 127);
}
static inline u16 to_u16(double v)
{
	return (u16)int_within(v, 0, 65535);
}
static inline s16 to_s16(double v)
{
	return (s16)int_within(v, -32768, 32767);
}
static inline s32 to_s32(double v)
{
	return int_within(v, -2147483648.0, 2147483647.0);
}
static inline u32 to_u32(double v)
{
	double c = !(v > 0.0) ? 0.0 : v > 4294967295.0 ? 4294967295.0 : v;
	return (u32)(s64)c;
}
static inline s64 to_s64(double v)
{
	if (v != v)
		return 0;
	return v >= 0x1p63 ? INT64_MAX : v < -0x1p63 ? INT64_MIN : (s64)v;
}
static inline u64 to_u64(double v)
{
	if (!(v > 0.0))
		return 0;
	return v >= 0x1p64 ? UINT64_MAX : v >= 0x1p63 ? (u64)(s64)(v - 0x1p63) + (1ull << 63) : (u64)(s64)v;
}
/* The source lanes as doubles; f16 and bf16 exactly. */
static void source_lanes(const struct exec *x, const struct inst *in, double v[LANES])
{
	const void *p = exec_at(x, in->s[0]);
	const bool ftz = in->flags & IF_FTZ;
	switch (in->stype) {
	case T_F32: FOR_LANES v[i] = flush_f32(((const float *)p)[i], ftz); break;
	case T_F64: FOR_LANES v[i] = ((const double *)p)[i]; break;
	case T_F16: FOR_LANES v[i] = f16_to_f32((u16)((const u32 *)p)[i]); break;
	default: FOR_LANES v[i] = bf16_to_f32((u16)((const u32 *)p)[i]); break;
	}
}
#define INT_OF_FLOAT(D, _)                                                                                             \
	static void cvt_##D##_float(void *ctx, const struct inst *in)                                                      \
	{                                                                                                                  \
		EXEC_BEGIN(D)                                                                                                  \
		double v[LANES];                                                                                               \
		source_lanes(x, in, v);                                                                                        \
		round_lanes(v, in->round);                                                                                     \
		LANE_LOOPS(D, false, , to_##D(v[i]))                                                                           \
	}
EACH8(INT_OF_FLOAT, _)

/* float to float */
static void cvt_f32_float(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(f32)
	double v[LANES];
	source_lanes(x, in, v);
	round_lanes(v, in->round);
	LANE_LOOPS(f32, false, , sat_f32(flush_f32(canon_f32((float)v[i]), fl & IF_FTZ), fl & IF_SAT))
}
/* A NaN of a narrower format keeps its sign and its payload: code that converts by hand looks at the sign afterwards.
 */
static void cvt_f64_float(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(f64)
	double v[LANES];
	source_lanes(x, in, v);
	round_lanes(v, in->round);
	if (in->stype == T_F64)
		FOR_LANES v[i] = canon_f64(v[i]);
	LANE_LOOPS(f64, false, , sat_f64(v[i], fl & IF_SAT))
}

/* to f16 and bf16, from floats and integers, every rounding */
static enum small_round small_mode(u8 round)
{
	return round == RND_RZ ? SMALL_RZ : round == RND_RM ? SMALL_RM : round == RND_RP ? SMALL_RP : SMALL_RN;
}
static u16 to_small(double v, const struct inst *in)
{
	v = sat_f64(v, in->flags & IF_SAT);
	const u16 h = in->type == T_BF16 ? bf16_from_f64(v, small_mode(in->round)) : f16_from_f64(v, small_mode(in->round));
	return h;
}
static void cvt_small_float(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u32)
	double v[LANES];
	source_lanes(x, in, v);
	round_lanes(v, in->round);
	LANE_LOOPS(u32, false, , to_small(v[i], in))
}
/* 64-bit integers may round on their way to double: values that large are beyond f16 anyway, and a sticky low bit keeps
 * bf16 right. */
static double int_to_double(u64 u, bool is_signed)
{
	const bool neg = is_signed && (s64)u < 0;
	u64 mag = neg ? 0 - u : u;
	if (mag >> 53)
		mag = (mag & ~0x7ffull) | ((mag & 0x7ff) ? 0x800 : 0);
	return neg ? -(double)mag : (double)mag;
}
#define SMALL_FROM(S, _) EXEC1(cvt_small_##S, u32, S, to_small(int_to_double((u64)a, ptype_is_signed(in->stype)), in))
EACH8(SMALL_FROM, _)

#define COL(D)                                                                                                         \
	{                                                                                                                  \
		[T_U8] = cvt_##D##_u8, [T_S8] = cvt_##D##_s8, [T_U16] = cvt_##D##_u16, [T_S16] = cvt_##D##_s16,                \
		[T_U32] = cvt_##D##_u32, [T_S32] = cvt_##D##_s32, [T_U64] = cvt_##D##_u64, [T_S64] = cvt_##D##_s64,            \
		[T_F32] = cvt_##D##_float, [T_F64] = cvt_##D##_float, [T_F16] = cvt_##D##_float, [T_BF16] = cvt_##D##_float    \
	}
#define SAT_COL(D)                                                                                                     \
	{                                                                                                                  \
		[T_U8] = sat_##D##_u8, [T_S8] = sat_##D##_s8, [T_U16] = sat_##D##_u16, [T_S16] = sat_##D##_s16,                \
		[T_U32] = sat_##D##_u32, [T_S32] = sat_##D##_s32, [T_U64] = sat_##D##_u64, [T_S64] = sat_##D##_s64             \
	}
static const exec_fn columns[T_COUNT][T_COUNT] = {
    [T_U8] = COL(u8),   [T_S8] = COL(s8),   [T_U16] = COL(u16),   [T_S16] = COL(s16),
    [T_U32] = COL(u32), [T_S32] = COL(s32), [T_U64] = COL(u64),   [T_S64] = COL(s64),
    [T_F32] = COL(f32), [T_F64] = COL(f64), [T_F16] = COL(small), [T_BF16] = COL(small)};
static const exec_fn sat_narrow[T_COUNT] = SAT_COL(u32), sat_wide[T_COUNT] = SAT_COL(u64);

static bool is_int(u8 t)
{
	return t >= T_U8 && t <= T_S64;
}
static bool rounding_ok(const struct inst *in)
{
	const bool integral = in->round >= RND_RNI && in->round <= RND_RPI,
	           directed = in->round == RND_RZ || in->round == RND_RM || in->round == RND_RP;
	if (is_int(in->type) && !is_int(in->stype))
		return integral;
	const bool exact = in->stype == T_BF16 && (in->type == T_F32 || in->type == T_F64);
	return in->round != RND_RNA && (!directed || exact || in->type == T_F16 || in->type == T_BF16);
}

static exec_fn conversion_for(const struct inst *in)
{
	if (is_int(in->type) && is_int(in->stype) && in->flags & IF_SAT)
		return ptype_bytes(in->type) == 8 ? sat_wide[in->stype] : sat_narrow[in->stype];
	return columns[in->type][in->stype];
}

/* 64-bit registers with narrower types: the conversion runs on lanes as its types store them, in a frame of its own;
 * its result is extended to the register. */
static void cvt_wide(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u64)
	enum { TO = 0, FROM = 8 * LANES };
	u8 lanes[16 * LANES] __attribute__((aligned(64)));
	u32 *low = (u32 *)(lanes + FROM);
	const u64 *wide = exec_at(x, in->s[0]);
	struct exec inner = {.base = {lanes, x->base[1]}, .mask = FULL_MASK, .active = FULL_MASK, .out = x->out};
	struct inst narrow = *in;
	narrow.flags = fl & ~(u32)(IF_WIDE_SRC | IF_WIDE_DST);
	narrow.d[0] = TO;
	narrow.s[0] = in->s[0] & OPND_POOL ? in->s[0] : FROM;
	if (fl & IF_WIDE_SRC)
		FOR_LANES low[i] = (u32)wide[i];
	else if (narrow.s[0] == FROM)
		__builtin_memcpy(low, wide, ptype_bytes(in->stype) == 8 ? 8 * LANES : 4 * LANES);
	conversion_for(in)(&inner, &narrow);
	const u32 *r32 = (const u32 *)(lanes + TO);
	const u64 *r64 = (const u64 *)(lanes + TO);
	const bool sign = ptype_is_signed(in->type) && is_int(in->type);
	if (ptype_bytes(in->type) == 8) {
		LANE_LOOPS(u64, false, , r64[i])
	} else if (fl & IF_WIDE_DST) {
		LANE_LOOPS(u64, false, , sign ? (u64)(s64)(s32)r32[i] : r32[i])
	} else {
		u32 *d32 = (u32 *)d;
		FOR_LANES d32[i] = (m >> i & 1) ? r32[i] : d32[i];
	}
}

exec_fn LEVEL_NAME(exec_cvt)(const struct inst *in)
{
	if (in->op != OP_CVT || !has_opnds(in, 1, 1) || !rounding_ok(in))
		return NULL;
	if (in->flags & (IF_RELU | IF_SATFINITE) || in->mode || in->s[1] != OPND_NONE)
		return NULL; /* see exec_pair.c */
	const exec_fn fn = conversion_for(in);
	return fn && in->flags & (IF_WIDE_SRC | IF_WIDE_DST) ? cvt_wide : fn;
}
