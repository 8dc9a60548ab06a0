/* inspect: which inspections there are. */
#ifndef UI_COMMANDS_INSPECT_H
#define UI_COMMANDS_INSPECT_H
#include "dbg/debugger.h"

void inspections_each(struct debugger *d, void (*fn)(void *ctx, const char *name), void *ctx);
#endif
