/* The sums of warped-slicer. */
#include "task/partition/shares.h"

u32 slicer_point(u32 sm, u32 sms, u32 most)
{
	if (sms >= most)
		return sm % most + 1;
	return sms == 1 ? most : 1 + (sm * (most - 1) + (sms - 1) / 2) / (sms - 1);
}

void slicer_curve(float *ipc, u32 most)
{
	u32 last = 0;
	ipc[0] = 0;
	for (u32 t = 1; t <= most; t++) {
		if (ipc[t] < 0)
			continue;
		for (u32 i = last + 1; i < t; i++)
			ipc[i] = ipc[last] + (ipc[t] - ipc[last]) * (float)(i - last) / (float)(t - last);
		last = t;
	}
	for (u32 i = last + 1; i <= most; i++)
		ipc[i] = ipc[last];
}

/* The next number of CTAs with which the kernel does better than with any fewer; none: 0. */
static u32 next_better(const float *ipc, u32 most, u32 t)
{
	for (u32 i = t + 1; i <= most; i++)
		if (ipc[i] > ipc[t])
			return i;
	return 0;
}

static void add(u64 *used, const struct smk_need *k, u32 n)
{
	for (u32 i = 0; i < SMK_RESOURCES; i++)
		used[i] += k->of[i] * n;
}

double slicer_counts(u32 n, const struct smk_need *k, const float (*ipc)[SLICER_POINTS], const u64 *total, u32 *ctas)
{
	u64 used[SMK_RESOURCES] = {0};
	float best[SLICER_KERNELS];
	bool full[SLICER_KERNELS];
	for (u32 r = 0; r < n; r++) {
		if (!k[r].most || !smk_fits(&k[r], used, total))
			return 0;
		add(used, &k[r], 1);
		ctas[r] = 1;
		full[r] = false;
		best[r] = 0;
		for (u32 t = 1; t <= k[r].most; t++)
			best[r] = MAX(best[r], ipc[r][t]);
	}
	double least = 1;
	for (;;) {
		u32 low = n;
		for (u32 r = 0; r < n; r++)
			if (!full[r] && (low == n || ipc[r][ctas[r]] * best[low] < ipc[low][ctas[low]] * best[r]))
				low = r;
		if (low == n)
			break;
		const u32 to = next_better(ipc[low], k[low].most, ctas[low]);
		u64 with[SMK_RESOURCES] = {used[0], used[1], used[2], used[3]};
		full[low] = true;
		if (!to)
			continue;
		add(with, &k[low], to - ctas[low] - 1);
		if (!smk_fits(&k[low], with, total))
			continue;
		add(used, &k[low], to - ctas[low]);
		ctas[low] = to;
		full[low] = false;
	}
	for (u32 r = 0; r < n; r++)
		least = MIN(least, best[r] > 0 ? (double)ipc[r][ctas[r]] / (double)best[r] : 0);
	return least;
}
