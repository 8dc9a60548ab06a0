/* Hashes of memory: XXH3 with 64 bits. Equal bytes have equal hashes, on any host.
 *
 * xxHash is compiled in hash.c alone, which sanitizers leave uninstrumented: hashes of whole arenas took a quarter of
 * their time. A function here asks the address sanitizer once about all bytes that it is given. */
#ifndef BASE_HASH_H
#define BASE_HASH_H
#include <stddef.h>
#define XXH_NAMESPACE warp_
#define XXH_STATIC_LINKING_ONLY /* the size of XXH3_state_t */
#include <xxhash.h>

#include "base/base.h"

u64 hash_bytes(const void *p, size_t bytes, u64 seed);

/* Of bytes in pieces: begin, add every piece, end. */
void hash_begin(XXH3_state_t *st);
void hash_add(XXH3_state_t *st, const void *p, size_t bytes);
u64 hash_end(const XXH3_state_t *st);
#endif
