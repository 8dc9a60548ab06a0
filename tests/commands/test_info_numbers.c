/* Numbers in the tables of `info`, in rates, in the reports of a run and in comparisons of two: each against the
 * counters behind it, at random cycles. What a screen shows: test_view_numbers.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"
#include "obs/compare/delta.h"
#include "obs/energy/energy.h"
#include "obs/name/probe_path.h"
#include "obs/report/report.h"

static void near_to(double said, double want, double half, const char *what)
{
	if (fabs(said - want) > half * 1.001 + 1e-9)
		fail_msg("%s: %.9g is said, it is %.9g", what, said, want);
}

static void open_program(struct rig *r, char *workload, char *sched)
{
	char *argv[] = {"warpdbg", "debug", workload, "--size", "small", "--warp-sched", sched, NULL};
	rig_open(r, argv);
}

static const char *line_of(const char *text, const char *begin)
{
	const char *at = strstr(text, begin);
	if (!at)
		fail_msg("'%s' is not in:\n%s", begin, text);
	return at;
}

static double per(double a, double b)
{
	return b != 0 ? a / b : 0;
}

/* --- tables ------------------------------------------------------------------------------------------------------------ */

static void sms_are(struct rig *r)
{
	struct gpu *g = dbg_gpu(r->d);
	const struct conf *c = gpu_conf(g);
	const char *line = strchr(rig_say(r, "info sms"), '\n') + 1;
	for (u32 sm = 0; sm < c->num_sms; sm++, line = strchr(line, '\n') + 1) {
		const struct sm_counters *k = (const void *)gpu_counters(g, CG_sm, sm);
		u32 id, ctas, most, used = 0, regs = 0, shared = 0;
		u64 slots[ST_COUNT], sum = 0, top = 0;
		double pregs, pshared, ipc, share;
		for (u32 i = 0; i < c->sm_ctas; i++) {
			struct cta_info x;
			gpu_cta_info(g, sm, i, &x);
			used += x.used;
			regs += x.used ? x.reg_size : 0;
			shared += x.used ? x.shared_size : 0;
		}
		gpu_stalls_sum(g, (s32)sm, slots);
		for (u32 i = 0; i < ST_COUNT; i++) {
			sum += slots[i];
			top = i != ST_ISSUED ? MAX(top, slots[i]) : top;
		}
		assert_int_equal(sscanf(line + 1, "%u", &id), 1);
		assert_int_equal(
		    sscanf(line + 5 + gpu_warps_per_sm(g), "%u/%u %lf%% %lf%% %lf ", &ctas, &most, &pregs, &pshared, &ipc), 5);
		const char *last = strchr(line, '\n'); /* "l1 no mshr 14%": the number at the end */
		while (last[-1] != ' ')
			last--;
		share = strtod(last, NULL);
		assert_int_equal(id, sm);
		assert_int_equal(ctas, used);
		assert_int_equal(most, c->sm_ctas);
		near_to(pregs, 100.0 * regs / c->sm_regs, 0.5, "info sms: registers");
		near_to(pshared, 100.0 * shared / c->sm_shared, 0.5, "info sms: shared memory");
		near_to(ipc, (double)k->issued / (double)gpu_cycle(g), 0.005, "info sms: IPC");
		near_to(share, 100.0 * (double)top / (double)sum, 0.5, "info sms: lost to");
	}
}

static void ctas_are(struct rig *r, u32 sm)
{
	struct gpu *g = dbg_gpu(r->d);
	char line[32];
	snprintf(line, sizeof line, "info ctas %u", sm);
	const char *at = strchr(rig_say(r, line), '\n') + 1;
	for (u32 i = 0; i < gpu_conf(g)->sm_ctas; i++) {
		struct cta_info c;
		u32 slot, x, y, z, kernel, warps, done, first, size;
		unsigned long long cta, age, insts;
		gpu_cta_info(g, sm, i, &c);
		if (!c.used)
			continue;
		assert_int_equal(sscanf(at + 1, "%u %llu (%u,%u,%u) %u %u %u %llu %llu %u+%u", &slot, &cta, &x, &y, &z, &kernel,
		                        &warps, &done, &age, &insts, &first, &size),
		                 12);
		assert_int_equal(slot, i);
		assert_int_equal(cta, c.cta);
		assert_int_equal(kernel, c.launch);
		assert_int_equal(age, gpu_cycle(g) - c.started_at);
		assert_int_equal(insts, c.insts);
		assert_int_equal(warps, bit_count(c.warps));
		assert_int_equal(done, bit_count(c.warps_done));
		assert_int_equal(size, c.reg_size);
		at = strchr(at, '\n') + 1;
	}
}

