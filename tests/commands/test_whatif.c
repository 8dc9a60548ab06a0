/* whatif: its rows against machines that were run one by one, what it refuses, and that nothing of it reaches the
 * debugger, its files or its user. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "dbg/interrupt.h"
#include "dbg/whatif.h"
#include "tests/rig/debug_rig.h"

/* A workload at its small size, with an option or two: "--set", "l1d.ways=8". */
static void open_small(struct rig *r, char *workload, char *option, char *value)
{
	char *argv[] = {"warpdbg", "debug", workload, "--size", "small", option, value, NULL};
	rig_open(r, argv);
}

static const struct whatif_row *row_of(struct rig *r, u32 row)
{
	assert_non_null(r->d->whatif);
	assert_true(row < r->d->whatif->nrows);
	return &r->d->whatif->row[row];
}

/* The row stands where the debugger's own machine does now. */
static void row_is_here(struct rig *r, const struct whatif_row *row)
{
	if (row->state != ROW_DONE)
		fail_msg("%s", row->why);
	assert_int_equal(row->news.cycle, sim_cycle(r->s->sim));
	assert_int_equal(row->news.insts, lockstep_position(r->s->sim, LOCKSTEP_INSTS));
	assert_true(row->news.hash == sim_hash(r->s->sim));
}

/* Executes the lines, and compares the machine with rows of a table that was made at cycle `from`. */
static void row_is_after(struct rig *r, u32 row, const char *const *lines)
{
	for (; *lines; lines++)
		rig_say(r, *lines);
	row_is_here(r, row_of(r, row));
}

