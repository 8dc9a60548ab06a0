/* The help page: keys, the glyphs of the warp cells (from their table), and what the present view shows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scr/draw.h"
#include "views/frame.h"
#include "views/legend.h"

static const struct {
	const char *keys, *what;
} rows[] = {
    {"", "Keys while the prompt is empty"},
    {"1 .. 9, 0, _ # ^", "choose a view (`view` lists them; `view lanes key 5` gives a key to another)"},
    {"space", "run until something stops it; stop"},
    {".", "step one cycle (Enter repeats the last step); every press counts, also those that come at once"},
    {",", "step one cycle back"},
    {"[ ]", "the snapshot before, after this cycle (`goto CYCLE` goes anywhere in the run)"},
    {"Tab", "focus on the view: its own keys and the arrows act there; the bar above the console says so"},
    {"PgUp PgDn", "scroll the view; a long answer of the console while it is shown"},
    {"+ -", "shorter, longer span in the curves"},
    {"< >", "earlier, later span, when it is not the whole run"},
    {"/", "search in the source, the figures of compare and the log"},
    {"?", "this page; any key but space and PgUp, PgDn closes it"},
    {"q", "leave (asks)"},
    {"", "Focus on the view"},
    {"?",
     "what a word, number or sign there means: arrows and Tab point at others, Enter explains in full, Esc ends; ? "
     "again: this page"},
    {"Tab, Esc, :", "goes back to the prompt"},
    {"letters", "that are no keys of the view begin a command: type it as at the prompt"},
    {"Enter", "closer - from the overview to the SM, from there to the source of its warp"},
    {"c", "a cursor on the curves (often left or right do too); its values stand below the view"},
    {"  with cursor", "left, right, Home, End move it; Enter goes to its cycle; Esc hides it"},
    {"  { }", "with the cursor: figures are of the part of the run that begins, ends there (`scope off`: of all)"},
    {"n N", "next and previous place with what / searched for"},
    {"v", "the list of views: Enter shows one, a digit gives it this key"},
    {"m", "mouse on, off: click a view, an SM, a time; wheel scrolls"},
    {"", "Always"},
    {"letters", "type a command: help lists them, Tab completes, Ctrl-R searches the history, up and down recall"},
    {"pasted text", "is text: each line of it runs when the one before it is done; Ctrl-C drops the rest"},
    {"Ctrl-C", "stop the machine at once; drop the line being typed"},
    {"PgUp PgDn",
     "a long answer opens at its top; these go through it (also Shift-PgUp, Shift-PgDn; with the focus on the "
     "view Ctrl-P, Ctrl-N), Esc gives its rows back to the view"},
    {"Ctrl-L", "repaint"},
};

/* Bytes of text for a row of w columns: up to a blank, or w of them. */
static size_t fold(const char *text, size_t w)
{
	size_t n = strlen(text), take = n;
	if (n > w)
		for (take = w; take > 0 && text[take] != ' ' && text[take] != '\n';)
			take--;
	return take ? take : MIN(n, w);
}

/* Draws text from row *y and column x on, folded at blanks; where its lines end in the source means nothing. */
static void paragraph(struct screen *s, struct pane p, int *y, int x, struct style style, const char *text)
{
	char *flat = xstrdup(text);
	for (char *c = flat; *c; c++)
		if (*c == '\n')
			*c = ' ';
	for (const char *t = flat; *t;) {
		size_t take = fold(t, (size_t)MAX(p.w - x - 2, 10));
		pane_textn(p, (*y)++ - s->help_top, x, style, t, take);
		t += take;
		t += strspn(t, " ");
	}
	free(flat);
}

/* A row of the page, or more when its text is long. */
static void line(struct screen *s, struct pane p, int *y, const char *left, const char *text, bool heading)
{
	if (heading) {
		pane_text(p, (*y)++ - s->help_top, 1, STYLE(R_ACCENT), text);
		return;
	}
	pane_text(p, *y - s->help_top, 3, STYLE(R_TEXT), left);
	paragraph(s, p, y, 18, STYLE(R_DIM), text);
}

/* Of entries [from, to) of the legend. */
static void glyphs(struct screen *s, struct pane p, int *y, const char *heading, u32 from, u32 to)
{
	line(s, p, y, "", heading, true);
	for (u32 i = from; i < to; i++) {
		int at = *y - s->help_top;
		legend_draw(p, at, 3, i);
		pane_textn(p, at, 5, STYLE(R_TEXT), legend[i].name, MIN(strlen(legend[i].name), (size_t)12));
		paragraph(s, p, y, 18, STYLE(R_DIM), legend[i].help);
	}
}

void help_draw(struct screen *s, struct pane p)
{
	int y = 0;
	s->help_top = MAX(s->help_top, 0);
	char head[64];
	snprintf(head, sizeof head, "This view: %s", views[s->view]->title);
	line(s, p, &y, "", head, true);
	paragraph(s, p, &y, 3, STYLE(R_TEXT), views[s->view]->help);
	bool cells =
	    strchr("128_", views[s->view]->key) != NULL; /* views that show the states of warps: first things first */
	if (cells)
		glyphs(s, p, &y, "Letters and signs of warps", 0, LG_EMPTY + 1);
	for (u32 i = 0; i < ARRAY_LEN(rows); i++)
		line(s, p, &y, rows[i].keys, rows[i].what, !rows[i].keys[0]);
	glyphs(s, p, &y,
	       cells ? "More letters and signs: one meaning each, in all views" : "Letters and signs, in all views",
	       cells ? LG_EMPTY + 1 : 0, LG_COUNT);
	if (y - s->help_top > p.h) {
		for (int x = 0; x < p.w; x++)
			pane_glyph(p, p.h - 1, x, STYLE(R_DIM), ' ');
		pane_right(p, p.h - 1, p.w - 1, STYLE(R_ACCENT), " PgDn: %d more ", y - s->help_top - p.h + 1);
	}
	s->help_top = MAX(MIN(s->help_top, y - p.h), 0);
}
