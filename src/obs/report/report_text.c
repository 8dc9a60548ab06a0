#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "obs/report/report.h"

#define BAR_CELLS 34
#define KERNEL_LINES 8 /* more launches are shown one line a kernel */

/* --- pieces --- */

/* 1770000 -> "1.77 M" */
static const char *scaled(double v, char out[32])
{
	static const char *const units[] = {"", " k", " M", " G"};
	u32 u = 0;
	for (; v >= 1000 && u < 3; u++)
		v /= 1000;
	snprintf(out, 32, "%.3g%s", v, units[u]);
	return out;
}

/* fJ -> "1.77 m", of J */
static const char *joules(double fj, char out[32])
{
	static const char *const units[] = {"f", "p", "n", "u", "m", ""};
	u32 u = 0;
	for (; fj >= 1000 && u < 5; u++)
		fj /= 1000;
	snprintf(out, 32, "%.3g %s", fj, units[u]);
	return out;
}

static const char *percent(double v, char out[32])
{
	if (isfinite(v))
		snprintf(out, 32, "%.1f %%", 100 * v);
	else
		strcpy(out, "-");
	return out;
}

static void bold(const struct text_style *st, struct strbuf *out, const char *text)
{
	strbuf_addf(out, "%s%s%s", st->color ? "\033[1m" : "", text, st->color ? "\033[0m" : "");
}

static void bar(const struct text_style *st, struct strbuf *out, double share)
{
	static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	u32 n = (u32)(share * BAR_CELLS * 8 + 0.5);
	for (u32 i = 0; i < n / 8; i++)
		strbuf_adds(out, st->ascii ? "#" : "█");
	if (!st->ascii)
		strbuf_adds(out, eighths[n % 8]);
	else if (n % 8 >= 4)
		strbuf_addc(out, '#');
}

/* --- head --- */

static void head(const struct stats *s, const struct text_style *st, struct strbuf *out)
{
	const struct conf *c = s->conf;
	struct strbuf title = STRBUF_INIT;
	strbuf_addf(&title, "%s on %s", s->run.workload, c->machine);
	bold(st, out, title.buf);
	strbuf_release(&title);
	strbuf_addf(out, "  warp %s, cta %s, ", c->warp_sched, c->cta_sched);
	if (strcmp(c->cta_virtual, "none"))
		strbuf_addf(out, "virtual %s, ", c->cta_virtual);
	strbuf_addf(out, "seed %u: %s", c->seed, s->run.stop);
	if (!strcmp(s->run.check, "pass"))
		strbuf_addf(out, ", %scheck passed%s", st->color ? "\033[32m" : "", st->color ? "\033[0m" : "");
	else if (!strcmp(s->run.check, "fail"))
		strbuf_addf(out, ", %sCHECK FAILED%s", st->color ? "\033[1;31m" : "", st->color ? "\033[0m" : "");
	strbuf_addc(out, '\n');
	if (s->run.host_clocks)
		strbuf_adds(out,
		            " times that the application measured: its own work as on this host, the GPU's as simulated\n");
	if (*s->run.check_message)
		strbuf_addf(out, "%s\n", s->run.check_message);
}

static void totals(const struct stats *s, const struct text_style *st, struct strbuf *out)
{
	char a[32], b[32];
	if (s->scoped)
		strbuf_addf(out, "\n scope, cycles %s to %s\n", grouped(s->from, a), grouped(s->to, b));
	strbuf_addf(out, "\n cycles %16s   time %.2f %s at %g MHz\n", grouped(s->cycles, a),
	            s->sim_us >= 1000 ? s->sim_us / 1000 : s->sim_us,
	            s->sim_us >= 1000 ? "ms"
	            : st->ascii       ? "us"
	                              : "µs",
	            s->conf->core_clock);
	strbuf_addf(out, " IPC %19.2f   %s warp instruction%s, %s of lanes active\n",
	            s->cycles ? (double)s->warp_insts / (double)s->cycles : 0, grouped(s->warp_insts, a),
	            plural(s->warp_insts), percent(stats_rate(s, CG_sm, "simd_efficiency"), b));
}

