/* One Jacobi step of Laplace's equation in three dimensions: every inner point becomes the mean of its six neighbours,
 * points on the box's faces stay (Dirichlet). After the solver LPS of GPGPU-Sim's benchmarks: a CTA of 16 x 8 threads
 * owns a column of the box and walks along z with three planes of its tile and the ring around it in shared memory, so
 * that each point is read about once from global memory. Every step moves two planes down and loads a third, each
 * thread its own points.
 *
 * The ring (2 * (16 + 8) points; corners are never used) is loaded by the CTA's first 48 threads, rows first. */
#include "device.h"

#define BX 16
#define BY 8
#define PITCH (BX + 2)
#define PLANE (PITCH * (BY + 2))
#define ROWS (2 * BX)
#define RING (ROWS + 2 * BY)

extern "C" __global__ void laplace3d(const float *u, float *next, int nx, int ny, int nz)
{
	__shared__ float tile[3 * PLANE];
	int tx = threadIdx.x, ty = threadIdx.y, t = ty * BX + tx;
	int x0 = blockIdx.x * BX, y0 = blockIdx.y * BY;
	int x = x0 + tx, y = y0 + ty;
	bool mine = x < nx && y < ny;

	/* The ring's point that this thread loads, in the tile and in the box. */
	int hx = t < ROWS ? t % BX : t & 1 ? BX : -1;
	int hy = t < ROWS ? (t < BX ? -1 : BY) : (t - ROWS) / 2;
	bool ring = t < RING && x0 + hx >= 0 && x0 + hx < nx && y0 + hy >= 0 && y0 + hy < ny;
	int h_tile = (hy + 1) * PITCH + hx + 1, h_at = (y0 + hy) * nx + x0 + hx;
	int in_tile = (ty + 1) * PITCH + tx + 1, at = y * nx + x;
	bool inner = mine && x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
	int plane = nx * ny;

	/* Plane 0 goes where the first step looks for the plane above; what is below it is never used. */
	if (mine)
		tile[in_tile + 2 * PLANE] = u[at];
	if (ring)
		tile[h_tile + 2 * PLANE] = u[h_at];

#pragma unroll 1
	for (int z = 0; z < nz; z++) {
		if (mine) {
			if (z > 0)
				tile[in_tile] = tile[in_tile + PLANE];
			tile[in_tile + PLANE] = tile[in_tile + 2 * PLANE];
			if (z < nz - 1)
				tile[in_tile + 2 * PLANE] = u[at + plane];
		}
		if (ring) {
			tile[h_tile + PLANE] = tile[h_tile + 2 * PLANE];
			if (z < nz - 1)
				tile[h_tile + 2 * PLANE] = u[h_at + plane];
		}
		__syncthreads();
		if (mine) {
			const float *c = tile + in_tile + PLANE;
			float value = c[0];

			if (inner && z > 0 && z < nz - 1)
				value = (c[-1] + c[1] + c[-PITCH] + c[PITCH] + c[-PLANE] + c[PLANE]) * (1.0f / 6.0f);
			next[at] = value;
		}
		__syncthreads();
		at += plane;
		h_at += plane;
	}
}
