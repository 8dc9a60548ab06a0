/* crossing: a statistic against a value, for breakpoints that stop when the comparison becomes true.
 *
 *   gpu.sm[3].l1d.hit_rate < 0.10      gpu.ipc >= 12      gpu.sm[0].ctas_done == 4
 *
 * Looked at every so many cycles, not in between: a comparison that is true and false again within a period goes
 * unnoticed. Where the statistic has no value yet (a rate over 0) no comparison is true. */
#ifndef OBS_CROSSING_H
#define OBS_CROSSING_H
#include "obs/probe_path.h"

#define CROSSING_EVERY 64 /* cycles between two looks unless told otherwise; a look costs about a microsecond */

enum crossing_op { CROSS_LT, CROSS_LE, CROSS_GT, CROSS_GE, CROSS_EQ, CROSS_NE };
struct crossing {
	char *probe; /* as typed: looked up again in a new machine */
	struct probe_path path;
	enum crossing_op op;
	double value;
	u64 every;
	bool known, holds; /* at the last look; known: there was one since the machine was put where it is */
	double last, before;
};
/* "PROBE OP VALUE [every N]": everything but `every N` may go without blanks. False with *e. */
bool crossing_parse(const struct gpu *g, const char *text, struct crossing *out, struct err *e);
void crossing_release(struct crossing *c);
/* One look: has the comparison become true since the last one? The first look after crossing_forget() never says so. */
bool crossing_look(struct crossing *c, struct gpu *g);
/* The machine has been put somewhere else. */
void crossing_forget(struct crossing *c);
/* "gpu.ipc < 2 every 64" */
void crossing_text(const struct crossing *c, struct strbuf *out);
#endif
