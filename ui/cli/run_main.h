/* run: the `run` command - to the end, no screen. */
#ifndef UI_CLI_RUN_MAIN_H
#define UI_CLI_RUN_MAIN_H
#include "session/session.h"

/* Runs the workload of the options; returns the exit status. */
int run_main(struct options *o);
#endif
