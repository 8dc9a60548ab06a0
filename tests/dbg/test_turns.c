/* Places of a run, a cycle and the turns so far: the same place has the same state, whichever command leads there, and
 * forward the same stops come in the same order, backward in the reverse one. Random walks over programs with many
 * launches, several at once, over and over, with changes by hand on the way. */
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/rng.h"
#include "dbg/debugger.h"
#include "tests/rig/debug_rig.h"
#include "tests/rig/rounds.h"

struct place {
	struct sim_place at;
	u64 hash;
};
struct law {
	struct rig r;
	struct place stop[600], seen[4000];
	u32 nstops, nseen;
	struct sim_place end;
	u64 rng;
};

static struct sim_place now(struct law *l)
{
	return sim_place(l->r.s->sim);
}

static void say(struct law *l, const char *fmt, ...)
{
	char line[160];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	if (!rig_try(&l->r, line))
		fail_msg("%s: %s", line, l->r.e.msg);
}

/* The law: what was seen here before is what is here now. */
static void look(struct law *l, const char *how)
{
	const struct place p = {now(l), sim_hash(l->r.s->sim)};
	for (u32 i = 0; i < l->nseen; i++) {
		if (sim_place_order(l->seen[i].at, p.at))
			continue;
		if (l->seen[i].hash != p.hash)
			fail_msg("cycle %llu, turn %u: another state by %s", (unsigned long long)p.at.cycle, p.at.turn, how);
		return;
	}
	assert_true(l->nseen < ARRAY_LEN(l->seen));
	l->seen[l->nseen++] = p;
}

static void assert_at(struct law *l, struct sim_place want, const char *how)
{
	const struct sim_place at = now(l);
	if (sim_place_order(at, want))
		fail_msg("%s: at cycle %llu, turn %u instead of cycle %llu, turn %u", how, (unsigned long long)at.cycle,
		         at.turn, (unsigned long long)want.cycle, want.turn);
	look(l, how);
}

static struct sim_place beginning(struct law *l)
{
	struct sim_history_info h;
	sim_history_info(l->r.s->sim, &h);
	return sim_rest(l->r.s->sim, h.begin);
}

/* The first stop behind a place, the end when there is none; the last one before it, the beginning when there is none.
 */
static struct sim_place next_stop(struct law *l, struct sim_place from)
{
	for (u32 i = 0; i < l->nstops; i++)
		if (sim_place_order(l->stop[i].at, from) > 0)
			return l->stop[i].at;
	return l->end;
}

static struct sim_place last_stop(struct law *l, struct sim_place from)
{
	for (u32 i = l->nstops; i-- > 0;)
		if (sim_place_order(l->stop[i].at, from) < 0 && sim_place_order(l->stop[i].at, beginning(l)) > 0)
			return l->stop[i].at;
	return beginning(l);
}

static void forward(struct law *l, const char *how)
{
	const struct sim_place want = next_stop(l, now(l));
	say(l, "continue");
	assert_at(l, want, how);
}

/* To the end for the first time, with a change by hand at every `change`-th stop. */
static void first_time(struct law *l, u32 change)
{
	look(l, "the start");
	for (;;) {
		say(l, "continue");
		look(l, "continue");
		if (l->r.d->run.rest == DBG_FINISHED)
			break;
		assert_true(l->nstops < ARRAY_LEN(l->stop));
		l->stop[l->nstops++] = (struct place){now(l), 0};
		if (!change || l->nstops % change)
			continue;
		say(l, "set warp-sched %s", l->nstops / change % 2 ? "lrr" : "gto");
		session_change_ends(l->r.s);
		look(l, "a change");
	}
	l->end = now(l);
	assert_true(l->nstops > 5);
}

/* All stops in reverse, and all of them forward again. */
static void there_and_back(struct law *l)
{
	while (sim_place_order(now(l), beginning(l)) > 0) {
		const struct sim_place want = last_stop(l, now(l));
		say(l, "reverse-continue");
		assert_at(l, want, "reverse-continue");
	}
	while (l->r.d->run.rest != DBG_FINISHED)
		forward(l, "continue, again");
	assert_at(l, l->end, "the end");
}

