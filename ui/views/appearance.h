/* appearance: the settings of the display, and texts that displays need. There is one for each debugger, made when it
 * is first asked for. */
#ifndef UI_VIEWS_APPEARANCE_H
#define UI_VIEWS_APPEARANCE_H
#include "dbg/debugger.h"
#include "views/cuda_text.h"
#include "views/view.h"

struct appearance {
	u32 palette;              /* enum palette_kind (scr/palette.h) */
	bool mouse;               /* the screen takes the terminal's mouse */
	char view_key[VIEWS_MAX]; /* what the user has given; 0: struct view's (view_keys.h) */
	enum taxonomy taxonomy;   /* of stall reasons: `set taxonomy`, the stall view */
	struct cuda_text cuda; /* CUDA sources, as far as they were asked for: until `run`, which reads the modules again */
};
struct appearance *debugger_appearance(struct debugger *d);
#endif
