/* spin: loops that wait for what others write: a flag, a lock, a hand-made barrier. */
#ifndef PASSES_SPIN_H
#define PASSES_SPIN_H
#include "ir/ir.h"

#define SPIN_LOOP_MAX 64 /* instructions; a longer loop does work and is no spin */

/* Does the loop from pc `from` to the backward branch at `to` read one unchanging address until its value changes?
 * *load: the load or atomic whose value decides, or the load of what a called function returns that takes locks or
 * looks at flags. Static: the address register is not written in the loop, and a branch of the loop depends on the
 * value. */
bool spin_loop(const struct module *m, u32 from, u32 to, u32 *load);
/* Once all functions are there: says at the branches that end such loops that they do (ir.h, bra). */
void spin_mark(struct module *m);
#endif
