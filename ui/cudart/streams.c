/* streams: streams, what they are given, host functions. */
#include "cudart/streams.h"
#include "cudart/abi.h"
#include "cudart/graph.h"
#include "cudart/link.h"
#include "cudart/managed.h"
#include "cudart/nodes.h"
#include "cudart/table.h"
#include <stdlib.h>
#include <string.h>

static struct table streams;
static struct stream legacy;
static _Thread_local struct stream *own; /* the thread's default stream */

static int stream_make(uint32_t flags, int priority, struct stream **made)
{
	struct stream *s = calloc(1, sizeof *s);
	if (!s)
		return OUT_OF_MEMORY;
	int error = ASK(WIRE_STREAM, 0, flags & STREAM_NON_BLOCKING, (uint64_t)(int64_t)priority);
	if (error) {
		free(s);
		return error;
	}
	*s = (struct stream){link_reply.v[0], flags, priority, NULL};
	if (!table_put(&streams, s, s))
		return OUT_OF_MEMORY;
	*made = s;
	return 0;
}

int stream_of(void *handle, struct stream **s)
{
	uintptr_t h = (uintptr_t)handle;
	if (h == 1 || (h == 0 && !link_per_thread)) {
		*s = &legacy;
		return 0;
	}
	if (h == 0 || h == 2) {
		if (!own) {
			int error = stream_make(0, 0, &own);
			if (error)
				return error;
		}
		*s = own;
		return 0;
	}
	*s = table_get(&streams, handle);
	return *s ? 0 : INVALID_HANDLE;
}

int stream_sync(struct stream *s)
{
	int error = link_ask_wait(WIRE_STREAM_SYNC, s ? s->number : WIRE_ALL_STREAMS);
	if (!error && !s)
		regions_idle();
	return error ? error : regions_after_sync();
}

int stream_run(struct stream *s, const struct op *op)
{
	int error;
	switch (op->kind) {
	case OP_LAUNCH: return launch_run(s, op);
	case OP_COPY: return copy_run(s, &op->copy);
	case OP_FILL: {
		const struct op_fill *f = &op->fill;
		error = regions_sync(f->address, (f->depth - 1) * f->slice + (f->height - 1) * f->pitch + f->width, true);
		for (uint64_t z = 0; z < f->depth && !error; z++)
			error = ASK(WIRE_FILL, 0, s->number, f->address + z * f->slice, f->pitch, f->width, f->height, f->value,
			            f->element, 0);
		return error;
	}
	case OP_HOST:
		error =
		    ASK(WIRE_CALL_HOST, 0, s->number, (uint64_t)op->host.function, (uint64_t)op->host.argument, op->host.call);
		if (!error)
			link_queued++;
		return error;
	case OP_RECORD: return ASK(WIRE_EVENT_RECORD, 0, op->event->number, s->number);
	case OP_WAIT: return ASK(WIRE_STREAM_WAIT, 0, s->number, op->event->number);
	case OP_EMPTY: return 0;
	case OP_CHILD: return graph_run(op->child, s);
	}
	return INVALID_VALUE;
}

void op_free(struct op *op)
{
	if (op->kind == OP_LAUNCH)
		free(op->launch.parameters);
}

int stream_give(struct stream *s, struct op *op)
{
	if (s->capture)
		return capture_add(s->capture, s, op);
	int error = stream_run(s, op);
	op_free(op);
	return error;
}

/* Streams. */

EXPORT int cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority)
{
	ENTER;
	struct stream *s = NULL;
	if (!stream || flags & ~STREAM_NON_BLOCKING)
		return leave(INVALID_VALUE);
	int error = stream_make(flags, priority > 0 ? 0 : priority < -5 ? -5 : priority, &s);
	if (!error)
		*stream = s;
	return leave(error);
}

EXPORT int cudaStreamCreateWithFlags(void **stream, unsigned flags)
{
	VIA(cudaStreamCreateWithPriority(stream, flags, 0));
}

EXPORT int cudaStreamCreate(void **stream)
{
	VIA(cudaStreamCreateWithPriority(stream, 0, 0));
}

EXPORT int cudaStreamDestroy(void *stream)
{
	ENTER;
	struct stream *s;
	int error = (uintptr_t)stream <= 2 ? INVALID_HANDLE : stream_of(stream, &s);
	if (error)
		return leave(error);
	capture_leave(s);
	table_remove(&streams, s);
	error = ASK(WIRE_STREAM_FREE, 0, s->number);
	free(s);
	return leave(error);
}

