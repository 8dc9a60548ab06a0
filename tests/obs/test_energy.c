/* Energy: what N additions and M loads must cost is known beforehand, sums close to the last femtojoule, gating saves
 * what is not leaked and nothing else, and a cycle costs the same whenever one comes back to it. */
#include "tests/rig/machine.h"

#include <math.h>

#include "mem/ref_count.h"
#include "obs/energy/energy.h"
#include "obs/record/timeline.h"

/* The machine's own process is the one that most of the table is of, and other rows are put there. */
#define OF_40_NM "energy.node=40", "energy.voltage=1.0"

static struct energy machine_energy(struct sim *s)
{
	struct energy e;
	energy_of_machine(sim_gpu(s), &e);
	return e;
}

static u64 buffer(struct sim *s, u64 bytes)
{
	struct err e = {0};
	u64 at = devmem_alloc(sim_devmem(s), bytes, "buf", &e);
	if (!at)
		fail_msg("%s", e.msg);
	return at;
}

/* n times a line between a head and an end. */
static char *repeated(const char *head, const char *line, u32 n, const char *end)
{
	struct strbuf b = STRBUF_INIT;
	strbuf_adds(&b, PTX_HEAD);
	strbuf_adds(&b, head);
	for (u32 i = 0; i < n; i++)
		strbuf_adds(&b, line);
	strbuf_adds(&b, end);
	char *text = xstrndup(b.buf, b.len);
	strbuf_release(&b);
	return text;
}

#define HEAD                                                                                                           \
	".visible .entry k(.param .u64 p) { .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .f64 %d<9>; .reg .b64 %a<9>; "          \
	".reg .pred %q<3>; .shared .align 16 .b8 sh[4096]; ld.param.u64 %a1, [p]; mov.u32 %r1, 3; "                        \
	"mov.f32 %f1, 0f3f800000; mov.f64 %d1, 0d3ff0000000000000; mov.u32 %r2, sh;\n"
#define END "st.global.u32 [%a1], %r1; ret; }\n"

/* What `n` more of a line cost in a part, a grid of 3 CTAs of 64 threads. */
static u64 costs(const char *line, u32 n, enum energy_part part, const char *const *sets)
{
	u64 of[2];
	for (u32 i = 0; i < 2; i++) {
		struct sim *s = machine(sets);
		u64 arg = buffer(s, 65536);
		char *text = repeated(HEAD, line, 8 + (i ? n : 0), END);
		run_ptx(s, text, 3, 64, &arg, 1);
		of[i] = machine_energy(s).part[part].dynamic;
		free(text);
		sim_destroy(s);
	}
	return of[1] - of[0];
}

static void closed_form(void **state)
{
	static const char *const sets[] = {OF_40_NM, "isa.issue_cost=ptx", NULL};
	const u64 lanes = 3 * 64, warps = 3 * 2, n = 100;
	/* 45 nm at 0.9 V is (40/45) (1/0.9)^2 of itself at 40 nm and 1 V */
	const u64 operand = 175583, slot = 21399, word = 10974, line = 4 * 87791;
	struct {
		const char *text;
		enum energy_part part;
		u64 want; /* fJ */
	} cases[] = {
	    {"add.u32 %r1, %r1, 1;\n", EP_int, n * lanes * 40000},
	    {"add.f32 %f1, %f1, %f1;\n", EP_f32, n * lanes * 75000},
	    {"add.f64 %d1, %d1, %d1;\n", EP_f64, n * lanes * 150000},
	    {"sin.approx.f32 %f1, %f1;\n", EP_sfu, n * lanes * 150000},
	    {"add.f32 %f1, %f1, %f1;\n", EP_int, 0},
	    {"add.u32 %r1, %r1, %r1;\n", EP_decode, n * warps * slot},
	    {"add.u32 %r1, %r1, %r1;\n", EP_schedule, n * warps * slot},
	    {"add.u32 %r1, %r3, %r4;\n", EP_registers, n * warps * 3 * operand},
	    {"add.u32 %r1, %r3, 1;\n", EP_registers, n * warps * 2 * operand},
	    {"ld.shared.u32 %r1, [%r2];\n", EP_shared, n * lanes * word},
	    {"ld.shared.u32 %r1, [%r2];\n", EP_address, n * lanes * 40000},
	    {"ld.global.u32 %r3, [%a1];\n", EP_address, n * lanes * 40000},
	    {"ld.global.u32 %r3, [%a1];\n", EP_l1d, n * warps * line},
	};
	for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
		u64 got = costs(cases[i].text, n, cases[i].part, sets);
		if (got < cases[i].want - cases[i].want / 10000 || got > cases[i].want + cases[i].want / 10000)
			fail_msg("%u x %s in %s: %llu fJ, not %llu", (u32)n, cases[i].text, energy_parts[cases[i].part].name,
			         (unsigned long long)got, (unsigned long long)cases[i].want);
	}
	/* what a guard keeps from all lanes costs the unit nothing */
	u64 kept = costs("setp.lt.u32 %q1, %r1, 0;\n@%q1 add.f32 %f1, %f1, %f1;\n", n, EP_f32, sets);
	assert_int_equal(kept, 0);
}

