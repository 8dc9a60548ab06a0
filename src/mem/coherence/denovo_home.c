/* The slice's side of coherence=denovo: where a line's words are registered.
 *
 * An owner is sent a message for its words; its answer is counted at the line (`awaited`). While answers are awaited,
 * requests of this line wait at the slice's head, and so do those behind them. Nobody waits for the slice meanwhile but
 * who has a request there, and owners answer whatever they do, so the answers come. (An owner whose word is on its way
 * to it answers when it has come: from a slice that has sent it, or from an owner before, which the same is true of.)
 * What is passed on to readers and to atomics is not awaited. */
#include "mem/coherence/denovo.h"

static u32 room(const struct mem *m, u32 slice)
{
	return m->c.noc_messages - m->endpoint[m->nsms + slice].out.n - m->denovo->owed[slice];
}

/* The first owner of any of these words beside one SM, and which of them it owns. 0: nobody. */
static u32 next_owner(const struct home_line *h, u32 words, u32 but, u32 *its)
{
	u32 owner = 0;
	*its = 0;
	if (!h->owned)
		return 0;
	FOR_EACH_BIT(w, (u64)words)
	{
		u32 o = h->owner[w];
		if (!o || o == but + 1 || (owner && o != owner))
			continue;
		owner = o;
		*its |= 1u << w;
	}
	return owner;
}

/* Asks an owner for words: false, there is no room for the message or its answer. spare: places of the slice's outbox
 * that must be left. */
static bool ask(struct mem *m, u32 slice, const struct packet *p, u64 line, u32 owner, u32 words, u32 what, u32 spare,
                u64 now)
{
	struct message g = {.addr = line, .words = words, .launch = p->launch, .about = p->sm, .tag = p->tag};
	if (room(m, slice) < 1 + spare || m->denovo->asked[owner] >= m->c.noc_messages)
		return false;
	g.from = (u16)(m->nsms + slice);
	g.to = (u16)owner;
	g.what = (u8)what;
	g.class = what == DN_READ ? MSG_READ : MSG_CONTROL;
	if (!mem_send(m, &g, now))
		BUG("slice %u has no room for a message", slice);
	m->denovo->asked[owner]++;
	return true;
}

static void acknowledge(struct mem *m, u32 slice, u64 line, u32 words, u32 sm, u32 tag, u32 launch, u32 what, u64 now)
{
	struct message g = {.addr = line, .words = words, .launch = launch, .tag = tag, .to = (u16)sm, .what = (u8)what};
	g.class = MSG_CONTROL;
	g.from = (u16)(m->nsms + slice);
	if (!mem_send(m, &g, now))
		BUG("slice %u has no room for an acknowledgement", slice);
}

static void set_owner(struct home_line *h, u32 words, u32 owner)
{
	FOR_EACH_BIT(w, (u64)words)
	{
		h->owned += (owner != 0) - (h->owner[w] != 0);
		h->owner[w] = (u8)owner;
	}
}

/* The packet's way ends here: a message answers. */
static void take(struct mem *m, u32 pi)
{
	packet_free(m, pi);
	m->noc->absorbed++;
}

/* All words of these that have an owner are called back; MR_HIT: none has. */
static enum mem_result call_back(struct mem *m, u32 slice, const struct packet *p, u64 line, struct home_line *h,
                                 u32 words, u64 now)
{
	for (u32 o, its; (o = next_owner(h, words, NONE - 1, &its));) {
		if (!ask(m, slice, p, line, o - 1, its, DN_RECALL, 0, now))
			return MR_RF_QUEUE;
		m->slice[slice].cc->words_recalled++;
		h->awaited++;
		words &= ~its;
		if (!words)
			break;
	}
	return h->awaited ? MR_RF_LINE : MR_HIT;
}

/* A store registers its words; their owners before are told, and the store is complete when they have answered. */
static enum mem_result own(struct mem *m, u32 slice, u32 pi, u32 i, u64 now)
{
	struct slice *s = &m->slice[slice];
	const struct packet *p = &m->packet[pi];
	u32 look = ref_look(&s->tags, i, p->need, true, m->l2_sectored), its;
	bool absent = i == TAGS_NONE;
	if (!room(m, slice))
		return MR_RF_QUEUE;
	if (absent) {
		enum mem_result mr = l2_make_room(m, slice, p, 0, now, &i);
		if (mr != MR_HIT)
			return mr;
		*home_of(s, i) = (struct home_line){0};
	}
	struct home_line *h = home_of(s, i);
	for (u32 o; (o = next_owner(h, p->words, p->sm, &its));) {
		if (!ask(m, slice, p, p->addr, o - 1, its, DN_TAKE, 1, now))
			return MR_RF_QUEUE;
		set_owner(h, its, p->sm + 1u);
		s->cc->words_taken++;
		h->awaited++;
	}
	set_owner(h, p->words, p->sm + 1u);
	tags_touch(&s->tags, i);
	s->cc->hits += !absent;
	s->cc->misses += absent;
	s->cc->write_misses += absent;
	s->cc->writes++;
	ref_count(s->cc, REF_WRITE, look);
	if (s->ideal.n)
		ideal_use(&s->ideal, i, p->addr, 0);
	if (h->awaited) {
		h->waiter = (u16)(p->sm + 1);
		h->tag = p->tag;
		h->words = p->words;
		h->launch = p->launch;
		m->denovo->owed[slice]++;
	} else {
		acknowledge(m, slice, p->addr, p->words, p->sm, p->tag, p->launch, DN_ACK, now);
	}
	take(m, pi);
	return MR_HIT;
}

