/* lex: PTX text into tokens. Tokens point into the text, which outlives them. */
#ifndef FRONT_PTX_READER_LEX_H
#define FRONT_PTX_READER_LEX_H
#include "base/base.h"

enum tok_kind {
	TK_EOF,
	TK_IDENT,  /* name, %name, $name */
	TK_MOD,    /* .word: a directive, type or modifier; p/len without the dot; may contain "::" */
	TK_INT,    /* ival */
	TK_FLOAT,  /* fval; exact_bytes 4 or 8 for 0f/0d constants (ival = bits), 0 for a decimal one */
	TK_STRING, /* p/len without the quotes */
	TK_PUNCT,  /* one character, in punct */
	TK_BAD,    /* p/len = the text, why = what is wrong with it */
};
struct token {
	enum tok_kind kind;
	char punct;
	u8 exact_bytes;
	const char *p;
	u32 len;
	u32 line, col; /* 1-based; col in bytes */
	u64 ival;
	double fval;
	const char *why;
};
struct lexer {
	const char *p, *end, *line_start;
	u32 line;
};
void lex_init(struct lexer *lx, const char *text, size_t len);
void lex_next(struct lexer *lx, struct token *t);
/* Is the token this punctuation / .word / name? */
static inline bool tok_is(const struct token *t, char punct)
{
	return t->kind == TK_PUNCT && t->punct == punct;
}
bool tok_is_mod(const struct token *t, const char *word);
bool tok_is_name(const struct token *t, const char *word);
/* The token as it stands in the text, for messages: at most 60 bytes, unprintable ones as '?'. */
#define TOK_TEXT_MAX 64
const char *tok_text(const struct token *t, char buf[TOK_TEXT_MAX]);
#endif
