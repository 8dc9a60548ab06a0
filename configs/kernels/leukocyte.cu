/* Finding and tracking white blood cells in a video frame.
 *   leukocyte_gicov   for every pixel the best ratio of squared mean to variance of the gradient along seven circles
 *                     around it
 *   leukocyte_dilate  the largest of these in a disk around every pixel, so that the host can pick local maxima
 *   leukocyte_imgvf   around each cell, an edge map diffused until it changes little (motion gradient vector flow)
 *
 * Follows Rodinia's leukocyte: images column by column; gicov with one CTA a column and one thread a row (176 rows in
 * the published frame), gradients read through the texture unit, angles and circles in constant memory; dilate with
 * CTAs of 176 threads, the disk in constant memory, the image a texture; imgvf with one CTA of 320 threads a cell,
 * which keeps a 41 x 81 window in shared memory (14.2 KB) and iterates in one launch, with a step function of three
 * values in place of a smooth one. Differs in that windows are cut from the frame instead of being unrolled around the
 * cell, and that diffusion does not overwrite its input. */
#include "device.h"

#define MARGIN 22 /* the largest circle, and two pixels */
#define CIRCLES 7
#define POINTS 150 /* on a circle, at most */
#define DISK 25    /* side of the dilation's square, at most */

__constant__ float cosines[POINTS], sines[POINTS];
__constant__ int circle_x[CIRCLES * POINTS], circle_y[CIRCLES * POINTS];
__constant__ float disk[DISK * DISK];

/* Pixel (row, column) is at column * rows + row; a texture's x is the row. */
extern "C" __global__ void leukocyte_gicov(texture_object grad_x, texture_object grad_y, float *gicov, int rows,
                                           int points)
{
	int row = threadIdx.x + MARGIN, column = blockIdx.x + MARGIN;
	float best = 0.0f;

#pragma unroll 1
	for (int k = 0; k < CIRCLES; k++) {
		float mean = 0.0f, squares = 0.0f;

#pragma unroll 1
		for (int n = 0; n < points; n++) {
			int y = row + circle_y[k * POINTS + n], x = column + circle_x[k * POINTS + n];
			float p = tex2d_float(grad_x, y, x) * cosines[n] + tex2d_float(grad_y, y, x) * sines[n];
			float delta = p - mean;

			mean += __fdividef(delta, (float)(n + 1));
			squares += delta * (p - mean);
		}
		best = fmaxf(best, mean * mean / (squares / points));
	}
	gicov[column * rows + row] = best;
}

/* The disk is in the first side x side elements of disk[]. The result is stored row by row. */
extern "C" __global__ void leukocyte_dilate(texture_object gicov, float *dilated, int rows, int columns, int side)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int row = i % rows, column = i / rows;
	float most = 0.0f;

	if (column >= columns)
		return;
#pragma unroll 1
	for (int dy = 0; dy < side; dy++) {
		int y = row + dy - side / 2;

		if (y < 0 || y >= rows)
			continue;
#pragma unroll 1
		for (int dx = 0; dx < side; dx++) {
			int x = column + dx - side / 2;

			if (x >= 0 && x < columns && disk[dy * side + dx] != 0.0f)
				most = fmaxf(most, tex2d_float(gicov, y, x));
		}
	}
	dilated[row * columns + column] = most;
}

#define WIN_ROWS 41
#define WIN_COLUMNS 81
#define PIXELS (WIN_ROWS * WIN_COLUMNS)
#define THREADS 320
#define PASSES ((PIXELS + THREADS - 1) / THREADS)
#define MU_OVER_LAMBDA 0.1f /* 0.5 / (8 * 0.5 + 1) */
#define ONE_OVER_LAMBDA 0.2f

/* 0, 1/2 or 1 for a negative, a tiny or a positive argument. */
static __device__ __forceinline__ float heaviside(float x)
{
	float step = 0.0f;

	if (x > -0.0001f)
		step = 0.5f;
	if (x > 0.0001f)
		step = 1.0f;
	return step;
}

