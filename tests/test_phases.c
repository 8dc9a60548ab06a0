/* The phase graph: what is recorded, time travel, the view at several sizes, the cursor on time axes, and the files of
 * `export`, `screenshot` and --phases. */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "debug_rig.h"
#include "export.h"
#include "obs/timeline.h"
#include "passes/phases.h"
#include "scr/frame.h"
#include "scr/offscreen.h"
#include "scr/picture.h"
#include "scr/term.h"
#include "views/cursor.h"
#include "views/phase_look.h"

static void rig_hotspot(struct rig *r, char *option, char *value)
{
	char *argv[] = {"warpdbg", "debug", "hotspot", "--size", "small", option, value, NULL};
	rig_open(r, argv);
}

/* --- what is recorded
 * ------------------------------------------------------------------------------------------------- */

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

/* --- time travel
 * ------------------------------------------------------------------------------------------------------ */

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
		out->line[i] = *timeline_raw(r->s->timeline, -1, i);
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

/* --- the view
 * --------------------------------------------------------------------------------------------------------- */

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

/* --- the cursor
 * ------------------------------------------------------------------------------------------------------- */

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
	} cases[] = {{"1", "IPC "}, {"3", "ALU "}, {"4", "issued "}, {"5", "L1D "}, {"6", "DRAM "}, {"7", "IPC "}};
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

/* --- files
 * ------------------------------------------------------------------------------------------------------------ */

static char dir[] = "/tmp/test_phases.XXXXXX";

