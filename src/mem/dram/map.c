#include "mem/dram/map.h"

struct mem_map map_make(const struct conf *c)
{
	struct mem_map m = {.partitions = c->partitions, .slices = c->l2_slices};
	m.line_shift = log2_floor(c->l2_line);
	m.lines_shift = MAP_CHUNK_SHIFT - m.line_shift;
	m.low_bank = c->dram_banks > 1;
	m.bank_bits = log2_floor(c->dram_banks) - m.low_bank;
	m.col_bits = log2_floor(c->dram_row) - MAP_CHUNK_SHIFT;
	return m;
}

/* XOR of all groups of `bits` bits. */
static u64 fold(u64 x, u32 bits)
{
	u64 r = 0;
	for (; x; x >>= bits)
		r ^= x;
	return r & bit_range(bits);
}

struct mem_place map_place(const struct mem_map *m, u64 addr)
{
	u64 chunk = addr >> MAP_CHUNK_SHIFT;
	struct mem_place p;
	if (m->partitions == 1) {
		p.channel = 0;
		p.rest = chunk;
	} else if (is_pow2(m->partitions)) {
		u32 bits = log2_floor(m->partitions);
		p.channel = (u32)fold(chunk, bits);
		p.rest = chunk >> bits;
	} else {
		p.rest = chunk / m->partitions;
		p.channel = (u32)(chunk - p.rest * m->partitions);
	}
	p.slice = p.channel * m->slices + (m->slices == 1 ? 0 : (u32)(p.rest % m->slices));
	return p;
}

void map_bank(const struct mem_map *m, u64 rest, u32 *bank, u64 *row)
{
	u32 low = (u32)(rest & bit_range(m->low_bank));
	u64 high = rest >> m->low_bank >> m->col_bits;
	*bank = (u32)(high & bit_range(m->bank_bits)) << m->low_bank | low;
	*row = high >> m->bank_bits;
}
