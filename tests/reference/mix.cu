// f64 beside other work, and kernels in the manner of benchmarks.

extern "C" __global__ void saxpy_f64(const double *x, double *y, double a, int n)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	if (t < n)
		y[t] = a * x[t] + y[t];
}

// Much f32 and integer work around a little f64.
extern "C" __global__ void f64_among(const float *in, double *out, int turns)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, k = t;
	float f = in[t];
	double d = f;
#pragma unroll 1
	for (int i = 0; i < turns; i++) {
		f = f * 0.99f + 0.5f;
		k = k * 5 + i;
		f = f * 1.01f - 0.25f;
		k ^= k >> 3;
		d = d * 0.99 + f;
		f += (float)(k & 7);
	}
	out[t] = d + k;
}

extern "C" __global__ void gather_rand(const unsigned *at, const float *in, float *out)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	out[t] = in[at[t] * 2654435761u >> 13 & 65535];
}

extern "C" __global__ void stride2(const float *in, float *out, int n)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	if (t < n)
		out[t] = in[2 * t] + 1;
}

extern "C" __global__ void hash32(const unsigned *in, unsigned *out, int turns)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned h = in[t];
#pragma unroll 1
	for (int i = 0; i < turns; i++) {
		h ^= h >> 16;
		h *= 0x85ebca6bu;
		h ^= h >> 13;
		h *= 0xc2b2ae35u;
		h ^= h >> 16;
		h += i;
	}
	out[t] = h;
}

extern "C" __global__ void bilateral(const float *in, float *out, int w, int h, float sigma)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < 2 || y < 2 || x >= w - 2 || y >= h - 2)
		return;
	float c = in[y * w + x], sum = 0, weight = 0;
#pragma unroll 1
	for (int j = -2; j <= 2; j++)
#pragma unroll
		for (int i = -2; i <= 2; i++) {
			float v = in[(y + j) * w + x + i], d = v - c, e = exp2f(-d * d * sigma - 0.1f * (i * i + j * j));
			sum += v * e;
			weight += e;
		}
	out[y * w + x] = sum / weight;
}

#define RADIUS 4
extern "C" __global__ void columns_conv(const float *in, float *out, int w, int h, float a, float b)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	float s = 0, k = a;
#pragma unroll
	for (int i = -RADIUS; i <= RADIUS; i++) {
		int j = y + i;
		s += j >= 0 && j < h ? k * in[j * w + x] : 0;
		k += b;
	}
	out[y * w + x] = s;
}
