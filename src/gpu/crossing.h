/* clang-format off */
/* crossing: a cycle of the SMs, and every way in which one SM notices another.
 *
 * An SM's tick writes its own state only: struct sm with what lies behind it, its part of the front end (warps, frames,
 * shared memory, its queue of stores), its caches and miss queue, its event buffer. What others have to know of it lies
 * in a place of its own, too. It is fetched from there, in the order of the SMs, when all of them have had their tick.
 * So nothing depends on the order of the ticks (tick.shuffle proves it), and they could run side by side.
 *
 *   what                      its place                     fetched by                     and then
 *   stores, atomics, free()   the front end's queue         front_commit()                 memory, from the next cycle
 *   malloc() in kernels       the same                      front_commit()                 which block each is given
 *   lock words                with the atomic; shared       front_commit()                 told by `why` and `info`
 *                             memory: a table an SM
 *   loads (commit.delay)      the same queue                front_read(), before           its own registers
 *                                                           any SM's front_commit()
 *   an SM at fault            sm.faulted; front's faults    crossing_tick()                the machine stops
 *   CTAs that have ended      sm.done_slots, gpu.done_at    collect(), the next cycle      which CTA starts where
 *   wake bits, sleep          what the tick returns         crossing_tick()                sets of SMs; no other SM's
 *   memory requests           mem: miss queue, fresh[]      mem_tick(), the same cycle     ports, L2, DRAM: noc.latency
 *                                                                                          later; back-pressure: below
 *   restart points            restart: a list an SM         restart_gather()               a record
 *   accesses, for checks      checks: notes of an SM        checks_cycle()                 findings
 *   text of printf            the front end's, an SM        front_commit()                 the host
 *   events                    ev[sm]                        deliver_all(), cycle's end     the host
 *
 * With commit.delay = D, others notice all of this D cycles later. What was issued in cycle t reads and writes memory
 * at the end of cycle t + D. Loads go first, so each load finds what stores of the cycles before its own have left, and
 * nothing later, as without delay. A CTA is collected D cycles later. The machine stops D cycles after a fault, and
 * until then the SM at fault stands still. Until it is due, all of it waits at the SM's place, in the arena. Records
 * and what belongs to the host come at once, except lock words.
 *
 * Other ways from SM to SM:
 *
 *   - Policies that choose CTAs and partitions, the search for hangs, and queries look at all SMs. They are asked
 *     between two cycles, at times that are known before: when a CTA is collected, and by timers of their own.
 *   - A warp scheduler from outside the library (Lua) is one program for all SMs. Its words of state have a place per
 *     scheduler (external_sched_state, arena). A scheduler that has promised to keep nothing else (stateless) chooses
 *     the same in any order. Of the others, each SM sees at once what they remember of the rest; they are asked in SM
 *     order, whatever tick.shuffle says. The first failure of a policy stops the machine after that cycle.
 *   - Texture fetches and loads of constants read device memory at issue; kernels do not write what they read in this
 *     way (CUDA leaves it undefined). A printf reads its strings at issue, from memory and from its own SM's queue.
 *   - Addresses in the heap of malloc() are looked up in its table at issue. The address given to free() is, too,
 *     unless there is a delay: then a wrong one is found where it takes effect.
 *   - The arena's reach and the pages of device memory written by local stores are sets that only grow within a cycle:
 *     any order gives the same.
 *   - Back-pressure: the requests that the network takes from one SM may leave no room for another SM's. These then
 *     wait in its port, and the SM sees its miss queue full in the next cycle. commit.delay does not change that: SMs
 *     that are to run apart for D cycles need a port that hears of free places D cycles later, too. */
/* clang-format on */
#ifndef GPU_CROSSING_H
#define GPU_CROSSING_H
#include "base/base.h"

struct gpu;
/* The awake SMs have their cycle; then the news that are due are fetched. */
void crossing_tick(struct gpu *g);
/* Of an SM's CTA slots, those whose CTA, if it has ended, may be seen to have. They are collected at once. */
u32 crossing_ended(struct gpu *g, u32 sm);
#endif