static void scaled_to_the_process(void **state)
{
	static const char *const at40[] = {OF_40_NM, NULL};
	static const char *const at20[] = {"energy.node=20", "energy.voltage=0.5", NULL};
	static const char *const more[] = {OF_40_NM, "energy.calibration=2", NULL};
	u64 whole = costs("add.f32 %f1, %f1, %f1;\n", 100, EP_f32, at40);
	assert_int_equal(costs("add.f32 %f1, %f1, %f1;\n", 100, EP_f32, at20) * 8, whole);
	assert_int_equal(costs("add.f32 %f1, %f1, %f1;\n", 100, EP_f32, more), whole * 2);
	/* leakage follows the width and the voltage; what the board and DRAM take is not the chip's */
	struct sim *a = machine(at40), *b = machine(at20), *c = machine(more);
	struct sim *all[] = {a, b, c};
	u64 logic[3], board[3];
	for (u32 i = 0; i < 3; i++) {
		u64 arg = buffer(all[i], 4096);
		char *text = repeated(HEAD, "add.f32 %f1, %f1, %f1;\n", 10, END);
		run_ptx(all[i], text, 3, 64, &arg, 1);
		logic[i] = machine_energy(all[i]).part[EP_logic].leakage;
		board[i] = machine_energy(all[i]).part[EP_board].leakage;
		free(text);
		sim_destroy(all[i]);
	}
	assert_true(logic[1] * 4 == logic[0] && logic[2] == logic[0]);
	assert_true(board[1] == board[0] && board[0] > 0);
}

/* A loop over memory, so that everything is used. */
#define WORK                                                                                                           \
	PTX_HEAD ".visible .entry k(.param .u64 p) { .reg .b32 %r<12>; .reg .f32 %f<5>; .reg .b64 %a<5>; .reg .pred %q; "  \
	         ".shared .align 16 .b8 sh[8192]; ld.param.u64 %a1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; "     \
	         "mad.lo.u32 %r3, %r2, 256, %r1; mul.wide.u32 %a2, %r3, 4; add.u64 %a1, %a1, %a2; mov.u32 %r4, 0; "        \
	         "mov.u32 %r5, sh; mad.lo.u32 %r5, %r1, 4, %r5;\n"                                                         \
	         "L: ld.global.f32 %f1, [%a1]; sin.approx.f32 %f2, %f1; st.shared.f32 [%r5], %f2; "                        \
	         "ld.shared.f32 %f3, [%r5]; st.global.f32 [%a1], %f3; add.u64 %a1, %a1, 32768; add.u32 %r4, %r4, 1; "      \
	         "setp.lt.u32 %q, %r4, 6; @%q bra L; ret; }\n"

