/* Streams and events of an application: the order of its work, as CUDA has it.
 *
 * Launches go to the machine as soon as nothing but launches of their stream is before them, for the machine has the
 * launches of a stream in order by itself. All else waits until its stream is idle, and is then done at once. */
#include <stdlib.h>
#include <string.h>

#include "session/app/app.h"

/* --- objects --- */

u32 stream_new(struct app_host *h, bool blocking, s8 priority)
{
	u32 i = 1;
	while (i < h->nstreams && h->streams[i].used)
		i++;
	if (i >= h->nstreams) {
		h->streams = xrealloc(h->streams, (i + 1) * sizeof *h->streams);
		h->nstreams = i + 1;
	}
	h->streams[i] = (struct app_stream){.used = true, .blocking = blocking, .priority = priority, .launch = -1};
	return i;
}

struct app_stream *stream_of(struct app_host *h, u64 id)
{
	return id < h->nstreams && h->streams[id].used ? &h->streams[id] : NULL;
}

static bool is_needed(const struct app_host *h, u64 event)
{
	for (u32 i = 0; i < h->nstreams; i++)
		for (const struct work *w = h->streams[i].first; w; w = w->next)
			if ((w->kind == WORK_WAIT && w->a[1] == event) || (w->kind == WORK_RECORD && w->a[0] == event))
				return true;
	return false;
}

u32 event_new(struct app_host *h)
{
	u32 i = 1;
	while (i < h->nevents && (!h->events[i].freed || is_needed(h, i)))
		i++;
	if (i >= h->nevents) {
		h->events = xrealloc(h->events, (i + 1) * sizeof *h->events);
		h->nevents = i + 1;
	}
	h->events[i] = (struct app_event){.launch = -1};
	return i;
}

struct app_event *event_of(struct app_host *h, u64 id)
{
	return id && id < h->nevents && !h->events[id].freed ? &h->events[id] : NULL;
}

struct work *stream_give(struct app_host *h, u64 stream, enum work_kind k, const struct wire_request *r, u8 *data,
                         u64 n)
{
	struct app_stream *st = &h->streams[stream];
	struct work *w = xcalloc(1, sizeof *w);
	w->seq = ++h->seq;
	w->kind = k;
	w->data = data;
	w->n = n;
	memcpy(w->a, r->a, sizeof w->a);
	memcpy(w->name, r->call, sizeof w->name);
	w->from = k == WORK_LAUNCH ? host_calls_text(h->calls_seen, h->channel.pid, r->from, r->call) : NULL;
	if (st->last)
		st->last->next = w;
	else
		st->first = w;
	st->last = w;
	return w;
}

void stream_work_free(struct work *w)
{
	if (!w->borrowed)
		free(w->data);
	free(w);
}

void stream_work_owns(struct work *w)
{
	if (!w->borrowed)
		return;
	const u8 *data = w->data;
	w->data = xmalloc(MAX(w->n, 1u));
	memcpy(w->data, data, w->n);
	w->borrowed = false;
}

void streams_release(struct app_host *h)
{
	for (u32 i = 0; i < h->nstreams; i++)
		while (h->streams[i].first) {
			struct work *w = h->streams[i].first;
			h->streams[i].first = w->next;
			stream_work_free(w);
		}
	if (h->finished)
		stream_work_free(h->finished);
	for (u32 i = 0; i < h->ndeliveries; i++)
		free(h->deliveries[i].data);
	free(h->deliveries);
	free(h->streams);
	free(h->events);
	h->finished = NULL;
	h->deliveries = NULL;
	h->streams = NULL;
	h->events = NULL;
	h->ndeliveries = h->deliveries_cap = h->nstreams = h->nevents = 0;
}

void deliver(struct app_host *h, const u64 v[WIRE_VALUES], u8 *data, u64 n)
{
	if (h->ndeliveries == h->deliveries_cap) {
		h->deliveries_cap = MAX(h->deliveries_cap * 2, 8u);
		h->deliveries = xrealloc(h->deliveries, h->deliveries_cap * sizeof *h->deliveries);
	}
	struct delivery *d = &h->deliveries[h->ndeliveries++];
	memcpy(d->v, v, sizeof d->v);
	d->data = data;
	d->n = n;
}

/* --- is it done? --- */

