/* Operands of an instruction. */
#include <string.h>

#include "front/ptx/reader/lower.h"

static const struct {
	const char *name; /* without % */
	u8 sreg;
} sregs[] = {
    {"laneid", SR_LANEID},
    {"warpid", SR_WARPID},
    {"nwarpid", SR_NWARPID},
    {"smid", SR_SMID},
    {"nsmid", SR_NSMID},
    {"gridid", SR_GRIDID},
    {"lanemask_eq", SR_LANEMASK_EQ},
    {"lanemask_le", SR_LANEMASK_LE},
    {"lanemask_lt", SR_LANEMASK_LT},
    {"lanemask_ge", SR_LANEMASK_GE},
    {"lanemask_gt", SR_LANEMASK_GT},
    {"clock", SR_CLOCK},
    {"clock_hi", SR_CLOCK_HI},
    {"clock64", SR_CLOCK64},
    {"globaltimer", SR_GLOBALTIMER},
    {"globaltimer_lo", SR_GLOBALTIMER_LO},
    {"globaltimer_hi", SR_GLOBALTIMER_HI},
    {"dynamic_smem_size", SR_DYNAMIC_SMEM_SIZE},
    {"total_smem_size", SR_TOTAL_SMEM_SIZE},
    /* performance counters that nobody programs: 0, as %envreg */
    {"pm0", SR_ENVREG},
    {"pm1", SR_ENVREG},
    {"pm2", SR_ENVREG},
    {"pm3", SR_ENVREG},
    {"pm4", SR_ENVREG},
    {"pm5", SR_ENVREG},
    {"pm6", SR_ENVREG},
    {"pm7", SR_ENVREG},
};
static const struct {
	const char *name;
	u8 x; /* .y and .z follow */
} vector_sregs[] = {{"tid", SR_TID_X}, {"ntid", SR_NTID_X}, {"ctaid", SR_CTAID_X}, {"nctaid", SR_NCTAID_X}};

static bool name_is(const struct token *t, const char *name)
{
	return t->len == strlen(name) + 1 && t->p[0] == '%' && !memcmp(t->p + 1, name, t->len - 1);
}

/* A special register of PTX's, but none that is known here. */
static bool sreg_unsupported(const struct token *name)
{
	static const char *const known[] = {"clusterid",
	                                    "nclusterid",
	                                    "cluster_ctaid",
	                                    "cluster_nctaid",
	                                    "cluster_ctarank",
	                                    "cluster_nctarank",
	                                    "is_explicit_cluster",
	                                    "current_graph_exec",
	                                    "aggr_smem_size",
	                                    "reserved_smem_offset_begin",
	                                    "reserved_smem_offset_end",
	                                    "reserved_smem_offset_cap",
	                                    "reserved_smem_offset_0",
	                                    "reserved_smem_offset_1",
	                                    "pm0_64",
	                                    "pm1_64",
	                                    "pm2_64",
	                                    "pm3_64",
	                                    "pm4_64",
	                                    "pm5_64",
	                                    "pm6_64",
	                                    "pm7_64"};
	for (u32 i = 0; i < ARRAY_LEN(known); i++)
		if (name_is(name, known[i]))
			return true;
	return false;
}

/* %tid must be followed by .x, .y or .z; .w is always 0. */
static bool parse_vector_sreg(struct stmt *s, struct operand *o, u32 base)
{
	struct loader *ld = s->ld;
	for (u32 i = 0; i < 3; i++)
		if (ld_accept_mod(ld, (char[]){(char)('x' + i), 0})) {
			o->kind = A_SREG;
			o->index = base + i;
			return true;
		}
	if (ld_accept_mod(ld, "w")) {
		o->kind = A_SREG;
		o->index = SR_ENVREG;
		return true;
	}
	return ld_expected(ld, ".x, .y or .z");
}

static bool parse_envreg(struct operand *o)
{
	u32 n = 0, digits = 0;
	for (u32 i = 7; i < o->at.len && i < 9; i++, digits++) {
		if (o->at.p[i] < '0' || o->at.p[i] > '9')
			return false;
		n = n * 10 + (u32)(o->at.p[i] - '0');
	}
	if (!digits || o->at.len > 9 || n > 31)
		return false;
	o->kind = A_SREG;
	o->index = SR_ENVREG;
	o->ival = n;
	return true;
}

/* A special register at `o->at` (already read)? A_NONE stays when it is none. */
static bool parse_sreg(struct stmt *s, struct operand *o)
{
	for (u32 i = 0; i < ARRAY_LEN(vector_sregs); i++)
		if (name_is(&o->at, vector_sregs[i].name))
			return parse_vector_sreg(s, o, vector_sregs[i].x);
	for (u32 i = 0; i < ARRAY_LEN(sregs); i++)
		if (name_is(&o->at, sregs[i].name)) {
			o->kind = A_SREG;
			o->index = sregs[i].sreg;
			return true;
		}
	if (o->at.len > 7 && !memcmp(o->at.p, "%envreg", 7))
		parse_envreg(o);
	return true;
}

