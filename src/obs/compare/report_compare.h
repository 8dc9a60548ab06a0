/* report_compare: two runs of one workload side by side, as text, JSON or CSV. Two comparisons of the same thing give
 * the same bytes. */
#ifndef OBS_COMPARE_REPORT_COMPARE_H
#define OBS_COMPARE_REPORT_COMPARE_H
#include "base/strbuf.h"
#include "obs/compare/diverge.h"
#include "obs/report/report.h"

#define COMPARE_SCHEMA "warpdbg-compare"
#define COMPARE_VERSION 1

/* Where both machines stood when they had come equally far. */
struct lockstep {
	u64 at; /* in the unit of the lock step */
	struct {
		u64 cycle, insts, ctas; /* completed cycles, warp instructions executed, CTAs finished */
	} side[2];
};
struct comparison {
	const struct stats *side[2];
	struct gpu *gpu[2];     /* for kernels and their source lines */
	const char *by, *until; /* "cycles", "insts", "ctas"; "end", "first-divergence" */
	const struct diverge *diverge;
	const struct divergence *first; /* without diverge, for JSON alone: the first different decision, as it is known */
	const struct lockstep *steps;
	u32 nsteps;
};
void report_compare_text(const struct comparison *c, const struct text_style *style, struct strbuf *out);
/* Of it, the first different decision: needs c->gpu and c->diverge alone. */
void report_divergence_text(const struct comparison *c, const struct text_style *style, struct strbuf *out);
void report_compare_json(const struct comparison *c, struct strbuf *out);
void report_compare_csv(const struct comparison *c, struct strbuf *out);

/* --- pieces that the formats share --- */

/* The kernel and PTX line of a decision. Parts that do not exist are NULL, 0 and "". */
struct decision_place {
	const char *kernel, *label; /* its name as PTX has it, and for people */
	u32 line;
	char text[96]; /* of the line: its beginning, single blanks between words */
};
struct decision_place decision_place(struct gpu *g, const struct decision *d);
/* In what way the two decisions differ: "warps", "instructions", "only A chose"... */
const char *divergence_kind(const struct divergence *d);
/* Why a machine that stands right before its decision takes it: what its scheduler says of itself, the rank it gives
 * the warp it will choose and the one the other machine chose, and what it says of each: "gto: greedy 9; warp 9: rank
 * 0, greedy; warp 3: rank 4". */
void decision_reason(const struct gpu *g, const struct decision *own, const struct decision *other, struct strbuf *out);
/* Calls fn for each configuration key in which the machines differ; the texts live until fn returns. */
void config_differences(const struct comparison *c,
                        void (*fn)(void *ctx, const char *key, const char *a, const char *b), void *ctx);
#endif
