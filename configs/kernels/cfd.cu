/* Compressible flow (Euler equations) on an unstructured mesh of finite volumes, in the manner of Rodinia's cfd
 * (euler3d): one element a thread, CTAs of 192, three kernels in a Runge-Kutta scheme.
 *
 * `stride` is the number of elements rounded up to whole CTAs; arrays are in fields: variable v of element i is
 * variables[v * stride + i], with v = density, momentum x y z, energy. Element i's neighbour across face j is
 * neighbours[j * stride + i] (-1: a wall, -2: the free stream) and the face's normal n[d], pointing inwards and as long
 * as the face is large, is normals[(d * 4 + j) * stride + i]. Padding elements have only walls with normals of 0.
 *
 * The flux kernel loads 14 words of each neighbour and face through an index and has some hundred dependent f32
 * operations per face: long phases and most registers of this suite. */
#include "device.h"

#define FACES 4
#define GAMMA 1.4f
#define SMOOTHING 0.2f
#define RK 3 /* stages of the Runge-Kutta scheme */

#define WALL (-1)
#define FREE_STREAM (-2)

struct vector {
	float x, y, z;
};

/* Conserved variables and what follows from them. */
struct state {
	float density, energy, pressure, speed, sound;
	struct vector momentum, velocity;
};

/* What crosses a face, per unit of its area and direction. */
struct flux {
	struct vector mx, my, mz, energy;
};

/* The free stream: density, momentum and energy, and its fluxes. */
__constant__ float stream[5];
__constant__ struct flux stream_flux;

static __device__ __forceinline__ struct state load(const float *variables, int i, int stride)
{
	struct state s;

	s.density = variables[i];
	s.momentum.x = variables[i + stride];
	s.momentum.y = variables[i + 2 * stride];
	s.momentum.z = variables[i + 3 * stride];
	s.energy = variables[i + 4 * stride];
	s.velocity.x = s.momentum.x / s.density;
	s.velocity.y = s.momentum.y / s.density;
	s.velocity.z = s.momentum.z / s.density;
	float speed2 = s.velocity.x * s.velocity.x + s.velocity.y * s.velocity.y + s.velocity.z * s.velocity.z;
	s.speed = sqrtf(speed2);
	s.pressure = (GAMMA - 1.0f) * (s.energy - 0.5f * s.density * speed2);
	s.sound = sqrtf(GAMMA * s.pressure / s.density);
	return s;
}

static __device__ __forceinline__ struct flux flux_of(const struct state *s)
{
	struct flux f;
	float enthalpy = s->energy + s->pressure;

	f.mx.x = s->velocity.x * s->momentum.x + s->pressure;
	f.mx.y = s->velocity.x * s->momentum.y;
	f.mx.z = s->velocity.x * s->momentum.z;
	f.my.x = f.mx.y;
	f.my.y = s->velocity.y * s->momentum.y + s->pressure;
	f.my.z = s->velocity.y * s->momentum.z;
	f.mz.x = f.mx.z;
	f.mz.y = f.my.z;
	f.mz.z = s->velocity.z * s->momentum.z + s->pressure;
	f.energy.x = s->velocity.x * enthalpy;
	f.energy.y = s->velocity.y * enthalpy;
	f.energy.z = s->velocity.z * enthalpy;
	return f;
}

/* The step in time that each element allows, over its area. */
extern "C" __global__ void compute_step_factor(const float *variables, const float *areas, float *factors, int stride)
{
	int i = blockDim.x * blockIdx.x + threadIdx.x;
	struct state s = load(variables, i, stride);

	factors[i] = 0.5f / (sqrtf(areas[i]) * (s.speed + s.sound));
}

/* Five sums over the faces. */
struct sums {
	float density, energy;
	struct vector momentum;
};

