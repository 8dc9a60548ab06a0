/* palette: how each role looks. The hues are Okabe and Ito's, which colour-blind eyes can tell apart, moved to the
 * nearest entries of the terminals' tables and lightened or darkened for the background. If a role has no hue, the
 * terminal's own foreground and background are used. */
#ifndef UI_SCR_PALETTE_H
#define UI_SCR_PALETTE_H
#include "scr/canvas.h"

#define COLOUR_DEFAULT (-1)
struct look {
	s16 dark[3], light[3]; /* of 256, 16 and 8 colours; COLOUR_DEFAULT = the terminal's own */
	bool bold;             /* also without colours */
	bool faint;            /* dimmed where there are no colours to tell it */
};
extern const struct look palette[R_COUNT];

enum palette_kind { PALETTE_DARK, PALETTE_LIGHT, PALETTE_AUTO };
extern const char *const palette_names[3];
int palette_find(const char *name); /* enum palette_kind, or -1 */
/* AUTO: WARPDBG_BACKGROUND=light|dark or COLORFGBG ("15;0", set by rxvt, konsole and others) say what the background
 * is; else it is taken for dark. */
bool palette_is_light(enum palette_kind k);
/* On a terminal of so many colours, 8 at least; COLOUR_DEFAULT = its own. */
int palette_colour(enum role r, int colours, bool light);
/* Bold: what is always so, and blue on black where that makes it bright. */
bool palette_bold(enum role r, int colours, bool light);
#endif
