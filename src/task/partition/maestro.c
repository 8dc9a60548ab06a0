/* maestro: partitions are tried on a few SMs and the best one measured is followed by the others (Park 2016, sections
 * 5.4.1 and 5.4.2). For two kernels an SM has one of these roles:
 *
 * dedicated: one SM a kernel, which has it to itself: its CPI, and what splitting the SMs would give.
 *
 * trial: two SMs. The trial kernel, of which an SM holds fewer CTAs, has one CTA more than on a follower, or one less;
 * the other kernel fills up.
 *
 * follower: the others. The best partition of the epoch before; at first the even one (smk), or what a kernel that had
 * to do with less than that had when it last shared an SM.
 *
 * spatial: none at first. One kernel alone; one SM more a kernel after each epoch in which splitting was best, one less
 * after the others.
 *
 * An epoch of maestro.epoch cycles begins when all CTAs that were to leave have left; at its end the objective
 * (maestro.objective) of each partition is computed from instructions counted by kernel and SM. When two epochs in a
 * row ended without a change and the dedicated SMs did what they had done, these become followers; they come back after
 * a change, and after maestro.refresh epochs. Roles go to the SMs that have to give up the fewest CTAs for them. What
 * the user has taken from a kernel is not measured, and follows.
 *
 * More kernels: pairs of them, in the order of their launch, share groups of SMs; the last of an odd number has a group
 * of its own. A group of fewer than five SMs has the even partition and tries nothing; two kernels of which no CTAs fit
 * on an SM together have half of its SMs each. */
#include <math.h>
#include <string.h>

#include "task/partition/meter.h"
#include "task/partition/shares.h"

#define LOOK 64     /* cycles between two looks at CTAs that are to leave */
#define LEAST_SMS 5 /* of a group that tries: two dedicated, two trial, a follower */
#define STEADY 2    /* epochs without a change */
#define STABLE 0.1  /* a dedicated SM's IPC has changed by less than this part */
#define GROUPS ((DISPATCH_KERNELS + 1) / 2)
#define REMEMBERED 32
#define NOBODY 255

enum { FOLLOW, UP, DOWN, SPLIT, TRIED };
enum phase { FREE, EVEN, SETTLE, EPOCH };

struct tried {
	double ipc[2], objective;
	u32 sm; /* the first that had it */
	u8 ctas[2];
	u8 measured, pad;
};
struct group {
	u64 since;                 /* of the phase */
	double alone[2];           /* IPC of a dedicated SM when there last was one; 0: never */
	struct tried tried[TRIED]; /* in the last epoch */
	u32 first, sms;
	u32 launch[2]; /* + 1; 0: no second */
	u32 phase;
	u32 epochs, same, since_dedicated; /* epochs: in all, without a change, without dedicated SMs */
	u8 ctas[2];                        /* on a follower */
	u8 even[2];
	u8 trial;     /* the trial kernel */
	u8 dedicated; /* there are dedicated SMs */
	u8 split;     /* spatial SMs of each kernel */
	u8 best;      /* of the last epoch */
};
struct past { /* how a kernel last shared an SM */
	u32 name; /* its name's hash; 0: the place is free */
	u8 ctas, less, pad[2];
};
struct maestro {
	struct partition_known known;
	u32 n; /* groups */
	struct group g[GROUPS];
	u8 role[CONF_MAX_SMS];  /* enum partition_role */
	u8 which[CONF_MAX_SMS]; /* dedicated, spatial: the kernel; trial: UP or DOWN */
	u32 pasts;
	struct past past[REMEMBERED];
	struct meter meter;
};
_Static_assert(sizeof(struct maestro) <= PARTITION_STATE_MAX, "state");

struct turn {
	struct maestro *st;
	const struct partition_view *v;
	struct partition_plan *p;
	u64 total[SMK_RESOURCES];
};

