/* shot: drives a program on a terminal and writes what it shows as text and SVG.
 *
 *   shot [-s WxH] [-e NAME=VALUE]... [-l] -- PROGRAM ARG... < SCRIPT
 *
 * -l: the terminal's own background is light. Colours 0 to 15 are xterm's.
 *
 * Script, a line each (# comments):
 *   keys TEXT      sends TEXT; \r \t \e \\ and \xHH are understood
 *   line TEXT      sends TEXT and Enter
 *   wait TEXT      waits until a row shows TEXT (20 s; else an error, and what is there is build/shot-failed.txt and
 * .svg) settle         waits until the picture has been still for 400 ms size WxH       resizes the terminal shot
 * PREFIX    writes PREFIX.txt and PREFIX.svg
 */
#include "../rig/vt.h"

/* The cell in SVG units: the advance of a 15 unit DejaVu Sans Mono is 9.03, so whole numbers keep blocks seamless. */
enum { CELL_W = 9, CELL_H = 19, FONT = 15, BASELINE = 14 };
static const char *background = "#15171c", *foreground = "#d3d7de";

/* xterm's colours, the cube and the greys of its kin; libvterm's own are others. */
static void xterm_rgb(int idx, VTermColor *c)
{
	static const uint8_t level[] = {0, 95, 135, 175, 215, 255};
	static const uint8_t low[16][3] = {{0, 0, 0},       {205, 0, 0},   {0, 205, 0},   {205, 205, 0},
	                                   {0, 0, 238},     {205, 0, 205}, {0, 205, 205}, {229, 229, 229},
	                                   {127, 127, 127}, {255, 0, 0},   {0, 255, 0},   {255, 255, 0},
	                                   {92, 92, 255},   {255, 0, 255}, {0, 255, 255}, {255, 255, 255}};
	if (idx < 16)
		vterm_color_rgb(c, low[idx][0], low[idx][1], low[idx][2]);
	else if (idx >= 232)
		vterm_color_rgb(c, (uint8_t)(8 + 10 * (idx - 232)), (uint8_t)(8 + 10 * (idx - 232)),
		                (uint8_t)(8 + 10 * (idx - 232)));
	else
		vterm_color_rgb(c, level[(idx - 16) / 36], level[(idx - 16) / 6 % 6], level[(idx - 16) % 6]);
}

static void colour_text(struct vt *v, VTermColor c, bool fg, char out[8])
{
	if (fg ? VTERM_COLOR_IS_DEFAULT_FG(&c) : VTERM_COLOR_IS_DEFAULT_BG(&c)) {
		snprintf(out, 8, "%s", fg ? foreground : background);
		return;
	}
	if (VTERM_COLOR_IS_INDEXED(&c))
		xterm_rgb(c.indexed.idx, &c);
	vterm_screen_convert_color_to_rgb(v->screen, &c);
	snprintf(out, 8, "#%02x%02x%02x", c.rgb.red, c.rgb.green, c.rgb.blue);
}

struct look {
	char fg[8], bg[8];
	bool bold, underline;
};

static struct look look_of(struct vt *v, const VTermScreenCell *c)
{
	struct look l = {.bold = c->attrs.bold, .underline = c->attrs.underline != 0};
	colour_text(v, c->fg, true, l.fg);
	colour_text(v, c->bg, false, l.bg);
	if (c->attrs.reverse) {
		char swap[8];
		memcpy(swap, l.fg, 8);
		memcpy(l.fg, l.bg, 8);
		memcpy(l.bg, swap, 8);
	}
	return l;
}

static bool same_look(const struct look *a, const struct look *b)
{
	return !strcmp(a->fg, b->fg) && !strcmp(a->bg, b->bg) && a->bold == b->bold;
}

static void rect(FILE *f, double x, double y, double w, double h, const char *fill, double opacity)
{
	fprintf(f, "<rect x='%g' y='%g' width='%g' height='%g' fill='%s'", x, y, w, h, fill);
	if (opacity < 1)
		fprintf(f, " opacity='%g'", opacity);
	fputs("/>\n", f);
}

