#include "views/frame.h"
#include "views/view_keys.h"

#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "dbg/scope.h"
#include "dbg/whatif.h"
#include "gpu/scope.h"
#include "scr/draw.h"
#include "session/programs.h"
#include "views/cursor.h"
#include "views/point.h"
#include "views/policies_text.h"

/* --- title --- */
static const struct {
	const char *glyph, *word;
	enum role role;
} state_looks[] = {
    [DBG_STOPPED] = {"‖", "stopped", R_WARN},     [DBG_RUNNING] = {"▶", "running", R_GOOD},
    [DBG_FINISHED] = {"■", "finished", R_ACCENT}, [DBG_DEAD] = {"✗", "dead", R_BAD},
    [DBG_QUIT] = {"■", "leaving", R_DIM},
};

/* A picture is taken by a command, while the queue of commands runs: the machine's own state counts. */
static enum run_state shown_state(const struct screen *s)
{
	return s->offscreen ? s->d->run.rest : s->d->run.state;
}

/* A piece of the title's right side, most important first: pieces that do not fit are left out whole. */
struct piece {
	char text[96];
	struct style style;
	bool rate; /* how fast it runs: the least important one */
};

/* Warp instructions a cycle and the window they are of: the last one; the whole run once the program has finished,
 * whose last window is only its tail. Those without an issue slot are told apart: together they may be more than there
 * are slots. */
static void ipc_text(const struct screen *s, bool wide, char *out, size_t size)
{
	struct gpu *g = sim_gpu(s->d->s->sim);
	const struct sample *now = recent_get(&s->recent, -1);
	const bool run = shown_state(s) == DBG_FINISHED;
	u64 issued = run ? 0 : now->issued, free = run ? 0 : now->issued_free;
	const double cycles = (double)MAX(run ? gpu_counted_cycles(g) : now->cycles, (u64)1);
	for (u32 i = 0; i < gpu_counter_instances(g, CG_sm) && run; i++) {
		const struct sm_counters *k = (const struct sm_counters *)gpu_counters(g, CG_sm, i);
		issued += k->issued;
		free += k->issued_free;
	}
	int n = snprintf(out, size, "%sIPC %.2f", run && !gpu_scope_is_set(g) ? "run " : "",
	                 (double)(wide ? issued : issued - free) / cycles);
	if (free)
		n += snprintf(out + n, size - (size_t)n, wide ? " (%.2f free)" : "+%.2f", (double)free / cycles);
	if (!run)
		snprintf(out + n, size - (size_t)n, " in %s", recent_span(&s->recent, !wide));
}

/* Cycles between now and the farthest one that has been simulated; 0 = it is now. */
static u64 behind(const struct screen *s, u64 *farthest, bool *turns_only)
{
	struct sim_history_info h;
	const u64 now = gpu_cycle(sim_gpu(s->d->s->sim));
	sim_history_info(s->d->s->sim, &h);
	*farthest = MAX(h.on ? h.frontier : 0, now);
	*turns_only = *farthest == now && h.turn_ahead;
	return *farthest - now;
}

static u32 turns_here(const struct screen *s)
{
	struct sim_history_info h;
	sim_history_info(s->d->s->sim, &h);
	return h.turns;
}

static struct piece state_piece(const struct screen *s)
{
	char a[NUM_MAX], b[NUM_MAX];
	struct piece p = {.style = STYLE_BOLD(state_looks[shown_state(s)].role)};
	const char *glyph = state_looks[shown_state(s)].glyph;
	bool turns_only;
	u64 farthest, back = behind(s, &farthest, &turns_only);
	const bool wide = s->canvas.w >= 100;
	if (shown_state(s) == DBG_RUNNING && whatif_running(s->d)) {
		snprintf(p.text, sizeof p.text, "%s whatif %u/%u", glyph, s->d->whatif->over, s->d->whatif->nrows);
		return p;
	}
	if ((back || turns_only) && shown_state(s) != DBG_DEAD) {
		p.style = (struct style){R_WARN, ATTR_BOLD | ATTR_REVERSE};
		if (wide && !programs_reach(s->d->s, turns_here(s), NULL))
			snprintf(p.text, sizeof p.text, " %s past: to look at only ", glyph);
		else if (turns_only)
			snprintf(p.text, sizeof p.text, wide ? " %s past: before the host's last turn " : " past ", glyph);
		else if (s->canvas.w >= 120)
			snprintf(p.text, sizeof p.text, " %s past: %s cycles before %s ", glyph, grouped(back, a),
			         grouped(farthest, b));
		else
			snprintf(p.text, sizeof p.text, " past -%s ", grouped(back, a));
		return p;
	}
	const bool app = shown_state(s) == DBG_RUNNING && programs_busy(s->d->s);
	snprintf(p.text, sizeof p.text, "%s%s%s", glyph, wide ? " " : "",
	         !wide ? ""
	         : app ? "application works"
	               : state_looks[shown_state(s)].word);
	return p;
}

