/* The phase graph: what is recorded, time travel, the view at several sizes, the cursor on time axes. */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <jansson.h>

#include "tests/rig/debug_rig.h"
#include "passes/phases.h"
#include "views/frame.h"
#include "views/offscreen.h"
#include "scr/picture.h"
#include "scr/term.h"
#include "views/cursor.h"
#include "scr/phase_look.h"

static void rig_hotspot(struct rig *r, char *option, char *value)
{
	char *argv[] = {"warpdbg", "debug", "hotspot", "--size", "small", option, value, NULL};
	rig_open(r, argv);
}

/* --- what is recorded --------------------------------------------------------------------------------------------- */

static u64 band_sum(const struct phase_sum *s)
{
	u64 n = 0;
	for (u32 i = 0; i < PHASE_BANDS; i++)
		n += s->warps[i];
	return n;
}

/* At a look the graph agrees with what the other queries say at that cycle. */
static void check_look(struct rig *r, u64 cycle)
{
	const struct phase_track *t = r->s->phases;
	struct gpu *g = sim_gpu(r->s->sim);
	struct phase_sum s, all, total = {0};
	assert_int_equal(gpu_cycle(g), cycle);
	for (u32 sm = 0; sm < gpu_conf(g)->num_sms; sm++) {
		struct sm_info i;
		u64 loads = 0;
		gpu_sm_info(g, sm, &i);
		phase_track_get(t, (s32)sm, cycle - 64, cycle, &s);
		assert_int_equal(s.looks, 1);
		assert_int_equal(band_sum(&s), s.active);
		assert_int_equal(s.active + s.exited, i.warps);
		for (u32 w = 0; w < gpu_warps_per_sm(g); w++) {
			struct warp_info wi;
			gpu_warp_info(g, sm, w, &wi);
			loads += wi.pending_loads;
		}
		assert_int_equal(loads, i.loads_in_flight);
		assert_true(s.mem >= loads);
		assert_int_equal(s.mem_peak, s.mem);
		total.active += s.active;
		total.alu += s.alu;
		total.mem += s.mem;
	}
	phase_track_get(t, -1, cycle - 64, cycle, &all);
	assert_int_equal(all.active, total.active);
	assert_int_equal(all.alu, total.alu);
	assert_int_equal(all.mem, total.mem);
	assert_int_equal(band_sum(&all), all.active);
}

static void test_looks_agree_with_queries(void **state)
{
	struct rig r;
	struct phase_sum all;
	rig_hotspot(&r, NULL, NULL);
	for (u64 c = 640; c <= 5760; c += 640) {
		char line[40];
		snprintf(line, sizeof line, "until %llu", (unsigned long long)c);
		rig_say(&r, line);
		check_look(&r, c);
	}
	phase_track_get(r.s->phases, -1, 0, 5760, &all);
	assert_int_equal(all.looks, 90);
	assert_true(all.alu > 0 && all.mem > 0 && all.alu_peak > 0 && all.active > 0 && all.exited > 0);
	assert_int_equal(all.warps[0], 0); /* every function has its bands */
	rig_close(&r);
}

/* However often the store is halved, it keeps every look; looked at each cycle, the warps add up to the SMs' own count
 * of warp cycles. */
static void test_store_keeps_the_whole_run(void **state)
{
	struct rig r;
	struct phase_sum s;
	u64 resident = 0, looks = 0;
	rig_hotspot(&r, "--set", "phases.period=1");
	rig_say(&r, "until 6000");
	const struct phase_track *t = r.s->phases;
	assert_true(phase_track_span(t) >= 4 && phase_track_end(t) == 6000);
	assert_int_equal(phase_track_resolution(t, 0), phase_track_span(t));
	assert_int_equal(phase_track_resolution(t, 5999), 1);
	for (s32 sm = 0; sm < 15; sm++) {
		phase_track_get(t, sm, 0, 6000, &s);
		assert_int_equal(s.looks, 6000);
		assert_int_equal(band_sum(&s), s.active);
		resident += s.active + s.exited;
	}
	u64 counted = 0;
	for (u32 sm = 0; sm < 15; sm++)
		counted += ((const struct sm_counters *)gpu_counters(sim_gpu(r.s->sim), CG_sm, sm))->occupancy;
	assert_true(llabs((long long)(resident - counted)) < (long long)counted / 200);
	for (u64 from = 0; from < 6000; from += phase_track_span(t)) {
		phase_track_get(t, -1, from, from + phase_track_span(t), &s);
		looks += s.looks;
	}
	assert_int_equal(looks, 6000);
	rig_close(&r);
}

