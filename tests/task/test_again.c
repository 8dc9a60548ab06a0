/* Programs that begin again (--again): who does and when, what counts, and going back over the beginnings. */
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

struct end {
	u64 cycle, hash, results;
	u32 runs[2];
};

static struct end end_of(struct rig *r)
{
	struct end end = {sim_cycle(r->s->sim), sim_hash(r->s->sim), devmem_result_hash(sim_devmem(r->s->sim)), {0}};
	for (u32 i = 0; i < 2; i++)
		end.runs[i] = r->s->programs[i].nruns;
	return end;
}

static struct end finish(struct rig *r)
{
	struct err e = {0};
	if (r->d->run.rest != DBG_FINISHED)
		must(r, "continue");
	assert_int_equal(r->d->run.rest, DBG_FINISHED);
	const struct end end = end_of(r);
	if (!sim_check(r->s->sim, &e))
		fail_msg("%s", e.msg);
	return end;
}

static void assert_same(struct end a, struct end b)
{
	assert_int_equal(a.cycle, b.cycle);
	assert_true(a.hash == b.hash && a.results == b.results);
	assert_memory_equal(a.runs, b.runs, sizeof a.runs);
}

static void open_pair(struct rig *r, const char *a, const char *b, const char *again)
{
	char *argv[] = {"warpdbg",
	                "debug",
	                "--size",
	                "small",
	                "--partition",
	                "smk",
	                "--preempt",
	                "switch",
	                (char *)a,
	                (char *)b,
	                again ? (char *)again : NULL,
	                NULL};
	rig_open(r, argv);
}

/* --- programs of the test's own ------------------------------------------------------------------------------------- */

static char dir[] = "/tmp/warpdbg-again-XXXXXX";
static const char ptx[] =
    ".version 4.3\n.target sm_20\n.address_size 64\n"
    ".global .u32 seen;\n"
    ".visible .entry poke(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .u64 %rd<4>;\n.reg .u32 %r<6>;\n.reg .pred %p<2>;\n"
    ".local .align 4 .b8 kept[64];\n"
    "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\nmov.u32 %r2, 0;\n"
    "L:\nadd.u32 %r2, %r2, 1;\nst.local.u32 [kept], %r2;\nld.local.u32 %r2, [kept];\nsetp.lt.u32 %p1, %r2, %r1;\n@%p1 bra L;\n"
    "ld.global.u32 %r3, [seen];\nadd.u32 %r3, %r3, 1;\nst.global.u32 [seen], %r3;\n"
    "st.global.u32 [%rd1], %r3;\nret;\n}\n";

static const char *file(const char *name, const char *text)
{
	static char path[4][96];
	static u32 turn;
	char *p = path[turn++ % 4];
	snprintf(p, sizeof path[0], "%s/%s", dir, name);
	FILE *f = fopen(p, "w");
	assert_true(f && fputs(text, f) >= 0 && !fclose(f));
	return p;
}

static const char *program(const char *name, const char *body)
{
	struct strbuf text = STRBUF_INIT;
	strbuf_addf(&text, "return { name = 'x', run = function(cuda, p)\nlocal m = cuda.module('poke.ptx')\n%s\nend }\n",
	            body);
	const char *path = file(name, text.buf);
	strbuf_release(&text);
	return path;
}

#define LONG "local b = cuda.malloc(4, 'b')\nfor i = 1, 2 do cuda.launch(m.poke, 1, 1, {b, 600})\ncuda.sync() end"
/* Three steps a run. */
#define STEPS                                                                                                          \
	"local b, h = cuda.malloc(4, 'b'), cuda.host('u32', 1)\n"                                                          \
	"for i = 1, 2 do cuda.launch(m.poke, 2, 64, {b, 60 * i})\ncuda.copy(h, b) end\n"                                   \
	"cuda.check(function() return h[0] > 0, 'nothing' end)"

/* --- real programs ------------------------------------------------------------------------------------------------- */

