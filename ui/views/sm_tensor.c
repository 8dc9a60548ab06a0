#include "views/sm_tensor.h"

#include "gpu/query_tensor.h"
#include "scr/draw.h"
#include "views/legend.h"

#define LABEL_W 11 /* as wide as the labels of the storage maps below */
#define SHORT_W 11 /* "0 ■ 100.0%" and a gap */
#define LONG_W 35  /* "0 ■ 100.0%  4 in flight  12 ready" and a gap */

int sm_tensor_rows(const struct view_ctx *v, u32 sm)
{
	return ((const struct tensor_counters *)gpu_counters(v->g, CG_tensor, sm))->mma != 0;
}

/* Each sub-core: does its unit take an mma now (of units that all share: is one of them taken), how much of the run was
 * it taken, and with room its mma in flight and the warps that are ready for it. */
void sm_tensor_draw(const struct view_ctx *v, struct pane p, u32 sm)
{
	const struct conf *c = gpu_conf(v->g);
	const u32 n = c->sm_schedulers;
	const int each = (p.w - LABEL_W) / (int)n;
	const double all = (double)gpu_cycle(v->g) * c->sm_tensor_units / n;
	pane_text(p, 0, 1, STYLE(R_DIM), "tensor");
	for (u32 i = 0; i < n && each >= SHORT_W; i++) {
		struct tensor_view t;
		gpu_tensor(v->g, sm, i, &t);
		int x = pane_printf(p, 0, LABEL_W + (int)i * each, STYLE(R_DIM), "%u ", i);
		x = pane_text(p, 0, x, STYLE(t.taken ? legend[LG_IN_USE].role : R_FAINT), t.taken ? "■" : "·");
		x = pane_printf(p, 0, x + 1, STYLE(R_TEXT), "%.1f%%", all > 0 ? 100 * (double)t.has->busy / all : 0);
		if (each >= LONG_W)
			pane_printf(p, 0, x + 2, STYLE(R_DIM), "%u in flight  %u ready", t.in_flight, bit_count(t.ready));
	}
}
