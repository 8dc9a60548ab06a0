/* What each view is to give the eye: many SMs and channels page and stay whole, figures of neighbours stand below each
 * other, one letter means one thing, and the axis says where now is. The program is ./warpdbg, or what WARPDBG names.
 */
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

static void run_to(struct vt *v, const char *cycle, const char *shown)
{
	char text[64];
	snprintf(text, sizeof text, "until %s\r", cycle);
	vt_send(v, text);
	snprintf(text, sizeof text, "cycle %s", shown);
	assert_shown(v, text);
	vt_settle(v, 150, WAIT);
}

/* Silence is no sign that a step has ended: on a busy machine it may take longer than that. The cycle is. */
static void step_to(struct vt *v, const char *cycles, const char *shown)
{
	char text[64];
	snprintf(text, sizeof text, "step %s\r", cycles);
	vt_send(v, text);
	snprintf(text, sizeof text, "cycle %s", shown);
	assert_shown(v, text);
	vt_settle(v, 150, WAIT);
}

/* The column (not the byte) at which text begins on a row, -1 = not there. */
static int column(struct vt *v, int y, const char *text)
{
	char row[VT_TEXT_MAX];
	const char *at = strstr(vt_row(v, y, row), text);
	int n = 0;
	for (const char *c = row; at && c < at; c++)
		n += ((unsigned char)*c & 0xc0) != 0x80;
	return at ? n : -1;
}

/* The rows of a picture that show the text. */
static int rows_with(struct vt *v, const char *text)
{
	int n = 0;
	for (int y = 0; y < v->h; y++)
		n += column(v, y, text) >= 0;
	return n;
}

/* What stands on a row behind column x. */
static const char *text_behind(const char *row, int x)
{
	for (; *row && x > 0; x--)
		for (row++; ((unsigned char)*row & 0xc0) == 0x80; row++)
			;
	return row;
}

static const char *const v100[] = {"--gpu", "v100", NULL};

/* 80 SMs: the focused one is brought in sight, wherever it is chosen; scrolling stays. Beside 64 warps there is room
 * for what most slots were lost to. */
static void the_focus_is_in_sight(void **state)
{
	struct vt v;
	start(&v, 24, 80, v100);
	run_to(&v, "6000", "6,000");
	assert_shown(&v, " 0-15 of 80 ");
	assert_shown(&v, " IPC  lost");
	assert_shown(&v, " f fetch "); /* all letters are explained */
	type(&v, "focus sm 41 warp 3\r");
	assert_shown(&v, "-41 of 80 ");
	type(&v, "\t\033[6~");
	assert_int_equal(vt_find(&v, "-41 of 80 "), -1);
	type(&v, "\033[B");
	assert_shown(&v, "SM 42 w3");
	assert_shown(&v, " 41-56 of 80 "); /* where it was scrolled to */
	stop(&v);
}

/* Virtual threads: CTAs without a slot are counted and listed, one that changes places says so, and so does its letter.
 */
static void ctas_that_are_inactive(void **state)
{
	struct vt v;
	start(&v, 64, 160,
	      (const char *const[]){"--cta-virtual", "vt", "--set", "sm.ctas=2", "--set", "sm.threads=2048", NULL});
	type(&v, "tbreak cta-swap-out sm=1\rcontinue\r");
	assert_shown(&v, "cta-swap-out: SM 1");
	assert_shown(&v, "gto/rr/vt  SM 1");
	assert_shown(&v, " inactive"); /* the kernel's line of the overview */
	assert_shown(&v, " 2+2 ");     /* and its SMs': with slots, without */
	assert_shown(&v, " w paused"); /* its legend, where 64 warps leave room for it */
	type(&v, "2");
	assert_shown(&v, "2 of 2 CTAs, "); /* the SM's heading */
	const int y = vt_find(&v, "slot   CTA  kernel");
	assert_true(y > 0);
	assert_shown_from(&v, y, "swap-in");
	assert_shown_from(&v, y, "swap-out");
	assert_shown_from(&v, y, "ready");
	type(&v, "7");
	assert_shown(&v, " 1   2+2 CTAs ");
	stop(&v);
}

