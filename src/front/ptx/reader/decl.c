/* Declarations: registers, variables, parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "front/ptx/reader/loader.h"

/* What stands between .space and the name: .align N, .vN, a type, and (parameters) .ptr .space .align N, in any order.
 */
struct decl {
	enum ptype type;
	u32 align, vec;
	bool is_pointer;
	enum { D_PLAIN, D_TEXREF, D_SAMPLER } what;
};

static bool parse_align(struct loader *ld, u32 *align)
{
	struct token at = ld->tok;
	if (!ld_u32(ld, align, "an alignment", 1u << 20))
		return false;
	return is_pow2(*align) || ld_fail(ld, &at, "alignment %u is not a power of two", *align);
}

static bool parse_ptr(struct loader *ld, struct decl *d)
{
	d->is_pointer = true;
	u32 pointee_align;
	while (ld->tok.kind == TK_MOD) {
		if (ld_accept_mod(ld, "align")) {
			if (!parse_align(ld, &pointee_align))
				return false;
		} else if (tok_is_mod(&ld->tok, "global") || tok_is_mod(&ld->tok, "const") || tok_is_mod(&ld->tok, "shared") ||
		           tok_is_mod(&ld->tok, "local") || tok_is_mod(&ld->tok, "generic")) {
			ld_next(ld);
		} else {
			return ld_expected(ld, "a state space or .align of the pointer");
		}
	}
	return true;
}

/* .attribute(.managed) and the like: ignored, balanced parentheses. */
static bool skip_attribute(struct loader *ld)
{
	if (!ld_expect(ld, '('))
		return false;
	for (u32 depth = 1; depth;) {
		if (ld->tok.kind == TK_EOF || ld->tok.kind == TK_BAD)
			return ld_expected(ld, "')'");
		depth += tok_is(&ld->tok, '(');
		depth -= tok_is(&ld->tok, ')');
		ld_next(ld);
	}
	return true;
}

static bool parse_decl_mod(struct loader *ld, struct decl *d)
{
	if (ld_accept_mod(ld, "align"))
		return parse_align(ld, &d->align);
	if (ld_accept_mod(ld, "ptr"))
		return parse_ptr(ld, d);
	if (ld_accept_mod(ld, "attribute"))
		return skip_attribute(ld);
	if (tok_is_mod(&ld->tok, "texref") || tok_is_mod(&ld->tok, "samplerref") || tok_is_mod(&ld->tok, "surfref")) {
		d->what = tok_is_mod(&ld->tok, "texref") ? D_TEXREF : D_SAMPLER;
		ld_next(ld);
		return true;
	}
	if (ld_accept_mod(ld, "v2") || ld_accept_mod(ld, "v4")) {
		d->vec = 0; /* filled by the caller, who knows which */
		return true;
	}
	if (d->type != T_NONE)
		return ld_expected(ld, "a name");
	return parse_type(ld, &d->type);
}

static bool parse_decl(struct loader *ld, struct decl *d)
{
	*d = (struct decl){.vec = 1};
	while (ld->tok.kind == TK_MOD) {
		u32 vec = tok_is_mod(&ld->tok, "v2") ? 2 : tok_is_mod(&ld->tok, "v4") ? 4 : d->vec;
		if (!parse_decl_mod(ld, d))
			return false;
		d->vec = vec;
	}
	if (d->type == T_NONE && d->what == D_PLAIN)
		return ld_expected(ld, "a type such as .u32");
	return true;
}

/* --- registers ---------------------------------------------------------------------------------------------------- */

static bool declare_reg(struct loader *ld, enum ptype type)
{
	struct token at;
	if (!ld_ident(ld, &at, "a register name"))
		return false;
	if (!ld_accept(ld, '<')) {
		struct name *n = name_declare(ld, &at, N_REG);
		if (!n)
			return false;
		n->type = type;
		u32 index = vreg_new(ld, type, &at);
		n->index = index;
		return true;
	}
	u32 count;
	if (!ld_u32(ld, &count, "the number of registers", UINT32_MAX) || !ld_expect(ld, '>'))
		return false;
	struct name *n = name_declare(ld, &at, N_RANGE);
	if (!n)
		return false;
	n->type = type;
	n->count = count;
	return true;
}

