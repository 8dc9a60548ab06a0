/* denovo: words have an owner, and L1D keeps what its SM owns when a kernel starts.
 *
 * - A store owns its words from that moment on and registers them at the line's slice (OP_OWN, a request without data);
 *   it is complete when the slice has acknowledged that, until then it lies in the store buffer (l1d.stores entries). A
 *   store to words that are owned and registered hits. L1D takes a line for a store without fetching it.
 * - A load asks for the words of its sectors that L1D lacks. The slice answers those that it has, and passes the others
 *   on to their owners, who send them to the reader and keep them.
 * - Words that another SM registers are taken from their owner; what is owned goes back to the slice when its line is
 *   replaced (a write-back), when the slice has to replace the line, and before an atomic that the slice executes.
 * - An atomic is executed here, on words that are registered here. It asks for those that are not (OP_GET): the slice
 *   registers them and sends their values, or has their owner pass them on (denovo_atomic.c). With denovo.atomics=l2 an
 *   atomic that lacks words is executed at the slice, and leaves its words there.
 * - When a kernel starts that has the machine to itself, L1D drops what it does not own (self-invalidation).
 * - Local memory is private: it is cached as under `gpu`.
 *
 * Data that another SM has written may be read after the next kernel's start, or with a load that passes L1D
 * (volatile, relaxed, acquire), as under `gpu`. A store to part of a word counts as one of the whole word.
 *
 * Races on ownership end at the slice: it serves the requests of a line one after the other, and while an owner from
 * which it needs an answer has not answered, none. What an owner is asked for may cross what it sends:
 *   - a line that it writes back: it answers from there, and the slice takes of a write-back what is still its
 *     sender's. The data is there until the slice has said that the write-back is served, behind its questions;
 *   - a registration: words that are not acknowledged yet are not given up. The slice sends acknowledgements and
 *     questions in order, so it has asked for what the SM owned before, and will find the registration in its input.
 * Or it may come before the words, which an atomic has asked for: then it waits for them. */
#include "mem/coherence/denovo.h"

static void init(struct mem *m, struct arena *a)
{
	const struct conf *c = &m->c;
	m->denovo = xcalloc(1, sizeof *m->denovo);
	m->denovo->store = ARENA_NEW(a, struct store_entry, (size_t)m->nsms * c->l1d_stores);
	m->denovo->buffer = ARENA_NEW(a, struct store_buffer, m->nsms);
	m->denovo->more = ARENA_NEW(a, u32, m->npackets);
	m->denovo->remote = ARENA_NEW(a, u8, round_up(m->npackets, 8));
	m->denovo->asked = ARENA_NEW(a, u16, m->nsms);
	m->denovo->backs = ARENA_NEW(a, u16, m->nsms);
	m->denovo->owed = ARENA_NEW(a, u16, m->nslices);
	m->denovo->leaving = ARENA_NEW(a, u16, (size_t)m->nsms * DENOVO_LEAVING);
	m->denovo->question = ARENA_NEW(a, struct message, (size_t)m->nsms * c->noc_messages);
	for (u32 sm = 0; sm < m->nsms; sm++)
		m->l1[sm * MC_COUNT + MC_L1D].words = ARENA_NEW(a, struct words, (size_t)c->l1d_sets * c->l1d_ways);
	for (u32 i = 0; i < m->nslices; i++)
		m->slice[i].home = ARENA_NEW(a, struct home_line, (size_t)c->l2_sets * c->l2_ways);
}

/* --- a line ------------------------------------------------------------------------------------------------------- */
bool denovo_settle(struct l1 *l, u32 i)
{
	struct line *v = &l->tags.line[i];
	struct words *w = words_of(l, i);
	v->valid = sectors_full_of(w->have) & l->tags.full;
	v->dirty = sectors_with(w->owned);
	w->stale &= denovo_copies(l, i) ? ~0u : 0;
	if (v->pending || w->unacked) {
		l->tags.key[i] |= TAGS_RESERVED;
		return true;
	}
	l->tags.key[i] &= ~TAGS_RESERVED;
	if (w->have)
		return true;
	tags_drop(&l->tags, i);
	return false;
}

