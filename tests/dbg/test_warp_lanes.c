/* What warps and CTAs were over time (dbg/lanes.h), found by running the past again: against the queries of a machine
 * that stands at each of the cycles, against the counters, from whichever side one comes; and that nobody's state is
 * disturbed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dbg/lanes.h"
#include "gpu/query_lanes.h"
#include "tests/rig/debug_rig.h"

static void go(struct rig *r, u64 cycle)
{
	char line[40];
	snprintf(line, sizeof line, "goto %llu", (unsigned long long)cycle);
	rig_say(r, line);
	assert_int_equal(sim_cycle(r->s->sim), cycle);
}

static const struct lanes *fetch(struct rig *r, s32 sm, u64 from, u64 to, u32 bin)
{
	struct err e = {0};
	const struct lanes *l = lanes_fetch(r->d, sm, from, to, bin, &e);
	if (!l)
		fail_msg("%s", e.msg);
	return l;
}

static u8 class_of(const struct warp_info *w)
{
	return w->refused ? LANE_REFUSED : warp_state_is_ready(w->state) ? WS_READY_SP : (u8)w->state;
}

/* A warp in the cycle before the machine's. */
static void warp_is(const struct lanes *l, struct gpu *g, u32 sm, u32 warp, u32 pc_before)
{
	const u64 cycle = gpu_cycle(g) - 1;
	struct warp_info w;
	struct lane_cell c;
	gpu_warp_info(g, sm, warp, &w);
	assert_true(lanes_warp(l, sm, warp, cycle, 1, &c));
	if (w.state != WS_NONE)
		assert_int_equal(lane_is_issued(&c), w.issued_last);
	assert_int_equal(c.class, class_of(&w));
	const struct lane_name *n = lanes_name(l, c.name);
	if (w.launch >= 0) {
		assert_non_null(n);
		assert_int_equal(n->launch, w.launch);
		assert_int_equal(n->cta, w.cta);
		assert_int_equal(n->sm, sm);
	} else if (!lane_is_issued(&c)) {
		assert_null(n);
	}
	if (!lane_is_issued(&c) || c.cause == c.pc)
		assert_int_equal(c.pc, w.pc);
	else if (gpu_issue_cost(g, sm, n->launch, pc_before)) /* else that one has come before, without a slot */
		assert_int_equal(c.pc, pc_before);
	else
		assert_true(c.pc != pc_before && gpu_issue_cost(g, sm, n->launch, c.pc));
	if (!lane_is_issued(&c))
		assert_int_equal(c.cause, w.launch >= 0 ? gpu_producer(g, sm, warp) : PC_DONE);
}

static void slots_are(const struct lanes *l, u32 sm, u64 from, u32 n, const u64 a[ST_COUNT], const u64 b[ST_COUNT])
{
	struct lane_slots s;
	assert_true(lanes_slots(l, sm, from, n, &s));
	for (u32 i = 0; i < ST_COUNT; i++)
		assert_int_equal(s.n[i], b[i] - a[i]);
}

/* Each CTA of the SM is in one row, and no row has one that is not there. */
static void ctas_are(const struct lanes *l, struct gpu *g, u32 sm)
{
	u32 place[GPU_CTAS_MAX], rows = 0, here = 0;
	struct away_info away[256];
	const u64 cycle = gpu_cycle(g) - 1;
	const u32 n = gpu_ctas(g, sm, place, GPU_CTAS_MAX), m = gpu_ctas_away(g, -1, away, 256);
	for (u32 i = 0; i < m; i++)
		here += away[i].sm == sm;
	for (u32 row = 0; row < lanes_ctas(l); row++) {
		struct lane_cell c;
		assert_true(lanes_cta(l, row, cycle, 1, &c));
		const struct lane_name *name = lanes_name(l, c.name);
		assert_int_equal(c.class == WS_NONE, !name);
		if (!name)
			continue;
		rows++;
		u32 found = 0;
		for (u32 i = 0; i < n; i++) {
			struct cta_info k;
			gpu_cta_info(g, sm, place[i], &k);
			if (k.launch != name->launch || k.cta != name->cta)
				continue;
			found++;
			if (k.is.state != CS_RUNNING && k.is.state != CS_LOW)
				assert_int_equal(c.class, LANE_CLASSES + k.is.state);
			else
				assert_in_range(c.class, WS_NONE + 1, LANE_CLASSES - 1);
		}
		for (u32 i = 0; i < m; i++)
			if (away[i].sm == sm && away[i].launch == name->launch && away[i].cta == name->cta) {
				found++;
				assert_int_equal(c.class, LANE_CLASSES + away[i].state);
			}
		assert_int_equal(found, 1);
	}
	assert_int_equal(rows, n + here);
}

