/* What the pictures of the views say, cell by cell: one window for "now", the past, one meaning for a letter. Without a
 * terminal: the screen that `screenshot` draws. */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/rig/canvas_rig.h"
#include "tests/rig/debug_rig.h"
#include "scr/palette.h"
#include "session/explain.h"
#include "views/chart.h"
#include "views/frame.h"
#include "views/legend.h"
#include "views/offscreen.h"
#include "views/point.h"

static void open_hotspot(struct rig *r, char *option, char *value)
{
	char *argv[] = {"warpdbg", "debug", "hotspot", "--size", "small", option, value, NULL};
	rig_open(r, argv);
	offscreen_open(r->d);
}

/* Draws a view; the canvas is good until the next one. */
static const struct canvas *look(struct rig *r, const char *view, int h, int w)
{
	struct screen *s = r->d->screen;
	canvas_resize(&s->canvas, h, w);
	s->view = (u32)screen_find_view(view);
	console_init(&s->console);
	frame_draw(s);
	console_release(&s->console);
	return &s->canvas;
}

/* The number behind a word of a row. */
static double number_after(const char *row, const char *word)
{
	double x = NAN;
	const char *at = strstr(row, word);
	assert_non_null(at);
	assert_int_equal(sscanf(at + strlen(word), " %lf", &x), 1);
	return x;
}

/* The title, the column of all SMs together, and what stands beside the curve are one figure of one window. */
static void one_now(void **state)
{
	struct rig r;
	open_hotspot(&r, NULL, NULL);
	rig_say(&r, "until 4000");
	const struct canvas *c = look(&r, "overview", 60, 200);
	double title = number_after(row_of(c, 0), "IPC"), free = number_after(row_of(c, 0), "("), sum = 0;
	assert_non_null(strstr(row_of(c, 0), " in 1,024 cycles"));
	int head = find_row(c, 1, "lost to");
	for (int sm = 0; sm < 15; sm++)
		sum += number_after(row_of(c, head + 1 + sm), "94  25    0");
	assert_float_equal(title, sum, 0.08); /* 15 roundings */
	int y = find_row(c, head + 16, " IPC ");
	assert_float_equal(title, number_after(row_of(c, y), "IPC"), 0.06);
	find_row(c, y, " last 1,024 0 ─");
	u32 without = 0; /* a slot: another look in the curve */
	for (int up = y; up > y - 5; up--)
		for (int x = 15; x < 199; x++)
			without += canvas_at(c, up, x)->style.role == R_FREE || canvas_at(c, up, x)->ground == R_FREE;
	assert_true(without > 20);
	c = look(&r, "kernels", 60, 200); /* the highest is said where no spike runs out of the picture */
	y = find_row(c, head, "peak 480┌");
	assert_float_equal(number_after(row_of(c, y), " now"), 480, 0.5);
	assert_float_equal(number_after(row_of(c, y + 2), " peak"), 480, 0.5);
	c = look(&r, "overview", 60, 200);
	assert_true(free > 0 && title - free <= 30); /* two schedulers of 15 SMs: no more slots than those */
	c = look(&r, "overview", 24, 80);
	double slots = number_after(row_of(c, 0), "IPC"), more = number_after(row_of(c, 0), "+");
	assert_float_equal(slots, title - free, 0.011);
	assert_float_equal(more, free, 0.011);
	assert_non_null(strstr(row_of(c, 0), " in 1,024 "));
	rig_close(&r);
}

static u32 dimmed(const struct canvas *c, int y, int from, int to)
{
	u32 n = 0;
	for (int x = from; x < to; x++)
		n += canvas_at(c, y, x)->ch != ' ' && canvas_at(c, y, x)->style.role == R_FAINT;
	return n;
}

