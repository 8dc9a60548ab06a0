#include "obs/stats/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/scope.h"

struct sampler {
	struct gpu *g;
	u32 scopes;
	struct sample *last; /* absolute values of the last reading, per scope */
	struct sample *now;
	u64 (*energy)[EG_COUNT]; /* [scopes], while reading */
};

/* A sample is u64 words all through, so that adding and subtracting need no list of fields. */
#define WORDS (sizeof(struct sample) / sizeof(u64))
_Static_assert(sizeof(struct sample) % sizeof(u64) == 0, "struct sample is an array of u64");

void sample_add(struct sample *into, const struct sample *s)
{
	u64 *a = (u64 *)into;
	const u64 *b = (const u64 *)s;
	for (u32 i = 0; i < WORDS; i++)
		a[i] += b[i];
}

void sample_sub(struct sample *out, const struct sample *a, const struct sample *b)
{
	u64 *o = (u64 *)out;
	const u64 *x = (const u64 *)a, *y = (const u64 *)b;
	for (u32 i = 0; i < WORDS; i++)
		o[i] = x[i] - y[i];
}

static void read_sm(struct gpu *g, u32 sm, struct sample *s)
{
	const struct sm_counters *c = (const struct sm_counters *)gpu_counters_again(g, CG_sm, sm);
	s->issued = c->issued;
	s->issued_free = c->issued_free;
	s->warp_cycles = c->occupancy;
	const struct cache_counters *l1 = (const struct cache_counters *)gpu_counters_again(g, CG_l1d, sm);
	s->l1d_hits = l1->hits;
	s->l1d_lookups = l1->hits + l1->misses + l1->merges;
	for (u32 i = 0; i < MISS_CAUSES; i++)
		s->l1d_miss[i] = miss_count(l1, i);
	gpu_stalls_sum(g, (s32)sm, s->stalls);
}

static void read_shared(struct gpu *g, struct sample *s)
{
	for (u32 i = 0; i < gpu_counter_instances(g, CG_l2); i++) {
		const struct cache_counters *c = (const struct cache_counters *)gpu_counters_again(g, CG_l2, i);
		s->l2_hits += c->hits;
		s->l2_lookups += c->hits + c->misses + c->merges;
		for (u32 k = 0; k < MISS_CAUSES; k++)
			s->l2_miss[k] += miss_count(c, k);
	}
	for (u32 i = 0; i < gpu_counter_instances(g, CG_dram); i++) {
		const struct dram_counters *d = (const struct dram_counters *)gpu_counters_again(g, CG_dram, i);
		s->dram_bytes += d->bytes;
		s->dram_row_hits += d->row_hits;
		s->dram_bursts += d->row_hits + d->row_misses;
		s->dram_queue_cycles += d->queue_cycles;
		s->dram_requests += d->requests;
	}
	s->reply_flits = ((const struct noc_counters *)gpu_counters_again(g, CG_noc, 0))->reply_flits;
}

static void read_energy(struct sampler *s, struct sample *out)
{
	energy_of_groups(s->g, s->energy, s->scopes);
	for (u32 i = 0; i < s->scopes; i++)
		memcpy(out[i].energy, s->energy[i], sizeof out[i].energy);
}

void sampler_read_scope(struct sampler *s, struct sample *out)
{
	memset(out, 0, s->scopes * sizeof *out);
	gpu_counters(s->g, CG_sm, 0);
	for (u32 sm = 0; sm < gpu_conf(s->g)->num_sms; sm++) {
		struct sample own = {0};
		read_sm(s->g, sm, &own);
		sample_add(&out[0], &own);
		if (s->scopes > 1)
			out[sm + 1] = own;
	}
	read_shared(s->g, &out[0]);
	read_energy(s, out);
	for (u32 i = 0; i < s->scopes; i++)
		out[i].cycles = gpu_counted_cycles(s->g);
}

/* Records are of the whole run, whatever scope its figures are shown in. */
static void read_all(struct sampler *s, struct sample *out)
{
	struct gpu_scope *scope = gpu_scope_off(s->g);
	sampler_read_scope(s, out);
	gpu_scope_on(s->g, scope);
}