/* --- host programs --- */

static void programs(const struct stats *s, struct strbuf *out)
{
	char a[32], b[32];
	if (!s->run.nprograms)
		return;
	strbuf_addf(out, "\n %-18s %8s %14s %14s %6s %9s  %s\n", "program", "kernels", "cycles", "instructions", "IPC",
	            "slowdown", "check");
	for (u32 i = 0; i < s->run.nprograms; i++) {
		const struct program_stats *p = &s->programs[i];
		const double slow = program_slowdown(p), cpi = program_cpi(p);
		strbuf_addf(out, " %-18s %8u %14s %14s %6.2f ", p->of.name, p->kernels, grouped(p->end - p->begin, a),
		            grouped(p->warp_insts, b), isfinite(cpi) && cpi > 0 ? 1 / cpi : 0);
		if (isfinite(slow))
			strbuf_addf(out, "%9.2f", slow);
		else
			strbuf_addf(out, "%9s", "-");
		strbuf_addf(out, "  %s%s", p->of.check, p->done ? "" : ", not done");
		if (p->of.runs > 1)
			strbuf_addf(out, ", run %u times", p->of.runs);
		strbuf_addc(out, '\n');
	}
	for (u32 i = 0; i < s->run.nprograms; i++)
		if (s->programs[i].deadlines_met + s->programs[i].deadlines_missed) {
			strbuf_addf(out, " %s: ", s->programs[i].of.name);
			program_requests_text(&s->programs[i], out);
			strbuf_addc(out, '\n');
		}
	if (isfinite(s->antt))
		strbuf_addf(out, " ANTT %.3f   STP %.3f\n", s->antt, s->stp);
}

/* --- kernels --- */

static void dim_text(struct dim3 d, char *out, size_t n)
{
	if (d.z > 1)
		snprintf(out, n, "%ux%ux%u", d.x, d.y, d.z);
	else if (d.y > 1)
		snprintf(out, n, "%ux%u", d.x, d.y);
	else
		snprintf(out, n, "%u", d.x);
}

/* Launches that one line of the table stands for. */
struct kernel_line {
	const struct kernel_info *k; /* the first */
	u32 id, launches;
	u64 ctas, cycles, insts;
};

static void add_launch(struct kernel_line *l, const struct stats *s, u32 i)
{
	const struct kernel_counters *c = (const struct kernel_counters *)s->group[CG_kernel].instance[i].counters;
	if (!l->launches++) {
		l->k = &s->kernels[i];
		l->id = i;
	}
	l->ctas += s->kernels[i].launch->ctas;
	l->insts += c->warp_insts;
	l->cycles += kernel_run_cycles(c, s->from, s->to);
}

/* One line a launch when they are few, else one line a kernel. */
static u32 kernel_lines(const struct stats *s, struct kernel_line *lines)
{
	u32 n = 0, launches = s->group[CG_kernel].n;
	for (u32 i = 0; i < launches; i++) {
		u32 at = launches > KERNEL_LINES ? 0 : n;
		while (at < n && lines[at].k->launch->fn != s->kernels[i].launch->fn)
			at++;
		if (at == n)
			lines[n++] = (struct kernel_line){0};
		add_launch(&lines[at], s, i);
	}
	return n;
}

