#include "obs/record/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "ir/wide.h"
#include "obs/stats/sample.h"

#define PID_GPU 0
#define CTA_SLOTS 32 /* the most of sm.ctas */
/* Tracks of an SM: its CTA slots, then its warp slots, then the tensor units of its schedulers. */
#define TID_WARPS 100
#define TID_TENSOR (TID_WARPS + WARP_SLOTS)
#define NS_PER_US 1000 /* timestamps: microseconds with three digits behind the point */

const char *const trace_details[3] = {"ctas", "warps", "states"};
const char trace_tail[] = "\n]}\n";

/* --- slices --- */

enum kind { CTA_SLICE, WARP_SLICE, KERNEL_SLICE, POINT }; /* POINT: no slice, but counters or a mark */
/* Which track, and what began there when. Launches are never freed before the machine is. */
struct slice {
	const struct launch *launch;
	u64 cta, since;
	u32 sm, index; /* slot; of a kernel: the launch's number */
	u8 kind, state;
	bool open;
};
const size_t trace_record = sizeof(struct slice);

struct trace {
	struct gpu *g;
	struct tape *to;
	double ns_per_cycle;
	enum trace_detail detail;
	struct slice *ctas, *warps;  /* [sm][CTA_SLOTS], [sm][WARP_SLOTS] */
	u64 *cta_named, *warp_named; /* of the same tracks: where the name was written, 0 = not yet */
	struct slice *kernels;       /* by launch */
	u32 nkernels;
	struct stream_name {
		u32 stream;
		u64 named;
	} * streams;
	u32 nstreams;
	struct sampler *sampler;
	u64 next_event;  /* events of earlier cycles have been written */
	u64 next_sample; /* so have samples of earlier cycles */
	u64 heard;       /* events of earlier cycles have been heard */
	u64 farthest;    /* the cycle left for the past; 0 = none */
	struct strbuf text;
};

event_set trace_events(enum trace_detail d)
{
	event_set mask = EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_DONE) | EVENT(EV_CTA_SAVE) | EVENT(EV_CTA_RESTORE) |
	                 EVENT(EV_KERNEL_START) | EVENT(EV_KERNEL_DONE) | EVENT(EV_LCS_THROTTLE) | EVENT(EV_DYNCTA_STEP) |
	                 EVENT(EV_CTA_PAUSE) | EVENT(EV_CTA_RESUME) | EVENT(EV_SM_QUOTA) | EVENT(EV_CTA_SWAP_OUT) |
	                 EVENT(EV_CTA_SWAP_IN) | EVENT(EV_REPARTITION) | EVENT(EV_TRIAL) | EVENT(EV_ROLE) |
	                 EVENT(EV_PREEMPT_REQUEST) | EVENT(EV_PREEMPT_START) | EVENT(EV_PREEMPT_DONE) |
	                 EVENT(EV_DEADLINE_MET) | EVENT(EV_DEADLINE_MISS) | EVENT(EV_LAUNCH_DEPENDENTS);
	if (d >= TRACE_WARPS)
		mask |= EVENT(EV_WARP_EXIT);
	return d == TRACE_STATES ? mask | EVENT(EV_WARP_STALL) | EVENT(EV_WARP_READY) | EVENT(EV_MMA) |
	                               EVENT(EV_COPY_DONE) | EVENT(EV_MBARRIER_PHASE)
	                         : mask;
}

static struct slice *cta_slice(const struct trace *t, u32 sm, u32 slot)
{
	return &t->ctas[sm * CTA_SLOTS + slot];
}
static struct slice *warp_slice(const struct trace *t, u32 sm, u32 w)
{
	return &t->warps[sm * WARP_SLOTS + w];
}

