#include "obs/compare/diverge.h"

#include <stdlib.h>
#include <string.h>

/* A growing queue: e[head .. n). */
struct queue {
	struct decision *e;
	u32 head, n, cap;
};
struct side {
	struct diverge *d;
	struct gpu *gpu;
	struct queue *q;       /* one by cycle; one a scheduler by order */
	u8 *reason;            /* by scheduler: enum stall of its last slot, as far as the comparison has come */
	struct decision *open; /* the decision just heard, whose instruction may be told next */
};
struct diverge {
	enum diverge_by by;
	struct side side[2];
	u32 sms, schedulers, nq; /* the larger machine's */
	u32 waiting;
	bool gave_up;
	u64 equal;
	struct divergence first, first_ready;
};

struct diverge *diverge_new(struct gpu *a, struct gpu *b, enum diverge_by by)
{
	struct diverge *d = xcalloc(1, sizeof *d);
	const struct conf *ca = gpu_conf(a), *cb = gpu_conf(b);
	d->by = by;
	d->sms = MAX(ca->num_sms, cb->num_sms);
	d->schedulers = MAX(ca->sm_schedulers, cb->sm_schedulers);
	d->nq = by == DIVERGE_BY_CYCLE ? 1 : d->sms * d->schedulers;
	for (u32 i = 0; i < 2; i++) {
		struct side *s = &d->side[i];
		s->d = d;
		s->gpu = i ? b : a;
		s->q = xcalloc(d->nq, sizeof *s->q);
		s->reason = xmalloc((size_t)d->sms * d->schedulers);
		memset(s->reason, ST_EMPTY, (size_t)d->sms * d->schedulers);
	}
	return d;
}

void diverge_free(struct diverge *d)
{
	if (!d)
		return;
	for (u32 i = 0; i < 2; i++) {
		for (u32 k = 0; k < d->nq; k++)
			free(d->side[i].q[k].e);
		free(d->side[i].q);
		free(d->side[i].reason);
	}
	free(d);
}

/* --- listening --- */

event_set diverge_events(const struct diverge *d)
{
	event_set picks = EVENT(EV_SCHED_PICK) | EVENT(EV_ISSUE);
	return d->by == DIVERGE_BY_CYCLE ? picks | EVENT(EV_STALL) : picks;
}

void *diverge_side(struct diverge *d, u32 side)
{
	return &d->side[side];
}

static u32 scheduler_index(const struct diverge *d, u32 sm, u32 scheduler)
{
	return sm * d->schedulers + scheduler;
}

static struct decision *push(struct side *s, u32 sm, u32 scheduler)
{
	struct diverge *d = s->d;
	struct queue *q = &s->q[d->by == DIVERGE_BY_CYCLE ? 0 : scheduler_index(d, sm, scheduler)];
	if (q->n == q->cap) {
		q->cap = MAX(q->cap * 2, 256u);
		q->e = xrealloc(q->e, q->cap * sizeof *q->e);
	}
	d->waiting++;
	return &q->e[q->n++];
}

static void hear_pick(struct side *s, const struct event *e)
{
	struct decision *p = push(s, (u32)e->sm, (u32)e->arg[0]);
	*p = (struct decision){.cycle = e->cycle,
	                       .ready = e->arg[1],
	                       .kernel = e->kernel,
	                       .cta = e->cta,
	                       .warp = e->warp,
	                       .sm = (u16)e->sm,
	                       .scheduler = (u8)e->arg[0],
	                       .greedy = e->arg[2] != 0};
	/* Right when the slot is a leading one of an instruction that takes several; else the issue that follows tells. */
	p->pc = front_pc(gpu_front(s->gpu), (u32)e->sm, (u32)e->warp);
	s->open = p;
}

static void hear_stall(struct side *s, const struct event *e)
{
	struct decision *p = push(s, (u32)e->sm, (u32)e->arg[0]);
	*p = (struct decision){.cycle = e->cycle,
	                       .warp = -1,
	                       .sm = (u16)e->sm,
	                       .scheduler = (u8)e->arg[0],
	                       .reason = (u8)e->arg[1],
	                       .is_stall = true};
}

bool diverge_event(void *ctx, const struct event *e)
{
	struct side *s = ctx;
	struct decision *open = s->open;
	s->open = NULL;
	if (s->d->first.found || s->d->gave_up)
		return false;
	if (e->type == EV_SCHED_PICK)
		hear_pick(s, e);
	else if (e->type == EV_STALL)
		hear_stall(s, e);
	else if (open && e->cycle == open->cycle && e->sm == (s32)open->sm && e->warp == open->warp &&
	         e->arg[2] == open->scheduler)
		open->pc = e->pc;
	return false;
}

/* --- comparing --- */

static int order(const struct decision *a, const struct decision *b)
{
	if (a->cycle != b->cycle)
		return a->cycle < b->cycle ? -1 : 1;
	if (a->sm != b->sm)
		return a->sm < b->sm ? -1 : 1;
	return (int)a->scheduler - (int)b->scheduler;
}

static bool same_choice(const struct decision *a, const struct decision *b)
{
	return a->warp == b->warp && a->cta == b->cta && a->kernel == b->kernel && a->pc == b->pc;
}

/* An equal pair; remembers the first that chose among different warps. */
static void count_equal(struct diverge *d, const struct decision *a, const struct decision *b)
{
	d->equal++;
	if (a->ready != b->ready && !d->first_ready.found)
		d->first_ready = (struct divergence){true, {*a, *b}};
}

