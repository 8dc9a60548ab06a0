/* Builds the memory system and moves it: one timing wheel, a timer for every SM port, slice, slice output, channel,
 * packet on its way to an SM and DRAM read on its way back. */
#include "mem/mem.h"
#include "base/bits.h"
#include "mem/impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMERS_MAX (1u << 28)

/* --- sizes -------------------------------------------------------------------------------------------------------- */
struct l1_spec {
	const char *name;
	u32 sets, ways, line, mshrs, merges, missq;
	enum tags_hash hash;
	bool sectored, perfect;
	u16 cached; /* as in struct l1 */
};

/* The constant, texture and instruction caches have no miss queue of their own in the configuration: they queue as many
 * requests as they have MSHRs. */
static struct l1_spec l1_spec(const struct conf *c, enum mem_cache k)
{
	bool sectored = c->coalesce == COALESCE_SECTOR32;
	const u16 local = 1 << MO_LOCAL_LOAD | 1 << MO_FETCH, all = local | 1 << MO_LOAD | 1 << MO_PREFETCH;
	switch (k) {
	case MC_L1I:
		return (struct l1_spec){"l1i",
		                        c->l1i_sets,
		                        c->l1i_ways,
		                        c->l1i_line,
		                        c->l1i_mshrs,
		                        c->l1i_merges,
		                        c->l1i_mshrs,
		                        TAGS_LINEAR,
		                        false,
		                        c->l1i_perfect,
		                        c->l1i_perfect ? 0 : all};
	case MC_L1C:
		return (struct l1_spec){"l1c",
		                        c->l1c_sets,
		                        c->l1c_ways,
		                        c->l1c_line,
		                        c->l1c_mshrs,
		                        c->l1c_merges,
		                        c->l1c_mshrs,
		                        TAGS_LINEAR,
		                        false,
		                        c->l1c_perfect,
		                        c->l1c_perfect ? 0 : all};
	case MC_L1T:
		return (struct l1_spec){"l1t",        c->l1t_sets, c->l1t_ways, c->l1t_line, c->l1t_mshrs, c->l1t_merges,
		                        c->l1t_mshrs, TAGS_LINEAR, sectored,    false,       all};
	default:
		return (struct l1_spec){"l1d",
		                        c->l1d_sets,
		                        c->l1d_ways,
		                        c->l1d_line,
		                        c->l1d_mshrs,
		                        c->l1d_merges,
		                        c->l1d_missq,
		                        c->l1d_hash,
		                        sectored,
		                        false,
		                        c->l1d_global ? all : local};
	}
}

/* Per SM: a miss queue place more per cache (a dirty victim beside the miss when the queue was empty), and answers for
 * every waiter of every MSHR and every store. */
static void size_sm(struct mem *m)
{
	m->missq_size = 0;
	m->answers_size = m->c.l1d_stores;
	for (u32 k = 0; k < MC_COUNT; k++) {
		struct l1_spec s = l1_spec(&m->c, k);
		m->missq_size += s.missq + 1;
		m->answers_size += s.mshrs * s.merges;
	}
}

/* Packets: those at a slice's input (its queue and its pipeline stages), waiting in its MSHRs or in its output (which
 * takes replies beyond its size from MSHRs and DRAM only), and on their way to an SM. DRAM requests: in miss queues, in
 * windows, and reads not yet back. With l2.write_miss=fetch each of those may be a write whose packet waits for it, and
 * writes come back too, at most one a DRAM cycle. With l2.parts=2 a slice has further places for packets about lines of
 * the other part, and its output takes them when they come back. */