static struct slice *kernel_slice(struct trace *t, u32 launch)
{
	if (launch >= t->nkernels) {
		u32 n = MAX(64u, 2 * (launch + 1));
		t->kernels = xrealloc(t->kernels, n * sizeof *t->kernels);
		memset(t->kernels + t->nkernels, 0, (n - t->nkernels) * sizeof *t->kernels);
		t->nkernels = n;
	}
	return &t->kernels[launch];
}

static struct slice *place_of(struct trace *t, const struct slice *s)
{
	switch (s->kind) {
	case CTA_SLICE: return cta_slice(t, s->sm, s->index);
	case WARP_SLICE: return warp_slice(t, s->sm, s->index);
	default: return kernel_slice(t, s->index);
	}
}

/* --- text --- */

/* The same rounding for an end and for the beginning that follows it: slices never overlap. */
static u64 ns_of(const struct trace *t, u64 cycle)
{
	return (u64)llround((double)cycle * t->ns_per_cycle);
}

static void put_us(struct strbuf *out, const char *key, u64 ns)
{
	strbuf_addf(out, ",\"%s\":%llu.%03u", key, (unsigned long long)(ns / NS_PER_US), (u32)(ns % NS_PER_US));
}

static void name_process(struct strbuf *out, u32 pid, const char *name, s32 number)
{
	strbuf_addf(out, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":\"%s", pid, name);
	if (number >= 0)
		strbuf_addf(out, " %d", number);
	strbuf_addf(out, "\"}},\n{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%u,\"args\":{\"sort_index\":%u}}",
	            pid, pid);
}

static void name_thread(struct strbuf *out, u32 pid, u32 tid, const char *name, u32 number)
{
	strbuf_addf(out, ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":\"%s %u\"}}",
	            pid, tid, name, number);
}

/* PTX identifiers have no characters that JSON would want escaped; anything else is dropped. */
static void put_name(struct strbuf *out, const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s >= ' ' && *s != '"' && *s != '\\')
			strbuf_addc(out, *s);
}

static void put_title(const struct trace *t, const struct slice *s, struct strbuf *out)
{
	strbuf_adds(out, ",\n{\"ph\":\"X\",\"name\":\"");
	if (s->kind == WARP_SLICE && t->detail == TRACE_STATES) {
		put_name(out, warp_state_descs[s->state].name);
	} else {
		put_name(out, func_label(s->launch->fn));
		strbuf_addf(out, " %llu", (unsigned long long)(s->kind == KERNEL_SLICE ? s->index : s->cta));
	}
}

static u32 tid_of(const struct slice *s)
{
	switch (s->kind) {
	case CTA_SLICE: return s->index;
	case WARP_SLICE: return TID_WARPS + s->index;
	default: return s->launch->stream;
	}
}

static void put_slice(const struct trace *t, const struct slice *s, u64 to, struct strbuf *out)
{
	u64 from_ns = ns_of(t, s->since);
	put_title(t, s, out);
	strbuf_addf(out, "\",\"pid\":%u,\"tid\":%u", s->kind == KERNEL_SLICE ? PID_GPU : s->sm + 1, tid_of(s));
	put_us(out, "ts", from_ns);
	put_us(out, "dur", ns_of(t, to) - from_ns);
	strbuf_addf(out, ",\"args\":{\"from_cycle\":%llu,\"to_cycle\":%llu,\"kernel\":%u", (unsigned long long)s->since,
	            (unsigned long long)to, s->launch->id);
	if (s->kind != KERNEL_SLICE)
		strbuf_addf(out, ",\"cta\":%llu", (unsigned long long)s->cta);
	strbuf_adds(out, "}}");
}

/* Where the name of a slice's track was written; NULL: a stream not met before. */
static u64 *name_place(const struct trace *t, const struct slice *s)
{
	if (s->kind == CTA_SLICE)
		return &t->cta_named[s->sm * CTA_SLOTS + s->index];
	if (s->kind == WARP_SLICE)
		return &t->warp_named[s->sm * WARP_SLOTS + s->index];
	for (u32 i = 0; i < t->nstreams; i++)
		if (t->streams[i].stream == s->launch->stream)
			return &t->streams[i].named;
	return NULL;
}

