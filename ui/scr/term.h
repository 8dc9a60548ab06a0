/* term: the terminal. term.c is the one file of the project that knows curses.
 *
 * term_open() takes the terminal over. term_close() restores it as it was, and so do the handlers of fatal signals.
 * Ctrl-C stays a signal (the debugger's handler stops the machine in the middle of a slice). */
#ifndef UI_SCR_TERM_H
#define UI_SCR_TERM_H
#include "base/err.h"
#include "scr/canvas.h"

/* Keys beyond bytes. Bytes (UTF-8, one at a time) are themselves. */
enum key {
	K_NONE = -1,
	K_RESIZE = 0x1000,
	K_UP,
	K_DOWN,
	K_LEFT,
	K_RIGHT,
	K_PGUP,
	K_PGDN,
	K_CONSOLE_UP,
	K_CONSOLE_DOWN,
	K_HOME,
	K_END,
	K_DEL,
	K_BACKTAB,
	K_MOUSE,
	K_PASTE, /* what follows is pasted, up to K_PASTE_END */
	K_PASTE_END,
	K_OTHER,
	K_ESC = 27,
};
#define CTRL_KEY(c) ((c)&0x1f)

struct term_mouse {
	int y, x;
	int wheel; /* -1 up, 1 down, 0 = a click */
};

/* no_color, ascii: asked for by the user; NO_COLOR, the locale's character set and the terminal's abilities are looked
 * at here. light: the background is. False with *e set: no terminal, or its type is unknown. */
bool term_open(bool no_color, bool ascii, bool light, struct err *e);
void term_close(void);
bool term_ascii(void);           /* the canvas has to substitute glyphs */
bool term_mono(void);            /* no colours */
bool term_few(void);             /* fewer than 256 */
void term_set_light(bool light); /* the colours for a light background, or for a dark one */
void term_size(int *h, int *w);
/* Copies the canvas to the terminal: only what changed is sent. cursor_y < 0 hides the cursor. */
void term_show(const struct canvas *c, int cursor_y, int cursor_x);
/* Forgets what the terminal shows: the next term_show() repaints everything. */
void term_redraw(void);
/* Has the terminal taken nearly all that it was sent? A terminal that answers is asked after each picture, however long
 * the line to it; of others, and of one that has not answered for TAKE_SECONDS, it is assumed. An answer that comes
 * ends the wait of term_key(). */
bool term_takes(void);
/* The next key, waiting at most timeout_ms (0 = no wait, -1 = for ever); K_NONE when there is none. A signal ends the
 * wait. */
int term_key(int timeout_ms);
/* The terminal went away: its input is at its end. */
bool term_gone(void);
void term_mouse(bool on);
struct term_mouse term_mouse_event(void); /* after K_MOUSE */
#endif
