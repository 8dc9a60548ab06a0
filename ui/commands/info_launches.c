/* info launches: one row for each launch, with the host's call that made it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
#define NAME_MAX_W 48 /* a longer name moves the rest of its row */

struct row {
	char *text[L_COLUMNS];
};

__attribute__((format(printf, 3, 4))) static void cell(struct row *r, enum column c, const char *fmt, ...)
{
	va_list args;
	char short_text[64];
	va_start(args, fmt);
	vsnprintf(short_text, sizeof short_text, fmt, args);
	va_end(args);
	r->text[c] = xstrdup(short_text);
}

static void dim_cell(struct row *r, enum column c, struct dim3 d)
{
	if (d.z > 1)
		cell(r, c, "%ux%ux%u", d.x, d.y, d.z);
	else if (d.y > 1)
		cell(r, c, "%ux%u", d.x, d.y);
	else
		cell(r, c, "%u", d.x);
}

static void times(struct row *r, const struct kernel_info *k, u64 now)
{
	const u64 cycles = kernel_run_cycles(k->counters, now);
	if (k->state == KS_QUEUED)
		return;
	cell(r, L_START, "%llu", (unsigned long long)k->counters->started_at);
	if (k->state == KS_DONE)
		cell(r, L_END, "%llu", (unsigned long long)k->counters->ended_at);
	cell(r, L_CYCLES, "%llu", (unsigned long long)cycles);
	if (cycles)
		cell(r, L_IPC, "%.2f", (double)k->counters->warp_insts / (double)cycles);
}

static void fill(struct debugger *d, struct row *r, u32 launch)
{
	static const char *const states[] = {"queued", "running", "done"};
	struct gpu *g = dbg_gpu(d);
	struct kernel_info k;
	gpu_kernel_info(g, launch, &k);
	const struct launch *l = k.launch;
	const char *program = programs_blame(d->s, k.program);
	cell(r, L_NUMBER, "%s%u", (s32)launch == d->focus.kernel ? "*" : "", launch);
	r->text[L_KERNEL] = xstrdup(k.label);
	r->text[L_PROGRAM] = program ? xstrdup(program) : NULL;
	cell(r, L_STREAM, "%u", l->stream);
	dim_cell(r, L_GRID, l->grid);
	dim_cell(r, L_BLOCK, l->block);
	cell(r, L_DYNAMIC, "%u", l->dynamic_shared);
	cell(r, L_REGS, "%u", l->regs);
	cell(r, L_FROM, "%s", regs_from_names[l->regs_from]);
	cell(r, L_PER_SM, "%u", k.ctas_per_sm);
	times(r, &k, gpu_cycle(g));
	if (k.overlaps >= 0)
		cell(r, L_STATE, "%s, began before %d ended", states[k.state], k.overlaps);
	else
		cell(r, L_STATE, "%s", states[k.state]);
	r->text[L_CALL] = l->call ? xstrdup(l->call) : NULL;
}

static const char *text_of(const struct row *r, u32 c)
{
	return r->text[c] ? r->text[c] : "-";
}

static void print(const struct row *rows, u32 n, bool programs, struct strbuf *out)
{
	int width[L_COLUMNS];
	for (u32 c = 0; c < L_COLUMNS; c++) {
		width[c] = (int)strlen(columns[c].name);
		for (u32 i = 0; i < n; i++)
			width[c] = MAX(width[c], MIN((int)strlen(text_of(&rows[i], c)), NAME_MAX_W));
	}
	for (u32 i = 0; i <= n; i++) {
		for (u32 c = 0; c < L_COLUMNS; c++) {
			const char *text = i ? text_of(&rows[i - 1], c) : columns[c].name;
			if (c == L_PROGRAM && !programs)
				continue;
			if (c == L_CALL)
				strbuf_addf(out, "  %s\n", text);
			else
				strbuf_addf(out, columns[c].left ? "%s%-*s" : "%s%*s", c ? "  " : "", width[c], text);
		}
	}
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
	struct row *rows = xcalloc(MAX(n, 1u), sizeof *rows);
	for (u32 i = 0; i < n; i++)
		fill(d, &rows[i], all - n + i);
	print(rows, n, d->s->nprograms > 1, out);
	for (u32 i = 0; i < n; i++)
		for (u32 c = 0; c < L_COLUMNS; c++)
			free(rows[i].text[c]);
	free(rows);
	return true;
}
