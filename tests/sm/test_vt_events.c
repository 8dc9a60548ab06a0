/* Virtual threads as their events tell them: every argument of cta-swap-out, cta-swap-in and vt-ready, worked out again
 * from the events before it and from the machine between two cycles; how they read, and that breakpoints, callbacks and
 * records find them by each argument. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "session/session.h"
#include "sim_internal.h"
#include "sm/virtual.h"
#include "tests/rig/catalog_rig.h"
#include "tests/rig/debug_rig.h"
#include "tests/rig/sm_rig.h"

/* The first warp of a CTA loads, the others wait for it at a barrier; they store, and some have exited before. */
static const char work[] = PTX_HEAD
    ".visible .entry k(.param .u64 p0)\n{\n.reg .b32 %r<12>; .reg .b64 %a<6>; .reg .pred %p<3>; .shared .b32 sh[32];\n"
    "ld.param.u64 %a1, [p0]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
    "mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 4, %a1; and.b32 %r8, %r1, 31; shl.b32 %r8, %r8, 2;\n"
    "ld.global.u32 %r5, [%a2]; add.u32 %r5, %r5, %r4; st.global.u32 [%a2], %r5;\n"
    "mov.u32 %r9, sh; add.u32 %r9, %r9, %r8; setp.ge.u32 %p1, %r1, 32; @%p1 bra J;\n"
    "ld.global.u32 %r6, [%a2+32768]; add.u32 %r6, %r6, %r1; st.shared.u32 [%r9], %r6;\n"
    "J: bar.sync 0; ld.shared.u32 %r7, [%r9]; st.global.u32 [%a2+65536], %r7; ret;\n}\n";

#define CTAS 40
/* One SM with two CTA slots and room for five CTAs of two warps. */
static const char *const machine_of_five[] = {"num_sms=1",      "sm.ctas=2",
                                              "sm.threads=128", "sm.regs=5120",
                                              "lsu.replay=car", "lsu.replay_entries=30",
                                              "cta-virtual=vt", "vt.depth=8",
                                              "vt.delay=7",     NULL};

/* Since when a CTA has been what it is, as the events before tell; NEVER: it is not. */
struct told {
	u64 left[CTAS], ready[CTAS], taken[CTAS]; /* cycle of its last swap-out, vt-ready, of its way back */
	s32 slot[CTAS];                           /* -1: none */
};

/* CTAs that became ready before this one, in the log's order, and have not been given slots: those that were taken in
 * this very cycle may or may not count, since a swap without a leaving CTA is told when it is over. */
static bool so_many_ready(const struct rig_log *l, u32 at, u64 said)
{
	u32 least = 0, most = 0;
	for (u32 i = 0; i < at; i++) {
		const struct event *r = &l->e[i];
		bool taken = false, now = false;
		if (r->type != EV_VT_READY)
			continue;
		for (u32 k = i + 1; k < l->n && !taken; k++) {
			const struct event *e = &l->e[k];
			const bool out = e->type == EV_CTA_SWAP_OUT && e->arg[3] == (u64)r->cta;
			const bool in = e->type == EV_CTA_SWAP_IN && e->cta == r->cta && !e->arg[0];
			const u64 when = e->cycle - (in ? e->arg[1] : 0);
			if (!out && !in)
				continue;
			now = when == l->e[at].cycle && k > at;
			taken = when < l->e[at].cycle || (when == l->e[at].cycle && k < at);
			break;
		}
		most += !taken;
		least += !taken && !now;
	}
	return said >= least && said <= most;
}

static void swap_out(const struct sim *s, struct told *t, const struct event *e, u32 cycles, u32 bits)
{
	const bool exited = e->arg[0] == 2;
	assert_int_equal(e->arg[4], t->slot[e->cta]);
	assert_int_equal(e->arg[2], exited ? 0 : bits);
	assert_true(e->arg[1] == cycles || e->arg[1] == 0); /* 0: for one that comes back to end */
	assert_in_range(e->arg[3], 0, CTAS - 1);
	assert_true(t->ready[e->arg[3]] != NEVER && t->slot[e->arg[3]] < 0);
	t->slot[e->cta] = -1;
	t->left[e->cta] = e->cycle;
	t->ready[e->cta] = NEVER;
}

static void swap_in(struct told *t, const struct event *e, const struct event *out, u32 bits)
{
	assert_true(e->arg[4] < 2);
	for (u32 i = 0; i < CTAS; i++)
		assert_true(t->slot[i] != (s32)e->arg[4]);
	assert_int_equal(e->arg[0], out != NULL);
	assert_true(e->arg[2] == bits || (e->arg[2] == 0 && e->arg[1] == 0));
	if (out) {
		assert_int_equal(e->cta, out->arg[3]);
		assert_int_equal(e->arg[3], out->cta);
		assert_int_equal(e->arg[1], out->arg[1]);
		assert_int_equal(e->cycle, out->cycle + out->arg[1]);
	}
	t->slot[e->cta] = (s32)e->arg[4];
	t->ready[e->cta] = NEVER;
}

