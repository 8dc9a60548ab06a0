/* The states of a warp slot, from warp_state.def. */
#ifndef SM_WARP_STATE_H
#define SM_WARP_STATE_H
#include "base/base.h"

enum warp_state {
#define W(id, name, glyph, ascii, help) WS_##id,
#include "sm/warp_state.def"
#undef W
	WS_COUNT
};
struct warp_state_desc {
	const char *name, *glyph, *help;
	char ascii;
};
extern const struct warp_state_desc warp_state_descs[WS_COUNT];

/* The ready states are those of the units, in the order of enum unit, the LSU's last. */
static inline bool warp_state_is_ready(u32 state)
{
	return state >= WS_READY_SP && state <= WS_READY_LSU;
}
/* Does a warp in this state wait for something that is under way, or for others? (A ready one waits for its turn.) */
#define WARP_STATES_WAITING                                                                                            \
	(1u << WS_MEM | 1u << WS_SHORT | 1u << WS_BARRIER | 1u << WS_FENCE | 1u << WS_SLEEP | 1u << WS_FETCH)
static inline bool warp_state_waits(u32 state)
{
	return WARP_STATES_WAITING >> state & 1;
}
#endif