static void way_is(const char *text, const char *name, u64 packets, u64 flits, u64 wait, u64 cycles)
{
	unsigned long long p, f;
	double load, w;
	assert_int_equal(sscanf(line_of(text, name) + strlen(name), "%llu packets, %llu flits (%lf a cycle), wait %lf", &p,
	                        &f, &load, &w),
	                 4);
	assert_int_equal(p, packets);
	assert_int_equal(f, flits);
	near_to(load, (double)flits / (double)cycles, 0.005, name);
	near_to(w, per((double)wait, (double)packets), 0.05, name);
}

static void network_is(struct rig *r)
{
	struct gpu *g = dbg_gpu(r->d);
	const struct noc_counters n = *(const struct noc_counters *)gpu_counters(g, CG_noc, 0);
	const char *text = rig_say(r, "info network");
	way_is(text, "  requests ", n.requests, n.request_flits, n.request_wait, gpu_cycle(g));
	way_is(text, "  replies  ", n.replies, n.reply_flits, n.reply_wait, gpu_cycle(g));
}

static void energy_is(struct rig *r)
{
	struct gpu *g = dbg_gpu(r->d);
	struct energy e;
	energy_of_machine(g, &e);
	const char *text = rig_say(r, "info energy");
	u64 dynamic = 0, leakage = 0;
	for (u32 i = 0; i < EP_COUNT; i++) {
		const struct energy_amount a = e.part[i];
		double d, l, gated, watts, share;
		char name[40];
		dynamic += a.dynamic;
		leakage += a.leakage;
		if (!(a.dynamic + a.leakage + a.gated))
			continue;
		snprintf(name, sizeof name, " %-10s ", energy_parts[i].name);
		assert_int_equal(
		    sscanf(line_of(text, name) + strlen(name), "%lf %lf %lf %lf %lf", &d, &l, &gated, &watts, &share), 5);
		near_to(d, (double)a.dynamic / 1e9, 0.0005, name);
		near_to(l, (double)a.leakage / 1e9, 0.0005, name);
		near_to(gated, (double)a.gated / 1e9, 0.0005, name);
		near_to(share, 100.0 * (double)(a.dynamic + a.leakage) / (double)energy_total(&e), 0.05, name);
		near_to(watts,
		        (double)(a.dynamic + a.leakage) * 1e-15 / ((double)gpu_cycle(g) / gpu_conf(g)->core_clock * 1e-6),
		        0.005, name);
	}
	assert_int_equal(dynamic + leakage, energy_total(&e));
}

/* --- rates -------------------------------------------------------------------------------------------------------------- */

static void sums(struct gpu *g, enum counter_group group, u32 instance, u64 *out)
{
	for (u32 i = 0; i < gpu_counter_instances(g, group); i++)
		for (u32 k = 0; k < counter_group_size(group) && (instance == PROBE_ALL || instance == i); k++)
			out[k] += gpu_counters(g, group, i)[k];
}

static void rate_is(struct gpu *g, enum counter_group group, u32 instance, const char *name, double a, double b)
{
	const int row = probe_find_rate(group, name, strlen(name));
	assert_true(row >= 0);
	const double said = probe_rate(g, (u32)row, instance);
	if (b == 0 ? !isnan(said) : fabs(said - a / b) > 1e-9 * fabs(a / b) + 1e-12)
		fail_msg("%s.%s of %d: %.9g, it is %.9g", counter_group_names[group], name, (int)instance, said, a / b);
}

