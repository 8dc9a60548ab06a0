/* Loads, stores, atomics, textures. */
#include "front/ptx/reader/lower.h"

/* --- addresses ---------------------------------------------------------------------------------------------------- */

static bool base_register(struct stmt *s, const struct operand *o)
{
	u32 bytes = ptype_bytes(o->type);
	bool narrow_ok = s->in.space == SPC_SHARED || s->in.space == SPC_LOCAL || s->in.space == SPC_CONST ||
	                 s->in.space == SPC_PARAM || s->in.space == SPC_FPARAM;
	if (bytes != 8 && !(bytes == 4 && narrow_ok))
		return ld_fail(s->ld, &o->at, "a .%s register cannot be the base address of '%s'",
		               o->type == T_PRED ? "pred" : ptype_name(o->type), NAME(s));
	s->in.s[0] = o->index;
	s->in.base_bytes = (u8)bytes;
	s->in.imm = o->add;
	return true;
}

static bool base_param(struct stmt *s, const struct operand *o)
{
	if (s->in.space != SPC_PARAM && s->in.space != SPC_FPARAM)
		return ld_fail(s->ld, &o->at, "'%s' needs the .param state space for a parameter", NAME(s));
	u64 bytes = (u64)ptype_bytes(s->in.type) * s->in.vec;
	if (o->add < 0 || (u64)o->add + bytes > o->size)
		return ld_fail(s->ld, &o->at, "'%s' at offset %lld is outside the parameter, which has %u bytes", NAME(s),
		               (long long)o->add, o->size);
	s->in.space = (u8)o->space;
	s->in.imm = (s64)o->ival + o->add;
	return true;
}

/* Shared and local variables get their offsets when the module has been read; the others become a base in the pool that
 * is filled when the module is placed. The dynamic shared array's offset depends on the kernel: also through the pool.
 */
static bool base_symbol(struct stmt *s, const struct operand *o)
{
	struct loader *ld = s->ld;
	const struct symbol *sym = &ld->m->symbols[o->index];
	if (s->in.space == SPC_GENERIC)
		s->in.space = (u8)sym->space; /* the same place, known at once */
	bool same = s->in.space == sym->space || (s->in.space == SPC_GLOBAL && sym->space == SPC_CONST && o->generic);
	if (!same)
		return ld_fail(ld, &o->at, "'%s' is a .%s variable, '%s' accesses .%s", sym->name, space_names[sym->space],
		               NAME(s), space_names[s->in.space]);
	s->in.imm = o->add;
	bool direct = (sym->space == SPC_SHARED && sym->size) || sym->space == SPC_LOCAL;
	if (direct) {
		struct abs_fix *x = PUSH(ld->abs_fixes, ld->nabs_fixes);
		*x = (struct abs_fix){.inst = UINT32_MAX, .sym = o->index}; /* .inst: see emit_access() */
		return true;
	}
	s->in.s[0] = pool_symbol(ld, o->index, 0, 8, false);
	s->in.base_bytes = 8;
	return true;
}

bool lower_address(struct stmt *s, const struct operand *o)
{
	if (o->kind != A_ADDR || o->nelems)
		return ld_fail(s->ld, &o->at, "'%s' needs an address in brackets here", NAME(s));
	switch (o->base) {
	case A_REG: return base_register(s, o);
	case A_PARAM: return base_param(s, o);
	case A_SYM: return base_symbol(s, o);
	case A_INT: s->in.imm = (s64)o->ival; return true;
	default: break;
	}
	if (o->base == A_NAME)
		return ld_fail(s->ld, &o->at, "'%s' is not a variable, parameter or register that is declared", TEXT(&o->at));
	return ld_fail(s->ld, &o->at, "not an address that '%s' can use", NAME(s));
}

