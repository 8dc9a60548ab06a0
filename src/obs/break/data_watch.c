#include "obs/break/data_watch.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "ir/wide.h"
#include "obs/name/names.h"

/* --- reading --- */

/* The watched warp is in its slot and has lanes left. */
static bool warp_there(const struct data_watch *w, struct gpu *g)
{
	struct warp_info x;
	gpu_warp_info(g, w->sm, w->warp, &x);
	return x.state != WS_NONE && x.launch == w->launch && (s64)x.cta == w->cta && x.pc != PC_DONE;
}

static bool cta_there(const struct data_watch *w, struct gpu *g)
{
	struct cta_info c;
	gpu_cta_info(g, w->sm, w->slot, &c);
	return c.used && (s32)c.launch == w->launch && (s64)c.cta == w->cta;
}

/* How many calls deep a warp is. */
static u32 call_depth(struct gpu *g, u32 sm, u32 warp)
{
	struct simt_entry st[256];
	u32 n = front_stack(gpu_front(g), sm, warp, st, ARRAY_LEN(st)), depth = 0;
	for (u32 i = 0; i < MIN(n, (u32)ARRAY_LEN(st)); i++)
		depth += st[i].is_call;
	return depth;
}

/* False where the register has no value: another function runs, or it is dead and its place may hold another. */
static bool read_register(struct data_watch *w, struct gpu *g)
{
	const struct module *m = module_of_launch(g, w->launch);
	u32 pc = front_pc(gpu_front(g), w->sm, w->warp);
	const struct func *f = m && pc != PC_DONE ? func_of_pc(m, pc) : NULL;
	if (!f || (u32)(f - m->funcs) != w->func || (m->ncalls && call_depth(g, w->sm, w->warp) != w->depth))
		return false;
	const struct regname *r = reg_find(m, pc, w->name);
	if (!r || !reg_live(r, pc))
		return false;
	u64 bits = front_read_reg(gpu_front(g), w->sm, w->warp, w->lane, r->at, r->type);
	memcpy(w->now, &bits, sizeof bits);
	return true;
}

static bool read_shared(struct data_watch *w, struct gpu *g)
{
	u32 n;
	/* front_shared() hands out a pointer to write through; nothing is written here. */
	const u8 *p = front_shared((struct front *)gpu_front(g), w->sm, w->slot, &n);
	if (!p || w->addr > n || w->bytes > n - w->addr)
		return false;
	memcpy(w->now, p + w->addr, w->bytes);
	return true;
}

static bool read_value(struct data_watch *w, struct gpu *g)
{
	switch (w->kind) {
	case DATA_REGISTER: return read_register(w, g);
	case DATA_SHARED: return read_shared(w, g);
	case DATA_GLOBAL: return devmem_read(gpu_devmem(g), w->addr, w->now, w->bytes, NULL);
	}
	return false;
}

void data_watch_bind(struct data_watch *w, struct gpu *g)
{
	bool there = w->kind == DATA_GLOBAL || (w->kind == DATA_SHARED ? cta_there(w, g) : warp_there(w, g));
	w->live = there && read_value(w, g);
	w->changed = w->ended = false;
	w->writer = (struct data_writer){0};
	if (w->live)
		memcpy(w->old, w->now, w->bytes);
}

static bool differs(struct data_watch *w, struct gpu *g)
{
	if (!read_value(w, g))
		return false;
	if (!w->live) {
		memcpy(w->old, w->now, w->bytes);
		w->live = true;
	}
	return memcmp(w->old, w->now, w->bytes) != 0;
}

/* --- making --- */

static void make(struct data_watch *w, enum data_kind kind, u32 bytes)
{
	*w = (struct data_watch){.kind = kind, .launch = -1, .cta = -1, .bytes = bytes};
	w->old = xcalloc(2, MAX(bytes, 8u));
	w->now = w->old + MAX(bytes, 8u);
}

void data_watch_release(struct data_watch *w)
{
	free(w->old);
	w->old = w->now = NULL;
}

bool data_watch_register(struct data_watch *w, struct gpu *g, u32 sm, u32 warp, u32 lane, const char *name,
                         struct err *e)
{
	struct warp_info x;
	gpu_warp_info(g, sm, warp, &x);
	const struct module *m = x.state == WS_NONE ? NULL : module_of_launch(g, x.launch);
	if (!m || x.pc == PC_DONE)
		return err_set(e, "%.40s: SM %u warp %u is empty or has exited: no registers", name, sm, warp);
	const struct regname *r = reg_find(m, x.pc, name);
	if (!r || strlen(name) >= sizeof w->name)
		return err_set(e, "the focused kernel has no register '%.40s'", name);
	make(w, DATA_REGISTER, 8);
	snprintf(w->name, sizeof w->name, "%s", name);
	w->sm = sm;
	w->warp = warp;
	w->lane = lane;
	w->launch = x.launch;
	w->cta = (s64)x.cta;
	w->type = r->type;
	w->func = r->func;
	w->depth = call_depth(g, sm, warp);
	data_watch_bind(w, g);
	return true;
}

