/* virtual: virtual threads (Yoon 2016): an SM holds more CTAs than its scheduler can serve.
 *
 * An SM takes CTAs until registers or shared memory are full (capacity limit). CTAs that fit the CTA and warp slots
 * (scheduling limit) are active. The others are inactive: they have registers and shared memory, but no slot. When
 * every warp of an active CTA is stalled by long-latency memory, and an inactive CTA is ready, the two change places:
 *
 *             all warps stalled, another is ready           results under way: none left
 *     ACTIVE ------------------> LEAVING --------> WAITING ------------------> READY
 *        ^                         |  swap under way  (pending = 0: ready at once)|
 *        '------------- COMING <--------------------------------------------------'
 *
 * A swap costs the cycles of equation 2: the context (numbers of warps and CTA, the cached part of every warp's SIMT
 * stack; equation 1) is read from shared memory at vt.bandwidth. The leaving CTA's context goes there from a buffer at
 * the same time, as published. There is one swap at a time. The CTA that has been ready longest comes first, and the
 * CTA that was stalled first leaves. A stalled CTA keeps its slots while no other CTA is ready for them: giving them up
 * would bring nothing.
 *
 * A CTA whose warps have all exited waits for memory, too: for the acknowledgement of its last stores. With vt.ending
 * (off; the paper has nothing of it) it leaves without a context, is ready when everything is acknowledged, and comes
 * back only to end, which takes no time.
 *
 * Names are those of the paper. A warp's place among the slots is its physical warp id (PWI); instruction buffers,
 * scoreboard and schedulers know only this one. Its virtual warp id (VWI) is its own from start to end of its CTA: the
 * front end keeps its registers there (front.h, struct front_map). Results that come while a warp has no slot find it
 * by its context (sm.h), not by a PWI, whose scoreboard entry then belongs to another warp.
 *
 * Preemption (verbs.h) drops, takes off and brings back CTAs without a slot as well as those in slots. While the
 * context of a CTA is moved, it neither leaves nor gets slots. A swap that has begun ends first: a CTA in it is neither
 * dropped nor taken off. A CTA that comes back to an SM whose slots are taken, or wanted by others, waits there for its
 * turn without a slot.
 *
 * Contexts lie at the upper end of shared memory. A kernel needs none if no more of its CTAs fit an SM than the SM has
 * slots for: its CTAs never leave. */
#ifndef SM_VIRTUAL_H
#define SM_VIRTUAL_H
#include "conf/virtual.h"
#include "sm/sm.h"

/* Equation 1: bits of a CTA's context. n: bits of a virtual warp id; warps of the CTA; depth: entries of a SIMT stack.
 */
u32 vt_context_bits(u32 n, u32 warps, u32 depth);
/* Equation 2, rounded up; bandwidth 0: none. */
u32 vt_swap_cycles(u32 bits, u32 bandwidth);
/* The same for a launch's CTAs on a machine; cycles with vt.delay. */
u32 vt_bits(const struct conf *c, const struct launch *l);
u32 vt_cycles(const struct conf *c, const struct launch *l);
/* Shared memory reserved for the context of each CTA of a launch; 0: its CTAs never leave their slots. */
u32 vt_context_bytes(const struct conf *c, const struct launch *l);

enum vt_state { VT_NONE, VT_ACTIVE, VT_LEAVING, VT_WAITING, VT_READY, VT_COMING };
struct vt_cta {  /* by the place of the CTA. Without holes */
	u64 order;   /* READY: in which they became so */
	u64 since;   /* cycle in which it became what it is */
	u32 pending; /* results under way while it is inactive: the tracking counter */
	u32 context; /* bytes */
	u32 swaps;   /* how often it has left */
	u16 first;   /* its first virtual warp */
	u8 home;     /* the front end's CTA slot */
	u8 state;    /* enum vt_state */
	u8 ending;   /* it left when all its warps had exited: READY once memory has acknowledged its stores */
	u8 pad[7];
};
#define VT_HOME_WORDS ((FRONT_CTA_PLACES + 63) / 64)
struct vt { /* arena */
	u64 orders;
	u64 until;    /* cycle in which the swap under way is over; NEVER: there is none */
	u64 warps[4]; /* virtual warps that are taken */
	u64 homes[VT_HOME_WORDS];
	u32 inactive, ready; /* CTAs without a slot; of those, ready */
	u32 context;         /* shared memory that contexts have */
	u8 coming;           /* slot of the CTA that comes in the swap under way */
	u8 leaving;          /* place of the one that leaves in it; 0: none does */
	u8 pad[2];
	struct vt_cta cta[SM_CTA_PLACES];
};

/* Is there room for one more CTA, active or not? */
bool vt_has_room(const struct sm_ctx *x, const struct sm *s, const struct launch *l);
/* Has the SM slots for a CTA of so many warps? */
static inline bool vt_has_slots(const struct sm_ctx *x, const struct sm *s, u32 warps)
{
	return s->nctas < x->nctas && x->nwarps - bit_count(s->used) >= warps;
}
/* Does a CTA that comes begin without a slot: there is none, or others wait for it? */
static inline bool vt_begins_inactive(const struct sm_ctx *x, const struct sm *s, const struct launch *l)
{
	return x->vt->ready || !vt_has_slots(x, s, l->warps);
}
/* A new CTA begins so. Its place. */
u32 vt_start_inactive(struct sm_ctx *x, struct sm *s, u32 launch, u64 id, u64 now);
/* One that was saved (verbs.h) goes on so. */
struct sm_saved;
u32 vt_restore_inactive(struct sm_ctx *x, struct sm *s, const struct sm_saved *in, const u8 *context, u64 now);
/* Of a CTA without a slot, in no swap: all it had under way has been given up, and it begins again; it gives back all
 * it has but the places of its warps. */
void vt_begin_again(struct sm_ctx *x, struct sm *s, u32 place, u64 now);
void vt_take_off(struct sm_ctx *x, struct sm *s, u32 place);
/* Those in a CTA's slot are given virtual warps and room for a context; they are given back. */
void vt_take(struct sm_ctx *x, struct sm *s, u32 slot, u64 now);
void vt_give_back(struct sm_ctx *x, struct sm *s, u32 slot);
/* The controller's cycle, before the SM's own. */
void vt_cycle(struct sm_ctx *x, struct sm *s, u64 now);
/* Two CTAs could change places: they do in the next cycle. */
bool vt_wants(const struct sm_ctx *x, const struct sm *s);
/* The next cycle in which it has something to do, for all that is known now. */
u64 vt_next(const struct sm_ctx *x, const struct sm *s, u64 now);
/* A result of a warp without a slot has come. */
void vt_written(struct sm_ctx *x, struct sm *s, u32 w, u64 now);
/* The CTA in a slot comes in the swap under way. */
static inline bool vt_swapping(const struct sm_ctx *x, u32 slot)
{
	return x->vt && x->vt->cta[slot].state == VT_COMING;
}
/* The CTA in a place comes or leaves in it. */
static inline bool vt_in_swap(const struct sm_ctx *x, u32 place)
{
	return vt_swapping(x, place) || (x->vt && x->vt->cta[place].state == VT_LEAVING);
}
/* Between two cycles: numbers are taken once, contexts fit, counters are what is under way. False with *e. */
bool vt_check_state(const struct sm_ctx *x, const struct sm *s, struct err *e);
extern const struct policy *const virtual_policies[];
#endif