/* dyncta, with thresholds that leave each SM one CTA soon: those behind all others are counted and listed, and the
 * limit stands beside the CTAs of each SM and over its time. */
static void ctas_that_are_lowered(void **state)
{
	static const char *const down[] = {
	    "--cta-sched", "dyncta",           "--set", "dyncta.period=300", "--set", "dyncta.idle=1000000",
	    "--set",       "dyncta.mem_low=0", "--set", "dyncta.mem_high=0", NULL};
	static const int sizes[][2] = {{24, 80}, {60, 200}};
	for (int i = 0; i < 2; i++) {
		struct vt v;
		start(&v, sizes[i][0], sizes[i][1], down);
		run_to(&v, "700", "700");
		assert_shown(&v, "15 lowered");
		type(&v, "2");
		assert_shown(&v, "2 of 8 CTAs, 1 lowered");
		if (i)
			assert_shown_from(&v, vt_find(&v, "slot   CTA  kernel"), "lowered");
		type(&v, "7");
		assert_shown(&v, "  0   2/1 CTA ");
		assert_shown(&v, " 15l");
		if (i) {
			assert_shown(&v, "limit 1 on SM 0");
			/* the chart has its line in the colour of its name */
			const int y = vt_find(&v, "limit 1 on SM 0");
			const VTermColor own = vt_cell(&v, y, column(&v, y, "limit 1 on SM 0") - 2).fg;
			int drawn = 0;
			for (int row = y + 1; row < y + 10; row++)
				for (int x = 0; x < v.w; x++) {
					const VTermScreenCell c = vt_cell(&v, row, x);
					drawn += c.chars[0] == 0x2501 && vterm_color_is_equal(&c.fg, &own);
				}
			assert_true(drawn > 20);
		}
		stop(&v);
	}
}

/* The stalls view: as many of 80 SMs as there is room for around the focused one, no class left out. */
static void stalls_of_many(void **state)
{
	struct vt v;
	start(&v, 60, 120, v100);
	run_to(&v, "6000", "6,000");
	type(&v, "focus sm 41\r4");
	assert_shown(&v, "no warp");
	int y = vt_find(&v, " of 80");
	assert_true(y > 0);
	char head[VT_TEXT_MAX];
	assert_non_null(strstr(vt_row(&v, y + 1, head), "·")); /* the last class has its column */
	assert_shown_from(&v, y, "  41 ");
	type(&v, "\t\033[C");
	assert_shown_from(&v, y, "  42 ");
	stop(&v);
}

/* 32 channels on 24 rows are all there, and the L2 with them. */
static void channels_of_many(void **state)
{
	struct vt v;
	start(&v, 24, 80, v100);
	run_to(&v, "6000", "6,000");
	type(&v, "6");
	assert_shown(&v, "ch busy");
	for (int i = 0; i < 16; i++) {
		char row[VT_TEXT_MAX], left[16], right[16];
		snprintf(left, sizeof left, "%4d ", i);
		snprintf(right, sizeof right, "%4d ", i + 16);
		vt_row(&v, 4 + i, row);
		if (strncmp(row, left, strlen(left)) || !strstr(row + 20, right))
			fail_msg("not channels %d and %d: %s", i, i + 16, row);
	}
	assert_true(rows_with(&v, "  L2 ") == 1);
	stop(&v);
}

/* Letters of launches stand beside their numbers; after going back the axis says where now is. */
static void the_gantt_is_labelled(void **state)
{
	struct vt v;
	start(&v, 40, 120, NULL);
	run_to(&v, "4000", "4,000");
	type(&v, "7");
	assert_shown(&v, "K0 A hotspot");
	assert_int_equal(rows_with(&v, "◆"), 0);
	type(&v, "goto 1000\r");
	assert_shown(&v, "cycle 1,000");
	assert_shown(&v, "◆");
	type(&v, "\tc");
	assert_shown(&v, "SM 0 holds 4 CTAs, 4 of K0");
	type(&v, "\033");
	int y = vt_find(&v, "◆"), at = column(&v, y, "◆"), from = column(&v, y, "0 ─");
	assert_int_equal(y, 1);
	int to = column(&v, y, "4,000") + 5;
	assert_in_range(at, from + (to - from) / 4 - 1, from + (to - from) / 4 + 1);
	stop(&v);
}

