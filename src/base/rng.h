/* rng: splitmix64, the one source of seeded randomness (Steele, Lea, Flood, OOPSLA 2014). */
#ifndef BASE_RNG_H
#define BASE_RNG_H
#include "base/base.h"
static inline u64 rng_next(u64 *state)
{
	u64 z = (*state += 0x9e3779b97f4a7c15ull);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}
/* uniform in [0, 1) with 24 bits, exact in float */
static inline float rng_f32(u64 *state)
{
	return (float)(rng_next(state) >> 40) * 0x1p-24f;
}
static inline double rng_f64(u64 *state)
{
	return (double)(rng_next(state) >> 11) * 0x1p-53;
}
#endif