/* Gives the newest address fix the instruction's pc. */
bool emit_access(struct stmt *s, bool last)
{
	u32 pc = emit(s, &s->in);
	struct loader *ld = s->ld;
	if (!ld->nabs_fixes || ld->abs_fixes[ld->nabs_fixes - 1].inst != UINT32_MAX)
		return true;
	const struct abs_fix again = ld->abs_fixes[ld->nabs_fixes - 1];
	ld->abs_fixes[ld->nabs_fixes - 1].inst = pc;
	if (!last) {
		struct abs_fix *x = PUSH(ld->abs_fixes, ld->nabs_fixes);
		*x = again;
	}
	return true;
}
static bool finish(struct stmt *s)
{
	return emit_access(s, true);
}

/* .param without a symbol: the kernel's own parameters, or the function's frame. */
static void default_space(struct stmt *s)
{
	if (s->in.space == SPC_NONE)
		s->in.space = SPC_GENERIC;
	if (s->in.space == SPC_PARAM && !s->ld->m->funcs[s->ld->fn].is_kernel)
		s->in.space = SPC_FPARAM;
}

static bool check_access(struct stmt *s)
{
	if (s->ntypes != 1)
		return ld_fail(s->ld, &s->op, "'%s' needs one type such as .u32", NAME(s));
	if (s->in.type == T_PRED || (s->in.type == T_B128 && s->in.vec != 1))
		return ld_unsupported(s->ld, &s->op, "'%s' is not supported", NAME(s));
	u32 bytes = ptype_bytes(s->in.type) * s->in.vec;
	if (bytes > 16)
		return ld_unsupported(s->ld, &s->op, "'%s' moves %u bytes, the most is 16", NAME(s), bytes);
	default_space(s);
	return true;
}

/* The value operand as a list of vec elements. */
static bool value_list(struct stmt *s, const struct operand *o, const struct operand **list)
{
	if (s->in.vec == 1 && o->kind != A_VEC) {
		*list = o;
		return true;
	}
	if (o->kind != A_VEC || o->nelems != s->in.vec)
		return ld_fail(s->ld, &o->at, "'%s' needs %u element%s in braces here", NAME(s), s->in.vec,
		               s->in.vec == 1 ? "" : "s");
	*list = &s->elem[o->elems];
	return true;
}

/* Elements of 64-bit registers with a narrower type: every other register of the vector must have 64 bits, too, since
 * the execution loops know one register shape per instruction. Sets s->in.stype (see ir.h, wide registers). */
static bool check_wide(struct stmt *s, const struct operand *list)
{
	const struct operand *narrow = NULL;
	bool wide = false;
	s->in.stype = T_NONE;
	for (u32 i = 0; i < s->in.vec; i++) {
		if (list[i].kind == A_REG && ptype_bytes(list[i].type) == 8)
			wide = true;
		else if (list[i].kind != A_INT && list[i].kind != A_SINK)
			narrow = &list[i];
	}
	if (!wide || ptype_bytes(s->in.type) == 8)
		return true;
	if (narrow)
		return ld_unsupported(s->ld, &narrow->at,
		                      "'%s' with 64-bit and narrower registers in one vector is not supported", NAME(s));
	s->in.stype = T_B64;
	return true;
}

/* The type constants of a store's list are written in: as wide as its registers. */
static enum ptype element_type(const struct stmt *s, const struct operand *o)
{
	return s->in.stype == T_B64 && o->kind == A_INT ? T_B64 : s->in.type;
}

/* .b128: two elements of 64 bits. */
static bool values(struct stmt *s, const struct operand *o, struct operand half[2], const struct operand **list)
{
	if (s->in.type != T_B128)
		return value_list(s, o, list) && check_wide(s, *list);
	*list = half;
	s->in.type = T_B64;
	s->in.vec = 2;
	return split_128(s, o, half);
}

bool lower_ld(struct stmt *s)
{
	const struct operand *list;
	struct operand half[2];
	if (!check_access(s) || !want_args(s, 2, 2) || !values(s, &s->arg[0], half, &list))
		return false;
	for (u32 i = 0; i < s->in.vec; i++)
		if (!lower_dst(s, &list[i], s->in.type, W_MAY_BE_WIDER, &s->in.d[i]))
			return false;
	return lower_address(s, &s->arg[1]) && finish(s);
}

