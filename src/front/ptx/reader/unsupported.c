/* What is not supported: an instruction of the right form becomes a placeholder, and kernels that reach it cannot be
 * launched. Whatever has not the form of an instruction is an error of the file. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/ptx/ptx.h"
#include "front/ptx/reader/graph.h"
#include "front/ptx/reader/lower.h"

bool ld_unsupported(struct loader *ld, const struct token *at, const char *fmt, ...)
{
	if (ld->failed || ld->unsupported)
		return false;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(ld->why, sizeof(ld->why), fmt, ap);
	va_end(ap);
	ld->unsupported = true;
	ld->why_at = *at;
	return false;
}

u32 note_unsupported(struct loader *ld, u32 func, u32 line, u32 col, const char *what)
{
	struct unsupported *u = PUSH(ld->m->unsupported, ld->m->nunsupported);
	*u = (struct unsupported){.func = func, .line = line, .col = col, .what = xstrdup(what)};
	return ld->m->nunsupported - 1;
}

/* --- the form of an instruction -----------------------------------------------------------------------------------
 *
 * operands: operand {"," operand}    operand: term {("+" | "-" | "*" | "/" | "|" | ...) term}
 * term: ["!" | "-" | "~" | "+"] (name {.word} [list] | number | list) with list = (..), [..], {..} */

static bool operator_here(const struct token *t)
{
	return t->kind == TK_PUNCT && strchr("+-*/%|&^<>", t->punct);
}

static bool operand_list(struct loader *ld, char close, u32 depth);

static bool term(struct loader *ld, u32 depth)
{
	while (tok_is(&ld->tok, '!') || tok_is(&ld->tok, '-') || tok_is(&ld->tok, '~') || tok_is(&ld->tok, '+'))
		ld_next(ld);
	static const char open[] = "([{", close[] = ")]}";
	const char *list = ld->tok.kind == TK_PUNCT ? strchr(open, ld->tok.punct) : NULL;
	if (list && *list) {
		ld_next(ld);
		return operand_list(ld, close[list - open], depth + 1);
	}
	if (ld->tok.kind != TK_IDENT && ld->tok.kind != TK_INT && ld->tok.kind != TK_FLOAT)
		return ld_expected(ld, "an operand");
	const bool name = ld->tok.kind == TK_IDENT;
	ld_next(ld);
	while (name && ld->tok.kind == TK_MOD)
		ld_next(ld);
	if (name && ld_accept(ld, '('))
		return operand_list(ld, ')', depth + 1);
	return true;
}

/* Up to and with `close`. */
static bool operand_list(struct loader *ld, char close, u32 depth)
{
	if (depth > NESTING_MAX)
		return ld_fail(ld, &ld->tok, "operands nested deeper than %u", NESTING_MAX);
	if (ld_accept(ld, close))
		return true;
	for (;;) {
		if (!term(ld, depth))
			return false;
		while (operator_here(&ld->tok)) {
			ld_next(ld);
			if (!term(ld, depth))
				return false;
		}
		if (ld_accept(ld, close))
			return true;
		if (!ld_expect(ld, ','))
			return false;
	}
}

/* --- instructions --------------------------------------------------------------------------------------------------- */

struct mark mark_take(const struct loader *ld)
{
	return (struct mark){.lx = ld->lx,
	                     .tok = ld->tok,
	                     .ahead = ld->ahead,
	                     .ncode = ld->m->ncode,
	                     .ninst_at = ld->ninst_at,
	                     .nabs_fixes = ld->nabs_fixes,
	                     .nedges = ld->nedges,
	                     .nrefs = ld->nrefs,
	                     .ncalls = ld->m->ncalls,
	                     .fparam_used = ld->fparam_used};
}

