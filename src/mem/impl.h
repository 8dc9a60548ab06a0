/* impl: the common part of the memory system. Nothing outside src/mem includes it.
 *
 * struct mem and the structs with pointers in them are constant after mem_create() and live on the heap. Everything
 * that changes lives in the arena and holds indices only.
 *
 * While requests and replies have buffers of their own (noc.shared_buffer = 0), nothing can deadlock. A packet waits
 * only for something nearer to the end of its way:
 *   - An answer that reaches an SM is consumed there at once: it fills the cache, and its tokens go to a fifo that has
 *     room for all tokens that can be out. So delivery never waits for the SM.
 *   - A reply in a slice's output waits only for a free place at the SM's port, which deliveries free.
 *   - Data from DRAM is always accepted: its replies already own their packets, and the output list has room for all
 *     waiters.
 *   - A DRAM request waits only for its channel; a slice's head waits for its output, its miss queue or its MSHRs; an
 *     SM's miss queue waits for a slice's input.
 *
 * With noc.shared_buffer the second point does not hold: a reply waits for a place at the SM's port, which may be full
 * of requests that wait for a place at a slice, which may be full of replies. That is a circle, and it never dissolves.
 * mem_cycle() finds it (noc/cycle.c says why it finds nothing else). */
#ifndef MEM_IMPL_H
#define MEM_IMPL_H
#include "base/fifo.h"
#include "base/wheel.h"
#include "mem/clock.h"
#include "mem/coherence/coherence.h"
#include "mem/dram/map.h"
#include "mem/mem.h"
#include "mem/mshr.h"
#include "mem/noc/message.h"
#include "mem/noc/network.h"
#include "mem/tags.h"
#include "mem/threec.h"

#define NONE UINT32_MAX
#define PACKET_HEADER 8                /* B: address, type, token */
#define OP_WRITEBACK (MO_PREFETCH + 1) /* a dirty line on its way down; nobody waits for it */
#define OP_OWN (MO_PREFETCH + 2)       /* denovo: a store registers the words that it owns from now on; no data */
#define OP_GET (MO_PREFETCH + 3)       /* denovo: an atomic registers words, whose values come back */

/* --- an SM's caches ----------------------------------------------------------------------------------------------- */
struct l1_state {
	u32 queued;       /* requests of this cache in the SM's miss queue */
	u32 refused;      /* bit per enum mem_result: refusals not retried with success yet */
	bool changed;     /* something of what was refused may go now */
	bool many;        /* refusals of several lines: any fill is a reason to retry */
	u64 refused_line; /* the line wanted, and its set */
	u32 refused_set;
	u32 lent;     /* L1D: ways that shared memory has (sm.carveouts) */
	u64 empty_at; /* the tags' stamp when they were last emptied to the last line: while it is the same, no line is
	                 there */
};
/* A CTA, for longer than it holds its slot. */
struct holder {
	u64 cta;
	u32 launch;
	u32 pad; /* named so that it is zero */
};
struct l1 {
	struct tags tags;
	struct mshr_table mshr;
	u32 missq;
	bool sectored, perfect;
	bool keeps;             /* l1d.keep_stores: dirty sectors are written, and written through */
	u16 cached;             /* bit per enum mem_op: loads that look for their line here */
	struct l1_watch *watch; /* during mem_access_watched() only */
	struct l1_loss *loss;   /* L1D; NULL: nobody asks whose lines are replaced */
	struct ideal ideal;
	struct holder *owner; /* L1D, by set and way: the CTA whose access brought the line in, as long as it is there */
	struct words *words;  /* L1D, by set and way: of coherence/denovo.h */
	struct l1_state *st;
	struct cache_counters *cc;
};

