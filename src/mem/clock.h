/* clock: exact conversion between core cycles and the cycles of another clock domain.
 *
 * The clocks of the configuration (MHz) become a fraction of whole kHz in lowest terms, so conversions are integer
 * arithmetic and never drift: cycle d of a domain falls into core cycle ceil(d * core / domain). Products stay below
 * 2^64 for 10^12 core cycles at the worst ratio; with equal clocks a conversion costs one test. */
#ifndef MEM_CLOCK_H
#define MEM_CLOCK_H
#include "base/base.h"

struct clock {
	u64 num, den;       /* domain cycles = core cycles * num / den */
	u64 by_num, by_den; /* 2^64 / num and / den, rounded down: division as a multiplication */
	bool same;
};
struct clock clock_make(double core_mhz, double domain_mhz);
/* x / d with reciprocal r; the estimate is at most one too low. */
static inline u64 clock_div(u64 x, u64 d, u64 r)
{
	u64 q = (u64)((unsigned __int128)x * r >> 64);
	return q + (x - q * d >= d);
}
/* The first domain cycle at or after core cycle t. */
static inline u64 clock_up(const struct clock *k, u64 t)
{
	return k->same ? t : clock_div(t * k->num + k->den - 1, k->den, k->by_den);
}
/* The last domain cycle at or before core cycle t. */
static inline u64 clock_down(const struct clock *k, u64 t)
{
	return k->same ? t : clock_div(t * k->num, k->den, k->by_den);
}
/* The core cycle that domain cycle d falls into (the first one at or after it). */
static inline u64 clock_core(const struct clock *k, u64 d)
{
	return k->same ? d : clock_div(d * k->den + k->num - 1, k->num, k->by_num);
}
#endif
