/* reuse: LRU stack distances of the accesses of L1D and L2 (Mattson et al., "Evaluation techniques for storage
 * hierarchies", IBM Systems Journal 9(2), 1970), exactly, in a tree of counts over time (Olken, "Efficient methods for
 * calculating the success function of fixed space replacement policies", LBL-12370, 1981).
 *
 * The distance of an access is how many other lines the same cache has been asked for since its line was last used. A
 * fully associative LRU cache of N lines hits exactly those accesses whose distance is less than N. So one pass gives
 * the hit rate of every size.
 *
 *   counted   all accesses that move a line in the order of replacement: reads that hit, merge or miss, and writes that
 *             hit or take a line. The others pass the cache (stores that are written through, atomics, reads past it)
 *   sectors   a line may be there without the sector. An access then counts with the largest distance of its line since
 *             all sectors that it needs were last there: only a cache larger than that has kept them
 *   removed   a line that a store or the start of a kernel has taken away has no distance: no size would have hit. Its
 *             place in the order stays free until the next new line takes it, as in a cache
 *
 * Each cache is a stack of its own: an SM's L1D, a slice of L2. Lines are told from the start of what is listened to,
 * also of accesses that do not count. */
#ifndef OBS_RECORD_REUSE_H
#define OBS_RECORD_REUSE_H
#include "obs/record/lives.h"

/* Bin 0 is distance 0; bin k is 2^(k-1) to 2^k - 1: a cache of 2^k lines hits bins 0 to k. */
#define REUSE_BINS 33
/* Who has used the line before. */
enum reuse_of {
	REUSE_WARP, /* the same warp slot of the same CTA */
	REUSE_CTA,  /* another warp of the CTA */
	REUSE_SM,   /* another CTA, or a CTA before it, on the same SM */
	REUSE_AWAY, /* another SM */
	REUSE_NONE, /* one of both is not known, as of code and of what an SM writes back */
	REUSE_KINDS
};
extern const char *const reuse_names[REUSE_KINDS]; /* "same warp"... */
struct reuse_hist {
	u64 bin[REUSE_BINS]; /* accesses with a distance, */
	u64 cold;            /* to a line that was never used before, or a sector that was never there; */
	u64 removed;         /* to one that was taken away since */
	u64 passed;          /* that pass the cache. All of these sum to `accesses` */
	u64 accesses;
	u64 found[USE_RESULTS]; /* what the cache counted: hits, merges, misses, passed; they sum to `accesses` */
	u64 hits, lookups;      /* of the accesses that do not pass: hits and merges; all of them */
	u64 kind[REUSE_KINDS][REUSE_BINS]; /* the bins by who has used the line before: they sum to `bin` */
};
enum reuse_level { REUSE_L1D, REUSE_L2, REUSE_LEVELS };
struct reuse_line {
	u32 kernel, pc; /* kernel: the first launch seen of its module */
	const void *module;
	struct reuse_hist of[REUSE_LEVELS];
};
struct reuse_stack;
struct reuse {
	u64 from, to;            /* accesses in cycles [from, to) count */
	u32 n[REUSE_LEVELS];     /* caches: SMs, slices */
	u32 lines[REUSE_LEVELS]; /* each has */
	struct reuse_hist *of[REUSE_LEVELS], all[REUSE_LEVELS];
	struct reuse_stack **stack; /* of SMs, then of slices */
	struct reuse_line *line;
	u32 nlines, lines_size;
	u32 hint[1024]; /* where a line was, + 1, by its pc and module */
	const struct gpu *g;
};
void reuse_init(struct reuse *r, struct gpu *g, u64 from, u64 to);
void reuse_release(struct reuse *r);
/* An access, or what is taken away: in the order in which the machine tells it. module: of the code of who.kernel. */
void reuse_add(struct reuse *r, const struct use *u, const void *module);
/* Behind the last access: sums, lines with most accesses of L1D first. The stacks are gone. */
void reuse_finish(struct reuse *r);
/* Accesses that a fully associative LRU cache of 2^k lines hits. */
u64 reuse_hits(const struct reuse_hist *h, u32 k);
/* The least distance of a bin. */
u64 reuse_bin_from(u32 bin);

/* --- one stack ---------------------------------------------------------------------------------------------------- */
#define REUSE_COLD UINT32_MAX
#define REUSE_REMOVED (UINT32_MAX - 1)
struct reuse_stack *reuse_stack_new(void);
void reuse_stack_free(struct reuse_stack *s);
/* A use of a line: its distance, or one of the above. who: is kept for the next use; *before: of the last one, if there
 * was one. */
u32 reuse_stack_use(struct reuse_stack *s, u64 line, u8 need, u8 have, const struct use_who *who,
                    struct use_who *before);
/* Sectors of a line are taken away. */
void reuse_stack_remove(struct reuse_stack *s, u64 line, u8 sectors);
/* All lines are for which keep() says no. */
void reuse_stack_clear(struct reuse_stack *s, bool (*keep)(void *ctx, u64 line), void *ctx);
#endif
