/* app: an application as the host program of a session; shared by the files of this folder, nobody else includes it.
 *
 * The application runs as a process of its own and asks over a channel (cudart/wire.h). A step of the host serves its
 * requests until one has to wait for the machine. Then the machine runs, and the next step answers.
 *
 * All that the host knows of the application - streams, events, work that waits - is made by its requests and by what
 * the machine answers to the calls of machine.h. So it can be built again from both: see records.h. */
#ifndef UI_SESSION_APP_APP_H
#define UI_SESSION_APP_APP_H
#include "base/strbuf.h"
#include "cudart/clock.h"
#include "session/app/app_copy.h"
#include "session/app/channel.h"
#include "session/app/code.h"
#include "session/app/host_calls.h"
#include "session/app/process.h"
#include "session/app/records.h"
#include "session/host/host.h"

/* cudaError_t, as far as this side answers with them (driver_types.h; numbers are part of CUDA's ABI). */
enum cuda_error {
	CUDA_OK = 0,
	CUDA_INVALID_VALUE = 1,
	CUDA_NO_MEMORY = 2,
	CUDA_INVALID_CONFIGURATION = 9,
	CUDA_INVALID_SYMBOL = 13,
	CUDA_INVALID_FUNCTION = 98,
	CUDA_INVALID_PTX = 218,
	CUDA_NO_BINARY = 209,
	CUDA_INVALID_HANDLE = 400,
	CUDA_NOT_FOUND = 500,
	CUDA_NOT_READY = 600,
	CUDA_ILLEGAL_ADDRESS = 700,
	CUDA_OUT_OF_RESOURCES = 701,
	CUDA_LAUNCH_TIMEOUT = 702,
	CUDA_ASSERT = 710,
	CUDA_STACK_ERROR = 714,
	CUDA_ILLEGAL_INSTRUCTION = 715,
	CUDA_MISALIGNED_ADDRESS = 716,
	CUDA_INVALID_PC = 718,
	CUDA_LAUNCH_FAILURE = 719,
	CUDA_COOPERATIVE_TOO_LARGE = 720,
	CUDA_NOT_SUPPORTED = 801,
	CUDA_UNKNOWN = 999
};

/* A piece of work that a stream has been given. */
enum work_kind {
	WORK_LAUNCH,
	WORK_TO_DEVICE,
	WORK_FROM_DEVICE,
	WORK_ON_DEVICE,
	WORK_FILL,
	WORK_RECORD,
	WORK_WAIT,
	WORK_CALL
};
struct work {
	struct work *next; /* of its stream */
	u64 seq;           /* 1, 2, ... in the order in which work was given */
	enum work_kind kind;
	bool asked;    /* the application waits for it, and its answer */
	bool borrowed; /* data is the channel's memory, which stays as it is while the application waits */
	u64 a[WIRE_ARGUMENTS];
	u8 *data; /* rows to copy, parameters of a launch */
	u64 n;
	u64 call; /* WORK_CALL: the number of its delivery, once that is ready */
	char name[WIRE_CALL];
	const char *from; /* of a launch: the host's call, for people */
};
struct app_stream {
	struct work *first, *last;
	bool used, free_when_idle;
	bool blocking;  /* waits for stream 0, and stream 0 for it; stream 0 itself: true */
	bool in_flight; /* a launch of it may be under way */
	s8 priority;
	s32 launch; /* the last one, -1: none */
};
struct app_event {
	bool freed;      /* the application has; work that refers to it may be left */
	u64 asked, done; /* sequence numbers: of its last record; of the last that has been executed */
	s32 launch;      /* it comes when that one has ended; -1: came at `cycle` */
	u64 cycle;
};
struct app_function {
	struct module *m;
	const struct func *fn;
	u32 regs; /* of a thread, by the machine code beside the PTX; 0: not known */
};
struct app_module {
	struct module *m; /* NULL: freed */
	struct code code; /* the machine code of its kernels */
};
struct delivery {
	u64 v[WIRE_VALUES]; /* as WIRE_NEXT answers; v[0] = enum wire_delivery */
	u8 *data;
	u64 n;
};
/* What the request that is under way waits for. */
enum awaited { AWAIT_NOTHING, AWAIT_WORK, AWAIT_STREAM, AWAIT_ALL, AWAIT_EVENT, AWAIT_CYCLE, AWAIT_FREE };

struct app_host {
	struct host base;
	struct app_process process;
	struct channel channel;
	struct records records;
	bool cut_told;                 /* that its records are cut */
	struct call_texts *calls_seen; /* the session's */
	bool records_on;               /* there is a history that might be gone back in */
	bool started;
	char *library_dir;
	bool copied;           /* its output passes through here on the way to warpdbg's own */
	u64 output, skip;      /* bytes that the application has written; to be dropped while it is fed */
	struct strbuf printed; /* by kernels, on the way to the application's standard output */

	struct wire_request request; /* under way, if `awaits` says so */
	enum awaited awaits;
	u64 until;             /* AWAIT_CYCLE */
	struct work *finished; /* AWAIT_WORK: it is done */
	bool nudged;           /* another thread of it wants its turn: the one that waits is to ask again later */

