/* Another program from inside the debugger: `run PROGRAM`, `file PROGRAM`, with options. It is the same as when the
 * debugger is started on it; what belongs to the session stays, or says that it finds nothing; one that cannot be
 * opened changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"

#define SAXPY "configs/kernels/vecadd.ptx --kernel vecadd --grid 64 --block 256"
#define ARGS " --arg 'f32[16384]=iota' --arg f32[16384]=1 --arg f32[16384]=zero --arg u32=16384"

static void open_hotspot(struct rig *r)
{
	char *argv[] = {"warpdbg", "debug", "hotspot", "--size", "small", "--warp-sched", "lrr", NULL};
	rig_open(r, argv);
}

static void same_as_started(struct rig *r, char **argv)
{
	struct rig other;
	rig_open(&other, argv);
	rig_has(&other, "continue", "finished");
	assert_int_equal(sim_cycle(other.s->sim), sim_cycle(r->s->sim));
	assert_int_equal(sim_hash(other.s->sim), sim_hash(r->s->sim));
	assert_string_equal(other.s->name, r->s->name);
	rig_close(&other);
}

/* The machine's options stay, the program's do not. */
static void as_if_started_so(void **state)
{
	struct rig r;
	open_hotspot(&r);
	rig_say(&r, "step 700");
	rig_has(&r, "file vecadd --param n=5000", "vecadd on gtx480, cycle 0: ");
	assert_int_equal(sim_cycle(r.s->sim), 0);
	rig_has(&r, "file", "vecadd.ptx");
	rig_has(&r, "continue", "finished");
	same_as_started(&r, (char *[]){"warpdbg", "debug", "vecadd", "--param", "n=5000", "--warp-sched", "lrr", NULL});
	rig_has(&r, "run", "finished"); /* and again */
	same_as_started(&r, (char *[]){"warpdbg", "debug", "vecadd", "--param", "n=5000", "--warp-sched", "lrr", NULL});
	rig_has(&r, "run --gpu titanv", "finished"); /* what the program was given stays with it */
	same_as_started(&r, (char *[]){"warpdbg", "debug", "vecadd", "--param", "n=5000", "--warp-sched", "lrr", "--gpu",
	                               "titanv", NULL});
	rig_has(&r, "run spmv --size small --gpu titanv --warp-sched gto", "finished");
	same_as_started(
	    &r, (char *[]){"warpdbg", "debug", "spmv", "--size", "small", "--gpu", "titanv", "--warp-sched", "gto", NULL});
	rig_has(&r, "load hotspot --size small --gpu gtx480 --warp-sched lrr", "hotspot on gtx480, cycle 0");
	rig_has(&r, "continue", "finished");
	same_as_started(&r, (char *[]){"warpdbg", "debug", "hotspot", "--size", "small", "--warp-sched", "lrr", NULL});
	rig_close(&r);
}

/* A PTX file, by its own options; new arguments take the place of the old. */
static void ptx_file(void **state)
{
	struct rig r;
	open_hotspot(&r);
	rig_say(&r, "file " SAXPY ARGS " --print 2:3");
	rig_has(&r, "continue", "1\n2\n3\n");
	u64 end = sim_cycle(r.s->sim);
	rig_fails(&r, "run --arg u32=3", "vecadd takes 4 parameters (u64, u64, u64, u32), there is 1 --arg");
	rig_fails(&r, "run --size small", "--size and --param belong to a host program");
	rig_has(&r, "run --arg 'f32[16384]=iota' --arg f32[16384]=2 --arg f32[16384]=zero --arg u32=16384", "2\n3\n4\n");
	assert_int_equal(sim_cycle(r.s->sim), end);
	rig_fails(&r, "run --print 2:1 --print 9:1", "9");
	rig_has(&r, "run --print 2:1", "2\n");
	rig_fails(&r, "run hotspot --kernel vecadd", "belong to a PTX file");
	rig_has(&r, "file vecadd --size small", "cycle 0");
	rig_close(&r);
}

/* Breakpoints, watchpoints, displays, subscriptions. */
static void what_stays(void **state)
{
	struct rig r;
	open_hotspot(&r);
	rig_say(&r, "lua n = 0 dbg.on('cta-done', function() n = n + 1 end)");
	rig_say(&r, "break hotspot:42");
	rig_say(&r, "break cta-dispatch cta=3 kernel=hotspot");
	rig_say(&r, "tbreak cta-dispatch cta=2");
	rig_say(&r, "watch gpu.sm[1].ctas_done");
	rig_say(&r, "display gpu.cycle");
	rig_say(&r, "disable 2");
	rig_say(&r, "tbreak hotspot");
	rig_say(&r, "bookmark here");
	rig_say(&r, "delete 3");
	rig_has(&r, "continue", "hotspot");
	rig_say(&r, "watch %r1");
	rig_say(&r, "lua n = 0");
	const char *said = rig_say(&r, "file vecadd --size small");
	static const char *const told[] = {"Breakpoint 1, hotspot:42, is pending: it is not in vecadd.\n",
	                                   "Breakpoint 2 waits for a kernel 'hotspot', which is not in vecadd.\n",
	                                   "Watchpoint 6, %r1, is deleted: it was of a warp of hotspot\n",
	                                   "The bookmarks are gone", "vecadd on gtx480, cycle 0"};
	for (u32 i = 0; i < ARRAY_LEN(told); i++)
		if (!strstr(said, told[i]))
			fail_msg("'%s' is not said: %s", told[i], said);
	rig_has(&r, "info breakpoints", "hotspot:42 (pending)");
	rig_has(&r, "info bookmarks", "no bookmarks");
	rig_has(&r, "continue", "Watchpoint 4: gpu.sm[1].ctas_done: 0 -> 1");
	rig_say(&r, "delete 4");
	rig_has(&r, "continue", "finished");
	rig_has(&r, "lua print(n > 0 and n == gpu.kernel[0].ctas_done)", "true"); /* one for each CTA of vecadd */
	rig_has(&r, "file hotspot --size small", "hotspot on gtx480");
	assert_null(strstr(strbuf_str(&r.out), "pending"));
	rig_has(&r, "continue", "Breakpoint 1, hotspot:42");
	rig_close(&r);
}