/* What was recorded, and not only in cycles in which nothing is there. */
struct seen {
	u64 cells[LANE_CLASSES], issued, ctas[LANE_CTA_CLASSES];
};

static void check_range(struct rig *r, u32 sm, u64 from, u64 to, struct seen *seen)
{
	struct gpu *g = dbg_gpu(r->d);
	const u32 warps = gpu_warps_per_sm(g), scheds = gpu_conf(g)->sm_schedulers;
	u64 first[ST_COUNT], before[ST_COUNT], now[ST_COUNT];
	u32 pc[WARP_SLOTS];
	const u64 was = sim_cycle(r->s->sim), hash = sim_hash(r->s->sim);
	const struct lanes *l = fetch(r, (s32)sm, from, to, 1);
	assert_int_equal(sim_cycle(r->s->sim), was);
	assert_true(sim_hash(r->s->sim) == hash); /* nobody has been disturbed */
	go(r, from);
	gpu_stalls_sum(g, (s32)sm, first);
	memcpy(before, first, sizeof before);
	while (sim_cycle(r->s->sim) < to) {
		const u64 cycle = sim_cycle(r->s->sim);
		struct lane_cell c;
		struct warp_info w;
		u32 issued = 0;
		for (u32 i = 0; i < warps; i++) {
			gpu_warp_info(g, sm, i, &w);
			pc[i] = w.pc;
		}
		rig_say(r, "step");
		for (u32 i = 0; i < warps; i++) {
			warp_is(l, g, sm, i, pc[i]);
			assert_true(lanes_warp(l, sm, i, cycle, 1, &c));
			issued += lane_is_issued(&c);
			seen->cells[c.class]++;
		}
		seen->issued += issued;
		gpu_stalls_sum(g, (s32)sm, now);
		slots_are(l, sm, cycle, 1, before, now);
		assert_int_equal(issued, now[ST_ISSUED] - before[ST_ISSUED]);
		ctas_are(l, g, sm);
		for (u32 row = 0; row < lanes_ctas(l); row++) {
			assert_true(lanes_cta(l, row, cycle, 1, &c));
			seen->ctas[c.class]++;
		}
		memcpy(before, now, sizeof before);
	}
	if (to - from < UINT32_MAX)
		slots_are(l, sm, from, (u32)(to - from), first, now);
	u64 sum = 0;
	for (u32 i = 0; i < ST_COUNT; i++)
		sum += now[i] - first[i];
	assert_int_equal(sum, (to - from) * scheds);
	go(r, was);
	assert_true(sim_hash(r->s->sim) == hash);
}

/* --- machines and programs ----------------------------------------------------------------------------------------- */

static void on_gtx480(void **state)
{
	struct rig r;
	struct seen seen = {0};
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "until 4000");
	check_range(&r, 3, 0, 60, &seen); /* the first CTAs come */
	check_range(&r, 3, 1420, 1500, &seen);
	check_range(&r, 0, 3540, 3640, &seen);
	assert_true(seen.issued > 150 && seen.cells[WS_MEM] && seen.cells[WS_SHORT] && seen.cells[WS_FETCH] &&
	            seen.cells[WS_READY_SP] && seen.cells[LANE_REFUSED] && seen.cells[WS_NONE] && seen.cells[WS_BARRIER]);
	rig_close(&r);
}

static void on_v100(void **state)
{
	struct rig r;
	struct seen seen = {0};
	rig_words(&r, "bfs --size small --gpu v100");
	rig_say(&r, "tbreak cta-dispatch sm=1");
	rig_say(&r, "continue");
	const u64 from = sim_cycle(r.s->sim);
	rig_say(&r, "step 500");
	check_range(&r, 1, from - 20, from + 400, &seen);
	assert_true(seen.issued && seen.cells[WS_MEM] && seen.cells[WS_SHORT] &&
	            seen.cells[WS_DONE] + seen.cells[WS_FETCH]);
	rig_close(&r);
}

