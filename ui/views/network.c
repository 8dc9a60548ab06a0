#include "views/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scr/term.h"
#include "views/legend.h"
#include "views/mesh_map.h"

#define LABEL_W 32 /* columns of a queue's name and fill */
#define QUEUES_MAX 4096

/* --- queues ------------------------------------------------------------------------------------------------------- */
/* All queues of one kind ("SM L1D miss queue"), in the order of their numbers: a column each, as high as it is full. */
struct queue_row {
	char name[64];
	float fill[512];
	u32 n;
	u64 used, size;
};

/* "L2 slice 5 input": the kind is what is beside the number. */
static void kind_of(const char *name, char *out, size_t size)
{
	const char *number = strchr(name, ' ');
	while (number && !(number[1] >= '0' && number[1] <= '9'))
		number = strchr(number + 1, ' ');
	const char *behind = number ? number + 1 + strspn(number + 1, "0123456789") : name;
	snprintf(out, size, "%.*s%s", (int)(number ? number - name : 0), name, behind);
}

static void queue_row(struct pane p, const struct queue_row *r)
{
	draw_words(p, 0, 1, LABEL_W - 7, STYLE(R_DIM), r->name);
	pane_right(p, 0, LABEL_W - 1, STYLE(R_TEXT), "%.0f%%", percent((double)r->used, (double)r->size));
	draw_spark(p, 0, LABEL_W, MIN((int)r->n, p.w - LABEL_W), STYLE(R_FILL3), r->fill, (int)r->n, 1);
	for (u32 i = 0; i < r->n && r->n <= (u32)MAX(p.w - LABEL_W, 0); i++)
		if (r->fill[i] == 0)
			legend_draw(p, 0, LABEL_W + (int)i, LG_EMPTY);
}

/* A row for each kind of queue, as many as there is room for; returns how many. */
static int queues(const struct view_ctx *v, struct pane p)
{
	struct queue_info *q = xcalloc(QUEUES_MAX, sizeof *q);
	const u32 n = MIN(mem_queues(gpu_mem(v->g), q, QUEUES_MAX), (u32)QUEUES_MAX);
	struct queue_row *row = xcalloc(64, sizeof *row);
	u32 rows = 0;
	for (u32 i = 0; i < n; i++) {
		char name[sizeof row->name];
		kind_of(q[i].name, name, sizeof name);
		u32 k = 0;
		while (k < rows && strcmp(row[k].name, name) != 0)
			k++;
		if (k == 64)
			continue;
		rows = MAX(rows, k + 1);
		snprintf(row[k].name, sizeof row[k].name, "%s", name);
		row[k].used += q[i].used;
		row[k].size += q[i].size;
		if (row[k].n < ARRAY_LEN(row[k].fill))
			row[k].fill[row[k].n++] = q[i].size ? (float)q[i].used / (float)q[i].size : 0;
	}
	const int shown = MIN((int)rows, p.h);
	for (int i = 0; i < shown; i++)
		queue_row(pane_sub(p, i, 0, 1, p.w), &row[i]);
	free(row);
	free(q);
	return shown;
}

static void crossbar(struct view_ctx *v, struct pane p)
{
	int x = pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), "Queues");
	draw_words(p, 0, x + 2, p.w - x - 3, STYLE(R_DIM),
	           "how full they are now: all of a kind, then each, by the number of its SM, slice or channel");
	queues(v, pane_sub(p, 1, 0, p.h - 1, p.w));
}

/* --- the mesh ----------------------------------------------------------------------------------------------------- */

static struct mesh_map map_of(const struct view_ctx *v)
{
	const bool run = v->st->since_start;
	const u32 nodes = v->st->node;
	return (struct mesh_map){.g = v->g,
	                         .flits = run ? links_run(v->recent->links) : links_recent(v->recent->links),
	                         .chosen = nodes,
	                         .way_from = v->st->way_from,
	                         .way_to = v->st->way_from && v->st->way_from != nodes ? nodes : 0};
}

static void summary(const struct view_ctx *v, const struct mesh_map *m, struct pane p)
{
	char who[40];
	u32 w, h;
	mem_mesh(gpu_mem(v->g), &w, &h);
	const struct link_summary s = link_summary(v->g, m->flits);
	int x = pane_printf(p, 0, 1, STYLE_BOLD(R_TEXT), "Mesh %ux%u", w, h);
	x = pane_text(p, 0, x + 2, STYLE(R_DIM), "links busy ");
	x = pane_printf(p, 0, x, STYLE(R_TEXT), "%.1f%%", 100 * s.mean);
	if (s.most > 0) {
		mesh_who(v->g, s.node, who, sizeof who);
		x = pane_text(p, 0, x, STYLE(R_DIM), ", most ");
		x = pane_printf(p, 0, x, STYLE(R_TEXT), "%.0f%%", 100 * s.most);
		x = pane_printf(p, 0, x, STYLE(R_DIM), " %s of %s", mesh_way_names[s.way], who);
	}
	pane_right(p, 0, p.w - 1, STYLE(R_DIM), "%s", v->st->since_start ? "since the start" : "in " RECENT_TEXT " cycles");
}

/* Flits of each class that crossed links, since the start. */
static void classes(const struct view_ctx *v, struct pane p)
{
	char a[NUM_MAX];
	struct noc_counters *n = mem_noc_counters((struct mem *)gpu_mem(v->g));
	const u64 *flits = noc_crossings(n);
	int x = pane_text(p, 0, 1, STYLE(R_DIM), "flits over links");
	for (u32 c = 0; c < MSG_CLASSES; c++) {
		x = pane_printf(p, 0, x + 2, STYLE(R_DIM), "%s ", msg_class_names[c]);
		x = pane_text(p, 0, x, STYLE(R_TEXT), fmt_short(a, (double)flits[c]));
	}
}

