/* Compression of an image to DXT1 (BC1), in the manner of the CUDA SDK's dxtc: a CTA a block of 4 x 4 texels, which is
 * left as two colours of 5 + 6 + 5 bits and a 2-bit code a texel.
 *
 * Texels are sorted along the principal axis of their colours. Codes that are monotone in that order are tried, all of
 * them, 969 with four colours a block and 153 with three, shared among the CTA's threads: least squares give the two
 * colours that suit a choice of codes best, and these, rounded, its error. The best one wins, of equal ones the first.
 *
 * Sums are exact: of integers below 2^24. Products that are added are written as fused steps, so that the order of
 * texels does not depend on what the compiler fuses. Loops over texels stay loops: the published lengths of the
 * original's phases leave no room for unrolled ones. blockDim.x: 64, 128 or 256. */
#include "device.h"

#define MAX_THREADS 256
#define TEXELS 16
#define FOUR 969  /* monotone codes of four colours */
#define THREE 153 /* of them, those without the code of the fourth colour come first */
#define STATISTICS 9
#define INFINITE 1e30f

struct rgb {
	float r, g, b;
};
struct choice {
	float error; /* sum of squares over texels and channels, less the sum of the colours' squares */
	unsigned codes, first, second;
	bool three;
};

static __device__ __forceinline__ float dot(struct rgb a, struct rgb b)
{
	return __builtin_fmaf(a.r, b.r, __builtin_fmaf(a.g, b.g, a.b * b.b));
}

static __device__ __forceinline__ struct rgb scaled(struct rgb a, float by)
{
	return (struct rgb){a.r * by, a.g * by, a.b * by};
}

/* --- the order of texels ----------------------------------------------------------------------------------------- */

/* sums[0]: the texels' sums of r, g, b, r r, r g, r b, g g, g b, b b, by a tree over 16 threads. */
static __device__ __forceinline__ void add_up(struct rgb c, float (*sums)[STATISTICS])
{
	unsigned t = threadIdx.x;

	if (t < TEXELS) {
		float v[STATISTICS] = {c.r, c.g, c.b, c.r * c.r, c.r * c.g, c.r * c.b, c.g * c.g, c.g * c.b, c.b * c.b};

#pragma unroll
		for (int k = 0; k < STATISTICS; k++)
			sums[t][k] = v[k];
	}
#pragma unroll 1
	for (unsigned half = TEXELS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (t < half) {
#pragma unroll
			for (int k = 0; k < STATISTICS; k++)
				sums[t][k] += sums[t + half][k];
		}
	}
	__syncthreads();
}

/* The eigenvector of the covariance matrix (times 256) with the largest eigenvalue: eight steps of the power method
 * from (1, 1, 1); 0 if all texels have one colour. */
static __device__ __forceinline__ struct rgb principal_axis(const float *sum)
{
	float rr = 16 * sum[3] - sum[0] * sum[0], rg = 16 * sum[4] - sum[0] * sum[1], rb = 16 * sum[5] - sum[0] * sum[2];
	float gg = 16 * sum[6] - sum[1] * sum[1], gb = 16 * sum[7] - sum[1] * sum[2], bb = 16 * sum[8] - sum[2] * sum[2];
	struct rgb v = {1, 1, 1};

#pragma unroll 1
	for (int step = 0; step < 8; step++) {
		struct rgb w = {dot((struct rgb){rr, rg, rb}, v), dot((struct rgb){rg, gg, gb}, v),
		                dot((struct rgb){rb, gb, bb}, v)};
		float largest = fmaxf(fmaxf(fabsf(w.r), fabsf(w.g)), fabsf(w.b));

		v = scaled(w, largest > 0 ? 1.0f / largest : 0.0f);
	}
	return v;
}

/* Texel t's place along the axis; the first of equals comes first. */
static __device__ __forceinline__ unsigned rank_of(const float *along)
{
	unsigned t = threadIdx.x, rank = 0;
	float mine = along[t];

#pragma unroll 1
	for (unsigned i = 0; i < TEXELS; i++)
		rank += along[i] < mine || (along[i] == mine && i < t);
	return rank;
}

/* --- trying codes ------------------------------------------------------------------------------------------------ */

/* The nearest colour of `levels` + 1 (31 or 63): its number, and what it stands for in 0..255 once its upper bits are
 * repeated below. */
static __device__ __forceinline__ float quantise(float colour, float levels, unsigned *number)
{
	float n = floorf(fminf(fmaxf(colour, 0.0f), 255.0f) * (levels / 255.0f) + 0.5f);

	*number = (unsigned)n;
	return levels == 31 ? n * 8 + floorf(n * 0.25f) : n * 4 + floorf(n * 0.0625f);
}

/* Weights of the first and second colour, a and b, that add up to `most` for every texel; their products' sums over the
 * texels, and the first's with the colours. */
struct normal_equations {
	float aa, bb, ab;
	struct rgb ax;
	float most;
};

/* One channel: its two colours (numbers shifted into place) and `most`^2 times its error. */
static __device__ __forceinline__ float solve(const struct normal_equations *e, float ax, float sum, float scale,
                                              float levels, int shift, struct choice *c)
{
	float bx = e->most * sum - ax;
	unsigned first, second;
	float a = quantise((ax * e->bb - bx * e->ab) * scale, levels, &first);
	float b = quantise((bx * e->aa - ax * e->ab) * scale, levels, &second);

	c->first |= first << shift;
	c->second |= second << shift;
	return a * (a * e->aa + 2 * (b * e->ab - e->most * ax)) + b * (b * e->bb - 2 * e->most * bx);
}

