/* break divergence: two hidden machines that run ahead of the debugger's and tell where they first decide differently.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "dbg/divergence.h"
#include "dbg/focus.h"
#include "dbg/log.h"
#include "session/cmdline.h"
#include "session/lockstep.h"

/* Cycles of this machine that the hidden ones are taken further at a time: some ms. */
#define AHEAD 4096
#define AHEAD_ORDER 512 /* when not by cycles: as far as this machine might come in so many */

struct shadow {
	u32 id; /* of the breakpoint */
	enum lockstep_by by;
	const volatile bool *interrupt; /* the debugger's */
	struct options opt;
	char *text; /* the other machine's options */
	struct compare *pair;
	bool over;            /* nothing more to come: found, finished */
	struct strbuf why[2]; /* once found: what each scheduler said of its decision */
};
struct shadows {
	struct shadow **list;
	u32 n;
};

static void free_shadow(struct shadow *x)
{
	if (x->pair)
		compare_close(x->pair);
	strbuf_release(&x->why[0]);
	strbuf_release(&x->why[1]);
	free(x->text);
	free(x);
}

void divergence_release(struct debugger *d)
{
	for (u32 i = 0; d->shadows && i < d->shadows->n; i++)
		free_shadow(d->shadows->list[i]);
	if (d->shadows)
		free(d->shadows->list);
	free(d->shadows);
	d->shadows = NULL;
}

static void shadow_options(struct shadow *x, const struct options *o)
{
	x->opt = compare_beside(o);
	x->opt.command = "compare";
	x->opt.side[0] = "";
	x->opt.side[1] = x->text;
	x->opt.by = lockstep_names[x->by];
	x->opt.until = "first-divergence";
}

static void forget_deleted(struct debugger *d)
{
	for (u32 i = d->shadows ? d->shadows->n : 0; i-- > 0;)
		if (!break_find(&d->breaks, d->shadows->list[i]->id)) {
			free_shadow(d->shadows->list[i]);
			d->shadows->list[i] = d->shadows->list[--d->shadows->n];
		}
}

static void note_found(struct shadow *x, struct breakpoint *b)
{
	struct strbuf t = STRBUF_INIT;
	const struct divergence *f = diverge_first(compare_divergence(x->pair));
	x->over = true;
	b->cycle = f->side[0].cycle + 1; /* this machine's; the other one's differs when not by cycles */
	compare_divergence_text(x->pair, &t);
	compare_explain(x->pair, x->interrupt, x->why);
	for (u32 i = 0; i < 2; i++) {
		const char *why = strbuf_str(&x->why[i]);
		if (*why)
			strbuf_addf(&t, "    %c's scheduler before: %s\n", "AB"[i], why);
	}
	while (t.len && t.buf[t.len - 1] == '\n')
		t.buf[--t.len] = 0;
	free(b->note);
	b->note = xstrdup(skip_blanks(strbuf_str(&t)));
	strbuf_release(&t);
}

/* Takes a pair to `at`; false when it was interrupted. */
static bool take_to(struct shadow *x, struct breakpoint *b, u64 at)
{
	if (x->over)
		return true;
	if (!compare_advance(x->pair, at))
		return false;
	if (diverge_first(compare_divergence(x->pair))->found)
		note_found(x, b);
	else if (compare_ended(x->pair))
		x->over = true;
	return true;
}

/* How far ahead of this machine at `cycles` cycles from now the hidden ones must be, at least. */
static u64 ahead(struct debugger *d, enum lockstep_by by, u64 cycles)
{
	const struct conf *c = gpu_conf(dbg_gpu(d));
	u64 at = lockstep_position(d->s->sim, by);
	switch (by) {
	case LOCKSTEP_CYCLES: return at + cycles;
	case LOCKSTEP_INSTS: /* twice the slots: some instructions take none */
		return at + cycles * c->num_sms * c->sm_schedulers * c->sm_issue_width * 2;
	case LOCKSTEP_CTAS:
	default: return at + 2ull * c->num_sms * c->sm_ctas;
	}
}

/* From its beginning to the present; not by cycles, so far that what this machine has decided by now is compared. */
static bool catch_up(struct debugger *d, struct shadow *x, struct breakpoint *b, struct err *e)
{
	u64 now = sim_cycle(d->s->sim) ? ahead(d, x->by, 0) : 0, step = x->by == LOCKSTEP_INSTS ? 16 * AHEAD : AHEAD;
	for (u64 at = 0; at < now && !x->over; at = MIN(at + step, now))
		if (d->run.interrupt || !take_to(x, b, MIN(at + step, now)))
			return err_set(e, "break divergence: interrupted");
	return true;
}

