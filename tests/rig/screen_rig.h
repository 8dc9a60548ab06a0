/* screen_rig: the debugger on a pseudo-terminal (vt.h) - starting it, typing at it, waiting for what it shows. The
 * program is ./warpdbg, or what WARPDBG names. Behind cmocka.h. */
#ifndef TESTS_RIG_SCREEN_RIG_H
#define TESTS_RIG_SCREEN_RIG_H
#include "tests/rig/vt.h"

#define WAIT 60000 /* ms: generous, machines may be busy */

/* On hotspot, with more options and variables of the environment ("TERM=linux"); lists end with NULL, NULL is an empty
 * one. The home directory is empty: no rc file, no history. */
static inline void screen_start(struct vt *v, int h, int w, const char *size, const char *const *options,
                                const char *const *variables)
{
	const char *p = getenv("WARPDBG");
	char *argv[16] = {(char *)(p && *p ? p : "./warpdbg"), "debug", "hotspot", "--size", (char *)size};
	const char *env[16] = {"HOME=/nonexistent", "XDG_STATE_HOME=/nonexistent", "INPUTRC=/dev/null"};
	for (int n = 5; options && *options; options++)
		argv[n++] = (char *)*options;
	for (int n = 3; variables && *variables; variables++)
		env[n++] = *variables;
	vt_spawn(v, h, w, argv, env);
	if (vt_wait(v, "(wd)", WAIT) < 0) {
		char row[VT_TEXT_MAX];
		for (int y = 0; y < v->h; y++)
			print_error("%s\n", vt_row(v, y, row));
		fail_msg("%s shows no prompt", argv[0]);
	}
	vt_settle(v, 150, WAIT);
}

static inline void stop(struct vt *v)
{
	vt_send(v, "\003\025quit\r");
	vt_wait_end(v, WAIT);
	vt_free(v);
}

static inline void type(struct vt *v, const char *keys)
{
	vt_send(v, keys);
	vt_settle(v, 150, WAIT);
}

/* Waits for a row from y on that shows text; the rows after WAIT without. */
static inline void assert_shown_from(struct vt *v, int y0, const char *text)
{
	char row[VT_TEXT_MAX];
	if (vt_wait_from(v, y0, text, WAIT) >= 0)
		return;
	for (int y = 0; y < v->h; y++)
		print_error("%2d|%s\n", y, vt_row(v, y, row));
	fail_msg("no row from %d on shows '%s'", y0, text);
}

static inline void assert_shown(struct vt *v, const char *text)
{
	assert_shown_from(v, 0, text);
}
#endif
