/* Tracks points of a heart's walls through ultrasound frames by template matching, in the manner of Rodinia's
 * heartwall: one launch a frame, one CTA a point, all steps of the matching in one long kernel whose parts differ in
 * how many of the threads have work - all for the convolution, a row's or column's worth for sums, one for the last of
 * a reduction.
 *
 * Frame 0 sets each point's template, (2 t + 1)^2 pixels around it. In every later frame
 *   1  the window, (2 s + 1)^2 pixels around the point's first position, is cut out of the frame
 *   2  convolved with the template turned by 180 degrees (in shared memory): (2 (s + t) + 1)^2 positions
 *   3  sums of the window's pixels under the template at each position: padding, cumulative sums down the columns,
 *      differences, cumulative sums along the rows, differences; then the same for the pixels' squares
 *   4  the template's own sum and sum of squares
 *   5  the normalised correlation, times a mask that is 1 within reach of the position in the frame before (a point
 * mask convolved with a square of ones) 6  its maximum, by rows and then over the rows, is the new position 7  in every
 * `period`-th frame the template takes over a share 1 - alpha of the pixels at the new position All matrices are in
 * columns: (row, column) is element column * rows + row. CTAs are 256 threads as in studies of its phases (512 in the
 * published program; any number of whole warps will do); shared memory is dimensioned as in the published program
 * (templates up to 51 x 51, windows up to 81 x 81: 12 KB, four CTAs an SM with 48 KB); the sizes offered are smaller,
 * with intermediate matrices in global memory as they are there. Not idempotent: positions and templates are read and
 * overwritten. */
#include "device.h"

#define MOST_T 25
#define MOST_S 40
#define TEMPLATE (2 * MOST_T + 1)
#define POSITIONS (2 * (MOST_S + MOST_T) + 1)

/* Sizes of the matrices, all square. */
struct sizes {
	int templ, window, positions, padded;
};

/* A point's matrices in its part of the scratch memory. */
struct matrices {
	float *templ;     /* templ^2 */
	float *window;    /* window^2 */
	float *correlate; /* positions^2 */
	float *sums;      /* positions^2 */
	float *squares;   /* positions^2 */
	float *mask;      /* positions^2 */
	float *padded;    /* padded^2, from step 5 on the masked correlation, positions^2 */
	float *strips;    /* positions x padded */
};

static __device__ __forceinline__ struct matrices lay_out(float *scratch, struct sizes z)
{
	struct matrices m;

	m.templ = scratch;
	m.window = m.templ + z.templ * z.templ;
	m.correlate = m.window + z.window * z.window;
	m.sums = m.correlate + z.positions * z.positions;
	m.squares = m.sums + z.positions * z.positions;
	m.mask = m.squares + z.positions * z.positions;
	m.padded = m.mask + z.positions * z.positions;
	m.strips = m.padded + z.padded * z.padded;
	return m;
}

/* Copies the n x n pixels from (row, column) of the frame. */
static __device__ __forceinline__ void cut(float *out, int n, const float *frame, int frame_rows, int row, int column)
{
	for (int e = threadIdx.x; e < n * n; e += blockDim.x)
		out[e] = frame[(column + e / n) * frame_rows + row + e % n];
}

/* Step 2. Threads at the matrix' edge have fewer terms than those in the middle. */
static __device__ __forceinline__ void convolve(float *out, const float *window, const float *turned, struct sizes z)
{
	for (int e = threadIdx.x; e < z.positions * z.positions; e += blockDim.x) {
		int row = e % z.positions, column = e / z.positions;
		int first_row = max(0, row - z.window + 1), last_row = min(z.templ - 1, row);
		int first_column = max(0, column - z.window + 1), last_column = min(z.templ - 1, column);
		float sum = 0.0f;

#pragma unroll 1
		for (int c = first_column; c <= last_column; c++) {
#pragma unroll 1
			for (int r = first_row; r <= last_row; r++)
				sum += turned[c * z.templ + r] * window[(column - c) * z.window + row - r];
		}
		out[e] = sum;
	}
}

/* Step 3: sums of pixels, or of their squares, under the template at each position. */
static __device__ __forceinline__ void local_sums(float *out, const float *window, float *padded, float *strips,
                                                  struct sizes z, bool squares)
{
	for (int e = threadIdx.x; e < z.padded * z.padded; e += blockDim.x) {
		int row = e % z.padded - z.templ, column = e / z.padded - z.templ;
		bool inside = row >= 0 && row < z.window && column >= 0 && column < z.window;
		float v = inside ? window[column * z.window + row] : 0.0f;
		padded[e] = squares ? v * v : v;
	}
	__syncthreads();
	for (int column = threadIdx.x; column < z.padded; column += blockDim.x) {
		float sum = 0.0f;
#pragma unroll 1
		for (int row = 0; row < z.padded; row++) {
			sum += padded[column * z.padded + row];
			padded[column * z.padded + row] = sum;
		}
	}
	__syncthreads();
	for (int e = threadIdx.x; e < z.positions * z.padded; e += blockDim.x) {
		int at = e / z.positions * z.padded + e % z.positions;
		strips[e] = padded[at + z.templ] - padded[at];
	}
	__syncthreads();
	for (int row = threadIdx.x; row < z.positions; row += blockDim.x) {
		float sum = 0.0f;
#pragma unroll 1
		for (int column = 0; column < z.padded; column++) {
			sum += strips[column * z.positions + row];
			strips[column * z.positions + row] = sum;
		}
	}
	__syncthreads();
	for (int e = threadIdx.x; e < z.positions * z.positions; e += blockDim.x)
		out[e] = strips[e + z.templ * z.positions] - strips[e];
}