static struct energy worked(const char *const *sets, u32 grid)
{
	struct sim *s = machine(sets);
	u64 arg = buffer(s, 1 << 20);
	assert_int_equal(run_ptx(s, WORK, grid, 256, &arg, 1).why, STOP_IDLE);
	struct energy e = machine_energy(s);
	sim_destroy(s);
	return e;
}

static void gating(void **state)
{
	static const char *const off[] = {OF_40_NM, NULL};
	static const char *const regs[] = {OF_40_NM, "energy.gate_registers=true", NULL};
	static const char *const both[] = {OF_40_NM, "energy.gate_registers=true", "energy.gate_shared=true", NULL};
	struct energy none = worked(off, 20), r = worked(regs, 20), all = worked(both, 20);
	struct energy_amount sum = energy_sum(&all);
	assert_int_equal(energy_sum(&none).gated, 0);
	assert_true(sum.gated > 0 && r.part[EP_shared].gated == 0);
	assert_int_equal(energy_total(&none), energy_total(&all) + sum.gated);
	assert_int_equal(energy_total(&none), energy_total(&r) + r.part[EP_registers].gated);
	assert_int_equal(sum.gated, all.part[EP_registers].gated + all.part[EP_shared].gated);
	for (u32 i = 0; i < EP_COUNT; i++) {
		assert_int_equal(none.part[i].dynamic, all.part[i].dynamic);
		assert_int_equal(none.part[i].leakage, all.part[i].leakage + all.part[i].gated);
		if (i != EP_registers && i != EP_shared)
			assert_int_equal(all.part[i].gated, 0);
	}
	/* an SM that holds nothing is gated whole, and one that is half full for half the time in proportion */
	struct sim *s = machine(both);
	u64 arg = buffer(s, 1 << 20);
	run_ptx(s, WORK, 2, 256, &arg, 1);
	struct energy full, empty;
	energy_of_sm(sim_gpu(s), 0, &full);
	energy_of_sm(sim_gpu(s), 9, &empty);
	assert_true(empty.part[EP_registers].leakage == 0 && empty.part[EP_shared].leakage == 0);
	const struct sm_counters *k = (const struct sm_counters *)gpu_counters(sim_gpu(s), CG_sm, 0);
	const struct conf *c = gpu_conf(sim_gpu(s));
	double held = (double)full.part[EP_registers].leakage /
	              (double)(full.part[EP_registers].leakage + full.part[EP_registers].gated);
	double want = (double)k->reg_cycles / ((double)c->sm_regs * (double)k->cycles);
	assert_true(want > 0.001 && held > want * 0.999999 && held < want * 1.000001);
	held = (double)full.part[EP_shared].leakage / (double)(full.part[EP_shared].leakage + full.part[EP_shared].gated);
	want = (double)k->shared_held / ((double)c->sm_shared * (double)k->cycles);
	assert_true(want > 0.001 && held > want * 0.999999 && held < want * 1.000001);
	sim_destroy(s);
}

/* More registers a thread: less is left to be gated. */
static void registers_held(void **state)
{
	static const char *const sets[] = {OF_40_NM, "energy.gate_registers=true", "max_ctas_per_sm=1", NULL};
	static const u32 wide[] = {0, 40};
	double share[2];
	for (u32 i = 0; i < 2; i++) {
		struct sim *s = machine(sets);
		struct err e = {0};
		u64 arg = buffer(s, 1 << 20);
		struct module *m = sim_load_text(s, "k.ptx", WORK, strlen(WORK), &e);
		struct launch_spec l = {.mod = m,
		                        .fn = module_func(m, "k", true),
		                        .grid = {15, 1, 1},
		                        .block = {256, 1, 1},
		                        .params = &arg,
		                        .param_bytes = 8,
		                        .regs = wide[i]};
		struct stop st;
		if (sim_launch(s, &l, &e) < 0)
			fail_msg("%s", e.msg);
		sim_run(s, NEVER, &st);
		struct energy_amount a = machine_energy(s).part[EP_registers];
		share[i] = (double)a.gated / (double)(a.gated + a.leakage);
		sim_destroy(s);
	}
	assert_true(share[1] < share[0] - 0.1);
}

