/* why_choice: a decision of the machine (gpu/look.h) as text: what it chose from, what its policy says of each
 * candidate, who was chosen, and who was no candidate and why. */
#ifndef OBS_WHY_WHY_CHOICE_H
#define OBS_WHY_WHY_CHOICE_H
#include "base/strbuf.h"
#include "gpu/look.h"

/* A scheduler's slot. */
void why_tell_pick(const struct gpu *g, u32 sm, const struct pick_look *l, struct strbuf *out);
/* The warps of a look in the order in which they would have been picked: those that the policy was shown, by round and
 * rank, then those that it declines, then those not shown to it. Returns how many. */
u32 why_pick_order(const struct pick_look *l, u8 order[WARP_SLOTS]);
/* Offers of SMs of one cycle, up to the CTA that was looked for. */
void why_tell_dispatch(const struct gpu *g, const struct dispatch_look *l, struct strbuf *out);
void why_tell_partition(const struct gpu *g, const struct partition_look *l, struct strbuf *out);
void why_tell_preempt(const struct gpu *g, const struct preempt_look *l, const char *by, struct strbuf *out);
#endif
