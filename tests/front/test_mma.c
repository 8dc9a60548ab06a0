/* Matrix multiply-adds. Facts measured on a chip; every shape and type at every vector level against a reference that
 * works on one element with 128-bit integers; operands and text that must be refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/rng.h"
#include "tests/rig/mma_rig.h"

typedef __int128 s128;
static const struct tensor_rules hopper = {25, 25, 16, 16, true}, ampere = {24, 13, 8, 16, true},
                                 turing = {24, 24, 8, 16, false}, volta = {23, 23, 4, 16, false};

/* --- places of elements, after the figures of the PTX ISA --------------------------------------------------------- */

struct slot {
	u32 lane, word, shift; /* of 32-bit words a lane */
};
static struct slot place_a(u32 row, u32 col, u32 bits, u32 m)
{
	const u32 e = bits >= 32 ? 1 : 32 / bits, reg = m == 16 ? row / 8 + 2 * (col / (4 * e)) : col / (4 * e);
	return (struct slot){row % 8 * 4 + col % (4 * e) / e, reg, col % e * bits % 32};
}
static struct slot place_b(u32 row, u32 col, u32 bits)
{
	const u32 e = bits >= 32 ? 1 : 32 / bits;
	return (struct slot){col * 4 + row % (4 * e) / e, row / (4 * e), row % e * bits % 32};
}
static struct slot place_c(u32 row, u32 col, u32 bits)
{
	const u32 i = row / 8 * 2 + col % 2;
	return bits == 16 ? (struct slot){row % 8 * 4 + col / 2, i / 2, i % 2 * 16}
	                  : (struct slot){row % 8 * 4 + col / 2, i, 0};
}

/* --- facts -------------------------------------------------------------------------------------------------------- */

static const struct fact {
	u8 of;
	u32 c, d, a[16], b[16];
} facts[] = {
#include "tests/rig/mma_facts.inc"
};
static const struct {
	const char *ins;
	u32 na, nb, nc, nd, k;
} measured[] = {
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, 4, 16},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, 2, 16},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, 4, 8},
    {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2, 2, 8},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, 4, 16},
    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4, 4, 8},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, 4, 8},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, 4, 4},
};
static void load(struct mma_case *c, const char *ins, u32 na, u32 nb, u32 nc, u32 ne, u32 nd)
{
	struct err e = {0};
	if (!mma_load(c, ins, na, nb, nc, ne, nd, 0, &e))
		fail_msg("%s: %s", ins, e.msg);
}
static u32 wrong_facts(const struct tensor_rules *rules, enum exec_level level, bool tell)
{
	u32 wrong = 0;
	for (u32 i = 0; i < ARRAY_LEN(facts); i++) {
		const struct fact *f = &facts[i];
		const u32 row = i % 16, col = i / 2 % 8, na = measured[f->of].na, nb = measured[f->of].nb,
		          nc = measured[f->of].nc;
		const u32 n = na + nb + nc, bits = f->of >= 6 ? 32 : 16, cbits = measured[f->of].nd == 2 ? 16 : 32;
		struct mma_case c;
		u32 in[32 * 16] = {0}, out[32 * 4];
		load(&c, measured[f->of].ins, na, nb, nc, 0, measured[f->of].nd);
		for (u32 k = 0; k < measured[f->of].k; k++) {
			const struct slot a = place_a(row, k, bits, 16), b = place_b(k, col, bits);
			in[a.lane * n + a.word] |= f->a[k] << a.shift;
			in[b.lane * n + na + b.word] |= f->b[k] << b.shift;
		}
		const struct slot s = place_c(row, col, cbits);
		in[s.lane * n + na + nb + s.word] |= f->c << s.shift;
		mma_run(&c, level, rules, in, out);
		const u32 got = out[s.lane * c.nd + s.word] >> s.shift & (cbits == 16 ? 0xffff : ~0u);
		if (got != f->d && tell)
			print_error("fact %u (%s, %s): 0x%x, the chip 0x%x\n", i, measured[f->of].ins, exec_level_name(level), got,
			            f->d);
		wrong += got != f->d;
		module_free(c.m);
	}
	return wrong;
}
static void facts_of_hopper(void **state)
{
	for (enum exec_level l = LEVEL_BASE; l <= exec_best_level(); l++)
		assert_int_equal(wrong_facts(&hopper, l, true), 0);
	assert_true(wrong_facts(&ampere, LEVEL_BASE, false) > 40); /* the facts tell the rules apart */
	assert_true(wrong_facts(&turing, LEVEL_BASE, false) > 40);
	assert_true(wrong_facts(&volta, LEVEL_BASE, false) > 60);
}

