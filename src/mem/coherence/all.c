/* The list of rules of coherence, from all.def. */
#include "mem/mem.h"

#include "mem/coherence/coherence.h"

#define COHERENCE(v) extern const struct coherence_ops v;
#include "mem/coherence/all.def"
#undef COHERENCE
const struct policy *const coherence_policies[] = {
#define COHERENCE(v) &v.policy,
#include "mem/coherence/all.def"
#undef COHERENCE
    NULL};
