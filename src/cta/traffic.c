#include "cta/traffic.h"

#include "base/hash.h"

size_t traffic_state_bytes(const struct conf *c)
{
	return c->preempt_traffic ? sizeof(struct traffic) + c->num_sms * sizeof(struct traffic_sm) + 4096 : 0;
}

void traffic_create(struct traffic_ctx *x, const struct conf *c, struct mem *m, struct arena *a)
{
	x->conf = c;
	x->mem = m;
	if (!c->preempt_traffic)
		return;
	x->t = ARENA_NEW(a, struct traffic, 1);
	x->of = ARENA_NEW(a, struct traffic_sm, c->num_sms);
}

static struct context_move *head(const struct traffic_ctx *x, u32 sm)
{
	struct traffic_sm *q = &x->of[sm];
	return q->n ? &q->move[q->first] : NULL;
}

static void add(struct traffic_ctx *x, u32 sm, struct context_move m)
{
	struct traffic_sm *q = &x->of[sm];
	BUG_ON(q->n == TRAFFIC_MOVES);
	q->move[(q->first + q->n++) % TRAFFIC_MOVES] = m;
	x->t->open++;
}

/* Halted until somebody says so: how long it takes is not known. */
static void halt(struct traffic_ctx *x, u32 sm, u32 place, u64 now)
{
	struct sm *s = x->sm[sm];
	FOR_EACH_CTA(i, s)
	if ((i == place || x->conf->preempt_halt == PREEMPT_HALT_SM) && !sm_has_ended(s, i))
		sm_move_context(&x->ctx[sm], s, i, NEVER, now);
}

bool traffic_moves(const struct traffic_ctx *x, u32 sm, u32 slot)
{
	if (!x->t)
		return false;
	const struct traffic_sm *q = &x->of[sm];
	for (u32 i = 0; i < q->n; i++)
		if (cta_in(&q->move[(q->first + i) % TRAFFIC_MOVES].ctas, slot))
			return true;
	return traffic_halts(x, sm);
}

/* Those go on that no move halts any more. */
static void go_on(struct traffic_ctx *x, u32 sm, u64 now)
{
	struct sm *s = x->sm[sm];
	FOR_EACH_CTA(i, s)
	if (!sm_has_ended(s, i) && s->cta[i].moving_until == NEVER && !traffic_moves(x, sm, i))
		sm_resume_cta(&x->ctx[sm], s, i, now);
	s->settled = 0;
}

bool traffic_halts(const struct traffic_ctx *x, u32 sm)
{
	return x->t && x->of[sm].n && x->conf->preempt_halt == PREEMPT_HALT_SM;
}

void traffic_out(struct traffic_ctx *x, u32 sm, const struct cta_set *ctas, u32 place, u64 bytes)
{
	const u64 size = round_up(bytes, MAX(x->conf->l1d_line, 256u));
	const u64 at = x->t->next + size > CONTEXT_RING ? 0 : x->t->next;
	x->t->next = at + size;
	x->t->out += bytes;
	add(x, sm,
	    (struct context_move){.addr = CONTEXT_BASE + at, .bytes = bytes, .ctas = *ctas, .place = (u8)place, .out = 1});
	x->of[sm].lies = CONTEXT_BASE + at;
}

u64 traffic_lies(struct traffic_ctx *x, u32 sm, u64 bytes)
{
	const u64 at = x->of[sm].lies;
	x->of[sm].lies += bytes;
	return at;
}

/* What leaves the SM, at its head or behind others, and is waited for; NULL: nothing. */
static struct context_move *leaving(const struct traffic_ctx *x, u32 sm)
{
	for (u32 i = 0; x->t && i < x->of[sm].n; i++) {
		struct context_move *m = &x->of[sm].move[(x->of[sm].first + i) % TRAFFIC_MOVES];
		if (m->out && !m->cut)
			return m;
	}
	return NULL;
}

bool traffic_leaves(const struct traffic_ctx *x, u32 sm)
{
	return leaving(x, sm);
}

void traffic_cut(struct traffic_ctx *x, u32 sm)
{
	struct context_move *m = leaving(x, sm);
	x->t->out -= m->bytes - m->sent;
	m->bytes = m->sent;
	m->cut = 1;
}

bool traffic_is_out(const struct traffic_ctx *x, u32 sm)
{
	const struct context_move *m = head(x, sm);
	return m && m->out && !m->cut && m->sent >= m->bytes && !x->sm[sm]->context_due;
}

