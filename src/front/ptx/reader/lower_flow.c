/* Control: branches, calls, barriers, fences. */
#include <stdlib.h>

#include "front/ptx/reader/lower.h"

bool parse_bra(struct stmt *s)
{
	struct token label;
	if (!ld_ident(s->ld, &label, "a label") || !ld_expect(s->ld, ';'))
		return false;
	label_refer(s->ld, &label, emit(s, &s->in), -1, 0);
	return true;
}

/* brx.idx index, table; */
bool parse_brx(struct stmt *s)
{
	struct loader *ld = s->ld;
	struct token list;
	if (!parse_operand(s, &s->arg[0]) || !lower_src(s, &s->arg[0], T_B32, W_EXACT, &s->in.s[0]))
		return false;
	if (!ld_expect(ld, ',') || !ld_ident(ld, &list, "a .branchtargets label") || !ld_expect(ld, ';'))
		return false;
	const struct name *n = name_find(ld, &list);
	if (!n || n->kind != N_TABLE)
		return ld_fail(ld, &list, "'%s' is not the label of a .branchtargets list declared before", TEXT(&list));
	s->in.table = (s32)n->index;
	emit(s, &s->in);
	return true;
}

/* In a function ret returns, in a kernel it ends the threads; results declared .reg are stored first. */
bool lower_ret(struct stmt *s)
{
	struct loader *ld = s->ld;
	if (!want_args(s, 0, 0))
		return false;
	if (ld->m->funcs[ld->fn].is_kernel)
		s->in.flags |= IF_EXITS;
	for (u32 i = 0; i < ld->nreg_out; i++) {
		struct inst st = inst_init(OP_ST, ld->reg_out[i].type);
		st.space = SPC_FPARAM;
		st.imm = ld->reg_out[i].offset;
		st.s[1] = ld->reg_out[i].vreg;
		emit(s, &st);
	}
	emit(s, &s->in);
	return true;
}

/* --- barriers and fences ------------------------------------------------------------------------------------------ */

static bool lower_bar_warp(struct stmt *s)
{
	s->in.op = OP_BARWARP;
	s->in.flags &= ~(u32)IF_SYNC;
	return want_args(s, 1, 1) && lower_src(s, &s->arg[0], T_B32, W_EXACT, &s->in.s[0]) && (emit(s, &s->in), true);
}

static bool barrier_number(struct stmt *s, const struct operand *o)
{
	u32 n = 16;
	if (o->kind == A_INT && o->ival >= 16)
		return ld_fail(s->ld, &o->at, "barrier %llu: a CTA has barriers 0 to 15", (unsigned long long)o->ival);
	if (o->kind == A_INT)
		n = (u32)o->ival + 1;
	s->ld->nbarriers = MAX(s->ld->nbarriers, n);
	return lower_src(s, o, T_B32, W_EXACT, &s->in.s[0]);
}

/* sync a [, b]; arrive a, b; red d, a [, b], [!]p */
bool lower_bar(struct stmt *s)
{
	if (s->in.flags & IF_SYNC)
		return lower_bar_warp(s);
	if (tok_is_name(&s->op, "bar")) /* short for barrier.aligned */
		s->in.flags |= IF_ALIGNED;
	bool red = s->in.mode >= BAR_RED_POPC, arrive = s->in.mode == BAR_ARRIVE;
	if (!want_args(s, red ? 3 : arrive ? 2 : 1, red ? 4 : 2))
		return false;
	u32 at = 0;
	enum ptype t = s->in.mode == BAR_RED_POPC ? T_B32 : T_PRED;
	if (red && !lower_dst(s, &s->arg[at++], t, W_EXACT, &s->in.d[0]))
		return false;
	if (!barrier_number(s, &s->arg[at++]))
		return false;
	if (at < s->nargs - red && !lower_src(s, &s->arg[at++], T_B32, W_EXACT, &s->in.s[1]))
		return false;
	if (red && !lower_pred_src(s, &s->arg[at], &s->in.s[2]))
		return false;
	emit(s, &s->in);
	return true;
}

