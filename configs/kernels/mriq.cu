/* Magnetic resonance image reconstruction, the matrix Q for a non-Cartesian scan: for every voxel x the sum over
 * samples k of |phi(k)|^2 exp(i 2 pi k.x). Compute bound: a sine and a cosine per voxel and sample.
 *
 * Follows Parboil's mri-q: mriq_phi_mag, CTAs of 512 threads, one sample each; mriq_q, CTAs of 256 threads, one voxel
 * each, all reading the same sample at a time from constant memory. A launch takes the SAMPLES that fit there and adds
 * to what the launches before it left. Sine and cosine are the hardware's. */
#include "device.h"

#define SAMPLES 1024
#define TWO_PI 6.2831853071795864769f

__constant__ float4 samples[SAMPLES]; /* kx, ky, kz, |phi|^2 */

extern "C" __global__ void mriq_phi_mag(const float *phi_r, const float *phi_i, float *magnitude, int nsamples)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < nsamples) {
		float re = phi_r[i], im = phi_i[i];

		magnitude[i] = re * re + im * im;
	}
}

extern "C" __global__ void mriq_q(const float *x, const float *y, const float *z, float *q_r, float *q_i, int nsamples,
                                  int nvoxels)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= nvoxels)
		return;
	float at_x = x[i], at_y = y[i], at_z = z[i];
	float re = q_r[i], im = q_i[i];
#pragma unroll 2
	for (int k = 0; k < nsamples; k++) {
		float4 s = samples[k];
		float angle = TWO_PI * (s.x * at_x + s.y * at_y + s.z * at_z);

		re += s.w * __cosf(angle);
		im += s.w * __sinf(angle);
	}
	q_r[i] = re;
	q_i[i] = im;
}
