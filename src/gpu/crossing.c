#include "gpu/crossing.h"

#include "base/rng.h"
#include "gpu/gpu.h"
#include "sm/restart.h"

/* What a tick says beside what it leaves in struct sm. */
struct news {
	u64 next;      /* when the SM is to be ticked again */
	bool answered; /* it took all answers there were */
};

static inline __attribute__((always_inline)) struct news tick(struct gpu *g, u32 i, bool replies)
{
	const u64 now = g->st->cycle;
	const bool answered = replies && sm_replies(&g->ctx[i], g->sm[i], now);
	return (struct news){.next = sm_tick(&g->ctx[i], g->sm[i], now), .answered = answered};
}

static inline __attribute__((always_inline)) void hear(struct gpu *g, u32 i, struct news n)
{
	struct gpu_state *st = g->st;
	const struct sm *s = g->sm[i];
	if (n.answered)
		mem_clear_wake(g->mem, i);
	if (s->done_slots)
		st->finished[i / 64] |= BIT(i % 64);
	if (unlikely(s->faulted))
		st->faulted = 1;
	if (n.next > st->cycle + 1) {
		st->awake[i / 64] &= ~BIT(i % 64);
		st->wake_at[i] = n.next;
		st->next_wake = MIN(st->next_wake, n.next);
		if (n.next == NEVER)
			g->timed[i / 64] &= ~BIT(i % 64);
		else
			g->timed[i / 64] |= BIT(i % 64);
	}
}

/* An SM's tick changes nothing that another's or hear() of another looks at, so it is heard at once. */
static inline void tick_in_order(struct gpu *g, u64 stored[CONF_SM_WORDS])
{
	const u64 *m = mem_wake(g->mem);
	for (u32 word = 0; word < g->sm_words; word++)
		FOR_EACH_BIT(bit, g->st->awake[word])
		{
			u32 i = word * 64 + (u32)bit;
			hear(g, i, tick(g, i, m[word] >> bit & 1));
			if (g->sm[i]->stored)
				stored[word] |= BIT(bit);
		}
}

/* tick.shuffle: every cycle in an order of its own. */
static __attribute__((noinline)) void tick_shuffled(struct gpu *g, u64 stored[CONF_SM_WORDS])
{
	const u64 *m = mem_wake(g->mem);
	struct news news[CONF_MAX_SMS];
	u64 seed = g->conf.tick_shuffle * 0x9e3779b97f4a7c15ull ^ g->st->cycle;
	u32 order[CONF_MAX_SMS], n = 0;
	for (u32 word = 0; word < g->sm_words; word++)
		FOR_EACH_BIT(bit, g->st->awake[word])
		{
			const u32 at = (u32)(rng_next(&seed) % (n + 1));
			order[n++] = order[at];
			order[at] = word * 64 + (u32)bit;
		}
	for (u32 k = 0; k < n; k++)
		news[order[k]] = tick(g, order[k], m[order[k] / 64] >> order[k] % 64 & 1);
	for (u32 k = 0; k < n; k++)
		hear(g, order[k], news[order[k]]);
	for (u32 k = 0; k < n; k++)
		stored[order[k] / 64] |= g->sm[order[k]]->stored ? BIT(order[k] % 64) : 0;
}

/* Has a warp scheduler a state that SMs share? */
static bool shares_state(const struct gpu *g)
{
	const struct policy_user *p = g->policy_user[POLICY_WARP];
	return p && !p->stateless;
}

static __attribute__((noinline)) void gather_restarts(struct gpu *g)
{
	for (u32 i = 0; i < g->conf.num_sms; i++)
		restart_gather(&g->ctx[i], g->sm[i]);
}

/* The stores of a cycle take effect when all SMs have had their loads of it. */
void crossing_tick(struct gpu *g)
{
	u64 stored[CONF_SM_WORDS] = {0};
	if (unlikely(g->conf.tick_shuffle) && !shares_state(g))
		tick_shuffled(g, stored);
	else
		tick_in_order(g, stored);
	for (u32 word = 0; word < g->sm_words; word++)
		FOR_EACH_BIT(bit, stored[word])
		{
			u32 i = word * 64 + (u32)bit;
			g->sm[i]->stored = 0;
			if (unlikely(front_commit(g->front, i)))
				g->st->faulted = 1;
		}
	if (unlikely(g->restart != NULL))
		gather_restarts(g);
}
