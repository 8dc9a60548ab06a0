/* What the screen costs: CPU time of a run under the screen at 200x60, view by view, against the same commands without
 * one; and views 9, 1, 2 and 5 with two machines against two machines without a screen, which runs the one as far as
 * it may go and then the other.
 *
 *   bench_draw [-i] [-2] [WORKLOAD [SIZE [VIEWS]]]
 *
 * Default: hotspot large, bfs default, sgemm default; views 1 to 9 and 0; then two machines at their default size.
 * -i: instructions, counted by valgrind (package valgrind), not milliseconds: the same on a busy host, a minute or so a
 * view; what the host's caches lose is not in it.
 * -2: two machines only.
 *
 * Both sides run without history: what it costs bench_travel measures, and the thread that has its memory cleared takes
 * several times as long for pages that no process has had lately. Starting up is not drawing: what `quit` alone takes
 * is measured for each side and taken off. Both sides are CPU time of the whole process, user and system, so that a
 * busy host hardly counts; of several rounds the least counts. Run from the top directory; WARPDBG names another
 * program than ./warpdbg. */
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"

#define ROUNDS 5
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
static double cost(pid_t pid)
{
	struct rusage u;
	int status;
	if (wait4(pid, &status, 0, &u) != pid || !WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "warpdbg did not end well\n");
		exit(2);
	}
	if (instructions)
		return counted(pid);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

static void child(const struct job *j, bool screen)
{
	const char *argv[24], *program = getenv("WARPDBG") ? getenv("WARPDBG") : "./warpdbg";
	char path[64], out[100];
	u32 n = 0;
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

static double with_screen(const struct job *j, char key)
{
	struct winsize size = {.ws_row = 60, .ws_col = 200};
	char text[65536];
	int fd;
	pid_t pid = forkpty(&fd, NULL, NULL, &size);
	if (!pid)
		child(j, true);
	if (write(fd, &key, 1) != 1)
		exit(2);
	while (read(fd, text, sizeof text) > 0) /* ends with the child */
		;
	close(fd);
	return cost(pid);
}

static double without(const struct job *j)
{
	pid_t pid = fork();
	if (!pid) {
		if (!freopen("/dev/null", "w", stdout))
			_exit(127);
		child(j, false);
	}
	return cost(pid);
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* What starting and leaving takes. */
static void start_up(const struct job *j, u32 rounds, double *screen, double *plain)
{
	struct job idle = *j;
	idle.idle = true;
	*screen = *plain = 1e18;
	for (u32 i = 0; i < rounds; i++) {
		*screen = least(*screen, with_screen(&idle, '1'));
		*plain = least(*plain, without(&idle));
	}
}

static double report(char view, double with, double base)
{
	double percent = 100 * (with - base) / base;
	printf("  view %c  %+6.1f %%  %s\n", view, percent, percent <= GOAL ? "ok" : "above the goal");
	return percent;
}

/* The views in turn, the plain run in front of every one of them; as many plain runs count as a view has. */
static double measure(const struct job *j, const char *views)
{
	double with[NVIEWS], base[NVIEWS], shown, plain, most = -100, all = 0;
	u32 n = (u32)strnlen(views, NVIEWS);
	u32 rounds = instructions ? 1 : ROUNDS;
	start_up(j, rounds, &shown, &plain);
	for (u32 v = 0; v < n; v++)
		with[v] = base[v] = 1e18;
	for (u32 i = 0; i < rounds; i++)
		for (u32 v = 0; v < n; v++) {
			base[v] = instructions && v ? base[0] : least(base[v], without(j));
			with[v] = least(with[v], with_screen(j, views[v]));
		}
	for (u32 v = 0; v < n; v++)
		all += (base[v] - plain) / n;
	printf("drawing, %s %s%s, 200x60 against no screen (%.0f %s)\n", j->workload, j->size,
	       j->two ? ", two machines" : "", all, instructions ? "thousand instructions" : "ms");
	for (u32 v = 0; v < n; v++) {
		double percent = report(views[v], with[v] - shown, all);
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
	for (; argc > 1 && argv[1][0] == '-'; argc--, argv++) {
		instructions |= !strcmp(argv[1], "-i");
		only_two |= !strcmp(argv[1], "-2");
	}
	for (u32 i = 0; i < (argc > 1 ? 1 : ARRAY_LEN(jobs)); i++) {
		struct job j = jobs[i];
		if (argc > 1)
			j = (struct job){.workload = argv[1], .size = argc > 2 ? argv[2] : "default"};
		double one = only_two ? -100 : measure(&j, argc > 3 ? argv[3] : VIEWS), two = -100;
		j.two = true;
		j.size = argc > 1 ? j.size : "default";
		if (argc <= 3 || only_two)
			two = measure(&j, argc > 3 ? argv[3] : VIEWS_OF_TWO);
		most = one > most ? one : most;
		most = two > most ? two : most;
	}
	printf("the most: %.1f %%, the goal: at most %.0f %%: %s\n", most, GOAL, most <= GOAL ? "reached" : "MISSED");
	return 0;
}
