// Shared memory and barriers.

#define T 16

extern "C" __global__ void mul_plain(const float *a, const float *b, float *c, int n)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	float s = 0;
#pragma unroll 4
	for (int k = 0; k < n; k++)
		s += a[y * n + k] * b[k * n + x];
	c[y * n + x] = s;
}

extern "C" __global__ void mul_tile(const float *a, const float *b, float *c, int n)
{
	__shared__ float sa[T][T], sb[T][T];
	int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * T + tx, y = blockIdx.y * T + ty;
	float s = 0;
#pragma unroll 1
	for (int k0 = 0; k0 < n; k0 += T) {
		sa[ty][tx] = a[y * n + k0 + tx];
		sb[ty][tx] = b[(k0 + ty) * n + x];
		__syncthreads();
#pragma unroll
		for (int k = 0; k < T; k++)
			s += sa[ty][k] * sb[k][tx];
		__syncthreads();
	}
	c[y * n + x] = s;
}

extern "C" __global__ void flip_plain(const float *in, float *out, int n)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	out[x * n + y] = in[y * n + x];
}

// 32 x 8 threads turn a tile of 32 x 32; without padding the columns of the tile lie in one bank.
extern "C" __global__ void flip_clash(const float *in, float *out, int n)
{
	__shared__ float s[32][32];
	int tx = threadIdx.x, ty = threadIdx.y;
#pragma unroll
	for (int k = 0; k < 32; k += 8)
		s[ty + k][tx] = in[(blockIdx.y * 32 + ty + k) * n + blockIdx.x * 32 + tx];
	__syncthreads();
#pragma unroll
	for (int k = 0; k < 32; k += 8)
		out[(blockIdx.x * 32 + ty + k) * n + blockIdx.y * 32 + tx] = s[tx][ty + k];
}

extern "C" __global__ void flip_pad(const float *in, float *out, int n)
{
	__shared__ float s[32][33];
	int tx = threadIdx.x, ty = threadIdx.y;
#pragma unroll
	for (int k = 0; k < 32; k += 8)
		s[ty + k][tx] = in[(blockIdx.y * 32 + ty + k) * n + blockIdx.x * 32 + tx];
	__syncthreads();
#pragma unroll
	for (int k = 0; k < 32; k += 8)
		out[(blockIdx.x * 32 + ty + k) * n + blockIdx.y * 32 + tx] = s[tx][ty + k];
}

extern "C" __global__ void sum_tree(const float *in, float *out, int per)
{
	__shared__ float s[256];
	int t = threadIdx.x, at = blockIdx.x * 256 * per + t;
	float v = 0;
#pragma unroll 1
	for (int k = 0; k < per; k++)
		v += in[at + k * 256];
	s[t] = v;
	__syncthreads();
#pragma unroll 1
	for (int half = 128; half; half >>= 1) {
		if (t < half)
			s[t] += s[t + half];
		__syncthreads();
	}
	if (!t)
		out[blockIdx.x] = s[0];
}

// Inclusive scan of a block, doubling the distance each step.
extern "C" __global__ void scan_block(const int *in, int *out)
{
	__shared__ int s[2][256];
	int t = threadIdx.x, i = blockIdx.x * 256 + t, from = 0;
	s[0][t] = in[i];
	__syncthreads();
#pragma unroll 1
	for (int d = 1; d < 256; d <<= 1) {
		int v = s[from][t];
		if (t >= d)
			v += s[from][t - d];
		from ^= 1;
		s[from][t] = v;
		__syncthreads();
	}
	out[i] = s[from][t];
}

// The same words of shared memory with a stride of the caller's: the degree of the bank conflict.
extern "C" __global__ void banks(float *out, int stride, int rounds)
{
	__shared__ float s[2048];
	int t = threadIdx.x;
	for (int k = t; k < 2048; k += blockDim.x)
		s[k] = k;
	__syncthreads();
	float v = 0;
	int at = t * stride % 2048;
#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
		v += s[at];
		at = (at + 33) & 2047;
	}
	out[blockIdx.x * blockDim.x + t] = v;
}

// Nothing but barriers and a little work between them.
extern "C" __global__ void phases(float *out, int rounds)
{
	__shared__ float s[256];
	int t = threadIdx.x;
	s[t] = t;
	__syncthreads();
	float v = 0;
#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
		v += s[(t + r) & 255];
		__syncthreads();
		s[t] = v;
		__syncthreads();
	}
	out[blockIdx.x * 256 + t] = v;
}
