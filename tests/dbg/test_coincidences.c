/* Time travel where two things fall together: a stop and a snapshot, a count and a way back shorter than a match, a
 * fork of history and a host program's turn, a breakpoint and the present cycle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "dbg/debugger.h"
#include "tests/rig/debug_rig.h"

#define STOPS 400
struct stops {
	struct sim_place at[STOPS];
	u32 n;
};

static void open_program(struct rig *r, const char *name, const char *size)
{
	char *argv[] = {"warpdbg", "debug", (char *)name, size ? "--param" : NULL, (char *)size, NULL};
	rig_open(r, argv);
}

static void must(struct rig *r, const char *fmt, ...)
{
	char line[200];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	rig_say(r, line);
}

static struct sim_place now(struct rig *r)
{
	return sim_place(r->s->sim);
}

static void assert_place(struct rig *r, struct sim_place want)
{
	assert_int_equal(now(r).cycle, want.cycle);
	assert_int_equal(now(r).turn, want.turn);
}

/* Every stop up to the end; at each, and right before and behind it, a snapshot. */
static struct stops stops_with_snapshots(struct rig *r)
{
	struct stops s = {.n = 0};
	while (must(r, "continue"), r->d->run.rest == DBG_STOPPED) {
		assert_true(s.n < STOPS);
		s.at[s.n++] = now(r);
		must(r, "lua dbg.snapshot()");
	}
	for (u32 i = 0; i < s.n; i++) {
		must(r, "goto %llu", (unsigned long long)s.at[i].cycle - i % 2);
		must(r, "lua dbg.snapshot()");
		must(r, "goto %llu", (unsigned long long)s.at[i].cycle + i % 3);
		must(r, "lua dbg.snapshot()");
	}
	assert_true(s.n > 2);
	return s;
}

/* All of them again, from the end backward and from the beginning forward. */
static void assert_stops(struct rig *r, const struct stops *s)
{
	struct sim_history_info h;
	sim_history_info(r->s->sim, &h);
	must(r, "goto %llu", (unsigned long long)h.frontier);
	if (sim_place_order(now(r), s->at[s->n - 1]) <= 0)
		must(r, "continue");
	for (u32 i = s->n; i-- > 0;) {
		must(r, "reverse-continue");
		assert_place(r, s->at[i]);
	}
	must(r, "reverse-continue");
	assert_non_null(strstr(r->out.buf, "beginning of history"));
	for (u32 i = 0; i < s->n; i++) {
		must(r, "continue");
		assert_place(r, s->at[i]);
	}
	for (u32 i = 1; i < s->n; i++) { /* a stop is not before itself */
		must(r, "goto %llu", (unsigned long long)s->at[i].cycle);
		must(r, "reverse-continue");
		assert_place(r, s->at[i - 1]);
		must(r, "goto %llu", (unsigned long long)s->at[i - 1].cycle + 1);
		must(r, "reverse-continue");
		assert_place(r, s->at[i - 1]);
	}
}

static void a_stop_at_a_snapshot(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "break cta-done sm=2");
	rig_say(&r, "break cycle 700");
	rig_say(&r, "break cycle 701");
	rig_say(&r, "break cycle 702");
	const struct stops s = stops_with_snapshots(&r);
	assert_true(s.n > 5);
	assert_stops(&r, &s);
	rig_close(&r);
}

/* Probes, an expression, memory: what changes exactly where a snapshot lies. */
static void a_change_at_a_snapshot(void **state)
{
	static const char *const watch[] = {"watch gpu.sm[3].ctas_done", "watch gpu.sm[1].ctas_done + 1",
	                                    "watch gpu.kernel[0].ctas_done > 20"};
	for (u32 i = 0; i < ARRAY_LEN(watch); i++) {
		struct rig r;
		rig_vecadd(&r);
		rig_say(&r, watch[i]);
		rig_say(&r, i == 2 ? "watch gpu.sm[0].ctas_done" : "break cycle 600");
		const struct stops s = stops_with_snapshots(&r);
		assert_stops(&r, &s);
		rig_close(&r);
	}
}

