/* teach: a lesson under way: which step it is at, what it says, and whether the learner has done what it asks.
 *
 * A step that waits for something to be done is looked at whenever the machine rests: after a command, after a run, and
 * when another view is chosen. Its function may look at the machine only. The lesson's own state does not change with
 * time travel, `run` or `undo`: what has been done once is done. */
#ifndef UI_COMMANDS_TEACH_H
#define UI_COMMANDS_TEACH_H
#include "dbg/debugger.h"
#include "session/lesson.h"

struct teaching {
	struct lesson *l;
	char *workload; /* the word of the program that it has opened */
	u32 at;         /* step, from 0 */
	bool done;      /* this step: Enter goes on */
	bool over;      /* the whole lesson */
	bool skipped;   /* a step: the lesson does not count as done */
	bool broken;    /* this step's function has failed: it is not asked again */
	bool elsewhere; /* it has been said that another program is open */
	bool fresh;     /* nothing has happened since the step began: what its `wait` says would be about the step before */
	bool due;       /* something has been executed since it was asked last */
	bool asking;    /* one of its functions runs */
	u32 hints, wrong; /* of this step: given, answers that were wrong */
	char *said;       /* by this step's `wait`, last */
	const char *view; /* name of the view shown when it was asked last */
	char command[40]; /* the last one executed, by its full name */
	char args[200];   /* what was behind it */
};

/* Begins a lesson (by path) on the machine that is open, or with `fresh` on one that it opens itself; then breakpoints
 * and displays are deleted. False with *e: what was before is as it was, but for the program if that is open already.
 */
bool teach_begin(struct debugger *d, const char *path, bool fresh, struct strbuf *out, struct err *e);
void teach_end(struct debugger *d);
/* The step's text again. */
void teach_show(struct debugger *d, struct strbuf *out);
/* lesson next, back, skip. */
bool teach_next(struct debugger *d, struct strbuf *out, struct err *e);
bool teach_back(struct debugger *d, struct strbuf *out, struct err *e);
bool teach_skip(struct debugger *d, struct strbuf *out, struct err *e);
bool teach_hint(struct debugger *d, struct strbuf *out, struct err *e);
bool teach_answer(struct debugger *d, const char *text, struct strbuf *out, struct err *e);
/* The answers that the present question has, if it has a list of them. */
void teach_each_choice(struct debugger *d, void (*offer)(void *ctx, const char *text), void *ctx);
/* A command has been executed: its full name and what was behind it. */
void teach_heard(struct debugger *d, const char *command, const char *args);
/* The machine rests, or another view is shown: is the step done? What is to be said goes to *out. Costs nothing without
 * a lesson. */
void teach_look(struct debugger *d, struct strbuf *out);
/* The same before a line, of a command file, that follows a run without anybody having looked yet. */
void teach_look_first(struct debugger *d, struct strbuf *out);
/* Does an empty line go on to the next step? Then it repeats nothing. */
bool teach_goes_on(const struct debugger *d);
/* Is another view shown than when teach_look() looked last? */
bool teach_view_changed(const struct debugger *d);

/* teach_answer.c: */
/* "1,234 cycles", "12.5 %" -> a number; unit: what may stand behind it. False with *e. */
bool answer_number(const char *text, const char *unit, double *out, struct err *e);
/* One of the choices: its number from 1, its words, or their unambiguous beginning. -1 with *e. */
int answer_choice(const char *text, const struct text_list *choices, struct err *e);
/* Without regard to case and to the blanks at both ends. */
bool answer_same(const char *a, const char *b);
void answer_print(double v, struct strbuf *out);
/* teach_text.c: a lesson's text as lines of at most so many columns. Lines that begin with a blank behind the tabs that
 * all lines have, or with (wd), stay as they are; others are filled. An empty line stays one. */
void lesson_text(const char *text, u32 width, struct strbuf *out);

/* --- what the files of a lesson under way share (teach.c) --- */
/* The lesson under way, or NULL; its present step. */
struct teaching *teaching_of(const struct debugger *d);
const struct lesson_step *teaching_step(const struct teaching *t);
/* Appends a text of the lesson's, filled to the terminal's width. */
void teach_say(const struct debugger *d, const char *text, struct strbuf *out);
/* Says why a function of the lesson's has failed; the step can still be passed over. */
void teach_tell_broken(struct debugger *d, const struct err *x, struct strbuf *out);
/* lesson_call() for the present step. What the function prints goes to *out, so that it comes before what is said of
 * its answer. */
bool teach_call(struct debugger *d, const char *field, int nargs, int nresults, struct strbuf *out, struct err *e);
/* Goes to a step, and shows it. */
void teach_enter(struct debugger *d, u32 at, struct strbuf *out);
/* The step is done. first: what is said of it before its `after`; given: the number that was answered, NULL: none. */
void teach_finish(struct debugger *d, const char *first, const double *given, struct strbuf *out);
/* The last step is done, or passed over. */
void teach_end_lesson(struct debugger *d, struct strbuf *out);
/* Is the lesson's program still the one that is open? */
bool teach_is_open(const struct debugger *d);
#endif
