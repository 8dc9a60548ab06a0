/* picture: writes a canvas to a file: plain text, SVG as a terminal of 256 colours shows it, or PNG of that. */
#ifndef UI_SCR_PICTURE_H
#define UI_SCR_PICTURE_H
#include "base/err.h"
#include "base/strbuf.h"
#include "scr/canvas.h"

/* Appends the rows without trailing blanks. */
void picture_text(const struct canvas *c, struct strbuf *out);
/* Appends a standalone SVG; a canvas for a terminal without colours is drawn in one. */
void picture_svg(const struct canvas *c, struct strbuf *out);
/* Writes FILE.txt, FILE.svg or FILE.png, by the ending. PNG is made by rsvg-convert. False with *e: another ending, the
 * file cannot be written, or rsvg-convert is missing or fails. */
bool picture_write(const struct canvas *c, const char *file, struct err *e);
/* Just whether the ending is one of those. */
bool picture_ending_ok(const char *file, struct err *e);

/* "#rrggbb" of colour i of the terminals' table of 256; of a role's glyphs. */
void picture_rgb(int i, char out[8]);
void picture_role_rgb(enum role r, bool light, char out[8]);
#endif
