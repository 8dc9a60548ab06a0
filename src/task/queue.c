#include "task/queue.h"

static void find_next_start(struct task *t)
{
	t->next_start = NEVER;
	for (u32 i = t->first_open; i < t->nlaunches; i++)
		if (t->kcb[i].state == KCB_QUEUED)
			t->next_start = MIN(t->next_start, t->kcb[i].ready_at);
}

/* The last launch of a stream that is not done, or -1. */
static s32 last_of_stream(const struct task *t, u32 stream)
{
	for (u32 i = t->nlaunches; i-- > t->first_open;)
		if (t->kcb[i].stream == stream && t->kcb[i].state != KCB_DONE)
			return (s32)i;
	return -1;
}

bool task_add(struct task *t, const struct launch *l, u64 now, u32 latency, struct err *e)
{
	if (t->nlaunches == TASK_MAX_LAUNCHES)
		return err_set(e, "more than %d kernel launches on one machine", TASK_MAX_LAUNCHES);
	s32 before = last_of_stream(t, l->stream);
	u32 id = t->nlaunches++;
	t->kcb[id] = (struct kcb){.state = KCB_QUEUED,
	                          .stream = l->stream,
	                          .ctas = l->ctas,
	                          .cooperative = l->cooperative,
	                          .next_in_stream = -1,
	                          .ready_at = before < 0 ? now + latency : NEVER,
	                          .k.launched_at = now};
	if (before >= 0)
		t->kcb[before].next_in_stream = (s32)id;
	t->next_start = MIN(t->next_start, t->kcb[id].ready_at);
	return true;
}

/* A cooperative kernel is coming in, or is next and not alone. */
static bool held_back(const struct task *t, u64 now)
{
	for (u32 r = 0; r < t->nrunning; r++) {
		const struct kcb *k = &t->kcb[t->running[r]];
		if (k->cooperative && k->dispatched < k->ctas)
			return true;
	}
	for (u32 i = t->first_open; t->nrunning && i < t->nlaunches; i++)
		if (t->kcb[i].state == KCB_QUEUED && t->kcb[i].ready_at <= now)
			return t->kcb[i].cooperative;
	return false;
}

u64 task_next_start(const struct task *t, u64 now)
{
	if (t->nrunning == TASK_MAX_RUNNING || (now >= t->next_start && held_back(t, now)))
		return NEVER;
	return t->next_start;
}

s32 task_start(struct task *t, u64 now)
{
	if (now < t->next_start || t->nrunning == TASK_MAX_RUNNING || held_back(t, now))
		return -1;
	for (u32 i = t->first_open; i < t->nlaunches; i++) {
		struct kcb *k = &t->kcb[i];
		if (k->state != KCB_QUEUED || k->ready_at > now)
			continue;
		u32 at = t->nrunning++;
		for (; at && t->running[at - 1] > i; at--)
			t->running[at] = t->running[at - 1];
		t->running[at] = i;
		k->state = KCB_RUNNING;
		k->slot = (u8)bit_first(~(u64)t->slots_used);
		t->slots_used |= (u16)(1u << k->slot);
		k->k.started_at = now;
		find_next_start(t);
		return (s32)i;
	}
	return -1;
}

void task_finish(struct task *t, u32 launch, u64 now, u32 latency)
{
	struct kcb *k = &t->kcb[launch];
	k->state = KCB_DONE;
	k->k.ended_at = now;
	t->slots_used &= (u16) ~(1u << k->slot);
	u32 at = 0;
	while (t->running[at] != launch)
		at++;
	for (t->nrunning--; at < t->nrunning; at++)
		t->running[at] = t->running[at + 1];
	if (k->next_in_stream >= 0)
		t->kcb[k->next_in_stream].ready_at = now + latency;
	while (t->first_open < t->nlaunches && t->kcb[t->first_open].state == KCB_DONE)
		t->first_open++;
	find_next_start(t);
}

bool task_stream_idle(const struct task *t, u32 stream)
{
	return last_of_stream(t, stream) < 0;
}

static bool check_running(const struct task *t, struct err *e)
{
	u16 slots = 0;
	HOLDS(t->nrunning <= TASK_MAX_RUNNING, "task: %u kernels run", t->nrunning);
	for (u32 i = 0; i < t->nrunning; i++) {
		const struct kcb *k = &t->kcb[t->running[i]];
		HOLDS(t->running[i] < t->nlaunches && k->state == KCB_RUNNING && (!i || t->running[i - 1] < t->running[i]),
		      "task: launch %u is number %u of those that run, in state %u", t->running[i], i, k->state);
		HOLDS(!(slots >> k->slot & 1), "task: two kernels have slot %u", k->slot);
		slots |= (u16)(1u << k->slot);
	}
	HOLDS(slots == t->slots_used, "task: slots %#x are in use, marked %#x", slots, t->slots_used);
	return true;
}

bool task_check_state(const struct task *t, struct err *e)
{
	u32 running = 0;
	u64 next = NEVER;
	for (u32 i = t->first_open; i < t->nlaunches; i++) {
		const struct kcb *k = &t->kcb[i];
		running += k->state == KCB_RUNNING;
		next = k->state == KCB_QUEUED ? MIN(next, k->ready_at) : next;
		HOLDS(k->k.ctas_done <= k->dispatched && k->dispatched <= k->ctas &&
		          (k->state == KCB_RUNNING || !k->dispatched || k->k.ctas_done == k->ctas),
		      "task: launch %u in state %u: %llu CTAs, %llu dispatched, %llu done", i, k->state,
		      (unsigned long long)k->ctas, (unsigned long long)k->dispatched, (unsigned long long)k->k.ctas_done);
	}
	HOLDS(running == t->nrunning, "task: %u kernels run, counted %u", running, t->nrunning);
	HOLDS(next == t->next_start, "task: a kernel may start at %llu, noted %llu", (unsigned long long)next,
	      (unsigned long long)t->next_start);
	HOLDS(t->first_open <= t->nlaunches && (t->first_open == t->nlaunches || t->kcb[t->first_open].state != KCB_DONE),
	      "task: launch %u of %u is said to be the first that is not done", t->first_open, t->nlaunches);
	return check_running(t, e);
}
