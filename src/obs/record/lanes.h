/* lanes: what each warp and each CTA of an SM was in each cycle of a part of the run: the table behind pictures with a
 * row a warp and a column a time (Konata draws CPUs so).
 *
 * A column is `bin` cycles, [k * bin, (k + 1) * bin). Cycle c of a warp is what c did to it, as gpu_warp_info() says
 * when the machine stands behind it, at c + 1:
 *
 *   issued   it issued an instruction, or used an issue slot for a leading part of one
 *   refused  it was ready for the LSU, which did not take it
 *   else     the state in which c left it (sm/warp_state.def)
 *
 * A column of several cycles counts them: it is `issued` where the warp issued in at least half of them, else the state
 * in which it was in most of the others (the states of ready are one; of equals the first in warp_state.def, empty
 * last; refused is after all of them). How many were issued is kept beside it, as a share.
 *
 * A CTA has a row from the cycle in which it comes to the SM to its end there; then the next one takes the row. One
 * that has been taken off keeps its row until it is on an SM again. A CTA whose warps issue as they can is what most of
 * its warps were; it has issued where any of them has. Others are in a state of sm/cta_state.def.
 *
 * Sums: of a warp the cycles of a column; per SM and column the issue slots by reason are those that gpu_stalls() has
 * counted, so all together are schedulers x cycles. In a cycle as many warps have issued as schedulers were charged
 * with ST_ISSUED: a second instruction of the same warp (sm.issue_width=2) takes the same slot, and is told beside the
 * first. Those that take none (sm.issued_free) are not told.
 *
 * All of it lies in one block of memory without growing, so another process can fill it in. Nothing here costs anything
 * while nobody records: the one who records listens and looks after every cycle.
 *
 *   struct lanes *l = lanes_init(mem, lanes_bytes(g, -1, bin), g, sm, bin, from);      (machine at `from`)
 *   int id = sim_add_sampler(s, 1, lanes_look, l);
 *   sim_subscribe(s, lanes_events(l), lanes_event, l); */
#ifndef OBS_RECORD_LANES_H
#define OBS_RECORD_LANES_H
#include "gpu/query.h"

/* What columns may take: rows x columns of an SM's 48 warps are 50,000 cycles one by one, of all SMs of a V100 500. */
#define LANES_BYTES ((size_t)32 << 20)
#define LANES_NAMES 65535u /* CTAs that are told apart; later ones have no name */
#define LANES_MARKS 16384u

/* What a warp was: enum warp_state, where WS_READY_SP stands for all states of ready; or */
enum lane_class { LANE_REFUSED = WS_COUNT, LANE_CLASSES };
/* What a CTA was: one of these (it runs, and most of its warps were so), or LANE_CLASSES + enum cta_state. */
#define LANE_CTA_CLASSES (LANE_CLASSES + CS_COUNT)

struct lane_cell {
	u8 class;  /* of a warp or a CTA; in an issued cycle: what it left it in */
	u8 issued; /* share of the column's cycles in which it issued: 0 to 255, more than 0 if there is one */
	u16 name;  /* of the CTA, the last one there: lanes_name(); 0: none */
	u32 pc;    /* of a warp. One cycle issued: of the instruction; else of the next one at the column's end */
	u32 cause; /* of a warp, columns of one cycle: to which instruction its wait is charged (gpu_producers()); issued:
	            * the second instruction of the cycle; PC_DONE: none, and in an issued cycle the pc again: the slot took
	            * a leading part of it */
};
static inline bool lane_is_issued(const struct lane_cell *c)
{
	return c->issued >= 128;
}
/* A CTA on its way through the SMs. */
struct lane_name {
	u32 sm, launch;
	u64 cta;
};
/* Issue slots of an SM's column. */
struct lane_slots {
	u32 n[ST_COUNT];
	u8 reason[4]; /* by scheduler, the last cycle's */
};
/* Something that has happened to a CTA: EV_CTA_..., and EV_BARRIER_RELEASE in columns of one cycle. */
struct lane_mark {
	u64 cycle, cta;
	u64 arg[4];
	s32 sm, kernel;
	u32 type;
};

struct lanes;
/* Bytes of a block that has room for `columns` columns (0: as many as LANES_BYTES hold); sm -1: all SMs, without the
 * rows of CTAs. */
size_t lanes_bytes(const struct gpu *g, s32 sm, u32 columns);
u32 lanes_capacity(const struct gpu *g, s32 sm); /* columns in LANES_BYTES, at least 1 */
/* Makes `mem`, which must be zero and so large, an empty recording of columns of `bin` cycles. */
struct lanes *lanes_init(void *mem, const struct gpu *g, s32 sm, u32 columns, u32 bin);
/* The machine stands at the cycle from which on it is recorded, a multiple of bin, or where the last recording ended.
 */
void lanes_begin(struct lanes *l, struct gpu *g);
/* A sample_fn of period 1, and an event_fn: ctx is the recording. Behind its last column nothing more is recorded. */
void lanes_look(void *ctx, u64 cycle);
event_set lanes_events(const struct lanes *l);
bool lanes_event(void *ctx, const struct event *e);

/* Cycles [lanes_from, lanes_to) are there; they grow while another process records. */
u64 lanes_from(const struct lanes *l);
u64 lanes_to(const struct lanes *l);
u64 lanes_limit(const struct lanes *l); /* as far as it has room */
s32 lanes_sm(const struct lanes *l);
u32 lanes_bin(const struct lanes *l);
u32 lanes_warps(const struct lanes *l); /* rows of warps per SM; */
u32 lanes_ctas(const struct lanes *l);  /* rows of CTAs; 0 of all SMs */
/* Cycles [from, from + n) as one column, n a multiple of the recording's bin and from one of n: what lies in it. A
 * recording of single cycles says what one of bins of n would. False: nothing of it is there. */
bool lanes_warp(const struct lanes *l, u32 sm, u32 warp, u64 from, u32 n, struct lane_cell *out);
bool lanes_cta(const struct lanes *l, u32 row, u64 from, u32 n, struct lane_cell *out);
bool lanes_slots(const struct lanes *l, u32 sm, u64 from, u32 n, struct lane_slots *out);
const struct lane_name *lanes_name(const struct lanes *l, u32 name); /* NULL: none */
u32 lanes_marks(const struct lanes *l);                              /* in order; */
const struct lane_mark *lanes_mark(const struct lanes *l, u32 i);
u64 lanes_marks_lost(const struct lanes *l); /* for which there was no room, and CTAs without a row or name */
#endif
