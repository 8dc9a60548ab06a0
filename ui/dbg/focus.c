#include "dbg/focus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "obs/name/names.h"

void debugger_refresh_focus(struct debugger *d)
{
	struct focus *f = &d->focus;
	f->kernel = -1;
	f->cta_slot = -1;
	f->cta = -1;
	if (!d->s->sim)
		return;
	struct warp_info w;
	gpu_warp_info(dbg_gpu(d), f->sm, f->warp, &w);
	if (w.state == WS_NONE || w.launch < 0)
		return;
	f->kernel = w.launch;
	f->picked_empty = false;
	f->cta_slot = (s32)w.cta_slot;
	f->cta = (s64)w.cta;
}

bool debugger_focus(struct debugger *d, u32 sm, u32 warp, struct err *e)
{
	u32 sms = gpu_conf(dbg_gpu(d))->num_sms, warps = gpu_warps_per_sm(dbg_gpu(d));
	if (sm >= sms)
		return err_set(e, "SM %u does not exist (0..%u)", sm, sms - 1);
	if (warp >= warps)
		return err_set(e, "warp slot %u does not exist (0..%u)", warp, warps - 1);
	if (d->focus.sm != sm || d->focus.warp != warp)
		d->focus_moves++;
	d->focus.sm = sm;
	d->focus.warp = warp;
	d->focus.picked_empty = true;
	debugger_refresh_focus(d);
	return true;
}

/* A resident warp of the SM, best one that has not exited, behind slot `after`; -1 = none. */
static s32 resident(struct gpu *g, u32 sm, u32 after)
{
	const u32 n = gpu_warps_per_sm(g);
	s32 exited = -1;
	for (u32 i = 0; i < n; i++) {
		const u32 warp = (after + i) % n;
		struct warp_info w;
		gpu_warp_info(g, sm, warp, &w);
		if (w.state != WS_NONE && w.launch >= 0 && w.pc != PC_DONE)
			return (s32)warp;
		if (w.state != WS_NONE && w.launch >= 0 && exited < 0)
			exited = (s32)warp;
	}
	return exited;
}

/* To a resident warp, of the same SM if it has one. */
static bool focus_resident(struct debugger *d)
{
	const u32 sms = gpu_conf(dbg_gpu(d))->num_sms, from = d->focus.sm;
	for (u32 i = 0; i < sms; i++) {
		const s32 warp = resident(dbg_gpu(d), (from + i) % sms, i ? 0 : d->focus.warp);
		if (warp >= 0)
			return debugger_focus(d, (from + i) % sms, (u32)warp, NULL);
	}
	return false;
}

bool debugger_settle_focus(struct debugger *d)
{
	return d->focus.cta_slot < 0 && !d->focus.picked_empty && focus_resident(d);
}

static bool has_exited(struct debugger *d)
{
	struct warp_info w;
	gpu_warp_info(dbg_gpu(d), d->focus.sm, d->focus.warp, &w);
	return w.state != WS_NONE && w.launch >= 0 && w.pc == PC_DONE;
}

bool debugger_focus_living(struct debugger *d, struct strbuf *out)
{
	const struct focus was = d->focus;
	const bool exited = has_exited(d);
	if (!exited && !debugger_settle_focus(d))
		return false;
	if (exited && (!focus_resident(d) || has_exited(d))) {
		d->focus = was;
		return false;
	}
	if (!d->report.brief)
		strbuf_addf(out, "SM %u warp %u %s; the focus goes to SM %u warp %u.\n", was.sm, was.warp,
		            exited ? "has exited" : "is empty", d->focus.sm, d->focus.warp);
	return true;
}

/* Cuts what was appended after byte `from` to so many columns, marked by "...". */
static void clip(struct strbuf *out, size_t from, u32 columns)
{
	if (out->len - from <= columns || columns < 4)
		return;
	size_t n = from + columns - 3;
	while (n > from && (out->buf[n] & 0xc0) == 0x80) /* not within a UTF-8 character */
		n--;
	out->len = n;
	strbuf_adds(out, "...");
}

/* What a small screen has room for; the rest is in its views. */
void place_turn_text(struct debugger *d, struct sim_place at, struct strbuf *out)
{
	if (sim_place_order(at, sim_rest(d->s->sim, at.cycle)))
		strbuf_addf(out, ", turn %u", at.turn);
}

/* "cycle 9000", where it is somewhere within its turns with the turn. */
static void cycle_text(struct debugger *d, struct strbuf *out)
{
	const struct sim_place at = sim_place(d->s->sim);
	strbuf_addf(out, "cycle %llu", (unsigned long long)at.cycle);
	place_turn_text(d, at, out);
}

static void brief_place(struct debugger *d, const struct warp_info *w, const struct kernel_info *k, struct strbuf *out)
{
	size_t from = out->len;
	cycle_text(d, out);
	strbuf_addf(out, ", SM %u warp %u, CTA %llu of %s: ", d->focus.sm, d->focus.warp, (unsigned long long)w->cta,
	            k->label);
	if (w->pc == PC_DONE || w->pc >= k->launch->mod->ncode) {
		strbuf_adds(out, warp_state_descs[w->state].name);
	} else {
		strbuf_addf(out, "%u ", module_pc_line(k->launch->mod, w->pc));
		line_text(k->launch->mod, w->pc, out);
	}
	clip(out, from, d->report.brief);
	strbuf_addc(out, '\n');
}

void debugger_show_place(struct debugger *d, struct strbuf *out)
{
	struct warp_info w;
	struct kernel_info k;
	const struct focus *f = &d->focus;
	struct gpu *g = dbg_gpu(d);
	gpu_warp_info(g, f->sm, f->warp, &w);
	if (w.state == WS_NONE || w.launch < 0) {
		cycle_text(d, out);
		strbuf_addf(out, ", SM %u warp %u: empty\n", f->sm, f->warp);
		return;
	}
	gpu_kernel_info(g, (u32)w.launch, &k);
	if (d->report.brief) {
		brief_place(d, &w, &k, out);
		return;
	}
	cycle_text(d, out);
	strbuf_addf(out, ", SM %u warp %u, CTA %llu of %s, lane %u: %s", f->sm, f->warp, (unsigned long long)w.cta, k.label,
	            f->lane, warp_state_descs[w.state].name);
	if (*w.waits)
		strbuf_addf(out, " (%s)", w.waits);
	strbuf_addc(out, '\n');
	if (w.pc == PC_DONE || w.pc >= k.launch->mod->ncode)
		return;
	strbuf_addf(out, "%u\t", module_pc_line(k.launch->mod, w.pc));
	line_text(k.launch->mod, w.pc, out);
	strbuf_addc(out, '\n');
}
