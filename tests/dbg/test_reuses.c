/* Reuse distances of runs: their sums are the caches' own counters, their misses those of the ideal cache that is kept
 * beside each (mem/threec.h), and a machine whose L1D is one set of N ways hits exactly where distances are less than
 * N. The same in whatever parts a run is taken, and nothing of the machine changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/bits.h"
#include "dbg/reuses.h"
#include "tests/rig/debug_rig.h"

static const struct reuse *get(struct rig *r)
{
	struct err e = {0};
	const struct reuse *x = reuses_get(r->d, "test", &e);
	if (!x)
		fail_msg("%s", e.msg);
	return x;
}

static u64 bins(const u64 *bin)
{
	u64 n = 0;
	for (u32 i = 0; i < REUSE_BINS; i++)
		n += bin[i];
	return n;
}

static void closes(const struct reuse_hist *h)
{
	u64 kinds = 0, found = 0;
	for (u32 k = 0; k < REUSE_KINDS; k++)
		kinds += bins(h->kind[k]);
	for (u32 k = 0; k < USE_RESULTS; k++)
		found += h->found[k];
	assert_int_equal(kinds, bins(h->bin));
	assert_int_equal(bins(h->bin) + h->cold + h->removed, h->lookups);
	assert_int_equal(h->lookups + h->passed, h->accesses);
	assert_int_equal(found, h->accesses);
}

/* A cache against its counters, in whatever part of the run these are of. */
static void is_counted(const struct reuse_hist *h, const struct cache_counters *c)
{
	closes(h);
	assert_int_equal(h->accesses, c->accesses);
	assert_int_equal(h->found[USE_HIT], c->hits);
	assert_int_equal(h->found[USE_MERGED], c->merges);
	assert_int_equal(h->found[USE_MISS], c->misses);
	assert_int_equal(h->found[USE_PASSED], c->bypasses);
}

static void are_counted(struct rig *r, const struct reuse *x)
{
	static const enum counter_group group[REUSE_LEVELS] = {CG_l1d, CG_l2};
	for (u32 k = 0; k < REUSE_LEVELS; k++)
		for (u32 i = 0; i < x->n[k]; i++)
			is_counted(&x->of[k][i], (const struct cache_counters *)gpu_counters(dbg_gpu(r->d), group[k], i));
}

/* By instruction: all accesses of L1D that warps made. */
static void lines_close(const struct reuse *x)
{
	u64 n = 0, lookups = 0;
	for (u32 i = 0; i < x->nlines; i++) {
		closes(&x->line[i].of[REUSE_L1D]);
		closes(&x->line[i].of[REUSE_L2]);
		n += x->line[i].of[REUSE_L1D].accesses;
		lookups += x->line[i].of[REUSE_L1D].lookups;
	}
	assert_int_equal(n, x->all[REUSE_L1D].accesses);
	assert_int_equal(lookups, x->all[REUSE_L1D].lookups);
	assert_int_equal(bins(x->all[REUSE_L1D].kind[REUSE_AWAY]), 0);
	assert_int_equal(bins(x->all[REUSE_L1D].kind[REUSE_NONE]), 0);
}

static const char *const machines[] = {
    "hotspot --gpu gtx480",
    "spmv --gpu v100",
    "histogram --gpu a100",
    "bfs --gpu apu15",
    "bfs --gpu gtx480 --set lsu.replay=newcar",
    "kmeans --gpu fermi28 --cta-virtual vt",
    "histogram --gpu gpgpusim_v100",
    "spmv --gpu gtx480 --network mesh",
    "vecadd bfs --gpu gtx480 --partition spatial",
};