static u32 slot_of(const struct turn *t, const struct group *g, u32 k)
{
	const s32 slot = g->launch[k] ? dispatch_slot(t->v->d, g->launch[k] - 1) : -1;
	return slot < 0 ? NOBODY : (u32)slot;
}

/* Has the user taken the SM from a kernel of the group? */
static bool taken(const struct turn *t, const struct group *g, u32 sm)
{
	bool any = false;
	for (u32 k = 0; k < 2; k++) {
		const u32 slot = slot_of(t, g, k);
		any |= slot != NOBODY && t->v->d->away[sm] >> slot & 1;
	}
	return any;
}

static bool comes(const struct turn *t, const struct group *g, u32 k)
{
	const u32 slot = slot_of(t, g, k);
	return slot != NOBODY && partition_comes(t->v, slot);
}

static const struct launch *launch_of(const struct turn *t, const struct group *g, u32 k)
{
	return t->v->launch[g->launch[k] - 1];
}

/* --- what a kernel had when it last shared an SM ------------------------------------------------------------------ */

static u32 name_hash(const struct launch *l)
{
	u32 h = 2166136261u;
	for (const char *c = l->fn->name; *c; c++)
		h = (h ^ (u8)*c) * 16777619u;
	return h | 1;
}

static struct past *past_of(struct maestro *st, u32 name)
{
	for (u32 i = 0; i < REMEMBERED; i++)
		if (st->past[i].name == name)
			return &st->past[i];
	return NULL;
}

static void remember(struct turn *t, const struct group *g)
{
	for (u32 k = 0; k < 2 && g->epochs; k++) {
		const u32 name = name_hash(launch_of(t, g, k));
		struct past *p = past_of(t->st, name);
		if (!p)
			p = &t->st->past[t->st->pasts++ % REMEMBERED];
		*p = (struct past){.name = name, .ctas = g->ctas[k], .less = g->ctas[k] < g->even[k]};
	}
}

/* --- partitions ---------------------------------------------------------------------------------------------------- */

/* So many CTAs of kernel k, the other fills up. False: that is no partition. */
static bool partition_with(const struct turn *t, const struct group *g, u32 k, u32 ctas, u8 *out)
{
	const struct smk_need one = smk_need_of(t->v->conf, launch_of(t, g, k));
	const struct smk_need other = smk_need_of(t->v->conf, launch_of(t, g, !k));
	const u32 fill = ctas && ctas <= one.most ? maestro_fill(&one, ctas, &other, t->total) : 0;
	out[k] = (u8)ctas;
	out[!k] = (u8)fill;
	return fill > 0;
}

static bool trial_partition(const struct turn *t, const struct group *g, u32 which, u8 *out)
{
	const u32 now = g->ctas[g->trial];
	return partition_with(t, g, g->trial, which == UP ? now + 1 : now - 1, out);
}

/* The first partition of a pair. False: they cannot share an SM. */
static bool first_partition(struct turn *t, struct group *g)
{
	struct smk_need k[2];
	u32 ctas[2];
	for (u32 i = 0; i < 2; i++)
		k[i] = smk_need_of(t->v->conf, launch_of(t, g, i));
	smk_counts(2, k, t->total, NULL, ctas);
	g->trial = k[1].most < k[0].most;
	for (u32 i = 0; i < 2; i++)
		g->ctas[i] = g->even[i] = (u8)ctas[i];
	if (!ctas[0] || !ctas[1])
		return false;
	for (u32 i = 0; i < 2; i++) {
		const struct past *p = past_of(t->st, name_hash(launch_of(t, g, i)));
		u8 with[2];
		if (p && p->less && p->ctas < g->even[i] && partition_with(t, g, i, p->ctas, with)) {
			memcpy(g->ctas, with, sizeof with);
			break;
		}
	}
	return true;
}

/* --- roles --------------------------------------------------------------------------------------------------------- */