/* --- reference ---------------------------------------------------------------------------------------------------- */

struct number { /* value = man x 2^exp */
	s64 man;
	s32 exp, top; /* top: the exponent that alignment counts */
	bool inf, nan;
};
static const struct {
	u32 bits, e, m;
	bool ieee;
} formats[MT_COUNT] = {[MT_F16] = {16, 5, 10, true}, [MT_BF16] = {16, 8, 7, true}, [MT_TF32] = {19, 8, 10, true},
                       [MT_F32] = {32, 8, 23, true}, [MT_E4M3] = {8, 4, 3, false}, [MT_E5M2] = {8, 5, 2, true}};
static struct number number_of(u8 t, u32 v)
{
	const u32 m = formats[t].m, e = v >> m & ((1u << formats[t].e) - 1), f = v & ((1u << m) - 1),
	          ones = (1u << formats[t].e) - 1;
	struct number x = {.man = e ? f | 1u << m : f, .top = (s32)(e ? e : 1) - (s32)(ones / 2)};
	x.exp = x.top - (s32)m;
	x.inf = formats[t].ieee && e == ones && !f;
	x.nan = formats[t].ieee ? e == ones && f : e == ones && f == (1u << m) - 1;
	if (v >> (formats[t].bits - 1) & 1)
		x.man = -x.man;
	return x;
}
static s128 cut(s64 man, s32 exp, s32 unit) /* in units of 2^unit, towards 0 */
{
	s128 v = man < 0 ? -(s128)man : man;
	v = exp >= unit ? v << (exp - unit) : unit - exp > 100 ? 0 : v >> (unit - exp);
	return man < 0 ? -v : v;
}
static u32 round_to(u8 t, s128 sum, s32 unit, u32 narrow) /* to the nearest f16, or towards 0 to f32 */
{
	const u32 sign = sum < 0 ? 1u << (formats[t].bits - 1) : 0, m = formats[t].m, bias = (1u << (formats[t].e - 1)) - 1;
	s128 v = sum < 0 ? -sum : sum;
	s32 high = 0;
	for (s128 w = v; w > 1; w >>= 1)
		high++;
	const s32 exp = MAX(unit + high, 1 - (s32)bias), last = exp - (s32)m, down = last - unit;
	s128 q = down > 120 ? 0 : down > 0 ? v >> down : v << -down;
	const s128 rest = down > 120 ? v
	                  : down > 0 ? v - (q << down)
	                             : 0,
	           half = down > 0 && down <= 120 ? (s128)1 << (down - 1) : 0;
	if (t == MT_F16 && half && (rest > half || (rest == half && (q & 1))))
		q++;
	if (t == MT_F32 && narrow < 23)
		q = q >> (23 - narrow) << (23 - narrow);
	const s64 bits = (s64)q + ((s64)(exp + (s32)bias - 1) << m), inf = (s64)((1u << formats[t].e) - 1) << m;
	if (!q)
		return 0;
	return sign | (u32)MIN(bits, inf);
}
struct dot {
	u8 ta, tb, tc;
	u32 k, group, fraction, narrow;
};
/* What infinities and NaN in C and products from .. to - 1 make of their sum; false: there are none. */
static bool special_sum(const struct dot *q, const u32 *a, const u32 *b, u32 from, u32 to, u32 *c)
{
	const struct number old = number_of(q->tc, *c);
	bool nan = old.nan, plus = old.inf && old.man >= 0 && !(*c >> (formats[q->tc].bits - 1)), minus = old.inf && !plus;
	for (u32 k = from; k < to; k++) {
		const struct number x = number_of(q->ta, a[k]), y = number_of(q->tb, b[k]);
		const bool inf = x.inf || y.inf,
		           negative = (a[k] >> (formats[q->ta].bits - 1) ^ b[k] >> (formats[q->tb].bits - 1)) & 1;
		nan |= x.nan || y.nan || (inf && (!x.man || !y.man));
		plus |= inf && !negative;
		minus |= inf && negative;
	}
	if (nan || (plus && minus))
		*c = q->tc == MT_F16 ? 0x7fff : 0x7fffffff;
	else if (plus || minus)
		*c = (q->tc == MT_F16 ? 0x7c00u : 0x7f800000u) | (minus ? 1u << (formats[q->tc].bits - 1) : 0);
	return nan || plus || minus;
}
/* A group's sum is C of the next, an overflow as well. */
static u32 reference(const struct dot *q, const u32 *a, const u32 *b, u32 c)
{
	for (u32 from = 0; from < q->k; from += q->group) {
		const u32 to = MIN(from + q->group, q->k);
		if (special_sum(q, a, b, from, to, &c))
			continue;
		const struct number old = number_of(q->tc, c);
		s32 top = old.man ? old.top : -10000;
		for (u32 k = from; k < to; k++) {
			const struct number x = number_of(q->ta, a[k]), y = number_of(q->tb, b[k]);
			if (x.man && y.man)
				top = MAX(top, x.top + y.top);
		}
		const s32 unit = top - (s32)q->fraction;
		s128 sum = old.man ? cut(old.man, old.exp, unit) : 0;
		for (u32 k = from; k < to; k++) {
			const struct number x = number_of(q->ta, a[k]), y = number_of(q->tb, b[k]);
			if (x.man && y.man)
				sum += cut(x.man * y.man, x.exp + y.exp, unit);
		}
		c = round_to(q->tc, sum, unit, q->narrow);
	}
	return c;
}

