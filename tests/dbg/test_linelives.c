/* What lines in caches have been through (dbg/linelives.h, dbg/cachemap.h), against other sources: the CTA that the
 * machine itself keeps of each line in L1D, the ways of all loads (obs/record/ways.h), `info line`. The same however
 * one came to the cycle; sums close; nothing of the machine changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dbg/cachemap.h"
#include "dbg/linelives.h"
#include "mem/mem.h"
#include "obs/record/ways.h"
#include "tests/rig/debug_rig.h"

/* An access of a load to its L1D, as its way tells it. */
struct seen {
	u64 line, taken, landed;
	u64 l2_line, fetched, back; /* of the DRAM read behind it; NEVER: none */
	struct way_who who;         /* of that */
	u32 sm, kernel, cta, pc;
	u8 warp;
	bool miss;
};
struct all_seen {
	struct seen *at;
	u32 n, size;
};

static void add(void *ctx, struct way *w)
{
	struct all_seen *s = ctx;
	for (u32 i = 0; i < w->n && w->cache == MC_L1D; i++) {
		const struct way_txn *t = &w->txn[i];
		if (t->taken == NEVER)
			continue;
		if (s->n == s->size) {
			s->size = 2 * s->size + 1024;
			s->at = xrealloc(s->at, s->size * sizeof *s->at);
		}
		struct seen *x = &s->at[s->n++];
		*x = (struct seen){
		    t->addr & ~(u64)127,  t->taken, NEVER, 0, NEVER, NEVER, {0}, w->sm, w->kernel, w->cta, w->pc, w->warp,
		    !t->hit && !t->merged};
		if (!t->fetch || t->merged)
			continue;
		x->landed = t->fetch->landed;
		if (!t->fetch->dram || t->fetch->l2_merged)
			continue;
		x->l2_line = t->fetch->addr & ~(u64)127;
		x->fetched = t->fetch->dram->fetched;
		x->back = t->fetch->dram->back;
		x->who = t->fetch->dram->who;
	}
}

static struct cachemap *take(struct rig *r, bool l2, u32 unit)
{
	struct err e = {0};
	u64 since = NEVER;
	const void *lives = linelives_fetch(r->d, &since, &e);
	if (!lives)
		fail_msg("%s", e.msg);
	assert_int_equal(since, 0);
	return cachemap_take(r->d, l2, unit, lives, since);
}

/* A line of L1D: the last miss brought it in, the accesses behind that are its uses. */
static void is_as_seen(const struct all_seen *s, const struct cachemap *m, const struct cachemap_cell *c)
{
	const struct seen *last = NULL;
	u64 used = 0, uses = 0;
	for (u32 i = 0; i < s->n; i++)
		if (s->at[i].sm == m->unit && s->at[i].line == c->line.addr && s->at[i].miss &&
		    (!last || s->at[i].taken > last->taken))
			last = &s->at[i];
	assert_non_null(last);
	for (u32 i = 0; i < s->n; i++) {
		const struct seen *x = &s->at[i];
		if (x->sm != m->unit || x->line != c->line.addr || x->taken < last->taken)
			continue;
		uses += !x->miss;
		used = MAX(used, x->taken);
	}
	assert_int_equal(c->life.asked, last->taken);
	assert_int_equal(c->life.used, used);
	assert_int_equal(c->life.uses, uses);
	assert_int_equal(c->life.by.pc, last->pc);
	assert_int_equal(c->life.by.warp, last->warp);
	if (last->landed < m->now)
		assert_int_equal(c->life.filled, last->landed);
	else
		assert_int_equal(c->life.filled, NEVER);
}

static void sums_close(const struct cachemap *m)
{
	u32 n = 0, owned = 0;
	for (u32 i = 0; i < CELL_KINDS; i++)
		n += m->of[i];
	for (u32 i = 0; i < m->nowners; i++)
		owned += m->owner[i].lines;
	assert_int_equal(n, m->n);
	assert_int_equal(owned + m->nobodys, m->n - m->of[CELL_EMPTY] - m->of[CELL_LENT]);
}

static u32 l1d(struct rig *r, const struct all_seen *s)
{
	const struct mem *mem = gpu_mem(dbg_gpu(r->d));
	u32 hits = 0;
	for (u32 sm = 0; sm < gpu_conf(dbg_gpu(r->d))->num_sms; sm++) {
		struct cachemap *m = take(r, false, sm);
		struct cta_lines by[256];
		u32 alive, n = mem_lines_by_cta(mem, sm, by, 256, &alive);
		sums_close(m);
		assert_int_equal(n, m->nowners);
		assert_int_equal(alive, m->n - m->of[CELL_EMPTY] - m->of[CELL_LENT]);
		for (u32 i = 0; i < m->n; i++) {
			const struct cachemap_cell *c = &m->cell[i];
			if (!c->line.there)
				continue;
			assert_int_equal(c->life.line, c->line.addr + 1);
			assert_int_equal(c->life.by.kernel, c->line.launch); /* the machine's own */
			assert_int_equal(c->life.by.cta, c->line.cta);
			assert_int_equal(c->life.by.sm, sm);
			assert_int_equal(c->is == CELL_RESERVED, c->line.pending != 0);
			assert_int_equal(c->life.filled == NEVER, c->is == CELL_RESERVED);
			is_as_seen(s, m, c);
			hits += c->life.uses;
		}
		cachemap_free(m);
	}
	return hits;
}

