/* The assignment step of k-means, one point a thread. */
#include "device.h"

/* Point-major features (point i's are in[i * nfeatures ..]) to feature-major ones, so that a warp reading feature f of
 * 32 neighbouring points reads one line. */
extern "C" __global__ void kmeans_swap(const float *in, float *out, int npoints, int nfeatures)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= npoints)
		return;
	for (int f = 0; f < nfeatures; f++)
		out[f * npoints + i] = in[i * nfeatures + f];
}

/* member[i] = index of the centre nearest to point i (the lowest index among equals). */
extern "C" __global__ void kmeans_assign(const float *__restrict__ features, const float *__restrict__ centres,
                                         int *__restrict__ member, int npoints, int ncentres, int nfeatures)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int best = 0;
	float best_distance = 3.402823466e38f;

	if (i >= npoints)
		return;
	for (int c = 0; c < ncentres; c++) {
		const float *centre = centres + c * nfeatures;
		float distance = 0.0f;

		for (int f = 0; f < nfeatures; f++) {
			float d = features[f * npoints + i] - centre[f];
			distance += d * d;
		}
		if (distance < best_distance) {
			best_distance = distance;
			best = c;
		}
	}
	member[i] = best;
}
