/* The picture of the interconnect and `info network`: loads of links against the counters of the routers, now and after
 * going back, ways, the choice of a node, and every size of screen. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/rig/canvas_rig.h"
#include "tests/rig/debug_rig.h"
#include "obs/stats/links.h"
#include "scr/term.h"
#include "views/frame.h"
#include "views/mesh_map.h"
#include "views/offscreen.h"

#define MEM_VIEW "mem"

static struct screen *begin(struct rig *r, char *gpu, char *network)
{
	char *argv[] = {"warpdbg", "debug", "hotspot", "--size", "small", "--gpu", gpu, "--network", network, NULL};
	rig_open(r, argv);
	offscreen_open(r->d);
	struct screen *s = r->d->screen;
	s->view = (u32)screen_find_view(MEM_VIEW);
	return s;
}

static const struct canvas *look(struct screen *s, int h, int w)
{
	canvas_resize(&s->canvas, h, w);
	console_init(&s->console);
	frame_draw(s);
	console_release(&s->console);
	return &s->canvas;
}

static bool key(struct screen *s, int k)
{
	struct view_ctx v;
	frame_context(s, &v);
	return views[s->view]->on_key(&v, k);
}

static struct view_state *state_of(struct screen *s)
{
	return &s->state[s->view];
}

static u64 flits(struct gpu *g, u32 node, u32 way)
{
	struct mesh_node_info n;
	u64 sum = 0;
	mem_mesh_node(gpu_mem(g), node, &n);
	for (u32 c = 0; c < MSG_CLASSES; c++)
		sum += n.out[way].flits[c];
	return sum;
}

/* --- windows ------------------------------------------------------------------------------------------------------ */
static void sums(struct gpu *g, u64 out[16][MESH_PORTS])
{
	for (u32 n = 0; n < 16; n++)
		for (u32 w = 0; w < MESH_PORTS; w++)
			out[n][w] = flits(g, n, w);
}

static void assert_window(struct screen *s, u64 from[16][MESH_PORTS], u64 to[16][MESH_PORTS])
{
	const struct link_flits *f = links_recent(s->recent.links);
	assert_int_equal(f->cycles, RECENT_CYCLES);
	for (u32 n = 0; n < 16; n++)
		for (u32 w = 0; w < MESH_PORTS; w++)
			assert_int_equal(f->flits[n][w], to[n][w] - from[n][w]);
}

/* What the last window had is what the routers counted in it, also after going back and on again. */
static void windows(void **state)
{
	struct rig r;
	u64 at[3][16][MESH_PORTS];
	struct screen *s = begin(&r, "apu15", "mesh");
	for (u32 i = 0; i < 3; i++) {
		char line[40];
		snprintf(line, sizeof line, "goto %u", (4 + i) * RECENT_CYCLES);
		rig_say(&r, line);
		sums(dbg_gpu(r.d), at[i]);
	}
	assert_true(memcmp(at[0], at[1], sizeof at[0]) && memcmp(at[1], at[2], sizeof at[1]));
	assert_window(s, at[1], at[2]);
	rig_say(&r, "reverse-step 100");
	assert_window(s, at[0], at[1]);
	rig_say(&r, "step 100");
	assert_window(s, at[1], at[2]);
	struct link_flits *run = (struct link_flits *)links_run(s->recent.links);
	assert_int_equal(run->cycles, 6 * RECENT_CYCLES);
	assert_memory_equal(run->flits, at[2], sizeof at[2]);
	rig_close(&r);
}

/* --- the map ------------------------------------------------------------------------------------------------------ */
/* The column of the n-th node of a row of the map, found by its name. */
static int router_column(const struct canvas *c, int y, const char *name)
{
	const u32 n = (u32)strlen(name);
	for (int x = 0; x + (int)n <= c->w; x++) {
		u32 k = 0;
		while (k < n && canvas_at(c, y, x + (int)k)->ch == (u32)name[k])
			k++;
		if (k == n && canvas_at(c, y, x + (int)n)->ch == ' ')
			return x;
	}
	fail_msg("row %d has no '%s': %s", y, name, row_of(c, y));
	return -1;
}

/* The number in columns [x, x + w); 0: none there. */
static int number_in(const struct canvas *c, int y, int x, int w)
{
	int n = 0;
	for (int i = x; i < x + w; i++) {
		u32 ch = canvas_at(c, y, i)->ch;
		n = ch >= '0' && ch <= '9' ? 10 * n + (int)(ch - '0') : n;
	}
	return n;
}

static int percent_of(struct gpu *g, u32 node, u32 way)
{
	const double cycles = (double)gpu_cycle(g) * gpu_conf(g)->icnt_clock / gpu_conf(g)->core_clock;
	const double load = (double)flits(g, node, way) / cycles;
	return load < 0.005 ? 0 : (int)lround(100 * load);
}

