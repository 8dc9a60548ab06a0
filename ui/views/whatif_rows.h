/* whatif_rows: the last table of `whatif` in the view of two machines: a row is chosen, Enter sets its machine beside
 * this one. */
#ifndef UI_VIEWS_WHATIF_ROWS_H
#define UI_VIEWS_WHATIF_ROWS_H
#include "views/view.h"

/* Is there one to choose from? Not while rows run. */
bool whatif_rows_any(const struct view_ctx *v);
void whatif_rows_draw(struct view_ctx *v, struct pane p);
bool whatif_rows_key(struct view_ctx *v, int key);
/* The command of the chosen row. False: it is row 0, which is this machine, or it has failed. */
bool whatif_rows_command(const struct view_ctx *v, char *line, size_t n);
#endif
