/* Virtual threads (Yoon 2016): equations 1 and 2; the limits and which binds; the paper's figure 5, two active CTAs of
 * four, with every swap at its cycle; workloads with the same result under every policy of the kind; resources given
 * back after random launches; late answers; going back over swaps. The laws of sm/virtual.h (vt_check_state) are looked
 * at throughout. VT=full in the environment: every workload under every warp scheduler. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "commands/commands.h"
#include "session/session.h"
#include "sim_internal.h"
#include "sm/replay.h"
#include "sm/restartable.h"
#include "sm/verbs.h"
#include "sm/virtual.h"
#include "tests/rig/catalog_rig.h"
#include "tests/rig/debug_rig.h"
#include "tests/rig/rounds.h"
#include "tests/rig/sm_rig.h"

/* --- equations ---------------------------------------------------------------------------------------------------- */

static void test_equations(void **state)
{
	static const struct {
		u32 n, w, d, b, bits, cycles;
	} rows[] = {
	    {8, 8, 4, 512, 5227, 11},   {8, 8, 4, 256, 5227, 21}, {8, 8, 4, 1024, 5227, 6},   {8, 8, 4, 0, 5227, 0},
	    {8, 32, 4, 512, 20589, 41}, {8, 1, 4, 512, 744, 2},   {8, 8, 8, 512, 10347, 21},  {8, 8, 16, 512, 20587, 41},
	    {6, 4, 1, 512, 744, 2},     {8, 6, 4, 512, 3947, 8},  {8, 16, 4, 512, 10348, 21}, {5, 2, 2, 738, 742, 2},
	};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		assert_int_equal(vt_context_bits(rows[i].n, rows[i].w, rows[i].d), rows[i].bits);
		assert_int_equal(vt_swap_cycles(rows[i].bits, rows[i].b), rows[i].cycles);
	}
	assert_int_equal(vt_swap_cycles(1024, 512), 2); /* exact */
	assert_int_equal(vt_swap_cycles(1025, 512), 3);
}

/* --- limits ------------------------------------------------------------------------------------------------------- */

static struct sm_limits limits_of(u32 threads, u32 regs, u32 shared, const char *const *sets)
{
	struct conf c;
	struct err e = {0};
	struct func fn = {.regs = regs};
	struct launch l = {.fn = &fn,
	                   .regs = regs,
	                   .warps = (u32)ceil_div(threads, 32),
	                   .shared_bytes = shared,
	                   .block = {threads, 1, 1},
	                   .grid = {1000, 1, 1},
	                   .ctas = 1000};
	struct sm_limits n;
	conf_defaults(&c);
	if (!conf_set(&c, "cta-virtual", "vt", &e))
		fail_msg("%s", e.msg);
	for (; sets && *sets; sets++)
		if (!conf_set_pair(&c, *sets, &e))
			fail_msg("%s", e.msg);
	sm_limits(&c, &l, &n);
	return n;
}

static void test_limits(void **state)
{
	/* 32768 registers, 48 KiB, 1536 threads, 8 CTAs: Table I */
	struct sm_limits n = limits_of(256, 10, 0, NULL);
	assert_string_equal(n.limiter, "registers");
	assert_int_equal(n.ctas, 12); /* 10 registers are allocated as 320 a warp */
	assert_int_equal(n.active, 6);
	assert_int_equal(n.context_bytes, 656);
	n = limits_of(256, 32, 0, NULL); /* capacity comes first: four CTAs, no contexts */
	assert_int_equal(n.ctas, 4);
	assert_int_equal(n.active, 4);
	assert_int_equal(n.context_bytes, 0);
	n = limits_of(64, 16, 4096, NULL); /* 12 by shared memory, of which contexts of 176 B take one */
	assert_int_equal(n.active, 8);
	assert_int_equal(n.ctas, 11);
	assert_string_equal(n.limiter, "context space");
	n = limits_of(64, 16, 4096, (const char *[]){"vt.depth=64", NULL});
	assert_int_equal(n.ctas, 8); /* contexts of 2576 B: no more than with slots only */
	n = limits_of(64, 16, 5000, NULL);
	assert_int_equal(n.ctas, 9);
	assert_string_equal(n.limiter, "shared memory");
	n = limits_of(256, 10, 0, (const char *[]){"vt.warps=64", NULL});
	assert_int_equal(n.ctas, 8);
	assert_string_equal(n.limiter, "virtual warps");
	n = limits_of(256, 10, 0, (const char *[]){"cta-virtual=none", NULL});
	assert_int_equal(n.ctas, 6);
	assert_string_equal(n.limiter, "threads");
	n = limits_of(32, 10, 0, (const char *[]){"cta-virtual=none", NULL});
	assert_string_equal(n.limiter, "CTAs");
	n = limits_of(256, 10, 0, (const char *[]){"max_ctas_per_sm=7", NULL});
	assert_int_equal(n.ctas, 7);
	assert_string_equal(n.limiter, "max_ctas_per_sm");
}

/* --- by hand ------------------------------------------------------------------------------------------------------ */

/* Each warp computes a little, loads, computes with that, loads again and stores. */
static const char two_loads[] =
    PTX_HEAD ".visible .entry k(.param .u64 p0)\n{\n.reg .b32 %r<12>; .reg .b64 %a<6>;\n"
             "ld.param.u64 %a1, [p0]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
             "mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 4, %a1;\n"
             "ld.global.u32 %r5, [%a2]; mad.lo.u32 %r6, %r5, 3, %r1; mad.lo.u32 %r6, %r6, 5, %r2;\n"
             "and.b32 %r7, %r6, 1023; mad.wide.u32 %a3, %r7, 4, %a1; ld.global.u32 %r8, [%a3+65536];\n"
             "add.u32 %r9, %r8, %r6; st.global.u32 [%a2], %r9; ret;\n}\n";

struct told {
	struct event e[256];
	u32 n;
};
static bool tell(void *ctx, const struct event *e)
{
	struct told *t = ctx;
	if (t->n < ARRAY_LEN(t->e))
		t->e[t->n++] = *e;
	return false;
}

/* One SM with two CTA slots and room for four CTAs of two warps: registers 4 x 2 x 32 x 16. */
static const char *const figure5[] = {
    "num_sms=1",      "sm.ctas=2", "sm.threads=128", "sm.regs=4096", "lsu.replay=car", "lsu.replay_entries=30",
    "cta-virtual=vt", NULL};

static struct sim *start_kernel(const char *const *sets, const char *ptx, struct told *t, u64 *buf, u32 ctas)
{
	struct sim *s = machine(sets);
	struct module *m = rig_load(s, ptx);
	*buf = rig_alloc(s, 1 << 18);
	sim_subscribe(s, EVENT(EV_CTA_SWAP_OUT) | EVENT(EV_CTA_SWAP_IN) | EVENT(EV_VT_READY) | EVENT(EV_CTA_DONE), tell, t);
	struct err e = {0};
	struct launch_spec l = {.mod = m,
	                        .fn = module_func(m, "k", true),
	                        .grid = {ctas, 1, 1},
	                        .block = {64, 1, 1},
	                        .params = (u64[]){*buf},
	                        .param_bytes = 8,
	                        .regs = 16};
	if (sim_launch(s, &l, &e) < 0)
		fail_msg("%s", e.msg);
	return s;
}

