/* tlv: two-level round robin (Narasiman 2011, section 4.2). Warps form fetch groups; round robin within the active
 * group, and the next group's turn comes only when every warp of the active one is stalled on a long-latency operation
 * - memory, a fence, or a barrier, which other groups must reach - or is gone.
 *
 * A group that merely waits for arithmetic keeps its turn. With tlv.fill the turn is a priority, and the slot goes to
 * the next group that can use it, as Park 2016 describes the policy (section 3.4.3: "gives higher priority to the
 * newer group until it issues all the ready instructions"); without, the group has the issue slots to itself, and the
 * slot is lost. */
#include "sm/sched/sched.h"

struct tlv {
	u32 group;           /* the active one */
	u8 next[WARP_SLOTS]; /* by group: where its round robin goes on */
};

/* Warp slot w is the (w / schedulers)-th of its scheduler; groups are runs of tlv.group of those. */
static u64 group_mask(const struct sched_view *v, u32 group)
{
	u64 left = v->mask, out = 0;
	for (u32 at = 0; left; at++, left &= left - 1)
		if (at / v->conf->tlv_group == group)
			out |= left & -left;
	return out;
}

static u32 num_groups(const struct sched_view *v)
{
	return (u32)ceil_div(bit_count(v->mask), v->conf->tlv_group);
}

static bool long_stalled(const struct sched_view *v, u64 group)
{
	const u64 *in = v->sm->in;
	u64 out = in[WS_MEM] | in[WS_FENCE] | in[WS_BARRIER] | in[WS_SLEEP] | in[WS_PAUSED] | in[WS_DONE] | in[WS_NONE];
	return !(group & ~out);
}

static u32 take(struct tlv *st, u32 group, u64 ready)
{
	u32 w = bit_next_rr(ready, st->next[group]);
	st->next[group] = (u8)((w + 1) % WARP_SLOTS);
	return w;
}

/* The slot that the active group leaves, to the first group behind it with a ready warp. */
static u32 fill(struct tlv *st, const struct sched_view *v, u64 ready, u32 n)
{
	for (u32 i = 1; i < n; i++) {
		u32 group = (st->group + i) % n;
		u64 g = group_mask(v, group) & ready;
		if (g)
			return take(st, group, g);
	}
	return NO_WARP;
}

static u32 pick(void *state, const struct sched_view *v, u64 ready)
{
	struct tlv *st = state;
	u32 n = num_groups(v);
	for (u32 i = 0; i < n; i++) {
		u64 g = group_mask(v, st->group);
		if (g & ready)
			return take(st, st->group, g & ready);
		if (!long_stalled(v, g))
			return v->conf->tlv_fill ? fill(st, v, ready, n) : NO_WARP;
		st->group = (st->group + 1) % n;
	}
	return NO_WARP;
}

static u32 group_of(const struct sched_view *v, u32 warp)
{
	return bit_count(v->mask & bit_range(warp)) / v->conf->tlv_group;
}

static void describe(const void *state, const struct sched_view *v, u32 warp, struct strbuf *out)
{
	const struct tlv *st = state;
	if (warp != NO_WARP) {
		u32 g = group_of(v, warp);
		strbuf_addf(out, g == st->group ? "group %u, active" : "group %u", g);
		return;
	}
	u64 resident = group_mask(v, st->group) & v->sm->used;
	strbuf_addf(out, "active group %u of %u:%s", st->group, num_groups(v), resident ? "" : " nobody");
	FOR_EACH_BIT(w, resident)
	strbuf_addf(out, " %u", (u32)w);
}

static s64 rank(const void *state, const struct sched_view *v, u32 warp)
{
	const struct tlv *st = state;
	u32 at = bit_count(v->mask & bit_range(warp)), n = num_groups(v);
	return (s64)((at / v->conf->tlv_group + n - st->group) % n) * v->conf->tlv_group + at % v->conf->tlv_group;
}

/* Groups have their turn in order from the active one. One that has not stalled for long keeps it: without tlv.fill the
 * groups behind it get nothing. */
static s64 explain(const void *state, const struct sched_view *v, u64 ready, u32 warp, struct strbuf *out)
{
	const struct tlv *st = state;
	const u32 own = group_of(v, warp), n = num_groups(v), behind = (own + n - st->group) % n;
	const u32 slots = (warp + WARP_SLOTS - st->next[own]) % WARP_SLOTS;
	for (u32 i = 0; i < behind && !v->conf->tlv_fill; i++) {
		const u64 g = group_mask(v, (st->group + i) % n);
		if (g & ready || long_stalled(v, g))
			continue;
		strbuf_addf(out, "group %u; group %u keeps the turn: not all of it stalls for long", own, (st->group + i) % n);
		return PICK_DECLINED;
	}
	strbuf_addf(out, behind ? "group %u, %u behind the active one; in it " : "group %u, the active one; in it ", own,
	            behind);
	sched_explain_turn(st->next[own], warp, out);
	return (s64)behind * WARP_SLOTS + slots;
}

extern const struct warp_sched_ops sched_tlv;
const struct warp_sched_ops sched_tlv = {
    .name = "tlv",
    .help = "two-level round robin over fetch groups of tlv.group warps",
    .source = "Narasiman 2011, section 4.2",
    .state_bytes = sizeof(struct tlv),
    .pick = pick,
    .describe = describe,
    .rank = rank,
    .explain = explain,
};
