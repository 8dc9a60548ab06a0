#include "views/whatif_rows.h"

#include <stdio.h>
#include <string.h>

#include "dbg/whatif.h"
#include "scr/draw.h"
#include "scr/term.h"

#define HEAD 2 /* lines of whatif_table() above its rows */

bool whatif_rows_any(const struct view_ctx *v)
{
	return v->d->whatif && !whatif_running(v->d);
}

/* st->node: the chosen row + 1; 0: none yet, the best one is. */
static u32 chosen(const struct view_ctx *v)
{
	const s32 best = whatif_best(v->d->whatif);
	const u32 row = v->st->node ? v->st->node - 1 : best > 0 ? (u32)best : 1;
	return MIN(row, v->d->whatif->nrows - 1);
}

void whatif_rows_draw(struct view_ctx *v, struct pane p)
{
	struct strbuf text = STRBUF_INIT;
	const u32 here = chosen(v), nrows = v->d->whatif->nrows;
	const s32 room = MAX(p.h - HEAD - 1, 1), top = MAX((s32)here - room + 1, 0);
	whatif_table(v->d->whatif, &text);
	const char *line = strbuf_str(&text);
	s32 y = 0;
	for (u32 i = 0; *line; i++) {
		const char *end = strchrnul(line, '\n');
		const bool row = i >= HEAD && i < HEAD + nrows;
		const bool on = row && i - HEAD == here;
		if (!row || ((s32)(i - HEAD) >= top && (s32)(i - HEAD) < top + room)) {
			pane_text(p, y, 0, STYLE(R_ACCENT), on ? ">" : " ");
			pane_textn(p, y++, 1,
			           on     ? STYLE_BOLD(R_ACCENT)
			           : !row ? STYLE(R_DIM)
			                  : STYLE(R_TEXT),
			           line, (size_t)(end - line));
		}
		line = *end ? end + 1 : end;
	}
	strbuf_release(&text);
}

bool whatif_rows_key(struct view_ctx *v, int key)
{
	const u32 here = chosen(v), last = v->d->whatif->nrows - 1;
	switch (key) {
	case K_UP: v->st->node = here ? here : 1; return true;
	case K_DOWN: v->st->node = MIN(here + 1, last) + 1; return true;
	case K_HOME: v->st->node = 1; return true;
	case K_END: v->st->node = last + 1; return true;
	default: return false;
	}
}

bool whatif_rows_command(const struct view_ctx *v, char *line, size_t n)
{
	const u32 row = chosen(v);
	if (!row || v->d->whatif->row[row].state == ROW_FAILED)
		return false;
	snprintf(line, n, "whatif compare %u", row);
	return true;
}
