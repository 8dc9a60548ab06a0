#include "obs/break/break.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void break_init(struct break_set *s)
{
	*s = (struct break_set){.next_id = 1, .next_internal = UINT32_MAX};
	s->last_issue.sm = s->last_issue.warp = -1;
}

static void breakpoint_free(struct breakpoint *b)
{
	free(b->pcs);
	free(b->what);
	free(b->cond);
	free(b->commands);
	free(b->note);
	crossing_release(&b->stat);
	nth_release(&b->nth);
	free(b);
}

void break_release(struct break_set *s)
{
	for (u32 i = 0; i < s->n; i++)
		breakpoint_free(s->list[i]);
	free(s->list);
	*s = (struct break_set){0};
}

static struct breakpoint *add(struct break_set *s, enum break_kind kind, const char *what)
{
	struct breakpoint *b = xcalloc(1, sizeof(*b));
	b->id = s->next_id++;
	b->kind = kind;
	b->enabled = true;
	b->event = EV_ISSUE;
	b->cond_ref = -2;
	b->what = xstrdup(what);
	event_filter_any(&b->filter);
	nth_restart(&b->nth, 0);
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 8;
		s->list = xrealloc(s->list, s->cap * sizeof(*s->list));
	}
	s->list[s->n++] = b;
	return b;
}

struct breakpoint *break_new_event(struct break_set *s, enum event_type t, const char *what)
{
	struct breakpoint *b = add(s, BK_EVENT, what);
	b->event = t;
	return b;
}

struct breakpoint *break_new_code(struct break_set *s, const struct module *m, const u32 *pcs, u32 n, const char *what)
{
	struct breakpoint *b = add(s, BK_CODE, what);
	b->mod = m;
	b->pcs = xmalloc(MAX(n, 1u) * sizeof(*pcs));
	memcpy(b->pcs, pcs, n * sizeof(*pcs));
	b->npcs = n;
	return b;
}

struct breakpoint *break_new_cycle(struct break_set *s, u64 cycle)
{
	char what[40];
	snprintf(what, sizeof(what), "cycle %llu", (unsigned long long)cycle);
	struct breakpoint *b = add(s, BK_CYCLE, what);
	b->cycle = cycle;
	return b;
}

struct breakpoint *break_new_stat(struct break_set *s, struct crossing *c)
{
	struct strbuf what = STRBUF_INIT;
	crossing_text(c, &what);
	struct breakpoint *b = add(s, BK_STAT, strbuf_str(&what));
	b->stat = *c;
	*c = (struct crossing){0};
	strbuf_release(&what);
	return b;
}

struct breakpoint *break_new_divergence(struct break_set *s, const char *what)
{
	struct breakpoint *b = add(s, BK_DIVERGE, what);
	b->cycle = NEVER;
	return b;
}

struct breakpoint *break_new_watch(struct break_set *s, const char *what)
{
	return add(s, BK_WATCH, what);
}

struct breakpoint *break_find(const struct break_set *s, u32 id)
{
	for (u32 i = 0; i < s->n; i++)
		if (s->list[i]->id == id)
			return s->list[i];
	return NULL;
}

void break_delete(struct break_set *s, u32 id)
{
	for (u32 i = 0; i < s->n; i++)
		if (s->list[i]->id == id) {
			breakpoint_free(s->list[i]);
			memmove(&s->list[i], &s->list[i + 1], (s->n - i - 1) * sizeof(*s->list));
			s->n--;
			return;
		}
}

/* Users count their breakpoints 1, 2, 3: an internal one gives its number back. */
void break_make_internal(struct break_set *s, struct breakpoint *b)
{
	b->internal = true;
	if (b->id == s->next_id - 1)
		s->next_id--;
	b->id = s->next_internal--;
}

event_set break_mask(struct break_set *s)
{
	event_set mask = 0;
	for (u32 i = 0; i < s->n; i++) {
		const struct breakpoint *b = s->list[i];
		if (!b->enabled)
			continue;
		if (b->kind == BK_EVENT)
			mask |= EVENT(b->event);
		else if (b->kind == BK_CODE)
			mask |= EVENT(EV_ISSUE) | EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_SWAP_IN) | EVENT(EV_BARRIER_ARRIVE) |
			        EVENT(EV_BARRIER_RELEASE);
	}
	s->mask = mask;
	return mask;
}

