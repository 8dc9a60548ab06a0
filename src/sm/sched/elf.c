/* elf: earliest load first (Park 2016, chapter III). The warp with the fewest instructions to its next load goes first,
 * and goes on until it has issued that load; fetches follow the same order. elf++ is elf together with NewCAR and the
 * instruction prefetch, which its `implies` asks for.
 *
 * The warp priority table holds one distance per warp. It is counted down by what the warp issues, to 0 at the least;
 * the priority calculator (struct code_hint.load_distance, from the compiler's program points) is asked again only
 * when a load has issued, or a branch whose recalculation bit says so (section 3.3.2). A distance that went wrong - a
 * branch whose bit did not ask, merged program points - stays wrong until then, as in the paper's hardware.
 *
 * Where the paper is silent:
 * - Ties: the warp that issued last keeps its turn until it has issued a load; else the older warp.
 * - No load ahead: elf.max_score, which says so, is not counted down, as a warp in a tail or a loop without loads would
 *   come to look nearest to one (mriq: 5 % slower). A load farther than that is seen too late.
 * - PTX instructions without an issue slot (isa.issue_cost=sass) never reach a scheduler, but the program points count
 *   them: the table is moved on by what the warp has walked over, before its next choice.
 * - Control that arrives neither behind the instruction nor at its branch's target - the SIMT stack's other path,
 *   a jump without a slot, a call or return - asks the calculator, as the branch that caused it would.
 * - Divergence: the way the warp goes first decides whether the branch was taken.
 * - A new warp gets its first distance without that being counted as a recalculation.
 * - Fetch: the interleaved order takes one warp of each scheduler in turn: the first of scheduler 0, the first of 1,
 *   the second of 0... Warps that have exited are in nobody's order.
 *
 * The order is strict, for fetches as well, and nothing ages: warps that spin on a load near by go before the one they
 * wait for, for ever when there are enough of them. */
#include <string.h>

#include "sm/sched/elf_storage.h"
#include "sm/sched/sched.h"

#define ORDER_BITS 8 /* of a key: the warp's place by age, from 1; 0 = the warp that issued last */

struct elf {
	u64 settled; /* warps whose distance is that of their pc; the others may have moved by free instructions */
	u32 current; /* slot + 1 of the warp that issued last, and no load since; 0 = none */
	u32 n;       /* warps in by_age */
	/* What is compared, the smallest first: distance << ORDER_BITS | place by age. */
	u32 key[WARP_SLOTS];
	u32 pc[WARP_SLOTS]; /* where the distance was right */
	u8 by_age[WARP_SLOTS];
};
enum cause { CAUSE_LOAD, CAUSE_BRANCH, CAUSE_PATH, CAUSE_NONE };

/* --- the warp priority table ------------------------------------------------------------------------------------- */

static u32 distance(const struct elf *st, u32 warp)
{
	return st->key[warp] >> ORDER_BITS;
}

static void set_distance(struct elf *st, u32 warp, u32 d)
{
	st->key[warp] = d << ORDER_BITS | (st->key[warp] & bit_range(ORDER_BITS));
}

/* Can a warp have come from one pc to the other by instructions without an issue slot, in program order? */
static bool walked(const struct program *p, u32 from, u32 to)
{
	if (to < from)
		return false;
	while (from < to && !p->info[from].cost && !(p->hint[from].flags & HINT_BRANCH))
		from++;
	return from == to;
}

static void recalculate(struct elf *st, const struct sched_view *v, u32 warp, enum cause why)
{
	u32 was = distance(st, warp), is = sched_hint(v, warp)->load_distance;
	set_distance(st, warp, is);
	v->k->elf_recalcs++;
	struct event *e = sched_event(v, EV_ELF_RECALC, warp);
	if (e) {
		e->arg[0] = was;
		e->arg[1] = is;
		e->arg[2] = why;
	}
}

/* What is left of a distance after n instructions; "no load ahead" is none. */
static u32 less(const struct sched_view *v, u32 d, u32 n)
{
	return d == v->conf->elf_max_score ? d : d - MIN(d, n);
}

static void count_down(struct elf *st, const struct sched_view *v, u32 warp, u32 n)
{
	set_distance(st, warp, less(v, distance(st, warp), n));
}

/* Takes account of the free instructions since the table was last right for this warp. */
static void settle(struct elf *st, const struct sched_view *v, u32 warp)
{
	const struct warp *w = &v->sm->warp[warp];
	st->settled |= BIT(warp);
	if (likely(st->pc[warp] == w->pc))
		return;
	if (walked(&v->prog[w->launch], st->pc[warp], w->pc))
		count_down(st, v, warp, w->pc - st->pc[warp]);
	else
		recalculate(st, v, warp, CAUSE_PATH);
	st->pc[warp] = w->pc;
}

