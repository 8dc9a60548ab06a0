/* gpu: the machine put together - build, clocks, tick order. State in the arena, wiring here.
 *
 * Order within a cycle: finished CTAs are collected, kernels start, CTAs are dispatched (one per SM); the awake SMs
 * tick in order; their queued stores and atomics take effect in SM order; the shared memory system moves; events go to
 * their consumers. */
#ifndef GPU_GPU_H
#define GPU_GPU_H
#include "gpu/livelock.h"
#include "gpu/notice.h"
#include "gpu/policies.h"
#include "gpu/query.h"
#include "gpu/starve.h"
#include "gpu/state.h"
#include "gpu/sync.h"
#include "gpu/verbs.h"

struct gpu *gpu_create(const struct conf *c, const struct front_ops *front, struct err *e);
void gpu_destroy(struct gpu *g);
/* Takes the module over; places it. False: the module is freed. */
bool gpu_add_module(struct gpu *g, struct module *m, struct err *e);
/* Queues a launch (copied); its id or -1. */
int gpu_launch(struct gpu *g, const struct launch *l, struct err *e);
/* Who hears of the ways of loads from here on (probe/hops.h); NULL: nobody. */
void gpu_hear(struct gpu *g, const struct hop_ear *ear);
/* Simulates at least one cycle, at most up to cycle `limit` (> gpu_cycle); quiet stretches are skipped in one go.
 * Returns true when a consumer asked to stop. */
bool gpu_advance(struct gpu *g, u64 limit);
/* The machine makes no progress any more: notes it and tells the consumers. Returns whether one asked to stop. */
bool gpu_deadlock(struct gpu *g);
bool gpu_livelock(struct gpu *g); /* the same: the warps go round in circles (gpu/livelock.h) */
/* Between two cycles: the checks of all parts (mem_check_state, sm_check_state, front_check_state, task_check_state),
 * and that they agree with one another: pcs, CTAs dispatched = resident + done, no SM sleeps past its work, no event is
 * left over, everything lies in the arena. False with *e naming what does not hold. Changes nothing. */
bool gpu_check_state(const struct gpu *g, struct err *e);
#endif
