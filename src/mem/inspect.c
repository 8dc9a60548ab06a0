/* What a debugger asks: MSHRs and where their requests are, queue lengths, banks. Walks everything; not for the
 * simulation's path. */
#include "base/bits.h"
#include "mem/coherence/denovo.h"
#include "mem/constants.h"
#include "mem/far.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *packet_where(const struct mem *m, const struct packet *p)
{
	switch (p->state) {
	case PS_TO_L2: return p->ready > wheel_now(&m->wheel) + m->c.l2_latency ? "to L2" : "L2";
	case PS_DRAM: return m->where[m->slice[p->slice].channel];
	case PS_REPLY: return "reply";
	case PS_ENTRY:
	case PS_TO_FAR: return "to the far part of L2";
	case PS_FROM_FAR: return "from the far part of L2";
	default: return "L2";
	}
}

/* Requests whose tag is an MSHR. */
static bool has_mshr(u32 op)
{
	return op == MO_LOAD || op == MO_LOCAL_LOAD || op == MO_FETCH || op == MO_PREFETCH || op == OP_GET;
}

/* coherence=denovo: a question to an owner that is about an MSHR, or waits there. */
static bool is_question(const struct message *g, u32 sm, u32 mshr)
{
	return (g->what == DN_READ || g->what == DN_PASS) && g->about == sm && g->tag == mshr;
}

static const char *owner_where(const struct mem *m, u32 sm, u32 mshr)
{
	const u32 size = m->c.noc_messages;
	for (u32 o = 0; o < m->nsms; o++)
		for (u32 k = 0; k < m->denovo->buffer[o].questions; k++)
			if (is_question(&m->denovo->question[(size_t)o * size + k], sm, mshr))
				return "waits at its owner";
	for (u32 p = 0; p < mem_num_endpoints(m); p++) {
		const struct endpoint *d = &m->endpoint[p];
		for (u32 k = 0; k < d->out.n; k++)
			if (is_question(&m->outbox[(size_t)p * size + fifo_at(&d->out, size, k)].msg, sm, mshr))
				return "to its owner";
		for (u32 k = 0; k < d->in.n; k++)
			if (is_question(&m->inbox[(size_t)p * size + fifo_at(&d->in, size, k)].msg, sm, mshr))
				return "to its owner";
	}
	return "reply";
}

static const char *mshr_where(const struct mem *m, u32 sm, u32 cache, u32 mshr);

/* l1c.behind=l1i: where L1I's request for the line is that an MSHR of the constant cache waits for. */
static const char *constant_where(const struct mem *m, u32 sm, u32 mshr)
{
	const struct mshr_table *t = &m->l1[sm * MC_COUNT + MC_L1I].mshr;
	for (u32 i = 0; i < t->st->fresh; i++)
		for (u32 k = 0; t->e[i].used && k < t->e[i].n; k++) {
			const u32 word = t->w[i * t->merges + k].who;
			if (constants_wait(word) && (word & (u32)bit_range(TOKEN_BITS)) == mshr)
				return mshr_where(m, sm, MC_L1I, i);
		}
	return "from L1I";
}

static const char *mshr_where(const struct mem *m, u32 sm, u32 cache, u32 mshr)
{
	const struct sm_port *port = &m->port[sm];
	for (u32 i = 0; i < port->q.n; i++) {
		const struct sm_request *r = mem_request_at(m, sm, i);
		if (has_mshr(r->op) && r->cache == cache && r->tag == mshr)
			return "miss queue";
	}
	for (u32 i = 0; i < m->pool->fresh; i++) {
		const struct packet *p = &m->packet[i];
		if (p->state != PS_FREE && has_mshr(p->op) && p->sm == sm && p->cache == cache && p->tag == mshr)
			return packet_where(m, p);
	}
	if (cache == MC_L1C && m->constants)
		return constant_where(m, sm, mshr);
	if (cache == MC_L1D && m->rule->words)
		return owner_where(m, sm, mshr);
	return "reply";
}

u32 mem_mshrs(const struct mem *m, u32 sm, enum mem_cache c, struct mshr_info *out, u32 max)
{
	const struct mshr_table *t = &m->l1[sm * MC_COUNT + c].mshr;
	u32 n = 0;
	for (u32 i = 0; i < t->st->fresh; i++) {
		const struct mshr_entry *e = &t->e[i];
		if (!e->used)
			continue;
		if (n < max)
			out[n] = (struct mshr_info){e->line, e->n, e->since, mshr_where(m, sm, c, i)};
		n++;
	}
	return MIN(n, max);
}

