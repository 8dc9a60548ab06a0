/* Every number that a view shows is the counter, or the quotient of counters, that it says it is: at random cycles of
 * several programs, and after going back. The test computes them anew from the counters; windows it measures itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "tests/rig/numbers_rig.h"
#include "dbg/debugger.h"
#include "dbg/rival.h"
#include "obs/energy/energy.h"
#include "scr/term.h"
#include "session/lockstep.h"
#include "views/frame.h"
#include "views/offscreen.h"
#include "views/point.h"

#define SMS 15
#define SLICES 24
#define CHANNELS 8

/* --- what is counted, at a cycle ------------------------------------------------------------------------------------ */

struct counts {
	u64 cycle;
	struct sm_counters sm[SMS], sms;
	struct cache_counters l1d[SMS], l1[4], l2[SLICES], l2s;
	struct dram_counters ch[CHANNELS], dram;
	struct noc_counters noc;
	u64 stalls[SMS][ST_COUNT], all[ST_COUNT], energy;
};

static void add_up(void *sum, const u64 *part, u32 n)
{
	for (u32 i = 0; i < n; i++)
		((u64 *)sum)[i] += part[i];
}

static void count(struct gpu *g, struct counts *k)
{
	struct energy e;
	const u32 nsm = counter_group_size(CG_sm), ncache = counter_group_size(CG_l1d), ndram = counter_group_size(CG_dram);
	assert_int_equal(gpu_conf(g)->num_sms, SMS);
	assert_true(gpu_counter_instances(g, CG_l2) <= SLICES && gpu_counter_instances(g, CG_dram) <= CHANNELS);
	*k = (struct counts){.cycle = gpu_cycle(g)};
	for (u32 i = 0; i < SMS; i++) {
		memcpy(&k->sm[i], gpu_counters(g, CG_sm, i), nsm * sizeof(u64));
		memcpy(&k->l1d[i], gpu_counters(g, CG_l1d, i), ncache * sizeof(u64));
		add_up(&k->sms, (u64 *)&k->sm[i], nsm);
		for (u32 j = 0; j < 4; j++)
			add_up(&k->l1[j], gpu_counters(g, (enum counter_group)(CG_l1i + j), i),
			       counter_group_size((enum counter_group)(CG_l1i + j)));
		gpu_stalls_sum(g, (s32)i, k->stalls[i]);
		add_up(k->all, k->stalls[i], ST_COUNT);
	}
	for (u32 i = 0; i < gpu_counter_instances(g, CG_l2); i++) {
		memcpy(&k->l2[i], gpu_counters(g, CG_l2, i), counter_group_size(CG_l2) * sizeof(u64));
		add_up(&k->l2s, (u64 *)&k->l2[i], counter_group_size(CG_l2));
	}
	for (u32 i = 0; i < gpu_counter_instances(g, CG_dram); i++) {
		memcpy(&k->ch[i], gpu_counters(g, CG_dram, i), ndram * sizeof(u64));
		add_up(&k->dram, (u64 *)&k->ch[i], ndram);
	}
	memcpy(&k->noc, gpu_counters(g, CG_noc, 0), counter_group_size(CG_noc) * sizeof(u64));
	energy_of_machine(g, &e);
	k->energy = energy_total(&e);
}

static double per(double a, double b)
{
	return b != 0 ? a / b : (double)NAN;
}

static u64 lookups(const struct cache_counters *c)
{
	return c->hits + c->misses + c->merges;
}

/* A reason's share of an SM's slots in a window, in percent; *top: the one that cost most. */
static double lost(const u64 a[ST_COUNT], const u64 b[ST_COUNT], u32 *top)
{
	u64 sum = 0, most = 0;
	*top = ST_COUNT;
	for (u32 r = 0; r < ST_COUNT; r++) {
		const u64 n = b[r] - a[r];
		sum += n;
		if (r != ST_ISSUED && n > most) {
			most = n;
			*top = r;
		}
	}
	return per(100.0 * (double)most, (double)sum);
}

/* --- where we are ---------------------------------------------------------------------------------------------------- */

struct place {
	struct rig r;
	struct screen *s;
	struct gpu *g;
	const struct canvas *c;
	struct counts from, to, now; /* the last whole window, and the present */
};

static void open_place(struct place *p, char *workload, char *option, char *value)
{
	char *argv[] = {"warpdbg", "debug", workload, "--size", "small", option, value, NULL};
	rig_open(&p->r, argv);
	offscreen_open(p->r.d);
	p->s = p->r.d->screen;
	p->g = dbg_gpu(p->r.d);
}

static void close_place(struct place *p)
{
	rig_close(&p->r);
}

