#include "views/point.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "session/explain.h"
#include "views/legend.h"
#include "views/view.h"

/* --- words of the screen --- */

/* A word: from column x on, n columns; n 0 = none. */
struct word {
	int x, n;
	char text[64]; /* ASCII, without brackets, commas and colons around it */
};

static bool in_word(const struct canvas *c, int y, int x)
{
	if (x < 0 || x >= c->w || y < 0 || y >= c->h)
		return false;
	const u32 ch = canvas_at(c, y, x)->ch;
	return ch > ' ' && ch < 127;
}

static struct word word_at(const struct canvas *c, int y, int x)
{
	struct word w = {.x = x};
	if (!in_word(c, y, x))
		return w;
	while (in_word(c, y, w.x - 1))
		w.x--;
	u32 n = 0;
	for (w.n = 0; in_word(c, y, w.x + w.n); w.n++)
		if (n + 1 < sizeof w.text && (n || !strchr("([", (int)canvas_at(c, y, w.x + w.n)->ch)))
			w.text[n++] = (char)canvas_at(c, y, w.x + w.n)->ch;
	while (n && strchr(",:;)].", w.text[n - 1]))
		n--;
	w.text[n] = '\0';
	return w;
}

static struct word word_before(const struct canvas *c, int y, int x)
{
	for (x--; x >= 0; x--)
		if (in_word(c, y, x))
			return word_at(c, y, x);
	return (struct word){.n = 0};
}

static bool has_letter(const struct word *w)
{
	for (const char *p = w->text; *p; p++)
		if (isalpha((u8)*p))
			return true;
	return false;
}

/* A number with its unit, "12.3k", "4/8", "+5.69", "97%". */
static bool is_number(const struct word *w)
{
	const char *p = w->text + strspn(w->text, "+-");
	return isdigit((u8)*p) && p[strspn(p, "0123456789.,/+-%kMGT")] == '\0';
}

/* With the word before or behind it ("no mshr", "l1 no mshr", "memory dependency"), else by itself. */
static bool explain_word(const struct canvas *c, int y, const struct word *w, struct explanation *out)
{
	char both[200];
	struct word before = word_before(c, y, w->x), behind = word_at(c, y, w->x + w->n + 1);
	struct word first = before.n ? word_before(c, y, before.x) : before;
	const bool near = before.n && before.x + before.n + 1 == w->x;
	if (near && first.n && first.x + first.n + 1 == before.x) {
		snprintf(both, sizeof both, "%s %s %s", first.text, before.text, w->text);
		if (explain_first(both, out))
			return true;
	}
	snprintf(both, sizeof both, "%s %s", before.text, w->text);
	if (near && explain_first(both, out))
		return true;
	snprintf(both, sizeof both, "%s %s", w->text, behind.text);
	if (behind.n && explain_first(both, out))
		return true;
	return explain_first(w->text, out) || explain_opcode(w->text, out);
}

/* --- what a number is of --- */

/* The word beside it, `gap` columns away at most. */
static bool beside(const struct canvas *c, int y, const struct word *w, int gap, struct explanation *out)
{
	struct word at = word_before(c, y, w->x);
	for (int end = w->x; at.n && end - (at.x + at.n) <= gap; at = word_before(c, y, end)) {
		if (has_letter(&at) && !is_number(&at) && explain_word(c, y, &at, out))
			return true;
		end = at.x;
	}
	return false;
}

/* The head of its column: the first word above it that is no number. */
static bool head_above(const struct canvas *c, int y, const struct word *w, struct explanation *out)
{
	for (int r = y - 1; r > 0; r--)
		for (int x = w->x + w->n - 1; x >= w->x; x--) {
			struct word at = word_at(c, r, x);
			if (!at.n || is_number(&at) || (!has_letter(&at) && strcmp(at.text, "%") != 0))
				continue;
			return explain_word(c, r, &at, out);
		}
	return false;
}

static bool explain_number(const struct canvas *c, int y, const struct word *w, struct explanation *out)
{
	return beside(c, y, w, 2, out) || (w->x > 20 && head_above(c, y, w, out)) || beside(c, y, w, 40, out) ||
	       head_above(c, y, w, out);
}

/* --- cells --- */

static void add_explanation(struct strbuf *out, const char *what, const struct explanation *x, char topic[64])
{
	strbuf_addf(out, "%s: %s", what, x->name);
	if (*x->unit)
		strbuf_addf(out, " (%s)", x->unit);
	strbuf_addf(out, ": %s", x->text);
	snprintf(topic, 64, "%s", x->name);
}

static void add_legend(struct strbuf *out, enum legend_id id, char topic[64])
{
	char glyph[5] = "";
	glyph[utf8_encode(legend[id].ch, glyph)] = '\0';
	strbuf_addf(out, "%s  %s: %s", glyph, legend[id].name, legend[id].help);
	struct explanation x;
	const char *name = legend[id].name;
	for (u32 r = 0; r < ST_COUNT; r++)
		if (legend_of_stall(r) == id)
			name = stall_descs[r].name[TAX_BASE];
	snprintf(topic, 64, "%s", explain_first(name, &x) ? name : "");
}

static const struct view *view_called(const char *word)
{
	for (u32 i = 0; i < nviews; i++)
		if (!strcmp(word, views[i]->title) || !strcmp(word, views[i]->name))
			return views[i];
	return NULL;
}

