/* Two-point angular correlation function: histograms of the angular distance of all pairs of points in the sky, within
 * the observed set (DD), between it and each random set (DR), and within each random set (RR).
 *
 * Follows Parboil's tpacf: one CTA of 256 threads per histogram, so 1 + 2 x sets of them; a tile of 256 points in
 * shared memory against one point a thread; the bin by bisection over cosines in constant memory; and HISTOGRAMS copies
 * of the histogram in shared memory, 16 a warp, so that at most two lanes meet at one counter, added up at the end
 * (13.3 KB a CTA). Counters are incremented with shared-memory atomics, where the original also has code for machines
 * without. */
#include "device.h"

#define THREADS 256
#define BINS 20
#define PER_WARP 16
#define HISTOGRAMS (THREADS / 32 * PER_WARP)

/* Cosines of the bins' limits, falling: a pair is in bin b if edges[b] > cosine >= edges[b + 1]; the first and the last
 * bin are open. */
__constant__ float edges[BINS + 1];

static __device__ __forceinline__ int bin_of(float cosine)
{
	int low = 0, high = BINS;

	while (high > low + 1) {
		int middle = (low + high) / 2;

		if (cosine >= edges[middle])
			high = middle;
		else
			low = middle;
	}
	return low;
}

/* Sums the copies, one bin after the other, by halving. */
static __device__ void write_totals(unsigned (*copies)[HISTOGRAMS], unsigned *out)
{
	int t = threadIdx.x;

	for (int half = HISTOGRAMS / 2; half > 0; half /= 2) {
		for (int i = t; i < BINS * half; i += THREADS) {
			int bin = i / half, at = i % half;

			copies[bin][at] += copies[bin][at + half];
		}
		__syncthreads();
	}
	if (t < BINS)
		out[t] = copies[t][0];
}

/* Points of all sets one set after the other, the observed one first; n a set. */
extern "C" __global__ void __launch_bounds__(THREADS)
    tpacf_histograms(const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ z,
                     unsigned *__restrict__ out, int nsets, int n)
{
	__shared__ float tile_x[THREADS], tile_y[THREADS], tile_z[THREADS];
	__shared__ unsigned copies[BINS][HISTOGRAMS];
	int t = threadIdx.x, which = blockIdx.x;
	bool within = which == 0 || which > nsets;
	int set1 = which > nsets ? which - nsets : 0, set2 = which > nsets ? which - nsets : which;
	int my_copy = t / 32 * PER_WARP + t % PER_WARP;

	for (int i = t; i < BINS * HISTOGRAMS; i += THREADS)
		copies[i / HISTOGRAMS][i % HISTOGRAMS] = 0;
	for (int from = 0; from < n; from += THREADS) {
		int tile = min(THREADS, n - from);

		__syncthreads();
		if (t < tile) {
			tile_x[t] = x[set1 * n + from + t];
			tile_y[t] = y[set1 * n + from + t];
			tile_z[t] = z[set1 * n + from + t];
		}
		__syncthreads();
		/* Within a set only pairs whose second point comes after the first. */
		for (int j = (within ? from : 0) + t; j < n; j += THREADS) {
			float px = x[set2 * n + j], py = y[set2 * n + j], pz = z[set2 * n + j];
			int end = within ? min(tile, j - from) : tile;

			for (int k = 0; k < end; k++) {
				float cosine = tile_x[k] * px + tile_y[k] * py + tile_z[k] * pz;

				atomicAdd(&copies[bin_of(cosine)][my_copy], 1);
			}
		}
	}
	__syncthreads();
	write_totals(copies, out + which * BINS);
}
