/* The interconnect: two crossbars, requests from SMs to L2 slices and replies back. A port moves one flit per
 * interconnect cycle.
 *
 * A packet leaves when its source port is free and its destination has a place (credit); from then on its way is a
 * reservation: head at the destination after noc.latency, the destination port taken in order of arrival, done when the
 * last flit is in. A packet without a credit waits at the head of its queue and stops those behind it; waiters of one
 * destination are served first come, first served.
 *
 * With noc.head_of_line a packet whose destination port is taken books the time after those that came before it and
 * stays at its source until then: source and destination ports are busy with one packet at the same time, and what is
 * queued behind it waits, wherever it goes. Without, it leaves at once and queues at the destination. A booking is a
 * time, so nothing is polled: the port's timer says when.
 *
 * With noc.sector_replies an answer of several sectors is as many packets, each of which books for itself; it keeps its
 * place at the SM from the first to the last.
 *
 * With noc.shared_buffer the two directions share the places of each port: at an SM a reply's place is taken from when
 * it leaves its slice to its arrival, a request's from when it leaves the cache to when it leaves the SM. A place that
 * becomes free there goes to a waiting reply before a new request. */
#include "base/bits.h"
#include "mem/far.h"

/* Takes `flits` cycles of a destination port for a packet whose head arrives at `head`; returns when the last flit is
 * in. */
static u64 reserve(u64 *dst_free, u64 head, u32 flits, u64 *wait)
{
	u64 start = MAX(head, *dst_free);
	*wait += start - head;
	*dst_free = start + flits;
	return start + flits - 1;
}

/* A packet ready to leave at `start` may have to wait for its destination port. Then it books the time there, and its
 * source port is free for it from then on. */
static bool book(const struct mem *m, u64 *src_free, u64 *dst_free, u64 start, u32 flits)
{
	if (!m->c.noc_hol || *dst_free <= start + m->c.noc_latency)
		return false;
	*src_free = *dst_free - m->c.noc_latency;
	*dst_free += flits;
	return true;
}

/* --- requests ----------------------------------------------------------------------------------------------------- */
static void wait_for_credit(struct mem *m, u32 sm, struct slice_state *s)
{
	m->port[sm].waiting = true;
	m->port[sm].next_waiter = 0;
	if (s->wait_head)
		m->port[s->wait_tail - 1].next_waiter = sm + 1;
	else
		s->wait_head = sm + 1;
	s->wait_tail = sm + 1;
}

/* A place at the slice's input for the SM's head; else the SM waits, behind those that came before it. */
static bool take_credit(struct mem *m, u32 sm, struct slice_state *s)
{
	struct sm_port *p = &m->port[sm];
	if (p->granted) {
		p->granted = false;
		s->promised--;
		return true;
	}
	if (noc_slice_room(m, s))
		return true;
	wait_for_credit(m, sm, s);
	return false;
}

static void grant(struct mem *m, u32 slice, u64 now)
{
	struct slice_state *s = m->slice[slice].st;
	if (s->shut) {
		islip_open(m, slice, now);
		return;
	}
	u32 sm = s->wait_head - 1;
	struct sm_port *p = &m->port[sm];
	s->wait_head = p->next_waiter;
	p->waiting = false;
	p->granted = true;
	s->promised++;
	p->src_free = MAX(p->src_free, clock_up(&m->icnt, now));
	wheel_set(&m->wheel, sm, now);
}

static inline __attribute__((always_inline)) u32 make_packet(struct mem *m, u32 sm, const struct sm_request *r,
                                                             const struct mem_place *place, u64 now)
{
	u32 i = packet_alloc(m);
	const struct tags *t = &m->slice[place->slice].tags;
	u32 offset = (u32)(r->addr & ((1u << t->line_shift) - 1)) / SECTOR_BYTES;
	struct packet *p = &m->packet[i];
	p->addr = r->addr;
	p->tag = r->tag;
	p->launch = r->launch;
	p->set = tags_set(t, map_slice_line(&m->map, place, r->addr));
	p->sm = (u16)sm;
	p->slice = (u16)place->slice;
	p->cache = r->cache;
	p->op = r->op;
	p->sectors = r->sectors;
	p->need = (u8)(r->sectors << offset);
	p->partial = r->partial;
	p->words = r->words;
	p->part = p->dram = false;
	p->parts = 0;
	p->state = PS_TO_L2;
	HOP_TELL(m->ear, .what = NEWS_PACKET, .cycle = now, .id = i, .sm = sm, .slice = place->slice, .cache = r->cache,
	         .op = r->op, .of = r->tag, .addr = r->addr, .sectors = r->sectors, .hit = waits_for_data(r->op));
	return i;
}

