/* An L2 slice: tags, MSHRs, a data port of l2.port bytes per L2 cycle, a miss queue to its DRAM channel.
 *
 * Requests are served in order. A request that left the interconnect passes l2.latency cycles of pipeline and then
 * meets the tags: a hit replies in that cycle, a miss goes to the miss queue, and its data replies in the cycle it
 * comes back. The port is busy for the data moved (at least a cycle), the atomic unit for l2.atomic cycles per sector.
 * A head that is refused (no line, no MSHR, merge list full, miss queue full) or finds the output full stops those
 * behind it.
 *
 * Write-back, write-allocate with lazy fetch: a write takes a line without reading it. A write that covers its sectors
 * makes them valid; one that covers them in part makes them dirty only, and a later read fetches them. There is no byte
 * mask: two partial writes never add up to a full one, and a write that covers some of its sectors fully and others not
 * counts as partial for all.
 *
 * With l2.parts=2 some requests come from the other part of L2, or go there: far.h.
 *
 * With l2.write_miss=fetch a write whose sectors are not there goes on to DRAM, which acknowledges it, and has its line
 * read; only one that finds them makes them dirty. */
#include "base/bits.h"
#include "mem/far.h"
#include "mem/ref_count.h"
#include "mem/use.h"

static bool is_atomic(u32 op)
{
	return op == MO_ATOMIC || op == MO_RED;
}
static bool is_write(u32 op)
{
	return op == MO_STORE || op == MO_LOCAL_STORE || op == OP_WRITEBACK;
}

void l2_answer(struct mem *m, u32 slice, u32 pi, u64 now)
{
	if (unlikely(far_is(m, m->packet[pi].sm, slice)))
		far_return(m, pi, now);
	else
		noc_reply(m, slice, pi, now);
}

/* --- miss queue --------------------------------------------------------------------------------------------------- */
static bool queue_room(const struct mem *m, const struct slice *s, u32 n)
{
	return s->st->mq_n + n <= m->c.l2_missq || !s->st->mq_n;
}

static u32 queue_push(struct mem *m, u32 slice, u64 line, u8 sectors, bool write, u32 mshr)
{
	struct slice_state *st = m->slice[slice].st;
	u32 i = dram_req_alloc(m), bank;
	struct dram_req *r = &m->dreq[i];
	struct mem_place place = map_place(&m->map, line);
	map_bank(&m->map, &place, &bank, &r->row);
	r->next = 0;
	r->mshr = mshr;
	r->slot = mshr == NONE ? NONE : m->slice[slice].mshr.e[mshr].slot;
	r->answers = 0;
	r->slice = (u16)slice;
	r->bank = (u8)bank;
	r->sectors = sectors;
	bool split = !write && m->c.l2_sector_reads;
	r->bursts = split ? (u16)(bit_count(sectors) * m->sector_bursts) : m->bursts[sectors];
	r->write = write;
	if (st->mq_head)
		m->dreq[st->mq_tail - 1].next = i + 1;
	else
		st->mq_head = i + 1;
	st->mq_tail = i + 1;
	st->mq_n++;
	return i;
}

/* --- the request at the head -------------------------------------------------------------------------------------- */
enum mem_result l2_make_room(struct mem *m, u32 slice, const struct packet *p, u32 others, u64 now, u32 *at)
{
	struct slice *s = &m->slice[slice];
	u32 i = tags_victim(&s->tags, p->set, s->tags.ways);
	if (i != TAGS_NONE && m->rule->victim && (i = m->rule->victim(m, slice, p->set, i, now)) == TAGS_NONE)
		return MR_RF_LINE;
	if (i == TAGS_NONE)
		return MR_RF_LINE;
	u8 dirty = s->tags.line[i].dirty;
	if (others + (dirty != 0) && !queue_room(m, s, others + (dirty != 0)))
		return MR_RF_QUEUE;
	if (s->tags.tag[i]) {
		s->cc->evictions++;
		if (dirty) {
			s->cc->writebacks++;
			queue_push(m, slice, s->tags.tag[i] - 1, dirty, true, NONE);
		}
	}
	tags_install(&s->tags, i, tags_line_of(&s->tags, p->addr));
	*at = i;
	return MR_HIT;
}

