/* The `learn` command: lists the lessons, or opens the debugger with one. */
#ifndef UI_CLI_LEARN_MAIN_H
#define UI_CLI_LEARN_MAIN_H
#include "session/options.h"

/* The exit status; open begins the debugger with options that are a lesson's. */
int learn_main(struct options *o, int (*open)(struct options *o));
#endif
