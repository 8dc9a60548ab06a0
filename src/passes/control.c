#include "passes/control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "passes/cfg.h"

/* What is under way with a register, by scoreboard id. */
struct of_id {
	u8 write, read; /* counters that instructions have raised which write it; which read it... */
	u8 left;        /* cycles from the last issue until a result of fixed latency is there */
	u8 reader;      /* ...as the register of this number... */
	bool readers;   /* ...or of several */
};
/* And all in all, at a place. */
struct under_way {
	struct of_id *id;
	u8 recent;               /* counters that the last instruction with a slot has raised */
	u8 need;                 /* cycles that instructions without a slot have to wait behind it */
	u16 busy[CONTROL_UNITS]; /* cycles from it until the unit takes an instruction; known within a block */
};

struct work {
	const struct module *m;
	const struct control_timing *timing;
	struct control_word *word;
	struct fn fn;
	struct cfg g;
	u32 nids;
	struct under_way *in; /* by block */
	u64 *later;           /* by block: registers that are written behind it */
	u32 words;            /* of such a set */
};

static struct under_way under_way_new(u32 nids)
{
	return (struct under_way){.id = xcalloc((size_t)nids + 1, sizeof(struct of_id))};
}

static void under_way_copy(struct under_way *to, const struct under_way *from, u32 nids)
{
	memcpy(to->id, from->id, nids * sizeof *to->id);
	to->recent = from->recent;
	to->need = from->need;
}

static bool merge_id(struct of_id *to, const struct of_id *from)
{
	const struct of_id was = *to;
	const bool other = from->read && to->read && from->reader != to->reader;
	if (from->read && !to->read)
		to->reader = from->reader;
	to->readers |= other || (from->read && from->readers);
	to->write |= from->write;
	to->read |= from->read;
	to->left = MAX(to->left, from->left);
	return to->write != was.write || to->read != was.read || to->left != was.left || to->readers != was.readers;
}

/* A join: what is under way on any of the ways to it. Says whether that is more than before. */
static bool merge(struct under_way *to, const struct under_way *from, u32 nids)
{
	bool more = (from->recent & ~to->recent) || from->need > to->need;
	for (u32 i = 0; i < nids; i++)
		more |= merge_id(&to->id[i], &from->id[i]);
	to->recent |= from->recent;
	to->need = MAX(to->need, from->need);
	return more;
}

/* --- one instruction ---------------------------------------------------------------------------------------------- */

/* Registers that a memory instruction reads after its issue: all but the guard, whose number is that of its word. */
static bool read_late(const struct inst *in, u16 id)
{
	return in->guard == OPND_NONE || id != in->guard / 4;
}

/* Does the register that an instruction writes stand where another one is still to be read? An assembler would have
 * given it another place. */
static bool is_renamed(const struct of_id *id, u8 reg)
{
	return !id->readers && id->reader != reg;
}

/* Counters that an instruction waits for, and cycles behind the last issue. */
static u8 waits_of(const struct inst *in, const struct control_timing *t, const struct under_way *u, u8 *need)
{
	u8 wait = t->kind == CONTROL_CLOSED ? (u8)bit_range(CONTROL_COUNTERS) : 0;
	for (u32 k = 0; k < in->n_sb_src; k++) {
		const struct of_id *id = &u->id[inst_sb_src(in)[k]];
		wait |= id->write;
		*need = MAX(*need, id->left);
	}
	for (u32 k = 0; k < in->n_sb_dst; k++) {
		const struct of_id *id = &u->id[inst_sb_dst(in)[k]];
		wait |= id->write | (is_renamed(id, inst_dst_reg(in)[k]) ? 0 : id->read);
		*need = MAX(*need, id->left);
	}
	return wait;
}

static void counters_are_zero(struct under_way *u, u32 nids, u8 wait)
{
	for (u32 i = 0; i < nids; i++) {
		u->id[i].write &= (u8)~wait;
		u->id[i].read &= (u8)~wait;
	}
}