u32 noc_make_packet(struct mem *m, u32 sm, const struct sm_request *r, u64 now)
{
	struct mem_place place = far_entry(m, sm, r->addr);
	return make_packet(m, sm, r, &place, now);
}

static u32 request_sectors(const struct sm_request *r)
{
	return carries_data_up(r->op) ? sector_count(r->sectors) : 0;
}

/* Sends the head of the SM's miss queue, which was ready at interconnect cycle `ready` and whose first flit leaves at
 * `start`. */
static void send_request(struct mem *m, u32 sm, const struct sm_request *r, const struct mem_place *place, u64 ready,
                         u64 start, u64 now)
{
	struct slice_state *s = m->slice[place->slice].st;
	struct sm_port *port = &m->port[sm];
	u32 i = make_packet(m, sm, r, place, now), sectors = request_sectors(r), flits = m->flits[sectors];
	u64 wait = start - ready, head = start + m->c.noc_latency;
	u64 end = port->booked ? head + flits - 1 : reserve(&s->dst_free, head, flits, &wait);
	port->booked = false;
	port->src_free = start + flits;
	m->packet[i].ready = clock_core(&m->icnt, end) + m->c.l2_latency;
	HOP_TELL(m->ear, .what = NEWS_COMING, .cycle = now, .id = i, .at = clock_core(&m->icnt, end));
	m->noc->requests++;
	m->noc->request_flits += flits;
	count_sent(m, r->launch, class_up(r->op), 1, flits, packet_bytes(sectors));
	m->noc->request_wait += clock_core(&m->icnt, wait);
	if (unlikely(m->parted) && far_enter(m, place->slice, i))
		return;
	list_push(m, &s->in_head, &s->in_tail, i);
	s->in_n++;
}

/* A place at the SM's port may have become free: for the reply that has waited longest, or for what the caches were
 * refused. */
static __attribute__((noinline)) void place_freed(struct mem *m, u32 sm, struct sm_port *port, u64 now)
{
	if (port->wait_head && noc_port_held(m, port) < m->reply_places) {
		u32 slice = port->wait_head - 1;
		struct slice_state *s = m->slice[slice].st;
		port->wait_head = s->next_waiter;
		s->out_waiting = false;
		s->out_granted = true;
		port->promised++;
		s->src_free = MAX(s->src_free, clock_up(&m->icnt, now));
		wheel_set(&m->wheel, m->timer_out + slice, now);
	} else if (m->c.noc_shared) {
		l1_port_moved(m, sm);
	}
}

/* Whether the SM's head has to wait at its port for the slice's. */
static bool request_waits(struct mem *m, struct sm_port *port, const struct sm_request *r, struct slice_state *s,
                          u64 start)
{
	if (port->booked || !book(m, &port->src_free, &s->dst_free, start, m->flits[request_sectors(r)]))
		return false;
	port->booked = port->granted = true;
	s->promised++;
	return true;
}

static void inject(struct mem *m, u32 sm, u64 now)
{
	struct sm_port *port = &m->port[sm];
	if (unlikely(m->source != NULL)) {
		islip_run(m, ISLIP_REQUESTS, now);
		return;
	}
	while (port->q.n && !port->waiting) {
		const struct sm_request *r = mem_request_at(m, sm, 0);
		u64 ready = clock_up(&m->icnt, r->ready), start = MAX(ready, port->src_free);
		u64 at = clock_core(&m->icnt, start);
		if (at > now) {
			wheel_set(&m->wheel, sm, at);
			return;
		}
		struct mem_place place = far_entry(m, sm, r->addr);
		struct slice_state *s = m->slice[place.slice].st;
		if (!take_credit(m, sm, s))
			return;
		if (request_waits(m, port, r, s, start))
			continue;
		u32 cache = r->cache;
		send_request(m, sm, r, &place, ready, start, now);
		fifo_pop(&port->q, m->missq_size);
		l1_queue_moved(m, sm, cache);
		if (m->c.noc_shared)
			place_freed(m, sm, port, now);
		if (s->in_n == 1)
			l2_arm(m, place.slice, now);
	}
}

