/* markdown: escapes text, so that no character of it has a meaning in Markdown. */
#ifndef UI_BASE_MARKDOWN_H
#define UI_BASE_MARKDOWN_H
#include "base/strbuf.h"

#define MARKDOWN_CELL 1 /* of a table, where a bar would end it */
#define MARKDOWN_CODE 2 /* between backquotes: nothing else means anything there */
/* Appends text, escaped; what stands between backquotes in it stays code. */
void markdown_add(struct strbuf *out, const char *text, u32 where);
#endif
