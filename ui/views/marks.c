#include "views/marks.h"

#include <stdlib.h>

#include "passes/idempotence.h"
#include "passes/phases.h"
#include "passes/points.h"

static void mark_phases(struct line_marks *line, const struct module *m, const struct func *f, const struct conf *c)
{
	struct phase_params par;
	struct phases ph;
	phase_params_of(&par, c);
	phases_find(&ph, m, f, &par);
	for (u32 pc = f->end; pc-- > f->entry;) {
		struct line_marks *l = &line[m->code[pc].line];
		u32 n = ph.phase_of[pc - f->entry];
		l->code = true;
		l->phase = n;
		l->phase_begin |= ph.list[n].begin == pc;
	}
	phases_release(&ph);
}

static void mark_points(struct line_marks *line, const struct module *m, const struct func *f, const struct conf *c)
{
	const struct point_params par = {.max_points = c->elf_max_points, .max_score = c->elf_max_score};
	struct points p;
	points_find(&p, m, f, &par);
	for (u32 i = 0; i < p.n; i++)
		line[m->code[p.list[i].pc].line].point = true;
	points_release(&p);
}

/* A kernel too large for the analysis has no marks of it; `info idempotence` says so. */
static void mark_idempotence(struct line_marks *line, const struct module *m, const struct func *f)
{
	const struct idem_params par = {.params_may_alias = false};
	struct idempotence r;
	struct err unused = {0};
	if (!idempotence_find(&r, m, f, &par, &unused))
		return;
	for (u32 i = 0; i < r.npoints; i++)
		line[m->code[r.list[i].pc].line].idem = true;
	idempotence_release(&r);
}

static struct line_marks *make(const struct module *m, const struct conf *c)
{
	struct line_marks *line = xcalloc(m->nlines + 1, sizeof *line);
	for (u32 i = 0; i < m->nfuncs; i++) {
		const struct func *f = &m->funcs[i];
		if (f->entry == f->end || f->unsupported) /* it never runs */
			continue;
		mark_phases(line, m, f, c);
		mark_points(line, m, f, c);
		if (f->is_kernel)
			mark_idempotence(line, m, f);
	}
	return line;
}

const struct line_marks *marks_of(struct marks *k, const struct module *m, const struct conf *c)
{
	for (u32 i = 0; i < k->nmods; i++)
		if (k->mods[i].mod == m)
			return k->mods[i].line;
	k->mods = xrealloc(k->mods, (k->nmods + 1) * sizeof *k->mods);
	k->mods[k->nmods] = (struct marks_module){m, make(m, c)};
	return k->mods[k->nmods++].line;
}

void marks_forget(struct marks *k)
{
	for (u32 i = 0; i < k->nmods; i++)
		free(k->mods[i].line);
	free(k->mods);
	*k = (struct marks){0};
}
