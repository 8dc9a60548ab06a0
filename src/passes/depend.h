/* depend: which instructions of a straight run must stay in order, as a graph; for the list scheduler.
 *
 * Edges:
 *
 *   registers  a use behind its definition, a definition behind the uses and the definition of the value before;
 *              guards, predicates and the carry flag are registers. A guarded write reads what it may leave in place.
 *   memory     loads pass loads. A store keeps its order with loads and stores that it may overlap. It does not overlap
 *              accesses to other state spaces (generic meets global, shared and local), nor constant, parameter and
 *              texture reads and ld.nc, which the program promises not to write, nor accesses whose address is a
 *              different constant distance from the same register value, or in another shared or local variable.
 *              Atomics and volatile, acquiring and releasing accesses: no memory access passes them.
 *   calls      accesses to the parameters of functions keep their order
 *   warp       shuffles, votes, matches and the like keep their order with one another
 *
 * All this holds for one thread. Threads that communicate through memory without volatile, fence or barrier may see
 * another order, as with any optimising compiler.
 *
 * A run ends (depend_is_boundary) at jumps, calls, barriers, fences, breakpoints, sleeping, and reading a clock, so
 * nothing moves across what is being timed. Address forms are followed within a run only. */
#ifndef PASSES_DEPEND_H
#define PASSES_DEPEND_H
#include "passes/fn.h"

/* The longest run that is one graph; longer ones are cut. Choosing from the ready instructions and comparing memory
 * accesses cost at most this much per instruction, so scheduling stays linear in the function's length. */
#define DEPEND_MAX 256
#define DEPEND_USES (WIDE_SRC + 1 + WIDE_DST)
#define DEPEND_NONE UINT32_MAX

/* What the code alone does not say. */
struct depend_facts {
	void *ctx;
	/* An operand in the pool with a value known now: true with *v. */
	bool (*constant)(void *ctx, opnd o, u64 *v);
	const u32 *symbol_at;  /* by pc - f->begin: the shared or local variable that inst.imm is an offset in; NONE */
	u32 latency[IC_COUNT]; /* issue to a dependent instruction's issue, cycles */
	bool slot_each;        /* every instruction takes one slot (isa.issue_cost=ptx), else inst.cost */
};

struct depend_edge {
	u32 to, latency, next; /* next: index + 1 */
};
/* A register's contents between two definitions. */
struct depend_value {
	u32 reg, def; /* node that makes it, DEPEND_NONE: from before the run */
	u32 users;    /* list in `links`: index + 1 */
	u32 uses;     /* nodes that read it */
	bool last;    /* the register's value where the run ends */
	u32 root;     /* as an address: this value plus `offset` */
	s64 offset;
};
struct depend_node {
	u32 succ, npreds;   /* first edge: index + 1 */
	u32 latency, slots; /* issue slots; an instruction without any has no latency either */
	u32 height;         /* longest way to the end of the run, cycles */
	/* values; each once: the most are a guarded wide instruction's */
	u32 use[DEPEND_USES], def[WIDE_DST];
	u32 nuse, ndef;
};
struct depend_link {
	u32 node, next;
};
struct depend {
	const struct fn *f;
	const struct depend_facts *facts;
	u32 begin, n; /* pcs [begin, begin + n) */
	struct depend_node node[DEPEND_MAX];
	struct depend_value value[DEPEND_MAX * (DEPEND_USES + WIDE_DST)];
	u32 nvalues;
	struct depend_link link[DEPEND_MAX * DEPEND_USES];
	u32 nlinks;
	struct depend_edge *edges;
	u32 nedges, cap;
	u32 *value_of;                   /* by virtual register: index + 1 into value[] in this run */
	u32 memory[DEPEND_MAX], nmemory; /* accesses since the last one that none may pass */
	u32 fence, warp;                 /* latest such access; latest warp-wide operation */
};

/* f and facts stay. Release with depend_release. */
struct depend *depend_create(const struct fn *f, const struct depend_facts *facts);
void depend_release(struct depend *d);
/* The graph of the pcs [begin, begin + n), n at most DEPEND_MAX, no boundary among them. */
void depend_build(struct depend *d, u32 begin, u32 n);
bool depend_is_boundary(const struct inst *in);
#endif