/* One step there and back is none. */
static void step_and_back(struct law *l, u64 n)
{
	const struct sim_place from = now(l), stop = next_stop(l, from);
	if (stop.cycle <= from.cycle + n || sim_place_order(from, sim_rest(l->r.s->sim, from.cycle)))
		return;
	say(l, "step %llu", (unsigned long long)n);
	assert_int_equal(now(l).cycle, from.cycle + n);
	look(l, "step");
	say(l, "reverse-step %llu", (unsigned long long)n);
	assert_at(l, from, "reverse-step");
}

static void stepped(struct law *l, u64 n)
{
	const struct sim_place from = now(l), stop = next_stop(l, from);
	say(l, "step %llu", (unsigned long long)n);
	if (stop.cycle <= from.cycle + n)
		assert_at(l, stop, "a stop on the way of a step");
	else
		assert_at(l, sim_rest(l->r.s->sim, from.cycle + n), "step");
}

static void random_move(struct law *l)
{
	const struct sim_place from = now(l);
	const u64 begin = beginning(l).cycle, to = begin + rng_next(&l->rng) % (l->end.cycle - begin + 1);
	const u64 n = 1 + rng_next(&l->rng) % MIN(40, from.cycle - begin);
	struct sim_place near;
	do
		near = l->stop[rng_next(&l->rng) % l->nstops].at;
	while (near.cycle < begin + 40);
	const bool ended = l->r.d->run.rest == DBG_FINISHED;
	switch (rng_next(&l->rng) % 9) {
	case 0: say(l, "goto %llu", (unsigned long long)to); break;
	case 1: say(l, "goto %llu", (unsigned long long)(near.cycle - n)); break;
	case 2: say(l, "goto %llu", (unsigned long long)near.cycle); break;
	case 3:
		say(l, "reverse-step %llu", (unsigned long long)n);
		assert_at(l, sim_rest(l->r.s->sim, from.cycle - n), "reverse-step");
		break;
	case 4: {
		const struct sim_place want = last_stop(l, from);
		say(l, "reverse-continue");
		assert_at(l, want, "reverse-continue");
		break;
	}
	case 5:
		if (!ended)
			stepped(l, n);
		break;
	case 6:
		if (!ended)
			forward(l, "continue from anywhere");
		break;
	case 7:
		say(l, "bookmark b");
		say(l, "goto %llu", (unsigned long long)to);
		say(l, rng_next(&l->rng) % 2 ? "undo" : "goto b");
		assert_at(l, from, "undo or a bookmark");
		break;
	case 8:
		if (!ended)
			step_and_back(l, n);
		break;
	}
	look(l, "a move");
}

/* WARPDBG_MOVES=N: N random moves in each walk. */
static void walk(char **argv, u32 change)
{
	static struct law l;
	const u32 moves = rounds("WARPDBG_MOVES", 12, 2);
	assert_true(moves > 0);
	l = (struct law){.rng = 4711 + change};
	rig_open(&l.r, argv);
	say(&l, "break kernel-launch");
	say(&l, "break kernel-done");
	say(&l, "watch gpu.turn");
	first_time(&l, change);
	there_and_back(&l);
	for (u32 i = 0; i < moves; i++) {
		if (now(&l).cycle == beginning(&l).cycle)
			say(&l, "goto %llu", (unsigned long long)l.end.cycle / 2);
		random_move(&l);
	}
	if (!SANITIZED)
		there_and_back(&l);
	rig_close(&l.r);
}

static void one_program(void **state)
{
	walk((char *[]){"warpdbg", "debug", "sssp", "--param", "n=120", NULL}, 0);
}

static void one_program_changed(void **state)
{
	walk((char *[]){"warpdbg", "debug", "bfs", "--size", "small", NULL}, 3);
}

static void little_memory(void **state)
{
	walk((char *[]){"warpdbg", "debug", "sssp", "--param", "n=120", "--set", "history.mb=16", NULL}, 4);
}

static void several_programs(void **state)
{
	walk((char *[]){"warpdbg", "debug", "--partition", "smk", "sssp", "--param", "n=120", "bfs", "--size", "small",
	                NULL},
	     0);
}

static void over_and_over(void **state)
{
	walk((char *[]){"warpdbg", "debug", "--size", "small", "--partition", "smk", "bfs", "vecadd", "--again", NULL}, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_program),      cmocka_unit_test(one_program_changed), cmocka_unit_test(little_memory),
	    cmocka_unit_test(several_programs), cmocka_unit_test(over_and_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
