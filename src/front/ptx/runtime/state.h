/* state: what the front end keeps per machine, SM, CTA slot and warp.
 *
 * Structures marked "arena" hold no pointers: their bytes are hashed and travel through time. Everything else is
 * constant after the machine is built, a cache that never changes an outcome, or empty between cycles (the store
 * queues).
 *
 * A warp's window (arena) is one stack of frames, each
 *
 *   [ registers: func->frame_bytes ][ FPARAM area: func->fparam_bytes x 32 lanes, word-interleaved ]
 *
 * and the SIMT stack keeps the top entry in the warp itself (pc, mask, reconv) and the entries below in an array. Few
 * programs need more than the first WINDOW_NEAR bytes of a window and SIMT_NEAR entries of a stack, so these lie close
 * together; the rest, up to front.frame_kb and SIMT_DEPTH, is in the arena's tail and becomes part of the state when a
 * warp first gets there. No frame lies in both parts. */
#ifndef FRONT_PTX_RUNTIME_STATE_H
#define FRONT_PTX_RUNTIME_STATE_H
#include "base/fifo.h"
#include "front/front.h"
#include "front/ptx/runtime/heap.h"

#define LANES WARP_SIZE
#define FULL_MASK 0xffffffffu
#define RECONV_CALL 0xfffffffeu /* marks a call entry of the SIMT stack */
#define WINDOW_NEAR (64u << 10) /* bytes of a window that every warp has at hand */
#define SIMT_NEAR 256           /* the same for entries of its stack */
#define SIMT_DEPTH 4096         /* entries per warp: one level of calls needs at most 64 (see simt.c) */
#define PARAM_SLOT_BYTES 4096   /* of parameters, if nobody asks for their addresses: see struct placed */
#define BARRIERS 16             /* named barriers per CTA, PTX's limit */
#define PRINTF_MAX (1u << 20)   /* bytes of printf output kept until they are fetched: CUDA's default FIFO size */

struct warp {                    /* arena; one cache line */
	u32 pc, mask, reconv, depth; /* top of the SIMT stack, and the number of entries below it */
	u32 frame;                   /* byte offset of the current frame in the window */
	u32 func;                    /* index of the function running in it */
	u32 live;                    /* lanes that have not exited */
	u32 launch;                  /* launch id */
	u32 slot;                    /* CTA slot */
	u32 index;                   /* warp number within the CTA */
	u32 bar_pc;                  /* pc of the last barrier it arrived at */
	u32 waits;                   /* lanes that wait at their paths' instructions for lanes of other paths (meet.h) */
	u8 moved;                    /* paths have changed places: a frame may lie above the top's */
	u8 uneasy;                   /* UNEASY_...: see struct splits */
	u16 passes;                  /* backward jumps, weighted, of a warp that is not whole (splits.h) */
	u32 bar_lanes;               /* lanes that arrived there, all in this frame */
	u64 copies;                  /* cp.async: 8 bits each: copies since the last commit, of the newest group, ... */
};
/* splits.idle, splits.wake mean something; lanes have exited that others may have waited for */
enum { UNEASY_COUNTED = 1, UNEASY_ASLEEP = 2, UNEASY_LEFT = 4 };
struct splits {      /* arena; with isa.threads=splits, of a warp: see splits.h */
	u32 idle, pad;   /* lanes that have not been at the top since warp.passes was 0 */
	u64 wake[LANES]; /* the cycle until which a lane sleeps */
};
struct simt {   /* arena; one entry below the top */
	u32 pc;     /* call entry: index of the calling function */
	u32 reconv; /* or RECONV_CALL */
	u32 mask;
	u32 frame; /* of the path; call entry: the caller's */
};
struct barrier_sum {                /* arena: what bar.red has gathered */
	u32 popc, any, some_false, pad; /* some_false: some predicate was false */
};
struct cta { /* arena */
	u64 id, warps;
	u32 x, y, z, launch, shared_bytes;
	u16 mbarriers, copies; /* mbarrier.h: objects; has it copied with cp.async? */
	struct barrier_sum bar[BARRIERS];
};

/* A store or atomic that waits for the end of the cycle, or of commit.delay cycles more, and then a load of global
 * memory, too. Without pointers: with commit.delay the queues are in the arena. */