/* A digit in the phase graph is a phase's number: bands of merged phases have letters. */
static void bands_have_letters(void **state)
{
	struct vt v;
	char row[VT_TEXT_MAX];
	start(&v, 40, 160, NULL);
	run_to(&v, "4000", "4,000");
	type(&v, "3");
	assert_shown(&v, "20 phases in 12 bands");
	vt_row(&v, vt_find(&v, "20 phases in 12 bands"), row);
	unsigned next = 0, first, last; /* bands follow each other from the first phase to the last, however they are cut */
	for (char letter = 'A'; letter <= 'L'; letter++) {
		const char words[] = {' ', letter, ' ', 0}, *at = strstr(row, words);
		assert_non_null(at);
		switch (sscanf(at + 3, "%u-%u:", &first, &last)) {
		case 1: last = first; /* fall through */
		case 2: break;
		default: fail_msg("band %c: %s", letter, at);
		}
		assert_int_equal(first, next);
		assert_true(last >= first);
		next = last + 1;
	}
	assert_int_equal(next, 20);
	stop(&v);
}

/* One warp, one letter, while there is room: eight warps of one CTA are eight letters of the overview's. */
static void a_letter_a_warp(void **state)
{
	struct vt v;
	char row[VT_TEXT_MAX];
	int warps = 0;
	start(&v, 60, 200, (const char *const[]){"--set", "num_sms=1", "--set", "max_ctas_per_sm=1", NULL});
	run_to(&v, "600", "600");
	type(&v, "8");
	assert_shown(&v, "waits % of samples");
	int at = column(&v, vt_find(&v, "waits % of samples"), "warps");
	int end = vt_find(&v, "────────"); /* the rule below the view */
	for (int y = 2; y < end; y++) {
		unsigned count = 0;
		int letters = 0;
		vt_row(&v, y, row);
		const char *c = row;
		for (int n = 0; *c && n < at; c++)
			n += ((unsigned char)c[1] & 0xc0) != 0x80;
		if (strlen(row) <= (size_t)at || sscanf(c, "%4u %n", &count, &letters) < 1 || !letters)
			continue;
		for (c += letters, letters = 0; *c && *c != ' '; c++)
			letters += ((unsigned char)*c & 0xc0) != 0x80;
		if ((unsigned)letters != count)
			fail_msg("%u warps, %d letters: %s", count, letters, row);
		warps += letters;
	}
	assert_int_equal(warps, 8);
	stop(&v);
}

/* What does not fit of a line of the source ends in an ellipsis. */
static void code_ends_visibly(void **state)
{
	struct vt v;
	start(&v, 40, 60, NULL);
	run_to(&v, "600", "600");
	type(&v, "8");
	assert_shown(&v, "hotspot.ptx");
	type(&v, "\t\033[H");
	assert_shown(&v, "…");
	stop(&v);
}

/* Line counters in columns: of the PTX, of the CUDA file with the PTX below, in a column's order; the hottest line. */
static void a_line_costs(void **state)
{
	struct vt v;
	char row[VT_TEXT_MAX];
	start(&v, 40, 160, NULL);
	run_to(&v, "9000", "9,000");
	type(&v, "\t8c");
	assert_shown(&v, "slots %  waits % executed");
	assert_shown(&v, "o order  u CUDA");
	type(&v, "u"); /* the file's own text, with sums */
	assert_shown(&v, "hotspot.cu");
	type(&v, "h");
	assert_shown(&v, "int south = y >= height - 1");
	assert_int_equal(vt_find(&v, "shl.b64"), -1);
	type(&v, "x"); /* the PTX that became of it */
	type(&v, "h");
	assert_shown(&v, "shl.b64");
	type(&v, "u\033[C\033[C\033[C\033[Co"); /* PTX lines by their transactions */
	assert_shown(&v, "by txn/req");
	vt_row(&v, vt_find(&v, "by txn/req") + 1, row);
	if (!strstr(row, "ld.global") && !strstr(row, "st.global") && !strstr(row, "ld.shared"))
		fail_msg("no access of memory: %s", row);
	type(&v, "\033[D\033[D\033[D\033[D\033[D"); /* to the left of the first: the last */
	assert_shown(&v, "by diverged");
	vt_row(&v, vt_find(&v, "by diverged") + 1, row);
	assert_non_null(strstr(row, "bra"));
	type(&v, "o/west\r");
	assert_shown(&v, "int west");
	type(&v, "c");
	assert_shown(&v, "waits % of samples");
	stop(&v);
}