bool parse_reg(struct loader *ld)
{
	if (ld->fn < 0)
		return ld_fail(ld, &ld->tok, ".reg at module level is not supported: registers belong to functions");
	struct token at = ld->tok;
	struct decl d;
	if (!parse_decl(ld, &d))
		return false;
	if (d.type == T_NONE || d.type == T_E4M3X2 || d.type == T_E5M2X2)
		return ld_fail(ld, &at, "registers of type .%s are not supported", ptype_name(d.type));
	if (d.vec != 1) {
		ld->odd_regs = true;
		note_unsupported(ld, (u32)ld->fn, at.line, at.col, "vector registers (.reg .v2, .v4) are not supported");
	}
	do {
		if (!declare_reg(ld, d.type))
			return false;
	} while (ld_accept(ld, ','));
	return ld_expect(ld, ';');
}

/* --- variables ---------------------------------------------------------------------------------------------------- */

#define DIMS_MAX 8
struct dims {
	u64 n[DIMS_MAX];
	u32 count;
	bool open; /* the first one is [] */
};

static bool parse_dims(struct loader *ld, struct dims *d)
{
	*d = (struct dims){0};
	while (ld_accept(ld, '[')) {
		if (d->count == DIMS_MAX)
			return ld_fail(ld, &ld->tok, "more than %u array dimensions", DIMS_MAX);
		u64 n = 0;
		struct token at = ld->tok;
		if (tok_is(&ld->tok, ']') && !d->count)
			d->open = true;
		else if (!parse_const_expr(ld, &n))
			return false;
		if (n > INT64_MAX && tok_is(&at, '-'))
			return ld_fail(ld, &at, "the array dimension is negative: %lld", (long long)n);
		if (n > VAR_BYTES_MAX)
			return ld_fail(ld, &at, "an array dimension of %llu is too large", (unsigned long long)n);
		d->n[d->count++] = n;
		if (!ld_expect(ld, ']'))
			return false;
	}
	return true;
}

/* elements x dimensions; an open first dimension counts as 0. */
static bool var_bytes(struct loader *ld, const struct token *at, const struct decl *d, const struct dims *dims,
                      u64 *out)
{
	u64 n = (u64)ptype_bytes(d->type) * d->vec;
	if (!n)
		return ld_fail(ld, at, "a variable cannot have type .%s", ptype_name(d->type));
	for (u32 i = 0; i < dims->count; i++)
		if (__builtin_mul_overflow(n, dims->n[i], &n) || n > VAR_BYTES_MAX)
			return ld_fail(ld, at, "'%s' is larger than %llu bytes", TEXT(at), (unsigned long long)VAR_BYTES_MAX);
	*out = n;
	return true;
}

static bool declare_texture(struct loader *ld, const struct token *at, const struct decl *d)
{
	struct name *n = name_declare(ld, at, d->what == D_TEXREF ? N_TEXREF : N_SAMPLER);
	if (!n)
		return false;
	if (d->what == D_TEXREF) {
		n->index = ld->m->ntexrefs;
		struct texref *t = PUSH(ld->m->texrefs, ld->m->ntexrefs);
		t->name = xstrndup(at->p, at->len);
		t->line = at->line;
	}
	if (ld_accept(ld, '=')) { /* old independent-mode samplers: { addr_mode = ..., ... } */
		while (ld->tok.kind != TK_EOF && ld->tok.kind != TK_BAD && !tok_is(&ld->tok, ';'))
			ld_next(ld);
	}
	return true;
}

/* A function's .param variable holds arguments or results of a call: a place in the FPARAM frame. */
static bool declare_call_param(struct loader *ld, const struct token *at, const struct decl *d, u64 size, u32 align)
{
	struct name *n = name_declare(ld, at, N_PARAM);
	if (!n)
		return false;
	u64 off = round_up(ld->fparam_used, MAX(align, 4u));
	if (off + size > PARAM_BYTES_MAX * 4)
		return ld_fail(ld, at, "call parameters of a function exceed %u bytes", PARAM_BYTES_MAX * 4);
	n->type = d->type;
	n->space = SPC_FPARAM;
	n->offset = (u32)off;
	n->size = (u32)size;
	ld->fparam_used = (u32)(off + size);
	ld->fparam_max = MAX(ld->fparam_max, ld->fparam_used);
	return true;
}

/* A second declaration of a module variable is allowed when one of the two is .extern. */
static u32 known_extern(struct loader *ld, const struct token *at, enum space space, bool is_extern)
{
	if (ld->fn >= 0)
		return NAMES_NONE;
	u32 i = names_get(&ld->scopes[0].map, at->p, at->len);
	if (i == NAMES_NONE || ld->names[i].kind != N_SYM)
		return NAMES_NONE;
	u32 s = ld->names[i].index;
	bool both_ok = ld->m->symbols[s].space == space && (is_extern || ld->syminfo[s].is_extern);
	return both_ok ? s : NAMES_NONE;
}

