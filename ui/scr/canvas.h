/* canvas: the grid of cells into which views draw. It knows no terminal: the screen copies it to curses, and tests and
 * screenshots read it.
 *
 * A cell is one character of width 1 and a style. A style names a role (memory, barrier, accent...), not a colour. The
 * code that shows the canvas decides how a role looks. An ASCII canvas substitutes every glyph as it is drawn.
 *
 * Drawing goes through panes: rectangles of a canvas with their own origin that clip everything. Coordinates are (y, x)
 * from 0. Text functions return the column after what they drew (also where it was clipped). */
#ifndef UI_SCR_CANVAS_H
#define UI_SCR_CANVAS_H
#include "base/base.h"

/* Roles. The order is that of the palette in palette.c. */
enum role {
	R_TEXT,
	R_DIM,    /* labels, units, rules */
	R_FAINT,  /* empty cells, tracks of bars */
	R_ACCENT, /* the focus, the chosen view, the prompt */
	R_TITLE,
	R_GOOD,
	R_WARN,
	R_BAD,
	/* one role a warp state */
	R_ISSUED,
	R_READY,
	R_SHORT,
	R_MEM,
	R_REFUSED,
	R_BARRIER,
	R_FENCE,
	R_SLEEP,
	R_FETCH,
	/* series: kernels, CTAs, stack parts */
	R_SER0,
	R_SER1,
	R_SER2,
	R_SER3,
	R_SER4,
	R_SER5,
	/* areas under curves: muted, a large surface */
	R_FILL0,
	R_FILL1,
	R_FILL2,
	R_FILL3,
	R_FILL4,
	/* why reads missed */
	R_COLD,
	R_SECTOR,
	R_CAPACITY,
	R_INVALID,
	R_CONFLICT,
	R_FREE, /* on top of IPC: instructions that took no issue slot */
	/* source text */
	R_OPCODE,
	R_REGISTER,
	R_LABEL,
	R_COMMENT,
	R_DIRECTIVE,
	/* ordered series, such as the phases of a kernel: two scales of R_NSCALE steps */
	R_SCALE0,
	R_SCALE1 = R_SCALE0 + 12,
	R_COUNT = R_SCALE1 + 12
};
#define R_NSERIES 6
#define R_NSCALE 12
enum { ATTR_BOLD = 1, ATTR_REVERSE = 2, ATTR_UNDERLINE = 4 };

struct style {
	u8 role, attr;
};
#define STYLE(r) ((struct style){(r), 0})
#define STYLE_BOLD(r) ((struct style){(r), ATTR_BOLD})

struct cell {
	u32 ch; /* code point; never a control character */
	struct style style;
	u8 ground; /* role whose colour is behind the glyph; R_TEXT = the terminal's own background */
};
struct canvas {
	int h, w;
	bool ascii;        /* substitute glyphs as they are drawn */
	bool light;        /* shown on a light background */
	bool few;          /* shown with 8 or 16 colours: neighbours of a scale may share one */
	bool mono;         /* shown without colours: what only a colour would tell needs a letter */
	struct cell *cell; /* h * w, row by row */
};
struct pane {
	struct canvas *c;
	int y, x, h, w;
};

void canvas_init(struct canvas *c, int h, int w, bool ascii);
void canvas_release(struct canvas *c);
void canvas_resize(struct canvas *c, int h, int w); /* clears */
void canvas_clear(struct canvas *c);
static inline struct cell *canvas_at(const struct canvas *c, int y, int x)
{
	return &c->cell[(size_t)y * (size_t)c->w + (size_t)x];
}
/* The row as UTF-8 without trailing blanks; buf holds at least 4*w+1 bytes. Returns buf. */
char *canvas_row(const struct canvas *c, int y, char *buf);

struct pane pane_all(struct canvas *c);
/* A part of a pane, clipped to it. */
struct pane pane_sub(struct pane p, int y, int x, int h, int w);
/* One glyph; control, wide and combining characters become '?'. */
void pane_glyph(struct pane p, int y, int x, struct style s, u32 ch);
/* The same on a ground: for cells in which two areas meet. */
void pane_glyph_on(struct pane p, int y, int x, struct style s, u32 ch, enum role ground);
/* UTF-8 text; invalid bytes become '?', tabs become blanks to the next multiple of 4. */
int pane_text(struct pane p, int y, int x, struct style s, const char *text);
int pane_textn(struct pane p, int y, int x, struct style s, const char *text, size_t n);
int pane_printf(struct pane p, int y, int x, struct style s, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Text that ends before column xend. */
void pane_right(struct pane p, int y, int xend, struct style s, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Sets attributes on cells already drawn. */
void pane_attr(struct pane p, int y, int x, int n, u8 attr);
/* Sets ATTR_REVERSE wherever the row shows the text (ASCII letters match in either case). "" marks nothing. */
void pane_mark(struct pane p, int y, const char *text);

/* Decodes one character; returns its length in bytes (1 and *ch = '?' for an invalid byte). */
size_t utf8_decode(const char *s, size_t n, u32 *ch);
size_t utf8_encode(u32 ch, char out[4]);
/* Columns the text takes on a canvas. */
int utf8_width(const char *s);
/* The ASCII substitute of a glyph: itself below 128, '?' when there is none. */
char glyph_ascii(u32 ch);
#endif
