#include "session/call_texts.h"

#include <stdlib.h>

#define PLACES_MAX 65536

struct call_texts {
	struct place {
		u64 key; /* 0: free */
		char *text;
	} * place;
	u32 n, size; /* size: a power of two, at least twice n */
};

struct call_texts *call_texts_new(void)
{
	struct call_texts *t = xcalloc(1, sizeof *t);
	t->size = 64;
	t->place = xcalloc(t->size, sizeof *t->place);
	return t;
}

void call_texts_free(struct call_texts *t)
{
	if (!t)
		return;
	for (u32 i = 0; i < t->size; i++)
		free(t->place[i].text);
	free(t->place);
	free(t);
}

bool call_texts_room(const struct call_texts *t)
{
	return t->n < PLACES_MAX;
}

/* Where the key is, or would be. */
static struct place *place_for(const struct call_texts *t, u64 key)
{
	u32 i = (u32)key & (t->size - 1);
	while (t->place[i].key && t->place[i].key != key)
		i = (i + 1) & (t->size - 1);
	return &t->place[i];
}

static void grow(struct call_texts *t)
{
	struct call_texts bigger = {.n = t->n, .size = t->size * 2};
	bigger.place = xcalloc(bigger.size, sizeof *bigger.place);
	for (u32 i = 0; i < t->size; i++)
		if (t->place[i].key)
			*place_for(&bigger, t->place[i].key) = t->place[i];
	free(t->place);
	*t = bigger;
}

const char *call_texts_find(const struct call_texts *t, u64 key)
{
	return place_for(t, key | 1)->text;
}

const char *call_texts_keep(struct call_texts *t, u64 key, char *text)
{
	if (!call_texts_room(t)) {
		free(text);
		return NULL;
	}
	if (t->n * 2 >= t->size)
		grow(t);
	struct place *p = place_for(t, key | 1);
	if (!p->key)
		*p = (struct place){key | 1, text};
	else
		free(text);
	t->n++;
	return p->text;
}

void call_texts_name(struct strbuf *out, const char *name, size_t n)
{
	for (size_t i = 0; i < n && name[i]; i++)
		strbuf_addc(out, name[i] > ' ' && name[i] < 127 ? name[i] : '?');
}
