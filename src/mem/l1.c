/* The SM's caches: L1 data, constant, texture and instruction cache are the same code with other parameters.
 *
 * - Loads allocate on miss with the line reserved; the MSHR merges later requests. With sectors only the missing ones
 * are fetched, and an access that needs more sectors of a line on its way sends a further request (a miss).
 * - With the cache off (l1d.cache_global=false) global loads fetch the 32 B sectors they touch and are tracked by MSHRs
 *   without a line.
 *
 * What L1D does with stores, atomics, lines that are replaced, and the start of a kernel is the rule of coherence
 * (coherence/), which puts it together from the mechanisms here (l1.h).
 *
 * A replaced dirty line needs a miss queue place beside the miss itself; an empty queue takes both even when it has one
 * place. */
#include "base/bits.h"
#include "mem/l1.h"
#include "mem/ref_count.h"
#include "mem/use.h"

static u64 *rf_counter(struct cache_counters *cc, enum mem_result mr)
{
	switch (mr) {
	case MR_RF_LINE: return &cc->rf_line;
	case MR_RF_MSHR: return &cc->rf_mshr;
	case MR_RF_MERGE: return &cc->rf_merge;
	default: return &cc->rf_queue;
	}
}

static u32 answer_word(u32 token, u32 cache, u32 op)
{
	return (token & (u32)bit_range(TOKEN_BITS)) | cache << TOKEN_BITS | op << 26;
}

static inline void push_answer(struct mem *m, u32 sm, u32 word)
{
	struct sm_port *p = &m->port[sm];
	m->answers[(size_t)sm * m->answers_size + fifo_push(&p->answers, m->answers_size)] = word;
	m->wake[sm / 64] |= BIT(sm % 64);
}

bool mem_pop(struct mem *m, u32 sm, u64 now, struct mem_reply *out)
{
	struct sm_port *p = &m->port[sm];
	if (!p->answers.n)
		return false;
	u32 w = m->answers[(size_t)sm * m->answers_size + fifo_pop(&p->answers, m->answers_size)];
	*out = (struct mem_reply){
	    .token = w & 0xffffff, .cache = w >> 24 & 3, .op = (u8)answer_op(w), .dram = (w & ANSWER_DRAM) != 0};
	p->outstanding--;
	if (out->op == MO_STORE || out->op == MO_LOCAL_STORE || out->op == MO_RED || out->op == MO_ATOMIC) {
		p->stores--;
		l1_was_refused(m, sm, MC_L1D, 1 << MR_RF_QUEUE);
	}
	return true;
}

/* Counts a refusal and remembers what would end it. (The event l1-refuse is the LSU's: it knows the warp.) */
enum mem_result l1_refuse(const struct access *a, enum mem_result mr)
{
	struct l1_state *st = a->l->st;
	++*rf_counter(a->l->cc, mr);
	st->many = st->refused && (st->many || st->refused_line != a->line);
	st->refused |= 1u << mr;
	st->refused_line = a->line;
	st->refused_set = a->set;
	st->changed = false;
	return mr;
}

bool l1_was_refused(struct mem *m, u32 sm, u32 cache, u32 reasons)
{
	struct l1_state *st = m->l1[sm * MC_COUNT + cache].st;
	if (!(st->refused & reasons))
		return false;
	st->changed = true;
	return true;
}

bool mem_retry_wanted(const struct mem *m, u32 sm, enum mem_cache c)
{
	const struct l1_state *st = m->l1[sm * MC_COUNT + c].st;
	return st->changed || !st->refused;
}

void mem_count_refused(struct mem *m, u32 sm, enum mem_cache c, enum mem_result mr, u64 n)
{
	*rf_counter(m->l1[sm * MC_COUNT + c].cc, mr) += n;
}