static void kernel_row(const struct kernel_line *l, const struct text_style *st, struct strbuf *out)
{
	static const char *const states[] = {"queued", "running", ""};
	char name[32], grid[40], block[40], cycles[32];
	const struct launch *la = l->k->launch;
	if (l->launches > 1)
		snprintf(name, sizeof name, "%.13s %s%u", l->k->label, st->ascii ? "x" : "×", l->launches);
	else
		snprintf(name, sizeof name, "%u %.15s", l->id, l->k->label);
	dim_text(la->grid, grid, sizeof grid);
	dim_text(la->block, block, sizeof block);
	grouped(l->cycles, cycles);
	int pad = 18 + (!st->ascii && l->launches > 1); /* the sign takes two bytes */
	strbuf_addf(out, " %-*s %-9s %-7s %4u %6u %2u %-10.10s %10s", pad, name, grid, block, la->regs, la->shared_bytes,
	            l->k->ctas_per_sm, l->k->limiter ? l->k->limiter : "",
	            l->cycles && (l->k->state == KS_DONE || l->launches > 1) ? cycles : states[l->k->state]);
	double ipc = l->cycles ? (double)l->insts / (double)l->cycles : 0;
	if (l->cycles)
		strbuf_addf(out, " %5.*f", ipc < 99.995 ? 2 : 1, ipc); /* the line is 80 wide */
	strbuf_addc(out, '\n');
}

static void kernels(const struct stats *s, const struct text_style *st, struct strbuf *out)
{
	u32 launches = s->group[CG_kernel].n;
	struct kernel_line *lines = xcalloc(MAX(launches, 1u), sizeof *lines);
	u32 n = kernel_lines(s, lines);
	if (n)
		strbuf_addf(out, "\n %-18s %-9s %-7s %4s %6s %-13s %10s %5s\n", "kernel", "grid", "block", "regs", "shared",
		            "CTAs/SM (by)", "cycles", "IPC");
	for (u32 i = 0; i < n; i++)
		kernel_row(&lines[i], st, out);
	free(lines);
}

/* --- memory --- */

static void cache(const struct stats *s, enum counter_group g, const char *name, struct strbuf *out)
{
	char a[32], b[32];
	strbuf_addf(out, "%-5s %8s hits of %s", name, percent(stats_rate(s, g, "hit_rate"), a),
	            grouped(stats_sum(s, g, "accesses"), b));
}

/* Two caches side by side. */
static void caches(const struct stats *s, enum counter_group left, const char *left_name, enum counter_group right,
                   const char *right_name, struct strbuf *out)
{
	struct strbuf first = STRBUF_INIT;
	cache(s, left, left_name, &first);
	strbuf_addf(out, " %-40s ", first.buf);
	cache(s, right, right_name, out);
	strbuf_addc(out, '\n');
	strbuf_release(&first);
}

static u64 lookups(const struct stats *s, enum counter_group g)
{
	return stats_sum(s, g, "ref_reads") + stats_sum(s, g, "ref_writes") + stats_sum(s, g, "ref_atomics");
}

/* The same misses as GPGPU-Sim counts them, for comparing with what it prints. */
static void ref_misses(const struct stats *s, struct strbuf *out)
{
	static const enum counter_group groups[] = {CG_l1d, CG_l2};
	static const char *const names[] = {"L1D", "L2"};
	char a[32], b[32];
	if (!lookups(s, CG_l1d) && !lookups(s, CG_l2))
		return;
	strbuf_adds(out, " misses as GPGPU-Sim counts them: ");
	for (u32 i = 0; i < ARRAY_LEN(groups); i++)
		strbuf_addf(out, "%s%s %s of %s lookups", i ? ", " : "", names[i],
		            percent(stats_rate(s, groups[i], "ref_miss_rate"), a), grouped(lookups(s, groups[i]), b));
	strbuf_addc(out, '\n');
}

/* An L2 of two parts (l2.parts=2). */
static void parts(const struct stats *s, struct strbuf *out)
{
	char a[32], b[32], c[32];
	const u64 all = stats_sum(s, CG_l2, "accesses"), far = stats_sum(s, CG_l2, "far_accesses");
	if (far)
		strbuf_addf(out, " L2 parts  %s of %s accesses went to the far part, %s found a copy in the near one\n",
		            percent((double)far / (double)all, a), grouped(all, b),
		            grouped(stats_sum(s, CG_l2, "copy_hits"), c));
}

