/* info network: what crosses the interconnect; of a mesh its nodes, how busy their ways out are, and ways through it */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "gpu/scope.h"
#include "obs/stats/links.h"

static const char *const way_names[MESH_PORTS] = {"east", "west", "north", "south", "to SM", "to L2"};

static void direction(struct strbuf *out, const char *name, u64 packets, u64 flits, u64 wait, u64 cycles)
{
	strbuf_addf(out, "  %-8s %llu packets, %llu flits (%.2f a cycle), wait %.1f cycles beyond zero load\n", name,
	            (unsigned long long)packets, (unsigned long long)flits, cycles ? (double)flits / (double)cycles : 0.0,
	            packets ? (double)wait / (double)packets : 0.0);
}

static void totals(struct debugger *d, struct strbuf *out)
{
	struct gpu *g = dbg_gpu(d);
	const struct noc_counters *n = (const struct noc_counters *)gpu_counters(g, CG_noc, 0);
	const char *when = gpu_scope_is_set(g) ? "in the scope; its links since the start" : "since the start";
	u32 w, h;
	if (mem_mesh(gpu_mem(g), &w, &h))
		strbuf_addf(out, "mesh of %u x %u nodes, %s\n", w, h, when);
	else
		strbuf_addf(out, "network %s, %s (its queues: info queues)\n", gpu_conf(g)->network, when);
	direction(out, "requests", n->requests, n->request_flits, n->request_wait, gpu_counted_cycles(g));
	direction(out, "replies", n->replies, n->reply_flits, n->reply_wait, gpu_counted_cycles(g));
}

static void who(const struct mesh_node_info *n, char *sm, char *slice, size_t size)
{
	snprintf(sm, size, n->sm >= 0 ? "%d" : "-", n->sm);
	snprintf(slice, size, n->slice >= 0 ? "%d" : "-", n->slice);
}

/* A row a node: the share of interconnect cycles in which a flit took each way out. */
static void nodes(struct gpu *g, struct links *l, struct strbuf *out)
{
	const struct link_flits *f = links_run(l);
	u32 w, h;
	mem_mesh(gpu_mem(g), &w, &h);
	strbuf_adds(out, "  node  at     SM   L2 ");
	for (u32 p = 0; p < MESH_PORTS; p++)
		strbuf_addf(out, "%7s", way_names[p]);
	strbuf_adds(out, "   flits that wait\n");
	for (u32 i = 0; i < w * h; i++) {
		struct mesh_node_info n;
		char at[24], sm[12], slice[12];
		u32 held = 0;
		mem_mesh_node(gpu_mem(g), i, &n);
		who(&n, sm, slice, sizeof sm);
		snprintf(at, sizeof at, "%u,%u", i % w, i / w);
		strbuf_addf(out, "  %4u  %-5s %3s  %3s ", i, at, sm, slice);
		for (u32 p = 0; p < MESH_PORTS; p++) {
			const bool there = p < MESH_LINKS ? n.neighbour[p] >= 0 : (p == MESH_SM ? n.sm : n.slice) >= 0;
			if (there)
				strbuf_addf(out, "%6.1f%%", 100 * link_load(f, gpu_conf(g), i, p));
			else
				strbuf_addf(out, "%7s", "-");
		}
		for (u32 p = 0; p < MESH_LINKS; p++)
			held += n.held[p];
		strbuf_addf(out, "   %u\n", held);
	}
}

