/* mem: the memory system's timing - coalescing, the SM's caches, interconnect, L2, DRAM. No data values in here.
 *
 *   SM n:  LSU -> l1d/l1c/l1t, fetch -> l1i     hit: the caller adds the latency itself
 *            miss -> miss queue -> request crossbar -> L2 slice -> (miss) DRAM channel
 *            fill <- reply crossbar  <-----------------'   '<------------'
 *          answers: tokens popped by mem_pop()
 *
 * The system is event-driven: packets, links, slices and channels reserve time on a timing wheel; nothing is polled.
 * Back-pressure is real: every queue is bounded, a full one stops the one before it, up to the L1's miss queue and so
 * the LSU.
 *
 * Per-SM entry points (mem_access, mem_pop) touch only that SM's caches and fifos; everything shared moves in
 * mem_tick(). */
#ifndef MEM_MEM_H
#define MEM_MEM_H
#include "base/arena.h"
#include "base/bits.h"
#include "base/err.h"
#include "conf/conf.h"
#include "conf/policy.h"
#include "front/front.h"
#include "probe/hops.h"
#include "probe/probe.h"

enum mem_cache { MC_L1I, MC_L1D, MC_L1C, MC_L1T, MC_COUNT };
enum mem_op {
	MO_LOAD,
	MO_STORE,
	MO_ATOMIC /* returns a value */,
	MO_RED /* atomic without result */,
	MO_LOCAL_LOAD,
	MO_LOCAL_STORE,
	MO_FETCH,
	MO_PREFETCH,
	MO_LOAD_VOLATILE /* passes the L1, drops its copy */
};

/* One access of a coalesced warp instruction: at most one cache line. */
struct mem_txn {
	u64 addr;   /* line-aligned for line128, sector-aligned start for sector32; of the cache's line size */
	u32 words;  /* bit i: word i of 4 B of the line is touched; of L1D under a rule that asks for it, else 0 */
	u16 bytes;  /* data bytes moved for stores and atomics (distinct bytes, rounded up to 32 B sectors by sector32) */
	u8 sectors; /* bit i: 32 B sector i of the line is touched */
	u8 pad;     /* named so that it is zero: kept in hashed state */
};
#define MEM_TXN_MAX 128 /* 32 lanes x 16 B spread over separate words of local memory */
/* Splits a global, local, const or tex instruction into transactions (first-lane order); returns how many (>= 1 when
 * mask != 0). Lines are of the given cache's size; with coalesce=sector32 several sectors of a line are still one
 * transaction with a sector mask, but for L1D with banks (conf_l1d_banked): there each sector is one, in the order of
 * falling addresses, as GPGPU-Sim 4.x takes them. */
u32 mem_coalesce(const struct conf *c, const struct dyninst *d, enum mem_cache cache, struct mem_txn out[MEM_TXN_MAX]);
/* Fills in the words of these n transactions (lines of up to 128 B): for a rule of coherence that asks for them. */
void mem_coalesce_words(const struct conf *c, const struct dyninst *d, struct mem_txn *out, u32 n);
/* LSU cycles of a shared memory instruction: the conflict degree (1 = none). Same word = broadcast; atomics to one word
 * serialise. */
u32 mem_shared_degree(const struct conf *c, const struct dyninst *d);

enum mem_result {
	MR_HIT, /* data there (or a local store took its line): nothing comes back, the caller schedules its own latency */
	MR_PENDING, /* allocated an MSHR, merged, or passed on: a token comes back through mem_pop() */
	MR_SENT, /* a store or reduction went on its way; a token comes back when it is acknowledged (for fences). Atomics:
	            MR_PENDING */
	MR_RF_LINE,
	MR_RF_MSHR,
	MR_RF_MERGE,
	MR_RF_QUEUE, /* refused; nothing happened but one reservation-failure count */
};