/* What a memory instruction becomes: coalescing and bank conflicts, the first to ask for where `lsu busy` is large. */
static void lsu(const struct stats *s, struct strbuf *out)
{
	char a[32], b[32];
	u64 shared = stats_sum(s, CG_sm, "shared_cycles");
	double each = stats_rate(s, CG_sm, "txn_per_access");
	if (isfinite(each))
		strbuf_addf(out, " LSU   %.2f transactions a global or local access", each);
	if (shared)
		strbuf_addf(out, "%s%s shared memory cycle%s, ", isfinite(each) ? "; " : " LSU   ", grouped(shared, a),
		            plural(shared));
	if (stats_sum(s, CG_sm, "shared_conflicts"))
		strbuf_addf(out, "%s of them bank conflicts", percent(stats_rate(s, CG_sm, "conflict_share"), b));
	else if (shared)
		strbuf_adds(out, "no bank conflicts");
	if (shared || isfinite(each))
		strbuf_addc(out, '\n');
}

/* Virtual threads: how often CTAs have changed places. */
static void swaps(const struct stats *s, struct strbuf *out)
{
	char a[32];
	const u64 n = stats_sum(s, CG_sm, "vt_swaps");
	if (n)
		strbuf_addf(out, " swaps %s CTA%s got slots that they did not begin with, in %.1f cycles on average\n",
		            grouped(n, a), plural(n), (double)stats_sum(s, CG_sm, "vt_swap_cycles") / (double)n);
}

/* malloc() in kernels: what is left, where there was any. */
static void heap(const struct heap_info *h, struct strbuf *out)
{
	char a[32], b[32], c[32];
	if (!h->mallocs)
		return;
	strbuf_addf(out, " heap  %s block%s from malloc, ", grouped(h->mallocs - h->failed, a),
	            plural(h->mallocs - h->failed));
	if (h->blocks)
		strbuf_addf(out, "%s not freed (%s B)", grouped(h->blocks, b), grouped(h->used, c));
	else
		strbuf_adds(out, "all freed");
	if (h->failed)
		strbuf_addf(out, "; %s call%s gave NULL", grouped(h->failed, c), plural(h->failed));
	strbuf_addf(out, "; at most %sB\n", scaled((double)h->most, a));
}

/* Tensor units, where they were used: what was achieved with each class of types, and the most that it can be. */
static void tensor(const struct stats *s, struct strbuf *out)
{
	char a[32];
	u32 n = 0;
	for (u32 t = 0; t < TC_COUNT; t++) {
		const struct tensor_figures f = stats_tensor(s, (enum tensor_class)t);
		if (!f.macs)
			continue;
		strbuf_addf(out, "%s %s %.3g TFLOP/s, %s of peak %.1f", n++ ? ";" : " tensor", tensor_class_names[t], f.tflops,
		            percent(f.tflops / f.peak_tflops, a), f.peak_tflops);
	}
	if (n)
		strbuf_addf(out, "; units busy %s\n", percent(stats_rate(s, CG_tensor, "busy_share"), a));
}

static void energy(const struct stats *s, struct strbuf *out)
{
	static const char *const names[EG_COUNT] = {"SMs", "shared", "L1", "L2", "network", "DRAM", "board"};
	const u64 total = energy_total(&s->energy);
	char a[32];
	if (!total)
		return;
	strbuf_addf(out, " power %.1f W, %sJ:", energy_watts(s->conf, total, s->cycles), joules((double)total, a));
	for (u32 i = 0, n = 0; i < EG_COUNT; i++) {
		const double share = (double)energy_of_group(&s->energy, i) / (double)total;
		if (share >= 0.005)
			strbuf_addf(out, "%s %s %.0f %%", n++ ? "," : "", names[i], 100 * share);
	}
	strbuf_addc(out, '\n');
}

