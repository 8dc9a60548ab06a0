#include "dbg/debugger.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "script/dbg.h"
#include "dbg/hooks.h"
#include "obs/name/names.h"
#include "views/offscreen.h"
#include "scr/palette.h"

/* What the log records unless `set log` says otherwise: rare, and worth a line each. */
#define LOG_DEFAULT                                                                                                    \
	(BIT(EV_KERNEL_LAUNCH) | BIT(EV_KERNEL_START) | BIT(EV_KERNEL_DONE) | BIT(EV_FAULT) | BIT(EV_DEADLOCK) |           \
	 BIT(EV_WARP_STARVED))

struct debugger *debugger_new(struct session *s)
{
	struct debugger *d = xcalloc(1, sizeof(*d));
	d->s = s;
	d->subscription = -1;
	d->next_display = 1;
	d->log.line = xcalloc(LOG_LINES, sizeof(*d->log.line));
	d->log_mask = LOG_DEFAULT;
	d->taxonomy = TAX_BASE;
	d->palette = (u32)palette_find(s->opt->palette ? s->opt->palette : "auto");
	d->x_fmt = 'x';
	d->x_size = 'w';
	d->goal.fn = LUA_NOREF;
	break_init(&d->breaks);
	d->breaks.cond = lua_dbg_condition;
	d->breaks.cond_ctx = d;
	lua_dbg_attach(d);
	debugger_resubscribe(d);
	debugger_refresh_focus(d);
	return d;
}

static void queue_clear(struct command_queue *q)
{
	for (u32 i = 0; i < q->n; i++)
		free(q->line[q->first + i].text);
	q->first = q->n = 0;
}

void debugger_free(struct debugger *d)
{
	if (!d)
		return;
	if (d->subscription >= 0 && d->subscribed_to && d->subscribed_to == d->s->sim)
		sim_unsubscribe(d->s->sim, d->subscription);
	goal_clear(d);
	lua_dbg_release(d);
	offscreen_close(d);
	travel_release(d);
	record_end(d, NULL);
	while (d->nwatches)
		watch_delete(d, &d->watches[d->nwatches - 1]);
	break_release(&d->breaks);
	rival_close(d);
	restart_release(d);
	divergence_release(d);
	aliases_release(d);
	cuda_text_release(&d->cuda);
	for (u32 i = 0; i < d->ndisplays; i++)
		free(d->displays[i].expr);
	free(d->watches);
	free(d->displays);
	free(d->log.line);
	queue_clear(&d->queue);
	free(d->queue.line);
	strbuf_release(&d->collect.text);
	strbuf_release(&d->errors);
	free(d);
}

void debugger_resubscribe(struct debugger *d)
{
	struct sim *sim = d->s->sim;
	u64 mask = break_mask(&d->breaks) | watches_mask(d) | lua_dbg_mask(d) | d->log_mask | d->record_mask;
	if (!sim)
		return;
	if (d->subscribed_to != sim || d->subscription < 0) {
		d->subscription = sim_subscribe(sim, mask, debugger_on_event, d);
		d->subscribed_to = sim;
	} else {
		sim_resubscribe(sim, d->subscription, mask);
	}
	lua_hooks_bind(d);
}

void debugger_interrupt(struct debugger *d)
{
	d->interrupt = true;
	lua_interrupt();
	if (d->subscribed_to)
		sim_interrupt(d->subscribed_to);
	if (d->rival)
		rival_interrupt(d->rival);
}

void debugger_clear_interrupt(struct debugger *d)
{
	if (!d->in_script) { /* it is for the script as well as for what the script has run: that must not take it */
		d->interrupt = false;
		lua_interrupt_clear();
	}
	if (d->subscribed_to)
		sim_clear_interrupt(d->subscribed_to);
	if (d->rival && d->rival->s)
		sim_clear_interrupt(d->rival->s->sim);
}

/* --- log ---------------------------------------------------------------------------------------------------------- */

static void log_text(struct debugger *d, enum log_kind k, const char *text, size_t n)
{
	struct log_line *l = &d->log.line[d->log.total++ % LOG_LINES];
	l->cycle = d->s->sim ? sim_cycle(d->s->sim) : 0;
	l->kind = k;
	snprintf(l->text, sizeof(l->text), "%.*s", (int)MIN(n, sizeof(l->text) - 1), text);
}

void debugger_log(struct debugger *d, enum log_kind k, const char *fmt, ...)
{
	char text[4096];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");
		log_text(d, k, p, n);
		p += n + (p[n] == '\n');
	}
}

/* --- focus -------------------------------------------------------------------------------------------------------- */

