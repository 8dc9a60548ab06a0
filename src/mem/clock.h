/* clock: exact conversion between core cycles and the cycles of another clock domain.
 *
 * The clocks of the configuration (MHz) become a fraction of whole kHz in lowest terms, so conversions are integer arithmetic
 * and never drift: cycle d of a domain falls into core cycle ceil(d * core / domain). Products stay below 2^64 for 10^12
 * core cycles at the worst ratio; with equal clocks a conversion costs one test. */
#ifndef MEM_CLOCK_H
#define MEM_CLOCK_H
#include "base/base.h"

struct clock {
	u64 num, den; /* domain cycles = core cycles * num / den */
	bool same;
};
struct clock clock_make(double core_mhz, double domain_mhz);
/* The first domain cycle at or after core cycle t. */
static inline u64 clock_up(const struct clock *k, u64 t)
{
	return likely(k->same) ? t : (t * k->num + k->den - 1) / k->den;
}
/* The last domain cycle at or before core cycle t. */
static inline u64 clock_down(const struct clock *k, u64 t) { return likely(k->same) ? t : t * k->num / k->den; }
/* The core cycle that domain cycle d falls into (the first one at or after it). */
static inline u64 clock_core(const struct clock *k, u64 d)
{
	return likely(k->same) ? d : (d * k->den + k->num - 1) / k->num;
}
#endif
