/* What is shown of tensor units: info mma, the event, counters, reports and energy, against what the kernels must
 * execute, against each other, and against published peaks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "gpu/query_tensor.h"
#include "obs/energy/energy.h"
#include "obs/stats/stats.h"
#include "views/offscreen.h"

#define N 64ull /* of the matrices; four of the five kernels use mma.m16n8k16 */
#define MACS (4 * N * N * N)

static void open_on(struct rig *r, char *gpu)
{
	char *argv[] = {"warpdbg", "debug", "tensor/hgemm", "--param", "n=64", "--gpu", gpu, NULL};
	rig_open(r, argv);
}

static double printed(struct rig *r, const char *path)
{
	char line[200], *end;
	snprintf(line, sizeof line, "print %s", path);
	const char *text = rig_say(r, line);
	const double v = strtod(text, &end);
	if (end == text)
		fail_msg("%s: '%s'", line, text);
	return v;
}

/* --- what the kernels must execute ------------------------------------------------------------------------------------ */

/* Events of the whole run, added up in Lua. */
static void listen(struct rig *r)
{
	rig_say(r, "lua seen = { n = 0, macs = 0, busy = 0, other = 0, late = {} }");
	rig_say(
	    r,
	    "lua dbg.on('mma', function(e) seen.n = seen.n + 1; seen.macs = seen.macs + e.macs; "
	    "seen.busy = seen.busy + e.interval; if e.types_name ~= 'f16_f32' then seen.other = seen.other + 1 end end)");
}

static void sums_are_those_of_the_kernels(void **state)
{
	static char *const gpus[] = {"a100", "rtx3080"};
	for (u32 i = 0; i < ARRAY_LEN(gpus); i++) {
		struct rig r;
		open_on(&r, gpus[i]);
		listen(&r);
		rig_say(&r, "continue");
		assert_int_equal(printed(&r, "gpu.tensor.macs_f16_f32"), MACS);
		assert_int_equal(printed(&r, "gpu.tensor.mma"), MACS / (16 * 8 * 16));
		assert_int_equal(printed(&r, "gpu.insts_tensor"), MACS / (16 * 8 * 16));
		static const char *const none[] = {"f16", "bf16", "tf32", "f64", "fp8", "int8", "int4", "b1"};
		for (u32 k = 0; k < ARRAY_LEN(none); k++) {
			char path[60];
			snprintf(path, sizeof path, "gpu.tensor.macs_%s", none[k]);
			assert_int_equal(printed(&r, path), 0);
		}
		/* A unit takes 16 x 8 x 16 multiply-adds at its rate. */
		const struct conf *c = gpu_conf(dbg_gpu(r.d));
		const u32 interval = MAX(16u * 8 * 16 / c->tensor_rate_f32, c->tensor_interval);
		assert_int_equal(printed(&r, "gpu.tensor.busy"), MACS / (16 * 8 * 16) * interval);
		assert_int_equal(printed(&r, "seen.n"), MACS / (16 * 8 * 16));
		assert_int_equal(printed(&r, "seen.macs"), MACS);
		assert_int_equal(printed(&r, "seen.busy"), MACS / (16 * 8 * 16) * interval);
		assert_int_equal(printed(&r, "seen.other"), 0);
		rig_close(&r);
	}
}

/* --- the table -------------------------------------------------------------------------------------------------------- */

struct shown_core {
	unsigned core, in_flight;
	unsigned long long mma, macs, busy, free_in;
	double busy_share, peak_share;
};