enum pending_kind { PENDING_STORE, PENDING_ATOMIC, PENDING_LOAD };
struct pending {
	u64 cycle; /* of its issue */
	u32 warp, launch, pc, frame, mask;
	opnd dst;    /* atom: the destination register or OPND_NONE */
	u8 bytes;    /* per lane, vector included */
	u8 kind;     /* enum pending_kind */
	bool contig; /* full mask, ascending, dense: one block at addr[0] */
	bool flush;  /* f32 add on global memory flushes subnormals (PTX, atom) */
	u8 pad[4];
	u64 addr[LANES];
	u8 data[LANES * 16] __attribute__((aligned(64)));
	u64 cas[2 * LANES]; /* second value of cas, of 8 bytes at most by lane, of 16 two a lane */
};
/* What kernels have printed, and whose each piece is: the text is all pieces, one behind the other. */
struct printed {
	struct strbuf text;
	struct printed_piece {
		u32 program; /* the host program */
		size_t bytes;
	} * piece;
	u32 n, cap;
};
struct sm_side {       /* per SM, outside the arena */
	u64 lo, hi, epoch; /* the last allocation found: [lo, hi) */
	bool readonly;
	u32 owner;          /* whose warp looked last; meant for several programs only */
	struct fifo *queue; /* of pending[]; with commit.delay both are in the arena, else `own` is it */
	struct fifo own;
	struct pending *pending;
	struct printed said; /* printf of this cycle */
};
struct launch_ref {
	const struct launch *l;
	const struct inst *code;
	u8 *pool;
	const struct func *funcs;
	u64 local_base;  /* of the module's local memory */
	u32 local_bytes; /* that a thread of this kernel has */
	u64 params;      /* device address of the parameters */
	const s32 *tex;  /* texref -> texture, -1 = not bound */
};
struct placed { /* a module on this device */
	struct module *m;
	u64 local_base;  /* local memory: see local_step() */
	u32 local_grown; /* bytes per thread of kernels whose functions recurse with local variables */
	/* Parameters of kernels that need more than PARAM_SLOT_BYTES or their addresses, FRONT_KERNEL_SLOTS places; 0:
	 * none. What cvta.param gives points here, so the values are here, too. */
	u64 param_base, param_stride;
	s32 *tex;
};
struct tensor_rules { /* configuration keys tensor.* */
	u32 fraction, fraction_fp8, group, group_fp8;
	bool quads_f32;
};
struct ptx {            /* the front end of a machine */
	struct front front; /* what others see of it: first */
	struct devmem *mem;
	u32 nsms, nwarps, nslots;
	bool check_bounds, check_uninit, check_masks, check_barriers, check_copies;
	u32 delay, pending_cap; /* commit.delay; entries of an SM's queue */
	struct tensor_rules tensor;
	u32 split_turn, try_weight;    /* isa.split_turn; of it, what a try counts */
	u32 window_bytes, window_near; /* front.frame_kb; of it in `windows` */
	u32 local_max, shared_max;
	double ns_per_cycle;
	u64 window_stride, deep_stride, shared_stride, param_base;
	struct arena *arena;
	/* arena */
	struct warp *warps;              /* [sm][warp] */
	struct splits *splits;           /* [sm][warp]; NULL: isa.threads=stack */
	struct simt *stacks;             /* [sm][SIMT_NEAR][warp], see simt_entry_at() */
	u8 *windows;                     /* [sm][warp] */
	u8 *deep;                        /* [warp][sm] the arena's tail: entries of the stack, then of the window */
	u32 (*tid)[3][LANES];            /* [sm][warp] */
	struct cta *ctas;                /* [sm][slot] */
	u8 *shared;                      /* [sm][slot] */
	u8 *written;                     /* [sm][slot] one bit per byte, with check.uninit_shared */
	u8 *mbarriers;                   /* [sm][slot] one bit per 8 bytes: an mbarrier is there (mbarrier.h) */
	u16 *copy_marks;                 /* [sm][slot] one per 4 bytes, with check.copies */
	struct copy_groups *copy_groups; /* [sm][warp] */
	struct fault *faults;            /* [sm] first fault of each SM */
	u64 *fault_cycle;                /* [sm] */
	u32 *faulted;                    /* [sm] nonzero when faults[sm] is set */
	struct lock_change *locks, *shared_locks; /* locks.c */
	/* host side */
	struct sm_side *side;
	struct launch_ref *launches; /* by launch id */
	u32 launches_cap;
	struct placed *placed;
	u32 nplaced, placed_ever; /* placed_ever: with those that a return to the past has hidden */
	struct texture *textures;
	u32 ntextures;
	struct printed said; /* since it was fetched */
	bool text_cut;       /* output was dropped because nobody fetched it */
	u64 heap_bytes;      /* mem.malloc_mb */
	struct heap heap;
};

