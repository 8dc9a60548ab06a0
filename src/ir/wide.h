/* wide: instructions that name more registers than struct inst has room for (mma, wmma.load, wmma.store, wmma.mma), and
 * what a tensor instruction multiplies. Their operands are here alone: d[] and s[] of struct inst are empty. */
#ifndef IR_WIDE_H
#define IR_WIDE_H
#include "ir/ir.h"

#define WIDE_DST 8  /* C and D of m8n8k4, accumulators of wmma */
#define WIDE_SRC 26 /* A, B and C of wmma with 8 registers each; wmma.store: address, stride */

/* Elements of a matrix. */
enum mma_type {
	MT_NONE,
	MT_F16,
	MT_BF16,
	MT_TF32,
	MT_F32,
	MT_F64,
	MT_E4M3,
	MT_E5M2,
	MT_S8,
	MT_U8,
	MT_S4,
	MT_U4,
	MT_B1,
	MT_S32,
	MT_COUNT
};
extern const u8 mma_type_bits[MT_COUNT];
extern const char *const mma_type_names[MT_COUNT]; /* "f16", ... */

/* Which matrix a wmma.load or wmma.store moves. */
enum mma_matrix { MM_A, MM_B, MM_C, MM_D };

/* D = A x B + C: A has m x k elements, B k x n. */
struct mma_shape {
	u16 m, n, k;
	u8 a, b, c, d;     /* enum mma_type */
	bool wmma;         /* fragments are those of wmma */
	bool a_col, b_row; /* layouts that are not row-major A and column-major B */
	bool c_col;        /* wmma.load of C, wmma.store: column-major */
	bool sparse;       /* mma.sp: A is stored with half of its columns; the metadata are the last source */
	u8 selector;       /* mma.sp: the lanes of a quad that give metadata */
	bool sat;          /* .satfinite: integers stop at the ends of s32 */
	bool b1_and;       /* .and.popc, else .xor.popc */
	u8 round;          /* f64: enum rounding */
	u8 matrix;         /* wmma.load, wmma.store: enum mma_matrix */
	u8 part, parts;    /* wmma.load, wmma.store: an instruction moves 16 bytes a lane; this is one of several */
};

struct wide {
	struct mma_shape shape;
	u8 nd, ns;
	u8 first;      /* wmma.load: registers before those of this part */
	u8 need_sm;    /* the first target that has the instruction: 70, 75, ... */
	u8 na, nb, nc; /* mma: registers of A, B and C; sources are in this order */
	opnd d[WIDE_DST], s[WIDE_SRC];
	u16 sb_dst[WIDE_DST], sb_src[WIDE_SRC + 1];
	u8 dst_reg[WIDE_DST], src_reg[WIDE_SRC + 1];
	u8 reads[WIDE_SRC];
};

/* An instruction's destinations and sources, whether it is wide or not. The arrays may hold OPND_NONE. */
static inline u32 inst_ndst(const struct inst *in)
{
	return unlikely(in->wide != NULL) ? in->wide->nd : ARRAY_LEN(in->d);
}
static inline u32 inst_nsrc(const struct inst *in)
{
	return unlikely(in->wide != NULL) ? in->wide->ns : ARRAY_LEN(in->s);
}
static inline opnd inst_dst(const struct inst *in, u32 k)
{
	return unlikely(in->wide != NULL) ? in->wide->d[k] : in->d[k];
}
static inline opnd inst_src(const struct inst *in, u32 k)
{
	return unlikely(in->wide != NULL) ? in->wide->s[k] : in->s[k];
}
/* Scoreboard ids: n_sb_dst and n_sb_src of them; n_reads registers of banks. */
static inline const u16 *inst_sb_dst(const struct inst *in)
{
	return unlikely(in->wide != NULL) ? in->wide->sb_dst : in->sb_dst;
}
static inline const u16 *inst_sb_src(const struct inst *in)
{
	return unlikely(in->wide != NULL) ? in->wide->sb_src : in->sb_src;
}
static inline const u8 *inst_dst_reg(const struct inst *in)
{
	return unlikely(in->wide != NULL) ? in->wide->dst_reg : in->dst_reg;
}
static inline const u8 *inst_src_reg(const struct inst *in)
{
	return unlikely(in->wide != NULL) ? in->wide->src_reg : in->src_reg;
}
static inline const u8 *inst_reads(const struct inst *in)
{
	return unlikely(in->wide != NULL) ? in->wide->reads : in->reads;
}

/* Multiply-adds of the shape; those of mma.sp count as if A were dense. */
static inline u32 mma_macs(const struct mma_shape *m)
{
	return (u32)m->m * m->n * m->k;
}
/* Multiply-adds that a tensor unit does for it: of mma.sp half, as those with the zeros of A take no time. */
static inline u32 mma_macs_done(const struct mma_shape *m)
{
	return mma_macs(m) >> m->sparse;
}

/* Types of an mma that a tensor unit does at one rate. In the order of macs_ in counters.def. */
enum tensor_class { TC_F16, TC_F16_F32, TC_BF16, TC_TF32, TC_F64, TC_FP8, TC_INT8, TC_INT4, TC_B1, TC_COUNT };
extern const char *const tensor_class_names[TC_COUNT]; /* "f16", "f16_f32", "bf16", "tf32", "f64", "fp8", ... */
enum tensor_class tensor_class_of(const struct mma_shape *m);
#endif