struct mem;
/* --- messages between endpoints (noc/message.h) ------------------------------------------------------------------- */
/* What endpoints tell each other beside requests and answers. Endpoints: the SMs, then the L2 slices. */
struct message {
	u64 addr;     /* the line it is about */
	u32 words;    /* which words of it: a bit for each 4 B; a class with data carries them */
	u32 launch;   /* whose it is */
	u16 from, to; /* endpoints; one may write to itself */
	u8 class;     /* enum msg_class */
	u8 what;      /* what it says: the sender's and the receiver's business, as is the rest */
	u16 about;
	u32 tag;
	u32 pad; /* named so that it is zero */
};
u32 mem_num_endpoints(const struct mem *m);
/* Puts a message into its sender's outbox; it leaves in this cycle at the earliest. False: no place, nothing is done.
 */
bool mem_send(struct mem *m, const struct message *g, u64 now);
/* Takes the oldest message that has arrived and that the rule of coherence has not taken; false when there is none. */
bool mem_receive(struct mem *m, u32 endpoint, u64 now, struct message *out);

/* ev: the event buffers of the SMs (num_sms of them) and of the shared part; written when their mask says so. */
struct mem *mem_create(const struct conf *c, struct arena *state, struct event_buf *sm_ev, struct event_buf *shared_ev,
                       struct err *e);
void mem_destroy(struct mem *m);
/* Who hears of the ways of requests from here on (probe/hops.h); NULL: nobody. */
void mem_hear(struct mem *m, const struct hop_ear *ear);
/* The network in use from here on: one of network_policies (noc/network.h). Nothing may be on its way (mem_quiet()).
 * mem_create() takes those that the configuration names, which must be there. */
void mem_use_network(struct mem *m, const struct policy *p);
/* The same for the rule of coherence: one of coherence_policies (coherence/coherence.h). */
void mem_use_coherence(struct mem *m, const struct policy *p);
/* Does the rule in use ask for the words of L1D's transactions (mem_coalesce_words())? */
bool mem_wants_words(const struct mem *m);
/* Is no message on its way, and no request under way anywhere? */
bool mem_quiet(const struct mem *m);
/* Bytes of the state arena that mem_create() will take with this configuration. */
bool mem_state_bytes(const struct conf *c, size_t *bytes, struct err *e);

/* Presents one transaction of SM `sm` to a cache at cycle `now`. token: its lower TOKEN_BITS are handed back by
 * mem_pop; above them the place of the warp that asks: a line remembers who brought it in, a message whose kernel's it
 * is. */
#define TOKEN_BITS 24
/* Warp slots, and behind them as many places for warps that have been taken off theirs. */
#define MEM_PLACES FRONT_PLACES
enum mem_result mem_access(struct mem *m, u32 sm, enum mem_cache c, enum mem_op op, const struct mem_txn *t, u32 token,
                           u64 now);
/* The same, telling what a load found beyond hit or miss. */
struct l1_watch {
	bool merged;  /* no data, but on its way */
	bool evicted; /* a valid line made room */
	u64 victim;   /* its address */
	u32 owner;    /* the place of the warp that had brought it in; UINT32_MAX: none made room */
};
enum mem_result mem_access_watched(struct mem *m, u32 sm, enum mem_cache c, enum mem_op op, const struct mem_txn *t,
                                   u32 token, u64 now, struct l1_watch *w);
/* The CTA whose valid line an access to an SM's L1D has replaced: written at each eviction. Nothing of the machine's
 * depends on it. */
struct l1_loss {
	u32 launch; /* who reads it puts UINT32_MAX here: none since then */
	u32 pad;
	u64 cta;
};
/* Evictions of an SM's L1D are told there from now on. */
void mem_tell_losses(struct mem *m, u32 sm, struct l1_loss *to);
/* A line of a CTA's context on its way past L1D, out to memory or back (preempt.traffic). Comes back through mem_pop()
 * as a store or load would. False: there is no room; nothing is counted, and who waits for the cache waits on. */
