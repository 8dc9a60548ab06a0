/* why cta N: where a CTA is, and what it waits for: on an SM, there without a slot, taken off, not begun, ended. */
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "gpu/query_preempt.h"
#include "gpu/query_slotless.h"
#include "obs/name/names.h"
#include "obs/why/why.h"
#include "obs/why/why_text.h"

struct subject {
	struct gpu *g;
	u32 launch, sm, place;
	u64 cta;
	struct cta_info is;
};

static bool find_on_sms(struct subject *s)
{
	for (s->sm = 0; s->sm < gpu_conf(s->g)->num_sms; s->sm++) {
		u32 place[GPU_CTAS_MAX];
		const u32 n = gpu_ctas(s->g, s->sm, place, GPU_CTAS_MAX);
		for (u32 i = 0; i < n; i++) {
			gpu_cta_info(s->g, s->sm, place[i], &s->is);
			if (s->is.launch == s->launch && s->is.cta == s->cta) {
				s->place = place[i];
				return true;
			}
		}
	}
	return false;
}

/* --- warps in slots: those that stand at the same instruction for the same reason are told once --- */

struct group {
	u32 n, warp; /* how many, and the first */
	struct warp_info is;
};

static void tell_group(const struct subject *s, const struct group *k, struct strbuf *out)
{
	const struct module *m = module_of_launch(s->g, k->is.launch);
	strbuf_addf(out, "  %u warp%s: %s", k->n, plural(k->n), warp_state_descs[k->is.state].name);
	if (k->is.pc != PC_DONE) {
		strbuf_adds(out, ", next is ");
		line_place(m, k->is.pc, out);
		strbuf_adds(out, "  ");
		line_text(m, k->is.pc, out);
	}
	if (*k->is.waits && k->n == 1)
		strbuf_addf(out, " (%s)", k->is.waits);
	else if (*k->is.waits)
		strbuf_addf(out, " (warp %u: %s)", k->warp, k->is.waits);
	strbuf_addc(out, '\n');
}

static void tell_warps(const struct subject *s, struct strbuf *out)
{
	struct group group[WARP_SLOTS];
	u32 n = 0;
	FOR_EACH_BIT(w, s->is.warps)
	{
		struct warp_info info;
		u32 i = 0;
		gpu_warp_info(s->g, s->sm, (u32)w, &info);
		while (i < n && (group[i].is.state != info.state || group[i].is.pc != info.pc))
			i++;
		if (i == n)
			group[n++] = (struct group){.warp = (u32)w, .is = info};
		group[i].n++;
	}
	for (u32 i = 0; i < n; i++)
		tell_group(s, &group[i], out);
}

static void tell_in_slot(const struct subject *s, struct strbuf *out)
{
	const u32 by = gpu_leaves_by(s->g, s->sm, s->place);
	strbuf_addf(out, "is on SM %u in slot %u: %s", s->sm, s->place, cta_state_descs[s->is.is.state].name);
	if (s->is.is.state != CS_RUNNING)
		strbuf_addf(out, " since cycle %llu", (unsigned long long)s->is.is.since);
	if (s->is.is.until && s->is.is.until != NEVER)
		strbuf_addf(out, " until cycle %llu", (unsigned long long)s->is.is.until);
	if (by < TECHNIQUES)
		strbuf_addf(out, ", and is to leave it by %s", technique_names[by]);
	strbuf_addc(out, '\n');
	tell_warps(s, out);
}

/* --- without a slot --- */

static void tell_slotless_group(const struct subject *s, const struct slotless_warp *w, u32 n, u32 results,
                                u32 transactions, struct strbuf *out)
{
	const struct module *m = module_of_launch(s->g, (s32)s->launch);
	strbuf_addf(out, "  %u warp%s: ", n, plural(n));
	if (w->pc == PC_DONE)
		strbuf_adds(out, "exited");
	else if (w->load != PC_DONE) {
		strbuf_addf(out, "%u result%s under way, of ", results, plural(results));
		line_place(m, w->load, out);
		strbuf_adds(out, "  ");
		line_text(m, w->load, out);
	} else if (results) {
		strbuf_addf(out, "%u result%s under way", results, plural(results));
	} else {
		strbuf_adds(out, "nothing under way, next is ");
		line_place(m, w->pc, out);
		strbuf_adds(out, "  ");
		line_text(m, w->pc, out);
	}
	if (w->barrier)
		strbuf_addf(out, ", at barrier %u", w->barrier - 1);
	if (transactions)
		strbuf_addf(out, " (%u transaction%s in flight)", transactions, plural(transactions));
	strbuf_addc(out, '\n');
}

static bool alike(const struct slotless_warp *a, const struct slotless_warp *b)
{
	return (a->pc == PC_DONE) == (b->pc == PC_DONE) && a->load == b->load && a->barrier == b->barrier &&
	       !a->results == !b->results && (a->load != PC_DONE || a->results || a->pc == b->pc);
}

