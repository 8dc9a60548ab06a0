/* Keys that come faster than they are answered, as over ssh, by key repeat and pasted: each press counts, what is
 * pasted is one, and a word typed while a view has the keys is no keys. The program is ./warpdbg, or what WARPDBG
 * names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "scr/term.h"
#include "terminal/input.h"
#include "tests/rig/screen_rig.h"

#define PASTE "\033[200~"
#define PASTED "\033[201~"
#define LONG 200000

static void start_sized(struct vt *v, const char *size)
{
	screen_start(v, 24, 80, size, NULL, (const char *const[]){"TERM=xterm-256color", NULL});
}

static void start(struct vt *v)
{
	start_sized(v, "small");
}

static void assert_cycle(struct vt *v, unsigned cycle)
{
	char text[40], row[VT_TEXT_MAX];
	snprintf(text, sizeof text, cycle < 1000 ? " cycle %u " : " cycle %u,%03u ", cycle < 1000 ? cycle : cycle / 1000,
	         cycle % 1000);
	for (int64_t end = vt_ms() + WAIT; !strstr(vt_row(v, 0, row), text) && vt_ms() < end;)
		vt_read(v, 50);
	if (!strstr(row, text))
		fail_msg("the title shows '%s', not %s", row, text);
	vt_settle(v, 200, WAIT);
	assert_non_null(strstr(vt_row(v, 0, row), text)); /* and stays there */
}

/* More than the terminal's queue takes: what the program writes meanwhile is read. */
static void send_long(struct vt *v, const char *before, char letter, size_t n, const char *after)
{
	size_t head = strlen(before), len = head + n + strlen(after);
	char *text = malloc(len + 1);
	memcpy(text, before, head);
	memset(text + head, letter, n);
	memcpy(text + head + n, after, strlen(after) + 1);
	for (size_t at = 0; at < len && !v->ended;) {
		struct pollfd p = {.fd = v->fd, .events = POLLOUT};
		size_t part = len - at < 1024 ? len - at : 1024;
		ssize_t wrote = poll(&p, 1, 20) > 0 ? write(v->fd, text + at, part) : 0;
		at += wrote > 0 ? (size_t)wrote : 0;
		while (vt_read(v, 0))
			;
	}
	free(text);
}

static void every_step_counts(void **state)
{
	struct vt v;
	start(&v);
	type(&v, "....................");
	assert_cycle(&v, 20);
	type(&v, ".,.,.,,,");
	assert_cycle(&v, 18);
	type(&v, "step 99\r\r\r"); /* Enter repeats it */
	assert_cycle(&v, 18 + 3 * 99);
	type(&v, "\t..\t.,,,");
	assert_cycle(&v, 18 + 3 * 99);
	type(&v, "step 5\r[]"); /* the snapshot before, and back */
	assert_cycle(&v, 18 + 3 * 99 + 5);
	type(&v, "step 20000\r.."); /* longer than a slice: they wait */
	assert_shown(&v, "finished");
	stop(&v);
}

/* Steps pressed while a long one is under way wait for it, all of them, in their order. */
static void steps_wait_for_a_long_one(void **state)
{
	struct vt v;
	start_sized(&v, "default");
	type(&v, "step 20000\r....................");
	assert_cycle(&v, 20020);
	type(&v, "step 20000\r..........,,,....,,..");
	assert_cycle(&v, 40020 + 11);
	stop(&v);
}

/* The machine beside this one has turns of its own. */
static void every_step_counts_for_both(void **state)
{
	struct vt v;
	start(&v);
	type(&v, "compare --warp-sched lrr\r");
	assert_shown(&v, "B");
	type(&v, "....................");
	assert_cycle(&v, 20);
	type(&v, "step 30\r\r.");
	assert_cycle(&v, 81);
	type(&v, "9");
	assert_shown(&v, "B");
	stop(&v);
}

