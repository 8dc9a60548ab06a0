/* history.mb covers all that snapshots hold: pages and what samplers keep with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"

#define MIB (1ull << 20)
#define KEPT (3 * MIB)

static u32 kept, recalled;

static void hear(void *ctx, u64 cycle) {}

static void *keep(void *ctx)
{
	kept++;
	return xcalloc(1, KEPT);
}

static size_t much;

static void *keep_much(void *ctx)
{
	return xcalloc(1, much);
}

static void recall(void *ctx, const void *block, u64 cycle)
{
	recalled += block != NULL;
}

static struct sim_history_info look(struct rig *r)
{
	struct sim_history_info h;
	sim_history_info(r->s->sim, &h);
	assert_true(h.on);
	return h;
}

/* What the samplers keep leaves room for few snapshots; all of the past is in reach none the less. */
static void samplers_count(void **state)
{
	char *argv[] = {"warpdbg", "debug", "hotspot", "--size", "small", "--set", "history.mb=48", NULL};
	struct rig r;
	rig_open(&r, argv);
	int id = sim_add_sampler(r.s->sim, 64, hear, NULL);
	u64 before = look(&r).bytes;
	sim_on_snapshot(r.s->sim, id, keep, recall);
	sim_before_change(r.s->sim); /* takes a snapshot */
	assert_int_equal(kept, 1);
	assert_true(look(&r).bytes >= before + KEPT);
	for (u32 i = 0; i < 40; i++) {
		rig_say(&r, "step 40");
		sim_before_change(r.s->sim);
		struct sim_history_info h = look(&r);
		assert_true(h.bytes <= 48 * MIB);
		assert_true(h.snapshots < 48 / 3 + 2); /* those taken before the sampler came hold nothing of it */
	}
	assert_true(kept > 40);
	rig_say(&r, "goto 900");
	rig_say(&r, "reverse-step 300");
	assert_int_equal(sim_cycle(r.s->sim), 600);
	assert_true(recalled > 0);
	rig_close(&r);
}

/* dbg.snapshot() says whether there is a snapshot: with no room but that of history's beginning, going back leaves
 * none.
 */
static void a_snapshot_is_there_or_not(void **state)
{
	char *argv[] = {"warpdbg", "debug", "hotspot", "--size", "small", "--set", "history.mb=48", NULL};
	struct rig r;
	rig_open(&r, argv);
	int id = sim_add_sampler(r.s->sim, 64, hear, NULL);
	much = 9 * MIB;
	sim_on_snapshot(r.s->sim, id, keep_much, recall);
	rig_say(&r, "step 1000");
	rig_has(&r, "p dbg.snapshot()", "1000");
	for (u32 i = 0; i < 6; i++) { /* turns stay as long as anything before them does: nothing can be thinned */
		rig_say(&r, "step 50");
		rig_say(&r, "set deadlock_cycles 1000000");
	}
	u64 begin = look(&r).begin;
	rig_say(&r, "goto 1275");
	much = 40 * MIB;
	rig_has(&r, "lua c, why = dbg.snapshot() print(c, why)", "nil\thistory is full: history.mb=48");
	rig_has(&r, "p why", "of cycle 1275 that would not cost the beginning");
	for (u32 i = 0; i < look(&r).snapshots; i++)
		assert_true(sim_snapshot_place(r.s->sim, i).cycle != 1275);
	assert_int_equal(look(&r).begin, begin);
	rig_say(&r, "goto 1250");
	rig_has(&r, "p dbg.snapshot()", "1250"); /* there is one already */
	rig_close(&r);
	char *none[] = {"warpdbg", "debug", "hotspot", "--size", "small", "--set", "history.mb=0", NULL};
	rig_open(&r, none);
	rig_has(&r, "lua print(dbg.snapshot())", "nil\tthere is no history");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(samplers_count), cmocka_unit_test(a_snapshot_is_there_or_not)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
