#include "dbg/scope.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "dbg/interrupt.h"
#include "dbg/lua_side.h"
#include "gpu/totals.h"
#include "obs/stats/heat.h"
#include "session/programs.h"

#define MARKS_MAX 16u /* totals kept; those of a machine with 132 SMs take 0.5 MB */

/* All that had been counted at a cycle. */
struct scope_mark {
	u64 cycle;
	struct gpu_totals *totals;
	void *heat; /* heat_keep() */
};

/* --- marks --- */

static void mark_free(struct scope_mark *m)
{
	gpu_totals_free(m->totals);
	free(m->heat);
	free(m);
}

static bool in_use(const struct dbg_scope *s, const struct scope_mark *m)
{
	return m == s->begin || m == s->end || m == s->stop || (s->kept && in_use(s->kept, m));
}

static void forget(struct dbg_scope *s, u32 i)
{
	mark_free(s->known[i]);
	memmove(s->known + i, s->known + i + 1, (--s->nknown - i) * sizeof(struct scope_mark *));
}

static const struct scope_mark *find_mark(const struct dbg_scope *s, u64 cycle)
{
	for (u32 i = 0; i < s->nknown; i++)
		if (s->known[i]->cycle == cycle)
			return s->known[i];
	return NULL;
}

/* Of where the machine stands. Behind turns of the host it is a place of its own that nobody asks for again. */
static const struct scope_mark *mark_here(struct debugger *d)
{
	struct dbg_scope *s = &d->scope;
	for (u32 i = 0; s->nknown >= MARKS_MAX && i < s->nknown; i++)
		if (!in_use(s, s->known[i])) {
			forget(s, i);
			break;
		}
	struct scope_mark *m = xcalloc(1, sizeof *m);
	m->cycle = sim_cycle(d->s->sim);
	m->totals = gpu_totals_take(dbg_gpu(d));
	m->heat = d->s->heat ? heat_keep(d->s->heat) : NULL;
	s->known = xrealloc(s->known, (s->nknown + 1) * sizeof(struct scope_mark *));
	return s->known[s->nknown++] = m;
}

/* Goes to a cycle for what has been counted there. */
static const struct scope_mark *mark_at(struct debugger *d, u64 cycle, struct err *e)
{
	const struct scope_mark *m = find_mark(&d->scope, cycle);
	if (m || (sim_cycle(d->s->sim) != cycle && !session_go(d->s, sim_rest(d->s->sim, cycle), e)))
		return m;
	return mark_here(d);
}

static bool is_elsewhere(struct debugger *d, u64 cycle)
{
	return cycle != NEVER && cycle != sim_cycle(d->s->sim) && !find_mark(&d->scope, cycle);
}

/* Both ends, one after the other; then the machine is where it was. */
static bool find_marks(struct debugger *d, u64 from, u64 to, const struct scope_mark *m[2], struct err *e)
{
	session_change_ends(d->s);
	const struct sim_place here = sim_place(d->s->sim);
	const bool away = is_elsewhere(d, from) || is_elsewhere(d, to);
	struct err back = {0};
	struct sim_history_info h;
	sim_history_info(d->s->sim, &h);
	if (d->run.in_run || lua_dbg_in_callback(d))
		return err_set(e, "scope: the machine is running");
	if (away && !h.on)
		return err_set(e, "scope: %s", h.off);
	if (away)
		sim_snapshot(d->s->sim, NULL); /* coming back takes no replay then */
	d->run.in_run = true;
	m[0] = mark_at(d, from, e);
	m[1] = m[0] && to != NEVER ? mark_at(d, to, e) : NULL;
	if (sim_place_order(sim_place(d->s->sim), here)) {
		debugger_clear_interrupt(d);
		session_go(d->s, here, &back);
	}
	d->run.in_run = false;
	return m[0] && (to == NEVER || m[1]);
}

/* --- setting it --- */

