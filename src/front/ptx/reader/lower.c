#include "front/ptx/reader/lower.h"

#include <stdlib.h>
#include <string.h>

struct inst inst_init(enum opcode op, enum ptype type)
{
	struct inst in = {
	    .op = op, .type = type, .vec = 1, .reconv = -1, .target = -1, .func = -1, .call = -1, .table = -1, .tex = -1};
	in.guard = OPND_NONE;
	for (u32 i = 0; i < ARRAY_LEN(in.d); i++)
		in.d[i] = OPND_NONE;
	for (u32 i = 0; i < ARRAY_LEN(in.s); i++)
		in.s[i] = OPND_NONE;
	return in;
}

/* --- timing class ------------------------------------------------------------------------------------------------- */

enum rule { R_ALU, R_MAX, R_MUL, R_MAD, R_DIV, R_LOGIC, R_CMP, R_SPECIAL, R_SFU, R_MEM, R_CTRL, R_SHFL, R_TENSOR };
#define ALU R_ALU
#define MUL R_MUL
#define MAD R_MAD
#define DIV R_DIV
#define LOGIC R_LOGIC
#define CMP R_CMP
#define SPECIAL R_SPECIAL
#define SFU R_SFU
#define MEM R_MEM
#define CTRL R_CTRL
#define SHFL R_SHFL
#define TENSOR R_TENSOR
#undef MAX
#define MAX R_MAX
static const u8 rules[OP_COUNT] = {
#define O(id, name, rule, help) [OP_##id] = rule,
#include "ir/opcodes.def"
#undef O
};
#undef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))

enum unit { U_INT, U_F32, U_F64 };

static enum unit unit_of_type(enum ptype t)
{
	return t == T_F64 ? U_F64 : ptype_is_float(t) ? U_F32 : U_INT;
}

/* A conversion runs where its wider side lives; moves and selections are no arithmetic. */
static enum unit unit_of(const struct inst *in)
{
	if (in->op == OP_MOV || in->op == OP_SELP)
		return U_INT;
	if (in->op == OP_CVT || in->op == OP_SET)
		return MAX(unit_of_type(in->type), unit_of_type(in->stype));
	return unit_of_type(in->type);
}

static u8 class_of_mem(const struct inst *in)
{
	switch (in->space) {
	case SPC_SHARED: return IC_SHARED;
	case SPC_CONST:
	case SPC_PARAM:
	case SPC_FPARAM: return IC_CONST;
	case SPC_TEX: return IC_TEX;
	default: return in->op == OP_ATOM || in->op == OP_RED ? IC_ATOMIC : IC_GLOBAL;
	}
}

u8 class_of(const struct inst *in)
{
	static const u8 by_unit[][3] = {
	    [R_ALU] = {IC_INT_ADD, IC_F32_ADD, IC_F64_ADD}, [R_MAX] = {IC_INT_MAX, IC_F32_MAX, IC_F64_MAX},
	    [R_MUL] = {IC_INT_MUL, IC_F32_MUL, IC_F64_MUL}, [R_MAD] = {IC_INT_MAD, IC_F32_MAD, IC_F64_MAD},
	    [R_DIV] = {IC_INT_DIV, IC_F32_DIV, IC_F64_DIV}, [R_CMP] = {IC_INT_LOGIC, IC_F32_LOGIC, IC_F64_LOGIC},
	};
	switch (rules[in->op]) {
	case R_SPECIAL: return in->flags & IF_APPROX ? IC_SFU : by_unit[R_DIV][unit_of(in)];
	case R_SFU: return IC_SFU;
	case R_MEM: return class_of_mem(in);
	case R_CTRL: return IC_CTRL;
	case R_SHFL: return IC_SHFL;
	case R_TENSOR: return IC_TENSOR;
	case R_LOGIC: return IC_INT_LOGIC;
	default: return by_unit[rules[in->op]][unit_of(in)];
	}
}

u32 emit(struct stmt *s, const struct inst *in)
{
	struct loader *ld = s->ld;
	struct inst *to = PUSH(ld->m->code, ld->m->ncode);
	*to = *in;
	to->line = s->op.line;
	to->src_line = ld->cuda_line;
	to->src_file = ld->cuda_file;
	to->guard = s->in.guard;
	to->flags |= s->in.flags & IF_GUARD_NEG;
	to->cls = class_of(to);
	struct place *at = PUSH(ld->inst_at, ld->ninst_at);
	*at = (struct place){s->op.p, s->op.line, s->op.col};
	if (ld->m->ncode > INSTS_MAX)
		ld_fail(ld, &s->op, "more than %u instructions in a module", INSTS_MAX);
	return ld->m->ncode - 1;
}

