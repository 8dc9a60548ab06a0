/* Source: the PTX with the warps at each line, where they wait, breakpoints and the focus. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scr/draw.h"
#include "views/appearance.h"
#include "scr/term.h"
#include "views/legend.h"
#include "views/source_counts.h"
#include "views/view.h"

enum { NOW_ISSUED = HEAT_STATES, NOW_STATES, WARPS_MAX = 256 };

/* What is known of a line of the file. */
struct line_facts {
	u32 warps;           /* resident warps whose next instruction is here */
	u16 now[NOW_STATES]; /* of these by state */
	u32 samples[HEAT_STATES];
	u32 waiting; /* samples in waiting states, charged to what causes them */
	bool code, unsupported, stop, disabled_stop;
};

/* The module of the focused warp, else of the latest launch, else the first loaded. */
static const struct module *shown_module(const struct view_ctx *v)
{
	u32 n = gpu_num_kernels(v->g);
	s32 k = v->d->focus.kernel >= 0 && (u32)v->d->focus.kernel < n ? v->d->focus.kernel : (s32)n - 1;
	if (k >= 0) {
		struct kernel_info info;
		gpu_kernel_info(v->g, (u32)k, &info);
		return info.launch->mod;
	}
	return sim_num_modules(v->d->s->sim) ? sim_module(v->d->s->sim, 0) : NULL;
}

static const struct inst *focus_inst(const struct view_ctx *v, const struct module *m)
{
	struct warp_info w;
	gpu_warp_info(v->g, v->d->focus.sm, v->d->focus.warp, &w);
	if (w.launch < 0 || w.pc >= m->ncode)
		return NULL;
	struct kernel_info k;
	gpu_kernel_info(v->g, (u32)w.launch, &k);
	return k.launch->mod == m ? &m->code[w.pc] : NULL;
}

/* --- facts --- */
static void count_sm(const struct view_ctx *v, const struct module *m, u32 sm, u64 warps, struct line_facts *f)
{
	u8 states[WARPS_MAX];
	u64 issued, refused;
	gpu_warp_states(v->g, sm, states, &issued, &refused);
	FOR_EACH_BIT(w, warps)
	{
		u32 pc = front_pc(gpu_front(v->g), sm, w);
		if (pc >= m->ncode)
			continue;
		struct line_facts *l = &f[m->code[pc].line];
		l->warps++;
		l->now[issued >> w & 1 ? NOW_ISSUED : refused >> w & 1 ? HEAT_REFUSED : states[w]]++;
	}
}

static void count_warps(const struct view_ctx *v, const struct module *m, struct line_facts *f)
{
	const struct conf *conf = gpu_conf(v->g);
	for (u32 sm = 0; sm < conf->num_sms; sm++) {
		u64 warps = 0;
		for (u32 slot = 0; slot < conf->sm_ctas; slot++) {
			struct cta_info c;
			gpu_cta_info(v->g, sm, slot, &c);
			if (c.used && gpu_launched(v->g, c.launch)->mod == m)
				warps |= c.warps & ~c.warps_done;
		}
		if (warps)
			count_sm(v, m, sm, warps, f);
	}
}

static void add_code(const struct view_ctx *v, const struct module *m, struct line_facts *f)
{
	const struct heat_module *h = heat_of(v->heat, m);
	for (u32 pc = 0; pc < m->ncode; pc++) {
		struct line_facts *l = &f[m->code[pc].line];
		l->code = true;
		l->unsupported |= (m->code[pc].flags & IF_UNSUPPORTED) != 0;
		for (u32 s = 0; h && s < HEAT_STATES; s++) {
			l->samples[s] += h->caused[pc][s];
			l->waiting += heat_is_waiting(s) ? h->caused[pc][s] : 0;
		}
	}
	const struct break_set *b = &v->d->breaks;
	for (u32 i = 0; i < b->n; i++) {
		const struct breakpoint *bp = b->list[i];
		for (u32 k = 0; bp->kind == BK_CODE && bp->mod == m && !bp->internal && k < bp->npcs; k++) {
			if (bp->pcs[k] >= m->ncode)
				continue;
			struct line_facts *l = &f[m->code[bp->pcs[k]].line];
			l->stop |= bp->enabled;
			l->disabled_stop |= !bp->enabled;
		}
	}
}

