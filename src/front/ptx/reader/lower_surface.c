/* suld, sust, sured: first the address (surface.c: d[0], and d[1] = inside, for .zero), which takes no issue slot, then
 * a load, store or reduction of global memory there. So reads are cached in L1D and writes go to L2 as those of global
 * memory do. */
#include "front/ptx/reader/lower.h"
#include "front/ptx/executor/surface.h"

bool surface_word(struct stmt *s, const struct token *t)
{
	static const char *const modes[] = {[SURF_TRAP] = "trap", [SURF_CLAMP] = "clamp", [SURF_ZERO] = "zero"};
	if (s->form->fn != lower_surface && s->form->fn != lower_surface_reduce)
		return false;
	for (u32 i = 0; i < ARRAY_LEN(modes); i++)
		if (tok_is_mod(t, modes[i])) {
			s->in.cmp = (u8)i;
			return true;
		}
	return tok_is_mod(t, "b");
}

static bool coordinates(struct stmt *s, const struct operand *o, struct inst *at)
{
	static const u8 used[] = {[TEX_1D] = 1, [TEX_2D] = 2, [TEX_3D] = 3, [TEX_A1D] = 2, [TEX_A2D] = 3};
	const u32 n = used[s->in.geom];
	if (o->kind != A_ADDR || !o->nelems)
		return ld_fail(s->ld, &o->at, "'%s' needs [surface, {coordinates}] here", NAME(s));
	if (o->base != A_REG)
		return ld_unsupported(s->ld, &o->at, "surface reference '%s' is not supported, only surface objects are",
		                      TEXT(&o->at));
	if (ptype_bytes(o->type) != 8)
		return ld_fail(s->ld, &o->at, "a surface object's handle needs a 64-bit register");
	if (o->nelems != n && !(n == 3 && o->nelems == 4))
		return ld_fail(s->ld, &o->at, "'%s' needs %u coordinates, here are %u", NAME(s), n, o->nelems);
	at->s[4] = o->index;
	for (u32 i = 0; i < n; i++)
		if (!lower_src(s, &s->elem[o->elems + i], T_B32, W_EXACT, &at->s[i]))
			return false;
	return true;
}

/* One of the values: an element of {...}, or the operand itself. */
static const struct operand *value(struct stmt *s, const struct operand *v, u32 i)
{
	return v->kind == A_VEC ? &s->elem[v->elems + i] : v;
}

/* The instruction just emitted is for lanes inside only. */
static void only_inside(struct stmt *s, u32 pc, opnd inside)
{
	if (inside == OPND_NONE)
		return;
	s->ld->m->code[pc].guard = inside;
	s->ld->m->code[pc].flags &= ~(u32)IF_GUARD_NEG;
}

static bool emit_load(struct stmt *s, const struct operand *v, struct inst *ld, opnd inside)
{
	const bool wide = ptype_bytes((enum ptype)ld->type) == 8;
	for (u32 i = 0; i < ld->vec; i++) {
		struct inst zero = inst_init(OP_MOV, wide ? T_B64 : T_B32);
		if (!lower_dst(s, value(s, v, i), (enum ptype)ld->type, W_MAY_BE_WIDER, &ld->d[i]))
			return false;
		if (inside == OPND_NONE || ld->d[i] == OPND_NONE)
			continue;
		zero.d[0] = ld->d[i];
		zero.s[0] = pool_value(s->ld, 0, wide ? 8 : 4);
		emit(s, &zero);
	}
	only_inside(s, emit(s, ld), inside);
	return true;
}

static bool emit_store(struct stmt *s, const struct operand *v, struct inst *st, opnd inside)
{
	for (u32 i = 0; i < st->vec; i++)
		if (!lower_src(s, value(s, v, i), (enum ptype)st->type, W_MAY_BE_WIDER, &st->s[1 + i]))
			return false;
	only_inside(s, emit(s, st), inside);
	return true;
}

/* sured.b: the address, then a reduction in global memory there. */
bool lower_surface_reduce(struct stmt *s)
{
	const enum ptype t = (enum ptype)s->in.type;
	const bool bits = s->in.atom == ATOM_AND || s->in.atom == ATOM_OR;
	const bool sums = s->in.atom == ATOM_ADD || s->in.atom == ATOM_MIN || s->in.atom == ATOM_MAX;
	if (s->ntypes != 1 || s->level ||
	    !(bits ? t == T_B32 : sums && (t == T_U32 || t == T_S32 || t == T_U64 || t == T_S64)))
		return ld_fail(s->ld, &s->op,
		               "'%s' needs .and or .or of .b32, or .add, .min or .max of .u32, .s32, .u64 or .s64", NAME(s));
	if (!want_args(s, 2, 2))
		return false;
	struct inst at = inst_init(OP_SUST, T_B32), red = inst_init(OP_RED, s->in.type);
	if (!coordinates(s, &s->arg[0], &at) || !lower_src(s, value(s, &s->arg[1], 0), t, W_EXACT, &red.s[1]))
		return false;
	at.geom = s->in.geom;
	at.cmp = s->in.cmp;
	at.imm = ptype_bytes(t);
	at.d[0] = vreg_new(s->ld, T_B64, NULL);
	if (at.cmp == SURF_ZERO)
		at.d[1] = vreg_new(s->ld, T_PRED, NULL);
	emit(s, &at);
	red.space = SPC_GLOBAL;
	red.atom = s->in.atom;
	red.base_bytes = 8;
	red.s[0] = at.d[0];
	only_inside(s, emit(s, &red), at.d[1]);
	return true;
}

bool lower_surface(struct stmt *s)
{
	const bool load = s->in.op == OP_SULD;
	const u32 vec = MAX(s->in.vec, 1u), bytes = ptype_bytes((enum ptype)s->in.type);
	if (s->ntypes != 1 || s->level || s->in.type < T_B8 || s->in.type > T_B64 || bytes * vec > 16)
		return ld_fail(s->ld, &s->op, "'%s' needs one type of .b8 to .b64, and at most 16 bytes in all", NAME(s));
	if (!want_args(s, 2, 2))
		return false;
	const struct operand *a = &s->arg[load ? 1 : 0], *v = &s->arg[load ? 0 : 1];
	struct inst at = inst_init((enum opcode)s->in.op, T_B32), mem = inst_init(load ? OP_LD : OP_ST, s->in.type);
	if ((v->kind == A_VEC ? v->nelems : 1) != vec)
		return ld_fail(s->ld, &v->at, "'%s' needs %u element%s in braces here", NAME(s), vec, vec == 1 ? "" : "s");
	if (!coordinates(s, a, &at))
		return false;
	at.geom = s->in.geom;
	at.cmp = s->in.cmp;
	at.imm = (s64)bytes * vec;
	at.d[0] = vreg_new(s->ld, T_B64, NULL);
	if (at.cmp == SURF_ZERO)
		at.d[1] = vreg_new(s->ld, T_PRED, NULL);
	emit(s, &at);
	mem.space = SPC_GLOBAL;
	mem.vec = (u8)vec;
	mem.mode = s->in.mode;
	mem.base_bytes = 8;
	mem.s[0] = at.d[0];
	return load ? emit_load(s, v, &mem, at.d[1]) : emit_store(s, v, &mem, at.d[1]);
}
