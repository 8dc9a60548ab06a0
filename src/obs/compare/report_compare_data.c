/* JSON and CSV of a comparison, and what the text shares with them. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "obs/compare/delta.h"
#include "obs/report/json_put.h"
#include "obs/compare/report_compare.h"

/* --- pieces --- */

/* Copies n bytes with single blanks for white space and control characters; what does not fit ends at a whole
 * character. */
static void squeeze(char *out, size_t size, const char *from, u32 n)
{
	size_t at = 0;
	for (u32 i = 0; i < n && at < size - 1; i++) {
		bool blank = (u8)from[i] <= ' ';
		if (!blank)
			out[at++] = from[i];
		else if (at && out[at - 1] != ' ')
			out[at++] = ' ';
	}
	while (at == size - 1 && at && ((u8)out[at - 1] & 0x80))
		at--;
	while (at && out[at - 1] == ' ')
		at--;
	out[at] = 0;
}

struct decision_place decision_place(struct gpu *g, const struct decision *d)
{
	struct decision_place p = {0};
	struct kernel_info k;
	u32 len;
	if (d->kernel < 0 || (u32)d->kernel >= gpu_num_kernels(g))
		return p;
	gpu_kernel_info(g, (u32)d->kernel, &k);
	p.kernel = k.name;
	p.label = k.label;
	const struct module *m = k.launch->mod;
	if (d->pc >= m->ncode)
		return p;
	p.line = module_pc_line(m, d->pc);
	const char *text = module_line(m, m->code[d->pc].line, &len);
	squeeze(p.text, sizeof p.text, text, len);
	return p;
}

const char *divergence_kind(const struct divergence *d)
{
	const struct decision *a = &d->side[0], *b = &d->side[1];
	if (b->warp < 0)
		return "only A chose a warp";
	if (a->warp < 0)
		return "only B chose a warp";
	if (a->warp != b->warp)
		return "different warps";
	if (a->kernel != b->kernel)
		return "the same warp slot, of different kernels";
	if (a->cta != b->cta)
		return "the same warp slot, of different CTAs";
	if (a->pc != b->pc)
		return "the same warp at different instructions";
	return "the same warp from different ready sets";
}

/* What the policy, asked right before its decision, has to say of a warp. */
static void reason_of_warp(const struct gpu *g, const struct decision *own, u32 warp, struct strbuf *out)
{
	struct warp_info w;
	gpu_warp_info(g, own->sm, warp, &w);
	strbuf_addf(out, "warp %u: ", warp);
	if (w.state == WS_NONE) {
		strbuf_adds(out, "no warp is there");
		return;
	}
	strbuf_addf(out, "rank %lld", (long long)w.priority);
	if (own->warp >= 0 && !(own->ready >> warp & 1))
		strbuf_addf(out, ", not ready (%s)", *w.waits ? w.waits : warp_state_descs[w.state].name);
	size_t from = out->len;
	strbuf_adds(out, ", ");
	size_t said = out->len;
	gpu_sched_text(g, own->sm, own->scheduler, warp, out);
	if (out->len == said)
		out->len = from;
	out->buf[out->len] = 0;
}

void decision_reason(const struct gpu *g, const struct decision *own, const struct decision *other, struct strbuf *out)
{
	const struct conf *k = gpu_conf(g);
	const s32 warps[2] = {own->warp, other->warp == own->warp ? -1 : other->warp};
	if (own->sm >= k->num_sms || own->scheduler >= k->sm_schedulers) {
		strbuf_adds(out, "this machine has no such scheduler");
		return;
	}
	size_t from = out->len;
	strbuf_addf(out, "%s", k->warp_sched);
	size_t named = out->len;
	strbuf_adds(out, ": ");
	size_t said = out->len;
	gpu_sched_text(g, own->sm, own->scheduler, UINT32_MAX, out);
	if (out->len == said)
		out->len = named;
	out->buf[out->len] = 0;
	for (u32 i = 0; i < 2; i++)
		if (warps[i] >= 0 && (u32)warps[i] < gpu_warps_per_sm(g)) {
			strbuf_adds(out, out->len > from ? "; " : "");
			reason_of_warp(g, own, (u32)warps[i], out);
		}
}

