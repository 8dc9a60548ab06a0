/* shell: the state of the console's commands between two lines. There is one for each debugger, made and freed by
 * execute.c. */
#ifndef UI_COMMANDS_SHELL_H
#define UI_COMMANDS_SHELL_H
#include "commands/changes.h"
#include "commands/notes.h"
#include "dbg/debugger.h"

struct shell {
	char repeat[256]; /* what an empty line repeats, "" = nothing */
	char prompt[64];  /* the last that was not the usual one */
	struct {
		enum { COLLECT_NONE, COLLECT_COMMANDS, COLLECT_LUA } kind; /* multi-line input under way */
		u32 id;
		bool scripted; /* some of it came from a script */
		struct strbuf text;
	} collect;
	struct alias {
		char *name, *text; /* text begins with a command, not with another alias */
		bool scripted;     /* made by a script */
	} * aliases;
	u32 naliases;
	u32 list_line;  /* where `list` goes on; 0 = round the focus */
	u32 list_moves; /* ...as long as d->focus_moves is this */
	u64 x_next;     /* where `x` goes on */
	char x_fmt;     /* last letters of x and print */
	char x_size;
	enum { PAGING_DEFAULT, PAGING_ON, PAGING_OFF } paging; /* long answers a page at a time; default: on a terminal */
	struct teaching *teaching;                             /* the lesson under way (teach.h); NULL = none */
	bool lesson_is_open; /* the machine that is open was opened for the lesson that is begun next */
	struct changes changes;
	struct notes notes;
	struct other_options *other_options; /* that `run` was given, the latest first (restart.c); NULL = none */
};
#endif
