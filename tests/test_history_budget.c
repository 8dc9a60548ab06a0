/* history.mb covers all that snapshots hold: pages and what samplers keep with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "debug_rig.h"
#include "debugger.h"

#define MIB (1ull << 20)
#define KEPT (3 * MIB)

static u32 kept, recalled;

static void hear(void *ctx, u64 cycle) {}

static void *keep(void *ctx)
{
	kept++;
	return xcalloc(1, KEPT);
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(samplers_count)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
