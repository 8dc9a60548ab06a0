#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "obs/report/report.h"

#include "obs/record/line_rows.h"

/* name,instance,value rows. Names are counters' and rates' ("l1d.hits"); instance is a number, or "sum". Names with a
 * comma or quote do not exist in the tables; kernel names and texts are quoted. */

static void row_u64(struct strbuf *out, const char *group, const char *name, const char *instance, u64 v)
{
	strbuf_addf(out, "%s.%s,%s,%llu\n", group, name, instance, (unsigned long long)v);
}

static void row_real(struct strbuf *out, const char *group, const char *name, const char *instance, double v)
{
	strbuf_addf(out, "%s.%s,%s,", group, name, instance);
	if (isfinite(v))
		strbuf_addf(out, "%.12g", v);
	strbuf_addc(out, '\n');
}

static void row_text(struct strbuf *out, const char *name, const char *instance, const char *v)
{
	strbuf_addf(out, "%s,%s,\"", name, instance);
	for (; *v; v++) {
		if (*v == '"')
			strbuf_addc(out, '"');
		strbuf_addc(out, *v);
	}
	strbuf_adds(out, "\"\n");
}

static void figures(struct strbuf *out, enum counter_group g, u32 n, const struct instance_stats *in,
                    const char *instance)
{
	for (u32 i = 0; i < n; i++)
		row_u64(out, counter_group_names[g], stats_counter(g, i)->name, instance, in->counters[i]);
	for (u32 i = 0; i < rate_ndescs; i++)
		if (rate_descs[i].group == g)
			row_real(out, counter_group_names[g], rate_descs[i].name, instance,
			         rate_descs[i].value(in->counters, &in->env));
}

static void group(const struct stats *s, enum counter_group g, struct strbuf *out)
{
	const struct group_stats *gs = &s->group[g];
	struct strbuf id = STRBUF_INIT;
	if (g != CG_kernel)
		figures(out, g, gs->ncounters, &gs->sum, "sum");
	for (u32 i = 0; i < gs->n; i++) {
		strbuf_clear(&id);
		strbuf_addf(&id, "%u", i);
		if (g == CG_kernel) {
			row_text(out, "kernel.name", id.buf, s->kernels[i].name);
			row_text(out, "kernel.label", id.buf, s->kernels[i].label);
			row_text(out, "kernel.regs_from", id.buf, regs_from_names[s->kernels[i].launch->regs_from]);
			if (s->kernels[i].launch->call)
				row_text(out, "kernel.call", id.buf, s->kernels[i].launch->call);
		}
		figures(out, g, gs->ncounters, &gs->instance[i], id.buf);
	}
	strbuf_release(&id);
}

static void stalls(const struct stats *s, struct strbuf *out)
{
	for (u32 t = 0; t < TAX_COUNT; t++) {
		struct stall_class classes[TAX_MAX_CLASSES];
		u32 n = stall_map((enum taxonomy)t, s->stalls, classes);
		for (u32 i = 0; i < n; i++)
			strbuf_addf(out, "stalls.%s.%s,sum,%llu\n", taxonomy_names[t], classes[i].name,
			            (unsigned long long)classes[i].slots);
	}
}

static void energy_row(struct strbuf *out, const char *name, const char *instance, const struct energy_amount *a)
{
	strbuf_addf(out, "energy.%s.dynamic,%s,%llu\nenergy.%s.leakage,%s,%llu\nenergy.%s.gated,%s,%llu\n", name, instance,
	            (unsigned long long)a->dynamic, name, instance, (unsigned long long)a->leakage, name, instance,
	            (unsigned long long)a->gated);
}

static void energy_rows(struct strbuf *out, const char *name, const struct energy *e, u32 n)
{
	char instance[16];
	for (u32 i = 0; i < n; i++) {
		const struct energy_amount sum = energy_sum(&e[i]);
		snprintf(instance, sizeof instance, "%u", i);
		energy_row(out, name, instance, &sum);
	}
}

