/* atom and red of vectors. Those of 16-bit elements become ones of pairs, around which moves pack and unpack the
 * registers: an element of a pair is as atomic as one alone. */
#include "front/ptx/reader/lower.h"

static bool legal(const struct stmt *s)
{
	const enum ptype t = s->in.type;
	const bool extreme = s->in.atom == ATOM_MIN || s->in.atom == ATOM_MAX;
	if (t == T_F32)
		return s->in.atom == ATOM_ADD && s->in.vec <= 4;
	if (t == T_F16X2 || t == T_BF16X2)
		return (s->in.atom == ATOM_ADD || extreme) && s->in.vec <= 4;
	return (t == T_F16 || t == T_BF16) && (s->in.atom == ATOM_ADD || extreme);
}

/* The registers in braces; NULL when they are not so many. */
static const struct operand *list_of(struct stmt *s, const struct operand *o)
{
	if (o->kind == A_VEC && o->nelems == s->in.vec)
		return &s->elem[o->elems];
	ld_fail(s->ld, &o->at, "'%s' needs %u elements in braces here", NAME(s), s->in.vec);
	return NULL;
}

static bool pack(struct stmt *s, const struct operand half[2], opnd *to)
{
	struct inst mov = inst_init(OP_MOV, T_B32);
	mov.vec = 2;
	mov.pack = 1;
	if (!lower_src(s, &half[0], T_B16, W_EXACT, &mov.s[0]) || !lower_src(s, &half[1], T_B16, W_EXACT, &mov.s[1]))
		return false;
	mov.d[0] = *to = vreg_new(s->ld, T_B32, NULL);
	emit(s, &mov);
	return true;
}

static bool sources(struct stmt *s, const struct operand *list, u32 n, bool packed)
{
	for (u32 k = 0; k < n; k++)
		if (packed ? !pack(s, &list[2 * k], &s->in.s[1 + k])
		           : !lower_src(s, &list[k], s->in.type, W_EXACT, &s->in.s[1 + k]))
			return false;
	return true;
}

/* Where the old values go; the moves that unpack pairs are left in mov[]. */
static bool destinations(struct stmt *s, const struct operand *list, u32 n, struct inst mov[4])
{
	for (u32 k = 0; k < n; k++) {
		if (!mov) {
			if (!lower_dst(s, &list[k], s->in.type, W_EXACT, &s->in.d[k]))
				return false;
			continue;
		}
		mov[k] = inst_init(OP_MOV, T_B32);
		mov[k].vec = 2;
		for (u32 h = 0; h < 2; h++)
			if (!lower_dst(s, &list[2 * k + h], T_B16, W_EXACT, &mov[k].d[h]))
				return false;
		if (mov[k].d[0] != OPND_NONE || mov[k].d[1] != OPND_NONE)
			mov[k].s[0] = s->in.d[k] = vreg_new(s->ld, T_B32, NULL);
	}
	return true;
}

bool lower_atom_vector(struct stmt *s)
{
	const bool atom = s->in.op == OP_ATOM;
	const enum ptype t = s->in.type;
	const bool packed = t == T_F16 || t == T_BF16;
	const u32 n = packed ? s->in.vec / 2u : s->in.vec;
	struct inst mov[4];
	if (!legal(s) || (s->in.space != SPC_GLOBAL && s->in.space != SPC_GENERIC))
		return ld_unsupported(
		    s->ld, &s->op,
		    "'%s' is not supported: vectors are .add of .f32 (.v2 .v4), .add, .min and .max of .f16x2 "
		    "and .bf16x2 (.v2 .v4) and of .f16 and .bf16 (.v2 .v4 .v8), in global memory",
		    NAME(s));
	const struct operand *to = atom ? list_of(s, &s->arg[0]) : NULL, *from = list_of(s, &s->arg[atom + 1]);
	if ((atom && !to) || !from || !sources(s, from, n, packed))
		return false;
	s->in.vec = (u8)n;
	if (packed)
		s->in.type = t == T_F16 ? T_F16X2 : T_BF16X2;
	s->in.cmp = 90; /* the first target with it */
	if ((atom && !destinations(s, to, n, packed ? mov : NULL)) || !lower_address(s, &s->arg[atom]) ||
	    !emit_access(s, true))
		return false;
	for (u32 k = 0; k < n && atom && packed; k++)
		if (mov[k].s[0] != OPND_NONE)
			emit(s, &mov[k]);
	return true;
}