struct first {
	u64 cycles, end, insts, kernels, launches, hash;
};
/* What the first run of a program comes to, and the launches of all its runs; checks their order. */
static struct first first_run(struct rig *r, u32 program)
{
	struct gpu *g = sim_gpu(r->s->sim);
	struct first f = {.hash = devmem_owner_hash(sim_devmem(r->s->sim), OWNER(program, 0))};
	u64 begin = NEVER, ended = 0;
	u32 run = 0;
	for (u32 i = 0; i < gpu_num_kernels(g); i++) {
		struct kernel_info k;
		gpu_kernel_info(g, i, &k);
		if (k.program != program)
			continue;
		assert_int_equal(k.state, KS_DONE);
		assert_in_range(k.run, run, run + 1);
		if (k.run != run++)
			assert_true(k.counters->launched_at >= ended); /* nothing of the run before is still at work */
		run = k.run;
		ended = MAX(ended, k.counters->ended_at);
		f.launches++;
		if (run)
			continue;
		f.kernels++;
		f.insts += k.counters->warp_insts;
		begin = MIN(begin, k.counters->launched_at);
		f.end = ended;
	}
	f.cycles = f.end - begin;
	assert_int_equal(run + 1, r->s->programs[program].nruns);
	return f;
}

/* The cycle at which a program's run has its first launch, 0 = it has none. */
static u64 begin_of(struct rig *r, u32 program, u32 run)
{
	for (u32 i = 0; i < gpu_num_kernels(sim_gpu(r->s->sim)); i++) {
		struct kernel_info k;
		gpu_kernel_info(sim_gpu(r->s->sim), i, &k);
		if (k.program == program && k.run == run)
			return k.counters->launched_at;
	}
	return 0;
}

static void one_that_has_ended_begins_again(void **state)
{
	struct rig once, r;
	open_pair(&once, "vecadd", "histogram", NULL);
	open_pair(&r, "vecadd", "histogram", "--again");
	const struct end end = finish(&once), again = finish(&r);
	assert_true(end.results == again.results); /* first runs count */
	assert_int_equal(end.runs[0], 1);
	assert_true(again.runs[0] > 1);
	assert_int_equal(again.runs[1], 1);
	assert_int_equal(r.s->check, CHECK_PASS);
	for (u32 i = 0; i < 2; i++) {
		struct program_stats p;
		const struct first f = first_run(&r, i), o = first_run(&once, i);
		program_stats_of(sim_gpu(r.s->sim), i, &p);
		assert_true(f.hash == o.hash && f.insts == o.insts && f.kernels == o.kernels);
		assert_true(p.kernels == f.kernels && p.warp_insts == f.insts && p.end - p.begin == f.cycles);
		assert_int_equal(f.launches, f.kernels * again.runs[i]);
	}
	/* The last time before the other had ended, and no more after that. */
	assert_true(begin_of(&r, 0, again.runs[0] - 1) <= first_run(&r, 1).end);
	rig_has(&r, "info programs", "in run ");
	rig_has(&r, "lua print(dbg.programs()[1].runs > 1)", "true");
	rig_close(&once);
	rig_close(&r);
}

static void open_own(struct rig *r)
{
	char *argv[] = {
	    "warpdbg", "debug", "--partition", "smk", (char *)program("a.lua", STEPS), (char *)program("b.lua", LONG),
	    "--again", NULL};
	rig_open(r, argv);
}

/* Wherever one goes, every cycle seen twice is the same, and so is the end. */
static void going_back_over_the_beginnings(void **state)
{
	struct rig r;
	u64 rng = 77, at[12], hash[12];
	open_own(&r);
	const struct end end = finish(&r);
	for (u32 i = 0; i < 12; i++) {
		const u64 begin = begin_of(&r, 0, i % end.runs[0]);
		at[i] = i % 3 ? rng_next(&rng) % end.cycle : begin;
		must(&r, "goto %llu", (unsigned long long)at[i]);
		hash[i] = sim_hash(r.s->sim);
		if (i % 4 == 3)
			assert_same(end, finish(&r));
	}
	for (u32 i = 12; i-- > 0;) {
		must(&r, "goto %llu", (unsigned long long)at[i]);
		assert_true(sim_hash(r.s->sim) == hash[i]);
	}
	rig_close(&r);
}

