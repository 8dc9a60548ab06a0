/* Requests of an application: launches, streams, events. */
#include <stdlib.h>
#include <string.h>

#include "session/app/serve.h"

/* --- launches --- */

void launch_spec_of(const struct session *s, const struct app_host *h, const struct app_function *f, const u64 *a,
                    const void *params, struct launch_spec *l)
{
	*l = (struct launch_spec){.mod = f->m,
	                          .fn = f->fn,
	                          .grid = {(u32)a[1], (u32)a[2], (u32)a[3]},
	                          .block = {(u32)a[4], (u32)a[5], (u32)a[6]},
	                          .dynamic_shared = (u32)a[7],
	                          .regs = MIN(f->regs, s->conf.sm_max_regs_thread),
	                          .regs_from = REGS_CUBIN,
	                          .cooperative = a[9] & WIRE_COOPERATIVE,
	                          .programmatic = a[9] & WIRE_PROGRAMMATIC,
	                          .params = params,
	                          .param_bytes = f->fn->param_bytes};
}

/* Which error CUDA gives for what does not fit. */
static s32 launch_status(const struct session *s, const struct app_function *f, const struct launch_spec *l)
{
	const u64 threads = (u64)l->block.x * l->block.y * l->block.z;
	if (!l->grid.x || !l->grid.y || !l->grid.z || !threads || threads > 1024 || l->grid.y > 65535 || l->grid.z > 65535)
		return CUDA_INVALID_CONFIGURATION;
	if ((u64)f->fn->shared_bytes + l->dynamic_shared > conf_cta_shared(&s->conf))
		return CUDA_INVALID_VALUE;
	return l->cooperative ? CUDA_COOPERATIVE_TOO_LARGE : CUDA_OUT_OF_RESOURCES;
}

s32 serve_launch(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const u64 *q = h->request.a;
	struct launch_spec l;
	struct err e = {0};
	if (!q[0] || q[0] > h->nfunctions)
		return CUDA_INVALID_FUNCTION;
	if (!stream_of(h, q[8]))
		return CUDA_INVALID_HANDLE;
	const struct app_function *f = &h->functions[q[0] - 1];
	if (h->request.bytes != f->fn->param_bytes || q[7] > UINT32_MAX)
		return CUDA_INVALID_VALUE;
	for (u32 i = 1; i <= 6; i++)
		if (q[i] > UINT32_MAX)
			return CUDA_INVALID_CONFIGURATION;
	launch_spec_of(s, h, f, q, h->channel.shared, &l);
	char *why = func_unsupported(f->m, f->fn);
	if (why) {
		app_tell(s, h, why);
		free(why);
		return CUDA_NOT_SUPPORTED;
	}
	if (!sim_may_launch(s->sim, &l, &e))
		return serve_failed(s, h, launch_status(s, f, &l), e.msg);
	serve_give(h, q[8], WORK_LAUNCH, false, h->request.bytes);
	return CUDA_OK;
}

s32 serve_occupancy(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const u64 *q = h->request.a;
	if (!q[0] || q[0] > h->nfunctions)
		return CUDA_INVALID_FUNCTION;
	const u64 as_launch[WIRE_ARGUMENTS] = {q[0], 1, 1, 1, q[1], 1, 1, q[2]};
	struct launch_spec l;
	launch_spec_of(s, h, &h->functions[q[0] - 1], as_launch, NULL, &l);
	a->v[0] = q[1] && q[1] <= 1024 && q[2] <= UINT32_MAX ? sim_ctas_per_sm(s->sim, &l) : 0;
	return q[1] && q[1] <= 1024 ? CUDA_OK : CUDA_INVALID_VALUE;
}

/* --- streams and events --- */

s32 serve_new_stream(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const s64 priority = (s64)h->request.a[1];
	a->v[0] = stream_new(h, !(h->request.a[0] & 1), (s8)MAX(MIN(priority, PRIORITY_LAST), PRIORITY_FIRST));
	return CUDA_OK;
}

