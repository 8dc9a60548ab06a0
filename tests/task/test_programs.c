/* Several host programs on one machine: each computes what it computes alone, wherever one stops, goes back or changes
 * something; none sees another's memory, streams, variables or random numbers; messages name the one they are about.
 *
 * WARPDBG_PAIRS=N: so many pairs of small workloads (3); 162: each beside its next, under each policy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "dbg/debugger.h"
#include "obs/stats/stats.h"
#include "tests/rig/catalog_rig.h"
#include "tests/rig/debug_rig.h"
#include "tests/rig/rounds.h"

/* --- pairs --- */

static const char *const sharing[][4] = {
    {"--partition", "fcfs", NULL},
    {"--partition", "spatial", "--preempt", "switch"},
    {"--partition", "smk", "--preempt", "switch"},
    {"--partition", "maestro", "--set", "maestro.epoch=500"},
};

static struct session *open_args(struct options *o, char **argv)
{
	struct err e = {0};
	int argc = 0;
	while (argv[argc])
		argc++;
	if (cmdline_parse(o, argc, argv, &e) != CMDLINE_OK)
		fail_msg("%s", e.msg);
	struct session *s = session_open(o, console_modules, &e);
	if (!s)
		fail_msg("%s", e.msg);
	return s;
}

static struct session *open_two(struct options *o, const char *a, const char *b, const char *const *policy)
{
	char *argv[] = {"warpdbg", "run", "--size", "small", (char *)a, NULL, NULL, NULL, NULL, NULL, NULL};
	u32 n = 5;
	if (b)
		argv[n++] = (char *)b;
	for (u32 i = 0; policy && i < 4 && policy[i]; i++)
		argv[n++] = (char *)policy[i];
	return open_args(o, argv);
}

static u64 owner_hash(struct session *s, u32 program)
{
	return devmem_owner_hash(sim_devmem(s->sim), OWNER(program, 0));
}

static void finish_session(struct session *s)
{
	struct err e = {0};
	enum session_stop why = session_run(s, NEVER, &e);
	if (why != SS_FINISHED)
		fail_msg("%s: %s %s", s->name, session_stop_text(why), e.msg);
	if (s->check == CHECK_FAIL)
		fail_msg("%s: %s", s->name, strbuf_str(&s->check_message));
	sim_drain(s->sim);
	if (!sim_check(s->sim, &e))
		fail_msg("%s: %s", s->name, e.msg);
}

static void close_session(struct session *s, struct options *o)
{
	session_close(s);
	cmdline_free(o);
}

static u64 alone(const char *workload)
{
	struct options o;
	struct session *s = open_two(&o, workload, NULL, NULL);
	finish_session(s);
	const u64 hash = devmem_result_hash(sim_devmem(s->sim));
	assert_true(hash == owner_hash(s, 0));
	close_session(s, &o);
	return hash;
}

static void pair(const char *a, const char *b, const char *const *policy)
{
	struct options o;
	const u64 want[2] = {alone(a), alone(b)};
	struct session *s = open_two(&o, a, b, policy);
	finish_session(s);
	for (u32 i = 0; i < 2; i++)
		if (owner_hash(s, i) != want[i])
			fail_msg("%s under %s: the result of %s is not the one it gives alone", s->name, policy[1],
			         s->programs[i].name);
	close_session(s, &o);
}

static void each_computes_what_it_computes_alone(void **state)
{
	static const char *const few[][2] = {
	    {"hotspot", "bfs"}, {"histogram", "vecadd"}, {"reduction", "reduction"}, {"bfs", "hotspot"}};
	const char *times = getenv("WARPDBG_PAIRS");
	const u32 n = times ? (u32)strtoul(times, NULL, 10) : ARRAY_LEN(few);
	for (u32 i = 0; i < n; i++)
		if (times)
			pair(workloads.name[i / 3 % workloads.n], workloads.name[(i / 3 + 1) % workloads.n],
			     sharing[i % ARRAY_LEN(sharing)]);
		else
			pair(few[i][0], few[i][1], sharing[i % ARRAY_LEN(sharing)]);
}

/* --- time --- */

struct end {
	u64 cycle, hash, results;
};

static struct end end_of(struct session *s)
{
	return (struct end){sim_cycle(s->sim), sim_hash(s->sim), devmem_result_hash(sim_devmem(s->sim))};
}

