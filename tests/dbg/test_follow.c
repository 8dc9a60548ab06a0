/* `follow`, `break follow`, `info latency`: one load's way is the same however one came to the cycle, and what is asked
 * for changes nothing; each stop is a hop; what cannot be followed is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "dbg/follow.h"
#include "dbg/latencies.h"
#include "tests/rig/debug_rig.h"

static const char *const machines[] = {
    "spmv --gpu v100 --size small",
    "spmv --gpu gtx480 --size small",
    "bfs --gpu apu15 --size small",
};

/* A cycle and warp with a load under way. */
static void find_load(struct rig *r)
{
	struct followed f;
	char line[80];
	for (u32 cycle = 4000; cycle < 30000; cycle += 1000) {
		snprintf(line, sizeof line, "until %u", cycle);
		rig_say(r, line);
		for (u32 w = 0; w < 8; w++) {
			snprintf(line, sizeof line, "follow warp %u", w);
			rig_say(r, line);
			assert_true(follow_look(r->d, &f, &r->e));
			if (f.found && f.way->n > 1)
				return;
		}
	}
	fail_msg("no load");
}

static u64 number_of(struct rig *r, const char *expr)
{
	char line[80];
	snprintf(line, sizeof line, "print %s", expr);
	return strtoull(rig_say(r, line), NULL, 0);
}

/* The way at each cycle of a load's life is the beginning of the way at its end; the cycles sum. */
static void same_way(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(machines); i++) {
		struct rig r;
		struct followed f;
		struct way_hop all[WAY_HOPS_MAX], part[WAY_HOPS_MAX];
		char line[80], hash[40], text[4000];
		print_message("%s\n", machines[i]);
		rig_words(&r, machines[i]);
		find_load(&r);
		const u64 here = sim_cycle(r.s->sim);
		snprintf(hash, sizeof hash, "%s", rig_say(&r, "print gpu.hash"));
		snprintf(text, sizeof text, "%s", rig_say(&r, "follow"));
		rig_has(&r, "print gpu.hash", hash);
		assert_int_equal(sim_cycle(r.s->sim), here);
		rig_say(&r, "step 6000");
		assert_true(follow_look(r.d, &f, &r.e) && f.way && f.way->end != NEVER);
		struct way *w = (struct way *)f.way;
		way_keep(w);
		const u32 txn = f.txn, n = way_hops(w, txn, NEVER, all, NULL);
		const u64 last = way_txn_end(w, txn);
		assert_true(last > here && w->issued < here);
		for (u64 c = w->issued; c <= w->end + 1; c += 1 + (w->end - w->issued) / 9) {
			snprintf(line, sizeof line, "goto %llu", (unsigned long long)c);
			rig_say(&r, line);
			assert_true(follow_look(r.d, &f, &r.e));
			assert_int_equal(f.ahead, c <= w->issued);
			if (f.ahead)
				continue;
			assert_int_equal(f.way->issued, w->issued);
			const u32 k = way_hops(f.way, txn, c - 1, part, NULL);
			assert_true(k && k <= n);
			for (u32 h = 0; h < k; h++)
				assert_true(part[h].hop == all[h].hop && part[h].since == all[h].since);
			assert_true(k == n || all[k].since >= c);
		}
		snprintf(line, sizeof line, "goto %llu", (unsigned long long)here);
		rig_say(&r, line);
		rig_has(&r, "print gpu.hash", hash);
		assert_string_equal(rig_say(&r, "follow"), text);
		rig_say(&r, "goto 10"); /* without what is remembered */
		rig_has(&r, "follow", "lies ahead");
		rig_say(&r, line);
		assert_string_equal(rig_say(&r, "follow"), text);
		way_drop(w);
		rig_close(&r);
	}
}

/* Each hop that begins after this place stops the run once, right behind its first cycle, also backwards. */
static void stops(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(machines); i++) {
		struct rig r;
		struct followed f;
		struct way_hop all[WAY_HOPS_MAX];
		rig_words(&r, machines[i]);
		find_load(&r);
		const u64 here = sim_cycle(r.s->sim);
		rig_say(&r, "break follow");
		rig_say(&r, "continue");
		const u64 first = sim_cycle(r.s->sim);
		rig_say(&r, "delete 1");
		rig_say(&r, "continue");
		const u64 end = sim_cycle(r.s->sim);
		char hash[40];
		snprintf(hash, sizeof hash, "%s", rig_say(&r, "print gpu.hash"));
		assert_true(follow_look(r.d, &f, &r.e) && f.way && f.way->end != NEVER);
		struct way *w = (struct way *)f.way;
		way_keep(w);
		u32 n = way_hops(w, f.txn, NEVER, all, NULL), k = 0;
		while (k < n && all[k].since < here)
			k++;
		assert_int_equal(first, (k < n ? all[k].since : w->end) + 1);
		rig_say(&r, "goto 10");
		rig_say(&r, "break follow");
		for (u32 h = 0; h <= n; h++) {
			rig_has(&r, "continue", h < n ? hop_descs[all[h].hop].name : "hop done");
			assert_int_equal(sim_cycle(r.s->sim), (h < n ? all[h].since : w->end) + 1);
		}
		rig_say(&r, "step 5");
		for (u32 h = n + 1; h-- > 0;) {
			rig_say(&r, "reverse-continue");
			assert_int_equal(sim_cycle(r.s->sim), (h < n ? all[h].since : w->end) + 1);
		}
		rig_say(&r, "delete 2");
		rig_say(&r, "continue");
		assert_int_equal(sim_cycle(r.s->sim), end);
		rig_has(&r, "print gpu.hash", hash);
		way_drop(w);
		rig_close(&r);
	}
}

