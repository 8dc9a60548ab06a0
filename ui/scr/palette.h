/* palette: what each role looks like. The hues are Okabe and Ito's, which colour-blind eyes keep apart, moved to the
 * nearest entries of the terminals' tables and lightened or darkened for the background. The terminal's own foreground
 * and background are used wherever a role has no hue. */
#ifndef UI_SCR_PALETTE_H
#define UI_SCR_PALETTE_H
#include "scr/canvas.h"

#define COLOUR_DEFAULT (-1)
struct look {
	s16 dark256, light256; /* of 256 colours, on dark and light backgrounds; COLOUR_DEFAULT = the terminal's own */
	s8 c16, c8;            /* of 16 and 8 colours */
	bool bold;             /* also without colours */
	bool faint;            /* dimmed where there are no colours to tell it */
};
extern const struct look palette[R_COUNT];
#endif
