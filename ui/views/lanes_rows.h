/* lanes_rows: which rows and columns the view of warps over time shows. */
#ifndef UI_VIEWS_LANES_ROWS_H
#define UI_VIEWS_LANES_ROWS_H
#include "obs/record/lanes.h"
#include "views/view.h"

enum lanes_of { LANES_OF_SM, LANES_OF_CTA, LANES_OF_KERNEL, LANES_OF_CTAS, LANES_KINDS };
struct lanes_row {
	u32 sm, index; /* warp slot, or row of CTAs */
};
struct lanes_picture {
	enum lanes_of of;
	s32 sm;   /* -1: all */
	u32 bin;  /* cycles of a column */
	int cell; /* characters of a column */
	struct time_axis a;
	const struct lanes *l; /* NULL: nothing yet */
	bool all;              /* all of it is there */
	u64 ref;               /* the cycle that is spelled out: the cursor's, or now; the last one at most */
	s64 launch, cta;       /* whose rows these are; -1: of all */
	struct lanes_row *row;
	u32 nrows;
	s32 focus; /* the focused row; -1: it is not among them */
};

/* w characters for the columns, `beside` fewer where a column is a cycle: those have text beside them. The rows are to
 * be freed. */
struct lanes_picture lanes_picture(struct view_ctx *v, int w, int beside);
/* The cell of a row in the column that begins at a cycle. False: nothing is known, or it is another's. */
bool lanes_cell(const struct lanes_picture *p, u32 row, u64 from, struct lane_cell *out);
/* Up or down by some rows: the focus goes along. */
void lanes_move(struct view_ctx *v, s32 by);
#endif
