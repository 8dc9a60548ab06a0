/* marks: the results of the analyses of passes/ for each PTX line, for the source view's margin. They are made once for
 * a module, when it is first shown. */
#ifndef UI_VIEWS_MARKS_H
#define UI_VIEWS_MARKS_H
#include "conf/conf.h"
#include "ir/ir.h"

struct line_marks {
	bool code;
	bool phase_begin; /* the first instruction of its phase, in the order of execution, is of this line */
	bool point;       /* a program point of ELF (passes/points.h) */
	bool idem;        /* a kernel stops being restartable here (passes/idempotence.h) */
	u32 phase;        /* number within its function, of the line's first instruction */
};
struct marks_module {
	const struct module *mod;
	struct line_marks *line; /* [nlines + 1], by line number */
};
struct marks {
	struct marks_module *mods;
	u32 nmods;
};
/* By line number; good until marks_forget(). */
const struct line_marks *marks_of(struct marks *k, const struct module *m, const struct conf *c);
void marks_forget(struct marks *k); /* when the machine and its modules go */
#endif
