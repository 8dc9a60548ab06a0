/* What holds between any two cycles: see mem_check_state(). Everything is counted anew from where it lies, with no look
 * at how it came there. */
#include "base/bits.h"
#include "mem/coherence/denovo.h"
#include "mem/constants.h"
#include "mem/far.h"

#include <stdlib.h>
#include <string.h>

static const char *const cache_names[MC_COUNT] = {"l1i", "l1d", "l1c", "l1t"};

/* --- a cache: MSHRs and tags -------------------------------------------------------------------------------------- */
struct where { /* for messages */
	const char *name;
	u32 index;
	const struct words *words; /* of its lines; NULL: the rule in use does not count in them */
};

static bool check_entry(struct where at, const struct mshr_table *t, u32 i, const struct tags *tags, struct err *e)
{
	const struct mshr_entry *m = &t->e[i];
	const char *n = at.name;
	HOLDS(m->pending, "%s %u: MSHR %u waits for no sector", n, at.index, i);
	HOLDS(m->n <= t->merges, "%s %u: MSHR %u has %u waiters, at most %u are possible", n, at.index, i, m->n, t->merges);
	for (u32 k = 0; k < m->n; k++) {
		u32 need = t->w[i * t->merges + k].need;
		HOLDS(need && !(need & ~(u32)m->pending),
		      "%s %u: MSHR %u, waiter %u needs sectors %#x of those on their way, %#x", n, at.index, i, k, need,
		      m->pending);
	}
	HOLDS(!m->keyed || mshr_find(t, m->line) != MSHR_NONE, "%s %u: MSHR %u is not found by its line", n, at.index, i);
	if (m->slot == TAGS_NONE)
		return true;
	HOLDS(tags->tag[m->slot] == m->line + 1, "%s %u: MSHR %u waits for line %#llx, its place holds %#llx", n, at.index,
	      i, (unsigned long long)m->line, (unsigned long long)tags->tag[m->slot] - 1);
	HOLDS(tags->line[m->slot].mshr == i, "%s %u: the line of MSHR %u names MSHR %u", n, at.index, i,
	      tags->line[m->slot].mshr);
	u8 pending = tags->line[m->slot].pending;
	HOLDS(pending == m->pending || (at.words && pending == sectors_with(m->pending)),
	      "%s %u: MSHR %u waits for %#x, its line for sectors %#x", n, at.index, i, m->pending, pending);
	return true;
}

/* *lined: entries whose line has a place in the tags. */
static bool check_mshrs(struct where at, const struct mshr_table *t, const struct tags *tags, u32 *lined, struct err *e)
{
	u32 used = 0, idle = 0, asked = 0;
	*lined = 0;
	HOLDS(t->st->fresh <= t->size, "%s %u: %u MSHRs begun, there are %u", at.name, at.index, t->st->fresh, t->size);
	for (u32 i = 0; i < t->st->fresh; i++) {
		if (!t->e[i].used)
			continue;
		used++;
		asked += t->by_sector ? (u32)__builtin_popcount(t->e[i].pending) : 0;
		*lined += t->e[i].slot != TAGS_NONE;
		if (!check_entry(at, t, i, tags, e))
			return false;
	}
	for (u32 i = t->st->free; i && idle <= t->size; i = t->e[i - 1].next)
		idle++;
	HOLDS(asked == t->st->asked && asked <= t->size, "%s %u: %u sectors on their way, counted %u of %u", at.name,
	      at.index, asked, t->st->asked, t->size);
	HOLDS(used == t->st->used, "%s %u: %u MSHRs in use, counted %u", at.name, at.index, used, t->st->used);
	HOLDS(used + idle == t->st->fresh, "%s %u: %u MSHRs in use and %u free of %u", at.name, at.index, used, idle,
	      t->st->fresh);
	return true;
}

