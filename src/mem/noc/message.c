#include "mem/noc/message.h"

#include "mem/impl.h"

u32 mem_num_endpoints(const struct mem *m)
{
	return m->nsms + m->nslices;
}

static struct parcel *out_at(const struct mem *m, u32 e, u32 k)
{
	return &m->outbox[(size_t)e * m->c.noc_messages + fifo_at(&m->endpoint[e].out, m->c.noc_messages, k)];
}
static struct parcel *in_at(const struct mem *m, u32 e, u32 k)
{
	return &m->inbox[(size_t)e * m->c.noc_messages + fifo_at(&m->endpoint[e].in, m->c.noc_messages, k)];
}

void message_init(struct mem *m, struct arena *a)
{
	u32 n = mem_num_endpoints(m);
	m->endpoint = ARENA_NEW(a, struct endpoint, n);
	m->outbox = ARENA_NEW(a, struct parcel, (size_t)n * m->c.noc_messages);
	m->inbox = ARENA_NEW(a, struct parcel, (size_t)n * m->c.noc_messages);
	m->peer_received = ARENA_NEW(a, u64, MSG_CLASSES);
}

/* --- sending ------------------------------------------------------------------------------------------------------ */
static u32 data_bytes(const struct message *g)
{
	return g->class == MSG_READ || g->class == MSG_CONTROL ? 0 : 4 * bit_count32(g->words);
}

bool mem_send(struct mem *m, const struct message *g, u64 now)
{
	struct endpoint *p = &m->endpoint[g->from];
	BUG_ON(g->from >= mem_num_endpoints(m) || g->to >= mem_num_endpoints(m) || g->launch >= CONF_MAX_LAUNCHES);
	if (fifo_full(&p->out, m->c.noc_messages))
		return false;
	m->outbox[(size_t)g->from * m->c.noc_messages + fifo_push(&p->out, m->c.noc_messages)] =
	    (struct parcel){.msg = *g, .ready = now};
	if (p->out.n == 1)
		wheel_set(&m->wheel, m->timer_depart + g->from, now);
	return true;
}

/* A place in the inbox of `to` for the first message of `e`; else it waits behind those that came before it. */
static bool take_place(struct mem *m, u32 e, u32 to)
{
	struct endpoint *p = &m->endpoint[e], *d = &m->endpoint[to];
	if (p->granted || d->in.n + d->promised < m->c.noc_messages)
		return true;
	p->waiting = true;
	p->next_waiter = 0;
	if (d->wait_head)
		m->endpoint[d->wait_tail - 1].next_waiter = e + 1;
	else
		d->wait_head = e + 1;
	d->wait_tail = e + 1;
	return false;
}

/* The place that take_place() found is kept: the network takes the message when it can. */
static void keep_place(struct mem *m, u32 e, u32 to)
{
	m->endpoint[to].promised += !m->endpoint[e].granted;
	m->endpoint[e].granted = true;
}

static u32 message_flits(const struct mem *m, const struct message *g)
{
	return (u32)ceil_div(PACKET_HEADER + data_bytes(g), m->c.noc_flit);
}

/* The first message leaves its outbox. */
static struct message leave(struct mem *m, u32 e, u64 now)
{
	const struct message g = out_at(m, e, 0)->msg;
	fifo_pop(&m->endpoint[e].out, m->c.noc_messages);
	if (e >= m->nsms && m->rule->serve)
		l2_unblock(m, e - m->nsms, now);
	count_sent(m, g.launch, g.class, 1, message_flits(m, &g), PACKET_HEADER + data_bytes(&g));
	return g;
}

/* It will be there at core cycle `at`. */
static void put_in(struct mem *m, const struct message *g, u64 at)
{
	struct endpoint *d = &m->endpoint[g->to];
	m->inbox[(size_t)g->to * m->c.noc_messages + fifo_push(&d->in, m->c.noc_messages)] =
	    (struct parcel){.msg = *g, .ready = at};
	if (d->in.n == d->arrived + 1)
		wheel_set(&m->wheel, m->timer_arrive + g->to, at);
}

