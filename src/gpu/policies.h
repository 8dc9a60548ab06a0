/* The machine's policies: the policies of each kind (conf/policy_kinds.def), and which of them are in use.
 *
 * The choice is kept as a number for each kind, in the arena: a snapshot has it, and going back restores it. The number
 * is looked up here; the pointers that the parts of the machine hold follow from it (policies_bind). */
#ifndef GPU_POLICIES_H
#define GPU_POLICIES_H
#include "conf/policy.h"

struct gpu;
/* A policy from outside the library, by name. */
struct policy_entry {
	enum policy_kind kind;
	char *name;
	struct policy_user *user;
};

/* The i-th policy of a kind, NULL behind the last. Those from outside the library are not among them. */
const struct policy *policy_at(enum policy_kind k, u32 i);
/* A policy by name. One with a colon is the stand-in of those from outside, for kinds that take them. NULL: there is no
 * such. */
const struct policy *policy_find(enum policy_kind k, const char *name);

/* Is there a policy of every name in the configuration? False with *e. */
bool policies_check(const struct conf *c, struct err *e);
/* When the machine is built, of a configuration that policies_check() has passed. */
void policies_create(struct gpu *g);
void policies_destroy(struct gpu *g);
/* Sets the pointers of all parts to the policies in use, whose state is in the arena: after the state was restored. */
void policies_bind(struct gpu *g);

/* The number of a name: what policies_use() takes. False with *e: unknown, or from outside and not registered. */
bool policies_number(const struct gpu *g, enum policy_kind k, const char *name, u32 *number, struct err *e);
/* Can the kind's policy be changed in this cycle? False with *e: why not. */
bool policies_may_change(const struct gpu *g, enum policy_kind k, struct err *e);
u32 policies_in_use(const struct gpu *g, enum policy_kind k);
/* From the next cycle on another policy decides. It begins with what the machine is then. */
void policies_use(struct gpu *g, enum policy_kind k, u32 number);
/* Enters a policy from outside under a name; of several entered under one name the last is the one that names mean.
 * It is used at once where the name in use is this one and nobody was registered under it. */
void policies_register(struct gpu *g, enum policy_kind k, const char *name, struct policy_user *p);
#endif
