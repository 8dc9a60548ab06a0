/* phases: the phases of a function and the phase distances of its instructions (Awatramani 2015, sections III-A and
 * IV-B), which the phase-aware warp schedulers compare.
 *
 * A phase is a run of consecutive instructions none of which reads a register that a long-latency instruction of the
 * same phase has written. Every basic block starts a phase, and so does the instruction behind a call: the callee's
 * instructions came between.
 *
 * The paper does not count as it says. In its table II, 12 of 14 kernels have (to within two) as many phases as the
 * code here has if blocks do not begin any (through_blocks): 5 and fewer in kernels of many blocks. Then the
 * instructions are taken in the order of the text, past branches and ends of loops, with one set.
 *
 * A register is an allocated slot (a scoreboard id). An unguarded write by a short instruction removes it from the set:
 * an instruction that reads it then does not read the long result. A guarded write leaves it in the set, since lanes
 * may keep the old value. Guards, predicates and the carry flag count as registers.
 *
 * The analysis takes the instructions in the order in which they are executed here: list-scheduled blocks
 * (passes/schedule.h), like the paper's code, which an assembler had scheduled, or with schedule=none the order of the
 * PTX text. In the text, compilers put a load next to its use and leave the rest to the assembler, so it breaks into
 * more and shorter phases. */
#ifndef PASSES_PHASES_H
#define PASSES_PHASES_H
#include "conf/conf.h"
#include "passes/fn.h"

struct phase_params {
	u32 latency[IC_COUNT]; /* cycles that an instruction of the class adds to its phase */
	u32 long_classes;      /* bit c: results of class c come late enough to end a phase */
	bool through_blocks;   /* a phase goes on where a basic block begins */
};
/* The paper's long-latency instructions (its note 1): memory instructions and synchronisation. Shared memory and
 * constants answer as fast as arithmetic does and are not among them. */
#define PHASE_LONG_CLASSES (1u << IC_GLOBAL | 1u << IC_ATOMIC | 1u << IC_TEX | 1u << IC_CTRL)

/* The latencies of the machine's execution stage, and its phases.blocks. Operand read is not in them and every memory
 * access, shared and constant ones too, counts as the one cycle it takes from the execution stage into the LSU: so
 * counted, the longest and the shortest phase of LUD have 132 and 6 cycles for the 150 and 7 of the paper's table II
 * (with operand read and shared.latency 1150 and 15). */
void phase_params_of(struct phase_params *p, const struct conf *c);

#define PHASE_AT_BLOCK UINT32_MAX
struct phase {
	u32 begin, end; /* pcs [begin, end) */
	u32 block;      /* basic block, in pc order from 0 */
	u32 length;     /* cycles, the sum of its instructions' latencies = distance of `begin` */
	u32 longs;      /* instructions of long classes in it */
	u32 waits_for; /* pc in the phase before whose result begins this one; PHASE_AT_BLOCK: a block or a call's return */
};
struct phases {
	struct phase *list; /* in pc order; they cover the function */
	u32 n;
	u32 entry;     /* the function's first pc */
	u32 *phase_of; /* number in list: phase_of[pc - entry] */
	u32 *distance; /* cycles from the instruction (included) to its phase's end: distance[pc - entry] */
};
/* f must have code (entry < end). Release with phases_release. */
void phases_find(struct phases *ph, const struct module *m, const struct func *f, const struct phase_params *p);
void phases_release(struct phases *ph);
#endif