void denovo_tell(struct event_buf *ev, u32 sm, u64 line, u32 words, enum denovo_change change, u64 other, u64 now)
{
	if (!event_wanted(ev, EV_L1_WORDS) || !words)
		return;
	struct event *e = event_add(ev, EV_L1_WORDS, now);
	e->sm = (s32)sm;
	e->arg[0] = line;
	e->arg[1] = words;
	e->arg[2] = change;
	e->arg[3] = other;
}

void denovo_lose(struct l1 *l, u64 line, u32 i, u32 words)
{
	struct words *w = words_of(l, i);
	w->owned &= ~words;
	w->have &= ~words;
	w->stale |= words & words_in(sectors_with(denovo_copies(l, i)));
	denovo_settle(l, i);
	if (l->ideal.n)
		ideal_invalidate(&l->ideal, line, sectors_with(words));
}

static u32 gone(const struct access *a, u32 i)
{
	struct words *w = words_of(a->l, i);
	u32 owned = w->owned;
	*w = (struct words){0};
	if (owned)
		++*denovo_leaving(a->m, a->sm, a->l->tags.tag[i] - 1);
	denovo_tell(mem_sm_ev(a->m, a->sm), a->sm, a->l->tags.tag[i] - 1, owned, WORDS_WRITTEN, a->sm, a->now);
	return owned;
}

/* --- loads -------------------------------------------------------------------------------------------------------- */
static bool is_local(const struct access *a)
{
	return a->op == MO_LOCAL_LOAD || a->op == MO_LOCAL_STORE;
}

/* Words leave for the slice and are waited for. */
static void fetch(const struct access *a, u32 mshr, u32 words)
{
	struct mshr_entry *e = &a->l->mshr.e[mshr];
	e->pending |= words;
	if (e->slot != TAGS_NONE)
		tags_reserve(&a->l->tags, e->slot, sectors_with(words));
	l1_queue_push(a, a->op, a->line, sectors_with(words), mshr, l1_launch_of(a), false, words);
}

/* Part of the line is on its way. want: what a request would ask for; need: what the load cannot do without. */
static enum mem_result join(const struct access *a, u32 mshr, u32 want, u32 need)
{
	struct l1 *l = a->l;
	u32 pending = l->mshr.e[mshr].pending, more = need & ~pending ? want & ~pending : 0;
	if (!mshr_mergeable(&l->mshr, mshr))
		return l1_refuse(a, MR_RF_MERGE);
	if (!l1_load_room(a, more != 0))
		return l1_refuse(a, MR_RF_QUEUE);
	if (more)
		fetch(a, mshr, more);
	if (unlikely(l->watch != NULL))
		l->watch->merged = !more;
	++*(more ? &l->cc->misses : &l->cc->merges);
	u32 slot = l->mshr.e[mshr].slot;
	if (l->ideal.n && slot != TAGS_NONE) {
		if (more)
			ideal_miss(&l->ideal, slot, a->line, sectors_with(more), sectors_needed(l, a->t), l->cc);
		else
			ideal_use(&l->ideal, slot, a->line, sectors_needed(l, a->t));
	}
	return l1_wait(a, mshr, need);
}

static enum mem_result load_miss(const struct access *a, u32 set, u32 i, u8 need_sectors)
{
	struct l1 *l = a->l;
	if (is_local(a))
		return l1_fetch_line(a, set, i, need_sectors);
	bool absent = i == TAGS_NONE;
	u32 have = absent ? 0 : words_of(l, i)->have, need = a->t->words & ~have;
	u32 want = words_in(sectors_needed(l, a->t)) & ~have;
	if (!need) /* of its sectors other words are missing */
		return l1_hit(a, i);
	if (!absent && (need & words_of(l, i)->stale))
		return l1_refuse(a, MR_RF_MERGE);
	if (!absent && l->tags.line[i].pending)
		return join(a, l->tags.line[i].mshr, want, need);
	if (absent && (i = tags_victim(&l->tags, set, l->tags.ways - l->st->lent)) == TAGS_NONE)
		return l1_refuse(a, MR_RF_LINE);
	if (!mshr_available(&l->mshr))
		return l1_refuse(a, MR_RF_MSHR);
	if (!l1_load_room(a, 1 + (absent && l1_leaves(a, i))))
		return l1_refuse(a, MR_RF_QUEUE);
	if (absent)
		l1_take_place(a, set, i);
	u32 mshr = mshr_alloc(&l->mshr, a->line, i, false, a->now, l->cc);
	l->tags.line[i].mshr = (u16)mshr;
	l1_miss_event(a, mshr);
	fetch(a, mshr, want);
	l->cc->misses++;
	if (l->ideal.n)
		ideal_miss(&l->ideal, i, a->line, sectors_with(want), sectors_needed(l, a->t), l->cc);
	return l1_wait(a, mshr, need);
}

