/* compare in the debugger: the second machine is where it should be after every movement of the first, in the state a
 * machine of its own would be in, and the first different decision is that of `warpdbg compare`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>

#include "commands/commands.h"
#include "session/lockstep.h"
#include "tests/rig/debug_rig.h"
#include "dbg/rival.h"
#include "views/offscreen.h"

static void open_small(struct rig *r, const char *workload, const char *compare)
{
	char *argv[] = {"warpdbg",       "debug", (char *)workload, "--size", "small", compare ? "--compare" : NULL,
	                (char *)compare, NULL};
	rig_open(r, argv);
}

static u64 now(struct rig *r)
{
	return sim_cycle(r->s->sim);
}

static struct sim *b_sim(struct rig *r)
{
	return r->d->rival->s->sim;
}

/* A machine of its own to hold B against, with a history to go to any cycle. */
struct lone {
	struct options common, o;
	struct session *s;
};

static void lone_open(struct lone *l, const char *workload, const char *options)
{
	struct err e = {0};
	char *argv[] = {"warpdbg", "debug", (char *)workload, "--size", "small", NULL};
	memset(l, 0, sizeof *l);
	assert_int_equal(cmdline_parse(&l->common, 5, argv, &e), CMDLINE_OK);
	l->common.side[1] = options;
	assert_int_equal(cmdline_side(&l->o, &l->common, 1, &e), CMDLINE_OK);
	l->s = session_open(&l->o, console_modules, &e);
	if (!l->s)
		fail_msg("%s", e.msg);
	session_run(l->s, 0, &e); /* its host program starts, as a debugger's does */
}

static void lone_close(struct lone *l)
{
	session_close(l->s);
	cmdline_free(&l->o);
	cmdline_free(&l->common);
}

static void lone_at(struct lone *l, u64 cycle)
{
	struct err e = {0};
	if (sim_cycle(l->s->sim) > cycle && !session_goto(l->s, cycle, &e))
		fail_msg("%s", e.msg);
	if (sim_cycle(l->s->sim) < cycle)
		session_run(l->s, cycle, &e);
	assert_int_equal(sim_cycle(l->s->sim), cycle);
}

/* B stands where A's position wants it, and is the very machine that runs alone. */
static void assert_in_step(struct rig *r, struct lone *l)
{
	const struct rival *b = r->d->rival;
	u64 at = lockstep_position(r->s->sim, b->by), cycle = sim_cycle(b_sim(r));
	assert_false(rival_behind(r->d));
	if (b->by == LOCKSTEP_CYCLES) {
		assert_int_equal(cycle, now(r));
	} else if (cycle) { /* the first cycle in which it has come so far */
		assert_true(lockstep_position(b_sim(r), b->by) >= at);
		lone_at(l, cycle - 1);
		assert_true(lockstep_position(l->s->sim, b->by) < at);
	}
	lone_at(l, cycle);
	assert_int_equal(sim_hash(b_sim(r)), sim_hash(l->s->sim));
}

/* --- where B is -------------------------------------------------------------------------------------------------- */

static void walk(const char *workload, const char *by, const char *options, const char *lone_options)
{
	struct rig r;
	struct lone l;
	char line[200];
	u64 seed = 12345;
	open_small(&r, workload, NULL);
	lone_open(&l, workload, lone_options);
	rig_say(&r, "step 700");
	snprintf(line, sizeof line, "compare by %s %s", by, options);
	rig_say(&r, line);
	assert_in_step(&r, &l); /* set beside a machine that has run already */
	rig_say(&r, "delete");
	for (u32 i = 0; i < 40; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		u64 n = seed >> 40;
		if (n % 3 == 0)
			snprintf(line, sizeof line, "goto %llu", (unsigned long long)(n / 3 % MAX(now(&r), 1ull)));
		else if (n % 3 == 1)
			snprintf(line, sizeof line, "step %llu", (unsigned long long)(n / 3 % 300 + 1));
		else
			snprintf(line, sizeof line, now(&r) ? "reverse-step %llu" : "step %llu",
			         (unsigned long long)(n / 3 % 40 + 1));
		if (now(&r) < 4000)
			rig_say(&r, line);
		else
			rig_say(&r, "goto 0");
		assert_in_step(&r, &l);
	}
	rig_close(&r);
	lone_close(&l);
}

static void follows_by_cycles(void **state)
{
	walk("hotspot", "cycles", "--warp-sched lrr", "--warp-sched lrr");
	walk("bfs", "cycles", "--set l1d.ways=1", "--set l1d.ways=1");
}