static void assert_same(struct end a, struct end b)
{
	assert_int_equal(a.cycle, b.cycle);
	assert_true(a.hash == b.hash);
	assert_true(a.results == b.results);
}

static struct end in_slices(u64 slice)
{
	struct options o;
	struct err e = {0};
	struct session *s = open_two(&o, "bfs", "lud", sharing[2]);
	enum session_stop why;
	do
		why = session_run(s, slice == NEVER ? NEVER : sim_cycle(s->sim) + slice, &e);
	while (why == SS_CYCLE);
	assert_int_equal(why, SS_FINISHED);
	assert_int_equal(s->check, CHECK_PASS);
	struct end end = end_of(s);
	close_session(s, &o);
	return end;
}

static void stops_change_nothing(void **state)
{
	struct end whole = in_slices(NEVER);
	assert_same(whole, in_slices(777));
	assert_same(whole, in_slices(64));
}

static void must(struct rig *r, const char *fmt, ...)
{
	char line[200];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	if (!rig_try(r, line))
		fail_msg("%s: %s", line, r->e.msg);
}

static struct end finish(struct rig *r)
{
	if (r->d->run.rest != DBG_FINISHED)
		must(r, "continue");
	assert_int_equal(r->d->run.rest, DBG_FINISHED);
	assert_int_equal(r->s->check, CHECK_PASS);
	return end_of(r->s);
}

static void open_debugger(struct rig *r, const char *const *policy)
{
	char *argv[] = {"warpdbg",         "debug",           "--size",          "small",           "bfs", "lud",
	                (char *)policy[0], (char *)policy[1], (char *)policy[2], (char *)policy[3], NULL};
	rig_open(r, argv);
}

/* A program with many launches beside one that fills the machine, so that SMs and places change hands again and again.
 */
static void open_restless(struct rig *r, const char *const *policy)
{
	char *argv[20] = {"warpdbg", "debug",   "bfs",        "--size",  "small",
	                  "cp",      "--param", "points=256", "--param", "atoms=60"};
	for (u32 i = 0; policy[i]; i++)
		argv[10 + i] = (char *)policy[i];
	rig_open(r, argv);
}

/* What moves CTAs about while programs share the machine. */
static const struct moving {
	const char *const policy[9];
	bool preempts, repartitions, swaps;
} moving[] = {
    {{"--partition", "fcfs", NULL}, false, false, false},
    {{"--partition", "spatial", "--preempt", "chimera", NULL}, true, true, false},
    {{"--partition", "smk", "--preempt", "switch", "--set", "preempt.traffic=true", NULL}, true, true, false},
    {{"--partition", "maestro", "--preempt", "switch", "--set", "maestro.epoch=500", NULL}, true, true, false},
    {{"--partition", "warped-slicer", "--preempt", "flush", "--set", "slicer.profile=500", NULL}, true, false, false},
    {{"--set", "cta-virtual=vt", "--set", "sm.ctas=2", NULL}, false, false, true},
};

static bool note(void *ctx, const struct event *e)
{
	*(event_set *)ctx |= EVENT(e->type);
	return false;
}

/* Wherever one goes, the end is the same, and so is every cycle seen twice. */
static void going_back_and_on(void **state)
{
	u64 rng = 14;
	for (u32 p = 0; p < ARRAY_LEN(moving); p++) {
		struct rig r;
		event_set seen = 0;
		open_restless(&r, moving[p].policy);
		sim_subscribe(r.s->sim, EVENT(EV_PREEMPT_DONE) | EVENT(EV_REPARTITION) | EVENT(EV_CTA_SWAP_OUT), note, &seen);
		const struct end end = finish(&r);
		if (!(seen & EVENT(EV_PREEMPT_DONE)) == moving[p].preempts ||
		    !(seen & EVENT(EV_REPARTITION)) == moving[p].repartitions ||
		    !(seen & EVENT(EV_CTA_SWAP_OUT)) == moving[p].swaps)
			fail_msg("row %u: preempts %d, repartitions %d, swaps %d", p, !!(seen & EVENT(EV_PREEMPT_DONE)),
			         !!(seen & EVENT(EV_REPARTITION)), !!(seen & EVENT(EV_CTA_SWAP_OUT)));
		u64 at[8], hash[8];
		const u32 n = rounds(NULL, 8, 3);
		for (u32 i = 0; i < n; i++) {
			at[i] = rng_next(&rng) % end.cycle;
			must(&r, "goto %llu", (unsigned long long)at[i]);
			hash[i] = sim_hash(r.s->sim);
			if (i % 4 == 1)
				must(&r, "reverse-step %llu", (unsigned long long)(1 + rng_next(&rng) % 50));
			if (i % 4 == 2)
				must(&r, "step %llu", (unsigned long long)(1 + rng_next(&rng) % 500));
			if (i == n - 1)
				assert_same(end, finish(&r));
		}
		for (u32 i = n; i-- > 0;) {
			must(&r, "goto %llu", (unsigned long long)at[i]);
			assert_true(sim_hash(r.s->sim) == hash[i]);
		}
		rig_close(&r);
	}
}

