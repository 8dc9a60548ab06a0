/* smk: simultaneous multikernel (Wang 2016, as Park 2016, section 5.5.4, describes it: SMK-P): CTAs of all running
 * kernels on each SM, of each so many that their dominant shares of the SM's resources come out even. What a kernel
 * without CTAs to come has is the others'. When a kernel begins, CTAs of others beyond their number leave by
 * preemption, those that came last. */
#include <string.h>

#include "task/partition/partition.h"
#include "task/partition/shares.h"

struct smk {
	struct partition_known known;
	u32 launch[DISPATCH_KERNELS]; /* + 1, by slot: whose share that is */
	u8 share[DISPATCH_KERNELS];
};
_Static_assert(sizeof(struct smk) <= PARTITION_STATE_MAX, "state");

bool smk_fits(const struct smk_need *k, const u64 *used, const u64 *total)
{
	for (u32 i = 0; i < SMK_RESOURCES; i++)
		if (used[i] + k->of[i] > total[i])
			return false;
	return true;
}

struct smk_need smk_need_of(const struct conf *c, const struct launch *l)
{
	return (struct smk_need){.of = {l->warps, 1, sm_cta_regs(c, l), sm_cta_shared(c, l)},
	                         .most = sm_occupancy(c, l, NULL)};
}

void smk_totals(const struct conf *c, u64 total[SMK_RESOURCES])
{
	const u64 of[SMK_RESOURCES] = {c->sm_threads / WARP_SIZE, c->sm_ctas, c->sm_regs, c->sm_shared};
	memcpy(total, of, sizeof of);
}

static double dominant(const struct smk_need *k, u32 ctas, const u64 *total)
{
	double most = 0;
	for (u32 i = 0; i < SMK_RESOURCES; i++) {
		const double share = total[i] ? (double)k->of[i] * ctas / (double)total[i] : 0;
		most = MAX(most, share);
	}
	return most;
}

void smk_counts(u32 n, const struct smk_need *k, const u64 *total, u32 *ctas)
{
	u64 used[SMK_RESOURCES] = {0};
	for (u32 r = 0; r < n; r++)
		ctas[r] = 0;
	for (;;) {
		u32 best = n;
		for (u32 r = 0; r < n; r++)
			if (ctas[r] < k[r].most && smk_fits(&k[r], used, total) &&
			    (best == n || dominant(&k[r], ctas[r], total) < dominant(&k[best], ctas[best], total)))
				best = r;
		if (best == n)
			return;
		ctas[best]++;
		for (u32 i = 0; i < SMK_RESOURCES; i++)
			used[i] += k[best].of[i];
	}
}

/* The shares of kernels with CTAs to come; the others keep what they have. */
static void divide(const struct partition_view *v, u32 *share)
{
	u64 total[SMK_RESOURCES];
	struct smk_need k[DISPATCH_KERNELS] = {0};
	u32 n = 0, slot[DISPATCH_KERNELS], ctas[DISPATCH_KERNELS];
	smk_totals(v->conf, total);
	for (u32 r = 0; r < v->d->n; r++) {
		const u32 s = v->d->order[r];
		share[s] = QUOTA_ANY;
		if (!partition_comes(v, s))
			continue;
		slot[n] = s;
		k[n++] = smk_need_of(v->conf, v->launch[v->d->k[s].launch]);
	}
	smk_counts(n, k, total, ctas);
	for (u32 i = 0; i < n; i++)
		share[slot[i]] = ctas[i];
}

static u64 plan(void *state, const struct partition_view *v, struct partition_plan *p)
{
	struct smk *st = state;
	const bool news = partition_news(&st->known, v);
	u32 share[DISPATCH_KERNELS];
	divide(v, share);
	for (u32 r = 0; r < v->d->n; r++) {
		const u32 s = v->d->order[r], launch = v->d->k[s].launch;
		const u32 before = st->launch[s] == launch + 1 ? st->share[s] : 0;
		u32 leave = 0;
		for (u32 i = 0; i < v->num_sms; i++) {
			const u32 there = sm_resident(v->sm[i], launch);
			p->quota[i][s] = (u8)share[s];
			if (!news || there <= share[s])
				continue;
			leave += there - share[s];
			p->keep[i][s] = (u8)share[s];
		}
		st->launch[s] = launch + 1;
		st->share[s] = (u8)share[s];
		if (before != share[s])
			partition_tell(v, s, before, share[s], leave);
	}
	return NEVER;
}

extern const struct partition_ops partition_smk;
const struct partition_ops partition_smk = {
    .name = "smk",
    .help = "CTAs of all kernels on each SM, so many that their dominant resource shares are even",
    .source = "Wang 2016 (SMK-P); Park 2016, section 5.5.4",
    .each_cta = true,
    .preempts = true,
    .state_bytes = sizeof(struct smk),
    .plan = plan,
};

/* The warps' half of it is a kernel-aware warp scheduler: quotas of instructions (sm/kernels/fair.c). */
extern const struct partition_ops partition_smk_pw;
const struct partition_ops partition_smk_pw = {
    .name = "smk-pw",
    .help = "smk, and each kernel has a quota of the SM's issue slots",
    .source = "Wang 2016 (SMK-(P+W)); Park 2016, sections 5.5.2 and 5.5.4",
    .implies = "kernel-sched=fair",
    .each_cta = true,
    .preempts = true,
    .state_bytes = sizeof(struct smk),
    .plan = plan,
};
