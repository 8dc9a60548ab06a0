/* The words of event arguments whose values are words, by argument: what events print, filters take, completion offers,
 * records and Lua have. Each name here is that of the enum it counts. */
#include <string.h>

#include "ir/wide.h"
#include "obs/break/break.h"
#include "probe/hops.h"
#include "sm/checks.h"
#include "sm/restartable.h"
#include "sm/verbs.h"
#include "sm/virtual.h"
#include "task/partition/partition.h"

static const char *const causes_elf[] = {"load", "branch", "path"};
static const char *const causes_out[] = {"memory", "barrier", "ending"};
static const char *const causes_in[] = {"free-slots", "stalled-cta"};
static const char *const from[] = {"chunk", "queue"};
static const char *const which[] = {"first", "last"};
static const char *const changes[] = {"stored", "registered", "sent", "taken", "recalled", "written-back", "got"};
static const char *const splits_why[] = {"branch", "turn", "ahead"};
static const char *const converge_at[] = {"join", "barrier"};
static const char *const refusals[] = {"order", "line", "mshr", "merge", "queue"};
static const char *const askers[] = {"command", "partition"};
static const char *const roles[PARTITION_ROLES] = {"none", "dedicated", "trial", "follower", "spatial"};

static const char *const hops[HOP_COUNT + 1] = {
#define H(id, name, where, meaning) name,
#include "probe/hops.def"
    "done"};

static const struct row {
	enum event_type t;
	const char *arg;
	const char *const *words;
	u32 n, first; /* values from `first` on have words */
} rows[] = {
    {EV_ELF_RECALC, "cause", causes_elf, ARRAY_LEN(causes_elf), 0},
    {EV_MMA, "types", tensor_class_names, TC_COUNT, 0},
    {EV_SPLIT, "why", splits_why, ARRAY_LEN(splits_why), 0},
    {EV_CONVERGE, "at", converge_at, ARRAY_LEN(converge_at), 0},
    {EV_CTA_STEAL, "from", from, ARRAY_LEN(from), 0},
    {EV_CTA_STEAL, "which", which, ARRAY_LEN(which), 0},
    {EV_CTA_SAVE, "cause", leaves_names, LEAVES_BY, 0},
    {EV_CTA_SWAP_OUT, "cause", causes_out, ARRAY_LEN(causes_out), 0},
    {EV_CTA_SWAP_IN, "cause", causes_in, ARRAY_LEN(causes_in), 0},
    {EV_CTA_NONIDEMPOTENT, "cause", restart_cause_names, RESTART_CAUSES, 0},
    {EV_FINDING, "kind", check_kind_names, CHECK_KINDS, 0},
    {EV_ROLE, "role", roles, PARTITION_ROLES, 0},
    {EV_ROLE, "before", roles, PARTITION_ROLES, 0},
    {EV_L1_WORDS, "change", changes, ARRAY_LEN(changes), 0},
    {EV_L1_REFUSE, "reason", refusals, ARRAY_LEN(refusals), 1},
    {EV_REPLAY_ENTER, "reason", refusals, ARRAY_LEN(refusals), 0},
    {EV_FOLLOW, "hop", hops, HOP_COUNT + 1, 0},
    {EV_FAULT, "code", fault_code_names, FAULT_COUNT, FAULT_OOB},
    {EV_PREEMPT_REQUEST, "asker", askers, ARRAY_LEN(askers), 0},
    {EV_PREEMPT_PLAN, "technique", technique_names, TECHNIQUES, 0},
    {EV_PREEMPT_PLAN, "unknown", cost_bar_names, COST_BARS, 0},
    {EV_PREEMPT_START, "technique", technique_names, TECHNIQUES + 1, 0},
    {EV_PREEMPT_CTA, "technique", technique_names, TECHNIQUES, 0},
    {EV_PREEMPT_CTA, "no_flush", cost_bar_names, COST_BARS, 0},
    {EV_PREEMPT_DONE, "technique", technique_names, TECHNIQUES + 1, 0},
};

static const char *policy_name(u64 v)
{
	u64 n = 0;
	while (preempt_policies[n])
		n++;
	return v < n ? preempt_policies[v]->name : NULL;
}

static bool is_state(enum event_type t, const char *arg)
{
	return !strcmp(arg, "state") &&
	       (t == EV_WARP_STALL || t == EV_WARP_READY || t == EV_SCHED_DEMOTE || t == EV_WARP_STARVED);
}

static const struct row *find(enum event_type t, const char *arg)
{
	for (u32 i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].t == t && !strcmp(rows[i].arg, arg))
			return &rows[i];
	return NULL;
}

bool event_arg_words(enum event_type t, u32 i)
{
	const char *arg = event_descs[t].arg[i];
	return find(t, arg) || (t == EV_PREEMPT_REQUEST && !strcmp(arg, "policy"));
}

const char *event_arg_name(enum event_type t, u32 i, u64 v)
{
	const char *arg = event_descs[t].arg[i];
	const struct row *r = find(t, arg);
	if (t == EV_PREEMPT_PLAN && !strcmp(arg, "technique") && v == TECHNIQUES)
		return "chosen";
	if (r)
		return v >= r->first && v < r->n ? r->words[v] : NULL;
	if (t == EV_PREEMPT_REQUEST && !strcmp(arg, "policy"))
		return policy_name(v);
	if (is_state(t, arg))
		return v < WS_COUNT ? warp_state_descs[v].name : NULL;
	return t == EV_STALL && !strcmp(arg, "reason") && v < ST_COUNT ? stall_descs[v].name[TAX_BASE] : NULL;
}