/* Figures that are not of the whole run are never shown without a word of it. */
static bool scope_piece(const struct screen *s, struct piece *p)
{
	struct strbuf text = STRBUF_INIT;
	scope_text(s->d, s->canvas.w < 120, &text);
	const bool any = text.len;
	snprintf(p->text, sizeof p->text, " scope %s ", strbuf_str(&text));
	p->style = (struct style){R_ACCENT, ATTR_BOLD | ATTR_REVERSE};
	strbuf_release(&text);
	return any;
}

#define TITLE_PIECES 5
static u32 right_pieces(const struct screen *s, struct piece out[TITLE_PIECES])
{
	char buf[NUM_MAX];
	struct gpu *g = sim_gpu(s->d->s->sim);
	u32 n = 0;
	out[n++] = state_piece(s);
	n += scope_piece(s, &out[n]);
	snprintf(out[n].text, sizeof out[n].text, "cycle %s", grouped(gpu_cycle(g), buf));
	out[n++].style = STYLE_BOLD(R_TEXT);
	ipc_text(s, s->canvas.w >= 140, out[n].text, sizeof out[n].text);
	out[n++].style = STYLE(R_TEXT);
	if (s->rate > 0) {
		snprintf(out[n].text, sizeof out[n].text, "%si/s", fmt_short(buf, s->rate));
		char *unit = strstr(out[n].text, "i/s"); /* "1.92Mi/s" -> "1.92 Mwi/s": mega warp instructions */
		char prefix = unit > out[n].text && unit[-1] > '9' ? unit[-1] : 0;
		char *end = prefix ? unit - 1 : unit;
		snprintf(end, sizeof out[n].text - (size_t)(end - out[n].text), prefix ? " %cwi/s" : " wi/s", prefix);
		out[n].rate = true;
		out[n++].style = STYLE(R_DIM);
	}
	return n;
}

/* Whose run it is, and the focus; returns the column behind it. */
static int title_left(const struct screen *s, struct pane left)
{
	const struct conf *c = gpu_conf(sim_gpu(s->d->s->sim));
	int at = pane_text(left, 0, 0, STYLE(R_ACCENT), s->d->s->name ? s->d->s->name : "-");
	at = pane_text(left, 0, at + 2, STYLE(R_TEXT), c->machine);
	char policies[POLICIES_TEXT_MAX];
	policies_text(c, policies, sizeof policies);
	at = pane_text(left, 0, at + 2, STYLE(R_DIM), policies);
	return pane_printf(left, 0, at + 2, STYLE(R_DIM), "SM %u w%u", s->d->focus.sm, s->d->focus.warp);
}

/* Order on the line: cycle, IPC, rate, state; the left side has the names, clipped last - but while the machine stands
 * they are worth more than how fast it ran. */
static void title(const struct screen *s, struct pane p)
{
	struct piece piece[TITLE_PIECES] = {0};
	u32 n = right_pieces(s, piece), fits = 0;
	int names = title_left(s, pane_sub(p, 0, 1, 1, 0)), used = 0;
	for (int room = p.w - 2; fits < n; fits++) {
		const bool rate = piece[fits].rate && shown_state(s) != DBG_RUNNING;
		used += utf8_width(piece[fits].text) + 3;
		if (used > room - (rate ? names : 0))
			break;
	}
	int x = p.w - 1;
	if (fits > 0) {
		x -= utf8_width(piece[0].text);
		pane_text(p, 0, x, piece[0].style, piece[0].text);
	}
	for (u32 i = fits; i-- > 1;) {
		x -= utf8_width(piece[i].text) + (i == fits - 1 ? 2 : 3);
		pane_text(p, 0, x, piece[i].style, piece[i].text);
	}
	struct pane left = pane_sub(p, 0, 1, 1, MAX(x - 3, 0));
	int at = title_left(s, left);
	if (left.w - at > 20 && shown_state(s) != DBG_RUNNING && s->d->run.stop_reason[0])
		draw_words(left, 0, at + 3, left.w - at - 3, STYLE(R_DIM), s->d->run.stop_reason);
}

