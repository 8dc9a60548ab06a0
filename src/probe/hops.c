#include "probe/hops.h"

const struct hop_desc hop_descs[HOP_COUNT] = {
#define H(id, name, where, meaning) {name, where, meaning},
#include "probe/hops.def"
};
