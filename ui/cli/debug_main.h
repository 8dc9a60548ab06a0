/* debug_main: the `debug` command. */
#ifndef UI_CLI_DEBUG_MAIN_H
#define UI_CLI_DEBUG_MAIN_H
#include "session/session.h"

/* Batch mode, screen or plain console; returns the exit status. */
int debugger_main(struct session *s);
#endif
