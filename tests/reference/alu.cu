// Arithmetic: chains and parallel work in every kind of unit, constants.

__constant__ float table[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

extern "C" __global__ void chain_fma(float *out, float a, float b, int rounds)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	float v = t;
#pragma unroll 8
	for (int r = 0; r < rounds; r++)
		v = v * a + b;
	out[t] = v;
}

// Four chains a thread and many warps: the issue width is the limit.
extern "C" __global__ void wide_int(int *out, int a, int b, int rounds)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	int v0 = t, v1 = t + 1, v2 = t + 2, v3 = t + 3;
#pragma unroll 4
	for (int r = 0; r < rounds; r++) {
		v0 = (v0 ^ a) + b;
		v1 = (v1 & b) - a;
		v2 = (v2 | a) + r;
		v3 = (v3 + a) ^ b;
	}
	out[t] = v0 ^ v1 ^ v2 ^ v3;
}

extern "C" __global__ void chain_sfu(float *out, int rounds)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	float v = 1 + t * 0.001f;
#pragma unroll 4
	for (int r = 0; r < rounds; r++)
		v = __sinf(v) + rsqrtf(v * v + 1);
	out[t] = v;
}

extern "C" __global__ void chain_f64(double *out, double a, double b, int rounds)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	double v = t, w = t + 1;
#pragma unroll 4
	for (int r = 0; r < rounds; r++) {
		v = v * a + b;
		w = w * b + a;
	}
	out[t] = v + w;
}

extern "C" __global__ void divide(int *out, int d, int rounds)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, v = t * 7919 + 13;
#pragma unroll 1
	for (int r = 0; r < rounds; r++)
		v = v / (d + r) + v % (d + 3) + t;
	out[t] = v;
}

// Constants: first all lanes the same word, then four different ones.
extern "C" __global__ void constants(float *out, int rounds)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	float v = 0;
#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
		v += table[r & 63];
		v *= table[(t + r) & 3];
	}
	out[t] = v;
}