/* Gone back to half of what is known: the title says how far, the later half stands back, the axis is whole. */
static void the_past(void **state)
{
	static const struct {
		int h, w;
		const char *title;
	} sizes[] = {{24, 80, " past -2,000"},
	             {40, 120, "past: 2,000 cycles before 4,000"},
	             {60, 200, "past: 2,000 cycles before 4,000"}};
	struct rig r;
	open_hotspot(&r, NULL, NULL);
	rig_say(&r, "until 4000");
	const struct canvas *c = look(&r, "stalls", 40, 120);
	int y = find_row(c, 3, "over time") + 2;
	assert_null(strstr(row_of(c, 0), "past"));
	assert_int_equal(dimmed(c, y, 1, 119), 0);
	rig_say(&r, "goto 2000");
	for (u32 i = 0; i < ARRAY_LEN(sizes); i++)
		assert_non_null(strstr(row_of(look(&r, "overview", sizes[i].h, sizes[i].w), 0), sizes[i].title));
	c = look(&r, "stalls", 40, 120);
	assert_int_equal(dimmed(c, y, 1, 59), 0);
	assert_int_equal(dimmed(c, y, 61, 119), 58);
	int axis = find_row(c, y, "4,000");
	assert_int_equal(column_of(row_of(c, axis), "◆"), 60);
	/* numbers of the axis stay where the mark falls on them */
	rig_say(&r, "goto 3999");
	c = look(&r, "stalls", 40, 120);
	assert_non_null(strstr(row_of(c, axis), "4,000"));
	/* words make room for it */
	for (int at = 1100; at < 3000; at += 37) {
		char line[40];
		snprintf(line, sizeof line, "goto %d", at);
		rig_say(&r, line);
		c = look(&r, "stalls", 40, 120);
		assert_in_range(column_of(row_of(c, axis), "◆"), 1 + 118 * at / 4000 - 1, 1 + 118 * at / 4000 + 1);
		assert_non_null(strstr(row_of(c, axis), " 33 cycles a column "));
	}
	rig_close(&r);
}

/* Without colours the future is dotted. */
static void the_past_without_colours(void **state)
{
	struct rig r;
	open_hotspot(&r, "--ascii", NULL);
	rig_say(&r, "until 4000");
	rig_say(&r, "goto 2000");
	const struct canvas *c = look(&r, "overview", 60, 200);
	int y = find_row(c, 20, " warps ");
	const char *row = row_of(c, y);
	assert_non_null(strstr(row, "####:::::"));
	rig_close(&r);
}

/* One high column of a hundred does not press the others to the foot; two levels are no spike. */
static void spikes_run_out(void **state)
{
	float v[100];
	for (u32 i = 0; i < ARRAY_LEN(v); i++)
		v[i] = 10 + (float)(i % 3);
	v[3] = 100;
	assert_float_equal(chart_top(v, 100), 14.4, 0.01);
	assert_float_equal(chart_top(v, 10), 100, 0.01);
	v[3] = 15;
	assert_float_equal(chart_top(v, 100), 15, 0.01);
	for (u32 i = 0; i < 30; i++)
		v[i] = 100;
	assert_float_equal(chart_top(v, 100), 100, 0.01);
	v[40] = NAN;
	assert_float_equal(chart_top(v, 100), 100, 0.01);
	for (u32 i = 0; i < 100; i++)
		v[i] = 0;
	assert_float_equal(chart_top(v, 100), 0, 0.01);
}

/* In hotspot the beginning is such a spike: it is marked, and its height said. */
static void spikes_are_marked(void **state)
{
	struct rig r;
	open_hotspot(&r, NULL, NULL);
	rig_say(&r, "until 4000");
	const struct canvas *c = look(&r, "overview", 60, 200);
	int y = find_row(c, 18, "peak ");
	double top = number_after(row_of(c, y - 1), ""), peak = number_after(row_of(c, y), "peak");
	assert_true(peak > 1.5 * top / 1.2);
	assert_true(strstr(row_of(c, y - 1), "▲") != NULL);
	rig_close(&r);
}

/* `?` has every letter and sign there is, with what it means, in every view. */
static void help_has_all(void **state)
{
	struct rig r;
	open_hotspot(&r, NULL, NULL);
	r.d->screen->help = true;
	for (u32 i = 0; i < nviews; i++) {
		const struct canvas *c = look(&r, views[i]->name, 130, 120);
		for (u32 k = 0; k < LG_COUNT; k++) {
			char name[13];
			int y = 0;
			snprintf(name, sizeof name, "%s", legend[k].name);
			while (y < c->h && !(canvas_at(c, y, 3)->ch == legend[k].ch && strstr(row_of(c, y), name)))
				y++;
			if (y == c->h)
				fail_msg("view %c: no %s", views[i]->key, legend[k].name);
		}
	}
	rig_close(&r);
}

