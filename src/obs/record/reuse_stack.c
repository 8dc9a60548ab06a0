/* One LRU stack. Each line has the time of its last use; a tree (Fenwick's) counts the times in use behind another one.
 * A line that is taken away leaves its time marked, as a hole: the next line that comes or returns from behind it takes
 * the place of the youngest hole, so that nothing behind moves. When all times are spent, they are dealt anew. */
#include "obs/record/reuse.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_TIMES 1024u
#define SECTORS 8

struct entry {
	u64 line;           /* address + 1; 0: free */
	u32 time;           /* 0: it is not in the stack */
	u32 since[SECTORS]; /* largest distance of the line since a sector was there; or as reuse_stack_use() returns */
	struct use_who who;
	bool known; /* it has been used before */
};
struct reuse_stack {
	struct entry *entry; /* a hash table */
	u32 size, used;
	u32 *count; /* the tree, times 1 .. times */
	u32 *owner; /* by time: entry + 1; HOLE; 0: not in use */
	u32 times, now, marked;
	u32 *hole; /* times of holes, a heap with the youngest on top */
	u32 holes, hole_size;
};
#define HOLE UINT32_MAX

struct reuse_stack *reuse_stack_new(void)
{
	struct reuse_stack *s = xcalloc(1, sizeof *s);
	s->size = 1024;
	s->entry = xcalloc(s->size, sizeof *s->entry);
	s->times = FIRST_TIMES;
	s->count = xcalloc(s->times + 1, sizeof *s->count);
	s->owner = xcalloc(s->times + 1, sizeof *s->owner);
	return s;
}

void reuse_stack_free(struct reuse_stack *s)
{
	if (!s)
		return;
	free(s->entry);
	free(s->count);
	free(s->owner);
	free(s->hole);
	free(s);
}

/* --- the tree ----------------------------------------------------------------------------------------------------- */
static void mark(struct reuse_stack *s, u32 time, u32 owner)
{
	const bool was = s->owner[time] != 0, is = owner != 0;
	s->owner[time] = owner;
	if (was == is)
		return;
	s->marked += is ? 1 : UINT32_MAX;
	for (u32 i = time; i <= s->times; i += i & -i)
		s->count[i] += is ? 1 : UINT32_MAX;
}

static u32 up_to(const struct reuse_stack *s, u32 time)
{
	u32 n = 0;
	for (u32 i = time; i; i -= i & -i)
		n += s->count[i];
	return n;
}

/* --- holes -------------------------------------------------------------------------------------------------------- */
static void hole_push(struct reuse_stack *s, u32 time)
{
	if (s->holes == s->hole_size) {
		s->hole_size = MAX(2 * s->hole_size, 64u);
		s->hole = xrealloc(s->hole, s->hole_size * sizeof *s->hole);
	}
	u32 i = s->holes++;
	for (; i && s->hole[(i - 1) / 2] < time; i = (i - 1) / 2)
		s->hole[i] = s->hole[(i - 1) / 2];
	s->hole[i] = time;
}

