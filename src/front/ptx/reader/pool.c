/* The pool of broadcast constants. An entry is named by its operand as soon as it is made; its bytes are written by
 * pool_build(), when the offsets of shared and local variables are known. */
#include <stdlib.h>
#include <string.h>

#include "front/ptx/reader/loader.h"
#include "ir/devmem.h"

static u32 cst_hash(const struct cst *c)
{
	u64 h = c->value * 0x9e3779b97f4a7c15ull ^ (u64)(u32)c->sym << 32 ^ (u64)(u32)c->func * 0x85ebca6bull ^
	        (u64)(u32)c->owner << 7;
	h ^= (u64)c->bytes << 1 | c->generic;
	h *= 0xff51afd7ed558ccdull;
	return (u32)(h >> 40);
}

static bool cst_same(const struct cst *a, const struct cst *b)
{
	return a->value == b->value && a->sym == b->sym && a->func == b->func && a->owner == b->owner &&
	       a->bytes == b->bytes && a->generic == b->generic;
}

static void rehash(struct loader *ld)
{
	u32 n = ld->ncst_heads ? ld->ncst_heads * 4 : 256;
	free(ld->cst_heads);
	ld->cst_heads = xcalloc(n, sizeof(u32));
	ld->ncst_heads = n;
	for (u32 i = 0; i < ld->ncsts; i++) {
		u32 *head = &ld->cst_heads[cst_hash(&ld->csts[i]) & (n - 1)];
		ld->csts[i].next = *head;
		*head = i + 1;
	}
}

static opnd intern(struct loader *ld, struct cst want)
{
	if (ld->ncsts >= ld->ncst_heads)
		rehash(ld);
	u32 *head = &ld->cst_heads[cst_hash(&want) & (ld->ncst_heads - 1)];
	for (u32 i = *head; i; i = ld->csts[i - 1].next)
		if (cst_same(&ld->csts[i - 1], &want))
			return OPND_POOL | ld->csts[i - 1].at;
	if (ld->m->pool_bytes > (1u << 30)) {
		ld_fail(ld, &ld->tok, "more than 1 GiB of different constants");
		return OPND_POOL;
	}
	want.at = (u32)ld->m->pool_bytes;
	want.next = *head;
	struct cst *c = PUSH(ld->csts, ld->ncsts);
	*c = want;
	*head = ld->ncsts;
	ld->m->pool_bytes += want.bytes * WARP_SIZE;
	return OPND_POOL | want.at;
}

opnd pool_value(struct loader *ld, u64 value, u32 bytes)
{
	bytes = bytes == 8 ? 8 : 4;
	return intern(
	    ld,
	    (struct cst){.value = bytes == 8 ? value : (u32)value, .sym = -1, .func = -1, .owner = -1, .bytes = (u8)bytes});
}

opnd pool_symbol(struct loader *ld, u32 sym, s64 add, u32 bytes, bool generic)
{
	const struct symbol *s = &ld->m->symbols[sym];
	bool dynamic = s->space == SPC_SHARED && !s->size;
	return intern(ld, (struct cst){.value = (u64)add,
	                               .sym = (s32)sym,
	                               .func = -1,
	                               .owner = dynamic ? ld->fn : -1,
	                               .bytes = bytes == 8 ? 8 : 4,
	                               .generic = generic});
}

opnd pool_func(struct loader *ld, u32 func, u32 bytes)
{
	return intern(ld, (struct cst){.sym = -1, .func = (s32)func, .owner = -1, .bytes = bytes == 8 ? 8 : 4});
}

static void broadcast(u8 *at, u64 value, u32 bytes)
{
	for (u32 l = 0; l < WARP_SIZE; l++)
		memcpy(at + l * bytes, &value, bytes); /* little-endian hosts */
}

/* Offsets of shared and local variables are known now; addresses of the others become fixes for the time of placing. */
static u64 resolve(struct loader *ld, const struct cst *c)
{
	if (c->sym < 0 && c->func < 0)
		return c->value;
	const struct symbol *s = c->sym >= 0 ? &ld->m->symbols[c->sym] : NULL;
	if (s && (s->space == SPC_SHARED || s->space == SPC_LOCAL)) {
		u64 base = c->owner >= 0 ? ld->m->funcs[c->owner].dynamic_shared_off : s->addr;
		u64 window = !c->generic ? 0 : s->space == SPC_SHARED ? SHARED_WINDOW : LOCAL_WINDOW;
		return base + c->value + window;
	}
	struct pool_fix *x = PUSH(ld->m->fixes, ld->m->nfixes);
	*x = (struct pool_fix){
	    .at = c->at, .bytes = c->bytes, .sym = c->sym, .func = c->func, .add = (s64)c->value, .generic = c->generic};
	return 0;
}

bool pool_build(struct loader *ld)
{
	struct module *m = ld->m;
	if (ld->failed)
		return false;
	m->pool = aligned_alloc(128, MAX(m->pool_bytes, (size_t)128));
	if (!m->pool)
		return ld_fail(ld, &ld->tok, "no memory for %zu bytes of constants", m->pool_bytes);
	for (u32 i = 0; i < ld->ncsts; i++)
		broadcast(m->pool + ld->csts[i].at, resolve(ld, &ld->csts[i]), ld->csts[i].bytes);
	return true;
}
