/* The mesh between SMs and slices: what they offer, how it enters, and what arrives. */
#include "mem/noc/mesh.h"

#include <stdlib.h>

#include "mem/far.h"

/* --- what wants to enter ------------------------------------------------------------------------------------------ */
static void offer(struct mem *m, u32 node, u32 queue, struct mesh_head h)
{
	h.born = h.ready;
	m->mesh->router[node].local[queue - MESH_LOCAL] = h;
	mesh_show(m, node, queue);
}

static inline bool offered(const struct mem *m, u32 node, u32 queue)
{
	return m->mesh->router[node].local[queue - MESH_LOCAL].flits;
}

static void offer_request(struct mem *m, u32 sm)
{
	u32 node = m->mesh->node_of[sm];
	if (!m->port[sm].q.n || offered(m, node, MESH_SM_REQUESTS))
		return;
	const struct sm_request *r = mem_request_at(m, sm, 0);
	u32 slice = far_entry(m, sm, r->addr).slice;
	offer(m, node, MESH_SM_REQUESTS,
	      (struct mesh_head){.ready = clock_up(&m->icnt, r->ready),
	                         .node = m->mesh->node_of[m->nsms + slice],
	                         .exit = MESH_SLICE,
	                         .flits = (u8)m->flits[carries_data_up(r->op) ? sector_count(r->sectors) : 0],
	                         .class = (u8)class_up(r->op)});
}

static u32 reply_sectors(const struct packet *p)
{
	return carries_data_down(p->op) ? sector_count(p->sectors) : 0;
}

static void offer_reply(struct mem *m, u32 slice)
{
	u32 node = m->mesh->node_of[m->nsms + slice];
	const struct slice_state *s = m->slice[slice].st;
	if (!s->out_n || offered(m, node, MESH_SLICE_REPLIES))
		return;
	const struct packet *p = &m->packet[s->out_head - 1];
	offer(m, node, MESH_SLICE_REPLIES,
	      (struct mesh_head){.ready = clock_up(&m->icnt, p->ready),
	                         .node = m->mesh->node_of[p->sm],
	                         .exit = MESH_SM,
	                         .flits = (u8)m->flits[reply_sectors(p)],
	                         .class = (u8)class_down(p->op)});
}

static void fresh(struct mem *m, u32 sm, u64 now)
{
	offer_request(m, sm);
}

static void reply(struct mem *m, u32 slice, u32 i, u64 now)
{
	struct slice_state *s = m->slice[slice].st;
	m->packet[i].state = PS_REPLY;
	m->packet[i].ready = now;
	list_push(m, &s->out_head, &s->out_tail, i);
	s->out_n++;
	offer_reply(m, slice);
}

/* The message stays in its outbox until the router takes it: message_take(). */
static bool send(struct mem *m, const struct message *g, u32 flits, u64 ready, u64 now, u64 *at)
{
	u32 node = m->mesh->node_of[g->from];
	enum mesh_queue queue = g->from < m->nsms ? MESH_SM_MESSAGES : MESH_SLICE_MESSAGES;
	if (now) /* one that has waited for a place may find the mesh asleep: it leaves now, not when it came */
		m->mesh->st->next = MAX(m->mesh->st->next, clock_down(&m->icnt, now - 1) + 1);
	if (!offered(m, node, queue))
		offer(m, node, queue,
		      (struct mesh_head){.ready = clock_up(&m->icnt, ready),
		                         .node = m->mesh->node_of[g->to],
		                         .exit = g->to < m->nsms ? MESH_SM : MESH_SLICE,
		                         .flits = (u8)flits,
		                         .class = g->class});
	*at = NEVER;
	return false;
}

/* --- what enters ------------------------------------------------------------------------------------
 *
 * Each takes the packet that was offered out of its queue, and offers the next one. */
static u32 enter_request(struct mem *m, u32 sm, u64 now)
{
	struct sm_port *port = &m->port[sm];
	const struct sm_request *r = mem_request_at(m, sm, 0);
	u32 cache = r->cache, sectors = carries_data_up(r->op) ? sector_count(r->sectors) : 0, flits = m->flits[sectors];
	u32 i = noc_make_packet(m, sm, r, now);
	m->noc->requests++;
	m->noc->request_flits += flits;
	count_sent(m, r->launch, class_up(r->op), 1, flits, packet_bytes(sectors));
	fifo_pop(&port->q, m->missq_size);
	l1_queue_moved(m, sm, cache);
	offer_request(m, sm);
	return i;
}

