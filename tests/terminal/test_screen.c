/* The screen through a pseudo-terminal and libvterm: keys in, cells out. The program is ./warpdbg, or what WARPDBG
 * names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <termios.h>

#include <cmocka.h>

#include "tests/rig/screen_rig.h"

static const char *program(void)
{
	const char *p = getenv("WARPDBG");
	return p && *p ? p : "./warpdbg";
}

static const char *workload_size = "small";

static void start(struct vt *v, int h, int w, const char *option, const char *const more_env[])
{
	screen_start(v, h, w, workload_size, (const char *const[]){option, NULL}, more_env);
}

static const char *title(struct vt *v)
{
	static char row[VT_TEXT_MAX];
	return vt_row(v, 0, row);
}

/* The cycle the title shows, or -1. */
static long long shown_cycle(struct vt *v)
{
	const char *p = NULL; /* the last one: the stop's reason may name a cycle too */
	for (const char *at = title(v); (at = strstr(at, "cycle ")); at++)
		p = at;
	if (!p)
		return -1;
	long long n = 0;
	for (p += 6; (*p >= '0' && *p <= '9') || *p == ','; p++)
		n = *p == ',' ? n : n * 10 + (*p - '0');
	return n;
}

static void wait_cycle(struct vt *v, long long cycle)
{
	int64_t end = vt_ms() + WAIT;
	while (shown_cycle(v) != cycle && vt_ms() < end && !v->ended)
		vt_read(v, 50);
	assert_int_equal(shown_cycle(v), cycle);
}

/* Leaves with q y; the terminal must be as it was: main screen, visible cursor, cooked mode. */
static void leave(struct vt *v)
{
	struct termios t;
	vt_send(v, "q");
	assert_shown(v, "Leave warpdbg?");
	vt_send(v, "y");
	int status = vt_wait_end(v, WAIT);
	assert_true(WIFEXITED(status));
	assert_false(v->altscreen);
	assert_true(v->cursor);
	if (tcgetattr(v->fd, &t) == 0) {
		assert_true(t.c_lflag & ICANON);
		assert_true(t.c_lflag & ECHO);
	}
	vt_free(v);
}

/* --- what is where ------------------------------------------------------------------------------------------------ */
static void check_size(int h, int w)
{
	struct vt v;
	char row[VT_TEXT_MAX];
	start(&v, h, w, NULL, NULL);
	assert_non_null(strstr(title(&v), "hotspot"));
	assert_non_null(strstr(title(&v), "gtx480"));
	assert_int_equal(shown_cycle(&v), 0);
	type(&v, "step 500\r");
	wait_cycle(&v, 500);
	static const struct {
		const char *key, *text;
	} views[] = {{"2", "waits for"},   {"3", "warps in each phase"}, {"4", "Lost issue slots"},
	             {"5", "Caches"},      {"6", "Interconnect"},        {"7", "Kernels"},
	             {"8", "hotspot.ptx"}, {"9", "no second machine"},   {"0", "Log"},
	             {"1", "SM warps"}};
	for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
		vt_send(&v, views[i].key);
		assert_shown(&v, views[i].text);
		assert_string_not_equal(title(&v), "");
		assert_non_null(strstr(vt_row(&v, h - 2, row), "(wd)"));
		assert_non_null(strstr(vt_row(&v, h - 1, row), "1 over"));
	}
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			assert_true(vt_cell(&v, y, x).chars[0] >= ' ' && vt_cell(&v, y, x).chars[0] != 0xfffd);
	leave(&v);
}

static void test_80x24(void **state)
{
	check_size(24, 80);
}
static void test_120x40(void **state)
{
	check_size(40, 120);
}
static void test_250x70(void **state)
{
	check_size(70, 250);
}