/* --- hits --- */

bool break_counts(struct break_set *s, struct breakpoint *b, const struct event *ev)
{
	if (b->cond && s->cond && !s->cond(s->cond_ctx, b, ev))
		return false;
	if (!nth_match(&b->nth, ev->cycle))
		return false;
	b->hits++;
	if (b->ignore) {
		b->ignore--;
		return false;
	}
	return true;
}

static bool hit(struct break_set *s, struct breakpoint *b, const struct event *ev, bool executed)
{
	if (!break_counts(s, b, ev))
		return false;
	if (s->hit.id) {
		s->also++;
		return true;
	}
	s->hit =
	    (struct break_hit){.id = b->id, .ev = *ev, .executed = executed, .before = b->stat.before, .now = b->stat.last};
	return true;
}

static bool has_pc(const struct breakpoint *b, u32 pc)
{
	for (u32 i = 0; i < b->npcs; i++)
		if (b->pcs[i] == pc)
			return true;
	return false;
}

static bool launch_of_module(struct gpu *g, s32 launch, const struct module *m)
{
	struct kernel_info k;
	if (launch < 0 || (u32)launch >= gpu_num_kernels(g))
		return false;
	gpu_kernel_info(g, (u32)launch, &k);
	return k.launch->mod == m;
}

static bool code_at(struct break_set *s, struct breakpoint *b, struct gpu *g, const struct event *ev, u32 pc,
                    bool executed)
{
	if (!has_pc(b, pc) || !event_filter_match(&b->filter, g, ev) || !launch_of_module(g, ev->kernel, b->mod))
		return false;
	return hit(s, b, ev, executed);
}

/* In the cycle in which its barrier opened the warp has executed the instruction behind it. */
static bool went_on(const struct break_set *s, const struct event *ev)
{
	return s->last_bar.cycle == ev->cycle && s->last_bar.sm == ev->sm && s->last_bar.released >> ev->warp & 1;
}

static bool code_issue(struct break_set *s, struct breakpoint *b, struct gpu *g, const struct event *ev, bool second)
{
	struct event at = *ev;
	if ((b->filter.sm >= 0 && b->filter.sm != ev->sm) || (b->filter.warp >= 0 && b->filter.warp != ev->warp))
		return false; /* before its pcs are looked through */
	if (second)       /* where the warp stands now was looked at with the first instruction of the pair */
		return !b->internal && code_at(s, b, g, &at, (u32)ev->arg[0], true); /* of `next line`: where it stands */
	const bool passed = !b->internal && went_on(s, ev) && code_at(s, b, g, ev, (u32)ev->arg[0], true);
	at.arg[0] = front_pc(gpu_front(g), (u32)ev->sm, (u32)ev->warp);
	at.arg[1] = front_active_mask(gpu_front(g), (u32)ev->sm, (u32)ev->warp);
	if (has_pc(b, (u32)at.arg[0]) && gpu_warp_at_barrier(g, (u32)ev->sm, (u32)ev->warp))
		return passed; /* it has arrived and is not about to execute anything: looked at when the barrier opens */
	return code_at(s, b, g, &at, (u32)at.arg[0], false) || passed;
}

/* Warps go on with the instruction they now stand at. */
static bool code_begins(struct break_set *s, struct breakpoint *b, struct gpu *g, const struct event *ev, u64 warps)
{
	bool stop = false;
	FOR_EACH_BIT(w, warps)
	{
		struct event at = *ev;
		at.type = EV_ISSUE;
		at.warp = (s32)w;
		memset(at.arg, 0, sizeof at.arg);
		at.arg[0] = front_pc(gpu_front(g), (u32)ev->sm, (u32)w);
		at.arg[1] = front_active_mask(gpu_front(g), (u32)ev->sm, (u32)w);
		stop |= code_at(s, b, g, &at, (u32)at.arg[0], false);
	}
	return stop;
}

/* The warps that begin: of a CTA that was inactive, those that have never issued. */
static u64 beginning(const struct gpu *g, const struct event *ev)
{
	if (ev->type == EV_CTA_DISPATCH)
		return ev->arg[1];
	const s32 slot = gpu_cta_slot(g, (u32)ev->sm, (u32)ev->kernel, (u64)ev->cta);
	struct cta_info c = {0};
	if (slot >= 0)
		gpu_cta_info(g, (u32)ev->sm, (u32)slot, &c);
	return c.insts ? 0 : c.warps;
}

