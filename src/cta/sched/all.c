#include <string.h>

#include "cta/sched/external.h"
#include "sm/sched/external.h"

#define SCHED(v) extern const struct cta_sched_ops v;
#include "cta/sched/all.def"
#undef SCHED
const struct cta_sched_ops *const cta_scheds[] = {
#define SCHED(v) &v,
#include "cta/sched/all.def"
#undef SCHED
};
const u32 cta_nscheds = ARRAY_LEN(cta_scheds);

const struct cta_sched_ops *cta_sched_find(const char *name)
{
	for (u32 i = 0; i < cta_nscheds; i++)
		if (!strcmp(cta_scheds[i]->name, name))
			return cta_scheds[i];
	return sched_name_external(name) ? &cta_sched_external : NULL;
}