static void apply(struct debugger *d)
{
	const struct dbg_scope *s = &d->scope;
	gpu_scope_set(dbg_gpu(d), s->begin ? s->begin->totals : NULL, s->end ? s->end->totals : NULL);
	if (d->s->heat)
		heat_scope(d->s->heat, s->begin ? s->begin->heat : NULL, s->end ? s->end->heat : NULL);
}

static bool check_range(struct debugger *d, u64 from, u64 to, struct err *e)
{
	struct sim_history_info h;
	sim_history_info(d->s->sim, &h);
	const u64 now = sim_cycle(d->s->sim), end = h.on ? MAX(h.frontier, now) : now, last = to == NEVER ? from : to;
	if (to != NEVER && from >= to)
		return err_set(e, "scope: cycles %llu to %llu are none", (unsigned long long)from, (unsigned long long)to);
	if (last > end)
		return err_set(e, "scope: cycle %llu has not been simulated; the farthest is %llu", (unsigned long long)last,
		               (unsigned long long)end);
	if (h.on && from < h.begin)
		return err_set(e, "scope: history begins at cycle %llu", (unsigned long long)h.begin);
	return true;
}

static bool set_range(struct debugger *d, enum scope_kind k, const char *name, u64 from, u64 to, struct err *e)
{
	const struct scope_mark *m[2];
	if (!check_range(d, from, to, e) || !find_marks(d, from, to, m, e))
		return false;
	struct dbg_scope *s = &d->scope;
	s->kind = k;
	s->from = from;
	s->to = to;
	s->begin = m[0];
	s->end = m[1];
	s->stop = NULL;
	snprintf(s->name, sizeof s->name, "%s", name);
	apply(d);
	return true;
}

bool scope_cycles(struct debugger *d, u64 from, u64 to, struct err *e)
{
	return set_range(d, SCOPE_CYCLES, "", from, to, e);
}

/* What launches are, whatever the scope. */
static struct kernel_info launch_of(struct debugger *d, u32 launch)
{
	struct gpu_scope *off = gpu_scope_off(dbg_gpu(d));
	struct kernel_info k;
	gpu_kernel_info(dbg_gpu(d), launch, &k);
	gpu_scope_on(dbg_gpu(d), off);
	return k;
}

bool scope_launch(struct debugger *d, u32 launch, struct err *e)
{
	char name[sizeof d->scope.name];
	if (launch >= gpu_num_kernels(dbg_gpu(d)))
		return err_set(e, "scope: launch %u does not exist (`info launches`)", launch);
	const struct kernel_info k = launch_of(d, launch);
	snprintf(name, sizeof name, "kernel %u, %.60s", launch, k.label);
	if (k.state == KS_QUEUED)
		return err_set(e, "scope: launch %u has not begun", launch);
	const u64 end = k.state == KS_DONE ? k.counters->ended_at : NEVER;
	if (!set_range(d, SCOPE_LAUNCH, name, k.counters->started_at, end, e))
		return false;
	d->scope.launch = launch;
	return true;
}

bool scope_program(struct debugger *d, const char *program, struct err *e)
{
	char name[sizeof d->scope.name];
	u64 from = NEVER, to = 0;
	u32 of = 0;
	while (of < d->s->nprograms && strcmp(d->s->programs[of].name, program))
		of++;
	if (of == d->s->nprograms)
		return err_set(e, "scope: there is no program '%.60s' (`info programs`)", program);
	for (u32 i = 0; i < gpu_num_kernels(dbg_gpu(d)); i++) {
		const struct kernel_info k = launch_of(d, i);
		if (k.program != of || k.state == KS_QUEUED)
			continue;
		from = MIN(from, k.counters->started_at);
		to = MAX(to, k.state == KS_DONE ? k.counters->ended_at : NEVER);
	}
	if (from == NEVER)
		return err_set(e, "scope: no launch of %.60s has begun", program);
	snprintf(name, sizeof name, "program %.60s", program);
	return set_range(d, SCOPE_PROGRAM, name, from, to, e);
}

