/* Reads what scripts/hardware/measure has written. A file may come from anywhere: everything is checked, and messages
 * name the place. */
#include "cli/correlate/correlate.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BUFFER (8ull << 30)

/* Where in the file: its name, and the object's. */
struct at {
	const char *path, *what;
	u32 index;
	struct err *e;
};

static bool bad(const struct at *at, const char *key, const char *expected)
{
	return err_set(at->e, "%s: %s[%u].%s: %s expected", at->path, at->what, at->index, key, expected);
}

static bool number(const struct at *at, const json_t *o, const char *key, double least, double most, double *out)
{
	const json_t *v = json_object_get(o, key);
	if (!json_is_number(v))
		return bad(at, key, "a number is");
	*out = json_number_value(v);
	if (*out >= least && *out <= most)
		return true;
	return err_set(at->e, "%s: %s[%u].%s: %g is not within %g..%g", at->path, at->what, at->index, key, *out, least,
	               most);
}

static bool whole(const struct at *at, const json_t *o, const char *key, u32 least, u32 most, u32 *out)
{
	double v;
	if (!number(at, o, key, least, most, &v))
		return false;
	*out = (u32)v;
	return v == floor(v) || bad(at, key, "a whole number is");
}

static bool text(const struct at *at, const json_t *o, const char *key, char **out)
{
	const json_t *v = json_object_get(o, key);
	if (!json_is_string(v) || !*json_string_value(v))
		return bad(at, key, "a text is");
	*out = xstrdup(json_string_value(v));
	return true;
}

/* A list of KEY=VALUE; no list is an empty one. False where something else is in it. */
static bool pairs(const json_t *list, char ***out, u32 *n)
{
	*out = xcalloc(json_array_size(list) + 1, sizeof **out);
	for (u32 i = 0; i < json_array_size(list); i++) {
		const char *p = json_string_value(json_array_get(list, i));
		if (!p || !strchr(p, '='))
			return false;
		(*out)[(*n)++] = xstrdup(p);
	}
	return !list || json_is_array(list);
}

static u32 add_row(struct correlation *c, struct corr_row row)
{
	c->rows = xrealloc(c->rows, (c->nrows + 1) * sizeof *c->rows);
	c->rows[c->nrows] = row;
	return c->nrows++;
}

/* --- microbenchmarks --- */

static bool take_timer(const struct at *at, const json_t *o, struct corr_micro *m)
{
	const char *t = json_string_value(json_object_get(o, "timer"));
	if (t && !strcmp(t, "clock"))
		m->timer = CORR_CLOCK;
	else if (t && !strcmp(t, "kernel"))
		m->timer = CORR_ELAPSED;
	else if (t && !strcmp(t, "launches"))
		m->timer = CORR_LAUNCHES;
	else
		return bad(at, "timer", "\"clock\", \"kernel\" or \"launches\" is");
	return true;
}

/* Which file the kernel is in: micro.ptx unless it says so. */
static bool take_text(const struct at *at, const json_t *o, struct corr_micro *m)
{
	const json_t *v = json_object_get(o, "text");
	const char *t = v ? json_string_value(v) : "micro";
	if (!t || (strcmp(t, "micro") && strcmp(t, "grid")))
		return bad(at, "text", "\"micro\" or \"grid\" is");
	m->text = xstrdup(t);
	return true;
}

