/* Half of a program of two files; the other is link_lib.cu.
 *   nvcc -rdc=true -ptx -lineinfo -arch=compute_75 */
struct point {
	float x, y, z;
	int n;
};
extern __device__ int table[16];
extern __constant__ float scale;
extern __shared__ float dyn[];
__device__ float twice(float x, int k);
__device__ point advance(point p);

template <class T> __device__ __noinline__ T cube(T x)
{
	return x * x * x;
}

static __device__ int hidden[4] = {1, 2, 3, 4};

__global__ void linked(float *o, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	dyn[threadIdx.x] = o[i];
	__syncthreads();
	point p = {1.f, 2.f, dyn[threadIdx.x ^ 1], i};
	p = advance(p);
	if (i < n)
		o[i] = twice(dyn[threadIdx.x ^ 1], i) * scale + table[i & 15] + cube(p.x) + hidden[i & 3] + p.n;
}