/* Words that an atomic has asked for are the newest there are when they come: whoever registers them later waits until
 * they have been here. */
static enum mem_result load_asked(const struct access *a, u32 i, u32 need)
{
	struct l1 *l = a->l;
	u32 mshr = l->tags.line[i].mshr;
	if ((need & ~words_of(l, i)->asked) || !mshr_mergeable(&l->mshr, mshr))
		return l1_refuse(a, MR_RF_MERGE);
	l->cc->merges++;
	if (l->ideal.n)
		ideal_use(&l->ideal, i, a->line, sectors_needed(l, a->t));
	return l1_wait(a, mshr, need);
}

/* Copies of others' words are dropped, and read past the cache; what is owned is the newest there is. Each such load
 * asks for itself: the answer to an older one may have left its slice before what this one has to see. */
static enum mem_result load_fresh(const struct access *a)
{
	struct l1 *l = a->l;
	u32 i = tags_find(&l->tags, a->set, a->line);
	u32 owned = i == TAGS_NONE ? 0 : words_of(l, i)->owned, need = a->t->words & ~owned;
	if (!need)
		return l1_hit(a, i);
	if (i != TAGS_NONE && (need & words_of(l, i)->asked))
		return load_asked(a, i, need);
	if (!mshr_available(&l->mshr))
		return l1_refuse(a, MR_RF_MSHR);
	if (!l1_load_room(a, 1))
		return l1_refuse(a, MR_RF_QUEUE);
	if (i != TAGS_NONE)
		denovo_lose(l, a->line, i, need);
	u32 mshr = mshr_alloc(&l->mshr, a->line, TAGS_NONE, false, a->now, l->cc);
	l1_miss_event(a, mshr);
	fetch(a, mshr, need);
	l->cc->bypasses++;
	return l1_wait(a, mshr, need);
}

/* Copies of an MSHR's words have come; `more` may be read too. Words that an atomic has asked for besides are waited
 * for until they come to be owned. */
static void arrive(struct mem *m, u32 sm, u32 mshr, u32 words, u32 more, u64 now)
{
	struct l1 *l = &m->l1[sm * MC_COUNT + MC_L1D];
	const struct mshr_entry *e = &l->mshr.e[mshr];
	u64 line = e->line;
	u32 slot = e->slot, out[256];
	struct words *w = slot == TAGS_NONE ? NULL : words_of(l, slot);
	u32 twice = w ? words & w->twice : 0, left = e->pending & (~words | twice);
	BUG_ON(!e->used || (words & ~e->pending) || (w && (words & w->asked & ~w->twice)));
	l->cc->fills += l->sectored ? sector_count(sectors_with(words)) : 1;
	struct event_buf *ev = mem_shared_ev(m);
	if (event_wanted(ev, EV_L1_FILL)) {
		struct event *x = event_add(ev, EV_L1_FILL, now);
		x->sm = (s32)sm;
		x->arg[0] = line;
	}
	l1_tell_fill(m, sm, MC_L1D, mshr, words & ~twice, now);
	u32 n = mshr_arrive(&l->mshr, mshr, words & ~twice, out, now, l->cc);
	if (w) {
		w->have |= (words | more) & ~(w->stale | w->asked);
		w->twice &= ~words;
		l->tags.line[slot].pending &= sectors_with(left);
		denovo_settle(l, slot);
	}
	l1_answered(m, sm, MC_L1D, line, out, n);
}

/* The slice's part of a load's words. */
static void deliver(struct mem *m, u32 pi, u64 now)
{
	const struct packet *p = &m->packet[pi];
	if (p->op == OP_GET)
		denovo_got(m, p->sm, p->tag, p->words, p->sm, now);
	else
		arrive(m, p->sm, p->tag, p->words, m->denovo->more[pi], now);
}