/* The keys stand once: on the key line where all of them fit, else on the rule. */
static void keys_stand_once(void **state)
{
	static const int widths[] = {80, 100, 120, 157, 158, 170};
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
		struct vt v;
		start(&v, 30, widths[i], NULL);
		type(&v, "1");
		assert_int_equal(rows_with(&v, "space run  . step  , back  Tab view"), 1);
		assert_int_equal(rows_with(&v, "space run  . step"), 1);
		stop(&v);
	}
}

/* nw: launches of different sizes, some done, some running, some queued, stand in columns. */
static void launches_stand_in_columns(void **state)
{
	const char *p = getenv("WARPDBG");
	const char *const env[] = {"HOME=/nonexistent", "XDG_STATE_HOME=/nonexistent", "INPUTRC=/dev/null",
	                           "TERM=xterm-256color", NULL};
	char *const argv[] = {(char *)(p && *p ? p : "./warpdbg"), "debug", "nw", "--size", "small", NULL};
	struct vt v;
	int done = -1, rows = 0;
	vt_spawn(&v, 40, 120, argv, env);
	assert_shown(&v, "(wd)");
	vt_settle(&v, 150, WAIT);
	vt_send(&v, "continue\r");
	assert_shown(&v, "check passed");
	vt_settle(&v, 150, WAIT);
	for (int y = 1; y < 12; y++) {
		int at = column(&v, y, " done  ");
		if (at < 0)
			continue;
		assert_true(done < 0 || at == done);
		done = at;
		rows++;
	}
	assert_true(rows > 1);
	stop(&v);
}

/* At 80x24 the whole list of SMs fits below the curves, and the axis between them. */
static void caches_keep_their_axis(void **state)
{
	struct vt v;
	start(&v, 24, 80, NULL);
	run_to(&v, "2000", "2,000");
	type(&v, "\t5");
	assert_shown(&v, "  7  ");
	int y = vt_find(&v, "L1D hit in the last");
	assert_true(y > 0);
	assert_true(column(&v, y - 1, "0 \u2500\u2500\u2500") > 0);
	stop(&v);
}

/* `?` on a view says what the selected cell is; Tab and arrows point elsewhere, Enter explains in full, Esc ends, a
 * second
 * `?` is the page of help. */
static void pointing(void **state)
{
	struct vt v;
	start(&v, 24, 80, NULL);
	run_to(&v, "4000", "4,000");
	type(&v, "\t?");
	assert_shown(&v, "? d  done: all lanes have exited");
	type(&v, "\033[B\033[B");
	assert_shown(&v, "? d  done");
	for (int i = 0; i < 18; i++)
		vt_send(&v, "\033[C");
	assert_shown(&v, "? x  short: waits for an arithmetic");
	type(&v, "\r");
	assert_shown(&v, "short dependency  (stall reason");
	type(&v, "\033");
	assert_shown(&v, "(wd) SM 0 w0  d done");
	type(&v, "??");
	assert_shown(&v, "This view: overview");
	type(&v, "x");
	stop(&v);
}