/* --- key line --- */
static int hint(struct pane p, int x, const char *key, const char *what, bool on)
{
	if (x + utf8_width(key) + 1 + utf8_width(what) > p.w)
		return p.w;
	x = pane_text(p, 0, x, on ? STYLE(R_ACCENT) : STYLE(R_TEXT), key);
	x = pane_text(p, 0, x + 1, on ? STYLE(R_ACCENT) : STYLE(R_DIM), what);
	return x + frame_hint_gap(p.c->w);
}

u32 frame_zooms(const struct screen *s)
{
	return views[s->view]->zooms ? views[s->view]->zooms : 10;
}

bool frame_names_view(const struct screen *s, u32 view)
{
	const char key = view_key_now(s->d, view);
	return (key >= '0' && key <= '9') || (key != VIEW_NO_KEY && s->canvas.w >= 100);
}

int frame_hint_gap(int w)
{
	return w < 100 ? 1 : 2;
}

#define HINTS_FROM_W 158 /* columns from which the key line has room for more than the views */

static void key_line(const struct screen *s, struct pane p)
{
	if (s->notice[0]) {
		draw_words(p, 0, 1, p.w - 2, STYLE(R_WARN), s->notice);
		return;
	}
	int x = 1;
	u32 order[VIEWS_MAX];
	views_by_key(s->d, order);
	for (u32 i = 0; i < nviews; i++) {
		const u32 view = order[i];
		char key[2] = {view_key_now(s->d, view), 0};
		if (!frame_names_view(s, view) && view != s->view)
			continue;
		x = hint(p, x, key, views[view]->name, view == s->view);
	}
	struct pane right = pane_sub(p, 0, x, 1, p.w - x);
	int at = 1;
	if (right.w > 0 && right.w < 8) { /* no room for words: the one key that leads to all others */
		pane_text(right, 0, right.w - 1, STYLE(R_TEXT), "?");
		return;
	}
	bool running = shown_state(s) == DBG_RUNNING;
	at = hint(right, at, "?", "help", s->help);
	if (p.w < HINTS_FROM_W) /* the rule above has the others, all of them */
		return;
	at = hint(right, at, "space", running ? "stop" : "run", false);
	at = hint(right, at, ".", "step", false);
	at = hint(right, at, ",", "back", false);
	hint(right, at, "Tab", s->focus == ON_VIEW ? "prompt" : "view", false);
}

/* --- console and prompt --- */
/* Rows of the console: a few by the height of the terminal, more while the last answer is longer, never more than the
 * view keeps. */
static int console_base(const struct screen *s)
{
	return MIN(MAX((s->canvas.h - 20) / 4, 1), 12);
}

static int console_rows(const struct screen *s)
{
	int h = s->canvas.h;
	if (h < 12)
		return h >= 9 ? 1 : 0;
	int answer = console_answer_rows(&s->console, s->canvas.w, h * 3 / 5);
	return MAX(answer, (int)MAX(MIN((u64)console_base(s), s->console.total), (u64)1));
}

/* With the focus on the view the prompt's line describes what is pointed at, or the selection. */
static bool detail_line(struct screen *s, struct pane p)
{
	char topic[64];
	struct strbuf text = STRBUF_INIT;
	if (s->focus != ON_VIEW || s->help)
		return false;
	if (s->pointing)
		point_describe(&s->canvas, s->point_y, s->point_x, &text, topic);
	else
		point_selection(s->d, &s->recent, views[s->view]->key, &text);
	const bool any = text.len != 0;
	if (any) {
		const int x = pane_text(p, 0, 1, STYLE(R_DIM), s->pointing ? "? " : debugger_prompt(s->d));
		draw_words(p, 0, x, p.w - x - 1, STYLE(R_TEXT), strbuf_str(&text));
	}
	strbuf_release(&text);
	return any;
}

