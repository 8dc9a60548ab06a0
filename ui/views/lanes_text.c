#include "views/lanes_text.h"

#include <string.h>

#include "base/words.h"
#include "obs/break/break.h"
#include "obs/name/names.h"
#include "scr/draw.h"
#include "views/appearance.h"
#include "views/legend.h"

/* --- signs -------------------------------------------------------------------------------------------------------- */

enum legend_id lanes_sign(const struct lane_cell *c)
{
	static const u8 of[CS_COUNT] = {
	    [CS_NONE] = LG_EMPTY,       [CS_RUNNING] = LG_READY,     [CS_LOW] = LG_READY,
	    [CS_PAUSED] = LG_PAUSED,    [CS_HALTED] = LG_PAUSED,     [CS_MOVING] = LG_PAUSED,
	    [CS_SWAP_IN] = LG_SWAP_IN,  [CS_SWAP_OUT] = LG_SWAP_OUT, [CS_INACTIVE] = LG_INACTIVE,
	    [CS_READY] = LG_COULD_RUN,  [CS_LEAVING] = LG_CTA_SAVED, [CS_SAVED] = LG_CTA_SAVED,
	    [CS_QUEUED] = LG_CTA_SAVED,
	};
	_Static_assert(CS_COUNT == 13, "give the new one a sign");
	if (c->class >= LANE_CLASSES)
		return (enum legend_id)of[c->class - LANE_CLASSES];
	return legend_of_warp(c->class == LANE_REFUSED ? WS_READY_LSU : c->class, lane_is_issued(c),
	                      c->class == LANE_REFUSED);
}

/* The rarer one hides the others. */
static u32 rank_of(u32 type, enum legend_id *sign)
{
	static const struct {
		u32 type;
		enum legend_id sign;
	} order[] = {{EV_BARRIER_RELEASE, LG_OPENS}, {EV_CTA_DONE, LG_CTA_ENDS},     {EV_CTA_DISPATCH, LG_CTA_BEGINS},
	             {EV_CTA_SWAP_IN, LG_SWAP_IN},   {EV_CTA_SWAP_OUT, LG_SWAP_OUT}, {EV_CTA_RESTORE, LG_CTA_BACK},
	             {EV_CTA_SAVE, LG_CTA_SAVED}};
	for (u32 i = 0; i < ARRAY_LEN(order); i++)
		if (order[i].type == type) {
			*sign = order[i].sign;
			return i + 1;
		}
	return 0;
}

