/* lesson: one lesson of `warpdbg learn`, as its Lua file describes it (scripts/lessons/README.md has the form of such a
 * file). Who teaches with it is commands/teach.h. */
#ifndef UI_SESSION_LESSON_H
#define UI_SESSION_LESSON_H
#include "lua/fields.h"

/* What a step wants of the learner, by the field that says so. */
enum lesson_kind {
	LESSON_READ,    /* no such field: to read, and to go on */
	LESSON_WAIT,    /* wait: to do something, which the function sees */
	LESSON_NUMBER,  /* number: to answer with a number */
	LESSON_CHOICE,  /* choice: to answer with one of these words */
	LESSON_WORD,    /* word: to answer with a word or a name */
	LESSON_PREDICT, /* predict: to answer with any number; what it is compared with comes in a later step */
	LESSON_KINDS
};
#define LESSON_TASK_MAX 30 /* characters: the line above the prompt has room for so many on 80 columns */
#define LESSON_WITHIN 0.02 /* what `within` is unless a step says otherwise */
struct lesson_step {
	enum lesson_kind kind;
	char *text, *task;
	char *unit;    /* of a number; "" = it has none */
	double within; /* an answer may be off by this share of the right one */
	struct text_list setup, choice, hints;
	char *after; /* NULL: nothing, or a function says it */
};
struct lesson {
	char *name; /* of the file, without its folder and .lua */
	char *path, *title;
	char *program; /* as the command line and the console's `file` take it */
	u32 number, minutes;
	struct text_list setup;
	struct lesson_step *step;
	u32 nsteps;
	int ref; /* of the file's table, in the registry of the state that has loaded it */
};

/* Loads a lesson's file into a state of any session, or of none: nothing of the machine is asked yet. NULL with *e,
 * which names file, step and field. */
struct lesson *lesson_load(lua_State *L, const char *name, const char *path, struct err *e);
/* L: the state that has loaded it; NULL when that is gone already. */
void lesson_free(lua_State *L, struct lesson *l);
/* Has step i (from 0) a function in this field? */
bool lesson_has(lua_State *L, const struct lesson *l, u32 i, const char *field);
/* Calls that function with the nargs values on top of the stack, which it takes away, within the budget of a callback.
 * False with *e: "PATH: step 3, 'wait': ..."; the stack is as it was below the arguments. */
bool lesson_call(lua_State *L, const struct lesson *l, u32 i, const char *field, int nargs, int nresults,
                 struct err *e);

/* --- which there are --- */
struct lesson_file {
	char *name, *path, *title; /* title: or why the file is none */
	char *program;
	u32 number, minutes; /* number 0: it has none */
	bool broken, done;
};
struct lesson_files {
	struct lesson_file *file; /* by number, then by name */
	u32 n;
};
/* The bundled lessons, those in ~/.warpdbg/lessons and in the folders that WARPDBG_LESSONS names. */
struct lesson_files lessons_find(const char *data_dir);
void lessons_release(struct lesson_files *all);
/* The lesson of that number or name, or a file's (FILE.lua): its path, to be freed. NULL with *e. */
char *lesson_path(const char *data_dir, const char *asked, struct err *e);
/* The name of a lesson's file, to be freed: without folder and ending. */
char *lesson_name(const char *path);

/* --- which are done (the file `lessons` of base/state_file.h: a name a line; others in it are passed over) --- */
bool lesson_is_done(const char *name);
/* False: it could not be kept. */
bool lesson_mark_done(const char *name);
#endif
