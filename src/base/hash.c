#define XXH_IMPLEMENTATION
#include "base/hash.h"

/* This file itself is not instrumented: HASH_LOOK says that the rest is. */
#ifdef HASH_LOOK
#include <sanitizer/asan_interface.h>
static void look(const void *p, size_t bytes)
{
	const void *bad = __asan_region_is_poisoned((void *)p, bytes);
	if (bad)
		BUG("a hash of %zu bytes reads byte %td, which is not there", bytes, (const u8 *)bad - (const u8 *)p);
}
#else
static void look(const void *p, size_t bytes) {}
#endif

u64 hash_bytes(const void *p, size_t bytes, u64 seed)
{
	look(p, bytes);
	return XXH3_64bits_withSeed(p, bytes, seed);
}

void hash_begin(XXH3_state_t *st)
{
	XXH3_64bits_reset(st);
}

void hash_add(XXH3_state_t *st, const void *p, size_t bytes)
{
	look(p, bytes);
	XXH3_64bits_update(st, p, bytes);
}

u64 hash_end(const XXH3_state_t *st)
{
	return XXH3_64bits_digest(st);
}
