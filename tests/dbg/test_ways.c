/* The ways of loads (probe/hops.h, obs/record/ways.h) on every kind of machine. Each load that the machine counts is
 * followed. Its hops are in order and sum to its latency. What answered it is what the line counters say. Parts of a
 * run sum to the whole, gone through again or heard live. Listening changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "dbg/latencies.h"
#include "gpu/lines.h"
#include "mem/mem.h"
#include "tests/rig/debug_rig.h"
#include "tests/rig/rounds.h"

struct heard {
	struct ways *ways;
	struct latency l;
	struct gpu *g;
	u64 loads, atomics; /* of L1D */
	u64 txns;           /* of all caches, of loads that ended */
	u64 alone;          /* of these, that had a DRAM request made for them */
	u64 past_l1;        /* that had a request of their own */
	bool denovo;        /* answers do not say whether L2 had to ask DRAM */
};

static u64 length(const struct way *w, const struct way_hop *hops, u32 n, u32 i)
{
	return (i + 1 < n ? hops[i + 1].since : w->end) - hops[i].since;
}

static void check_txn(struct heard *h, const struct way *w, u32 t)
{
	const struct way_txn *x = &w->txn[t];
	const struct conf *c = gpu_conf(h->g);
	struct way_hop hops[WAY_HOPS_MAX];
	u64 sum = 0, pipe = 0;
	bool ordered;
	const u32 n = way_hops(w, t, NEVER, hops, &ordered);
	assert_true(n && ordered);
	assert_int_equal(hops[0].since, w->issued);
	for (u32 i = 1; i < n; i++)
		assert_true(hops[i].since > hops[i - 1].since);
	assert_true(hops[n - 1].since < w->end);
	assert_true(x->answered <= x->popped && x->popped <= w->end && x->taken >= w->ready);
	for (u32 i = 0; i < n; i++) {
		sum += length(w, hops, n, i);
		pipe += hops[i].hop == HOP_L2_PIPE ? length(w, hops, n, i) : 0;
	}
	assert_int_equal(sum, w->end - w->issued);
	assert_int_equal(hops[0].hop, HOP_OPERANDS);
	assert_int_equal(length(w, hops, n, 0), 1 + c->sm_read_latency);
	assert_int_equal(x->hit, x->level == WAY_L1);
	if (x->hit)
		return;
	assert_true(x->fetch != NULL);
	const struct way_fetch *f = x->fetch;
	if (x->level == WAY_L2)
		assert_true(f->l2_hit && !f->dram);
	if (x->level == WAY_DRAM && !f->l1i)
		assert_true(f->dram && f->dram->back != NEVER && f->dram->columns && !f->l2_hit);
	if (!h->denovo && w->op != MO_ATOMIC)
		assert_int_equal(x->level == WAY_DRAM, x->dram);
	if (x->merged || f->owner || !f->has_packet)
		return;
	assert_int_equal(pipe, c->l2_latency);
	h->past_l1++;
	if (x->level != WAY_DRAM || f->l2_merged)
		return;
	h->alone++;
	assert_int_equal(f->dram->hit, !f->dram->activated);
	assert_true(!f->dram->precharged || f->dram->activated);
}

static void on_end(void *ctx, struct way *w)
{
	struct heard *h = ctx;
	latency_add(&h->l, w, gpu_launched(h->g, w->kernel)->mod);
	assert_true(w->end != NEVER || w->dropped);
	if (w->cache == MC_L1D)
		++*(w->op == MO_ATOMIC ? &h->atomics : &h->loads);
	for (u32 t = 0; !w->dropped && t < w->n; t++)
		check_txn(h, w, t);
	h->txns += w->dropped ? 0 : w->n;
}

/* A warp that has waited for memory goes on in the very cycle in which the registers of one of its loads are free. */
#define ENDS 256u
struct ends {
	struct ways *ways;
	u64 end[16][64][ENDS];
	u32 n[16][64];
	bool waits[16][64];
	u64 checked;
};

static void note_end(void *ctx, struct way *w)
{
	struct ends *x = ctx;
	if (w->sm < 16)
		x->end[w->sm][w->warp][x->n[w->sm][w->warp]++ % ENDS] = w->end;
}

static bool goes_on(void *ctx, const struct event *e)
{
	struct ends *x = ctx;
	if (e->sm >= 16)
		return false;
	bool *waits = &x->waits[e->sm][e->warp], found = !*waits || e->type == EV_WARP_STALL;
	for (u32 i = 0; !found && i < ENDS; i++)
		found = x->end[e->sm][e->warp][i] == e->cycle;
	assert_true(found);
	x->checked += *waits && e->type == EV_WARP_READY;
	*waits = e->type == EV_WARP_STALL && e->arg[0] == WS_MEM;
	return false;
}