static char *path_of(const char *name)
{
	static char path[200];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

static void say_file(struct rig *r, const char *command, const char *name, const char *more)
{
	char line[300];
	snprintf(line, sizeof line, "%s %s%s", command, path_of(name), more);
	rig_say(r, line);
}

static struct strbuf content(const char *name)
{
	struct strbuf s = STRBUF_INIT;
	struct err e = {0};
	if (!strbuf_read_file(&s, path_of(name), &e))
		fail_msg("%s", e.msg);
	return s;
}

/* Every row has as many numbers as the head has names; returns the rows. */
static u32 check_csv(const char *name, void (*row)(const double *v, u32 n))
{
	struct strbuf s = content(name);
	char *line, *rest = s.buf;
	u32 names = 1, rows = 0;
	line = strsep(&rest, "\n");
	for (const char *p = line; *p; p++)
		names += *p == ',';
	while ((line = strsep(&rest, "\n")) && *line) {
		double v[128];
		u32 n = 0;
		for (char *field; (field = strsep(&line, ",")); n++) {
			char *end;
			assert_true(n < ARRAY_LEN(v));
			v[n] = strtod(field, &end);
			assert_true(!*end || !strcmp(field, "all"));
		}
		assert_int_equal(n, names);
		row(v, n);
		rows++;
	}
	strbuf_release(&s);
	return rows;
}

static void timeline_row(const double *v, u32 n)
{
	assert_true(v[0] > 0 && v[1] == 256);
}

static void phase_row(const double *v, u32 n)
{
	double sum = 0;
	for (u32 i = 9; i < n; i++)
		sum += v[i];
	assert_true(fabs(sum - v[3]) < 0.01); /* the bands' columns are the active warps */
	assert_true(v[7] >= v[5] - 0.01 && v[8] >= v[6] - 0.01);
}

/* Tags are closed in order, attributes quoted, no bare ampersand: what a browser asks of it. */
static void check_xml(const char *name)
{
	struct strbuf s = content(name);
	char open[64][32];
	u32 depth = 0, elements = 0;
	for (const char *p = strbuf_str(&s); *p;) {
		if (*p == '&')
			assert_true(strcspn(p, ";") < 10 && (p[1] == '#' || isalpha((u8)p[1])));
		if (*p++ != '<')
			continue;
		bool closes = *p == '/';
		size_t n = strcspn(p + closes, " >/\n");
		const char *end = p;
		for (char quote = 0; *end && (quote || *end != '>'); end++)
			quote = quote ? (*end == quote ? 0 : quote) : *end == '\'' || *end == '"' ? *end : 0;
		assert_int_equal(*end, '>');
		if (closes) {
			assert_true(depth > 0 && strlen(open[depth - 1]) == n && !strncmp(open[depth - 1], p + 1, n));
			depth--;
		} else if (end[-1] != '/') {
			assert_true(depth < 64 && n < 32);
			snprintf(open[depth++], 32, "%.*s", (int)n, p);
		}
		elements++;
		p = end + 1;
	}
	assert_int_equal(depth, 0);
	assert_true(elements > 20);
	assert_int_equal(strncmp(s.buf, "<svg xmlns=", 11), 0);
	strbuf_release(&s);
}

static json_t *check_json(const char *name)
{
	json_error_t e;
	json_t *j = json_load_file(path_of(name), 0, &e);
	if (!j)
		fail_msg("%s:%d: %s", name, e.line, e.text);
	return j;
}

static void test_export(void **state)
{
	struct rig r;
	char trace[200];
	snprintf(trace, sizeof trace, "%s", path_of("run.json"));
	rig_hotspot(&r, "--trace", trace);
	rig_say(&r, "until 6000");
	rig_has(&r, "export", "phases-svg");
	say_file(&r, "export csv", "t.csv", "");
	assert_int_equal(check_csv("t.csv", timeline_row), 23);
	say_file(&r, "export phases-csv", "p.csv", "");
	assert_int_equal(check_csv("p.csv", phase_row), 16 * 93);
	say_file(&r, "export phases-svg", "p.svg", "");
	check_xml("p.svg");
	say_file(&r, "export phases-svg", "p3.svg", " 3");
	check_xml("p3.svg");
	struct strbuf svg = content("p3.svg");
	assert_non_null(strstr(svg.buf, "SM 3"));
	assert_non_null(strstr(svg.buf, "phases of hotspot"));
	strbuf_release(&svg);
	say_file(&r, "export json", "s.json", "");
	json_t *j = check_json("s.json");
	assert_int_equal(json_integer_value(json_object_get(j, "cycles")), 6000);
	json_decref(j);
	say_file(&r, "export trace", "so-far.json", "");
	j = check_json("so-far.json");
	size_t early = json_array_size(json_object_get(j, "traceEvents"));
	assert_true(early > 50);
	json_decref(j);
	rig_say(&r, "continue"); /* the recorder goes on undisturbed */
	rig_close(&r);
	j = check_json("run.json");
	assert_true(json_array_size(json_object_get(j, "traceEvents")) > early);
	json_decref(j);
}

static void test_export_errors(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_fails(&r, "export phase-svg /dev/null", "did you mean 'phases-svg'");
	rig_fails(&r, "export csv", "a file is expected");
	rig_fails(&r, "export csv /dev/null 3", "'3' is left over");
	rig_fails(&r, "export phases-svg /dev/null 99", "larger than 14");
	rig_fails(&r, "export csv /nonexistent/x.csv", "No such file");
	rig_fails(&r, "export csv /dev/full", "cannot write");
	rig_fails(&r, "export trace /dev/null", "--trace");
	rig_fails(&r, "lua dbg.export('csv', '/dev/null')", "--allow-io");
	rig_fails(&r, "lua dbg.execute('export csv /dev/null')", "--allow-io");
	rig_fails(&r, "lua dbg.execute('screenshot /tmp/x.svg')", "--allow-io");
	rig_fails(&r, "export csv '/tmp/x", "the quote is not closed");
	rig_fails(&r, "export csv \"/tmp/x\\\"", "the quote is not closed");
	rig_fails(&r, "export csv ''", "a file is expected");
	char *much = xcalloc(3000, 1);
	snprintf(much, 3000, "screenshot /tmp/%02000d.svg", 0);
	rig_fails(&r, much, "more than 1023 letters");
	free(much);
	rig_fails(&r, "screenshot", "a file is expected");
	rig_fails(&r, "screenshot /tmp/x.jpg", "the ending says");
	rig_fails(&r, "screenshot /tmp/x.svg nothing", "'nothing' is no view");
	rig_fails(&r, "screenshot /tmp/x.svg 3 4x4", "a size from 20x5");
	rig_fails(&r, "screenshot /nonexistent/x.svg", "No such file");
	rig_fails(&r, "screenshot /nonexistent/x.png", "No such file");
	rig_close(&r);
}

/* Names with blanks and quotes, as they are. */
static void test_export_names(void **state)
{
	static const char *const written[][2] = {{"'a b.csv'", "a b.csv"},
	                                         {"\"a  c.csv\"", "a  c.csv"},
	                                         {"\"q\\\"x\\\\.csv\"", "q\"x\\.csv"},
	                                         {"it's.csv", "it's.csv"},
	                                         {"'say \"so\".csv'", "say \"so\".csv"}};
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "until 600");
	for (u32 i = 0; i < ARRAY_LEN(written); i++) {
		char line[400], quoted[100];
		const char *w = written[i][0];
		char quote = *w == '"' || *w == '\'' ? *w : 0;
		snprintf(quoted, sizeof quoted, "%s", w + (quote != 0));
		if (quote)
			snprintf(line, sizeof line, "export csv %c%s", quote, path_of(quoted));
		else
			snprintf(line, sizeof line, "export csv %s", path_of(quoted));
		rig_say(&r, line);
		struct stat st;
		assert_int_equal(stat(path_of(written[i][1]), &st), 0);
		assert_true(st.st_size > 100);
		unlink(path_of(written[i][1]));
	}
	rig_close(&r);
}

