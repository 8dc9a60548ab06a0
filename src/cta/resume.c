#include "cta/resume.h"

#include <string.h>

#include "base/hash.h"
#include "conf/virtual.h"
#include "sm/copies.h"
#include "sm/checks.h"
#include "sm/restartable.h"

static u64 store_bytes(const struct conf *c)
{
	return (u64)c->cta_saved_mb << 20;
}

/* CTAs that the SMs can hold. */
static u32 most_ctas(const struct conf *c)
{
	return c->num_sms * (conf_is_vt(c) ? VIRTUAL_CTA_PLACES : c->sm_ctas);
}

size_t resume_state_bytes(const struct conf *c)
{
	return sizeof(struct resume) + most_ctas(c) * sizeof(struct saved_cta) + store_bytes(c) + 16384 +
	       (c->preempt_traffic ? most_ctas(c) * sizeof(struct saved_context) + 64 : 0) + traffic_state_bytes(c);
}

void resume_create(struct resume_ctx *x, const struct conf *c, struct mem *m, struct arena *a)
{
	x->conf = c;
	x->max = most_ctas(c);
	x->r = ARENA_NEW(a, struct resume, 1);
	x->cta = ARENA_NEW(a, struct saved_cta, x->max);
	x->store = arena_alloc(a, store_bytes(c), 4096);
	x->traffic.sm = x->sm;
	x->traffic.ctx = x->ctx;
	traffic_create(&x->traffic, c, m, a);
	if (traffic_is_on(&x->traffic))
		x->context = ARENA_NEW(a, struct saved_context, x->max);
}

/* First fit, as for registers. */
static bool find_hole(const struct resume_ctx *x, u64 bytes, u64 *at)
{
	*at = 0;
	for (bool moved = true; moved;) {
		moved = false;
		if (*at + bytes > store_bytes(x->conf))
			return false;
		for (u32 i = 0; i < x->r->top; i++) {
			const struct saved_cta *c = &x->cta[i];
			if (c->state == SAVED_FREE || *at >= c->at + c->bytes || c->at >= *at + bytes)
				continue;
			*at = c->at + c->bytes;
			moved = true;
		}
	}
	return true;
}

struct saved_cta *resume_save(struct resume_ctx *x, u32 sm, u32 slot, bool release, const struct cta_leaves *why,
                              u64 now, struct err *e)
{
	struct sm_ctx *ctx = &x->ctx[sm];
	struct sm *s = x->sm[sm];
	const struct cta *c = &s->cta[slot];
	const u64 front = round_up(front_cta_save(ctx->front, sm, slot, NULL), 8);
	const u64 bytes = front + (ctx->restart ? restart_cta_save(ctx->restart, sm, slot, NULL) : 0);
	struct saved_cta *free = NULL;
	u64 at;
	for (u32 i = MIN(x->r->top + 1, x->max); i-- > 0;)
		free = x->cta[i].state == SAVED_FREE ? &x->cta[i] : free;
	if (!front)
		return err_set(e, "the front end '%s' cannot save a CTA", ctx->front->ops->name), NULL;
	if (!free)
		return err_set(e, "%u CTAs are saved already, as many as the machine's SMs can hold", x->max), NULL;
	if (!find_hole(x, bytes, &at))
		return err_set(e,
		               "CTA %llu has %llu bytes; there is no room for them beside those of %u others (cta.saved_mb=%u)",
		               (unsigned long long)c->id, (unsigned long long)bytes, x->r->n, x->conf->cta_saved_mb),
		       NULL;
	copies_land(ctx, s, slot, now);
	memset(x->store + at, 0, bytes);
	front_cta_save(ctx->front, sm, slot, x->store + at);
	if (ctx->restart)
		restart_cta_save(ctx->restart, sm, slot, x->store + at + front);
	*free = (struct saved_cta){.at = at,
	                           .bytes = bytes,
	                           .record = front,
	                           .hash = hash_bytes(x->store + at, bytes, 0),
	                           .order = x->r->orders,
	                           .id = c->id,
	                           .since = now,
	                           .left_at = now,
	                           .launch = c->launch,
	                           .sm = sm,
	                           .to = SM_ANY,
	                           .state = SAVED_LEAVING,
	                           .release = release,
	                           .moved = why->cause != LEAVES_BY_FLUSH,
	                           .request = why->request};
	const u64 insts = c->insts;
	const u32 place = sm_take_off(ctx, s, slot, why, now);
	if (place == NO_PLACE) {
		*free = (struct saved_cta){0};
		return err_set(e,
		               "SM %u has saved so many CTAs that there is no place for the answers that they wait for: "
		               "it may save more when those have come",
		               sm),
		       NULL;
	}
	if (x->moved)
		x->moved(x->moved_ctx, sm, free->launch, insts, false);
	free->place = place;
	x->r->top = MAX(x->r->top, (u32)(free - x->cta) + 1);
	x->r->orders++;
	x->r->n++;
	x->r->leaving++;
	return free;
}

