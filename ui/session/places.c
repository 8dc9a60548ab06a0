#include "session/places.h"

#include <stdlib.h>
#include <string.h>

void places_init(struct places *p)
{
	p->of = xcalloc(conf_nkeys, sizeof *p->of);
	p->order = xcalloc(conf_nkeys, sizeof *p->order);
	p->n = 0;
}

void places_release(struct places *p)
{
	for (u32 i = 0; i < conf_nkeys; i++)
		free(p->of[i]);
	free(p->of);
	free(p->order);
	*p = (struct places){0};
}

static u32 row(const char *key)
{
	return (u32)(conf_find(key) - conf_keys);
}

void places_note(struct places *p, const char *key, const char *path)
{
	u32 i = row(key);
	free(p->of[i]);
	p->of[i] = xstrdup(path);
	p->order[i] = ++p->n;
}

/* The line of the file on which a key first stands, but in a comment; 0 when it is not found literally. */
static u32 line_of(const char *path, const char *key)
{
	struct strbuf text = STRBUF_INIT;
	u32 line = 0;
	if (strbuf_read_file(&text, path, NULL)) {
		size_t n = strlen(key);
		u32 at = 1;
		for (const char *p = strbuf_str(&text); *p && !line; p++) {
			if (!strncmp(p, "--", 2))
				p += strcspn(p, "\n") - 1; /* to the comment's last character */
			bool starts = p == text.buf || !strchr("abcdefghijklmnopqrstuvwxyz0123456789_.-", p[-1]);
			if (starts && !strncmp(p, key, n) && strchr("\"'] \t=", p[n]))
				line = at;
			at += *p == '\n';
		}
	}
	strbuf_release(&text);
	return line;
}

/* "PATH:LINE" or "--set" */
static void name(const char *path, const char *key, struct strbuf *out)
{
	u32 line = strcmp(path, PLACE_SET) ? line_of(path, key) : 0;
	strbuf_adds(out, path);
	if (line)
		strbuf_addf(out, ":%u", line);
}

void places_in_file(struct err *e, const char *path, const char *key)
{
	struct strbuf at = STRBUF_INIT;
	name(path, key, &at);
	err_prefix(e, "%s: ", strbuf_str(&at));
	strbuf_release(&at);
}

void places_tell(const struct places *p, const struct conf_conflict *c, struct err *e)
{
	struct strbuf head = STRBUF_INIT, tail = STRBUF_INIT;
	struct err whole = {0};
	u32 last = 0;
	for (u32 i = 1; i < ARRAY_LEN(c->key) && c->key[i]; i++)
		if (p->order[row(c->key[i])] > p->order[row(c->key[last])])
			last = i;
	for (u32 i = 0; i < ARRAY_LEN(c->key) && c->key[i]; i++) {
		const char *from = p->of[row(c->key[i])];
		struct strbuf *to = i == last && from ? &head : &tail;
		if (to == &tail)
			strbuf_addf(&tail, "%s%s: ", tail.len ? ", " : "", c->key[i]);
		if (from)
			name(from, c->key[i], to);
		else
			strbuf_adds(to, "the default");
	}
	err_set(&whole, "%s%s%s%s%s%s", strbuf_str(&head), head.len ? ": " : "", e->msg, tail.len ? " (" : "",
	        strbuf_str(&tail), tail.len ? ")" : "");
	*e = whole;
	strbuf_release(&head);
	strbuf_release(&tail);
}
