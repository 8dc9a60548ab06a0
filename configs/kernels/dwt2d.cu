/* Two-dimensional discrete wavelet transform of a colour image: the reversible integer 5/3 wavelet of JPEG 2000 by
 * lifting, one level a launch and component, each level on the low-low quarter the one before it left.
 *
 * Follows Rodinia's dwt2d: a kernel with CTAs of 256 threads splits packed RGB bytes into three arrays of signed
 * integers; the transform's CTAs own a strip of 64, 128 or 192 columns (one thread a column) and slide down it 8 rows
 * at a time: load rows, lift them horizontally in shared memory, lift the columns vertically, write the four bands. In
 * shared memory even and odd columns are apart, so that neither step has bank conflicts.
 *
 *   high[i] = x[2i + 1] - floor((x[2i] + x[2i + 2]) / 2)
 *   low[i]  = x[2i] + floor((high[i - 1] + high[i] + 2) / 4)
 *
 * with x mirrored at both ends; width and height are even at every level. */
#include "device.h"

#define STEP 8 /* rows a step of the sliding window produces */
#define KEPT 3 /* rows two steps have in common: y - 2, y - 1, y */
#define ROWS (KEPT + STEP)

/* Byte k of pixel i is rgb[3 i + k]. A CTA reads its 768 bytes side by side and hands them out through shared memory.
 */
extern "C" __global__ void dwt_split(const unsigned char *__restrict__ rgb, int *__restrict__ r, int *__restrict__ g,
                                     int *__restrict__ b, int n)
{
	__shared__ unsigned char bytes[3 * 256];
	int t = threadIdx.x, first = blockIdx.x * 256;
	int have = min(3 * 256, 3 * (n - first));

	for (int i = t; i < have; i += 256)
		bytes[i] = rgb[3 * first + i];
	__syncthreads();
	if (first + t < n) {
		r[first + t] = (int)bytes[3 * t] - 128;
		g[first + t] = (int)bytes[3 * t + 1] - 128;
		b[first + t] = (int)bytes[3 * t + 2] - 128;
	}
}

static __device__ __forceinline__ int mirror(int i, int n)
{
	if (i < 0)
		i = -i;
	if (i >= n)
		i = 2 * (n - 1) - i;
	return max(i, 0); /* far beyond the end: loaded, never used */
}

/* A strip of WIDTH columns, of which the even ones are low and the odd ones high after the horizontal step. Column c of
 * the strip, -2 <= c <= WIDTH, is even[c / 2 + 1] or odd[(c + 1) / 2]. */
template <int WIDTH> struct strip {
	int even[ROWS][WIDTH / 2 + 2];
	int odd[ROWS][WIDTH / 2 + 2]; /* the last one is not used: rows as far apart as in even[] */
};

/* Loads the image's rows y .. into rows `row` .. ROWS - 1 of the strip and lifts them. */
template <int WIDTH>
static __device__ __forceinline__ void horizontal(struct strip<WIDTH> *s, const int *in, int x0, int y, int row,
                                                  int width, int height, int stride)
{
	int t = threadIdx.x;
	int *to = t % 2 ? &s->odd[0][(t + 1) / 2] : &s->even[0][t / 2 + 1];
	const int pitch = WIDTH / 2 + 2;
	int column = mirror(x0 + t, width);

#pragma unroll 1
	for (int i = row; i < ROWS; i++) {
		const int *line = in + mirror(y + i - row, height) * stride;

		to[i * pitch] = line[column];
		if (t < 2) { /* columns -2 and -1 */
			int *halo = t ? s->odd[i] : s->even[i];
			*halo = line[mirror(x0 + t - 2, width)];
		} else if (t == 2) {
			s->even[i][WIDTH / 2 + 1] = line[mirror(x0 + WIDTH, width)];
		}
	}
	__syncthreads();
#pragma unroll 1
	for (int i = t; i < (ROWS - row) * (WIDTH / 2); i += WIDTH) {
		int r = row + i / (WIDTH / 2), o = i % (WIDTH / 2) + 1;

		s->odd[r][o] -= (s->even[r][o] + s->even[r][o + 1]) >> 1;
	}
	if (t < ROWS - row)
		s->odd[row + t][0] -= (s->even[row + t][0] + s->even[row + t][1]) >> 1;
	__syncthreads();
#pragma unroll 1
	for (int i = t; i < (ROWS - row) * (WIDTH / 2); i += WIDTH) {
		int r = row + i / (WIDTH / 2), e = i % (WIDTH / 2) + 1;

		s->even[r][e] += (s->odd[r][e - 1] + s->odd[r][e] + 2) >> 2;
	}
	__syncthreads();
}

/* Lifts the thread's column (its ROWS values are column[0], column[pitch] ..) and writes four low and four high rows;
 * keeps the last KEPT values for the next step. out[at]: where the first low row of this step goes; the high ones are
 * `half` rows below. */
static __device__ __forceinline__ void vertical(int *column, int pitch, int *out, int at, int stride, int half,
                                                int low_rows)
{
	int x[ROWS], high[STEP / 2 + 1];

	at = opaque(at);

#pragma unroll
	for (int i = 0; i < ROWS; i++)
		x[i] = column[i * pitch];
#pragma unroll
	for (int i = 0; i <= STEP / 2; i++)
		high[i] = x[2 * i + 1] - ((x[2 * i] + x[2 * i + 2]) >> 1);
#pragma unroll
	for (int i = 0; i < STEP / 2; i++) {
		if (i < low_rows) {
			out[at] = x[2 * i + 2] + ((high[i] + high[i + 1] + 2) >> 2);
			out[at + half * stride] = high[i + 1];
		}
		at += stride;
	}
#pragma unroll
	for (int i = 0; i < KEPT; i++)
		column[i * pitch] = x[STEP + i];
}

template <int WIDTH>
static __device__ __forceinline__ void transform(const int *in, int *out, int width, int height, int stride, int steps)
{
	__shared__ struct strip<WIDTH> s;
	int t = threadIdx.x, low = t < WIDTH / 2;
	int x0 = blockIdx.x * WIDTH, y = blockIdx.y * (STEP * steps);
	int i = low ? t : t - WIDTH / 2;
	int *column = low ? &s.even[0][i + 1] : &s.odd[0][i + 1];
	const int pitch = WIDTH / 2 + 2;
	int x = x0 / 2 + i;
	bool inside = x < width / 2;
	int to = low ? x : width / 2 + x;
	int end = min(y + STEP * steps, height);

	horizontal<WIDTH>(&s, in, x0, y - 2, 0, width, height, stride);
	for (;;) {
		if (inside)
			vertical(column, pitch, out, to + y / 2 * stride, stride, height / 2, (end - y) / 2);
		y += STEP;
		if (y >= end)
			break;
		__syncthreads();
		horizontal<WIDTH>(&s, in, x0, y + 1, KEPT, width, height, stride);
	}
}

/* in: width x height integers, rows `stride` apart. out, rows just as far apart: low-low, high-low (x), low-high and
 * high-high in the four quarters. A CTA does `steps` steps of 8 rows. */
#define TRANSFORM(WIDTH)                                                                                               \
	extern "C" __global__ void __launch_bounds__(WIDTH)                                                                \
	    dwt_53_##WIDTH(const int *in, int *out, int width, int height, int stride, int steps)                          \
	{                                                                                                                  \
		transform<WIDTH>(in, out, width, height, stride, steps);                                                       \
	}

TRANSFORM(64)
TRANSFORM(128)
TRANSFORM(192)