static void put_track_name(const struct slice *s, struct strbuf *out)
{
	static const char *const names[] = {"CTA slot", "warp", "stream"};
	u32 number = s->kind == KERNEL_SLICE ? s->launch->stream : s->index;
	name_thread(out, s->kind == KERNEL_SLICE ? PID_GPU : s->sm + 1, tid_of(s), names[s->kind], number);
}

/* --- writing --- */

static u64 *name_place_made(struct trace *t, const struct slice *s)
{
	u64 *at = name_place(t, s);
	if (at)
		return at;
	t->streams = xrealloc(t->streams, (t->nstreams + 1) * sizeof *t->streams);
	t->streams[t->nstreams] = (struct stream_name){s->launch->stream, 0};
	return &t->streams[t->nstreams++].named;
}

/* clock: 1 more than the cycle of the event that ended it, the cycle being over when its events are known. */
static void end_slice(struct trace *t, struct slice *s, u64 cycle)
{
	if (!s->open)
		return;
	u64 *named = name_place_made(t, s);
	if (!*named) {
		*named = tape_end(t->to);
		put_track_name(s, &t->text);
	}
	put_slice(t, s, cycle, &t->text);
	tape_add(t->to, cycle + 1, &t->text, s);
	strbuf_clear(&t->text);
	s->open = false;
}

/* What is open at `end`, in a fixed order; changes nothing. */
static void put_rest(const struct trace *t, u64 end, struct strbuf *out)
{
	u32 sms = gpu_conf(t->g)->num_sms;
	const struct {
		const struct slice *s;
		u32 n;
	} all[] = {{t->ctas, sms * CTA_SLOTS}, {t->warps, t->warps ? sms * WARP_SLOTS : 0}, {t->kernels, t->nkernels}};
	for (u32 k = 0; k < ARRAY_LEN(all); k++)
		for (u32 i = 0; i < all[k].n; i++) {
			const struct slice *s = &all[k].s[i];
			const u64 *named = s->open ? name_place(t, s) : NULL;
			if (s->open && (!named || !*named))
				put_track_name(s, out);
			if (s->open)
				put_slice(t, s, end, out);
		}
}

/* --- events --- */

/* A CTA and its warps are in slots from now on. Tracks are of slots: a CTA without one has none. */
static void enter(struct trace *t, const struct event *e, u32 slot, u64 warps)
{
	u32 sm = (u32)e->sm;
	if (slot >= CTA_SLOTS)
		return;
	struct slice s = {.launch = gpu_launched(t->g, (u32)e->kernel),
	                  .cta = (u64)(s64)e->cta,
	                  .since = e->cycle,
	                  .sm = sm,
	                  .index = slot,
	                  .kind = CTA_SLICE,
	                  .open = true};
	*cta_slice(t, sm, slot) = s;
	s.kind = WARP_SLICE;
	s.state = WS_READY_SP;
	for (u64 m = t->warps ? warps : 0; m; m &= m - 1) {
		s.index = bit_first(m);
		*warp_slice(t, sm, s.index) = s;
	}
}

static void swap_in(struct trace *t, const struct event *e)
{
	const s32 slot = gpu_cta_slot(t->g, (u32)e->sm, (u32)e->kernel, (u64)(s64)e->cta);
	struct cta_info c;
	if (slot < 0)
		return;
	gpu_cta_info(t->g, (u32)e->sm, (u32)slot, &c);
	enter(t, e, (u32)slot, c.warps & ~c.warps_done);
}

