/* Counters: access to them and the sums that must hold. */
#include "mem/impl.h"

#include <stdio.h>

void mem_sync_counters(struct mem *m, u64 now)
{
	for (u32 i = 0; i < m->nsms * MC_COUNT; i++)
		mshr_account(&m->l1[i].mshr, now, m->l1[i].cc);
	for (u32 s = 0; s < m->nslices; s++)
		l2_sync(m, s, now);
}

struct cache_counters *mem_cache_counters(struct mem *m, enum mem_cache c, u32 sm)
{
	return m->l1[sm * MC_COUNT + c].cc;
}
struct cache_counters *mem_l2_counters(struct mem *m, u32 slice)
{
	return m->slice[slice].cc;
}
struct dram_counters *mem_dram_counters(struct mem *m, u32 channel)
{
	return m->chan[channel].cc;
}
struct noc_counters *mem_noc_counters(struct mem *m)
{
	return m->noc;
}
const struct msg_counters *mem_kernel_messages(const struct mem *m, u32 launch)
{
	return &m->traffic[launch * MSG_CLASSES];
}

bool mem_quiet(const struct mem *m)
{
	u32 held = m->pool->used + m->dram_pool->used + message_held(m);
	for (u32 sm = 0; sm < m->nsms; sm++)
		held += m->port[sm].outstanding + m->port[sm].q.n;
	return !held;
}

static bool equal(const char *who, u32 i, const char *what, u64 a, u64 b, struct err *e)
{
	if (a == b)
		return true;
	return err_set(e, "memory conservation, %s %u: %s (%llu and %llu)", who, i, what, (unsigned long long)a,
	               (unsigned long long)b);
}

static bool check_cache(const char *who, u32 i, const struct cache_counters *c, const struct mshr_table *t,
                        struct err *e)
{
	return equal(who, i, "accesses = hits + misses + merges + bypasses", c->accesses,
	             c->hits + c->misses + c->merges + c->bypasses, e) &&
	       equal(who, i, "accesses = reads + writes + atomics", c->accesses, c->reads + c->writes + c->atomics, e) &&
	       equal(who, i, "no MSHR in use", t->st->used, 0, e);
}

static bool check_causes(const char *who, u32 i, const struct cache_counters *c, struct err *e)
{
	u64 sum = c->write_misses;
	for (u32 k = 0; k < MISS_CAUSES; k++)
		sum += miss_count(c, k);
	return equal(who, i, "misses = write misses + read misses by cause", c->misses, sum, e);
}

/* Lookups as GPGPU-Sim counts them: of an access one, with sectors one to eight, unless it passed the cache. Of merges
 * it is not known which did. */
static bool check_lookups(const char *who, u32 i, const struct cache_counters *c, bool sectored, struct err *e)
{
	static const char *const sums[REF_KINDS] = {"ref_reads = hits + pending + misses",
	                                            "ref_writes = hits + pending + misses",
	                                            "ref_atomics = hits + pending + misses"};
	u64 all = 0, least = c->hits + c->misses, most = (least + c->merges) * (sectored ? 8 : 1);
	for (u32 k = 0; k < REF_KINDS; k++) {
		u64 sum = 0;
		for (u32 r = REF_HIT; r < REF_RESULTS; r++)
			sum += ref_counted(c, k, r);
		if (!equal(who, i, sums[k], ref_counted(c, k, REF_ALL), sum, e))
			return false;
		all += sum;
	}
	return equal(who, i, "hits + misses <= lookups", MIN(all, least), least, e) &&
	       equal(who, i, "lookups <= those of all accesses", MAX(all, most), most, e);
}

static bool check_tags(const char *who, u32 i, const struct tags *t, struct err *e)
{
	u64 reserved = 0;
	for (u32 set = 0; set < t->sets; set++)
		for (u32 way = 0; way < t->ways; way++)
			reserved += t->line[tags_place(t, set, way)].pending != 0;
	return equal(who, i, "no line reserved", reserved, 0, e);
}

