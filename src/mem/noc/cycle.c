/* The buffers of the network's ports as a wait-for graph, and circles in it.
 *
 * A port waits for another one when the packet at its head waits for a place there and nothing else can free a place of
 * its own:
 *   - an SM's: its first request waits for its slice, and no reply is on its way to the SM or has a place kept for it
 *     (replies are consumed when they arrive, which would free a place);
 *   - a slice's: its first reply waits for its SM's port, and no request can become one or leave for an MSHR, because
 *     the replies have no room for another (or there is no request, nor one to which a place is promised). Data from
 *     DRAM only makes replies more.
 * So each port waits for one other at most, a way along the graph ends at a port that will move, or runs into a circle;
 * and a circle never comes apart, for each of its members waits for the next. While requests and replies have buffers
 * of their own, a slice never waits for an SM's requests: at an SM port that is full of replies some are on their way.
 *
 * Ports are numbered: the SMs', then the slices'. */
#include "base/bits.h"
#include "mem/impl.h"

#include <stdlib.h>

u32 mem_num_ports(const struct mem *m)
{
	return m->nsms + m->nslices;
}

static const struct sm_request *first_request(const struct mem *m, u32 sm)
{
	return mem_request_at(m, sm, 0);
}

static s32 waits_for(const struct mem *m, u32 port)
{
	if (port < m->nsms) {
		const struct sm_port *p = &m->port[port];
		bool stands = p->waiting && !p->replies && !p->promised;
		return stands ? (s32)(m->nsms + map_place(&m->map, first_request(m, port)->addr).slice) : -1;
	}
	const struct slice_state *s = m->slice[port - m->nsms].st;
	bool none = !s->in_n && !s->promised;
	bool stands = s->out_waiting && (none || s->out_n >= m->reply_places);
	return stands ? m->packet[s->out_head - 1].sm : -1;
}

static const char *op_name(u32 op)
{
	switch (op) {
	case MO_STORE:
	case MO_LOCAL_STORE: return "write";
	case MO_ATOMIC: return "atomic";
	case MO_RED: return "reduction";
	case MO_FETCH: return "instruction fetch";
	case MO_PREFETCH: return "prefetch";
	case OP_WRITEBACK: return "write-back";
	case OP_OWN:
	case OP_GET: return "registration";
	default: return "read";
	}
}

static struct port_head head_of(u64 addr, u32 sm, u32 tag, u8 cache, u8 op)
{
	return (struct port_head){.what = op_name(op), .addr = addr, .sm = sm, .tag = tag, .cache = cache, .op = op};
}

static void sm_port_info(const struct mem *m, u32 sm, struct port_info *out)
{
	const struct sm_port *p = &m->port[sm];
	out->requests = p->q.n;
	out->replies = p->replies + p->promised;
	if (!p->q.n)
		return;
	const struct sm_request *r = first_request(m, sm);
	out->head = head_of(r->addr, sm, r->tag, r->cache, r->op);
}

static void slice_port_info(const struct mem *m, u32 slice, struct port_info *out)
{
	const struct slice_state *s = m->slice[slice].st;
	out->piped = MIN(s->in_n, m->stages);
	out->requests = s->in_n - out->piped;
	out->replies = s->out_n;
	if (!s->out_n)
		return;
	const struct packet *p = &m->packet[s->out_head - 1];
	out->head = head_of(p->addr, p->sm, p->tag, p->cache, p->op);
}

void mem_port(const struct mem *m, u32 port, struct port_info *out)
{
	bool slice = port >= m->nsms;
	*out = (struct port_info){.slice = slice,
	                          .number = slice ? port - m->nsms : port,
	                          .places = m->c.noc_shared,
	                          .waits_for = waits_for(m, port)};
	if (slice)
		slice_port_info(m, out->number, out);
	else
		sm_port_info(m, port, out);
}

/* --- circles ------------------------------------------------------------------------------------------------------ */

/* Ports from `start` round to it again; the one with the lowest number. */
static u32 length(const struct mem *m, u32 start, u32 *lowest)
{
	u32 n = 1;
	*lowest = start;
	for (u32 p = (u32)waits_for(m, start); p != start; p = (u32)waits_for(m, p), n++)
		*lowest = MIN(*lowest, p);
	return n;
}

/* The shortest circle's length and its lowest port, which is an SM's. Each port is gone through once: seen[] holds the
 * walk, numbered by where it began, that came by first. */
static u32 find(const struct mem *m, u32 *seen, u32 *first)
{
	u32 shortest = 0;
	for (u32 start = 0; start < mem_num_ports(m); start++) {
		s32 p = (s32)start;
		for (; p >= 0 && !seen[p]; p = waits_for(m, (u32)p))
			seen[p] = start + 1;
		if (p < 0 || seen[p] != start + 1)
			continue; /* it moves, or runs into what is known */
		u32 lowest, n = length(m, (u32)p, &lowest);
		if (!shortest || n < shortest) {
			shortest = n;
			*first = lowest;
		}
	}
	return shortest;
}

u32 mem_cycle(const struct mem *m, u32 *out, u32 max)
{
	if (!m->c.noc_shared)
		return 0;
	u32 first = 0, *seen = xcalloc(mem_num_ports(m), sizeof *seen), n = find(m, seen, &first);
	free(seen);
	for (u32 i = 0; i < MIN(n, max); i++, first = (u32)waits_for(m, first))
		out[i] = first;
	return n;
}

/* --- who waits for what a port holds ------------------------------------------------------------------------------ */

void mem_head_waiters(const struct mem *m, const struct port_head *h, waiter_fn *fn, void *ctx)
{
	switch (h->op) {
	case OP_WRITEBACK: return;
	case MO_LOAD:
	case MO_LOCAL_LOAD:
	case MO_FETCH:
	case MO_PREFETCH:
	case OP_GET: break;
	default: fn(ctx, h->sm, h->tag); return;
	}
	const struct mshr_table *t = &m->l1[h->sm * MC_COUNT + h->cache].mshr;
	for (u32 i = 0; i < t->e[h->tag].n; i++) {
		u32 word = t->w[h->tag * t->merges + i].who;
		if (h->cache != MC_L1I || word >> 26 != MO_PREFETCH)
			fn(ctx, h->sm, word & 0xffffff);
	}
}

static void tell_packets(const struct mem *m, u32 list, waiter_fn *fn, void *ctx)
{
	for (; list; list = m->packet[list - 1].next) {
		const struct packet *p = &m->packet[list - 1];
		struct port_head h = head_of(p->addr, p->sm, p->tag, p->cache, p->op);
		mem_head_waiters(m, &h, fn, ctx);
	}
}

void mem_port_waiters(const struct mem *m, u32 port, waiter_fn *fn, void *ctx)
{
	if (port >= m->nsms) {
		const struct slice_state *s = m->slice[port - m->nsms].st;
		tell_packets(m, s->in_n ? s->in_head : 0, fn, ctx);
		tell_packets(m, s->out_n ? s->out_head : 0, fn, ctx);
		return;
	}
	for (u32 i = 0; i < m->port[port].q.n; i++) {
		const struct sm_request *r = mem_request_at(m, port, i);
		struct port_head h = head_of(r->addr, port, r->tag, r->cache, r->op);
		mem_head_waiters(m, &h, fn, ctx);
	}
}
