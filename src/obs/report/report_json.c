#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/policy.h"
#include "gpu/launch_slots.h"
#include "obs/name/names.h"
#include "obs/report/json_put.h"
#include "obs/stats/heat.h"
#include "obs/record/line_rows.h"
#include "obs/stats/kernel_code.h"
#include "obs/stats/restart_record.h"
#include "obs/report/report.h"

static json_t *dim(struct dim3 d)
{
	return json_pack("[I,I,I]", (json_int_t)d.x, (json_int_t)d.y, (json_int_t)d.z);
}

/* A kernel's times are whole cycles; everything else is a quotient and stays a real, however it comes out. */
static json_t *rate(const struct rate_desc *d, const struct instance_stats *in)
{
	double v = d->value(in->counters, &in->env);
	bool whole = d->group == CG_kernel && !strcmp(d->unit, "cycles") && isfinite(v);
	return whole ? number((u64)v) : real(v);
}

/* Counters first, then rates, of one instance or a sum, into o. */
static void put_figures(json_t *o, enum counter_group g, u32 n, const struct instance_stats *in)
{
	for (u32 i = 0; i < n; i++)
		put(o, stats_counter(g, i)->name, number(in->counters[i]));
	for (u32 i = 0; i < rate_ndescs; i++)
		if (rate_descs[i].group == g)
			put(o, rate_descs[i].name, rate(&rate_descs[i], in));
}

static json_t *figures(const struct stats *s, enum counter_group g, s64 instance)
{
	json_t *o = json_object();
	const struct group_stats *gs = &s->group[g];
	put_figures(o, g, gs->ncounters, instance < 0 ? &gs->sum : &gs->instance[instance]);
	return o;
}

/* What tensor units did by class of types, beside their peaks; with those of no multiply-add. */
static json_t *tensor_types(const struct stats *s)
{
	json_t *o = json_object();
	for (u32 t = 0; t < TC_COUNT; t++) {
		const struct tensor_figures f = stats_tensor(s, (enum tensor_class)t);
		json_t *type = json_object();
		put(type, "macs", number(f.macs));
		put(type, "tflops", real(f.tflops));
		put(type, "peak_tflops", real(f.peak_tflops));
		put(o, tensor_class_names[t], type);
	}
	return o;
}

static json_t *config(const struct conf *c)
{
	json_t *o = json_object();
	struct strbuf text = STRBUF_INIT;
	for (u32 i = 0; i < conf_nkeys; i++) {
		const struct conf_key *k = &conf_keys[i];
		strbuf_clear(&text);
		conf_get(c, k, &text);
		switch (k->kind) {
		case CONF_INT: put(o, k->key, json_integer(strtoll(text.buf, NULL, 10))); break;
		case CONF_REAL: put(o, k->key, json_real(strtod(text.buf, NULL))); break;
		case CONF_BOOL: put(o, k->key, json_boolean(*text.buf == 't')); break;
		case CONF_ENUM:
		case CONF_STR: put(o, k->key, json_string(strbuf_str(&text))); break;
		}
	}
	strbuf_release(&text);
	return o;
}

static json_t *cta_away(const struct away_info *a)
{
	return json_pack("{s:I,s:s,s:I,s:I,s:I,s:o,s:b}", "cta", (json_int_t)a->cta, "state",
	                 cta_state_descs[a->state].name, "since", (json_int_t)a->since, "left_at", (json_int_t)a->left_at,
	                 "sm", (json_int_t)a->sm, "to", a->to == UINT32_MAX ? json_null() : number(a->to), "restarts",
	                 (int)a->restarts);
}

