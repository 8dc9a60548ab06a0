#include "obs/record/ways.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "mem/mem.h"
#include "sm/sm.h"

#define FETCHES 8u /* of one MSHR at a time: a line has so many sectors */

const char *const way_level_names[WAY_LEVELS] = {"L1", "L1I", "L2", "another SM", "DRAM"};
const char *const way_reason_names[WAY_REASONS] = {"no line", "no MSHR", "merge list full", "queue full"};

struct waiter {
	struct way *way;
	u32 txn;
};
struct at_mshr {
	struct way_fetch *fetch[FETCHES];
	u32 nfetches, n, cap;
	struct waiter *who;
};
struct at_sm {
	struct way *load[SM_MAX_LOADS];
	struct way_fetch *atomic[SM_MAX_LOADS]; /* sent past the cache, not yet a packet */
	u32 natomics;
	u64 answers;
};
struct table { /* of pointers, by number */
	void **at;
	u32 n;
};
struct ways {
	struct hop_ear ear;
	const struct conf *conf;
	struct at_sm *sm;
	struct table *mshr;   /* [sm * MC_COUNT + cache]: struct at_mshr */
	struct table packet;  /* struct way_fetch */
	struct table dram;    /* struct way_dram */
	struct table *l2;     /* [slice], by MSHR * 8 + the lowest sector: struct way_dram */
	struct way *at;       /* what is presented now, */
	struct way_txn *txn;  /* and its transaction */
	struct way_who asker; /* who that is */
	bool presented;
	struct way_fetch *landed; /* the packet that has just come back */
	struct way_dram *back;    /* the DRAM request that has */
	u32 landed_number;
	u64 misfits;
	way_fn *ended;
	void *ctx;
	way_fn *issued;
	void *issued_ctx;
};

/* --- references --------------------------------------------------------------------------------------------------- */
static void dram_drop(struct way_dram *d)
{
	if (d && !--d->refs)
		free(d);
}
static struct way_dram *dram_keep(struct way_dram *d)
{
	if (d)
		d->refs++;
	return d;
}
static void fetch_drop(struct way_fetch *f)
{
	if (!f || --f->refs)
		return;
	dram_drop(f->dram);
	free(f);
}
static struct way_fetch *fetch_keep(struct way_fetch *f)
{
	if (f)
		f->refs++;
	return f;
}
void way_keep(struct way *w)
{
	w->refs++;
}
void way_drop(struct way *w)
{
	if (!w || --w->refs)
		return;
	for (u32 i = 0; i < w->n; i++)
		fetch_drop(w->txn[i].fetch);
	free(w);
}

static void **slot_of(struct table *t, u32 i)
{
	if (i >= t->n) {
		u32 n = MAX(i + 1, 2 * t->n);
		t->at = xrealloc(t->at, n * sizeof *t->at);
		memset(t->at + t->n, 0, (n - t->n) * sizeof *t->at);
		t->n = n;
	}
	return &t->at[i];
}

