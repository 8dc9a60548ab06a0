/* Speed of functional execution alone: front_issue and front_commit over a loop of f32, integer and load instructions
 * with full masks, for one warp and for a CTA of 32, at every vector level of the host. Prints million warp
 * instructions a second. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "front/front.h"
#include "front/ptx/ptx.h"
#include "front/ptx/executor/simd.h"

static const char kernel[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
    ".reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<10>; .reg .pred %p<4>;\n"
    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
    "mov.f32 %f1, 0f3f800000;\nmov.f32 %f2, 0f3f000000;\nmov.u32 %r2, 0;\n"
    "L: ld.global.f32 %f3, [%rd3];\nfma.rn.f32 %f1, %f1, %f2, %f3;\nfma.rn.f32 %f4, %f1, %f2, %f1;\n"
    "fma.rn.f32 %f5, %f4, %f2, %f1;\nadd.f32 %f1, %f4, %f5;\nmul.f32 %f1, %f1, %f2;\nadd.s32 %r2, %r2, 1;\n"
    "xor.b32 %r3, %r2, %r1;\nshl.b32 %r4, %r3, 2;\nadd.s32 %r5, %r4, %r3;\nmad.lo.s32 %r6, %r5, %r2, %r3;\n"
    "setp.lt.u32 %p1, %r2, 2000000000;\n@%p1 bra L;\nst.global.f32 [%rd3], %f1;\nst.global.u32 [%rd3], %r6;\nret;\n}\n";

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void measure(struct front *f, const struct launch *l, u32 warps, const char *level)
{
	static struct dyninst out;
	const u64 total = 8000000, setup = 8;
	front_cta_start(f, 0, 0, l, 0, 0xffffffff);
	for (u32 w = 0; w < warps; w++)
		for (u32 i = 0; i < setup; i++)
			front_issue(f, 0, w, 0, &out);
	const double start = seconds();
	for (u64 cycle = 0; cycle < total / warps; cycle++)
		for (u32 w = 0; w < warps; w++) {
			front_issue(f, 0, w, cycle, &out);
			front_commit(f, 0, NEVER);
		}
	printf("%-7s %2u warps  %.1f M warp instructions/s\n", level, warps, (double)total / (seconds() - start) * 1e-6);
}

int main(void)
{
	struct err e = {0};
	struct conf c;
	struct arena a;
	struct devmem d;
	conf_defaults(&c);
	c.num_sms = 1;
	struct front *f = NULL;
	if (arena_init(&a, front_state_bytes(&front_ptx, &c), &e) && devmem_init(&d, 64 << 20, &e))
		f = front_create(&front_ptx, &c, &a, &d, &e);
	struct module *m = ptx_load("bench.ptx", kernel, sizeof(kernel) - 1, &e);
	if (!f || !m || !front_place(f, m, &e)) {
		fprintf(stderr, "%s\n", e.msg);
		return 2;
	}
	struct launch l = {
	    .mod = m, .fn = module_func(m, "k", true), .grid = {1, 1, 1}, .block = {1024, 1, 1}, .warps = 32, .ctas = 1};
	const u64 buf = devmem_alloc(&d, 4096, "buf", &e);
	memcpy(l.params, &buf, sizeof(buf));
	for (u32 level = 0; level <= (u32)exec_best_level(); level++) {
		for (u32 i = 0; i < m->ncode; i++)
			exec_resolve_level(&m->code[i], level);
		measure(f, &l, 1, exec_level_name(level));
		measure(f, &l, 32, exec_level_name(level));
	}
	front_destroy(f);
	module_free(m);
	devmem_release(&d);
	arena_release(&a);
	return 0;
}
