/* Forward and inverse discrete cosine transform of an image's 8 x 8 blocks, and their quantisation as in JPEG, after
 * the CUDA SDK's dct8x8 in its two float versions:
 *   dct_matrix, idct_matrix   a CTA of 8 x 8 for one block: two products with the cosine matrix, in shared memory
 *   dct_fast, idct_fast       a CTA of 8 x 4 x 2 for 32 x 16 pixels: a thread transforms a whole column, then a row, of
 *                             8 values in registers, by even and odd parts
 *   quantise                  a CTA of 8 x 8 for one block
 * Where it differs: the SDK reads the image through a texture, and its fast version uses more factored butterflies.
 * The image's width is a multiple of 32, its height of 16; `stride` elements separate two rows. */
#include "device.h"

#define BLOCK 8
#define TILE_X 32
#define TILE_Y 16
#define PITCH (TILE_X + 1)

/* c[u][x] = cos((2 x + 1) u pi / 16) * sqrt(1 / 8 or 2 / 8); JPEG's table for luminance. The host fills both. */
__constant__ float cosine[BLOCK * BLOCK];
__constant__ short quantum[BLOCK * BLOCK];

/* What rows and columns a product sums over. */
enum order { FORWARD, INVERSE };

/* out = C in Ct, or Ct in C for the inverse. */
static __device__ __forceinline__ void transform(float *out, const float *in, int stride, enum order order)
{
	__shared__ float s[BLOCK * BLOCK], half[BLOCK * BLOCK];
	int tx = threadIdx.x, ty = threadIdx.y, t = ty * BLOCK + tx;
	int at = (blockIdx.y * BLOCK + ty) * stride + blockIdx.x * BLOCK + tx;
	float sum = 0.0f;

	s[t] = in[at];
	__syncthreads();
#pragma unroll
	for (int i = 0; i < BLOCK; i++)
		sum += cosine[order == FORWARD ? ty * BLOCK + i : i * BLOCK + ty] * s[i * BLOCK + tx];
	half[t] = sum;
	__syncthreads();
	sum = 0.0f;
#pragma unroll
	for (int i = 0; i < BLOCK; i++)
		sum += half[ty * BLOCK + i] * cosine[order == FORWARD ? tx * BLOCK + i : i * BLOCK + tx];
	out[at] = sum;
}

extern "C" __global__ void dct_matrix(float *out, const float *in, int stride)
{
	transform(out, in, stride, FORWARD);
}

extern "C" __global__ void idct_matrix(float *out, const float *in, int stride)
{
	transform(out, in, stride, INVERSE);
}

#define C1 0.490392640201615f /* cos(k pi / 16) / 2 */
#define C2 0.461939766255643f
#define C3 0.415734806151273f
#define C4 0.353553390593274f
#define C5 0.277785116509801f
#define C6 0.191341716182545f
#define C7 0.097545161008064f

/* Eight values `step` apart in place. Sums of x and 7 - x make the even coefficients, differences the odd ones. */
static __device__ __forceinline__ void dct8(float *v, int step)
{
	float x0 = v[0], x1 = v[step], x2 = v[2 * step], x3 = v[3 * step];
	float x4 = v[4 * step], x5 = v[5 * step], x6 = v[6 * step], x7 = v[7 * step];
	float s0 = x0 + x7, s1 = x1 + x6, s2 = x2 + x5, s3 = x3 + x4;
	float d0 = x0 - x7, d1 = x1 - x6, d2 = x2 - x5, d3 = x3 - x4;
	float e0 = s0 + s3, e1 = s1 + s2, f0 = s0 - s3, f1 = s1 - s2;

	v[0] = C4 * (e0 + e1);
	v[4 * step] = C4 * (e0 - e1);
	v[2 * step] = C2 * f0 + C6 * f1;
	v[6 * step] = C6 * f0 - C2 * f1;
	v[step] = C1 * d0 + C3 * d1 + C5 * d2 + C7 * d3;
	v[3 * step] = C3 * d0 - C7 * d1 - C1 * d2 - C5 * d3;
	v[5 * step] = C5 * d0 - C1 * d1 + C7 * d2 + C3 * d3;
	v[7 * step] = C7 * d0 - C5 * d1 + C3 * d2 - C1 * d3;
}

static __device__ __forceinline__ void idct8(float *v, int step)
{
	float y0 = v[0], y1 = v[step], y2 = v[2 * step], y3 = v[3 * step];
	float y4 = v[4 * step], y5 = v[5 * step], y6 = v[6 * step], y7 = v[7 * step];
	float a0 = C4 * (y0 + y4), a1 = C4 * (y0 - y4);
	float b0 = C2 * y2 + C6 * y6, b1 = C6 * y2 - C2 * y6;
	float e0 = a0 + b0, e1 = a1 + b1, e2 = a1 - b1, e3 = a0 - b0;
	float o0 = C1 * y1 + C3 * y3 + C5 * y5 + C7 * y7;
	float o1 = C3 * y1 - C7 * y3 - C1 * y5 - C5 * y7;
	float o2 = C5 * y1 - C1 * y3 + C7 * y5 + C3 * y7;
	float o3 = C7 * y1 - C5 * y3 + C3 * y5 - C1 * y7;

	v[0] = e0 + o0;
	v[step] = e1 + o1;
	v[2 * step] = e2 + o2;
	v[3 * step] = e3 + o3;
	v[4 * step] = e3 - o3;
	v[5 * step] = e2 - o2;
	v[6 * step] = e1 - o1;
	v[7 * step] = e0 - o0;
}

/* The 64 threads are (8 columns, 4 blocks across, 2 down). Warps exchange columns and rows through the tile. */
static __device__ __forceinline__ void transform_tile(float *out, const float *in, int stride, enum order order)
{
	__shared__ float tile[TILE_Y * PITCH];
	int x = threadIdx.y * BLOCK + threadIdx.x; /* column of the tile */
	int top = threadIdx.z * BLOCK;             /* first row of the thread's block */
	int left = threadIdx.y * BLOCK;            /* first column of the thread's block */
	int at = (blockIdx.y * TILE_Y + top) * stride + blockIdx.x * TILE_X + x;
	float *column = tile + top * PITCH + x, *row = tile + (top + threadIdx.x) * PITCH + left;

#pragma unroll
	for (int i = 0; i < BLOCK; i++)
		column[i * PITCH] = in[at + i * stride];
	__syncthreads();
	if (order == FORWARD)
		dct8(column, PITCH);
	else
		idct8(row, 1);
	__syncthreads();
	if (order == FORWARD)
		dct8(row, 1);
	else
		idct8(column, PITCH);
	__syncthreads();
#pragma unroll
	for (int i = 0; i < BLOCK; i++)
		out[at + i * stride] = column[i * PITCH];
}

extern "C" __global__ void dct_fast(float *out, const float *in, int stride)
{
	transform_tile(out, in, stride, FORWARD);
}

extern "C" __global__ void idct_fast(float *out, const float *in, int stride)
{
	transform_tile(out, in, stride, INVERSE);
}

/* Every coefficient to the nearest multiple of its quantum, in place. */
extern "C" __global__ void quantise(float *data, int stride)
{
	int tx = threadIdx.x, ty = threadIdx.y;
	int at = (blockIdx.y * BLOCK + ty) * stride + blockIdx.x * BLOCK + tx;
	float q = quantum[ty * BLOCK + tx];

	data[at] = __builtin_rintf(data[at] / q) * q;
}
