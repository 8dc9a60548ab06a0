/* What the host answers to an application's requests (cudart/wire.h). */
#include <stdlib.h>
#include <string.h>

#include "session/app/app.h"

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

static s32 failed(struct session *s, const struct app_host *h, s32 status, const char *text)
{
	app_tell(s, h, text);
	return status;
}

/* --- answers with bytes --- */

static void put_bytes(struct app_host *h, struct wire_reply *a, const void *data, u64 n)
{
	memcpy(h->channel.shared, data, n);
	a->bytes = n;
}

/* The request's text, which ends in shared memory where it says. */
static char *text_of(const struct app_host *h)
{
	return xstrndup((const char *)h->channel.shared, h->request.bytes);
}

/* --- hello, code --- */

static s32 hello(struct session *s, struct app_host *h, struct wire_reply *a)
{
	struct wire_device d = {0};
	if (h->request.a[0] != WIRE_VERSION)
		return failed(s, h, 803, "the library of another version of warpdbg: build both again");
	if (h->channel.processes > 1) { /* the child after its sibling: nothing is left of that one */
		serve_release(h);
		serve_begin(h);
	}
	device_of(s, &d);
	put_bytes(h, a, &d, sizeof d);
	return CUDA_OK;
}

static s32 module(struct session *s, struct app_host *h, struct wire_reply *a)
{
	struct strbuf label = STRBUF_INIT, notes = STRBUF_INIT;
	struct code c = {0};
	struct err e = {0};
	strbuf_add(&h->pieces, (const char *)h->channel.shared, h->request.bytes);
	strbuf_addf(&label, "%s#%u", s->programs[h->program].name, h->nmodules + 1);
	bool ok = true;
	s32 status = CUDA_NO_BINARY;
	if (h->request.a[0] == WIRE_PTX)
		code_of_ptx(&c, label.buf, h->pieces.buf, h->pieces.len);
	else
		ok = code_of_fat_binary(&c, label.buf, h->pieces.buf, h->pieces.len, s->conf.cuda_capability, &notes, &e);
	strbuf_clear(&h->pieces);
	struct module *m = NULL;
	if (ok) {
		status = CUDA_INVALID_PTX;
		m = machine_load(s, h, c.text, c.n, &e);
	}
	if (m) {
		code_forget_texts(&c);
		h->modules = xrealloc(h->modules, (h->nmodules + 1) * sizeof *h->modules);
		h->modules[h->nmodules++] = (struct app_module){m, c};
		a->v[0] = h->nmodules;
		status = CUDA_OK;
	} else {
		code_release(&c);
		app_tell(s, h, e.msg);
	}
	if (notes.len)
		app_tell(s, h, notes.buf);
	strbuf_release(&notes);
	strbuf_release(&label);
	return status;
}

static struct app_module *module_of(struct app_host *h)
{
	const u64 id = h->request.a[0];
	return id && id <= h->nmodules && h->modules[id - 1].m ? &h->modules[id - 1] : NULL;
}

static u32 function_number(struct app_host *h, const struct app_module *m, const struct func *fn)
{
	for (u32 i = 0; i < h->nfunctions; i++)
		if (h->functions[i].fn == fn && h->functions[i].m == m->m)
			return i + 1;
	h->functions = xrealloc(h->functions, (h->nfunctions + 1) * sizeof *h->functions);
	h->functions[h->nfunctions++] = (struct app_function){m->m, fn, code_registers(&m->code, fn->name)};
	return h->nfunctions;
}

static void describe_function(const struct session *s, const struct app_function *f, struct wire_function *w)
{
	const struct func *fn = f->fn;
	const u32 capability = s->conf.cuda_capability;
	const u64 maxntid = (u64)fn->maxntid[0] * MAX(fn->maxntid[1], 1u) * MAX(fn->maxntid[2], 1u);
	*w = (struct wire_function){.nparams = MIN(fn->nparams, WIRE_PARAMETERS),
	                            .param_bytes = fn->param_bytes,
	                            .regs = MIN(f->regs ? f->regs : fn->regs, s->conf.sm_max_regs_thread),
	                            .shared = fn->shared_bytes,
	                            .local = fn->local_bytes,
	                            .threads_max = maxntid ? (u32)MIN(maxntid, 1024u) : 1024,
	                            .ptx_version = capability,
	                            .binary_version = capability,
	                            .dynamic_max = s->conf.sm_shared - MIN(fn->shared_bytes, s->conf.sm_shared)};
	for (u32 i = 0; i < w->nparams; i++) {
		w->param[i].offset = fn->params[i].offset;
		w->param[i].size = fn->params[i].size;
	}
}

