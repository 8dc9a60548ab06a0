/* hints: what the compiler's analyses tell the warp schedulers, one row per instruction of a module. They are made
 * once, when a module is added to a machine, and are constant. The hardware of the papers carries the same in opcode
 * extensions and in tables that are loaded with a kernel. */
#ifndef PASSES_HINTS_H
#define PASSES_HINTS_H
#include "conf/conf.h"
#include "ir/ir.h"

enum {
	HINT_LOAD = 1 << 0,        /* a load in ELF's sense: global, local, generic, texture, atomics with a result */
	HINT_BRANCH = 1 << 1,      /* bra or brx: looks at HINT_RECALC */
	HINT_RECALC = 1 << 2,      /* its recalculation bit: set, taking it triggers ELF's priority calculator; clear,
	                            * falling through does (Park 2016, section 3.3.2) */
	HINT_PHASE_BEGIN = 1 << 3, /* first instruction of a phase */
};
struct code_hint {
	u32 phase_distance; /* cycles from here, this instruction included, to the end of its phase; at a phase's first
	                     * instruction that is the phase's length (passes/phases.h) */
	u16 phase;          /* number of the phase within its function, from 0 */
	u16 load_distance;  /* what ELF's priority calculator answers here: instructions to the next load, 0 = at one, at
	                     * most elf.max_score (points_distance(), passes/points.h) */
	u8 flags;           /* HINT_... */
	u8 pad[7];
};
/* One row per pc of the module; free() it. */
struct code_hint *hints_make(const struct conf *c, const struct module *m);
#endif
