#include "base/leaving.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "base/tty.h"

static volatile sig_atomic_t came;
static void (*stops)(void);

static void on_leave(int sig)
{
	if (came && sig == SIGTERM)
		tty_end_by(sig);
	if (came)
		return;
	came = sig;
	stops();
	alarm(LEAVE_SECONDS);
}

static void on_alarm(int sig)
{
	tty_end_by(came ? came : sig); /* not ours: somebody has sent it */
}

void leaving_catch(void (*stop)(void))
{
	struct sigaction a = {.sa_handler = on_leave}, before;
	stops = stop;
	sigemptyset(&a.sa_mask);
	sigaction(SIGTERM, &a, NULL);
	if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &a, NULL);
	a.sa_handler = on_alarm;
	sigaction(SIGALRM, &a, NULL);
}

void leaving_heard(void)
{
	alarm(0);
}

int leaving_by(void)
{
	return came;
}