/* --- conformance -------------------------------------------------------------------------------------------------- */

static u64 seed = 7;
static u32 draw_float(u8 t, u32 way)
{
	const u32 r = (u32)(rng_next(&seed) >> 20), e = formats[t].e, m = formats[t].m, ones = (1u << e) - 1,
	          bias = ones / 2;
	const u32 sign = (r & 1) << (formats[t].bits - 1), man = r >> 8 & ((1u << m) - 1) & (way & 1 ? ~0u : 0);
	u32 exp = way < 2    ? bias - 4 + (r >> 2) % 8
	          : way == 2 ? (r >> 2) % ones
	          : way == 3 ? (r >> 2) % 4
	          : way == 4 ? bias + (r & 2 ? 14 : 0) - (r >> 3) % 12
	                     : bias - 3 + (r >> 2) % 6;
	if (way == 5 && (r >> 20) % 40 == 0)
		exp = ones;
	if ((r >> 16) % 5 == 0 && way != 2)
		return sign;
	return sign | MIN(exp, ones) << m | man;
}
static u32 take(const u32 *words, u32 n, struct slot s, u32 bits)
{
	return bits >= 32 ? words[s.lane * n + s.word] : words[s.lane * n + s.word] >> s.shift & ((1u << bits) - 1);
}
static u32 metadata_bits(const u32 *words, u32 n, u32 at, u8 type, u32 k, u32 row,
                         u32 bit) /* two of a row, selector 0 */
{
	const bool small = mma_type_bits[type] < 16;
	const u32 lane = row % 8 * 4 + (small ? row / 8 + bit / 32 * 2 : bit / 16),
	          shift = small ? bit % 32 : row / 8 * 16 + bit % 16;
	(void)k;
	return words[lane * n + at] >> shift & 3;
}
struct op {
	u32 m, k, na, nb, nc, nd;
	u8 ta, tb, tc;
	bool sparse, sat, b1_and;
};
static u32 count_wrong(const struct op *o, const struct tensor_rules *rules, const u32 *in, const u32 *out)
{
	const u32 n = o->na + o->nb + o->nc + o->sparse, bits = mma_type_bits[o->ta], cbits = mma_type_bits[o->tc];
	const bool is_float = o->tc != MT_S32, fp8 = bits == 8 && is_float;
	const u32 group = (fp8 ? rules->group_fp8 : o->ta == MT_TF32 ? rules->group / 2 : rules->group) << o->sparse;
	const u32 fraction = fp8 ? rules->fraction_fp8 : rules->fraction;
	const struct dot q = {o->ta, o->tb, o->tc, o->k, group, fraction, fp8 ? MIN(fraction, 23u) : 23};
	u32 wrong = 0;
	for (u32 i = 0; i < o->m; i++)
		for (u32 j = 0; j < 8; j++) {
			u32 a[256] = {0}, b[256], want;
			for (u32 k = 0; k < o->k; k++)
				b[k] = take(in + o->na, n, place_b(k, j, bits), bits);
			for (u32 k = 0; k < o->k >> o->sparse; k++) {
				u32 col = k;
				if (o->sparse && bits == 32)
					col = 2 * k + metadata_bits(in, n, n - 1, o->ta, o->k, i, 4 * k) / 2;
				else if (o->sparse && bits == 4)
					col = k / 4 * 8 + 2 * metadata_bits(in, n, n - 1, o->ta, o->k, i, k / 2 * 2) + k % 2;
				else if (o->sparse)
					col = k / 2 * 4 + metadata_bits(in, n, n - 1, o->ta, o->k, i, 2 * k);
				a[col] = take(in, n, place_a(i, k, bits, o->m), bits);
			}
			const u32 c = take(in + o->na + o->nb, n, place_c(i, j, cbits), cbits);
			const u32 got = take(out, o->nd, place_c(i, j, cbits), cbits);
			if (is_float) {
				for (u32 k = 0; k < o->k && o->ta == MT_TF32; k++) {
					a[k] >>= 13;
					b[k] >>= 13;
				}
				want = reference(&q, a, b, c);
			} else {
				s64 sum = (s32)c;
				for (u32 k = 0; k < o->k; k++) {
					const s64 x = o->ta == MT_S8 ? (s8)a[k] : o->ta == MT_S4 ? (s64)(a[k] ^ 8) - 8 : a[k];
					const s64 y = o->tb == MT_S8 ? (s8)b[k] : o->tb == MT_S4 ? (s64)(b[k] ^ 8) - 8 : b[k];
					sum += o->ta != MT_B1 ? x * y : o->b1_and ? x & y : x ^ y;
				}
				want = (u32)(o->sat ? MIN(MAX(sum, (s64)INT32_MIN), (s64)INT32_MAX) : sum);
			}
			if (got != want && !wrong++)
				print_error("D[%u][%u] = 0x%x, want 0x%x\n", i, j, got, want);
		}
	return wrong;
}
static void conform(const struct op *o, const struct tensor_rules *rules, u32 rounds)
{
	static const u32 pairs[] = {4, 8, 12, 9, 13, 14}, ones[] = {4, 14};
	const u32 n = o->na + o->nb + o->nc + o->sparse, bits = mma_type_bits[o->ta];
	const bool is_float = o->tc != MT_S32;
	char ins[120];
	struct mma_case c;
	snprintf(ins, sizeof ins, "mma%s.sync.aligned.m%un8k%u.row.col%s.%s.%s.%s.%s%s", o->sparse ? ".sp" : "", o->m, o->k,
	         o->sat ? ".satfinite" : "", mma_type_names[o->tc], mma_type_names[o->ta], mma_type_names[o->tb],
	         mma_type_names[o->tc],
	         o->ta != MT_B1 ? ""
	         : o->b1_and    ? ".and.popc"
	                        : ".xor.popc");
	load(&c, ins, o->na, o->nb, o->nc, o->sparse, o->nd);
	for (u32 round = 0; round < rounds; round++) {
		u32 in[32 * 20] = {0}, out[32 * 4];
		for (u32 l = 0; l < 32; l++)
			for (u32 w = 0; w < n; w++) {
				u32 *to = &in[l * n + w];
				const u8 t = w < o->na ? o->ta : w < o->na + o->nb ? o->tb : o->tc;
				const u32 tbits = mma_type_bits[t];
				*to = (u32)(rng_next(&seed) >> 16);
				if (o->sparse && w == n - 1)
					for (u32 k = *to = 0; k < 8; k++)
						*to |= (bits == 32 ? ones[rng_next(&seed) >> 20 & 1] : pairs[(rng_next(&seed) >> 20) % 6])
						       << 4 * k;
				else if (t == MT_S32)
					*to = round & 1 ? *to : *to & 0xff ? 0x7fffff00 + *to % 256 : 0x80000000;
				else if (is_float)
					for (u32 k = *to = 0; k < 32; k += tbits)
						*to |= t == MT_TF32 ? draw_float(t, round % 6) << 13 | (*to & 0x1fff)
						                    : draw_float(t, round % 6) << k;
			}
		for (enum exec_level l = LEVEL_BASE; l <= exec_best_level(); l++) {
			mma_run(&c, l, rules, in, out);
			if (count_wrong(o, rules, in, out))
				fail_msg("%s, round %u, %s", ins, round, exec_level_name(l));
		}
	}
	module_free(c.m);
}
static void floats(void **state)
{
	static const struct op ops[] = {
	    {16, 16, 4, 2, 4, 4, MT_F16, MT_F16, MT_F32, 0, 0, 0},
	    {16, 16, 4, 2, 2, 2, MT_F16, MT_F16, MT_F16, 0, 0, 0},
	    {16, 8, 2, 1, 4, 4, MT_F16, MT_F16, MT_F32, 0, 0, 0},
	    {16, 8, 2, 1, 2, 2, MT_F16, MT_F16, MT_F16, 0, 0, 0},
	    {16, 16, 4, 2, 4, 4, MT_BF16, MT_BF16, MT_F32, 0, 0, 0},
	    {16, 8, 2, 1, 4, 4, MT_BF16, MT_BF16, MT_F32, 0, 0, 0},
	    {16, 8, 4, 2, 4, 4, MT_TF32, MT_TF32, MT_F32, 0, 0, 0},
	    {16, 4, 2, 1, 4, 4, MT_TF32, MT_TF32, MT_F32, 0, 0, 0},
	    {16, 32, 4, 2, 4, 4, MT_E4M3, MT_E4M3, MT_F32, 0, 0, 0},
	    {16, 32, 4, 2, 4, 4, MT_E4M3, MT_E5M2, MT_F32, 0, 0, 0},
	    {16, 32, 4, 2, 2, 2, MT_E5M2, MT_E4M3, MT_F16, 0, 0, 0},
	    {16, 16, 2, 1, 4, 4, MT_E5M2, MT_E5M2, MT_F32, 0, 0, 0},
	    {16, 16, 2, 2, 4, 4, MT_F16, MT_F16, MT_F32, 1, 0, 0},
	    {16, 32, 4, 4, 4, 4, MT_F16, MT_F16, MT_F32, 1, 0, 0},
	    {16, 32, 4, 4, 2, 2, MT_F16, MT_F16, MT_F16, 1, 0, 0},
	    {16, 32, 4, 4, 4, 4, MT_BF16, MT_BF16, MT_F32, 1, 0, 0},
	    {16, 8, 2, 2, 4, 4, MT_TF32, MT_TF32, MT_F32, 1, 0, 0},
	    {16, 16, 4, 4, 4, 4, MT_TF32, MT_TF32, MT_F32, 1, 0, 0},
	    {16, 64, 4, 4, 4, 4, MT_E4M3, MT_E5M2, MT_F32, 1, 0, 0},
	};
	const struct tensor_rules *const rules[] = {&hopper, &ampere, &turing, &volta};
	for (u32 i = 0; i < ARRAY_LEN(ops); i++)
		for (u32 r = 0; r < 4; r++)
			conform(&ops[i], rules[r], 12);
}
static void integers(void **state)
{
	static const u8 types[][2] = {{MT_S8, MT_S8}, {MT_U8, MT_U8}, {MT_S8, MT_U8}, {MT_U8, MT_S8}};
	for (u32 t = 0; t < 8; t++) {
		const u8 four = t >= 4, a = types[t % 4][0] + 2 * four, b = types[t % 4][1] + 2 * four;
		const u32 x = four ? 2 : 1;
		for (u8 sat = 0; sat < 2; sat++) {
			const struct op ops[] = {{8, 16 * x, 1, 1, 2, 2, a, b, MT_S32, 0, sat, 0},
			                         {16, 16 * x, 2, 1, 4, 4, a, b, MT_S32, 0, sat, 0},
			                         {16, 32 * x, 4, 2, 4, 4, a, b, MT_S32, 0, sat, 0},
			                         {16, 32 * x, 2, 2, 4, 4, a, b, MT_S32, 1, sat, 0},
			                         {16, 64 * x, 4, 4, 4, 4, a, b, MT_S32, 1, sat, 0}};
			for (u32 i = 0; i < ARRAY_LEN(ops); i++)
				conform(&ops[i], &hopper, 4);
		}
	}
	for (u8 and = 0; and < 2; and++) {
		const struct op ops[] = {{8, 128, 1, 1, 2, 2, MT_B1, MT_B1, MT_S32, 0, 0, and},
		                         {16, 128, 2, 1, 4, 4, MT_B1, MT_B1, MT_S32, 0, 0, and},
		                         {16, 256, 4, 2, 4, 4, MT_B1, MT_B1, MT_S32, 0, 0, and}};
		for (u32 i = 0; i < ARRAY_LEN(ops); i++)
			conform(&ops[i], &hopper, 4);
	}
}

