/* What others ask of the words that an L1D owns under coherence=denovo: a reader, a slice that needs them back, another
 * SM that has registered them. An owner answers at once, unless the words are on their way to it: then the question
 * waits until they have come, and so do later ones about the line, in order. There is room for all of them, as an owner
 * is not asked for more than noc.message_queue answers at a time. */
#include "mem/coherence/denovo.h"

static struct message *question_at(const struct mem *m, u32 sm, u32 k)
{
	return &m->denovo->question[(size_t)sm * m->c.noc_messages + k];
}

static u32 place_of(const struct l1 *l, u64 line)
{
	return tags_find(&l->tags, tags_set(&l->tags, line >> l->tags.line_shift), line);
}

/* Its outbox has room for the answer: it is not asked for more than it holds. */
static void answer(struct mem *m, const struct message *g, u64 now)
{
	struct l1 *l = &m->l1[g->to * MC_COUNT + MC_L1D];
	u32 i = place_of(l, g->addr);
	struct message answer = {.addr = g->addr, .words = g->words, .launch = g->launch, .from = g->to, .to = g->from};
	answer.tag = g->tag;
	switch (g->what) {
	case DN_READ:
		answer.to = g->about;
		answer.what = DN_DATA;
		answer.class = MSG_DATA;
		l->cc->remote_reads++;
		denovo_tell(mem_shared_ev(m), g->to, g->addr, g->words, WORDS_READ, g->about, now);
		break;
	case DN_TAKE:
		l->cc->words_taken++;
		answer.what = DN_TAKEN;
		answer.class = MSG_CONTROL;
		break;
	case DN_PASS:
		answer.to = g->about;
		l->cc->words_passed++;
		answer.what = DN_PASSED;
		answer.class = MSG_DATA;
		break;
	default:
		l->cc->words_recalled++;
		answer.what = DN_BACK;
		answer.class = MSG_WRITEBACK;
		break;
	}
	if (g->what != DN_READ && i != TAGS_NONE) {
		u32 words = g->words & words_of(l, i)->owned & ~words_of(l, i)->unacked;
		bool taken = g->what != DN_RECALL;
		denovo_tell(mem_shared_ev(m), g->to, g->addr, words, taken ? WORDS_TAKEN : WORDS_RECALLED,
		            taken ? g->about : g->to, now);
		if (words)
			denovo_lose(l, g->addr, i, words);
		if (words && l1_was_refused(m, g->to, MC_L1D, 1 << MR_RF_LINE))
			m->wake[g->to / 64] |= BIT(g->to % 64);
	}
	if (!mem_send(m, &answer, now))
		BUG("SM %u has no room for an answer", g->to);
}

/* Are words of it on their way here, or one of the first n questions about its line waits? */
static bool must_wait(const struct mem *m, const struct message *g, u32 n)
{
	const struct l1 *l = &m->l1[g->to * MC_COUNT + MC_L1D];
	u32 i = place_of(l, g->addr);
	for (u32 k = 0; k < n; k++)
		if (question_at(m, g->to, k)->addr == g->addr)
			return true;
	return i != TAGS_NONE && (words_of(l, i)->asked & g->words);
}

void denovo_asked(struct mem *m, const struct message *g, u64 now)
{
	u32 *n = &m->denovo->buffer[g->to].questions;
	if (!must_wait(m, g, *n)) {
		answer(m, g, now);
		return;
	}
	BUG_ON(*n >= m->c.noc_messages);
	*question_at(m, g->to, (*n)++) = *g;
}

void denovo_answer_waiting(struct mem *m, u32 sm, u64 line, u64 now)
{
	u32 n = m->denovo->buffer[sm].questions, kept = 0;
	for (u32 k = 0; k < n; k++) {
		const struct message g = *question_at(m, sm, k);
		if (g.addr != line || must_wait(m, &g, kept))
			*question_at(m, sm, kept++) = g;
		else
			answer(m, &g, now);
	}
	m->denovo->buffer[sm].questions = kept;
}
