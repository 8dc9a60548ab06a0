#include "obs/stats/kernel_code.h"

#include <stdlib.h>

#include "passes/idempotence.h"
#include "passes/phases.h"
#include "passes/points.h"

static void find_phases(struct kernel_code *k, const struct conf *c, const struct launch *l)
{
	struct phase_params par;
	struct phases ph;
	phase_params_of(&par, c);
	phases_find(&ph, l->mod, l->fn, &par);
	k->phases = ph.n;
	k->shortest_phase = UINT32_MAX;
	for (u32 i = 0; i < ph.n; i++) {
		k->longest_phase = MAX(k->longest_phase, ph.list[i].length);
		k->shortest_phase = MIN(k->shortest_phase, ph.list[i].length);
	}
	phases_release(&ph);
	par.through_blocks = true;
	phases_find(&ph, l->mod, l->fn, &par);
	k->data_phases = ph.n;
	phases_release(&ph);
}

static void find_points(struct kernel_code *k, const struct conf *c, const struct launch *l)
{
	struct points p;
	const struct point_params par = {.max_points = c->elf_max_points, .max_score = c->elf_max_score};
	points_find(&p, l->mod, l->fn, &par);
	k->points_found = p.found;
	k->points = p.n;
	points_release(&p);
}

static void find_idempotence(struct kernel_code *k, const struct launch *l)
{
	struct idempotence r;
	const struct idem_params par = {.params_may_alias = false};
	k->idempotence_known = idempotence_find(&r, l->mod, l->fn, &par, NULL);
	if (!k->idempotence_known)
		return;
	k->idempotent = r.idempotent;
	k->restartable = (double)r.clean / k->instructions;
	idempotence_release(&r);
}

void kernel_code_of(struct kernel_code *k, const struct conf *c, const struct launch *l)
{
	*k = (struct kernel_code){.instructions = l->fn->end - l->fn->entry};
	find_phases(k, c, l);
	find_points(k, c, l);
	find_idempotence(k, l);
}

u32 kernel_code_firsts(const struct kernel_info *launched, u32 n, u32 **first)
{
	u32 found = 0;
	*first = NULL;
	for (u32 i = 0; i < n; i++) {
		const struct func *fn = launched[i].launch->fn;
		u32 k = 0;
		while (k < found && launched[(*first)[k]].launch->fn != fn)
			k++;
		if (k < found)
			continue;
		*first = xrealloc(*first, (found + 1) * sizeof **first);
		(*first)[found++] = i;
	}
	return found;
}