/* Every row is the counters', and mma in flight are the events whose latency is not over. */
static void the_table_is_the_counters(void **state)
{
	struct rig r;
	open_on(&r, "a100");
	struct gpu *g = dbg_gpu(r.d);
	const struct conf *c = gpu_conf(g);
	u32 flying = 0, rows = 0;
	rig_say(&r,
	        "lua due = {}; dbg.on('mma', function(e) due[#due + 1] = { e.sm, e.scheduler, e.cycle + e.latency } end)");
	rig_say(&r, "tbreak mma");
	rig_say(&r, "continue");
	const u32 busy_sm = r.d->focus.sm;
	for (u32 stop = 0; stop < 12; stop++) {
		rig_say(&r, stop % 3 ? "step 7" : "step 61");
		for (u32 k = 0; k < 3; k++) {
			const u32 sm = (busy_sm + k) % c->num_sms;
			char line[200];
			u64 mma = 0, macs = 0, busy = 0;
			snprintf(line, sizeof line, "info mma %u", sm);
			char *table = xstrdup(rig_say(&r, line));
			const char *at = strchr(strchr(table, '\n') + 1, '\n') + 1;
			for (u32 i = 0; i < c->sm_schedulers; i++, at = strchr(at, '\n') + 1) {
				struct shown_core s;
				assert_int_equal(sscanf(at, "%u %llu %llu %llu %lf%% %lf%% %u %llu", &s.core, &s.mma, &s.macs, &s.busy,
				                        &s.busy_share, &s.peak_share, &s.in_flight, &s.free_in),
				                 8);
				assert_int_equal(s.core, i);
				assert_int_equal(s.macs, s.mma * 16 * 8 * 16);
				const double cycles = (double)gpu_cycle(g);
				assert_true(fabs(s.busy_share - 100 * (double)s.busy / cycles) <= 0.051);
				assert_true(fabs(s.peak_share - 100 * (double)s.macs / c->tensor_rate_f32 / cycles) <= 0.051);
				snprintf(line, sizeof line,
				         "(function() local n = 0; for _, x in ipairs(due) do if x[1] == %u and x[2] == %u and x[3] >= "
				         "gpu.cycle then n = n + 1 end end return n end)()",
				         sm, i);
				assert_int_equal(s.in_flight, printed(&r, line));
				assert_true(s.free_in <= MAX(16u * 8 * 16 / c->tensor_rate_f32, c->tensor_interval));
				flying += s.in_flight;
				rows += s.mma > 0;
				mma += s.mma;
				macs += s.macs;
				busy += s.busy;
			}
			const struct tensor_counters *has = (const void *)gpu_counters(g, CG_tensor, sm);
			assert_int_equal(mma, has->mma);
			assert_int_equal(macs, has->macs_f16_f32);
			assert_int_equal(busy, has->busy);
			if (mma) { /* the row of the only shape */
				char want[200];
				snprintf(want, sizeof want, "m16n8k16             f16 x f16 + f32     %12llu  %14llu  %12llu",
				         (unsigned long long)mma, (unsigned long long)macs, (unsigned long long)busy);
				if (!strstr(at, want))
					fail_msg("'%s' expected in:\n%s", want, at);
			}
			free(table);
		}
	}
	assert_true(flying > 10 && rows > 20); /* something was looked at */
	rig_close(&r);
}

static void it_is_the_same_after_going_back(void **state)
{
	struct rig r;
	open_on(&r, "a100");
	rig_say(&r, "tbreak mma");
	rig_say(&r, "continue");
	rig_say(&r, "step 100");
	const u64 cycle = gpu_cycle(dbg_gpu(r.d));
	char line[60], info[40];
	snprintf(info, sizeof info, "info mma %u", r.d->focus.sm);
	char *early = xstrdup(rig_say(&r, info));
	assert_non_null(strstr(early, "m16n8k16"));
	rig_say(&r, "step 200");
	char *late = xstrdup(rig_say(&r, info));
	assert_string_not_equal(early, late);
	snprintf(line, sizeof line, "goto %llu", (unsigned long long)cycle);
	rig_say(&r, line);
	assert_string_equal(rig_say(&r, info), early);
	rig_say(&r, "step 200");
	assert_string_equal(rig_say(&r, info), late);
	free(early);
	free(late);
	rig_close(&r);
}

static void machines_without(void **state)
{
	struct rig r;
	char *argv[] = {"warpdbg", "debug", "vecadd", "--size", "small", NULL};
	rig_open(&r, argv);
	rig_has(&r, "info mma", "This machine's SMs have no tensor units (sm.tensor_units).");
	rig_fails(&r, "info mma 99", "99");
	rig_close(&r);
}

/* --- the SM view ------------------------------------------------------------------------------------------------------ */

static void row_of_the_view(struct rig *r, int w, int h)
{
	char file[] = "/tmp/wd-mma-XXXXXX.txt", mark[8];
	struct strbuf text = STRBUF_INIT;
	struct gpu *g = dbg_gpu(r->d);
	const int fd = mkstemps(file, 4);
	assert_true(fd >= 0);
	close(fd);
	assert_true(screen_picture(r->d, file, screen_find_view("sm"), w, h, &r->e));
	assert_true(strbuf_read_file(&text, file, &r->e));
	const char *at = strstr(strbuf_str(&text), "\n tensor    ");
	if (!at)
		fail_msg("no row of tensor units in:\n%s", strbuf_str(&text));
	at += strlen("\n tensor    ");
	for (u32 i = 0; i < gpu_conf(g)->sm_schedulers; i++) {
		struct tensor_view t;
		unsigned core;
		double share;
		int n;
		gpu_tensor(g, r->d->focus.sm, i, &t);
		assert_int_equal(sscanf(at, "%u %7s %lf%%%n", &core, mark, &share, &n), 3);
		at += n;
		assert_int_equal(core, i);
		assert_string_equal(mark, t.taken ? "■" : "·");
		assert_true(fabs(share - 100 * (double)t.has->busy / (double)gpu_cycle(g)) <= 0.051);
		if (w >= 300) {
			unsigned in_flight, ready;
			assert_int_equal(sscanf(at, " %u in flight %u ready%n", &in_flight, &ready, &n), 2);
			assert_int_equal(in_flight, t.in_flight);
			assert_int_equal(ready, bit_count(t.ready));
			at += n;
		}
	}
	strbuf_release(&text);
	unlink(file);
}

