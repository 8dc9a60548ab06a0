/* Energy by the shape of a machine: what each memory leaks is its own size's, what a lookup costs is what it moves - a
 * line on a GTX 480, a sector on a V100, whose L1D is what shared memory leaves of it -, and what textures and
 * constants take is counted. On workloads that use them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>

#include "mem/ref_count.h"
#include "obs/energy/energy.h"
#include "session/session.h"
#include "tests/rig/catalog_rig.h"
#include "tests/rig/debug_rig.h"

/* A row of the table on this machine: published at so many nm and volts; leakage follows the voltage once. */
static double on(const struct conf *c, double value, double node, double volts, bool leaks)
{
	const double v = c->energy_voltage / volts;
	return value * (c->energy_node / node) * v * (leaks ? 1 : v * c->energy_calibration);
}

static void is_within(const char *what, double got, double want, double slack)
{
	if (!(fabs(got - want) <= 2e-4 * want + slack))
		fail_msg("%s: %.6g, not %.6g", what, got, want);
}

static void is_about(const char *what, double got, double want)
{
	is_within(what, got, want, 0);
}

static void leaks(struct gpu *g, const struct energy *e)
{
	const struct conf *c = gpu_conf(g);
	const double sms = c->num_sms, slices = (double)c->partitions * c->l2_slices;
	const double kib = on(c, c->energy_leak_sram, 40, 1.0, true) * 1e-3 / 1024;
	const double l1d = (double)c->l1d_sets * c->l1d_ways * c->l1d_line - (*c->sm_carveouts ? c->sm_shared : 0);
	const struct {
		enum energy_part part;
		double watts;
	} rows[] = {
	    {EP_fetch, sms * kib * c->l1i_sets * c->l1i_ways * c->l1i_line},
	    {EP_registers, sms * kib * c->sm_regs * 4},
	    {EP_shared, sms * kib * c->sm_shared},
	    {EP_l1d, sms * kib * l1d},
	    {EP_l1c, sms * kib * c->l1c_sets * c->l1c_ways * c->l1c_line},
	    {EP_l1t, sms * kib * c->l1t_sets * c->l1t_ways * c->l1t_line},
	    {EP_l2, slices * kib * c->l2_sets * c->l2_ways * c->l2_line},
	    {EP_logic, sms * on(c, c->energy_leak_sm, 40, 1.0, true)},
	    {EP_network, c->partitions * on(c, c->energy_leak_partition, 40, 1.0, true)},
	    {EP_dram, c->partitions * c->energy_dram_idle * 1e-3},
	    {EP_board, c->energy_board},
	};
	const double rounding = sms * 0.5e-15 * (double)c->core_clock * 1e6; /* half a femtojoule an SM and cycle */
	u64 sum = 0;
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		const struct energy_amount *a = &e->part[rows[i].part];
		is_within(energy_parts[rows[i].part].name, energy_watts(c, a->leakage + a->gated, gpu_cycle(g)), rows[i].watts,
		          rounding);
		sum += a->leakage;
	}
	assert_true(sum == energy_sum(e).leakage); /* nothing else leaks */
}

static u64 lookups(struct gpu *g, enum counter_group group, bool written_back)
{
	u64 n = 0;
	for (u32 i = 0; i < gpu_counter_instances(g, group); i++) {
		const struct cache_counters *k = (const struct cache_counters *)gpu_counters(g, group, i);
		for (u32 kind = 0; kind < REF_KINDS; kind++)
			n += ref_counted(k, (enum ref_kind)kind, REF_ALL);
		n += k->fills + (written_back ? k->writebacks : 0);
	}
	return n;
}

static u64 sum_of(struct gpu *g, enum counter_group group, size_t offset)
{
	u64 n = 0;
	for (u32 i = 0; i < gpu_counter_instances(g, group); i++)
		n += *(const u64 *)((const u8 *)gpu_counters(g, group, i) + offset);
	return n;
}
#define ALL(group, type, field) sum_of(g, group, offsetof(struct type, field))

static void moves(struct gpu *g, const struct energy *e, bool sectors)
{
	const struct conf *c = gpu_conf(g);
	const double word = on(c, c->energy_l1, 45, 0.9, false) * 1e3, l2 = on(c, c->energy_l2, 45, 0.9, false) * 1e3;
	const u64 tex = ALL(CG_l1t, cache_counters, accesses) + ALL(CG_l1t, cache_counters, fills);
	const u64 lanes = ALL(CG_sm, sm_counters, lanes_global) + ALL(CG_sm, sm_counters, lanes_shared) +
	                  ALL(CG_sm, sm_counters, lanes_local) + ALL(CG_sm, sm_counters, lanes_tex);
	const double l1d = (double)lookups(g, CG_l1d, false) * word * (sectors ? 1 : c->l1d_line / 32.0);
	is_about("l1d", (double)e->part[EP_l1d].dynamic, l1d);
	is_about("l2", (double)e->part[EP_l2].dynamic,
	         (double)lookups(g, CG_l2, true) * l2 * (sectors || c->l2_sector_reads ? 1 : c->l2_line / 32.0));
	is_about("l1t", (double)e->part[EP_l1t].dynamic, (double)tex * word * c->l1t_line / 32.0);
	is_about("l1c", (double)e->part[EP_l1c].dynamic,
	         (double)ALL(CG_l1c, cache_counters, accesses) * on(c, c->energy_l1c, 45, 0.9, false) * 1e3);
	is_about("address", (double)e->part[EP_address].dynamic,
	         (double)lanes * on(c, c->energy_address, 40, 1.0, false) * 1e3);
}

static void test_shapes(void **state)
{
	static const struct {
		char *workload, *gpu, *set;
		bool sectors;
	} rows[] = {{"sad", "gtx480", "energy.gate_shared=true", false},
	            {"sad", "v100", "energy.gate_registers=true", true},
	            {"convsep", "gtx480", "l2.sector_reads=true", false},
	            {"convsep", "v100", "l2.slices=1", true}};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		struct rig r;
		struct energy e;
		rig_open(&r, (char *[]){"warpdbg", "debug", rows[i].workload, "--size", "small", "--gpu", rows[i].gpu, "--set",
		                        rows[i].set, NULL});
		rig_has(&r, "continue", "check passed");
		struct gpu *g = sim_gpu(r.s->sim);
		assert_true(!rows[i].sectors == (gpu_conf(g)->coalesce != COALESCE_SECTOR32));
		assert_true(!rows[i].sectors == !*gpu_conf(g)->sm_carveouts);
		assert_true(i < 2 ? ALL(CG_l1t, cache_counters, fills) : ALL(CG_l1c, cache_counters, accesses));
		energy_of_machine(g, &e);
		assert_true((i < 2) == (energy_sum(&e).gated > 0));
		struct err bad = {0};
		if (!energy_check(g, &bad))
			fail_msg("%s", bad.msg);
		leaks(g, &e);
		moves(g, &e, rows[i].sectors);
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_shapes),
	};
	return cmocka_run_group_tests(tests, find_files, release_files);
}
