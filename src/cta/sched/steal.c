#include "cta/sched/steal.h"

#include <string.h>

_Static_assert(sizeof(struct steal) <= CTA_SCHED_STATE_MAX, "the state fits its place");
_Static_assert(sizeof(struct steal_machine) <= CTA_SCHED_MACHINE_MAX, "and what outlives a kernel");

/* --- a kernel begins ---------------------------------------------------------------------------------------------- */
static void recall(struct steal *st, const struct steal_machine *m, u32 sms)
{
	st->c = m->chunk;
	for (u32 i = 0; i < sms; i++)
		st->qhi[i] = (u8)m->queue[i].n;
}

static void init(void *state, const struct cta_view *v)
{
	struct steal *st = state;
	struct steal_machine *m = v->machine;
	ikra_deal(&st->c, v, 0);
	if (m->owner)
		return;
	m->owner = v->launch->id + 1;
	st->remembers = true;
	m->backward = m->any && !m->backward; /* with every launch, of whatever grid (section 4.3) */
	m->any = true;
	st->backward = m->backward;
	if (ikra_follows(&m->history, v) && !m->begin) {
		recall(st, m, v->num_sms);
	} else {
		m->chunk = st->c;
		m->begin = false;
		memset(m->queue, 0, sizeof m->queue);
	}
	st->map = m->history.map;
}

/* --- what is an SM's own ------------------------------------------------------------------------------------------ */
static u64 from_queue(struct steal *st, const struct steal_machine *m, u32 sm)
{
	if (st->qlo[sm] == st->qhi[sm])
		return NO_CTA;
	return m->queue[sm].entry[st->backward ? --st->qhi[sm] : st->qlo[sm]++];
}

static u64 own(struct steal *st, const struct steal_machine *m, u32 sm)
{
	u64 p = st->backward ? from_queue(st, m, sm) : ikra_take(&st->c, sm, false);
	if (p != NO_CTA)
		return p;
	return st->backward ? ikra_take(&st->c, sm, true) : from_queue(st, m, sm);
}

/* --- stealing ----------------------------------------------------------------------------------------------------- */
/* What is taken is no longer the victim's, in kernels to come either. */
static u64 rob_queue(struct steal *st, struct steal_machine *m, u32 victim)
{
	struct steal_queue *q = &m->queue[victim];
	u32 at = st->backward ? st->qlo[victim] : st->qhi[victim] - 1u;
	if (st->qlo[victim] == st->qhi[victim])
		return NO_CTA;
	u64 p = q->entry[at];
	q->n--;
	st->qhi[victim]--;
	memmove(&q->entry[at], &q->entry[at + 1], (q->n - at) * sizeof q->entry[0]);
	q->entry[q->n] = 0;
	return p;
}

static u64 rob_chunk(struct steal *st, struct steal_machine *m, u32 victim)
{
	u64 p = ikra_take(&st->c, victim, !st->backward);
	if (p == NO_CTA || !st->remembers)
		return p;
	if (st->backward)
		m->chunk.lo[victim]++;
	else
		m->chunk.hi[victim]--;
	return p;
}

/* The k-th to be asked by a thief; itself where there is none: it has nothing. */
static u32 victim_of(u32 thief, u32 sms, u32 k)
{
	if (k == 0)
		return thief ? thief - 1 : thief;
	if (k == 1)
		return thief + 1 < sms ? thief + 1 : thief;
	return k - 2;
}

static void keep(struct steal *st, struct steal_machine *m, u32 thief, u64 p)
{
	struct steal_queue *q = &m->queue[thief];
	if (!st->remembers || q->n == STEAL_QUEUE)
		return;
	q->entry[q->n++] = p; /* behind qhi: it is being dispatched */
	m->begin |= q->n == STEAL_QUEUE;
}

static u64 tell(const struct cta_view *v, const struct steal *st, u32 thief, u32 victim, bool queue, u64 p)
{
	u64 cta = ikra_id(&st->map, p, v->launch->ctas);
	struct event *e = cta_event(v, EV_CTA_STEAL, thief);
	if (!e)
		return cta;
	e->cta = (s64)cta;
	e->arg[0] = victim;
	e->arg[1] = queue;
	e->arg[2] = !st->backward;
	return cta;
}

