/* Video instructions: up to three types, selectors behind registers, negated operands of vmad. */
#include <string.h>

#include "base/bits.h"
#include "front/ptx/executor/video.h"
#include "front/ptx/reader/lower.h"

static bool no_selector(struct stmt *s, const struct token *t)
{
	return ld_fail(s->ld, t, "'%s' is no selector that '%s' has here", TEXT(t), NAME(s));
}

/* .b0 to .b3, .h0, .h1 */
static bool part_of(struct stmt *s, const struct token *t, u32 *out)
{
	static const char *const parts[] = {
	    [PART_B0] = "b0", [PART_B1] = "b1", [PART_B2] = "b2", [PART_B3] = "b3", [PART_H0] = "h0", [PART_H1] = "h1"};
	*out = PART_ALL;
	if (!t->p)
		return true;
	for (u32 i = PART_B0; i < ARRAY_LEN(parts); i++)
		if (tok_is_mod(t, parts[i])) {
			*out = i;
			return true;
		}
	return no_selector(s, t);
}

/* The digits of .b3210 or .h10, each below `places`: the last one is the lowest element's. */
static bool digits_of(struct stmt *s, const struct token *t, u32 elements, u32 places, u32 *digit, u32 *n)
{
	const char letter = elements == 4 ? 'b' : 'h';
	*n = 0;
	if (t->len < 2 || t->len > elements + 1 || t->p[0] != letter)
		return no_selector(s, t);
	for (u32 i = t->len; i-- > 1;) {
		const u32 d = (u32)(t->p[i] - '0');
		if (d >= places)
			return no_selector(s, t);
		digit[(*n)++] = d;
	}
	return true;
}

static bool packed_selector(struct stmt *s, const struct operand *o, u32 elements, u32 first, u64 *out)
{
	u32 digit[4], n = elements;
	for (u32 i = 0; i < elements; i++)
		digit[i] = first + i;
	if (o->sel.p && !digits_of(s, &o->sel, elements, 2 * elements, digit, &n))
		return false;
	if (n != elements)
		return no_selector(s, &o->sel);
	*out = 0;
	for (u32 i = 0; i < n; i++)
		*out |= (u64)digit[i] << 4 * i;
	return true;
}

/* The elements that are written: digits that fall. */
static bool packed_mask(struct stmt *s, const struct operand *o, u32 elements, u32 *mask)
{
	u32 digit[4], n;
	*mask = (1u << elements) - 1;
	if (!o->sel.p)
		return true;
	if (!digits_of(s, &o->sel, elements, elements, digit, &n))
		return false;
	*mask = 0;
	for (u32 i = 0; i < n; i++) {
		if (*mask >> digit[i])
			return no_selector(s, &o->sel);
		*mask |= 1u << digit[i];
	}
	return true;
}

static bool selectors(struct stmt *s, u32 elements, u64 *out)
{
	u64 a = 0, b = 0;
	u32 dest = 0, part;
	if (elements > 1) {
		if (!packed_mask(s, &s->arg[0], elements, &dest) || !packed_selector(s, &s->arg[1], elements, 0, &a) ||
		    !packed_selector(s, &s->arg[2], elements, elements, &b))
			return false;
	} else {
		if (!part_of(s, &s->arg[0].sel, &dest) || !part_of(s, &s->arg[1].sel, &part))
			return false;
		a = part;
		if (!part_of(s, &s->arg[2].sel, &part))
			return false;
		b = part;
	}
	if (s->nargs > 3 && s->arg[3].sel.p)
		return no_selector(s, &s->arg[3].sel);
	*out |= a << VIDEO_SEL_A | b << VIDEO_SEL_B | (u64)dest << VIDEO_DEST;
	return true;
}