static bool check_line(struct where at, const struct tags *t, u32 set, u32 i, bool by_line, struct err *e)
{
	const struct line *v = &t->line[i];
	u64 line = t->tag[i] - 1, key = t->key[i];
	HOLDS((key & ~TAGS_RESERVED) >> TAGS_WAY_BITS <= *t->stamp, "%s %u: a line was used after the cache's last access",
	      at.name, at.index);
	bool held = v->pending || (at.words && at.words[tags_number(t, i)].unacked);
	HOLDS(!(key & TAGS_RESERVED) == !held, "%s %u: line %#llx: sectors on their way %#x, but%s reserved", at.name,
	      at.index, (unsigned long long)line, v->pending, key & TAGS_RESERVED ? "" : " not");
	HOLDS(!by_line || tags_set(t, line >> t->line_shift) == set, "%s %u: line %#llx lies in set %u", at.name, at.index,
	      (unsigned long long)line, set);
	for (u32 k = tags_place(t, set, 0); k < i; k++)
		HOLDS(t->tag[k] != t->tag[i], "%s %u: line %#llx lies twice in set %u", at.name, at.index,
		      (unsigned long long)line, set);
	return true;
}

/* by_line: the set follows from the line's address; in a slice it does from the slice's own numbering. */
static bool check_tags(struct where at, const struct tags *t, u32 lined, bool by_line, struct err *e)
{
	u32 pending = 0;
	if (!*t->stamp) /* never used: nobody touches its memory */
		return true;
	for (u32 set = 0; set < t->sets; set++)
		for (u32 i = tags_place(t, set, 0), end = i + t->ways; i < end; i++) {
			pending += t->line[i].pending != 0;
			if (!t->tag[i])
				HOLDS(!t->key[i] && !t->line[i].pending && !t->line[i].valid && !t->line[i].dirty,
				      "%s %u: a free place of set %u has sectors", at.name, at.index, set);
			else if (!check_line(at, t, set, i, by_line, e))
				return false;
		}
	HOLDS(pending == lined, "%s %u: %u lines wait for data, %u MSHRs for lines", at.name, at.index, pending, lined);
	return true;
}

static bool check_cache(struct where at, const struct mshr_table *mshr, const struct tags *tags, bool by_line,
                        struct err *e)
{
	u32 lined;
	return check_mshrs(at, mshr, tags, &lined, e) && check_tags(at, tags, lined, by_line, e);
}

/* What says that a cache holds no line: emptying it once more looks at nothing. */
static bool check_empty(struct where at, const struct tags *t, u64 empty_at, struct err *e)
{
	if (!*t->stamp || *t->stamp != empty_at)
		return true;
	for (u32 set = 0; set < t->sets; set++)
		for (u32 i = tags_place(t, set, 0), end = i + t->ways; i < end; i++)
			HOLDS(!t->tag[i], "%s %u: set %u holds a line since the cache was emptied, and none came", at.name,
			      at.index, set);
	return true;
}

/* --- lists -------------------------------------------------------------------------------------------------------- */
/* Length of a list of packets; NONE when it does not end. */
static u32 packets_in(const struct mem *m, u32 head)
{
	u32 n = 0;
	for (; head && n <= m->npackets; head = m->packet[head - 1].next)
		n++;
	return n <= m->npackets ? n : NONE;
}

static u32 requests_in(const struct mem *m, u32 head)
{
	u32 n = 0;
	for (; head && n <= m->ndram; head = m->dreq[head - 1].next)
		n++;
	return n <= m->ndram ? n : NONE;
}

static bool check_pool(const char *name, const struct pool_state *p, u32 size, u32 idle, struct err *e)
{
	HOLDS(p->fresh <= size && idle != NONE && p->used + idle == p->fresh,
	      "%s: %u in use and %u free of %u, room for %u", name, p->used, idle, p->fresh, size);
	return true;
}

/* --- what the SMs wait for ---------------------------------------------------------------------------------------- */
static bool answered(u32 op) /* requests that are tokens themselves, in no MSHR of the SM */
{
	return op == MO_STORE || op == MO_LOCAL_STORE || op == MO_RED || op == MO_ATOMIC;
}

static u32 answer_at(const struct mem *m, u32 sm, u32 k)
{
	return m->answers[(size_t)sm * m->answers_size + fifo_at(&m->port[sm].answers, m->answers_size, k)];
}

/* noc.switch=islip: a packet stands for the request. */
static bool led(const struct mem *m, u32 sm, u32 k)
{
	return m->source && mem_request_at(m, sm, k)->leader;
}