static void follows_by_instructions(void **state)
{
	walk("hotspot", "insts", "--warp-sched lrr", "--warp-sched lrr");
	walk("vecadd", "insts", "--set num_sms=7", "--set num_sms=7");
}

static void follows_by_ctas(void **state)
{
	walk("hotspot", "ctas", "--warp-sched lrr", "--warp-sched lrr");
}

/* A B without history is built again when it has to go back. */
static void rebuilt_without_history(void **state)
{
	walk("hotspot", "cycles", "--set history.mb=0", "");
	walk("hotspot", "insts", "--set history.mb=0 --warp-sched lrr", "--warp-sched lrr");
}

/* --- the first different decision -------------------------------------------------------------------------------- */

static struct divergence by_compare(const char *workload, const char *b, const char *by)
{
	struct options o;
	struct err e = {0};
	char *argv[] = {"warpdbg", "compare",  (char *)workload, "--size",           "small", "--b", (char *)b,
	                "--by",    (char *)by, "--until",        "first-divergence", NULL};
	assert_int_equal(cmdline_parse(&o, 11, argv, &e), CMDLINE_OK);
	struct compare *c = compare_open(&o, console_modules, &e);
	assert_non_null(c);
	assert_true(compare_run(c, NULL));
	struct divergence d = *diverge_first(compare_divergence(c));
	compare_close(c);
	cmdline_free(&o);
	return d;
}

static void assert_same_decision(const struct decision *a, const struct decision *b)
{
	assert_int_equal(a->cycle, b->cycle);
	assert_int_equal(a->sm, b->sm);
	assert_int_equal(a->scheduler, b->scheduler);
	assert_int_equal(a->warp, b->warp);
	assert_int_equal(a->cta, b->cta);
	assert_int_equal(a->pc, b->pc);
	assert_int_equal(a->ready, b->ready);
}

static void stops_there(const char *workload, const char *b, const char *by)
{
	struct rig r;
	char line[200];
	struct divergence want = by_compare(workload, b, by);
	assert_true(want.found);
	open_small(&r, workload, NULL);
	snprintf(line, sizeof line, "compare by %s %s", by, b);
	rig_say(&r, line);
	rig_has(&r, "continue", "First different decision");
	assert_int_equal(now(&r), want.side[0].cycle + 1);
	assert_true(r.d->rival->first.found);
	for (u32 i = 0; i < 2; i++)
		assert_same_decision(&r.d->rival->first.side[i], &want.side[i]);
	rig_has(&r, "compare", "first different decision: SM");
	rig_say(&r, "step 100");
	rig_has(&r, "reverse-continue", "First different decision");
	assert_int_equal(now(&r), want.side[0].cycle + 1);
	/* The same when it lies in the past as the second machine comes. */
	rig_say(&r, "compare off");
	rig_say(&r, "step 200");
	rig_has(&r, line, "They differ already");
	assert_int_equal(r.d->rival->first.found, true);
	assert_same_decision(&r.d->rival->first.side[1], &want.side[1]);
	rig_close(&r);
}

static void first_difference(void **state)
{
	stops_there("hotspot", "--warp-sched lrr", "cycles");
	stops_there("bfs", "--warp-sched tlv", "cycles");
	stops_there("vecadd", "--set num_sms=7", "cycles");
	stops_there("hotspot", "--set l1d.ways=1", "insts");
	stops_there("hotspot", "--warp-sched lrr", "ctas");
}

/* The policies' own words, asked in the state before the decision. */
static void reasons(void **state)
{
	struct rig r;
	struct lone l;
	open_small(&r, "hotspot", NULL);
	rig_say(&r, "compare --warp-sched lrr");
	rig_has(&r, "continue", "A's scheduler before: gto: ");
	const struct rival *b = r.d->rival;
	const struct decision *x = &b->first.side[1];
	struct strbuf t = STRBUF_INIT;
	struct warp_info w;
	lone_open(&l, "hotspot", "--warp-sched lrr");
	lone_at(&l, x->cycle);
	gpu_sched_text(sim_gpu(l.s->sim), x->sm, x->scheduler, UINT32_MAX, &t);
	gpu_warp_info(sim_gpu(l.s->sim), x->sm, (u32)x->warp, &w);
	assert_true(t.len);
	strbuf_addf(&t, "; warp %d: rank %lld", x->warp, (long long)w.priority);
	if (!strstr(b->reason[1], strbuf_str(&t)))
		fail_msg("'%s' is not in '%s'", strbuf_str(&t), b->reason[1]);
	assert_int_equal(w.priority, 0); /* it was the scheduler's first choice */
	strbuf_release(&t);
	lone_close(&l);
	rig_close(&r);
}

