/* Comparisons: setp and set for every type and relation. */
#include "front/ptx/runtime/fp.h"
#include "front/ptx/executor/simd.h"

/* cmp_REL_TYPE: one bit per lane. */
typedef u32 (*cmp_fn)(const void *a, const void *b);
#define CMP(REL, K, ST, LOAD, EXPR)                                                                                    \
	static inline u32 cmp_##REL##_##K(const void *va, const void *vb)                                                  \
	{                                                                                                                  \
		const ST *pa = va, *pb = vb;                                                                                   \
		u32 bits = 0;                                                                                                  \
		for (u32 i = 0; i < LANES; i++) {                                                                              \
			const __typeof__(LOAD(pa[i])) a = LOAD(pa[i]), b = LOAD(pb[i]);                                            \
			bits |= (u32)(EXPR) << i;                                                                                  \
		}                                                                                                              \
		return bits;                                                                                                   \
	}                                                                                                                  \
	static void setp_##REL##_##K(void *ctx, const struct inst *in)                                                     \
	{                                                                                                                  \
		struct exec *x = ctx;                                                                                          \
		setp_finish(x, in, cmp_##REL##_##K(exec_at(x, in->s[0]), exec_at(x, in->s[1])));                               \
	}

/* p = (a rel b) op c; q = !(a rel b) op c. */
static inline u32 combine(u8 op, u32 t, u32 c)
{
	return op == BOOL_AND ? t & c : op == BOOL_OR ? t | c : op == BOOL_XOR ? t ^ c : t;
}
static inline u32 third_pred(const struct exec *x, const struct inst *in)
{
	if (in->boolop == BOOL_NONE)
		return 0;
	return read_pred(x, in->s[2]) ^ (in->flags & IF_NEG_PRED ? ~0u : 0);
}
static inline void setp_finish(struct exec *x, const struct inst *in, u32 bits)
{
	const u32 c = third_pred(x, in);
	write_pred(x, in->d[0], combine(in->boolop, bits, c));
	write_pred(x, in->d[1], combine(in->boolop, ~bits, c));
}

#define AS_U16(v) ((u16)(v))
#define AS_S16(v) ((s16)(v))
#define AS_IS(v) (v)
#define AS_FTZ(v) flush_f32(v, true)
#define AS_F16(v) f16_to_f32((u16)(v))
#define AS_BF16(v) bf16_to_f32((u16)(v))
#define CMP_ORDER(K, ST, LOAD)                                                                                         \
	CMP(lt, K, ST, LOAD, a < b) CMP(le, K, ST, LOAD, a <= b) CMP(gt, K, ST, LOAD, a > b) CMP(ge, K, ST, LOAD, a >= b)
#define CMP_EQUAL(K, ST, LOAD) CMP(eq, K, ST, LOAD, a == b) CMP(ne, K, ST, LOAD, a != b)
#define CMP_FLOAT(K, ST, LOAD)                                                                                         \
	CMP_ORDER(K, ST, LOAD)                                                                                             \
	CMP(eq, K, ST, LOAD, a == b)                                                                                       \
	CMP(ne, K, ST, LOAD, (a < b) | (a > b))                                                                            \
	CMP(equ, K, ST, LOAD, !((a < b) | (a > b)))                                                                        \
	CMP(neu, K, ST, LOAD, a != b)                                                                                      \
	CMP(ltu, K, ST, LOAD, !(a >= b))                                                                                   \
	CMP(leu, K, ST, LOAD, !(a > b))                                                                                    \
	CMP(gtu, K, ST, LOAD, !(a <= b))                                                                                   \
	CMP(geu, K, ST, LOAD, !(a < b))                                                                                    \
	CMP(num, K, ST, LOAD, (a == a) & (b == b))                                                                         \
	CMP(nan, K, ST, LOAD, (a != a) | (b != b))
CMP_EQUAL(u16, u32, AS_U16)
CMP_EQUAL(u32, u32, AS_IS)
CMP_EQUAL(u64, u64, AS_IS)
CMP_ORDER(u16, u32, AS_U16)
CMP_ORDER(u32, u32, AS_IS)
CMP_ORDER(u64, u64, AS_IS)
CMP_ORDER(s16, u32, AS_S16)
CMP_ORDER(s32, s32, AS_IS)
CMP_ORDER(s64, s64, AS_IS)
CMP_FLOAT(f32, float, AS_IS)
CMP_FLOAT(ftz, float, AS_FTZ)
CMP_FLOAT(f64, double, AS_IS)
CMP_FLOAT(f16, u32, AS_F16)
CMP_FLOAT(bf16, u32, AS_BF16)

struct relation {
	cmp_fn bits;
	exec_fn setp;
};
#define REL(REL, K)                                                                                                    \
	{                                                                                                                  \
		cmp_##REL##_##K, setp_##REL##_##K                                                                              \
	}
#define REL_INT(E, K)                                                                                                  \
	{                                                                                                                  \
		[CMP_EQ] = REL(eq, E), [CMP_NE] = REL(ne, E), [CMP_LT] = REL(lt, K), [CMP_LE] = REL(le, K),                    \
		[CMP_GT] = REL(gt, K), [CMP_GE] = REL(ge, K), [CMP_LO] = REL(lt, E), [CMP_LS] = REL(le, E),                    \
		[CMP_HI] = REL(gt, E), [CMP_HS] = REL(ge, E)                                                                   \
	}
#define REL_BITS(E)                                                                                                    \
	{                                                                                                                  \
		[CMP_EQ] = REL(eq, E), [CMP_NE] = REL(ne, E)                                                                   \
	}
#define REL_FLOAT(K)                                                                                                   \
	{                                                                                                                  \
		[CMP_EQ] = REL(eq, K), [CMP_NE] = REL(ne, K), [CMP_LT] = REL(lt, K), [CMP_LE] = REL(le, K),                    \
		[CMP_GT] = REL(gt, K), [CMP_GE] = REL(ge, K), [CMP_EQU] = REL(equ, K), [CMP_NEU] = REL(neu, K),                \
		[CMP_LTU] = REL(ltu, K), [CMP_LEU] = REL(leu, K), [CMP_GTU] = REL(gtu, K), [CMP_GEU] = REL(geu, K),            \
		[CMP_NUM] = REL(num, K), [CMP_NAN] = REL(nan, K)                                                               \
	}
static const struct relation relations[T_COUNT][CMP_NAN + 1] = {
    [T_B16] = REL_BITS(u16),     [T_B32] = REL_BITS(u32),     [T_B64] = REL_BITS(u64),     [T_U16] = REL_INT(u16, u16),
    [T_U32] = REL_INT(u32, u32), [T_U64] = REL_INT(u64, u64), [T_S16] = REL_INT(u16, s16), [T_S32] = REL_INT(u32, s32),
    [T_S64] = REL_INT(u64, s64), [T_F32] = REL_FLOAT(f32),    [T_F64] = REL_FLOAT(f64),    [T_F16] = REL_FLOAT(f16),
    [T_BF16] = REL_FLOAT(bf16)};
static const struct relation flushed[CMP_NAN + 1] = REL_FLOAT(ftz);

static const struct relation *relation_for(const struct inst *in, u8 type)
{
	if (in->cmp > CMP_NAN)
		return NULL;
	return type == T_F32 && in->flags & IF_FTZ ? &flushed[in->cmp] : &relations[type][in->cmp];
}

/* One half of f16x2 or bf16x2, or f16 with .ftz: the relation on lanes of their own. */
static bool is_pair(u8 t)
{
	return t == T_F16X2 || t == T_BF16X2;
}
static u8 half_type(u8 t)
{
	return t == T_F16X2 ? T_F16 : t == T_BF16X2 ? T_BF16 : t;
}
static void half_lanes(const struct exec *x, const struct inst *in, opnd at, u32 shift, u32 out[LANES])
{
	const u32 *p = exec_at(x, at);
	const bool flush = in->flags & IF_FTZ;
	FOR_LANES
	{
		const u32 h = p[i] >> shift & 0xffff;
		out[i] = flush && !(h & 0x7c00) ? h & 0x8000 : h;
	}
}
static u32 half_bits(const struct exec *x, const struct inst *in, u8 type, u32 shift)
{
	u32 a[LANES], b[LANES];
	half_lanes(x, in, in->s[0], shift, a);
	half_lanes(x, in, in->s[1], shift, b);
	return relations[half_type(type)][in->cmp].bits(a, b);
}
static void setp_half(void *ctx, const struct inst *in)
{
	setp_finish(ctx, in, half_bits(ctx, in, in->type, 0));
}
/* p for the lower halves, q for the upper ones. */
static void setp_pair(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const u32 lo = half_bits(x, in, in->type, 0), hi = half_bits(x, in, in->type, 16), c = third_pred(x, in);
	write_pred(x, in->d[0], combine(in->boolop, lo, c));
	write_pred(x, in->d[1], combine(in->boolop, hi, c));
}

/* set: all ones (or 1 for a float) where true. in->stype is the type compared. */
static u32 set_value(u8 type)
{
	switch (type) {
	case T_F32: return bits_f32(1.0f);
	case T_F16:
	case T_F16X2: return 0x3c00;
	case T_BF16:
	case T_BF16X2: return 0x3f80;
	case T_U16:
	case T_S16: return 0xffff;
	default: return ~0u;
	}
}
static void set_u32(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u32)
	const u32 bits = relation_for(in, in->stype)->bits(exec_at(x, in->s[0]), exec_at(x, in->s[1]));
	const u32 r = combine(in->boolop, bits, third_pred(x, in)), value = set_value(in->type);
	LANE_LOOPS(u32, true, , (r >> i & 1) ? value : 0)
}
static void set_half(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u32)
	const u32 r = combine(in->boolop, half_bits(x, in, in->stype, 0), third_pred(x, in)), value = set_value(in->type);
	LANE_LOOPS(u32, true, , (r >> i & 1) ? value : 0)
}
static void set_pair(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u32)
	const u32 c = third_pred(x, in), value = set_value(in->type) & 0xffff;
	const u32 lo = combine(in->boolop, half_bits(x, in, in->stype, 0), c);
	const u32 hi = combine(in->boolop, half_bits(x, in, in->stype, 16), c);
	LANE_LOOPS(u32, true, , ((lo >> i & 1) ? value : 0) | ((hi >> i & 1) ? value << 16 : 0))
}

