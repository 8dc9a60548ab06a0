/* info launches: one row for each launch, with the host's call that made it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grid.h"
#include "base/words.h"
#include "commands/commands.h"
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
	L_STATE,
	L_CALL,
	L_COLUMNS
};
static const struct {
	const char *name;
	bool left;
} columns[L_COLUMNS] = {
    [L_NUMBER] = {"", false},        [L_KERNEL] = {"kernel", true}, [L_PROGRAM] = {"program", true},
    [L_STREAM] = {"stream", false},  [L_GRID] = {"grid", false},    [L_BLOCK] = {"block", false},
    [L_DYNAMIC] = {"dyn B", false},  [L_REGS] = {"regs", false},    [L_FROM] = {"from", true},
    [L_PER_SM] = {"CTAs/SM", false}, [L_START] = {"start", false},  [L_END] = {"end", false},
    [L_CYCLES] = {"cycles", false},  [L_IPC] = {"IPC", false},      [L_STATE] = {"state", true},
    [L_CALL] = {"host call", true},
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

static void put_launch(struct debugger *d, struct grid *g, u32 y, u32 launch)
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
	if (k.overlaps >= 0)
		grid_put(g, y, L_STATE, "%s, began before %d ended", states[k.state], k.overlaps);
	else
		grid_put(g, y, L_STATE, "%s", states[k.state]);
	grid_put(g, y, L_CALL, "%s", l->call ? l->call : "-");
}

bool info_launches(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	const u32 all = gpu_num_kernels(dbg_gpu(d));
	u64 last = all;
	if (!arg_number(args, "info launches", UINT32_MAX, &last, e))
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
	for (u32 i = 0; i < n; i++)
		put_launch(d, &g, i + 1, all - n + i);
	for (u32 i = 0; i < n; i++)
		for (u32 c = 0; c < L_COLUMNS; c++)
			if (c != L_PROGRAM && !*grid_cell(&g, i + 1, c))
				grid_put(&g, i + 1, c, "-");
	grid_print(&g, out);
	grid_release(&g);
	return true;
}