static struct sampler *create(struct gpu *g, u32 scopes)
{
	struct sampler *s = xcalloc(1, sizeof *s);
	s->g = g;
	s->scopes = scopes;
	s->last = xcalloc(s->scopes, sizeof *s->last);
	s->now = xcalloc(s->scopes, sizeof *s->now);
	s->energy = xcalloc(s->scopes, sizeof *s->energy);
	read_all(s, s->last);
	return s;
}

struct sampler *sampler_create(struct gpu *g)
{
	return create(g, gpu_conf(g)->num_sms + 1);
}

struct sampler *sampler_create_machine(struct gpu *g)
{
	return create(g, 1);
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	free(s->last);
	free(s->now);
	free(s->energy);
	free(s);
}

u32 sampler_scopes(const struct sampler *s)
{
	return s->scopes;
}

void sampler_peek(struct sampler *s, struct sample *out)
{
	read_all(s, s->now);
	for (u32 i = 0; i < s->scopes; i++)
		sample_sub(&out[i], &s->now[i], &s->last[i]);
}

void sampler_take(struct sampler *s, struct sample *out)
{
	sampler_peek(s, out);
	struct sample *t = s->last;
	s->last = s->now;
	s->now = t;
}

void sampler_read(struct sampler *s, struct sample *out)
{
	read_all(s, out);
}

void sampler_reset(struct sampler *s)
{
	read_all(s, s->last);
}

struct sample *sampler_keep(const struct sampler *s)
{
	return memcpy(xmalloc(s->scopes * sizeof *s->last), s->last, s->scopes * sizeof *s->last);
}

void sampler_recall(struct sampler *s, const struct sample *kept)
{
	if (kept)
		memcpy(s->last, kept, s->scopes * sizeof *kept);
	else
		read_all(s, s->last);
}

/* --- figures --- */

struct series_desc series_desc(enum series s)
{
	static const struct series_desc fixed[TS_STALL] = {
	    [TS_IPC] = {"ipc", "warp insts/cycle", "warp instructions executed per core cycle"},
	    [TS_WARPS] = {"active_warps", "warps", "mean number of resident warps"},
	    [TS_L1D_HIT] = {"l1d_hit_rate", "", "L1D hits / (hits + misses + merges)"},
	    [TS_L2_HIT] = {"l2_hit_rate", "", "L2 hits / (hits + misses + merges)"},
	    [TS_DRAM_BW] = {"dram_utilisation", "", "DRAM bytes moved / bytes at peak bandwidth"},
	    [TS_L1D_MISS + MISS_COLD] = {"l1d_cold_rate", "", "L1D miss_cold / (hits + misses + merges)"},
	    [TS_L1D_MISS + MISS_CAPACITY] = {"l1d_capacity_rate", "", "L1D miss_capacity / (hits + misses + merges)"},
	    [TS_L1D_MISS + MISS_SECTOR] = {"l1d_sector_rate", "", "L1D miss_sector / (hits + misses + merges)"},
	    [TS_L1D_MISS +
	        MISS_INVALIDATED] = {"l1d_invalidated_rate", "", "L1D miss_invalidated / (hits + misses + merges)"},
	    [TS_L1D_MISS + MISS_CONFLICT] = {"l1d_conflict_rate", "", "L1D miss_conflict / (hits + misses + merges)"},
	    [TS_L2_MISS + MISS_COLD] = {"l2_cold_rate", "", "L2 miss_cold / (hits + misses + merges)"},
	    [TS_L2_MISS + MISS_CAPACITY] = {"l2_capacity_rate", "", "L2 miss_capacity / (hits + misses + merges)"},
	    [TS_L2_MISS + MISS_SECTOR] = {"l2_sector_rate", "", "L2 miss_sector / (hits + misses + merges)"},
	    [TS_L2_MISS + MISS_INVALIDATED] = {"l2_invalidated_rate", "", "L2 miss_invalidated / (hits + misses + merges)"},
	    [TS_L2_MISS + MISS_CONFLICT] = {"l2_conflict_rate", "", "L2 miss_conflict / (hits + misses + merges)"},
	    [TS_DRAM_ROW_HIT] = {"dram_row_hit_rate", "", "DRAM row_hits / (row_hits + row_misses)"},
	    [TS_DRAM_LATENCY] = {"dram_latency", "cycles", "DRAM queue_cycles / requests: from arrival to data"},
	    [TS_REPLY_FLITS] = {"reply_flits", "flits/cycle", "flits from L2 slices to SMs per core cycle"},
	    [TS_POWER] = {"power", "W", "energy of events and leakage over time, all groups"},
	    [TS_POWER_PART + EG_core] = {"power_core", "W", "of the SMs but for shared memory and caches"},
	    [TS_POWER_PART + EG_shared] = {"power_shared", "W", "of shared memory"},
	    [TS_POWER_PART + EG_l1] = {"power_l1", "W", "of the L1 caches: data, constants, textures"},
	    [TS_POWER_PART + EG_l2] = {"power_l2", "W", "of the L2 slices"},
	    [TS_POWER_PART + EG_network] = {"power_network", "W", "of the interconnect and the memory controllers"},
	    [TS_POWER_PART + EG_dram] = {"power_dram", "W", "of the DRAM"},
	    [TS_POWER_PART + EG_board] = {"power_board", "W", "of the board, whatever the chip does"},
	};
	if (s < TS_STALL)
		return fixed[s];
	u32 reason = (u32)s - TS_STALL;
	BUG_ON(reason >= ST_COUNT);
	return (struct series_desc){stall_descs[reason].name[TAX_BASE], "", stall_descs[reason].help};
}