/* A barrier opens: who waited there is about to execute what follows, but for warps that have issued in this very
 * cycle. They are looked at with that: the one that came last, and those that went on at once. */
static bool code_release(struct break_set *s, struct breakpoint *b, struct gpu *g, const struct event *ev)
{
	const bool own = s->last_bar.cycle == ev->cycle && s->last_bar.sm == ev->sm;
	const u64 issued = gpu_issued_in(g, (u32)ev->sm, ev->cycle);
	return code_begins(s, b, g, ev, ev->arg[1] & ~issued & ~(own ? s->last_bar.arrived : 0));
}

static bool second_of_pair(struct break_set *s, const struct event *ev)
{
	bool second = s->last_issue.cycle == ev->cycle && s->last_issue.sm == ev->sm && s->last_issue.warp == ev->warp;
	s->last_issue.cycle = ev->cycle;
	s->last_issue.sm = ev->sm;
	s->last_issue.warp = ev->warp;
	return second;
}

static bool show(struct break_set *s, struct breakpoint *b, struct gpu *g, const struct event *ev, bool second)
{
	if (b->kind == BK_EVENT)
		return b->event == ev->type && event_filter_match(&b->filter, g, ev) && hit(s, b, ev, true);
	if (b->kind == BK_CODE && ev->type == EV_ISSUE)
		return code_issue(s, b, g, ev, second);
	if (b->kind == BK_CODE && (ev->type == EV_CTA_DISPATCH || ev->type == EV_CTA_SWAP_IN))
		return code_begins(s, b, g, ev, beginning(g, ev)); /* the first instruction has no issue before it */
	if (b->kind == BK_CODE && ev->type == EV_BARRIER_RELEASE)
		return code_release(s, b, g, ev);
	return false;
}

/* Warps at an SM's barriers in this cycle. An arrival is told before the opening. */
static void note_barrier(struct break_set *s, const struct event *ev)
{
	if (s->last_bar.cycle != ev->cycle || s->last_bar.sm != ev->sm)
		s->last_bar = (struct break_arrivals){.cycle = ev->cycle, .sm = ev->sm};
	if (ev->type == EV_BARRIER_ARRIVE)
		s->last_bar.arrived |= BIT(ev->warp);
	else
		s->last_bar.released |= ev->arg[1] & ~s->last_bar.arrived;
}

bool break_event(struct break_set *s, struct gpu *g, const struct event *ev)
{
	if (ev->type == EV_BARRIER_ARRIVE || ev->type == EV_BARRIER_RELEASE)
		note_barrier(s, ev);
	bool second = ev->type == EV_ISSUE && second_of_pair(s, ev);
	bool stop = false;
	if (!event_in(s->mask, ev->type))
		return false;
	for (u32 i = 0; i < s->n; i++)
		if (s->list[i]->enabled)
			stop |= show(s, s->list[i], g, ev, second);
	return stop;
}

void break_clear_hit(struct break_set *s)
{
	s->hit = (struct break_hit){0};
	s->also = 0;
}

static u64 next_of(const struct breakpoint *b, u64 from)
{
	switch (b->kind) {
	case BK_STAT: return ceil_div(from, b->stat.every) * b->stat.every;
	case BK_CYCLE:
	case BK_DIVERGE: return b->cycle >= from ? b->cycle : NEVER;
	default: return NEVER;
	}
}

u64 break_next_look(const struct break_set *s, u64 from)
{
	u64 next = NEVER;
	for (u32 i = 0; i < s->n; i++)
		if (s->list[i]->enabled && s->list[i]->kind == BK_STAT)
			next = MIN(next, next_of(s->list[i], from));
	return next;
}

u64 break_next_cycle(const struct break_set *s, u64 from)
{
	u64 next = NEVER;
	for (u32 i = 0; i < s->n; i++)
		if (s->list[i]->enabled)
			next = MIN(next, next_of(s->list[i], from));
	return next;
}