static inline struct ptx *ptx_of(struct front *f)
{
	return (struct ptx *)(void *)f;
}
static inline const struct ptx *ptx_const(const struct front *f)
{
	return (const struct ptx *)(const void *)f;
}

/* What an execution function gets: one warp instruction being executed. */
struct exec {
	u8 *base[2]; /* frame, pool: an operand's top bit selects */
	u32 mask;    /* executing lanes, not empty */
	u32 active;  /* lanes active at the instruction */
	u32 next_pc; /* preset to pc + 1 */
	u32 sm, warp;
	struct dyninst *out;
	struct ptx *f;
	struct warp *w;
	const struct launch_ref *ref;
	u64 cycle;
};

#define DEEP_STACK ((SIMT_DEPTH - SIMT_NEAR) * sizeof(struct simt)) /* in front of the deep part of a window */
static inline u64 deep_index(const struct ptx *f, u32 sm, u32 warp)
{
	return (u64)warp * f->nsms + sm;
}
static inline u8 *deep_of(const struct ptx *f, u32 sm, u32 warp)
{
	return f->deep + deep_index(f, sm, warp) * f->deep_stride;
}
/* A place in a warp's window. */
static inline u8 *frame_window_at(const struct ptx *f, u32 sm, u32 warp, u32 at)
{
	if (unlikely(at >= f->window_near))
		return deep_of(f, sm, warp) + DEEP_STACK + (at - f->window_near);
	return f->windows + (sm * f->nwarps + warp) * f->window_stride + at;
}
/* The entry at level d of a warp's SIMT stack. Warps use few of their levels, so a level of all warps of an SM lies
 * together: what changes is then a few pages of a snapshot, not one a warp. */
static inline struct simt *simt_entry_at(const struct ptx *f, u32 sm, u32 warp, u32 d)
{
	if (unlikely(d >= SIMT_NEAR))
		return (struct simt *)(void *)deep_of(f, sm, warp) + d - SIMT_NEAR;
	return &f->stacks[((size_t)sm * SIMT_NEAR + d) * f->nwarps + warp];
}
/* The cycle until which some of these lanes sleep; 0: none does. */
static inline u64 splits_wake(const struct ptx *f, u32 sm, u32 warp, u32 lanes)
{
	const u32 n = sm * f->nwarps + warp;
	u64 at = 0;
	for (u32 i = 0; i < LANES && (f->warps[n].uneasy & UNEASY_ASLEEP); i++)
		at = lanes >> i & 1 ? MAX(at, f->splits[n].wake[i]) : at;
	return at;
}
static inline const struct inst *pending_inst(const struct ptx *f, const struct pending *p)
{
	return &f->launches[p->launch].code[p->pc];
}
/* A register of the frame that it was issued in. */
static inline void *pending_at(const struct ptx *f, u32 sm, const struct pending *p, opnd o)
{
	return o == OPND_NONE ? NULL : frame_window_at(f, sm, p->warp, p->frame) + o;
}
static inline void *exec_at(const struct exec *x, opnd o)
{
	return x->base[o >> 31] + (o & ~OPND_POOL);
}
static inline struct cta *exec_cta(const struct exec *x)
{
	return &x->f->ctas[x->sm * x->f->nslots + x->w->slot];
}
static inline const struct func *exec_func(const struct exec *x)
{
	return &x->ref->funcs[x->w->func];
}
static inline u8 *exec_fparam(const struct exec *x)
{
	return x->base[0] + exec_func(x)->frame_bytes;
}
static inline u8 *exec_shared(const struct exec *x)
{
	return x->f->shared + (u64)(x->sm * x->f->nslots + x->w->slot) * x->f->shared_stride;
}
/* Local memory is interleaved by words over all threads of the machine: the same word of all of them lies in one piece,
 * SM after SM of a warp slot, so that warps that run at the same time use neighbouring lines and share no set of L2
 * before its capacity is full (GPGPU-Sim: translate_local_memaddr(), which has CTAs where this has warps). A slot has
 * an odd number of lines, so that those of one SM spread over the sets of its L1D. */
