/* Log: events of interest, what the program printed, stops. */
#include <string.h>

#include "base/words.h"
#include "scr/draw.h"
#include "scr/term.h"
#include "views/view.h"

static u64 first_line(const struct event_log *l)
{
	return l->total > LOG_LINES ? l->total - LOG_LINES : 0;
}

static const struct log_line *line_at(const struct event_log *l, u64 i)
{
	return &l->line[i % LOG_LINES];
}

static void log_row(struct view_ctx *v, struct pane p, int y, const struct log_line *l)
{
	static const struct {
		u32 glyph;
		u8 role, text;
	} look[] = {
	    [LOG_STOP] = {0x25cf, R_ACCENT, R_TEXT},
	    [LOG_EVENT] = {0xb7, R_DIM, R_TEXT},
	    [LOG_OUTPUT] = {0x2502, R_READY, R_TEXT},
	    [LOG_ERROR] = {0x2717, R_BAD, R_BAD},
	};
	char buf[NUM_MAX];
	pane_right(p, y, 15, STYLE(R_DIM), "%s", grouped(l->cycle, buf));
	pane_glyph(p, y, 16, STYLE(look[l->kind].role), look[l->kind].glyph);
	pane_text(p, y, 18, STYLE(look[l->kind].text), l->text);
	pane_mark(pane_sub(p, y, 18, 1, p.w), 0, v->search);
}

static void draw(struct view_ctx *v, struct pane p)
{
	const struct event_log *l = &v->d->log;
	u64 first = first_line(l);
	s32 n = (s32)(l->total - first), rows = p.h - 1;
	char buf[NUM_MAX];
	int x = pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), "Log");
	x = pane_printf(p, 0, x + 2, STYLE(R_DIM), "%s line%s", grouped(l->total, buf), plural(l->total));
	if (first)
		x = pane_printf(p, 0, x, STYLE(R_DIM), ", the last %d kept", LOG_LINES);
	if (*v->search)
		pane_printf(p, 0, x + 2, STYLE(R_ACCENT), "/%s", v->search);
	if (v->st->follow)
		v->st->top = INT32_MAX;
	view_clip(v->st, n, rows);
	for (s32 r = 0; r < rows && v->st->top + r < n; r++)
		log_row(v, p, r + 1, line_at(l, first + (u64)(v->st->top + r)));
	if (!n) {
		pane_text(p, 2, 3, STYLE(R_DIM), "Nothing yet. Stops and output appear here,");
		pane_text(p, 3, 3, STYLE(R_DIM), "and the events chosen with `set log EVENT...`.");
	}
}

static bool search(struct view_ctx *v, bool forward)
{
	const struct event_log *l = &v->d->log;
	u64 first = first_line(l);
	s64 n = (s64)(l->total - first), i = v->st->follow ? n : MAX(MIN((s64)v->st->top, n), 0);
	for (s64 k = 0; k < n; k++) {
		i = (i + (forward ? 1 : n - 1) + n) % n;
		if (strcasestr(line_at(l, first + (u64)i)->text, v->search)) {
			v->st->top = (s32)i;
			v->st->follow = false;
			return true;
		}
	}
	return false;
}

static bool on_key(struct view_ctx *v, int key)
{
	bool mine = view_scroll(v->st, key);
	if (key == K_END)
		v->st->follow = true;
	return mine;
}

const struct view view_log = {
    .key = '0',
    .name = "log",
    .title = "log",
    .shows = "stops, events, output",
    .keys = "/ search  n N",
    .help = "● stops, · events chosen for the log, │ what the program printed, ✗ errors; each with its cycle. End "
            "follows new lines.",
    .draw = draw,
    .on_key = on_key,
    .search = search,
};
