/* Canvas and drawing primitives, without a terminal. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scr/canvas.h"
#include "scr/console_pane.h"
#include "scr/draw.h"

static char row_buf[4 * 200 + 1];
static const char *row(struct canvas *c, int y)
{
	return canvas_row(c, y, row_buf);
}

static void test_text_and_clipping(void **state)
{
	struct canvas c;
	canvas_init(&c, 3, 10, false);
	struct pane p = pane_sub(pane_all(&c), 1, 2, 1, 5);
	assert_int_equal(pane_text(p, 0, 0, STYLE(R_TEXT), "abcdefgh"), 8);
	assert_string_equal(row(&c, 0), "");
	assert_string_equal(row(&c, 1), "  abcde");
	pane_text(p, 1, 0, STYLE(R_TEXT), "below the pane");
	assert_string_equal(row(&c, 2), "");
	pane_right(p, 0, 5, STYLE(R_TEXT), "%d", 1234567);
	assert_string_equal(row(&c, 1), "  34567"); /* clipped at the left */
	canvas_release(&c);
}

/* Control characters, broken UTF-8, wide and combining characters cannot reach a terminal. */
static void test_hostile_text(void **state)
{
	struct canvas c;
	canvas_init(&c, 1, 20, false);
	pane_text(pane_all(&c), 0, 0, STYLE(R_TEXT),
	          "a\033[2J\x80\xc3"
	          "b\xe4\xb8\xad"
	          "c\xcc\x81");
	assert_string_equal(row(&c, 0), "a?[2J??b?c?");
	canvas_clear(&c);
	pane_text(pane_all(&c), 0, 0, STYLE(R_TEXT), "x\ty");
	assert_string_equal(row(&c, 0), "x   y");
	canvas_release(&c);
}

static void test_ascii(void **state)
{
	struct canvas c;
	canvas_init(&c, 1, 40, true);
	pane_text(pane_all(&c), 0, 0, STYLE(R_TEXT), "▶·█░─▁▂▃▄▅▆▇●▸‖中µ×é");
	assert_string_equal(row(&c, 0), ">.#.-_.-=+##*==?ux?");
	canvas_release(&c);
}

static void test_bar_has_eighths(void **state)
{
	struct canvas c;
	canvas_init(&c, 1, 8, false);
	struct pane p = pane_all(&c);
	for (int e = 0; e <= 64; e++) {
		canvas_clear(&c);
		draw_bar(p, 0, 0, 8, STYLE(R_MEM), e / 64.0, false);
		int sum = 0;
		for (int x = 0; x < 8; x++) {
			u32 ch = canvas_at(&c, 0, x)->ch;
			sum += ch == ' ' ? 0 : 0x2590 - (int)ch;
		}
		assert_int_equal(sum, e);
	}
	draw_bar(p, 0, 0, 8, STYLE(R_MEM), NAN, true);
	assert_int_equal(canvas_at(&c, 0, 0)->ch, 0x2591);
	draw_bar(p, 0, 0, 8, STYLE(R_MEM), 1e300, true);
	assert_int_equal(canvas_at(&c, 0, 7)->ch, 0x2588);
	canvas_release(&c);
}

static void test_spark(void **state)
{
	struct canvas c;
	const float v[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, NAN};
	canvas_init(&c, 1, 10, false);
	draw_spark(pane_all(&c), 0, 0, 10, STYLE(R_MEM), v, 10, 8);
	assert_string_equal(row(&c, 0), "▁▁▂▃▄▅▆▇█");
	assert_true(resample(v, 8, 4, 0) == 0.5f && resample(v, 8, 4, 3) == 6.5f);
	assert_true(isnan(resample(v + 9, 1, 4, 0)) && isnan(resample(v, 2, 4, 3)));
	canvas_release(&c);
}

static void test_numbers(void **state)
{
	char b[NUM_MAX];
	assert_string_equal(grouped(0, b), "0");
	assert_string_equal(grouped(999, b), "999");
	assert_string_equal(grouped(1234567, b), "1,234,567");
	assert_string_equal(grouped(UINT64_MAX, b), "18,446,744,073,709,551,615");
	assert_string_equal(fmt_short(b, 999), "999");
	assert_string_equal(fmt_short(b, 999.6), "1.00k");
	assert_string_equal(fmt_short(b, 1920000), "1.92M");
	assert_string_equal(fmt_short(b, 12345), "12.3k");
}

