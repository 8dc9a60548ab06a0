/* mma: D = A x B + C of a warp, bit for bit as tensor cores compute it.
 *
 * Sums of f16, bf16, tf32 and fp8 (MMA-Sim, arXiv 2511.10909; Khattak and Mikaitis, arXiv 2512.07004): the products of
 * a group are exact. They and C are aligned to the largest exponent among them, where a product's exponent is the sum
 * of its factors', not normalised. Each is cut off (towards 0) behind tensor.fraction bits and added exactly; the sum
 * is rounded once, to f32 towards 0, to f16 to the nearest. The rounded sum is C of the next group, an infinite one as
 * well. f64 is a chain of fused multiply-adds in the order of k. Integers are exact, and wrap or stop at the ends. */
#include <math.h>
#include <string.h>

#include "front/ptx/executor/matrix.h"
#include "front/ptx/executor/mma_float.h"
#include "front/ptx/executor/simd.h"
#include "front/ptx/runtime/fp.h"

enum { ROWS = 32, COLS = 32, DEPTH = 256 }; /* the largest: wmma m32n8, m8n32; b1 k256 */

/* --- registers to matrices and back ------------------------------------------------------------------------------- */

static u32 field(u32 word, u32 j, u32 bits)
{
	return bits >= 32 ? word : word >> (j * bits) & ((1u << bits) - 1);
}
/* Where the elements of a register stand in a matrix of `stride` columns: element j of lane 4 g + t at
 * first + g x by_g + t x by_t + j x by_j. That is element_at() without its cases. */
struct places {
	u32 first, by_g, by_t, by_j;
};
static struct places places_of(const struct mma_shape *m, enum mma_matrix which, u32 r, u32 stride)
{
	const struct element zero = element_at(m, which, 0, r, 0), g = element_at(m, which, 4, r, 0),
	                     t = element_at(m, which, 1, r, 0), j = element_at(m, which, 0, r, 1);
	const u32 first = zero.row * stride + zero.col;
	return (struct places){first, g.row * stride + g.col - first, t.row * stride + t.col - first,
	                       j.row * stride + j.col - first};
}
/* Raw elements of A, dense or as mma.sp stores them, and of B and C. */
static void gather(const struct exec *x, const struct wide *w, enum mma_matrix which, u32 *out, u32 stride)
{
	const struct mma_shape *m = &w->shape;
	const u8 type = which == MM_A ? m->a : which == MM_B ? m->b : m->c;
	const u32 e = elements_per_register(type), bits = mma_type_bits[type];
	const u32 ones = bits >= 32 ? ~0u : (1u << bits) - 1;
	const u32 first = which == MM_A ? 0 : which == MM_B ? w->na : (u32)w->na + w->nb;
	const u32 n = which == MM_A ? w->na : which == MM_B ? w->nb : w->nc;
	for (u32 r = 0; r < n; r++) {
		const u32 *reg = exec_at(x, w->s[first + r]);
		const struct places p = places_of(m, which, r, stride);
		for (u32 j = 0; j < e; j++)
			for (u32 g = 0; g < LANES / 4; g++) {
				u32 *to = out + p.first + g * p.by_g + j * p.by_j;
				for (u32 t = 0; t < 4; t++)
					to[t * p.by_t] = reg[4 * g + t] >> (j * bits) & ones;
			}
	}
}
static void scatter(const struct exec *x, const struct wide *w, const u32 *in, u32 stride)
{
	const struct mma_shape *m = &w->shape;
	const u32 e = elements_per_register(m->d), bits = mma_type_bits[m->d];
	for (u32 r = 0; r < w->nd; r++) {
		if (w->d[r] == OPND_NONE)
			continue;
		u32 *reg = exec_at(x, w->d[r]);
		const struct places p = places_of(m, MM_D, r, stride);
		for (u32 j = 0; j < e; j++)
			for (u32 g = 0; g < LANES / 4; g++) {
				const u32 *from = in + p.first + g * p.by_g + j * p.by_j;
				for (u32 t = 0; t < 4; t++)
					reg[4 * g + t] = (j ? reg[4 * g + t] : 0) | from[t * p.by_t] << (j * bits);
			}
	}
}
/* A of mma.sp with its zeros: the metadata say which two of four columns (tf32: one of two; s4 and u4: two pairs of
 * four) an element pair stands in. */