static void test_export_from_lua(void **state)
{
	struct rig r;
	char line[300];
	rig_hotspot(&r, "--allow-io", NULL);
	rig_say(&r, "until 2000");
	snprintf(line, sizeof line, "lua dbg.export('phases-svg', '%s', 2)", path_of("lua.svg"));
	rig_say(&r, line);
	check_xml("lua.svg");
	rig_fails(&r, "lua dbg.export('csv', '/nonexistent/x')", "No such file");
	rig_fails(&r, "lua dbg.export('phases-svg', '/dev/null', 15)", "no such SM");
	rig_close(&r);
}

static void test_screenshot(void **state)
{
	struct rig r;
	struct stat st;
	rig_hotspot(&r, NULL, NULL);
	offscreen_open(r.d); /* as batch mode does at its start */
	rig_say(&r, "until 4000");
	say_file(&r, "screenshot", "a.txt", "");
	struct strbuf s = content("a.txt");
	u32 lines = 0;
	for (const char *p = s.buf; *p; p++)
		lines += *p == '\n';
	assert_int_equal(lines, 24);
	assert_non_null(strstr(s.buf, "SM warps"));
	assert_non_null(strstr(s.buf, "cycle 4,000"));
	assert_null(strstr(s.buf, "IPC 0.00")); /* the views have been watching */
	strbuf_release(&s);
	say_file(&r, "screenshot", "b.svg", " phases 120x40");
	check_xml("b.svg");
	s = content("b.svg");
	assert_non_null(strstr(s.buf, "width='1096' height='776'"));
	assert_non_null(strstr(s.buf, ">Phases<"));
	strbuf_release(&s);
	say_file(&r, "screenshot", "c.txt", " 7");
	s = content("c.txt");
	assert_non_null(strstr(s.buf, "Kernels"));
	strbuf_release(&s);
	char line[300];
	snprintf(line, sizeof line, "screenshot %s 4", path_of("d.png"));
	if (rig_try(&r, line)) {
		s = content("d.png");
		assert_memory_equal(s.buf, "\x89PNG", 4);
		strbuf_release(&s);
	} else {
		assert_non_null(strstr(r.e.msg, "librsvg2-bin"));
		assert_int_equal(stat(path_of("d.png"), &st), -1);
	}
	rig_close(&r);
}

/* A picture is the same at the same place after `run` has begun anew. */
static void test_screenshot_is_reproducible(void **state)
{
	struct rig r;
	rig_hotspot(&r, NULL, NULL);
	offscreen_open(r.d);
	rig_say(&r, "break cycle 5000");
	rig_say(&r, "continue");
	say_file(&r, "screenshot", "first.svg", " 1");
	rig_say(&r, "until 7000");
	rig_say(&r, "run"); /* to the breakpoint */
	say_file(&r, "screenshot", "again.svg", " 1");
	struct strbuf a = content("first.svg"), b = content("again.svg");
	assert_string_equal(a.buf, b.buf);
	strbuf_release(&a);
	strbuf_release(&b);
	rig_close(&r);
}