static void alike(void **state)
{
	struct rig r;
	static const char *const bys[] = {"cycles", "insts", "ctas"};
	for (u32 i = 0; i < 3; i++) {
		char line[80];
		open_small(&r, "hotspot", NULL);
		snprintf(line, sizeof line, "compare by %s --seed 1", bys[i]);
		rig_say(&r, line);
		for (u32 k = 0; k < 20; k++) {
			rig_say(&r, "step 97");
			if (i == LOCKSTEP_CYCLES)
				assert_int_equal(sim_hash(r.s->sim), sim_hash(b_sim(&r)));
		}
		if (i != LOCKSTEP_CTAS) /* there, the hidden machines are at their end already */
			rig_has(&r, "compare", "no different decision of the warp schedulers so far");
		rig_has(&r, "continue", i == LOCKSTEP_CTAS ? "finished" : "without a different decision");
		assert_int_equal(r.d->run.rest, DBG_FINISHED);
		assert_int_equal(sim_cycle(b_sim(&r)), now(&r));
		assert_int_equal(sim_hash(r.s->sim), sim_hash(b_sim(&r)));
		rig_has(&r, "compare", "no different decision of the warp schedulers in the whole run");
		rig_close(&r);
	}
}

/* --- around it --------------------------------------------------------------------------------------------------- */

/* A is what it is, with or without a B. */
static void first_machine_is_untouched(void **state)
{
	struct rig r;
	u64 end[2], hash[2];
	for (u32 i = 0; i < 2; i++) {
		open_small(&r, "bfs", NULL);
		if (i) {
			rig_say(&r, "compare --warp-sched lrr");
			rig_say(&r, "delete");
		}
		rig_has(&r, "continue", "finished");
		end[i] = now(&r);
		hash[i] = sim_hash(r.s->sim);
		rig_close(&r);
	}
	assert_int_equal(end[0], end[1]);
	assert_int_equal(hash[0], hash[1]);
}

/* When A's program has finished, B goes on to its own end; going back brings it back. */
static void both_ends(void **state)
{
	struct rig r;
	struct lone l;
	open_small(&r, "hotspot", NULL);
	lone_open(&l, "hotspot", "--warp-sched lrr");
	rig_say(&r, "compare --warp-sched lrr");
	rig_say(&r, "delete");
	rig_has(&r, "continue", "B: finished at cycle");
	assert_int_equal(session_run(l.s, NEVER, &r.e), SS_FINISHED);
	assert_int_equal(sim_cycle(b_sim(&r)), sim_cycle(l.s->sim));
	assert_true(sim_cycle(b_sim(&r)) > now(&r)); /* lrr is the slower one here */
	assert_int_equal(r.d->rival->s->check, CHECK_PASS);
	rig_say(&r, "reverse-step 1000");
	assert_in_step(&r, &l);
	rig_has(&r, "continue", "finished");
	assert_true(sim_cycle(b_sim(&r)) > now(&r));
	rig_say(&r, "goto 0");
	rig_say(&r, "break cycle 500");
	rig_say(&r, "run");
	if (!now(&r))
		rig_say(&r, "continue");
	assert_int_equal(now(&r), 500);
	assert_int_equal(sim_cycle(b_sim(&r)), 500);
	lone_at(&l, 500);
	assert_int_equal(sim_hash(b_sim(&r)), sim_hash(l.s->sim));
	lone_close(&l);
	rig_close(&r);
}

/* B ends first: it stands at its end while A goes on. */
static void b_ends_first(void **state)
{
	struct rig r;
	struct lone l;
	char line[80], *argv[] = {"warpdbg", "debug", "hotspot", "--size", "small", "--warp-sched", "lrr", NULL};
	lone_open(&l, "hotspot", "--warp-sched gto");
	rig_open(&r, argv);
	assert_int_equal(session_run(l.s, NEVER, &r.e), SS_FINISHED);
	u64 end = sim_cycle(l.s->sim);
	rig_say(&r, "compare --warp-sched gto");
	rig_say(&r, "delete");
	snprintf(line, sizeof line, "until %llu", (unsigned long long)end + 1000);
	rig_has(&r, line, "B: finished at cycle");
	assert_int_equal(r.d->run.rest, DBG_STOPPED); /* lrr is the slower one here */
	assert_int_equal(sim_cycle(b_sim(&r)), end);
	rig_say(&r, "reverse-step 500");
	assert_int_equal(sim_cycle(b_sim(&r)), end);
	rig_say(&r, "reverse-step 1500");
	assert_int_equal(sim_cycle(b_sim(&r)), end - 1000);
	assert_in_step(&r, &l);
	lone_close(&l);
	rig_close(&r);
}

