/* The routers of the mesh; noc/mesh.h says what they do. */
#include "mem/noc/mesh.h"

#include "base/bits.h"
#include "base/rng.h"
#include "mem/impl.h"

/* The queues of each virtual network. */
const u16 mesh_queues[VNETS] = {
    [VNET_REQUEST] = 01111 | 1 << MESH_SM_REQUESTS,
    [VNET_REPLY] = 02222 | 1 << MESH_SLICE_REPLIES,
    [VNET_MESSAGE] = 04444 | 1 << MESH_SM_MESSAGES | 1 << MESH_SLICE_MESSAGES,
};
_Static_assert(VNETS == 3 && MESH_LOCAL == 12 && MESH_QUEUES == 16, "the masks above");

/* --- time --------------------------------------------------------------------------------------------------------- */
/* The router shall look in that cycle, or in the first that is still to come. */
void mesh_wake(struct mem *m, u32 node, u64 cycle)
{
	struct mesh *x = m->mesh;
	struct mesh_router *r = &x->router[node];
	cycle = MAX(cycle, x->st->next);
	r->woken = r->woken < x->st->next ? cycle : MIN(r->woken, cycle); /* what was asked for before, due knows */
	r->due = MIN(r->due, cycle);
	if (x->st->due && cycle + 1 >= x->st->due)
		return;
	x->st->due = cycle + 1;
	wheel_set(&m->wheel, m->timer_mesh, clock_core(&m->icnt, cycle));
}

/* A queue has a first packet, another one than before. */
void mesh_show(struct mem *m, u32 node, u32 queue)
{
	const struct mesh_head *h = mesh_first(m->mesh, node, queue);
	m->mesh->router[node].want[mesh_route(m->mesh, node, h->node, h->exit)] |= 1u << queue;
	mesh_wake(m, node, h->ready);
}

/* --- a router ----------------------------------------------------------------------------------------------------- */
/* Room for so many flits behind a link: routers decide before any packet moves, so this is as the cycle before left it.
 */
static bool link_room(const struct mesh *x, u32 node, enum mesh_port out, u32 vnet, u32 flits)
{
	const struct mesh_router *to = &x->router[mesh_neighbour(x, node, out)];
	return to->used[mesh_opposite(out) * VNETS + vnet] + flits <= x->places;
}

/* Replies are consumed where they arrive, messages have a place in an inbox. */
bool mesh_room(const struct mem *m, u32 node, enum mesh_port out, u32 vnet, u32 flits)
{
	if (out < MESH_LINKS)
		return link_room(m->mesh, node, out, vnet, flits);
	return vnet != VNET_REQUEST || noc_slice_room(m, m->slice[m->mesh->slice_at[node] - 1].st);
}

/* Takes the first packet out of a queue. */
static u32 take(struct mem *m, u32 node, u32 queue, u64 cycle, u64 now)
{
	struct mesh *x = m->mesh;
	struct mesh_router *r = &x->router[node];
	enum mesh_port in = mesh_way_in(queue);
	if (queue >= MESH_LOCAL) {
		r->local[queue - MESH_LOCAL] = (struct mesh_head){0};
		return mesh_enter(m, node, queue, now);
	}
	const struct mesh_head *h = mesh_first(x, node, queue);
	u32 what = h->what, flits = h->flits;
	fifo_pop(&r->q[queue], x->places);
	r->used[queue] -= (u16)flits;
	x->st->carried[queue % VNETS]--;
	mesh_wake(m, (u32)mesh_neighbour(x, node, in), cycle + 1);
	if (r->q[queue].n)
		mesh_show(m, node, queue);
	return what;
}

static void pass_on(struct mem *m, u32 node, enum mesh_port out, u32 vnet, struct mesh_head h, u64 cycle)
{
	struct mesh *x = m->mesh;
	u32 to = (u32)mesh_neighbour(x, node, out), queue = mesh_opposite(out) * VNETS + vnet;
	struct mesh_router *r = &x->router[to];
	h.ready = cycle + m->c.noc_router + m->c.noc_link;
	r->used[queue] += h.flits;
	x->st->carried[vnet]++;
	*mesh_slot(x, to, queue, fifo_push(&r->q[queue], x->places)) = h;
	if (r->q[queue].n == 1)
		mesh_show(m, to, queue);
}

