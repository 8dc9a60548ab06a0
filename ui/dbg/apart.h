/* apart: processes that fork from the debugger's and go their own way, with the machine as it is. */
#ifndef UI_DBG_APART_H
#define UI_DBG_APART_H
#include <sys/types.h>

/* fork(). Signals wait while there are two of this process: none reaches the child through what the debugger has set
 * up. -1: errno says why. */
pid_t apart_fork(void);
/* In the child, first: it ends with the debugger (parent: its process), and has nothing of what that has open -
 * terminal, files, pipes - but `keep` (-1: nothing). */
void apart_let_go(int keep, pid_t parent);
#endif