/* The programs are brought back each to its own step, and go on from there. */
static void changing_the_past(void **state)
{
	u64 rng = 41;
	struct rig r;
	open_debugger(&r, sharing[1]);
	const struct end end = finish(&r);
	for (u32 i = 0; i < 2; i++) {
		const u64 cycle = 1 + rng_next(&rng) % (end.cycle - 1);
		must(&r, "goto %llu", (unsigned long long)cycle);
		const u64 here = sim_hash(r.s->sim);
		must(&r, "set warp-sched %s", i % 2 ? "lrr" : "tlv");
		const struct end other = finish(&r);
		assert_true(other.results == end.results);
		must(&r, "goto %llu", (unsigned long long)(cycle / 2));
		must(&r, "goto %llu", (unsigned long long)other.cycle);
		assert_same(other, end_of(r.s));
		for (u32 k = 0; k < 3; k++)
			must(&r, "undo"); /* the gotos, the run */
		assert_int_equal(sim_cycle(r.s->sim), cycle);
		must(&r, "undo"); /* the change */
		assert_true(sim_cycle(r.s->sim) == cycle && sim_hash(r.s->sim) == here);
		assert_same(end, finish(&r));
	}
	rig_close(&r);
}

static void other_programs_in_the_debugger(void **state)
{
	struct rig r;
	open_debugger(&r, sharing[0]);
	const struct end end = finish(&r);
	rig_has(&r, "info kernels", "lud: ");
	must(&r, "run");
	assert_same(end, finish(&r));
	must(&r, "run --size small hotspot vecadd");
	assert_int_equal(r.s->nprograms, 2);
	assert_string_equal(r.s->name, "hotspot+vecadd");
	finish(&r);
	must(&r, "run --warp-sched lrr");
	assert_string_equal(r.s->name, "hotspot+vecadd");
	finish(&r);
	must(&r, "run hotspot --size small");
	assert_int_equal(r.s->nprograms, 1);
	finish(&r);
	rig_close(&r);
}

/* --- programs of the test's own --- */

static char dir[] = "/tmp/warpdbg-programs-XXXXXX";
static const char ptx[] = ".version 4.3\n.target sm_20\n.address_size 64\n"
                          ".global .u32 seen;\n"
                          ".visible .entry poke(.param .u64 p, .param .u32 n)\n{\n"
                          ".reg .u64 %rd<4>; .reg .u32 %r<6>; .reg .pred %p;\n"
                          "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\nmov.u32 %r2, 0;\n"
                          "L: add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p, %r2, %r1;\n@%p bra L;\n"
                          "ld.global.u32 %r3, [%rd1];\nadd.u32 %r3, %r3, 1;\nst.global.u32 [%rd1], %r3;\n"
                          "ld.global.u32 %r4, [seen];\nadd.u32 %r4, %r4, 1;\nst.global.u32 [seen], %r4;\nret;\n}\n";

