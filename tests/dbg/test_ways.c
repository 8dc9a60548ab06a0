/* The ways of loads (probe/hops.h, obs/record/ways.h) on every kind of machine: each load that the machine counts is
 * followed; its hops are in order and sum to its latency; what answered it is what the counters say; listening changes
 * nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "gpu/lines.h"
#include "mem/mem.h"
#include "obs/record/latency.h"
#include "tests/rig/debug_rig.h"

struct heard {
	struct ways *ways;
	struct latency l;
	struct gpu *g;
	u64 loads, atomics;       /* of L1D: by what was issued */
	u64 txns, txns_l1d;       /* of loads that ended */
	u64 refused[WAY_REASONS]; /* cycles, at L1D */
	u64 sum, wrong;
	bool denovo;
};

static void on_end(void *ctx, struct way *w)
{
	struct heard *h = ctx;
	struct kernel_info k;
	struct way_hop hops[WAY_HOPS_MAX];
	u64 sum = 0;
	gpu_kernel_info(h->g, w->kernel, &k);
	latency_add(&h->l, w, k.launch->mod);
	if (w->cache == MC_L1D)
		++*(w->op == MO_ATOMIC ? &h->atomics : &h->loads);
	for (u32 t = 0; !w->dropped && t < w->n; t++) {
		const struct way_txn *x = &w->txn[t];
		bool ordered;
		const u32 n = way_hops(w, t, NEVER, hops, &ordered);
		h->txns++;
		h->txns_l1d += w->cache == MC_L1D;
		for (u32 i = 0; i < WAY_REASONS && w->cache == MC_L1D; i++)
			h->refused[i] += x->refused[i];
		if (!n || !ordered) {
			print_message(
			    "load issued %llu sm %u warp %u pc %u op %u cache %u txn %u/%u taken %llu hit %u merged %u answered %llu popped %llu end %llu\n",
			    (unsigned long long)w->issued, w->sm, w->warp, w->pc, w->op, w->cache, t, w->n,
			    (unsigned long long)x->taken, x->hit, x->merged, (unsigned long long)x->answered,
			    (unsigned long long)x->popped, (unsigned long long)w->end);
			for (u32 i = 0; i < n; i++)
				print_message("   %s %llu\n", hop_descs[hops[i].hop].name, (unsigned long long)hops[i].since);
			for (u32 i = 0; x->fetch && i < x->fetch->trail.n; i++)
				print_message("   f %s %llu\n", hop_descs[x->fetch->trail.at[i].hop].name,
				              (unsigned long long)x->fetch->trail.at[i].since);
			if (x->fetch)
				print_message(" sent %llu served %llu landed %llu split %u hit %u\n",
				              (unsigned long long)x->fetch->sent, (unsigned long long)x->fetch->served,
				              (unsigned long long)x->fetch->landed, x->fetch->split, x->fetch->l2_hit);
			for (u32 i = 0; x->fetch && x->fetch->dram && i < x->fetch->dram->trail.n; i++)
				print_message("   d %s %llu\n", hop_descs[x->fetch->dram->trail.at[i].hop].name,
				              (unsigned long long)x->fetch->dram->trail.at[i].since);
			fail_msg("not in order");
		}
		assert_int_equal(hops[0].since, w->issued);
		for (u32 i = 1; i < n; i++)
			assert_true(hops[i].since > hops[i - 1].since);
		assert_true(hops[n - 1].since < w->end);
		assert_true(x->popped <= w->end && x->answered <= x->popped);
		if (x->level == WAY_L2)
			assert_true(x->fetch && x->fetch->l2_hit && !x->fetch->dram);
		if (x->level == WAY_DRAM)
			assert_true(x->fetch && ((x->fetch->dram && x->fetch->dram->back != NEVER) || x->fetch->l1i));
		if (!h->denovo && w->op != MO_ATOMIC)
			assert_int_equal(x->level == WAY_DRAM, x->dram);
		if (t == w->last)
			for (u32 i = 0; i < n; i++)
				sum += (i + 1 < n ? hops[i + 1].since : w->end) - hops[i].since;
	}
	if (!w->dropped)
		assert_int_equal(sum, w->end - w->issued);
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

static const char *const machines[] = {
    "hotspot --gpu gtx480",
    "spmv --gpu gtx480",
    "spmv --gpu v100",
    "bfs --gpu v100",
    "kmeans --gpu a100",
    "histogram --gpu a100",
    "spmv --gpu apu15",
    "bfs --gpu apu15",
    "histogram --gpu apu15",
    "bfs --gpu gtx480 --set lsu.replay=newcar",
    "kmeans --gpu fermi28 --cta-virtual vt",
    "spmv --gpu gpgpusim_v100",
    "histogram --gpu gpgpusim_v100",
    "spmv --gpu gtx480 --network mesh",
    "matmul --gpu rtx3070 --set sm.dependences=counters --set sm.read_ports=true",
    "vecadd matmul --gpu gtx480 --partition spatial",
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
	rig_has(&r, "print gpu.hash", hash);
	assert_int_equal(sim_cycle(r.s->sim), end);
	sim_hear(r.s->sim, NULL);
	print_message("  %llu loads %llu misfits, mean %.1f; L1 %llu L2 %llu DRAM %llu owner %llu L1I %llu\n",
	              (unsigned long long)h.l.all.loads, (unsigned long long)ways_misfits(h.ways),
	              (double)h.l.all.cycles / (double)h.l.all.loads, (unsigned long long)h.l.txns_of[WAY_L1],
	              (unsigned long long)h.l.txns_of[WAY_L2], (unsigned long long)h.l.txns_of[WAY_DRAM],
	              (unsigned long long)h.l.txns_of[WAY_OWNER], (unsigned long long)h.l.txns_of[WAY_L1I]);
	print_message("  loads %llu counted %llu, atomics %llu counted %llu, unordered %llu\n", (unsigned long long)h.loads,
	              (unsigned long long)counted(h.g, CG_sm, "loads"), (unsigned long long)h.atomics,
	              (unsigned long long)counted(h.g, CG_sm, "atomics"), (unsigned long long)h.l.unordered);
	for (u32 k = 0; k < HOP_COUNT; k++)
		if (h.l.all.hop[k])
			print_message("  %s %.1f\n", hop_descs[k].name, (double)h.l.all.hop[k] / (double)h.l.all.loads);
	latency_release(&h.l);
	ways_free(h.ways);
	rig_close(&r);
}

static void laws(void **state)
{
	const char *one = getenv("WAYS_ONE");
	for (u32 i = 0; i < ARRAY_LEN(machines); i++)
		if (!one || strstr(machines[i], one))
			walk(machines[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(laws)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
