/* The states of a warp slot, from warp_state.def. */
#ifndef SM_WARP_STATE_H
#define SM_WARP_STATE_H
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
#endif
