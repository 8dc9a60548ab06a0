/* What holds between any two cycles: see sm_check_state(). Everything is counted anew from where it lies. */
#include <string.h>

#include "sm/copies.h"
#include "sm/deps.h"
#include "sm/internal.h"
#include "sm/l1_pipe.h"
#include "sm/replay.h"
#include "sm/virtual.h"

void sm_due(const struct sm *s, struct sm_dues *d, u32 token)
{
	const u32 place = sm_token_warp(s, token);
	if (is_of_context(token))
		d->contexts++;
	else if (place == NO_PLACE)
		d->late++;
	else if (token & TOKEN_FETCH)
		d->fetches[place]++;
	else if (token & TOKEN_ACK)
		d->answers[place]++;
	else
		d->loads[token_load(token)]++;
}

/* --- what is in flight -------------------------------------------------------------------------------------------- */
struct flight_of {    /* of a warp */
	u32 results;      /* on the wheel, in the load table, or of shared memory instructions at the LSU */
	u32 loads;        /* in the load table */
	u32 fetches;      /* lines */
	u32 transactions; /* accepted by a cache and not answered; instructions without a result and entries of the
	                     re-execution queue beside them */
	u32 sleeps;
	u64 ids[2]; /* scoreboard: those that the results will free */
	u64 big[SB_IDS_MAX / 64];
};
struct flights {
	u32 alu, mem; /* instructions */
	struct flight_of of[SM_PLACES];
};

static void add_result(const struct sm_ctx *x, const struct sm *s, struct flights *f, u32 w, u32 pc)
{
	const struct issue_info *in = info_at(x, &s->warp[w], pc);
	f->of[w].results++;
	f->of[w].ids[0] |= in->dst[0];
	f->of[w].ids[1] |= in->dst[1];
	if (!(in->flags & II_BIG))
		return;
	const struct inst *ir = inst_at(x, &s->warp[w], pc);
	for (u32 i = 0; i < ir->n_sb_dst; i++)
		f->of[w].big[inst_sb_dst(ir)[i] / 64] |= BIT(inst_sb_dst(ir)[i] % 64);
}

/* Is there a warp in a place? */
static bool is_there(const struct sm *s, u32 place)
{
	if (place < WARP_SLOTS)
		return s->used >> place & 1;
	return place < SM_PLACES && s->away[place / WARP_SLOTS - 1] >> place % WARP_SLOTS & 1;
}

static bool count_node(const struct sm_ctx *x, const struct sm *s, const struct timer_node *n, struct flights *f,
                       struct err *e)
{
	const u32 place = place_of(s, n->who);
	HOLDS(is_there(s, place), "SM %u: the wheel holds something for %#x, a warp that is not there", s->id, n->who);
	struct flight_of *w = &f->of[place];
	switch (timer_kind(n)) {
	case WK_RESUME: return true;
	case WK_FETCHED: w->fetches++; return true;
	case WK_STALL:
	case WK_READ: w->results++; return true;
	case WK_WAKE:
		w->sleeps++;
		w->results++;
		return true;
	default: break;
	}
	f->alu += timer_kind(n) == WK_WRITEBACK;
	f->mem += timer_kind(n) == WK_LOADED;
	add_result(x, s, f, place, timer_pc(n));
	return true;
}

static bool count_wheel(const struct sm_ctx *x, const struct sm *s, struct flights *f, struct err *e)
{
	u32 room = sm_nodes(x->conf), n = 0;
	for (u32 slot = 0; slot < SM_WHEEL; slot++) {
		HOLDS(!s->wheel[slot] == !(s->wheel_busy[slot / 64] >> slot % 64 & 1),
		      "SM %u: slot %u of the wheel holds %u, but is%s marked busy", s->id, slot, s->wheel[slot],
		      s->wheel[slot] ? " not" : "");
		HOLDS(!s->wheel_busy[slot / 64] == !(s->wheel_words >> slot / 64 & 1),
		      "SM %u: word %u of the wheel's busy slots is%s empty", s->id, slot / 64,
		      s->wheel_busy[slot / 64] ? " not" : "");
		for (u16 at = s->wheel[slot]; at; at = x->node[at - 1].next) {
			HOLDS(at <= room && n++ < room, "SM %u: slot %u of the wheel has no end", s->id, slot);
			if (!count_node(x, s, &x->node[at - 1], f, e))
				return false;
		}
	}
	return true;
}