static void long_lines(void **state)
{
	struct vt v;
	start(&v);
	assert_true(v.pastes);
	int64_t from = vt_ms();
	send_long(&v, PASTE "echo ", 'a', LONG, PASTED "\r");
	assert_shown(&v, "aaaaaaaaaa\342\200\246"); /* its beginning */
	send_long(&v, "echo ", 'b', LONG, "\r");    /* from a terminal that does not mark it */
	assert_shown(&v, "bbbbbbbbbb\342\200\246");
	type(&v, "print 40 + 2\r");
	assert_shown(&v, " 42");
	assert_in_range(vt_ms() - from, 0, WAIT); /* when it was quadratic: 200 s */
	stop(&v);
}

/* CPU time that taking in a paste of n bytes takes, the least of three, in ns. */
static uint64_t paste_ns(size_t n)
{
	uint64_t least = UINT64_MAX;
	for (int k = 0; k < 3; k++) {
		struct input in;
		struct timespec from, to;
		bool ends;
		input_init(&in);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
		input_paste_key(&in, K_PASTE, 0);
		for (size_t i = 0; i < n; i++)
			input_paste_key(&in, 'a', 0);
		input_paste_key(&in, K_PASTE_END, 0);
		free(input_pasted(&in, &ends));
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
		input_release(&in);
		const uint64_t ns =
		    (uint64_t)(to.tv_sec - from.tv_sec) * 1000000000u + (uint64_t)to.tv_nsec - (uint64_t)from.tv_nsec;
		least = ns < least ? ns : least;
	}
	return least;
}

/* Eight times as long takes some eight times as much, not 64. */
static void pastes_are_linear(void **state)
{
	const uint64_t one = paste_ns(8000), eight = paste_ns(64000);
	if (eight > 24 * one)
		fail_msg("8,000 bytes: %llu ns, 64,000: %llu", (unsigned long long)one, (unsigned long long)eight);
}

/* Lines run one after the other, each waits for the run before it; blanks and prompts in front of them mean nothing, a
 * blank line repeats nothing, and what follows the last line end is there to be edited. */
static void pasted_lines(void **state)
{
	struct vt v;
	start(&v);
	type(&v, PASTE "step 5\r(wd) step 6\n\n  (wd)   step 7\r\n\tstep 1" PASTED);
	assert_shown(&v, "(wd)  step 1");
	assert_cycle(&v, 18);
	type(&v, "0\r");
	assert_cycle(&v, 28);
	type(&v, PASTE "break cycle 700\rcontinue\rstep 5\rprint 40 + 2\r" PASTED "3");
	assert_cycle(&v, 705);
	assert_shown(&v, " 42");
	assert_shown(&v, "warps in each phase"); /* a key pressed behind it */
	type(&v, "\t" PASTE "step 5\r" PASTED);  /* whatever has the keys */
	assert_cycle(&v, 710);
	type(&v, PASTE "q . . \302\265 \303" PASTED); /* keys of an empty prompt; half a character */
	assert_shown(&v, "(wd) q . . \302\265 ?");
	type(&v, "\003  step 2\r (wd) step 3\r"); /* not marked as pasted */
	assert_cycle(&v, 715);
	stop(&v);
}

/* Ctrl-C stops what a pasted line runs, and the rest of the paste is gone. */
static void interrupted_paste(void **state)
{
	struct vt v;
	char row[VT_TEXT_MAX];
	start_sized(&v, "large");
	vt_send(&v, PASTE "continue\rquit\rquit\r" PASTED);
	assert_shown(&v, "\342\226\266"); /* runs */
	vt_settle(&v, 100, 500);
	vt_send(&v, "\003");
	assert_shown(&v, "Interrupted");
	assert_shown(&v, "2 lines of what was pasted are dropped");
	vt_settle(&v, 200, WAIT);
	assert_false(v.ended);
	type(&v, "goto 0\r");
	assert_cycle(&v, 0);
	vt_send(&v, PASTE "step 1"); /* the end of it never comes */
	vt_settle(&v, 200, WAIT);
	vt_send(&v, "\003");
	usleep(700000);
	type(&v, "..");
	assert_cycle(&v, 2);
	vt_send(&v, PASTE "step 1");
	vt_settle(&v, 200, WAIT);
	type(&v, "\003");
	type(&v, "\003"); /* once more: it does not wait */
	type(&v, ".");
	assert_cycle(&v, 3);
	assert_non_null(strstr(vt_row(&v, 22, row), "(wd)"));
	assert_null(strstr(row, "step"));
	stop(&v);
}

