/* ir: what a loaded PTX module is - code, functions, symbols. Constant once loaded (the state lives elsewhere).
 *
 * All functions of a module share one code array; a pc is an index into it. Instruction i sits at byte address
 * module->code_base + 8*i for the instruction cache.
 *
 * Registers. The loader has already mapped PTX's virtual registers onto compact slots by liveness. A warp's registers
 * are a *frame*: bytes, addressed by an operand's offset.
 *
 *   frame:  [ predicates: one u32 lane mask each, padded to 128 B ][ slot 0: 32 x u32 ][ slot 1 ] ...
 *
 *   8-, 16- and 32-bit values   one slot: u32 per lane; bits above the value's width are unspecified (readers truncate)
 *   64-bit values               two slots: u64 per lane, contiguous (lane l at offset + 8*l), 128-byte aligned
 *   predicates                  bit l = lane l
 *
 * Immediates are broadcast vectors of the same shapes in module->pool (the bit OPND_POOL of an operand says so), so
 * that an execution function reads every source as "32 lanes at a pointer". */
#ifndef IR_IR_H
#define IR_IR_H
#include "base/base.h"

enum opcode {
#define O(id, name, rule, help) OP_##id,
#include "ir/opcodes.def"
#undef O
	OP_COUNT
};
struct opcode_desc {
	const char *name, *help;
};
extern const struct opcode_desc opcode_descs[OP_COUNT];

enum ptype {
	T_NONE,
	T_PRED,
	T_B8,
	T_B16,
	T_B32,
	T_B64,
	T_U8,
	T_U16,
	T_U32,
	T_U64,
	T_S8,
	T_S16,
	T_S32,
	T_S64,
	T_F16,
	T_F16X2,
	T_F32,
	T_F64,
	T_BF16,
	T_BF16X2,
	T_B128,
	T_U16X2,
	T_S16X2,
	T_TF32, /* as f32, of whose fraction the upper 10 bits count */
	T_E4M3X2,
	T_E5M2X2,
	T_COUNT
};
extern const u8 ptype_sizes[T_COUNT];
static inline u32 ptype_bytes(enum ptype t) /* T_PRED and T_NONE: 0 */
{
	return ptype_sizes[t];
}
const char *ptype_name(enum ptype t); /* "u32" */
bool ptype_is_float(enum ptype t);
bool ptype_is_signed(enum ptype t);

/* State space of a memory instruction. PARAM = kernel parameters (uniform, the launch's parameter buffer); FPARAM =
 * parameters and return values of device functions (per lane, see struct call_info). */
enum space {
	SPC_NONE,
	SPC_GENERIC,
	SPC_GLOBAL,
	SPC_SHARED,
	SPC_LOCAL,
	SPC_CONST,
	SPC_PARAM,
	SPC_FPARAM,
	SPC_TEX,
	SPC_COUNT
};
extern const char *const space_names[SPC_COUNT];

/* Timing classes: each has a latency and an initiation interval in the configuration and a unit it issues to. */
enum iclass {
	IC_INT_ADD,
	IC_INT_MAX,
	IC_INT_MUL,
	IC_INT_MAD,
	IC_INT_DIV,
	IC_INT_LOGIC, /* moves, selections, bits and shifts of any type; comparisons and conversions of integers */
	IC_SHFL,
	IC_F32_ADD,
	IC_F32_LOGIC, /* comparisons and conversions of f32 and narrower */
	IC_F32_MAX,
	IC_F32_MUL,
	IC_F32_MAD,
	IC_F32_DIV,
	IC_SFU,
	IC_F64_ADD,
	IC_F64_LOGIC, /* comparisons and conversions of f64 */
	IC_F64_MAX,
	IC_F64_MUL,
	IC_F64_MAD,
	IC_F64_DIV,
	IC_TENSOR, /* mma, wmma.mma */
	IC_CTRL,   /* branch, call, return, exit, barrier, fence: SP unit, no result register to wait for */
	IC_GLOBAL, /* loads and stores of global, local and generic space, prefetches */
	IC_ATOMIC, /* global or generic atomics and reductions */
	IC_SHARED, /* shared memory, atomics included */
	IC_CONST,  /* constant and parameter loads */
	IC_TEX,
	IC_COUNT
};
extern const char *const iclass_names[IC_COUNT]; /* "int_add", ... */

