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
#define WIDTH (TILE + 2 * RADIUS)
#define UNROLL 9 /* planes, as the sample's pragma says; by hand, since clang does not unroll a loop with barriers */

__constant__ float weights[RADIUS + 1];

/* The plane's tile from global memory: the thread's own point and, by the first RADIUS rows and columns of threads, the
 * halo. p: the thread's point in the plane; mine: its place in the tile. */
static __device__ __forceinline__ void load_tile(float *mine, const float *p, float own, int row)
{
	if (threadIdx.y < RADIUS) {
		mine[-RADIUS * WIDTH] = p[-RADIUS * row];
		mine[TILE * WIDTH] = p[TILE * row];
	}
	if (threadIdx.x < RADIUS) {
		mine[-RADIUS] = p[-RADIUS];
		mine[TILE] = p[TILE];
	}
	*mine = own;
}

/* The thread's column around its plane: what is RADIUS and less behind it, in front of it, and in it. */
struct column {
	float behind[RADIUS], front[RADIUS], now;
};

/* Computes the thread's point of the plane and moves on by one; more: there is a plane to load in front. */
static __device__ __forceinline__ void step(float *mine, float *out, const float *in, struct column *c,
                                            int *at, int row, int plane, bool more)
{
	load_tile(mine, in + *at, c->now, row);
	__syncthreads();
	float value = weights[0] * c->now;
#pragma unroll
	for (int i = 1; i <= RADIUS; i++)
		value += weights[i] * (c->front[i - 1] + c->behind[i - 1] + mine[-i * WIDTH] + mine[i * WIDTH] + mine[-i] +
		                       mine[i]);
	out[*at] = value;
	__syncthreads();
#pragma unroll
	for (int i = RADIUS - 1; i > 0; i--)
		c->behind[i] = c->behind[i - 1];
	c->behind[0] = c->now;
	c->now = c->front[0];
#pragma unroll
	for (int i = 0; i < RADIUS - 1; i++)
		c->front[i] = c->front[i + 1];
	*at += plane;
	/* Hides the sum from the compiler: it would have the addresses of all the unrolled planes at once, in 26 registers. */
	asm volatile("" : "+r"(*at));
	if (more)
		c->front[RADIUS - 1] = in[*at + RADIUS * plane];
}

extern "C" __global__ void __launch_bounds__(TILE *TILE)
    finite_differences(float *__restrict__ out, const float *__restrict__ in, int nx, int ny, int nz)
{
	__shared__ float tile[WIDTH][WIDTH];
	float *mine = &tile[threadIdx.y + RADIUS][threadIdx.x + RADIUS];
	int row = nx + 2 * RADIUS, plane = row * (ny + 2 * RADIUS);
	int at = (blockIdx.y * TILE + threadIdx.y + RADIUS) * row + blockIdx.x * TILE + threadIdx.x + RADIUS;
	struct column c;
	int z = 0;

#pragma unroll
	for (int i = RADIUS - 1; i >= 0; i--) {
		c.behind[i] = in[at];
		at += plane;
	}
	c.now = in[at];
#pragma unroll
	for (int i = 0; i < RADIUS; i++)
		c.front[i] = in[at + (i + 1) * plane];
	for (; z + UNROLL <= nz; z += UNROLL) {
#pragma unroll
		for (int i = 0; i < UNROLL; i++)
			step(mine, out, in, &c, &at, row, plane, z + i < nz - 1);
	}
#pragma unroll 1
	for (; z < nz; z++)
		step(mine, out, in, &c, &at, row, plane, z < nz - 1);
}