/* Of a CTA that becomes inactive: it and its warps, wherever they are. */
static void swap_out(struct trace *t, const struct event *e)
{
	for (u32 i = 0; i < CTA_SLOTS + WARP_SLOTS; i++) {
		if (i >= CTA_SLOTS && !t->warps)
			break;
		struct slice *s = i < CTA_SLOTS ? cta_slice(t, (u32)e->sm, i) : warp_slice(t, (u32)e->sm, i - CTA_SLOTS);
		if (s->open && s->launch->id == (u32)e->kernel && s->cta == (u64)(s64)e->cta)
			end_slice(t, s, e->cycle);
	}
}

/* A saved CTA and its warps have left their slots. */
static void leave(struct trace *t, const struct event *e)
{
	if (e->arg[0] >= CTA_SLOTS)
		return;
	end_slice(t, cta_slice(t, (u32)e->sm, (u32)e->arg[0]), e->cycle);
	for (u64 m = t->warps ? e->arg[1] : 0; m; m &= m - 1) {
		struct slice *w = warp_slice(t, (u32)e->sm, bit_first(m));
		if (w->open)
			end_slice(t, w, e->cycle);
	}
}

/* The life of a warp goes on in another state; the ready ones are one. */
static void change_state(struct trace *t, const struct event *e, u8 state)
{
	struct slice *s = warp_slice(t, (u32)e->sm, (u32)e->warp);
	if (!s->open || s->state == state || state == WS_DONE)
		return;
	if (e->cycle > s->since) {
		end_slice(t, s, e->cycle);
		s->open = true;
	}
	s->since = e->cycle;
	s->state = state;
}

static void start_kernel(struct trace *t, const struct event *e)
{
	*kernel_slice(t, (u32)e->kernel) = (struct slice){.launch = gpu_launched(t->g, (u32)e->kernel),
	                                                  .since = e->cycle,
	                                                  .index = (u32)e->kernel,
	                                                  .kind = KERNEL_SLICE,
	                                                  .open = true};
}

/* A tensor unit is taken for `interval` cycles. They are known now, so nothing is open until then. */
static void tensor_slice(struct trace *t, const struct event *e)
{
	const u64 to = e->cycle + MAX(e->arg[4], 1ull), from_ns = ns_of(t, e->cycle);
	strbuf_addf(&t->text, ",\n{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u", tensor_class_names[e->arg[2]],
	            (u32)e->sm + 1, TID_TENSOR + (u32)e->arg[1]);
	put_us(&t->text, "ts", from_ns);
	put_us(&t->text, "dur", ns_of(t, to) - from_ns);
	strbuf_addf(&t->text,
	            ",\"args\":{\"from_cycle\":%llu,\"to_cycle\":%llu,\"kernel\":%d,\"cta\":%lld,\"warp\":%d,\"macs\":%llu,"
	            "\"result_cycle\":%llu}}",
	            (unsigned long long)e->cycle, (unsigned long long)to, e->kernel, (long long)e->cta, e->warp,
	            (unsigned long long)e->arg[3], (unsigned long long)(e->cycle + e->arg[5]));
	tape_add(t->to, e->cycle + 1, &t->text, &(struct slice){.kind = POINT});
	strbuf_clear(&t->text);
}

/* A decision on CTAs or on the whole of an SM: a mark on the SM's tracks, or on that of the CTA it is about; on those
 * of kernels, if it is about no SM. */
static void mark(struct trace *t, const struct event *e)
{
	const struct event_desc *d = &event_descs[e->type];
	const bool of_cta = e->type == EV_CTA_PAUSE || e->type == EV_CTA_RESUME;
	const bool whole = !of_cta || e->arg[0] >= CTA_SLOTS;
	strbuf_addf(&t->text, ",\n{\"ph\":\"i\",\"s\":\"%c\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u", whole ? 'p' : 't',
	            d->name, (u32)e->sm + 1, whole ? 0 : (u32)e->arg[0]);
	put_us(&t->text, "ts", ns_of(t, e->cycle));
	strbuf_addf(&t->text, ",\"args\":{\"cycle\":%llu,\"kernel\":%d", (unsigned long long)e->cycle, e->kernel);
	for (u32 i = 0; i < ARRAY_LEN(d->arg) && d->arg[i][0]; i++)
		strbuf_addf(&t->text, ",\"%s\":%llu", d->arg[i], (unsigned long long)e->arg[i]);
	strbuf_adds(&t->text, "}}");
	tape_add(t->to, e->cycle + 1, &t->text, &(struct slice){.kind = POINT});
	strbuf_clear(&t->text);
}