/* What keeps CTAs of a running launch from going on; null for one that does not run, or when there is nothing. */
static json_t *kept(const struct stats *s, u32 launch)
{
	if (s->kernels[launch].state != KS_RUNNING)
		return json_null();
	const struct cta_tally t = gpu_cta_tally(s->gpu, (s32)launch);
	if (!cta_tally_kept(&t))
		return json_null();
	json_t *o = json_object(), *ctas = json_array();
	struct away_info *away = xcalloc(t.saved + 1, sizeof *away);
	put(o, "paused", number(t.paused));
	put(o, "moving", number(t.moving));
	put(o, "lowered", number(t.lowered));
	put(o, "inactive", number(t.inactive));
	put(o, "saved", number(t.saved));
	put(o, "queued", number(t.queued));
	put(o, "restarts", number(t.restarts));
	gpu_ctas_away(s->gpu, (s32)launch, away, t.saved);
	for (u32 i = 0; i < t.saved; i++)
		json_array_append_new(ctas, cta_away(&away[i]));
	put(o, "saved_ctas", ctas);
	free(away);
	return o;
}

/* All issue slots of the machine in the time of a launch: {"issued": n, ..., "sum": n}. */
static json_t *launch_slots(struct gpu *g, u32 launch)
{
	u64 slots[ST_COUNT];
	json_t *o = json_object();
	const u64 sum = gpu_launch_slots(g, launch, slots);
	for (u32 i = 0; i < ST_COUNT; i++)
		put(o, stall_descs[i].name[TAX_BASE], number(slots[i]));
	put(o, "sum", number(sum));
	return o;
}

static json_t *kernel(const struct stats *s, u32 i)
{
	static const char *const states[] = {"queued", "running", "done"};
	const struct kernel_info *k = &s->kernels[i];
	json_t *o = json_object();
	put(o, "id", number(i));
	put(o, "name", text(k->name));
	put(o, "label", text(k->label));
	put(o, "state", json_string(states[k->state]));
	put(o, "grid", dim(k->launch->grid));
	put(o, "block", dim(k->launch->block));
	if (s->run.nprograms) {
		put(o, "program", text(s->run.programs[k->program].name));
		put(o, "program_run", number(k->run));
	}
	if (k->launch->call)
		put(o, "call", text(k->launch->call));
	put(o, "stream", number(k->launch->stream));
	put(o, "priority", json_integer(k->launch->priority));
	put(o, "regs", number(k->launch->regs));
	put(o, "regs_from", text(regs_from_names[k->launch->regs_from]));
	put(o, "shared", number(k->launch->shared_bytes));
	put(o, "ctas", number(k->launch->ctas));
	put(o, "occupancy",
	    json_pack("{s:I,s:I,s:s}", "ctas_per_sm", (json_int_t)k->ctas_per_sm, "warps_per_sm",
	              (json_int_t)(k->ctas_per_sm * k->launch->warps), "limiter", k->limiter ? k->limiter : ""));
	put(o, "kept", kept(s, i));
	put_figures(o, CG_kernel, s->group[CG_kernel].ncounters, &s->group[CG_kernel].instance[i]);
	put(o, "stalls", launch_slots(s->gpu, i));
	return o;
}

/* What the run showed of idempotence; null where it was not recorded. */
static json_t *dynamic(const struct stats *s, const struct launch *l)
{
	struct restart_record r;
	restart_record_of(&r, s->gpu, l);
	if (!r.kept)
		return json_null();
	json_t *o = json_object(), *places = json_array();
	put(o, "ctas", number(r.ended));
	put(o, "idempotent", number(r.idempotent));
	put(o, "overwrote", number(r.overwrote));
	put(o, "atomic", number(r.atomic));
	put(o, "printed", number(r.printed));
	put(o, "unknown", number(r.unknown));
	put(o, "insts_before", real(r.insts_share));
	put(o, "cycles_before", real(r.time_share));
	put(o, "false_alarm", json_boolean(r.false_alarm));
	put(o, "unannounced", number(r.unannounced));
	for (u32 i = 0; i < r.nplaces; i++) {
		const struct restart_place *p = &r.place[i];
		json_array_append_new(places, json_pack("{s:I,s:I,s:s,s:I,s:I,s:b}", "pc", (json_int_t)p->pc, "line",
		                                        (json_int_t)module_pc_line(l->mod, p->pc), "cause",
		                                        restart_cause_names[p->cause], "times", (json_int_t)p->times, "first",
		                                        (json_int_t)p->firsts, "announced", (int)p->announced));
	}
	put(o, "places", places);
	restart_record_release(&r);
	return o;
}

