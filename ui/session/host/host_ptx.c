/* The built-in host program for a PTX file of the command line: one launch with --arg parameters, then --out and
 * --print. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "base/rng.h"
#include "session/host/host.h"
#include "session/host/launch_log.h"
#include "session/host/param_list.h"
#include "session/outputs.h"
#include "session/programs.h"

struct ptx_arg {
	enum ptype type;
	u32 width;
	bool is_buffer;
	bool copied; /* the host has something to copy: not =zero, which stands for memory that is only allocated */
	u64 count;   /* elements; 1 for a scalar */
	u8 *data;    /* count * width bytes */
	u64 addr;    /* of the buffer, once allocated */
};
struct ptx_host {
	struct host base;
	struct module *m;
	const struct func *fn;
	struct ptx_arg *args; /* one per parameter */
	u32 nargs;
	bool launched;
};

/* --- values --- */

static enum ptype value_type(const char *name, size_t len)
{
	static const enum ptype types[] = {T_U8, T_U16, T_U32, T_U64, T_S8, T_S16, T_S32, T_S64, T_F32, T_F64};
	for (u32 i = 0; i < ARRAY_LEN(types); i++)
		if (strlen(ptype_name(types[i])) == len && !memcmp(ptype_name(types[i]), name, len))
			return types[i];
	return T_NONE;
}

static bool parse_float(enum ptype t, const char *text, u8 *out, struct err *e)
{
	char *end;
	double d = strtod(text, &end);
	float f = (float)d;
	if (end == text || *end)
		return err_set(e, "'%s' is not a number", text);
	memcpy(out, t == T_F32 ? (void *)&f : (void *)&d, ptype_bytes(t));
	return true;
}

static bool parse_int(enum ptype t, const char *text, u8 *out, struct err *e)
{
	char *end;
	u32 bits = 8 * ptype_bytes(t);
	bool negative = *text == '-';
	errno = 0;
	u64 magnitude = strtoull(text + negative, &end, 0);
	if (end == text + negative || *end || text[negative] == '-' || text[negative] == '+' || text[negative] == ' ')
		return err_set(e, "'%s' is not a whole number", text);
	u64 most = ptype_is_signed(t) ? (1ull << (bits - 1)) - !negative : negative ? 0 : ~0ull >> (64 - bits);
	if (errno || magnitude > most)
		return err_set(e, "%s does not fit %s", text, ptype_name(t));
	u64 v = negative ? 0 - magnitude : magnitude;
	memcpy(out, &v, bits / 8);
	return true;
}

static bool parse_value(enum ptype t, const char *text, u8 *out, struct err *e)
{
	return ptype_is_float(t) ? parse_float(t, text, out, e) : parse_int(t, text, out, e);
}

static void put_int(const struct ptx_arg *a, u64 i, u64 v)
{
	memcpy(a->data + i * a->width, &v, a->width);
}

static void put_real(const struct ptx_arg *a, u64 i, double v)
{
	float f = (float)v;
	memcpy(a->data + i * a->width, a->type == T_F32 ? (void *)&f : (void *)&v, a->width);
}

/* Floats in [0, 1), integers in 0..99, as array:rand() of host programs. */
static void fill_rand(const struct ptx_arg *a, u64 *rng)
{
	for (u64 i = 0; i < a->count; i++) {
		if (a->type == T_F32)
			put_real(a, i, rng_f32(rng));
		else if (a->type == T_F64)
			put_real(a, i, rng_f64(rng));
		else
			put_int(a, i, rng_next(rng) % 100);
	}
}

static void fill_iota(const struct ptx_arg *a)
{
	for (u64 i = 0; i < a->count; i++) {
		if (ptype_is_float(a->type))
			put_real(a, i, (double)i);
		else
			put_int(a, i, i);
	}
}

