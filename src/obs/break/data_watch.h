/* data_watch: sees a register of one lane, or bytes of memory, change - and who changed them.
 *
 * Nothing is read while nothing can have changed: a register is looked at when its warp has issued, memory when a store
 * or an atomic has (any, of the right space), so a run under a watch costs one event per instruction. What changes
 * memory otherwise (the host program between launches, the user) is seen at the next launch or data_watch_look().
 *
 * A watch names the warp (or, for shared memory, the CTA) by its launch and CTA as well as by its slot: wherever the
 * machine is put, the watch is asleep until that CTA is there. It ends with the warp's exit (the CTA's end). */
#ifndef OBS_BREAK_DATA_WATCH_H
#define OBS_BREAK_DATA_WATCH_H
#include "base/err.h"
#include "base/strbuf.h"
#include "gpu/query.h"

#define DATA_WATCH_MAX 4096 /* bytes of a range */

enum data_kind { DATA_REGISTER, DATA_GLOBAL, DATA_SHARED };
struct data_writer {
	bool known, lane_known; /* lane_known: its address says so, else it is the likely one */
	u32 sm, warp, lane, pc;
	s32 launch, cta;
};
struct data_watch {
	enum data_kind kind;
	u32 sm, warp, lane, slot; /* DATA_REGISTER: warp and lane; DATA_SHARED: CTA slot */
	s32 launch;
	s64 cta;
	char name[64];   /* of the register */
	u32 func, depth; /* the function it belongs to, and how many calls deep it runs */
	enum ptype type;
	u64 addr; /* device address, or offset in shared memory */
	u32 bytes;
	bool live;  /* old holds a value */
	bool ended; /* the warp has exited, the CTA is done, the memory is freed */
	bool changed;
	u64 changed_at; /* the cycle */
	u8 *old, *now;  /* `bytes` each */
	struct data_writer writer;
};
/* The register `name` of a lane of the warp in a slot, as it is running now. False with *e. */
bool data_watch_register(struct data_watch *w, struct gpu *g, u32 sm, u32 warp, u32 lane, const char *name,
                         struct err *e);
/* Device memory. */
bool data_watch_global(struct data_watch *w, struct gpu *g, u64 addr, u32 bytes, struct err *e);
/* Shared memory of the CTA to which the warp in a slot belongs. */
bool data_watch_shared(struct data_watch *w, struct gpu *g, u32 sm, u32 warp, u64 offset, u32 bytes, struct err *e);
void data_watch_release(struct data_watch *w);

/* Event types it needs. */
event_set data_watch_mask(const struct data_watch *w);
/* Shows it an event; true = it has changed, or ended, in the cycle of this event: see w->changed, w->ended. */
bool data_watch_event(struct data_watch *w, struct gpu *g, const struct event *ev);
/* Compares now, without an event. */
bool data_watch_look(struct data_watch *w, struct gpu *g);
/* The change has been told (or ignored): goes on from the present value. */
void data_watch_taken(struct data_watch *w);
/* The machine has been put somewhere else: begins with the value there. */
void data_watch_bind(struct data_watch *w, struct gpu *g);

/* The present value; and "0x00000000 (0) -> 0x00000005 (5)". A range of more than 8 bytes tells its first changed word
 * as well: "+12: ...". */
void data_watch_value(const struct data_watch *w, struct strbuf *out);
void data_watch_change(const struct data_watch *w, struct strbuf *out);
/* "written by SM 1 warp 3 lane 5, CTA 12 of vecadd, at vecadd.ptx:60 (pc 45)"; nothing when nobody is known. */
void data_watch_writer(const struct data_watch *w, struct gpu *g, struct strbuf *out);
#endif
