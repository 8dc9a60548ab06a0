/* console_pane: the debugger's output as a bounded list of lines. A pane shows the end of the list, or the lines that
 * follow a line that is held at its top. */
#ifndef UI_SCR_CONSOLE_PANE_H
#define UI_SCR_CONSOLE_PANE_H
#include "scr/canvas.h"

#define CONSOLE_LINES 8192
struct console {
	struct console_line {
		char *text;
		struct style style;
	} * line;       /* ring of CONSOLE_LINES */
	u64 total;      /* lines ever added; line i is at line[i % CONSOLE_LINES] */
	u64 answer;     /* where the last answer began */
	bool held;      /* line `top` stays at the top of the pane until the end fits; else the end is shown */
	bool paging;    /* the same, page by page: keys are console_page_key()'s */
	u64 top, below; /* of the last drawing: the first line shown, and the first one under it */
	int h, w;       /* the pane then */
};
void console_init(struct console *c);
void console_release(struct console *c);
/* Adds text line by line; long lines are folded when drawn, between words, each row as far in as the line. */
void console_add(struct console *c, struct style s, const char *text);
/* What follows belongs to a new answer: the area grows to show it. */
void console_begin_answer(struct console *c);
/* The last answer was never given. */
void console_take_back(struct console *c);
/* Rows the last answer needs at a width of w columns, at most max. */
int console_answer_rows(const struct console *c, int w, int max);
/* Shows lines further up (> 0) or down; a page of them. */
void console_scroll(struct console *c, int lines);
void console_turn(struct console *c, bool up);
/* Is a part of the last answer out of sight? */
bool console_overflows(const struct console *c);
/* Shows the last answer from its beginning, if it is longer than the pane (seen at the next drawing); paging: its keys
 * go on, see there. */
void console_open(struct console *c, bool paging);
/* A key while c->paging: space a page, Enter a line, q or Esc to the end. Any other key ends paging and is not taken:
 * false. */
bool console_page_key(struct console *c, int key);
void console_draw(struct console *c, struct pane p);
#endif