static struct shadow *new_shadow(struct debugger *d, const char *options, enum lockstep_by by, struct err *e)
{
	struct shadow *x = xcalloc(1, sizeof *x);
	x->by = by;
	x->interrupt = &d->run.interrupt;
	x->text = xstrdup(options);
	shadow_options(x, d->s->opt);
	x->pair = compare_open(&x->opt, d->s->modules, e);
	if (x->pair)
		return x;
	free_shadow(x);
	return NULL;
}

struct breakpoint *divergence_break(struct debugger *d, const char *options, enum lockstep_by by, struct err *e)
{
	char what[300];
	if (!*options) {
		err_set(e, "break divergence: the other machine's options are expected, as in --warp-sched lrr");
		return NULL;
	}
	if (d->travel.changed_by_hand) {
		err_set(e, "break divergence: this machine was changed by hand, so no other one can be set beside it");
		return NULL;
	}
	forget_deleted(d);
	struct shadow *x = new_shadow(d, options, by, e);
	if (!x) {
		cmdline_name_side(e, "break divergence");
		return NULL;
	}
	if (by == LOCKSTEP_CYCLES)
		snprintf(what, sizeof(what), "divergence %s", options);
	else
		snprintf(what, sizeof(what), "divergence by %s %s", lockstep_names[by], options);
	struct breakpoint *b = break_new_divergence(&d->breaks, what);
	x->id = b->id;
	if (!catch_up(d, x, b, e)) {
		d->breaks.next_id--;
		break_delete(&d->breaks, b->id);
		free_shadow(x);
		return NULL;
	}
	if (!d->shadows)
		d->shadows = xcalloc(1, sizeof *d->shadows);
	d->shadows->list = xrealloc(d->shadows->list, (d->shadows->n + 1) * sizeof(x));
	d->shadows->list[d->shadows->n++] = x;
	return b;
}

u64 divergence_ahead(struct debugger *d, u64 until, struct strbuf *out)
{
	u64 now = sim_cycle(d->s->sim);
	if (!d->shadows)
		return until;
	forget_deleted(d);
	for (u32 i = 0; i < d->shadows->n; i++) {
		struct shadow *x = d->shadows->list[i];
		struct breakpoint *b = break_find(&d->breaks, x->id);
		if (x->over || !b->enabled)
			continue;
		u64 cycles = MIN(until - now, x->by == LOCKSTEP_CYCLES ? AHEAD : AHEAD_ORDER);
		until = now + cycles;
		take_to(x, b, ahead(d, x->by, cycles));
		if (x->over && b->cycle == NEVER)
			strbuf_addf(out, "Breakpoint %u: both machines come to their end without a different decision.\n", b->id);
		if (b->cycle > now)
			until = MIN(until, b->cycle);
	}
	return until;
}

void divergence_focus(struct debugger *d, const struct breakpoint *b)
{
	for (u32 i = 0; d->shadows && i < d->shadows->n; i++) {
		const struct shadow *x = d->shadows->list[i];
		const struct decision *mine = &diverge_first(compare_divergence(x->pair))->side[0];
		if (x->id == b->id && b->cycle != NEVER)
			debugger_focus(d, mine->sm, mine->warp >= 0 ? (u32)mine->warp : d->focus.warp, NULL);
	}
}

enum divergence_state divergence_state(struct debugger *d, u32 id, const struct divergence **first, const char *why[2])
{
	const struct breakpoint *b = break_find(&d->breaks, id);
	for (u32 i = 0; b && d->shadows && i < d->shadows->n; i++) {
		const struct shadow *x = d->shadows->list[i];
		if (x->id != id)
			continue;
		*first = diverge_first(compare_divergence(x->pair));
		for (u32 k = 0; k < 2; k++)
			why[k] = x->why[k].len ? x->why[k].buf : "";
		if ((*first)->found)
			return DIVERGENCE_FOUND;
		return x->over ? DIVERGENCE_NONE : b->enabled ? DIVERGENCE_SOUGHT : DIVERGENCE_OFF;
	}
	return DIVERGENCE_OFF;
}

void divergence_void(struct debugger *d)
{
	for (u32 i = 0; i < d->breaks.n; i++) {
		struct breakpoint *b = d->breaks.list[i];
		if (b->kind != BK_DIVERGE || !b->enabled)
			continue;
		b->enabled = false;
		debugger_log(d, LOG_ERROR, "breakpoint %u is off: the machine was changed by hand", b->id);
	}
}
