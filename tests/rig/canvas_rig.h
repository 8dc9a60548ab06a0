/* canvas_rig: what a picture of cells says, row by row. Behind cmocka.h. */
#ifndef TESTS_RIG_CANVAS_RIG_H
#define TESTS_RIG_CANVAS_RIG_H
#include <string.h>

#include "scr/canvas.h"

#define CANVAS_RIG_W_MAX 512

/* Good until the next one. */
static inline const char *row_of(const struct canvas *c, int y)
{
	static char text[4 * CANVAS_RIG_W_MAX + 1];
	assert_in_range(c->w, 1, CANVAS_RIG_W_MAX);
	return canvas_row(c, y, text);
}

/* The first row from y on that has the text; fails without. */
static inline int find_row(const struct canvas *c, int y, const char *text)
{
	for (; y < c->h; y++)
		if (strstr(row_of(c, y), text))
			return y;
	for (int i = 0; i < c->h; i++)
		print_error("%2d|%s\n", i, row_of(c, i));
	fail_msg("no row shows '%s'", text);
	return -1;
}

/* Where in a row the text begins, in columns; -1: nowhere. */
static inline int column_of(const char *row, const char *text)
{
	const char *at = strstr(row, text);
	int n = 0;
	for (const char *p = row; at && p < at; p++)
		n += (*p & 0xc0) != 0x80;
	return at ? n : -1;
}
#endif
