#include "gpu/notice.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/state.h"
#include "passes/idempotence.h"

/* Do two of the parameters point into one allocation, or one into a variable of the module? */
static bool may_alias(const struct gpu *g, const struct launch *l)
{
	const struct alloc *of[PARAM_BYTES_MAX / 8];
	u32 n = 0;
	for (u32 at = 0; at + 8 <= l->fn->param_bytes; at += 8) {
		u64 v;
		memcpy(&v, l->params + at, sizeof v);
		const struct alloc *a = devmem_find(&g->mem_values, v);
		if (!a)
			continue;
		for (u32 i = 0; i < n; i++)
			if (of[i] == a)
				return true;
		if (a->internal)
			return true;
		of[n++] = a;
	}
	return false;
}

static struct notice_table make(const struct launch *l, bool alias)
{
	struct notice_table t = {.fn = l->fn, .alias = alias};
	struct idempotence r;
	if (!idempotence_find(&r, l->mod, l->fn, &(struct idem_params){.params_may_alias = alias}, NULL))
		return t;
	t.at = xcalloc(l->mod->ncode, 1);
	t.idempotent = r.idempotent;
	for (u32 i = 0; i < r.npoints; i++)
		t.at[r.list[i].pc] = 1;
	idempotence_release(&r);
	return t;
}

void notice_find(struct gpu *g, u32 id)
{
	const struct launch *l = g->launch[id];
	const bool alias = may_alias(g, l);
	u32 i = 0;
	while (i < g->nnotices && (g->notice[i].fn != l->fn || g->notice[i].alias != alias))
		i++;
	if (i == g->nnotices) {
		g->notice = xrealloc(g->notice, ++g->nnotices * sizeof *g->notice);
		g->notice[i] = make(l, alias);
	}
	g->prog[id].notice = g->notice[i].at;
	g->prog[id].idempotent = g->notice[i].idempotent;
}

void notice_free(struct gpu *g)
{
	for (u32 i = 0; i < g->nnotices; i++)
		free(g->notice[i].at);
	free(g->notice);
}
