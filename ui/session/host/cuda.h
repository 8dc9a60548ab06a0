/* cuda: shared by the files that make up the cuda.* module; nobody else includes this. */
#ifndef UI_SESSION_HOST_CUDA_H
#define UI_SESSION_HOST_CUDA_H
#include "session/host/host.h"
#include "session/host/answers.h"
#include "session/host/array.h"
#include "lua/lua.h"

struct lua_host {
	struct host base;
	lua_State *L;          /* the session's state, which outlives the host program */
	lua_State *co;         /* the host program's coroutine; NULL before the first step */
	int co_ref, table_ref; /* registry: coroutine; the table the workload file returned */
	bool stepping;         /* inside step() now */
	bool waits;            /* the step ended in a wait of cuda.* */
	u32 streams;           /* made by cuda.stream(); ids 1 .. streams */
	s8 *priority;          /* of those streams, by id - 1 */
	const char *path;      /* of the file, while it is loaded */
	char *dir;             /* the script's directory, for cuda.module */
	u32 checks;            /* run so far */
	u64 rng;               /* of array:rand */
	int env_ref;           /* registry: its global variables; none of its own where it is the only program */
	struct answers answers;
};
/* Handles that scripts hold. generation: of the session that made them; a stale one is an error, not a crash. */
struct module_handle {
	u64 generation;
	struct module *m;
};
struct kernel_handle {
	u64 generation;
	struct module *m;
	const struct func *fn;
};
struct scalar_handle {
	enum ptype type;
	u64 bits;
};
/* The session whose running host program called the function; raises an error for any other caller. */
struct session *host_session(lua_State *L);
struct module *host_check_module(lua_State *L, int at);
struct kernel_handle *host_check_kernel(lua_State *L, int at);
/* Of a stream of the running host program. */
s8 host_stream_priority(const struct session *s, u32 stream);
/* The answers of the running host program. */
struct answers *host_answers(lua_State *L);
/* Raises *e as a Lua error with the caller's place in front. */
int host_raise(lua_State *L, const struct err *e);
/* Runs k once the stream (HOST_ALL_STREAMS) is idle: at once, or after the machine has run. Tail-call it. */
int host_synced(lua_State *L, s64 stream, lua_KFunction k);

/* Module table entries of the other files. */
int host_launch(lua_State *L);       /* ui/session/host/host_launch.c */
int host_scalar(lua_State *L);       /* upvalue 1: enum ptype */
int host_bind_texture(lua_State *L); /* ui/session/host/host_texture.c */
int host_texture(lua_State *L);
int host_surface(lua_State *L);
/* Pushes the cuda table; registers the handles' metatables. ui/session/host/host_cuda.c */
void host_push_cuda(lua_State *L);
#define MODULE_META "warpdbg.module"
#define KERNEL_META "warpdbg.kernel"
#define SCALAR_META "warpdbg.scalar"
#endif