/* Launches of the stream that the machine has. */
static bool machine_done(struct session *s, struct app_host *h, u32 stream, bool look)
{
	struct app_stream *st = &h->streams[stream];
	if (!st->in_flight)
		return true;
	const bool idle = machine_stream_idle(s, h, stream, look);
	if (idle && !look)
		st->in_flight = false;
	return idle;
}

bool stream_done(struct session *s, struct app_host *h, u32 stream, bool look)
{
	return !h->streams[stream].first && machine_done(s, h, stream, look);
}

bool streams_done(struct session *s, struct app_host *h, bool look)
{
	for (u32 i = 0; i < h->nstreams; i++)
		if (!stream_done(s, h, i, look))
			return false;
	return true;
}

bool event_done(struct session *s, struct app_host *h, const struct app_event *ev, u64 seq, bool look)
{
	return ev->done >= seq && (ev->launch < 0 || machine_ended_at(s, h, ev->launch, look));
}

u64 event_cycle(struct session *s, struct app_host *h, const struct app_event *ev)
{
	const u64 ended = ev->launch < 0 ? 0 : machine_ended_at(s, h, ev->launch, false);
	return MAX(ended, ev->cycle);
}

/* --- what comes before what --- */

/* Has stream 0, or for stream 0 each blocking stream, nothing left that was given before? */
static bool others_done(struct session *s, struct app_host *h, u32 stream, u64 seq, bool look)
{
	if (!h->streams[stream].blocking)
		return true;
	const u32 from = stream ? 0 : 1, to = stream ? 1 : h->nstreams;
	for (u32 i = from; i < to; i++) {
		const struct app_stream *o = &h->streams[i];
		if (!o->blocking)
			continue;
		if (o->first && o->first->seq < seq)
			return false;
		if (!machine_done(s, h, i, look))
			return false;
	}
	return true;
}

static bool may_go(struct session *s, struct app_host *h, u32 stream, const struct work *w, bool look)
{
	if (w->call)
		return false; /* the application is to call a function first */
	if (!others_done(s, h, stream, w->seq, look))
		return false;
	if (w->kind == WORK_LAUNCH || w->kind == WORK_RECORD)
		return true;
	if (w->kind == WORK_WAIT)
		return event_done(s, h, &h->events[w->a[1]], w->a[2], look);
	return machine_done(s, h, stream, look);
}

bool streams_may_go_on(struct session *s, struct app_host *h)
{
	for (u32 i = 0; i < h->nstreams; i++)
		if (h->streams[i].first && may_go(s, h, i, h->streams[i].first, true))
			return true;
	return false;
}

/* --- doing it --- */

/* Rows that lie one behind the other on both sides are one. None of nothing. */
static u64 rows_that_are_apart(u64 pitch, u64 *width, u64 height)
{
	if (!*width)
		return 0;
	if (pitch != *width && height != 1)
		return height;
	*width *= height;
	return 1;
}

void rows_to_device(struct session *s, struct app_host *h, u64 addr, u64 pitch, u64 width, u64 height, const u8 *rows,
                    u64 following)
{
	const u64 n = rows_that_are_apart(pitch, &width, height);
	for (u64 i = 0; i < n; i++)
		machine_write(s, h, addr + i * pitch, rows + i * width, width, following + (n - 1 - i) * width);
}

void rows_from_device(struct session *s, struct app_host *h, u64 addr, u64 pitch, u64 width, u64 height, u8 *rows)
{
	const u64 n = rows_that_are_apart(pitch, &width, height);
	for (u64 i = 0; i < n; i++)
		machine_read(s, h, addr + i * pitch, rows + i * width, width);
}

static void from_device(struct session *s, struct app_host *h, struct work *w)
{
	const u64 width = w->a[3], height = w->a[4];
	w->n = width * height;
	w->borrowed = w->asked;
	w->data = w->asked ? h->channel.shared : xmalloc(MAX(w->n, 1u));
	rows_from_device(s, h, w->a[1], w->a[2], width, height, w->data);
	if (w->asked)
		return;
	const u64 v[WIRE_VALUES] = {WIRE_DATA, w->a[6], w->a[7], width, height};
	deliver(h, v, w->data, w->n);
	w->data = NULL;
}

static void on_device(struct session *s, struct app_host *h, const struct work *w)
{
	const u64 width = w->a[5], height = w->a[6];
	u8 *rows = xmalloc(MAX(width * height, 1u));
	rows_from_device(s, h, w->a[3], w->a[4], width, height, rows);
	rows_to_device(s, h, w->a[1], w->a[2], width, height, rows, 0);
	free(rows);
}

