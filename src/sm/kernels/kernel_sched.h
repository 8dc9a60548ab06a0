/* A kernel-aware warp scheduler: of the kernels that share an SM, whose warps go first (Park 2016, section 5.4.3). It
 * stands above the warp scheduler, which chooses among the warps that the kernel scheduler lets it see; the others'
 * warps have their turn if the warp scheduler declines those. One file, one const ops struct at its end, one line in
 * all.def. Registry names are the values of `kernel-sched`.
 *
 * With any policy but `none`, warps of CTAs that others wait for come first of all: those of a CTA that is drained
 * (struct sm, `leaving`), and of the boundary CTAs of a kernel that has no CTAs to come (`last`). */
#ifndef SM_KERNELS_KERNEL_SCHED_H
#define SM_KERNELS_KERNEL_SCHED_H
#include "sm/sched/sched.h"

#define KERNELS_ON_SM 16
/* What a scheduler of an SM knows of a kernel, for as long as its place is not needed for another. Without holes. */
struct kernel_turn {
	u64 issued, ready; /* sums over cycles: instructions, warps that could issue */
	u64 served;        /* number of the turn in which it last issued; 0: never */
	u64 alone_issued;  /* while no other kernel was on the SM: instructions, and ... */
	u64 alone_cycles;
	u32 launch; /* + 1; 0: the place is free */
	u32 left;   /* fair: instructions of its quota */
};
struct kernel_turns { /* of one scheduler; arena */
	u64 turns;        /* instructions issued */
	u64 alone_at;     /* the last cycle in which the kernel in `alone` was seen alone */
	u32 alone;        /* launch + 1 */
	u32 now;          /* launch + 1 of the kernel that issued last */
	struct kernel_turn k[KERNELS_ON_SM];
};
/* A kernel with CTAs on the SM. */
struct kernel_there {
	struct kernel_turn *turn;
	u64 ready; /* of this scheduler's warps, those that can issue */
	u32 launch, ctas;
	const struct launch *spec;
};
struct kernel_view {
	const struct conf *conf;
	u32 n;
	struct kernel_there k[KERNELS_ON_SM];
};

struct kernel_sched_ops {
	POLICY_HEAD;
	/* Some kernels have warps that can issue: those that go first, of the mask of places in v->k whose kernels have any
	 * (never 0). NULL: no kernel is told from another. */
	u32 (*first)(struct kernel_turns *st, const struct kernel_view *v, u32 ready);
	/* Optional: the kernel in this place has issued. */
	void (*issued)(struct kernel_turn *k);
};
/* All of them; ends with NULL. Each is the head of a struct kernel_sched_ops. */
extern const struct policy *const kernel_policies[];

size_t kernels_bytes(const struct conf *c);
/* The SM has got another policy between two cycles: its state begins. */
void kernels_begin(struct sm_ctx *x, struct sm *s);
/* The warp that issues, of those that can (never 0), or NO_WARP. */
u32 kernels_pick(struct sm_ctx *x, struct sm *s, const struct sched_view *v, u64 ready);
/* It has issued. */
void kernels_issued(struct sm_ctx *x, struct sm *s, const struct sched_view *v, u32 warp);
/* Marks the boundary CTAs of these kernels (by launch, n of them), which have no CTAs to come: those whose registers
 * end where another kernel's, or free ones, begin. */
void kernels_mark_last(struct sm_ctx *x, struct sm *s, const u32 *launch, u32 n);

/* fair, without a machine: quotas of kernels in an epoch of so many instructions (equation 5.4): in the ratio of the
 * share of cycles in which they issue when they are alone (percent; below 0: not known, taken as the mean of the
 * others), times CTAs by CTAs alone. None below 1. */
void kernel_quotas(u32 n, const double *percent, const u32 *ctas, const u32 *alone, u32 epoch, u32 *quota);
#endif