static double ratio(u64 a, u64 b)
{
	return b ? (double)a / (double)b : NAN;
}

static double stall_share(const struct sample *s, u32 reason)
{
	u64 sum = 0;
	for (u32 i = 0; i < ST_COUNT; i++)
		sum += s->stalls[i];
	return ratio(s->stalls[reason], sum);
}

bool series_of_sms(enum series which)
{
	if (which >= TS_POWER_PART && which < TS_STALL)
		return which <= TS_POWER_PART + EG_l1;
	return which != TS_L2_HIT && which != TS_DRAM_BW && !(which >= TS_L2_MISS && which < TS_POWER);
}

static double power(const struct sample *s, const struct conf *c)
{
	u64 sum = 0;
	for (u32 i = 0; i < EG_COUNT; i++)
		sum += s->energy[i];
	return energy_watts(c, sum, s->cycles);
}

double sample_value(const struct sample *s, enum series which, const struct conf *c)
{
	if (which >= TS_POWER_PART && which < TS_STALL)
		return energy_watts(c, s->energy[which - TS_POWER_PART], s->cycles);
	if (which >= TS_L2_MISS && which < TS_DRAM_ROW_HIT)
		return ratio(s->l2_miss[which - TS_L2_MISS], s->l2_lookups);
	if (which >= TS_L1D_MISS && which < TS_L2_MISS)
		return ratio(s->l1d_miss[which - TS_L1D_MISS], s->l1d_lookups);
	switch (which) {
	case TS_IPC: return ratio(s->issued, s->cycles);
	case TS_WARPS: return ratio(s->warp_cycles, s->cycles);
	case TS_L1D_HIT: return ratio(s->l1d_hits, s->l1d_lookups);
	case TS_L2_HIT: return ratio(s->l2_hits, s->l2_lookups);
	case TS_DRAM_ROW_HIT: return ratio(s->dram_row_hits, s->dram_bursts);
	case TS_DRAM_LATENCY: return ratio(s->dram_queue_cycles, s->dram_requests);
	case TS_REPLY_FLITS: return ratio(s->reply_flits, s->cycles);
	case TS_POWER: return power(s, c);
	case TS_DRAM_BW: {
		const double peak = dram_peak_bytes(c);
		return peak > 0 && s->cycles ? (double)s->dram_bytes / ((double)s->cycles * peak) : NAN;
	}
	default: return stall_share(s, (u32)which - TS_STALL);
	}
}