/* Kernels that begin and end where the host has its turn, with snapshots there. */
static void a_turn_at_a_snapshot(void **state)
{
	struct rig r;
	open_program(&r, "sssp", "n=120");
	must(&r, "break kernel-launch");
	must(&r, "break kernel-done");
	must(&r, "watch *more"); /* the host clears it in its turns */
	const struct stops s = stops_with_snapshots(&r);
	assert_true(s.n > 10);
	assert_stops(&r, &s);
	rig_close(&r);
}

/* A launch is told when its cycle is over, though its kernel begins much later, and once: not at a stop in between. */
static void a_launch_long_before_its_kernel(void **state)
{
	struct rig r;
	char *argv[] = {"warpdbg", "debug", "sssp", "--param", "n=120", "--set", "launch.latency=500", NULL};
	rig_open(&r, argv);
	must(&r, "break kernel-launch");
	const struct stops s = stops_with_snapshots(&r);
	assert_true(s.n > 3);
	for (u32 i = 0, k = 0; i < s.n; i++) {
		struct kernel_info info;
		do
			gpu_kernel_info(sim_gpu(r.s->sim), k++, &info);
		while (info.counters->launched_at + 1 < s.at[i].cycle);
		assert_int_equal(s.at[i].cycle, info.counters->launched_at + 1);
	}
	assert_stops(&r, &s);
	must(&r, "goto %llu", (unsigned long long)s.at[1].cycle - 1);
	rig_has(&r, "step 100", "kernel-launch");
	assert_place(&r, s.at[1]);
	must(&r, "goto %llu", (unsigned long long)s.at[1].cycle + 100);
	must(&r, "continue");
	assert_place(&r, s.at[2]);
	rig_close(&r);
}

/* The n-th match is the n-th however often one goes back between two, before all, or behind it. */
static void a_count_and_a_short_way_back(void **state)
{
	struct rig r;
	struct stops each = {.n = 0};
	rig_vecadd(&r);
	rig_say(&r, "break cta-done sm=2");
	while (rig_say(&r, "continue"), r.d->run.rest == DBG_STOPPED)
		each.at[each.n++] = now(&r);
	assert_true(each.n > 4);
	rig_say(&r, "delete");
	rig_say(&r, "goto 0");
	rig_say(&r, "break cta-done sm=2 count=3");
	for (u32 i = 0; i < 4; i++) {
		rig_say(&r, "continue");
		assert_place(&r, each.at[2]);
		if (i == 0)
			rig_say(&r, "reverse-step 1"); /* less than a match */
		else if (i == 1)
			must(&r, "goto %llu", (unsigned long long)each.at[1].cycle - 1); /* one match */
		else if (i == 2)
			rig_say(&r, "goto 1"); /* all of them */
	}
	rig_say(&r, "continue");
	assert_int_equal(r.d->run.rest, DBG_FINISHED);
	rig_say(&r, "reverse-continue");
	assert_place(&r, each.at[2]);
	rig_say(&r, "reverse-continue");
	assert_int_equal(now(&r).cycle, 0);
	rig_say(&r, "continue");
	assert_place(&r, each.at[2]);
	rig_close(&r);
}

/* A fork takes back what was counted behind it, and no more; undoing it as well. */
static void a_count_and_a_fork(void **state)
{
	struct sim_place fiftieth[2];
	for (u32 back = 0; back < 2; back++) {
		struct rig r;
		rig_vecadd(&r);
		rig_say(&r, "break cta-done count=50");
		if (back)
			rig_say(&r, "continue");
		const struct sim_place unchanged = now(&r);
		rig_say(&r, "goto 0");
		rig_say(&r, "set max_ctas_per_sm 1");
		rig_say(&r, "continue");
		fiftieth[back] = now(&r);
		assert_int_equal(r.d->run.rest, DBG_STOPPED);
		assert_true(!back || fiftieth[1].cycle != unchanged.cycle);
		for (u32 i = 0; back && i < 2; i++)
			rig_say(&r, "undo");
		if (back) {
			rig_say(&r, "continue");
			assert_place(&r, unchanged);
			rig_say(&r, "run --set max_ctas_per_sm=1"); /* another run counts anew */
			if (!now(&r).cycle)
				rig_say(&r, "continue");
			fiftieth[1] = now(&r);
		}
		rig_close(&r);
	}
	assert_int_equal(fiftieth[0].cycle, fiftieth[1].cycle);
}

