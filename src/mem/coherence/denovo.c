/* denovo: words have an owner, and L1D keeps what its SM owns when a kernel starts.
 *
 * - A store owns its words from that moment on and registers them at the line's slice (OP_OWN, a request without data);
 *   it is complete when the slice has acknowledged that, until then it lies in the store buffer (l1d.stores entries). A
 *   store to words that are owned and registered hits. L1D takes a line for a store without fetching it.
 * - A load asks for the words of its sectors that L1D lacks. The slice answers those that it has, and passes the others
 *   on to their owners, who send them to the reader and keep them.
 * - Words that another SM registers are taken from their owner; what is owned goes back to the slice when its line is
 *   replaced (a write-back), when the slice has to replace the line, and before an atomic that the slice executes.
 * - An atomic whose words are all registered here is executed here. Any other one is executed at the slice, and leaves
 *   its words there.
 * - When a kernel starts that has the machine to itself, L1D drops what it does not own (self-invalidation).
 * - Local memory is private: it is cached as under `gpu`.
 *
 * Data that another SM has written may be read after the next kernel's start, or with a load that passes L1D
 * (volatile, relaxed, acquire), as under `gpu`. A store to part of a word counts as one of the whole word.
 *
 * Races on ownership end at the slice: it serves the requests of a line one after the other, and while an owner has not
 * answered, none. What an owner is asked for may cross what it sends:
 *   - a line that it writes back: it answers from there, and the slice takes of a write-back what is still its
 *     sender's. The data is there until the slice has said that the write-back is served, behind its questions;
 *   - a registration: words that are not acknowledged yet are not given up. The slice sends acknowledgements and
 *     questions in order, so it has asked for what the SM owned before, and will find the registration in its input. */
#include "mem/coherence/denovo.h"

static void init(struct mem *m, struct arena *a)
{
	const struct conf *c = &m->c;
	m->denovo = xcalloc(1, sizeof *m->denovo);
	m->denovo->store = ARENA_NEW(a, struct store_entry, (size_t)m->nsms * c->l1d_stores);
	m->denovo->buffer = ARENA_NEW(a, struct store_buffer, m->nsms);
	m->denovo->more = ARENA_NEW(a, u32, m->npackets);
	m->denovo->asked = ARENA_NEW(a, u16, m->nsms);
	m->denovo->backs = ARENA_NEW(a, u16, m->nsms);
	m->denovo->owed = ARENA_NEW(a, u16, m->nslices);
	for (u32 sm = 0; sm < m->nsms; sm++)
		m->l1[sm * MC_COUNT + MC_L1D].words = ARENA_NEW(a, struct words, (size_t)c->l1d_sets * c->l1d_ways);
	for (u32 i = 0; i < m->nslices; i++)
		m->slice[i].home = ARENA_NEW(a, struct home_line, (size_t)c->l2_sets * c->l2_ways);
}

