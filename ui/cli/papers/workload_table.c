#include "commands/commands.h"
#include "cli/papers/workload_table.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/catalog.h"
#include "obs/stats/kernel_code.h"
#include "obs/stats/restart_record.h"
#include "cli/papers/paper.h"

#define LAYOUT "scripts/papers/lib/workload_table.lua" /* rows in, a table as of a figure out */

/* --- instruction mix --- */

enum kind { KIND_INT, KIND_F32, KIND_F64, KIND_SFU, KIND_MEM, KIND_SHARED, KIND_CONST, KIND_CTRL, KINDS };
static const char *const kind_names[KINDS] = {"int", "f32", "f64", "sfu", "mem", "shared", "const", "ctrl"};

static enum kind kind_of(enum iclass c)
{
	if (c <= IC_SHFL)
		return KIND_INT;
	if (c <= IC_F32_DIV)
		return KIND_F32;
	if (c == IC_SFU)
		return KIND_SFU;
	if (c <= IC_F64_DIV)
		return KIND_F64;
	if (c == IC_CTRL)
		return KIND_CTRL;
	if (c == IC_SHARED)
		return KIND_SHARED;
	return c == IC_CONST ? KIND_CONST : KIND_MEM;
}

/* Warp instructions by kind, per kernel function. */
struct mix {
	const struct gpu *g;
	struct mix_row {
		const struct func *fn;
		u64 n[KINDS];
	} * rows;
	u32 nrows, last;
};

static struct mix_row *mix_row(struct mix *m, const struct func *fn)
{
	if (m->last < m->nrows && m->rows[m->last].fn == fn)
		return &m->rows[m->last];
	for (m->last = 0; m->last < m->nrows; m->last++)
		if (m->rows[m->last].fn == fn)
			return &m->rows[m->last];
	m->rows = xrealloc(m->rows, (m->nrows + 1) * sizeof *m->rows);
	m->rows[m->nrows++] = (struct mix_row){.fn = fn};
	return &m->rows[m->last];
}

static bool count_issue(void *ctx, const struct event *ev)
{
	struct mix *m = ctx;
	const struct launch *l = gpu_launched(m->g, (u32)ev->kernel);
	mix_row(m, l->fn)->n[kind_of(l->mod->code[ev->pc].cls)]++;
	return false; /* go on */
}

static json_t *mix_json(struct mix *m, const struct func *fn)
{
	const struct mix_row *r = mix_row(m, fn);
	json_t *o = json_object();
	u64 sum = 0;
	for (u32 i = 0; i < KINDS; i++)
		sum += r->n[i];
	for (u32 i = 0; i < KINDS; i++)
		json_object_set_new(o, kind_names[i], json_real(sum ? 100.0 * (double)r->n[i] / (double)sum : 0));
	return o;
}

/* --- rows --- */

static json_t *code_json(const struct conf *c, const struct launch *l)
{
	struct kernel_code k;
	kernel_code_of(&k, c, l);
	json_t *o = json_pack("{s:i,s:i,s:i,s:i,s:i,s:i}", "instructions", (int)k.instructions, "phases", (int)k.phases,
	                      "longest_phase", (int)k.longest_phase, "shortest_phase", (int)k.shortest_phase,
	                      "program_points", (int)k.points_found, "merged_points", (int)k.points);
	if (k.idempotence_known) {
		json_object_set_new(o, "idempotent", json_boolean(k.idempotent));
		json_object_set_new(o, "restartable", json_real(k.restartable));
	}
	return o;
}

static json_t *dynamic_json(const struct gpu *g, const struct launch *l)
{
	struct restart_record r;
	restart_record_of(&r, g, l);
	json_t *o = json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "ctas", (json_int_t)r.ended, "idempotent",
	                      (json_int_t)r.idempotent, "overwrote", (json_int_t)r.overwrote, "atomic",
	                      (json_int_t)r.atomic, "printed", (json_int_t)r.printed, "unknown", (json_int_t)r.unknown,
	                      "unannounced", (json_int_t)r.unannounced, "most_read", (json_int_t)(32 * r.most_blocks));
	if (r.measured) {
		json_object_set_new(o, "insts_before", json_real(r.insts_share));
		json_object_set_new(o, "cycles_before", json_real(r.time_share));
	}
	restart_record_release(&r);
	return o;
}

static json_t *dim_json(struct dim3 d)
{
	return json_pack("[I,I,I]", (json_int_t)d.x, (json_int_t)d.y, (json_int_t)d.z);
}

static u32 launches_of(struct session *s, const struct func *fn)
{
	const struct gpu *g = sim_gpu(s->sim);
	u32 n = 0;
	for (u32 i = 0; i < gpu_num_kernels(g); i++)
		n += gpu_launched(g, i)->fn == fn;
	return n;
}