static void fetch(struct mem *m, u32 slice, u32 mshr, u8 sectors, u64 now)
{
	struct slice *s = &m->slice[slice];
	struct mshr_entry *e = &s->mshr.e[mshr];
	e->pending |= sectors;
	tags_reserve(&s->tags, e->slot, sectors);
	const u32 req = queue_push(m, slice, e->line, sectors, false, mshr);
	HOP_TELL(m->ear, .what = NEWS_FETCH, .cycle = now, .id = req, .of = mshr, .slice = slice, .addr = e->line,
	         .sectors = sectors);
}

/* l2.write_miss=fetch: the write goes to DRAM, which acknowledges it, and what its line lacks is read, unless it is on
 * its way already. That read answers nobody: it takes an MSHR but none of its places for requests. */
static enum mem_result write_through(struct mem *m, u32 slice, u32 pi, u32 *i, u64 now)
{
	struct slice *s = &m->slice[slice];
	struct packet *p = &m->packet[pi];
	u64 line = tags_line_of(&s->tags, p->addr);
	bool on_way = *i != TAGS_NONE && s->tags.line[*i].pending;
	if (!on_way && !mshr_available(&s->mshr))
		return MR_RF_MSHR;
	if (*i == TAGS_NONE) {
		enum mem_result mr = l2_make_room(m, slice, p, 2, now, i);
		if (mr != MR_HIT)
			return mr;
	} else if (!queue_room(m, s, on_way ? 1 : 2)) {
		return MR_RF_QUEUE;
	}
	m->dreq[queue_push(m, slice, line, p->need, true, NONE)].answers = pi + 1;
	p->state = PS_DRAM;
	if (on_way)
		return MR_HIT;
	u32 mshr = mshr_alloc(&s->mshr, line, *i, false, now, s->cc);
	s->tags.line[*i].mshr = (u16)mshr;
	fetch(m, slice, mshr, s->tags.full & (u8)~s->tags.line[*i].valid, now);
	return MR_HIT;
}

/* The write's sectors are its line's, which is taken if there is none. */
static enum mem_result write_back_later(struct mem *m, u32 slice, const struct packet *p, u32 *i, u64 now)
{
	struct slice *s = &m->slice[slice];
	if (*i == TAGS_NONE) {
		enum mem_result mr = l2_make_room(m, slice, p, 0, now, i);
		if (mr != MR_HIT)
			return mr;
	}
	s->tags.line[*i].dirty |= p->need;
	if (!p->partial)
		s->tags.line[*i].valid |= p->need;
	return MR_HIT;
}

static enum mem_result serve_write(struct mem *m, u32 slice, u32 pi, u64 now)
{
	struct slice *s = &m->slice[slice];
	const struct packet *p = &m->packet[pi];
	u32 i = tags_find(&s->tags, p->set, tags_line_of(&s->tags, p->addr));
	u32 look = ref_look(&s->tags, i, p->need, true, m->l2_sectored);
	bool absent = i == TAGS_NONE, lacks = absent || p->need & (u8)~s->tags.line[i].valid;
	bool through = lacks && m->c.l2_write_miss == WRITE_MISS_FETCH, miss = absent || through;
	enum mem_result mr = through ? write_through(m, slice, pi, &i, now) : write_back_later(m, slice, p, &i, now);
	if (mr != MR_HIT)
		return mr;
	++*(miss ? &s->cc->misses : &s->cc->hits);
	s->cc->write_misses += miss;
	if (!absent)
		tags_touch(&s->tags, i);
	if (s->ideal.n)
		ideal_use(&s->ideal, i, s->tags.tag[i] - 1, through ? s->tags.full : p->partial ? 0 : p->need);
	s->cc->writes++;
	ref_count(s->cc, REF_WRITE, look);
	if (!through)
		l2_answer(m, slice, pi, now);
	return MR_HIT;
}

/* Part of the line is on its way: merge, or fetch further sectors into the same entry. */
static enum mem_result join(struct mem *m, u32 slice, const struct packet *p, u32 mshr, u8 need, u64 now)
{
	struct slice *s = &m->slice[slice];
	const struct mshr_entry *e = &s->mshr.e[mshr];
	u8 more = need & (u8)~e->pending;
	if (!mshr_mergeable(&s->mshr, mshr))
		return MR_RF_MERGE;
	if (more && !queue_room(m, s, 1))
		return MR_RF_QUEUE;
	if (more)
		fetch(m, slice, mshr, more, now);
	++*(more ? &s->cc->misses : &s->cc->merges);
	if (!s->ideal.n)
		return MR_HIT;
	if (more)
		ideal_miss(&s->ideal, e->slot, e->line, more, p->need, s->cc);
	else
		ideal_use(&s->ideal, e->slot, e->line, p->need);
	return MR_HIT;
}

