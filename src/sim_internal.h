/* What sim.c, sim_check.c and sim_travel.c share. */
#ifndef SIM_INTERNAL_H
#define SIM_INTERNAL_H
#include <signal.h>

#include "gpu/gpu.h"
#include "gpu/turn.h"
#include "obs/history/history.h"
#include "sim.h"

struct sampler {
	u64 period, next;
	sample_fn *fn;
	bool hears_again;
	rewind_fn *fork, *leave;
	keep_fn *keep;
	recall_fn *recall;
	void *ctx;
};
#define MAX_SAMPLERS 16
struct sim {
	struct gpu *gpu;
	const struct hop_ear *ear; /* who hears of loads, but not of what sim_go() goes through again */
	volatile sig_atomic_t interrupted;
	struct sampler sampler[MAX_SAMPLERS];
	u32 nsamplers;
	u64 awaited;       /* programs, as bits */
	u64 awaited_ended; /* kernels that had ended when they were looked at; NEVER: look */
	u64 next_sample;
	bool forked;      /* sim_forked(): there are no more snapshots but those that turns need */
	bool stop_wanted; /* by a sampler, in this cycle */
	u64 checked;      /* a checking build: the last multiple of SIM_CHECK at which it looked at the state */
	/* Time travel: off while history is NULL. */
	struct history *history;
	u64 frontier;                /* the farthest cycle simulated since the last fork */
	u64 next_look;               /* cycle at which to look whether an AUTO snapshot is due */
	u64 look_ns, look_at;        /* host time and cycle of the last look */
	u64 take_avg;                /* host time that an AUTO snapshot takes */
	u64 debt_ns;                 /* host time that snapshots have cost and simulating has not paid back */
	struct module **dead_module; /* of forked-off pasts: kept until the end, somebody may hold them */
	struct launch **dead_launch;
	struct code_tables *dead_table;
	u32 ndead_modules, ndead_launches;
};

/* sim_check.c: in a checking build, looks at the state when the clock has passed a multiple of SIM_CHECK. */
#ifdef SIM_CHECK
void sim_check_periodic(struct sim *s);
#else
static inline void sim_check_periodic(struct sim *s) {}
#endif

/* sim_travel.c: before the machine advances - passes snapshots, takes an AUTO one when it is time. Returns the cycle at
 * which it wants to be called again; 0: a TURN is due. */
u64 travel_step(struct sim *s);
/* The machine takes the state of the TURN that is due. */
void travel_take_turn(struct sim *s);
/* sim.c: the earliest cycle any sampler wants. */
void sim_find_next_sample(struct sim *s);
/* sim.c: is a policy in use whose state no snapshot has? And: forgets the failures of policies (the machine goes back).
 */
bool sim_policy_blind(const struct sim *s);
void sim_clear_policy_errors(struct sim *s);
void travel_free(struct sim *s);
/* Has the machine the matrix instructions that a kernel reaches? Else false with *e, which names one (sim_needs.c). */
bool sim_has_what_it_needs(const struct conf *c, const struct module *m, const struct func *fn, struct err *e);
#endif