/* One request waiting for the SM's injection port. */
struct sm_request {
	u64 addr;  /* start of the cache line */
	u64 ready; /* core cycle */
	u32 tag;   /* loads: MSHR; else the token */
	union {
		u32 leader; /* noc.switch=islip: packet + 1 that answers for all; 0 = none of its sectors has left */
		u32 words;  /* else, under a rule that counts in them: what it is about */
	};
	u32 launch; /* whose message it is */
	u8 cache, op, sectors;
	bool partial; /* a write that covers no sector completely */
};
struct sm_port {
	u64 src_free;             /* interconnect cycle from which the injection port is free */
	u64 dst_free;             /* interconnect cycle from which the reply port is free */
	struct fifo q;            /* the miss queue, missq_size places */
	bool waiting;             /* in the list of a slice that has no room */
	bool granted;             /* a place at the slice of its head is kept for it */
	bool booked;              /* and time at its port, from when src_free says */
	u32 next_waiter;          /* SM + 1 */
	u32 replies;              /* on their way to the SM */
	u32 promised;             /* further places kept for slices that waited */
	u32 wait_head, wait_tail; /* slices + 1 whose output waits for a place at this port */
	struct fifo answers;      /* answers_size places */
	u32 outstanding;          /* accepted and not popped, writebacks until they arrive */
	u32 stores;               /* of it: stores, reductions and atomics */
};

/* --- packets ------------------------------------------------------------------------------------------------------ */
enum packet_state {
	PS_FREE,
	PS_TO_L2,
	PS_L2,
	PS_DRAM,
	PS_REPLY,
	PS_PARTS,   /* back, and waits for those it leads */
	PS_ENTRY,   /* far.c: in the pipeline of its entry, */
	PS_COPY,    /* queued for a copy there, */
	PS_TO_FAR,  /* on its way to the other part of L2, */
	PS_FROM_FAR /* and back */
};
#define PACKET_STATES (PS_FROM_FAR + 1)
struct packet {
	u64 addr;   /* start of the L1 line */
	u64 ready;  /* core cycle it reaches the slice's tags; then the one it was ready to return */
	u32 tag;    /* loads: the SM cache's MSHR; else the token; of a part: the packet that leads it */
	u32 next;   /* list link: packet + 1 */
	u32 set;    /* L2 set */
	u32 launch; /* whose message it is, and its answer */
	u16 sm, slice;
	u8 cache, op;
	u8 sectors; /* of the SM cache's line */
	u8 need;    /* the same sectors, of the L2 line */
	u8 state;
	bool partial;  /* a write that covers no sector completely */
	bool part : 1; /* noc.switch=islip: another packet answers for it */
	bool dram : 1; /* an answer: L2 had to ask DRAM */
	u8 parts;      /* packets not back that this one answers for, itself included; 0 = it leads none */
	u32 words;     /* as in struct sm_request; 0 with noc.switch=islip */
};
struct pool_state {
	u32 free, fresh, used; /* free: packet + 1 */
};

/* --- noc.switch=islip --------------------------------------------------------------------------------------------- */
enum islip_net { ISLIP_REQUESTS, ISLIP_REPLIES };
struct islip {                  /* inputs and outputs are SMs and slices; masks have a bit for each */
	u32 inputs, outputs, words; /* words of a mask of inputs */
	u64 *fresh;                 /* inputs whose first packet the outputs do not see yet */
	u64 *want;                  /* [output]: inputs whose first packet is for it */
	u64 *active;                /* outputs that somebody wants and that have room */
	u32 *next;                  /* [output]: whose turn it is */
	u64 *due;                   /* interconnect cycle + 1 in which it moves next; 0 = it rests */
};
struct islip_source { /* of an SM: the packets that wait for the switch */
	u32 head, tail, n;
};

