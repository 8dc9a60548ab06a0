/* The queue of lines to be executed - of command files, breakpoints, options - and the debugger's slices: its goal
 * first, then a line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/debugger.h"
#include "dbg/goal.h"
#include "dbg/rival.h"

void queue_clear(struct command_queue *q)
{
	for (u32 i = 0; i < q->n; i++)
		free(q->line[q->first + i].text);
	q->first = q->n = 0;
}

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

void debugger_queue_text(struct debugger *d, const char *text, const char *where, enum line_numbers numbers)
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
		l->scripted = d->script.scripted;
		l->of_start = d->queue.starting;
		if (n > 1 || numbers == LINES_NUMBERED)
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
	debugger_queue_text(d, text, path, LINE_ALONE);
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
	q->depth = l.depth;
	d->script.scripted += l.scripted;
	bool ok = d->words->execute(d, l.text, out, &e);
	d->script.scripted -= l.scripted;
	q->depth = 0;
	if (!ok) {
		struct strbuf *to = d->report.split_errors ? &d->report.errors : out;
		if (*l.where)
			strbuf_addf(to, "%s: ", l.where);
		bool dropped = !d->report.keep_going && drop_rest(d) && l.depth && !d->s->opt->batch;
		strbuf_addf(to, "error: %s%s\n", e.msg, dropped ? " (the rest of the file is left out)" : "");
		debugger_log(d, LOG_ERROR, "%s", e.msg);
		d->report.failed = true;
	}
	free(l.text);
}

/* Is something left to do? */
bool debugger_busy(const struct debugger *d)
{
	return d->run.goal.kind != GOAL_NONE || d->queue.n || rival_behind(d);
}

static void drop_interrupted(struct debugger *d, struct strbuf *out)
{
	if (!d->run.interrupt || !d->queue.n)
		return;
	queue_clear(&d->queue);
	strbuf_adds(out, "Interrupted: the remaining queued commands are dropped.\n");
}

/* An interrupt that has stopped this machine is answered: the one beside it still comes to the same place. */
static void pursue_goal(struct debugger *d, u64 max_cycles, struct strbuf *out)
{
	goal_slice(d, max_cycles, out);
	if (!d->rival || d->run.goal.kind != GOAL_NONE)
		return;
	drop_interrupted(d, out);
	debugger_clear_interrupt(d);
}

/* The machine beside this one runs alone; but an interrupt is this one's first. */
static bool is_rivals_turn(struct debugger *d)
{
	return d->rival && d->rival->turn == RIVAL_ALONE && !d->run.interrupt && rival_behind(d);
}

enum run_state debugger_run_slice(struct debugger *d, u64 max_cycles, struct strbuf *out)
{
	drop_interrupted(d, out);
	if (d->run.goal.kind != GOAL_NONE && !is_rivals_turn(d))
		pursue_goal(d, max_cycles, out);
	else if (d->run.goal.kind == GOAL_NONE && d->queue.n && d->run.state != DBG_QUIT && !rival_behind(d))
		queue_step(d, out);
	if (d->run.state == DBG_QUIT)
		return DBG_QUIT;
	if (d->rival && (d->run.goal.kind == GOAL_NONE || d->rival->turn != RIVAL_WAITS))
		rival_slice(d, max_cycles, out);
	if (debugger_busy(d))
		return d->run.state = DBG_RUNNING;
	debugger_clear_interrupt(d);
	return d->run.state = d->run.rest;
}