s32 serve_free_stream(struct session *s, struct app_host *h, struct wire_reply *a)
{
	struct app_stream *st = stream_of(h, h->request.a[0]);
	if (!st || !h->request.a[0])
		return CUDA_INVALID_HANDLE;
	st->free_when_idle = true;
	return CUDA_OK;
}

s32 serve_sync_stream(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const u64 id = h->request.a[0];
	if (id != WIRE_ALL_STREAMS && !stream_of(h, id))
		return CUDA_INVALID_HANDLE;
	h->awaits = id == WIRE_ALL_STREAMS ? AWAIT_ALL : AWAIT_STREAM;
	return CUDA_OK;
}

/* What is asked for again and again must come some time: each question that is answered with "not yet" takes time. */
static s32 query(struct session *s, struct app_host *h, bool done)
{
	if (done)
		return CUDA_OK;
	if (h->ndeliveries)
		return CUDA_NOT_READY;
	h->awaits = AWAIT_CYCLE;
	h->until = machine_cycle(s, h, false) + s->conf.cuda_poll_cycles;
	return CUDA_OK;
}

bool serve_stream_done(struct session *s, struct app_host *h, u64 id)
{
	return id == WIRE_ALL_STREAMS ? streams_done(s, h, false) : stream_done(s, h, (u32)id, false);
}

s32 serve_query_stream(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const u64 id = h->request.a[0];
	if (id != WIRE_ALL_STREAMS && !stream_of(h, id))
		return CUDA_INVALID_HANDLE;
	return query(s, h, serve_stream_done(s, h, id));
}

s32 serve_wait_event(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const struct app_event *ev = event_of(h, h->request.a[1]);
	if (!stream_of(h, h->request.a[0]) || !ev)
		return CUDA_INVALID_HANDLE;
	if (ev->asked)
		serve_give(h, h->request.a[0], WORK_WAIT, false, 0)->a[2] = ev->asked;
	return CUDA_OK;
}

s32 serve_new_event(struct session *s, struct app_host *h, struct wire_reply *a)
{
	a->v[0] = event_new(h);
	return CUDA_OK;
}

s32 serve_free_event(struct session *s, struct app_host *h, struct wire_reply *a)
{
	struct app_event *ev = event_of(h, h->request.a[0]);
	if (!ev)
		return CUDA_INVALID_HANDLE;
	ev->freed = true;
	return CUDA_OK;
}

s32 serve_record_event(struct session *s, struct app_host *h, struct wire_reply *a)
{
	struct app_event *ev = event_of(h, h->request.a[0]);
	if (!ev || !stream_of(h, h->request.a[1]))
		return CUDA_INVALID_HANDLE;
	ev->asked = serve_give(h, h->request.a[1], WORK_RECORD, false, 0)->seq;
	return CUDA_OK;
}

s32 serve_sync_event(struct session *s, struct app_host *h, struct wire_reply *a)
{
	if (!event_of(h, h->request.a[0]))
		return CUDA_INVALID_HANDLE;
	h->awaits = AWAIT_EVENT;
	return CUDA_OK;
}

s32 serve_query_event(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const struct app_event *ev = event_of(h, h->request.a[0]);
	if (!ev)
		return CUDA_INVALID_HANDLE;
	return query(s, h, event_done(s, h, ev, ev->asked, false));
}

s32 serve_elapsed(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const struct app_event *from = event_of(h, h->request.a[0]), *to = event_of(h, h->request.a[1]);
	if (!from || !to || !from->asked || !to->asked)
		return CUDA_INVALID_HANDLE;
	if (!event_done(s, h, from, from->asked, false) || !event_done(s, h, to, to->asked, false))
		return CUDA_NOT_READY;
	const s64 cycles = (s64)(event_cycle(s, h, to) - event_cycle(s, h, from));
	const double ms = (double)cycles / s->conf.core_clock / 1000;
	memcpy(&a->v[0], &ms, sizeof ms);
	return CUDA_OK;
}

s32 serve_call_host(struct session *s, struct app_host *h, struct wire_reply *a)
{
	if (!stream_of(h, h->request.a[0]))
		return CUDA_INVALID_HANDLE;
	serve_give(h, h->request.a[0], WORK_CALL, false, 0);
	return CUDA_OK;
}