/* --- operands ----------------------------------------------------------------------------------------------------- */

bool want_args(struct stmt *s, u32 min, u32 max)
{
	if (s->cache_hint && s->nargs == max + 1)
		s->nargs--; /* the cache policy changes no result */
	if (s->nargs >= min && s->nargs <= max)
		return true;
	const bool longer_forms = s->in.op == OP_MIN || s->in.op == OP_MAX || s->in.op == OP_TEX || s->in.op == OP_TLD4;
	if (s->nargs > max && longer_forms)
		return ld_unsupported(s->ld, &s->op, "'%s' with %u operands is not supported", NAME(s), s->nargs);
	if (min == max)
		return ld_fail(s->ld, &s->op, "'%s' takes %u operand%s, here are %u", NAME(s), min, min == 1 ? "" : "s",
		               s->nargs);
	return ld_fail(s->ld, &s->op, "'%s' takes %u to %u operands, here are %u", NAME(s), min, max, s->nargs);
}

static u32 bits_of(enum ptype t)
{
	return t == T_PRED ? 1 : ptype_bytes(t) * 8;
}

static bool check_reg(struct stmt *s, const struct operand *o, enum ptype have, enum ptype want, enum width w)
{
	if (have == T_PRED && want == T_PRED)
		return true;
	if (want == T_PRED)
		return ld_fail(s->ld, &o->at, "'%s' is a .%s register, '%s' needs a predicate here", TEXT(&o->at),
		               ptype_name(have), NAME(s));
	if (have == T_PRED)
		return ld_fail(s->ld, &o->at, "'%s' is a predicate, '%s' needs a %u-bit register here", TEXT(&o->at), NAME(s),
		               bits_of(want));
	bool fits = w == W_MAY_BE_WIDER && have != T_B128 ? bits_of(have) >= bits_of(want) : bits_of(have) == bits_of(want);
	if (have == T_B128 && want != T_B128 && w == W_MAY_BE_WIDER)
		return ld_unsupported(s->ld, &o->at, "'%s' with a register of 128 bits is not supported", NAME(s));
	return fits || ld_fail(s->ld, &o->at, "'%s' is a .%s register, '%s' needs %u bits here", TEXT(&o->at),
	                       ptype_name(have), NAME(s), bits_of(want));
}

bool lower_dst(struct stmt *s, const struct operand *o, enum ptype t, enum width w, opnd *out)
{
	*out = OPND_NONE;
	if (o->kind == A_SINK && !o->neg)
		return true;
	if (o->kind == A_NAME)
		return ld_fail(s->ld, &o->at, "'%s' is not declared", TEXT(&o->at));
	if (o->kind != A_REG || o->neg)
		return ld_fail(s->ld, &o->at, "unexpected '%s', '%s' needs a register as destination", TEXT(&o->at), NAME(s));
	*out = o->index;
	return check_reg(s, o, o->type, t, w);
}

bool split_128(struct stmt *s, const struct operand *o, struct operand half[2])
{
	for (u32 k = 0; k < 2; k++) {
		half[k] = *o;
		half[k].type = T_B64;
		half[k].index = o->index + k;
	}
	return o->kind == A_SINK || (o->kind == A_REG && !o->neg && o->type == T_B128) ||
	       ld_fail(s->ld, &o->at, "'%s' needs a register of 128 bits here, not '%s'", NAME(s), TEXT(&o->at));
}

static bool lower_int(struct stmt *s, const struct operand *o, enum ptype t, opnd *out)
{
	if (t == T_PRED) {
		*out = pool_value(s->ld, o->ival ? UINT32_MAX : 0, 4);
		return true;
	}
	if (t == T_F32 || t == T_F64)
		return ld_fail(s->ld, &o->at, "'%s' needs a floating-point constant here, not an integer", NAME(s));
	*out = pool_value(s->ld, o->ival, ptype_bytes(t));
	return true;
}

static bool lower_float(struct stmt *s, const struct operand *o, enum ptype t, opnd *out)
{
	u32 bytes = ptype_bytes(t);
	u64 bits = o->ival;
	float f = (float)o->fval;
	u32 fbits;
	memcpy(&fbits, &f, 4);
	if (bytes == 8 && o->exact_bytes != 8)
		memcpy(&bits, &o->fval, 8);
	else if (bytes == 4 && o->exact_bytes != 4)
		bits = fbits;
	bool ok = (bytes == 4 && t != T_F16X2 && t != T_BF16X2) || bytes == 8;
	if (!ok || (t != T_F32 && t != T_F64 && t != T_B32 && t != T_B64 && !o->exact_bytes))
		return ld_fail(s->ld, &o->at, "'%s' cannot take a floating-point constant here", NAME(s));
	*out = pool_value(s->ld, bits, bytes);
	return true;
}