/* --- the miss queue ----------------------------------------------------------------------------------------------- */
bool l1_queue_room(const struct access *a, u32 n)
{
	if (unlikely(a->m->constants != NULL) && a->cache == MC_L1C)
		return constants_room(a);
	u32 queued = a->l->st->queued;
	if (queued + n > a->l->missq && queued)
		return false;
	return !a->m->c.noc_shared || noc_port_takes(a->m, &a->m->port[a->sm], n);
}

inline bool l1_load_room(const struct access *a, u32 n)
{
	u32 least = a->cache == MC_L1D ? a->m->c.l1d_missq_free : 0;
	return !MAX(n, least) || l1_queue_room(a, MAX(n, least));
}

void l1_queue_push(const struct access *a, u32 op, u64 line, u8 sectors, u32 tag, u32 launch, bool partial, u32 words)
{
	struct mem *m = a->m;
	struct sm_port *p = &m->port[a->sm];
	u32 at = fifo_push(&p->q, m->missq_size);
	m->missq[(size_t)a->sm * m->missq_size + at] = (struct sm_request){.addr = line,
	                                                                   .ready = a->now,
	                                                                   .tag = tag,
	                                                                   .launch = launch,
	                                                                   .cache = a->cache,
	                                                                   .op = (u8)op,
	                                                                   .sectors = sectors,
	                                                                   .partial = partial,
	                                                                   .words = words};
	a->l->st->queued++;
	HOP_TELL(m->ear, .what = NEWS_SEND, .cycle = a->now, .sm = a->sm, .cache = a->cache, .op = (u8)op, .addr = line,
	         .sectors = sectors, .id = tag, .hit = waits_for_data(op));
	if (unlikely(m->source != NULL))
		a->l->st->queued += sector_count(sectors) - 1;
	m->fresh[a->sm] |= FRESH_REQUEST;
}

void l1_queue_moved(struct mem *m, u32 sm, u32 cache)
{
	m->l1[sm * MC_COUNT + cache].st->queued--;
	if (l1_was_refused(m, sm, cache, 1 << MR_RF_QUEUE))
		m->wake[sm / 64] |= BIT(sm % 64);
	if (unlikely(m->constants != NULL) && cache == MC_L1I)
		constants_retry(m, sm);
}

void l1_port_moved(struct mem *m, u32 sm)
{
	for (u32 k = 0; k < MC_COUNT; k++)
		if (l1_was_refused(m, sm, k, 1 << MR_RF_QUEUE))
			m->wake[sm / 64] |= BIT(sm % 64);
}

/* --- loads -------------------------------------------------------------------------------------------------------- */
/* What an access waits for. */
static inline void tell_wait(const struct access *a, u32 mshr, u32 need)
{
	HOP_TELL(a->m->ear, .what = NEWS_WAIT, .cycle = a->now, .sm = a->sm, .cache = a->cache, .op = a->op,
	         .addr = a->line, .sectors = need, .id = mshr);
}

/* Sectors of an MSHR leave for the L2 and are waited for. */
static void fetch(const struct access *a, u32 mshr, u8 sectors)
{
	const struct mshr_entry *e = &a->l->mshr.e[mshr];
	mshr_ask(&a->l->mshr, mshr, sectors);
	if (e->slot != TAGS_NONE)
		tags_reserve(&a->l->tags, e->slot, sectors);
	if (unlikely(a->m->constants != NULL) && a->cache == MC_L1C)
		constants_ask(a, mshr);
	else
		l1_queue_push(a, a->op, a->line, sectors, mshr, l1_launch_of(a), false, 0);
}

inline enum mem_result l1_wait(const struct access *a, u32 mshr, u32 need)
{
	u32 slot = a->l->mshr.e[mshr].slot;
	if (slot != TAGS_NONE)
		tags_touch(&a->l->tags, slot);
	mshr_wait(&a->l->mshr, mshr, answer_word(a->token, a->cache, a->op), need);
	tell_wait(a, mshr, need);
	a->m->port[a->sm].outstanding++;
	a->l->cc->reads++;
	l1_accept(a->l);
	return MR_PENDING;
}

