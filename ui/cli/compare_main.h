/* compare: two machines side by side, to the end or to their first different decision. */
#ifndef UI_CLI_COMPARE_MAIN_H
#define UI_CLI_COMPARE_MAIN_H
#include "session/session.h"

/* `warpdbg compare`: runs, prints, returns the exit status. */
int compare_main(const struct options *o);
#endif
