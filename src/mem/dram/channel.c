/* A DRAM channel: a window of requests, banks with an open row, a command bus (one command a cycle) and a data bus.
 *
 * Commands are decided only at the cycles where the earliest of them is allowed. A request is one or more bursts of one
 * row, each a column command. Bank groups are the low bits of the bank number, so that neighbouring chunks alternate
 * between groups.
 *
 * Turning the data bus round: read command to write command CL + burst + 2 - WL (12 cycles on the GTX 480), write
 * command to read command WL + burst + WTR (11), the same sums as in GPGPU-Sim. Nothing groups reads and writes
 * beyond that: first-ready order stays with a direction while row hits of it are ready, because each of them pushes the
 * other direction back, and so does GPGPU-Sim's.
 *
 * Measured with vecadd of 2^20 elements on gpgpusim480, core cycles (GPGPU-Sim 4.2: 85,482):
 *     51,613  as it is, data bus busy 93.9 % (reads and writes at 2:1, 192 k bursts of 64 B take 48.5 k at least)
 *     50,006  no turnaround at all          52,828  ten cycles more each way
 *     54,960  window of 16 requests         220,539  strict fcfs
 *     55,871  bank groups from the high bank bits instead of the low ones
 *     51,613  one request per bank offered to the scheduler, as GPGPU-Sim's bank registers do
 *     84,107  each 32 B sector read by itself with a whole burst of 64 B
 * The last line is what GPGPU-Sim does on this machine: its L2 is of the sectored kind and breaks a request for a line
 * into four of a sector, and a DRAM command moves 64 B whatever is asked for, so reads waste half of their bursts
 * (written lines go in one piece). That alone accounts for the difference, to 1.6 %. l2.sector_reads does the same (the
 * machine gpgpusim480 has it on); by default, as in hardware with lines of 128 B, a line is read in two bursts. */
#include "base/bits.h"
#include "mem/impl.h"

#include <string.h>

static struct dram_timing timing(const struct conf *c)
{
	u32 burst = (u32)ceil_div(c->dram_burst, c->dram_ratio);
	struct dram_timing t = {.burst = burst, .rtp = c->dram_tRTP, .rcd = c->dram_tRCD, .ras = c->dram_tRAS};
	t.rp = c->dram_tRP;
	t.rc = c->dram_tRC;
	t.rrd = c->dram_tRRD;
	t.ccd = MAX(c->dram_tCCD, burst);
	t.ccdl = MAX(c->dram_tCCDL, t.ccd);
	t.read_done = c->dram_tCL + burst;
	t.write_done = c->dram_tWL + burst;
	/* Read to write: GPGPU-Sim's CL + burst + 2 - WL, the data bus turns round. */
	t.rd_to_wr = MAX(t.read_done + 2, c->dram_tWL + t.ccd) - c->dram_tWL;
	t.wr_to_rd = t.write_done + c->dram_tWTR;
	t.wr_to_pre = t.write_done + c->dram_tWR;
	return t;
}

/* Bursts that the sectors of an L2 line take: a burst moves whole sectors, or a part of one. */
static u16 count_bursts(const struct conf *c, u32 sectors)
{
	u32 bytes = c->dram_bus * c->dram_burst, n = 0;
	if (bytes <= SECTOR_BYTES)
		return (u16)(bit_count32(sectors) * ceil_div(SECTOR_BYTES, bytes));
	for (u32 s = 0; s < 8; s += bytes / SECTOR_BYTES)
		n += (sectors >> s & bit_range(bytes / SECTOR_BYTES)) != 0;
	return (u16)n;
}

void channel_init(struct mem *m, struct arena *a)
{
	m->tm = timing(&m->c);
	for (u32 s = 0; s < 256; s++)
		m->bursts[s] = count_bursts(&m->c, s);
	m->sector_bursts = count_bursts(&m->c, 1);
	for (u32 b = 0; b < m->c.dram_banks; b++)
		m->group[b] = (u8)(b % m->c.dram_groups);
	for (u32 i = 0; i < m->nchannels; i++) {
		struct channel *ch = &m->chan[i];
		ch->st = ARENA_NEW(a, struct channel_state, 1);
		ch->w = ARENA_NEW(a, struct window_entry, m->c.dram_queue);
		ch->order = ARENA_NEW(a, u8, m->c.dram_queue);
		ch->bank = ARENA_NEW(a, struct bank_state, m->c.dram_banks);
		ch->row_ok = ARENA_NEW(a, u64, m->c.dram_banks);
		ch->group_next = ARENA_NEW(a, u64, m->c.dram_groups);
		ch->cc = ARENA_NEW(a, struct dram_counters, 1);
		ch->slice0 = i * m->c.l2_slices;
	}
}

