/* line_cells: the columns in which lines of code are shown: by `info code` and the source view. */
#ifndef UI_VIEWS_LINE_CELLS_H
#define UI_VIEWS_LINE_CELLS_H
#include "obs/record/line_rows.h"

/* What shares are shares of. */
struct line_sums {
	u64 slots, awaited;
};
struct line_sums line_sums_of(const struct line_row *rows, u32 n);

#define LINE_CELL_MAX 24
struct line_cell_desc {
	const char *name;
	u32 key; /* by which its lines are ordered: enum line_counter */
	/* Writes the cell; leaves it as it is where the line has no such thing. */
	void (*put)(char *cell, const struct line_row *r, const struct line_sums *s);
};
extern const struct line_cell_desc line_cells[];
extern const u32 nline_cells;
#define LINE_CELLS_MAX 16
/* The CUDA line of a row by CUDA line, if its file can be read: the nearest .loc above the row's first instruction
 * names it. */
struct cuda_text;
struct cuda_line;
bool line_row_cuda(struct cuda_text *files, const struct line_row *r, struct cuda_line *out);
#endif