/* However far it comes. */
static void one_that_fails(void **state)
{
	static const char *const wrong[][2] = {
	    {"file nosuch", "file: no workload 'nosuch'"},
	    {"file /nowhere.ptx", "file: "},
	    {"file /nowhere.lua", "file: "},
	    {"file README.md", "file: "},
	    {"run kmean", "did you mean 'kmeans'?"},
	    {"run kmeans more", "run: no workload 'more'"},
	    {"file kmeans --size huge", "--size: 'huge'"},
	    {"file kmeans --param nosuch=1", "nosuch"},
	    {"file kmeans --set l1d.ways=0", "not within"},
	    {"file kmeans --gpu nosuch", "no machine 'nosuch'"},
	    {"file 'kmeans", "a quote is not closed"},
	    {"file kmeans --stats x", "--stats is for the command line"},
	    {"file kmeans --help", "--help is for the command line"},
	    {"file " SAXPY, "file: vecadd takes 4 parameters"},
	    {"file configs/kernels/vecadd.ptx --kernel nosuch --grid 1 --block 1", "nosuch"},
	    {"file configs/kernels/vecadd.ptx --kernel vecadd", "--grid and --block"},
	    {"file kmeans --set sm.threads=128", "file: "},
	};
	struct rig r;
	struct strbuf shown = STRBUF_INIT;
	open_hotspot(&r);
	rig_say(&r, "break hotspot:42");
	rig_say(&r, "watch gpu.sm[1].ctas_done");
	rig_say(&r, "bookmark here");
	rig_has(&r, "continue", "Breakpoint 1");
	const struct sim *sim = r.s->sim;
	u64 cycle = sim_cycle(sim), hash = sim_hash(r.s->sim), generation = r.d->bound.generation;
	strbuf_adds(&shown, rig_say(&r, "info breakpoints"));
	for (u32 i = 0; i < ARRAY_LEN(wrong); i++) {
		rig_fails(&r, wrong[i][0], wrong[i][1]);
		assert_ptr_equal(sim, r.s->sim);
		assert_int_equal(cycle, sim_cycle(r.s->sim));
		assert_int_equal(hash, sim_hash(r.s->sim));
		assert_int_equal(generation, r.d->bound.generation);
		assert_string_equal(r.s->name, "hotspot");
		assert_string_equal(rig_say(&r, "info breakpoints"), strbuf_str(&shown));
	}
	rig_has(&r, "info bookmarks", "here");
	rig_fails(&r, "lua dbg.execute('file kmeans --size small')", "scripts use files only with --allow-io");
	rig_say(&r, "delete");
	rig_has(&r, "continue", "finished");
	same_as_started(&r, (char *[]){"warpdbg", "debug", "hotspot", "--size", "small", "--warp-sched", "lrr", NULL});
	strbuf_release(&shown);
	rig_close(&r);
}

static void completed(struct rig *r, const char *line, const char *want, bool there)
{
	u32 start;
	char **m = debugger_complete(r->d, line, (u32)strlen(line), &start);
	bool found = false;
	for (u32 i = 0; m && m[i]; i++)
		found |= !strcmp(m[i], want);
	debugger_free_matches(m);
	if (found != there)
		fail_msg("%s: %s is %soffered", line, want, found ? "" : "not ");
}

static void names_are_completed(void **state)
{
	struct rig r;
	open_hotspot(&r);
	completed(&r, "run km", "kmeans", true);
	completed(&r, "file configs/kernels/vecad", "configs/kernels/vecadd.ptx", true);
	completed(&r, "load k", "kmeans", true);
	completed(&r, "run kmeans --si", "--size", true);
	completed(&r, "run kmeans --st", "--stats", false);
	completed(&r, "file x.ptx --ker", "--kernel", true);
	completed(&r, "run kmeans --size ", "small", true);
	completed(&r, "run kmeans --size ", "--gpu", false);
	completed(&r, "run kmeans --gpu tit", "titanv", true);
	completed(&r, "run kmeans --warp-sched gt", "gto", true);
	completed(&r, "run --set l1d.way", "l1d.ways=", true);
	completed(&r, "run kmeans k", "kmeans", false);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_if_started_so), cmocka_unit_test(ptx_file),
	                                   cmocka_unit_test(what_stays), cmocka_unit_test(one_that_fails),
	                                   cmocka_unit_test(names_are_completed)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
