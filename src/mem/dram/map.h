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
};
struct mem_place {
	u32 channel, slice; /* slice: over all partitions */
	u64 rest;
};
struct mem_map map_make(const struct conf *c);
struct mem_place map_place(const struct mem_map *m, u64 addr);
/* Line number within the slice: consecutive for the lines that a slice holds. */
static inline u64 map_slice_line(const struct mem_map *m, const struct mem_place *p, u64 addr)
{
	u64 chunk = m->slices == 1 ? p->rest : p->rest / m->slices;
	return chunk << m->lines_shift | (addr & (MAP_CHUNK - 1)) >> m->line_shift;
}
void map_bank(const struct mem_map *m, u64 rest, u32 *bank, u64 *row);
#endif
