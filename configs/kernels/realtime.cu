/* A job of a periodic real-time task: each CTA computes for run_ns and says so; one that is not done at the deadline gives
 * up. Times in nanoseconds of the global timer. */
#include "device.h"

static __device__ __forceinline__ unsigned long long now_ns(void)
{
	unsigned long long t;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

/* ended: for each CTA when it was done; 0: it gave up. */
extern "C" __global__ void job(unsigned long long *ended, unsigned long long run_ns, unsigned long long deadline_ns)
{
	const unsigned long long begun = now_ns();
	unsigned long long t = begun;
	float x = (float)threadIdx.x;
	while (t - begun < run_ns && t < deadline_ns) {
		for (int i = 0; i < 16; i++)
			x = x * 0.5f + 1.0f;
		t = now_ns();
	}
	if (threadIdx.x == 0)
		ended[blockIdx.x] = t - begun >= run_ns && t <= deadline_ns && x != 0.0f ? t : 0;
}
