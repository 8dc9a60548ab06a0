/* Initialisers of .global and .const variables. */
#include <stdlib.h>
#include <string.h>

#include "front/ptx/reader/loader.h"

struct init {
	struct loader *ld;
	struct symbol *sym;
	enum ptype type;
	u32 esize;
	u64 cap;  /* bytes allocated */
	u64 used; /* bytes that an open array reaches */
	bool open;
};

static bool reserve(struct init *x, const struct token *at, u64 end)
{
	if (end > INIT_BYTES_MAX)
		return ld_fail(x->ld, at, "initialised variable larger than %llu bytes", (unsigned long long)INIT_BYTES_MAX);
	if (end > x->cap) {
		u64 cap = MAX(end, x->open ? x->cap * 2 : end);
		x->sym->init = xrealloc(x->sym->init, cap);
		memset(x->sym->init + x->cap, 0, cap - x->cap);
		x->cap = cap;
	}
	x->used = MAX(x->used, end);
	return true;
}

/* f16 constants are given as bits in practice; a float literal for a 16-bit type is refused rather than guessed. */
static bool store_float(struct init *x, u64 at, const struct token *t, bool neg)
{
	double v = neg ? -t->fval : t->fval;
	u64 bits = t->ival;
	if (x->esize == 8 && t->exact_bytes != 8) {
		memcpy(&bits, &v, 8);
	} else if (x->esize == 8) {
		bits ^= (u64)neg << 63;
	} else if (x->esize == 4 && t->exact_bytes != 4) {
		float f = (float)v;
		u32 b;
		memcpy(&b, &f, 4);
		bits = b;
	} else if (x->esize == 4) {
		bits ^= (u64)neg << 31;
	} else {
		return ld_fail(x->ld, t, "floating-point constant for a variable of type .%s", ptype_name(x->type));
	}
	memcpy(x->sym->init + at, &bits, x->esize);
	return true;
}

static bool store_int(struct init *x, u64 at, u64 v)
{
	if (x->type == T_F32) {
		float f = (float)(s64)v;
		memcpy(x->sym->init + at, &f, 4);
	} else if (x->type == T_F64) {
		double d = (double)(s64)v;
		memcpy(x->sym->init + at, &d, 8);
	} else {
		memcpy(x->sym->init + at, &v, x->esize); /* little-endian hosts */
	}
	return true;
}

/* name, name+N, generic(name)+N. `generic` is read already when in_generic. */
static bool parse_address(struct init *x, struct reloc *r)
{
	struct loader *ld = x->ld;
	struct token at;
	*r = (struct reloc){.sym = -1, .func = -1};
	r->generic = tok_is_name(&ld->tok, "generic") && tok_is(&ld->ahead, '(');
	if (r->generic) {
		ld_next(ld);
		ld_next(ld);
	}
	if (!ld_ident(ld, &at, "a symbol"))
		return false;
	struct name *n = name_find(ld, &at);
	if (n && n->kind == N_SYM)
		r->sym = (s32)n->index;
	else if (n && n->kind == N_FUNC)
		r->func = (s32)n->index;
	else if (n && (n->kind == N_TEXREF || n->kind == N_SAMPLER))
		return ld_fail(ld, &at, "the address of texture reference '%s' is not supported", TEXT(&at));
	else
		return ld_fail(ld, &at, "'%s' is not a variable or function declared before", TEXT(&at));
	if (r->func >= 0)
		ld->finfo[r->func].address_taken = true;
	if (r->sym >= 0)
		ld->syminfo[r->sym].used = true;
	if (r->generic && !ld_expect(ld, ')'))
		return false;
	if (tok_is(&ld->tok, '+') || tok_is(&ld->tok, '-')) {
		u64 add;
		if (!parse_const_expr(ld, &add))
			return false;
		r->add = (s64)add;
	}
	return true;
}

static bool add_reloc(struct init *x, const struct token *where, u64 at, const struct reloc *r)
{
	if (x->esize != 8 && x->esize != 4)
		return ld_fail(x->ld, where, "an address needs an element of 4 or 8 bytes, .%s has %u", ptype_name(x->type),
		               x->esize);
	const struct symbol *s = r->sym >= 0 ? &x->ld->m->symbols[r->sym] : NULL;
	if (s && s->space != SPC_GLOBAL && s->space != SPC_CONST)
		return ld_fail(x->ld, where, "an initialiser cannot hold the address of a %s variable", space_names[s->space]);
	struct reloc *to = PUSH(x->sym->relocs, x->sym->nrelocs);
	*to = *r;
	to->at = at;
	to->bytes = x->esize;
	return true;
}