static void quotas_of(const struct turn *t, const struct group *g, u32 role, u32 which, u8 *out)
{
	out[0] = g->ctas[0];
	out[1] = g->ctas[1];
	if (role == ROLE_TRIAL)
		trial_partition(t, g, which, out);
	if (role != ROLE_DEDICATED && role != ROLE_SPATIAL)
		return;
	out[which] = QUOTA_ANY;
	out[!which] = 0;
}

/* What it costs to give an SM a role: CTAs that have to leave, then whether it is another role. */
static u32 cost(const struct turn *t, const struct group *g, u32 sm, u32 role, u32 which, const u8 *before)
{
	u8 want[2];
	u32 leave = 0;
	quotas_of(t, g, role, which, want);
	for (u32 k = 0; k < 2; k++) {
		const u32 there = sm_resident(t->v->sm[sm], g->launch[k] - 1);
		leave += there > want[k] ? there - want[k] : 0;
	}
	return (u32)taken(t, g, sm) << 16 | leave << 1 | (before[sm] != role);
}

/* Gives the role to n SMs that have none yet, the cheapest. */
static void give(struct turn *t, const struct group *g, u32 n, u32 role, u32 which, const u8 *before)
{
	while (n--) {
		u32 best = NOBODY, least = UINT32_MAX;
		for (u32 i = g->first; i < g->first + g->sms; i++) {
			const u32 c = t->st->role[i] ? UINT32_MAX : cost(t, g, i, role, which, before);
			if (c < least) {
				best = i;
				least = c;
			}
		}
		if (least == UINT32_MAX)
			return;
		t->st->role[best] = (u8)role;
		t->st->which[best] = (u8)which;
	}
}

static void tell_roles(const struct turn *t, const struct group *g, const u8 *before)
{
	if (!event_wanted(t->v->ev, EV_ROLE))
		return;
	for (u32 i = g->first; i < g->first + g->sms; i++) {
		const u32 role = t->st->role[i];
		if (role == before[i])
			continue;
		struct event *e = event_add(t->v->ev, EV_ROLE, t->v->now);
		const u32 k = role == ROLE_DEDICATED || role == ROLE_SPATIAL ? t->st->which[i] : g->trial;
		e->sm = (s32)i;
		e->kernel = g->launch[k] ? (s32)g->launch[k] - 1 : -1;
		e->arg[0] = role;
		e->arg[1] = before[i];
		e->arg[2] = g->epochs;
	}
}

static void give_roles(struct turn *t, const struct group *g)
{
	u8 before[CONF_MAX_SMS], any[2];
	memcpy(before, t->st->role, sizeof before);
	memset(t->st->role + g->first, ROLE_NONE, g->sms);
	if (g->phase == SETTLE) {
		for (u32 k = 0; k < 2 && g->dedicated; k++)
			give(t, g, 1, ROLE_DEDICATED, k, before);
		for (u32 k = UP; k <= DOWN; k++)
			give(t, g, trial_partition(t, g, k, any), ROLE_TRIAL, k, before);
		for (u32 k = 0; k < 2; k++)
			give(t, g, g->split, ROLE_SPATIAL, k, before);
	} else if (g->phase == EVEN && !(g->ctas[0] && g->ctas[1])) {
		give(t, g, (g->sms + 1) / 2, ROLE_SPATIAL, 0, before);
		give(t, g, g->sms / 2, ROLE_SPATIAL, 1, before);
	}
	if (g->phase != FREE)
		give(t, g, g->sms, ROLE_FOLLOWER, 0, before);
	tell_roles(t, g, before);
}

/* --- quotas -------------------------------------------------------------------------------------------------------- */

/* A kernel of no group had no CTAs to come when the groups were made: what it has stays where it is. */
static bool grouped(const struct maestro *st, u32 launch)
{
	for (u32 i = 0; i < st->n; i++)
		if (st->g[i].launch[0] == launch + 1 || st->g[i].launch[1] == launch + 1)
			return true;
	return false;
}

