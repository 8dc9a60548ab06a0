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
	u32 all = m.partitions * m.slices;
	if (c->map_hash == MAP_IPOLY && is_pow2(all) && all > 1) {
		m.poly_bits = log2_floor(m.partitions);
		m.poly = ipoly_make(log2_floor(all));
	} else if (c->map_hash != MAP_NONE && m.partitions > 1 && is_pow2(m.partitions)) {
		m.hash_bits = log2_floor(m.partitions);
	}
	m.line_shift = log2_floor(c->l2_line);
	m.lines_shift = MAP_CHUNK_SHIFT - m.line_shift;
	m.low_bank = c->dram_banks > 1;
	m.bank_bits = log2_floor(c->dram_banks) - m.low_bank;
	m.col_bits = log2_floor(c->dram_row) - MAP_CHUNK_SHIFT;
	if (c->map_slice_lines && is_pow2(m.slices) && m.slices * c->l2_line <= MAP_CHUNK) {
		m.slice_bits = log2_floor(m.slices);
		m.col_bits += m.slice_bits && m.low_bank;
	}
	m.special = m.slice_bits || m.poly.bits;
	return m;
}

struct mem_place map_special(const struct mem_map *m, u64 addr)
{
	struct mem_map plain = *m;
	plain.special = false;
	struct mem_place p = map_place(&plain, addr);
	u32 slice = p.slice % m->slices;
	if (m->slice_bits)
		slice = (u32)(addr >> m->line_shift) & (m->slices - 1);
	p.slice = p.channel * m->slices + slice;
	if (m->poly.bits) {
		u64 high = p.rest >> (m->slice_bits ? 0 : m->poly.bits - m->poly_bits);
		p.slice = ipoly_place(&m->poly, high << m->poly.bits | p.slice);
		p.channel = p.slice / m->slices;
	}
	if (m->slices > 1)
		p.low = p.slice & (u32)bit_range(m->low_bank);
	return p;
}