/* Constants: what their cache takes is split by the lanes that read it, however many instructions a kernel has else. */
#define CONSTANTS                                                                                                      \
	PTX_HEAD ".const .align 4 .b8 table[64];\n" HEAD "ld.const.u32 %r1, [table]; ld.const.u32 %r3, [table+4];\n" END
static void of_constants(void **state)
{
	struct sim *s = machine((const char *[]){OF_40_NM, NULL});
	u64 arg = buffer(s, 4096), lanes[2];
	char *more = repeated(HEAD, "add.u32 %r3, %r3, 1;\n", 300, "ld.param.u64 %a2, [p]; " END);
	run_ptx(s, CONSTANTS, 3, 64, &arg, 1);
	run_ptx(s, more, 3, 64, &arg, 1);
	const struct energy all = machine_energy(s);
	struct energy k[2], rest;
	energy_of_kernels(sim_gpu(s), k, &rest);
	for (u32 i = 0; i < 2; i++) {
		lanes[i] = ((const struct kernel_counters *)gpu_counters(sim_gpu(s), CG_kernel, i))->lanes_const;
		assert_true(lanes[i] > 0);
	}
	const double want = (double)all.part[EP_l1c].dynamic * (double)lanes[0] / (double)(lanes[0] + lanes[1]);
	assert_true(all.part[EP_l1c].dynamic > 0 && rest.part[EP_l1c].dynamic == 0);
	assert_true(fabs((double)k[0].part[EP_l1c].dynamic - want) <= 1);
	free(more);
	sim_destroy(s);
}

/* Two kernels at a time: each has its own, and with the rest it is the machine's. */
static void of_kernels(void **state)
{
	static const char *const sets[] = {OF_40_NM, "max_ctas_per_sm=2", "energy.gate_shared=true", NULL};
	struct sim *s = machine(sets);
	struct err e = {0};
	u64 arg[2] = {buffer(s, 1 << 20), buffer(s, 1 << 20)};
	char *floats = repeated(HEAD, "add.f32 %f1, %f1, %f1;\n", 200, END);
	struct module *m[2] = {sim_load_text(s, "a.ptx", floats, strlen(floats), &e),
	                       sim_load_text(s, "b.ptx", WORK, strlen(WORK), &e)};
	for (u32 i = 0; i < 2; i++) {
		struct launch_spec l = {.mod = m[i],
		                        .fn = module_func(m[i], "k", true),
		                        .grid = {20, 1, 1},
		                        .block = {256, 1, 1},
		                        .params = &arg[i],
		                        .param_bytes = 8,
		                        .stream = i};
		if (sim_launch(s, &l, &e) < 0)
			fail_msg("%s", e.msg);
	}
	struct stop st;
	struct energy k[3], sum;
	for (u64 at = 100;; at += 100) { /* on the way, too */
		sim_run(s, at, &st);
		struct energy all = machine_energy(s);
		energy_of_kernels(sim_gpu(s), k, &k[2]);
		memset(&sum, 0, sizeof sum);
		for (u32 i = 0; i < 3; i++)
			energy_add(&sum, &k[i]);
		assert_memory_equal(&sum, &all, sizeof sum);
		if (!energy_check(sim_gpu(s), &e))
			fail_msg("%s", e.msg);
		if (st.why == STOP_IDLE)
			break;
	}
	assert_int_equal(k[0].part[EP_f32].dynamic, 200ull * 20 * 256 * 75000);
	assert_int_equal(k[0].part[EP_sfu].dynamic, 0);
	assert_int_equal(k[1].part[EP_f32].dynamic, 0);
	assert_int_equal(k[1].part[EP_sfu].dynamic, 6ull * 20 * 256 * 150000);
	assert_true(k[1].part[EP_dram].dynamic > k[0].part[EP_dram].dynamic * 4);
	assert_true(k[0].part[EP_logic].leakage > 0 && k[2].part[EP_logic].leakage > 0);
	for (u32 i = 0; i < EP_COUNT; i++)
		assert_int_equal(k[2].part[i].dynamic, 0); /* nothing of it is left over */
	free(floats);
	sim_destroy(s);
}

