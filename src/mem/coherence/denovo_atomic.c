/* Atomics under coherence=denovo, at the SM's side.
 *
 * An atomic runs in L1D on words that are owned and registered there. It asks for the others (OP_GET): the line's MSHR
 * waits for them, as it waits for the copies that loads have asked for, and further atomics on these words join. The
 * slice makes the SM the owner of the words in the order in which requests come, and does not wait for anybody: what is
 * nobody's it sends, what is another SM's that one passes on (DN_PASS). So the SMs that ask for a word form a queue
 * through their L1Ds.
 *
 * - A word that has come is used at once by all that wait for it here, and may then be passed on. It does not wait for
 *   other words of the same atomic: two SMs that have one word each and need both would wait for each other.
 * - Until then, who asks for it here waits (denovo_owner.c). A question can only be about a registration that the slice
 *   has made, and then the word is on its way, from somebody whose registration is older. So the oldest one never
 * waits.
 * - A question may also be about what the SM owned before and has written back. To tell the two apart, an atomic does
 *   not ask for words of a line whose write-back has not been acknowledged. */
#include "mem/coherence/denovo.h"

/* All its words are registered here: L1D executes it, as it does a store. */
static enum mem_result hit(const struct access *a, u32 i)
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

/* --- at the slice ------------------------------------------------------------------------------------------------- */
/* What is owned of its words goes back ahead of it. */
static enum mem_result send_down(const struct access *a, u32 i)
{
	struct l1 *l = a->l;
	u32 words = a->t->words, back = i == TAGS_NONE ? 0 : words_of(l, i)->owned & words;
	if (!l1_queue_room(a, 1 + (back != 0)) || a->m->port[a->sm].stores >= a->m->c.l1d_stores)
		return l1_refuse(a, MR_RF_QUEUE);
	if (back) {
		++*denovo_leaving(a->m, a->sm, a->line);
		l1_write_back(a, a->line, sectors_with(back), back, l1_launch_of(a));
	}
	denovo_tell(mem_sm_ev(a->m, a->sm), a->sm, a->line, back, WORDS_WRITTEN, a->sm, a->now);
	if (i != TAGS_NONE)
		denovo_lose(l, a->line, i, words);
	l->cc->bypasses++;
	l->cc->atomics++;
	return l1_send_down(a);
}

/* --- here --------------------------------------------------------------------------------------------------------- */
/* Words leave for the slice. A copy that the SM has is not read any more: the atomic comes before what reads it now. */
static void ask(const struct access *a, u32 i, u32 mshr, u32 words)
{
	struct l1 *l = a->l;
	struct words *w = words_of(l, i);
	w->twice |= words & denovo_copies(l, i);
	w->asked |= words;
	l->mshr.e[mshr].pending |= words;
	tags_reserve(&l->tags, i, sectors_with(words));
	w->have &= ~words;
	denovo_settle(l, i);
	l1_queue_push(a, OP_GET, a->line, sectors_with(words), mshr, l1_launch_of(a), false, words);
}

/* Can it ask for words, and wait for those it needs? *at: the place of the line, or one for it. */
static enum mem_result find_room(const struct access *a, u32 *at, u32 words)
{
	const struct l1 *l = a->l;
	bool absent = *at == TAGS_NONE, pending = !absent && l->tags.line[*at].pending;
	if (words && *denovo_leaving(a->m, a->sm, a->line))
		return MR_RF_QUEUE;
	if (absent && (*at = tags_victim(&l->tags, a->set, l->tags.ways - l->st->lent)) == TAGS_NONE)
		return MR_RF_LINE;
	if (pending && !mshr_mergeable(&l->mshr, l->tags.line[*at].mshr))
		return MR_RF_MERGE;
	if (!pending && !mshr_available(&l->mshr))
		return MR_RF_MSHR;
	u32 places = (words != 0) + (absent && l1_leaves(a, *at));
	if ((places && !l1_queue_room(a, places)) || a->m->port[a->sm].stores >= a->m->c.l1d_stores)
		return MR_RF_QUEUE;
	return MR_HIT;
}

static enum mem_result miss(const struct access *a, u32 i)
{
	struct l1 *l = a->l;
	bool absent = i == TAGS_NONE;
	u32 need = a->t->words & (absent ? ~0u : ~words_of(l, i)->owned);
	u32 words = need & (absent ? ~0u : ~words_of(l, i)->asked);
	u32 look = ref_look(&l->tags, i, a->t->sectors, true, l->sectored), mshr;
	enum mem_result r = find_room(a, &i, words);
	if (r != MR_HIT)
		return l1_refuse(a, r);
	if (absent)
		l1_take_place(a, a->set, i);
	if (l->tags.line[i].pending) {
		mshr = l->tags.line[i].mshr;
	} else {
		mshr = mshr_alloc(&l->mshr, a->line, i, false, a->now, l->cc);
		l->tags.line[i].mshr = (u16)mshr;
		l1_miss_event(a, mshr);
	}
	if (words)
		ask(a, i, mshr, words);
	++*(words ? &l->cc->misses : &l->cc->merges);
	ref_count(l->cc, REF_ATOMIC, look);
	if (l->ideal.n && words)
		ideal_miss(&l->ideal, i, a->line, sectors_with(words), a->t->sectors, l->cc);
	else if (l->ideal.n)
		ideal_use(&l->ideal, i, a->line, a->t->sectors);
	return l1_wait_atomic(a, mshr, need);
}

enum mem_result denovo_atomic(const struct access *a)
{
	const struct l1 *l = a->l;
	u32 i = denovo_cached(a) ? tags_find(&l->tags, a->set, a->line) : TAGS_NONE;
	if (i != TAGS_NONE && (words_of(l, i)->unacked & a->t->words))
		return l1_refuse(a, MR_RF_QUEUE);
	if (i != TAGS_NONE && !(a->t->words & ~words_of(l, i)->owned))
		return hit(a, i);
	if (denovo_cached(a) && a->m->c.denovo_atomics == DENOVO_ATOMICS_L1)
		return miss(a, i);
	return send_down(a, i);
}

void denovo_got(struct mem *m, u32 sm, u32 mshr, u32 words, u32 from, u64 now)
{
	struct l1 *l = &m->l1[sm * MC_COUNT + MC_L1D];
	const struct mshr_entry *e = &l->mshr.e[mshr];
	const u64 line = e->line;
	const u32 i = e->slot;
	u32 out[256];
	BUG_ON(!e->used || i == TAGS_NONE || l->tags.line[i].mshr != mshr || (words & ~words_of(l, i)->asked));
	struct words *w = words_of(l, i);
	u32 again = words & w->twice, left = e->pending & (~words | again);
	l->cc->fills += l->sectored ? sector_count(sectors_with(words)) : 1;
	w->asked &= ~words;
	w->twice &= ~words;
	w->owned |= words;
	w->have |= words;
	denovo_tell(mem_shared_ev(m), sm, line, words, WORDS_GOT, from, now);
	l1_tell_fill(m, sm, MC_L1D, mshr, words, now);
	u32 n = mshr_arrive_but(&l->mshr, mshr, words, again, out, now, l->cc);
	l->tags.line[i].pending &= sectors_with(left);
	denovo_settle(l, i);
	l1_answered(m, sm, MC_L1D, line, out, n);
	denovo_answer_waiting(m, sm, line, now);
}
