/* smk: simultaneous multikernel (Wang 2016, as Park 2016, section 5.5.4, describes it: SMK-P): CTAs of all running
 * kernels on each SM, of each so many that their dominant shares of the SM's resources come out even. What a kernel
 * without CTAs to come has is the others'. Kernels of a higher priority come before those of a lower one. When a kernel
 * begins, CTAs of others beyond their number leave by preemption, those that came last. */
#include <string.h>

#include "ir/devmem.h"
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

/* Of its part: with a part of 0.25 a quarter of the SM counts as all of it. */
static double dominant_of_part(const struct smk_need *k, u32 ctas, const u64 *total, const double *part, u32 r)
{
	return dominant(&k[r], ctas, total) / (part ? part[r] : 1);
}

void smk_counts(u32 n, const struct smk_need *k, const u64 *total, const double *part, u32 *ctas)
{
	u64 used[SMK_RESOURCES] = {0};
	for (u32 r = 0; r < n; r++)
		ctas[r] = 0;
	for (;;) {
		u32 best = n;
		for (u32 r = 0; r < n; r++)
			if (ctas[r] < k[r].most && smk_fits(&k[r], used, total) &&
			    (best == n ||
			     dominant_of_part(k, ctas[r], total, part, r) < dominant_of_part(k, ctas[best], total, part, best)))
				best = r;
		if (best == n)
			return;
		ctas[best]++;
		for (u32 i = 0; i < SMK_RESOURCES; i++)
			used[i] += k[best].of[i];
	}
}

/* smk.first: the parts of two kernels of which one is the first program's. False: even. */
static bool parts(const struct partition_view *v, const u32 *slot, u32 n, double *part)
{
	if (n != 2)
		return false;
	bool first[2];
	for (u32 i = 0; i < 2; i++)
		first[i] = !OWNER_PROGRAM(v->launch[v->d->k[slot[i]].launch]->mod->owner);
	for (u32 i = 0; i < 2; i++)
		part[i] = first[i] ? v->conf->smk_first : 1 - v->conf->smk_first;
	return first[0] != first[1];
}

/* The shares of those of `count` kernels, from place `first` of the order on, that have CTAs to come, of what `left`
 * has; the others keep what they have. Takes them off. */
static void divide_among(const struct partition_view *v, u32 first, u32 count, u64 *left, u32 *share)
{
	struct smk_need k[DISPATCH_KERNELS] = {0};
	u32 n = 0, slot[DISPATCH_KERNELS], ctas[DISPATCH_KERNELS];
	double part[2];
	for (u32 r = first; r < first + count; r++) {
		const u32 s = v->d->order[r];
		share[s] = QUOTA_ANY;
		if (!partition_comes(v, s))
			continue;
		slot[n] = s;
		k[n++] = smk_need_of(v->conf, v->launch[v->d->k[s].launch]);
	}
	smk_counts(n, k, left, parts(v, slot, n, part) ? part : NULL, ctas);
	for (u32 i = 0; i < n; i++) {
		share[slot[i]] = ctas[i];
		for (u32 o = 0; o < SMK_RESOURCES; o++)
			left[o] -= k[i].of[o] * ctas[i];
	}
}

/* Kernels of the highest priority share an SM, those of the next what that leaves of it, and so on. */
static void divide(const struct partition_view *v, u32 *share)
{
	u64 left[SMK_RESOURCES];
	smk_totals(v->conf, left);
	for (u32 r = 0, n; r < v->d->n; r += n) {
		n = partition_equals(v, r);
		divide_among(v, r, n, left, share);
	}
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

static void explain(const void *state, const struct partition_view *v, u32 slot, struct strbuf *out)
{
	static const char *const names[SMK_RESOURCES] = {"warp slots", "CTA slots", "registers", "shared memory"};
	const struct smk *st = state;
	u64 total[SMK_RESOURCES];
	const struct smk_need k = smk_need_of(v->conf, v->launch[v->d->k[slot].launch]);
	u32 most = 0;
	smk_totals(v->conf, total);
	if (st->share[slot] == QUOTA_ANY) {
		strbuf_adds(out, "no CTAs to come: it keeps what it has");
		return;
	}
	for (u32 i = 1; i < SMK_RESOURCES; i++)
		if (total[i] && (double)k.of[i] / (double)total[i] > (double)k.of[most] / (double)total[most])
			most = i;
	strbuf_addf(out, "%u CTAs on each SM, %.0f %% of its %s, of which it needs most", st->share[slot],
	            100.0 * st->share[slot] * (double)k.of[most] / (double)total[most], names[most]);
}

extern const struct partition_ops partition_smk;
const struct partition_ops partition_smk = {
    .name = "smk",
    .help = "CTAs of all kernels on each SM, so many of each that their dominant resource shares are even",
    .source = "Wang 2016 (SMK-P); Park 2016, section 5.5.4",
    .each_cta = true,
    .preempts = true,
    .insists = true,
    .state_bytes = sizeof(struct smk),
    .plan = plan,
    .explain = explain,
};

/* The warps' half of it is a kernel-aware warp scheduler: quotas of instructions (sm/kernels/fair.c). */
extern const struct partition_ops partition_smk_pw;
const struct partition_ops partition_smk_pw = {
    .name = "smk-pw",
    .help = "as smk; each kernel also has a quota of the SM's issue slots",
    .source = "Wang 2016 (SMK-(P+W)); Park 2016, sections 5.5.2 and 5.5.4",
    .implies = "kernel-sched=fair",
    .each_cta = true,
    .preempts = true,
    .insists = true,
    .state_bytes = sizeof(struct smk),
    .plan = plan,
    .explain = explain,
};
