#include "lua/answers.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"malloc", "free", "write", "copy back", "launch", "texture", "wait"};

const struct answer *answer_fed(lua_State *L, struct answers *l, enum answer_kind k)
{
	if (!l->feeding)
		return NULL;
	if (l->at == l->n)
		luaL_error(L, "going back: the host program did more than the first time (a %s)", names[k]);
	const struct answer *a = &l->a[l->at++];
	if (a->kind != k)
		luaL_error(L,
		           "going back: the host program did a %s where it did a %s the first time; it must be deterministic",
		           names[k], names[a->kind]);
	return a;
}

void answer_add(struct answers *l, enum answer_kind k, u64 value, const void *data, u64 n)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 64;
		l->a = xrealloc(l->a, l->cap * sizeof *l->a);
	}
	struct answer *a = &l->a[l->n++];
	*a = (struct answer){.kind = (u8)k, .value = value, .n = n};
	if (n) {
		a->data = xmalloc(n);
		memcpy(a->data, data, n);
	}
}

static void cut(struct answers *l, u32 n)
{
	while (l->n > n)
		free(l->a[--l->n].data);
}

void answers_end_feeding(struct answers *l)
{
	l->feeding = false;
	cut(l, l->at);
}

void answers_release(struct answers *l)
{
	cut(l, 0);
	free(l->a);
	*l = (struct answers){0};
}
