/* follow: the way of the followed request in words. */
#include "dbg/follow.h"

#include <string.h>

#include "base/words.h"
#include "mem/mem.h"
#include "obs/name/names.h"

static const char *number(u64 v)
{
	static char text[4][GROUPED_MAX];
	static u32 turn;
	return grouped(v, text[turn = (turn + 1) % 4]);
}

static const char *cache_name(u32 cache)
{
	static const char *const names[MC_COUNT] = {"L1I", "L1D", "L1C", "L1T"};
	return names[cache];
}

static void place(struct debugger *d, u32 kernel, u32 pc, struct strbuf *out)
{
	const struct module *m = module_of_launch(dbg_gpu(d), (s32)kernel);
	if (m)
		line_place(m, pc, out);
}

/* --- notes: what is to be said of a hop, in pieces ------------------------------------------------------------------ */
struct notes {
	struct debugger *d;
	struct strbuf *out;
	const char *between;
	u64 now;
	u32 sm;
};

static struct strbuf *piece(struct notes *n)
{
	strbuf_adds(n->out, n->between);
	n->between = "; ";
	return n->out;
}

static void who(struct notes *n, const struct way_who *w)
{
	if (w->issued == NEVER) {
		strbuf_addf(n->out, w->code ? "an instruction fetch of SM %u" : "another access of SM %u", w->sm);
		return;
	}
	strbuf_addf(n->out, "warp %u's load", w->warp);
	if (w->sm != n->sm)
		strbuf_addf(n->out, " on SM %u", w->sm);
	strbuf_adds(n->out, " at ");
	place(n->d, w->kernel, w->pc, n->out);
	strbuf_addf(n->out, " (issued in cycle %s)", number(w->issued));
}

/* Refusals up to now; since: the one that is still going on, for `reason`. */
static void refusals(struct notes *n, const u64 refused[WAY_REASONS], u64 since, u32 reason, u32 tries)
{
	u64 sum[WAY_REASONS], all = 0;
	memcpy(sum, refused, sizeof sum);
	if (since < n->now)
		sum[reason] += n->now - since;
	for (u32 i = 0; i < WAY_REASONS; i++) {
		all += sum[i];
		if (sum[i])
			strbuf_addf(piece(n), "%s for %s cycle%s", way_reason_names[i], number(sum[i]), plural(sum[i]));
	}
	if (all && tries)
		strbuf_addf(n->out, " (refused %u time%s)", tries, plural(tries));
}

static void past_l1(struct notes *n, const struct way *w, const struct way_txn *t)
{
	const char *cache = cache_name(w->cache);
	if (t->hit) {
		strbuf_addf(piece(n), "%s hit", cache);
	} else if (t->merged) {
		strbuf_addf(piece(n), "%s miss, merged with the fetch of ", cache);
		who(n, &t->fetch->who);
	} else if (t->fetch && w->op == MO_ATOMIC && t->fetch->op == MO_ATOMIC) {
		strbuf_addf(piece(n), "an atomic: its slice executes it");
	} else {
		strbuf_addf(piece(n), "%s miss", cache);
	}
}

static void past_l2(struct notes *n, const struct way_fetch *f)
{
	if (f->owner && !f->l2_hit && !f->dram) {
		strbuf_addf(piece(n), "slice %u knows another SM as the words' owner", f->slice);
	} else if (f->l2_hit) {
		strbuf_addf(piece(n), "L2 hit in slice %u", f->slice);
	} else if (f->l2_merged && f->dram) {
		strbuf_addf(piece(n), "L2 miss, merged with the fetch of ");
		who(n, &f->dram->who);
	} else {
		strbuf_addf(piece(n), "L2 miss");
	}
}

static void at_dram(struct notes *n, const struct way_dram *r, enum hop hop)
{
	if (hop == HOP_DRAM_WINDOW)
		strbuf_addf(piece(n), "channel %u", r->channel);
	else if (hop == HOP_DRAM_ROW && r->precharged)
		strbuf_addf(piece(n), "row conflict in bank %u: another row was open", r->bank);
	else if (hop == HOP_DRAM_ROW)
		strbuf_addf(piece(n), "row miss in bank %u", r->bank);
	else if (hop == HOP_DRAM_DATA && !r->precharged && !r->activated)
		strbuf_adds(piece(n), "row hit");
}

