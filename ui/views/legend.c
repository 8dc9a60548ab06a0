#include "views/legend.h"

const struct legend legend[LG_COUNT] = {
#define K(id, glyph, ascii, role, name, brief, help) {U##glyph, ascii, R_##role, name, brief, help},
#include "views/legend.def"
#undef K
};

/* A new state, reason or cause does not build until it has its place here. */
_Static_assert(WS_COUNT == 15 && ST_COUNT == 18 && MISS_CAUSES == 5, "give the new one an entry");

enum legend_id legend_of_warp(enum warp_state s, bool issued, bool refused)
{
	static const u8 of[WS_COUNT] = {
	    [WS_NONE] = LG_EMPTY,     [WS_READY_SP] = LG_READY,     [WS_READY_INT] = LG_READY, [WS_READY_SFU] = LG_READY,
	    [WS_READY_DP] = LG_READY, [WS_READY_TENSOR] = LG_READY, [WS_READY_LSU] = LG_READY, [WS_MEM] = LG_MEMORY,
	    [WS_SHORT] = LG_SHORT,    [WS_BARRIER] = LG_BARRIER,    [WS_FENCE] = LG_FENCE,     [WS_SLEEP] = LG_SLEEP,
	    [WS_FETCH] = LG_FETCH,    [WS_DONE] = LG_DONE,          [WS_PAUSED] = LG_PAUSED,
	};
	return issued ? LG_ISSUED : refused ? LG_REFUSED : (enum legend_id)of[s];
}

enum legend_id legend_of_stall(enum stall r)
{
	static const u8 of[ST_COUNT] = {
	    [ST_ISSUED] = LG_ISSUED,     [ST_LSU] = LG_LSU,           [ST_RF_LINE] = LG_NO_LINE, [ST_RF_MSHR] = LG_NO_MSHR,
	    [ST_RF_MERGE] = LG_NO_MERGE, [ST_RF_QUEUE] = LG_NO_QUEUE, [ST_PIPE] = LG_PIPE,       [ST_PERIOD] = LG_PERIOD,
	    [ST_POLICY] = LG_POLICY,     [ST_MEM] = LG_MEMORY,        [ST_SHORT] = LG_SHORT,     [ST_MEMBAR] = LG_FENCE,
	    [ST_BARRIER] = LG_BARRIER,   [ST_SLEEP] = LG_SLEEP,       [ST_FETCH] = LG_FETCH,     [ST_DONE] = LG_DONE,
	    [ST_PAUSED] = LG_PAUSED,     [ST_EMPTY] = LG_EMPTY,
	};
	return (enum legend_id)of[r];
}

enum legend_id legend_of_cause(enum miss_cause c)
{
	static const u8 of[MISS_CAUSES] = {
	    [MISS_COLD] = LG_COLD,         [MISS_CAPACITY] = LG_CAPACITY,
	    [MISS_SECTOR] = LG_SECTOR,     [MISS_INVALIDATED] = LG_INVALIDATED,
	    [MISS_CONFLICT] = LG_CONFLICT,
	};
	return (enum legend_id)of[c];
}

enum legend_id legend_find(u32 ch, bool ascii)
{
	for (u32 i = 0; i < LG_COUNT; i++)
		if (ch == (ascii ? (u32)(u8)legend[i].ascii : legend[i].ch))
			return (enum legend_id)i;
	return LG_COUNT;
}

void legend_draw(struct pane p, int y, int x, enum legend_id id)
{
	pane_glyph(p, y, x, STYLE(legend[id].role), legend[id].ch);
}
