/* names: a hash table from a piece of the text to a number. Keys point into text that outlives the table. */
#ifndef FRONT_PTX_READER_NAMES_H
#define FRONT_PTX_READER_NAMES_H
#include "base/base.h"

struct names {
	struct name_slot {
		const char *p;
		u32 len, value;
	} * slots;
	u32 cap, used;
};
#define NAMES_NONE UINT32_MAX
u32 names_get(const struct names *t, const char *p, u32 len);       /* NAMES_NONE when absent */
void names_put(struct names *t, const char *p, u32 len, u32 value); /* adds or replaces */
void names_release(struct names *t);
#endif
