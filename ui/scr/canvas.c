#include "scr/canvas.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void canvas_init(struct canvas *c, int h, int w, bool ascii)
{
	*c = (struct canvas){.ascii = ascii};
	canvas_resize(c, h, w);
}

void canvas_release(struct canvas *c)
{
	free(c->cell);
	c->cell = NULL;
	c->h = c->w = 0;
}

void canvas_resize(struct canvas *c, int h, int w)
{
	c->h = MAX(h, 1);
	c->w = MAX(w, 1);
	c->cell = xrealloc(c->cell, (size_t)c->h * (size_t)c->w * sizeof *c->cell);
	canvas_clear(c);
}

void canvas_clear(struct canvas *c)
{
	const struct cell blank = {' ', STYLE(R_TEXT), R_TEXT};
	for (int i = 0; i < c->h * c->w; i++)
		c->cell[i] = blank;
}

char *canvas_row(const struct canvas *c, int y, char *buf)
{
	int last = c->w;
	while (last > 0 && canvas_at(c, y, last - 1)->ch == ' ')
		last--;
	char *p = buf;
	for (int x = 0; x < last; x++)
		p += utf8_encode(canvas_at(c, y, x)->ch, p);
	*p = '\0';
	return buf;
}

struct pane pane_all(struct canvas *c)
{
	return (struct pane){c, 0, 0, c->h, c->w};
}

struct pane pane_sub(struct pane p, int y, int x, int h, int w)
{
	y = MIN(MAX(y, 0), p.h);
	x = MIN(MAX(x, 0), p.w);
	return (struct pane){p.c, p.y + y, p.x + x, MAX(MIN(h, p.h - y), 0), MAX(MIN(w, p.w - x), 0)};
}

/* Every terminal shows these in one column: Latin, Greek, Cyrillic, punctuation, arrows, mathematics, boxes, blocks,
 * shapes, Braille. The rest (East Asian wide, emoji, combining, direction marks) would move what stands right of it. */
static bool narrow(u32 ch)
{
	if (ch < 0x20 || (ch >= 0x7f && ch < 0xa0) || ch == 0xad)
		return false;
	if (ch < 0x300 || (ch >= 0x370 && ch < 0x483) || (ch >= 0x48a && ch < 0x530))
		return true;
	if ((ch >= 0x2010 && ch < 0x2028) || (ch >= 0x2030 && ch < 0x205f) || (ch >= 0x2070 && ch < 0x20d0))
		return true;
	if ((ch >= 0x2190 && ch < 0x231a) || (ch >= 0x2500 && ch < 0x25fd) || (ch >= 0x2800 && ch < 0x2900))
		return true;
	return ch == 0x2713 || ch == 0x2717;
}

void pane_glyph(struct pane p, int y, int x, struct style s, u32 ch)
{
	pane_glyph_on(p, y, x, s, ch, R_TEXT);
}

void pane_glyph_on(struct pane p, int y, int x, struct style s, u32 ch, enum role ground)
{
	if (y < 0 || x < 0 || y >= p.h || x >= p.w)
		return;
	if (!narrow(ch))
		ch = '?';
	if (p.c->ascii && ch > 126)
		ch = (u8)glyph_ascii(ch);
	*canvas_at(p.c, p.y + y, p.x + x) = (struct cell){ch, s, (u8)ground};
}

int pane_textn(struct pane p, int y, int x, struct style s, const char *text, size_t n)
{
	int start = x;
	while (n > 0) {
		u32 ch;
		size_t len = utf8_decode(text, n, &ch);
		if (ch == '\t') {
			do
				pane_glyph(p, y, x++, s, ' ');
			while ((x - start) % 4);
		} else {
			pane_glyph(p, y, x++, s, ch);
		}
		text += len;
		n -= len;
	}
	return x;
}

int pane_text(struct pane p, int y, int x, struct style s, const char *text)
{
	return pane_textn(p, y, x, s, text, strlen(text));
}