static inline u32 local_slot(const struct ptx *f)
{
	return (f->nsms | 1) * (4 * LANES);
}
/* The distance of a thread's words, in bytes. */
static inline u32 local_step(const struct ptx *f)
{
	return f->nwarps * local_slot(f);
}
/* Where a warp has its word 0; a lane's is 4 bytes further on than that of the lane before. */
static inline u64 local_of(const struct ptx *f, const struct launch_ref *ref, u32 sm, u32 warp)
{
	return ref->local_base + (u64)warp * local_slot(f) + sm * (4 * LANES);
}
/* The address of a byte of a lane's local memory. */
static inline u64 local_byte(const struct ptx *f, u64 warp_base, u32 lane, u64 at)
{
	return warp_base + at / 4 * local_step(f) + 4 * lane + at % 4;
}
static inline u64 exec_local(const struct exec *x)
{
	return local_of(x->f, x->ref, x->sm, x->warp);
}
/* Where the running activation has the local variables that are its own (ir.h, struct func). */
static inline u64 exec_activation(const struct exec *x)
{
	const struct module *m = x->ref->l->mod;
	return m->local_fixed + (u64)(x->w->frame / m->local_unit) * m->local_step;
}
static inline u32 first_lane(u32 mask)
{
	return (u32)__builtin_ctz(mask);
}
static inline u32 last_lane(u32 mask)
{
	return 31 - (u32)__builtin_clz(mask);
}

typedef void (*exec_fn)(void *ctx, const struct inst *in);

/* fault.c: records a fault of the running instruction and flags it; the instruction must then have no effect. */
void exec_fault(struct exec *x, enum fault_code code, u32 lanes, u64 addr, u32 bytes, bool store, enum space space);
/* The same of one that is found later: x = all about it. */
void fault_record(struct ptx *f, u64 cycle, const struct fault *x);
/* printf.c: moves an SM's output of this cycle to the machine's; the execution function of a vprintf call; what is
 * freed. */
void flush_text(struct ptx *f, struct sm_side *s);
void printed_release(struct printed *p);
void exec_vprintf(void *ctx, const struct inst *in);
/* texture.c, simt.c: look-ups as in simd.h, for what does not depend on the vector level. */
exec_fn exec_texture(const struct inst *in);
exec_fn exec_control(const struct inst *in);
exec_fn exec_matrix(const struct inst *in); /* matrix.c: ldmatrix, movmatrix, wmma.load, wmma.store */
/* simt.c: pops every entry of the SIMT stack that is empty or has arrived at its reconvergence point, and returns from
 * calls. */
void simt_settle(struct exec *x);
/* cta.c: does a kernel have its parameters at a place of its module (see struct placed)? */
bool params_apart(const struct func *fn);
/* Bytes of a function's frame, registers and FPARAM area; no two frames begin at one place. */
static inline u64 frame_size(const struct func *fn)
{
	const u64 bytes = (u64)fn->frame_bytes + (((u64)fn->fparam_bytes + 3) / 4) * 4 * LANES;
	return bytes ? (bytes + 127) / 128 * 128 : 128;
}
/* A warp's frames reach up to here. */
static inline void frames_reach(const struct ptx *f, u32 sm, u32 warp, u64 end)
{
	if (unlikely(end > f->window_near))
		arena_reach(f->arena, deep_index(f, sm, warp) * f->deep_stride + DEEP_STACK + end - f->window_near);
}
/* Where a kernel's own frame is. */
static inline u32 first_frame(const struct ptx *f, const struct func *fn)
{
	return frame_size(fn) > f->window_near ? f->window_near : 0;
}
/* Behind the last frame of a warp's window that anything is in. */
u64 frames_end(const struct ptx *f, u32 sm, u32 warp);
#endif
