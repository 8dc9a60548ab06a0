/* sm.unit_results=one: a unit hands on one result a cycle. An instruction begins only in a cycle from which its latency
 * ends where no other instruction of the unit ends; until then it stays in front of the unit (GPGPU-Sim:
 * simd_function_unit::can_issue, `occupied`). Instructions without a result pass the same stages, so they count, too.
 */
#ifndef SM_UNIT_RESULTS_H
#define SM_UNIT_RESULTS_H
#include "base/base.h"
#include "base/bits.h"

#define RESULT_RING 2048 /* cycles ahead; a power of two, more than the configuration allows to book (BOOKED_MAX) */
#define RESULT_WORDS (RESULT_RING / 64)

/* State (arena): a bit for each cycle from `from` on, a multiple of 64, in which a result leaves. */
struct unit_results {
	u64 from;
	u64 taken[RESULT_WORDS];
};

/* The first cycle from `start` on in which an instruction of the latency may begin. */
static inline u64 unit_results_begin(struct unit_results *r, u64 start, u32 lat, u64 now)
{
	for (u32 i = 0; r->from + 64 <= now && i < RESULT_WORDS; i++, r->from += 64) /* what has left */
		r->taken[r->from / 64 % RESULT_WORDS] = 0;
	if (r->from + 64 <= now)
		r->from = now / 64 * 64;
	while (r->taken[(start + lat) / 64 % RESULT_WORDS] >> (start + lat) % 64 & 1)
		start++;
	BUG_ON(start + lat >= r->from + RESULT_RING);
	return start;
}

static inline void unit_results_book(struct unit_results *r, u64 begin, u32 lat)
{
	r->taken[(begin + lat) / 64 % RESULT_WORDS] |= BIT((begin + lat) % 64);
}
#endif