static void travels(void **state)
{
	static const char *const sets[] = {OF_40_NM, "energy.gate_registers=true", NULL};
	struct sim *s = machine(sets);
	struct err e = {0};
	u64 arg = buffer(s, 1 << 20);
	struct module *m = sim_load_text(s, "k.ptx", WORK, strlen(WORK), &e);
	assert_true(sim_history(s, 64, &e));
	struct launch_spec l = {.mod = m,
	                        .fn = module_func(m, "k", true),
	                        .grid = {40, 1, 1},
	                        .block = {256, 1, 1},
	                        .params = &arg,
	                        .param_bytes = 8};
	sim_fork(s);
	if (sim_launch(s, &l, &e) < 0)
		fail_msg("%s", e.msg);
	sim_turn(s);
	struct energy at[3], k[2], again[2];
	struct stop st;
	for (u32 i = 0; i < 3; i++) {
		sim_run(s, 300 * (i + 1), &st);
		at[i] = machine_energy(s);
		if (i == 1)
			energy_of_kernels(sim_gpu(s), k, &k[1]);
	}
	assert_true(energy_total(&at[0]) < energy_total(&at[1]) && energy_total(&at[1]) < energy_total(&at[2]));
	for (u32 i = 3; i-- > 0;) {
		if (!sim_goto(s, 300 * (i + 1), &e))
			fail_msg("%s", e.msg);
		struct energy back = machine_energy(s);
		assert_memory_equal(&back, &at[i], sizeof back);
		if (i != 1)
			continue;
		energy_of_kernels(sim_gpu(s), again, &again[1]);
		assert_memory_equal(again, k, sizeof k);
	}
	sim_destroy(s);
}

static void groups_and_power(void **state)
{
	static const char *const sets[] = {OF_40_NM, NULL};
	struct energy e = worked(sets, 30);
	struct conf c;
	u64 sum = 0;
	conf_defaults(&c);
	for (u32 i = 0; i < EG_COUNT; i++)
		sum += energy_of_group(&e, i);
	assert_int_equal(sum, energy_total(&e));
	for (u32 i = 0; i < EG_COUNT; i++)
		assert_true(energy_of_group(&e, i) > 0);
	/* a board of 32.5 W for 700 cycles at 700 MHz: a microsecond */
	assert_true(energy_watts(&c, 32500000000, 700) > 32.4999 && energy_watts(&c, 32500000000, 700) < 32.5001);
	struct sim *s = machine(sets);
	u64 arg = buffer(s, 1 << 20);
	run_ptx(s, WORK, 30, 256, &arg, 1);
	e = machine_energy(s);
	double board = energy_watts(gpu_conf(sim_gpu(s)), e.part[EP_board].leakage, sim_cycle(s));
	assert_true(board > 32.49 && board < 32.51);
	double logic = energy_watts(gpu_conf(sim_gpu(s)), e.part[EP_logic].leakage, sim_cycle(s));
	assert_true(logic > 15 * 3.499 && logic < 15 * 3.501);
	sim_destroy(s);
}

/* What a row of the table is of, counted by hand. */
static u64 of_cache(struct sim *s, enum counter_group group, bool written_back)
{
	u64 sum = 0;
	for (u32 i = 0; i < gpu_counter_instances(sim_gpu(s), group); i++) {
		const struct cache_counters *c = (const struct cache_counters *)gpu_counters(sim_gpu(s), group, i);
		for (u32 kind = 0; kind < 3; kind++)
			sum += ref_counted(c, (enum ref_kind[]){REF_READ, REF_WRITE, REF_ATOMIC}[kind], REF_ALL);
		sum += c->fills + (written_back ? c->writebacks : 0);
	}
	return sum;
}