static void laws(struct sim *s, const char *when)
{
	struct err e = {0};
	if (!sim_check(s, &e))
		fail_msg("%s, cycle %llu: %s", when, (unsigned long long)sim_cycle(s), e.msg);
}

/* What was loaded was zero. */
static u32 expected(u32 t, u32 cta)
{
	return t * 5 + cta;
}

/* Since which cycle each CTA of SM 0 in a slot has had no warp that does not wait for memory; NEVER: it has one. */
static void look_for_stalls(struct sim *s, u64 since[4])
{
	const struct sm *m = sim_gpu(s)->sm[0];
	for (u32 id = 0; id < 4; id++) {
		bool stalled = false;
		for (u32 i = 0; i < 2; i++) {
			const struct cta *c = &m->cta[i];
			const u64 left = c->warps & ~c->exited;
			stalled |= c->used && c->id == id && left && (m->in[WS_MEM] & left) == left;
		}
		since[id] = !stalled ? NEVER : MIN(since[id], sim_cycle(s));
	}
}

/* Figure 5 (b): CTAs 0 and 1 are active, 2 and 3 inactive and ready. Both of the first stall, and give their slots to
 * 2 and 3 in that order; those stall, and 0 and 1 are back when their loads have come. Each swap begins in the cycle in
 * which one is stalled, another ready, and the swap before over. */
static void test_figure5(void **state)
{
	struct told t = {0};
	u64 stalled[256][4], since[4] = {NEVER, NEVER, NEVER, NEVER}; /* by event: as its cycle began */
	u64 buf;
	struct sim *s = start_kernel(figure5, two_loads, &t, &buf, 4);
	while (!sim_gpu(s)->sm[0]->used)
		sim_run(s, sim_cycle(s) + 1, NULL);
	struct vt *v = sim_gpu(s)->ctx[0].vt;
	while (sim_gpu(s)->task->dispatcher.n) {
		laws(s, "figure 5");
		assert_true(sim_gpu(s)->sm[0]->nctas <= 2);
		look_for_stalls(s, since);
		const u32 told = t.n;
		const bool goes_on = sim_run(s, sim_cycle(s) + 1, NULL) == STOP_CYCLE;
		for (u32 i = told; i < t.n; i++)
			memcpy(stalled[i], since, sizeof since);
		if (!goes_on)
			break;
	}
	rig_finish(s);
	static const u32 out[] = {0, 1, 2, 3}, in[] = {2, 3, 0, 1};
	u32 outs = 0, ins = 0, ready = 0;
	u64 began = 0, over = 0, ready_at[4] = {0};
	for (u32 i = 0; i < t.n; i++) {
		const struct event *e = &t.e[i];
		if (e->type == EV_CTA_SWAP_OUT && outs < 4) {
			assert_int_equal(e->cta, out[outs]);
			assert_int_equal(e->arg[3], in[outs]);
			assert_int_equal(e->arg[0], 0);
			assert_int_equal(e->arg[1], 3); /* 8 + 1 + 96 + 160 x 4 x 2 = 1385 bits at 512 */
			assert_int_equal(e->arg[2], 1385);
			began = e->cycle;
			assert_int_equal(began, MAX(MAX(stalled[i][e->cta], ready_at[e->arg[3]]), over));
			outs++;
		} else if (e->type == EV_CTA_SWAP_IN && ins < 4) {
			assert_int_equal(e->cta, in[ins]);
			assert_int_equal(e->cycle, began + 3);
			assert_int_equal(outs, ins + 1); /* one at a time */
			over = e->cycle;
			ins++;
		} else if (e->type == EV_VT_READY) {
			ready_at[e->cta] = e->cycle;
			ready++;
		}
	}
	assert_int_equal(outs, 4);
	assert_int_equal(ins, 4);
	assert_true(ready >= 4); /* 2 and 3 when new, 0 and 1 when their loads came */
	assert_int_equal(v->inactive, 0);
	for (u32 i = 0; i < 4 * 64; i++)
		assert_int_equal(rig_u32(s, buf + 4 * i), expected(i % 64, i / 64));
	sim_destroy(s);
}

/* The first swap is at the cycle in which the second warp of CTA 0 stalls, whatever a swap takes; what it takes is
 * added. */
static void test_delay(void **state)
{
	static const char *const more[][2] = {
	    {"vt.bandwidth=0", "0"}, {"vt.bandwidth=256", "6"}, {"vt.bandwidth=1024", "2"}, {"vt.delay=100", "103"}};
	u64 first = 0;
	for (u32 k = 0; k < ARRAY_LEN(more); k++) {
		const char *sets[9];
		struct told t = {0};
		u64 buf;
		memcpy(sets, figure5, sizeof figure5);
		sets[7] = more[k][0];
		sets[8] = NULL;
		struct sim *s = start_kernel(sets, two_loads, &t, &buf, 4);
		rig_finish(s);
		u32 at = 0;
		while (t.e[at].type != EV_CTA_SWAP_OUT)
			at++;
		const u64 out = t.e[at].cycle;
		first = first ? first : out;
		assert_int_equal(out, first);
		while (t.e[at].type != EV_CTA_SWAP_IN)
			at++;
		assert_int_equal(t.e[at].cycle - out, strtoul(more[k][1], NULL, 10));
		sim_destroy(s);
	}
}

/* The SM's tables once all is done. */
static void given_back(const struct sim *s)
{
	const struct gpu *g = sim_gpu((struct sim *)s);
	for (u32 i = 0; i < g->conf.num_sms; i++) {
		const struct sm *m = g->sm[i];
		const struct vt *v = g->ctx[i].vt;
		u64 away = 0;
		for (u32 k = 0; k < SM_AWAY_WORDS; k++)
			away |= m->away[k];
		for (u32 k = 0; k < SM_CONTEXTS / 64; k++)
			away |= m->contexts[k];
		assert_int_equal(away | m->used | m->ctas_away[0] | m->ctas_away[1], 0);
		assert_int_equal(m->nctas + m->regs_used + m->shared_used + m->nloads, 0);
		if (!v)
			continue;
		assert_int_equal(v->inactive + v->ready + v->context, 0);
		assert_true(v->until == NEVER);
		assert_int_equal(v->warps[0] | v->warps[1] | v->warps[2] | v->warps[3], 0);
		for (u32 k = 0; k < VT_HOME_WORDS; k++)
			assert_int_equal(v->homes[k], 0);
	}
}