/* The column of a text on a row, counted in cells. */
static void must_mean(const struct canvas *c, int y, const char *text, int into, const char *topic, const char *said)
{
	char got[64];
	struct strbuf out = STRBUF_INIT;
	const int x = column_of(row_of(c, y), text);
	if (x < 0)
		fail_msg("row %d has no '%s': %s", y, text, row_of(c, y));
	point_describe(c, y, x + into, &out, got);
	if (strcmp(got, topic) != 0 || !strstr(strbuf_str(&out), said))
		fail_msg("'%s': %s expected, not %s: %s", text, topic, got, strbuf_str(&out));
	strbuf_release(&out);
}

/* Words, numbers and letters are explained where they stand: a number by its column's head or the word beside it. */
static void what_is_there(void **state)
{
	struct rig r;
	open_hotspot(&r, NULL, NULL);
	rig_say(&r, "until 4000");
	rig_say(&r, "goto 2500");
	for (int wide = 0; wide < 2; wide++) {
		const struct canvas *c = look(&r, "overview", wide ? 60 : 24, wide ? 200 : 80);
		const int y = find_row(c, 1, "lost to") + 4;
		must_mean(c, 0, "IPC", 1, "ipc", "1,024");
		must_mean(c, 0, "cycle 2", 8, "cycle", "core clock");
		must_mean(c, 0, "past", 1, "past", "farthest");
		must_mean(c, y - 4, "shm", 1, "shared memory", "sm.shared");
		must_mean(c, y - 4, "lost to", 6, "stall", "1,024");
		must_mean(c, y, "4/8", 1, "cta", "4/8");
		must_mean(c, y, "94", 1, "registers", "%");
		must_mean(c, y, "0.62", 1, "ipc", "1,024");
		must_mean(c, y, "mmmm", 2, "memory dependency", "waits for the result");
		must_mean(c, y, "mshr", 2, wide ? "l1 no mshr" : "mshr", "");
		must_mean(c, y, "51", 0, wide ? "l1 no mshr" : "mshr", "");
	}
	const struct canvas *c = look(&r, "memory", 24, 80);
	int y = find_row(c, 1, "rowhit");
	must_mean(c, y, "rowhit", 2, "hit", "open");
	must_mean(c, y + 1, "15  ", 0, "latency", "arrival");
	c = look(&r, "caches", 24, 80);
	y = find_row(c, 1, "no mshr no");
	must_mean(c, y, "no mshr", 4, "no mshr", "l1d.rf_mshr");
	c = look(&r, "SM", 24, 80);
	y = find_row(c, 1, "since");
	must_mean(c, y, "prio", 0, "priority", "0 = first");
	must_mean(c, y + 4, "/20", 2, "phase", "Awatramani");
	c = look(&r, "kernels", 24, 80);
	must_mean(c, 2, "2,500", 1, "cycle", "core clock");
	/* The views themselves: their names stand in the bar and in the row of keys. */
	for (u32 i = 0; i < nviews; i++) {
		struct strbuf out = STRBUF_INIT;
		char topic[64];
		c = look(&r, views[i]->title, 24, 80);
		for (int row = 0; row < c->h; row++) {
			const int x = column_of(row_of(c, row), views[i]->title);
			if (x < 0)
				continue;
			strbuf_clear(&out);
			point_describe(c, row, x, &out, topic);
			if (strstr(strbuf_str(&out), "knows no such word"))
				fail_msg("%s", strbuf_str(&out));
		}
		strbuf_release(&out);
	}
	rig_close(&r);
}