static bool take_micro(struct correlation *c, const json_t *o, u32 i, struct err *e)
{
	struct at at = {c->path, "microbenchmarks", i, e};
	if (!json_is_object(o))
		return err_set(e, "%s: microbenchmarks[%u] is not an object", c->path, i);
	c->micro = xrealloc(c->micro, (c->nmicro + 1) * sizeof *c->micro);
	struct corr_micro *m = &c->micro[c->nmicro++];
	*m = (struct corr_micro){.row = add_row(c, (struct corr_row){.kind = CORR_MICRO})};
	struct corr_row *row = &c->rows[m->row];
	double cycles, buffer;
	bool ok = text(&at, o, "name", &row->name) && text(&at, o, "group", &row->group) &&
	          text(&at, o, "kernel", &m->kernel) && take_text(&at, o, m) && take_timer(&at, o, m) &&
	          whole(&at, o, "grid", 1, INT32_MAX, &m->grid) && whole(&at, o, "block", 1, 1024, &m->block) &&
	          whole(&at, o, "n", 0, UINT32_MAX, &m->n) && whole(&at, o, "stride", 0, UINT32_MAX, &m->stride) &&
	          whole(&at, o, "seed", 0, UINT32_MAX, &m->seed) &&
	          number(&at, o, "buffer", 0, (double)MAX_BUFFER, &buffer) && number(&at, o, "steps", 1, 1e15, &m->steps) &&
	          number(&at, o, "cycles", 1e-3, 1e15, &cycles);
	if (!ok)
		return false;
	m->buffer = (u64)buffer;
	row->measured = cycles / m->steps;
	const json_t *spread = json_object_get(o, "spread");
	row->spread = json_is_number(spread) ? json_number_value(spread) : 0;
	return true;
}

/* --- workloads --- */

/* The row of a kernel of this workload, made at its first launch. */
static u32 kernel_row(struct correlation *c, const struct corr_workload *w, u32 first, const char *kernel)
{
	for (u32 r = first; r < c->nrows; r++)
		if (!strcmp(c->rows[r].name, kernel))
			return r;
	return add_row(c, (struct corr_row){.kind = CORR_KERNEL, .name = xstrdup(kernel), .group = xstrdup(w->name)});
}

static bool take_launches(struct correlation *c, struct corr_workload *w, const json_t *list, u32 index, struct err *e)
{
	u32 first = c->nrows;
	char what[64];
	snprintf(what, sizeof what, "workloads[%u].launches", index);
	if (!json_is_array(list))
		return err_set(e, "%s: %s: a list is expected", c->path, what);
	w->launches = xcalloc(json_array_size(list) + 1, sizeof *w->launches);
	for (u32 i = 0; i < json_array_size(list); i++) {
		struct at at = {c->path, what, i, e};
		struct corr_launch *l = &w->launches[w->nlaunches++];
		const json_t *o = json_array_get(list, i);
		double cycles;
		if (!text(&at, o, "kernel", &l->kernel) || !number(&at, o, "cycles", 0, 1e15, &cycles))
			return false;
		l->cycles = cycles;
		l->row = kernel_row(c, w, first, l->kernel);
		c->rows[l->row].measured += cycles;
	}
	return true;
}

/* What was compared after the last launch. */
static char *memory_text(const json_t *m)
{
	struct strbuf out = STRBUF_INIT;
	double words = json_number_value(json_object_get(m, "words"));
	double different = json_number_value(json_object_get(m, "different"));
	if (!json_is_object(m))
		return NULL;
	if (different == 0)
		strbuf_addf(&out, "equal (%.0f words)", words);
	else
		strbuf_addf(&out, "%.0f of %.0f words differ, as f32 by up to %.2g of the value", different, words,
		            json_number_value(json_object_get(m, "max_relative")));
	return out.buf;
}

static bool take_workload(struct correlation *c, const json_t *o, u32 i, struct err *e)
{
	struct at at = {c->path, "workloads", i, e};
	if (!json_is_object(o))
		return err_set(e, "%s: workloads[%u] is not an object", c->path, i);
	if (json_object_get(o, "left_out")) /* says why: no figures */
		return true;
	c->workloads = xrealloc(c->workloads, (c->nworkloads + 1) * sizeof *c->workloads);
	struct corr_workload *w = &c->workloads[c->nworkloads++];
	*w = (struct corr_workload){.seed = 1};
	w->memory = memory_text(json_object_get(o, "memory"));
	if (json_object_get(o, "seed") && !whole(&at, o, "seed", 0, UINT32_MAX, &w->seed))
		return false;
	return text(&at, o, "name", &w->name) && text(&at, o, "size", &w->size) &&
	       (pairs(json_object_get(o, "params"), &w->params, &w->nparams) ||
	        bad(&at, "params", "a list of KEY=VALUE is")) &&
	       take_launches(c, w, json_object_get(o, "launches"), i, e);
}

/* --- the file --- */

static char *optional_text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));
	return s ? xstrdup(s) : NULL;
}

