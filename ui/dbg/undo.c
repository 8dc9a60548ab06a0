#include "dbg/undo.h"

#include <stdlib.h>
#include <string.h>

#define UNDO_MAX 1000

static void push(struct debugger *d, bool change)
{
	u64 now = sim_cycle(d->s->sim);
	struct undo *last = d->travel.nundos ? &d->travel.undos[d->travel.nundos - 1] : NULL;
	if (!change && last && !last->change && last->cycle == now)
		return;
	if (d->travel.nundos == UNDO_MAX)
		memmove(d->travel.undos, d->travel.undos + 1, --d->travel.nundos * sizeof *d->travel.undos);
	d->travel.undos = xrealloc(d->travel.undos, (d->travel.nundos + 1) * sizeof *d->travel.undos);
	d->travel.undos[d->travel.nundos++] = (struct undo){.change = change, .cycle = now};
}

void undos_forked(struct debugger *d)
{
	for (u32 i = 0; i < d->travel.nundos; i++)
		d->travel.undos[i].gone |= d->travel.undos[i].cycle > sim_cycle(d->s->sim);
}

void remember_position(struct debugger *d)
{
	if (!d->run.in_run)
		push(d, false);
}

void remember_change(struct debugger *d)
{
	push(d, true);
}
