/* ccws: cache-conscious wavefront scheduling (Rogers 2012). When warps lose lines of L1D to each other that they would
 * have used again, fewer of them may load; the order among those that may issue is gto.
 *
 * Victim tags: each warp has a small tag array. A line that leaves L1D puts its tag into that of the warp that had
 * brought it in; a miss on a tag of the warp's own array is locality that was lost.
 *
 * Score: a loss lifts the warp's score to LLDS = hits x K x cutoff / instructions (hits and instructions of the SM so
 * far), unless it is higher already. It falls by one a cycle back to the base score.
 *
 * Cutoff: base score x resident warps. From the highest score on, ties by age, scores are summed up, and a warp may
 * load while the sum of those before it is below the cutoff. So the one with the highest score always may, and with
 * every score at its base, all may. What is held back are loads of global, local and generic memory: they alone use
 * lines of L1D. Everything else issues.
 *
 * Where the publication leaves room: the warp whose own score crosses the cutoff may load, and scores are capped at a
 * share of the cutoff (ccws.score_cap), as in the authors' simulator; tags of a warp slot begin empty with each warp,
 * and a hit takes its tag out; lines that prefetch instructions bring in are their warps' and push out others, but a
 * prefetch that misses has lost nothing, though its tag goes; an exited warp does not count as resident; instructions
 * are counted as in sm.issued.
 *
 * Nobody waits for ever: scores fall without loads, and while all who may load stand at a barrier, the first in order
 * that does not may as well. */
#include <string.h>

#include "sm/sched/sched.h"

#define VTA_MAX 32 /* the largest ccws.vta_entries */

struct own {
	u32 greedy; /* as gto's */
};
/* Scheduler 0's state: of the whole SM. */
struct ccws {
	struct own own;
	u8 nhot, nlive;
	u8 hot[WARP_SLOTS];           /* warps above the base score, highest first */
	u8 by_age[WARP_SLOTS];        /* all of `live`, oldest first */
	u64 base_at[WARP_SLOTS];      /* the cycle at which the score is down at its base again */
	u64 hits;                     /* in victim tag arrays */
	u64 insts0;                   /* instructions the SM had executed before */
	u64 live;                     /* warps the decision below was made for */
	u64 allowed;                  /* of those: may load */
	u64 until;                    /* the decision holds before this cycle */
	u64 held;                     /* the last event's */
	u64 tag[WARP_SLOTS][VTA_MAX]; /* line + 1, 0 = free; each set's most recent first */
};

static u64 live_warps(const struct sched_view *v)
{
	return v->sm->used & ~v->sm->in[WS_DONE];
}

static u64 above_base(const struct ccws *st, u32 w, u64 now)
{
	return st->base_at[w] > now ? st->base_at[w] - now : 0;
}

/* --- victim tag arrays -------------------------------------------------------------------------------------------- */

static u64 *vta_set(struct ccws *st, const struct sched_view *v, u32 w, u64 line)
{
	u32 ways = v->conf->ccws_vta_ways, sets = v->conf->ccws_vta_entries / ways;
	return &st->tag[w][line / v->conf->l1d_line % sets * ways];
}

static void vta_put(struct ccws *st, const struct sched_view *v, u32 w, u64 line)
{
	u64 *set = vta_set(st, v, w, line);
	memmove(set + 1, set, (v->conf->ccws_vta_ways - 1) * sizeof *set); /* the oldest drops out */
	set[0] = line + 1;
}

/* Whether the line was there; then it is not any more. */
static bool vta_take(struct ccws *st, const struct sched_view *v, u32 w, u64 line)
{
	u64 *set = vta_set(st, v, w, line);
	u32 ways = v->conf->ccws_vta_ways;
	for (u32 i = 0; i < ways; i++)
		if (set[i] == line + 1) {
			memmove(set + i, set + i + 1, (ways - 1 - i) * sizeof *set);
			set[ways - 1] = 0;
			return true;
		}
	return false;
}

/* --- scores ------------------------------------------------------------------------------------------------------- */

static void hot_remove(struct ccws *st, u32 w)
{
	for (u32 i = 0; i < st->nhot; i++)
		if (st->hot[i] == w) {
			memmove(st->hot + i, st->hot + i + 1, st->nhot - 1u - i);
			st->nhot--;
			return;
		}
}

static void hot_insert(struct ccws *st, const struct sched_view *v, u32 w)
{
	u32 i = st->nhot++;
	for (; i; i--) {
		u32 other = st->hot[i - 1];
		if (st->base_at[other] > st->base_at[w] || (st->base_at[other] == st->base_at[w] && sched_older(v, other, w)))
			break;
		st->hot[i] = (u8)other;
	}
	st->hot[i] = (u8)w;
}