static s32 function(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const struct app_module *m = module_of(h);
	char *name = text_of(h);
	const struct func *fn = m ? module_func(m->m, name, true) : NULL;
	struct wire_function w;
	s32 status = CUDA_INVALID_FUNCTION;
	if (fn && fn->nparams <= WIRE_PARAMETERS) {
		a->v[0] = function_number(h, m, fn);
		describe_function(s, &h->functions[a->v[0] - 1], &w);
		put_bytes(h, a, &w, sizeof w);
		status = CUDA_OK;
	} else {
		struct strbuf text = STRBUF_INIT;
		strbuf_addf(&text, "no kernel '%s'%s", name, m ? "" : ": its module was refused");
		app_tell(s, h, text.buf);
		strbuf_release(&text);
	}
	free(name);
	return status;
}

static s32 symbol(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const struct app_module *m = module_of(h);
	char *name = text_of(h);
	s32 status = CUDA_INVALID_SYMBOL;
	for (u32 i = 0; m && i < m->m->nsymbols; i++) {
		const struct symbol *y = &m->m->symbols[i];
		if (!strcmp(y->name, name) && (y->space == SPC_GLOBAL || y->space == SPC_CONST)) {
			a->v[0] = y->addr;
			a->v[1] = y->size;
			status = CUDA_OK;
		}
	}
	free(name);
	return status;
}

/* --- memory --- */

static s32 allocate(struct session *s, struct app_host *h, struct wire_reply *a)
{
	struct err e = {0};
	const u64 bytes = h->request.a[0], align = h->request.a[1];
	if (align & (align - 1) || align > 1u << 21 || bytes > UINT64_MAX / 2)
		return CUDA_INVALID_VALUE;
	const u64 addr = machine_allocate(s, h, bytes + (align > 256 ? align : 0), "", &e);
	a->v[0] = addr && align > 256 ? round_up(addr, align) : addr;
	if (a->v[0] != addr) {
		h->aligned = xrealloc(h->aligned, (h->naligned + 1) * sizeof *h->aligned);
		h->aligned[h->naligned++] = (struct aligned){a->v[0], addr};
	}
	return addr ? CUDA_OK : CUDA_NO_MEMORY;
}

/* Where the machine's allocation begins that the application knows by this address. */
static u64 start_of(struct app_host *h, u64 addr)
{
	for (u32 i = 0; i < h->naligned; i++)
		if (h->aligned[i].addr == addr) {
			const u64 start = h->aligned[i].start;
			h->aligned[i] = h->aligned[--h->naligned];
			return start;
		}
	return addr;
}

/* Rows are inside one allocation when the first byte and the last are. */
static bool may_copy(struct session *s, struct app_host *h, u64 addr, u64 pitch, u64 width, u64 height, bool write)
{
	u64 span;
	if (!width || !height)
		return true;
	if ((height > 1 && pitch < width) || __builtin_mul_overflow(pitch, height - 1, &span) ||
	    __builtin_add_overflow(span, width, &span))
		return false;
	return machine_may_copy(s, h, addr, span, write);
}

static bool in_one_message(u64 width, u64 height)
{
	u64 n;
	return !__builtin_mul_overflow(width, height, &n) && n <= WIRE_SHARED;
}

static struct work *give(struct app_host *h, u64 stream, enum work_kind k, bool wait, u64 bytes)
{
	u8 *data = NULL;
	if (bytes) {
		data = xmalloc(bytes);
		memcpy(data, h->channel.shared, bytes);
	}
	struct work *w = stream_give(h, stream, k, &h->request, data, bytes);
	w->asked = wait;
	if (wait)
		h->awaits = AWAIT_WORK;
	return w;
}

static s32 to_device(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const u64 *q = h->request.a;
	if (q[0] != WIRE_AT_ONCE && !stream_of(h, q[0]))
		return CUDA_INVALID_HANDLE;
	if (!in_one_message(q[3], q[4]) || q[3] * q[4] != h->request.bytes || !may_copy(s, h, q[1], q[2], q[3], q[4], true))
		return CUDA_INVALID_VALUE;
	if (q[0] == WIRE_AT_ONCE)
		copy_rows(s, h, q[1], q[2], q[3], q[4], h->channel.shared, true);
	else
		give(h, q[0], WORK_TO_DEVICE, q[5], h->request.bytes);
	return CUDA_OK;
}

