/* Conformance of the execution functions, second part: f16, approximations, carry chains, packed and 24-bit arithmetic,
 * refusals. */
#include "tests/rig/exec_rig.h"
#include "front/ptx/executor/video.h"

/* --- f16, by searching all 65,536 values for the nearest ---------------------------------------------------------- */
static double half_value(u32 h)
{
	const int e = h >> 10 & 31, m = h & 1023;
	const double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
	return h & 0x8000 ? -v : v;
}
static u32 half_nearest(double v)
{
	if (isnan(v))
		return 0x7fff;
	const u32 sign = signbit(v) ? 0x8000 : 0;
	const double x = fabs(v);
	if (x >= 65520)
		return sign | 0x7c00;
	u32 lo = 0, hi = 0x7bff;
	while (lo < hi) { /* the largest half not above x */
		const u32 mid = (lo + hi + 1) / 2;
		if (half_value(mid) <= x)
			lo = mid;
		else
			hi = mid - 1;
	}
	const double below = x - half_value(lo), above = (lo == 0x7bff ? 65536.0 : half_value(lo + 1)) - x;
	return sign | (above < below || (above == below && lo & 1) ? lo + 1 : lo);
}
static u32 half_arith(const struct inst *in, u32 a, u32 b, u32 c)
{
	const double x = half_value(a), y = half_value(b), z = half_value(c);
	switch (in->op) {
	case OP_ADD: return half_nearest(x + y);
	case OP_SUB: return half_nearest(x - y);
	case OP_MUL: return half_nearest(x * y);
	case OP_NEG: return a ^ 0x8000;
	case OP_ABS: return a & 0x7fff;
	case OP_MIN:
	case OP_MAX:
		if (isnan(x) || isnan(y))
			return in->flags & IF_NAN || (isnan(x) && isnan(y)) ? 0x7fff : isnan(x) ? b : a;
		if (x == 0 && y == 0)
			return in->op == OP_MIN ? a | b : a & b; /* -0 is less than +0 */
		return (x < y) == (in->op == OP_MIN) ? a : b;
	default: return half_nearest((double)((__float128)x * y + z));
	}
}
static u64 ref_half(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	if (in->op == OP_CVT)
		return in->type == T_F16 ? half_nearest(f32_bits((u32)a)) : out_f32(in, (float)half_value((u32)a & 0xffff));
	const u32 lo = half_arith(in, a & 0xffff, b & 0xffff, c & 0xffff);
	return in->type == T_F16 ? lo : lo | half_arith(in, (u32)a >> 16, (u32)b >> 16, (u32)c >> 16) << 16;
}
static void test_half(void **state)
{
	static const u8 ops[] = {OP_ADD, OP_SUB, OP_MUL, OP_FMA, OP_MIN, OP_MAX, OP_NEG, OP_ABS};
	for (u32 rounds = 0; rounds < 8; rounds++)
		for (u32 o = 0; o < ARRAY_LEN(ops); o++)
			for (u8 t = T_F16; t <= T_F16X2; t++) {
				const u8 third = ops[o] == OP_FMA ? t : 0;
				const u8 second = ops[o] == OP_NEG || ops[o] == OP_ABS ? 0 : t;
				struct inst in = make(ops[o], t, 0, (struct shape){t, {t, second, third}});
				in.flags = rounds & 1 && (ops[o] == OP_MIN || ops[o] == OP_MAX) ? IF_NAN : 0;
				conform(in, (struct shape){t, {t, second, third}}, ref_half);
			}
	for (u32 rounds = 0; rounds < 20; rounds++) {
		conform(make(OP_CVT, T_F16, T_F32, (struct shape){T_F16, {T_F32}}), (struct shape){T_F16, {T_F32}}, ref_half);
		conform(make(OP_CVT, T_F32, T_F16, (struct shape){T_F32, {T_F16}}), (struct shape){T_F32, {T_F16}}, ref_half);
	}
}