/* A waiter of an MSHR of the SM's caches: the word that is pushed when the data comes. */
static bool wants_answer(u32 cache, u32 word)
{
	return cache != MC_L1I || (answer_op(word) != MO_PREFETCH && !constants_wait(word));
}

static void each_waiter(const struct mem *m, u32 sm, u32 cache, mem_due_fn *fn, void *ctx)
{
	const struct mshr_table *t = &m->l1[sm * MC_COUNT + cache].mshr;
	for (u32 i = 0; i < t->st->fresh; i++)
		for (u32 k = 0; t->e[i].used && k < t->e[i].n; k++) {
			u32 word = t->w[i * t->merges + k].who;
			if (wants_answer(cache, word))
				fn(ctx, sm, word & (u32)bit_range(TOKEN_BITS));
		}
}

void mem_each_due(const struct mem *m, mem_due_fn *fn, void *ctx)
{
	for (u32 sm = 0; sm < m->nsms; sm++) {
		for (u32 k = 0; k < m->port[sm].answers.n; k++)
			fn(ctx, sm, answer_at(m, sm, k) & (u32)bit_range(TOKEN_BITS));
		for (u32 k = 0; k < m->port[sm].q.n; k++)
			if (answered(mem_request_at(m, sm, k)->op) && !led(m, sm, k))
				fn(ctx, sm, mem_request_at(m, sm, k)->tag);
		for (u32 c = 0; c < MC_COUNT; c++)
			each_waiter(m, sm, c, fn, ctx);
		u32 backs;
		if (m->rule->held)
			m->rule->held(m, sm, &backs, fn, ctx);
	}
	for (u32 i = 0; i < m->pool->fresh; i++)
		if (m->packet[i].state != PS_FREE && answered(m->packet[i].op) && !m->packet[i].part)
			fn(ctx, m->packet[i].sm, m->packet[i].tag);
}

/* Counted per SM. */
struct census {
	u32 outstanding, stores, on_way;
};

static void count_sm(const struct mem *m, u32 sm, struct census *n)
{
	const struct sm_port *p = &m->port[sm];
	for (u32 k = 0; k < p->answers.n; k++)
		n->stores += answered(answer_op(answer_at(m, sm, k)));
	n->outstanding += p->answers.n + (m->constants ? m->constants[sm].n : 0);
	u32 backs = 0, held = m->rule->held ? m->rule->held(m, sm, &backs, NULL, NULL) : 0;
	n->outstanding += held + backs;
	n->stores += held;
	for (u32 k = 0; k < p->q.n; k++) {
		u32 op = mem_request_at(m, sm, k)->op;
		if (led(m, sm, k))
			continue; /* a packet stands for it */
		n->stores += answered(op);
		n->outstanding += answered(op) || op == OP_WRITEBACK;
	}
	for (u32 c = 0; c < MC_COUNT; c++) {
		const struct mshr_table *t = &m->l1[sm * MC_COUNT + c].mshr;
		for (u32 i = 0; i < t->st->fresh; i++)
			for (u32 k = 0; t->e[i].used && k < t->e[i].n; k++) {
				n->outstanding++;
				n->stores += answered(answer_op(t->w[i * t->merges + k].who)); /* that L1D executes */
			}
	}
}

/* Its timer is that of its arrival at the SM. */
static bool to_sm(const struct mem *m, u32 i)
{
	u32 state = m->packet[i].state;
	bool within = state == PS_ENTRY || state == PS_TO_FAR || state == PS_FROM_FAR;
	return !within && wheel_at(&m->wheel, m->timer_packet + i) != NEVER;
}

static void count_packet(const struct mem *m, u32 i, struct census *of_sm)
{
	const struct packet *p = &m->packet[i];
	struct census *n = &of_sm[p->sm];
	n->stores += answered(p->op) && !p->part;
	n->outstanding += (answered(p->op) || p->op == OP_WRITEBACK) && !p->part;
	n->on_way += to_sm(m, i);
}