void config_differences(const struct comparison *c,
                        void (*fn)(void *ctx, const char *key, const char *a, const char *b), void *ctx)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	for (u32 i = 0; i < conf_nkeys; i++) {
		strbuf_clear(&a);
		strbuf_clear(&b);
		conf_get(c->side[0]->conf, &conf_keys[i], &a);
		conf_get(c->side[1]->conf, &conf_keys[i], &b);
		if (strcmp(strbuf_str(&a), strbuf_str(&b)))
			fn(ctx, conf_keys[i].key, strbuf_str(&a), strbuf_str(&b));
	}
	strbuf_release(&a);
	strbuf_release(&b);
}

/* --- JSON --- */

static json_t *side_json(const struct stats *s)
{
	json_t *o = json_object();
	put(o, "machine", text(s->conf->machine));
	put(o, "warp_sched", text(s->conf->warp_sched));
	put(o, "cta_sched", text(s->conf->cta_sched));
	put(o, "seed", number(s->conf->seed));
	put(o, "stop", text(s->run.stop));
	put(o, "check", text(s->run.check));
	put(o, "check_message", text(s->run.check_message));
	put(o, "result_hash", json_sprintf("%016llx", (unsigned long long)s->result_hash));
	return o;
}

static void add_difference(void *list, const char *key, const char *a, const char *b)
{
	json_t *o = json_object();
	put(o, "key", text(key));
	put(o, "a", text(a));
	put(o, "b", text(b));
	json_array_append_new(list, o);
}

static json_t *decision_json(struct gpu *g, const struct decision *d)
{
	struct decision_place p = decision_place(g, d);
	char ready[24];
	json_t *o = json_object();
	put(o, "cycle", number(d->cycle));
	put(o, "sm", number(d->sm));
	put(o, "scheduler", number(d->scheduler));
	if (d->warp < 0) {
		put(o, "warp", json_null());
		put(o, "lost_to", text(stall_descs[d->reason].name[TAX_BASE]));
		return o;
	}
	snprintf(ready, sizeof ready, "0x%llx", (unsigned long long)d->ready);
	put(o, "warp", json_integer(d->warp));
	put(o, "ready", text(ready));
	put(o, "greedy", json_boolean(d->greedy));
	put(o, "kernel", json_integer(d->kernel));
	put(o, "kernel_name", text(p.kernel));
	put(o, "cta", json_integer(d->cta));
	put(o, "pc", number(d->pc));
	put(o, "line", p.line ? number(p.line) : json_null());
	put(o, "source", text(p.text));
	return o;
}

static json_t *divergence_json(const struct comparison *c, const struct divergence *d)
{
	if (!d->found)
		return json_null();
	json_t *o = json_object();
	put(o, "kind", text(divergence_kind(d)));
	put(o, "a", decision_json(c->gpu[0], &d->side[0]));
	put(o, "b", decision_json(c->gpu[1], &d->side[1]));
	return o;
}