static bool negations(struct stmt *s, u64 *out)
{
	const bool a = s->arg[1].minus, b = s->arg[2].minus, c = s->nargs > 3 && s->arg[3].minus;
	for (u32 i = 0; i < s->nargs; i++)
		if (s->arg[i].minus && (s->in.op != OP_VMAD || !i))
			return ld_fail(s->ld, &s->arg[i].at, "'-' is not allowed here");
	if (((a != b) && c) || (*out & VIDEO_PO && (a != b || c)))
		return ld_fail(s->ld, &s->op, "'%s': the product or the third operand can be negated, with .po neither",
		               NAME(s));
	*out |= (a ? VIDEO_NEG_A : 0) | (b ? VIDEO_NEG_B : 0) | (c ? VIDEO_NEG_C : 0);
	return true;
}

/* dtype.atype.btype; vset has no dtype, its results count as unsigned. */
static bool types(struct stmt *s, u64 *out)
{
	const bool compares = s->form->groups & G_CMP;
	const u32 n = compares ? 2 : 3;
	if (s->ntypes != n)
		return ld_fail(s->ld, &s->op, "'%s' needs %s types", NAME(s), compares ? "two" : "three");
	for (u32 i = 0; i < n; i++)
		if (s->types[i] != T_U32 && s->types[i] != T_S32)
			return ld_fail(s->ld, &s->op, "'%s' needs types .u32 or .s32", NAME(s));
	s->in.type = compares ? T_U32 : (u8)s->types[0];
	s->in.stype = (u8)s->types[n - 2];
	if (s->types[n - 1] == T_S32)
		*out |= VIDEO_B_SIGNED;
	if ((s->in.op == OP_VSHL || s->in.op == OP_VSHR) && s->types[2] != T_U32)
		return ld_fail(s->ld, &s->op, "'%s' needs .u32 for the amount", NAME(s));
	return true;
}

/* What may stand together: see PTX's table of each instruction. */
static bool check(struct stmt *s, u32 elements)
{
	const bool second = s->in.mode != 0;
	const u32 most = 4, least = elements > 1 || second || s->arg[0].sel.p || s->in.op == OP_VMAD ? 4 : 3;
	if (!want_args(s, least, most))
		return false;
	if (elements > 1 && (s->in.mode > 1 || (second && s->in.flags & IF_SAT)))
		return ld_fail(s->ld, &s->op, "'%s': packed video instructions have .add, and that without .sat", NAME(s));
	if (elements == 1 && second && s->arg[0].sel.p)
		return ld_fail(s->ld, &s->arg[0].sel, "'%s' cannot have a selector of the destination", NAME(s));
	if (s->form->groups & G_CMP && (s->in.cmp > CMP_GE || s->in.boolop != BOOL_NONE))
		return ld_fail(s->ld, &s->op, "'%s' needs .eq, .ne, .lt, .le, .gt or .ge", NAME(s));
	return true;
}

bool video_word(struct stmt *s, const struct token *t)
{
	if (s->form->op != OP_VMAD)
		return false;
	if (tok_is_mod(t, "po"))
		s->in.imm |= (s64)VIDEO_PO;
	else if (tok_is_mod(t, "shr7"))
		s->in.imm |= (s64)(7ull << VIDEO_SHIFT);
	else if (tok_is_mod(t, "shr15"))
		s->in.imm |= (s64)(15ull << VIDEO_SHIFT);
	else
		return false;
	return true;
}

bool lower_video(struct stmt *s)
{
	const u32 elements = video_elements(s->in.op);
	u64 imm = (u64)s->in.imm;
	if (!check(s, elements) || !types(s, &imm) || !selectors(s, elements, &imm) || !negations(s, &imm))
		return false;
	s->in.imm = (s64)imm;
	if (!lower_dst(s, &s->arg[0], T_B32, W_EXACT, &s->in.d[0]))
		return false;
	for (u32 i = 1; i < s->nargs; i++)
		if (!lower_src(s, &s->arg[i], T_B32, W_EXACT, &s->in.s[i - 1]))
			return false;
	if (s->nargs == 4 && elements == 1 && !s->in.mode && !s->arg[0].sel.p && s->in.op != OP_VMAD)
		s->in.s[2] = OPND_NONE; /* neither combined nor merged with anything */
	return true;
}