/* One way out after the other: flits by class. */
static void node(struct gpu *g, struct links *l, u32 i, struct strbuf *out)
{
	struct mesh_node_info n;
	char sm[12], slice[12];
	u32 w, h;
	mem_mesh(gpu_mem(g), &w, &h);
	mem_mesh_node(gpu_mem(g), i, &n);
	who(&n, sm, slice, sizeof sm);
	strbuf_addf(out, "node %u at %u,%u: SM %s, L2 slice %s; since the start\n  way out    busy   packets   wait", i,
	            i % w, i / w, sm, slice);
	for (u32 c = 0; c < MSG_CLASSES; c++)
		strbuf_addf(out, " %10s", msg_class_names[c]);
	strbuf_adds(out, "   flits that wait behind it\n");
	for (u32 p = 0; p < MESH_PORTS; p++) {
		const struct mesh_out *o = &n.out[p];
		struct mesh_node_info next;
		if (p < MESH_LINKS ? n.neighbour[p] < 0 : (p == MESH_SM ? n.sm : n.slice) < 0)
			continue;
		strbuf_addf(out, "  %-8s %5.1f%% %9llu %6.1f", way_names[p], 100 * link_load(links_run(l), gpu_conf(g), i, p),
		            (unsigned long long)o->packets, o->packets ? (double)o->waited / (double)o->packets : 0.0);
		for (u32 c = 0; c < MSG_CLASSES; c++)
			strbuf_addf(out, " %10llu", (unsigned long long)o->flits[c]);
		if (p < MESH_LINKS) {
			mem_mesh_node(gpu_mem(g), (u32)n.neighbour[p], &next);
			strbuf_addf(out, "   %u of %u", next.held[p ^ 1], next.places);
		}
		strbuf_addc(out, '\n');
	}
}

static void way(struct gpu *g, struct links *l, u32 from, u32 to, struct strbuf *out)
{
	u32 at[CONF_MAX_SMS];
	const struct mem *m = gpu_mem(g);
	const u32 n = MIN(mem_mesh_way(m, from, to, at, ARRAY_LEN(at)), (u32)ARRAY_LEN(at));
	strbuf_addf(out, "from node %u to node %u: %u links, a flit needs %llu cycles if nobody else is there\n", from, to,
	            n - 1, (unsigned long long)mem_mesh_zero_load(m, n - 1, 1));
	for (u32 i = 0; i + 1 < n; i++) {
		struct mesh_node_info x;
		mem_mesh_node(m, at[i], &x);
		for (u32 p = 0; p < MESH_LINKS; p++)
			if (x.neighbour[p] == (s32)at[i + 1])
				strbuf_addf(out, "  node %u %s: busy %.1f%%\n", at[i], way_names[p],
				            100 * link_load(links_run(l), gpu_conf(g), at[i], p));
	}
}

/* A node by its number, or by who is there: "5", "sm 3", "l2 7". False with *e. */
static bool node_arg(struct debugger *d, const char **args, u32 *out, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	char word[32], what[8] = "node";
	u32 w, h;
	u64 v;
	mem_mesh(gpu_mem(g), &w, &h);
	*args = next_word(*args, word, sizeof word);
	const bool sm = !strcmp(word, "sm") || !strcmp(word, "SM"), slice = !strcmp(word, "l2") || !strcmp(word, "L2");
	if (sm || slice) {
		snprintf(what, sizeof what, "%s", sm ? "SM" : "L2");
		if (!*args || !(*args = next_word(*args, word, sizeof word)))
			return err_set(e, "info network: the number behind '%s' is missing", what);
	}
	const u32 n = sm ? gpu_conf(g)->num_sms : slice ? gpu_num_l2(g) : w * h;
	if (!word_number(word, &v))
		return err_set(e, "info network: '%.30s' is no node: give its number, or sm N, or l2 N", word);
	if (v >= n)
		return err_set(e, "info network: %s %s does not exist (0..%u)", what, word, n - 1);
	*out = sm || slice ? mem_mesh_place(gpu_mem(g), (u32)v + (slice ? gpu_conf(g)->num_sms : 0)) : (u32)v;
	return true;
}

static bool mesh_answer(struct debugger *d, struct links *l, const char *args, struct strbuf *out, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	u32 from, to;
	if (!*args) {
		totals(d, out);
		nodes(g, l, out);
		return true;
	}
	if (!node_arg(d, &args, &from, e))
		return false;
	if (!args || !*args) {
		node(g, l, from, out);
		return true;
	}
	if (!node_arg(d, &args, &to, e))
		return false;
	if (args && *args)
		return err_set(e, "info network: '%.30s' behind the second node", args);
	way(g, l, from, to, out);
	return true;
}

bool info_network(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct links *l = links_create(dbg_gpu(d));
	if (!l) {
		if (*args)
			return err_set(e, "info network: only a mesh has nodes (network is %s)", gpu_conf(dbg_gpu(d))->network);
		totals(d, out);
		return true;
	}
	const bool ok = mesh_answer(d, l, args, out, e);
	links_free(l);
	return ok;
}
