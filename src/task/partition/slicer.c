/* warped-slicer (Xu 2016, as Park 2016, section 5.5.4, describes it): when kernels begin or end, each is measured on
 * SMs of its own, from one CTA to as many as fit, on different SMs at the same time; water filling over these curves
 * then says how many CTAs of each an SM holds. If a kernel would keep too little of what it does alone, the SMs are
 * split among the kernels as `spatial` does it.
 *
 *   kernels change -> SETTLE: CTAs leave by preemption -> WARM -> MEASURE -> SLICED or SPATIAL
 *
 * FREE: fewer than two kernels have CTAs to come. IPCs are taken as measured: the publication corrects them for the
 * bandwidth that the SMs of a measurement compete for. */
#include <string.h>

#include "task/partition/meter.h"
#include "task/partition/shares.h"

#define LOOK 64 /* cycles between two looks at CTAs that are to leave */
#define SPATIAL_BYTES 2048

enum phase { FREE, SETTLE, WARM, MEASURE, SLICED, SPATIAL };
static const char *const phase_names[] = {"nothing to share", "waits for CTAs to leave", "warms up", "measures",
                                          "shares SMs",       "splits the SMs"};

struct slicer {
	struct partition_known known;
	u32 phase, n; /* kernels, by launch, that are shared out */
	u64 since;    /* the phase's beginning */
	double keeps; /* share of its best IPC that the kernel which loses most is predicted to keep */
	u32 launch[DISPATCH_KERNELS];
	u8 ctas[DISPATCH_KERNELS]; /* SLICED */
	u8 owner[CONF_MAX_SMS];    /* while it measures: place in launch[], + 1, and... */
	u8 point[CONF_MAX_SMS];    /* ...CTAs */
	float ipc[DISPATCH_KERNELS][SLICER_POINTS];
	u8 spatial[SPATIAL_BYTES] __attribute__((aligned(8))); /* that policy's state */
	struct meter meter;
};
_Static_assert(sizeof(struct slicer) <= PARTITION_STATE_MAX, "state");
_Static_assert(SLICER_POINTS == SM_MAX_CTAS + 1 && SLICER_KERNELS == DISPATCH_KERNELS, "curves");
extern const struct partition_ops partition_spatial;

static u32 slot_of(const struct partition_view *v, u32 launch)
{
	const s32 slot = dispatch_slot(v->d, launch);
	return slot < 0 ? DISPATCH_KERNELS : (u32)slot;
}

static u32 coming(const struct partition_view *v)
{
	u32 n = 0;
	for (u32 r = 0; r < v->d->n; r++)
		n += partition_comes(v, v->d->order[r]);
	return n;
}

static void enter(struct slicer *st, const struct partition_view *v, enum phase p)
{
	st->phase = p;
	st->since = v->now;
}

/* Kernels have changed: those that have CTAs to come are measured, each on an equal share of the SMs. */
static void begin(struct slicer *st, const struct partition_view *v)
{
	st->n = 0;
	memset(st->owner, 0, sizeof st->owner);
	memset(st->point, 0, sizeof st->point);
	for (u32 r = 0; r < v->d->n; r++)
		if (partition_comes(v, v->d->order[r]))
			st->launch[st->n++] = v->d->k[v->d->order[r]].launch;
	if (st->n < 2) {
		enter(st, v, FREE);
		return;
	}
	u32 first = 0;
	for (u32 r = 0; r < st->n; r++) {
		const u32 end = (r + 1) * v->num_sms / st->n, most = sm_occupancy(v->conf, v->launch[st->launch[r]], NULL);
		for (u32 i = first; i < end; i++) {
			st->owner[i] = (u8)(r + 1);
			st->point[i] = (u8)slicer_point(i - first, end - first, most);
		}
		first = end;
	}
	enter(st, v, SETTLE);
}

static void tell(const struct partition_view *v, u32 sm, u32 launch, u32 ctas, double ipc)
{
	if (!event_wanted(v->ev, EV_TRIAL))
		return;
	struct event *e = event_add(v->ev, EV_TRIAL, v->now);
	e->sm = (s32)sm;
	e->kernel = (s32)launch;
	e->arg[0] = ctas;
	e->arg[2] = (u64)(ipc * 1000 + 0.5);
}

