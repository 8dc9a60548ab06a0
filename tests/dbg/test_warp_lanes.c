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
	if (lane_is_issued(&c) && c.cause != c.pc)
		assert_int_equal(c.pc, pc_before);
	else
		assert_int_equal(c.pc, w.pc);
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
	check_range(&r, 3, 700, 1000, &seen); /* the first CTAs come */
	check_range(&r, 14, 3100, 3500, &seen);
	assert_true(seen.issued > 300 && seen.cells[WS_MEM] && seen.cells[WS_SHORT] && seen.cells[WS_FETCH] &&
	            seen.cells[WS_READY_SP] && seen.cells[LANE_REFUSED] && seen.cells[WS_NONE]);
	rig_close(&r);
}

static void on_v100(void **state)
{
	struct rig r;
	struct seen seen = {0};
	rig_words(&r, "bfs --size small --machine v100");
	rig_say(&r, "until 9000");
	check_range(&r, 0, 2000, 2400, &seen);
	check_range(&r, 7, 8400, 8800, &seen);
	assert_true(seen.issued && seen.cells[WS_MEM]);
	rig_close(&r);
}

static void with_virtual_threads(void **state)
{
	struct rig r;
	struct seen seen = {0};
	rig_words(&r, "hotspot --size small --cta-virtual vt");
	rig_say(&r, "until 6000");
	check_range(&r, 0, 900, 1900, &seen);
	assert_true(seen.ctas[LANE_CLASSES + CS_INACTIVE] || seen.ctas[LANE_CLASSES + CS_READY]);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(on_gtx480),
	    cmocka_unit_test(on_v100),
	    cmocka_unit_test(with_virtual_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