void debugger_refresh_focus(struct debugger *d)
{
	struct focus *f = &d->focus;
	f->kernel = -1;
	f->cta_slot = -1;
	f->cta = -1;
	if (!d->s->sim)
		return;
	struct warp_info w;
	gpu_warp_info(dbg_gpu(d), f->sm, f->warp, &w);
	if (w.state == WS_NONE || w.launch < 0)
		return;
	f->kernel = w.launch;
	f->cta_slot = (s32)w.cta_slot;
	f->cta = (s64)w.cta;
}

bool debugger_focus(struct debugger *d, u32 sm, u32 warp, struct err *e)
{
	u32 sms = gpu_conf(dbg_gpu(d))->num_sms, warps = gpu_warps_per_sm(dbg_gpu(d));
	if (sm >= sms)
		return err_set(e, "SM %u does not exist (0..%u)", sm, sms - 1);
	if (warp >= warps)
		return err_set(e, "warp slot %u does not exist (0..%u)", warp, warps - 1);
	if (d->focus.sm != sm || d->focus.warp != warp)
		d->list_line = 0;
	d->focus.sm = sm;
	d->focus.warp = warp;
	debugger_refresh_focus(d);
	return true;
}

/* Cuts what was appended after byte `from` to so many columns, marked by "...". */
static void clip(struct strbuf *out, size_t from, u32 columns)
{
	if (out->len - from <= columns || columns < 4)
		return;
	size_t n = from + columns - 3;
	while (n > from && (out->buf[n] & 0xc0) == 0x80) /* not within a UTF-8 character */
		n--;
	out->len = n;
	strbuf_adds(out, "...");
}

/* What a small screen has room for; the rest is in its views. */
static void brief_place(struct debugger *d, const struct warp_info *w, const struct kernel_info *k, struct strbuf *out)
{
	size_t from = out->len;
	strbuf_addf(out, "cycle %llu, SM %u warp %u, CTA %llu of %s: ", (unsigned long long)gpu_cycle(dbg_gpu(d)),
	            d->focus.sm, d->focus.warp, (unsigned long long)w->cta, k->label);
	if (w->pc == PC_DONE || w->pc >= k->launch->mod->ncode) {
		strbuf_adds(out, warp_state_descs[w->state].name);
	} else {
		strbuf_addf(out, "%u ", module_pc_line(k->launch->mod, w->pc));
		line_text(k->launch->mod, w->pc, out);
	}
	clip(out, from, d->brief);
	strbuf_addc(out, '\n');
}

void debugger_show_place(struct debugger *d, struct strbuf *out)
{
	struct warp_info w;
	struct kernel_info k;
	const struct focus *f = &d->focus;
	struct gpu *g = dbg_gpu(d);
	gpu_warp_info(g, f->sm, f->warp, &w);
	if (w.state == WS_NONE || w.launch < 0) {
		strbuf_addf(out, "cycle %llu, SM %u warp %u: empty\n", (unsigned long long)gpu_cycle(g), f->sm, f->warp);
		return;
	}
	gpu_kernel_info(g, (u32)w.launch, &k);
	if (d->brief) {
		brief_place(d, &w, &k, out);
		return;
	}
	strbuf_addf(out, "cycle %llu, SM %u warp %u, CTA %llu of %s, lane %u: %s", (unsigned long long)gpu_cycle(g), f->sm,
	            f->warp, (unsigned long long)w.cta, k.label, f->lane, warp_state_descs[w.state].name);
	if (*w.waits)
		strbuf_addf(out, " (%s)", w.waits);
	strbuf_addc(out, '\n');
	if (w.pc == PC_DONE || w.pc >= k.launch->mod->ncode)
		return;
	strbuf_addf(out, "%u\t", module_pc_line(k.launch->mod, w.pc));
	line_text(k.launch->mod, w.pc, out);
	strbuf_addc(out, '\n');
}

/* --- queue of commands ----------------------------------------------------------------------------------------------
 */

static u32 count_lines(const char *text)
{
	u32 n = 0;
	for (; *text; n++) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return n;
}

/* Room for n lines in front of the queue's first. */
static void queue_make_room(struct command_queue *q, u32 n)
{
	if (q->first >= n)
		return;
	u32 cap = q->n + n + 16;
	struct queued_line *line = xcalloc(cap, sizeof(*line));
	for (u32 i = 0; i < q->n; i++)
		line[n + i] = q->line[q->first + i];
	free(q->line);
	q->line = line;
	q->first = n;
	q->cap = cap;
}

