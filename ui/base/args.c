#include "base/args.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t\r\n");
}

/* Behind the bracket that a template's arguments are in, "<unsigned int, 4>"; NULL: that is none. */
static const char *behind_arguments(const char *open)
{
	int depth = 0;
	for (const char *s = open; isalnum((u8)*s) || (*s && strchr("<>_:,*& ", *s)); s++) {
		depth += *s == '<';
		depth -= *s == '>';
		if (!depth)
			return s + 1;
	}
	return NULL;
}

static size_t word_length(const char *s)
{
	static const char blanks[] = " \t\r\n";
	size_t n = strcspn(s, blanks);
	const char *open = memchr(s, '<', n);
	const bool named = open && open > s && (isalnum((u8)open[-1]) || open[-1] == '_');
	const char *behind = named ? behind_arguments(open) : NULL;
	return behind && behind > s + n ? (size_t)(behind - s) + strcspn(behind, blanks) : n;
}

const char *next_word(const char *s, char *word, size_t size)
{
	s = skip_blanks(s);
	if (!*s)
		return NULL;
	const size_t n = word_length(s);
	snprintf(word, size, "%.*s", (int)MIN(n, size - 1), s);
	return skip_blanks(s + n);
}

const char *next_file(const char *s, char *file, size_t size, struct err *e)
{
	s = skip_blanks(s);
	char quote = *s == '\'' || *s == '"' ? *s : 0;
	const char *from = s, *end = quote ? (char[]){quote, 0} : " \t\r\n";
	size_t n = 0;
	for (s += quote != 0; *s && !strchr(end, *s); s++) {
		if (quote == '"' && *s == '\\' && s[1])
			s++;
		if (n + 1 == size)
			return err_set(e, "a file's name of more than %zu letters: %.40s...", size - 1, from), NULL;
		file[n++] = *s;
	}
	file[n] = 0;
	if (quote && !*s)
		return err_set(e, "the quote is not closed: %.200s", from), NULL;
	return n ? skip_blanks(s + (quote != 0)) : NULL;
}

/* Decimal or 0x; never octal, which nobody types on purpose. */
bool word_number(const char *word, u64 *out)
{
	bool hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
	char *end;
	if (!isdigit((unsigned char)*word))
		return false;
	errno = 0;
	u64 v = strtoull(word, &end, hex ? 16 : 10);
	if (*end || errno)
		return false;
	*out = v;
	return true;
}

bool arg_number(const char *args, const char *what, u64 max, u64 *out, struct err *e)
{
	char word[64];
	const char *rest = next_word(args, word, sizeof(word));
	u64 v;
	if (!rest)
		return true;
	if (!word_number(word, &v))
		return err_set(e, "%s: '%s' is not a number", what, word);
	if (v > max)
		return err_set(e, "%s: %s is larger than %llu", what, word, (unsigned long long)max);
	if (*rest)
		return err_set(e, "%s: '%.40s' is left over after the number", what, rest);
	*out = v;
	return true;
}

bool arg_none(const char *args, const char *command, struct err *e)
{
	args = skip_blanks(args);
	return !*args || err_set(e, "%s takes no argument ('%.40s')", command, args);
}
