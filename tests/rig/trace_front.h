/* trace_front: a second front end, as small as one can be: kernels are lists of what each warp does, one entry an
 * instruction. Nothing is executed; there are no registers, no values, no faults. The lists are recorded from a machine
 * that executes PTX (trace_recorder), or written by hand (trace_load_texts). */
#ifndef TESTS_RIG_TRACE_FRONT_H
#define TESTS_RIG_TRACE_FRONT_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "front/front.h"

#define TRACE_LAUNCHES 4
#define TRACE_WARPS 1024 /* of a launch */

struct trace_list {
	struct dyninst *d;
	u32 n;
};
/* The trace there is: by launch, then CTA and warp in it. */
static struct trace_list trace[TRACE_LAUNCHES][TRACE_WARPS];

static inline struct trace_list *trace_of(const struct launch *l, u64 cta, u32 warp)
{
	BUG_ON(l->id >= TRACE_LAUNCHES || cta * l->warps + warp >= TRACE_WARPS);
	return &trace[l->id][cta * l->warps + warp];
}
static inline struct dyninst *trace_add(struct trace_list *t)
{
	if (!t->n || is_pow2(t->n))
		t->d = xrealloc(t->d, (t->n ? 2 * (size_t)t->n : 1) * sizeof(*t->d));
	return &t->d[t->n++];
}
static inline void trace_clear(void)
{
	for (u32 l = 0; l < TRACE_LAUNCHES; l++)
		for (u32 w = 0; w < TRACE_WARPS; w++) {
			free(trace[l][w].d);
			trace[l][w] = (struct trace_list){0};
		}
}

/* --- the front end ------------------------------------------------------------------------------------------------ */

struct trace_warp { /* arena */
	u32 launch, list, at, pad;
};
struct trace_front {
	struct front front;
	u32 nwarps;
	struct trace_warp *warps;                    /* [sm][warp slot] */
	const struct launch *launch[TRACE_LAUNCHES]; /* by id */
};

static inline struct trace_warp *trace_warp(const struct front *f, u32 sm, u32 warp)
{
	const struct trace_front *t = (const void *)f;
	return &t->warps[sm * t->nwarps + warp];
}
/* What it does next; NULL: it has ended. */
static inline const struct dyninst *trace_next(const struct front *f, u32 sm, u32 warp)
{
	const struct trace_warp *w = trace_warp(f, sm, warp);
	const struct trace_list *t = &trace[w->launch][w->list];
	return w->at < t->n ? &t->d[w->at] : NULL;
}

static u64 trace_state_bytes(const struct conf *c)
{
	return (u64)c->num_sms * (c->sm_threads / WARP_SIZE) * sizeof(struct trace_warp) + 64;
}
static struct front *trace_create(const struct conf *c, struct arena *a, struct devmem *mem, struct err *e)
{
	struct trace_front *t = xcalloc(1, sizeof(*t));
	t->nwarps = c->sm_threads / WARP_SIZE;
	t->warps = ARENA_NEW(a, struct trace_warp, (size_t)c->num_sms * t->nwarps);
	return &t->front;
}
static void trace_destroy(struct front *f)
{
	free(f);
}
static void trace_cta_start(struct front *f, u32 sm, u32 slot, const struct launch *l, u64 cta, u64 warps)
{
	u32 i = 0;
	((struct trace_front *)(void *)f)->launch[l->id] = l;
	FOR_EACH_BIT(w, warps)
	*trace_warp(f, sm, (u32)w) =
	    (struct trace_warp){.launch = l->id, .list = (u32)(trace_of(l, cta, i++) - trace[l->id])};
}
static u32 trace_pc(const struct front *f, u32 sm, u32 warp)
{
	const struct dyninst *d = trace_next(f, sm, warp);
	return d ? d->pc : PC_DONE;
}
static u32 trace_active_mask(const struct front *f, u32 sm, u32 warp)
{
	const struct dyninst *d = trace_next(f, sm, warp);
	return d ? d->active : 0;
}
static void trace_issue(struct front *f, u32 sm, u32 warp, u64 cycle, struct dyninst *out)
{
	struct trace_warp *w = trace_warp(f, sm, warp);
	*out = *trace_next(f, sm, warp);
	out->in = &((struct trace_front *)(void *)f)->launch[w->launch]->mod->code[out->pc];
	w->at++;
}
static u64 trace_code_base; /* where the code was that the trace is of: L1I sees it */
static bool trace_place(struct front *f, struct module *m, struct err *e)
{
	m->code_base = trace_code_base;
	return true;
}
static bool trace_commit(struct front *f, u32 sm, u64 before)
{
	return false;
}

/* --- traces by hand ----------------------------------------------------------------------------------------------- */

/* One instruction of a kernel's code: "i NAME DESTINATION SOURCE", ids of the scoreboard or '-'; of a bra
 * the source is where it goes. */
static inline bool trace_code(struct module *m, const char *line, struct err *e)
{
	static const struct {
		const char *name;
		u8 op, cls;
	} ops[] = {{"add", OP_ADD, IC_INT_ADD}, {"ld", OP_LD, IC_GLOBAL}, {"st", OP_ST, IC_GLOBAL},
	           {"bar", OP_BAR, IC_CTRL},    {"bra", OP_BRA, IC_CTRL}, {"exit", OP_EXIT, IC_CTRL}};
	char name[16], dst[8], src[8];
	if (sscanf(line, "i %15s %7s %7s", name, dst, src) != 3)
		return err_set(e, "no instruction: %s", line);
	for (u32 i = 0; i < ARRAY_LEN(ops); i++) {
		if (strcmp(ops[i].name, name))
			continue;
		struct inst *in = &m->code[m->ncode++];
		*in = (struct inst){.op = ops[i].op, .cls = ops[i].cls, .cost = 1, .vec = 1, .space = SPC_GLOBAL};
		in->guard = OPND_NONE;
		in->reconv = in->target = in->func = in->call = in->table = in->tex = -1;
		in->flags = in->op == OP_EXIT ? IF_EXITS : 0;
		for (u32 k = 0; k < 4; k++)
			in->d[k] = OPND_NONE;
		for (u32 k = 0; k < 5; k++)
			in->s[k] = OPND_NONE;
		if (*dst != '-')
			in->sb_dst[in->n_sb_dst++] = (u16)atoi(dst);
		if (in->op == OP_BRA)
			in->target = atoi(src);
		else if (*src != '-')
			in->sb_src[in->n_sb_src++] = (u16)atoi(src);
		return true;
	}
	return err_set(e, "no such instruction: %s", name);
}