static void prompt_line(struct screen *s, struct pane p)
{
	s->cursor_y = p.y;
	if (s->ask == ASK_QUIT) {
		s->cursor_x = p.x + pane_text(p, 0, 1, STYLE(R_WARN), "Leave warpdbg? (y or n) ");
	} else if (s->ask == ASK_SEARCH) {
		int x = pane_text(p, 0, 1, STYLE(R_ACCENT), "/");
		s->cursor_x = p.x + pane_text(p, 0, x, STYLE(R_TEXT), s->search);
	} else if (detail_line(s, p)) {
		s->cursor_y = s->pointing ? s->point_y : -1;
		s->cursor_x = s->point_x;
	} else if (!s->draw_line) {
		pane_text(p, 0, 1, STYLE(R_ACCENT), debugger_prompt(s->d));
	} else {
		bool on = s->focus == ON_PROMPT;
		s->cursor_x =
		    p.x + 1 +
		    s->draw_line(pane_sub(p, 0, 1, 1, p.w - 1), 0, on ? STYLE(R_ACCENT) : STYLE(R_DIM), STYLE(R_TEXT));
		if (!on) {
			pane_text(p, 0, s->cursor_x - p.x + 1, STYLE(R_DIM),
			          "keys act on the view; a command, : or Tab come back here");
			s->cursor_y = -1;
		}
	}
}

/* --- the machine --- */
static void watch_machine(struct screen *s)
{
	recent_attach(&s->recent, s->d->s->sim);
	residency_attach(&s->residency, s->d->s->sim);
	s->generation = s->d->bound.generation;
}

static void forget_machine(struct screen *s)
{
	recent_forget(&s->recent);
	marks_forget(&s->marks);
	residency_forget(&s->residency);
}

void screen_attach(struct screen *s, struct debugger *d)
{
	s->d = d;
	for (u32 i = 0; i < VIEWS_MAX; i++)
		s->state[i] = (struct view_state){.follow = true, .seen_cycle = NEVER};
	watch_machine(s);
}

/* What was attached to the old machine is gone with it. */
void screen_reattach(struct screen *s)
{
	if (s->generation == s->d->bound.generation)
		return;
	forget_machine(s);
	watch_machine(s);
}

void screen_detach(struct screen *s)
{
	bool gone = s->generation != s->d->bound.generation || s->d->bound.subscribed_to != s->d->s->sim;
	if (gone) {
		forget_machine(s);
		return;
	}
	recent_detach(&s->recent);
	marks_forget(&s->marks);
	residency_detach(&s->residency);
}

void frame_context(struct screen *s, struct view_ctx *v)
{
	*v = (struct view_ctx){
	    .d = s->d,
	    .g = sim_gpu(s->d->s->sim),
	    .tl = s->d->s->timeline,
	    .phases = s->d->s->phases,
	    .recent = &s->recent,
	    .heat = s->d->s->heat,
	    .marks = &s->marks,
	    .residency = &s->residency,
	    .st = &s->state[s->view],
	    .search = s->search,
	};
}

/* What can be done about a long answer, or where the key line has no room for them, the keys that move the machine. */
static void console_hint(const struct screen *s, struct pane p)
{
	const struct console *c = &s->console;
	bool running = shown_state(s) == DBG_RUNNING;
	u64 under = c->total - MIN(c->below, c->total), over = c->top - MIN(c->answer, c->top);
	if (s->offscreen || c->paging || s->ask != ASK_NOTHING)
		return;
	if (under)
		pane_right(p, 0, p.w - 1, STYLE(R_ACCENT), " %llu more line%s: PgDn  Esc: shrink ", (unsigned long long)under,
		           plural(under));
	else if (over && console_overflows(c))
		pane_right(p, 0, p.w - 1, STYLE(R_ACCENT), " %llu line%s above: PgUp  Esc: shrink ", (unsigned long long)over,
		           plural(over));
	else if (console_rows(s) > console_base(s) + 3)
		pane_right(p, 0, p.w - 1, STYLE(R_DIM), " Esc: shrink ");
	else if (s->canvas.w < HINTS_FROM_W)
		pane_right(p, 0, p.w - 1, STYLE(R_DIM), " space %s  . step  , back  Tab view ", running ? "stop" : "run");
}

/* The view's own keys and the way back, from column x on: of keys that have no room the last ones are left out whole.
 */
static void view_keys(const struct view *view, struct pane p, int x)
{
	static const char back[] = "Tab prompt";
	const char *keys = view->keys;
	int room = p.w - 2 - x - (int)sizeof back - 3, n = 0;
	for (int i = 0; keys[i]; i++) /* they are separated by two blanks, and ASCII */
		if (i < room && (!keys[i + 1] || (keys[i + 1] == ' ' && keys[i + 2] == ' ')))
			n = i + 1;
	pane_printf(p, 0, x, STYLE(R_TEXT), " %.*s%s%s ", n, keys, n ? "  " : "", back);
}

