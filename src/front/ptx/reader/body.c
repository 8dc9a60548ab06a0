/* Function bodies: scopes, labels, statements. */
#include <stdlib.h>
#include <string.h>

#include "front/ptx/reader/lower.h"
#include "passes/fn.h"

/* .file N "name" [, time, size] */
bool parse_file(struct loader *ld)
{
	u32 n, skip;
	if (!ld_u32(ld, &n, "a file number", 65535))
		return false;
	if (ld->tok.kind != TK_STRING)
		return ld_expected(ld, "a file name in quotes");
	n += ld->file_base;
	if (n > UINT16_MAX)
		return ld_fail(ld, &ld->tok, "more than %u source files in a module", UINT16_MAX);
	while (ld->m->nfiles <= n) {
		char **f = PUSH(ld->m->files, ld->m->nfiles);
		*f = xstrdup("");
	}
	free(ld->m->files[n]);
	ld->m->files[n] = xstrndup(ld->tok.p, ld->tok.len);
	ld_next(ld);
	while (ld_accept(ld, ','))
		if (!ld_u32(ld, &skip, "a number", UINT32_MAX))
			return false;
	return true;
}

static bool parse_loc_place(struct loader *ld, u32 *file, u32 *line)
{
	u32 col;
	return ld_u32(ld, file, "a file number", 65535) && ld_u32(ld, line, "a line number", UINT32_MAX) &&
	       ld_u32(ld, &col, "a column number", UINT32_MAX);
}

/* .loc file line column [, function_name label[+n]] [, inlined_at file line column] */
bool parse_loc(struct loader *ld)
{
	u32 file, line, skip;
	if (!parse_loc_place(ld, &file, &line))
		return false;
	if (file + ld->file_base > UINT16_MAX)
		return ld_fail(ld, &ld->tok, "more than %u source files in a module", UINT16_MAX);
	ld->cuda_file = (u16)(file + ld->file_base);
	ld->cuda_line = line;
	while (ld_accept(ld, ',')) {
		if (tok_is_name(&ld->tok, "inlined_at")) {
			ld_next(ld);
			if (!parse_loc_place(ld, &file, &line))
				return false;
			continue;
		}
		if (!tok_is_name(&ld->tok, "function_name"))
			return ld_expected(ld, "function_name or inlined_at");
		ld_next(ld);
		if (ld->tok.kind != TK_IDENT && ld->tok.kind != TK_MOD)
			return ld_expected(ld, "a label");
		ld_next(ld);
		if (ld_accept(ld, '+') && !ld_u32(ld, &skip, "an offset", UINT32_MAX))
			return false;
	}
	return true;
}

/* .pragma "..." [, "..."]; changes nothing that is modelled. */
bool skip_pragma(struct loader *ld)
{
	do {
		if (ld->tok.kind != TK_STRING)
			return ld_expected(ld, "a string");
		ld_next(ld);
	} while (ld_accept(ld, ','));
	return ld_expect(ld, ';');
}

/* --- labels and what can follow one ------------------------------------------------------------------------------- */

static bool parse_branch_targets(struct loader *ld, const struct token *label)
{
	struct name *n = name_declare(ld, label, N_TABLE);
	if (!n)
		return false;
	u32 index = n->index = ld->m->ntables;
	(void)PUSH(ld->m->tables, ld->m->ntables);
	do {
		struct token target;
		if (!ld_ident(ld, &target, "a label"))
			return false;
		struct branch_table *t = &ld->m->tables[index];
		u32 *pc = PUSH(t->pc, t->n);
		*pc = 0;
		label_refer(ld, &target, 0, (s32)index, (s32)t->n - 1);
	} while (ld_accept(ld, ','));
	return ld_expect(ld, ';');
}

static bool parse_prototype(struct loader *ld, const struct token *label)
{
	struct token name;
	u32 index = ld->nsigs, skip;
	struct sig *sig = PUSH(ld->sigs, ld->nsigs);
	if (!parse_signature(ld, false, true, sig, &name))
		return false;
	if (ld_accept_mod(ld, "abi_preserve") || ld_accept_mod(ld, "abi_preserve_control"))
		if (!ld_u32(ld, &skip, "a number", UINT32_MAX))
			return false;
	ld_accept_mod(ld, "noreturn");
	struct name *n = name_declare(ld, label, N_PROTO);
	if (!n)
		return false;
	n->index = index;
	return ld_expect(ld, ';');
}