/* Warps that store and exit: nobody waits for a load. */
static const char stores[] =
    PTX_HEAD ".visible .entry k(.param .u64 p0)\n{\n.reg .b32 %r<12>; .reg .b64 %a<6>;\n"
             "ld.param.u64 %a1, [p0]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
             "mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 4, %a1; st.global.u32 [%a2], %r4; ret;\n}\n";

/* A CTA that has exited waits for its stores without slots when others are ready for them; it has no context. */
static void test_ending(void **state)
{
	u64 cycles[2];
	for (u32 k = 0; k < 2; k++) {
		const char *sets[9];
		struct told t = {0};
		u64 buf;
		u32 outs = 0, ins = 0, ended = 0;
		memcpy(sets, figure5, sizeof figure5);
		sets[7] = k ? "vt.ending=true" : NULL; /* it is off unless asked for */
		sets[8] = NULL;
		struct sim *s = start_kernel(sets, stores, &t, &buf, 12);
		while (sim_run(s, sim_cycle(s) + 1, NULL) == STOP_CYCLE)
			laws(s, "ending");
		rig_finish(s);
		given_back(s);
		for (u32 i = 0; i < t.n; i++) {
			const struct event *e = &t.e[i];
			if (e->type == EV_CTA_SWAP_OUT) {
				outs++;
				assert_int_equal(e->arg[0], 2);
				assert_int_equal(e->arg[2], 0);
			} else if (e->type == EV_CTA_SWAP_IN && !e->arg[2]) {
				ins++;
				assert_int_equal(e->arg[1], 0);
				assert_int_equal(e->cta, e[1].cta); /* ... only to end */
				assert_int_equal(e[1].type, EV_CTA_DONE);
			}
			ended += e->type == EV_CTA_DONE;
		}
		assert_int_equal(ended, 12);
		assert_int_equal(outs, ins);
		assert_true(k ? outs >= 4 : !outs);
		for (u32 i = 0; i < 12 * 64; i++)
			assert_int_equal(rig_u32(s, buf + 4 * i), i);
		cycles[k] = sim_cycle(s);
		sim_destroy(s);
	}
	assert_true(cycles[1] < cycles[0]);
}

/* However long swaps take: a CTA whose last store is acknowledged in the cycle in which the swap before is over ends in
 * its slot, and does not leave it any more. */
static void test_ends_as_a_swap_is_over(void **state)
{
	u32 met = 0;
	for (u32 delay = 100; delay < 260; delay++) {
		const char *sets[10];
		char set[32];
		struct told t = {0};
		u64 buf, until = NEVER;
		memcpy(sets, figure5, sizeof figure5);
		snprintf(set, sizeof set, "vt.delay=%u", delay);
		sets[7] = set;
		sets[8] = "vt.ending=true";
		sets[9] = NULL;
		struct sim *s = start_kernel(sets, stores, &t, &buf, 24);
		for (u32 at = 0; sim_run(s, sim_cycle(s) + 1, NULL) == STOP_CYCLE; at = t.n) {
			const struct vt *v = sim_gpu(s)->ctx[0].vt;
			for (u32 i = at; i < t.n; i++)
				met += t.e[i].type == EV_CTA_DONE && until == t.e[i].cycle && v->ready;
			if (until != NEVER && v->until != until)
				laws(s, set);
			until = v->until;
		}
		rig_finish(s);
		given_back(s);
		for (u32 i = 0; i < 24 * 64; i++)
			assert_int_equal(rig_u32(s, buf + 4 * i), i);
		sim_destroy(s);
	}
	assert_true(met);
}

/* Every lane loads a line of its own. */
static const char scattered[] =
    PTX_HEAD ".visible .entry k(.param .u64 p0)\n{\n.reg .b32 %r<12>; .reg .b64 %a<6>;\n"
             "ld.param.u64 %a1, [p0]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
             "mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 128, %a1; ld.global.u32 %r5, [%a2];\n"
             "add.u32 %r5, %r5, %r4; st.global.u32 [%a2], %r5; ret;\n}\n";

/* Each lane reads a line of its own twice, so that its CTA leaves its slot in between, and then writes: CTAs of even
 * ids what they have read, the others a part of the line that nobody reads. */
static const char halves[] =
    PTX_HEAD ".visible .entry k(.param .u64 p0)\n{\n.reg .pred %p<2>; .reg .b32 %r<12>; .reg .b64 %a<8>;\n"
             "ld.param.u64 %a1, [p0]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
             "mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 128, %a1; ld.global.u32 %r5, [%a2];\n"
             "mul.wide.u32 %a3, %r5, 4; add.u64 %a4, %a2, %a3; ld.volatile.global.u32 %r6, [%a4];\n"
             "add.u32 %r6, %r6, %r4; add.u32 %r6, %r6, 1; and.b32 %r7, %r2, 1; setp.eq.u32 %p1, %r7, 0;\n"
             "@%p1 bra SAME; add.u64 %a2, %a2, 64;\nSAME: st.global.u32 [%a2], %r6; ret;\n}\n";

/* idempotence.track: a CTA keeps its record when it leaves its slots. So it may be dropped (a flush) wherever it is in
 * its way, and begins again in its slots. */
static void test_restartable(void **state)
{
	for (u32 drops = 0; drops < 2; drops++) {
		const char *sets[10];
		struct told t = {0};
		u64 buf, seed = 11;
		u32 dropped = 0, back = 0;
		memcpy(sets, figure5, sizeof figure5);
		sets[7] = "idempotence.track=true";
		sets[8] = "vt.delay=30";
		sets[9] = NULL;
		struct sim *s = start_kernel(sets, halves, &t, &buf, 24);
		struct gpu *g = sim_gpu(s);
		while (sim_run(s, sim_cycle(s) + 1, NULL) == STOP_CYCLE) {
			for (u32 slot = 0; drops && slot < 2; slot++) {
				const struct cta *c = &g->sm[0]->cta[slot];
				const u64 id = c->id;
				if (c->used && dropped < 60 && rng_next(&seed) % 60 == 0 && gpu_drop_cta(g, 0, id, &(struct err){0})) {
					dropped++;
					back += g->ctx[0].vt->cta[slot].swaps > 0;
				}
			}
			laws(s, "restartable");
		}
		rig_finish(s);
		given_back(s);
		assert_true(drops ? dropped > 20 && back > 5
		                  : g->sm[0]->k.vt_swaps > 20); /* back: it had left its slots before */
		const struct restart_launch *l = restart_launch(g->restart, 0);
		assert_int_equal(l->ended, 24);
		assert_int_equal(l->idempotent, 12);
		assert_int_equal(l->with[RESTART_OVERWRITE], 12);
		for (u32 i = 0; i < 24 * 64; i++)
			assert_int_equal(rig_u32(s, buf + 128 * i + (i / 64 % 2 ? 64 : 0)), i + 1);
		sim_destroy(s);
	}
}

