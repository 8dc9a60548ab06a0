/* The functions and variables that link_main.cu uses, compiled in the same way. */
struct point {
	float x, y, z;
	int n;
};
__device__ int table[16] = {1, 2, 3, 4, 5};
__constant__ float scale = 2.5f;

template <class T> __device__ __noinline__ T cube(T x)
{
	return x * x * x;
}

static __device__ int hidden[4] = {10, 20, 30, 40};

__device__ float twice(float x, int k)
{
	return 2 * x + cube((float)k) + hidden[k & 3];
}

__device__ point advance(point p)
{
	p.x += p.z;
	p.n++;
	return p;
}
