/* The roofline: operations and bytes against closed forms, peaks against data sheets, columns over time against the
 * whole, scopes, and the same from whichever side one comes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dbg/roofs.h"
#include "tests/rig/debug_rig.h"

static struct roofline read_it(struct rig *r)
{
	struct roofline x;
	assert_true(roofline_read(dbg_gpu(r->d), &x));
	return x;
}

static void near(double got, double want, double share)
{
	if (fabs(got - want) > share * fabs(want))
		fail_msg("%g is not %g", got, want);
}

/* n adds; two words read and one written for each. */
static void vector_add(void **state)
{
	static const char *const gpus[] = {"gtx480", "v100", "a100"};
	for (u32 i = 0; i < ARRAY_LEN(gpus); i++) {
		struct rig r;
		char words[300];
		snprintf(
		    words, sizeof words,
		    "configs/kernels/vecadd.ptx --kernel vecadd --grid 64 --block 256 --arg f32[16384]=iota --arg f32[16384]=1 "
		    "--arg f32[16384]=zero --arg u32=16384 --gpu %s",
		    gpus[i]);
		rig_words(&r, words);
		rig_has(&r, "info roofline", "No cycle has passed yet");
		rig_say(&r, "continue");
		const struct roofline x = read_it(&r);
		assert_true(x.ops[ROOF_F32] == 16384 && x.ops[ROOF_F64] == 0 && x.ops[ROOF_TENSOR] == 0);
		assert_true(x.bytes[ROOF_L1] == 3 * 4 * 16384);
		near(x.bytes[ROOF_L2], 3 * 4 * 16384, .05); /* instructions and parameters besides */
		assert_int_equal(roofline_main(&x), ROOF_F32);
		near(roofline_intensity(&x, ROOF_F32, ROOF_L1), 1. / 12, 1e-9);
		rig_close(&r);
	}
}

/* GTX 480: 1,345 GFLOP/s, 177 GB/s (of f64 the chip has 168, the machine half of it, with GPGPU-Sim's interval of 8);
 * V100: 14.1 and 7.07 TFLOP/s, 113 TFLOP/s of tensor units at 1.38 GHz, 898 GB/s; A100: 19.5, 9.7, 312 and
 * 1,555; RTX 3070: 20.3 TFLOP/s, half of them by units that do integers as well, 1/64 of f64, 448 GB/s. */
static void data_sheets(void **state)
{
	static const struct {
		const char *gpu; /* and settings */
		double f32, f64, tensor, dram;
	} sheet[] = {{"gtx480", 1345, 84, 0, 177.4},
	             {"gtx480 --set sm.sp_units=8", 1345, 84, 0, 177.4}, /* two schedulers cannot feed them */
	             {"v100", 14131, 7066, 113049, 898},
	             {"a100", 19492, 9746, 311869, 1555},
	             {"rtx3070", 20314, 317, 0, 448}};
	for (u32 i = 0; i < ARRAY_LEN(sheet); i++) {
		struct rig r;
		char words[100];
		snprintf(words, sizeof words, "vecadd --size small --gpu %s", sheet[i].gpu);
		rig_words(&r, words);
		rig_say(&r, "step 2000");
		const struct roofline x = read_it(&r);
		const double giga = x.clock / 1e3;
		near(x.peak[ROOF_F32] * giga, sheet[i].f32, .01);
		near(x.peak[ROOF_F64] * giga, sheet[i].f64, .01);
		if (sheet[i].tensor)
			near(x.peak[ROOF_TENSOR] * giga, sheet[i].tensor, .01);
		near(x.width[ROOF_DRAM] * giga, sheet[i].dram, .01);
		rig_close(&r);
	}
}

