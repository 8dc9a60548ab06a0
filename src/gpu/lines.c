#include "gpu/lines.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/scope.h"
#include "gpu/sync.h"
#include "gpu/turn.h"
#include "sm/lines.h"
#include "sm/waits.h"

void gpu_lines_module(const struct gpu *g, const struct module *m, struct code_tables *t)
{
	if (g->lines)
		t->count = xcalloc(MAX(m->ncode, 1u), sizeof *t->count);
}

static void begin_waits(struct gpu *g)
{
	for (u32 i = 0; i < g->conf.num_sms; i++)
		waits_begin(&g->ctx[i], g->sm[i], g->st->cycle);
}

static void charge_waits(struct gpu *g)
{
	for (u32 i = 0; i < g->conf.num_sms; i++)
		waits_charge(&g->ctx[i], g->st->cycle);
}

void gpu_lines_free(struct gpu *g)
{
	for (u32 i = 0; g->lines && i < g->conf.num_sms; i++)
		free(g->ctx[i].waits);
	free(g->lines);
}

void gpu_count_lines(struct gpu *g)
{
	if (g->lines)
		return;
	g->lines = xcalloc(g->conf.num_sms, sizeof *g->lines);
	for (u32 i = 0; i < g->conf.num_sms; i++) {
		sm_sync(&g->ctx[i], g->sm[i], g->st->cycle);
		lines_forget(&g->lines[i]);
		g->ctx[i].lines = &g->lines[i];
		mem_tell_losses(g->mem, i, &g->lines[i].loss);
		g->ctx[i].waits = xcalloc(1, sizeof *g->ctx[i].waits);
	}
	for (u32 i = 0; i < g->nmodules; i++)
		gpu_lines_module(g, g->module[i], &g->table[i]);
	for (u32 id = 0; id < g->task->nlaunches; id++)
		for (u32 i = 0; i < g->nmodules; i++)
			if (g->launch[id]->mod == g->module[i])
				g->prog[id].count = g->table[i].count;
	begin_waits(g);
	if (!g->turn_open)
		gpu_set_event_mask(g, g->event_mask); /* the SMs hear of issues */
}

const struct line_counters *gpu_line_counters(struct gpu *g, const struct module *m)
{
	if (!g->lines)
		return NULL;
	gpu_sync(g);
	charge_waits(g);
	for (u32 i = 0; i < g->nmodules; i++)
		if (g->module[i] == m)
			return g->scope ? gpu_scope_lines(g, i, g->table[i].count) : g->table[i].count;
	return NULL;
}

u32 gpu_num_modules(const struct gpu *g)
{
	return g->nmodules;
}

const struct module *gpu_module(const struct gpu *g, u32 i)
{
	return g->module[i];
}

u32 gpu_in_the_way(const struct gpu *g, u32 sm, u32 warp, u32 *launch)
{
	const struct line_place p = lines_in_the_way(&g->ctx[sm], g->sm[sm], warp, g->st->cycle);
	*launch = p.launch;
	return p.pc;
}

/* --- time travel --- */
struct kept_line {
	u32 module, pc;
	struct line_counters c;
};
struct kept {
	u32 nlines, nsms;
	/* struct sm_lines [nsms], struct kept_line [nlines] */
};

static bool counted(const struct line_counters *c)
{
	for (u32 i = 0; i < LC_COUNT; i++)
		if (line_counter_of(c, i))
			return true;
	return false;
}

static u32 list_lines(const struct gpu *g, struct kept_line *out)
{
	u32 n = 0;
	for (u32 i = 0; i < g->nmodules; i++)
		for (u32 pc = 0; pc < g->module[i]->ncode; pc++)
			if (counted(&g->table[i].count[pc])) {
				if (out)
					out[n] = (struct kept_line){i, pc, g->table[i].count[pc]};
				n++;
			}
	return n;
}

void *gpu_lines_keep(struct gpu *g)
{
	charge_waits(g);
	const u32 nsms = g->conf.num_sms, nlines = list_lines(g, NULL);
	struct kept *k = xmalloc(sizeof *k + nsms * sizeof(struct sm_lines) + nlines * sizeof(struct kept_line));
	*k = (struct kept){nlines, nsms};
	struct sm_lines *sms = (struct sm_lines *)(k + 1);
	memcpy(sms, g->lines, nsms * sizeof *sms);
	list_lines(g, (struct kept_line *)(sms + nsms));
	return k;
}

void gpu_lines_recall(struct gpu *g, const void *kept)
{
	const struct kept *k = kept;
	for (u32 i = 0; i < g->modules_ever; i++) /* those that come later, again, too */
		memset(g->table[i].count, 0, g->module[i]->ncode * sizeof *g->table[i].count);
	for (u32 i = 0; i < g->conf.num_sms; i++)
		lines_forget(&g->lines[i]);
	if (!k) {
		begin_waits(g);
		return;
	}
	const struct sm_lines *sms = (const struct sm_lines *)(k + 1);
	memcpy(g->lines, sms, k->nsms * sizeof *sms);
	const struct kept_line *l = (const struct kept_line *)(sms + k->nsms);
	for (u32 i = 0; i < k->nlines; i++)
		if (l[i].module < g->nmodules && l[i].pc < g->module[l[i].module]->ncode)
			g->table[l[i].module].count[l[i].pc] = l[i].c;
	begin_waits(g);
}