/* Every cell of the overview's SM rows is one of the table's glyphs, and each state has its own colour. */
static void test_warp_cells(void **state)
{
	struct vt v;
	start(&v, 24, 80, NULL, NULL);
	type(&v, "step 1000\r");
	wait_cycle(&v, 1000);
	type(&v, "\033"); /* Esc: the console gives its rows back */
	int head = vt_find(&v, "SM warps");
	assert_true(head > 0);
	char row[VT_TEXT_MAX];
	int left = (int)(strstr(vt_row(&v, head, row), "warps") - row); /* the head is ASCII: bytes are columns */
	int resident = 0;
	VTermColor memory = {0}, barrier = {0};
	bool has_memory = false, has_barrier = false;
	for (int y = head + 1; y <= head + 15; y++)
		for (int x = left; x < left + 48; x++) {
			VTermScreenCell c = vt_cell(&v, y, x);
			uint32_t ch = c.chars[0];
			assert_true(ch == 0x25b6 || ch == 0xb7 || (ch < 128 && strchr("rxmsbfzP", (int)ch)));
			resident += ch != 0xb7;
			if (ch == 'm') {
				memory = c.fg;
				has_memory = true;
			}
			if (ch == 'b') {
				barrier = c.fg;
				has_barrier = true;
			}
		}
	assert_true(resident > 0);
	if (has_memory)
		assert_false(VTERM_COLOR_IS_DEFAULT_FG(&memory));
	if (has_memory && has_barrier)
		assert_false(vterm_color_is_equal(&memory, &barrier));
	leave(&v);
}

/* The SM view tells the queues of a two-level scheduler, and where each warp stands in its function. */
static void test_scheduler_state(void **state)
{
	struct vt v;
	start(&v, 24, 80, NULL, NULL);
	type(&v, "step 600\r");
	wait_cycle(&v, 600);
	type(&v, "set warp-sched tl-gto\r");
	type(&v, "step 40\r");
	wait_cycle(&v, 640);
	vt_send(&v, "2");
	assert_shown(&v, "scheds    0 ready ");
	assert_shown(&v, " | active ");
	assert_shown(&v, "since phase prio  next instruction  waits for");
	leave(&v);
}

/* A cursor on the phase graph: left and right move it, Enter goes to its cycle and comes back from there, Esc hides it;
 * in the stalls view left and right choose an SM until c shows it. */
static void test_time_cursor(void **state)
{
	struct vt v;
	start(&v, 24, 80, NULL, NULL);
	type(&v, "step 3000\r");
	wait_cycle(&v, 3000);
	type(&v, "3\t");
	assert_shown(&v, "warps in each phase");
	type(&v, "\033[D");
	assert_shown(&v, " phases ─ cycle 2,"); /* at the end of the graph */
	type(&v, "\033[H\033[C\033[C\033[C\033[C\033[C\033[C\033[C\033[C\033[C\033[C");
	assert_shown(&v, "ALU ");
	type(&v, "\r");
	long long there = shown_cycle(&v);
	assert_in_range(there, 10 * 2900 / 80, 10 * 3000 / 50);
	type(&v, "\033[F\r"); /* what came after is still there */
	for (int i = 0; i < 50 && shown_cycle(&v) <= 2850; i++)
		vt_settle(&v, 100, WAIT); /* on a loaded host it takes its time to go there */
	assert_true(shown_cycle(&v) > 2850);
	type(&v, "\033");
	assert_int_equal(vt_find(&v, " phases ─ cycle"), -1);
	type(&v, "4\033[C");
	assert_int_equal(vt_find(&v, " stalls ─ cycle"), -1);
	type(&v, "c");
	assert_shown(&v, " stalls ─ cycle 2,");
	type(&v, "\t");
	leave(&v);
}

/* --- keys --------------------------------------------------------------------------------------------------------- */
static void test_step_and_repeat(void **state)
{
	struct vt v;
	start(&v, 24, 80, NULL, NULL);
	type(&v, ".");
	wait_cycle(&v, 1);
	type(&v, "step 99\r");
	wait_cycle(&v, 100);
	type(&v, "\r"); /* an empty line repeats the last step */
	wait_cycle(&v, 199);
	leave(&v);
}

static void test_run_and_stop(void **state)
{
	struct vt v;
	start(&v, 24, 80, NULL, NULL);
	type(&v, "break cycle 700\r");
	type(&v, " ");
	wait_cycle(&v, 700);
	type(&v, " ");
	int64_t end = vt_ms() + WAIT; /* to the end of the program, or at least on */
	while (shown_cycle(&v) <= 700 && vt_ms() < end)
		vt_read(&v, 50);
	assert_true(shown_cycle(&v) > 700);
	vt_send(&v, "\003");
	vt_settle(&v, 300, WAIT);
	long long at = shown_cycle(&v);
	vt_settle(&v, 300, WAIT);
	assert_int_equal(shown_cycle(&v), at); /* it stands still */
	leave(&v);
}

