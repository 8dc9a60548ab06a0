/* Do both sides of coherence=denovo agree? Between any two cycles:
 *
 *   - a word that an L1D holds as its own and that is registered has this SM as its owner at the slice, or a message on
 *     its way that takes it; so no two do: one owner a word;
 *   - a slice's owner of a word holds it, or has sent it back (a write-back that the slice has not served, an answer);
 *   - a word that an atomic has asked for is on its way once: in a request, a message or a question that waits at the
 *     owner before;
 *   - every entry of a store buffer has one registration on its way, at its slice or on its way back;
 *   - the answers that a slice awaits, and those that owners owe, are on their way. */
#include "mem/coherence/denovo.h"

#include <stdlib.h>

/* --- what is on its way ------------------------------------------------------------------------------------------- */
typedef void each_fn(void *ctx, const struct message *g);
static void each_message(const struct mem *m, each_fn *fn, void *ctx)
{
	u32 size = m->c.noc_messages;
	for (u32 p = 0; p < mem_num_endpoints(m); p++) {
		const struct endpoint *d = &m->endpoint[p];
		for (u32 k = 0; k < d->out.n; k++)
			fn(ctx, &m->outbox[(size_t)p * size + fifo_at(&d->out, size, k)].msg);
		for (u32 k = 0; k < d->in.n; k++)
			fn(ctx, &m->inbox[(size_t)p * size + fifo_at(&d->in, size, k)].msg);
	}
	for (u32 sm = 0; sm < m->nsms; sm++)
		for (u32 k = 0; k < m->denovo->buffer[sm].questions; k++)
			fn(ctx, &m->denovo->question[(size_t)sm * size + k]);
}

/* Words of a line that an SM's requests of a kind are about, in its miss queue and in packets. */
static u32 requested(const struct mem *m, u32 sm, u32 op, u64 line)
{
	u32 words = 0;
	for (u32 k = 0; k < m->port[sm].q.n; k++) {
		const struct sm_request *r = mem_request_at(m, sm, k);
		words |= r->op == op && r->addr == line ? r->words : 0;
	}
	for (u32 i = 0; i < m->pool->fresh; i++) {
		const struct packet *p = &m->packet[i];
		bool there = p->state == PS_REPLY && op != OP_GET; /* what it was about has been done */
		if (p->state != PS_FREE && !there && p->sm == sm && p->op == op && p->addr == line)
			words |= p->words;
	}
	return words;
}

struct told { /* words of a line that messages to, or from, an SM are about */
	u64 line;
	u32 sm, takes, gives, acks;
	u32 comes, twice; /* to be its own, for an atomic; of them, more than once */
};
static void look(void *ctx, const struct message *g)
{
	struct told *t = ctx;
	if (g->addr != t->line)
		return;
	if (g->to == t->sm && (g->what == DN_TAKE || g->what == DN_RECALL || g->what == DN_PASS))
		t->takes |= g->words;
	if (g->from == t->sm && (g->what == DN_TAKEN || g->what == DN_BACK))
		t->gives |= g->words;
	if ((g->what == DN_PASS && g->about == t->sm) || (g->what == DN_PASSED && g->to == t->sm)) {
		t->twice |= t->comes & g->words;
		t->comes |= g->words;
	}
	if (g->to == t->sm && g->what == DN_ACK)
		t->acks |= g->words;
}

/* --- a line of an L1D --------------------------------------------------------------------------------------------- */
static u32 owned_at_home(const struct mem *m, u64 line, u32 sm)
{
	struct mem_place place = map_place(&m->map, line);
	const struct slice *s = &m->slice[place.slice];
	u32 i = tags_find(&s->tags, tags_set(&s->tags, map_slice_line(&m->map, &place, line)), line), words = 0;
	for (u32 w = 0; i != TAGS_NONE && w < DENOVO_WORDS; w++)
		words |= home_of(s, i)->owner[w] == sm + 1 ? 1u << w : 0;
	return words;
}

