#include "views/mesh_map.h"

#include <stdio.h>

const char *const mesh_way_names[MESH_PORTS] = {"east", "west", "north", "south", "SM", "L2"};

void mesh_who(const struct gpu *g, u32 node, char *buf, size_t size)
{
	struct mesh_node_info n;
	mem_mesh_node(gpu_mem((struct gpu *)g), node, &n);
	char sm[16] = "", slice[16] = "";
	if (n.sm >= 0)
		snprintf(sm, sizeof sm, "SM %d", n.sm);
	if (n.slice >= 0)
		snprintf(slice, sizeof slice, "L2 %d", n.slice);
	snprintf(buf, size, "%s%s%s", *sm || *slice ? sm : "nothing", *sm && *slice ? ", " : "", slice);
}

/* --- sizes -------------------------------------------------------------------------------------------------------- */
enum detail { DOTS, SHORT, FULL };
struct grid {
	enum detail detail;
	int w, h;          /* of a node and what leads from it east and south */
	int columns, rows; /* nodes that have room, */
	int left, top;     /* from this one on */
	u32 width, height; /* nodes */
};
#define LABEL_W 8 /* of a full node: "SM 12 ▆ " */
#define FULL_W 13
#define FULL_H 3
#define SHORT_LABEL_W 4 /* "12▆ " */
#define SHORT_W 8
#define SHORT_H 2
#define DOT_W 4

/* The last column and row need no room for what leads on from them. */
static int fits(int room, int one, int last)
{
	return room < last ? 0 : (room - last) / one + 1;
}

static struct grid grid_of(const struct mesh_map *m, struct pane p)
{
	struct grid g = {0};
	mem_mesh(gpu_mem(m->g), &g.width, &g.height);
	const int nw = (int)g.width, nh = (int)g.height;
	if (fits(p.w, FULL_W, LABEL_W) >= nw && fits(p.h, FULL_H, 2) >= nh) {
		g.detail = FULL;
		g.w = nw > 1 ? MIN((p.w - LABEL_W) / (nw - 1), 24) : FULL_W;
		g.h = nh > 1 ? MIN((p.h - 2) / (nh - 1), 5) : FULL_H;
	} else if (fits(p.w, SHORT_W, SHORT_LABEL_W) >= nw && fits(p.h, SHORT_H, 1) >= nh) {
		g.detail = SHORT;
		g.w = nw > 1 ? MIN((p.w - SHORT_LABEL_W) / (nw - 1), 12) : SHORT_W;
		g.h = SHORT_H;
	} else {
		g.detail = DOTS;
		g.w = MAX(MIN((p.w - 1) / MAX(nw - 1, 1), DOT_W), 1);
		g.h = 1;
	}
	g.columns = MIN(nw, g.detail == DOTS ? (p.w - 1) / g.w + 1 : nw);
	g.rows = MIN(nh, g.detail == DOTS ? p.h : nh);
	const int x = m->chosen ? (int)((m->chosen - 1) % g.width) : 0,
	          y = m->chosen ? (int)((m->chosen - 1) / g.width) : 0;
	g.left = MIN(MAX(x - g.columns / 2, 0), nw - g.columns);
	g.top = MIN(MAX(y - g.rows / 2, 0), nh - g.rows);
	return g;
}

u32 mesh_map_at(const struct mesh_map *m, struct pane p, int y, int x)
{
	const struct grid g = grid_of(m, p);
	const int column = x / g.w, row = y / g.h;
	if (x < 0 || y < 0 || column >= g.columns || row >= g.rows)
		return 0;
	return (u32)(g.top + row) * g.width + (u32)(g.left + column) + 1;
}

/* --- looks -------------------------------------------------------------------------------------------------------- */
/* Of a load: idle ones stand back, the others on a scale. */
static struct style heat(double load)
{
	return STYLE(load < 0.005 ? R_FAINT : R_SCALE0 + MIN((int)(load * R_NSCALE), R_NSCALE - 1));
}