/* The SM whose statistic it is, -1 = none. */
static s32 sm_of(const struct breakpoint *b)
{
	const struct probe_path *p = &b->stat.path;
	bool of_sm = p->kind == PROBE_STALL || p->kind == PROBE_WARP || p->group <= CG_SM_LAST;
	return b->kind == BK_STAT && of_sm && p->instance != PROBE_ALL ? (s32)p->instance : -1;
}

bool break_at_cycle(struct break_set *s, struct gpu *g, u64 cycle)
{
	bool stop = false;
	for (u32 i = 0; i < s->n; i++) {
		struct breakpoint *b = s->list[i];
		struct event ev = {.cycle = cycle, .sm = sm_of(b), .kernel = -1, .cta = -1, .warp = -1};
		if (!b->enabled || next_of(b, cycle) != cycle)
			continue;
		if (b->kind != BK_STAT || crossing_look(&b->stat, g))
			stop |= hit(s, b, &ev, true);
	}
	return stop;
}

void break_moved(struct break_set *s, struct gpu *g)
{
	s->last_bar = (struct break_arrivals){0}; /* history may have forked: another one arrives in that cycle */
	for (u32 i = 0; i < s->n; i++) {
		struct breakpoint *b = s->list[i];
		nth_rewound(&b->nth);
		if (b->kind == BK_STAT)
			crossing_moved(&b->stat, g);
	}
}

u64 break_lead(const struct break_set *s)
{
	u64 lead = 0;
	for (u32 i = 0; i < s->n; i++)
		if (s->list[i]->kind == BK_STAT && s->list[i]->enabled)
			lead = MAX(lead, crossing_lead(&s->list[i]->stat));
	return lead;
}

bool break_ready(const struct break_set *s, u64 cycle)
{
	for (u32 i = 0; i < s->n; i++)
		if (s->list[i]->kind == BK_STAT && s->list[i]->enabled && !crossing_ready(&s->list[i]->stat, cycle))
			return false;
	return true;
}

void break_look(struct break_set *s, struct gpu *g, u64 cycle)
{
	for (u32 i = 0; i < s->n; i++) {
		struct breakpoint *b = s->list[i];
		if (b->kind == BK_STAT && b->enabled && next_of(b, cycle) == cycle)
			crossing_look(&b->stat, g);
	}
}

void break_forked(struct break_set *s, u64 cycle)
{
	for (u32 i = 0; i < s->n; i++)
		nth_fork(&s->list[i]->nth, cycle);
	for (u32 i = 0; i < s->n; i++)
		window_fork(&s->list[i]->stat.window, cycle);
}

/* --- where a line's code is --- */

static u32 pcs_of_line(const struct module *m, const struct func *f, u32 line, u32 *pcs, u32 max)
{
	u32 n = 0;
	for (u32 pc = f->entry; pc < f->end && n < max; pc++)
		if (m->code[pc].line == line && (pc == f->entry || m->code[pc - 1].line != line))
			pcs[n++] = pc;
	return n;
}

static u32 next_line_with_code(const struct module *m, const struct func *f, u32 line)
{
	u32 best = 0;
	for (u32 pc = f->entry; pc < f->end; pc++) {
		u32 l = m->code[pc].line;
		if (l >= line && (!best || l < best))
			best = l;
	}
	return best;
}

u32 break_line_pcs(const struct module *m, const struct func *fn, u32 *line, u32 *pcs, u32 max)
{
	u32 best = 0;
	const struct func *in = NULL;
	for (u32 i = 0; i < m->nfuncs; i++) {
		const struct func *f = &m->funcs[i];
		if (fn && f != fn)
			continue;
		u32 l = f->entry < f->end ? next_line_with_code(m, f, *line) : 0;
		if (l && (!best || l < best)) {
			best = l;
			in = f;
		}
	}
	if (!in)
		return 0;
	*line = best;
	return pcs_of_line(m, in, best, pcs, max);
}

u32 break_loc_pcs(const struct module *m, u32 file, u32 line, u32 *pcs, u32 max)
{
	u32 n = 0;
	for (u32 pc = 0; pc < m->ncode && n < max; pc++) {
		const struct inst *in = &m->code[pc];
		bool same_before = pc && m->code[pc - 1].src_line == line && m->code[pc - 1].src_file == file;
		if (in->src_line == line && in->src_file == file && !same_before)
			pcs[n++] = pc;
	}
	return n;
}