/* Comparisons of halves, NaNs and signed zeros included. */
static u64 ref_half_compare(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	const double x = half_value((u32)a), y = half_value((u32)b);
	switch (in->cmp) {
	case CMP_LT: return x < y;
	case CMP_GE: return x >= y;
	case CMP_EQ: return x == y;
	case CMP_NE: return x < y || x > y;
	case CMP_NEU: return x != y;
	case CMP_LEU: return !(x > y);
	case CMP_NUM: return !isnan(x) && !isnan(y);
	default: return isnan(x) || isnan(y);
	}
}
static void test_half_compare(void **state)
{
	static const u8 relations[] = {CMP_LT, CMP_GE, CMP_EQ, CMP_NE, CMP_NEU, CMP_LEU, CMP_NUM, CMP_NAN};
	const struct shape sh = {T_PRED, {T_F16, T_F16}};
	for (u32 rounds = 0; rounds < 8; rounds++)
		for (u32 k = 0; k < ARRAY_LEN(relations); k++) {
			struct inst in = make(OP_SETP, T_F16, 0, sh);
			in.cmp = relations[k];
			conform(in, sh, ref_half_compare);
		}
}

/* bf16 fma where the product lies half-way between two bf16 values and c, far below, decides. */
static void test_bf16_ties(void **state)
{
	static const struct {
		u16 a, b, c, want;
	} cases[] = {
	    {0x3f84, 0x3f80, 0x0000, 0x3f84}, /* 1.03125: exact */
	    {0x3fc0, 0x3f83, 0x0000, 0x3fc4}, /* 1.5 * (1 + 3/128) = 1.53515625, a tie: to even */
	    {0x3fc0, 0x3f83, 0x1000, 0x3fc5}, /* a little more than the tie */
	    {0x3fc0, 0x3f83, 0x9000, 0x3fc4}, /* less */
	    {0x3fc0, 0x3f81, 0x1000, 0x3fc2}, /* 1.51171875 is a tie between c1 and c2 */
	    {0x3fc0, 0x3f81, 0x9000, 0x3fc1}, {0x3fc0, 0x3f81, 0x0000, 0x3fc2},
	    {0xbfc0, 0x3f81, 0x1000, 0xbfc1},                                   /* the same, negative */
	    {0xbfc0, 0x3f81, 0x9000, 0xbfc2}, {0x7f80, 0x3f81, 0x1000, 0x7f80}, /* infinity */
	};
	struct dyninst out;
	for (u32 l = 0; l <= (u32)exec_best_level(); l++)
		for (u32 k = 0; k < ARRAY_LEN(cases); k++)
			for (u8 t = T_BF16; t <= T_BF16X2; t++) {
				const u32 both = t == T_BF16 ? 1 : 0x10001;
				struct inst in = make(OP_FMA, t, 0, (struct shape){t, {t, t, t}});
				struct exec x = {.base = {frame, NULL}, .mask = FULL_MASK, .out = &out};
				assert_true(exec_resolve_level(&in, l));
				put(R_A, T_B32, 7, cases[k].a * both);
				put(R_B, T_B32, 7, cases[k].b * both);
				put(R_C, T_B32, 7, cases[k].c * both);
				in.exec(&x, &in);
				if (get(R_D, T_B32, 7) != cases[k].want * both)
					fail_msg("case %u %s: %llx, want %x", k, describe(&in, l), (unsigned long long)get(R_D, T_B32, 7),
					         cases[k].want * both);
			}
}