/* The load queues: no more entries of inactive CTAs than vt.inactive_entries, so that a CTA may have to stay; none of
 * them goes to the cache while an active one waits. */
static void test_load_queues(void **state)
{
	for (u32 entries = 1; entries <= 3; entries++) {
		const char *sets[12];
		char set[32];
		struct told t = {0};
		u64 buf;
		u32 most = 0, went = 0, waited = 0;
		memcpy(sets, figure5, sizeof figure5);
		snprintf(set, sizeof set, "vt.inactive_entries=%u", entries);
		sets[7] = set;
		sets[8] = "l1d.mshrs=1";
		sets[9] = "sm.regs=8192";
		sets[10] = "vt.ending=true"; /* so that all else changes places as often as it can */
		sets[11] = NULL;
		struct sim *s = start_kernel(sets, scattered, &t, &buf, 24);
		const struct sm_ctx *x = &sim_gpu(s)->ctx[0];
		struct replay was = *x->replay;
		u64 swap = x->vt->until;
		u64 swaps = 0;
		bool wants = false;
		while (sim_run(s, sim_cycle(s) + 1, NULL) == STOP_CYCLE) {
			const struct replay *r = x->replay;
			bool active = false, gone = false;
			if (sim_cycle(s) % 16 == 0)
				laws(s, "load queues");
			const bool wanted = wants && swaps == sim_gpu(s)->sm[0]->k.vt_swaps;
			wants = vt_wants(x, sim_gpu(s)->sm[0]);
			swaps = sim_gpu(s)->sm[0]->k.vt_swaps;
			assert_false(wants && wanted); /* it was done, also when nothing else kept the SM awake */
			for (u32 i = 0; i < REPLAY_MAX; i++) {
				const bool had = was.used >> i & 1, has = r->used >> i & 1;
				active |= had && has && was.e[i].warp < WARP_SLOTS && r->e[i].warp < WARP_SLOTS;
				gone |= had && !has && was.e[i].warp >= WARP_SLOTS;
			}
			most = MAX(most, r->inactive);
			if (x->vt->until == swap) { /* nobody changed places */
				went += gone;
				waited += active && r->inactive;
				assert_false(gone && active);
			}
			was = *r;
			swap = x->vt->until;
		}
		rig_finish(s);
		given_back(s);
		assert_int_equal(most, entries);
		assert_true(went && waited);
		for (u32 i = 0; i < 24 * 64; i++)
			assert_int_equal(rig_u32(s, buf + 128 * i), i);
		sim_destroy(s);
	}
}

/* The first warp of a CTA loads; the other one waits for it at a barrier. */
static const char barrier[] = PTX_HEAD
    ".visible .entry k(.param .u64 p0)\n{\n.reg .b32 %r<12>; .reg .b64 %a<6>; .reg .pred %p<2>; .shared .b32 sh[32];\n"
    "ld.param.u64 %a1, [p0]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
    "mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 4, %a1; and.b32 %r8, %r1, 31; shl.b32 %r8, %r8, 2;\n"
    "mov.u32 %r9, sh; add.u32 %r9, %r9, %r8; setp.ge.u32 %p1, %r1, 32; @%p1 bra J;\n"
    "ld.global.u32 %r5, [%a2]; mad.lo.u32 %r6, %r2, 100, %r1; add.u32 %r6, %r6, %r5; st.shared.u32 [%r9], %r6;\n"
    "J: bar.sync 0; ld.shared.u32 %r7, [%r9]; st.global.u32 [%a2], %r7; ret;\n}\n";

/* Who waits at a barrier is away with its CTA, and the barrier's count with it. With vt.barriers=false it stays. */
static void test_barrier(void **state)
{
	for (u32 k = 0; k < 2; k++) {
		const char *sets[9];
		struct told t = {0};
		u64 buf;
		u32 outs = 0;
		memcpy(sets, figure5, sizeof figure5);
		sets[7] = k ? "vt.barriers=true" : "vt.barriers=false";
		sets[8] = NULL;
		struct sim *s = start_kernel(sets, barrier, &t, &buf, 8);
		while (sim_run(s, sim_cycle(s) + 1, NULL) == STOP_CYCLE)
			laws(s, "barrier");
		rig_finish(s);
		given_back(s);
		for (u32 i = 0; i < t.n; i++)
			outs += t.e[i].type == EV_CTA_SWAP_OUT && t.e[i].arg[0] == 1;
		assert_true(k ? outs >= 4 : !outs);
		for (u32 i = 0; i < 8 * 64; i++)
			assert_int_equal(rig_u32(s, buf + 4 * i), i / 64 * 100 + i % 32);
		sim_destroy(s);
	}
}

/* One warp of two exits at once, the other one loads. */
static const char one_exits[] = PTX_HEAD
    ".visible .entry k(.param .u64 p0)\n{\n.reg .b32 %r<12>; .reg .b64 %a<6>; .reg .pred %p<2>;\n"
    "ld.param.u64 %a1, [p0]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; setp.ge.u32 %p1, %r1, 32; @%p1 ret;\n"
    "mad.lo.u32 %r4, %r2, 32, %r1; mad.wide.u32 %a2, %r4, 4, %a1; ld.global.u32 %r5, [%a2]; add.u32 %r5, %r5, %r4;\n"
    "st.global.u32 [%a2], %r5; ret;\n}\n";

/* Warps that have exited keep no CTA from leaving, and are still exited when it is back. */
static void test_exited(void **state)
{
	struct told t = {0};
	u64 buf;
	u32 outs = 0;
	struct sim *s = start_kernel(figure5, one_exits, &t, &buf, 16);
	while (sim_run(s, sim_cycle(s) + 1, NULL) == STOP_CYCLE)
		laws(s, "one exits");
	rig_finish(s);
	given_back(s);
	for (u32 i = 0; i < t.n; i++)
		outs += t.e[i].type == EV_CTA_SWAP_OUT && t.e[i].arg[0] == 0;
	assert_true(outs >= 8);
	for (u32 i = 0; i < 16 * 32; i++)
		assert_int_equal(rig_u32(s, buf + 4 * i), i);
	sim_destroy(s);
}

/* Loads of one line each that depend on one another, with some arithmetic between them; no line is read twice. */
static const char chain[] = PTX_HEAD
    ".visible .entry k(.param .u64 p0)\n{\n.reg .b32 %r<12>; .reg .b64 %a<6>; .reg .pred %p<2>;\n"
    "ld.param.u64 %a1, [p0]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shr.u32 %r3, %r1, 5;\n"
    "mad.lo.u32 %r4, %r2, 2, %r3; mad.wide.u32 %a2, %r4, 1024, %a1; mov.u32 %r5, 0;\n"
    "L: ld.global.u32 %r6, [%a2]; mul.wide.u32 %a3, %r6, 4; add.u64 %a2, %a2, %a3; add.u64 %a2, %a2, 128;\n"
    "xor.b32 %r7, %r6, %r5; mad.lo.u32 %r7, %r7, 3, %r1; xor.b32 %r7, %r7, %r2; add.u32 %r5, %r5, 1;\n"
    "setp.lt.u32 %p1, %r5, 8; @%p1 bra L; mad.wide.u32 %a2, %r4, 1024, %a1; st.global.u32 [%a2], %r7; ret;\n}\n";