/* The warp missed a line that it had had. */
static void lost(struct ccws *st, const struct sched_view *v, u32 w)
{
	const struct conf *c = v->conf;
	u64 live = live_warps(v), base = c->ccws_base_score;
	st->hits++;
	if (!(live >> w & 1))
		return;
	u64 insts = MAX(v->sm->k.issued - st->insts0, 1);
	u64 cutoff = base * bit_count(live), llds = st->hits * c->ccws_k_throttle * cutoff / insts;
	if (c->ccws_score_cap)
		llds = MIN(llds, cutoff * c->ccws_score_cap / 100);
	if (llds <= base + above_base(st, w, v->now))
		return;
	st->base_at[w] = v->now + llds - base;
	hot_remove(st, w);
	hot_insert(st, v, w);
	st->until = 0;
}

static void l1_access(void *state, const struct sched_view *v, u32 warp, const struct l1_news *n)
{
	struct ccws *st = state;
	bool was_victim = !n->hit && !n->merged && vta_take(st, v, warp, n->line);
	if (was_victim && !n->prefetch)
		lost(st, v, warp);
	if (n->evicted && n->owner != NO_WARP)
		vta_put(st, v, n->owner, n->victim);
}

/* --- who may load ------------------------------------------------------------------------------------------------- */

/* Warps came or went: the lists of those that are left. */
static void relist(struct ccws *st, const struct sched_view *v, u64 live)
{
	u32 n = 0;
	for (u32 i = 0; i < st->nhot; i++)
		if (live >> st->hot[i] & 1)
			st->hot[n++] = st->hot[i];
	st->nhot = (u8)n;
	st->nlive = 0;
	FOR_EACH_BIT(w, live)
	{
		u32 i = st->nlive++;
		for (; i && sched_older(v, (u32)w, st->by_age[i - 1]); i--)
			st->by_age[i] = st->by_age[i - 1];
		st->by_age[i] = (u8)w;
	}
	st->live = live;
}

/* The set holds until the first one left out fits below the cutoff - the sum before it falls by at most one a cycle and
 * warp - or a score reaches its base, where age decides. */
static void decide(struct ccws *st, const struct sched_view *v)
{
	u64 live = live_warps(v), base = v->conf->ccws_base_score, cutoff = base * bit_count(live), sum = 0, hot = 0;
	u32 falling = 0;
	if (live != st->live)
		relist(st, v, live);
	while (st->nhot && st->base_at[st->hot[st->nhot - 1]] <= v->now)
		st->nhot--;
	st->allowed = 0;
	for (u32 i = 0; i < st->nhot; i++) {
		u32 w = st->hot[i];
		hot |= BIT(w);
		if (sum >= cutoff)
			continue;
		st->allowed |= BIT(w);
		sum += base + above_base(st, w, v->now);
		falling++;
	}
	for (u32 i = 0; i < st->nlive && sum < cutoff; i++)
		if (!(hot >> st->by_age[i] & 1)) {
			st->allowed |= BIT(st->by_age[i]);
			sum += base;
		}
	st->until = NEVER;
	if (st->allowed != live)
		st->until = MIN(v->now + (sum - cutoff) / falling + 1, st->base_at[st->hot[st->nhot - 1]]);
}

static bool decided(const struct ccws *st, const struct sched_view *v)
{
	return v->now < st->until && live_warps(v) == st->live;
}

static void tell(struct ccws *st, const struct sched_view *v)
{
	u64 held = st->live & ~st->allowed;
	if (held == st->held)
		return;
	st->held = held;
	struct event *e = sched_event(v, EV_CCWS_THROTTLE, NO_WARP);
	if (!e)
		return;
	e->arg[0] = st->allowed;
	e->arg[1] = held;
	e->arg[2] = st->hits;
}

/* Those allowed and, when a barrier or a pause keeps all of them, the next in order that it does not. */
static u64 may_load(const struct ccws *st, const struct sched_view *v)
{
	u64 waiting = v->sm->in[WS_BARRIER] | v->sm->in[WS_PAUSED], others = st->live & ~waiting;
	if (likely(st->allowed & ~waiting) || !others)
		return st->allowed;
	for (u32 i = 0; i < st->nhot; i++)
		if (others >> st->hot[i] & 1)
			return st->allowed | BIT(st->hot[i]);
	return st->allowed | BIT(sched_oldest(v, others));
}

static u64 cached_loads(const struct sched_view *v, u64 m)
{
	u64 out = 0;
	FOR_EACH_BIT(w, m)
	{
		const struct issue_info *in = sched_info(v, (u32)w);
		if (in->cls == IC_GLOBAL && (in->flags & II_LOAD))
			out |= BIT(w);
	}
	return out;
}

/* --- the policy --------------------------------------------------------------------------------------------------- */