void resume_release(struct resume_ctx *x, struct saved_cta *c, u32 to, u64 now)
{
	c->to = to;
	c->release = 1;
	if (c->state != SAVED_HELD)
		return;
	c->state = SAVED_QUEUED;
	c->since = now;
	c->order = x->r->orders++;
	x->r->queued++;
}

struct saved_cta *resume_find(const struct resume_ctx *x, u32 launch, u64 id)
{
	for (u32 i = 0; x->r->n && i < x->r->top; i++)
		if (x->cta[i].state != SAVED_FREE && x->cta[i].launch == launch && x->cta[i].id == id)
			return &x->cta[i];
	return NULL;
}

u32 resume_count(const struct resume_ctx *x, u32 launch)
{
	u32 n = 0;
	for (u32 i = 0; x->r->n && i < x->r->top; i++)
		n += x->cta[i].state != SAVED_FREE && x->cta[i].launch == launch;
	return n;
}

void resume_lies_at(struct resume_ctx *x, const struct saved_cta *c, u64 bytes)
{
	x->context[c - x->cta] = (struct saved_context){traffic_lies(&x->traffic, c->sm, bytes), bytes};
}

bool resume_look(struct resume_ctx *x, u64 now, u64 *awake)
{
	bool any = false;
	if (traffic_open(&x->traffic))
		traffic_cycle(&x->traffic, now, awake);
	for (u32 i = 0; i < x->r->top && x->r->leaving; i++) {
		struct saved_cta *c = &x->cta[i];
		if (c->state != SAVED_LEAVING || !sm_is_quiet(x->sm[c->sm], c->place))
			continue;
		sm_hand_over(&x->ctx[c->sm], x->sm[c->sm], c->place, &c->s);
		c->place = 0;
		c->since = now;
		c->state = SAVED_HELD;
		x->r->leaving--;
		if (!c->release)
			continue;
		resume_release(x, c, c->to, now);
		any = true;
	}
	return any;
}

void resume_move(struct resume_ctx *x, u32 sm, const struct cta_set *ctas, u64 until, u64 now)
{
	struct sm *s = x->sm[sm];
	if (until != NEVER) /* what is moved by traffic says when it has ended */
		x->r->moving_until[sm] = MAX(x->r->moving_until[sm], until);
	x->r->moves++;
	FOR_EACH_CTA(i, s)
	if (!sm_has_ended(s, i) && (cta_in(ctas, i) || x->conf->preempt_halt == PREEMPT_HALT_SM))
		sm_move_context(&x->ctx[sm], s, i, until, now);
}

void resume_cta_halted(struct resume_ctx *x, u32 sm, u32 place, u64 now)
{
	const struct cta_set alone = cta_alone(place);
	if (traffic_halts(&x->traffic, sm))
		sm_move_context(&x->ctx[sm], x->sm[sm], place, NEVER, now);
	if (x->r->moving_until[sm] > now && x->conf->preempt_halt == PREEMPT_HALT_SM)
		resume_move(x, sm, &alone, x->r->moving_until[sm], now);
}

