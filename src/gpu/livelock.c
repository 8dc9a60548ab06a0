#include "gpu/livelock.h"

#include "base/hash.h"
#include "gpu/query.h"
#include "gpu/state.h"

#define WINDOWS 4
#define LOOKS 400 /* in a window */

u64 livelock_state_bytes(const struct conf *c)
{
	return sizeof(struct livelock) + (u64)c->num_sms * (WARP_SLOTS * sizeof(struct livelock_warp) + sizeof(u64)) + 192;
}

void livelock_create(struct gpu *g)
{
	g->livelock = ARENA_NEW(&g->arena, struct livelock, 1);
	g->livelock_warp = ARENA_NEW(&g->arena, struct livelock_warp, g->conf.num_sms * WARP_SLOTS);
	g->livelock_open = ARENA_NEW(&g->arena, u64, g->conf.num_sms);
}

u64 livelock_next(const struct gpu *g)
{
	return g->livelock->ends ? MIN(g->livelock->next, g->livelock->ends) : NEVER;
}

static u64 work_done(const struct gpu *g)
{
	u64 sum = g->task->nlaunches + g->task->dispatcher.n;
	for (u32 i = 0; i < g->conf.num_sms; i++)
		sum += g->sm[i]->k.ctas_started + g->sm[i]->k.ctas_done + g->sm[i]->k.ctas_saved + g->sm[i]->k.ctas_restored +
		       g->sm[i]->k.ctas_dropped;
	return sum;
}

static u64 memory_hash(const struct gpu *g)
{
	u64 hash = devmem_hash(&g->mem_values); /* local memory lies there too */
	for (u32 i = 0; i < g->conf.num_sms; i++) {
		u32 place[GPU_CTAS_MAX];
		const u32 n = gpu_ctas(g, i, place, GPU_CTAS_MAX);
		for (u32 k = 0; k < n; k++) {
			u32 bytes;
			const u8 *p = front_shared(g->front, i, place[k], &bytes);
			hash = hash_bytes(p, bytes, hash);
		}
	}
	return hash;
}

/* --- one warp ----------------------------------------------------------------------------------------------------- */

static void take(const struct gpu *g, u32 sm, u32 warp, struct livelock_warp *w, u32 at)
{
	w->was[at].pc = front_pc(g->front, sm, warp);
	w->was[at].hash = front_warp_hash(g->front, sm, warp);
	w->was[at].insts = g->sm[sm]->warp[warp].insts;
}