static u64 cycle_sum(const struct phase_sum *s)
{
	return s->cycles[FLIGHT_NONE] + s->cycles[FLIGHT_ALU] + s->cycles[FLIGHT_MEM] + s->cycles[FLIGHT_BOTH];
}

/* Cycles by what was in flight: looked at in each cycle, they are what the looks see; added up, the SMs' counters. */
static void test_cycles_by_flight(void **state)
{
	struct rig r;
	struct phase_sum s;
	u32 slots = 0;
	rig_hotspot(&r, "--set", "phases.period=1");
	rig_say(&r, "until 6000");
	for (s32 sm = 0; sm < 15; sm++) {
		for (u64 c = 5000; c < 6000; c++) {
			phase_track_get(r.s->phases, sm, c, c + 1, &s);
			assert_int_equal(s.looks, 1);
			assert_int_equal(cycle_sum(&s), 1);
			enum flight seen = (s.alu ? FLIGHT_ALU : 0) | (s.mem ? FLIGHT_MEM : 0);
			bool leading = !s.alu && s.cycles[seen | FLIGHT_ALU]; /* the first slots of a longer instruction */
			assert_true(s.cycles[seen] == 1 || leading);
			slots += leading;
		}
		phase_track_get(r.s->phases, sm, 0, 6000, &s);
		const struct sm_counters *k = (const struct sm_counters *)gpu_counters(sim_gpu(r.s->sim), CG_sm, (u32)sm);
		assert_int_equal(cycle_sum(&s), 6000);
		assert_int_equal(s.cycles[FLIGHT_ALU], k->flight_alu);
		assert_int_equal(s.cycles[FLIGHT_MEM], k->flight_mem);
		assert_int_equal(s.cycles[FLIGHT_BOTH], k->flight_both);
		assert_int_equal(s.cycles[FLIGHT_NONE], k->flight_none);
		assert_true(k->flight_alu && k->flight_mem && k->flight_both && k->flight_none);
	}
	phase_track_get(r.s->phases, -1, 0, 6000, &s);
	assert_int_equal(cycle_sum(&s), 15 * 6000);
	assert_true(slots < 1500); /* one cycle in ten */
	/* a fork so far back that the look before it is not kept by itself */
	rig_say(&r, "goto 3000");
	rig_say(&r, "set warp-sched lrr");
	rig_say(&r, "until 5000");
	phase_track_get(r.s->phases, -1, 3000, 5000, &s);
	assert_int_equal(cycle_sum(&s), 15 * s.looks);
	assert_in_range(s.looks, 2000, 2000 + phase_track_span(r.s->phases));
	rig_close(&r);
}

/* Bands cover a function's phases in order; merged ones have the sum of their lengths. */
static void test_bands(void **state)
{
	struct rig r;
	struct phase_params par;
	struct phases ph;
	rig_hotspot(&r, NULL, NULL);
	rig_say(&r, "until 2000");
	const struct phase_track *t = r.s->phases;
	assert_int_equal(phase_track_fns(t), 1);
	const struct phase_fn *f = phase_track_fn(t, 0);
	phase_params_of(&par, &r.s->conf);
	phases_find(&ph, f->mod, f->fn, &par);
	assert_string_equal(f->fn->name, "hotspot");
	assert_int_equal(f->nphases, ph.n);
	assert_int_equal(f->nbands, MIN(ph.n, (u32)PHASE_FN_BANDS));
	u32 phase = 0;
	for (u32 b = 0; b < f->nbands; b++) {
		const struct phase_band *x = phase_track_band(t, f->band + b);
		u32 length = 0;
		assert_int_equal(x->first, phase);
		for (; phase <= x->last; phase++)
			length += ph.list[phase].length;
		assert_int_equal(x->length, length);
	}
	assert_int_equal(phase, ph.n);
	phases_release(&ph);
	rig_close(&r);
}

/* --- time travel -------------------------------------------------------------------------------------------------- */

/* The graph and the timeline of a run up to 6000, as bytes. */
struct record {
	struct phase_sum phase[15 + 1][94];
	struct sample line[23];
};

