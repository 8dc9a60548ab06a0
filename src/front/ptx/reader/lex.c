#include "front/ptx/reader/lex.h"

#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lex_init(struct lexer *lx, const char *text, size_t len)
{
	*lx = (struct lexer){.p = text, .end = text + len, .line_start = text, .line = 1};
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}
static char peek(const struct lexer *lx, size_t n)
{
	return (size_t)(lx->end - lx->p) > n ? lx->p[n] : 0;
}

static void newline(struct lexer *lx)
{
	lx->line++;
	lx->line_start = lx->p + 1;
}

/* False for a comment that never ends; lx->p then is the text's end. */
static bool skip_block_comment(struct lexer *lx)
{
	for (lx->p += 2; lx->p < lx->end; lx->p++) {
		if (*lx->p == '*' && peek(lx, 1) == '/') {
			lx->p += 2;
			return true;
		}
		if (*lx->p == '\n')
			newline(lx);
	}
	return false;
}

/* Skips blanks and comments. On an endless comment fills *t (TK_BAD, at the comment's start). */
static bool skip_space(struct lexer *lx, struct token *t)
{
	for (; lx->p < lx->end; lx->p++) {
		char c = *lx->p;
		if (c == '\n') {
			newline(lx);
		} else if (c == '/' && peek(lx, 1) == '/') {
			const char *nl = memchr(lx->p, '\n', (size_t)(lx->end - lx->p));
			lx->p = (nl ? nl : lx->end) - 1;
		} else if (c == '/' && peek(lx, 1) == '*') {
			*t = (struct token){
			    .kind = TK_BAD, .p = lx->p, .len = 2, .line = lx->line, .col = (u32)(lx->p - lx->line_start) + 1};
			if (!skip_block_comment(lx)) {
				t->why = "a comment that never ends";
				return false;
			}
			lx->p--;
		} else if (c != ' ' && c != '\t' && c != '\r' && c != '\f' && c != '\v') {
			break;
		}
	}
	return true;
}

static void bad(struct token *t, const char *why)
{
	t->kind = TK_BAD;
	t->why = why;
}

static u32 digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (u32)(c - '0');
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? (u32)(c - 'a') + 10 : 99;
}

/* Digits of a base from lx->p on. False on overflow of 64 bits. */
static bool read_digits(struct lexer *lx, u32 base, u64 *out, u32 *ndigits)
{
	u64 v = 0;
	bool ok = true;
	for (*ndigits = 0; lx->p < lx->end && digit_of(*lx->p) < base; lx->p++, ++*ndigits)
		ok &= !__builtin_mul_overflow(v, (u64)base, &v) && !__builtin_add_overflow(v, (u64)digit_of(*lx->p), &v);
	*out = v;
	return ok;
}

static void lex_exact_float(struct lexer *lx, struct token *t, u32 bytes)
{
	u32 n;
	lx->p += 2;
	read_digits(lx, 16, &t->ival, &n);
	t->kind = TK_FLOAT;
	t->exact_bytes = (u8)bytes;
	if (n != bytes * 2) {
		bad(t, bytes == 4 ? "0f needs 8 hexadecimal digits" : "0d needs 16 hexadecimal digits");
		return;
	}
	if (bytes == 4) {
		u32 bits = (u32)t->ival;
		float f;
		memcpy(&f, &bits, 4);
		t->fval = (double)f;
	} else {
		memcpy(&t->fval, &t->ival, 8);
	}
}

static bool looks_decimal_float(const struct lexer *lx)
{
	const char *p = lx->p;
	while (p < lx->end && isdigit((unsigned char)*p))
		p++;
	if (p == lx->end)
		return false;
	if (*p == '.')
		return true;
	return (*p == 'e' || *p == 'E') && p + 1 < lx->end && (isdigit((unsigned char)p[1]) || p[1] == '+' || p[1] == '-');
}

static void lex_decimal_float(struct lexer *lx, struct token *t)
{
	char buf[400];
	u32 n = 0;
	const char *p = lx->p;
	while (p < lx->end && n < sizeof(buf) - 1) {
		bool sign = (*p == '+' || *p == '-') && n && (p[-1] == 'e' || p[-1] == 'E');
		if (!isdigit((unsigned char)*p) && *p != '.' && *p != 'e' && *p != 'E' && !sign)
			break;
		buf[n++] = *p++;
	}
	buf[n] = 0;
	char *stop;
	static locale_t c_locale; /* a user's locale may write decimals with a comma */
	if (!c_locale)
		c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	t->kind = TK_FLOAT;
	t->fval = strtod_l(buf, &stop, c_locale);
	if (*stop || n == sizeof(buf) - 1)
		bad(t, "not a number");
	lx->p = p;
}