/* Transactions of each load that have not been answered: at the LSU, in the re-execution queue, in the memory system.
 */
static bool count_loads(const struct sm_ctx *x, const struct sm *s, const struct sm_dues *due, struct flights *f,
                        struct err *e)
{
	u32 left[SM_MAX_LOADS], used = 0;
	for (u32 i = 0; i < SM_MAX_LOADS; i++)
		left[i] = due->loads[i];
	for (u32 k = 0; k < s->lsu_q.n; k++) {
		const struct lsu_entry *q = sm_lsu_at(s, k);
		if (q->load != NO_LOAD)
			left[q->load] += q->ntxn - q->next;
	}
	for (u32 i = 0; x->replay && i < x->replay->n; i++) {
		const struct replay_entry *q = &x->replay->e[x->replay->order[i]];
		if (q->load != NO_LOAD)
			left[q->load]++;
	}
	for (u32 i = 0; x->pipe && i < x->pipe->n; i++)
		if (l1_pipe_at(x, i, NULL)->load != NO_LOAD)
			left[l1_pipe_at(x, i, NULL)->load]++;
	for (u32 i = 0; i < SM_MAX_LOADS; i++) {
		const struct load *l = &s->load[i];
		HOLDS(l->left || !left[i], "SM %u: %u transactions of load %u, which is not in the table", s->id, left[i], i);
		if (!l->left)
			continue;
		HOLDS(l->left == left[i], "SM %u: load %u waits for %u transactions, %u are under way", s->id, i, l->left,
		      left[i]);
		used++;
		const u32 place = place_of(s, l->who);
		HOLDS(is_there(s, place), "SM %u: load %u is of %#x, a warp that is not there", s->id, i, l->who);
		f->of[place].loads++;
		f->of[place].transactions += due->loads[i];
		add_result(x, s, f, place, l->pc);
	}
	HOLDS(used == s->nloads, "SM %u: %u loads in the table, counted %u", s->id, used, s->nloads);
	f->mem += used;
	return true;
}

static bool count_pipe_bank(const struct sm_ctx *x, const struct sm *s, u32 bank, struct flights *f, struct err *e)
{
	const struct l1_pipe_bank *p = &x->pipe->bank[bank];
	const u32 places = x->conf->l1d_latency;
	HOLDS(p->n <= places && (!p->refused || p->n) && (p->refused || !p->again),
	      "SM %u: %u transactions in L1D's pipeline of %u", s->id, p->n, places);
	HOLDS(x->pipe->held != bank + 1 || (p->n == places && s->lsu_q.n),
	      "SM %u: the LSU waits for L1D's pipeline with %u of %u", s->id, p->n, places);
	for (u32 i = 0; i < p->n; i++) {
		const struct l1_pipe_entry *q = l1_pipe_of(x, bank, i);
		HOLDS(!i || l1_pipe_of(x, bank, i - 1)->ready < q->ready, "SM %u: L1D's pipeline is out of order at %u", s->id,
		      i);
		f->of[q->warp].transactions++;
		f->mem += q->last;
	}
	return true;
}

/* The pipelines in front of L1D: in order, no fuller than they are long, and who waits for one has found it full. */
static bool count_pipe(const struct sm_ctx *x, const struct sm *s, struct flights *f, struct err *e)
{
	const struct l1_pipe *p = x->pipe;
	if (!p)
		return true;
	u32 n = 0;
	for (u32 b = 0; b < L1_PIPE_BANKS; b++) {
		n += p->bank[b].n;
		if (!count_pipe_bank(x, s, b, f, e))
			return false;
	}
	HOLDS(n == p->n, "SM %u: %u transactions in L1D's pipeline, %u in its banks", s->id, p->n, n);
	return true;
}

