/* Early returns in four shapes before barriers of every kind; tests/front/test_lanes.c says what must come out.
 * nvcc -ptx -arch=compute_75 -o leaving.ptx leaving.cu */
/* Returns in two branches, one in the other, with something done in between. */
__device__ bool nested(int *out, int v, int *own)
{
	if (v & 1) {
		if (v & 2)
			return true;
		*out = v;
		if (v & 4)
			return true;
	}
	*own = 1;
	return false;
}
/* From a loop that lanes leave after different numbers of turns. */
__device__ bool counted(int *out, int v, int *own)
{
	for (int i = 0; i < v % 4; i++)
		if (i == 2)
			return true;
	*own = v;
	return false;
}
/* From a loop whose end depends on the values. */
__device__ bool searched(int *out, int v, int *own)
{
	int k = v;
	while (k > 3) {
		k = k * 5 % 97;
		if (k % 7 == 6) {
			*out = k;
			return true;
		}
	}
	*own = k;
	return false;
}
/* From the cases of a switch, one falling into the next. */
__device__ bool switched(int *out, int v, int *own)
{
	switch (v % 5) {
	case 0: return true;
	case 1:
		*out = 3;
		if (v & 8)
			return true;
		break;
	case 3:
		*own = 2;
		if (v & 16)
			return true;
	default:
		if (v % 7 == 0)
			return true;
	}
	*own += 5;
	return false;
}

#define KERNELS(shape)                                                                                                 \
	extern "C" __global__ void shape##_sync(int *out, const int *in)                                                   \
	{                                                                                                                  \
		__shared__ int s[128];                                                                                         \
		const int i = threadIdx.x;                                                                                     \
		int own = 0, r = 0;                                                                                            \
		s[i] = 0;                                                                                                      \
		if (shape(&out[i], in[i], &own))                                                                               \
			return;                                                                                                    \
		for (int n = 0; n < 3; n++) {                                                                                  \
			s[i] = own + r + n;                                                                                        \
			__syncthreads();                                                                                           \
			r += s[i * 7 % 128];                                                                                       \
			__syncthreads();                                                                                           \
		}                                                                                                              \
		out[i] = r;                                                                                                    \
	}                                                                                                                  \
	extern "C" __global__ void shape##_count(int *out, const int *in)                                                  \
	{                                                                                                                  \
		const int i = threadIdx.x;                                                                                     \
		int own = 0;                                                                                                   \
		if (shape(&out[i], in[i], &own))                                                                               \
			return;                                                                                                    \
		out[i] = 1000 * __syncthreads_count(own & 1) + own;                                                            \
	}                                                                                                                  \
	extern "C" __global__ void shape##_logic(int *out, const int *in)                                                  \
	{                                                                                                                  \
		const int i = threadIdx.x;                                                                                     \
		int own = 0;                                                                                                   \
		if (shape(&out[i], in[i], &own))                                                                               \
			return;                                                                                                    \
		const int all = __syncthreads_and(own >= 0), no = __syncthreads_and(own != 1);                                 \
		const int some = __syncthreads_or(in[i] == 77), none = __syncthreads_or(own < 0);                              \
		out[i] = (all != 0) + 2 * (no != 0) + 4 * (some != 0) + 8 * (none != 0);                                       \
	}
KERNELS(nested)
KERNELS(counted)
KERNELS(searched)
KERNELS(switched)