/* The functions listed have one signature: the first one's stands for all. */
static bool parse_call_targets(struct loader *ld, const struct token *label)
{
	struct token fn;
	u32 sig = UINT32_MAX;
	do {
		if (!ld_ident(ld, &fn, "a function"))
			return false;
		const struct name *n = name_find(ld, &fn);
		if (!n || n->kind != N_FUNC)
			return ld_fail(ld, &fn, "'%s' is not a function declared before", TEXT(&fn));
		if (sig == UINT32_MAX)
			sig = ld->finfo[n->index].sig;
	} while (ld_accept(ld, ','));
	struct name *n = name_declare(ld, label, N_PROTO);
	if (!n)
		return false;
	n->index = sig;
	return ld_expect(ld, ';');
}

static bool parse_label(struct loader *ld)
{
	struct token label = ld->tok;
	ld_next(ld);
	ld_next(ld);
	if (ld_accept_mod(ld, "branchtargets"))
		return parse_branch_targets(ld, &label);
	if (ld_accept_mod(ld, "callprototype"))
		return parse_prototype(ld, &label);
	if (ld_accept_mod(ld, "calltargets"))
		return parse_call_targets(ld, &label);
	struct name *n = name_declare(ld, &label, N_LABEL);
	if (!n)
		return false;
	n->index = ld->m->ncode;
	return true;
}

/* --- instructions ------------------------------------------------------------------------------------------------- */

static bool parse_guard(struct stmt *s)
{
	struct loader *ld = s->ld;
	struct token at;
	if (!ld_accept(ld, '@'))
		return true;
	if (ld_accept(ld, '!'))
		s->in.flags |= IF_GUARD_NEG;
	if (!ld_ident(ld, &at, "a predicate register"))
		return false;
	const struct name *n = name_find(ld, &at);
	if (!n || n->kind != N_REG)
		return ld_fail(ld, &at, "register '%s' is not declared", TEXT(&at));
	if (n->type != T_PRED)
		return ld_fail(ld, &at, "'%s' is a .%s register, a guard needs a predicate", TEXT(&at), ptype_name(n->type));
	s->in.guard = n->index;
	return true;
}

static bool parse_opcode(struct stmt *s)
{
	struct loader *ld = s->ld;
	if (!ld_ident(ld, &s->op, "an instruction"))
		return false;
	s->form = opform_find(ld, &s->op);
	while (ld->tok.kind == TK_MOD) {
		if (s->nmods == MODS_MAX)
			return ld_fail(ld, &ld->tok, "more than %u modifiers", MODS_MAX);
		s->mod[s->nmods++] = ld->tok;
		ld_next(ld);
	}
	if (!s->form)
		return ld_unsupported(ld, &s->op, "'%s' is not supported", NAME(s));
	s->in.op = s->form->op;
	return modifiers_apply(s);
}

/* Opcodes whose operands are not the usual list read them themselves; those without a signature also emit themselves.
 */
static bool lower_stmt(struct stmt *s)
{
	const struct opform *f = s->form;
	if (f->fn == parse_bra || f->fn == parse_brx || f->fn == parse_call)
		return f->fn(s);
	if (!parse_operands(s))
		return false;
	bool emits_itself = s->in.op == OP_BAR || s->in.op == OP_RET || s->in.op == OP_MEMBAR || f->fn == lower_ld ||
	                    f->fn == lower_st || f->fn == lower_atom || f->fn == lower_prefetch ||
	                    f->fn == lower_prefetch_any || f->fn == lower_tex || f->fn == lower_surface ||
	                    f->fn == lower_surface_reduce || f->groups & G_TENSOR;
	if (f->sig && !lower_generic(s))
		return false;
	if (f->fn && !f->fn(s))
		return false;
	if (!emits_itself)
		emit(s, &s->in);
	return true;
}

static void stmt_reset(struct loader *ld, struct stmt *s)
{
	s->ld = ld;
	s->op = ld->tok;
	s->nmods = s->nargs = s->nelems = s->ntypes = 0;
	s->form = NULL;
	s->cache_hint = s->has_mode = s->sc = false;
	s->level = 0;
	memset(s->types, 0, sizeof(s->types));
	s->in = inst_init(OP_NOP, T_NONE);
}

static bool parse_instruction(struct loader *ld)
{
	struct stmt s;
	stmt_reset(ld, &s);
	if (!parse_guard(&s))
		return false;
	const struct mark m = mark_take(ld);
	if (parse_opcode(&s) && lower_stmt(&s) && !ld->failed && !ld->unsupported)
		return true;
	return replace_unsupported(&s, &m);
}