static bool check_port(const struct mem *m, u32 sm, const struct census *n, struct err *e)
{
	const struct sm_port *p = &m->port[sm];
	u32 queued[MC_COUNT] = {0};
	HOLDS(p->q.n <= m->missq_size && p->answers.n <= m->answers_size, "SM %u: %u requests and %u answers queued", sm,
	      p->q.n, p->answers.n);
	for (u32 k = 0; k < p->q.n; k++)
		queued[mem_request_at(m, sm, k)->cache] +=
		    m->c.noc_switch == NOC_ISLIP ? sector_count(mem_request_at(m, sm, k)->sectors) : 1;
	for (u32 c = 0; c < MC_COUNT; c++) {
		u32 counted = m->l1[sm * MC_COUNT + c].st->queued;
		HOLDS(queued[c] == counted, "SM %u: %u requests of %s in the miss queue, counted %u", sm, queued[c],
		      cache_names[c], counted);
	}
	u32 source = m->source ? packets_in(m, m->source[sm].head) : 0;
	HOLDS(!m->source || (source == m->source[sm].n && source <= m->c.noc_source_queue),
	      "SM %u: %u packets wait for the switch, counted %u, room for %u", sm, source, m->source[sm].n,
	      m->c.noc_source_queue);
	HOLDS(n->outstanding == p->outstanding, "SM %u: %u requests are somewhere in the memory system, counted %u", sm,
	      n->outstanding, p->outstanding);
	HOLDS(n->stores == p->stores, "SM %u: %u stores and atomics are somewhere, counted %u", sm, n->stores, p->stores);
	HOLDS(n->on_way == p->replies, "SM %u: %u replies are on their way, counted %u", sm, n->on_way, p->replies);
	return true;
}

/* --- slices ------------------------------------------------------------------------------------------------------- */
/* A line whose home is another slice is a clean copy in its home's twin. */
static bool check_copies(const struct mem *m, u32 slice, struct err *e)
{
	const struct tags *t = &m->slice[slice].tags;
	for (u32 set = 0; m->parted && *t->stamp && set < t->sets; set++)
		for (u32 i = tags_place(t, set, 0), end = i + t->ways; i < end; i++) {
			u32 home = t->tag[i] ? map_place(&m->map, t->tag[i] - 1).slice : slice;
			HOLDS(home == slice || (home == far_twin(m, slice) && !t->line[i].pending && !t->line[i].dirty),
			      "l2 slice %u: line %#llx of slice %u is no clean copy", slice, (unsigned long long)t->tag[i] - 1,
			      home);
		}
	return true;
}

static bool check_slice(const struct mem *m, u32 i, struct err *e)
{
	const struct slice *s = &m->slice[i];
	const struct slice_state *st = s->st;
	u32 in = packets_in(m, st->in_head), out = packets_in(m, st->out_head), mq = requests_in(m, st->mq_head);
	HOLDS(in == st->in_n, "l2 slice %u: %u requests at its input, counted %u", i, in, st->in_n);
	HOLDS(out == st->out_n, "l2 slice %u: %u replies in its output, counted %u", i, out, st->out_n);
	u32 far = packets_in(m, st->far_n ? st->far_head : 0);
	HOLDS(far == st->far_n, "l2 slice %u: %u requests of the other part, counted %u", i, far, st->far_n);
	HOLDS(mq == st->mq_n, "l2 slice %u: %u requests in its miss queue, counted %u", i, mq, st->mq_n);
	HOLDS(in + st->promised <= m->slice_credits, "l2 slice %u: %u requests and %u places promised, room for %u", i, in,
	      st->promised, m->slice_credits);
	HOLDS(mq <= m->c.l2_missq + 1, "l2 slice %u: %u requests in its miss queue, room for %u", i, mq, m->c.l2_missq);
	HOLDS(in + st->promised + st->away <= m->slice_places,
	      "l2 slice %u: %u requests, %u places promised, %u requests away, room for %u", i, in, st->promised, st->away,
	      m->slice_places);
	return check_cache((struct where){"l2 slice", i, NULL}, &s->mshr, &s->tags, false, e) && check_copies(m, i, e);
}