enum mem_result l1_wait_atomic(const struct access *a, u32 mshr, u32 need)
{
	tags_touch(&a->l->tags, a->l->mshr.e[mshr].slot);
	mshr_wait(&a->l->mshr, mshr, answer_word(a->token, a->cache, a->op), need);
	tell_wait(a, mshr, need);
	a->m->port[a->sm].outstanding++;
	a->m->port[a->sm].stores++;
	a->l->cc->atomics++;
	l1_accept(a->l);
	return a->op == MO_ATOMIC ? MR_PENDING : MR_SENT;
}

/* The line (or some of it) is on its way already. *first: the counter of an access that must fetch more sectors. */
static enum mem_result join(const struct access *a, u32 mshr, u8 need, u64 *first)
{
	struct l1 *l = a->l;
	u8 more = need & (u8)~l->mshr.e[mshr].pending;
	if (!mshr_mergeable(&l->mshr, mshr))
		return l1_refuse(a, MR_RF_MERGE);
	if (!mshr_sectors_room(&l->mshr, sector_count(more)))
		return l1_refuse(a, MR_RF_MSHR);
	if (!l1_load_room(a, l1_places(a, more)))
		return l1_refuse(a, MR_RF_QUEUE);
	if (more)
		fetch(a, mshr, more);
	if (unlikely(l->watch != NULL))
		l->watch->merged = !more;
	++*(more ? first : &l->cc->merges);
	return l1_wait(a, mshr, need);
}

/* The same for a line of the cache. */
static enum mem_result join_line(const struct access *a, u32 i, u8 need)
{
	struct l1 *l = a->l;
	u32 mshr = l->tags.line[i].mshr;
	u8 more = need & (u8)~l->mshr.e[mshr].pending, have = sectors_needed(l, a->t);
	enum mem_result r = join(a, mshr, need, &l->cc->misses);
	if (r != MR_PENDING || !l->ideal.n)
		return r;
	if (more)
		ideal_miss(&l->ideal, i, a->line, more, have, l->cc);
	else
		ideal_use(&l->ideal, i, a->line, have);
	return r;
}

inline u8 l1_leaves(const struct access *a, u32 i)
{
	const struct line *v = &a->l->tags.line[i];
	return v->dirty ? a->m->rule->evict(a->l, v) : 0;
}

void l1_write_back(const struct access *a, u64 line, u8 sectors, u32 words, u32 launch)
{
	a->l->cc->writebacks++;
	a->m->port[a->sm].outstanding++;
	l1_queue_push(a, OP_WRITEBACK, line, sectors, 0, launch, false, words);
}

static inline void evict(const struct access *a, u32 set, u32 i)
{
	struct l1 *l = a->l;
	struct line *v = &l->tags.line[i];
	if (!l->tags.tag[i])
		return;
	u64 line = l->tags.tag[i] - 1;
	l->cc->evictions++;
	if (unlikely(l->watch != NULL)) {
		l->watch->evicted = true;
		l->watch->victim = line;
		l->watch->owner = v->owner;
	}
	if (l->loss)
		*l->loss = (struct l1_loss){.launch = owner_of(l, set, i)->launch, .cta = owner_of(l, set, i)->cta};
	struct event_buf *ev = mem_sm_ev(a->m, a->sm);
	if (event_wanted(ev, EV_L1_EVICT) && a->cache == MC_L1D) {
		struct event *e = event_add(ev, EV_L1_EVICT, a->now);
		e->sm = (s32)a->sm;
		e->arg[0] = line;
		e->arg[1] = a->t->addr;
		e->arg[2] = owner_of(l, set, i)->launch;
		e->arg[3] = owner_of(l, set, i)->cta;
	}
	u8 back = l1_leaves(a, i);
	u32 words = a->m->rule->gone && a->cache == MC_L1D ? a->m->rule->gone(a, i) : 0;
	if (back)
		l1_write_back(a, line, back, words, owner_of(l, set, i)->launch);
}

