#include "gpu/crossing.h"

#include <string.h>

#include "base/rng.h"
#include "gpu/dependents.h"
#include "gpu/state.h"
#include "sm/checks.h"
#include "sm/restartable.h"

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

/* The machine stops at the end of this cycle, or commit.delay later. */
static __attribute__((noinline)) void fault(struct gpu *g)
{
	if (!g->conf.commit_delay)
		g->st->faulted = 1;
	else if (!g->st->fault_in && !g->st->faulted)
		g->st->fault_in = (u8)(g->conf.commit_delay + 1);
}

static inline __attribute__((always_inline)) void hear(struct gpu *g, u32 i, struct news n)
{
	struct gpu_state *st = g->st;
	const struct sm *s = g->sm[i];
	if (n.answered)
		mem_clear_wake(g->mem, i);
	if (unlikely(s->news)) {
		if (s->done_slots)
			st->finished[i / 64] |= BIT(i % 64);
		if (s->faulted)
			fault(g);
	}
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
			if (unlikely(g->sm[i]->news))
				stored[word] |= (u64)(g->sm[i]->stored != 0) << bit;
		}
}

/* The awake SMs, in order or, with tick.shuffle, in another one every cycle; without those that are at fault. */
static u32 whose_turn(const struct gpu *g, u32 order[CONF_MAX_SMS], bool shuffle)
{
	u64 seed = g->conf.tick_shuffle * 0x9e3779b97f4a7c15ull ^ g->st->cycle;
	u32 n = 0;
	for (u32 word = 0; word < g->sm_words; word++)
		FOR_EACH_BIT(bit, g->st->awake[word])
		{
			const u32 at = shuffle ? (u32)(rng_next(&seed) % (n + 1)) : n;
			if (g->sm[word * 64 + bit]->faulted)
				continue;
			order[n++] = order[at];
			order[at] = word * 64 + (u32)bit;
		}
	return n;
}

/* First all ticks, then all news. */
static __attribute__((noinline)) void tick_apart(struct gpu *g, u64 stored[CONF_SM_WORDS], bool shuffle)
{
	const u64 *m = mem_wake(g->mem);
	struct news news[CONF_MAX_SMS];
	u32 order[CONF_MAX_SMS];
	const u32 n = whose_turn(g, order, shuffle);
	for (u32 k = 0; k < n; k++)
		news[order[k]] = tick(g, order[k], m[order[k] / 64] >> order[k] % 64 & 1);
	for (u32 k = 0; k < n; k++)
		hear(g, order[k], news[order[k]]);
	for (u32 k = 0; k < n; k++)
		stored[order[k] / 64] |= g->sm[order[k]]->stored ? BIT(order[k] % 64) : 0;
}

/* --- commit.delay ------------------------------------------------------------------------------------------------- */

/* When CTAs have ended. */
static void note_ends(struct gpu *g, u32 i)
{
	FOR_EACH_BIT(slot, g->sm[i]->done_slots)
	if (!g->done_at[i][slot])
		g->done_at[i][slot] = g->st->cycle + 1;
}

u32 crossing_ended(struct gpu *g, u32 sm)
{
	u32 slots = 0;
	if (likely(!g->conf.commit_delay))
		return UINT32_MAX;
	FOR_EACH_BIT(slot, g->sm[sm]->done_slots)
	{
		u64 *at = &g->done_at[sm][slot];
		if (!*at || *at + g->conf.commit_delay > g->st->cycle)
			continue;
		slots |= 1u << slot;
		*at = 0;
	}
	return slots;
}

/* What was issued commit.delay cycles ago is read, then written, SM by SM. */
static void commit_late(struct gpu *g)
{
	struct gpu_state *st = g->st;
	const u64 delay = g->conf.commit_delay, before = MAX(st->cycle + 1, delay) - delay;
	st->uncommitted = 0;
	for (u32 i = 0; i < g->conf.num_sms; i++)
		front_read(g->front, i, before);
	for (u32 i = 0; i < g->conf.num_sms; i++) {
		struct sm *s = g->sm[i];
		if ((s->stored || front_queued(g->front, i)) && front_commit(g->front, i, before))
			fault(g);
		s->stored = 0;
		note_ends(g, i);
		st->uncommitted |= front_queued(g->front, i) || s->done_slots;
	}
	if (st->fault_in && !--st->fault_in)
		st->faulted = 1;
	st->uncommitted |= st->fault_in != 0;
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

static __attribute__((noinline)) void look_for_races(struct gpu *g)
{
	for (u32 i = 0; i < g->conf.num_sms; i++)
		checks_cycle(&g->ctx[i], g->sm[i], g->st->cycle);
}

/* The stores of a cycle take effect when all SMs have had their loads of it. */
void crossing_tick(struct gpu *g)
{
	u64 stored[CONF_SM_WORDS] = {0};
	if (unlikely(g->conf.tick_shuffle | g->conf.commit_delay))
		tick_apart(g, stored, g->conf.tick_shuffle && !shares_state(g));
	else
		tick_in_order(g, stored);
	if (unlikely(g->conf.commit_delay)) {
		commit_late(g);
		memset(stored, 0, sizeof(stored));
	}
	for (u32 word = 0; word < g->sm_words; word++)
		FOR_EACH_BIT(bit, stored[word])
		{
			u32 i = word * 64 + (u32)bit;
			g->sm[i]->stored = 0;
			if (unlikely(g->sm[i]->let_go))
				dependents_hear(g, i);
			if (unlikely(front_commit(g->front, i, g->st->cycle + 1)))
				g->st->faulted = 1;
		}
	if (unlikely(g->restart != NULL))
		gather_restarts(g);
	if (unlikely(g->checks != NULL))
		look_for_races(g);
}
