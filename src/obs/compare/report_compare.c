#include "obs/compare/report_compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "obs/compare/delta.h"

#define KERNEL_LINES 12 /* more launches than this are left to the totals, JSON and CSV */
#define TEXT_MAX 46     /* of a PTX line, so that it fits 80 columns */

/* The figures of the table. SHARE: shown in percent, its delta in percentage points; BETTER_... : which sign is good.
 */
enum shape { WHOLE, REAL, SHARE };
static const struct headline {
	const char *name, *label;
	enum shape shape;
	int good; /* +1: more is better, -1: less, 0: neither */
} headlines[] = {
    {"run.cycles", "cycles", WHOLE, -1},
    {"run.ipc", "IPC", REAL, 1},
    {"run.warp_insts", "warp instructions", WHOLE, 0},
    {"sm.slot_use", "issue slots used", SHARE, 1},
    {"sm.simd_efficiency", "lanes active", SHARE, 1},
    {"sm.mean_warps", "warps per active SM", REAL, 0},
    {"sm.txn_per_access", "transactions per access", REAL, -1},
    {"sm.shared_conflicts", "bank conflict cycles", WHOLE, -1},
    {"sm.ctas_done", "CTAs done", WHOLE, 0},
    {"l1d.accesses", "L1D accesses", WHOLE, 0},
    {"l1d.hit_rate", "L1D hits", SHARE, 1},
    {"l1d.refused_share", "L1D refusing cycles", SHARE, -1},
    {"l2.accesses", "L2 accesses", WHOLE, 0},
    {"l2.hit_rate", "L2 hits", SHARE, 1},
    {"noc.request_mean_wait", "NoC request wait, cycles", REAL, -1},
    {"noc.reply_mean_wait", "NoC reply wait, cycles", REAL, -1},
    {"dram.bytes", "DRAM bytes", WHOLE, 0},
    {"dram.bandwidth_share", "DRAM bandwidth of peak", SHARE, 0},
    {"dram.row_hit_rate", "DRAM row hits", SHARE, 1},
    {"dram.mean_latency", "DRAM latency, cycles", REAL, -1},
};

/* --- pieces --- */

static void add_grouped(u64 v, struct strbuf *out)
{
	char digits[GROUPED_MAX];
	strbuf_adds(out, grouped(v, digits));
}

static const char *paint(const struct text_style *st, const char *code)
{
	return st->color ? code : "";
}

static void heading(const struct text_style *st, struct strbuf *out, const char *text)
{
	strbuf_addf(out, "\n%s%s%s\n", paint(st, "\033[1m"), text, paint(st, "\033[0m"));
}

/* Three significant digits beside the point are enough; small numbers keep theirs. */
static void real_text(double v, struct strbuf *out)
{
	strbuf_addf(out, fabs(v) >= 1000 ? "%.0f" : fabs(v) >= 100 ? "%.1f" : "%.3f", v);
}

static void value_text(const struct delta *d, enum shape shape, u32 side, struct strbuf *out)
{
	double v = side ? d->b : d->a;
	if (!isfinite(v))
		strbuf_adds(out, "-");
	else if (shape == WHOLE)
		add_grouped(d->whole ? side ? d->whole_b : d->whole_a : (u64)v, out);
	else if (shape == SHARE)
		strbuf_addf(out, "%.1f %%", 100 * v);
	else
		real_text(v, out);
}

static void change_text(const struct delta *d, enum shape shape, struct strbuf *out)
{
	double v = delta_value(d);
	if (!isfinite(v))
		return;
	if (v == 0) {
		strbuf_adds(out, "=");
		return;
	}
	strbuf_addc(out, v > 0 ? '+' : '-');
	if (shape == WHOLE)
		add_grouped((u64)fabs(v), out);
	else if (shape == SHARE)
		strbuf_addf(out, "%.1f pt", 100 * fabs(v));
	else
		real_text(fabs(v), out);
}