static bool count_lsu(const struct sm_ctx *x, const struct sm *s, struct flights *f, struct err *e)
{
	HOLDS(s->lsu_q.n <= x->conf->lsu_queue + 1, "SM %u: %u instructions at the LSU, room for %u", s->id, s->lsu_q.n,
	      x->conf->lsu_queue + 1);
	for (u32 k = 0; k < s->lsu_q.n; k++) {
		const struct lsu_entry *q = sm_lsu_at(s, k);
		HOLDS(is_there(s, q->warp) && q->next < q->ntxn, "SM %u: transaction %u of %u of warp %u at the LSU", s->id,
		      q->next, q->ntxn, q->warp);
		f->of[q->warp].results += deps_reads_late(x, &s->warp[q->warp], q->pc);
		if (q->load != NO_LOAD)
			continue;
		f->mem++;
		if (q->shared && inst_at(x, &s->warp[q->warp], q->pc)->n_sb_dst)
			add_result(x, s, f, q->warp, q->pc);
		else
			f->of[q->warp].transactions++;
	}
	for (u32 i = 0; x->replay && i < x->replay->n; i++)
		f->of[x->replay->e[x->replay->order[i]].warp].transactions++;
	const u8 held = x->replay ? x->replay->held : 0;
	HOLDS(!(held & REPLAY_HOLDS_LSU) || s->lsu_q.n, "SM %u: the LSU waits for the re-execution queue with nothing",
	      s->id);
	HOLDS(!(held & REPLAY_HOLDS_PIPE) || x->pipe->n,
	      "SM %u: L1D's pipeline waits for the re-execution queue with nothing", s->id);
	return count_pipe(x, s, f, e);
}

/* --- a warp ------------------------------------------------------------------------------------------------------- */
static bool check_scoreboard(const struct sm_ctx *x, const struct sm *s, u32 w, const struct flight_of *f,
                             struct err *e)
{
	const struct warp *wp = &s->warp[w];
	for (u32 i = 0; i < 2; i++)
		HOLDS(
		    wp->pend[i] == f->ids[i] && !(wp->pendm[i] & ~wp->pend[i]),
		    "SM %u, warp %u: ids %#llx are pending (%#llx from memory), those of its instructions in flight are %#llx",
		    s->id, w, (unsigned long long)wp->pend[i], (unsigned long long)wp->pendm[i], (unsigned long long)f->ids[i]);
	for (u32 i = 0; i < SB_IDS_MAX / 64; i++)
		HOLDS(x->big[w][0][i] == f->big[i] && !(x->big[w][1][i] & ~x->big[w][0][i]),
		      "SM %u, warp %u: the large scoreboard's word %u is %#llx (%#llx from memory), in flight are %#llx", s->id,
		      w, i, (unsigned long long)x->big[w][0][i], (unsigned long long)x->big[w][1][i],
		      (unsigned long long)f->big[i]);
	return true;
}

