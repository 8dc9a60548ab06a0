/* Every bundled workload - every file of scripts/workloads - in its small size under half of the warp schedulers, which
 * take turns, with the re-execution queues, instruction prefetch, the compiler's orders, four machines, the networks,
 * the rules of coherence, stores that take effect late and the CTA schedulers: its own check, the conservation laws,
 * and the same bytes left in device memory and the same work done whoever scheduled it.
 *
 * The product of all that is too much for every time: matrix_cover.h chooses what stands for it. MATRIX=full in the
 * environment runs the product of workloads, warp schedulers, queues, orders, prefetch and machines, in which the CTA
 * schedulers (all of them for each workload and scheduler), the networks, the rules of coherence and the kernel-aware
 * schedulers take turns; MATRIX=coherence, under gto, that of the rules of coherence, the networks and the CTA
 * schedulers; MATRIX=n runs n configurations of each workload (13 is: under every scheduler); MATRIX_JOBS=n is how many
 * processes share the runs (else one a processor). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "commands/commands.h"
#include "session/session.h"
#include "tests/rig/catalog_rig.h"
#include "tests/rig/matrix_cover.h"

#define MAX_CYCLES 20000000 /* of a run; the longest takes 1.25 million */
#define MAX_SECONDS 120     /* of a run, on the host */
#define RUNS_MAX 3000       /* two cores need 40 ms a run; the test runner waits ten minutes, on slow hosts too */
#define SCHEDS_MAX 256

/* How much work there is depends on the order of relaxations, so policies may differ in warp instructions (not in what
 * they leave in memory: that is the same for all workloads). */
static const char *const order_dependent[] = {"bfs"};

enum { WAITING, RUNNING, DONE };
struct outcome {
	u8 state;
	pid_t by; /* the process that runs it */
	u64 hash, insts, cycles;
	char why[256]; /* what went wrong; "" = nothing */
};
struct shared {
	atomic_uint next;
	struct outcome out[];
};

static const char *scheds[SCHEDS_MAX];
static struct matrix matrix;
static struct shared *shared;

/* --- what there is ----------------------------------------------------------------------------------------------- */

static struct factor *add_factor(const char *key)
{
	if (matrix.nfactors == FACTORS_MAX)
		fail_msg("more than %u factors", FACTORS_MAX);
	struct factor *f = &matrix.factor[matrix.nfactors++];
	*f = (struct factor){.key = key};
	return f;
}

static void add_level(struct factor *f, const char *level)
{
	if (f->n == LEVELS_MAX)
		fail_msg("%s has more than %u values", f->key, LEVELS_MAX);
	f->level[f->n++] = level;
}

static void add_enum(const char *key)
{
	const struct conf_key *k = conf_find(key);
	assert_non_null(k);
	struct factor *f = add_factor(key);
	char *values = strdup(k->values), *save = NULL;
	for (char *v = strtok_r(values, "|", &save); v; v = strtok_r(NULL, "|", &save))
		add_level(f, strdup(v));
	free(values);
}

static void add_policies(enum policy_kind kind)
{
	const struct policy *p;
	struct factor *f = add_factor(policy_kinds[kind].key);
	for (u32 i = 0; (p = sim_policy(kind, i)); i++)
		add_level(f, p->name);
}

static void find_schedulers(void)
{
	const struct policy *p;
	for (u32 i = 0; (p = sim_policy(POLICY_WARP, i)); i++) {
		assert_true(matrix.scheds < SCHEDS_MAX);
		scheds[matrix.scheds++] = p->name;
	}
}

/* Every workload under both rules of coherence, on both networks, with every CTA scheduler. */
static void choose_coherence(void)
{
	matrix.scheds = 1;
	scheds[0] = "gto";
	add_policies(POLICY_NETWORK);
	add_policies(POLICY_COHERENCE);
	add_policies(POLICY_CTA);
	add_level(add_factor("gpu"), "gtx480"); /* last: see matrix_product() */
	matrix_product(&matrix, 1);
}

