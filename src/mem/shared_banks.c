/* Shared memory bank conflicts: how many LSU cycles an instruction takes. The whole warp is served at once; a bank
 * gives one word a cycle to any number of lanes, so a load or store costs the largest number of distinct words in one
 * bank (a conflict-free 64-bit access: 2 of 32 banks x 4 B). Atomics are read-modify-writes that serialise lane by lane
 * within a bank, unless shared.atomic_turns is off. */
#include "base/bits.h"
#include "mem/mem.h"

#define BANKS_MAX 64
#define WORDS_MAX                                                                                                      \
	(WARP_SIZE * 5) /* 16 B per lane in 4 B words; one more for an access that is not aligned to its words */

#define SLOTS 256 /* more than WORDS_MAX, so that a free one always ends a search */

/* Lane l at the first lane's address + l * step. */
static bool regular(const struct dyninst *d, u64 step)
{
	u64 differs = 0;
	if (d->addr[1] != d->addr[0] + step) /* most others are told apart here */
		return false;
	for (u32 l = 0; l < WARP_SIZE; l++)
		differs |= d->addr[l] ^ (d->addr[0] + l * step);
	return !differs;
}

/* All lanes, at equal distances: the common case, in closed form; 0 = it is not. Either consecutive whole words, or one
 * word a lane: then lanes banks / g apart share a bank, g the largest power of two in the distance, and all their words
 * differ. */
static u32 regular_degree(const struct dyninst *d, u32 shift, u32 banks)
{
	u64 step = d->addr[1] - d->addr[0], in_word = bit_range(shift), words = step >> shift;
	if (d->mask != ~0u || step & in_word || !regular(d, step))
		return 0;
	if (step == d->bytes && !(d->addr[0] & in_word))
		return (u32)ceil_div(WARP_SIZE * words, banks);
	if ((d->addr[0] & in_word) + d->bytes > in_word + 1)
		return 0;
	return words ? (u32)ceil_div(WARP_SIZE * MIN(words & -words, banks), banks) : 1;
}

/* Words no further apart than there are banks are in different banks, or the same word: no conflict, whatever the
 * order. `row`: bytes of a word in every bank. */
static bool within_one_row(const struct dyninst *d, u64 row, u32 shift)
{
	u64 first = d->addr[bit_first(d->mask)], lo = first, hi = first;
	FOR_EACH_BIT(l, (u64)d->mask)
	{
		u64 a = d->addr[l];
		if (a + row - first > 2 * row)
			return false;
		lo = MIN(lo, a);
		hi = MAX(hi, a + d->bytes - 1);
	}
	return (hi >> shift) - (lo >> shift) < row >> shift;
}

/* The largest number of distinct words in one bank; a word that its bank serves already is a broadcast. Words are
 * looked up in a hash table: a list for each bank would be long just when there are conflicts. */
static u32 words_per_bank(const struct dyninst *d, u32 shift, u32 bank_mask)
{
	u8 count[BANKS_MAX] = {0}, slot[SLOTS] = {0}; /* slot: word + 1 */
	u64 word[WORDS_MAX];
	u32 n = 0, degree = 1, bytes = d->bytes;
	FOR_EACH_BIT(lane, (u64)d->mask)
	{
		u64 first = d->addr[lane] >> shift, last = (d->addr[lane] + bytes - 1) >> shift;
		for (u64 w = first; w <= last; w++) {
			u32 at = (u32)w * 0x9e3779b1u >> 24;
			while (slot[at] && word[slot[at] - 1u] != w)
				at = (at + 1) % SLOTS;
			if (slot[at])
				continue;
			word[n++] = w;
			slot[at] = (u8)n;
			u32 c = ++count[w & bank_mask];
			degree = MAX(degree, c);
		}
	}
	return degree;
}

static u32 lanes_per_bank(const struct dyninst *d, u32 shift, u32 bank_mask)
{
	u16 count[BANKS_MAX] = {0};
	u32 degree = 1;
	FOR_EACH_BIT(lane, (u64)d->mask)
	{
		u64 first = d->addr[lane] >> shift, last = (d->addr[lane] + d->bytes - 1) >> shift;
		for (u64 w = first; w <= last; w++) {
			u32 c = ++count[w & bank_mask];
			degree = MAX(degree, c);
		}
	}
	return degree;
}

u32 mem_shared_degree(const struct conf *c, const struct dyninst *d)
{
	u32 shift = log2_floor(c->shared_bank_bytes), bank_mask = c->shared_banks - 1;
	if (!d->mask)
		return 1;
	if (d->atomic && c->shared_atomic_turns)
		return lanes_per_bank(d, shift, bank_mask);
	u32 closed = regular_degree(d, shift, c->shared_banks);
	if (closed)
		return closed;
	if (d->bytes <= c->shared_bank_bytes && within_one_row(d, (u64)c->shared_banks << shift, shift))
		return 1;
	return words_per_bank(d, shift, bank_mask);
}
