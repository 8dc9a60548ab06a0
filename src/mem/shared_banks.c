/* Shared memory bank conflicts: how many LSU cycles an instruction takes. The whole warp is served at once; a bank
 * gives one word a cycle to any number of lanes, so a load or store costs the largest number of distinct words in one
 * bank (a conflict-free 64-bit access: 2 of 32 banks x 4 B). Atomics are read-modify-writes that serialise lane by lane
 * within a bank. */
#include "base/bits.h"
#include "mem/mem.h"

#include <string.h>

#define BANKS_MAX 64
#define WORDS_MAX                                                                                                      \
	(WARP_SIZE * 5) /* 16 B per lane in 4 B words; one more for an access that is not aligned to its words */

struct bank_set {
	u8 count[BANKS_MAX]; /* distinct words (atomics: lanes) per bank */
	u8 head[BANKS_MAX];  /* newest entry of the bank's list, +1 */
	u64 word[WORDS_MAX];
	u8 next[WORDS_MAX];
	u32 n, degree;
};

static void count_access(struct bank_set *b, u32 bank)
{
	if (++b->count[bank] > b->degree)
		b->degree = b->count[bank];
}

/* A word the bank serves already is a broadcast. */
static void add_word(struct bank_set *b, u32 bank, u64 word)
{
	for (u32 i = b->head[bank]; i; i = b->next[i - 1])
		if (b->word[i - 1] == word)
			return;
	b->word[b->n] = word;
	b->next[b->n] = b->head[bank];
	b->head[bank] = (u8)++b->n;
	count_access(b, bank);
}

/* All lanes one after the other, or all at the same place: the common cases, in closed form. */
static bool regular(const struct dyninst *d, u64 step)
{
	u64 differs = 0;
	for (u32 l = 0; l < WARP_SIZE; l++)
		differs |= d->addr[l] ^ (d->addr[0] + l * step);
	return !differs;
}

/* Words no further apart than there are banks are in different banks, or the same word: no conflict, whatever the order. */
static bool within_one_row(const struct dyninst *d, u32 banks, u32 shift)
{
	u64 lo = UINT64_MAX, hi = 0;
	for (u32 l = 0; l < WARP_SIZE; l++) {
		bool on = d->mask >> l & 1;
		lo = MIN(lo, on ? d->addr[l] : UINT64_MAX);
		hi = MAX(hi, on ? d->addr[l] : 0);
	}
	return (hi >> shift) - (lo >> shift) < banks;
}

u32 mem_shared_degree(const struct conf *c, const struct dyninst *d)
{
	if (d->mask == ~0u && !d->atomic && d->bytes == 4 && c->shared_banks == 32 && (regular(d, 4) || regular(d, 0)))
		return 1;
	if (!d->atomic && d->bytes <= c->shared_bank_bytes && within_one_row(d, c->shared_banks, log2_floor(c->shared_bank_bytes)))
		return 1;
	struct bank_set b;
	memset(b.count, 0, sizeof(b.count));
	memset(b.head, 0, sizeof(b.head));
	b.n = b.degree = 0;
	u32 shift = log2_floor(c->shared_bank_bytes), bank_mask = c->shared_banks - 1;
	FOR_EACH_BIT(lane, (u64)d->mask)
	{
		u64 first = d->addr[lane] >> shift, last = (d->addr[lane] + d->bytes - 1) >> shift;
		for (u64 w = first; w <= last; w++)
			if (d->atomic)
				count_access(&b, (u32)w & bank_mask);
			else
				add_word(&b, (u32)w & bank_mask, w);
	}
	return MAX(b.degree, 1);
}