void point_describe(const struct canvas *c, int y, int x, struct strbuf *out, char topic[64])
{
	struct explanation e;
	topic[0] = '\0';
	if (y < 0 || x < 0 || y >= c->h || x >= c->w || canvas_at(c, y, x)->ch == ' ') {
		strbuf_addf(out, "nothing here: arrows move, Tab goes to the next word");
		return;
	}
	const struct cell *cell = canvas_at(c, y, x);
	const struct word w = word_at(c, y, x);
	const enum legend_id sign = legend_find(cell->ch, c->ascii);
	const bool state = sign < LG_COUNT && (cell->style.role == legend[sign].role || c->mono);
	if (is_number(&w) && explain_number(c, y, &w, &e))
		add_explanation(out, w.text, &e, topic);
	else if (w.n > 1 && explain_word(c, y, &w, &e))
		add_explanation(out, w.text, &e, topic);
	else if (state)
		add_legend(out, sign, topic);
	else if (w.n && explain_word(c, y, &w, &e))
		add_explanation(out, w.text, &e, topic);
	else if (!w.n && beside(c, y, &(struct word){.x = x + 1, .n = 1}, c->w, &e))
		add_explanation(out, "bar or curve", &e, topic);
	else if (view_called(w.text))
		strbuf_addf(out, "%s: the view of key %c; a second ? says what it shows", w.text, view_called(w.text)->key);
	else if (w.n)
		strbuf_addf(out, "%s: a name, or text of the program; `explain` knows no such word", w.text);
	else
		strbuf_addf(out, "part of a bar or curve");
}

void point_next_word(const struct canvas *c, int h, int *y, int *x, bool forward)
{
	const int n = h * c->w, step = forward ? 1 : n - 1;
	int at = *y * c->w + *x;
	for (int i = 0; i < n; i++) {
		at = (at + step) % n;
		const int r = at / c->w, k = at % c->w;
		if (in_word(c, r, k) && !in_word(c, r, k - 1))
			break;
	}
	*y = at / c->w;
	*x = at % c->w;
}

/* --- the selection --- */

static void add_sm(struct debugger *d, const struct recent *recent, struct strbuf *out)
{
	struct gpu *g = sim_gpu(d->s->sim);
	const u32 sm = d->focus.sm;
	const struct sample *now = recent_get(recent, (s32)sm);
	struct sm_info i;
	double share;
	gpu_sm_info(g, sm, &i);
	const enum stall top = top_stall(now->stalls, &share);
	strbuf_addf(out, "SM %u  %u of %u warps, %u of %u CTAs, registers %.0f%%, shared memory %.0f%%; in %s: IPC %.2f",
	            sm, i.warps, i.max_warps, i.ctas, i.max_ctas, percent(i.regs_used, i.regs),
	            percent(i.shared_used, i.shared), recent_span(recent, false),
	            now->cycles ? (double)now->issued / (double)now->cycles : 0.0);
	if (top < ST_COUNT)
		strbuf_addf(out, ", %.0f%% of the slots lost to %s", 100 * share, stall_descs[top].name[TAX_BASE]);
}

/* The line that its wait is charged to, where that is another than the one that waits. */
static void add_cause(const struct gpu *g, u32 sm, u32 warp, const struct warp_info *w, struct strbuf *out)
{
	const struct module *m = gpu_launched(g, (u32)w->launch)->mod;
	const u32 pc = warp_state_waits(w->state) ? gpu_producer(g, sm, warp) : w->pc;
	if (pc != w->pc && pc < m->ncode)
		strbuf_addf(out, " of line %u", module_line_in_file(m, m->code[pc].line));
}

static void add_warp(struct debugger *d, struct strbuf *out)
{
	struct gpu *g = sim_gpu(d->s->sim);
	struct warp_info w;
	char buf[NUM_MAX];
	gpu_warp_info(g, d->focus.sm, d->focus.warp, &w);
	const enum legend_id id = legend_of_warp(w.state, w.issued_last, w.refused);
	strbuf_addf(out, "SM %u w%u  %c %s", d->focus.sm, d->focus.warp, legend[id].ascii, legend[id].name);
	if (w.state == WS_NONE || w.launch < 0)
		return;
	const u64 since = gpu_cycle(g) - w.since;
	strbuf_addf(out, " for %s cycle%s", grouped(since, buf), plural(since));
	if (*w.waits)
		strbuf_addf(out, ", waits for %s", w.waits);
	add_cause(g, d->focus.sm, d->focus.warp, &w, out);
	strbuf_addf(out, "; CTA %llu of K%d", (unsigned long long)w.cta, w.launch);
	const struct module *m = gpu_launched(g, (u32)w.launch)->mod;
	if (w.pc == PC_DONE || w.pc >= m->ncode)
		return;
	u32 len;
	const char *text = module_line(m, m->code[w.pc].line, &len);
	strbuf_addf(out, ", line %u: ", module_line_in_file(m, m->code[w.pc].line));
	bool gap = false, any = false;
	for (u32 i = 0; i < len; i++) {
		const bool blank = text[i] == ' ' || text[i] == '\t';
		if (!blank)
			strbuf_addf(out, "%s%c", gap && any ? " " : "", text[i]);
		any |= !blank;
		gap = blank;
	}
}

void point_selection(struct debugger *d, const struct recent *recent, char key, struct strbuf *out)
{
	if (strchr("128_", key))
		add_warp(d, out);
	else if (strchr("34567", key))
		add_sm(d, recent, out);
}
