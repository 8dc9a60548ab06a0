#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "front/ptx/reader/loader.h"
#include "passes/fn.h"

void *grow_array(void *array, u32 n, size_t size)
{
	if (!n || is_pow2(n)) { /* full at 0, 1, 2, 4, 8, ... */
		u32 cap = n ? n * 2 : 1;
		array = xrealloc(array, (size_t)cap * size);
	}
	memset((char *)array + (size_t)n * size, 0, size);
	return array;
}

bool ld_fail(struct loader *ld, const struct token *at, const char *fmt, ...)
{
	char msg[800];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	ld->failed = true;
	const struct module_part *part = module_part_of(ld->m, at->line);
	return err_set(ld->e, "%s:%u:%u: %s", part->path, at->line - part->before, at->col, msg);
}

bool ld_expected(struct loader *ld, const char *what)
{
	if (ld->tok.kind == TK_BAD)
		return ld_fail(ld, &ld->tok, "'%s': %s", TEXT(&ld->tok), ld->tok.why);
	if (ld->tok.kind == TK_EOF)
		return ld_fail(ld, &ld->tok, "unexpected end of file, expected %s", what);
	return ld_fail(ld, &ld->tok, "unexpected '%s', expected %s", TEXT(&ld->tok), what);
}

void ld_next(struct loader *ld)
{
	ld->tok = ld->ahead;
	lex_next(&ld->lx, &ld->ahead);
}

bool ld_accept(struct loader *ld, char punct)
{
	if (!tok_is(&ld->tok, punct))
		return false;
	ld_next(ld);
	return true;
}

bool ld_accept_mod(struct loader *ld, const char *word)
{
	if (!tok_is_mod(&ld->tok, word))
		return false;
	ld_next(ld);
	return true;
}

bool ld_expect(struct loader *ld, char punct)
{
	return ld_accept(ld, punct) || ld_expected(ld, (char[]){'\'', punct, '\'', 0});
}

bool ld_ident(struct loader *ld, struct token *out, const char *what)
{
	if (ld->tok.kind != TK_IDENT)
		return ld_expected(ld, what);
	*out = ld->tok;
	ld_next(ld);
	return true;
}

bool ld_u32(struct loader *ld, u32 *out, const char *what, u32 max)
{
	if (ld->tok.kind != TK_INT)
		return ld_expected(ld, what);
	if (ld->tok.ival > max)
		return ld_fail(ld, &ld->tok, "%s is %s, the most is %u", what, TEXT(&ld->tok), max);
	*out = (u32)ld->tok.ival;
	ld_next(ld);
	return true;
}

void scope_open(struct loader *ld)
{
	struct scope *s = PUSH(ld->scopes, ld->nscopes);
	s->fparam_mark = ld->fparam_used;
	s->first_ref = ld->nrefs;
}

static void resolve(struct loader *ld, const struct label_ref *r, u32 pc)
{
	if (r->table >= 0)
		ld->m->tables[r->table].pc[r->entry] = pc;
	else
		ld->m->code[r->inst].target = (s32)pc;
}

/* References to labels of this scope are resolved, the others become the enclosing scope's. */
static void resolve_refs(struct loader *ld, struct scope *s)
{
	u32 kept = s->first_ref;
	for (u32 i = s->first_ref; i < ld->nrefs; i++) {
		u32 n = names_get(&s->map, ld->refs[i].at.p, ld->refs[i].at.len);
		if (n != NAMES_NONE && ld->names[n].kind == N_LABEL)
			resolve(ld, &ld->refs[i], ld->names[n].index);
		else
			ld->refs[kept++] = ld->refs[i];
	}
	ld->nrefs = kept;
}

void scope_close(struct loader *ld)
{
	struct scope *s = &ld->scopes[ld->nscopes - 1];
	resolve_refs(ld, s);
	ld->fparam_used = s->fparam_mark;
	names_release(&s->map);
	names_release(&s->ranges);
	ld->nscopes--;
}