/* One that a warp executes: "pc lanes [address stride]". */
static inline bool trace_step(const struct module *m, struct trace_list *t, const char *line, struct err *e)
{
	u32 pc, mask;
	u64 addr = 0, stride = 0;
	if (sscanf(line, "%u %x %lx %lu", &pc, &mask, &addr, &stride) < 2 || pc >= m->ncode)
		return err_set(e, "no step: %s", line);
	struct dyninst *d = trace_add(t);
	memset(d, 0, sizeof(*d));
	d->pc = pc;
	d->mask = d->active = mask;
	const u8 op = m->code[pc].op;
	if (op == OP_LD || op == OP_ST) {
		d->space = SPC_GLOBAL;
		d->bytes = 4;
		d->store = op == OP_ST;
		for (u32 i = 0; i < WARP_SIZE; i++)
			d->addr[i] = addr + i * stride;
	}
	d->flags = op == OP_BAR ? DYN_BARRIER | DYN_BAR_WAIT : op == OP_EXIT ? DYN_WARP_DONE : 0;
	d->bar_threads = 1024;
	return true;
}

/* Each warp's steps lead from one to the next. */
static inline void trace_join(struct trace_list *t)
{
	for (u32 i = 0; i < t->n; i++) {
		t->d[i].next_pc = i + 1 < t->n ? t->d[i + 1].pc : PC_DONE;
		t->d[i].flags |= t->d[i].next_pc != t->d[i].pc + 1 ? DYN_JUMP : 0;
	}
}

/* Lines: "i ..." the code; "w CTA WARP" begins a warp's list, in launch 0 with CTAs of two warps; "# ..." says
 * something.
 */
static struct module *trace_load_texts(const struct conf *c, const struct source_text *texts, u32 n, struct err *e)
{
	struct module *m = xcalloc(1, sizeof(*m));
	struct trace_list *t = NULL;
	bool ok = true;
	m->path = xstrdup(texts->name);
	m->code = xcalloc(64, sizeof(*m->code));
	for (const char *p = texts->text; ok && *p; p += strcspn(p, "\n"), p += *p == '\n') {
		u32 cta, warp;
		if (*p == '#')
			continue;
		if (*p == 'i')
			ok = m->ncode < 64 ? trace_code(m, p, e) : err_set(e, "too much code");
		else if (sscanf(p, "w %u %u", &cta, &warp) == 2)
			t = &trace[0][cta * 2 + warp];
		else
			ok = t ? trace_step(m, t, p, e) : err_set(e, "whose step? %s", p);
	}
	if (!ok) {
		module_free(m);
		return NULL;
	}
	for (u32 i = 0; i < TRACE_WARPS; i++)
		trace_join(&trace[0][i]);
	m->funcs = xcalloc(1, sizeof(*m->funcs));
	m->nfuncs = 1;
	m->funcs[0] = (struct func){.name = xstrndup("kernel", 6),
	                            .is_kernel = true,
	                            .end = m->ncode,
	                            .regs = 16,
	                            .sb_ids = 128,
	                            .frame_bytes = 128};
	return m;
}

static const struct front_ops trace_front = {.name = "trace",
                                             .help = "what warps did, from a list",
                                             .load_texts = trace_load_texts,
                                             .state_bytes = trace_state_bytes,
                                             .create = trace_create,
                                             .destroy = trace_destroy,
                                             .place = trace_place,
                                             .cta_start = trace_cta_start,
                                             .pc = trace_pc,
                                             .active_mask = trace_active_mask,
                                             .issue = trace_issue,
                                             .commit = trace_commit};

/* --- recording ---------------------------------------------------------------------------------------------------- */

static const struct front_ops *trace_recorded;
static struct trace_list *trace_recording[CONF_MAX_SMS][64]; /* by SM and warp slot */

static void trace_record_start(struct front *f, u32 sm, u32 slot, const struct launch *l, u64 cta, u64 warps)
{
	u32 i = 0;
	FOR_EACH_BIT(w, warps)
	trace_recording[sm][w] = trace_of(l, cta, i++);
	trace_recorded->cta_start(f, sm, slot, l, cta, warps);
}
static void trace_record_issue(struct front *f, u32 sm, u32 warp, u64 cycle, struct dyninst *out)
{
	trace_recorded->issue(f, sm, warp, cycle, out);
	*trace_add(trace_recording[sm][warp]) = *out;
}
static bool trace_record_place(struct front *f, struct module *m, struct err *e)
{
	const bool ok = trace_recorded->place(f, m, e);
	trace_code_base = m->code_base;
	return ok;
}
/* Another front end that records what its warps do. */
static inline struct front_ops trace_recorder(const struct front_ops *of)
{
	struct front_ops o = *of;
	trace_recorded = of;
	o.name = "recorder";
	o.place = trace_record_place;
	o.cta_start = trace_record_start;
	o.issue = trace_record_issue;
	return o;
}
#endif
