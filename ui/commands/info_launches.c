/* info launches: one row for each launch, with the host's call that made it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grid.h"
#include "base/words.h"
#include "commands/commands.h"
#include "gpu/launch_slots.h"
#include "session/programs.h"

enum column {
	L_NUMBER,
	L_KERNEL,
	L_PROGRAM,
	L_STREAM,
	L_GRID,
	L_BLOCK,
	L_DYNAMIC,
	L_REGS,
	L_FROM,
	L_PER_SM,
	L_START,
	L_END,
	L_CYCLES,
	L_IPC,
	L_LOST,
	L_STATE,
	L_CALL,
	L_COLUMNS
};
static const struct {
	const char *name;
	bool left;
} columns[L_COLUMNS] = {
    [L_NUMBER] = {"", false},        [L_KERNEL] = {"kernel", true},  [L_PROGRAM] = {"program", true},
    [L_STREAM] = {"stream", false},  [L_GRID] = {"grid", false},     [L_BLOCK] = {"block", false},
    [L_DYNAMIC] = {"dyn B", false},  [L_REGS] = {"regs", false},     [L_FROM] = {"from", true},
    [L_PER_SM] = {"CTAs/SM", false}, [L_START] = {"start", false},   [L_END] = {"end", false},
    [L_CYCLES] = {"cycles", false},  [L_IPC] = {"IPC", false},       [L_LOST] = {"most slots lost to", true},
    [L_STATE] = {"state", true},     [L_CALL] = {"host call", true},
};

/* By what launches are ordered; a base reason of lost slots, from BY_REASONS on. */
enum { BY_TIME, BY_CYCLES, BY_IPC, BY_LOST, BY_REASONS };
struct rank {
	u32 launch;
	double key; /* most first */
};

static void put_dim(struct grid *g, u32 y, enum column c, struct dim3 d)
{
	if (d.z > 1)
		grid_put(g, y, c, "%ux%ux%u", d.x, d.y, d.z);
	else if (d.y > 1)
		grid_put(g, y, c, "%ux%u", d.x, d.y);
	else
		grid_put(g, y, c, "%u", d.x);
}

static void put_times(struct grid *g, u32 y, const struct kernel_info *k, const struct gpu *gpu)
{
	u64 from, to;
	gpu_counted_range(gpu, &from, &to);
	const u64 cycles = kernel_run_cycles(k->counters, from, to);
	if (k->state == KS_QUEUED)
		return;
	grid_put(g, y, L_START, "%llu", (unsigned long long)k->counters->started_at);
	if (k->state == KS_DONE)
		grid_put(g, y, L_END, "%llu", (unsigned long long)k->counters->ended_at);
	grid_put(g, y, L_CYCLES, "%llu", (unsigned long long)cycles);
	if (cycles)
		grid_put(g, y, L_IPC, "%.2f", (double)k->counters->warp_insts / (double)cycles);
}

/* The reason that cost most of the machine's slots in its time, or the one that is asked for, and its share. */
static void put_lost(struct grid *g, u32 y, struct gpu *gpu, u32 launch, u32 by)
{
	u64 slots[ST_COUNT];
	const u64 sum = gpu_launch_slots(gpu, launch, slots);
	u32 top = ST_COUNT;
	for (u32 i = 0; i < ST_COUNT; i++)
		if (i != ST_ISSUED && slots[i] && (top == ST_COUNT || slots[i] > slots[top]))
			top = i;
	if (by >= BY_REASONS)
		top = by - BY_REASONS;
	if (!sum || top == ST_COUNT)
		return;
	char name[32];
	snprintf(name, sizeof name, "%s", stall_descs[top].name[TAX_BASE]);
	for (char *c = name; *c; c++)
		*c = *c == ' ' ? '_' : *c; /* as `by` takes it */
	grid_put(g, y, L_LOST, "%4.1f%% %s", 100.0 * (double)slots[top] / (double)sum, name);
}

static void put_launch(struct debugger *d, struct grid *g, u32 y, u32 launch, u32 by)
{
	static const char *const states[] = {"queued", "running", "done"};
	struct gpu *gpu = dbg_gpu(d);
	struct kernel_info k;
	gpu_kernel_info(gpu, launch, &k);
	const struct launch *l = k.launch;
	const char *program = programs_blame(d->s, k.program);
	grid_put(g, y, L_NUMBER, "%s%u", (s32)launch == d->focus.kernel ? "*" : "", launch);
	grid_put(g, y, L_KERNEL, "%s", k.label);
	if (d->s->nprograms > 1)
		grid_put(g, y, L_PROGRAM, "%s", program ? program : "-");
	grid_put(g, y, L_STREAM, "%u", l->stream);
	put_dim(g, y, L_GRID, l->grid);
	put_dim(g, y, L_BLOCK, l->block);
	grid_put(g, y, L_DYNAMIC, "%u", l->dynamic_shared);
	grid_put(g, y, L_REGS, "%u", l->regs);
	grid_put(g, y, L_FROM, "%s", regs_from_names[l->regs_from]);
	grid_put(g, y, L_PER_SM, "%u", k.ctas_per_sm);
	put_times(g, y, &k, gpu);
	put_lost(g, y, gpu, launch, by);
	if (k.overlaps >= 0)
		grid_put(g, y, L_STATE, "%s, began before %d ended", states[k.state], k.overlaps);
	else
		grid_put(g, y, L_STATE, "%s", states[k.state]);
	grid_put(g, y, L_CALL, "%s", l->call ? l->call : "-");
}

