#include "scr/draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"

const char *fmt_short(char buf[NUM_MAX], double v)
{
	static const char *const unit[] = {"", "k", "M", "G", "T", "P", "E"};
	u32 u = 0;
	while (v >= 999.5 && u + 1 < ARRAY_LEN(unit)) {
		v /= 1000;
		u++;
	}
	int places = u == 0 ? 0 : v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
	snprintf(buf, NUM_MAX, "%.*f%s", places, v, unit[u]);
	return buf;
}

double percent(double n, double d)
{
	return d > 0 ? 100 * n / d : 0;
}

void draw_clipped(struct pane p, int y, int x, int w, struct style s, const char *text)
{
	int len = utf8_width(text);
	if (len <= w || w < 5 || strlen(text) != (size_t)len) { /* not ASCII: cut plainly */
		pane_text(pane_sub(p, y, x, 1, w), 0, 0, s, text);
		return;
	}
	int tail = w / 3, front = w - tail - 1;
	pane_textn(p, y, x, s, text, (size_t)front);
	pane_glyph(p, y, x + front, STYLE(R_DIM), p.c->ascii ? '~' : 0x2026);
	pane_text(p, y, x + front + 1, s, text + len - tail);
}

void draw_cut(struct pane p, int y, int x, int w, struct style s, const char *text)
{
	struct pane q = pane_sub(p, y, x, 1, w);
	pane_text(q, 0, 0, s, text);
	if (q.w > 0 && utf8_width(text) > q.w)
		pane_glyph(q, 0, q.w - 1, STYLE(R_DIM), p.c->ascii ? '~' : 0x2026);
}

#define CLAUSE_MAX 12 /* so much more is left out where the text then ends with a clause: "SM 3, ..." */
void draw_words(struct pane p, int y, int x, int w, struct style s, const char *text)
{
	size_t whole = 0, clause = 0, len = 0;
	int columns = 0;
	if (utf8_width(text) <= w) {
		pane_text(p, y, x, s, text);
		return;
	}
	for (; text[len] && columns < w; columns++) {
		u32 ch;
		len += utf8_decode(text + len, strlen(text + len), &ch);
		if ((text[len] == ' ' || !text[len]) && columns + 3 <= w) /* behind it a blank and the ellipsis fit */
			whole = len;
		if (whole == len && (strchr(",;", text[len - 1]) || !strncmp(text + len, " (", 2)))
			clause = len;
	}
	if (clause && whole - clause <= CLAUSE_MAX)
		whole = clause;
	if (!whole) {
		draw_cut(p, y, x, w, s, text);
		return;
	}
	x = pane_textn(p, y, x, s, text, whole);
	pane_glyph(p, y, x + 1, STYLE(R_DIM), p.c->ascii ? '~' : 0x2026);
}

void draw_more(struct pane p, int n)
{
	char text[32];
	snprintf(text, sizeof text, "   %d more ", n);
	pane_text(p, p.h - 1, MAX(p.w - utf8_width(text), 0), STYLE(R_ACCENT), text);
}

void draw_rule(struct pane p, int y)
{
	for (int x = 0; x < p.w; x++)
		pane_glyph(p, y, x, STYLE(R_FAINT), 0x2500);
}

/* The block that fills `eighths` of a cell from the left; ASCII knows only full and empty. */
static u32 left_block(const struct canvas *c, int eighths)
{
	if (c->ascii)
		return eighths >= 4 ? '#' : ' ';
	return eighths ? 0x2590u - (u32)eighths : ' '; /* U+2588 full ... U+258F one eighth */
}

void draw_bar(struct pane p, int y, int x, int w, struct style s, double fraction, bool track)
{
	if (w <= 0)
		return;
	fraction = fraction > 0 ? MIN(fraction, 1.0) : 0;
	int eighths = (int)lround(fraction * w * 8);
	if (fraction > 0 && eighths == 0)
		eighths = 1;
	for (int i = 0; i < w; i++, eighths -= 8) {
		u32 block = left_block(p.c, MAX(MIN(eighths, 8), 0));
		if (block != ' ')
			pane_glyph(p, y, x + i, s, block);
		else
			pane_glyph(p, y, x + i, STYLE(R_FAINT), !track ? ' ' : p.c->ascii ? '.' : 0x2591);
	}
}

void draw_meter(struct pane p, int y, int x, int w, struct style s, double fraction)
{
	fraction = fraction > 0 ? MIN(fraction, 1.0) : 0;
	int halves = (int)lround(fraction * w * 2);
	for (int i = 0; i < w; i++, halves -= 2) {
		u32 track = p.c->ascii ? '-' : p.c->mono ? 0x2500 : 0x2501;
		if (halves >= 2 || (halves == 1 && p.c->ascii))
			pane_glyph(p, y, x + i, s, p.c->ascii ? '=' : 0x2501);
		else if (halves == 1)
			pane_glyph(p, y, x + i, s, 0x2578);
		else
			pane_glyph(p, y, x + i, STYLE(R_FAINT), track);
	}
}

float resample(const float *v, int n, int w, int i)
{
	if (n <= w)
		return i < n ? v[i] : NAN;
	int from = (int)((long long)i * n / w), to = MAX((int)((long long)(i + 1) * n / w), from + 1);
	float sum = 0;
	int k = 0;
	for (int j = from; j < to; j++) {
		if (!isfinite(v[j]))
			continue;
		sum += v[j];
		k++;
	}
	return k ? sum / (float)k : NAN;
}

void draw_columns(struct pane p, int y, int x, int rows, int w, struct style s, const float *v, int n, float max)
{
	for (int i = 0; i < w; i++) {
		float a = resample(v, n, w, i);
		if (!isfinite(a))
			continue;
		int e = max > 0 ? (int)lroundf(a / max * (float)rows * 8) : 0;
		e = MIN(MAX(e, 1), rows * 8); /* a value of 0 keeps a foot: it was measured */
		for (int r = rows - 1; r >= 0 && e > 0; r--, e -= 8)
			pane_glyph(p, y + r, x + i, a > 0 ? s : STYLE(R_FAINT), 0x2580u + (u32)MIN(e, 8)); /* U+2581..2588 */
	}
}

void draw_spark(struct pane p, int y, int x, int w, struct style s, const float *v, int n, float max)
{
	draw_columns(p, y, x, 1, w, s, v, n, max);
}

void draw_block(struct pane p, int y, int x, int w, struct style s, u64 from, u64 to, u64 total, const char *label)
{
	if (!total || w <= 0)
		return;
	int a = (int)(from * (u64)w / total), b = (int)(to * (u64)w / total);
	bool plain = p.c->ascii || p.c->mono; /* no colours to tell neighbours apart: brackets do */
	b = MIN(MAX(b, a + 1), w);
	for (int i = a; i < b; i++)
		pane_glyph(p, y, x + i, s, !plain ? 0x2588 : i == a ? '[' : i == b - 1 ? ']' : '=');
	int len = (int)strlen(label);
	if (b - a < len + (plain ? 2 : 0))
		return;
	struct style text = {s.role, plain ? 0 : ATTR_REVERSE};
	pane_text(p, y, x + a + (b - a - len) / 2, text, label);
}