static bool size_shared(struct mem *m, struct err *e)
{
	const struct conf *c = &m->c;
	u64 stages = clock_up(&m->l2clk, c->l2_latency);
	u64 waiters = (u64)c->l2_mshrs * c->l2_merges;
	u64 reads = (u64)c->l2_mshrs * (c->coalesce == COALESCE_SECTOR32 ? c->l2_line / SECTOR_BYTES : 1);
	u32 in = c->noc_shared ? c->noc_shared : c->noc_in_queue, out = c->noc_shared ? c->noc_shared : c->noc_out_queue;
	u64 source = c->noc_switch == NOC_ISLIP ? c->noc_source_queue : 0;
	u64 packets = m->nslices * (in + stages + waiters + out) + (u64)m->nsms * (out + source);
	bool through = c->l2_write_miss == WRITE_MISS_FETCH;
	u64 writes = through ? clock_up(&m->dramclk, c->dram_latency) + 2 : 0;
	u64 dram = m->nslices * (c->l2_missq + 1 + reads) + m->nchannels * (c->dram_queue + writes);
	u64 places = in + stages + clock_up(&m->l2clk, 2 * (u64)c->l2_far);
	packets += (through ? dram : 0) + far_packets(c, m->nslices, 2 * places - in - stages);
	if (packets + dram > TIMERS_MAX)
		return err_set(e,
		               "l2.mshrs, l2.merges, l2.latency: room for %llu requests in flight is more than the %u this "
		               "program supports",
		               (unsigned long long)(packets + dram), TIMERS_MAX);
	m->stages = (u32)stages;
	m->slice_credits = (u32)(in + stages);
	m->slice_places = (u32)(c->l2_parts > 1 ? places : in + stages);
	m->reply_places = out;
	m->npackets = (u32)packets;
	m->ndram = (u32)dram;
	return true;
}

static bool check_lines(const struct conf *c, struct err *e)
{
	for (u32 k = 0; k < MC_COUNT; k++) {
		struct l1_spec s = l1_spec(c, k);
		if (s.line > c->l2_line)
			return err_set(e, "%s.line: %u is more than l2.line %u", s.name, s.line, c->l2_line);
	}
	return true;
}

/* --- building ----------------------------------------------------------------------------------------------------- */
static void build_tables(struct mem *m)
{
	for (u32 n = 0; n <= 8; n++) {
		m->flits[n] = (u32)ceil_div(packet_bytes(n), m->c.noc_flit);
		m->port_cycles[n] = (u32)MAX(ceil_div(n * SECTOR_BYTES, m->c.l2_port), 1);
	}
	m->l2_sectored = m->c.coalesce == COALESCE_SECTOR32 || m->c.l2_sector_reads;
	m->where = xcalloc(m->nchannels, sizeof(*m->where));
	for (u32 i = 0; i < m->nchannels; i++)
		snprintf(m->where[i], sizeof(*m->where), "DRAM channel %u", i);
}

/* Is a register of L1D for a sector? Rules of coherence that keep words have registers for lines. */
static bool mshrs_of_sectors(const struct mem *m)
{
	return conf_l1d_banked(&m->c) && !m->rule->words;
}

static void build_sms(struct mem *m, struct arena *a)
{
	m->port = ARENA_NEW(a, struct sm_port, m->nsms);
	m->missq = ARENA_NEW(a, struct sm_request, (size_t)m->nsms * m->missq_size);
	m->answers = ARENA_NEW(a, u32, (size_t)m->nsms * m->answers_size);
	m->fresh = ARENA_NEW(a, u8, round_up(m->nsms, 8));
	m->wake = ARENA_NEW(a, u64, CONF_SM_WORDS);
	m->l1 = xcalloc((size_t)m->nsms * MC_COUNT, sizeof(*m->l1));
	for (u32 i = 0; i < m->nsms * MC_COUNT; i++) {
		struct l1_spec s = l1_spec(&m->c, i % MC_COUNT);
		struct l1 *l = &m->l1[i];
		l->missq = s.missq;
		l->sectored = s.sectored;
		l->perfect = s.perfect;
		l->keeps = i % MC_COUNT == MC_L1D && m->c.l1d_keep_stores;
		l->cached = s.cached;
		l->st = ARENA_NEW(a, struct l1_state, 1);
		l->cc = ARENA_NEW(a, struct cache_counters, 1);
		tags_init(&l->tags, a, s.sets, s.ways, s.line, s.hash);
		mshr_init(&l->mshr, a, s.mshrs, s.merges);
		l->mshr.by_sector = i % MC_COUNT == MC_L1D && mshrs_of_sectors(m);
	}
}

