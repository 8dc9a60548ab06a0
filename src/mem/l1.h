/* l1: the mechanisms of an SM's caches, for l1.c and the rules of coherence (coherence/coherence.h). */
#ifndef MEM_L1_H
#define MEM_L1_H
#include "mem/impl.h"
#include "mem/ref_count.h"

/* One access to one cache, on its way to a result. */
struct access {
	struct mem *m;
	struct l1 *l;
	const struct mem_txn *t;
	u64 now, line;
	u32 sm, token, set;
	u8 cache, op;
};

/* The sectors of the line that an access concerns. */
static inline u8 sectors_needed(const struct l1 *l, const struct mem_txn *t)
{
	return l->sectored ? t->sectors : l->tags.full;
}
/* Places that a request of these sectors takes: with noc.switch=islip each is a request of its own. */
static inline u32 l1_places(const struct access *a, u8 sectors)
{
	return unlikely(a->m->source != NULL) ? sector_count(sectors) : sectors != 0;
}
/* The kernel that an access is for. */
static inline u32 l1_launch_of(const struct access *a)
{
	return a->m->holder[a->sm * MEM_PLACES + (a->token >> TOKEN_BITS)].launch;
}
/* The CTA whose line lies at place i of a set. */
static inline struct holder *owner_of(const struct l1 *l, u32 set, u32 i)
{
	return &l->owner[set * l->tags.ways + i - tags_place(&l->tags, set, 0)];
}
/* The access is accepted and counts: it is not presented again. */
static inline void l1_accept(const struct l1 *l)
{
	l->st->refused = 0;
	l->st->changed = false;
	l->cc->accesses++;
}
/* It is refused; counts that and remembers what would end it. */
enum mem_result l1_refuse(const struct access *a, enum mem_result mr);

/* Is there room for n more requests of this cache? */
bool l1_queue_room(const struct access *a, u32 n);
/* Sends a request; there must be room. tag: the MSHR that waits for data, else the token. */
void l1_queue_push(const struct access *a, u32 op, u64 line, u8 sectors, u32 tag, u32 launch, bool partial, u32 words);
/* Is there room for n requests of a load? Of L1D's queue more must be free (l1d.miss_queue_free). */
bool l1_load_room(const struct access *a, u32 n);
/* A load hits the line at place i. */
enum mem_result l1_hit(const struct access *a, u32 i);
/* It waits for `need` of an MSHR, which has room for it. MR_PENDING. */
enum mem_result l1_wait(const struct access *a, u32 mshr, u32 need);
/* The same of an atomic that the cache executes itself: MR_PENDING, or MR_SENT of a reduction. */
enum mem_result l1_wait_atomic(const struct access *a, u32 mshr, u32 need);
/* The event of a miss that took an MSHR. */
void l1_miss_event(const struct access *a, u32 mshr);
/* Sectors that are written back when the line at place i goes. */
u8 l1_leaves(const struct access *a, u32 i);
/* Sends sectors (and which words of them) of a line down; there must be room. */
void l1_write_back(const struct access *a, u64 line, u8 sectors, u32 words, u32 launch);
/* A line's data has come for these n waiters of an MSHR; a store is acknowledged. */
void l1_answered(struct mem *m, u32 sm, u32 cache, u64 line, const u32 *out, u32 n);
void l1_stored(struct mem *m, u32 sm, u32 token);
/* Tells who listens that sectors (words) have come for an MSHR. */
static inline void l1_tell_fill(const struct mem *m, u32 sm, u32 cache, u32 mshr, u32 sectors, u64 now)
{
	const struct l1 *l = &m->l1[sm * MC_COUNT + cache];
	HOP_TELL(m->ear, .what = NEWS_FILL, .cycle = now, .sm = sm, .cache = (u8)cache, .id = mshr, .sectors = sectors,
	         .addr = l->mshr.e[mshr].line,
	         .at = l->mshr.e[mshr].slot == TAGS_NONE ? NEVER : tags_number(&l->tags, l->mshr.e[mshr].slot));
}
/* A load's sectors come from L2 into the line at place i of its set, a new one when i is TAGS_NONE; joins what is on
 * its way already. MR_PENDING, or refused. */
enum mem_result l1_fetch_line(const struct access *a, u32 set, u32 i, u8 need);
/* The same past the cache: an MSHR without a line. */
enum mem_result l1_fetch_around(const struct access *a);
/* Puts the access's line into place i, whose line is evicted. */
void l1_take_place(const struct access *a, u32 set, u32 i);
/* Takes away of the cache what an access touches; was anything of it valid? */
bool l1_drop_touched(const struct access *a);
/* Is there room to send a store or an atomic down? Then sends it: MR_SENT, or MR_PENDING for an answer with data. */
bool l1_store_room(const struct access *a);
enum mem_result l1_send_down(const struct access *a);
/* A store to local memory: stays where it hits (written back when the line is replaced), else goes down. */
enum mem_result l1_store_local(const struct access *a);
/* What a store finds at place i (TAGS_NONE: no line), for the counters; stores pass a cache that is off. */
static inline void l1_count_store(const struct access *a, u32 i)
{
	if (a->op == MO_LOCAL_STORE || (a->l->cached >> MO_LOAD & 1))
		ref_count(a->l->cc, REF_WRITE, ref_look(&a->l->tags, i, a->t->sectors, true, a->l->sectored));
}
/* Empties a cache. Lines on their way lose their place: the data answers its waiters and is not kept. Of the others the
 * rule says what stays. */
void l1_invalidate(const struct mem *m, struct l1 *l);
/* A kernel starts on an SM: empties L1D when it has the machine to itself. What is never written while kernels run
 * stays (code, constants, textures), as in GPGPU-Sim. */
void l1_kernel_start(struct mem *m, u32 sm, bool alone);

/* constants.c (l1c.behind=l1i; constants.h says how) */
/* Can L1I take the miss of the constant cache? */
bool constants_room(const struct access *a);
/* It looks into L1I; there must be room. mshr: the constant cache's, which waits for the line. */
void constants_ask(const struct access *a, u32 mshr);
/* An access of L1I is about to replace the line at place i: counts it if one is a constant and the other is not. */
void constants_evict(const struct access *a, u32 i);
/* A line has come to L1I for these n waiters: takes the constants among them. */
void constants_come(struct mem *m, u32 sm, const u32 *out, u32 n, u64 now);
/* Something that the constant cache may have been refused for has changed in L1I. */
void constants_retry(struct mem *m, u32 sm);
#endif