enum { NONE, MASCAR, VT, MAX };
static u64 cycles_of_chain(u32 policy, const char *more)
{
	/* With what the policy implies (virtual.c). */
	static const char *const of[][4] = {{"cta-virtual=none", "lsu.replay=none", "sm.ctas=4", "sm.threads=1536"},
	                                    {"cta-virtual=mascar", "lsu.replay=car", "sm.ctas=4", "sm.threads=1536"},
	                                    {"cta-virtual=vt", "lsu.replay=car", "sm.ctas=4", "sm.threads=1536"},
	                                    {"cta-virtual=max", "lsu.replay=car", "sm.ctas=32", "sm.threads=2048"}};
	const char *const *p = of[policy];
	const char *sets[] = {"num_sms=1", "l1d.mshrs=64", p[0], p[1], p[2], p[3], more, NULL};
	struct told t = {0};
	u64 buf;
	struct sim *s = start_kernel(sets, chain, &t, &buf, 96);
	while (sim_run(s, sim_cycle(s) + 1000, NULL) == STOP_CYCLE)
		laws(s, "chain");
	rig_finish(s);
	const u64 cycles = sim_cycle(s);
	sim_destroy(s);
	return cycles;
}

/* What virtual threads are for: a kernel that waits for memory, of which slots limit the CTAs and nothing else. They
 * bring what a machine without that limit does, and each of the two conditions switched off takes the gain away. */
static void test_gain(void **state)
{
	const u64 none = cycles_of_chain(NONE, NULL);
	const u64 vt = cycles_of_chain(VT, NULL), max = cycles_of_chain(MAX, NULL);
	assert_true(none > 3 * max);
	assert_true(10 * (none - vt) > 9 * (none - max)); /* of the time that max saves vt saves nine tenths */
	assert_true(100 * max > 70 * vt); /* a CTA that has exited keeps its slots until its stores are acknowledged */
	assert_true(100 * max > 90 * cycles_of_chain(VT, "vt.ending=true"));
	/* The queue alone has nothing to do. */
	assert_int_equal(cycles_of_chain(MASCAR, NULL), none);
	/* Registers for no more CTAs than slots: the same as without. */
	assert_int_equal(cycles_of_chain(VT, "sm.regs=4096"), cycles_of_chain(NONE, "sm.regs=4096"));
	/* Memory that serves one line at a time has no time left to hide. */
	const u64 full = cycles_of_chain(NONE, "l1d.mshrs=1");
	assert_true(cycles_of_chain(VT, "l1d.mshrs=1") * 20 > full * 19);
}

static void launch_chain(struct sim *s, struct module *m, u64 buf, u32 ctas, u32 warps, u32 regs, u32 stream)
{
	struct err e = {0};
	struct launch_spec l = {.mod = m,
	                        .fn = module_func(m, "k", true),
	                        .grid = {ctas, 1, 1},
	                        .block = {warps * 32, 1, 1},
	                        .params = (u64[]){buf},
	                        .param_bytes = 8,
	                        .stream = stream,
	                        .regs = regs};
	if (sim_launch(s, &l, &e) < 0)
		fail_msg("%s", e.msg);
}

static u32 ctas_away(const struct sm *m)
{
	u32 n = 0;
	for (u32 i = 0; i < ARRAY_LEN(m->ctas_away); i++)
		n += bit_count(m->ctas_away[i]);
	return n;
}

/* An SM gets as many CTAs as sm_limits() says, whatever limits them. */
static void test_as_many_as_said(void **state)
{
	static const struct {
		u32 warps, regs;
		const char *limiter, *set;
		u32 ctas;
	} rows[] = {{1, 16, "registers", NULL, 64},
	            {2, 16, "registers", NULL, 32},
	            {3, 20, "registers", NULL, 17},
	            {1, 8, "virtual warps", "sm.regs=65536", 128},
	            {5, 8, "virtual warps", "sm.regs=65536", 43}, /* 8 active, 3 x 12 - 1 places without a slot */
	            {3, 8, "virtual warps", "vt.warps=64", 21},
	            {2, 8, "context space", "sm.shared=4096", 23}};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		const char *sets[] = {"num_sms=1", "cta-virtual=vt", "lsu.replay=car", rows[i].set, NULL};
		struct sim *s = machine(sets);
		struct module *m = rig_load(s, chain);
		const u64 buf = rig_alloc(s, 1 << 20);
		const struct gpu *g = sim_gpu(s);
		u32 most = 0;
		launch_chain(s, m, buf, 300, rows[i].warps, rows[i].regs, 0);
		struct launch l = {.regs = rows[i].regs, .warps = rows[i].warps, .ctas = 300};
		struct sm_limits n;
		sm_limits(&g->conf, &l, &n);
		while (sim_run(s, sim_cycle(s) + 20, NULL) == STOP_CYCLE) {
			laws(s, "as many as said");
			most = MAX(most, sm_resident(g->sm[0], 0));
			assert_int_equal(g->ctx[0].vt->context, sm_resident(g->sm[0], 0) * n.context_bytes);
		}
		rig_finish(s);
		assert_string_equal(n.limiter, rows[i].limiter);
		assert_int_equal(n.ctas, rows[i].ctas);
		assert_int_equal(most, n.ctas);
		sim_destroy(s);
	}
}

/* Two kernels together could have more CTAs than there are places: one is kept for a CTA that is to leave. And a new
 * one begins in a slot only when nobody who is ready waits for it, however long swaps take. */
static void last_place(u32 warps, u32 places)
{
	const char *sets[] = {"num_sms=1", "sm.regs=65536", "cta-virtual=vt", "lsu.replay=car", "vt.delay=300", NULL};
	struct sim *s = machine(sets);
	struct module *m = rig_load(s, chain);
	const u64 buf = rig_alloc(s, 1 << 20);
	const struct sm *sm = sim_gpu(s)->sm[0];
	const struct vt *v = sim_gpu(s)->ctx[0].vt;
	u32 most = 0, in_slots = 0, behind = 0;
	for (u32 i = 0; i < 2; i++)
		launch_chain(s, m, buf, 300, warps, 8, i);
	for (u32 ready = 0; sim_run(s, sim_cycle(s) + 1, NULL) == STOP_CYCLE; ready = v->ready) {
		most = MAX(most, ctas_away(sm));
		for (u32 i = 0; i < SM_CTA_PLACES; i++) {
			const struct cta *c = &sm->cta[i];
			if (!c->used || c->started_at + 1 != sim_cycle(s) || (i >= SM_MAX_CTAS && !c->inactive))
				continue;
			in_slots += i < SM_MAX_CTAS;
			behind += i >= SM_MAX_CTAS && sm->nctas < 8; /* though a slot is free */
			assert_false(i < SM_MAX_CTAS && ready && v->ready);
		}
	}
	rig_finish(s);
	given_back(s);
	assert_int_equal(most, places - 1);
	assert_true(in_slots >= 8 && behind);
	sim_destroy(s);
}

