/* Surfaces of every shape: nvcc -ptx -arch=compute_75 */
extern "C" __global__ void image(cudaSurfaceObject_t s, cudaSurfaceObject_t d, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= w || y >= h)
		return;
	float4 sum = {0, 0, 0, 0}, v;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++) {
			surf2Dread(&v, s, (x + dx) * 16, y + dy, cudaBoundaryModeClamp);
			sum.x += v.x;
			sum.y += v.y;
			sum.z += v.z;
			sum.w += v.w;
		}
	surf2Dwrite(sum, d, x * 16, y);
}

/* Bytes shifted by two of them, zeros from outside; what would go beyond the end is dropped. */
extern "C" __global__ void shift(cudaSurfaceObject_t s, cudaSurfaceObject_t d, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	uchar2 c = surf1Dread<uchar2>(s, 2 * (i - 1), cudaBoundaryModeZero);
	surf1Dwrite(c, d, 2 * i, cudaBoundaryModeZero);
}

/* Slice z of a volume into layer z + 1 of an array (the last one into itself, by clamping). */
extern "C" __global__ void layers(cudaSurfaceObject_t s, cudaSurfaceObject_t d)
{
	int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
	short q = surf3Dread<short>(s, x * 2, y, z);
	surf2DLayeredwrite(q, d, x * 2, y, z + 1, cudaBoundaryModeClamp);
}

extern "C" __global__ void rows(cudaSurfaceObject_t s, cudaSurfaceObject_t d)
{
	long long q = surf1DLayeredread<long long>(s, threadIdx.x * 8, blockIdx.x);
	surf1DLayeredwrite(q + blockIdx.x, d, threadIdx.x * 8, blockIdx.x);
}

extern "C" __global__ void outside(cudaSurfaceObject_t s, int x, int y)
{
	surf2Dwrite(1, s, x + 4 * (int)threadIdx.x, y);
}