/* --- text --- */
static size_t token(const char *s, size_t n, enum role *role, bool *first)
{
	size_t i = 1;
	if ((u8)s[0] >= 0x80) {
		u32 ch;
		*role = R_TEXT;
		return utf8_decode(s, n, &ch);
	}
	if (s[0] == '/' && n > 1 && s[1] == '/') {
		*role = R_COMMENT;
		return n;
	}
	if (s[0] == '%' || s[0] == '.' || s[0] == '_' || s[0] == '$' || isalpha((u8)s[0])) {
		while (i < n && (isalnum((u8)s[i]) || strchr("_$.", s[i])))
			i++;
		*role = s[0] == '%' ? R_REGISTER : s[0] == '.' ? R_DIRECTIVE : *first ? R_OPCODE : R_TEXT;
		if (i < n && s[i] == ':')
			*role = R_LABEL;
		*first = false;
		return i;
	}
	*role = R_TEXT;
	if (s[0] == '{' || s[0] == '}' || s[0] == ';' || s[0] == ',')
		*role = R_DIM;
	if (s[0] == '@') { /* the guard: the opcode comes after it */
		while (i < n && !isspace((u8)s[i]))
			i++;
		*role = R_LABEL;
	}
	return i;
}

#define OPERANDS 18 /* column of the operands, one for all opcodes that are not longer */

/* Where a tab at column x leads: PTX has one or more before the opcode and one behind it. */
static int tab_stop(int x, bool before_text)
{
	return before_text ? x + 4 - x % 4 : x < OPERANDS ? OPERANDS : x;
}

static void source_line(struct pane p, const char *s, size_t n, bool code)
{
	bool first = true;
	int x = 0;
	while (n > 0) {
		enum role role;
		size_t len;
		if (*s == '\t') {
			x = tab_stop(x, first);
			len = 1;
		} else {
			len = token(s, n, &role, &first);
			if (role == R_OPCODE && !code)
				role = R_TEXT;
			x = pane_textn(p, 0, x, STYLE(role), s, MIN(len, n));
		}
		len = MIN(len, n);
		s += len;
		n -= len;
	}
	if (x > p.w && p.w > 0)
		pane_glyph(p, 0, p.w - 1, STYLE(R_DIM), p.c->ascii ? '~' : 0x2026);
}

/* --- rows --- */
struct source_columns {
	int num, text, text_w, warps, warps_w, heat, heat_w, loc, margin; /* loc, margin: -1 = not shown */
};
enum { MARGIN_W = 8, MARGIN_W_MIN = 7, WARPS_W_MIN = 3, WARPS_W_MAX = 64, HEAT_W_MAX = 50 };
enum { MODE_BARE = 1, MODE_PTX = 2 }; /* of view_state.mode, bits: without the margin; .loc directives as they are */

/* Columns of the longest line with code: the room the text is worth. */
static int text_width(const struct module *m)
{
	int most = 40;
	for (u32 pc = 0; pc < m->ncode; pc++) {
		u32 len;
		const char *s = module_line(m, m->code[pc].line, &len);
		int w = 0;
		bool before_text = true;
		for (u32 i = 0; i < len; i++) {
			w = s[i] == '\t' ? tab_stop(w, before_text) : w + 1;
			before_text &= s[i] == '\t' || s[i] == ' ';
		}
		most = MAX(most, w);
	}
	return MIN(most + 2, 90);
}

static struct source_columns layout(int w, const struct module *m, bool loc, bool margin)
{
	int digits = m->nlines < 1000 ? 3 : m->nlines < 10000 ? 4 : 6;
	struct source_columns c = {.num = 3 + digits, .text = 5 + digits, .loc = -1, .margin = -1};
	const int margin_w = w < 100 ? MARGIN_W_MIN : MARGIN_W;
	margin &= w >= 60;
	c.warps_w = w >= 160 ? 30 : w >= 120 ? 16 : w >= 70 ? 6 : 0;
	c.heat_w = c.warps_w;
	int right = (c.warps_w ? c.warps_w + 6 : 5) + (c.heat_w ? c.heat_w + 7 : 5) + (loc && w >= 120 ? 22 : 0) +
	            (margin ? margin_w : 0);
	const int need = text_width(m);
	while (c.warps_w > WARPS_W_MIN && w - c.text - right < need) { /* whole operands are worth more than longer bars */
		c.warps_w--;
		c.heat_w--;
		right -= 2;
	}
	c.text_w = MAX(MIN(w - c.text - right, need), 8);
	int spare = MAX(w - c.text - c.text_w - right - 2, 0); /* a wide terminal: more letters, longer bars */
	c.warps_w += c.warps_w >= 16 ? MIN(spare / 2, WARPS_W_MAX - c.warps_w) : 0;
	c.heat_w += c.heat_w >= 16 ? MIN(spare / 2, HEAT_W_MAX - c.heat_w) : 0;
	c.warps = c.text + c.text_w + 1;
	c.heat = c.warps + c.warps_w + 6;
	int next = c.heat + c.heat_w + 8;
	if (margin) {
		c.margin = next;
		next += margin_w;
	}
	if (loc && w >= 120)
		c.loc = next;
	return c;
}

