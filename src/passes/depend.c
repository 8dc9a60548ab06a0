#include "passes/depend.h"

#include <stdlib.h>
#include <string.h>

struct depend *depend_create(const struct fn *f, const struct depend_facts *facts)
{
	struct depend *d = xcalloc(1, sizeof *d);
	d->f = f;
	d->facts = facts;
	d->value_of = xcalloc(f->nregs + 1, sizeof(u32));
	return d;
}

void depend_release(struct depend *d)
{
	if (!d)
		return;
	free(d->value_of);
	free(d->edges);
	free(d);
}

static bool reads_clock(const struct inst *in)
{
	if (in->op != OP_MOV || !in->sreg)
		return false;
	switch (in->sreg - 1) {
	case SR_CLOCK:
	case SR_CLOCK_HI:
	case SR_CLOCK64:
	case SR_GLOBALTIMER:
	case SR_GLOBALTIMER_LO:
	case SR_GLOBALTIMER_HI: return true;
	default: return false;
	}
}

bool depend_is_boundary(const struct inst *in)
{
	return in->cls == IC_CTRL || reads_clock(in);
}

static void add_edge(struct depend *d, u32 from, u32 to, u32 latency)
{
	if (d->nedges == d->cap) {
		d->cap = d->cap ? 2 * d->cap : 1024;
		d->edges = xrealloc(d->edges, d->cap * sizeof *d->edges);
	}
	d->edges[d->nedges++] = (struct depend_edge){to, latency, d->node[from].succ};
	d->node[from].succ = d->nedges;
	d->node[to].npreds++;
}

/* --- registers ---------------------------------------------------------------------------------------------------- */

static u32 new_value(struct depend *d, u32 reg, u32 def)
{
	u32 old = d->value_of[reg];
	if (old)
		d->value[old - 1].last = false;
	d->value[d->nvalues] = (struct depend_value){.reg = reg, .def = def, .last = true, .root = d->nvalues};
	d->value_of[reg] = ++d->nvalues;
	return d->nvalues - 1;
}

static u32 current_value(struct depend *d, u32 reg)
{
	return d->value_of[reg] ? d->value_of[reg] - 1 : new_value(d, reg, DEPEND_NONE);
}

static void add_use(struct depend *d, u32 i, opnd o)
{
	if (!opnd_is_vreg(o))
		return;
	struct depend_node *n = &d->node[i];
	u32 v = current_value(d, o);
	for (u32 k = 0; k < n->nuse; k++)
		if (n->use[k] == v)
			return;
	n->use[n->nuse++] = v;
	struct depend_value *val = &d->value[v];
	if (val->def != DEPEND_NONE)
		add_edge(d, val->def, i, d->node[val->def].latency);
	d->link[d->nlinks++] = (struct depend_link){i, val->users};
	val->users = d->nlinks;
	val->uses++;
}

static void add_def(struct depend *d, u32 i, opnd o)
{
	if (!opnd_is_vreg(o))
		return;
	struct depend_node *n = &d->node[i];
	if (d->value_of[o]) {
		const struct depend_value *old = &d->value[d->value_of[o] - 1];
		if (old->def == i)
			return; /* named twice by one instruction */
		for (u32 k = old->users; k; k = d->link[k - 1].next)
			if (d->link[k - 1].node != i)
				add_edge(d, d->link[k - 1].node, i, 0);
		if (!old->users && old->def != DEPEND_NONE)
			add_edge(d, old->def, i, d->node[old->def].latency);
	}
	n->def[n->ndef++] = new_value(d, o, i);
}

static void add_registers(struct depend *d, u32 i, const struct inst *in)
{
	for (u32 k = 0; k < inst_nsrc(in); k++)
		add_use(d, i, inst_src(in, k));
	add_use(d, i, in->guard);
	for (u32 k = 0; k < inst_ndst(in) && in->guard != OPND_NONE; k++)
		add_use(d, i, inst_dst(in, k));
}

/* --- address forms ------------------------------------------------------------------------------------------------ */

