/* plain: output to a terminal that is not the debugger's screen. */
#ifndef UI_BASE_PLAIN_H
#define UI_BASE_PLAIN_H
#include <stdio.h>

#include "base/strbuf.h"

/* What a program prints or a message quotes is text: where `to` is a terminal no byte of it commands that, each becomes
 * a '?'. Files and pipes get what was written. */
void plain_defuse(char *text, size_t n, int to);
/* A name for people: the same wherever it goes. */
void plain_name(char *name);
/* The text, defused in place, to a stream. */
void plain_write(struct strbuf *text, FILE *to);
/* May a report on this descriptor have colours? Not in files and pipes, not with --no-color (off) or NO_COLOR, not on
 * terminals that know none. */
bool plain_colors(bool off, int to);
#endif