static void take(struct rig *r, struct record *out)
{
	assert_true(phase_track_end(r->s->phases) >= 94 * 64 && timeline_len(r->s->timeline) >= 23);
	for (s32 sm = -1; sm < 15; sm++)
		for (u32 i = 0; i < 94; i++)
			phase_track_get(r->s->phases, sm, i * 64, i * 64 + 64, &out->phase[sm + 1][i]);
	for (u32 i = 0; i < 23; i++)
		out->line[i] = timeline_sum(r->s->timeline, -1, i, i + 1);
}

static void test_back_and_forth(void **state)
{
	struct rig r;
	struct record *a = xcalloc(2, sizeof *a), *b = a + 1;
	rig_hotspot(&r, NULL, NULL);
	rig_say(&r, "until 6050");
	take(&r, a);
	static const char *const walk[] = {"goto 2000", "goto 6050",        "goto 1000", "until 3000",
	                                   "goto 5999", "reverse-step 300", "goto 100",  "until 6050"};
	for (u32 i = 0; i < ARRAY_LEN(walk); i++) {
		rig_say(&r, walk[i]);
		take(&r, b);
		assert_memory_equal(a, b, sizeof *a);
	}
	rig_say(&r, "until 6400"); /* and on, without a hole */
	struct phase_sum s;
	for (u64 c = 0; c < 6400; c += 64) {
		phase_track_get(r.s->phases, -1, c, c + 64, &s);
		assert_int_equal(s.looks, 1);
	}
	rig_close(&r);
	free(a);
}

/* A change in the past: what came after it is dropped, and recorded anew as in a run that made it straight away. */
static void test_fork(void **state)
{
	struct rig r, straight;
	struct record *a = xcalloc(2, sizeof *a), *b = a + 1;
	rig_hotspot(&r, NULL, NULL);
	rig_say(&r, "until 6050");
	rig_say(&r, "goto 2000");
	rig_say(&r, "set warp-sched lrr");
	assert_in_range(phase_track_end(r.s->phases), 1984, 2000);
	assert_true(timeline_len(r.s->timeline) * timeline_span(r.s->timeline) <= 2000);
	rig_say(&r, "until 6050");
	take(&r, a);
	rig_hotspot(&straight, NULL, NULL);
	rig_say(&straight, "until 2000");
	rig_say(&straight, "set warp-sched lrr");
	rig_say(&straight, "until 6050");
	take(&straight, b);
	assert_memory_equal(a->phase, b->phase, sizeof a->phase);
	for (u32 i = 0; i < 23; i++)
		assert_memory_equal(&a->line[i], &b->line[i], sizeof a->line[i]);
	rig_close(&straight);
	rig_close(&r);
	free(a);
}

/* --- the view ----------------------------------------------------------------------------------------------------- */

static char row_buf[4 * 300 + 1];

static bool shows(struct screen *s, const char *text)
{
	for (int y = 0; y < s->canvas.h; y++)
		if (strstr(canvas_row(&s->canvas, y, row_buf), text))
			return true;
	return false;
}

static void must_show(struct screen *s, const char *text)
{
	if (shows(s, text))
		return;
	for (int y = 0; y < s->canvas.h; y++)
		print_error("%2d|%s\n", y, canvas_row(&s->canvas, y, row_buf));
	fail_msg("no row shows '%s'", text);
}

/* The screen of a debugger without a terminal, showing view 3. */
static struct screen *open_view(struct rig *r, int w, int h)
{
	offscreen_open(r->d);
	struct screen *s = r->d->screen;
	canvas_resize(&s->canvas, h, w);
	s->view = (u32)screen_find_view("3");
	assert_string_equal(views[s->view]->title, "phases");
	frame_draw(s);
	return s;
}

/* Columns of the stack, from the axis' corner on: rows that hold something, without a hole from the bottom up. */
static void check_stack(struct screen *s)
{
	int top = -1, left = -1, bottom;
	u32 corner = s->canvas.ascii ? '+' : 0x250c, side = s->canvas.ascii ? '|' : 0x2502;
	for (int y = 0; y < s->canvas.h && top < 0; y++)
		for (int x = 0; x < 30 && top < 0; x++)
			if (canvas_at(&s->canvas, y, x)->ch == corner) {
				top = y;
				left = x;
			}
	assert_true(top > 0);
	for (bottom = top; canvas_at(&s->canvas, bottom + 1, left)->ch == side;)
		bottom++;
	assert_true(bottom - top >= 4);
	bool full = false;
	for (int x = left + 1; x < s->canvas.w - 1; x++) {
		bool blank = false;
		for (int y = bottom; y >= top; y--) {
			const struct cell *c = canvas_at(&s->canvas, y, x);
			assert_true(c->ch == ' ' || !blank);
			blank = c->ch == ' ';
			full |= y == top && !blank;
			if (s->canvas.ascii || s->canvas.mono)
				assert_true(blank || c->ch == '.' || (c->ch < 127 && isalnum((int)c->ch)));
		}
	}
	assert_true(full); /* the scale is the largest value shown */
}