bool lower_membar(struct stmt *s)
{
	if (!want_args(s, 0, 0))
		return false;
	if (!s->has_mode)
		return ld_fail(s->ld, &s->op, "'%s' lacks a scope such as .gpu", NAME(s));
	emit(s, &s->in);
	return true;
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

struct call {
	struct token callee, proto;
	struct operand target; /* A_FUNC or A_REG */
	struct operand *out, *in;
	u32 nout, nin;
	u32 sig;
	bool has_proto;
};

static bool parse_list(struct stmt *s, struct operand **list, u32 *n)
{
	while (!tok_is(&s->ld->tok, ')')) {
		if (*n && !ld_expect(s->ld, ','))
			return false;
		struct operand *o = PUSH(*list, *n);
		if (!parse_operand(s, o))
			return false;
	}
	ld_next(s->ld);
	return true;
}

static bool parse_call_text(struct stmt *s, struct call *c)
{
	struct loader *ld = s->ld;
	if (ld_accept(ld, '(') && (!parse_list(s, &c->out, &c->nout) || !ld_expect(ld, ',')))
		return false;
	if (ld->tok.kind != TK_IDENT)
		return ld_expected(ld, "a function");
	c->callee = ld->tok;
	if (!parse_operand(s, &c->target))
		return false;
	if (ld_accept(ld, ',')) {
		if (ld_accept(ld, '(')) {
			if (!parse_list(s, &c->in, &c->nin))
				return false;
			c->has_proto = ld_accept(ld, ',');
		} else {
			c->has_proto = true;
		}
		if (c->has_proto && !ld_ident(ld, &c->proto, "a .callprototype or .calltargets label"))
			return false;
	}
	return ld_expect(ld, ';');
}

static bool find_callee(struct stmt *s, struct call *c)
{
	struct loader *ld = s->ld;
	if (c->target.kind == A_FUNC) {
		c->sig = ld->finfo[c->target.index].sig;
		if (ld->m->funcs[c->target.index].is_kernel)
			return ld_fail(ld, &c->callee, "'%s' is a kernel and cannot be called", TEXT(&c->callee));
		s->in.func = (s32)c->target.index;
		return true;
	}
	if (c->target.kind != A_REG || !c->has_proto)
		return ld_fail(ld, &c->callee, "'%s' is not a function declared before%s", TEXT(&c->callee),
		               c->target.kind == A_REG ? " (a call through a register needs a .callprototype label)" : "");
	const struct name *n = name_find(ld, &c->proto);
	if (!n || n->kind != N_PROTO)
		return ld_fail(ld, &c->proto, "'%s' is not a .callprototype or .calltargets label", TEXT(&c->proto));
	c->sig = n->index;
	s->in.flags |= IF_INDIRECT;
	return lower_src(s, &c->target, T_B64, W_EXACT, &s->in.s[0]);
}

static bool check_counts(struct stmt *s, const struct call *c, const struct sig *sig)
{
	if (c->nin == sig->nin && c->nout == sig->nout)
		return true;
	return ld_fail(s->ld, &c->callee, "'%s' takes %u argument%s and returns %u value%s, the call has %u and %u",
	               TEXT(&c->callee), sig->nin, sig->nin == 1 ? "" : "s", sig->nout, sig->nout == 1 ? "" : "s", c->nin,
	               c->nout);
}

/* A hidden call variable for an argument that is a register or constant. */
static u32 hidden_param(struct loader *ld, u32 size)
{
	u32 off = (ld->fparam_used + 7) & ~7u;
	ld->fparam_used = off + size;
	ld->fparam_max = MAX(ld->fparam_max, ld->fparam_used);
	return off;
}

static bool param_place(struct stmt *s, const struct operand *o, const struct formal *f, u32 *off)
{
	if (o->kind == A_PARAM && o->space == SPC_FPARAM && !o->add) {
		*off = (u32)o->ival;
		return o->size == f->size || ld_fail(s->ld, &o->at, "'%s' has %u bytes, the parameter it stands for has %u",
		                                     TEXT(&o->at), o->size, f->size);
	}
	if (o->kind == A_PARAM)
		return ld_fail(s->ld, &o->at, "'%s' is no .param variable declared for calls", TEXT(&o->at));
	if (f->size != ptype_bytes(f->type))
		return ld_fail(s->ld, &o->at, "'%s' is no .param variable, the parameter it stands for is an array of %u bytes",
		               TEXT(&o->at), f->size);
	*off = hidden_param(s->ld, f->size);
	return true;
}

static bool lower_argument(struct stmt *s, const struct operand *o, const struct formal *f, u32 *off)
{
	if (!param_place(s, o, f, off) || o->kind == A_PARAM)
		return !s->ld->failed;
	struct inst st = inst_init(OP_ST, f->type);
	st.space = SPC_FPARAM;
	st.imm = *off;
	if (!lower_src(s, o, f->type, W_EXACT, &st.s[1]))
		return false;
	emit(s, &st);
	return true;
}

static bool load_result(struct stmt *s, const struct operand *o, const struct formal *f, u32 off)
{
	if (o->kind == A_PARAM)
		return true;
	struct inst ld = inst_init(OP_LD, f->type);
	ld.space = SPC_FPARAM;
	ld.imm = off;
	if (!lower_dst(s, o, f->type, W_EXACT, &ld.d[0]))
		return false;
	emit(s, &ld);
	return true;
}

static bool call_moves(struct stmt *s, const struct call *c, const struct sig *sig, struct call_info *info)
{
	for (u32 i = 0; i < sig->nin; i++) {
		u32 from;
		if (!lower_argument(s, &c->in[i], &sig->in[i], &from))
			return false;
		struct call_move *m = PUSH(info->args, info->nargs);
		*m = (struct call_move){from, sig->in[i].offset, sig->in[i].size};
	}
	for (u32 i = 0; i < sig->nout; i++) {
		u32 to;
		if (!param_place(s, &c->out[i], &sig->out[i], &to))
			return false;
		struct call_move *m = PUSH(info->rets, info->nrets);
		*m = (struct call_move){sig->out[i].offset, to, sig->out[i].size};
	}
	return true;
}

static void note_call(struct stmt *s, const struct call *c, u32 pc)
{
	struct edge *e = PUSH(s->ld->edges, s->ld->nedges);
	*e = (struct edge){.caller = (u32)s->ld->fn, .inst = pc, .callee = s->in.func, .sig = c->sig, .at = c->callee};
}

static bool emit_call(struct stmt *s, const struct call *c)
{
	struct module *m = s->ld->m;
	const struct sig *sig = &s->ld->sigs[c->sig];
	u32 info = m->ncalls;
	(void)PUSH(m->calls, m->ncalls);
	u32 mark = s->ld->fparam_used;
	if (!call_moves(s, c, sig, &m->calls[info]))
		return false;
	s->in.call = (s32)info;
	note_call(s, c, emit(s, &s->in));
	for (u32 i = 0; i < sig->nout; i++)
		if (!load_result(s, &c->out[i], &sig->out[i], m->calls[info].rets[i].to))
			return false;
	s->ld->fparam_used = mark;
	return true;
}

/* An argument of a call that becomes one instruction: it is fetched from its call variable into a register. */
static bool fetch_argument(struct stmt *s, const struct operand *o, const struct formal *f, enum ptype t, opnd *to)
{
	u32 off;
	struct inst ld = inst_init(OP_LD, t);
	if (!lower_argument(s, o, f, &off))
		return false;
	ld.space = SPC_FPARAM;
	ld.imm = off;
	ld.d[0] = *to = vreg_new(s->ld, t, NULL);
	emit(s, &ld);
	return true;
}

static bool sig_is_assert(const struct sig *sig)
{
	static const u32 size[] = {8, 8, 4, 8};
	bool same = sig->nin == 5 && !sig->nout;
	for (u32 i = 0; same && i < ARRAY_LEN(size); i++)
		same = sig->in[i].size == size[i];
	return same;
}
/* __assertfail(text, file, line, function, size of a character): a failed assert() ends the kernel. */
static bool emit_assert(struct stmt *s, const struct call *c, bool known)
{
	const struct sig *sig = &s->ld->sigs[c->sig];
	struct inst trap = inst_init(OP_TRAP, T_NONE);
	const u32 mark = s->ld->fparam_used;
	for (u32 i = 0; i < 4 && known; i++)
		if (!fetch_argument(s, &c->in[i], &sig->in[i], i == 2 ? T_B32 : T_B64, &trap.s[i]))
			return false;
	s->ld->fparam_used = mark;
	trap.flags |= known ? IF_ASSERT : 0;
	emit(s, &trap);
	return true;
}

/* The one instruction of such a call, and its result into where the call wants it. */
static bool emit_with_result(struct stmt *s, const struct call *c, struct inst *in, enum ptype t)
{
	const struct sig *sig = &s->ld->sigs[c->sig];
	u32 to;
	if (!sig->nout) {
		emit(s, in);
		return true;
	}
	if (!param_place(s, &c->out[0], &sig->out[0], &to))
		return false;
	in->d[0] = vreg_new(s->ld, t, NULL);
	emit(s, in);
	struct inst st = inst_init(OP_ST, t);
	st.space = SPC_FPARAM;
	st.imm = to;
	st.s[1] = in->d[0];
	emit(s, &st);
	return load_result(s, &c->out[0], &sig->out[0], to);
}

/* vprintf(format, buffer) */
static bool emit_vprintf(struct stmt *s, const struct call *c)
{
	const struct sig *sig = &s->ld->sigs[c->sig];
	u32 mark = s->ld->fparam_used;
	if (sig->nin != 2 || sig->nout > 1 || sig->in[0].size != 8 || sig->in[1].size != 8 ||
	    (sig->nout && sig->out[0].size != 4))
		return ld_fail(s->ld, &c->callee, "vprintf is declared with other parameters than (.b64, .b64) -> .b32");
	for (u32 i = 0; i < 2; i++)
		if (!fetch_argument(s, &c->in[i], &sig->in[i], T_B64, &s->in.s[i]))
			return false;
	s->in.flags |= IF_VPRINTF;
	if (!emit_with_result(s, c, &s->in, T_B32))
		return false;
	s->ld->fparam_used = mark;
	return true;
}

/* malloc(bytes), free(address) */
static bool emit_heap_call(struct stmt *s, const struct call *c, bool gives)
{
	const struct sig *sig = &s->ld->sigs[c->sig];
	const u32 mark = s->ld->fparam_used;
	struct inst in = inst_init(gives ? OP_ATOM : OP_RED, T_B64);
	if (sig->nin != 1 || sig->in[0].size != 8 || sig->nout != gives || (gives && sig->out[0].size != 8))
		return ld_fail(s->ld, &c->callee, "%s is declared with other parameters than %s", TEXT(&c->callee),
		               gives ? "(.b64) -> .b64" : "(.b64)");
	in.atom = gives ? ATOM_MALLOC : ATOM_FREE;
	in.space = SPC_GLOBAL;
	if (!fetch_argument(s, &c->in[0], &sig->in[0], T_B64, &in.s[1]) || !emit_with_result(s, c, &in, T_B64))
		return false;
	s->ld->fparam_used = mark;
	return true;
}

static bool emit_any_call(struct stmt *s, struct call *c)
{
	struct loader *ld = s->ld;
	if (!find_callee(s, c) || !check_counts(s, c, &ld->sigs[c->sig]))
		return false;
	bool external = c->target.kind == A_FUNC && ld->finfo[c->target.index].is_extern;
	if (external && tok_is_name(&c->callee, "vprintf"))
		return emit_vprintf(s, c);
	if (external && tok_is_name(&c->callee, "__assertfail"))
		return emit_assert(s, c, sig_is_assert(&ld->sigs[c->sig]));
	if (external && (tok_is_name(&c->callee, "malloc") || tok_is_name(&c->callee, "free")))
		return emit_heap_call(s, c, tok_is_name(&c->callee, "malloc"));
	return emit_call(s, c);
}

bool parse_call(struct stmt *s)
{
	struct call c = {0};
	bool ok = parse_call_text(s, &c) && emit_any_call(s, &c);
	free(c.in);
	free(c.out);
	return ok;
}