static void warps_go_on(void **state)
{
	struct rig r;
	struct ends *x = xcalloc(1, sizeof *x);
	rig_words(&r, "spmv --size small --gpu v100");
	x->ways = ways_new(gpu_conf(dbg_gpu(r.d)), note_end, x);
	sim_hear(r.s->sim, ways_ear(x->ways));
	sim_subscribe(r.s->sim, EVENT(EV_WARP_STALL) | EVENT(EV_WARP_READY), goes_on, x);
	rig_say(&r, "continue");
	assert_true(x->checked > 200);
	sim_hear(r.s->sim, NULL);
	ways_free(x->ways);
	free(x);
	rig_close(&r);
}

static u64 counted(struct gpu *g, enum counter_group group, const char *name)
{
	const struct counter_desc *d = counter_group_first(group);
	u64 sum = 0;
	while (strcmp(d->name, name))
		d++;
	for (u32 i = 0; i < gpu_counter_instances(g, group); i++)
		sum += gpu_counters(g, group, i)[d->index];
	return sum;
}

static struct line_counters lines(struct gpu *g)
{
	struct line_counters sum = {0};
	for (u32 i = 0; i < gpu_num_modules(g); i++) {
		const struct module *m = gpu_module(g, i);
		const struct line_counters *c = gpu_line_counters(g, m);
		assert_non_null(c);
		for (u32 pc = 0; pc < m->ncode; pc++) {
			sum.l1_hits += c[pc].l1_hits;
			sum.l2_hits += c[pc].l2_hits;
			sum.dram += c[pc].dram;
		}
	}
	return sum;
}

static void same(const struct latency *a, const struct latency *b)
{
	const struct latency_of *x[] = {&a->all, &a->level[WAY_L1], &a->level[WAY_L2], &a->level[WAY_DRAM]};
	const struct latency_of *y[] = {&b->all, &b->level[WAY_L1], &b->level[WAY_L2], &b->level[WAY_DRAM]};
	for (u32 i = 0; i < ARRAY_LEN(x); i++) {
		assert_int_equal(x[i]->loads, y[i]->loads);
		assert_int_equal(x[i]->cycles, y[i]->cycles);
		assert_int_equal(x[i]->max, y[i]->max);
		assert_memory_equal(x[i]->hop, y[i]->hop, sizeof x[i]->hop);
		for (double p = 1; p <= 100; p += 3)
			assert_int_equal(latency_percentile(x[i], p), latency_percentile(y[i], p));
	}
	assert_int_equal(a->txns, b->txns);
	assert_memory_equal(a->txns_of, b->txns_of, sizeof a->txns_of);
	assert_int_equal(a->nlines, b->nlines);
}

/* What has been heard is all that the machine counts. */
static void counts_agree(struct heard *h)
{
	const struct line_counters c = lines(h->g);
	u64 hops = 0;
	assert_int_equal(ways_misfits(h->ways), 0);
	assert_int_equal(h->l.unordered, 0);
	assert_int_equal(h->loads, counted(h->g, CG_sm, "loads"));
	assert_int_equal(h->atomics, counted(h->g, CG_sm, "atomics"));
	assert_int_equal(h->l.txns, h->txns);
	assert_int_equal(h->l.txns_of[WAY_L1], c.l1_hits);
	assert_int_equal(h->l.txns - h->l.txns_of[WAY_L1], c.l2_hits + c.dram);
	if (!h->denovo && !h->atomics)
		assert_int_equal(h->l.txns_of[WAY_DRAM], c.dram);
	assert_true(h->alone <= counted(h->g, CG_dram, "requests"));
	assert_true(h->past_l1 <= counted(h->g, CG_l2, "accesses"));
	for (u32 i = 0; i < HOP_COUNT; i++)
		hops += h->l.all.hop[i];
	assert_int_equal(hops, h->l.all.cycles);
	assert_int_equal(ways_under_way(h->ways), gpu_loads_under_way(h->g));
}

/* The same, gone through again: all at once, and in three parts. */
static void again(struct rig *r, const struct heard *h)
{
	char line[80];
	struct err e = {0};
	const u64 end = sim_cycle(r->s->sim), cut[] = {0, end / 3 + 7, end / 2 + 11, end};
	u64 loads = 0, cycles = 0, txns = 0, hop[HOP_COUNT] = {0};
	const struct latency *l = latencies_get(r->d, "test", &e);
	if (!l)
		fail_msg("%s", e.msg);
	same(&h->l, l);
	for (u32 i = 3; i-- > 0;) {
		snprintf(line, sizeof line, "scope %llu %llu", (unsigned long long)cut[i], (unsigned long long)cut[i + 1]);
		rig_say(r, line);
		l = latencies_get(r->d, "test", &e);
		assert_non_null(l);
		assert_true(l->all.loads > 0);
		assert_int_equal(l->unordered, 0);
		loads += l->all.loads;
		cycles += l->all.cycles;
		txns += l->txns;
		for (u32 k = 0; k < HOP_COUNT; k++)
			hop[k] += l->all.hop[k];
	}
	rig_say(r, "scope off");
	assert_int_equal(loads, h->l.all.loads);
	assert_int_equal(cycles, h->l.all.cycles);
	assert_int_equal(txns, h->l.txns);
	assert_memory_equal(hop, h->l.all.hop, sizeof hop);
	assert_int_equal(sim_cycle(r->s->sim), end);
}

