#include "task/preempt/cost.h"

#include <math.h>

#include "base/bits.h"

const char *const technique_names[TECHNIQUES + 1] = {
    [BY_SWITCH] = "switch", [BY_DRAIN] = "drain", [BY_FLUSH] = "flush", [TECHNIQUES] = "mixed"};
const char *const cost_bar_names[COST_BARS] = {
    [COST_KNOWN] = "none",
    [DRAIN_NONE_ENDED] = "none-ended",
    [FLUSH_NO_RECORD] = "no-record",
    [FLUSH_NO_NOTICE] = "no-notice",
    [FLUSH_LOST] = "record-full",
    [FLUSH_STRICT] = "strict",
    [FLUSH_NOTICED] = "not-idempotent",
};

static u64 bounded(double v)
{
	return v < (double)COST_MAX ? (u64)v : COST_MAX;
}

static u64 plus(u64 a, u64 b)
{
	return MIN(a + b, COST_MAX);
}

u64 preempt_switch_cycles(const struct conf *c, u64 bytes)
{
	if (c->preempt_bandwidth > 0)
		return bounded(ceil((double)bytes * c->core_clock / (c->preempt_bandwidth * 1e3)));
	return bounded(ceil((double)bytes * c->num_sms / dram_peak_bytes(c)));
}

/* --- estimates ---------------------------------------------------------------------------------------------------- */

static struct preempt_cost cost_of_switch(const struct conf *c, const struct preempt_stats *k, u64 all, u64 own, u32 n)
{
	const double ipc = k->cycles ? (double)n * (double)k->insts / (double)k->cycles : 0; /* of n CTAs */
	const u64 twice = 2 * preempt_switch_cycles(c, own);
	return (struct preempt_cost){.latency = preempt_switch_cycles(c, all),
	                             .overhead = k->insts ? bounded((double)twice * ipc) : COST_MAX};
}

static struct preempt_cost cost_of_drain(const struct preempt_stats *k, u64 insts, u64 farthest)
{
	const struct preempt_cost unknown = {COST_MAX, COST_MAX};
	if (!k->ended || !k->insts)
		return unknown;
	const double left = (double)k->ended_insts / (double)k->ended - (double)insts;
	return (struct preempt_cost){.latency = left > 0 ? bounded(ceil(left * (double)k->cycles / (double)k->insts)) : 0,
	                             .overhead = farthest - insts};
}

void preempt_estimate(const struct conf *c, const struct preempt_stats *k, struct preempt_sm *s)
{
	u64 bytes = 0, farthest = 0;
	for (u32 i = 0; i < s->n; i++) {
		bytes += s->cta[i].bytes;
		farthest = MAX(farthest, s->cta[i].insts);
	}
	for (u32 i = 0; i < s->n; i++) {
		struct preempt_cta *a = &s->cta[i];
		a->by[BY_SWITCH] = cost_of_switch(c, k, bytes, a->bytes, s->n);
		a->by[BY_SWITCH].latency = MAX(a->by[BY_SWITCH].latency, a->wait);
		a->by[BY_DRAIN] = cost_of_drain(k, a->insts, farthest);
		a->by[BY_FLUSH] =
		    a->may_flush ? (struct preempt_cost){a->wait, a->insts} : (struct preempt_cost){COST_MAX, COST_MAX};
	}
}

struct preempt_cost preempt_sm_cost(const struct conf *c, const struct preempt_sm *s, enum technique t)
{
	u64 bytes = 0, slowest = 0, overhead = 0;
	for (u32 i = 0; i < s->n; i++) {
		const struct preempt_cta *a = &s->cta[i];
		const enum technique of = t < TECHNIQUES ? t : (enum technique)a->technique;
		overhead = plus(overhead, a->by[of].overhead);
		bytes += of == BY_SWITCH ? a->bytes : 0;
		slowest = MAX(slowest, of == BY_SWITCH ? a->wait : a->by[of].latency);
	}
	const u64 moving = preempt_switch_cycles(c, bytes);
	return (struct preempt_cost){.latency =
	                                 c->preempt_halt == PREEMPT_HALT_SM ? plus(moving, slowest) : MAX(moving, slowest),
	                             .overhead = overhead};
}

enum cost_bar preempt_cta_bar(const struct preempt_cta *a, enum technique t)
{
	if (a->by[t].latency < COST_MAX && a->by[t].overhead < COST_MAX)
		return COST_KNOWN;
	return t == BY_FLUSH ? (enum cost_bar)a->no_flush : DRAIN_NONE_ENDED;
}

enum cost_bar preempt_sm_bar(const struct preempt_sm *s, enum technique t)
{
	enum cost_bar why = COST_KNOWN;
	for (u32 i = 0; i < s->n && why == COST_KNOWN; i++)
		why = preempt_cta_bar(&s->cta[i], t < TECHNIQUES ? t : (enum technique)s->cta[i].technique);
	return why;
}

/* --- algorithm 3 -------------------------------------------------------------------------------------------------- */

/* Less overhead; of equal ones the faster. */
static bool better(struct preempt_cost a, struct preempt_cost b)
{
	return a.overhead != b.overhead ? a.overhead < b.overhead : a.latency < b.latency;
}

void preempt_choose(struct preempt_sm *s, u64 limit, u32 techniques, enum technique otherwise)
{
	for (u32 i = 0; i < s->n; i++) {
		struct preempt_cta *a = &s->cta[i];
		u32 best = TECHNIQUES;
		for (u32 t = 0; t < TECHNIQUES; t++)
			if (techniques >> t & 1 && a->by[t].latency <= limit && a->by[t].latency < COST_MAX &&
			    (best == TECHNIQUES || better(a->by[t], a->by[best])))
				best = t;
		a->technique = (u8)(best == TECHNIQUES ? otherwise : best);
	}
}

/* Is a to be taken before b? */
static bool before(const struct preempt_sm *a, const struct preempt_sm *b, u64 limit)
{
	const bool keeps = a->cost.latency <= limit, other = b->cost.latency <= limit;
	if (keeps != other)
		return keeps;
	if (keeps && a->cost.overhead != b->cost.overhead)
		return a->cost.overhead < b->cost.overhead;
	if (a->cost.latency != b->cost.latency)
		return a->cost.latency < b->cost.latency;
	return a->cost.overhead != b->cost.overhead ? a->cost.overhead < b->cost.overhead : a->sm < b->sm;
}

void preempt_select(const struct preempt_sm *s, u32 n, u32 want, u64 limit, u32 *out)
{
	u64 taken[CONF_SM_WORDS] = {0};
	for (u32 k = 0; k < want; k++) {
		u32 best = n;
		for (u32 i = 0; i < n; i++)
			if (!(taken[i / 64] >> i % 64 & 1) && (best == n || before(&s[i], &s[best], limit)))
				best = i;
		taken[best / 64] |= BIT(best % 64);
		out[k] = best;
	}
}