/* --- L2 ----------------------------------------------------------------------------------------------------------- */
struct slice_state {
	u64 free;                   /* L2 cycle from which the port is free */
	u64 src_free;               /* interconnect cycle from which the reply port is free */
	u64 dst_free;               /* interconnect cycle from which the request port is free */
	u32 in_head, in_tail, in_n; /* packets + 1, travelling ones included */
	u32 out_head, out_tail, out_n;
	u32 wait_head, wait_tail; /* SMs + 1 waiting for a credit */
	u32 promised;             /* places at the input kept for SMs that waited */
	bool out_waiting;         /* its output's head waits for an SM */
	bool out_granted;         /* a place at that SM's port is kept for it */
	bool out_booked;          /* and time, from when src_free says */
	u32 next_waiter;          /* slice + 1 */
	u8 out_parts;             /* noc.sector_replies: packets of its output's head that have left */
	u8 blocked;               /* enum mem_result the head was refused with; MR_HIT = not refused */
	bool out_full;            /* the head waits for the output list */
	bool shut;                /* noc.switch=islip: the switch waits for a place at the input */
	u64 blocked_since;
	u32 mq_head, mq_tail, mq_n;    /* miss queue: DRAM requests + 1 */
	u32 far_head, far_tail, far_n; /* packets + 1 from the other part of L2, or for copies */
	u32 away;                      /* packets that came by this entry to lines of the other part */
	u32 pad;                       /* named so that it is zero */
};
struct slice {
	struct tags tags;
	struct mshr_table mshr;
	struct slice_state *st;
	struct cache_counters *cc;
	struct ideal ideal;
	struct home_line *home; /* by set and way: of coherence/denovo.h */
	u32 channel;
};

/* --- DRAM --------------------------------------------------------------------------------------------------------- */
struct dram_req {
	u64 row;
	u64 arrived; /* core cycle it entered the window */
	u32 next;    /* request + 1 */
	u32 mshr;    /* of a read: L2 MSHR, */
	u32 slot;    /* and the line's place in the tags */
	u32 answers; /* of a write that is acknowledged when DRAM has taken it: packet + 1; else 0 */
	u16 slice, bursts;
	u8 bank, sectors;
	bool write;
	u8 pad;
};
struct window_entry { /* half a cache line of the host */
	u64 row;
	u64 arrived; /* DRAM cycle */
	u32 req;
	u16 left; /* bursts */
	u8 bank, group;
	bool write, missed; /* missed: a row was opened for it, its first burst counts as a row miss */
	bool hit;           /* its row is open */
	u8 pad[5];
};
struct bank_state {
	u64 row;            /* open row + 1; 0 = closed */
	u64 act_ok, col_ok; /* DRAM cycles from which the command is allowed; precharge: row_ok */
	u16 queued, hits;   /* requests in the window; of them to the open row */
};
struct channel_state {
	u64 cmd_next;                   /* one command a cycle */
	u64 col_next, rd_next, wr_next; /* column commands; reads after a write, writes after a read */
	u64 act_next;
	u64 hit_banks; /* banks with requests to their open row; of the others, */
	u64 row_banks; /* those with requests: they need a row command */
	u64 open_banks;
	u64 rested; /* of the banks: row_ok is known to be at or before cmd_next */
	u64 due;    /* the command decided on: DRAM cycle, NEVER = none */
	u32 due_entry, due_cmd;
	u32 hits;    /* requests in the window to their bank's open row */
	u32 n;       /* requests in the window */
	u32 rr;      /* slice whose turn it is */
	u32 issuing; /* commands are being issued: no decision on single arrivals */
};
struct channel {
	struct channel_state *st;
	struct window_entry *w; /* in no order */
	u8 *order;              /* places in w by age, oldest first; behind the n used ones the free ones */
	struct bank_state *bank;
	u64 *row_ok; /* per bank: DRAM cycle from which its next row command is allowed (open: precharge, else activate) */
	u64 *group_next; /* column command within a bank group */
	struct dram_counters *cc;
	u32 slice0;
};
struct dram_timing { /* constants derived from the configuration, DRAM cycles */
	u32 burst, read_done, write_done, rd_to_wr, wr_to_rd, wr_to_pre, ccd, ccdl, rtp, rcd, ras, rp, rc, rrd;
};

