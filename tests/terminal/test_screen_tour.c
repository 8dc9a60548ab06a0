/* A newcomer's way through the screen: the keys that act are shown where they act, Enter goes closer, an empty panel
 * says why, a long answer says what it hides, and the source finds what is worth seeing. The program is ./warpdbg, or
 * what WARPDBG names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/rig/screen_rig.h"

static void start(struct vt *v, int h, int w)
{
	screen_start(v, h, w, "small", NULL, (const char *const[]){"TERM=xterm-256color", NULL});
}

static void assert_gone(struct vt *v, const char *text)
{
	for (int64_t end = vt_ms() + WAIT; vt_find(v, text) >= 0 && vt_ms() < end;)
		vt_read(v, 50);
	assert_int_equal(vt_find(v, text), -1);
}

/* At 80 columns the key line has room for the views alone: the line above the console has the other keys, and those of
 * the view while it has the focus. */
static void keys_are_shown(void **state)
{
	struct vt v;
	start(&v, 24, 80);
	assert_shown(&v, " space run  . step  , back  Tab view ");
	assert_shown(&v, " r ready x short m mem s unit b bar f fetch ");
	type(&v, "\t");
	assert_shown(&v, " overview ─ arrows SM, warp  Enter that SM  w power  Tab prompt ");
	assert_gone(&v, "Tab view");
	type(&v, "\r");
	assert_shown(&v, " SM ─ up, down warp  left, right SM  Enter its source  Tab prompt ");
	assert_shown(&v, "waits for");
	type(&v, "\r");
	assert_shown(&v, "─ h hottest line  / search");
	assert_shown(&v, "hotspot.ptx");
	static const char *const all[] = {"3", "4", "5", "6", "7", "9", "0"};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) { /* every view fits, to the way back */
		type(&v, all[i]);
		assert_shown(&v, "Tab prompt ─");
	}
	type(&v, "\t");
	assert_shown(&v, "Tab view ─");
	stop(&v);
}

static void empty_panels_say_why(void **state)
{
	struct vt v;
	start(&v, 40, 120);
	assert_shown(&v, "  no sample yet");
	type(&v, "4");
	assert_shown(&v, "No issue slot has passed yet");
	type(&v, "3");
	assert_shown(&v, "nothing yet: the warps are looked at every 64 cycles");
	type(&v, "1");
	type(&v, "until 1500\r");
	assert_shown(&v, "cycle 1,500");
	assert_gone(&v, "no sample yet");
	stop(&v);
}

/* A long answer opens at its top and says what it hides; PgDn and PgUp, which every terminal sends, go through it while
 * the keys are at the prompt; two ways to get the view's rows back, and PgDn scrolls the view again. */
static void long_answers(void **state)
{
	struct vt v;
	start(&v, 24, 80);
	type(&v, "help\r");
	assert_shown(&v, " more lines: PgDn  Esc: shrink ─");
	assert_shown(&v, "Simulates N cycles");
	assert_shown(&v, "SM 0-");
	type(&v, "\033[6~");
	assert_gone(&v, "Simulates N cycles");
	for (int i = 0; i < 40 && vt_find(&v, ": PgDn  Esc: shrink") >= 0; i++)
		type(&v, "\033[6~");
	assert_shown(&v, "Unambiguous prefixes work too");
	assert_shown(&v, " lines above: PgUp  Esc: shrink ─");
	type(&v, "\033[5~");
	assert_gone(&v, "Unambiguous prefixes work too");
	for (int i = 0; i < 40 && vt_find(&v, "Simulates N cycles") < 0; i++)
		type(&v, "\033[5~");
	assert_shown(&v, "Simulates N cycles");
	type(&v, "\033");
	assert_gone(&v, "more lines");
	assert_gone(&v, "SM 0-");
	type(&v, "help\r");
	assert_shown(&v, "SM 0-");
	type(&v, "\t");
	assert_gone(&v, "SM 0-");
	type(&v, "\tstep 30\r8");
	assert_shown(&v, "hotspot.ptx");
	type(&v, "help\r");
	assert_shown(&v, "Simulates N cycles");
	type(&v, "\033");
	for (int i = 0; i < 40 && vt_find(&v, "ret;") < 0; i++)
		type(&v, "\033[6~");
	assert_shown(&v, "ret;");
	stop(&v);
}

/* The inspections, what they say and why a warp waits: all open at their top, on the smallest usual screen. */
static void answers_open_at_their_top(void **state)
{
	static const struct {
		const char *line, *first;
	} answers[] = {
	    {"help inspect longest_waits\r", "inspect longest_waits: the longest waits"},
	    {"inspect\r", "cta_lifetimes   how long"},
	    {"inspect line_stalls\r", "--- line_stalls, cycle 1500 ---"},
	    {"inspect cta_lifetimes\r", "--- cta_lifetimes, cycle 1500 ---"},
	    {"inspect longest_waits\r", "--- longest_waits, cycle 1500 ---"},
	    {"why machine\r", "warps resident"},
	};
	struct vt v;
	start(&v, 24, 80);
	type(&v, "until 1500\r");
	assert_shown(&v, "cycle 1,500");
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
		type(&v, answers[i].line);
		assert_shown(&v, answers[i].first);
		type(&v, "\033");
	}
	stop(&v);
}