static void run_with_phases(const char *name)
{
	struct options o;
	struct err e = {0};
	char *argv[] = {"warpdbg", "run", "hotspot", "--size", "small", "--phases", path_of(name), NULL};
	assert_int_equal(cmdline_parse(&o, 7, argv, &e), CMDLINE_OK);
	struct session *s = session_open(&o, &e);
	assert_non_null(s);
	assert_int_equal(session_run(s, NEVER, &e), SS_FINISHED);
	assert_true(session_close_outputs(s, &e));
	session_close(s);
	cmdline_free(&o);
}

static void refuse_phases(char *file, char *setting, const char *text)
{
	struct options o;
	struct err e = {0};
	char *argv[] = {"warpdbg", "run", "hotspot", "--phases", file, "--set", setting, NULL};
	assert_int_equal(cmdline_parse(&o, 7, argv, &e), CMDLINE_OK);
	assert_null(session_open(&o, &e));
	if (!strstr(e.msg, text))
		fail_msg("'%s' expected in: %s", text, e.msg);
	cmdline_free(&o);
}

static void test_headless(void **state)
{
	run_with_phases("run.csv");
	assert_true(check_csv("run.csv", phase_row) > 100);
	run_with_phases("run.svg");
	check_xml("run.svg");
	refuse_phases("x.txt", "seed=1", ".csv or .svg");
	refuse_phases("/nonexistent/x.svg", "seed=1", "No such file");
	refuse_phases("/dev/null.svg", "phases.period=0", "phases.period is 0");
}

/* --- colours
 * ---------------------------------------------------------------------------------------------------------- */

static double lightness(enum role r, bool light)
{
	char rgb[8];
	u32 c[3];
	picture_role_rgb(r, light, rgb);
	assert_int_equal(sscanf(rgb, "#%2x%2x%2x", &c[0], &c[1], &c[2]), 3);
	return 0.2126 * pow(c[0] / 255.0, 2.2) + 0.7152 * pow(c[1] / 255.0, 2.2) + 0.0722 * pow(c[2] / 255.0, 2.2);
}

/* Both scales get lighter all the way, so that they can be told apart without hues; glyphs of the four sets differ. */
static void test_scales(void **state)
{
	for (u32 n = 0; n < 4; n++)
		for (u32 i = 0; i + 3 < R_NSCALE; i++) {
			enum role first = n % 2 ? R_SCALE1 : R_SCALE0;
			assert_true(lightness(first + i + 3, n / 2) > lightness(first + i, n / 2));
		}
	for (u32 a = 0; a < 4 * PHASE_FN_BANDS; a++)
		for (u32 b = 0; b < a; b++)
			assert_true(phase_look(a / 12, a % 12, 12).glyph != phase_look(b / 12, b % 12, 12).glyph);
}

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char command[100];
	snprintf(command, sizeof command, "rm -r %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_looks_agree_with_queries),
	    cmocka_unit_test(test_store_keeps_the_whole_run),
	    cmocka_unit_test(test_bands),
	    cmocka_unit_test(test_back_and_forth),
	    cmocka_unit_test(test_fork),
	    cmocka_unit_test(test_view_sizes),
	    cmocka_unit_test(test_view_any_size),
	    cmocka_unit_test(test_view_off),
	    cmocka_unit_test(test_axis_columns),
	    cmocka_unit_test(test_cursor_in_views),
	    cmocka_unit_test(test_pan_and_now),
	    cmocka_unit_test(test_export),
	    cmocka_unit_test(test_export_errors),
	    cmocka_unit_test(test_export_names),
	    cmocka_unit_test(test_export_from_lua),
	    cmocka_unit_test(test_screenshot),
	    cmocka_unit_test(test_screenshot_is_reproducible),
	    cmocka_unit_test(test_headless),
	    cmocka_unit_test(test_scales),
	};
	return cmocka_run_group_tests_name("phases", tests, make_dir, remove_dir);
}