/* --- a line ------------------------------------------------------------------------------------------------------- */
/* After a change of its words: what its sectors are to the tags. True: the line is still there. */
static bool settle(struct l1 *l, u32 i)
{
	struct line *v = &l->tags.line[i];
	struct words *w = words_of(l, i);
	v->valid = sectors_full_of(w->have) & l->tags.full;
	v->dirty = sectors_with(w->owned);
	w->stale &= v->pending ? ~0u : 0;
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

/* As in the event l1-words. */
enum change { WORDS_OWNED, WORDS_REGISTERED, WORDS_READ, WORDS_TAKEN, WORDS_RECALLED, WORDS_WRITTEN };
static void tell(struct event_buf *ev, u32 sm, u64 line, u32 words, enum change change, u64 other, u64 now)
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

static void lose(struct l1 *l, u64 line, u32 i, u32 words)
{
	struct words *w = words_of(l, i);
	w->owned &= ~words;
	w->have &= ~words;
	w->stale |= words & words_in(l->tags.line[i].pending);
	settle(l, i);
	if (l->ideal.n)
		ideal_invalidate(&l->ideal, line, sectors_with(words));
}

static u32 gone(const struct access *a, u32 i)
{
	struct words *w = words_of(a->l, i);
	u32 owned = w->owned;
	*w = (struct words){0};
	tell(mem_sm_ev(a->m, a->sm), a->sm, a->l->tags.tag[i] - 1, owned, WORDS_WRITTEN, a->sm, a->now);
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

/* Copies of others' words are dropped, and read past the cache; what is owned is the newest there is. Each such load
 * asks for itself: the answer to an older one may have left its slice before what this one has to see. */
static enum mem_result load_fresh(const struct access *a)
{
	struct l1 *l = a->l;
	u32 i = tags_find(&l->tags, a->set, a->line);
	u32 owned = i == TAGS_NONE ? 0 : words_of(l, i)->owned, need = a->t->words & ~owned;
	if (!need)
		return l1_hit(a, i);
	if (!mshr_available(&l->mshr))
		return l1_refuse(a, MR_RF_MSHR);
	if (!l1_load_room(a, 1))
		return l1_refuse(a, MR_RF_QUEUE);
	if (i != TAGS_NONE)
		lose(l, a->line, i, need);
	u32 mshr = mshr_alloc(&l->mshr, a->line, TAGS_NONE, false, a->now, l->cc);
	l1_miss_event(a, mshr);
	fetch(a, mshr, need);
	l->cc->bypasses++;
	return l1_wait(a, mshr, need);
}

/* Words of an MSHR's line have come; `more` may be read too. */
static void arrive(struct mem *m, u32 sm, u32 mshr, u32 words, u32 more, u64 now)
{
	struct l1 *l = &m->l1[sm * MC_COUNT + MC_L1D];
	const struct mshr_entry *e = &l->mshr.e[mshr];
	u64 line = e->line;
	u32 slot = e->slot, left = e->pending & ~words, out[256];
	BUG_ON(!e->used || (words & ~e->pending));
	l->cc->fills += l->sectored ? sector_count(sectors_with(words)) : 1;
	struct event_buf *ev = mem_shared_ev(m);
	if (event_wanted(ev, EV_L1_FILL)) {
		struct event *x = event_add(ev, EV_L1_FILL, now);
		x->sm = (s32)sm;
		x->arg[0] = line;
	}
	u32 n = mshr_arrive(&l->mshr, mshr, words, out, now, l->cc);
	if (slot != TAGS_NONE) {
		struct words *w = words_of(l, slot);
		w->have |= (words | more) & ~w->stale;
		l->tags.line[slot].pending &= sectors_with(left);
		settle(l, slot);
	}
	l1_answered(m, sm, MC_L1D, line, out, n);
}

/* The slice's part of a load's words. */
static void deliver(struct mem *m, u32 pi, u64 now)
{
	const struct packet *p = &m->packet[pi];
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
	settle(l, i);
	tell(mem_sm_ev(a->m, a->sm), a->sm, a->line, fresh, WORDS_OWNED, a->sm, a->now);
	if (l->ideal.n)
		ideal_use(&l->ideal, i, a->line, a->t->sectors);
	if (fresh | joined)
		buffer_store(a, i, fresh, joined);
	l1_accept(l);
	return fresh | joined ? MR_SENT : MR_HIT;
}

/* Where global memory is not cached, nothing is owned. */
static bool is_cached(const struct access *a)
{
	return a->l->cached >> MO_LOAD & 1;
}

static enum mem_result store(const struct access *a)
{
	if (is_local(a))
		return l1_store_local(a);
	if (is_cached(a))
		return store_global(a);
	if (!l1_store_room(a))
		return l1_refuse(a, MR_RF_QUEUE);
	a->l->cc->misses++;
	a->l->cc->write_misses++;
	a->l->cc->writes++;
	return l1_send_down(a);
}

/* All its words are registered here: L1D executes it, as it does a store. */
static enum mem_result atomic_hit(const struct access *a, u32 i)
{
	struct l1 *l = a->l;
	tags_touch(&l->tags, i);
	l->cc->hits++;
	l->cc->atomics++;
	ref_hit(l->cc, REF_ATOMIC, a->t->sectors, l->sectored);
	if (l->ideal.n)
		ideal_use(&l->ideal, i, a->line, a->t->sectors);
	l1_accept(l);
	return MR_HIT;
}

/* What is owned of its words goes back ahead of it, unless all of them are. */
static enum mem_result atomic(const struct access *a)
{
	struct l1 *l = a->l;
	u32 i = is_cached(a) ? tags_find(&l->tags, a->set, a->line) : TAGS_NONE;
	u32 words = a->t->words, back = 0;
	if (i != TAGS_NONE && !(words & (~words_of(l, i)->owned | words_of(l, i)->unacked)))
		return atomic_hit(a, i);
	if (i != TAGS_NONE && (words_of(l, i)->unacked & words))
		return l1_refuse(a, MR_RF_QUEUE);
	if (i != TAGS_NONE)
		back = words_of(l, i)->owned & words;
	if (!l1_queue_room(a, 1 + (back != 0)) || a->m->port[a->sm].stores >= a->m->c.l1d_stores)
		return l1_refuse(a, MR_RF_QUEUE);
	if (back)
		l1_write_back(a, a->line, sectors_with(back), back, l1_launch_of(a));
	tell(mem_sm_ev(a->m, a->sm), a->sm, a->line, back, WORDS_WRITTEN, a->sm, a->now);
	if (i != TAGS_NONE)
		lose(l, a->line, i, words);
	l->cc->bypasses++;
	l->cc->atomics++;
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
	tell(mem_shared_ev(m), sm, line, words, WORDS_REGISTERED, sm, now);
	settle(l, place);
	if (l1_was_refused(m, sm, MC_L1D, 1 << MR_RF_QUEUE | 1 << MR_RF_LINE))
		m->wake[sm / 64] |= BIT(sm % 64);
}

/* --- messages ----------------------------------------------------------------------------------------------------- */
/* An owner is asked for words. Its outbox has room for the answer: it is not asked for more than it holds. */
static void asked(struct mem *m, const struct message *g, u64 now)
{
	struct l1 *l = &m->l1[g->to * MC_COUNT + MC_L1D];
	u32 i = tags_find(&l->tags, tags_set(&l->tags, g->addr >> l->tags.line_shift), g->addr);
	struct message answer = {.addr = g->addr, .words = g->words, .launch = g->launch, .from = g->to, .to = g->from};
	answer.tag = g->tag;
	switch (g->what) {
	case DN_READ:
		answer.to = g->about;
		answer.what = DN_DATA;
		answer.class = MSG_DATA;
		l->cc->remote_reads++;
		tell(mem_shared_ev(m), g->to, g->addr, g->words, WORDS_READ, g->about, now);
		break;
	case DN_TAKE:
		l->cc->words_taken++;
		answer.what = DN_TAKEN;
		answer.class = MSG_CONTROL;
		break;
	default:
		l->cc->words_recalled++;
		answer.what = DN_BACK;
		answer.class = MSG_WRITEBACK;
		break;
	}
	if (g->what != DN_READ && i != TAGS_NONE) {
		u32 words = g->words & words_of(l, i)->owned & ~words_of(l, i)->unacked;
		bool taken = g->what == DN_TAKE;
		tell(mem_shared_ev(m), g->to, g->addr, words, taken ? WORDS_TAKEN : WORDS_RECALLED, taken ? g->about : g->to,
		     now);
		if (words)
			lose(l, g->addr, i, words);
		if (words && l1_was_refused(m, g->to, MC_L1D, 1 << MR_RF_LINE))
			m->wake[g->to / 64] |= BIT(g->to % 64);
	}
	if (!mem_send(m, &answer, now))
		BUG("SM %u has no room for an answer", g->to);
}

static bool message(struct mem *m, const struct message *g, u64 now)
{
	switch (g->what) {
	case DN_DATA:
		arrive(m, g->to, g->tag, g->words, 0, now);
		denovo_answered(m, g->from, now);
		break;
	case DN_ACK: acknowledged(m, g->to, g->tag, now); break;
	case DN_DONE:
		m->denovo->backs[g->to]--;
		m->port[g->to].outstanding--;
		break;
	case DN_TAKEN:
	case DN_BACK: denovo_told(m, g, now); break;
	default: asked(m, g, now);
	}
	return true;
}

/* --- kernels ------------------------------------------------------------------------------------------------------ */
static bool empty(struct l1 *l, u32 i)
{
	struct line *v = &l->tags.line[i];
	struct words *w = l->words ? words_of(l, i) : NULL; /* else a cache that is only read */
	v->pending = 0;
	if (w && (w->owned | w->unacked | w->have)) {
		w->have = w->owned;
		return settle(l, i);
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
    .atomic = atomic,
    .evict = evict,
    .gone = gone,
    .serve = denovo_serve,
    .victim = denovo_victim,
    .deliver = deliver,
    .held = held,
    .check = denovo_check,
    .empty = empty,
    .message = message,
    .kernel_start = l1_kernel_start,
};