static enum mem_result miss(struct mem *m, u32 slice, const struct packet *p, u32 i, u32 *mshr, u64 now)
{
	struct slice *s = &m->slice[slice];
	u64 line = tags_line_of(&s->tags, p->addr);
	if (!mshr_available(&s->mshr))
		return MR_RF_MSHR;
	if (i == TAGS_NONE) {
		enum mem_result mr = l2_make_room(m, slice, p, 1, now, &i);
		if (mr != MR_HIT)
			return mr;
	} else if (!queue_room(m, s, 1)) {
		return MR_RF_QUEUE;
	}
	*mshr = mshr_alloc(&s->mshr, line, i, false, now, s->cc);
	s->tags.line[i].mshr = (u16)*mshr;
	u8 want = m->c.coalesce == COALESCE_SECTOR32 ? p->need : s->tags.full;
	u8 missing = p->need & (u8)~s->tags.line[i].valid;
	fetch(m, slice, *mshr, want & (u8)~s->tags.line[i].valid, now);
	s->cc->misses++;
	if (s->ideal.n)
		ideal_miss(&s->ideal, i, line, missing, want, s->cc);
	struct event_buf *ev = mem_shared_ev(m);
	if (event_wanted(ev, EV_L2_MISS)) {
		struct event *e = event_add(ev, EV_L2_MISS, now);
		e->arg[0] = line;
		e->arg[1] = slice;
	}
	return MR_HIT;
}

/* As what a request that is answered with data counts. */
static enum ref_kind kind_of(u32 op)
{
	if (is_atomic(op))
		return REF_ATOMIC;
	return op == OP_GET ? REF_WRITE : REF_READ;
}

/* Loads and atomics: they need the sectors' data. *moved: answered now, with data through the port. */
static enum mem_result serve_read(struct mem *m, u32 slice, u32 pi, u64 now, bool *moved)
{
	struct slice *s = &m->slice[slice];
	struct packet *p = &m->packet[pi];
	u32 i = tags_find(&s->tags, p->set, tags_line_of(&s->tags, p->addr)), mshr = NONE;
	enum ref_kind kind = kind_of(p->op);
	u8 need = p->need;
	if (i != TAGS_NONE)
		need &= (u8)~s->tags.line[i].valid;
	*moved = !need;
	if (!need) {
		tags_touch(&s->tags, i);
		s->tags.line[i].dirty |= kind == REF_ATOMIC ? p->need : 0;
		if (s->ideal.n)
			ideal_use(&s->ideal, i, s->tags.tag[i] - 1, p->need);
		s->cc->hits++;
		ref_hit(s->cc, kind, p->need, m->l2_sectored);
		HOP_TELL(m->ear, .what = NEWS_L2, .cycle = now, .id = pi, .slice = slice, .hit = true);
		l2_answer(m, slice, pi, now);
	} else {
		u32 look = ref_look(&s->tags, i, p->need, false, m->l2_sectored);
		bool on_way = i != TAGS_NONE && s->tags.line[i].pending;
		if (on_way)
			mshr = s->tags.line[i].mshr;
		enum mem_result mr = on_way ? join(m, slice, p, mshr, need, now) : miss(m, slice, p, i, &mshr, now);
		if (mr != MR_HIT)
			return mr;
		p->state = PS_DRAM;
		HOP_TELL(m->ear, .what = NEWS_L2, .cycle = now, .id = pi, .slice = slice, .of = mshr, .sectors = need,
		         .why = on_way ? NEWS_L2_MERGED : 0);
		tags_touch(&s->tags, s->mshr.e[mshr].slot);
		mshr_wait(&s->mshr, mshr, pi, need);
		ref_count(s->cc, kind, look);
	}
	++*(kind == REF_ATOMIC ? &s->cc->atomics : kind == REF_WRITE ? &s->cc->writes : &s->cc->reads);
	return MR_HIT;
}

/* L2 cycles that the slice is busy with a request whose data moves. */
static u32 busy_cycles(const struct mem *m, u32 op, u8 sectors)
{
	u32 n = sector_count(sectors), port = m->port_cycles[n];
	return is_atomic(op) ? MAX(port, n * m->c.l2_atomic) : port;
}

