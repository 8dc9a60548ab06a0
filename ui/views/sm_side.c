#include "views/sm_side.h"

#include <stdlib.h>

#include "scr/draw.h"
#include "views/chart.h"

#define MSHRS_MAX 1024 /* the most l1d.mshrs allows */

/* Issue slots of the last window by reason, those that were lost at all; returns the rows taken. */
static int lost_slots(struct view_ctx *v, struct pane p, u32 sm)
{
	const struct sample *now = recent_get(v->recent, (s32)sm);
	u64 sum = stall_slots(now->stalls), most = 1;
	int y = 1;
	pane_text(p, 0, 0, STYLE(R_DIM), "issue slots, last 1,024 cycles");
	for (u32 r = 0; r < ST_COUNT; r++)
		most = MAX(most, now->stalls[r]);
	for (u32 r = 0; r < ST_COUNT && y < p.h; r++) {
		if (!now->stalls[r])
			continue;
		struct style s = STYLE(stall_role(r));
		pane_glyph(p, y, 0, s, stall_glyph(r));
		pane_text(pane_sub(p, y, 2, 1, 17), 0, 0, STYLE(R_TEXT), stall_descs[r].name[TAX_BASE]);
		pane_right(p, y, 26, STYLE(R_TEXT), "%.1f %%", percent((double)now->stalls[r], (double)sum));
		draw_bar(p, y++, 28, p.w - 28, s, (double)now->stalls[r] / (double)most, false);
	}
	return MIN(y, p.h);
}

static int oldest_first(const void *a, const void *b)
{
	const struct mshr_info *x = a, *y = b;
	return x->since != y->since ? (x->since < y->since ? -1 : 1) : (x->addr > y->addr) - (x->addr < y->addr);
}

static void mshrs(struct view_ctx *v, struct pane p, u32 sm)
{
	char buf[NUM_MAX];
	struct mshr_info m[MSHRS_MAX];
	u32 n = MIN(mem_mshrs(gpu_mem(v->g), sm, MC_L1D, m, MSHRS_MAX), (u32)MSHRS_MAX);
	qsort(m, n, sizeof *m, oldest_first);
	pane_text(p, 0, 0, STYLE(R_DIM), "L1D MSHR of line   requests     age  where");
	if (!n)
		pane_text(p, 1, 0, STYLE(R_FAINT), "· none in use");
	for (u32 i = 0; i < n && (int)i + 1 < p.h; i++) {
		int y = (int)i + 1;
		pane_printf(p, y, 0, STYLE(R_TEXT), "0x%llx", (unsigned long long)m[i].addr);
		pane_right(p, y, 27, STYLE(R_TEXT), "%u", m[i].merged);
		pane_right(p, y, 35, STYLE(R_TEXT), "%s", grouped(gpu_cycle(v->g) - m[i].since, buf));
		pane_text(p, y, 37, STYLE(R_MEM), m[i].where);
	}
	if ((int)n > p.h - 1)
		draw_more(p, (int)n - p.h + 1);
}

void sm_side_draw(struct view_ctx *v, struct pane p, u32 sm)
{
	static const struct chart charts[] = {{"IPC", TS_IPC, R_FILL0, 0, ""},
	                                      {"L1D hit", TS_L1D_HIT, R_FILL1, 1, "%"},
	                                      {"warps", TS_WARPS, R_FILL4, 0, "n"}};
	int y = 1 + lost_slots(v, pane_sub(p, 0, 0, MIN(p.h, ST_COUNT + 1), p.w), sm);
	for (u32 i = 0; i < ARRAY_LEN(charts) && p.h - y >= 12; i++, y += 5)
		chart_draw(v, pane_sub(p, y, 0, 4, p.w), &charts[i], (s32)sm, 15);
	mshrs(v, pane_sub(p, y, 0, p.h - y, p.w), sm);
}
