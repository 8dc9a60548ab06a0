/* The SM's timing wheel: what happens to which warp at which cycle. Lists of pool nodes, one list a slot, a bit per
 * busy slot.
 *
 * Not base/wheel.h: there a timer belongs to its owner, is set once at a time, moved and cancelled by number. Here a
 * warp has many at once, none is moved, none lies further away than the wheel is long: 8 bytes a node do. */
#include "sm/deps.h"
#include "sm/internal.h"

static inline void mark_empty(struct sm *s, u32 slot)
{
	u64 *word = &s->wheel_busy[slot / 64];
	*word &= ~BIT(slot % 64);
	if (!*word)
		s->wheel_words &= ~(1u << slot / 64);
}

void timer_add(struct sm_ctx *x, struct sm *s, u64 now, u64 at, u32 kind, u32 warp, u32 pc)
{
	timer_put(x, s, now, at, kind, s->warp[warp].who, pc);
}

void timer_wait(struct sm_ctx *x, struct sm *s, u32 kind, u32 w, u64 cycles, u64 now)
{
	u64 first = MIN(cycles, SM_WHEEL - 1);
	timer_add(x, s, now, now + first, kind, w, (u32)(cycles - first) & (u32)bit_range(TIMER_PC_BITS));
}

u32 timer_take_out(struct sm_ctx *x, struct sm *s, u64 contexts[SM_CONTEXTS / 64], u32 kinds)
{
	u32 fetches = 0;
	for (u32 slot = 0; slot < SM_WHEEL; slot++) {
		for (u16 *at = &s->wheel[slot]; *at;) {
			struct timer_node *n = &x->node[*at - 1];
			const u32 i = sm_context_of(n->who);
			if (!(contexts[i / 64] >> i % 64 & 1) || !(kinds >> timer_kind(n) & 1)) {
				at = &n->next;
				continue;
			}
			s->alu_flying -= timer_kind(n) == WK_WRITEBACK;
			s->mem_flying -= timer_kind(n) == WK_LOADED;
			fetches += timer_kind(n) == WK_FETCHED;
			const u16 gone = *at;
			*at = n->next;
			n->next = s->node_free;
			s->node_free = gone;
		}
		if (!s->wheel[slot])
			mark_empty(s, slot);
	}
	return fetches;
}

static inline __attribute__((always_inline)) void run_node(struct sm_ctx *x, struct sm *s, struct timer_node n, u64 now)
{
	const u32 place = place_now(s, n.who), kind = timer_kind(&n), pc = timer_pc(&n);
	struct warp *w = &s->warp[place];
	switch (kind) {
	case WK_WRITEBACK:
		s->alu_flying--;
		w->inflight--;
		warp_writeback(x, s, place, pc, now);
		break;
	case WK_LOADED:
		s->mem_flying--;
		w->inflight--;
		warp_writeback(x, s, place, pc, now);
		break;
	case WK_RESUME:
		if (pc)
			timer_wait(x, s, WK_RESUME, place, pc, now);
		else
			cta_goes_on(x, s, w->cta_slot, now);
		break;
	case WK_STALL: deps_stall_over(x, s, place, now); break;
	case WK_READ: deps_read(x, s, place, pc, now); break;
	case WK_FETCHED: fetch_done(x, s, place, now); break;
	case WK_WAKE:
		if (pc) {
			timer_wait(x, s, WK_WAKE, place, pc, now);
			break;
		}
		w->inflight--;
		w->sleeping = 0;
		if (has_slot(place))
			warp_refresh(x, s, place, now);
		break;
	}
}

void timer_run(struct sm_ctx *x, struct sm *s, u64 now)
{
	u32 slot = now % SM_WHEEL;
	u16 n = s->wheel[slot];
	if (likely(!n))
		return;
	s->wheel[slot] = 0;
	mark_empty(s, slot);
	while (n) {
		struct timer_node *at = &x->node[n - 1];
		const struct timer_node node = *at;
		at->next = s->node_free;
		s->node_free = n;
		run_node(x, s, node, now);
		n = node.next;
	}
}

u64 timer_next(const struct sm *s, u64 now)
{
	const u32 from = (u32)((now + 1) % SM_WHEEL);
	u32 word = from / 64;
	u64 m = s->wheel_busy[word] & ~bit_range(from % 64);
	if (!m) { /* the words behind it, round to its own slots before `from` */
		if (!s->wheel_words)
			return NEVER;
		const u32 turn = (word + 1) % SM_WHEEL_WORDS;
		const u32 behind = s->wheel_words >> turn | (turn ? s->wheel_words << (SM_WHEEL_WORDS - turn) : 0);
		word = (turn + bit_first(behind)) % SM_WHEEL_WORDS;
		m = s->wheel_busy[word];
	}
	return now + 1 + (word * 64 + bit_first(m) + SM_WHEEL - from) % SM_WHEEL;
}