EXPORT int cudaStreamSynchronize(void *stream)
{
	ENTER;
	struct stream *s;
	int error = stream_of(stream, &s);
	if (!error && s->capture)
		error = capture_break(s->capture);
	return leave(error ? error : stream_sync(s));
}

EXPORT int cudaStreamQuery(void *stream)
{
	ENTER;
	struct stream *s;
	int error = stream_of(stream, &s);
	if (!error && s->capture)
		error = capture_break(s->capture);
	return leave(error ? error : ASK(WIRE_STREAM_QUERY, 0, s->number));
}

EXPORT int cudaStreamWaitEvent(void *stream, void *event, unsigned flags)
{
	ENTER;
	struct stream *s;
	struct event *e;
	int error = stream_of(stream, &s);
	if (!error)
		error = event_of(event, &e);
	if (!error && flags > 1)
		error = INVALID_VALUE;
	if (error)
		return leave(error);
	if (e->captured)
		return leave(capture_join(e->captured, s));
	return leave(stream_give(s, &(struct op){.kind = OP_WAIT, .event = e}));
}

EXPORT int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *argument)
{
	ENTER;
	struct stream *s;
	int error = function ? stream_of(stream, &s) : INVALID_VALUE;
	if (error)
		return leave(error);
	return leave(stream_give(s, &(struct op){.kind = OP_HOST, .host = {function, argument, CALL_FUNCTION}}));
}

EXPORT int cudaStreamAddCallback(void *stream, void (*function)(void *, int, void *), void *argument, unsigned flags)
{
	ENTER;
	struct stream *s;
	int error = function && !flags ? stream_of(stream, &s) : INVALID_VALUE;
	if (!error && s->capture)
		error = capture_break(s->capture);
	if (error)
		return leave(error);
	struct stream_callback *c = malloc(sizeof *c);
	if (!c)
		return leave(OUT_OF_MEMORY);
	*c = (struct stream_callback){function, stream, argument};
	return leave(stream_give(s, &(struct op){.kind = OP_HOST, .host = {NULL, c, CALL_CALLBACK}}));
}

EXPORT int cudaStreamGetPriority(void *stream, int *priority)
{
	ENTER;
	struct stream *s;
	int error = priority ? stream_of(stream, &s) : INVALID_VALUE;
	if (!error)
		*priority = s->priority;
	return leave(error);
}

EXPORT int cudaStreamGetFlags(void *stream, unsigned *flags)
{
	ENTER;
	struct stream *s;
	int error = flags ? stream_of(stream, &s) : INVALID_VALUE;
	if (!error)
		*flags = s->flags;
	return leave(error);
}

EXPORT int cudaStreamGetId(void *stream, unsigned long long *id)
{
	ENTER;
	struct stream *s;
	int error = id ? stream_of(stream, &s) : INVALID_VALUE;
	if (!error)
		*id = s->number;
	return leave(error);
}

EXPORT int cudaStreamGetDevice(void *stream, int *device)
{
	ENTER;
	struct stream *s;
	int error = device ? stream_of(stream, &s) : INVALID_VALUE;
	if (!error)
		*device = 0;
	return leave(error);
}

EXPORT int cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	ENTER;
	if (least)
		*least = 0;
	if (greatest)
		*greatest = -5;
	return leave(0);
}

/* Attributes of streams are hints of caching; only the priority has a meaning here. */
EXPORT int cudaStreamSetAttribute(void *stream, int attribute, const void *value)
{
	ENTER;
	struct stream *s;
	return leave(value ? stream_of(stream, &s) : INVALID_VALUE);
}

EXPORT int cudaStreamGetAttribute(void *stream, int attribute, void *value)
{
	ENTER;
	struct stream *s;
	int error = value ? stream_of(stream, &s) : INVALID_VALUE;
	if (error)
		return leave(error);
	memset(value, 0, 64);
	if (attribute == 8)
		*(int *)value = s->priority;
	return leave(0);
}

EXPORT int cudaStreamCopyAttributes(void *to, void *from)
{
	ENTER;
	struct stream *s;
	int error = stream_of(to, &s);
	return leave(error ? error : stream_of(from, &s));
}
