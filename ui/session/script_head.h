/* script_head: what a script says of itself at its head. */
#ifndef UI_SESSION_SCRIPT_HEAD_H
#define UI_SESSION_SCRIPT_HEAD_H
#include "base/strbuf.h"

/* Appends the comment that a script begins with, without "--[[ NAME: " and the blanks at its end. Nothing when there is
 * none, or the file cannot be read. */
void script_head(const char *path, struct strbuf *out);
#endif