/* What a CTA scheduler keeps for each SM: the kernels view, `info chunks` and Lua say the same of it. */
static void chunks_are_shown(void **state)
{
	struct rig r;
	open_hotspot(&r, "--cta-sched", "steal");
	rig_has(&r, "info chunks 0", "Kernel 0 is queued; chunks are those of a kernel that runs.\n");
	rig_say(&r, "until 3000");
	rig_has(&r, "info chunks", "kernel 0, hotspot: chunks from their beginnings\n");
	rig_has(&r, "info chunks", "*  0       4       4 .. 4         0 .. 4     -\n");
	rig_has(&r, "info chunks 0", "  14       -  -                  60 .. 63    -\n");
	rig_fails(&r, "info chunks 9", "9 is larger than 1");
	rig_has(
	    &r,
	    "lua c = gpu.kernel[0].chunks[3] print(c.first, c.count, c.left_first, c.left, c.next, c.backward, #c.queue)",
	    "15\t5\t19\t1\t19\tfalse\t0\n");
	rig_has(&r, "lua print(gpu.kernel[0].chunks[14].next, gpu.kernel[1].chunks)", "nil\tnil\n");
	const struct canvas *c = look(&r, "kernels", 60, 200);
	find_row(c, find_row(c, 1, "chunk left"), " 3   → 19 of 15-19 ");
	find_row(c, 1, " 14   → - of 60-63 ");
	c = look(&r, "kernels", 24, 80);
	find_row(c, find_row(c, 1, "chunk "), " 3   → 19 ");
	rig_say(&r, "until 5300"); /* the second kernel goes the other way: what was stolen comes first */
	rig_has(&r, "info chunks", "kernel 1, hotspot: chunks from their ends\n");
	c = look(&r, "kernels", 60, 200);
	find_row(c, find_row(c, 1, "chunk left"), "   ← ");
	rig_close(&r);
	open_hotspot(&r, "--cta-sched", "steal");
	rig_fails(&r, "tbreak cta-steal from=chunck", "from=chunck: one of chunk, queue or a number is expected");
	rig_has(&r, "tbreak cta-steal from=chunk which=last", "cta-steal from=chunk which=last");
	rig_has(&r, "continue", "cta-steal: SM 14, CTA 4 of hotspot#0 (victim 0, from chunk, which last)");
	rig_close(&r);
	open_hotspot(&r, NULL, NULL);
	rig_say(&r, "until 3000");
	rig_has(&r, "info chunks", "cta-sched rr deals no chunks; chunk, reset, flip and steal do.\n");
	rig_has(&r, "lua print(gpu.kernel[0].chunks)", "nil\n");
	rig_close(&r);
}

/* With the focus on a view the prompt's line describes the selection, and follows it. */
static void the_selection_is_described(void **state)
{
	struct rig r;
	open_hotspot(&r, NULL, NULL);
	rig_say(&r, "until 2500");
	rig_say(&r, "focus sm 2 warp 28");
	r.d->screen->focus = ON_VIEW;
	assert_non_null(strstr(row_of(look(&r, "overview", 24, 80), 22), "SM 2 w28  m memory for "));
	rig_say(&r, "focus sm 2 warp 40");
	assert_non_null(strstr(row_of(look(&r, "overview", 24, 80), 22), "SM 2 w40  . empty"));
	assert_non_null(strstr(row_of(look(&r, "stalls", 24, 200), 22), "32 of 48 warps"));
	assert_non_null(strstr(row_of(look(&r, "stalls", 24, 200), 22), "slots lost to l1 no mshr"));
	u32 one = 0;
	rig_say(&r, "focus sm 2 warp 28");
	for (u32 i = 0; i < 40; i++) {
		const char *row = row_of(look(&r, "overview", 24, 80), 22);
		one += strstr(row, " for 1 cycle,") != NULL;
		assert_null(strstr(row, " for 1 cycles"));
		rig_say(&r, i % 3 ? "step" : "next");
	}
	assert_true(one > 0);
	rig_say(&r, "focus sm 2 warp 40");
	r.d->screen->focus = ON_PROMPT;
	assert_null(strstr(row_of(look(&r, "overview", 24, 80), 22), "empty"));
	/* An SM whose warps wait has resident warps all the same. */
	assert_null(strstr(row_of(look(&r, "SM", 40, 120), 1), "all wait"));
	rig_close(&r);
	char *argv[] = {"warpdbg", "debug", "sgemm", "--size", "small", "--gpu", "gtx480", NULL};
	rig_open(&r, argv);
	offscreen_open(r.d);
	rig_say(&r, "until 3000");
	assert_non_null(strstr(row_of(look(&r, "SM", 40, 120), 1), "4 of 48 warps"));
	assert_non_null(strstr(row_of(look(&r, "SM", 40, 120), 1), "all wait"));
	rig_close(&r);
}

static u32 count(const char *row, const char *text)
{
	u32 n = 0;
	for (; (row = strstr(row, text)); row += strlen(text))
		n++;
	return n;
}

