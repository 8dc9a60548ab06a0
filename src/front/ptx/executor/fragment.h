/* fragment: which element of a matrix a lane's register holds (PTX ISA, mma.sync and wmma). */
#ifndef FRONT_PTX_EXECUTOR_FRAGMENT_H
#define FRONT_PTX_EXECUTOR_FRAGMENT_H
#include "ir/wide.h"

struct element {
	u32 row, col;
};
/* Elements in a register: 1 for 32 and 64 bits, 2 for 16, ... */
static inline u32 elements_per_register(u8 type)
{
	return mma_type_bits[type] >= 32 ? 1 : 32 / mma_type_bits[type];
}

/* m16n8 and m8n8: element j of register r of a lane. A of mma.sp is counted by the columns it stores. */
static inline struct element element_of_a(u32 lane, u32 r, u32 j, u32 e, bool tall)
{
	const u32 g = lane >> 2, t = lane & 3;
	return tall ? (struct element){g + 8 * (r & 1), t * e + j + 4 * e * (r >> 1)}
	            : (struct element){g, t * e + j + 4 * e * r};
}
static inline struct element element_of_b(u32 lane, u32 r, u32 j, u32 e)
{
	return (struct element){(lane & 3) * e + j + 4 * e * r, lane >> 2};
}
static inline struct element element_of_c(u32 lane, u32 r, u32 j, u32 e)
{
	const u32 i = r * e + j;
	return (struct element){(lane >> 2) + 8 * (i >> 1), 2 * (lane & 3) + (i & 1)};
}
/* Element j of register r of a lane's fragment. A wmma is made of m16n8 (m8n32: m8n8) blocks, whose registers follow
 * each other; f16 fragments of A and B hold each element as often as they have room for. */
static inline struct element element_at(const struct mma_shape *m, enum mma_matrix which, u32 lane, u32 r, u32 j)
{
	const u8 type = which == MM_A ? m->a : which == MM_B ? m->b : which == MM_C ? m->c : m->d;
	const u32 e = elements_per_register(type), bits = mma_type_bits[type], per = bits == 64 ? 64 * 32 : 32 * 32;
	const u32 high = MIN(m->m, 16), k = which == MM_A ? (u32)m->k >> m->sparse : m->k;
	const u32 one = (which == MM_A ? high * k : which == MM_B ? 8 * k : high * 8) * bits / per; /* of a block */
	const u32 all = (which == MM_A ? m->m * k : which == MM_B ? m->n * k : (u32)m->m * m->n) * bits / per;
	const u32 block = r % all / one, i = r % one;
	struct element at = which == MM_A   ? element_of_a(lane, i, j, e, high == 16)
	                    : which == MM_B ? element_of_b(lane, i, j, e)
	                                    : element_of_c(lane, i, j, e);
	if (which == MM_B || (which != MM_A && m->n > 8))
		at.col += 8 * block;
	else
		at.row += 16 * block;
	return at;
}

/* f16 m8n8k4: four products of their own, of the lanes 4q to 4q+3 and 16+4q to 16+4q+3. i: element, of all registers.
 */
static inline struct element element_of_quad_a(u32 lane, u32 i, bool col)
{
	const u32 h = lane >> 4;
	return col ? (struct element){(i & 3) + 4 * h, lane & 3} : (struct element){(lane & 3) + 4 * h, i};
}
static inline struct element element_of_quad_b(u32 lane, u32 i, bool row)
{
	const u32 h = lane >> 4;
	return row ? (struct element){lane & 3, i + 4 * h} : (struct element){i, (lane & 3) + 4 * h};
}
static inline struct element element_of_quad_c(u32 lane, u32 i, bool f32)
{
	const u32 h = lane >> 4;
	return f32 ? (struct element){(lane & 1) + (i & 2) + 4 * h, (i & 4) + (lane & 2) + (i & 1)}
	           : (struct element){(lane & 3) + 4 * h, i};
}
#endif
