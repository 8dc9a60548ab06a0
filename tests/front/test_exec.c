/* Conformance of the execution functions against plain C written apart from them: integers, bits, floats, comparisons,
 * conversions. */
#include "tests/rig/exec_rig.h"

/* --- integers ----------------------------------------------------------------------------------------------------- */
static const u8 int_types[] = {T_U16, T_S16, T_U32, T_S32, T_U64, T_S64};
static u64 clip(s128 v, u8 t)
{
	const u32 w = width(t);
	const s128 lo = ptype_is_signed(t) ? -((s128)1 << (w - 1)) : 0,
	           hi = ((s128)1 << (ptype_is_signed(t) ? w - 1 : w)) - 1;
	return (u64)(v < lo ? lo : v > hi ? hi : v);
}
static u64 product(const struct inst *in, u64 a, u64 b)
{
	const s128 p = (s128)((u128)number(a, in->type) * (u128)number(b, in->type));
	const u128 wide = (u128)p;
	if (in->mode == MUL_HI && width(in->type) == 64 && !ptype_is_signed(in->type))
		return (u64)((u128)a * b >> 64);
	return (u64)(in->mode == MUL_HI ? (u128)(p >> width(in->type)) : wide);
}
static u64 ref_int(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	const u8 t = in->type;
	const s128 x = number(a, t), y = number(b, t);
	switch (in->op) {
	case OP_ADD: return in->flags & IF_SAT ? clip(x + y, t) : (u64)(x + y);
	case OP_SUB: return in->flags & IF_SAT ? clip(x - y, t) : (u64)(x - y);
	case OP_MUL: return product(in, a, b);
	case OP_MAD: return product(in, a, b) + c;
	case OP_DIV: return y == 0 ? ~0ull : (u64)(x / y);
	case OP_REM: return y == 0 ? a : (u64)(x % y);
	case OP_MIN: return (u64)(x < y ? x : y);
	case OP_MAX: return (u64)(x > y ? x : y);
	case OP_SAD: return (u64)(x > y ? x - y : y - x) + c;
	case OP_NEG: return (u64)-x;
	case OP_ABS: return (u64)(x < 0 ? -x : x);
	case OP_AND: return a & b;
	case OP_OR: return a | b;
	case OP_XOR: return a ^ b;
	case OP_NOT: return ~a;
	case OP_CNOT: return a == 0;
	case OP_SHL: return b >= width(t) ? 0 : a << b;
	case OP_SHR: return (u64)(x >> (b >= width(t) ? (ptype_is_signed(t) ? width(t) - 1 : 64) : b));
	default: return a;
	}
}
static void test_integers(void **state)
{
	static const u8 two[] = {OP_ADD, OP_SUB, OP_MIN, OP_MAX, OP_DIV, OP_REM}, logic[] = {OP_AND, OP_OR, OP_XOR};
	for (u32 k = 0; k < ARRAY_LEN(int_types); k++) {
		const u8 t = int_types[k];
		for (u32 o = 0; o < ARRAY_LEN(two); o++)
			conform(make(two[o], t, 0, (struct shape){t, {t, t}}), (struct shape){t, {t, t}}, ref_int);
		conform(make(OP_SAD, t, 0, (struct shape){t, {t, t, t}}), (struct shape){t, {t, t, t}}, ref_int);
		for (u32 mode = MUL_LO; mode <= MUL_WIDE; mode++) {
			static const u8 wider[T_COUNT] = {[T_U16] = T_U32, [T_S16] = T_S32, [T_U32] = T_U64, [T_S32] = T_S64};
			const u8 d = mode == MUL_WIDE ? wider[t] : t;
			if (!d)
				continue;
			struct inst mul = make(OP_MUL, t, 0, (struct shape){d, {t, t}}),
			            mad = make(OP_MAD, t, 0, (struct shape){d, {t, t, d}});
			mul.mode = mad.mode = (u8)mode;
			conform(mul, (struct shape){d, {t, t}}, ref_int);
			conform(mad, (struct shape){d, {t, t, d}}, ref_int);
		}
		if (ptype_is_signed(t)) {
			conform(make(OP_NEG, t, 0, (struct shape){t, {t}}), (struct shape){t, {t}}, ref_int);
			conform(make(OP_ABS, t, 0, (struct shape){t, {t}}), (struct shape){t, {t}}, ref_int);
		}
		conform(make(OP_SHR, t, 0, (struct shape){t, {t, T_U32}}), (struct shape){t, {t, T_U32}}, ref_int);
	}
	for (u8 t = T_B16; t <= T_B64; t++) {
		for (u32 o = 0; o < ARRAY_LEN(logic); o++)
			conform(make(logic[o], t, 0, (struct shape){t, {t, t}}), (struct shape){t, {t, t}}, ref_int);
		conform(make(OP_NOT, t, 0, (struct shape){t, {t}}), (struct shape){t, {t}}, ref_int);
		conform(make(OP_CNOT, t, 0, (struct shape){t, {t}}), (struct shape){t, {t}}, ref_int);
		conform(make(OP_MOV, t, 0, (struct shape){t, {t}}), (struct shape){t, {t}}, ref_int);
		conform(make(OP_SHL, t, 0, (struct shape){t, {t, T_U32}}), (struct shape){t, {t, T_U32}}, ref_int);
	}
	for (u32 o = 0; o < ARRAY_LEN(logic); o++)
		conform(make(logic[o], T_PRED, 0, (struct shape){T_PRED, {T_PRED, T_PRED}}),
		        (struct shape){T_PRED, {T_PRED, T_PRED}}, ref_int);
	struct inst sat = make(OP_ADD, T_S32, 0, (struct shape){T_S32, {T_S32, T_S32}});
	sat.flags = IF_SAT;
	conform(sat, (struct shape){T_S32, {T_S32, T_S32}}, ref_int);
	sat.op = OP_SUB;
	conform(sat, (struct shape){T_S32, {T_S32, T_S32}}, ref_int);
}