/* What leaves the chosen node, and what waits in front of it. */
static void chosen_node(const struct view_ctx *v, const struct mesh_map *m, struct pane p)
{
	char who[40], a[NUM_MAX];
	struct mesh_node_info n;
	const u32 node = m->chosen - 1;
	mem_mesh_node(gpu_mem(v->g), node, &n);
	mesh_who(v->g, node, who, sizeof who);
	int x = pane_printf(p, 0, 1, STYLE_BOLD(R_TEXT), "%s", who);
	for (u32 w = 0; w < MESH_PORTS; w++) {
		if (w < MESH_LINKS ? n.neighbour[w] < 0 : (w == MESH_SM ? n.sm : n.slice) < 0)
			continue;
		x = pane_printf(p, 0, x + 2, STYLE(R_DIM), "%s ", mesh_way_names[w]);
		x = pane_printf(p, 0, x, STYLE(R_TEXT), "%.0f%%", 100 * link_load(m->flits, gpu_conf(v->g), node, w));
		if (p.w >= 120 && n.out[w].packets)
			x = pane_printf(p, 0, x, STYLE(R_DIM), " %s packets, wait %.1f", fmt_short(a, (double)n.out[w].packets),
			                (double)n.out[w].waited / (double)n.out[w].packets);
		if (w < MESH_LINKS && n.held[w])
			x = pane_printf(p, 0, x, STYLE(R_WARN), " %u/%u flits wait", n.held[w], n.places);
	}
}

static void way(const struct view_ctx *v, const struct mesh_map *m, struct pane p)
{
	char from[40], to[40];
	u32 at[CONF_MAX_SMS];
	const struct mem *mem = gpu_mem(v->g);
	const u32 n = MIN(mem_mesh_way(mem, m->way_from - 1, m->way_to - 1, at, ARRAY_LEN(at)), (u32)ARRAY_LEN(at));
	mesh_who(v->g, at[0], from, sizeof from);
	mesh_who(v->g, at[n - 1], to, sizeof to);
	double most = 0;
	for (u32 i = 0; i + 1 < n; i++) {
		struct mesh_node_info x;
		mem_mesh_node(mem, at[i], &x);
		for (u32 w = 0; w < MESH_LINKS; w++)
			if (x.neighbour[w] == (s32)at[i + 1])
				most = MAX(most, link_load(m->flits, gpu_conf(v->g), at[i], w));
	}
	int x = pane_text(p, 0, 1, STYLE(R_DIM), "way from ");
	x = pane_text(p, 0, x, STYLE(R_ACCENT), from);
	x = pane_text(p, 0, x, STYLE(R_DIM), " to ");
	x = pane_text(p, 0, x, STYLE(R_ACCENT), to);
	pane_printf(p, 0, x, STYLE(R_DIM), ": %u links, %llu cycles alone, busiest link %.0f%%", n - 1,
	            (unsigned long long)mem_mesh_zero_load(mem, n - 1, 1), 100 * most);
}

static void mesh(struct view_ctx *v, struct pane p)
{
	const struct mesh_map m = map_of(v);
	const int head = p.h >= 10 ? 2 : 1, feet = p.h >= 8 ? 2 : p.h >= 5 ? 1 : 0;
	summary(v, &m, p);
	if (head > 1)
		classes(v, pane_sub(p, 1, 0, 1, p.w));
	const struct pane body = pane_sub(p, head, 1, p.h - head - feet, p.w - 2);
	const u32 left_out = mesh_map_draw(&m, body);
	v->st->list.y = body.y;
	v->st->list.n = body.h;
	v->st->list.w = body.w;
	if (left_out)
		draw_more(body, (int)left_out);
	if (feet && m.chosen)
		chosen_node(v, &m, pane_sub(p, p.h - feet, 0, 1, p.w));
	else if (feet)
		draw_words(p, p.h - feet, 1, p.w - 2, STYLE(R_DIM),
		           "arrows choose a node; o: the ways from it; u: since the start");
	if (feet > 1 && m.way_from && m.way_to)
		way(v, &m, pane_sub(p, p.h - 1, 0, 1, p.w));
}

void network_draw(struct view_ctx *v, struct pane p)
{
	if (p.h < 2)
		return;
	if (v->recent->links)
		mesh(v, p);
	else
		crossbar(v, p);
}

/* --- keys --------------------------------------------------------------------------------------------------------- */
/* The neighbour of the chosen node; without one the first. */
static void step(struct view_ctx *v, enum mesh_port way)
{
	struct mesh_node_info n;
	if (!v->st->node) {
		v->st->node = 1;
		return;
	}
	mem_mesh_node(gpu_mem(v->g), v->st->node - 1, &n);
	if (n.neighbour[way] >= 0)
		v->st->node = (u32)n.neighbour[way] + 1;
}

bool network_key(struct view_ctx *v, int key)
{
	if (!v->recent->links)
		return false;
	switch (key) {
	case K_LEFT: step(v, MESH_WEST); return true;
	case K_RIGHT: step(v, MESH_EAST); return true;
	case K_UP: step(v, MESH_NORTH); return true;
	case K_DOWN: step(v, MESH_SOUTH); return true;
	case 'o': v->st->way_from = v->st->way_from == v->st->node ? 0 : v->st->node; return true;
	case 'u': v->st->since_start = !v->st->since_start; return true;
	default: return false;
	}
}

void network_click(struct view_ctx *v, s32 row, s32 x)
{
	if (!v->recent->links)
		return;
	const struct mesh_map m = map_of(v);
	const struct pane p = {.h = v->st->list.n, .w = v->st->list.w};
	const u32 node = mesh_map_at(&m, p, row, x - 1);
	if (node)
		v->st->node = node;
}
