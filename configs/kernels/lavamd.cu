/* Molecular dynamics in boxes: the potential and the force on every particle from all particles of its own box and of
 * the neighbouring ones, by a potential that falls off exponentially with the square of the distance.
 *
 * Follows Rodinia's lavaMD: a CTA of 128 threads per box of 100 particles (28 threads idle), double precision, the home
 * box's positions and, one box after the other, a neighbour's positions and charges in shared memory (7200 bytes), an
 * exponential per pair, the result in global memory brought up to date once per neighbour. Neighbour lists have 27
 * entries a box, the box itself first. */
#include "device.h"

#define THREADS 128
#define PARTICLES 100
#define NEIGHBOURS 27

struct vec4 {
	double v, x, y, z; /* v: half the square of the position's length; of a result, the potential */
};

/* e^x for |x| < 700: x = k ln 2 + r with |r| <= ln 2 / 2, a polynomial for e^r (its error is 2^-50 at most), and k added
 * to the exponent. */
static __device__ __forceinline__ double exponential(double x)
{
	double k = __builtin_rint(x * 1.4426950408889634);
	double r = x - k * 0.69314718036912382;
	double p = 2.5052108385441720e-8;

	r -= k * 1.9082149292705877e-10;
	p = p * r + 2.7557319223985893e-7;
	p = p * r + 2.7557319223985888e-6;
	p = p * r + 2.4801587301587302e-5;
	p = p * r + 1.9841269841269841e-4;
	p = p * r + 1.3888888888888889e-3;
	p = p * r + 8.3333333333333333e-3;
	p = p * r + 4.1666666666666667e-2;
	p = p * r + 1.6666666666666667e-1;
	p = p * r + 0.5;
	p = p * r + 1.0;
	p = p * r + 1.0;
	return __builtin_bit_cast(double, __builtin_bit_cast(long long, p) + ((long long)(int)k << 52));
}

extern "C" __global__ void lavamd(const struct vec4 *__restrict__ position, const double *__restrict__ charge,
                                  struct vec4 *__restrict__ force, const int *__restrict__ neighbours,
                                  const int *__restrict__ neighbour_count, double alpha)
{
	__shared__ struct vec4 home[PARTICLES], other[PARTICLES];
	__shared__ double other_charge[PARTICLES];
	int box = blockIdx.x, i = threadIdx.x;
	int count = neighbour_count[box];
	double a2 = 2.0 * alpha * alpha;

	if (i < PARTICLES)
		home[i] = position[box * PARTICLES + i];
	__syncthreads();
	for (int k = 0; k < count; k++) {
		int from = neighbours[box * NEIGHBOURS + k] * PARTICLES;

		if (i < PARTICLES) {
			other[i] = position[from + i];
			other_charge[i] = charge[from + i];
		}
		__syncthreads();
		if (i < PARTICLES) {
			struct vec4 mine = home[i], sum = force[box * PARTICLES + i];

#pragma unroll 1
			for (int j = 0; j < PARTICLES; j++) {
				double r2 = mine.v + other[j].v - (mine.x * other[j].x + mine.y * other[j].y + mine.z * other[j].z);
				double v = other_charge[j] * exponential(-a2 * r2);
				double f = 2.0 * v;

				sum.v += v;
				sum.x += f * (mine.x - other[j].x);
				sum.y += f * (mine.y - other[j].y);
				sum.z += f * (mine.z - other[j].z);
			}
			force[box * PARTICLES + i] = sum;
		}
		__syncthreads();
	}
}