static void count_wait(struct mem *m, u32 vnet, u64 from, u64 to)
{
	u64 wait = clock_core(&m->icnt, to) - clock_core(&m->icnt, from);
	if (vnet == VNET_REQUEST)
		m->noc->request_wait += wait;
	else if (vnet == VNET_REPLY)
		m->noc->reply_wait += wait;
}

/* The first packet of a queue takes a way out: everything that others notice of it. */
static void move(struct mem *m, u32 node, struct mesh_move v, u64 cycle, u64 now)
{
	struct mesh_head h = *mesh_first(m->mesh, node, v.queue);
	noc_crossings(m->noc)[h.class] += v.out < MESH_LINKS ? h.flits : 0;
	count_wait(m, v.vnet, h.ready, cycle);
	h.what = take(m, node, v.queue, cycle, now);
	if (v.out < MESH_LINKS)
		pass_on(m, node, v.out, v.vnet, h, cycle);
	else
		mesh_deliver(m, node, v.vnet, h.what, clock_core(&m->icnt, cycle + m->c.noc_router + h.flits - 1), now);
}

/* Of the queues whose packet could go now the first in turn, or that of the oldest packet; MESH_QUEUES: none. */
u32 mesh_choose(const struct mem *m, u32 node, u32 mask, u32 turn, u64 cycle)
{
	const struct mesh *x = m->mesh;
	const struct mesh_router *r = &x->router[node];
	u32 best = MESH_QUEUES;
	u64 born = NEVER;
	for (u32 order = (mask >> turn | mask << (MESH_QUEUES - turn)) & 0xffff; order; order &= order - 1) {
		u32 queue = (turn + bit_first(order)) % MESH_QUEUES;
		const struct mesh_head *h = mesh_first(x, node, queue);
		if (h->ready > cycle || r->in_free[mesh_way_in(queue)] > cycle || h->born >= born)
			continue;
		if (m->c.noc_mesh_order == MESH_TURNS)
			return queue;
		best = queue;
		born = h->born;
	}
	return best;
}

/* The router's own part of a move: its ways are taken. */
static struct mesh_move grant(struct mem *m, u32 node, u32 queue, enum mesh_port out, u32 vnet, u64 cycle)
{
	struct mesh_router *r = &m->mesh->router[node];
	const struct mesh_head *h = mesh_first(m->mesh, node, queue);
	r->vturn[out] = (u8)((vnet + 1) % VNETS);
	r->turn[out][vnet] = (u8)((queue + 1) % MESH_QUEUES);
	r->want[out] &= (u16) ~(1u << queue);
	r->in_free[mesh_way_in(queue)] = r->out_free[out] = cycle + h->flits;
	r->out[out].flits[h->class] += h->flits;
	r->out[out].packets++;
	r->out[out].waited += cycle - h->ready;
	return (struct mesh_move){.queue = (u8)queue, .out = (u8)out, .vnet = (u8)vnet};
}

/* A free way out takes a packet, if one may go. */
static bool serve(struct mem *m, u32 node, enum mesh_port out, u64 cycle, struct mesh_move *v)
{
	struct mesh_router *r = &m->mesh->router[node];
	for (u32 k = 0; k < VNETS; k++) {
		u32 vnet = (r->vturn[out] + k) % VNETS, mask = r->want[out] & mesh_queues[vnet];
		u32 queue = mask ? mesh_choose(m, node, mask, r->turn[out][vnet], cycle) : MESH_QUEUES;
		if (queue == MESH_QUEUES)
			continue;
		if (!mesh_room(m, node, out, vnet, mesh_first(m->mesh, node, queue)->flits)) {
			if (out == MESH_SLICE)
				m->slice[m->mesh->slice_at[node] - 1].st->shut = true; /* it will call: credit() */
			continue;
		}
		*v = grant(m, node, queue, out, vnet, cycle);
		return true;
	}
	return false;
}

/* When something can go that could not in this cycle, for all that the router knows by itself: what is ready and has a
 * free way in and out lacks room, and is called when there is some; or it stood behind one that lacks room and whose
 * way in has been taken since (moved) by another. */
