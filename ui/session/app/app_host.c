/* An application as a host program: its process, its steps, and how it comes back to an earlier turn. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "lua/lua.h"
#include "session/app/app.h"

#define SLICE_MS 50 /* a wait for the application, after which interrupts are looked for */
#define END_MS 5000 /* that an application has to end by itself, once the machine can do no more for it */
#define POLL_FDS 4

/* --- the process --- */

static bool begin(struct session *s, struct app_host *h, struct err *e)
{
	const struct options *o = s->programs[h->program].opt;
	const struct app_start how = {.words = o->app,
	                              .socket = h->channel.name,
	                              .library_dir = h->library_dir,
	                              .apart = s->app_apart || h->records.feeding,
	                              .input = s->opt->app_input};
	serve_begin(h);
	h->started = true;
	return process_start(&h->process, &how, e);
}

static void take_output(struct session *s, struct app_host *h)
{
	h->output += process_output(&h->process, &s->output, &h->skip);
}

/* Waits for news of the application for at most a slice. */
static void wait_for_news(const struct app_host *h)
{
	struct pollfd fd[POLL_FDS];
	u32 n = channel_wait_for(&h->channel, fd);
	if (h->process.fd >= 0)
		fd[n++] = (struct pollfd){.fd = h->process.fd, .events = POLLIN};
	if (h->process.output >= 0)
		fd[n++] = (struct pollfd){.fd = h->process.output, .events = POLLIN};
	poll(fd, n, h->process.fd >= 0 ? SLICE_MS : 2);
}

enum news { NEWS_REQUEST, NEWS_ENDED, NEWS_NONE };
static enum news look(struct session *s, struct app_host *h)
{
	for (;;) {
		take_output(s, h);
		switch (channel_look(&h->channel, &h->request)) {
		case CHANNEL_REQUEST: return NEWS_REQUEST;
		case CHANNEL_CLOSED: continue;
		case CHANNEL_QUIET: break;
		}
		if (process_ended(&h->process)) {
			take_output(s, h);
			return NEWS_ENDED;
		}
		if (lua_interrupted())
			return NEWS_NONE;
		wait_for_news(h);
		if (s->app_slices && channel_look(&h->channel, &h->request) == CHANNEL_REQUEST)
			return NEWS_REQUEST;
		if (s->app_slices && !h->records.feeding)
			return NEWS_NONE;
	}
}

/* --- what it asks, on record --- */

/* Addresses of the application's own differ from one process to the next. */
static u64 fingerprint(const struct app_host *h)
{
	struct wire_request r = h->request;
	if (r.op == WIRE_HELLO)
		r.a[1] = 0;
	if (r.op == WIRE_FROM_DEVICE)
		r.a[6] = 0;
	if (r.op == WIRE_CALL_HOST)
		r.a[1] = r.a[2] = 0;
	return hash_bytes(&r, sizeof r, hash_bytes(h->channel.shared, r.bytes, 0));
}

/* While it is fed it has to ask what it asked the first time. */
static bool same_request(struct app_host *h, struct err *e)
{
	if (!h->records.feeding && !h->records_on)
		return true;
	const u64 print = fingerprint(h);
	if (!h->records.feeding) {
		record_add(&h->records, RECORD_REQUEST, print, h->request.call, sizeof h->request.call);
		return true;
	}
	const struct record *r = record_next(&h->records, RECORD_REQUEST, e);
	if (!r)
		return false;
	return r->value == print || err_set(e,
	                                    "the application does something else than the first time: its call %s is not "
	                                    "the %s of before, or has other arguments",
	                                    h->request.call, (const char *)r->data);
}

static bool turn_is_over(struct app_host *h)
{
	struct records *l = &h->records;
	if (!l->feeding || l->at >= l->n || l->r[l->at].kind != RECORD_TURN)
		return false;
	l->at++;
	return true;
}

static void app_turn_over(struct session *s, struct host *base)
{
	struct app_host *h = (struct app_host *)base;
	if (h->records_on)
		record_add(&h->records, RECORD_TURN, h->output, NULL, 0);
}