static s32 from_device(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const u64 *q = h->request.a;
	if (q[0] != WIRE_AT_ONCE && !stream_of(h, q[0]))
		return CUDA_INVALID_HANDLE;
	if (!in_one_message(q[3], q[4]) || !may_copy(s, h, q[1], q[2], q[3], q[4], false))
		return CUDA_INVALID_VALUE;
	if (q[0] == WIRE_AT_ONCE) {
		copy_rows(s, h, q[1], q[2], q[3], q[4], h->channel.shared, false);
		a->bytes = q[3] * q[4];
	} else {
		give(h, q[0], WORK_FROM_DEVICE, q[5], 0);
	}
	return CUDA_OK;
}

static s32 on_device(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const u64 *q = h->request.a;
	if (!stream_of(h, q[0]))
		return CUDA_INVALID_HANDLE;
	if (!may_copy(s, h, q[1], q[2], q[5], q[6], true) || !may_copy(s, h, q[3], q[4], q[5], q[6], false))
		return CUDA_INVALID_VALUE;
	give(h, q[0], WORK_ON_DEVICE, q[7], 0);
	return CUDA_OK;
}

static s32 fill(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const u64 *q = h->request.a;
	if (!stream_of(h, q[0]))
		return CUDA_INVALID_HANDLE;
	if ((q[6] != 1 && q[6] != 2 && q[6] != 4) || q[3] % q[6] || !may_copy(s, h, q[1], q[2], q[3], q[4], true))
		return CUDA_INVALID_VALUE;
	give(h, q[0], WORK_FILL, q[7], 0);
	return CUDA_OK;
}

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
	                          .cooperative = a[9] & WIRE_COOPERATIVE,
	                          .params = params,
	                          .param_bytes = f->fn->param_bytes};
}

/* Which error CUDA gives for what does not fit. */
static s32 launch_status(const struct session *s, const struct app_function *f, const struct launch_spec *l)
{
	const u64 threads = (u64)l->block.x * l->block.y * l->block.z;
	if (!l->grid.x || !l->grid.y || !l->grid.z || !threads || threads > 1024 || l->grid.y > 65535 || l->grid.z > 65535)
		return CUDA_INVALID_CONFIGURATION;
	if ((u64)f->fn->shared_bytes + l->dynamic_shared > s->conf.sm_shared)
		return CUDA_INVALID_VALUE;
	return l->cooperative ? CUDA_COOPERATIVE_TOO_LARGE : CUDA_OUT_OF_RESOURCES;
}

static s32 launch(struct session *s, struct app_host *h, struct wire_reply *a)
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
		return failed(s, h, launch_status(s, f, &l), e.msg);
	give(h, q[8], WORK_LAUNCH, false, h->request.bytes);
	return CUDA_OK;
}

static s32 occupancy(struct session *s, struct app_host *h, struct wire_reply *a)
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

static s32 new_stream(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const s64 priority = (s64)h->request.a[1];
	a->v[0] = stream_new(h, !(h->request.a[0] & 1), (s8)MAX(MIN(priority, PRIORITY_LAST), PRIORITY_FIRST));
	return CUDA_OK;
}

static s32 free_stream(struct session *s, struct app_host *h, struct wire_reply *a)
{
	struct app_stream *st = stream_of(h, h->request.a[0]);
	if (!st || !h->request.a[0])
		return CUDA_INVALID_HANDLE;
	st->free_when_idle = true;
	return CUDA_OK;
}

static s32 sync_stream(struct session *s, struct app_host *h, struct wire_reply *a)
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

static bool stream_is_done(struct session *s, struct app_host *h, u64 id)
{
	return id == WIRE_ALL_STREAMS ? streams_done(s, h, false) : stream_done(s, h, (u32)id, false);
}

static s32 query_stream(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const u64 id = h->request.a[0];
	if (id != WIRE_ALL_STREAMS && !stream_of(h, id))
		return CUDA_INVALID_HANDLE;
	return query(s, h, stream_is_done(s, h, id));
}

static s32 wait_event(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const struct app_event *ev = event_of(h, h->request.a[1]);
	if (!stream_of(h, h->request.a[0]) || !ev)
		return CUDA_INVALID_HANDLE;
	if (ev->asked)
		give(h, h->request.a[0], WORK_WAIT, false, 0)->a[2] = ev->asked;
	return CUDA_OK;
}