static bool no_child_left(void)
{
	return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

/* --- rows and single runs --- */

static void as_it_is_and_changed_now(void **state)
{
	struct rig r;
	open_small(&r, "hotspot", NULL, NULL);
	rig_say(&r, "until 2000");
	const u64 hash = sim_hash(r.s->sim);
	rig_say(&r, "whatif warp-sched=lrr,gto,tl-gto print hash");
	assert_int_equal(r.d->whatif->nrows, 3); /* gto is row 0 */
	assert_int_equal(sim_cycle(r.s->sim), 2000);
	assert_true(sim_hash(r.s->sim) == hash);
	assert_true(no_child_left());
	assert_false(row_of(&r, 1)->from_zero);
	row_is_after(&r, 0, (const char *const[]){"continue", NULL});
	row_is_after(&r, 1, (const char *const[]){"goto 2000", "set warp-sched lrr", "continue", NULL});
	row_is_after(&r, 2, (const char *const[]){"goto 2000", "set warp-sched tl-gto", "continue", NULL});
	assert_true(row_of(&r, 0)->news.cycle != row_of(&r, 1)->news.cycle); /* else nothing has been compared */
	rig_close(&r);
}

static void so_many_cycles(void **state)
{
	struct rig r;
	open_small(&r, "bfs", NULL, NULL); /* many kernels: host turns on the way */
	rig_say(&r, "until 5000");
	rig_say(&r, "whatif warp-sched=lrr max_ctas_per_sm=2 for 30000 print hash");
	assert_int_equal(r.d->whatif->nrows, 2);
	assert_int_equal(row_of(&r, 1)->news.stop, SS_CYCLE);
	row_is_after(&r, 0, (const char *const[]){"until 35000", NULL});
	row_is_after(
	    &r, 1, (const char *const[]){"goto 5000", "set warp-sched lrr", "set max_ctas_per_sm 2", "until 35000", NULL});
	rig_say(&r, "whatif deadlock_cycles=5000 to 35001 print hash");
	assert_int_equal(row_of(&r, 0)->news.cycle, 35001);
	rig_close(&r);
}

/* A machine opened with `option value`, brought to a cycle, changed there, and run to the end. */
static void single(const struct whatif_row *row, char *workload, char *value, const char *const *lines)
{
	struct rig r;
	open_small(&r, workload, "--set", value);
	for (; *lines; lines++)
		rig_say(&r, *lines);
	row_is_here(&r, row);
	rig_close(&r);
}

static void sized_from_zero(void **state)
{
	struct rig r;
	open_small(&r, "bfs", NULL, NULL);
	rig_say(&r, "until 5000");
	rig_has(&r, "whatif l1d.ways=1,4 warp-sched=gto,lrr print l1d.misses,gpu.ipc,hash", "from cycle 0 (l1d.ways)");
	assert_int_equal(r.d->whatif->nrows, 4);
	const struct whatif_row *one = row_of(&r, 1), *both = row_of(&r, 2), *lrr = row_of(&r, 3);
	assert_string_equal(one->value[0], "1");
	assert_string_equal(both->value[1], "lrr");
	assert_true(one->from_zero && both->from_zero && !lrr->from_zero);
	single(one, "bfs", "l1d.ways=1", (const char *const[]){"until 5000", "continue", NULL});
	single(both, "bfs", "l1d.ways=1", (const char *const[]){"until 5000", "set warp-sched lrr", "continue", NULL});
	assert_true(one->news.value[0].u > row_of(&r, 0)->news.value[0].u); /* fewer ways, more misses */
	rig_close(&r);
}

/* A CTA scheduler may change between kernels only: at a running kernel it is one of the run's from its start. */
static void between_kernels(void **state)
{
	struct rig r;
	open_small(&r, "bfs", NULL, NULL);
	rig_say(&r, "until 5000");
	rig_say(&r, "whatif cta-sched=lcs print hash");
	assert_true(row_of(&r, 1)->from_zero);
	single(row_of(&r, 1), "bfs", "cta-sched=lcs", (const char *const[]){"continue", NULL});
	rig_close(&r);
}

/* What a policy brings with it that cannot change now: the row has it from cycle 0. */
static void implied(void **state)
{
	struct rig r;
	open_small(&r, "hotspot", NULL, NULL);
	rig_say(&r, "until 2000");
	rig_say(&r, "whatif warp-sched=elf++");
	const struct conf *c = &row_of(&r, 1)->conf;
	struct conf full = r.s->conf;
	assert_true(sim_imply(&full, "warp-sched", "elf++", NULL) && conf_set(&full, "warp-sched", "elf++", NULL));
	assert_memory_equal(c, &full, sizeof full);
	assert_int_equal(row_of(&r, 1)->state, ROW_DONE);
	rig_close(&r);
}

static void policies_in_lua(void **state)
{
	struct rig r;
	open_small(&r, "hotspot", NULL, NULL);
	rig_say(&r, "until 2000");
	rig_say(&r, "whatif warp-sched=lua:batch.lua,lua:none_of_this.lua print hash");
	assert_int_equal(row_of(&r, 2)->state, ROW_FAILED);
	assert_non_null(strstr(row_of(&r, 2)->why, "none_of_this"));
	row_is_after(&r, 1, (const char *const[]){"set warp-sched lua:batch.lua", "continue", NULL});
	/* It has a state of its own that no snapshot has, and a fork has. */
	rig_say(&r, "run");
	rig_close(&r);
	open_small(&r, "hotspot", "--warp-sched", "lua:batch.lua");
	rig_say(&r, "until 2000");
	rig_say(&r, "whatif warp-sched=lrr print hash");
	row_is_after(&r, 0, (const char *const[]){"continue", NULL});
	rig_close(&r);
}

/* --- where it is asked --- */

static void before_the_run_and_at_its_end(void **state)
{
	struct rig r;
	open_small(&r, "hotspot", NULL, NULL);
	rig_say(&r, "whatif warp-sched=lrr l1d.ways=4,8 print hash");
	assert_null(strstr(strbuf_str(&r.out), "from here"));
	single(row_of(&r, 1), "hotspot", "warp-sched=lrr", (const char *const[]){"continue", NULL});
	assert_int_equal(row_of(&r, 2)->state, ROW_DONE);
	row_is_after(&r, 0, (const char *const[]){"continue", NULL});
	rig_fails(&r, "whatif warp-sched=lrr", "whatif: the program has finished");
	rig_say(&r, "reverse-step 1000");
	rig_say(&r, "whatif warp-sched=lrr for 1000000000 print hash");
	row_is_after(&r, 0, (const char *const[]){"continue", NULL});
	rig_close(&r);
}

/* In the past, with turns of the host program ahead: they are taken again, or made anew under the other setting. */
static void after_a_step_back(void **state)
{
	struct rig r;
	open_small(&r, "bfs", NULL, NULL);
	rig_say(&r, "continue");
	rig_say(&r, "goto 20000");
	rig_say(&r, "whatif warp-sched=lrr print hash");
	assert_int_equal(sim_cycle(r.s->sim), 20000);
	const u64 end = row_of(&r, 0)->news.cycle;
	row_is_after(&r, 0, (const char *const[]){"continue", NULL});
	row_is_after(&r, 1, (const char *const[]){"goto 20000", "set warp-sched lrr", "continue", NULL});
	assert_true(row_of(&r, 1)->news.cycle != end);
	rig_close(&r);
}

/* Behind a change by hand there is no machine from cycle 0 that has run alike. */
static void after_a_change(void **state)
{
	struct rig r;
	open_small(&r, "hotspot", NULL, NULL);
	rig_say(&r, "until 2000");
	rig_say(&r, "set warp-sched lrr");
	rig_has(&r, "whatif warp-sched=gto l1d.ways=4,8 print hash", "this machine was changed by hand");
	assert_int_equal(row_of(&r, 1)->state, ROW_DONE);
	assert_int_equal(row_of(&r, 2)->state, ROW_FAILED);
	row_is_after(&r, 0, (const char *const[]){"continue", NULL});
	rig_close(&r);
}

/* --- what is refused --- */

static void refused(void **state)
{
	struct rig r;
	open_small(&r, "hotspot", NULL, NULL);
	rig_fails(&r, "whatif", "KEY=VALUE[,VALUE...] is expected");
	rig_fails(&r, "whatif compare 1", "KEY=VALUE[,VALUE...] is expected");
	rig_fails(&r, "whatif warp-shed=lrr", "did you mean 'warp-sched'");
	rig_fails(&r, "whatif warp-sched lrr", "not 'warp-sched'");
	rig_fails(&r, "whatif warp-sched=", "a value is missing");
	rig_fails(&r, "whatif warp-sched=lrr,,gto", "a value is missing");
	rig_fails(&r, "whatif warp-sched=lrrr", "lrr");
	rig_fails(&r, "whatif l1d.ways=0", "l1d.ways: 0 is not within");
	rig_fails(&r, "whatif l1d.ways=4x", "l1d.ways");
	rig_fails(&r, "whatif l1d.ways=8,0x8", "named twice");
	rig_fails(&r, "whatif l1d.ways=8 l1d.ways=2", "named twice");
	rig_fails(&r, "whatif l1d.ways=8 for", "for: a cycle is expected");
	rig_fails(&r, "whatif l1d.ways=8 for 0", "at least 1 cycle");
	rig_fails(&r, "whatif l1d.ways=8 for x", "for");
	rig_fails(&r, "whatif l1d.ways=8 for 5 to 9", "one of them");
	rig_fails(&r, "whatif l1d.ways=8 to 0", "that cycle has passed");
	rig_fails(&r, "whatif l1d.ways=8 jobs 0", "at least 1");
	rig_fails(&r, "whatif l1d.ways=8 print nothing", "print: ");
	rig_fails(&r, "whatif l1d.ways=8 print", "the name of a figure");
	rig_fails(&r, "whatif for 20", "KEY=VALUE");
	rig_fails(&r, "whatif l1d.ways=1,2,3,4,5,6,7,8,9 l1d.mshrs=1,2,3,4,5,6,7,8", "72 combinations; 64");
	assert_null(r.d->whatif);
	assert_true(no_child_left());
	rig_close(&r);
}

/* Rows that fail say why in their place, and the others go on. */
static void rows_that_fail(void **state)
{
	struct rig r;
	open_small(&r, "hotspot", NULL, NULL);
	rig_say(&r, "until 1000");
	rig_say(&r, "whatif sm.shared=49152,1024 warp-sched=gto,lrr l1d.sets=32,33");
	u32 failed = 0;
	for (u32 i = 0; i < r.d->whatif->nrows; i++) {
		const struct whatif_row *x = row_of(&r, i);
		const bool small = !strcmp(x->value[0], "1024"), odd = !strcmp(x->value[2], "33");
		assert_int_equal(x->state, small || odd ? ROW_FAILED : ROW_DONE);
		if (small && !odd)
			assert_non_null(strstr(x->why, "shared"));
		failed += x->state == ROW_FAILED;
	}
	assert_int_equal(failed, 6);
	assert_non_null(strstr(strbuf_str(&r.out), "FAILED: "));
	rig_close(&r);
	char *argv[] = {"warpdbg",     "debug",           "configs/kernels/vecadd.ptx",
	                "--kernel",    "vecadd",          "--grid",
	                "64",          "--block",         "256",
	                "--arg",       "f32[16384]=iota", "--arg",
	                "f32[8192]=1", "--arg",           "f32[16384]=zero",
	                "--arg",       "u32=16384",       NULL};
	rig_open(&r, argv);
	rig_has(&r, "whatif warp-sched=lrr", "FAILED: "); /* the kernel reads behind an array, under any scheduler */
	for (u32 i = 0; i < 2; i++) {
		assert_int_equal(row_of(&r, i)->news.stop, SS_FAULT);
		assert_true(row_of(&r, i)->news.cycle > 0);
	}
	assert_int_equal(whatif_best(r.d->whatif), -1);
	assert_int_equal(sim_cycle(r.s->sim), 0);
	rig_close(&r);
}

/* --- processes --- */

/* Goes on until `n` rows run. */
static void wait_for_rows(struct rig *r, u32 n)
{
	while (whatif_running(r->d) && r->d->whatif->running < n)
		debugger_run_slice(r->d, 1 << 20, &r->out);
	assert_int_equal(r->d->whatif->running, n);
}

static void interrupted(void **state)
{
	struct rig r;
	char *argv[] = {"warpdbg", "debug", "hotspot", NULL};
	rig_open(&r, argv);
	rig_say(&r, "until 1000");
	const u64 hash = sim_hash(r.s->sim);
	strbuf_clear(&r.out);
	assert_true(debugger_execute(r.d, "whatif warp-sched=lrr,ccws l1d.ways=4,8,2 jobs 3", &r.out, &r.e));
	wait_for_rows(&r, 3);
	debugger_interrupt(r.d);
	while (debugger_busy(r.d))
		debugger_run_slice(r.d, 1 << 20, &r.out);
	assert_non_null(strstr(strbuf_str(&r.out), "Interrupted"));
	assert_true(no_child_left());
	for (u32 i = 0; i < r.d->whatif->nrows; i++)
		assert_int_equal(row_of(&r, i)->state, ROW_FAILED);
	assert_int_equal(sim_cycle(r.s->sim), 1000);
	assert_true(sim_hash(r.s->sim) == hash);
	rig_has(&r, "until 1100", "cycle 1100"); /* the interrupt has been answered */
	rig_close(&r);
}

static void killed(void **state)
{
	struct rig r;
	char *argv[] = {"warpdbg", "debug", "hotspot", NULL};
	rig_open(&r, argv);
	assert_true(debugger_execute(r.d, "whatif warp-sched=lrr,ccws for 3000 jobs 2 print hash", &r.out, &r.e));
	wait_for_rows(&r, 2);
	assert_int_equal(kill(row_of(&r, 1)->pid, SIGSEGV), 0);
	while (debugger_busy(r.d))
		debugger_run_slice(r.d, 1 << 20, &r.out);
	assert_int_equal(row_of(&r, 1)->state, ROW_FAILED);
	assert_non_null(strstr(strbuf_str(&r.out), "killed by signal 11"));
	assert_int_equal(row_of(&r, 2)->state, ROW_DONE);
	row_is_after(&r, 0, (const char *const[]){"until 3000", NULL});
	assert_true(no_child_left());
	/* Whoever leaves takes the children along. */
	assert_true(debugger_execute(r.d, "whatif warp-sched=lrr,ccws jobs 2", &r.out, &r.e));
	wait_for_rows(&r, 2);
	rig_close(&r);
	assert_true(no_child_left());
}

/* Children of a debugger that is killed do not outlive it: their pipe, of which they are the last writers, ends. */
static void debugger_killed(void **state)
{
	int ends[2];
	char byte;
	assert_int_equal(pipe(ends), 0);
	const pid_t pid = fork();
	if (!pid) {
		struct rig r;
		char *argv[] = {"warpdbg", "debug", "hotspot", NULL};
		rig_open(&r, argv);
		debugger_execute(r.d, "whatif warp-sched=lrr,ccws jobs 2", &r.out, &r.e);
		wait_for_rows(&r, 2);
		for (u32 i = 0; i < 2; i++)
			if (write(ends[1], &row_of(&r, i)->pid, sizeof(pid_t)) < 0)
				_exit(1);
		for (;;)
			pause();
	}
	pid_t child[2];
	for (u32 i = 0; i < 2; i++)
		assert_int_equal(read(ends[0], &child[i], sizeof(pid_t)), sizeof(pid_t));
	close(ends[1]);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(read(ends[0], &byte, 1), 0); /* blocks while one that has inherited the other end lives */
	close(ends[0]);
}

/* --- files --- */

static char *file_text(const char *path)
{
	struct strbuf text = STRBUF_INIT;
	struct err e = {0};
	if (!strbuf_read_file(&text, path, &e))
		fail_msg("%s", e.msg);
	return text.buf ? text.buf : xstrdup("");
}

/* Runs bfs with everything that writes files as it goes; `between` is executed on the way. */
static void record_all(const char *name, const char *between, char *text[3])
{
	static const char *const ending[] = {"csv", "json", "jsonl"};
	char path[3][200], line[300];
	struct rig r;
	for (u32 i = 0; i < 3; i++)
		snprintf(path[i], sizeof path[i], "build/test-whatif-%s-%d.%s", name, (int)getpid(), ending[i]);
	char *argv[] = {"warpdbg", "debug",   "bfs",   "--size",         "small",  "--timeline",
	                path[0],   "--trace", path[1], "--trace-detail", "states", NULL};
	rig_open(&r, argv);
	snprintf(line, sizeof line, "record start %s issue", path[2]);
	rig_say(&r, line);
	rig_say(&r, "until 30000");
	if (between) {
		rig_say(&r, "goto 20000"); /* a change here would cut what has been written */
		rig_say(&r, between);
		assert_int_equal(row_of(&r, 1)->state, ROW_DONE);
	}
	rig_say(&r, "continue");
	rig_say(&r, "record stop");
	rig_close(&r);
	for (u32 i = 0; i < 3; i++) {
		text[i] = file_text(path[i]);
		unlink(path[i]);
	}
}

static void no_file_is_written(void **state)
{
	char *with[3], *without[3];
	record_all("with", "whatif warp-sched=lrr l1d.ways=4,8", with);
	record_all("without", NULL, without);
	for (u32 i = 0; i < 3; i++) {
		assert_true(strlen(without[i]) > (i ? 200000 : 2000)); /* much more than stays in buffers */
		assert_string_equal(with[i], without[i]);
		free(with[i]);
		free(without[i]);
	}
}

/* A host program that may use files writes one at its end; its forks do not, and say why they could not go on. */
static void no_file_of_a_host_program(void **state)
{
	char script[100], path[100], option[300];
	struct rig r;
	snprintf(script, sizeof script, "build/test-whatif-%d.lua", (int)getpid());
	snprintf(path, sizeof path, "build/test-whatif-%d.txt", (int)getpid());
	snprintf(option, sizeof option, "file=%s", path);
	FILE *f = fopen(script, "w");
	assert_non_null(f);
	fprintf(f,
	        "local open = io.open\n"
	        "return { run = function(cuda)\n"
	        "local m, a = cuda.module('vecadd.ptx'), cuda.malloc(4096, 'a')\n"
	        "cuda.launch(m.vecadd, { 4, 1, 1 }, { 256, 1, 1 }, { a, a, a, 1024 })\n"
	        "cuda.copy(cuda.host('f32', 1024), a)\n"
	        "local f = open('%s', 'w') f:write('once') f:close()\n"
	        "end }\n",
	        path);
	fclose(f);
	char *argv[] = {"warpdbg", "debug", script, "--allow-io", NULL};
	rig_open(&r, argv);
	rig_has(&r, "whatif warp-sched=lrr", "files are not changed here");
	assert_true(access(path, F_OK) < 0);
	rig_say(&r, "continue");
	char *text = file_text(path);
	assert_string_equal(text, "once");
	free(text);
	unlink(path);
	unlink(script);
	rig_close(&r);
}

/* --- around it --- */

static void breakpoints_and_scripts(void **state)
{
	struct rig r;
	open_small(&r, "hotspot", NULL, NULL);
	rig_say(&r, "until 1000");
	rig_say(&r, "break cta-done");
	rig_say(&r, "watch gpu.l1d.misses");
	rig_say(&r, "lua n = 0 dbg.on('cta-done', function() n = n + 1 end)");
	rig_say(&r, "whatif warp-sched=lrr print hash");
	assert_int_equal(row_of(&r, 0)->news.stop, SS_FINISHED);
	rig_has(&r, "print n", "0");
	rig_say(&r, "delete");
	row_is_after(&r, 0, (const char *const[]){"continue", NULL});
	rig_close(&r);
}

static void lua_rows(void **state)
{
	struct rig r;
	open_small(&r, "hotspot", NULL, NULL);
	rig_say(&r, "until 2000");
	rig_say(&r, "lua t = dbg.whatif('warp-sched=lrr l1d.ways=4,2 for 3000 print l1d.misses,hash')");
	rig_has(&r, "print #t", "3");
	rig_has(&r, "print t[1].as_it_is", "true");
	rig_has(&r, "print t[2].settings['warp-sched']", "lrr");
	rig_has(&r, "print t[2].speed_from_here ~= nil and t[3].speed_from_here == nil and t[3].from_zero", "true");
	rig_has(&r, "print t[1].stop", "cycle");
	rig_fails(&r, "lua dbg.whatif('nothing=3')", "dbg.whatif: ");
	rig_has(&r, "lua print((dbg.execute('whatif l1d.ways=4 for 10')))", "as it is");
	rig_say(&r, "until 5000");
	rig_has(&r, "print t[1].hash == gpu.hash and t[1].figures['l1d.misses'] == gpu.l1d.misses", "true");
	rig_close(&r);
}

static void exported(void **state)
{
	struct rig r;
	char path[100], line[150];
	open_small(&r, "hotspot", NULL, NULL);
	rig_fails(&r, "export whatif-csv build/none", "no table");
	rig_fails(&r, "export whatif-xml build/none", "no such format");
	rig_say(&r, "whatif warp-sched=lrr l1d.sets=32,33");
	snprintf(path, sizeof path, "build/test-whatif-%d.csv", (int)getpid());
	snprintf(line, sizeof line, "export whatif-csv %s", path);
	rig_say(&r, line);
	char *text = file_text(path), want[200];
	const struct whatif_row *x = row_of(&r, 1);
	snprintf(want, sizeof want, "\n1,\"lrr\",\"32\",finished,0,%llu,%llu,", (unsigned long long)x->news.cycle,
	         (unsigned long long)x->news.insts);
	assert_non_null(strstr(text, "row,warp-sched,l1d.sets,stop,from_zero,cycle,"));
	assert_non_null(strstr(text, want));
	assert_non_null(strstr(text, "\n2,\"lrr\",\"33\",failed,"));
	free(text);
	snprintf(line, sizeof line, "export whatif-json %s", path);
	rig_say(&r, line);
	text = file_text(path);
	snprintf(want, sizeof want, "\"cycle\": %llu", (unsigned long long)x->news.cycle);
	assert_non_null(strstr(text, want));
	free(text);
	unlink(path);
	rig_close(&r);
}

static void beside(void **state)
{
	struct rig r;
	open_small(&r, "hotspot", NULL, NULL);
	rig_say(&r, "whatif warp-sched=gto,lrr l1d.ways=8");
	rig_fails(&r, "whatif compare 0", "row 0 is this machine");
	rig_fails(&r, "whatif compare 3", "whatif compare");
	rig_has(&r, "whatif compare 2", "B: --set warp-sched=lrr --set l1d.ways=8");
	rig_say(&r, "delete");
	rig_say(&r, "continue");
	assert_int_equal(sim_cycle(r.d->rival->s->sim), row_of(&r, 2)->news.cycle);
	rig_close(&r);
}

static void completed(void **state)
{
	struct rig r;
	open_small(&r, "hotspot", NULL, NULL);
	rig_has(&r, "complete whatif warp-s", "whatif warp-sched=\n");
	rig_has(&r, "complete whatif warp-sched=lrr,cc", "whatif warp-sched=lrr,ccws\n");
	rig_has(&r, "complete whatif l1d.ways=4 f", "whatif l1d.ways=4 for\n");
	rig_has(&r, "complete whatif l1d.ways=4 print l1d.misses,l1d.hit_r", "print l1d.misses,l1d.hit_rate\n");
	rig_has(&r, "complete whatif l1d.ways=4 print gpu.l1d.hit_r", "print gpu.l1d.hit_rate\n");
	rig_close(&r);
}

/* Speeds by their definition, with figures made up. */
static void speeds(void **state)
{
	struct whatif_row row[4] = {
	    {.state = ROW_DONE}, {.state = ROW_DONE}, {.state = ROW_DONE, .from_zero = true}, {.state = ROW_FAILED}};
	struct whatif w = {.row = row, .nrows = 4, .from = 1000};
	static const u64 cycle[] = {3000, 2000, 2500, 10}, insts[] = {600, 600, 600, 600};
	for (u32 i = 0; i < 4; i++)
		row[i].news = (struct whatif_news){
		    .final = true, .stop = SS_FINISHED, .cycle = cycle[i], .insts = insts[i], .insts_at = 100};
	assert_float_equal(whatif_speed(&w, 1, false), 1.5, 1e-9);
	assert_float_equal(whatif_speed(&w, 1, true), 2.0, 1e-9);
	assert_float_equal(whatif_speed(&w, 2, false), 1.2, 1e-9);
	assert_true(whatif_speed(&w, 2, true) != whatif_speed(&w, 2, true)); /* not known */
	assert_int_equal(whatif_best(&w), 1);
	row[1].news.stop = SS_CYCLE; /* one has not finished: instructions per cycle */
	row[1].news.insts = 400;
	assert_float_equal(whatif_speed(&w, 1, false), 1.0, 1e-9);
	assert_float_equal(whatif_speed(&w, 1, true), 0.3 / 0.25, 1e-9);
	assert_int_equal(whatif_best(&w), 2);
	row[0].state = ROW_FAILED;
	assert_true(whatif_speed(&w, 1, false) != whatif_speed(&w, 1, false));
	assert_int_equal(whatif_best(&w), 2);
}

int main(void)
{
	mkdir("build", 0777); /* where its files are; there is none where only `make asan` has run */
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(as_it_is_and_changed_now),
	    cmocka_unit_test(so_many_cycles),
	    cmocka_unit_test(sized_from_zero),
	    cmocka_unit_test(between_kernels),
	    cmocka_unit_test(implied),
	    cmocka_unit_test(policies_in_lua),
	    cmocka_unit_test(before_the_run_and_at_its_end),
	    cmocka_unit_test(after_a_step_back),
	    cmocka_unit_test(after_a_change),
	    cmocka_unit_test(refused),
	    cmocka_unit_test(rows_that_fail),
	    cmocka_unit_test(interrupted),
	    cmocka_unit_test(killed),
	    cmocka_unit_test(debugger_killed),
	    cmocka_unit_test(no_file_is_written),
	    cmocka_unit_test(no_file_of_a_host_program),
	    cmocka_unit_test(breakpoints_and_scripts),
	    cmocka_unit_test(lua_rows),
	    cmocka_unit_test(exported),
	    cmocka_unit_test(beside),
	    cmocka_unit_test(completed),
	    cmocka_unit_test(speeds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