static void assert_near(int shown, int is, const char *what, u32 node)
{
	if (abs(shown - is) > 1) /* x.5 may go either way */
		fail_msg("%s of node %u: %d shown, %d is right", what, node, shown, is);
}

/* Since the start: each lane has the load of its link. */
static void lanes(void **state)
{
	struct rig r;
	struct screen *s = begin(&r, "apu15", "mesh");
	rig_say(&r, "goto 7000");
	struct gpu *g = dbg_gpu(r.d);
	assert_true(key(s, 'i'));
	assert_true(key(s, 'u'));
	const struct canvas *c = look(s, 30, 100);
	const int first = find_row(c, 0, "SM 1 "), one = find_row(c, 0, "SM 5 ") - first;
	const int w = router_column(c, first, "SM 1") - router_column(c, first, "SM 0");
	int most = 0;
	for (u32 n = 0; n < 16; n++) {
		const int x = 1 + (int)(n % 4) * w, y = first + (int)(n / 4) * one;
		if (n % 4 < 3) {
			assert_near(number_in(c, y, x + 8, w - 8), percent_of(g, n + 1, MESH_WEST), "west", n + 1);
			assert_near(number_in(c, y + 1, x + 8, w - 8), percent_of(g, n, MESH_EAST), "east", n);
		}
		if (n < 12) {
			assert_near(number_in(c, y + 2, x + 1, 3), percent_of(g, n, MESH_SOUTH), "south", n);
			assert_near(number_in(c, y + 2, x + 5, 3), percent_of(g, n + 4, MESH_NORTH), "north", n + 4);
			most = MAX(most, percent_of(g, n, MESH_SOUTH));
		}
	}
	assert_true(most > 5);
	assert_non_null(strstr(row_of(c, find_row(c, 0, "Mesh 4x4")), "since the start"));
	assert_true(key(s, 'u'));
	c = look(s, 30, 100);
	assert_non_null(strstr(row_of(c, find_row(c, 0, "Mesh 4x4")), "in 1,024 cycles"));
	int differs = 0;
	for (u32 n = 0; n < 3; n++) {
		int is = (int)lround(100 * link_load(links_recent(s->recent.links), gpu_conf(g), n, MESH_EAST));
		assert_near(number_in(c, first + 1, 1 + (int)n * w + 8, w - 8), is, "east in the window", n);
		differs += abs(is - percent_of(g, n, MESH_EAST));
	}
	assert_true(differs > 2);
	rig_close(&r);
}

/* From SM 1 east to SM 3, then south to SM 11: double lines there and nowhere else. */
static void ways(void **state)
{
	struct rig r;
	struct screen *s = begin(&r, "apu15", "mesh");
	rig_say(&r, "goto 3000");
	key(s, 'i');
	key(s, K_RIGHT); /* the first node */
	key(s, K_RIGHT);
	assert_int_equal(state_of(s)->node, 2);
	key(s, 'o');
	key(s, K_RIGHT);
	key(s, K_RIGHT);
	key(s, K_RIGHT); /* the edge */
	key(s, K_DOWN);
	key(s, K_DOWN);
	assert_int_equal(state_of(s)->node, 12);
	const struct canvas *c = look(s, 30, 100);
	const int first = find_row(c, 0, "SM 1 "), one = find_row(c, 0, "SM 5 ") - first;
	const int w = router_column(c, first, "SM 1") - router_column(c, first, "SM 0");
	for (u32 n = 0; n < 16; n++) {
		const int x = 1 + (int)(n % 4) * w, y = first + (int)(n / 4) * one;
		if (n % 4 < 3) {
			assert_int_not_equal(canvas_at(c, y, x + 9)->ch, 0x2550);
			assert_int_equal(canvas_at(c, y + 1, x + 9)->ch == 0x2550, n == 1 || n == 2);
		}
		if (n < 12 && one > 3) {
			assert_int_equal(canvas_at(c, y + 3, x)->ch == 0x2551, n == 3 || n == 7);
			assert_int_not_equal(canvas_at(c, y + 3, x + 4)->ch, 0x2551);
		}
	}
	find_row(c, 0, "way from SM 1, L2 1 to SM 11, L2 11: 4 links, 14 cycles alone");
	find_row(c, 0, "SM 11, L2 11  west");
	key(s, 'o'); /* from here on: there is no way yet */
	assert_int_equal(state_of(s)->way_from, 12);
	key(s, 'o');
	assert_int_equal(state_of(s)->way_from, 0);
	rig_close(&r);
}