/* --- stores ------------------------------------------------------------------------------------------------------- */
static void buffer_store(const struct access *a, u32 place, u32 fresh, u32 joined)
{
	struct mem *m = a->m;
	struct store_buffer *b = &m->denovo->buffer[a->sm];
	struct store_entry *all = &m->denovo->store[(size_t)a->sm * m->c.l1d_stores];
	u32 k = b->free ? b->free - 1 : b->fresh++;
	BUG_ON(k >= m->c.l1d_stores);
	if (b->free)
		b->free = all[k].next;
	b->used++;
	all[k] = (struct store_entry){.line = a->line,
	                              .place = place,
	                              .sent = fresh,
	                              .awaited = fresh | joined,
	                              .token = a->token & (u32)bit_range(TOKEN_BITS),
	                              .used = true};
	if (fresh)
		l1_queue_push(a, OP_OWN, a->line, sectors_with(fresh), k, l1_launch_of(a), false, fresh);
	m->port[a->sm].outstanding++;
	m->port[a->sm].stores++;
}

static enum mem_result store_global(const struct access *a)
{
	struct l1 *l = a->l;
	u32 i = tags_find(&l->tags, a->set, a->line);
	bool absent = i == TAGS_NONE;
	u32 owned = absent ? 0 : words_of(l, i)->owned, fresh = a->t->words & ~owned;
	u32 joined = absent ? 0 : words_of(l, i)->unacked & a->t->words;
	if (!absent && (words_of(l, i)->asked & a->t->words))
		return l1_refuse(a, MR_RF_MERGE); /* atomics came before it */
	if (absent && (i = tags_victim(&l->tags, a->set, l->tags.ways - l->st->lent)) == TAGS_NONE)
		return l1_refuse(a, MR_RF_LINE);
	u32 places = (fresh != 0) + (absent && l1_leaves(a, i));
	if ((places && !l1_queue_room(a, places)) || ((fresh | joined) && a->m->port[a->sm].stores >= a->m->c.l1d_stores))
		return l1_refuse(a, MR_RF_QUEUE);
	l1_count_store(a, absent ? TAGS_NONE : i);
	if (absent)
		l1_take_place(a, a->set, i);
	tags_touch(&l->tags, i);
	l->cc->writes++;
	l->cc->hits += !fresh;
	l->cc->misses += fresh != 0;
	l->cc->write_misses += fresh != 0;
	struct words *w = words_of(l, i);
	w->owned |= fresh;
	w->have |= fresh;
	w->unacked |= fresh;
	denovo_settle(l, i);
	denovo_tell(mem_sm_ev(a->m, a->sm), a->sm, a->line, fresh, WORDS_OWNED, a->sm, a->now);
	if (l->ideal.n)
		ideal_use(&l->ideal, i, a->line, a->t->sectors);
	if (fresh | joined)
		buffer_store(a, i, fresh, joined);
	l1_accept(l);
	return fresh | joined ? MR_SENT : MR_HIT;
}

static enum mem_result store(const struct access *a)
{
	if (is_local(a))
		return l1_store_local(a);
	if (denovo_cached(a))
		return store_global(a);
	if (!l1_store_room(a))
		return l1_refuse(a, MR_RF_QUEUE);
	a->l->cc->misses++;
	a->l->cc->write_misses++;
	a->l->cc->writes++;
	return l1_send_down(a);
}

static u8 evict(const struct l1 *l, const struct line *v)
{
	return v->dirty;
}

/* The words of a store are registered; other entries may have waited for them too. */
static void acknowledged(struct mem *m, u32 sm, u32 entry, u64 now)
{
	struct l1 *l = &m->l1[sm * MC_COUNT + MC_L1D];
	struct store_buffer *b = &m->denovo->buffer[sm];
	struct store_entry *all = &m->denovo->store[(size_t)sm * m->c.l1d_stores];
	u64 line = all[entry].line;
	u32 words = all[entry].sent, place = all[entry].place;
	BUG_ON(!all[entry].used || l->tags.tag[place] != line + 1);
	for (u32 k = 0; k < b->fresh; k++) {
		struct store_entry *x = &all[k];
		if (!x->used || x->line != line || !(x->awaited & words))
			continue;
		x->awaited &= ~words;
		if (x->awaited)
			continue;
		x->used = false;
		x->next = b->free;
		b->free = k + 1;
		b->used--;
		l1_stored(m, sm, x->token);
	}
	words_of(l, place)->unacked &= ~words;
	denovo_tell(mem_shared_ev(m), sm, line, words, WORDS_REGISTERED, sm, now);
	denovo_settle(l, place);
	if (l1_was_refused(m, sm, MC_L1D, 1 << MR_RF_QUEUE | 1 << MR_RF_LINE))
		m->wake[sm / 64] |= BIT(sm % 64);
}

