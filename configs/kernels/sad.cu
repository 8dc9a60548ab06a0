/* Sums of absolute differences for motion estimation in video coding: every block of the current frame against the
 * reference frame at each of 33 x 33 displacements (-16 .. 16 in x and y), for all seven block shapes of H.264, from 4
 * x 4 up to a whole macroblock of 16 x 16. All values are 16 bits and fit.
 *
 * Follows Parboil's sad: sad_4x4, a CTA of 61 threads per 4 x 4 block, 18 displacements a thread, the reference frame
 * read through the texture unit (clamped at its edges); sad_8, CTAs of 32 x 4 per macroblock, adds these up to 8x4, 4x8
 * and 8x8, two displacements in one 32-bit word; sad_16, CTAs of 32, to 16x8, 8x16 and 16x16. */
#include "device.h"

#define RANGE 16
#define SIDE (2 * RANGE + 1)
#define POSITIONS (SIDE * SIDE)
#define PADDED 1104        /* positions between two blocks' results: the next multiple of 16 */
#define WORDS (PADDED / 2) /* of two positions */
#define PER_THREAD 18      /* 61 x 18 >= 1089 */

typedef unsigned short u16;

/* 4 x 4 blocks are numbered macroblock by macroblock, and within one 8 x 8 block by 8 x 8 block. */
static __device__ __forceinline__ int block_number(int bx, int by, int mb_width)
{
	int mb = (by / 4) * mb_width + bx / 4;

	return mb * 16 + (by / 2 % 2 * 2 + bx / 2 % 2) * 4 + by % 2 * 2 + bx % 2;
}

extern "C" __global__ void sad_4x4(const u16 *__restrict__ current, texture_object reference, u16 *__restrict__ sads,
                                   int mb_width)
{
	int x0 = 4 * blockIdx.x, y0 = 4 * blockIdx.y;
	int width = 16 * mb_width;
	int pixel[16];
	u16 *out = sads + block_number(blockIdx.x, blockIdx.y, mb_width) * PADDED;
	int first = threadIdx.x * PER_THREAD;
	int end = min(first + PER_THREAD, POSITIONS);

#pragma unroll
	for (int i = 0; i < 16; i++)
		pixel[i] = current[(y0 + i / 4) * width + x0 + i % 4];
#pragma unroll 1
	for (int position = first; position < end; position++) {
		int x = x0 + position % SIDE - RANGE, y = y0 + position / SIDE - RANGE;
		int sum = 0;

#pragma unroll
		for (int i = 0; i < 16; i++)
			sum += __builtin_abs(pixel[i] - (int)tex2d_uint(reference, x + i % 4, y + i / 4));
		out[position] = (u16)sum;
	}
}

/* in: results for 4x4. out: of each shape the blocks of all macroblocks, 8 of 8x4, 8 of 4x8, 4 of 8x8 a macroblock;
 * threadIdx.y is the 8 x 8 block. */
extern "C" __global__ void sad_8(const unsigned *__restrict__ in, unsigned *__restrict__ wide,
                                 unsigned *__restrict__ tall, unsigned *__restrict__ square)
{
	int block = (blockIdx.y * gridDim.x + blockIdx.x) * 4 + threadIdx.y;

	in += block * 4 * WORDS;
	wide += block * 2 * WORDS;
	tall += block * 2 * WORDS;
	square += block * WORDS;
#pragma unroll 1
	for (int i = threadIdx.x; i < WORDS; i += 32) {
		unsigned a = in[i], b = in[i + WORDS], c = in[i + 2 * WORDS], d = in[i + 3 * WORDS];

		wide[i] = a + b;
		wide[i + WORDS] = c + d;
		tall[i] = a + c;
		tall[i + WORDS] = b + d;
		square[i] = a + b + c + d;
	}
}

/* in: results for 8x8. out: 2 of 16x8, 2 of 8x16, 1 of 16x16 a macroblock. */
extern "C" __global__ void sad_16(const unsigned *__restrict__ in, unsigned *__restrict__ wide,
                                  unsigned *__restrict__ tall, unsigned *__restrict__ square)
{
	int block = blockIdx.y * gridDim.x + blockIdx.x;

	in += block * 4 * WORDS;
	wide += block * 2 * WORDS;
	tall += block * 2 * WORDS;
	square += block * WORDS;
#pragma unroll 1
	for (int i = threadIdx.x; i < WORDS; i += 32) {
		unsigned a = in[i], b = in[i + WORDS], c = in[i + 2 * WORDS], d = in[i + 3 * WORDS];

		wide[i] = a + b;
		wide[i + WORDS] = c + d;
		tall[i] = a + c;
		tall[i + WORDS] = b + d;
		square[i] = a + b + c + d;
	}
}
