#include "base/grid.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void grid_put(struct grid *g, u32 row, u32 column, const char *fmt, ...)
{
	char *text;
	va_list args;
	BUG_ON(column >= GRID_COLUMNS);
	if (row >= g->room) {
		const u32 room = MAX(2 * g->room, row + 16);
		g->row = xrealloc(g->row, room * sizeof *g->row);
		memset(g->row + g->room, 0, (room - g->room) * sizeof *g->row);
		g->room = room;
	}
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		BUG("no memory for a cell");
	va_end(args);
	free(g->row[row][column]);
	g->row[row][column] = text;
	g->rows = MAX(g->rows, row + 1);
	g->columns = MAX(g->columns, column + 1);
}

const char *grid_cell(const struct grid *g, u32 row, u32 column)
{
	return row < g->rows && g->row[row][column] ? g->row[row][column] : "";
}

/* 0: it is left out. */
static int width_of(const struct grid *g, u32 column)
{
	int width = 0;
	for (u32 y = 1; y < g->rows; y++)
		width = MAX(width, MIN((int)strlen(grid_cell(g, y, column)), GRID_CELL_W));
	return width ? MAX(width, (int)strlen(grid_cell(g, 0, column))) : 0;
}

void grid_print(const struct grid *g, struct strbuf *out)
{
	int width[GRID_COLUMNS];
	for (u32 x = 0; x < g->columns; x++)
		width[x] = width_of(g, x);
	for (u32 y = 0; y < g->rows; y++) {
		bool first = true;
		for (u32 x = 0; x < g->columns; x++) {
			if (!width[x])
				continue;
			strbuf_addf(out, "%s%*s", first ? "" : "  ", g->left[x] ? -width[x] : width[x], grid_cell(g, y, x));
			first = false;
		}
		while (out->len && out->buf[out->len - 1] == ' ')
			out->buf[--out->len] = 0;
		strbuf_addc(out, '\n');
	}
}

void grid_release(struct grid *g)
{
	for (u32 y = 0; y < g->rows; y++)
		for (u32 x = 0; x < g->columns; x++)
			free(g->row[y][x]);
	free(g->row);
	*g = (struct grid){0};
}
