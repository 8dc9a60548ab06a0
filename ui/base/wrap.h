/* wrap: breaks text into lines of a width. */
#ifndef UI_BASE_WRAP_H
#define UI_BASE_WRAP_H
#include "base/strbuf.h"

#define WRAP_WIDTH 78 /* of an answer: what the smallest usual screen shows without folding it again */
/* Appends the words of a text and a line's end; lines after the first begin with `indent` blanks, which the first, in
 * `out` already, is taken to have too. */
void text_wrap(const char *text, u32 indent, u32 width, struct strbuf *out);
#endif