/* An SM that the user has taken from the kernel says nothing of it. */
static bool measures(const struct slicer *st, const struct partition_view *v, u32 sm, u32 r)
{
	const u32 slot = slot_of(v, st->launch[r]);
	return st->owner[sm] == r + 1 && slot < DISPATCH_KERNELS && !(v->d->away[sm] >> slot & 1);
}

static void take_curves(struct slicer *st, const struct partition_view *v)
{
	const double cycles = (double)(v->now - st->since);
	for (u32 r = 0; r < st->n; r++) {
		u32 sms[SLICER_POINTS] = {0};
		for (u32 t = 0; t < SLICER_POINTS; t++)
			st->ipc[r][t] = -1;
		for (u32 i = 0; i < v->num_sms; i++) {
			if (!measures(st, v, i, r))
				continue;
			const u32 t = st->point[i], n = sms[t]++;
			const float ipc = (float)((double)meter_read(&st->meter, v, i, 0) / cycles);
			tell(v, i, st->launch[r], t, (double)ipc);
			st->ipc[r][t] = n ? (st->ipc[r][t] * (float)n + ipc) / (float)(n + 1) : ipc;
		}
		slicer_curve(st->ipc[r], sm_occupancy(v->conf, v->launch[st->launch[r]], NULL));
	}
}

static void decide(struct slicer *st, const struct partition_view *v)
{
	struct smk_need k[DISPATCH_KERNELS];
	u64 total[SMK_RESOURCES];
	u32 ctas[DISPATCH_KERNELS] = {0};
	take_curves(st, v);
	smk_totals(v->conf, total);
	for (u32 r = 0; r < st->n; r++)
		k[r] = smk_need_of(v->conf, v->launch[st->launch[r]]);
	st->keeps = slicer_counts(st->n, k, (const float(*)[SLICER_POINTS])st->ipc, total, ctas);
	const bool slices = st->keeps > 0 && st->keeps >= v->conf->slicer_keep / st->n;
	for (u32 r = 0; r < st->n; r++)
		st->ctas[r] = (u8)ctas[r];
	memset(st->spatial, 0, sizeof st->spatial);
	enter(st, v, slices ? SLICED : SPATIAL);
}

/* What the phase wants. leave, if any: CTAs beyond it are to leave; how many, by place in launch[]. */
static void set_quotas(const struct slicer *st, const struct partition_view *v, struct partition_plan *p, u32 *leave)
{
	const bool shared = st->phase != FREE && coming(v) > 1;
	for (u32 i = 0; i < v->num_sms; i++) {
		for (u32 r = 0; r < v->d->n; r++)
			p->quota[i][v->d->order[r]] = QUOTA_ANY;
		for (u32 r = 0; r < st->n && shared; r++) {
			const u32 slot = slot_of(v, st->launch[r]);
			if (slot == DISPATCH_KERNELS)
				continue;
			p->quota[i][slot] = st->phase == SLICED ? st->ctas[r] : st->owner[i] == r + 1 ? st->point[i] : 0;
			if (leave)
				leave[r] += partition_evict(v, p, i, slot);
		}
	}
}

static bool settled(const struct partition_view *v, const struct partition_plan *p)
{
	for (u32 i = 0; i < v->num_sms; i++)
		if (partition_over(v, p, i))
			return false;
	return true;
}

static u64 measure(struct slicer *st, const struct partition_view *v, struct partition_plan *p, bool news)
{
	u32 leave[DISPATCH_KERNELS] = {0};
	set_quotas(st, v, p, news ? leave : NULL);
	if (coming(v) < 2) {
		enter(st, v, FREE);
		return NEVER;
	}
	if (st->phase == SETTLE) {
		if (!settled(v, p))
			return v->now + LOOK;
		enter(st, v, WARM);
	}
	if (st->phase == WARM) {
		if (v->now < st->since + v->conf->slicer_warmup)
			return st->since + v->conf->slicer_warmup;
		for (u32 i = 0; i < v->num_sms; i++)
			meter_begin(&st->meter, v, i, st->owner[i] ? st->launch[st->owner[i] - 1] + 1 : 0, 0);
		enter(st, v, MEASURE);
	}
	if (v->now < st->since + v->conf->slicer_profile)
		return st->since + v->conf->slicer_profile;
	decide(st, v);
	if (st->phase == SPATIAL)
		return partition_spatial.plan(st->spatial, v, p);
	memset(leave, 0, sizeof leave);
	set_quotas(st, v, p, leave);
	for (u32 r = 0; r < st->n; r++)
		partition_tell(v, slot_of(v, st->launch[r]), 0, st->ctas[r], leave[r]);
	return NEVER;
}

