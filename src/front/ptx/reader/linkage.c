/* Linkage over several PTX files: which definition of a name that files share is the one that counts. The heads of all
 * files are looked through before any is parsed, so that a weak definition is known to be the first, or overruled,
 * where it stands. */
#include <stdlib.h>
#include <string.h>

#include "front/ptx/reader/loader.h"

enum { RANK_COMMON = 1, RANK_WEAK, RANK_STRONG };

struct definition {
	struct token at;
	u32 rank;
};

struct scan {
	struct loader *ld;
	struct lexer lx;
	struct token tok;
};

static void next(struct scan *s)
{
	lex_next(&s->lx, &s->tok);
}

static bool at_end(const struct scan *s)
{
	return s->tok.kind == TK_EOF || s->tok.kind == TK_BAD; /* what is bad is reported by the parser */
}

static bool accept_mod(struct scan *s, const char *word)
{
	if (!tok_is_mod(&s->tok, word))
		return false;
	next(s);
	return true;
}

/* At an opening bracket: behind the one that closes it. */
static void skip_brackets(struct scan *s, char open, char close)
{
	u32 depth = 0;
	do {
		depth += tok_is(&s->tok, open);
		depth -= tok_is(&s->tok, close);
		next(s);
	} while (depth && !at_end(s));
}

static bool note(struct scan *s, const struct token *at, u32 linkage, bool is_kernel)
{
	struct loader *ld = s->ld;
	const u32 shared = LINK_VISIBLE | LINK_WEAK | LINK_COMMON;
	if (linkage & LINK_EXTERN || !(is_kernel || linkage & shared))
		return true; /* a declaration, or the file's own */
	const u32 rank = linkage & LINK_WEAK ? RANK_WEAK : linkage & LINK_COMMON ? RANK_COMMON : RANK_STRONG;
	const u32 i = names_get(&ld->defined, at->p, at->len);
	if (i == NAMES_NONE) {
		names_put(&ld->defined, at->p, at->len, ld->ndefinitions);
		struct definition *d = PUSH(ld->definitions, ld->ndefinitions);
		*d = (struct definition){*at, rank};
		return true;
	}
	struct definition *d = &ld->definitions[i];
	if (rank == RANK_STRONG && d->rank == RANK_STRONG) {
		const struct module_part *first = module_part_of(ld->m, d->at.line);
		return ld_fail(ld, at, "'%s' is defined twice (first at %s:%u:%u)", TEXT(at), first->path,
		               d->at.line - first->before, d->at.col);
	}
	if (rank > d->rank)
		*d = (struct definition){*at, rank};
	return true;
}

/* Behind .func or .entry: [(results)] name [(parameters)] [directives] { body } or ; */
static bool scan_function(struct scan *s, u32 linkage, bool is_kernel)
{
	if (tok_is(&s->tok, '('))
		skip_brackets(s, '(', ')');
	const struct token name = s->tok;
	if (name.kind != TK_IDENT)
		return true;
	while (!at_end(s) && !tok_is(&s->tok, ';') && !tok_is(&s->tok, '{'))
		next(s);
	if (!tok_is(&s->tok, '{'))
		return true;
	skip_brackets(s, '{', '}');
	return note(s, &name, linkage, is_kernel);
}

/* Behind .global, .const or .shared: attributes, type, name [dimensions] [= initialiser] {, name ...} ; */
static bool scan_variables(struct scan *s, u32 linkage)
{
	while (!at_end(s) && s->tok.kind != TK_IDENT && !tok_is(&s->tok, ';')) {
		if (tok_is(&s->tok, '('))
			skip_brackets(s, '(', ')');
		else
			next(s);
	}
	while (s->tok.kind == TK_IDENT) {
		const struct token name = s->tok;
		while (!at_end(s) && !tok_is(&s->tok, ',') && !tok_is(&s->tok, ';')) {
			if (tok_is(&s->tok, '{'))
				skip_brackets(s, '{', '}');
			else
				next(s);
		}
		if (!note(s, &name, linkage, false))
			return false;
		if (tok_is(&s->tok, ','))
			next(s);
	}
	return true;
}

static bool scan_top(struct scan *s)
{
	u32 linkage = 0;
	for (;;) {
		if (accept_mod(s, "extern"))
			linkage |= LINK_EXTERN;
		else if (accept_mod(s, "visible"))
			linkage |= LINK_VISIBLE;
		else if (accept_mod(s, "weak"))
			linkage |= LINK_WEAK;
		else if (accept_mod(s, "common"))
			linkage |= LINK_COMMON;
		else
			break;
	}
	if (accept_mod(s, "func"))
		return scan_function(s, linkage, false);
	if (accept_mod(s, "entry"))
		return scan_function(s, linkage, true);
	if (accept_mod(s, "global") || accept_mod(s, "const") || accept_mod(s, "shared"))
		return scan_variables(s, linkage);
	if (tok_is(&s->tok, '{'))
		skip_brackets(s, '{', '}');
	else if (!at_end(s))
		next(s);
	return true;
}

bool linkage_scan(struct loader *ld)
{
	if (ld->m->nparts < 2)
		return true;
	for (u32 i = 0; i < ld->m->nparts; i++) {
		struct scan s = {.ld = ld};
		module_lexer(ld->m, i, &s.lx);
		next(&s);
		while (!at_end(&s))
			if (!scan_top(&s))
				return false;
	}
	return true;
}

bool linkage_overruled(const struct loader *ld, const struct token *at)
{
	const u32 shared = LINK_VISIBLE | LINK_WEAK | LINK_COMMON;
	if (ld->m->nparts < 2 || ld->fn >= 0 || !(ld->linkage & shared))
		return false;
	const u32 i = names_get(&ld->defined, at->p, at->len);
	return i != NAMES_NONE && ld->definitions[i].at.p != at->p;
}

bool linkage_has(const struct loader *ld, const struct token *at)
{
	return names_get(&ld->defined, at->p, at->len) != NAMES_NONE;
}

struct name *linkage_find(struct loader *ld, const struct token *at)
{
	if (ld->m->nparts < 2 || ld->fn >= 0 || !ld->linkage)
		return NULL;
	const u32 i = names_get(&ld->shared_names, at->p, at->len);
	return i == NAMES_NONE ? NULL : &ld->names[i];
}

void linkage_share(struct loader *ld, const struct token *at)
{
	if (ld->m->nparts < 2 || ld->fn >= 0 || !ld->linkage || names_get(&ld->shared_names, at->p, at->len) != NAMES_NONE)
		return;
	const u32 i = names_get(&ld->scopes[0].map, at->p, at->len);
	if (i != NAMES_NONE)
		names_put(&ld->shared_names, at->p, at->len, i);
}

bool linkage_skip_body(struct loader *ld)
{
	const struct token at = ld->tok;
	for (u32 depth = 0;;) {
		if (ld->tok.kind == TK_EOF || ld->tok.kind == TK_BAD)
			return ld_fail(ld, &at, "the '}' that belongs to this '{' is missing");
		depth += tok_is(&ld->tok, '{');
		depth -= tok_is(&ld->tok, '}');
		ld_next(ld);
		if (!depth)
			return true;
	}
}

bool linkage_skip_value(struct loader *ld)
{
	if (!ld_accept(ld, '='))
		return true;
	if (tok_is(&ld->tok, '{'))
		return linkage_skip_body(ld);
	while (!tok_is(&ld->tok, ',') && !tok_is(&ld->tok, ';')) {
		if (ld->tok.kind == TK_EOF || ld->tok.kind == TK_BAD)
			return ld_expected(ld, "';'");
		ld_next(ld);
	}
	return true;
}