/* A special register in another place than mov's source is first moved into a register of its own. */
static bool lower_sreg(struct stmt *s, const struct operand *o, enum ptype t, opnd *out)
{
	u32 bytes = ptype_bytes(t);
	if (t == T_PRED || !bytes)
		return ld_fail(s->ld, &o->at, "special register '%s' cannot be a predicate", TEXT(&o->at));
	struct inst mov = inst_init(OP_MOV, bytes == 8 ? T_U64 : T_U32);
	mov.sreg = (u8)(o->index + 1);
	mov.imm = (s64)o->ival;
	mov.d[0] = vreg_new(s->ld, mov.type, NULL);
	u32 pc = emit(s, &mov);
	s->ld->m->code[pc].guard = OPND_NONE; /* harmless for every lane, and a shorter live range */
	s->ld->m->code[pc].flags &= ~(u32)IF_GUARD_NEG;
	*out = mov.d[0];
	return true;
}

static bool lower_address_value(struct stmt *s, const struct operand *o, enum ptype t, opnd *out)
{
	u32 bytes = ptype_bytes(t);
	if (bytes != 4 && bytes != 8)
		return ld_fail(s->ld, &o->at, "the address of '%s' needs 32 or 64 bits, '%s' has %u here", TEXT(&o->at),
		               NAME(s), bits_of(t));
	if (o->kind == A_PARAM) {
		*out = pool_value(s->ld, o->ival + (u64)o->add, bytes);
	} else if (o->kind == A_FUNC) {
		s->ld->finfo[o->index].address_taken = true;
		*out = pool_func(s->ld, o->index, bytes);
		if (o->add)
			return ld_unsupported(s->ld, &o->at, "an offset into function '%s' is not supported", TEXT(&o->at));
	} else {
		*out = pool_symbol(s->ld, o->index, o->add, bytes, o->generic);
	}
	return true;
}

bool lower_src(struct stmt *s, const struct operand *o, enum ptype t, enum width w, opnd *out)
{
	*out = OPND_NONE;
	if (o->neg && t != T_PRED)
		return ld_fail(s->ld, &o->at, "'!' is not allowed here: '%s' needs no predicate", NAME(s));
	switch (o->kind) {
	case A_REG: *out = o->index; return check_reg(s, o, o->type, t, w);
	case A_INT: return lower_int(s, o, t, out);
	case A_FLT: return lower_float(s, o, t, out);
	case A_SREG: return lower_sreg(s, o, t, out);
	case A_SYM:
	case A_FUNC:
	case A_PARAM: return lower_address_value(s, o, t, out);
	case A_NAME: break;
	default:
		return ld_fail(s->ld, &o->at, "unexpected '%s', '%s' needs a register or a constant here", TEXT(&o->at),
		               NAME(s));
	}
	const struct name *n = name_find(s->ld, &o->at);
	if (n && (n->kind == N_TEXREF || n->kind == N_SAMPLER))
		return ld_unsupported(s->ld, &o->at, "the address of texture reference '%s' is not supported", TEXT(&o->at));
	if (n)
		return ld_fail(s->ld, &o->at, "'%s' is not a register, variable or constant", TEXT(&o->at));
	if (o->at.p[0] == '%')
		return ld_fail(s->ld, &o->at, "register '%s' is not declared, and no special register that is supported",
		               TEXT(&o->at));
	return ld_fail(s->ld, &o->at, "'%s' is not declared", TEXT(&o->at));
}

bool lower_pred_src(struct stmt *s, const struct operand *o, opnd *out)
{
	if (o->neg)
		s->in.flags |= IF_NEG_PRED;
	return lower_src(s, o, T_PRED, W_EXACT, out);
}

/* --- signatures --------------------------------------------------------------------------------------------------- */

static enum ptype doubled(const struct stmt *s)
{
	bool wide = s->form->groups & G_MUL && s->in.mode == MUL_WIDE;
	if (!wide)
		return s->types[0];
	return ptype_bytes(s->types[0]) == 2 ? T_B32 : ptype_bytes(s->types[0]) == 4 ? T_B64 : T_B128;
}

static enum ptype letter_type(const struct stmt *s, char c, const struct operand *o)
{
	switch (c) {
	case 'u': return T_B32;
	case 'p': return T_PRED;
	case 'w': return doubled(s);
	case 'x':
	case 'X': return s->ntypes > 1 ? s->types[1] : s->types[0];
	case 'a': return o->kind == A_REG && ptype_bytes(o->type) == 4 ? T_B32 : T_B64;
	default: return s->types[0];
	}
}

