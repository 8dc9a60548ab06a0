/* The list of networks, from all.def. */
#include "mem/noc/network.h"

#define NETWORK(v) extern const struct network_ops v;
#include "mem/noc/all.def"
#undef NETWORK
const struct policy *const network_policies[] = {
#define NETWORK(v) &v.policy,
#include "mem/noc/all.def"
#undef NETWORK
    NULL};