/* l1c.behind=l1i: what the constant cache missed, L1I was asked for. */
static bool check_constants(struct mem *m, u32 sm, struct err *e)
{
	const struct l1 *l1i = &m->l1[sm * MC_COUNT + MC_L1I];
	const struct l1i_counters *k = l1i_counters_of(l1i);
	const u64 misses = m->l1[sm * MC_COUNT + MC_L1C].cc->misses;
	const u64 crossed = k->constant_evictions + k->code_evictions;
	return equal("l1i of SM", sm, "reads of constants = misses of l1c", k->constant_reads, misses, e) &&
	       equal("l1i of SM", sm, "accesses >= reads of constants", MIN(k->accesses, misses), misses, e) &&
	       equal("l1i of SM", sm, "hits >= hits of constants", MIN(k->hits, k->constant_hits), k->constant_hits, e) &&
	       equal("l1i of SM", sm, "evictions >= those of the other kind", MIN(k->evictions, crossed), crossed, e) &&
	       equal("l1i of SM", sm, "constants under way = 0", m->constants[sm].n, 0, e);
}

static bool check_sm(struct mem *m, u32 sm, struct err *e)
{
	static const char *const names[MC_COUNT] = {"l1i of SM", "l1d of SM", "l1c of SM", "l1t of SM"};
	const struct sm_port *p = &m->port[sm];
	for (u32 k = 0; k < MC_COUNT; k++) {
		const struct l1 *l = &m->l1[sm * MC_COUNT + k];
		if (!check_cache(names[k], sm, l->cc, &l->mshr, e) ||
		    (k == MC_L1D && (l->cached >> MO_LOAD & 1) && !check_lookups(names[k], sm, l->cc, l->sectored, e)) ||
		    !check_tags(names[k], sm, &l->tags, e) || (l->ideal.n && !check_causes(names[k], sm, l->cc, e)) ||
		    !equal(names[k], sm, "miss queue empty", l->st->queued, 0, e))
			return false;
	}
	if (m->constants && !check_constants(m, sm, e))
		return false;
	return equal("SM", sm, "requests outstanding = 0", p->outstanding, 0, e) &&
	       equal("SM", sm, "stores outstanding = 0", p->stores, 0, e) &&
	       equal("SM", sm, "answers waiting = 0", p->answers.n, 0, e) &&
	       equal("SM", sm, "replies on their way = 0", p->replies + p->promised, 0, e) &&
	       equal("SM", sm, "requests waiting to leave = 0", p->q.n, 0, e) &&
	       equal("SM", sm, "nobody waits for a place at its port", p->waiting + p->granted + p->wait_head, 0, e);
}

static bool check_channel(struct mem *m, u32 i, struct err *e)
{
	const struct channel *ch = &m->chan[i];
	const struct dram_counters *d = ch->cc;
	return equal("DRAM channel", i, "window empty", ch->st->n, 0, e) &&
	       equal("DRAM channel", i, "reads + writes = row hits + row misses", d->reads + d->writes,
	             d->row_hits + d->row_misses, e) &&
	       equal("DRAM channel", i, "row misses = activates", d->row_misses, d->activates, e) &&
	       equal("DRAM channel", i, "bytes = bursts x burst size", d->bytes,
	             (d->reads + d->writes) * m->c.dram_bus * m->c.dram_burst, e);
}

/* Everything the slices asked for went to DRAM: fetches and write-backs are the channel's requests. */
static bool check_slice(struct mem *m, u32 i, struct err *e)
{
	const struct slice *s = &m->slice[i];
	return equal("l2 slice", i, "accesses = near + far", s->cc->accesses, s->cc->near_accesses + s->cc->far_accesses,
	             e) &&
	       equal("l2 slice", i, "nothing in the other part, or of it", s->st->away + s->st->far_n, 0, e) &&
	       check_cache("l2 slice", i, s->cc, &s->mshr, e) && check_lookups("l2 slice", i, s->cc, m->l2_sectored, e) &&
	       check_tags("l2 slice", i, &s->tags, e) && (!s->ideal.n || check_causes("l2 slice", i, s->cc, e)) &&
	       equal("l2 slice", i, "input, output, miss queue empty",
	             s->st->in_n + s->st->out_n + s->st->mq_n + s->st->promised, 0, e) &&
	       equal("l2 slice", i, "nobody waits for a place at its port",
	             s->st->wait_head + s->st->out_waiting + s->st->out_granted, 0, e);
}