static void init(void *state, const struct sched_view *v)
{
	struct ccws *st = v->first;
	if (v->index)
		return;
	st->insts0 = v->sm->k.issued;
}

static u32 pick(void *state, const struct sched_view *v, u64 ready)
{
	struct own *own = state;
	struct ccws *st = v->first;
	u64 memory = ready & v->sm->in[WS_READY_LSU];
	if (memory) {
		if (!decided(st, v)) {
			decide(st, v);
			tell(st, v);
		}
		u64 held = memory & ~may_load(st, v);
		if (held)
			ready &= ~cached_loads(v, held);
		if (!ready)
			return NO_WARP;
	}
	return sched_greedy_oldest(&own->greedy, v, ready);
}

static void warps_started(void *state, const struct sched_view *v, u64 warps)
{
	struct ccws *st = v->first;
	FOR_EACH_BIT(w, warps)
	{
		hot_remove(st, (u32)w);
		st->base_at[w] = 0;
		memset(st->tag[w], 0, sizeof st->tag[w]);
	}
	st->live = 0; /* the same slots may hold others now */
	st->until = 0;
}

static void warps_gone(void *state, const struct sched_view *v, u64 warps)
{
	struct own *own = state;
	if (own->greedy && (warps >> (own->greedy - 1) & 1))
		own->greedy = 0;
}

static void describe(const void *state, const struct sched_view *v, u32 warp, struct strbuf *out)
{
	struct ccws now = *(const struct ccws *)v->first;
	decide(&now, v);
	if (warp == NO_WARP) {
		strbuf_addf(out, "%u of %u warps may load, victim tag hits %llu", bit_count(now.allowed), bit_count(now.live),
		            (unsigned long long)now.hits);
	} else if (now.live >> warp & 1) {
		bool may = may_load(&now, v) >> warp & 1;
		strbuf_addf(out, "score %llu%s", v->conf->ccws_base_score + (unsigned long long)above_base(&now, warp, v->now),
		            may ? "" : ", no loads");
	}
}

static s64 rank(const void *state, const struct sched_view *v, u32 warp)
{
	const struct own *own = state;
	return sched_greedy_rank(own->greedy, v, warp);
}

/* As pick() would find it: the decision of before, or a new one. */
static s64 explain(const void *state, const struct sched_view *v, u64 ready, u32 warp, struct strbuf *out)
{
	const struct own *own = state;
	struct ccws now = *(const struct ccws *)v->first;
	if (!decided(&now, v))
		decide(&now, v);
	const u64 score = v->conf->ccws_base_score + above_base(&now, warp, v->now);
	strbuf_addf(out, "score %llu", (unsigned long long)score);
	if ((v->sm->in[WS_READY_LSU] & ~may_load(&now, v)) >> warp & 1 && cached_loads(v, BIT(warp))) {
		strbuf_addf(out, ", its loads are held: higher scores reach the cutoff %llu",
		            (unsigned long long)v->conf->ccws_base_score * bit_count(now.live));
		return PICK_DECLINED;
	}
	strbuf_adds(out, "; ");
	return sched_explain_greedy(own->greedy, v, warp, out);
}

#define ADDRESS_BITS 40 /* of a global address, for the size of a tag: Fermi's */

static u32 storage(const struct conf *c, struct policy_storage *out)
{
	u32 warps = c->sm_threads / WARP_SIZE, sets = c->ccws_vta_entries / c->ccws_vta_ways;
	u64 most = (u64)c->ccws_base_score * warps * MAX(c->ccws_score_cap, 100) / 100;
	out[0] =
	    (struct policy_storage){"victim tags with valid bits", ADDRESS_BITS - log2_floor((u64)c->l1d_line * sets) + 1,
	                            warps * c->ccws_vta_entries};
	out[1] = (struct policy_storage){"scores", c->ccws_score_cap ? log2_floor(most) + 1 : 32, warps};
	out[2] = (struct policy_storage){"warps of L1D lines", log2_floor(warps * 2 - 1), c->l1d_sets * c->l1d_ways};
	out[3] = (struct policy_storage){"hit and instruction counters", 32, 2};
	return 4;
}

extern const struct warp_sched_ops sched_ccws;
const struct warp_sched_ops sched_ccws = {
    .name = "ccws",
    .help = "cache-conscious: as gto, but the more warps lose lines that they would reuse, the fewer may load",
    .source = "Rogers 2012, section 3.3",
    .state_bytes = sizeof(struct own),
    .first_bytes = sizeof(struct ccws),
    .init = init,
    .pick = pick,
    .warps_started = warps_started,
    .warps_gone = warps_gone,
    .l1_access = l1_access,
    .describe = describe,
    .rank = rank,
    .explain = explain,
    .storage = storage,
};
