/* view: one picture of the machine. One file a view, ending in its `const struct view`; all.c lists them.
 *
 * A view draws into the pane that it is given, whatever its size, from queries only, and never changes the machine. */
#ifndef UI_VIEWS_VIEW_H
#define UI_VIEWS_VIEW_H
#include "dbg/debugger.h"
#include "obs/record/phase_track.h"
#include "obs/record/timeline.h"
#include "scr/canvas.h"
#include "obs/stats/heat.h"
#include "views/marks.h"
#include "views/recent.h"
#include "views/residency.h"

#define VIEWS_MAX 16
/* What a view remembers between two drawings. */
struct view_state {
	s32 top;        /* first row shown; views clip it */
	bool follow;    /* keep the focus (source) or the end (log) in sight; scrolling switches it off */
	u32 zoom;       /* 0 = the whole run; each step halves the span shown, ending now */
	u32 mode;       /* the view's own alternatives */
	s32 page;       /* rows of the last drawing, for PgUp and PgDn */
	u64 seen_cycle; /* the view's own: when follow was decided last */
	u32 mark;       /* the view's own: the line last jumped to, 0 = none */
	u32 column;     /* the view's own: the column chosen */
	/* The picture of the network: the chosen node + 1, and that from which ways are shown (0 = none); loads since the
	 * start in place of the last window's. */
	u32 node, way_from;
	bool since_start;
	u32 zoom_seen; /* the view's own: the zoom of the last drawing, + 1; and how wide its columns are together, and the
	                  text beside them */
	int chars, beside;
	/* Time (cursor.h): the span shown ends at cycle `until`, 0 = where the run does; a cursor on a cycle; and of the
	 * last drawing the widest time axis, and what the curves have at the cursor. */
	u64 until, cursor;
	bool cursor_on;
	struct time_axis {
		u64 from, to; /* cycles */
		int w;        /* columns; 0 = the view has no time axis */
	} axis;
	char cursor_text[200];
	/* For the mouse, of the last drawing: the time axis that is labelled and its column on the screen; a list with one
	 * row for each of the things from `top` on: its first row on the screen, rows, width. */
	struct time_axis click;
	s32 click_x;
	struct {
		s32 y, n, w;
	} list;
};
struct view_ctx {
	struct debugger *d;
	struct gpu *g;
	const struct timeline *tl;        /* NULL when nothing is recorded */
	const struct phase_track *phases; /* NULL when none is kept */
	const struct recent *recent;
	struct heat *heat;
	struct marks *marks; /* made as they are asked for */
	const struct residency *residency;
	struct view_state *st; /* of this view */
	const char *search;    /* last text searched for, "" = none */
};
struct view {
	char key;          /* digit, or _ (right of 0 and -), until the user gives it to another (view_keys.h); 0: none */
	const char *name;  /* one word, for the key line */
	const char *title; /* for the help */
	const char *shows; /* a few words, for the list of views */
	const char *keys;  /* its own keys, for the line below it: "t taxonomy" */
	bool both;         /* it shows the machine beside this one (rival.h), too: they are to stand side by side */
	u32 zooms;         /* steps of zoom; 0 = 10 */
	char enter; /* struct view's key of the view that shows the focus closer: Enter opens it; 0 = Enter repeats the step
	             */
	/* The command that Enter enters instead; false: none now. May be NULL. */
	bool (*enter_line)(const struct view_ctx *v, char *line, size_t n);
	const char *help; /* lines for the help screen: what is shown, how it is defined */
	void (*draw)(struct view_ctx *v, struct pane p);
	/* A key when the view has the focus (and PgUp, PgDn, +, - always); false: not mine. May be NULL. */
	bool (*on_key)(struct view_ctx *v, int key);
	/* A click into the list, on its row `row` (0 = top) and column x. May be NULL. */
	void (*on_click)(struct view_ctx *v, s32 row, s32 x);
	/* Goes to the next (forward) or previous place with v->search; false: none. May be NULL. */
	bool (*search)(struct view_ctx *v, bool forward);
};
extern const struct view *const views[];
extern const u32 nviews;

/* Scrolling keys every list shares; true when the key was one. */
bool view_scroll(struct view_state *st, int key);
/* A picture that goes with the focus: does it now? It does again once the machine has moved. */
bool view_follows(struct view_ctx *v);
void view_stay(struct view_ctx *v);         /* the user chose the place: it stays until the machine moves */
void view_follow_again(struct view_ctx *v); /* from the next drawing on */
/* Clips st->top for a list of n rows on a page of h rows and remembers the page. */
void view_clip(struct view_state *st, s32 n, s32 h);
/* The samples to show under the zoom: [*from, *to). */
void view_span(const struct view_ctx *v, u32 *from, u32 *to);
/* The samples [*a, *b) of column i when len of them, from `from` on, are spread over n columns: at least one. */
void view_column(u32 from, u32 len, int i, int n, u32 *a, u32 *b);
/* The span on n columns (n >= 1); returns n, or 0 when there is no sample yet. */
int view_series(const struct view_ctx *v, s32 sm, enum series s, float *out, int n);

/* L1D MSHRs of an SM in use now. */
u32 view_mshrs(const struct view_ctx *v, u32 sm);

/* The role and letter of a base stall reason, as in the overview's cells. */
enum role stall_role(enum stall r);
u32 stall_glyph(enum stall r);
const char *stall_short(enum stall r); /* at most 7 characters */
/* The role of a warp state, and its glyph under the overlays "issued" and "refused". */
struct style warp_style(enum warp_state s, bool issued, bool refused);
u32 warp_glyph(enum warp_state s, bool issued, bool refused);
/* The reason other than "issued" that lost most slots, its share of all slots in *share; ST_COUNT when no slot was
 * lost. */
enum stall top_stall(const u64 stalls[ST_COUNT], double *share);
u64 stall_slots(const u64 stalls[ST_COUNT]);
#endif
