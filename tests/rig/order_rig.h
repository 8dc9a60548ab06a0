/* order_rig: one workload on two machines that differ in tick.shuffle alone. Every so many cycles all bytes of their
 * states must be the same; where they are not, both begin anew and go there cycle by cycle, to name the first cycle
 * after which they differ and what lies at the first byte that does. Include behind cmocka.h. */
#ifndef TESTS_RIG_ORDER_RIG_H
#define TESTS_RIG_ORDER_RIG_H
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "commands/commands.h"
#include "base/present.h"
#include "session/session.h"
#include "sim_internal.h"

#define ORDER_SETS 16
#define ORDER_STRIDE 1499 /* cycles between two looks */
#define ORDER_CYCLES 60000

struct order_case {
	const char *workload, *gpu;
	const char *set[ORDER_SETS], *param[4]; /* end with NULL */
	u64 shuffle;
	u64 requests; /* a seed: kernels are asked for SMs at each look; 0: they are not */
	u64 cycles;   /* looks no farther; 0: ORDER_CYCLES */
};
enum order_end { ORDER_SAME, ORDER_DIFFERS, ORDER_REFUSED };

struct order_side {
	struct options o;
	const char *set[ORDER_SETS + 1];
	char shuffle[32];
	struct session *s;
	enum session_stop why;
};

static inline u32 order_count(const char *const *list)
{
	u32 n = 0;
	while (list[n])
		n++;
	return n;
}

static inline bool order_open(struct order_side *x, const struct order_case *c, u64 shuffle, struct err *e)
{
	*x = (struct order_side){0};
	const u32 n = order_count(c->set);
	memcpy(x->set, c->set, n * sizeof *x->set);
	snprintf(x->shuffle, sizeof x->shuffle, "tick.shuffle=%llu", (unsigned long long)shuffle);
	x->set[n] = x->shuffle;
	x->o = (struct options){.command = "run",
	                        .workload = c->workload,
	                        .gpu = c->gpu,
	                        .size = "small",
	                        .sets = x->set,
	                        .nsets = n + 1,
	                        .params = (const char **)c->param,
	                        .nparams = order_count(c->param),
	                        .max_cycles = NEVER};
	x->s = session_open(&x->o, console_modules, e);
	x->why = SS_CYCLE;
	return x->s != NULL;
}

static inline bool order_open_both(struct order_side x[2], const struct order_case *c, struct err *e)
{
	if (!order_open(&x[0], c, 0, e))
		return false;
	if (order_open(&x[1], c, c->shuffle, e))
		return true;
	session_close(x[0].s);
	return false;
}

static inline void order_close_both(struct order_side x[2])
{
	session_close(x[0].s);
	session_close(x[1].s);
}

/* A kernel is asked for SMs: whose and how depends on the seed and the machine alone. */
static inline void order_request(struct session *s, u64 seed)
{
	static const char *const techniques[] = {"drain", "switch", "flush", "chimera"};
	struct gpu *g = sim_gpu(s->sim);
	const struct dispatcher *d = g->dispatch.d;
	struct err e = {0};
	if (!seed || !d->n)
		return;
	if (rng_next(&seed) % 4 == 0) {
		gpu_release_sms(g, NULL, &e);
		return;
	}
	const struct sm_order o = {.launch = d->k[d->order[rng_next(&seed) % d->n]].launch,
	                           .sms = (u32)(1 + rng_next(&seed) % 3),
	                           .within_us = (double)(rng_next(&seed) % 20),
	                           .by = techniques[rng_next(&seed) % ARRAY_LEN(techniques)]};
	gpu_preempt(g, &o, &e); /* a refusal is the same on both */
}

static inline void order_advance(struct order_side x[2], u64 to)
{
	for (u32 k = 0; k < 2; k++) {
		struct err e = {0};
		if (x[k].why == SS_CYCLE)
			x[k].why = session_run(x[k].s, to, &e);
	}
}

/* The first byte that differs; NEVER: none does. Pages that nobody has touched in either are zero in both. */
static inline u64 order_first_difference(const struct arena *a, const struct arena *b)
{
	const u32 pages = (u32)ceil_div(a->used, PRESENT_PAGE);
	struct present *r[2] = {present_open(a->base, a->reserved), present_open(b->base, b->reserved)};
	const u64 *there[2] = {present_find(r[0], pages), present_find(r[1], pages)};
	u64 at = NEVER;
	for (u32 i = 0; i < pages && at == NEVER; i++) {
		const size_t from = (size_t)i * PRESENT_PAGE, n = MIN(a->used - from, (size_t)PRESENT_PAGE);
		if ((!present_at(there[0], i) && !present_at(there[1], i)) || !memcmp(a->base + from, b->base + from, n))
			continue;
		for (at = from; a->base[at] == b->base[at];)
			at++;
	}
	present_close(r[0]);
	present_close(r[1]);
	return at;
}