/* Ctrl-C while only B runs: it stays where it is until A moves again, then comes to the right place. */
static void interrupted(void **state)
{
	static const char *const bys[] = {"cycles", "insts", "ctas"};
	for (u32 i = 0; i < 3; i++) {
		struct rig r;
		struct lone l;
		char line[80];
		open_small(&r, "hotspot", NULL);
		lone_open(&l, "hotspot", "--warp-sched lrr");
		rig_say(&r, "until 5000");
		strbuf_clear(&r.out);
		snprintf(line, sizeof line, "compare by %s --warp-sched lrr", bys[i]);
		assert_true(debugger_execute(r.d, line, &r.out, &r.e));
		for (u32 k = 0; k < 10; k++) {
			assert_true(debugger_running(r.d));
			debugger_run_slice(r.d, 100, &r.out);
		}
		debugger_interrupt(r.d);
		while (debugger_running(r.d))
			debugger_run_slice(r.d, 100, &r.out);
		assert_non_null(strstr(strbuf_str(&r.out), "B was interrupted"));
		u64 b = sim_cycle(b_sim(&r));
		assert_true(b > 500 && b < 2000);
		rig_say(&r, "print gpu.cycle"); /* moves nothing */
		assert_int_equal(sim_cycle(b_sim(&r)), b);
		rig_say(&r, i == 1 ? "goto 800" : "step");
		assert_in_step(&r, &l);
		rig_say(&r, "delete");
		/* An interrupt of A lets B come to where A stands. */
		rig_say(&r, "goto 100");
		assert_true(debugger_execute(r.d, "continue", &r.out, &r.e));
		debugger_run_slice(r.d, 1000, &r.out);
		debugger_interrupt(r.d);
		while (debugger_running(r.d))
			debugger_run_slice(r.d, 100, &r.out);
		assert_true(now(&r) >= 1100 && now(&r) < 1300);
		assert_in_step(&r, &l);
		lone_close(&l);
		rig_close(&r);
	}
}

static void changed_by_hand(void **state)
{
	struct rig r;
	open_small(&r, "hotspot", NULL);
	rig_say(&r, "compare --set l1d.ways=1");
	rig_say(&r, "step 100");
	rig_say(&r, "set max_ctas_per_sm 2");
	rig_has(&r, "compare", "changed by hand");
	rig_say(&r, "step 900");
	assert_int_equal(sim_cycle(b_sim(&r)), 1000); /* it still follows */
	rig_fails(&r, "compare --warp-sched lrr", "changed by hand");
	assert_string_equal(r.d->rival->text, "--set l1d.ways=1"); /* the old one stays */
	rig_close(&r);
}

static void words(void **state)
{
	struct rig r;
	open_small(&r, "hotspot", NULL);
	rig_fails(&r, "compare", "options of a second machine are expected");
	rig_fails(&r, "compare off", "no second machine");
	rig_fails(&r, "compare --warp-shed lrr", "unknown option '--warp-shed' (did you mean '--warp-sched'?)");
	rig_fails(&r, "compare --warp-sched nosuch", "no such warp policy 'nosuch'");
	rig_fails(&r, "compare --set l1d.ways=many", "l1d.ways");
	rig_fails(&r, "compare --gpu nosuch", "no machine 'nosuch'");
	rig_fails(&r, "compare --timeline x.csv", "--timeline");
	rig_fails(&r, "compare lrr", "unexpected word 'lrr'");
	rig_fails(&r, "compare by warps --seed 1", "not warps");
	rig_fails(&r, "compare by", "cycles, insts or ctas");
	rig_fails(&r, "compare by insts", "options");
	rig_fails(&r, "compare --set 'l1d.ways=1", "quote");
	assert_null(r.d->rival);
	assert_int_equal(r.d->breaks.n, 0); /* none of them left a breakpoint */
	rig_say(&r, "compare --warp-sched lrr");
	rig_fails(&r, "compare --warp-sched nosuch", "no such warp policy");
	assert_string_equal(r.d->rival->text, "--warp-sched lrr");
	rig_has(&r, "compare by insts", "by insts"); /* the same machine, otherwise */
	assert_int_equal(r.d->rival->by, LOCKSTEP_INSTS);
	assert_int_equal(r.d->breaks.n, 1);
	rig_say(&r, "compare off");
	assert_null(r.d->rival);
	assert_int_equal(r.d->breaks.n, 0);
	rig_close(&r);
}

