/* why: the deadlock doctor. Explains what a warp, or the machine, waits for, and follows the chain of causes to its
 * end. It only looks, and works on a running machine as well as on a dead one. */
#ifndef OBS_WHY_WHY_H
#define OBS_WHY_WHY_H
#include "base/strbuf.h"
#include "gpu/query.h"

/* The chain of one warp slot: what it does next, what that waits for, held by whom, down to the end of the chain. */
void why_warp(struct gpu *g, u32 sm, u32 warp, struct strbuf *out);
/* The machine: kernels under way, warps grouped by the end of their chain (one representative each), cycles in the
 * wait-for graph, warps that spin, full queues. */
void why_machine(struct gpu *g, struct strbuf *out);
/* A kernel: why it has not begun, or why SMs have no room for more of its CTAs, by SM. */
void why_kernel_waits(struct gpu *g, u32 launch, struct strbuf *out);
/* A CTA: where it is, and what it waits for. The machine does not remember which CTAs have ended: `known` is what the
 * caller does. */
enum why_known { WHY_NOT_KNOWN, WHY_NOT_BEGUN, WHY_ENDED };
void why_cta(struct gpu *g, u32 launch, u64 cta, enum why_known known, struct strbuf *out);
/* Does the machine stand still only because somebody has paused or saved CTAs? No hang of the program then: every warp
 * that is left is in such a CTA, or waits at a barrier for one that is. */
bool why_kept(struct gpu *g);

/* A loop that reads one unchanging address until its value changes: what a lock or a hand-made barrier compiles to. */
struct spin {
	u32 from, to; /* pcs of the loop, inclusive */
	u32 load;     /* pc of the load or atomic whose value decides */
	u64 addr;     /* address of the lowest active lane */
	enum space space;
};
/* Who made the word that a spinning warp reads what it is, as far as an atomic did that takes locks, and what holds
 * that warp up in turn, round to a cycle of locks. Nothing where that is not known. */
void spin_tell_holder(struct gpu *g, u32 sm, u32 warp, struct strbuf *out, u32 depth);
/* Is the warp at a pc inside such a loop? Static: the address register is not written in the loop, and a branch of the
 * loop depends on the value read. */
bool spin_find(const struct gpu *g, u32 sm, u32 warp, struct spin *out);
bool spin_anywhere(const struct gpu *g); /* does any resident warp? */
#endif