static json_t *steps_json(const struct comparison *c)
{
	json_t *list = json_array();
	for (u32 i = 0; i < c->nsteps; i++) {
		const struct lockstep *s = &c->steps[i];
		json_t *o = json_object();
		put(o, "at", number(s->at));
		for (u32 k = 0; k < 2; k++) {
			json_t *at = json_object();
			put(at, "cycle", number(s->side[k].cycle));
			put(at, "warp_insts", number(s->side[k].insts));
			put(at, "ctas_done", number(s->side[k].ctas));
			put(o, k ? "b" : "a", at);
		}
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *delta_json(const struct delta *d)
{
	json_t *o = json_object();
	put(o, "name", text(d->name));
	put(o, "unit", text(d->unit));
	if (d->text)
		put(o, "kernel", text(d->text));
	put(o, "a", d->whole ? number(d->whole_a) : real(d->a));
	put(o, "b", d->whole ? number(d->whole_b) : real(d->b));
	put(o, "delta", d->whole ? json_integer((json_int_t)(d->whole_b - d->whole_a)) : real(delta_value(d)));
	put(o, "ratio", real(delta_ratio(d)));
	return o;
}

static json_t *deltas_json(const struct comparison *c)
{
	struct deltas d;
	json_t *list = json_array();
	deltas_gather(&d, c->side[0], c->side[1]);
	for (u32 i = 0; i < d.n; i++)
		json_array_append_new(list, delta_json(&d.d[i]));
	deltas_release(&d);
	return list;
}

void report_compare_json(const struct comparison *c, struct strbuf *out)
{
	json_t *o = json_object(), *differences = json_array();
	config_differences(c, add_difference, differences);
	put(o, "schema", text(COMPARE_SCHEMA));
	put(o, "version", number(COMPARE_VERSION));
	put(o, "workload", text(c->side[0]->run.workload));
	put(o, "by", text(c->by));
	put(o, "until", text(c->until));
	put(o, "a", side_json(c->side[0]));
	put(o, "b", side_json(c->side[1]));
	put(o, "config", differences);
	put(o, "equal_decisions", c->diverge ? number(diverge_equal(c->diverge)) : json_null());
	put(o, "compared_to_the_end", c->diverge ? json_boolean(!diverge_gave_up(c->diverge)) : json_null());
	put(o, "divergence", divergence_json(c, c->diverge ? diverge_first(c->diverge) : c->first));
	put(o, "ready_difference", c->diverge ? divergence_json(c, diverge_first_ready(c->diverge)) : json_null());
	put(o, "lockstep", steps_json(c));
	put(o, "stats", deltas_json(c));
	char *s = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
	strbuf_adds(out, s);
	strbuf_addc(out, '\n');
	free(s);
	json_decref(o);
}

/* --- CSV --- */

static void csv_text(struct strbuf *out, const char *v)
{
	strbuf_addc(out, '"');
	for (; *v; v++) {
		if (*v == '"')
			strbuf_addc(out, '"');
		strbuf_addc(out, *v);
	}
	strbuf_addc(out, '"');
}

static void csv_real(struct strbuf *out, double v)
{
	if (isfinite(v))
		strbuf_addf(out, "%.12g", v);
}

static void csv_texts(struct strbuf *out, const char *name, const char *a, const char *b)
{
	strbuf_addf(out, "%s,", name);
	csv_text(out, a);
	strbuf_addc(out, ',');
	csv_text(out, b);
	strbuf_adds(out, ",,\n");
}

static void csv_whole(struct strbuf *out, const char *name, u64 a, u64 b)
{
	strbuf_addf(out, "%s,%llu,%llu,%lld,", name, (unsigned long long)a, (unsigned long long)b, (long long)(b - a));
	csv_real(out, a ? ((double)b - (double)a) / (double)a : NAN);
	strbuf_addc(out, '\n');
}

static void csv_difference(void *out, const char *key, const char *a, const char *b)
{
	strbuf_adds(out, "config.");
	csv_texts(out, key, a, b);
}

static void csv_delta(struct strbuf *out, const struct delta *d)
{
	if (d->whole) {
		csv_whole(out, d->name, d->whole_a, d->whole_b);
		return;
	}
	strbuf_addf(out, "%s,", d->name);
	csv_real(out, d->a);
	strbuf_addc(out, ',');
	csv_real(out, d->b);
	strbuf_addc(out, ',');
	csv_real(out, delta_value(d));
	strbuf_addc(out, ',');
	csv_real(out, delta_ratio(d));
	strbuf_addc(out, '\n');
}

static void csv_divergence(const struct comparison *c, struct strbuf *out)
{
	const struct divergence *d = diverge_first(c->diverge);
	csv_whole(out, "divergence.found", d->found, d->found);
	if (!d->found)
		return;
	const struct decision *a = &d->side[0], *b = &d->side[1];
	csv_texts(out, "divergence.kind", divergence_kind(d), divergence_kind(d));
	csv_whole(out, "divergence.cycle", a->cycle, b->cycle);
	csv_whole(out, "divergence.sm", a->sm, b->sm);
	csv_whole(out, "divergence.scheduler", a->scheduler, b->scheduler);
	strbuf_addf(out, "divergence.warp,%d,%d,,\n", a->warp, b->warp);
	strbuf_addf(out, "divergence.ready,0x%llx,0x%llx,,\n", (unsigned long long)a->ready, (unsigned long long)b->ready);
	strbuf_addf(out, "divergence.cta,%d,%d,,\n", a->cta, b->cta);
	csv_whole(out, "divergence.pc", a->pc, b->pc);
	csv_whole(out, "divergence.line", decision_place(c->gpu[0], a).line, decision_place(c->gpu[1], b).line);
}

void report_compare_csv(const struct comparison *c, struct strbuf *out)
{
	const struct stats *a = c->side[0], *b = c->side[1];
	struct deltas d;
	strbuf_adds(out, "name,a,b,delta,ratio\n");
	csv_texts(out, "run.workload", a->run.workload, b->run.workload);
	csv_texts(out, "run.stop", a->run.stop, b->run.stop);
	csv_texts(out, "run.check", a->run.check, b->run.check);
	config_differences(c, csv_difference, out);
	csv_divergence(c, out);
	deltas_gather(&d, a, b);
	for (u32 i = 0; i < d.n; i++)
		csv_delta(out, &d.d[i]);
	deltas_release(&d);
}
