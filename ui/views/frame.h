/* frame: the state of the screen and its picture. It knows no terminal: screen.c shows the canvas, and tests may read
 * it. */
#ifndef UI_VIEWS_FRAME_H
#define UI_VIEWS_FRAME_H
#include "scr/console_pane.h"
#include "views/recent.h"
#include "views/residency.h"
#include "views/view.h"

enum focus_on { ON_PROMPT, ON_VIEW };
enum ask { ASK_NOTHING, ASK_QUIT, ASK_SEARCH };
struct screen {
	struct debugger *d;
	struct canvas canvas;
	struct console console;
	struct recent recent;
	struct marks marks;
	struct residency residency;
	u64 generation; /* of the machine that recent and residency are attached to */
	u32 view;       /* index into views */
	struct view_state state[VIEWS_MAX];
	enum focus_on focus;
	enum ask ask;
	char search[64];  /* text searched for, also while it is typed */
	char notice[160]; /* shown in place of the key line until the next key */
	bool help;
	bool listing;  /* the list of views is shown, */
	s32 list_at;   /* this row chosen */
	bool pointing; /* `?` on the view: a pointer on the picture, what is there stands in the prompt's line */
	int point_y, point_x;
	int body_end; /* row below the view, as last drawn: there the key bar or the console begins */
	s32 help_top;
	double rate;            /* simulated warp instructions per second of wall time, 0 = not known */
	int cursor_y, cursor_x; /* where frame_draw left the cursor; y < 0 = hidden */
	bool offscreen;         /* no terminal, no line editor: only for pictures */
	/* Draws prompt and typed line in row y of p, returns the cursor's column; NULL with no line editor. */
	int (*draw_line)(struct pane p, int y, struct style prompt, struct style text);
};
#define SCREEN_MIN_H 5
#define SCREEN_MIN_W 20

/* Begins to watch the debugger's machine, and again after `run` has built another one; ends it. The canvas and the
 * console are the caller's. */
void screen_attach(struct screen *s, struct debugger *d);
void screen_reattach(struct screen *s);
void screen_detach(struct screen *s);

void frame_draw(struct screen *s);
void frame_context(struct screen *s, struct view_ctx *v);
/* Blanks between two names in the key line of a screen w columns wide. */
int frame_hint_gap(int w);
/* Steps of zoom of the view that is shown. */
u32 frame_zooms(const struct screen *s);
/* Does the key line name this view? Those of digits always; others where there is room. */
bool frame_names_view(const struct screen *s, u32 view);
/* Rows of the help page drawn into p from row s->help_top on. */
void help_draw(struct screen *s, struct pane p);
/* The list of views in place of the view, s->list_at its chosen row. */
void view_list_open(struct screen *s);
void view_list_draw(struct screen *s, struct pane p);
/* A key while the list is shown. Arrows choose, Enter shows the view, a digit or _ gives the chosen view this key, Esc
 * closes. False: the key is none of the list's, which is closed. */
bool view_list_key(struct screen *s, int key);
#endif