static void pop(struct traffic_ctx *x, u32 sm, u64 now)
{
	struct traffic_sm *q = &x->of[sm];
	*head(x, sm) = (struct context_move){0};
	q->first = (q->first + 1) % TRAFFIC_MOVES;
	q->n--;
	x->t->open--;
	go_on(x, sm, now);
}

void traffic_end(struct traffic_ctx *x, u32 sm, u64 now)
{
	BUG_ON(!traffic_is_out(x, sm));
	pop(x, sm, now);
}

bool traffic_has_room(const struct traffic_ctx *x, u32 sm)
{
	return !x->t || x->of[sm].n < TRAFFIC_MOVES - 1;
}

void traffic_back(struct traffic_ctx *x, u32 sm, u32 slot, u64 addr, u64 bytes, u64 now)
{
	const u64 lead = addr % x->conf->l1d_line; /* the line where the one before it ends */
	addr -= lead;
	bytes += lead;
	x->t->back += bytes;
	add(x, sm,
	    (struct context_move){
	        .addr = addr, .bytes = bytes, .ctas = cta_alone(slot), .place = (u8)sm_first_warp(&x->sm[sm]->cta[slot])});
	halt(x, sm, slot, now);
}

/* The next line, if the memory system takes it. */
static void send(struct traffic_ctx *x, u32 sm, struct context_move *m, u64 now)
{
	const u32 bytes = (u32)MIN(m->bytes - m->sent, (u64)x->conf->l1d_line), sectors = (bytes + 31) / 32;
	const struct mem_txn t = {
	    .addr = m->addr + m->sent, .bytes = (u16)(32 * sectors), .sectors = (u8)bit_range(sectors)};
	if (x->sm[sm]->context_due == UINT16_MAX || !mem_context(x->mem, sm, m->out, &t, sm_context_token(m->place), now))
		return;
	x->sm[sm]->context_due++;
	m->sent += bytes;
	*(m->out ? &x->t->sent_out : &x->t->sent_in) += bytes;
}

void traffic_cycle(struct traffic_ctx *x, u64 now, u64 *awake)
{
	for (u32 sm = 0; sm < x->conf->num_sms; sm++) {
		struct context_move *m = head(x, sm);
		if (m && m->sent < m->bytes)
			send(x, sm, m, now);
		if (!m || (m->out && !m->cut) || m->sent < m->bytes || x->sm[sm]->context_due)
			continue;
		pop(x, sm, now);
		awake[sm / 64] |= BIT(sm % 64);
	}
}

u64 traffic_hash(const struct traffic_ctx *x)
{
	if (!x->t || !x->t->out)
		return 0;
	return hash_bytes(x->of, x->conf->num_sms * sizeof *x->of, hash_bytes(x->t, sizeof *x->t, 0));
}

bool traffic_check_state(const struct traffic_ctx *x, struct err *e)
{
	u32 open = 0;
	u64 left_out = 0, left_in = 0, rest = 0;
	for (u32 sm = 0; x->t && sm < x->conf->num_sms; sm++) {
		const struct traffic_sm *q = &x->of[sm];
		open += q->n;
		HOLDS(q->n || !x->sm[sm]->context_due, "SM %u: %u lines of contexts are under way, and none is moved", sm,
		      x->sm[sm]->context_due);
		for (u32 i = 0; i < q->n; i++) {
			const struct context_move *m = &q->move[(q->first + i) % TRAFFIC_MOVES];
			*(m->out ? &left_out : &left_in) += m->bytes - m->sent;
			rest += i && m->sent;
		}
	}
	if (!x->t)
		return true;
	HOLDS(open == x->t->open && !rest,
	      "contexts: %u are moved, counted %u; %llu are not the first of their SM and have begun", open, x->t->open,
	      (unsigned long long)rest);
	HOLDS(x->t->sent_out + left_out == x->t->out && x->t->sent_in + left_in == x->t->back,
	      "contexts: %llu and %llu bytes have gone out and come back, %llu and %llu are to, of %llu and %llu",
	      (unsigned long long)x->t->sent_out, (unsigned long long)x->t->sent_in, (unsigned long long)left_out,
	      (unsigned long long)left_in, (unsigned long long)x->t->out, (unsigned long long)x->t->back);
	return true;
}