static bool check_flight(const struct sm_ctx *x, const struct sm *s, u32 w, const struct flight_of *f, struct err *e)
{
	const struct warp *wp = &s->warp[w];
	HOLDS(f->results == wp->inflight, "SM %u, warp %u: %u results are under way, counted %u", s->id, w, f->results,
	      wp->inflight);
	HOLDS(f->loads == wp->loads, "SM %u, warp %u: %u loads are in the table, counted %u", s->id, w, f->loads,
	      wp->loads);
	HOLDS(f->transactions == wp->outstanding, "SM %u, warp %u: %u transactions are under way, counted %u", s->id, w,
	      f->transactions, wp->outstanding);
	HOLDS(f->fetches == wp->fetching, "SM %u, warp %u: %u fetches are under way, counted %u", s->id, w, f->fetches,
	      wp->fetching);
	HOLDS(wp->awaits == (has_slot(w) && s->awaiting >> w & 1) && (!wp->awaits || wp->await_until >= s->await_due),
	      "SM %u, warp %u: it%s waits at an mbarrier, until %llu", s->id, w, wp->awaits ? "" : " does not",
	      (unsigned long long)wp->await_until);
	HOLDS(f->sleeps == wp->sleeping, "SM %u, warp %u: %u wake-ups are under way, counted %u", s->id, w, f->sleeps,
	      wp->sleeping);
	return check_scoreboard(x, s, w, f, e);
}

/* Does anything that the instruction at its pc needs come only later? */
static bool waits_for_results(const struct sm_ctx *x, const struct warp *wp, u32 w)
{
	const struct issue_info *in = info_at(x, wp, wp->pc);
	const struct inst *ir = inst_at(x, wp, wp->pc);
	if (in->flags & II_WAIT_ALL && wp->inflight)
		return true;
	for (u32 i = 0; in->flags & II_BIG && i < (u32)ir->n_sb_dst + ir->n_sb_src; i++) {
		u32 id = i < ir->n_sb_dst ? inst_sb_dst(ir)[i] : inst_sb_src(ir)[i - ir->n_sb_dst];
		if (x->big[w][0][id / 64] >> id % 64 & 1)
			return true;
	}
	return (wp->pend[0] & in->use[0]) | (wp->pend[1] & in->use[1]) || (x->deps && deps_holds(x, wp, w));
}

static bool check_warp_state(const struct sm_ctx *x, const struct sm *s, u32 w, struct err *e)
{
	const struct warp *wp = &s->warp[w];
	enum warp_state st = (enum warp_state)wp->state, want = st;
	bool empty = wp->pc >= wp->ib_end;
	if (wp->done | wp->barrier | wp->fence | wp->sleeping | wp->awaits | wp->paused)
		want = wp->done ? WS_DONE : wp->paused ? WS_PAUSED : wp->barrier ? WS_BARRIER : wp->fence ? WS_FENCE : WS_SLEEP;
	else if (empty)
		want = WS_FETCH;
	else if (waits_for_results(x, wp, w))
		want = st == WS_MEM ? WS_MEM : WS_SHORT;
	else
		want = ready_state(wp, info_at(x, wp, wp->pc));
	HOLDS(st == want, "SM %u, warp %u at pc %u: state %s (%u), should be %s (%u)", s->id, w, wp->pc,
	      warp_state_descs[st].name, st, warp_state_descs[want].name, want);
	bool astray = s->astray >> w & 1, wants_fetch = empty && !wp->done && !wp->fetching && !astray;
	HOLDS(!astray || (empty && !wp->done && !wp->fetching), "SM %u, warp %u: its buffer is to be flushed, but it %s",
	      s->id, w,
	      wp->done ? "is done"
	      : empty  ? "is fetched"
	               : "holds what comes next");
	HOLDS((s->need_fetch >> w & 1) == wants_fetch, "SM %u, warp %u: %s to be fetched, its buffer is %s", s->id, w,
	      wants_fetch ? "does not ask" : "asks", empty ? "empty" : "not empty");
	return true;
}

static bool check_warp(const struct sm_ctx *x, const struct sm *s, u32 w, const struct flight_of *f, struct err *e)
{
	const struct warp *wp = &s->warp[w];
	HOLDS(s->cta[wp->cta_slot].used && s->cta[wp->cta_slot].warps >> w & 1 &&
	          s->cta[wp->cta_slot].launch == wp->launch &&
	          bit_count(s->cta[wp->cta_slot].warps & bit_range(w)) == wp->warp_in_cta,
	      "SM %u, warp %u: CTA slot %u knows nothing of it as its warp %u", s->id, w, wp->cta_slot, wp->warp_in_cta);
	HOLDS(s->context[sm_context_of(wp->who)].used && place_of(s, wp->who) == w,
	      "SM %u, warp %u: its context %#x is elsewhere", s->id, w, wp->who);
	HOLDS(!wp->extra || wp->extra_set, "SM %u, warp %u: %u leading slots of no instruction", s->id, w, wp->extra);
	return check_flight(x, s, w, f, e) && check_warp_state(x, s, w, e);
}