static void go(struct place *p, u64 cycle)
{
	char line[40];
	if (cycle == sim_cycle(p->r.s->sim))
		return;
	snprintf(line, sizeof line, "goto %llu", (unsigned long long)cycle);
	rig_say(&p->r, line);
	assert_int_equal(sim_cycle(p->r.s->sim), cycle);
}

static void show_view(struct place *p, const char *name)
{
	console_init(&p->s->console);
	canvas_resize(&p->s->canvas, 60, 200);
	p->s->view = (u32)screen_find_view(name);
	frame_draw(p->s);
	console_release(&p->s->console);
	p->c = &p->s->canvas;
}

/* To a cycle, by way of the ends of its last whole window, and from another one, if that is not 0. */
static void stand_at(struct place *p, u64 cycle, u64 elsewhere)
{
	const u64 end = cycle / RECENT_CYCLES * RECENT_CYCLES;
	assert_true(end >= RECENT_CYCLES);
	go(p, end - RECENT_CYCLES);
	count(p->g, &p->from);
	go(p, end);
	count(p->g, &p->to);
	go(p, cycle);
	count(p->g, &p->now);
	if (elsewhere) { /* from far away, by a snapshot right here: what views keep themselves comes back with it */
		rig_say(&p->r, "lua dbg.snapshot()");
		go(p, elsewhere > 3000 ? elsewhere - 3000 : 0);
		rig_say(&p->r, "step 2100"); /* runs: two other windows end */
		show_view(p, "1");
		go(p, cycle);
	}
}

/* The number of a row in its first columns, "  3 ..."; -1: there is none. */
static int row_number(const struct canvas *c, int y)
{
	const char *row = row_of(c, y);
	char *end;
	const long n = strtol(row, &end, 10);
	return end > row && *end == ' ' ? (int)n : -1;
}

/* --- views ------------------------------------------------------------------------------------------------------------ */

static void title_is(struct place *p)
{
	const double w = RECENT_CYCLES;
	const double all = (double)(p->to.sms.issued - p->from.sms.issued) / w;
	behind(p->c, 0, "cycle ", 0, (double)p->now.cycle);
	behind(p->c, 0, "IPC ", 0, all);
	if (strstr(row_of(p->c, 0), " free)"))
		behind(p->c, 0, "IPC ", 1, (double)(p->to.sms.issued_free - p->from.sms.issued_free) / w);
}

/* The figure that stands before the axis of a curve. */
static void curve(const struct place *p, const char *name, double want)
{
	int y = find_row(p->c, 2, name);
	while (!strstr(row_of(p->c, y), "│") || column_of(row_of(p->c, y), name) > 14)
		y = find_row(p->c, y + 1, name);
	const struct number n = number_at(p->c, y, column_of(row_of(p->c, y), "│") - 1);
	assert_number(p->c, y, &n, want, name);
}

static u32 regs_in_use(struct gpu *g, u32 sm, u32 *shared, u32 *ctas)
{
	u32 regs = 0;
	*shared = *ctas = 0;
	for (u32 i = 0; i < gpu_conf(g)->sm_ctas; i++) {
		struct cta_info c;
		gpu_cta_info(g, sm, i, &c);
		*ctas += c.used;
		regs += c.used ? c.reg_size : 0;
		*shared += c.used ? c.shared_size : 0;
	}
	return regs;
}

