#include "obs/why/kept.h"

#include "base/words.h"
#include "obs/why/why_text.h"

#define TOLD_MAX 6
#define AWAY_MAX 256

/* "paused since cycle 812 (`resume cta 20 kernel=0` ends it)" */
static void tell_state(enum cta_state state, u64 since, u64 until, u64 cta, u32 launch, struct strbuf *out)
{
	const struct cta_state_desc *d = &cta_state_descs[state];
	strbuf_addf(out, "%s since cycle %llu", d->name, (unsigned long long)since);
	if (until)
		strbuf_addf(out, ", until cycle %llu", (unsigned long long)until);
	if (state == CS_MOVING)
		strbuf_adds(out, until ? ": preemption moves a context" : ": preemption sends a context through memory");
	if (*d->undo)
		strbuf_addf(out, " (`%s cta %llu kernel=%u` ends it)", d->undo, (unsigned long long)cta, launch);
}

static bool is_stopped(const struct cta_info *c)
{
	return c->used && (c->is.state == CS_PAUSED || c->is.state == CS_HALTED);
}

static void tell_sm(const struct gpu *g, u32 sm, struct strbuf *out, u32 depth)
{
	u32 all = 0, stopped = 0;
	for (u32 slot = 0; slot < gpu_conf(g)->sm_ctas; slot++) {
		struct cta_info c;
		gpu_cta_info(g, sm, slot, &c);
		all += c.used;
		stopped += is_stopped(&c);
	}
	if (!stopped || stopped < all)
		return;
	why_indent(out, depth);
	strbuf_addf(out, "so %s all %u CTA%s of SM %u: nothing issues there\n", by_number(all, "is", "are"), all,
	            plural(all), sm);
}

void kept_tell_warp(const struct gpu *g, u32 sm, const struct warp_info *w, struct strbuf *out, u32 depth)
{
	struct cta_info c;
	gpu_cta_info(g, sm, w->cta_slot, &c);
	if (c.is.state == CS_SWAP_IN) {
		why_indent(out, depth);
		strbuf_addf(out,
		            "its CTA %llu has got slots in cycle %llu: its context comes from shared memory until cycle %llu\n",
		            (unsigned long long)c.cta, (unsigned long long)c.is.since, (unsigned long long)c.is.until);
	}
	if (!is_stopped(&c) && c.is.state != CS_MOVING)
		return;
	why_indent(out, depth);
	strbuf_addf(out, "its CTA %llu is ", (unsigned long long)c.cta);
	tell_state(c.is.state, c.is.since, c.is.until, c.cta, c.launch, out);
	strbuf_addc(out, '\n');
	tell_sm(g, sm, out, depth);
}

static void tell_one(const struct gpu *g, u32 launch, u64 cta, struct strbuf *out, u32 depth)
{
	struct kernel_info k;
	why_indent(out, depth);
	strbuf_addf(out, "CTA %llu of %s#%u", (unsigned long long)cta, why_kernel(g, (s32)launch, &k), launch);
}

static u32 tell_on_sms(const struct gpu *g, s32 launch, struct strbuf *out, u32 depth)
{
	u32 n = 0;
	for (u32 sm = 0; sm < gpu_conf(g)->num_sms; sm++)
		for (u32 slot = 0; slot < gpu_conf(g)->sm_ctas; slot++) {
			struct cta_info c;
			gpu_cta_info(g, sm, slot, &c);
			if (!is_stopped(&c) || (launch >= 0 && c.launch != (u32)launch) || n++ >= TOLD_MAX)
				continue;
			tell_one(g, c.launch, c.cta, out, depth);
			strbuf_addf(out, " on SM %u is ", sm);
			tell_state(c.is.state, c.is.since, c.is.until, c.cta, c.launch, out);
			strbuf_addc(out, '\n');
		}
	return n;
}

void kept_tell(const struct gpu *g, s32 launch, struct strbuf *out, u32 depth)
{
	struct away_info away[AWAY_MAX];
	u32 n = tell_on_sms(g, launch, out, depth), there = gpu_ctas_away(g, launch, away, AWAY_MAX);
	for (u32 i = 0; i < MIN(there, (u32)AWAY_MAX); i++) {
		const struct away_info *a = &away[i];
		if (n++ >= TOLD_MAX)
			continue;
		tell_one(g, a->launch, a->cta, out, depth);
		strbuf_addf(out, ", which was on SM %u, is ", a->sm);
		tell_state(a->state, a->since, 0, a->cta, a->launch, out);
		if (a->state == CS_QUEUED && a->to == UINT32_MAX)
			strbuf_adds(out, ": it waits for room on any SM");
		else if (a->state == CS_QUEUED)
			strbuf_addf(out, ": it waits for room on SM %u", a->to);
		strbuf_addc(out, '\n');
	}
	if (n <= TOLD_MAX)
		return;
	why_indent(out, depth);
	strbuf_addf(out, "... and %u more CTA%s that %s paused, halted or saved\n", n - TOLD_MAX, plural(n - TOLD_MAX),
	            by_number(n - TOLD_MAX, "is", "are"));
}

bool kept_any(const struct gpu *g)
{
	const struct cta_tally t = gpu_cta_tally(g, -1);
	return t.paused || t.saved;
}