/* An earlier file has a variable of this name, which this directive shares. */
static bool shared_symbol(struct loader *ld, const struct token *at, enum space space, u32 *out)
{
	const struct name *n = linkage_find(ld, at);
	if (!n)
		return true;
	const struct token before = n->at;
	const struct module_part *part = module_part_of(ld->m, before.line);
	if (n->kind != N_SYM)
		return ld_fail(ld, at, "'%s' is a variable here, something else at %s:%u", TEXT(at), part->path,
		               before.line - part->before);
	*out = n->index;
	if (ld->m->symbols[*out].space != space)
		return ld_fail(ld, at, "'%s' is in %s space here, in %s space at %s:%u", TEXT(at), space_names[space],
		               space_names[ld->m->symbols[*out].space], part->path, before.line - part->before);
	struct name *here = name_declare(ld, at, N_SYM);
	if (here)
		here->index = *out;
	return here;
}

static bool new_symbol(struct loader *ld, const struct token *at, enum space space, bool is_extern, u32 *out)
{
	*out = known_extern(ld, at, space, is_extern);
	if (*out == NAMES_NONE && !shared_symbol(ld, at, space, out))
		return false;
	if (*out == NAMES_NONE) {
		struct name *n = name_declare(ld, at, N_SYM);
		if (!n)
			return false;
		*out = n->index = ld->m->nsymbols;
		struct symbol *s = PUSH(ld->m->symbols, ld->m->nsymbols);
		struct syminfo *i = PUSH(ld->syminfo, ld->nsyminfo);
		s->name = xstrndup(at->p, at->len);
		i->is_extern = true;
	}
	linkage_share(ld, at);
	ld->syminfo[*out].at = *at;
	return true;
}

/* Files that share a variable agree on its size, where both say one. Of .common ones the largest counts. */
static bool same_size(struct loader *ld, const struct token *at, struct symbol *s, u64 size)
{
	const struct module_part *part = s->line ? module_part_of(ld->m, s->line) : NULL;
	if (!part || part == module_part_of(ld->m, at->line) || s->space == SPC_SHARED || !size || !s->size)
		return true;
	if (ld->linkage & LINK_COMMON) {
		s->size = s->init ? s->size : MAX(s->size, size);
		return true;
	}
	return s->size == size ||
	       ld_fail(ld, at, "'%s' has %llu bytes here, %llu at %s:%u", TEXT(at), (unsigned long long)size,
	               (unsigned long long)s->size, part->path, s->line - part->before);
}

/* An extern array without a size is the dynamic one, unless some file defines it. */
static u64 shared_size(const struct loader *ld, const struct token *at, u64 size)
{
	return linkage_has(ld, at) ? MAX(size, 1u) : 0;
}

static bool declare_symbol(struct loader *ld, const struct token *at, enum space space, const struct decl *d,
                           struct dims *dims, u64 size, bool is_extern)
{
	u32 i;
	if (!new_symbol(ld, at, space, is_extern, &i))
		return false;
	bool known = !ld->syminfo[i].is_extern;
	ld->syminfo[i].is_extern &= is_extern;
	struct symbol *s = &ld->m->symbols[i];
	const u32 align = MAX(s->align, MAX(d->align, ptype_bytes(d->type) * d->vec));
	if (!same_size(ld, at, s, size))
		return false;
	if (known && is_extern)
		return true;
	s->space = space;
	s->size = size;
	s->align = align;
	s->func = ld->fn >= 0 && (space == SPC_SHARED || space == SPC_LOCAL) ? ld->fn : -1;
	s->line = at->line;
	if (space == SPC_SHARED && (is_extern || dims->open))
		s->size = shared_size(ld, at, size);
	if (!tok_is(&ld->tok, '='))
		return (!dims->open || is_extern || space == SPC_SHARED) ||
		       ld_fail(ld, at, "array '%s' has neither a size nor an initialiser", TEXT(at));
	if (space != SPC_GLOBAL && space != SPC_CONST)
		return ld_fail(ld, &ld->tok, "only .global and .const variables can have an initialiser");
	ld_next(ld);
	if (dims->open)
		dims->n[0] = UINT64_MAX;
	return parse_init(ld, s, d->type, d->vec, dims->n, dims->count);
}