/* --- a step --- */

/* Until what the host is to be asked again. */
static enum host_state wait_for_machine(struct app_host *h)
{
	u32 busy = 0;
	for (u32 i = 0; i < h->nstreams; i++)
		busy += h->streams[i].first || h->streams[i].in_flight;
	const bool whole = busy <= 1 && h->awaits != AWAIT_EVENT && h->awaits != AWAIT_CYCLE;
	h->base.stream = whole ? HOST_ALL_STREAMS : HOST_ASKED;
	h->base.wake = h->awaits == AWAIT_CYCLE ? h->until : NEVER;
	return HOST_WAITS;
}

static bool answer(struct app_host *h, const struct wire_reply *a)
{
	return channel_answer(&h->channel, a, h->request.op == WIRE_HELLO);
}

static bool gone(struct host *base)
{
	struct app_host *h = (struct app_host *)base;
	return h->started && h->awaits != AWAIT_NOTHING && process_ended(&h->process);
}

static enum host_state ended(struct session *s, struct app_host *h)
{
	struct session_program *p = &s->programs[h->program];
	channel_hang_up(&h->channel);
	p->exit_status = h->process.status;
	h->awaits = AWAIT_NOTHING;
	streams_release(h);
	serve_begin(h);
	return HOST_ENDED;
}

/* HOST_BUSY: the application works by itself, or feeding has come to the end of a turn. */
static enum host_state go_on(struct session *s, struct app_host *h, struct err *e)
{
	struct wire_reply a;
	for (;;) {
		if (h->awaits != AWAIT_NOTHING) {
			streams_go_on(s, h);
			if (!serve_ready(s, h, false)) {
				if (h->lost.set)
					return HOST_FAILED;
				if (!gone(&h->base))
					return wait_for_machine(h);
				s->app_gone = true;
				take_output(s, h);
				return ended(s, h);
			}
			serve_late(s, h, &a);
			answer(h, &a);
		}
		if (h->lost.set)
			return HOST_FAILED;
		if (turn_is_over(h))
			return HOST_BUSY;
		switch (look(s, h)) {
		case NEWS_NONE: return HOST_BUSY;
		case NEWS_ENDED: return ended(s, h);
		case NEWS_REQUEST: break;
		}
		if (!same_request(h, e))
			return HOST_FAILED;
		serve(s, h, &a);
		if (h->awaits == AWAIT_NOTHING)
			answer(h, &a);
	}
}

static enum host_state step(struct session *s, struct host *base, struct err *e)
{
	struct app_host *h = (struct app_host *)base;
	struct sim_history_info history;
	sim_history_info(s->sim, &history);
	h->records_on = history.on;
	h->base.wake = NEVER;
	if (!h->started && !begin(s, h, e))
		return HOST_FAILED;
	const enum host_state state = go_on(s, h, e);
	if (h->lost.set)
		err_pass(e, &h->lost);
	return state;
}

static bool ready(struct session *s, struct host *base)
{
	struct app_host *h = (struct app_host *)base;
	return serve_ready(s, h, true) || streams_may_go_on(s, h);
}

/* --- when the machine can do no more --- */

/* The error that CUDA's driver gives for such a fault. */
static s32 abandoned_status(const struct session *s)
{
	const struct fault *x = sim_fault(s->sim);
	switch (x->code) {
	case FAULT_NONE: return CUDA_LAUNCH_TIMEOUT;
	case FAULT_OOB:
	case FAULT_FREED:
	case FAULT_READONLY: return CUDA_ILLEGAL_ADDRESS;
	case FAULT_MISALIGNED: return CUDA_MISALIGNED_ADDRESS;
	case FAULT_TRAP: return x->addr ? CUDA_ASSERT : CUDA_LAUNCH_FAILURE;
	case FAULT_STACK_OVERFLOW:
	case FAULT_CALL_DEPTH: return CUDA_STACK_ERROR;
	case FAULT_BAD_CALL: return CUDA_INVALID_PC;
	case FAULT_UNSUPPORTED: return CUDA_ILLEGAL_INSTRUCTION;
	default: return CUDA_LAUNCH_FAILURE;
	}
}