static void spread(const struct exec *x, const struct wide *w, u32 *a, u32 stride)
{
	const struct mma_shape *m = &w->shape;
	const u32 *meta = exec_at(x, w->s[w->na + w->nb + w->nc]), half = m->k / 2;
	for (u32 row = 0; row < m->m; row++) {
		u32 stored[DEPTH / 2];
		memcpy(stored, a + row * stride, half * sizeof(u32));
		memset(a + row * stride, 0, m->k * sizeof(u32));
		for (u32 c = 0; c < half; c++)
			a[row * stride + sparse_column(m, meta, row, c)] = stored[c];
	}
}

/* --- f16, bf16, tf32, fp8 ----------------------------------------------------------------------------------------- */

static inline float power_f32(s32 e)
{
	const s32 bits = (e + 127) << 23;
	float v;
	memcpy(&v, &bits, sizeof v);
	return v;
}
static inline double power_f64(s32 e)
{
	const s64 bits = (s64)(e + 1023) << 52;
	double v;
	memcpy(&v, &bits, sizeof v);
	return v;
}
/* The factors of a matrix as f32 or f64, whichever is given, and their exponents: a zero has MMA_NO_EXP. False: some
 * are infinities or NaN. */
static inline bool decode(s32 *restrict exp, float *restrict f32, double *restrict f64, const u32 *restrict raw,
                          u8 type, u32 n)
{
	const struct mma_format f = mma_format_of(type);
	const u32 mb = f.m, ones = (1u << f.e) - 1, first = 1u << f.m, all = (1u << (f.e + f.m)) - 1;
	const u32 down = type == MT_TF32 ? 13 : 0, special = f.inf ? ones << f.m : all; /* from this magnitude on */
	const s32 bias = (s32)(ones >> 1);
	u32 any = 0;
	for (u32 i = 0; i < n; i++) {
		const u32 bits = raw[i] >> down, e = bits >> mb & ones, normal = 0u - (e != 0);
		const s32 m = (s32)((bits & (first - 1)) | (first & normal)), negative = -(s32)((bits & (all + 1)) != 0);
		const s32 man = (m ^ negative) - negative, x = (s32)e + 1 + (s32)normal - bias;
		exp[i] = m ? x : MMA_NO_EXP;
		any |= 0u - ((bits & all) >= special);
		if (f32)
			f32[i] = (float)man * power_f32(x - (s32)mb);
		else
			f64[i] = (double)man * power_f64(x - (s32)mb);
	}
	return !any;
}
static struct mma_number number_of(u32 raw, u8 type)
{
	return mma_decode(type == MT_TF32 ? raw >> 13 : raw, mma_format_of(type));
}
static bool special_c(const u32 *c, u32 n, bool f16)
{
	const u32 ones = f16 ? 0x7c00u : 0x7f800000u;
	bool any = false;
	for (u32 i = 0; i < n; i++)
		any |= (c[i] & ones) == ones;
	return any;
}
/* The raw matrices of one mma: a: [m][k], b: [k][n]. */
struct raw {
	const u32 *a, *b;
};
/* What infinities and NaN among C and a group of products make of a sum. */
static void add_special(const struct mma_rule *r, const struct mma_shape *m, const struct raw *raw, u32 row, u32 column,
                        u32 from, u32 n, u32 c, u32 *sum)
{
	struct mma_special s = {0};
	mma_note_c(&s, c, r->f16);
	for (u32 k = from; k < from + n; k++)
		mma_note_product(&s, number_of(raw->a[row * m->k + k], m->a), number_of(raw->b[k * m->n + column], m->b));
	mma_special_result(&s, r->f16, sum);
}
/* MMA_COLS elements of a row of D, from C. Without `special` all factors and C are finite; false: a group's sum, which
 * is C of the next, is not. */