/* --- approximations: within PTX's bounds of the library's double result ------------------------------------------- */
static double exact_special(u8 op, double a)
{
	switch (op) {
	case OP_EX2: return exp2(a);
	case OP_LG2: return log2(a);
	case OP_SIN: return sin(a);
	case OP_COS: return cos(a);
	case OP_TANH: return tanh(a);
	default: return 1 / sqrt(a);
	}
}
static void check_special(u8 op, float a, float r)
{
	const double want = exact_special(op, a);
	if (isnan(want)) {
		assert_int_equal(bits_f32(r), 0x7fffffff);
		return;
	}
	if (isinf((float)want) || want == 0 || fabs(want) < 0x1p-126) {
		assert_true(fabs((double)r - want) <= 0x1p-149 || r == (float)want);
		return;
	}
	const double bound = fabs(want) * 0x1p-23;
	if (fabs((double)r - want) > bound)
		fail_msg("%s(%a) = %a, want %a", opcode_descs[op].name, (double)a, (double)r, want);
	checks++;
}
static void test_special(void **state)
{
	static const u8 ops[] = {OP_EX2, OP_LG2, OP_SIN, OP_COS, OP_TANH, OP_RSQRT};
	struct dyninst out;
	for (u32 k = 0; k < ARRAY_LEN(ops) * 200; k++) {
		const u8 op = ops[k % ARRAY_LEN(ops)];
		u32 first[LANES];
		fill(R_A, T_F32);
		for (u32 i = 0; i < LANES; i++)
			if ((op == OP_SIN || op == OP_COS) && fabsf(f32_bits((u32)get(R_A, T_F32, i))) > 1e5f)
				put(R_A, T_F32, i, bits_f32((float)i * 0.37f - 5));
		for (u32 l = 0; l <= (u32)exec_best_level(); l++) {
			struct inst in = make(op, T_F32, 0, (struct shape){T_F32, {T_F32}});
			struct exec x = {.base = {frame, NULL}, .mask = FULL_MASK, .out = &out};
			in.flags = IF_APPROX;
			assert_true(exec_resolve_level(&in, l));
			in.exec(&x, &in);
			if (!l)
				memcpy(first, frame + R_D, sizeof(first));
			assert_memory_equal(first, frame + R_D, sizeof(first)); /* the same bits on every level */
		}
		for (u32 i = 0; i < LANES; i++)
			check_special(op, f32_bits((u32)get(R_A, T_F32, i)), f32_bits(first[i]));
	}
}

/* --- carry chains: 128-bit sums in four words --------------------------------------------------------------------- */
static void test_carry(void **state)
{
	struct dyninst out;
	for (u32 l = 0; l <= (u32)exec_best_level(); l++)
		for (u32 round = 0; round < 64; round++)
			for (u32 minus = 0; minus < 2; minus++) {
				const u32 mask = round & 1 ? (u32)rng_next(&seed) | 1 : FULL_MASK;
				struct exec x = {.base = {frame, NULL}, .mask = mask, .out = &out};
				u128 a[LANES] = {0}, b[LANES] = {0}, r[LANES] = {0};
				for (u32 w = 0; w < 4; w++) {
					struct inst in = make(w       ? (minus ? OP_SUBC : OP_ADDC)
					                      : minus ? OP_SUB
					                              : OP_ADD,
					                      T_U32, 0, (struct shape){T_U32, {T_U32, T_U32}});
					in.flags = IF_CC_OUT | (w ? IF_CC_IN : 0);
					in.d[3] = in.s[4] = R_P2;
					fill(R_A, T_U32);
					fill(R_B, T_U32);
					assert_true(exec_resolve_level(&in, l));
					in.exec(&x, &in);
					for (u32 i = 0; i < LANES; i++) {
						a[i] |= (u128)get(R_A, T_U32, i) << 32 * w;
						b[i] |= (u128)get(R_B, T_U32, i) << 32 * w;
						r[i] |= (u128)get(R_D, T_U32, i) << 32 * w;
					}
				}
				for (u32 i = 0; i < LANES; i++)
					if (mask >> i & 1)
						assert_true(r[i] == (minus ? a[i] - b[i] : a[i] + b[i]));
			}
}

/* One carry flag for both: a subtraction that borrows leaves it clear, and an addition takes it as it stands. */
static void test_carry_mixed(void **state)
{
	static const struct {
		u8 first, second;
		u32 a, b, want; /* the second: 100 + 0 or 100 - 0, with the first's flag */
	} cases[] = {
	    {OP_SUB, OP_ADDC, 5, 4, 101}, {OP_SUB, OP_ADDC, 4, 4, 101},   {OP_SUB, OP_ADDC, 3, 4, 100},
	    {OP_ADD, OP_SUBC, 5, 4, 99},  {OP_ADD, OP_SUBC, 1, ~0u, 100}, {OP_SUB, OP_SUBC, 3, 4, 99},
	    {OP_SUB, OP_SUBC, 5, 4, 100}, {OP_ADD, OP_ADDC, 1, ~0u, 101},
	};
	struct dyninst out;
	for (u32 k = 0; k < ARRAY_LEN(cases); k++)
		for (u32 l = 0; l <= (u32)exec_best_level(); l++) {
			struct exec x = {.base = {frame, NULL}, .mask = FULL_MASK, .out = &out};
			const struct shape sh = {T_U32, {T_U32, T_U32}};
			struct inst first = make(cases[k].first, T_U32, 0, sh), second = make(cases[k].second, T_U32, 0, sh);
			first.flags = IF_CC_OUT;
			second.flags = IF_CC_IN;
			first.d[3] = second.s[4] = R_P2;
			assert_true(exec_resolve_level(&first, l) && exec_resolve_level(&second, l));
			put(R_A, T_U32, 7, cases[k].a);
			put(R_B, T_U32, 7, cases[k].b);
			first.exec(&x, &first);
			put(R_A, T_U32, 7, 100);
			put(R_B, T_U32, 7, 0);
			second.exec(&x, &second);
			assert_int_equal(get(R_D, T_U32, 7), cases[k].want);
		}
}

