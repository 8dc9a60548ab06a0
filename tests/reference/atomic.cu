// Atomics on global and shared memory, with and without contention.

extern "C" __global__ void count_few(unsigned *bins, unsigned mask, int rounds)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
	for (int r = 0; r < rounds; r++)
		atomicAdd(&bins[(t + r) & mask], 1u);
}

extern "C" __global__ void count_own(unsigned *bins)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	atomicAdd(&bins[t], t);
	atomicMax(&bins[t ^ 32], 7u);
}

// A histogram per block in shared memory, then merged.
extern "C" __global__ void histo(const unsigned *in, unsigned *bins, int per)
{
	__shared__ unsigned s[128];
	int t = threadIdx.x, at = blockIdx.x * blockDim.x * per + t;
	if (t < 128)
		s[t] = 0;
	__syncthreads();
#pragma unroll 1
	for (int k = 0; k < per; k++)
		atomicAdd(&s[in[at + k * blockDim.x] & 127], 1u);
	__syncthreads();
	if (t < 128)
		atomicAdd(&bins[t], s[t]);
}

// One place a warp, and the old value is used.
extern "C" __global__ void ticket(unsigned *next, unsigned *out)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	if (!(t & 31))
		out[t / 32] = atomicAdd(next, 1u);
}