/* Eighty SMs that asked their L1D for nothing have no bars. */
static void idle_has_no_bar(void **state)
{
	struct rig r;
	open_hotspot(&r, "--gpu", "v100");
	rig_say(&r, "until 2000"); /* before the launch's latency has passed */
	const struct canvas *c = look(&r, "caches", 60, 200);
	const int y = find_row(c, 1, "MSHRs in use");
	for (int k = 1; k < 20; k++)
		assert_int_equal(count(row_of(c, y + k), "━"), 0);
	rig_say(&r, "until 4600"); /* loads since cycle 3,588 */
	c = look(&r, "caches", 60, 200);
	assert_true(count(row_of(c, find_row(c, 1, "MSHRs in use") + 1), "━") > 10);
	rig_close(&r);
	open_hotspot(&r, "--gpu", "gtx480"); /* room for a bar of the MSHRs, too */
	for (u32 k = 0; k < 2; k++) {
		const char *of = k ? "32/32  ━━━━━━━━" : " 0/32";
		rig_say(&r, k ? "goto 1500" : "until 3000");
		c = look(&r, "caches", 60, 200);
		const char *row = row_of(c, find_row(c, find_row(c, 1, "MSHRs in use"), of));
		if (!k)
			assert_int_equal(count(strstr(row, of), "━"), 0);
	}
	rig_close(&r);
}

static bool is_block(const struct canvas *c, int y, int x)
{
	const u32 ch = canvas_at(c, y, x)->ch;
	return ch >= 0x2581 && ch <= 0x2588;
}

/* Curves below one another do not read as one stack: a row is free above each, a gap and another colour part the CTAs
 * of an SM. */
static void charts_stand_apart(void **state)
{
	static const char *const with[] = {"caches", "kernels", "memory", "overview"};
	struct rig r;
	open_hotspot(&r, "--gpu", "gtx480");
	rig_say(&r, "until 3000");
	for (u32 i = 0; i < ARRAY_LEN(with); i++) {
		const struct canvas *c = look(&r, with[i], 60, 200);
		u32 tops = 0;
		for (int y = 2; y < c->h - 4; y++)
			for (int x = 1; x < c->w - 38; x++) {
				if (canvas_at(c, y, x)->ch != 0x250c)
					continue;
				for (int k = 1; k < (i != 1 ? c->w - x : x < 60 ? 38 : 20); k++)
					if (is_block(c, y - 1, x + k))
						fail_msg("%s: no row is free above row %d: %s", with[i], y, row_of(c, y - 1));
				tops++;
			}
		if (tops < 2)
			fail_msg("%s has %u curves", with[i], tops);
	}
	const struct canvas *c = look(&r, "kernels", 60, 200);
	u32 parts = 0;
	for (int y = find_row(c, 1, "Instructions of each CTA") + 1; y < c->h - 5; y++)
		for (int x = 120; x < c->w; x++)
			if (is_block(c, y, x) && is_block(c, y + 1, x) &&
			    canvas_at(c, y, x)->style.role != canvas_at(c, y + 1, x)->style.role) {
				assert_true(canvas_at(c, y + 1, x)->ch <= 0x2586);
				parts++;
			}
	assert_true(parts > 3);
	rig_close(&r);
}

/* In a narrow SM view a warp that waits for nothing has its instruction to the edge; how many there are. */
static u32 ready_are_whole(const struct canvas *c)
{
	const int at = find_row(c, 1, "waits for"), inst = column_of(row_of(c, at), "prio ") + 6,
	          state = column_of(row_of(c, at), "state");
	u32 n = 0;
	assert_in_range(inst - state, 20, 30);
	for (int y = at + 1; y < 36; y++) {
		if (canvas_at(c, y, state)->ch != 'r')
			continue;
		n++;
		for (int x = inst; x < c->w; x++)
			if (canvas_at(c, y, x)->ch == 0x2026)
				fail_msg("at %d columns: %s", c->w, row_of(c, y));
	}
	return n;
}

/* No operand is cut while columns beside it have room to give: in the source view at 80 columns, where those have
 * given what they have, at 100 none at all; in the SM view at 120. */
