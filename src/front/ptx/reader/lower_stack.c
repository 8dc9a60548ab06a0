/* alloca, stacksave, stackrestore. A function that has one of them gets a variable in local memory, its stack, and a
 * register that says where the stack ends, both without a name. The stack grows downwards, as PTX says. Each activation
 * has its own, so what a call has taken is free when it returns. */
#include <string.h>

#include "front/ptx/reader/lower.h"

/* Of one activation, in bytes: what CUDA gives a thread for its whole stack unless cudaLimitStackSize is set (CUDA C++
 * Programming Guide, cudaDeviceGetLimit: 1 KiB). */
#define STACK_BYTES 1024

static bool is_stack_word(const struct token *t)
{
	return tok_is_name(t, "alloca") || tok_is_name(t, "stacksave") || tok_is_name(t, "stackrestore");
}

/* Does the body that begins at ld->tok have one of the three? Reads ahead to its '}'. */
static bool body_uses_stack(struct loader *ld)
{
	const struct lexer lx = ld->lx;
	const struct token tok = ld->tok, ahead = ld->ahead;
	bool found = false;
	for (u32 depth = 1; depth && !found && ld->tok.kind != TK_EOF && ld->tok.kind != TK_BAD; ld_next(ld)) {
		depth += tok_is(&ld->tok, '{');
		depth -= tok_is(&ld->tok, '}');
		found = is_stack_word(&ld->tok);
	}
	ld->lx = lx;
	ld->tok = tok;
	ld->ahead = ahead;
	return found;
}

static u32 add_variable(struct loader *ld)
{
	struct symbol *s = PUSH(ld->m->symbols, ld->m->nsymbols);
	struct syminfo *i = PUSH(ld->syminfo, ld->nsyminfo);
	*s = (struct symbol){.name = xstrdup("%stack"),
	                     .space = SPC_LOCAL,
	                     .size = STACK_BYTES,
	                     .align = 16,
	                     .func = ld->fn,
	                     .line = ld->m->funcs[ld->fn].line};
	*i = (struct syminfo){.at = ld->finfo[ld->fn].at, .used = true};
	return ld->m->nsymbols - 1;
}

bool stack_begin(struct loader *ld)
{
	ld->stack = OPND_NONE;
	if (!ld->stack_known) { /* nearly no file has it: a look at the text is enough */
		ld->stack_known = true;
		ld->stack_words =
		    strstr(ld->m->text, "alloca") || strstr(ld->m->text, "stacksave") || strstr(ld->m->text, "stackrestore");
	}
	if (!ld->stack_words || !body_uses_stack(ld))
		return !ld->failed;
	struct stmt s = {.ld = ld, .op = ld->tok, .in = inst_init(OP_MOV, T_B32)};
	ld->stack = vreg_new(ld, T_B32, NULL);
	ld->stack_sym = add_variable(ld);
	s.in.d[0] = ld->stack;
	s.in.s[0] = pool_symbol(ld, ld->stack_sym, STACK_BYTES, 4, false);
	emit(&s, &s.in);
	return true;
}

static bool check_type(struct stmt *s)
{
	const enum ptype t = s->in.type;
	if (s->ntypes == 1 && (t == T_U32 || t == T_U64))
		return true;
	return ld_fail(s->ld, &s->op, "'%s' needs type .u64 or .u32", NAME(s));
}

/* alloca.type d, size {, align} */
bool lower_alloca(struct stmt *s)
{
	struct inst base = inst_init(OP_MOV, T_B32);
	if (!check_type(s) || !want_args(s, 2, 3))
		return false;
	s->in.imm = 8;
	if (s->nargs == 3) {
		const struct operand *o = &s->arg[2];
		if (o->kind != A_INT || !o->ival || o->ival & (o->ival - 1) || o->ival > STACK_BYTES)
			return ld_fail(s->ld, &o->at, "'%s' needs a power of two up to %u as alignment", NAME(s), STACK_BYTES);
		s->in.imm = (s64)o->ival;
	}
	if (!lower_dst(s, &s->arg[0], s->in.type, W_EXACT, &s->in.d[0]) ||
	    !lower_src(s, &s->arg[1], s->in.type, W_EXACT, &s->in.s[1]))
		return false;
	base.d[0] = s->in.s[2] = vreg_new(s->ld, T_B32, NULL);
	base.s[0] = pool_symbol(s->ld, s->ld->stack_sym, 0, 4, false);
	emit(s, &base);
	s->in.s[0] = s->in.d[1] = s->ld->stack;
	return true;
}

/* stacksave.type d; stackrestore.type a: the register, widened for .u64. */
static bool lower_copy(struct stmt *s, bool save)
{
	const enum ptype t = s->in.type;
	opnd there;
	if (!check_type(s) || !want_args(s, 1, 1) ||
	    !(save ? lower_dst(s, &s->arg[0], t, W_EXACT, &there) : lower_src(s, &s->arg[0], t, W_EXACT, &there)))
		return false;
	s->in.d[0] = save ? there : s->ld->stack;
	s->in.s[0] = save ? s->ld->stack : there;
	s->in.op = t == T_U64 ? OP_CVT : OP_MOV;
	s->in.stype = save ? T_U32 : T_U64;
	s->in.type = save && t == T_U64 ? T_U64 : T_U32;
	if (t == T_U32)
		s->in.stype = T_NONE;
	return true;
}
bool lower_stacksave(struct stmt *s)
{
	return lower_copy(s, true);
}
bool lower_stackrestore(struct stmt *s)
{
	return lower_copy(s, false);
}
