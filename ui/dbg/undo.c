#include "dbg/undo.h"

#include <stdlib.h>
#include <string.h>

#define UNDO_MAX 1000

static void push(struct debugger *d, bool change)
{
	const struct sim_place now = sim_place(d->s->sim);
	struct undo *last = d->travel.nundos ? &d->travel.undos[d->travel.nundos - 1] : NULL;
	if (!change && last && !last->change && !sim_place_order(last->at, now))
		return;
	if (d->travel.nundos == UNDO_MAX)
		memmove(d->travel.undos, d->travel.undos + 1, --d->travel.nundos * sizeof *d->travel.undos);
	d->travel.undos = xrealloc(d->travel.undos, (d->travel.nundos + 1) * sizeof *d->travel.undos);
	d->travel.undos[d->travel.nundos++] = (struct undo){.change = change, .at = now};
}

struct sim_place undo_from(const struct undo *u)
{
	return (struct sim_place){u->at.cycle, u->at.turn + u->change};
}

void undos_forked(struct debugger *d)
{
	const struct sim_place now = sim_place(d->s->sim);
	for (u32 i = 0; i < d->travel.nundos; i++)
		d->travel.undos[i].gone |= sim_place_order(d->travel.undos[i].at, now) > 0;
	for (u32 i = 0; i < d->travel.nbookmarks; i++)
		d->travel.bookmarks[i].forked |= sim_place_order(d->travel.bookmarks[i].at, now) > 0;
}

void remember_position(struct debugger *d)
{
	if (d->run.in_run)
		return;
	session_change_ends(d->s);
	push(d, false);
}

void remember_change(struct debugger *d)
{
	push(d, true);
}
