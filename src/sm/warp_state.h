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
static inline bool warp_state_waits(enum warp_state s)
{
	return s == WS_MEM || s == WS_SHORT || s == WS_BARRIER || s == WS_FENCE || s == WS_SLEEP || s == WS_FETCH;
}
#endif
