/* input: keys on their way from the terminal to the screen, in the order in which they were pressed.
 *
 *     terminal -> arrived -> on_key()            keys of one read are looked at together: blanks in front of text
 *                    |                           are text, not the key that runs the machine
 *                    +-> owed                    keys that step, pressed while a step is under way: each counts
 *                    +-> paste -> lines          pasted text is no keys; its lines run one after the other
 *
 * Nothing here acts: screen.c takes keys, steps and lines when the machine has come to rest. Ctrl-C drops them all. */
#ifndef UI_TERMINAL_INPUT_H
#define UI_TERMINAL_INPUT_H
#include "base/strbuf.h"

#define ARRIVED_MAX 4096
#define OWED_MAX 1024
#define PASTE_QUIET                                                                                                    \
	0.5 /* seconds: a paste that was ended by Ctrl-C has no end mark that could be relied on; a second one ends it,    \
	       too */

struct key_ring {
	int *key;
	u32 first, n, max;
};
struct input {
	struct key_ring arrived, owed;
	struct {
		bool open, dropped; /* its end has not come; what still comes of it is forgotten */
		bool cr;            /* its last line ended with CR: an LF behind that is no other end */
		double last;        /* when the last of it came */
		struct strbuf part; /* not yet handed to the prompt */
	} paste;
	struct strbuf lines; /* entered, each with its LF, waiting for the machine; from `line_at` on */
	size_t line_at;
};
void input_init(struct input *in);
void input_release(struct input *in);
/* Takes in what has been typed; while there is nothing, waits so many ms. */
void input_fill(struct input *in, int wait_ms);
/* The next key that has come, K_NONE when there is none. */
int input_key(struct input *in);
/* The keys that have come with the one taken last begin with text: blanks, then a letter or a bracket. */
bool input_text_follows(const struct input *in);
/* Is anything left to be done without another key? */
bool input_waits(const struct input *in);
/* A key that steps, to be done later. False: too many of them wait already. */
bool input_owe(struct input *in, int key);
int input_owed(struct input *in); /* the next of those; K_NONE when there is none */

/* A key that comes within a paste, or opens or closes one, is taken: true. */
bool input_paste_key(struct input *in, int key, double now);
/* What has come of the paste and is not taken yet, up to its first line end or as far as its characters are whole, to
 * be freed; *ends = a line ends there. NULL when there is nothing. */
char *input_pasted(struct input *in, bool *ends);
/* Lines that wait for the machine. */
void input_add_line(struct input *in, const char *line);
char *input_line(struct input *in); /* the next, to be freed; NULL when there is none */
/* Forgets steps and lines that wait for the machine. */
void input_drop_waiting(struct input *in);
/* Forgets steps, the paste and lines, and the keys that have come, if asked; returns how many lines that were. */
u32 input_drop(struct input *in, bool keys);
#endif
