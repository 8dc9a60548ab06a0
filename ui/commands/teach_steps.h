/* teach_steps: what the files of a lesson under way (teach.h) share. */
#ifndef UI_COMMANDS_TEACH_STEPS_H
#define UI_COMMANDS_TEACH_STEPS_H
#include "commands/teach.h"

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