static bool fill_file(const struct ptx_arg *a, const char *path, struct err *e)
{
	struct strbuf bytes = STRBUF_INIT;
	u64 need = a->count * a->width;
	bool ok = strbuf_read_file(&bytes, path, e);
	if (ok && bytes.len != need)
		ok = err_set(e, "%s has %zu bytes, %llu %s are %llu", path, bytes.len, (unsigned long long)a->count,
		             ptype_name(a->type), (unsigned long long)need);
	if (ok)
		memcpy(a->data, strbuf_str(&bytes), need);
	strbuf_release(&bytes);
	return ok;
}

static bool fill(const struct ptx_arg *a, const char *how, u64 *rng, struct err *e)
{
	if (!strcmp(how, "zero"))
		return true;
	if (!strcmp(how, "iota"))
		return fill_iota(a), true;
	if (!strcmp(how, "rand"))
		return fill_rand(a, rng), true;
	if (*how == '@')
		return fill_file(a, how + 1, e);
	u8 v[8];
	if (!parse_value(a->type, how, v, e))
		return false;
	for (u64 i = 0; i < a->count; i++)
		memcpy(a->data + i * a->width, v, a->width);
	return true;
}

/* "f32[1024]": the count behind the type. */
static bool parse_count(const char *text, const char *end, u64 most, u64 *out, struct err *e)
{
	char *stop;
	errno = 0;
	*out = *text >= '0' && *text <= '9' ? strtoull(text, &stop, 0) : 0;
	if (!*out || errno || *stop != ']' || stop + 1 != end)
		return err_set(e, "the number of elements must be a positive whole number in brackets");
	return *out <= most || err_set(e, "more than %llu elements", (unsigned long long)most);
}

static bool parse_arg(struct ptx_arg *a, const char *text, u64 heap_bytes, u64 *rng, struct err *e)
{
	const char *eq = strchr(text, '=');
	if (!eq)
		return err_set(e, "TYPE=VALUE or TYPE[COUNT]=VALUE expected");
	size_t len = strcspn(text, "[=");
	a->type = value_type(text, len);
	if (a->type == T_NONE)
		return err_set(e, "'%.*s' is not one of u8 u16 u32 u64 s8 s16 s32 s64 f32 f64", (int)len, text);
	a->width = ptype_bytes(a->type);
	a->is_buffer = text[len] == '[';
	a->count = 1;
	if (a->is_buffer && !parse_count(text + len + 1, eq, heap_bytes / a->width, &a->count, e))
		return false;
	a->data = xcalloc(a->count, MAX(a->width, 8u));
	a->copied = a->is_buffer && strcmp(eq + 1, "zero");
	return a->is_buffer ? fill(a, eq + 1, rng, e) : parse_value(a->type, eq + 1, a->data, e);
}

/* --- building --- */

static void list_kernels(const struct module *m, struct strbuf *out)
{
	for (u32 i = 0; i < m->nfuncs; i++)
		if (m->funcs[i].is_kernel)
			strbuf_addf(out, "%s%s", out->len ? " " : "", m->funcs[i].name);
}

static bool find_kernel(struct ptx_host *h, const char *name, struct err *e)
{
	struct strbuf all = STRBUF_INIT;
	list_kernels(h->m, &all);
	bool only_one = all.len && !strchr(all.buf, ' ');
	if (!name && only_one)
		name = all.buf;
	h->fn = name ? module_func(h->m, name, true) : NULL;
	if (!h->fn && name)
		err_set(e, "%s has no kernel '%s'; there are: %s", h->m->path, name, all.len ? all.buf : "none");
	else if (!h->fn)
		err_set(e, "--kernel is missing; %s has: %s", h->m->path, all.len ? all.buf : "none");
	strbuf_release(&all);
	return h->fn;
}

static bool check_arg(const struct func *fn, u32 i, const struct ptx_arg *a, struct err *e)
{
	const struct param *p = &fn->params[i];
	u32 bytes = a->is_buffer ? 8 : a->width;
	if (p->size != bytes)
		return err_set(e, "%s is %s of %u bytes, %s has %u", p->name, ptype_name(p->type), p->size,
		               a->is_buffer ? "a buffer's address" : ptype_name(a->type), bytes);
	bool typed = p->type < T_B8 || p->type > T_B64;
	if (typed && ptype_is_float(p->type) != (!a->is_buffer && ptype_is_float(a->type)))
		return err_set(e, "%s is %s, not %s", p->name, ptype_name(p->type),
		               a->is_buffer ? "a buffer" : ptype_name(a->type));
	return true;
}

