/* info topics about a kernel's code: phases, program points, control words, idempotence */
#include <stdio.h>
#include <stdlib.h>

#include "base/words.h"
#include "commands/commands.h"
#include "dbg/locate.h"
#include "obs/name/names.h"
#include "obs/stats/restart_record.h"
#include "passes/idempotence.h"
#include "passes/phases.h"
#include "passes/points.h"

struct code {
	const struct module *m;
	const struct func *f;
};

/* The kernel (or function) named, else the focused warp's kernel, else the newest launch's. */
/* What is not supported leaves holes in the code: no analysis of it would say anything. */
static bool analysable(const struct code *c, const char *topic, struct err *e)
{
	char *why = func_unsupported(c->m, c->f);
	if (why)
		err_set(e, "info %s: %s is not analysed, since it cannot be launched: %s", topic, func_label(c->f), why);
	free(why);
	return !why;
}

static bool find_code(struct debugger *d, const char *topic, const char *args, struct code *c, struct err *e)
{
	char name[256];
	struct module *m = NULL;
	const char *rest = next_word(args, name, sizeof(name));
	if (rest) {
		if (*rest)
			return err_set(e, "info %s: '%.40s' is left over after the kernel's name", topic, rest);
		c->f = find_func(d, name, &m);
		c->m = m;
		return c->f ? analysable(c, topic, e)
		            : err_set(e, "info %s: there is no kernel '%s' with code in the loaded modules", topic, name);
	}
	u32 n = gpu_num_kernels(dbg_gpu(d));
	debugger_refresh_focus(d);
	if (!n)
		return err_set(e, "info %s: no kernel has been launched yet; name one", topic);
	bool focused = d->focus.kernel >= 0 && (u32)d->focus.kernel < n;
	const struct launch *l = gpu_launched(dbg_gpu(d), focused ? (u32)d->focus.kernel : n - 1);
	*c = (struct code){.m = l->mod, .f = l->fn};
	return true;
}

static void title(const struct code *c, const char *what, struct strbuf *out)
{
	strbuf_addf(out, "%s (", func_label(c->f));
	line_place(c->m, c->f->entry, out);
	strbuf_addf(out, "), %u instruction%s: %s\n", c->f->end - c->f->entry, plural(c->f->end - c->f->entry), what);
}

static u32 line_of(const struct code *c, u32 pc)
{
	return module_pc_line(c->m, pc);
}

/* The instruction's text, ended. */
static void text_of(const struct code *c, u32 pc, struct strbuf *out)
{
	line_text(c->m, pc, out);
	strbuf_addc(out, '\n');
}

/* First and last PTX line of the instructions [begin, end), which need not stand in the order of their lines. */
static void line_range(const struct code *c, u32 begin, u32 end, char *text, size_t size)
{
	u32 first = line_of(c, begin), last = first;
	for (u32 pc = begin; pc < end; pc++) {
		first = MIN(first, line_of(c, pc));
		last = MAX(last, line_of(c, pc));
	}
	snprintf(text, size, "%u-%u", first, last);
}

static void phase_row(const struct code *c, const struct phase *p, u32 number, struct strbuf *out)
{
	char lines[32], pcs[32];
	line_range(c, p->begin, p->end, lines, sizeof(lines));
	snprintf(pcs, sizeof(pcs), "%u-%u", p->begin, p->end - 1);
	strbuf_addf(out, "%5u  %5u  %-11s  %-11s  %5u  %5u  %7u  ", number, p->block, lines, pcs, p->end - p->begin,
	            p->longs, p->length);
	if (p->waits_for == PHASE_AT_BLOCK)
		strbuf_adds(out, "-\n");
	else
		strbuf_addf(out, "result of line %u\n", line_of(c, p->waits_for));
}

bool info_phases(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct code c;
	struct phase_params par;
	struct phases ph;
	if (!find_code(d, "phases", args, &c, e))
		return false;
	phase_params_of(&par, gpu_conf(dbg_gpu(d)));
	phases_find(&ph, c.m, c.f, &par);
	title(&c, "phases, lengths in cycles", out);
	strbuf_addf(out, "phase  block  %-11s  %-11s  insts   long   length  waits for\n", "lines", "pcs");
	for (u32 i = 0; i < ph.n; i++)
		phase_row(&c, &ph.list[i], i, out);
	strbuf_adds(out,
	            gpu_conf(dbg_gpu(d))->schedule == SCHEDULE_NONE
	                ? "In the order of the PTX text (schedule=none): scheduled code would have fewer, longer phases.\n"
	                : "In the order of list scheduling: a phase's lines need not be neighbours in the text.\n");
	if (par.through_blocks)
		strbuf_adds(out, "Basic blocks begin no phase (phases.blocks=false).\n");
	phases_release(&ph);
	return true;
}

