/* delta: every statistic of two runs side by side. */
#ifndef OBS_COMPARE_DELTA_H
#define OBS_COMPARE_DELTA_H
#include "obs/stats/stats.h"

struct delta {
	char name[112];   /* "run.cycles", "l1d.hits", "stalls.base.issued", "kernel.2.ipc" */
	const char *unit; /* as in counters.def and derived.def; "" = a share or ratio */
	const char *text; /* a kernel's name, else NULL */
	bool whole;       /* both are integers: whole_a, whole_b */
	u64 whole_a, whole_b;
	double a, b; /* the same as reals; NAN = not there (0 / 0; a kernel that only the other run has launched) */
};
struct deltas {
	struct delta *d;
	u32 n, cap;
};
/* Totals of the run, each group's sums of counters and rates, each taxonomy's classes, each launch. Release with
 * deltas_release(); units and texts belong to tables and to the stats. */
void deltas_gather(struct deltas *out, const struct stats *a, const struct stats *b);
void deltas_release(struct deltas *d);
/* The row of that name; a name that does not exist is a bug. */
const struct delta *deltas_find(const struct deltas *d, const char *name);
/* The rows in which the runs differ, most relevant first: IPC and cycles, then by how far a share has moved or a mean
 * has changed of itself, counts by how often they happen per instruction and with less weight. Figures of single
 * launches, and the taxonomies that only group the base reasons, are left out: they say the same again. out: room for
 * d->n; returns how many. */
u32 deltas_by_relevance(const struct deltas *d, const struct delta **out);
/* A figure of a row as text: "48,213", "12.07", "41.2 %"; "-" when it is not there. side: 0 = a, 1 = b, 2 = the change,
 * with its sign. */
const char *delta_text(const struct delta *d, u32 side, char out[32]);
/* b - a; NAN when one is missing. */
double delta_value(const struct delta *d);
/* (b - a) / a; NAN when that is not a number. */
double delta_ratio(const struct delta *d);
#endif
