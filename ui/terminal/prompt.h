/* prompt: the line being typed inside the curses screen. Editing, history, Ctrl-R, completion and the user's ~/.inputrc
 * are GNU readline's (callback interface); drawing and keys are the screen's. There is one prompt, as there is one
 * readline. */
#ifndef UI_TERMINAL_PROMPT_H
#define UI_TERMINAL_PROMPT_H
#include "base/strbuf.h"
#include "dbg/debugger.h"
#include "scr/canvas.h"

/* list: called with the candidates when a completion is ambiguous, as text to show. */
void prompt_open(struct debugger *d, void (*list)(void *ctx, char *const *candidates, int n), void *ctx);
void prompt_close(void); /* saves the history */
/* Hands a key (term.h) to the line editor. */
void prompt_key(int key);
/* Inserts text of whole characters where the cursor is, whatever keys and modes would make of it. */
void prompt_text(const char *text);
/* The line entered since the last call (to be freed), or NULL; the entry is in the history already. */
char *prompt_take(void);
/* Has Ctrl-D been pressed on an empty line since this was last asked? */
bool prompt_ended(void);
/* Nothing typed, no search or multi-key command under way: keys may mean something else. */
bool prompt_idle(void);
/* Readline is in its vi mode (~/.inputrc, `set editing vi`): Esc is a key of the line editor. */
bool prompt_is_vi(void);
/* Drops what was typed. */
void prompt_reset(void);
/* Draws prompt and line in row y, scrolled sideways so that the cursor shows; returns the cursor's column. */
int prompt_draw(struct pane p, int y, struct style prompt, struct style text);
#endif