/* A change made in each run, and where one begins: the program is brought back to its run and its step there. */
static void changing_the_past(void **state)
{
	struct rig r;
	open_own(&r);
	const struct end end = finish(&r);
	const u32 runs = end.runs[0];
	u64 begin[64];
	assert_in_range(runs, 3, ARRAY_LEN(begin));
	for (u32 k = 0; k < runs; k++)
		begin[k] = begin_of(&r, 0, k);
	for (u32 k = 0; k<runs; k += runs> 6 ? runs / 6 : 1) {
		const u64 cycle = begin[k] + (k % 2 ? 0 : 150);
		must(&r, "goto %llu", (unsigned long long)cycle);
		must(&r, "set warp-sched %s", k % 2 ? "lrr" : "tlv");
		assert_int_equal(r.s->programs[0].nruns, k % 2 ? k : k + 1); /* where it begins it stands before that */
		const struct end other = finish(&r);
		assert_true(other.results == end.results);
		assert_int_equal(r.s->check, CHECK_PASS);
		first_run(&r, 0);
		must(&r, "goto %llu", (unsigned long long)(cycle / 2));
		must(&r, "goto %llu", (unsigned long long)other.cycle);
		assert_same(other, end_of(&r));
		for (u32 i = 0; i < 4; i++)
			must(&r, "undo"); /* the gotos, the run, the change */
		assert_same(end, finish(&r));
	}
	rig_close(&r);
}

/* One launch; what it finds is as new: zeroed memory, module variables as loaded, the same random numbers. */
#define SHORT                                                                                                          \
	"local b, h = cuda.malloc(4, 'b'), cuda.host('u32', 1)\nlocal r = math.random(1 << 30)\n"                          \
	"cuda.launch(m.poke, 1, 1, {b, 10})\n"                                                                             \
	"cuda.check(function() cuda.copy(h, b)\nreturn h[0] == 1 and r == %lld, 'seen ' .. h[0] .. ' drawn ' .. r end)"

static s64 drawn(void)
{
	struct rig r;
	char *argv[] = {"warpdbg", "debug",
	                (char *)program("a.lua", "local r = math.random(1 << 30)\n"
	                                         "cuda.check(function() return false, 'drew ' .. r end)"),
	                (char *)program("b.lua", LONG), NULL};
	rig_open(&r, argv);
	must(&r, "continue");
	const char *at = strstr(strbuf_str(&r.s->check_message), "drew ");
	assert_non_null(at);
	const s64 v = strtoll(at + 5, NULL, 10);
	rig_close(&r);
	return v;
}

static void each_run_begins_as_new(void **state)
{
	struct rig r;
	char body[400];
	snprintf(body, sizeof body, SHORT, (long long)drawn());
	char *argv[] = {"warpdbg", "debug", (char *)program("a.lua", body), (char *)program("b.lua", LONG),
	                "--again", NULL};
	rig_open(&r, argv);
	const struct end end = finish(&r);
	assert_true(end.runs[0] > 2);
	if (r.s->check != CHECK_PASS)
		fail_msg("%s", strbuf_str(&r.s->check_message));
	/* What runs that are over have allocated is freed, the last run's is not. */
	const struct devmem *d = sim_devmem(r.s->sim);
	u32 named = 0;
	for (u32 i = 0; i < d->nallocs; i++) {
		assert_false(devmem_shared(&d->allocs[i]) && d->allocs[i].freed);
		if (OWNER_PROGRAM(d->allocs[i].owner) == 0 && !strcmp(d->allocs[i].name, "b")) {
			assert_int_equal(OWNER_RUN(d->allocs[i].owner), named++);
			assert_int_equal(d->allocs[i].freed, named < end.runs[0]);
		}
	}
	assert_int_equal(named, end.runs[0]);
	rig_close(&r);
}

/* A check that fails in a later run fails the program, and still does after a change in the run behind it. */
static void checks_of_all_runs_count(void **state)
{
	struct rig r;
	char *argv[] = {"warpdbg",
	                "debug",
	                (char *)program("a.lua", "local b = cuda.malloc(4, 'b')\ncuda.launch(m.poke, 1, 1, {b, 10})\n"
	                                         "cuda.sync()\nlocal t = gpu.cycle\n"
	                                         "cuda.check(function() return t < 2000 or t > 4000, 'at ' .. t end)"),
	                (char *)program("b.lua", LONG),
	                "--again",
	                NULL};
	rig_open(&r, argv);
	const struct end end = finish(&r);
	assert_int_equal(r.s->check, CHECK_FAIL);
	assert_non_null(strstr(strbuf_str(&r.s->check_message), "check 1: at "));
	char *before = strdup(strbuf_str(&r.s->check_message));
	must(&r, "goto %llu", (unsigned long long)begin_of(&r, 0, end.runs[0] - 1) + 5);
	must(&r, "set warp-sched lrr");
	assert_int_equal(finish(&r).runs[0], end.runs[0]);
	assert_string_equal(strbuf_str(&r.s->check_message), before);
	free(before);
	assert_int_equal(r.s->check, CHECK_FAIL);
	must(&r, "goto 100");
	must(&r, "set warp-sched gto");
	assert_int_equal(r.s->check, CHECK_NONE);
	rig_close(&r);
}