void debugger_queue_text(struct debugger *d, const char *text, const char *where)
{
	struct command_queue *q = &d->queue;
	u32 n = count_lines(text);
	queue_make_room(q, n);
	q->first -= n;
	q->n += n;
	for (u32 i = 0; i < n; i++) {
		struct queued_line *l = &q->line[q->first + i];
		size_t len = strcspn(text, "\n");
		l->text = xstrndup(text, len);
		l->depth = q->depth;
		l->scripted = d->scripted;
		l->of_start = d->starting;
		if (n > 1 || !strncmp(where, "breakpoint", 10))
			snprintf(l->where, sizeof(l->where), "%.80s:%u", where, i + 1);
		else
			snprintf(l->where, sizeof(l->where), "%.94s", where);
		text += len + (text[len] == '\n');
	}
}

#define FILES_DEEP 1000u

/* Forgets what is left of command files at the queue's front; what was queued before them stays. */
static void drop_files(struct command_queue *q)
{
	for (; q->n && q->line[q->first].depth; q->n--)
		free(q->line[q->first++].text);
}

bool debugger_queue_file(struct debugger *d, const char *text, const char *path, struct err *e)
{
	struct command_queue *q = &d->queue;
	if (q->depth >= FILES_DEEP) {
		drop_files(q); /* each of a thousand files would go on to its next `source`: that has no end either */
		return err_set(e, "source: %s: files nested more than %u deep (does the file source itself?)", path,
		               FILES_DEEP);
	}
	q->depth++;
	debugger_queue_text(d, text, path);
	q->depth--;
	return true;
}

/* Forgets what would have followed a line that failed: all of it in batch mode, else up to the next of those that the
 * session starts with (a mistake in ~/.warpdbgrc is no reason to leave out -ex). False: there was nothing. */
static bool drop_rest(struct debugger *d)
{
	struct command_queue *q = &d->queue;
	const u32 before = q->n;
	for (; q->n && (d->s->opt->batch || !q->line[q->first].of_start); q->n--)
		free(q->line[q->first++].text);
	return q->n < before;
}

/* Executes the queue's first line; its error is reported to out and, unless keep_going, drops the rest. */
static void queue_step(struct debugger *d, struct strbuf *out)
{
	struct command_queue *q = &d->queue;
	struct queued_line l = q->line[q->first++];
	struct err e = {0};
	q->n--;
	if (!q->n)
		q->first = 0;
	if (d->echo)
		strbuf_addf(out, "%s%s\n", debugger_prompt(d), l.text);
	q->depth = l.depth;
	d->scripted += l.scripted;
	bool ok = debugger_execute(d, l.text, out, &e);
	d->scripted -= l.scripted;
	q->depth = 0;
	if (!ok) {
		struct strbuf *to = d->split_errors ? &d->errors : out;
		if (*l.where)
			strbuf_addf(to, "%s: ", l.where);
		bool dropped = !d->keep_going && drop_rest(d) && l.depth && !d->s->opt->batch;
		strbuf_addf(to, "error: %s%s\n", e.msg, dropped ? " (the rest of the file is left out)" : "");
		debugger_log(d, LOG_ERROR, "%s", e.msg);
		d->failed = true;
	}
	free(l.text);
}

/* Is something left to do? */
static bool busy(struct debugger *d)
{
	return d->goal.kind != GOAL_NONE || d->queue.n || rival_behind(d);
}

static void drop_interrupted(struct debugger *d, struct strbuf *out)
{
	if (!d->interrupt || !d->queue.n)
		return;
	queue_clear(&d->queue);
	strbuf_adds(out, "Interrupted: the remaining queued commands are dropped.\n");
}

/* An interrupt that has stopped this machine is answered: the one beside it still comes to the same place. */
static void pursue_goal(struct debugger *d, u64 max_cycles, struct strbuf *out)
{
	goal_slice(d, max_cycles, out);
	if (!d->rival || d->goal.kind != GOAL_NONE)
		return;
	drop_interrupted(d, out);
	debugger_clear_interrupt(d);
}

/* The machine beside this one runs alone; but an interrupt is this one's first. */
static bool is_rivals_turn(struct debugger *d)
{
	return d->rival && d->rival->turn == RIVAL_ALONE && !d->interrupt && rival_behind(d);
}

enum run_state debugger_run_slice(struct debugger *d, u64 max_cycles, struct strbuf *out)
{
	drop_interrupted(d, out);
	if (d->goal.kind != GOAL_NONE && !is_rivals_turn(d))
		pursue_goal(d, max_cycles, out);
	else if (d->goal.kind == GOAL_NONE && d->queue.n && d->state != DBG_QUIT && !rival_behind(d))
		queue_step(d, out);
	if (d->state == DBG_QUIT)
		return DBG_QUIT;
	if (d->rival && (d->goal.kind == GOAL_NONE || d->rival->turn != RIVAL_WAITS))
		rival_slice(d, max_cycles, out);
	if (busy(d))
		return d->state = DBG_RUNNING;
	debugger_clear_interrupt(d);
	return d->state = d->rest;
}