static s32 new_event(struct session *s, struct app_host *h, struct wire_reply *a)
{
	a->v[0] = event_new(h);
	return CUDA_OK;
}

static s32 free_event(struct session *s, struct app_host *h, struct wire_reply *a)
{
	struct app_event *ev = event_of(h, h->request.a[0]);
	if (!ev)
		return CUDA_INVALID_HANDLE;
	*ev = (struct app_event){0};
	return CUDA_OK;
}

static s32 record_event(struct session *s, struct app_host *h, struct wire_reply *a)
{
	struct app_event *ev = event_of(h, h->request.a[0]);
	if (!ev || !stream_of(h, h->request.a[1]))
		return CUDA_INVALID_HANDLE;
	ev->asked = give(h, h->request.a[1], WORK_RECORD, false, 0)->seq;
	return CUDA_OK;
}

static s32 sync_event(struct session *s, struct app_host *h, struct wire_reply *a)
{
	if (!event_of(h, h->request.a[0]))
		return CUDA_INVALID_HANDLE;
	h->awaits = AWAIT_EVENT;
	return CUDA_OK;
}

static s32 query_event(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const struct app_event *ev = event_of(h, h->request.a[0]);
	if (!ev)
		return CUDA_INVALID_HANDLE;
	return query(s, h, event_done(s, h, ev, ev->asked, false));
}

static s32 elapsed(struct session *s, struct app_host *h, struct wire_reply *a)
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

static s32 call_host(struct session *s, struct app_host *h, struct wire_reply *a)
{
	if (!stream_of(h, h->request.a[0]))
		return CUDA_INVALID_HANDLE;
	give(h, h->request.a[0], WORK_CALL, false, 0);
	return CUDA_OK;
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
	put_bytes(h, a, d.data ? d.data : (u8 *)"", d.n);
	free(d.data);
	return CUDA_OK;
}

static enum ptype texel_type(const struct wire_texture *t)
{
	static const enum ptype types[3][3] = {{T_S8, T_S16, T_S32}, {T_U8, T_U16, T_U32}, {T_NONE, T_F16, T_F32}};
	if (t->kind > 2 || (t->bits != 8 && t->bits != 16 && t->bits != 32))
		return T_NONE;
	return types[t->kind][t->bits == 8 ? 0 : t->bits == 16 ? 1 : 2];
}

static s32 texture(struct session *s, struct app_host *h, struct wire_reply *a, bool surface)
{
	struct wire_texture w;
	struct err e = {0};
	if (h->request.bytes != sizeof w)
		return CUDA_INVALID_VALUE;
	memcpy(&w, h->channel.shared, sizeof w);
	const enum ptype type = texel_type(&w);
	if (type == T_NONE || (w.channels != 1 && w.channels != 2 && w.channels != 4))
		return failed(s, h, CUDA_INVALID_VALUE, "texels of this kind are not supported");
	struct texture t = {.addr = w.address,
	                    .width = w.width,
	                    .height = w.height,
	                    .depth = w.depth,
	                    .pitch = w.pitch ? w.pitch : (u64)w.width * w.channels * ptype_bytes(type),
	                    .channels = (u8)w.channels,
	                    .type = (u8)type,
	                    .linear = w.linear,
	                    .normalised_coords = w.normalised,
	                    .read_normalised = w.read_normalised};
	for (u32 i = 0; i < 3; i++)
		t.address[i] = (u8)MIN(w.address_mode[i], 3u);
	a->v[0] = machine_texture(s, h, &t, surface, &e);
	return a->v[0] ? CUDA_OK : failed(s, h, CUDA_INVALID_VALUE, e.msg);
}

static s32 refused(struct session *s, struct app_host *h)
{
	char *text = text_of(h);
	app_tell(s, h, text);
	free(text);
	return CUDA_OK;
}

