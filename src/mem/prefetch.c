/* Lines asked for ahead of their use: the instruction prefetch. The line itself remembers that nobody has come to it
 * yet; a line replaced before that was prefetched in vain. */
#include "mem/impl.h"

static struct line *find(const struct l1 *l, u64 addr)
{
	const struct tags *t = &l->tags;
	u64 line = tags_line_of(t, addr);
	u32 i = tags_find(t, tags_set(t, line >> t->line_shift), line);
	return i == TAGS_NONE ? NULL : &t->line[i];
}

bool mem_has_line(const struct mem *m, u32 sm, u64 addr)
{
	const struct l1 *l = &m->l1[sm * MC_COUNT + MC_L1I];
	return l->perfect || find(l, addr) != NULL;
}

enum mem_result mem_prefetch(struct mem *m, u32 sm, const struct mem_txn *t, u32 warp, u64 now)
{
	enum mem_result r = mem_access(m, sm, MC_L1I, MO_PREFETCH, t, warp << TOKEN_BITS, now);
	if (r == MR_PENDING)
		find(&m->l1[sm * MC_COUNT + MC_L1I], t->addr)->prefetched = 1;
	return r;
}

bool mem_prefetch_used(struct mem *m, u32 sm, u64 addr)
{
	struct line *v = find(&m->l1[sm * MC_COUNT + MC_L1I], addr);
	bool used = v && v->prefetched;
	if (used)
		v->prefetched = 0;
	return used;
}
