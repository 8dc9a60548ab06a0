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
static const char *const machine_of_five[] = {"num_sms=1",
                                              "sm.ctas=2",
                                              "sm.threads=128",
                                              "sm.regs=5120",
                                              "lsu.replay=car",
                                              "lsu.replay_entries=30",
                                              "cta-virtual=vt",
                                              "vt.depth=8",
                                              "vt.delay=7",
                                              "vt.ending=true",
                                              NULL};

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
	rig_has(&r, "continue",
	        "SM 1, warp 0, CTA 91 of vecadd (cause stalled-cta, cycles 11, bits 5227, partner 1, slot 0)");
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

/* CTAs without a slot have their registers and shared memory: maps, holes and `info room` count them; barriers name
 * them; a warp whose CTA stands still says why. */
static void test_without_a_slot(void **state)
{
	struct sim *s = machine(machine_of_five);
	struct module *m = rig_load(s, work);
	struct err e = {0};
	struct gpu *g = sim_gpu(s);
	const u64 buf = rig_alloc(s, 1 << 18);
	u32 looked = 0, barriers = 0, waits = 0, full = 0;
	rig_launch(s, m, "k", CTAS, 64, 0, (u64[]){buf}, 1);
	while (!sim_idle(s)) {
		struct room_info o;
		u32 place[GPU_CTAS_MAX], n, used = 0;
		sim_run(s, sim_cycle(s) + 1, NULL);
		n = gpu_ctas(g, 0, place, GPU_CTAS_MAX);
		for (u32 i = 0; i < n; i++) {
			struct cta_info c;
			struct barrier_info b;
			gpu_cta_info(g, 0, place[i], &c);
			assert_true(c.used && c.is.state != CS_NONE);
			assert_int_equal(cta_state_slotless(c.is.state), place[i] >= SM_MAX_CTAS);
			used += c.reg_size;
			barriers += place[i] >= SM_MAX_CTAS && gpu_barriers(g, 0, place[i], &b, 1);
		}
		for (u32 w = 0; w < 4; w++) {
			struct warp_info i;
			gpu_warp_info(g, 0, w, &i);
			assert_true(i.state != WS_PAUSED || strstr(i.waits, "CTA swap-in until cycle "));
			waits += i.state == WS_PAUSED;
		}
		if (!gpu_room(g, 0, 0, &o))
			continue;
		assert_int_equal(o.reg.free, 5120 - used);
		assert_true(o.reg.largest <= o.reg.free && o.reg.fit <= (5120 - used) / o.regs);
		assert_true(n < 5 || o.reg.free < o.regs);
		assert_true(o.lack != ROOM_CTA_SLOTS && o.lack != ROOM_WARPS);
		full += n == 5 && o.lack == ROOM_OCCUPANCY;
		looked += n > 2;
	}
	assert_true(looked > 100 && full > 100 && barriers > 0 && waits > 0);
	if (!sim_check(s, &e))
		fail_msg("%s", e.msg);
	sim_destroy(s);
	struct rig r;
	rig_open(&r, (char *[]){"warpdbg", "debug", "vecadd", "--size", "small", "--cta-virtual", "vt", NULL});
	rig_say(&r, "until 300");
	rig_say(&r, "pause cta 1 kernel=0");
	rig_say(&r, "focus cta 1");
	rig_has(&r, "step", "CTA paused until `resume cta 1`");
	rig_close(&r);
}

/* Causes are words: in breakpoints, their completion, records, Lua and `explain`. */
static void test_causes_in_words(void **state)
{
	struct rig r;
	char line[512] = "";
	rig_open(&r, (char *[]){"warpdbg", "debug", "vecadd", "--size", "small", "--cta-virtual", "vt", NULL});
	rig_has(&r, "complete break cta-swap-out cause=", "break cta-swap-out cause=memory\n");
	rig_fails(&r, "break cta-swap-out cause=magic",
	          "cause=magic: one of memory, barrier, ending or a number is expected");
	rig_say(&r, "record start /tmp/test_vt_events.jsonl cta-swap-out");
	rig_say(&r, "lua dbg.on('cta-swap-out', {cause = 'memory'}, function(e) n = (n or 0) + 1 w = e.cause_name end)");
	rig_say(&r, "tbreak cta-swap-in if e.cause_name == 'stalled-cta'");
	rig_has(&r, "continue", "(cause stalled-cta, ");
	rig_say(&r, "record stop");
	rig_has(&r, "lua print(n > 0, w)", "true\tmemory\n");
	FILE *f = fopen("/tmp/test_vt_events.jsonl", "r");
	assert_true(f && fgets(line, sizeof line, f) && strstr(line, "\"cause\":0,") &&
	            strstr(line, "\"cause_name\":\"memory\""));
	fclose(f);
	remove("/tmp/test_vt_events.jsonl");
	rig_has(&r, "explain cta-swap-out.cause", "values: memory (0), barrier (1), ending (2)");
	rig_has(&r, "explain latency_us", "preempt-done.latency_us  (event argument)");
	rig_close(&r);
}

