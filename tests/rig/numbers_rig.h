/* numbers_rig: numbers in a picture of cells, found by the words they belong to, against what they must be. A number is
 * right when it is the value rounded to the digits that it shows: "4.1%", "2.98k", "12,345". Behind canvas_rig.h. */
#ifndef TESTS_RIG_NUMBERS_RIG_H
#define TESTS_RIG_NUMBERS_RIG_H
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "tests/rig/canvas_rig.h"

struct number {
	bool there;         /* false: a dash, or nothing */
	double value, half; /* half of what its last digit counts */
	char text[40];
};

static inline bool number_cell(const struct canvas *c, int y, int x)
{
	const u32 ch = x >= 0 && x < c->w && y >= 0 && y < c->h ? canvas_at(c, y, x)->ch : ' ';
	return ch < 128 && (isdigit((int)ch) || strchr(".,+-kMGTPE%", (int)ch)) && ch != ' ' && ch;
}

/* The number whose last character stands at column `end`. */
static inline struct number number_at(const struct canvas *c, int y, int end)
{
	struct number n = {0};
	char digits[40];
	int x = end, k = 0, d = 0, places = -1;
	double unit = 1;
	while (number_cell(c, y, x - 1))
		x--;
	for (; x <= end && number_cell(c, y, x) && k + 1 < (int)sizeof n.text; x++)
		n.text[k++] = (char)canvas_at(c, y, x)->ch;
	for (int i = 0; i < k; i++) {
		const char ch = n.text[i];
		if (isdigit((int)ch) || ch == '-' || ch == '.')
			digits[d++] = ch;
		if (ch == '.')
			places = 0;
		else if (isdigit((int)ch) && places >= 0)
			places++;
		const char *prefix = ch != ',' && ch != '.' ? strchr("kMGTPE", ch) : NULL;
		if (prefix)
			unit = pow(1000, (double)(prefix - "kMGTPE" + 1));
	}
	digits[d] = '\0';
	n.there = d > 0 && strcmp(digits, "-") != 0;
	n.value = n.there ? strtod(digits, NULL) * unit : 0;
	n.half = 0.5 * pow(10, -MAX(places, 0)) * unit;
	return n;
}

static inline void assert_number(const struct canvas *c, int y, const struct number *n, double want, const char *what)
{
	if (n->there ? fabs(n->value - want) <= n->half * 1.001 + 1e-9 : isnan(want))
		return;
	print_error("%2d|%s\n", y, row_of(c, y));
	fail_msg("%s: '%s' is shown, it is %.9g", what, n->there ? n->text : "nothing", want);
}

/* The last column of a word in a heading, from column `from` on; fails without. */
static inline int end_of(const struct canvas *c, int y, int from, const char *word)
{
	const char *row = row_of(c, y);
	const char *p = row;
	for (int x = 0; *p; x++) {
		if (x >= from && !strncmp(p, word, strlen(word)))
			return x + (int)strlen(word) - 1;
		for (p++; ((unsigned char)*p & 0xc0) == 0x80; p++)
			;
	}
	print_error("%2d|%s\n", y, row);
	fail_msg("row %d has no '%s'", y, word);
	return -1;
}

/* The number below a heading that is aligned with its right end. */
static inline void below(const struct canvas *c, int head, const char *word, int y, double want)
{
	const struct number n = number_at(c, y, end_of(c, head, 0, word));
	assert_number(c, y, &n, want, word);
}

/* The n-th number (from 0) behind a text of the row. */
static inline void behind(const struct canvas *c, int y, const char *text, u32 n, double want)
{
	int x = end_of(c, y, 0, text) + 1;
	for (u32 i = 0;; i++) {
		while (x < c->w && !(number_cell(c, y, x) && isdigit((int)canvas_at(c, y, x)->ch)))
			x++;
		if (x >= c->w)
			fail_msg("row %d: no number %u behind '%s'", y, n, text);
		while (number_cell(c, y, x + 1))
			x++;
		if (i == n)
			break;
		x++;
	}
	const struct number found = number_at(c, y, x);
	assert_number(c, y, &found, want, text);
}
#endif
