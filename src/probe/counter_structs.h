/* The counter structs: one struct of u64 per group, made from counters.def. The trick: each group's include lets only
 * its own rows through, by pasting GROUP_<wanted>_<row's group>. */
#ifndef PROBE_COUNTER_STRUCTS_H
#define PROBE_COUNTER_STRUCTS_H
#include "base/base.h"

#define COUNTER_KEEP(f) u64 f;
#define COUNTER_DROP(f)
#define PICK_sm_sm COUNTER_KEEP
#define PICK_sm_l1i COUNTER_DROP
#define PICK_sm_l1d COUNTER_DROP
#define PICK_sm_l1c COUNTER_DROP
#define PICK_sm_l1t COUNTER_DROP
#define PICK_sm_tensor COUNTER_DROP
#define PICK_sm_l2 COUNTER_DROP
#define PICK_sm_noc COUNTER_DROP
#define PICK_sm_dram COUNTER_DROP
#define PICK_sm_kernel COUNTER_DROP
#define PICK_cache_sm COUNTER_DROP
#define PICK_cache_l1i COUNTER_DROP
#define PICK_cache_l1d COUNTER_DROP
#define PICK_cache_l1c COUNTER_DROP
#define PICK_cache_l1t COUNTER_DROP
#define PICK_cache_tensor COUNTER_DROP
#define PICK_cache_l2 COUNTER_KEEP
#define PICK_cache_noc COUNTER_DROP
#define PICK_cache_dram COUNTER_DROP
#define PICK_cache_kernel COUNTER_DROP
#define PICK_l1i_sm COUNTER_DROP
#define PICK_l1i_l1i COUNTER_KEEP
#define PICK_l1i_l1d COUNTER_DROP
#define PICK_l1i_l1c COUNTER_DROP
#define PICK_l1i_l1t COUNTER_DROP
#define PICK_l1i_tensor COUNTER_DROP
#define PICK_l1i_l2 COUNTER_DROP
#define PICK_l1i_noc COUNTER_DROP
#define PICK_l1i_dram COUNTER_DROP
#define PICK_l1i_kernel COUNTER_DROP
#define PICK_tensor_sm COUNTER_DROP
#define PICK_tensor_l1i COUNTER_DROP
#define PICK_tensor_l1d COUNTER_DROP
#define PICK_tensor_l1c COUNTER_DROP
#define PICK_tensor_l1t COUNTER_DROP
#define PICK_tensor_tensor COUNTER_KEEP
#define PICK_tensor_l2 COUNTER_DROP
#define PICK_tensor_noc COUNTER_DROP
#define PICK_tensor_dram COUNTER_DROP
#define PICK_tensor_kernel COUNTER_DROP
#define PICK_noc_sm COUNTER_DROP
#define PICK_noc_l1i COUNTER_DROP
#define PICK_noc_l1d COUNTER_DROP
#define PICK_noc_l1c COUNTER_DROP
#define PICK_noc_l1t COUNTER_DROP
#define PICK_noc_tensor COUNTER_DROP
#define PICK_noc_l2 COUNTER_DROP
#define PICK_noc_noc COUNTER_KEEP
#define PICK_noc_dram COUNTER_DROP
#define PICK_noc_kernel COUNTER_DROP
#define PICK_dram_sm COUNTER_DROP
#define PICK_dram_l1i COUNTER_DROP
#define PICK_dram_l1d COUNTER_DROP
#define PICK_dram_l1c COUNTER_DROP
#define PICK_dram_l1t COUNTER_DROP
#define PICK_dram_tensor COUNTER_DROP
#define PICK_dram_l2 COUNTER_DROP
#define PICK_dram_noc COUNTER_DROP
#define PICK_dram_dram COUNTER_KEEP
#define PICK_dram_kernel COUNTER_DROP
#define PICK_kernel_sm COUNTER_DROP
#define PICK_kernel_l1i COUNTER_DROP
#define PICK_kernel_l1d COUNTER_DROP
#define PICK_kernel_l1c COUNTER_DROP
#define PICK_kernel_l1t COUNTER_DROP
#define PICK_kernel_tensor COUNTER_DROP
#define PICK_kernel_l2 COUNTER_DROP
#define PICK_kernel_noc COUNTER_DROP
#define PICK_kernel_dram COUNTER_DROP
#define PICK_kernel_kernel COUNTER_KEEP

struct sm_counters {
#define C(g, f, unit, help) PICK_sm_##g(f)
#include "probe/counters.def"
#undef C
};
struct cache_counters { /* the rows of l2, of which l1i, l1d, l1c and l1t have some */
#define C(g, f, unit, help) PICK_cache_##g(f)
#include "probe/counters.def"
#undef C
};
/* L1I's are as many u64 as the others', and begin as they do; what only it counts lies where the others have lookups.
 */
struct l1i_counters {
#define C(g, f, unit, help) PICK_l1i_##g(f)
#include "probe/counters.def"
#undef C
};
_Static_assert(sizeof(struct l1i_counters) <= sizeof(struct cache_counters), "they lie in the same place");
_Static_assert(offsetof(struct l1i_counters, mshr_cycles) == offsetof(struct cache_counters, mshr_cycles),
               "the rows that both have");
struct tensor_counters {
#define C(g, f, unit, help) PICK_tensor_##g(f)
#include "probe/counters.def"
#undef C
};
struct noc_counters {
#define C(g, f, unit, help) PICK_noc_##g(f)
#include "probe/counters.def"
#undef C
};
struct dram_counters {
#define C(g, f, unit, help) PICK_dram_##g(f)
#include "probe/counters.def"
#undef C
};
struct kernel_counters {
#define C(g, f, unit, help) PICK_kernel_##g(f)
#include "probe/counters.def"
#undef C
};
#endif