static void overview_is(struct place *p)
{
	const struct conf *c = gpu_conf(p->g);
	const double w = RECENT_CYCLES;
	show_view(p, "1");
	title_is(p);
	const int head = find_row(p->c, 1, " SM warps ");
	for (u32 sm = 0; sm < SMS; sm++) {
		const int y = head + 1 + (int)sm;
		const struct cache_counters *a = &p->from.l1d[sm], *b = &p->to.l1d[sm];
		u32 shared, ctas, top;
		const u32 regs = regs_in_use(p->g, sm, &shared, &ctas);
		assert_int_equal(row_number(p->c, y), sm);
		below(p->c, head, " reg", y, 100.0 * regs / c->sm_regs);
		below(p->c, head, " shm", y, 100.0 * shared / c->sm_shared);
		below(p->c, head, "L1%", y, per(100.0 * (double)(b->hits - a->hits), (double)(lookups(b) - lookups(a))));
		below(p->c, head, " IPC", y, (double)(p->to.sm[sm].issued - p->from.sm[sm].issued) / w);
		const double share = lost(p->from.stalls[sm], p->to.stalls[sm], &top);
		below(p->c, head, "  %", y, share);
		if (top < ST_COUNT)
			assert_non_null(strstr(row_of(p->c, y), stall_descs[top].name[TAX_BASE]));
		char text[32];
		snprintf(text, sizeof text, " %u/%u ", ctas, c->sm_ctas);
		assert_non_null(strstr(row_of(p->c, y), text));
		/* A cell a warp: as many empty ones and as many that are done as there are. */
		u32 empty = 0, shown = 0, done = 0, ds = 0;
		for (u32 i = 0; i < gpu_warps_per_sm(p->g); i++) {
			struct warp_info info;
			gpu_warp_info(p->g, sm, i, &info);
			empty += info.state == WS_NONE;
			done += info.state == WS_DONE && !info.issued_last;
			const u32 ch = canvas_at(p->c, y, 4 + (int)i)->ch;
			shown += ch == 0xb7;
			ds += ch == 'd';
		}
		assert_int_equal(shown, empty);
		assert_int_equal(ds, done);
	}
	const double cycles = w, peak = dram_peak_bytes(c) * w;
	curve(p, " IPC ", (double)(p->to.sms.issued - p->from.sms.issued) / cycles);
	curve(p, " L1D hit ",
	      per(100.0 * (double)(p->to.l1[1].hits - p->from.l1[1].hits),
	          (double)(lookups(&p->to.l1[1]) - lookups(&p->from.l1[1]))));
	curve(p, " DRAM ", 100.0 * (double)(p->to.dram.bytes - p->from.dram.bytes) / peak);
	curve(p, " L2 hit ",
	      per(100.0 * (double)(p->to.l2s.hits - p->from.l2s.hits),
	          (double)(lookups(&p->to.l2s) - lookups(&p->from.l2s))));
	curve(p, " warps ", (double)(p->to.sms.occupancy - p->from.sms.occupancy) / cycles);
	curve(p, " power W ", energy_watts(c, p->to.energy - p->from.energy, RECENT_CYCLES));
	for (u32 i = 0; i < gpu_num_kernels(p->g); i++) {
		struct kernel_info k;
		char name[64];
		gpu_kernel_info(p->g, i, &k);
		snprintf(name, sizeof name, " K%u ", i);
		int y = 1;
		while (y < head && !strstr(row_of(p->c, y), name))
			y++;
		if (y == head || k.state == KS_QUEUED)
			continue;
		if (k.state == KS_DONE) {
			behind(p->c, y, " done ", 0, (double)(k.counters->ended_at - k.counters->started_at));
		} else {
			const int percent_end = end_of(p->c, y, 0, "%");
			const struct number n = number_at(p->c, y, percent_end);
			assert_number(p->c, y, &n, 100.0 * (double)k.counters->ctas_done / (double)k.launch->ctas, "CTAs done");
			behind(p->c, y, "%", 0, (double)k.counters->ctas_done);
		}
	}
}

/* A sign and its percentage, " m memory dependency 87.2 %". */
static void reason_rows(struct place *p, int y, int x, const u64 from[ST_COUNT], const u64 to[ST_COUNT])
{
	u64 sum = 0;
	for (u32 r = 0; r < ST_COUNT; r++)
		sum += to[r] - from[r];
	for (u32 r = 0; r < ST_COUNT && sum; r++) {
		const char *name = stall_descs[r].name[TAX_BASE];
		for (int k = y; k < y + ST_COUNT + 1 && k < p->c->h - 4; k++) {
			const char *row = row_of(p->c, k);
			const int at = column_of(row, name);
			if (at != x + 2)
				continue;
			const struct number n = number_at(p->c, k, end_of(p->c, k, at + (int)strlen(name), "%") - 2);
			assert_number(p->c, k, &n, 100.0 * (double)(to[r] - from[r]) / (double)sum, name);
		}
	}
}

