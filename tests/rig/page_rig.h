/* page_rig: reads a report's page back. It knows nothing of how pages are made: a strict reader of tags, which fails
 * the test where one is not closed, an attribute has no quotes, or text has a character that should be escaped. Include
 * behind cmocka.h. */
#ifndef TESTS_RIG_PAGE_RIG_H
#define TESTS_RIG_PAGE_RIG_H
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

struct page_tag {
	char name[24];
	const char *attrs, *end; /* between the name and the > */
	const char *behind;      /* what follows the tag */
};
typedef void page_fn(void *ctx, const struct page_tag *t);

static inline void page_fail(const char *page, const char *at, const char *what)
{
	u32 line = 1;
	for (const char *p = page; p < at; p++)
		line += *p == '\n';
	fail_msg("line %u: %s: %.60s", line, what, at);
}

/* "&#60;": the only way to escape; returns what is behind it. */
static inline const char *page_entity(const char *page, const char *p, int *ch)
{
	char *end;
	*ch = p[1] == '#' ? (int)strtol(p + 2, &end, 10) : 0;
	if (p[1] != '#' || end == p + 2 || *end != ';')
		page_fail(page, p, "no reference to a character");
	return end + 1;
}

/* A text up to `stop`, which it may not have in it; behind is at the stop. out NULL: just read. */
static inline const char *page_text(const char *page, const char *p, char stop, struct strbuf *out)
{
	while (*p && *p != stop) {
		int ch = (unsigned char)*p;
		if (ch == '<' || ch == '>' || (ch < ' ' && ch != '\n'))
			page_fail(page, p, "a character that should be escaped");
		p = ch == '&' ? page_entity(page, p, &ch) : p + 1;
		if (out)
			strbuf_addc(out, (char)ch);
	}
	return p;
}

/* The value of an attribute as it is meant, in out; false: the tag has none of that name. */
static inline bool page_attr(const struct page_tag *t, const char *name, struct strbuf *out)
{
	const size_t n = strlen(name);
	strbuf_clear(out);
	for (const char *p = t->attrs; p < t->end;) {
		while (p < t->end && isspace((unsigned char)*p))
			p++;
		const char *from = p;
		while (p < t->end && *p != '=')
			p++;
		if (p == t->end)
			return false;
		const bool found = (size_t)(p - from) == n && !strncmp(from, name, n);
		p = page_text(t->attrs, p + 2, '"', found ? out : NULL) + 1;
		if (found)
			return true;
	}
	return false;
}

/* The attributes up to the > of the tag: name="value", with blanks between them. */
static inline const char *page_attrs(const char *page, const char *p)
{
	for (;;) {
		while (isspace((unsigned char)*p))
			p++;
		if (*p == '>' || (*p == '/' && p[1] == '>'))
			return p;
		const char *from = p;
		while (isalnum((unsigned char)*p) || *p == '-')
			p++;
		if (p == from || *p != '=' || p[1] != '"')
			page_fail(page, from, "no attribute with a value in quotes");
		p = page_text(page, p + 2, '"', NULL);
		if (!*p++)
			page_fail(page, from, "an attribute without an end");
	}
}

/* Reads all of the page, and calls fn for each tag that opens. */
static inline void page_read(const char *page, page_fn *fn, void *ctx)
{
	static char open[200][24];
	u32 n = 0;
	const char *p = page;
	if (strncmp(p, "<!DOCTYPE html>\n", 16) != 0)
		page_fail(page, p, "no HTML");
	for (p += 16; *p;) {
		if (*p != '<') {
			p = page_text(page, p, '<', NULL);
			continue;
		}
		struct page_tag t = {{0}, NULL, NULL, NULL};
		const bool closes = p[1] == '/';
		const char *from = p + 1 + closes;
		size_t k = 0;
		while (isalnum((unsigned char)from[k]) && k + 1 < sizeof t.name)
			k++;
		if (!k)
			page_fail(page, p, "no tag");
		memcpy(t.name, from, k);
		if (closes) {
			if (!n || strcmp(open[n - 1], t.name) != 0 || from[k] != '>')
				page_fail(page, p, n ? open[n - 1] : "nothing is open");
			n--;
			p = from + k + 1;
			continue;
		}
		t.attrs = from + k;
		t.end = page_attrs(page, t.attrs);
		const bool alone = *t.end == '/';
		t.behind = t.end + 1 + alone;
		if (fn)
			fn(ctx, &t);
		p = t.behind;
		if (!strcmp(t.name, "style") || !strcmp(t.name, "script"))
			p = strstr(p, "</");
		if (!alone && n == 200)
			page_fail(page, p, "too deep");
		if (!alone)
			strcpy(open[n++], t.name);
	}
	if (n)
		page_fail(page, p, open[n - 1]);
}

/* What lies at a path of a document: "l1d.hit_rate", "kernels.0.ipc". */
static inline json_t *page_find(json_t *doc, const char *path)
{
	char copy[200], *rest = copy;
	snprintf(copy, sizeof copy, "%s", path);
	for (char *key; doc && (key = strsep(&rest, "."));)
		doc = json_is_array(doc) ? json_array_get(doc, strtoul(key, NULL, 10)) : json_object_get(doc, key);
	return doc;
}
#endif