bool lower_st(struct stmt *s)
{
	const struct operand *list;
	struct operand half[2];
	if (!check_access(s) || !want_args(s, 2, 2) || !values(s, &s->arg[1], half, &list) || !lower_address(s, &s->arg[0]))
		return false;
	if (s->in.space == SPC_CONST || s->in.space == SPC_PARAM)
		return ld_fail(s->ld, &s->op, "'%s': the %s is read-only", NAME(s),
		               s->in.space == SPC_CONST ? "constant space" : "kernel's parameter buffer");
	for (u32 i = 0; i < s->in.vec; i++)
		if (!lower_src(s, &list[i], element_type(s, &list[i]), W_MAY_BE_WIDER, &s->in.s[i + 1]))
			return false;
	return finish(s);
}

/* atom.exch.b128, atom.cas.b128: d[0..1]; s[1..2] = b, s[3..4] = c. */
static bool lower_atom_128(struct stmt *s, u32 n)
{
	struct operand half[2];
	if (s->in.op != OP_ATOM || (s->in.atom != ATOM_EXCH && s->in.atom != ATOM_CAS))
		return ld_unsupported(s->ld, &s->op, "'%s' is not supported: .b128 has .exch and .cas alone", NAME(s));
	for (u32 i = 0; i < n; i++) {
		if (i == 1) {
			if (!lower_address(s, &s->arg[1]))
				return false;
			continue;
		}
		if (!split_128(s, &s->arg[i], half))
			return false;
		for (u32 k = 0; k < 2; k++)
			if (!(i ? lower_src(s, &half[k], T_B64, W_EXACT, &s->in.s[2 * i - 3 + k])
			        : lower_dst(s, &half[k], T_B64, W_EXACT, &s->in.d[k])))
				return false;
	}
	s->in.cmp = 90;
	return finish(s);
}

/* atom d, [a], b [, c]; red [a], b */
bool lower_atom(struct stmt *s)
{
	u32 first = s->in.op == OP_ATOM, n = first + 2 + (s->in.atom == ATOM_CAS);
	if (!check_access(s) || !want_args(s, n, n))
		return false;
	if (s->in.space == SPC_CONST || s->in.space == SPC_PARAM || s->in.space == SPC_FPARAM || s->in.space == SPC_LOCAL)
		return ld_fail(s->ld, &s->op, "'%s': no atomics in .%s memory", NAME(s), space_names[s->in.space]);
	if (s->in.type == T_B128)
		return lower_atom_128(s, n);
	if (s->in.vec > 1)
		return lower_atom_vector(s);
	if (first && !lower_dst(s, &s->arg[0], s->in.type, W_EXACT, &s->in.d[0]))
		return false;
	if (!lower_address(s, &s->arg[first]))
		return false;
	for (u32 i = first + 1; i < n; i++)
		if (!lower_src(s, &s->arg[i], s->in.type, W_EXACT, &s->in.s[i - first]))
			return false;
	return finish(s);
}

bool lower_prefetch(struct stmt *s)
{
	default_space(s);
	return want_args(s, 1, 1) && lower_address(s, &s->arg[0]) && finish(s);
}

/* --- textures ----------------------------------------------------------------------------------------------------- */

bool lower_texture(struct stmt *s, const struct operand *o)
{
	if (o->base == A_REG) {
		s->in.s[4] = o->index;
		return ptype_bytes(o->type) == 8 || ld_fail(s->ld, &o->at, "a texture object's handle needs a 64-bit register");
	}
	const struct name *n = o->base == A_NAME ? name_find(s->ld, &o->at) : NULL;
	if (!n || n->kind != N_TEXREF)
		return ld_fail(s->ld, &o->at, "'%s' is not a texture reference", TEXT(&o->at));
	s->in.tex = (s32)n->index;
	return true;
}

