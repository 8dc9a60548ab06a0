#include "task/queue.h"

#include "ir/devmem.h"

/* Few of those that are queued are: a host program may be thousands of launches ahead in one stream. */
static bool is_head(const struct kcb *k)
{
	return k->state == KCB_QUEUED && !k->behind;
}

static void find_next_start(struct task *t)
{
	t->next_start = NEVER;
	for (u32 i = t->first_open, left = t->heads; left && i < t->nlaunches; i++)
		if (is_head(&t->kcb[i])) {
			t->next_start = MIN(t->next_start, t->kcb[i].ready_at);
			left--;
		}
}

/* The last launch of a stream that is not done, or -1. */
static s32 last_of_stream(const struct task *t, u32 program, u32 stream)
{
	for (u32 i = t->nlaunches; i-- > t->first_open;)
		if (t->kcb[i].stream == stream && t->kcb[i].program == program && t->kcb[i].state != KCB_DONE)
			return (s32)i;
	return -1;
}

/* Has every CTA of a launch let its dependents go? */
static bool has_let_go(const struct task *t, const struct grid_order *grids, u32 launch)
{
	return t->kcb[launch].state == KCB_RUNNING && grids[launch].let_go == t->kcb[launch].ctas;
}

bool task_add(struct task *t, const struct launch *l, struct grid_order *grids, u64 now, u32 latency, struct err *e)
{
	if (t->nlaunches == TASK_MAX_LAUNCHES)
		return err_set(e, "more than %d kernel launches on one machine", TASK_MAX_LAUNCHES);
	const u32 program = OWNER_PROGRAM(l->mod->owner);
	const s32 before = last_of_stream(t, program, l->stream);
	const bool waits = before >= 0 && !(l->programmatic && has_let_go(t, grids, (u32)before));
	u32 id = t->nlaunches++;
	grids[id] = (struct grid_order){.before = (u32)(before + 1), .open = l->programmatic && before >= 0};
	t->kcb[id] = (struct kcb){.state = KCB_QUEUED,
	                          .stream = l->stream,
	                          .program = (u8)program,
	                          .run = (u16)MIN(OWNER_RUN(l->mod->owner), UINT16_MAX),
	                          .ctas = l->ctas,
	                          .cooperative = l->cooperative,
	                          .priority = l->priority,
	                          .next_in_stream = -1,
	                          .programmatic = l->programmatic,
	                          .behind = waits,
	                          .ready_at = waits ? l->start_at : MAX(now + latency, l->start_at),
	                          .k.launched_at = now};
	if (before >= 0)
		t->kcb[before].next_in_stream = (s32)id;
	if (!waits) {
		t->heads++;
		t->next_start = MIN(t->next_start, t->kcb[id].ready_at);
	}
	return true;
}

/* Of the launches that may start now the one of the highest priority, of equal ones the earliest; -1 = there is none.
 */
static s32 next_head(const struct task *t, u64 now)
{
	s32 best = -1;
	for (u32 i = t->first_open, left = t->heads; left && i < t->nlaunches; i++)
		if (is_head(&t->kcb[i])) {
			left--;
			if (t->kcb[i].ready_at <= now && (best < 0 || t->kcb[i].priority < t->kcb[best].priority))
				best = (s32)i;
		}
	return best;
}

/* A cooperative kernel is coming in, or is next and not alone. */
static bool held_back(const struct task *t, u64 now)
{
	const struct dispatcher *d = &t->dispatcher;
	for (u32 r = 0; r < d->n; r++) {
		const struct cta_kernel *k = &d->k[d->order[r]];
		if (t->kcb[k->launch].cooperative && k->dispatched < k->ctas)
			return true;
	}
	const s32 next = d->n ? next_head(t, now) : -1;
	return next >= 0 && t->kcb[next].cooperative;
}

u64 task_next_start(const struct task *t, u64 now)
{
	if (t->dispatcher.n == DISPATCH_KERNELS || (now >= t->next_start && held_back(t, now)))
		return NEVER;
	return t->next_start;
}