static inline enum mem_result serve(struct mem *m, u32 slice, u32 pi, u64 now, u32 *busy)
{
	u32 op = m->packet[pi].op;
	u8 need = m->packet[pi].need;
	bool moved = true, done = false;
	m->packet[pi].state = PS_L2;
	*busy = 1;
	if (unlikely(m->rule->serve != NULL)) {
		enum mem_result r = m->rule->serve(m, slice, pi, now, &done);
		if (r != MR_HIT || done)
			return r;
		need = m->packet[pi].need;
	}
	enum mem_result mr = is_write(op) ? serve_write(m, slice, pi, now) : serve_read(m, slice, pi, now, &moved);
	*busy = moved ? busy_cycles(m, op, need) : 1;
	if (unlikely(m->parted) && mr == MR_HIT && class_up(op) != MSG_READ)
		far_drop_copy(m, slice, &m->packet[pi]);
	if (unlikely(op == OP_GET) && mr == MR_HIT)
		m->rule->served(m, slice, pi);
	return mr;
}

/* The same for somebody who listens. */
static __attribute__((noinline)) enum mem_result serve_told(struct mem *m, u32 slice, u32 pi, u64 now, u32 *busy)
{
	struct use_look look;
	use_look_slice(m, slice, pi, &look);
	enum mem_result mr = serve(m, slice, pi, now, busy);
	if (mr == MR_HIT)
		use_tell_slice(m, slice, &look, now);
	return mr;
}

/* --- the slice ---------------------------------------------------------------------------------------------------- */
/* The head that is next is that of the queue beside the input. */
static inline bool far_is_next(const struct mem *m, const struct slice_state *st)
{
	return unlikely(st->far_n) && (!st->in_n || m->packet[st->far_head - 1].ready <= m->packet[st->in_head - 1].ready);
}

/* A packet has been served: what is counted of it, and what its place makes possible. */
static void served(struct mem *m, u32 slice, u32 op, bool far, u32 *waiting, u64 now)
{
	struct slice *s = &m->slice[slice];
	s->cc->accesses++;
	++*(far ? &s->cc->far_accesses : &s->cc->near_accesses);
	count_received(m, class_up(op));
	--*waiting;
	if (s->st->mq_n)
		channel_refill(m, s->channel, now);
	noc_credit(m, slice, now);
}

void l2_run(struct mem *m, u32 slice, u64 now)
{
	struct slice *s = &m->slice[slice];
	struct slice_state *st = s->st;
	while ((st->in_n | st->far_n) && !st->blocked && !st->out_full) {
		bool beside = far_is_next(m, st);
		u32 *head = beside ? &st->far_head : &st->in_head, *waiting = beside ? &st->far_n : &st->in_n;
		u32 pi = *head - 1, busy;
		const struct packet *p = &m->packet[pi];
		u64 start = MAX(clock_up(&m->l2clk, p->ready), st->free), at = clock_core(&m->l2clk, start);
		if (at > now) {
			tags_prefetch(&s->tags, p->set);
			wheel_set(&m->wheel, m->timer_slice + slice, at);
			return;
		}
		st->out_full = st->out_n >= m->reply_places;
		if (st->out_full)
			return;
		*head = p->next;
		u32 op = p->op;
		bool far = beside && far_is(m, p->sm, slice);
		if (beside && !far && far_pass(m, slice, pi, now)) {
			--*waiting;
			continue;
		}
		enum mem_result mr =
		    unlikely(m->ear != NULL) ? serve_told(m, slice, pi, now, &busy) : serve(m, slice, pi, now, &busy);
		if (mr != MR_HIT) { /* nothing happened: back to the head */
			*head = pi + 1;
			st->blocked = (u8)mr;
			st->blocked_since = now;
			HOP_TELL(m->ear, .what = NEWS_L2, .cycle = now, .id = pi, .slice = slice, .why = (u8)mr);
			return;
		}
		st->free = start + busy;
		served(m, slice, op, far, waiting, now);
	}
}

void l2_arm(struct mem *m, u32 slice, u64 now)
{
	struct slice_state *st = m->slice[slice].st;
	u32 pi = (far_is_next(m, st) ? st->far_head : st->in_head) - 1;
	u64 start = MAX(clock_up(&m->l2clk, m->packet[pi].ready), st->free);
	wheel_set(&m->wheel, m->timer_slice + slice, clock_core(&m->l2clk, start));
}

