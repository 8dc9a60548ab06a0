/* Integer constant expressions: C's operators, parentheses and the casts (.s64) and (.u64), over integers and WARP_SZ.
 * Values are signed. */
#include "front/ptx/reader/loader.h"

static bool choice(struct loader *ld, u64 *out, u32 depth);

static bool primary(struct loader *ld, u64 *out, u32 depth)
{
	if (depth > NESTING_MAX)
		return ld_fail(ld, &ld->tok, "constant expression nested deeper than %u", NESTING_MAX);
	bool minus = tok_is(&ld->tok, '-'), tilde = tok_is(&ld->tok, '~'), bang = tok_is(&ld->tok, '!');
	if (minus || tilde || bang || tok_is(&ld->tok, '+')) {
		ld_next(ld);
		if (!primary(ld, out, depth + 1))
			return false;
		*out = minus ? -*out : tilde ? ~*out : bang ? !*out : *out;
		return true;
	}
	if (tok_is(&ld->tok, '(') && (tok_is_mod(&ld->ahead, "s64") || tok_is_mod(&ld->ahead, "u64"))) {
		ld_next(ld);
		ld_next(ld);
		return ld_expect(ld, ')') && primary(ld, out, depth + 1);
	}
	if (ld_accept(ld, '('))
		return choice(ld, out, depth + 1) && ld_expect(ld, ')');
	if (tok_is_name(&ld->tok, "WARP_SZ"))
		*out = WARP_SIZE;
	else if (ld->tok.kind == TK_INT)
		*out = ld->tok.ival;
	else
		return ld_expected(ld, "an integer constant");
	ld_next(ld);
	return true;
}

/* Operators that are no single character. */
enum { SHIFT_LEFT = 1, SHIFT_RIGHT, BOTH, EITHER, EQUAL, UNEQUAL, NO_MORE, NO_LESS };
struct operator
{
	char what;    /* its character, or one of the above */
	u8 prec, len; /* 0: none is there; in tokens */
};

/* The operator at ld->tok. */
static struct operator operator_at(const struct loader *ld)
{
	static const struct {
		char first, second;
		struct operator op;
	} table[] = {{'|', '|', {EITHER, 1, 2}},  {'&', '&', {BOTH, 2, 2}},       {'=', '=', {EQUAL, 6, 2}},
	             {'!', '=', {UNEQUAL, 6, 2}}, {'<', '<', {SHIFT_LEFT, 8, 2}}, {'>', '>', {SHIFT_RIGHT, 8, 2}},
	             {'<', '=', {NO_MORE, 7, 2}}, {'>', '=', {NO_LESS, 7, 2}},    {'|', 0, {'|', 3, 1}},
	             {'^', 0, {'^', 4, 1}},       {'&', 0, {'&', 5, 1}},          {'<', 0, {'<', 7, 1}},
	             {'>', 0, {'>', 7, 1}},       {'+', 0, {'+', 9, 1}},          {'-', 0, {'-', 9, 1}},
	             {'*', 0, {'*', 10, 1}},      {'/', 0, {'/', 10, 1}},         {'%', 0, {'%', 10, 1}}};
	for (u32 i = 0; i < ARRAY_LEN(table); i++)
		if (tok_is(&ld->tok, table[i].first) && (!table[i].second || tok_is(&ld->ahead, table[i].second)))
			return table[i].op;
	return (struct operator){0};
}

/* Copies of the sign come in, as for a signed number. */
static u64 shift_right(u64 a, u64 b)
{
	const u64 sign = a >> 63 ? ~0ull : 0;
	return b < 64 ? (a ^ sign) >> b ^ sign : sign;
}

static bool apply(struct loader *ld, const struct token *at, char op, u64 a, u64 b, u64 *out)
{
	switch (op) {
	case '|': *out = a | b; return true;
	case '^': *out = a ^ b; return true;
	case '&': *out = a & b; return true;
	case SHIFT_LEFT: *out = b < 64 ? a << b : 0; return true;
	case SHIFT_RIGHT: *out = shift_right(a, b); return true;
	case BOTH: *out = a && b; return true;
	case EITHER: *out = a || b; return true;
	case EQUAL: *out = a == b; return true;
	case UNEQUAL: *out = a != b; return true;
	case NO_MORE: *out = (s64)a <= (s64)b; return true;
	case NO_LESS: *out = (s64)a >= (s64)b; return true;
	case '<': *out = (s64)a < (s64)b; return true;
	case '>': *out = (s64)a > (s64)b; return true;
	case '+': *out = a + b; return true;
	case '-': *out = a - b; return true;
	case '*': *out = a * b; return true;
	default: break;
	}
	if (!b)
		return ld_fail(ld, at, "division by zero in a constant expression");
	bool overflows = (s64)a == INT64_MIN && (s64)b == -1;
	if (op == '/')
		*out = overflows ? a : (u64)((s64)a / (s64)b);
	else
		*out = overflows ? 0 : (u64)((s64)a % (s64)b);
	return true;
}

static bool binary(struct loader *ld, u64 *out, u32 min_prec, u32 depth)
{
	if (!primary(ld, out, depth))
		return false;
	for (struct operator op; (op = operator_at(ld)).prec >= min_prec;) {
		const struct token at = ld->tok;
		for (u32 i = 0; i < op.len; i++)
			ld_next(ld);
		u64 rhs;
		if (!binary(ld, &rhs, op.prec + 1, depth + 1) || !apply(ld, &at, op.what, *out, rhs, out))
			return false;
	}
	return true;
}

static bool choice(struct loader *ld, u64 *out, u32 depth)
{
	u64 yes, no;
	if (!binary(ld, out, 1, depth))
		return false;
	if (!ld_accept(ld, '?'))
		return true;
	if (depth > NESTING_MAX)
		return ld_fail(ld, &ld->tok, "constant expression nested deeper than %u", NESTING_MAX);
	if (!choice(ld, &yes, depth + 1) || !ld_expect(ld, ':') || !choice(ld, &no, depth + 1))
		return false;
	*out = *out ? yes : no;
	return true;
}

bool parse_const_expr(struct loader *ld, u64 *out)
{
	return choice(ld, out, 0);
}