#define FRESH_REQUEST 1u  /* its miss queue something */
#define FRESH_CONSTANT 2u /* its constant cache an answer of L1I (constants.h) */

/* --- the whole ---------------------------------------------------------------------------------------------------- */
struct mem {
	struct conf c;
	struct event_buf *sm_ev, *shared_ev, *no_ev; /* no_ev: never subscribed, stands in for missing ones */
	const struct hop_ear *ear;                   /* no machine state (probe/hops.h); NULL: nobody listens */
	struct clock icnt, l2clk, dramclk;
	struct mem_map map;
	struct ipoly set_poly; /* l2.hash=ipoly */
	struct dram_timing tm;
	u32 nsms, nslices, nchannels;
	u32 missq_size, answers_size, npackets, ndram;
	u32 stages;        /* requests in a slice's pipeline: they are in no buffer any more */
	u32 slice_credits; /* requests that a slice takes: its pipeline and its buffer */
	u32 slice_places;  /* the same with those for lines of the other part of L2 */
	u32 reply_places;  /* replies that a port's buffer holds */
	u32 flits[9];      /* of a packet with that many sectors of data */
	struct mesh *mesh;
	bool parted;        /* l2.parts=2 has an effect: far.h */
	bool l2_sectored;   /* its lookups are counted by sector: mem/ref_count.h */
	u32 port_cycles[9]; /* L2 cycles to move that many sectors */
	u16 bursts[256];    /* per sector mask of an L2 line */
	u16 sector_bursts;  /* of one sector by itself */
	u8 group[64];       /* per bank of a channel: its bank group */
	u32 timer_slice, timer_out, timer_channel, timer_packet, timer_dram; /* first timer of each kind; SMs from 0 */
	u32 timer_depart, timer_arrive;                                      /* the endpoints', */
	u32 timer_mesh;                                                      /* the last one */
	char (*where)[24];                                                   /* "DRAM channel n" */

	const struct network_ops *net;
	const struct coherence_ops *rule;
	struct wheel wheel;
	struct l1 *l1; /* [sm * MC_COUNT + cache] */
	struct slice *slice;
	struct channel *chan;

	/* arena */
	struct sm_port *port;
	struct sm_request *missq; /* [sm * missq_size] fifos */
	u32 *answers;             /* [sm * answers_size] fifos */
	u8 *fresh;                /* per SM, bits: what it got since the last tick (FRESH_) */
	u64 *wake;                /* CONF_SM_WORDS of them */
	struct holder *holder;    /* [sm * MEM_PLACES + place of a warp]: the CTA it works for, or did last */
	struct pool_state *pool;
	struct packet *packet;
	struct pool_state *dram_pool;
	struct dram_req *dreq;
	struct noc_counters *noc;
	struct msg_counters *traffic; /* [launch * MSG_CLASSES + class]: messages by the kernel they belong to */
	struct endpoint *endpoint;    /* noc/message.h: SMs, then slices */
	struct parcel *outbox;        /* [endpoint * noc.message_queue] fifos */
	struct parcel *inbox;         /* the same */
	u64 *peer_received;           /* by class: of what was received, messages that are neither requests nor answers */
	struct islip_source *source;  /* noc.switch=islip, these two */
	u64 *sending;                 /* SMs with something in their miss queue */
	struct islip islip[2];
	struct denovo *denovo; /* coherence/denovo.h */

	/* l1c.behind=l1i (constants.h), else NULL */
	struct fifo *constants;             /* per SM: l1c.mshrs places of */
	struct constant_answer *on_the_way; /* [sm * l1c.mshrs] */
	u32 timer_constants;                /* of an SM; the last ones, and there are none without the key */
};