/* --- messages ----------------------------------------------------------------------------------------------------- */
static bool message(struct mem *m, const struct message *g, u64 now)
{
	switch (g->what) {
	case DN_DATA:
		arrive(m, g->to, g->tag, g->words, 0, now);
		denovo_answered(m, g->from, now);
		break;
	case DN_PASSED:
		denovo_got(m, g->to, g->tag, g->words, g->from, now);
		denovo_answered(m, g->from, now);
		break;
	case DN_ACK: acknowledged(m, g->to, g->tag, now); break;
	case DN_DONE:
		m->denovo->backs[g->to]--;
		m->port[g->to].outstanding--;
		if (!--*denovo_leaving(m, g->to, g->addr) && l1_was_refused(m, g->to, MC_L1D, 1 << MR_RF_QUEUE))
			m->wake[g->to / 64] |= BIT(g->to % 64);
		break;
	case DN_TAKEN:
	case DN_BACK: denovo_told(m, g, now); break;
	default: denovo_asked(m, g, now);
	}
	return true;
}

/* --- kernels ------------------------------------------------------------------------------------------------------ */
/* Its MSHR has lost its place, and gets it back. */
static bool empty_but_asked(struct l1 *l, u32 i)
{
	struct words *w = words_of(l, i);
	l->mshr.e[l->tags.line[i].mshr].slot = i;
	w->have = w->owned;
	w->stale |= words_in(sectors_with(denovo_copies(l, i)));
	return denovo_settle(l, i);
}

static bool empty(struct l1 *l, u32 i)
{
	struct line *v = &l->tags.line[i];
	struct words *w = l->words ? words_of(l, i) : NULL; /* else a cache that is only read */
	if (w && w->asked)
		return empty_but_asked(l, i);
	v->pending = 0;
	if (w && (w->owned | w->unacked | w->have)) {
		w->have = w->owned;
		return denovo_settle(l, i);
	}
	l->tags.key[i] &= ~TAGS_RESERVED;
	v->valid &= v->dirty;
	if (v->valid)
		return true;
	tags_drop(&l->tags, i);
	return false;
}

/* Stores that wait for their slice, and write-backs that have been served there. */
static u32 held(const struct mem *m, u32 sm, u32 *backs, mem_due_fn *fn, void *ctx)
{
	const struct store_buffer *b = &m->denovo->buffer[sm];
	const struct store_entry *all = &m->denovo->store[(size_t)sm * m->c.l1d_stores];
	for (u32 k = 0; fn && k < b->fresh; k++)
		if (all[k].used)
			fn(ctx, sm, all[k].token);
	*backs = m->denovo->backs[sm];
	return b->used;
}

extern const struct coherence_ops coherence_denovo;
const struct coherence_ops coherence_denovo = {
    .name = "denovo",
    .help =
        "words have an owner: the SM that wrote them last keeps them in L1D, across kernels too; what is not owned is "
        "dropped when a kernel starts that has the machine to itself",
    .source =
        "Huzaifa 2020, section 2.1; Sinclair, Alsop and Adve: Efficient GPU synchronization without scopes, MICRO "
        "2015",
    .implies = "noc.switch=booked",
    .words = true,
    .init = init,
    .load_miss = load_miss,
    .load_fresh = load_fresh,
    .store = store,
    .atomic = denovo_atomic,
    .evict = evict,
    .gone = gone,
    .serve = denovo_serve,
    .served = denovo_served,
    .victim = denovo_victim,
    .deliver = deliver,
    .held = held,
    .check = denovo_check,
    .empty = empty,
    .message = message,
    .kernel_start = l1_kernel_start,
};