static void tell_slotless_warps(const struct subject *s, struct strbuf *out)
{
	struct slotless_warp warp[WARP_SLOTS];
	const u32 n = gpu_slotless_warps(s->g, s->sm, s->place, warp, WARP_SLOTS);
	bool told[WARP_SLOTS] = {false};
	for (u32 i = 0; i < n; i++) {
		u32 same = 0, results = 0, transactions = 0;
		for (u32 k = i; k < n; k++) {
			if (told[k] || !alike(&warp[i], &warp[k]))
				continue;
			told[k] = true;
			same++;
			results += warp[k].results;
			transactions += warp[k].transactions;
		}
		if (same)
			tell_slotless_group(s, &warp[i], same, results, transactions, out);
	}
}

static void tell_slotless(const struct subject *s, struct strbuf *out)
{
	struct slotless_info vt;
	gpu_slotless(s->g, s->sm, s->place, &vt);
	strbuf_addf(out, "is on SM %u without a slot: %s since cycle %llu", s->sm, cta_state_descs[s->is.is.state].name,
	            (unsigned long long)s->is.is.since);
	if (s->is.is.state == CS_READY)
		strbuf_addf(out, ": it gets the slots of the next CTA that stalls%s", vt.before ? "" : ", before all others");
	if (s->is.is.state == CS_READY && vt.before)
		strbuf_addf(out, ", behind %u other%s that %s been ready longer", vt.before, plural(vt.before),
		            by_number(vt.before, "has", "have"));
	if (s->is.is.state != CS_READY && vt.waits)
		strbuf_addf(out,
		            vt.ending ? ": its stores have to be acknowledged" : ": it waits for %u result%s, then for slots",
		            vt.waits, plural(vt.waits));
	strbuf_addc(out, '\n');
	tell_slotless_warps(s, out);
}

/* --- on no SM --- */

static bool find_away(const struct subject *s, struct away_info *out)
{
	const u32 all = gpu_ctas_away(s->g, (s32)s->launch, NULL, 0);
	struct away_info *a = xcalloc(MAX(all, 1u), sizeof *a);
	bool found = false;
	gpu_ctas_away(s->g, (s32)s->launch, a, all);
	for (u32 i = 0; i < all && !found; i++)
		if ((found = a[i].cta == s->cta))
			*out = a[i];
	free(a);
	return found;
}

static void tell_away(const struct subject *s, const struct away_info *a, struct strbuf *out)
{
	const u64 now = gpu_cycle(s->g);
	strbuf_addf(out, "is on no SM: it was taken off SM %u in cycle %llu, %llu cycle%s ago, and is %s", a->sm,
	            (unsigned long long)a->left_at, (unsigned long long)(now - a->left_at), plural(now - a->left_at),
	            cta_state_descs[a->state].name);
	if (a->state == CS_QUEUED && a->to == UINT32_MAX)
		strbuf_adds(out, ": it waits for room on any SM");
	else if (a->state == CS_QUEUED)
		strbuf_addf(out, ": it waits for room on SM %u", a->to);
	else if (a->state == CS_LEAVING)
		strbuf_adds(out, ": what its warps have under way comes first");
	else if (a->state == CS_SAVED)
		strbuf_addf(out, ": `restore cta %llu kernel=%u` brings it back", (unsigned long long)s->cta, s->launch);
	if (a->restarts)
		strbuf_adds(out, "; it begins again with its first instruction");
	strbuf_addc(out, '\n');
	if (a->state == CS_QUEUED)
		why_kernel_waits(s->g, s->launch, out);
}

static void tell_not_there(const struct subject *s, const struct kernel_info *k, enum why_known known,
                           struct strbuf *out)
{
	if (known == WHY_ENDED || k->state == KS_DONE || k->done == k->launch->ctas) {
		strbuf_adds(out, "has ended\n");
		return;
	}
	if (known == WHY_NOT_KNOWN && k->dispatched) {
		strbuf_adds(out, "is on no SM: it has ended or has not begun (what was noted of it is forgotten)\n");
		return;
	}
	strbuf_addf(out, "has not begun: %llu of %llu CTAs have\n", (unsigned long long)k->dispatched,
	            (unsigned long long)k->launch->ctas);
	why_kernel_waits(s->g, s->launch, out);
}

void why_cta(struct gpu *g, u32 launch, u64 cta, enum why_known known, struct strbuf *out)
{
	struct subject s = {.g = g, .launch = launch, .cta = cta};
	struct kernel_info k;
	struct away_info a;
	strbuf_addf(out, "CTA %llu of %s#%u ", (unsigned long long)cta, why_kernel(g, (s32)launch, &k), launch);
	if (find_away(&s, &a))
		tell_away(&s, &a, out);
	else if (!find_on_sms(&s))
		tell_not_there(&s, &k, known, out);
	else if (cta_state_slotless(s.is.is.state))
		tell_slotless(&s, out);
	else
		tell_in_slot(&s, out);
}