/* --- executing a line
 * ------------------------------------------------------------------------------------------------- */

const char *debugger_prompt(const struct debugger *d)
{
	return d->collect.kind == COLLECT_NONE ? "(wd) " : "> ";
}

bool debugger_drop_collect(struct debugger *d)
{
	bool any = d->collect.kind != COLLECT_NONE;
	d->collect.kind = COLLECT_NONE;
	d->collect.scripted = false;
	strbuf_clear(&d->collect.text);
	return any;
}

static bool collect_commands(struct debugger *d, const char *line, struct err *e)
{
	d->collect.scripted |= d->scripted;
	if (strcmp(skip_blanks(line), "end")) {
		strbuf_addf(&d->collect.text, "%s\n", line);
		return true;
	}
	struct breakpoint *b = break_find(&d->breaks, d->collect.id);
	d->collect.kind = COLLECT_NONE;
	if (!b)
		return err_set(e, "breakpoint %u is gone", d->collect.id);
	free(b->commands);
	b->commands = d->collect.text.len ? xstrdup(strbuf_str(&d->collect.text)) : NULL;
	b->scripted = d->collect.scripted;
	d->collect.scripted = false;
	return true;
}

/* A chunk that is still unfinished after an empty line is an error, or one could not get out. */
static bool collect_lua(struct debugger *d, const char *line, struct strbuf *out, struct err *e)
{
	bool incomplete = false, blank = !*skip_blanks(line);
	strbuf_addf(&d->collect.text, "%s\n", line);
	struct strbuf code = d->collect.text;
	d->collect.text = (struct strbuf){0};
	d->collect.kind = COLLECT_NONE;
	bool ok = lua_dbg_exec(d, strbuf_str(&code), "=lua", blank ? NULL : &incomplete, e);
	take_output(d, out);
	if (incomplete) {
		err_clear(e);
		d->collect.kind = COLLECT_LUA;
		d->collect.text = code;
		return true;
	}
	strbuf_release(&code);
	return ok;
}

static bool collect(struct debugger *d, const char *line, struct strbuf *out, struct err *e)
{
	if (d->collect.kind == COLLECT_LUA)
		return collect_lua(d, line, out, e);
	return collect_commands(d, line, e);
}

/* The command word ends at a blank or at '/', which begins a format: "x/4xw", "p/x". */
static const char *split(const char *line, char *word, size_t size)
{
	size_t n = strcspn(line, " \t/");
	snprintf(word, size, "%.*s", (int)MIN(n, size - 1), line);
	return skip_blanks(line + n);
}

static void remember(struct debugger *d, const struct command *c, const char *line)
{
	d->repeat[0] = 0;
	if (c->repeat == REPEAT_SAME)
		snprintf(d->repeat, sizeof(d->repeat), "%s", line);
	else if (c->repeat == REPEAT_BARE)
		snprintf(d->repeat, sizeof(d->repeat), "%s", c->name);
}

static bool execute(struct debugger *d, const char *line, struct strbuf *out, struct err *e)
{
	char word[40];
	bool scripted = false;
	char *expanded = alias_expand(d, line, &scripted);
	const char *args = split(expanded ? expanded : line, word, sizeof(word));
	const struct command *c = command_find(word, e);
	if (c)
		remember(d, c, expanded ? expanded : line);
	d->scripted += scripted;
	bool ok = c && c->fn(d, args, out, e);
	d->scripted -= scripted;
	free(expanded);
	return ok;
}

static char *trimmed(const char *line)
{
	line = skip_blanks(line);
	size_t n = strlen(line);
	while (n && strchr(" \t\r\n", line[n - 1]))
		n--;
	return xstrndup(line, n);
}

bool debugger_execute(struct debugger *d, const char *line, struct strbuf *out, struct err *e)
{
	struct err own = {0};
	if (!e)
		e = &own;
	if (d->in_run)
		return err_set(e, "the machine is running: commands wait until it stops");
	if (d->goal.kind == GOAL_NONE && !d->queue.n)
		debugger_clear_interrupt(d);
	if (d->collect.kind != COLLECT_NONE)
		return collect(d, line, out, e);
	char *text = trimmed(line);
	if (!*text && *d->repeat) {
		free(text);
		text = xstrdup(d->repeat);
	}
	bool ok = !*text || *text == '#' || execute(d, text, out, e);
	free(text);
	session_change_ends(d->s);
	if (d->state != DBG_QUIT)
		d->state = busy(d) ? DBG_RUNNING : d->rest;
	return ok;
}