static void point_row(const struct code *c, const struct point *x, struct strbuf *out)
{
	strbuf_addf(out, "%6u  %6u  %-6s  %5u  %6u  ", line_of(c, x->pc), x->pc, x->branch ? "branch" : "load", x->score,
	            x->merged);
	text_of(c, x->pc, out);
}

static void far(char *text, size_t size, u32 distance, u32 max)
{
	snprintf(text, size, distance >= max ? "none" : "%u", distance);
}

static void branch_row(const struct code *c, const struct point_branch *b, u32 max, struct strbuf *out)
{
	char taken[16], next[16];
	far(taken, sizeof(taken), b->taken, max);
	far(next, sizeof(next), b->next, max);
	strbuf_addf(out, "%6u  %6u  %6s  %6s  %-11s  ", line_of(c, b->pc), b->pc, taken, next,
	            b->recalculate ? "taken" : "not taken");
	text_of(c, b->pc, out);
}

bool info_points(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct code c;
	struct points p;
	const struct point_params par = POINT_PARAMS_PAPER;
	if (!find_code(d, "points", args, &c, e))
		return false;
	points_find(&p, c.m, c.f, &par);
	title(&c, "program points for earliest load first", out);
	strbuf_addf(out, "%u found, %u branch%s without meaning removed, %u after merging to %u%s\n", p.found,
	            p.meaningless, by_number(p.meaningless, "", "es"), p.n, par.max_points,
	            p.fits ? "" : " (no more can be merged: the hardware cannot hold them)");
	if (p.n)
		strbuf_adds(out, "  line      pc  kind    score  merged  instruction\n");
	for (u32 i = 0; i < p.n; i++)
		point_row(&c, &p.list[i], out);
	if (p.nbranches)
		strbuf_adds(out, "branches: instructions to the next load either way, when the priority is computed anew\n"
		                 "  line      pc   taken    next  when         instruction\n");
	for (u32 i = 0; i < p.nbranches; i++)
		branch_row(&c, &p.branches[i], p.max_score, out);
	points_release(&p);
	return true;
}

static void control_row(const struct code *c, u32 pc, const struct control_word *w, struct strbuf *out)
{
	char text[CONTROL_TEXT];
	control_text(w, text);
	strbuf_addf(out, "%6u  %6u  %s  %5u  %5u  %6u  ", line_of(c, pc), pc, text, w->reads[0], w->reads[1],
	            w->reused[0] + w->reused[1]);
	text_of(c, pc, out);
}

bool info_control(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct code c;
	if (!find_code(d, "control", args, &c, e))
		return false;
	struct control_word *w = gpu_control_words(dbg_gpu(d), c.m);
	if (!w) {
		strbuf_adds(out,
		            "This machine has a scoreboard instead. One with sm.unit_sets=scheduler can be started with --set "
		            "sm.dependences=counters.\n");
		return true;
	}
	title(&c, "control words", out);
	strbuf_adds(out, "  line      pc  waits:read:write:stall  bank0  bank1  reused  instruction\n");
	for (u32 pc = c.f->entry; pc < c.f->end; pc++)
		control_row(&c, pc, &w[pc], out);
	strbuf_adds(out, "B: counters that must be 0. R, W: the counter raised until the registers are read, the result is "
	                 "there. S: cycles to the warp's next instruction; 00 takes no slot.\n");
	free(w);
	return true;
}

static void idem_row(const struct code *c, const struct idem_point *x, struct strbuf *out)
{
	char reads[16] = "-";
	if (x->reads != IDEM_NO_PC)
		snprintf(reads, sizeof(reads), "%u", line_of(c, x->reads));
	strbuf_addf(out, "%6u  %6u  %-15s  %7s  ", line_of(c, x->pc), x->pc, idem_cause_names[x->cause], reads);
	text_of(c, x->pc, out);
}

/* The PTX lines of the kernel at which a point may lie behind the warp, as ranges over the lines with code. */
static void lines_behind(const struct code *c, const struct idempotence *r, struct strbuf *out)
{
	enum { NO_CODE, CLEAN, BEHIND };
	u8 *of = xcalloc(c->m->nlines + 2, 1);
	u32 shown = 0;
	for (u32 pc = r->entry; pc < c->f->end; pc++) {
		u8 now = r->may_follow[pc - r->entry] ? BEHIND : CLEAN;
		of[line_of(c, pc)] = MAX(of[line_of(c, pc)], now);
	}
	for (u32 line = 1; line <= c->m->nlines; line++) {
		u32 from = line, to = line;
		for (; line <= c->m->nlines && of[line] != CLEAN; line++)
			to = of[line] == BEHIND ? line : to;
		while (from < to && of[from] == NO_CODE)
			from++;
		if (of[from] != BEHIND)
			continue;
		strbuf_addf(out, from == to ? "%s%u" : "%s%u-%u", shown++ ? ", " : "", from, to);
	}
	if (!shown)
		strbuf_adds(out, "none");
	free(of);
}

