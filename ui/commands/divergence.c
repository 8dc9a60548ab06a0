/* break divergence: two hidden machines that run ahead of the debugger's and tell where they first decide differently.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "compare.h"
#include "obs/diverge.h"

#define AHEAD 4096 /* cycles the hidden machines are taken further at a time: some ms */

struct shadow {
	u32 id; /* of the breakpoint */
	struct options opt;
	char *text; /* the other machine's options */
	struct compare *pair;
	bool over; /* nothing more to come: found, finished */
};
struct shadows {
	struct shadow **list;
	u32 n;
};

static void free_shadow(struct shadow *x)
{
	if (x->pair)
		compare_close(x->pair);
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

/* The session's options without what only a debugger has. */
static void shadow_options(struct shadow *x, const struct options *o)
{
	x->opt = *o;
	x->opt.command = "compare";
	x->opt.side[0] = "";
	x->opt.side[1] = x->text;
	x->opt.by = "cycles";
	x->opt.until = "first-divergence";
	x->opt.stats = x->opt.timeline = x->opt.trace = x->opt.script = NULL;
	x->opt.outs = x->opt.prints = NULL;
	x->opt.nouts = x->opt.nprints = 0;
	x->opt.commands = NULL;
	x->opt.ncommands = 0;
	x->opt.batch = x->opt.keep_going = false;
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
	b->cycle = MAX(f->side[0].cycle, f->side[1].cycle) + 1;
	compare_divergence_text(x->pair, &t);
	while (t.len && t.buf[t.len - 1] == '\n')
		t.buf[--t.len] = 0;
	free(b->note);
	b->note = xstrdup(skip_blanks(strbuf_str(&t)));
	strbuf_release(&t);
}

/* Takes a pair to `cycle`; false when it was interrupted. */
static bool take_to(struct shadow *x, struct breakpoint *b, u64 cycle)
{
	if (x->over)
		return true;
	if (!compare_advance(x->pair, cycle))
		return false;
	if (diverge_first(compare_divergence(x->pair))->found)
		note_found(x, b);
	else if (compare_ended(x->pair))
		x->over = true;
	return true;
}

/* From its beginning to the present. */
static bool catch_up(struct debugger *d, struct shadow *x, struct breakpoint *b, struct err *e)
{
	u64 now = sim_cycle(d->s->sim);
	for (u64 at = 0; at < now && !x->over; at = MIN(at + AHEAD, now))
		if (d->interrupt || !take_to(x, b, MIN(at + AHEAD, now)))
			return err_set(e, "break divergence: interrupted");
	return true;
}

static struct shadow *new_shadow(struct debugger *d, const char *options, struct err *e)
{
	struct shadow *x = xcalloc(1, sizeof *x);
	x->text = xstrdup(options);
	shadow_options(x, d->s->opt);
	x->pair = compare_open(&x->opt, e);
	if (x->pair)
		return x;
	free_shadow(x);
	return NULL;
}

struct breakpoint *divergence_break(struct debugger *d, const char *options, struct err *e)
{
	char what[300];
	if (!*options) {
		err_set(e, "break divergence: the other machine's options are expected, as in --warp-sched lrr");
		return NULL;
	}
	if (d->changed_by_hand) {
		err_set(e, "break divergence: this machine was changed by hand, so no other one can be set beside it");
		return NULL;
	}
	forget_deleted(d);
	struct shadow *x = new_shadow(d, options, e);
	if (!x)
		return NULL;
	snprintf(what, sizeof(what), "divergence %s", options);
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
		until = MIN(until, now + AHEAD);
		take_to(x, b, until);
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

void divergence_void(struct debugger *d)
{
	d->changed_by_hand = true;
	for (u32 i = 0; i < d->breaks.n; i++) {
		struct breakpoint *b = d->breaks.list[i];
		if (b->kind != BK_DIVERGE || !b->enabled)
			continue;
		b->enabled = false;
		debugger_log(d, LOG_ERROR, "breakpoint %u is off: the machine was changed by hand", b->id);
	}
}