/* A program that ends while its kernel runs begins again at the cycle at which that has ended, and not before; brought
 * back to where it had ended, it still has. */
static void a_kernel_outlives_its_run(void **state)
{
	struct rig r;
	char *argv[] = {"warpdbg",
	                "debug",
	                "--partition",
	                "smk",
	                (char *)program("a.lua", LONG),
	                (char *)program("b.lua", "cuda.launch(m.poke, 1, 1, {cuda.malloc(4, 'b'), 100})"),
	                "--again",
	                NULL};
	rig_open(&r, argv);
	const struct end end = finish(&r);
	assert_true(end.runs[1] > 2);
	first_run(&r, 1);
	struct kernel_info k;
	for (u32 run = 0; run + 1 < end.runs[1]; run++) {
		const u64 at = begin_of(&r, 1, run + 1);
		u64 ended = 0;
		for (u32 i = 0; i < gpu_num_kernels(sim_gpu(r.s->sim)); i++) {
			gpu_kernel_info(sim_gpu(r.s->sim), i, &k);
			if (k.program == 1 && k.run == run)
				ended = k.counters->ended_at;
		}
		assert_int_equal(at, ended + 1); /* ended_at is the last cycle in which it ran */
	}
	must(&r, "goto %llu", (unsigned long long)(begin_of(&r, 1, 2) - 20));
	must(&r, "set warp-sched lrr");
	assert_int_equal(r.s->programs[1].nruns, 2);
	assert_true(r.s->programs[1].ended);
	const struct end other = finish(&r);
	assert_true(other.results == end.results);
	first_run(&r, 1);
	rig_close(&r);
}

/* A PTX file as a program: it begins again as any other, and prints what its first run leaves. */
static void a_file_begins_again(void **state)
{
	struct rig r;
	char path[96];
	snprintf(path, sizeof path, "%s/poke.ptx", dir);
	char *argv[] = {
	    "warpdbg", "debug", path,          "--kernel", "poke",    "--grid",  "1", "--block",
	    "1",       "--arg", "u32[1]=zero", "--arg",    "u32=200", "--print", "0", (char *)program("b.lua", LONG),
	    "--again", NULL};
	rig_open(&r, argv);
	const struct end end = finish(&r);
	assert_true(end.runs[0] > 2);
	for (u32 k = 3; k-- > 0;) {
		must(&r, "goto %llu", (unsigned long long)begin_of(&r, 0, k));
		must(&r, "set warp-sched %s", k % 2 ? "lrr" : "tlv");
		assert_int_equal(r.s->programs[0].nruns, MAX(k, 1u)); /* it stands before the run begins; the first one has */
		assert_true(finish(&r).results == end.results);
		for (u32 i = 0; i < 2; i++)
			must(&r, "undo"); /* the run, the change */
		assert_same(end, finish(&r));
	}
	rig_close(&r);
}

static void a_file_prints_its_first_results(void **state)
{
	struct options o;
	struct err e = {0};
	char path[96];
	snprintf(path, sizeof path, "%s/poke.ptx", dir);
	char *argv[] = {
	    "warpdbg", "run",   path,          "--kernel", "poke",    "--grid",  "1", "--block",
	    "1",       "--arg", "u32[1]=zero", "--arg",    "u32=200", "--print", "0", (char *)program("b.lua", LONG),
	    "--again", NULL};
	assert_int_equal(cmdline_parse(&o, ARRAY_LEN(argv) - 1, argv, &e), CMDLINE_OK);
	struct session *s = session_open(&o, console_modules, &e);
	assert_non_null(s);
	assert_int_equal(session_run(s, NEVER, &e), SS_FINISHED);
	assert_true(s->programs[0].nruns > 2);
	assert_string_equal(strbuf_str(&s->output), "poke: 1\n"); /* of several programs: whose it is */
	session_close(s);
	cmdline_free(&o);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_that_has_ended_begins_again),
	    cmocka_unit_test(going_back_over_the_beginnings),
	    cmocka_unit_test(changing_the_past),
	    cmocka_unit_test(each_run_begins_as_new),
	    cmocka_unit_test(checks_of_all_runs_count),
	    cmocka_unit_test(a_kernel_outlives_its_run),
	    cmocka_unit_test(a_file_begins_again),
	    cmocka_unit_test(a_file_prints_its_first_results),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