/* The first mark from a cycle on. */
static u32 first_mark(const struct lanes *l, u64 cycle)
{
	u32 lo = 0, hi = lanes_marks(l);
	while (lo < hi) {
		const u32 mid = (lo + hi) / 2;
		if (lanes_mark(l, mid)->cycle < cycle)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool is_meant(const struct lanes_picture *p, const struct lane_mark *m)
{
	return (p->launch < 0 || m->kernel == p->launch) && (p->cta < 0 || m->cta == (u64)p->cta);
}

enum legend_id lanes_mark_sign(const struct lanes_picture *p, u64 from)
{
	enum legend_id best = LG_COUNT, sign;
	u32 most = 0;
	for (u32 i = p->l ? first_mark(p->l, from) : 0; p->l && i < lanes_marks(p->l); i++) {
		const struct lane_mark *m = lanes_mark(p->l, i);
		if (m->cycle >= from + p->bin)
			break;
		const u32 rank = is_meant(p, m) ? rank_of(m->type, &sign) : 0;
		if (rank > most) {
			most = rank;
			best = sign;
		}
	}
	return best;
}

/* --- text --------------------------------------------------------------------------------------------------------- */

static const struct module *module_of(const struct view_ctx *v, const struct lanes_picture *p,
                                      const struct lane_cell *c, u32 pc)
{
	const struct lane_name *n = lanes_name(p->l, c->name);
	const struct module *m = n && n->launch < gpu_num_kernels(v->g) ? gpu_launched(v->g, n->launch)->mod : NULL;
	return m && pc < m->ncode ? m : NULL;
}

void lanes_inst(const struct view_ctx *v, const struct lanes_picture *p, const struct lane_cell *c, u32 pc, bool brief,
                struct strbuf *out)
{
	const struct module *m = module_of(v, p, c, pc);
	struct strbuf text = STRBUF_INIT;
	if (!m)
		return;
	line_text(m, pc, &text);
	const char *s = strbuf_str(&text);
	if (brief && *s == '@') /* its guard */
		s += strcspn(s, " \t");
	s += strspn(s, " \t");
	strbuf_addf(out, "%u ", module_pc_line(m, pc));
	const size_t len = strcspn(s, brief ? " \t;" : ";");
	bool gap = false;
	for (size_t i = 0; i < len; i++) {
		const bool blank = s[i] == ' ' || s[i] == '\t';
		if (!blank || !gap)
			strbuf_addc(out, blank ? ' ' : s[i]);
		gap = blank;
	}
	strbuf_release(&text);
}

/* Since when the row has been in this state, as far as it is known cycle by cycle. */
static u64 since(const struct lanes_picture *p, u32 row, u64 at, const struct lane_cell *is)
{
	struct lane_cell c;
	while (at && lanes_cell(p, row, at - 1, &c) && c.class == is->class && lane_is_issued(&c) == lane_is_issued(is) &&
	       c.name == is->name)
		at--;
	return at;
}

static void add_who(const struct view_ctx *v, const struct lanes_picture *p, const struct lane_cell *c,
                    struct strbuf *out)
{
	const struct lanes_row *r = &p->row[p->focus];
	const struct lane_name *n = lanes_name(p->l, c->name);
	if (p->of != LANES_OF_CTAS)
		strbuf_addf(out, "SM %u w%u", r->sm, r->index);
	if (n)
		strbuf_addf(out, "%sCTA %llu of %s", p->of == LANES_OF_CTAS ? "" : ", ", (unsigned long long)n->cta,
		            func_label(gpu_launched(v->g, n->launch)->fn));
}

static const char *state_name(const struct lane_cell *c)
{
	return c->class >= LANE_CLASSES   ? cta_state_descs[c->class - LANE_CLASSES].name
	       : c->class == LANE_REFUSED ? "refused"
	                                  : warp_state_descs[c->class].name;
}

/* A single cycle of a warp: what it issued, or what it waited for. */
static void add_cycle(const struct view_ctx *v, const struct lanes_picture *p, const struct lane_cell *c, u64 at,
                      struct strbuf *out)
{
	char a[GROUPED_MAX];
	if (lane_is_issued(c) && p->of != LANES_OF_CTAS) {
		strbuf_adds(out, c->cause == c->pc ? ": a leading slot of " : ": issued ");
		lanes_inst(v, p, c, c->pc, false, out);
		if (c->cause != PC_DONE && c->cause != c->pc) {
			strbuf_adds(out, " and ");
			lanes_inst(v, p, c, c->cause, false, out);
		}
		return;
	}
	const u64 from = since(p, (u32)p->focus, at, c);
	strbuf_addf(out, ": %s since %s", lane_is_issued(c) ? "issued" : state_name(c), grouped(from, a));
	if (c->class == WS_READY_SP && !lane_is_issued(c))
		strbuf_adds(out, ", not chosen");
	if (p->of == LANES_OF_CTAS || c->pc == PC_DONE)
		return;
	strbuf_adds(out, ", next ");
	lanes_inst(v, p, c, c->pc, false, out);
	if (c->cause != c->pc && c->cause != PC_DONE && module_of(v, p, c, c->cause)) {
		strbuf_adds(out, ", waits for ");
		lanes_inst(v, p, c, c->cause, false, out);
	}
}

void lanes_state_text(const struct view_ctx *v, const struct lanes_picture *p, struct strbuf *out)
{
	const u64 at = p->ref / p->bin * p->bin;
	struct lane_cell c;
	char a[GROUPED_MAX], b[GROUPED_MAX];
	if (p->focus < 0 || !lanes_cell(p, (u32)p->focus, at, &c))
		return;
	strbuf_addf(out, "%s  ", grouped(at, a));
	add_who(v, p, &c, out);
	if (p->bin == 1)
		add_cycle(v, p, &c, at, out);
	else
		strbuf_addf(out, ": %s in most of %s cycles, issued in %.0f %%", state_name(&c), grouped(p->bin, b),
		            c.issued / 2.55);
}

static void add_mark(const struct lane_mark *m, struct strbuf *out)
{
	char a[GROUPED_MAX];
	strbuf_addf(out, "%s%s %s: CTA %llu of K%d", out->len ? "  " : "", grouped(m->cycle, a), event_descs[m->type].name,
	            (unsigned long long)m->cta, m->kernel);
	for (u32 i = 0; i < ARRAY_LEN(m->arg); i++) {
		const char *arg = event_descs[m->type].arg[i],
		           *word = *arg ? event_arg_name((enum event_type)m->type, i, m->arg[i]) : NULL;
		if (word)
			strbuf_addf(out, ", %s %s", arg, word);
		else if (!strcmp(arg, "partner") || !strcmp(arg, "cycles") || !strcmp(arg, "barrier") || !strcmp(arg, "away"))
			strbuf_addf(out, ", %s %llu", arg, (unsigned long long)m->arg[i]);
	}
}

/* A CTA's row: what has happened to it last, by which it is what it is. */
static void add_last_mark(const struct lanes_picture *p, const struct lane_cell *c, u64 before, struct strbuf *out)
{
	const struct lane_name *n = lanes_name(p->l, c->name);
	for (u32 i = n ? first_mark(p->l, before) : 0; i-- > 0;) {
		const struct lane_mark *m = lanes_mark(p->l, i);
		if (m->kernel != (s32)n->launch || m->cta != n->cta || m->type == EV_BARRIER_RELEASE)
			continue;
		add_mark(m, out);
		return;
	}
}

#define MARKS_TOLD 4

void lanes_place_text(const struct view_ctx *v, const struct lanes_picture *p, struct strbuf *out)
{
	const u64 at = p->ref / p->bin * p->bin;
	struct lane_cell c;
	struct cuda_line cu;
	u32 told = 0;
	for (u32 i = p->l ? first_mark(p->l, at) : 0; p->l && i < lanes_marks(p->l); i++) {
		const struct lane_mark *m = lanes_mark(p->l, i);
		if (m->cycle >= at + p->bin || told == MARKS_TOLD)
			break;
		if (!is_meant(p, m))
			continue;
		add_mark(m, out);
		told++;
	}
	if (p->focus < 0 || !lanes_cell(p, (u32)p->focus, at, &c))
		return;
	if (p->of == LANES_OF_CTAS && !told)
		add_last_mark(p, &c, at, out);
	if (p->bin > 1)
		return;
	const struct module *m = module_of(v, p, &c, c.pc);
	for (u32 line = m ? m->code[c.pc].line : 0; line; line--) { /* the .loc before it */
		if (!cuda_line_of(&debugger_appearance(v->d)->cuda, m, line, &cu))
			continue;
		strbuf_addf(out, "%s%s:%u", out->len ? "  " : "", cu.file, cu.number);
		if (cu.text)
			strbuf_addf(out, "  %.*s", (int)cu.len, cu.text);
		break;
	}
}
