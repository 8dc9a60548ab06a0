/* console: the debugger on a plain terminal, with readline. */
#ifndef UI_TERMINAL_CONSOLE_H
#define UI_TERMINAL_CONSOLE_H
#include "dbg/debugger.h"
/* Reads and executes commands until the user leaves. */
void console_main(struct debugger *d);
/* Prints and empties out. */
void console_print(struct strbuf *out);
/* Drives a pending run and queued commands to their end, printing as it goes. */
void console_drive(struct debugger *d);
/* Executes one line, prints its answer or error, and drives what it started. False: the command failed. */
bool console_execute(struct debugger *d, const char *line);
#endif