/* d = register + constant, unguarded: which register, what constant. */
static bool is_offset(const struct depend *d, const struct inst *in, opnd *reg, s64 *add)
{
	if (in->guard != OPND_NONE || (in->flags & (IF_SAT | IF_CC_OUT | IF_CC_IN)) || ptype_is_float(in->type))
		return false;
	u64 v = 0;
	if (in->op == OP_MOV) {
		*reg = in->s[0];
		*add = 0;
		return !in->sreg && in->vec <= 1 && opnd_is_vreg(in->s[0]);
	}
	if ((in->op != OP_ADD && in->op != OP_SUB) || ptype_bytes(in->type) < 4)
		return false;
	bool swap = in->op == OP_ADD && !opnd_is_vreg(in->s[0]);
	opnd constant = in->s[!swap];
	*reg = in->s[swap];
	if (!opnd_is_vreg(*reg) || constant == OPND_NONE || opnd_is_vreg(constant) ||
	    !d->facts->constant(d->facts->ctx, constant, &v))
		return false;
	s64 c = ptype_bytes(in->type) == 8 ? (s64)v : (s64)(s32)(u32)v;
	*add = in->op == OP_SUB ? (s64)(0 - (u64)c) : c;
	return true;
}

/* Of the value that node i has just defined, from the values it read. */
static void set_form(struct depend *d, u32 i, const struct inst *in)
{
	opnd reg;
	s64 add;
	const struct depend_node *n = &d->node[i];
	if (n->ndef != 1 || !is_offset(d, in, &reg, &add) || d->f->vclass[reg] != d->f->vclass[in->d[0]])
		return;
	for (u32 k = 0; k < n->nuse; k++) {
		const struct depend_value *from = &d->value[n->use[k]];
		if (from->reg != reg)
			continue;
		d->value[n->def[0]].root = from->root;
		d->value[n->def[0]].offset = (s64)((u64)from->offset + (u64)add);
	}
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static bool is_memory(const struct inst *in)
{
	return inst_is_load(in) || inst_is_store(in) || in->op == OP_PREFETCH || in->op == OP_ATOM || in->op == OP_RED ||
	       in->op == OP_TEX || in->op == OP_TLD4 || in->op == OP_MBARRIER;
}
static bool is_fence(const struct inst *in)
{
	return in->op == OP_ATOM || in->op == OP_RED || in->op == OP_CP_ASYNC || in->op == OP_MBARRIER ||
	       (in->flags & (IF_VOLATILE | IF_ACQREL));
}
/* Reads that no store of the kernel may be seen by. */
static bool reads_constants(const struct inst *in)
{
	return in->space == SPC_CONST || in->space == SPC_PARAM || in->space == SPC_TEX || in->op == OP_TEX ||
	       in->op == OP_TLD4 || (in->flags & IF_NC);
}

static bool spaces_meet(u8 a, u8 b)
{
	bool wide_a = a == SPC_GENERIC, wide_b = b == SPC_GENERIC;
	if (a == b)
		return true;
	return (wide_a && (b == SPC_GLOBAL || b == SPC_SHARED || b == SPC_LOCAL)) ||
	       (wide_b && (a == SPC_GLOBAL || a == SPC_SHARED || a == SPC_LOCAL));
}

struct address {
	opnd base;  /* operand in the pool or NONE; else see root */
	u32 root;   /* value or DEPEND_NONE */
	u32 symbol; /* variable that a constant address lies in, or DEPEND_NONE */
	u64 at;     /* distance from base, root or variable */
	u32 bytes;
	bool narrow; /* a 32-bit register */
};

static struct address address_of(const struct depend *d, u32 i)
{
	const struct inst *in = &d->f->code[d->begin + i];
	struct address a = {.base = OPND_NONE,
	                    .root = DEPEND_NONE,
	                    .symbol = d->facts->symbol_at[d->begin + i - d->f->begin],
	                    .at = (u64)in->imm,
	                    .bytes = ptype_bytes(in->type) * MAX(in->vec, 1u),
	                    .narrow = in->base_bytes == 4};
	if (!opnd_is_vreg(in->s[0])) {
		a.base = in->s[0];
		return a;
	}
	for (u32 k = 0; k < d->node[i].nuse; k++) {
		const struct depend_value *v = &d->value[d->node[i].use[k]];
		if (v->reg != in->s[0])
			continue;
		a.root = v->root;
		a.at += (u64)v->offset;
	}
	return a;
}

/* Is no byte in both, for one thread? */
static bool apart(const struct depend *d, u32 x, u32 y)
{
	struct address a = address_of(d, x), b = address_of(d, y);
	if (a.root != b.root || a.base != b.base || a.narrow != b.narrow)
		return false;
	if (a.symbol != b.symbol)
		return a.symbol != DEPEND_NONE && b.symbol != DEPEND_NONE;
	u64 ab = b.at - a.at, ba = a.at - b.at;
	if (a.narrow) {
		ab = (u32)ab;
		ba = (u32)ba;
	}
	return ab >= a.bytes && ba >= b.bytes;
}

static bool moves_matrix(const struct inst *in)
{
	return in->wide || in->op == OP_LDMATRIX || in->op == OP_STMATRIX;
}

static bool must_keep_order(const struct depend *d, u32 x, u32 y)
{
	const struct inst *a = &d->f->code[d->begin + x], *b = &d->f->code[d->begin + y];
	if (a->space == SPC_FPARAM || b->space == SPC_FPARAM)
		return a->space == b->space;
	if (!inst_is_store(a) && !inst_is_store(b))
		return false;
	if (reads_constants(a) || reads_constants(b) || !spaces_meet(a->space, b->space))
		return false;
	/* Lanes of a matrix access touch what other lanes address. */
	const bool matrix = moves_matrix(a) || moves_matrix(b);
	return a->space != b->space || matrix || !apart(d, x, y);
}

static u32 order_latency(const struct depend *d, u32 i)
{
	return inst_is_store(&d->f->code[d->begin + i]) ? 1 : 0;
}

static void add_memory(struct depend *d, u32 i, const struct inst *in)
{
	if (!is_memory(in))
		return;
	bool fence = is_fence(in);
	for (u32 k = 0; k < d->nmemory; k++)
		if (fence || must_keep_order(d, d->memory[k], i))
			add_edge(d, d->memory[k], i, order_latency(d, d->memory[k]));
	if (d->fence != DEPEND_NONE)
		add_edge(d, d->fence, i, 1);
	if (fence) {
		d->nmemory = 0;
		d->fence = i;
	} else {
		d->memory[d->nmemory++] = i;
	}
}

static void add_warp(struct depend *d, u32 i, const struct inst *in)
{
	if (in->op != OP_SHFL && in->op != OP_VOTE && in->op != OP_MATCH && in->op != OP_REDUX && in->op != OP_ACTIVEMASK &&
	    in->op != OP_ELECT)
		return;
	if (d->warp != DEPEND_NONE)
		add_edge(d, d->warp, i, 0);
	d->warp = i;
}

/* --- the graph ---------------------------------------------------------------------------------------------------- */

static void forget(struct depend *d)
{
	for (u32 v = 0; v < d->nvalues; v++)
		d->value_of[d->value[v].reg] = 0;
	d->nvalues = d->nlinks = d->nedges = d->nmemory = 0;
	d->fence = d->warp = DEPEND_NONE;
}

static void measure(struct depend *d)
{
	for (u32 i = d->n; i-- > 0;) {
		struct depend_node *n = &d->node[i];
		n->height = n->latency;
		for (u32 k = n->succ; k; k = d->edges[k - 1].next)
			n->height = MAX(n->height, d->edges[k - 1].latency + d->node[d->edges[k - 1].to].height);
	}
}

void depend_build(struct depend *d, u32 begin, u32 n)
{
	BUG_ON(n > DEPEND_MAX);
	forget(d);
	d->begin = begin;
	d->n = n;
	for (u32 i = 0; i < n; i++) {
		const struct inst *in = &d->f->code[begin + i];
		u32 slots = d->facts->slot_each ? 1 : in->cost;
		bool waited_for = slots && !inst_is_store(in) && in->op != OP_RED;
		d->node[i] = (struct depend_node){.slots = slots, .latency = waited_for ? d->facts->latency[in->cls] : slots};
		add_registers(d, i, in);
		add_memory(d, i, in);
		for (u32 k = 0; k < inst_ndst(in); k++)
			add_def(d, i, inst_dst(in, k));
		set_form(d, i, in);
		add_warp(d, i, in);
	}
	measure(d);
}
