/* screen: the debugger on a terminal: title, view, console, prompt, key line.
 *
 *   screen.c     the loop: keys in, slices of simulation, frames out
 *   input.c      keys, steps and pasted lines that wait
 *   word.c       commands typed while a view has the keys
 *   prompt.c     the line editor
 *   ui/views     frame.c: one frame into the canvas; help_page.c: the help page; recent.c: what the views add up while
 *                running
 *   ui/scr       console_pane.c: the debugger's output; canvas.c, draw.c, palette.c; term.c: curses */
#ifndef UI_TERMINAL_SCREEN_H
#define UI_TERMINAL_SCREEN_H
#include "dbg/debugger.h"

/* Runs the debugger on the terminal until the user leaves; returns the exit status of session_exit_status, or 2 with a
 * message on standard error when the terminal cannot be used. The caller has installed the SIGINT handler that calls
 * debugger_interrupt(). */
int screen_main(struct debugger *d);
/* Whether the terminal can carry the screen (both ends a terminal, TERM known and not "dumb"). */
bool screen_possible(void);
#endif