/* L1I's counters: what constants did there besides. */
static inline struct l1i_counters *l1i_counters_of(const struct l1 *l1i)
{
	return (struct l1i_counters *)l1i->cc;
}

static inline struct event_buf *mem_sm_ev(const struct mem *m, u32 sm)
{
	return m->sm_ev ? &m->sm_ev[sm] : m->no_ev;
}
static inline struct event_buf *mem_shared_ev(const struct mem *m)
{
	return m->shared_ev ? m->shared_ev : m->no_ev;
}

/* Pools of packets and DRAM requests; sized so that they cannot run out (mem_create explains the sums). What a free one
 * holds besides its link is left as it was; who takes it sets every field. */
static inline u32 pool_take(struct pool_state *p, u32 size, u32 next_free)
{
	u32 i = p->free ? p->free - 1 : p->fresh++;
	BUG_ON(i >= size);
	if (p->free)
		p->free = next_free;
	p->used++;
	return i;
}

static inline u32 packet_alloc(struct mem *m)
{
	u32 head = m->pool->free;
	return pool_take(m->pool, m->npackets, head ? m->packet[head - 1].next : 0);
}

static inline void packet_free(struct mem *m, u32 p)
{
	m->packet[p].state = PS_FREE;
	m->packet[p].next = m->pool->free;
	m->pool->free = p + 1;
	m->pool->used--;
}

static inline u32 dram_req_alloc(struct mem *m)
{
	u32 head = m->dram_pool->free;
	return pool_take(m->dram_pool, m->ndram, head ? m->dreq[head - 1].next : 0);
}

static inline void dram_req_free(struct mem *m, u32 r)
{
	m->dreq[r].next = m->dram_pool->free;
	m->dram_pool->free = r + 1;
	m->dram_pool->used--;
}
/* Lists of packets, first in, first out: head and tail + 1. */
static inline void list_push(struct mem *m, u32 *head, u32 *tail, u32 p)
{
	m->packet[p].next = 0;
	if (*head)
		m->packet[*tail - 1].next = p + 1;
	else
		*head = p + 1;
	*tail = p + 1;
}
static inline u32 list_pop(struct mem *m, u32 *head)
{
	u32 p = *head - 1;
	*head = m->packet[p].next;
	return p;
}

/* --- messages ------------------------------------------------------------------------------------------------------
 *
 * What a packet is to the network. Up: requests, which a slice takes in when it serves them. Down: answers, which an SM
 * takes in when they arrive. */
#define OP_BIT(op) (1u << (op))
#define OPS_STORE (OP_BIT(MO_STORE) | OP_BIT(MO_LOCAL_STORE))
#define OPS_UP                                                                                                         \
	(OPS_STORE | OP_BIT(MO_ATOMIC) | OP_BIT(MO_RED) | OP_BIT(OP_WRITEBACK)) /* whose request carries data              \
	                                                                         */
#define OPS_ACK (OPS_STORE | OP_BIT(MO_RED) | OP_BIT(OP_WRITEBACK))         /* whose answer does not */
static inline u32 carries_data_up(u32 op)
{
	return OPS_UP >> op & 1;
}
static inline u32 carries_data_down(u32 op)
{
	return ~OPS_ACK >> op & 1;
}
/* Does somebody wait for what the request brings? */
static inline bool waits_for_data(u32 op)
{
	return carries_data_down(op) && op != OP_OWN;
}
static inline enum msg_class class_up(u32 op)
{
	static const u8 class[OP_GET + 1] = {
	    [MO_STORE] = MSG_WRITE,         [MO_LOCAL_STORE] = MSG_WRITE, [MO_ATOMIC] = MSG_WRITE, [MO_RED] = MSG_WRITE,
	    [OP_WRITEBACK] = MSG_WRITEBACK, [OP_OWN] = MSG_WRITE,         [OP_GET] = MSG_WRITE}; /* the others: MSG_READ */
	_Static_assert(!MSG_READ, "what the table does not name");
	return (enum msg_class) class[op];
}
static inline enum msg_class class_down(u32 op)
{
	_Static_assert(MSG_DATA == MSG_CONTROL + 1, "a sum");
	return (enum msg_class)(MSG_CONTROL + carries_data_down(op));
}
/* Counts n messages that leave, with their flits and bytes. */
static inline void count_sent(struct mem *m, u32 launch, enum msg_class k, u32 n, u32 flits, u32 bytes)
{
	struct msg_counters *all = &noc_messages(m->noc)[k], *of = &m->traffic[launch * MSG_CLASSES + k];
	all->sent += n;
	all->flits += flits;
	all->bytes += bytes;
	of->sent += n;
	of->flits += flits;
	of->bytes += bytes;
}
/* Of a packet with so many sectors of data. */
static inline u32 packet_bytes(u32 sectors)
{
	return PACKET_HEADER + sectors * SECTOR_BYTES;
}
static inline void count_received(struct mem *m, enum msg_class k)
{
	noc_received(m->noc)[k]++;
}

