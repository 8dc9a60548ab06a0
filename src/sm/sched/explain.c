/* What the explain() of several policies have in common. */
#include "sm/sched/sched.h"

void sched_ordinal(u64 n, struct strbuf *out)
{
	static const char *const ends[] = {"th", "st", "nd", "rd"};
	const bool teen = n / 10 % 10 == 1;
	strbuf_addf(out, "%llu%s", (unsigned long long)n, teen || n % 10 > 3 ? ends[0] : ends[n % 10]);
}

s64 sched_explain_age(const struct sched_view *v, u32 warp, struct strbuf *out)
{
	const s64 older = sched_age_rank(v, warp);
	if (older) {
		sched_ordinal((u64)older + 1, out);
		strbuf_addc(out, ' ');
	}
	strbuf_addf(out, "oldest of %u", bit_count(v->mask & v->sm->used));
	return older;
}

s64 sched_explain_greedy(u32 greedy, const struct sched_view *v, u32 warp, struct strbuf *out)
{
	if (greedy == warp + 1) {
		strbuf_adds(out, "greedy: picked last, ");
		sched_explain_age(v, warp, out);
		return 0;
	}
	return 1 + sched_explain_age(v, warp, out);
}

s64 sched_explain_turn(u32 next, u32 warp, struct strbuf *out)
{
	const u32 turn = (warp + WARP_SLOTS - next) % WARP_SLOTS;
	strbuf_addf(out, turn ? "%u slots behind slot %u, whose turn it is" : "its turn", turn, next % WARP_SLOTS);
	return turn;
}
