/* Two processes in turns on one core, so that what each has taken can be compared on a busy host: when other guests or
 * the clock make the core slow, they make it slow for both. Two runs after one another differ by 10 % and more on such
 * a host, two in turns by 1 or 2 %.
 *
 * A process that is stopped for a while takes notice of wall time, as it would of a busy host; of CPU time it does not.
 */
#ifndef TESTS_RIG_TURNS_H
#define TESTS_RIG_TURNS_H
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TURN_MS 100 /* long against the refilling of the core's caches, short against what goes on outside */
#define LOOK_MS 5   /* at most that much of a turn is lost when the process ends in it */

struct racer {
	pid_t pid; /* started, and not to be waited for by anyone else */
	int fd;    /* its terminal, read and thrown away; -1: it has none */
	bool ended;
	int status; /* as waitpid tells it */
	struct rusage usage;
};

/* In the new process: it stays on a core, the same for all of them; not that of the process that reads its terminal, as
 * with a terminal of its own. Where there is one core, or that is refused, figures are less exact. */
static inline void turns_stay(void)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) - 1, &set);
	sched_setaffinity(0, sizeof set, &set);
}

/* The process that starts them: on another one. */
static inline void turns_elsewhere(void)
{
	cpu_set_t set;
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	CPU_ZERO(&set);
	for (long i = 0; i < n - 1; i++)
		CPU_SET(i, &set);
	if (n > 1)
		sched_setaffinity(0, sizeof set, &set);
}

/* It ends with the one that starts and stops it, whatever ends that; stopped, too. */
static void turns_child(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static bool turns_look(struct racer *r, int options)
{
	if (!r->ended && wait4(r->pid, &r->status, options, &r->usage) == r->pid)
		r->ended = true;
	return r->ended;
}

/* Waits for so long, or until there is something to read, which is thrown away. */
static void turns_read(struct racer *r, int ms)
{
	char text[65536];
	struct pollfd p = {.fd = r->fd, .events = POLLIN};
	struct timespec nap = {.tv_nsec = ms * 1000000L};
	if (r->fd < 0 || poll(&p, 1, ms) < 0)
		nanosleep(&nap, NULL);
	else if (p.revents && read(r->fd, text, sizeof text) <= 0) { /* a terminal whose other side is gone */
		close(r->fd);
		r->fd = -1;
	}
}

static double turns_now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void turns_one(struct racer *r, double ms)
{
	double until = turns_now_ms() + ms;
	if (turns_look(r, WNOHANG))
		return;
	kill(r->pid, SIGCONT);
	while (turns_now_ms() < until && !turns_look(r, WNOHANG))
		turns_read(r, LOOK_MS);
	if (!r->ended)
		kill(r->pid, SIGSTOP);
}

/* Both run to their ends. To be started in a stopped state, or just before. */
static void turns_run(struct racer *a, struct racer *b)
{
	kill(b->pid, SIGSTOP);
	while (!a->ended || !b->ended) {
		turns_one(a, b->ended ? 1e9 : TURN_MS);
		turns_one(b, a->ended ? 1e9 : TURN_MS);
	}
	for (struct racer *r = a; r; r = r == a ? b : NULL)
		if (r->fd >= 0) {
			close(r->fd);
			r->fd = -1;
		}
}

static int turns_by_value(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return (a > b) - (a < b);
}

/* Sorts them. */
static double turns_median(double *v, size_t n)
{
	qsort(v, n, sizeof *v, turns_by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}
#endif