/* On the group's SMs; kernels of other groups have those that the group's own leave unused. leave: by kernel, those
 * that are to go at once; NULL: nobody is. */
static void set_quotas(struct turn *t, const struct group *g, u32 *leave)
{
	const struct partition_view *v = t->v;
	const bool idle = !comes(t, g, 0) && !comes(t, g, 1);
	for (u32 i = g->first; i < g->first + g->sms; i++) {
		u8 want[2] = {QUOTA_ANY, QUOTA_ANY};
		for (u32 r = 0; r < v->d->n; r++) {
			const u32 slot = v->d->order[r];
			t->p->quota[i][slot] = idle || !grouped(t->st, v->d->k[slot].launch) ? QUOTA_ANY : 0;
		}
		if (g->phase != FREE)
			quotas_of(t, g, t->st->role[i], t->st->which[i], want);
		for (u32 k = 0; k < 2; k++)
			if (slot_of(t, g, k) != NOBODY)
				t->p->quota[i][slot_of(t, g, k)] = want[k];
		for (u32 r = 0; r < v->d->n && leave; r++) {
			const u32 slot = v->d->order[r], gone = partition_evict(v, t->p, i, slot);
			for (u32 k = 0; k < 2; k++)
				leave[k] += slot == slot_of(t, g, k) ? gone : 0;
		}
	}
}

static void tell_partition(const struct turn *t, const struct group *g, const u8 *before, const u32 *leave)
{
	for (u32 k = 0; k < 2; k++)
		if (g->launch[k] && before[k] != g->ctas[k])
			partition_tell(t->v, slot_of(t, g, k), before[k], g->ctas[k], leave[k]);
}

/* The SMs' CTAs are to be as the group now wants them. */
static void rearrange(struct turn *t, struct group *g, const u8 *before)
{
	u32 leave[2] = {0};
	if (g->phase == EPOCH)
		g->phase = SETTLE;
	g->since = t->v->now;
	give_roles(t, g);
	set_quotas(t, g, leave);
	tell_partition(t, g, before, leave);
}

/* --- an epoch's end ------------------------------------------------------------------------------------------------ */

static double objective(const struct conf *c, const double *alone, const double *shared)
{
	return c->maestro_objective == MAESTRO_OBJECTIVE_ANTT ? maestro_antt(alone, shared) : maestro_stp(alone, shared);
}

static bool better(const struct conf *c, double a, double b)
{
	return c->maestro_objective == MAESTRO_OBJECTIVE_ANTT ? a < b : a > b;
}

/* Instructions a cycle of a kernel, mean over the SMs that had the partition. */
static bool mean_ipc(struct turn *t, const struct group *g, u32 role, u32 which, struct tried *out)
{
	const double cycles = (double)(t->v->now - g->since);
	u32 n = 0;
	*out = (struct tried){0};
	for (u32 i = g->first; i < g->first + g->sms; i++) {
		if (t->st->role[i] != role || (role != ROLE_FOLLOWER && t->st->which[i] != which) || taken(t, g, i))
			continue;
		for (u32 k = 0; k < 2; k++)
			out->ipc[k] += (double)meter_read(&t->st->meter, t->v, i, k) / cycles;
		if (!n++)
			out->sm = i;
	}
	for (u32 k = 0; k < 2 && n; k++)
		out->ipc[k] /= n;
	out->measured = n > 0;
	return n;
}

/* The kernels alone; true: both have been measured, and are as before. */
static bool measure_alone(struct turn *t, struct group *g)
{
	bool stable = true;
	for (u32 k = 0; k < 2 && g->dedicated; k++) {
		struct tried d;
		if (!mean_ipc(t, g, ROLE_DEDICATED, k, &d)) {
			stable = false;
			continue;
		}
		stable &= fabs(d.ipc[k] - g->alone[k]) <= STABLE * g->alone[k];
		g->alone[k] = d.ipc[k];
		g->tried[SPLIT].ipc[k] = d.ipc[k];
		g->tried[SPLIT].sm = k ? g->tried[SPLIT].sm : d.sm;
	}
	return stable;
}

