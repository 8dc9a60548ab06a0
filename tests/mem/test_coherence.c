/* The rule of coherence and the network behind their interfaces: when each operation is asked for, that a rule or a
 * network from elsewhere takes the place of the built-in one, and that what is in use is changed at a quiet moment. */
#include "mem/coherence/coherence.h"
#include "mem/noc/network.h"
#include "tests/rig/mem_rig.h"
#include "sim_internal.h"
#include "tests/rig/sm_rig.h"

/* --- a rule that counts, and does as `gpu` does ------------------------------------------------------------------- */
enum call { LOAD_MISS, LOAD_FRESH, STORE, ATOMIC, EVICT, EMPTY, START, END, CALLS };
static const char *const call_names[CALLS] = {"load_miss", "load_fresh", "store",        "atomic",
                                              "evict",     "empty",      "kernel_start", "kernel_end"};
static u32 calls[CALLS];
static const struct coherence_ops *gpu;

static enum mem_result load_miss(const struct access *a, u32 set, u32 i, u8 need)
{
	calls[LOAD_MISS]++;
	return gpu->load_miss(a, set, i, need);
}
static enum mem_result load_fresh(const struct access *a)
{
	calls[LOAD_FRESH]++;
	return gpu->load_fresh(a);
}
static enum mem_result store(const struct access *a)
{
	calls[STORE]++;
	return gpu->store(a);
}
static enum mem_result atomic(const struct access *a)
{
	calls[ATOMIC]++;
	return gpu->atomic(a);
}
static u8 evict(const struct l1 *l, const struct line *v)
{
	calls[EVICT]++;
	return gpu->evict(l, v);
}
static bool empty(struct l1 *l, u32 i)
{
	calls[EMPTY]++;
	return gpu->empty(l, i);
}
static void kernel_start(struct mem *m, u32 sm, bool alone)
{
	calls[START]++;
	gpu->kernel_start(m, sm, alone);
}
static void kernel_end(struct mem *m, u32 sm, bool last)
{
	calls[END] += last;
}

static void start_counting(struct rig *r, const char *const *sets)
{
	static struct coherence_ops counting;
	rig_start(r, sets);
	gpu = (const struct coherence_ops *)coherence_policies[0];
	counting = *gpu;
	counting.load_miss = load_miss;
	counting.load_fresh = load_fresh;
	counting.store = store;
	counting.atomic = atomic;
	counting.evict = evict;
	counting.empty = empty;
	counting.kernel_start = kernel_start;
	counting.kernel_end = kernel_end;
	mem_use_coherence(r->m, &counting.policy);
	memset(calls, 0, sizeof calls);
}

/* Since the last look, only this was asked, n times. */
static void asked(enum call k, u32 n)
{
	for (u32 i = 0; i < CALLS; i++)
		if (calls[i] != (i == k ? n : 0))
			fail_msg("%s: %u calls where %s has %u", call_names[i], calls[i], call_names[k], n);
	memset(calls, 0, sizeof calls);
}
static void nothing_asked(void)
{
	asked(LOAD_MISS, 0);
}

static enum mem_result do_access(struct rig *r, enum mem_op op, u64 addr)
{
	enum mem_result mr = rig_access(r, 0, op, addr, 0xf, 1);
	rig_drain(r);
	return mr;
}

static void when_it_is_asked(void **state)
{
	struct rig r;
	start_counting(&r, (const char *[]){"l1d.sets=1", "l1d.ways=1", "num_sms=3", NULL});
	do_access(&r, MO_LOAD, BASE);
	asked(LOAD_MISS, 1);
	assert_int_equal(do_access(&r, MO_LOAD, BASE), MR_HIT);
	nothing_asked();
	do_access(&r, MO_FETCH, BASE + 4096); /* a cache that is only read */
	nothing_asked();
	do_access(&r, MO_LOAD_VOLATILE, BASE);
	asked(LOAD_FRESH, 1);
	do_access(&r, MO_STORE, BASE);
	do_access(&r, MO_LOCAL_STORE, BASE);
	asked(STORE, 2);
	do_access(&r, MO_ATOMIC, BASE);
	do_access(&r, MO_RED, BASE);
	asked(ATOMIC, 2);
	mem_kernel_start(r.m, 0, true); /* the fetched line is L1I's, L1D is empty */
	asked(START, 1);
	do_access(&r, MO_LOCAL_LOAD, BASE);
	asked(LOAD_MISS, 1);
	do_access(&r, MO_LOCAL_STORE, BASE);
	asked(STORE, 1);
	do_access(&r, MO_LOCAL_LOAD, BASE + 128); /* the dirty line goes: is there room for it, then does it leave */
	assert_int_equal(calls[EVICT], 2);
	calls[EVICT] = 0;
	asked(LOAD_MISS, 1);
	mem_kernel_start(r.m, 0, true);
	assert_int_equal(calls[EMPTY], 1);
	calls[EMPTY] = 0;
	asked(START, 1);
	mem_kernel_end(r.m, false);
	nothing_asked();
	mem_kernel_end(r.m, true);
	asked(END, 3); /* every SM */
	rig_check(&r);
	rig_stop(&r);
}

/* --- the rule gpu ------------------------------------------------------------------------------------------------- */

