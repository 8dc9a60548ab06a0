/* uses: the accesses of L1D and of L2, for who listens (struct hop_ear in hops.h): which line, what the cache said, and
 * what became of the line's place in the order of replacement. Told for each access that a cache accepts and counts, so
 * there are as many as the cache's counter `accesses` says. A listener is no state of the machine. */
#ifndef PROBE_USES_H
#define PROBE_USES_H
#include "base/base.h"

#define USE_NOWHERE UINT32_MAX

enum use_what {
	USE_ACCESS,  /* an access was accepted */
	USE_GONE,    /* sectors `have` of the line are taken away from an SM's cache, whether they are there or not */
	USE_EMPTIED, /* an SM's L1D has been emptied; what is still there stays (mem_l1d_place()) */
};
/* What the cache counted the access as. */
enum use_result { USE_HIT, USE_MERGED, USE_MISS, USE_PASSED, USE_RESULTS };
struct use_news {
	u64 cycle;
	u64 line; /* address of the line, of the cache's size */
	enum use_what what;
	enum use_result result;
	u32 sm;       /* who asks */
	u32 slice;    /* of L2; USE_NOWHERE: a cache of the SM */
	u32 place;    /* of the line by set and way, behind the access; USE_NOWHERE: it is not there */
	u32 packet;   /* of L2: the request */
	u32 kernel;   /* launch */
	u32 cta, pc;  /* of a cache of the SM, */
	u8 warp;      /* likewise */
	u8 cache;     /* enum mem_cache: of the SM, or where the request of L2 comes from */
	u8 op;        /* enum mem_op, or a write-back */
	u8 need;      /* sectors that have to be there for a hit; 0: the line */
	u8 have;      /* sectors that are there behind it, or on their way, on account of it */
	bool touched; /* the line is the most recently used of its set now; */
	bool fresh;   /* and was not there before; */
	bool waits;   /* and sectors of it are on their way */
};
#endif
