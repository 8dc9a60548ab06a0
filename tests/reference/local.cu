// Arrays of a thread's own, with subscripts that no compiler knows: local memory.

extern "C" __global__ void own16(const int *in, int *out, int turns)
{
	int a[16], t = blockIdx.x * blockDim.x + threadIdx.x, s = 0, k = in[t];
#pragma unroll 1
	for (int i = 0; i < 16; i++)
		a[i] = i * k;
#pragma unroll 1
	for (int i = 0; i < turns; i++) {
		a[(i + k) & 15] += i;
		s += a[(i * 5 + k) & 15];
	}
	out[t] = s;
}

// The same subscript in all lanes, and arrays that no L1D holds.
extern "C" __global__ void own64(int *out, int turns, int by)
{
	int a[64], t = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
#pragma unroll 1
	for (int i = 0; i < 64; i++)
		a[i] = i + t;
#pragma unroll 1
	for (int i = 0; i < turns; i++) {
		s += a[i * by & 63];
		a[i & 63] = s;
	}
	out[t] = s;
}
