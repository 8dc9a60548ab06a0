/* line_counters: the rows of line_counters.def as a struct and as descriptions. */
#ifndef PROBE_LINE_COUNTERS_H
#define PROBE_LINE_COUNTERS_H
#include "base/base.h"

struct line_counters {
#define LC(field, unit, definition) u64 field;
#include "probe/line_counters.def"
#undef LC
};
enum line_counter {
#define LC(field, unit, definition) LC_##field,
#include "probe/line_counters.def"
#undef LC
	LC_COUNT
};
struct line_counter_desc {
	const char *name, *unit, *help;
};
extern const struct line_counter_desc line_counter_descs[LC_COUNT];
int line_counter_find(const char *name); /* enum line_counter, or -1 */

static inline u64 line_counter_of(const struct line_counters *c, u32 i)
{
	return ((const u64 *)c)[i];
}
void line_counters_add(struct line_counters *into, const struct line_counters *c);
#endif
