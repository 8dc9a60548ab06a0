#include "obs/record/ways_internal.h"

#include "base/bits.h"

const char *const way_level_names[WAY_LEVELS] = {"L1", "L1I", "L2", "another SM", "DRAM"};
const char *const way_reason_names[WAY_REASONS] = {"no line", "no MSHR", "merge list full", "queue full"};

void way_keep(struct way *w)
{
	w->refs++;
}
void way_drop(struct way *w)
{
	if (!w || --w->refs)
		return;
	for (u32 i = 0; i < w->n; i++)
		way_fetch_drop(w->txn[i].fetch);
	free(w);
}

/* --- an SM -------------------------------------------------------------------------------------------------------- */
static struct way *load_at(const struct ways *w, const struct hop_news *n)
{
	return w->sm[n->sm].load[n->load];
}

static void issue(struct ways *w, const struct hop_news *n)
{
	struct way **place = &w->sm[n->sm].load[n->load];
	struct way *x = xcalloc(1, sizeof *x + n->n * sizeof *x->txn);
	w->misfits += *place != NULL;
	way_drop(*place);
	*place = x;
	*x = (struct way){.issued = n->cycle,
	                  .ready = n->at,
	                  .end = NEVER,
	                  .sm = n->sm,
	                  .kernel = n->kernel,
	                  .cta = n->cta,
	                  .pc = n->pc,
	                  .lanes = (u32)bit_count(n->sectors),
	                  .refs = 1,
	                  .n = n->n,
	                  .place = n->load,
	                  .warp = n->warp,
	                  .cache = n->cache,
	                  .op = n->op};
	for (u32 i = 0; i < n->n; i++) {
		struct way_txn *t = &x->txn[i];
		*t = (struct way_txn){.addr = n->txn[i].addr, .sectors = n->txn[i].sectors};
		t->taken = t->answered = t->popped = t->refused_at = NEVER;
		way_step(&t->trail, HOP_OPERANDS, n->cycle);
		way_step(&t->trail, HOP_LSU, n->at);
	}
	if (w->issued)
		w->issued(w->issued_ctx, x);
}

/* The transaction of a load that the news are of: the first such one that its cache has not taken. */
static struct way_txn *txn_of(struct ways *w, const struct hop_news *n)
{
	struct way *x = load_at(w, n);
	for (u32 i = 0; x && i < x->n; i++)
		if (x->txn[i].addr == n->addr && x->txn[i].sectors == n->sectors && x->txn[i].taken == NEVER)
			return &x->txn[i];
	w->misfits += x != NULL;
	return NULL;
}

/* A transaction that has been refused goes on: for so many cycles. */
static void refusal_ends(struct way_txn *t, u64 now)
{
	if (t->refused_at != NEVER)
		t->refused[t->reason] += now - t->refused_at;
	t->refused_at = NEVER;
}

static void pipe_entered(struct ways *w, const struct hop_news *n)
{
	struct way_txn *t = txn_of(w, n);
	if (t && t->trail.at[t->trail.n - 1].hop == HOP_LSU)
		way_step(&t->trail, HOP_L1_PIPE, n->cycle);
}

static void present(struct ways *w, const struct hop_news *n)
{
	w->txn = txn_of(w, n);
	w->at = w->txn ? load_at(w, n) : NULL;
	w->presented = true;
	w->asker = (struct way_who){.issued = NEVER, .sm = n->sm};
	if (w->at)
		w->asker = (struct way_who){.issued = w->at->issued,
		                            .sm = n->sm,
		                            .kernel = w->at->kernel,
		                            .cta = w->at->cta,
		                            .pc = w->at->pc,
		                            .warp = w->at->warp};
}

static void refused(struct ways *w, const struct hop_news *n)
{
	struct way_txn *t = w->txn;
	w->presented = false;
	if (!t)
		return;
	refusal_ends(t, n->cycle);
	t->tries++;
	t->refused_at = n->cycle;
	t->reason = (u8)(n->why - MR_RF_LINE);
	if (!t->replayed && t->trail.at[t->trail.n - 1].hop != HOP_REFUSED)
		way_step(&t->trail, HOP_REFUSED, n->cycle);
}

static void taken(struct ways *w, const struct hop_news *n)
{
	struct way_txn *t = w->txn;
	w->presented = false;
	if (!t)
		return;
	refusal_ends(t, n->cycle);
	t->taken = n->cycle;
	t->hit = n->hit;
	if (!n->hit)
		return;
	t->answered = t->popped = n->at;
	t->level = WAY_L1;
}

static void replayed(struct ways *w, const struct hop_news *n)
{
	struct way_txn *t = txn_of(w, n);
	if (!t)
		return;
	t->replayed = true;
	way_step(&t->trail, HOP_REPLAY, n->cycle);
}