/* Sent = received + on their way, for each class: requests at a slice's input, answers whose arrival is set. */
static bool check_messages(const struct mem *m, const struct noc_census *net, struct err *e)
{
	u64 on_way[MSG_CLASSES], reads = 0, writes = 0;
	const u64 *in = noc_received(m->noc), *peer = m->peer_received;
	memcpy(on_way, net->on_way, sizeof on_way);
	if (!message_check(m, on_way, e))
		return false;
	for (u32 i = 0; i < m->nslices; i++) {
		const struct slice *s = &m->slice[i];
		for (u32 p = s->st->in_n ? s->st->in_head : 0; p; p = m->packet[p - 1].next)
			on_way[class_up(m->packet[p - 1].op)]++;
		for (u32 p = s->st->far_n ? s->st->far_head : 0; p; p = m->packet[p - 1].next)
			on_way[class_up(m->packet[p - 1].op)]++;
		reads += s->cc->reads;
		writes += s->cc->writes + s->cc->atomics;
	}
	for (u32 i = 0; i < m->pool->fresh; i++)
		if (to_sm(m, i))
			on_way[class_down(m->packet[i].op)]++;
		else if (m->packet[i].state == PS_ENTRY || m->packet[i].state == PS_TO_FAR)
			on_way[class_up(m->packet[i].op)]++;
	for (u32 k = 0; k < MSG_CLASSES; k++)
		HOLDS(noc_messages(m->noc)[k].sent == in[k] + on_way[k],
		      "%s messages: %llu sent, %llu received, %llu on their way", msg_class_names[k],
		      (unsigned long long)noc_messages(m->noc)[k].sent, (unsigned long long)in[k],
		      (unsigned long long)on_way[k]);
	HOLDS(in[MSG_READ] - peer[MSG_READ] == reads &&
	          in[MSG_WRITE] - peer[MSG_WRITE] + in[MSG_WRITEBACK] - peer[MSG_WRITEBACK] == writes,
	      "messages: the slices received %llu reads, %llu writes and %llu write-backs, and served %llu reads, %llu "
	      "writes",
	      (unsigned long long)in[MSG_READ], (unsigned long long)in[MSG_WRITE], (unsigned long long)in[MSG_WRITEBACK],
	      (unsigned long long)reads, (unsigned long long)writes);
	return true;
}

/* Its line is the far part's: it has a place at its entry beside the input. */
static bool of_far_part(const struct mem *m, const struct packet *p)
{
	switch (p->state) {
	case PS_ENTRY:
	case PS_COPY:
	case PS_TO_FAR:
	case PS_FROM_FAR: return true;
	case PS_L2:
	case PS_DRAM: return far_is(m, p->sm, p->slice);
	default: return false;
	}
}

/* Packets are at slices, wait for DRAM, or are on their way to an SM. */
static bool check_packets(const struct mem *m, const struct noc_census *net, struct census *of_sm, struct err *e)
{
	u32 state[PACKET_STATES] = {0}, in = net->carried[0], out = 0, waiters = 0, replies = net->carried[1];
	u32 far = 0, away = 0;
	for (u32 i = 0; i < m->pool->fresh; i++) {
		state[m->packet[i].state]++;
		if (m->packet[i].state != PS_FREE)
			count_packet(m, i, of_sm);
		far += of_far_part(m, &m->packet[i]);
	}
	for (u32 i = 0; i < m->nslices; i++) {
		const struct mshr_table *t = &m->slice[i].mshr;
		in += m->slice[i].st->in_n + m->slice[i].st->far_n;
		away += m->slice[i].st->away;
		out += m->slice[i].st->out_n;
		for (u32 k = 0; k < t->st->fresh; k++)
			waiters += t->e[k].used ? t->e[k].n : 0;
	}
	for (u32 i = 0; i < m->dram_pool->fresh; i++)
		waiters += m->dreq[i].answers != 0;
	for (u32 sm = 0; sm < m->nsms; sm++) {
		replies += m->port[sm].replies;
		in += m->source ? m->source[sm].n : 0;
	}
	HOLDS(state[PS_TO_L2] + state[PS_L2] + state[PS_COPY] == in,
	      "packets: %u on their way to a slice or at its head, the inputs hold %u",
	      state[PS_TO_L2] + state[PS_L2] + state[PS_COPY], in);
	HOLDS(state[PS_DRAM] == waiters, "packets: %u wait for DRAM, the slices' MSHRs and writes on their way hold %u",
	      state[PS_DRAM], waiters);
	HOLDS(state[PS_REPLY] == out + replies, "packets: %u are replies, %u in outputs and %u on their way",
	      state[PS_REPLY], out, replies);
	HOLDS(far == away, "packets: %u are about lines of the far part of L2, counted %u", far, away);
	HOLDS(m->noc->requests - m->noc->replies - m->noc->absorbed == m->pool->used,
	      "packets: %llu requests, %llu replies, %llu absorbed, %u packets", (unsigned long long)m->noc->requests,
	      (unsigned long long)m->noc->replies, (unsigned long long)m->noc->absorbed, m->pool->used);
	return check_pool("packets", m->pool, m->npackets, packets_in(m, m->pool->free), e);
}

