#include "obs/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "obs/sample.h"

#define PID_GPU 0
#define CTA_SLOTS 64 /* at most 32 per SM (sm.ctas) */

struct open_slice {
	bool open;
	s32 kernel;
	u64 cta, since;
};
struct trace {
	struct gpu *g;
	FILE *f;
	double us_per_cycle;
	bool any;                /* an event has been written: a comma is due */
	struct open_slice *ctas; /* [sm][CTA_SLOTS] */
	u64 *kernel_since;       /* cycle + 1 at which a launch started; 0 = not running */
	u32 nkernels;
	struct sampler *sampler;
	struct sample *now;
	double peak_bytes;
};

u64 trace_events(void)
{
	return BIT(EV_CTA_DISPATCH) | BIT(EV_CTA_DONE) | BIT(EV_KERNEL_START) | BIT(EV_KERNEL_DONE);
}

/* --- writing
 * ---------------------------------------------------------------------------------------------------------------- */

static void next(struct trace *t)
{
	fputs(t->any ? ",\n" : "\n", t->f);
	t->any = true;
}

static void name_process(struct trace *t, u32 pid, const char *name, s32 number)
{
	next(t);
	fprintf(t->f, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":\"%s", pid, name);
	if (number >= 0)
		fprintf(t->f, " %d", number);
	fprintf(t->f, "\"}},\n{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%u,\"args\":{\"sort_index\":%u}}", pid,
	        pid);
}

/* PTX identifiers have no characters that JSON would want escaped; anything else is dropped. */
static void put_name(FILE *f, const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s >= ' ' && *s != '"' && *s != '\\')
			fputc(*s, f);
}

static void slice(struct trace *t, u32 pid, u32 tid, const char *name, s64 number, u64 from, u64 to)
{
	next(t);
	fputs("{\"ph\":\"X\",\"name\":\"", t->f);
	put_name(t->f, name);
	if (number >= 0)
		fprintf(t->f, " %lld", (long long)number);
	fprintf(t->f, "\",\"pid\":%u,\"tid\":%u,\"ts\":%.4f,\"dur\":%.4f,\"args\":{\"from_cycle\":%llu,\"to_cycle\":%llu}}",
	        pid, tid, (double)from * t->us_per_cycle, (double)(to - from) * t->us_per_cycle, (unsigned long long)from,
	        (unsigned long long)to);
}

static void counter(struct trace *t, u64 cycle, const char *name, double v)
{
	if (!isfinite(v))
		return;
	next(t);
	fprintf(t->f, "{\"ph\":\"C\",\"name\":\"%s\",\"pid\":%u,\"ts\":%.4f,\"args\":{\"value\":%.6g}}", name, PID_GPU,
	        (double)cycle * t->us_per_cycle, v);
}

/* --- slices
 * -------------------------------------------------------------------------------------------------------------------
 */

/* Launch and name NULL when there is no such launch. */
static struct kernel_info kernel_of(struct trace *t, s32 launch)
{
	struct kernel_info info = {0};
	if (launch >= 0 && (u32)launch < gpu_num_kernels(t->g))
		gpu_kernel_info(t->g, (u32)launch, &info);
	return info;
}

static void close_cta(struct trace *t, u32 sm, u32 slot, u64 cycle)
{
	struct open_slice *o = &t->ctas[sm * CTA_SLOTS + slot];
	if (!o->open)
		return;
	const char *name = kernel_of(t, o->kernel).name;
	slice(t, sm + 1, slot, name ? name : "?", (s64)o->cta, o->since, cycle);
	o->open = false;
}

static void start_kernel(struct trace *t, u32 launch, u64 cycle)
{
	if (launch >= t->nkernels) {
		u32 n = MAX(64u, 2 * (launch + 1));
		t->kernel_since = xrealloc(t->kernel_since, n * sizeof *t->kernel_since);
		memset(t->kernel_since + t->nkernels, 0, (n - t->nkernels) * sizeof *t->kernel_since);
		t->nkernels = n;
	}
	t->kernel_since[launch] = cycle + 1;
}

