#include "views/view.h"

#include <math.h>

#include "scr/term.h"

bool view_scroll(struct view_state *st, int key)
{
	s32 page = MAX(st->page - 1, 1);
	switch (key) {
	case K_UP:
	case 'k': st->top--; break;
	case K_DOWN:
	case 'j': st->top++; break;
	case K_PGUP: st->top -= page; break;
	case K_PGDN: st->top += page; break;
	case K_HOME: st->top = 0; break;
	case K_END: st->top = INT32_MAX / 2; break; /* the next drawing clips it; keys before that may add to it */
	default: return false;
	}
	st->follow = false;
	return true;
}

void view_clip(struct view_state *st, s32 n, s32 h)
{
	st->page = MAX(h, 1);
	st->top = MAX(MIN(st->top, n - h), 0);
}

void view_span(const struct view_ctx *v, u32 *from, u32 *to)
{
	u32 len = v->tl ? timeline_len(v->tl) : 0, n = MAX(len >> MIN(v->st->zoom, 31u), MIN(len, 8u));
	*to = len;
	if (v->st->until && len && v->st->until > timeline_start(v->tl))
		*to = (u32)MIN((v->st->until - timeline_start(v->tl)) / timeline_span(v->tl), (u64)len);
	*to = MAX(*to, n);
	*from = *to - n;
}

void view_column(u32 from, u32 len, int i, int n, u32 *a, u32 *b)
{
	*a = from + (u32)((u64)len * (u32)i / (u32)n);
	*b = MAX(from + (u32)((u64)len * (u32)(i + 1) / (u32)n), *a + 1);
}

int view_series(const struct view_ctx *v, s32 sm, enum series s, float *out, int n)
{
	u32 from, to;
	view_span(v, &from, &to);
	u32 len = to - from;
	for (int i = 0; i < n && len; i++) {
		u32 a, b;
		view_column(from, len, i, n, &a, &b);
		out[i] = (float)timeline_mean(v->tl, sm, s, a, b);
	}
	return len ? n : 0;
}

u32 view_mshrs(const struct view_ctx *v, u32 sm)
{
	struct mshr_info m[1024]; /* the most l1d.mshrs allows */
	return mem_mshrs(gpu_mem(v->g), sm, MC_L1D, m, ARRAY_LEN(m));
}

static const struct {
	u8 role;
	u32 glyph;
	const char *brief;
} stall_looks[ST_COUNT] = {
    [ST_ISSUED] = {R_ISSUED, 0x25b6, "issued"}, [ST_LSU] = {R_REFUSED, 's', "lsu"},
    [ST_RF_LINE] = {R_REFUSED, 'l', "l1 line"}, [ST_RF_MSHR] = {R_REFUSED, 'h', "l1 mshr"},
    [ST_RF_MERGE] = {R_REFUSED, 'g', "merges"}, [ST_RF_QUEUE] = {R_REFUSED, 'q', "l1 q"},
    [ST_PIPE] = {R_READY, 'p', "pipe"},         [ST_PERIOD] = {R_READY, 'i', "period"},
    [ST_POLICY] = {R_READY, 'c', "policy"},     [ST_MEM] = {R_MEM, 'm', "memory"},
    [ST_SHORT] = {R_SHORT, 'x', "short"},       [ST_MEMBAR] = {R_MEM, 'n', "fence"},
    [ST_BARRIER] = {R_BARRIER, 'b', "barrier"}, [ST_SLEEP] = {R_BARRIER, 'z', "sleep"},
    [ST_FETCH] = {R_FETCH, 'f', "fetch"},       [ST_DONE] = {R_DIM, 'd', "drain"},
    [ST_EMPTY] = {R_FAINT, 0xb7, "no warp"},
};

const char *stall_short(enum stall r)
{
	return stall_looks[r].brief;
}

/* A reason new in stalls.def shows with its own name until it has a look here. */
_Static_assert(ST_COUNT == 17, "give the new stall reason a role, a letter and a short name");

enum role stall_role(enum stall r)
{
	return stall_looks[r].role;
}

u32 stall_glyph(enum stall r)
{
	return stall_looks[r].glyph;
}

struct style warp_style(enum warp_state s, bool issued, bool refused)
{
	static const u8 role[WS_COUNT] = {
	    [WS_NONE] = R_FAINT,      [WS_READY_SP] = R_READY, [WS_READY_SFU] = R_READY, [WS_READY_DP] = R_READY,
	    [WS_READY_LSU] = R_READY, [WS_MEM] = R_MEM,        [WS_SHORT] = R_SHORT,     [WS_BARRIER] = R_BARRIER,
	    [WS_FENCE] = R_MEM,       [WS_SLEEP] = R_BARRIER,  [WS_FETCH] = R_FETCH,     [WS_DONE] = R_DIM,
	};
	if (issued)
		return STYLE(R_ISSUED);
	return STYLE(refused ? R_REFUSED : role[s]);
}

u32 warp_glyph(enum warp_state s, bool issued, bool refused)
{
	if (issued)
		return 0x25b6;
	if (refused)
		return 's';
	u32 ch;
	const char *g = warp_state_descs[s].glyph;
	utf8_decode(g, 4, &ch);
	return ch;
}

u64 stall_slots(const u64 stalls[ST_COUNT])
{
	u64 sum = 0;
	for (u32 i = 0; i < ST_COUNT; i++)
		sum += stalls[i];
	return sum;
}

enum stall top_stall(const u64 stalls[ST_COUNT], double *share)
{
	u32 best = ST_COUNT;
	for (u32 i = ST_ISSUED + 1; i < ST_COUNT; i++)
		if (stalls[i] && (best == ST_COUNT || stalls[i] > stalls[best]))
			best = i;
	u64 sum = stall_slots(stalls);
	*share = best < ST_COUNT && sum ? (double)stalls[best] / (double)sum : 0;
	return (enum stall)best;
}
