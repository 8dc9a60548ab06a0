/* complain: the program's own messages, on standard error. */
#ifndef UI_BASE_COMPLAIN_H
#define UI_BASE_COMPLAIN_H
#include "base/err.h"

/* Prints "warpdbg: message" on standard error; complain_of() "warpdbg: B: message". */
void complain(const struct err *e);
void complain_of(const char *whom, const char *text);
/* Has all that was printed reached standard output? False with *e, and the reason where it is known. */
bool stdout_written(struct err *e);
#endif
