/* What holds between any two cycles of the mesh. */
#include "mem/noc/mesh.h"

#include "base/bits.h"
#include "mem/impl.h"

/* What is in a buffer: its flits, its first packet's way out. */
static bool check_queue(const struct mem *m, u32 node, u32 queue, struct noc_census *n, struct err *e)
{
	const struct mesh *x = m->mesh;
	const struct mesh_router *r = &x->router[node];
	u32 flits = 0;
	for (u32 k = 0; k < r->q[queue].n; k++) {
		const struct mesh_head *h = mesh_slot(x, node, queue, fifo_at(&r->q[queue], x->places, k));
		flits += h->flits;
		n->on_way[h->class]++;
	}
	HOLDS(flits == r->used[queue] && flits <= x->places,
	      "mesh node %u: queue %u holds %u flits, counted %u, room for %u", node, queue, flits, r->used[queue],
	      x->places);
	n->carried[queue % VNETS] += r->q[queue].n;
	return true;
}

static bool check_router(const struct mem *m, u32 node, struct noc_census *n, struct err *e)
{
	const struct mesh *x = m->mesh;
	const struct mesh_router *r = &x->router[node];
	for (u32 queue = 0; queue < MESH_QUEUES; queue++) {
		bool any = queue < MESH_LOCAL ? r->q[queue].n : r->local[queue - MESH_LOCAL].flits;
		const struct mesh_head *h = mesh_first(x, node, queue);
		for (u32 out = 0; out < MESH_PORTS; out++) {
			bool wants = any && mesh_route(x, node, h->node, h->exit) == out;
			HOLDS(wants == (r->want[out] >> queue & 1), "mesh node %u: queue %u %s way out %u, its mask says otherwise",
			      node, queue, wants ? "wants" : "does not want", out);
		}
		if (queue < MESH_LOCAL && !check_queue(m, node, queue, n, e))
			return false;
	}
	return true;
}

/* A router that could pass something on in the next cycle, and is not going to look. */
static bool sleeps(const struct mem *m, u32 node)
{
	const struct mesh *x = m->mesh;
	const struct mesh_router *r = &x->router[node];
	u64 cycle = MAX(x->st->next, clock_up(&m->icnt, wheel_now(&m->wheel) + 1));
	for (u32 out = 0; out < MESH_PORTS; out++)
		for (u32 v = 0; v < VNETS && r->out_free[out] <= cycle && r->due > cycle; v++) {
			u32 mask = r->want[out] & mesh_queues[v];
			u32 queue = mask ? mesh_choose(m, node, mask, r->turn[out][v], cycle) : MESH_QUEUES;
			if (queue < MESH_QUEUES && mesh_room(m, node, out, v, mesh_first(x, node, queue)->flits))
				return true;
		}
	return false;
}

static bool check_crossings(const struct mem *m, struct err *e)
{
	u64 n[MSG_CLASSES] = {0};
	for (u32 i = 0; i < mesh_nodes(m->mesh); i++)
		for (u32 p = 0; p < MESH_LINKS; p++)
			for (u32 k = 0; k < MSG_CLASSES; k++)
				n[k] += m->mesh->router[i].out[p].flits[k];
	for (u32 k = 0; k < MSG_CLASSES; k++)
		HOLDS(n[k] == noc_crossings(m->noc)[k], "mesh: links carried %llu flits of %s messages, counted %llu",
		      (unsigned long long)n[k], msg_class_names[k], (unsigned long long)noc_crossings(m->noc)[k]);
	return true;
}

bool mesh_census(const struct mem *m, struct noc_census *n, struct err *e)
{
	const struct mesh *x = m->mesh;
	for (u32 i = 0; i < mesh_nodes(x); i++)
		if (!check_router(m, i, n, e))
			return false;
	for (u32 i = 0; i < mesh_nodes(x); i++)
		HOLDS(!sleeps(m, i), "mesh node %u: a packet could go, and nobody looks", i);
	if (!check_crossings(m, e))
		return false;
	for (u32 v = 0; v < VNETS; v++)
		HOLDS(n->carried[v] == x->st->carried[v], "mesh: %u packets of virtual network %u in buffers, counted %u",
		      n->carried[v], v, x->st->carried[v]);
	return true;
}