static bool check_size(u32 bytes, struct err *e)
{
	return (bytes && bytes <= DATA_WATCH_MAX) ||
	       err_set(e, "watch: 1 to %u bytes are possible, not %u", DATA_WATCH_MAX, bytes);
}

bool data_watch_global(struct data_watch *w, struct gpu *g, u64 addr, u32 bytes, struct err *e)
{
	u8 probe[DATA_WATCH_MAX];
	if (!check_size(bytes, e) || !devmem_read(gpu_devmem(g), addr, probe, bytes, e))
		return false;
	make(w, DATA_GLOBAL, bytes);
	w->addr = addr;
	data_watch_bind(w, g);
	return true;
}

bool data_watch_shared(struct data_watch *w, struct gpu *g, u32 sm, u32 warp, u64 offset, u32 bytes, struct err *e)
{
	struct warp_info x;
	u32 n = 0;
	gpu_warp_info(g, sm, warp, &x);
	if (x.state == WS_NONE || x.launch < 0)
		return err_set(e, "watch shared: SM %u warp %u is empty, so there is no CTA", sm, warp);
	if (!front_shared((struct front *)gpu_front(g), sm, x.cta_slot, &n))
		n = 0;
	if (!check_size(bytes, e))
		return false;
	if (offset > n || bytes > n - offset)
		return err_set(e, "watch shared: bytes %llu to %llu are outside the CTA's %u byte%s",
		               (unsigned long long)offset, (unsigned long long)offset + bytes - 1, n, plural(n));
	make(w, DATA_SHARED, bytes);
	w->sm = sm;
	w->warp = warp;
	w->slot = x.cta_slot;
	w->launch = x.launch;
	w->cta = (s64)x.cta;
	w->addr = offset;
	data_watch_bind(w, g);
	return true;
}

/* --- events --- */

event_set data_watch_mask(const struct data_watch *w)
{
	switch (w->kind) {
	case DATA_REGISTER: return EVENT(EV_ISSUE) | EVENT(EV_WARP_EXIT);
	case DATA_SHARED: return EVENT(EV_ISSUE) | EVENT(EV_CTA_DONE);
	case DATA_GLOBAL: return EVENT(EV_ISSUE) | EVENT(EV_KERNEL_LAUNCH);
	}
	return 0;
}

static bool same_cta(const struct data_watch *w, const struct event *ev)
{
	return ev->sm == (s32)w->sm && ev->kernel == w->launch && ev->cta == w->cta;
}

static bool stores(const struct inst *in, enum space s)
{
	return (inst_is_store(in) || in->op == OP_ATOM || in->op == OP_RED || in->op == OP_MBARRIER) &&
	       (in->space == s || in->space == SPC_GENERIC);
}

/* Can the instruction that issued have changed what is watched? */
static bool concerns(const struct data_watch *w, struct gpu *g, const struct event *ev)
{
	const struct module *m;
	if (w->kind == DATA_REGISTER)
		return same_cta(w, ev) && ev->warp == (s32)w->warp;
	if (w->kind == DATA_SHARED && !same_cta(w, ev))
		return false;
	m = gpu_launched(g, (u32)ev->kernel)->mod;
	return stores(&m->code[ev->pc], w->kind == DATA_SHARED ? SPC_SHARED : SPC_GLOBAL);
}

static bool writes_register(const struct data_watch *w, const struct module *m, u32 pc)
{
	const struct inst *in = &m->code[pc];
	for (u32 i = 0; i < inst_ndst(in); i++) {
		const struct regname *r = reg_of_operand(m, pc, inst_dst(in, i));
		if (r && !strcmp(r->name, w->name))
			return true;
	}
	return false;
}

/* Does a lane of the store cover [from, to)? Base registers are as they were, unless the instruction beside it wrote
 * them: then no lane is found. */
static bool covering_lane(struct gpu *g, const struct inst *in, const struct event *ev, u64 from, u64 to, u32 *lane)
{
	u32 bytes = ptype_bytes((enum ptype)in->type) * MAX(in->vec, 1u);
	enum ptype base = in->base_bytes == 4 ? T_U32 : T_U64;
	FOR_EACH_BIT(l, ev->arg[1])
	{
		u64 a = (u64)in->imm;
		if (in->s[0] != OPND_NONE)
			a += front_read_reg(gpu_front(g), (u32)ev->sm, (u32)ev->warp, (u32)l, in->s[0], base);
		if (a < to && from < a + bytes) {
			*lane = (u32)l;
			return true;
		}
	}
	return false;
}

/* The first and the last changed byte. */
static void changed_range(const struct data_watch *w, u32 *first, u32 *end)
{
	*first = 0;
	while (*first < w->bytes && w->old[*first] == w->now[*first])
		(*first)++;
	*end = w->bytes;
	while (*end > *first && w->old[*end - 1] == w->now[*end - 1])
		(*end)--;
}