/* Any rectangle on any canvas: nothing is written outside (ASan and the guard row tell). */
static void test_random_rectangles(void **state)
{
	u32 seed = 7;
	for (int i = 0; i < 2000; i++) {
		int r[6];
		for (int k = 0; k < 6; k++) {
			seed = seed * 1664525u + 1013904223u;
			r[k] = (int)(seed >> 20) % 40 - 10;
		}
		struct canvas c;
		canvas_init(&c, r[0], r[1], i & 1);
		struct pane p = pane_sub(pane_all(&c), r[2], r[3], r[4], r[5]);
		float v[5] = {1, NAN, 3, -1, 1e30f};
		draw_rule(p, r[2]);
		draw_bar(p, r[2], r[3], r[4], STYLE(R_MEM), r[5] / 10.0, true);
		draw_meter(p, r[2], r[3], r[4], STYLE(R_MEM), r[5] / 10.0);
		draw_columns(p, r[3], r[2], r[4], r[5], STYLE(R_MEM), v, 5, 4);
		draw_block(p, r[2], r[3], r[4], STYLE(R_MEM), 3, 7, 10, "412");
		pane_attr(p, r[3], r[2], r[5], ATTR_BOLD);
		assert_true(p.h >= 0 && p.w >= 0 && p.y + p.h <= c.h && p.x + p.w <= c.w);
		canvas_release(&c);
	}
}

/* Long answers are folded between words, each row as far in as its line; only a word longer than a row is cut. */
static void test_console_folds(void **state)
{
	struct canvas c;
	struct console con;
	canvas_init(&c, 9, 21, false);
	console_init(&con);
	console_begin_answer(&con);
	console_add(&con, STYLE(R_TEXT),
	            "SM 0 warp 0: fetch for 74 cycles\n    next is sad.ptx:207  add.s32  %r209\n"
	            "  abcdefghijklmnopqrstuvwxyz\nends at the edge: ok\n7\tfma.rn.f32 %f1, %f2;");
	assert_int_equal(console_answer_rows(&con, 21, 100), 10);
	console_draw(&con, pane_all(&c));
	static const char *const rows[] = {" for 74 cycles",        "     next is",          "     sad.ptx:207",
	                                   "     add.s32  %r209",   "   abcdefghijklmnopqr", "   stuvwxyz",
	                                   " ends at the edge: ok", " 7   fma.rn.f32 %f1,",  " %f2;"};
	for (int y = 0; y < 9; y++)
		assert_string_equal(row(&c, y), rows[y]);
	console_release(&con);
	canvas_release(&c);
}

/* The time of a line of many megabytes grows with its length, not with its square: that would be minutes. */
static void test_console_folds_much(void **state)
{
	const size_t n = 16 << 20;
	char *much = xmalloc(n + 1);
	struct console con;
	for (size_t i = 0; i < n; i++)
		much[i] = i % 5 ? 'w' : ' ';
	much[n] = 0;
	console_init(&con);
	console_begin_answer(&con);
	console_add(&con, STYLE(R_TEXT), much);
	alarm(120);
	assert_in_range(console_answer_rows(&con, 81, 1 << 30), n / 81, n / 79);
	alarm(0);
	console_release(&con);
	free(much);
}

/* A text cut short ends with a whole word, or with a clause where that takes little more. */
static void test_words_cut(void **state)
{
	static const char text[] = "Breakpoint 1, l1-evict: SM 3, warp 6 (addr 0x10)";
	static const struct {
		int w;
		const char *left;
	} cut[] = {{60, text},
	           {40, "Breakpoint 1, l1-evict: SM 3, warp 6 …"},
	           {36, "Breakpoint 1, l1-evict: SM 3, …"},
	           {20, "Breakpoint 1, …"},
	           {12, "Breakpoint …"},
	           {6, "Break…"}};
	for (u32 i = 0; i < ARRAY_LEN(cut); i++) {
		struct canvas c;
		canvas_init(&c, 1, 60, false);
		draw_words(pane_all(&c), 0, 0, cut[i].w, STYLE(R_TEXT), text);
		assert_string_equal(row(&c, 0), cut[i].left);
		canvas_release(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text_and_clipping),
	    cmocka_unit_test(test_hostile_text),
	    cmocka_unit_test(test_ascii),
	    cmocka_unit_test(test_bar_has_eighths),
	    cmocka_unit_test(test_spark),
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_random_rectangles),
	    cmocka_unit_test(test_console_folds),
	    cmocka_unit_test(test_console_folds_much),
	    cmocka_unit_test(test_words_cut),
	};
	return cmocka_run_group_tests_name("canvas", tests, NULL, NULL);
}