static void test_last_place(void **state)
{
	last_place(1, SM_CTA_PLACES - SM_MAX_CTAS);
	last_place(2, SM_AWAY_WORDS * WARP_SLOTS / 2);
}

/* What a machine of the random launches is: how CTAs are given out, kept and put off, small enough to be full. */
static struct sim *random_machine(u64 *seed)
{
	static const char *const policies[][5] = {{"rr", "lcs", "bcs", "lcs+bcs", "dyncta"}, {"fcfs", "cke", "mcke"}};
	char set[6][48];
	const char *const cta = policies[0][rng_next(seed) % 5], *const share = policies[1][rng_next(seed) % 3];
	snprintf(set[0], sizeof set[0], "sm.regs=%u", 2048u << rng_next(seed) % 6);
	snprintf(set[1], sizeof set[1], "vt.delay=%u", (u32)(rng_next(seed) % 40));
	snprintf(set[2], sizeof set[2], "vt.depth=%u", 1u << rng_next(seed) % 5);
	snprintf(set[3], sizeof set[3], "vt.warps=%u", 64 << rng_next(seed) % 3);
	snprintf(set[4], sizeof set[4], "cta-sched=%s", cta);
	snprintf(set[5], sizeof set[5], "partition=%s", share);
	const char *sets[] = {"num_sms=2",
	                      "sm.threads=256",
	                      "lsu.replay=car",
	                      "lsu.replay_entries=30",
	                      "dyncta.period=64",
	                      set[0],
	                      set[1],
	                      set[2],
	                      set[3],
	                      set[4],
	                      set[5],
	                      "cta-virtual=vt",
	                      NULL};
	return machine(sets);
}

/* Kernels of all shapes beside one another, some of which never leave their slots: at the end everything is given back.
 * WARPDBG_LAUNCHES=N: so many launches, and the laws at random cycles. */
static void test_random_launches(void **state)
{
	const char *const want = getenv("WARPDBG_LAUNCHES");
	const u64 launches = rounds("WARPDBG_LAUNCHES", 90, 12);
	u64 seed = 77, swaps = 0, ends = 0;
	for (u64 done = 0; done < launches;) {
		struct err e = {0};
		struct sim *s = random_machine(&seed);
		struct module *m = rig_load(s, two_loads);
		const u64 buf = rig_alloc(s, 1 << 20);
		const u32 n = want ? 60 : 6;
		for (u32 k = 0; k < n; k++, done++) {
			struct launch_spec l = {.mod = m,
			                        .fn = module_func(m, "k", true),
			                        .grid = {1 + (u32)(rng_next(&seed) % 30), 1 + k % 2, 1},
			                        .block = {(u32)(8 + rng_next(&seed) % 120), 1, 1},
			                        .params = (u64[]){buf},
			                        .param_bytes = 8,
			                        .stream = k % 3,
			                        .dynamic_shared = (u32)(rng_next(&seed) % 3) * 1500,
			                        .regs = 8 + (u32)(rng_next(&seed) % 8)};
			if (sim_launch(s, &l, &e) < 0)
				fail_msg("%s", e.msg);
		}
		while (sim_run(s, sim_cycle(s) + (want ? 1 + rng_next(&seed) % 2000 : 37), NULL) == STOP_CYCLE)
			laws(s, "random launches");
		rig_finish(s);
		given_back(s);
		for (u32 i = 0; i < 2; i++) {
			swaps += sim_gpu(s)->sm[i]->k.vt_swaps;
			ends += sim_gpu(s)->sm[i]->k.ctas_done;
		}
		sim_destroy(s);
	}
	if (want)
		print_message("%llu launches, %llu CTAs ended, %llu swaps\n", (unsigned long long)launches,
		              (unsigned long long)ends, (unsigned long long)swaps);
	assert_true(swaps > 4 * launches);
}

/* --- workloads ---------------------------------------------------------------------------------------------------- */

struct outcome {
	u64 hash, cycles, swaps, insts;
};
static struct outcome run_workload(const char *name, const char *gpu, const char *policy, const char *sched, u32 step)
{
	struct err e = {0};
	char virtual[32], warp[32];
	snprintf(virtual, sizeof virtual, "cta-virtual=%s", policy);
	snprintf(warp, sizeof warp, "warp-sched=%s", sched);
	struct options o = {.command = "run",
	                    .workload = name,
	                    .gpu = gpu,
	                    .size = "small",
	                    .sets = (const char *[]){warp, virtual, "history.mb=0"},
	                    .nsets = 3,
	                    .max_cycles = NEVER};
	struct session *s = session_open(&o, console_modules, &e);
	if (!s)
		fail_msg("%s: %s", name, e.msg);
	enum session_stop why;
	while ((why = session_run(s, step ? sim_cycle(s->sim) + step : NEVER, &e)) == SS_CYCLE)
		laws(s->sim, name);
	if (why != SS_FINISHED || s->check == CHECK_FAIL)
		fail_msg("%s, %s, %s: %s %s", name, policy, sched, session_stop_text(why), e.msg);
	sim_drain(s->sim);
	if (!sim_check(s->sim, &e))
		fail_msg("%s, %s: %s", name, policy, e.msg);
	given_back(s->sim);
	struct outcome r = {.hash = devmem_result_hash(sim_devmem(s->sim)), .cycles = sim_cycle(s->sim)};
	for (u32 i = 0; i < s->sim->gpu->conf.num_sms; i++) {
		r.swaps += s->sim->gpu->sm[i]->k.vt_swaps;
		r.insts += s->sim->gpu->sm[i]->k.issued;
	}
	session_close(s);
	return r;
}

/* Every workload under one policy of the kind and one scheduler, in turns that meet; all of them with VT=full. */
static void test_workloads(void **state)
{
	static const char *const policies[] = {"vt", "mascar", "vt", "max"};
	const bool full = getenv("VT") && !strcmp(getenv("VT"), "full");
	u64 swaps = 0;
	for (u32 i = 0; i < workloads.n; i += rounds(NULL, 1, 10)) {
		const char *gpu = i % 4 == 3 ? "kepler" : "gtx480";
		const u64 want = run_workload(workloads.name[i], gpu, "none", "gto", 0).hash;
		u32 nscheds = 0;
		for (; sim_policy(POLICY_WARP, nscheds); nscheds++)
			;
		for (u32 k = 0; k < (full ? 4 * nscheds : 1); k++) {
			const char *policy = policies[full ? k % 4 : i % 4];
			const char *sched = sim_policy(POLICY_WARP, full ? k / 4 : (i / 4 + i) % nscheds)->name;
			if (full && k % 4 == 2)
				continue;
			const struct outcome r = run_workload(workloads.name[i], gpu, policy, sched, i % 3 ? 0 : 1009);
			if (r.hash != want)
				fail_msg("%s under %s and %s: another result", workloads.name[i], policy, sched);
			swaps += r.swaps;
		}
	}
	printf("%llu swaps\n", (unsigned long long)swaps);
	assert_true(swaps > rounds(NULL, 200, 20));
}

