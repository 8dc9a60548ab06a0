/* The sums of maestro. */
#include "task/partition/shares.h"

#define NEVER_DONE 1e6 /* a kernel that does nothing */

double maestro_antt(const double *alone, const double *shared)
{
	double sum = 0;
	for (u32 i = 0; i < 2; i++)
		sum += shared[i] * NEVER_DONE > alone[i] ? alone[i] / shared[i] : NEVER_DONE;
	return sum / 2;
}

double maestro_stp(const double *alone, const double *shared)
{
	double sum = 0;
	for (u32 i = 0; i < 2; i++)
		sum += alone[i] > 0 ? shared[i] / alone[i] : 0;
	return sum;
}

u32 maestro_fill(const struct smk_need *one, u32 ctas, const struct smk_need *other, const u64 *total)
{
	u64 used[SMK_RESOURCES];
	u32 n = 0;
	for (u32 i = 0; i < SMK_RESOURCES; i++) {
		used[i] = one->of[i] * ctas;
		if (used[i] > total[i])
			return 0;
	}
	for (; n < other->most && smk_fits(other, used, total); n++)
		for (u32 i = 0; i < SMK_RESOURCES; i++)
			used[i] += other->of[i];
	return n;
}