/* What the compiler's analyses say of each kernel function that was launched, in the order of the first launches. */
static json_t *code(const struct stats *s)
{
	json_t *all = json_array();
	u32 *first, n = kernel_code_firsts(s->kernels, s->group[CG_kernel].n, &first);
	for (u32 i = 0; i < n; i++) {
		struct kernel_code k;
		json_t *o = json_object();
		kernel_code_of(&k, s->conf, s->kernels[first[i]].launch);
		put(o, "name", text(s->kernels[first[i]].name));
		put(o, "instructions", number(k.instructions));
		put(o, "phases", number(k.phases));
		put(o, "data_phases", number(k.data_phases));
		put(o, "longest_phase", number(k.longest_phase));
		put(o, "shortest_phase", number(k.shortest_phase));
		put(o, "program_points", number(k.points_found));
		put(o, "merged_points", number(k.points));
		put(o, "idempotent", k.idempotence_known ? json_boolean(k.idempotent) : json_null());
		put(o, "restartable", k.idempotence_known ? real(k.restartable) : json_null());
		put(o, "dynamic", dynamic(s, s->kernels[first[i]].launch));
		json_array_append_new(all, o);
	}
	free(first);
	return all;
}

static json_t *base_stalls(const u64 slots[ST_COUNT])
{
	json_t *o = json_object();
	for (u32 r = 0; r < ST_COUNT; r++)
		put(o, stall_descs[r].name[TAX_BASE], number(slots[r]));
	return o;
}

static json_t *sm(const struct stats *s, u32 i)
{
	static const enum counter_group caches[] = {CG_l1i, CG_l1d, CG_l1c, CG_l1t, CG_tensor};
	u32 schedulers = s->conf->sm_schedulers;
	json_t *o = json_object(), *stalls = json_array();
	put(o, "id", number(i));
	put_figures(o, CG_sm, s->group[CG_sm].ncounters, &s->group[CG_sm].instance[i]);
	for (u32 c = 0; c < ARRAY_LEN(caches); c++)
		put(o, counter_group_names[caches[c]], figures(s, caches[c], i));
	for (u32 k = 0; k < schedulers; k++)
		json_array_append_new(stalls, base_stalls(s->sched_stalls[i * schedulers + k]));
	put(o, "stalls", stalls);
	return o;
}

/* {"lee2014": {"active": n, ..., "sum": n, "slots": schedulers x cycles}, ...} */
static json_t *taxonomies(const struct stats *s)
{
	json_t *all = json_object();
	for (u32 t = 0; t < TAX_COUNT; t++) {
		struct stall_class classes[TAX_MAX_CLASSES];
		u32 n = stall_map((enum taxonomy)t, s->stalls, classes);
		u64 sum = 0;
		json_t *o = json_object();
		for (u32 i = 0; i < n; i++) {
			put(o, classes[i].name, number(classes[i].slots));
			sum += classes[i].slots;
		}
		put(o, "sum", number(sum));
		put(o, "slots", number(s->group[CG_sm].sum.env.slots));
		put(all, taxonomy_names[t], o);
	}
	return all;
}

static json_t *host(const struct stats *s)
{
	double wall = (double)s->run.sim_ns / 1e9;
	json_t *o = json_object();
	put(o, "wall_s", real(wall));
	put(o, "total_s", real((double)s->run.total_ns / 1e9));
	put(o, "warp_insts_per_s", real(wall > 0 ? (double)s->warp_insts / wall : NAN));
	put(o, "thread_insts_per_s", real(wall > 0 ? (double)s->thread_insts / wall : NAN));
	put(o, "cycles_per_s", real(wall > 0 ? (double)s->cycles / wall : NAN));
	put(o, "peak_rss_bytes", number(s->run.peak_rss));
	return o;
}

