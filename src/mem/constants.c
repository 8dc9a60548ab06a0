#include "mem/constants.h"

#include "base/bits.h"
#include "mem/l1.h"

void constants_init(struct mem *m, struct arena *a)
{
	if (m->c.l1c_behind != L1C_BEHIND_L1I)
		return;
	m->constants = ARENA_NEW(a, struct fifo, m->nsms);
	m->on_the_way = ARENA_NEW(a, struct constant_answer, (size_t)m->nsms * m->c.l1c_mshrs);
}

/* The same access as L1I sees it: a whole line. */
struct at_l1i {
	struct access a;
	struct mem_txn t;
};

static void look(const struct access *of, struct at_l1i *x)
{
	struct l1 *l1i = &of->m->l1[of->sm * MC_COUNT + MC_L1I];
	const struct tags *tags = &l1i->tags;
	x->a = *of;
	x->a.l = l1i;
	x->a.cache = MC_L1I;
	x->a.op = MO_LOAD;
	x->a.line = tags_line_of(tags, of->line);
	x->a.set = tags_set(tags, x->a.line >> tags->line_shift);
	x->a.t = &x->t;
	x->t = (struct mem_txn){.addr = x->a.line, .bytes = (u16)(1u << tags->line_shift), .sectors = tags->full};
}

bool constants_room(const struct access *a)
{
	struct at_l1i x;
	look(a, &x);
	const struct l1 *l = x.a.l;
	u32 i = tags_find(&l->tags, x.a.set, x.a.line);
	if (i == TAGS_NONE)
		return tags_victim(&l->tags, x.a.set, l->tags.ways) != TAGS_NONE && mshr_available(&l->mshr) &&
		       l1_queue_room(&x.a, l1_places(&x.a, l->tags.full));
	return !l->tags.line[i].pending || mshr_mergeable(&l->mshr, l->tags.line[i].mshr);
}

static void push(struct mem *m, u32 sm, u32 mshr, bool dram, u64 ready)
{
	const u32 places = m->c.l1c_mshrs;
	const u32 at = fifo_push(&m->constants[sm], places);
	m->on_the_way[(size_t)sm * places + at] = (struct constant_answer){.ready = ready, .mshr = mshr, .dram = dram};
}

void constants_ask(const struct access *a, u32 mshr)
{
	struct at_l1i x;
	look(a, &x);
	HOP_TELL(a->m->ear, .what = NEWS_L1I, .cycle = a->now, .sm = a->sm, .cache = a->cache, .addr = a->line, .id = mshr);
	struct l1 *l = x.a.l;
	x.a.token = (a->token & ~(u32)bit_range(TOKEN_BITS)) | mshr;
	const struct l1_state before = *l->st;
	u32 i = tags_find(&l->tags, x.a.set, x.a.line);
	l1i_counters_of(l)->constant_reads++;
	if (i != TAGS_NONE && !l->tags.line[i].pending) {
		l1_hit(&x.a, i);
		l1i_counters_of(l)->constant_hits++;
		a->m->port[a->sm].outstanding++;
		push(a->m, a->sm, mshr, false, a->now + a->m->c.l1c_behind_latency);
		a->m->fresh[a->sm] |= FRESH_CONSTANT;
	} else if (l1_fetch_line(&x.a, x.a.set, i, l->tags.full) != MR_PENDING) {
		BUG("SM %u: there is room for a constant's line, and L1I refuses it", a->sm);
	}
	l->st->refused = before.refused; /* what L1I has refused to fetches is as it was */
	l->st->changed = before.changed;
}

void constants_evict(const struct access *a, u32 i)
{
	struct l1 *l = a->l;
	const bool constant = a->op == MO_LOAD;
	if (l->tags.tag[i] && l->tags.line[i].owner != constant)
		++*(constant ? &l1i_counters_of(l)->constant_evictions : &l1i_counters_of(l)->code_evictions);
}

void constants_come(struct mem *m, u32 sm, const u32 *out, u32 n, u64 now)
{
	for (u32 i = 0; i < n; i++)
		if (constants_wait(out[i]))
			push(m, sm, out[i] & (u32)bit_range(TOKEN_BITS), (out[i] & ANSWER_DRAM) != 0,
			     now + m->c.l1c_behind_latency);
	if (m->constants[sm].n)
		constants_arm(m, sm);
	constants_retry(m, sm);
}

void constants_retry(struct mem *m, u32 sm)
{
	if (l1_was_refused(m, sm, MC_L1C, 1 << MR_RF_QUEUE))
		m->wake[sm / 64] |= BIT(sm % 64);
}

void constants_arm(struct mem *m, u32 sm)
{
	wheel_set(&m->wheel, m->timer_constants + sm, constants_at(m, sm, 0)->ready);
}

void constants_run(struct mem *m, u32 sm, u64 now)
{
	while (m->constants[sm].n && constants_at(m, sm, 0)->ready <= now) {
		const u32 mshr = constants_at(m, sm, 0)->mshr;
		const bool dram = constants_at(m, sm, 0)->dram;
		fifo_pop(&m->constants[sm], m->c.l1c_mshrs);
		m->port[sm].outstanding--;
		l1_fill(m, sm, MC_L1C, mshr, m->l1[sm * MC_COUNT + MC_L1C].tags.full, dram, now);
	}
	if (m->constants[sm].n)
		constants_arm(m, sm);
}