/* A click on what a node looks like chooses it, in every size; all fit in but the smallest. */
static void all_sizes(char *set)
{
	struct rig r;
	char *argv[] = {"warpdbg", "debug",     "vecadd", "--size", "small", "--gpu",
	                "titanv",  "--network", "mesh",   "--set",  set,     NULL};
	rig_open(&r, argv);
	offscreen_open(r.d);
	struct screen *s = r.d->screen;
	s->view = (u32)screen_find_view(MEM_VIEW);
	struct gpu *g = dbg_gpu(r.d);
	struct links *l = links_create(g);
	u32 width, height;
	assert_true(mem_mesh(gpu_mem(g), &width, &height));
	key(s, 'i');
	for (int w = 20; w <= 200; w += 9)
		for (int h = 5; h <= 60; h += 5) {
			look(s, h, w);
			const struct view_state *st = state_of(s);
			if (!st->list.n)
				continue;
			struct mesh_map m = {.g = g, .flits = links_run(l)};
			struct pane p = pane_sub(pane_all(&s->canvas), st->list.y, 1, st->list.n, st->list.w);
			u32 left_out = mesh_map_draw(&m, p), seen = 0;
			for (int y = 0; y < p.h; y++)
				for (int x = 0; x < p.w; x++) {
					u32 at = mesh_map_at(&m, p, y, x);
					assert_true(at <= width * height);
					seen = MAX(seen, at);
				}
			assert_true(seen && (left_out || seen == width * height));
			assert_true(left_out < width * height);
			for (u32 n = 1; n <= width * height; n += 7) { /* the chosen one is always there */
				m.chosen = n;
				bool there = false;
				for (int y = 0; y < p.h && !there; y++)
					for (int x = 0; x < p.w && !there; x++)
						there = mesh_map_at(&m, p, y, x) == n;
				assert_true(there);
			}
		}
	links_free(l);
	struct view_ctx v;
	look(s, 40, 120);
	frame_context(s, &v);
	views[s->view]->on_click(&v, 0, 1);
	assert_int_equal(state_of(s)->node, 1);
	rig_close(&r);
}

static void sizes(void **state)
{
	all_sizes("noc.mesh_width=0");
	all_sizes("noc.mesh_width=40");
	all_sizes("noc.mesh_width=1");
}

/* --- a crossbar --------------------------------------------------------------------------------------------------- */
static void crossbar(void **state)
{
	struct rig r;
	struct screen *s = begin(&r, "gtx480", "crossbar");
	rig_say(&r, "goto 4500");
	key(s, 'i');
	assert_false(key(s, K_DOWN));
	const struct canvas *c = look(s, 30, 100);
	static struct queue_info q[4096];
	const u32 n = mem_queues(gpu_mem(dbg_gpu(r.d)), q, 4096);
	double used = 0, size = 0;
	for (u32 i = 0; i < n; i++)
		if (strstr(q[i].name, "stores in flight")) {
			used += q[i].used;
			size += q[i].size;
		}
	assert_true(used > 8);
	char text[64];
	const char *row = row_of(c, find_row(c, 0, "SM stores in flight"));
	snprintf(text, sizeof text, " %.0f%% ", 100 * used / size);
	assert_non_null(strstr(row, text));
	find_row(c, 0, "L2 slice miss queue");
	find_row(c, 0, "DRAM channel window");
	rig_has(&r, "info network", "network crossbar");
	rig_fails(&r, "info network 3", "only a mesh has nodes (network is crossbar)");
	rig_close(&r);
}

/* --- the command -------------------------------------------------------------------------------------------------- */
static void command(void **state)
{
	struct rig r;
	char text[120];
	begin(&r, "apu15", "mesh");
	rig_say(&r, "goto 5000");
	struct gpu *g = dbg_gpu(r.d);
	const double cycles = 5000.0 * gpu_conf(g)->icnt_clock / gpu_conf(g)->core_clock;
	struct mesh_node_info n;
	mem_mesh_node(gpu_mem(g), 3, &n);
	snprintf(text, sizeof text, "  west     %5.1f%% %9llu", 100 * flits(g, 3, MESH_WEST) / cycles,
	         (unsigned long long)n.out[MESH_WEST].packets);
	rig_has(&r, "info network sm 3", text);
	rig_has(&r, "info network 3", text);
	assert_null(strstr(strbuf_str(&r.out), "east")); /* the edge */
	rig_has(&r, "info network sm 3 l2 12", "from node 3 to node 12: 6 links, a flit needs 20 cycles");
	rig_has(&r, "info network", "    15  3,3     -   15       -");
	rig_fails(&r, "info network 16", "node 16 does not exist (0..15)");
	rig_fails(&r, "info network sm 15", "SM 15 does not exist (0..14)");
	rig_fails(&r, "info network sm", "the number behind 'SM' is missing");
	rig_fails(&r, "info network 1 2 3", "'3' behind the second node");
	rig_fails(&r, "info network here", "'here' is no node");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(windows), cmocka_unit_test(lanes),    cmocka_unit_test(ways),
	    cmocka_unit_test(sizes),   cmocka_unit_test(crossbar), cmocka_unit_test(command),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
