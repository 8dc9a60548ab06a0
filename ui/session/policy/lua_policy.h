/* lua_policy: warp schedulers, CTA schedulers and partition policies written in Lua, named "lua:FILE" in their keys.
 *
 * Each file in use has a sandboxed Lua state of its own. It sees what a scheduler may see (its SM, its kernel), and
 * nothing of dbg, gpu or mem, which look across SMs. Its choices are checked (src/sm/sched/external.h). Its errors,
 * including tracebacks, stop the machine. */
#ifndef UI_SESSION_POLICY_LUA_POLICY_H
#define UI_SESSION_POLICY_LUA_POLICY_H
#include "base/err.h"
#include "conf/policy.h"
#include "lua/lua.h"

struct session;
#define POLICY_PREFIX "lua:"
/* VM instructions of one call of a policy; some ten milliseconds. */
#define POLICY_BUDGET 1000000ull

/* Is this the name of a policy in Lua? */
bool policy_is_lua(const char *name);
/* Can policies of this kind be written in Lua? POLICY_KINDS: no. */
bool policy_lua_kind(enum policy_kind k);
/* When value is "lua:FILE", loads FILE - a path, or a name in scripts/policies - as the policy for key ("warp-sched",
 * "cta-sched") and registers it with the session's machine; it comes into use by sim_set(). Other values and keys:
 * true, nothing happens. False with *e: the file is wrong, nothing has changed. Policies live until policy_close(). */
bool policy_load(struct session *s, const char *key, const char *value, struct err *e);
/* Those that the session's configuration names. */
bool policy_open(struct session *s, struct err *e);
/* False with *e: a policy in use promised to keep no state of its own and has not kept that, so a replay that leads to
 * `cycle` could go another way. */
bool policy_may_replay(struct session *s, u64 cycle, struct err *e);
/* Frees all policies of the session; after sim_destroy(). */
void policy_close(struct session *s);
#endif