static void rates_are(struct gpu *g)
{
	const struct conf *c = gpu_conf(g);
	const double cycles = (double)gpu_cycle(g);
	for (u32 i = 0; i < 3; i++) { /* SM 0, SM 7, all */
		const u32 sm = i == 0 ? 0 : i == 1 ? 7 : PROBE_ALL;
		const double n = sm == PROBE_ALL ? c->num_sms : 1;
		struct sm_counters s = {0};
		struct cache_counters l1 = {0};
		sums(g, CG_sm, sm, (u64 *)&s);
		sums(g, CG_l1d, sm, (u64 *)&l1);
		rate_is(g, CG_sm, sm, "ipc", (double)s.issued, cycles);
		rate_is(g, CG_sm, sm, "slot_use", (double)s.issue_slots, cycles * c->sm_schedulers * n);
		rate_is(g, CG_sm, sm, "simd_efficiency", (double)s.thread_insts, 32.0 * (double)s.issued);
		rate_is(g, CG_sm, sm, "mean_warps", (double)s.occupancy, (double)s.active_cycles);
		rate_is(g, CG_l1d, sm, "hit_rate", (double)l1.hits, (double)(l1.hits + l1.misses + l1.merges));
		rate_is(g, CG_l1d, sm, "mshrs_used", (double)l1.mshr_cycles, cycles * n);
		rate_is(g, CG_l1d, sm, "refused_share", (double)(l1.rf_line + l1.rf_mshr + l1.rf_merge + l1.rf_queue),
		        cycles * n);
		rate_is(g, CG_l1d, sm, "capacity_rate", (double)l1.miss_capacity, (double)(l1.hits + l1.misses + l1.merges));
	}
	const struct noc_counters n = *(const struct noc_counters *)gpu_counters(g, CG_noc, 0);
	rate_is(g, CG_noc, PROBE_ALL, "request_mean_wait", (double)n.request_wait, (double)n.requests);
	rate_is(g, CG_noc, PROBE_ALL, "reply_mean_wait", (double)n.reply_wait, (double)n.replies);
	for (u32 i = 0; i < 2; i++) {
		struct dram_counters d = {0};
		const double covered = i ? gpu_counter_instances(g, CG_dram) : 1, us = cycles / c->core_clock;
		sums(g, CG_dram, i ? PROBE_ALL : 0, (u64 *)&d);
		rate_is(g, CG_dram, i ? PROBE_ALL : 0, "row_hit_rate", (double)d.row_hits, (double)(d.row_hits + d.row_misses));
		rate_is(g, CG_dram, i ? PROBE_ALL : 0, "mean_latency", (double)d.queue_cycles, (double)d.requests);
		rate_is(g, CG_dram, i ? PROBE_ALL : 0, "bandwidth_gbs", (double)d.bytes / 1e3, us);
		rate_is(g, CG_dram, i ? PROBE_ALL : 0, "bandwidth_share", (double)d.bytes,
		        dram_peak_bytes(c) * cycles * covered / gpu_counter_instances(g, CG_dram));
	}
}

/* --- reports ------------------------------------------------------------------------------------------------------------ */

/* The value of a row "NAME,INSTANCE,VALUE". */
static double csv_of(const char *csv, const char *name, const char *instance)
{
	char key[96];
	snprintf(key, sizeof key, "\n%s,%s,", name, instance);
	return strtod(line_of(csv, key) + strlen(key), NULL);
}

static void csv_is(struct rig *r)
{
	struct gpu *g = dbg_gpu(r->d);
	struct run_info run = {.workload = "w", .check = "none", .check_message = "", .stop = "interrupted"};
	struct stats *st = stats_gather(g, &run);
	struct strbuf csv = STRBUF_INIT;
	struct sm_counters s = {0};
	const double cycles = (double)gpu_cycle(g);
	report_csv(st, &csv);
	sums(g, CG_sm, PROBE_ALL, (u64 *)&s);
	near_to(csv_of(csv.buf, "run.cycles", ""), cycles, 0, "run.cycles");
	near_to(csv_of(csv.buf, "run.warp_insts", ""), (double)s.issued, 0, "run.warp_insts");
	near_to(csv_of(csv.buf, "run.thread_insts", ""), (double)s.thread_insts, 0, "run.thread_insts");
	near_to(csv_of(csv.buf, "run.ipc", ""), (double)s.issued / cycles, 1e-9, "run.ipc");
	near_to(csv_of(csv.buf, "run.sim_time_us", ""), cycles / gpu_conf(g)->core_clock, 1e-6, "run.sim_time_us");
	for (u32 i = 0; i < counter_ndescs; i++) {
		const struct counter_desc *d = &counter_descs[i];
		u64 sum[128] = {0};
		char name[96];
		if (d->group == CG_kernel)
			continue;
		sums(g, d->group, PROBE_ALL, sum);
		snprintf(name, sizeof name, "%s.%s", counter_group_names[d->group], d->name);
		near_to(csv_of(csv.buf, name, "sum"), (double)sum[d->index], 0, name);
	}
	strbuf_release(&csv);
	stats_free(st);
}

