/* lives: of each line in L1D and in L2 who brought it in, when, how often it has been used since, and when last. Put
 * together from what the machine tells of accesses (probe/uses.h) and of requests on their way (probe/hops.h): the
 * machine itself keeps none of it.
 *
 *   access of a warp --> L1D --> miss queue --> packet --> slice of L2
 *        who                     who, in order    who       who
 *
 * All of it lies in one block of memory without pointers and of fixed size, so another process can fill it in, and a
 * copy of it is the state at its cycle: who copies it back and listens on from there comes to the same as who has
 * listened from the start. */
#ifndef OBS_RECORD_LIVES_H
#define OBS_RECORD_LIVES_H
#include "gpu/query.h"
#include "probe/uses.h"

/* Who an access is of. An access of L2 is that of the warp whose access of an SM's cache has sent the request. */
enum whose {
	WHOSE_UNKNOWN, /* on its way before anybody listened */
	WHOSE_WARP,    /* all fields are known */
	WHOSE_CODE,    /* an instruction fetch, or what an SM writes back: kernel and sm */
};
struct use_who {
	u32 kernel, cta, pc;
	u16 sm;
	u8 warp;  /* slot; UINT8_MAX: it has none */
	u8 whose; /* enum whose */
};
/* A line at a place of a cache. */
struct life {
	u64 line;          /* its address + 1; 0: nothing is known of what lies there */
	u64 asked, filled; /* cycle of the access that brought it in; in which its first sectors came, NEVER: not yet */
	u64 used;          /* cycle of its last use; that of the first is `asked` */
	u32 uses;          /* that found it there or on its way: hits and merges, not the access that brought it in */
	struct use_who by; /* who brought it in */
};
/* An access, as the caches tell it, and whose it is. */
struct use {
	struct use_news n;
	struct use_who who;
};
typedef void use_fn(void *ctx, const struct use *u);

size_t lives_bytes(const struct gpu *g);
struct lives *lives_new(struct gpu *g); /* nothing is known */
void lives_free(struct lives *l);
/* The block, lives_bytes() long, and which cycle it is of (NEVER: nothing has been told). */
void lives_save(const struct lives *l, void *to);
void lives_load(struct lives *l, const void *from);
/* The listener, for sim_hear(). Told of each access, and of what is taken away (whose is then of nobody). */
const struct hop_ear *lives_ear(const struct lives *l);
void lives_on_use(struct lives *l, use_fn *fn, void *ctx);
/* The life of the line `addr` at a place of an SM's L1D or of a slice, in a block; NULL: nothing is known of it. */
const struct life *lives_l1d(const struct gpu *g, const void *block, u32 sm, u32 place, u64 addr);
const struct life *lives_slice(const struct gpu *g, const void *block, u32 slice, u32 place, u64 addr);
#endif