static void hole_pop(struct reuse_stack *s)
{
	const u32 last = s->hole[--s->holes];
	u32 i = 0;
	for (u32 child; (child = 2 * i + 1) < s->holes; i = child) {
		child += child + 1 < s->holes && s->hole[child + 1] > s->hole[child];
		if (s->hole[child] <= last)
			break;
		s->hole[i] = s->hole[child];
	}
	s->hole[i] = last;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */
static u32 slot_of(const struct reuse_stack *s, u64 line)
{
	u32 i = (u32)((line * 0x9e3779b97f4a7c15u) >> 32) & (s->size - 1);
	while (s->entry[i].line && s->entry[i].line != line + 1)
		i = (i + 1) & (s->size - 1);
	return i;
}

static void grow(struct reuse_stack *s)
{
	struct entry *old = s->entry;
	const u32 n = s->size;
	s->size *= 2;
	s->entry = xcalloc(s->size, sizeof *s->entry);
	for (u32 i = 0; i < n; i++) {
		if (!old[i].line)
			continue;
		const u32 at = slot_of(s, old[i].line - 1);
		s->entry[at] = old[i];
		if (old[i].time)
			s->owner[old[i].time] = at + 1;
	}
	free(old);
}

static u32 entry_of(struct reuse_stack *s, u64 line)
{
	u32 i = slot_of(s, line);
	if (s->entry[i].line)
		return i;
	if (++s->used > s->size / 2) {
		grow(s);
		i = slot_of(s, line);
	}
	s->entry[i].line = line + 1;
	for (u32 k = 0; k < SECTORS; k++)
		s->entry[i].since[k] = REUSE_COLD;
	return i;
}

/* Times from 1 on, in the same order, with room for as many again. */
static void deal(struct reuse_stack *s)
{
	u32 *old = s->owner;
	const u32 n = s->now;
	s->times = MAX(FIRST_TIMES, 4 * s->marked);
	free(s->count);
	s->count = xcalloc(s->times + 1, sizeof *s->count);
	s->owner = xcalloc(s->times + 1, sizeof *s->owner);
	s->now = s->marked = s->holes = 0;
	for (u32 t = 1; t <= n; t++) {
		if (!old[t])
			continue;
		mark(s, ++s->now, old[t]);
		if (old[t] == HOLE)
			hole_push(s, s->now);
		else
			s->entry[old[t] - 1].time = s->now;
	}
	free(old);
}

u32 reuse_stack_use(struct reuse_stack *s, u64 line, u8 need, u8 have, const struct use_who *who,
                    struct use_who *before)
{
	if (s->now == s->times)
		deal(s);
	const u32 i = entry_of(s, line);
	struct entry *x = &s->entry[i];
	const u32 was = x->time, distance = was ? s->marked - up_to(s, was) : x->known ? REUSE_REMOVED : REUSE_COLD;
	u32 result = need ? 0 : distance;
	*before = x->who;
	if (s->holes && s->hole[0] > was) { /* it takes the hole's place; its own one becomes a hole, or there was none */
		mark(s, s->hole[0], 0);
		hole_pop(s);
		if (was) {
			mark(s, was, HOLE);
			hole_push(s, was);
		}
	} else if (was) {
		mark(s, was, 0);
	}
	x->time = ++s->now;
	mark(s, x->time, i + 1);
	x->who = *who;
	x->known = true;
	for (u32 k = 0; k < SECTORS; k++) {
		if (was && x->since[k] < REUSE_REMOVED)
			x->since[k] = MAX(x->since[k], distance);
		if (need >> k & 1)
			result = MAX(result, x->since[k]);
		if (have >> k & 1)
			x->since[k] = 0;
	}
	return result;
}

static void leave(struct reuse_stack *s, struct entry *x)
{
	mark(s, x->time, HOLE);
	hole_push(s, x->time);
	x->time = 0;
}

void reuse_stack_remove(struct reuse_stack *s, u64 line, u8 sectors)
{
	struct entry *x = &s->entry[slot_of(s, line)];
	bool any = false;
	if (!x->line)
		return;
	for (u32 k = 0; k < SECTORS; k++) {
		if (sectors >> k & 1 && x->since[k] != REUSE_COLD)
			x->since[k] = REUSE_REMOVED;
		any |= x->since[k] < REUSE_REMOVED;
	}
	if (!any && x->time)
		leave(s, x);
}

void reuse_stack_clear(struct reuse_stack *s, bool (*keep)(void *ctx, u64 line), void *ctx)
{
	for (u32 i = 0; i < s->size; i++) {
		struct entry *x = &s->entry[i];
		if (!x->line || (x->time && keep(ctx, x->line - 1)))
			continue;
		for (u32 k = 0; k < SECTORS; k++)
			if (x->since[k] != REUSE_COLD)
				x->since[k] = REUSE_REMOVED;
		if (x->time)
			leave(s, x);
	}
}