inline void l1_miss_event(const struct access *a, u32 mshr)
{
	struct event_buf *ev = mem_sm_ev(a->m, a->sm);
	if (!event_wanted(ev, EV_L1_MISS) || a->cache != MC_L1D)
		return;
	struct event *e = event_add(ev, EV_L1_MISS, a->now);
	e->sm = (s32)a->sm;
	e->arg[0] = a->line;
	e->arg[1] = mshr;
}

/* Puts the access's line into place i, whose line has to go. */
void l1_take_place(const struct access *a, u32 set, u32 i)
{
	struct l1 *l = a->l;
	if (unlikely(a->m->constants != NULL) && a->cache == MC_L1I)
		constants_evict(a, i);
	evict(a, set, i);
	tags_install(&l->tags, i, a->line);
	if (unlikely(a->m->constants != NULL) && a->cache == MC_L1I)
		l->tags.line[i].owner = a->op == MO_LOAD;
	if (!l->owner)
		return;
	u32 place = a->token >> TOKEN_BITS;
	l->tags.line[i].owner = (u8)place;
	*owner_of(l, set, i) = a->m->holder[a->sm * MEM_PLACES + place];
}

enum mem_result l1_fetch_line(const struct access *a, u32 set, u32 i, u8 need)
{
	struct l1 *l = a->l;
	bool absent = i == TAGS_NONE;
	if (!absent && l->tags.line[i].pending)
		return join_line(a, i, need);
	if (absent && (i = tags_victim(&l->tags, set, l->tags.ways - l->st->lent)) == TAGS_NONE)
		return l1_refuse(a, MR_RF_LINE);
	if (!mshr_available(&l->mshr) || !mshr_sectors_room(&l->mshr, sector_count(need)))
		return l1_refuse(a, MR_RF_MSHR);
	if (!l1_load_room(a, l1_places(a, need) + (absent ? l1_places(a, l1_leaves(a, i)) : 0)))
		return l1_refuse(a, MR_RF_QUEUE);
	if (absent)
		l1_take_place(a, set, i);
	u32 mshr = mshr_alloc(&l->mshr, a->line, i, false, a->now, l->cc);
	l->tags.line[i].mshr = (u16)mshr;
	l1_miss_event(a, mshr);
	fetch(a, mshr, need);
	l->cc->misses++;
	if (l->ideal.n)
		ideal_miss(&l->ideal, i, a->line, need, sectors_needed(l, a->t), l->cc);
	return l1_wait(a, mshr, need);
}

static inline enum mem_result load_hit(struct l1 *l, u32 i, u64 line, u8 need, enum mem_cache c)
{
	if (c == MC_L1D)
		ref_hit(l->cc, REF_READ, need, l->sectored);
	tags_touch(&l->tags, i);
	if (l->ideal.n)
		ideal_use(&l->ideal, i, line, need);
	l->cc->hits++;
	l->cc->reads++;
	l1_accept(l);
	return MR_HIT;
}

enum mem_result l1_hit(const struct access *a, u32 i)
{
	return load_hit(a->l, i, a->line, sectors_needed(a->l, a->t), a->cache);
}

enum mem_result l1_fetch_around(const struct access *a)
{
	struct l1 *l = a->l;
	u32 mshr = mshr_find(&l->mshr, a->line);
	if (mshr != MSHR_NONE)
		return join(a, mshr, a->t->sectors, &l->cc->bypasses);
	if (!mshr_available(&l->mshr) || !mshr_sectors_room(&l->mshr, sector_count(a->t->sectors)))
		return l1_refuse(a, MR_RF_MSHR);
	if (!l1_load_room(a, l1_places(a, a->t->sectors)))
		return l1_refuse(a, MR_RF_QUEUE);
	mshr = mshr_alloc(&l->mshr, a->line, TAGS_NONE, true, a->now, l->cc);
	l1_miss_event(a, mshr);
	fetch(a, mshr, a->t->sectors);
	l->cc->bypasses++;
	return l1_wait(a, mshr, a->t->sectors);
}