static u32 main_state(const struct line_facts *f)
{
	u32 best = WS_MEM;
	for (u32 s = 0; s < HEAT_STATES; s++)
		if (heat_is_waiting(s) && f->samples[s] > f->samples[best])
			best = s;
	return best;
}

/* The phase that the line's code belongs to, with a bracket where it begins; program and idempotence points. */
static void margin_cell(struct pane p, int y, int x, const struct line_marks *k)
{
	if (x < 0 || !k->code)
		return;
	pane_glyph(p, y, x, STYLE(R_DIM), 0x2502);
	if (k->phase_begin)
		legend_draw(p, y, x, LG_PHASE);
	int to = pane_printf(p, y, x + 1, STYLE(k->phase_begin ? R_TEXT : R_DIM), "%u", k->phase);
	if (k->point)
		legend_draw(p, y, to, LG_POINT);
	if (k->idem)
		legend_draw(p, y, to + k->point, LG_NO_RESTART);
}

/* The warps that are here by state, with the overview's letters: one each where the fullest line has room for its own,
 * else in proportion. */
static void warp_letters(struct pane p, const struct line_facts *f, u32 most)
{
	static const u8 order[] = {NOW_ISSUED,   WS_READY_SP,  WS_READY_INT, WS_READY_SFU, WS_READY_DP, WS_READY_TENSOR,
	                           WS_READY_LSU, HEAT_REFUSED, WS_SHORT,     WS_MEM,       WS_FENCE,    WS_BARRIER,
	                           WS_SLEEP,     WS_PAUSED,    WS_FETCH,     WS_DONE};
	u32 w = (u32)MAX(p.w, 0), acc = 0, x = 0, all = most <= w ? f->warps : MAX((f->warps * w + most / 2) / most, 1u);
	for (u32 i = 0; i < ARRAY_LEN(order); i++) {
		bool issued = order[i] == NOW_ISSUED, refused = order[i] == HEAT_REFUSED;
		enum warp_state st = issued || refused ? WS_READY_SP : order[i];
		acc += f->now[order[i]];
		for (u32 to = (acc * all + f->warps / 2) / f->warps; x < to; x++)
			pane_glyph(p, 0, (int)x, warp_style(st, issued, refused), warp_glyph(st, issued, refused));
	}
}

/* Does the directive before this one, if it is near, name the same CUDA line? Compilers tell columns apart. */
static bool same_as_before(struct view_ctx *v, const struct module *m, u32 line, const struct cuda_line *cu)
{
	struct cuda_line before;
	for (u32 l = line - 1; l > 0 && l + 64 > line; l--)
		if (cuda_line_of(&debugger_appearance(v->d)->cuda, m, l, &before))
			return before.number == cu->number && !strcmp(before.file, cu->file);
	return false;
}

/* In place of a .loc directive the CUDA line that it names, where its file can be read: the code that follows is its.
 */
static void text_cell(struct view_ctx *v, struct pane row, const struct source_columns *c, const struct module *m,
                      u32 line, bool code)
{
	/* beside a declaration nothing else is drawn */
	struct pane p = pane_sub(row, 0, c->text, 1, code ? c->text_w : row.w - c->text);
	struct cuda_line cu;
	u32 len;
	const char *s = module_line(m, line, &len);
	if (code || (v->st->mode & MODE_PTX) || !cuda_line_of(&debugger_appearance(v->d)->cuda, m, line, &cu) || !cu.text) {
		source_line(p, s, len, code);
		pane_mark(p, 0, v->search);
		return;
	}
	p = pane_sub(row, 0, c->text, 1, (c->margin > 0 ? c->margin : c->loc > 0 ? c->loc : row.w) - c->text - 1);
	int x = pane_printf(p, 0, 0, STYLE(R_DIM), "%s:%u  ", cu.file, cu.number);
	if (!same_as_before(v, m, line, &cu)) /* else its text stands above */
		x = pane_textn(p, 0, x, STYLE_BOLD(R_ACCENT), cu.text, cu.len);
	if (x > p.w && p.w > 0)
		pane_glyph(p, 0, p.w - 1, STYLE(R_DIM), p.c->ascii ? '~' : 0x2026);
	pane_mark(p, 0, v->search);
}