/* --- 24-bit products, packed bytes, bit search, properties -------------------------------------------------------- */
static s64 part(u64 v, u32 k, u32 bits, bool sign)
{
	return sign ? sext(v >> bits * k, bits) : (s64)cut(v >> bits * k, bits);
}
static s64 byte_result(u8 op, s64 x, s64 y)
{
	return op == OP_VABSDIFF4 ? llabs(x - y)
	       : op == OP_VADD4   ? x + y
	       : op == OP_VSUB4   ? x - y
	       : op == OP_VMIN4   ? MIN(x, y)
	                          : MAX(x, y);
}
static u64 ref_misc(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	const bool sa = in->type == T_S32, sb = in->stype == T_S32;
	s64 sum = (s64)c;
	u64 packed = 0;
	switch (in->op) {
	case OP_MUL24:
	case OP_MAD24: {
		const s64 p = part(a, 0, 24, sa) * part(b, 0, 24, sa), add = in->op == OP_MAD24 ? (s64)c : 0;
		return (u64)((in->mode == MUL_HI ? p >> 16 : p) + add);
	}
	case OP_DP4A:
		for (u32 k = 0; k < 4; k++)
			sum += part(a, k, 8, sa) * part(b, k, 8, sb);
		return (u64)sum;
	case OP_DP2A:
		for (u32 k = 0; k < 2; k++)
			sum += part(a, k, 16, sa) * part(b, k + (in->mode ? 2 : 0), 8, sb);
		return (u64)sum;
	case OP_FNS: {
		u32 found[32], n = 0;
		const s32 want = (s32)c;
		if (b > 31)
			return ~0ull;
		for (s32 i = (s32)b; want < 0 ? i >= 0 : i < 32; i += want < 0 ? -1 : 1)
			if (a >> i & 1)
				found[n++] = (u32)i;
		if (!want)
			return a >> b & 1 ? b : ~0ull;
		const u64 nth = (u64)llabs((s64)want);
		return nth <= n ? found[nth - 1] : ~0ull;
	}
	case OP_TESTP: {
		const int class = in->type == T_F32 ? fpclassify(f32_bits((u32)a)) : fpclassify(f64_bits(a));
		const bool finite = class != FP_NAN && class != FP_INFINITE;
		const bool is[] = {finite,          class == FP_INFINITE, class != FP_NAN,
		                   class == FP_NAN, class == FP_NORMAL,   class == FP_SUBNORMAL};
		return is[in->mode];
	}
	default:
		for (u32 k = 0; k < 4; k++) {
			const s64 v = byte_result(in->op, part(a, k, 8, sb), part(b, k, 8, sb));
			sum += v;
			packed |= ((u64)v & 255) << 8 * k;
		}
		return in->mode ? (u64)sum : packed;
	}
}
static void test_misc(void **state)
{
	static const u8 ops[] = {OP_MUL24, OP_MAD24, OP_DP4A,  OP_DP2A, OP_VABSDIFF4,
	                         OP_VADD4, OP_VSUB4, OP_VMIN4, OP_VMAX4};
	for (u32 o = 0; o < ARRAY_LEN(ops); o++)
		for (u32 v = 0; v < 8; v++) {
			const u8 t = v & 1 ? T_S32 : T_U32, s = v & 2 ? T_S32 : T_U32;
			const struct shape sh = {t, {t, s, ops[o] == OP_MUL24 ? 0 : t}};
			struct inst in = make(ops[o], t, s, sh);
			in.mode = v >> 2;
			in.imm = video_elements(ops[o]) ? (s64)video_plain(ops[o], s) : 0;
			conform(in, sh, ref_misc);
		}
	for (u32 i = 0; i < 4; i++)
		conform(make(OP_FNS, T_B32, 0, (struct shape){T_U32, {T_U32, T_U32, T_S32}}),
		        (struct shape){T_U32, {T_U32, T_U32, T_S32}}, ref_misc);
	for (u8 t = T_F32; t <= T_F64; t++)
		for (u8 mode = 0; mode <= TESTP_SUBNORMAL; mode++) {
			struct inst in = make(OP_TESTP, t, 0, (struct shape){T_PRED, {t}});
			in.mode = mode;
			conform(in, (struct shape){T_PRED, {t}}, ref_misc);
		}
}