/* The launch that stands for the function's kernel, or NULL: never launched. */
static const struct launch *launch_of(struct debugger *d, const struct func *f)
{
	for (u32 i = 0; i < gpu_num_kernels(dbg_gpu(d)); i++)
		if (gpu_launched(dbg_gpu(d), i)->fn == f)
			return gpu_launched(dbg_gpu(d), i);
	return NULL;
}

static void record_counts(const struct restart_record *r, struct strbuf *out)
{
	strbuf_addf(out,
	            "%llu CTA%s ended: %llu idempotent, %llu with an overwrite, %llu with an atomic, %llu with printf, "
	            "%llu unknown.\n",
	            (unsigned long long)r->ended, by_number(r->ended, " has", "s have"), (unsigned long long)r->idempotent,
	            (unsigned long long)r->overwrote, (unsigned long long)r->atomic, (unsigned long long)r->printed,
	            (unsigned long long)r->unknown);
	if (r->measured)
		strbuf_addf(out, "Restartable for %.1f %% of a CTA's instructions, %.1f %% of its cycles (mean).\n",
		            100 * r->insts_share, 100 * r->time_share);
	if (r->resident)
		strbuf_addf(out, "%llu CTA%s resident, %llu of them restartable now.\n", (unsigned long long)r->resident,
		            by_number(r->resident, " is", "s are"), (unsigned long long)r->resident_idempotent);
}

static void record_places(const struct code *c, const struct restart_record *r, struct strbuf *out)
{
	if (r->nplaces)
		strbuf_adds(out, "  line      pc  cause             times  CTAs first  static  instruction\n");
	for (u32 i = 0; i < r->nplaces; i++) {
		const struct restart_place *p = &r->place[i];
		strbuf_addf(out, "%6u  %6u  %-12s %10llu  %10llu  %-6s  ", line_of(c, p->pc), p->pc,
		            restart_cause_names[p->cause], (unsigned long long)p->times, (unsigned long long)p->firsts,
		            p->announced ? "yes" : "NO");
		text_of(c, p->pc, out);
	}
	if (r->places_lost)
		strbuf_addf(out, "%llu more at places that the record has no room for.\n", (unsigned long long)r->places_lost);
	if (r->unannounced)
		strbuf_addf(out, "%u of these places are not among the static check's: it was wrong here.\n", r->unannounced);
	else if (r->nplaces)
		strbuf_adds(out, "The static check had announced every one.\n");
	if (r->false_alarm)
		strbuf_adds(out, "So far the static check was too careful: every CTA was idempotent to its end.\n");
}

/* What the run has shown so far, beside what the code says. */
static void add_record(struct debugger *d, const struct code *c, struct strbuf *out)
{
	const struct launch *l = launch_of(d, c->f);
	struct restart_record r;
	strbuf_adds(out, "Executed: ");
	if (!gpu_conf(dbg_gpu(d))->idem_track) {
		strbuf_adds(out, "not recorded (`run --set idempotence.track=true` starts again with it; on the command line: "
		                 "--dynamic-idempotence).\n");
		return;
	}
	if (!l) {
		strbuf_adds(out, "never launched.\n");
		return;
	}
	restart_record_of(&r, dbg_gpu(d), l);
	record_counts(&r, out);
	record_places(c, &r, out);
	restart_record_release(&r);
}

bool info_idempotence(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct code c;
	struct idempotence r;
	const struct idem_params par = {.params_may_alias = false};
	if (!find_code(d, "idempotence", args, &c, e) || !idempotence_find(&r, c.m, c.f, &par, e))
		return false;
	title(&c, r.idempotent ? "idempotent, a CTA may be restarted at any time" : "not idempotent", out);
	if (!r.idempotent) {
		strbuf_adds(out, "  line      pc  cause            read at  instruction\n");
		for (u32 i = 0; i < r.npoints; i++)
			idem_row(&c, &r.list[i], out);
		strbuf_addf(out,
		            "%u of %u instructions lie before all of these; a CTA whose warps are all there may be restarted.\n"
		            "Behind one of them: lines ",
		            r.clean, c.f->end - c.f->entry);
		lines_behind(&c, &r, out);
		strbuf_addc(out, '\n');
	}
	strbuf_adds(out, "Found by buffer, not by index; different pointer parameters are taken for different buffers.\n");
	add_record(d, &c, out);
	idempotence_release(&r);
	return true;
}
