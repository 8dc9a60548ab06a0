#include "task/partition/meter.h"

static u64 resident_insts(const struct sm *s, u32 launch)
{
	u64 sum = 0;
	for (u32 i = 0; i < SM_MAX_CTAS && s->nctas; i++)
		if (s->cta[i].used && s->cta[i].launch == launch)
			sum += s->cta[i].insts;
	for (u32 word = 0; word < ARRAY_LEN(s->ctas_away); word++)
		FOR_EACH_BIT(bit, s->ctas_away[word])
		{
			const struct cta *c = &s->cta[SM_MAX_CTAS + word * 64 + (u32)bit];
			if (c->inactive && c->launch == launch)
				sum += c->insts;
		}
	return sum;
}

void meter_begin(struct meter *m, const struct partition_view *v, u32 sm, u32 a, u32 b)
{
	struct meter_sm *s = &m->of[sm];
	s->launch[0] = a;
	s->launch[1] = b;
	for (u32 i = 0; i < 2; i++) {
		s->gone[i] = 0;
		s->base[i] = s->launch[i] ? resident_insts(v->sm[sm], s->launch[i] - 1) : 0;
	}
}

void meter_moved(struct meter *m, u32 sm, u32 launch, u64 insts, bool came)
{
	struct meter_sm *s = &m->of[sm];
	for (u32 i = 0; i < 2; i++)
		if (s->launch[i] == launch + 1)
			s->gone[i] += came ? -insts : insts;
}

u64 meter_read(const struct meter *m, const struct partition_view *v, u32 sm, u32 which)
{
	const struct meter_sm *s = &m->of[sm];
	return s->launch[which] ? s->gone[which] + resident_insts(v->sm[sm], s->launch[which] - 1) - s->base[which] : 0;
}