static void time_passes(struct under_way *u, u32 nids, u32 cycles)
{
	for (u32 i = 0; i < nids; i++)
		u->id[i].left = (u8)(u->id[i].left > cycles ? u->id[i].left - cycles : 0);
	for (u32 i = 0; i < CONTROL_UNITS; i++)
		u->busy[i] = (u16)(u->busy[i] > cycles ? u->busy[i] - cycles : 0);
}

static void is_read(struct of_id *id, u8 counter, u8 reg)
{
	id->readers = id->read && (id->readers || id->reader != reg);
	id->reader = reg;
	id->read |= (u8)(1u << counter);
}

/* What an instruction raises, and when its result is there. */
static void comes_under_way(const struct inst *in, const struct control_timing *t, const struct control_word *c,
                            struct under_way *u)
{
	for (u32 k = 0; k < in->n_sb_dst; k++) {
		struct of_id *id = &u->id[inst_sb_dst(in)[k]];
		id->left = t->kind == CONTROL_FIXED ? (u8)MIN(t->lat, CONTROL_STALL_MAX) : 0;
		if (c->set_write != CONTROL_NONE)
			id->write |= (u8)(1u << c->set_write);
	}
	for (u32 k = 0; c->set_read != CONTROL_NONE && k < in->n_sb_src; k++)
		if (read_late(in, inst_sb_src(in)[k]))
			is_read(&u->id[inst_sb_src(in)[k]], c->set_read, inst_src_reg(in)[k]);
	u->recent = (u8)((c->set_write != CONTROL_NONE ? 1u << c->set_write : 0) |
	                 (c->set_read != CONTROL_NONE ? 1u << c->set_read : 0));
}

/* Goes past the instruction at pc. Returns the cycles between the last issue and its own; 0: it takes no slot. */
static u32 step(const struct work *w, u32 pc, struct under_way *u, u8 *wait)
{
	const struct inst *in = &w->m->code[pc];
	const struct control_timing *t = &w->timing[pc];
	u8 need = u->need;
	*wait = waits_of(in, t, u, &need);
	if (*wait & u->recent) /* a raised counter is seen a cycle later */
		need = MAX(need, 2);
	if (*wait)
		counters_are_zero(u, w->nids, *wait);
	if (t->kind == CONTROL_FREE) {
		u->need = need;
		return 0;
	}
	const u32 gap = MAX((u32)need, 1u);
	u->need = 0;
	time_passes(u, w->nids, MAX(gap, (u32)u->busy[t->unit])); /* no stall is needed for that: the unit refuses */
	u->busy[t->unit] = t->ii;
	comes_under_way(in, t, &w->word[pc], u);
	if (t->kind == CONTROL_CLOSED)
		time_passes(u, w->nids, CONTROL_STALL_MAX);
	return gap;
}

/* --- counters ----------------------------------------------------------------------------------------------------- */

/* A register in a set of them: registers of one place that are taken for one another cost a wait too many. */
static u32 place_of(u16 id, u8 reg)
{
	return id * 8u + reg % 8;
}

/* The registers written in a block and in those behind it. */
static void find_later(struct work *w)
{
	const u32 n = w->g.nblocks, words = w->words;
	u64 *own = xcalloc((size_t)n * words + 1, sizeof(u64));
	for (u32 pc = w->fn.begin; pc < w->fn.end; pc++) {
		const struct inst *in = &w->m->code[pc];
		for (u32 k = 0; k < in->n_sb_dst; k++) {
			const u32 at = place_of(inst_sb_dst(in)[k], inst_dst_reg(in)[k]);
			own[w->g.block_of[pc - w->fn.begin] * words + at / 64] |= BIT(at % 64);
		}
	}
	w->later = xcalloc((size_t)n * words + 1, sizeof(u64));
	for (bool more = true; more;) {
		more = false;
		for (u32 b = n; b--;)
			for (u32 k = 0; k < w->g.blocks[b].nsucc; k++) {
				const u32 to = w->g.edges[w->g.blocks[b].succ + k];
				for (u32 i = 0; i < words; i++) {
					const u64 adds = own[to * words + i] | w->later[to * words + i];
					more |= (adds & ~w->later[b * words + i]) != 0;
					w->later[b * words + i] |= adds;
				}
			}
	}
	free(own);
}