static json_t *kernel_json(struct session *s, struct mix *m, u32 launch)
{
	struct kernel_info k;
	gpu_kernel_info(sim_gpu(s->sim), launch, &k);
	const struct launch *l = k.launch;
	json_t *o = json_pack("{s:s,s:s,s:i,s:o,s:o,s:i,s:i,s:i,s:s}", "workload", s->name, "kernel", k.name, "launches",
	                      (int)launches_of(s, l->fn), "grid", dim_json(l->grid), "block", dim_json(l->block), "regs",
	                      (int)l->regs, "shared", (int)l->shared_bytes, "ctas_per_sm", (int)k.ctas_per_sm, "limiter",
	                      k.limiter ? k.limiter : "");
	json_object_set_new(o, "mix", mix_json(m, l->fn));
	json_object_set_new(o, "code", code_json(&s->conf, l));
	json_object_set_new(o, "dynamic", dynamic_json(sim_gpu(s->sim), l));
	return o;
}

/* The launch of each kernel function with the most CTAs: the first may be the smallest (a frontier, a triangle). */
static void add_kernels(struct session *s, struct mix *m, json_t *rows)
{
	const struct gpu *g = sim_gpu(s->sim);
	for (u32 r = 0; r < m->nrows; r++) {
		s64 most = -1;
		for (u32 i = 0; i < gpu_num_kernels(g); i++)
			if (gpu_launched(g, i)->fn == m->rows[r].fn &&
			    (most < 0 || gpu_launched(g, i)->ctas > gpu_launched(g, (u32)most)->ctas))
				most = i;
		json_array_append_new(rows, kernel_json(s, m, (u32)most));
	}
}

static void add_failure(const char *name, const char *why, json_t *rows)
{
	char *line = xstrndup(why, strcspn(why, "\n"));
	json_array_append_new(rows, json_pack("{s:s,s:s}", "workload", name, "error", line));
	free(line);
}

/* Why a workload that did not end well has no rows. */
static void add_stop(struct session *s, enum session_stop why, const struct err *e, json_t *rows)
{
	struct strbuf text = STRBUF_INIT;
	strbuf_addf(&text, "%s: ", why == SS_FINISHED ? "check failed" : session_stop_word(why));
	if (why == SS_FINISHED)
		strbuf_adds(&text, strbuf_str(&s->check_message));
	else
		session_stop_reason(s, why, e, &text);
	add_failure(s->name, text.buf, rows);
	strbuf_release(&text);
}

static void run_workload(struct options *o, json_t *rows)
{
	struct err e = {0};
	struct session *s = session_open(o, console_modules, &e);
	if (!s) {
		add_failure(o->workload, e.msg, rows);
		return;
	}
	struct mix m = {.g = sim_gpu(s->sim)};
	sim_subscribe(s->sim, EVENT(EV_ISSUE), count_issue, &m);
	enum session_stop why = session_run(s, NEVER, &e);
	if (why == SS_FINISHED && s->check != CHECK_FAIL)
		add_kernels(s, &m, rows);
	else
		add_stop(s, why, &e, rows);
	free(m.rows);
	session_close(s);
}

static json_t *run_all(const struct options *o, const char *data_dir)
{
	struct file_names all = catalog_names(data_dir, "scripts/workloads");
	json_t *rows = json_array();
	bool terminal = isatty(STDERR_FILENO);
	for (u32 i = 0; i < all.n; i++) {
		const char *record = "idempotence.track=true";
		struct options one = {.command = "run",
		                      .workload = all.name[i],
		                      .gpu = o->gpu,
		                      .size = o->size,
		                      .sets = &record,
		                      .nsets = 1,
		                      .max_cycles = NEVER};
		if (terminal)
			fprintf(stderr, "\r\033[K%u of %u workloads: %s", i + 1, all.n, all.name[i]);
		run_workload(&one, rows);
	}
	if (terminal)
		fputs("\r\033[K", stderr);
	catalog_release(&all);
	return rows;
}

/* --- the table --- */

struct layout {
	const char *path;
	const json_t *rows;
	struct table table;
};

static bool call_layout(lua_State *L, void *ctx, struct err *e)
{
	struct layout *l = ctx;
	if (!lua_load_path(L, l->path, e) || !lua_call_traced(L, 0, 1, e))
		return false;
	json_push(L, l->rows);
	return lua_call_traced(L, 1, 1, e) && table_read(&l->table, L, e);
}

static bool lay_out(json_t *rows, bool markdown, const char *data_dir, struct strbuf *out, struct err *e)
{
	lua_State *L = lua_sandbox_new(NULL, data_dir, false);
	struct strbuf path = STRBUF_INIT;
	strbuf_addf(&path, "%s/%s", data_dir, LAYOUT);
	struct layout l = {.path = path.buf, .rows = rows};
	bool ok = L ? lua_checked(L, call_layout, &l, 0, 0, e) : err_set(e, "out of memory");
	if (ok && markdown)
		table_markdown(&l.table, out);
	else if (ok)
		table_text(&l.table, out);
	table_release(&l.table);
	strbuf_release(&path);
	lua_sandbox_free(L);
	return ok;
}

bool workload_table(const struct options *o, const char *data_dir, struct strbuf *out, struct err *e)
{
	json_t *rows = run_all(o, data_dir);
	bool ok = true;
	if (o->format && !strcmp(o->format, "json")) {
		char *text = json_dumps(rows, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
		strbuf_addf(out, "%s\n", text);
		free(text);
	} else {
		ok = lay_out(rows, o->format && !strcmp(o->format, "markdown"), data_dir, out, e);
	}
	json_decref(rows);
	return ok;
}