static void view_at(int w, int h, char *option)
{
	struct rig r;
	rig_hotspot(&r, option, NULL);
	struct screen *s = open_view(&r, w, h);
	must_show(s, "nothing yet");
	rig_say(&r, "until 4000");
	frame_draw(s);
	must_show(s, "SM 0");
	must_show(s, "phases");
	must_show(s, "peak");
	must_show(s, "3,968");
	must_show(s, w < 100 ? "both " : "memory only ");
	check_stack(s);
	for (int i = 0; s->canvas.ascii && i < w * h; i++)
		assert_in_range(s->canvas.cell[i].ch, ' ', '~');
	s->state[s->view].mode = 1;
	frame_draw(s);
	must_show(s, "all SMs");
	check_stack(s);
	rig_close(&r);
}

static void test_view_sizes(void **state)
{
	view_at(80, 24, NULL);
	view_at(120, 40, NULL);
	view_at(250, 70, NULL);
	view_at(80, 24, "--ascii");
	view_at(120, 40, "--no-color");
}

/* Any size, with a zoom and with a cursor: nothing falls over (the sanitizers tell). */
static void test_view_any_size(void **state)
{
	struct rig r;
	rig_hotspot(&r, NULL, NULL);
	rig_say(&r, "until 4000");
	struct screen *s = open_view(&r, 80, 24);
	struct view_state *st = &s->state[s->view];
	for (int w = 20; w <= 250; w += 23)
		for (int h = 5; h <= 70; h += 5) {
			st->zoom = (u32)(w + h) % 8;
			st->cursor_on = true;
			st->cursor = (u64)(w * h);
			canvas_resize(&s->canvas, h, w);
			frame_draw(s);
		}
	rig_close(&r);
}

static void test_view_off(void **state)
{
	struct rig r;
	rig_hotspot(&r, "--set", "phases.period=0");
	must_show(open_view(&r, 80, 24), "phases.period is 0");
	rig_fails(&r, "export phases-svg /dev/null", "phases.period is 0");
	rig_close(&r);
}

/* --- the cursor --------------------------------------------------------------------------------------------------- */

static void test_axis_columns(void **state)
{
	for (u64 len = 1; len < 5000; len = len * 3 + 1)
		for (int w = 1; w <= 200; w += 7) {
			struct time_axis a = {.from = 1000, .to = 1000 + len, .w = w};
			assert_int_equal(cursor_column(a, 999), -1);
			assert_int_equal(cursor_column(a, 1000 + len), -1);
			assert_int_equal(cursor_column(a, 1000), 0);
			for (int x = 0; x < w && len >= (u64)w; x++)
				assert_int_equal(cursor_column(a, cursor_cycle(a, x)), x);
		}
}

static void press(struct screen *s, int key)
{
	struct view_ctx v;
	frame_context(s, &v);
	if (!v.st->cursor_on)
		assert_true(cursor_show(&v));
	else
		assert_true(cursor_key(&v, key));
	frame_draw(s);
}

static int marked_column(const struct screen *s, int y)
{
	for (int x = 20; x < s->canvas.w; x++)
		if (canvas_at(&s->canvas, y, x)->ch == 0x2502 && canvas_at(&s->canvas, y, x)->style.attr & ATTR_BOLD)
			return x;
	return -1;
}

