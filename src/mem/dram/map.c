#include "mem/dram/map.h"

static u64 reciprocal(u32 d)
{
	return d == 1 ? 0 : UINT64_MAX / d + 1;
}

struct mem_map map_make(const struct conf *c)
{
	struct mem_map m = {.partitions = c->partitions, .slices = c->l2_slices};
	m.by_partitions = reciprocal(m.partitions);
	m.by_slices = reciprocal(m.slices);
	if (m.partitions > 1 && is_pow2(m.partitions))
		m.hash_bits = log2_floor(m.partitions);
	m.line_shift = log2_floor(c->l2_line);
	m.lines_shift = MAP_CHUNK_SHIFT - m.line_shift;
	m.low_bank = c->dram_banks > 1;
	m.bank_bits = log2_floor(c->dram_banks) - m.low_bank;
	m.col_bits = log2_floor(c->dram_row) - MAP_CHUNK_SHIFT;
	return m;
}