static u64 plan(void *state, const struct partition_view *v, struct partition_plan *p)
{
	struct slicer *st = state;
	const bool news = partition_news(&st->known, v);
	if (news)
		begin(st, v);
	switch ((enum phase)st->phase) {
	case SETTLE:
	case WARM:
	case MEASURE: return measure(st, v, p, news);
	case SPATIAL: return partition_spatial.plan(st->spatial, v, p);
	case FREE:
	case SLICED: set_quotas(st, v, p, NULL); break;
	}
	return NEVER;
}

static void moved(void *state, u32 sm, u32 launch, u64 insts, bool came)
{
	struct slicer *st = state;
	if (st->phase == MEASURE)
		meter_moved(&st->meter, sm, launch, insts, came);
}

static void describe(const void *state, const struct conf *c, struct strbuf *out)
{
	const struct slicer *st = state;
	strbuf_addf(out, "warped-slicer since cycle %llu: %s\n", (unsigned long long)st->since, phase_names[st->phase]);
	if (st->phase != SLICED && st->phase != SPATIAL)
		return;
	for (u32 r = 0; r < st->n; r++) {
		strbuf_addf(out, "K%u: %u CTAs on an SM; IPC alone with 1, 2, ...", st->launch[r], st->ctas[r]);
		for (u32 t = 1; t < SLICER_POINTS && t <= c->sm_ctas; t++)
			strbuf_addf(out, " %.2f", (double)st->ipc[r][t]);
		strbuf_addc(out, '\n');
	}
	strbuf_addf(out, "the one that loses most keeps %.0f %% of what it does alone%s\n", 100 * st->keeps,
	            st->phase == SPATIAL ? ": too little" : "");
}

static void explain(const void *state, const struct partition_view *v, u32 slot, struct strbuf *out)
{
	const struct slicer *st = state;
	u32 r = 0;
	if (st->phase == SPATIAL) {
		partition_spatial.explain(st->spatial, v, slot, out);
		strbuf_adds(out, "; sharing SMs would keep too little");
		return;
	}
	strbuf_adds(out, phase_names[st->phase]);
	while (r < st->n && st->launch[r] != v->d->k[slot].launch)
		r++;
	if (r == st->n)
		strbuf_adds(out, "; it came without CTAs to share out");
	else if (st->phase == SLICED)
		strbuf_addf(out, ": %u CTAs on each SM, with IPC %.2f of an SM", st->ctas[r], (double)st->ipc[r][st->ctas[r]]);
	else if (st->phase != FREE)
		strbuf_addf(out, ", on %u SMs of its own", partition_sms_of(v, slot));
}

static enum partition_role role(const void *state, u32 sm)
{
	const struct slicer *st = state;
	if (st->phase == FREE || st->n < 2)
		return ROLE_NONE;
	return st->phase == SPATIAL ? ROLE_SPATIAL : st->phase == SLICED ? ROLE_FOLLOWER : ROLE_DEDICATED;
}

extern const struct partition_ops partition_slicer;
const struct partition_ops partition_slicer = {
    .name = "warped-slicer",
    .help =
        "each kernel's IPC is measured with 1, 2, ... CTAs on different SMs; then each SM gets CTAs of all kernels, by water filling",
    .source = "Xu 2016; Park 2016, section 5.5.4",
    .each_cta = true,
    .preempts = true,
    .insists = true,
    .state_bytes = sizeof(struct slicer),
    .plan = plan,
    .moved = moved,
    .describe = describe,
    .explain = explain,
    .role = role,
};