/* Coordinates in PTX's order; 3d, a2d and cube come with four elements of which the last says nothing. */
static bool coordinates(struct stmt *s, const struct operand *o)
{
	static const u8 used[] = {
	    [TEX_1D] = 1, [TEX_2D] = 2, [TEX_3D] = 3, [TEX_A1D] = 2, [TEX_A2D] = 3, [TEX_CUBE] = 3, [TEX_ACUBE] = 4};
	u32 n = used[s->in.geom];
	if (o->nelems != n && !(n == 3 && o->nelems == 4))
		return ld_fail(s->ld, &o->at, "'%s' needs %u coordinates, here are %u", NAME(s), n, o->nelems);
	for (u32 i = 0; i < n; i++) {
		bool layer = !i && (s->in.geom == TEX_A1D || s->in.geom == TEX_A2D || s->in.geom == TEX_ACUBE);
		if (!lower_src(s, &s->elem[o->elems + i], layer ? T_B32 : s->in.stype, W_EXACT, &s->in.s[i]))
			return false;
	}
	return true;
}

/* tex.level, tex.grad: textures here have one mip level and every level of detail is clamped to it, so the operands - a
 * level, or what the coordinates change by in x and in y - are checked and left out. */
static bool check_level(struct stmt *s)
{
	static const u8 used[] = {
	    [TEX_1D] = 1, [TEX_2D] = 2, [TEX_3D] = 4, [TEX_A1D] = 1, [TEX_A2D] = 2, [TEX_CUBE] = 4, [TEX_ACUBE] = 4};
	opnd unused;
	if (s->level == 1)
		return lower_src(s, &s->arg[2], s->in.stype == T_F32 ? T_F32 : T_B32, W_EXACT, &unused);
	for (u32 k = 2; k < 2u + s->level; k++) {
		const struct operand *o = &s->arg[k];
		const u32 n = o->kind == A_VEC ? o->nelems : 1;
		if (n != used[s->in.geom])
			return ld_fail(s->ld, &o->at, "'%s' needs %u gradients here", NAME(s), used[s->in.geom]);
		for (u32 i = 0; i < n; i++)
			if (!lower_src(s, o->kind == A_VEC ? &s->elem[o->elems + i] : o, T_F32, W_EXACT, &unused))
				return false;
	}
	return true;
}

static bool names_channel(const struct stmt *s)
{
	for (u32 i = 0; i < s->nmods; i++)
		if (tok_is_mod(&s->mod[i], "r") || tok_is_mod(&s->mod[i], "g") || tok_is_mod(&s->mod[i], "b") ||
		    tok_is_mod(&s->mod[i], "a"))
			return true;
	return false;
}

bool lower_tex(struct stmt *s)
{
	if (s->in.op == OP_TLD4 && !names_channel(s))
		return ld_fail(s->ld, &s->op, "'%s' needs a channel: .r, .g, .b or .a", NAME(s));
	if (s->in.vec != 4)
		return ld_unsupported(s->ld, &s->op, "'%s' is not supported: only fetches of four elements (.v4) are", NAME(s));
	if (s->ntypes != 2 || ptype_bytes(s->in.type) != 4 || ptype_bytes(s->in.stype) != 4)
		return ld_unsupported(s->ld, &s->op, "'%s' needs a result type and a coordinate type of 32 bits", NAME(s));
	if (!want_args(s, 2u + s->level, 2u + s->level) || !check_level(s))
		return false;
	const struct operand *d = &s->arg[0], *a = &s->arg[1];
	if (d->kind != A_VEC || d->nelems != 4)
		return ld_fail(s->ld, &d->at, "'%s' needs 4 elements in braces here", NAME(s));
	if (a->kind != A_ADDR || !a->nelems)
		return ld_fail(s->ld, &a->at, "'%s' needs [texture, {coordinates}] here", NAME(s));
	s->in.space = SPC_TEX;
	for (u32 i = 0; i < 4; i++)
		if (!lower_dst(s, &s->elem[d->elems + i], T_B32, W_EXACT, &s->in.d[i]))
			return false;
	return lower_texture(s, a) && coordinates(s, a) && finish(s);
}