static void close_kernel(struct trace *t, u32 launch, u64 cycle)
{
	struct kernel_info k = kernel_of(t, (s32)launch);
	if (launch >= t->nkernels || !t->kernel_since[launch] || !k.launch)
		return;
	slice(t, PID_GPU, k.launch->stream, k.name, launch, t->kernel_since[launch] - 1, cycle);
	t->kernel_since[launch] = 0;
}

bool trace_event(void *ctx, const struct event *e)
{
	struct trace *t = ctx;
	u32 slot = (u32)e->arg[0];
	bool cta = e->sm >= 0 && slot < CTA_SLOTS;
	switch (e->type) {
	case EV_CTA_DISPATCH:
		if (cta)
			t->ctas[(u32)e->sm * CTA_SLOTS + slot] = (struct open_slice){true, e->kernel, (u64)(s64)e->cta, e->cycle};
		break;
	case EV_CTA_DONE:
		if (cta)
			close_cta(t, (u32)e->sm, slot, e->cycle);
		break;
	case EV_KERNEL_START: start_kernel(t, (u32)e->kernel, e->cycle); break;
	case EV_KERNEL_DONE: close_kernel(t, (u32)e->kernel, e->cycle); break;
	default: break;
	}
	return false;
}

void trace_sample(void *ctx, u64 cycle)
{
	struct trace *t = ctx;
	sampler_take(t->sampler, t->now);
	u64 from = cycle - t->now[0].cycles; /* a counter's value holds from its timestamp on */
	static const struct {
		enum series series;
		const char *name;
	} tracks[] = {{TS_IPC, "IPC"},
	              {TS_WARPS, "resident warps"},
	              {TS_L1D_HIT, "L1D hit rate"},
	              {TS_L2_HIT, "L2 hit rate"},
	              {TS_DRAM_BW, "DRAM utilisation"}};
	for (u32 i = 0; i < ARRAY_LEN(tracks); i++)
		counter(t, from, tracks[i].name, sample_value(&t->now[0], tracks[i].series, t->peak_bytes));
}

struct trace *trace_create(struct gpu *g, FILE *f)
{
	struct trace *t = xcalloc(1, sizeof *t);
	t->g = g;
	t->f = f;
	t->us_per_cycle = 1 / gpu_conf(g)->core_clock;
	t->ctas = xcalloc((size_t)gpu_conf(g)->num_sms * CTA_SLOTS, sizeof *t->ctas);
	t->sampler = sampler_create(g);
	t->now = xcalloc(sampler_scopes(t->sampler), sizeof *t->now);
	t->peak_bytes = dram_peak_bytes(gpu_conf(g));
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", f);
	name_process(t, PID_GPU, "GPU", -1);
	for (u32 i = 0; i < gpu_conf(g)->num_sms; i++)
		name_process(t, i + 1, "SM", (s32)i);
	return t;
}

static bool finish(struct trace *t)
{
	u64 now = gpu_cycle(t->g);
	for (u32 sm = 0; sm < gpu_conf(t->g)->num_sms; sm++)
		for (u32 slot = 0; slot < CTA_SLOTS; slot++)
			close_cta(t, sm, slot, now);
	for (u32 i = 0; i < t->nkernels; i++)
		close_kernel(t, i, now);
	fputs("\n]}\n", t->f);
	return fflush(t->f) == 0 && !ferror(t->f);
}

bool trace_export(const struct trace *t, const char *so_far, size_t n, FILE *to)
{
	size_t slots = (size_t)gpu_conf(t->g)->num_sms * CTA_SLOTS * sizeof *t->ctas;
	size_t kernels = t->nkernels * sizeof *t->kernel_since;
	struct trace copy = *t; /* closing slices must not be seen by the recorder */
	copy.f = to;
	copy.ctas = memcpy(xcalloc(1, slots), t->ctas, slots);
	copy.kernel_since = xcalloc(1, MAX(kernels, (size_t)1));
	if (kernels)
		memcpy(copy.kernel_since, t->kernel_since, kernels);
	bool ok = fwrite(so_far, 1, n, to) == n && finish(&copy);
	free(copy.ctas);
	free(copy.kernel_since);
	return ok;
}

bool trace_free(struct trace *t)
{
	bool ok = finish(t);
	sampler_free(t->sampler);
	free(t->ctas);
	free(t->kernel_since);
	free(t->now);
	free(t);
	return ok;
}