static bool parse_args(struct session *s, struct ptx_host *h, struct err *e)
{
	const struct options *o = s->now->opt;
	u64 rng = s->conf.seed, heap = (u64)s->conf.heap_mb << 20;
	char list[PARAM_LIST_MAX];
	if (o->nargs != h->fn->nparams)
		return err_set(e, "%s takes %u parameter%s%s, there %s %u --arg", func_label(h->fn), h->fn->nparams,
		               plural(h->fn->nparams), param_list(h->fn, list), by_number(o->nargs, "is", "are"), o->nargs);
	h->nargs = o->nargs;
	h->args = xcalloc(MAX(h->nargs, 1u), sizeof *h->args);
	for (u32 i = 0; i < h->nargs; i++)
		if (!parse_arg(&h->args[i], o->args[i], heap, &rng, e) || !check_arg(h->fn, i, &h->args[i], e)) {
			err_prefix(e, "--arg %s (argument %u): ", o->args[i], i);
			return false;
		}
	return true;
}

static bool check_refs(const struct ptx_host *h, const struct options *o, struct err *e)
{
	for (u32 i = 0; i < o->nouts + o->nprints; i++) {
		bool out = i < o->nouts;
		u32 arg = out ? o->outs[i].arg : o->prints[i - o->nouts].arg;
		const char *what = out ? "--out" : "--print";
		if (arg >= h->nargs)
			return err_set(e, "%s %u: there %s %u argument%s, counted from 0", what, arg,
			               by_number(h->nargs, "is", "are"), h->nargs, plural(h->nargs));
		if (!h->args[arg].is_buffer)
			return err_set(e, "%s %u: argument %u is not a buffer", what, arg, arg);
	}
	return true;
}

/* --- running --- */

static bool place_buffers(struct session *s, struct ptx_host *h, u8 *params, struct err *e)
{
	struct devmem *d = sim_devmem(s->sim);
	for (u32 i = 0; i < h->nargs; i++) {
		struct ptx_arg *a = &h->args[i];
		if (a->is_buffer) {
			a->addr = devmem_alloc(d, a->count * a->width, h->fn->params[i].name, e);
			if (!a->addr || !devmem_write(d, a->addr, a->data, a->count * a->width, e))
				return false;
			launch_log_alloc(s->launch_log, a->addr, a->count * a->width);
			launch_log_write(s->launch_log, a->addr, a->data, a->count * a->width);
			if (a->copied)
				sim_copied(s->sim, a->addr, a->count * a->width, 0);
		}
		memcpy(params + h->fn->params[i].offset, a->is_buffer ? (void *)&a->addr : a->data, h->fn->params[i].size);
	}
	return true;
}

static bool launch(struct session *s, struct ptx_host *h, struct err *e)
{
	u8 params[PARAM_BYTES_MAX] = {0};
	if (!place_buffers(s, h, params, e))
		return false;
	struct launch_spec l = {.mod = h->m,
	                        .fn = h->fn,
	                        .grid = s->now->opt->grid,
	                        .block = s->now->opt->block,
	                        .dynamic_shared = s->now->opt->shared,
	                        .regs = s->now->opt->regs,
	                        .regs_from = REGS_OPTION,
	                        .cooperative = s->now->opt->cooperative,
	                        .priority = s->now->opt->priority,
	                        .call = "command line",
	                        .params = params,
	                        .param_bytes = h->fn->param_bytes};
	h->launched = true;
	launch_log_launch(s->launch_log, &l);
	return sim_launch(s->sim, &l, e) >= 0;
}