static void at_random_cycles(void **state)
{
	static char *const programs[][2] = {{"bfs", "gto"}, {"hotspot", "lrr"}, {"kmeans", "ccws"}, {"histogram", "gto"}};
	u64 seed = 77;
	for (u32 i = 0; i < ARRAY_LEN(programs); i++) {
		struct rig r;
		open_program(&r, programs[i][0], programs[i][1]);
		rig_say(&r, "continue");
		const u64 end = sim_cycle(r.s->sim);
		for (u32 k = 0; k < 4; k++) {
			char line[40];
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			snprintf(line, sizeof line, "goto %llu", 300 + (unsigned long long)((seed >> 33) % (end - 300)));
			rig_say(&r, line);
			sms_are(&r);
			ctas_are(&r, 0);
			ctas_are(&r, (u32)(seed >> 40) % 15);
			network_is(&r);
			energy_is(&r);
			rates_are(dbg_gpu(r.d));
			csv_is(&r);
		}
		rig_close(&r);
	}
}

/* --- two machines --------------------------------------------------------------------------------------------------------- */

static void assert_row(const struct deltas *d, const char *name, double a, double b)
{
	const struct delta *row = deltas_find(d, name);
	near_to(row->a, a, 1e-6 * fabs(a), name);
	near_to(row->b, b, 1e-6 * fabs(b), name);
	near_to(delta_value(row), b - a, 1e-6 * fabs(b - a) + 1e-6, name);
}

static void differences_are(void **state)
{
	struct rig r[2];
	struct stats *st[2];
	struct deltas all = {0};
	struct energy e[2];
	u64 slots[2][ST_COUNT];
	for (u32 i = 0; i < 2; i++) {
		struct run_info run = {.workload = "w", .check = "none", .check_message = "", .stop = "interrupted"};
		open_program(&r[i], "kmeans", i ? "lrr" : "gto");
		rig_say(&r[i], "until 7000");
		st[i] = stats_gather(dbg_gpu(r[i].d), &run);
		energy_of_machine(dbg_gpu(r[i].d), &e[i]);
		gpu_stalls_sum(dbg_gpu(r[i].d), -1, slots[i]);
	}
	deltas_gather(&all, st[0], st[1]);
	for (u32 i = 0; i < EP_COUNT; i++) {
		char name[64];
		const struct energy_amount *a = &e[0].part[i], *b = &e[1].part[i];
		snprintf(name, sizeof name, "energy.%s.dynamic", energy_parts[i].name);
		assert_row(&all, name, (double)a->dynamic, (double)b->dynamic);
		snprintf(name, sizeof name, "energy.%s.leakage", energy_parts[i].name);
		assert_row(&all, name, (double)a->leakage, (double)b->leakage);
		snprintf(name, sizeof name, "energy.%s.gated", energy_parts[i].name);
		assert_row(&all, name, (double)a->gated, (double)b->gated);
	}
	for (u32 i = 0; i < ST_COUNT; i++) {
		char name[64];
		snprintf(name, sizeof name, "stalls.base.%s", stall_descs[i].name[TAX_BASE]);
		assert_row(&all, name, (double)slots[0][i], (double)slots[1][i]);
	}
	for (u32 i = 0; i < counter_ndescs; i++) {
		const struct counter_desc *d = &counter_descs[i];
		u64 a[128] = {0}, b[128] = {0};
		char name[96];
		if (d->group == CG_kernel)
			continue;
		sums(dbg_gpu(r[0].d), d->group, PROBE_ALL, a);
		sums(dbg_gpu(r[1].d), d->group, PROBE_ALL, b);
		snprintf(name, sizeof name, "%s.%s", counter_group_names[d->group], d->name);
		assert_row(&all, name, (double)a[d->index], (double)b[d->index]);
	}
	deltas_release(&all);
	for (u32 i = 0; i < 2; i++) {
		stats_free(st[i]);
		rig_close(&r[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(at_random_cycles),
	    cmocka_unit_test(differences_are),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
