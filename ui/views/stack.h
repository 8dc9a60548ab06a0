/* stack: a column of parts, one on the other, drawn in eighths of a cell. */
#ifndef UI_VIEWS_STACK_H
#define UI_VIEWS_STACK_H
#include "scr/draw.h"

struct stack_part {
	enum role role;
	u32 glyph; /* its letter; '.' stands for nothing in particular and is not written */
	int top;   /* its upper edge in eighths of a row from the foot */
};
/* Puts a part on the n there are: its upper edge at `sum` (1 = all of `rows`). One that is too thin to be seen is left
 * out; returns how many there are. */
u32 stack_add(struct stack_part *part, u32 n, enum role role, u32 glyph, double sum, int rows);
/* A column over all rows of p. named: a letter in the middle of each part, for eyes that do not see the hue; terminals
 * without colours or characters for it have letters everywhere, and those with few colours, too, when few_letters. */
void stack_draw(struct pane p, int x, const struct stack_part *part, u32 n, bool named, bool few_letters);
#endif
