#include "obs/stats/figures.h"

#include <stdlib.h>
#include <string.h>

static struct measured *find(struct measured_list *f, const char *name)
{
	for (u32 i = 0; i < f->n; i++)
		if (!strcmp(f->all[i].name, name))
			return &f->all[i];
	return NULL;
}

bool figures_set(struct measured_list *f, const char *name, double *values, u32 n, bool list)
{
	struct measured *g = find(f, name);
	if (!g && f->n == FIGURES_MAX)
		return false;
	if (!g) {
		f->all = xrealloc(f->all, (f->n + 1) * sizeof *f->all);
		g = &f->all[f->n++];
		*g = (struct measured){.name = xstrdup(name)};
	}
	free(g->values);
	g->values = values;
	g->n = n;
	g->list = list;
	return true;
}

void figures_clear(struct measured_list *f)
{
	for (u32 i = 0; i < f->n; i++) {
		free(f->all[i].name);
		free(f->all[i].values);
	}
	free(f->all);
	*f = (struct measured_list){0};
}