static void step(struct trail *t, enum hop hop, u64 since)
{
	if (t->n < TRAIL_MAX)
		t->at[t->n++] = (struct way_hop){since, hop};
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
		step(&t->trail, HOP_OPERANDS, n->cycle);
		step(&t->trail, HOP_LSU, n->at);
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
		step(&t->trail, HOP_L1_PIPE, n->cycle);
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
		step(&t->trail, HOP_REFUSED, n->cycle);
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
	step(&t->trail, HOP_REPLAY, n->cycle);
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

static void forget_waiter(struct ways *w, const struct way *x)
{
	for (u32 c = 0; c < MC_COUNT; c++) {
		struct table *t = &w->mshr[x->sm * MC_COUNT + c];
		for (u32 i = 0; i < t->n; i++) {
			struct at_mshr *m = t->at[i];
			for (u32 k = 0; m && k < m->n; k++)
				if (m->who[k].way == x)
					m->who[k].way = NULL;
		}
	}
}

static void dropped(struct ways *w, const struct hop_news *n)
{
	struct way **place = &w->sm[n->sm].load[n->load];
	if (!*place)
		return;
	(*place)->dropped = true;
	(*place)->dropped_at = n->cycle;
	forget_waiter(w, *place);
	leave(w, place);
}

/* --- its caches --------------------------------------------------------------------------------------------------- */
static struct at_mshr *mshr_of(struct ways *w, const struct hop_news *n, u32 mshr)
{
	void **at = slot_of(&w->mshr[n->sm * MC_COUNT + n->cache], mshr);
	if (!*at)
		*at = xcalloc(1, sizeof(struct at_mshr));
	return *at;
}

static bool is_mine(const struct ways *w, const struct hop_news *n)
{
	return w->presented && w->at && w->at->sm == n->sm && w->at->cache == n->cache;
}

static void lose_fetch(struct at_mshr *m, u32 i)
{
	fetch_drop(m->fetch[i]);
	memmove(&m->fetch[i], &m->fetch[i + 1], (--m->nfetches - i) * sizeof(struct way_fetch *));
}

static void add_fetch(struct at_mshr *m, struct way_fetch *f)
{
	if (m->nfetches == FETCHES)
		lose_fetch(m, 0);
	m->fetch[m->nfetches++] = fetch_keep(f);
}

static struct way_fetch *fetch_new(const struct ways *w, const struct hop_news *n)
{
	struct way_fetch *f = xcalloc(1, sizeof *f);
	*f = (struct way_fetch){.sent = n->cycle,
	                        .served = NEVER,
	                        .landed = NEVER,
	                        .refused_at = NEVER,
	                        .addr = n->addr,
	                        .sectors = n->sectors,
	                        .mshr = n->id,
	                        .cache = n->cache,
	                        .op = n->op,
	                        .refs = 1};
	f->who = (struct way_who){.issued = NEVER, .sm = n->sm, .code = n->cache == MC_L1I};
	if (w->presented && w->asker.sm == n->sm)
		f->who = w->asker;
	return f;
}

/* An atomic that its slice executes waits for no MSHR. */
static bool passes_cache(const struct hop_news *n)
{
	return n->op == MO_ATOMIC;
}

static void send(struct ways *w, const struct hop_news *n)
{
	if (!n->hit)
		return;
	struct way_fetch *f = fetch_new(w, n);
	step(&f->trail, HOP_MISS_QUEUE, n->cycle);
	if (passes_cache(n)) {
		struct at_sm *s = &w->sm[n->sm];
		if (is_mine(w, n)) {
			fetch_drop(w->txn->fetch);
			w->txn->fetch = fetch_keep(f);
		}
		if (s->natomics < SM_MAX_LOADS)
			s->atomic[s->natomics++] = fetch_keep(f);
	} else {
		add_fetch(mshr_of(w, n, n->id), f);
	}
	fetch_drop(f);
}

static void to_l1i(struct ways *w, const struct hop_news *n)
{
	struct way_fetch *f = fetch_new(w, n);
	step(&f->trail, HOP_L1I, n->cycle);
	f->l1i = true;
	add_fetch(mshr_of(w, n, n->id), f);
	fetch_drop(f);
}

/* The fetch of an MSHR that brings any of these sectors, the latest; else the latest of all. */
static struct way_fetch *fetch_for(const struct at_mshr *m, u32 sectors)
{
	for (u32 i = m->nfetches; i-- > 0;)
		if (m->fetch[i]->sectors & sectors)
			return m->fetch[i];
	return m->nfetches ? m->fetch[m->nfetches - 1] : NULL;
}

static void wait(struct ways *w, const struct hop_news *n)
{
	if (!is_mine(w, n))
		return;
	struct at_mshr *m = mshr_of(w, n, n->id);
	struct way_txn *t = w->txn;
	t->need = n->sectors;
	fetch_drop(t->fetch);
	t->fetch = fetch_keep(fetch_for(m, t->sectors));
	t->merged = t->fetch && (t->fetch->sent < n->cycle || t->fetch->who.issued != w->at->issued ||
	                         t->fetch->who.warp != w->at->warp);
	if (m->n == m->cap) {
		m->cap = MAX(8u, 2 * m->cap);
		m->who = xrealloc(m->who, m->cap * sizeof *m->who);
	}
	m->who[m->n++] = (struct waiter){w->at, (u32)(t - w->at->txn)};
}

static void answer(struct ways *w, struct way_txn *t, struct way_fetch *by, u32 sm, u64 now)
{
	t->answered = now;
	t->order = w->sm[sm].answers++;
	if (!by || by == t->fetch)
		return;
	fetch_drop(t->fetch);
	t->fetch = fetch_keep(by);
	t->merged = by->sent < t->taken; /* of its sectors, those that came last had been asked for */
}

static void fill(struct ways *w, const struct hop_news *n)
{
	struct at_mshr *m = mshr_of(w, n, n->id);
	struct way_fetch *by = w->landed;
	u32 kept = 0;
	if (by && (by->cache != n->cache || by->mshr != n->id))
		by = NULL; /* a message of another SM, or L1I's answer */
	for (u32 i = 0; i < m->n; i++) {
		const struct waiter x = m->who[i];
		if (!x.way)
			continue;
		struct way_txn *t = &x.way->txn[x.txn];
		t->need &= ~n->sectors;
		if (t->need)
			m->who[kept++] = x;
		else
			answer(w, t, by, n->sm, n->cycle);
		t->by_owner = !t->need && !by && n->cache == MC_L1D;
	}
	m->n = kept;
	for (u32 i = m->nfetches; i-- > 0;) /* what an owner is to send is still to come */
		if (by ? m->fetch[i] == by && !by->owner : m->fetch[i]->l1i)
			lose_fetch(m, i);
}

static void got(struct ways *w, const struct hop_news *n)
{
	struct way *x = w->sm[n->sm].load[n->id & (SM_MAX_LOADS - 1)];
	for (u32 i = 0; x && i < x->n; i++) {
		struct way_txn *t = &x->txn[i];
		if (t->taken == NEVER || t->answered != NEVER || !t->fetch || t->fetch->addr != n->addr)
			continue;
		answer(w, t, w->landed, n->sm, n->cycle);
		return;
	}
	w->misfits += x != NULL;
}

/* --- packets ------------------------------------------------------------------------------------------------------ */
static struct way_fetch *packet_of(struct ways *w, const struct hop_news *n)
{
	return n->id < w->packet.n ? w->packet.at[n->id] : NULL;
}

static void packet_is(struct ways *w, u32 id, struct way_fetch *f)
{
	void **at = slot_of(&w->packet, id);
	struct way_fetch *was = *at;
	*at = fetch_keep(f);
	fetch_drop(was);
}

/* Part of a request becomes a packet; the rest stays where it is. */
static struct way_fetch *split_off(struct way_fetch *f, u32 sectors)
{
	struct way_fetch *part = xmalloc(sizeof *part);
	*part = *f;
	part->sectors = sectors;
	part->refs = 1;
	f->sectors &= ~sectors;
	return part;
}

static void packet_from_mshr(struct ways *w, const struct hop_news *n)
{
	struct at_mshr *m = mshr_of(w, n, n->of);
	struct way_fetch *f = NULL;
	for (u32 i = 0; i < m->nfetches && !f; i++)
		if (!m->fetch[i]->has_packet && (m->fetch[i]->sectors & n->sectors) && m->fetch[i]->op == n->op)
			f = m->fetch[i];
	if (!f) {
		packet_is(w, n->id, NULL);
		return;
	}
	if (f->sectors != n->sectors) {
		f = split_off(f, n->sectors);
		add_fetch(m, f);
	} else {
		fetch_keep(f);
	}
	packet_is(w, n->id, f);
	fetch_drop(f);
}

static void packet_of_atomic(struct ways *w, const struct hop_news *n)
{
	struct at_sm *s = &w->sm[n->sm];
	u32 i = 0;
	while (i < s->natomics && !(s->atomic[i]->mshr == n->of && s->atomic[i]->addr == n->addr))
		i++;
	struct way_fetch *f = i < s->natomics ? s->atomic[i] : NULL, *part;
	if (!f || f->sectors == n->sectors) {
		packet_is(w, n->id, f);
		if (!f)
			return;
		fetch_drop(f);
		memmove(&s->atomic[i], &s->atomic[i + 1], (--s->natomics - i) * sizeof(struct way_fetch *));
		return;
	}
	part = split_off(f, n->sectors);
	packet_is(w, n->id, part);
	fetch_drop(part);
}

static void packet(struct ways *w, const struct hop_news *n)
{
	if (!n->hit)
		packet_is(w, n->id, NULL);
	else if (passes_cache(n))
		packet_of_atomic(w, n);
	else
		packet_from_mshr(w, n);
	struct way_fetch *f = packet_of(w, n);
	if (!f)
		return;
	f->has_packet = true;
	f->packet = n->id;
	f->slice = n->slice;
	step(&f->trail, HOP_TO_L2, n->cycle);
}

static void coming(struct ways *w, const struct hop_news *n)
{
	struct way_fetch *f = packet_of(w, n);
	if (!f)
		return;
	step(&f->trail, HOP_L2_PIPE, n->at);
	step(&f->trail, HOP_L2_QUEUE, n->at + w->conf->l2_latency);
}

static void hop_of_packet(struct ways *w, const struct hop_news *n, enum hop hop)
{
	struct way_fetch *f = packet_of(w, n);
	if (!f)
		return;
	step(&f->trail, hop, n->cycle);
	f->far |= hop == HOP_FAR;
	f->slice = n->what == NEWS_QUEUED ? n->slice : f->slice;
}

static void **l2_slot(struct ways *w, u32 slice, u32 mshr, u32 sector)
{
	return slot_of(&w->l2[slice], mshr * 8 + sector);
}

static void slice_refusal_ends(struct way_fetch *f, u64 now)
{
	if (f->refused_at != NEVER)
		f->refused[f->reason] += now - f->refused_at;
	f->refused_at = NEVER;
}

/* The DRAM request that it waits for: the last of those that bring its sectors. */
static struct way_dram *awaited(struct ways *w, const struct hop_news *n)
{
	struct way_dram *last = NULL;
	FOR_EACH_BIT(s, (u64)n->sectors)
	{
		struct way_dram *d = *l2_slot(w, n->slice, n->of, (u32)s);
		if (d && d->back == NEVER && (!last || d->fetched >= last->fetched))
			last = d;
	}
	return last;
}

static void at_l2(struct ways *w, const struct hop_news *n)
{
	struct way_fetch *f = packet_of(w, n);
	if (!f)
		return;
	slice_refusal_ends(f, n->cycle);
	if (n->why >= MR_RF_LINE) {
		f->refused_at = n->cycle;
		f->reason = (u8)(n->why - MR_RF_LINE);
		return;
	}
	if (n->why == NEWS_L2_OWNER) {
		f->owner = true;
		f->served = n->cycle;
		step(&f->trail, HOP_OWNER, n->cycle);
		return;
	}
	f->served = n->cycle;
	f->l2_hit = n->hit;
	f->split = f->trail.n;
	if (n->hit)
		return;
	f->l2_mshr = n->of;
	f->l2_sectors = n->sectors;
	dram_drop(f->dram);
	f->dram = dram_keep(awaited(w, n));
	f->l2_merged = f->dram && f->dram->asked;
	if (f->dram && !f->dram->asked)
		f->dram->who = f->who;
	if (f->dram)
		f->dram->asked = true;
}

/* It is answered: if it has waited for DRAM, by what has just come from there. */
static void served_by(struct ways *w, struct way_fetch *f)
{
	const struct way_dram *d = w->back;
	if (f->l2_hit || f->served == NEVER || !d || d == f->dram || d->slice != f->slice || d->mshr != f->l2_mshr)
		return;
	dram_drop(f->dram);
	f->dram = dram_keep(w->back);
	f->l2_merged = d->fetched < f->served;
}

static void output(struct ways *w, const struct hop_news *n)
{
	struct way_fetch *f = packet_of(w, n);
	if (!f)
		return;
	if (!f->far)
		served_by(w, f);
	step(&f->trail, HOP_REPLY_QUEUE, n->cycle);
}

static void cross(struct ways *w, const struct hop_news *n)
{
	struct way_fetch *f = packet_of(w, n);
	if (f && n->hit)
		served_by(w, f);
	hop_of_packet(w, n, HOP_FAR);
}

static void lands(struct ways *w, const struct hop_news *n)
{
	fetch_drop(w->landed);
	w->landed = fetch_keep(packet_of(w, n));
	w->landed_number = n->id;
	if (!w->landed)
		return;
	w->landed->landed = n->cycle;
	packet_is(w, n->id, NULL);
}

/* --- DRAM --------------------------------------------------------------------------------------------------------- */
static void dram_fetch(struct ways *w, const struct hop_news *n)
{
	struct way_dram *d = xcalloc(1, sizeof *d), **at = (struct way_dram **)(void *)slot_of(&w->dram, n->id);
	*d = (struct way_dram){
	    .fetched = n->cycle, .back = NEVER, .slice = n->slice, .mshr = n->of, .sectors = n->sectors, .refs = 1};
	d->who.issued = NEVER;
	step(&d->trail, HOP_DRAM_QUEUE, n->cycle);
	dram_drop(*at);
	*at = d;
	FOR_EACH_BIT(s, (u64)n->sectors)
	{
		void **slot = l2_slot(w, n->slice, n->of, (u32)s);
		dram_drop(*slot);
		*slot = dram_keep(d);
	}
}

static void dram_goes_on(struct ways *w, const struct hop_news *n)
{
	struct way_dram *d = n->id < w->dram.n ? w->dram.at[n->id] : NULL;
	if (!d)
		return;
	bool row = d->precharged || d->activated;
	switch (n->what) {
	case NEWS_WINDOW:
		d->channel = (u32)n->at;
		step(&d->trail, HOP_DRAM_WINDOW, n->cycle);
		break;
	case NEWS_PRECHARGE:
		d->precharged = true;
		d->bank = n->of;
		if (!row)
			step(&d->trail, HOP_DRAM_ROW, n->cycle);
		break;
	case NEWS_ACTIVATE:
		d->activated = true;
		d->bank = n->of;
		d->row = n->at;
		if (!row)
			step(&d->trail, HOP_DRAM_ROW, n->cycle);
		break;
	default:
		if (!d->columns++) {
			d->hit = n->hit;
			step(&d->trail, HOP_DRAM_DATA, n->cycle);
		}
		if (n->of)
			step(&d->trail, HOP_DRAM_RETURN, n->at);
	}
}

/* What L2 answers next is answered by it. */
static void dram_back(struct ways *w, const struct hop_news *n)
{
	dram_drop(w->back);
	w->back = NULL;
	if (n->id >= w->dram.n || !w->dram.at[n->id])
		return;
	struct way_dram *d = w->dram.at[n->id];
	d->back = n->cycle;
	w->back = d;
	w->dram.at[n->id] = NULL;
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
	case NEWS_WAIT: wait(w, n); break;
	case NEWS_SEND: send(w, n); break;
	case NEWS_L1I: to_l1i(w, n); break;
	case NEWS_FILL: fill(w, n); break;
	case NEWS_GOT: got(w, n); break;
	case NEWS_PACKET: packet(w, n); break;
	case NEWS_COMING: coming(w, n); break;
	case NEWS_CROSS: cross(w, n); break;
	case NEWS_QUEUED: hop_of_packet(w, n, HOP_L2_QUEUE); break;
	case NEWS_L2: at_l2(w, n); break;
	case NEWS_OUTPUT: output(w, n); break;
	case NEWS_LEAVES: hop_of_packet(w, n, HOP_FROM_L2); break;
	case NEWS_LANDS: lands(w, n); break;
	case NEWS_FETCH: dram_fetch(w, n); break;
	case NEWS_BACK: dram_back(w, n); break;
	default: dram_goes_on(w, n);
	}
}

