#include "sm/deps.h"

#include <stdlib.h>

#include "passes/banks.h"
#include "sm/internal.h"
#include "sm/virtual.h"

/* The cycles in which an instruction of fixed latency reads its registers (Huerta 2025). */
#define READ_WINDOW 3

static const struct control_word *word_at(const struct sm_ctx *x, const struct warp *wp, u32 pc)
{
	return &x->prog[wp->launch].word[pc];
}

struct deps *deps_create(struct arena *a)
{
	return ARENA_NEW(a, struct deps, 1);
}

/* --- words -------------------------------------------------------------------------------------------------------- */

static u8 kind_of(const struct conf *c, const struct inst *in, const struct issue_info *info)
{
	if (info->flags & II_WAIT_ALL)
		return CONTROL_CLOSED;
	if (!info->cost)
		return CONTROL_FREE;
	if (info->unit == UNIT_LSU)
		return CONTROL_MEMORY;
	const bool shared_f64 = info->unit == UNIT_DP && c->sm_dp_units < c->sm_schedulers;
	const bool sequence = in->cls == IC_INT_DIV || in->cls == IC_F32_DIV || in->cls == IC_F64_DIV;
	return info->unit == UNIT_SFU || shared_f64 || sequence || in->cls == IC_SHFL ? CONTROL_VARIABLE : CONTROL_FIXED;
}

/* What an assembler knows of a unit of the scheduler's own. */
static u16 interval_of(const struct conf *c, const struct issue_info *info)
{
	const bool shared = (info->unit == UNIT_DP && c->sm_dp_units < c->sm_schedulers) ||
	                    (info->unit == UNIT_SFU && c->sm_sfu_units < c->sm_schedulers) ||
	                    (info->unit == UNIT_SP && (c->sm_f32_on_int || c->sm_sp_units < c->sm_schedulers)) ||
	                    (info->unit == UNIT_TENSOR && c->sm_tensor_units < c->sm_schedulers);
	if (info->unit == UNIT_LSU || shared || info->cost > 1)
		return 0;
	return (u16)(info->ii + (info->unit == UNIT_TENSOR ? c->tensor_warp_gap : 0));
}

struct control_word *deps_words(const struct conf *c, const struct module *m, const struct issue_info *info)
{
	if (c->sm_dependences != DEPENDENCES_COUNTERS)
		return NULL;
	struct control_timing *t = xcalloc(MAX(m->ncode, 1u), sizeof *t);
	for (u32 pc = 0; pc < m->ncode; pc++)
		t[pc] = (struct control_timing){.lat = info[pc].lat,
		                                .ii = interval_of(c, &info[pc]),
		                                .kind = kind_of(c, &m->code[pc], &info[pc]),
		                                .unit = info[pc].unit};
	struct control_word *w = control_make(m, t);
	banks_count(m, t, w);
	free(t);
	return w;
}

/* --- waiting ------------------------------------------------------------------------------------------------------ */

void deps_start(struct sm_ctx *x, u32 w)
{
	x->deps->warp[w] = (struct deps_warp){0};
}

static u8 raised_by(const struct control_word *c, bool written, bool read)
{
	return (u8)((written && c->set_write != CONTROL_NONE ? 1u << c->set_write : 0) |
	            (read && c->set_read != CONTROL_NONE ? 1u << c->set_read : 0));
}

u8 deps_raises(const struct sm_ctx *x, const struct warp *wp, u32 pc, bool written, bool read)
{
	return raised_by(word_at(x, wp, pc), written, read);
}

u8 deps_awaited(const struct sm_ctx *x, const struct warp *wp, u32 w)
{
	const struct deps_warp *d = &x->deps->warp[w];
	const struct control_word *c = word_at(x, wp, wp->pc);
	u32 out = 0;
	FOR_EACH_BIT(k, c->wait)
	out |= d->n[k] ? 1u << k : 0;
	FOR_EACH_BIT(k, raised_by(c, true, true))
	out |= d->n[k] == CONTROL_COUNT_MAX ? 1u << k : 0;
	return (u8)out;
}

bool deps_holds(const struct sm_ctx *x, const struct warp *wp, u32 w)
{
	return x->deps->warp[w].timed || deps_awaited(x, wp, w);
}

enum warp_state deps_state(struct sm_ctx *x, struct sm *s, u32 w, u64 now)
{
	struct warp *wp = &s->warp[w];
	struct deps_warp *d = &x->deps->warp[w];
	if (d->stalls && d->ready_at > now && !d->timed) {
		d->timed = 1;
		wp->inflight++;
		timer_put(x, s, now, d->ready_at, WK_STALL, wp->who, wp->pc);
	}
	if (!deps_holds(x, wp, w))
		return WS_NONE;
	return !d->timed && wp->loads ? WS_MEM : WS_SHORT;
}

