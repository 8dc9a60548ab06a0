/* info ctas: the CTAs of an SM, and those that have been taken off it. */
#include <stdio.h>
#include <stdlib.h>

#include "base/words.h"
#include "commands/commands.h"
#include "gpu/query_preempt.h"

static void away_row(const struct away_info *a, struct strbuf *out)
{
	char to[16] = "any";
	if (a->to != UINT32_MAX)
		snprintf(to, sizeof to, "%u", a->to);
	strbuf_addf(out, "        %-9llu  %-6u  %-11llu  %-11llu  %-9s  %s%s\n", (unsigned long long)a->cta, a->launch,
	            (unsigned long long)a->left_at, (unsigned long long)a->since, to, cta_state_descs[a->state].name,
	            a->restarts ? ", begins again" : "");
}

/* Those that were on this SM; of the others how many there are. */
static void ctas_away(const struct gpu *g, u32 sm, struct strbuf *out)
{
	const u32 all = gpu_ctas_away(g, -1, NULL, 0);
	struct away_info *a = xcalloc(MAX(all, 1u), sizeof *a);
	u32 here = 0;
	gpu_ctas_away(g, -1, a, all);
	for (u32 i = 0; i < all; i++) {
		if (a[i].sm != sm)
			continue;
		if (!here++)
			strbuf_addf(
			    out, "taken off SM %u:\n        CTA        kernel  it left in   state since  may go to  state\n", sm);
		away_row(&a[i], out);
	}
	free(a);
	if (all > here)
		strbuf_addf(out, "%u %sCTA%s %s been taken off other SMs.\n", all - here, here ? "more " : "",
		            plural(all - here), by_number(all - here, "has", "have"));
}

bool info_ctas(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	struct sm_info s;
	u32 sm, shown = 0;
	if (!arg_sm(d, args, &sm, e))
		return false;
	gpu_sm_info(g, sm, &s);
	u32 inactive[SM_CTA_PLACES];
	const u32 more = gpu_inactive_ctas(g, sm, inactive, SM_CTA_PLACES);
	for (u32 k = 0; k < s.max_ctas + more; k++) {
		const u32 i = k < s.max_ctas ? k : inactive[k - s.max_ctas];
		struct cta_info c;
		gpu_cta_info(g, sm, i, &c);
		if (!c.used)
			continue;
		char shared[32];
		snprintf(shared, sizeof shared, "%u+%u", c.shared_first, c.shared_size);
		if (!shown++)
			strbuf_addf(out, "  slot  CTA        (x,y,z)          kernel  warps done  age        insts      registers  "
			                 "    shared        state\n");
		char slot[16] = "-";
		if (k < s.max_ctas)
			snprintf(slot, sizeof slot, "%u", i);
		strbuf_addf(out, "%c %4s  %-9llu  (%u,%u,%u)%*s %-6u  %5u %4u  %-9llu  %-9llu  %u+%u  %-12s  %s",
		            (s32)i == d->focus.cta_slot && sm == d->focus.sm ? '*' : ' ', slot, (unsigned long long)c.cta,
		            c.id.x, c.id.y, c.id.z, 8, "", c.launch, bit_count(c.warps), bit_count(c.warps_done),
		            (unsigned long long)(gpu_cycle(g) - c.started_at), (unsigned long long)c.insts, c.reg_first,
		            c.reg_size, shared, cta_state_descs[c.is.state].name);
		const u32 by = gpu_leaves_by(g, sm, i);
		if (by < TECHNIQUES)
			strbuf_addf(out, ", to leave by %s", technique_names[by]);
		strbuf_addc(out, '\n');
	}
	if (!shown)
		strbuf_addf(out, "SM %u has no resident CTA.\n", sm);
	ctas_away(g, sm, out);
	return true;
}