/* Each policy does what it is there for, and the same inputs give the same cycles. */
static void test_vecadd(void **state)
{
	const struct outcome none = run_workload("vecadd", "gtx480", "none", "lrr", 0),
	                     vt = run_workload("vecadd", "gtx480", "vt", "lrr", 0),
	                     again = run_workload("vecadd", "gtx480", "vt", "lrr", 101);
	assert_true(vt.swaps > 100 && !none.swaps);
	assert_int_equal(vt.cycles, again.cycles);
	assert_int_equal(vt.insts, none.insts);
	assert_true(vt.cycles < none.cycles);
}

/* --- going back --------------------------------------------------------------------------------------------------- */

static void test_time_travel(void **state)
{
	struct rig r;
	u64 at[30], hash[30];
	struct err e = {0};
	rig_open(&r, (char *[]){"warpdbg", "debug", "vecadd", "--size", "small", "--cta-virtual", "vt", NULL});
	rig_has(&r, "break cta-swap-out", "cta-swap-out");
	for (u32 i = 0; i < ARRAY_LEN(at); i++) {
		rig_has(&r, "continue", "cta-swap-out: SM ");
		at[i] = sim_cycle(r.s->sim);
		hash[i] = sim_hash(r.s->sim);
		laws(r.s->sim, "on the way");
	}
	for (u32 i = ARRAY_LEN(at); i-- > 0;) {
		if (!sim_goto(r.s->sim, at[i], &e))
			fail_msg("%s", e.msg);
		assert_true(sim_hash(r.s->sim) == hash[i]);
		laws(r.s->sim, "in the past");
	}
	rig_has(&r, "continue", "cta-swap-out: SM ");
	rig_close(&r);
}

/* One that is halted while its context comes (preempt.halt=sm halts all of an SM) still is when that is there. Users
 * are told to wait. */
static void test_paused_on_the_way(void **state)
{
	const char *sets[9];
	struct told t = {0};
	u64 buf;
	memcpy(sets, figure5, sizeof figure5);
	sets[7] = "vt.delay=50";
	sets[8] = NULL;
	struct sim *s = start_kernel(sets, two_loads, &t, &buf, 4);
	struct gpu *g = sim_gpu(s);
	while (g->ctx[0].vt->until == NEVER)
		sim_run(s, sim_cycle(s) + 1, NULL);
	const u32 slot = g->ctx[0].vt->coming;
	const struct cta *c = &g->sm[0]->cta[slot];
	const u64 warps = c->warps, id = c->id;
	sm_pause_cta(&g->ctx[0], g->sm[0], slot, NEVER, sim_cycle(s));
	for (u32 i = 0; i < 200; i++) {
		sim_run(s, sim_cycle(s) + 1, NULL);
		laws(s, "paused on the way");
		assert_true(c->id == id && (g->sm[0]->in[WS_PAUSED] & warps) == warps && !c->insts);
	}
	assert_true(g->ctx[0].vt->cta[slot].state == VT_ACTIVE);
	struct err e = {0};
	assert_true(gpu_resume_cta(g, 0, id, &e)); /* wakes the SM, too */
	rig_finish(s);
	given_back(s);
	for (u32 i = 0; i < 4 * 64; i++)
		assert_int_equal(rig_u32(s, buf + 4 * i), expected(i % 64, i / 64));
	sim_destroy(s);
	struct rig r;
	char line[64];
	rig_open(&r, (char *[]){"warpdbg", "debug", "vecadd", "--size", "small", "--cta-virtual", "vt", NULL});
	rig_say(&r, "tbreak cta-swap-out sm=3");
	rig_say(&r, "continue");
	g = sim_gpu(r.s->sim);
	c = &g->sm[3]->cta[g->ctx[3].vt->coming];
	snprintf(line, sizeof line, "pause cta %llu", (unsigned long long)c->id);
	rig_fails(&r, line, "is being swapped in: try again in 10 cycles");
	rig_close(&r);
}

/* Verbs of the user: an inactive CTA has no slot in which anything could be done to it. */
static void test_verbs(void **state)
{
	struct rig r;
	char line[64];
	rig_open(&r, (char *[]){"warpdbg", "debug", "vecadd", "--size", "small", "--cta-virtual", "vt", NULL});
	rig_say(&r, "tbreak cta-swap-out sm=3");
	rig_say(&r, "continue");
	rig_say(&r, "step 20");
	const struct sm *m = sim_gpu(r.s->sim)->sm[3];
	u32 place = SM_MAX_CTAS;
	while (!m->cta[place].inactive)
		place++;
	snprintf(line, sizeof line, "pause cta %llu", (unsigned long long)m->cta[place].id);
	rig_fails(&r, line, "is inactive");
	snprintf(line, sizeof line, "save cta %llu", (unsigned long long)m->cta[place].id);
	rig_fails(&r, line, "is inactive");
	snprintf(line, sizeof line, "pause cta %llu", (unsigned long long)m->cta[0].id);
	rig_has(&r, line, "is paused");
	rig_say(&r, "step 500");
	laws(r.s->sim, "paused");
	snprintf(line, sizeof line, "resume cta %llu", (unsigned long long)m->cta[0].id);
	rig_has(&r, line, "goes on");
	snprintf(line, sizeof line, "save cta %llu", (unsigned long long)m->cta[1].id);
	const u64 saved = m->cta[1].id;
	rig_has(&r, line, "is saved");
	rig_say(&r, "step 500");
	laws(r.s->sim, "saved");
	snprintf(line, sizeof line, "restore cta %llu", (unsigned long long)saved);
	rig_say(&r, line);
	rig_has(&r, "continue", "check passed");
	given_back(r.s->sim);
	rig_close(&r);
}

