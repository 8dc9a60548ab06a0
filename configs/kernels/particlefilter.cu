/* Tracking an object in a noisy video with a particle filter. For each frame:
 *   pf_likelihood  moves every particle at random, compares the pixels around it with the object's and the background's
 *                  brightness, weighs it; each CTA adds up its weights
 *   pf_sum         one thread adds up the CTAs' sums
 *   pf_normalize   divides the weights by the sum; one thread makes their running sum (the distribution to draw from)
 *   pf_find_index  draws the next particles: a linear search for each
 *
 * Follows Rodinia's particlefilter (the version with several kernels): CTAs of 512 threads, one particle each, double
 * precision, the same serial parts, the pixel indices of a particle written to and read back from global memory, a
 * video whose frames are interleaved. Differs where the original has races between CTAs: normalised weights go to an
 * array of their own and every CTA derives the first draw itself. The normal distribution comes from the hardware's f32
 * logarithm and cosine. */
#include "device.h"

#define THREADS 512

/* The next number of a linear congruential generator modulo 2^31. */
static __device__ __forceinline__ unsigned next_seed(unsigned seed)
{
	return (1103515245u * seed + 12345u) & 0x7fffffffu;
}

static __device__ __forceinline__ float uniform(unsigned seed)
{
	return ((float)seed + 0.5f) * 4.656612873e-10f; /* 2^-31 */
}

/* Standard normal by Box and Muller. */
static __device__ __forceinline__ float normal(unsigned *seed)
{
	float u = uniform(*seed = next_seed(*seed));
	float v = uniform(*seed = next_seed(*seed));

	return sqrtf(-2.0f * __logf(u)) * __cosf(6.283185307f * (v - 0.5f));
}

/* Particle i's log-likelihood at (x, y) in frame `frame`: offsets[] are the object's pixels relative to its middle.
 * Pixels outside the video count as pixel 0. */
static __device__ __forceinline__ double likelihood(const unsigned char *video, const int2 *offsets, int *pixels,
                                                    int npixels, int frame, int frames, int width, int height, int x,
                                                    int y)
{
	double sum = 0.0;

	for (int i = 0; i < npixels; i++) {
		int px = x + offsets[i].x, py = y + offsets[i].y;
		bool inside = px >= 0 && px < width && py >= 0 && py < height;

		pixels[i] = inside ? (px * height + py) * frames + frame : 0;
	}
	for (int i = 0; i < npixels; i++) {
		double v = video[pixels[i]];

		sum += ((v - 100.0) * (v - 100.0) - (v - 228.0) * (v - 228.0)) / 50.0;
	}
	return sum / npixels;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    pf_likelihood(double *x, double *y, const double *drawn_x, const double *drawn_y, unsigned *seeds, double *weights,
                  double *partial_sums, const unsigned char *video, const int2 *offsets, int *pixels, int npixels,
                  int n, int frame, int frames, int width, int height)
{
	__shared__ double sums[THREADS];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	double weight = 0.0;

	if (i < n) {
		unsigned seed = seeds[i];
		double px = drawn_x[i] + 1.0 + 5.0 * normal(&seed);
		double py = drawn_y[i] - 2.0 + 2.0 * normal(&seed);

		seeds[i] = seed;
		x[i] = px;
		y[i] = py;
		weight = 1.0 / n *
		         exp(likelihood(video, offsets, pixels + i * npixels, npixels, frame, frames, width, height,
		                        (int)__builtin_floor(px + 0.5), (int)__builtin_floor(py + 0.5)));
		weights[i] = weight;
	}
	sums[threadIdx.x] = weight;
	__syncthreads();
	for (unsigned half = THREADS / 2; half > 0; half /= 2) {
		if (threadIdx.x < half)
			sums[threadIdx.x] += sums[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		partial_sums[blockIdx.x] = sums[0];
}

extern "C" __global__ void pf_sum(double *partial_sums, int nsums)
{
	if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
		double sum = 0.0;

		for (int i = 0; i < nsums; i++)
			sum += partial_sums[i];
		partial_sums[0] = sum;
	}
}

/* draws[i] = the point of the distribution that particle i of the next frame is drawn at: evenly spaced from a random
 * start. */
extern "C" __global__ void pf_normalize(const double *__restrict__ weights, double *__restrict__ normalized,
                                        const double *__restrict__ partial_sums, double *__restrict__ running,
                                        double *__restrict__ draws, const unsigned *__restrict__ seeds, int n)
{
	__shared__ double first, scale;
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (threadIdx.x == 0) {
		scale = 1.0 / partial_sums[0];
		first = uniform(next_seed(seeds[0] ^ 0x2545f491u)) / (double)n;
	}
	__syncthreads();
	if (i < n)
		normalized[i] = weights[i] * scale;
	if (i == 0) {
		double sum = 0.0;

		for (int k = 0; k < n; k++) {
			sum += weights[k] * scale;
			running[k] = sum;
		}
	}
	if (i < n)
		draws[i] = first + i / (double)n;
}

extern "C" __global__ void pf_find_index(const double *__restrict__ x, const double *__restrict__ y,
                                         const double *__restrict__ running, const double *__restrict__ draws,
                                         double *__restrict__ drawn_x, double *__restrict__ drawn_y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int index = n - 1;

	if (i >= n)
		return;
	double draw = draws[i];
#pragma unroll 1
	for (int k = 0; k < n; k++) {
		if (running[k] >= draw) {
			index = k;
			break;
		}
	}
	drawn_x[i] = x[index];
	drawn_y[i] = y[index];
}