static u32 l2(struct rig *r, const struct all_seen *s)
{
	const struct conf *k = gpu_conf(dbg_gpu(r->d));
	u32 found = 0, dirty = 0;
	for (u32 slice = 0; slice < k->partitions * k->l2_slices; slice++) {
		struct cachemap *m = take(r, true, slice);
		const u8 first = (u8)((1u << k->l1d_line / 32) - 1);
		const u64 mask = ~(u64)(m->shape.line - 1);
		sums_close(m);
		for (u32 i = 0; i < m->n; i++) {
			const struct cachemap_cell *c = &m->cell[i];
			struct line_info l;
			if (!c->line.there)
				continue;
			mem_line(gpu_mem(dbg_gpu(r->d)), c->line.addr, &l);
			assert_true(l.in_l2);
			assert_int_equal(l.slice, slice);
			assert_int_equal(l.valid, c->line.valid & first); /* that of L1D's size at its start */
			assert_int_equal(l.dirty, c->line.dirty & first);
			assert_int_equal(c->life.line, c->line.addr + 1);
			dirty += c->is == CELL_DIRTY;
			for (u32 n = 0; n < s->n; n++) {
				const struct seen *x = &s->at[n];
				if ((x->l2_line & mask) != c->line.addr || x->fetched != c->life.asked || x->who.issued == NEVER)
					continue;
				assert_int_equal(c->life.by.whose, WHOSE_WARP);
				assert_int_equal(c->life.by.sm, x->who.sm);
				assert_int_equal(c->life.by.kernel, x->who.kernel);
				assert_int_equal(c->life.by.cta, x->who.cta);
				assert_int_equal(c->life.by.pc, x->who.pc);
				assert_int_equal(c->life.by.warp, x->who.warp);
				if (x->back < m->now)
					assert_int_equal(c->life.filled, x->back);
				found++;
				break;
			}
		}
		cachemap_free(m);
	}
	assert_true(found > 100);
	return dirty;
}

static const char *const words[] = {
    "spmv --gpu gtx480 --size small",
    "kmeans --gpu gtx480 --size small --network mesh",
    "hotspot --gpu fermi28 --size small --cta-virtual vt",
};

static void against_ways(void **state)
{
	u32 dirty = 0, hits = 0;
	for (u32 i = 0; i < ARRAY_LEN(words); i++) {
		struct rig r;
		struct all_seen s = {0};
		print_message("%s\n", words[i]);
		rig_words(&r, words[i]);
		struct ways *w = ways_new(gpu_conf(dbg_gpu(r.d)), add, &s);
		sim_hear(r.s->sim, ways_ear(w));
		rig_say(&r, "until 4321");
		sim_hear(r.s->sim, NULL);
		ways_each(w, add, &s);
		char hash[64];
		snprintf(hash, sizeof hash, "%s", rig_say(&r, "print gpu.hash"));
		hits += l1d(&r, &s);
		dirty += l2(&r, &s);
		rig_has(&r, "print gpu.hash", hash);
		ways_free(w);
		free(s.at);
		rig_close(&r);
	}
	assert_true(dirty > 10 && hits > 50);
}

/* Straight to the cycle; by way of others; back from behind it. */
static void same_way(void **state)
{
	static const char *const way[][8] = {
	    {"until 5000"},
	    {"until 1234", "?", "until 3000", "?", "step 10", "?", "until 4990", "?"},
	    {"until 7000", "?", "goto 5200", "?", "goto 4000", "?"},
	    {"until 6000", "goto 2000", "?", "goto 6000", "?", "goto 3333", "?"},
	};
	static const char *const machines[] = {"spmv --gpu v100 --size small", "bfs --gpu gtx480 --size small",
	                                       "histogram --gpu gpgpusim_v100 --size small"};
	for (u32 k = 0; k < ARRAY_LEN(machines); k++) {
		void *first = NULL;
		for (u32 i = 0; i < ARRAY_LEN(way); i++) {
			struct rig r;
			struct err e = {0};
			u64 since;
			rig_words(&r, machines[k]);
			for (u32 j = 0; j < ARRAY_LEN(way[i]) && way[i][j]; j++)
				if (*way[i][j] == '?')
					assert_non_null(linelives_fetch(r.d, &since, &e));
				else
					rig_say(&r, way[i][j]);
			rig_say(&r, sim_cycle(r.s->sim) < 5000 ? "until 5000" : "goto 5000");
			const void *block = linelives_fetch(r.d, &since, &e);
			const size_t n = lives_bytes(dbg_gpu(r.d));
			assert_non_null(block);
			assert_int_equal(sim_cycle(r.s->sim), 5000);
			if (first)
				assert_memory_equal(first, block, n);
			else
				first = memcpy(xmalloc(n), block, n);
			rig_close(&r);
		}
		free(first);
	}
}

static void without_history(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small --history 0");
	rig_say(&r, "until 3000");
	rig_has(&r, "info cache", "What lines have been through is not known");
	rig_has(&r, "info cache", "lines there");
	rig_close(&r);
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "until 3000");
	rig_fails(&r, "info cache sm 15", "there are SMs 0 to 14");
	rig_fails(&r, "info cache slice 12", "there are slices 0 to 11");
	rig_fails(&r, "info cache set 32", "there are sets 0 to 31");
	rig_fails(&r, "info cache colour",
	          "`sm N`, `slice N`, `set N`, `owner`, `kernel` or `age` is expected, not 'colour'");
	rig_fails(&r, "info cache sm", "a number is expected");
	rig_has(&r, "lua m = dbg.cachemap{slice = 2}; print(m.clean + m.dirty + m.reserved == #m.lines, m.since)",
	        "true\t0");
	rig_fails(&r, "lua dbg.cachemap{bank = 2}", "'bank' is not one of sm, slice");
	rig_fails(&r, "lua dbg.cachemap{sm = 99}", "sm: an integer from 0 to 14 is expected");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(against_ways),
	    cmocka_unit_test(same_way),
	    cmocka_unit_test(without_history),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
