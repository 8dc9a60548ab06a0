/* Integer constant expressions: + - * / % & ^ | << >> ~ ! and parentheses over integers and WARP_SZ. */
#include "front/ptx/reader/loader.h"

static bool binary(struct loader *ld, u64 *out, u32 min_prec, u32 depth);

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
	if (ld_accept(ld, '('))
		return binary(ld, out, 1, depth + 1) && ld_expect(ld, ')');
	if (tok_is_name(&ld->tok, "WARP_SZ"))
		*out = WARP_SIZE;
	else if (ld->tok.kind == TK_INT)
		*out = ld->tok.ival;
	else
		return ld_expected(ld, "an integer constant");
	ld_next(ld);
	return true;
}

/* Precedence of the operator at ld->tok (0 = none); << and >> come as two tokens. */
static u32 prec(const struct loader *ld)
{
	if (ld->tok.kind != TK_PUNCT)
		return 0;
	switch (ld->tok.punct) {
	case '|': return 1;
	case '^': return 2;
	case '&': return 3;
	case '<':
	case '>': return tok_is(&ld->ahead, ld->tok.punct) ? 4 : 0;
	case '+':
	case '-': return 5;
	case '*':
	case '/':
	case '%': return 6;
	default: return 0;
	}
}

/* Copies of the sign come in, as for a signed number. */
static u64 shift_right(u64 a, u64 b)
{
	const u64 sign = a >> 63 ? ~0ull : 0;
	return b < 64 ? (a ^ sign) >> b ^ sign : sign;
}

static bool apply(struct loader *ld, const struct token *op, u64 a, u64 b, u64 *out)
{
	switch (op->punct) {
	case '|': *out = a | b; return true;
	case '^': *out = a ^ b; return true;
	case '&': *out = a & b; return true;
	case '<': *out = b < 64 ? a << b : 0; return true;
	case '>': *out = shift_right(a, b); return true;
	case '+': *out = a + b; return true;
	case '-': *out = a - b; return true;
	case '*': *out = a * b; return true;
	default: break;
	}
	if (!b)
		return ld_fail(ld, op, "division by zero in a constant expression");
	bool overflows = (s64)a == INT64_MIN && (s64)b == -1;
	if (op->punct == '/')
		*out = overflows ? a : (u64)((s64)a / (s64)b);
	else
		*out = overflows ? 0 : (u64)((s64)a % (s64)b);
	return true;
}

static bool binary(struct loader *ld, u64 *out, u32 min_prec, u32 depth)
{
	if (!primary(ld, out, depth))
		return false;
	for (u32 p; (p = prec(ld)) >= min_prec && p;) {
		struct token op = ld->tok;
		ld_next(ld);
		if (p == 4)
			ld_next(ld);
		u64 rhs;
		if (!binary(ld, &rhs, p + 1, depth + 1) || !apply(ld, &op, *out, rhs, out))
			return false;
	}
	return true;
}

bool parse_const_expr(struct loader *ld, u64 *out)
{
	return binary(ld, out, 1, 0);
}
