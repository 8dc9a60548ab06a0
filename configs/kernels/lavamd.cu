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
				double v = other_charge[j] * exp(-a2 * r2);
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
