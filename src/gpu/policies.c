#include "gpu/policies.h"

#include <stdlib.h>
#include <string.h>

#include "cta/sched/external.h"
#include "gpu/state.h"
#include "mem/coherence/coherence.h"
#include "mem/noc/network.h"
#include "sm/kernels/kernel_sched.h"
#include "sm/sched/external.h"
#include "sm/virtual.h"
#include "task/partition/external.h"

/* --- the kinds ---------------------------------------------------------------------------------------------------- */

static void bind_warp(struct gpu *g, const struct policy *p, struct policy_user *user)
{
	for (u32 i = 0; i < g->conf.num_sms; i++) {
		g->ctx[i].sched = (const struct warp_sched_ops *)p;
		g->ctx[i].external = (struct external_warp_sched *)user;
	}
}

static void bind_kernels(struct gpu *g, const struct policy *p, struct policy_user *user)
{
	const struct kernel_sched_ops *o = (const struct kernel_sched_ops *)p;
	for (u32 i = 0; i < g->conf.num_sms; i++)
		g->ctx[i].kernels = o->first ? o : NULL;
	g->dispatch.last_first = o->first != NULL;
}

static void begin_kernels(struct gpu *g)
{
	for (u32 i = 0; i < g->conf.num_sms; i++)
		kernels_begin(&g->ctx[i], g->sm[i]);
	g->dispatch.d->wanted = 1;
}

/* It looks at the warps as they are now, not when the SM next wakes. */
static void begin_warp(struct gpu *g)
{
	for (u32 i = 0; i < g->conf.num_sms; i++) {
		sm_set_sched(&g->ctx[i], g->sm[i], g->ctx[i].sched);
		g->st->awake[i / 64] |= BIT(i % 64);
	}
}

static void bind_cta(struct gpu *g, const struct policy *p, struct policy_user *user)
{
	g->dispatch.sched = (const struct cta_sched_ops *)p;
	g->dispatch.external = (struct external_cta_sched *)user;
}

static void begin_cta(struct gpu *g)
{
	dispatch_sched_begin(&g->dispatch);
}

static void bind_partition(struct gpu *g, const struct policy *p, struct policy_user *user)
{
	g->partition.ops = (const struct partition_ops *)p;
	g->partition.external = (struct external_partition *)user;
}

static void begin_partition(struct gpu *g)
{
	partition_begin(&g->partition, g->st->cycle);
}

static void bind_network(struct gpu *g, const struct policy *p, struct policy_user *user)
{
	mem_use_network(g->mem, p);
}

static void bind_coherence(struct gpu *g, const struct policy *p, struct policy_user *user)
{
	mem_use_coherence(g->mem, p);
}

/* A packet on its way is in the hands of one network. */
static bool memory_rests(const struct gpu *g, struct err *e)
{
	return mem_quiet(g->mem) || err_set(e, "messages are on their way");
}

static void bind_preempt(struct gpu *g, const struct policy *p, struct policy_user *user)
{
	g->preempt.ops = (const struct preempt_ops *)p;
}

/* Slots, queues and tables are as large as the name in the configuration asks for. */
static bool built_in(const struct gpu *g, struct err *e)
{
	return err_set(e, "it is part of the machine: start with --cta-virtual NAME");
}

/* bind: sets pointers (NULL: nobody asks a policy of this kind); begin: its state for the machine's life begins (NULL:
 * it has none); may: can it be changed now (NULL: whenever the kind can)? */
static const struct {
	const struct policy *const *list; /* ends with NULL */
	const struct policy *external;    /* stands in for those from outside the library; NULL: the kind takes none */
	void (*bind)(struct gpu *g, const struct policy *p, struct policy_user *user);
	void (*begin)(struct gpu *g);
	bool (*may)(const struct gpu *g, struct err *e);
} kinds[POLICY_KINDS] = {
    [POLICY_WARP] = {warp_policies, &sched_external.policy, bind_warp, begin_warp, NULL},
    [POLICY_CTA] = {cta_policies, &cta_sched_external.policy, bind_cta, begin_cta, NULL},
    [POLICY_KERNELS] = {kernel_policies, NULL, bind_kernels, begin_kernels, NULL},
    [POLICY_PARTITION] = {partition_policies, &partition_external.policy, bind_partition, begin_partition, NULL},
    [POLICY_NETWORK] = {network_policies, NULL, bind_network, NULL, memory_rests},
    [POLICY_PREEMPT] = {preempt_policies, NULL, bind_preempt, NULL, NULL},
    [POLICY_VIRTUAL] = {virtual_policies, NULL, NULL, NULL, built_in},
    [POLICY_COHERENCE] = {coherence_policies, NULL, bind_coherence, NULL, memory_rests},
};

