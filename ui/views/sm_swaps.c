#include "views/sm_swaps.h"

#include "conf/virtual.h"
#include "dbg/swaps.h"
#include "scr/draw.h"

#define BOTH_FROM_H 16 /* rows of a view that has both lines */

int sm_swaps_rows(const struct view_ctx *v, int rows)
{
	return !conf_is_vt(gpu_conf(v->g)) ? 0 : rows >= BOTH_FROM_H ? 2 : 1;
}

static void line(struct pane p, int y, const char *name, const struct strbuf *text, const char *none)
{
	pane_text(p, y, 1, STYLE(R_DIM), name);
	if (text->len)
		draw_cut(p, y, 11, p.w - 12, STYLE(R_TEXT), strbuf_str(text));
	else
		pane_text(p, y, 11, STYLE(R_FAINT), none);
}

void sm_swaps_draw(struct view_ctx *v, struct pane p)
{
	struct strbuf t = STRBUF_INIT;
	const u32 sm = v->d->focus.sm;
	if (p.h < 1)
		return;
	swap_line(v->d, sm, &t);
	line(p, 0, "swap", &t, "- none yet");
	strbuf_clear(&t);
	slotless_line(v->d, sm, &t);
	if (p.h > 1)
		line(p, 1, "no slot", &t, "- every CTA has one");
	strbuf_release(&t);
}