/* Label, A, B, delta and percent in 79 columns; column_heads() is its head line. */
static void row(const char *label, const struct delta *d, enum shape shape, int good, const struct text_style *st,
                struct strbuf *out)
{
	struct strbuf cell[3] = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT};
	double change = delta_value(d), ratio = delta_ratio(d);
	const char *color = "";
	if (good && isfinite(change) && change != 0)
		color = paint(st, (change > 0) == (good > 0) ? "\033[32m" : "\033[33m");
	value_text(d, shape, 0, &cell[0]);
	value_text(d, shape, 1, &cell[1]);
	change_text(d, shape, &cell[2]);
	strbuf_addf(out, " %-24.24s %14s %14s %s%14s", label, strbuf_str(&cell[0]), strbuf_str(&cell[1]), color,
	            strbuf_str(&cell[2]));
	if (isfinite(ratio) && ratio != 0 && shape != SHARE)
		strbuf_addf(out, fabs(ratio) < 100 ? "%+7.1f %%" : "%+7.0f %%", 100 * ratio);
	strbuf_addf(out, "%s\n", *color ? "\033[0m" : "");
	for (u32 i = 0; i < ARRAY_LEN(cell); i++)
		strbuf_release(&cell[i]);
}

static void column_heads(const struct text_style *st, struct strbuf *out, const char *label, const char *last)
{
	char text[128];
	snprintf(text, sizeof text, "%-25s %14s %14s%s%14s", label, "A", "B", *last ? " " : "", last);
	size_t n = strlen(text);
	while (n && text[n - 1] == ' ')
		text[--n] = 0;
	heading(st, out, text);
}

/* The last warp of the run that starts at `from` and goes on in steps of `step`. */
static u32 run_end(u64 mask, u32 from, u32 step)
{
	while (from + step < 64 && mask >> (from + step) & 1)
		from += step;
	return from;
}

/* "0-30 by 2, 33 (17 warps)": a scheduler's warps are every other one, or every fourth. */
static void mask_text(u64 mask, struct strbuf *out)
{
	const char *sep = "";
	u32 n = bit_count(mask);
	while (mask) {
		u32 from = bit_first(mask), last = from, step = 1;
		u64 rest = mask & (mask - 1);
		if (rest) {
			step = bit_first(rest) - from;
			last = run_end(mask, from, step);
		}
		if (last < from + 2 * step)
			last = from; /* two are no series */
		strbuf_addf(out, "%s%u", sep, from);
		if (last > from)
			strbuf_addf(out, step > 1 ? "-%u by %u" : "-%u", last, step);
		for (u32 i = from; i <= last; i += step)
			mask &= ~BIT(i);
		sep = ", ";
	}
	strbuf_addf(out, " (%u warp%s)", n, plural(n));
}

/* --- head --- */

static void side_line(const struct comparison *c, u32 side, const struct text_style *st, struct strbuf *out)
{
	const struct stats *s = c->side[side];
	const struct conf *k = s->conf;
	strbuf_addf(out, " %s%c%s  %s  warp %s, cta %s, ", paint(st, "\033[1m"), side ? 'B' : 'A', paint(st, "\033[0m"),
	            k->machine, k->warp_sched, k->cta_sched);
	if (strcmp(k->cta_virtual, "none"))
		strbuf_addf(out, "virtual %s, ", k->cta_virtual);
	strbuf_addf(out, "seed %u: %s", k->seed, s->run.stop);
	if (!strcmp(s->run.check, "pass"))
		strbuf_addf(out, ", %scheck passed%s", paint(st, "\033[32m"), paint(st, "\033[0m"));
	else if (!strcmp(s->run.check, "fail"))
		strbuf_addf(out, ", %sCHECK FAILED%s", paint(st, "\033[1;31m"), paint(st, "\033[0m"));
	strbuf_addc(out, '\n');
	if (*s->run.check_message)
		strbuf_addf(out, "    %s\n", s->run.check_message);
}

static void difference_line(void *out, const char *key, const char *a, const char *b)
{
	if (strcmp(key, "machine"))
		strbuf_addf(out, " %-24s %14s %14s\n", key, a, b);
}

static void head(const struct comparison *c, const struct text_style *st, struct strbuf *out)
{
	struct strbuf keys = STRBUF_INIT;
	strbuf_addf(out, "%s%s: A against B%s, in lock step by %s\n", paint(st, "\033[1m"), c->side[0]->run.workload,
	            paint(st, "\033[0m"), c->by);
	side_line(c, 0, st, out);
	side_line(c, 1, st, out);
	config_differences(c, difference_line, &keys);
	column_heads(st, out, "The machines differ in", "");
	strbuf_adds(out, keys.len ? keys.buf : " nothing\n");
	strbuf_release(&keys);
}

