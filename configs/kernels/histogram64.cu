/* Histogram of bytes in 64 bins, by their six high bits, without atomics: a thread counts in bytes of its own in shared
 * memory, no more data than a byte can count, and the CTA adds up what its threads have. A second kernel adds up the CTAs. */
#include "device.h"

#define BINS 64
#define THREADS 64
#define VECTORS 15 /* of 16 bytes that a thread takes: 240 bytes, and a counter holds 255 */

/* A row of 64 bytes a bin. Threads t and t + 16 share a word, which their warp writes byte by byte: as no two threads have a
 * byte in common, no update is lost. */
static __device__ __forceinline__ void add(unsigned char *mine, unsigned word)
{
	mine[(word >> 2 & 63) * THREADS]++;
	mine[(word >> 10 & 63) * THREADS]++;
	mine[(word >> 18 & 63) * THREADS]++;
	mine[(word >> 26 & 63) * THREADS]++;
}

extern "C" __global__ void histogram64(const uint4 *data, unsigned *partial, int vectors)
{
	__shared__ unsigned words[BINS * THREADS / 4];
	unsigned char *counts = (unsigned char *)words;
	unsigned t = threadIdx.x;
	unsigned char *mine = counts + (t & 15) * 4 + (t >> 4);

	for (int i = 0; i < BINS / 4; i++)
		words[i * THREADS + t] = 0;
	__syncthreads();
	for (int i = blockIdx.x * THREADS + t, n = 0; n < VECTORS && i < vectors; n++, i += THREADS * gridDim.x) {
		uint4 v = data[i];

		add(mine, v.x);
		add(mine, v.y);
		add(mine, v.z);
		add(mine, v.w);
	}
	__syncthreads();
	unsigned sum = 0; /* of bin t, from another word in each thread, so that banks differ */
	for (int i = 0; i < THREADS / 4; i++) {
		unsigned w = words[t * (THREADS / 4) + ((t + i) & 15)];

		sum += (w & 255) + (w >> 8 & 255) + (w >> 16 & 255) + (w >> 24);
	}
	partial[blockIdx.x * BINS + t] = sum;
}

/* Adds up bin blockIdx.x of all CTAs. CTAs have 256 threads. */
extern "C" __global__ void histogram64_merge(const unsigned *partial, unsigned *bins, int ctas)
{
	__shared__ unsigned sums[256];
	unsigned t = threadIdx.x, sum = 0;

	for (int i = t; i < ctas; i += 256)
		sum += partial[i * BINS + blockIdx.x];
	sums[t] = sum;
	for (unsigned half = 128; half; half >>= 1) {
		__syncthreads();
		if (t < half)
			sums[t] += sums[t + half];
	}
	if (!t)
		bins[blockIdx.x] = sums[0];
}
