#include "sm/l0i.h"

#include <string.h>

#include "sm/internal.h"

size_t l0i_bytes(const struct conf *c)
{
	return c->l0i_lines ? c->sm_schedulers * sizeof(struct l0i) : 0;
}

struct l0i *l0i_create(const struct conf *c, struct arena *a)
{
	return c->l0i_lines ? ARENA_NEW(a, struct l0i, c->sm_schedulers) : NULL;
}

static struct l0i_line *find(struct l0i_line *l, u32 n, u64 addr)
{
	for (u32 i = 0; i < n; i++)
		if (l[i].addr == addr + 1)
			return &l[i];
	return NULL;
}

/* In place of the line that was looked for longest ago. */
static void insert(const struct sm_ctx *x, struct l0i *c, u64 addr, u64 ready, u64 now)
{
	struct l0i_line *oldest = &c->line[0];
	for (u32 i = 1; i < x->conf->l0i_lines; i++)
		if (c->line[i].used < oldest->used)
			oldest = &c->line[i];
	*oldest = (struct l0i_line){.addr = addr + 1, .ready = ready, .used = now + 1};
}

static bool l1i_has(const struct sm_ctx *x, const struct sm *s, u64 addr)
{
	return x->conf->l1i_perfect || mem_has_line(x->mem, s->id, addr);
}

/* Lines from addr on, the first one in cycle `from`, until the stream buffer is full. */
static void fill_up(struct sm_ctx *x, struct sm *s, struct l0i *c, u64 addr, u64 end, u64 from)
{
	while (c->streams < x->conf->l0i_stream && addr < end && l1i_has(x, s, addr)) {
		c->stream[c->streams++] = (struct l0i_line){.addr = addr + 1, .ready = from++};
		s->k.l0i_streamed++;
		addr += x->conf->l1i_line;
	}
}

/* The line at stream[i] has been asked for. */
static void advance(struct sm_ctx *x, struct sm *s, struct l0i *c, u32 i, u64 end, u64 now)
{
	const struct l0i_line last = c->stream[c->streams - 1];
	c->streams -= i + 1;
	memmove(c->stream, c->stream + i + 1, c->streams * sizeof *c->stream);
	memset(c->stream + c->streams, 0, (i + 1) * sizeof *c->stream);
	fill_up(x, s, c, last.addr - 1 + x->conf->l1i_line, end, MAX(last.ready, now + x->conf->l0i_latency) + 1);
}

bool l0i_find(struct sm_ctx *x, struct sm *s, u32 sched, u64 addr, u64 end, u64 now, u64 *ready)
{
	struct l0i *c = &x->l0i[sched];
	struct l0i_line *l = find(c->line, x->conf->l0i_lines, addr);
	if (l) {
		l->used = now + 1;
		*ready = l->ready;
		s->k.l0i_hits++;
		return true;
	}
	l = find(c->stream, c->streams, addr);
	if (!l)
		return false;
	*ready = l->ready;
	s->k.l0i_stream_hits++;
	insert(x, c, addr, l->ready, now);
	advance(x, s, c, (u32)(l - c->stream), end, now);
	return true;
}

void l0i_miss(struct sm_ctx *x, struct sm *s, u32 sched, u64 addr, u64 end, u64 ready)
{
	struct l0i *c = &x->l0i[sched];
	s->k.l0i_misses++;
	if (!find(c->line, x->conf->l0i_lines, addr))
		insert(x, c, addr, ready, ready);
	memset(c->stream, 0, sizeof c->stream);
	c->streams = 0;
	fill_up(x, s, c, addr + x->conf->l1i_line, end, ready + 1);
}
