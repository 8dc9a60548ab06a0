/* What going back in time costs: share of the run's CPU time with snapshots on, the first reverse-step after a stop of
 * the run, further ones, and goto anywhere in the run; in the end the goals. One line a workload. CPU time of the
 * simulating thread, so that the thread that clears memory ahead (obs/history/warm.h) does not count; with snapshots
 * and without run in turns (turns.h), and of several pairs the median counts. Run from the top directory.
 *
 *   bench_travel [-nPAIRS] [WORKLOAD[:PARAM=VALUE]...]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands/commands.h"
#include "base/rng.h"
#include "session/session.h"
#include "tests/rig/turns.h"

#define PAIRS 15 /* unless told */
#define MOST_PAIRS 99
#define STEPS 20

static double cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* what: "nw" or "nw:n=4096", one parameter of the host program. This thread stays on a core, the same in both
 * processes; the one that clears memory keeps off it. */
static struct session *start_run(const char *what, const char *history)
{
	static const char *sets[1], *params[1]; /* read as long as the session lives; one at a time does */
	static char workload[64];
	const char *param = strchr(what, ':');
	sets[0] = history;
	params[0] = param ? param + 1 : NULL;
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
	turns_elsewhere();
	struct session *s = session_open(&o, console_modules, &e);
	turns_stay();
	if (!s) {
		fprintf(stderr, "%s: %s\n", workload, e.msg);
		exit(2);
	}
	return s;
}