static u32 enter_reply(struct mem *m, u32 slice, u64 now)
{
	struct slice_state *s = m->slice[slice].st;
	u32 i = list_pop(m, &s->out_head), sectors = reply_sectors(&m->packet[i]), flits = m->flits[sectors];
	HOP_TELL(m->ear, .what = NEWS_LEAVES, .cycle = now, .id = i);
	m->noc->reply_flits += flits;
	count_sent(m, m->packet[i].launch, class_down(m->packet[i].op), 1, flits, packet_bytes(sectors));
	s->out_n--;
	offer_reply(m, slice);
	if (s->out_full && s->out_n < m->reply_places)
		l2_unblock(m, slice, now);
	return i;
}

static u32 enter_message(struct mem *m, u32 endpoint, u64 now)
{
	struct mesh *x = m->mesh;
	u32 i = x->st->free ? x->st->free - 1 : x->st->fresh++;
	if (x->st->free)
		x->st->free = x->peer[i].next;
	x->peer[i] = (struct peer){0};
	message_take(m, endpoint, &x->peer[i].msg, now);
	return i;
}

u32 mesh_enter(struct mem *m, u32 node, u32 queue, u64 now)
{
	const struct mesh *x = m->mesh;
	u32 sm = x->sm_at[node] - 1u, slice = x->slice_at[node] - 1u;
	switch (queue) {
	case MESH_SM_REQUESTS: return enter_request(m, sm, now);
	case MESH_SLICE_REPLIES: return enter_reply(m, slice, now);
	case MESH_SM_MESSAGES: return enter_message(m, sm, now);
	default: return enter_message(m, m->nsms + slice, now);
	}
}

/* --- what leaves ------------------------------------------------------------------------------------
 *
 * end: core cycle in which its last flit is there. */
static void deliver_request(struct mem *m, u32 slice, u32 i, u64 end, u64 now)
{
	struct slice_state *s = m->slice[slice].st;
	m->packet[i].ready = end + m->c.l2_latency;
	HOP_TELL(m->ear, .what = NEWS_COMING, .cycle = now, .id = i, .at = end);
	if (unlikely(m->parted) && far_enter(m, slice, i))
		return;
	list_push(m, &s->in_head, &s->in_tail, i);
	if (s->in_n++ == 0)
		l2_arm(m, slice, now);
}

static void deliver_message(struct mem *m, u32 i, u64 end)
{
	struct mesh *x = m->mesh;
	message_land(m, &x->peer[i].msg, end);
	x->peer[i].next = x->st->free;
	x->st->free = i + 1;
}

void mesh_deliver(struct mem *m, u32 node, u32 vnet, u32 i, u64 end, u64 now)
{
	switch (vnet) {
	case VNET_REQUEST: deliver_request(m, m->mesh->slice_at[node] - 1u, i, end, now); break;
	case VNET_REPLY:
		m->port[m->packet[i].sm].replies++;
		wheel_set(&m->wheel, m->timer_packet + i, end);
		break;
	default: deliver_message(m, i, end);
	}
}

static void arrive(struct mem *m, u32 i, u64 now)
{
	m->port[m->packet[i].sm].replies--;
	m->noc->replies++;
	count_received(m, class_down(m->packet[i].op));
	l1_deliver(m, i, now);
	packet_free(m, i);
}

static void credit(struct mem *m, u32 slice, u64 now)
{
	m->slice[slice].st->shut = false;
	mesh_wake(m, m->mesh->node_of[m->nsms + slice], clock_up(&m->icnt, now));
}

/* --- the policy --------------------------------------------------------------------------------------------------- */
static void init(struct mem *m, struct arena *a)
{
	struct mesh *x = m->mesh = xcalloc(1, sizeof *x);
	mesh_place(x, &m->c, m->nsms, m->nslices);
	x->places = MAX(m->c.noc_mesh_buffer, m->flits[8]);
	x->st = ARENA_NEW(a, struct mesh_state, 1);
	x->router = ARENA_NEW(a, struct mesh_router, mesh_nodes(x));
	x->slot = ARENA_NEW(a, struct mesh_head, (size_t)mesh_nodes(x) * MESH_LOCAL * x->places);
	x->peer = ARENA_NEW(a, struct peer, (size_t)mem_num_endpoints(m) * m->c.noc_messages);
}

extern const struct network_ops network_mesh;
const struct network_ops network_mesh = {
    .name = "mesh",
    .help =
        "a mesh of routers; packets go along x, then along y; noc.mesh_width and noc.mesh_nodes place the SMs and slices",
    .source = "Dally and Towles 2004, chapters 3, 8, 14; Huzaifa et al. 2020, section 5.1",
    .implies = "noc.switch=booked noc.shared_buffer=0",
    .init = init,
    .fresh = fresh,
    .reply = reply,
    .credit = credit,
    .send = send,
    .arrive = arrive,
    .census = mesh_census,
};
