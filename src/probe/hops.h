/* hops: a load's way through the memory system. HOP_ are the places on it (hops.def); news are what the machine tells a
 * listener, in the order in which it happens. News name a request by what it is known by at that place: the load's
 * place in the SM's load table, the MSHR that waits for it, the packet, the MSHR of L2, the DRAM request.
 * src/obs/record/ways.h puts them together.
 *
 * Nobody listens as a rule: then each place costs a test of one pointer. A listener is no state of the machine, and
 * what it is told changes nothing. */
#ifndef PROBE_HOPS_H
#define PROBE_HOPS_H
#include "base/base.h"

enum hop {
#define H(id, name, where, meaning) HOP_##id,
#include "probe/hops.def"
	HOP_COUNT
};
struct hop_desc {
	const char *name, *where, *help;
};
extern const struct hop_desc hop_descs[HOP_COUNT];

struct mem_txn;  /* mem/mem.h */
struct use_news; /* probe/uses.h */

/* What has happened, and which fields of struct hop_news say it; all have cycle, most sm. */
enum hop_what {
	/* An SM. load: index into its table. */
	NEWS_ISSUE,   /* a load with a result: load, kernel, cta, warp, pc, cache, op, n transactions txn[], sectors = lanes
	                 (mask),   at = cycle from which its operands are there */
	NEWS_PIPE,    /* its transaction (addr, sectors) enters L1D's pipeline */
	NEWS_PRESENT, /* it is presented to its cache; what the cache says of it follows */
	NEWS_TAKEN,   /* the cache took it: it waits for an MSHR or for an answer, or (hit) its data is there at `at` */
	NEWS_REFUSED, /* the cache refused it: why = enum mem_result */
	NEWS_REPLAY,  /* it goes into the re-execution queue */
	NEWS_ANSWER,  /* the SM takes an answer for the load; dram = L2 had to ask DRAM */
	NEWS_DONE,    /* the load's last answer: its registers are free at `at` */
	NEWS_DROP,    /* its CTA was dropped: nobody waits for it any more */
	/* An SM's cache: addr = line, id = MSHR; of an atomic that passes it: id = token. */
	NEWS_WAIT, /* what is presented waits for sectors (words) of an MSHR */
	NEWS_SEND, /* a request goes into the miss queue: op, sectors; hit = somebody waits for its data */
	NEWS_L1I,  /* or to L1I */
	NEWS_FILL, /* sectors (words) have come for an MSHR; at = place of its line by set and way, NEVER: none */
	NEWS_GOT,  /* an answer has come for a token */
	/* A packet. id = its number. */
	NEWS_PACKET, /* made of a request of the miss queue: cache, op, of = MSHR or token, addr, sectors, slice; hit as of
	                NEWS_SEND */
	NEWS_COMING, /* the last of it is at the slice's port at `at` */
	NEWS_CROSS,  /* it leaves for the other part of L2, or (hit) for the one it came from */
	NEWS_QUEUED, /* it is in the queue of a slice of the other part */
	NEWS_L2,     /* the slice serves it: hit, else it waits for of = MSHR of L2, sectors; why = 1 if it merges, 2 if the
	                words' owner gets it; or refuses it: why = enum mem_result */
	NEWS_OUTPUT, /* its answer is in the slice's output */
	NEWS_LEAVES, /* the answer leaves it */
	NEWS_LANDS,  /* and is at its SM */
	/* DRAM. id = the number of the request. */
	NEWS_FETCH,     /* L2 asks for a line: of = MSHR of the slice, addr, sectors */
	NEWS_WINDOW,    /* it is in its channel's window: at = channel */
	NEWS_PRECHARGE, /* commands given for it; */
	NEWS_ACTIVATE,
	NEWS_COLUMN, /* of = 1: the last one; at = end of its data; hit = its row was open already */
	NEWS_BACK,   /* the data is in L2; what it answers follows; at = place of its line by set and way */
};
#define NEWS_L2_MERGED 1u
#define NEWS_L2_OWNER 2u

struct hop_news {
	u64 cycle;
	u64 at, addr;
	const struct mem_txn *txn; /* while the listener is called */
	enum hop_what what;
	u32 sm, slice, id, of, pc, kernel, cta, sectors;
	u16 load, n;
	u8 warp, cache, op, why;
	bool hit, dram;
};
struct hop_ear {
	void (*fn)(void *ctx, const struct hop_news *n);
	void *ctx;
	void (*use)(void *ctx, const struct use_news *n); /* of accesses (probe/uses.h); NULL: not told */
};
/* Tells a listener: behind a test of the pointer, which stands at the place. */
#define HOP_TELL(ear, ...)                                                                                             \
	do {                                                                                                               \
		if (unlikely((ear) != NULL))                                                                                   \
			(ear)->fn((ear)->ctx, &(struct hop_news){__VA_ARGS__});                                                    \
	} while (0)
#endif