struct name *name_declare(struct loader *ld, const struct token *at, enum name_kind kind)
{
	struct scope *s = &ld->scopes[ld->nscopes - 1];
	struct names *map = kind == N_RANGE ? &s->ranges : &s->map;
	u32 old = names_get(map, at->p, at->len);
	if (old != NAMES_NONE) {
		const struct token *o = &ld->names[old].at;
		ld_fail(ld, at, "'%s' is declared twice (first at line %u, column %u)", TEXT(at),
		        module_line_in_file(ld->m, o->line), o->col);
		return NULL;
	}
	names_put(map, at->p, at->len, ld->nnames);
	struct name *n = PUSH(ld->names, ld->nnames);
	n->kind = kind;
	n->at = *at;
	return n;
}

/* %r12 of a range %r<N>: splits the trailing digits in every way. */
static struct name *find_in_range(struct loader *ld, struct scope *s, const struct token *at)
{
	u64 number = 0, unit = 1;
	for (u32 cut = at->len; cut > 1 && at->len - cut < 10;) {
		char c = at->p[--cut];
		if (c < '0' || c > '9')
			break;
		number += (u64)(c - '0') * unit;
		unit *= 10;
		if (c == '0' && at->len - cut > 1)
			continue; /* no leading zeros */
		u32 r = names_get(&s->ranges, at->p, cut);
		if (r == NAMES_NONE || number >= ld->names[r].count)
			continue;
		enum ptype type = ld->names[r].type;
		names_put(&s->map, at->p, at->len, ld->nnames);
		struct name *n = PUSH(ld->names, ld->nnames);
		*n = (struct name){.kind = N_REG, .type = type, .at = *at, .index = vreg_new(ld, type, at)};
		return n;
	}
	return NULL;
}

struct name *name_find(struct loader *ld, const struct token *at)
{
	for (u32 i = ld->nscopes; i-- > 0;) {
		struct scope *s = &ld->scopes[i];
		u32 n = names_get(&s->map, at->p, at->len);
		if (n != NAMES_NONE)
			return &ld->names[n];
		struct name *r = s->ranges.used ? find_in_range(ld, s, at) : NULL;
		if (r)
			return r;
	}
	return NULL;
}

void label_refer(struct loader *ld, const struct token *at, u32 inst, s32 table, s32 entry)
{
	struct label_ref *r = PUSH(ld->refs, ld->nrefs);
	*r = (struct label_ref){.at = *at, .inst = inst, .table = table, .entry = entry};
}

/* A register of 128 bits is two of 64, the low one first: that one has the name. */
u32 vreg_new(struct loader *ld, enum ptype type, const struct token *name)
{
	if (type == T_B128) {
		const u32 low = vreg_new(ld, T_B64, name);
		vreg_new(ld, T_B64, NULL);
		return low;
	}
	u8 *c = PUSH(ld->vclass, ld->nvclass);
	*c = type == T_PRED ? VC_PRED : ptype_bytes(type) == 8 ? VC_64 : VC_32;
	struct vreg_name *v = PUSH(ld->vnames, ld->nvnames);
	v->type = type;
	if (name) {
		v->p = name->p;
		v->len = name->len;
	}
	return ld->nvclass - 1;
}

enum ptype type_of_word(const char *p, u32 len)
{
	for (enum ptype t = T_NONE + 1; t < T_COUNT; t++) {
		const char *n = ptype_name(t);
		if (strlen(n) == len && !memcmp(n, p, len))
			return t;
	}
	return T_NONE;
}

bool parse_type(struct loader *ld, enum ptype *t)
{
	*t = ld->tok.kind == TK_MOD ? type_of_word(ld->tok.p, ld->tok.len) : T_NONE;
	if (*t == T_NONE)
		return ld_expected(ld, "a type such as .u32");
	ld_next(ld);
	return true;
}