static void operands_are_whole(void **state)
{
	static char *const programs[] = {"hotspot", "sgemm", "lud", "kmeans"};
	static const int widths[] = {80, 90, 100, 120, 150, 160, 200, 250};
	u32 ready = 0;
	for (u32 i = 0; i < ARRAY_LEN(programs); i++) {
		struct rig r;
		char *argv[] = {"warpdbg", "debug", programs[i], "--size", "small", "--gpu", "gtx480", NULL};
		rig_open(&r, argv);
		offscreen_open(r.d);
		rig_say(&r, "until 3000");
		for (u32 k = 0; k < ARRAY_LEN(widths); k++) {
			const int h = 250, w = widths[k];
			const struct canvas *c = look(&r, "source", h, w);
			u32 code = 0;
			for (int y = 2; y < h - 4; y++) {
				code += count(row_of(c, y), ";");
				const int cut = column_of(row_of(c, y), "\u2026");
				if (count(row_of(c, y), ".cu:"))
					continue;                               /* a line of CUDA may be as long as it likes */
				if (cut >= 0 && (w >= 100 || cut < w - 28)) /* less than that the other columns cannot take */
					fail_msg("%s at %d columns: %s", programs[i], w, row_of(c, y));
			}
			assert_in_range(code, 30, 250);
			if (w < 100)
				ready += ready_are_whole(look(&r, "sm", 60, w));
			c = w >= 120 ? look(&r, "sm", 60, w) : c;
			for (int y = 2; w >= 120 && y < 36; y++) {
				const int at = find_row(c, 1, "next instruction"), from = column_of(row_of(c, at), "next"),
				          to = column_of(row_of(c, at), "mask");
				assert_true(from > 0 && to - from >= 28);
				for (int x = from; x < to; x++)
					if (canvas_at(c, y, x)->ch == 0x2026)
						fail_msg("%s at %d columns: %s", programs[i], w, row_of(c, y));
			}
		}
		rig_close(&r);
	}
	assert_in_range(ready, 10, 1000);
}

/* --- one meaning --- */

/* Texts have these; all other roles are those of the legend, of series, of areas. */
static bool of_texts(u8 role)
{
	return role <= R_BAD || (role >= R_OPCODE && role <= R_DIRECTIVE);
}

static bool small(u32 ch)
{
	return ch >= 'a' && ch <= 'z';
}

static bool in_word(u32 ch)
{
	return small(ch) || (ch >= '0' && ch <= '9') || (ch >= 'A' && ch <= 'Z');
}

/* Cells of one role from x on that have the same small letter and are no part of a word; 0: none. */
static int letters_at(const struct canvas *c, int y, int x)
{
	const struct cell *at = canvas_at(c, y, x);
	int n = 0;
	if (!small(at->ch) || of_texts(at->style.role))
		return 0;
	while (x + n < c->w && canvas_at(c, y, x + n)->ch == at->ch && canvas_at(c, y, x + n)->style.role == at->style.role)
		n++;
	const struct cell *before = x ? canvas_at(c, y, x - 1) : NULL, *behind = x + n < c->w ? at + n : NULL;
	const bool word = (before && in_word(before->ch) && before->style.role == at->style.role) ||
	                  (behind && in_word(behind->ch) && behind->style.role == at->style.role);
	return word ? 0 : n;
}

/* What stands alone is the legend's, in the legend's colour; the word behind it is its name. */
static u32 check_letters(const struct canvas *c, const char *view)
{
	static const u8 signs[] = {LG_ISSUED, LG_FOCUS, LG_SPIKE, LG_STOP, LG_STOP_OFF, LG_PHASE, LG_POINT, LG_NO_RESTART};
	u32 n = 0;
	for (int y = 1; y < c->h - 4; y++)
		for (int x = 0; x < c->w; x++) {
			const struct cell *at = canvas_at(c, y, x);
			const enum legend_id id = legend_find(at->ch, false);
			const bool letter = letters_at(c, y, x) > 0;
			if (letter && (id == LG_COUNT || legend[id].role != at->style.role))
				fail_msg("%s, row %d, column %d: '%c' in role %d is none of the legend's: %s", view, y, x, (int)at->ch,
				         at->style.role, row_of(c, y));
			for (u32 i = 0; i < ARRAY_LEN(signs); i++)
				if (legend[signs[i]].ch == at->ch && legend[signs[i]].role != at->style.role &&
				    at->style.role != R_FAINT && at->style.role != R_DIM) /* none of it; in a label */
					fail_msg("%s, row %d, column %d: %s in role %d: %s", view, y, x, legend[signs[i]].name,
					         at->style.role, row_of(c, y));
			n += letter;
		}
	return n;
}

