#include "obs/stats/restart_record.h"

#include <math.h>
#include <stdlib.h>

#include "passes/idempotence.h"

static void add_launches(struct restart_record *r, const struct gpu *g, const struct func *fn)
{
	double insts = 0, time = 0;
	for (u32 i = 0; i < gpu_num_kernels(g); i++) {
		const struct restart_launch *l = gpu_restart_launch(g, i);
		if (gpu_launched(g, i)->fn != fn)
			continue;
		r->ended += l->ended;
		r->idempotent += l->idempotent;
		r->overwrote += l->with[RESTART_OVERWRITE];
		r->atomic += l->with[RESTART_ATOMIC];
		r->printed += l->with[RESTART_PRINT];
		r->unknown += l->with[RESTART_LOST];
		r->measured += l->measured;
		r->most_blocks = MAX(r->most_blocks, l->most_blocks);
		insts += l->insts_share;
		time += l->time_share;
	}
	r->insts_share = r->measured ? insts / (double)r->measured : (double)NAN;
	r->time_share = r->measured ? time / (double)r->measured : (double)NAN;
}

static void count_resident(struct restart_record *r, const struct gpu *g, const struct func *fn)
{
	const struct conf *c = gpu_conf(g);
	struct cta_info cta;
	for (u32 i = 0; i < c->num_sms; i++)
		for (u32 slot = 0; slot < c->sm_ctas; slot++) {
			gpu_cta_info(g, i, slot, &cta);
			if (!cta.used || gpu_launched(g, cta.launch)->fn != fn)
				continue;
			r->resident++;
			r->resident_idempotent += gpu_idempotent_now(g, i, slot);
		}
}

static bool has_point(const struct idempotence *s, u32 pc)
{
	for (u32 i = 0; i < s->npoints; i++)
		if (s->list[i].pc == pc)
			return true;
	return false;
}

static int by_pc(const void *a, const void *b)
{
	const struct restart_place *x = a, *y = b;
	return x->pc != y->pc ? (x->pc < y->pc ? -1 : 1) : (int)x->cause - (int)y->cause;
}

static void add_places(struct restart_record *r, const struct gpu *g, const struct launch *l,
                       const struct idempotence *s)
{
	u32 n;
	const struct restart_point *p = gpu_restart_points(g, &n, &r->places_lost);
	for (u32 i = 0; i < n; i++) {
		if (!p[i].code || p[i].code != l->mod->code_base || p[i].entry != l->fn->entry)
			continue;
		bool announced = !r->static_known || has_point(s, p[i].pc);
		r->place = xrealloc(r->place, (r->nplaces + 1) * sizeof *r->place);
		r->place[r->nplaces++] =
		    (struct restart_place){p[i].pc, (enum restart_cause)p[i].cause, p[i].times, p[i].firsts, announced};
		r->unannounced += !announced;
	}
	if (r->nplaces)
		qsort(r->place, r->nplaces, sizeof *r->place, by_pc);
}

void restart_record_of(struct restart_record *r, const struct gpu *g, const struct launch *l)
{
	struct idempotence s = {0};
	*r = (struct restart_record){.kept = gpu_conf(g)->idem_track};
	r->static_known = idempotence_find(&s, l->mod, l->fn, &(struct idem_params){.params_may_alias = false}, NULL);
	r->static_idempotent = r->static_known && s.idempotent;
	r->static_points = s.npoints;
	if (r->kept) {
		add_launches(r, g, l->fn);
		count_resident(r, g, l->fn);
		add_places(r, g, l, &s);
		r->false_alarm = r->static_points && r->ended && r->idempotent == r->ended;
	}
	idempotence_release(&s);
}

void restart_record_release(struct restart_record *r)
{
	free(r->place);
	*r = (struct restart_record){0};
}
