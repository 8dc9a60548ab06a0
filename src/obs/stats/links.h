/* links: flits that took each way out of the mesh's routers, window by window, as a share of what the way could carry.
 * They are differences of what mem_mesh_node() counts. After going to a cycle of the past they are what they were
 * there. */
#ifndef OBS_STATS_LINKS_H
#define OBS_STATS_LINKS_H
#include "gpu/query.h"

/* A span of cycles. */
struct link_flits {
	u64 cycles;               /* core cycles */
	u64 (*flits)[MESH_PORTS]; /* [node] */
};
struct links;
/* Looks from the machine's present cycle on; NULL on a machine without a mesh.
 *
 *   struct links *l = links_create(sim_gpu(s));
 *   int id = sim_add_sampler(s, CYCLES, links_look, l);
 *   sim_on_snapshot(s, id, links_keep, links_recall); */
struct links *links_create(struct gpu *g);
void links_free(struct links *l); /* NULL: nothing to do */
/* For sim_add_sampler() and sim_on_snapshot(); ctx is the links. */
void links_look(void *ctx, u64 cycle);
void *links_keep(void *ctx);
void links_recall(void *ctx, const void *kept, u64 cycle);
/* The last complete window; as long as there is none, what has happened since links_create(). And the run, since the
 * machine was built. Both are valid until one of them is asked for again. */
const struct link_flits *links_recent(struct links *l);
const struct link_flits *links_run(struct links *l);

/* Share 0..1 of a way out's interconnect cycles in which a flit took it: each carries one a cycle. */
double link_load(const struct link_flits *f, const struct conf *c, u32 node, enum mesh_port way);
/* The links of all routers together: their mean load, the heaviest one (node, way) and its load. */
struct link_summary {
	double mean, most;
	u32 node;
	enum mesh_port way;
	u32 links; /* 0: a mesh of one node */
};
struct link_summary link_summary(const struct gpu *g, const struct link_flits *f);
#endif