/* Each call that is under way or follows is answered with the error, as CUDA does it after a fault. */
static void abandon(struct session *s, struct host *base)
{
	struct app_host *h = (struct app_host *)base;
	struct wire_reply a = {.status = abandoned_status(s)};
	u64 skip = 0;
	if (h->awaits != AWAIT_NOTHING)
		answer(h, &a);
	h->awaits = AWAIT_NOTHING;
	for (u32 i = 0; i < END_MS / SLICE_MS && !process_ended(&h->process) && !lua_interrupted();) {
		process_output(&h->process, &s->output, &skip);
		if (channel_look(&h->channel, &h->request) == CHANNEL_REQUEST) {
			answer(h, &a);
		} else {
			wait_for_news(h);
			i++;
		}
	}
}

/* --- back to an earlier turn --- */

static void end_process(struct app_host *h, u32 ms)
{
	channel_hang_up(&h->channel);
	process_end(&h->process, ms);
	serve_release(h);
	strbuf_clear(&h->printed);
	h->started = false;
	h->channel.processes = 0;
	h->base.stream = HOST_ALL_STREAMS;
	h->base.wake = NEVER;
	err_clear(&h->lost);
}

static u64 output_at(const struct records *l, u32 turns)
{
	for (u32 i = 0; i < l->n; i++)
		if (l->r[i].kind == RECORD_TURN && !--turns)
			return l->r[i].value;
	return 0;
}

/* Feeding ends where the turn did; a wait ends there, too. */
static enum host_state feed_turn(struct session *s, struct app_host *h, struct err *e)
{
	const enum host_state state = step(s, &h->base, e);
	if (state == HOST_FAILED)
		return state;
	if (state == HOST_BUSY && lua_interrupted()) {
		err_set(e, "interrupted");
		e->interrupted = true;
		return HOST_FAILED;
	}
	if (state != HOST_BUSY && !turn_is_over(h)) {
		err_set(e, "the application does something else than the first time: it %s",
		        state == HOST_ENDED ? "ends" : "waits");
		return HOST_FAILED;
	}
	return state;
}

static enum host_state rebuild(struct session *s, struct host *base, u32 turns, struct err *e)
{
	struct app_host *h = (struct app_host *)base;
	enum host_state state = HOST_WAITS;
	end_process(h, 0);
	records_feed(&h->records);
	h->output = 0;
	h->skip = turns ? output_at(&h->records, turns) : 0;
	for (u32 i = 0; i < turns && state != HOST_FAILED; i++)
		state = feed_turn(s, h, e);
	if (state != HOST_FAILED)
		records_end_feeding(&h->records);
	else if (e->interrupted)
		end_process(h, 0);
	return state == HOST_BUSY ? HOST_WAITS : state;
}

/* --- open and close --- */

static void app_free(struct host *base)
{
	struct app_host *h = (struct app_host *)base;
	end_process(h, 0);
	channel_close(&h->channel);
	records_release(&h->records);
	strbuf_release(&h->printed);
	free(h->library_dir);
	free(h);
}

static const struct host_ops app_host_ops = {.step = step,
                                             .rebuild = rebuild,
                                             .free = app_free,
                                             .ready = ready,
                                             .abandon = abandon,
                                             .turn_over = app_turn_over,
                                             .gone = gone};

struct host *host_app_new(struct session *s, struct err *e)
{
	struct app_host *h = xcalloc(1, sizeof *h);
	h->base = (struct host){.ops = &app_host_ops, .stream = HOST_ALL_STREAMS, .wake = NEVER};
	h->program = s->now->index;
	h->process = (struct app_process){.fd = -1, .output = -1};
	h->channel = (struct channel){.listening = -1, .fd = -1, .memory = -1};
	h->library_dir = process_library_dir(e);
	h->base.kernel_text = &h->printed;
	if (h->library_dir && channel_open(&h->channel, e))
		return &h->base;
	app_free(&h->base);
	return NULL;
}
