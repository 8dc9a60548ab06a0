/* Arithmetic with modifiers that add operands; moves; warp-wide operations. */
#include "front/ptx/reader/lower.h"

/* .cc writes and addc, subc, madc read the carry flag: one predicate register per function, d[3] and s[4]. */
bool lower_carry(struct stmt *s)
{
	struct loader *ld = s->ld;
	bool reads = s->in.op == OP_ADDC || s->in.op == OP_SUBC || s->in.op == OP_MADC;
	if (!reads && !(s->in.flags & IF_CC_OUT))
		return true;
	if (ld->carry == OPND_NONE)
		ld->carry = vreg_new(ld, T_PRED, NULL);
	if (s->in.flags & IF_CC_OUT)
		s->in.d[3] = ld->carry;
	if (reads) {
		s->in.s[4] = ld->carry;
		s->in.flags |= IF_CC_IN;
	}
	return true;
}

bool lower_mul(struct stmt *s)
{
	bool is_float = ptype_is_float(s->in.type);
	if (!is_float && !s->has_mode)
		return ld_fail(s->ld, &s->op, "'%s' needs .lo, .hi or .wide", NAME(s));
	if (is_float && s->has_mode)
		return ld_fail(s->ld, &s->op, "'%s': .lo, .hi and .wide are for integers", NAME(s));
	if (s->in.mode == MUL_WIDE && s->has_mode &&
	    (ptype_bytes(s->in.type) > 4 || s->in.op == OP_MUL24 || s->in.op == OP_MAD24))
		return ld_fail(s->ld, &s->op, "'%s': .wide is for 16- and 32-bit integers", NAME(s));
	return lower_carry(s);
}

static enum ptype part_type(const struct stmt *s, u32 n)
{
	switch (ptype_bytes(s->in.type) / n) {
	case 1: return T_B8;
	case 2: return T_B16;
	case 4: return T_B32;
	case 8: return T_B64;
	default: return T_NONE;
	}
}

static bool check_parts(struct stmt *s, const struct operand *vec)
{
	bool ok = (vec->nelems == 2 || vec->nelems == 4) && ptype_bytes(s->in.type) % vec->nelems == 0 &&
	          part_type(s, vec->nelems) != T_NONE;
	return ok || ld_fail(s->ld, &vec->at, "'%s' cannot be made of %u parts", NAME(s), vec->nelems);
}

static bool lower_unpack(struct stmt *s, const struct operand *vec, const struct operand *whole)
{
	if (!check_parts(s, vec) || !lower_src(s, whole, s->in.type, W_EXACT, &s->in.s[0]))
		return false;
	s->in.vec = (u8)vec->nelems;
	for (u32 i = 0; i < vec->nelems; i++)
		if (!lower_dst(s, &s->elem[vec->elems + i], part_type(s, vec->nelems), W_EXACT, &s->in.d[i]))
			return false;
	return true;
}

static bool lower_pack(struct stmt *s, const struct operand *whole, const struct operand *vec)
{
	if (!check_parts(s, vec) || !lower_dst(s, whole, s->in.type, W_EXACT, &s->in.d[0]))
		return false;
	s->in.vec = (u8)vec->nelems;
	s->in.pack = 1;
	for (u32 i = 0; i < vec->nelems; i++) {
		struct operand *o = &s->elem[vec->elems + i];
		if (o->kind == A_SINK) /* any value does */
			o->kind = A_INT;
		if (!lower_src(s, o, part_type(s, vec->nelems), W_EXACT, &s->in.s[i]))
			return false;
	}
	return true;
}

