/* cp.async: copies to shared memory, their groups and waits. */
#include <string.h>

#include "front/ptx/reader/lower.h"

/* The shared address in brackets: a register or a variable, and an offset. */
static bool lower_destination(struct stmt *s, const struct operand *o)
{
	if (o->kind != A_ADDR || o->nelems || (o->base != A_REG && o->base != A_SYM))
		return ld_fail(s->ld, &o->at, "'%s' needs an address in shared memory here", NAME(s));
	if (o->base == A_SYM) {
		if (s->ld->m->symbols[o->index].space != SPC_SHARED)
			return ld_fail(s->ld, &o->at, "'%s' is no .shared variable", TEXT(&o->at));
		s->in.s[1] = pool_symbol(s->ld, o->index, o->add, 4, false);
		s->in.table = 0;
		return true;
	}
	s->in.pack = ptype_bytes(o->type) == 8;
	if (ptype_bytes(o->type) != 4 && !s->in.pack)
		return ld_fail(s->ld, &o->at, "a .%s register cannot be the base address of '%s'", ptype_name(o->type),
		               NAME(s));
	s->in.s[1] = o->index;
	s->in.table = (s32)o->add;
	return true;
}
/* The last operand: a size, or a predicate. */
static bool lower_source_size(struct stmt *s, const struct operand *o)
{
	s->in.geom = o->kind == A_REG && o->type == T_PRED;
	if (s->in.geom)
		return lower_pred_src(s, o, &s->in.s[2]);
	return lower_src(s, o, T_B32, W_EXACT, &s->in.s[2]);
}
static bool lower_copy(struct stmt *s)
{
	if (s->cache_hint && s->nargs > 3) /* the policy changes no result; it is the last one, behind a size or alone */
		s->nargs--;
	if (!want_args(s, 3, 4))
		return false;
	const struct operand *size = &s->arg[2];
	const bool l2_only = s->in.mode == CACHE_CG;
	const bool fits = size->kind == A_INT && (size->ival == 16 || (!l2_only && (size->ival == 4 || size->ival == 8)));
	if (!fits)
		return ld_fail(s->ld, &size->at, "'%s' copies %s bytes", NAME(s), l2_only ? "16" : "4, 8 or 16");
	s->in.op = OP_CP_ASYNC;
	s->in.type = T_B32;
	s->in.vec = (u8)(size->ival / 4);
	s->in.space = SPC_GLOBAL;
	return lower_destination(s, &s->arg[0]) && lower_address(s, &s->arg[1]) &&
	       (s->nargs == 3 || lower_source_size(s, &s->arg[3])) && emit_access(s, true);
}
static bool lower_group(struct stmt *s)
{
	const struct token *word = &s->mod[1];
	const bool counted = tok_is_mod(word, "wait_group");
	if (!want_args(s, counted, counted))
		return false;
	if (counted && (s->arg[0].kind != A_INT || s->arg[0].ival > 1000))
		return ld_fail(s->ld, &s->arg[0].at, "'%s' needs a number of groups", NAME(s));
	s->in.op = tok_is_mod(word, "commit_group") ? OP_CP_COMMIT : OP_CP_WAIT;
	s->in.mode = tok_is_mod(word, "wait_all"); /* those of no group, too */
	s->in.imm = counted ? (s64)s->arg[0].ival : 0;
	emit(s, &s->in);
	return true;
}
static bool copy_word(struct stmt *s, const struct token *t, bool *shared, bool *cached)
{
	static const char *const hints[] = {"async", "global", "L2::64B", "L2::128B", "L2::256B"};
	for (u32 k = 0; k < ARRAY_LEN(hints); k++)
		if (tok_is_mod(t, hints[k]))
			return true;
	if (tok_is_mod(t, "ca") || tok_is_mod(t, "cg")) {
		s->in.mode = tok_is_mod(t, "ca") ? CACHE_CA : CACHE_CG;
		return *cached = true;
	}
	if (tok_is_mod(t, "shared") || tok_is_mod(t, "shared::cta"))
		return *shared = true;
	return tok_is_mod(t, "L2::cache_hint") && (s->cache_hint = true);
}
bool lower_cp(struct stmt *s)
{
	bool shared = false, cached = false;
	const bool async = s->nmods >= 2 && tok_is_mod(&s->mod[0], "async");
	if (async && s->nmods == 2 &&
	    (tok_is_mod(&s->mod[1], "commit_group") || tok_is_mod(&s->mod[1], "wait_group") ||
	     tok_is_mod(&s->mod[1], "wait_all")))
		return lower_group(s);
	if (async && tok_is_mod(&s->mod[1], "mbarrier"))
		return lower_copy_arrive(s);
	for (u32 i = 0; async && i < s->nmods; i++)
		if (!copy_word(s, &s->mod[i], &shared, &cached))
			return ld_unsupported(s->ld, &s->mod[i], "'%s' is not supported", NAME(s));
	if (!shared || !cached)
		return ld_unsupported(s->ld, &s->op, "'%s' is not supported", NAME(s));
	return lower_copy(s);
}