static void the_view_is_the_counters(void **state)
{
	struct rig r;
	u32 taken = 0;
	open_on(&r, "a100");
	rig_say(&r, "tbreak mma");
	rig_say(&r, "continue");
	for (u32 stop = 0; stop < 8; stop++) {
		struct tensor_view t;
		gpu_tensor(dbg_gpu(r.d), r.d->focus.sm, stop % 4, &t);
		taken += t.taken;
		row_of_the_view(&r, 300, 60);
		row_of_the_view(&r, 200, 60);
		row_of_the_view(&r, 80, 30);
		rig_say(&r, "step 13");
	}
	assert_true(taken > 0);
	rig_close(&r);
}

/* --- breakpoints -------------------------------------------------------------------------------------------------------- */

static void breakpoints_at_mma(void **state)
{
	struct rig r;
	open_on(&r, "a100");
	rig_say(&r, "break mma types=bf16");
	rig_say(&r, "break mma types=f16_f32 if e.macs == 2048");
	rig_has(&r, "continue", "types f16_f32, macs 2048, interval 8, latency 25");
	rig_has(&r, "info breakpoints", "1 hit\n");
	assert_true(printed(&r, "gpu.tensor.mma") >= 1);
	rig_fails(&r, "break mma types=f17", "one of f16, f16_f32, bf16");
	rig_close(&r);
}

/* --- reports, energy ---------------------------------------------------------------------------------------------------- */

/* Peaks are published: A100 white paper, table 1 (dense); GA102 white paper, table 2 (RTX 3080, with its boost clock).
 */
static void peaks_are_those_published(void **state)
{
	static const struct {
		char *gpu;
		double peak[TC_COUNT];
	} published[] = {{"a100", {312, 312, 312, 156, 19.5, 0, 624, 1248, 4992}},
	                 {"rtx3080", {119, 59.5, 59.5, 29.8, 0, 0, 238, 476, 0}}};
	for (u32 i = 0; i < ARRAY_LEN(published); i++) {
		struct rig r;
		open_on(&r, published[i].gpu);
		rig_say(&r, "continue");
		const struct run_info run = {.workload = "hgemm"};
		struct stats *s = stats_gather(dbg_gpu(r.d), &run);
		for (u32 t = 0; t < TC_COUNT; t++) {
			const struct tensor_figures f = stats_tensor(s, (enum tensor_class)t);
			if (published[i].peak[t] && fabs(f.peak_tflops / published[i].peak[t] - 1) > 0.01)
				fail_msg("%s, %s: peak %.1f, published %.1f", published[i].gpu, tensor_class_names[t], f.peak_tflops,
				         published[i].peak[t]);
			assert_int_equal(f.macs, t == TC_F16_F32 ? MACS : 0);
			if (t == TC_F16_F32)
				assert_true(fabs(f.tflops - 2e-6 * (double)MACS / s->sim_us) < 1e-9 && f.tflops < f.peak_tflops);
		}
		stats_free(s);
		rig_close(&r);
	}
}

static u64 tensor_fj(struct rig *r)
{
	struct energy e;
	energy_of_machine(dbg_gpu(r->d), &e);
	return e.part[EP_tensor].dynamic + e.part[EP_tensor].leakage;
}

/* At the process that prices are of, a multiply-add costs what its row says; and the launches have it all. */
static void energy_is_counted(void **state)
{
	struct rig r;
	char *argv[] = {"warpdbg",
	                "debug",
	                "tensor/hgemm",
	                "--param",
	                "n=64",
	                "--gpu",
	                "a100",
	                "--set",
	                "energy.node=45",
	                "--set",
	                "energy.voltage=0.9",
	                "--set",
	                "energy.calibration=1",
	                "--set",
	                "energy.mma_f16_f32=3",
	                NULL};
	rig_open(&r, argv);
	rig_say(&r, "continue");
	assert_int_equal(tensor_fj(&r), 3000 * MACS);
	assert_int_equal(printed(&r, "gpu.energy.tensor"), 3000 * MACS);
	const u32 n = gpu_num_kernels(dbg_gpu(r.d));
	struct energy *kernels = xcalloc(n, sizeof *kernels), rest;
	energy_of_kernels(dbg_gpu(r.d), kernels, &rest);
	assert_int_equal(n, 5);
	assert_int_equal(kernels[0].part[EP_tensor].dynamic, 0); /* hgemm_naive */
	for (u32 i = 1; i < n; i++)                              /* the others do the same work */
		assert_int_equal(kernels[i].part[EP_tensor].dynamic, 3000 * MACS / 4);
	assert_int_equal(rest.part[EP_tensor].dynamic, 0);
	free(kernels);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sums_are_those_of_the_kernels),   cmocka_unit_test(the_table_is_the_counters),
	    cmocka_unit_test(it_is_the_same_after_going_back), cmocka_unit_test(machines_without),
	    cmocka_unit_test(the_view_is_the_counters),        cmocka_unit_test(breakpoints_at_mma),
	    cmocka_unit_test(peaks_are_those_published),       cmocka_unit_test(energy_is_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
