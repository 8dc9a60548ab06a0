/* What learners type as an answer. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/args.h"
#include "commands/teach.h"

static size_t trimmed_length(const char *s)
{
	size_t n = strlen(s);
	while (n && isspace((u8)s[n - 1]))
		n--;
	return n;
}

bool answer_same(const char *a, const char *b)
{
	a = skip_blanks(a);
	b = skip_blanks(b);
	const size_t n = trimmed_length(a);
	return n == trimmed_length(b) && !strncasecmp(a, b, n);
}

/* Does one of two words begin with the other, but for a plural's s? */
static bool same_unit(const char *given, size_t n, const char *unit)
{
	const size_t m = strlen(unit);
	if (n == m && !strncasecmp(given, unit, n))
		return true;
	if (n + 1 == m && unit[m - 1] == 's')
		return !strncasecmp(given, unit, n);
	return n == m + 1 && (given[m] == 's' || given[m] == 'S') && !strncasecmp(given, unit, m);
}

/* What is behind the number: nothing, the unit, or %, x of a factor. */
static bool unit_fits(const char *rest, const char *unit, struct err *e)
{
	rest = skip_blanks(rest);
	const size_t n = trimmed_length(rest);
	const bool percent = *unit == '%';
	if (!n || same_unit(rest, n, unit))
		return true;
	if (!percent && *rest == '%')
		return err_set(e, "answer: a number%s%s is expected, not a percentage", *unit ? " of " : "", unit);
	return err_set(e, "answer: '%.40s' is left over behind the number%s%s", rest, *unit ? "; the unit is " : "", unit);
}

bool answer_number(const char *text, const char *unit, double *out, struct err *e)
{
	char digits[64], *end;
	size_t n = 0, used = 0;
	text = skip_blanks(text);
	for (; text[used] && n + 1 < sizeof digits && (strchr("+-.0123456789eE", text[used]) || text[used] == ','); used++)
		if (text[used] != ',')
			digits[n++] = text[used];
	digits[n] = 0;
	*out = strtod(digits, &end);
	if (end == digits || !isfinite(*out))
		return err_set(e, "answer: '%.40s' is no number; the question asks for one%s%s%s", text, *unit ? " (" : "",
		               unit, *unit ? ")" : "");
	/* An e that was no exponent's is the unit's first letter. */
	const size_t left = n - (size_t)(end - digits);
	return unit_fits(text + used - left, unit, e);
}

int answer_choice(const char *text, const struct text_list *choices, struct err *e)
{
	u64 number;
	int found = -1;
	bool several = false;
	text = skip_blanks(text);
	if (word_number(text, &number)) {
		if (number >= 1 && number <= choices->n)
			return (int)number - 1;
		err_set(e, "answer: there are answers 1 to %u", choices->n);
		return -1;
	}
	const size_t n = trimmed_length(text);
	for (u32 i = 0; i < choices->n; i++) {
		if (answer_same(text, choices->text[i]))
			return (int)i;
		if (n && !strncasecmp(text, choices->text[i], n)) {
			several |= found >= 0;
			found = (int)i;
		}
	}
	if (found >= 0 && !several)
		return found;
	struct strbuf all = STRBUF_INIT;
	for (u32 i = 0; i < choices->n; i++)
		strbuf_addf(&all, "%s%u %s", i ? ", " : "", i + 1, choices->text[i]);
	err_set(e, "answer: '%.40s' is %s of %s", text, several ? "the beginning of several" : "none", strbuf_str(&all));
	strbuf_release(&all);
	return -1;
}

/* 12345 -> "12,345"; 2.3456 -> "2.35" */
void answer_print(double v, struct strbuf *out)
{
	char text[64];
	if (v != floor(v) && fabs(v) < 1000) {
		snprintf(text, sizeof text, "%.*f", fabs(v) < 0.1 ? 3 : 2, v);
		size_t n = strlen(text);
		while (text[n - 1] == '0')
			n--;
		text[n - (text[n - 1] == '.')] = 0;
		strbuf_adds(out, text);
		return;
	}
	snprintf(text, sizeof text, "%.0f", v);
	const size_t n = strlen(text);
	for (size_t i = 0; i < n; i++) {
		strbuf_addc(out, text[i]);
		if (i + 1 < n && (n - i - 1) % 3 == 0 && isdigit((u8)text[i]))
			strbuf_addc(out, ',');
	}
}