/* What SM 1 reads after SM 0 has written, or a kernel has started: from L1D or from L2? */
static void what_is_seen(void **state)
{
	RIG(r, "num_sms=2");
	const struct cache_counters *d = mem_cache_counters(r.m, MC_L1D, 1);
	rig_access(&r, 1, MO_LOAD, BASE, 0xf, 1);
	rig_drain(&r);
	rig_access(&r, 0, MO_STORE, BASE, 0xf, 1);
	rig_drain(&r);
	rig_access(&r, 1, MO_LOAD, BASE, 0xf, 1);
	assert_int_equal(d->hits, 1); /* nobody tells it */
	mem_kernel_start(r.m, 1, false);
	rig_access(&r, 1, MO_LOAD, BASE, 0xf, 1);
	assert_int_equal(d->hits, 2); /* another kernel is running */
	rig_access(&r, 1, MO_LOAD_VOLATILE, BASE, 0xf, 1);
	rig_drain(&r);
	assert_int_equal(d->bypasses, 1);
	rig_access(&r, 1, MO_LOAD, BASE, 0xf, 1);
	rig_drain(&r);
	assert_int_equal(d->misses, 2); /* its copy was dropped */
	mem_kernel_start(r.m, 1, true);
	rig_access(&r, 1, MO_LOAD, BASE, 0xf, 1);
	rig_drain(&r);
	assert_int_equal(d->misses, 3);
	rig_check(&r);
	rig_stop(&r);
}

/* A kernel's start empties L1D alone: code, constants and textures are still there. */
static void caches_that_are_read(void **state)
{
	RIG(r, NULL);
	struct mem_txn t = txn(BASE, 0xf);
	for (u32 round = 0; round < 3; round++) {
		for (u32 c = 0; c < MC_COUNT; c++) {
			mem_access(r.m, 0, c, c == MC_L1I ? MO_FETCH : MO_LOAD, &t, 1, r.now);
			rig_drain(&r);
		}
		mem_kernel_start(r.m, 0, round == 1);
	}
	for (u32 c = 0; c < MC_COUNT; c++)
		assert_int_equal(mem_cache_counters(r.m, c, 0)->misses, c == MC_L1D ? 2 : 1);
	rig_stop(&r);
}

/* --- the machine -------------------------------------------------------------------------------------------------- */
static u32 alone_starts, last_ends;
static void machine_start(struct mem *m, u32 sm, bool alone)
{
	calls[START]++;
	alone_starts += alone;
	gpu->kernel_start(m, sm, alone);
}
static void machine_end(struct mem *m, u32 sm, bool last)
{
	calls[END]++;
	last_ends += last;
}

/* Two kernels at once, then one: all SMs hear of each, and whether it is alone. */
static void kernels_of_a_machine(void **state)
{
	static const char text[] =
	    PTX_HEAD ".visible .entry k(.param .u64 p0)\n{\n.reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %a<4>;\n"
	             "ld.param.u64 %a1, [p0]; mov.u32 %r1, 0;\n"
	             "L: ld.global.u32 %r2, [%a1]; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 20; @%p1 bra L; ret;\n}\n";
	struct sim *s = machine((const char *[]){"num_sms=4", NULL});
	struct module *mod = rig_load(s, text);
	u64 buf = rig_alloc(s, 256);
	gpu = (const struct coherence_ops *)coherence_policies[0];
	struct coherence_ops ops = *gpu;
	ops.kernel_start = machine_start;
	ops.kernel_end = machine_end;
	mem_use_coherence(s->gpu->mem, &ops.policy);
	memset(calls, 0, sizeof calls);
	rig_launch(s, mod, "k", 1, 32, 0, &buf, 1);
	rig_launch(s, mod, "k", 1, 32, 1, &buf, 1);
	rig_finish(s);
	assert_int_equal(calls[START], 2 * 4);
	assert_int_equal(alone_starts, 4);
	assert_int_equal(calls[END], 2 * 4);
	assert_int_equal(last_ends, 4);
	rig_launch(s, mod, "k", 1, 32, 0, &buf, 1);
	rig_finish(s);
	assert_int_equal(alone_starts, 2 * 4);
	assert_int_equal(last_ends, 2 * 4);
	sim_destroy(s);
}

/* --- a network that counts, and does as the crossbar does --------------------------------------------------------- */
static const struct network_ops *crossbar;
static u32 injected, answered;

static void fresh(struct mem *m, u32 sm, u64 now)
{
	injected++;
	crossbar->fresh(m, sm, now);
}
static void reply(struct mem *m, u32 slice, u32 packet, u64 now)
{
	answered++;
	crossbar->reply(m, slice, packet, now);
}

static void another_network(void **state)
{
	RIG(r, NULL);
	RIG(plain, NULL);
	crossbar = (const struct network_ops *)network_policies[0];
	struct network_ops mine = *crossbar;
	mine.fresh = fresh;
	mine.reply = reply;
	assert_string_equal(crossbar->name, r.c.network);
	assert_true(mem_quiet(r.m));
	mem_use_network(r.m, &mine.policy);
	for (u32 i = 0; i < 10; i++) {
		rig_access(&r, i, MO_LOAD, BASE + i * 4096, 0xf, 1);
		rig_access(&plain, i, MO_LOAD, BASE + i * 4096, 0xf, 1);
		assert_false(mem_quiet(r.m));
	}
	rig_step(&r);
	rig_step(&plain);
	assert_false(mem_quiet(r.m));
	assert_int_equal(rig_drain(&r), rig_drain(&plain));
	assert_int_equal(injected, 10);
	assert_int_equal(answered, 10);
	assert_true(mem_quiet(r.m));
	rig_access(&r, 0, MO_STORE, BASE, 0xf, 1);
	assert_false(mem_quiet(r.m));
	rig_drain(&r);
	assert_true(mem_quiet(r.m));
	rig_check(&r);
	rig_stop(&r);
	rig_stop(&plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(when_it_is_asked),     cmocka_unit_test(what_is_seen),
	    cmocka_unit_test(caches_that_are_read), cmocka_unit_test(kernels_of_a_machine),
	    cmocka_unit_test(another_network),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
