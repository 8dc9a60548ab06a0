/* cta_way: `why cta N`: where a CTA is, what it waits for, and all that has happened to it. */
#ifndef UI_COMMANDS_CTA_WAY_H
#define UI_COMMANDS_CTA_WAY_H
#include "commands/commands.h"

/* args: "N [kernel=K]"; N may be X,Y,Z; nothing: the focused CTA. */
bool why_a_cta(struct debugger *d, const char *args, struct strbuf *out, struct err *e);
#endif
