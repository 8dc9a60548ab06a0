// Warps that part, loops of unlike length, blocks of unlike length.

extern "C" __global__ void hailstone(const int *in, int *out)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
	unsigned v = (unsigned)in[t] * 40503u % 1009u + 1;
#pragma unroll 1
	while (v > 1 && steps < 60) {
		if (v & 1)
			v = 3 * v + 1;
		else
			v >>= 1;
		steps++;
	}
	out[t] = steps;
}

// A ladder of cases by lane: eight ways, each with work of its own.
extern "C" __global__ void ladder(const float *in, float *out, int rounds)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	float v = in[t];
#pragma unroll 1
	for (int r = 0; r < rounds; r++) {
		int way = (t + r) & 7;
		if (way < 4) {
			if (way < 2)
				v = way ? v * 1.5f - 2 : v * v + 1;
			else
				v = way == 2 ? v - 0.5f * v : __fdividef(v, 3.0f);
		} else {
			if (way < 6)
				v = way == 4 ? fminf(v, 7) + 1 : fmaxf(v, -7) - 1;
			else
				v = way == 6 ? v + r : fabsf(v) * 0.25f;
		}
	}
	out[t] = v;
}

// Some blocks work twelve times as long as others, at the end few are left.
extern "C" __global__ void uneven(float *out, int rounds)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, n = rounds * (1 + blockIdx.x % 12);
	float v = t * 0.001f;
#pragma unroll 1
	for (int r = 0; r < n; r++)
		v = v * 0.999f + 0.5f;
	out[t] = v;
}