/* Singular equations (all texels of one code) give 0 * infinity, from there black and the error of black. */
static __device__ __forceinline__ struct choice solve_all(const struct normal_equations *e, struct rgb sum,
                                                          unsigned codes)
{
	struct choice c = {0, codes, 0, 0, e->most == 2};
	float scale = e->most / (e->aa * e->bb - e->ab * e->ab);

	c.error = solve(e, e->ax.r, sum.r, scale, 31, 11, &c);
	c.error += solve(e, e->ax.g, sum.g, scale, 63, 5, &c);
	c.error += solve(e, e->ax.b, sum.b, scale, 31, 0, &c);
	c.error *= 1 / (e->most * e->most);
	return c;
}

/* Codes in the order of sorted texels: 0, 2, 3, 1 along the axis with four colours, 0, 2, 1 with three. */
static __device__ __forceinline__ struct choice try_codes(unsigned codes, const struct rgb *colour, struct rgb sum,
                                                          bool three)
{
	struct normal_equations e = {0, 0, 0, {0, 0, 0}, three ? 2.0f : 3.0f};
	unsigned left = codes;

#pragma unroll 1
	for (int i = 0; i < TEXELS; i++, left >>= 2) {
		float low = left & 1;
		float b = left & 2 ? 1 + low : e.most * low;
		float a = e.most - b;

		e.aa += a * a;
		e.bb += b * b;
		e.ab += a * b;
		e.ax.r += a * colour[i].r;
		e.ax.g += a * colour[i].g;
		e.ax.b += a * colour[i].b;
	}
	return solve_all(&e, sum, codes);
}

/* The thread's best choice: with four colours, then with three. `three` keeps the codes that both need; a thread reads
 * there what it wrote itself. */
static __device__ __forceinline__ struct choice try_all(const unsigned *permutations, const struct rgb *colour,
                                                        struct rgb sum, unsigned *three)
{
	struct choice best = {INFINITE, 0, 0, 0, false};

#pragma unroll 1
	for (unsigned i = threadIdx.x; i < FOUR; i += blockDim.x) {
		unsigned codes = permutations[i];
		struct choice c = try_codes(codes, colour, sum, false);

		if (i < THREE)
			three[i] = codes;
		if (c.error < best.error)
			best = c;
	}
#pragma unroll 1
	for (unsigned i = threadIdx.x; i < THREE; i += blockDim.x) {
		struct choice c = try_codes(three[i], colour, sum, true);

		if (c.error < best.error)
			best = c;
	}
	return best;
}

/* --- the result -------------------------------------------------------------------------------------------------- */

/* The thread with the smallest error, of equal ones the first. */
static __device__ __forceinline__ unsigned find_best(float mine, float *error, unsigned *thread)
{
	unsigned t = threadIdx.x;

	error[t] = mine;
	thread[t] = t;
#pragma unroll 1
	for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
		__syncthreads();
		if (t < half) {
			float other = error[t + half];

			if (other < error[t] || (other == error[t] && thread[t + half] < thread[t])) {
				error[t] = other;
				thread[t] = thread[t + half];
			}
		}
	}
	__syncthreads();
	return thread[0];
}

/* A block's two colours say by their order whether there are four or three; swapping them changes the codes. */
static __device__ __forceinline__ uint2 pack(struct choice c, const unsigned *rank)
{
	unsigned codes = 0;

	if (c.three ? c.first > c.second : c.first < c.second) {
		unsigned other = c.first;

		c.first = c.second;
		c.second = other;
		c.codes ^= c.three ? ~(c.codes >> 1) & 0x55555555 : 0x55555555;
	}
	if (c.first == c.second)
		c.codes = 0;
#pragma unroll 1
	for (int i = 0; i < TEXELS; i++)
		codes |= (c.codes >> 2 * rank[i] & 3) << 2 * i;
	return (uint2){c.second << 16 | c.first, codes};
}

/* image: blocks of 16 texels one after the other, 8 bits red, green, blue from the lowest on. */
extern "C" __global__ void dxtc_compress(const unsigned *permutations, const unsigned *image, uint2 *result)
{
	__shared__ float sums[TEXELS][STATISTICS], along[TEXELS], error[MAX_THREADS];
	__shared__ struct rgb colour[TEXELS];
	__shared__ unsigned rank[TEXELS], three[THREE], thread[MAX_THREADS];
	unsigned t = threadIdx.x;
	struct rgb mine = {0, 0, 0};

	if (t < TEXELS) {
		unsigned texel = image[blockIdx.x * TEXELS + t];

		mine = (struct rgb){(float)(texel & 255), (float)(texel >> 8 & 255), (float)(texel >> 16 & 255)};
	}
	add_up(mine, sums);
	struct rgb axis = principal_axis(sums[0]);

	if (t < TEXELS)
		along[t] = dot(mine, axis);
	__syncthreads();
	if (t < TEXELS) {
		rank[t] = rank_of(along);
		colour[rank[t]] = mine;
	}
	__syncthreads();
	struct choice best = try_all(permutations, colour, (struct rgb){sums[0][0], sums[0][1], sums[0][2]}, three);

	if (find_best(best.error, error, thread) == t)
		result[blockIdx.x] = pack(best, rank);
}
