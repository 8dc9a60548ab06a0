/* noc.switch=islip: two input-queued switches, requests up and replies down, in which every 32 B sector is a packet of
 * its own and takes one interconnect cycle of its output, whatever it carries.
 *
 *   L1D -> miss queue -> source queue -> | switch | -> slice -> output -> | switch | -> SM
 *          sectors       one a cycle                  one packet a cycle per output (both)
 *
 * Once a cycle every output that has room takes the first packet of one of the inputs whose first packet is for it, the
 * next in turn behind the input it served last (McKeown 1999: iSLIP's grant pointers). The outputs choose one after the
 * other, and an input whose packet has left shows the next one at once: an output of higher number may take it in the
 * same cycle, so an input is no bottleneck, as with a switch that is faster inside than its ports. What stands behind
 * an input's first packet waits for it (head of line). This is how the local crossbar of GPGPU-Sim 4.x does it
 * (local_interconnect.cc), where a packet of any size is one flit.
 *
 * The miss queue counts sectors. While it is full, one place becomes free a cycle, and of the banks of L1D the first
 * one whose transaction waits at the tags has it (sm/l1_pipe.h). So the sectors of one bank leave in a row, as many as
 * its pipeline holds, and those of a line far apart. An SM's packets for a slice are then not in one piece, of which
 * the others would stand in line behind each other.
 *
 * A switch moves in the interconnect cycles in which an input shows a packet or an SM has sectors to send, and rests
 * otherwise. What an input gets in a cycle is shown to the outputs from the next one on.
 *
 * A load's sectors arrive one by one at the MSHR that waits for them. Stores, atomics and write-backs have none: the
 * packet of the first sector leads the others and answers for all when the last of them is back. */
#include "base/bits.h"
#include "mem/far.h"

/* --- masks -------------------------------------------------------------------------------------------------------- */
static inline void put(u64 *mask, u32 i)
{
	mask[i / 64] |= BIT(i % 64);
}
static inline void drop(u64 *mask, u32 i)
{
	mask[i / 64] &= ~BIT(i % 64);
}
/* The first of n bits at or after `from`; n when there is none. */
static inline u32 first_from(const u64 *mask, u32 n, u32 from)
{
	for (u32 w = from / 64; w * 64 < n; w++) {
		u64 bits = w == from / 64 ? mask[w] & ~bit_range(from % 64) : mask[w];
		if (bits)
			return w * 64 + bit_first(bits);
	}
	return n;
}
static bool any(const u64 *mask, u32 n)
{
	return first_from(mask, n, 0) < n;
}

static inline u64 *wanting(const struct islip *s, u32 out)
{
	return &s->want[(size_t)out * s->words];
}

/* --- inputs ------------------------------------------------------------------------------------------------------- */
static inline u32 head_of(const struct mem *m, enum islip_net net, u32 in)
{
	return net == ISLIP_REQUESTS ? m->source[in].head : m->slice[in].st->out_head;
}

/* The input's first packet is another one than before: its output may see it, in this cycle or from the next on. */
static void show(struct mem *m, enum islip_net net, u32 in, u64 cycle)
{
	struct islip *s = &m->islip[net];
	u32 head = head_of(m, net, in);
	if (!head)
		return;
	const struct packet *p = &m->packet[head - 1];
	if (p->ready > cycle) {
		put(s->fresh, in);
		return;
	}
	u32 out = net == ISLIP_REQUESTS ? p->slice : p->sm;
	put(wanting(s, out), in);
	put(s->active, out);
}

/* The first cycle of the switches behind all that have begun. */
static inline u64 next_cycle(const struct mem *m, u64 now)
{
	return clock_down(&m->icnt, now) + 1;
}

static void arm(struct mem *m, enum islip_net net, u64 cycle)
{
	u64 *due = m->islip[net].due;
	if (*due && *due <= cycle + 1)
		return;
	*due = cycle + 1;
	wheel_set(&m->wheel, net == ISLIP_REQUESTS ? 0 : m->timer_out, clock_core(&m->icnt, cycle));
}

/* A packet joins the input's queue, which is the list head..tail. */
static void join(struct mem *m, enum islip_net net, u32 in, u32 *head, u32 *tail, u32 p, u64 cycle)
{
	bool first = !*head;
	m->packet[p].ready = cycle;
	list_push(m, head, tail, p);
	if (first)
		put(m->islip[net].fresh, in);
}

/* --- requests ----------------------------------------------------------------------------------------------------- */
static bool has_answer_of_its_own(u32 op) /* data for an MSHR */
{
	return op == MO_LOAD || op == MO_LOCAL_LOAD || op == MO_FETCH || op == MO_PREFETCH;
}