/* Words come back: those that are still their sender's. */
static void put_back(struct slice *s, u32 i, u32 words, u32 sm)
{
	struct home_line *h = home_of(s, i);
	u32 its = 0;
	FOR_EACH_BIT(w, (u64)words)
	its |= h->owner[w] == sm + 1 ? 1u << w : 0;
	set_owner(h, its, 0);
	s->tags.line[i].dirty |= sectors_with(its);
	s->tags.line[i].valid |= sectors_full_of(its) & s->tags.full;
}

static enum mem_result write_back(struct mem *m, u32 slice, u32 pi, u32 i, u64 now)
{
	struct slice *s = &m->slice[slice];
	const struct packet *p = &m->packet[pi];
	if (!room(m, slice))
		return MR_RF_QUEUE;
	ref_count(s->cc, REF_WRITE, ref_look(&s->tags, i, p->need, true, m->l2_sectored));
	s->cc->writes++;
	s->cc->hits += i != TAGS_NONE;
	s->cc->misses += i == TAGS_NONE; /* all of its words have been called back or taken, and their line replaced */
	s->cc->write_misses += i == TAGS_NONE;
	if (i != TAGS_NONE) {
		put_back(s, i, p->words, p->sm);
		tags_touch(&s->tags, i);
		if (s->ideal.n)
			ideal_use(&s->ideal, i, p->addr, sectors_full_of(p->words));
	}
	acknowledge(m, slice, p->addr, p->words, p->sm, 0, p->launch, DN_DONE, now);
	m->denovo->backs[p->sm]++;
	take(m, pi);
	return MR_HIT;
}

/* Words of these that are nobody's. */
static u32 free_words(const struct home_line *h, u32 words)
{
	for (u32 w = 0; h->owned && w < DENOVO_WORDS; w++)
		if (h->owner[w])
			words &= ~(1u << w);
	return words;
}

/* All owners have been asked, if any, be it in several tries. */
static void count_remote(struct mem *m, u32 slice, u32 pi, u64 now)
{
	if (m->denovo->remote[pi])
		HOP_TELL(m->ear, .what = NEWS_L2, .cycle = now, .id = pi, .slice = slice, .why = NEWS_L2_OWNER);
	m->slice[slice].cc->remote_requests += m->denovo->remote[pi];
	m->l1[m->packet[pi].sm * MC_COUNT + MC_L1D].cc->remote_requests += m->denovo->remote[pi];
	m->denovo->remote[pi] = 0;
}

/* All that a request was for has been passed on to owners. */
static void passed_on(struct mem *m, u32 slice, u32 pi, u32 i, enum ref_kind kind)
{
	struct slice *s = &m->slice[slice];
	s->cc->hits++;
	++*(kind == REF_READ ? &s->cc->reads : &s->cc->writes);
	ref_count(s->cc, kind, REF_HIT);
	tags_touch(&s->tags, i);
	if (s->ideal.n)
		ideal_use(&s->ideal, i, m->packet[pi].addr, 0);
	take(m, pi);
}

/* A load of L1D: words of other SMs are passed on to them. *done: all of them. What is nobody's of the sectors that the
 * slice reads comes along. */
static enum mem_result pass_on(struct mem *m, u32 slice, u32 pi, u32 i, u64 now, bool *done)
{
	struct slice *s = &m->slice[slice];
	struct packet *p = &m->packet[pi];
	for (u32 o, its; (o = next_owner(home_of(s, i), p->words, p->sm, &its));) {
		if (!ask(m, slice, p, p->addr, o - 1, its, DN_READ, 0, now))
			return MR_RF_QUEUE;
		s->cc->remote_reads++;
		m->denovo->remote[pi] = 1;
		p->words &= ~its;
		if (!p->words)
			break;
	}
	count_remote(m, slice, pi, now);
	p->sectors = p->need = sectors_with(p->words);
	m->denovo->more[pi] = free_words(home_of(s, i), words_in(p->sectors));
	*done = !p->words;
	if (*done)
		passed_on(m, slice, pi, i, REF_READ);
	return MR_HIT;
}