/* A request that has not been made yet: found when it has, live and by looking. */
static void the_next_one(void **state)
{
	struct rig r;
	struct followed f, g;
	char line[80];
	rig_words(&r, machines[0]);
	rig_has(&r, "follow", "No load of warp 0 on SM 0 is under way: the next one is followed, from cycle 0 on.");
	rig_say(&r, "break follow");
	rig_has(&r, "continue", "hop operands");
	assert_true(follow_look(r.d, &f, &r.e) && f.found && f.way);
	assert_int_equal(f.issued + 1, sim_cycle(r.s->sim));
	const u64 issued = f.issued, addr = f.way->txn[0].addr;
	rig_say(&r, "delete");
	rig_say(&r, "continue");
	rig_say(&r, "goto 0");
	rig_say(&r, "follow warp 0");
	rig_say(&r, "until 9000");
	assert_true(follow_look(r.d, &g, &r.e) && g.found);
	assert_int_equal(g.issued, issued);
	rig_say(&r, "goto 0");
	snprintf(line, sizeof line, "follow 0x%llx", (unsigned long long)addr);
	rig_has(&r, line, "the next one is followed");
	rig_say(&r, "until 9000");
	assert_true(follow_look(r.d, &g, &r.e) && g.found);
	assert_true(g.issued <= issued); /* perhaps another warp's, earlier */
	assert_int_equal(g.way->txn[g.txn].addr & ~127ull, addr & ~127ull);
	rig_close(&r);
}

/* What is changed in the past makes another run. */
static void changes(void **state)
{
	struct rig r;
	struct followed f;
	rig_words(&r, machines[1]);
	find_load(&r);
	rig_say(&r, "step 3000");
	rig_has(&r, "follow", "done");
	const u64 loads = number_of(&r, "dbg.latency().loads");
	assert_true(follow_look(r.d, &f, &r.e) && f.way);
	char line[80];
	snprintf(line, sizeof line, "goto %llu", (unsigned long long)f.way->issued + 3);
	rig_say(&r, line);
	rig_say(&r, "set warp-sched lrr");
	rig_has(&r, "follow", "Now, in cycle");
	rig_say(&r, "step 3000");
	rig_has(&r, "follow", "done");
	assert_true(number_of(&r, "dbg.latency().loads") != loads);
	rig_say(&r, "run");
	rig_fails(&r, "follow txn 1", "nothing is followed");
	rig_close(&r);
}

static void refusals(void **state)
{
	struct rig r;
	rig_words(&r, machines[1]);
	rig_has(&r, "info latency", "0 loads.");
	rig_has(&r, "info latency lines", "0 loads.");
	rig_fails(&r, "follow xyz", "is expected, not 'xyz'");
	rig_fails(&r, "follow warp 48", "48 is larger than 47");
	rig_fails(&r, "follow warp x", "x");
	rig_fails(&r, "follow line", "an address is expected");
	rig_fails(&r, "follow txn 1", "nothing is followed");
	rig_fails(&r, "follow off now", "now");
	rig_fails(&r, "info latency foo", "`lines [N]` is expected, not 'foo'");
	rig_fails(&r, "info latency lines 0", "at least one line");
	rig_fails(&r, "info latency lines x", "x");
	find_load(&r);
	rig_fails(&r, "follow txn 0", "from 1 on");
	rig_fails(&r, "follow txn 99", "the load has made");
	rig_close(&r);
	rig_words(&r, "spmv --gpu gtx480 --size small --set history.mb=0");
	rig_say(&r, "until 5000");
	rig_fails(&r, "follow", "there is no history");
	rig_fails(&r, "info latency", "there is no history");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(same_way), cmocka_unit_test(stops),    cmocka_unit_test(the_next_one),
	    cmocka_unit_test(changes),  cmocka_unit_test(refusals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
