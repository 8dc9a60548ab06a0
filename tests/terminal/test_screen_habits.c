/* The mouse, long answers page by page, and vi keys, through a pseudo-terminal: on the screen and on the plain console.
 * The program is ./warpdbg, or what WARPDBG names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/rig/screen_rig.h"

static void start(struct vt *v, int h, int w, const char *term)
{
	screen_start(v, h, w, "small", NULL, (const char *const[]){term, NULL});
}

/* A click as the terminal sends it. */
static void click(struct vt *v, int y, int x, int button)
{
	char buf[64];
	assert_true(v->mouse);
	vterm_mouse_move(v->vt, y, x, VTERM_MOD_NONE);
	vterm_mouse_button(v->vt, button, true, VTERM_MOD_NONE);
	vterm_mouse_button(v->vt, button, false, VTERM_MOD_NONE);
	size_t n = vterm_output_read(v->vt, buf, sizeof buf);
	if (n && write(v->fd, buf, n) != (ssize_t)n)
		fail_msg("the program takes no clicks");
	vt_settle(v, 150, WAIT);
}

/* The column of text in row y, -1 = not there. */
static int column_of(struct vt *v, int y, const char *text)
{
	char row[VT_TEXT_MAX];
	const char *at = strstr(vt_row(v, y, row), text);
	int x = 0;
	for (const char *p = row; at && p < at; p++)
		x += (*p & 0xc0) != 0x80;
	return at ? x : -1;
}

static void mouse(void **state)
{
	struct vt v;
	start(&v, 40, 120, "TERM=xterm-256color");
	type(&v, "step 5900\r");
	assert_shown(&v, "cycle 5,900");
	assert_false(v.mouse); /* text is the terminal's to select */
	type(&v, "set mouse on\r");
	int keys = v.h - 1, sources = column_of(&v, keys, "8 ");
	assert_true(sources > 0);
	click(&v, keys, sources + 1, 1);
	assert_shown(&v, "hotspot.ptx");
	click(&v, keys, column_of(&v, keys, "1 ") + 1, 1);
	assert_shown(&v, "SM warps");
	/* An SM's row, on its warp 5. */
	int head = vt_find(&v, "SM warps");
	assert_true(head > 0);
	int cells = column_of(&v, head, "warps");
	click(&v, head + 1 + 7, cells + 5, 1);
	assert_shown(&v, "SM 7 w5");
	/* A column of the curves: the cursor with its cycle. */
	type(&v, "5"); /* the click has given the view the keys */
	click(&v, 8, 60, 1);
	assert_shown(&v, "Enter: go there");
	type(&v, "m"); /* the view has the keys since the click */
	assert_shown(&v, "mouse off");
	assert_false(v.mouse);
	stop(&v);
}

/* On the screen paging is off until asked for: an answer opens at its top, and only PgDn goes on. */
static void pages_on_the_screen(void **state)
{
	struct vt v;
	start(&v, 30, 100, "TERM=xterm-256color");
	type(&v, "help\r");
	assert_shown(&v, "more lines: PgDn");
	type(&v, "set pagination on\r");
	type(&v, "help\r");
	assert_shown(&v, "Simulates N cycles");
	assert_shown(&v, "more: space, Enter, q");
	assert_true(vt_find(&v, "Unambiguous prefixes") < 0);
	type(&v, " ");
	assert_true(vt_find(&v, "Simulates N cycles") < 0);
	for (int i = 0; i < 20 && vt_find(&v, "more: space") >= 0; i++)
		type(&v, " ");
	assert_shown(&v, "Unambiguous prefixes work too");
	assert_true(vt_find(&v, "more: space") < 0);
	type(&v, "help\r");
	type(&v, "q");
	assert_shown(&v, "Unambiguous prefixes work too");
	type(&v, "help\r");
	type(&v, "step 7\r"); /* another key ends it and is typed */
	assert_shown(&v, "cycle 7");
	stop(&v);
}