/* Has it been in this very state before, with instructions in between? */
static bool recurs(const struct gpu *g, u32 sm, u32 warp, const struct livelock_warp *w)
{
	const u32 pc = front_pc(g->front, sm, warp);
	const u64 insts = g->sm[sm]->warp[warp].insts;
	for (u32 i = 0; i < LIVELOCK_STATES; i++)
		if (w->was[i].pc == pc && w->was[i].insts != insts && w->was[i].hash == front_warp_hash(g->front, sm, warp))
			return true;
	return false;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static struct livelock_warp *warps_of(const struct gpu *g, u32 sm)
{
	return &g->livelock_warp[sm * WARP_SLOTS];
}

static void window_begins(struct gpu *g)
{
	struct livelock *l = g->livelock;
	const u64 quarter = g->conf.deadlock_cycles / 4;
	l->left = 0;
	l->came_round = 0;
	l->begins = g->st->cycle;
	l->asleep = 0;
	l->ends = (g->st->cycle / quarter + 1) * quarter;
	l->next = g->st->cycle + MAX(quarter / LOOKS, 1);
	for (u32 i = 0; i < g->conf.num_sms; i++) {
		g->livelock_open[i] = 0;
		for (u32 w = 0; w < g->ctx[i].nwarps; w++) {
			const struct warp *own = &g->sm[i]->warp[w];
			struct livelock_warp *k = &warps_of(g, i)[w];
			if (!(g->sm[i]->used >> w & 1) || own->done)
				continue;
			g->livelock_open[i] |= BIT(w);
			for (u32 at = 0; at < LIVELOCK_STATES; at++)
				take(g, i, w, k, at);
			k->first = own->insts;
			k->sleep_insts = 0;
			k->taken = 0;
			l->left++;
		}
	}
}

/* A window that sleepers have made longer is looked at less often, but in the unit of time of the others. */
static u64 look_unit(const struct gpu *g)
{
	return MAX(g->conf.deadlock_cycles / 4 / LOOKS, 1);
}

static u64 look_every(const struct gpu *g)
{
	return MAX((g->st->cycle - g->livelock->begins) / LOOKS, look_unit(g));
}

/* Warps that did nothing at all in the whole window and wait for no answer: at a barrier, or never chosen. */
static u32 motionless(const struct gpu *g)
{
	u32 n = 0;
	for (u32 i = 0; i < g->conf.num_sms; i++)
		FOR_EACH_BIT(w, g->livelock_open[i])
		{
			const struct warp *own = &g->sm[i]->warp[w];
			const struct livelock_warp *k = &warps_of(g, i)[w];
			n += own->insts == k->first && !own->sleeping && !own->fetching && !own->inflight && !own->outstanding;
		}
	return n;
}

static void note_sleep(struct gpu *g, const struct warp *own, struct livelock_warp *k)
{
	if (!own->sleeping)
		return;
	if (k->sleep_insts != own->insts) {
		k->sleep_insts = own->insts;
		k->sleep_from = g->st->cycle;
	}
	g->livelock->asleep = MAX(g->livelock->asleep, g->st->cycle - k->sleep_from + look_every(g));
}

/* A warp that has slept is still to come back: the window goes on for another quarter of deadlock_cycles. */
static bool window_goes_on(struct gpu *g)
{
	struct livelock *l = g->livelock;
	const u64 quarter = g->conf.deadlock_cycles / 4;
	if (l->left == motionless(g) || l->ends - l->begins >= LIVELOCK_SLEEPS * l->asleep)
		return false;
	l->ends += quarter;
	return true;
}

static void look_inside(struct gpu *g)
{
	struct livelock *l = g->livelock;
	const u64 units = (g->st->cycle - l->begins) / look_unit(g);
	for (u32 i = 0; i < g->conf.num_sms; i++)
		FOR_EACH_BIT(w, g->livelock_open[i])
		{
			struct livelock_warp *k = &warps_of(g, i)[w];
			if (recurs(g, i, w, k)) {
				g->livelock_open[i] &= ~BIT(w);
				l->left--;
				l->came_round = 1;
				continue;
			}
			if (units >> k->taken)
				take(g, i, w, k, k->taken++ % LIVELOCK_STATES);
			note_sleep(g, &g->sm[i]->warp[w], k);
		}
	l->next = l->left ? g->st->cycle + look_every(g) : NEVER;
}

/* Has every warp come back, and memory with them? */
static bool window_passed(struct gpu *g)
{
	struct livelock *l = g->livelock;
	if (motionless(g) != l->left || !l->came_round)
		return false; /* where nobody goes in circles it is a deadlock, or slow */
	const u64 memory = memory_hash(g);
	if (l->windows && memory != l->memory)
		return false;
	l->memory = memory;
	l->windows++;
	return true;
}

static void begin_again(struct livelock *l, u64 now)
{
	*l = (struct livelock){.work = l->work, .work_at = l->work_at, .expected = l->expected, .since = now};
}

/* May the outside still help, for all that is known? */
static bool patient(const struct gpu *g)
{
	return g->st->cycle - g->livelock->work_at < (u64)LIVELOCK_PATIENCE * g->conf.deadlock_cycles;
}

void livelock_turn(struct gpu *g)
{
	if (patient(g))
		begin_again(g->livelock, g->st->cycle);
}

void livelock_helped(struct gpu *g)
{
	begin_again(g->livelock, g->st->cycle);
}

void livelock_expect(struct gpu *g, u64 cycle)
{
	g->livelock->expected = MAX(g->livelock->expected, cycle); /* another program's may be later */
}

bool livelock_look(struct gpu *g)
{
	struct livelock *l = g->livelock;
	const u64 now = g->st->cycle, work = work_done(g);
	if (work != l->work || !g->task->dispatcher.n) {
		*l = (struct livelock){.work = work, .work_at = now, .expected = l->expected, .since = now};
		return false;
	}
	if (now < l->expected && patient(g)) {
		begin_again(l, now);
		return false;
	}
	if (l->ends && now >= l->next)
		look_inside(g);
	if (now < l->ends || (l->ends && window_goes_on(g)))
		return false;
	if (l->ends && !window_passed(g))
		begin_again(l, now); /* not yet, at least */
	if (l->windows == WINDOWS)
		return true;
	if (now - l->since >= g->conf.deadlock_cycles)
		window_begins(g);
	return false;
}
