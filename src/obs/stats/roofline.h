/* roofline: operations, bytes and what the machine could do of either (Williams, Waterman and Patterson, "Roofline: an
 * insightful visual performance model for multicore architectures", CACM 2009), of what the queries tell: the run so
 * far, or its scope. A program that does few operations for each byte cannot be faster than the bytes come.
 *
 * Operations are those of lanes that execute: an add, subtraction or multiplication is one, a multiply-add two, a
 * division, square root or special function one; pairs of f16 or bf16 are two of each. Those of tensor units are two
 * for each multiply-add. Minima, comparisons and conversions are none. Line counters know which instructions were
 * executed (gpu/lines.h): without them there is no roofline.
 *
 * The row `issue` is of warp instructions instead, for programs without such operations (Ding and Williams, "An
 * instruction roofline model for GPUs", 2019). */
#ifndef OBS_STATS_ROOFLINE_H
#define OBS_STATS_ROOFLINE_H
#include "base/strbuf.h"
#include "gpu/query.h"

enum roof_work { ROOF_ISSUE, ROOF_F16, ROOF_F32, ROOF_F64, ROOF_TENSOR, ROOF_WORKS };
/* Bytes: of 32 B sectors that L1D was asked for, and 128 B for each cycle of shared memory but those of bank conflicts;
 * of flits with data between SMs and L2, each without a packet's header; on DRAM's data bus. */
enum roof_level { ROOF_L1, ROOF_L2, ROOF_DRAM, ROOF_LEVELS };
extern const char *const roof_work_names[ROOF_WORKS], *const roof_level_names[ROOF_LEVELS];

struct roofline {
	double cycles, clock;      /* MHz */
	double ops[ROOF_WORKS];    /* operations, of ROOF_ISSUE warp instructions with a slot */
	double peak[ROOF_WORKS];   /* the most of them that the machine begins in a cycle; 0: it has no unit for them */
	double bytes[ROOF_LEVELS]; /* that moved */
	double width[ROOF_LEVELS]; /* the most in a cycle */
	double warp_cycles, warps; /* occupancy: sum over cycles of resident warps; places for warps */
};
/* False: nobody counts lines. */
bool roofline_read(struct gpu *g, struct roofline *out);
/* What was between two: b - a, with b's peaks. */
void roofline_sub(struct roofline *out, const struct roofline *b, const struct roofline *a);
/* The work that comes nearest to its peak; ROOF_ISSUE only where there is no other. */
enum roof_work roofline_main(const struct roofline *r);
/* Operations for each byte; INFINITY without bytes, NAN without both. */
double roofline_intensity(const struct roofline *r, enum roof_work w, enum roof_level l);
/* What the machine could do at most, operations a cycle: the peak, or what the bytes of one level allow. */
double roofline_ceiling(const struct roofline *r, enum roof_work w, enum roof_level l);
/* The lowest ceiling; *level = ROOF_LEVELS: the peak. */
double roofline_lowest(const struct roofline *r, enum roof_work w, enum roof_level *level);
void roofline_text(const struct roofline *r, struct strbuf *out);
#endif
