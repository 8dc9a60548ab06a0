/* host: the host program of a session. It allocates, copies, launches and waits, as main() of a CUDA program does.
 *
 * There are two kinds: a Lua coroutine (ui/session/host/host_lua.c), and the built-in one for a PTX file of the command
 * line (ui/session/host/host_ptx.c). step() goes on until the program has to wait for the machine, ends, or fails. */
#ifndef UI_SESSION_HOST_HOST_H
#define UI_SESSION_HOST_HOST_H
#include "session/state.h"

enum host_state {
	HOST_WAITS, /* until host->stream is idle: call step() again then */
	HOST_ENDED,
	HOST_FAILED, /* *e */
};
#define HOST_ALL_STREAMS (-1)
struct host;
struct host_ops {
	enum host_state (*step)(struct session *s, struct host *h, struct err *e);
	/* History was forked: brings the program back to where it stood after `turns` steps, without touching the machine.
	 */
	enum host_state (*rebuild)(struct session *s, struct host *h, u32 turns, struct err *e);
	void (*free)(struct host *h);
};
struct host { /* the first member of each host program's own struct */
	const struct host_ops *ops;
	s64 stream; /* what it waits for: HOST_ALL_STREAMS or a stream */
};
/* The host program of the session's options, not started yet. NULL with *e. */
struct host *host_lua_new(struct session *s, const char *path, struct err *e);
struct host *host_ptx_new(struct session *s, const char *path, struct err *e);
#endif
