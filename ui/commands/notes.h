/* notes: what the user has written down about cycles of the run. They stay when the machine is built anew. */
#ifndef UI_COMMANDS_NOTES_H
#define UI_COMMANDS_NOTES_H
#include "base/base.h"

struct notes {
	struct note {
		u64 cycle;
		char *text;
	} * note; /* by cycle; of the same cycle, in the order in which they were written */
	u32 n;
};
void notes_add(struct notes *n, u64 cycle, const char *text);
/* The note of a number from 0 on, which there is. */
void notes_delete(struct notes *n, u32 i);
void notes_release(struct notes *n);
#endif
