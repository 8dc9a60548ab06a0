/* SM view: the line of MSHRs, LSU, re-execution queue and units. */
#include "views/sm_units.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "views/legend.h"

/* The line of units, made of pieces; where it is too long for the terminal, each is written shorter. */
#define PIECES 64
enum { ALL_WORDS, UNITS_BY_KIND, NARROW, NARROWER, NARROWEST };
struct piece {
	char text[40];
	struct style style;
	int gap; /* columns before it */
};
struct pieces {
	struct piece piece[PIECES];
	u32 n;
};

__attribute__((format(printf, 4, 5))) static void add_piece(struct pieces *l, int gap, struct style s, const char *fmt,
                                                            ...)
{
	struct piece *x = &l->piece[l->n < PIECES ? l->n++ : PIECES - 1];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(x->text, sizeof x->text, fmt, ap);
	va_end(ap);
	x->style = s;
	x->gap = gap;
}

static int pieces_width(const struct pieces *l)
{
	int w = 1;
	for (u32 i = 0; i < l->n; i++)
		w += l->piece[i].gap + utf8_width(l->piece[i].text);
	return w;
}

static void lsu_piece(struct pieces *l, const struct sm_info *i, int form)
{
	static const char *const refusal[][2] = {[MR_RF_LINE] = {"no line", "no line"},
	                                         [MR_RF_MSHR] = {"no MSHR", "no MSHR"},
	                                         [MR_RF_MERGE] = {"merge list full", "no merge"},
	                                         [MR_RF_QUEUE] = {"miss queue full", "no queue"}};
	bool blocked = i->lsu_refused >= MR_RF_LINE && i->lsu_refused < ARRAY_LEN(refusal);
	add_piece(l, form < NARROW ? 2 : 1, STYLE(R_DIM), "LSU");
	char who[16] = "w-"; /* virtual threads: of a warp without a slot */
	if (i->lsu_warp >= 0 && i->lsu_warp < WARP_SLOTS)
		snprintf(who, sizeof who, "w%d", i->lsu_warp);
	if (i->lsu_warp < 0)
		add_piece(l, 1, STYLE(R_FAINT), "· empty");
	else if (blocked)
		add_piece(l, 1, STYLE(R_REFUSED), "s %s %s%s", who, form < NARROW ? "refused: " : "",
		          refusal[i->lsu_refused][form == NARROWEST]);
	else
		add_piece(l, 1, STYLE(R_TEXT), form < NARROWER ? "■ %s, %u left, %u queued" : "■ %s %u+%u", who, i->lsu_left,
		          i->lsu_queued);
}

/* The units of the kind that begins at u: "SP 2/4" are busy. Returns the first of the next kind. */
static u32 kind_piece(struct pieces *l, const struct sm_info *i, u64 now, u32 u)
{
	const char *name = i->unit[u].name;
	const int kind = (int)strcspn(name, "0123456789");
	u32 busy = 0, n = 0;
	for (; u + n < i->nunits && !strncmp(i->unit[u + n].name, name, (size_t)kind); n++)
		busy += i->unit[u + n].busy_until > now;
	add_piece(l, 1, STYLE(R_DIM), "%.*s", kind, name);
	add_piece(l, 1, STYLE(busy ? legend[LG_IN_USE].role : R_FAINT), "%u/%u", busy, n);
	return u + n;
}

/* "SP0 ■  SP1 ·", by kind "SP ■·", or as numbers. */
static void unit_pieces(struct pieces *l, const struct sm_info *i, u64 now, int form)
{
	for (u32 u = 0; u < i->nunits && form == NARROWEST;)
		u = kind_piece(l, i, now, u);
	for (u32 u = 0; u < i->nunits && form < NARROWEST; u++) {
		const char *name = i->unit[u].name;
		int kind = (int)strcspn(name, "0123456789");
		bool busy = i->unit[u].busy_until > now, more = u && !strncmp(i->unit[u - 1].name, name, (size_t)kind);
		if (form == ALL_WORDS)
			add_piece(l, 2, STYLE(R_DIM), "%s", name);
		else if (!more)
			add_piece(l, form < NARROW ? 2 : 1, STYLE(R_DIM), "%.*s", kind, name);
		add_piece(l, form == ALL_WORDS || !more, STYLE(busy ? legend[LG_IN_USE].role : R_FAINT), "%s",
		          busy ? "■" : "·");
	}
}

void sm_units_draw(struct view_ctx *v, struct pane p, const struct sm_info *i)
{
	const struct conf *c = gpu_conf(v->g);
	u32 mshrs = view_mshrs(v, v->d->focus.sm);
	struct pieces l = {.n = 0};
	for (int form = ALL_WORDS; form <= NARROWEST; form++) {
		l.n = 0;
		add_piece(&l, 0, STYLE(R_DIM), form < NARROW ? "L1D MSHRs" : "MSHRs");
		add_piece(&l, 1, STYLE(mshrs >= c->l1d_mshrs ? R_REFUSED : R_TEXT), "%u/%u", mshrs, c->l1d_mshrs);
		lsu_piece(&l, i, form);
		if (i->replay_size) {
			add_piece(&l, form < NARROW ? 2 : 1, STYLE(R_DIM), "replay");
			add_piece(&l, 1, STYLE(i->replay_used < i->replay_size ? R_TEXT : R_REFUSED), "%u/%u", i->replay_used,
			          i->replay_size);
		}
		unit_pieces(&l, i, gpu_cycle(v->g), form);
		if (pieces_width(&l) <= p.w)
			break;
	}
	int x = 1;
	for (u32 k = 0; k < l.n; k++)
		x = pane_text(p, 0, x + l.piece[k].gap, l.piece[k].style, l.piece[k].text);
}