/* --- divergence --- */

static void decision_lines(const struct comparison *c, u32 side, const struct decision *d, const struct text_style *st,
                           struct strbuf *out)
{
	strbuf_addf(out, " %s%c%s  ", paint(st, "\033[1m"), side ? 'B' : 'A', paint(st, "\033[0m"));
	if (d->warp < 0) {
		strbuf_addf(out, "cycle %llu: no warp: %s\n", (unsigned long long)d->cycle, stall_descs[d->reason].help);
		return;
	}
	struct decision_place p = decision_place(c->gpu[side], d);
	strbuf_addf(out, "cycle %llu: warp %d of CTA %d, %s#%d%s\n    ready: ", (unsigned long long)d->cycle, d->warp,
	            d->cta, p.label ? p.label : "?", d->kernel, d->greedy ? " (as in the cycle before)" : "");
	mask_text(d->ready, out);
	strbuf_addf(out, "\n    pc %u, line %u: %.*s%s\n", d->pc, p.line, TEXT_MAX, p.text,
	            strlen(p.text) > TEXT_MAX ? "..." : "");
}

void report_divergence_text(const struct comparison *c, const struct text_style *st, struct strbuf *out)
{
	const struct divergence *d = diverge_first(c->diverge), *r = diverge_first_ready(c->diverge);
	struct strbuf title = STRBUF_INIT;
	if (d->found) {
		strbuf_addf(&title, "First different decision: SM %u, scheduler %u: %s", d->side[0].sm, d->side[0].scheduler,
		            divergence_kind(d));
		heading(st, out, title.buf);
		decision_lines(c, 0, &d->side[0], st, out);
		decision_lines(c, 1, &d->side[1], st, out);
		strbuf_adds(out, "    after ");
	} else {
		heading(st, out, diverge_gave_up(c->diverge) ? "No different decision so far" : "No different decision");
		strbuf_adds(out, " ");
	}
	add_grouped(diverge_equal(c->diverge), out);
	strbuf_adds(out, " equal decisions of the warp schedulers\n");
	if (diverge_gave_up(c->diverge))
		strbuf_addf(out, " not compared on: more than %u decisions waited for the other machine\n",
		            DIVERGE_WAITING_MAX);
	if (r->found)
		strbuf_addf(out, "    (the ready warps differed first at cycle %llu of A, %llu of B: SM %u, scheduler %u)\n",
		            (unsigned long long)r->side[0].cycle, (unsigned long long)r->side[1].cycle, r->side[0].sm,
		            r->side[0].scheduler);
	strbuf_release(&title);
}

/* --- tables --- */

static void figures(const struct deltas *d, const struct text_style *st, struct strbuf *out)
{
	column_heads(st, out, "", "delta");
	for (u32 i = 0; i < ARRAY_LEN(headlines); i++) {
		const struct headline *h = &headlines[i];
		const struct delta *v = deltas_find(d, h->name);
		if ((v->a == 0 || !isfinite(v->a)) && (v->b == 0 || !isfinite(v->b)))
			continue; /* neither machine has done such a thing */
		row(h->label, v, h->shape, h->good, st, out);
	}
}

static void kernels(const struct comparison *c, const struct deltas *d, const struct text_style *st, struct strbuf *out)
{
	u32 n = MAX(c->side[0]->group[CG_kernel].n, c->side[1]->group[CG_kernel].n);
	if (!n)
		return;
	heading(st, out, "Kernels, cycles");
	if (n > KERNEL_LINES) {
		strbuf_addf(out, " %u launches: see --format json or csv\n", n);
		return;
	}
	for (u32 i = 0; i < n; i++) {
		char name[32], label[64];
		snprintf(name, sizeof name, "kernel.%u.cycles", i);
		const struct delta *v = deltas_find(d, name);
		snprintf(label, sizeof label, "%u %s", i, v->text);
		row(label, v, WHOLE, -1, st, out);
	}
}