static void fill(struct session *s, struct app_host *h, const struct work *w)
{
	const u64 width = w->a[3], height = w->a[4], unit = w->a[6];
	u8 piece[4096];
	for (u64 i = 0; i < sizeof piece; i += unit)
		memcpy(piece + i, &w->a[5], unit);
	for (u64 i = 0; width && i < height; i++)
		for (u64 at = 0; at < width; at += sizeof piece)
			machine_write(s, h, w->a[1] + i * w->a[2] + at, piece, MIN(width - at, sizeof piece),
			              width - MIN(width, at + sizeof piece));
}

static void launch(struct session *s, struct app_host *h, u32 stream, const struct work *w)
{
	const struct app_function *f = &h->functions[w->a[0] - 1];
	struct app_stream *st = &h->streams[stream];
	struct launch_spec l;
	struct err e = {0};
	launch_spec_of(s, h, f, w->a, w->data, &l);
	l.stream = stream;
	l.priority = st->priority;
	l.call = w->from;
	const s32 id = machine_launch(s, h, &l, &e);
	if (id < 0) { /* serve() has asked whether it fits: what is left is rare (too many launches) */
		if (!h->sticky)
			app_tell(s, h, e.msg);
		h->sticky = CUDA_OUT_OF_RESOURCES; /* the application has been told that it is launched: it must not go on so */
		return;
	}
	st->launch = id;
	st->in_flight = true;
}

static void record(struct session *s, struct app_host *h, u32 stream, const struct work *w)
{
	struct app_event *ev = &h->events[w->a[0]];
	ev->done = w->seq;
	ev->launch = h->streams[stream].in_flight ? h->streams[stream].launch : -1;
	ev->cycle = machine_cycle(s, h, false);
}

static void call_host(struct app_host *h, struct work *w)
{
	w->call = ++h->calls;
	const u64 v[WIRE_VALUES] = {WIRE_CALL_NOW, w->call, w->a[1], w->a[2], w->a[3], (u64)(s64)h->sticky};
	deliver(h, v, NULL, 0);
}

static void pop(struct app_host *h, u32 stream)
{
	struct app_stream *st = &h->streams[stream];
	struct work *w = st->first;
	st->first = w->next;
	if (!st->first)
		st->last = NULL;
	if (w->asked)
		h->finished = w;
	else
		stream_work_free(w);
}

static void go(struct session *s, struct app_host *h, u32 stream)
{
	struct work *w = h->streams[stream].first;
	switch (w->kind) {
	case WORK_LAUNCH: launch(s, h, stream, w); break;
	case WORK_TO_DEVICE: rows_to_device(s, h, w->a[1], w->a[2], w->a[3], w->a[4], w->data, w->a[6]); break;
	case WORK_FROM_DEVICE: from_device(s, h, w); break;
	case WORK_ON_DEVICE: on_device(s, h, w); break;
	case WORK_FILL: fill(s, h, w); break;
	case WORK_RECORD: record(s, h, stream, w); break;
	case WORK_WAIT: break;
	case WORK_CALL: call_host(h, w); return; /* it stays until the call has returned */
	}
	pop(h, stream);
}

/* The work given first comes first. */
static bool earliest(struct session *s, struct app_host *h, u32 *stream)
{
	u64 seq = NEVER;
	for (u32 i = 0; i < h->nstreams; i++) {
		const struct work *w = h->streams[i].first;
		if (w && w->seq < seq && may_go(s, h, i, w, false)) {
			seq = w->seq;
			*stream = i;
		}
	}
	return seq != NEVER;
}

void streams_go_on(struct session *s, struct app_host *h)
{
	u32 stream;
	while (!h->lost.set && earliest(s, h, &stream))
		go(s, h, stream);
	for (u32 i = 1; i < h->nstreams; i++)
		if (h->streams[i].free_when_idle && stream_done(s, h, i, false))
			h->streams[i] = (struct app_stream){0};
}

void streams_call_done(struct app_host *h, u64 number)
{
	for (u32 i = 0; i < h->nstreams; i++)
		if (h->streams[i].first && h->streams[i].first->call == number && number) {
			pop(h, i);
			return;
		}
}
