/* index: allocations in the order of their addresses (index.h). */
#include "cudart/index.h"
#include <stdlib.h>
#include <string.h>

static struct allocation *all;
static size_t count, room;

/* How many begin at or below the address. */
static size_t upto(uint64_t address)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (all[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool index_add(struct allocation a)
{
	if (count == room) {
		size_t more = room ? room * 2 : 256;
		struct allocation *bigger = realloc(all, more * sizeof *all);
		if (!bigger)
			return false;
		all = bigger;
		room = more;
	}
	size_t at = upto(a.address);
	memmove(all + at + 1, all + at, (count - at) * sizeof *all);
	all[at] = a;
	count++;
	return true;
}

void index_remove(uint64_t address)
{
	size_t at = upto(address);
	if (!at || all[at - 1].address != address)
		return;
	memmove(all + at - 1, all + at, (count - at) * sizeof *all);
	count--;
}

struct allocation *index_find(const void *address)
{
	uint64_t a = (uint64_t)address;
	size_t at = upto(a);
	if (!at)
		return NULL;
	struct allocation *found = &all[at - 1];
	return a - found->address < found->bytes ? found : NULL;
}

struct allocation *index_next(uint64_t address)
{
	size_t at = address ? upto(address - 1) : 0;
	return at < count ? &all[at] : NULL;
}