static u64 next_look(const struct mesh *x, u32 node, bool moved, u64 cycle)
{
	const struct mesh_router *r = &x->router[node];
	u64 next = NEVER;
	for (u32 out = 0; out < MESH_PORTS; out++)
		for (u32 mask = r->want[out]; mask; mask &= mask - 1) {
			u32 queue = bit_first(mask);
			u64 at = MAX(MAX(mesh_first(x, node, queue)->ready, r->in_free[mesh_way_in(queue)]), r->out_free[out]);
			if (at > cycle || moved)
				next = MIN(next, MAX(at, cycle + 1));
		}
	return next;
}

/* What the router passes on in this cycle; changes nothing that another one looks at. Which way out comes first matters
 * where two want the same way in: they take turns. */
static void decide(struct mem *m, u32 node, u64 cycle, struct mesh_moves *d)
{
	struct mesh_router *r = &m->mesh->router[node];
	d->n = 0;
	if (r->woken <= cycle) /* else somebody has asked for a later one */
		r->woken = NEVER;
	for (u32 k = 0; k < MESH_PORTS; k++) {
		enum mesh_port out = (cycle + k) % MESH_PORTS;
		if (r->want[out] && r->out_free[out] <= cycle)
			d->n += serve(m, node, out, cycle, &d->v[d->n]);
	}
}

/* --- the mesh ----------------------------------------------------------------------------------------------------- */
static u64 earliest(const struct mesh *x)
{
	u64 due = NEVER;
	for (u32 i = 0; i < mesh_nodes(x); i++)
		due = MIN(due, x->router[i].due);
	return due;
}

/* The routers that are due, in their order or, with tick.shuffle, in another one every cycle. */
static u32 who_looks(const struct mem *m, u16 order[MESH_NODES_MAX], u64 cycle)
{
	const struct mesh *x = m->mesh;
	u64 seed = m->c.tick_shuffle * 0x9e3779b97f4a7c15ull ^ cycle;
	u32 n = 0;
	for (u32 i = 0; i < mesh_nodes(x); i++) {
		if (x->router[i].due > cycle)
			continue;
		const u32 at = unlikely(m->c.tick_shuffle) ? (u32)(rng_next(&seed) % (n + 1)) : n;
		order[n++] = order[at];
		order[at] = (u16)i;
	}
	return n;
}

/* First all decide, in any order; then what they decided is done in the order of the nodes. So which packet gets which
 * number, which of two slices is called first and who waits first for a place depend on where they are, and on nothing
 * else. */
static void look_all(struct mem *m, u64 cycle, u64 now)
{
	struct mesh *x = m->mesh;
	struct mesh_moves d[MESH_NODES_MAX];
	u16 order[MESH_NODES_MAX];
	u64 looked[MESH_NODES_MAX / 64 + 1] = {0};
	const u32 n = who_looks(m, order, cycle);
	for (u32 k = 0; k < n; k++) {
		looked[order[k] / 64] |= BIT(order[k] % 64);
		decide(m, order[k], cycle, &d[order[k]]);
	}
	for (u32 word = 0; word < ARRAY_LEN(looked); word++)
		FOR_EACH_BIT(bit, looked[word])
	for (u32 i = word * 64 + (u32)bit, k = 0; k < d[i].n; k++)
		move(m, i, d[i].v[k], cycle, now);
	for (u32 k = 0; k < n; k++) {
		struct mesh_router *r = &x->router[order[k]];
		r->due = MIN(r->woken, next_look(x, order[k], d[order[k]].n, cycle));
	}
}

void mesh_run(struct mem *m, u64 now)
{
	struct mesh *x = m->mesh;
	u64 end = clock_down(&m->icnt, now), due = earliest(x);
	for (; due <= end; due = earliest(x)) {
		x->st->next = due + 1;
		x->st->due = 1; /* no timer is set meanwhile */
		look_all(m, due, now);
	}
	x->st->due = due + 1; /* NEVER: 0 */
	if (due != NEVER)
		wheel_set(&m->wheel, m->timer_mesh, clock_core(&m->icnt, due));
}
