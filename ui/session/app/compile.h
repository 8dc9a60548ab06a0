/* compile: `warpdbg run a.cu`: the program is compiled by nvcc, where there is one, and is then an application. */
#ifndef UI_SESSION_APP_COMPILE_H
#define UI_SESSION_APP_COMPILE_H
#include "session/options.h"
#include "base/err.h"

struct compiled {
	char *dir, *program; /* what nvcc has made, in a folder of its own */
	const char **words;  /* of the application */
};
bool compile_is_source(const char *workload); /* does it end in .cu? NULL: no */
bool compile_wanted(const struct options *o);
/* Sets o->app, of which c keeps the words. False with *e: nvcc is not there (and what to install), or refuses the
 * program: its messages have gone to standard error. */
bool compile_program(struct compiled *c, struct options *o, const char *flags, struct err *e);
void compiled_release(struct compiled *c);
#endif