/* Ctrl-C and the space bar stop a long run, wherever it is, and it can go on. */
static void test_interrupt(void **state)
{
	static const char *const stops[] = {"\003", " "};
	struct vt v;
	workload_size = "large";
	start(&v, 24, 100, NULL, NULL);
	workload_size = "small";
	for (size_t i = 0; i < 2; i++) {
		long long before = shown_cycle(&v);
		int64_t end = vt_ms() + WAIT;
		vt_send(&v, " ");
		while (shown_cycle(&v) < before + 2000 && vt_ms() < end)
			vt_read(&v, 10);
		vt_send(&v, stops[i]);
		assert_true(vt_wait(&v, "stopped", WAIT) == 0);
		assert_shown(&v, "Interrupted");
		if (shown_cycle(&v) <= before)
			fail_msg("at stop %zu: '%s', before %lld", i, title(&v), before);
		assert_null(strstr(title(&v), "finished"));
	}
	leave(&v);
}

static void test_line_editor(void **state)
{
	struct vt v;
	start(&v, 24, 80, NULL, NULL);
	type(&v, "step 55\177\177\0337"); /* the last key is Meta-7: a count, dropped by the next line */
	type(&v, "\007\025");
	type(&v, "stepp\177 10");
	assert_shown(&v, "(wd) step 10");
	type(&v, "\r");
	wait_cycle(&v, 10);
	type(&v, "\033[A"); /* up: the line before */
	assert_shown(&v, "(wd) step 10");
	type(&v, "\033[D7\r"); /* left, insert: step 170 */
	wait_cycle(&v, 180);
	type(&v, "\022st"); /* Ctrl-R */
	assert_shown(&v, "reverse-i-search");
	type(&v, "\007");
	assert_shown(&v, "(wd)");
	type(&v, "contin\t");
	assert_shown(&v, "(wd) continue");
	type(&v, "\025info \t"); /* candidates are listed */
	assert_shown(&v, "breakpoints");
	type(&v, "\025");
	leave(&v);
}

static void test_errors_stay(void **state)
{
	struct vt v;
	start(&v, 24, 80, NULL, NULL);
	type(&v, "frobnicate\r");
	assert_shown(&v, "frobnicate");
	type(&v, "break no-such-event\r");
	assert_shown(&v, "no-such-event");
	type(&v, "step 5\r");
	wait_cycle(&v, 5);
	leave(&v);
}

static void test_quit_question(void **state)
{
	struct vt v;
	start(&v, 24, 80, NULL, NULL);
	type(&v, "q");
	assert_shown(&v, "Leave warpdbg?");
	type(&v, "n");
	assert_shown(&v, "(wd)");
	type(&v, "qu"); /* it was the beginning of a word */
	assert_shown(&v, "(wd) qu");
	type(&v, "it\r");
	assert_true(WIFEXITED(vt_wait_end(&v, WAIT)));
	assert_false(v.altscreen);
	vt_free(&v);
}

/* Ctrl-D on an empty line asks, as q does; on another it deletes; again it leaves. */
static void test_end_of_input(void **state)
{
	struct vt v;
	start(&v, 24, 80, NULL, NULL);
	type(&v, "step 3\r");
	wait_cycle(&v, 3);
	type(&v, "\004");
	assert_shown(&v, "Leave warpdbg?");
	type(&v, "n");
	assert_shown(&v, "(wd)");
	type(&v, "\004");
	assert_shown(&v, "Leave warpdbg?");
	type(&v, "step 2\r"); /* the first letter was the beginning of a command */
	wait_cycle(&v, 5);
	type(&v, "step 4\002\004\r"); /* on a line it deletes what is under the cursor: `step ` */
	wait_cycle(&v, 6);
	type(&v, "\004");
	assert_shown(&v, "Leave warpdbg?");
	type(&v, "\004");
	assert_true(WIFEXITED(vt_wait_end(&v, WAIT)));
	assert_false(v.altscreen);
	vt_free(&v);
}

static void test_focus_and_taxonomy(void **state)
{
	struct vt v;
	start(&v, 24, 100, NULL, NULL);
	type(&v, "step 400\r");
	wait_cycle(&v, 400);
	type(&v, "4\t");
	type(&v, "t");
	assert_shown(&v, "core stall"); /* base -> lee2014 */
	type(&v, "t");
	assert_shown(&v, "memory conflict"); /* elf */
	type(&v, "2\033[C");                 /* right: SM 1 */
	assert_shown(&v, " SM 1 ");
	type(&v, "&"); /* no key of the view: said, not typed */
	assert_shown(&v, "is no key of this view");
	type(&v, "\t");
	leave(&v);
}