/* The packet of a sector of the request, which it then lacks. */
static u32 take_sector(struct mem *m, u32 sm, struct sm_request *r, u8 sector, u64 now)
{
	struct sm_request one = *r;
	one.sectors = sector;
	one.words = 0; /* the leader of the others is none of the packet's business */
	u32 i = noc_make_packet(m, sm, &one, now), n = sector_count(r->sectors);
	struct packet *p = &m->packet[i];
	r->sectors &= (u8)~sector;
	if (has_answer_of_its_own(r->op) || (n == 1 && !r->leader))
		return i;
	if (r->leader) {
		p->part = true;
		p->tag = r->leader - 1;
	} else {
		p->parts = (u8)n;
		r->leader = i + 1;
	}
	return i;
}

/* Moves a sector from the miss queue to the source queue, the one that has waited longest. False: there is none, or no
 * room in the source queue. */
static bool send(struct mem *m, u32 sm, u64 cycle, u64 now)
{
	struct islip_source *src = &m->source[sm];
	struct sm_port *port = &m->port[sm];
	if (!port->q.n || src->n >= m->c.noc_source_queue)
		return false;
	struct sm_request *r = mem_request_at(m, sm, 0);
	if (clock_down(&m->icnt, r->ready) >= cycle)
		return true;
	u32 cache = r->cache, i = take_sector(m, sm, r, r->sectors & (u8)-r->sectors, now);
	if (!r->sectors)
		fifo_pop(&port->q, m->missq_size);
	join(m, ISLIP_REQUESTS, sm, &src->head, &src->tail, i, cycle + 1);
	src->n++;
	m->noc->requests++;
	l1_queue_moved(m, sm, cache);
	return port->q.n;
}

static void send_sectors(struct mem *m, u64 cycle, u64 now)
{
	for (u32 sm = first_from(m->sending, m->nsms, 0); sm < m->nsms; sm = first_from(m->sending, m->nsms, sm + 1))
		if (!send(m, sm, cycle, now))
			drop(m->sending, sm);
}

void islip_inject(struct mem *m, u32 sm, u64 now)
{
	put(m->sending, sm);
	arm(m, ISLIP_REQUESTS, next_cycle(m, now));
}

static void pass_request(struct mem *m, u32 out, u32 in, u64 cycle, u64 now)
{
	struct islip_source *src = &m->source[in];
	struct slice_state *s = m->slice[out].st;
	u32 i = list_pop(m, &src->head);
	struct packet *p = &m->packet[i];
	m->noc->request_flits++;
	count_sent(m, p->launch, class_up(p->op), 1, 1, packet_bytes(carries_data_up(p->op)));
	m->noc->request_wait += clock_core(&m->icnt, cycle - p->ready);
	p->ready = clock_core(&m->icnt, cycle + m->c.noc_latency) + m->c.l2_latency;
	HOP_TELL(m->ear, .what = NEWS_COMING, .cycle = now, .id = i, .at = p->ready - m->c.l2_latency);
	if (src->n-- == m->c.noc_source_queue && m->port[in].q.n)
		put(m->sending, in);
	if (unlikely(m->parted) && far_enter(m, out, i))
		return;
	list_push(m, &s->in_head, &s->in_tail, i);
	if (s->in_n++ == 0)
		l2_arm(m, out, now);
}

/* --- replies ------------------------------------------------------------------------------------------------------ */
void islip_reply(struct mem *m, u32 slice, u32 p, u64 now)
{
	struct slice_state *s = m->slice[slice].st;
	join(m, ISLIP_REPLIES, slice, &s->out_head, &s->out_tail, p, next_cycle(m, now));
	s->out_n++;
	arm(m, ISLIP_REPLIES, next_cycle(m, now));
}

static void pass_reply(struct mem *m, u32 out, u32 in, u64 cycle, u64 now)
{
	struct slice_state *s = m->slice[in].st;
	u32 i = list_pop(m, &s->out_head);
	const struct packet *p = &m->packet[i];
	m->noc->reply_flits++;
	count_sent(m, p->launch, class_down(p->op), 1, 1, packet_bytes(carries_data_down(p->op)));
	m->noc->reply_wait += clock_core(&m->icnt, cycle - p->ready);
	m->port[out].replies++;
	HOP_TELL(m->ear, .what = NEWS_LEAVES, .cycle = now, .id = i);
	wheel_set(&m->wheel, m->timer_packet + i, clock_core(&m->icnt, cycle + m->c.noc_latency));
	s->out_n--;
	if (s->out_full && s->out_n < m->reply_places)
		l2_unblock(m, in, now);
}

