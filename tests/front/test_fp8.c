/* cvt to and from pairs of e4m3 and e5m2, against the nearest of all values of the format. */
#include "tests/rig/exec_rig.h"

struct format {
	int exponent, fraction, bias;
	double most;
	u32 most_bits;
	bool infinite; /* an exponent of ones is no number */
};
static const struct format e4m3 = {4, 3, 7, 448, 0x7e, false}, e5m2 = {5, 2, 15, 57344, 0x7b, true};

/* NAN for what is no number. */
static double value_of(const struct format *f, u32 b)
{
	const u32 e = b >> f->fraction & ((1u << f->exponent) - 1), m = b & ((1u << f->fraction) - 1);
	const u32 ones = (1u << f->exponent) - 1;
	if (e == ones && (f->infinite || m == (1u << f->fraction) - 1))
		return f->infinite && !m ? (b & 0x80 ? -INFINITY : INFINITY) : NAN;
	const double v = e ? ldexp(1 + m * ldexp(1, -f->fraction), (int)e - f->bias) : ldexp(m, 1 - f->bias - f->fraction);
	return b & 0x80 ? -v : v;
}
/* By looking at all of them: the nearest, of two the even one; beyond the largest that one. */
static u32 nearest(const struct format *f, double v, bool relu)
{
	const u32 sign = signbit(v) ? 0x80 : 0;
	u32 best = 0;
	if (isnan(v))
		return 0x7f;
	if (relu && sign)
		return 0;
	for (u32 b = 0; b <= f->most_bits; b++) {
		const double far = fabs(value_of(f, b) - fabs(v)), least = fabs(value_of(f, best) - fabs(v));
		if (far < least || (far == least && !(b & 1)))
			best = b;
	}
	return sign | (fabs(v) > f->most ? f->most_bits : best);
}
static double half(u32 h)
{
	const int e = h >> 10 & 31, m = h & 1023;
	const double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
	return h & 0x8000 ? -v : v;
}
static const struct format *format_of(u8 t)
{
	return t == T_E4M3X2 ? &e4m3 : &e5m2;
}

static u64 ref_from_f32(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	const struct format *f = format_of(in->type);
	const bool relu = in->flags & IF_RELU;
	return nearest(f, f32_bits((u32)a), relu) << 8 | nearest(f, f32_bits((u32)b), relu);
}
static u64 ref_from_f16(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	const struct format *f = format_of(in->type);
	const bool relu = in->flags & IF_RELU;
	return nearest(f, half((u32)a >> 16), relu) << 8 | nearest(f, half((u32)a & 0xffff), relu);
}
/* Every value of fp8 is one of f16. */
static u32 to_half(const struct format *f, u32 b, bool relu)
{
	const double v = value_of(f, b);
	if (isnan(v))
		return 0x7fff;
	if (relu && b & 0x80)
		return 0;
	static u32 found[2][128]; /* + 1 */
	u32 *at = &found[f == &e5m2][b & 0x7f];
	for (u32 h = 0; h <= 0x7c00 && !*at; h++)
		if (half(h) == fabs(v))
			*at = h + 1;
	assert_true(*at);
	return (*at - 1) | (b & 0x80) << 8;
}
static u64 ref_to_f16(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	const struct format *f = format_of(in->stype);
	const bool relu = in->flags & IF_RELU;
	return to_half(f, (u32)a >> 8 & 0xff, relu) << 16 | to_half(f, (u32)a & 0xff, relu);
}

static struct inst conversion(u8 to, u8 from, bool pair, bool relu)
{
	struct inst in = make(OP_CVT, to, from, (struct shape){to, {from, pair ? from : 0}});
	in.round = RND_RN;
	in.flags = (relu ? IF_RELU : 0) | (to == T_F16X2 ? 0 : IF_SATFINITE);
	return in;
}
static void random_pairs(void **state)
{
	static const u8 types[] = {T_E4M3X2, T_E5M2X2};
	for (u32 k = 0; k < 4; k++) {
		const u8 t = types[k & 1];
		for (u32 round = 0; round < 10; round++) {
			conform(conversion(t, T_F32, true, k & 2), (struct shape){t, {T_F32, T_F32}}, ref_from_f32);
			conform(conversion(t, T_F16X2, false, k & 2), (struct shape){t, {T_F16X2}}, ref_from_f16);
			conform(conversion(T_F16X2, t, false, k & 2), (struct shape){T_F16X2, {t}}, ref_to_f16);
		}
	}
}

