/* Where SMs and L2 slices sit in the mesh. */
#include "mem/impl.h"
#include "mem/noc/mesh.h"

static u32 square_root_up(u32 n)
{
	u32 r = 1;
	while (r * r < n)
		r++;
	return r;
}

/* The i-th of n things that are spread evenly over `nodes`. */
static u32 spread(u32 i, u32 n, u32 nodes)
{
	return n == nodes ? i : (2 * i + 1) * nodes / (2 * n);
}

void mesh_place(struct mesh *x, const struct conf *c, u32 nsms, u32 nslices)
{
	bool apart = c->noc_mesh_nodes == MESH_APART;
	u32 nodes = apart ? nsms + nslices : MAX(nsms, nslices), sm = 0;
	x->width = c->noc_mesh_width ? MIN(c->noc_mesh_width, nodes) : square_root_up(nodes);
	x->height = (u32)ceil_div(nodes, x->width);
	for (u32 i = 0; i < nslices; i++) {
		u32 at = spread(i, nslices, nodes);
		x->slice_at[at] = (u16)(i + 1);
		x->node_of[nsms + i] = (u16)at;
	}
	for (u32 at = 0; at < nodes && sm < nsms; at++) {
		if (apart && x->slice_at[at])
			continue;
		x->sm_at[at] = (u16)(sm + 1);
		x->node_of[sm++] = (u16)at;
	}
}

s32 mesh_neighbour(const struct mesh *x, u32 node, enum mesh_port link)
{
	u32 at = node % x->width;
	switch (link) {
	case MESH_EAST: return at + 1 < x->width ? (s32)node + 1 : -1;
	case MESH_WEST: return at ? (s32)node - 1 : -1;
	case MESH_NORTH: return node >= x->width ? (s32)(node - x->width) : -1;
	default: return node + x->width < mesh_nodes(x) ? (s32)(node + x->width) : -1;
	}
}

/* --- looking ------------------------------------------------------------------------------------------------------ */
bool mem_mesh(const struct mem *m, u32 *width, u32 *height)
{
	*width = m->mesh->width;
	*height = m->mesh->height;
	return m->net == &network_mesh;
}

u32 mem_mesh_place(const struct mem *m, u32 endpoint)
{
	return m->mesh->node_of[endpoint];
}

u32 mem_mesh_way(const struct mem *m, u32 from, u32 to, u32 *node, u32 max)
{
	const struct mesh *x = m->mesh;
	u32 n = 0;
	for (u32 at = from;; n++) {
		if (n < max)
			node[n] = at;
		if (at == to)
			return n + 1;
		at = (u32)mesh_neighbour(x, at, mesh_route(x, at, to, MESH_SM));
	}
}

u64 mem_mesh_zero_load(const struct mem *m, u32 links, u32 flits)
{
	return clock_core(&m->icnt, (links + 1) * m->c.noc_router + links * m->c.noc_link + flits - 1);
}

void mem_mesh_node(const struct mem *m, u32 node, struct mesh_node_info *out)
{
	const struct mesh *x = m->mesh;
	const struct mesh_router *r = &x->router[node];
	*out =
	    (struct mesh_node_info){.sm = x->sm_at[node] - 1, .slice = x->slice_at[node] - 1, .places = VNETS * x->places};
	for (u32 p = 0; p < MESH_PORTS; p++)
		out->out[p] = r->out[p];
	for (u32 p = 0; p < MESH_LINKS; p++) {
		out->neighbour[p] = mesh_neighbour(x, node, p);
		for (u32 v = 0; v < VNETS; v++)
			out->held[p] += r->used[p * VNETS + v];
	}
}