static void print_element(struct strbuf *out, const struct ptx_arg *a, u64 i)
{
	u64 v = 0;
	float f;
	double d;
	const u8 *p = a->data + i * a->width;
	memcpy(&v, p, a->width);
	if (a->type == T_F32) {
		memcpy(&f, p, sizeof f);
		strbuf_addf(out, "%.9g\n", (double)f);
	} else if (a->type == T_F64) {
		memcpy(&d, p, sizeof d);
		strbuf_addf(out, "%.17g\n", d);
	} else if (ptype_is_signed(a->type)) {
		u32 shift = 64 - 8 * a->width;
		strbuf_addf(out, "%lld\n", (long long)((s64)(v << shift) >> shift));
	} else {
		strbuf_addf(out, "%llu\n", (unsigned long long)v);
	}
}

static bool fetch_results(struct session *s, struct ptx_host *h, struct err *e)
{
	const struct options *o = s->now->opt;
	for (u32 i = 0; i < h->nargs; i++) {
		struct ptx_arg *a = &h->args[i];
		if (a->is_buffer && !devmem_read(sim_devmem(s->sim), a->addr, a->data, a->count * a->width, e))
			return false;
	}
	for (u32 i = 0; s->now->nruns == 1 && i < outputs_outs(s, s->now); i++) {
		const struct ptx_arg *a = &h->args[o->outs[i].arg];
		if (!outputs_write_out(s, i, a->data, a->count * a->width, e))
			return false;
	}
	const char *whose = programs_blame(s, s->now->index); /* of several programs: "bfs#2: 5" */
	for (u32 i = 0; s->now->nruns == 1 && i < o->nprints; i++)
		for (u64 k = 0; k < MIN(o->prints[i].count, h->args[o->prints[i].arg].count); k++) {
			strbuf_addf(&s->output, "%s%s", whose ? whose : "", whose ? ": " : "");
			print_element(&s->output, &h->args[o->prints[i].arg], k);
		}
	return true;
}

static enum host_state step(struct session *s, struct host *base, struct err *e)
{
	struct ptx_host *h = (struct ptx_host *)base;
	if (!h->launched)
		return launch(s, h, e) ? HOST_WAITS : HOST_FAILED;
	return fetch_results(s, h, e) ? HOST_ENDED : HOST_FAILED;
}

static void ptx_host_free(struct host *base)
{
	struct ptx_host *h = (struct ptx_host *)base;
	for (u32 i = 0; i < h->nargs; i++)
		free(h->args[i].data);
	free(h->args);
	free(h);
}

/* The first step allocates and launches, the second looks at the results. */
static enum host_state rebuild(struct session *s, struct host *base, u32 turns, struct err *e)
{
	((struct ptx_host *)base)->launched = turns > 0;
	return turns > 1 ? HOST_ENDED : HOST_WAITS;
}

static const struct host_ops ptx_host_ops = {.step = step, .rebuild = rebuild, .free = ptx_host_free};

/* The workload's file and those of --link. */
static struct module *load(struct session *s, const char *path, struct err *e)
{
	const u32 n = s->now->opt->nlinks + 1;
	const char **paths = xcalloc(n, sizeof *paths);
	paths[0] = path;
	for (u32 i = 1; i < n; i++)
		paths[i] = s->now->opt->links[i - 1];
	struct module *m = sim_load_linked(s->sim, paths, n, e);
	free(paths);
	return m;
}

struct host *host_ptx_new(struct session *s, const char *path, struct err *e)
{
	struct ptx_host *h = xcalloc(1, sizeof *h);
	h->base.ops = &ptx_host_ops;
	h->m = load(s, path, e);
	bool ok = h->m && find_kernel(h, s->now->opt->kernel, e);
	if (ok && (!s->now->opt->grid.x || !s->now->opt->block.x))
		ok = err_set(e, "--grid and --block say how to launch %s", func_label(h->fn));
	if (ok && parse_args(s, h, e) && check_refs(h, s->now->opt, e))
		return &h->base;
	ptx_host_free(&h->base);
	return NULL;
}