static void with_virtual_threads(void **state)
{
	struct rig r;
	struct seen seen = {0};
	rig_words(&r, "hotspot --size small --cta-virtual vt --set sm.ctas=2");
	rig_say(&r, "until 2000");
	check_range(&r, 1, 1000, 1300, &seen);
	assert_true(seen.ctas[LANE_CLASSES + CS_INACTIVE] && seen.ctas[LANE_CLASSES + CS_READY] &&
	            seen.ctas[LANE_CLASSES + CS_SWAP_IN] && seen.ctas[LANE_CLASSES + CS_SWAP_OUT] && seen.ctas[WS_MEM] &&
	            seen.ctas[WS_READY_SP]);
	rig_close(&r);
}

/* Two programs; the first gives SMs to the second, and its CTAs are on none for a while. */
static void preempted(void **state)
{
	struct rig r;
	struct seen seen = {0};
	rig_words(&r, "hotspot vecadd --size small");
	rig_say(&r, "until 1200");
	rig_say(&r, "preempt kernel 0 sm 2 within 5 by switch");
	rig_say(&r, "until 9400");
	check_range(&r, 2, 1190, 1240, &seen);
	check_range(&r, 2, 9180, 9320, &seen);
	assert_true(seen.cells[WS_PAUSED] && seen.ctas[LANE_CLASSES + CS_MOVING] && seen.ctas[LANE_CLASSES + CS_QUEUED]);
	rig_close(&r);
}

/* --- columns, and the ways to them ---------------------------------------------------------------------------------- */

/* A copy of what a recording says, good for longer. */
struct picture {
	struct lane_cell cell[WARP_SLOTS + GPU_CTAS_MAX];
	struct lane_slots slots;
};

static void picture(const struct lanes *l, u32 sm, u64 from, u32 n, struct picture *p)
{
	memset(p, 0, sizeof *p);
	for (u32 i = 0; i < lanes_warps(l); i++)
		assert_true(lanes_warp(l, sm, i, from, n, &p->cell[i]));
	for (u32 i = 0; i < lanes_ctas(l) && i < GPU_CTAS_MAX; i++)
		assert_true(lanes_cta(l, i, from, n, &p->cell[WARP_SLOTS + i]));
	for (u32 i = 0; i < ARRAY_LEN(p->cell); i++)
		p->cell[i].name = lanes_name(l, p->cell[i].name) ? (u16)lanes_name(l, p->cell[i].name)->cta + 1 : 0;
	assert_true(lanes_slots(l, sm, from, n, &p->slots));
}

/* The rule of the header, from the single cycles. */
static void column_is(const struct lanes *l, u32 sm, u32 warp, u64 from, u32 n)
{
	u32 of[LANE_CLASSES + 1] = {0}, issued = 0, best = 0;
	struct lane_cell c = {0};
	for (u32 i = 0; i < n; i++) {
		assert_true(lanes_warp(l, sm, warp, from + i, 1, &c));
		issued += lane_is_issued(&c);
		of[c.class == WS_NONE ? LANE_CLASSES : c.class] += !lane_is_issued(&c);
	}
	for (u32 i = 1; i <= LANE_CLASSES; i++)
		if (of[i] > of[best])
			best = i;
	const u8 class = issued == n ? c.class : best == LANE_CLASSES ? WS_NONE : (u8)best;
	assert_true(lanes_warp(l, sm, warp, from, n, &c));
	assert_int_equal(c.class, class);
	assert_int_equal(lane_is_issued(&c), 2 * issued >= n);
	assert_int_equal(c.issued > 0, issued > 0);
	assert_in_range(c.issued + 3, issued * 255 / n, issued * 255 / n + 6);
}