bool trace_event(void *ctx, const struct event *e)
{
	struct trace *t = ctx;
	if (e->cycle < t->next_event)
		return false; /* gone through again after going back */
	t->heard = e->cycle + 1;
	switch (e->type) {
	case EV_CTA_DISPATCH:
	case EV_CTA_RESTORE: enter(t, e, (u32)e->arg[0], e->arg[1]); break;
	case EV_CTA_SWAP_IN: swap_in(t, e); break;
	case EV_CTA_SWAP_OUT: swap_out(t, e); break;
	case EV_CTA_SAVE: leave(t, e); break;
	case EV_CTA_DONE:
		if (e->arg[0] < CTA_SLOTS)
			end_slice(t, cta_slice(t, (u32)e->sm, (u32)e->arg[0]), e->cycle);
		break;
	case EV_WARP_EXIT: end_slice(t, warp_slice(t, (u32)e->sm, (u32)e->warp), e->cycle); break;
	case EV_WARP_STALL: change_state(t, e, (u8)e->arg[0]); break;
	case EV_WARP_READY: change_state(t, e, WS_READY_SP); break;
	case EV_MMA: tensor_slice(t, e); break;
	case EV_KERNEL_START: start_kernel(t, e); break;
	case EV_KERNEL_DONE: end_slice(t, kernel_slice(t, (u32)e->kernel), e->cycle); break;
	default: mark(t, e); break;
	}
	return false;
}

static void counter(struct trace *t, u64 cycle, const char *name, double v)
{
	if (!isfinite(v))
		return;
	strbuf_addf(&t->text, ",\n{\"ph\":\"C\",\"name\":\"%s\",\"pid\":%u", name, PID_GPU);
	put_us(&t->text, "ts", ns_of(t, cycle));
	strbuf_addf(&t->text, ",\"args\":{\"value\":%.6g}}", v);
}

void trace_sample(void *ctx, u64 cycle)
{
	struct trace *t = ctx;
	struct sample now;
	sampler_take(t->sampler, &now);
	if (cycle < t->next_sample)
		return; /* gone through again after going back */
	t->next_sample = cycle + 1;
	static const struct {
		enum series series;
		const char *name;
	} tracks[] = {{TS_IPC, "IPC"},
	              {TS_WARPS, "resident warps"},
	              {TS_L1D_HIT, "L1D hit rate"},
	              {TS_L2_HIT, "L2 hit rate"},
	              {TS_DRAM_BW, "DRAM utilisation"},
	              {TS_POWER, "power (W)"}};
	for (u32 i = 0; i < ARRAY_LEN(tracks); i++) /* a counter's value holds from its timestamp on */
		counter(t, cycle - now.cycles, tracks[i].name, sample_value(&now, tracks[i].series, gpu_conf(t->g)));
	tape_add(t->to, cycle, &t->text, &(struct slice){.kind = POINT});
	strbuf_clear(&t->text);
}

/* --- time travel --- */

void *trace_keep(void *ctx)
{
	struct trace *t = ctx;
	return sampler_keep(t->sampler);
}

void trace_recall(void *ctx, const void *kept, u64 cycle)
{
	struct trace *t = ctx;
	sampler_recall(t->sampler, kept);
	t->next_event = t->heard;
}

void trace_leave(void *ctx, u64 cycle)
{
	struct trace *t = ctx;
	t->farthest = cycle;
}

