/* source_counts: the source view with line counters in columns: every line of the PTX, or of the CUDA files with the
 * PTX folded below its lines, or the lines with most of a column first. */
#ifndef UI_VIEWS_SOURCE_COUNTS_H
#define UI_VIEWS_SOURCE_COUNTS_H
#include "ir/ir.h"
#include "views/view.h"

/* Bits of view_state.mode beside those of the source view's own. */
enum {
	MODE_COUNTS = 4, /* these columns are shown */
	MODE_CUDA = 8,   /* lines of the CUDA files, if they can be read */
	MODE_UNFOLD = 16 /* with MODE_CUDA: the PTX below */,
	MODE_ORDER = 32 /* the lines with most of the column first */
};
/* in: the focused warp's instruction, NULL = it stands nowhere in this module. */
void source_counts_draw(struct view_ctx *v, struct pane p, const struct module *m, const struct inst *in);
bool source_counts_key(struct view_ctx *v, const struct module *m, int key);
bool source_counts_search(struct view_ctx *v, const struct module *m, bool forward);
#endif
