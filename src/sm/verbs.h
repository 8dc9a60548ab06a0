/* verbs: what can be done to a CTA on its SM, between two cycles, from outside.
 *
 *   pause, halt   none of its warps issues, until it is resumed or for a number of cycles; what is under way goes on
 *   lower         its warps issue only in slots that no other warp takes; their order among each other stays as it was
 *   drop          everything under way is given up, and the CTA begins again with its first instruction
 *   take off      it leaves its slot, whose resources others may have at once. What its warps have under way follows
 *                 them, by their contexts, to places behind the slots; when nothing is left it can go anywhere
 *   restore       it goes on in a slot of any SM
 *
 * The values of a CTA's threads belong to the front end, which writes registers when an instruction issues: what is
 * under way is time, not data. So giving it up loses nothing but the instructions executed. */
#ifndef SM_VERBS_H
#define SM_VERBS_H
#include "sm/sm.h"

/* A CTA that is nowhere. Its masks are by number of the warp in the CTA. */
#define CTA_MAX_WARPS 32
struct sm_saved {
	struct cta cta;
	struct warp warp[CTA_MAX_WARPS];
};

/* None of its warps issues before cycle `until` (NEVER: before it is resumed). It has not ended. */
void sm_pause_cta(struct sm_ctx *x, struct sm *s, u32 slot, u64 until, u64 now);
/* Its warps have the lowest priority from now on, or no longer. Not a pause of the kind above: both may be. */
void sm_lower_cta(struct sm_ctx *x, struct sm *s, u32 slot, bool low, u64 now);
void sm_resume_cta(struct sm_ctx *x, struct sm *s, u32 slot, u64 now);
/* Its context is being saved or brought until that cycle: it is halted, unless it is for longer already. */
void sm_move_context(struct sm_ctx *x, struct sm *s, u32 slot, u64 until, u64 now);
/* It begins again, as if it had just come; whether that changes results is the caller's question (sm/restartable.h).
 * False with *e, and nothing done: answers for so much that was dropped are under way that no more can be told apart.
 */
bool sm_drop_cta(struct sm_ctx *x, struct sm *s, u32 slot, u64 now, struct err *e);
/* Why a CTA leaves its SM and how it comes back, for the events. */
enum { LEAVES_BY_COMMAND, LEAVES_BY_SWITCH, LEAVES_BY_FLUSH, LEAVES_BY };
extern const char *const leaves_names[LEAVES_BY];
struct cta_leaves {
	u32 cause, request; /* of preemption; 0: none */
};
struct cta_comes {
	u32 from; /* SM */
	u64 left_at;
	bool moved; /* its context is */
};
/* Its place, or NO_PLACE: all places are taken by CTAs that have answers under way. With virtual threads it may have no
 * slot; it is in no swap. The same holds for a CTA that is dropped. */
u32 sm_take_off(struct sm_ctx *x, struct sm *s, u32 slot, const struct cta_leaves *why, u64 now);
/* Nothing is under way for the CTA in this place. */
bool sm_is_quiet(const struct sm *s, u32 place);
/* Empties the place of such a one. */
void sm_hand_over(struct sm_ctx *x, struct sm *s, u32 place, struct sm_saved *out);
/* Only after sm_has_room(). Its place: with virtual threads it may have to wait for a slot there. context: what
 * front_cta_save() wrote. */
u32 sm_restore_cta(struct sm_ctx *x, struct sm *s, const struct sm_saved *in, const u8 *context,
                   const struct cta_comes *how, u64 now);
#endif