/* --- refusals ----------------------------------------------------------------------------------------------------- */

static void refusals(void **state)
{
	static const struct {
		const char *text, *want;
	} t[] = {
	    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%fd0,%fd1,%fd2,%fd3},{%ra0,%ra1,%ra2},{%rb0,%rb1},{%fc0,%fc1,%fc2,%fc3};",
	     "needs 4 registers in braces here"},
	    {"mma.sync.aligned.m16n8k16.col.col.f32.f16.f16.f32 {%fd0,%fd1,%fd2,%fd3},{%ra0,%ra1,%ra2,%ra3},{%rb0,%rb1},{%fc0,%fc1,%fc2,%fc3};",
	     "this shape is .row.col only"},
	    {"mma.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%fd0,%fd1,%fd2,%fd3},{%ra0,%ra1,%ra2,%ra3},{%rb0,%rb1},{%fc0,%fc1,%fc2,%fc3};",
	     "needs .sync and .aligned"},
	    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%fd0,%fd1,%fd2,%fd3},{%da0,%ra1,%ra2,%ra3},{%rb0,%rb1},{%fc0,%fc1,%fc2,%fc3};",
	     "'%da0' is a .f64 register"},
	    {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%fd0,%fd1,%fd2,%fd3},{%ra0,%ra1,%ra2,%ra3},{%rb0,%rb1,%rb2,%rb3},{%fc0,%fc1,%fc2,%fc3},%re0,2;",
	     "needs a constant of 0 to 1 here"},
	    {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32 {%rd0,%rd1},{%ra0},{%rb0},{%rc0,%rc1};",
	     ".xor.popc or .and.popc"},
	};
	for (u32 i = 0; i < ARRAY_LEN(t); i++) {
		char text[1200];
		struct err e = {0};
		snprintf(text, sizeof text, ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n%s%s\nret;\n}\n",
		         mma_registers(), t[i].text);
		struct module *m = ptx_load("mma.ptx", text, strlen(text), &e);
		if (m || !strstr(e.msg, t[i].want))
			fail_msg("%s: '%s', want '%s'", t[i].text, e.msg, t[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(facts_of_hopper), cmocka_unit_test(floats),
	                                   cmocka_unit_test(integers), cmocka_unit_test(refusals)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
