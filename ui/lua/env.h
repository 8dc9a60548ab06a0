/* env: the data that a Lua state of this program carries with it, for lua.c (the sandbox) and guard.c (calls and their
 * bounds). It is reached through lua_getextraspace, which coroutines copy from their creator. */
#ifndef UI_LUA_ENV_H
#define UI_LUA_ENV_H
#include <signal.h>
#include <lua.h>
#include "base/strbuf.h"

struct lua_env {
	struct session *s;
	struct strbuf *printed; /* where print() writes; NULL = nowhere */
	u64 seed;
	char *data_dir;
	u64 left;                    /* VM instructions of the budget left */
	u64 granted;                 /* the budget as granted, for the message */
	volatile sig_atomic_t ticks; /* of processor time that the budget has taken... */
	sig_atomic_t most_ticks;     /* ...and may take */
	const char *ended;           /* why there is nothing left of it; NULL: used up */
	size_t bytes;                /* allocated */
	bool deaf;                   /* to lua_interrupt() */
	u32 scripts;                 /* calls of script code under way, one within the other */
};

static inline struct lua_env *lua_env_of(lua_State *L)
{
	return *(struct lua_env **)lua_getextraspace(L);
}

/* Has the state's hook, and the process its clock, which guard.c needs; once per state. */
void lua_bound(lua_State *L);
/* L is what runs now, a coroutine perhaps; the answer is what did before, to be put back by the same function. */
lua_State *lua_now_runs(lua_State *L);
#endif