/* --- down to L2 --------------------------------------------------------------------------------------------------- */
bool l1_drop_touched(const struct access *a)
{
	struct tags *t = &a->l->tags;
	/* A cache that never held a line, as of a kernel that copies past it, is not searched. */
	const bool used = *t->stamp;
	u32 i = used ? tags_find(t, a->set, a->line) : TAGS_NONE;
	if (a->op == MO_STORE)
		l1_count_store(a, i);
	if (!used)
		return false;
	u8 gone = sectors_needed(a->l, a->t);
	if (unlikely(a->m->ear != NULL))
		use_tell_gone(a->m, a->sm, a->line, i == TAGS_NONE ? gone : gone & (u8)~t->line[i].pending, a->now);
	if (i == TAGS_NONE) {
		if (a->l->ideal.n)
			ideal_invalidate(&a->l->ideal, a->line, gone);
		return false;
	}
	struct line *v = &t->line[i];
	bool hit = v->valid & a->t->sectors;
	v->valid &= (u8)~gone;
	if (a->l->keeps)
		v->dirty &= (u8)~gone;
	if (a->l->ideal.n)
		ideal_invalidate(&a->l->ideal, a->line, gone & (u8)~v->pending);
	if (!v->valid && !v->pending && !v->dirty)
		tags_drop(t, i);
	return hit;
}

enum mem_result l1_send_down(const struct access *a)
{
	struct sm_port *p = &a->m->port[a->sm];
	bool partial = a->t->bytes < sector_count(a->t->sectors) * SECTOR_BYTES;
	l1_queue_push(a, a->op, a->line, a->t->sectors, a->token & (u32)bit_range(TOKEN_BITS), l1_launch_of(a), partial,
	              a->t->words);
	p->outstanding++;
	p->stores++;
	l1_accept(a->l);
	return a->op == MO_ATOMIC ? MR_PENDING : MR_SENT;
}

bool l1_store_room(const struct access *a)
{
	return l1_queue_room(a, l1_places(a, a->t->sectors)) && a->m->port[a->sm].stores < a->m->c.l1d_stores;
}

enum mem_result l1_store_local(const struct access *a)
{
	struct l1 *l = a->l;
	struct tags *t = &l->tags;
	u32 i = tags_find(t, a->set, a->line);
	if (i != TAGS_NONE && (t->line[i].valid & a->t->sectors) == a->t->sectors) {
		t->line[i].dirty |= a->t->sectors;
		tags_touch(t, i);
		if (l->ideal.n)
			ideal_use(&l->ideal, i, a->line, a->t->sectors);
		ref_hit(l->cc, REF_WRITE, a->t->sectors, l->sectored);
		l->cc->hits++;
		l->cc->writes++;
		l1_accept(a->l);
		return MR_HIT;
	}
	if (!l1_store_room(a))
		return l1_refuse(a, MR_RF_QUEUE);
	l1_count_store(a, i);
	l->cc->misses++;
	l->cc->write_misses++;
	l->cc->writes++;
	return l1_send_down(a);
}

static inline struct access make_access(struct mem *m, u32 sm, enum mem_cache c, enum mem_op op,
                                        const struct mem_txn *t, u32 token, u32 set, u64 now)
{
	struct l1 *l = &m->l1[sm * MC_COUNT + c];
	struct access a = {.m = m, .l = l, .t = t, .now = now, .line = tags_line_of(&l->tags, t->addr)};
	a.sm = sm;
	a.token = token;
	a.set = set;
	a.cache = (u8)c;
	a.op = (u8)op;
	return a;
}

/* A load that has not found all its sectors in place i; the line is absent when i is TAGS_NONE. These two are not
 * inlined: most accesses are loads that hit, which need neither a struct access nor registers saved. */
