/* Ways behind the LSU: what waits for which MSHR, its fetch, the packet, the DRAM request. */
#include "obs/record/ways_internal.h"

#include <string.h>

#include "base/bits.h"

/* --- references --------------------------------------------------------------------------------------------------- */
void way_dram_drop(struct way_dram *d)
{
	if (d && !--d->refs)
		free(d);
}
void way_fetch_drop(struct way_fetch *f)
{
	if (!f || --f->refs)
		return;
	way_dram_drop(f->dram);
	free(f);
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
	way_fetch_drop(m->fetch[i]);
	memmove(&m->fetch[i], &m->fetch[i + 1], (--m->nfetches - i) * sizeof(struct way_fetch *));
}

static void add_fetch(struct at_mshr *m, struct way_fetch *f)
{
	if (m->nfetches == FETCHES)
		lose_fetch(m, 0);
	m->fetch[m->nfetches++] = way_fetch_keep(f);
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
	way_step(&f->trail, HOP_MISS_QUEUE, n->cycle);
	if (passes_cache(n)) {
		struct at_sm *s = &w->sm[n->sm];
		if (is_mine(w, n)) {
			way_fetch_drop(w->txn->fetch);
			w->txn->fetch = way_fetch_keep(f);
		}
		if (s->natomics < SM_MAX_LOADS)
			s->atomic[s->natomics++] = way_fetch_keep(f);
	} else {
		add_fetch(mshr_of(w, n, n->id), f);
	}
	way_fetch_drop(f);
}

static void to_l1i(struct ways *w, const struct hop_news *n)
{
	struct way_fetch *f = fetch_new(w, n);
	way_step(&f->trail, HOP_L1I, n->cycle);
	f->l1i = true;
	add_fetch(mshr_of(w, n, n->id), f);
	way_fetch_drop(f);
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
	way_fetch_drop(t->fetch);
	t->fetch = way_fetch_keep(fetch_for(m, t->sectors));
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
	way_fetch_drop(t->fetch);
	t->fetch = way_fetch_keep(by);
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
	*at = way_fetch_keep(f);
	way_fetch_drop(was);
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
		way_fetch_keep(f);
	}
	packet_is(w, n->id, f);
	way_fetch_drop(f);
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
		way_fetch_drop(f);
		memmove(&s->atomic[i], &s->atomic[i + 1], (--s->natomics - i) * sizeof(struct way_fetch *));
		return;
	}
	part = split_off(f, n->sectors);
	packet_is(w, n->id, part);
	way_fetch_drop(part);
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
	way_step(&f->trail, HOP_TO_L2, n->cycle);
}

static void coming(struct ways *w, const struct hop_news *n)
{
	struct way_fetch *f = packet_of(w, n);
	if (!f)
		return;
	way_step(&f->trail, HOP_L2_PIPE, n->at);
	way_step(&f->trail, HOP_L2_QUEUE, n->at + w->conf->l2_latency);
}

static void hop_of_packet(struct ways *w, const struct hop_news *n, enum hop hop)
{
	struct way_fetch *f = packet_of(w, n);
	if (!f)
		return;
	way_step(&f->trail, hop, n->cycle);
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
		way_step(&f->trail, HOP_OWNER, n->cycle);
		return;
	}
	f->served = n->cycle;
	f->l2_hit = n->hit;
	f->split = f->trail.n;
	if (n->hit)
		return;
	f->l2_mshr = n->of;
	f->l2_sectors = n->sectors;
	way_dram_drop(f->dram);
	f->dram = way_dram_keep(awaited(w, n));
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
	way_dram_drop(f->dram);
	f->dram = way_dram_keep(w->back);
	f->l2_merged = d->fetched < f->served;
}

static void output(struct ways *w, const struct hop_news *n)
{
	struct way_fetch *f = packet_of(w, n);
	if (!f)
		return;
	if (!f->far)
		served_by(w, f);
	way_step(&f->trail, HOP_REPLY_QUEUE, n->cycle);
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
	way_fetch_drop(w->landed);
	w->landed = way_fetch_keep(packet_of(w, n));
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
	way_step(&d->trail, HOP_DRAM_QUEUE, n->cycle);
	way_dram_drop(*at);
	*at = d;
	FOR_EACH_BIT(s, (u64)n->sectors)
	{
		void **slot = l2_slot(w, n->slice, n->of, (u32)s);
		way_dram_drop(*slot);
		*slot = way_dram_keep(d);
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
		way_step(&d->trail, HOP_DRAM_WINDOW, n->cycle);
		break;
	case NEWS_PRECHARGE:
		d->precharged = true;
		d->bank = n->of;
		if (!row)
			way_step(&d->trail, HOP_DRAM_ROW, n->cycle);
		break;
	case NEWS_ACTIVATE:
		d->activated = true;
		d->bank = n->of;
		d->row = n->at;
		if (!row)
			way_step(&d->trail, HOP_DRAM_ROW, n->cycle);
		break;
	default:
		if (!d->columns++) {
			d->hit = n->hit;
			way_step(&d->trail, HOP_DRAM_DATA, n->cycle);
		}
		if (n->of)
			way_step(&d->trail, HOP_DRAM_RETURN, n->at);
	}
}

/* What L2 answers next is answered by it. */
static void dram_back(struct ways *w, const struct hop_news *n)
{
	way_dram_drop(w->back);
	w->back = NULL;
	if (n->id >= w->dram.n || !w->dram.at[n->id])
		return;
	struct way_dram *d = w->dram.at[n->id];
	d->back = n->cycle;
	w->back = d;
	w->dram.at[n->id] = NULL;
}

void ways_forget_waiter(struct ways *w, const struct way *x)
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

void ways_memory_hears(struct ways *w, const struct hop_news *n)
{
	switch (n->what) {
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

static void table_free(struct table *t)
{
	free(t->at);
}

void ways_memory_free(struct ways *w)
{
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
		way_fetch_drop(w->packet.at[i]);
	for (u32 i = 0; i < w->dram.n; i++)
		way_dram_drop(w->dram.at[i]);
	for (u32 i = 0; i < w->conf->partitions * w->conf->l2_slices; i++) {
		for (u32 k = 0; k < w->l2[i].n; k++)
			way_dram_drop(w->l2[i].at[k]);
		table_free(&w->l2[i]);
	}
	way_fetch_drop(w->landed);
	way_dram_drop(w->back);
	table_free(&w->packet);
	table_free(&w->dram);
	free(w->l2);
	free(w->mshr);
}
