/* Needleman-Wunsch global alignment: score[y][x] = max(score[y-1][x-1] + similarity[y][x], score[y][x-1] - penalty,
 * score[y-1][x] - penalty) on a square of n x n cells below a border row and column, n a multiple of 16. Tiles of 16 x
 * 16 on one anti-diagonal do not depend on each other: one launch per anti-diagonal of tiles, one CTA of 16 threads a
 * tile. nw_upper runs the first n / 16 diagonals, nw_lower the rest. nw8.cu is the same with tiles of 8 x 8. */
#include "device.h"

#ifndef B
#define B 16
#endif

/* Computes the tile whose first inner cell is (ty * B + 1, tx * B + 1); rows of both matrices have n + 1 cells.
 * Thread t owns column t of the tile and is one row behind thread t - 1. Cells of an anti-diagonal are 16 words apart
 * in s, thus in two banks of shared memory: an 8-way conflict at every access, which the usual formulation has as well.
 */
static __device__ __forceinline__ void tile(int (*s)[B + 1], int (*sim)[B], const int *similarity, int *score, int n,
                                            int tx, int ty, int penalty)
{
	int t = threadIdx.x;
	int pitch = n + 1;
	int corner = ty * B * pitch + tx * B;

#pragma unroll
	for (int i = 0; i < B; i++)
		sim[i][t] = similarity[corner + (i + 1) * pitch + t + 1];
	s[t + 1][0] = score[corner + (t + 1) * pitch];
	s[0][t + 1] = score[corner + t + 1];
	if (t == 0)
		s[0][0] = score[corner];
	__syncthreads();

#pragma unroll 1
	for (int d = 0; d < 2 * B - 1; d++) {
		int y = d - t;

		if (y >= 0 && y < B) {
			int gap = max(s[y + 1][t], s[y][t + 1]) - penalty;

			s[y + 1][t + 1] = max(s[y][t] + sim[y][t], gap);
		}
		__syncthreads();
	}

#pragma unroll
	for (int i = 0; i < B; i++)
		score[corner + (i + 1) * pitch + t + 1] = s[i + 1][t + 1];
}

/* Diagonal d = 0 .. n/16 - 1 has d + 1 tiles. */
extern "C" __global__ void nw_upper(const int *similarity, int *score, int n, int penalty, int d)
{
	__shared__ int s[B + 1][B + 1], sim[B][B];

	tile(s, sim, similarity, score, n, blockIdx.x, d - blockIdx.x, penalty);
}

/* Diagonal with d tiles left, d = n/16 - 1 .. 1. */
extern "C" __global__ void nw_lower(const int *similarity, int *score, int n, int penalty, int d)
{
	__shared__ int s[B + 1][B + 1], sim[B][B];
	int tiles = n / B;

	tile(s, sim, similarity, score, n, tiles - d + blockIdx.x, tiles - 1 - blockIdx.x, penalty);
}
