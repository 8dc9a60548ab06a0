/* phase_look: how the bands of the phase graph look, the same on the screen and in files. */
#ifndef UI_SCR_PHASE_LOOK_H
#define UI_SCR_PHASE_LOOK_H
#include "obs/record/phase_track.h"
#include "scr/canvas.h"

struct phase_look {
	enum role role;
	u32 glyph;
};
/* Functions take turns with two scales of colours and three sets of digits and capitals (small letters are states); a
 * function's bands are spread over the whole scale. */
static inline struct phase_look phase_look(u32 fn, u32 band, u32 nbands)
{
	u32 step = nbands > 1 ? band * (R_NSCALE - 1) / (nbands - 1) : R_NSCALE / 2;
	static const char glyphs[3][PHASE_FN_BANDS + 1] = {"0123456789AB", "MNOPQRSTUVWX", "CDEFGHIJKLYZ"};
	return (struct phase_look){(enum role)((fn % 2 ? R_SCALE1 : R_SCALE0) + step),
	                           (u32)glyphs[fn % 3][band % PHASE_FN_BANDS]};
}
#endif