/* The instruction that wrote: one whose address says so, the latest of them; else the first that may have. */
static void attribute(struct data_watch *w, struct gpu *g, const struct event *ev)
{
	const struct module *m = gpu_launched(g, (u32)ev->kernel)->mod;
	bool sure = false;
	u32 lane = w->lane, first, end;
	if (w->kind == DATA_REGISTER) {
		sure = writes_register(w, m, ev->pc);
	} else {
		changed_range(w, &first, &end);
		sure = covering_lane(g, &m->code[ev->pc], ev, w->addr + first, w->addr + end, &lane);
	}
	if (w->writer.known && !sure)
		return;
	w->writer = (struct data_writer){.known = true,
	                                 .lane_known = sure,
	                                 .sm = (u32)ev->sm,
	                                 .warp = (u32)ev->warp,
	                                 .lane = lane,
	                                 .pc = ev->pc,
	                                 .launch = ev->kernel,
	                                 .cta = ev->cta};
}

static bool over(const struct data_watch *w, const struct event *ev)
{
	if (w->kind == DATA_REGISTER)
		return ev->type == EV_WARP_EXIT && same_cta(w, ev) && ev->warp == (s32)w->warp;
	return w->kind == DATA_SHARED && ev->type == EV_CTA_DONE && same_cta(w, ev);
}

bool data_watch_event(struct data_watch *w, struct gpu *g, const struct event *ev)
{
	if (over(w, ev))
		return w->ended = true;
	if (ev->type == EV_KERNEL_LAUNCH) { /* the host program had its turn before */
		bool by_host = !w->changed && differs(w, g);
		w->changed |= by_host;
		w->changed_at = by_host ? ev->cycle : w->changed_at;
		return by_host;
	}
	if (ev->type != EV_ISSUE || !concerns(w, g, ev))
		return false;
	if (!w->changed && !differs(w, g))
		return false;
	if (!w->changed)
		w->changed_at = ev->cycle;
	w->changed = true;
	if (w->changed_at == ev->cycle)
		attribute(w, g, ev);
	return true;
}

bool data_watch_look(struct data_watch *w, struct gpu *g)
{
	if (w->kind == DATA_GLOBAL && !w->changed && w->live) {
		if (!read_value(w, g))
			w->ended = true; /* freed */
		else
			w->changed = memcmp(w->old, w->now, w->bytes) != 0;
	}
	return w->changed || w->ended;
}

void data_watch_taken(struct data_watch *w)
{
	memcpy(w->old, w->now, w->bytes);
	w->changed = false;
	w->writer = (struct data_writer){0};
}

/* --- as text --- */

static void word_text(const u8 *p, u32 bytes, struct strbuf *out)
{
	u64 v = 0;
	memcpy(&v, p, bytes);
	strbuf_addf(out, "0x%0*llx (%llu", (int)(2 * bytes), (unsigned long long)v, (unsigned long long)v);
	if (bytes == 4 && (v >> 23 & 0xff) > 0x60 && (v >> 23 & 0xff) < 0xa0) { /* as a float it is a plausible number */
		strbuf_adds(out, ", ");
		value_text(T_F32, v, out);
	}
	strbuf_addc(out, ')');
}

static bool one_word(const struct data_watch *w)
{
	return w->bytes == 1 || w->bytes == 2 || w->bytes == 4 || w->bytes == 8;
}

static void text_at(const struct data_watch *w, const u8 *from, u32 at, struct strbuf *out)
{
	u64 bits;
	if (w->kind == DATA_REGISTER) {
		memcpy(&bits, from, sizeof bits);
		value_text(w->type, bits, out);
	} else {
		word_text(from + at, one_word(w) ? w->bytes : MIN(4u, w->bytes - at), out);
	}
}

void data_watch_value(const struct data_watch *w, struct strbuf *out)
{
	if (!w->live)
		strbuf_adds(out, "not there");
	else if (w->kind == DATA_REGISTER || one_word(w))
		text_at(w, w->old, 0, out);
	else
		strbuf_addf(out, "%u byte%s", w->bytes, plural(w->bytes));
}

void data_watch_change(const struct data_watch *w, struct strbuf *out)
{
	u32 first = 0, end;
	if (w->kind != DATA_REGISTER && !one_word(w)) {
		changed_range(w, &first, &end);
		first &= ~3u;
		strbuf_addf(out, "+%u: ", first);
	}
	text_at(w, w->old, first, out);
	strbuf_adds(out, " -> ");
	text_at(w, w->now, first, out);
}

void data_watch_writer(const struct data_watch *w, struct gpu *g, struct strbuf *out)
{
	const struct data_writer *x = &w->writer;
	if (!x->known)
		return;
	const struct launch *l = gpu_launched(g, (u32)x->launch);
	strbuf_addf(out, "%s by SM %u warp %u", x->lane_known ? "written" : "written, it seems,", x->sm, x->warp);
	if (x->lane_known)
		strbuf_addf(out, " lane %u", x->lane);
	strbuf_addf(out, ", CTA %d of %s, at ", x->cta, func_label(l->fn));
	line_place(l->mod, x->pc, out);
	strbuf_addf(out, " (pc %u)", x->pc);
}
