#include "obs/record/konata.h"

#include <inttypes.h>
#include <stdlib.h>

#include "obs/name/names.h"

#define RECENT 64 /* instructions of a warp that an arrow may come from */
#define STAGE_ISSUE LANE_CLASSES
#define NO_STAGE 255

struct flow { /* of a warp slot */
	bool open, retires;
	u64 id;    /* of the instruction that is open; retires: it has issued in the last cycle */
	u8 stage;  /* of it */
	u32 cause; /* pc of the instruction for which it waited last; PC_DONE: none */
	s64 launch, cta;
	struct {
		u32 pc;
		u64 id;
	} past[RECENT]; /* issued last */
	u32 npast;
};
struct konata {
	const struct gpu *g;
	u32 sm, warps;
	u64 cycle, told; /* the next one; that of the last line */
	u64 ids, retired;
	struct flow flow[WARP_SLOTS];
	u64 second[WARP_SLOTS]; /* id + 1 of the second instruction issued in the last cycle; 0: none */
};

struct konata *konata_new(const struct gpu *g, u32 sm, u64 from, struct strbuf *out)
{
	struct konata *k = xcalloc(1, sizeof *k);
	k->g = g;
	k->sm = sm;
	k->warps = gpu_warps_per_sm(g);
	k->cycle = k->told = from;
	strbuf_addf(out, "Kanata\t0004\nC=\t%" PRIu64 "\n", from);
	return k;
}

/* The log's clock comes to the present cycle before anything is said of it. */
static void clock_on(struct konata *k, struct strbuf *out)
{
	if (k->told < k->cycle)
		strbuf_addf(out, "C\t%" PRIu64 "\n", k->cycle - k->told);
	k->told = k->cycle;
}

static u64 begin(struct konata *k, u32 warp, struct strbuf *out)
{
	clock_on(k, out);
	strbuf_addf(out, "I\t%" PRIu64 "\t%" PRIu64 "\t%u\n", k->ids, k->ids, warp);
	return k->ids++;
}

static void stage(struct konata *k, u64 id, const char *name, struct strbuf *out)
{
	clock_on(k, out);
	strbuf_addf(out, "S\t%" PRIu64 "\t0\t%s\n", id, name);
}

static void retire(struct konata *k, u64 id, bool flushed, struct strbuf *out)
{
	clock_on(k, out);
	strbuf_addf(out, "R\t%" PRIu64 "\t%" PRIu64 "\t%d\n", id, k->retired, flushed);
	k->retired += !flushed;
}

/* What it is, once it is sure: tabs would end the text. */
static void tell(struct konata *k, const struct lane_name *n, u32 warp, u64 id, u32 pc, struct strbuf *out)
{
	const struct module *m = n ? module_of_launch(k->g, (s32)n->launch) : NULL;
	struct strbuf text = STRBUF_INIT;
	if (m && pc < m->ncode) {
		strbuf_addf(&text, "%u: ", module_pc_line(m, pc));
		line_text(m, pc, &text);
	} else {
		strbuf_adds(&text, "?");
	}
	strbuf_addf(out, "L\t%" PRIu64 "\t0\tw%u ", id, warp);
	for (const char *c = strbuf_str(&text); *c; c++)
		strbuf_addc(out, (u8)*c < ' ' ? ' ' : *c);
	strbuf_addc(out, '\n');
	if (n)
		strbuf_addf(out, "L\t%" PRIu64 "\t1\tSM %u warp %u, CTA %" PRIu64 " of launch %u, pc %u\n", id, k->sm, warp,
		            n->cta, n->launch, pc);
	strbuf_release(&text);
}

/* From the instruction that it waited for, if that is one of the last. */
static void arrow(struct flow *f, u64 id, struct strbuf *out)
{
	for (u32 i = 0; i < RECENT && i < f->npast && f->cause != PC_DONE; i++) {
		const u32 at = (f->npast - 1 - i) % RECENT;
		if (f->past[at].pc == f->cause) {
			strbuf_addf(out, "W\t%" PRIu64 "\t%" PRIu64 "\t0\n", id, f->past[at].id);
			return;
		}
	}
}

static void remember(struct flow *f, u32 pc, u64 id)
{
	f->past[f->npast % RECENT].pc = pc;
	f->past[f->npast % RECENT].id = id;
	f->npast++;
}

static void issue(struct konata *k, struct flow *f, const struct lane_cell *c, const struct lane_name *n, u32 warp,
                  struct strbuf *out)
{
	if (f->stage != STAGE_ISSUE)
		stage(k, f->id, "issue", out);
	f->stage = STAGE_ISSUE;
	if (c->cause == c->pc)
		return; /* a leading part: it is issued later */
	clock_on(k, out);
	tell(k, n, warp, f->id, c->pc, out);
	arrow(f, f->id, out);
	remember(f, c->pc, f->id);
	f->retires = true;
	if (c->cause == PC_DONE)
		return;
	const u64 id = begin(k, warp, out);
	stage(k, id, "issue", out);
	tell(k, n, warp, id, c->cause, out);
	remember(f, c->cause, id);
	k->second[warp] = id + 1;
}

static void end_last_cycle(struct konata *k, u32 warp, struct strbuf *out)
{
	struct flow *f = &k->flow[warp];
	if (f->retires)
		retire(k, f->id, false, out);
	if (k->second[warp])
		retire(k, k->second[warp] - 1, false, out);
	k->second[warp] = 0;
	f->open = f->open && !f->retires;
	f->retires = false;
}

static void cycle_of(struct konata *k, const struct lanes *l, u32 warp, struct strbuf *out)
{
	struct flow *f = &k->flow[warp];
	struct lane_cell c;
	end_last_cycle(k, warp, out);
	if (!lanes_warp(l, k->sm, warp, k->cycle, 1, &c))
		return;
	const struct lane_name *n = lanes_name(l, c.name);
	const bool issued = lane_is_issued(&c), there = issued || (c.class != WS_NONE && c.class != WS_DONE);
	const bool other = n && (f->launch != n->launch || f->cta != (s64)n->cta);
	if (f->open && (!there || other)) {
		retire(k, f->id, true, out);
		f->open = false;
	}
	if (other)
		*f = (struct flow){.launch = n->launch, .cta = (s64)n->cta};
	if (!there)
		return;
	if (!f->open) {
		f->id = begin(k, warp, out);
		f->open = true;
		f->stage = NO_STAGE;
		f->cause = PC_DONE;
	}
	if (issued) {
		issue(k, f, &c, n, warp, out);
		return;
	}
	if (c.class != f->stage)
		stage(k, f->id, c.class == LANE_REFUSED ? "refused" : warp_state_descs[c.class].name, out);
	f->stage = c.class;
	if ((c.class == WS_MEM || c.class == WS_SHORT) && c.cause != c.pc)
		f->cause = c.cause;
}

void konata_add(struct konata *k, const struct lanes *l, u64 to, struct strbuf *out)
{
	for (; k->cycle < to; k->cycle++)
		for (u32 w = 0; w < k->warps; w++)
			cycle_of(k, l, w, out);
}

void konata_free(struct konata *k, struct strbuf *out)
{
	for (u32 w = 0; w < k->warps; w++) {
		end_last_cycle(k, w, out);
		if (k->flow[w].open)
			retire(k, k->flow[w].id, true, out);
	}
	free(k);
}