static void pages_on_the_console(void **state)
{
	struct vt v;
	start(&v, 20, 100, "TERM=dumb");
	type(&v, "help\r");
	assert_shown(&v, "--more--");
	assert_true(vt_find(&v, "Unambiguous prefixes") < 0);
	type(&v, "\r");
	assert_shown(&v, "--more--");
	type(&v, "c");
	assert_shown(&v, "Unambiguous prefixes work too");
	type(&v, "help\r");
	assert_shown(&v, "--more--");
	type(&v, "q");
	assert_true(vt_find(&v, "Unambiguous prefixes work too") < 0);
	type(&v, "set pagination off\rhelp\r");
	assert_shown(&v, "Unambiguous prefixes work too");
	stop(&v);
}

/* Esc k brings the last line back, x deletes a letter, A appends. */
static void vi_keys(void **state)
{
	struct vt v;
	start(&v, 30, 100, "TERM=xterm-256color");
	type(&v, "set editing vi\r");
	type(&v, "step 25\r");
	assert_shown(&v, "cycle 25");
	type(&v, "\033");
	usleep(300000); /* curses waits for the rest of a key sequence */
	type(&v, "k");
	assert_shown(&v, "(wd) step 25");
	type(&v, "A0\r");
	assert_shown(&v, "cycle 275");
	type(&v, "\033");
	usleep(300000);
	type(&v, "k");
	assert_shown(&v, "(wd) step 250");
	type(&v, "\003"); /* drops the line; letters are text again */
	type(&v, "step 3\r");
	assert_shown(&v, "cycle 278");
	stop(&v);
}

/* Half a character and bytes that are none are no input: readline's vi commands never end on them. */
static void broken_characters(void **state)
{
	static const char *const broken[] = {"a/\342\226", "a/\026\342\026\226", "a/\342\226 x", "a/\342\026\226\342"};
	struct vt v;
	start(&v, 30, 100, "TERM=xterm-256color");
	type(&v, "set editing vi\r");
	for (unsigned i = 0; i < sizeof broken / sizeof *broken; i++) {
		char line[40];
		type(&v, broken[i]);
		type(&v, "\033");
		usleep(300000);
		type(&v, "0=\003\003");
		snprintf(line, sizeof line, "print 7000 + %u\r", i);
		type(&v, line);
		snprintf(line, sizeof line, "%u", 7000 + i);
		assert_shown(&v, line);
	}
	type(&v, "echo \342\226\210\303\244\r"); /* whole ones are */
	assert_shown(&v, "\342\226\210\303\244");
	stop(&v);
}

/* What a run has said on its way is still in sight when it stops, unless it was much. */
static void said_on_the_way(void **state)
{
	static const char *const rest = " cuda.launch(m.vecadd, 256, 256, { a, a, a, 65536 })\nend\nend }\n";
	char path[] = "/tmp/warpdbg-said-XXXXXX.lua";
	struct vt v;
	for (int much = 0; much < 2; much++) {
		FILE *f = fdopen(mkstemps(path, 4), "w");
		assert_non_null(f);
		fprintf(f,
		        "return { run = function(cuda)\nlocal m, a = cuda.module('vecadd.ptx'), cuda.malloc(4 * 65536)\n"
		        "cuda.launch(m.vecadd, 1, 256, { a, a, a, 256 }) cuda.sync()\n"
		        "for i = 1, %d do cuda.print('said early') end\nfor i = 1, 60 do",
		        much ? 9 : 1);
		fputs(rest, f);
		fclose(f);
		screen_start(&v, 24, 80, "small", (const char *const[]){path, NULL}, NULL);
		vt_send(&v, "tbreak kernel-start kernel=60\rcontinue\r");
		assert_shown(&v, "Temporary breakpoint 1, kernel-start");
		vt_settle(&v, 150, WAIT);
		assert_int_equal(vt_find(&v, " said early") >= 0, !much);
		stop(&v);
		unlink(path);
		memcpy(path + strlen(path) - 10, "XXXXXX", 6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(mouse),   cmocka_unit_test(pages_on_the_screen), cmocka_unit_test(pages_on_the_console),
	    cmocka_unit_test(vi_keys), cmocka_unit_test(broken_characters),   cmocka_unit_test(said_on_the_way),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