bool mem_context(struct mem *m, u32 sm, bool out, const struct mem_txn *t, u32 token, u64 now);
/* What of a cache's miss handling is in use now: MSHRs, and places of the miss queue. */
struct l1_use {
	u32 mshrs, queue;
};
struct l1_use mem_l1_use(const struct mem *m, u32 sm, enum mem_cache c);
/* Instruction prefetch. Is the line of an address in l1i, or on its way there? Counts and changes nothing. */
bool mem_has_line(const struct mem *m, u32 sm, u64 addr);
/* Asks for an absent line for a warp slot; the line remembers that it was asked for ahead of its use. Nothing comes
 * back through mem_pop(). MR_PENDING, or refused. */
enum mem_result mem_prefetch(struct mem *m, u32 sm, const struct mem_txn *t, u32 warp, u64 now);
/* A fetch comes to the line of addr: true when it was prefetched and nobody had come to it before. */
bool mem_prefetch_used(struct mem *m, u32 sm, u64 addr);
/* The transaction that was refused (mr) may go now? Cheap test for the LSU's retry: true once anything in that cache
 * changed since the refusal (a fill, a freed MSHR, a freed queue slot). */
bool mem_retry_wanted(const struct mem *m, u32 sm, enum mem_cache c);
/* Adds n cycles of refusal to the counter of reason mr: the LSU waited that long without asking again. */
void mem_count_refused(struct mem *m, u32 sm, enum mem_cache c, enum mem_result mr, u64 n);

struct mem_reply {
	u32 token;
	u8 cache;  /* enum mem_cache */
	u8 op;     /* enum mem_op: MO_STORE/MO_LOCAL_STORE/MO_RED = an acknowledgement */
	bool dram; /* L2 did not have it */
};
/* Takes the next answer due at or before `now`; false when there is none. */
bool mem_pop(struct mem *m, u32 sm, u64 now, struct mem_reply *out);
/* Is an answer left to take? */
bool mem_answered(const struct mem *m, u32 sm);
/* Bit per SM (CONF_SM_WORDS words): got answers, or a cache whose refusal ended, since the bit was cleared; set by
 * mem_tick. It is left set while answers are left. */
const u64 *mem_wake(const struct mem *m);
void mem_clear_wake(struct mem *m, u32 sm);

/* Moves the shared part up to and including cycle `now`; call once per core cycle that is simulated, after the SMs'
 * ticks. */
void mem_tick(struct mem *m, u64 now);
/* The next cycle at which mem_tick has something to do (NEVER when nothing is in flight): the clock may jump there. */
u64 mem_next(const struct mem *m);

/* A kernel starts, for the caches of an SM; alone: no other one runs. What they keep is the rule of coherence's. */
void mem_kernel_start(struct mem *m, u32 sm, bool alone);
/* A kernel has ended; last: none runs any more. */
void mem_kernel_end(struct mem *m, bool last);
/* Shared memory has so many of L1D's ways from here on; a change empties L1D. Dirty local lines that lay there are kept
 * until their kernel has ended: the threads that wrote them may run. */
void mem_carve(struct mem *m, u32 sm, u32 ways);
/* Lines that L1D can hold. */
u32 mem_l1d_lines(const struct mem *m, u32 sm);
/* A CTA starts on these warp slots of an SM: what they bring into L1D is the CTA's, what they send its kernel's. */
void mem_cta_start(struct mem *m, u32 sm, u64 warps, u32 launch, u64 cta);
/* The same of a warp that begins in a place behind the slots. */
void mem_warp_start(struct mem *m, u32 sm, u32 place, u32 launch, u64 cta);
/* A warp has another place from here on. */
void mem_warp_moves(struct mem *m, u32 sm, u32 from, u32 to);
/* The host has copied n bytes to the device, and copies `following` more in the same copy: with l2.copies those are in
 * L2 then that it can hold. What has eight times L2's size behind it is not looked at: no set keeps a line of it. */
