/* Coulombic potential: adds to every point of a width x height plane z = 0 the sum over atoms of charge / distance.
 * Compute bound: a reciprocal square root and three to four f32 operations per point and atom.
 *
 * A CTA of 16 x 8 threads computes 64 x 8 points, four a thread and 16 apart, so that stores stay whole segments. All
 * threads read the same atom at a time, so atoms are in constant memory: (x, y, z squared, charge), ATOMS of them at
 * most a launch. natoms is a multiple of 4: the host pads with atoms of charge 0. */
#include "device.h"

#define POINTS 4
#define SPAN 16
#define ATOMS 1024

__constant__ float4 atoms[ATOMS];

extern "C" __global__ void cenergy(float *energy, int natoms, int width, float spacing)
{
	int ix = blockIdx.x * (SPAN * POINTS) + threadIdx.x;
	int iy = blockIdx.y * blockDim.y + threadIdx.y;
	float x = spacing * ix, y = spacing * iy, dx = spacing * SPAN;
	float e0 = 0.0f, e1 = 0.0f, e2 = 0.0f, e3 = 0.0f;

	for (int base = 0; base < natoms; base += 4) {
#pragma unroll
		for (int i = 0; i < 4; i++) {
			float4 a = atoms[base + i];
			float dy = y - a.y;
			float dyz2 = dy * dy + a.z;
			float d0 = x - a.x, d1 = d0 + dx, d2 = d1 + dx, d3 = d2 + dx;

			e0 += a.w * rsqrtf(d0 * d0 + dyz2);
			e1 += a.w * rsqrtf(d1 * d1 + dyz2);
			e2 += a.w * rsqrtf(d2 * d2 + dyz2);
			e3 += a.w * rsqrtf(d3 * d3 + dyz2);
		}
	}
	float *out = energy + iy * width + ix;
	out[0] += e0;
	out[SPAN] += e1;
	out[2 * SPAN] += e2;
	out[3 * SPAN] += e3;
}
