/* The common part of lua_policy.c (files, names), policy_warp.c, policy_cta.c and policy_partition.c. */
#ifndef UI_SESSION_POLICY_POLICY_INTERNAL_H
#define UI_SESSION_POLICY_POLICY_INTERNAL_H
#include "lua/lua.h"
#include "session/state.h"

/* Its Lua state keeps the policy's functions and objects on its stack, at fixed places. */
enum {
	AT_CHOOSE = 1, /* pick, next or plan */
	AT_FIRST,      /* issued or init */
	AT_SECOND,     /* warps_started or done */
	AT_THIRD,      /* warps_gone */
	AT_EXPLAIN,    /* explain */
	AT_METHODS,    /* metatable of the objects */
	AT_OBJECTS,    /* cta: table by launch id; warp: the object of scheduler 0 of SM 0, the others behind it;
	                  partition: its one object */
};
struct lua_policy {
	struct lua_policy *next;
	lua_State *L;
	char *name; /* as in the configuration */
	enum policy_kind kind;
	bool stateless;
	u32 scheds;  /* per SM */
	int objects; /* warp: stack index of the last one */
	u64 since;   /* cycle at which it was loaded */
	u64 now;     /* of the call under way */
	u64 latest;  /* of the last one: when it was later than `now` time has gone back */
	struct external_warp_sched warp_sched;
	struct external_cta_sched cta_sched;
	struct external_partition partition;
	/* During a call: what it is about, and the object it was given. */
	const struct sched_view *warp_view;
	const struct cta_view *cta_view;
	const struct partition_view *partition_view;
	const struct partition_plan *partition_plan;
	void *state; /* struct external_sched_state, external_cta_state or external_partition_state */
	const void *self;
};

/* Put pick, next or plan and the optional functions of the table at index 1 in their places, methods and objects behind
 * them. */
void policy_setup_warp(struct lua_policy *p, struct session *s, lua_State *L);
void policy_setup_cta(struct lua_policy *p, struct session *s, lua_State *L);
void policy_setup_partition(struct lua_policy *p, struct session *s, lua_State *L);
/* The policy of a method, whose first argument must be the object of the call under way. */
struct lua_policy *policy_self(lua_State *L);
/* Creates an object with the methods' metatable, which is at a stack index, and its `state` table unless the policy is
 * stateless. */
void policy_push_object(struct lua_policy *p, lua_State *L, int methods);
/* Sets a number of an object on top. */
void policy_set_field(lua_State *L, const char *name, u64 v);
/* Puts the methods (closures over p) into place AT_METHODS. */
void policy_set_methods(struct lua_policy *p, lua_State *L, const luaL_Reg *methods);
/* Calls with nargs arguments pushed behind a function and an object. False with *e = message with traceback. */
bool policy_call(struct lua_policy *p, int nargs, int nresults, struct err *e);
/* Of a policy that says `stateless = true`: remembers what its Lua state holds; has it changed that since? */
bool policy_promise_made(struct lua_policy *p, struct err *e);
bool policy_promise_kept(struct lua_policy *p, struct err *e);
/* Calls explain, pushed with its object and nargs arguments. Its results, at most two, are left on the stack; an error
 * is told in *out, nothing is left, and the answer is false. */
bool policy_explains(struct lua_policy *p, int nargs, int nresults, struct strbuf *out);
/* Appends the string on top, if it is one, and takes it off. */
void policy_take_text(lua_State *L, struct strbuf *out);
/* Reads or writes one of the words that go back in time: get(i), put(i, value). */
int policy_get_word(lua_State *L, const s64 *word, u32 n);
int policy_put_word(lua_State *L, s64 *word, u32 n);
/* Names the value at the top for an error message. */
const char *policy_value_text(lua_State *L);

/* What the module policy, sm, k and m have; each ends with a row of NULLs. Documented in docs_policy.c. */
extern const luaL_Reg policy_module[], policy_warp_methods[], policy_cta_methods[], policy_partition_methods[];
#endif