/* --- statements --------------------------------------------------------------------------------------------------- */

static bool parse_directive(struct loader *ld)
{
	struct token at = ld->tok;
	static const struct {
		const char *word;
		enum space space;
	} spaces[] = {{"local", SPC_LOCAL},
	              {"shared", SPC_SHARED},
	              {"global", SPC_GLOBAL},
	              {"const", SPC_CONST},
	              {"param", SPC_PARAM}};
	bool is_extern = ld_accept_mod(ld, "extern");
	for (u32 i = 0; i < ARRAY_LEN(spaces); i++)
		if (ld_accept_mod(ld, spaces[i].word))
			return parse_var(ld, spaces[i].space, is_extern);
	if (ld_accept_mod(ld, "reg"))
		return parse_reg(ld);
	if (ld_accept_mod(ld, "loc"))
		return parse_loc(ld);
	if (ld_accept_mod(ld, "file"))
		return parse_file(ld);
	if (ld_accept_mod(ld, "pragma"))
		return skip_pragma(ld);
	return skip_directive(ld, (u32)ld->fn, &at, true);
}

static bool parse_statement(struct loader *ld)
{
	if (ld_accept(ld, ';'))
		return true;
	if (ld->tok.kind == TK_MOD)
		return parse_directive(ld);
	if (ld->tok.kind == TK_IDENT && tok_is(&ld->ahead, ':'))
		return parse_label(ld);
	if (ld->tok.kind == TK_IDENT || tok_is(&ld->tok, '@'))
		return parse_instruction(ld);
	return ld_expected(ld, "an instruction");
}

bool parse_body(struct loader *ld)
{
	for (u32 depth = 0;;) {
		if (tok_is(&ld->tok, '{')) {
			if (++depth > NESTING_MAX)
				return ld_fail(ld, &ld->tok, "blocks nested deeper than %u", NESTING_MAX);
			scope_open(ld);
			ld_next(ld);
		} else if (tok_is(&ld->tok, '}')) {
			if (!depth--)
				return true;
			scope_close(ld);
			ld_next(ld);
		} else if (!parse_statement(ld)) {
			return false;
		}
	}
}

/* Does a branch lead behind the last instruction? Labels alone, as of line information, do not. */
static bool branch_to_end(const struct module *m, u32 begin)
{
	for (u32 i = begin; i < m->ncode; i++)
		if (m->code[i].target == (s32)m->ncode)
			return true;
	for (u32 t = 0; t < m->ntables; t++)
		for (u32 k = 0; k < m->tables[t].n; k++)
			if (m->tables[t].pc[k] == m->ncode)
				return true;
	return false;
}

bool finish_body(struct loader *ld, u32 begin)
{
	const struct module *m = ld->m;
	if (m->ncode > begin && inst_ends_block(&m->code[m->ncode - 1]) && !branch_to_end(m, begin))
		return true;
	struct stmt s;
	stmt_reset(ld, &s);
	s.in.op = OP_RET;
	return lower_ret(&s);
}

static bool declare_reg_param(struct loader *ld, const struct formal *f, u32 *vreg)
{
	struct name *n = name_declare(ld, &f->name, N_REG);
	if (!n)
		return false;
	n->type = f->type;
	*vreg = n->index = vreg_new(ld, f->type, &f->name);
	return true;
}

bool load_reg_params(struct loader *ld, const struct sig *sig)
{
	struct stmt s;
	stmt_reset(ld, &s);
	for (u32 i = 0; i < sig->nin; i++) {
		struct inst in = inst_init(OP_LD, sig->in[i].type);
		if (!sig->in[i].is_reg)
			continue;
		if (!declare_reg_param(ld, &sig->in[i], &in.d[0]))
			return false;
		in.space = SPC_FPARAM;
		in.imm = sig->in[i].offset;
		emit(&s, &in);
	}
	for (u32 i = 0; i < sig->nout; i++) {
		u32 vreg;
		if (!sig->out[i].is_reg)
			continue;
		if (!declare_reg_param(ld, &sig->out[i], &vreg))
			return false;
		struct reg_out *r = PUSH(ld->reg_out, ld->nreg_out);
		*r = (struct reg_out){vreg, sig->out[i].offset, sig->out[i].type};
	}
	return true;
}