/* An atomic registers words and needs their values: owners before pass theirs on to it, which the slice does not wait
 * for. *done: all of them; else the slice reads the others, which are nobody's, and denovo_served() registers them. */
static enum mem_result get(struct mem *m, u32 slice, u32 pi, u32 i, u64 now, bool *done)
{
	struct slice *s = &m->slice[slice];
	struct packet *p = &m->packet[pi];
	struct home_line *h = home_of(s, i);
	for (u32 o, its; (o = next_owner(h, p->words, p->sm, &its));) {
		if (!ask(m, slice, p, p->addr, o - 1, its, DN_PASS, 0, now))
			return MR_RF_QUEUE;
		set_owner(h, its, p->sm + 1u);
		s->cc->words_passed++;
		m->denovo->remote[pi] = 1;
		p->words &= ~its;
		if (!p->words)
			break;
	}
	count_remote(m, slice, pi, now);
	BUG_ON(p->words & ~free_words(h, p->words));
	p->sectors = p->need = sectors_with(p->words);
	*done = !p->words;
	if (*done)
		passed_on(m, slice, pi, i, REF_WRITE);
	return MR_HIT;
}

void denovo_served(struct mem *m, u32 slice, u32 pi)
{
	struct slice *s = &m->slice[slice];
	const struct packet *p = &m->packet[pi];
	u32 i = tags_find(&s->tags, p->set, tags_line_of(&s->tags, p->addr));
	set_owner(home_of(s, i), p->words, p->sm + 1u);
}

enum mem_result denovo_serve(struct mem *m, u32 slice, u32 pi, u64 now, bool *done)
{
	struct slice *s = &m->slice[slice];
	const struct packet *p = &m->packet[pi];
	u64 line = tags_line_of(&s->tags, p->addr);
	u32 i = tags_find(&s->tags, p->set, line);
	struct home_line *h = i == TAGS_NONE ? NULL : home_of(s, i);
	if (h && h->awaited)
		return MR_RF_LINE;
	if (p->op == OP_OWN) {
		*done = true;
		return own(m, slice, pi, i, now);
	}
	if (p->op == OP_WRITEBACK && p->words) {
		*done = true;
		return write_back(m, slice, pi, i, now);
	}
	m->denovo->more[pi] = words_in(p->sectors);
	if (!h || !h->owned)
		return MR_HIT;
	if (p->op == OP_GET)
		return get(m, slice, pi, i, now, done);
	if (p->words && p->op != MO_ATOMIC && p->op != MO_RED && carries_data_down(p->op))
		return pass_on(m, slice, pi, i, now, done);
	return call_back(m, slice, p, line, h, p->words ? p->words : words_in(p->need), now);
}

u32 denovo_victim(struct mem *m, u32 slice, u32 set, u32 i, u64 now)
{
	struct slice *s = &m->slice[slice];
	const struct tags *t = &s->tags;
	u32 free = TAGS_NONE, owned = TAGS_NONE;
	if (!t->tag[i])
		return i;
	for (u32 k = tags_place(t, set, 0), end = k + t->ways; k < end; k++) {
		const struct home_line *h = home_of(s, k);
		if (h->awaited)
			return TAGS_NONE; /* one after the other */
		if (t->key[k] & TAGS_RESERVED)
			continue;
		u32 *best = h->owned ? &owned : &free;
		if (*best == TAGS_NONE || t->key[k] < t->key[*best])
			*best = k;
	}
	if (free != TAGS_NONE || owned == TAGS_NONE)
		return free;
	const struct packet nobody = {.launch = s->home[tags_number(t, owned)].launch};
	call_back(m, slice, &nobody, t->tag[owned] - 1, home_of(s, owned), (u32)bit_range(DENOVO_WORDS), now);
	return TAGS_NONE;
}

void denovo_answered(struct mem *m, u32 owner, u64 now)
{
	m->denovo->asked[owner]--;
	for (u32 i = 0; i < m->nslices; i++)
		l2_unblock(m, i, now);
}

void denovo_told(struct mem *m, const struct message *g, u64 now)
{
	u32 slice = g->to - m->nsms;
	struct slice *s = &m->slice[slice];
	struct mem_place place = map_place(&m->map, g->addr);
	u32 i = tags_find(&s->tags, tags_set(&s->tags, map_slice_line(&m->map, &place, g->addr)), g->addr);
	BUG_ON(i == TAGS_NONE || !home_of(s, i)->awaited);
	struct home_line *h = home_of(s, i);
	if (g->what == DN_BACK)
		put_back(s, i, g->words, g->from);
	if (!--h->awaited && h->waiter) {
		m->denovo->owed[slice]--;
		acknowledge(m, slice, g->addr, h->words, h->waiter - 1u, h->tag, h->launch, DN_ACK, now);
		h->waiter = 0;
	}
	denovo_answered(m, g->from, now);
}