static void build_slices(struct mem *m, struct arena *a)
{
	u32 bits = log2_floor(m->c.l2_sets);
	bool poly = m->c.l2_hash && bits && bits <= IPOLY_MAX;
	if (poly)
		m->set_poly = ipoly_make(bits);
	m->slice = xcalloc(m->nslices, sizeof(*m->slice));
	for (u32 i = 0; i < m->nslices; i++) {
		struct slice *s = &m->slice[i];
		s->channel = i / m->c.l2_slices;
		s->st = ARENA_NEW(a, struct slice_state, 1);
		s->cc = ARENA_NEW(a, struct cache_counters, 1);
		tags_init(&s->tags, a, m->c.l2_sets, m->c.l2_ways, m->c.l2_line, poly ? TAGS_IPOLY : TAGS_LINEAR);
		s->tags.poly = &m->set_poly;
		mshr_init(&s->mshr, a, m->c.l2_mshrs, m->c.l2_merges);
	}
}

static void build_shared(struct mem *m, struct arena *a)
{
	m->pool = ARENA_NEW(a, struct pool_state, 1);
	m->packet = ARENA_NEW(a, struct packet, m->npackets);
	m->dram_pool = ARENA_NEW(a, struct pool_state, 1);
	m->dreq = ARENA_NEW(a, struct dram_req, m->ndram);
	m->noc = ARENA_NEW(a, struct noc_counters, 1);
	m->timer_slice = m->nsms;
	m->timer_out = m->timer_slice + m->nslices;
	m->timer_channel = m->timer_out + m->nslices;
	m->timer_packet = m->timer_channel + m->nchannels;
	m->timer_dram = m->timer_packet + m->npackets;
	m->timer_depart = m->timer_dram + m->ndram;
	m->timer_arrive = m->timer_depart + mem_num_endpoints(m);
	m->timer_mesh = m->timer_arrive + mem_num_endpoints(m);
	m->timer_constants = m->timer_mesh + 1;
	wheel_init(&m->wheel, a, m->timer_constants + (m->c.l1c_behind == L1C_BEHIND_L1I ? m->nsms : 0));
	constants_init(m, a);
	message_init(m, a);
	for (u32 i = 0; network_policies[i]; i++)
		((const struct network_ops *)network_policies[i])->init(m, a);
	for (u32 i = 0; coherence_policies[i]; i++)
		if (((const struct coherence_ops *)coherence_policies[i])->init)
			((const struct coherence_ops *)coherence_policies[i])->init(m, a);
}

/* What observers are told beyond the counters: why reads missed, whose the lines and the messages are. Not hashed. */
static void build_records(struct mem *m, struct arena *a)
{
	u64 device = (u64)m->c.heap_mb << 20;
	arena_begin_gap(a);
	m->traffic = ARENA_NEW(a, struct msg_counters, (size_t)CONF_MAX_LAUNCHES * MSG_CLASSES);
	m->holder = ARENA_NEW(a, struct holder, (size_t)m->nsms * MEM_PLACES);
	for (u32 sm = 0; sm < m->nsms; sm++) {
		struct l1 *l = &m->l1[sm * MC_COUNT + MC_L1D];
		const struct tags *t = &l->tags;
		l->owner = ARENA_NEW(a, struct holder, (size_t)t->sets * t->ways);
		if (!m->c.miss_causes)
			continue;
		u64 *seen = ARENA_NEW(a, u64, ideal_seen_words(device, 1u << t->line_shift));
		ideal_init(&l->ideal, a, t, device, seen);
	}
	if (!m->c.miss_causes) {
		arena_end_gap(a);
		return;
	}
	u64 *seen = ARENA_NEW(a, u64, ideal_seen_words(device, m->c.l2_line));
	for (u32 i = 0; i < m->nslices; i++)
		ideal_init(&m->slice[i].ideal, a, &m->slice[i].tags, device, seen);
	arena_end_gap(a);
}

