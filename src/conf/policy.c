#include "conf/policy.h"

#include <string.h>

const struct policy_kind_desc policy_kinds[POLICY_KINDS] = {
#define POLICY_KIND(id, field_, kind, key_, def, when_, help_)                                                         \
	[POLICY_##id] = {                                                                                                  \
	    .name = kind, .key = key_, .help = help_, .field = offsetof(struct conf, field_), .when = POLICY_##when_},
#include "conf/policy_kinds.def"
#undef POLICY_KIND
};

enum policy_kind policy_kind_of(const char *key)
{
	u32 k = 0;
	while (k < POLICY_KINDS && strcmp(policy_kinds[k].key, key) != 0)
		k++;
	return (enum policy_kind)k;
}

bool policy_name_external(const char *name)
{
	return strchr(name, ':');
}
