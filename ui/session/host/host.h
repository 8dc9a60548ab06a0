/* host: the host program of a session. It allocates, copies, launches and waits, as main() of a CUDA program does.
 *
 * There are three kinds: a Lua coroutine (ui/session/host/host_lua.c), the built-in one for a PTX file of the command
 * line (ui/session/host/host_ptx.c), and an application, which is a process of its own (ui/session/app). step() goes on
 * until the program has to wait for the machine, ends, or fails. */
#ifndef UI_SESSION_HOST_HOST_H
#define UI_SESSION_HOST_HOST_H
#include "session/state.h"

enum host_state {
	HOST_WAITS, /* until host->stream is idle: call step() again then */
	HOST_BUSY,  /* an application works by itself: the step is not over, call step() again */
	HOST_ENDED,
	HOST_FAILED, /* *e */
};
#define HOST_ALL_STREAMS (-1)
#define HOST_ASKED (-2) /* ready() says when */
struct host;
struct host_ops {
	enum host_state (*step)(struct session *s, struct host *h, struct err *e);
	/* History was forked: brings the program back to where it stood after `turns` steps, without touching the machine.
	 */
	enum host_state (*rebuild)(struct session *s, struct host *h, u32 turns, struct err *e);
	void (*free)(struct host *h);
	/* May a step do something? Asked between steps, of one that waits for HOST_ASKED. */
	bool (*ready)(struct session *s, struct host *h);
	/* Could it be brought back so? NULL: always. */
	bool (*may_rebuild)(const struct host *h, u32 turns);
	/* The machine can do no more for it (a fault, a hang): the program is told, and ends by itself if it can. NULL: it
	 * need not know. */
	void (*abandon)(struct session *s, struct host *h);
	/* A turn has ended with what its steps have done so far. NULL: it does not matter. */
	void (*turn_over)(struct session *s, struct host *h);
	/* While it waits for the machine: has it gone (a signal, _exit() of another thread), or does another thread of it
	 * want to go on? NULL: it cannot. */
	bool (*calls)(struct host *h);
	/* Might another thread of it? NULL: there is none. */
	bool (*may_call)(struct host *h);
};
struct host { /* the first member of each host program's own struct */
	const struct host_ops *ops;
	s64 stream;                 /* what it waits for: HOST_ALL_STREAMS, HOST_ASKED or a stream */
	struct strbuf *kernel_text; /* takes what its kernels print; NULL: the session's output does */
	u64 wake;                   /* with HOST_ASKED: it is ready in this cycle at the latest */
};
/* The host program of the session's options, not started yet. NULL with *e. */
struct host *host_lua_new(struct session *s, const char *path, struct err *e);
struct host *host_ptx_new(struct session *s, const char *path, struct err *e);
struct host *host_app_new(struct session *s, struct err *e); /* ui/session/app/app_host.c */
#endif