static void tell_trial(const struct turn *t, const struct group *g, const struct tried *r)
{
	if (!event_wanted(t->v->ev, EV_TRIAL))
		return;
	struct event *e = event_add(t->v->ev, EV_TRIAL, t->v->now);
	e->sm = (s32)r->sm;
	e->kernel = (s32)g->launch[g->trial] - 1;
	e->arg[0] = r->ctas[g->trial];
	e->arg[1] = r->ctas[!g->trial];
	e->arg[2] = (u64)(r->ipc[g->trial] * 1000 + 0.5);
	e->arg[3] = (u64)(r->objective * 1000 + 0.5);
}

/* Measures what was tried; the best of the partitions in which kernels share an SM. */
static u32 measure(struct turn *t, struct group *g)
{
	const struct conf *c = t->v->conf;
	u32 best = FOLLOW;
	for (u32 i = FOLLOW; i < SPLIT; i++) {
		struct tried *r = &g->tried[i];
		if (!mean_ipc(t, g, i == FOLLOW ? ROLE_FOLLOWER : ROLE_TRIAL, i, r))
			continue;
		quotas_of(t, g, i == FOLLOW ? ROLE_FOLLOWER : ROLE_TRIAL, i, r->ctas);
		r->objective = objective(c, g->alone, r->ipc);
		tell_trial(t, g, r);
		if (!g->tried[best].measured || better(c, r->objective, g->tried[best].objective))
			best = i;
	}
	/* An even split: each kernel has half of the SMs, and does on each what it does on the dedicated one. */
	const double half[2] = {g->alone[0] / 2, g->alone[1] / 2};
	g->tried[SPLIT].objective = objective(c, g->alone, half);
	g->tried[SPLIT].measured = 1;
	tell_trial(t, g, &g->tried[SPLIT]);
	return best;
}

/* Spatial SMs a kernel for which there is room beside the others' roles and one follower. */
static u32 most_split(const struct group *g)
{
	return (g->sms - LEAST_SMS) / 2;
}

/* Is an SM whose role is to measure, or to be a kernel's own, one that the user has taken? Another gets it. */
static bool role_is_taken(const struct turn *t, const struct group *g)
{
	bool any = false, others = false;
	for (u32 i = g->first; i < g->first + g->sms; i++) {
		const bool follows = t->st->role[i] == ROLE_FOLLOWER;
		any |= !follows && taken(t, g, i);
		others |= follows && !taken(t, g, i);
	}
	return any && others;
}

static void begin_epoch(struct turn *t, struct group *g)
{
	g->phase = EPOCH;
	g->since = t->v->now;
	for (u32 i = g->first; i < g->first + g->sms; i++)
		meter_begin(&t->st->meter, t->v, i, g->launch[0], g->launch[1]);
}

static void end_epoch(struct turn *t, struct group *g)
{
	const bool stable = measure_alone(t, g);
	const u8 before[2] = {g->ctas[0], g->ctas[1]}, split = g->split, dedicated = g->dedicated;
	const u32 best = measure(t, g);
	const struct tried *r = &g->tried[best];
	const bool splits = better(t->v->conf, g->tried[SPLIT].objective, r->objective);
	g->epochs++;
	g->best = splits ? SPLIT : (u8)best;
	if (splits)
		g->split = (u8)MIN(g->split + 1u, most_split(g));
	else
		g->split -= g->split > 0;
	if (r->measured)
		memcpy(g->ctas, r->ctas, sizeof g->ctas);
	const bool change = memcmp(before, g->ctas, sizeof before) || split != g->split;
	g->same = change ? 0 : g->same + 1;
	g->since_dedicated = g->dedicated ? 0 : g->since_dedicated + 1;
	if (change || g->since_dedicated >= t->v->conf->maestro_refresh)
		g->dedicated = 1;
	else if (g->same >= STEADY && stable)
		g->dedicated = 0;
	if (change || dedicated != g->dedicated || role_is_taken(t, g))
		rearrange(t, g, before);
	else
		begin_epoch(t, g);
}