/* Step 4, first part: sums of each column of the template. */
static __device__ __forceinline__ void column_sums(float *sums, float *squares, const float *templ, int n)
{
	for (int column = threadIdx.x; column < n; column += blockDim.x) {
		float sum = 0.0f, square = 0.0f;
#pragma unroll 1
		for (int row = 0; row < n; row++) {
			float v = templ[column * n + row];
			sum += v;
			square += v * v;
		}
		sums[column] = sum;
		squares[column] = square;
	}
}

/* Step 4, second part, for one thread: the sum of n values. */
static __device__ __forceinline__ float total(float *values, int n)
{
	float sum = 0.0f;

#pragma unroll 1
	for (int i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

/* Step 5: the correlation, -1 .. 1. Rounding can make a variance that is 0 slightly negative. */
static __device__ __forceinline__ void normalise(struct matrices m, struct sizes z, float sum, float square)
{
	float n = z.templ * z.templ;
	float mean = sum / n, variance = square - sum * mean;

	for (int e = threadIdx.x; e < z.positions * z.positions; e += blockDim.x) {
		float local = m.sums[e];
		float spread = (m.squares[e] - local * local / n) * variance;

		m.correlate[e] = spread > 0.0f ? (m.correlate[e] - local * mean) / sqrtf(spread) : 0.0f;
	}
}

/* Step 5: 1 within `reach` of (row, column), by convolving a mask of that one point with a square of ones. */
static __device__ __forceinline__ void apply_mask(struct matrices m, int n, int row, int column, int reach)
{
	for (int e = threadIdx.x; e < n * n; e += blockDim.x)
		m.mask[e] = e == column * n + row ? 1.0f : 0.0f;
	__syncthreads();
	for (int e = threadIdx.x; e < n * n; e += blockDim.x) {
		int r = e % n, c = e / n;
		float sum = 0.0f;

#pragma unroll 1
		for (int j = max(0, c - reach); j <= min(n - 1, c + reach); j++) {
#pragma unroll 1
			for (int i = max(0, r - reach); i <= min(n - 1, r + reach); i++)
				sum += m.mask[j * n + i];
		}
		m.padded[e] = m.correlate[e] * sum;
	}
}

/* Step 6, first part: each row's maximum and its column. */
static __device__ __forceinline__ void row_maxima(float *best, int *where, const float *matrix, int n)
{
	for (int row = threadIdx.x; row < n; row += blockDim.x) {
		float most = matrix[row];
		int at = 0;
#pragma unroll 1
		for (int column = 1; column < n; column++) {
			float v = matrix[column * n + row];
			if (v > most) {
				most = v;
				at = column;
			}
		}
		best[row] = most;
		where[row] = at;
	}
}

/* first[2 p], first[2 p + 1]: row and column of point p in frame 0; now[]: in the latest frame, updated. scratch: each
 * point's matrices, scratch_size floats apart. */
extern "C" __global__ void heartwall(const float *frame, int frame_rows, int frame_number, const int *first, int *now,
                                     float *scratch, int scratch_size, int t, int s, int reach, int period, float alpha)
{
	__shared__ float turned[TEMPLATE * TEMPLATE];
	__shared__ float sums[TEMPLATE], squares[TEMPLATE];
	__shared__ float totals[2], best[POSITIONS];
	__shared__ int where[POSITIONS], found[2];
	struct sizes z = {2 * t + 1, 2 * s + 1, 2 * (s + t) + 1, 2 * s + 1 + 2 * (2 * t + 1)};
	int p = blockIdx.x;
	struct matrices m = lay_out(scratch + p * scratch_size, z);
	int row = first[2 * p], column = first[2 * p + 1];

	if (frame_number == 0) {
		cut(m.templ, z.templ, frame, frame_rows, row - t, column - t);
		return;
	}

	cut(m.window, z.window, frame, frame_rows, row - s, column - s);
	for (int e = threadIdx.x; e < z.templ * z.templ; e += blockDim.x)
		turned[e] = m.templ[z.templ * z.templ - 1 - e];
	__syncthreads();
	convolve(m.correlate, m.window, turned, z);
	__syncthreads();
	local_sums(m.sums, m.window, m.padded, m.strips, z, false);
	__syncthreads();
	local_sums(m.squares, m.window, m.padded, m.strips, z, true);
	column_sums(sums, squares, m.templ, z.templ);
	__syncthreads();
	if (threadIdx.x == 0)
		totals[0] = total(sums, z.templ);
	if (threadIdx.x == 1)
		totals[1] = total(squares, z.templ);
	__syncthreads();
	normalise(m, z, totals[0], totals[1]);
	__syncthreads();
	apply_mask(m, z.positions, s + t + now[2 * p] - row, s + t + now[2 * p + 1] - column, reach);
	__syncthreads();
	row_maxima(best, where, m.padded, z.positions);
	__syncthreads();
	if (threadIdx.x == 0) {
		int at = 0;
#pragma unroll 1
		for (int i = 1; i < z.positions; i++) {
			if (best[i] > best[at])
				at = i;
		}
		found[0] = row + at - s - t;
		found[1] = column + where[at] - s - t;
		now[2 * p] = found[0];
		now[2 * p + 1] = found[1];
	}
	__syncthreads();
	if (frame_number % period == 0) {
		for (int e = threadIdx.x; e < z.templ * z.templ; e += blockDim.x) {
			int from = (found[1] - t + e / z.templ) * frame_rows + found[0] - t + e % z.templ;
			m.templ[e] = alpha * m.templ[e] + (1.0f - alpha) * frame[from];
		}
	}
}
