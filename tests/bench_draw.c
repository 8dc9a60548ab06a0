/* What the screen costs: CPU time of a run under the screen at 200x60, view by view, against the same commands without
 * one; and views 9, 1, 2 and 5 with two machines against two machines without a screen, which runs the one as far as
 * it may go and then the other.
 *
 *   bench_draw [-i] [-2] [-nPAIRS] [WORKLOAD [SIZE [VIEWS]]]
 *
 * Default: hotspot large, bfs default, sgemm default; views 1 to 9 and 0; then two machines at their default size.
 * -i: instructions, counted by valgrind (package valgrind), not milliseconds: the same on a busy host, a minute or so a
 * view; what the host's caches lose is not in it.
 * -2: two machines only. -nPAIRS: so many runs of each (of -i, one), for a busier host or finer figures.
 *
 * Both sides run without history: what it costs bench_travel measures, and the thread that has its memory cleared takes
 * several times as long for pages that no process has had lately. Starting up is not drawing: what `quit` alone takes
 * is measured for each side and taken off. Both sides are CPU time of the whole process, user and system, and run in
 * turns on one core (turns.h); of several pairs the median counts. Run from the top directory; WARPDBG names another
 * program than ./warpdbg. */
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "tests/rig/turns.h"

#define PAIRS 5 /* unless told */
#define MOST_PAIRS 99
#define GOAL 5.0 /* percent */
#define VIEWS "1234567890"
#define VIEWS_OF_TWO "9125"
#define NVIEWS (sizeof VIEWS - 1)

static bool instructions; /* count these, once, under callgrind */

struct job {
	const char *workload, *size;
	bool two; /* a second machine: stops at the first different decision, so that it takes two `continue` */
	bool idle;
};

static void profile_path(pid_t pid, char path[64])
{
	snprintf(path, 64, "/tmp/bench_draw.%d", (int)pid);
}

/* Thousands of instructions, as callgrind has written them. */
static double counted(pid_t pid)
{
	char path[64], line[256];
	double n = -1;
	profile_path(pid, path);
	FILE *f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, "summary: ", 9) || !strncmp(line, "totals: ", 8))
			n = strtod(strchr(line, ' '), NULL);
	if (!f || n < 0) {
		fprintf(stderr, "bench_draw: valgrind has counted nothing\n");
		exit(2);
	}
	fclose(f);
	unlink(path);
	return n / 1e3;
}