int pane_printf(struct pane p, int y, int x, struct style s, const char *fmt, ...)
{
	char buf[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	return pane_text(p, y, x, s, buf);
}

void pane_right(struct pane p, int y, int xend, struct style s, const char *fmt, ...)
{
	char buf[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	pane_text(p, y, xend - utf8_width(buf), s, buf);
}

void pane_attr(struct pane p, int y, int x, int n, u8 attr)
{
	for (int i = x; i < x + n; i++)
		if (y >= 0 && y < p.h && i >= 0 && i < p.w)
			canvas_at(p.c, p.y + y, p.x + i)->style.attr |= attr;
}

static bool same_letter(u32 a, u32 b)
{
	return a == b || (a < 128 && b < 128 && tolower((int)a) == tolower((int)b));
}

/* The columns `text` takes when it stands at column x of the row, 0 when it does not stand there. */
static int text_at(struct pane p, int y, int x, const char *text)
{
	int from = x;
	u32 ch;
	for (; *text; x++) {
		text += utf8_decode(text, strlen(text), &ch);
		if (x >= p.w || !same_letter(canvas_at(p.c, p.y + y, p.x + x)->ch, ch))
			return 0;
	}
	return x - from;
}

void pane_mark(struct pane p, int y, const char *text)
{
	if (y < 0 || y >= p.h)
		return;
	for (int x = 0; x < p.w; x++)
		pane_attr(p, y, x, text_at(p, y, x, text), ATTR_REVERSE);
}

size_t utf8_decode(const char *s, size_t n, u32 *ch)
{
	const u8 *u = (const u8 *)s;
	size_t len = u[0] < 0x80 ? 1 : u[0] < 0xc2 ? 0 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : u[0] < 0xf5 ? 4 : 0;
	*ch = '?';
	if (len == 1)
		*ch = u[0];
	if (len < 2 || len > n)
		return 1;
	u32 c = u[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 1;
		c = c << 6 | (u[i] & 0x3f);
	}
	*ch = c;
	return len;
}

size_t utf8_encode(u32 ch, char out[4])
{
	if (ch < 0x80) {
		out[0] = (char)ch;
		return 1;
	}
	size_t len = ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4;
	for (size_t i = len - 1; i > 0; i--, ch >>= 6)
		out[i] = (char)(0x80 | (ch & 0x3f));
	out[0] = (char)((0xf00 >> len & 0xff) | ch);
	return len;
}

int utf8_width(const char *s)
{
	int w = 0;
	u32 ch;
	for (size_t n = strlen(s); n > 0; w++) {
		size_t len = utf8_decode(s, n, &ch);
		s += len;
		n -= len;
	}
	return w;
}

/* Substitutes, one string per character: the glyphs it stands for. Bars lose their eighths, sparklines keep eight
 * levels. */
static const struct {
	char ascii;
	const char *glyphs;
} substitutes[] = {
    {'>', "▶→"}, {'<', "←≤"}, {'^', "↑▲"},   {'v', "↓"},           {'.', "·░□▂"},  {'#', "█▉▊▋▌■▇▐▆"}, {'|', "▍▎▏│┃┴"},
    {':', "▒"},  {'%', "▓"},  {'-', "─–—▃"}, {'+', "┌┐└┘├┤┼┝▅±✓"}, {'=', "━╸‖▄▸"}, {'*', "●•"},        {'o', "○"},
    {'~', "…"},  {'x', "×"},  {'!', "✗"},    {'@', "◆"},           {'$', "◇"},     {'u', "µ"},         {'_', "▁"},
    {'S', "Σ"},  {'(', "«"},  {')', "»"},    {'\\', "↘"},          {'/', "↗"},     {'"', "≈"},         {';', "‡"},
};

char glyph_ascii(u32 ch)
{
	if (ch < 128)
		return (char)ch;
	for (u32 i = 0; i < ARRAY_LEN(substitutes); i++) {
		const char *g = substitutes[i].glyphs;
		for (size_t n = strlen(g); n > 0;) {
			u32 have;
			size_t len = utf8_decode(g, n, &have);
			if (have == ch)
				return substitutes[i].ascii;
			g += len;
			n -= len;
		}
	}
	return '?';
}