static bool declare_var(struct loader *ld, enum space space, const struct decl *d, bool is_extern)
{
	struct token at;
	struct dims dims;
	u64 size = 0;
	if (!ld_ident(ld, &at, "a variable name"))
		return false;
	if (d->what != D_PLAIN)
		return declare_texture(ld, &at, d);
	if (!parse_dims(ld, &dims) || !var_bytes(ld, &at, d, &dims, &size))
		return false;
	if (space == SPC_PARAM)
		return declare_call_param(ld, &at, d, size, MAX(d->align, ptype_bytes(d->type)));
	bool narrow = space == SPC_SHARED || space == SPC_LOCAL;
	if (narrow && size > NARROW_BYTES_MAX)
		return ld_fail(ld, &at, "'%s' needs %llu bytes, %s memory has at most %llu", TEXT(&at),
		               (unsigned long long)size, space_names[space], (unsigned long long)NARROW_BYTES_MAX);
	if (!size && !dims.open && !is_extern)
		return ld_fail(ld, &at, "'%s' has no elements", TEXT(&at));
	if (linkage_overruled(ld, &at))
		return declare_symbol(ld, &at, space, d, &dims, size, true) && linkage_skip_value(ld);
	return declare_symbol(ld, &at, space, d, &dims, size, is_extern);
}

bool parse_var(struct loader *ld, enum space space, bool is_extern)
{
	struct decl d;
	if (ld->fn < 0 && space == SPC_PARAM)
		return ld_fail(ld, &ld->tok, ".param at module level is not supported");
	if (ld->fn < 0 && space == SPC_LOCAL)
		return ld_fail(ld, &ld->tok, ".local at module level is not supported: local variables belong to functions");
	if (!parse_decl(ld, &d))
		return false;
	do {
		if (!declare_var(ld, space, &d, is_extern))
			return false;
	} while (ld_accept(ld, ','));
	return ld_expect(ld, ';');
}

/* --- signatures --------------------------------------------------------------------------------------------------- */

static bool parse_formal(struct loader *ld, struct formal *f)
{
	struct decl d;
	struct dims dims;
	struct token at = ld->tok;
	f->is_reg = tok_is_mod(&ld->tok, "reg");
	if (!f->is_reg && !tok_is_mod(&ld->tok, "param"))
		return ld_expected(ld, ".param or .reg");
	ld_next(ld);
	if (!parse_decl(ld, &d))
		return false;
	f->name = ld->tok;
	u64 size = ptype_bytes(d.type);
	if (d.what != D_PLAIN) { /* .param .texref: a handle */
		d.type = T_U64;
		size = 8;
	} else {
		if (!ld_ident(ld, &f->name, "a parameter name") || !parse_dims(ld, &dims))
			return false;
		if (d.type == T_PRED && f->is_reg)
			return ld_fail(ld, &f->name, "predicate parameters are not supported");
		if (!var_bytes(ld, &f->name, &d, &dims, &size))
			return false;
	}
	if (!size)
		return ld_fail(ld, &f->name, "parameter '%s' has no size (variable argument lists are not supported)",
		               TEXT(&f->name));
	if (size > PARAM_BYTES_MAX)
		return ld_fail(ld, &at, "parameter '%s' is larger than %u bytes", TEXT(&f->name), PARAM_BYTES_MAX);
	f->type = d.type;
	f->size = (u32)size;
	f->align = MAX(d.align, ptype_bytes(d.type) * d.vec);
	f->is_pointer = d.is_pointer;
	return true;
}

static bool parse_formals(struct loader *ld, struct formal **list, u32 *n, u32 *bytes)
{
	if (!ld_expect(ld, '('))
		return false;
	while (!tok_is(&ld->tok, ')')) {
		if (*n && !ld_expect(ld, ','))
			return false;
		struct formal *f = PUSH(*list, *n);
		if (!parse_formal(ld, f))
			return false;
		f->offset = (u32)round_up(*bytes, f->align);
		*bytes = f->offset + f->size;
		if (*bytes > PARAM_BYTES_MAX)
			return ld_fail(ld, &f->name, "more than %u bytes of parameters", PARAM_BYTES_MAX);
	}
	ld_next(ld);
	return true;
}

/* [(results)] name [(parameters)]; kernels have no results, prototypes the name `_`. */
bool parse_signature(struct loader *ld, bool is_kernel, bool is_proto, struct sig *out, struct token *name)
{
	*out = (struct sig){0};
	bool ok = true;
	if (!is_kernel && tok_is(&ld->tok, '('))
		ok = parse_formals(ld, &out->out, &out->nout, &out->out_bytes);
	ok = ok && ld_ident(ld, name, is_proto ? "'_'" : "a function name");
	if (ok && tok_is(&ld->tok, '('))
		ok = parse_formals(ld, &out->in, &out->nin, &out->in_bytes);
	/* results follow the parameters in the callee's FPARAM frame */
	u32 base = (u32)round_up(out->in_bytes, 16);
	if (!is_kernel)
		out->in_bytes = base;
	for (u32 i = 0; i < out->nout; i++)
		out->out[i].offset += base;
	return ok;
}
