/* Jacobi iteration of a 7-point stencil on an nx x ny x nz grid whose outermost points stay fixed: a point becomes
 * c1 x (the sum of its six neighbours) - c0 x (itself).
 *
 * Follows Parboil's stencil (the kernel that mixes shared memory with coarsening along x): CTAs of 32 x 4 threads, two
 * points a thread, 32 apart, so a CTA covers 64 x 4 columns and walks them plane by plane along z. The plane's points
 * are in shared memory for their neighbours in x and y (the CTA's edge reads those beyond it from global memory), the
 * planes above and below in registers. One launch an iteration; input and output change places. */
#include "device.h"

#define TX 32
#define TY 4
#define WIDTH (2 * TX)

/* A load from global memory that the compiler does not merge with one from shared memory into one generic load. */
static __device__ __forceinline__ float beyond(const float *p)
{
	float v = *p;

	asm("" : "+f"(v));
	return v;
}

/* Sum of the four neighbours in the plane. here: the point in global memory, mine: in the tile. west, east, north,
 * south: whether that neighbour lies in the tile. */
static __device__ __forceinline__ float around(const float *here, const float *mine, int nx, bool west, bool east,
                                               bool north, bool south)
{
	float w = west ? mine[-1] : beyond(here - 1), e = east ? mine[1] : beyond(here + 1);
	float n = north ? mine[-WIDTH] : beyond(here - nx), s = south ? mine[WIDTH] : beyond(here + nx);

	return w + e + n + s;
}

extern "C" __global__ void __launch_bounds__(TX *TY)
    stencil(const float *__restrict__ from, float *__restrict__ to, float c0, float c1, int nx, int ny, int nz)
{
	__shared__ float tile[TY * WIDTH];
	int lx = threadIdx.x, ly = threadIdx.y;
	int x1 = blockIdx.x * WIDTH + lx, x2 = x1 + TX;
	int y = blockIdx.y * TY + ly;
	int size = nx * ny;
	bool on1 = x1 < nx && y < ny, on2 = x2 < nx && y < ny;
	bool inner_y = y > 0 && y < ny - 1;
	bool inner1 = inner_y && x1 > 0 && x1 < nx - 1, inner2 = inner_y && x2 < nx - 1;
	float *mine = tile + ly * WIDTH + lx;
	int i = y * nx + x1;
	float below1 = on1 ? from[i] : 0.0f, below2 = on2 ? from[i + TX] : 0.0f;

	i += size;
	float now1 = on1 ? from[i] : 0.0f, now2 = on2 ? from[i + TX] : 0.0f;
	for (int z = 1; z < nz - 1; z++) {
		const float *here = from + opaque(i);
		float above1 = on1 ? here[size] : 0.0f, above2 = on2 ? here[size + TX] : 0.0f;

		mine[0] = now1;
		mine[TX] = now2;
		__syncthreads();
		float *out = to + opaque(i);
		if (inner1)
			out[0] = (above1 + below1 + around(here, mine, nx, lx > 0, true, ly > 0, ly < TY - 1)) * c1 - now1 * c0;
		if (inner2)
			out[TX] = (above2 + below2 + around(here + TX, mine + TX, nx, true, lx<TX - 1, ly> 0, ly < TY - 1)) * c1 -
			          now2 * c0;
		__syncthreads();
		below1 = now1;
		below2 = now2;
		now1 = above1;
		now2 = above2;
		i += size;
	}
}