/* What a neighbour `difference` higher, in direction (dx, dy), adds. */
static __device__ __forceinline__ float flow(float difference, float direction, float one_over_e)
{
	return heaviside(difference * direction * one_over_e) * difference;
}

/* The next value of a pixel of window v whose edge strength is `edge`. */
static __device__ __forceinline__ float diffuse(const float *v, int pixel, float edge, float vx, float vy,
                                                float one_over_e)
{
	int row = pixel / WIN_COLUMNS, column = pixel % WIN_COLUMNS;
	int up = row > 0 ? -WIN_COLUMNS : 0, down = row < WIN_ROWS - 1 ? WIN_COLUMNS : 0;
	int left = column > 0 ? -1 : 0, right = column < WIN_COLUMNS - 1 ? 1 : 0;
	const float *here = v + pixel;
	float now = *here;
	float sum = flow(here[up + left] - now, vy - vx, one_over_e) + flow(here[up] - now, vy, one_over_e) +
	            flow(here[up + right] - now, vx + vy, one_over_e) + flow(here[left] - now, -vx, one_over_e) +
	            flow(here[right] - now, vx, one_over_e) + flow(here[down + left] - now, -(vx + vy), one_over_e) +
	            flow(here[down] - now, -vy, one_over_e) + flow(here[down + right] - now, vx - vy, one_over_e);
	float next = now + MU_OVER_LAMBDA * sum;

	return next - ONE_OVER_LAMBDA * edge * (next - edge);
}

/* The sum of buffer[0 .. THREADS - 1] in buffer[0]; 320 is 256 and a quarter of it. */
static __device__ __forceinline__ void add_up(float *buffer)
{
	int t = threadIdx.x;

	__syncthreads();
	if (t < THREADS - 256)
		buffer[t] += buffer[t + 256];
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if (t < half)
			buffer[t] += buffer[t + half];
		__syncthreads();
	}
}

/* edges: one window after the other. A window is done in passes of THREADS pixels; a pass's results are held back until
 * the next one, which needs the row above as it was, has read. iterations[] and changes[] tell how each cell ended. */
extern "C" __global__ void __launch_bounds__(THREADS)
    leukocyte_imgvf(const float *__restrict__ edges, float *__restrict__ result, int *__restrict__ iterations,
                    float *__restrict__ changes, float vx, float vy, float e, int most_iterations, float cutoff)
{
	__shared__ float window[PIXELS], buffer[THREADS];
	__shared__ int converged;
	const float *edge = edges + blockIdx.x * PIXELS;
	int t = threadIdx.x, iteration = 0;
	float one_over_e = 1.0f / e;

	if (t == 0)
		converged = 0;
	for (int i = t; i < PIXELS; i += THREADS)
		window[i] = edge[i];
	__syncthreads();
	while (!converged && iteration < most_iterations) {
		float change = 0.0f, held = 0.0f;

		iteration++;
#pragma unroll 1
		for (int pass = 0; pass < PASSES; pass++) {
			int pixel = pass * THREADS + t;
			float next = 0.0f;

			if (pixel < PIXELS) {
				next = diffuse(window, pixel, edge[pixel], vx, vy, one_over_e);
				change += fabsf(next - window[pixel]);
			}
			__syncthreads();
			if (pass > 0)
				window[pixel - THREADS] = held;
			held = next;
			__syncthreads();
		}
		if ((PASSES - 1) * THREADS + t < PIXELS)
			window[(PASSES - 1) * THREADS + t] = held;
		buffer[t] = change;
		add_up(buffer);
		if (t == 0 && buffer[0] / (float)PIXELS < cutoff)
			converged = 1;
		__syncthreads();
	}
	for (int i = t; i < PIXELS; i += THREADS)
		result[blockIdx.x * PIXELS + i] = window[i];
	if (t == 0) {
		iterations[blockIdx.x] = iteration;
		changes[blockIdx.x] = buffer[0] / (float)PIXELS;
	}
}