static void test_help_and_search(void **state)
{
	struct vt v;
	start(&v, 40, 100, NULL, NULL);
	type(&v, "step 300\r");
	wait_cycle(&v, 300);
	type(&v, "?");
	assert_shown(&v, "Letters and signs");
	assert_shown(&v, "choose a view");
	type(&v, "x");
	assert_int_equal(vt_find(&v, "Letters and signs"), -1);
	type(&v, "8/st.shared\r");
	int at = vt_find(&v, " st.shared");
	assert_true(at > 0);
	char row[VT_TEXT_MAX];
	int col = (int)(strstr(vt_row(&v, at, row), "st.shared") - row);
	assert_true(vt_cell(&v, at, col).attrs.reverse); /* marked */
	type(&v, "/no such text\r");
	assert_shown(&v, "not found: no such text");
	type(&v, "\t");
	leave(&v);
}

static void test_source_margin(void **state)
{
	struct vt v;
	start(&v, 40, 80, NULL, NULL);
	type(&v, "step 30\r");
	wait_cycle(&v, 30);
	type(&v, "8");
	assert_shown(&v, "waits %    phase");
	assert_shown(&v, "\u251d"); /* a phase begins */
	assert_shown(&v, "\u2502"); /* and goes on */
	type(&v, "\ta");
	for (int i = 0; i < 100 && vt_find(&v, "\u251d") >= 0; i++)
		vt_settle(&v, 50, 100);
	assert_int_equal(vt_find(&v, "\u251d"), -1);
	type(&v, "a");
	assert_shown(&v, "\u251d");
	type(&v, "\t");
	leave(&v);
}

/* --- terminals ---------------------------------------------------------------------------------------------------- */
static void test_resize_storm(void **state)
{
	struct vt v;
	unsigned seed = 1;
	start(&v, 24, 80, NULL, NULL);
	type(&v, " ");
	for (int i = 0; i < 60; i++) {
		seed = seed * 1103515245u + 12345u;
		int h = 1 + (int)(seed >> 16) % 90, w = 1 + (int)(seed >> 8) % 300;
		vt_resize(&v, h, w);
		vt_read(&v, 5);
		if (i % 7 == 0) {
			char key[2] = {(char)('0' + i % 9), 0};
			vt_send(&v, key);
		}
		if (i % 11 == 0)
			vt_send(&v, "?");
		assert_false(v.ended);
	}
	vt_resize(&v, 24, 80);
	vt_settle(&v, 300, WAIT);
	vt_send(&v, "\003");
	vt_settle(&v, 300, WAIT);
	vt_send(&v, "\014"); /* Ctrl-L */
	vt_settle(&v, 300, WAIT);
	for (int i = 0; i < 20 && !strstr(title(&v), "hotspot"); i++)
		vt_settle(&v, 300, WAIT);
	assert_non_null(strstr(title(&v), "hotspot"));
	if (vt_find(&v, "Letters and signs") >= 0)
		type(&v, "x"); /* help was open */
	char row[VT_TEXT_MAX];
	assert_non_null(strstr(vt_row(&v, 22, row), "(wd)"));
	leave(&v);
}

static void test_too_small(void **state)
{
	struct vt v;
	start(&v, 24, 80, NULL, NULL);
	vt_resize(&v, 4, 19);
	assert_shown(&v, "terminal too small");
	vt_resize(&v, 5, 20);
	assert_shown(&v, "(wd)");
	vt_resize(&v, 24, 80);
	assert_shown(&v, "1 over");
	leave(&v);
}

static void assert_ascii(struct vt *v)
{
	for (int y = 0; y < v->h; y++)
		for (int x = 0; x < v->w; x++)
			assert_in_range(vt_cell(v, y, x).chars[0], ' ', '~');
}

static void check_ascii(const char *option, const char *const env[])
{
	struct vt v;
	start(&v, 40, 100, option, env);
	type(&v, "step 800\r");
	wait_cycle(&v, 800);
	for (const char *key = "124567801"; *key; key++) {
		char k[2] = {*key, 0};
		type(&v, k);
		assert_ascii(&v);
	}
	assert_shown(&v, "SM warps");
	leave(&v);
}

