/* An application as a host program: its process, its steps, and how it comes back to an earlier turn. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/words.h"
#include "lua/lua.h"
#include "session/app/app.h"

#define SLICE_MS 50 /* a wait for the application, after which interrupts are looked for */
#define END_MS 5000 /* that an application has to end by itself, once the machine can do no more for it */
#define POLL_FDS 5
#define CLOCK_TEXT 64

/* --- the process --- */

static u64 clock_ns(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

/* For CLOCK_VARIABLE: a process that is started again has the times of the first one. */
static void clock_text(struct app_host *h, char out[CLOCK_TEXT])
{
	const u64 now = clock_ns(CLOCK_MONOTONIC);
	if (!h->clock_begun) {
		h->clock_begun = now;
		h->clock_behind = clock_ns(CLOCK_REALTIME) - now;
	}
	snprintf(out, CLOCK_TEXT, "%d %llu %llu", h->records_on, (unsigned long long)(now - h->clock_begun),
	         (unsigned long long)h->clock_behind);
}

static bool begin(struct session *s, struct app_host *h, struct err *e)
{
	char clock[CLOCK_TEXT];
	clock_text(h, clock);
	const struct options *o = s->programs[h->program].opt;
	const bool apart = s->app_apart || h->records.feeding;
	const struct app_start how = {.words = o->app,
	                              .socket = h->channel.name,
	                              .library_dir = h->library_dir,
	                              .apart = apart,
	                              .copied = s->app_copy && !apart,
	                              .input = s->opt->app_input,
	                              .clock = s->opt->app_clock ? clock : NULL};
	h->copied = how.copied;
	serve_begin(h);
	h->started = true;
	return process_start(&h->process, &how, e);
}

/* What it has written goes on to where it would have gone without a copy. */
static void pass_on(struct app_host *h, u32 i, const struct strbuf *text)
{
	for (size_t at = 0; at < text->len;) {
		const ssize_t n = write(i ? STDERR_FILENO : STDOUT_FILENO, text->buf + at, text->len - at);
		if (n < 0 && errno != EINTR) {
			process_close_output(&h->process, i);
			return;
		}
		at += (size_t)MAX(n, 0);
	}
}

static void take_output(struct session *s, struct app_host *h)
{
	for (u32 i = 0; i < ARRAY_LEN(h->process.output); i++) {
		struct strbuf text = STRBUF_INIT;
		h->output += process_output(&h->process, i, &text, &h->skip);
		if (s->app_copy)
			app_copy_add(s->app_copy, text.buf, text.len);
		if (h->copied)
			pass_on(h, i, &text);
		else
			strbuf_add(&s->output, strbuf_str(&text), text.len);
		strbuf_release(&text);
	}
}

/* Waits for news of the application for at most a slice. */
static void wait_for_news(const struct app_host *h)
{
	struct pollfd fd[POLL_FDS];
	u32 n = channel_wait_for(&h->channel, fd);
	if (h->process.fd >= 0)
		fd[n++] = (struct pollfd){.fd = h->process.fd, .events = POLLIN};
	for (u32 i = 0; i < ARRAY_LEN(h->process.output); i++)
		if (h->process.output[i] >= 0)
			fd[n++] = (struct pollfd){.fd = h->process.output[i], .events = POLLIN};
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
	r.from = 0;
	if (r.op == WIRE_HELLO)
		r.a[1] = 0;
	if (r.op == WIRE_CLOCK)
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

static void tell_cut(struct session *s, const struct app_host *h)
{
	char from[GROUPED_MAX];
	strbuf_addf(
	    &s->output,
	    "%s: history.host_mb=%u is full: from cycle %s on the past can be looked at, but not changed, as what the "
	    "application was told is no longer kept\n",
	    s->programs[h->program].name, s->conf.history_host_mb, grouped(sim_cycle(s->sim), from));
}

static void app_turn_over(struct session *s, struct host *base)
{
	struct app_host *h = (struct app_host *)base;
	if (h->records_on)
		record_add(&h->records, RECORD_TURN, h->output, NULL, 0);
	if (h->records.cut && !h->cut_told)
		tell_cut(s, h);
	h->cut_told = h->records.cut;
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

static bool answer(const struct session *s, struct app_host *h, struct wire_reply *a)
{
	a->simulated = app_ns(s, sim_cycle(s->sim));
	return channel_answer(&h->channel, a, h->request.op == WIRE_HELLO);
}

static bool gone(struct app_host *h)
{
	return h->started && h->awaits != AWAIT_NOTHING && process_ended(&h->process);
}

/* Can the one that waits be told to ask again later? */
static bool may_be_nudged(const struct app_host *h)
{
	return h->awaits != AWAIT_NOTHING && h->awaits != AWAIT_CYCLE;
}

static bool calls(struct host *base)
{
	struct app_host *h = (struct app_host *)base;
	h->nudged |= h->started && may_be_nudged(h) && channel_nudged(&h->channel);
	return h->nudged || gone(h);
}

static bool may_call(struct host *base)
{
	struct app_host *h = (struct app_host *)base;
	return h->started && may_be_nudged(h) && process_threads(h->channel.pid) > 1;
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
			if (may_be_nudged(h))
				h->nudged = machine_nudged(h, h->nudged);
			if (!serve_ready(s, h, false)) {
				if (h->lost.set)
					return HOST_FAILED;
				if (!gone(h))
					return wait_for_machine(h);
				s->app_gone = true;
				take_output(s, h);
				return ended(s, h);
			}
			serve_late(s, h, &a);
			answer(s, h, &a);
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
			answer(s, h, &a);
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
	const struct fault *f = front_fault(gpu_front(sim_gpu(s->sim)));
	if (!sim_faulted(s->sim))
		return CUDA_LAUNCH_TIMEOUT;
	switch (f->code) {
	case FAULT_OOB:
	case FAULT_FREED:
	case FAULT_READONLY: return CUDA_ILLEGAL_ADDRESS;
	case FAULT_TRAP: return f->addr ? CUDA_ASSERT : CUDA_LAUNCH_FAILURE;
	case FAULT_MISALIGNED: return CUDA_MISALIGNED_ADDRESS;
	case FAULT_UNSUPPORTED: return CUDA_ILLEGAL_INSTRUCTION;
	case FAULT_BAD_CALL: return CUDA_INVALID_PC;
	case FAULT_STACK_OVERFLOW:
	case FAULT_ALLOCA:
	case FAULT_CALL_DEPTH: return CUDA_STACK_ERROR;
	default: return CUDA_LAUNCH_FAILURE; /* shared memory, local memory, barriers... */
	}
}

/* Each call that is under way or follows is answered with the error, as CUDA does it after a fault. */
static void abandon(struct session *s, struct host *base)
{
	struct app_host *h = (struct app_host *)base;
	struct wire_reply a = {.status = abandoned_status(s)};
	if (h->awaits != AWAIT_NOTHING)
		answer(s, h, &a);
	h->awaits = AWAIT_NOTHING;
	for (u32 i = 0; i < END_MS / SLICE_MS && !process_ended(&h->process) && !lua_interrupted();) {
		take_output(s, h);
		if (channel_look(&h->channel, &h->request) == CHANNEL_REQUEST) {
			answer(s, h, &a);
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
	h->started = h->nudged = false;
	h->channel.processes = 0;
	h->base.stream = HOST_ALL_STREAMS;
	h->base.wake = NEVER;
	memset(h->clock_ahead, 0, sizeof h->clock_ahead);
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

static bool may_rebuild(const struct host *base, u32 turns)
{
	const struct app_host *h = (const struct app_host *)base;
	return records_reach(&h->records, turns);
}

static enum host_state rebuild(struct session *s, struct host *base, u32 turns, struct err *e)
{
	struct app_host *h = (struct app_host *)base;
	enum host_state state = HOST_WAITS;
	end_process(h, 0);
	records_feed(&h->records);
	h->output = 0;
	h->skip = turns ? output_at(&h->records, turns) : 0;
	if (s->app_copy && s->nprograms == 1)
		app_copy_cut(s->app_copy, h->skip);
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
                                             .may_rebuild = may_rebuild,
                                             .free = app_free,
                                             .ready = ready,
                                             .abandon = abandon,
                                             .turn_over = app_turn_over,
                                             .calls = calls,
                                             .may_call = may_call};

struct host *host_app_new(struct session *s, struct err *e)
{
	struct app_host *h = xcalloc(1, sizeof *h);
	h->base = (struct host){.ops = &app_host_ops, .stream = HOST_ALL_STREAMS, .wake = NEVER};
	h->program = s->now->index;
	h->calls_seen = s->calls;
	s->app_records.most = (u64)s->conf.history_host_mb << 20;
	h->records.budget = &s->app_records;
	h->process = APP_PROCESS_NONE;
	h->channel = (struct channel){.listening = -1, .fd = -1, .memory = -1};
	h->library_dir = process_library_dir(e);
	h->base.kernel_text = &h->printed;
	if (s->opt->app_output && !s->app_copy)
		s->app_copy = app_copy_open(s->opt->app_output, e);
	if (h->library_dir && (s->app_copy || !s->opt->app_output) && channel_open(&h->channel, e))
		return &h->base;
	app_free(&h->base);
	return NULL;
}