/* The pointer stays in the title and the view, never in the bar of keys or below it; instructions are words, too. */
static void pointing_stays_in_the_view(void **state)
{
	struct vt v;
	char row[VT_TEXT_MAX];
	start(&v, 30, 100, NULL);
	run_to(&v, "1200", "1,200");
	type(&v, "8");
	type(&v, "\t");
	assert_shown(&v, "Tab prompt");
	type(&v, "/ld.param\r");
	vt_settle(&v, 150, WAIT);
	type(&v, "?");
	bool told = false;
	for (int i = 0; i < 150 && !told; i++) {
		vt_send(&v, "\t");
		vt_settle(&v, 20, WAIT);
		vt_row(&v, vt_find(&v, " ? "), row);
		assert_null(strstr(row, "prompt: "));
		assert_null(strstr(row, "? wd"));
		told = strstr(row, "? ld.param") && strstr(row, ": ld: ");
		if (strstr(row, "? ld.param"))
			assert_null(strstr(row, "knows no such word"));
	}
	assert_true(told);
	for (int i = 0; i < 40; i++)
		vt_send(&v, "\033[B");
	vt_settle(&v, 150, WAIT);
	vt_row(&v, vt_find(&v, " ? "), row);
	assert_null(strstr(row, "? prompt"));
	type(&v, "\033");
	stop(&v);
}

/* It begins at the selection, wherever that is: what the prompt's line says of the selected warp is what it says first.
 */
static void pointing_begins_at_the_selection(void **state)
{
	static const char *const moves[] = {"\033[B", "\033[C", "\033[C", "\033[B", "\033[B", "\033[C"};
	struct vt v;
	char row[VT_TEXT_MAX], selected[32], pointed[32], first[32] = "";
	bool others = false;
	start(&v, 24, 80, NULL);
	run_to(&v, "1200", "1,200");
	type(&v, "\t");
	for (unsigned i = 0; i < sizeof moves / sizeof *moves; i++) {
		type(&v, moves[i]);
		vt_settle(&v, 100, WAIT);
		vt_row(&v, vt_find(&v, "(wd) SM "), row);
		assert_int_equal(sscanf(strstr(row, "(wd) SM "), "(wd) SM %*u w%*u %*s %31s", selected), 1);
		type(&v, "?");
		assert_shown(&v, " ? ");
		vt_row(&v, vt_find(&v, " ? "), row);
		assert_int_equal(sscanf(strstr(row, " ? "), " ? %*s %31[^:]", pointed), 1);
		assert_string_equal(pointed, selected);
		type(&v, "\033");
		assert_shown(&v, "(wd) SM ");
		others |= i && strcmp(first, selected);
		strcpy(first, selected);
	}
	assert_true(others); /* not all in one state */
	stop(&v);
}

/* Wide: the CTAs of a kernel against their limit, and how far each CTA of the chosen SM is. After going back the
 * sample of that cycle says what the machine says; narrower ones have their table as ever. */
static void ctas_have_charts(void **state)
{
	struct vt v;
	char row[VT_TEXT_MAX], want[64];
	unsigned slot, cta, insts;
	start(&v, 40, 160, (const char *const[]){"--cta-sched", "lcs", "--set", "lcs.round=floor", NULL});
	run_to(&v, "2048", "2,048");
	type(&v, "focus sm 1\r7");
	assert_shown(&v, "CTAs of K0 an SM  no limit now");
	assert_shown(&v, "Instructions of each CTA on SM 1, peak ");
	run_to(&v, "5000", "5,000");
	assert_shown(&v, "CTAs of K0 an SM  ━━ limit 3");
	assert_true(rows_with(&v, "━━━") >= 1);
	type(&v, "goto 1920\r"); /* a sample: a multiple of 128 */
	assert_shown(&v, "cycle 1,920");
	assert_true(rows_with(&v, "fit 4┌") == 1);
	type(&v, "\tc");
	assert_shown(&v, "most instructions: slot ");
	assert_shown(&v, "CTAs of K0: 4, 4.0, 4");
	vt_row(&v, vt_find(&v, "most instructions"), row);
	assert_int_equal(sscanf(strstr(row, "most instructions"), "most instructions: slot %u, %u", &slot, &insts), 2);
	bool found = false;
	for (int y = vt_find(&v, "Instructions of each"); y < v.h; y++) {
		unsigned s, n;
		const char *at = text_behind(vt_row(&v, y, row), 91);
		found = found || (sscanf(at, "%u %u %u", &s, &cta, &n) == 3 && s == slot && n == insts);
	}
	snprintf(want, sizeof want, "slot %u: %u", slot, insts);
	if (!found)
		fail_msg("no row says %s", want);
	stop(&v);
	start(&v, 40, 120, (const char *const[]){"--history-mb", "0", NULL});
	type(&v, "run nw --size small\r");
	assert_shown(&v, "finished");
	type(&v, "7");
	assert_shown(&v, "fit 8"); /* its last kernel had one CTA, of eight that fit, and the chart is four rows high */
	assert_true(rows_with(&v, "\342\226\222") == 1);
	stop(&v);
	start(&v, 40, 118, NULL);
	run_to(&v, "2048", "2,048");
	type(&v, "7");
	assert_shown(&v, "run IPC");
	assert_int_equal(vt_find(&v, "Instructions of each"), -1);
	stop(&v);
}