/* --- masks, CTAs, barriers ---------------------------------------------------------------------------------------- */
static bool check_masks(const struct sm_ctx *x, const struct sm *s, struct err *e)
{
	u64 all = 0;
	for (u32 st = 0; st < WS_COUNT; st++) {
		HOLDS(!(all & s->in[st]), "SM %u: warps %#llx are in two states, one of them %s", s->id,
		      (unsigned long long)(all & s->in[st]), warp_state_descs[st].name);
		all |= s->in[st];
		FOR_EACH_BIT(w, s->in[st])
		HOLDS(s->warp[w].state == st, "SM %u, warp %u: its mask says %s, its state is %s", s->id, (u32)w,
		      warp_state_descs[st].name, warp_state_descs[s->warp[w].state].name);
	}
	HOLDS(all == bit_range(x->nwarps), "SM %u: warps %#llx are in no state", s->id,
	      (unsigned long long)(all ^ bit_range(x->nwarps)));
	HOLDS(s->in[WS_NONE] == (bit_range(x->nwarps) & ~s->used) && !(s->need_fetch & ~s->used),
	      "SM %u: warps %#llx are there, %#llx are in no CTA, %#llx want to be fetched", s->id,
	      (unsigned long long)s->used, (unsigned long long)s->in[WS_NONE], (unsigned long long)s->need_fetch);
	return true;
}

static bool check_barrier(const struct sm *s, u32 slot, u32 id, struct err *e)
{
	const struct cta *c = &s->cta[slot];
	const struct barrier *b = &c->bar[id];
	HOLDS(!(b->came & ~c->warps) && !(b->waiting & ~b->came) && b->arrived >= bit_count(b->came),
	      "SM %u, CTA slot %u, barrier %u: %u arrivals, warps %#llx came, %#llx wait", s->id, slot, id, b->arrived,
	      (unsigned long long)b->came, (unsigned long long)b->waiting);
	if (!b->arrived) {
		HOLDS(!b->expected, "SM %u, CTA slot %u, barrier %u: waits for %u warps, none has come", s->id, slot, id,
		      b->expected);
		return true;
	}
	HOLDS(b->arrived < b->expected && (c->warps & ~c->exited & ~b->came),
	      "SM %u, CTA slot %u, barrier %u: %u of %u arrived, nobody is missing, but it is closed", s->id, slot, id,
	      b->arrived, b->expected);
	FOR_EACH_BIT(w, b->waiting)
	HOLDS(s->warp[w].barrier == id + 1, "SM %u, warp %u: waits at barrier %u, but does not know", s->id, (u32)w, id);
	return true;
}