/* Appends what differs between both; nothing where nothing does. */
static inline void order_difference(struct order_side x[2], struct strbuf *out)
{
	const struct arena *a = &sim_gpu(x[0].s->sim)->arena, *b = &sim_gpu(x[1].s->sim)->arena;
	const u64 at[2] = {sim_cycle(x[0].s->sim), sim_cycle(x[1].s->sim)};
	u64 i;
	gpu_sync(sim_gpu(x[0].s->sim));
	gpu_sync(sim_gpu(x[1].s->sim));
	if (at[0] != at[1] || x[0].why != x[1].why)
		strbuf_addf(out, "one %s after %llu cycles, the other %s after %llu", session_stop_text(x[0].why),
		            (unsigned long long)at[0], session_stop_text(x[1].why), (unsigned long long)at[1]);
	else if (a->used != b->used)
		strbuf_addf(out, "%zu bytes of the arena are used, and %zu", a->used, b->used);
	else if ((i = order_first_difference(a, b)) != NEVER) {
		arena_where(a, i, out);
		strbuf_addf(out, ": %u and %u", a->base[i], b->base[i]);
	} else if (sim_hash(x[0].s->sim) != sim_hash(x[1].s->sim))
		strbuf_adds(out, "memory, or what lies outside of the arena");
}

static inline void order_command(const struct order_case *c, struct strbuf *out)
{
	strbuf_addf(out, "%s --gpu %s", c->workload, c->gpu);
	for (u32 i = 0; c->param[i]; i++)
		strbuf_addf(out, " --param %s", c->param[i]);
	for (u32 i = 0; c->set[i]; i++)
		strbuf_addf(out, " --set %s", c->set[i]);
	strbuf_addf(out, " --set tick.shuffle=%llu", (unsigned long long)c->shuffle);
	if (c->requests)
		strbuf_addf(out, " (with requests for SMs, seed %llu)", (unsigned long long)c->requests);
}

/* Both go on to `to`, looking every `stride` cycles; true: they differ, and *seen says how, *from is the last cycle
 * after which they were the same. */
static inline bool order_look(struct order_side x[2], const struct order_case *c, u64 from, u64 to, u64 stride,
                              struct strbuf *seen, u64 *same)
{
	for (u64 at = from; at < to && x[0].why == SS_CYCLE; at += stride) {
		*same = sim_cycle(x[0].s->sim);
		order_advance(x, at + stride);
		order_difference(x, seen);
		if (seen->len)
			return true;
		if (c->requests && (at + stride) % ORDER_STRIDE == 0)
			for (u32 k = 0; k < 2; k++)
				order_request(x[k].s, c->requests + at);
	}
	return false;
}

/* *says: the command and where both part, or why there is no such machine. */
static inline enum order_end order_run(const struct order_case *c, struct strbuf *says, u64 *cycles)
{
	struct order_side x[2];
	struct err e = {0};
	struct strbuf seen = STRBUF_INIT;
	u64 same = 0;
	const u64 end = c->cycles ? c->cycles : ORDER_CYCLES;
	if (!order_open_both(x, c, &e)) {
		strbuf_adds(says, e.msg);
		return ORDER_REFUSED;
	}
	const bool differ = order_look(x, c, 0, end, ORDER_STRIDE, &seen, &same);
	if (cycles)
		*cycles += sim_cycle(x[0].s->sim);
	order_close_both(x);
	if (!differ)
		return ORDER_SAME;
	order_command(c, says);
	strbuf_addf(says, ": %s", strbuf_str(&seen));
	strbuf_clear(&seen);
	if (order_open_both(x, c, &e)) {
		const u64 look = same / ORDER_STRIDE * ORDER_STRIDE;
		u64 last = 0;
		if (order_look(x, c, 0, look, ORDER_STRIDE, &seen, &last) ||
		    order_look(x, c, look, look + ORDER_STRIDE, 1, &seen, &last))
			strbuf_addf(says, "\nfirst in cycle %llu: %s", (unsigned long long)last, strbuf_str(&seen));
		order_close_both(x);
	}
	strbuf_release(&seen);
	return ORDER_DIFFERS;
}
#endif