/* The cursor moves a column a key in every view that draws curves over time, and says its cycle and values. */
static void test_cursor_in_views(void **state)
{
	struct rig r;
	rig_hotspot(&r, NULL, NULL);
	rig_say(&r, "until 9000");
	struct screen *s = open_view(&r, 120, 50);
	static const struct {
		const char *view, *value;
	} cases[] = {{"1", "IPC "}, {"3", "ALU "}, {"4", "issued "}, {"5", "L1D "}, {"6", "row hit "}, {"7", "IPC "}};
	for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
		char cycle[40];
		s->view = (u32)screen_find_view(cases[i].view);
		struct view_state *st = &s->state[s->view];
		frame_draw(s);
		if (!st->axis.w)
			fail_msg("view %s has no time axis", cases[i].view);
		press(s, 'c');
		press(s, K_HOME);
		assert_int_equal(st->cursor, st->axis.from);
		for (int k = 0; k < 20; k++)
			press(s, K_RIGHT);
		press(s, K_LEFT);
		assert_int_equal(cursor_column(st->axis, st->cursor), 19);
		if (!strstr(st->cursor_text, cases[i].value))
			fail_msg("view %s: '%s' expected in '%s'", cases[i].view, cases[i].value, st->cursor_text);
		snprintf(cycle, sizeof cycle, "cycle %llu%s", (unsigned long long)st->cursor / 1000, ",");
		must_show(s, st->cursor >= 1000 ? cycle : "cycle ");
		int marks = 0;
		for (int y = 0; y < s->canvas.h; y++)
			marks += marked_column(s, y) >= 0;
		assert_true(marks > 0);
		press(s, K_ESC);
		assert_false(st->cursor_on);
		for (int y = 0; y < s->canvas.h; y++)
			assert_int_equal(marked_column(s, y), -1);
	}
	rig_close(&r);
}

/* Zoomed in, < and > move the span, and so does the cursor at its ends; after going back the run's later part stays. */
static void test_pan_and_now(void **state)
{
	struct rig r;
	struct view_ctx v;
	rig_hotspot(&r, NULL, NULL);
	rig_say(&r, "until 8000");
	struct screen *s = open_view(&r, 80, 24);
	struct view_state *st = &s->state[s->view];
	frame_context(s, &v);
	st->zoom = 2;
	frame_draw(s);
	u64 from = st->axis.from, len = st->axis.to - from;
	assert_int_equal(st->axis.to, 8000);
	assert_int_equal(len, 8000 / 4);
	assert_true(cursor_pan(&v, '<'));
	frame_draw(s);
	assert_int_equal(st->axis.from, from - len / 4);
	assert_int_equal(st->axis.to - st->axis.from, len);
	press(s, 'c');
	press(s, K_HOME);
	from = st->axis.from;
	press(s, K_LEFT);
	assert_true(st->axis.from < from);
	for (int i = 0; i < 20; i++) {
		assert_true(cursor_pan(&v, '>'));
		frame_draw(s);
	}
	assert_int_equal(st->axis.to, 8000);
	st->zoom = 0;
	rig_say(&r, "goto 3000");
	frame_draw(s);
	must_show(s, "8,000");
	must_show(s, "◆");
	rig_close(&r);
}

/* --- colours ------------------------------------------------------------------------------------------------------ */

static double lightness(enum role r, bool light)
{
	char rgb[8];
	u32 c[3];
	picture_role_rgb(r, light, rgb);
	assert_int_equal(sscanf(rgb, "#%2x%2x%2x", &c[0], &c[1], &c[2]), 3);
	return 0.2126 * pow(c[0] / 255.0, 2.2) + 0.7152 * pow(c[1] / 255.0, 2.2) + 0.0722 * pow(c[2] / 255.0, 2.2);
}

/* Both scales get lighter all the way, so that they can be told apart without hues; glyphs of the three sets differ. */
static void test_scales(void **state)
{
	for (u32 n = 0; n < 4; n++)
		for (u32 i = 0; i + 3 < R_NSCALE; i++) {
			enum role first = n % 2 ? R_SCALE1 : R_SCALE0;
			assert_true(lightness(first + i + 3, n / 2) > lightness(first + i, n / 2));
		}
	for (u32 a = 0; a < 3 * PHASE_FN_BANDS; a++)
		for (u32 b = 0; b < a; b++)
			assert_true(phase_look(a / 12, a % 12, 12).glyph != phase_look(b / 12, b % 12, 12).glyph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_looks_agree_with_queries),
	    cmocka_unit_test(test_store_keeps_the_whole_run),
	    cmocka_unit_test(test_cycles_by_flight),
	    cmocka_unit_test(test_bands),
	    cmocka_unit_test(test_back_and_forth),
	    cmocka_unit_test(test_fork),
	    cmocka_unit_test(test_view_sizes),
	    cmocka_unit_test(test_view_any_size),
	    cmocka_unit_test(test_view_off),
	    cmocka_unit_test(test_axis_columns),
	    cmocka_unit_test(test_cursor_in_views),
	    cmocka_unit_test(test_pan_and_now),
	    cmocka_unit_test(test_scales),
	};
	return cmocka_run_group_tests_name("phases", tests, NULL, NULL);
}