static bool add_groups(const struct mma_rule *r, const struct mma_shape *m, const struct mma_values *v,
                       const struct raw *raw, u32 row, u32 column, bool special, u32 *c)
{
	const u32 blocks = m->n / MMA_COLS, block = column / MMA_COLS;
	for (u32 k = 0; k < m->k; k += r->group) {
		const u32 n = MIN(r->group, m->k - k);
		u32 old[MMA_COLS];
		if (!special && k && special_c(c, MMA_COLS, r->f16))
			return false;
		memcpy(old, c, sizeof old);
		mma_add_group(r, v, row * m->k + k, k * blocks + block, blocks, n, c);
		for (u32 j = 0; special && j < MMA_COLS; j++)
			add_special(r, m, raw, row, column + j, k, n, old[j], &c[j]);
	}
	return true;
}
/* a: [m][k], b: [k][n], c: [m][n], which becomes D. */
static void multiply_float(const struct mma_rule *r, const struct mma_shape *m, const u32 *a, const u32 *b, u32 *c)
{
	union {
		mma_f32v f32[DEPTH / 4 * ROWS / MMA_COLS];
		mma_f64v f64[DEPTH / 4 * ROWS / MMA_COLS];
	} va, vb;
	mma_s32 ea[DEPTH / 4 * ROWS / MMA_COLS], eb[DEPTH / 4 * COLS / MMA_COLS];
	const u32 na = (u32)m->m * m->k, nb = (u32)m->k * m->n;
	struct mma_values v = {.exp_a = (s32 *)ea, .exp_b = eb};
	bool finite_a, finite_b;
	if (m->a == MT_BF16 || m->a == MT_TF32) {
		finite_a = decode((s32 *)ea, NULL, (double *)va.f64, a, m->a, na);
		finite_b = decode((s32 *)eb, NULL, (double *)vb.f64, b, m->b, nb);
		v.a64 = (double *)va.f64, v.b64 = vb.f64;
	} else {
		finite_a = decode((s32 *)ea, (float *)va.f32, NULL, a, m->a, na);
		finite_b = decode((s32 *)eb, (float *)vb.f32, NULL, b, m->b, nb);
		v.a32 = (float *)va.f32, v.b32 = vb.f32;
	}
	const bool special = !finite_a || !finite_b || special_c(c, (u32)m->m * m->n, r->f16);
	for (u32 i = 0; i < m->m; i++)
		for (u32 j = 0; j < m->n; j += MMA_COLS) {
			u32 *at = c + i * m->n + j, old[MMA_COLS];
			memcpy(old, at, sizeof old);
			if (!add_groups(r, m, &v, &(struct raw){a, b}, i, j, special, at)) {
				memcpy(at, old, sizeof old);
				add_groups(r, m, &v, &(struct raw){a, b}, i, j, true, at);
			}
		}
}
static struct mma_rule rule_of(const struct exec *x, const struct mma_shape *m)
{
	const bool fp8 = m->a == MT_E4M3 || m->a == MT_E5M2;
	const struct tensor_rules *t = &x->f->tensor;
	const u32 group = fp8 ? t->group_fp8 : m->a == MT_TF32 ? t->group / 2 : t->group;
	return (struct mma_rule){.fraction = (s32)(fp8 ? t->fraction_fp8 : t->fraction),
	                         .group = MAX(group << m->sparse, 1u),
	                         .f16 = m->c == MT_F16,
	                         .narrow = fp8 && t->fraction_fp8 < 23 ? t->fraction_fp8 : 23};
}
static void mma_float(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const struct wide *w = in->wide;
	const struct mma_shape *m = &w->shape;
	u32 a[ROWS * DEPTH / 4], b[DEPTH / 4 * COLS], c[ROWS * COLS];
	if (!matrix_converged(x))
		return;
	struct mma_rule r = rule_of(x, m);
	gather(x, w, MM_A, a, m->k);
	gather(x, w, MM_B, b, m->n);
	gather(x, w, MM_C, c, m->n);
	if (m->sparse)
		spread(x, w, a, m->k);
	const u32 n = (u32)m->m * m->n;
	if (m->c == MT_F16 && m->d == MT_F32) {
		r.f16 = false;
		for (u32 i = 0; i < n; i++)
			c[i] = bits_f32(f16_to_f32((u16)c[i]));
	} else if (m->c == MT_F32 && m->d == MT_F16) {
		r.f16 = false;
	}
	multiply_float(&r, m, a, b, c);
	for (u32 i = 0; m->c == MT_F32 && m->d == MT_F16 && i < n; i++) /* inferred: no chip was asked */
		c[i] = f16_from_f64(f32_bits(c[i]), SMALL_RN);
	scatter(x, w, c, m->n);
}
/* m8n8k4 by f32 units: of C and D in f32 the sum of the products, to which C is added; in f16 two pairs, C added to the
 * first. Measured on an H100. */
