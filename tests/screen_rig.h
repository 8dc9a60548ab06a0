/* screen_rig: typing at a program on a pseudo-terminal (vt.h) and waiting for what it shows. Behind cmocka.h. */
#ifndef SCREEN_RIG_H
#define SCREEN_RIG_H
#include "vt.h"

#define WAIT 20000 /* ms: generous, machines may be busy */

static inline void type(struct vt *v, const char *keys)
{
	vt_send(v, keys);
	vt_settle(v, 150, WAIT);
}

static inline void assert_shown(struct vt *v, const char *text)
{
	char row[VT_TEXT_MAX];
	if (vt_wait(v, text, WAIT) >= 0)
		return;
	for (int y = 0; y < v->h; y++)
		print_error("%2d|%s\n", y, vt_row(v, y, row));
	fail_msg("no row shows '%s'", text);
}
#endif
