#include "passes/phases.h"

#include <stdlib.h>

#include "passes/cfg.h"
#include "passes/timing.h"

void phase_params_of(struct phase_params *p, const struct conf *c)
{
	for (u32 i = 0; i < IC_COUNT; i++)
		p->latency[i] = i == IC_SHARED || i == IC_CONST ? 1 : class_timing(c, i).lat;
	p->long_classes = PHASE_LONG_CLASSES;
	p->through_blocks = !c->phases_blocks;
}

/* The set of long-op registers: id is in it when its phase is the current one. Phases count from 1 here, so that a
 * zeroed set is empty and a new phase empties it. */
struct long_set {
	u32 phase[SB_IDS_MAX], pc[SB_IDS_MAX];
};

/* The pc of the long instruction of this phase whose result the instruction reads; PHASE_AT_BLOCK when there is none.
 */
static u32 read_long(const struct long_set *set, u32 phase, const struct inst *in)
{
	for (u32 i = 0; i < in->n_sb_src; i++)
		if (set->phase[inst_sb_src(in)[i]] == phase)
			return set->pc[inst_sb_src(in)[i]];
	return PHASE_AT_BLOCK;
}

static void note_writes(struct long_set *set, u32 phase, const struct inst *in, u32 pc, bool is_long)
{
	for (u32 i = 0; i < in->n_sb_dst; i++) {
		u32 id = inst_sb_dst(in)[i];
		if (is_long) {
			set->phase[id] = phase;
			set->pc[id] = pc;
		} else if (in->guard == OPND_NONE) {
			set->phase[id] = 0;
		}
	}
}

static void split(struct phases *ph, const struct module *m, const struct func *f, const struct cfg *g,
                  const struct phase_params *par)
{
	struct long_set *set = xcalloc(1, sizeof(*set));
	for (u32 pc = f->entry; pc < f->end; pc++) {
		const struct inst *in = &m->code[pc];
		u32 block = g->block_of[pc - f->entry], from = read_long(set, ph->n, in);
		bool block_begins = pc == g->blocks[block].begin && (!par->through_blocks || pc == f->entry);
		bool begins = block_begins || m->code[pc - 1].op == OP_CALL;
		if (begins || from != PHASE_AT_BLOCK)
			ph->list[ph->n++] =
			    (struct phase){.begin = pc, .block = block, .waits_for = begins ? PHASE_AT_BLOCK : from};
		struct phase *p = &ph->list[ph->n - 1];
		bool is_long = par->long_classes >> in->cls & 1;
		p->end = pc + 1;
		p->longs += is_long;
		ph->phase_of[pc - f->entry] = ph->n - 1;
		note_writes(set, ph->n, in, pc, is_long);
	}
	free(set);
}

static void measure(struct phases *ph, const struct module *m, const u32 *latency)
{
	for (u32 i = 0; i < ph->n; i++) {
		struct phase *p = &ph->list[i];
		for (u32 pc = p->end; pc-- > p->begin;) {
			p->length += latency[m->code[pc].cls];
			ph->distance[pc - ph->entry] = p->length;
		}
	}
}

void phases_find(struct phases *ph, const struct module *m, const struct func *f, const struct phase_params *p)
{
	const struct fn fn = {.code = m->code, .begin = f->entry, .end = f->end, .tables = m->tables};
	u32 n = f->end - f->entry;
	struct cfg g;
	cfg_build(&g, &fn);
	*ph = (struct phases){.entry = f->entry,
	                      .list = xcalloc(n, sizeof(*ph->list)),
	                      .phase_of = xcalloc(n, sizeof(u32)),
	                      .distance = xcalloc(n, sizeof(u32))};
	split(ph, m, f, &g, p);
	measure(ph, m, p->latency);
	cfg_release(&g);
}

void phases_release(struct phases *ph)
{
	free(ph->list);
	free(ph->phase_of);
	free(ph->distance);
	*ph = (struct phases){0};
}