	struct strbuf pieces; /* WIRE_MORE */
	struct app_module *modules;
	u32 nmodules;
	struct app_function *functions;
	u32 nfunctions;
	struct app_stream *streams; /* [0]: the default stream */
	u32 nstreams;
	struct app_event *events; /* [0]: none */
	u32 nevents;
	u64 seq;   /* of the last work given */
	u64 calls; /* deliveries of functions so far */
	struct delivery *deliveries;
	u32 ndeliveries, deliveries_cap;
	struct aligned {
		u64 addr, start;
	} * aligned; /* allocations that begin behind the machine's */
	u32 naligned;
	/* By enum clock_kind: its first process had used so much more when it was asked last (modulo 2^64). */
	u64 clock_ahead[3];
	u64 clock_begun; /* when the first process started, on the monotonic clock; 0: not yet */
	u64 clock_behind;
	s32 sticky;      /* the machine cannot do what was asked of it: the answer to all that follows */
	u32 program;     /* the session's number of it */
	struct err lost; /* while it is fed: how it went another way than the first time */
};

/* --- machine.c: all that the host does to the machine or asks of it, on record --- */
u64 machine_allocate(struct session *s, struct app_host *h, u64 bytes, const char *name, struct err *e); /* 0: *e */
bool machine_free(struct session *s, struct app_host *h, u64 addr, struct err *e);
/* Are these bytes of one live allocation, which the host may write? */
bool machine_may_copy(struct session *s, struct app_host *h, u64 addr, u64 n, bool write);
void machine_write(struct session *s, struct app_host *h, u64 addr, const void *data, u64 n, u64 following);
void machine_read(struct session *s, struct app_host *h, u64 addr, void *out, u64 n);
void machine_memory(struct session *s, struct app_host *h, u64 *left, u64 *all); /* bytes */
struct module *machine_load(struct session *s, struct app_host *h, const struct source_text *texts, u32 n,
                            struct err *e);
u64 machine_texture(struct session *s, struct app_host *h, const struct texture *t, bool surface, struct err *e);
s32 machine_launch(struct session *s, struct app_host *h, const struct launch_spec *l, struct err *e); /* -1: *e */
/* Text that kernels have printed since the last time, appended. */
void machine_printed(struct session *s, struct app_host *h, struct strbuf *out);
/* `look`: asked between steps, so not on record. */
bool machine_stream_idle(struct session *s, struct app_host *h, u32 stream, bool look);
u64 machine_ended_at(struct session *s, struct app_host *h, s32 launch, bool look); /* cycle; 0: not yet */
u64 machine_cycle(struct session *s, struct app_host *h, bool look);
/* What the application has measured of its own time (cudart/clock.h), as it was the first time. */
u64 machine_measured(struct app_host *h, u32 kind, u64 measured);
/* Has a thread asked for its turn, as it was the first time? */
bool machine_nudged(struct app_host *h, bool nudged);
u64 app_ns(const struct session *s, u64 cycle); /* simulated time */

/* --- streams.c: work in its order --- */
u32 stream_new(struct app_host *h, bool blocking, s8 priority);
struct app_stream *stream_of(struct app_host *h, u64 id); /* NULL: there is none */
u32 event_new(struct app_host *h);
struct app_event *event_of(struct app_host *h, u64 id);
/* Gives a stream work, whose data become its own. */
struct work *stream_give(struct app_host *h, u64 stream, enum work_kind k, const struct wire_request *r, u8 *data,
                         u64 n);
void stream_work_free(struct work *w);
/* The application waits no longer: what is borrowed of the channel becomes the work's own. */
void stream_work_owns(struct work *w);
/* Does all work whose turn has come. False with *e: the machine cannot do it. */
void streams_go_on(struct session *s, struct app_host *h);
/* Might anything of it be done now? Changes nothing. */
bool streams_may_go_on(struct session *s, struct app_host *h);
bool stream_done(struct session *s, struct app_host *h, u32 stream, bool look);
bool streams_done(struct session *s, struct app_host *h, bool look);
bool event_done(struct session *s, struct app_host *h, const struct app_event *ev, u64 seq, bool look);
u64 event_cycle(struct session *s, struct app_host *h, const struct app_event *ev);
/* Rows to device memory and from it; in `rows` they lie one behind the other. following: bytes of the same copy that
 * come later. */
void rows_to_device(struct session *s, struct app_host *h, u64 addr, u64 pitch, u64 width, u64 height, const u8 *rows,
                    u64 following);
void rows_from_device(struct session *s, struct app_host *h, u64 addr, u64 pitch, u64 width, u64 height, u8 *rows);
void streams_call_done(struct app_host *h, u64 number);
void streams_release(struct app_host *h);
void deliver(struct app_host *h, const u64 v[WIRE_VALUES], u8 *data, u64 n); /* data become its own */

/* --- serve.c --- */
/* Serves h->request. h->awaits then tells whether it is answered later: when serve_ready() says so, by serve_late(). */
void serve(struct session *s, struct app_host *h, struct wire_reply *a);
bool serve_ready(struct session *s, struct app_host *h, bool look);
void serve_late(struct session *s, struct app_host *h, struct wire_reply *a);
/* The state before the first request of a process. */
void serve_begin(struct app_host *h);
void serve_release(struct app_host *h);
/* A message for warpdbg's user. */
void app_tell(struct session *s, const struct app_host *h, const char *text);

/* What a launch's arguments (wire.h, WIRE_LAUNCH) mean; params lives as long as *l is used. */
void launch_spec_of(const struct session *s, const struct app_host *h, const struct app_function *f, const u64 *a,
                    const void *params, struct launch_spec *l);

/* --- device.c --- */
void device_of(const struct session *s, struct wire_device *d);
#endif