static s32 dispatch(struct session *s, struct app_host *h, struct wire_reply *a)
{
	switch ((enum wire_op)h->request.op) {
	case WIRE_HELLO: return hello(s, h, a);
	case WIRE_MORE: strbuf_add(&h->pieces, (const char *)h->channel.shared, h->request.bytes); return CUDA_OK;
	case WIRE_MODULE: return module(s, h, a);
	case WIRE_MODULE_FREE: return module_of(h) ? CUDA_OK : CUDA_INVALID_HANDLE; /* the machine keeps it */
	case WIRE_FUNCTION: return function(s, h, a);
	case WIRE_SYMBOL: return symbol(s, h, a);
	case WIRE_ALLOCATE: return allocate(s, h, a);
	case WIRE_FREE: h->awaits = AWAIT_FREE; return CUDA_OK;
	case WIRE_LAUNCH: return launch(s, h, a);
	case WIRE_TO_DEVICE: return to_device(s, h, a);
	case WIRE_FROM_DEVICE: return from_device(s, h, a);
	case WIRE_ON_DEVICE: return on_device(s, h, a);
	case WIRE_FILL: return fill(s, h, a);
	case WIRE_STREAM: return new_stream(s, h, a);
	case WIRE_STREAM_FREE: return free_stream(s, h, a);
	case WIRE_STREAM_SYNC: return sync_stream(s, h, a);
	case WIRE_STREAM_QUERY: return query_stream(s, h, a);
	case WIRE_STREAM_WAIT: return wait_event(s, h, a);
	case WIRE_EVENT: return new_event(s, h, a);
	case WIRE_EVENT_FREE: return free_event(s, h, a);
	case WIRE_EVENT_RECORD: return record_event(s, h, a);
	case WIRE_EVENT_SYNC: return sync_event(s, h, a);
	case WIRE_EVENT_QUERY: return query_event(s, h, a);
	case WIRE_EVENT_ELAPSED: return elapsed(s, h, a);
	case WIRE_CALL_HOST: return call_host(s, h, a);
	case WIRE_CALL_DONE: streams_call_done(h, h->request.a[0]); return CUDA_OK;
	case WIRE_NEXT: return next(s, h, a);
	case WIRE_OCCUPANCY: return occupancy(s, h, a);
	case WIRE_TEXTURE: return texture(s, h, a, false);
	case WIRE_SURFACE: return texture(s, h, a, true);
	case WIRE_MEMORY: machine_memory(s, h, &a->v[0], &a->v[1]); return CUDA_OK;
	case WIRE_TIME:
		a->v[0] = (u64)((double)machine_cycle(s, h, false) * 1000 / s->conf.core_clock);
		return CUDA_OK;
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
	case AWAIT_CYCLE: return machine_cycle(s, h, look) >= h->until || streams_done(s, h, look); /* no time goes by then */
	}
	return true;
}

bool serve_ready(struct session *s, struct app_host *h, bool look)
{
	return is_there(s, h, look) || (h->ndeliveries && held_up(h));
}

/* Bytes for the one who waits: the rows of a copy. */
static void give_rows(struct app_host *h, struct wire_reply *a)
{
	struct work *w = h->finished;
	if (w && w->kind == WORK_FROM_DEVICE)
		put_bytes(h, a, w->data, w->n);
	if (w) {
		free(w->data);
		free(w);
	}
	h->finished = NULL;
}

/* Not yet: the work goes on as work that nobody waits for. */
static void wait_no_longer(struct app_host *h)
{
	for (u32 i = 0; i < h->nstreams; i++)
		for (struct work *w = h->streams[i].first; w; w = w->next)
			w->asked = false;
}

static s32 free_memory(struct session *s, struct app_host *h)
{
	struct err e = {0};
	return machine_free(s, h, start_of(h, h->request.a[0]), &e) ? CUDA_OK : CUDA_INVALID_VALUE;
}

static s32 answer_query(struct session *s, struct app_host *h)
{
	const u64 id = h->request.a[0];
	const struct app_event *ev = event_of(h, id);
	const bool done = h->request.op == WIRE_STREAM_QUERY ? stream_is_done(s, h, id)
	                                                      : event_done(s, h, ev, ev->asked, false);
	return done ? CUDA_OK : CUDA_NOT_READY;
}

void serve_late(struct session *s, struct app_host *h, struct wire_reply *a)
{
	*a = (struct wire_reply){0};
	if (!is_there(s, h, false)) {
		a->status = CUDA_NOT_READY;
		wait_no_longer(h);
	} else if (h->awaits == AWAIT_WORK) {
		give_rows(h, a);
	} else if (h->awaits == AWAIT_FREE) {
		a->status = free_memory(s, h);
	} else if (h->awaits == AWAIT_CYCLE) {
		a->status = answer_query(s, h);
	}
	complete(s, h, a);
}