/* One instruction on 32 lanes of the given values. */
static void lanes_of(struct inst in, struct shape sh, ref_fn ref, const u64 *a, const u64 *b)
{
	if (!exec_resolve_level(&in, LEVEL_BASE))
		fail_msg("%s is not supported", describe(&in, LEVEL_BASE));
	for (u32 i = 0; i < LANES; i++) {
		put(in.s[0], sh.s[0], i, a[i]);
		if (sh.s[1])
			put(in.s[1], sh.s[1], i, b[i]);
	}
	run_masked(&in, sh, ref, LEVEL_BASE, FULL_MASK);
}
/* All f16, all pairs of bytes; f32 around every value of the format and half-way between neighbours. */
static void all_values(void **state)
{
	static const u8 types[] = {T_E4M3X2, T_E5M2X2};
	u64 a[LANES], b[LANES];
	for (u32 k = 0; k < 4; k++) {
		const u8 t = types[k & 1];
		const struct format *f = format_of(t);
		for (u32 h = 0; h < 65536; h += LANES) {
			for (u32 i = 0; i < LANES; i++)
				a[i] = (h + i) | (u64)((h + i) ^ 0x8000) << 16;
			lanes_of(conversion(t, T_F16X2, false, k & 2), (struct shape){t, {T_F16X2}}, ref_from_f16, a, NULL);
			for (u32 i = 0; i < LANES; i++)
				a[i] = h + i;
			lanes_of(conversion(T_F16X2, t, false, k & 2), (struct shape){T_F16X2, {t}}, ref_to_f16, a, NULL);
		}
		for (u32 v = 0; v < f->most_bits; v++) {
			const float low = (float)value_of(f, v), mid = (float)((value_of(f, v) + value_of(f, v + 1)) / 2);
			for (u32 i = 0; i < LANES; i++) {
				a[i] = bits_f32(low) + i - 16u;
				b[i] = (bits_f32(mid) + i - 16u) ^ (i & 1 ? 0x80000000u : 0);
			}
			lanes_of(conversion(t, T_F32, true, k & 2), (struct shape){t, {T_F32, T_F32}}, ref_from_f32, a, b);
		}
	}
}

/* What is no such instruction: PTX has these conversions with .rn and, into fp8, with .satfinite only. */
static void refused(void **state)
{
	static const struct {
		const char *ptx, *words;
	} t[] = {{"cvt.rn.e4m3x2.f32 %h1, %f1, %f2;", "'cvt.rn.e4m3x2.f32' is not supported"},
	         {"cvt.rz.satfinite.e4m3x2.f32 %h1, %f1, %f2;", "'cvt.rz.satfinite.e4m3x2.f32' is not supported"},
	         {"cvt.rn.satfinite.e4m3x2.f32 %h1, %f1;", "takes 3 operands, here are 2"},
	         {"cvt.rn.f16x2.e5m2x2 %r1, %h1, %h2;", "takes 2 operands, here are 3"},
	         {"cvt.rn.bf16x2.e5m2x2 %r1, %h1;", "'cvt.rn.bf16x2.e5m2x2' is not supported"},
	         {"cvt.rn.satfinite.e5m2x2.f16x2 %r1, %f1;", NULL},
	         {"cvt.rn.f16x2.e4m3x2 %r1, %r2;", NULL},
	         {"cvt.rn.satfinite.e4m3x2.f32 %h1, %h2, %f2;", "'%h2' is a .b16 register"}};
	for (u32 i = 0; i < ARRAY_LEN(t); i++) {
		char text[600];
		struct err e = {0};
		snprintf(
		    text, sizeof text,
		    ".version 8.1\n.target sm_89\n.address_size 64\n.visible .entry k()\n{\n.reg .b16 %%h<4>; .reg .b32 %%r<4>; "
		    ".reg .f32 %%f<4>;\n%s\nret;\n}\n",
		    t[i].ptx);
		struct module *m = ptx_load("t.ptx", text, strlen(text), &e);
		if (!t[i].words)
			assert_non_null(m);
		else if (m && !module_func(m, "k", true)->unsupported)
			fail_msg("%s is accepted", t[i].ptx);
		char *why = m && t[i].words ? func_unsupported(m, module_func(m, "k", true)) : NULL;
		if (t[i].words && (!strstr(why ? why : e.msg, t[i].words) || !strstr(why ? why : e.msg, "t.ptx:7:")))
			fail_msg("%s: %s", t[i].ptx, why ? why : e.msg);
		free(why);
		if (m)
			module_free(m);
		err_clear(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_pairs), cmocka_unit_test(all_values),
	                                   cmocka_unit_test(refused)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