/* Shares, not slots: machines may have run for different times, and have different numbers of schedulers. */
static void stalls(const struct comparison *c, const struct text_style *st, struct strbuf *out)
{
	const struct stats *a = c->side[0], *b = c->side[1];
	double slots_a = (double)a->group[CG_sm].sum.env.slots, slots_b = (double)b->group[CG_sm].sum.env.slots;
	if (!slots_a || !slots_b)
		return;
	column_heads(st, out, "Issue slots went to", "delta");
	for (u32 r = 0; r < ST_COUNT; r++) {
		struct delta d = {.a = (double)a->stalls[r] / slots_a, .b = (double)b->stalls[r] / slots_b};
		if (a->stalls[r] || b->stalls[r])
			row(stall_descs[r].name[TAX_BASE], &d, SHARE, r == ST_ISSUED ? 1 : -1, st, out);
	}
}

static void energy_row(const char *label, u64 a, u64 b, int good, const struct text_style *st, struct strbuf *out)
{
	const struct delta d = {.a = (double)a * 1e-9, .b = (double)b * 1e-9};
	if (a || b)
		row(label, &d, REAL, good, st, out);
}

/* By group; their sum; what was not leaked. */
static void energy(const struct comparison *c, const struct deltas *d, const struct text_style *st, struct strbuf *out)
{
	const struct energy *a = &c->side[0]->energy, *b = &c->side[1]->energy;
	column_heads(st, out, "Energy, uJ", "delta");
	for (u32 g = 0; g < EG_COUNT; g++)
		energy_row(energy_group_names[g], energy_of_group(a, g), energy_of_group(b, g), -1, st, out);
	energy_row("total", energy_total(a), energy_total(b), -1, st, out);
	energy_row("power-gated, not leaked", energy_sum(a).gated, energy_sum(b).gated, 1, st, out);
	row("mean power, W", deltas_find(d, "energy.power_w"), REAL, 0, st, out);
}

static void step_row(const struct comparison *c, const struct lockstep *s, struct strbuf *out)
{
	struct strbuf cell[5] = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT};
	add_grouped(s->at, &cell[0]);
	for (u32 i = 0; i < 2; i++) {
		bool by_cycle = !strcmp(c->by, "cycles");
		add_grouped(by_cycle ? s->side[i].insts : s->side[i].cycle, &cell[1 + i]);
		add_grouped(strcmp(c->by, "ctas") ? s->side[i].ctas : s->side[i].insts, &cell[3 + i]);
	}
	strbuf_addf(out, " %14s %15s %15s %15s %15s\n", cell[0].buf, cell[1].buf, cell[2].buf, cell[3].buf, cell[4].buf);
	for (u32 i = 0; i < ARRAY_LEN(cell); i++)
		strbuf_release(&cell[i]);
}

static void lockstep(const struct comparison *c, const struct text_style *st, struct strbuf *out)
{
	if (!c->nsteps)
		return;
	bool by_cycle = !strcmp(c->by, "cycles"), by_cta = !strcmp(c->by, "ctas");
	const char *first = by_cycle ? "insts" : "cycle", *second = by_cta ? "insts" : "CTAs";
	struct strbuf title = STRBUF_INIT;
	char cell[4][24];
	snprintf(cell[0], sizeof *cell, "%s A", first);
	snprintf(cell[1], sizeof *cell, "%s B", first);
	snprintf(cell[2], sizeof *cell, "%s A", second);
	snprintf(cell[3], sizeof *cell, "%s B", second);
	strbuf_addf(&title, "%15s %15s %15s %15s %15s",
	            by_cycle ? "At cycle"
	            : by_cta ? "At CTAs done"
	                     : "At warp insts",
	            cell[0], cell[1], cell[2], cell[3]);
	heading(st, out, title.buf);
	for (u32 i = 0; i < c->nsteps; i++)
		step_row(c, &c->steps[i], out);
	strbuf_release(&title);
}

void report_compare_text(const struct comparison *c, const struct text_style *st, struct strbuf *out)
{
	struct deltas d;
	deltas_gather(&d, c->side[0], c->side[1]);
	head(c, st, out);
	report_divergence_text(c, st, out);
	figures(&d, st, out);
	kernels(c, &d, st, out);
	stalls(c, st, out);
	energy(c, &d, st, out);
	lockstep(c, st, out);
	deltas_release(&d);
}