/* Blocks and lines are drawn, not typeset: fonts leave seams. False: not one of them. */
static bool drawn(FILE *f, uint32_t ch, int col, int row, const char *fill)
{
	double x = col * CELL_W, y = row * CELL_H;
	if (ch >= 0x2581 && ch <= 0x2588) {
		double h = (ch - 0x2580) * CELL_H / 8.0;
		rect(f, x, y + CELL_H - h, CELL_W, h, fill, 1);
	} else if (ch >= 0x2589 && ch <= 0x258f) {
		rect(f, x, y, (0x2590 - ch) * CELL_W / 8.0, CELL_H, fill, 1);
	} else if (ch == 0x2591 || ch == 0x2592) {
		rect(f, x, y, CELL_W, CELL_H, fill, ch == 0x2591 ? 0.4 : 0.7);
	} else if (ch == 0x2501 || ch == 0x2578) {
		rect(f, x, y + CELL_H / 2 - 1, ch == 0x2501 ? CELL_W : CELL_W / 2.0, 3, fill, 1);
	} else if (ch == 0x2500) {
		rect(f, x, y + CELL_H / 2, CELL_W, 1, fill, 1);
	} else if (ch == 0x2502 || ch == 0x250c) {
		rect(f, x + CELL_W / 2, ch == 0x250c ? y + CELL_H / 2 : y, 1, ch == 0x250c ? CELL_H - CELL_H / 2 : CELL_H, fill,
		     1);
		if (ch == 0x250c)
			rect(f, x + CELL_W / 2, y + CELL_H / 2, CELL_W - CELL_W / 2, 1, fill, 1);
	} else {
		return false;
	}
	return true;
}

static void put_escaped(FILE *f, uint32_t ch)
{
	char utf8[5] = {0};
	if (ch == '&' || ch == '<' || ch == '>' || ch == '\'') {
		fprintf(f, "&#%u;", ch);
		return;
	}
	vt_utf8(ch, utf8);
	fputs(utf8, f);
}

/* The run of cells [x, to) with one look: background, then blocks and text. */
static void svg_run(FILE *f, struct vt *v, int y, int x, int to, const struct look *l)
{
	if (strcmp(l->bg, background))
		rect(f, x * CELL_W, y * CELL_H, (to - x) * CELL_W, CELL_H, l->bg, 1);
	for (int i = x; i < to;) {
		uint32_t ch = vt_cell(v, y, i).chars[0];
		if (ch == ' ' || drawn(f, ch, i, y, l->fg)) {
			i++;
			continue;
		}
		int end = i; /* text up to the next blank pair or drawn cell; glyphs beyond Latin stand alone in their cell */
		bool alone = ch > 0x17f;
		while (end < to && (vt_cell(v, y, end).chars[0] > 0x17f) == alone && !(alone && end > i)) {
			uint32_t c = vt_cell(v, y, end).chars[0];
			if (c == ' ')
				break;
			end++;
		}
		fprintf(f, "<text x='%d' y='%d' fill='%s'%s%s", i * CELL_W, y * CELL_H + BASELINE, l->fg,
		        l->bold ? " class='b'" : "", l->underline ? " text-decoration='underline'" : "");
		if (end - i > 1)
			fprintf(f, " textLength='%d'", (end - i) * CELL_W);
		fputc('>', f);
		for (; i < end; i++)
			put_escaped(f, vt_cell(v, y, i).chars[0]);
		fputs("</text>\n", f);
	}
}

