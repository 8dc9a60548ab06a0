/* map: from an address to channel, slice, bank and row. The unit of interleaving is a chunk of 256 B:
 *
 *   chunk number = address / 256        channel = chunk mod partitions, the rest = chunk / partitions
 *   slice of the channel = rest mod slices (two slices: the low bank bit)
 *   rest, from the low bits up: one bank bit, columns within the row, the other bank bits, row
 *
 * which is GPGPU-Sim's RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS for a chip of 6 channels. When the number of partitions is a
 * power of two the chunk's channel bits are XORed with all higher ones, as such machines do, so that power-of-two
 * strides do not all fall on one channel. */
#ifndef MEM_DRAM_MAP_H
#define MEM_DRAM_MAP_H
#include "base/base.h"
#include "base/bits.h"
#include "conf/conf.h"

#define MAP_CHUNK_SHIFT 8
#define MAP_CHUNK (1u << MAP_CHUNK_SHIFT)

struct mem_map {
	u32 partitions, slices; /* slices per partition */
	u32 lines_shift;        /* log2 of L2 lines per chunk */
	u32 line_shift;
	u32 low_bank, col_bits, bank_bits; /* bits of each field of the rest; bank_bits without the low one */
	u32 hash_bits;                     /* of the channel number when it is XORed; 0 = division */
	u64 by_partitions, by_slices;      /* reciprocals for map_div */
};
struct mem_place {
	u32 channel, slice; /* slice: over all partitions */
	u64 rest;
};
/* x / d for x < 2^56 and d < 2^8 (or d = 1, by = 0), with by = 2^64 / d rounded up: the error of the product is below
 * x * d / 2^64 < 1 / d. */
static inline u64 map_div(u64 x, u64 by)
{
	return by ? (u64)((unsigned __int128)x * by >> 64) : x;
}
struct mem_map map_make(const struct conf *c);
/* XOR of all groups of `bits` bits. */
static inline u64 map_fold(u64 x, u32 bits)
{
	u64 r = 0;
	for (; x; x >>= bits)
		r ^= x;
	return r & bit_range(bits);
}

static inline struct mem_place map_place(const struct mem_map *m, u64 addr)
{
	u64 chunk = addr >> MAP_CHUNK_SHIFT;
	struct mem_place p;
	if (m->hash_bits) {
		p.channel = (u32)map_fold(chunk, m->hash_bits);
		p.rest = chunk >> m->hash_bits;
	} else {
		p.rest = map_div(chunk, m->by_partitions);
		p.channel = (u32)(chunk - p.rest * m->partitions);
	}
	p.slice = p.channel * m->slices + (u32)(p.rest - map_div(p.rest, m->by_slices) * m->slices);
	return p;
}
/* Line number within the slice: consecutive for the lines that a slice holds. */
static inline u64 map_slice_line(const struct mem_map *m, const struct mem_place *p, u64 addr)
{
	u64 chunk = map_div(p->rest, m->by_slices);
	return chunk << m->lines_shift | (addr & (MAP_CHUNK - 1)) >> m->line_shift;
}
static inline void map_bank(const struct mem_map *m, u64 rest, u32 *bank, u64 *row)
{
	u32 low = (u32)(rest & bit_range(m->low_bank));
	u64 high = rest >> m->low_bank >> m->col_bits;
	*bank = (u32)(high & bit_range(m->bank_bits)) << m->low_bank | low;
	*row = high >> m->bank_bits;
}
#endif
