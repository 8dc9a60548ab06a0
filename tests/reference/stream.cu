// Memory streams: what coalesces, what is written, what stays in L2, what waits for itself.

extern "C" __global__ void triad(const float *a, const float *b, float *c, float s, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + s * b[i];
}

// Every thread writes a word in each of eight far places: stores only.
extern "C" __global__ void fill8(float *out, float v, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, step = n / 8;
#pragma unroll
	for (int k = 0; k < 8; k++)
		out[i + k * step] = v + k;
}

// All blocks read the same window again and again: more than an L1, less than the L2.
extern "C" __global__ void window(const float *in, float *out, int words, int rounds)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	float s = 0;
#pragma unroll 1
	for (int r = 0; r < rounds; r++)
		s += in[(t + r * 4099 * 32) % words];
	out[t] = s;
}

// Words far apart, in an order that nothing foresees.
extern "C" __global__ void gather(const float *in, float *out, unsigned mask, int rounds)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x, at = t * 2654435761u;
	float s = 0;
#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
		at = at * 1664525u + 1013904223u;
		s += in[(at >> 8) & mask];
	}
	out[t] = s;
}

// The next address hangs on the word just read.
extern "C" __global__ void chase(const unsigned *next, unsigned *out, unsigned mask, int steps)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x, at = (t * 97u) & mask;
#pragma unroll 1
	for (int k = 0; k < steps; k++)
		at = (next[at] * 73u + 1031u) & mask;
	out[t] = at;
}

// Four words a thread at once.
extern "C" __global__ void copy4(const float4 *in, float4 *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float4 v = in[i];
	v.x += v.w;
	out[i] = v;
}