static void sm_is(struct place *p, u32 sm)
{
	const struct conf *c = gpu_conf(p->g);
	u32 shared, ctas, warps = 0, used = 0;
	const u32 regs = regs_in_use(p->g, sm, &shared, &ctas);
	struct mshr_info m[1024];
	debugger_focus(p->r.d, sm, p->r.d->focus.warp, NULL);
	show_view(p, "2");
	title_is(p);
	for (u32 i = 0; i < gpu_warps_per_sm(p->g); i++) {
		struct warp_info w;
		gpu_warp_info(p->g, sm, i, &w);
		warps += w.state != WS_NONE;
	}
	behind(p->c, 1, " SM ", 0, sm);
	behind(p->c, 1, " SM ", 1, warps);
	behind(p->c, 1, " SM ", 2, gpu_warps_per_sm(p->g));
	behind(p->c, 1, " SM ", 3, ctas);
	behind(p->c, 1, " SM ", 4, c->sm_ctas);
	behind(p->c, 1, "IPC ", 0, (double)(p->to.sm[sm].issued - p->from.sm[sm].issued) / RECENT_CYCLES);
	behind(p->c, 1, "(run ", 0, (double)p->now.sm[sm].issued / (double)p->now.cycle);
	struct strbuf told = STRBUF_INIT; /* the prompt's line with the keys on a view of SMs */
	double said;
	point_selection(p->r.d, &p->s->recent, '5', &told);
	assert_int_equal(sscanf(strstr(strbuf_str(&told), "cycles: IPC "), "cycles: IPC %lf", &said), 1);
	assert_true(fabs(said - (double)(p->to.sm[sm].issued - p->from.sm[sm].issued) / RECENT_CYCLES) < 0.00501);
	assert_int_equal(sscanf(strstr(strbuf_str(&told), "registers "), "registers %lf%%", &said), 1);
	assert_true(fabs(said - 100.0 * regs / c->sm_regs) < 0.501);
	strbuf_release(&told);
	int y = find_row(p->c, 2, "issue slots, last");
	reason_rows(p, y + 1, column_of(row_of(p->c, y), "issue slots, last"), p->from.stalls[sm], p->to.stalls[sm]);
	/* The table of warps. */
	for (int k = 3; k < p->c->h; k++) {
		const struct number id = number_at(p->c, k, 3);
		struct warp_info w;
		if (!id.there || canvas_at(p->c, k, 1)->ch >= 128 || !number_cell(p->c, k, 3))
			break;
		gpu_warp_info(p->g, sm, (u32)id.value, &w);
		if (w.state == WS_NONE)
			continue;
		below(p->c, 2, "CTA", k, (double)w.cta);
		below(p->c, 2, "since", k, (double)(p->now.cycle - w.since));
		below(p->c, 2, "loads", k, w.pending_loads);
		if (w.pc != PC_DONE)
			below(p->c, 2, "pc", k, w.pc);
	}
	/* CTAs. */
	const int head = ctas ? find_row(p->c, 3, " slot   CTA  kernel") : 0;
	for (u32 i = 0, k = 1; i < c->sm_ctas; i++) {
		struct cta_info x;
		gpu_cta_info(p->g, sm, i, &x);
		if (!x.used)
			continue;
		const int row = head + (int)k++;
		below(p->c, head, "slot", row, i);
		below(p->c, head, "CTA", row, (double)x.cta);
		below(p->c, head, "age", row, (double)(p->now.cycle - x.started_at));
		below(p->c, head, "insts", row, (double)x.insts);
	}
	y = find_row(p->c, 3, " registers ");
	struct number n = number_at(p->c, y, end_of(p->c, y, 12, "%"));
	assert_number(p->c, y, &n, 100.0 * regs / c->sm_regs, "registers");
	y = find_row(p->c, y + 1, " shared ");
	n = number_at(p->c, y, end_of(p->c, y, 12, "%"));
	assert_number(p->c, y, &n, 100.0 * shared / c->sm_shared, "shared");
	used = mem_mshrs(gpu_mem(p->g), sm, MC_L1D, m, ARRAY_LEN(m));
	y = find_row(p->c, y + 1, "L1D MSHRs ");
	behind(p->c, y, "L1D MSHRs ", 0, used);
}

static void stalls_are(struct place *p)
{
	const u64 none[ST_COUNT] = {0};
	u64 sum = 0;
	show_view(p, "4");
	title_is(p);
	for (u32 r = 0; r < ST_COUNT; r++)
		sum += p->now.all[r];
	reason_rows(p, 2, 1, none, p->now.all);
	const int y = find_row(p->c, 3, "  sum ");
	behind(p->c, y, "%  of ", 0, (double)sum);
	behind(p->c, y, "slots = ", 0, gpu_conf(p->g)->sm_schedulers);
	behind(p->c, y, "slots = ", 2, (double)p->now.cycle);
	/* Below, a row an SM, a column a reason, in the order of the list above. */
	const int head = find_row(p->c, y, "  SM ");
	u32 order[ST_COUNT], columns = 0;
	for (int k = 3; k < y; k++)
		for (u32 r = 0; r < ST_COUNT; r++)
			if (column_of(row_of(p->c, k), stall_descs[r].name[TAX_BASE]) == 3 && row_of(p->c, k)[0] == ' ' &&
			    canvas_at(p->c, k, 3 + (int)strlen(stall_descs[r].name[TAX_BASE]))->ch == ' ' &&
			    (columns == 0 || order[columns - 1] != r) &&
			    !(strstr(row_of(p->c, k), "l1 no") && strncmp(stall_descs[r].name[TAX_BASE], "l1 no", 5)))
				order[columns++] = r;
	assert_int_equal(columns, ST_COUNT);
	for (u32 sm = 0; sm < SMS; sm++) {
		u64 all = 0;
		for (u32 r = 0; r < ST_COUNT; r++)
			all += p->now.stalls[sm][r];
		int end = 4;
		for (u32 i = 0; i < columns; i++) {
			for (end++; canvas_at(p->c, head, end)->ch == ' '; end++)
				;
			const struct number n = number_at(p->c, head + 1 + (int)sm, end);
			assert_number(p->c, head + 1 + (int)sm, &n, 100.0 * (double)p->now.stalls[sm][order[i]] / (double)all,
			              stall_descs[order[i]].name[TAX_BASE]);
		}
	}
}