static void test_arguments(void **state)
{
	struct sim *s = machine(machine_of_five);
	struct module *m = rig_load(s, work);
	struct err e = {0};
	struct rig_log log = {0};
	const u64 buf = rig_alloc(s, 1 << 18);
	struct launch_spec l = {.mod = m,
	                        .fn = module_func(m, "k", true),
	                        .grid = {CTAS, 1, 1},
	                        .block = {64, 1, 1},
	                        .params = (u64[]){buf},
	                        .param_bytes = 8,
	                        .regs = 16};
	sim_subscribe(s,
	              EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_DONE) | EVENT(EV_CTA_SWAP_OUT) | EVENT(EV_CTA_SWAP_IN) |
	                  EVENT(EV_VT_READY),
	              rig_record, &log);
	if (sim_launch(s, &l, &e) < 0)
		fail_msg("%s", e.msg);
	rig_finish(s);
	const u32 bits = vt_context_bits(8, 2, 8), cycles = vt_swap_cycles(bits, 512) + 7;
	struct told t;
	u64 causes[2][3] = {{0}}, swapped = 0;
	memset(&t, 0xff, sizeof t); /* NEVER, no slot */
	const struct event *out = NULL;
	for (u32 i = 0; i < log.n; i++) {
		const struct event *ev = &log.e[i];
		switch (ev->type) {
		case EV_CTA_DISPATCH:
			if (ev->arg[0] < 2)
				t.slot[ev->cta] = (s32)ev->arg[0];
			else
				t.left[ev->cta] = ev->cycle;
			break;
		case EV_CTA_DONE:
			assert_int_equal(ev->arg[0], t.slot[ev->cta]);
			t.slot[ev->cta] = -1;
			break;
		case EV_VT_READY:
			assert_int_equal(ev->arg[0], ev->cycle - t.left[ev->cta]);
			assert_true(so_many_ready(&log, i, ev->arg[1]));
			t.ready[ev->cta] = ev->cycle;
			break;
		case EV_CTA_SWAP_OUT:
			assert_null(out); /* one at a time */
			swap_out(s, &t, ev, cycles, bits);
			causes[0][ev->arg[0]]++;
			out = ev;
			break;
		default:
			swap_in(&t, ev, out, bits);
			causes[1][ev->arg[0]]++;
			swapped += ev->arg[1];
			out = NULL;
		}
	}
	for (u32 i = 0; i < 3; i++) /* there were some of all kinds */
		assert_true(causes[0][i] > 3 && (i == 2 || causes[1][i]));
	assert_int_equal(rig_counter(s, CG_sm, "vt_swaps"), causes[1][0] + causes[1][1]);
	assert_int_equal(rig_counter(s, CG_sm, "vt_swap_cycles"), swapped);
	free(log.e);
	sim_destroy(s);
}

/* In the debugger: each argument filters, in breakpoints and in Lua, and they read as what they are. */
static void test_in_the_debugger(void **state)
{
	struct rig r;
	rig_open(&r, (char *[]){"warpdbg", "debug", "vecadd", "--size", "small", "--cta-virtual", "vt", NULL});
	rig_say(&r, "tbreak cta-swap-out slot=3 sm=2");
	rig_has(&r, "continue", "cycles 11, bits 5227, partner ");
	rig_has(&r, "info ctas 2", "swap-in");
	rig_say(&r, "goto 0");
	rig_say(&r, "tbreak cta-swap-in sm=1 partner=1");
	rig_has(&r, "continue", "SM 1, warp 0, CTA 91 of vecadd (cause 1, cycles 11, bits 5227, partner 1, slot 0)");
	rig_say(&r, "tbreak vt-ready cta=1");
	rig_has(&r, "continue", ", ready 0)"); /* how many, not a mask of them */
	rig_say(&r, "goto 0");
	rig_has(
	    &r,
	    "lua n = 0 dbg.on('cta-swap-out', {slot = 5}, function(e) n = n + (e.slot == 5 and e.bits >= 0 and 1 or 99) end)"
	    " dbg.on('vt-ready', {ready = 0}, function(e) m = (m or 0) + 1 end) dbg.continue() print(n > 5 and n % 99 == n, m > 5)",
	    "true\ttrue");
	rig_close(&r);
}

/* Warps that change places take with them whose lines they bring in: an evicted line's owner is the CTA that missed. */
static void test_owners_of_lines(void **state)
{
	struct rig r;
	rig_open(&r, (char *[]){"warpdbg", "debug", "vecadd", "--size", "small", "--cta-virtual", "vt", NULL});
	rig_has(
	    &r,
	    "lua n, bad, who = 0, 0, {} dbg.on('l1-miss', function(e) who[e.sm .. ':' .. e.addr] = e.cta end)"
	    " dbg.on('l1-evict', function(e) n = n + 1 bad = bad + (who[e.sm .. ':' .. e.addr] == e.owner_cta and 0 or 1) end)"
	    " dbg.continue() print(n > 1000, bad)",
	    "true\t0\n");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_arguments),
	    cmocka_unit_test(test_in_the_debugger),
	    cmocka_unit_test(test_owners_of_lines),
	};
	return cmocka_run_group_tests(tests, find_files, release_files);
}
