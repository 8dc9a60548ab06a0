#include "front/ptx/reader/names.h"

#include <stdlib.h>
#include <string.h>

static u64 hash(const char *p, u32 len)
{
	u64 h = 0xcbf29ce484222325ull; /* FNV-1a */
	for (u32 i = 0; i < len; i++)
		h = (h ^ (u8)p[i]) * 0x100000001b3ull;
	return h ^ h >> 32;
}

static struct name_slot *find(struct name_slot *slots, u32 cap, const char *p, u32 len)
{
	for (u32 i = (u32)hash(p, len) & (cap - 1);; i = (i + 1) & (cap - 1)) {
		struct name_slot *s = &slots[i];
		if (!s->p || (s->len == len && !memcmp(s->p, p, len)))
			return s;
	}
}

u32 names_get(const struct names *t, const char *p, u32 len)
{
	if (!t->cap)
		return NAMES_NONE;
	const struct name_slot *s = find(t->slots, t->cap, p, len);
	return s->p ? s->value : NAMES_NONE;
}

static void grow(struct names *t)
{
	u32 cap = t->cap ? t->cap * 2 : 16;
	struct name_slot *slots = xcalloc(cap, sizeof(*slots));
	for (u32 i = 0; i < t->cap; i++)
		if (t->slots[i].p)
			*find(slots, cap, t->slots[i].p, t->slots[i].len) = t->slots[i];
	free(t->slots);
	t->slots = slots;
	t->cap = cap;
}

void names_put(struct names *t, const char *p, u32 len, u32 value)
{
	if ((t->used + 1) * 2 > t->cap)
		grow(t);
	struct name_slot *s = find(t->slots, t->cap, p, len);
	t->used += !s->p;
	*s = (struct name_slot){p, len, value};
}

void names_release(struct names *t)
{
	free(t->slots);
	*t = (struct names){0};
}
