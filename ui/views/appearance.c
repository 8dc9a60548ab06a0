#include "views/appearance.h"

#include <stdlib.h>

#include "scr/palette.h"

static void rebuilt(struct debugger *d)
{
	cuda_text_release(&d->appearance->cuda);
}

static void closed(struct debugger *d)
{
	cuda_text_release(&d->appearance->cuda);
	free(d->appearance);
	d->appearance = NULL;
}

static const struct debugger_follower follower = {.rebuilt = rebuilt, .closed = closed};

struct appearance *debugger_appearance(struct debugger *d)
{
	if (d->appearance)
		return d->appearance;
	d->appearance = xcalloc(1, sizeof *d->appearance);
	d->appearance->palette = (u32)palette_find(d->s->opt->palette ? d->s->opt->palette : "auto");
	d->appearance->taxonomy = TAX_BASE;
	debugger_follow(d, &follower);
	return d->appearance;
}
