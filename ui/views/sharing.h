/* sharing: for several programs on one machine, how fast each is, how much slower than alone, and whether SMs were free
 * in time when they were asked for: a line each, or all in one line. */
#ifndef UI_VIEWS_SHARING_H
#define UI_VIEWS_SHARING_H
#include "views/view.h"

/* Lines of the table, its head included; 0: one program has the machine to itself. */
int sharing_rows(const struct view_ctx *v);
void sharing_table(const struct view_ctx *v, struct pane p, int x);
/* The same in the first row of p, as much as there is room for. */
void sharing_line(const struct view_ctx *v, struct pane p, int x);
#endif
