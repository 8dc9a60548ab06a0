/* carveout: how one memory of an SM is divided between shared memory and L1D (sm.carveouts). Since Volta the two share
 * their cells, and the driver chooses a size for shared memory, the carve-out, from what the kernels need. */
#ifndef CONF_CARVEOUT_H
#define CONF_CARVEOUT_H
#include "conf/conf.h"

/* The smallest of the sizes that holds so many bytes of shared memory, or else the largest; 0: there is no such list.
 */
u32 carveout_for(const struct conf *c, u64 shared);
/* Ways that L1D lacks beside a carve-out of so many bytes. */
u32 carveout_ways(const struct conf *c, u32 bytes);
/* The list is one: sizes in KiB that rise, leave a way to L1D and hold sm.shared. */
bool carveouts_check(const struct conf *c, struct conf_conflict *of, struct err *e);
#endif
