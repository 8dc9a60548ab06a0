/* offscreen: the screen without a terminal, from which batch mode takes its pictures. */
#ifndef UI_VIEWS_OFFSCREEN_H
#define UI_VIEWS_OFFSCREEN_H
#include "dbg/debugger.h"
#include "views/view_keys.h"

/* Makes one unless the debugger has a screen already; what views add up while the machine runs begins here. */
void offscreen_open(struct debugger *d);

#define PICTURE_W_MAX 500
#define PICTURE_H_MAX 300
/* A picture of the debugger's screen (opened when there is none). view -1: the one shown; w 0: the size it has. False
 * with *e: see picture_write(). */
bool screen_picture(struct debugger *d, const char *file, int view, int w, int h, struct err *e);
#endif