void channel_reset(struct mem *m)
{
	for (u32 i = 0; i < m->nchannels; i++) {
		m->chan[i].st->due = NEVER;
		for (u32 k = 0; k < m->c.dram_queue; k++)
			m->chan[i].order[k] = (u8)k;
	}
}

/* --- the window --------------------------------------------------------------------------------------------------- */
static void arm(struct mem *m, u32 channel)
{
	u64 due = m->chan[channel].st->due;
	u64 at = due == NEVER ? NEVER : clock_core(&m->dramclk, due);
	if (at < wheel_at(&m->wheel, m->timer_channel + channel))
		wheel_set(&m->wheel, m->timer_channel + channel, at);
}

/* Keeps the masks of banks in step with a bank's counts. */
static inline void update_bank(struct channel *ch, u32 bank)
{
	const struct bank_state *b = &ch->bank[bank];
	u64 bit = BIT(bank), hit = b->hits ? bit : 0, queued = b->queued ? bit : 0;
	ch->st->hit_banks = (ch->st->hit_banks & ~bit) | hit;
	ch->st->row_banks = (ch->st->row_banks & ~bit) | (queued & ~hit);
}

/* A row was opened or closed: which requests hit now. */
static void update_hits(struct channel *ch, u32 bank)
{
	struct bank_state *b = &ch->bank[bank];
	u32 left = b->queued;
	ch->st->hits -= b->hits;
	b->hits = 0;
	for (u32 i = 0; left; i++) {
		struct window_entry *w = window_at(ch, i);
		if (w->bank != bank)
			continue;
		w->hit = w->row + 1 == b->row;
		b->hits += w->hit;
		left--;
	}
	ch->st->hits += b->hits;
	update_bank(ch, bank);
}

static void enter(struct mem *m, u32 channel, u32 req, u64 now)
{
	struct channel *ch = &m->chan[channel];
	struct dram_req *r = &m->dreq[req];
	struct bank_state *b = &ch->bank[r->bank];
	struct window_entry *w = window_at(ch, ch->st->n++);
	bool hit = b->row == r->row + 1;
	r->arrived = now;
	*w = (struct window_entry){.row = r->row,
	                           .arrived = clock_up(&m->dramclk, now),
	                           .req = req,
	                           .bank = r->bank,
	                           .group = m->group[r->bank],
	                           .left = r->bursts,
	                           .write = r->write,
	                           .hit = hit};
	b->queued++;
	b->hits += hit;
	ch->st->hits += hit;
	ch->cc->requests++;
	HOP_TELL(m->ear, .what = NEWS_WINDOW, .cycle = now, .id = req, .at = channel, .hit = hit);
	if (!ch->st->issuing)
		dram_decide_added(m, ch);
	update_bank(ch, r->bank);
	if (!ch->st->issuing)
		arm(m, channel);
}

void channel_take(struct mem *m, u32 channel, u64 now)
{
	struct channel *ch = &m->chan[channel];
	for (u32 idle = 0; ch->st->n < m->c.dram_queue && idle < m->c.l2_slices;) {
		u32 slice = ch->slice0 + ch->st->rr;
		ch->st->rr = ch->st->rr + 1 < m->c.l2_slices ? ch->st->rr + 1 : 0;
		struct slice_state *s = m->slice[slice].st;
		if (!s->mq_n) {
			idle++;
			continue;
		}
		idle = 0;
		u32 req = s->mq_head - 1;
		s->mq_head = m->dreq[req].next;
		s->mq_n--;
		enter(m, channel, req, now);
		if (s->blocked == MR_RF_QUEUE)
			l2_unblock(m, slice, now);
	}
}

/* The last burst of entry i was commanded; its data ends at DRAM cycle `end`. */
static void leave(struct mem *m, u32 channel, u32 i, u64 end, u64 now)
{
	struct channel *ch = &m->chan[channel];
	struct window_entry w = *window_at(ch, i);
	u8 place = ch->order[i];
	struct bank_state *b = &ch->bank[w.bank];
	u64 end_core = clock_core(&m->dramclk, end);
	b->queued--;
	b->hits--;
	ch->st->hits--;
	update_bank(ch, w.bank);
	ch->cc->queue_cycles += end_core - m->dreq[w.req].arrived;
	ch->st->n--;
	memmove(&ch->order[i], &ch->order[i + 1], ch->st->n - i);
	ch->order[ch->st->n] = place;
	if (w.write && !m->dreq[w.req].answers)
		dram_req_free(m, w.req);
	else
		wheel_set(&m->wheel, m->timer_dram + w.req, end_core + m->c.dram_latency);
	channel_refill(m, channel, now);
}

