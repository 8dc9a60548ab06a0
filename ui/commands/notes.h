/* notes: what the user has written down about cycles of the run. They stay when the machine is built anew. */
#ifndef UI_COMMANDS_NOTES_H
#define UI_COMMANDS_NOTES_H
#include "dbg/debugger.h"

struct notes {
	struct note {
		u64 cycle;
		char *text;
	} * note; /* by cycle; of the same cycle, in the order in which they were written */
	u32 n;
};
void notes_release(struct notes *n);
#endif
