/* front: functional execution, by one of several front ends. A caller that asks "what does this warp do next?" gets a
 * static instruction. A caller that says "it issues now" gets the dynamic instruction, with every architectural effect
 * done. There is no timing in here.
 *
 * Ownership: registers, SIMT stacks, shared memory, local memory and the values in device memory belong to the front
 * end. They live in the state arena (registers, stacks, shared) or in device memory (global, local).
 *
 * Within a cycle: loads read memory as it was when the cycle began. Global stores and atomics are queued per SM by
 * front_issue(), and applied by front_commit(sm), which the machine calls for every SM in order at the cycle's end.
 * Shared and local memory is written at issue. With commit.delay all of this happens that many cycles later, including
 * loads: their registers, like those of atomics, are not read before (conf.c makes sure of it). Warps are named (sm,
 * warp slot), CTAs (sm, CTA slot).
 *
 * A machine's front end is chosen when the machine is built (config key `front`). A front end is one const struct
 * front_ops (front/ops.h) and a line in front/all.def. The functions below call it, and say what holds for a front end
 * that does not have the entry. It gives a program's code as struct module: the pipeline knows only the instructions'
 * class, space and scoreboard ids (ir.h). */
#ifndef FRONT_FRONT_H
#define FRONT_FRONT_H
#include "base/arena.h"
#include "base/err.h"
#include "base/bits.h"
#include "base/strbuf.h"
#include "conf/conf.h"
#include "ir/devmem.h"
#include "ir/ir.h"

enum fault_code {
	FAULT_NONE,
	FAULT_OOB,
	FAULT_MISALIGNED,
	FAULT_FREED,
	FAULT_READONLY,
	FAULT_SHARED_OOB,
	FAULT_SHARED_UNINIT,
	FAULT_LOCAL_OOB,
	FAULT_PARAM_OOB,
	FAULT_DIVERGENT_BARRIER,
	FAULT_STACK_OVERFLOW,
	FAULT_BAD_CALL,
	FAULT_TRAP, /* addr != 0: of a failed assert(), the address of its text; bytes = the line */
	FAULT_BRKPT,
	FAULT_BAD_TEXTURE,
	FAULT_BAD_BARRIER,
	FAULT_CALL_DEPTH,
	FAULT_BAD_SURFACE,
	FAULT_SURFACE_OOB,
	FAULT_BAD_MASK, /* check.masks: addr = the mask, bytes = 0 leaves the lane out, 1 names lanes that give another, 2
	                   lanes that do not come */
	FAULT_BAD_FREE, /* free() of what malloc() did not give, or of what is free: bytes = enum heap_place */
	FAULT_FLUSH,    /* raised from outside: the CTA was to be dropped and begun again, but did what cannot be done twice
	                 * (at pc, to addr): bytes = enum restart_cause */
	FAULT_UNSUPPORTED,      /* the instruction is module->unsupported[imm] */
	FAULT_DIVERGENT_MATRIX, /* mma, wmma, ldmatrix or movmatrix, all .aligned, by a part of a warp: lanes = those */
	FAULT_MBARRIER,         /* bytes = enum mbar_cause; file, function = what was given, what there is */
	FAULT_COPY_RACE,        /* check.copies: bytes that cp.async of a warp (file = its number) has under way */
	FAULT_LANES_STUCK,      /* isa.threads=splits: lanes wait for others of their warp that cannot come: addr = those */
	FAULT_ALLOCA,           /* alloca of addr bytes, of which the function's stack has not so many left: bytes */
	FAULT_COUNT
};
enum mbar_cause { /* why an mbarrier instruction is a fault */
	              MBAR_FINE,
	              MBAR_NOT_THERE,  /* no mbarrier.init has been there, or an inval since */
	              MBAR_BAD_COUNT,  /* a count of 0, or more than 2^20 - 1 */
	              MBAR_TOO_MANY,   /* more arrivals than are pending */
	              MBAR_BAD_TX,     /* the tx-count leaves its range */
	              MBAR_COMPLETES,  /* .noComplete, and the phase ends */
	              MBAR_OLD_PHASE,  /* a wait for a phase that is neither this one nor the one before */
	              MBAR_BAD_PARITY, /* a parity that is neither 0 nor 1 */
};
extern const char *const fault_code_names[FAULT_COUNT]; /* "oob", "misaligned", ... */
struct fault {
	enum fault_code code;
	u32 sm, warp;
	u32 launch; /* launch id */
	u64 cta;    /* linear CTA id */
	u32 pc;
	u32 lanes; /* mask of the lanes at fault */
	u64 addr;  /* of the lowest faulting lane; 0 when no address is involved */
	u32 bytes; /* access size per lane */
	bool store;
	u8 pad[3]; /* named so that they are zero: state is hashed */
	enum space space;
	u32 pad2;
	u64 file, function; /* of a failed assert(): addresses of strings; see the codes */
};

