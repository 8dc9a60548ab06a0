#include "obs/stats/roofline.h"

#include <math.h>

#include "gpu/lines.h"
#include "gpu/peaks.h"
#include "obs/stats/stats.h"
#include "passes/timing.h"
#include "sm/tensor.h"

#define SECTOR 32
#define NOC_HEADER 8   /* bytes of a packet (noc.flit) */
#define SHARED_ROW 128 /* bytes that shared memory gives in a cycle */

const char *const roof_work_names[ROOF_WORKS] = {"issue", "f16", "f32", "f64", "tensor"};
const char *const roof_level_names[ROOF_LEVELS] = {"L1 and shared", "L2", "DRAM"};

/* --- operations --- */
static bool is_half(u32 type)
{
	return type == T_F16 || type == T_F16X2 || type == T_BF16 || type == T_BF16X2;
}

static enum roof_work work_of(const struct inst *in)
{
	return in->type == T_F64 ? ROOF_F64 : is_half(in->type) ? ROOF_F16 : in->type == T_F32 ? ROOF_F32 : ROOF_WORKS;
}

/* Of one lane. */
static u32 operations(const struct inst *in)
{
	const u32 pairs = in->type == T_F16X2 || in->type == T_BF16X2 ? 2 : 1;
	switch (in->op) {
	case OP_ADD:
	case OP_SUB:
	case OP_MUL:
	case OP_DIV:
	case OP_RCP:
	case OP_SQRT:
	case OP_RSQRT:
	case OP_SIN:
	case OP_COS:
	case OP_EX2:
	case OP_LG2:
	case OP_TANH: return pairs;
	case OP_MAD:
	case OP_FMA: return 2 * pairs;
	default: return 0;
	}
}

static bool count_lines(struct gpu *g, struct roofline *r)
{
	for (u32 i = 0; i < gpu_num_modules(g); i++) {
		const struct module *m = gpu_module(g, i);
		const struct line_counters *c = gpu_line_counters(g, m);
		if (!c)
			return false;
		for (u32 pc = 0; pc < m->ncode; pc++) {
			const enum roof_work w = work_of(&m->code[pc]);
			if (w != ROOF_WORKS)
				r->ops[w] += (double)c[pc].lanes * operations(&m->code[pc]);
			r->bytes[ROOF_L1] += (double)c[pc].sectors * SECTOR;
		}
	}
	return gpu_num_modules(g) > 0;
}

static void count_tensor(struct gpu *g, struct roofline *r)
{
	for (u32 i = 0; i < gpu_counter_instances(g, CG_tensor); i++) {
		const struct tensor_counters *t = (const struct tensor_counters *)gpu_counters(g, CG_tensor, i);
		for (u32 k = 0; k < TC_COUNT; k++)
			r->ops[ROOF_TENSOR] += 2 * (double)tensor_macs(t)[k];
	}
}

/* --- bytes --- */
static void count_machine(struct gpu *g, struct roofline *r)
{
	const struct conf *c = gpu_conf(g);
	for (u32 i = 0; i < gpu_counter_instances(g, CG_sm); i++) {
		const struct sm_counters *s = (const struct sm_counters *)gpu_counters(g, CG_sm, i);
		r->ops[ROOF_ISSUE] += (double)s->issue_slots;
		r->bytes[ROOF_L1] += (double)(s->shared_cycles - s->shared_conflicts) * SHARED_ROW;
		r->warp_cycles += (double)s->occupancy;
	}
	for (u32 i = 0; i < gpu_counter_instances(g, CG_dram); i++)
		r->bytes[ROOF_DRAM] += (double)((const struct dram_counters *)gpu_counters(g, CG_dram, i))->bytes;
	const struct noc_counters *n = (const struct noc_counters *)gpu_counters(g, CG_noc, 0);
	/* One packet of each exchange carries no data: the request of a read, the answer to a write. */
	const u64 flits = n->request_flits + n->reply_flits;
	r->bytes[ROOF_L2] = (double)(flits - MIN(flits, n->replies)) * (c->noc_flit - NOC_HEADER);
}

/* --- what the machine could do --- */
static double tensor_peak(struct gpu *g)
{
	const struct conf *c = gpu_conf(g);
	u64 most = 0;
	u32 rate = 0;
	for (u32 t = 0; t < TC_COUNT; t++) {
		u64 n = 0;
		for (u32 i = 0; i < gpu_counter_instances(g, CG_tensor); i++)
			n += tensor_macs((const struct tensor_counters *)gpu_counters(g, CG_tensor, i))[t];
		if (n <= most && rate)
			continue;
		most = n;
		rate = tensor_rate(c, (enum tensor_class)t);
	}
	return 2.0 * rate * c->sm_tensor_units * c->num_sms;
}

static void peaks(struct gpu *g, struct roofline *r)
{
	const struct conf *c = gpu_conf(g);
	const double sms = c->num_sms;
	r->peak[ROOF_ISSUE] = sms * c->sm_schedulers;
	r->peak[ROOF_F16] = sms * 4 * gpu_lanes_peak(g, IC_F32_MAD, T_F16X2);
	r->peak[ROOF_F32] = sms * 2 * gpu_lanes_peak(g, IC_F32_MAD, T_F32);
	r->peak[ROOF_F64] = sms * 2 * gpu_lanes_peak(g, IC_F64_MAD, T_F64);
	r->peak[ROOF_TENSOR] = tensor_peak(g);
	r->width[ROOF_L1] = sms * MAX(c->l1d_line, (u32)SHARED_ROW);
	r->width[ROOF_L2] = (double)c->partitions * c->l2_slices * c->l2_port * c->l2_clock / c->core_clock;
	r->width[ROOF_DRAM] = dram_peak_bytes(c);
	r->warps = sms * gpu_warps_per_sm(g);
}

