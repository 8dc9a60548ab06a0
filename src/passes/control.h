/* control: the control word of each instruction, as assemblers of Volta and later write it into machine code, whose
 * issue logic has no scoreboard (Huerta 2025). PTX has none, so they are derived here:
 *
 *   stall     the warp issues its next instruction at least so many cycles after this one: a result of fixed latency is
 *             there when the next instruction that names its register issues
 *   sets      an instruction of variable latency raises one of six dependence counters of its warp until its result is
 *             there; a memory instruction another one until it has read its registers
 *   wait      the counters that must be 0 before the instruction issues
 *   reads     of registers, in each of two banks; reused: of these, those that the instruction before has read in the
 *             same operand's place, whose value the register file's reuse cache still has
 *
 * What a chip's assembler knows and this one does not, or the other way round:
 *   - stalls of up to 255 stand for one of at most 15 and NOPs behind it, whose slots are not counted
 *   - waits are for 0; machine code can wait until at most n instructions of a counter are under way (DEPBAR.LE)
 *   - a counter that no instruction under way has is taken before one that is in use; if all are, the last one that was
 *     taken for the same is shared, and who waits for one of its instructions waits for all
 *   - a register that lies where another one is still to be read would have got another place from an assembler: only
 *     writes of the register itself wait for reads
 *   - the state at a join is that of all ways to it, and a call or return waits for everything, as its II_WAIT_ALL says
 *   - banks are given to registers so that few instructions read one bank twice; a 64-bit register lies in both. */
#ifndef PASSES_CONTROL_H
#define PASSES_CONTROL_H
#include "passes/fn.h"

#define CONTROL_COUNTERS 6
#define CONTROL_COUNT_MAX 63 /* instructions that one of them can stand for (Huerta 2025) */
#define CONTROL_NONE 7
#define CONTROL_STALL_MAX 255

struct control_word {
	u8 stall;               /* cycles; 0: it takes no issue slot */
	u8 wait;                /* bit per counter */
	u8 set_write, set_read; /* the counter, or CONTROL_NONE */
	u8 reads[2], reused[2]; /* by bank: passes/banks.h */
};

/* What an instruction is to the issue logic; the caller knows the machine. */
enum control_kind {
	CONTROL_FREE,     /* takes no issue slot, and its result is there at once */
	CONTROL_FIXED,    /* its result is there lat cycles after its issue */
	CONTROL_VARIABLE, /* nobody knows when its result is there; its registers are read at issue */
	CONTROL_MEMORY,   /* the same, and it reads its registers later */
	CONTROL_CLOSED,   /* a call or return: waits for everything before, and nothing of it is waited for */
};
#define CONTROL_UNITS 8
struct control_timing {
	u16 lat, ii; /* ii: its unit takes the warp's next instruction so many cycles later; 0: not known */
	u8 kind, unit;
};
/* One word per pc of the module, without its reads, from one timing per pc; free() it. */
struct control_word *control_make(const struct module *m, const struct control_timing *timing);
/* As text: "B03----:R1:W2:S04", the counters waited for, raised at read and at write, the stall. */
#define CONTROL_TEXT 32
void control_text(const struct control_word *c, char text[CONTROL_TEXT]);
#endif
