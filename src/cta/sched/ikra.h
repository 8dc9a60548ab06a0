/* ikra: the common part of the CTA schedulers for reuse between kernels (Huzaifa 2020, section 4). Each SM has a chunk
 * of consecutive CTAs; if the number of CTAs does not divide, the first SMs have one more. A kernel that reads what the
 * kernel before it wrote thus finds it in the same L1.
 *
 * Schedulers deal in positions 0..n-1 of n CTAs. If CTA i depends on CTA a i + b of the kernel before (ikra.affine_a,
 * ikra.affine_b), it has that CTA's position; otherwise its position is its id (section 8). */
#ifndef CTA_SCHED_IKRA_H
#define CTA_SCHED_IKRA_H
#include "cta/sched/cta_sched.h"

/* Positions [lo, hi) of a chunk that have not been dispatched. */
struct ikra_chunks {
	u64 lo[CONF_MAX_SMS], hi[CONF_MAX_SMS];
};
/* position = (a i + b) mod n. All zero: as it is. */
struct ikra_affine {
	u64 a, b;
};
/* What is known of the kernels before, in a policy's state for the machine's life. */
struct ikra_history {
	u32 grid[3]; /* of the kernel before; 0 = none */
	u32 pad;
	struct ikra_affine map;
};

/* The k-th of `parts` chunks of n CTAs. */
void ikra_chunk(u64 n, u32 parts, u32 k, u64 *lo, u64 *hi);
/* Chunks for all SMs, the first one for SM `first`. */
void ikra_deal(struct ikra_chunks *c, const struct cta_view *v, u32 first);
/* Takes a position out of an SM's chunk, from its beginning or its end; NO_CTA: it is empty. */
static inline u64 ikra_take(struct ikra_chunks *c, u32 sm, bool end)
{
	if (c->lo[sm] == c->hi[sm])
		return NO_CTA;
	return end ? --c->hi[sm] : c->lo[sm]++;
}
/* A kernel begins: is its grid that of the one before? Then its CTAs' positions follow from theirs. */
bool ikra_follows(struct ikra_history *h, const struct cta_view *v);
/* Whose position p is, of n. */
u64 ikra_id(const struct ikra_affine *map, u64 p, u64 n);
/* A chunk and what is left of it, as struct cta_share has them. */
void ikra_share(const struct ikra_chunks *left, const struct ikra_affine *map, const struct cta_view *v, u32 sm,
                struct cta_share *out);
/* What is left of the SM's chunk, for explain(). */
void ikra_explain(const struct cta_share *s, struct strbuf *out);
/* The inverse of a modulo n; 0: there is none, a and n have a common factor. */
u64 ikra_inverse(u64 a, u64 n);
#endif