/* With the keys on a view: letters that are none of its own begin a command, and so do its own once the word shows it.
 */
static void words_are_no_keys(void **state)
{
	struct vt v;
	start(&v);
	type(&v, "step 300\r");
	assert_cycle(&v, 300);
	type(&v, "\twhy\r");
	assert_shown(&v, "SM 0 warp 0 (warp 0 of CTA 0");
	assert_shown(&v, "SM warps");
	type(&v, "\tfocus sm 3\r");
	assert_shown(&v, "SM 3 w0");
	type(&v, "\tcontinue"); /* c is the cursor's key */
	assert_shown(&v, "(wd) continue");
	assert_int_equal(vt_find(&v, "\342\224\200 cycle "), -1);
	type(&v, "\003\tc"); /* alone it shows it */
	usleep(600000);
	assert_shown(&v, "overview \342\224\200 cycle ");
	type(&v, "\033\033");
	type(&v, "4\ttbreak cycle 310\r");
	assert_shown(&v, "Temporary breakpoint 1");
	type(&v, "\033");
	assert_shown(&v, "taxonomy base");
	type(&v, "\tc 1\r");
	assert_cycle(&v, 310);
	assert_shown(&v, "taxonomy base"); /* 1 has changed no view */
	type(&v, "\t:step 2\r");
	assert_cycle(&v, 312);
	type(&v, ":step 2\r");
	assert_cycle(&v, 314);
	type(&v, "8\tn 1\r"); /* not the next place searched for, and no run */
	assert_shown(&v, "8 source");
	type(&v, "\tn"); /* nothing has been searched for: a command */
	assert_shown(&v, "(wd) n");
	type(&v, "\003/bar.sync\r");
	assert_shown(&v, "Tab prompt");
	type(&v, "n");
	assert_int_equal(vt_find(&v, "(wd) n"), -1); /* the next place */
	type(&v, "\t");
	vt_settle(&v, 200, WAIT);
	type(&v, "goto 314\r\tundo\r");
	type(&v, "goto 314\r");
	assert_cycle(&v, 314);
	stop(&v);
}

/* Enter in the SM view opens the source at the warp, also where the source was left elsewhere. */
static void enter_goes_to_the_warp(void **state)
{
	struct vt v;
	char row[VT_TEXT_MAX];
	start(&v);
	type(&v, "step 300\r");
	vt_settle(&v, 300, WAIT);
	type(&v, "8\t");
	for (int i = 0; i < 12; i++)
		type(&v, "\033[6~");
	vt_settle(&v, 200, WAIT);
	assert_int_equal(vt_find(&v, "\342\226\270 "), -1); /* the warp's line is out of sight */
	type(&v, "2\r");
	assert_shown(&v, "8 source");
	vt_settle(&v, 200, WAIT);
	const int y = vt_find(&v, "\342\226\270 ");
	assert_true(y > 1 && y < 20);
	assert_true(atoi(vt_row(&v, y, row)) > 0); /* a line of the source */
	type(&v, "\t");
	stop(&v);
}