struct ways *ways_new(const struct conf *c, way_fn *ended, void *ctx)
{
	struct ways *w = xcalloc(1, sizeof *w);
	w->ear = (struct hop_ear){hear, w};
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

static void table_free(struct table *t)
{
	free(t->at);
}

void ways_free(struct ways *w)
{
	if (!w)
		return;
	for (u32 sm = 0; sm < w->conf->num_sms; sm++) {
		for (u32 i = 0; i < SM_MAX_LOADS; i++)
			way_drop(w->sm[sm].load[i]);
		for (u32 i = 0; i < w->sm[sm].natomics; i++)
			fetch_drop(w->sm[sm].atomic[i]);
	}
	for (u32 i = 0; i < w->conf->num_sms * MC_COUNT; i++) {
		for (u32 k = 0; k < w->mshr[i].n; k++) {
			struct at_mshr *m = w->mshr[i].at[k];
			while (m && m->nfetches)
				lose_fetch(m, 0);
			free(m ? m->who : NULL);
			free(m);
		}
		table_free(&w->mshr[i]);
	}
	for (u32 i = 0; i < w->packet.n; i++)
		fetch_drop(w->packet.at[i]);
	for (u32 i = 0; i < w->dram.n; i++)
		dram_drop(w->dram.at[i]);
	for (u32 i = 0; i < w->conf->partitions * w->conf->l2_slices; i++) {
		for (u32 k = 0; k < w->l2[i].n; k++)
			dram_drop(w->l2[i].at[k]);
		table_free(&w->l2[i]);
	}
	fetch_drop(w->landed);
	dram_drop(w->back);
	table_free(&w->packet);
	table_free(&w->dram);
	free(w->l2);
	free(w->mshr);
	free(w->sm);
	free(w);
}