static void multiply_f32(bool d32, const u32 *a, const u32 *b, u32 *c)
{
	for (u32 i = 0; i < 8; i++)
		for (u32 j = 0; j < 8; j++) {
			float v[4], w[4];
			for (u32 k = 0; k < 4; k++) {
				v[k] = f16_to_f32((u16)a[i * 4 + k]);
				w[k] = f16_to_f32((u16)b[k * 8 + j]);
			}
			u32 *at = &c[i * 8 + j];
			const float old = d32 ? f32_bits(*at) : f16_to_f32((u16)*at);
			const float low = fmaf(v[1], w[1], v[0] * w[0]);
			if (d32) /* -0 becomes +0 */
				*at = bits_f32(canon_f32(old + fmaf(v[3], w[3], fmaf(v[2], w[2], low + 0.0f))));
			else
				*at = f16_from_f64((low + old) + fmaf(v[3], w[3], v[2] * w[2]), SMALL_RN);
		}
}
/* f16 m8n8k4: four products of eight lanes each. */
static void mma_quads(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const struct wide *w = in->wide;
	const struct mma_shape *m = &w->shape;
	u32 a[4][8 * 4], b[4][4 * 8], c[4][8 * 8];
	if (!matrix_converged(x))
		return;
	struct mma_rule r = rule_of(x, m);
	const bool c32 = m->c == MT_F32, d32 = m->d == MT_F32;
	for (u32 l = 0; l < LANES; l++) {
		const u32 q = l >> 2 & 3;
		for (u32 i = 0; i < 4; i++) {
			const struct element ea = element_of_quad_a(l, i, m->a_col), eb = element_of_quad_b(l, i, m->b_row);
			a[q][ea.row * 4 + ea.col] = field(((const u32 *)exec_at(x, w->s[i / 2]))[l], i & 1, 16);
			b[q][eb.row * 8 + eb.col] = field(((const u32 *)exec_at(x, w->s[2 + i / 2]))[l], i & 1, 16);
		}
		for (u32 i = 0; i < 8; i++) {
			const struct element ec = element_of_quad_c(l, i, c32);
			const u32 *reg = exec_at(x, w->s[4 + (c32 ? i : i / 2)]);
			const u32 v = c32 ? reg[l] : field(reg[l], i & 1, 16);
			c[q][ec.row * 8 + ec.col] = !c32 && d32 ? bits_f32(f16_to_f32((u16)v)) : v;
		}
	}
	r.f16 = !d32;
	for (u32 q = 0; q < 4; q++)
		if (x->f->tensor.quads_f32)
			multiply_f32(d32, a[q], b[q], c[q]);
		else
			multiply_float(&r, m, a[q], b[q], c[q]);
	for (u32 k = 0; k < w->nd; k++) {
		if (w->d[k] == OPND_NONE)
			continue;
		u32 *reg = exec_at(x, w->d[k]);
		for (u32 l = 0; l < LANES; l++) {
			const u32 *from = c[l >> 2 & 3];
			const struct element e = element_of_quad_c(l, d32 ? k : 2 * k, d32);
			reg[l] = d32 ? from[e.row * 8 + e.col] : from[e.row * 8 + e.col] | from[e.row * 8 + e.col + 1] << 16;
		}
	}
}

/* --- f64 ---------------------------------------------------------------------------------------------------------- */

static void mma_f64(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const struct wide *w = in->wide;
	const struct mma_shape *m = &w->shape;
	const bool tall = m->m == 16;
	double a[16][16], b[16][8], c[16][8];
	if (!matrix_converged(x))
		return;
	for (u32 l = 0; l < LANES; l++) {
		for (u32 r = 0; r < w->na; r++) {
			const struct element e = element_of_a(l, r, 0, 1, tall);
			a[e.row][e.col] = ((const double *)exec_at(x, w->s[r]))[l];
		}
		for (u32 r = 0; r < w->nb; r++) {
			const struct element e = element_of_b(l, r, 0, 1);
			b[e.row][e.col] = ((const double *)exec_at(x, w->s[w->na + r]))[l];
		}
		for (u32 r = 0; r < w->nc; r++) {
			const struct element e = element_of_c(l, r, 0, 1);
			c[e.row][e.col] = ((const double *)exec_at(x, w->s[w->na + w->nb + r]))[l];
		}
	}
	for (u32 i = 0; i < m->m; i++)
		for (u32 j = 0; j < m->n; j++)
			c[i][j] = matrix_dot(a[i], &b[0][j], 8, m->k, c[i][j], (enum rounding)m->round);
	for (u32 r = 0; r < w->nd; r++) {
		if (w->d[r] == OPND_NONE)
			continue;
		double *reg = exec_at(x, w->d[r]);
		for (u32 l = 0; l < LANES; l++) {
			const struct element e = element_of_c(l, r, 0, 1);
			reg[l] = c[e.row][e.col];
		}
	}
}

