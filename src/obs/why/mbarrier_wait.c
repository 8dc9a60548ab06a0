#include "obs/why/mbarrier_wait.h"

#include "base/words.h"
#include "obs/why/why_text.h"

static void tell_state(const struct mbarrier_info *b, struct strbuf *out)
{
	strbuf_addf(out, "mbarrier at 0x%x of its CTA's shared memory: phase %u, %u of %u arrival%s missing", b->addr,
	            b->phase, b->pending, b->expected, plural(b->expected));
	if (b->tx)
		strbuf_addf(out, ", %d bytes to come", b->tx);
	if (mbarrier_untouched(b))
		strbuf_adds(out, "; nobody has arrived since mbarrier.init");
	strbuf_addc(out, '\n');
}

/* Warps of the CTA that could still arrive: those that run, or wait for something else. */
static u64 others(const struct gpu *g, u32 sm, const struct cta_info *c)
{
	u64 out = 0;
	FOR_EACH_BIT(i, c->warps & ~c->warps_done)
	{
		struct mbarrier_wait at;
		struct warp_info w;
		gpu_warp_info(g, sm, (u32)i, &w);
		if (w.state != WS_DONE && !gpu_mbarrier_wait(g, sm, (u32)i, &at))
			out |= BIT(i);
	}
	return out;
}

static bool copies_under_way(const struct gpu *g, u32 sm, u32 slot)
{
	struct copies_view c[256];
	const u32 n = gpu_copies(g, sm, c, ARRAY_LEN(c));
	for (u32 i = 0; i < MIN(n, (u32)ARRAY_LEN(c)); i++)
		if (c[i].cta_place == slot)
			return true;
	return n > ARRAY_LEN(c);
}

void mbarrier_tell_at(const struct gpu *g, u32 sm, u32 slot, u64 addr, struct strbuf *out, u32 depth)
{
	struct mbarrier_view b[256];
	const u32 n = MIN(gpu_mbarriers(g, sm, slot, b, ARRAY_LEN(b)), (u32)ARRAY_LEN(b));
	for (u32 i = 0; i < n; i++)
		if (b[i].is.addr == addr) {
			why_indent(out, depth);
			tell_state(&b[i].is, out);
		}
}

void mbarrier_tell_wait(const struct gpu *g, u32 sm, u32 warp, const struct warp_info *w, struct strbuf *out, u32 depth)
{
	struct mbarrier_wait at;
	struct cta_info c;
	if (!gpu_mbarrier_wait(g, sm, warp, &at))
		return;
	why_indent(out, depth);
	strbuf_adds(out, "waits at the ");
	tell_state(&at.at, out);
	gpu_cta_info(g, sm, w->cta_slot, &c);
	const u64 left = others(g, sm, &c);
	why_indent(out, depth);
	if (left) {
		strbuf_adds(out, "warps of the CTA that could arrive:");
		FOR_EACH_BIT(i, left)
		strbuf_addf(out, " %u", (u32)i);
		strbuf_addc(out, '\n');
	} else {
		strbuf_adds(out, copies_under_way(g, sm, w->cta_slot)
		                     ? "no other warp of the CTA could arrive, but copies are under way\n"
		                     : "all warps of the CTA that are left wait at mbarriers, and no copy is under way: the "
		                       "phase never ends\n");
	}
}