/* What the user has changed is there when one comes to the cycle by its number, by steps too, and a watch tells it when
 * the cycle is over, whichever way one comes by. */
static void a_change_and_the_way_to_it(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "watch gpu.turn");
	rig_say(&r, "step 300");
	const struct sim_place before = now(&r);
	const u64 was = sim_hash(r.s->sim);
	rig_say(&r, "set warp-sched lrr");
	session_change_ends(r.s);
	const struct sim_place changed = now(&r);
	const u64 hash = sim_hash(r.s->sim);
	assert_true(hash != was);
	assert_int_equal(changed.turn, before.turn + 1);
	rig_has(&r, "continue", "1 -> 2");
	assert_int_equal(now(&r).cycle, 301);
	static const char *const ways[][2] = {
	    {"goto 300", NULL}, {"goto 299", "step 1"}, {"goto 200", "until 300"}, {"goto 305", "reverse-step 5"}};
	rig_say(&r, "step 10");
	for (u32 i = 0; i < ARRAY_LEN(ways); i++) {
		rig_say(&r, ways[i][0]);
		if (ways[i][1])
			rig_say(&r, ways[i][1]);
		assert_place(&r, changed);
		assert_true(sim_hash(r.s->sim) == hash);
		rig_has(&r, "continue", "1 -> 2");
		assert_int_equal(now(&r).cycle, 301);
	}
	rig_say(&r, "goto 299");
	rig_has(&r, "continue", "1 -> 2");
	assert_int_equal(now(&r).cycle, 301);
	rig_say(&r, "step 5");
	rig_has(&r, "reverse-continue", "1 -> 2");
	assert_int_equal(now(&r).cycle, 301);
	rig_say(&r, "reverse-continue");
	assert_int_equal(now(&r).cycle, 0);
	rig_close(&r);
}

/* A search meets the end of the warp whose register is watched: the watchpoint stays, and its changes are found. */
static void a_warp_that_ends_in_a_search(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "continue");
	const struct sim_place end = now(&r);
	rig_say(&r, "goto 300");
	rig_say(&r, "watch %r1");
	must(&r, "goto %llu", (unsigned long long)end.cycle);
	rig_say(&r, "reverse-continue");
	assert_int_equal(r.d->nwatches, 1);
	assert_true(now(&r).cycle < end.cycle);
	const struct sim_place last = now(&r);
	if (last.cycle) { /* a change: forward it stops there too */
		must(&r, "goto %llu", (unsigned long long)last.cycle - 1);
		rig_say(&r, "continue");
		assert_place(&r, last);
	}
	rig_close(&r);
}

static void ignoring_and_going_back(void **state)
{
	struct rig r;
	struct stops each = {.n = 0};
	rig_vecadd(&r);
	rig_say(&r, "break cta-done sm=2");
	while (rig_say(&r, "continue"), r.d->run.rest == DBG_STOPPED)
		each.at[each.n++] = now(&r);
	struct breakpoint *b = break_find(&r.d->breaks, 1);
	rig_say(&r, "goto 0");
	rig_say(&r, "ignore 1 2");
	const u64 hits = b->hits;
	rig_say(&r, "continue");
	assert_place(&r, each.at[2]);
	assert_int_equal(b->ignore, 0);
	assert_int_equal(b->hits, hits + 3);
	rig_say(&r, "ignore 1 2");
	rig_say(&r, "reverse-continue"); /* they are not for the way back */
	assert_place(&r, each.at[1]);
	assert_int_equal(b->ignore, 2);
	assert_int_equal(b->hits, hits + 3);
	rig_say(&r, "continue");
	assert_place(&r, each.at[4]);
	rig_close(&r);
}