static void come_back(struct resume_ctx *x, struct saved_cta *c, u32 sm, u64 now)
{
	struct sm_ctx *ctx = &x->ctx[sm];
	const struct cta_comes how = {.from = c->sm, .left_at = c->left_at, .moved = c->moved};
	const u32 slot = sm_restore_cta(ctx, x->sm[sm], &c->s, x->store + c->at, &how, now);
	const struct cta_set alone = cta_alone(slot);
	if (ctx->checks)
		checks_cta_start(ctx, x->sm[sm], slot, true, now);
	if (ctx->restart)
		restart_cta_restore(ctx->restart, sm, slot, x->store + c->at + c->record);
	x->sm[sm]->cta[slot].away += now - c->left_at;
	if (x->moved)
		x->moved(x->moved_ctx, sm, c->launch, x->sm[sm]->cta[slot].insts, true);
	if (c->bring && x->brought)
		x->brought(x->brought_ctx, c, sm, slot, now);
	struct saved_context *lies = x->context ? &x->context[c - x->cta] : NULL;
	if (lies && lies->bytes) {
		traffic_back(&x->traffic, sm, slot, lies->addr, lies->bytes, now);
		*lies = (struct saved_context){0};
	} else if (c->bring) /* contexts come to an SM one after the other */
		resume_move(x, sm, &alone, MAX(x->r->moving_until[sm], now) + c->bring, now);
	else
		resume_cta_came(x, sm, slot, now);
	*c = (struct saved_cta){0};
	x->r->n--;
	x->r->queued--;
	while (x->r->top && x->cta[x->r->top - 1].state == SAVED_FREE)
		x->r->top--;
}

s32 resume_offer(struct resume_ctx *x, u32 sm, resume_may_fn *may, const void *ctx, u64 now)
{
	struct saved_cta *first = NULL;
	for (u32 i = 0; i < x->r->top && x->r->queued; i++) {
		struct saved_cta *c = &x->cta[i];
		if (c->state != SAVED_QUEUED || (first && first->order < c->order) || (c->to != SM_ANY && c->to != sm))
			continue;
		const struct launch *l = x->launch[c->launch];
		if (traffic_has_room(&x->traffic, sm) && sm_has_room(&x->ctx[sm], x->sm[sm], l) && may(ctx, sm, c->launch))
			first = c;
	}
	if (!first)
		return -1;
	const s32 launch = (s32)first->launch;
	come_back(x, first, sm, now);
	return launch;
}

u64 resume_hash(const struct resume_ctx *x)
{
	u64 hash = x->r->moves ? hash_bytes(x->r, sizeof *x->r, 0) : 0;
	for (u32 i = 0; x->r->n && i < x->r->top; i++)
		if (x->cta[i].state != SAVED_FREE)
			hash = hash_bytes(&x->cta[i], sizeof x->cta[i], hash + i);
	if (traffic_open(&x->traffic) || (x->traffic.t && x->r->n))
		hash = hash_bytes(x->context, x->max * sizeof *x->context, hash + traffic_hash(&x->traffic));
	return hash;
}

bool resume_check_state(const struct resume_ctx *x, struct err *e)
{
	u32 n[SAVED_QUEUED + 1] = {0};
	for (u32 i = 0; i < x->max; i++) {
		const struct saved_cta *c = &x->cta[i];
		n[c->state]++;
		HOLDS(c->state == SAVED_FREE || i < x->r->top, "CTA %llu of launch %u has been saved in place %u of %u",
		      (unsigned long long)c->id, c->launch, i, x->r->top);
		HOLDS(c->state == SAVED_FREE || hash_bytes(x->store + c->at, c->bytes, 0) == c->hash,
		      "CTA %llu of launch %u has been saved, and is not what it was", (unsigned long long)c->id, c->launch);
	}
	if (!traffic_check_state(&x->traffic, e))
		return false;
	HOLDS(x->max - n[SAVED_FREE] == x->r->n && n[SAVED_LEAVING] == x->r->leaving && n[SAVED_QUEUED] == x->r->queued,
	      "%u CTAs are saved (%u), %u leave (%u), %u are to come back (%u)", x->max - n[SAVED_FREE], x->r->n,
	      n[SAVED_LEAVING], x->r->leaving, n[SAVED_QUEUED], x->r->queued);
	return true;
}
