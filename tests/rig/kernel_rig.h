/* Rig for whole kernels from PTX text: a machine of one SM without timing. A plain round-robin loop issues one
 * instruction of every warp in a cycle, commits and opens barriers. */
#ifndef TESTS_RIG_KERNEL_RIG_H
#define TESTS_RIG_KERNEL_RIG_H
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/bits.h"
#include "front/front.h"
#include "front/ptx/ptx.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define N 128 /* threads of a test CTA */

static struct rig {
	struct conf conf;
	struct arena arena;
	struct devmem mem;
	struct front *f;
	struct module *m;
	struct launch l;
	u64 cta; /* linear id of the CTA to run */
	struct strbuf text;
	u64 buf;
	u32 out[4 * N];
} r;

static bool rig_check_bounds = true, rig_check_copies = true;
static s64 rig_threads = ISA_THREADS_STACK, rig_split_turn = 10000, rig_split_tries = 8;
static bool rig_endless; /* a kernel need not come to its end */

static inline void rig_open_with(const char *ptx, const char *kernel, bool uninit, u32 frame_kb, u32 local_kb)
{
	struct err e = {0};
	memset(&r, 0, sizeof(r));
	conf_defaults(&r.conf);
	r.conf.num_sms = 1;
	r.conf.sm_schedulers = N / 32; /* every warp issues in every cycle */
	r.conf.check_uninit = uninit;
	r.conf.check_bounds = rig_check_bounds;
	r.conf.check_copies = rig_check_copies;
	r.conf.front_frame_kb = frame_kb;
	r.conf.isa_threads = rig_threads;
	r.conf.isa_split_turn = rig_split_turn;
	r.conf.isa_split_tries = rig_split_tries;
	r.conf.front_local_kb = local_kb;
	if (!devmem_init(&r.mem, 64 << 20, &e) || !arena_init(&r.arena, front_state_bytes(&front_ptx, &r.conf), &e))
		fail_msg("%s", e.msg);
	r.f = front_create(&front_ptx, &r.conf, &r.arena, &r.mem, &e);
	r.m = ptx_load("test.ptx", ptx, strlen(ptx), &e);
	if (!r.f || !r.m || !front_place(r.f, r.m, &e))
		fail_msg("%s", e.msg);
	r.buf = devmem_alloc(&r.mem, sizeof(r.out), "buf", &e);
	r.l = (struct launch){.mod = r.m,
	                      .fn = module_func(r.m, kernel, true),
	                      .grid = {1, 1, 1},
	                      .block = {N, 1, 1},
	                      .warps = N / 32,
	                      .ctas = 1};
	assert_non_null(r.l.fn);
	r.l.shared_bytes = r.l.fn->shared_bytes;
	memcpy(r.l.params, &r.buf, 8);
}
static inline void rig_open_kernel(const char *ptx, const char *kernel, bool uninit)
{
	rig_open_with(ptx, kernel, uninit, 32, 512);
}
static inline void rig_open(const char *ptx, bool uninit)
{
	rig_open_kernel(ptx, "k", uninit);
}
static inline void rig_close(void)
{
	front_destroy(r.f);
	module_free(r.m);
	devmem_release(&r.mem);
	arena_release(&r.arena);
	strbuf_release(&r.text);
}

/* Runs the CTA to its end, a fault or a standstill; number of warp instructions. */
static inline u64 rig_run(void)
{
	static struct dyninst d;
	struct err e = {0};
	u64 waiting[16] = {0}, done = 0, n = 0, all = bit_range(r.l.warps);
	if (!front_check_launch(r.f, &r.l, &e))
		fail_msg("%s", e.msg);
	front_cta_start(r.f, 0, 0, &r.l, r.cta, all);
	for (u64 cycle = 0; done != all && n < 2000000; cycle++) {
		u64 blocked = done;
		for (u32 b = 0; b < 16; b++)
			blocked |= waiting[b];
		if (blocked == all)
			break;
		FOR_EACH_BIT(w, all & ~blocked)
		{
			const u32 pc = front_pc(r.f, 0, (u32)w);
			front_issue(r.f, 0, (u32)w, cycle, &d);
			n++;
			assert_int_equal(d.pc, pc);
			assert_int_equal(d.next_pc, front_pc(r.f, 0, (u32)w));
			if (d.flags & DYN_FAULT)
				return n;
			if (d.flags & DYN_WARP_DONE)
				done |= 1ull << w;
			if (d.flags & DYN_BAR_WAIT)
				waiting[d.bar_id] |= 1ull << w;
		}
		front_commit(r.f, 0, NEVER);
		for (u32 b = 0; b < 16; b++)
			if (waiting[b] && (waiting[b] | done) == all) {
				front_barrier_release(r.f, 0, 0, b, waiting[b]);
				waiting[b] = 0;
			}
	}
	assert_true(done == all || (rig_endless && n >= 2000000)); /* else it stands still */
	assert_true(devmem_read(&r.mem, r.buf, r.out, sizeof(r.out), &e));
	return n;
}
static inline const char *fault_text(enum fault_code want)
{
	const struct fault *x = front_fault(r.f);
	strbuf_clear(&r.text);
	front_fault_text(r.f, x, &r.l, &r.text);
	if (x->code != want)
		fail_msg("fault %d instead of %d: %s", x->code, want, strbuf_str(&r.text));
	return strbuf_str(&r.text);
}
static inline void expect_words(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("'%s' is not in: %s", words, text);
}

/* Kernel k(buf): every thread computes %r9 from %tid in %r1 and stores it at buf[tid]; %rd3 = &buf[tid]. */
#define BEGIN                                                                                                          \
	".visible .entry k(.param .u64 buf, .param .u64 p2)\n{\n"                                                          \
	".reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .pred %p<8>; .reg .f32 %f<20>;\n"                                       \
	"ld.param.u64 %rd1, [buf];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"                                    \
	"add.s64 %rd3, %rd1, %rd2;\nmov.u32 %r9, 0;\n"
#define END "st.global.u32 [%rd3], %r9;\nret;\n}\n"
#endif
