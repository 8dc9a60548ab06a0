/* chunk: one chunk for each SM; the first one for the SM behind that which ended last in the kernel before. reset: for
 * SM 0 in every kernel. flip: and every other kernel from the end of each chunk to its beginning, so that the CTAs come
 * first whose data came last into L1. */
#include "cta/sched/ikra.h"

struct chunk { /* of a kernel */
	struct ikra_chunks c;
	struct ikra_affine map;
	u32 first; /* whose chunk is the first */
	bool backward;
	u8 pad[3];
};
_Static_assert(sizeof(struct chunk) <= CTA_SCHED_STATE_MAX, "the state fits its place");

struct chunk_machine {
	struct ikra_history history;
	u32 after; /* chunk: where the next kernel begins */
	u32 kernels;
};

static void begin(struct chunk *st, const struct cta_view *v, u32 first, bool backward)
{
	struct chunk_machine *m = v->machine;
	ikra_deal(&st->c, v, first);
	st->first = first;
	st->backward = backward;
	st->map = m->history.map;
	m->kernels++;
}

/* The chunk of an SM that may hold none of the kernel's CTAs (--partition) is everybody's. */
static u64 left_alone(struct chunk *st, const struct cta_view *v)
{
	u64 p = NO_CTA;
	for (u32 i = 0; i < v->num_sms && v->most_on && p == NO_CTA; i++)
		if (st->c.lo[i] != st->c.hi[i] && !v->most_on(v, i))
			p = ikra_take(&st->c, i, st->backward);
	return p;
}

static u64 next(void *state, const struct cta_view *v, u32 sm)
{
	struct chunk *st = state;
	u64 p = ikra_take(&st->c, sm, st->backward);
	p = p == NO_CTA ? left_alone(st, v) : p;
	return p == NO_CTA ? NO_CTA : ikra_id(&st->map, p, v->launch->ctas);
}

static void describe(const void *state, const struct cta_view *v, struct strbuf *out)
{
	const struct chunk *st = state;
	u64 lo, hi;
	ikra_chunk(v->launch->ctas, v->num_sms, 0, &lo, &hi);
	strbuf_addf(out, "chunks of up to %llu CTAs, the first for SM %u%s", (unsigned long long)(hi - lo), st->first,
	            st->backward ? ", from their ends" : "");
}

static void share(const void *state, const struct cta_view *v, u32 sm, struct cta_share *out)
{
	const struct chunk *st = state;
	out->backward = st->backward;
	ikra_chunk(v->launch->ctas, v->num_sms, (sm + v->num_sms - st->first) % v->num_sms, &out->lo, &out->hi);
	ikra_share(&st->c, &st->map, v, sm, out);
}

static void explain(const void *state, const struct cta_view *v, u32 sm, struct strbuf *out)
{
	struct cta_share s = {.next = NO_CTA};
	share(state, v, sm, &s);
	ikra_explain(&s, out);
}

/* --- chunk -------------------------------------------------------------------------------------------------------- */
static void chunk_init(void *state, const struct cta_view *v)
{
	begin(state, v, ((const struct chunk_machine *)v->machine)->after % v->num_sms, false);
}

static void chunk_done(void *state, const struct cta_view *v, u32 sm, const struct cta *c)
{
	((struct chunk_machine *)v->machine)->after = (sm + 1) % v->num_sms;
}

extern const struct cta_sched_ops cta_sched_chunk;
const struct cta_sched_ops cta_sched_chunk = {
    .name = "chunk",
    .help = "consecutive CTAs in one chunk for each SM, beginning behind the SM that ended last in the kernel before",
    .source = "Huzaifa 2020, section 4.1",
    .state_bytes = sizeof(struct chunk),
    .machine_bytes = sizeof(struct chunk_machine),
    .init = chunk_init,
    .next = next,
    .done = chunk_done,
    .describe = describe,
    .explain = explain,
    .share = share,
};

/* --- reset -------------------------------------------------------------------------------------------------------- */
static void reset_init(void *state, const struct cta_view *v)
{
	ikra_follows(&((struct chunk_machine *)v->machine)->history, v);
	begin(state, v, 0, false);
}

extern const struct cta_sched_ops cta_sched_reset;
const struct cta_sched_ops cta_sched_reset = {
    .name = "reset",
    .help = "chunks, always from SM 0: the same CTA on the same SM in every kernel",
    .source = "Huzaifa 2020, section 4.2",
    .state_bytes = sizeof(struct chunk),
    .machine_bytes = sizeof(struct chunk_machine),
    .init = reset_init,
    .next = next,
    .describe = describe,
    .explain = explain,
    .share = share,
};

/* --- flip --------------------------------------------------------------------------------------------------------- */
static void flip_init(void *state, const struct cta_view *v)
{
	struct chunk_machine *m = v->machine;
	ikra_follows(&m->history, v);
	begin(state, v, 0, m->kernels % 2);
}

extern const struct cta_sched_ops cta_sched_flip;
const struct cta_sched_ops cta_sched_flip = {
    .name = "flip",
    .help = "chunks as under reset, but every other kernel begins at their ends: what came last into L1 is used first",
    .source = "Huzaifa 2020, section 4.3",
    .state_bytes = sizeof(struct chunk),
    .machine_bytes = sizeof(struct chunk_machine),
    .init = flip_init,
    .next = next,
    .describe = describe,
    .explain = explain,
    .share = share,
};
