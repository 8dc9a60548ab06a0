/* What the host answers to an application's requests (cudart/wire.h). */
#include <stdlib.h>
#include <string.h>

#include "session/app/serve.h"

/* --- state --- */

void serve_begin(struct app_host *h)
{
	h->streams = xcalloc(1, sizeof *h->streams);
	h->streams[0] = (struct app_stream){.used = true, .blocking = true, .launch = -1};
	h->nstreams = 1;
	h->events = xcalloc(1, sizeof *h->events);
	h->nevents = 1;
}

void serve_release(struct app_host *h)
{
	streams_release(h);
	for (u32 i = 0; i < h->nmodules; i++)
		code_release(&h->modules[i].code);
	free(h->modules);
	free(h->functions);
	free(h->aligned);
	h->aligned = NULL;
	h->naligned = 0;
	strbuf_release(&h->pieces);
	h->modules = NULL;
	h->functions = NULL;
	h->nmodules = h->nfunctions = 0;
	h->awaits = AWAIT_NOTHING;
	h->calls = h->seq = 0;
}

void app_tell(struct session *s, const struct app_host *h, const char *text)
{
	if (!h->records.feeding)
		strbuf_addf(&s->output, "%s: %s%s%s\n", s->programs[h->program].name, h->request.call,
		            *h->request.call ? ": " : "", text);
}

s32 serve_failed(struct session *s, const struct app_host *h, s32 status, const char *text)
{
	app_tell(s, h, text);
	return status;
}

/* --- answers with bytes --- */

void serve_bytes(struct app_host *h, struct wire_reply *a, const void *data, u64 n)
{
	memcpy(h->channel.shared, data, n);
	a->bytes = n;
}

/* The request's text, which ends in shared memory where it says. */
char *serve_text(const struct app_host *h)
{
	return xstrndup((const char *)h->channel.shared, h->request.bytes);
}

/* --- the rest --- */

static s32 next(struct session *s, struct app_host *h, struct wire_reply *a)
{
	if (!h->ndeliveries) {
		a->v[0] = WIRE_NOTHING;
		return CUDA_OK;
	}
	struct delivery d = h->deliveries[0];
	memmove(h->deliveries, h->deliveries + 1, --h->ndeliveries * sizeof d);
	memcpy(a->v, d.v, sizeof a->v);
	serve_bytes(h, a, d.data ? d.data : (u8 *)"", d.n);
	free(d.data);
	return CUDA_OK;
}

static s32 read_clock(struct session *s, struct app_host *h, struct wire_reply *a)
{
	if (h->request.a[0] > CLOCK_THREAD)
		return CUDA_INVALID_VALUE;
	const u64 by_itself = machine_measured(h, (u32)h->request.a[0], h->request.a[1]);
	a->v[0] = by_itself + app_ns(s, machine_cycle(s, h, false));
	return CUDA_OK;
}

static s32 refused(struct session *s, struct app_host *h)
{
	char *text = serve_text(h);
	app_tell(s, h, text);
	free(text);
	return CUDA_OK;
}

static s32 dispatch(struct session *s, struct app_host *h, struct wire_reply *a)
{
	switch ((enum wire_op)h->request.op) {
	case WIRE_HELLO: return serve_hello(s, h, a);
	case WIRE_MORE: strbuf_add(&h->pieces, (const char *)h->channel.shared, h->request.bytes); return CUDA_OK;
	case WIRE_MODULE: return serve_module(s, h, a);
	case WIRE_MODULE_FREE: return serve_module_free(s, h, a);
	case WIRE_FUNCTION: return serve_function(s, h, a);
	case WIRE_SYMBOL: return serve_symbol(s, h, a);
	case WIRE_ALLOCATE: return serve_allocate(s, h, a);
	case WIRE_FREE: h->awaits = AWAIT_FREE; return CUDA_OK;
	case WIRE_LAUNCH: return serve_launch(s, h, a);
	case WIRE_TO_DEVICE: return serve_to_device(s, h, a);
	case WIRE_FROM_DEVICE: return serve_from_device(s, h, a);
	case WIRE_ON_DEVICE: return serve_on_device(s, h, a);
	case WIRE_FILL: return serve_fill(s, h, a);
	case WIRE_STREAM: return serve_new_stream(s, h, a);
	case WIRE_STREAM_FREE: return serve_free_stream(s, h, a);
	case WIRE_STREAM_SYNC: return serve_sync_stream(s, h, a);
	case WIRE_STREAM_QUERY: return serve_query_stream(s, h, a);
	case WIRE_STREAM_WAIT: return serve_wait_event(s, h, a);
	case WIRE_EVENT: return serve_new_event(s, h, a);
	case WIRE_EVENT_FREE: return serve_free_event(s, h, a);
	case WIRE_EVENT_RECORD: return serve_record_event(s, h, a);
	case WIRE_EVENT_SYNC: return serve_sync_event(s, h, a);
	case WIRE_EVENT_QUERY: return serve_query_event(s, h, a);
	case WIRE_EVENT_ELAPSED: return serve_elapsed(s, h, a);
	case WIRE_CALL_HOST: return serve_call_host(s, h, a);
	case WIRE_CALL_DONE: streams_call_done(h, h->request.a[0]); return CUDA_OK;
	case WIRE_NEXT: return next(s, h, a);
	case WIRE_OCCUPANCY: return serve_occupancy(s, h, a);
	case WIRE_TEXTURE: return serve_texture(s, h, a, false);
	case WIRE_SURFACE: return serve_texture(s, h, a, true);
	case WIRE_MEMORY: machine_memory(s, h, &a->v[0], &a->v[1]); return CUDA_OK;
	case WIRE_TIME: a->v[0] = app_ns(s, machine_cycle(s, h, false)); return CUDA_OK;
	case WIRE_CLOCK: return read_clock(s, h, a);
	case WIRE_REFUSED: return refused(s, h);
	case WIRE_OPS: break;
	}
	return CUDA_INVALID_VALUE;
}