static void cache_row(struct place *p, int head, const char *name, const struct cache_counters *k)
{
	const int y = find_row(p->c, head + 1, name);
	const struct number n = number_at(p->c, y, end_of(p->c, head, 0, "hit"));
	assert_number(p->c, y, &n, lookups(k) ? 100.0 * (double)k->hits / (double)lookups(k) : (double)NAN, name);
	below(p->c, head, "accesses", y, (double)k->accesses);
	below(p->c, head, "hits", y, (double)k->hits);
	below(p->c, head, "misses", y, (double)k->misses);
	below(p->c, head, "merges", y, (double)k->merges);
	below(p->c, head, "no line", y, (double)k->rf_line);
	below(p->c, head, "no mshr", y, (double)k->rf_mshr);
	below(p->c, head, "no merge", y, (double)k->rf_merge);
	below(p->c, head, "no queue", y, (double)k->rf_queue);
	below(p->c, head, "fills", y, (double)k->fills);
	below(p->c, head, "evicted", y, (double)k->evictions);
	below(p->c, head, "written", y, (double)k->writebacks);
	below(p->c, head, "bypassed", y, (double)k->bypasses);
}

static void causes_are(struct place *p, const char *name, const struct cache_counters *k)
{
	const int y = find_row(p->c, 1, name);
	const struct {
		const char *word;
		u64 n;
	} part[] = {{"cold ", k->miss_cold},
	            {"sector ", k->miss_sector},
	            {"capacity ", k->miss_capacity},
	            {"invalidated ", k->miss_invalidated},
	            {"conflict ", k->miss_conflict}};
	for (u32 i = 0; i < ARRAY_LEN(part); i++) {
		const bool shown = strstr(row_of(p->c, y), part[i].word) != NULL;
		assert_int_equal(shown, part[i].n > 0);
		if (shown)
			behind(p->c, y, part[i].word, 0, 100.0 * (double)part[i].n / (double)lookups(k));
	}
}

static void caches_are(struct place *p)
{
	const struct conf *c = gpu_conf(p->g);
	show_view(p, "5");
	title_is(p);
	const struct cache_counters *l1d = &p->now.l1[1];
	behind(p->c, 1, "L1D refuses in ", 0,
	       100.0 * (double)(l1d->rf_line + l1d->rf_mshr + l1d->rf_merge + l1d->rf_queue) / (double)p->now.cycle / SMS);
	const int head = find_row(p->c, 2, "hit accesses");
	cache_row(p, head, " L1D ", &p->now.l1[1]);
	cache_row(p, head, " L2 ", &p->now.l2s);
	cache_row(p, head, " L1I ", &p->now.l1[0]);
	if (strstr(row_of(p->c, head + 4), " L1C "))
		cache_row(p, head, " L1C ", &p->now.l1[2]);
	if (strstr(row_of(p->c, head + 5), " L1T "))
		cache_row(p, head, " L1T ", &p->now.l1[3]);
	causes_are(p, " L1D reads miss", &p->now.l1[1]);
	causes_are(p, " L2  reads miss", &p->now.l2s);
	const int list = find_row(p->c, head, " SM  L1D hit in the last");
	for (u32 sm = 0; sm < SMS; sm++) {
		struct mshr_info m[1024];
		const int y = list + 1 + (int)sm;
		const u32 used = mem_mshrs(gpu_mem(p->g), sm, MC_L1D, m, ARRAY_LEN(m));
		const struct cache_counters *a = &p->from.l1d[sm], *b = &p->to.l1d[sm];
		char text[32];
		assert_int_equal(row_number(p->c, y), sm);
		snprintf(text, sizeof text, " %u/%u ", used, c->l1d_mshrs);
		assert_non_null(strstr(row_of(p->c, y), text));
		const struct number n = number_at(p->c, y, 56 - 9);
		assert_number(p->c, y, &n, per(100.0 * (double)(b->hits - a->hits), (double)(lookups(b) - lookups(a))),
		              "L1D hit");
	}
}