static void choose_runs(void)
{
	static const char *const gpus[] = {"gtx480", "rtx2060", "m2090", "gpgpusim_rtx2060"};
	const char *how = getenv("MATRIX");
	if (how && !strcmp(how, "coherence")) {
		choose_coherence();
		return;
	}
	u32 rounds = how ? (u32)strtoul(how, NULL, 10) : 0;
	add_enum("lsu.replay");
	add_enum("schedule");
	struct factor *prefetch = add_factor("sm.fetch_prefetch"), *gpu;
	add_level(prefetch, "false");
	add_level(prefetch, "true");
	gpu = add_factor("gpu");
	for (u32 i = 0; i < ARRAY_LEN(gpus); i++)
		add_level(gpu, gpus[i]);
	const u32 multiplied = matrix.nfactors;
	add_policies(POLICY_NETWORK);
	add_policies(POLICY_COHERENCE);
	add_policies(POLICY_KERNELS);
	const bool full = how && !strcmp(how, "full");
	if (!full) { /* the product need not be twice as large: test_crossing.sh has them all with and without */
		struct factor *delay = add_factor("commit.delay");
		add_level(delay, "0");
		add_level(delay, "3"); /* more than 3 some machine refuses */
	}
	add_policies(POLICY_CTA); /* last: see matrix_product() */
	if (full) {
		matrix_product(&matrix, matrix.nfactors - multiplied);
		return;
	}
	if (how && !rounds)
		fail_msg("MATRIX is a number of configurations, \"full\" or \"coherence\", not '%s'", how);
	if (!rounds)
		rounds = MIN(matrix.scheds / 2 + 1, RUNS_MAX / MAX(1u, matrix.workloads));
	matrix_cover(&matrix, rounds);
}

/* --- one run ----------------------------------------------------------------------------------------------------- */

static const char *level_of(const struct matrix_run *r, u32 f)
{
	return matrix.factor[f].level[r->level[f]];
}

/* The run as a command line. */
static const char *command(const struct matrix_run *r)
{
	static char text[512];
	int n = snprintf(text, sizeof text, "warpdbg run %s --size small --warp-sched %s", workloads.name[r->workload],
	                 scheds[r->sched]);
	for (u32 f = 0; f < matrix.nfactors; f++) {
		bool gpu = !strcmp(matrix.factor[f].key, "gpu");
		n += snprintf(text + n, sizeof text - (size_t)n, gpu ? " --%s %s" : " --set %s=%s", matrix.factor[f].key,
		              level_of(r, f));
	}
	return text;
}

static u64 instructions(struct session *s)
{
	u64 sum = 0;
	for (u32 i = 0; i < gpu_conf(sim_gpu(s->sim))->num_sms; i++)
		sum += ((const struct sm_counters *)gpu_counters(sim_gpu(s->sim), CG_sm, i))->issued;
	return sum;
}

/* In a child of the test: cmocka's own failures are for the parent. */
static void __attribute__((format(printf, 2, 3))) failed(struct outcome *out, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vsnprintf(out->why, sizeof out->why, format, ap);
	va_end(ap);
}

static void finish(struct session *s, struct outcome *out)
{
	struct err e = {0};
	enum session_stop why = session_run(s, NEVER, &e);
	out->cycles = sim_cycle(s->sim);
	if (why != SS_FINISHED) {
		failed(out, "%s %s", session_stop_text(why), e.msg);
		return;
	}
	if (s->check != CHECK_PASS) {
		failed(out, "check %s %s", s->check == CHECK_NONE ? "missing" : "failed:", strbuf_str(&s->check_message));
		return;
	}
	out->hash = devmem_result_hash(sim_devmem(s->sim));
	out->insts = instructions(s);
	sim_drain(s->sim);
	if (!sim_check(s->sim, &e))
		failed(out, "%s", e.msg);
}

static void run_one(const struct matrix_run *r, struct outcome *out)
{
	char set[FACTORS_MAX + 1][128];
	const char *sets[FACTORS_MAX + 1];
	struct options o = {.command = "run",
	                    .workload = workloads.name[r->workload],
	                    .size = "small",
	                    .sets = sets,
	                    .max_cycles = MAX_CYCLES};
	snprintf(set[0], sizeof set[0], "warp-sched=%s", scheds[r->sched]); /* first: the keys win over what it implies */
	sets[o.nsets++] = set[0];
	for (u32 f = 0; f < matrix.nfactors; f++) {
		if (!strcmp(matrix.factor[f].key, "gpu")) {
			o.gpu = level_of(r, f);
			continue;
		}
		snprintf(set[o.nsets], sizeof set[0], "%s=%s", matrix.factor[f].key, level_of(r, f));
		sets[o.nsets] = set[o.nsets];
		o.nsets++;
	}
	struct err e = {0};
	struct session *s = session_open(&o, console_modules, &e);
	if (!s) {
		failed(out, "%s", e.msg);
		return;
	}
	finish(s, out);
	session_close(s);
}

/* --- all of them ------------------------------------------------------------------------------------------------- */

static void work(void)
{
	static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	for (u32 i = 0; i < ARRAY_LEN(deadly); i++)
		signal(deadly[i], SIG_DFL); /* cmocka's handlers would go on with the parent's tests */
	for (u32 i; (i = atomic_fetch_add(&shared->next, 1)) < matrix.n;) {
		struct outcome *out = &shared->out[i];
		out->by = getpid();
		out->state = RUNNING;
		alarm(MAX_SECONDS);
		run_one(&matrix.run[i], out);
		alarm(0);
		out->state = DONE;
	}
}

