#include "cli/correlate/correlate.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[CORR_KINDS + 1] = {"microbenchmarks", "kernels of workloads", "all"};
static const char *const kind_keys[CORR_KINDS + 1] = {"microbenchmarks", "kernels", "all"};

static bool counts(const struct corr_row *r, enum corr_kind kind)
{
	return (kind == CORR_KINDS || r->kind == kind) && !r->why_not && r->measured > 0 && r->modelled > 0;
}

struct corr_summary corr_summarise(const struct correlation *c, enum corr_kind kind)
{
	struct corr_summary s = {.correlation = NAN};
	double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0, farthest = -1;
	for (u32 i = 0; i < c->nrows; i++) {
		const struct corr_row *r = &c->rows[i];
		if (!counts(r, kind))
			continue;
		double x = log(r->measured), y = log(r->modelled);
		s.n++;
		s.error += fabs(r->modelled / r->measured - 1);
		s.bias += y - x;
		sx += x, sy += y, sxx += x * x, syy += y * y, sxy += x * y;
		if (fabs(y - x) > farthest) {
			farthest = fabs(y - x);
			s.worst = i;
		}
	}
	if (!s.n)
		return s;
	double n = s.n, vx = sxx - sx * sx / n, vy = syy - sy * sy / n;
	s.error /= n;
	s.bias = exp(s.bias / n);
	if (s.n > 2 && vx > 0 && vy > 0)
		s.correlation = (sxy - sx * sy / n) / sqrt(vx * vy);
	return s;
}

/* --- text --- */

static void add_row(const struct corr_row *r, const char *label, struct strbuf *out)
{
	strbuf_addf(out, "%-38.38s %14.6g ", label, r->measured);
	if (r->why_not)
		strbuf_addf(out, "%14s           %.*s\n", "not modelled:", 70, r->why_not);
	else
		strbuf_addf(out, "%14.6g %9.3f\n", r->modelled, r->modelled / r->measured);
}

static void add_rows(const struct correlation *c, enum corr_kind kind, struct strbuf *out)
{
	const char *group = NULL;
	bool any = false;
	for (u32 i = 0; i < c->nrows; i++)
		any = any || c->rows[i].kind == kind;
	if (!any)
		return;
	strbuf_addf(out, "\n%-38s %14s %14s %9s\n", kind == CORR_MICRO ? "microbenchmark, cycles a step" : "kernel, cycles",
	            "measured", "modelled", "ratio");
	for (u32 i = 0; i < c->nrows; i++) {
		const struct corr_row *r = &c->rows[i];
		if (r->kind != kind)
			continue;
		if (!group || strcmp(group, r->group))
			strbuf_addf(out, "%s\n", group = r->group);
		char *label = xmalloc(strlen(r->name) + 3);
		sprintf(label, "  %s", r->name);
		add_row(r, label, out);
		free(label);
	}
}

static void add_summary(const struct correlation *c, enum corr_kind kind, struct strbuf *out)
{
	struct corr_summary s = corr_summarise(c, kind);
	if (!s.n)
		return;
	strbuf_addf(out, "%-22s %4u rows   mean error %6.1f %%   mean ratio %6.3f   ", kind_names[kind], s.n, s.error * 100,
	            s.bias);
	if (isnan(s.correlation))
		strbuf_adds(out, "correlation -    ");
	else
		strbuf_addf(out, "correlation %.3f", s.correlation);
	const struct corr_row *w = &c->rows[s.worst];
	strbuf_addf(out, "   farthest %s (%.3f)\n", w->name, w->modelled / w->measured);
}

static void add_memory(const struct correlation *c, struct strbuf *out)
{
	bool any = false;
	for (u32 i = 0; i < c->nworkloads; i++)
		any = any || c->workloads[i].memory;
	if (!any)
		return;
	strbuf_adds(out, "\nresults in the chip's memory, beside the model's\n");
	for (u32 i = 0; i < c->nworkloads; i++)
		if (c->workloads[i].memory)
			strbuf_addf(out, "  %-24s %s\n", c->workloads[i].name, c->workloads[i].memory);
}