/* Adds half of what flows along n, a central scheme: of the neighbour's and of the element's own flux. */
static __device__ __forceinline__ void add_central(struct sums *sum, struct vector n, struct vector momentum,
                                                   const struct flux *other, struct vector own_momentum,
                                                   const struct flux *own)
{
	float x = 0.5f * n.x, y = 0.5f * n.y, z = 0.5f * n.z;

	sum->density += x * (momentum.x + own_momentum.x);
	sum->energy += x * (other->energy.x + own->energy.x);
	sum->momentum.x += x * (other->mx.x + own->mx.x);
	sum->momentum.y += x * (other->my.x + own->my.x);
	sum->momentum.z += x * (other->mz.x + own->mz.x);
	sum->density += y * (momentum.y + own_momentum.y);
	sum->energy += y * (other->energy.y + own->energy.y);
	sum->momentum.x += y * (other->mx.y + own->mx.y);
	sum->momentum.y += y * (other->my.y + own->my.y);
	sum->momentum.z += y * (other->mz.y + own->mz.y);
	sum->density += z * (momentum.z + own_momentum.z);
	sum->energy += z * (other->energy.z + own->energy.z);
	sum->momentum.x += z * (other->mx.z + own->mx.z);
	sum->momentum.y += z * (other->my.z + own->my.z);
	sum->momentum.z += z * (other->mz.z + own->mz.z);
}

/* Artificial viscosity: evens out differences between neighbours. */
static __device__ __forceinline__ void add_viscosity(struct sums *sum, float length, const struct state *own,
                                                     const struct state *other)
{
	float factor = -length * SMOOTHING * 0.5f * (own->speed + other->speed + own->sound + other->sound);

	sum->density += factor * (own->density - other->density);
	sum->energy += factor * (own->energy - other->energy);
	sum->momentum.x += factor * (own->momentum.x - other->momentum.x);
	sum->momentum.y += factor * (own->momentum.y - other->momentum.y);
	sum->momentum.z += factor * (own->momentum.z - other->momentum.z);
}

extern "C" __global__ void compute_flux(const int *neighbours, const float *normals, const float *variables,
                                        float *fluxes, int stride)
{
	int i = blockDim.x * blockIdx.x + threadIdx.x;
	struct state own = load(variables, i, stride);
	struct flux own_flux = flux_of(&own);
	struct sums sum = {};

#pragma unroll
	for (int j = 0; j < FACES; j++) {
		int neighbour = neighbours[j * stride + i];
		struct vector n = {normals[j * stride + i], normals[(FACES + j) * stride + i],
		                   normals[(2 * FACES + j) * stride + i]};

		if (neighbour >= 0) {
			struct state other = load(variables, neighbour, stride);
			struct flux other_flux = flux_of(&other);

			add_viscosity(&sum, sqrtf(n.x * n.x + n.y * n.y + n.z * n.z), &own, &other);
			add_central(&sum, n, other.momentum, &other_flux, own.momentum, &own_flux);
		} else if (neighbour == WALL) {
			sum.momentum.x += n.x * own.pressure;
			sum.momentum.y += n.y * own.pressure;
			sum.momentum.z += n.z * own.pressure;
		} else if (neighbour == FREE_STREAM) {
			struct vector momentum = {stream[1], stream[2], stream[3]};

			add_central(&sum, n, momentum, &stream_flux, own.momentum, &own_flux);
		}
	}
	fluxes[i] = sum.density;
	fluxes[i + stride] = sum.momentum.x;
	fluxes[i + 2 * stride] = sum.momentum.y;
	fluxes[i + 3 * stride] = sum.momentum.z;
	fluxes[i + 4 * stride] = sum.energy;
}

/* Stage j = 0 .. RK-1 of a step: from the old variables along the fluxes. */
extern "C" __global__ void time_step(int j, int stride, const float *old, float *variables, const float *factors,
                                     const float *fluxes)
{
	int i = blockDim.x * blockIdx.x + threadIdx.x;
	float factor = factors[i] / (float)(RK - j);

#pragma unroll
	for (int v = 0; v < 5; v++)
		variables[i + v * stride] = old[i + v * stride] + factor * fluxes[i + v * stride];
}
