/* What ways.c (SMs, the listener) and ways_memory.c (caches, packets, DRAM) share. */
#ifndef OBS_RECORD_WAYS_INTERNAL_H
#define OBS_RECORD_WAYS_INTERNAL_H
#include <stdlib.h>

#include "mem/mem.h"
#include "obs/record/ways.h"
#include "sm/sm.h"

#define FETCHES 8u /* of one MSHR at a time: a line has so many sectors */

struct waiter {
	struct way *way;
	u32 txn;
};
struct at_mshr {
	struct way_fetch *fetch[FETCHES];
	u32 nfetches, n, cap;
	struct waiter *who;
};
struct at_sm {
	struct way *load[SM_MAX_LOADS];
	struct way_fetch *atomic[SM_MAX_LOADS]; /* sent past the cache, not yet a packet */
	u32 natomics;
	u64 answers;
};
struct table { /* of pointers, by number */
	void **at;
	u32 n;
};
struct ways {
	struct hop_ear ear;
	const struct conf *conf;
	struct at_sm *sm;
	struct table *mshr;   /* [sm * MC_COUNT + cache]: struct at_mshr */
	struct table packet;  /* struct way_fetch */
	struct table dram;    /* struct way_dram */
	struct table *l2;     /* [slice], by MSHR * 8 + the lowest sector: struct way_dram */
	struct way *at;       /* what is presented now, */
	struct way_txn *txn;  /* and its transaction */
	struct way_who asker; /* who that is */
	bool presented;
	struct way_fetch *landed; /* the packet that has just come back */
	struct way_dram *back;    /* the DRAM request that has */
	u32 landed_number;
	u64 misfits;
	way_fn *ended;
	void *ctx;
	way_fn *issued;
	void *issued_ctx;
};

/* References: who holds one drops it. NULL is fine. */
void way_dram_drop(struct way_dram *d);
void way_fetch_drop(struct way_fetch *f);
static inline struct way_dram *way_dram_keep(struct way_dram *d)
{
	if (d)
		d->refs++;
	return d;
}
static inline struct way_fetch *way_fetch_keep(struct way_fetch *f)
{
	if (f)
		f->refs++;
	return f;
}
static inline void way_step(struct trail *t, enum hop hop, u64 since)
{
	if (t->n < TRAIL_MAX)
		t->at[t->n++] = (struct way_hop){since, hop};
}

/* News of caches, packets and DRAM. */
void ways_memory_hears(struct ways *w, const struct hop_news *n);
/* A load waits no more. */
void ways_forget_waiter(struct ways *w, const struct way *x);
void ways_memory_free(struct ways *w);
#endif
