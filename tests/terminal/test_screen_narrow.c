/* 80x24, the smallest usual terminal: texts are whole there, and Ctrl-C gets out of a long answer. The program is
 * ./warpdbg, or what WARPDBG names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/rig/screen_rig.h"

static void start(struct vt *v, const char *option, const char *value)
{
	screen_start(v, 24, 80, "small", (const char *const[]){option, value, NULL},
	             (const char *const[]){"TERM=xterm-256color", NULL});
}

/* With the longest name of a scheduler the SM view's first row still ends with its bracket; the column of instructions
 * leaves the reasons room, and the number of warps below hides none of them. */
static void sm_view(void **state)
{
	struct vt v;
	char row[VT_TEXT_MAX];
	start(&v, "--warp-sched", "tl-paws");
	type(&v, "until 1500\r");
	type(&v, "2");
	assert_shown(&v, "waits for");
	vt_row(&v, 1, row);
	assert_non_null(strstr(row, "tl-paws"));
	const char *run = strstr(row, "(run ");
	assert_non_null(run);
	assert_non_null(strchr(run, ')'));
	vt_row(&v, 2, row);
	assert_non_null(strstr(row, " more"));
	assert_non_null(strstr(row, " instruction "));
	for (int y = 3; y < 20; y++)
		assert_null(strstr(vt_row(&v, y, row), " more"));
	stop(&v);
}

static void help_page(void **state)
{
	struct vt v;
	start(&v, NULL, NULL);
	type(&v, "3?");
	assert_shown(&v, "choose a view");
	bool leaves = false, travels = false;
	for (int i = 0; i < 10; i++) {
		type(&v, "\033[6~"); /* PgDn */
		leaves |= vt_find(&v, "goes back to the prompt") >= 0;
		travels |= vt_find(&v, "anywhere in the run)") >= 0;
	}
	assert_true(leaves && travels); /* every page has been seen */
	assert_int_equal(vt_find(&v, "PgDn: "), -1);
	type(&v, "x");
	vt_resize(&v, 5, 20);
	type(&v, "?");
	assert_shown(&v, "This view");
	type(&v, "\033[6~"); /* however small the screen is */
	assert_int_equal(vt_find(&v, "This view"), -1);
	stop(&v);
}

static void empty_log(void **state)
{
	struct vt v;
	start(&v, NULL, NULL);
	type(&v, "0");
	assert_shown(&v, "`set log EVENT...`.");
	stop(&v);
}

static void interrupted_page(void **state)
{
	struct vt v;
	start(&v, NULL, NULL);
	type(&v, "set pagination on\r");
	type(&v, "help\r");
	assert_shown(&v, "more: space, Enter, q");
	type(&v, "\003");
	assert_int_equal(vt_find(&v, "more: space"), -1);
	type(&v, "step 7\r");
	assert_shown(&v, "cycle 7");
	stop(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sm_view),
	    cmocka_unit_test(help_page),
	    cmocka_unit_test(empty_log),
	    cmocka_unit_test(interrupted_page),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
