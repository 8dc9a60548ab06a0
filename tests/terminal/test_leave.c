/* Signals that ask the debugger to leave, and terminals that go away, end it in every state, also where it is stuck in
 * a library's call; what is left of the terminal is usable. On a pseudo-terminal (screen_rig.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <signal.h>
#include <termios.h>

#include "tests/rig/screen_rig.h"

/* Sorts long strings in C, for a minute: no VM instruction is executed, so no budget and no interrupt ends it. */
#define STUCK "lua t = {} for i = 1, 1e5 do t[i] = ('a'):rep(1 << 20) end table.sort(t)\r"
#define ENDLESS "lua while true do end\r"

static void start(struct vt *v, bool screen)
{
	static const char *const variables[] = {"TERM=dumb", NULL};
	screen_start(v, 24, 80, "small", NULL, screen ? NULL : variables);
}

static void assert_left(struct vt *v, int sig, bool screen)
{
	struct termios t;
	int status = vt_wait_end(v, WAIT);
	if (status < 0)
		fail_msg("signal %d does not end it", sig);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), sig);
	assert_false(v->altscreen);
	if (screen)
		assert_true(v->cursor);
	if (tcgetattr(v->fd, &t) == 0)
		assert_true(t.c_lflag & ECHO && t.c_lflag & ICANON);
	vt_free(v);
}

/* In a script's loop: the script is interrupted; in C: the process is ended. */
static void stuck_in_a_script(void **state)
{
	static const int sigs[] = {SIGTERM, SIGHUP};
	static const char *const code[] = {ENDLESS, STUCK};
	for (int i = 0; i < 4; i++) {
		struct vt v;
		start(&v, true);
		vt_send(&v, code[i / 2]);
		vt_settle(&v, 300, 1000);
		kill(v.pid, sigs[i % 2]);
		assert_left(&v, sigs[i % 2], true);
	}
}

/* A second SIGTERM does not wait. */
static void second_signal(void **state)
{
	struct vt v;
	start(&v, true);
	vt_send(&v, STUCK);
	vt_settle(&v, 300, 1000);
	kill(v.pid, SIGTERM);
	vt_settle(&v, 100, 200);
	int64_t from = vt_ms();
	kill(v.pid, SIGTERM);
	assert_true(vt_wait_end(&v, 1200) >= 0);
	assert_true(vt_ms() - from < 1500);
	assert_left(&v, SIGTERM, true);
}

/* Nobody reads: what is to be drawn fills the terminal's buffer, and write() does not return. */
static void terminal_that_takes_nothing(void **state)
{
	struct vt v;
	start(&v, true);
	for (int i = 0; i < 400; i++) { /* views are drawn anew each time */
		char keys[] = {'\f', '\0'};
		vt_send(&v, keys);
		usleep(2000);
	}
	kill(v.pid, SIGTERM);
	for (int i = 0; i < 60 && !v.ended; i++) {
		usleep(100000);
		vt_reap(&v, false);
	}
	assert_true(v.ended);
	assert_true(WIFSIGNALED(v.status) && WTERMSIG(v.status) == SIGTERM);
	vt_free(&v);
}

/* Without the screen: at readline's prompt, in a script, and where an answer waits for a key. */
static void without_the_screen(void **state)
{
	static const char *const input[] = {"", ENDLESS, STUCK, "help info\rinfo events\r"};
	for (int i = 0; i < 4; i++) {
		struct vt v;
		start(&v, false);
		vt_send(&v, input[i]);
		vt_settle(&v, 300, 1500);
		if (i == 3)
			assert_shown(&v, "--more--");
		kill(v.pid, SIGTERM);
		assert_left(&v, SIGTERM, false);
	}
}

/* The terminal is closed: at the prompt, running, in the pager, in scripts, while a question is asked. */
static void terminal_gone(void **state)
{
	static const char *const input[] = {
	    "", "until false\r", "set pagination on\rhelp break\r", ENDLESS, STUCK, "\tq",
	};
	for (int screen = 0; screen < 2; screen++)
		for (size_t i = 0; i < sizeof input / sizeof *input; i++) {
			struct vt v;
			start(&v, screen);
			vt_send(&v, input[i]);
			vt_settle(&v, 300, 1500);
			close(v.fd);
			for (int k = 0; k < 100 && !v.ended; k++) {
				usleep(100000);
				vt_reap(&v, false);
			}
			if (!v.ended)
				fail_msg("%s, screen %d: it lives on without a terminal", input[i], screen);
			v.fd = dup(0);
			vt_free(&v);
		}
}

/* Signals that mean nothing to it end it, too, with the terminal as it was. */
static void other_signals(void **state)
{
	const int sigs[] = {SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGIO, SIGXCPU, SIGRTMIN};
	for (size_t i = 0; i < sizeof(sigs) / sizeof(*sigs); i++) {
		struct vt v;
		start(&v, true);
		vt_settle(&v, 300, 1000);
		kill(v.pid, sigs[i]);
		assert_left(&v, sigs[i], true);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(stuck_in_a_script),  cmocka_unit_test(second_signal),
	    cmocka_unit_test(other_signals),      cmocka_unit_test(terminal_that_takes_nothing),
	    cmocka_unit_test(without_the_screen), cmocka_unit_test(terminal_gone),
	};
	return cmocka_run_group_tests_name("leave", tests, NULL, NULL);
}
