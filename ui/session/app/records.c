#include "session/app/records.h"

#include <stdlib.h>
#include <string.h>

static u64 cost(const struct record *r)
{
	return sizeof *r + r->n;
}

static void forget(struct records *l, u32 from)
{
	for (u32 i = from; i < l->n; i++) {
		l->budget->used -= cost(&l->r[i]);
		l->turns -= l->r[i].kind == RECORD_TURN;
		free(l->r[i].data);
	}
	l->n = MIN(l->n, from);
}

/* A turn without its end is of no use. */
static void cut(struct records *l)
{
	u32 whole = l->n;
	while (whole && l->r[whole - 1].kind != RECORD_TURN)
		whole--;
	forget(l, whole);
	l->at = l->n;
	l->cut = true;
}

void record_add(struct records *l, enum record_kind k, u64 value, const void *data, u64 n)
{
	if (l->feeding || l->cut)
		return;
	const u64 used = l->budget->used + sizeof *l->r + n;
	if (used > l->budget->most) {
		cut(l);
		return;
	}
	l->budget->used = used;
	l->turns += k == RECORD_TURN;
	if (l->n == l->cap) {
		l->cap = MAX(l->cap * 2, 64u);
		l->r = xrealloc(l->r, l->cap * sizeof *l->r);
	}
	struct record *r = &l->r[l->n++];
	*r = (struct record){.kind = (u8)k, .value = value, .n = n};
	if (n) {
		r->data = xmalloc(n);
		memcpy(r->data, data, n);
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

void records_end_feeding(struct records *l)
{
	l->feeding = l->cut = false;
	forget(l, l->at);
}

void records_release(struct records *l)
{
	if (l->budget)
		forget(l, 0);
	free(l->r);
	*l = (struct records){.budget = l->budget};
}

bool records_reach(const struct records *l, u32 turns)
{
	return !l->cut || turns <= l->turns;
}