static void count_blocked(struct slice *s, u64 now)
{
	u64 n = now - s->st->blocked_since;
	switch (s->st->blocked) {
	case MR_RF_LINE: s->cc->rf_line += n; break;
	case MR_RF_MSHR: s->cc->rf_mshr += n; break;
	case MR_RF_MERGE: s->cc->rf_merge += n; break;
	case MR_RF_QUEUE: s->cc->rf_queue += n; break;
	}
	s->st->blocked_since = now;
}

void l2_retry(struct mem *m, u32 slice, u64 now)
{
	struct slice *s = &m->slice[slice];
	count_blocked(s, now);
	s->st->blocked = MR_HIT;
	s->st->out_full = false;
	s->st->free = MAX(s->st->free, clock_up(&m->l2clk, now));
	wheel_set(&m->wheel, m->timer_slice + slice, now);
}

void l2_sync(struct mem *m, u32 slice, u64 now)
{
	struct slice *s = &m->slice[slice];
	if (s->st->blocked && now > s->st->blocked_since)
		count_blocked(s, now);
	mshr_account(&s->mshr, now, s->cc);
}

void l2_fill(struct mem *m, u32 di, u64 now)
{
	struct dram_req *r = &m->dreq[di];
	u32 slice = r->slice, out[256];
	if (r->answers) {
		u32 pi = r->answers - 1;
		r->answers = 0;
		dram_req_free(m, di);
		l2_answer(m, slice, pi, now);
		return;
	}
	u8 sectors = r->sectors;
	struct slice *s = &m->slice[slice];
	u32 mshr = r->mshr, at = r->slot;
	struct line *v = &s->tags.line[at];
	__builtin_prefetch(&s->tags.line[at], 1);
	__builtin_prefetch(&s->tags.key[at], 1);
	__builtin_prefetch(&s->mshr.w[mshr * s->mshr.merges]);
	__builtin_prefetch(&s->mshr.e[mshr]);
	dram_req_free(m, di);
	HOP_TELL(m->ear, .what = NEWS_BACK, .cycle = now, .id = di, .of = mshr, .slice = slice, .sectors = sectors,
	         .at = tags_number(&s->tags, at));
	tags_arrive(&s->tags, at, sectors);
	s->cc->fills += m->c.coalesce == COALESCE_SECTOR32 ? sector_count(sectors) : 1;
	u32 n = mshr_arrive(&s->mshr, mshr, sectors, out, now, s->cc);
	s->st->free = MAX(s->st->free, clock_up(&m->l2clk, now));
	for (u32 k = 0; k < n; k++) {
		struct packet *p = &m->packet[out[k]];
		p->dram = true;
		if (is_atomic(p->op))
			v->dirty |= p->need;
		s->st->free += busy_cycles(m, p->op, p->need);
		l2_answer(m, slice, out[k], now);
	}
	l2_unblock(m, slice, now);
}

/* --- copies by the host ------------------------------------------------------------------------------------------- */
/* Sectors of a line are there from now on, as if read long ago. A line on its way, or in a set of which every line is,
 * stays as it is. A dirty line that makes room goes without a trace: the copy takes no time. */
static void copy_line(struct mem *m, u64 line, u8 sectors)
{
	struct mem_place place = map_place(&m->map, line);
	struct slice *s = &m->slice[place.slice];
	u32 set = tags_set(&s->tags, map_slice_line(&m->map, &place, line)), i = tags_find(&s->tags, set, line);
	if (i == TAGS_NONE) {
		i = tags_victim(&s->tags, set, s->tags.ways);
		if (i == TAGS_NONE)
			return;
		tags_install(&s->tags, i, line);
	} else if (s->tags.line[i].pending) {
		return;
	} else {
		tags_touch(&s->tags, i);
	}
	s->tags.line[i].valid |= sectors;
	if (s->ideal.n)
		ideal_use(&s->ideal, i, line, sectors);
}

void mem_copied(struct mem *m, u64 addr, u64 n, u64 following)
{
	const struct tags *t = &m->slice[0].tags;
	const u64 size = m->c.l2_line, end = addr + n, looked_at = 8 * (u64)m->nslices * t->sets * t->ways * size;
	if (!m->c.l2_copies || following >= looked_at)
		return;
	if (n > looked_at - following)
		addr = end - (looked_at - following);
	for (u64 line = addr & ~(size - 1); line < end; line += size) {
		u64 from = MAX(addr, line) - line, to = MIN(end, line + size) - line;
		copy_line(m, line, (u8)(bit_range((u32)ceil_div(to, SECTOR_BYTES)) & ~bit_range((u32)(from / SECTOR_BYTES))));
	}
}
