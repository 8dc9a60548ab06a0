#include "base/leaving.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/outfile.h"
#include "base/tty.h"

#define HEELS_NS 50000000ll /* a second signal within this time is the first one's echo */

static const int asking[] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t came;
static volatile sig_atomic_t heard; /* what ran has stopped: no time limit any more */
static volatile sig_atomic_t keeps_interrupt;
static volatile sig_atomic_t signals; /* so many have come */
static void (*volatile listener)(void);
static void (*volatile on_interrupt)(void);
static struct timespec came_at;

/* Where nobody listened nothing had begun: nothing that has been written is of use. */
static void end_by(int sig)
{
	outfiles_cut(listener);
	tty_end_by(sig);
}

static bool on_the_heels(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (t.tv_sec - came_at.tv_sec) * 1000000000ll + t.tv_nsec - came_at.tv_nsec < HEELS_NS;
}

static void on_signal(int sig)
{
	const int error = errno;
	signals++;
	if (sig == SIGINT && keeps_interrupt) {
		if (on_interrupt)
			on_interrupt();
	} else if (!listener) {
		end_by(came ? came : sig);
	} else if (!came) {
		clock_gettime(CLOCK_MONOTONIC, &came_at);
		came = sig;
		listener();
		if (sig != SIGINT && !heard)
			alarm(LEAVE_SECONDS);
	} else if (sig != SIGHUP && !on_the_heels()) {
		end_by(came);
	}
	errno = error;
}

static void on_alarm(int sig)
{
	end_by(came ? came : sig); /* not ours: somebody has sent it */
}

static void on_end(int sig)
{
	end_by(sig);
}

static bool is_ignored(int sig)
{
	struct sigaction before;
	return !sigaction(sig, NULL, &before) && before.sa_handler == SIG_IGN;
}

/* Calls that write go on behind the handler (SA_RESTART), or what they write would be lost; who reads asks
 * leaving_wait_input(). */
void leaving_begin(void)
{
	struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	sigemptyset(&a.sa_mask);
	for (u32 i = 0; i < ARRAY_LEN(asking); i++)
		sigaddset(&a.sa_mask, asking[i]);
	sigaddset(&a.sa_mask, SIGALRM);
	for (u32 i = 0; i < ARRAY_LEN(asking); i++)
		if (asking[i] != SIGHUP || !is_ignored(SIGHUP))
			sigaction(asking[i], &a, NULL);
	a.sa_handler = on_alarm;
	a.sa_flags = 0; /* or readline would not hear it */
	sigaction(SIGALRM, &a, NULL);
	a.sa_handler = on_end;
	if (!is_ignored(SIGPIPE))
		sigaction(SIGPIPE, &a, NULL);
	sigaction(SIGQUIT, &a, NULL);
}

void leaving_tell(void (*stop)(void))
{
	listener = stop;
}

void leaving_not_by_interrupt(void (*stop)(void))
{
	on_interrupt = stop;
	keeps_interrupt = 1;
}

void leaving_heard(void)
{
	heard = 1;
	alarm(0);
}

void leaving_note(int sig)
{
	if (!came)
		came = sig;
}

int leaving_by(void)
{
	return came;
}

/* A signal between the look at `came` and the wait must end the wait: it is held back until then. Others, such as that
 * of a terminal's new size, do not end it. */
bool leaving_wait_input(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	sigset_t held, before;
	sigemptyset(&held);
	for (u32 i = 0; i < ARRAY_LEN(asking); i++)
		sigaddset(&held, asking[i]);
	sigprocmask(SIG_BLOCK, &held, &before);
	const sig_atomic_t n = signals;
	int r = -1;
	do
		r = came ? -1 : ppoll(&p, 1, NULL, &before);
	while (r < 0 && errno == EINTR && !came && signals == n);
	const bool ready = r >= 0 || (!came && signals == n);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ready;
}

int leaving_end(int status)
{
	listener = NULL; /* from here on a signal ends it by itself */
	alarm(0);
	if (came)
		end_by(came);
	return status;
}