/* Milliseconds, or thousands of instructions. */
static double cost(const struct racer *r)
{
	const struct rusage *u = &r->usage;
	if (!WIFEXITED(r->status) || WEXITSTATUS(r->status)) {
		fprintf(stderr, "bench_draw: warpdbg did not end well\n");
		exit(2);
	}
	if (instructions)
		return counted(r->pid);
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1e3 +
	       (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e3;
}

static void child(const struct job *j, bool screen)
{
	const char *argv[24], *program = getenv("WARPDBG") ? getenv("WARPDBG") : "./warpdbg";
	char path[64], out[100];
	u32 n = 0;
	turns_child();
	turns_stay();
	setenv("TERM", "xterm-256color", 1);
	profile_path(getpid(), path);
	snprintf(out, sizeof out, "--callgrind-out-file=%s", path);
	if (instructions) {
		argv[n++] = "valgrind";
		argv[n++] = "--tool=callgrind";
		argv[n++] = "--log-file=/dev/null";
		argv[n++] = out;
	}
	argv[n++] = program;
	argv[n++] = "debug";
	argv[n++] = j->workload;
	argv[n++] = "--size";
	argv[n++] = j->size;
	argv[n++] = "--history-mb";
	argv[n++] = "0";
	if (j->two) {
		argv[n++] = "--compare";
		argv[n++] = "--warp-sched lrr";
	}
	if (!screen)
		argv[n++] = "--batch";
	for (u32 i = 0; i < (j->idle ? 0u : j->two ? 2u : 1u); i++) {
		argv[n++] = "-ex";
		argv[n++] = "continue";
	}
	argv[n++] = "-ex";
	argv[n++] = "quit";
	argv[n] = NULL;
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

static struct racer with_screen(const struct job *j, char key)
{
	struct winsize size = {.ws_row = 60, .ws_col = 200};
	struct racer r = {0};
	r.pid = forkpty(&r.fd, NULL, NULL, &size);
	if (!r.pid)
		child(j, true);
	if (r.pid < 0 || write(r.fd, &key, 1) != 1)
		exit(2);
	return r;
}

static struct racer without(const struct job *j)
{
	struct racer r = {.pid = fork(), .fd = -1};
	if (!r.pid) {
		if (!freopen("/dev/null", "w", stdout))
			_exit(127);
		child(j, false);
	}
	if (r.pid < 0)
		exit(2);
	return r;
}

struct pair {
	double shown, plain;
};

static struct pair race(const struct job *j, char view, bool shown_first)
{
	struct racer shown, plain;
	if (shown_first) {
		shown = with_screen(j, view);
		plain = without(j);
		turns_run(&shown, &plain);
	} else {
		plain = without(j);
		shown = with_screen(j, view);
		turns_run(&plain, &shown);
	}
	return (struct pair){cost(&shown), cost(&plain)};
}

/* What starting and leaving takes. */
static struct pair start_up(const struct job *j, u32 pairs)
{
	struct job idle = *j;
	double shown[MOST_PAIRS], plain[MOST_PAIRS];
	idle.idle = true;
	for (u32 i = 0; i < pairs; i++) {
		struct pair p = race(&idle, '1', i % 2);
		shown[i] = p.shown;
		plain[i] = p.plain;
	}
	return (struct pair){turns_median(shown, pairs), turns_median(plain, pairs)};
}

/* The views in turn, so that none has a quiet hour for itself; returns the most. */
static double measure(const struct job *j, const char *views, u32 pairs)
{
	static double over[NVIEWS][MOST_PAIRS]; /* percent */
	u32 n = (u32)strnlen(views, NVIEWS);
	struct pair start = start_up(j, pairs);
	double most = -100, all = 0;
	for (u32 i = 0; i < pairs; i++)
		for (u32 v = 0; v < n; v++) {
			struct pair p = race(j, views[v], i % 2);
			double plain = p.plain - start.plain;
			all += plain / n / pairs;
			over[v][i] = 100 * (p.shown - start.shown - plain) / plain;
		}
	printf("drawing, %s %s%s, 200x60 against no screen (%.0f %s)\n", j->workload, j->size,
	       j->two ? ", two machines" : "", all, instructions ? "thousand instructions" : "ms");
	for (u32 v = 0; v < n; v++) {
		double percent = turns_median(over[v], pairs), low = over[v][pairs / 4], high = over[v][pairs - 1 - pairs / 4];
		printf("  view %c  %+6.1f %%  (%+.1f to %+.1f)  %s\n", views[v], percent, low, high,
		       percent <= GOAL ? "ok" : "above the goal");
		most = percent > most ? percent : most;
	}
	return most;
}

int main(int argc, char **argv)
{
	static const struct job jobs[] = {
	    {"hotspot", "large", false, false}, {"bfs", "default", false, false}, {"sgemm", "default", false, false}};
	double most = -100;
	setvbuf(stdout, NULL, _IOLBF, 0); /* nothing left in it for a fork to repeat */
	bool only_two = false;
	u32 pairs = PAIRS;
	turns_elsewhere();
	for (; argc > 1 && argv[1][0] == '-'; argc--, argv++) {
		instructions |= !strcmp(argv[1], "-i");
		only_two |= !strcmp(argv[1], "-2");
		if (argv[1][1] == 'n')
			pairs = (u32)MIN(MAX(atoi(argv[1] + 2), 1), MOST_PAIRS);
	}
	pairs = instructions ? 1 : pairs;
	for (u32 i = 0; i < (argc > 1 ? 1 : ARRAY_LEN(jobs)); i++) {
		struct job j = jobs[i];
		if (argc > 1)
			j = (struct job){.workload = argv[1], .size = argc > 2 ? argv[2] : "default"};
		double one = only_two ? -100 : measure(&j, argc > 3 ? argv[3] : VIEWS, pairs), two = -100;
		j.two = true;
		j.size = argc > 1 ? j.size : "default";
		if (argc <= 3 || only_two)
			two = measure(&j, argc > 3 ? argv[3] : VIEWS_OF_TWO, pairs);
		most = one > most ? one : most;
		most = two > most ? two : most;
	}
	printf("the most: %.1f %%, the goal: at most %.0f %%: %s\n", most, GOAL, most <= GOAL ? "reached" : "MISSED");
	return 0;
}
