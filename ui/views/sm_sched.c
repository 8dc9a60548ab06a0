#include "views/sm_sched.h"

#include "scr/draw.h"

#define LABEL_W 11 /* as wide as the labels of the storage maps below */

/* Columns for one scheduler when all of them share a row. */
static int share(const struct view_ctx *v, int w)
{
	return (w - LABEL_W) / (int)gpu_conf(v->g)->sm_schedulers;
}

int sm_sched_rows(const struct view_ctx *v, u32 sm, int w)
{
	u32 n = gpu_conf(v->g)->sm_schedulers;
	bool any = false, fits = true;
	for (u32 i = 0; i < n; i++) {
		struct strbuf t = STRBUF_INIT;
		gpu_sched_text(v->g, sm, i, UINT32_MAX, &t);
		any |= t.len > 0;
		fits &= (int)t.len + 4 <= share(v, w); /* the number before it, a gap behind it */
		strbuf_release(&t);
	}
	return !any ? 0 : fits ? 1 : (int)n;
}

void sm_sched_draw(const struct view_ctx *v, struct pane p, u32 sm)
{
	u32 n = gpu_conf(v->g)->sm_schedulers;
	pane_text(p, 0, 1, STYLE(R_DIM), n > 1 ? "scheds" : "sched");
	for (u32 i = 0; i < n; i++) {
		struct strbuf t = STRBUF_INIT;
		gpu_sched_text(v->g, sm, i, UINT32_MAX, &t);
		int y = p.h > 1 ? (int)i : 0, x = p.h > 1 ? LABEL_W : LABEL_W + (int)i * share(v, p.w);
		if (y < p.h) {
			pane_printf(p, y, x, STYLE(R_DIM), "%u", i);
			pane_text(p, y, x + 2, STYLE(t.len ? R_TEXT : R_FAINT), t.len ? strbuf_str(&t) : "-");
			if (x + 2 + (int)t.len > p.w)
				pane_glyph(p, y, p.w - 1, STYLE(R_DIM), p.c->ascii ? '~' : 0x2026);
		}
		strbuf_release(&t);
	}
}