/* fJ */
static void energy(const struct stats *s, struct strbuf *out)
{
	row_u64(out, "energy", "total", "sum", energy_total(&s->energy));
	row_real(out, "energy", "power_w", "sum", energy_watts(s->conf, energy_total(&s->energy), s->cycles));
	for (u32 i = 0; i < EP_COUNT; i++)
		energy_row(out, energy_parts[i].name, "sum", &s->energy.part[i]);
	energy_rows(out, "sm", s->energy_sms, s->conf->num_sms);
	energy_rows(out, "kernel", s->energy_kernels, s->group[CG_kernel].n);
}

/* By PTX line, what is not 0. */
static void lines(const struct stats *s, struct strbuf *out)
{
	u32 n;
	struct line_row *rows = line_rows(s->gpu, LINE_BY_PTX, &n);
	for (u32 i = 0; i < n; i++) {
		struct strbuf place = STRBUF_INIT;
		line_row_place(&rows[i], LINE_BY_PTX, &place);
		for (u32 k = 0; k < LC_COUNT; k++)
			if (line_counter_of(&rows[i].c, k))
				row_u64(out, "line", line_counter_descs[k].name, strbuf_str(&place), line_counter_of(&rows[i].c, k));
		strbuf_release(&place);
	}
	free(rows);
}

static void tensor_types(const struct stats *s, struct strbuf *out)
{
	for (u32 t = 0; t < TC_COUNT; t++) {
		const struct tensor_figures f = stats_tensor(s, (enum tensor_class)t);
		row_real(out, "tensor.tflops", tensor_class_names[t], "sum", f.tflops);
		row_real(out, "tensor.peak_tflops", tensor_class_names[t], "sum", f.peak_tflops);
	}
}

static void heap(const struct heap_info *h, struct strbuf *out)
{
	row_u64(out, "device_heap", "bytes", "", h->bytes);
	row_u64(out, "device_heap", "mallocs", "", h->mallocs);
	row_u64(out, "device_heap", "failed", "", h->failed);
	row_u64(out, "device_heap", "frees", "", h->frees);
	row_u64(out, "device_heap", "blocks_left", "", h->blocks);
	row_u64(out, "device_heap", "bytes_left", "", h->used);
	row_u64(out, "device_heap", "bytes_most", "", h->most);
}

void report_csv(const struct stats *s, struct strbuf *out)
{
	double wall = (double)s->run.sim_ns / 1e9;
	strbuf_adds(out, "name,instance,value\n");
	row_text(out, "run.workload", "", s->run.workload);
	row_text(out, "run.machine", "", s->conf->machine);
	row_text(out, "run.stop", "", s->run.stop);
	if (s->run.host_clocks)
		row_text(out, "run.app_clock", "", "simulated");
	row_text(out, "run.check", "", s->run.check);
	row_u64(out, "run", "seed", "", s->conf->seed);
	char hash[17];
	snprintf(hash, sizeof hash, "%016llx", (unsigned long long)s->result_hash);
	row_text(out, "run.result_hash", "", hash);
	row_u64(out, "run", "cycles", "", s->cycles);
	if (s->scoped) {
		row_u64(out, "run", "scope_from", "", s->from);
		row_u64(out, "run", "scope_to", "", s->to);
	}
	row_real(out, "run", "sim_time_us", "", s->sim_us);
	row_u64(out, "run", "warp_insts", "", s->warp_insts);
	row_u64(out, "run", "thread_insts", "", s->thread_insts);
	row_real(out, "run", "ipc", "", s->cycles ? (double)s->warp_insts / (double)s->cycles : NAN);
	for (u32 g = 0; g < CG_COUNT; g++)
		group(s, (enum counter_group)g, out);
	tensor_types(s, out);
	if (s->heap.bytes)
		heap(&s->heap, out);
	energy(s, out);
	stalls(s, out);
	lines(s, out);
	struct strbuf v = STRBUF_INIT;
	for (u32 i = 0; i < conf_nkeys; i++) {
		strbuf_clear(&v);
		conf_get(s->conf, &conf_keys[i], &v);
		strbuf_addf(out, "config.%s,,%s\n", conf_keys[i].key, strbuf_str(&v));
	}
	strbuf_release(&v);
	row_real(out, "host", "wall_s", "", wall);
	row_real(out, "host", "warp_insts_per_s", "", wall > 0 ? (double)s->warp_insts / wall : NAN);
	row_u64(out, "host", "peak_rss_bytes", "", s->run.peak_rss);
}
