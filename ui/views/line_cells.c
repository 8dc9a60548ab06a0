#include "views/line_cells.h"

#include <stdio.h>

#include "scr/draw.h"
#include "views/cuda_text.h"

/* The cells of a row; "" where it has no such thing. */
static void share(char *cell, u64 n, u64 all)
{
	if (n)
		snprintf(cell, LINE_CELL_MAX, "%.1f", percent((double)n, (double)all));
}
static void ratio(char *cell, u64 n, u64 of)
{
	if (of)
		snprintf(cell, LINE_CELL_MAX, "%.2f", (double)n / (double)of);
}
static void count(char *cell, u64 n)
{
	if (n)
		snprintf(cell, LINE_CELL_MAX, "%llu", (unsigned long long)n);
}

static void cell_executed(char *cell, const struct line_row *r, const struct line_sums *s)
{
	count(cell, r->c.executed);
}
static void cell_lanes(char *cell, const struct line_row *r, const struct line_sums *s)
{
	if (r->c.executed)
		snprintf(cell, LINE_CELL_MAX, "%.1f", (double)r->c.lanes / (double)r->c.executed);
}
static void cell_slots(char *cell, const struct line_row *r, const struct line_sums *s)
{
	share(cell, r->c.slots, s->slots);
}
static void cell_diverged(char *cell, const struct line_row *r, const struct line_sums *s)
{
	count(cell, r->c.diverged);
}
static void cell_txn(char *cell, const struct line_row *r, const struct line_sums *s)
{
	ratio(cell, r->c.transactions, r->c.requests);
}
static void cell_conflicts(char *cell, const struct line_row *r, const struct line_sums *s)
{
	count(cell, r->c.shared_conflicts);
}
static void cell_l1(char *cell, const struct line_row *r, const struct line_sums *s)
{
	const u64 all = r->c.l1_hits + r->c.l2_hits + r->c.dram;
	if (all)
		snprintf(cell, LINE_CELL_MAX, "%.1f", percent((double)r->c.l1_hits, (double)all));
}
static void cell_l2(char *cell, const struct line_row *r, const struct line_sums *s)
{
	const u64 all = r->c.l2_hits + r->c.dram;
	if (all)
		snprintf(cell, LINE_CELL_MAX, "%.1f", percent((double)r->c.l2_hits, (double)all));
}
static void cell_held(char *cell, const struct line_row *r, const struct line_sums *s)
{
	count(cell, r->c.held);
}
static void cell_refused(char *cell, const struct line_row *r, const struct line_sums *s)
{
	count(cell, r->c.refused);
}
static void cell_blocked(char *cell, const struct line_row *r, const struct line_sums *s)
{
	count(cell, r->c.blocked);
}
static void cell_suffered(char *cell, const struct line_row *r, const struct line_sums *s)
{
	count(cell, r->c.suffered);
}
static void cell_awaited(char *cell, const struct line_row *r, const struct line_sums *s)
{
	share(cell, r->c.awaited, s->awaited);
}

const struct line_cell_desc line_cells[] = {
    {"slots %", LC_slots, cell_slots},
    {"waits %", LC_awaited, cell_awaited},
    {"executed", LC_executed, cell_executed},
    {"lanes", LC_lanes, cell_lanes},
    {"txn/req", LC_transactions, cell_txn},
    {"conflict", LC_shared_conflicts, cell_conflicts},
    {"blocked", LC_blocked, cell_blocked},
    {"suffered", LC_suffered, cell_suffered},
    {"L1 %", LC_l1_hits, cell_l1},
    {"L2 %", LC_l2_hits, cell_l2},
    {"held", LC_held, cell_held},
    {"refused", LC_refused, cell_refused},
    {"diverged", LC_diverged, cell_diverged},
};
const u32 nline_cells = ARRAY_LEN(line_cells);

struct line_sums line_sums_of(const struct line_row *rows, u32 n)
{
	struct line_sums s = {0};
	for (u32 i = 0; i < n; i++) {
		s.slots += rows[i].c.slots;
		s.awaited += rows[i].c.awaited;
	}
	return s;
}

bool line_row_cuda(struct cuda_text *files, const struct line_row *r, struct cuda_line *out)
{
	for (u32 line = r->mod->code[r->pc].line; line; line--)
		if (cuda_line_of(files, r->mod, line, out))
			return out->text && out->number == r->mod->code[r->pc].src_line;
	return false;
}