static json_t *device_heap(const struct heap_info *h)
{
	json_t *o = h->bytes ? json_object() : json_null();
	if (!h->bytes)
		return o;
	put(o, "bytes", number(h->bytes));
	put(o, "mallocs", number(h->mallocs));
	put(o, "failed", number(h->failed));
	put(o, "frees", number(h->frees));
	put(o, "blocks_left", number(h->blocks));
	put(o, "bytes_left", number(h->used));
	put(o, "bytes_most", number(h->most));
	return o;
}

static json_t *instances(const struct stats *s, json_t *(*one)(const struct stats *, u32), u32 n)
{
	json_t *a = json_array();
	for (u32 i = 0; i < n; i++)
		json_array_append_new(a, one(s, i));
	return a;
}

/* A sum with its instances beside it: {"hits": .., "instances": [{..}, ..]} */
static json_t *with_instances(const struct stats *s, enum counter_group g)
{
	json_t *o = figures(s, g, -1), *a = json_array();
	for (u32 i = 0; i < s->group[g].n; i++)
		json_array_append_new(a, figures(s, g, i));
	put(o, "instances", a);
	return o;
}

/* fJ of each part that has any, and their sums. */
static json_t *energy_parts_of(const struct energy *e)
{
	const struct energy_amount sum = energy_sum(e);
	json_t *o = json_object(), *parts = json_object();
	put(o, "total", number(sum.dynamic + sum.leakage));
	put(o, "dynamic", number(sum.dynamic));
	put(o, "leakage", number(sum.leakage));
	put(o, "gated", number(sum.gated));
	for (u32 i = 0; i < EP_COUNT; i++)
		if (e->part[i].dynamic + e->part[i].leakage)
			put(parts, energy_parts[i].name, number(e->part[i].dynamic + e->part[i].leakage));
	put(o, "parts", parts);
	return o;
}

static json_t *energy_each(const struct energy *e, u32 n)
{
	json_t *a = json_array();
	for (u32 i = 0; i < n; i++)
		json_array_append_new(a, energy_parts_of(&e[i]));
	return a;
}

static json_t *energy(const struct stats *s)
{
	const u32 kernels = s->group[CG_kernel].n;
	json_t *o = energy_parts_of(&s->energy), *groups = json_object(), *parts = json_object();
	put(o, "unit", json_string("fJ"));
	put(o, "power_w", real(energy_watts(s->conf, energy_total(&s->energy), s->cycles)));
	for (u32 i = 0; i < EG_COUNT; i++)
		put(groups, energy_group_names[i], number(energy_of_group(&s->energy, i)));
	put(o, "groups", groups);
	for (u32 i = 0; i < EP_COUNT; i++) {
		const struct energy_amount *a = &s->energy.part[i];
		json_t *p = json_object();
		put(p, "group", json_string(energy_group_names[energy_parts[i].group]));
		put(p, "total", number(a->dynamic + a->leakage));
		put(p, "dynamic", number(a->dynamic));
		put(p, "leakage", number(a->leakage));
		put(p, "gated", number(a->gated));
		put(parts, energy_parts[i].name, p);
	}
	put(o, "parts", parts);
	put(o, "sms", energy_each(s->energy_sms, s->conf->num_sms));
	put(o, "uncore", energy_parts_of(&s->energy_uncore));
	put(o, "kernels", energy_each(s->energy_kernels, kernels));
	put(o, "rest", energy_parts_of(&s->energy_kernels[kernels]));
	return o;
}

static json_t *policies(const struct conf *c)
{
	json_t *o = json_object();
	for (u32 k = 0; k < POLICY_KINDS; k++)
		put(o, policy_kinds[k].name, text(policy_named(c, k)));
	return o;
}

