/* gpu: L1D is written through, and emptied when a kernel starts that has the machine to itself.
 *
 * - Global stores: write-through, write-evict, no allocation. A hit invalidates what it touches (the line; its sectors
 * in a sectored cache), unless l1d.keep_stores is on. Sectors on their way are left alone, as GPGPU-Sim does.
 * - Local stores: write-back on a hit; a miss goes through without allocating.
 * - Atomics evict and pass to the L2, as do volatile loads.
 * - Kernel start: everything clean goes. Dirty local lines stay: they belong to threads of kernels still running or are
 *   written back when replaced.
 *
 * So what an SM wrote is in L2 when it is acknowledged, and another SM sees it from its next kernel on, or with a load
 * that passes L1D. */
#include "mem/l1.h"

static enum mem_result load_fresh(const struct access *a)
{
	l1_drop_touched(a);
	return l1_fetch_around(a);
}

/* A store of a cache that keeps it: written through, and its line is there afterwards. */
static enum mem_result store_kept(const struct access *a)
{
	struct l1 *l = a->l;
	struct tags *t = &l->tags;
	u32 set = a->set, i = tags_find(t, set, a->line);
	bool absent = i == TAGS_NONE, whole = a->t->bytes == sector_count(a->t->sectors) * SECTOR_BYTES;
	if (!l1_store_room(a))
		return l1_refuse(a, MR_RF_QUEUE);
	u32 place = absent ? tags_victim(t, set, t->ways - l->st->lent) : i;
	if (place == TAGS_NONE)
		return l1_refuse(a, MR_RF_LINE);
	l1_count_store(a, i);
	if (absent)
		l1_take_place(a, set, place);
	struct line *v = &t->line[place];
	bool hit = !(a->t->sectors & ~(v->valid | v->dirty));
	tags_touch(t, place);
	v->dirty |= a->t->sectors;
	if (whole)
		v->valid |= a->t->sectors;
	if (l->ideal.n)
		ideal_use(&l->ideal, place, a->line, whole ? a->t->sectors : a->t->sectors & v->valid);
	l->cc->hits += hit;
	l->cc->misses += !hit;
	l->cc->write_misses += !hit;
	l->cc->writes++;
	return l1_send_down(a);
}

static enum mem_result store_global(const struct access *a)
{
	if (!l1_store_room(a))
		return l1_refuse(a, MR_RF_QUEUE);
	bool hit = l1_drop_touched(a);
	a->l->cc->hits += hit;
	a->l->cc->misses += !hit;
	a->l->cc->write_misses += !hit;
	a->l->cc->writes++;
	return l1_send_down(a);
}

static enum mem_result atomic(const struct access *a)
{
	if (!l1_store_room(a))
		return l1_refuse(a, MR_RF_QUEUE);
	l1_drop_touched(a);
	a->l->cc->bypasses++;
	a->l->cc->atomics++;
	return l1_send_down(a);
}

static enum mem_result store(const struct access *a)
{
	if (a->l->keeps)
		return store_kept(a);
	return a->op == MO_STORE ? store_global(a) : l1_store_local(a);
}

/* Stores that are kept were written through. */
static u8 evict(const struct l1 *l, const struct line *v)
{
	return l->keeps ? 0 : v->dirty;
}

static bool empty(struct l1 *l, u32 i)
{
	struct tags *t = &l->tags;
	struct line *v = &t->line[i];
	tags_arrive(t, i, v->pending);
	if (l->keeps)
		v->dirty = 0; /* L2 has it too */
	v->valid &= v->dirty;
	if (v->valid)
		return true;
	tags_drop(t, i);
	return false;
}

extern const struct coherence_ops coherence_gpu;
const struct coherence_ops coherence_gpu = {
    .name = "gpu",
    .help = "L1D is written through, and emptied when a kernel starts that has the machine to itself",
    .source = "the baseline of Huzaifa 2020",
    .load_miss = l1_fetch_line,
    .load_fresh = load_fresh,
    .store = store,
    .atomic = atomic,
    .evict = evict,
    .empty = empty,
    .kernel_start = l1_kernel_start,
};