/* Columns recorded as such say what single cycles come to; sums of the slots are those of their cycles. */
static void columns_are_their_cycles(void **state)
{
	static struct picture a, b;
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "until 3000");
	for (u32 bin = 4; bin <= 64; bin *= 4)
		for (u64 from = 1024; from < 2048; from += bin) {
			picture(fetch(&r, 5, 1024, 2048, 1), 5, from, bin, &a);
			for (u32 w = 0; w < 48; w++)
				column_is(fetch(&r, 5, 1024, 2048, 1), 5, w, from, bin);
			lanes_restarted(r.d); /* nothing finer is there */
			picture(fetch(&r, 5, 1024, 2048, bin), 5, from, bin, &b);
			for (u32 i = 0; i < ARRAY_LEN(a.cell); i++) {
				a.cell[i].cause = b.cell[i].cause; /* of single cycles alone */
				a.cell[i].pc = b.cell[i].pc;
			}
			assert_memory_equal(a.cell, b.cell, sizeof a.cell);
			assert_memory_equal(&a.slots, &b.slots, sizeof a.slots);
			if (from == 1024) /* each is a run of its own: a few are enough */
				from = 1664 - bin;
			else if (from >= 1664)
				break;
		}
	rig_say(&r, "until 4000"); /* where much is issued */
	const struct lanes *l = fetch(&r, 0, 3072, 3840, 1);
	for (u32 bin = 4; bin <= 64; bin *= 4)
		for (u64 from = 3072; from < 3840; from += bin)
			for (u32 w = 0; w < 48; w++)
				column_is(l, 0, w, from, bin);
	rig_close(&r);
}

/* Forward, back, in pieces, from the end of the run and from the middle of a longer recording. */
static void any_way_is_the_same(void **state)
{
	static struct picture first, other;
	struct rig r;
	rig_words(&r, "hotspot --size small --cta-virtual vt --set sm.ctas=2");
	rig_say(&r, "until 1300");
	picture(fetch(&r, 1, 1100, 1300, 1), 1, 1177, 1, &first);
	rig_say(&r, "until 5000");
	const struct lanes *l = fetch(&r, 1, 100, 2400, 1); /* goes on with the first, or begins anew */
	picture(l, 1, 1177, 1, &other);
	assert_memory_equal(&first, &other, sizeof first);
	lanes_restarted(r.d);
	go(&r, 2000);
	picture(fetch(&r, 1, 1150, 1200, 1), 1, 1177, 1, &other);
	assert_memory_equal(&first, &other, sizeof first);
	lanes_restarted(r.d);
	go(&r, 500);
	picture(fetch(&r, 1, 0, 1178, 1), 1, 1177, 1, &other);
	assert_memory_equal(&first, &other, sizeof first);
	picture(fetch(&r, -1, 1177, 1178, 1), 1, 1177, 1, &other); /* of all SMs at once */
	memcpy(other.cell + WARP_SLOTS, first.cell + WARP_SLOTS, sizeof first.cell - WARP_SLOTS * sizeof *first.cell);
	assert_memory_equal(&first, &other, sizeof first);
	rig_close(&r);
}

/* A recording goes on where it ended, and a change of the past voids it. */
static void forks(void **state)
{
	struct rig r;
	struct err e = {0};
	struct lane_cell c;
	u32 differ = 0;
	static struct lane_cell was[400];
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "until 1500");
	const struct lanes *l = fetch(&r, 0, 1000, 1500, 1);
	assert_null(lanes_fetch(r.d, 0, 1000, 1501, 1, &e));
	assert_non_null(strstr(e.msg, "simulated from 0 to 1500"));
	rig_say(&r, "until 1900");
	assert_ptr_equal(fetch(&r, 0, 1000, 1900, 1), l);
	for (u32 i = 0; i < 400; i++)
		assert_true(lanes_warp(l, 0, 3, 1500 + i, 1, &was[i]));
	go(&r, 1400);
	rig_say(&r, "set warp-sched lrr");
	assert_null(lanes_fetch(r.d, 0, 1000, 1900, 1, &e));
	rig_say(&r, "until 1900");
	l = fetch(&r, 0, 1000, 1900, 1);
	for (u32 i = 0; i < 400; i++) {
		assert_true(lanes_warp(l, 0, 3, 1500 + i, 1, &c));
		differ += lane_is_issued(&c) != lane_is_issued(&was[i]);
	}
	assert_true(differ > 0);
	rig_say(&r, "run");
	assert_null(lanes_fetch(r.d, 0, 5, 5, 1, &e));
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(on_gtx480),
	    cmocka_unit_test(on_v100),
	    cmocka_unit_test(with_virtual_threads),
	    cmocka_unit_test(preempted),
	    cmocka_unit_test(columns_are_their_cycles),
	    cmocka_unit_test(any_way_is_the_same),
	    cmocka_unit_test(forks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