/* Does having issued the instruction at pc, which brought the warp to `next`, ask the priority calculator? */
static enum cause trigger(const struct program *p, u32 pc, u32 next)
{
	u32 flags = p->hint[pc].flags;
	if (flags & HINT_LOAD)
		return CAUSE_LOAD;
	bool on = walked(p, pc + 1, next);
	if (!(flags & HINT_BRANCH))
		return on ? CAUSE_NONE : CAUSE_PATH;
	const struct inst *in = &p->launch->mod->code[pc];
	bool taken = in->op == OP_BRA && (u32)in->target == next;
	if (!taken && !on)
		return in->op == OP_BRX ? CAUSE_BRANCH : CAUSE_PATH;
	return taken == !!(flags & HINT_RECALC) ? CAUSE_BRANCH : CAUSE_NONE;
}

static void issued(void *state, const struct sched_view *v, u32 warp, const struct issue_info *info)
{
	struct elf *st = state;
	const struct warp *w = &v->sm->warp[warp];
	const struct program *p = &v->prog[w->launch];
	u32 pc = sched_issued_pc(v, warp, info);
	v->k->elf_issues++;
	st->settled &= ~BIT(warp);
	st->current = w->done || (p->hint[pc].flags & HINT_LOAD) ? 0 : warp + 1;
	if (w->done)
		return;
	enum cause why = trigger(p, pc, w->pc);
	if (why != CAUSE_NONE)
		recalculate(st, v, warp, why);
	else
		count_down(st, v, warp, walked(p, pc + 1, w->pc) ? w->pc - pc : 1);
	st->pc[warp] = w->pc;
}

/* --- the choice --------------------------------------------------------------------------------------------------- */

static u32 pick(void *state, const struct sched_view *v, u64 ready)
{
	struct elf *st = state;
	FOR_EACH_BIT(w, ready & ~st->settled)
	settle(st, v, (u32)w);
	u64 rest = ready;
	u32 best = NO_WARP, least = UINT32_MAX;
	if (st->current && (ready >> (st->current - 1) & 1)) {
		best = st->current - 1;
		least = distance(st, best) << ORDER_BITS;
		rest &= least ? ~BIT(best) : 0; /* at 0 nobody else comes first */
	}
	FOR_EACH_BIT(w, rest)
	if (st->key[w] < least) {
		least = st->key[w];
		best = (u32)w;
	}
	st->current = best + 1;
	return best;
}

/* A warp's place among all keys of its scheduler; the warp that issued last precedes its equals. */
static u32 key_of(const struct elf *st, u32 warp)
{
	return st->current == warp + 1 ? distance(st, warp) << ORDER_BITS : st->key[warp];
}

static u32 place(const struct elf *st, const struct sched_view *v, u32 warp)
{
	u32 n = 0, key = key_of(st, warp);
	for (u32 i = 0; i < st->n; i++)
		n += key_of(st, st->by_age[i]) < key && !(v->sm->in[WS_DONE] >> st->by_age[i] & 1);
	return n;
}

static u32 first_of(const struct elf *st, u64 warps)
{
	u32 best = bit_first(warps);
	FOR_EACH_BIT(w, warps & (warps - 1))
	if (key_of(st, (u32)w) < key_of(st, best))
		best = (u32)w;
	return best;
}

static u32 fetch(void *const *states, const struct sched_view *v, u64 want)
{
	if (!(want & (want - 1)))
		return bit_first(want);
	u32 best = NO_WARP, least = UINT32_MAX, n = v->conf->sm_schedulers;
	for (u32 i = 0; i < n && least; i++) {
		const struct elf *st = states[i];
		u64 own = 0; /* warp w belongs to scheduler w mod n */
		FOR_EACH_BIT(w, want)
		own |= w % n == i ? BIT(w) : 0;
		if (!own)
			continue;
		u32 w = first_of(st, own);
		if (own == want)
			return w;
		u32 at = place(st, v, w);
		if (at < least) {
			least = at;
			best = w;
		}
	}
	return best;
}

/* --- residency ---------------------------------------------------------------------------------------------------- */

static void number(struct elf *st)
{
	for (u32 i = 0; i < st->n; i++) {
		u32 w = st->by_age[i];
		st->key[w] = distance(st, w) << ORDER_BITS | (i + 1);
	}
}