/* --- bit twiddling, one bit at a time ----------------------------------------------------------------------------- */
static u64 bit(u64 v, s32 i)
{
	return i >= 0 && i < 64 ? v >> i & 1 : 0;
}
static u64 ref_bits(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	const s32 w = (s32)width(in->type);
	const bool sign = ptype_is_signed(in->type);
	u64 r = 0;
	switch (in->op) {
	case OP_BREV:
		for (s32 i = 0; i < w; i++)
			r |= bit(a, i) << (w - 1 - i);
		return r;
	case OP_POPC:
		for (s32 i = 0; i < w; i++)
			r += bit(a, i);
		return r;
	case OP_CLZ:
		while ((s32)r < w && !bit(a, w - 1 - (s32)r))
			r++;
		return r;
	case OP_BFIND: {
		s32 i = w - 1;
		while (i >= 0 && bit(a, i) == (sign ? bit(a, w - 1) : 0))
			i--;
		return i < 0 ? ~0ull : in->flags & IF_SHIFTAMT ? (u64)(w - 1 - i) : (u64)i;
	}
	case OP_BFE: { /* the pseudo code of the PTX manual */
		const s32 pos = b & 255, len = c & 255, top = pos + len - 1 < w - 1 ? pos + len - 1 : w - 1;
		const u64 fill_bit = !sign || len == 0 ? 0 : bit(a, top);
		for (s32 i = 0; i < w; i++)
			r |= (i < len && pos + i < w ? bit(a, pos + i) : fill_bit) << i;
		return r;
	}
	case OP_BFI: {
		const s32 pos = c & 255, len = d & 255;
		r = b;
		for (s32 i = 0; i < len && pos + i < w; i++)
			r = (r & ~(1ull << (pos + i))) | bit(a, i) << (pos + i);
		return r;
	}
	case OP_LOP3:
		for (s32 i = 0; i < 32; i++)
			r |= bit(in->mode, (s32)(bit(a, i) * 4 + bit(b, i) * 2 + bit(c, i))) << i;
		return r;
	case OP_SHF: {
		const u64 whole = b << 32 | a;
		const u32 n = in->flags & IF_WRAP ? c & 31 : c > 32 ? 32 : (u32)c;
		return in->flags & IF_RIGHT ? whole >> n : whole << n >> 32;
	}
	case OP_PRMT: {
		u8 bytes[8];
		memcpy(bytes, &a, 4);
		memcpy(bytes + 4, &b, 4);
		for (u32 k = 0; k < 4; k++) {
			static const s8 order[7][4] = {{0}, {0, 1, 2, 3}, {0, -1, -2, -3}, {0, 0, 0, 0}, {0}, {0}, {0}};
			const u32 n = c & 3;
			u32 sel = c >> 4 * k & 15;
			switch (in->mode) {
			case 1:
			case 2:
			case 3: sel = (u32)(n + order[in->mode][k]) & 7; break;
			case 4: sel = MAX(n, k); break;
			case 5: sel = MIN(n, k); break;
			case 6: sel = (k & 1) + (n & 1 ? 2 : 0); break;
			default: break;
			}
			r |= (u64)(in->mode == 0 && sel & 8 ? (bytes[sel & 7] & 128 ? 255 : 0) : bytes[sel & 7]) << 8 * k;
		}
		return r;
	}
	default: return 0;
	}
}
static void test_bits(void **state)
{
	for (u8 k = 0; k < 2; k++) {
		const u8 b = k ? T_B64 : T_B32, u = k ? T_U64 : T_U32, s = k ? T_S64 : T_S32, w = T_U32;
		conform(make(OP_BREV, b, 0, (struct shape){b, {b}}), (struct shape){b, {b}}, ref_bits);
		conform(make(OP_POPC, b, 0, (struct shape){w, {b}}), (struct shape){w, {b}}, ref_bits);
		conform(make(OP_CLZ, b, 0, (struct shape){w, {b}}), (struct shape){w, {b}}, ref_bits);
		for (u32 amount = 0; amount < 2; amount++) {
			struct inst fu = make(OP_BFIND, u, 0, (struct shape){w, {u}}),
			            fs = make(OP_BFIND, s, 0, (struct shape){w, {s}});
			fu.flags = fs.flags = amount ? IF_SHIFTAMT : 0;
			conform(fu, (struct shape){w, {u}}, ref_bits);
			conform(fs, (struct shape){w, {s}}, ref_bits);
		}
		conform(make(OP_BFE, u, 0, (struct shape){u, {u, w, w}}), (struct shape){u, {u, w, w}}, ref_bits);
		conform(make(OP_BFE, s, 0, (struct shape){s, {s, w, w}}), (struct shape){s, {s, w, w}}, ref_bits);
		conform(make(OP_BFI, b, 0, (struct shape){b, {b, b, w, w}}), (struct shape){b, {b, b, w, w}}, ref_bits);
	}
	const struct shape three = {T_B32, {T_B32, T_B32, T_B32}};
	for (u32 lut = 0; lut < 256; lut += 15) {
		struct inst in = make(OP_LOP3, T_B32, 0, three);
		in.mode = (u8)lut;
		conform(in, three, ref_bits);
	}
	for (u32 i = 0; i < 4; i++) {
		struct inst in = make(OP_SHF, T_B32, 0, three);
		in.flags = (i & 1 ? IF_WRAP : 0) | (i & 2 ? IF_RIGHT : 0);
		conform(in, three, ref_bits);
	}
	for (u8 mode = 0; mode < 7; mode++) {
		struct inst in = make(OP_PRMT, T_B32, 0, three);
		in.mode = mode;
		conform(in, three, ref_bits);
	}
}