/* A column as high as the load; on terminals that have none, a digit: tenths. */
static void level(struct pane p, int y, int x, double load)
{
	const int eighths = MIN((int)(load * 8), 7), tenths = MIN((int)(load * 10), 9);
	pane_glyph(p, y, x, heat(load), p.c->ascii || p.c->mono ? '0' + (u32)tenths : 0x2581 + (u32)eighths);
}

/* Does the way that is shown take this link? */
static bool on_way(const struct mesh_map *m, u32 node, u32 to)
{
	u32 at[CONF_MAX_SMS], n;
	if (!m->way_from || !m->way_to)
		return false;
	n = MIN(mem_mesh_way(gpu_mem(m->g), m->way_from - 1, m->way_to - 1, at, ARRAY_LEN(at)), (u32)ARRAY_LEN(at));
	for (u32 i = 0; i + 1 < n; i++)
		if (at[i] == node && at[i + 1] == to)
			return true;
	return false;
}

static double load_of(const struct mesh_map *m, u32 node, enum mesh_port way)
{
	return link_load(m->flits, gpu_conf(m->g), node, way);
}

/* A lane from north to south on the way that is shown. */
static u32 across(struct pane p)
{
	return p.c->ascii ? ':' : 0x2551;
}

/* A number in the middle of a lane: "━━62━→". head: the glyph at its end, 0 none; forward: at the right one. */
static void lane(struct pane p, int y, int x, int w, double load, bool way, u32 head, bool forward)
{
	char number[8];
	const struct style s = heat(load);
	const u32 line = way ? (p.c->ascii ? ':' : 0x2550) : load < 0.005 ? 0x2500 : 0x2501;
	for (int i = 0; i < w; i++)
		pane_glyph(p, y, x + i, s, line);
	if (head && !p.c->ascii)
		pane_glyph(p, y, forward ? x + w - 1 : x, s, head);
	if (load < 0.005 || w < 3)
		return;
	const int n = snprintf(number, sizeof number, "%.0f", 100 * load);
	pane_text(p, y, x + (w - n) / 2, s, number);
}

/* --- a node ------------------------------------------------------------------------------------------------------- */
struct place {
	u32 node;
	struct mesh_node_info info;
	struct style label;
};

static struct style label_style(const struct mesh_map *m, u32 node, bool dim)
{
	struct style s = STYLE(dim ? R_DIM : R_TEXT);
	if (m->way_from == node + 1 || m->way_to == node + 1)
		s = STYLE_BOLD(R_ACCENT);
	if (m->chosen == node + 1)
		s.attr |= ATTR_REVERSE;
	return s;
}

static void full_label(const struct mesh_map *m, struct pane p, const struct place *a)
{
	const s32 who[2] = {a->info.sm, a->info.slice};
	for (int i = 0; i < 2; i++) {
		struct style s = label_style(m, a->node, who[i] < 0);
		if (who[i] < 0) {
			pane_text(p, i, 0, s, "-    ");
			continue;
		}
		pane_printf(p, i, 0, s, "%s %-2d", i ? "L2" : "SM", who[i]);
		level(p, i, 6, load_of(m, a->node, i ? MESH_SLICE : MESH_SM));
	}
}

