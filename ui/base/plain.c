#include "base/plain.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of a control character at s, "\x1b" or, of the upper ones, "\xc2\x9b" and "\x9b" alone; 0 = it is none. *len =
 * bytes of what stands there. */
static size_t control(const char *s, size_t n, size_t *len)
{
	const u8 *u = (const u8 *)s;
	*len = 1;
	if (u[0] == 0x7f || (u[0] < 32 && u[0] != '\n' && u[0] != '\t'))
		return 1;
	if (u[0] < 0x80)
		return 0;
	if (u[0] < 0xa0)
		return 1; /* no character begins with it */
	if (u[0] == 0xc2 && n > 1 && u[1] >= 0x80 && u[1] < 0xa0)
		return *len = 2;
	while (u[0] >= 0xc2 && *len < n && (u[*len] & 0xc0) == 0x80)
		++*len; /* the rest of a character */
	return 0;
}

static void defuse(char *text, size_t n)
{
	for (size_t at = 0, len; at < n; at += len) {
		size_t bad = control(text + at, n - at, &len);
		memset(text + at, '?', bad);
	}
}

void plain_defuse(char *text, size_t n, int to)
{
	if (n && isatty(to))
		defuse(text, n);
}

void plain_name(char *name)
{
	defuse(name, strlen(name));
}

void plain_write(struct strbuf *text, FILE *to)
{
	plain_defuse(text->buf, text->len, fileno(to));
	fwrite(strbuf_str(text), 1, text->len, to);
}

bool plain_colors(bool off, int to)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	return !off && !(no && *no) && isatty(to) && term && *term && strcmp(term, "dumb");
}