static void test_ascii_option(void **state)
{
	check_ascii("--ascii", NULL);
}
static void test_no_utf8(void **state)
{
	check_ascii(NULL, (const char *const[]){"LC_ALL=C", NULL});
}

static void check_mono(const char *option, const char *const env[])
{
	struct vt v;
	start(&v, 24, 80, option, env);
	type(&v, "step 800\r");
	wait_cycle(&v, 800);
	for (const char *key = "1248"; *key; key++) {
		char k[2] = {*key, 0};
		type(&v, k);
		for (int y = 0; y < v.h; y++)
			for (int x = 0; x < v.w; x++) {
				VTermScreenCell c = vt_cell(&v, y, x);
				assert_true(VTERM_COLOR_IS_DEFAULT_FG(&c.fg));
				assert_true(VTERM_COLOR_IS_DEFAULT_BG(&c.bg));
			}
	}
	leave(&v);
}

static void test_no_color_option(void **state)
{
	check_mono("--no-color", NULL);
}
static void test_no_color_variable(void **state)
{
	check_mono(NULL, (const char *const[]){"NO_COLOR=1", NULL});
}
static void test_vt100(void **state)
{
	check_mono(NULL, (const char *const[]){"TERM=vt100", NULL});
}

static void test_8_colours(void **state)
{
	struct vt v;
	start(&v, 24, 80, NULL, (const char *const[]){"TERM=xterm", NULL});
	type(&v, "step 800\r");
	wait_cycle(&v, 800);
	bool coloured = false;
	for (int x = 0; x < v.w; x++) {
		VTermScreenCell c = vt_cell(&v, 0, x);
		coloured |= !VTERM_COLOR_IS_DEFAULT_FG(&c.fg);
	}
	assert_true(coloured);
	leave(&v);
}

/* 64 bytes every 3 ms, about a 200 kbit/s line: the machine stops at once all the same, and the picture ends up right.
 */
static void test_slow_terminal(void **state)
{
	struct vt v;
	start(&v, 40, 120, NULL, NULL);
	v.slow_us = 3000;
	vt_send(&v, " ");
	int64_t end = vt_ms() + 1500;
	while (vt_ms() < end)
		vt_read(&v, 20);
	vt_send(&v, "\003");
	v.slow_us = 0;
	vt_settle(&v, 400, WAIT);
	assert_non_null(strstr(title(&v), "hotspot"));
	assert_shown(&v, "(wd)");
	assert_true(shown_cycle(&v) > 0);
	leave(&v);
}

/* Drawing, sampling for the views and slicing the run change nothing: the same last cycle as without a screen. */
static void test_same_as_headless(void **state)
{
	char command[1024], line[256];
	long long cycles = -1;
	snprintf(command, sizeof command, "%s run hotspot --size small --stats - --format json", program());
	FILE *f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f))
		if (cycles < 0 && strstr(line, "\"cycles\":"))
			cycles = atoll(strstr(line, ":") + 1);
	pclose(f);
	assert_true(cycles > 0);
	struct vt v;
	start(&v, 40, 120, NULL, NULL);
	type(&v, "8step 77\r");
	type(&v, " ");
	assert_shown(&v, "has finished");
	wait_cycle(&v, cycles);
	leave(&v);
}

static void test_signal_restores(void **state)
{
	static const int ending[] = {SIGTERM, SIGHUP, SIGQUIT}; /* the last: Ctrl-\ */
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
		struct vt v;
		struct termios t;
		start(&v, 24, 80, NULL, NULL);
		assert_true(v.altscreen);
		kill(v.pid, ending[i]);
		int status = vt_wait_end(&v, WAIT);
		assert_true(status >= 0 && WIFSIGNALED(status)); /* 143, 129, 131 to a shell */
		assert_int_equal(WTERMSIG(status), ending[i]);
		assert_false(v.altscreen);
		assert_false(v.pastes);
		assert_true(v.cursor);
		if (tcgetattr(v.fd, &t) == 0)
			assert_true(t.c_lflag & ECHO);
		vt_free(&v);
	}
}

