/* bits: small helpers on 64-bit masks, the currency of warp readiness. */
#ifndef BASE_BITS_H
#define BASE_BITS_H
#include <string.h>

#include "base/base.h"

/* Warp slots of an SM, at most: a set of them is a u64. */
#define WARP_SLOTS 64

#define BIT(n) (1ull << (n))
static inline u32 bit_first(u64 m)
{
	return (u32)__builtin_ctzll(m);
} /* m != 0 */
static inline u32 bit_count(u64 m)
{
	return (u32)__builtin_popcountll(m);
}
static inline u32 bit_count32(u32 m)
{
	if (likely(m == UINT32_MAX))
		return 32; /* a full warp */
#ifdef __POPCNT__
	return (u32)__builtin_popcount(m);
#else /* else it were a call of a library */
	m -= m >> 1 & 0x55555555;
	m = (m & 0x33333333) + (m >> 2 & 0x33333333);
	return ((m + (m >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
#endif
}
static inline u64 bit_range(u32 n)
{
	return n >= 64 ? ~0ull : BIT(n) - 1;
} /* the n lowest bits */
/* The first set bit at or after `from`, wrapping round: the step of every round robin. m != 0, from < 64. */
static inline u32 bit_next_rr(u64 m, u32 from)
{
	u64 hi = m & ~bit_range(from);
	return bit_first(hi ? hi : m);
}
static inline u32 log2_floor(u64 x)
{
	return x ? 63u - (u32)__builtin_clzll(x) : 0;
}
static inline bool is_pow2(u64 x)
{
	return x && !(x & (x - 1));
}
static inline u64 round_up(u64 x, u64 unit)
{
	return unit ? (x + unit - 1) / unit * unit : x;
}
static inline u64 ceil_div(u64 x, u64 d)
{
	return (x + d - 1) / d;
}
/* Are n bytes zero? */
static inline bool all_zero(const void *p, size_t n)
{
	const u8 *b = p;
	return !n || (!b[0] && !memcmp(b, b + 1, n - 1));
}
/* for (each set bit i of m) */
#define FOR_EACH_BIT(i, m)                                                                                             \
	for (u64 m_##i = (m), i = m_##i ? bit_first(m_##i) : 0; m_##i; m_##i &= m_##i - 1, i = m_##i ? bit_first(m_##i) : 0)
/* Sets or clears the bits [from, to) of a map, the lowest of a byte first. */
static inline void bits_put(u8 *map, u64 from, u64 to, bool on)
{
	for (u64 b = from; b < to; b++)
		if (b % 8 == 0 && to - b >= 8) {
			memset(map + b / 8, on ? 0xff : 0, (to - b) / 8);
			b += (to - b) / 8 * 8 - 1;
		} else {
			map[b / 8] = (u8)((map[b / 8] & ~(1 << b % 8)) | (int)on << b % 8);
		}
}
#endif
