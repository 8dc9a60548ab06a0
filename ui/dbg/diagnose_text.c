/* What `diagnose` says: as text and as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grid.h"
#include "base/words.h"
#include "base/wrap.h"
#include "dbg/diagnose.h"
#include "obs/report/json_put.h"
#include "session/script_head.h"

#define LEAST_PERCENT 1.0 /* findings below are counted, and shown by `diagnose all` */
#define INDENT 3

static double percent(u64 part, u64 whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static void scope_name(const struct diagnosis *d, struct strbuf *out)
{
	char from[GROUPED_MAX], to[GROUPED_MAX];
	if (d->launch < 0 && !d->from)
		strbuf_addf(out, "%s, the run up to cycle %s", d->program, grouped(d->to, to));
	else if (d->launch < 0)
		strbuf_addf(out, "%s, cycles %s to %s", d->program, grouped(d->from, from), grouped(d->to, to));
	else
		strbuf_addf(out, "%s, launch %d (%s), cycles %s to %s", d->program, d->launch, d->kernel,
		            grouped(d->from, from), grouped(d->to, to));
}

static int by_slots(const void *a, const void *b, void *of)
{
	const u64 *n = of;
	const u32 x = *(const u32 *)a, y = *(const u32 *)b;
	return n[x] != n[y] ? (n[x] < n[y] ? 1 : -1) : (x > y) - (x < y);
}

/* "lost to: memory dependency 31.2 %, no warp 9.4 %, ..." */
static void lost_to(const struct diagnosis *d, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;
	u32 order[ST_COUNT], n = 0;
	double rest = 0;
	for (u32 i = 0; i < ST_COUNT; i++)
		if (i != ST_ISSUED && d->reason[i])
			order[n++] = i;
	qsort_r(order, n, sizeof *order, by_slots, (void *)(uintptr_t)d->reason);
	for (u32 i = 0; i < n; i++) {
		const double p = percent(d->reason[order[i]], d->slots);
		if (p < 0.1) {
			rest += p;
			continue;
		}
		strbuf_addf(&text, "%s%s %.1f %%", text.len ? ", " : "lost to: ", stall_descs[order[i]].name[TAX_BASE], p);
	}
	if (rest >= 0.05)
		strbuf_addf(&text, ", others %.1f %%", rest);
	if (text.len)
		text_wrap(strbuf_str(&text), 0, WRAP_WIDTH, out);
	strbuf_release(&text);
}

static void head(const struct diagnosis *d, struct strbuf *out)
{
	struct strbuf line = STRBUF_INIT;
	char all[GROUPED_MAX], used[GROUPED_MAX], lost[GROUPED_MAX];
	scope_name(d, &line);
	strbuf_addf(&line, ": %s issue slots, of which %s were used (%.1f %%) and %s lost (%.1f %%).",
	            grouped(d->slots, all), grouped(d->used, used), percent(d->used, d->slots), grouped(d->lost, lost),
	            percent(d->lost, d->slots));
	text_wrap(strbuf_str(&line), 0, WRAP_WIDTH, out);
	lost_to(d, out);
	strbuf_release(&line);
}

/* "k.ptx:20 (k.cu:7)  ld.shared.u32 ..." */
static void place(const struct finding *f, struct strbuf *out)
{
	struct strbuf line = STRBUF_INIT;
	if (!*f->place)
		return;
	strbuf_addf(&line, "%s", f->place);
	if (*f->cuda)
		strbuf_addf(&line, " (%s)", f->cuda);
	strbuf_addf(&line, ": %s", f->code);
	strbuf_addf(out, "%*s", INDENT, "");
	text_wrap(strbuf_str(&line), INDENT, WRAP_WIDTH, out);
	strbuf_release(&line);
}

/* "1. TITLE            at most 41.2 %" */
static void title(const struct diagnosis *d, u32 i, struct strbuf *out)
{
	const struct finding *f = &d->finding[i];
	struct strbuf line = STRBUF_INIT;
	char cost[60], number[16];
	const int left = snprintf(number, sizeof number, "%u. ", i + 1);
	snprintf(cost, sizeof cost, "at most %.1f %%%s", diagnosis_percent(d, f), f->of_used ? " (used badly)" : "");
	text_wrap(f->title, 0, WRAP_WIDTH - (u32)left - (u32)strlen(cost) - 2, &line);
	const size_t first = strcspn(strbuf_str(&line), "\n");
	strbuf_addf(out, "%s%.*s%*s\n", number, (int)first, strbuf_str(&line),
	            WRAP_WIDTH - left - (int)first > 0 ? WRAP_WIDTH - left - (int)first : (int)strlen(cost), cost);
	if (strbuf_str(&line)[first] && strbuf_str(&line)[first + 1]) {
		strbuf_addf(out, "%*s", INDENT, "");
		text_wrap(strbuf_str(&line) + first, INDENT, WRAP_WIDTH, out);
	}
	strbuf_release(&line);
}

static void paragraph(const char *text, struct strbuf *out)
{
	strbuf_addf(out, "%*s", INDENT, "");
	text_wrap(text, INDENT, WRAP_WIDTH, out);
}

/* A command stands in a line of its own and is not broken: it is to be copied. */
static void test_line(const struct finding *f, struct strbuf *out)
{
	strbuf_addf(out, "%*stest: %s\n", INDENT, "", f->test);
}

static void broken(const struct diagnosis *d, struct strbuf *out)
{
	for (u32 i = 0; i < d->broken.n; i++) {
		struct strbuf line = STRBUF_INIT;
		strbuf_addf(&line, "rule not heard: %s", d->broken.text[i]);
		text_wrap(strbuf_str(&line), 0, WRAP_WIDTH, out);
		strbuf_release(&line);
	}
}

void diagnosis_text(const struct diagnosis *d, u32 most, struct strbuf *out)
{
	u32 shown = 0, first = 0; /* first: that is not shown */
	head(d, out);
	for (u32 i = 0; i < d->n; i++) {
		const struct finding *f = &d->finding[i];
		if (!f->note && most != UINT32_MAX && (i >= most || diagnosis_percent(d, f) < LEAST_PERCENT)) {
			first = first ? first : i;
			continue;
		}
		shown++;
		strbuf_addc(out, '\n');
		title(d, i, out);
		place(&d->finding[i], out);
		paragraph(d->finding[i].evidence.text[0], out);
		test_line(&d->finding[i], out);
	}
	strbuf_addc(out, '\n');
	broken(d, out);
	if (!d->n)
		strbuf_addf(out, "None of %u rules has found anything.\n", d->rules);
	else if (shown < d->n)
		strbuf_addf(out, "%u more of at most %.1f %%: `diagnose all`.\n", d->n - shown,
		            diagnosis_percent(d, &d->finding[first]));
	if (d->n)
		text_wrap(
		    "Bounds overlap: a slot may be in several. `diagnose N`: a finding at length. `diagnose verify [N]`: tries "
		    "its test.",
		    0, WRAP_WIDTH, out);
}

void diagnosis_finding_text(const struct diagnosis *d, u32 i, struct strbuf *out)
{
	const struct finding *f = &d->finding[i];
	struct strbuf line = STRBUF_INIT;
	char slots[GROUPED_MAX];
	scope_name(d, &line);
	text_wrap(strbuf_str(&line), 0, WRAP_WIDTH, out);
	title(d, i, out);
	place(f, out);
	strbuf_clear(&line);
	strbuf_addf(&line, "Bound: %s issue slots, %.1f %% of all and %.1f %% of those that were %s.",
	            grouped((u64)f->slots, slots), diagnosis_percent(d, f),
	            percent((u64)f->slots, f->of_used ? d->used : d->lost), f->of_used ? "used" : "lost");
	paragraph(strbuf_str(&line), out);
	strbuf_adds(out, "Evidence\n");
	for (u32 k = 0; k < f->evidence.n; k++) {
		strbuf_addf(out, " - ");
		text_wrap(f->evidence.text[k], INDENT, WRAP_WIDTH, out);
	}
	strbuf_clear(&line);
	script_head(f->path, &line);
	strbuf_addf(out, "Rule %s\n", f->rule);
	paragraph(strbuf_str(&line), out);
	strbuf_adds(out, "Remedy\n");
	paragraph(f->remedy, out);
	test_line(f, out);
	strbuf_clear(&line);
	for (u32 k = 0; k < f->uses.n; k++)
		strbuf_addf(&line, "%s%s", k ? ", " : "It used these figures (`explain NAME`): ", f->uses.text[k]);
	if (line.len)
		text_wrap(strbuf_str(&line), 0, WRAP_WIDTH, out);
	strbuf_release(&line);
}

/* --- JSON --- */

static json_t *list(const struct text_list *l)
{
	json_t *a = json_array();
	for (u32 i = 0; i < l->n; i++)
		json_array_append_new(a, text(l->text[i]));
	return a;
}

static json_t *finding(const struct diagnosis *d, const struct finding *f)
{
	json_t *o = json_object();
	put(o, "rule", text(f->rule));
	put(o, "title", text(f->title));
	put(o, "slots", real(f->slots));
	put(o, "percent", real(diagnosis_percent(d, f)));
	put(o, "of", text(f->of_used ? "used" : "lost"));
	put(o, "place", *f->place ? text(f->place) : json_null());
	put(o, "cuda", *f->cuda ? text(f->cuda) : json_null());
	put(o, "code", *f->code ? text(f->code) : json_null());
	put(o, "evidence", list(&f->evidence));
	put(o, "remedy", text(f->remedy));
	put(o, "test", text(f->test));
	put(o, "uses", list(&f->uses));
	return o;
}

void diagnosis_json(const struct diagnosis *d, struct strbuf *out)
{
	json_t *o = json_object(), *lost = json_object(), *all = json_array();
	put(o, "program", text(d->program));
	put(o, "launch", d->launch < 0 ? json_null() : json_integer(d->launch));
	put(o, "from", number(d->from));
	put(o, "to", number(d->to));
	put(o, "slots", number(d->slots));
	put(o, "used", number(d->used));
	put(o, "lost", number(d->lost));
	for (u32 i = 0; i < ST_COUNT; i++)
		if (i != ST_ISSUED)
			put(lost, stall_descs[i].name[TAX_BASE], number(d->reason[i]));
	put(o, "lost_to", lost);
	for (u32 i = 0; i < d->n; i++)
		json_array_append_new(all, finding(d, &d->finding[i]));
	put(o, "findings", all);
	put(o, "broken_rules", list(&d->broken));
	char *t = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(10));
	strbuf_addf(out, "%s\n", t ? t : "{}");
	free(t);
	json_decref(o);
}