/* Does the instruction write this register in this place? */
static bool writes(const struct inst *in, u16 id, u8 reg)
{
	for (u32 k = 0; k < in->n_sb_dst; k++)
		if (inst_sb_dst(in)[k] == id && inst_dst_reg(in)[k] == reg)
			return true;
	return false;
}

/* Does it name a register that the other writes? */
static bool waits_for_result(const struct inst *later, const struct inst *in)
{
	for (u32 i = 0; i < in->n_sb_dst; i++) {
		const u16 id = inst_sb_dst(in)[i];
		for (u32 k = 0; k < later->n_sb_src; k++)
			if (inst_sb_src(later)[k] == id)
				return true;
		if (writes(later, id, inst_dst_reg(in)[i]))
			return true;
	}
	return false;
}

/* Can a register that the memory instruction at pc reads be written before its result has been waited for? */
static bool may_be_overwritten(const struct work *w, u32 pc)
{
	const struct inst *in = &w->m->code[pc];
	const u32 b = w->g.block_of[pc - w->fn.begin];
	for (u32 i = pc + 1; i < w->g.blocks[b].end; i++) {
		const struct inst *next = &w->m->code[i];
		if (waits_for_result(next, in))
			return false; /* so for the reads, too */
		for (u32 k = 0; k < in->n_sb_src; k++)
			if (read_late(in, inst_sb_src(in)[k]) && writes(next, inst_sb_src(in)[k], inst_src_reg(in)[k]))
				return true;
	}
	for (u32 k = 0; k < in->n_sb_src; k++) {
		const u32 at = place_of(inst_sb_src(in)[k], inst_src_reg(in)[k]);
		if (read_late(in, inst_sb_src(in)[k]) && w->later[b * w->words + at / 64] >> (at % 64) & 1)
			return true;
	}
	return false;
}

/* What is remembered while counters are chosen. */
struct choice {
	u8 last[2];                   /* counter taken for a result; for registers read */
	u32 use_at[CONTROL_COUNTERS]; /* where the first of the results that it stands for is used */
};

/* Where the result of the instruction at pc is first used; behind its block: nobody looks further. */
static u32 first_use(const struct work *w, u32 pc)
{
	const struct inst *in = &w->m->code[pc];
	u32 i = pc + 1;
	const u32 end = w->g.blocks[w->g.block_of[pc - w->fn.begin]].end;
	while (i < end && !waits_for_result(&w->m->code[i], in))
		i++;
	return i;
}

/* The counter to share for a result that is used at `use`, when all are in use: one whose results are used there or
 * later, else the one whose are used last before. Memory answers more or less in order, so that the first user does not
 * wait much longer than for its own. */
static u8 share(const struct choice *h, u32 use, u8 write)
{
	u8 best = h->last[0];
	FOR_EACH_BIT(c, write)
	{
		const u32 at = h->use_at[c], than = h->use_at[best];
		const bool behind = at >= use, best_behind = than >= use;
		if (behind != best_behind ? behind : behind ? at < than : at > than)
			best = (u8)c;
	}
	return best;
}

/* A counter for one more instruction, which has its registers read late, or whose result is first used at `use`: one
 * that nothing under way has. Registers are read in order, and soon: more than two counters would help nobody. */