/* --- floats ------------------------------------------------------------------------------------------------------- */
static double pick_minmax(double a, double b, bool max, bool nan)
{
	if (isnan(a) || isnan(b))
		return nan || (isnan(a) && isnan(b)) ? NAN : isnan(a) ? b : a;
	if (a == b)
		return signbit(a) == (max ? 0 : 1) ? a : b;
	return (a < b) != max ? a : b;
}
static u64 ref_f32(const struct inst *in, u64 ua, u64 ub, u64 uc, u64 ud)
{
	const float a = in_f32(in, ua), b = in_f32(in, ub), c = in_f32(in, uc);
	switch (in->op) {
	case OP_ADD: return out_f32(in, a + b);
	case OP_SUB: return out_f32(in, a - b);
	case OP_MUL: return out_f32(in, a * b);
	case OP_FMA:
	case OP_MAD: return out_f32(in, fmaf(a, b, c));
	case OP_DIV: return out_f32(in, a / b);
	case OP_RCP: return out_f32(in, 1.0f / a);
	case OP_SQRT: return out_f32(in, sqrtf(a));
	case OP_MIN: return out_f32(in, (float)pick_minmax(a, b, false, in->flags & IF_NAN));
	case OP_MAX: return out_f32(in, (float)pick_minmax(a, b, true, in->flags & IF_NAN));
	case OP_ABS: return bits_f32(a) & 0x7fffffff;
	case OP_NEG: return bits_f32(a) ^ 0x80000000;
	default: return (ub & 0x7fffffff) | (ua & 0x80000000);
	}
}
static u64 ref_f64(const struct inst *in, u64 ua, u64 ub, u64 uc, u64 ud)
{
	const double a = f64_bits(ua), b = f64_bits(ub), c = f64_bits(uc);
	switch (in->op) {
	case OP_ADD: return out_f64(in, a + b);
	case OP_SUB: return out_f64(in, a - b);
	case OP_MUL: return out_f64(in, a * b);
	case OP_FMA:
	case OP_MAD: return out_f64(in, fma(a, b, c));
	case OP_DIV: return out_f64(in, a / b);
	case OP_RCP: return out_f64(in, 1.0 / a);
	case OP_SQRT: return out_f64(in, sqrt(a));
	case OP_MIN: return out_f64(in, pick_minmax(a, b, false, in->flags & IF_NAN));
	case OP_MAX: return out_f64(in, pick_minmax(a, b, true, in->flags & IF_NAN));
	case OP_ABS: return ua & INT64_MAX;
	case OP_NEG: return ua ^ (1ull << 63);
	default: return (ub & INT64_MAX) | (ua & (1ull << 63));
	}
}
static void test_floats(void **state)
{
	static const struct {
		u8 op, n;
		u32 flags;
	} ops[] = {{OP_ADD, 2, IF_FTZ | IF_SAT}, {OP_SUB, 2, IF_FTZ | IF_SAT}, {OP_MUL, 2, IF_FTZ | IF_SAT},
	           {OP_FMA, 3, IF_FTZ | IF_SAT}, {OP_MAD, 3, IF_FTZ | IF_SAT}, {OP_DIV, 2, IF_FTZ},
	           {OP_RCP, 1, IF_FTZ},          {OP_SQRT, 1, IF_FTZ},         {OP_MIN, 2, IF_FTZ | IF_NAN},
	           {OP_MAX, 2, IF_FTZ | IF_NAN}, {OP_ABS, 1, IF_FTZ},          {OP_NEG, 1, IF_FTZ},
	           {OP_COPYSIGN, 2, 0}};
	for (u32 o = 0; o < ARRAY_LEN(ops); o++)
		for (u32 flags = 0; flags <= (IF_FTZ | IF_SAT | IF_NAN); flags++) {
			if (flags & ~ops[o].flags)
				continue;
			for (u32 w = 0; w < 2; w++) {
				const u8 t = w ? T_F64 : T_F32;
				struct shape sh = {t, {t, ops[o].n > 1 ? t : 0, ops[o].n > 2 ? t : 0}};
				struct inst in = make(ops[o].op, t, 0, sh);
				in.flags = flags;
				if (w && flags & IF_FTZ)
					continue;
				conform(in, sh, w ? ref_f64 : ref_f32);
			}
		}
}