static void sums(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(machines); i++) {
		struct rig r;
		char line[300], hash[64];
		snprintf(line, sizeof line, "%s --size small", machines[i]);
		print_message("%s\n", line);
		rig_words(&r, line);
		rig_say(&r, "continue");
		snprintf(hash, sizeof hash, "%s", rig_say(&r, "print gpu.hash"));
		const u64 end = sim_cycle(r.s->sim), cut[] = {0, end / 3 + 7, end / 2 + 11, end};
		const struct reuse_hist l1 = get(&r)->all[REUSE_L1D], l2 = get(&r)->all[REUSE_L2];
		assert_true(l1.accesses > 1000 && l2.lookups > 100);
		are_counted(&r, get(&r));
		lines_close(get(&r));
		struct reuse_hist sum[REUSE_LEVELS] = {0};
		for (u32 p = 3; p-- > 0;) {
			snprintf(line, sizeof line, "scope %llu %llu", (unsigned long long)cut[p], (unsigned long long)cut[p + 1]);
			rig_say(&r, line);
			are_counted(&r, get(&r));
			for (u32 k = 0; k < REUSE_LEVELS; k++)
				for (u32 j = 0; j < sizeof l1 / sizeof(u64); j++)
					((u64 *)&sum[k])[j] += ((const u64 *)&get(&r)->all[k])[j];
		}
		rig_say(&r, "scope off");
		assert_memory_equal(&sum[REUSE_L1D], &l1, sizeof l1);
		assert_memory_equal(&sum[REUSE_L2], &l2, sizeof l2);
		assert_int_equal(sim_cycle(r.s->sim), end);
		rig_has(&r, "print gpu.hash", hash);
		/* from elsewhere in the past, of the same part */
		snprintf(line, sizeof line, "scope 0 %llu", (unsigned long long)end);
		rig_say(&r, line);
		snprintf(line, sizeof line, "goto %llu", (unsigned long long)end / 2);
		rig_say(&r, line);
		assert_memory_equal(&get(&r)->all[REUSE_L2], &l2, sizeof l2);
		rig_close(&r);
	}
}

/* What a listener finds of each SM's L1D: reads that missed, by distance. */
struct heard {
	struct reuse_stack *stack[64];
	u64 cold[64], near[64], far[64]; /* near: less than the cache's lines */
	u32 lines;
};
static void heard_use(void *ctx, const struct use *u)
{
	struct heard *h = ctx;
	struct use_who before;
	if (u->n.slice != USE_NOWHERE || u->n.cache != MC_L1D || u->n.what != USE_ACCESS || !u->n.touched)
		return;
	struct reuse_stack *s = h->stack[u->n.sm];
	const u32 distance = reuse_stack_use(s, u->n.line, u->n.need, u->n.have, &u->who, &before);
	if (u->n.result == USE_MISS)
		++*(distance == REUSE_COLD ? &h->cold[u->n.sm] : distance < h->lines ? &h->near[u->n.sm] : &h->far[u->n.sm]);
}

/* The ideal cache beside each L1D knows the same of every miss, as long as nothing is taken away: what was never used
 * before is cold, a distance of less than its lines is a conflict, a longer one lack of capacity. */
static void ideal(void **state)
{
	static const char *const words[] = {"kmeans", "spmv", "matmul", "spmv --set l1d.ways=8"};
	u64 conflicts = 0, capacity = 0;
	for (u32 i = 0; i < ARRAY_LEN(words); i++) {
		struct rig r;
		struct heard h = {.lines = strstr(words[i], "ways=8") ? 256 : 128};
		char line[200];
		snprintf(line, sizeof line, "%s --size small --gpu gtx480", words[i]);
		rig_words(&r, line);
		const u32 sms = gpu_conf(dbg_gpu(r.d))->num_sms;
		for (u32 sm = 0; sm < sms; sm++)
			h.stack[sm] = reuse_stack_new();
		struct lives *l = lives_new(dbg_gpu(r.d));
		lives_on_use(l, heard_use, &h);
		rig_say(&r, "tbreak kernel-done");
		sim_hear(r.s->sim, lives_ear(l));
		rig_say(&r, "continue");
		sim_hear(r.s->sim, NULL);
		for (u32 sm = 0; sm < sms; sm++) {
			const struct cache_counters *c = (const struct cache_counters *)gpu_counters(dbg_gpu(r.d), CG_l1d, sm);
			assert_int_equal(h.cold[sm], c->miss_cold);
			assert_int_equal(h.near[sm], c->miss_conflict);
			assert_int_equal(h.far[sm], c->miss_capacity);
			conflicts += c->miss_conflict;
			capacity += c->miss_capacity;
			reuse_stack_free(h.stack[sm]);
		}
		lives_free(l);
		rig_close(&r);
	}
	assert_true(conflicts > 1000 && capacity > 10000);
}