static u8 take(const struct under_way *u, u32 nids, struct choice *h, bool read, u32 use)
{
	u8 write = 0, reads = 0;
	for (u32 i = 0; i < nids; i++) {
		write |= u->id[i].write;
		reads |= u->id[i].read;
	}
	u8 *mine = &h->last[read];
	if (read && bit_count(reads & ~write) >= 2)
		return *mine;
	for (u32 k = 1; k <= CONTROL_COUNTERS; k++) {
		const u8 c = (u8)((*mine + k) % CONTROL_COUNTERS);
		if ((write | reads) >> c & 1)
			continue;
		if (!read)
			h->use_at[c] = use;
		return *mine = c;
	}
	if (read)
		return *mine;
	const u8 c = write ? share(h, use, write) : *mine;
	h->use_at[c] = MIN(h->use_at[c], use);
	return c;
}

static void choose_counter(struct work *w, u32 pc, struct under_way *u, struct choice *h)
{
	const struct inst *in = &w->m->code[pc];
	const struct control_timing *t = &w->timing[pc];
	struct control_word *c = &w->word[pc];
	u8 need = 0, wait;
	c->set_write = c->set_read = CONTROL_NONE;
	counters_are_zero(u, w->nids, waits_of(in, t, u, &need));
	if ((t->kind == CONTROL_VARIABLE || t->kind == CONTROL_MEMORY) && in->n_sb_dst) {
		c->set_write = take(u, w->nids, h, false, first_use(w, pc));
		comes_under_way(in, t, c, u);
	}
	if (t->kind == CONTROL_MEMORY && may_be_overwritten(w, pc))
		c->set_read = take(u, w->nids, h, true, 0);
	step(w, pc, u, &wait);
}

/* In the order of the text, with what is known to be under way where blocks begin. Which counter an instruction raises
 * is a matter of quality; the waits are found for any choice. */
static void choose_counters(struct work *w)
{
	struct under_way u = under_way_new(w->nids);
	struct choice h = {.last = {CONTROL_COUNTERS - 1, CONTROL_COUNTERS - 1}};
	for (u32 b = 0; b < w->g.nblocks; b++) {
		merge(&u, &w->in[b], w->nids);
		for (u32 pc = w->g.blocks[b].begin; pc < w->g.blocks[b].end; pc++)
			choose_counter(w, pc, &u, &h);
	}
	free(u.id);
}

/* --- waits and stalls --------------------------------------------------------------------------------------------- */

static void block_begins(const struct work *w, u32 b, struct under_way *u)
{
	under_way_copy(u, &w->in[b], w->nids);
	memset(u->busy, 0, sizeof u->busy);
}

static void flow_block(struct work *w, u32 b, struct under_way *u)
{
	u8 wait;
	block_begins(w, b, u);
	for (u32 pc = w->g.blocks[b].begin; pc < w->g.blocks[b].end; pc++)
		step(w, pc, u, &wait);
}

/* What is under way where each block begins, until no way brings more. */
static void flow(struct work *w)
{
	struct under_way u = under_way_new(w->nids);
	for (u32 b = 0; b < w->g.nblocks; b++)
		under_way_copy(&w->in[b], &u, w->nids);
	bool *dirty = xcalloc(w->g.nblocks + 1, sizeof(bool));
	memset(dirty, true, w->g.nblocks * sizeof(bool));
	for (bool more = true; more;) {
		more = false;
		for (u32 b = 0; b < w->g.nblocks; b++) {
			if (!dirty[b])
				continue;
			dirty[b] = false;
			flow_block(w, b, &u);
			for (u32 k = 0; k < w->g.blocks[b].nsucc; k++) {
				const u32 to = w->g.edges[w->g.blocks[b].succ + k];
				if (merge(&w->in[to], &u, w->nids))
					dirty[to] = more = true;
			}
		}
	}
	free(dirty);
	free(u.id);
}