/* --- whose the lines of L1D are ---------------------------------------------------------------------------------- */
static int by_cta(const void *a, const void *b)
{
	const struct cta_lines *x = a, *y = b;
	if (x->launch != y->launch)
		return x->launch < y->launch ? -1 : 1;
	return x->cta < y->cta ? -1 : x->cta > y->cta;
}

static int by_lines(const void *a, const void *b)
{
	const struct cta_lines *x = a, *y = b;
	return x->lines != y->lines ? (x->lines > y->lines ? -1 : 1) : by_cta(a, b);
}

/* An entry for every line alive; sorted by CTA. */
static struct cta_lines *lines_alive(const struct l1 *l, u32 *n)
{
	const struct tags *t = &l->tags;
	struct cta_lines *out = xcalloc((size_t)t->sets * t->ways, sizeof *out);
	*n = 0;
	for (u32 i = 0; i < t->sets * t->ways; i++) {
		if (!t->tag[tags_place(t, i / t->ways, i % t->ways)])
			continue;
		out[(*n)++] = (struct cta_lines){l->owner[i].cta, l->owner[i].launch, 1};
	}
	qsort(out, *n, sizeof *out, by_cta);
	return out;
}

u32 mem_lines_by_cta(const struct mem *m, u32 sm, struct cta_lines *out, u32 max, u32 *lines)
{
	struct cta_lines *all = lines_alive(&m->l1[sm * MC_COUNT + MC_L1D], lines);
	u32 n = 0;
	for (u32 i = 0; i < *lines; i++)
		if (n && !by_cta(&all[n - 1], &all[i]))
			all[n - 1].lines++;
		else
			all[n++] = all[i];
	qsort(all, n, sizeof *all, by_lines);
	n = MIN(n, max);
	memcpy(out, all, n * sizeof *out);
	free(all);
	return n;
}

/* --- where a line is ---------------------------------------------------------------------------------------------- */
static void home_info(const struct home_line *h, struct line_info *out)
{
	out->awaited = h->awaited;
	out->waiter = (s32)h->waiter - 1;
	for (u32 w = 0; w < DENOVO_WORDS; w++)
		out->owner[w] = (s16)(h->owner[w] - 1);
}

void mem_line(const struct mem *m, u64 addr, struct line_info *out)
{
	struct mem_place place = map_place(&m->map, addr);
	const struct slice *s = &m->slice[place.slice];
	u64 wide = tags_line_of(&s->tags, addr);
	u32 set = tags_set(&s->tags, map_slice_line(&m->map, &place, wide)), i = tags_find(&s->tags, set, wide);
	*out = (struct line_info){.addr = addr & ~(u64)(m->c.l1d_line - 1), .slice = place.slice, .waiter = -1};
	out->copy =
	    far_copy_of(m, addr) >> (u32)(out->addr - wide) / SECTOR_BYTES & (u8)bit_range(m->c.l1d_line / SECTOR_BYTES);
	out->words = m->c.l1d_line / 4;
	out->by_word = m->rule->words;
	out->in_l2 = i != TAGS_NONE;
	for (u32 w = 0; w < DENOVO_WORDS; w++)
		out->owner[w] = -1;
	if (!out->in_l2)
		return;
	u32 shift = (u32)(out->addr - wide) / SECTOR_BYTES;
	u8 full = (u8)bit_range(m->c.l1d_line / SECTOR_BYTES);
	out->valid = s->tags.line[i].valid >> shift & full;
	out->pending = s->tags.line[i].pending >> shift & full;
	out->dirty = s->tags.line[i].dirty >> shift & full;
	if (out->by_word)
		home_info(home_of(s, i), out);
}

u32 mem_line_copies(const struct mem *m, u64 addr, struct line_copy *out, u32 max)
{
	u32 n = 0;
	for (u32 sm = 0; sm < m->nsms; sm++) {
		const struct l1 *l = &m->l1[sm * MC_COUNT + MC_L1D];
		u64 line = tags_line_of(&l->tags, addr);
		u32 set = tags_set(&l->tags, line >> l->tags.line_shift), i = tags_find(&l->tags, set, line);
		if (i == TAGS_NONE || n++ >= max)
			continue;
		const struct line *v = &l->tags.line[i];
		const struct holder *of = owner_of(l, set, i);
		out[n - 1] = (struct line_copy){.sm = sm, .launch = of->launch, .cta = of->cta, .valid = v->valid};
		out[n - 1].pending = v->pending;
		out[n - 1].dirty = v->dirty;
		if (!m->rule->words)
			continue;
		out[n - 1].have = words_of(l, i)->have;
		out[n - 1].owned = words_of(l, i)->owned;
		out[n - 1].unacked = words_of(l, i)->unacked;
		out[n - 1].asked = words_of(l, i)->asked;
	}
	return n;
}