/* The rows of the SM view: letter and word of a state. */
static u32 check_words(const struct canvas *c)
{
	u32 n = 0;
	const int head = find_row(c, 1, " state "), x = column_of(row_of(c, head), "state");
	for (int y = head + 1; y < c->h && isdigit((int)canvas_at(c, y, 2)->ch); y++, n++) {
		char word[9] = "";
		for (int i = 0; i < 8 && small(canvas_at(c, y, x + 2 + i)->ch); i++)
			word[i] = (char)canvas_at(c, y, x + 2 + i)->ch;
		const enum legend_id id = legend_find(canvas_at(c, y, x)->ch, false);
		if (id == LG_COUNT || strncmp(legend[id].name, word, strlen(word)) != 0)
			fail_msg("not what the legend says: %s", row_of(c, y));
	}
	return n;
}

/* All views of programs in which warps are in every kind of state: no letter and no sign means two things. */
static void letters_mean_one_thing(void **state)
{
	static const struct {
		char *program, *option, *value, *until;
	} runs[] = {{"hotspot", "--gpu", "gtx480", "until 1400"},   {"hotspot", "--gpu", "gtx480", "until 3000"},
	            {"kmeans", "--gpu", "gtx480", "until 9000"},    {"reduction", "--gpu", "titanv", "until 6300"},
	            {"histogram", "--gpu", "gtx480", "until 4000"}, {"hotspot", "--cta-virtual", "vt", "until 3000"},
	            {"sortnet", "--gpu", "gtx480", "until 5000"}};
	static const int sizes[][2] = {{24, 80}, {40, 120}, {60, 200}};
	u32 n = 0, rows = 0;
	for (u32 i = 0; i < ARRAY_LEN(runs); i++) {
		struct rig r;
		char *argv[] = {"warpdbg", "debug", runs[i].program, "--size", "small", runs[i].option, runs[i].value, NULL};
		rig_open(&r, argv);
		offscreen_open(r.d);
		rig_say(&r, "break cta-done");
		rig_say(&r, "disable 1");
		rig_say(&r, runs[i].until);
		for (u32 k = 0; k < ARRAY_LEN(sizes); k++)
			for (u32 v = 0; v < nviews; v++) {
				const struct canvas *c = look(&r, views[v]->name, sizes[k][0], sizes[k][1]);
				n += check_letters(c, views[v]->name);
				rows += !strcmp(views[v]->title, "SM") ? check_words(c) : 0;
			}
		rig_close(&r);
	}
	if (n < 2000 || rows < 300)
		fail_msg("only %u letters and %u rows seen", n, rows);
}

/* Base reasons that a class of the taxonomy holds. */
static u32 reasons_of(enum taxonomy t, const char *name, u32 *first)
{
	u32 n = 0;
	for (u32 r = 0; r < ST_COUNT; r++)
		if (!strcmp(stall_descs[r].name[t], name)) {
			*first = n ? *first : r;
			n++;
		}
	return n;
}

/* In every taxonomy: a class of one reason has its letter, one of several a capital that no other class there has. */
static void classes_have_letters_of_their_own(void **state)
{
	struct rig r;
	u32 capitals = 0;
	open_hotspot(&r, "--gpu", "gtx480");
	rig_say(&r, "until 3000");
	for (enum taxonomy t = 0; t < TAX_COUNT; t++) {
		char line[40];
		bool taken[26] = {0};
		snprintf(line, sizeof line, "set taxonomy %s", taxonomy_names[t]);
		rig_say(&r, line);
		const struct canvas *c = look(&r, "stall", 50, 120);
		const int sum = find_row(c, 1, "   sum ");
		for (int y = 2; y < sum; y++) {
			char name[40] = "";
			const u32 ch = canvas_at(c, y, 1)->ch;
			u32 first = 0, n = 0;
			for (u32 i = 0; i + 1 < sizeof name && !n; i++) {
				name[i] = (char)canvas_at(c, y, 3 + (int)i)->ch;
				name[i + 1] = '\0';
				if (canvas_at(c, y, 4 + (int)i)->ch == ' ')
					n = reasons_of(t, name, &first);
			}
			if (n == 1 && ch != legend[legend_of_stall(first)].ch)
				fail_msg("%s: not the letter of its reason: %s", taxonomy_names[t], row_of(c, y));
			if (n > 1 && (ch < 'A' || ch > 'Z' || taken[ch - 'A']))
				fail_msg("%s: no capital of its own: %s", taxonomy_names[t], row_of(c, y));
			capitals += n > 1;
			if (n > 1)
				taken[ch - 'A'] = true;
		}
	}
	assert_true(capitals >= 10);
	rig_close(&r);
}