static bool offers(struct rig *r, const char *line, const char *word)
{
	u32 start;
	char **m = debugger_complete(r->d, line, (u32)strlen(line), &start);
	bool found = false;
	for (u32 i = 0; m && m[i]; i++)
		found |= !strcmp(m[i], word);
	debugger_free_matches(m);
	return found;
}

static void completion(void **state)
{
	struct rig r;
	open_small(&r, "hotspot", NULL);
	assert_true(offers(&r, "compare ", "off"));
	assert_true(offers(&r, "compare by ", "insts"));
	assert_true(offers(&r, "compare --warp", "--warp-sched"));
	assert_true(offers(&r, "compare by insts --warp-sched l", "lrr"));
	assert_false(offers(&r, "compare --warp-sched ", "off"));
	rig_close(&r);
}

/* --- pictures ---------------------------------------------------------------------------------------------------- */

static char *picture(struct rig *r, u32 w, u32 h)
{
	struct strbuf t = STRBUF_INIT;
	struct err e = {0};
	char file[] = "/tmp/rival-XXXXXX.txt";
	int fd = mkstemps(file, 4);
	assert_true(fd >= 0);
	close(fd);
	if (!screen_picture(r->d, file, screen_find_view("9"), (int)w, (int)h, &e))
		fail_msg("%s", e.msg);
	assert_true(strbuf_read_file(&t, file, &e));
	unlink(file);
	return t.buf;
}

static void view_9(void **state)
{
	static const u32 sizes[][2] = {{80, 24}, {120, 40}, {250, 70}, {20, 5}, {40, 12}};
	struct rig r;
	open_small(&r, "hotspot", NULL);
	char *t = picture(&r, 80, 24);
	assert_non_null(strstr(t, "There is no second machine"));
	assert_non_null(strstr(t, "compare --warp-sched lrr"));
	free(t);
	rig_say(&r, "compare --warp-sched lrr");
	rig_say(&r, "continue");
	/* where this has stopped: the cycle is over */
	u32 sm, sched;
	char first[100];
	const char *stopped = strstr(strbuf_str(&r.out), "SM ");
	assert_int_equal(stopped ? sscanf(stopped, "SM %u, scheduler %u", &sm, &sched) : 0, 2);
	snprintf(first, sizeof first, "first different decision: SM %u scheduler %u, cycle %u", sm, sched,
	         (unsigned)sim_cycle(r.s->sim) - 1);
	rig_say(&r, "until 5000");
	u64 a = sim_hash(r.s->sim), b = sim_hash(b_sim(&r));
	for (u32 i = 0; i < ARRAY_LEN(sizes); i++) {
		t = picture(&r, sizes[i][0], sizes[i][1]);
		if (sizes[i][0] >= 80) {
			assert_non_null(strstr(t, " A gtx480 gto/rr"));
			assert_non_null(strstr(t, " B gtx480 lrr/rr"));
			assert_non_null(strstr(t, "cycle 5,000"));
			if (!strstr(t, first))
				fail_msg("'%s' expected in: %s", first, t);
			assert_non_null(strstr(t, "gto: greedy"));
			assert_non_null(strstr(t, "lrr: turn"));
			assert_non_null(strstr(t, "figures differ"));
			assert_non_null(strstr(t, " run.ipc "));
		}
		assert_true(!!strstr(t, "SM by SM") == (sizes[i][0] >= 120));
		free(t);
	}
	assert_int_equal(sim_hash(r.s->sim), a); /* looking changes neither */
	assert_int_equal(sim_hash(b_sim(&r)), b);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(follows_by_cycles),
	    cmocka_unit_test(follows_by_instructions),
	    cmocka_unit_test(follows_by_ctas),
	    cmocka_unit_test(rebuilt_without_history),
	    cmocka_unit_test(first_difference),
	    cmocka_unit_test(reasons),
	    cmocka_unit_test(alike),
	    cmocka_unit_test(first_machine_is_untouched),
	    cmocka_unit_test(both_ends),
	    cmocka_unit_test(b_ends_first),
	    cmocka_unit_test(interrupted),
	    cmocka_unit_test(changed_by_hand),
	    cmocka_unit_test(words),
	    cmocka_unit_test(completion),
	    cmocka_unit_test(view_9),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