/* The memory view has curves of its own, not those of the overview and the caches, each below a free row. */
static void memory_has_its_own_curves(void **state)
{
	static const char *const own[] = {" latency ", " row hit ", " replies "};
	char row[VT_TEXT_MAX];
	struct vt v;
	start(&v, 70, 120, NULL);
	run_to(&v, "3000", "3,000");
	type(&v, "6");
	assert_shown(&v, "flits a cycle");
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		const int at = vt_wait_from(&v, 14, own[i], WAIT);
		assert_true(at > 0);
		for (int top = at; top > 0 && top > at - 30; top--)
			if (strstr(vt_row(&v, top, row), "┌")) {
				assert_string_equal(vt_row(&v, top - 1, row), "");
				break;
			}
	}
	assert_int_equal(rows_with(&v, " L1D hit "), 0);
	assert_int_equal(rows_with(&v, " L2 hit "), 0);
	stop(&v);
}

/* Several programs: a line of them in the kernels view also where its SMs have not all room; with room a table, which
 * with --alone has slowdowns, ANTT and STP; and that requests for SMs were late. */
static void programs_that_share(void **state)
{
	struct vt v;
	start(&v, 24, 80,
	      (const char *const[]){"vecadd", "--size", "small", "--alone", "--partition", "smk", "--set",
	                            "preempt.within=0", NULL});
	run_to(&v, "5000", "5,000");
	type(&v, "\t7");
	assert_shown(&v, "ANTT ");
	assert_shown(&v, "x  vecadd ");
	assert_int_equal(rows_with(&v, "slower"), 0);
	type(&v, ":preempt kernel 0 sms 2 within 1 by drain\r:step 1500\r");
	assert_shown(&v, "late 1 of 1");
	vt_resize(&v, 44, 80);
	vt_settle(&v, 150, WAIT);
	assert_shown(&v, "SMs in time");
	assert_shown(&v, "0 of 1");
	const int head = vt_find(&v, "effective"), slower = column(&v, head, "slower") + 5;
	char row[VT_TEXT_MAX];
	assert_true(head > 0 && vt_find(&v, "hotspot  ") < head + 1 && vt_find(&v, "ANTT ") == head + 3);
	for (int y = head + 1; y <= head + 2; y++)
		assert_memory_equal(text_behind(vt_row(&v, y, row), slower), "x ", 2);
	stop(&v);
	start(&v, 24, 80, NULL);
	type(&v, "\t7");
	assert_int_equal(rows_with(&v, "ANTT"), 0);
	assert_int_equal(rows_with(&v, "hotspot IPC"), 0);
	stop(&v);
}

/* Of an SM that a kernel gives away, on its row: what is estimated and what it came to, as `info preemptions` has it.
 */