/* The k-th oldest request of an SM's miss queue. */
static inline struct sm_request *mem_request_at(const struct mem *m, u32 sm, u32 k)
{
	return &m->missq[(size_t)sm * m->missq_size + fifo_at(&m->port[sm].q, m->missq_size, k)];
}

/* l1.c: data arrives for an MSHR, or an acknowledgement; a request left the miss queue. */
void l1_deliver(struct mem *m, u32 p, u64 now);
/* These sectors have come for an MSHR of one of an SM's caches. */
void l1_fill(struct mem *m, u32 sm, u32 cache, u32 mshr, u8 sectors, bool dram, u64 now);
/* A word of an answer: token, cache, operation, and whether L2 had to ask DRAM. */
#define ANSWER_DRAM (1u << 30)
static inline u32 answer_op(u32 word)
{
	return word >> 26 & 15;
}
void l1_queue_moved(struct mem *m, u32 sm, u32 cache);
void l1_port_moved(struct mem *m, u32 sm); /* a place of a shared buffer became free */
bool l1_was_refused(struct mem *m, u32 sm, u32 cache, u32 reasons);

/* constants.c; the rest is in constants.h and l1.h */
/* Takes the state from the arena, if l1c.behind says so, and writes nothing to it. */
void constants_init(struct mem *m, struct arena *a);
/* Sets the SM's timer: something is in its fifo. */
void constants_arm(struct mem *m, u32 sm);
/* The timer: what is due comes to the constant cache. */
void constants_run(struct mem *m, u32 sm, u64 now);

/* --- the network in use (noc/network.h) --------------------------------------------------------------------------- */
/* Places in use of an SM port's buffer; requests are in it when it is a shared one. */
static inline u32 noc_port_held(const struct mem *m, const struct sm_port *p)
{
	return p->replies + p->promised + (m->c.noc_shared ? p->q.n : 0);
}
/* Does a shared buffer take n requests more? An empty one takes both of a replaced dirty line, even if it has one
 * place.
 */
static inline bool noc_port_takes(const struct mem *m, const struct sm_port *p, u32 n)
{
	u32 held = noc_port_held(m, p);
	return held + n <= m->c.noc_shared || !held;
}
/* Is there a place at the slice's input? Replies leave fewer of a shared buffer. */
static inline bool noc_slice_room(const struct mem *m, const struct slice_state *s)
{
	u32 taken = m->c.noc_shared ? MIN(s->out_n, m->c.noc_shared) : 0;
	u32 held = s->in_n + s->promised + taken;
	return held < m->slice_credits && held + s->away < m->slice_places;
}
/* A place may have become free at the slice's input. */
static inline void noc_credit(struct mem *m, u32 slice, u64 now)
{
	const struct slice_state *s = m->slice[slice].st;
	if ((s->wait_head || s->shut) && noc_slice_room(m, s))
		m->net->credit(m, slice, now);
}
/* The slice answers. */
static inline void noc_reply(struct mem *m, u32 slice, u32 p, u64 now)
{
	HOP_TELL(m->ear, .what = NEWS_OUTPUT, .cycle = now, .id = p, .slice = slice);
	m->net->reply(m, slice, p, now);
}