static void memory(const struct stats *s, struct strbuf *out)
{
	char a[32], b[32];
	strbuf_addc(out, '\n');
	tensor(s, out);
	lsu(s, out);
	caches(s, CG_l1d, "L1D", CG_l2, "L2", out);
	parts(s, out);
	ref_misses(s, out);
	swaps(s, out);
	if (stats_sum(s, CG_l1c, "accesses") || stats_sum(s, CG_l1t, "accesses"))
		caches(s, CG_l1c, "const", CG_l1t, "tex", out);
	double latency = stats_rate(s, CG_dram, "mean_latency");
	double gbs = stats_rate(s, CG_dram, "bandwidth_gbs");
	strbuf_addf(out, " DRAM  %.1f GB/s, %s of peak; row hits %s", isfinite(gbs) ? gbs : 0,
	            percent(stats_rate(s, CG_dram, "bandwidth_share"), a),
	            percent(stats_rate(s, CG_dram, "row_hit_rate"), b));
	if (isfinite(latency))
		strbuf_addf(out, "; mean latency %.0f cycles", latency);
	strbuf_addc(out, '\n');
	energy(s, out);
	heap(&s->heap, out);
}

/* --- stalls --- */

/* Reasons by slots, the issued ones first, equal ones in the table's order. */
static u32 ordered_reasons(const struct stats *s, u32 order[ST_COUNT])
{
	u32 n = 0;
	order[n++] = ST_ISSUED;
	for (u32 r = 1; r < ST_COUNT; r++) {
		if (!s->stalls[r])
			continue;
		u32 at = n++;
		for (; at > 1 && s->stalls[order[at - 1]] < s->stalls[r]; at--)
			order[at] = order[at - 1];
		order[at] = r;
	}
	return n;
}

static void stalls(const struct stats *s, const struct text_style *st, struct strbuf *out)
{
	char a[32], b[32];
	u32 order[ST_COUNT], n = ordered_reasons(s, order);
	u64 slots = s->group[CG_sm].sum.env.slots;
	if (!slots)
		return;
	strbuf_addf(out, "\n issue slots: %s (%u scheduler%s %s %u SM%s %s %s cycle%s)\n", grouped(slots, a),
	            s->conf->sm_schedulers, plural(s->conf->sm_schedulers), st->ascii ? "x" : "×", s->conf->num_sms,
	            plural(s->conf->num_sms), st->ascii ? "x" : "×", grouped(s->cycles, b), plural(s->cycles));
	for (u32 i = 0; i < n; i++) {
		u32 r = order[i];
		double share = (double)s->stalls[r] / (double)slots;
		strbuf_addf(out, " %-18s %8s", stall_descs[r].name[TAX_BASE], percent(share, a));
		if (share * BAR_CELLS * 8 >= 0.5) {
			strbuf_addf(out, "  %s", !st->color ? "" : r == ST_ISSUED ? "\033[32m" : "\033[33m");
			bar(st, out, share);
			strbuf_adds(out, st->color ? "\033[0m" : "");
		}
		strbuf_addc(out, '\n');
	}
}

static void host(const struct stats *s, struct strbuf *out)
{
	char a[32], b[32], c[32];
	double wall = (double)s->run.sim_ns / 1e9;
	if (wall <= 0)
		return;
	strbuf_addf(out, "\n simulated in %.2f s: %s warp instructions/s, %s cycles/s, %sB\n", wall,
	            scaled((double)s->warp_insts / wall, a), scaled((double)s->cycles / wall, b),
	            scaled((double)s->run.peak_rss, c));
}

void report_text(const struct stats *s, const struct text_style *st, struct strbuf *out)
{
	head(s, st, out);
	totals(s, st, out);
	programs(s, out);
	kernels(s, st, out);
	memory(s, out);
	stalls(s, st, out);
	host(s, out);
}
