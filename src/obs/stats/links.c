#include "obs/stats/links.h"

#include <stdlib.h>
#include <string.h>

struct links {
	struct gpu *g;
	u32 nodes;
	struct link_flits began; /* sums at the present window's begin */
	struct link_flits last;  /* the last complete window; cycles 0: there is none */
	struct link_flits out;   /* what was asked for */
};

static size_t bytes(u32 nodes)
{
	return nodes * sizeof(u64[MESH_PORTS]);
}

static struct link_flits make(u32 nodes)
{
	return (struct link_flits){.flits = xcalloc(1, bytes(nodes))};
}

/* Sums since the machine was built. */
static void read_sums(const struct links *l, struct link_flits *out)
{
	out->cycles = gpu_cycle(l->g);
	for (u32 n = 0; n < l->nodes; n++) {
		struct mesh_node_info x;
		mem_mesh_node(gpu_mem(l->g), n, &x);
		for (u32 p = 0; p < MESH_PORTS; p++) {
			out->flits[n][p] = 0;
			for (u32 c = 0; c < MSG_CLASSES; c++)
				out->flits[n][p] += x.out[p].flits[c];
		}
	}
}

/* out -= what was before the present window. */
static void subtract(const struct links *l, struct link_flits *out)
{
	out->cycles -= l->began.cycles;
	for (u32 n = 0; n < l->nodes; n++)
		for (u32 p = 0; p < MESH_PORTS; p++)
			out->flits[n][p] -= l->began.flits[n][p];
}

struct links *links_create(struct gpu *g)
{
	u32 w, h;
	if (!mem_mesh(gpu_mem(g), &w, &h))
		return NULL;
	struct links *l = xcalloc(1, sizeof *l);
	*l = (struct links){g, w * h, make(w * h), make(w * h), make(w * h)};
	read_sums(l, &l->began);
	return l;
}

void links_free(struct links *l)
{
	if (!l)
		return;
	free(l->began.flits);
	free(l->last.flits);
	free(l->out.flits);
	free(l);
}

void links_look(void *ctx, u64 cycle)
{
	struct links *l = ctx;
	read_sums(l, &l->last);
	subtract(l, &l->last);
	read_sums(l, &l->began);
}

const struct link_flits *links_recent(struct links *l)
{
	if (l->last.cycles)
		return &l->last;
	read_sums(l, &l->out);
	subtract(l, &l->out);
	return &l->out;
}

const struct link_flits *links_run(struct links *l)
{
	read_sums(l, &l->out);
	return &l->out;
}

/* --- time travel --- */
struct kept {
	u64 began, last;         /* cycles */
	u64 flits[][MESH_PORTS]; /* [nodes] of began, [nodes] of last */
};

void *links_keep(void *ctx)
{
	const struct links *l = ctx;
	struct kept *k = xmalloc(sizeof *k + 2 * bytes(l->nodes));
	k->began = l->began.cycles;
	k->last = l->last.cycles;
	memcpy(k->flits, l->began.flits, bytes(l->nodes));
	memcpy(k->flits + l->nodes, l->last.flits, bytes(l->nodes));
	return k;
}

/* kept NULL: the snapshot is older than this; from there on it is as if just made. */
void links_recall(void *ctx, const void *kept, u64 cycle)
{
	struct links *l = ctx;
	const struct kept *k = kept;
	l->last.cycles = k ? k->last : 0;
	if (!k) {
		read_sums(l, &l->began);
		return;
	}
	l->began.cycles = k->began;
	memcpy(l->began.flits, k->flits, bytes(l->nodes));
	memcpy(l->last.flits, k->flits + l->nodes, bytes(l->nodes));
}

/* --- figures --- */
double link_load(const struct link_flits *f, const struct conf *c, u32 node, enum mesh_port way)
{
	double cycles = (double)f->cycles * c->icnt_clock / c->core_clock;
	return cycles > 0 ? (double)f->flits[node][way] / cycles : 0;
}

struct link_summary link_summary(const struct gpu *g, const struct link_flits *f)
{
	struct link_summary s = {0};
	u32 w, h;
	mem_mesh(gpu_mem(g), &w, &h);
	for (u32 n = 0; n < w * h; n++) {
		struct mesh_node_info x;
		mem_mesh_node(gpu_mem(g), n, &x);
		for (u32 p = 0; p < MESH_LINKS; p++) {
			if (x.neighbour[p] < 0)
				continue;
			double load = link_load(f, gpu_conf(g), n, p);
			s.mean += load;
			s.links++;
			if (load > s.most) {
				s.most = load;
				s.node = n;
				s.way = p;
			}
		}
	}
	s.mean = s.links ? s.mean / s.links : 0;
	return s;
}