/* Everything sent was taken in: requests went up as reads, writes and write-backs, replies came down as data and
 * control.
 */
static bool check_messages(struct mem *m, struct err *e)
{
	const struct msg_counters *n = noc_messages(m->noc);
	const u64 *in = noc_received(m->noc), *peer = m->peer_received;
	u64 back = 0;
	for (u32 k = 0; k < MSG_CLASSES; k++)
		if (!equal("messages of class", k, "sent = received", n[k].sent, in[k], e))
			return false;
	for (u32 sm = 0; sm < m->nsms; sm++)
		back += m->l1[sm * MC_COUNT + MC_L1D].cc->writebacks;
	return equal("messages", 0, "requests = reads + writes + write-backs", m->noc->requests,
	             n[MSG_READ].sent - peer[MSG_READ] + n[MSG_WRITE].sent - peer[MSG_WRITE] + n[MSG_WRITEBACK].sent -
	                 peer[MSG_WRITEBACK],
	             e) &&
	       equal("messages", 0, "replies = data + control", m->noc->replies,
	             in[MSG_DATA] - peer[MSG_DATA] + in[MSG_CONTROL] - peer[MSG_CONTROL], e) &&
	       equal("messages", 0, "none in a box", message_held(m), 0, e) &&
	       (m->source ||
	        equal("messages", 0, "write-backs = those of L1D", n[MSG_WRITEBACK].sent - peer[MSG_WRITEBACK], back, e));
}

/* What slices asked of owners, L1Ds were asked. */
static bool check_owners(struct mem *m, struct err *e)
{
	u64 reads = 0, taken = 0, recalled = 0, passed = 0;
	for (u32 i = 0; i < m->nslices; i++) {
		reads += m->slice[i].cc->remote_reads;
		taken += m->slice[i].cc->words_taken;
		recalled += m->slice[i].cc->words_recalled;
		passed += m->slice[i].cc->words_passed;
	}
	for (u32 sm = 0; sm < m->nsms; sm++) {
		const struct cache_counters *c = m->l1[sm * MC_COUNT + MC_L1D].cc;
		reads -= c->remote_reads;
		taken -= c->words_taken;
		recalled -= c->words_recalled;
		passed -= c->words_passed;
	}
	return equal("owners", 0, "reads passed on = answered", reads, 0, e) &&
	       equal("owners", 0, "words taken = given up", taken, 0, e) &&
	       equal("owners", 0, "words recalled = sent back", recalled, 0, e) &&
	       equal("owners", 0, "words passed on = sent on", passed, 0, e) && (!m->rule->check || m->rule->check(m, e));
}

bool mem_check(struct mem *m, struct err *e)
{
	u64 served = 0;
	for (u32 sm = 0; sm < m->nsms; sm++)
		if (!check_sm(m, sm, e))
			return false;
	for (u32 i = 0; i < m->nslices; i++) {
		served += m->slice[i].cc->accesses;
		if (!check_slice(m, i, e))
			return false;
	}
	for (u32 i = 0; i < m->nchannels; i++)
		if (!check_channel(m, i, e))
			return false;
	return check_messages(m, e) && check_owners(m, e) &&
	       equal("interconnect", 0, "requests = replies + absorbed", m->noc->requests,
	             m->noc->replies + m->noc->absorbed, e) &&
	       equal("interconnect", 0, "requests = L2 accesses", m->noc->requests, served, e) &&
	       equal("packets", 0, "in use = 0", m->pool->used, 0, e) &&
	       equal("DRAM requests", 0, "in use = 0", m->dram_pool->used, 0, e);
}
