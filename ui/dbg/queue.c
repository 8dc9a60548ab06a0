#include "dbg/queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