struct undo {
	struct trace *t;
	u64 cycle;
};

/* A slice that has not ended yet at the fork is open again, if it had begun. */
static void undone(void *ctx, const void *record, u64 began)
{
	struct undo *u = ctx;
	struct slice s;
	memcpy(&s, record, sizeof s);
	if (s.kind == POINT)
		return;
	u64 *named = name_place(u->t, &s);
	if (named && *named >= began)
		*named = 0;
	if (s.since < u->cycle) {
		s.open = true;
		*place_of(u->t, &s) = s;
	}
}

static void drop_unbegun(struct slice *s, u32 n, u64 cycle)
{
	for (u32 i = 0; i < n; i++)
		s[i].open &= s[i].since < cycle;
}

void trace_fork(void *ctx, u64 cycle)
{
	struct trace *t = ctx;
	u32 sms = gpu_conf(t->g)->num_sms;
	drop_unbegun(t->ctas, sms * CTA_SLOTS, cycle);
	drop_unbegun(t->warps, t->warps ? sms * WARP_SLOTS : 0, cycle);
	drop_unbegun(t->kernels, t->nkernels, cycle);
	tape_cut(t->to, cycle, undone, &(struct undo){t, cycle});
	t->heard = MIN(t->heard, cycle);
	t->next_event = MIN(t->next_event, cycle);
	t->next_sample = MIN(t->next_sample, cycle + 1);
	t->farthest = 0;
}

/* --- begin and end --- */

struct trace *trace_create(struct gpu *g, enum trace_detail d, struct tape *to)
{
	struct trace *t = xcalloc(1, sizeof *t);
	u32 sms = gpu_conf(g)->num_sms;
	t->g = g;
	t->to = to;
	t->detail = d;
	t->ns_per_cycle = NS_PER_US / gpu_conf(g)->core_clock;
	t->ctas = xcalloc(sms * CTA_SLOTS, sizeof *t->ctas);
	t->cta_named = xcalloc(sms * CTA_SLOTS, sizeof *t->cta_named);
	if (d >= TRACE_WARPS) {
		t->warps = xcalloc(sms * WARP_SLOTS, sizeof *t->warps);
		t->warp_named = xcalloc(sms * WARP_SLOTS, sizeof *t->warp_named);
	}
	t->sampler = sampler_create_machine(g);
	strbuf_adds(&t->text, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
	name_process(&t->text, PID_GPU, "GPU", -1);
	for (u32 i = 0; i < sms; i++) {
		strbuf_adds(&t->text, ",\n");
		name_process(&t->text, i + 1, "SM", (s32)i);
		for (u32 k = 0; d == TRACE_STATES && gpu_conf(g)->sm_tensor_units && k < gpu_conf(g)->sm_schedulers; k++)
			name_thread(&t->text, i + 1, TID_TENSOR + k, "tensor unit", k);
	}
	tape_add(to, gpu_cycle(g), &t->text, &(struct slice){.kind = POINT});
	strbuf_clear(&t->text);
	return t;
}

static u64 end_of(const struct trace *t)
{
	return MAX(gpu_cycle(t->g), t->farthest);
}

bool trace_export(const struct trace *t, FILE *to)
{
	struct strbuf rest = STRBUF_INIT;
	put_rest(t, end_of(t), &rest);
	strbuf_adds(&rest, trace_tail);
	bool ok = tape_copy(t->to, to) && fwrite(strbuf_str(&rest), 1, rest.len, to) == rest.len;
	strbuf_release(&rest);
	return ok;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	put_rest(t, end_of(t), &t->text);
	tape_add(t->to, end_of(t) + 1, &t->text, &(struct slice){.kind = POINT});
	sampler_free(t->sampler);
	strbuf_release(&t->text);
	free(t->ctas);
	free(t->warps);
	free(t->cta_named);
	free(t->warp_named);
	free(t->kernels);
	free(t->streams);
	free(t);
}
