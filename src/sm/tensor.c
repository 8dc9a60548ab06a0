#include "sm/tensor.h"

#include "sm/sm.h"

_Static_assert(TENSOR_SCHEDS == SM_MAX_SCHEDS, "one for each sub-core");

u64 tensor_key(const struct mma_shape *m)
{
	return (u64)m->m | (u64)m->n << 10 | (u64)m->k << 20 | (u64)m->a << 32 | (u64)m->b << 37 | (u64)m->c << 42 |
	       (u64)m->d << 47 | (u64)m->sparse << 52 | (u64)m->wmma << 53;
}

struct mma_shape tensor_shape(u64 key)
{
	return (struct mma_shape){.m = key & 1023,
	                          .n = key >> 10 & 1023,
	                          .k = key >> 20 & 1023,
	                          .a = key >> 32 & 31,
	                          .b = key >> 37 & 31,
	                          .c = key >> 42 & 31,
	                          .d = key >> 47 & 31,
	                          .sparse = key >> 52 & 1,
	                          .wmma = key >> 53 & 1};
}

static struct tensor_kind *kind_of(struct tensor_subcore *o, u64 key)
{
	u32 i = 0;
	while (i < TENSOR_KINDS - 1 && o->kind[i].key && o->kind[i].key != key)
		i++;
	if (i < TENSOR_KINDS - 1)
		o->kind[i].key = key;
	return &o->kind[i];
}

void tensor_count(struct tensor_work *t, u32 sched, const struct mma_shape *m, u32 cycles)
{
	struct tensor_subcore *o = &t->of[sched];
	struct tensor_kind *kind = kind_of(o, tensor_key(m));
	const u64 macs = mma_macs_done(m);
	t->k.mma++;
	t->k.busy += cycles;
	(&t->k.macs_f16)[tensor_class_of(m)] += macs;
	o->mma++;
	o->macs += macs;
	o->busy += cycles;
	kind->mma++;
	kind->macs += macs;
	kind->busy += cycles;
}

bool tensor_check(const struct tensor_work *t, u64 mma, struct err *e)
{
	u64 by_class = 0;
	struct tensor_kind cores = {0}, kinds = {0};
	for (u32 c = 0; c < TC_COUNT; c++)
		by_class += tensor_macs(&t->k)[c];
	for (u32 i = 0; i < TENSOR_SCHEDS; i++) {
		cores.mma += t->of[i].mma;
		cores.macs += t->of[i].macs;
		cores.busy += t->of[i].busy;
		for (u32 k = 0; k < TENSOR_KINDS; k++) {
			const struct tensor_kind *o = &t->of[i].kind[k];
			kinds.mma += o->mma;
			kinds.macs += o->macs;
			kinds.busy += o->busy;
			if (o->key && o->macs != o->mma * mma_macs_done(&(const struct mma_shape[]){tensor_shape(o->key)}[0]))
				return err_set(e, "%llu mma of a shape have %llu multiply-adds", (unsigned long long)o->mma,
				               (unsigned long long)o->macs);
		}
	}
	if (mma != t->k.mma || cores.mma != mma || kinds.mma != mma)
		return err_set(e, "mma: issued %llu, tensor units were given %llu, sub-cores %llu, of all kinds %llu",
		               (unsigned long long)mma, (unsigned long long)t->k.mma, (unsigned long long)cores.mma,
		               (unsigned long long)kinds.mma);
	if (by_class != cores.macs || kinds.macs != cores.macs)
		return err_set(e, "multiply-adds: by class %llu, by sub-core %llu, by kind %llu", (unsigned long long)by_class,
		               (unsigned long long)cores.macs, (unsigned long long)kinds.macs);
	return (t->k.busy == cores.busy && kinds.busy == cores.busy) ||
	       err_set(e, "cycles of tensor units: %llu, by sub-core %llu, by kind %llu", (unsigned long long)t->k.busy,
	               (unsigned long long)cores.busy, (unsigned long long)kinds.busy);
}
