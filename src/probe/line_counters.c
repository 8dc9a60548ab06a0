#include "probe/line_counters.h"

#include <string.h>

const struct line_counter_desc line_counter_descs[LC_COUNT] = {
#define LC(field, unit, definition) {#field, unit, definition},
#include "probe/line_counters.def"
#undef LC
};
_Static_assert(sizeof(struct line_counters) == LC_COUNT * sizeof(u64), "an array of counters");

int line_counter_find(const char *name)
{
	for (u32 i = 0; i < LC_COUNT; i++)
		if (!strcmp(name, line_counter_descs[i].name))
			return (int)i;
	return -1;
}

void line_counters_add(struct line_counters *into, const struct line_counters *c)
{
	for (u32 i = 0; i < LC_COUNT; i++)
		((u64 *)into)[i] += line_counter_of(c, i);
}
