#include "dbg/apart.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/base.h"

/* Whatever the debugger has open - its terminal, files that it writes, the pipes of other rows - is nothing here. Who
 * writes to it writes to nowhere, and its number is not given to another file. */
static void let_go_of_files(int keep)
{
	const int nowhere = open("/dev/null", O_RDWR);
	DIR *all = opendir("/proc/self/fd");
	if (nowhere < 0)
		_exit(1);
	if (!all)
		for (int i = 0; i < 1024; i++)
			if (i != keep && i != nowhere && fcntl(i, F_GETFD) >= 0)
				dup2(nowhere, i);
	for (struct dirent *x; all && (x = readdir(all));) {
		const int i = atoi(x->d_name);
		if (*x->d_name != '.' && i != keep && i != nowhere && i != dirfd(all))
			dup2(nowhere, i);
	}
	if (all)
		closedir(all);
}

void apart_let_go(int keep, pid_t parent)
{
	/* What the debugger, its terminal and readline catch; the clock of Lua's budgets stays. */
	static const int mine[] = {SIGINT,  SIGTERM,  SIGHUP,  SIGQUIT, SIGPIPE, SIGALRM, SIGTSTP, SIGCONT, SIGTTIN,
	                           SIGTTOU, SIGWINCH, SIGCHLD, SIGSEGV, SIGBUS,  SIGILL,  SIGFPE,  SIGABRT};
	sigset_t none;
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* whatever happens to the debugger, nothing goes on without it */
	if (getppid() != parent)
		_exit(1);
#endif
	setpgid(0, 0); /* Ctrl-C is for the debugger, which ends this process itself */
	for (u32 i = 0; i < ARRAY_LEN(mine); i++)
		signal(mine[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	let_go_of_files(keep);
}

pid_t apart_fork(void)
{
	sigset_t all, before;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	const pid_t pid = fork();
	if (!pid)
		return 0;
	const int why = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = why;
	return pid;
}
