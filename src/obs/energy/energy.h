/* energy: the energy that a run has cost, computed from counters. It only reads, and has no state: the energy of a
 * cycle is the same whenever one comes back to it.
 *
 * All energies are whole femtojoules. A table (conf/energy.def) gives the energy of each event and the leakage of a
 * cycle, rounded once to fJ; everything else is multiplied and added, so parts, SMs, kernels and total close exactly.
 * u64 holds 18 kJ, some minutes of simulated time.
 *
 *   machine = sum of SMs + uncore = sum of kernels + rest      part by part
 *
 * Everything leaks in every cycle, except gated things (energy.gate_registers, energy.gate_shared). `gated` is the
 * leakage that was saved; with the keys off, leakage is higher by exactly that.
 *
 * Kernels: what is counted for a kernel is exact (lanes, operands, flits). Any other part of the machine's energy is
 * split in proportion to the counter that comes nearest: fetches, decoding and scheduling by warp instructions, L1D by
 * transactions, the constant and texture caches by lanes, L2 and DRAM by the messages to L2, clocks by warp cycles. Of
 * leakage and idle power, the share of SM cycles with a resident warp belongs to the kernels, by their warp cycles.
 * Shares are cut at whole fJ of the running sum, so nothing is lost. `rest` is what belongs to no kernel: SMs without a
 * warp, and the work of CTAs that are saved at the moment. */
#ifndef OBS_ENERGY_ENERGY_H
#define OBS_ENERGY_ENERGY_H
#include "gpu/query.h"

enum energy_group { EG_core, EG_shared, EG_l1, EG_l2, EG_network, EG_dram, EG_board, EG_COUNT };
enum energy_place { EPL_SM, EPL_UNCORE };
enum energy_part {
#define PART(id, group, place, help) EP_##id,
#include "obs/energy/parts.def"
#undef PART
	EP_COUNT
};
struct energy_part_desc {
	const char *name, *help;
	enum energy_group group;
	enum energy_place place;
};
extern const struct energy_part_desc energy_parts[EP_COUNT];
extern const char *const energy_group_names[EG_COUNT]; /* "core", "shared", ... */

struct energy_amount {
	u64 dynamic, leakage; /* fJ; leakage without what was gated */
	u64 gated;            /* fJ that were not leaked */
};
struct energy {
	struct energy_amount part[EP_COUNT];
};
/* Of one SM; of what is outside; of all. Counters are brought up to date. */
void energy_of_sm(struct gpu *g, u32 sm, struct energy *out);
void energy_of_uncore(struct gpu *g, struct energy *out);
void energy_of_machine(struct gpu *g, struct energy *out);
/* By group, dynamic + leakage: the machine's in out[0] and, where scopes says that they are wanted (number of SMs + 1),
 * SM n's in out[n + 1]. For who asks often: the table is worked out once. */
void energy_of_groups(struct gpu *g, u64 (*out)[EG_COUNT], u32 scopes);
/* Of each launch: out[gpu_num_kernels(g)]; and what belongs to none. */
void energy_of_kernels(struct gpu *g, struct energy *out, struct energy *rest);

void energy_add(struct energy *into, const struct energy *e);
struct energy_amount energy_sum(const struct energy *e);
u64 energy_total(const struct energy *e); /* dynamic + leakage */
u64 energy_of_group(const struct energy *e, enum energy_group g);
/* Mean power of fJ in so many core cycles; NAN for none. */
double energy_watts(const struct conf *c, u64 fj, u64 cycles);

/* The sums of the head, by another way: parts of the machine from the summed counters; SMs and uncore; kernels and the
 * rest. False with *e naming the one that does not hold. */
bool energy_check(struct gpu *g, struct err *e);
#endif
