// Neighbours: stencils, and walks along rows and columns.

extern "C" __global__ void star2d(const float *in, float *out, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
		return;
	int at = y * w + x;
	out[at] = 0.6f * in[at] + 0.1f * (in[at - 1] + in[at + 1] + in[at - w] + in[at + w]);
}

extern "C" __global__ void star3d(const float *in, float *out, int w, int h, int d)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
		return;
	int plane = w * h, at = y * w + x + plane;
	float below = in[at - plane], here = in[at];
#pragma unroll 1
	for (int z = 1; z < d - 1; z++, at += plane) {
		float above = in[at + plane];
		out[at] = (below + above + in[at - 1] + in[at + 1] + in[at - w] + in[at + w]) * 0.125f + 0.25f * here;
		below = here;
		here = above;
	}
}

// Each thread walks a row of its own, twice: lines live until the warp comes back, or not.
extern "C" __global__ void rowwalk(const float *in, float *out, int len)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	float s = 0;
#pragma unroll 1
	for (int turn = 1; turn < 3; turn++)
#pragma unroll 1
		for (int k = 0; k < len; k++)
			s += turn * in[row * len + k];
	out[row] = s;
}

// A warp reads 32 rows at once: as many lines as lanes.
extern "C" __global__ void column(const float *in, float *out, int pitch, int steps)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	float s = 0;
#pragma unroll 1
	for (int k = 0; k < steps; k++)
		s += in[(t % 1024) * pitch + (t / 1024) * steps + k];
	out[t] = s;
}