static void run_to(struct session *s, u64 cycle)
{
	struct err e = {0};
	if (session_run(s, cycle, &e) == (cycle == NEVER ? SS_FINISHED : SS_CYCLE))
		return;
	fprintf(stderr, "%s\n", e.msg);
	exit(2);
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

struct figures {
	u64 cycles;
	double run;                                                /* ms */
	double slower;                                             /* %, with snapshots */
	double first, first_worst, step, step_worst, go, go_worst; /* ms */
};

static void add(double ms, double *mean, double *worst)
{
	*mean += ms / STEPS;
	*worst = MAX(*worst, ms);
}

static void measure_travel(struct session *s, struct figures *f)
{
	u64 rng = 1;
	for (u32 i = 0; i < STEPS; i++)
		add(travel(s, sim_cycle(s->sim) - 1), &f->step, &f->step_worst);
	for (u32 i = 0; i < STEPS; i++)
		add(travel(s, rng_next(&rng) % f->cycles), &f->go, &f->go_worst);
}

/* A run that stops here and there, as at a breakpoint: how far the last snapshot is then. */
static void measure_stops(struct session *s, struct figures *f)
{
	for (u32 i = 1; i <= STEPS; i++) {
		u64 stop = f->cycles / (STEPS + 1) * i;
		run_to(s, stop);
		add(travel(s, stop - 1), &f->first, &f->first_worst);
		travel(s, stop);
	}
}

/* A run in a process of its own, which writes its figures to *out. */
static struct racer start(const char *workload, const char *history, bool back, int *out)
{
	int ends[2];
	struct racer r = {.fd = -1};
	if (pipe(ends) || (r.pid = fork()) < 0) {
		perror("bench_travel");
		exit(2);
	}
	*out = ends[0];
	if (r.pid) {
		close(ends[1]);
		return r;
	}
	turns_child();
	struct figures f = {0};
	struct session *s = start_run(workload, history);
	f.run = cpu_ms();
	run_to(s, NEVER);
	f.run = cpu_ms() - f.run;
	f.cycles = sim_cycle(s->sim);
	if (back) {
		measure_travel(s, &f);
		session_close(s);
		measure_stops(start_run(workload, history), &f);
	}
	_exit(write(ends[1], &f, sizeof f) == sizeof f ? 0 : 2);
}

static struct figures finish(const struct racer *r, int in)
{
	struct figures f;
	if (r->status || read(in, &f, sizeof f) != sizeof f)
		exit(2); /* it has said why */
	close(in);
	return f;
}

/* A pair of runs, without snapshots and with; going back is measured in the last one, when nobody else runs. */
static struct figures race(const char *workload, bool with_first, bool back)
{
	int in[2];
	struct racer off, on;
	if (with_first) {
		on = start(workload, "history.mb=512", back, &in[1]);
		off = start(workload, "history.mb=0", false, &in[0]);
		turns_run(&on, &off);
	} else {
		off = start(workload, "history.mb=0", false, &in[0]);
		on = start(workload, "history.mb=512", back, &in[1]);
		turns_run(&off, &on);
	}
	double plain = finish(&off, in[0]).run;
	struct figures f = finish(&on, in[1]);
	f.slower = 100 * (f.run - plain) / plain;
	return f;
}

static struct figures measure(const char *workload, u32 pairs)
{
	double slower[MOST_PAIRS];
	struct figures f = {0};
	for (u32 i = 0; i < pairs; i++) {
		f = race(workload, i % 2, i + 1 == pairs);
		slower[i] = f.slower;
	}
	f.slower = turns_median(slower, pairs);
	printf("%-12s %12llu %9.1f %% %10.1f %8.1f %10.1f %8.1f %10.1f %8.1f\n", workload, (unsigned long long)f.cycles,
	       f.slower, f.first, f.first_worst, f.step, f.step_worst, f.go, f.go_worst);
	fflush(stdout);
	return f;
}

/* What is asked for, against the worst that was measured. A goto's time is asked for in runs of LONG_RUN cycles. */
#define MOST_SLOWER 5.0
#define MOST_STEP 50.0
#define MOST_GOTO 2000.0
#define LONG_RUN 10000000

static const char *verdict(double worst, double most)
{
	return worst <= most ? "reached" : "MISSED";
}

static void compare(const struct figures *f, u32 n)
{
	struct figures worst = {.slower = -100};
	bool is_long = false;
	for (u32 i = 0; i < n; i++) {
		worst.slower = f[i].slower > worst.slower ? f[i].slower : worst.slower;
		worst.step_worst = MAX(worst.step_worst, MAX(f[i].first_worst, f[i].step_worst));
		worst.go_worst = f[i].go_worst > worst.go_worst ? f[i].go_worst : worst.go_worst;
		is_long |= f[i].cycles >= LONG_RUN;
	}
	printf("goals: at most %.0f %% slower: %.1f %%, %s; a step back under %.0f ms: %.1f ms, %s; goto in a run of %.0f "
	       "million cycles under %.0f s: ",
	       MOST_SLOWER, worst.slower, verdict(worst.slower, MOST_SLOWER), MOST_STEP, worst.step_worst,
	       verdict(worst.step_worst, MOST_STEP), LONG_RUN / 1e6, MOST_GOTO / 1e3);
	if (is_long)
		printf("%.2f s, %s\n", worst.go_worst / 1e3, verdict(worst.go_worst, MOST_GOTO));
	else
		printf("no such run here\n");
}

int main(int argc, char **argv)
{
	static char *const standard[] = {
	    "hotspot", "vecadd", "bfs", "kmeans", "lud", "nw:n=3872", "particlefilter:frames=28"};
	u32 pairs = 0;
	setvbuf(stdout, NULL, _IOLBF, 0); /* nothing left in it for a fork to repeat */
	if (argc > 1 && argv[1][0] == '-' && argv[1][1] == 'n') {
		pairs = (u32)MIN(MAX(atoi(argv[1] + 2), 1), MOST_PAIRS);
		argc--;
		argv++;
	}
	char *const *names = argc > 1 ? argv + 1 : standard;
	struct figures f[64];
	u32 n = argc > 1 ? (u32)argc - 1 : ARRAY_LEN(standard);
	n = MIN(n, (u32)ARRAY_LEN(f));
	printf("%-12s %12s %11s %10s %8s %10s %8s %10s %8s\n", "going back", "cycles", "slower", "first ms", "worst",
	       "step ms", "worst", "goto ms", "worst");
	for (u32 i = 0; i < n; i++) /* one pair of a long run is long enough to tell */
		f[i] = measure(names[i], pairs ? pairs : strchr(names[i], ':') ? 1 : PAIRS);
	compare(f, n);
	return 0;
}
