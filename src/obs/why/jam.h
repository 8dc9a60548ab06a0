/* jam: ports of the network that are full and wait for each other in a circle (mem_cycle()), and which warps are caught
 * behind them.
 *
 * It only looks. Arrays are as large as the largest machine. */
#ifndef OBS_WHY_JAM_H
#define OBS_WHY_JAM_H
#include "base/strbuf.h"
#include "gpu/query.h"

#define JAM_PORTS (CONF_MAX_SMS + 64 * 8)
struct jam {
	u32 n;                   /* ports of the circle; 0: there is none, and the rest says nothing */
	u32 port[JAM_PORTS];     /* each waits for the next, the last for the first */
	bool told;               /* the circle stands in the text already */
	bool shut[JAM_PORTS];    /* by port: on the way into a circle, or in it */
	u64 warps[CONF_MAX_SMS]; /* warps that wait for what such a port holds, or cannot send because their SM's is one */
};
void jam_find(const struct gpu *g, struct jam *j);
/* The circle and how many are caught behind it; nothing when there is none. */
void jam_tell(const struct gpu *g, struct jam *j, struct strbuf *out);
/* What a caught warp waits for: the ports from its SM's, or from one that holds something of it, into the circle,
 * which is not told twice. */
void jam_tell_warp(const struct gpu *g, const struct jam *j, u32 sm, u32 warp, struct strbuf *out, u32 depth);
#endif