/* --- in which order --- */

static bool take_key(const char *word, u32 *by, struct err *e)
{
	static const char *const names[BY_REASONS] = {
	    [BY_TIME] = "time", [BY_CYCLES] = "cycles", [BY_IPC] = "ipc", [BY_LOST] = "lost"};
	for (*by = 0; *by < BY_REASONS; ++*by)
		if (!strcmp(word, names[*by]))
			return true;
	const int reason = probe_find_stall(word, strlen(word));
	*by = BY_REASONS + (u32)MAX(reason, 0);
	return reason >= 0 || err_set(e,
	                              "info launches by: time, cycles, ipc, lost or a stall reason (memory_dependency) is "
	                              "expected, not '%.40s'",
	                              word);
}

/* "[N] [by KEY]" */
static bool take_args(const char *args, u64 *last, u32 *by, struct err *e)
{
	char word[64];
	const char *rest = next_word(args, word, sizeof word);
	*by = BY_TIME;
	if (rest && strcmp(word, "by") != 0) {
		if (!word_number(word, last) || *last > UINT32_MAX)
			return err_set(e, "info launches: '%.40s': a number or `by KEY` is expected", word);
		rest = next_word(rest, word, sizeof word);
	}
	if (!rest)
		return true;
	if (strcmp(word, "by") != 0 || !(rest = next_word(rest, word, sizeof word)))
		return err_set(e, "info launches: `by KEY` is expected behind the number");
	return take_key(word, by, e) && arg_none(rest, "info launches", e);
}

/* By IPC the lowest comes first: launches that have not run yet come last of all. */
static double key_of(struct gpu *g, u32 launch, u32 by)
{
	struct kernel_info k;
	u64 slots[ST_COUNT], from, to;
	gpu_kernel_info(g, launch, &k);
	gpu_counted_range(g, &from, &to);
	const double cycles = (double)kernel_run_cycles(k.counters, from, to);
	const u64 sum = gpu_launch_slots(g, launch, slots);
	switch (by) {
	case BY_CYCLES: return cycles;
	case BY_IPC: return cycles > 0 ? -(double)k.counters->warp_insts / cycles : -INFINITY;
	case BY_LOST: return (double)(sum - slots[ST_ISSUED]);
	default: return (double)slots[by - BY_REASONS];
	}
}

static int by_rank(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;
	if (x->key < y->key || x->key > y->key)
		return x->key > y->key ? -1 : 1;
	return x->launch < y->launch ? -1 : 1;
}

/* The n launches to show, in order; to be freed. */
static struct rank *ranked(struct gpu *g, u32 by, u32 n)
{
	const u32 all = gpu_num_kernels(g);
	struct rank *rank = xcalloc(MAX(all, 1u), sizeof *rank);
	for (u32 i = 0; i < all; i++)
		rank[i] = (struct rank){i, by == BY_TIME ? 0 : key_of(g, i, by)};
	if (by != BY_TIME)
		qsort(rank, all, sizeof *rank, by_rank);
	else
		memmove(rank, rank + (all - n), n * sizeof *rank); /* the last ones */
	return rank;
}

bool info_launches(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	const u32 all = gpu_num_kernels(dbg_gpu(d));
	u64 last = all;
	u32 by;
	if (!take_args(args, &last, &by, e))
		return false;
	if (!all) {
		strbuf_adds(out, "Nothing is launched yet.\n");
		return true;
	}
	const u32 n = (u32)MIN(last, (u64)all);
	struct grid g = {0};
	for (u32 c = 0; c < L_COLUMNS; c++) {
		g.left[c] = columns[c].left;
		grid_put(&g, 0, c, "%s", columns[c].name);
	}
	struct rank *rank = ranked(dbg_gpu(d), by, n);
	for (u32 i = 0; i < n; i++)
		put_launch(d, &g, i + 1, rank[i].launch, by);
	free(rank);
	for (u32 i = 0; i < n; i++)
		for (u32 c = 0; c < L_COLUMNS; c++)
			if (c != L_PROGRAM && !*grid_cell(&g, i + 1, c))
				grid_put(&g, i + 1, c, "-");
	grid_print(&g, out);
	grid_release(&g);
	return true;
}