/* --- kernels come and go ------------------------------------------------------------------------------------------- */

static void regroup(struct turn *t)
{
	struct maestro *st = t->st;
	const struct dispatcher *d = t->v->d;
	for (u32 i = 0; i < st->n; i++)
		if (st->g[i].launch[1])
			remember(t, &st->g[i]);
	memset(st->g, 0, sizeof st->g);
	u32 launch[DISPATCH_KERNELS], n = 0;
	for (u32 r = 0; r < d->n; r++)
		if (partition_comes(t->v, d->order[r]))
			launch[n++] = d->k[d->order[r]].launch;
	st->n = (n + 1) / 2;
	for (u32 i = 0; i < st->n; i++) {
		struct group *g = &st->g[i];
		g->first = 2 * i * t->v->num_sms / n;
		g->sms = MIN(2 * i + 2, n) * t->v->num_sms / n - g->first;
		g->launch[0] = launch[2 * i] + 1;
		g->launch[1] = 2 * i + 1 < n ? launch[2 * i + 1] + 1 : 0;
		g->phase = FREE;
		if (g->launch[1])
			g->phase = first_partition(t, g) && g->sms >= LEAST_SMS ? SETTLE : EVEN;
		g->dedicated = g->phase == SETTLE;
		rearrange(t, g, (const u8[2]){0, 0});
	}
	if (!st->n) /* nobody has CTAs to come */
		for (u32 i = 0; i < t->v->num_sms; i++) {
			st->role[i] = ROLE_NONE;
			memset(t->p->quota[i], QUOTA_ANY, sizeof t->p->quota[i]);
		}
}

static bool over(const struct turn *t, const struct group *g)
{
	for (u32 i = g->first; i < g->first + g->sms; i++)
		if (partition_over(t->v, t->p, i))
			return true;
	return false;
}

static u64 follow(struct turn *t, struct group *g)
{
	const struct partition_view *v = t->v;
	if (g->phase != FREE && !(comes(t, g, 0) && comes(t, g, 1))) { /* what one has left the other may have */
		remember(t, g);
		g->phase = FREE;
		give_roles(t, g);
	}
	set_quotas(t, g, NULL); /* what could not be asked when it was rearranged is asked again (insists) */
	if (g->phase == SETTLE) {
		if (over(t, g))
			return v->now + LOOK;
		begin_epoch(t, g);
	} else if (g->phase == EPOCH && v->now >= g->since + v->conf->maestro_epoch) {
		end_epoch(t, g);
	}
	return g->phase == EPOCH ? g->since + v->conf->maestro_epoch : g->phase == SETTLE ? v->now + LOOK : NEVER;
}

static u64 plan(void *state, const struct partition_view *v, struct partition_plan *p)
{
	struct turn t = {.st = state, .v = v, .p = p};
	u64 next = NEVER;
	smk_totals(v->conf, t.total);
	if (partition_news(&t.st->known, v))
		regroup(&t);
	for (u32 i = 0; i < t.st->n; i++) {
		const u64 at = follow(&t, &t.st->g[i]);
		next = MIN(next, at);
	}
	return next;
}

static void moved(void *state, u32 sm, u32 launch, u64 insts, bool came)
{
	struct maestro *st = state;
	meter_moved(&st->meter, sm, launch, insts, came);
}

/* --- for display --------------------------------------------------------------------------------------------------- */