/* Directed rounding: the result is the representable number next to the exact one on the side asked for. Operands with
 * near exponents make the exact value fit 113 bits. */
static __float128 exact_arith(u8 op, __float128 a, __float128 b, __float128 c)
{
	return op == OP_ADD ? a + b : op == OP_SUB ? a - b : op == OP_MUL ? a * b : op == OP_DIV ? a / b : a * b + c;
}
static __float128 value_of(opnd at, u8 t, u32 i)
{
	const u64 v = get(at, t, i);
	return t == T_F32 ? (__float128)f32_bits((u32)v) : t == T_F64 ? (__float128)f64_bits(v) : (__float128)number(v, t);
}
static void check_directed(const struct inst *in, __float128 exact, u32 i)
{
	const bool down = in->round == RND_RM || (in->round == RND_RZ && exact > 0), wide = in->type == T_F64;
	const double toward = down ? INFINITY : -INFINITY;
	const __float128 r = value_of(R_D, in->type, i);
	const __float128 beyond =
	    wide ? (__float128)nextafter((double)r, toward) : (__float128)nextafterf((float)r, (float)toward);
	if (r != exact && !(down ? r < exact && beyond > exact : r > exact && beyond < exact))
		fail_msg("%s: %a is not next to %a", describe(in, LEVEL_BASE), (double)r, (double)exact);
	checks++;
}
static void test_directed(void **state)
{
	static const u8 ops[] = {OP_ADD, OP_SUB, OP_MUL, OP_FMA, OP_DIV, OP_CVT}, from[] = {T_F64, T_S64, T_U64, T_S32};
	struct dyninst out;
	for (u32 l = 0; l <= (u32)exec_best_level(); l++)
		for (u32 k = 0; k < ARRAY_LEN(ops) * 6 * 40; k++) {
			const u8 op = ops[k % ARRAY_LEN(ops)], t = k / (3 * ARRAY_LEN(ops)) & 1 ? T_F64 : T_F32;
			const u8 s = op == OP_CVT ? from[t == T_F64 ? 1 + k % 2 : rng_next(&seed) % 4] : t;
			struct inst in = make(op, t, s, (struct shape){t, {s, op == OP_CVT ? 0 : t, op == OP_FMA ? t : 0}});
			struct exec x = {.base = {frame, NULL}, .mask = FULL_MASK, .out = &out};
			in.round = (u8)(RND_RZ + k / ARRAY_LEN(ops) % 3);
			for (u32 i = 0; i < LANES * 3; i++) {
				const double v = (double)(s64)rng_next(&seed) * 0x1p-61;
				const u8 st = i < LANES ? s : t;
				put((opnd[]){R_A, R_B, R_C}[i / LANES], st, i % LANES,
				    st == T_F32   ? bits_f32((float)v)
				    : st == T_F64 ? bits_f64(v)
				                  : rng_next(&seed));
			}
			assert_true(exec_resolve_level(&in, l));
			in.exec(&x, &in);
			for (u32 i = 0; i < LANES; i++)
				check_directed(&in,
				               op == OP_CVT
				                   ? value_of(R_A, s, i)
				                   : exact_arith(op, value_of(R_A, t, i), value_of(R_B, t, i), value_of(R_C, t, i)),
				               i);
		}
}

