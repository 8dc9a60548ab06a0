/* Time travel: random walks of forward, back and goto, over a workload with several launches, compared by state hash
 * with the straight run; also with so little memory that snapshots are thinned; forks. */
#include "tests/rig/machine.h"

#include "base/rng.h"
#include "gpu/gpu.h"

static const char kernel[] = PTX_HEAD ".visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred %p<3>; "
                                      ".reg .b32 %r<20>; .reg .b64 %a<10>; .shared .align 4 .b8 sh[1024];\n"
                                      "ld.param.u64 %a1, [p0]; ld.param.u64 %a2, [p1]; mov.u32 %r1, %tid.x; "
                                      "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
                                      "mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %a3, %r4, 4; add.u64 %a4, %a1, %a3; "
                                      "mov.u32 %r5, 0; shl.b32 %r6, %r1, 2; mov.u32 %r7, sh; add.u32 %r7, %r7, %r6;\n"
                                      "L: ld.global.u32 %r8, [%a4]; mad.lo.u32 %r8, %r8, 1664525, 1013904223; "
                                      "st.shared.u32 [%r7], %r8; bar.sync 0;\n"
                                      "xor.b32 %r9, %r6, 4; mov.u32 %r10, sh; add.u32 %r10, %r10, %r9; "
                                      "ld.shared.u32 %r11, [%r10]; bar.sync 0; add.u32 %r8, %r8, %r11;\n"
                                      "st.global.u32 [%a4], %r8; atom.global.add.u32 %r12, [%a2], 1; "
                                      "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 6; @%p1 bra L; ret;\n}\n";

struct setup {
	struct sim *s;
	struct module *m;
	u64 buf, sum;
};

static struct setup begin(u64 history_mb)
{
	struct setup t;
	struct err e = {0};
	t.s = machine((const char *[]){"num_sms=4", NULL});
	t.m = sim_load_text(t.s, "t.ptx", kernel, sizeof kernel - 1, &e);
	t.buf = devmem_alloc(sim_devmem(t.s), 64 * 1024 * 4, "buf", &e);
	t.sum = devmem_alloc(sim_devmem(t.s), 4, "sum", &e);
	assert_false(e.set);
	assert_true(sim_history(t.s, history_mb, &e));
	return t;
}

static void launch(struct setup *t)
{
	struct err e = {0};
	struct launch_spec l = {.mod = t->m,
	                        .fn = &t->m->funcs[0],
	                        .grid = {40, 1, 1},
	                        .block = {256, 1, 1},
	                        .params = (u64[]){t->buf, t->sum},
	                        .param_bytes = 16};
	sim_fork(t->s);
	assert_true(sim_launch(t->s, &l, &e) >= 0);
	sim_turn(t->s);
}

/* Three launches, each after the one before; the hash at every 100th cycle. */
static u32 straight(u64 *hash, u32 max)
{
	struct setup t = begin(0);
	u32 n = 0;
	for (u32 k = 0; k < 3; k++) {
		launch(&t);
		while (!sim_idle(t.s)) {
			sim_run(t.s, (sim_cycle(t.s) / 100 + 1) * 100, NULL);
			if (sim_cycle(t.s) % 100 == 0 && n < max && sim_cycle(t.s) / 100 == n + 1)
				hash[n++] = sim_hash(t.s);
		}
	}
	sim_destroy(t.s);
	return n;
}