/* +imm, -imm, +-imm behind a register or symbol. */
static bool parse_offset(struct stmt *s, struct operand *o)
{
	if (!tok_is(&s->ld->tok, '+') && !tok_is(&s->ld->tok, '-'))
		return true;
	if (tok_is(&s->ld->tok, '+'))
		ld_next(s->ld);
	u64 v;
	if (!parse_const_expr(s->ld, &v))
		return false;
	o->add = (s64)v;
	return true;
}

static void use_symbol(struct stmt *s, u32 sym)
{
	struct loader *ld = s->ld;
	ld->syminfo[sym].used = true;
	const struct symuse *last = ld->nuses ? &ld->uses[ld->nuses - 1] : NULL;
	if (last && last->func == (u32)ld->fn && last->sym == sym)
		return;
	struct symuse *u = PUSH(ld->uses, ld->nuses);
	*u = (struct symuse){.func = (u32)ld->fn, .sym = sym};
}

static void fill_from_name(struct stmt *s, struct operand *o, const struct name *n)
{
	switch (n->kind) {
	case N_REG:
		o->kind = A_REG;
		o->index = n->index;
		o->type = n->type;
		break;
	case N_SYM:
		o->kind = A_SYM;
		o->index = n->index;
		use_symbol(s, n->index);
		break;
	case N_FUNC:
		o->kind = A_FUNC;
		o->index = n->index;
		break;
	case N_PARAM:
		o->kind = A_PARAM;
		o->space = n->space;
		o->ival = n->offset;
		o->size = n->size;
		o->type = n->type;
		break;
	default: o->kind = A_NAME;
	}
}

/* An identifier: register, variable, function, parameter, special register, or a bare name. */
static bool parse_name(struct stmt *s, struct operand *o)
{
	struct loader *ld = s->ld;
	o->at = ld->tok;
	ld_next(ld);
	if (tok_is_name(&o->at, "_")) {
		o->kind = A_SINK;
		return true;
	}
	const struct name *n = name_find(ld, &o->at);
	if (n) {
		fill_from_name(s, o, n);
	} else {
		o->kind = A_NAME;
		if (o->at.p[0] == '%' && !parse_sreg(s, o))
			return false;
	}
	if (o->kind == A_NAME && sreg_unsupported(&o->at))
		return ld_unsupported(ld, &o->at, "special register '%s' is not supported", TEXT(&o->at));
	if (o->kind == A_NAME && o->at.p[0] == '%' && ld->tok.kind == TK_MOD)
		return ld_fail(ld, &o->at, "register '%s' is not declared, and no special register that is supported",
		               TEXT(&o->at));
	if (o->kind == A_REG && ld->tok.kind == TK_MOD && s->form->fn == lower_video) {
		o->sel = ld->tok;
		ld_next(ld);
		return true;
	}
	if (o->kind == A_REG && ld->tok.kind == TK_MOD)
		return ld_unsupported(ld, &ld->tok, "vector elements and sub-word selectors ('%s') are not supported",
		                      TEXT(&ld->tok));
	return o->kind == A_SYM || o->kind == A_PARAM || o->kind == A_FUNC ? parse_offset(s, o) : true;
}

static bool parse_generic_symbol(struct stmt *s, struct operand *o)
{
	struct loader *ld = s->ld;
	struct token at = ld->tok;
	ld_next(ld);
	ld_next(ld);
	if (ld->tok.kind != TK_IDENT)
		return ld_expected(ld, "a variable");
	if (!parse_name(s, o) || !ld_expect(ld, ')'))
		return false;
	if (o->kind != A_SYM)
		return ld_fail(ld, &at, "generic() needs a variable, '%s' is none", TEXT(&o->at));
	o->generic = true;
	return parse_offset(s, o);
}

static bool parse_number(struct stmt *s, struct operand *o)
{
	struct loader *ld = s->ld;
	o->at = ld->tok;
	bool minus = tok_is(&ld->tok, '-') && ld->ahead.kind == TK_FLOAT;
	if (minus)
		ld_next(ld);
	if (ld->tok.kind != TK_FLOAT) {
		o->kind = A_INT;
		return parse_const_expr(ld, &o->ival);
	}
	o->kind = A_FLT;
	o->fval = minus ? -ld->tok.fval : ld->tok.fval;
	o->exact_bytes = ld->tok.exact_bytes;
	o->ival = ld->tok.ival ^ (minus && o->exact_bytes ? 1ull << (8 * o->exact_bytes - 1) : 0);
	ld_next(ld);
	return true;
}