static enum way_level level_of(const struct way_txn *t)
{
	const struct way_fetch *f = t->fetch;
	if (t->by_owner)
		return WAY_OWNER;
	if (f && f->served != NEVER && f->has_packet)
		return f->l2_hit ? WAY_L2 : WAY_DRAM;
	return t->dram ? WAY_DRAM : f && f->l1i ? WAY_L1I : WAY_L2;
}

/* The SM takes answers in the order in which they have come. */
static void popped(struct ways *w, const struct hop_news *n)
{
	struct way *x = load_at(w, n);
	struct way_txn *first = NULL;
	for (u32 i = 0; x && i < x->n; i++) {
		struct way_txn *t = &x->txn[i];
		if (t->answered != NEVER && t->popped == NEVER && (!first || t->order < first->order))
			first = t;
	}
	w->misfits += x && !first;
	if (!first)
		return;
	first->popped = n->cycle;
	first->dram = n->dram;
	first->level = level_of(first);
}

u64 way_txn_end(const struct way *w, u32 txn)
{
	return w->txn[txn].popped;
}

static void leave(struct ways *w, struct way **place)
{
	struct way *x = *place;
	*place = NULL;
	w->ended(w->ctx, x);
	way_drop(x);
}

static void done(struct ways *w, const struct hop_news *n)
{
	struct way **place = &w->sm[n->sm].load[n->load], *x = *place;
	u64 latest = 0;
	if (!x)
		return;
	x->end = n->at;
	for (u32 i = 0; i < x->n; i++) {
		const struct way_txn *t = &x->txn[i];
		w->misfits += t->popped == NEVER;
		if (t->popped == NEVER || t->popped < latest || (t->popped == latest && t->hit && i))
			continue;
		latest = t->popped;
		x->last = (u16)i;
	}
	w->misfits += latest > x->end;
	leave(w, place);
}

static void dropped(struct ways *w, const struct hop_news *n)
{
	struct way **place = &w->sm[n->sm].load[n->load];
	if (!*place)
		return;
	(*place)->dropped = true;
	(*place)->dropped_at = n->cycle;
	ways_forget_waiter(w, *place);
	leave(w, place);
}

/* --- the listener ------------------------------------------------------------------------------------------------- */
static void hear(void *ctx, const struct hop_news *n)
{
	struct ways *w = ctx;
	switch (n->what) {
	case NEWS_ISSUE: issue(w, n); break;
	case NEWS_PIPE: pipe_entered(w, n); break;
	case NEWS_PRESENT: present(w, n); break;
	case NEWS_TAKEN: taken(w, n); break;
	case NEWS_REFUSED: refused(w, n); break;
	case NEWS_REPLAY: replayed(w, n); break;
	case NEWS_ANSWER: popped(w, n); break;
	case NEWS_DONE: done(w, n); break;
	case NEWS_DROP: dropped(w, n); break;
	default: ways_memory_hears(w, n);
	}
}

struct ways *ways_new(const struct conf *c, way_fn *ended, void *ctx)
{
	struct ways *w = xcalloc(1, sizeof *w);
	w->ear = (struct hop_ear){.fn = hear, .ctx = w};
	w->conf = c;
	w->ended = ended;
	w->ctx = ctx;
	w->sm = xcalloc(c->num_sms, sizeof *w->sm);
	w->mshr = xcalloc((size_t)c->num_sms * MC_COUNT, sizeof *w->mshr);
	w->l2 = xcalloc((size_t)c->partitions * c->l2_slices, sizeof *w->l2);
	return w;
}

const struct hop_ear *ways_ear(const struct ways *w)
{
	return &w->ear;
}

void ways_on_issue(struct ways *w, way_fn *issued, void *ctx)
{
	w->issued = issued;
	w->issued_ctx = ctx;
}

u64 ways_misfits(const struct ways *w)
{
	return w->misfits;
}

void ways_each(const struct ways *w, way_fn *fn, void *ctx)
{
	for (u32 sm = 0; sm < w->conf->num_sms; sm++)
		for (u32 i = 0; i < SM_MAX_LOADS; i++)
			if (w->sm[sm].load[i])
				fn(ctx, w->sm[sm].load[i]);
}

static void count(void *n, struct way *w)
{
	++*(u32 *)n;
}

u32 ways_under_way(const struct ways *w)
{
	u32 n = 0;
	ways_each(w, count, &n);
	return n;
}

void ways_free(struct ways *w)
{
	if (!w)
		return;
	for (u32 sm = 0; sm < w->conf->num_sms; sm++) {
		for (u32 i = 0; i < SM_MAX_LOADS; i++)
			way_drop(w->sm[sm].load[i]);
		for (u32 i = 0; i < w->sm[sm].natomics; i++)
			way_fetch_drop(w->sm[sm].atomic[i]);
	}
	ways_memory_free(w);
	free(w->sm);
	free(w);
}