static void start_worker(void)
{
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		work();
		_exit(0);
	}
	assert_true(pid > 0);
}

/* A run that killed its process: it is the one it had under way. */
static void blame(pid_t pid, int status)
{
	for (u32 i = 0; i < matrix.n; i++) {
		struct outcome *out = &shared->out[i];
		if (out->state != RUNNING || out->by != pid)
			continue;
		out->state = DONE;
		if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
			failed(out, "still running after %u s", MAX_SECONDS);
		else if (WIFSIGNALED(status))
			failed(out, "crashed with signal %d", WTERMSIG(status));
		else
			failed(out, "ended its process with status %d", WEXITSTATUS(status));
	}
}

static u32 jobs(void)
{
	const char *text = getenv("MATRIX_JOBS");
	long n = text ? atol(text) : sysconf(_SC_NPROCESSORS_ONLN);
	return (u32)MIN(MAX(n, 1l), 64l);
}

static void run_all(void)
{
	u32 n = jobs();
	for (u32 i = 0; i < n; i++)
		start_worker();
	while (n) {
		int status;
		pid_t pid = wait(&status);
		assert_true(pid > 0);
		if (WIFEXITED(status) && !WEXITSTATUS(status)) {
			n--;
			continue;
		}
		blame(pid, status);
		start_worker();
	}
}

/* --- tests ------------------------------------------------------------------------------------------------------- */

/* Of a product: each level of the last factor with each workload under each scheduler. */
static void every_turn_met(void)
{
	const u32 last = matrix.nfactors - 1, n = matrix.factor[last].n;
	bool *met = xcalloc((size_t)matrix.workloads * matrix.scheds * n, sizeof *met);
	for (u32 i = 0; i < matrix.n; i++) {
		const struct matrix_run *r = &matrix.run[i];
		met[(r->workload * matrix.scheds + r->sched) * n + r->level[last]] = true;
	}
	for (u32 i = 0; i < matrix.workloads * matrix.scheds * n; i++)
		assert_true(met[i]);
	free(met);
}

/* What the runs stand for. Of a product: every workload has run under every scheduler. Else every workload under so
 * many schedulers as it has runs, and every two schedulers have met in a workload, so that their results are compared.
 */
static void every_pair_met(const bool *ran)
{
	const u32 n = matrix.scheds, each = matrix.product ? n : MIN(n, matrix.n / matrix.workloads);
	bool *met = xcalloc((size_t)n * n, sizeof *met);
	for (u32 w = 0; w < matrix.workloads; w++) {
		u32 under = 0;
		for (u32 a = 0; a < n; a++) {
			under += ran[w * n + a];
			for (u32 b = 0; b < n; b++)
				met[a * n + b] |= ran[w * n + a] && ran[w * n + b];
		}
		assert_int_equal(under, each);
	}
	for (u32 i = 0; i < n * n; i++)
		assert_true(met[i]);
	free(met);
}

/* And a scheduler has met every level of every factor, a workload as well; but of the CTA schedulers, of which there
 * are more than it may have runs, half. */
static void test_cover(void **state)
{
	u32 of_sched = 0, combinations = matrix_combinations(&matrix);
	bool *ran = xcalloc((size_t)matrix.workloads * matrix.scheds, sizeof *ran);
	bool(*with)[FACTORS_MAX][LEVELS_MAX] = xcalloc(matrix.workloads, sizeof *with);
	bool(*under)[FACTORS_MAX][LEVELS_MAX] = xcalloc(matrix.scheds, sizeof *under);
	u8 *seen = xcalloc((size_t)matrix.scheds * combinations, 1);
	for (u32 i = 0; i < matrix.n; i++) {
		const struct matrix_run *r = &matrix.run[i];
		ran[r->workload * matrix.scheds + r->sched] = true;
		u32 c = 0;
		for (u32 f = matrix.nfactors; f-- > 0; c = c * matrix.factor[f].n + r->level[f])
			with[r->workload][f][r->level[f]] = under[r->sched][f][r->level[f]] = true;
		of_sched += !seen[r->sched * combinations + c];
		seen[r->sched * combinations + c] = 1;
	}
	print_message("%u runs: %u workloads x %u warp schedulers", matrix.n, matrix.workloads, matrix.scheds);
	for (u32 f = 0; f < matrix.nfactors; f++)
		print_message(" x %u %s", matrix.factor[f].n, matrix.factor[f].key);
	print_message(";\n%u of the %u configurations beside the workload\n", of_sched, matrix.scheds * combinations);
	every_pair_met(ran);
	if (matrix.product)
		every_turn_met();
	for (u32 f = 0; f < matrix.nfactors; f++) {
		for (u32 w = 0; w < matrix.workloads; w++) {
			u32 levels = 0;
			for (u32 l = 0; l < matrix.factor[f].n; l++)
				levels += with[w][f][l];
			assert_true(levels >= (matrix.n / matrix.workloads < matrix.scheds ? MIN(matrix.factor[f].n, 4u)
			                                                                   : matrix.factor[f].n));
		}
		for (u32 l = 0; l < matrix.factor[f].n; l++)
			for (u32 s = 0; s < matrix.scheds; s++)
				assert_true(under[s][f][l]);
	}
	free(seen);
	free(under);
	free(with);
	free(ran);
}

