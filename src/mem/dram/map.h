/* map: from an address to channel, slice, bank and row. The unit of interleaving is a chunk of 256 B:
 *
 *   chunk number = address / 256        channel = chunk mod partitions, the rest = chunk / partitions
 *   slice of the channel = rest mod slices (two slices: the low bank bit)
 *   rest, from the low bits up: one bank bit, columns within the row, the other bank bits, row
 *
 * which is GPGPU-Sim's RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS for a chip of 6 channels. With map.slice_lines the lines of a
 * chunk go to the slices in turn, and the low bank bit is the one that chooses among two slices
 * (RRRRRRRR.RBBBCCCC.BCCSSSSS).
 *
 * When the number of partitions is a power of two, map.hash says what the chunk's channel bits become, so that
 * power-of-two strides do not all fall on one channel: the XOR with all higher ones (xor), or channel and slice
 * together the remainder of a division by a polynomial (ipoly, base/ipoly.h). */
#ifndef MEM_DRAM_MAP_H
#define MEM_DRAM_MAP_H
#include "base/base.h"
#include "base/bits.h"
#include "base/ipoly.h"
#include "conf/conf.h"

#define MAP_CHUNK_SHIFT 8
#define MAP_CHUNK (1u << MAP_CHUNK_SHIFT)

struct mem_map {
	u32 partitions, slices; /* slices per partition */
	bool special;           /* slice_bits or poly.bits: map_special() */
	u32 lines_shift;        /* log2 of L2 lines per chunk */
	u32 line_shift;
	u32 low_bank, col_bits, bank_bits; /* bits of each field of the rest; bank_bits without the low one */
	u32 hash_bits;                     /* of the channel number when it is XORed; 0 = division */
	u32 slice_bits;                    /* map.slice_lines: log2 of the slices, which share a chunk; 0 = a chunk each */
	u32 poly_bits;                     /* map.hash=ipoly: log2 of the partitions; poly.bits: of all slices */
	struct ipoly poly;
	u64 by_partitions, by_slices; /* reciprocals for map_div */
};
struct mem_place {
	u32 channel, slice; /* slice: over all partitions */
	u32 low;            /* low bank bit */
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

/* The places that are not found by division or XOR alone. */
__attribute__((cold)) struct mem_place map_special(const struct mem_map *m, u64 addr);
static inline struct mem_place map_place(const struct mem_map *m, u64 addr)
{
	u64 chunk = addr >> MAP_CHUNK_SHIFT;
	struct mem_place p;
	if (unlikely(m->special))
		return map_special(m, addr);
	if (m->hash_bits) {
		p.channel = (u32)map_fold(chunk, m->hash_bits);
		p.rest = chunk >> m->hash_bits;
	} else {
		p.rest = map_div(chunk, m->by_partitions);
		p.channel = (u32)(chunk - p.rest * m->partitions);
	}
	p.slice = p.channel * m->slices + (u32)(p.rest - map_div(p.rest, m->by_slices) * m->slices);
	p.low = (u32)(p.rest & bit_range(m->low_bank));
	return p;
}
/* Line number within the slice: consecutive for the lines that a slice holds. */
static inline u64 map_slice_line(const struct mem_map *m, const struct mem_place *p, u64 addr)
{
	if (m->slice_bits)
		return p->rest << (m->lines_shift - m->slice_bits) |
		       (addr & (MAP_CHUNK - 1)) >> (m->line_shift + m->slice_bits);
	u64 chunk = map_div(p->rest, m->by_slices);
	return chunk << m->lines_shift | (addr & (MAP_CHUNK - 1)) >> m->line_shift;
}
static inline void map_bank(const struct mem_map *m, const struct mem_place *p, u32 *bank, u64 *row)
{
	u64 high = p->rest >> (m->slice_bits ? 0 : m->low_bank) >> m->col_bits;
	*bank = (u32)(high & bit_range(m->bank_bits)) << m->low_bank | p->low;
	*row = high >> m->bank_bits;
}
#endif