/* Caches nobody used give their rows to the SMs. */
static void every_sm_in_caches(void **state)
{
	struct vt v;
	start(&v, 24, 80);
	type(&v, "until 1500\r5");
	assert_shown(&v, "Caches  L1D refuses in ");
	assert_shown(&v, " 32/32    14        ");
	assert_int_equal(vt_find(&v, " L1T "), -1);
	assert_shown(&v, " L1D reads miss  cold 100.0%  of its accesses"); /* every line is asked for once until now */
	assert_shown(&v, " SM 0 lines alive by CTA, ");
	type(&v, "\tc\x1b[D"); /* the cursor, a column back: what is there */
	assert_shown(&v, "  L2 misses cold ");
	type(&v, "w"); /* both caches' causes over time instead of the list */
	assert_shown(&v, "L1D misses│");
	assert_shown(&v, "L2 misses │");
	assert_shown(&v, " L2  reads miss  k cold ");
	assert_int_equal(vt_find(&v, " 32/32    14        "), -1);
	type(&v, "w");
	assert_shown(&v, " 32/32    14        ");
	stop(&v);
}

/* Causes over time, where there are rows for them: letters name the areas. The focused SM's lines. */
static void causes_in_caches(void **state)
{
	struct vt v;
	char row[VT_TEXT_MAX];
	start(&v, 60, 200);
	type(&v, "until 1500\r5");
	assert_shown(&v, " L1D reads miss  k cold ");
	bool letter = false;
	for (int y = 0; y < 60; y++)
		letter |= strstr(vt_row(&v, y, row), "█k█") != NULL;
	assert_true(letter);
	assert_shown(&v, "L2 misses │");
	type(&v, "focus sm 3\r");
	assert_shown(&v, " SM 3 lines alive by CTA, ");
	stop(&v);
}

/* The last window of a program is its tail: what counts at the end is the mean. The focus has nowhere to stand then:
 * the source shows where warps waited most; h goes through the lines in that order. */
static void after_the_end(void **state)
{
	struct vt v;
	char first[VT_TEXT_MAX], row[VT_TEXT_MAX];
	start(&v, 24, 80);
	type(&v, "continue\r");
	assert_shown(&v, "check passed");
	assert_shown(&v, " run IPC ");
	type(&v, "8");
	assert_shown(&v, "hotspot.ptx");
	assert_int_equal(vt_find(&v, ".version"), -1);
	assert_shown(&v, " ██"); /* the longest bar */
	type(&v, "\th");
	vt_settle(&v, 400, WAIT);
	vt_row(&v, 3, first);
	type(&v, "h");
	for (int64_t end = vt_ms() + WAIT; !strcmp(vt_row(&v, 3, row), first) && vt_ms() < end;)
		vt_read(&v, 50);
	assert_string_not_equal(row, first);
	stop(&v);
}

/* Operands stand in one column, however long the opcode: PTX files separate them with a tab. */
static void operands_align(void **state)
{
	struct vt v;
	char a[VT_TEXT_MAX], b[VT_TEXT_MAX];
	start(&v, 40, 120);
	type(&v, "8/selp.u32\r");
	int y = vt_wait(&v, " selp.u32", WAIT);
	vt_settle(&v, 400, WAIT);
	y = vt_find(&v, " selp.u32");
	assert_true(y > 0);
	vt_row(&v, y, a);
	int z = vt_find(&v, " setp.gt.s32");
	assert_true(z > 0);
	vt_row(&v, z, b);
	assert_non_null(strstr(a, "%r"));
	assert_non_null(strstr(b, "%p"));
	assert_int_equal(strstr(a, "%r") - a, strstr(b, "%p") - b);
	stop(&v);
}

/* The mark of the present on a time axis leaves the axis' numbers whole, and the heat of the source, in which warps
 * that were refused count, is after going back what it was. */
static void going_back(void **state)
{
	enum { ROWS = 24 };
	static char was[ROWS][VT_TEXT_MAX];
	struct vt v;
	char row[VT_TEXT_MAX];
	start(&v, 40, 120);
	type(&v, "until 3000\r8");
	assert_shown(&v, "cycle 3,000");
	assert_shown(&v, "waits %");
	vt_settle(&v, 400, WAIT);
	for (int y = 1; y < ROWS; y++)
		vt_row(&v, y, was[y]);
	type(&v, "until 4000\r");
	assert_shown(&v, "cycle 4,000");
	type(&v, "goto 3000\r");
	assert_shown(&v, "cycle 3,000");
	vt_settle(&v, 400, WAIT);
	for (int y = 1; y < ROWS; y++)
		assert_string_equal(vt_row(&v, y, row), was[y]);
	type(&v, "/ld.global.f32\r"); /* the loads that others waited for, more than they were refused themselves */
	assert_shown(&v, " m ██");
	type(&v, "\t4");
	assert_shown(&v, "4,000"); /* the last sample's end */
	type(&v, "goto 3800\r");
	assert_shown(&v, "cycle 3,800");
	assert_shown(&v, "4,000");
	stop(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(keys_are_shown),     cmocka_unit_test(empty_panels_say_why),
	    cmocka_unit_test(long_answers),       cmocka_unit_test(answers_open_at_their_top),
	    cmocka_unit_test(every_sm_in_caches), cmocka_unit_test(causes_in_caches),
	    cmocka_unit_test(after_the_end),      cmocka_unit_test(operands_align),
	    cmocka_unit_test(going_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