void corr_text(const struct correlation *c, bool ascii, struct strbuf *out)
{
	strbuf_addf(out, "measured  %s", c->chip);
	if (c->sms)
		strbuf_addf(out, ", %u SMs", c->sms);
	if (c->mhz > 0)
		strbuf_addf(out, " at %.0f MHz", c->mhz);
	if (c->driver)
		strbuf_addf(out, ", driver %s", c->driver);
	strbuf_addf(out, "\nmodelled  %s, %u SMs at %g MHz, warp %s, CTA %s\n", c->conf.machine, c->conf.num_sms,
	            c->conf.core_clock, c->conf.warp_sched, c->conf.cta_sched);
	if (c->note)
		strbuf_addf(out, "note      %s\n", c->note);
	for (u32 k = 0; k < CORR_KINDS; k++)
		add_rows(c, (enum corr_kind)k, out);
	add_memory(c, out);
	strbuf_addc(out, '\n');
	for (u32 k = 0; k <= CORR_KINDS; k++)
		add_summary(c, (enum corr_kind)k, out);
	strbuf_adds(out, "mean error: of |modelled / measured - 1|; correlation: Pearson's, of the logarithms\n\n");
	corr_plot_text(c, ascii, out);
}

/* --- for programs --- */

static json_t *summary_json(const struct correlation *c, enum corr_kind kind)
{
	struct corr_summary s = corr_summarise(c, kind);
	json_t *o = json_pack("{s:i}", "rows", (int)s.n);
	if (!s.n)
		return o;
	json_object_set_new(o, "mean_error", json_real(s.error));
	json_object_set_new(o, "mean_ratio", json_real(s.bias));
	json_object_set_new(o, "correlation", isnan(s.correlation) ? json_null() : json_real(s.correlation));
	json_object_set_new(o, "farthest", json_string(c->rows[s.worst].name));
	return o;
}

void corr_json(const struct correlation *c, struct strbuf *out)
{
	json_t *rows = json_array(), *summary = json_object();
	for (u32 i = 0; i < c->nrows; i++) {
		const struct corr_row *r = &c->rows[i];
		json_t *o = json_pack("{s:s,s:s,s:s,s:f,s:f}", "kind", kind_keys[r->kind], "group", r->group, "name", r->name,
		                      "measured", r->measured, "spread", r->spread);
		if (r->why_not) {
			json_object_set_new(o, "not_modelled", json_string(r->why_not));
		} else {
			json_object_set_new(o, "modelled", json_real(r->modelled));
			if (r->measured > 0)
				json_object_set_new(o, "ratio", json_real(r->modelled / r->measured));
		}
		json_array_append_new(rows, o);
	}
	for (u32 k = 0; k <= CORR_KINDS; k++)
		json_object_set_new(summary, kind_keys[k], summary_json(c, (enum corr_kind)k));
	json_t *all = json_pack("{s:s,s:i,s:s,s:s,s:o,s:o}", "schema", "warpdbg-correlate", "version", 1, "chip", c->chip,
	                        "machine", c->conf.machine, "summary", summary, "rows", rows);
	char *text = json_dumps(all, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
	strbuf_addf(out, "%s\n", text ? text : "");
	free(text);
	json_decref(all);
}

static void add_field(struct strbuf *out, const char *s)
{
	strbuf_addc(out, '"');
	for (; *s; s++) {
		if (*s == '"')
			strbuf_addc(out, '"');
		strbuf_addc(out, *s == '\n' ? ' ' : *s);
	}
	strbuf_addc(out, '"');
}

void corr_csv(const struct correlation *c, struct strbuf *out)
{
	strbuf_adds(out, "kind,group,name,measured,modelled,ratio,not_modelled\n");
	for (u32 i = 0; i < c->nrows; i++) {
		const struct corr_row *r = &c->rows[i];
		strbuf_addf(out, "%s,", kind_keys[r->kind]);
		add_field(out, r->group);
		strbuf_addc(out, ',');
		add_field(out, r->name);
		strbuf_addf(out, ",%.9g,", r->measured);
		if (r->why_not) {
			strbuf_adds(out, ",,");
			add_field(out, r->why_not);
		} else if (r->measured > 0) {
			strbuf_addf(out, "%.9g,%.9g,", r->modelled, r->modelled / r->measured);
		} else {
			strbuf_addf(out, "%.9g,,", r->modelled);
		}
		strbuf_addc(out, '\n');
	}
}
