/* The network's energy is that of flits: by hand for loads and stores, each kernel's for its own. */
#include "obs/energy/energy.h"
#include "tests/rig/sm_rig.h"

/* Each warp: n lines, one behind the other and nobody else's, read or written. */
#define ENTRY(name)                                                                                                    \
	".visible .entry " name "(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 "      \
	"%a<8>;\nld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r9, %a3; mov.u32 %r1, %tid.x; mov.u32 "      \
	"%r2, %ctaid.x;\nmov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 4, %a1;\n"
#define LOOP "add.u64 %a2, %a2, 65536; sub.u32 %r9, %r9, 1; setp.ne.u32 %p1, %r9, 0; @%p1 bra L; ret;\n}\n"
static const char kernels[] = PTX_HEAD ENTRY("loads") "L: ld.global.u32 %r5, [%a2]; add.u32 %r6, %r5, 1;\n" LOOP ENTRY(
    "stores") "L: st.global.u32 [%a2], %r4;\n" LOOP;
#define CTAS 16
#define LINES (CTAS * 4ull) /* of one round: four warps a CTA */

/* Flits of both kernels, in fJ each 1000 for a byte: nothing else costs any. */
static void run(const char *network, u64 rounds, u64 of[2], u64 flits[2], u64 *all, u64 *rest)
{
	static const char *const rows[] = {"fetch",  "decode", "schedule", "register",      "int",
	                                   "f32",    "f64",    "sfu",      "clock",         "address",
	                                   "shared", "l1",     "dram_bit", "dram_activate", "l2"};
	char text[ARRAY_LEN(rows)][40];
	const char *sets[ARRAY_LEN(rows) + 9] = {network,          "noc.flit=32",        "energy.network=1",
	                                         "energy.node=28", "energy.voltage=0.9", "l2.sector_reads=false",
	                                         "num_sms=4"};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		snprintf(text[i], sizeof text[i], "energy.%s=0", rows[i]);
		sets[7 + i] = text[i];
	}
	struct sim *s = machine(sets);
	struct module *m = rig_load(s, kernels);
	struct energy e[3], machine_energy;
	const u64 args[] = {rig_alloc(s, 65536 * (rounds + 1)), rounds};
	rig_launch(s, m, "loads", CTAS, 128, 0, args, 2);
	rig_launch(s, m, "stores", CTAS, 128, 0, args, 2);
	rig_finish(s);
	energy_of_kernels(sim_gpu(s), e, &e[2]);
	energy_of_machine(sim_gpu(s), &machine_energy);
	*all = machine_energy.part[EP_network].dynamic;
	*rest = e[2].part[EP_network].dynamic;
	for (u32 i = 0; i < 2; i++) {
		const struct kernel_counters *k = (const void *)gpu_counters(sim_gpu(s), CG_kernel, i);
		of[i] = e[i].part[EP_network].dynamic;
		flits[i] = k->read_flits + k->write_flits + k->writeback_flits + k->control_flits + k->data_flits;
	}
	assert_int_equal(*all,
	                 (rig_counter(s, CG_noc, "request_flits") + rig_counter(s, CG_noc, "reply_flits")) * 32 * 1000);
	sim_destroy(s);
}

/* A load: a flit up, and 136 bytes down, five flits of 32 bytes. A store: five up, a flit down. What a program has
 * besides - its instructions - is the same whatever the rounds. */
static void closed_form(void **state)
{
	static const char *const networks[] = {"network=crossbar", "network=mesh"};
	const u64 fj = 32 * 1000;
	for (u32 n = 0; n < ARRAY_LEN(networks); n++) {
		u64 few[2], many[2], flits[2], all[2], rest;
		run(networks[n], 4, few, flits, &all[0], &rest);
		run(networks[n], 20, many, flits, &all[1], &rest);
		assert_int_equal(rest, 0);
		assert_int_equal(many[0] + many[1], all[1]);
		for (u32 k = 0; k < 2; k++) {
			assert_int_equal(many[k], flits[k] * fj);
			assert_int_equal(many[k] - few[k], 16 * LINES * 6 * fj);
		}
	}
}

/* Messages of machines whose L1Ds own lines count as any other: a kernel's share is its flits, data between SMs
 * included. */
static void with_messages(void **state)
{
	struct sim *s = machine((const char *[]){"coherence=denovo", "num_sms=4", "energy.network=1", "energy.node=28",
	                                         "energy.voltage=0.9", NULL});
	struct module *m = rig_load(s, kernels);
	struct energy e[5];
	const u64 args[] = {rig_alloc(s, 65536 * 9), 8};
	for (u32 i = 0; i < 4; i++)
		rig_launch(s, m, i & 1 ? "loads" : "stores", CTAS + i, 128, 0, args, 2);
	rig_finish(s);
	energy_of_kernels(sim_gpu(s), e, &e[4]);
	u64 sum = 0, data = 0;
	for (u32 i = 0; i < 4; i++) {
		const struct kernel_counters *k = (const void *)gpu_counters(sim_gpu(s), CG_kernel, i);
		const u64 flits = k->read_flits + k->write_flits + k->writeback_flits + k->control_flits + k->data_flits;
		const u64 want = flits * gpu_conf(sim_gpu(s))->noc_flit * 1000, got = e[i].part[EP_network].dynamic;
		if (got + 2 < want || got > want + 2)
			fail_msg("kernel %u: %llu fJ, not %llu", i, (unsigned long long)got, (unsigned long long)want);
		sum += flits;
		data += k->data_flits;
	}
	energy_of_machine(sim_gpu(s), &e[4]);
	assert_int_equal(e[4].part[EP_network].dynamic, sum * gpu_conf(sim_gpu(s))->noc_flit * 1000);
	/* Some are neither to L2 nor from it. */
	const u64 l2 = rig_counter(s, CG_noc, "request_flits") + rig_counter(s, CG_noc, "reply_flits");
	print_message("%llu flits, of data %llu, to and from L2 %llu\n", (unsigned long long)sum, (unsigned long long)data,
	              (unsigned long long)l2);
	assert_true(data > sum / 10 && l2 < sum - sum / 10);
	sim_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(closed_form), cmocka_unit_test(with_messages)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
