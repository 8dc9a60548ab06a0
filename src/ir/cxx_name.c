#include "ir/cxx_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* How deep in brackets of any kind the text is behind c. "->" and operators do not occur in names of kernels; a name
 * with them is read wrongly at most. */
static void count_depth(char c, int *depth)
{
	*depth += c == '<' || c == '(' || c == '[' || c == '{';
	*depth -= c == '>' || c == ')' || c == ']' || c == '}';
}

char *cxx_name(const char *mangled)
{
	if (strncmp(mangled, "_Z", 2) != 0)
		return NULL;
	char *all = __cxa_demangle(mangled, NULL, NULL, NULL);
	if (!all)
		return NULL;
	/* "void la::k<float, 4>(float*)": the parameters' bracket is the last at depth 0 that follows a name, not "::" or a
	 * blank as that of "(anonymous namespace)" does; the return type ends at the last blank at depth 0 before it. */
	size_t from = 0, to = strlen(all);
	int depth = 0;
	for (size_t i = 0; all[i]; i++) {
		if (all[i] == '(' && !depth && i && all[i - 1] != ':' && all[i - 1] != ' ') {
			to = i;
			break;
		}
		if (all[i] == ' ' && !depth)
			from = i + 1;
		count_depth(all[i], &depth);
	}
	char *name = xstrndup(all + from, to - from);
	free(all);
	return name;
}

const char *cxx_last_part(const char *source)
{
	const char *last = source;
	int depth = 0;
	for (const char *s = source; *s; s++) {
		if (!depth && s[0] == ':' && s[1] == ':')
			last = s + 2;
		count_depth(*s, &depth);
	}
	return last;
}

/* Is [a, end) the same as b but for blanks? */
static bool same(const char *a, const char *end, const char *b)
{
	for (;; a++, b++) {
		while (a < end && isspace((u8)*a))
			a++;
		while (isspace((u8)*b))
			b++;
		if (a == end || *a != *b)
			return a == end && !*b;
	}
}

bool cxx_named(const char *source, const char *given)
{
	const char *last = cxx_last_part(source), *end = source + strlen(source);
	const char *bare = last + strcspn(last, "<"); /* behind the name without its arguments */
	int depth = 0;
	for (const char *s = source; s <= last; s++) {
		const bool begins = s == source || (!depth && s[-1] == ':' && *s != ':');
		if (begins && (same(s, end, given) || same(s, bare, given)))
			return true;
		count_depth(*s, &depth);
	}
	return false;
}