static void memory_is(struct place *p)
{
	const struct conf *c = gpu_conf(p->g);
	const struct dram_counters *d = &p->now.dram;
	const double cycles = (double)p->now.cycle, dram_cycles = cycles * c->dram_clock / c->core_clock;
	show_view(p, "6");
	title_is(p);
	int y = find_row(p->c, 1, " Interconnect ");
	behind(p->c, y, " Interconnect ", 0, (double)p->now.noc.requests);
	behind(p->c, y, "requests, ", 0, (double)p->now.noc.request_flits / cycles);
	behind(p->c, y, "wait ", 0, per((double)p->now.noc.request_wait, (double)p->now.noc.requests));
	behind(p->c, y, "wait ", 1, (double)p->now.noc.replies);
	behind(p->c, y, "replies, ", 0, (double)p->now.noc.reply_flits / cycles);
	behind(p->c, y, "replies, ", 1, per((double)p->now.noc.reply_wait, (double)p->now.noc.replies));
	y = find_row(p->c, y, " DRAM ");
	behind(p->c, y, " DRAM ", 0, (double)d->bytes / cycles * c->core_clock / 1e3);
	behind(p->c, y, " of ", 0, dram_peak_bytes(c) * c->core_clock / 1e3);
	behind(p->c, y, "GB/s ", 0, (double)d->reads);
	behind(p->c, y, "reads ", 0, (double)d->writes);
	behind(p->c, y, "row hits ", 0, per(100.0 * (double)d->row_hits, (double)(d->row_hits + d->row_misses)));
	behind(p->c, y, "latency ", 0, per((double)d->queue_cycles, (double)d->requests));
	const u32 n = gpu_num_channels(p->g);
	const int second = column_of(row_of(p->c, y + 1), "ch  busy"),
	          across = end_of(p->c, y + 1, second + 4, "ch  busy") - 7;
	const int rows = (int)(n + 1) / 2;
	for (u32 i = 0; i < n; i++) {
		const struct dram_counters *k = &p->now.ch[i];
		const int row = y + 2 + (int)i % rows, from = (int)i / rows ? across : 0;
		const struct {
			const char *word;
			double want;
		} f[] = {{"ch", i},
		         {"busy", 100.0 * (double)k->busy / dram_cycles},
		         {"rowhit", per(100.0 * (double)k->row_hits, (double)(k->row_hits + k->row_misses))},
		         {"reads", (double)k->reads},
		         {"writes", (double)k->writes},
		         {"latency", per((double)k->queue_cycles, (double)k->requests)}};
		for (u32 j = 0; j < ARRAY_LEN(f); j++) {
			const struct number x = number_at(p->c, row, end_of(p->c, y + 1, from, f[j].word));
			assert_number(p->c, row, &x, f[j].want, f[j].word);
		}
	}
	/* Slices: "N bar 52% 83", as often as they stand side by side. */
	y = find_row(p->c, y, " L2 slices ");
	u32 seen = 0;
	for (int row = y + 1; row < p->c->h && seen < gpu_counter_instances(p->g, CG_l2); row++)
		for (int x = 0; x < p->c->w; x++) {
			if (canvas_at(p->c, row, x)->ch != '%')
				continue;
			int end = x + 1, id = x;
			while (end < p->c->w && canvas_at(p->c, row, end)->ch == ' ')
				end++;
			while (number_cell(p->c, row, end + 1))
				end++;
			while (id > 0 &&
			       (canvas_at(p->c, row, id)->ch >= 128 || number_cell(p->c, row, id) ||
			        canvas_at(p->c, row, id)->ch == ' ') &&
			       !(canvas_at(p->c, row, id)->ch >= 128 && canvas_at(p->c, row, id - 1)->ch == ' '))
				id--;
			while (id > 0 && canvas_at(p->c, row, id)->ch == ' ')
				id--;
			const struct number hit = number_at(p->c, row, x), accesses = number_at(p->c, row, end),
			                    which = number_at(p->c, row, id - 2);
			assert_true(which.there && which.value < SLICES);
			const struct cache_counters *k = &p->now.l2[(u32)which.value];
			assert_number(p->c, row, &hit, per(100.0 * (double)k->hits, (double)lookups(k)), "slice's hit rate");
			assert_number(p->c, row, &accesses, (double)k->accesses, "slice's accesses");
			seen++;
		}
	assert_int_equal(seen, gpu_counter_instances(p->g, CG_l2));
}

