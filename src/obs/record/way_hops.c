/* The hops of a transaction in order of time, from what is known of it, of its fetch, and of the DRAM request. */
#include "obs/record/ways.h"

struct list {
	struct way_hop *at;
	u32 n;
	u64 until, from; /* hops before `from` have been passed by somebody else's request */
	bool ordered;
};

static void add(struct list *l, enum hop hop, u64 since)
{
	if (since > l->until)
		return;
	since = MAX(since, l->from);
	if (l->n && since < l->at[l->n - 1].since)
		l->ordered = false;
	if (l->n && since <= l->at[l->n - 1].since)
		l->n--;
	l->at[l->n++] = (struct way_hop){since, hop};
}

static void add_trail(struct list *l, const struct trail *t, u32 from, u32 to)
{
	for (u32 i = from; i < to; i++) {
		l->ordered &= !i || t->at[i].since >= t->at[i - 1].since;
		add(l, t->at[i].hop, t->at[i].since);
	}
}

static void add_fetch(struct list *l, const struct way_txn *t)
{
	const struct way_fetch *f = t->fetch;
	const u32 split = f->dram ? f->split : f->trail.n;
	const u64 until = l->until;
	l->from = t->taken;
	if (t->answered < l->until)
		l->until = t->answered;
	l->ordered &= t->merged || !f->trail.n || f->trail.at[0].since >= t->taken;
	add_trail(l, &f->trail, 0, split);
	if (f->dram) {
		l->from = MAX(l->from, f->served);
		l->ordered &= f->l2_merged || f->dram->fetched >= f->served;
		add_trail(l, &f->dram->trail, 0, f->dram->trail.n);
		add_trail(l, &f->trail, split, f->trail.n);
	}
	if (f->landed != NEVER && f->owner)
		add(l, HOP_OWNER, f->landed);
	l->until = until;
}

u32 way_hops(const struct way *w, u32 txn, u64 until, struct way_hop out[WAY_HOPS_MAX], bool *ordered)
{
	const struct way_txn *t = &w->txn[txn];
	struct list l = {.at = out, .until = until, .ordered = true};
	add_trail(&l, &t->trail, 0, t->trail.n);
	if (t->taken != NEVER && t->hit) {
		add(&l, HOP_L1_HIT, t->taken);
	} else if (t->taken != NEVER && t->fetch) {
		add_fetch(&l, t);
		add(&l, HOP_ANSWER, t->answered);
	}
	add(&l, HOP_WRITE_BACK, t->popped);
	if (l.n && l.at[l.n - 1].since == w->end) /* nothing is left to do then */
		l.n--;
	if (ordered)
		*ordered = l.ordered && (w->end == NEVER || txn != w->last || t->popped <= w->end);
	return l.n;
}