/* Enter goes closer in a view, and moves nothing; the bar and the prompt say who has the keys, also without colours. */
static void the_focus_is_seen(void **state)
{
	static const char *const looks[] = {"TERM=xterm-256color", "NO_COLOR=1", "TERM=vt100"};
	for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
		struct vt v;
		screen_start(&v, 24, 80, "small", (const char *const[]){i == 1 ? "--ascii" : NULL, NULL},
		             (const char *const[]){looks[i], NULL});
		type(&v, ".8");
		assert_int_equal(vt_find(&v, "keys act on the view"), -1);
		type(&v, "\t");
		assert_shown(&v, "(wd) SM 0 w0  "); /* what is selected */
		int y = vt_find(&v, "Tab prompt ");
		assert_true(y > 0);
		for (int x = 0; x < 80; x++)
			assert_true(vt_cell(&v, y, x).attrs.reverse);
		type(&v, "\r\r");
		assert_shown(&v, "Enter has nothing to open in this view");
		assert_cycle(&v, 1);
		type(&v, "\t");
		y = vt_find(&v, "Tab view ");
		assert_true(y > 0);
		for (int x = 0; x < 80; x++)
			assert_false(vt_cell(&v, y, x).attrs.reverse);
		stop(&v);
	}
}

/* Some 8 kB/s: while it carries a picture the keys that come are done, and one picture shows them. */
static void slow_line(void **state)
{
	struct vt v;
	start(&v);
	type(&v, "step 300\r");
	assert_cycle(&v, 300);
	vt_settle(&v, 300, WAIT);
	const size_t before = v.bytes;
	v.slow_us = 8000;
	for (int i = 0; i < 60; i++) {
		vt_send(&v, ".");
		for (int64_t end = vt_ms() + 15; vt_ms() < end;)
			vt_read(&v, 1);
	}
	const int64_t last = vt_ms();
	char row[VT_TEXT_MAX];
	while (!strstr(vt_row(&v, 0, row), " cycle 360 ") && vt_ms() < last + WAIT)
		vt_read(&v, 50);
	const int64_t behind = vt_ms() - last;
	v.slow_us = 0;
	vt_settle(&v, 300, WAIT);
	if (behind > 1500 || v.bytes - before > 25000) /* 8 s and 60 kB, with a picture for each key */
		fail_msg("%lld ms behind the last key, %zu bytes", (long long)behind, v.bytes - before);
	stop(&v);
}

/* A terminal that answers nothing any more is not waited for longer than an answer may be lost. */
static void silent_terminal(void **state)
{
	struct vt v;
	start(&v);
	type(&v, "12.");
	assert_cycle(&v, 1);
	v.mute = true;
	type(&v, "1");
	vt_settle(&v, 300, WAIT);
	type(&v, "2");
	assert_shown(&v, "waits for");
	type(&v, "...");
	assert_cycle(&v, 4);
	stop(&v);
}

/* The list of views: v with the focus on the view. Digits give keys, Enter shows; a word that begins with v is none of
 * it. */
static void list_of_views(void **state)
{
	struct vt v;
	start(&v);
	type(&v, "\tv");
	assert_shown(&v, "gives it this key");
	assert_shown(&v, "warps and CTAs over time, cycle by cycle");
	type(&v, "\033[H"); /* lanes is the eleventh */
	for (int i = 0; i < 10; i++)
		type(&v, "\033[B");
	type(&v, "\r");
	assert_shown(&v, "─ lanes ─");
	type(&v, "v3\r");
	assert_shown(&v, "3 lanes");
	type(&v, "1");
	type(&v, "3");
	assert_shown(&v, "3 lanes");
	type(&v, "view stall key 1\r"); /* typed at once */
	type(&v, "1");
	assert_shown(&v, "issue slots");
	type(&v, "\tv\033");
	vt_settle(&v, 300, WAIT);
	assert_shown(&v, "issue slots");
	stop(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_step_counts),
	    cmocka_unit_test(every_step_counts_for_both),
	    cmocka_unit_test(slow_line),
	    cmocka_unit_test(silent_terminal),
	    cmocka_unit_test(steps_wait_for_a_long_one),
	    cmocka_unit_test(pastes_are_linear),
	    cmocka_unit_test(long_lines),
	    cmocka_unit_test(pasted_lines),
	    cmocka_unit_test(interrupted_paste),
	    cmocka_unit_test(words_are_no_keys),
	    cmocka_unit_test(enter_goes_to_the_warp),
	    cmocka_unit_test(the_focus_is_seen),
	    cmocka_unit_test(list_of_views),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
