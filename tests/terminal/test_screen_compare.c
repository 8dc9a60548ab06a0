/* View 9 through a pseudo-terminal: with and without a second machine, at three sizes, forward and back, in ASCII
 * without colours. The program is ./warpdbg, or what WARPDBG names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/base.h"
#include "tests/rig/screen_rig.h"

static void start(struct vt *v, int h, int w, const char *const *options)
{
	screen_start(v, h, w, "small", options, NULL);
}

/* The cycle in a row of the view: 1 = A's, 2 = B's. */
static long long cycle_in(struct vt *v, int y)
{
	char row[VT_TEXT_MAX];
	const char *p = strstr(vt_row(v, y, row), "cycle ");
	long long n = -1;
	for (p = p ? p + 6 : ""; (*p >= '0' && *p <= '9') || *p == ','; p++)
		n = *p == ',' ? n : (n < 0 ? 0 : n) * 10 + (*p - '0');
	return n;
}

static void assert_cycles(struct vt *v, long long cycle)
{
	int64_t end = vt_ms() + WAIT;
	while ((cycle_in(v, 1) != cycle || cycle_in(v, 2) != cycle) && vt_ms() < end && !v->ended)
		vt_read(v, 50);
	assert_int_equal(cycle_in(v, 1), cycle);
	assert_int_equal(cycle_in(v, 2), cycle);
}

/* Runs to the first different decision; the cycle behind it. */
static long long to_difference(struct vt *v)
{
	char row[VT_TEXT_MAX];
	type(v, "continue\r");
	assert_shown(v, "first different decision: SM");
	int y = vt_find(v, "first different decision: SM");
	const char *p = strstr(vt_row(v, y, row), "cycle ");
	assert_non_null(p);
	long long cycle = atoll(p + 6) + 1;
	assert_cycles(v, cycle);
	return cycle;
}

static void session(int h, int w)
{
	struct vt v;
	char row[VT_TEXT_MAX];
	start(&v, h, w, NULL);
	vt_send(&v, "9");
	assert_shown(&v, "There is no second machine");
	type(&v, "step 700\r");
	assert_shown(&v, "cycle 700");
	type(&v, "compare --warp-sched lrr\r");
	assert_cycles(&v, 700); /* it has caught up */
	assert_shown(&v, "first different decision: SM 0 scheduler 1, cycle ");
	assert_shown(&v, "B: --warp-sched lrr");
	type(&v, "step 2000\r");
	assert_cycles(&v, 2700);
	assert_shown(&v, "B gtx480 lrr/rr");
	assert_shown(&v, "figures differ");
	assert_shown(&v, "run.ipc");
	type(&v, ",");
	assert_cycles(&v, 2699);
	type(&v, "goto 400\r");
	assert_cycles(&v, 400);
	type(&v, "until 2500\r");
	assert_cycles(&v, 2500);
	assert_true(vt_wait(&v, "SM by SM", 0) >= 0 || h < 30);
	assert_non_null(strstr(vt_row(&v, h - 1, row), "9 compare"));
	assert_non_null(strchr(row, '?'));
	type(&v, "\tj"); /* the figures scroll */
	assert_shown(&v, "↑");
	type(&v, "o");
	assert_shown(&v, "by name");
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			assert_true(vt_cell(&v, y, x).chars[0] >= ' ' && vt_cell(&v, y, x).chars[0] != 0xfffd);
	type(&v, "\033until 9000\r"); /* figures of eleven digits, which keep apart */
	assert_cycles(&v, 9000);
	type(&v, "\t/energy.total\r");
	assert_shown(&v, "energy.total");
	char figure[3][40] = {"", "", ""};
	vt_settle(&v, 300, WAIT);
	const char *at = strstr(vt_row(&v, vt_find(&v, "energy.total"), row), "energy.total");
	assert_int_equal(sscanf(at, "%*s %39s %39s %39s", figure[0], figure[1], figure[2]), 3);
	for (int i = 0; i < 3; i++)
		if (strlen(figure[i]) > 13 || !strpbrk(figure[i], "MGT"))
			fail_msg("figure %d is too wide: %s", i, row);
	stop(&v);
}

/* Waits for a row of the list that begins with `name` in another colour than the row below it. */
static void assert_marked(struct vt *v, const char *name)
{
	int64_t end = vt_ms() + WAIT;
	bool marked = false;
	while (!marked && vt_ms() < end && !v->ended) {
		int y = vt_find(v, name);
		VTermColor own = vt_cell(v, MAX(y, 0), 1).fg, next = vt_cell(v, MAX(y, 0) + 1, 1).fg;
		marked = y > 0 && y < v->h / 2 + 8 && !vterm_color_is_equal(&own, &next);
		if (!marked)
			vt_read(v, 50);
	}
	assert_true(marked);
}

/* A figure that a search has found stays marked and in view when the list is in another order and its values change. */
static void found_figure_stays(void **state)
{
	struct vt v;
	start(&v, 24, 80, (const char *const[]){"--compare", "--warp-sched lrr", "--history-mb", "0", NULL});
	vt_send(&v, "9");
	to_difference(&v);
	type(&v, "until 4000\r");
	assert_cycles(&v, 4000);
	type(&v, "\t/slot_use\r");
	assert_marked(&v, "sm.slot_use");
	type(&v, "o");
	assert_shown(&v, "by name"); /* it is the last but few now */
	assert_marked(&v, "sm.slot_use");
	type(&v, "\tuntil 4500\r");
	assert_cycles(&v, 4500);
	assert_marked(&v, "sm.slot_use");
	stop(&v);
}

