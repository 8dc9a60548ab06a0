/* legend: the meaning and the look of every letter and sign of the views, from legend.def. Views draw them from here,
 * and `?` and the line of detail explain them from here. */
#ifndef UI_VIEWS_LEGEND_H
#define UI_VIEWS_LEGEND_H
#include "obs/stats/sample.h"
#include "scr/canvas.h"
#include "sm/warp_state.h"

enum legend_id {
#define K(id, glyph, ascii, role, name, brief, help) LG_##id,
#include "views/legend.def"
#undef K
	LG_COUNT
};
struct legend {
	u32 ch;
	char ascii;
	u8 role;
	const char *name, *brief, *help;
};
extern const struct legend legend[LG_COUNT];

enum legend_id legend_of_warp(enum warp_state s, bool issued, bool refused);
enum legend_id legend_of_stall(enum stall r);
enum legend_id legend_of_cause(enum miss_cause c);
/* Whose glyph it is, in ASCII or not; LG_COUNT = none's. */
enum legend_id legend_find(u32 ch, bool ascii);
/* Draws it. */
void legend_draw(struct pane p, int y, int x, enum legend_id id);
#endif