/* A policy by its name, which has been checked. */
static const struct policy *policy_named_in(const struct policy *const *list, const char *name)
{
	for (; *list; list++)
		if (!strcmp((*list)->name, name))
			return *list;
	BUG("no policy '%s'", name);
}

void mem_use_network(struct mem *m, const struct policy *p)
{
	m->net = (const struct network_ops *)p;
}

void mem_use_coherence(struct mem *m, const struct policy *p)
{
	m->rule = (const struct coherence_ops *)p;
	bool was = m->parted;
	m->parted = far_works(&m->c, m->rule);
	if (was && !m->parted)
		far_forget(m);
	for (u32 sm = 0; m->l1 && sm < m->nsms; sm++)
		m->l1[sm * MC_COUNT + MC_L1D].mshr.by_sector = mshrs_of_sectors(m);
}

bool mem_wants_words(const struct mem *m)
{
	return m->rule->words;
}

/* Takes everything from the arena and writes nothing to it. */
static struct mem *build(const struct conf *c, struct arena *state, struct err *e)
{
	if (!check_lines(c, e))
		return NULL;
	struct mem *m = xcalloc(1, sizeof(*m));
	m->c = *c;
	mem_use_network(m, policy_named_in(network_policies, c->network));
	mem_use_coherence(m, policy_named_in(coherence_policies, c->coherence));
	m->nsms = c->num_sms;
	m->nchannels = c->partitions;
	m->nslices = c->partitions * c->l2_slices;
	m->icnt = clock_make(c->core_clock, c->icnt_clock);
	m->l2clk = clock_make(c->core_clock, c->l2_clock);
	m->dramclk = clock_make(c->core_clock, c->dram_clock);
	m->map = map_make(c);
	size_sm(m);
	if (!size_shared(m, e)) {
		free(m);
		return NULL;
	}
	m->no_ev = xcalloc(1, sizeof(*m->no_ev));
	m->chan = xcalloc(m->nchannels, sizeof(*m->chan));
	build_tables(m);
	build_sms(m, state);
	build_slices(m, state);
	build_shared(m, state);
	channel_init(m, state);
	build_records(m, state);
	return m;
}

struct mem *mem_create(const struct conf *c, struct arena *state, struct event_buf *sm_ev, struct event_buf *shared_ev,
                       struct err *e)
{
	struct mem *m = build(c, state, e);
	if (!m)
		return NULL;
	m->sm_ev = sm_ev;
	m->shared_ev = shared_ev;
	channel_reset(m);
	return m;
}

void mem_hear(struct mem *m, const struct hop_ear *ear)
{
	m->ear = ear;
}

void mem_destroy(struct mem *m)
{
	if (!m)
		return;
	free(m->l1);
	free(m->slice);
	free(m->chan);
	free(m->where);
	free(m->no_ev);
	free(m->mesh);
	free(m->denovo);
	free(m);
}

/* A rehearsal on an arena that is only counted, never touched. */
bool mem_state_bytes(const struct conf *c, size_t *bytes, struct err *e)
{
	struct arena a = {.base = (u8 *)(uintptr_t)4096, .reserved = (size_t)1 << 46};
	struct mem *m = build(c, &a, e);
	*bytes = a.used;
	mem_destroy(m);
	return m != NULL;
}