static bool lower_mode_operand(struct stmt *s, const struct operand *o)
{
	if (o->kind != A_INT)
		return ld_fail(s->ld, &o->at, "'%s' needs an integer constant here", NAME(s));
	if (o->ival > 255)
		return ld_fail(s->ld, &o->at, "constant out of range, '%s' takes 0 to 255 here", NAME(s));
	s->in.mode = (u8)o->ival;
	return true;
}

static bool lower_pair(struct stmt *s, const struct operand *o)
{
	if (o->pair == A_NONE || o->pair == A_SINK)
		return true;
	struct operand second = {.kind = A_REG, .at = o->at, .type = o->pair_type, .index = o->pair_index};
	return lower_dst(s, &second, T_PRED, W_EXACT, &s->in.d[1]);
}

static void count_letters(const char *sig, u32 *min, u32 *max)
{
	*min = *max = 0;
	bool optional = false;
	for (const char *c = sig; *c; c++) {
		if (*c == '|')
			c++;
		else if (*c == '?')
			optional = true;
		else if (*c != '=') {
			++*max;
			*min += !optional;
		}
	}
}

static bool check_types(struct stmt *s)
{
	const char *sig = s->form->sig;
	bool needs = strpbrk(sig, "twTxX") != NULL;
	if (needs && !s->ntypes)
		return ld_fail(s->ld, &s->op, "'%s' lacks a type such as .u32", NAME(s));
	const bool two = strpbrk(sig, "xX") || s->in.op == OP_DP4A || s->in.op == OP_DP2A;
	if (s->ntypes > 1u + two && !(s->form->groups & G_VIDEO) && s->in.op != OP_CVT)
		return ld_unsupported(s->ld, &s->op, "'%s' is not supported: more types than it is known to have", NAME(s));
	if (strpbrk(sig, "X") && s->ntypes < 2)
		return ld_fail(s->ld, &s->op, "'%s' needs two types", NAME(s));
	return true;
}

static bool lower_letter(struct stmt *s, char c, const struct operand *o, bool is_dst, bool pair_ok, u32 *nsrc)
{
	enum ptype t = letter_type(s, c, o);
	enum width w = c == 'T' || c == 'X' ? W_MAY_BE_WIDER : W_EXACT;
	if (o->pair != A_NONE && !pair_ok)
		return ld_fail(s->ld, &o->at, "'%s' has no second destination", NAME(s));
	if (is_dst)
		return lower_dst(s, o, t, w, &s->in.d[0]) && lower_pair(s, o);
	if (c == 'i')
		return lower_mode_operand(s, o);
	opnd *to = &s->in.s[(*nsrc)++];
	if (t == T_PRED && (s->in.op == OP_AND || s->in.op == OP_OR || s->in.op == OP_XOR) && *nsrc == 2) {
		if (o->neg)
			s->in.flags |= IF_NEG_PRED2;
		return lower_src(s, o, t, w, to);
	}
	if (t == T_PRED)
		return lower_pred_src(s, o, to);
	if (o->neg)
		return ld_fail(s->ld, &o->at, "'!' is not allowed here");
	return lower_src(s, o, t, w, to);
}

/* What setp, set and lop3 combine with and its boolean operation belong together. */
static bool check_combine(struct stmt *s)
{
	const bool logic = s->in.op == OP_LOP3;
	if (s->in.op != OP_SETP && s->in.op != OP_SET && !logic)
		return true;
	if (logic && (s->in.boolop != BOOL_NONE) != (s->arg[0].pair != A_NONE))
		return ld_fail(s->ld, &s->op, "'%s': a second destination needs .and or .or, and the other way round", NAME(s));
	if ((s->in.boolop != BOOL_NONE) == (s->in.s[logic ? 3 : 2] != OPND_NONE))
		return true;
	return ld_fail(s->ld, &s->op, "'%s': a predicate to combine with needs .and, .or or .xor, and the other way round",
	               NAME(s));
}

bool lower_generic(struct stmt *s)
{
	u32 min, max, arg = 0, nsrc = 0;
	count_letters(s->form->sig, &min, &max);
	if (!check_types(s) || !want_args(s, min, max))
		return false;
	bool is_dst = true;
	for (const char *c = s->form->sig; *c && (arg < s->nargs || *c == '='); c++) {
		if (*c == '=') {
			is_dst = false;
			continue;
		}
		if (*c == '?')
			continue;
		bool pair_ok = c[1] == '|';
		if (!lower_letter(s, *c, &s->arg[arg++], is_dst, pair_ok, &nsrc))
			return false;
		if (pair_ok)
			c += 2;
	}
	if (s->form->op == OP_SET && s->ntypes < 2)
		return ld_fail(s->ld, &s->op, "'%s' needs two types", NAME(s));
	return check_combine(s);
}