/* --- commands ----------------------------------------------------------------------------------------------------- */
static void column(struct mem *m, u32 channel, u32 i, u64 d, u64 now)
{
	struct channel *ch = &m->chan[channel];
	struct channel_state *st = ch->st;
	const struct dram_timing *tm = &m->tm;
	struct window_entry *w = window_at(ch, i);
	st->col_next = d + tm->ccd;
	ch->group_next[w->group] = d + tm->ccdl;
	if (w->write)
		st->rd_next = d + tm->wr_to_rd;
	else
		st->wr_next = d + tm->rd_to_wr;
	u64 pre_ok = d + (w->write ? tm->wr_to_pre : tm->rtp);
	ch->row_ok[w->bank] = MAX(ch->row_ok[w->bank], pre_ok);
	st->rested &= ~BIT(w->bank);
	++*(w->write ? &ch->cc->writes : &ch->cc->reads);
	++*(w->missed ? &ch->cc->row_misses : &ch->cc->row_hits);
	ch->cc->bytes += m->c.dram_bus * m->c.dram_burst;
	ch->cc->busy += tm->burst;
	HOP_TELL(m->ear, .what = NEWS_COLUMN, .cycle = now, .id = w->req, .of = w->left == 1, .hit = !w->missed,
	         .at = clock_core(&m->dramclk, d + (w->write ? tm->write_done : tm->read_done)));
	w->missed = false;
	if (!--w->left)
		leave(m, channel, i, d + (w->write ? tm->write_done : tm->read_done), now);
}

static void activate(struct mem *m, u32 channel, u32 i, u64 d, u64 now)
{
	struct channel *ch = &m->chan[channel];
	struct window_entry *w = window_at(ch, i);
	struct bank_state *b = &ch->bank[w->bank];
	b->row = w->row + 1;
	b->col_ok = d + m->tm.rcd;
	b->act_ok = d + m->tm.rc;
	ch->row_ok[w->bank] = d + m->tm.ras;
	ch->st->rested &= ~BIT(w->bank);
	ch->st->open_banks |= BIT(w->bank);
	update_hits(ch, w->bank);
	ch->st->act_next = d + m->tm.rrd;
	ch->cc->activates++;
	HOP_TELL(m->ear, .what = NEWS_ACTIVATE, .cycle = now, .id = w->req, .of = w->bank, .at = w->row);
	w->missed = true;
	struct event_buf *ev = mem_shared_ev(m);
	if (event_wanted(ev, EV_DRAM_ACTIVATE)) {
		struct event *e = event_add(ev, EV_DRAM_ACTIVATE, now);
		e->arg[0] = channel;
		e->arg[1] = w->bank;
		e->arg[2] = w->row;
	}
}

static void precharge(struct mem *m, u32 channel, u32 i, u64 d, u64 now)
{
	struct channel *ch = &m->chan[channel];
	u32 bank = window_at(ch, i)->bank;
	struct bank_state *b = &ch->bank[bank];
	b->row = 0;
	if (b->hits) /* strict fcfs closes rows that others wait for */
		update_hits(ch, bank);
	ch->row_ok[bank] = MAX(b->act_ok, d + m->tm.rp);
	ch->st->rested &= ~BIT(bank);
	ch->st->open_banks &= ~BIT(bank);
	ch->cc->precharges++;
	HOP_TELL(m->ear, .what = NEWS_PRECHARGE, .cycle = now, .id = window_at(ch, i)->req, .of = bank);
}

static void issue(struct mem *m, u32 channel, u64 now)
{
	struct channel_state *st = m->chan[channel].st;
	u64 d = st->due;
	u32 i = st->due_entry;
	enum dram_cmd cmd = st->due_cmd;
	st->cmd_next = d + 1;
	switch (cmd) {
	case CMD_COLUMN: column(m, channel, i, d, now); break;
	case CMD_ACTIVATE: activate(m, channel, i, d, now); break;
	case CMD_PRECHARGE: precharge(m, channel, i, d, now); break;
	}
}

void channel_run(struct mem *m, u32 channel, u64 now)
{
	struct channel *ch = &m->chan[channel];
	u64 limit = clock_down(&m->dramclk, now);
	ch->st->issuing = true; /* requests that enter now are decided on below, with all others */
	while (ch->st->due <= limit) {
		issue(m, channel, now);
		dram_decide(m, ch);
	}
	ch->st->issuing = false;
	if (ch->st->due != NEVER)
		wheel_set(&m->wheel, m->timer_channel + channel, clock_core(&m->dramclk, ch->st->due));
}