/* noc/crossbar.c: the packet of a request. */
u32 noc_make_packet(struct mem *m, u32 sm, const struct sm_request *r, u64 now);

/* noc/mesh.c: network=mesh */
extern const struct network_ops network_mesh;
void mesh_run(struct mem *m, u64 now); /* its timer */

/* noc/islip.c: the crossbar with noc.switch=islip */
void islip_init(struct mem *m, struct arena *a);
void islip_inject(struct mem *m, u32 sm, u64 now);
void islip_open(struct mem *m, u32 slice, u64 now);
void islip_reply(struct mem *m, u32 slice, u32 p, u64 now);
void islip_arrive(struct mem *m, u32 p, u64 now);
void islip_run(struct mem *m, enum islip_net net, u64 now); /* its timer: the first of the SMs', of the outputs' */

/* l2.c */
/* The slice has served a packet. */
void l2_answer(struct mem *m, u32 slice, u32 p, u64 now);
void l2_run(struct mem *m, u32 slice, u64 now);   /* works off the input up to now */
void l2_arm(struct mem *m, u32 slice, u64 now);   /* the input got a packet */
void l2_retry(struct mem *m, u32 slice, u64 now); /* the head was refused and tries again */
/* Makes room for a request's line, at *at; MR_HIT, or why it has to wait. others: miss queue places that the caller
 * needs besides. */
enum mem_result l2_make_room(struct mem *m, u32 slice, const struct packet *p, u32 others, u64 now, u32 *at);
/* Something the head may wait for changed. */
static inline void l2_unblock(struct mem *m, u32 slice, u64 now)
{
	const struct slice_state *s = m->slice[slice].st;
	if (s->blocked || s->out_full)
		l2_retry(m, slice, now);
}
void l2_fill(struct mem *m, u32 dreq, u64 now);  /* DRAM data arrived, or a write is to be acknowledged */
void l2_sync(struct mem *m, u32 slice, u64 now); /* brings time-integrated counters up to date */

/* far.c; the rest is in far.h */
/* Further packets that there may be with two parts: see size_shared() in mem.c. */
u64 far_packets(const struct conf *c, u32 slices, u64 places);
/* Whether l2.parts has an effect under this rule of coherence. */
bool far_works(const struct conf *c, const struct coherence_ops *rule);
/* A packet's timer: false if it does not concern the parts of L2. */
bool far_arrive(struct mem *m, u32 p, u64 now);
/* Forgets all copies. */
void far_forget(struct mem *m);

/* dram/ */
void channel_init(struct mem *m, struct arena *a); /* writes nothing to the arena */
void channel_reset(struct mem *m);
enum dram_cmd { CMD_COLUMN, CMD_ACTIVATE, CMD_PRECHARGE };
/* frfcfs.c: decides on the next command (due, due_entry, due_cmd). */
void dram_decide(const struct mem *m, struct channel *ch);
/* The same when the youngest entry has just been added. */
void dram_decide_added(const struct mem *m, struct channel *ch);
/* The i-th oldest request of the window. */
static inline struct window_entry *window_at(const struct channel *ch, u32 i)
{
	return &ch->w[ch->order[i]];
}
void channel_take(struct mem *m, u32 channel, u64 now); /* requests from the slices' miss queues while there is room */
static inline void channel_refill(struct mem *m, u32 channel, u64 now)
{
	if (m->chan[channel].st->n < m->c.dram_queue)
		channel_take(m, channel, now);
}
void channel_run(struct mem *m, u32 channel, u64 now); /* issues the commands up to now */
#endif
