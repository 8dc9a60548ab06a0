/* pager: long answers on a plain terminal, a screenful at a time: space goes on a page, Enter a line, c to the end, q
 * drops the rest. */
#ifndef UI_BASE_PAGER_H
#define UI_BASE_PAGER_H
#include "base/strbuf.h"

/* Columns of the terminal that standard output is; 0: it is none. */
u32 pager_columns(void);
/* A new answer begins: a screenful of it is shown without asking. off: nothing is ever asked. */
void pager_begin(bool off);
/* Shows text on standard output. */
void pager_print(const struct strbuf *text);
#endif
