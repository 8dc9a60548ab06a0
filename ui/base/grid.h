/* grid: text in columns. Row 0 has the titles. Columns are as wide as their widest cell, but a cell of more than
 * GRID_CELL_W bytes moves the rest of its row instead. A column without a cell below its title is left out. */
#ifndef UI_BASE_GRID_H
#define UI_BASE_GRID_H
#include "base/strbuf.h"

#define GRID_COLUMNS 32
#define GRID_CELL_W 48
struct grid { /* {0} is an empty one */
	char *(*row)[GRID_COLUMNS];
	u32 rows, room, columns;
	bool left[GRID_COLUMNS]; /* stands at the left; else at the right */
};
/* A cell that has been put is put anew. */
__attribute__((format(printf, 4, 5))) void grid_put(struct grid *g, u32 row, u32 column, const char *fmt, ...);
const char *grid_cell(const struct grid *g, u32 row, u32 column); /* "" = none */
void grid_print(const struct grid *g, struct strbuf *out);
void grid_release(struct grid *g);
#endif
