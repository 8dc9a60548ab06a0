/* save: what `save breakpoints` and `save session` write. */
#ifndef UI_COMMANDS_SAVE_H
#define UI_COMMANDS_SAVE_H
#include "commands/commands.h"

/* The user's breakpoints and watchpoints as commands that make them, those of cycles that have not passed `now`.
 * *left_out: a line for each that goes with a warp or CTA, which another session has not. How many there are. */
u32 breakpoints_text(struct debugger *d, u64 now, struct strbuf *out, struct strbuf *left_out);
/* args: "FILE". */
bool save_session(struct debugger *d, const char *args, struct strbuf *out, struct err *e);
#endif
