/* What must fit: the stop in the title line by whole words, the SM view's units all of them, and the search in the
 * figures of two machines. The program is ./warpdbg, or what WARPDBG names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/rig/screen_rig.h"

static void start(struct vt *v, int h, int w, const char *const *options)
{
	screen_start(v, h, w, "small", options, (const char *const[]){"TERM=xterm-256color", NULL});
}

static const char stop_text[] = "Breakpoint 1, cta-done: SM 1, CTA 1 of hotspot#0 (slot 0, cycles ";

enum title { TITLE_NONE, TITLE_WORDS, TITLE_WHOLE };

/* Does the row show so much of the stop's text: nothing, words of it and an ellipsis, all of it? */
static bool title_is(const char *row, enum title how)
{
	const char *title = strstr(row, "Breakpoint 1");
	if (how == TITLE_NONE || !title)
		return how == TITLE_NONE && !title;
	if (how == TITLE_WHOLE)
		return !strncmp(title, stop_text, sizeof stop_text - 1);
	const char *cut = strstr(title, " …");
	return cut && !strncmp(title, stop_text, (size_t)(cut - title)) && stop_text[cut - title] == ' ';
}

static void stop_is_words(int w, enum title how)
{
	struct vt v;
	char row[VT_TEXT_MAX];
	start(&v, 40, w, NULL);
	vt_send(&v, "break cta-done sm=1\r");
	assert_shown(&v, "Breakpoint 1: cta-done sm=1");
	vt_send(&v, "continue\r");
	assert_shown_from(&v, 1, stop_text); /* in the console it is whole in any case; frames are sent from the top down */
	int64_t end = vt_ms() + WAIT;
	while (!title_is(vt_row(&v, 0, row), how) && vt_ms() < end)
		vt_read(&v, 50);
	if (!title_is(row, how))
		fail_msg("%d columns: %s", w, row);
	stop(&v);
}

static void stops_in_the_title(void **state)
{
	stop_is_words(80, TITLE_NONE);
	stop_is_words(120, TITLE_WORDS);
	stop_is_words(200, TITLE_WHOLE);
}

/* The first of these that the row of the units does not show, NULL = all are there. */
static const char *unit_missing(struct vt *v)
{
	static const char *const need[] = {"MSHRs ", "LSU ", "replay ", "SP", "SFU", "DP"};
	char row[VT_TEXT_MAX] = "";
	for (int y = v->h - 1; y > 0 && !strstr(row, "MSHRs "); y--)
		vt_row(v, y, row);
	for (size_t i = 0; i < sizeof need / sizeof *need; i++)
		if (!strstr(row, need[i]))
			return need[i];
	const char *last = strstr(row, "DP");
	return strstr(last, "·") || strstr(last, "▶") ? NULL : "the last one's state";
}

/* Every unit by name or kind, MSHRs, LSU and the re-execution queue. */
static void units(void **state)
{
	static const int widths[] = {70, 80, 120};
	for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
		struct vt v;
		start(&v, 30, widths[k], (const char *const[]){"--set", "lsu.replay=newcar", NULL});
		vt_send(&v, "until 700\r");
		assert_shown_from(&v, 1, "cycle 700");
		vt_send(&v, "2");
		int64_t end = vt_ms() + WAIT;
		while (unit_missing(&v) && vt_ms() < end)
			vt_read(&v, 50);
		if (unit_missing(&v))
			fail_msg("%d columns: not there: %s", widths[k], unit_missing(&v));
		stop(&v);
	}
}

/* How many warps are below the last row leaves the heads of the columns readable; wide, the CTAs have their warps. */
static void heads_of_the_warps(void **state)
{
	static const char *const heads[] = {"state", "since", "phase", "prio"};
	static const int widths[] = {60, 66, 70, 80, 120};
	for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
		struct vt v;
		char row[VT_TEXT_MAX];
		start(&v, 20, widths[k], NULL);
		vt_send(&v, "until 700\r");
		assert_shown_from(&v, 1, "cycle 700");
		vt_send(&v, "2");
		assert_shown(&v, " more");
		assert_shown(&v, "barriers "); /* below: the row of the heads is complete */
		vt_row(&v, vt_find(&v, " more"), row);
		for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
			if (!strstr(row, heads[i]))
				fail_msg("%d columns: no '%s' in: %s", widths[k], heads[i], row);
		stop(&v);
	}
}

/* Wide terminals: the SM view has a glyph a warp of each CTA, the kernels view what an SM holds and its curves' means.
 */
static void wide(void **state)
{
	static const char *const need[] = {"regs   shared  L1D hit", "32/48", "now ", "mean ", "peak "};
	struct vt v;
	start(&v, 70, 250, NULL);
	vt_send(&v, "until 2000\r");
	assert_shown_from(&v, 1, "cycle 2000");
	vt_send(&v, "2");
	assert_shown(&v, "its warps");
	vt_send(&v, "7");
	for (size_t i = 0; i < sizeof need / sizeof *need; i++)
		assert_shown(&v, need[i]);
	stop(&v);
}

/* Between the lowest curve of the phase view and the shares of what was in flight a row is free. */
static void shares_stand_alone(void **state)
{
	static const int heights[] = {24, 30, 40, 60};
	for (size_t k = 0; k < sizeof heights / sizeof *heights; k++) {
		struct vt v;
		char row[VT_TEXT_MAX];
		start(&v, heights[k], 80, NULL);
		vt_send(&v, "until 2000\r");
		assert_shown_from(&v, 1, "cycle 2000");
		vt_send(&v, "3");
		assert_shown(&v, "in flight ");
		assert_string_equal(vt_row(&v, vt_find(&v, "in flight ") - 1, row), "");
		stop(&v);
	}
}

static void search_figures(void **state)
{
	struct vt v;
	start(&v, 30, 80, (const char *const[]){"--compare", "--warp-sched lrr", NULL});
	vt_send(&v, "9");
	assert_shown(&v, "A");
	vt_send(&v, "continue\r");
	assert_shown(&v, "first different decision: SM"); /* a command typed before that would only stop the run */
	type(&v, "continue\r");
	assert_shown(&v, "B: finished at cycle"); /* the last of the frame: the list above is that of the end */
	type(&v, "\t");
	assert_int_equal(vt_find(&v, "row_hits"), -1); /* further down */
	vt_send(&v, "/row_hits\r");
	assert_shown(&v, "row_hits");
	vt_send(&v, "/no such figure\r");
	assert_shown(&v, "not found");
	stop(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(stops_in_the_title), cmocka_unit_test(units),
	                                   cmocka_unit_test(heads_of_the_warps), cmocka_unit_test(wide),
	                                   cmocka_unit_test(shares_stand_alone), cmocka_unit_test(search_figures)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
