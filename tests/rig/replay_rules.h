/* replay_rules: follows the re-execution queues of a machine by its events and holds every step against the published
 * rules (sm/replay.h): capacity, car's one entry a warp and its order, figure 3.5 of Park 2016, order across barriers.
 */
#ifndef TESTS_RIG_REPLAY_RULES_H
#define TESTS_RIG_REPLAY_RULES_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "gpu/query.h"
#include "sim.h"

#define RULES_EVENTS (EVENT(EV_REPLAY_ENTER) | EVENT(EV_REPLAY_LEAVE) | EVENT(EV_BARRIER_RELEASE))
#define RULES_SIZE 64

struct rules_entry {
	u64 addr, cycle;
	u32 pc;
	s32 warp, kernel, cta;
	bool store;   /* store, atomic or reduction */
	bool fresh;   /* a volatile load, which is ordered like a store unless it is local */
	bool ordered; /* a barrier at which its warp waited has opened */
};
struct rules {
	const struct gpu *g;
	bool car;
	u32 size;
	u64 entered, ordered, left, overtaken; /* overtaken: left before an older entry */
	u64 full;                              /* entered as the last that fits */
	u32 n[CONF_MAX_SMS];
	struct rules_entry e[CONF_MAX_SMS][RULES_SIZE];
};

/* Certainly, or possibly, not free to pass each other. */
static inline bool rules_conflict(const struct rules_entry *old, const struct rules_entry *young, bool possibly)
{
	bool same_cta = old->kernel == young->kernel && old->cta == young->cta;
	bool related = old->warp == young->warp || (same_cta && (possibly || old->ordered));
	return related && (old->store || young->store || (possibly && (old->fresh || young->fresh)));
}

static inline void rules_enter(struct rules *r, const struct event *e)
{
	u32 *n = &r->n[e->sm];
	struct rules_entry *q = r->e[e->sm], new = {.addr = e->arg[0], .cycle = e->cycle, .pc = e->pc};
	const struct inst *in = &gpu_launched(r->g, (u32)e->kernel)->mod->code[e->pc];
	new.warp = e->warp;
	new.kernel = e->kernel;
	new.cta = e->cta;
	new.store = in->op == OP_ST || in->op == OP_ATOM || in->op == OP_RED;
	new.fresh = (in->flags & IF_VOLATILE) != 0;
	bool must = false, may = false;
	for (u32 i = 0; i < *n; i++) {
		must |= rules_conflict(&q[i], &new, false);
		may |= rules_conflict(&q[i], &new, true);
		assert_false(r->car && q[i].warp == new.warp);
	}
	assert_in_range(e->arg[1], 0, 4);
	if (e->arg[1])
		assert_false(must); /* it was presented to the cache */
	else
		assert_true(may);
	assert_true(*n < r->size);
	q[(*n)++] = new;
	assert_int_equal(e->arg[2], *n);
	r->entered++;
	r->ordered += !e->arg[1];
	r->full += *n == r->size;
}

static inline void rules_leave(struct rules *r, const struct event *e)
{
	u32 *n = &r->n[e->sm], at = 0;
	struct rules_entry *q = r->e[e->sm];
	while (at < *n && (q[at].addr != e->arg[0] || q[at].warp != e->warp || q[at].pc != e->pc ||
	                   q[at].cycle + e->arg[1] != e->cycle))
		at++;
	assert_true(at < *n);
	assert_true(e->arg[1] > 0 && e->arg[3] > 0);
	for (u32 i = 0; i < at; i++)
		assert_false(r->car || rules_conflict(&q[i], &q[at], false));
	memmove(&q[at], &q[at + 1], (--*n - at) * sizeof *q);
	assert_int_equal(e->arg[2], *n);
	r->left++;
	r->overtaken += at > 0;
}

static inline bool rules_event(void *ctx, const struct event *e)
{
	struct rules *r = ctx;
	if (e->type == EV_REPLAY_ENTER)
		rules_enter(r, e);
	else if (e->type == EV_REPLAY_LEAVE)
		rules_leave(r, e);
	else if (e->type == EV_BARRIER_RELEASE)
		for (u32 i = 0; i < r->n[e->sm]; i++)
			r->e[e->sm][i].ordered |= e->arg[1] >> r->e[e->sm][i].warp & 1;
	return false;
}

/* Watches a machine that has a queue; *r lives as long as the machine. */
static inline void rules_watch(struct rules *r, struct sim *s)
{
	const struct conf *c = gpu_conf(sim_gpu(s));
	memset(r, 0, sizeof *r);
	r->g = sim_gpu(s);
	r->car = c->lsu_replay == LSU_REPLAY_CAR;
	r->size = c->lsu_replay_entries;
	sim_subscribe(s, RULES_EVENTS, rules_event, r);
}
#endif