/* --- moving ------------------------------------------------------------------------------------------------------- */
static __attribute__((noinline)) void fire_last(struct mem *m, u32 t, u64 now)
{
	if (t >= m->timer_constants)
		constants_run(m, t - m->timer_constants, now);
	else if (t == m->timer_mesh)
		mesh_run(m, now);
	else if (t >= m->timer_arrive)
		message_arrive(m, t - m->timer_arrive, now);
	else
		message_depart(m, t - m->timer_depart, now);
}

static inline void arrive(struct mem *m, u32 p, u64 now)
{
	if (unlikely(m->parted) && far_arrive(m, p, now))
		return;
	HOP_TELL(m->ear, .what = NEWS_LANDS, .cycle = now, .id = p);
	m->net->arrive(m, p, now);
}

/* What each timer stands for, in the order of the numbers; those of which there are many first. */
static inline void fire(struct mem *m, u32 t, u64 now)
{
	if (unlikely(t >= m->timer_depart))
		fire_last(m, t, now);
	else if (t >= m->timer_dram)
		l2_fill(m, t - m->timer_dram, now);
	else if (t >= m->timer_packet)
		arrive(m, t - m->timer_packet, now);
	else if (t >= m->timer_channel)
		channel_run(m, t - m->timer_channel, now);
	else if (t >= m->timer_out)
		m->net->output(m, t - m->timer_out, now);
	else if (t >= m->timer_slice)
		l2_run(m, t - m->timer_slice, now);
	else
		m->net->inject(m, t, now);
}

/* What the timer after this one will touch first; the host's memory works on it meanwhile. */
static inline void prefetch(const struct mem *m, u32 t)
{
	if (t == WHEEL_NONE)
		return;
	__builtin_prefetch(&m->wheel.node[t]);
	if (unlikely(t >= m->timer_depart))
		return;
	if (t >= m->timer_dram)
		__builtin_prefetch(&m->dreq[t - m->timer_dram]);
	else if (t >= m->timer_packet)
		__builtin_prefetch(&m->packet[t - m->timer_packet]);
}

static void fire_until(struct mem *m, u64 now)
{
	for (u32 t; (t = wheel_pop(&m->wheel, now)) != WHEEL_NONE;) {
		u32 next = wheel_head(&m->wheel);
		prefetch(m, next);
		fire(m, t, wheel_now(&m->wheel));
	}
}

/* SMs that got something in this cycle. */
static void inject_fresh(struct mem *m, u64 now)
{
	for (u32 g = 0; g < m->nsms; g += 8) {
		u64 eight;
		memcpy(&eight, &m->fresh[g], 8);
		if (!eight)
			continue;
		memset(&m->fresh[g], 0, 8);
		for (; eight; eight &= eight - 1) { /* each byte is a mask of FRESH_ */
			u32 bit = bit_first(eight), sm = g + bit / 8;
			if (likely(!(bit % 8)))
				m->net->fresh(m, sm, now);
			else
				constants_arm(m, sm);
		}
	}
}

void mem_tick(struct mem *m, u64 now)
{
	if (now > wheel_now(&m->wheel))
		fire_until(m, now - 1);
	inject_fresh(m, now);
	fire_until(m, now);
}

u64 mem_next(const struct mem *m)
{
	for (u32 g = 0; g < m->nsms; g += 8) {
		u64 eight;
		memcpy(&eight, &m->fresh[g], 8);
		if (eight)
			return wheel_now(&m->wheel); /* an access since the last tick */
	}
	return wheel_next(&m->wheel);
}

const u64 *mem_wake(const struct mem *m)
{
	return m->wake;
}

void mem_clear_wake(struct mem *m, u32 sm)
{
	m->wake[sm / 64] &= ~BIT(sm % 64);
}
bool mem_answered(const struct mem *m, u32 sm)
{
	return m->port[sm].answers.n;
}
u32 mem_outstanding(const struct mem *m, u32 sm)
{
	return m->port[sm].outstanding;
}
