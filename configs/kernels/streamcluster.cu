/* Is it worth opening a new centre? The gain of a candidate in the facility location problem, one point a thread, CTAs
 * of 512, in the manner of Rodinia's streamcluster (kernel pgain). Coordinates are dimension-major (coordinate d of
 * point i is coordinates[d * points + i]): a warp's loads of its own points are coalesced, those of the candidate x are
 * one word for all.
 *
 * Each point has its own row of centres + 1 sums in work[]: what the point would add to the costs of closing its
 * centre, or (last) save by switching to x. The host zeroes work[] and switched[] before and adds the rows up after
 * every launch, and only then decides; so the kernel's updates in place need no order. */
#include "device.h"

struct point {
	float weight;
	float unused0;
	unsigned long long coordinates; /* the host's, not used here: fields as far apart as in the published program */
	long long assigned;             /* point that is this one's centre */
	float cost;                     /* weight x squared distance to it */
	float unused1;
};

extern "C" __global__ void pgain(int points, int dimensions, int x, const struct point *p, int centres,
                                 const float *coordinates, float *work, const int *centre_number, char *switched)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= points)
		return;
	float *row = work + i * (centres + 1);
	float distance = 0.0f;

#pragma unroll 1
	for (int d = 0; d < dimensions; d++) {
		float difference = coordinates[d * points + i] - coordinates[d * points + x];
		distance += difference * difference;
	}
	float x_cost = distance * p[i].weight;
	float cost = p[i].cost;

	if (x_cost < cost) {
		switched[i] = 1;
		row[centres] += x_cost - cost;
	} else {
		row[centre_number[p[i].assigned]] += cost - x_cost;
	}
}
