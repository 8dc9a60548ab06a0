/* Which of two waits a lost slot is charged to: two warps of one scheduler wait for different things at the same time,
 * and the earlier reason of stalls.def owns all of that time, the other next to nothing. */
#include "tests/rig/sm_rig.h"

#define REGS ".reg .pred %p<3>; .reg .b32 %r<12>; .reg .f32 %f<4>; .reg .b64 %a<6>;\n"
#define LOAD(at) "ld.global.u32 %r6, [%a1+" at "]; and.b32 %r6, %r6, 0; cvt.u64.u32 %a2, %r6; add.u64 %a1, %a1, %a2; "
#define LOADS LOAD("0") LOAD("1024") LOAD("2048")
#define FENCE "st.global.u32 [%a1+4096], %r3; membar.gl; "
#define SIN "sin.approx.f32 %f1, %f1; "
#define SIN8 SIN SIN SIN SIN SIN SIN SIN SIN
#define CHAIN SIN8 SIN8 SIN8 SIN8 SIN8 SIN8 SIN8 SIN8 SIN8 SIN8 SIN8 SIN8
#define SLEEP "nanosleep.u32 3000; "
#define ADD "add.u32 %r7, %r3, 1; "
#define ADD8 ADD ADD ADD ADD ADD ADD ADD ADD
#define ADD64 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8
#define CODE ADD64 ADD64 ADD64 ADD64 /* 2 KiB: sixteen lines that nobody has fetched */

static const char head[] = PTX_HEAD ".global .align 128 .b8 buf[8192];\n.visible .entry k()\n{\n" REGS
                                    "mov.u32 %r3, %tid.x; mov.u64 %a1, buf; setp.gt.u32 %p1, %r3, 31;\n"
                                    "mov.f32 %f1, 0f3F000000; @%p1 bra B;\n";

/* Warp 0 executes `first`, warp 1 `second`; both end at a barrier. Slots of the SM's only scheduler by reason; warm:
 * those of a second run, whose code is there. */
static void charge_by(const char *order, const char *first, const char *second, bool warm, u64 slots[ST_COUNT])
{
	static char text[32768];
	snprintf(text, sizeof text, "%s%s\nbra.uni END;\nB: %s\nEND: bar.sync 0; ret;\n}\n", head, first, second);
	struct sim *s = machine((const char *[]){"num_sms=1", "sm.schedulers=1", order, NULL});
	struct module *m = rig_load(s, text);
	u64 before[ST_COUNT] = {0};
	for (u32 run = 0; run <= warm; run++) {
		gpu_stalls_sum(sim_gpu(s), 0, before);
		rig_launch(s, m, "k", 1, 64, 0, NULL, 0);
		rig_finish(s);
	}
	gpu_stalls_sum(sim_gpu(s), 0, slots);
	for (u32 i = 0; i < ST_COUNT; i++)
		slots[i] -= before[i];
	sim_destroy(s);
}

static void charge(const char *first, const char *second, bool warm, u64 slots[ST_COUNT])
{
	charge_by("stalls.order=core", first, second, warm, slots);
}

struct pair {
	const char *first, *second;
	enum stall owner, other;
};
static const struct pair pairs[] = {
    {CHAIN CHAIN, LOADS, ST_SHORT, ST_MEM},    {LOADS, FENCE, ST_MEM, ST_MEMBAR}, {LOADS, "", ST_MEM, ST_BARRIER},
    {FENCE, "", ST_MEMBAR, ST_BARRIER},        {CHAIN, "", ST_SHORT, ST_BARRIER}, {SLEEP, "", ST_BARRIER, ST_SLEEP},
    {CHAIN CHAIN, FENCE, ST_SHORT, ST_MEMBAR},
};

/* stalls.order=memory: what memory and fetch take comes before arithmetic. */
static const struct pair memory_pairs[] = {
    {SIN8 SIN8, LOADS, ST_MEM, ST_SHORT},    {LOADS, FENCE, ST_MEM, ST_MEMBAR}, {LOADS, "", ST_MEM, ST_BARRIER},
    {SIN8 SIN8, FENCE, ST_MEMBAR, ST_SHORT}, {CHAIN, "", ST_SHORT, ST_BARRIER},
};

static void owners(const char *order, const struct pair *pair, u32 n)
{
	for (u32 i = 0; i < n; i++, pair++) {
		u64 slots[ST_COUNT];
		charge_by(order, pair->first, pair->second, true, slots);
		u64 owner = slots[pair->owner], other = slots[pair->other];
		if (owner < 100 || other * 10 > owner)
			fail_msg("%s, pair %u: %s owns %llu slots, %s %llu", order, i, stall_descs[pair->owner].name[TAX_BASE],
			         (unsigned long long)owner, stall_descs[pair->other].name[TAX_BASE], (unsigned long long)other);
	}
}

static void test_owner_of_a_lost_slot(void **state)
{
	owners("stalls.order=core", pairs, ARRAY_LEN(pairs));
	owners("stalls.order=memory", memory_pairs, ARRAY_LEN(memory_pairs));
}

/* Code that has to be fetched loses slots to `fetch` only while nobody waits for anything else. */
static void test_fetch_comes_last(void **state)
{
	u64 alone[ST_COUNT], beside[ST_COUNT];
	charge("", CODE, false, alone);
	charge(SLEEP SLEEP SLEEP SLEEP, CODE, false, beside);
	assert_true(alone[ST_BARRIER] > 1000); /* the warp that has nothing to do waits at the barrier: it owns them */
	assert_true(alone[ST_FETCH] < alone[ST_BARRIER] / 2);
	assert_true(beside[ST_SLEEP] > 1000);
	assert_true(beside[ST_FETCH] < beside[ST_SLEEP] / 2);
}

/* 31 warps keep the SFU busy while one waits for memory: the port's slots, or memory's. */
static void test_busy_unit(void **state)
{
	static const char text[] =
	    PTX_HEAD ".global .align 128 .b8 buf[8192];\n.visible .entry k()\n{\n" REGS
	             "mov.u32 %r3, %tid.x; mov.u64 %a1, buf; setp.lt.u32 %p1, %r3, 32; mov.f32 %f1, 0f3F000000;\n"
	             "@%p1 bra B;\n" CHAIN "bra.uni END;\nB: " LOADS "\nEND: ret;\n}\n";
	u64 slots[2][ST_COUNT], cycles[2];
	for (u32 i = 0; i < 2; i++) {
		struct sim *s = machine(
		    (const char *[]){"num_sms=1", "sm.schedulers=1", i ? "stalls.order=memory" : "stalls.order=core", NULL});
		rig_launch(s, rig_load(s, text), "k", 1, 1024, 0, NULL, 0);
		rig_finish(s);
		cycles[i] = sim_cycle(s);
		gpu_stalls_sum(sim_gpu(s), 0, slots[i]);
		sim_destroy(s);
	}
	assert_int_equal(cycles[0], cycles[1]);
	assert_int_equal(slots[0][ST_ISSUED], slots[1][ST_ISSUED]);
	assert_true(slots[0][ST_MEM] + slots[0][ST_FETCH] + 500 < slots[1][ST_MEM] + slots[1][ST_FETCH]);
	assert_true(slots[1][ST_PIPE] + 500 < slots[0][ST_PIPE]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_owner_of_a_lost_slot),
	    cmocka_unit_test(test_fetch_comes_last),
	    cmocka_unit_test(test_busy_unit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
