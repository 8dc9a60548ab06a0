/* A training step of a two-layer neural network, in the manner of Rodinia's backprop: `inputs` input units (a multiple
 * of 16) and 16 hidden ones. Weights are (inputs + 1) x 17 floats; row 0 and column 0 belong to the bias.
 *
 * Both kernels run one CTA of 16 x 16 threads per 16 input units: ty is the input within them, tx the hidden unit.
 * The grid is 1 x (inputs / 16). Every output has one owner, so results do not depend on any order. */
#include "device.h"

#define HIDDEN 16
#define INPUTS 16 /* input units a CTA */
#define PITCH (HIDDEN + 1)
#define ETA 0.3f
#define MOMENTUM 0.3f

/* Products of inputs and weights, added up over the CTA's inputs by a tree in shared memory (1088 bytes) whose branches
 * are taken by whole rows of threads: partial[CTA][hidden]. As in the published program the products and partial sums
 * also overwrite the weights they came from (the host copies the weights in again before the next kernel), which makes
 * the kernel not idempotent. */
extern "C" __global__ void layer_forward(const float *input, float *weights, float *partial)
{
	__shared__ float in[INPUTS], product[INPUTS][HIDDEN];
	int tx = threadIdx.x, ty = threadIdx.y, by = blockIdx.y;
	int row = by * INPUTS + ty + 1;
	int at = row * PITCH + tx + 1;

	if (tx == 0)
		in[ty] = input[row];
	__syncthreads();
	product[ty][tx] = weights[at];
	__syncthreads();
	product[ty][tx] *= in[ty];
	__syncthreads();
#pragma unroll 1
	for (int step = 2; step <= INPUTS; step *= 2) {
		if (ty % step == 0)
			product[ty][tx] += product[ty + step / 2][tx];
		__syncthreads();
	}
	weights[at] = product[ty][tx];
	__syncthreads();
	if (tx == 0)
		partial[by * HIDDEN + ty] = product[0][ty];
}

/* Moves the weights along the error's gradient, with momentum: change = eta delta[hidden] input + momentum x the change
 * before. Weights and changes are read and overwritten. CTA 0's first row also does the biases. */
extern "C" __global__ void adjust_weights(const float *delta, const float *input, float *weights, float *change)
{
	int tx = threadIdx.x, ty = threadIdx.y, by = blockIdx.y;
	int row = by * INPUTS + ty + 1;
	int at = row * PITCH + tx + 1;
	int unit = tx + 1;

	weights[at] += ETA * delta[unit] * input[row] + MOMENTUM * change[at];
	change[at] = ETA * delta[unit] * input[row] + MOMENTUM * change[at];
	__syncthreads();
	if (ty == 0 && by == 0) {
		weights[unit] += ETA * delta[unit] + MOMENTUM * change[unit];
		change[unit] = ETA * delta[unit] + MOMENTUM * change[unit];
	}
}