static void release(struct mem *m, u32 i)
{
	m->noc->replies++;
	packet_free(m, i);
}

void islip_arrive(struct mem *m, u32 i, u64 now)
{
	struct packet *p = &m->packet[i];
	u32 lead = p->part ? p->tag : i;
	struct packet *l = &m->packet[lead];
	m->port[p->sm].replies--;
	count_received(m, class_down(p->op));
	l->dram |= p->dram;
	if (p->part)
		release(m, i);
	else
		p->state = PS_PARTS;
	if (l->parts > 1) {
		l->parts--;
		return;
	}
	l1_deliver(m, lead, now);
	release(m, lead);
}

/* --- a cycle ------------------------------------------------------------------------------------------------------ */
static bool has_room(const struct mem *m, enum islip_net net, u32 out)
{
	return net == ISLIP_REPLIES || noc_slice_room(m, m->slice[out].st); /* SMs take what comes */
}

static void pass(struct mem *m, enum islip_net net, u32 out, u64 cycle, u64 now)
{
	struct islip *s = &m->islip[net];
	u64 *want = wanting(s, out);
	if (!has_room(m, net, out)) {
		m->slice[out].st->shut = true;
		drop(s->active, out);
		return;
	}
	u32 in = first_from(want, s->inputs, s->next[out]);
	if (in == s->inputs)
		in = first_from(want, s->inputs, 0);
	s->next[out] = in + 1 < s->inputs ? in + 1 : 0;
	drop(want, in);
	if (!any(want, s->inputs))
		drop(s->active, out);
	if (net == ISLIP_REQUESTS)
		pass_request(m, out, in, cycle, now);
	else
		pass_reply(m, out, in, cycle, now);
	show(m, net, in, cycle);
}

/* The slice has room again. */
void islip_open(struct mem *m, u32 slice, u64 now)
{
	m->slice[slice].st->shut = false;
	if (any(wanting(&m->islip[ISLIP_REQUESTS], slice), m->nsms))
		put(m->islip[ISLIP_REQUESTS].active, slice);
	arm(m, ISLIP_REQUESTS, next_cycle(m, now));
}

static void move(struct mem *m, enum islip_net net, u64 cycle, u64 now)
{
	struct islip *s = &m->islip[net];
	for (u32 w = 0; w < s->words; w++) {
		u64 fresh = s->fresh[w];
		s->fresh[w] = 0;
		for (; fresh; fresh &= fresh - 1)
			show(m, net, w * 64 + bit_first(fresh), cycle);
	}
	for (u32 out = first_from(s->active, s->outputs, 0); out < s->outputs;
	     out = first_from(s->active, s->outputs, out + 1))
		pass(m, net, out, cycle, now);
	if (net == ISLIP_REQUESTS)
		send_sectors(m, cycle, now);
	if (any(s->active, s->outputs) || any(s->fresh, s->inputs) || (net == ISLIP_REQUESTS && any(m->sending, m->nsms)))
		arm(m, net, cycle + 1);
}

void islip_run(struct mem *m, enum islip_net net, u64 now)
{
	u64 *due = m->islip[net].due, limit = clock_down(&m->icnt, now);
	while (*due && *due - 1 <= limit) {
		u64 cycle = *due - 1;
		*due = 0;
		move(m, net, cycle, now);
	}
}

/* --- building ----------------------------------------------------------------------------------------------------- */
void islip_init(struct mem *m, struct arena *a)
{
	if (m->c.noc_switch != NOC_ISLIP)
		return;
	m->source = ARENA_NEW(a, struct islip_source, m->nsms);
	m->sending = ARENA_NEW(a, u64, CONF_SM_WORDS);
	for (u32 net = 0; net < 2; net++) {
		struct islip *s = &m->islip[net];
		s->inputs = net == ISLIP_REQUESTS ? m->nsms : m->nslices;
		s->outputs = net == ISLIP_REQUESTS ? m->nslices : m->nsms;
		s->words = (u32)ceil_div(s->inputs, 64);
		s->fresh = ARENA_NEW(a, u64, s->words);
		s->active = ARENA_NEW(a, u64, ceil_div(s->outputs, 64));
		s->want = ARENA_NEW(a, u64, (size_t)s->outputs * s->words);
		s->due = ARENA_NEW(a, u64, 1);
		s->next = ARENA_NEW(a, u32, s->outputs);
	}
}
