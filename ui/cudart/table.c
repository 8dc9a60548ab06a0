/* table: a hash table of pointers (table.h). */
#include "cudart/table.h"
#include <stdint.h>
#include <stdlib.h>

#define TABLE_GONE ((const void *)-1)

static size_t place(const struct table *t, const void *key)
{
	return (size_t)(((uintptr_t)key >> 3) * 0x9E3779B97F4A7C15ull >> 20) & (t->room - 1);
}

static struct table_entry *find(const struct table *t, const void *key)
{
	if (!t->room || !key || key == TABLE_GONE)
		return NULL;
	for (size_t i = place(t, key);; i = (i + 1) & (t->room - 1)) {
		if (t->entries[i].key == key)
			return &t->entries[i];
		if (!t->entries[i].key)
			return NULL;
	}
}

static bool grow(struct table *t)
{
	size_t live = 0;
	for (size_t i = 0; i < t->room; i++)
		live += t->entries[i].key && t->entries[i].key != TABLE_GONE;
	struct table bigger = {.room = 64};
	while (bigger.room < live * 4)
		bigger.room *= 2;
	bigger.entries = calloc(bigger.room, sizeof *bigger.entries);
	if (!bigger.entries)
		return false;
	for (size_t i = 0; i < t->room; i++)
		if (t->entries[i].key && t->entries[i].key != TABLE_GONE)
			table_put(&bigger, t->entries[i].key, t->entries[i].value);
	free(t->entries);
	*t = bigger;
	return true;
}

bool table_put(struct table *t, const void *key, void *value)
{
	struct table_entry *there = find(t, key);
	if (there) {
		there->value = value;
		return true;
	}
	if (t->used * 2 >= t->room && !grow(t))
		return false;
	size_t i = place(t, key);
	while (t->entries[i].key)
		i = (i + 1) & (t->room - 1);
	t->entries[i] = (struct table_entry){key, value};
	t->used++;
	return true;
}

void *table_get(const struct table *t, const void *key)
{
	struct table_entry *there = find(t, key);
	return there ? there->value : NULL;
}

void table_remove(struct table *t, const void *key)
{
	struct table_entry *there = find(t, key);
	if (there)
		*there = (struct table_entry){TABLE_GONE, NULL};
}
