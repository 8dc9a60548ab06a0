/* changes: the lines that have changed the machine by hand since it was built, and those that have built it anew: what
 * `save session` needs to come to the same state again. */
#ifndef UI_COMMANDS_CHANGES_H
#define UI_COMMANDS_CHANGES_H
#include "dbg/debugger.h"

struct change_line {
	struct sim_place at; /* where the machine was before it */
	char *text;
};
struct changes {
	struct change_line *line;
	u32 n;
	char **setup; /* "file OPTIONS" for each `run OPTIONS` and `file PROGRAM` */
	u32 nsetup;
};
/* A line that somebody has entered is over, and the machine has been changed since `before` (changes_now() then). */
u64 changes_now(const struct debugger *d);
void changes_note(struct debugger *d, struct changes *c, u64 before, struct sim_place at, const char *line);
/* A change has been undone: the machine is where it was before it. */
void changes_undone(struct debugger *d, struct changes *c);
/* The machine has been built anew: with other options, or as it was (NULL). */
void changes_restarted(struct changes *c, const char *options);
void changes_release(struct changes *c);
#endif