/* --- explanations --- */

static bool resolves(const char *name)
{
	struct strbuf out = STRBUF_INIT;
	struct err e = {0};
	bool ok = explain_name(name, false, &out, &e);
	strbuf_release(&out);
	return ok;
}

/* The name at the beginning of the text: up to a character that names do not have. */
static void name_at(const char *text, char out[64])
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/");
	while (n && strchr(".-/", text[n - 1]))
		n--;
	snprintf(out, 64, "%.*s", (int)MIN(n, (size_t)63), text);
}

static void visit_references(void *ctx, const struct explanation *x)
{
	static const char *const calls[] = {"see ", "See ", "explain "};
	u32 *n = ctx;
	char name[64];
	for (u32 i = 0; i < ARRAY_LEN(calls); i++)
		for (const char *p = x->text; (p = strstr(p, calls[i])); p += strlen(calls[i])) {
			const char *to = p + strlen(calls[i]);
			to += strspn(to, "`'\"");
			name_at(to, name);
			if ((p > x->text && p[-1] != ' ' && p[-1] != '(' && p[-1] != '`') || !strcmp(name, "NAME") ||
			    !strcmp(name, "REASON"))
				continue;
			(*n)++;
			if (!resolves(name))
				fail_msg("%s (%s) sends to '%s', which is nothing", x->name, x->kind, name);
		}
	if (strcmp(x->kind, "concept") != 0)
		return;
	for (const char *p = x->text; *p; p += strcspn(p, " (`"), p += strspn(p, " (`")) { /* l1d.ways and such */
		name_at(p, name);
		const char *dot = strchr(name, '.');
		if (dot && dot > name && dot[1] >= 'a' && name[0] >= 'a' && !strstr(name, ".lua") &&
		    !strstr(name, "bar.sync")) {
			(*n)++;
			if (!resolves(name))
				fail_msg("%s (%s) names '%s', which is nothing", x->name, x->kind, name);
		}
	}
}

static void nothing_dangles(void **state)
{
	u32 n = 0;
	explain_each(NULL, visit_references, &n);
	assert_true(n > 15);
}

/* The words of screens and reports, and what somebody says for them. */
static void every_concept(void **state)
{
	static const struct {
		const char *word, *text;
	} words[] = {
	    {"phase", "Awatramani"},
	    {"CTA", "thread array"},
	    {"SM", "multiprocessor"},
	    {"LSU", "load/store"},
	    {"MSHR", "status holding"},
	    {"scoreboard", "result"},
	    {"occupancy", "limit"},
	    {"tail effect", "few warps"},
	    {"kwi/s", "wall time"},
	    {"thrash", "evict one"},
	    {"thrashes", "evict one"},
	    {"warps", "32 threads"},
	    {"warp", "32 threads"},
	    {"thrashing", "evict"},
	    {"coalesced", "transactions"},
	    {"diverged", "branch"},
	    {"prio", "rank"},
	    {"lost to", "most slots"},
	    {"shm", "shared memory"},
	    {"ANTT", "slower"},
	};
	for (u32 i = 0; i < ARRAY_LEN(words); i++) {
		struct strbuf out = STRBUF_INIT;
		struct err e = {0};
		if (!explain_name(words[i].word, false, &out, &e) || !strstr(strbuf_str(&out), words[i].text))
			fail_msg("explain %s: '%s' expected, not: %s%s", words[i].word, words[i].text, strbuf_str(&out), e.msg);
		strbuf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_now),
	    cmocka_unit_test(the_past),
	    cmocka_unit_test(the_past_without_colours),
	    cmocka_unit_test(spikes_run_out),
	    cmocka_unit_test(spikes_are_marked),
	    cmocka_unit_test(help_has_all),
	    cmocka_unit_test(what_is_there),
	    cmocka_unit_test(chunks_are_shown),
	    cmocka_unit_test(the_selection_is_described),
	    cmocka_unit_test(idle_has_no_bar),
	    cmocka_unit_test(charts_stand_apart),
	    cmocka_unit_test(operands_are_whole),
	    cmocka_unit_test(letters_mean_one_thing),
	    cmocka_unit_test(classes_have_letters_of_their_own),
	    cmocka_unit_test(nothing_dangles),
	    cmocka_unit_test(every_concept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