/* The keys are the view's: a bar, on every terminal. */
static void mark_focus(struct pane p)
{
	for (int x = 0; x < p.w; x++)
		canvas_at(p.c, p.y, p.x + x)->style = (struct style){R_ACCENT, ATTR_REVERSE};
}

/* The cycle and the values that stand at the cursor of the view's curves, from column x on. */
static void cursor_values(const struct screen *s, struct pane p, int x)
{
	static const char *const hints[] = {" Enter: go there  {}: scope  Esc: hide ", " Enter: go there  Esc: hide "};
	const struct view_state *st = &s->state[s->view];
	char cycle[NUM_MAX];
	struct pane q = pane_sub(p, 0, x, 1, p.w - x - 2);
	x = pane_printf(q, 0, 0, STYLE_BOLD(R_TEXT), " cycle %s ", grouped(st->cursor, cycle));
	int end = MIN(x + utf8_width(st->cursor_text) + 2, q.w);
	for (int i = x; i < end; i++)
		pane_glyph(q, 0, i, STYLE(R_TEXT), ' ');
	draw_words(q, 0, x + 1, MAX(end - x - 2, 0), STYLE(R_TEXT), st->cursor_text);
	for (u32 i = 0; i < ARRAY_LEN(hints) && s->focus == ON_VIEW; i++)
		if (q.w - end > (int)strlen(hints[i]) + 1) {
			pane_right(q, 0, q.w - 1, STYLE(R_DIM), "%s", hints[i]);
			break;
		}
}

/* What a lesson wants, from column x on; returns what is left of the line. */
static struct pane task_line(const struct screen *s, struct pane p, int x)
{
	const char *task = s->d->report.reminder;
	if (!*task || s->offscreen)
		return p;
	x = pane_printf(p, 0, x, STYLE_BOLD(R_ACCENT), " %s ", task);
	return pane_sub(p, 0, MIN(x, p.w), 1, MAX(p.w - x, 0));
}

/* The line between view and console: which side has the keys, and which ones, or what stands at the cursor of the
 * view's curves. */
static void rule_line(const struct screen *s, struct pane p)
{
	const struct view_state *st = &s->state[s->view];
	const bool cursor = st->cursor_on && st->axis.w && !s->help, on_view = s->focus == ON_VIEW;
	draw_rule(p, 0);
	int x = 1;
	if (on_view)
		x = pane_printf(p, 0, x, STYLE(R_ACCENT), " %s ", views[s->view]->title);
	if (cursor)
		cursor_values(s, p, x + (x > 1));
	else if (on_view && !s->help)
		view_keys(views[s->view], p, x + 1);
	else if (!on_view)
		console_hint(s, task_line(s, p, x));
	if (on_view)
		mark_focus(p);
}

void frame_draw(struct screen *s)
{
	struct canvas *c = &s->canvas;
	struct pane all = pane_all(c);
	canvas_clear(c);
	s->cursor_y = -1;
	if (c->h < SCREEN_MIN_H || c->w < SCREEN_MIN_W) {
		pane_text(all, c->h / 2, 0, STYLE(R_WARN), "terminal too small");
		return;
	}
	recent_update(&s->recent);
	int h = c->h, con = console_rows(s), rule = h >= 9 ? 1 : 0, hints = h >= 7 ? 1 : 0;
	int prompt_y = h - 1 - hints, con_y = prompt_y - con, rule_y = con_y - rule;
	struct view_ctx v;
	s->body_end = rule_y;
	frame_context(s, &v);
	title(s, pane_sub(all, 0, 0, 1, c->w));
	struct pane body = pane_sub(all, 1, 0, rule_y - 1, c->w);
	if (s->help) {
		help_draw(s, body);
	} else if (s->listing) {
		view_list_draw(s, body);
	} else {
		cursor_begin(v.st);
		v.st->list.n = v.st->click.w = 0;
		views[s->view]->draw(&v, body);
	}
	console_draw(&s->console, pane_sub(all, con_y, 0, con, c->w));
	if (rule)
		rule_line(s, pane_sub(all, rule_y, 0, 1, c->w)); /* knows what of the console is out of sight */
	prompt_line(s, pane_sub(all, prompt_y, 0, 1, c->w));
	if (hints)
		key_line(s, pane_sub(all, h - 1, 0, 1, c->w));
}
