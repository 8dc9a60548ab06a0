/* events: events of streams; times are simulated. */
#include "cudart/abi.h"
#include "cudart/graph.h"
#include "cudart/link.h"
#include "cudart/managed.h"
#include "cudart/nodes.h"
#include "cudart/streams.h"
#include "cudart/table.h"
#include <stdlib.h>
#include <string.h>

static struct table events;

int event_of(void *handle, struct event **e)
{
	*e = table_get(&events, handle);
	return *e ? 0 : INVALID_HANDLE;
}

void events_forget_capture(const struct capture *c)
{
	for (size_t i = 0; i < events.room; i++) {
		struct event *e = events.entries[i].value;
		if (e && e->captured == c)
			e->captured = NULL;
	}
}

EXPORT int cudaEventCreateWithFlags(void **event, unsigned flags)
{
	ENTER;
	if (!event || flags & ~(unsigned)(EVENT_BLOCKING | EVENT_NO_TIMING | EVENT_INTERPROCESS))
		return leave(INVALID_VALUE);
	if (flags & EVENT_INTERPROCESS)
		return leave(link_refuse("events that several processes share"));
	struct event *e = calloc(1, sizeof *e);
	if (!e)
		return leave(OUT_OF_MEMORY);
	int error = ASK(WIRE_EVENT, 0, 0);
	*e = (struct event){link_reply.v[0], flags, NULL};
	if (!error && !table_put(&events, e, e))
		error = OUT_OF_MEMORY;
	if (error)
		free(e);
	else
		*event = e;
	return leave(error);
}

EXPORT int cudaEventCreate(void **event)
{
	VIA(cudaEventCreateWithFlags(event, 0));
}

EXPORT int cudaEventDestroy(void *event)
{
	ENTER;
	struct event *e;
	int error = event_of(event, &e);
	if (error)
		return leave(error);
	table_remove(&events, e);
	error = ASK(WIRE_EVENT_FREE, 0, e->number);
	free(e);
	return leave(error);
}

EXPORT int cudaEventRecordWithFlags(void *event, void *stream, unsigned flags)
{
	ENTER;
	struct stream *s;
	struct event *e;
	int error = event_of(event, &e);
	if (!error)
		error = stream_of(stream, &s);
	if (!error && flags > 1)
		error = INVALID_VALUE;
	if (error)
		return leave(error);
	if (s->capture && !flags) {
		e->captured = s->capture;
		return leave(0);
	}
	e->captured = NULL;
	return leave(stream_give(s, &(struct op){.kind = OP_RECORD, .event = e}));
}

EXPORT int cudaEventRecord(void *event, void *stream)
{
	VIA(cudaEventRecordWithFlags(event, stream, 0));
}

EXPORT int cudaEventSynchronize(void *event)
{
	ENTER;
	struct event *e;
	int error = event_of(event, &e);
	if (!error && e->captured)
		error = CAPTURED_EVENT;
	if (!error)
		error = link_ask_wait(WIRE_EVENT_SYNC, e->number);
	return leave(error ? error : regions_after_sync());
}

EXPORT int cudaEventQuery(void *event)
{
	ENTER;
	struct event *e;
	int error = event_of(event, &e);
	if (!error && e->captured)
		error = CAPTURED_EVENT;
	return leave(error ? error : ASK(WIRE_EVENT_QUERY, 0, e->number));
}

EXPORT int cudaEventElapsedTime(float *ms, void *from, void *to)
{
	ENTER;
	struct event *a = NULL, *b = NULL;
	int error = ms ? event_of(from, &a) : INVALID_VALUE;
	if (!error)
		error = event_of(to, &b);
	if (!error && (a->flags | b->flags) & EVENT_NO_TIMING)
		error = INVALID_HANDLE;
	if (!error && (a->captured || b->captured))
		error = CAPTURED_EVENT;
	if (!error)
		error = ASK(WIRE_EVENT_ELAPSED, 0, a->number, b->number);
	if (!error) {
		double value;
		memcpy(&value, &link_reply.v[0], sizeof value);
		*ms = (float)value;
	}
	return leave(error);
}

EXPORT int cudaEventElapsedTime_v2(float *ms, void *from, void *to)
{
	VIA(cudaEventElapsedTime(ms, from, to));
}
