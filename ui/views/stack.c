#include "views/stack.h"

#include <math.h>

u32 stack_add(struct stack_part *part, u32 n, enum role role, u32 glyph, double sum, int rows)
{
	const int top = MIN((int)lround(sum * 8 * rows), 8 * rows);
	if (top <= (n ? part[n - 1].top : 0))
		return n;
	part[n] = (struct stack_part){role, glyph, top};
	return n + 1;
}

static const struct stack_part *part_at(const struct stack_part *part, u32 n, int eighth)
{
	for (u32 i = 0; i < n; i++)
		if (eighth < part[i].top)
			return &part[i];
	return NULL;
}

/* The cell of the eighths [from, from + 8): its lowest part as a partial block on the ground of its topmost. Parts that
 * share a colour are kept apart by a hairline: the last eighth of the lower one's cell is left open. */
static void eighths_cell(struct pane p, int y, int x, const struct stack_part *part, u32 n, int from)
{
	const struct stack_part *low = part_at(part, n, from), *high = part_at(part, n, from + 7);
	if (!low)
		return;
	const struct stack_part *above = high == low ? part_at(part, n, from + 8) : high;
	if (above && above != low && above->role == low->role)
		pane_glyph(p, y, x, STYLE(low->role), 0x2587);
	else
		pane_glyph_on(p, y, x, STYLE(low->role), 0x2580u + (u32)MIN(low->top - from, 8),
		              high && high != low ? high->role : R_TEXT);
}

/* The same where a cell has but one colour, or none: what is in its middle. */
static void whole_cell(struct pane p, int y, int x, const struct stack_part *part, u32 n, int from, bool letter)
{
	const struct stack_part *at = part_at(part, n, from + 4);
	if (at)
		pane_glyph(p, y, x, STYLE(at->role), letter ? at->glyph : 0x2588);
}

static void letters(struct pane p, int x, const struct stack_part *part, u32 n)
{
	int below = 0;
	for (u32 i = 0; i < n; i++) {
		int first = (below + 7) / 8, behind = MIN(part[i].top / 8, p.h); /* rows that are the part's alone */
		if (behind > first && part[i].glyph != '.')
			pane_glyph(p, p.h - 1 - (first + behind - 1) / 2, x, (struct style){part[i].role, ATTR_REVERSE},
			           part[i].glyph);
		below = MAX(below, part[i].top);
	}
}

void stack_draw(struct pane p, int x, const struct stack_part *part, u32 n, bool named, bool few_letters)
{
	const bool plain = p.c->ascii || p.c->mono, all_letters = plain || (p.c->few && few_letters);
	for (int r = 0; r < p.h; r++)
		if (plain || p.c->few)
			whole_cell(p, p.h - 1 - r, x, part, n, 8 * r, all_letters);
		else
			eighths_cell(p, p.h - 1 - r, x, part, n, 8 * r);
	if (named && !all_letters)
		letters(p, x, part, n);
}