/* Takes the slots lost at the head of the queue, those up to `limit` when it is given; the next decision or NULL. */
static const struct decision *next_pick(struct side *s, const struct decision *limit)
{
	struct queue *q = &s->q[0];
	while (q->head < q->n && q->e[q->head].is_stall) {
		const struct decision *e = &q->e[q->head];
		if (limit && order(e, limit) > 0)
			return NULL;
		s->reason[scheduler_index(s->d, e->sm, e->scheduler)] = e->reason;
		q->head++;
	}
	return q->head < q->n ? &q->e[q->head] : NULL;
}

/* The decision at the head, looked for without taking anything. */
static const struct decision *peek_pick(const struct queue *q)
{
	for (u32 i = q->head; i < q->n; i++)
		if (!q->e[i].is_stall)
			return &q->e[i];
	return NULL;
}

/* Only one machine chose: what the other's scheduler lost that slot to. */
static struct decision no_choice(struct side *s, const struct decision *other)
{
	next_pick(s, other);
	return (struct decision){.cycle = other->cycle,
	                         .kernel = -1,
	                         .cta = -1,
	                         .warp = -1,
	                         .sm = other->sm,
	                         .scheduler = other->scheduler,
	                         .reason = s->reason[scheduler_index(s->d, other->sm, other->scheduler)]};
}

static void take(struct side *s)
{
	const struct decision *e = next_pick(s, NULL);
	s->reason[scheduler_index(s->d, e->sm, e->scheduler)] = ST_ISSUED;
	s->q[0].head++;
}

/* One step through both streams; false at their end, and at a divergence. */
static bool step_by_cycle(struct diverge *d)
{
	struct side *a = &d->side[0], *b = &d->side[1];
	const struct decision *pa = peek_pick(&a->q[0]), *pb = peek_pick(&b->q[0]);
	if (!pa && !pb)
		return false;
	int which = !pa ? 1 : !pb ? -1 : order(pa, pb);
	if (which || !same_choice(pa, pb)) {
		d->first.side[0] = which > 0 ? no_choice(a, pb) : *pa;
		d->first.side[1] = which < 0 ? no_choice(b, pa) : *pb;
		d->first.found = true;
		return false;
	}
	count_equal(d, pa, pb);
	take(a);
	take(b);
	return true;
}

static void compare_by_cycle(struct diverge *d)
{
	while (step_by_cycle(d))
		;
	for (u32 i = 0; i < 2; i++) {
		next_pick(&d->side[i], NULL);
		d->side[i].q[0].head = d->side[i].q[0].n = 0;
	}
	d->waiting = 0;
}

/* A queue that only one machine has filled. */
static struct decision no_more(const struct decision *other, const struct side *s)
{
	return (struct decision){.cycle = gpu_cycle(s->gpu),
	                         .kernel = -1,
	                         .cta = -1,
	                         .warp = -1,
	                         .sm = other->sm,
	                         .scheduler = other->scheduler,
	                         .reason = ST_EMPTY};
}

/* The earlier of the divergences of several schedulers, by the cycles of the first machine, then of the second. */
static void keep_earlier(struct divergence *first, struct decision a, struct decision b)
{
	const struct decision *fa = &first->side[0], *fb = &first->side[1];
	if (first->found && (fa->cycle < a.cycle || (fa->cycle == a.cycle && fb->cycle <= b.cycle)))
		return;
	*first = (struct divergence){true, {a, b}};
}

static void drop_compared(struct queue *q)
{
	memmove(q->e, q->e + q->head, (q->n - q->head) * sizeof *q->e);
	q->n -= q->head;
	q->head = 0;
}

static void compare_scheduler(struct diverge *d, u32 i, bool ended)
{
	struct side *a = &d->side[0], *b = &d->side[1];
	struct queue *qa = &a->q[i], *qb = &b->q[i];
	for (; qa->head < qa->n && qb->head < qb->n; qa->head++, qb->head++) {
		const struct decision *pa = &qa->e[qa->head], *pb = &qb->e[qb->head];
		if (!same_choice(pa, pb)) {
			keep_earlier(&d->first, *pa, *pb);
			return;
		}
		count_equal(d, pa, pb);
		d->waiting -= 2;
	}
	if (ended && qa->head < qa->n)
		keep_earlier(&d->first, qa->e[qa->head], no_more(&qa->e[qa->head], b));
	else if (ended && qb->head < qb->n)
		keep_earlier(&d->first, no_more(&qb->e[qb->head], a), qb->e[qb->head]);
	else if (qa->head) {
		drop_compared(qa);
		drop_compared(qb);
	}
}

bool diverge_compare(struct diverge *d, bool ended)
{
	for (u32 i = 0; i < 2; i++)
		d->side[i].open = NULL;
	if (d->first.found || d->gave_up)
		return d->first.found;
	if (d->by == DIVERGE_BY_CYCLE) {
		compare_by_cycle(d);
		return d->first.found;
	}
	for (u32 i = 0; i < d->nq; i++)
		compare_scheduler(d, i, ended);
	d->gave_up = !d->first.found && d->waiting > DIVERGE_WAITING_MAX;
	return d->first.found;
}

u32 diverge_waiting(const struct diverge *d)
{
	return d->waiting;
}
const struct divergence *diverge_first(const struct diverge *d)
{
	return &d->first;
}
const struct divergence *diverge_first_ready(const struct diverge *d)
{
	return &d->first_ready;
}
u64 diverge_equal(const struct diverge *d)
{
	return d->equal;
}
bool diverge_gave_up(const struct diverge *d)
{
	return d->gave_up;
}