/* What has been printed is the first thing to come out. */
static void deliver_text(struct session *s, struct app_host *h)
{
	struct strbuf text = STRBUF_INIT;
	machine_printed(s, h, &text);
	for (u64 at = 0; at < text.len; at += WIRE_SHARED) {
		const u64 v[WIRE_VALUES] = {WIRE_TEXT}, n = MIN(text.len - at, WIRE_SHARED);
		u8 *part = xmalloc(n);
		memcpy(part, text.buf + at, n);
		deliver(h, v, part, n);
	}
	strbuf_release(&text);
}

static void complete(struct session *s, struct app_host *h, struct wire_reply *a)
{
	h->awaits = AWAIT_NOTHING;
	deliver_text(s, h);
	a->pending = h->ndeliveries;
}

void serve(struct session *s, struct app_host *h, struct wire_reply *a)
{
	*a = (struct wire_reply){0};
	a->status = h->sticky && h->request.op != WIRE_HELLO ? h->sticky : dispatch(s, h, a);
	if (a->status && h->awaits != AWAIT_NOTHING)
		h->awaits = AWAIT_NOTHING;
	streams_go_on(s, h);
	if (h->awaits == AWAIT_NOTHING)
		complete(s, h, a);
}

/* --- what waits --- */

/* A function that the application is to call comes before what it waits for. */
static bool held_up(const struct app_host *h)
{
	for (u32 i = 0; i < h->nstreams; i++)
		if (h->streams[i].first && h->streams[i].first->call)
			return true;
	return false;
}

static bool is_there(struct session *s, struct app_host *h, bool look)
{
	const u64 id = h->request.a[0];
	const struct app_event *ev;
	switch (h->awaits) {
	case AWAIT_NOTHING: return true;
	case AWAIT_WORK: return h->finished;
	case AWAIT_STREAM: return stream_done(s, h, (u32)id, look);
	case AWAIT_ALL:
	case AWAIT_FREE: return streams_done(s, h, look);
	case AWAIT_EVENT: ev = event_of(h, id); return event_done(s, h, ev, ev->asked, look);
	case AWAIT_CYCLE:
		return machine_cycle(s, h, look) >= h->until || streams_done(s, h, look); /* no time goes by then */
	}
	return true;
}

/* Has the machine nothing that could bring it? */
static bool is_in_vain(const struct app_host *h)
{
	for (u32 i = 0; i < h->nstreams; i++)
		if (h->streams[i].in_flight)
			return false;
	return true;
}

bool serve_ready(struct session *s, struct app_host *h, bool look)
{
	return is_there(s, h, look) || held_up(h) || h->nudged || is_in_vain(h);
}

/* Bytes for the one who waits: the rows of a copy. */
static void give_rows(struct app_host *h, struct wire_reply *a)
{
	struct work *w = h->finished;
	if (w && w->kind == WORK_FROM_DEVICE)
		a->bytes = w->n; /* they are where the application looks */
	if (w)
		stream_work_free(w);
	h->finished = NULL;
}

/* Not yet: the work goes on as work that nobody waits for. */
static void wait_no_longer(struct app_host *h)
{
	for (u32 i = 0; i < h->nstreams; i++)
		for (struct work *w = h->streams[i].first; w; w = w->next) {
			w->asked = false;
			stream_work_owns(w);
		}
}

static s32 free_memory(struct session *s, struct app_host *h)
{
	struct err e = {0};
	return machine_free(s, h, serve_start_of(h, h->request.a[0]), &e) ? CUDA_OK : CUDA_INVALID_VALUE;
}

static s32 answer_query(struct session *s, struct app_host *h)
{
	const u64 id = h->request.a[0];
	const struct app_event *ev = event_of(h, id);
	const bool done =
	    h->request.op == WIRE_STREAM_QUERY ? serve_stream_done(s, h, id) : event_done(s, h, ev, ev->asked, false);
	return done ? CUDA_OK : CUDA_NOT_READY;
}

void serve_late(struct session *s, struct app_host *h, struct wire_reply *a)
{
	*a = (struct wire_reply){0};
	if (!is_there(s, h, false)) {
		a->status = held_up(h) || h->nudged ? CUDA_NOT_READY : CUDA_UNKNOWN;
		wait_no_longer(h);
	} else if (h->awaits == AWAIT_WORK) {
		give_rows(h, a);
	} else if (h->awaits == AWAIT_FREE) {
		a->status = free_memory(s, h);
	} else if (h->awaits == AWAIT_CYCLE) {
		a->status = answer_query(s, h);
	}
	h->nudged = false;
	complete(s, h, a);
}