static u64 written_back(struct sim *s)
{
	u64 sum = 0;
	for (u32 i = 0; i < gpu_num_l2(sim_gpu(s)); i++)
		sum += ((const struct cache_counters *)gpu_counters(sim_gpu(s), CG_l2, i))->writebacks;
	return sum;
}

static u64 of_sms(struct sim *s, size_t offset)
{
	u64 sum = 0;
	for (u32 i = 0; i < gpu_conf(sim_gpu(s))->num_sms; i++)
		sum += *(const u64 *)((const u8 *)gpu_counters(sim_gpu(s), CG_sm, i) + offset);
	return sum;
}
#define OF_SMS(s, field) of_sms(s, offsetof(struct sm_counters, field))

static u64 dram_bytes(struct sim *s, bool activates)
{
	u64 sum = 0;
	for (u32 i = 0; i < gpu_num_channels(sim_gpu(s)); i++) {
		const struct dram_counters *d = (const struct dram_counters *)gpu_counters(sim_gpu(s), CG_dram, i);
		sum += activates ? d->activates : d->bytes;
	}
	return sum;
}

static u64 counted(struct sim *s, const char *row)
{
	const struct conf *c = gpu_conf(sim_gpu(s));
	const struct noc_counters *n = (const struct noc_counters *)gpu_counters(sim_gpu(s), CG_noc, 0);
#define IS(name) !strcmp(row, "energy." name)
	if (IS("fetch"))
		return OF_SMS(s, fetches);
	if (IS("decode") || IS("schedule"))
		return OF_SMS(s, issue_slots);
	if (IS("register"))
		return OF_SMS(s, reg_reads) + OF_SMS(s, reg_writes);
	if (IS("int"))
		return OF_SMS(s, lanes_int);
	if (IS("f32"))
		return OF_SMS(s, lanes_f32);
	if (IS("f64"))
		return OF_SMS(s, lanes_f64);
	if (IS("sfu"))
		return OF_SMS(s, lanes_sfu);
	if (IS("address"))
		return OF_SMS(s, lanes_global) + OF_SMS(s, lanes_shared) + OF_SMS(s, lanes_local) + OF_SMS(s, lanes_tex);
	if (IS("clock"))
		return OF_SMS(s, active_cycles);
	if (IS("shared"))
		return OF_SMS(s, lanes_shared);
	if (IS("l1"))
		return of_cache(s, CG_l1d, false) * (c->l1d_line / 32);
	if (IS("l2"))
		return of_cache(s, CG_l2, true) * (c->l2_sector_reads ? 1 : c->l2_line / 32);
	if (IS("network"))
		return (n->request_flits + n->reply_flits) * c->noc_flit;
	if (IS("dram_bit"))
		return dram_bytes(s, false) * 8;
	assert_true(IS("dram_activate"));
	return dram_bytes(s, true) * c->dram_row / 1024;
#undef IS
}

/* With all rows at 0 but one, the energy of events is that row's alone, each event once: none is left out of the sum,
 * and none counted twice. */