enum {
	DYN_JUMP = 1 << 0,      /* the next pc is not pc + 1: the instruction buffer is flushed */
	DYN_DIVERGED = 1 << 1,  /* a branch went both ways */
	DYN_JOINED = 1 << 2,    /* the SIMT stack popped: paths reconverged at next pc */
	DYN_WARP_DONE = 1 << 3, /* the last lane exited */
	DYN_BARRIER = 1 << 4,   /* arrived at barrier bar_id; with DYN_BAR_WAIT it waits */
	DYN_BAR_WAIT = 1 << 5,
	DYN_FENCE = 1 << 6,
	DYN_SLEEP = 1 << 7,   /* nanosleep: sleep_ns */
	DYN_COPIES = 1 << 9,  /* cp.async.wait: waits until no more than copies_left of the warp's loads are under way */
	DYN_FAULT = 1 << 8,   /* front_fault() tells; the instruction had no effect */
	DYN_COMMIT = 1 << 10, /* cp.async.commit_group */
	DYN_PHASE = 1 << 11,  /* a phase of an mbarrier has ended: in lanes `ended`, at addr */
	DYN_AWAIT = 1 << 12,  /* mbarrier.try_wait: the phase has not ended; sleep_ns = its time limit, 0: none is given */
	DYN_COPY_ARRIVE =
	    1 << 13, /* lanes arrive at mbarriers at addr when the warp's copies are done (front_copies_arrive) */
	/* isa.threads=splits: DYN_YIELD is between the parts of the front end; what it comes to: */
	DYN_YIELD = 1 << 14,     /* the lanes let others of the warp run */
	DYN_TRIED = 1 << 15,     /* since they wait for something */
	DYN_TURN = 1 << 16,      /* other lanes run, though those that ran could go on */
	DYN_SPLIT = 1 << 17,     /* lanes that waited for others run on alone */
	DYN_CONVERGED = 1 << 18, /* lanes that had parted have met at a barrier or .sync instruction, and are one split */
	DYN_MIXED = 1 << 19,     /* lanes are in several spaces: addresses of some are not what they accessed */
	DYN_OF_SPLITS = DYN_TURN | DYN_SPLIT | DYN_CONVERGED,
};
#define DYN_MBARRIER (DYN_COMMIT | DYN_PHASE | DYN_AWAIT | DYN_COPY_ARRIVE)
#define SLEEP_NS_MAX 1000000u /* PTX ISA, nanosleep: at most one millisecond */
struct dyninst {
	const struct inst *in;
	u32 pc, next_pc;
	u32 mask;   /* lanes that executed it: active and guard true */
	u32 active; /* lanes active at it */
	u32 flags;  /* DYN_... */
	u32 taken;  /* conditional branch: lanes that took it; cp.async: lanes that write to shared memory */
	u8 space;   /* memory: the space after generic resolution (that of the lowest lane) */
	u8 bytes;   /* memory: bytes per lane, vector included (1..16) */
	bool store, atomic;
	u32 bar_id, bar_threads; /* DYN_BARRIER: number; threads expected, a multiple of 32 */
	u32 sleep_ns;
	u64 sleep_cycles; /* DYN_SLEEP: if not 0, instead of sleep_ns */
	u32 copies_left;  /* DYN_COPIES */
	u32 ended;        /* DYN_PHASE */
	u32 copy_group;   /* DYN_COPY_ARRIVE */
	/* memory: address per lane of mask. Global, const, tex: device addresses; shared: offset in the CTA's shared
	 * memory; local: device address of the lane's first word in the interleaved layout (words of one access are
	 * word_step bytes apart, those of neighbouring lanes 4); tex: of the first texel used. */
	u64 addr[WARP_SIZE];
	u32 word_step;
};