void message_depart(struct mem *m, u32 e, u64 now)
{
	struct endpoint *p = &m->endpoint[e];
	while (p->out.n && !p->waiting) {
		const struct parcel *x = out_at(m, e, 0);
		u32 to = x->msg.to;
		u64 at;
		if (!take_place(m, e, to))
			return;
		if (!m->net->send(m, &x->msg, message_flits(m, &x->msg), x->ready, now, &at)) {
			if (at == NEVER)
				keep_place(m, e, to);
			else
				wheel_set(&m->wheel, m->timer_depart + e, at);
			return;
		}
		m->endpoint[to].promised -= p->granted;
		p->granted = false;
		const struct message g = leave(m, e, now);
		put_in(m, &g, at);
	}
}

void message_take(struct mem *m, u32 e, struct message *out, u64 now)
{
	*out = leave(m, e, now);
	m->endpoint[e].granted = false;
	m->endpoint[out->to].travelling++;
	if (m->endpoint[e].out.n)
		wheel_set(&m->wheel, m->timer_depart + e, now);
}

void message_land(struct mem *m, const struct message *g, u64 at)
{
	m->endpoint[g->to].travelling--;
	m->endpoint[g->to].promised--;
	put_in(m, g, at);
}

/* --- receiving ---------------------------------------------------------------------------------------------------- */
/* The oldest message leaves the inbox; its place goes to who has waited longest. */
static void take_out(struct mem *m, u32 e, u64 now)
{
	struct endpoint *d = &m->endpoint[e];
	fifo_pop(&d->in, m->c.noc_messages);
	d->arrived--;
	if (!d->wait_head)
		return;
	u32 first = d->wait_head - 1;
	d->wait_head = m->endpoint[first].next_waiter;
	m->endpoint[first].waiting = false;
	m->endpoint[first].granted = true;
	d->promised++;
	wheel_set(&m->wheel, m->timer_depart + first, now);
}

void message_arrive(struct mem *m, u32 e, u64 now)
{
	struct endpoint *d = &m->endpoint[e];
	while (d->arrived < d->in.n) {
		const struct parcel *x = in_at(m, e, d->arrived);
		const struct message g = x->msg;
		if (x->ready > now) {
			wheel_set(&m->wheel, m->timer_arrive + e, x->ready);
			return;
		}
		d->arrived++;
		count_received(m, g.class);
		m->peer_received[g.class]++;
		if (m->rule->message && d->arrived == 1 && m->rule->message(m, &g, now))
			take_out(m, e, now);
		else if (e < m->nsms)
			m->wake[e / 64] |= BIT(e % 64);
	}
}

bool mem_receive(struct mem *m, u32 e, u64 now, struct message *out)
{
	if (!m->endpoint[e].arrived)
		return false;
	*out = in_at(m, e, 0)->msg;
	take_out(m, e, now);
	return true;
}

/* --- looking ------------------------------------------------------------------------------------------------------ */
u32 message_held(const struct mem *m)
{
	u32 n = 0;
	for (u32 e = 0; e < mem_num_endpoints(m); e++)
		n += m->endpoint[e].out.n + m->endpoint[e].in.n + m->endpoint[e].travelling;
	return n;
}

bool message_check(const struct mem *m, u64 on_way[MSG_CLASSES], struct err *e)
{
	u32 waiting = 0, granted = 0, listed = 0, promised = 0, n = mem_num_endpoints(m);
	for (u32 p = 0; p < n; p++) {
		const struct endpoint *d = &m->endpoint[p];
		for (u32 k = d->arrived; k < d->in.n; k++)
			on_way[in_at(m, p, k)->msg.class]++;
		HOLDS(d->in.n + d->promised <= m->c.noc_messages && d->arrived <= d->in.n && d->out.n <= m->c.noc_messages,
		      "endpoint %u: %u messages to it, %u of them there, %u places promised; %u of its own", p, d->in.n,
		      d->arrived, d->promised, d->out.n);
		waiting += d->waiting;
		granted += d->granted;
		promised += d->promised - d->travelling;
		for (u32 w = d->wait_head; w && listed <= n; w = m->endpoint[w - 1].next_waiter)
			listed++;
	}
	HOLDS(waiting == listed && granted == promised,
	      "messages: %u endpoints wait, %u are listed; %u were granted places, %u are promised", waiting, listed,
	      granted, promised);
	return true;
}