static __attribute__((noinline)) enum mem_result access_missed(struct mem *m, u32 sm, enum mem_cache c, enum mem_op op,
                                                               const struct mem_txn *t, u32 token, u64 now, u32 set,
                                                               u32 i)
{
	struct access a = make_access(m, sm, c, op, t, token, set, now);
	u8 need = sectors_needed(a.l, t);
	u32 look = ref_look(&a.l->tags, i, need, false, a.l->sectored);
	if (i != TAGS_NONE)
		need &= (u8)~a.l->tags.line[i].valid;
	enum mem_result r = c == MC_L1D ? m->rule->load_miss(&a, set, i, need) : l1_fetch_line(&a, set, i, need);
	if (r == MR_PENDING && c == MC_L1D)
		ref_count(a.l->cc, REF_READ, look);
	return r;
}

/* A cache that has all there is (l1i.perfect, l1c.perfect). */
static enum mem_result hit_always(struct l1 *l)
{
	l->cc->hits++;
	l->cc->reads++;
	l1_accept(l);
	return MR_HIT;
}

/* What is no load of a cached line. */
static __attribute__((noinline)) enum mem_result
access_uncached(struct mem *m, u32 sm, enum mem_cache c, enum mem_op op, const struct mem_txn *t, u32 token, u64 now)
{
	const struct tags *tags = &m->l1[sm * MC_COUNT + c].tags;
	struct access a = make_access(m, sm, c, op, t, token, tags_set(tags, t->addr >> tags->line_shift), now);
	if (a.l->perfect)
		return hit_always(a.l);
	switch (op) {
	case MO_LOAD:
	case MO_PREFETCH: return l1_fetch_around(&a);
	case MO_LOAD_VOLATILE: a.op = MO_LOAD; return m->rule->load_fresh(&a);
	default: break;
	}
	if (c != MC_L1D)
		BUG("memory operation %d presented to read-only cache %d", op, c);
	return op == MO_STORE || op == MO_LOCAL_STORE ? m->rule->store(&a) : m->rule->atomic(&a);
}

enum mem_result mem_access(struct mem *m, u32 sm, enum mem_cache c, enum mem_op op, const struct mem_txn *t, u32 token,
                           u64 now)
{
	struct l1 *l = &m->l1[sm * MC_COUNT + c];
	if (!(l->cached >> op & 1))
		return access_uncached(m, sm, c, op, t, token, now);
	u64 line = tags_line_of(&l->tags, t->addr);
	u32 set = tags_set(&l->tags, line >> l->tags.line_shift), i = tags_find(&l->tags, set, line);
	u8 need = sectors_needed(l, t);
	if (i == TAGS_NONE || (need & ~l->tags.line[i].valid))
		return access_missed(m, sm, c, op, t, token, now, set, i);
	return load_hit(l, i, line, need, c);
}

enum mem_result mem_access_watched(struct mem *m, u32 sm, enum mem_cache c, enum mem_op op, const struct mem_txn *t,
                                   u32 token, u64 now, struct l1_watch *w)
{
	struct l1 *l = &m->l1[sm * MC_COUNT + c];
	*w = (struct l1_watch){.owner = NONE};
	l->watch = w;
	enum mem_result r = mem_access(m, sm, c, op, t, token, now);
	l->watch = NULL;
	return r;
}

void mem_tell_losses(struct mem *m, u32 sm, struct l1_loss *to)
{
	m->l1[sm * MC_COUNT + MC_L1D].loss = to;
}

static bool context_fits(const struct access *a, bool out)
{
	if (out)
		return l1_store_room(a);
	return mshr_available(&a->l->mshr) && mshr_sectors_room(&a->l->mshr, sector_count(a->t->sectors)) &&
	       l1_load_room(a, l1_places(a, a->t->sectors));
}