static void assert_told(struct vt *v, unsigned sm, bool done)
{
	char row[VT_TEXT_MAX], head[16], by[16], said[16];
	double est, us, want_est, want_us;
	unsigned est_lost, lost, want_est_lost, want_lost = 0;
	const int top = column(v, vt_find(v, "est us"), "est us") - 10;
	snprintf(head, sizeof head, "%5u   ", sm);
	const char *at = text_behind(vt_row(v, vt_find(v, head), row), top);
	for (char *from = row, *to = row; (*to = *from); from++) /* 12,345 */
		to += *from != ',';
	const int n = sscanf(at, "%15s %lf %lf%*1[+ ] %u %u", by, &est, &us, &est_lost, &lost);
	if (n < (done ? 5 : 4) || (strstr(at, "+") != NULL) == done)
		fail_msg("SM %u: '%s'", sm, at);
	type(v, "info preemptions 1\r");
	snprintf(head, sizeof head, "%6u  switch", sm);
	assert_shown(v, head);
	at = vt_row(v, vt_find(v, head), row);
	assert_true(sscanf(at, "%*u %15s all %lf %u %lf %u", said, &want_est, &want_est_lost, &want_us, &want_lost) >= 3);
	assert_string_equal(by, said);
	assert_true(est - want_est < 0.06 && want_est - est < 0.06 && est_lost == want_est_lost);
	if (done)
		assert_true(us - want_us < 0.06 && want_us - us < 0.06 && lost == want_lost);
	type(v, "\033"); /* the answer gives its rows back */
}

/* Where a kernel gives SMs away: the technique on the time axis, estimates beside what they came to, the request. */
static void sms_given_away(void **state)
{
	struct vt v;
	start(&v, 24, 80, NULL);
	run_to(&v, "3000", "3,000");
	type(&v, "7");
	assert_int_equal(rows_with(&v, "est us"), 0);
	type(&v, "preempt kernel 0 sm 2,4 within 1 by switch\r");
	step_to(&v, "100", "3,100");
	assert_shown(&v, " request 1 at 3,000: K0 gives 2 SMs by switch: 0 free, 0.1 of 1.0 us");
	assert_shown(&v, "est us  took");
	assert_int_equal(rows_with(&v, "switch   "), 2);
	step_to(&v, "8100", "11,200");
	assert_shown(&v, "late, ");
	assert_shown(&v, "switch\342\226\222"); /* on the axis: more columns than letters */
	stop(&v);
	start(&v, 50, 220, NULL);
	run_to(&v, "3000", "3,000");
	type(&v, "7preempt kernel 0 sm 6 within 1 by drain\rpreempt kernel 0 sm 2,4 within 1 by switch\r");
	step_to(&v, "100", "3,100");
	assert_shown(&v, "est lost");
	assert_int_equal(column(&v, vt_find(&v, "    6   "), "drain   "), -1); /* of the last request alone */
	assert_told(&v, 4, false);
	step_to(&v, "8100", "11,200");
	assert_told(&v, 2, true);
	/* Back before it there is none; and none is left when the kernel has ended. */
	assert_true(column(&v, vt_find(&v, "    2   "), "switch") > 0);
	assert_shown(&v, " request 2 at ");
	type(&v, "goto 2900\r");
	assert_shown(&v, "cycle 2,900");
	vt_settle(&v, 150, WAIT);
	assert_int_equal(rows_with(&v, "est lost"), 0);
	assert_int_equal(column(&v, vt_find(&v, "    2   "), "switch"), -1);
	assert_int_equal(vt_find(&v, " request 2 at"), -1);
	stop(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_focus_is_in_sight),
	    cmocka_unit_test(stalls_of_many),
	    cmocka_unit_test(ctas_that_are_inactive),
	    cmocka_unit_test(ctas_that_are_lowered),
	    cmocka_unit_test(channels_of_many),
	    cmocka_unit_test(the_gantt_is_labelled),
	    cmocka_unit_test(ctas_have_charts),
	    cmocka_unit_test(memory_has_its_own_curves),
	    cmocka_unit_test(bands_have_letters),
	    cmocka_unit_test(a_letter_a_warp),
	    cmocka_unit_test(code_ends_visibly),
	    cmocka_unit_test(a_line_costs),
	    cmocka_unit_test(keys_stand_once),
	    cmocka_unit_test(launches_stand_in_columns),
	    cmocka_unit_test(sms_given_away),
	    cmocka_unit_test(caches_keep_their_axis),
	    cmocka_unit_test(programs_that_share),
	    cmocka_unit_test(pointing),
	    cmocka_unit_test(pointing_begins_at_the_selection),
	    cmocka_unit_test(pointing_stays_in_the_view),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