/* A temporary breakpoint goes at its first stop, in the past too, but not by a search backward. */
static void a_temporary_one_in_the_past(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "continue");
	rig_say(&r, "goto 300");
	rig_say(&r, "tbreak cta-done");
	rig_has(&r, "continue", "Temporary breakpoint 1");
	const struct sim_place first = now(&r);
	assert_null(break_find(&r.d->breaks, 1));
	rig_say(&r, "goto 300");
	rig_has(&r, "continue", "finished");
	must(&r, "goto %llu", (unsigned long long)first.cycle + 1);
	rig_say(&r, "tbreak cta-done");
	rig_say(&r, "reverse-continue");
	assert_place(&r, first);
	assert_non_null(break_find(&r.d->breaks, 2));
	rig_close(&r);
}

static void a_breakpoint_at_the_present_cycle(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "step 499");
	rig_say(&r, "break cycle 500");
	rig_say(&r, "break cycle 501");
	rig_say(&r, "goto 500");
	rig_say(&r, "continue"); /* it is here already */
	assert_int_equal(now(&r).cycle, 501);
	rig_say(&r, "reverse-continue");
	assert_int_equal(now(&r).cycle, 500);
	rig_say(&r, "reverse-continue"); /* nor is it before itself */
	assert_int_equal(now(&r).cycle, 0);
	rig_say(&r, "continue");
	assert_int_equal(now(&r).cycle, 500);
	rig_close(&r);
}

/* Where the first kernel has ended: before the host's turn. */
static struct sim_place to_the_turn(struct rig *r)
{
	open_program(r, "sssp", "n=120");
	rig_say(r, "break kernel-done");
	rig_say(r, "continue");
	rig_say(r, "delete");
	return now(r);
}

static void bookmarks_and_a_fork(void **state)
{
	struct rig r;
	const struct sim_place turn = to_the_turn(&r);
	const u64 hash = sim_hash(r.s->sim);
	rig_say(&r, "bookmark turn");
	rig_say(&r, "set warp-sched lrr");
	rig_say(&r, "bookmark changed"); /* the same cycle, another place */
	const struct sim_place changed = now(&r);
	const u64 then = sim_hash(r.s->sim);
	assert_int_equal(changed.cycle, turn.cycle);
	assert_int_equal(changed.turn, turn.turn + 1);
	rig_say(&r, "step 200");
	rig_say(&r, "bookmark later");
	rig_say(&r, "step 200");
	rig_say(&r, "goto turn");
	assert_place(&r, turn);
	assert_true(sim_hash(r.s->sim) == hash);
	rig_has(&r, "info bookmarks", ", turn 1");
	rig_say(&r, "goto changed");
	assert_place(&r, changed);
	assert_true(sim_hash(r.s->sim) == then);
	must(&r, "goto %llu", (unsigned long long)turn.cycle); /* the cycle alone: as the user left it */
	assert_place(&r, changed);
	rig_say(&r, "reverse-step 100");
	rig_say(&r, "set warp-sched tlv"); /* turns and places behind it are others now: one more */
	rig_say(&r, "set max_ctas_per_sm 2");
	rig_has(&r, "info bookmarks", "(not in the history)");
	rig_fails(&r, "goto later", "not in the history any more");
	must(&r, "until %llu", (unsigned long long)changed.cycle + 400);
	rig_say(&r, "goto later");
	assert_int_equal(now(&r).cycle, changed.cycle + 200);
	rig_say(&r, "goto changed");
	assert_int_equal(now(&r).cycle, changed.cycle);
	rig_close(&r);
}

