/* word: letters pressed in quick succession while a view has the keys.
 *
 * A view's own letters act at once (`c` shows the cursor). If they turn out to be the beginning of a command (`co` is
 * no key, but `continue` begins so), their effect is taken back and the word goes to the prompt. */
#ifndef UI_TERMINAL_WORD_H
#define UI_TERMINAL_WORD_H
#include "views/frame.h"

#define WORD_MAX 16
#define WORD_SECONDS 0.5 /* between two letters of one word */

struct typed_word {
	u32 n;
	double last;
	char letter[WORD_MAX + 1];
	struct {
		struct view_state view;
		struct focus focus;
		enum taxonomy taxonomy;
		bool mouse;
	} before[WORD_MAX]; /* what each letter found */
};
/* A letter is about to act. */
void word_add(struct typed_word *w, const struct screen *s, int letter, double now);
void word_forget(struct typed_word *w);
/* The last letter acts on nothing: it begins a command, or goes on with one that letters before it began, whose actions
 * are taken back. Returns what was typed of it, until word_forget(). */
const char *word_as_command(struct typed_word *w, struct screen *s);
/* Blank or Enter: are the letters pressed just now, all of them, a command as they stand? Then as above; else NULL. */
const char *word_ended(struct typed_word *w, struct screen *s, double now);
#endif