bool mem_context(struct mem *m, u32 sm, bool out, const struct mem_txn *t, u32 token, u64 now)
{
	struct l1 *l = &m->l1[sm * MC_COUNT + MC_L1D];
	struct access a = make_access(m, sm, MC_L1D, out ? MO_STORE : MO_LOAD, t, token,
	                              tags_set(&l->tags, t->addr >> l->tags.line_shift), now);
	const struct l1_state before = *l->st;
	struct use_look look;
	if (!context_fits(&a, out))
		return false;
	use_look(m, sm, MC_L1D, t->addr, &look);
	if (out) {
		l->cc->bypasses++;
		l->cc->writes++;
		l1_send_down(&a);
	} else if (l1_fetch_around(&a) != MR_PENDING) {
		BUG("SM %u: there is room for a context's line, and L1D refuses it", sm);
	}
	l->st->refused = before.refused; /* as l1_accept() does not leave it */
	l->st->changed = before.changed;
	if (unlikely(m->ear != NULL)) {
		const struct holder *h = &m->holder[sm * MEM_PLACES + (token >> TOKEN_BITS)];
		struct use_news n = {.cycle = now, .kernel = h->launch, .cta = (u32)h->cta, .pc = NONE, .warp = UINT8_MAX};
		use_tell(m, sm, MC_L1D, a.op, t, &look, &n);
	}
	return true;
}

struct l1_use mem_l1_use(const struct mem *m, u32 sm, enum mem_cache c)
{
	const struct l1 *l = &m->l1[sm * MC_COUNT + c];
	return (struct l1_use){.mshrs = l->mshr.st->used, .queue = l->st->queued};
}

/* --- answers ------------------------------------------------------------------------------------------------------ */
/* The refusals that data for a line may have ended: a line frees its own set, an answer its own merge list. */
static u32 helped_by_fill(const struct l1 *l, u64 line)
{
	const struct l1_state *st = l->st;
	u32 reasons = 1 << MR_RF_MSHR;
	if (st->many || st->refused_set == tags_set(&l->tags, line >> l->tags.line_shift))
		reasons |= 1 << MR_RF_LINE;
	if (st->many || st->refused_line == line)
		reasons |= 1 << MR_RF_MERGE;
	return reasons;
}

inline void l1_answered(struct mem *m, u32 sm, u32 cache, u64 line, const u32 *out, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (cache == MC_L1I && answer_op(out[i]) == MO_PREFETCH)
			m->port[sm].outstanding--;                            /* nobody waits */
		else if (cache != MC_L1I || answer_op(out[i]) != MO_LOAD) /* a constant's: constants_come() */
			push_answer(m, sm, out[i]);
	if (l1_was_refused(m, sm, cache, helped_by_fill(&m->l1[sm * MC_COUNT + cache], line)))
		m->wake[sm / 64] |= BIT(sm % 64);
}

void l1_stored(struct mem *m, u32 sm, u32 token)
{
	push_answer(m, sm, answer_word(token, MC_L1D, MO_STORE));
}

void l1_fill(struct mem *m, u32 sm, u32 cache, u32 mshr, u8 sectors, bool dram, u64 now)
{
	struct l1 *l = &m->l1[sm * MC_COUNT + cache];
	const struct mshr_entry *e = &l->mshr.e[mshr];
	u64 line = e->line;
	u32 out[256];
	l->cc->fills += l->sectored ? sector_count(sectors) : e->pending == sectors;
	struct event_buf *ev = mem_shared_ev(m);
	if (event_wanted(ev, EV_L1_FILL) && cache == MC_L1D) {
		struct event *x = event_add(ev, EV_L1_FILL, now);
		x->sm = (s32)sm;
		x->arg[0] = line;
	}
	if (e->slot != TAGS_NONE)
		tags_arrive(&l->tags, e->slot, sectors);
	l1_tell_fill(m, sm, cache, mshr, sectors, now);
	u32 n = mshr_arrive(&l->mshr, mshr, sectors, out, now, l->cc);
	for (u32 i = 0; dram && i < n; i++)
		out[i] |= ANSWER_DRAM;
	if (unlikely(m->constants != NULL) && cache == MC_L1I)
		constants_come(m, sm, out, n, now);
	l1_answered(m, sm, cache, line, out, n);
}