static void describe_group(const struct maestro *st, const struct group *g, const struct conf *c, struct strbuf *out)
{
	static const char *const phases[] = {"one kernel has CTAs to come", "the even partition", "CTAs are to leave",
	                                     "an epoch"};
	static const char *const names[] = {"followers", "trial", "trial", "spatial"};
	strbuf_addf(out, "maestro: SMs %u-%u: K%u", g->first, g->first + g->sms - 1, g->launch[0] - 1);
	if (g->launch[1])
		strbuf_addf(out, " and K%u", g->launch[1] - 1);
	strbuf_addf(out, ", %s since cycle %llu; epochs so far: %u\n", phases[g->phase], (unsigned long long)g->since,
	            g->epochs);
	for (u32 role = ROLE_DEDICATED; role < PARTITION_ROLES && g->phase != FREE; role++) {
		u32 n = 0;
		for (u32 i = g->first; i < g->first + g->sms; i++)
			if (st->role[i] == role) {
				if (!n++)
					strbuf_addf(out, "  %s:", partition_role_names[role]);
				strbuf_addf(out, " %u", i);
			}
		strbuf_adds(out, n ? "\n" : "");
	}
	if (g->phase == FREE || !g->epochs)
		return;
	strbuf_addf(out, "  alone an SM's IPC is %.2f and %.2f; %s of\n", g->alone[0], g->alone[1],
	            c->maestro_objective == MAESTRO_OBJECTIVE_ANTT ? "ANTT" : "STP");
	for (u32 i = 0; i < TRIED; i++) {
		const struct tried *r = &g->tried[i];
		if (!r->measured)
			continue;
		strbuf_addf(out, "  %-9s", names[i]);
		if (i != SPLIT)
			strbuf_addf(out, " %2u + %2u CTAs, IPC %.2f + %.2f:", r->ctas[0], r->ctas[1], r->ipc[0], r->ipc[1]);
		strbuf_addf(out, " %.3f%s\n", r->objective, g->best == i ? " (best)" : "");
	}
}

static void describe(const void *state, const struct conf *c, struct strbuf *out)
{
	const struct maestro *st = state;
	for (u32 i = 0; i < st->n; i++)
		describe_group(st, &st->g[i], c, out);
}

static void explain(const void *state, const struct partition_view *v, u32 slot, struct strbuf *out)
{
	const struct maestro *st = state;
	const u32 launch = v->d->k[slot].launch;
	for (u32 i = 0; i < st->n; i++) {
		const struct group *g = &st->g[i];
		const u32 k = g->launch[0] == launch + 1 ? 0 : 1;
		if (g->launch[k] != launch + 1)
			continue;
		strbuf_addf(out, "of the group of SMs %u-%u", g->first, g->first + g->sms - 1);
		if (g->phase == FREE)
			strbuf_adds(out, "; nothing to share");
		else if (g->tried[g->best].measured && g->best != SPLIT)
			strbuf_addf(out, "; best so far: %u CTAs on an SM, objective %.3f", g->tried[g->best].ctas[k],
			            g->tried[g->best].objective);
		else if (g->tried[g->best].measured)
			strbuf_addf(out, "; best so far: SMs of their own, objective %.3f", g->tried[g->best].objective);
		else
			strbuf_adds(out, "; nothing measured yet");
	}
}

static enum partition_role role(const void *state, u32 sm)
{
	return ((const struct maestro *)state)->role[sm];
}

extern const struct partition_ops partition_maestro;
const struct partition_ops partition_maestro = {
    .name = "maestro",
    .help = "partitions are tried on a few SMs; the other SMs follow the partition with the best objective measured",
    .source = "Park 2016, section 5.4 (GPU Maestro)",
    .implies = "kernel-sched=lrr",
    .each_cta = true,
    .preempts = true,
    .insists = true,
    .state_bytes = sizeof(struct maestro),
    .plan = plan,
    .moved = moved,
    .describe = describe,
    .explain = explain,
    .role = role,
};