/* The part of the chip that the figures are about. */
static bool take_sets(struct correlation *c, const json_t *list, struct err *e)
{
	struct conf scratch;
	conf_defaults(&scratch);
	if (!pairs(list, &c->sets, &c->nsets))
		return err_set(e, "%s: set: a list of KEY=VALUE is expected", c->path);
	for (u32 i = 0; i < c->nsets; i++)
		if (!conf_set_pair(&scratch, c->sets[i], e)) {
			err_prefix(e, "%s: set[%u]: ", c->path, i);
			return false;
		}
	return true;
}

static bool take_head(struct correlation *c, const json_t *o, struct err *e)
{
	const char *schema = json_string_value(json_object_get(o, "schema"));
	const json_t *chip = json_object_get(o, "chip");
	if (!schema || strcmp(schema, "warpdbg-hardware"))
		return err_set(e, "%s: this is not a file of measurements (\"schema\": \"warpdbg-hardware\" is missing)",
		               c->path);
	if (json_integer_value(json_object_get(o, "version")) != 1)
		return err_set(e, "%s: version: only version 1 of the format is known", c->path);
	c->chip = optional_text(chip, "name");
	if (!c->chip)
		return err_set(e, "%s: chip.name: a text is expected", c->path);
	c->driver = optional_text(o, "driver");
	c->note = optional_text(o, "note");
	c->ptx_hash = optional_text(o, "micro_ptx");
	c->sms = (u32)json_integer_value(json_object_get(chip, "sms"));
	c->mhz = json_number_value(json_object_get(o, "sm_clock_mhz"));
	return take_sets(c, json_object_get(o, "set"), e);
}

static bool take_list(struct correlation *c, const json_t *o, const char *key,
                      bool take(struct correlation *c, const json_t *o, u32 i, struct err *e), struct err *e)
{
	const json_t *list = json_object_get(o, key);
	if (list && !json_is_array(list))
		return err_set(e, "%s: %s: a list is expected", c->path, key);
	for (u32 i = 0; i < json_array_size(list); i++)
		if (!take(c, json_array_get(list, i), i, e))
			return false;
	return true;
}

bool corr_read(struct correlation *c, const char *path, struct err *e)
{
	struct strbuf bytes = STRBUF_INIT;
	json_error_t where;
	*c = (struct correlation){.path = path};
	if (!strbuf_read_file(&bytes, path, e))
		return false;
	json_t *o = json_loadb(strbuf_str(&bytes), bytes.len, JSON_REJECT_DUPLICATES, &where);
	strbuf_release(&bytes);
	bool ok = o || err_set(e, "%s:%d:%d: %s", path, where.line, where.column, where.text);
	ok = ok && (json_is_object(o) || err_set(e, "%s: a JSON object is expected", path));
	ok = ok && take_head(c, o, e) && take_list(c, o, "microbenchmarks", take_micro, e) &&
	     take_list(c, o, "workloads", take_workload, e);
	if (ok && !c->nrows)
		ok = err_set(e, "%s: there are neither microbenchmarks nor workloads in it", path);
	json_decref(o);
	return ok;
}

static void release_workload(struct corr_workload *w)
{
	for (u32 i = 0; i < w->nparams; i++)
		free(w->params[i]);
	for (u32 i = 0; i < w->nlaunches; i++)
		free(w->launches[i].kernel);
	free(w->params);
	free(w->launches);
	free(w->name);
	free(w->size);
	free(w->memory);
}

void corr_release(struct correlation *c)
{
	for (u32 i = 0; i < c->nrows; i++) {
		free(c->rows[i].name);
		free(c->rows[i].group);
		free(c->rows[i].why_not);
	}
	for (u32 i = 0; i < c->nmicro; i++) {
		free(c->micro[i].kernel);
		free(c->micro[i].text);
	}
	for (u32 i = 0; i < c->nworkloads; i++)
		release_workload(&c->workloads[i]);
	for (u32 i = 0; i < c->nsets; i++)
		free(c->sets[i]);
	free(c->sets);
	free(c->rows);
	free(c->micro);
	free(c->workloads);
	free(c->chip);
	free(c->driver);
	free(c->ptx_hash);
	free(c->note);
}