/* The host programs that shared the machine. */
static json_t *programs(const struct stats *s)
{
	json_t *all = json_array();
	for (u32 i = 0; i < s->run.nprograms; i++) {
		const struct program_stats *p = &s->programs[i];
		json_t *o = json_object();
		put(o, "name", text(p->of.name));
		put(o, "check", text(p->of.check));
		put(o, "check_message", text(p->of.check_message));
		put(o, "result_hash", json_sprintf("%016llx", (unsigned long long)p->result_hash));
		put(o, "runs", number(p->of.runs));
		put(o, "kernels", number(p->kernels));
		put(o, "done", json_boolean(p->done));
		put(o, "begin", number(p->begin));
		put(o, "end", number(p->end));
		put(o, "ctas", number(p->ctas));
		put(o, "warp_insts", number(p->warp_insts));
		put(o, "thread_insts", number(p->thread_insts));
		put(o, "insts_dropped", number(p->insts_dropped));
		put(o, "effective_ipc", real(program_effective_ipc(p)));
		put(o, "deadlines_met", number(p->deadlines_met));
		put(o, "deadlines_missed", number(p->deadlines_missed));
		put(o, "cpi", real(program_cpi(p)));
		put(o, "alone_cpi", real(p->of.alone_cpi > 0 ? p->of.alone_cpi : NAN));
		put(o, "slowdown", real(program_slowdown(p)));
		json_array_append_new(all, o);
	}
	return all;
}

/* What scripts have measured. */
static json_t *list_measured(const struct measured_list *f)
{
	json_t *all = json_object();
	for (u32 i = 0; i < f->n; i++) {
		const struct measured *g = &f->all[i];
		json_t *list = g->list ? json_array() : NULL;
		for (u32 k = 0; k < g->n && list; k++)
			json_array_append_new(list, real(g->values[k]));
		put(all, g->name, list ? list : real(g->values[0]));
	}
	return all;
}

static void put_head(json_t *o, const struct stats *s)
{
	put(o, "schema", json_string(REPORT_SCHEMA));
	put(o, "version", json_integer(REPORT_VERSION));
	put(o, "workload", text(s->run.workload));
	put(o, "machine", text(s->conf->machine));
	put(o, "seed", number(s->conf->seed));
	put(o, "stop", text(s->run.stop));
	if (s->run.host_clocks)
		put(o, "app_clock", text("simulated"));
	put(o, "check", text(s->run.check));
	put(o, "check_message", text(s->run.check_message));
	put(o, "result_hash", json_sprintf("%016llx", (unsigned long long)s->result_hash));
	put(o, "cycles", number(s->cycles));
	if (s->scoped)
		put(o, "scope", json_pack("{sIsI}", "from", (json_int_t)s->from, "to", (json_int_t)s->to));
	put(o, "core_clock_mhz", real(s->conf->core_clock));
	put(o, "sim_time_us", real(s->sim_us));
	put(o, "warp_insts", number(s->warp_insts));
	put(o, "thread_insts", number(s->thread_insts));
	put(o, "ipc", real(s->cycles ? (double)s->warp_insts / (double)s->cycles : NAN));
}

/* Samples by state, those that there are: of waits, or of all. */
static json_t *heat_states(const u32 n[HEAT_STATES])
{
	json_t *o = json_object();
	for (u32 s = 0; s < HEAT_STATES; s++)
		if (n[s] && heat_is_waiting(s))
			put(o, heat_state_name(s), number(n[s]));
	return o;
}

static u64 heat_sum(const u32 n[HEAT_STATES])
{
	u64 sum = 0;
	for (u32 s = 0; s < HEAT_STATES; s++)
		sum += heat_is_waiting(s) ? n[s] : 0;
	return sum;
}

static void heat_code(const struct heat_module *h, json_t *all)
{
	for (u32 pc = 0; pc < h->mod->ncode; pc++) {
		const u64 caused = heat_sum(h->caused[pc]), waited = heat_sum(h->at[pc]);
		if (!caused && !waited)
			continue;
		struct strbuf place = STRBUF_INIT, code = STRBUF_INIT;
		line_place(h->mod, pc, &place);
		line_text(h->mod, pc, &code);
		json_t *o = json_object();
		put(o, "place", text(strbuf_str(&place)));
		put(o, "pc", number(pc));
		put(o, "text", text(strbuf_str(&code)));
		put(o, "causes", number(caused));
		put(o, "states", heat_states(h->caused[pc]));
		put(o, "waits", number(waited));
		json_array_append_new(all, o);
		strbuf_release(&place);
		strbuf_release(&code);
	}
}