/* Two moves of the halves; the second one is left to be emitted. */
static bool lower_mov_128(struct stmt *s, const struct operand *d, const struct operand *a)
{
	struct operand to[2], from[2];
	const struct operand *vec = d->kind == A_VEC ? d : a->kind == A_VEC ? a : NULL;
	if (vec && vec->nelems != 2)
		return ld_unsupported(s->ld, &vec->at, "'%s' of %u parts is not supported", NAME(s), vec->nelems);
	for (u32 k = 0; k < 2 && vec; k++)
		*(vec == d ? &to[k] : &from[k]) = s->elem[vec->elems + k];
	if ((vec != d && !split_128(s, d, to)) || (vec != a && !split_128(s, a, from)))
		return false;
	s->in.type = T_B64;
	for (u32 k = 0; k < 2; k++) {
		if (to[k].kind == A_SINK && to[1 - k].kind != A_SINK)
			continue;
		if (!lower_dst(s, &to[k], T_B64, W_EXACT, &s->in.d[0]) || !lower_src(s, &from[k], T_B64, W_EXACT, &s->in.s[0]))
			return false;
		if (!k && to[1].kind != A_SINK)
			emit(s, &s->in);
	}
	return true;
}

bool lower_mov(struct stmt *s)
{
	if (s->ntypes != 1)
		return ld_fail(s->ld, &s->op, "'%s' needs one type such as .u32", NAME(s));
	if (!want_args(s, 2, 2))
		return false;
	const struct operand *d = &s->arg[0], *a = &s->arg[1];
	if (s->in.type == T_B128)
		return lower_mov_128(s, d, a);
	if (d->kind == A_VEC)
		return lower_unpack(s, d, a);
	if (a->kind == A_VEC)
		return lower_pack(s, d, a);
	if (!lower_dst(s, d, s->in.type, W_EXACT, &s->in.d[0]))
		return false;
	if (s->in.type == T_PRED)
		return lower_pred_src(s, a, &s->in.s[0]);
	if (a->neg)
		return ld_fail(s->ld, &a->at, "'!' is not allowed here");
	if (a->kind != A_SREG)
		return lower_src(s, a, s->in.type, W_EXACT, &s->in.s[0]);
	s->in.sreg = (u8)(a->index + 1);
	s->in.imm = (s64)a->ival;
	return true;
}

/* .xorsign.abs of min and max. */
static bool check_xorsign(struct stmt *s)
{
	const enum ptype t = s->in.type;
	const bool has = t == T_F32 || t == T_F16 || t == T_F16X2 || t == T_BF16 || t == T_BF16X2;
	return !s->in.mode || has || s->in.op == OP_FMA ||
	       ld_unsupported(s->ld, &s->op, "'%s' is not supported: .xorsign.abs is for f32, f16 and bf16", NAME(s));
}

/* .relu: which types have it. Those of cvt are told by its execution function. */
bool lower_relu(struct stmt *s)
{
	const enum ptype t = s->in.type;
	const bool half = t == T_F16 || t == T_F16X2 || t == T_BF16 || t == T_BF16X2;
	if (!check_xorsign(s))
		return false;
	if (!(s->in.flags & IF_RELU) || (s->in.op == OP_FMA ? half : t == T_S32 || t == T_S16X2))
		return true;
	return ld_unsupported(s->ld, &s->op, "'%s' is not supported: .relu is for %s", NAME(s),
	                      s->in.op == OP_FMA ? "f16, f16x2, bf16 and bf16x2" : "s32 and s16x2");
}

/* Registers wider than the type: within 32 bits they share one shape; 64-bit ones are marked. */
bool lower_cvt(struct stmt *s)
{
	const struct operand *d = &s->arg[0], *a = &s->arg[1];
	const enum ptype t = s->in.type, from = s->in.stype;
	const bool pair = ((t == T_F16X2 || t == T_BF16X2) && from != T_E4M3X2 && from != T_E5M2X2) ||
	                  ((t == T_E4M3X2 || t == T_E5M2X2) && from == T_F32);
	const bool pack = s->in.mode == 1;
	const u32 want = pack ? 3 + (ptype_bytes(s->in.type) == 1) : pair ? 3 : 2;
	if (!want_args(s, want, want))
		return false;
	if (d->kind == A_REG && ptype_bytes(d->type) == 8 && ptype_bytes(s->in.type) < 8)
		s->in.flags |= IF_WIDE_DST;
	if (a->kind == A_REG && ptype_bytes(a->type) == 8 && ptype_bytes(s->in.stype) < 8)
		s->in.flags |= IF_WIDE_SRC;
	return true;
}