void mem_copied(struct mem *m, u64 addr, u64 n, u64 following);
/* Requests in flight of an SM (loads, stores, atomics): 0 = quiet. */
u32 mem_outstanding(const struct mem *m, u32 sm);

/* Brings time-integrated counters (mshr_cycles...) up to date. */
void mem_sync_counters(struct mem *m, u64 now);
struct cache_counters *mem_cache_counters(struct mem *m, enum mem_cache c, u32 sm);
struct cache_counters *mem_l2_counters(struct mem *m, u32 slice);
struct dram_counters *mem_dram_counters(struct mem *m, u32 channel);
struct noc_counters *mem_noc_counters(struct mem *m);
/* The messages sent for a kernel, by enum msg_class: who asked, whose line it was that is written back, whose message
 * is answered. The sum over all launches is the interconnect's. */
const struct msg_counters *mem_kernel_messages(const struct mem *m, u32 launch);
/* Conservation at a quiet moment: accesses = hits + misses + merges + bypasses; packets in = out; MSHRs empty. False
 * with *e naming the sum. */
bool mem_check(struct mem *m, struct err *e);
/* Between two cycles: everything is in exactly one place and counted there. MSHR entries and the lines they wait for,
 * lists and their lengths, requests of every SM = the sum over the places where they can be, waiters of full ports,
 * windows and banks of DRAM, the timing wheel. False with *e naming what does not hold. Changes nothing. */
bool mem_check_state(const struct mem *m, struct err *e);
/* Calls fn for every answer that mem_pop() will give for what is under way now. */
typedef void mem_due_fn(void *ctx, u32 sm, u32 token);
void mem_each_due(const struct mem *m, mem_due_fn *fn, void *ctx);

/* --- inspection --------------------------------------------------------------------------------------------------- */
struct mshr_info {
	u64 addr;
	u32 merged;        /* requests waiting, the first included */
	u64 since;         /* cycle of allocation */
	const char *where; /* "miss queue", "to L2", "L2", "DRAM channel 3", "to its owner", "from L1I", "reply"... */
};
u32 mem_mshrs(const struct mem *m, u32 sm, enum mem_cache c, struct mshr_info *out, u32 max);
/* The lines of an SM's L1D by the CTA that brought them in, which may have ended since; the CTA with most lines first,
 * then in order of launch and CTA. Alive: the line is there, or its data on its way. Returns how many CTAs were
 * written; *lines = all lines alive. */
