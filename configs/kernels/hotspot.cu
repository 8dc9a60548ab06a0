/* Heat on a chip: an explicit finite-difference step on a width x height grid of cells. A cell exchanges heat with its
 * four neighbours (through resistances 1/rx, 1/ry), with the ambient (1/rz), and gains what its power dissipates; the
 * chip's edge is insulated (a neighbour beyond it has the cell's own temperature).
 *
 * A CTA of 16 x 16 threads loads its tile and advances it `steps` time steps in shared memory. Each step the ring of
 * cells whose neighbours are unknown grows by one, so only the inner 16 - 2*steps square of the tile is valid at the
 * end and written; tiles overlap by that much. */
#include "device.h"

#define TILE 16

extern "C" __global__ void hotspot(const float *power, const float *t_in, float *t_out, int width, int height,
                                   int steps, float step_over_cap, float rx, float ry, float rz, float ambient)
{
	__shared__ float now[TILE][TILE], next[TILE][TILE], heat[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int inner = TILE - 2 * steps;
	int x = (int)blockIdx.x * inner - steps + tx;
	int y = (int)blockIdx.y * inner - steps + ty;
	bool on_chip = x >= 0 && x < width && y >= 0 && y < height;
	int at = y * width + x;

	if (on_chip) {
		now[ty][tx] = t_in[at];
		heat[ty][tx] = power[at];
	}
	__syncthreads();

	/* Neighbours in the tile; at the chip's edge the cell itself. */
	int west = x <= 0 ? tx : tx - 1;
	int east = x >= width - 1 ? tx : tx + 1;
	int north = y <= 0 ? ty : ty - 1;
	int south = y >= height - 1 ? ty : ty + 1;

	for (int i = 1;; i++) {
		bool valid = on_chip && tx >= i && tx < TILE - i && ty >= i && ty < TILE - i;

		if (valid) {
			float t = now[ty][tx];
			next[ty][tx] = t + step_over_cap * (heat[ty][tx] + (now[south][tx] + now[north][tx] - 2.0f * t) * ry +
			                                    (now[ty][east] + now[ty][west] - 2.0f * t) * rx + (ambient - t) * rz);
		}
		__syncthreads();
		if (i == steps) {
			if (valid)
				t_out[at] = next[ty][tx];
			return;
		}
		if (valid)
			now[ty][tx] = next[ty][tx];
		__syncthreads();
	}
}
