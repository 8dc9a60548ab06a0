/* point: the meaning of a cell of the screen, in words. Words and numbers are looked up in what `explain` knows (a
 * number by the word beside it or the head of its column), letters and signs in the legend. Also the line that
 * describes the selection. */
#ifndef UI_VIEWS_POINT_H
#define UI_VIEWS_POINT_H
#include "base/strbuf.h"
#include "scr/draw.h"
#include "views/recent.h"

struct debugger;
/* Appends one line about the cell; topic gets the name that `explain` tells more about, "" = none. */
void point_describe(const struct canvas *c, int y, int x, struct strbuf *out, char topic[64]);
/* Appends one line about the focused warp, or about its SM in views of SMs; key: the view's. */
void point_selection(struct debugger *d, const struct recent *recent, char key, struct strbuf *out);
/* Moves to the next or previous word of the screen, from row 0 to row h - 1. */
void point_next_word(const struct canvas *c, int h, int *y, int *x, bool forward);
#endif