struct cta_lines {
	u64 cta; /* linear id */
	u32 launch, lines;
};
u32 mem_lines_by_cta(const struct mem *m, u32 sm, struct cta_lines *out, u32 max, u32 *lines);
/* Where a line of L1D's size is: in L2, and in which L1Ds. */
struct line_copy {
	u32 sm;
	u32 launch; /* of the CTA that brought it in, */
	u64 cta;
	u8 valid, pending, dirty; /* sectors */
	u8 pad;
	u32 have, owned, unacked, asked; /* words, under a rule that counts in them (struct words), else 0 */
};
struct line_info {
	u64 addr;
	u32 slice, words; /* words of 4 B it has */
	bool in_l2, by_word;
	u8 valid, pending, dirty; /* in L2 */
	u8 copy;                  /* in a copy in the other part of L2 (l2.far_copies) */
	u8 awaited;               /* by_word: owners that have been asked for words and have not answered */
	s32 waiter;               /* by_word: the SM whose store waits for that; -1: none */
	s16 owner[32];            /* by_word: the SM that owns it; -1: nobody */
};
void mem_line(const struct mem *m, u64 addr, struct line_info *out);
/* At most max of its copies, by SM; how many there are. */
u32 mem_line_copies(const struct mem *m, u64 addr, struct line_copy *out, u32 max);
struct queue_info {
	char name[40];
	char holds[56]; /* of a buffer that two kinds of packets share: how many of each */
	u32 used, size; /* used > size: replies that a slice's shared buffer had no place for */
};
/* All bounded queues: per SM miss queues, request and reply ports, slices, channels. */
u32 mem_queues(const struct mem *m, struct queue_info *out, u32 max);
/* The routers of network=mesh (noc/mesh.h), row by row. Neighbours' links first, then what leaves the mesh here. */
enum mesh_port { MESH_EAST, MESH_WEST, MESH_NORTH, MESH_SOUTH, MESH_SM, MESH_SLICE, MESH_PORTS };
#define MESH_LINKS MESH_SM
struct mesh_out {           /* a router's way out */
	u64 flits[MSG_CLASSES]; /* that took it, by enum msg_class */
	u64 packets;
	u64 waited; /* interconnect cycles that packets stood ready before they took it */
};
struct mesh_node_info {
	s32 sm, slice;             /* who is there; -1: nobody */
	s32 neighbour[MESH_LINKS]; /* node; -1: the edge */
	struct mesh_out out[MESH_PORTS];
	u32 held[MESH_LINKS]; /* flits in the buffers of what comes from that neighbour, on their way to them included */
	u32 places;           /* of all three of them: flits */
};
/* Whether the mesh is in use, and its size: nodes = width * height, of which the last ones may be empty. */
bool mem_mesh(const struct mem *m, u32 *width, u32 *height);
void mem_mesh_node(const struct mem *m, u32 node, struct mesh_node_info *out);
/* The node of an endpoint. */
u32 mem_mesh_place(const struct mem *m, u32 endpoint);
/* The nodes that a packet passes on its way from one to another, both ends included: at most max are written; how many
 * there are. */
u32 mem_mesh_way(const struct mem *m, u32 from, u32 to, u32 *node, u32 max);
/* Core cycles that a packet of so many flits needs for so many links while nobody else is there. */
u64 mem_mesh_zero_load(const struct mem *m, u32 links, u32 flits);
/* With noc.shared_buffer: the ports of SMs and then those of L2 slices, numbered through, and who waits for a place at
 * whose port (noc/cycle.c). Without, their queues are in mem_queues() only. */
struct port_head {    /* a request or reply */
	const char *what; /* "read", "write"... */
	u64 addr;
	u32 sm;       /* whose request it is */
	u32 tag;      /* the rest is for mem_head_waiters() */
	u8 cache, op; /* enum mem_cache; enum mem_op, or a write-back */
};
struct port_info {
	bool slice; /* an L2 slice's port; else an SM's */
	u32 number; /* of the SM or slice */
	u32 places;
	u32 requests, replies; /* held, replies beyond the places included; at an SM also what is kept for replies */
	u32 piped;             /* further requests, in the slice's pipeline */
	s32 waits_for;         /* the port without a place from which none of this one's becomes free; -1: there is none */
	struct port_head head; /* what would leave next: an SM's first request, a slice's first reply; what = NULL: none */
};
u32 mem_num_ports(const struct mem *m);
void mem_port(const struct mem *m, u32 port, struct port_info *out);
/* A circle of full ports, each of which waits for the next and the last for the first: they never move again. Of
 * several the shortest, from its lowest port on. Its length; 0: there is none. */
u32 mem_cycle(const struct mem *m, u32 *out, u32 max);
/* Calls fn with the token (as mem_pop() will return it) of everything that waits for one packet, for all a port holds.
 */
typedef void waiter_fn(void *ctx, u32 sm, u32 token);
void mem_head_waiters(const struct mem *m, const struct port_head *h, waiter_fn *fn, void *ctx);
void mem_port_waiters(const struct mem *m, u32 port, waiter_fn *fn, void *ctx);
/* State of a DRAM bank: open row or -1, requests queued for it. */
struct bank_info {
	s64 row;
	u32 queued;
};
u32 mem_banks(const struct mem *m, u32 channel, struct bank_info *out, u32 max);
u32 mem_channel_of(const struct mem *m, u64 addr, u32 *slice);
#endif