bool roofline_read(struct gpu *g, struct roofline *out)
{
	*out = (struct roofline){.cycles = (double)gpu_counted_cycles(g), .clock = gpu_conf(g)->core_clock};
	if (!count_lines(g, out))
		return false;
	count_tensor(g, out);
	count_machine(g, out);
	peaks(g, out);
	return true;
}

void roofline_sub(struct roofline *out, const struct roofline *b, const struct roofline *a)
{
	struct roofline r = *b;
	r.cycles -= a->cycles;
	r.warp_cycles -= a->warp_cycles;
	for (u32 i = 0; i < ROOF_WORKS; i++)
		r.ops[i] -= a->ops[i];
	for (u32 i = 0; i < ROOF_LEVELS; i++)
		r.bytes[i] -= a->bytes[i];
	*out = r;
}

/* --- what it says --- */
enum roof_work roofline_main(const struct roofline *r)
{
	enum roof_work best = ROOF_ISSUE;
	double most = 0;
	for (u32 w = ROOF_F16; w < ROOF_WORKS; w++)
		if (r->peak[w] > 0 && r->ops[w] / r->peak[w] > most) {
			most = r->ops[w] / r->peak[w];
			best = (enum roof_work)w;
		}
	return best;
}

double roofline_intensity(const struct roofline *r, enum roof_work w, enum roof_level l)
{
	if (r->bytes[l] <= 0)
		return r->ops[w] > 0 ? INFINITY : NAN;
	return r->ops[w] / r->bytes[l];
}

double roofline_ceiling(const struct roofline *r, enum roof_work w, enum roof_level l)
{
	const double i = roofline_intensity(r, w, l);
	return isfinite(i) ? MIN(r->peak[w], i * r->width[l]) : r->peak[w];
}

double roofline_lowest(const struct roofline *r, enum roof_work w, enum roof_level *level)
{
	double least = r->peak[w];
	*level = ROOF_LEVELS;
	for (u32 l = 0; l < ROOF_LEVELS; l++)
		if (roofline_ceiling(r, w, (enum roof_level)l) < least) {
			least = roofline_ceiling(r, w, (enum roof_level)l);
			*level = (enum roof_level)l;
		}
	return least;
}

/* Per cycle as 10^9 a second, at the machine's clock. */
static double giga(const struct roofline *r, double a_cycle)
{
	return a_cycle * r->clock / 1e3;
}

static void works_text(const struct roofline *r, struct strbuf *out)
{
	strbuf_addf(out, "%-14s %15s %11s %11s %8s\n", "work", "operations", "G/s", "peak G/s", "share");
	for (u32 w = 0; w < ROOF_WORKS; w++) {
		if (r->ops[w] <= 0 && w != ROOF_ISSUE)
			continue;
		strbuf_addf(out, "%-14s %15.0f %11.1f ", roof_work_names[w], r->ops[w], giga(r, r->ops[w] / r->cycles));
		if (r->peak[w] > 0)
			strbuf_addf(out, "%11.1f %6.1f %%\n", giga(r, r->peak[w]), 100 * r->ops[w] / r->cycles / r->peak[w]);
		else
			strbuf_addf(out, "%11s %8s\n", "-", "-");
	}
}

static void levels_text(const struct roofline *r, enum roof_work w, struct strbuf *out)
{
	strbuf_addf(out, "\n%-14s %15s %11s %11s %8s %12s %13s\n", "bytes of", "bytes", "GB/s", "peak GB/s", "share",
	            w == ROOF_ISSUE ? "insts/B" : "op/B", "ceiling G/s");
	for (u32 l = 0; l < ROOF_LEVELS; l++) {
		const double i = roofline_intensity(r, w, (enum roof_level)l);
		strbuf_addf(out, "%-14s %15.0f %11.1f %11.1f %6.1f %% ", roof_level_names[l], r->bytes[l],
		            giga(r, r->bytes[l] / r->cycles), giga(r, r->width[l]),
		            100 * r->bytes[l] / r->cycles / r->width[l]);
		if (isfinite(i))
			strbuf_addf(out, "%12.3f %13.1f\n", i, giga(r, roofline_ceiling(r, w, (enum roof_level)l)));
		else
			strbuf_addf(out, "%12s %13s\n", "-", "-");
	}
}

void roofline_text(const struct roofline *r, struct strbuf *out)
{
	const enum roof_work w = roofline_main(r);
	enum roof_level level;
	const double least = roofline_lowest(r, w, &level);
	if (r->cycles <= 0) {
		strbuf_adds(out, "No cycle has passed yet.\n");
		return;
	}
	works_text(r, out);
	levels_text(r, w, out);
	strbuf_addf(out, "\n%s: %.1f G/s, %.1f %% of its lowest ceiling, ", roof_work_names[w],
	            giga(r, r->ops[w] / r->cycles), least > 0 ? 100 * r->ops[w] / r->cycles / least : 0);
	if (level == ROOF_LEVELS)
		strbuf_addf(out, "the peak of the units.\n");
	else
		strbuf_addf(out, "the bytes of %s.\n", roof_level_names[level]);
	strbuf_addf(out, "Places for warps taken: %.1f %%.\n", 100 * r->warp_cycles / r->cycles / r->warps);
}