/* A filter by word lets those through that have its number, and no others: counted in Lua without a filter, in
 * breakpoints by hand and in the records, whose words and numbers agree. */
static void test_filters_by_word(void **state)
{
	struct rig r;
	char line[512], counts[64];
	u32 seen[3] = {0};
	rig_open(&r, (char *[]){"warpdbg", "debug", "vecadd", "--size", "small", "--cta-virtual", "vt", "--set",
	                        "vt.ending=true", NULL});
	rig_say(&r, "lua all, by, bad = {[0]=0, 0, 0}, {memory=0, barrier=0, ending=0}, 0");
	rig_say(&r, "lua dbg.on('cta-swap-out', function(e) all[e.cause] = all[e.cause] + 1 end)");
	rig_say(&r, "lua for w in pairs(by) do dbg.on('cta-swap-out', {cause = w}, function(e) by[w] = by[w] + 1 "
	            "bad = bad + (e.cause_name == w and 0 or 1) end) end");
	rig_say(&r, "record start /tmp/test_vt_events.jsonl cta-swap-out");
	rig_say(&r, "break cta-swap-out cause=ending");
	for (u32 i = 0; i < 3; i++)
		rig_has(&r, "continue", "(cause ending, ");
	/* It has stopped at the first of them, each time: the cycle's are counted by its end. */
	rig_has(&r, "lua print(all[2] >= 3, by.ending == all[2], by.memory == all[0])", "true\ttrue\ttrue\n");
	rig_say(&r, "delete");
	rig_say(&r, "break cta-swap-out cause=barrier"); /* the kernel has none */
	rig_has(&r, "continue", "The program has finished");
	rig_say(&r, "record stop");
	rig_has(&r, "lua print(all[0] > 10, all[2] > 10, all[1], bad)", "true\ttrue\t0\t0\n");
	rig_has(&r, "lua print(by.memory == all[0], by.barrier == all[1], by.ending == all[2])", "true\ttrue\ttrue\n");
	FILE *f = fopen("/tmp/test_vt_events.jsonl", "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		static const char *const words[] = {"\"cause_name\":\"memory\"", "\"cause_name\":\"barrier\"",
		                                    "\"cause_name\":\"ending\""};
		const char *at = strstr(line, "\"cause\":");
		assert_true(at && at[8] >= '0' && at[8] <= '2' && strstr(line, words[at[8] - '0']));
		seen[at[8] - '0']++;
	}
	fclose(f);
	remove("/tmp/test_vt_events.jsonl");
	snprintf(counts, sizeof counts, "%u\t%u\t%u\n", seen[0], seen[1], seen[2]);
	rig_has(&r, "lua print(all[0], all[1], all[2])", counts);
	rig_close(&r);
}

/* Every argument that counts an enumeration has a word for each of its values, and only for those. */
static void test_every_word(void **state)
{
	static const char *const counted[] = {"cause", "technique", "reason", "role", "change", "code", "policy", "asker"};
	for (u32 t = 0; t < EV_COUNT; t++)
		for (u32 a = 0; a < EVENT_ARGS; a++) {
			u32 named = 0;
			for (u64 v = 0; v < 200; v++)
				named += event_arg_name((enum event_type)t, a, v) != NULL;
			for (u32 i = 0; i < ARRAY_LEN(counted); i++)
				if (!strcmp(event_descs[t].arg[a], counted[i]) && named < 2)
					fail_msg("%s: %s has no words", event_descs[t].name, counted[i]);
			if (event_arg_words((enum event_type)t, a))
				assert_true(named >= 2 && named < EVENT_WORDS_MAX);
		}
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
	    cmocka_unit_test(test_arguments),       cmocka_unit_test(test_in_the_debugger),
	    cmocka_unit_test(test_owners_of_lines), cmocka_unit_test(test_without_a_slot),
	    cmocka_unit_test(test_causes_in_words), cmocka_unit_test(test_every_word),
	    cmocka_unit_test(test_filters_by_word),
	};
	return cmocka_run_group_tests(tests, find_files, release_files);
}