/* Who waits for a full port is in its list, once, and whoever was granted a place has one promised. */
static bool check_waiters(const struct mem *m, struct err *e)
{
	u32 waiting = 0, granted = 0, listed = 0, promised = 0;
	for (u32 sm = 0; sm < m->nsms; sm++) {
		waiting += m->port[sm].waiting;
		granted += m->port[sm].granted;
	}
	for (u32 i = 0; i < m->nslices; i++) {
		promised += m->slice[i].st->promised;
		for (u32 sm = m->slice[i].st->wait_head; sm && listed <= m->nsms; sm = m->port[sm - 1].next_waiter)
			listed++;
	}
	HOLDS(waiting == listed && granted == promised,
	      "interconnect: %u SMs wait for slices, %u are listed; %u were granted places, %u are promised", waiting,
	      listed, granted, promised);
	waiting = granted = listed = promised = 0;
	for (u32 i = 0; i < m->nslices; i++) {
		waiting += m->slice[i].st->out_waiting;
		granted += m->slice[i].st->out_granted;
	}
	for (u32 sm = 0; sm < m->nsms; sm++) {
		promised += m->port[sm].promised;
		for (u32 i = m->port[sm].wait_head; i && listed <= m->nslices; i = m->slice[i - 1].st->next_waiter)
			listed++;
	}
	HOLDS(waiting == listed && granted == promised,
	      "interconnect: %u slices wait for SMs, %u are listed; %u were granted places, %u are promised", waiting,
	      listed, granted, promised);
	return true;
}

/* --- DRAM --------------------------------------------------------------------------------------------------------- */
static bool check_banks(const struct mem *m, u32 c, struct err *e)
{
	const struct channel *ch = &m->chan[c];
	u32 hits = 0;
	for (u32 b = 0; b < m->c.dram_banks; b++) {
		u32 queued = 0, hit = 0;
		for (u32 i = 0; i < ch->st->n; i++) {
			const struct window_entry *w = window_at(ch, i);
			queued += w->bank == b;
			hit += w->bank == b && w->row + 1 == ch->bank[b].row;
			HOLDS(w->bank != b || w->hit == (w->row + 1 == ch->bank[b].row),
			      "DRAM channel %u: a request of bank %u does not know whether its row is open", c, b);
		}
		hits += hit;
		HOLDS(queued == ch->bank[b].queued && hit == ch->bank[b].hits,
		      "DRAM channel %u: bank %u has %u requests, %u to its open row; counted %u, %u", c, b, queued, hit,
		      ch->bank[b].queued, ch->bank[b].hits);
		HOLDS((ch->st->hit_banks >> b & 1) == (hit != 0) && (ch->st->row_banks >> b & 1) == (queued && !hit) &&
		          (ch->st->open_banks >> b & 1) == (ch->bank[b].row != 0),
		      "DRAM channel %u: the masks of bank %u do not fit its %u requests, %u to row %llu", c, b, queued, hit,
		      (unsigned long long)ch->bank[b].row);
	}
	HOLDS(hits == ch->st->hits, "DRAM channel %u: %u requests to open rows, counted %u", c, hits, ch->st->hits);
	return true;
}

static bool check_channel(const struct mem *m, u32 c, struct err *e)
{
	const struct channel *ch = &m->chan[c];
	u64 seen[4] = {0};
	HOLDS(ch->st->n <= m->c.dram_queue, "DRAM channel %u: %u requests, room for %u", c, ch->st->n, m->c.dram_queue);
	for (u32 i = 0; i < m->c.dram_queue; i++) {
		u8 at = ch->order[i];
		HOLDS(at < m->c.dram_queue && !(seen[at / 64] >> at % 64 & 1), "DRAM channel %u: place %u is listed twice", c,
		      at);
		seen[at / 64] |= BIT(at % 64);
	}
	HOLDS((ch->st->due == NEVER) == !ch->st->n, "DRAM channel %u: %u requests, next command at %llu", c, ch->st->n,
	      (unsigned long long)ch->st->due);
	return check_banks(m, c, e);
}