static void source_row(struct view_ctx *v, struct pane p, int y, const struct source_columns *c, const struct module *m,
                       u32 line, const struct line_facts *f, const struct line_facts *most, u64 waiting, bool focus,
                       bool mark)
{
	if (f->stop || f->disabled_stop)
		legend_draw(p, y, 1, f->stop ? LG_STOP : LG_STOP_OFF);
	else if (f->unsupported)
		legend_draw(p, y, 1, LG_UNSUPPORTED);
	pane_right(p, y, c->num,
	           STYLE(focus || mark ? R_ACCENT
	                 : f->code     ? R_DIM
	                               : R_FAINT),
	           "%u", module_line_in_file(m, line));
	if (focus)
		legend_draw(p, y, c->num, LG_FOCUS);
	text_cell(v, pane_sub(p, y, 0, 1, p.w), c, m, line, f->code);
	if (focus)
		pane_attr(p, y, c->text, c->text_w, ATTR_BOLD);
	if (f->warps) {
		pane_right(p, y, c->warps + 4, STYLE(R_TEXT), "%u", f->warps);
		warp_letters(pane_sub(p, y, c->warps + 5, 1, c->warps_w), f, most->warps);
	}
	if (f->waiting) {
		u32 st = main_state(f);
		bool refused = st == HEAT_REFUSED;
		struct style look = warp_style(refused ? WS_READY_SP : (enum warp_state)st, false, refused);
		pane_right(p, y, c->heat + 5, STYLE(R_TEXT), "%.1f", percent(f->waiting, (double)waiting));
		pane_glyph(p, y, c->heat + 6, look, warp_glyph(refused ? WS_READY_SP : (enum warp_state)st, false, refused));
		draw_bar(p, y, c->heat + 8, c->heat_w - 1, look, (double)f->waiting / MAX(most->waiting, 1u), false);
	}
}

/* The file is that of the focused warp's line if this is to be seen, else of the first row. */
static void heading(const struct view_ctx *v, struct pane p, const struct module *m, const struct inst *seen,
                    const struct inst *in, const struct source_columns *c)
{
	const u32 line = seen ? seen->line : (u32)MAX(v->st->top, 0) + 1;
	const char *path = module_part_of(m, line)->path, *base = strrchr(path, '/');
	int x = pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), base ? base + 1 : path);
	if (in) {
		const struct focus *f = &v->d->focus;
		x = pane_printf(p, 0, x + 2, STYLE(R_ACCENT), "SM %u warp %u", f->sm, f->warp);
		if (in->src_line && in->src_file < m->nfiles && m->files[in->src_file]) {
			const char *file = strrchr(m->files[in->src_file], '/');
			x = pane_printf(p, 0, x + 2, STYLE(R_DIM), "%s:%u", file ? file + 1 : m->files[in->src_file], in->src_line);
		}
	}
	if (*v->search)
		x = pane_printf(p, 0, x + 2, STYLE(R_ACCENT), "/%s", v->search);
	if (x < c->warps) {
		pane_text(p, 0, c->warps, STYLE(R_DIM), "warps");
		int next = c->margin > 0 ? c->margin : c->loc > 0 ? c->loc : p.w;
		pane_text(p, 0, c->heat, STYLE(R_DIM), next - c->heat >= 19 ? "waits % of samples" : "waits %");
		if (c->loc > 0)
			pane_text(p, 0, c->loc, STYLE(R_DIM), "source");
		if (c->margin > 0)
			pane_text(p, 0, c->margin, STYLE(R_DIM), "phase");
	}
}

/* The source line where it changes from one PTX line with code to the next. */
static void loc_cell(struct pane p, int y, int x, const struct module *m, u32 line, const u32 *first_pc, u32 *last)
{
	if (x < 0 || first_pc[line] == UINT32_MAX)
		return;
	const struct inst *in = &m->code[first_pc[line]];
	if (!in->src_line || in->src_line == *last)
		return;
	*last = in->src_line;
	const char *path = in->src_file < m->nfiles && m->files[in->src_file] ? m->files[in->src_file] : "";
	const char *file = strrchr(path, '/');
	pane_printf(p, y, x, STYLE(R_DIM), "%s:%u", file ? file + 1 : path, in->src_line);
}