static void every_row_once(void **state)
{
	static const struct {
		const char *row, *at;
	} events[] = {
	    {"energy.fetch", "45"},   {"energy.decode", "45"},  {"energy.schedule", "45"}, {"energy.register", "45"},
	    {"energy.int", "40"},     {"energy.f32", "40"},     {"energy.f64", "40"},      {"energy.sfu", "40"},
	    {"energy.address", "40"}, {"energy.clock", "40"},   {"energy.shared", "45"},   {"energy.l1", "45"},
	    {"energy.l2", "45"},      {"energy.network", "28"}, {"energy.dram_bit", "40"}, {"energy.dram_activate", "40"},
	};
	static const char *const rows[] = {
#define C_ENERGY(f, key, d, u, node, voltage, h) key,
#include "conf/energy.def"
#undef C_ENERGY
	};
	for (u32 i = 0; i < ARRAY_LEN(events); i++) {
		char text[ARRAY_LEN(rows) + 2][48];
		const char *sets[ARRAY_LEN(rows) + 5] = {NULL};
		u32 n = 0;
		for (u32 k = 0; k < ARRAY_LEN(rows); k++, n++) {
			snprintf(text[n], sizeof text[n], "%s=%d", rows[k], !strcmp(rows[k], events[i].row));
			sets[n] = text[n];
		}
		snprintf(text[n], sizeof text[n], "energy.node=%s", events[i].at);
		sets[n] = text[n];
		sets[n + 1] = strcmp(events[i].at, "40") ? "energy.voltage=0.9" : "energy.voltage=1.0";
		sets[n + 2] = "l2.sets=1"; /* so that lines are written back */
		struct sim *s = machine(sets);
		u64 arg = buffer(s, 1 << 20);
		run_ptx(s, i == 5 || i == 6 ? PTX_HEAD HEAD "add.f64 %d1, %d1, %d1; add.f32 %f1, %f1, %f1;\n" END : WORK, 30,
		        256, &arg, 1);
		const struct energy e = machine_energy(s);
		assert_true(i == 5 || i == 6 || written_back(s) > 100);
		const u64 want = counted(s, events[i].row) * 1000, got = energy_total(&e);
		if (got != want || !want)
			fail_msg("%s: %llu fJ, not %llu", events[i].row, (unsigned long long)got, (unsigned long long)want);
		sim_destroy(s);
	}
}

/* The samples of a timeline: groups sum to the power, SMs and what is outside to the machine, all of them to the
 * machine's energy. */
static void over_time(void **state)
{
	static const char *const sets[] = {OF_40_NM, "energy.gate_registers=true", NULL};
	struct sim *s = machine(sets);
	struct timeline *t = timeline_create(sim_gpu(s), 64, 1024);
	struct sample all;
	u64 arg = buffer(s, 1 << 20), sum = 0;
	sim_add_sampler(s, 64, timeline_sample, t);
	run_ptx(s, WORK, 30, 256, &arg, 1);
	const u32 n = timeline_len(t);
	assert_true(n > 20);
	for (u32 i = 0; i < n; i++) {
		double parts = 0, sms = 0;
		for (u32 g = 0; g < EG_COUNT; g++)
			parts += timeline_get(t, -1, TS_POWER_PART + g, i);
		for (s32 sm = 0; sm < 15; sm++)
			sms += timeline_get(t, sm, TS_POWER, i);
		for (u32 g = EG_l2; g < EG_COUNT; g++) {
			sms += timeline_get(t, -1, TS_POWER_PART + g, i);
			assert_true(isnan(timeline_get(t, 3, TS_POWER_PART + g, i)));
		}
		const double power = timeline_get(t, -1, TS_POWER, i);
		assert_true(power > 80 && power < 300);
		assert_true(fabs(parts - power) < 1e-6 && fabs(sms - power) < 1e-6);
	}
	all = timeline_sum(t, -1, 0, n);
	for (u32 g = 0; g < EG_COUNT; g++)
		sum += all.energy[g];
	/* what came behind the last sample */
	const struct energy e = machine_energy(s);
	const double rest = energy_watts(gpu_conf(sim_gpu(s)), energy_total(&e) - sum, sim_cycle(s) - n * 64);
	assert_true(sum < energy_total(&e) && rest > 50 && rest < 300);
	timeline_free(t);
	sim_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(closed_form),    cmocka_unit_test(scaled_to_the_process),
	    cmocka_unit_test(gating),         cmocka_unit_test(registers_held),
	    cmocka_unit_test(of_kernels),     cmocka_unit_test(travels),
	    cmocka_unit_test(of_constants),   cmocka_unit_test(groups_and_power),
	    cmocka_unit_test(every_row_once), cmocka_unit_test(over_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