/* Stopped in the middle of a run, whoever's turn it is: the one beside comes to the same cycle, and both go on. The run
 * is a long one: a busy host may be late with Ctrl-C by seconds. */
static void interrupted_together(void **state)
{
	struct vt v;
	long long before = 0;
	screen_start(&v, 24, 80, "large", (const char *const[]){"--compare", "--set l1d.ways=1", "--history-mb", "0", NULL},
	             NULL);
	type(&v, "9");
	type(&v, "delete\r");
	for (u32 i = 0; i < 3; i++) {
		vt_send(&v, "continue\r");
		assert_shown(&v, "▶");
		for (int64_t end = vt_ms() + 70 + 90 * i; vt_ms() < end;)
			vt_read(&v, 10);
		vt_send(&v, "\003");
		assert_shown(&v, "‖"); /* both have stopped */
		assert_shown(&v, "Interrupted.");
		long long at = cycle_in(&v, 1);
		assert_true(at >= before);
		assert_cycles(&v, at);
		before = at;
		type(&v, "step 10\r");
		assert_cycles(&v, at + 10);
	}
	stop(&v);
}

static void small_screen(void **state)
{
	session(24, 80);
}
static void middle_screen(void **state)
{
	session(40, 120);
}
static void large_screen(void **state)
{
	struct vt v;
	start(&v, 70, 250, (const char *[]){"--compare", "--set l1d.ways=1", "--by", "insts", NULL});
	type(&v, "9");
	assert_shown(&v, "in lock step by insts; B: --set l1d.ways=1");
	type(&v, "delete\r");
	type(&v, "continue\r");
	assert_shown(&v, "finished, check passed");
	assert_shown(&v, "SM by SM");
	assert_shown(&v, "run.cycles");
	assert_shown(&v, "IPC");
	type(&v, "compare off\r");
	assert_shown(&v, "There is no second machine");
	stop(&v);
}

static void ascii_without_colours(void **state)
{
	struct vt v;
	start(&v, 24, 80, (const char *[]){"--compare", "--warp-sched lrr", "--ascii", "--no-color", NULL});
	type(&v, "9");
	to_difference(&v);
	type(&v, "until 4000\r");
	assert_cycles(&v, 4000);
	for (int y = 0; y < v.h; y++)
		for (int x = 0; x < v.w; x++) {
			VTermScreenCell c = vt_cell(&v, y, x);
			assert_true(c.chars[0] >= ' ' && c.chars[0] < 127);
			assert_true(VTERM_COLOR_IS_DEFAULT_FG(&c.fg));
		}
	stop(&v);
}

/* Sizes that leave next to nothing, and back. */
static void tiny_screens(void **state)
{
	static const int sizes[][2] = {{5, 20}, {9, 30}, {12, 80}, {3, 10}, {15, 60}, {24, 80}};
	struct vt v;
	start(&v, 24, 80, (const char *[]){"--compare", "--warp-sched lrr", NULL});
	type(&v, "9");
	long long cycle = to_difference(&v);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		vt_resize(&v, sizes[i][0], sizes[i][1]);
		vt_settle(&v, 150, WAIT);
		assert_false(v.ended);
	}
	assert_cycles(&v, cycle);
	stop(&v);
}
/* The IPC beside A's curve is the title's: the same window of cycles, and named. */
static void one_ipc(void **state)
{
	struct vt v;
	char row[VT_TEXT_MAX];
	double issued, unissued, beside;
	start(&v, 24, 80, (const char *const[]){"--compare", "--warp-sched lrr", "--history-mb", "0", NULL});
	vt_send(&v, "9");
	to_difference(&v);
	type(&v, "until 4500\r");
	assert_cycles(&v, 4500);
	assert_shown(&v, "last 1,024 ");
	assert_int_equal(sscanf(strstr(vt_row(&v, 0, row), "IPC "), "IPC %lf+%lf in 1,024", &issued, &unissued), 2);
	int y = vt_find(&v, " A IPC ");
	assert_true(y > 0);
	assert_int_equal(sscanf(vt_row(&v, y, row), " A IPC %lf", &beside), 1);
	assert_float_equal(beside, issued + unissued, 0.02);
	stop(&v);
}

/* The rows of `whatif`: the best one is chosen, Enter sets the chosen one's machine beside this one, t shows them
 * again. */
static void rows_of_whatif(void **state)
{
	struct vt v;
	start(&v, 30, 100, NULL);
	type(&v, "until 1000\r");
	assert_shown(&v, "cycle 1,000");
	type(&v, "whatif warp-sched=lrr l1d.mshrs=1,64 for 500\r");
	assert_shown(&v, "is the fastest");
	type(&v, "9\t");
	assert_shown(&v, ">");
	type(&v, "\033[H\r"); /* row 0 is this machine */
	assert_shown(&v, "nothing to open");
	type(&v, "\033[B\033[B\r");
	assert_shown(&v, "B: --set warp-sched=lrr --set l1d.mshrs=64");
	assert_shown(&v, "first different decision");
	type(&v, "t");
	assert_shown(&v, "> ");
	assert_shown(&v, "row  warp-sched");
	type(&v, "t");
	assert_shown(&v, "first different decision");
	stop(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(small_screen),          cmocka_unit_test(middle_screen), cmocka_unit_test(large_screen),
	    cmocka_unit_test(ascii_without_colours), cmocka_unit_test(tiny_screens),  cmocka_unit_test(found_figure_stays),
	    cmocka_unit_test(interrupted_together),  cmocka_unit_test(one_ipc),       cmocka_unit_test(rows_of_whatif),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
