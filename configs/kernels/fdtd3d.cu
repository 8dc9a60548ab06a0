/* One time step of a three-dimensional finite-difference scheme of order 8: every point becomes a weighted sum of
 * itself and of the points up to RADIUS away along each axis. Volumes carry a halo of RADIUS points on every side,
 * never written.
 *
 * Follows the FDTD3d sample of the CUDA SDK (radius 4): a CTA owns a tile of columns and walks them along z; the
 * plane's tile with its halo is in shared memory, the RADIUS points in front and behind in registers, the weights in
 * constant memory; a launch per step. The tile is 16 x 16 as in published simulator studies (the sample picks up to 32
 * x 16); nx and ny are multiples of it, so no thread is ever outside. */
#include "device.h"

#define RADIUS 4
#define TILE 16

__constant__ float weights[RADIUS + 1];

/* The plane's tile from global memory: the thread's own point and, by the first RADIUS rows and columns of threads, the
 * halo. p: the thread's point in the plane. */
static __device__ __forceinline__ void load_tile(float (*tile)[TILE + 2 * RADIUS], const float *p, float own, int row)
{
	int tx = threadIdx.x + RADIUS, ty = threadIdx.y + RADIUS;

	if (threadIdx.y < RADIUS) {
		tile[ty - RADIUS][tx] = p[-RADIUS * row];
		tile[ty + TILE][tx] = p[TILE * row];
	}
	if (threadIdx.x < RADIUS) {
		tile[ty][tx - RADIUS] = p[-RADIUS];
		tile[ty][tx + TILE] = p[TILE];
	}
	tile[ty][tx] = own;
}

extern "C" __global__ void __launch_bounds__(TILE *TILE)
    finite_differences(float *__restrict__ out, const float *__restrict__ in, int nx, int ny, int nz)
{
	__shared__ float tile[TILE + 2 * RADIUS][TILE + 2 * RADIUS];
	int tx = threadIdx.x + RADIUS, ty = threadIdx.y + RADIUS;
	int row = nx + 2 * RADIUS, plane = row * (ny + 2 * RADIUS);
	int at = (blockIdx.y * TILE + ty) * row + blockIdx.x * TILE + tx;
	float behind[RADIUS], front[RADIUS], now;

#pragma unroll
	for (int i = RADIUS - 1; i >= 0; i--) {
		behind[i] = in[at];
		at += plane;
	}
	now = in[at];
	int ahead = at;
#pragma unroll
	for (int i = 0; i < RADIUS; i++) {
		ahead += plane;
		front[i] = in[ahead];
	}
	for (int z = 0; z < nz; z++) {
		load_tile(tile, in + at, now, row);
		__syncthreads();
		float value = weights[0] * now;
#pragma unroll
		for (int i = 1; i <= RADIUS; i++)
			value += weights[i] * (front[i - 1] + behind[i - 1] + tile[ty - i][tx] + tile[ty + i][tx] +
			                       tile[ty][tx - i] + tile[ty][tx + i]);
		out[at] = value;
		__syncthreads();
#pragma unroll
		for (int i = RADIUS - 1; i > 0; i--)
			behind[i] = behind[i - 1];
		behind[0] = now;
		now = front[0];
#pragma unroll
		for (int i = 0; i < RADIUS - 1; i++)
			front[i] = front[i + 1];
		at += plane;
		ahead += plane;
		if (z < nz - 1)
			front[RADIUS - 1] = in[ahead];
	}
}
