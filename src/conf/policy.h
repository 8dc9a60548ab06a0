/* Policies: the kinds of policies (policy_kinds.def), and what the policies of every kind have in common.
 *
 * A policy is a constant struct of its kind's operations that begins with POLICY_HEAD. A machine names the policy in
 * use by its place in its kind's list (gpu/policies.h), never by a pointer in its state. */
#ifndef CONF_POLICY_H
#define CONF_POLICY_H
#include "conf/conf.h"

enum policy_kind {
#define POLICY_KIND(id, field, kind, key, def, when, help) POLICY_##id,
#include "conf/policy_kinds.def"
#undef POLICY_KIND
	POLICY_KINDS
};

/* A structure that a policy adds to the hardware of an SM. */
struct policy_storage {
	const char *what;
	u32 bits, entries; /* bits of one entry */
};
#define POLICY_STORAGE_MAX 8

struct policy {
	const char *name, *help, *source; /* source: publication and section */
	/* Optional: configuration that comes with the policy's name unless the user says otherwise, "key=value key=value"
	 * (sim_imply()). */
	const char *implies;
	/* Optional: what the policy costs an SM of this configuration; fills out[POLICY_STORAGE_MAX], returns how many. */
	u32 (*storage)(const struct conf *c, struct policy_storage *out);
};
/* The first member of a kind's operations: the fields of struct policy, by their own names and as a whole. */
#define POLICY_HEAD                                                                                                    \
	union {                                                                                                            \
		struct policy policy;                                                                                          \
		struct {                                                                                                       \
			const char *name, *help, *source, *implies;                                                                \
			u32 (*storage)(const struct conf *c, struct policy_storage *out);                                          \
		};                                                                                                             \
	}

/* A policy from outside the library, e.g. one written in a scripting language; its names have a colon ("lua:mine.lua").
 * It belongs to who registers it and lives until the machine is destroyed. Each kind that takes such policies adds the
 * functions that it calls. */
struct policy_user {
	void *ctx;
	bool stateless;     /* choices depend on what the machine shows and keeps for it: going back in time replays them */
	struct err failure; /* the first error; set = nothing is asked any more, and the machine stops after the cycle */
};
#define POLICY_USER_HEAD                                                                                               \
	union {                                                                                                            \
		struct policy_user user;                                                                                       \
		struct {                                                                                                       \
			void *ctx;                                                                                                 \
			bool stateless;                                                                                            \
			struct err failure;                                                                                        \
		};                                                                                                             \
	}
/* Is this the name of such a policy? */
bool policy_name_external(const char *name);

enum policy_when { POLICY_ANY_TIME, POLICY_BETWEEN_KERNELS };
struct policy_kind_desc {
	const char *name; /* "warp" */
	const char *key;  /* "warp-sched": of the configuration, and the command line's option */
	const char *help; /* "warp scheduler" */
	size_t field;     /* offset of the name in struct conf */
	enum policy_when when;
};
extern const struct policy_kind_desc policy_kinds[POLICY_KINDS];
/* The kind whose key this is; POLICY_KINDS: it is no policy's. */
enum policy_kind policy_kind_of(const char *key);
/* The name that a configuration gives. */
static inline const char *policy_named(const struct conf *c, enum policy_kind k)
{
	return (const char *)c + policy_kinds[k].field;
}
#endif