void l1_deliver(struct mem *m, u32 pi, u64 now)
{
	const struct packet *p = &m->packet[pi];
	if (unlikely(p->words && carries_data_down(p->op) && p->op != MO_ATOMIC)) {
		m->rule->deliver(m, pi, now);
		return;
	}
	switch (p->op) {
	case MO_LOAD:
	case MO_LOCAL_LOAD:
	case MO_FETCH:
	case MO_PREFETCH: l1_fill(m, p->sm, p->cache, p->tag, p->sectors, p->dram, now); break;
	case OP_WRITEBACK: m->port[p->sm].outstanding--; break;
	case MO_ATOMIC:
		HOP_TELL(m->ear, .what = NEWS_GOT, .cycle = now, .sm = p->sm, .cache = p->cache, .addr = p->addr, .id = p->tag);
		/* fallthrough */
	default: push_answer(m, p->sm, answer_word(p->tag, p->cache, p->op) | (p->dram ? ANSWER_DRAM : 0));
	}
}

void l1_invalidate(const struct mem *m, struct l1 *l)
{
	bool kept = false;
	for (u32 i = 0; i < l->mshr.st->fresh; i++)
		l->mshr.e[i].slot = TAGS_NONE;
	if (!*l->tags.stamp) /* never held a line, as on SMs without work */
		return;
	for (u32 set = 0; set < l->tags.sets && *l->tags.stamp != l->st->empty_at; set++)
		for (u32 i = tags_place(&l->tags, set, 0), end = i + l->tags.ways; i < end; i++)
			if (l->tags.tag[i])
				kept |= m->rule->empty(l, i);
	if (l->ideal.n)
		ideal_invalidate_all(&l->ideal, kept ? &l->tags : NULL);
	if (!kept)
		l->st->empty_at = *l->tags.stamp;
	if (unlikely(m->ear != NULL))
		use_tell_emptied(m, (u32)(l - m->l1) / MC_COUNT);
}

void l1_kernel_start(struct mem *m, u32 sm, bool alone)
{
	if (alone)
		l1_invalidate(m, &m->l1[sm * MC_COUNT + MC_L1D]);
}

void mem_cta_start(struct mem *m, u32 sm, u64 warps, u32 launch, u64 cta)
{
	FOR_EACH_BIT(w, warps)
	m->holder[sm * MEM_PLACES + w] = (struct holder){.cta = cta, .launch = launch};
}

void mem_warp_start(struct mem *m, u32 sm, u32 place, u32 launch, u64 cta)
{
	m->holder[sm * MEM_PLACES + place] = (struct holder){.cta = cta, .launch = launch};
}

void mem_warp_moves(struct mem *m, u32 sm, u32 from, u32 to)
{
	m->holder[sm * MEM_PLACES + to] = m->holder[sm * MEM_PLACES + from];
}

void mem_carve(struct mem *m, u32 sm, u32 ways)
{
	struct l1 *l = &m->l1[sm * MC_COUNT + MC_L1D];
	if (l->st->lent == ways)
		return;
	l1_invalidate(m, l);
	l->st->lent = ways;
	if (l->ideal.n)
		ideal_resize(&l->ideal, l->tags.sets * ways);
}

u32 mem_l1d_lines(const struct mem *m, u32 sm)
{
	const struct l1 *l = &m->l1[sm * MC_COUNT + MC_L1D];
	return l->tags.sets * (l->tags.ways - l->st->lent);
}

void mem_kernel_start(struct mem *m, u32 sm, bool alone)
{
	m->rule->kernel_start(m, sm, alone);
}

void mem_kernel_end(struct mem *m, bool last)
{
	for (u32 sm = 0; m->rule->kernel_end && sm < m->nsms; sm++)
		m->rule->kernel_end(m, sm, last);
}