static void test_every_run_passes(void **state)
{
	u32 bad = 0, longest = 0;
	run_all();
	for (u32 i = 0; i < matrix.n; i++) {
		const struct outcome *o = &shared->out[i];
		if (o->cycles > shared->out[longest].cycles)
			longest = i;
		if (o->state == DONE && !*o->why)
			continue;
		print_error("ERROR: %s: %s\n", command(&matrix.run[i]), o->state == DONE ? o->why : "was not run");
		bad++;
	}
	print_message("longest: %llu cycles: %s\n", (unsigned long long)shared->out[longest].cycles,
	              command(&matrix.run[longest]));
	if (bad)
		fail_msg("%u of %u runs failed", bad, matrix.n);
}

static bool is_order_dependent(u32 workload)
{
	for (u32 i = 0; i < ARRAY_LEN(order_dependent); i++)
		if (!strcmp(workloads.name[workload], order_dependent[i]))
			return true;
	return false;
}

static void differs(const char *what, u32 first, u32 other, u64 a, u64 b)
{
	print_error("ERROR: %s differ: %s: %llx\n", what, command(&matrix.run[first]), (unsigned long long)a);
	print_error("       and %s: %llx\n", command(&matrix.run[other]), (unsigned long long)b);
}

/* Against the workload's first run that ended: the runs of a workload follow each other. */
static void test_same_bytes(void **state)
{
	u32 first = 0, bad = 0, compared = 0;
	for (u32 i = 0; i < matrix.n; i++) {
		const struct outcome *o = shared->out;
		if (matrix.run[i].workload != matrix.run[first].workload || !o[first].hash)
			first = i;
		if (i == first || !o[i].hash)
			continue;
		compared++;
		if (o[i].hash == o[first].hash)
			continue;
		differs("results in device memory", first, i, o[first].hash, o[i].hash);
		bad++;
	}
	assert_int_equal(bad, 0);
	assert_true(compared > matrix.n / 3); /* the first run on each machine is what the others are compared with */
}

static u32 factor_index(const char *key)
{
	for (u32 f = 0; f < matrix.nfactors; f++)
		if (!strcmp(matrix.factor[f].key, key))
			return f;
	fail_msg("no factor %s", key);
	return 0;
}

/* Schedulers decide when, never how much. Per machine: a program may look at how many SMs there are. */
static void test_same_work(void **state)
{
	u32 gpu = factor_index("gpu"), bad = 0, compared = 0;
	u32 first[LEVELS_MAX] = {0};
	for (u32 i = 0; i < matrix.n; i++) {
		const struct matrix_run *r = &matrix.run[i];
		u32 *f = &first[r->level[gpu]];
		bool fits = matrix.run[*f].workload == r->workload && matrix.run[*f].level[gpu] == r->level[gpu];
		if (!fits || !shared->out[*f].insts)
			*f = i;
		if (i == *f || !shared->out[i].insts || is_order_dependent(r->workload))
			continue;
		compared++;
		if (shared->out[i].insts == shared->out[*f].insts)
			continue;
		differs("warp instructions", *f, i, shared->out[*f].insts, shared->out[i].insts);
		bad++;
	}
	assert_int_equal(bad, 0);
	assert_true(compared > matrix.n / 3); /* the first run on each machine is what the others are compared with */
}

static int prepare(void **state)
{
	if (find_files(state))
		return -1;
	matrix.workloads = workloads.n;
	find_schedulers();
	choose_runs();
	size_t bytes = sizeof *shared + matrix.n * sizeof shared->out[0];
	shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared == MAP_FAILED ? -1 : 0;
}

static int release(void **state)
{
	munmap(shared, sizeof *shared + matrix.n * sizeof shared->out[0]);
	free(matrix.run);
	return release_files(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cover),
	    cmocka_unit_test(test_every_run_passes),
	    cmocka_unit_test(test_same_bytes),
	    cmocka_unit_test(test_same_work),
	};
	return cmocka_run_group_tests(tests, prepare, release);
}
