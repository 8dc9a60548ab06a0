#include "scr/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/outfile.h"
#include "scr/palette.h"

/* The cell in SVG units: the advance of a 15 unit monospaced letter is 9, and whole numbers keep blocks seamless. */
enum { CELL_W = 9, CELL_H = 19, FONT = 15, BASELINE = 14 };
static const struct {
	const char *back, *fore, *dim;
} grounds[] = {{"#15171c", "#d3d7de", "#8a8f98"}, {"#fcfcfc", "#24272e", "#70757d"}}; /* dark, light */

extern char **environ;

/* --- colours --- */

void picture_rgb(int i, char out[8])
{
	u8 grey = (u8)(8 + 10 * (i - 232));
	static const u8 level[] = {0, 95, 135, 175, 215, 255};
	static const char *const basic[16] = {"#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc",
	                                      "#11a8cd", "#e5e5e5", "#666666", "#f14c4c", "#23d18b", "#f5f543",
	                                      "#3b8eea", "#d670d6", "#29b8db", "#ffffff"};
	if (i < 16)
		snprintf(out, 8, "%s", basic[MAX(i, 0)]);
	else if (i >= 232)
		snprintf(out, 8, "#%02x%02x%02x", grey, grey, grey);
	else
		snprintf(out, 8, "#%02x%02x%02x", level[(i - 16) / 36], level[(i - 16) / 6 % 6], level[(i - 16) % 6]);
}

void picture_role_rgb(enum role r, bool light, char out[8])
{
	int colour = palette_colour(r, 256, light);
	if (colour == COLOUR_DEFAULT)
		snprintf(out, 8, "%s", grounds[light].fore);
	else
		picture_rgb(colour, out);
}

struct look_rgb {
	char fg[8], bg[8];
	bool bold, underline;
};

static struct look_rgb look_of(const struct canvas *c, const struct cell *x)
{
	struct look_rgb l = {.bold = false};
	snprintf(l.bg, sizeof l.bg, "%s", grounds[c->light].back);
	snprintf(l.fg, sizeof l.fg, "%s", grounds[c->light].fore);
	l.bold = palette[x->style.role].bold || x->style.attr & ATTR_BOLD;
	l.underline = x->style.attr & ATTR_UNDERLINE;
	if (!c->mono)
		picture_role_rgb(x->style.role, c->light, l.fg);
	if (c->mono && palette[x->style.role].faint)
		snprintf(l.fg, sizeof l.fg, "%s", grounds[c->light].dim);
	if (!c->mono && x->ground != R_TEXT)
		picture_role_rgb(x->ground, c->light, l.bg);
	if (x->style.attr & ATTR_REVERSE) {
		struct look_rgb was = l;
		memcpy(l.fg, was.bg, sizeof l.fg);
		memcpy(l.bg, was.fg, sizeof l.bg);
	}
	return l;
}

static bool same_look(const struct look_rgb *a, const struct look_rgb *b)
{
	return !strcmp(a->fg, b->fg) && !strcmp(a->bg, b->bg) && a->bold == b->bold && a->underline == b->underline;
}

/* --- SVG --- */

static void rect(struct strbuf *out, double x, double y, double w, double h, const char *fill, double opacity)
{
	strbuf_addf(out, "<rect x='%g' y='%g' width='%g' height='%g' fill='%s'", x, y, w, h, fill);
	if (opacity < 1)
		strbuf_addf(out, " opacity='%g'", opacity);
	strbuf_adds(out, "/>\n");
}

/* Blocks and lines are drawn, not typeset: fonts leave seams. n cells in a row; false: not one of them. */
static bool drawn(struct strbuf *out, u32 ch, int col, int n, int row, const char *fill)
{
	double x = col * CELL_W, y = row * CELL_H, w = n * CELL_W;
	if (ch >= 0x2581 && ch <= 0x2588) {
		double h = (ch - 0x2580) * CELL_H / 8.0;
		rect(out, x, y + CELL_H - h, w, h, fill, 1);
	} else if (ch >= 0x2589 && ch <= 0x258f && n == 1) {
		rect(out, x, y, (0x2590 - ch) * CELL_W / 8.0, CELL_H, fill, 1);
	} else if (ch >= 0x2591 && ch <= 0x2593) {
		rect(out, x, y, w, CELL_H, fill, ch == 0x2591 ? 0.4 : ch == 0x2592 ? 0.7 : 0.85);
	} else if (ch == 0x2501 || (ch == 0x2578 && n == 1)) {
		rect(out, x, y + CELL_H / 2 - 1, ch == 0x2501 ? w : CELL_W / 2.0, 3, fill, 1);
	} else if (ch == 0x2500) {
		rect(out, x, y + CELL_H / 2, w, 1, fill, 1);
	} else if ((ch == 0x2502 || ch == 0x250c) && n == 1) {
		rect(out, x + CELL_W / 2, ch == 0x250c ? y + CELL_H / 2 : y, 1, ch == 0x250c ? CELL_H - CELL_H / 2 : CELL_H,
		     fill, 1);
		if (ch == 0x250c)
			rect(out, x + CELL_W / 2, y + CELL_H / 2, CELL_W - CELL_W / 2, 1, fill, 1);
	} else {
		return false;
	}
	return true;
}

static void put_escaped(struct strbuf *out, u32 ch)
{
	char utf8[4];
	if (ch == '&' || ch == '<' || ch == '>' || ch == '\'')
		strbuf_addf(out, "&#%u;", ch);
	else
		strbuf_add(out, utf8, utf8_encode(ch, utf8));
}

static bool is_drawn(u32 ch)
{
	struct strbuf none = STRBUF_INIT;
	bool yes = drawn(&none, ch, 0, 1, 0, "");
	strbuf_release(&none);
	return yes;
}