/* The stall of the last instruction with a slot on every way that ends where block b begins. */
static void stall_before(struct work *w, u32 b, u32 gap, bool *seen)
{
	if (seen[b])
		return;
	seen[b] = true;
	for (u32 k = 0; k < w->g.blocks[b].npred; k++) {
		const struct block *p = &w->g.blocks[w->g.edges[w->g.blocks[b].pred + k]];
		u32 pc = p->end;
		while (pc > p->begin && w->timing[pc - 1].kind == CONTROL_FREE)
			pc--;
		if (pc > p->begin)
			w->word[pc - 1].stall = (u8)MAX(w->word[pc - 1].stall, gap);
		else
			stall_before(w, (u32)(p - w->g.blocks), gap, seen);
	}
}

static void write_block(struct work *w, u32 b, struct under_way *u, bool *seen)
{
	block_begins(w, b, u);
	u32 last = UINT32_MAX;
	for (u32 pc = w->g.blocks[b].begin; pc < w->g.blocks[b].end; pc++) {
		u8 wait;
		const u32 gap = step(w, pc, u, &wait);
		w->word[pc].wait = wait;
		if (!gap)
			continue;
		w->word[pc].stall = MAX(w->word[pc].stall, 1);
		if (last != UINT32_MAX) {
			w->word[last].stall = (u8)MAX(w->word[last].stall, gap);
		} else if (gap > 1) {
			memset(seen, 0, w->g.nblocks * sizeof(bool));
			stall_before(w, b, gap, seen);
		}
		last = pc;
	}
}

static void write_words(struct work *w)
{
	struct under_way u = under_way_new(w->nids);
	bool *seen = xcalloc(w->g.nblocks + 1, sizeof(bool));
	for (u32 b = 0; b < w->g.nblocks; b++)
		write_block(w, b, &u, seen);
	free(seen);
	free(u.id);
}

static void make_function(const struct module *m, const struct func *f, const struct control_timing *timing,
                          struct control_word *word)
{
	struct work w = {.m = m,
	                 .timing = timing,
	                 .word = word,
	                 .fn = {.code = m->code, .begin = f->entry, .end = f->end, .tables = m->tables},
	                 .nids = MAX(f->sb_ids, 1u)};
	w.words = (8 * w.nids + 63) / 64;
	cfg_build(&w.g, &w.fn);
	find_later(&w);
	w.in = xcalloc(w.g.nblocks + 1, sizeof *w.in);
	for (u32 b = 0; b < w.g.nblocks; b++)
		w.in[b] = under_way_new(w.nids);
	for (u32 round = 0; round < 2; round++) { /* the second one knows what comes round in loops */
		choose_counters(&w);
		flow(&w);
	}
	write_words(&w);
	for (u32 b = 0; b < w.g.nblocks; b++)
		free(w.in[b].id);
	free(w.in);
	free(w.later);
	cfg_release(&w.g);
}

struct control_word *control_make(const struct module *m, const struct control_timing *timing)
{
	struct control_word *word = xcalloc(MAX(m->ncode, 1u), sizeof *word);
	for (u32 pc = 0; pc < m->ncode; pc++)
		word[pc].set_write = word[pc].set_read = CONTROL_NONE;
	for (u32 i = 0; i < m->nfuncs; i++)
		if (m->funcs[i].entry != m->funcs[i].end)
			make_function(m, &m->funcs[i], timing, word);
	return word;
}

void control_text(const struct control_word *c, char text[CONTROL_TEXT])
{
	char wait[CONTROL_COUNTERS + 1] = {0};
	for (u32 k = 0; k < CONTROL_COUNTERS; k++)
		wait[k] = c->wait >> k & 1 ? (char)('0' + k) : '-';
	const char read = c->set_read == CONTROL_NONE ? '-' : (char)('0' + c->set_read);
	const char write = c->set_write == CONTROL_NONE ? '-' : (char)('0' + c->set_write);
	snprintf(text, CONTROL_TEXT, "B%s:R%c:W%c:S%02u", wait, read, write, c->stall);
}