/* What the debugger says of CTAs that change places. CTA 90 is among those that begin without a slot. */
static void test_shown(void **state)
{
	struct rig r;
	rig_open(&r, (char *[]){"warpdbg", "debug", "vecadd", "--size", "small", "--cta-virtual", "vt", NULL});
	rig_say(&r, "tbreak cta-swap-out sm=0");
	rig_has(&r, "continue", "cta-swap-out: SM 0, warp 0, CTA 0");
	rig_has(&r, "info ctas", "swap-in");
	rig_has(&r, "info ctas", "swap-out");
	rig_has(&r, "info ctas", "ready");
	rig_has(&r, "info kernels", "of its CTAs inactive: on SMs, without a slot");
	rig_has(&r, "why", "its CTA 90 has got slots in cycle ");
	rig_has(&r, "why", ": its context comes from shared memory until cycle ");
	rig_say(&r, "tbreak vecadd.ptx:25 cta=90");
	rig_say(&r, "tbreak cta-swap-in cta=90");
	rig_has(&r, "continue", "vecadd.ptx:25: SM 0, warp 0, CTA 90"); /* in the cycle in which it may issue */
	const u64 cycle = sim_cycle(r.s->sim);
	rig_say(&r, "step 3");
	rig_has(&r, "info ctas", "inactive");
	rig_say(&r, "delete");
	rig_say(&r, "reverse-step 3");
	assert_true(sim_cycle(r.s->sim) == cycle);
	rig_has(&r, "continue", "check passed");
	rig_close(&r);
}

/* CTAs that begin without a slot count from the cycle in which they begin, wherever the way to it began: in front of a
 * kernel that starts long after its launch. */
static void test_back_before_the_start(void **state)
{
	struct rig r;
	rig_open(&r, (char *[]){"warpdbg", "debug", "vecadd", "--size", "small", "--set", "launch.latency=5000",
	                        "--cta-virtual", "vt", NULL});
	rig_say(&r, "step 5600");
	const u64 hash = sim_hash(r.s->sim);
	rig_say(&r, "reverse-step 1");
	rig_say(&r, "step 1");
	assert_true(sim_hash(r.s->sim) == hash);
	rig_say(&r, "goto 100");
	rig_say(&r, "goto 5600");
	assert_true(sim_hash(r.s->sim) == hash);
	rig_close(&r);
}

/* Each limit binds on some machine, and the debugger says which: vecadd has CTAs of 8 warps with 13 registers each. */
static void test_limits_shown(void **state)
{
	static const struct {
		const char *set, *says;
		u32 ctas;
	} rows[] = {{"sm.regs=32768", "registers", 9},           {"cta-virtual=none", "threads", 6},
	            {"sm.regs=65536", "registers", 18},          {"vt.warps=64", "virtual warps", 8},
	            {"max_ctas_per_sm=7", "max_ctas_per_sm", 7}, {"sm.shared=4608", "context space", 7}};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		struct rig r;
		char text[80];
		rig_open(&r, (char *[]){"warpdbg", "debug", "vecadd", "--size", "small", "--set", "cta-virtual=vt", "--set",
		                        (char *)rows[i].set, NULL});
		rig_say(&r, "tbreak cta-done");
		rig_say(&r, "continue");
		snprintf(text, sizeof text, "%u CTAs per SM, limited by %s", rows[i].ctas, rows[i].says);
		rig_has(&r, "info kernels", text);
		rig_has(&r, "explain occupancy", text);
		snprintf(text, sizeof text, " %s %u <-", rows[i].says, rows[i].ctas);
		rig_has(&r, "explain occupancy", text);
		if (rows[i].ctas > 6)
			rig_has(&r, "explain occupancy", "6 of them active");
		/* No SM has had more; one has had as many. */
		u32 most = 0;
		for (u32 sm = 0; sm < gpu_conf(sim_gpu(r.s->sim))->num_sms; sm++) {
			u32 n = 0;
			for (u32 c = 0; c < SM_CTA_PLACES; c++)
				n += sim_gpu(r.s->sim)->sm[sm]->cta[c].used;
			most = MAX(most, n);
		}
		assert_int_equal(most, rows[i].ctas);
		rig_close(&r);
	}
}

/* What comes with each policy of the kind. */
static void test_implied(void **state)
{
	static const struct {
		char *policy;
		int replay;
		u32 threads, ctas, entries;
	} rows[] = {{"none", LSU_REPLAY_NONE, 1536, 8, 32},
	            {"mascar", LSU_REPLAY_CAR, 1536, 8, 32},
	            {"vt", LSU_REPLAY_CAR, 1536, 8, 30},
	            {"max", LSU_REPLAY_CAR, 2048, 32, 32}};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		struct rig r;
		rig_open(&r,
		         (char *[]){"warpdbg", "debug", "vecadd", "--size", "small", "--cta-virtual", rows[i].policy, NULL});
		const struct conf *c = gpu_conf(sim_gpu(r.s->sim));
		assert_int_equal(c->lsu_replay, rows[i].replay);
		assert_int_equal(c->sm_threads, rows[i].threads);
		assert_int_equal(c->sm_ctas, rows[i].ctas);
		assert_int_equal(c->lsu_replay_entries, rows[i].entries);
		assert_int_equal(c->vt_inactive_entries, 30);
		rig_close(&r);
	}
}

/* What cannot be together, and what cannot be changed. */
static void test_refused(void **state)
{
	static const char *const sets[][2] = {{"lsu.replay=newcar", "lsu.replay"},
	                                      {"vt.inactive_entries=60", "more than 64"},
	                                      {"vt.warps=32", "virtual warps are less"}};
	for (u32 i = 0; i < ARRAY_LEN(sets); i++) {
		struct conf c;
		struct err e = {0};
		conf_defaults(&c);
		assert_true(conf_set(&c, "cta-virtual", "vt", &e) && conf_set_pair(&c, sets[i][0], &e));
		assert_false(conf_check(&c, &e));
		if (!strstr(e.msg, sets[i][1]))
			fail_msg("%s: %s", sets[i][0], e.msg);
	}
	struct rig r;
	rig_open(&r, (char *[]){"warpdbg", "debug", "vecadd", "--size", "small", NULL});
	rig_fails(&r, "set cta-virtual vt", "start with --cta-virtual");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_equations),
	    cmocka_unit_test(test_limits),
	    cmocka_unit_test(test_figure5),
	    cmocka_unit_test(test_restartable),
	    cmocka_unit_test(test_delay),
	    cmocka_unit_test(test_gain),
	    cmocka_unit_test(test_as_many_as_said),
	    cmocka_unit_test(test_last_place),
	    cmocka_unit_test(test_random_launches),
	    cmocka_unit_test(test_vecadd),
	    cmocka_unit_test(test_time_travel),
	    cmocka_unit_test(test_verbs),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_shown),
	    cmocka_unit_test(test_workloads),
	    cmocka_unit_test(test_limits_shown),
	    cmocka_unit_test(test_back_before_the_start),
	    cmocka_unit_test(test_load_queues),
	    cmocka_unit_test(test_ending),
	    cmocka_unit_test(test_barrier),
	    cmocka_unit_test(test_exited),
	    cmocka_unit_test(test_implied),
	    cmocka_unit_test(test_paused_on_the_way),
	    cmocka_unit_test(test_ends_as_a_swap_is_over),
	};
	return cmocka_run_group_tests(tests, find_files, release_files);
}
