/* video: what of a video instruction's text lies in inst.imm, written by the reader and read by the executor. */
#ifndef FRONT_PTX_EXECUTOR_VIDEO_H
#define FRONT_PTX_EXECUTOR_VIDEO_H
#include "base/bits.h"
#include "ir/ir.h"

/* Selectors have four bits an element, the lowest element's lowest. Of scalar instructions there is one element, an
 * enum video_part; of packed ones the place that it is taken from: 0..3 in a, 4..7 in b (of halves 0..1 and 2..3). */
enum video_part { PART_ALL, PART_B0, PART_B1, PART_B2, PART_B3, PART_H0, PART_H1 };
#define VIDEO_SEL_A 0  /* 16 bits */
#define VIDEO_SEL_B 16 /* 16 bits */
#define VIDEO_DEST 32  /* 4 bits: packed: the mask; scalar: enum video_part of the destination */
#define VIDEO_B_SIGNED BIT(36)
#define VIDEO_PO BIT(37) /* vmad: a * b + c + 1 */
#define VIDEO_NEG_A BIT(38)
#define VIDEO_NEG_B BIT(39)
#define VIDEO_NEG_C BIT(40)
#define VIDEO_SHIFT 41 /* 4 bits: vmad: 0, 7 or 15 */
static inline u32 video_field(const struct inst *in, u32 at, u32 bits)
{
	return (u32)((u64)in->imm >> at & (BIT(bits) - 1));
}
/* Elements of a packed instruction: 4 or 2; 1: scalar; 0: no video instruction. */
u32 video_elements(u8 op);
/* imm without selectors and a mask, with this type of b. */
u64 video_plain(u8 op, u8 b_type);
#endif
