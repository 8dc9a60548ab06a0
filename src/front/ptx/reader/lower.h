/* lower: a parsed instruction into a struct inst over virtual registers. Internal to front/ptx. */
#ifndef FRONT_PTX_READER_LOWER_H
#define FRONT_PTX_READER_LOWER_H
#include "front/ptx/reader/loader.h"

enum okind {
	A_NONE,
	A_REG,   /* index = virtual register, type */
	A_INT,   /* ival */
	A_FLT,   /* fval, exact_bytes, ival */
	A_SYM,   /* index = symbol, add, generic */
	A_FUNC,  /* index = function */
	A_PARAM, /* space, ival = offset, size, add */
	A_SREG,  /* index = enum sreg, ival = number of %envreg */
	A_SINK,  /* _ */
	A_VEC,   /* {..}: elems, nelems */
	A_ADDR,  /* [..]: base = A_REG, A_INT, A_SYM, A_PARAM, A_NAME with its fields; add; texture coordinates as elems */
	A_NAME,  /* texture, label or unknown: only the token */
};
struct operand {
	enum okind kind, base;
	struct token at;
	bool neg;         /* !operand */
	bool minus;       /* -register */
	struct token sel; /* .b0, .h10: a selector behind a register; p = NULL: none */
	bool generic;
	u8 exact_bytes;
	enum ptype type;
	enum space space;
	u32 index, size;
	u64 ival;
	s64 add;
	double fval;
	u32 elems, nelems; /* stmt.elem[elems .. elems + nelems) */
	enum okind pair;   /* a|b: A_REG or A_SINK, else A_NONE */
	u32 pair_index;
	enum ptype pair_type;
};

#define MODS_MAX 24
#define OPERANDS_MAX 8
#define ELEMS_MAX 40 /* mma: four operands of up to 8 registers */
struct opform;
struct stmt { /* one instruction */
	struct loader *ld;
	struct token op;
	struct token mod[MODS_MAX];
	u32 nmods;
	struct operand arg[OPERANDS_MAX];
	u32 nargs;
	struct operand elem[ELEMS_MAX];
	u32 nelems;
	const struct opform *form;
	enum ptype types[4];
	u32 ntypes;
	bool cache_hint; /* .L2::cache_hint: one operand more, ignored */
	bool has_mode;   /* .lo/.hi/.wide, .sync/.arrive/.red ... was there */
	bool sc;         /* fence.sc and the like */
	u8 level;        /* tex.level: one operand more; tex.grad: two */
	struct inst in;
};

/* Modifier groups: which words an opcode takes. */
enum {
	G_FTZ = 1 << 0,
	G_SAT = 1 << 1,
	G_ROUND = 1 << 2,
	G_APPROX = 1 << 3,
	G_CC = 1 << 4,
	G_NAN = 1 << 5,
	G_MUL = 1 << 6,
	G_CVT = 1 << 7,
	G_CMP = 1 << 8,
	G_SPACE = 1 << 9,
	G_MEM = 1 << 10,
	G_CACHE = 1 << 11,
	G_VEC = 1 << 12,
	G_RMW = 1 << 13,
	G_CVTA = 1 << 14,
	G_BFIND = 1 << 15,
	G_SHF = 1 << 16,
	G_PRMT = 1 << 17,
	G_SHFL = 1 << 18,
	G_VOTE = 1 << 19,
	G_MATCH = 1 << 20,
	G_SYNC = 1 << 21,
	G_BAR = 1 << 22,
	G_FENCE = 1 << 23,
	G_TESTP = 1 << 24,
	G_TEX = 1 << 25,
	G_UNI = 1 << 26,
	G_PREFETCH = 1 << 27,
	G_VIDEO = 1 << 28,
	G_TLD4 = 1 << 29,
	G_HALF = 1 << 30,
};
#define G_CLAMP (1ull << 31)
#define G_RELU (1ull << 32)
#define G_LOGIC (1ull << 33)
#define G_MASK (1ull << 34)
#define G_TENSOR (1ull << 35) /* reads its modifiers itself: lower_tensor.c */
#define G_VEC8 (1ull << 36)
#define G_CUBE (1ull << 37)

/* clang-format off */
/* How an opcode is lowered. `sig` describes operands for the generic case: destinations, '=', sources. A letter says
 * the width:
 *   t  the instruction's (first) type        x     its second type, or the first when there is one only
 *   w  as t, doubled under .wide             u     32 bits
 *   p  predicate                             T, X  as t, x; the register may be wider
 *   a  an address: 32 or 64 bits             i     integer constant that goes into inst.mode
 * and "|p" an optional second destination, '?' makes the letter behind it optional. */