/* Requests are in miss queues, in windows, or on their way back. */
static bool check_dram(const struct mem *m, struct err *e)
{
	u32 queued = 0, windows = 0, back = 0;
	for (u32 i = 0; i < m->nslices; i++)
		queued += m->slice[i].st->mq_n;
	for (u32 i = 0; i < m->nchannels; i++) {
		windows += m->chan[i].st->n;
		if (!check_channel(m, i, e))
			return false;
	}
	for (u32 i = 0; i < m->dram_pool->fresh; i++)
		back += wheel_at(&m->wheel, m->timer_dram + i) != NEVER;
	HOLDS(queued + windows + back == m->dram_pool->used,
	      "DRAM requests: %u in miss queues, %u in windows, %u on their way back; counted %u", queued, windows, back,
	      m->dram_pool->used);
	return check_pool("DRAM requests", m->dram_pool, m->ndram, requests_in(m, m->dram_pool->free), e);
}

/* l1c.behind=l1i: each MSHR of the constant cache waits in L1I, or its line is under way from there. */
static bool check_constants(const struct mem *m, u32 sm, struct err *e)
{
	const struct mshr_table *l1c = &m->l1[sm * MC_COUNT + MC_L1C].mshr, *l1i = &m->l1[sm * MC_COUNT + MC_L1I].mshr;
	u8 found[256] = {0}; /* l1c.mshrs are no more */
	for (u32 i = 0; i < l1i->st->fresh; i++)
		for (u32 k = 0; l1i->e[i].used && k < l1i->e[i].n; k++) {
			const u32 word = l1i->w[i * l1i->merges + k].who;
			if (constants_wait(word))
				found[word & 0xff]++;
		}
	u64 last = 0;
	for (u32 k = 0; k < m->constants[sm].n; k++) {
		const struct constant_answer *a = constants_at(m, sm, k);
		found[a->mshr & 0xff]++;
		HOLDS(a->ready >= last, "SM %u: a constant overtakes the one before it from L1I", sm);
		last = a->ready;
	}
	for (u32 i = 0; i < l1c->size; i++)
		HOLDS(found[i] == (i < l1c->st->fresh && l1c->e[i].used), "l1c %u: MSHR %u waits for L1I in %u places", sm, i,
		      found[i]);
	const u64 due = m->constants[sm].n ? constants_at(m, sm, 0)->ready : NEVER;
	HOLDS(wheel_at(&m->wheel, m->timer_constants + sm) == due, "SM %u: constants from L1I are due in another cycle",
	      sm);
	return true;
}

bool mem_check_state(const struct mem *m, struct err *e)
{
	struct census *n = xcalloc(m->nsms, sizeof *n);
	struct noc_census net = {0};
	bool ok = (!m->net->census || m->net->census(m, &net, e)) && check_packets(m, &net, n, e) &&
	          check_messages(m, &net, e) && check_waiters(m, e) && check_dram(m, e) && wheel_check(&m->wheel, e);
	for (u32 sm = 0; ok && sm < m->nsms; sm++) {
		count_sm(m, sm, &n[sm]);
		ok = check_port(m, sm, &n[sm], e) && (!m->constants || check_constants(m, sm, e));
		for (u32 c = 0; ok && c < MC_COUNT; c++) {
			const struct l1 *l = &m->l1[sm * MC_COUNT + c];
			const struct where at = {cache_names[c], sm, c == MC_L1D && m->rule->words ? l->words : NULL};
			ok = check_cache(at, &l->mshr, &l->tags, true, e) && check_empty(at, &l->tags, l->st->empty_at, e);
		}
	}
	for (u32 i = 0; ok && i < m->nslices; i++)
		ok = check_slice(m, i, e);
	free(n);
	return ok && (!m->rule->check || m->rule->check(m, e));
}