static const char *const machines[] = {
    "hotspot --gpu gtx480",
    "spmv --gpu v100",
    "histogram --gpu a100",
    "bfs --gpu apu15",
    "histogram --gpu apu15",
    "bfs --gpu gtx480 --set lsu.replay=newcar",
    "kmeans --gpu fermi28 --cta-virtual vt",
    "histogram --gpu gpgpusim_v100",
    "spmv --gpu gtx480 --network mesh",
    "spmv --gpu rtx3070 --set sm.dependences=counters --set sm.read_ports=true",
    "vecadd bfs --gpu gtx480 --partition spatial",
};

static void walk(const char *machine)
{
	struct rig r;
	char line[300], hash[64];
	snprintf(line, sizeof line, "%s --size small", machine);
	print_message("%s\n", line);
	rig_words(&r, line);
	rig_say(&r, "continue");
	snprintf(hash, sizeof hash, "%s", rig_say(&r, "print gpu.hash"));
	const u64 end = sim_cycle(r.s->sim);
	rig_close(&r);

	rig_words(&r, line);
	struct heard h = {.g = dbg_gpu(r.d), .denovo = strstr(machine, "apu15") != NULL};
	latency_init(&h.l, 0, NEVER);
	h.ways = ways_new(gpu_conf(h.g), on_end, &h);
	sim_hear(r.s->sim, ways_ear(h.ways));
	rig_say(&r, "continue");
	sim_hear(r.s->sim, NULL);
	rig_has(&r, "print gpu.hash", hash);
	assert_int_equal(sim_cycle(r.s->sim), end);
	assert_true(h.l.all.loads > 1000);
	counts_agree(&h);
	again(&r, &h);
	rig_has(&r, "print gpu.hash", hash);
	latency_release(&h.l);
	ways_free(h.ways);
	rig_close(&r);
}

static void laws(void **state)
{
	const char *one = getenv("WAYS_ONE"); /* a part of the line of one machine */
	for (u32 i = 0; i < ARRAY_LEN(machines); i += rounds(NULL, 1, 4))
		if (!one || strstr(machines[i], one))
			walk(machines[i]);
}

/* CTAs are dropped while their loads are under way: those end with them, what comes for them later is nobody's. */
static void dropped(void **state)
{
	struct rig r;
	rig_words(&r, "spmv --size small --gpu gtx480 --set idempotence.track=true");
	struct heard h = {.g = dbg_gpu(r.d)};
	latency_init(&h.l, 0, NEVER);
	h.ways = ways_new(gpu_conf(h.g), on_end, &h);
	sim_hear(r.s->sim, ways_ear(h.ways));
	rig_say(&r, "until 5000");
	for (u32 i = 0; i < 4; i++)
		if (rig_try(&r, i % 2 ? "drop cta 40" : "drop cta"))
			rig_say(&r, "step 300");
	rig_say(&r, "continue");
	sim_hear(r.s->sim, NULL);
	assert_int_equal(ways_misfits(h.ways), 0);
	assert_true(h.l.dropped > 0);
	assert_int_equal(h.loads, counted(h.g, CG_sm, "loads"));
	latency_release(&h.l);
	ways_free(h.ways);
	rig_close(&r);
}

static void count_news(void *ctx, const struct hop_news *n)
{
	++*(u64 *)ctx;
}

/* Who listens hears what is simulated for the first time, and nothing of what is gone through again. */
static void travel_is_not_heard(void **state)
{
	struct rig r;
	u64 n = 0;
	const struct hop_ear ear = {.fn = count_news, .ctx = &n};
	rig_words(&r, "spmv --size small");
	rig_say(&r, "until 4000");
	sim_hear(r.s->sim, &ear);
	rig_say(&r, "until 5000");
	const u64 heard = n;
	assert_true(heard > 1000);
	rig_say(&r, "goto 2777");
	rig_say(&r, "goto 4999");
	assert_int_equal(n, heard);
	rig_say(&r, "until 6000");
	assert_true(n > heard + 1000);
	sim_hear(r.s->sim, NULL);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(laws), cmocka_unit_test(dropped),
	                                   cmocka_unit_test(travel_is_not_heard), cmocka_unit_test(warps_go_on)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
