// Small launches, one after the other: what a machine keeps between them.

extern "C" __global__ void step(float *a, const float *b, float f, int n)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	if (t < n)
		a[t] = a[t] * f + b[t];
}

// Longer than one line of code, with parameters used late.
extern "C" __global__ void step_long(float *a, const float *b, float f, float g, float h, int n)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= n)
		return;
	float x = a[t], y = b[t];
#pragma unroll
	for (int k = 0; k < 12; k++) {
		x = x * f + y;
		y = y * g - x;
	}
	a[t] = x * h + y;
}
