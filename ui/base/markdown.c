#include "base/markdown.h"

#include <ctype.h>
#include <string.h>

static bool word(char c)
{
	return isalnum((u8)c) || (c & 0x80);
}

/* Would the character at p begin or end markup? before: the character in front of it, 0 at the start. */
static bool special(char before, const char *p)
{
	switch (*p) {
	case '*': return before && before != ' ' ? true : p[1] != ' ';
	case '_': return !(word(before) && word(p[1]));
	case '<': return word(p[1]) || p[1] == '/' || p[1] == '!';
	case ']': return p[1] == '(' || p[1] == ':';
	case '\\': return true;
	default: return false;
	}
}

void markdown_add(struct strbuf *out, const char *text, u32 where)
{
	bool code = where & MARKDOWN_CODE;
	for (char before = 0; *text; before = *text++) {
		if (*text == '`' && !(where & MARKDOWN_CODE))
			code = !code;
		else if ((*text == '|' && where & MARKDOWN_CELL) || (!code && special(before, text)))
			strbuf_addc(out, '\\');
		strbuf_addc(out, *text);
	}
}
