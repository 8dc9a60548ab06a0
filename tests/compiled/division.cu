/* 128-bit division as nvcc compiles it: carry chains that mix additions and subtractions.
 * nvcc -ptx -arch=compute_75 -o division.ptx division.cu */
typedef unsigned __int128 u128;
typedef __int128 s128;

extern "C" __global__ void divide_unsigned(u128 *out, const u128 *in)
{
	const unsigned i = threadIdx.x;
	out[2 * i] = in[2 * i] / in[2 * i + 1];
	out[2 * i + 1] = in[2 * i] % in[2 * i + 1];
}

extern "C" __global__ void divide_signed(s128 *out, const s128 *in)
{
	const unsigned i = threadIdx.x;
	out[2 * i] = in[2 * i] / in[2 * i + 1];
	out[2 * i + 1] = in[2 * i] % in[2 * i + 1];
}