static u64 steal(struct steal *st, const struct cta_view *v, u32 thief)
{
	struct steal_machine *m = v->machine;
	for (u32 k = 0; k < 2 * (v->num_sms + 2); k++) {
		bool queue = k < v->num_sms + 2;
		u32 victim = victim_of(thief, v->num_sms, queue ? k : k - (v->num_sms + 2));
		u64 p = queue ? rob_queue(st, m, victim) : rob_chunk(st, m, victim);
		if (p == NO_CTA)
			continue;
		st->stolen++;
		keep(st, m, thief, p);
		return tell(v, st, thief, victim, queue, p);
	}
	return NO_CTA;
}

/* --- the policy --------------------------------------------------------------------------------------------------- */
static u64 next(void *state, const struct cta_view *v, u32 sm)
{
	struct steal *st = state;
	u64 p = own(st, v->machine, sm);
	return p != NO_CTA ? ikra_id(&st->map, p, v->launch->ctas) : steal(st, v, sm);
}

static void done(void *state, const struct cta_view *v, u32 sm, const struct cta *c)
{
	struct steal *st = state;
	if (++st->ended == v->launch->ctas && st->remembers)
		((struct steal_machine *)v->machine)->owner = 0;
}

static void describe(const void *state, const struct cta_view *v, struct strbuf *out)
{
	const struct steal *st = state;
	const struct steal_machine *m = v->machine;
	u64 queued = 0;
	for (u32 i = 0; i < v->num_sms && st->remembers; i++)
		queued += m->queue[i].n;
	strbuf_addf(out, "%llu CTAs stolen, %llu in steal queues%s%s", (unsigned long long)st->stolen,
	            (unsigned long long)queued, st->backward ? ", from their ends" : "",
	            st->remembers && m->begin ? ", one was full: chunks anew in the next kernel" : "");
}

static void share(const void *state, const struct cta_view *v, u32 sm, struct cta_share *out)
{
	const struct steal *st = state;
	const struct steal_machine *m = v->machine;
	const struct steal_queue *q = &m->queue[sm];
	out->backward = st->backward;
	out->steals = true;
	out->lo = m->chunk.lo[sm];
	out->hi = m->chunk.hi[sm];
	if (!st->remembers)
		ikra_chunk(v->launch->ctas, v->num_sms, sm, &out->lo, &out->hi);
	ikra_share(&st->c, &st->map, v, sm, out);
	if (!st->remembers)
		return;
	out->queued = (u32)q->n;
	out->qfrom = st->qlo[sm];
	out->qto = st->qhi[sm];
	for (u32 i = 0; i < out->queued; i++)
		out->queue[i] = ikra_id(&st->map, q->entry[i], v->launch->ctas);
	if (out->qfrom != out->qto && (st->backward || out->next == NO_CTA))
		out->next = out->queue[st->backward ? out->qto - 1 : out->qfrom];
}

static void explain(const void *state, const struct cta_view *v, u32 sm, struct strbuf *out)
{
	struct cta_share s = {.next = NO_CTA};
	share(state, v, sm, &s);
	if (s.qfrom != s.qto)
		strbuf_addf(out, "%u CTAs of its steal queue to come; ", s.qto - s.qfrom);
	ikra_explain(&s, out);
	if (s.qfrom == s.qto && s.from == s.to)
		strbuf_adds(out, "; it steals");
}

/* Identifiers are three coordinates of 31, 16 and 16 bits (section 4.1). */
static u32 storage(const struct conf *c, struct policy_storage *out)
{
	out[0] = (struct policy_storage){"steal queue", 63, STEAL_QUEUE};
	out[1] = (struct policy_storage){"chunk: first, last and current CTA", 63, 3};
	out[2] = (struct policy_storage){"direction", 1, 1};
	return 3;
}

extern const struct cta_sched_ops cta_sched_steal;
const struct cta_sched_ops cta_sched_steal = {
    .name = "steal",
    .help =
        "chunks as under flip; an SM without work takes a CTA from another one, and keeps it in the kernels to come",
    .source = "Huzaifa 2020, section 4.4, algorithm 1",
    .storage = storage,
    .state_bytes = sizeof(struct steal),
    .machine_bytes = sizeof(struct steal_machine),
    .init = init,
    .next = next,
    .done = done,
    .describe = describe,
    .explain = explain,
    .share = share,
};