/* The heap of malloc() in kernels: counts since the machine was built. */
struct heap_info {
	u64 addr, bytes;            /* where it is, its size (mem.malloc_mb) */
	u64 mallocs, frees, failed; /* calls; failed: of malloc(), that gave NULL */
	u64 blocks, used, most;     /* blocks in use now, bytes they were asked for; the most bytes at any time */
};
struct front_ops;
/* Places of an SM for warps and CTAs: see sm.h. */
#define FRONT_PLACES (4 * WARP_SLOTS)
#define FRONT_CTA_PLACES 160
/* Which warp and CTA of the front end it is that an SM has in a place (arena). CTAs that give their slots to others and
 * come back (virtual threads) keep what their threads have where it is. */
struct front_map {
	u16 warp[FRONT_PLACES];
	u16 first[FRONT_CTA_PLACES]; /* by the front end's CTA slot: its first warp; the others follow */
	u8 cta[FRONT_CTA_PLACES];
};
/* A machine's front end: its own struct begins with this. */
struct front {
	const struct front_ops *ops;
	struct front_map *map; /* by SM; NULL: warps and CTAs are where the SM has them */
};
static inline u32 front_warp(const struct front *f, u32 sm, u32 place)
{
	return unlikely(f->map != NULL) ? f->map[sm].warp[place] : place;
}
static inline u32 front_slot(const struct front *f, u32 sm, u32 place)
{
	return unlikely(f->map != NULL) ? f->map[sm].cta[place] : place;
}
/* For front ends: a CTA's warps, which they are given as a set, are counted from this one. */
static inline u32 front_first(const struct front *f, u32 sm, u32 slot)
{
	return unlikely(f->map != NULL) ? f->map[sm].first[slot] : 0;
}
/* The front end of this name; NULL with *e, which names those that there are. */
const struct front_ops *front_find(const char *name, struct err *e);
const struct front_ops *front_nth(u32 i); /* NULL behind the last */

/* Builds the front end of a machine: carves its state from the arena. */
struct front *front_create(const struct front_ops *o, const struct conf *c, struct arena *state, struct devmem *mem,
                           struct err *e);
void front_destroy(struct front *f);
/* Bytes of the state arena that front_create() carves for this configuration, alignment included. */
u64 front_state_bytes(const struct front_ops *o, const struct conf *c);

/* Reads a program for the machine of this configuration, from files or texts (n >= 1) that are linked into one module.
 * NULL with *e. */
struct module *front_load_files(const struct front *f, const struct conf *c, const char *const *paths, u32 n,
                                struct err *e);
struct module *front_load_texts(const struct front *f, const struct conf *c, const struct source_text *texts, u32 n,
                                struct err *e);
/* Places a module: allocates its global and constant symbols, applies initialisers, relocations and pool fixes. */
bool front_place(struct front *f, struct module *m, struct err *e);

/* Device memory for the barrier of a cooperative launch; 0 with *e. */
u64 front_grid_workspace(struct front *f, struct err *e);
/* Kernel limits that the front end has: frame fits front.frame_kb, local fits front.local_kb. */
bool front_check_launch(const struct front *f, const struct launch *l, struct err *e);

/* Kernels that are large or make addresses of their parameters have these in device memory, one place for each of the
 * kernels that run at a time: `slot` is this one's. Without this call its first CTA starts it in slot 0. */
#define FRONT_KERNEL_SLOTS 16
void front_kernel_start(struct front *f, const struct launch *l, u32 slot);

/* Starts CTA `cta` (linear id, x fastest) of a launch in a CTA slot; its warps occupy the set bits of `warps` in order.
 * The launch must stay alive while the CTA runs. Also restarts a CTA from scratch. */
void front_cta_start(struct front *f, u32 sm, u32 slot, const struct launch *l, u64 cta, u64 warps);

/* Between two cycles: writes all that a CTA's threads have apart from global memory - registers, SIMT stacks, what
 * barriers have gathered, shared and local memory - to out and returns how many bytes that is; out NULL: counts only.
 * 0: this front end cannot. */
u64 front_cta_save(struct front *f, u32 sm, u32 slot, u8 *out);
/* Gives the CTA all that back in a slot of any SM, where it has these warps (all of them: with a map their numbers say
 * where they are). */
void front_cta_restore(struct front *f, u32 sm, u32 slot, u64 warps, const u8 *saved);

