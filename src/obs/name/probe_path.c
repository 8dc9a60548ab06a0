#include "obs/name/probe_path.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "obs/stats/sample.h"

#define COUNTERS_MAX 128 /* of one group */

const char *const probe_warp_fields[PW_COUNT] = {"pc", "insts", "active", "pending_loads", "since", "state"};

/* --- names --- */

static bool name_is(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && !memcmp(name, text, len);
}

int probe_find_counter(enum counter_group group, const char *name, size_t len)
{
	const struct counter_desc *first = counter_group_first(group);
	u32 n = counter_group_size(group);
	for (u32 i = 0; i < n; i++)
		if (name_is(first[i].name, name, len))
			return (int)first[i].index;
	return -1;
}

static bool same_with_blanks(const char *name, const char *text, size_t len)
{
	if (strlen(name) != len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (name[i] != text[i] && !(name[i] == ' ' && text[i] == '_'))
			return false;
	return true;
}

int probe_find_stall(const char *name, size_t len)
{
	for (int i = 0; i < ST_COUNT; i++)
		if (same_with_blanks(stall_descs[i].name[TAX_BASE], name, len))
			return i;
	return -1;
}

int probe_find_rate(enum counter_group group, const char *name, size_t len)
{
	for (u32 i = 0; i < rate_ndescs; i++)
		if (rate_descs[i].group == group && name_is(rate_descs[i].name, name, len))
			return (int)i;
	return -1;
}

/* --- parsing --- */

struct reader {
	const struct gpu *g;
	const char *text, *at;
	struct err *e;
};

static size_t word_len(const char *s)
{
	size_t n = 0;
	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n;
}

static bool fail_word(struct reader *r, const char *word, size_t len, const char *where)
{
	return err_set(r->e, "'%.60s': there is no '%.*s' in %s", r->text, (int)MIN(len, 60), word, where);
}

/* "[N]" below limit; *index = PROBE_ALL when there is no bracket. */
static bool read_index(struct reader *r, u32 limit, const char *what, u32 *index)
{
	*index = PROBE_ALL;
	if (*r->at != '[')
		return true;
	char *end;
	if (!isdigit((unsigned char)r->at[1]))
		return err_set(r->e, "'%.60s': a number is expected after '['", r->text);
	u64 v = strtoull(r->at + 1, &end, 0);
	if (*end != ']')
		return err_set(r->e, "'%.60s': ']' is expected after the index", r->text);
	if (v >= limit && limit)
		return err_set(r->e, "'%.60s': %s %llu does not exist (0..%u)", r->text, what, (unsigned long long)v,
		               limit - 1);
	if (v >= limit)
		return err_set(r->e, "'%.60s': there is no %s yet", r->text, what);
	*index = (u32)v;
	r->at = end + 1;
	return true;
}

/* ".word": its start and length; the reader stands behind it. */
static bool read_word(struct reader *r, const char **word, size_t *len)
{
	if (*r->at != '.')
		return err_set(r->e, "'%.60s': '.' and a name are expected after '%.*s'", r->text,
		               (int)MIN(r->at - r->text, 60), r->text);
	*word = r->at + 1;
	*len = word_len(*word);
	if (!*len)
		return err_set(r->e, "'%.60s': a name is expected after '.'", r->text);
	r->at = *word + *len;
	return true;
}

static bool at_end(struct reader *r)
{
	if (*r->at)
		return err_set(r->e, "'%.60s': '%.30s' is not understood", r->text, r->at);
	return true;
}

static bool counter_or_rate(struct reader *r, struct probe_path *out, const char *w, size_t n, const char *where)
{
	int i = probe_find_counter(out->group, w, n);
	out->kind = PROBE_COUNTER;
	if (i < 0) {
		i = probe_find_rate(out->group, w, n);
		out->kind = PROBE_RATE;
	}
	if (i < 0)
		return fail_word(r, w, n, where);
	out->index = (u32)i;
	return at_end(r);
}

static bool parse_counter(struct reader *r, struct probe_path *out)
{
	const char *w;
	size_t n;
	char where[32];
	snprintf(where, sizeof(where), "group %s", counter_group_names[out->group]);
	return read_word(r, &w, &n) && counter_or_rate(r, out, w, n, where);
}

static bool parse_stall(struct reader *r, struct probe_path *out)
{
	const char *w;
	size_t n;
	if (!read_word(r, &w, &n))
		return false;
	int i = probe_find_stall(w, n);
	if (i < 0)
		return fail_word(r, w, n, "the base stall reasons (`info stalls` lists them)");
	out->kind = PROBE_STALL;
	out->index = (u32)i;
	return at_end(r);
}

static bool parse_warp(struct reader *r, struct probe_path *out)
{
	const char *w;
	size_t n;
	if (!read_index(r, gpu_warps_per_sm(r->g), "warp", &out->warp))
		return false;
	if (out->warp == PROBE_ALL)
		return err_set(r->e, "'%.60s': warp needs an index: warp[0]", r->text);
	if (!read_word(r, &w, &n))
		return false;
	for (u32 i = 0; i < PW_COUNT; i++)
		if (name_is(probe_warp_fields[i], w, n)) {
			out->kind = PROBE_WARP;
			out->index = i;
			return at_end(r);
		}
	return fail_word(r, w, n, "a warp");
}

static int sm_cache_group(const char *w, size_t n)
{
	for (int g = CG_l1i; g <= CG_SM_LAST; g++)
		if (name_is(counter_group_names[g], w, n))
			return g;
	return -1;
}

static bool parse_sm(struct reader *r, struct probe_path *out)
{
	const char *w;
	size_t n;
	out->group = CG_sm;
	if (!read_index(r, gpu_conf(r->g)->num_sms, "SM", &out->instance) || !read_word(r, &w, &n))
		return false;
	if (name_is("warp", w, n)) {
		if (out->instance == PROBE_ALL)
			return err_set(r->e, "'%.60s': sm needs an index: sm[0].warp[0]", r->text);
		return parse_warp(r, out);
	}
	if (name_is("stall", w, n))
		return parse_stall(r, out);
	int cache = sm_cache_group(w, n);
	if (cache >= 0) {
		out->group = (enum counter_group)cache;
		return parse_counter(r, out);
	}
	return counter_or_rate(r, out, w, n, "an SM");
}

static u32 group_instances(const struct gpu *g, enum counter_group group)
{
	return gpu_counter_instances(g, group);
}

static bool parse_group(struct reader *r, struct probe_path *out, enum counter_group group)
{
	out->group = group;
	if (group == CG_l2 || group == CG_dram || group == CG_kernel) {
		const char *what = group == CG_l2 ? "L2 slice" : group == CG_dram ? "DRAM channel" : "kernel";
		if (!read_index(r, group_instances(r->g, group), what, &out->instance))
			return false;
	}
	if (group == CG_kernel && out->instance == PROBE_ALL)
		return err_set(r->e, "'%.60s': kernel needs a launch number: kernel[0]", r->text);
	return parse_counter(r, out);
}

static bool parse_top(struct reader *r, struct probe_path *out)
{
	const char *w;
	size_t n;
	if (!read_word(r, &w, &n))
		return false;
	if (name_is("sm", w, n))
		return parse_sm(r, out);
	if (name_is("stall", w, n))
		return parse_stall(r, out);
	if (name_is("cycle", w, n)) {
		out->kind = PROBE_CYCLE;
		return at_end(r);
	}
	for (int g = CG_l1i; g < CG_COUNT; g++)
		if (name_is(counter_group_names[g], w, n))
			return parse_group(r, out, (enum counter_group)g);
	out->group = CG_sm;
	return counter_or_rate(r, out, w, n, "gpu");
}

bool probe_parse(const struct gpu *g, const char *text, struct probe_path *out, struct err *e)
{
	struct reader r = {.g = g, .text = text, .at = text, .e = e};
	*out = (struct probe_path){.kind = PROBE_COUNTER, .instance = PROBE_ALL};
	if (strncmp(text, "gpu", 3) || (text[3] != '.'))
		return err_set(e, "'%.60s' is not a probe: probes begin with 'gpu.'", text);
	r.at = text + 3;
	return parse_top(&r, out);
}

/* --- reading --- */

u64 probe_counter(struct gpu *g, enum counter_group group, u32 instance, u32 index)
{
	if (instance != PROBE_ALL)
		return gpu_counters(g, group, instance)[index];
	u64 sum = 0;
	u32 n = group_instances(g, group);
	for (u32 i = 0; i < n; i++)
		sum += gpu_counters(g, group, i)[index];
	return sum;
}

/* All counters of a group at once: asking for an instance's brings the whole machine up to date. */
static void group_sums(struct gpu *g, enum counter_group group, u32 instance, u64 *sum, u32 n)
{
	u32 first = instance == PROBE_ALL ? 0 : instance;
	u32 end = instance == PROBE_ALL ? group_instances(g, group) : instance + 1;
	memset(sum, 0, n * sizeof *sum);
	for (u32 i = first; i < end; i++) {
		const u64 *k = gpu_counters(g, group, i);
		for (u32 c = 0; c < n; c++)
			sum[c] += k[c];
	}
}

void probe_rate_parts(struct gpu *g, u32 row, u32 instance, double *num, double *den)
{
	const struct rate_desc *r = &rate_descs[row];
	u64 sum[COUNTERS_MAX];
	u32 n = counter_group_size(r->group), all = group_instances(g, r->group), covered = instance == PROBE_ALL ? all : 1;
	BUG_ON(n > COUNTERS_MAX);
	group_sums(g, r->group, instance, sum, n);
	struct rate_env env = rate_environment(g, r->group, covered, all);
	r->parts(sum, &env, num, den);
}

double probe_rate(struct gpu *g, u32 row, u32 instance)
{
	double num, den;
	probe_rate_parts(g, row, instance, &num, &den);
	return den != 0 ? num / den : (double)NAN;
}

static u64 read_warp(const struct gpu *g, const struct probe_path *p)
{
	struct warp_info w;
	gpu_warp_info(g, p->instance, p->warp, &w);
	switch ((enum probe_warp_field)p->index) {
	case PW_PC: return w.pc;
	case PW_INSTS: return w.insts;
	case PW_ACTIVE: return w.active;
	case PW_PENDING_LOADS: return w.pending_loads;
	case PW_SINCE: return w.since;
	case PW_STATE: return (u64)w.state;
	default: BUG("warp field %u", p->index);
	}
}

static u64 read_stall(struct gpu *g, const struct probe_path *p)
{
	u64 slots[ST_COUNT];
	gpu_stalls_sum(g, p->instance == PROBE_ALL ? -1 : (s32)p->instance, slots);
	return slots[p->index];
}

struct probe_value probe_read(struct gpu *g, const struct probe_path *p)
{
	struct probe_value v = {0};
	switch (p->kind) {
	case PROBE_COUNTER: v.u = probe_counter(g, p->group, p->instance, p->index); break;
	case PROBE_CYCLE: v.u = gpu_cycle(g); break;
	case PROBE_STALL: v.u = read_stall(g, p); break;
	case PROBE_WARP: v.u = read_warp(g, p); break;
	case PROBE_RATE:
		v.real = true;
		v.d = probe_rate(g, p->index, p->instance);
		break;
	}
	return v;
}

bool probe_value_equal(struct probe_value a, struct probe_value b)
{
	return a.real == b.real && a.u == b.u && (!a.real || !memcmp(&a.d, &b.d, sizeof(a.d)));
}

void probe_value_text(struct probe_value v, struct strbuf *out)
{
	if (v.real)
		strbuf_addf(out, isnan(v.d) ? "-" : "%.6g", v.d);
	else
		strbuf_addf(out, "%llu", (unsigned long long)v.u);
}

/* --- completion --- */

struct completer {
	const char *text;
	size_t len;
	void (*fn)(void *ctx, const char *path);
	void *ctx;
};

static void offer(const struct completer *c, const char *prefix, const char *name)
{
	char path[192];
	int n = snprintf(path, sizeof(path), "%s%s", prefix, name);
	if (n < 0 || (size_t)n >= sizeof(path))
		return;
	for (char *p = path + strlen(prefix); *p; p++)
		if (*p == ' ')
			*p = '_';
	if (!strncmp(path, c->text, c->len))
		c->fn(c->ctx, path);
}

static void offer_group(const struct completer *c, const char *prefix, enum counter_group g)
{
	for (u32 i = 0; i < counter_ndescs; i++)
		if (counter_descs[i].group == g)
			offer(c, prefix, counter_descs[i].name);
	for (u32 i = 0; i < rate_ndescs; i++)
		if (rate_descs[i].group == g)
			offer(c, prefix, rate_descs[i].name);
}

static void offer_stalls(const struct completer *c, const char *prefix)
{
	char p[160];
	snprintf(p, sizeof(p), "%sstall.", prefix);
	for (u32 i = 0; i < ST_COUNT; i++)
		offer(c, p, stall_descs[i].name[TAX_BASE]);
}

static void offer_instance(const struct completer *c, const char *prefix, enum counter_group g)
{
	char p[160];
	offer_group(c, prefix, g);
	if (g != CG_sm)
		return;
	offer_stalls(c, prefix);
	for (int k = CG_l1i; k <= CG_SM_LAST; k++) {
		snprintf(p, sizeof(p), "%s%s.", prefix, counter_group_names[k]);
		offer_group(c, p, (enum counter_group)k);
	}
}

/* "gpu.sm[3].": instances only once the bracket is typed, so that the list of 15 SMs x 60 counters is not offered at
 * once. */
static void offer_indexed(const struct completer *c, enum counter_group g, u32 n)
{
	char p[64];
	int stem = snprintf(p, sizeof(p), "gpu.%s[", counter_group_names[g]);
	if (strncmp(c->text, p, (size_t)stem)) {
		snprintf(p, sizeof(p), "gpu.%s[0].", counter_group_names[g]);
		if (n)
			offer(c, p, "");
		return;
	}
	for (u32 i = 0; i < n; i++) {
		snprintf(p, sizeof(p), "gpu.%s[%u].", counter_group_names[g], i);
		if (strncmp(c->text, p, MIN(strlen(p), c->len)))
			continue;
		if (c->len < strlen(p))
			offer(c, p, "");
		else
			offer_instance(c, p, g);
	}
}

void probe_complete(const struct gpu *g, const char *text, void (*fn)(void *ctx, const char *path), void *ctx)
{
	struct completer c = {text, strlen(text), fn, ctx};
	offer(&c, "gpu.", "cycle");
	offer_instance(&c, "gpu.", CG_sm);
	for (int k = CG_l2; k <= CG_dram; k++) {
		char p[32];
		snprintf(p, sizeof(p), "gpu.%s.", counter_group_names[k]);
		offer_group(&c, p, (enum counter_group)k);
	}
	offer_indexed(&c, CG_sm, gpu_conf(g)->num_sms);
	offer_indexed(&c, CG_l2, group_instances(g, CG_l2));
	offer_indexed(&c, CG_dram, group_instances(g, CG_dram));
	offer_indexed(&c, CG_kernel, group_instances(g, CG_kernel));
}