/* Cells [x, end) of a row that look the same, without their ground. */
static void glyphs(const struct canvas *c, struct strbuf *out, int row, int x, int end, const struct look_rgb *l)
{
	while (x < end) {
		u32 ch = canvas_at(c, row, x)->ch;
		int n = 1;
		bool alone = ch == 0x2502 || ch == 0x250c || ch == 0x2578 || (ch >= 0x2589 && ch <= 0x258f);
		while (!alone && x + n < end && canvas_at(c, row, x + n)->ch == ch)
			n++;
		if (ch == ' ' || drawn(out, ch, x, n, row, l->fg)) {
			x += n;
			continue;
		}
		int to = x;
		while (to < end && !is_drawn(canvas_at(c, row, to)->ch))
			to++;
		strbuf_addf(out, "<text x='%d' y='%d' fill='%s' textLength='%d'%s%s>", x * CELL_W, row * CELL_H + BASELINE,
		            l->fg, (to - x) * CELL_W, l->bold ? " font-weight='bold'" : "",
		            l->underline ? " text-decoration='underline'" : "");
		for (; x < to; x++)
			put_escaped(out, canvas_at(c, row, x)->ch);
		strbuf_adds(out, "</text>\n");
	}
}

static void svg_row(const struct canvas *c, struct strbuf *out, int row)
{
	for (int x = 0, end; x < c->w; x = end) {
		struct look_rgb l = look_of(c, canvas_at(c, row, x)), next = l;
		for (end = x; end < c->w && same_look(&l, &next); end++)
			if (end + 1 < c->w)
				next = look_of(c, canvas_at(c, row, end + 1));
		if (strcmp(l.bg, grounds[c->light].back) != 0)
			rect(out, x * CELL_W, row * CELL_H, (end - x) * CELL_W, CELL_H, l.bg, 1);
		glyphs(c, out, row, x, end, &l);
	}
}

void picture_svg(const struct canvas *c, struct strbuf *out)
{
	int w = c->w * CELL_W, h = c->h * CELL_H, margin = 8;
	strbuf_addf(out,
	            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='%d %d %d %d' "
	            "font-family='DejaVu Sans Mono, Menlo, Consolas, monospace' font-size='%d' xml:space='preserve' "
	            "shape-rendering='crispEdges'>\n",
	            w + 2 * margin, h + 2 * margin, -margin, -margin, w + 2 * margin, h + 2 * margin, FONT);
	rect(out, -margin, -margin, w + 2 * margin, h + 2 * margin, grounds[c->light].back, 1);
	for (int y = 0; y < c->h; y++)
		svg_row(c, out, y);
	strbuf_adds(out, "</svg>\n");
}

void picture_text(const struct canvas *c, struct strbuf *out)
{
	char *row = xcalloc((size_t)c->w * 4 + 1, 1);
	for (int y = 0; y < c->h; y++)
		strbuf_addf(out, "%s\n", canvas_row(c, y, row));
	free(row);
}

/* --- files --- */

static const char *ending(const char *file)
{
	const char *slash = strrchr(file, '/'), *dot = strrchr(slash ? slash : file, '.');
	return dot ? dot : "";
}

bool picture_ending_ok(const char *file, struct err *e)
{
	const char *end = ending(file);
	return !strcmp(end, ".txt") || !strcmp(end, ".svg") || !strcmp(end, ".png") ||
	       err_set(e, "%s: the ending says the kind of picture: .txt, .svg or .png", file);
}

/* Runs rsvg-convert on a file, without a shell; *status = its exit status. False: it could not be started. */
static bool convert(const char *svg, const char *png, int *status)
{
	char *argv[] = {"rsvg-convert", "-o", (char *)png, (char *)svg, NULL};
	posix_spawn_file_actions_t quiet;
	pid_t pid;
	posix_spawn_file_actions_init(&quiet);
	for (int fd = 0; fd < 3; fd++) /* the terminal is the screen's */
		posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_RDWR, 0);
	int failed = posix_spawnp(&pid, argv[0], &quiet, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&quiet);
	if (failed)
		return false;
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return false;
	return true;
}

static bool write_png(const char *file, const struct strbuf *svg, struct err *e)
{
	char temp[] = "/tmp/warpdbg-XXXXXX";
	struct outfile *f = outfile_open(file, "screenshot", e);
	if (!f)
		return false;
	int status = 0, fd = mkstemp(temp);
	bool ok = fd >= 0 || err_set(e, "%s: %s", temp, strerror(errno));
	if (ok)
		close(fd);
	ok = ok && file_write(temp, svg->buf, svg->len, e);
	if (ok && (!convert(temp, outfile_part(f), &status) || (WIFEXITED(status) && WEXITSTATUS(status) == 127)))
		ok = err_set(e, "%s: PNG needs rsvg-convert (package librsvg2-bin); .svg works without it", file);
	else if (ok && status)
		ok = err_set(e, "%s: rsvg-convert failed", file);
	if (fd >= 0)
		unlink(temp);
	if (ok)
		return outfile_commit(f, e);
	outfile_drop(f);
	return false;
}

bool picture_write(const struct canvas *c, const char *file, struct err *e)
{
	if (!picture_ending_ok(file, e))
		return false;
	struct strbuf text = STRBUF_INIT;
	const char *end = ending(file);
	if (!strcmp(end, ".txt"))
		picture_text(c, &text);
	else
		picture_svg(c, &text);
	bool ok = !strcmp(end, ".png") ? write_png(file, &text, e) : file_write(file, strbuf_str(&text), text.len, e);
	strbuf_release(&text);
	return ok;
}