/* m x n x k of the matrix product; each has two operations. */
static void products(void **state)
{
	struct rig r;
	rig_words(&r, "tensor/hgemm --gpu a100 --size small");
	rig_say(&r, "continue");
	const struct roofline x = read_it(&r);
	double macs = 0;
	for (u32 i = 0; i < gpu_counter_instances(dbg_gpu(r.d), CG_tensor); i++)
		macs += (double)((const struct tensor_counters *)gpu_counters(dbg_gpu(r.d), CG_tensor, i))->macs_f16_f32;
	assert_true(macs > 0 && x.ops[ROOF_TENSOR] == 2 * macs);
	rig_close(&r);
	rig_words(&r, "matmul --size small"); /* 96 x 96 x 96 fused multiply-adds */
	rig_say(&r, "continue");
	assert_true(read_it(&r).ops[ROOF_F32] == 2. * 96 * 96 * 96);
	rig_close(&r);
}

static void same(const struct roofline *a, const struct roofline *b)
{
	assert_true(a->cycles == b->cycles && a->warp_cycles == b->warp_cycles);
	for (u32 w = 0; w < ROOF_WORKS; w++)
		assert_true(a->ops[w] == b->ops[w]);
	for (u32 l = 0; l < ROOF_LEVELS; l++)
		assert_true(a->bytes[l] == b->bytes[l]);
}

static struct roofline sum_of(const struct roofs *k)
{
	struct roofline s = {0};
	for (u32 i = 0; i < k->n; i++) {
		s.cycles += k->column[i].cycles;
		s.warp_cycles += k->column[i].warp_cycles;
		for (u32 w = 0; w < ROOF_WORKS; w++)
			s.ops[w] += k->column[i].ops[w];
		for (u32 l = 0; l < ROOF_LEVELS; l++)
			s.bytes[l] += k->column[i].bytes[l];
	}
	return s;
}

/* The columns are all of the part, also of a scope and in the past; the machine stays what it was. */
static void over_time(void **state)
{
	static const char *const runs[] = {"matmul --size small", "kmeans --size small --gpu v100",
	                                   "spmv --size small --cta-virtual vt", "tensor/hgemm --size small --gpu a100"};
	for (u32 i = 0; i < ARRAY_LEN(runs); i++) {
		struct rig r;
		struct err e = {0};
		rig_words(&r, runs[i]);
		rig_say(&r, "until 7001");
		const u64 hash = sim_hash(r.s->sim);
		const struct roofline there = read_it(&r);
		const struct roofs *k = roofs_get(r.d, &e);
		assert_non_null(k);
		struct roofline all = sum_of(k);
		same(&all, &there);
		assert_true(k->n > 20 && k->column[k->n - 1].cycles <= (double)k->width);
		assert_true(sim_hash(r.s->sim) == hash);
		rig_say(&r, "scope 1500 4100");
		assert_null(roofs_known(r.d));
		const struct roofline part = read_it(&r);
		k = roofs_get(r.d, &e);
		assert_non_null(k);
		all = sum_of(k);
		same(&all, &part);
		assert_true(part.ops[ROOF_ISSUE] < there.ops[ROOF_ISSUE] && part.cycles == 2600);
		rig_say(&r, "scope off");
		rig_try(&r, "step 2000");
		rig_say(&r, "goto 7001");
		const struct roofline again = read_it(&r);
		same(&again, &there);
		rig_close(&r);
	}
}

static void told(void **state)
{
	struct rig r;
	rig_words(&r, "matmul --size small");
	rig_say(&r, "continue");
	rig_has(&r, "info roofline", "L1 and shared");
	rig_has(&r, "info roofline", "of its lowest ceiling");
	rig_fails(&r, "info roofline 3", "info roofline");
	rig_has(&r, "explain roofline", "arithmetic intensity");
	rig_has(&r,
	        "lua local r = dbg.roofline(true) local n = 0 for _, c in ipairs(r.columns) do n = n + c.ops.f32 end "
	        "print(n == r.ops.f32 and n > 0 and 'closes')",
	        "closes");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vector_add), cmocka_unit_test(data_sheets), cmocka_unit_test(products),
	    cmocka_unit_test(over_time),  cmocka_unit_test(told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
