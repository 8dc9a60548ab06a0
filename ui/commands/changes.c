#include "commands/changes.h"

#include <stdlib.h>
#include <string.h>

u64 changes_now(const struct debugger *d)
{
	return d->travel.changes;
}

/* Those made from a place on. */
static void cut(struct changes *c, struct sim_place from)
{
	while (c->n && sim_place_order(c->line[c->n - 1].at, from) >= 0)
		free(c->line[--c->n].text);
}

void changes_note(struct debugger *d, struct changes *c, u64 before, struct sim_place at, const char *line)
{
	if (before == d->travel.changes)
		return;
	cut(c, at); /* the future, and the lines that this one has executed */
	c->line = xrealloc(c->line, (c->n + 1) * sizeof *c->line);
	c->line[c->n++] = (struct change_line){at, xstrdup(line)};
}

void changes_undone(struct debugger *d, struct changes *c)
{
	cut(c, sim_place(d->s->sim));
}

void changes_restarted(struct changes *c, const char *options)
{
	cut(c, (struct sim_place){0});
	if (!options)
		return;
	struct strbuf t = STRBUF_INIT;
	strbuf_addf(&t, "file %s", options);
	c->setup = xrealloc(c->setup, (c->nsetup + 1) * sizeof *c->setup);
	c->setup[c->nsetup++] = xstrdup(strbuf_str(&t));
	strbuf_release(&t);
}

void changes_release(struct changes *c)
{
	cut(c, (struct sim_place){0});
	for (u32 i = 0; i < c->nsetup; i++)
		free(c->setup[i]);
	free(c->setup);
	free(c->line);
}