static void kernels_are(struct place *p)
{
	show_view(p, "7");
	title_is(p);
	const int head = find_row(p->c, 1, " Kernels ");
	for (u32 i = 0; i < gpu_num_kernels(p->g); i++) {
		struct kernel_info k;
		char name[16];
		gpu_kernel_info(p->g, i, &k);
		snprintf(name, sizeof name, " K%u ", i);
		int y = head + 1;
		while (y < head + 12 && !strstr(row_of(p->c, y), name))
			y++;
		if (y == head + 12)
			continue;
		const struct kernel_counters *n = k.counters;
		const double cycles = (double)((k.state == KS_DONE ? n->ended_at : p->now.cycle) - n->started_at);
		below(p->c, head, "CTAs/SM", y, k.ctas_per_sm);
		below(p->c, head, "regs", y, k.launch->regs);
		below(p->c, head, "stream", y, k.launch->stream);
		if (k.state == KS_QUEUED)
			continue;
		below(p->c, head, "cycles", y, cycles);
		below(p->c, head, "IPC", y, cycles > 0 ? (double)n->warp_insts / cycles : (double)NAN);
		below(p->c, head, "done", y, 100.0 * (double)n->ctas_done / (double)k.launch->ctas);
		below(p->c, head, "insts", y, (double)n->warp_insts);
	}
	const int list = find_row(p->c, head, "SM   holds");
	for (u32 sm = 0; sm < SMS; sm++) {
		const int y = list + 1 + (int)sm;
		u32 shared, ctas;
		regs_in_use(p->g, sm, &shared, &ctas);
		assert_int_equal(row_number(p->c, y), sm);
		below(p->c, list, " done", y, (double)p->now.sm[sm].ctas_done);
		below(p->c, list, "run IPC", y, (double)p->now.sm[sm].issued / (double)p->now.cycle);
		char text[16];
		snprintf(text, sizeof text, " %u CTA", ctas);
		assert_int_equal(strstr(row_of(p->c, y), text) != NULL, ctas > 0);
	}
}

/* The warps at each line: as many as have their next instruction there. */
static void source_is(struct place *p)
{
	show_view(p, "8");
	title_is(p);
	const int warps = column_of(row_of(p->c, 1), " warps ") + 1;
	if (p->r.d->focus.kernel < 0)
		return;
	const struct module *m = gpu_launched(p->g, (u32)p->r.d->focus.kernel)->mod;
	for (int y = 2; y < p->c->h - 4; y++) {
		const int line = row_number(p->c, y);
		u32 there = 0;
		if (line <= 0)
			continue;
		for (u32 sm = 0; sm < SMS; sm++)
			for (u32 i = 0; i < gpu_warps_per_sm(p->g); i++) {
				struct warp_info w;
				gpu_warp_info(p->g, sm, i, &w);
				there += w.state != WS_NONE && w.launch >= 0 && w.pc != PC_DONE &&
				         gpu_launched(p->g, (u32)w.launch)->mod == m && (int)m->code[w.pc].line == line;
			}
		struct number n = {0};
		for (int x = warps; x < warps + 8 && !n.there; x++)
			if (number_cell(p->c, y, x) && canvas_at(p->c, y, x + 1)->ch == ' ') {
				n = number_at(p->c, y, x);
				n.there &= canvas_at(p->c, y, x - (int)strlen(n.text))->ch == ' '; /* not of the code */
			}
		if (there)
			assert_number(p->c, y, &n, there, "warps at a line");
		else if (n.there)
			fail_msg("line %d: no warp is there, %s are shown: %s", line, n.text, row_of(p->c, y));
	}
}

static void all_views(struct place *p, u64 *seed)
{
	overview_is(p);
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	sm_is(p, (u32)(*seed >> 33) % SMS);
	sm_is(p, 0);
	stalls_are(p);
	caches_are(p);
	memory_is(p);
	kernels_are(p);
	source_is(p);
}

static void at_random_cycles(void **state)
{
	static char *const programs[][3] = {{"bfs", "--seed", "1"},
	                                    {"hotspot", "--warp-sched", "lrr"},
	                                    {"histogram", "--seed", "3"},
	                                    {"kmeans", "--warp-sched", "ccws"},
	                                    {"transpose", "--cta-sched", "bcs"}};
	u64 seed = 20261126;
	for (u32 i = 0; i < ARRAY_LEN(programs); i++) {
		static struct place p;
		open_place(&p, programs[i][0], programs[i][1], programs[i][2]);
		rig_say(&p.r, "continue");
		const u64 end = sim_cycle(p.r.s->sim);
		assert_true(end > 2 * RECENT_CYCLES);
		for (u32 k = 0; k < 4; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			stand_at(&p, RECENT_CYCLES + (seed >> 33) % (end - RECENT_CYCLES), k % 2 ? end : 0);
			all_views(&p, &seed);
		}
		close_place(&p);
	}
}

