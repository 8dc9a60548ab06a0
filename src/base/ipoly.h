/* ipoly: pseudo-random interleaving by polynomial division (Rau, "Pseudo-randomly interleaved memory", ISCA 1991). A
 * number is read as a polynomial over GF(2), and its remainder by a primitive one of degree n is one of 2^n places.
 * Numbers of which only the lowest n bits differ go to different places, and so do any 2^n that lie a power of two
 * apart. */
#ifndef BASE_IPOLY_H
#define BASE_IPOLY_H
#include "base/bits.h"

#define IPOLY_MAX 10 /* bits of a place, at most */
struct ipoly {
	u32 bits;
	u64 of[IPOLY_MAX]; /* which bits of the number a bit of the remainder is the XOR of */
};

/* bits: 1..IPOLY_MAX. */
static inline struct ipoly ipoly_make(u32 bits)
{
	static const u32 primitive[IPOLY_MAX + 1] = {0, 3, 7, 11, 19, 37, 67, 131, 285, 529, 1033};
	struct ipoly p = {.bits = bits};
	u32 power = 1; /* x^i modulo the polynomial */
	for (u32 i = 0; i < 64; i++) {
		for (u32 k = 0; k < bits; k++)
			p.of[k] |= (u64)(power >> k & 1) << i;
		power <<= 1;
		if (power >> bits)
			power ^= primitive[bits];
	}
	return p;
}
static inline u32 ipoly_place(const struct ipoly *p, u64 x)
{
	u32 r = 0;
	for (u32 k = 0; k < p->bits; k++)
		r |= (bit_count(x & p->of[k]) & 1) << k;
	return r;
}
#endif