static void note(struct notes *n, const struct way *w, u32 txn, enum hop hop, bool first_behind_l1,
                 bool first_behind_l2)
{
	const struct way_txn *t = &w->txn[txn];
	const struct way_fetch *f = t->fetch;
	n->between = "";
	if (first_behind_l1)
		past_l1(n, w, t);
	if (first_behind_l2)
		past_l2(n, f);
	if (hop == HOP_LSU && txn)
		strbuf_addf(piece(n), "%u transaction%s of the load go%s first", txn, plural(txn), txn == 1 ? "es" : "");
	else if (hop == HOP_REFUSED || hop == HOP_REPLAY)
		refusals(n, t->refused, t->refused_at, t->reason, t->tries);
	else if (hop == HOP_TO_L2 && f)
		strbuf_addf(piece(n), "to slice %u", f->slice);
	else if (hop == HOP_L2_QUEUE && f)
		refusals(n, f->refused, f->refused_at, f->reason, 0);
	else if (f && f->dram)
		at_dram(n, f->dram, hop);
	if (!*n->between)
		strbuf_adds(n->out, hop_descs[hop].where);
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */
static void head(struct debugger *d, const struct way *w, u32 txn, struct strbuf *out)
{
	const struct module *m = module_of_launch(dbg_gpu(d), (s32)w->kernel);
	const struct way_txn *t = &w->txn[txn];
	strbuf_addf(out, "Load of warp %u on SM %u, CTA %u of kernel %u, at ", w->warp, w->sm, w->cta, w->kernel);
	place(d, w->kernel, w->pc, out);
	if (m) {
		strbuf_adds(out, ": ");
		line_text(m, w->pc, out);
	}
	strbuf_addf(out, "\nissued in cycle %s by %u lane%s: %u transaction%s, of which this is number %u, 0x%llx",
	            number(w->issued), w->lanes, plural(w->lanes), w->n, plural(w->n), txn + 1,
	            (unsigned long long)t->addr);
	if (t->fetch && t->fetch->addr != t->addr)
		strbuf_addf(out, " of line 0x%llx", (unsigned long long)t->fetch->addr);
	strbuf_addc(out, '\n');
}

static void rows(struct debugger *d, const struct way *w, u32 txn, struct strbuf *out)
{
	struct way_hop hops[WAY_HOPS_MAX];
	const u64 now = sim_cycle(d->s->sim), until = MIN(now, way_txn_end(w, txn));
	const u32 n = way_hops(w, txn, now - 1, hops, NULL);
	const struct way_txn *t = &w->txn[txn];
	const u64 served = t->fetch && t->taken != NEVER && !t->hit ? MAX(t->fetch->served, t->taken) : NEVER;
	bool l1 = false, l2 = false;
	strbuf_addf(out, "%12s %7s  %s\n", "cycle", "cycles", "hop");
	for (u32 i = 0; i < n; i++) {
		const u64 end = i + 1 < n ? hops[i + 1].since : w->end != NEVER ? MIN(w->end, now) : now;
		struct notes notes = {.d = d, .out = out, .now = now, .sm = w->sm};
		const bool at_l1 = !l1 && hops[i].since >= t->taken, at_l2 = !l2 && hops[i].since >= served;
		if (hops[i].hop == HOP_WRITE_BACK && hops[i].since >= until && txn != w->last && w->end != NEVER)
			break; /* another transaction of the load was waited for */
		strbuf_addf(out, "%12s %7s  %-11s  ", number(hops[i].since), number(end - hops[i].since),
		            hop_descs[hops[i].hop].name);
		note(&notes, w, txn, hops[i].hop, at_l1, at_l2);
		strbuf_addc(out, '\n');
		l1 |= at_l1;
		l2 |= at_l2;
	}
}

static void level_text(const struct way_txn *t, struct strbuf *out)
{
	strbuf_addf(out, "answered by %s", way_level_names[t->level]);
}

static void tail(struct debugger *d, const struct way *w, u32 txn, struct strbuf *out)
{
	const u64 now = sim_cycle(d->s->sim);
	const struct way_txn *t = &w->txn[txn];
	struct way_hop hops[WAY_HOPS_MAX];
	const u32 n = way_hops(w, txn, now - 1, hops, NULL);
	if (w->dropped) {
		strbuf_adds(out, "Its CTA has been dropped: nobody waits for it any more.\n");
	} else if (w->end <= now && txn == w->last) {
		strbuf_addf(out, "%12s          done: %s cycles, ", number(w->end), number(w->end - w->issued));
		level_text(t, out);
		strbuf_addc(out, '\n');
	} else if (t->popped < now) {
		strbuf_addf(out, "%12s          done, ", number(t->popped));
		level_text(t, out);
		if (w->end <= now)
			strbuf_addf(out, "; the load went on until cycle %s, for its transaction %u (`follow txn %u`)\n",
			            number(w->end), w->last + 1, w->last + 1);
		else
			strbuf_adds(out, "; the load is still under way\n");
	} else {
		strbuf_addf(out, "Now, in cycle %s, it is %s, since cycle %s.\n", number(now), hop_descs[hops[n - 1].hop].where,
		            number(hops[n - 1].since));
	}
}

static void aim_text(const struct followed *f, struct strbuf *out)
{
	if (f->aim.by == FOLLOW_WARP)
		strbuf_addf(out, "load of warp %u on SM %u", f->aim.warp, f->aim.sm);
	else
		strbuf_addf(out, "load of line 0x%llx", (unsigned long long)f->aim.line);
}

bool follow_text(struct debugger *d, struct strbuf *out, struct err *e)
{
	struct followed f;
	if (!follow_look(d, &f, e))
		return false;
	if (f.ahead) {
		strbuf_addf(out, "The load that is followed is issued in cycle %s, which lies ahead.\n", number(f.issued));
	} else if (!f.found) {
		strbuf_adds(out, "No ");
		aim_text(&f, out);
		strbuf_addf(out, " is under way: the next one is followed, from cycle %s on.\n", number(f.from));
	} else {
		head(d, f.way, f.txn, out);
		rows(d, f.way, f.txn, out);
		tail(d, f.way, f.txn, out);
	}
	return true;
}