#define HASHES 4000
static void walk(u64 mb, u64 seed)
{
	static u64 want[HASHES];
	u32 n = straight(want, HASHES);
	assert_true(n > 50 && n < HASHES);
	struct setup t = begin(mb);
	for (u32 k = 0; k < 3; k++) {
		launch(&t);
		while (!sim_idle(t.s))
			sim_run(t.s, NEVER, NULL);
	}
	struct sim_history_info h;
	struct err e = {0};
	u64 end = sim_cycle(t.s), end_hash = sim_hash(t.s);
	for (u32 i = 0; i < 60; i++) {
		sim_history_info(t.s, &h);
		u64 first = h.begin / 100 + 1, target = (first + rng_next(&seed) % (n - first + 1)) * 100;
		if (!sim_goto(t.s, target, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(sim_cycle(t.s), target);
		assert_int_equal(sim_hash(t.s), want[target / 100 - 1]);
		if (i % 3 == 0 && target / 100 < n) { /* and some way forward again */
			u64 on = target + 100 * (1 + rng_next(&seed) % MIN(n - target / 100, 20));
			while (sim_cycle(t.s) < on)
				assert_int_equal(sim_run(t.s, on, NULL), STOP_CYCLE);
			assert_int_equal(sim_hash(t.s), want[on / 100 - 1]);
		}
	}
	assert_true(sim_goto(t.s, end, &e));
	assert_int_equal(sim_hash(t.s), end_hash);
	assert_false(sim_goto(t.s, end + 1, &e));
	assert_non_null(strstr(e.msg, "not been simulated"));
	sim_destroy(t.s);
}

static void test_walk(void **state)
{
	walk(256, 1);
}
static void test_walk_thinned(void **state)
{
	walk(16, 2);
}

static void test_fork(void **state)
{
	struct setup t = begin(64), u = begin(0);
	struct err e = {0};
	launch(&t);
	sim_run(t.s, 3000, NULL);
	assert_int_equal(sim_cycle(t.s), 3000);
	assert_true(sim_goto(t.s, 1000, &e));
	sim_fork(t.s);
	assert_true(sim_set(t.s, "warp-sched", "lrr", &e));
	sim_turn(t.s);
	assert_false(sim_goto(t.s, 3000, &e)); /* that future is gone */
	sim_run(t.s, 2500, NULL);
	/* the same changes made on the straight way */
	launch(&u);
	sim_run(u.s, 1000, NULL);
	assert_true(sim_set(u.s, "warp-sched", "lrr", &e) || true);
	sim_run(u.s, 2500, NULL);
	assert_int_equal(sim_hash(t.s), sim_hash(u.s));
	/* back over the change and forth again: it comes back by itself */
	e = (struct err){0};
	u64 hash = sim_hash(t.s);
	assert_true(sim_goto(t.s, 500, &e));
	sim_run(t.s, 2500, NULL);
	assert_int_equal(sim_hash(t.s), hash);
	sim_destroy(t.s);
	sim_destroy(u.s);
}

static void test_beginning(void **state)
{
	struct setup t = begin(0);
	struct err e = {0};
	launch(&t);
	sim_run(t.s, 2000, NULL);
	assert_true(sim_history(t.s, 64, &e));
	sim_run(t.s, 3000, NULL);
	assert_false(sim_goto(t.s, 1999, &e));
	assert_non_null(strstr(e.msg, "history begins at cycle 2000"));
	sim_destroy(t.s);
}

/* History full of turns, so full that its beginning had to move: looking back takes nothing more from it. */
static void test_looking_back_loses_nothing(void **state)
{
	struct setup t = begin(16);
	struct sim_history_info h;
	struct err e = {0};
	struct sim_place at[200];
	u64 hash[200], rng = 5;
	u32 n = 0;
	do { /* a launch every 1500 cycles: in the end the past is nothing but turns, far enough apart for a snapshot more
		  */
		launch(&t);
		at[n] = sim_place(t.s);
		hash[n++] = sim_hash(t.s);
		sim_run(t.s, sim_cycle(t.s) + 1500, NULL);
		sim_history_info(t.s, &h);
	} while (n < ARRAY_LEN(at) && h.begin < 9000);
	assert_true(h.begin >= 9000);
	const u64 begin = h.begin, end = sim_cycle(t.s);
	u32 first = 0;
	while (at[first].cycle < begin)
		first++;
	for (u32 i = 0; i < 100; i++) {
		u32 to = i % 10 == 0 ? first : first + (u32)(rng_next(&rng) % (n - first));
		if (!sim_goto(t.s, at[to].cycle + MIN(1400, end - at[to].cycle), &e) || !sim_go(t.s, at[to], &e))
			fail_msg("%s", e.msg);
		assert_int_equal(sim_hash(t.s), hash[to]);
		sim_history_info(t.s, &h);
		assert_int_equal(h.begin, begin);
		assert_true(h.bytes <= 16 << 20);
	}
	sim_destroy(t.s);
}

/* Memory that was allocated in a past that is gone is free again: the same actions find the same addresses. */
static u64 allocate(struct setup *t, u64 bytes)
{
	struct err e = {0};
	sim_fork(t->s);
	u64 at = devmem_alloc(sim_devmem(t->s), bytes, "late", &e);
	sim_turn(t->s);
	assert_true(at != 0);
	return at;
}

static void test_allocations_go_back(void **state)
{
	struct setup t = begin(64);
	struct err e = {0};
	launch(&t);
	sim_run(t.s, 300, NULL);
	u64 first = allocate(&t, 1000), top = sim_devmem(t.s)->top;
	sim_run(t.s, 600, NULL);
	u64 second = allocate(&t, 5000);
	assert_true(second >= top);
	assert_true(sim_goto(t.s, 400, &e));
	assert_int_equal(sim_devmem(t.s)->top, top);
	assert_int_equal(allocate(&t, 70000), second);
	assert_true(sim_goto(t.s, 200, &e));
	assert_int_equal(allocate(&t, 64), first);
	sim_destroy(t.s);
}

/* What of struct gpu need not come back: tables that only grow, of which entries that are not there any more are
 * hidden, what the hash need not read, and the counter by which look-ups notice a change. */
static const struct {
	size_t at, bytes;
} grows[] = {
#define GROWS(field)                                                                                                   \
	{                                                                                                                  \
		offsetof(struct gpu, field), sizeof((struct gpu *)0)->field                                                    \
	}
    GROWS(arena.spare),
    GROWS(arena.spare_end),
    GROWS(mem_values.allocs),
    GROWS(mem_values.cap),
    GROWS(mem_values.epoch),
    GROWS(launch),
    GROWS(prog),
    GROWS(live),
    GROWS(module),
    GROWS(table),
    GROWS(notice),
    GROWS(nnotices),
    GROWS(modules_ever),
    GROWS(kernels_ended),
#undef GROWS
};

static bool may_differ(size_t at)
{
	for (u32 i = 0; i < ARRAY_LEN(grows); i++)
		if (at >= grows[i].at && at < grows[i].at + grows[i].bytes)
			return true;
	return false;
}

/* State belongs into the arena. What lies outside it - the machine's struct, with its configuration, policies, modules
 * and allocations - is saved by hand with each snapshot: after going back every byte of it is what it was. */
static void test_nothing_outside_is_forgotten(void **state)
{
	struct setup t = begin(64);
	struct err e = {0};
	launch(&t);
	sim_run(t.s, 300, NULL);
	struct gpu *g = sim_gpu(t.s), *before = malloc(sizeof *g);
	memcpy(before, g, sizeof *g);
	const u64 hash = sim_hash(t.s);
	while (!sim_idle(t.s)) /* some policies change between kernels only */
		sim_run(t.s, sim_cycle(t.s) + 500, NULL);
	static const char *const changes[][2] = {
	    {"warp-sched", "lrr"}, {"cta-sched", "lcs"}, {"partition", "cke"}, {"preempt", "drain"}};
	sim_fork(t.s);
	for (u32 i = 0; i < ARRAY_LEN(changes); i++)
		if (!sim_set(t.s, changes[i][0], changes[i][1], &e))
			fail_msg("%s", e.msg);
	sim_turn(t.s);
	allocate(&t, 1 << 20);
	sim_fork(t.s);
	struct module *m = sim_load_text(t.s, "u.ptx", kernel, sizeof kernel - 1, &e);
	sim_turn(t.s);
	assert_non_null(m);
	t.m = m;
	launch(&t);
	sim_run(t.s, sim_cycle(t.s) + 700, NULL);
	assert_int_not_equal(memcmp(before, g, sizeof *g), 0);
	if (!sim_goto(t.s, 300, &e))
		fail_msg("%s", e.msg);
	assert_true(sim_hash(t.s) == hash);
	for (size_t i = 0; i < sizeof *g; i++)
		if (((const u8 *)before)[i] != ((const u8 *)g)[i] && !may_differ(i))
			fail_msg("byte %zu of struct gpu did not come back", i);
	free(before);
	sim_destroy(t.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_walk),
	    cmocka_unit_test(test_walk_thinned),
	    cmocka_unit_test(test_fork),
	    cmocka_unit_test(test_beginning),
	    cmocka_unit_test(test_looking_back_loses_nothing),
	    cmocka_unit_test(test_allocations_go_back),
	    cmocka_unit_test(test_nothing_outside_is_forgotten),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
