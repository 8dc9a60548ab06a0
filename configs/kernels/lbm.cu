/* A step of the lattice-Boltzmann method in a lid-driven cavity: 19 distributions a cell (D3Q19), collision with a
 * single relaxation time, then streaming to the neighbour each distribution moves towards. Solid cells send back what
 * came in; accelerated cells have a fixed velocity.
 *
 * Follows Parboil's lbm: a structure of arrays, one cell a thread, twenty loads one after the other at the start (19
 * distributions, one flag), a row of cells a CTA and a (y, z) grid of CTAs, input and output grids that change places.
 * The CTA is 100 threads, as in published simulator studies (the suite's large input has 120).
 *
 * Streaming is a shift of linear indices, so every element has exactly one writer: what leaves the grid along x or y
 * comes into a solid cell on the far side, and along z into a margin of one plane, a row and a cell. */
#include "device.h"

#define OMEGA 1.95f
#define SOLID 1
#define ACCELERATED 2

/* name, opposite, velocity x y z, weight x 36; the order is that of the arrays in memory. */
#define DIRECTIONS(D)                                                                                                  \
	D(c, c, 0, 0, 0, 12)                                                                                               \
	D(n, s, 0, 1, 0, 2)                                                                                                \
	D(s, n, 0, -1, 0, 2)                                                                                               \
	D(e, w, 1, 0, 0, 2)                                                                                                \
	D(w, e, -1, 0, 0, 2)                                                                                               \
	D(t, b, 0, 0, 1, 2)                                                                                                \
	D(b, t, 0, 0, -1, 2)                                                                                               \
	D(ne, sw, 1, 1, 0, 1)                                                                                              \
	D(nw, se, -1, 1, 0, 1)                                                                                             \
	D(se, nw, 1, -1, 0, 1)                                                                                             \
	D(sw, ne, -1, -1, 0, 1)                                                                                            \
	D(nt, sb, 0, 1, 1, 1)                                                                                              \
	D(nb, st, 0, 1, -1, 1)                                                                                             \
	D(st, nb, 0, -1, 1, 1)                                                                                             \
	D(sb, nt, 0, -1, -1, 1)                                                                                            \
	D(et, wb, 1, 0, 1, 1)                                                                                              \
	D(eb, wt, 1, 0, -1, 1)                                                                                             \
	D(wt, eb, -1, 0, 1, 1)                                                                                             \
	D(wb, et, -1, 0, -1, 1)

#define NUMBER(name, opposite, x, y, z, weight) N_##name,
enum { DIRECTIONS(NUMBER) };

/* from, to: cell (0, 0, 0) of the first array; the arrays are `array` elements apart. */
extern "C" __global__ void lbm_stream_collide(const float *__restrict__ from, float *__restrict__ to,
                                              const int *__restrict__ flags, int array)
{
	int nx = blockDim.x, plane = nx * gridDim.x;
	int cell = threadIdx.x + nx * blockIdx.x + plane * blockIdx.y;

#define LOAD(name, opposite, x, y, z, weight) float f_##name = from[N_##name * array + cell];
	DIRECTIONS(LOAD)
	int flag = flags[cell];

#define OUTGOING(name, opposite, x, y, z, weight) float g_##name = f_##opposite;
	DIRECTIONS(OUTGOING)
	if (!(flag & SOLID)) {
		float rho = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;

#define MOMENTS(name, opposite, x, y, z, weight)                                                                       \
	rho += f_##name;                                                                                                   \
	if (x)                                                                                                             \
		ux += x * f_##name;                                                                                            \
	if (y)                                                                                                             \
		uy += y * f_##name;                                                                                            \
	if (z)                                                                                                             \
		uz += z * f_##name;
		DIRECTIONS(MOMENTS)
		ux /= rho;
		uy /= rho;
		uz /= rho;
		if (flag & ACCELERATED) {
			ux = 0.005f;
			uy = 0.002f;
			uz = 0.0f;
		}
		float base = 1.0f - 1.5f * (ux * ux + uy * uy + uz * uz);

		/* Without -ffast-math the compiler keeps products with 0, so each component is asked for first. */
#define ALONG(x, y, z) ((x ? x * ux : 0.0f) + (y ? y * uy : 0.0f) + (z ? z * uz : 0.0f))
#define COLLIDE(name, opposite, x, y, z, weight)                                                                       \
	{                                                                                                                  \
		float along = ALONG(x, y, z);                                                                                  \
		g_##name =                                                                                                     \
		    (1.0f - OMEGA) * f_##name + OMEGA * (weight / 36.0f) * rho * (base + along * (3.0f + 4.5f * along));       \
	}
		DIRECTIONS(COLLIDE)
	}
	/* Hides from the compiler that these are the cells that were loaded: it would keep the indices of all 19 meanwhile. */
	asm volatile("" : "+r"(cell), "+r"(array));
#define STORE(name, opposite, x, y, z, weight) to[N_##name * array + cell + (x) + (y)*nx + (z)*plane] = g_##name;
	DIRECTIONS(STORE)
}