struct queue_list {
	struct queue_info *out, no_room;
	u32 n, max;
};

static struct queue_info *add_queue(struct queue_list *l, const char *owner, u32 i, const char *what, u32 used,
                                    u32 size)
{
	struct queue_info *q = l->n < l->max ? &l->out[l->n++] : &l->no_room;
	snprintf(q->name, sizeof(q->name), "%s %u %s", owner, i, what);
	*q->holds = 0;
	q->used = used;
	q->size = size;
	return q;
}

/* A port whose buffer both directions share. */
static void add_port(const struct mem *m, struct queue_list *l, u32 port)
{
	struct port_info p;
	mem_port(m, port, &p);
	struct queue_info *q =
	    add_queue(l, p.slice ? "L2 slice" : "SM", p.number, "port", p.requests + p.replies, p.places);
	snprintf(q->holds, sizeof(q->holds), "%u request%s, %u repl%s", p.requests, p.requests == 1 ? "" : "s", p.replies,
	         p.replies == 1 ? "y" : "ies");
}

static void sm_queues(const struct mem *m, struct queue_list *l)
{
	static const char *const names[MC_COUNT] = {"l1i miss queue", "l1d miss queue", "l1c miss queue", "l1t miss queue"};
	for (u32 sm = 0; sm < m->nsms; sm++) {
		for (u32 k = 0; k < MC_COUNT; k++)
			add_queue(l, "SM", sm, names[k], m->l1[sm * MC_COUNT + k].st->queued, m->l1[sm * MC_COUNT + k].missq);
		if (m->c.noc_shared)
			add_port(m, l, sm);
		else
			add_queue(l, "SM", sm, "reply port", m->port[sm].replies, m->c.noc_out_queue);
		add_queue(l, "SM", sm, "stores in flight", m->port[sm].stores, m->c.l1d_stores);
	}
}

u32 mem_queues(const struct mem *m, struct queue_info *out, u32 max)
{
	struct queue_list l = {.out = out, .max = max};
	sm_queues(m, &l);
	for (u32 i = 0; i < m->nslices; i++) {
		const struct slice_state *s = m->slice[i].st;
		if (m->c.noc_shared)
			add_queue(&l, "L2 slice", i, "pipeline", MIN(s->in_n, m->stages), m->stages);
		else
			add_queue(&l, "L2 slice", i, "input", s->in_n, m->slice_credits);
		if (m->parted) /* of SMs near to it, about lines of the other part */
			add_queue(&l, "L2 slice", i, "far requests", s->away, m->slice_places);
		add_queue(&l, "L2 slice", i, "miss queue", s->mq_n, m->c.l2_missq);
		if (m->c.noc_shared)
			add_port(m, &l, m->nsms + i);
		else
			add_queue(&l, "L2 slice", i, "output", s->out_n, m->c.noc_out_queue);
	}
	for (u32 i = 0; i < mem_num_endpoints(m); i++) { /* few machines have messages at all */
		const struct endpoint *p = &m->endpoint[i];
		bool sm = i < m->nsms;
		if (p->out.n)
			add_queue(&l, sm ? "SM" : "L2 slice", sm ? i : i - m->nsms, "outbox", p->out.n, m->c.noc_messages);
		if (p->in.n)
			add_queue(&l, sm ? "SM" : "L2 slice", sm ? i : i - m->nsms, "inbox", p->in.n, m->c.noc_messages);
	}
	for (u32 i = 0; i < m->nchannels; i++)
		add_queue(&l, "DRAM channel", i, "window", m->chan[i].st->n, m->c.dram_queue);
	return l.n;
}

u32 mem_banks(const struct mem *m, u32 channel, struct bank_info *out, u32 max)
{
	u32 n = MIN(m->c.dram_banks, max);
	for (u32 i = 0; i < n; i++) {
		const struct bank_state *b = &m->chan[channel].bank[i];
		out[i] = (struct bank_info){(s64)b->row - 1, b->queued};
	}
	return n;
}

u32 mem_channel_of(const struct mem *m, u64 addr, u32 *slice)
{
	struct mem_place p = map_place(&m->map, addr);
	if (slice)
		*slice = p.slice;
	return p.channel;
}