/* --- replies ------------------------------------------------------------------------------------------------------ */
static void wait_for_port(struct mem *m, u32 slice, struct sm_port *port)
{
	m->slice[slice].st->out_waiting = true;
	m->slice[slice].st->next_waiter = 0;
	if (port->wait_head)
		m->slice[port->wait_tail - 1].st->next_waiter = slice + 1;
	else
		port->wait_head = slice + 1;
	port->wait_tail = slice + 1;
}

static bool take_place(struct mem *m, u32 slice, struct sm_port *port)
{
	struct slice_state *s = m->slice[slice].st;
	if (s->out_granted) {
		s->out_granted = false;
		port->promised--;
		return true;
	}
	if (noc_port_held(m, port) < m->reply_places)
		return true;
	wait_for_port(m, slice, port);
	return false;
}

/* noc.sector_replies: an answer is so many packets. */
static u32 reply_parts(const struct mem *m, const struct packet *p)
{
	bool split =
	    m->c.noc_sector_replies && (carries_data_down(p->op) || (m->c.l2_sector_acks && p->op != OP_WRITEBACK));
	return split ? MAX(sector_count(p->sectors), 1) : 1;
}

/* Sectors of data of a packet of the reply. */
static inline u32 reply_sectors(const struct mem *m, const struct packet *p)
{
	u32 data = carries_data_down(p->op);
	return unlikely(m->c.noc_sector_replies) ? data : data * sector_count(p->sectors);
}

/* Acknowledgements in one packet: l2.sector_acks has one for each sector. */
static inline u32 reply_acks(const struct mem *m, const struct packet *p)
{
	if (likely(!m->c.l2_sector_acks))
		return 1;
	bool each = !m->c.noc_sector_replies && !carries_data_down(p->op) && p->op != OP_WRITEBACK;
	return each ? sector_count(p->sectors) : 1;
}

static u32 reply_flits(const struct mem *m, const struct packet *p)
{
	return m->flits[reply_sectors(m, p)] * reply_acks(m, p);
}

/* Returns the interconnect cycle in which it is there. last: the only packet of the reply, or its last. */
static inline u64 send_packet(struct mem *m, struct slice_state *s, struct packet *p, u64 ready, u64 start, bool last)
{
	u32 sectors = reply_sectors(m, p), acks = reply_acks(m, p), flits = m->flits[sectors] * acks;
	u64 wait = start - ready, head = start + m->c.noc_latency;
	u64 end = s->out_booked ? head + flits - 1 : reserve(&m->port[p->sm].dst_free, head, flits, &wait);
	s->out_booked = false;
	s->src_free = start + flits;
	m->noc->reply_flits += flits;
	count_sent(m, p->launch, class_down(p->op), last, flits, packet_bytes(sectors) * acks);
	m->noc->reply_wait += clock_core(&m->icnt, wait);
	return end;
}

/* A packet of the head, but not its last one: the head keeps its place at the SM. */
static __attribute__((noinline)) void send_part(struct mem *m, struct slice_state *s, struct packet *p, u64 ready,
                                                u64 start)
{
	send_packet(m, s, p, ready, start, false);
	p->ready = clock_core(&m->icnt, s->src_free);
	s->out_parts++;
	s->out_granted = true;
	m->port[p->sm].promised++;
}

static void send_reply(struct mem *m, struct slice_state *s, u32 i, u64 ready, u64 start, u64 now)
{
	struct packet *p = &m->packet[i];
	u64 end = send_packet(m, s, p, ready, start, true);
	s->out_parts = 0;
	m->port[p->sm].replies++;
	p->state = PS_REPLY;
	HOP_TELL(m->ear, .what = NEWS_LEAVES, .cycle = now, .id = i, .at = clock_core(&m->icnt, end));
	wheel_set(&m->wheel, m->timer_packet + i, clock_core(&m->icnt, end));
}

static bool reply_waits(struct mem *m, struct slice_state *s, const struct packet *p, u64 start)
{
	struct sm_port *port = &m->port[p->sm];
	if (s->out_booked || !book(m, &s->src_free, &port->dst_free, start, reply_flits(m, p)))
		return false;
	s->out_booked = s->out_granted = true;
	port->promised++;
	return true;
}