static void write_svg(struct vt *v, FILE *f)
{
	int pad = 8;
	fprintf(f,
	        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family=\"DejaVu Sans Mono,monospace\" "
	        "font-size='%d' shape-rendering='crispEdges'>\n<style>.b{font-weight:bold}</style>\n"
	        "<rect width='100%%' height='100%%' fill='%s'/>\n<g transform='translate(%d,%d)'>\n",
	        v->w * CELL_W + 2 * pad, v->h * CELL_H + 2 * pad, FONT, background, pad, pad);
	for (int y = 0; y < v->h; y++) {
		for (int x = 0; x < v->w;) {
			VTermScreenCell c = vt_cell(v, y, x);
			struct look l = look_of(v, &c);
			int to = x + 1;
			for (; to < v->w; to++) {
				VTermScreenCell n = vt_cell(v, y, to);
				struct look k = look_of(v, &n);
				if (!same_look(&l, &k))
					break;
			}
			svg_run(f, v, y, x, to, &l);
			x = to;
		}
	}
	VTermPos at;
	vterm_state_get_cursorpos(vterm_obtain_state(v->vt), &at);
	if (v->cursor)
		rect(f, at.col * CELL_W, at.row * CELL_H + 1, 2, CELL_H - 2, foreground, 0.8);
	fputs("</g>\n</svg>\n", f);
}

static void take(struct vt *v, const char *prefix)
{
	char path[4096], row[VT_TEXT_MAX];
	snprintf(path, sizeof path, "%s.txt", prefix);
	FILE *f = fopen(path, "w");
	if (!f) {
		perror(path);
		exit(2);
	}
	for (int y = 0; y < v->h; y++)
		fprintf(f, "%s\n", vt_row(v, y, row));
	fclose(f);
	snprintf(path, sizeof path, "%s.svg", prefix);
	f = fopen(path, "w");
	if (!f) {
		perror(path);
		exit(2);
	}
	write_svg(v, f);
	fclose(f);
}

static void unescape(char *s)
{
	char *o = s;
	for (; *s; s++) {
		if (*s != '\\' || !s[1]) {
			*o++ = *s;
			continue;
		}
		s++;
		if (*s == 'x' && s[1] && s[2]) {
			char hex[3] = {s[1], s[2], 0};
			*o++ = (char)strtol(hex, NULL, 16);
			s += 2;
		} else {
			*o++ = *s == 'r' ? '\r' : *s == 't' ? '\t' : *s == 'e' ? '\033' : *s;
		}
	}
	*o = '\0';
}

static int script_line(struct vt *v, char *line, int number)
{
	char *arg = strchr(line, ' ');
	int h, w;
	if (arg)
		*arg++ = '\0';
	else
		arg = line + strlen(line);
	if (!*line || *line == '#')
		return 0;
	if (!strcmp(line, "keys") || !strcmp(line, "line")) {
		bool enter = *line == 'l';
		unescape(arg);
		vt_send(v, arg);
		if (enter)
			vt_send(v, "\r");
	} else if (!strcmp(line, "wait")) {
		if (vt_wait(v, arg, 20000) < 0) {
			fprintf(stderr, "shot: line %d: no row shows '%s'\n", number, arg);
			take(v, "build/shot-failed");
			return 1;
		}
	} else if (!strcmp(line, "settle")) {
		vt_settle(v, 400, 20000);
	} else if (!strcmp(line, "size") && sscanf(arg, "%dx%d", &w, &h) == 2) {
		vt_resize(v, h, w);
	} else if (!strcmp(line, "shot")) {
		take(v, arg);
	} else {
		fprintf(stderr, "shot: line %d: '%s' is no command of the script\n", number, line);
		return 2;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *env[32] = {0};
	int opt, h = 24, w = 80, nenv = 0;
	while ((opt = getopt(argc, argv, "+s:e:l")) != -1) {
		if (opt == 's' && sscanf(optarg, "%dx%d", &w, &h) == 2)
			continue;
		if (opt == 'e' && nenv < 31)
			env[nenv++] = optarg;
		else if (opt == 'l')
			background = "#fdfcf7", foreground = "#22252b";
		else
			return 2;
	}
	if (optind >= argc) {
		fprintf(stderr, "usage: shot [-s WxH] [-e NAME=VALUE]... [-l] -- PROGRAM ARG... < SCRIPT\n");
		return 2;
	}
	struct vt v;
	char *line = NULL;
	size_t cap = 0;
	int number = 0, bad = 0;
	vt_spawn(&v, h, w, argv + optind, env);
	while (!bad && getline(&line, &cap, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		bad = script_line(&v, line, ++number);
	}
	free(line);
	vt_free(&v);
	return bad;
}