/* A request that the slice has served in part has lost what it has passed on. */
static bool check_asked(const struct mem *m, u32 sm, u64 line, u32 asked, struct err *e)
{
	struct told t = {.line = line, .sm = sm};
	each_message(m, look, &t);
	u32 requests = requested(m, sm, OP_GET, line);
	HOLDS(!t.twice && !(requests & t.comes) && (requests | t.comes) == asked,
	      "l1d %u: line %#llx: words %#x are asked for, requests are on their way for %#x, owners are to send %#x, %#x "
	      "of them twice",
	      sm, (unsigned long long)line, asked, requests, t.comes, t.twice);
	return true;
}

static bool check_words(const struct mem *m, u32 sm, u64 line, const struct words *w, struct err *e)
{
	HOLDS(!(w->owned & ~w->have), "l1d %u: line %#llx: words %#x are owned, of them only %#x may be read", sm,
	      (unsigned long long)line, w->owned, w->have);
	HOLDS(!(w->asked & (w->have | w->unacked)) && !(w->twice & ~w->asked),
	      "l1d %u: line %#llx: words %#x are asked for, %#x twice, of them %#x are there, %#x are stored", sm,
	      (unsigned long long)line, w->asked, w->twice, w->asked & w->have, w->asked & w->unacked);
	if (w->asked && !check_asked(m, sm, line, w->asked, e))
		return false;
	u32 sure = w->owned & ~w->unacked, other = sure & ~owned_at_home(m, line, sm);
	if (!other)
		return true;
	struct told t = {.line = line, .sm = sm};
	each_message(m, look, &t);
	HOLDS(!(other & ~t.takes), "l1d %u: line %#llx: words %#x are owned, but not registered", sm,
	      (unsigned long long)line, other & ~t.takes);
	return true;
}

static bool check_l1(const struct mem *m, u32 sm, struct err *e)
{
	const struct l1 *l = &m->l1[sm * MC_COUNT + MC_L1D];
	const struct tags *t = &l->tags;
	for (u32 n = 0; *t->stamp && n < t->sets * t->ways; n++) {
		u32 i = tags_place(t, n / t->ways, n % t->ways);
		const struct words *w = &l->words[n];
		HOLDS(t->tag[i] || !(w->have | w->owned | w->unacked | w->asked), "l1d %u: a free place has words", sm);
		if (t->tag[i] && !check_words(m, sm, t->tag[i] - 1, w, e))
			return false;
	}
	return true;
}

/* --- store buffers ------------------------------------------------------------------------------------------------ */
static bool check_entries(const struct mem *m, u32 sm, struct err *e)
{
	const struct l1 *l = &m->l1[sm * MC_COUNT + MC_L1D];
	const struct store_buffer *b = &m->denovo->buffer[sm];
	u32 used = 0;
	for (u32 k = 0; k < b->fresh; k++) {
		const struct store_entry *x = &m->denovo->store[(size_t)sm * m->c.l1d_stores + k];
		if (!x->used)
			continue;
		used++;
		HOLDS(x->awaited && !(x->sent & ~x->awaited), "store buffer %u: entry %u waits for %#x, has sent %#x", sm, k,
		      x->awaited, x->sent);
		HOLDS(l->tags.tag[x->place] == x->line + 1, "store buffer %u: the line of entry %u has gone", sm, k);
		HOLDS(!(x->awaited & ~words_of(l, x->place)->unacked),
		      "store buffer %u: entry %u waits for %#x, unknown are %#x", sm, k, x->awaited,
		      words_of(l, x->place)->unacked);
	}
	HOLDS(used == b->used, "store buffer %u: %u entries, counted %u", sm, used, b->used);
	return true;
}

/* --- slices ------------------------------------------------------------------------------------------------------- */
static bool check_owner(const struct mem *m, u64 line, u32 sm, u32 words, struct err *e)
{
	const struct l1 *l = &m->l1[sm * MC_COUNT + MC_L1D];
	u32 i = tags_find(&l->tags, tags_set(&l->tags, line >> l->tags.line_shift), line);
	u32 other = words & ~(i == TAGS_NONE ? 0 : words_of(l, i)->owned | words_of(l, i)->unacked | words_of(l, i)->asked);
	if (!other)
		return true;
	other &= ~requested(m, sm, OP_WRITEBACK, line);
	struct told t = {.line = line, .sm = sm};
	if (other)
		each_message(m, look, &t);
	HOLDS(!(other & ~t.gives & ~t.acks), "line %#llx: words %#x are registered for SM %u, which has not got them",
	      (unsigned long long)line, other, sm);
	return true;
}