/* A scalar: name, number, generic(sym). */
static bool parse_scalar(struct stmt *s, struct operand *o)
{
	struct loader *ld = s->ld;
	*o = (struct operand){.at = ld->tok};
	if (ld->tok.kind == TK_IDENT && !tok_is_name(&ld->tok, "WARP_SZ")) {
		bool generic = tok_is_name(&ld->tok, "generic") && tok_is(&ld->ahead, '(');
		return generic ? parse_generic_symbol(s, o) : parse_name(s, o);
	}
	bool number = ld->tok.kind == TK_INT || ld->tok.kind == TK_FLOAT || ld->tok.kind == TK_IDENT ||
	              tok_is(&ld->tok, '-') || tok_is(&ld->tok, '~') || tok_is(&ld->tok, '(') || tok_is(&ld->tok, '+') ||
	              tok_is(&ld->tok, '!');
	return number ? parse_number(s, o) : ld_expected(ld, "an operand");
}

/* {a, b, ...} */
static bool parse_vector(struct stmt *s, struct operand *o)
{
	struct loader *ld = s->ld;
	o->elems = s->nelems;
	ld_next(ld);
	do {
		if (s->nelems == ELEMS_MAX || o->nelems == 8)
			return ld_fail(ld, &ld->tok, "too many vector elements");
		if (!parse_scalar(s, &s->elem[s->nelems]))
			return false;
		s->nelems++;
		o->nelems++;
	} while (ld_accept(ld, ','));
	return ld_expect(ld, '}');
}

/* [base], [base+imm], [imm], [texture, {coordinates}], [texture, sampler, {coordinates}] */
static bool parse_address(struct stmt *s, struct operand *o)
{
	struct loader *ld = s->ld;
	ld_next(ld);
	if (!parse_scalar(s, o))
		return false;
	if (o->kind == A_REG && !parse_offset(s, o))
		return false;
	o->base = o->kind;
	o->kind = A_ADDR;
	if (tok_is(&ld->tok, ',')) {
		ld_next(ld);
		if (ld->tok.kind == TK_IDENT && tok_is(&ld->ahead, ',')) { /* a sampler: the texture carries its own mode */
			ld_next(ld);
			ld_next(ld);
		}
		if (!tok_is(&ld->tok, '{')) { /* a single coordinate without braces */
			o->elems = s->nelems;
			o->nelems = 1;
			if (s->nelems == ELEMS_MAX || !parse_scalar(s, &s->elem[s->nelems++]))
				return false;
		} else if (!parse_vector(s, o)) {
			return false;
		}
	}
	if (!tok_is(&ld->tok, ']'))
		return ld_expected(ld, "']'");
	ld_next(ld);
	return true;
}

static bool parse_pair(struct stmt *s, struct operand *o)
{
	struct loader *ld = s->ld;
	struct operand second;
	ld_next(ld);
	if (!parse_scalar(s, &second))
		return false;
	if (second.kind != A_REG && second.kind != A_SINK)
		return ld_fail(ld, &second.at, "'%s' is not a register, expected one behind '|'", TEXT(&second.at));
	o->pair = second.kind;
	o->pair_index = second.index;
	o->pair_type = second.type;
	return true;
}

bool parse_operand(struct stmt *s, struct operand *o)
{
	struct loader *ld = s->ld;
	*o = (struct operand){.at = ld->tok};
	if (tok_is(&ld->tok, '[')) /* fills o->at itself */
		return parse_address(s, o);
	if (tok_is(&ld->tok, '{')) {
		o->kind = A_VEC;
		if (!parse_vector(s, o) || !tok_is(&ld->tok, '|'))
			return !ld->failed && !ld->unsupported;
		return ld_unsupported(ld, &ld->tok, "'%s' with a second destination is not supported", NAME(s));
	}
	bool neg = ld->ahead.kind != TK_INT && ld_accept(ld, '!'); /* !1 is a constant */
	bool minus = ld->ahead.kind == TK_IDENT && s->form->fn == lower_video && ld_accept(ld, '-');
	if (!parse_scalar(s, o))
		return false;
	o->neg = neg;
	o->minus = minus;
	return !tok_is(&ld->tok, '|') || parse_pair(s, o);
}

bool parse_operands(struct stmt *s)
{
	struct loader *ld = s->ld;
	while (!tok_is(&ld->tok, ';')) {
		if (s->nargs && !ld_expect(ld, ','))
			return false;
		if (s->nargs == OPERANDS_MAX)
			return ld_fail(ld, &ld->tok, "'%s' has too many operands", NAME(s));
		if (!parse_operand(s, &s->arg[s->nargs]))
			return false;
		s->nargs++;
	}
	ld_next(ld);
	return true;
}