s32 task_start(struct task *t, u64 now)
{
	if (now < t->next_start || t->dispatcher.n == DISPATCH_KERNELS || held_back(t, now))
		return -1;
	const s32 next = next_head(t, now);
	if (next < 0)
		return -1;
	t->kcb[next].state = KCB_RUNNING;
	t->heads--;
	t->kcb[next].k.started_at = now;
	find_next_start(t);
	return next;
}

/* A launch need not wait for the one before it any more. */
static void step_forward(struct task *t, struct kcb *k, u64 ready_at)
{
	k->behind = false;
	k->ready_at = MAX(ready_at, k->ready_at);
	t->heads++;
}

s32 task_let_go(struct task *t, u32 launch, u64 now, u32 latency)
{
	const s32 next = t->kcb[launch].next_in_stream;
	if (next < 0 || !t->kcb[next].programmatic || !t->kcb[next].behind)
		return -1;
	step_forward(t, &t->kcb[next], now + latency);
	find_next_start(t);
	return next;
}

void task_finish(struct task *t, u32 launch, u64 now, u32 latency)
{
	struct kcb *k = &t->kcb[launch];
	k->state = KCB_DONE;
	k->k.ended_at = now;
	if (k->next_in_stream >= 0 && t->kcb[k->next_in_stream].behind)
		step_forward(t, &t->kcb[k->next_in_stream], now + latency);
	while (t->first_open < t->nlaunches && t->kcb[t->first_open].state == KCB_DONE)
		t->first_open++;
	find_next_start(t);
}

bool task_stream_idle(const struct task *t, u32 program, u32 stream)
{
	return last_of_stream(t, program, stream) < 0;
}

bool task_program_idle(const struct task *t, u32 program)
{
	for (u32 i = t->first_open; i < t->nlaunches; i++)
		if (t->kcb[i].program == program && t->kcb[i].state != KCB_DONE)
			return false;
	return true;
}

u64 task_dispatched(const struct task *t, u32 launch)
{
	const struct kcb *k = &t->kcb[launch];
	if (k->state != KCB_RUNNING)
		return k->state == KCB_DONE ? k->ctas : 0;
	s32 slot = dispatch_slot(&t->dispatcher, launch);
	return slot < 0 ? 0 : t->dispatcher.k[slot].dispatched;
}

static bool check_running(const struct task *t, struct err *e)
{
	const struct dispatcher *d = &t->dispatcher;
	for (u32 i = 0; i < d->n; i++) {
		u32 launch = d->k[d->order[i]].launch;
		HOLDS(launch < t->nlaunches && t->kcb[launch].state == KCB_RUNNING,
		      "task: launch %u is number %u of those that run, in state %u", launch, i,
		      launch < t->nlaunches ? t->kcb[launch].state : 0);
	}
	return dispatch_check_state(d, e);
}

bool task_check_state(const struct task *t, struct err *e)
{
	u32 running = 0, heads = 0;
	u64 next = NEVER;
	for (u32 i = t->first_open; i < t->nlaunches; i++) {
		const struct kcb *k = &t->kcb[i];
		running += k->state == KCB_RUNNING;
		heads += is_head(k);
		next = is_head(k) ? MIN(next, k->ready_at) : next;
		u64 dispatched = task_dispatched(t, i);
		HOLDS(k->k.ctas_done <= dispatched && dispatched <= k->ctas &&
		          (k->state == KCB_RUNNING || !dispatched || k->k.ctas_done == k->ctas),
		      "task: launch %u in state %u: %llu CTAs, %llu dispatched, %llu done", i, k->state,
		      (unsigned long long)k->ctas, (unsigned long long)dispatched, (unsigned long long)k->k.ctas_done);
	}
	HOLDS(running == t->dispatcher.n, "task: %u kernels run, the dispatcher has %u", running, t->dispatcher.n);
	HOLDS(heads == t->heads, "task: %u streams have a launch that may start, counted %u", heads, t->heads);
	HOLDS(next == t->next_start, "task: a kernel may start at %llu, noted %llu", (unsigned long long)next,
	      (unsigned long long)t->next_start);
	HOLDS(t->first_open <= t->nlaunches && (t->first_open == t->nlaunches || t->kcb[t->first_open].state != KCB_DONE),
	      "task: launch %u of %u is said to be the first that is not done", t->first_open, t->nlaunches);
	return check_running(t, e);
}