static bool check_cta(const struct sm *s, u32 slot, struct err *e)
{
	const struct cta *c = &s->cta[slot];
	u64 exited = 0, insts = 0;
	u32 gone = 0;
	FOR_EACH_BIT(w, c->warps)
	{
		const struct warp *wp = &s->warp[w];
		exited |= wp->done ? BIT(w) : 0;
		gone += wp->done == 2;
		insts += wp->insts;
		HOLDS(!wp->barrier || c->bar[wp->barrier - 1].waiting >> w & 1,
		      "SM %u, warp %u: believes to wait at barrier %u", s->id, (u32)w, wp->barrier - 1);
	}
	HOLDS(bit_count(c->warps) == c->nwarps && exited == c->exited && gone == c->ndone,
	      "SM %u, CTA slot %u: warps %#llx, exited %#llx (%#llx), %u gone (%u)", s->id, slot,
	      (unsigned long long)c->warps, (unsigned long long)exited, (unsigned long long)c->exited, gone, c->ndone);
	HOLDS((s->done_slots >> slot & 1) == (c->ndone == c->nwarps),
	      "SM %u, CTA slot %u: %u of %u warps are gone, it is%s "
	      "done",
	      s->id, slot, c->ndone, c->nwarps, s->done_slots >> slot & 1 ? "" : " not");
	HOLDS(insts + c->insts_dropped == c->insts,
	      "SM %u, CTA slot %u: its warps executed %llu instructions, it counts %llu", s->id, slot,
	      (unsigned long long)insts, (unsigned long long)c->insts);
	for (u32 id = 0; id < SM_MAX_BARRIERS; id++)
		if (!check_barrier(s, slot, id, e))
			return false;
	return true;
}

static bool apart(u32 a, u32 an, u32 b, u32 bn)
{
	return !an || !bn || a + an <= b || b + bn <= a;
}

static bool check_ctas(const struct sm_ctx *x, const struct sm *s, struct err *e)
{
	u64 warps = 0;
	u32 n = 0, regs = 0, shared = 0, inactive = 0;
	for (u32 i = 0; i < SM_CTA_PLACES; i++) {
		const struct cta *c = &s->cta[i];
		const bool away = i >= SM_MAX_CTAS;
		if (!c->used || (away && !c->inactive))
			continue;
		HOLDS(away || !(warps & c->warps), "SM %u, CTA slot %u: warps %#llx are of two CTAs", s->id, i,
		      (unsigned long long)(warps & c->warps));
		HOLDS(c->reg_first + c->reg_size <= x->conf->sm_regs && c->shared_first + c->shared_size <= x->conf->sm_shared,
		      "SM %u, CTA slot %u: registers %u + %u, shared memory %u + %u", s->id, i, c->reg_first, c->reg_size,
		      c->shared_first, c->shared_size);
		for (u32 k = 0; k < i; k++) {
			const struct cta *o = &s->cta[k];
			HOLDS(!o->used || (k >= SM_MAX_CTAS && !o->inactive) ||
			          (apart(c->reg_first, c->reg_size, o->reg_first, o->reg_size) &&
			           apart(c->shared_first, c->shared_size, o->shared_first, o->shared_size)),
			      "SM %u: CTA slots %u and %u lie in the same registers or shared memory", s->id, k, i);
		}
		regs += c->reg_size;
		shared += c->shared_size;
		inactive += away;
		if (away)
			continue;
		n++;
		warps |= c->warps;
		if (!check_cta(s, i, e))
			return false;
	}
	HOLDS(n == s->nctas && warps == s->used && regs == s->regs_used && shared == s->shared_used,
	      "SM %u: %u CTAs (counted %u), warps %#llx (%#llx), %u registers (%u), %u B of shared memory (%u)", s->id, n,
	      s->nctas, (unsigned long long)warps, (unsigned long long)s->used, regs, s->regs_used, shared, s->shared_used);
	HOLDS(s->k.ctas_started + s->k.ctas_restored == s->k.ctas_done + s->k.ctas_saved + s->nctas + inactive,
	      "SM %u: %llu CTAs started, %llu done, %u resident", s->id, (unsigned long long)s->k.ctas_started,
	      (unsigned long long)s->k.ctas_done, s->nctas);
	return true;
}

