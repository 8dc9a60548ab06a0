/* mesh_map: a map of the mesh, node by node, and how busy its links are. */
#ifndef UI_VIEWS_MESH_MAP_H
#define UI_VIEWS_MESH_MAP_H
#include "obs/stats/links.h"
#include "scr/draw.h"

struct mesh_map {
	struct gpu *g;
	const struct link_flits *flits; /* what its links carried */
	u32 chosen;                     /* node + 1; 0: none */
	u32 way_from, way_to;           /* nodes + 1 of a way to show; 0: none */
};
/* Into p, as large as it has room for: with a number for each direction of a link, with one for both, or a sign for
 * each node. Where not all have room, those around the chosen one; returns how many are left out. */
u32 mesh_map_draw(const struct mesh_map *m, struct pane p);
/* The node + 1 that lies at a place of p, or right of it or below; 0: none. */
u32 mesh_map_at(const struct mesh_map *m, struct pane p, int y, int x);
/* "SM 3, L2 5", "SM 3", "L2 5" or "nothing": who is at a node. */
void mesh_who(const struct gpu *g, u32 node, char *buf, size_t size);
/* "east"... , "SM", "L2": where a way out leads. */
extern const char *const mesh_way_names[MESH_PORTS];
#endif
