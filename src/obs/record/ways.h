/* ways: puts together what a machine tells of its loads (probe/hops.h): which transactions a load has made, the fetch
 * that each waits for, the DRAM request behind that fetch, and the cycle of each hop.
 *
 *   load --> transactions --> fetch (an L1D miss: a packet to L2) --> DRAM request
 *            merged: the fetch of another one               merged: that of another fetch
 *
 * A load ends with the transaction whose data came last; the load's hops are that one's. Loads that were issued before
 * anybody listened are not known; those of shared memory and of parameters on the chip are none. */
#ifndef OBS_RECORD_WAYS_H
#define OBS_RECORD_WAYS_H
#include "conf/conf.h"
#include "probe/hops.h"

/* The request is in a hop from a cycle on. */
struct way_hop {
	u64 since;
	enum hop hop;
};
#define TRAIL_MAX 16
struct trail {
	u32 n;
	struct way_hop at[TRAIL_MAX];
};
/* Whose fetch or DRAM request it is: the access that asked first. */
struct way_who {
	u64 issued; /* NEVER: not a load that is known */
	u32 sm, kernel, cta, pc;
	u8 warp;
	bool code; /* an instruction fetch */
};
/* A read of DRAM. */
struct way_dram {
	struct trail trail;
	struct way_who who;
	u64 fetched, back; /* cycle in which L2 asked for it, and had it; NEVER: not yet */
	u64 row;
	u32 refs, slice, mshr, channel, bank;
	u32 sectors, columns;
	bool asked;                      /* `who` is known */
	bool hit, precharged, activated; /* of its commands; hit: its row was open at its first column command */
};
/* A request of an SM's cache, and its answer. */
struct way_fetch {
	struct trail trail;
	struct way_who who;
	u64 sent;   /* into the miss queue */
	u64 served; /* by the slice; NEVER: not yet */
	u64 landed; /* back at the SM; NEVER: not yet */
	u64 addr;
	u64 refused[4]; /* cycles for which its slice refused it, by reason (line, mshr, merge, queue) */
	u64 refused_at;
	u32 refs, packet, slice, sectors, mshr, l2_mshr, l2_sectors;
	u32 split; /* hops of the trail before those of DRAM */
	u8 cache, op, reason;
	bool has_packet, l2_hit, l2_merged, owner, far, l1i;
	struct way_dram *dram;
};
enum way_level { WAY_L1, WAY_L1I, WAY_L2, WAY_OWNER, WAY_DRAM, WAY_LEVELS };
extern const char *const way_level_names[WAY_LEVELS]; /* "L1", "L1I", "L2", "another SM", "DRAM" */
#define WAY_REASONS 4
extern const char *const way_reason_names[WAY_REASONS]; /* "no line"... in the order of MR_RF_LINE... */
struct way_txn {
	u64 addr;
	struct trail trail; /* up to its cache */
	u64 taken;          /* by its cache; NEVER: not yet */
	u64 answered;       /* the data are at the SM; a hit: its latency is over. NEVER: not yet */
	u64 popped;         /* and the SM has taken them */
	u64 refused[WAY_REASONS];
	u64 refused_at; /* it is refused since then, for `reason`; NEVER: it is not */
	u64 order;      /* of the answers of an SM */
	u32 sectors, need;
	u8 reason;
	u32 tries; /* refused tries */
	bool hit, merged, replayed;
	bool by_owner;        /* a message from another SM has answered it */
	bool dram;            /* the machine says that L2 had to ask DRAM (with coherence=denovo it does not) */
	enum way_level level; /* when it is answered */
	struct way_fetch *fetch;
};
/* A load. */
struct way {
	u64 issued, ready; /* its operands are there */
	u64 end;           /* the registers are free; NEVER: not known yet */
	u64 dropped_at;
	u32 sm, kernel, cta, pc, lanes;
	u32 refs;
	u16 n, place; /* transactions; place in the SM's table */
	u8 warp, cache, op;
	bool dropped; /* its CTA was; end is NEVER */
	u16 last;     /* the transaction that ended it */
	struct way_txn txn[];
};

struct ways;
/* Told of each load that has ended or was dropped. */
typedef void way_fn(void *ctx, struct way *w);
struct ways *ways_new(const struct conf *c, way_fn *ended, void *ctx);
void ways_free(struct ways *w);
/* Who is told of each load that is issued. */
void ways_on_issue(struct ways *w, way_fn *issued, void *ctx);
/* The listener, for sim_hear(). */
const struct hop_ear *ways_ear(const struct ways *w);
/* Calls fn for each load under way, by SM and place. */
void ways_each(const struct ways *w, way_fn *fn, void *ctx);
u32 ways_under_way(const struct ways *w); /* how many there are */
/* News that did not fit what was known: a law of tests, 0. Of loads that were issued before it listened there are none.
 */
u64 ways_misfits(const struct ways *w);
/* A load outlives its end for who keeps it. */
void way_keep(struct way *w);
void way_drop(struct way *w);

/* The hops of a transaction up to a cycle (NEVER: all that are known), in order of time: how many, 0 before its issue.
 * The last one lasts until the load's end, or is where it is. A hop of no length is left out. *ordered: false if the
 * machine has told of hops in another order than that of time; NULL: who does not ask. */
#define WAY_HOPS_MAX (3 * TRAIL_MAX + 4)
u32 way_hops(const struct way *w, u32 txn, u64 until, struct way_hop out[WAY_HOPS_MAX], bool *ordered);
/* The cycle from which a transaction of a load that has ended has nothing left to do; NEVER: not yet. */
u64 way_txn_end(const struct way *w, u32 txn);
#endif