/* --- integers ----------------------------------------------------------------------------------------------------- */

static s32 extend(u32 v, u8 type)
{
	switch (type) {
	case MT_S8: return (s8)v;
	case MT_S4: return (s32)(v << 28) >> 28;
	default: return (s32)v;
	}
}
static u32 accumulate(const struct mma_shape *m, u32 c, s64 sum)
{
	const s64 all = (s64)(s32)c + sum;
	return m->sat ? (u32)(s32)MIN(MAX(all, (s64)INT32_MIN), (s64)INT32_MAX) : (u32)all;
}
static void mma_int(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const struct wide *w = in->wide;
	const struct mma_shape *m = &w->shape;
	static const u32 K = DEPTH / 2; /* s4 k128 */
	u32 a[ROWS * DEPTH / 2], b[DEPTH / 2 * COLS], c[ROWS * COLS];
	_Static_assert(DEPTH / 2 == 128, "mma.sp of s4");
	(void)K;
	if (!matrix_converged(x))
		return;
	gather(x, w, MM_A, a, m->k);
	gather(x, w, MM_B, b, m->n);
	gather(x, w, MM_C, c, m->n);
	if (m->sparse)
		spread(x, w, a, m->k);
	for (u32 i = 0; i < (u32)m->m * m->k; i++)
		a[i] = (u32)extend(a[i], m->a);
	for (u32 i = 0; i < (u32)m->k * m->n; i++)
		b[i] = (u32)extend(b[i], m->b);
	for (u32 i = 0; i < m->m; i++)
		for (u32 j = 0; j < m->n; j += MMA_COLS) {
			s32 sum[MMA_COLS] = {0};
			for (u32 k = 0; k < m->k; k++)
				for (u32 l = 0; l < MMA_COLS; l++)
					sum[l] += (s32)a[i * m->k + k] * (s32)b[k * m->n + j + l];
			for (u32 l = 0; l < MMA_COLS; l++)
				c[i * m->n + j + l] = accumulate(m, c[i * m->n + j + l], sum[l]);
		}
	scatter(x, w, c, m->n);
}
/* b1: 32 elements a register, which stay together. */
static void mma_bits(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const struct wide *w = in->wide;
	const struct mma_shape *m = &w->shape;
	u32 a[16][8], b[8][8], c[16 * 8];
	if (!matrix_converged(x))
		return;
	for (u32 l = 0; l < LANES; l++) {
		for (u32 r = 0; r < w->na; r++) {
			const struct element e = element_of_a(l, r, 0, 1, m->m == 16);
			a[e.row][e.col] = ((const u32 *)exec_at(x, w->s[r]))[l];
		}
		for (u32 r = 0; r < w->nb; r++) {
			const struct element e = element_of_b(l, r, 0, 1);
			b[e.row][e.col] = ((const u32 *)exec_at(x, w->s[w->na + r]))[l];
		}
	}
	gather(x, w, MM_C, c, m->n);
	for (u32 i = 0; i < m->m; i++)
		for (u32 j = 0; j < m->n; j++) {
			u32 sum = 0;
			for (u32 k = 0; k < m->k / 32u; k++)
				sum += (u32)__builtin_popcount(m->b1_and ? a[i][k] & b[k][j] : a[i][k] ^ b[k][j]);
			c[i * m->n + j] += sum;
		}
	scatter(x, w, c, m->n);
}

exec_fn LEVEL_NAME(exec_mma)(const struct inst *in)
{
	if (in->op != OP_MMA || !in->wide)
		return NULL;
	const struct mma_shape *m = &in->wide->shape;
	switch (m->a) {
	case MT_F64: return mma_f64;
	case MT_B1: return mma_bits;
	case MT_S8:
	case MT_U8:
	case MT_S4:
	case MT_U4: return mma_int;
	default: return m->k == 4 && m->m == 8 ? mma_quads : mma_float;
	}
}