enum cmp {
	CMP_EQ,
	CMP_NE,
	CMP_LT,
	CMP_LE,
	CMP_GT,
	CMP_GE,
	CMP_LO,
	CMP_LS,
	CMP_HI,
	CMP_HS,
	CMP_EQU,
	CMP_NEU,
	CMP_LTU,
	CMP_LEU,
	CMP_GTU,
	CMP_GEU,
	CMP_NUM,
	CMP_NAN
};
enum boolop { BOOL_NONE, BOOL_AND, BOOL_OR, BOOL_XOR };
enum rounding { RND_NONE, RND_RN, RND_RZ, RND_RM, RND_RP, RND_RNI, RND_RZI, RND_RMI, RND_RPI, RND_RNA };
enum atom_op {
	ATOM_NONE,
	ATOM_ADD,
	ATOM_MIN,
	ATOM_MAX,
	ATOM_INC,
	ATOM_DEC,
	ATOM_AND,
	ATOM_OR,
	ATOM_XOR,
	ATOM_EXCH,
	ATOM_CAS,
	ATOM_MALLOC, /* the device heap's calls: see inst, atom */
	ATOM_FREE
};
enum mulmode { MUL_LO, MUL_HI, MUL_WIDE };
enum cacheop { CACHE_NONE, CACHE_CA, CACHE_CG, CACHE_CS, CACHE_LU, CACHE_CV, CACHE_WB, CACHE_WT }; /* of ld and st */
enum shflmode { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };
enum votemode { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum matchmode { MATCH_ANY, MATCH_ALL };
enum bramode { BRA_PLAIN, BRA_WAITS };
enum barmode { BAR_SYNC, BAR_ARRIVE, BAR_RED_POPC, BAR_RED_AND, BAR_RED_OR };
enum { FENCE_WAITS_NOT = 3 };
enum mbar_op {
	MBAR_INIT,
	MBAR_INVAL,
	MBAR_ARRIVE,
	MBAR_ARRIVE_DROP,
	MBAR_EXPECT_TX,
	MBAR_COMPLETE_TX,
	MBAR_TEST_WAIT,
	MBAR_TRY_WAIT
};
enum {                        /* inst, geom of mbarrier and cp.async.mbarrier.arrive */
	   MBAR_GENERIC = 1,      /* generic addresses */
	   MBAR_NO_COMPLETE = 2,  /* .noComplete: the arrival may not end the phase */
	   MBAR_EXPECT = 4,       /* .expect_tx before the arrival */
	   MBAR_PARITY = 8,       /* a wait for a parity, else for a state */
	   MBAR_NO_INCREMENT = 16 /* .noinc */
};
enum sreg {
	SR_TID_X,
	SR_TID_Y,
	SR_TID_Z,
	SR_NTID_X,
	SR_NTID_Y,
	SR_NTID_Z,
	SR_CTAID_X,
	SR_CTAID_Y,
	SR_CTAID_Z,
	SR_NCTAID_X,
	SR_NCTAID_Y,
	SR_NCTAID_Z,
	SR_LANEID,
	SR_WARPID,
	SR_NWARPID,
	SR_SMID,
	SR_NSMID,
	SR_GRIDID,
	SR_LANEMASK_EQ,
	SR_LANEMASK_LE,
	SR_LANEMASK_LT,
	SR_LANEMASK_GE,
	SR_LANEMASK_GT,
	SR_CLOCK,
	SR_CLOCK_HI,
	SR_CLOCK64,
	SR_GLOBALTIMER,
	SR_GLOBALTIMER_LO,
	SR_GLOBALTIMER_HI,
	SR_ENVREG,
	SR_DYNAMIC_SMEM_SIZE,
	SR_TOTAL_SMEM_SIZE,
	SR_COUNT
};
enum texgeom { TEX_1D, TEX_2D, TEX_3D, TEX_A1D, TEX_A2D, TEX_CUBE, TEX_ACUBE };
enum testp { TESTP_FINITE, TESTP_INFINITE, TESTP_NUMBER, TESTP_NOTANUMBER, TESTP_NORMAL, TESTP_SUBNORMAL };

/* Operand: byte offset into the frame, or (OPND_POOL set) into module->pool. */
typedef u32 opnd;
#define OPND_NONE 0xffffffffu /* absent, or the bit bucket `_` */
#define OPND_POOL 0x80000000u

/* Instruction flags. */
enum {
	IF_FTZ = 1 << 0,
	IF_SAT = 1 << 1,
	IF_APPROX = 1 << 2, /* .approx and .full */
	IF_CC_OUT = 1 << 3, /* writes the carry flag (.cc) */
	IF_CC_IN = 1 << 4,  /* reads it (addc, subc, madc) */
	IF_VOLATILE = 1 << 5,
	IF_NC = 1 << 6,        /* ld.global.nc: through the texture path's cache where a machine has one, else L1D */
	IF_NAN = 1 << 7,       /* min.NaN / max.NaN */
	IF_GUARD_NEG = 1 << 8, /* @!p */
	IF_UNI = 1 << 9,
	IF_CVTA_TO = 1 << 10,
	IF_SHIFTAMT = 1 << 11,
	IF_WRAP = 1 << 12,      /* shf.wrap (else clamp) */
	IF_RIGHT = 1 << 13,     /* shf.r (else l) */
	IF_SYNC = 1 << 14,      /* shfl.sync, vote.sync, match.sync: last source is the member mask */
	IF_INDIRECT = 1 << 15,  /* call through a register: s[0] = address of a function */
	IF_NEG_PRED = 1 << 16,  /* the predicate of setp, selp, mov, vote, bar.red is negated, of and, or, xor the first */
	IF_NEG_PRED2 = 1 << 22, /* and, or, xor of predicates: the second source is negated */
	IF_ACQREL = 1 << 17,    /* .acquire .release .acq_rel on ld, st, atom, red: ordering only */
	IF_RELAXED = 1 << 18,   /* .relaxed, .mmio, beside IF_VOLATILE */
	/* call of vprintf: s[0] = format address, s[1] = argument buffer address, d[0] = result or OPND_NONE */
	IF_VPRINTF = 1 << 19,
	IF_EXITS = 1 << 20,  /* ret in a kernel: the same as exit */
	IF_FOLDED = 1 << 21, /* add.s64 whose single-use mul.wide source is fused with it in machine code: no issue slot */
	/* cvt: the source or destination register has 64 bits, the type fewer (see wide registers below) */
	IF_WIDE_SRC = 1 << 23,
	IF_WIDE_DST = 1 << 24,
	IF_RELU = 1 << 25,      /* .relu: negative results become 0 */
	IF_SATFINITE = 1 << 26, /* cvt.satfinite: the largest finite value for what is beyond it */
	IF_ALIGNED = 1 << 27,   /* bar, barrier.aligned: all lanes of the warp at one instruction */
	IF_ASSERT =
	    1 << 28, /* trap of a failed assert(): s[0..3] = addresses of text and file, line, address of function */
	IF_UNSUPPORTED = 1 << 29, /* nop: stands for an instruction that is not supported, module->unsupported[imm] */
	IF_ACTIVATION = 1 << 30,  /* mov, cvta, ld, st: of a local variable that each call has anew, see struct func */
};

/* clang-format off */
/* One PTX instruction, lowered. Meaning of the fields per opcode (d = destinations, s = sources, in PTX's own order):
 *
 *   arithmetic   d[0], s[0..2]; type; stype for cvt, set, slct
 *   mov          d[0], s[0]; from a special register: sreg = enum sreg + 1 and no source
 *                unpack {a,b} = r: vec = n, d[0..n-1], s[0], type = the whole's type
 *                pack r = {a,b}:   vec = n, d[0], s[0..n-1], pack = 1
 *   min, max     mode 1 = .xorsign.abs: of the magnitudes, with the product's sign
 *   fma          mode 1, 2: the product or the addend is negated (passes/contract.h)
 *   mul, mad     mode = enum mulmode; type = source type (d is twice as wide for MUL_WIDE)
 *   setp         d[0] predicate, d[1] optional second predicate; s[0], s[1]; boolop with s[2] predicate. The second one
 *                is that of the complement, for f16x2 and bf16x2 that of the upper halves
 *   cvt          d[0], s[0]; a pair (type f16x2, bf16x2): s[0] gives the upper half, s[1] the lower one; mode 1 = .pack:
 *                s[0] above s[1], saturated to type, above them s[2] shifted up where there is one
 *   selp         d[0], s[0], s[1], s[2] predicate
 *   ld           d[0..vec-1]; s[0] = base address register or OPND_NONE; imm = byte offset (absolute without a base)
 *   st           s[0] = base as in ld; s[1..vec] = values
 *   atom, red    d[0] (atom); s[0] base, imm; s[1] = b, s[2] = c (cas); atom
 *                b128: d[0..1], s[1..2] = b, s[3..4] = c: halves, low one first; registers of 128 bits are two
 *                vectors (f32, f16x2, bf16x2): d[0..vec-1], s[1..vec] = b, cmp = first target
 *                ATOM_MALLOC (atom), ATOM_FREE (red): calls of malloc and free; no base, s[1] = size or address
 *   tex          d[0..3]; s[0..n-1] = coordinates, n by geom (a1d, a2d: s[0] = layer, as PTX lists them); tex = texture
 *                id, or (tex < 0) s[4] = register with a texture object's handle; type = result type,
 *                stype = coordinate type
 *   tld4         as tex, mode = channel; 2d, a2d, cube and acube
 *   txq          mode = enum texture_query, geom = kind; tex or s[4] as of tex
 *   suld, sust   the address of a surface access, which an ld or st of global memory follows: d[0] = address, d[1] =
 *                predicate (inside) under .zero; s[0..n-1] = coordinates as of tex, s[4] = handle, imm = bytes, cmp =
 *                0 trap, 1 clamp, 2 zero
 *   shfl         d[0], d[1] predicate or OPND_NONE; s[0] value, s[1] lane or offset, s[2] c operand,
 *                s[3] member mask (IF_SYNC)
 *   vote         d[0] (predicate or, for ballot, a register); s[0] predicate, s[1] member mask (IF_SYNC); IF_NEG_PRED
 *   match        d[0], d[1] predicate (all); s[0] value, s[1] member mask
 *   bar          mode = enum barmode; s[0] = barrier number, s[1] = thread count or OPND_NONE; red: d[0], s[2] predicate
 *   bra          target; reconv; mode = BRA_WAITS: backward, the end of a loop that waits (passes/spin.h)
 *   brx          s[0] index; table = index into module->tables
 *   call         func = index of the callee (or IF_INDIRECT, s[0] = address); call = index into module->calls
 *   prmt, bfi, lop3, shf, dp4a, vabsdiff4   d[0], s[0..3]; mode: prmt mode, lop3 table; lop3 with boolop:
 *                d[1] = (result is not 0) combined with predicate s[3]
 *   bmsk, szext  d[0], s[0], s[1]; IF_WRAP, else clamp
 *
 *   ld, st       also: mode = enum cacheop; other hints are dropped
 *   membar       mode = 0 cta, 1 gpu (gl, cluster), 2 sys, FENCE_WAITS_NOT: it orders proxies, and waits for nothing
 *   prefetch     mode = 1 L1, 2 L2
 *   redux        atom = operation; s[0] value, s[1] member mask
 *   ldmatrix     d[0..vec-1]; s[0] = base as in ld, of lane 8*k+i: of row i of matrix k; mode = 1 .trans; geom = 1: generic
 *                addresses
 *   stmatrix     s[0], mode and geom as of ldmatrix; s[1..vec] = values
 *   movmatrix    d[0], s[0]
 *   alloca       d[0] = address, d[1] = the stack's new end; s[0] = its end, s[1] = bytes, s[2] = the lowest it can be;
 *                imm = alignment; ends are offsets in local memory of 32 bits
 *   cp.async     s[0] = base of the source as in ld, s[1] = base of the destination, table = its offset; s[2] = source
 *                size or OPND_NONE, geom = 1: a predicate, ignore-src; pack = 1: s[1] has 64 bits; type and vec:
 *                what a lane copies
 *   cp.async.wait   imm = groups that may be under way
 *   mbarrier     mode = enum mbar_op; geom = set of MBAR_*; s[0] = base as in ld; s[1] = count, bytes, state or parity,
 *                s[2] = time limit in ns or OPND_NONE; d[0] = state, or the predicate of a wait; cmp = first target
 *   cp.async.mbarrier.arrive   s[0] = base as in ld, geom as of mbarrier
 *   mma, wmma.load, wmma.store   wide (ir/wide.h): mma and wmma.mma: registers of A, B, C, and metadata; load: s[0] base
 *                as in ld, s[1] stride or OPND_NONE; store: the same, then the registers
 *   v...         (video) type = result type, stype = type of a; mode = 1 add, 2 min, 3 max with s[2]; cmp of vset;
 *                IF_WRAP of vshl, vshr; imm: the type of b, selectors, negations (front/ptx/executor/video.h)
 *   carry        IF_CC_OUT: d[3], IF_CC_IN: s[4] = the carry flag, the last predicate word of the frame; clear after a
 *                borrow
 *
 * Wide registers. PTX lets ld, st and cvt use registers wider than their type: stores and conversions read the low bits,
 * loads and conversions extend to the register, by the sign if the type is signed. 8- to 32-bit types share one slot and
 * need nothing; ld and st of 64-bit registers have stype = T_B64, cvt has IF_WIDE_SRC, IF_WIDE_DST.
 *
 * Base addresses: [symbol+imm] of .global, .const and the dynamic shared array has a 64-bit base in the pool (filled
 * when placed); of .shared and .local variables imm is absolute (under IF_ACTIVATION: behind the activation's base). An
 * address in local memory names the same place in every function. The address of a function is code_base + 8*entry.
 *
 * A frame address of the form [reg+imm] keeps reg in s[0]; 32-bit base registers are allowed for shared, local, const
 * and param space (base_bytes says 4 or 8). */
/* clang-format on */
struct wide;
struct inst {
	u8 op;          /* enum opcode */
	u8 type, stype; /* enum ptype */
	u8 space;       /* enum space */
	u8 cls;         /* enum iclass */
	u8 cost;        /* issue slots under isa.issue_cost=sass; 0 = free */
	u8 vec;         /* 1, 2, 4 (ld, st, atom, red, mov pack/unpack) */
	u8 cmp, boolop, round, atom, mode;
	u8 sreg;       /* mov from a special register: enum sreg + 1; 0 = not one */
	u8 geom;       /* tex: enum texgeom */
	u8 base_bytes; /* width of the base address register: 4 or 8; 0 = none */
	u8 pack;
	u32 flags;
	opnd guard; /* predicate or OPND_NONE */
	opnd d[4];
	opnd s[5];
	s32 target; /* bra: pc of the label */
	s32 reconv; /* bra, brx, indirect divergence: pc of the immediate post-dominator; -1 = the function's exit */
	s32 func, call, table, tex;
	s64 imm;      /* byte offset of an address; for mov of a symbol: resolved into the pool instead */
	u32 line;     /* PTX source line, 1-based */
	u32 src_line; /* .loc: CUDA source line, 0 = unknown */
	u16 src_file; /* .loc: index into module->files */
	/* Scoreboard ids written and read (guard and predicates included); one id names one allocation slot: predicates
	 * 0..P-1, then register slots by their first slot. 64-bit values name their first slot only. The carry flag is an
	 * id too. */
	u16 sb_dst[5], sb_src[9];
	u8 n_sb_dst, n_sb_src;
	u8 dst_reg[5], src_reg[9]; /* of each id, the low bits of the number that its register had before allocation */
	/* Registers whose values go to a unit: sources without the guard, each once, by the low bits of the number that the
	 * register had before allocation. Register banks go by it, as in simulators that execute PTX. */
	u8 n_reads, reads[5];
	/* Execution function, resolved by front/ptx for the host's vector width; opaque here. */
	void (*exec)(void *ctx, const struct inst *in);
	struct wide *wide; /* operands of an instruction that has more than d[] and s[] hold; the module's (ir/wide.h) */
};
static inline bool inst_is_load(const struct inst *in)
{
	return in->op == OP_LD || in->op == OP_LDU || in->op == OP_LDMATRIX || in->op == OP_WMMA_LOAD ||
	       in->op == OP_CP_ASYNC;
}
static inline bool inst_is_store(const struct inst *in)
{
	return in->op == OP_ST || in->op == OP_WMMA_STORE || in->op == OP_STMATRIX;
}
#define SB_IDS_MAX 1024 /* scoreboard ids per function chain; more is a load error that names the kernel */

/* A variable of the module: .global, .const, .shared (static; or the dynamic extern array), .local. */
struct symbol {
	char *name;
	enum space space;
	u64 size; /* bytes; 0 for the dynamic shared array */
	u32 align;
	u64 addr; /* global, const: device address, filled when the module is placed; shared, local: offset */
	s32 func; /* owner for function-scope shared/local, -1 = module scope */
	u32 line;
	u8 *init;      /* size bytes or NULL (zero) */
	struct reloc { /* words of init that hold the address of another symbol or function */
		u64 at;
		u32 bytes;
		s32 sym, func;
		s64 add;
		bool generic; /* generic(sym) */
	} * relocs;
	u32 nrelocs;
};

struct param {
	char *name;
	enum ptype type; /* T_B8 with size > 1 for byte arrays (structs) */
	u32 offset, size, align;
	bool is_pointer; /* .ptr attribute */
};

/* Call: how arguments and results move. Function parameters live in a per-warp stack of FPARAM bytes, lane-interleaved
 * by 32-bit word (word w of lane l at (w*32 + l)*4). A function sees, from its own base: [0, in_bytes) its parameters,
 * [in_bytes, in_bytes+ret_bytes) its return values, then the .param variables it declares for calls. */
struct call_info {
	struct call_move {
		u32 from, to, bytes;
	} * args, *rets; /* args: caller offset -> callee offset; rets: callee offset -> caller offset */
	u32 nargs, nrets;
};

struct func {
	char *name;
	char *label;  /* NULL = name; see func_label() */
	char *source; /* cxx_name() of name */
	bool is_kernel;
	u32 entry, end; /* pcs: [entry, end) */
	u32 line;
	struct param *params;
	u32 nparams;
	u32 param_bytes;  /* kernel: size of the parameter buffer; function: in_bytes */
	u32 ret_bytes;    /* function: bytes of return values */
	u32 fparam_bytes; /* size of the FPARAM frame in all: in + ret + call variables */
	u32 frame_bytes;  /* register frame, a multiple of 128 */
	u32 pred_bytes;   /* of it, predicates: a multiple of 128 */
	u32 wide_slots;   /* behind them, 128 B each: those of 64-bit registers, two each; then the 32-bit ones */
	u32 sb_ids;   /* scoreboard ids used, callees' own ids start from 0 again: a call waits until nothing is pending */
	u32 regs;     /* estimated 32-bit registers per thread (passes/estimate.h), callees included */
	u32 max_live; /* the max-live figure behind it */
	u32 shared_bytes, local_bytes; /* static, callees included */
	bool dynamic_shared;           /* refers to an extern .shared array */
	u32 dynamic_shared_off; /* offset at which the dynamic array starts = shared_bytes rounded to its alignment */
	u32 maxnreg, minnctapersm, maxntid[3], reqntid[3]; /* directives, 0 = absent */
	u32 nbarriers;
	bool has_calls, recursive;
	/* On a cycle of calls: bytes of .local variables that each activation has for itself; else 0, and they are laid
	 * out statically. A frame at byte F of its warp's window has them at local_fixed + F / local_unit * local_step. */
	u32 local_own;
	bool local_grows;    /* kernel: reaches such a function; local_bytes is enough for one activation */
	bool generic_params; /* kernel: cvta.param makes generic addresses of its parameters */
	/* The first target that has all matrix instructions which it reaches, callees included; such an instruction. */
	u32 need_sm, need_pc;
	u32 unsupported; /* 1 + index of the first of module->unsupported[] that it reaches; 0: none */
};

/* Where a PTX register of a function lives, for the debugger. The slot may be shared with other registers whose lives
 * do not overlap: the value belongs to this name at pcs in [live_from, live_to) (the hull of its live range). */
struct regname {
	char *name; /* "%r12" */
	enum ptype type;
	u32 func;
	opnd at;
	u16 sb; /* scoreboard id */
	u32 live_from, live_to;
};

struct texref {
	char *name;
	u32 line;
};

/* What a function has in its text that is right in form but not supported: an instruction, or a directive. A kernel
 * that reaches one, in itself or in a function that it may call, is loaded like any other but cannot be launched. */
struct unsupported {
	u32 func;
	u32 line, col; /* 1-based; the line as `line` of an instruction counts */
	char *what;    /* "'mma.sync...' is not supported" */
};

/* A program's text in memory, from which a module is read. It need not outlive the reading. */
struct source_text {
	const char *name; /* for messages and views: a file's */
	const char *text; /* need not end in a zero */
	size_t len;
};

/* A module may be linked from several PTX files. Its text and its lines are theirs, one after the other: `line` in
 * instructions, functions and symbols counts through all; people see lines of a file. */
struct module_part {
	char *path; /* as given */
	u32 before; /* lines of the files before it */
	u32 nlines;
	u32 first_file, nfiles; /* its .file N is module->files[first_file + N] */
};

struct module {
	char *path; /* of the first file, as given; for messages */
	struct module_part *parts;
	u32 nparts; /* at least 1 */
	char *text; /* PTX source, NUL-terminated */
	size_t text_len;
	u32 *line_at; /* offset of each line's start; nlines entries, line 1 at [0] */
	u32 nlines;
	u32 isa_major, isa_minor, target_sm, address_size;
	struct inst *code;
	u32 ncode;
	struct func *funcs;
	u32 nfuncs;
	struct symbol *symbols;
	u32 nsymbols;
	struct call_info *calls;
	u32 ncalls;
	struct branch_table {
		u32 *pc, n;
	} * tables;
	u32 ntables;
	struct texref *texrefs;
	u32 ntexrefs;
	char **files; /* .file names, index = .file number (see module_part) */
	u32 nfiles;
	u8 *pool; /* broadcast immediates, 128-byte aligned */
	size_t pool_bytes;
	/* Places in the pool that hold an address known only once the module is placed on a device. */
	struct pool_fix {
		u32 at;    /* byte offset of the broadcast vector */
		u32 bytes; /* 4 or 8 per lane */
		s32 sym, func;
		s64 add;
		bool generic;
	} * fixes;
	u32 nfixes;
	struct wide **wides; /* of the instructions that have one, and of some that are no more */
	u32 nwides;
	struct regname *regnames; /* sorted by func, then declaration order */
	u32 nregnames;
	struct unsupported *unsupported; /* in order of their text, of those that the executor refuses last */
	u32 nunsupported;
	u64 code_base; /* for the instruction cache; filled when placed */
	u32 owner;     /* the host program it was loaded by (ir/devmem.h, OWNER_PROGRAM) */
	/* Where activations of recursive functions have their local variables (struct func, local_own): behind all others,
	 * so many bytes a step; unit = 0: there are none. */
	u32 local_fixed, local_unit, local_step;
};

/* Is this its name, as PTX has it or, where that is mangled (C++), as the source has it (cxx_named())? Several may be
 * called so. */
bool func_named(const struct func *f, const char *name);
/* Its name for people: as the source has it where that means this function alone, if need be with a template's
 * arguments ("k<float>"), else as PTX has it. What reads files looks for names of the PTX. */
/* The identifier that a C++ name was mangled from, "_Z9transposePfPKfii" or "_ZN2la9transposeEPf": transpose. The
 * parameters, the namespaces and a template's arguments are left out. False: it is not mangled. */
bool func_source_name(const char *name, const char **ident, size_t *len);
const char *func_label(const struct func *f);
/* Once all functions are there: finds their labels. */
void module_label_funcs(struct module *m);
/* Function with this name or NULL; only kernels when kernels_only. A source's name counts when one function alone has
 * it. */
const struct func *module_func(const struct module *m, const char *name, bool kernels_only);
/* The file that has this line of the module: the last one for lines behind the end. */
const struct module_part *module_part_of(const struct module *m, u32 line);
/* The line as its file counts. */
u32 module_line_in_file(const struct module *m, u32 line);
u32 module_pc_line(const struct module *m, u32 pc); /* the same of an instruction */
/* The PTX source line (without newline) as pointer and length. */
const char *module_line(const struct module *m, u32 line, u32 *len);
/* Why a function cannot be executed, as "FILE:LINE:COL: 'opcode' is not supported", with the function's name where that
 * is one that it calls; NULL when it can. The text is the caller's to free. */
char *func_unsupported(const struct module *m, const struct func *f);
void module_free(struct module *m);

struct dim3 {
	u32 x, y, z;
};

/* Where the number of a launch's registers per thread comes from: the estimate of what a compiler would take (see
 * MODEL.md), within the bounds that the kernel states; the machine code beside the PTX; the option --regs of the
 * command line; the host program, which asked for it. */
enum regs_from { REGS_ESTIMATE, REGS_CUBIN, REGS_OPTION, REGS_HOST, REGS_FROM_COUNT };
extern const char *const regs_from_names[REGS_FROM_COUNT]; /* "estimate", "cubin", "--regs", "host" */

/* A kernel launch: constant once made. */
#define PARAM_BYTES_MAX 32764
struct launch { /* allocated without the parameters that its kernel does not have: see launch_bytes() */
	const struct module *mod;
	const struct func *fn;
	struct dim3 grid, block;
	u32 id; /* 0, 1, 2... in launch order */
	u32 stream;
	u32 shared_bytes; /* static + dynamic, per CTA */
	u32 dynamic_shared;
	u32 regs;     /* registers per thread that occupancy uses */
	u8 regs_from; /* enum regs_from */
	u32 warps;    /* per CTA */
	u64 ctas;
	bool cooperative;  /* all CTAs are resident at once, so that the grid can have a barrier */
	bool programmatic; /* may start before the launch before it in its stream has ended: when that lets it go */
	s8 priority;       /* of its stream, as CUDA counts: less comes first, 0 is usual */
	u64 start_at;      /* core cycle before which it does not start; 0 = as soon as it may */
	const char *call;  /* of the host program that made it, for people; NULL: not known */
	u64 workspace;     /* cooperative: what %envreg1 and 2 say, the barrier's word is at +4; else 0 */
	u8 params[PARAM_BYTES_MAX];
};
static inline size_t launch_bytes(const struct func *fn)
{
	return offsetof(struct launch, params) + fn->param_bytes;
}
#endif