/* As many contexts as warps, those in slots and those taken off. */
static bool check_contexts(const struct sm *s, struct err *e)
{
	u32 taken = 0;
	for (u32 i = 0; i < SM_CONTEXTS; i++) {
		bool used = s->contexts[i / 64] >> i % 64 & 1;
		HOLDS(used == s->context[i].used, "SM %u: context %u is%s taken", s->id, i, used ? "" : " not");
		taken += used;
	}
	u32 warps = bit_count(s->used);
	for (u32 i = 0; i < SM_AWAY_WORDS; i++)
		warps += bit_count(s->away[i]);
	HOLDS(taken == warps, "SM %u: %u contexts for %u warps", s->id, taken, warps);
	return true;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */
static bool check_accounts(const struct sm_ctx *x, const struct sm *s, struct err *e)
{
	for (u32 i = 0; i < x->nscheds; i++) {
		u64 sum = 0;
		for (u32 r = 0; r < ST_COUNT; r++)
			sum += s->stall[i][r];
		HOLDS(sum == s->acct_from, "SM %u, scheduler %u: %llu slots are charged of the first %llu cycles", s->id, i,
		      (unsigned long long)sum, (unsigned long long)s->acct_from);
	}
	HOLDS(!(s->low & ~s->used), "SM %u: warps %#llx have the lowest priority, %#llx are there", s->id,
	      (unsigned long long)s->low, (unsigned long long)s->used);
	HOLDS(!((s->leaving | s->last) & ~s->used), "SM %u: warps %#llx go first, %#llx are there", s->id,
	      (unsigned long long)(s->leaving | s->last), (unsigned long long)s->used);
	HOLDS(!s->settled || !s->astray, "SM %u: warps %#llx are to be flushed, but its schedulers do not look", s->id,
	      (unsigned long long)s->astray);
	HOLDS(!s->settled || !warps_ready_for_units(s), "SM %u: no warp is looked at, though some are ready", s->id);
	HOLDS(!s->lsu_refused || s->lsu_q.n, "SM %u: the LSU was refused, but has no instruction", s->id);
	return true;
}

static bool check_sums(const struct sm_ctx *x, const struct sm *s, const struct flights *f, struct err *e)
{
	u32 leading = 0;
	FOR_EACH_BIT(w, s->used)
	{
		const struct warp *wp = &s->warp[w];
		leading += wp->extra_set && wp->extra + 1 < x->prog[wp->launch].info[wp->pc].cost;
	}
	HOLDS(f->alu == s->alu_flying && f->mem == s->mem_flying && leading == s->leading,
	      "SM %u: %u ALU and %u memory instructions are in flight and %u in their leading slots; counted %u, %u, %u",
	      s->id, f->alu, f->mem, leading, s->alu_flying, s->mem_flying, s->leading);
	return true;
}

bool sm_check_state(const struct sm_ctx *x, const struct sm *s, const struct sm_dues *due, struct err *e)
{
	struct flights f;
	memset(&f, 0, sizeof f);
	if (!check_masks(x, s, e) || !check_ctas(x, s, e) || !count_wheel(x, s, &f, e) || !count_lsu(x, s, &f, e) ||
	    !count_loads(x, s, due, &f, e) || !check_sums(x, s, &f, e) || !check_accounts(x, s, e))
		return false;
	HOLDS(due->late == s->late, "SM %u: %u answers are under way for warps that have gone, counted %u", s->id, s->late,
	      due->late);
	HOLDS(due->contexts == s->context_due, "SM %u: %u lines of contexts are under way, counted %u", s->id,
	      due->contexts, s->context_due);
	if (!check_contexts(s, e))
		return false;
	for (u32 w = 0; w < SM_PLACES; w++) {
		f.of[w].transactions += due->answers[w];
		f.of[w].fetches += due->fetches[w];
	}
	FOR_EACH_BIT(w, s->used)
	if (!check_warp(x, s, (u32)w, &f.of[w], e))
		return false;
	for (u32 k = 0; x->vt && k < SM_AWAY_WORDS; k++)
		FOR_EACH_BIT(i, s->away[k])
		{
			const u32 w = sm_away_place(k, (u32)i);
			if (s->cta[s->warp[w].cta_slot].inactive && !check_flight(x, s, w, &f.of[w], e))
				return false;
		}
	return copies_check_state(x, s, e) && (!x->vt || vt_check_state(x, s, e));
}