/* One set: the cache is fully associative itself, and LRU as long as no line that would have to go is reserved. */
static void one_set(void **state)
{
	static const char *const words[] = {
	    "hotspot --gpu gtx480", "spmv --gpu gtx480", "matmul --gpu gtx480", "kmeans --gpu gtx480", "spmv --gpu v100",
	};
	static const u32 ways[] = {64, 128, 256}, mshrs[] = {4, 32, 32};
	u64 hits = 0;
	for (u32 i = 0; i < ARRAY_LEN(words); i++)
		for (u32 w = 0; w < ARRAY_LEN(ways); w++) {
			struct rig r;
			char line[200];
			snprintf(line, sizeof line,
			         "%s --size small --set l1d.sets=1 --set l1d.ways=%u --set l1d.mshrs=%u --set sm.carveouts=",
			         words[i], ways[w], mshrs[w]);
			rig_words(&r, line);
			rig_say(&r, "continue");
			const struct reuse *x = get(&r);
			assert_int_equal(x->lines[REUSE_L1D], ways[w]);
			for (u32 sm = 0; sm < x->n[REUSE_L1D]; sm++) {
				const struct reuse_hist *h = &x->of[REUSE_L1D][sm];
				assert_int_equal(reuse_hits(h, log2_floor(ways[w])), h->hits);
			}
			hits += x->all[REUSE_L1D].hits;
			rig_close(&r);
		}
	assert_true(hits > 100000);
}

/* One warp asks in the same order on every machine: its distances on one say what the others hit. It goes round 24
 * lines: all but the first round have distance 23. */
static void other_machines(void **state)
{
	static const char walk[] = "tests/kernels/diagnose.ptx --kernel walk --arg u32[4096]=zero --arg u32[64]=zero --arg "
	                           "u32=1 --arg u32=32 --arg u32=768 --arg u32=240 --grid 1 --block 32 --gpu gtx480";
	static const u32 ways[] = {8, 16, 32, 64};
	struct rig r;
	char line[400];
	rig_words(&r, walk);
	rig_say(&r, "continue");
	const struct reuse_hist h = get(&r)->all[REUSE_L1D];
	assert_int_equal(h.cold, 24);
	assert_int_equal(h.bin[5], 240 - 24); /* 16 to 31 */
	assert_int_equal(bins(h.bin), 240 - 24);
	assert_int_equal(bins(h.kind[REUSE_WARP]), 240 - 24);
	rig_has(&r, "info reuse l1d 0", "16 - 31                      216   90.0           32   90.0");
	rig_close(&r);
	for (u32 i = 0; i < ARRAY_LEN(ways); i++) {
		snprintf(line, sizeof line, "%s --set l1d.sets=1 --set l1d.ways=%u", walk, ways[i]);
		rig_words(&r, line);
		rig_say(&r, "continue");
		const struct cache_counters *c = (const struct cache_counters *)gpu_counters(dbg_gpu(r.d), CG_l1d, 0);
		assert_int_equal(c->hits + c->merges, reuse_hits(&h, log2_floor(ways[i])));
		rig_close(&r);
	}
}

static void refused(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "until 3000");
	rig_fails(&r, "info reuse often", "`lines [N]`, `l1d [SM]` or `l2 [SLICE]` is expected, not 'often'");
	rig_fails(&r, "info reuse lines 0", "at least one line");
	rig_fails(&r, "info reuse l1d 99", "there are SMs 0 to 14");
	rig_fails(&r, "info reuse l2 12", "there are slices 0 to 11");
	rig_has(&r, "info reuse l2 11", "L2 slice 11: 512 lines");
	rig_has(&r,
	        "lua r = dbg.reuse(); print(r.l1d.accesses == r.l1d.passed + r.l1d.lookups, r.l1d.hits == gpu.l1d.hits)",
	        "true\ttrue");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sums),           cmocka_unit_test(ideal),   cmocka_unit_test(one_set),
	    cmocka_unit_test(other_machines), cmocka_unit_test(refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