void scope_since_last(struct debugger *d)
{
	struct dbg_scope *s = &d->scope;
	const struct scope_mark *here = find_mark(s, sim_cycle(d->s->sim));
	s->kind = SCOPE_LAST;
	s->begin = s->end = s->stop = here ? here : mark_here(d);
	s->from = s->to = s->stop->cycle;
	apply(d);
}

void scope_end(struct debugger *d)
{
	struct dbg_scope *s = &d->scope;
	s->kind = SCOPE_RUN;
	s->begin = s->end = s->stop = NULL;
	apply(d);
}

void scope_keep(struct debugger *d, struct dbg_scope *was)
{
	*was = d->scope;
	was->kept = NULL;
	d->scope.kept = was;
}

void scope_bring_back(struct debugger *d, const struct dbg_scope *was)
{
	struct dbg_scope *s = &d->scope;
	s->kind = was->kind;
	s->launch = was->launch;
	s->from = was->from;
	s->to = was->to;
	s->begin = was->begin;
	s->end = was->end;
	s->stop = was->stop;
	s->kept = NULL;
	snprintf(s->name, sizeof s->name, "%s", was->name);
	apply(d);
}

/* --- the machine moves --- */

void scope_arrived(struct debugger *d)
{
	struct dbg_scope *s = &d->scope;
	const u64 now = sim_cycle(d->s->sim);
	if (s->kind != SCOPE_LAST || s->stop->cycle == now)
		return;
	const struct scope_mark *last = s->stop, *here = find_mark(s, now);
	if (!here)
		here = mark_here(d);
	s->begin = last->cycle < now ? last : here;
	s->end = last->cycle < now ? here : last;
	s->stop = here;
	s->from = s->begin->cycle;
	s->to = s->end->cycle;
	apply(d);
}

static bool is_void(const struct scope_mark *m, u64 from)
{
	return m && m->cycle > from;
}

void scope_forked(struct debugger *d)
{
	struct dbg_scope *s = &d->scope;
	const u64 now = sim_cycle(d->s->sim);
	if (is_void(s->begin, now) || is_void(s->end, now) || is_void(s->stop, now))
		scope_end(d);
	for (u32 i = s->nknown; i-- > 0;) /* those of this cycle: it is about to change */
		if (s->known[i]->cycle >= now && !in_use(s, s->known[i]))
			forget(s, i);
}

void scope_restarted(struct debugger *d)
{
	if (d->s->sim)
		scope_end(d);
	while (d->scope.nknown)
		forget(&d->scope, d->scope.nknown - 1);
}

void scope_release(struct debugger *d)
{
	scope_restarted(d);
	free(d->scope.known);
}

/* --- in words --- */

bool scope_range(const struct debugger *d, u64 *from, u64 *to)
{
	const struct dbg_scope *s = &d->scope;
	if (s->kind == SCOPE_RUN)
		return false;
	*from = s->from;
	*to = s->to == NEVER ? MAX(sim_cycle(d->s->sim), s->from) : s->to;
	return true;
}

void scope_text(const struct debugger *d, bool brief, struct strbuf *out)
{
	const struct dbg_scope *s = &d->scope;
	char a[GROUPED_MAX], b[GROUPED_MAX];
	u64 from, to;
	if (!scope_range(d, &from, &to))
		return;
	if (brief) {
		strbuf_addf(out, "%s-%s", grouped(from, a), s->to == NEVER ? "" : grouped(to, b));
		return;
	}
	if (*s->name && s->kind != SCOPE_CYCLES && s->kind != SCOPE_LAST)
		strbuf_addf(out, "%s: ", s->name);
	strbuf_addf(out, "cycles %s to %s%s", grouped(from, a), grouped(to, b),
	            s->to == NEVER          ? ", where the machine is"
	            : s->kind == SCOPE_LAST ? ", since the last stop"
	                                    : "");
}
