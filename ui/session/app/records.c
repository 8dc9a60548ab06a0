#include "session/app/records.h"

#include <stdlib.h>
#include <string.h>

void record_add(struct records *l, enum record_kind k, u64 value, const void *data, u64 n)
{
	if (l->feeding)
		return;
	if (l->n == l->cap) {
		l->cap = MAX(l->cap * 2, 64u);
		l->r = xrealloc(l->r, l->cap * sizeof *l->r);
	}
	struct record *r = &l->r[l->n++];
	*r = (struct record){.kind = (u8)k, .value = value, .n = n};
	if (n) {
		r->data = xmalloc(n);
		memcpy(r->data, data, n);
		l->bytes += n;
	}
	l->at = l->n;
}

const struct record *record_next(struct records *l, enum record_kind k, struct err *e)
{
	static const char *const names[] = {"a call", "an answer", "a copy", "a wait"};
	if (l->at < l->n && l->r[l->at].kind == k)
		return &l->r[l->at++];
	err_set(e, "the application does something else than the first time: %s where there was %s", names[k],
	        l->at < l->n ? names[l->r[l->at].kind] : "nothing more");
	return NULL;
}

void records_feed(struct records *l)
{
	l->at = 0;
	l->feeding = true;
}

static void forget(struct records *l, u32 from)
{
	for (u32 i = from; i < l->n; i++) {
		l->bytes -= l->r[i].n;
		free(l->r[i].data);
	}
	l->n = from;
}

void records_end_feeding(struct records *l)
{
	l->feeding = false;
	forget(l, l->at);
}

void records_release(struct records *l)
{
	forget(l, 0);
	free(l->r);
	*l = (struct records){0};
}
