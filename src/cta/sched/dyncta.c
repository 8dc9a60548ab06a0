#include "cta/sched/dyncta.h"

#define NO_WORK (1u << ST_BARRIER | 1u << ST_SLEEP | 1u << ST_FETCH | 1u << ST_DONE | 1u << ST_EMPTY)
#define FOR_MEMORY (1u << ST_MEM | 1u << ST_MEMBAR)
_Static_assert(ST_COUNT <= 32, "a set of reasons is a u32");

struct dyncta {
	u64 next;
	u64 look_at;            /* the cycle of the next look */
	u32 idle[CONF_MAX_SMS]; /* slots lost for want of work up to the last look, modulo 2^32 */
	u32 mem[CONF_MAX_SMS];  /* and to memory */
	u8 limit[CONF_MAX_SMS];
};
_Static_assert(sizeof(struct dyncta) <= CTA_SCHED_STATE_MAX, "the state fits its place");

u32 dyncta_step(const struct conf *c, u32 limit, u32 most, u64 idle, u64 mem)
{
	if (idle >= c->dyncta_idle || mem < c->dyncta_mem_low)
		return MIN(limit + 1, most);
	return mem >= c->dyncta_mem_high ? MAX(limit - 1, 1) : limit;
}

/* What has been lost on an SM since the last look, in cycles; this is the last look from now on. */
struct lost {
	u32 idle, mem;
};
static struct lost look(struct dyncta *st, const struct cta_view *v, u32 sm)
{
	const u32 n = v->conf->sm_schedulers;
	const u32 idle = (u32)sm_lost_slots(v->sm[sm], n, NO_WORK, v->now);
	const u32 mem = (u32)sm_lost_slots(v->sm[sm], n, FOR_MEMORY, v->now);
	const struct lost l = {(idle - st->idle[sm]) / n, (mem - st->mem[sm]) / n};
	st->idle[sm] = idle;
	st->mem[sm] = mem;
	return l;
}

static void init(void *state, const struct cta_view *v)
{
	struct dyncta *st = state;
	const u32 most = sm_occupancy(v->conf, v->launch, NULL);
	for (u32 i = 0; i < v->num_sms; i++) {
		st->limit[i] = (u8)MAX(most / 2, 1);
		look(st, v, i);
	}
	st->look_at = v->now + v->conf->dyncta_period;
}

static void step(struct dyncta *st, const struct cta_view *v, u32 sm)
{
	const struct lost l = look(st, v, sm);
	const u32 was = st->limit[sm];
	st->limit[sm] = (u8)dyncta_step(v->conf, was, sm_occupancy(v->conf, v->launch, NULL), l.idle, l.mem);
	struct event *e = st->limit[sm] != was ? cta_event(v, EV_DYNCTA_STEP, sm) : NULL;
	if (!e)
		return;
	e->arg[0] = was;
	e->arg[1] = st->limit[sm];
	e->arg[2] = l.idle;
	e->arg[3] = l.mem;
}

static u64 timer(void *state, const struct cta_view *v)
{
	struct dyncta *st = state;
	if (v->now < st->look_at)
		return st->look_at;
	for (u32 i = 0; i < v->num_sms; i++)
		step(st, v, i);
	st->look_at = v->now + v->conf->dyncta_period;
	return st->look_at;
}

static u32 limit(const void *state, const struct cta_view *v, u32 sm)
{
	return ((const struct dyncta *)state)->limit[sm];
}

static u64 next(void *state, const struct cta_view *v, u32 sm)
{
	struct dyncta *st = state;
	if (st->next == v->launch->ctas || sm_resident(v->sm[sm], v->launch->id) >= st->limit[sm])
		return NO_CTA;
	return st->next++;
}

static void describe(const void *state, const struct cta_view *v, struct strbuf *out)
{
	const struct dyncta *st = state;
	u32 least = UINT32_MAX, most = 0;
	for (u32 i = 0; i < v->num_sms; i++) {
		least = MIN(least, st->limit[i]);
		most = MAX(most, st->limit[i]);
	}
	if (least == most)
		strbuf_addf(out, "%u CTAs an SM", least);
	else
		strbuf_addf(out, "%u to %u CTAs an SM", least, most);
}

static void explain(const void *state, const struct cta_view *v, u32 sm, struct strbuf *out)
{
	const struct dyncta *st = state;
	strbuf_addf(out, "limit %u, %u there; ", st->limit[sm], sm_resident(v->sm[sm], v->launch->id));
	cta_explain_order(st->next, v, out);
}

extern const struct cta_sched_ops cta_sched_dyncta;
const struct cta_sched_ops cta_sched_dyncta = {
    .name = "dyncta",
    .help =
        "as many CTAs on an SM as keep it busy without overloading memory; a CTA beyond that has the lowest priority",
    .source = "Kayiran 2013",
    .pauses = true,
    .state_bytes = sizeof(struct dyncta),
    .init = init,
    .next = next,
    .timer = timer,
    .limit = limit,
    .describe = describe,
    .explain = explain,
};