void deps_scoreboard(struct sm_ctx *x, struct sm *s, u32 w, enum warp_state says, u64 now)
{
	struct deps_warp *d = &x->deps->warp[w];
	if (says == WS_MEM || says == WS_SHORT) {
		d->held_at = d->held_at ? d->held_at : MAX(now, d->ready_at) + 1;
		return;
	}
	s->k.hazard_holds += d->held_at && d->held_at <= now; /* a result of the same cycle comes in time */
	d->held_at = 0;
}

static void look_again(struct sm_ctx *x, struct sm *s, u32 w, u64 now)
{
	const struct warp *wp = &s->warp[w];
	if (wp->state == WS_MEM || wp->state == WS_SHORT)
		warp_refresh(x, s, w, now);
	else if (unlikely(!has_slot(w)) && x->vt)
		vt_written(x, s, w, now);
	else if (unlikely(wp->done))
		warp_try_retire(x, s, w, now);
}

void deps_stall_over(struct sm_ctx *x, struct sm *s, u32 w, u64 now)
{
	x->deps->warp[w].timed = 0;
	s->warp[w].inflight--;
	look_again(x, s, w, now);
}

/* --- issue -------------------------------------------------------------------------------------------------------- */

/* Cycles by which an instruction's reads last longer than the window: each bank reads one register a cycle, those of
 * the instructions before it first. */
static u32 read_operands(struct sm_ctx *x, struct sm *s, u32 w, u32 sched, const struct control_word *c, u64 now)
{
	struct deps_port *p = &x->deps->port[sched];
	const bool reuse = x->conf->sm_reuse_cache && p->last == w + 1;
	u64 end = now;
	for (u32 b = 0; b < 2; b++) {
		const u32 n = c->reads[b] - (reuse ? c->reused[b] : 0);
		p->free[b] = MAX(p->free[b], now) + n;
		end = MAX(end, p->free[b]);
	}
	p->last = w + 1;
	const u32 late = end > now + READ_WINDOW ? (u32)(end - now - READ_WINDOW) : 0;
	p->blocked = now + 1 + late;
	s->k.bank_conflicts += late;
	return late;
}

bool deps_reads_late(const struct sm_ctx *x, const struct warp *wp, u32 pc)
{
	return x->deps && word_at(x, wp, pc)->set_read != CONTROL_NONE;
}

static void count_up(struct deps_warp *d, u32 counter)
{
	d->n[counter]++;
	BUG_ON(d->n[counter] > CONTROL_COUNT_MAX);
}

u32 deps_issued(struct sm_ctx *x, struct sm *s, u32 w, u32 sched, const struct dyninst *d, u64 now)
{
	struct warp *wp = &s->warp[w];
	struct deps_warp *u = &x->deps->warp[w];
	const struct control_word *c = word_at(x, wp, d->pc);
	const bool lsu = info_at(x, wp, d->pc)->unit == UNIT_LSU;
	const u32 late = !lsu && x->conf->sm_read_ports ? read_operands(x, s, w, sched, c, now) : 0;
	u->last = d->pc;
	u->ready_at = now + c->stall + late;
	u->stalls = c->stall + late > 1 || x->conf->sm_issue_width > 1;
	if (lsu && !d->mask)
		return late;
	if (c->set_write != CONTROL_NONE)
		count_up(u, c->set_write);
	if (c->set_read != CONTROL_NONE) {
		count_up(u, c->set_read);
		wp->inflight++;
	}
	return late;
}

void deps_written(struct sm_ctx *x, u32 w, u32 pc, const struct warp *wp)
{
	const struct control_word *c = word_at(x, wp, pc);
	if (c->set_write == CONTROL_NONE)
		return;
	BUG_ON(!x->deps->warp[w].n[c->set_write]);
	x->deps->warp[w].n[c->set_write]--;
}

/* Registers beyond the first that a store reads, of 32 bits. */
static u32 more_data(const struct inst *in)
{
	const u32 bytes = ptype_bytes(in->type) * MAX(in->vec, 1u);
	return bytes > 4 ? bytes / 4 - 1 : 0;
}

void deps_leaves_lsu(struct sm_ctx *x, struct sm *s, u32 w, u32 pc, u64 now)
{
	const struct warp *wp = &s->warp[w];
	if (word_at(x, wp, pc)->set_read == CONTROL_NONE)
		return;
	const struct inst *in = inst_at(x, wp, pc);
	const bool store = inst_is_store(in) || in->cls == IC_ATOMIC;
	const u32 cycles = store ? x->conf->lsu_release_store + 2 * more_data(in) : x->conf->lsu_release_load;
	timer_put(x, s, now, now + cycles, WK_READ, wp->who, pc);
}

void deps_read(struct sm_ctx *x, struct sm *s, u32 w, u32 pc, u64 now)
{
	struct warp *wp = &s->warp[w];
	const u32 k = word_at(x, wp, pc)->set_read;
	BUG_ON(!x->deps->warp[w].n[k]);
	x->deps->warp[w].n[k]--;
	wp->inflight--;
	look_again(x, s, w, now);
}