/* a * b + c in 64 bits from mad.lo.cc and madc.hi: the upper half of a signed product is its own. */
static void mad_carry(u8 t)
{
	struct dyninst out;
	for (u32 l = 0; l <= (u32)exec_best_level(); l++)
		for (u32 round = 0; round < 40; round++) {
			struct exec x = {.base = {frame, NULL}, .mask = FULL_MASK, .out = &out};
			struct inst lo = make(OP_MAD, t, 0, (struct shape){t, {t, t, t}}), hi = lo;
			lo.flags = IF_CC_OUT;
			hi.op = OP_MADC;
			hi.mode = MUL_HI;
			hi.flags = IF_CC_IN;
			lo.d[3] = hi.s[4] = R_P2;
			hi.s[2] = R_E;
			hi.d[0] = R_D + 128;
			for (u32 k = 0; k < 3; k++)
				fill(lo.s[k], T_U32);
			fill(R_E, T_U32);
			assert_true(exec_resolve_level(&lo, l) && exec_resolve_level(&hi, l));
			lo.exec(&x, &lo);
			hi.exec(&x, &hi);
			for (u32 i = 0; i < LANES; i++) {
				const u64 a = get(R_A, T_U32, i), b = get(R_B, T_U32, i);
				const u64 c = get(R_E, T_U32, i) << 32 | get(R_C, T_U32, i);
				const u64 product = t == T_S32 ? (u64)((s64)(s32)a * (s32)b) : a * b;
				assert_true((get(R_D + 128, T_U32, i) << 32 | get(R_D, T_U32, i)) == product + c);
			}
		}
}
static void test_mad_carry(void **state)
{
	mad_carry(T_U32);
	mad_carry(T_S32);
}

/* What cannot be executed must be refused, not run as something else. */
static void test_refusals(void **state)
{
	struct inst in = make(OP_ADD, T_F32, 0, (struct shape){T_F32, {T_F32}});
	assert_false(exec_resolve(&in)); /* an operand is missing */
	in = make(OP_MUL, T_S32, 0, (struct shape){T_S32, {T_S32, T_S32}});
	in.flags = IF_SAT;
	assert_false(exec_resolve(&in));
	in = make(OP_CVT, T_S32, T_F32, (struct shape){T_S32, {T_F32}}); /* no rounding */
	assert_false(exec_resolve(&in));
	in = make(OP_EX2, T_F64, 0, (struct shape){T_F64, {T_F64}});
	assert_false(exec_resolve(&in));
	in = make(OP_VADD4, T_U32, T_U32, (struct shape){T_U32, {T_U32, T_U32, T_U32}});
	in.imm = (s64)video_plain(OP_VADD4, T_U32);
	in.mode = 2;
	assert_false(exec_resolve(&in));
	in = make(OP_LD, T_B128, 0, (struct shape){T_U32, {T_U64}});
	in.space = SPC_GLOBAL;
	assert_false(exec_resolve(&in));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_half_compare), cmocka_unit_test(test_bf16_ties), cmocka_unit_test(test_half),
	    cmocka_unit_test(test_special),      cmocka_unit_test(test_carry),     cmocka_unit_test(test_carry_mixed),
	    cmocka_unit_test(test_misc),         cmocka_unit_test(test_mad_carry), cmocka_unit_test(test_refusals),
	};
	const int bad = cmocka_run_group_tests(tests, NULL, NULL);
	printf("%llu results compared, best level %s\n", (unsigned long long)checks, exec_level_name(exec_best_level()));
	return bad;
}