/* Which instructions cause waits, and which wait; null where nobody has looked. */
static json_t *waits(struct heat *h)
{
	if (!h)
		return json_null();
	json_t *o = json_object(), *all = json_array();
	u64 samples = 0, waiting = 0;
	for (u32 i = 0; i < h->nmods; i++) {
		samples += h->mods[i].samples;
		waiting += h->mods[i].waiting;
		heat_code(&h->mods[i], all);
	}
	put(o, "period", number(HEAT_CYCLES));
	put(o, "samples", number(samples));
	put(o, "waiting", number(waiting));
	put(o, "code", all);
	return o;
}

/* What each executed instruction did and cost; null where nobody counts. */
static json_t *lines(const struct stats *s)
{
	u32 n;
	struct line_row *rows = line_rows(s->gpu, LINE_BY_PC, &n);
	json_t *all = rows ? json_array() : json_null();
	for (u32 i = 0; i < n; i++) {
		const struct inst *in = &rows[i].mod->code[rows[i].pc];
		struct strbuf place = STRBUF_INIT, cuda = STRBUF_INIT, code = STRBUF_INIT;
		line_row_place(&rows[i], LINE_BY_PTX, &place);
		line_text(rows[i].mod, rows[i].pc, &code);
		json_t *o = json_object();
		put(o, "place", text(strbuf_str(&place)));
		if (in->src_line)
			line_row_place(&rows[i], LINE_BY_CUDA, &cuda);
		put(o, "cuda", in->src_line ? text(strbuf_str(&cuda)) : json_null());
		put(o, "pc", number(rows[i].pc));
		put(o, "text", text(strbuf_str(&code)));
		for (u32 k = 0; k < LC_COUNT; k++)
			put(o, line_counter_descs[k].name, number(line_counter_of(&rows[i].c, k)));
		json_array_append_new(all, o);
		strbuf_release(&place);
		strbuf_release(&cuda);
		strbuf_release(&code);
	}
	free(rows);
	return all;
}

void report_json(const struct stats *s, struct strbuf *out)
{
	static const enum counter_group summed[] = {CG_l1i, CG_l1d, CG_l1c, CG_l1t, CG_tensor};
	json_t *o = json_object();
	put_head(o, s);
	put(o, "policies", policies(s->conf));
	if (s->run.nprograms) {
		put(o, "programs", programs(s));
		put(o, "antt", real(s->antt));
		put(o, "stp", real(s->stp));
	}
	if (s->run.figures && s->run.figures->n)
		put(o, "figures", list_measured(s->run.figures));
	put(o, "kernels", instances(s, kernel, s->group[CG_kernel].n));
	if (s->run.diagnosis)
		put(o, "diagnosis", json_loads(s->run.diagnosis, 0, NULL));
	put(o, "code", code(s));
	put(o, "sm", figures(s, CG_sm, -1));
	for (u32 i = 0; i < ARRAY_LEN(summed); i++)
		put(o, counter_group_names[summed[i]], figures(s, summed[i], -1));
	put(o, "tensor_types", tensor_types(s));
	put(o, "l2", with_instances(s, CG_l2));
	put(o, "dram", with_instances(s, CG_dram));
	put(o, "noc", figures(s, CG_noc, -1));
	put(o, "device_heap", device_heap(&s->heap));
	put(o, "stalls", taxonomies(s));
	put(o, "waits", waits(s->run.heat));
	put(o, "lines", lines(s));
	put(o, "findings", report_findings(s->gpu));
	put(o, "sms", instances(s, sm, s->conf->num_sms));
	put(o, "energy", energy(s));
	put(o, "config", config(s->conf));
	put(o, "host", host(s));
	char *text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
	BUG_ON(!text);
	strbuf_adds(out, text);
	strbuf_addc(out, '\n');
	free(text);
	json_decref(o);
}