static bool check_home(const struct mem *m, u32 slice, struct err *e)
{
	const struct slice *s = &m->slice[slice];
	const struct tags *t = &s->tags;
	for (u32 n = 0; *t->stamp && n < t->sets * t->ways; n++) {
		const struct home_line *h = &s->home[n];
		u32 i = tags_place(t, n / t->ways, n % t->ways), owned = 0, seen = 0;
		for (u32 w = 0; w < DENOVO_WORDS; w++)
			owned += h->owner[w] != 0;
		HOLDS(owned == h->owned, "l2 slice %u: %u words of a line have owners, counted %u", slice, owned, h->owned);
		HOLDS(t->tag[i] || !(h->owned | h->awaited), "l2 slice %u: a free place has owners", slice);
		for (u32 w = 0; h->owned && w < DENOVO_WORDS; w++) {
			u32 o = h->owner[w], its = 0;
			if (!o || (seen >> w & 1))
				continue;
			for (u32 k = w; k < DENOVO_WORDS; k++)
				its |= h->owner[k] == o ? 1u << k : 0;
			seen |= its;
			if (!check_owner(m, t->tag[i] - 1, o - 1, its, e))
				return false;
		}
	}
	return true;
}

struct count {
	u32 *asked, *awaited; /* by SM, by slice */
	u32 nsms;
};
static void count(void *ctx, const struct message *g)
{
	struct count *c = ctx;
	bool answer = g->what == DN_DATA || g->what == DN_TAKEN || g->what == DN_BACK || g->what == DN_PASSED;
	if (g->what == DN_READ || g->what == DN_TAKE || g->what == DN_RECALL || g->what == DN_PASS)
		c->asked[g->to]++;
	if (answer)
		c->asked[g->from]++;
	if (g->what == DN_TAKE || g->what == DN_RECALL)
		c->awaited[g->from - c->nsms]++;
	if (g->what == DN_TAKEN || g->what == DN_BACK)
		c->awaited[g->to - c->nsms]++;
}

/* Messages in the network's own buffers are counted by it alone; then nothing is known here. */
static bool check_counts(const struct mem *m, struct err *e)
{
	struct count c = {xcalloc(m->nsms, sizeof(u32)), xcalloc(m->nslices, sizeof(u32)), m->nsms};
	bool ok = true, hidden = false;
	each_message(m, count, &c);
	for (u32 p = 0; p < mem_num_endpoints(m); p++)
		hidden |= m->endpoint[p].travelling != 0;
	for (u32 sm = 0; ok && !hidden && sm < m->nsms; sm++)
		if (c.asked[sm] != m->denovo->asked[sm])
			ok = err_set(e, "SM %u: %u questions and answers of an owner are on their way, counted %u", sm, c.asked[sm],
			             m->denovo->asked[sm]);
	for (u32 i = 0; ok && !hidden && i < m->nslices; i++) {
		const struct slice *s = &m->slice[i];
		u32 awaited = 0, owed = 0;
		for (u32 n = 0; n < s->tags.sets * s->tags.ways; n++) {
			awaited += s->home[n].awaited;
			owed += s->home[n].waiter != 0;
		}
		if (awaited != c.awaited[i] || owed != m->denovo->owed[i])
			ok = err_set(e, "l2 slice %u: awaits %u answers, on their way are %u; owes %u, counted %u", i, awaited,
			             c.awaited[i], owed, m->denovo->owed[i]);
	}
	free(c.asked);
	free(c.awaited);
	return ok;
}

bool denovo_check(const struct mem *m, struct err *e)
{
	bool hidden = false;
	for (u32 p = 0; p < mem_num_endpoints(m); p++)
		hidden |= m->endpoint[p].travelling != 0;
	for (u32 sm = 0; sm < m->nsms; sm++)
		if (!check_entries(m, sm, e) || (!hidden && !check_l1(m, sm, e)))
			return false;
	for (u32 i = 0; !hidden && i < m->nslices; i++)
		if (!check_home(m, i, e))
			return false;
	return check_counts(m, e);
}