bool lower_cvta(struct stmt *s)
{
	enum ptype t = s->in.type;
	if (s->ntypes != 1 || (t != T_U64 && t != T_U32 && t != T_B64 && t != T_B32))
		return ld_fail(s->ld, &s->op, "'%s' needs type .u64 or .u32", NAME(s));
	if (s->in.space == SPC_NONE)
		return ld_fail(s->ld, &s->op, "'%s' lacks a state space", NAME(s));
	struct func *f = &s->ld->m->funcs[s->ld->fn];
	if (s->in.space == SPC_PARAM && !f->is_kernel)
		return ld_unsupported(
		    s->ld, &s->op, "'%s' in a function is not supported: only a kernel's parameters have addresses", NAME(s));
	f->generic_params |= s->in.space == SPC_PARAM && !(s->in.flags & IF_CVTA_TO);
	return want_args(s, 2, 2) && lower_dst(s, &s->arg[0], t, W_EXACT, &s->in.d[0]) &&
	       lower_src(s, &s->arg[1], t, W_EXACT, &s->in.s[0]);
}

/* d[|p], a, b, c [, membermask] */
bool lower_shfl(struct stmt *s)
{
	u32 n = s->in.flags & IF_SYNC ? 5 : 4;
	if (s->ntypes != 1 || ptype_bytes(s->in.type) != 4)
		return ld_fail(s->ld, &s->op, "'%s' needs type .b32", NAME(s));
	if (!want_args(s, n, n) || !lower_dst(s, &s->arg[0], T_B32, W_EXACT, &s->in.d[0]))
		return false;
	if (s->arg[0].pair == A_REG) {
		struct operand p = {
		    .kind = A_REG, .at = s->arg[0].at, .type = s->arg[0].pair_type, .index = s->arg[0].pair_index};
		if (!lower_dst(s, &p, T_PRED, W_EXACT, &s->in.d[1]))
			return false;
	}
	for (u32 i = 1; i < n; i++)
		if (!lower_src(s, &s->arg[i], T_B32, W_EXACT, &s->in.s[i - 1]))
			return false;
	return true;
}

/* d, {!}a [, membermask] */
bool lower_vote(struct stmt *s)
{
	u32 n = s->in.flags & IF_SYNC ? 3 : 2;
	enum ptype t = s->in.mode == VOTE_BALLOT ? T_B32 : T_PRED;
	if (s->ntypes != 1 || s->in.type != t)
		return ld_fail(s->ld, &s->op, "'%s' needs type .%s", NAME(s), ptype_name(t));
	return want_args(s, n, n) && lower_dst(s, &s->arg[0], t, W_EXACT, &s->in.d[0]) &&
	       lower_pred_src(s, &s->arg[1], &s->in.s[0]) &&
	       (n == 2 || lower_src(s, &s->arg[2], T_B32, W_EXACT, &s->in.s[1]));
}

/* d[|p], a, membermask */
bool lower_match(struct stmt *s)
{
	if (s->ntypes != 1 || ptype_bytes(s->in.type) < 4)
		return ld_fail(s->ld, &s->op, "'%s' needs type .b32 or .b64", NAME(s));
	if (!want_args(s, 3, 3) || !lower_dst(s, &s->arg[0], T_B32, W_EXACT, &s->in.d[0]))
		return false;
	if (s->arg[0].pair == A_REG) {
		struct operand p = {
		    .kind = A_REG, .at = s->arg[0].at, .type = s->arg[0].pair_type, .index = s->arg[0].pair_index};
		if (s->in.mode != MATCH_ALL)
			return ld_fail(s->ld, &s->arg[0].at, "'%s' has no second destination", NAME(s));
		if (!lower_dst(s, &p, T_PRED, W_EXACT, &s->in.d[1]))
			return false;
	}
	return lower_src(s, &s->arg[1], s->in.type, W_EXACT, &s->in.s[0]) &&
	       lower_src(s, &s->arg[2], T_B32, W_EXACT, &s->in.s[1]);
}
