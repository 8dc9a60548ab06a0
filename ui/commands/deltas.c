/* The figures of two machines, or of two parts of a run, side by side: for `compare` and `diff`. */
#include "commands/deltas.h"

#include <stdlib.h>

#include "base/grid.h"
#include "obs/compare/delta.h"

u32 deltas_table(const struct stats *a, const struct stats *b, u32 most, struct strbuf *out)
{
	static const char *const head[] = {"figures that differ most", "A", "B", "B - A"};
	struct deltas all;
	struct grid g = {0};
	char cell[32];
	deltas_gather(&all, a, b);
	const struct delta **row = xcalloc(all.n + 1, sizeof *row);
	const u32 n = deltas_by_relevance(&all, row), shown = MIN(n, most);
	for (u32 c = 0; c < ARRAY_LEN(head) && n; c++)
		grid_put(&g, 0, c, "%s", head[c]);
	g.left[0] = true;
	for (u32 i = 0; i < shown; i++) {
		grid_put(&g, i + 1, 0, "%s", row[i]->name);
		for (u32 side = 0; side < 3; side++)
			grid_put(&g, i + 1, side + 1, "%s", delta_text(row[i], side, cell));
	}
	if (n)
		grid_print(&g, out);
	else
		strbuf_adds(out, "No figure differs.\n");
	grid_release(&g);
	free(row);
	deltas_release(&all);
	return n - shown;
}