static const char *file(const char *name, const char *text)
{
	static char path[8][128];
	static u32 at;
	char *p = path[at++ % 8];
	snprintf(p, sizeof path[0], "%s/%s", dir, name);
	FILE *f = fopen(p, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return p;
}

static const char *program(const char *name, const char *body)
{
	struct strbuf text = STRBUF_INIT;
	strbuf_addf(&text,
	            "local count = 0\nreturn { name = 'x', run = function(cuda, p)\n"
	            "local m = cuda.module('poke.ptx')\n%s\nend }\n",
	            body);
	const char *path = file(name, text.buf);
	strbuf_release(&text);
	return path;
}

static int make_dir(void **state)
{
	if (find_files(state) || !mkdtemp(dir))
		return -1;
	file("poke.ptx", ptx);
	return 0;
}

static int remove_dir(void **state)
{
	static const char *const names[] = {"poke.ptx", "a.lua", "b.lua"};
	char path[128];
	for (u32 i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		unlink(path);
	}
	return release_files(state) || rmdir(dir);
}

static enum session_stop run_two(const char *a, const char *b, struct session **s, struct options *o, struct err *e)
{
	char *argv[] = {"warpdbg", "run", (char *)a, (char *)b, "--partition", "smk", NULL};
	*s = open_args(o, argv);
	return session_run(*s, NEVER, e);
}

/* One runs for long in its stream 0: the other's work in its own stream 0 neither waits for that, nor does its sync. */
static void streams_are_each_programs_own(void **state)
{
	struct options o;
	struct session *s;
	struct err e = {0};
	const char *a = program("a.lua", "local b = cuda.malloc(4, 'b')\n"
	                                 "cuda.launch(m.poke, 1, 1, {b, 20000})\ncuda.sync()");
	const char *b = program("b.lua", "local b = cuda.malloc(4, 'b')\n"
	                                 "for i = 1, 3 do cuda.launch(m.poke, 1, 1, {b, 10})\ncuda.sync() end\n"
	                                 "cuda.sync(cuda.stream())");
	assert_int_equal(run_two(a, b, &s, &o, &e), SS_FINISHED);
	struct program_stats of[2];
	for (u32 i = 0; i < 2; i++)
		program_stats_of(sim_gpu(s->sim), i, &of[i]);
	assert_int_equal(of[0].kernels, 1);
	assert_int_equal(of[1].kernels, 3);
	assert_true(of[1].end < of[0].end / 2);
	assert_true(of[0].done && of[1].done && sim_cycle(s->sim) >= of[0].end);
	/* The programs' instructions are the machine's. */
	struct stats *st = stats_gather(sim_gpu(s->sim), &(struct run_info){.workload = "", .check = "", .stop = ""});
	assert_int_equal(of[0].warp_insts + of[1].warp_insts, st->warp_insts);
	assert_int_equal(of[0].thread_insts + of[1].thread_insts, st->thread_insts);
	stats_free(st);
	close_session(s, &o);
}

/* Cycles from the end of a kernel of the first program to its next launch, which are the same each time. */
static u64 lag(struct session *s)
{
	u64 ended = 0, all = 0;
	u32 seen = 0;
	for (u32 i = 0; i < gpu_num_kernels(sim_gpu(s->sim)); i++) {
		struct kernel_info k;
		gpu_kernel_info(sim_gpu(s->sim), i, &k);
		if (k.program)
			continue;
		const u64 cycles = k.counters->launched_at - ended;
		if (seen++ > 1)
			assert_int_equal(cycles, all);
		all = cycles;
		ended = k.counters->ended_at;
	}
	assert_int_equal(seen, 5);
	return all;
}

/* A program's wait ends at the very cycle at which it ends alone, though another runs on. */
static void waits_end_when_they_end_alone(void **state)
{
	const char *a = program("a.lua", "local b = cuda.malloc(4, 'b')\n"
	                                 "for i = 1, 5 do cuda.launch(m.poke, 1, 1, {b, 10 + i})\ncuda.sync() end");
	const char *b = program("b.lua", "local b = cuda.malloc(4, 'b')\ncuda.launch(m.poke, 1, 1, {b, 9000})");
	struct options o;
	struct err e = {0};
	u64 lags[2];
	for (u32 i = 0; i < 2; i++) {
		char *argv[] = {"warpdbg", "run", "--partition", "spatial", (char *)a, i ? (char *)b : NULL, NULL};
		struct session *s = open_args(&o, argv);
		assert_int_equal(session_run(s, NEVER, &e), SS_FINISHED);
		lags[i] = lag(s);
		close_session(s, &o);
	}
	assert_int_equal(lags[0], lags[1]);
}

static void variables_of_modules_and_lua_are_own(void **state)
{
	struct options o;
	struct session *s;
	struct err e = {0};
	static const char body[] = "assert(shared == nil); shared = 1\n"
	                           "local first = math.random(1000000); local r = cuda.host('u32', 1):rand(0, 1000000)\n"
	                           "local b = cuda.malloc(8, 'b')\n"
	                           "cuda.launch(m.poke, 1, 1, {b, 10}); cuda.sync()\n"
	                           "local out = cuda.host('u32', 1); cuda.copy(out, cuda.symbol(m, 'seen'))\n"
	                           "cuda.check(function() return out[0] == 1, 'seen ' .. out[0] end)\n"
	                           "cuda.print(first, r[0], math.random(1000000), cuda.host('u32', 1):rand(0, 1000000)[0])";
	const char *a = program("a.lua", body), *b = program("b.lua", body);
	if (run_two(a, b, &s, &o, &e) != SS_FINISHED)
		fail_msg("%s", e.msg);
	if (s->check != CHECK_PASS)
		fail_msg("%s", strbuf_str(&s->check_message));
	const char *half = strchr(strbuf_str(&s->output), '\n');
	assert_non_null(half);
	const size_t line = (size_t)(half - s->output.buf) + 1;
	assert_int_equal(s->output.len, 2 * line);
	assert_memory_equal(s->output.buf, s->output.buf + line, line);
	assert_true(owner_hash(s, 0) == owner_hash(s, 1));
	close_session(s, &o);
}

static void memory_of_others_is_out_of_bounds(void **state)
{
	struct options o;
	struct session *s;
	struct err e = {0};
	struct strbuf text = STRBUF_INIT;
	/* Many warps of both on each SM: what one has found must not be in the other's reach. */
	const char *a = program("a.lua", "local b = cuda.malloc(1 << 20, 'mine')\n"
	                                 "cuda.launch(m.poke, 60, 256, {b + (1 << 19), 100})\ncuda.sync()");
	const char *b = program("b.lua", "local b = cuda.malloc(4, 'b')\n"
	                                 "cuda.launch(m.poke, 60, 256, {b - (1 << 19), 100})\ncuda.sync()");
	assert_int_equal(run_two(a, b, &s, &o, &e), SS_FAULT);
	session_stop_reason(s, SS_FAULT, &e, &text);
	if (!strstr(text.buf, "host program 0's, the kernel is program 1's") || !strstr(text.buf, "of host program b"))
		fail_msg("%s", text.buf);
	strbuf_release(&text);
	close_session(s, &o);
}

static void messages_name_the_program(void **state)
{
	struct options o;
	struct session *s;
	struct err e = {0};
	const char *a = program("a.lua", "cuda.check(function() return false, 'no luck' end)");
	const char *b = program("b.lua", "local b = cuda.malloc(4, 'b')\ncuda.launch(m.poke, 1, 1, {b, 10})\n"
	                                 "cuda.sync()\nerror('gave up')");
	assert_int_equal(run_two(a, b, &s, &o, &e), SS_HOST_ERROR);
	if (!strstr(e.msg, "host program b: ") || !strstr(e.msg, "gave up"))
		fail_msg("%s", e.msg);
	assert_string_equal(strbuf_str(&s->check_message), "a: check 1: no luck");
	assert_int_equal(s->programs[0].check, CHECK_FAIL);
	assert_int_equal(s->programs[1].check, CHECK_NONE);
	close_session(s, &o);
}

/* What `info programs` and dbg.programs() say is what the kernels of each add up to, now and back in the past. */
static void programs_are_told(void **state)
{
	struct rig r;
	char want[128];
	const char *a = program("a.lua", "local b = cuda.malloc(4, 'b')\ncuda.launch(m.poke, 1, 1, {b, 500})\ncuda.sync()");
	const char *b =
	    program("b.lua", "local b = cuda.malloc(4, 'b')\nfor i = 1, 3 do cuda.launch(m.poke, 1, 1, {b, 10})\n"
	                     "cuda.sync() end");
	char *argv[] = {"warpdbg", "debug", (char *)a, (char *)b, NULL};
	rig_open(&r, argv);
	assert_true(rig_try(&r, "continue"));
	for (u32 i = 0; i < 2; i++) {
		struct program_stats p;
		program_stats_of(sim_gpu(r.s->sim), i, &p);
		assert_int_equal(p.kernels, i ? 3 : 1);
		snprintf(want, sizeof want, "%2u %-18s %7u %12llu %12llu", i, i ? "b" : "a", p.kernels,
		         (unsigned long long)(p.end - p.begin), (unsigned long long)p.warp_insts);
		assert_true(rig_try(&r, "info programs"));
		if (!strstr(r.out.buf, want))
			fail_msg("no '%s' in %s", want, r.out.buf);
		assert_null(strstr(r.out.buf, "not done"));
		char line[128];
		snprintf(line, sizeof line, "lua local p = dbg.programs()[%u]; print(p.name, p.kernels, p.warp_insts, p.done)",
		         i + 1);
		snprintf(want, sizeof want, "%s\t%u\t%llu\ttrue", i ? "b" : "a", p.kernels, (unsigned long long)p.warp_insts);
		assert_true(rig_try(&r, line));
		if (!strstr(r.out.buf, want))
			fail_msg("no '%s' in %s", want, r.out.buf);
	}
	assert_true(rig_try(&r, "goto 100"));
	assert_true(rig_try(&r, "info programs"));
	assert_non_null(strstr(r.out.buf, "not done"));
	rig_close(&r);
}

/* A check that passed at the end is not known before it: back there, it has not been made. */
static void a_check_is_of_the_end(void **state)
{
	struct rig r;
	char *argv[] = {"warpdbg", "debug", "vecadd", "hotspot", "--size", "small", NULL};
	rig_open(&r, argv);
	assert_true(rig_try(&r, "continue"));
	assert_true(rig_try(&r, "info programs"));
	assert_non_null(strstr(r.out.buf, "  pass\n"));
	assert_null(strstr(r.out.buf, "not done"));
	assert_true(rig_try(&r, "goto 3000"));
	assert_true(rig_try(&r, "info programs"));
	assert_non_null(strstr(r.out.buf, "  not done\n"));
	assert_null(strstr(r.out.buf, "pass"));
	assert_true(rig_try(&r, "lua print(dbg.programs()[1].check)"));
	assert_null(strstr(r.out.buf, "pass"));
	assert_true(rig_try(&r, "continue"));
	assert_true(rig_try(&r, "info programs"));
	assert_non_null(strstr(r.out.buf, "  pass\n"));
	rig_close(&r);
}

/* --- shares of programs --- */

/* CTAs that an SM may hold of the kernels of two programs, by program, when both run. */
static void most_of_each(const char *a, const char *b, const char *set, u32 *most)
{
	char *argv[] = {"warpdbg", "run", (char *)a, (char *)b, "--partition", "smk", "--set", (char *)set, NULL};
	struct options o;
	struct err e = {0};
	struct session *s = open_args(&o, argv);
	assert_int_equal(session_run(s, 12000, &e), SS_CYCLE);
	assert_int_equal(gpu_num_kernels(sim_gpu(s->sim)), 2);
	for (u32 i = 0; i < 2; i++) {
		struct kernel_info k;
		struct room_info room;
		gpu_kernel_info(sim_gpu(s->sim), i, &k);
		assert_true(gpu_room(sim_gpu(s->sim), i, 0, &room));
		most[k.program] = room.most;
	}
	close_session(s, &o);
}

/* smk.first: the part of an SM for the first program, whether its kernel or the other's came first. */
static void the_first_has_its_part(void **state)
{
	static const char late[] = "local b = cuda.malloc(4, 'b')\n"
	                           "cuda.launch(m.poke, 2000, 128, {b, 3000}, {start_us = 5})",
	                  early[] = "local b = cuda.malloc(4, 'b')\ncuda.launch(m.poke, 2000, 128, {b, 3000})";
	for (u32 i = 0; i < 2; i++) {
		const char *a = program("a.lua", i ? late : early), *b = program("b.lua", i ? early : late);
		u32 most[2];
		most_of_each(a, b, "smk.first=0.75", most);
		assert_true(most[0] == 6 && most[1] == 2); /* 8 places */
		most_of_each(a, b, "smk.first=0.5", most);
		assert_true(most[0] == 4 && most[1] == 4);
	}
}

/* --- the command line --- */

static void options_belong_to_the_program_before_them(void **state)
{
	struct options o;
	struct err e = {0};
	char *argv[] = {"warpdbg", "run",    "--param", "n=1",   "a.lua",  "--size", "small", "b.lua",   "--param",
	                "m=2",     "--seed", "3",       "c.ptx", "--grid", "2",      "--out", "0=f.bin", NULL};
	assert_int_equal(cmdline_parse(&o, 17, argv, &e), CMDLINE_ERROR); /* --param n=1 is c.ptx's as well */
	assert_non_null(strstr(e.msg, "c.ptx: "));
	cmdline_free(&o);
	err_clear(&e);
	char *fine[] = {"warpdbg", "run", "--param", "n=1",   "a.lua", "--size", "small", "b.lua", "--param", "m=2",
	                "--seed",  "3",   "--",      "./app", "-c",    "--and",  "--",    "./b",   NULL};
	assert_int_equal(cmdline_parse(&o, 18, fine, &e), CMDLINE_OK);
	assert_string_equal(o.workload, "a.lua");
	assert_string_equal(o.size, "small");
	assert_int_equal(o.nparams, 1);
	assert_int_equal(o.nmore, 3);
	assert_null(o.app);
	assert_string_equal(o.more[0].workload, "b.lua");
	assert_null(o.more[0].app);
	assert_null(o.more[0].size);
	assert_int_equal(o.more[0].nparams, 2);
	assert_string_equal(o.more[0].params[0], "n=1");
	assert_string_equal(o.more[1].app[0], "./app"); /* all behind -- is the application's, up to --and */
	assert_string_equal(o.more[1].app[1], "-c");
	assert_null(o.more[1].app[2]);
	assert_string_equal(o.more[2].app[0], "./b");
	assert_null(o.more[2].app[1]);
	assert_int_equal(o.nsets, 1); /* --seed is the run's */
	cmdline_free(&o);
}

/* --- metrics: equations 4.1 and 4.2 by hand --- */

static void metrics_by_hand(void **state)
{
	const double together[] = {4, 3}, alone_cpi[] = {2, 2.5};
	assert_float_equal(metric_antt(together, alone_cpi, 2), 1.6, 1e-12); /* (2 + 1.2) / 2 */
	assert_float_equal(metric_stp(together, alone_cpi, 2), 0.5 + 2.5 / 3, 1e-12);
	assert_float_equal(metric_antt(alone_cpi, alone_cpi, 2), 1, 1e-12);
	assert_float_equal(metric_stp(alone_cpi, alone_cpi, 2), 2, 1e-12);
	const double unknown[] = {2, 0};
	assert_true(metric_antt(together, unknown, 2) != metric_antt(together, unknown, 2));
	assert_true(metric_stp(together, unknown, 2) != metric_stp(together, unknown, 2));
	assert_true(metric_antt(together, alone_cpi, 0) != metric_antt(together, alone_cpi, 0));
	/* 1000 cycles for 400 instructions that count: 2.5, which is 1.25 times 2. */
	const struct program_stats flushed = {
	    .begin = 100, .end = 1100, .warp_insts = 500, .insts_dropped = 100, .of.alone_cpi = 2};
	assert_float_equal(program_cpi(&flushed), 2.5, 1e-12);
	assert_float_equal(program_slowdown(&flushed), 1.25, 1e-12);
	assert_float_equal(program_effective_ipc(&flushed), 0.4, 1e-12);
	const struct program_stats nothing = {.end = 1000, .warp_insts = 500, .insts_dropped = 500, .of.alone_cpi = 2};
	double antt, stp;
	programs_sharing((const struct program_stats[]){flushed, nothing}, 2, &antt, &stp);
	assert_float_equal(antt, 1.25, 1e-12); /* one that has done nothing that counts is none of them */
	assert_float_equal(stp, 0.8, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_computes_what_it_computes_alone),
	    cmocka_unit_test(stops_change_nothing),
	    cmocka_unit_test(going_back_and_on),
	    cmocka_unit_test(changing_the_past),
	    cmocka_unit_test(other_programs_in_the_debugger),
	    cmocka_unit_test(streams_are_each_programs_own),
	    cmocka_unit_test(waits_end_when_they_end_alone),
	    cmocka_unit_test(variables_of_modules_and_lua_are_own),
	    cmocka_unit_test(memory_of_others_is_out_of_bounds),
	    cmocka_unit_test(messages_name_the_program),
	    cmocka_unit_test(programs_are_told),
	    cmocka_unit_test(a_check_is_of_the_end),
	    cmocka_unit_test(the_first_has_its_part),
	    cmocka_unit_test(options_belong_to_the_program_before_them),
	    cmocka_unit_test(metrics_by_hand),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