/* What is worth seeing when the focused warp stands nowhere: where most warps are, else where they waited most, else
 * the beginning of the code. */
static s32 place_of_interest(const struct module *m, const struct line_facts *f)
{
	u32 warps = 0, waits = 0;
	for (u32 i = 1; i <= m->nlines; i++) {
		warps = f[i].warps > f[warps].warps ? i : warps;
		waits = f[i].waiting > f[waits].waiting ? i : waits;
	}
	if (warps || waits)
		return (s32)(warps ? warps : waits);
	return m->nfuncs && m->funcs[0].entry < m->ncode ? (s32)m->code[m->funcs[0].entry].line : 1;
}

static void follow_focus(struct view_ctx *v, const struct module *m, const struct inst *in, const struct line_facts *f,
                         int rows)
{
	if (!view_follows(v))
		return;
	s32 line = in ? (s32)in->line : place_of_interest(m, f);
	if (line - 1 < v->st->top + 1 || line - 1 >= v->st->top + rows - 2)
		v->st->top = line - 1 - rows / 3;
}

static void draw(struct view_ctx *v, struct pane p)
{
	const struct module *m = shown_module(v);
	if (!m) {
		pane_text(p, 1, 3, STYLE(R_DIM), "no module loaded yet: type run, continue or press space");
		return;
	}
	if (v->st->mode & MODE_COUNTS) {
		source_counts_draw(v, p, m, focus_inst(v, m));
		return;
	}
	struct line_facts *f = xcalloc(m->nlines + 2, sizeof *f), most = {0};
	u32 *first_pc = xcalloc(m->nlines + 2, sizeof *first_pc), last = 0;
	memset(first_pc, 0xff, (m->nlines + 2) * sizeof *first_pc);
	bool loc = false;
	for (u32 pc = m->ncode; pc-- > 0;) {
		first_pc[m->code[pc].line] = pc;
		loc |= m->code[pc].src_line != 0;
	}
	count_warps(v, m, f);
	add_code(v, m, f);
	for (u32 i = 1; i <= m->nlines; i++) {
		most.warps = MAX(most.warps, f[i].warps);
		most.waiting = MAX(most.waiting, f[i].waiting);
	}
	const struct inst *in = focus_inst(v, m);
	struct source_columns c = layout(p.w, m, loc, !(v->st->mode & MODE_BARE));
	const struct line_marks *marks = c.margin > 0 ? marks_of(v->marks, m, gpu_conf(v->g)) : NULL;
	const struct heat_module *h = heat_of(v->heat, m);
	int rows = p.h - 1;
	follow_focus(v, m, in, f, rows);
	view_clip(v->st, (s32)m->nlines, rows);
	const s32 seen = in ? (s32)in->line - 1 - v->st->top : -1; /* the focused warp's row */
	heading(v, p, m, seen >= 0 && seen < rows ? in : NULL, in, &c);
	for (int r = 0; r < rows && v->st->top + r < (s32)m->nlines; r++) {
		u32 line = (u32)(v->st->top + r) + 1;
		source_row(v, p, r + 1, &c, m, line, &f[line], &most, h ? h->waiting : 0, in && in->line == line,
		           v->st->mark == line);
		loc_cell(p, r + 1, c.loc, m, line, first_pc, &last);
		if (marks)
			margin_cell(p, r + 1, c.margin, &marks[line]);
	}
	free(first_pc);
	free(f);
}

static bool search(struct view_ctx *v, bool forward)
{
	const struct module *m = shown_module(v);
	if (!m)
		return false;
	if (v->st->mode & MODE_COUNTS)
		return source_counts_search(v, m, forward);
	struct strbuf text = STRBUF_INIT;
	s32 n = (s32)m->nlines, i = MAX(MIN(v->st->top, n - 1), 0);
	bool hit = false;
	for (s32 k = 0; k < n && !hit; k++) {
		i = (i + (forward ? 1 : n - 1)) % n;
		u32 len;
		const char *s = module_line(m, (u32)i + 1, &len);
		struct cuda_line cu;
		strbuf_clear(&text);
		if (!(v->st->mode & MODE_PTX) && cuda_line_of(&debugger_appearance(v->d)->cuda, m, (u32)i + 1, &cu) && cu.text)
			strbuf_addf(&text, "%s:%u  %.*s", cu.file, cu.number, (int)cu.len, cu.text); /* as text_cell() has it */
		else
			strbuf_add(&text, s, len);
		hit = strcasestr(strbuf_str(&text), v->search) != NULL;
	}
	strbuf_release(&text);
	if (hit) {
		v->st->top = i;
		view_stay(v);
	}
	return hit;
}