/* --- two machines ----------------------------------------------------------------------------------------------------- */

static double figure_of(const struct counts *k, const char *name)
{
	if (!strcmp(name, "run.ipc"))
		return (double)k->sms.issued / (double)k->cycle;
	if (!strcmp(name, "dram.mean_latency"))
		return per((double)k->dram.queue_cycles, (double)k->dram.requests);
	if (!strcmp(name, "l1d.hit_rate"))
		return per(100.0 * (double)k->l1[1].hits, (double)lookups(&k->l1[1]));
	const int r = probe_find_stall(name, strlen(name));
	if (r >= 0)
		return (double)k->all[r];
	const struct {
		const char *group;
		enum counter_group g;
		const u64 *sum;
	} of[] = {{"sm.", CG_sm, (const u64 *)&k->sms},
	          {"l1d.", CG_l1d, (const u64 *)&k->l1[1]},
	          {"l2.", CG_l2, (const u64 *)&k->l2s},
	          {"dram.", CG_dram, (const u64 *)&k->dram},
	          {"noc.", CG_noc, (const u64 *)&k->noc}};
	for (u32 i = 0; i < ARRAY_LEN(of); i++) {
		const size_t n = strlen(of[i].group);
		const int c = strncmp(name, of[i].group, n) ? -1 : probe_find_counter(of[i].g, name + n, strlen(name + n));
		if (c >= 0)
			return (double)of[i].sum[c];
	}
	return (double)NAN;
}

static void two_machines(void **state)
{
	static struct place p;
	static struct counts b;
	u32 checked = 0;
	open_place(&p, "bfs", "--seed", "1");
	rig_say(&p.r, "compare --warp-sched lrr");
	rig_say(&p.r, "delete");
	rig_say(&p.r, "until 9500");
	stand_at(&p, 9300, 0);
	while (debugger_busy(p.r.d))
		debugger_run_slice(p.r.d, 1 << 20, &p.r.out);
	struct gpu *other = sim_gpu(p.r.d->rival->s->sim);
	assert_int_equal(gpu_cycle(other), 9300);
	count(other, &b);
	show_view(&p, "9");
	behind(p.c, 1, " A ", 1, 9300);
	behind(p.c, 1, "mean IPC ", 0, (double)p.now.sms.issued / 9300);
	behind(p.c, 1, "CTAs ", 0, (double)p.now.sms.ctas_done);
	behind(p.c, 2, "mean IPC ", 0, (double)b.sms.issued / 9300);
	behind(p.c, 2, "mean IPC ", 1, fabs(100 * ((double)b.sms.issued / (double)p.now.sms.issued - 1)));
	behind(p.c, 2, "CTAs ", 0, (double)b.sms.ctas_done);
	curve(&p, " A IPC ", (double)(p.to.sms.issued - p.from.sms.issued) / RECENT_CYCLES);
	const int strip = find_row(p.c, 3, " SM by SM: ") + 1;
	for (u32 sm = 0; sm < SMS; sm++) {
		const int end = 1 + (int)sm * 9 + 8;
		const double want = 100 * ((double)b.sm[sm].issued / (double)p.now.sm[sm].issued - 1);
		const struct number n = number_at(p.c, strip, end);
		assert_number(p.c, strip, &n, want, "an SM's difference");
	}
	const int list = find_row(p.c, strip, " figures differ");
	for (int column = 0; column < 2; column++)
		for (int y = list + 1; y < p.c->h - 4; y++) {
			char name[40] = "";
			int x = column * 80 + 1, n = 0;
			for (; n < 26 && canvas_at(p.c, y, x + n)->ch < 128; n++)
				name[n] = (char)canvas_at(p.c, y, x + n)->ch;
			while (n && name[n - 1] == ' ')
				n--;
			name[n] = '\0';
			const char *bare = strncmp(name, "slots: ", 7) ? name : name + 7;
			double want[2] = {figure_of(&p.now, bare), figure_of(&b, bare)};
			if (!n || isnan(want[0]) || isnan(want[1]))
				continue;
			const bool percent = strstr(name, "rate") != NULL;
			for (int side = 0; side < 2; side++) {
				const struct number at = number_at(p.c, y, column * 80 + (side ? 56 : 42) - 2 * percent);
				assert_number(p.c, y, &at, want[side], name);
			}
			if (!percent) {
				const struct number d = number_at(p.c, y, column * 80 + 70);
				assert_number(p.c, y, &d, want[1] - want[0], name);
			}
			checked++;
		}
	assert_true(checked > 20);
	close_place(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(at_random_cycles),
	    cmocka_unit_test(two_machines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