#define PC_DONE UINT32_MAX
/* The pc of a warp's next instruction; PC_DONE when all its lanes have exited. */
static inline u32 front_pc(const struct front *f, u32 sm, u32 warp);
/* Executes it. `cycle` feeds %clock and %globaltimer only. */
static inline void front_issue(struct front *f, u32 sm, u32 warp, u64 cycle, struct dyninst *out);
/* Applies the SM's stores and atomics that were queued in cycles before `before`; true when the SM has a fault, which a
 * free() may have found here. */
static inline bool front_commit(struct front *f, u32 sm, u64 before);
/* With commit.delay loads of global memory are queued, too: those of cycles before `before` are given their values. For
 * all SMs before any of them commits. */
void front_read(struct front *f, u32 sm, u64 before);
u32 front_queued(const struct front *f, u32 sm); /* instructions in the SM's queue */
/* A barrier opened: completes bar.red results for the warps that waited. */
void front_barrier_release(struct front *f, u32 sm, u32 slot, u32 bar_id, u64 warps);
/* The first fault since the machine was built; code FAULT_NONE when there is none. Clears nothing. */
const struct fault *front_fault(const struct front *f);
/* A fault that somebody else has found, in this cycle; the machine is to stop. The front end has one (ops.h). */
void front_raise_fault(struct front *f, u64 cycle, const struct fault *x);
/* Forgets it: the debugger goes on after a fault (a brkpt, or a register or memory patched by hand). */
void front_clear_fault(struct front *f);
/* A fault as a sentence or three for the user: what, kernel, PTX line and CUDA line, CTA, warp, lanes, address, nearest
 * allocation. */
void front_fault_text(const struct front *f, const struct fault *x, const struct launch *l, struct strbuf *out);

/* Moves the text that the kernels of a host program have printed (vprintf) to *out (appends). */
#define FRONT_ALL_PROGRAMS (~0u)
void front_take_printf(struct front *f, u32 program, struct strbuf *out);

/* Textures. Format per texel channel; addressing and filtering as in CUDA. */
enum tex_address { TEXA_WRAP, TEXA_CLAMP, TEXA_MIRROR, TEXA_BORDER };
struct texture {
	u64 addr;                                /* device address of the texels */
	u32 width, height, depth;                /* texels; 0 height/depth for fewer dimensions */
	u64 pitch;                               /* bytes per row */
	u8 channels;                             /* 1, 2, 4 */
	u8 type;                                 /* enum ptype of a channel: u8 s8 u16 s16 u32 s32 f32 f16 */
	u8 address[3];                           /* enum tex_address */
	bool linear;                             /* else point */
	bool normalised_coords, read_normalised; /* read_normalised: integer texels become floats in [0,1] or [-1,1] */
};
/* Binds a texture to a texref of a placed module; or makes an object whose handle a kernel gets as u64 (0 on error). */
bool front_bind_texture(struct front *f, struct module *m, const char *name, const struct texture *t, struct err *e);
/* A surface over the same memory: of the texture, size, pitch and texels count. */
u64 front_surface_object(struct front *f, const struct texture *t, struct err *e);
u64 front_texture_object(struct front *f, const struct texture *t, struct err *e);

/* What the front end keeps outside the arena and device memory and a machine that goes back in time must have again:
 * placed modules and texture bindings. front_host_save() returns a block for free(). */
void *front_host_save(const struct front *f);
void front_host_restore(struct front *f, const void *saved);

/* Between two cycles, for the warps in `resident` of which those in `exited` have no lane left: pcs lie in their
 * functions, the SIMT stack holds lanes that live, frames lie in the window, no store of the last cycle is left. False
 * with *e naming what does not hold. Changes nothing. */
bool front_check_state(const struct front *f, u32 sm, u64 resident, u64 exited, struct err *e);

/* --- inspection ------------------------------------------------------------------------------------------------- */
#define RECONV_NONE 0xffffffffu /* no reconvergence before the function's exit */
enum lanes_do { LANES_RUN, LANES_CAN_RUN, LANES_JOIN, LANES_WAIT };
extern const char *const lanes_do_names[]; /* "run", "can run", "wait for the others of a branch or call", ... */
struct simt_entry {
	u32 pc, reconv, mask;
	u32 lanes;    /* of mask: those that are at this pc and not further up */
	u64 until;    /* they sleep until this cycle, if it has not come; else 0 */
	u8 does;      /* enum lanes_do: what these do */
	bool is_call; /* a call frame's bottom */
};
/* The SIMT stack, top first; returns the depth (may exceed max). */
u32 front_stack(const struct front *f, u32 sm, u32 warp, struct simt_entry *out, u32 max);
static inline u32 front_active_mask(const struct front *f, u32 sm, u32 warp); /* 0 when done */
/* XXH3 hash of all that decides what a warp does next besides memory: SIMT stack, frames, registers. */
u64 front_warp_hash(const struct front *f, u32 sm, u32 warp);
/* Hash of what deep calls have in the arena's tail, which the arena's own leaves out; 0: no warp is so deep. */
u64 front_deep_hash(const struct front *f);
/* Value of a register operand of the warp's current frame in a lane, as raw bits. */
u64 front_read_reg(const struct front *f, u32 sm, u32 warp, u32 lane, opnd at, enum ptype t);
/* The values of an st that the warp has just executed: of lane i `in`'s bytes (type and vec) at out + i times as many.
 * False: not known. */
