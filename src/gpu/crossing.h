/* crossing: a cycle of the SMs, and everything by which one of them is noticed by another.
 *
 * An SM's tick writes its own state alone: struct sm with what lies behind it, its part of the front end (warps,
 * frames, shared memory, its queue of stores), its caches and miss queue, its event buffer. What others are to know of
 * it lies in a place of its own, too, and is fetched from there, in the order of the SMs, when all have had their tick.
 * So nothing depends on the order of the ticks (tick.shuffle proves it), and they could run side by side.
 *
 *   what                     its place                      who fetches it, when             what others see of it
 *   stores, atomics, free()  front: the SM's queue          crossing_tick(), front_commit()  memory, from the next
 * cycle on malloc() in kernels      the same                       the same                         which block they
 * are given locks taken              with its atomics; of shared    the same                         nothing: spin and
 * livelock ask memory: a table an SM an SM at fault           sm.faulted, front's faults[]   crossing_tick() the
 * machine stops CTAs that have ended     sm.done_slots                  collect(), the next cycle        which CTA
 * starts where, kernels wake bits                the tick's result: all answers crossing_tick() nothing; a set of SMs
 *                            taken, next cycle of interest
 *   memory requests          mem: miss queue, mem.fresh[]   mem_tick(), the same cycle       ports, L2, DRAM:
 * noc.latency later; back-pressure, below restart points           restart: a list an SM          crossing_tick()
 * nothing: a record printf                   front: the SM's text           crossing_tick(), front_commit()  nothing:
 * goes to the host events                   ev[sm]                         deliver_all(), the cycle's end   nothing:
 * goes to the host
 *
 * Other ways:
 *
 *   - Policies that choose CTAs and partitions, the search for hangs and queries look at all SMs. They are asked
 * between two cycles, at times known before: a CTA's end, a kernel's, their own timers.
 *   - A warp scheduler from outside the library (Lua) is one program for all SMs. Its words of state have a place per
 *     scheduler in the arena (external_sched_state); one that has promised to keep nothing else (stateless) chooses the
 *     same in any order. Others see at once what they remember of other SMs: their SMs tick in order, whatever
 *     tick.shuffle says.
 *   - Texture fetches and loads of constants read device memory when they issue. Kernels do not write what they read
 * so.
 *   - The arena's reach, the pages of device memory that were written and the event mask of the machine are sets that
 *     only grow within a cycle: any order gives the same.
 *   - Back-pressure: what the network takes of one SM's requests may leave no room for those of another, which then
 * waits in its port, and sees its miss queue stay full, in the next cycle. */
#ifndef GPU_CROSSING_H
#define GPU_CROSSING_H
#include "base/base.h"

struct gpu;
/* The awake SMs have their cycle; then its news are fetched. */
void crossing_tick(struct gpu *g);
#endif