/* What `lua` has written belongs to the place that is remembered behind it. */
static void an_open_change(void **state)
{
	struct rig r;
	to_the_turn(&r);
	char write[80];
	const struct devmem *m = sim_devmem(r.s->sim);
	u32 i = 0;
	while (strcmp(m->allocs[i].name, "more"))
		i++;
	snprintf(write, sizeof write, "lua mem.write_f32(%llu, 4711)", (unsigned long long)m->allocs[i].addr);
	const u64 hash = sim_hash(r.s->sim);
	rig_say(&r, write);
	const u64 written = sim_hash(r.s->sim);
	assert_true(written != hash);
	rig_say(&r, "step 100");
	rig_say(&r, "undo");
	assert_true(sim_hash(r.s->sim) == written);
	rig_say(&r, "undo");
	assert_true(sim_hash(r.s->sim) == hash);
	rig_say(&r, write);
	rig_say(&r, "bookmark written");
	rig_say(&r, "step 100");
	rig_say(&r, "goto written");
	assert_true(sim_hash(r.s->sim) == written);
	rig_say(&r, "undo");
	rig_say(&r, "undo");
	rig_say(&r, "undo");
	assert_true(sim_hash(r.s->sim) == hash);
	must(&r, "%s dbg.step(5)", write);
	rig_say(&r, "undo");
	assert_true(sim_hash(r.s->sim) == written);
	rig_say(&r, "undo");
	assert_true(sim_hash(r.s->sim) == hash);
	/* Within one command, too, where the change is still open. */
	must(&r, "%s dbg.execute('bookmark inner') dbg.step(5)", write);
	rig_say(&r, "goto inner");
	assert_true(sim_hash(r.s->sim) == written);
	rig_say(&r, "undo");
	rig_say(&r, "undo");
	assert_true(sim_hash(r.s->sim) == written);
	rig_say(&r, "undo");
	assert_true(sim_hash(r.s->sim) == hash);
	rig_close(&r);
}

/* The machine stood still until the user let it go on: the way there and a search lead over it. */
static void a_way_over_a_standstill(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "break cta-done sm=2");
	rig_say(&r, "step 300");
	rig_say(&r, "lua for i = 0, 63 do dbg.execute('pause cta ' .. i) end");
	rig_has(&r, "continue", "Nothing goes on");
	const u64 still = now(&r).cycle;
	rig_say(&r, "lua for i = 0, 63 do dbg.execute('resume cta ' .. i) end");
	rig_has(&r, "continue", "cta-done");
	const struct sim_place done = now(&r);
	const u64 hash = sim_hash(r.s->sim);
	assert_true(done.cycle > still);
	rig_say(&r, "step 5");
	rig_say(&r, "goto 200");
	must(&r, "goto %llu", (unsigned long long)done.cycle);
	assert_place(&r, done);
	assert_true(sim_hash(r.s->sim) == hash);
	rig_say(&r, "step 5");
	rig_say(&r, "reverse-continue");
	assert_place(&r, done);
	assert_true(sim_hash(r.s->sim) == hash);
	rig_close(&r);
}

static void undo_across_a_turn(void **state)
{
	struct rig r;
	const struct sim_place turn = to_the_turn(&r);
	const u64 hash = sim_hash(r.s->sim);
	rig_say(&r, "step 300");
	assert_true(now(&r).turn > turn.turn);
	const u64 on = sim_hash(r.s->sim);
	rig_say(&r, "undo");
	assert_place(&r, turn);
	assert_true(sim_hash(r.s->sim) == hash);
	rig_say(&r, "set warp-sched lrr");
	const u64 changed = sim_hash(r.s->sim);
	rig_say(&r, "step 300");
	assert_true(sim_hash(r.s->sim) != on);
	rig_say(&r, "undo");
	assert_true(sim_hash(r.s->sim) == changed);
	rig_has(&r, "undo", "undone");
	assert_place(&r, turn);
	assert_true(sim_hash(r.s->sim) == hash);
	rig_say(&r, "step 300");
	assert_true(sim_hash(r.s->sim) == on);
	/* Two changes at one place are undone one by one. */
	rig_say(&r, "undo");
	rig_say(&r, "set warp-sched lrr");
	rig_say(&r, "set max_ctas_per_sm 1");
	rig_say(&r, "undo");
	assert_true(sim_hash(r.s->sim) == changed);
	rig_say(&r, "undo");
	assert_place(&r, turn);
	assert_true(sim_hash(r.s->sim) == hash);
	rig_close(&r);
}

/* From the end back to where a kernel ended in the very same cycle. */
static void the_last_turn(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "break kernel-done");
	rig_say(&r, "continue");
	const struct sim_place done = now(&r);
	const u64 hash = sim_hash(r.s->sim);
	rig_has(&r, "continue", "check");
	const struct sim_place end = now(&r);
	assert_int_equal(r.d->run.rest, DBG_FINISHED);
	assert_int_equal(end.cycle, done.cycle);
	rig_has(&r, "reverse-continue", "kernel-done");
	assert_place(&r, done);
	assert_true(sim_hash(r.s->sim) == hash);
	assert_int_equal(r.d->run.rest, DBG_STOPPED);
	rig_say(&r, "undo");
	assert_place(&r, end);
	assert_int_equal(r.d->run.rest, DBG_FINISHED);
	rig_say(&r, "reverse-step");
	rig_say(&r, "step");
	assert_place(&r, done);
	rig_has(&r, "continue", "The program has finished");
	assert_place(&r, end);
	rig_close(&r);
}