static void output(struct mem *m, u32 slice, u64 now)
{
	struct slice_state *s = m->slice[slice].st;
	if (unlikely(m->source != NULL)) {
		islip_run(m, ISLIP_REPLIES, now);
		return;
	}
	while (s->out_n && !s->out_waiting) {
		struct packet *p = &m->packet[s->out_head - 1];
		u64 ready = clock_up(&m->icnt, p->ready), start = MAX(ready, s->src_free);
		u64 at = clock_core(&m->icnt, start);
		if (at > now) {
			wheel_set(&m->wheel, m->timer_out + slice, at);
			return;
		}
		if (!take_place(m, slice, &m->port[p->sm]))
			return;
		if (reply_waits(m, s, p, start))
			continue;
		if (s->out_parts + 1u < reply_parts(m, p)) {
			send_part(m, s, p, ready, start);
			continue;
		}
		send_reply(m, s, list_pop(m, &s->out_head), ready, start, now);
		s->out_n--;
		if (s->out_full && s->out_n < m->reply_places)
			l2_unblock(m, slice, now);
		if (m->c.noc_shared)
			noc_credit(m, slice, now);
	}
}

static void reply(struct mem *m, u32 slice, u32 i, u64 now)
{
	struct slice_state *s = m->slice[slice].st;
	m->packet[i].state = PS_REPLY;
	if (unlikely(m->source != NULL)) {
		islip_reply(m, slice, i, now);
		return;
	}
	m->packet[i].ready = now;
	list_push(m, &s->out_head, &s->out_tail, i);
	if (s->out_n++ == 0)
		output(m, slice, now);
}

static void arrive(struct mem *m, u32 i, u64 now)
{
	u32 sm = m->packet[i].sm;
	struct sm_port *port = &m->port[sm];
	if (unlikely(m->source != NULL)) {
		islip_arrive(m, i, now);
		return;
	}
	port->replies--;
	m->noc->replies++;
	count_received(m, class_down(m->packet[i].op));
	if (port->wait_head || m->c.noc_shared)
		place_freed(m, sm, port, now);
	l1_deliver(m, i, now);
	packet_free(m, i);
}

/* --- messages between endpoints --------------------------------------------------------------------------------------
 *
 * They share the ports with requests and answers, and come after what has booked its time. With noc.switch=islip those
 * do not book: messages have wires of their own, with the same latency, a flit a cycle at each port. */
static u64 *source_of(const struct mem *m, u32 endpoint, bool *booked)
{
	bool sm = endpoint < m->nsms;
	struct slice_state *s = sm ? NULL : m->slice[endpoint - m->nsms].st;
	*booked = sm ? m->port[endpoint].booked : s->out_booked;
	return sm ? &m->port[endpoint].src_free : &s->src_free;
}

static u64 *destination_of(const struct mem *m, u32 endpoint)
{
	return endpoint < m->nsms ? &m->port[endpoint].dst_free : &m->slice[endpoint - m->nsms].st->dst_free;
}

static bool send(struct mem *m, const struct message *g, u32 flits, u64 ready, u64 now, u64 *at)
{
	bool booked;
	u64 *src = source_of(m, g->from, &booked), *dst = destination_of(m, g->to), wait = 0;
	u64 start = MAX(clock_up(&m->icnt, ready), *src + booked);
	if (clock_core(&m->icnt, start) < now) /* it has waited for a place in an inbox, or behind one that has */
		start = clock_up(&m->icnt, now);
	if (m->c.noc_hol && *dst > start + m->c.noc_latency)
		start = *dst - m->c.noc_latency;
	*at = clock_core(&m->icnt, start);
	if (*at > now)
		return false;
	*at = clock_core(&m->icnt, reserve(dst, start + m->c.noc_latency, flits, &wait));
	*src = start + flits;
	return true;
}

/* An armed or waiting port sends by itself. */
static void fresh(struct mem *m, u32 sm, u64 now)
{
	if (unlikely(m->source != NULL))
		islip_inject(m, sm, now);
	else if (wheel_at(&m->wheel, sm) == NEVER)
		inject(m, sm, now);
}

extern const struct network_ops network_crossbar;
const struct network_ops network_crossbar = {
    .name = "crossbar",
    .help = "two crossbars, one for requests and one for replies; noc.switch chooses how a port is shared",
    .source = "README",
    .init = islip_init,
    .fresh = fresh,
    .reply = reply,
    .credit = grant,
    .send = send,
    .inject = inject,
    .output = output,
    .arrive = arrive,
};
