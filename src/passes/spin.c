/* Loops that wait; see spin.h. */
#include "passes/spin.h"

#include "ir/wide.h"

#define TAINT_MAX 32

static bool writes(const struct inst *in, opnd at)
{
	for (u32 i = 0; i < inst_ndst(in); i++)
		if (inst_dst(in, i) == at && at != OPND_NONE)
			return true;
	return false;
}

static bool reads_memory(const struct inst *in)
{
	if (in->op == OP_MBARRIER)
		return in->mode == MBAR_TEST_WAIT || in->mode == MBAR_TRY_WAIT;
	if (in->op != OP_LD && in->op != OP_ATOM)
		return false;
	return in->space == SPC_GLOBAL || in->space == SPC_SHARED || in->space == SPC_GENERIC;
}

static bool address_unchanging(const struct module *m, u32 from, u32 to, const struct inst *load)
{
	for (u32 pc = from; pc <= to && load->s[0] != OPND_NONE; pc++)
		if (writes(&m->code[pc], load->s[0]))
			return false;
	return true;
}

struct taint {
	opnd at[TAINT_MAX];
	u32 n;
};

static bool tainted(const struct taint *t, opnd at)
{
	for (u32 i = 0; i < t->n; i++)
		if (t->at[i] == at)
			return true;
	return false;
}

static void add_taint(struct taint *t, const struct inst *in)
{
	for (u32 i = 0; i < inst_ndst(in); i++)
		if (inst_dst(in, i) != OPND_NONE && t->n < TAINT_MAX && !tainted(t, inst_dst(in, i)))
			t->at[t->n++] = inst_dst(in, i);
}

static bool reads_tainted(const struct taint *t, const struct inst *in)
{
	for (u32 i = 0; i < inst_nsrc(in); i++)
		if (inst_src(in, i) != OPND_NONE && tainted(t, inst_src(in, i)))
			return true;
	return false;
}

/* Does a branch of the loop depend on what the load brings? Follows values through the loop's instructions until
 * nothing is added. */
static bool decides(const struct module *m, u32 from, u32 to, u32 load)
{
	struct taint t = {.n = 0};
	add_taint(&t, &m->code[load]);
	for (u32 before = 0; before != t.n;) {
		before = t.n;
		for (u32 pc = from; pc <= to; pc++)
			if (reads_tainted(&t, &m->code[pc]))
				add_taint(&t, &m->code[pc]);
	}
	for (u32 pc = from; pc <= to; pc++)
		if (m->code[pc].op == OP_BRA && m->code[pc].guard != OPND_NONE && tainted(&t, m->code[pc].guard))
			return true;
	return false;
}

static bool stores(const struct module *m, u32 from, u32 to)
{
	for (u32 pc = from; pc <= to; pc++)
		if (inst_is_store(&m->code[pc]))
			return true;
	return false;
}

/* A loop that stores does work, unless what it turns on is a lock: taking it (compare-and-swap, exchange) with the
 * critical section inside the loop is the usual way round divergence. */
static bool waits_only(const struct inst *load, bool loop_stores)
{
	if (load->op == OP_ATOM)
		return load->atom == ATOM_CAS || load->atom == ATOM_EXCH || (!loop_stores && load->atom == ATOM_OR);
	return !loop_stores;
}

/* Does a function take a lock, or look at a flag? */
static bool looks(const struct module *m, const struct func *f)
{
	for (u32 pc = f->entry; pc < f->end; pc++) {
		const struct inst *in = &m->code[pc];
		if (reads_memory(in) && (in->op == OP_ATOM ? in->atom == ATOM_CAS || in->atom == ATOM_EXCH
		                                           : (in->flags & (IF_VOLATILE | IF_ACQREL)) != 0))
			return true;
	}
	return false;
}
/* Is this the load of what such a function has returned? */
static bool returned(const struct module *m, u32 from, u32 pc)
{
	if (m->code[pc].op != OP_LD || m->code[pc].space != SPC_FPARAM)
		return false;
	while (pc-- > from)
		if (m->code[pc].op == OP_CALL)
			return m->code[pc].func >= 0 && looks(m, &m->funcs[m->code[pc].func]);
	return false;
}

bool spin_loop(const struct module *m, u32 from, u32 to, u32 *load)
{
	bool st = stores(m, from, to);
	for (u32 pc = from; pc <= to; pc++) {
		const struct inst *in = &m->code[pc];
		const bool looked = reads_memory(in) && waits_only(in, st) && address_unchanging(m, from, to, in);
		if ((looked || returned(m, from, pc)) && decides(m, from, to, pc)) {
			*load = pc;
			return true;
		}
	}
	return false;
}

void spin_mark(struct module *m)
{
	u32 load;
	for (u32 i = 0; i < m->nfuncs; i++)
		for (u32 pc = m->funcs[i].entry; pc < m->funcs[i].end; pc++) {
			struct inst *in = &m->code[pc];
			if (in->op == OP_BRA && in->target >= 0 && (u32)in->target <= pc && pc - (u32)in->target < SPIN_LOOP_MAX &&
			    spin_loop(m, (u32)in->target, pc, &load))
				in->mode = BRA_WAITS;
		}
}