static void warps_started(void *state, const struct sched_view *v, u64 warps)
{
	struct elf *st = state;
	st->settled &= ~warps;
	FOR_EACH_BIT(w, warps)
	{
		u32 at = st->n++;
		for (; at && sched_older(v, (u32)w, st->by_age[at - 1]); at--)
			st->by_age[at] = st->by_age[at - 1];
		st->by_age[at] = (u8)w;
		st->pc[w] = v->sm->warp[w].pc;
		st->key[w] = v->sm->warp[w].done ? 0 : (u32)sched_hint(v, (u32)w)->load_distance << ORDER_BITS;
	}
	number(st);
}

static void warps_gone(void *state, const struct sched_view *v, u64 warps)
{
	struct elf *st = state;
	u32 kept = 0;
	for (u32 i = 0; i < st->n; i++)
		if (!(warps >> st->by_age[i] & 1))
			st->by_age[kept++] = st->by_age[i];
	memset(st->by_age + kept, 0, st->n - kept);
	st->n = kept;
	if (st->current && (warps >> (st->current - 1) & 1))
		st->current = 0;
	number(st);
}

/* --- for display -------------------------------------------------------------------------------------------------- */

/* A warp's distance as settle() would leave it. */
static u32 distance_now(const struct elf *st, const struct sched_view *v, u32 warp)
{
	const struct warp *w = &v->sm->warp[warp];
	u32 d = distance(st, warp);
	if (st->pc[warp] == w->pc)
		return d;
	bool on = walked(&v->prog[w->launch], st->pc[warp], w->pc);
	return on ? less(v, d, w->pc - st->pc[warp]) : sched_hint(v, warp)->load_distance;
}

static void describe_order(const struct elf *st, const struct sched_view *v, struct strbuf *out)
{
	if (st->current)
		strbuf_addf(out, "on %u | ", st->current - 1);
	strbuf_adds(out, "order");
	u8 by_place[WARP_SLOTS];
	u32 n = 0;
	for (u32 i = 0; i < st->n; i++)
		if (!(v->sm->in[WS_DONE] >> st->by_age[i] & 1)) {
			by_place[place(st, v, st->by_age[i])] = st->by_age[i];
			n++;
		}
	for (u32 i = 0; i < n; i++)
		strbuf_addf(out, " %u", by_place[i]);
}

static void describe(const void *state, const struct sched_view *v, u32 warp, struct strbuf *out)
{
	const struct elf *st = state;
	if (warp == NO_WARP) {
		if (st->n)
			describe_order(st, v, out);
		return;
	}
	if (!(v->sm->used >> warp & 1) || v->sm->warp[warp].done)
		return;
	u32 d = distance_now(st, v, warp);
	if (d < v->conf->elf_max_score)
		strbuf_addf(out, "%u to load", d);
	else
		strbuf_addf(out, "no load within %u", v->conf->elf_max_score);
}

static s64 rank(const void *state, const struct sched_view *v, u32 warp)
{
	return place(state, v, warp);
}

static s64 explain(const void *state, const struct sched_view *v, u64 ready, u32 warp, struct strbuf *out)
{
	const struct elf *st = state;
	const u32 d = distance_now(st, v, warp);
	const bool current = st->current == warp + 1;
	describe(state, v, warp, out);
	if (current)
		strbuf_adds(out, ", issued last and no load since");
	else
		strbuf_addf(out, ", %u of %u by age", st->key[warp] & (u32)bit_range(ORDER_BITS), st->n);
	return d << ORDER_BITS | (current ? 0 : st->key[warp] & (u32)bit_range(ORDER_BITS));
}

/* --- registry ----------------------------------------------------------------------------------------------------- */

static u32 storage(const struct conf *c, struct policy_storage *out)
{
	return elf_storage(c, false, out);
}

static u32 storage_plus(const struct conf *c, struct policy_storage *out)
{
	return elf_storage(c, true, out);
}

#define ELF_FUNCTIONS                                                                                                  \
	.state_bytes = sizeof(struct elf), .pick = pick, .issued = issued, .warps_started = warps_started,                 \
	.warps_gone = warps_gone, .fetch = fetch, .describe = describe, .rank = rank, .explain = explain

extern const struct warp_sched_ops sched_elf, sched_elf_plus;
const struct warp_sched_ops sched_elf = {
    .name = "elf",
    .help = "earliest load first: the warp with the fewest instructions to its next load, until it issues it; fetches "
            "follow the same order",
    .source = "Park 2016, section 3.3",
    .storage = storage,
    ELF_FUNCTIONS,
};
const struct warp_sched_ops sched_elf_plus = {
    .name = "elf++",
    .help = "elf with the instruction prefetch (sm.fetch_prefetch) and the re-execution queue NewCAR (lsu.replay)",
    .source = "Park 2016, section 3.3",
    .implies = "sm.fetch_prefetch=true lsu.replay=newcar",
    .storage = storage_plus,
    ELF_FUNCTIONS,
};