/* --- files ---------------------------------------------------------------------------------------------------------- */

#define FILES 3
static void recorded(char path[FILES][32], bool detour, u64 cycle)
{
	struct rig r;
	char *argv[] = {"warpdbg", "debug", "sssp", "--param", "n=120", "--trace", path[1], "--timeline", path[2], NULL};
	rig_open(&r, argv);
	must(&r, "record start %s kernel-launch kernel-start kernel-done cta-dispatch", path[0]);
	if (detour) {
		rig_say(&r, "continue");
		rig_say(&r, "goto 0");
		rig_say(&r, "continue"); /* all of it once more: it is not written again */
		must(&r, "goto %llu", (unsigned long long)cycle + 100);
		rig_say(&r, "set warp-sched tlv");
		rig_say(&r, "continue");
		must(&r, "goto %llu", (unsigned long long)cycle / 2);
		rig_say(&r, "step 10");
		must(&r, "goto %llu", (unsigned long long)cycle);
	} else {
		must(&r, "until %llu", (unsigned long long)cycle);
	}
	rig_say(&r, "set warp-sched lrr");
	rig_say(&r, "continue");
	rig_say(&r, "record stop");
	rig_close(&r);
}

/* A fork of history where the host has its turn, and right before and behind: the file is that of the run it ends as.
 */
static void a_recording_and_a_fork_at_a_turn(void **state)
{
	struct rig r;
	const struct sim_place turn = to_the_turn(&r);
	rig_close(&r);
	for (u64 cycle = turn.cycle - 1; cycle <= turn.cycle + 1; cycle++) {
		char path[2][FILES][32];
		for (u32 i = 0; i < 2 * FILES; i++) {
			snprintf(path[i / FILES][i % FILES], sizeof path[0][0], "/tmp/warpdbg-record-XXXXXX");
			close(mkstemp(path[i / FILES][i % FILES]));
		}
		recorded(path[0], true, cycle);
		recorded(path[1], false, cycle);
		for (u32 i = 0; i < FILES; i++) {
			struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
			struct err e = {0};
			assert_true(strbuf_read_file(&x, path[0][i], &e) && strbuf_read_file(&y, path[1][i], &e));
			assert_true(x.len > 1000);
			if (strcmp(x.buf, y.buf))
				fail_msg("file %u of a fork at cycle %llu, where the host's turn is at %llu", i,
				         (unsigned long long)cycle, (unsigned long long)turn.cycle);
			strbuf_release(&x);
			strbuf_release(&y);
			remove(path[0][i]);
			remove(path[1][i]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_stop_at_a_snapshot),
	    cmocka_unit_test(a_change_at_a_snapshot),
	    cmocka_unit_test(a_turn_at_a_snapshot),
	    cmocka_unit_test(a_launch_long_before_its_kernel),
	    cmocka_unit_test(a_count_and_a_short_way_back),
	    cmocka_unit_test(a_count_and_a_fork),
	    cmocka_unit_test(a_change_and_the_way_to_it),
	    cmocka_unit_test(a_warp_that_ends_in_a_search),
	    cmocka_unit_test(ignoring_and_going_back),
	    cmocka_unit_test(a_temporary_one_in_the_past),
	    cmocka_unit_test(a_breakpoint_at_the_present_cycle),
	    cmocka_unit_test(bookmarks_and_a_fork),
	    cmocka_unit_test(an_open_change),
	    cmocka_unit_test(a_way_over_a_standstill),
	    cmocka_unit_test(undo_across_a_turn),
	    cmocka_unit_test(the_last_turn),
	    cmocka_unit_test(a_recording_and_a_fork_at_a_turn),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