/* clang-format on */
struct opform {
	const char *name;
	u8 op;
	const char *sig; /* NULL: lowered by `fn` alone */
	u64 groups;
	bool (*fn)(struct stmt *s); /* instead of, or (with sig) after the generic part */
};
const struct opform *opform_find(struct loader *ld, const struct token *name); /* NULL when unknown */
void opform_init(struct loader *ld);
bool modifiers_apply(struct stmt *s); /* fills s->in and s->types from s->mod */

/* "add.s64": opcode and modifiers as written, for messages. */
const char *stmt_name(const struct stmt *s, char buf[96]);
#define NAME(s) stmt_name((s), (char[96]){0})

/* --- operand.c --- */
bool parse_operand(struct stmt *s, struct operand *o);
bool parse_operands(struct stmt *s); /* up to the ';' */

/* --- lower.c: operands of a given width to opnd; all return false with an error --- */
enum width { W_EXACT, W_MAY_BE_WIDER };
bool want_args(struct stmt *s, u32 min, u32 max);
bool lower_dst(struct stmt *s, const struct operand *o, enum ptype t, enum width w, opnd *out);
bool lower_src(struct stmt *s, const struct operand *o, enum ptype t, enum width w, opnd *out);
bool lower_pred_src(struct stmt *s, const struct operand *o, opnd *out); /* !p sets IF_NEG_PRED */
bool lower_generic(struct stmt *s);
/* The halves of a 128-bit register, low one first, as operands of 64 bits; a sink is two. */
bool split_128(struct stmt *s, const struct operand *o, struct operand half[2]);
/* Appends an instruction with the statement's line and place; returns its pc. */
u32 emit(struct stmt *s, const struct inst *in);
struct inst inst_init(enum opcode op, enum ptype type);
u8 class_of(const struct inst *in);

/* --- lower_mem.c, lower_flow.c, lower_misc.c: opcodes with operands of their own --- */
bool lower_address(struct stmt *s, const struct operand *o);
/* Emits an instruction with an address; `last`: no other one follows that has the same address. */
bool emit_access(struct stmt *s, bool last);
bool lower_ld(struct stmt *s);
bool lower_st(struct stmt *s);
bool lower_atom(struct stmt *s);
bool lower_atom_vector(struct stmt *s); /* lower_atom_vector.c; emits itself */
bool lower_prefetch(struct stmt *s);
bool lower_tex(struct stmt *s);
bool lower_texture(struct stmt *s, const struct operand *o); /* a texture reference, or a texture object's handle */
bool lower_query(struct stmt *s);                            /* lower_query.c; these emit themselves */
bool lower_istypep(struct stmt *s);
bool lower_surface(struct stmt *s);
bool lower_surface_reduce(struct stmt *s);                /* lower_surface.c */
bool video_word(struct stmt *s, const struct token *t);   /* a modifier that only vmad has; lower_video.c */
bool surface_word(struct stmt *s, const struct token *t); /* a modifier that only suld and sust have */
bool lower_cp(struct stmt *s);                            /* lower_copy.c; emits itself */
bool lower_createpolicy(struct stmt *s);                  /* lower_hints.c; these emit themselves */
bool lower_cache_line(struct stmt *s);
bool lower_fence(struct stmt *s);
bool lower_griddep(struct stmt *s);
bool lower_prefetch_any(struct stmt *s);
bool lower_mbarrier(struct stmt *s); /* lower_mbarrier.c; these emit themselves */
bool lower_copy_arrive(struct stmt *s);
bool lower_mma(struct stmt *s); /* lower_tensor.c; these emit themselves */
bool lower_wmma(struct stmt *s);
bool lower_ldmatrix(struct stmt *s);
bool lower_stmatrix(struct stmt *s);
bool lower_movmatrix(struct stmt *s);
bool lower_mov(struct stmt *s);
bool lower_mul(struct stmt *s);
bool lower_cvt(struct stmt *s);
bool lower_relu(struct stmt *s);
bool lower_cvta(struct stmt *s);
bool lower_alloca(struct stmt *s); /* lower_stack.c */
bool lower_stacksave(struct stmt *s);
bool lower_stackrestore(struct stmt *s);
bool lower_shfl(struct stmt *s);
bool lower_vote(struct stmt *s);
bool lower_match(struct stmt *s);
bool lower_video(struct stmt *s);
bool lower_carry(struct stmt *s);
bool lower_bar(struct stmt *s);
bool lower_membar(struct stmt *s);
bool lower_ret(struct stmt *s);
bool parse_bra(struct stmt *s);
bool parse_brx(struct stmt *s);
bool parse_call(struct stmt *s);
#endif
