/* banks: in which of two register banks each register lies, and what each instruction reads of them (struct
 * control_word: reads, reused).
 *
 * An assembler gives registers to banks so that an instruction's operands lie apart; here this is a colouring with two
 * colours of the registers as they are allocated: those with most neighbours first, each into the bank with fewer
 * neighbours. A 64-bit register lies in both banks, one read in each. Instructions with a list of registers (mma) read
 * theirs in steps of their own and are not counted. A register counts as reused if the instruction before, in the same
 * basic block, reads it in the same operand's place, or as the other of the two factors. */
#ifndef PASSES_BANKS_H
#define PASSES_BANKS_H
#include "passes/control.h"

/* Of every instruction of the module; the words are those of control_make(). */
void banks_count(const struct module *m, const struct control_timing *timing, struct control_word *word);
#endif
