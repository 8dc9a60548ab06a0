/* dependencies: which words the kernels of a program read that earlier kernels, or the host, have written, and which
 * CTAs wrote them (Huzaifa 2020, section 3 and table 1), from the addresses that are executed.
 *
 * Words of 4 B of global and constant memory and texels are counted, each once for a thread and launch. The last writer
 * of a word decides:
 *
 *   self   the CTA with the reader's coordinates, in the launch before the reader's
 *   ghost  in the launch before, on a grid of the same size, a CTA whose coordinates are one off at most
 *   other  anyone else: another CTA of the launch before; a CTA of an older launch, also the same one; the host, since
 *          the first kernel
 *
 * Not counted are words that nobody has written since the first kernel began (input), and words that the reader's own
 * launch has written (within). An atomic reads, then writes.
 *
 * It observes a machine's front end, and a run that does not ask for it does not pay for it. Its record lies outside
 * the state, is not taken back by time travel, and is bounded: so many MiB for the writers, and for what the threads of
 * resident CTAs have read. Words that find no room are counted as such. */
#ifndef OBS_STATS_DEPENDENCIES_H
#define OBS_STATS_DEPENDENCIES_H
#include "front/front.h"

#define DEP_WRITERS_MB 1024
#define DEP_SEEN_MB 256

enum dep_kind {
	DEP_SELF,
	DEP_GHOST,
	DEP_CTA,        /* other: a CTA of the launch before */
	DEP_OLDER_SELF, /* other: the same CTA, in an older launch */
	DEP_OLDER,      /* other: another one, in an older launch */
	DEP_HOST,       /* other */
	DEP_KINDS
};
struct dep_pair {
	const struct func *producer, *consumer; /* producer NULL: the host */
	u64 words[DEP_KINDS];
};
struct dep_totals {
	u64 words[DEP_KINDS];
	u64 input, within;
	u64 launches;
	u64 repeats;   /* words that were counted though their thread may have read them before: no room */
	u64 forgotten; /* words written whose writer is not known: no room */
};
struct dependencies;
/* Looks on at this front end, whose programs lie in device memory of so many bytes, before the first launch and until
 * dependencies_free(), which comes before the front end's end. */
struct dependencies *dependencies_watch(struct front *f, u64 bytes, u32 writers_mb, u32 seen_mb);
void dependencies_free(struct dependencies *d);
/* The host has written there. */
void dependencies_host_wrote(struct dependencies *d, u64 addr, u64 bytes); /* NULL: nothing to do */
/* Pairs of kernels in the order in which they came up. */
u32 dependencies_pairs(const struct dependencies *d, const struct dep_pair **out);
struct dep_totals dependencies_totals(const struct dependencies *d);
static inline u64 dep_other(const u64 words[DEP_KINDS])
{
	return words[DEP_CTA] + words[DEP_OLDER_SELF] + words[DEP_OLDER] + words[DEP_HOST];
}
#endif
