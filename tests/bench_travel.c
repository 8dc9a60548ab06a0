/* What going back in time costs: share of the run's CPU time with snapshots on, reverse-step, and goto anywhere in the
 * run. One line a workload; CPU time of the simulating thread, so that a busy host does not count, nor the thread that
 * clears memory ahead (obs/warm.h). Run from the top directory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "session.h"

static double cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* "nw" or "nw:n=4096": one parameter of the host program. */
static struct session *run(const char *what, const char *history, double *ms)
{
	const char *sets[] = {history}, *param = strchr(what, ':'), *params[] = {param ? param + 1 : NULL};
	static char workload[64];
	snprintf(workload, sizeof workload, "%.*s", (int)strcspn(what, ":"), what);
	static struct options o;
	struct err e = {0};
	o = (struct options){.command = "debug",
	                     .workload = workload,
	                     .gpu = "gtx480",
	                     .sets = sets,
	                     .nsets = 1,
	                     .params = params,
	                     .nparams = param != NULL,
	                     .max_cycles = NEVER};
	struct session *s = session_open(&o, &e);
	if (!s || (*ms = cpu_ms(), session_run(s, NEVER, &e) != SS_FINISHED)) {
		fprintf(stderr, "%s: %s\n", workload, e.msg);
		exit(2);
	}
	*ms = cpu_ms() - *ms;
	return s;
}

static double travel(struct session *s, u64 cycle)
{
	struct err e = {0};
	double from = cpu_ms();
	if (!session_goto(s, cycle, &e)) {
		fprintf(stderr, "%s\n", e.msg);
		exit(2);
	}
	return cpu_ms() - from;
}

static void measure(const char *workload)
{
	double off = 1e9, on = 1e9, ms, back = 0, worst_back = 0, far = 0, worst_far = 0;
	u64 rng = 1;
	struct session *s = NULL;
	for (u32 i = 0; i < 3; i++) { /* the best of three each, in turn */
		session_close(run(workload, "history.mb=0", &ms));
		off = ms < off ? ms : off;
		session_close(s);
		s = run(workload, "history.mb=512", &ms);
		on = ms < on ? ms : on;
	}
	u64 end = sim_cycle(s->sim);
	for (u32 i = 0; i < 20; i++) {
		ms = travel(s, sim_cycle(s->sim) - 1);
		back += ms / 20;
		worst_back = ms > worst_back ? ms : worst_back;
	}
	for (u32 i = 0; i < 20; i++) {
		ms = travel(s, rng_next(&rng) % end);
		far += ms / 20;
		worst_far = ms > worst_far ? ms : worst_far;
	}
	printf("%-12s %12llu %9.1f %% %10.1f %8.1f %10.1f %8.1f\n", workload, (unsigned long long)end,
	       100 * (on - off) / off, back, worst_back, far, worst_far);
	session_close(s);
}

int main(int argc, char **argv)
{
	static char *const standard[] = {"hotspot", "vecadd", "bfs", "kmeans", "lud"};
	printf("%-12s %12s %11s %10s %8s %10s %8s\n", "going back", "cycles", "slower", "step ms", "worst", "goto ms",
	       "worst");
	if (argc == 1)
		for (u32 i = 0; i < ARRAY_LEN(standard); i++)
			measure(standard[i]);
	for (int i = 1; i < argc; i++)
		measure(argv[i]);
	return 0;
}
