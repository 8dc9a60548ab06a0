/* A warp scheduler's choice. */
#include <stdio.h>

#include "obs/name/names.h"
#include "obs/why/why_choice.h"
#include "obs/why/why_text.h"

/* --- the order ---------------------------------------------------------------------------------------------------- */

/* A candidate's class: shown and eligible, shown and declined, not shown. */
static u32 class_of(const struct pick_look *l, u32 warp)
{
	const struct pick_claim *c = &l->claim[warp];
	return c->round == PICK_NOT_SHOWN ? 2 : c->rank == PICK_DECLINED ? 1 : 0;
}

static bool comes_before(const struct pick_look *l, u32 a, u32 b)
{
	const struct pick_claim *x = &l->claim[a], *y = &l->claim[b];
	if (class_of(l, a) != class_of(l, b))
		return class_of(l, a) < class_of(l, b);
	if (x->round != y->round)
		return x->round < y->round;
	if (x->rank != y->rank)
		return x->rank < y->rank;
	return a == l->picked && b != l->picked;
}

u32 why_pick_order(const struct pick_look *l, u8 order[WARP_SLOTS])
{
	u32 n = 0;
	FOR_EACH_BIT(w, l->ready)
	{
		u32 i = n++;
		for (; i && comes_before(l, (u32)w, order[i - 1]); i--)
			order[i] = order[i - 1];
		order[i] = (u8)w;
	}
	return n;
}

/* --- candidates --------------------------------------------------------------------------------------------------- */

static void tell_candidate(const struct gpu *g, const struct pick_look *l, u32 warp, u32 place, struct strbuf *out)
{
	const struct pick_claim *c = &l->claim[warp];
	const struct module *m = gpu_launched(g, l->launch[warp])->mod;
	struct strbuf at = STRBUF_INIT;
	char rank[12] = "-";
	if (class_of(l, warp) == 0 && c->rank != PICK_UNKNOWN)
		snprintf(rank, sizeof rank, "%u", place);
	line_place(m, l->pc[warp], &at);
	strbuf_addf(out, "%s %4s  %4u  %5llu  %-22.22s  ", warp == l->picked ? "  *" : "   ", rank, warp,
	            (unsigned long long)l->cta[warp], strbuf_str(&at));
	if (c->round == PICK_NOT_SHOWN)
		strbuf_adds(out, "not shown to the policy: a group before its own had one to issue");
	else
		strbuf_adds(out, c->text);
	if (class_of(l, warp) == 1)
		strbuf_adds(out, " (declined)");
	strbuf_addc(out, '\n');
	strbuf_release(&at);
}

static void tell_candidates(const struct gpu *g, const struct pick_look *l, struct strbuf *out)
{
	u8 order[WARP_SLOTS];
	const u32 n = why_pick_order(l, order);
	u32 round = UINT32_MAX;
	strbuf_addf(out, "candidates, %u that can issue%s:\n", n,
	            l->ordered ? "; the least rank is picked" : "; the policy does not say how it ranks them");
	strbuf_adds(out, "    rank  warp    CTA  next                    the policy says\n");
	for (u32 i = 0; i < n; i++) {
		const struct pick_claim *c = &l->claim[order[i]];
		if (l->rounds > 1 && c->round != round && c->round != PICK_NOT_SHOWN)
			strbuf_addf(out, "   %s%s:\n", c->round ? "then " : "first ", pick_group_names[l->round[c->round].group]);
		round = c->round;
		tell_candidate(g, l, order[i], i + 1, out);
	}
}

/* --- the others --------------------------------------------------------------------------------------------------- */

static void tell_group(const char *what, u64 warps, struct strbuf *out)
{
	if (!warps)
		return;
	strbuf_addf(out, "   %-28s", what);
	FOR_EACH_BIT(w, warps)
	strbuf_addf(out, " %u", (u32)w);
	strbuf_addc(out, '\n');
}

static void tell_others(const struct pick_look *l, struct strbuf *out)
{
	static const char *const units[UNIT_COUNT] = {"SP units", "INT units", "SFU", "DP units", "tensor units", "LSU"};
	const u64 others = l->used & ~l->ready;
	char text[60];
	if (!others) {
		strbuf_adds(out, l->used ? "all resident warps of the scheduler are candidates\n"
		                         : "the scheduler has no resident warps\n");
		return;
	}
	strbuf_addf(out, "no candidates, %u:\n", bit_count(others));
	for (u32 s = 0; s < WS_COUNT; s++) {
		u64 in = 0;
		FOR_EACH_BIT(w, others)
		in |= l->state[w] == s ? BIT(w) : 0;
		if (warp_state_is_ready((enum warp_state)s)) {
			snprintf(text, sizeof text, "ready, %s taken", units[s - WS_READY_SP]);
			tell_group(text, in, out);
		} else {
			tell_group(warp_state_descs[s].name, in, out);
		}
	}
}

void why_tell_pick(const struct gpu *g, u32 sm, const struct pick_look *l, struct strbuf *out)
{
	struct sm_info o;
	gpu_sm_info(g, sm, &o);
	strbuf_addf(out, "SM %u, scheduler %u, cycle %llu, %s: ", sm, l->scheduler, (unsigned long long)l->cycle,
	            gpu_conf(g)->warp_sched);
	if (l->seen && l->picked != NO_WARP) {
		const u32 launch = l->launch[l->picked];
		const struct module *m = gpu_launched(g, launch)->mod;
		struct kernel_info k;
		strbuf_addf(out, "warp %u was picked (CTA %llu of %s#%u), of %u\n", l->picked,
		            (unsigned long long)l->cta[l->picked], why_kernel(g, (s32)launch, &k), launch, bit_count(l->ready));
		strbuf_adds(out, "it issued ");
		line_place(m, l->pc[l->picked], out);
		strbuf_adds(out, "  ");
		line_text(m, l->pc[l->picked], out);
		strbuf_addc(out, '\n');
	} else {
		strbuf_addf(out, "nobody was picked; the slot was lost to: %s\n",
		            stall_descs[o.last_reason[l->scheduler]].name[TAX_BASE]);
	}
	if (*l->policy)
		strbuf_addf(out, "the policy before: %s\n", l->policy);
	if (l->seen)
		tell_candidates(g, l, out);
	tell_others(l, out);
}