/* --- views in detail --- */
/* A stop leaves every SM of the default machine in sight on 80x24. */
static void test_stop_report_is_short(void **state)
{
	struct vt v;
	char row[VT_TEXT_MAX];
	start(&v, 24, 80, NULL, NULL);
	type(&v, "break cycle 700\r");
	type(&v, " ");
	wait_cycle(&v, 700);
	assert_shown(&v, "Breakpoint 1, cycle 700");
	assert_non_null(strstr(vt_row(&v, 17, row), "14 ")); /* the last SM's row, below 15 others */
	assert_non_null(strstr(vt_row(&v, 21, row), "cycle 700, SM 0 warp 0"));
	leave(&v);
}

/* Lines of `commands` may begin with keys that choose views or run the machine at an empty prompt. */
static void test_typed_commands(void **state)
{
	struct vt v;
	start(&v, 24, 80, NULL, NULL);
	type(&v, "break cycle 600\r");
	type(&v, "commands\r");
	type(&v, "  print 40 + 2\r");
	type(&v, "end\r");
	assert_int_equal(shown_cycle(&v), 0);
	type(&v, "info breakpoints\r");
	assert_shown(&v, "print 40 + 2");
	type(&v, "commands\r");
	vt_send(&v, "\003"); /* leaves them */
	vt_settle(&v, 300, WAIT);
	type(&v, " ");
	wait_cycle(&v, 600);
	leave(&v);
}

/* The kernels view has a row for every SM and lists what it held. */
static void test_kernels_view(void **state)
{
	struct vt v;
	char row[VT_TEXT_MAX];
	start(&v, 40, 120, NULL, NULL);
	type(&v, "step 2000\r");
	wait_cycle(&v, 2000);
	type(&v, "7");
	assert_shown(&v, "what it held");
	int y = vt_find(&v, "what it held");
	for (int sm = 0; sm < 15; sm++) {
		vt_row(&v, y + 1 + sm, row);
		assert_int_equal(atoi(row), sm);
		assert_non_null(strstr(row, "AAA")); /* its slots now */
	}
	leave(&v);
}

/* Back a cycle, and to snapshots. */
static void test_back_keys(void **state)
{
	struct vt v;
	start(&v, 24, 80, NULL, NULL);
	type(&v, "step 1000\r");
	wait_cycle(&v, 1000);
	type(&v, ",");
	wait_cycle(&v, 999);
	type(&v, ".");
	wait_cycle(&v, 1000);
	for (int i = 0; i < 12; i++) /* snapshots lie where the host's time puts them */
		type(&v, "[");
	wait_cycle(&v, 0);
	for (int i = 0; i < 12; i++)
		type(&v, "]");
	wait_cycle(&v, 1000);
	assert_shown(&v, "this is the latest cycle");
	leave(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_80x24),
	    cmocka_unit_test(test_120x40),
	    cmocka_unit_test(test_250x70),
	    cmocka_unit_test(test_warp_cells),
	    cmocka_unit_test(test_scheduler_state),
	    cmocka_unit_test(test_time_cursor),
	    cmocka_unit_test(test_step_and_repeat),
	    cmocka_unit_test(test_run_and_stop),
	    cmocka_unit_test(test_interrupt),
	    cmocka_unit_test(test_line_editor),
	    cmocka_unit_test(test_errors_stay),
	    cmocka_unit_test(test_quit_question),
	    cmocka_unit_test(test_end_of_input),
	    cmocka_unit_test(test_focus_and_taxonomy),
	    cmocka_unit_test(test_help_and_search),
	    cmocka_unit_test(test_source_margin),
	    cmocka_unit_test(test_resize_storm),
	    cmocka_unit_test(test_too_small),
	    cmocka_unit_test(test_ascii_option),
	    cmocka_unit_test(test_no_utf8),
	    cmocka_unit_test(test_no_color_option),
	    cmocka_unit_test(test_no_color_variable),
	    cmocka_unit_test(test_vt100),
	    cmocka_unit_test(test_8_colours),
	    cmocka_unit_test(test_slow_terminal),
	    cmocka_unit_test(test_signal_restores),
	    cmocka_unit_test(test_same_as_headless),
	    cmocka_unit_test(test_stop_report_is_short),
	    cmocka_unit_test(test_typed_commands),
	    cmocka_unit_test(test_kernels_view),
	    cmocka_unit_test(test_back_keys),
	};
	return cmocka_run_group_tests_name("screen", tests, NULL, NULL);
}