bool front_stored(const struct front *f, u32 sm, u32 warp, const struct inst *in, u8 *out);
bool front_write_reg(struct front *f, u32 sm, u32 warp, u32 lane, opnd at, enum ptype t, u64 bits);
/* Local memory of a lane: n bytes from byte offset off. False when that is outside what the warp's kernel has. */
bool front_read_local(const struct front *f, u32 sm, u32 warp, u32 lane, u64 off, void *out, u32 n);
/* The last change of a word by an atom.cas, atom.exch or atom.or: what takes a lock, and sometimes gives it back. */
struct lock_change { /* arena */
	u64 addr, value; /* shared memory: offset; the value it left */
	u64 cycle, cta;
	u32 launch, pc;
	u16 sm, warp, warp_in_cta; /* warp: slot */
	u8 slot;                   /* of the CTA */
	u8 lane;                   /* + 1; 0: nothing is remembered here */
};
/* NULL: it was never changed so, or that is forgotten (locks.c). sm, slot: whose shared memory. */
const struct lock_change *front_lock(const struct front *f, enum space space, u32 sm, u32 slot, u64 addr);
/* False, and nothing written: no module that was placed calls malloc() or free(). */
bool front_heap(const struct front *f, struct heap_info *out);
/* The block in use that an address is in, and how many bytes it was asked for. False: it is in none. */
bool front_heap_block(const struct front *f, u64 addr, u64 *start, u64 *bytes);
/* Mbarriers of a CTA slot, in order of their offsets in shared memory: `max` at most are written; returns how many
 * there are. */
struct mbarrier_info {
	u32 addr, phase;       /* phase: modulo 8; its parity is what programs see */
	u32 pending, expected; /* arrivals */
	s32 tx;                /* bytes that are awaited */
};
u32 front_mbarriers(const struct front *f, u32 sm, u32 slot, struct mbarrier_info *out, u32 max);
/* What a warp waits for that a try_wait has let sleep (DYN_AWAIT): the lanes, the pc, the lowest lane's mbarrier. */
struct mbarrier_wait {
	u32 lanes, pc;
	struct mbarrier_info at;
};
bool front_mbarrier_wait(const struct front *f, u32 sm, u32 warp, struct mbarrier_wait *out);
/* A phase has ended in a CTA: is that what a waiting warp waits for? Its predicate is then true, and the wait is over.
 */
bool front_mbarrier_poll(struct front *f, u32 sm, u32 warp);
/* A warp's copies of group `group` and before are done: lanes arrive at the mbarrier at addr. True: its phase ends. */
struct copies_arrive {
	u32 addr, lanes, group, pc;
};
bool front_copies_arrive(struct front *f, u32 sm, u32 warp, u64 cycle, const struct copies_arrive *a);
/* Shared memory of a CTA slot. */
u8 *front_shared(struct front *f, u32 sm, u32 slot, u32 *bytes);

/* --- those of every instruction and cycle ------------------------------------------------------------------------- */
#include "front/ops.h"
static inline u32 front_pc(const struct front *f, u32 sm, u32 warp)
{
	return f->ops->pc(f, sm, front_warp(f, sm, warp));
}
static inline u32 front_active_mask(const struct front *f, u32 sm, u32 warp)
{
	return f->ops->active_mask(f, sm, front_warp(f, sm, warp));
}
static inline void front_issue(struct front *f, u32 sm, u32 warp, u64 cycle, struct dyninst *out)
{
	f->ops->issue(f, sm, front_warp(f, sm, warp), cycle, out);
}
static inline bool front_commit(struct front *f, u32 sm, u64 before)
{
	return f->ops->commit(f, sm, before);
}
#endif
