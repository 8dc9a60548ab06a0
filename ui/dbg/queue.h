/* queue: lines to be executed, from command files, breakpoints and options. */
#ifndef UI_DBG_QUEUE_H
#define UI_DBG_QUEUE_H
#include "dbg/state.h"

/* Drops the queued lines. */
void queue_clear(struct command_queue *q);
/* Puts lines in front of the queue of commands; `where` names their origin. They stand as deep in command files as the
 * line being executed. */
enum line_numbers {
	LINE_ALONE,     /* errors name the line's number when there are several */
	LINES_NUMBERED, /* always */
};
void debugger_queue_text(struct debugger *d, const char *text, const char *where, enum line_numbers numbers);
/* The same for the text of a command file. False: files are nested too deep (one that sources itself must end); of the
 * files that led there nothing more is executed, whatever is to become of other errors. */
bool debugger_queue_file(struct debugger *d, const char *text, const char *path, struct err *e);
#endif
