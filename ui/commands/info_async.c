/* info mbarriers, info copies: what waits and what is under way inside shared memory. */
#include "base/words.h"
#include "commands/commands.h"
#include "gpu/query_mbarrier.h"
#include "obs/name/names.h"

static void mbarrier_row(const struct cta_info *c, const struct mbarrier_view *b, struct strbuf *out)
{
	strbuf_addf(out, "%-7llu  0x%-6x  %5u  %6u  %7u of %-7u  %8d ", (unsigned long long)c->cta, b->is.addr, b->is.phase,
	            b->is.phase & 1, b->is.pending, b->is.expected, b->is.tx);
	FOR_EACH_BIT(w, b->waiting) strbuf_addf(out, " %u", (u32)w);
	if (mbarrier_untouched(&b->is))
		strbuf_adds(out, b->waiting ? "  (nobody has arrived since init)" : " -");
	else if (!b->waiting)
		strbuf_adds(out, " -");
	strbuf_addc(out, '\n');
}

bool info_mbarriers(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	u32 sm, shown = 0, place[GPU_CTAS_MAX];
	if (!arg_sm(d, args, &sm, e))
		return false;
	const u32 ctas = gpu_ctas(g, sm, place, GPU_CTAS_MAX);
	for (u32 k = 0; k < ctas; k++) {
		struct mbarrier_view b[256];
		struct cta_info c;
		gpu_cta_info(g, sm, place[k], &c);
		const u32 n = gpu_mbarriers(g, sm, place[k], b, ARRAY_LEN(b));
		for (u32 i = 0; i < MIN(n, (u32)ARRAY_LEN(b)); i++) {
			if (!shown++)
				strbuf_adds(out, "CTA      address   phase  parity  pending arrivals   bytes to come  waiting warps\n");
			mbarrier_row(&c, &b[i], out);
		}
		if (n > ARRAY_LEN(b))
			strbuf_addf(out, "... and %u more of CTA %llu\n", n - (u32)ARRAY_LEN(b), (unsigned long long)c.cta);
	}
	if (!shown)
		strbuf_addf(out, "No CTA of SM %u has an mbarrier.\n", sm);
	return true;
}

bool info_copies(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	struct copies_view c[256];
	u32 sm;
	if (!arg_sm(d, args, &sm, e))
		return false;
	const u32 n = gpu_copies(g, sm, c, ARRAY_LEN(c));
	if (!n)
		strbuf_addf(out, "SM %u has no copy by cp.async under way.\n", sm);
	else
		strbuf_adds(out, "warp  CTA      group  state      copies left  bytes   since       cycles  first copy\n");
	for (u32 i = 0; i < MIN(n, (u32)ARRAY_LEN(c)); i++) {
		struct cta_info cta;
		gpu_cta_info(g, sm, c[i].cta_place, &cta);
		const struct module *m = module_of_launch(g, (s32)cta.launch);
		strbuf_addf(out, "%4u  %-7llu  %5u  %-9s  %11u  %-6u  %-10llu  %6llu  ", c[i].warp, (unsigned long long)cta.cta,
		            c[i].group, c[i].open ? "open" : "committed", c[i].left, c[i].bytes, (unsigned long long)c[i].since,
		            (unsigned long long)(gpu_cycle(g) - c[i].since));
		if (m && c[i].pc < m->ncode)
			line_place(m, c[i].pc, out);
		if (c[i].arrivals)
			strbuf_addf(out, "; then %u thread%s arrive%s at an mbarrier", c[i].arrivals, plural(c[i].arrivals),
			            by_number(c[i].arrivals, "s", ""));
		strbuf_addc(out, '\n');
	}
	if (n > ARRAY_LEN(c))
		strbuf_addf(out, "... and %u more\n", n - (u32)ARRAY_LEN(c));
	return true;
}