static void lex_number(struct lexer *lx, struct token *t)
{
	char c1 = (char)tolower((unsigned char)peek(lx, 1));
	u32 n = 1, base = 10;
	bool fits = true;
	t->kind = TK_INT;
	if (*lx->p == '0' && (c1 == 'f' || c1 == 'd')) {
		lex_exact_float(lx, t, c1 == 'f' ? 4 : 8);
	} else if (*lx->p == '0' && (c1 == 'x' || c1 == 'b')) {
		lx->p += 2;
		fits = read_digits(lx, c1 == 'x' ? 16 : 2, &t->ival, &n);
	} else if (looks_decimal_float(lx)) {
		lex_decimal_float(lx, t);
	} else {
		if (*lx->p == '0')
			base = 8;
		fits = read_digits(lx, base, &t->ival, &n);
	}
	if (t->kind == TK_INT && lx->p < lx->end && *lx->p == 'U')
		lx->p++;
	bool junk = lx->p < lx->end && is_name_char(*lx->p);
	while (lx->p < lx->end && is_name_char(*lx->p))
		lx->p++;
	if (t->kind != TK_BAD && (junk || !n))
		bad(t, "not a number");
	else if (!fits)
		bad(t, "an integer that does not fit in 64 bits");
}

static void lex_word(struct lexer *lx, struct token *t)
{
	lx->p++;
	while (lx->p < lx->end && is_name_char(*lx->p))
		lx->p++;
	t->kind = TK_IDENT;
}

static void lex_mod(struct lexer *lx, struct token *t)
{
	t->p = ++lx->p;
	t->kind = TK_MOD;
	while (lx->p < lx->end) {
		if (is_name_char(*lx->p))
			lx->p++;
		else if (*lx->p == ':' && peek(lx, 1) == ':')
			lx->p += 2;
		else
			break;
	}
}

static void lex_string(struct lexer *lx, struct token *t)
{
	const char *q = lx->p + 1;
	t->kind = TK_STRING;
	while (q < lx->end && *q != '"' && *q != '\n')
		q += *q == '\\' && q + 1 < lx->end && q[1] != '\n' ? 2 : 1;
	if (q >= lx->end || *q != '"') {
		lx->p = q < lx->end ? q : lx->end;
		bad(t, "a string that never ends");
		return;
	}
	t->p = lx->p + 1;
	t->len = (u32)(q - t->p);
	lx->p = q + 1;
}

void lex_next(struct lexer *lx, struct token *t)
{
	if (!skip_space(lx, t))
		return;
	*t = (struct token){.kind = TK_EOF, .p = lx->p, .line = lx->line, .col = (u32)(lx->p - lx->line_start) + 1};
	if (lx->p >= lx->end)
		return;
	char c = *lx->p, c1 = peek(lx, 1);
	if (isdigit((unsigned char)c))
		lex_number(lx, t);
	else if (isalpha((unsigned char)c) || c == '_' || c == '$' || (c == '%' && is_name_char(c1)))
		lex_word(lx, t);
	else if (c == '.' && (is_name_char(c1)))
		lex_mod(lx, t);
	else if (c == '"')
		lex_string(lx, t);
	else if (c && strchr("()[]{}<>,;:=|+-*/%!~&^@?.", c)) {
		t->kind = TK_PUNCT;
		t->punct = c;
		lx->p++;
	} else {
		lx->p++;
		bad(t, "a character that has no place in PTX");
	}
	if (t->kind != TK_STRING)
		t->len = (u32)(lx->p - t->p);
}

bool tok_is_mod(const struct token *t, const char *word)
{
	return t->kind == TK_MOD && strlen(word) == t->len && !memcmp(t->p, word, t->len);
}

bool tok_is_name(const struct token *t, const char *word)
{
	return t->kind == TK_IDENT && strlen(word) == t->len && !memcmp(t->p, word, t->len);
}

const char *tok_text(const struct token *t, char buf[TOK_TEXT_MAX])
{
	if (t->kind == TK_EOF)
		return "end of file";
	u32 n = 0, len = MIN(t->len, 59u);
	if (t->kind == TK_MOD)
		buf[n++] = '.';
	for (u32 i = 0; i < len; i++)
		buf[n++] = isprint((unsigned char)t->p[i]) ? t->p[i] : '?';
	if (len < t->len)
		memcpy(buf + n - 3, "...", 3);
	buf[n] = 0;
	return buf;
}