static void take_back(struct loader *ld, const struct mark *m)
{
	while (ld->m->ncalls > m->ncalls) {
		struct call_info *c = &ld->m->calls[--ld->m->ncalls];
		free(c->args);
		free(c->rets);
	}
	ld->lx = m->lx;
	ld->tok = m->tok;
	ld->ahead = m->ahead;
	ld->m->ncode = m->ncode;
	ld->ninst_at = m->ninst_at;
	ld->nabs_fixes = m->nabs_fixes;
	ld->nedges = m->nedges;
	ld->nrefs = m->nrefs;
	ld->fparam_used = m->fparam_used;
}

static bool skip_instruction(struct loader *ld)
{
	struct token opcode;
	if (!ld_ident(ld, &opcode, "an instruction"))
		return false;
	while (ld->tok.kind == TK_MOD)
		ld_next(ld);
	return operand_list(ld, ';', 0);
}

bool replace_unsupported(struct stmt *s, const struct mark *m)
{
	struct loader *ld = s->ld;
	const bool unfit = ld->failed && ld->odd_regs;
	if (ld->failed && !unfit)
		return false;
	if (unfit) { /* noted with the registers */
		*ld->e = (struct err){0};
		ld->failed = false;
	}
	take_back(ld, m);
	struct inst in = inst_init(OP_NOP, T_NONE);
	in.flags = IF_UNSUPPORTED;
	if (ld->unsupported)
		in.imm = note_unsupported(ld, (u32)ld->fn, ld->why_at.line, ld->why_at.col, ld->why);
	else
		in.imm = (s64)ld->m->nunsupported - 1;
	ld->unsupported = false;
	emit(s, &in);
	return !ld->failed && skip_instruction(ld);
}

void code_unsupported(struct loader *ld, u32 pc, const char *what)
{
	struct inst *in = &ld->m->code[pc];
	const struct place *at = &ld->inst_at[pc];
	u32 func = 0;
	while (!(pc >= ld->m->funcs[func].entry && pc < ld->m->funcs[func].end))
		func++;
	in->op = OP_NOP;
	in->flags = IF_UNSUPPORTED | (in->flags & IF_GUARD_NEG);
	in->space = SPC_NONE;
	in->cls = class_of(in);
	in->imm = note_unsupported(ld, func, at->line, at->col, what);
	exec_resolve(in);
}

/* --- directives ----------------------------------------------------------------------------------------------------- */

bool skip_directive(struct loader *ld, u32 func, const struct token *at, bool in_body)
{
	char what[TOK_TEXT_MAX + 40];
	snprintf(what, sizeof(what), "directive '%s' is not supported", TEXT(at));
	note_unsupported(ld, func, at->line, at->col, what);
	ld_next(ld);
	if (in_body) {
		while (ld->tok.kind == TK_MOD)
			ld_next(ld);
		return operand_list(ld, ';', 0);
	}
	while (ld->tok.kind == TK_INT || ld->tok.kind == TK_FLOAT || ld->tok.kind == TK_IDENT ||
	       ld->tok.kind == TK_STRING || tok_is(&ld->tok, ','))
		ld_next(ld);
	return true;
}

/* --- the module's end ----------------------------------------------------------------------------------------------- */

static bool before(const struct unsupported *a, const struct unsupported *b)
{
	return a->line != b->line ? a->line < b->line : a->col < b->col;
}

void spread_unsupported(struct loader *ld, struct graph *g)
{
	struct module *m = ld->m;
	if (!m->nunsupported)
		return;
	u32 *own = xcalloc(m->nfuncs, sizeof(u32)), *reach = xmalloc(m->nfuncs * sizeof(u32));
	for (u32 i = 0; i < m->nunsupported; i++) {
		u32 *first = &own[m->unsupported[i].func];
		if (!*first || before(&m->unsupported[i], &m->unsupported[*first - 1]))
			*first = i + 1;
	}
	for (u32 f = 0; f < m->nfuncs; f++) {
		const u32 n = graph_reach(g, f, reach); /* the function itself comes first */
		for (u32 i = 0; i < n && !m->funcs[f].unsupported; i++)
			m->funcs[f].unsupported = own[reach[i]];
	}
	free(own);
	free(reach);
}