const struct policy *policy_at(enum policy_kind k, u32 i)
{
	u32 n = 0;
	while (n < i && kinds[k].list[n])
		n++;
	return kinds[k].list[n];
}

static u32 count(enum policy_kind k)
{
	u32 n = 0;
	while (kinds[k].list[n])
		n++;
	return n;
}

/* The place of a name in its kind's list; behind the last one for names from outside. */
static bool place_of(enum policy_kind k, const char *name, u32 *place)
{
	u32 n = count(k);
	*place = 0;
	while (*place < n && strcmp(kinds[k].list[*place]->name, name) != 0)
		++*place;
	return *place < n || (kinds[k].external && policy_name_external(name));
}

const struct policy *policy_find(enum policy_kind k, const char *name)
{
	u32 i;
	if (!place_of(k, name, &i))
		return NULL;
	return i < count(k) ? kinds[k].list[i] : kinds[k].external;
}

/* --- the choice -----------------------------------------------------------------------------------------------------
 *
 * A kind has n policies: 0 to n - 1 are those, n is "from outside, nobody registered", n + 1 + r the r-th entry. */

static void bind(struct gpu *g, enum policy_kind k)
{
	u32 n = count(k), number = g->policy[k];
	g->policy_user[k] = number > n ? g->policy_entry[number - n - 1].user : NULL;
	g->policies_external &= ~(1u << k);
	g->policies_external |= (u32)(number >= n) << k;
	if (kinds[k].bind)
		kinds[k].bind(g, number < n ? kinds[k].list[number] : kinds[k].external, g->policy_user[k]);
}

void policies_bind(struct gpu *g)
{
	for (u32 k = 0; k < POLICY_KINDS; k++)
		bind(g, k);
}

static bool unknown(enum policy_kind k, const char *name, struct err *e)
{
	return err_set(e, "no %s policy '%s' (see: list policies)", policy_kinds[k].name, name);
}

bool policies_check(const struct conf *c, struct err *e)
{
	u32 place;
	for (u32 k = 0; k < POLICY_KINDS; k++)
		if (!place_of(k, policy_named(c, k), &place))
			return unknown(k, policy_named(c, k), e);
	return true;
}

void policies_create(struct gpu *g)
{
	g->policy = ARENA_NEW(&g->arena, u32, POLICY_KINDS);
	for (u32 k = 0; k < POLICY_KINDS; k++) {
		const bool known = place_of(k, policy_named(&g->conf, k), &g->policy[k]);
		BUG_ON(!known);
	}
	policies_bind(g);
}

void policies_destroy(struct gpu *g)
{
	for (u32 i = 0; i < g->npolicy_entries; i++)
		free(g->policy_entry[i].name);
	free(g->policy_entry);
}

bool policies_number(const struct gpu *g, enum policy_kind k, const char *name, u32 *number, struct err *e)
{
	u32 n = count(k);
	if (!place_of(k, name, number))
		return unknown(k, name, e);
	if (*number < n)
		return true;
	for (u32 i = g->npolicy_entries; i-- > 0;)
		if (g->policy_entry[i].kind == k && !strcmp(g->policy_entry[i].name, name)) {
			*number = n + 1 + i;
			return true;
		}
	return unknown(k, name, e);
}

bool policies_may_change(const struct gpu *g, enum policy_kind k, struct err *e)
{
	return !kinds[k].may || kinds[k].may(g, e);
}

u32 policies_in_use(const struct gpu *g, enum policy_kind k)
{
	return g->policy[k];
}

void policies_use(struct gpu *g, enum policy_kind k, u32 number)
{
	g->policy[k] = number;
	bind(g, k);
	if (kinds[k].begin)
		kinds[k].begin(g);
}

void policies_register(struct gpu *g, enum policy_kind k, const char *name, struct policy_user *p)
{
	u32 i = g->npolicy_entries++;
	g->policy_entry = xrealloc(g->policy_entry, g->npolicy_entries * sizeof *g->policy_entry);
	g->policy_entry[i] = (struct policy_entry){.kind = k, .name = xstrdup(name), .user = p};
	if (g->policy[k] == count(k) && !strcmp(policy_named(&g->conf, k), name))
		policies_use(g, k, count(k) + 1 + i);
}