/* --- comparisons, selections, conversions ------------------------------------------------------------------------- */
static bool compare(double a, double b, s128 x, s128 y, bool fp, u8 cmp)
{
	const bool un = fp && (isnan(a) || isnan(b)), lt = fp ? a < b : x < y, eq = fp ? a == b : x == y;
	switch (cmp) {
	case CMP_EQ: return !un && eq;
	case CMP_NE: return !un && !eq;
	case CMP_LT:
	case CMP_LO: return !un && lt;
	case CMP_LE:
	case CMP_LS: return !un && (lt || eq);
	case CMP_GT:
	case CMP_HI: return !un && !lt && !eq;
	case CMP_GE:
	case CMP_HS: return !un && !lt;
	case CMP_EQU: return un || eq;
	case CMP_NEU: return un || !eq;
	case CMP_LTU: return un || lt;
	case CMP_LEU: return un || lt || eq;
	case CMP_GTU: return un || (!lt && !eq);
	case CMP_GEU: return un || !lt;
	case CMP_NUM: return !un;
	default: return un;
	}
}
static u64 ref_setp(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	const u8 t = in->op == OP_SET ? in->stype : in->type;
	const bool fp = ptype_is_float(t);
	const double fa = t == T_F32 ? in_f32(in, a) : f64_bits(a), fb = t == T_F32 ? in_f32(in, b) : f64_bits(b);
	u64 r = compare(fa, fb, fp ? 0 : number(a, t), fp ? 0 : number(b, t), fp, in->cmp);
	const u64 p = c ^ (in->flags & IF_NEG_PRED ? 1 : 0);
	r = in->boolop == BOOL_AND ? r & p : in->boolop == BOOL_OR ? r | p : in->boolop == BOOL_XOR ? r ^ p : r;
	return in->op == OP_SETP ? r : !r ? 0 : in->type == T_F32 ? 0x3f800000 : 0xffffffff;
}
static void test_compare(void **state)
{
	static const u8 types[] = {T_U16, T_S16, T_U32, T_S32, T_U64, T_S64, T_F32, T_F64};
	for (u32 k = 0; k < ARRAY_LEN(types); k++)
		for (u8 cmp = 0; cmp <= CMP_NAN; cmp++) {
			const u8 t = types[k];
			const bool fp = ptype_is_float(t), high = cmp >= CMP_LO && cmp <= CMP_HS;
			if (fp ? high : cmp > CMP_HS || (high && ptype_is_signed(t)))
				continue;
			for (u8 op = BOOL_NONE; op <= BOOL_XOR; op++) {
				const u8 third = op ? T_PRED : 0;
				struct inst p = make(OP_SETP, t, 0, (struct shape){T_PRED, {t, t, third}}),
				            s = make(OP_SET, op & 1 ? T_F32 : T_U32, t, (struct shape){T_U32, {t, t, third}});
				p.cmp = s.cmp = cmp;
				p.boolop = s.boolop = op;
				p.flags = s.flags = (op == BOOL_OR ? IF_NEG_PRED : 0) | (t == T_F32 && op == BOOL_XOR ? IF_FTZ : 0);
				conform(p, (struct shape){T_PRED, {t, t, third}}, ref_setp);
				conform(s, (struct shape){T_U32, {t, t, third}}, ref_setp);
			}
		}
}
static u64 ref_select(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	if (in->op == OP_SELP)
		return c ? a : b;
	return in->stype == T_S32 ? ((s32)c >= 0 ? a : b) : f32_bits((u32)c) >= 0 ? a : b;
}
static void test_select(void **state)
{
	for (u8 t = T_B16; t <= T_B64; t++) {
		conform(make(OP_SELP, t, 0, (struct shape){t, {t, t, T_PRED}}), (struct shape){t, {t, t, T_PRED}}, ref_select);
		conform(make(OP_SLCT, t, T_S32, (struct shape){t, {t, t, T_S32}}), (struct shape){t, {t, t, T_S32}},
		        ref_select);
		conform(make(OP_SLCT, t, T_F32, (struct shape){t, {t, t, T_F32}}), (struct shape){t, {t, t, T_F32}},
		        ref_select);
	}
}
static u64 ref_cvt(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	const u8 t = in->type, s = in->stype;
	if (!ptype_is_float(s)) {
		const s128 x = number(a, s);
		if (t == T_F32)
			return out_f32(in, (float)x);
		if (t == T_F64)
			return out_f64(in, (double)x);
		return in->flags & IF_SAT ? clip(x, t) : (u64)x;
	}
	double v = s == T_F32 ? in_f32(in, a) : f64_bits(a);
	v = in->round == RND_RNI   ? nearbyint(v)
	    : in->round == RND_RZI ? trunc(v)
	    : in->round == RND_RMI ? floor(v)
	    : in->round == RND_RPI ? ceil(v)
	                           : v;
	if (t == T_F32)
		return out_f32(in, (float)v);
	if (t == T_F64 && s == T_F32 && isnan(v) && !(in->flags & IF_SAT)) /* sign and payload stay */
		return (a >> 31 & 1) << 63 | 0x7ff8000000000000 | (a & 0x7fffff) << 29;
	if (t == T_F64)
		return out_f64(in, v);
	if (isnan(v))
		return 0;
	return v >= 0x1p65 ? clip((s128)1 << 70, t) : v <= -0x1p65 ? clip(-((s128)1 << 70), t) : clip((s128)v, t);
}
static void test_convert(void **state)
{
	for (u8 s = T_U8; s <= T_F64; s++)
		for (u8 t = T_U8; t <= T_F64; t++) {
			if (s == T_F16 || s == T_F16X2 || t == T_F16 || t == T_F16X2)
				continue;
			const bool from = ptype_is_float(s), to = ptype_is_float(t);
			for (u8 r = from && !to ? RND_RNI : RND_NONE; r <= (from ? RND_RPI : RND_NONE);
			     r = r == RND_NONE ? RND_RNI : r + 1)
				for (u32 flags = 0; flags <= (IF_SAT | IF_FTZ); flags++) {
					if (flags & IF_FTZ && s != T_F32 && t != T_F32)
						continue;
					struct inst in = make(OP_CVT, t, s, (struct shape){t, {s}});
					in.round = r;
					in.flags = flags;
					conform(in, (struct shape){t, {s}}, ref_cvt);
				}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_integers), cmocka_unit_test(test_bits),    cmocka_unit_test(test_floats),
	    cmocka_unit_test(test_directed), cmocka_unit_test(test_compare), cmocka_unit_test(test_select),
	    cmocka_unit_test(test_convert),
	};
	const int bad = cmocka_run_group_tests(tests, NULL, NULL);
	printf("%llu results compared, best level %s\n", (unsigned long long)checks, exec_level_name(exec_best_level()));
	return bad;
}
