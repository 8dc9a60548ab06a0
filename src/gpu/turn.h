/* turn: the events of what is done to the machine from outside between two cycles - kernels launched, CTAs paused.
 *
 * They are told at the end of the cycle that begins then, before that cycle's own, whether a kernel's first CTA comes
 * at once or later. Until then they lie in the buffers, all of them, wanted or not: whoever comes here again - by a
 * snapshot, which has them - is told what whoever was here first was told. */
#ifndef GPU_TURN_H
#define GPU_TURN_H
#include "gpu/state.h"

/* The events that somebody wants. */
void gpu_set_event_mask(struct gpu *g, event_set mask);
/* From here on every event is kept, until gpu_turn_ends(). */
void gpu_turn_begins(struct gpu *g);
void gpu_turn_ends(struct gpu *g);
/* The events that are to be told, as a block that free() frees; NULL: none. */
void *gpu_turn_keep(const struct gpu *g);
/* Those are to be told, and no others. */
void gpu_turn_put(struct gpu *g, const void *kept);
#endif