static bool no_ftz(u8 type) /* has only one way to compare: .ftz is an error there */
{
	return type == T_BF16 || type == T_BF16X2;
}
static exec_fn setp_for(const struct inst *in)
{
	const u8 half = half_type(in->type);
	const bool ftz = in->flags & IF_FTZ;
	if (in->cmp > CMP_NAN || (ftz && no_ftz(in->type)))
		return NULL;
	if (half != in->type || (ftz && half == T_F16))
		return relations[half][in->cmp].bits ? (is_pair(in->type) ? setp_pair : setp_half) : NULL;
	return relation_for(in, in->type)->setp;
}
static exec_fn set_for(const struct inst *in)
{
	const u8 d = in->type, half = half_type(in->stype);
	const bool word = d == T_U32 || d == T_S32 || d == T_B32, is_half = half == T_F16 || half == T_BF16;
	if (in->d[0] == OPND_NONE || in->cmp > CMP_NAN || !relations[half][in->cmp].bits)
		return NULL;
	if (in->flags & IF_FTZ && no_ftz(in->stype))
		return NULL;
	if (is_pair(in->stype))
		return d == in->stype || word ? set_pair : NULL;
	if (is_half && in->flags & IF_FTZ)
		return word || d == T_F16 || d == T_U16 || d == T_S16 ? set_half : NULL;
	if (d == T_U16 || d == T_S16)
		return is_half ? set_u32 : NULL;
	return word || d == T_F32 || d == T_F16 || d == T_BF16 ? set_u32 : NULL;
}

exec_fn LEVEL_NAME(exec_setp)(const struct inst *in)
{
	if ((in->op != OP_SETP && in->op != OP_SET) || !has_opnds(in, 0, in->boolop == BOOL_NONE ? 2 : 3))
		return NULL;
	return in->op == OP_SETP ? setp_for(in) : set_for(in);
}