/* Traffic keeps to the right: what goes east on the lower lane, what goes south on the left one. */
static void full_node(const struct mesh_map *m, const struct grid *g, struct pane p, const struct place *a)
{
	const s32 east = a->info.neighbour[MESH_EAST], south = a->info.neighbour[MESH_SOUTH];
	full_label(m, p, a);
	if (east >= 0) {
		const int w = g->w - LABEL_W - 1;
		lane(p, 0, LABEL_W, w, load_of(m, (u32)east, MESH_WEST), on_way(m, (u32)east, a->node), 0x2190, false);
		lane(p, 1, LABEL_W, w, load_of(m, a->node, MESH_EAST), on_way(m, a->node, (u32)east), 0x2192, true);
	}
	for (int y = 2; south >= 0 && y < g->h; y++) {
		const double down = load_of(m, a->node, MESH_SOUTH), up = load_of(m, (u32)south, MESH_NORTH);
		const bool d = on_way(m, a->node, (u32)south), u = on_way(m, (u32)south, a->node), first = y == 2;
		pane_glyph(p, y, 0, heat(down), first && !p.c->ascii ? 0x2193 : d ? across(p) : 0x2502);
		pane_glyph(p, y, 4, heat(up), first && !p.c->ascii ? 0x2191 : u ? across(p) : 0x2502);
		if (first && down >= 0.005)
			pane_printf(p, y, 1, heat(down), "%.0f", 100 * down);
		if (first && up >= 0.005)
			pane_printf(p, y, 5, heat(up), "%.0f", 100 * up);
	}
}

/* Both directions of a link: the heavier one. */
static double both(const struct mesh_map *m, u32 node, enum mesh_port way, s32 other)
{
	const enum mesh_port back = way == MESH_EAST ? MESH_WEST : MESH_NORTH;
	return MAX(load_of(m, node, way), load_of(m, (u32)other, back));
}

static void short_node(const struct mesh_map *m, const struct grid *g, struct pane p, const struct place *a)
{
	const s32 east = a->info.neighbour[MESH_EAST], south = a->info.neighbour[MESH_SOUTH];
	const s32 who = a->info.sm >= 0 ? a->info.sm : a->info.slice;
	if (who < 0)
		pane_text(p, 0, 0, label_style(m, a->node, true), "-");
	else
		pane_printf(p, 0, 0, label_style(m, a->node, a->info.sm < 0), "%d", who);
	if (a->info.slice >= 0)
		level(p, 0, 3, load_of(m, a->node, MESH_SLICE));
	if (east >= 0)
		lane(p, 0, SHORT_LABEL_W, g->w - SHORT_LABEL_W, both(m, a->node, MESH_EAST, east),
		     on_way(m, a->node, (u32)east) || on_way(m, (u32)east, a->node), 0, true);
	if (south < 0)
		return;
	const double load = both(m, a->node, MESH_SOUTH, south);
	pane_glyph(p, 1, 0, heat(load),
	           on_way(m, a->node, (u32)south) || on_way(m, (u32)south, a->node) ? across(p) : 0x2502);
	if (load >= 0.005)
		pane_printf(p, 1, 1, heat(load), "%.0f", 100 * load);
}

/* Its busiest way out, and the link to the east. */
static void dot(const struct mesh_map *m, const struct grid *g, struct pane p, const struct place *a)
{
	const s32 east = a->info.neighbour[MESH_EAST];
	double most = 0;
	for (u32 w = 0; w < MESH_PORTS; w++)
		most = MAX(most, load_of(m, a->node, w));
	if (east >= 0)
		lane(p, 0, 1, g->w - 1, both(m, a->node, MESH_EAST, east),
		     on_way(m, a->node, (u32)east) || on_way(m, (u32)east, a->node), 0, true);
	level(p, 0, 0, most);
	if (m->chosen == a->node + 1)
		pane_attr(p, 0, 0, 1, ATTR_REVERSE);
}

u32 mesh_map_draw(const struct mesh_map *m, struct pane p)
{
	const struct grid g = grid_of(m, p);
	for (int y = 0; y < g.rows; y++)
		for (int x = 0; x < g.columns; x++) {
			struct place a = {.node = (u32)(g.top + y) * g.width + (u32)(g.left + x)};
			struct pane cell = pane_sub(p, y * g.h, x * g.w, g.h, g.w);
			mem_mesh_node(gpu_mem(m->g), a.node, &a.info);
			if (g.detail == FULL)
				full_node(m, &g, cell, &a);
			else if (g.detail == SHORT)
				short_node(m, &g, cell, &a);
			else
				dot(m, &g, cell, &a);
		}
	return g.width * g.height - (u32)(g.columns * g.rows);
}