/* To the line where warps have waited most; again: to the next one in that order. */
static void next_hot(struct view_ctx *v)
{
	const struct module *m = shown_module(v);
	const struct heat_module *h = m ? heat_of(v->heat, m) : NULL;
	if (!h)
		return;
	u64 *wait = xcalloc(m->nlines + 2, sizeof *wait), below;
	for (u32 pc = 0; pc < m->ncode; pc++)
		for (u32 s = 0; s < HEAT_STATES; s++)
			wait[m->code[pc].line] += heat_is_waiting(s) ? h->caused[pc][s] : 0;
	u32 best = 0, last = v->st->mark <= m->nlines ? v->st->mark : 0;
	below = last ? wait[last] : UINT64_MAX;
	for (u32 i = 1; i <= m->nlines; i++)
		if (wait[i] > wait[best] && (wait[i] < below || (wait[i] == below && i > last)))
			best = i;
	free(wait);
	v->st->mark = best; /* behind the last one it begins again */
	if (!best)
		return;
	v->st->top = (s32)best - 1 - v->st->page / 3;
	view_stay(v);
}

static bool on_key(struct view_ctx *v, int key)
{
	if (key == 'c') {
		v->st->mode ^= MODE_COUNTS;
		v->st->mark = 0;
		view_follow_again(v);
		return true;
	}
	const struct module *m = v->st->mode & MODE_COUNTS ? shown_module(v) : NULL;
	if (m)
		return source_counts_key(v, m, key);
	if (key == 'h') {
		next_hot(v);
		return true;
	}
	if (key == 'f') {
		v->st->mark = 0;
		view_follow_again(v);
		return true;
	}
	if (key == 'a') {
		v->st->mode ^= MODE_BARE;
		return true;
	}
	if (key == 'u') {
		v->st->mode ^= MODE_PTX;
		return true;
	}
	if (!view_scroll(v->st, key))
		return false;
	view_stay(v);
	return true;
}

const struct view view_source = {
    .key = '8',
    .name = "source",
    .title = "source",
    .shows = "CUDA and PTX with counters of each line",
    .keys = "h hottest line  / search  n N  f focus  c counters  a margin  u CUDA",
    .help =
        "The PTX of the focused warp. warps: resident warps whose next instruction this is, with a letter "
        "each (as in the overview; in proportion if there are too many). waits %: share of all waiting "
        "samples, with the letter of the state in which most of them were; they include samples of ready "
        "warps that a unit or the LSU refused (s). Each warp is sampled every 512 cycles. A wait is charged "
        "to what causes it: the load, not the instruction that needs its value; the barrier, not the "
        "instruction behind it; a refusal to the instruction that holds the unit or the LSU. `warps` shows where the wait is felt.\n"
        "● breakpoint, ○ disabled, ⊘ (?) not supported: no kernel that reaches it can be launched, ▸ the "
        "focused warp. h: the line with most waits, again: the next one; f: back to the focus. phase: the "
        "phase of the line's code within its function, ┝ (+) where one begins, │ (|) inside; ◇ ($) program "
        "point of ELF, ✗ (!) from here on the CTA cannot be restarted (info phases, points, idempotence). "
        "Code runs in scheduled order, not always in the order of the lines: see the key schedule. a: without "
        "the margin.\n"
        "With line information, if the CUDA file can be read (under the name that the compiler wrote, or "
        "beside the PTX file), its lines stand in place of the .loc directives, above the code that they "
        "became. u: the directives.\n"
        "c: line counters in columns in place of the warps. ← →: the column; h: the line with most of it, again: the "
        "next one; o: the lines with most of it first; u: the lines of the CUDA files, with sums of their "
        "instructions, x: with the PTX of each below it. The columns are those of `info code`; `explain "
        "line.NAME` defines a counter. A refused access holds up others: blocked is what a line costs them, "
        "suffered what others cost it.",
    .draw = draw,
    .on_key = on_key,
    .search = search,
};