/* 0xFF(sym), 0xFF00(sym), ... : byte k of an address. Taken when the eight bytes follow one another. */
static bool parse_masked(struct init *x, u64 at)
{
	struct loader *ld = x->ld;
	struct token where = ld->tok;
	struct reloc r;
	u64 mask = ld->tok.ival;
	ld_next(ld);
	if (!ld_expect(ld, '(') || !parse_address(x, &r) || !ld_expect(ld, ')'))
		return false;
	u32 k = mask ? (u32)__builtin_ctzll(mask) / 8 : 0;
	if (x->esize != 1 || mask != 0xffull << (8 * k))
		return ld_fail(ld, &where, "mask of an address must select one byte, in a byte array");
	struct reloc *last = x->sym->nrelocs ? &x->sym->relocs[x->sym->nrelocs - 1] : NULL;
	if (!k) {
		last = PUSH(x->sym->relocs, x->sym->nrelocs);
		*last = r;
		last->at = at;
		last->bytes = 1;
		return true;
	}
	if (!last || last->at + k != at || last->bytes != k || last->sym != r.sym || last->func != r.func ||
	    last->add != r.add)
		return ld_fail(ld, &where, "bytes of an address are supported only when all eight follow one another");
	last->bytes = k + 1;
	return true;
}

static bool parse_scalar(struct init *x, u64 at)
{
	struct loader *ld = x->ld;
	struct token where = ld->tok;
	if (!reserve(x, &where, at + x->esize))
		return false;
	bool minus = tok_is(&ld->tok, '-') && ld->ahead.kind == TK_FLOAT;
	if (minus)
		ld_next(ld);
	if (ld->tok.kind == TK_FLOAT) {
		struct token f = ld->tok;
		ld_next(ld);
		return store_float(x, at, &f, minus);
	}
	if (ld->tok.kind == TK_INT && tok_is(&ld->ahead, '('))
		return parse_masked(x, at);
	if (ld->tok.kind == TK_IDENT && !tok_is_name(&ld->tok, "WARP_SZ")) {
		struct reloc r;
		return parse_address(x, &r) && add_reloc(x, &where, at, &r);
	}
	u64 v;
	return parse_const_expr(ld, &v) && store_int(x, at, v);
}

/* Value of an array (dims[0..n)) or scalar at byte `at`; each element of dimension 0 is `stride` bytes. */
static bool parse_value(struct init *x, u64 at, const u64 *dims, u32 ndims)
{
	struct loader *ld = x->ld;
	if (!ndims)
		return parse_scalar(x, at);
	u64 stride = x->esize;
	for (u32 i = 1; i < ndims; i++)
		stride *= dims[i];
	if (!ld_expect(ld, '{'))
		return false;
	for (u64 i = 0; !tok_is(&ld->tok, '}'); i++) {
		if (i && !ld_expect(ld, ','))
			return false;
		if (i && tok_is(&ld->tok, '}'))
			break;
		if (i >= dims[0])
			return ld_fail(ld, &ld->tok, "more than %llu values in the initialiser of '%s'",
			               (unsigned long long)dims[0], x->sym->name);
		if (tok_is(&ld->tok, '{') || ndims == 1) {
			if (!parse_value(x, at + i * stride, dims + 1, ndims - 1))
				return false;
			continue;
		}
		return ld_expected(ld, "'{' of the inner dimension");
	}
	ld_next(ld);
	return true;
}

static bool check_masked(struct init *x, const struct token *at)
{
	for (u32 i = 0; i < x->sym->nrelocs; i++)
		if (x->sym->relocs[i].bytes != 4 && x->sym->relocs[i].bytes != 8)
			return ld_fail(x->ld, at, "initialiser of '%s' holds only some bytes of an address", x->sym->name);
	return true;
}

bool parse_init(struct loader *ld, struct symbol *sym, enum ptype type, u32 vec, const u64 *dims, u32 ndims)
{
	struct token at = ld->tok;
	struct init x = {
	    .ld = ld, .sym = sym, .type = type, .esize = ptype_bytes(type), .open = ndims && dims[0] == UINT64_MAX};
	u64 all[16];
	if (ndims)
		memcpy(all, dims, ndims * sizeof(u64));
	if (vec > 1)
		all[ndims++] = vec;
	if (!x.open && !reserve(&x, &at, sym->size))
		return false;
	if (!parse_value(&x, 0, all, ndims) || !check_masked(&x, &at))
		return false;
	if (x.open) {
		u64 row = x.esize;
		for (u32 i = 1; i < ndims; i++)
			row *= all[i];
		u64 size = row ? (x.used + row - 1) / row * row : 0;
		if (!size)
			return ld_fail(ld, &at, "'%s' has no elements", sym->name);
		if (!reserve(&x, &at, size))
			return false;
		sym->size = size;
	}
	return true;
}
