#include "views/view.h"

#include <math.h>

#include "dbg/scope.h"
#include "scr/term.h"
#include "views/legend.h"

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

bool view_follows(struct view_ctx *v)
{
	if (v->st->seen_cycle != gpu_cycle(v->g)) {
		v->st->seen_cycle = gpu_cycle(v->g);
		v->st->follow = true;
	}
	return v->st->follow;
}

void view_stay(struct view_ctx *v)
{
	v->st->follow = false;
	v->st->seen_cycle = gpu_cycle(v->g);
}

void view_follow_again(struct view_ctx *v)
{
	v->st->follow = true;
	v->st->seen_cycle = NEVER;
}

void view_clip(struct view_state *st, s32 n, s32 h)
{
	st->page = MAX(h, 1);
	st->top = MAX(MIN(st->top, n - h), 0);
}

/* The samples of the scope, or all: [*first, *end). */
static void scope_samples(const struct view_ctx *v, u32 *first, u32 *end)
{
	const u32 len = v->tl ? timeline_len(v->tl) : 0;
	u64 from, to;
	*first = 0;
	*end = len;
	if (!len || !scope_range(v->d, &from, &to))
		return;
	const u64 start = timeline_start(v->tl), span = timeline_span(v->tl);
	*first = (u32)MIN((MAX(from, start) - start) / span, len - 1ull);
	*end = (u32)MIN(MAX((MAX(to, start) - start + span - 1) / span, *first + 1ull), (u64)len);
}

void view_span(const struct view_ctx *v, u32 *from, u32 *to)
{
	u32 first, end;
	scope_samples(v, &first, &end);
	const u32 len = end - first, n = MAX(len >> MIN(v->st->zoom, 31u), MIN(len, 8u));
	*to = end;
	if (v->st->until && len && v->st->until > timeline_start(v->tl))
		*to = (u32)MIN((v->st->until - timeline_start(v->tl)) / timeline_span(v->tl), (u64)end);
	*to = MAX(*to, first + n);
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

const char *stall_short(enum stall r)
{
	return legend[legend_of_stall(r)].brief;
}

enum role stall_role(enum stall r)
{
	return legend[legend_of_stall(r)].role;
}

u32 stall_glyph(enum stall r)
{
	return legend[legend_of_stall(r)].ch;
}

struct style warp_style(enum warp_state s, bool issued, bool refused)
{
	return STYLE(legend[legend_of_warp(s, issued, refused)].role);
}

u32 warp_glyph(enum warp_state s, bool issued, bool refused)
{
	return legend[legend_of_warp(s, issued, refused)].ch;
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
