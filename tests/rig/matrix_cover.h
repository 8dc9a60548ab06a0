/* A covering design over configurations: which runs stand for the product of workloads, warp schedulers and factors.
 *
 * A factor is a configuration choice with a few levels. Every workload runs `rounds` times, under one scheduler after
 * the other: with fewer rounds than schedulers they take turns, so that each has its share of the workloads. The levels
 * of the factors are chosen greedily, in a fixed order, so that within a workload and within a scheduler every pair of
 * levels of two factors comes up as early as it can. The same input gives the same runs. */
#ifndef TESTS_RIG_MATRIX_COVER_H
#define TESTS_RIG_MATRIX_COVER_H
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define FACTORS_MAX 9
#define LEVELS_MAX 16

struct factor {
	const char *key; /* as on the command line after --set, or "gpu" */
	u32 n;
	const char *level[LEVELS_MAX];
};
struct matrix_run {
	u32 workload, sched;
	u8 level[FACTORS_MAX];
};
struct matrix {
	u32 workloads, scheds, nfactors;
	struct factor factor[FACTORS_MAX];
	struct matrix_run *run;
	u32 n, cap;
	bool product;
};

/* Which pairs of levels (of two factors) one workload, or one scheduler, has been given. */
struct pairs_seen {
	bool pair[FACTORS_MAX][FACTORS_MAX][LEVELS_MAX][LEVELS_MAX];
};

static inline u32 matrix_combinations(const struct matrix *m)
{
	u32 n = 1;
	for (u32 f = 0; f < m->nfactors; f++)
		n *= m->factor[f].n;
	return n;
}

static inline void matrix_levels(const struct matrix *m, u32 combination, u8 level[FACTORS_MAX])
{
	for (u32 f = 0; f < m->nfactors; f++) {
		level[f] = (u8)(combination % m->factor[f].n);
		combination /= m->factor[f].n;
	}
}

static inline u32 pairs_new(const struct matrix *m, const struct pairs_seen *p, const u8 *level)
{
	u32 n = 0;
	for (u32 a = 0; a < m->nfactors; a++)
		for (u32 b = a + 1; b < m->nfactors; b++)
			n += !p->pair[a][b][level[a]][level[b]];
	return n;
}

/* Levels that it has not been given at all. */
static inline u32 levels_new(const struct matrix *m, const struct pairs_seen *p, const u8 *level)
{
	u32 n = 0;
	for (u32 a = 0; a < m->nfactors; a++)
		n += !p->pair[a][a][level[a]][level[a]];
	return n;
}

static inline void pairs_add(const struct matrix *m, struct pairs_seen *p, const u8 *level)
{
	for (u32 a = 0; a < m->nfactors; a++)
		for (u32 b = a; b < m->nfactors; b++)
			p->pair[a][b][level[a]][level[b]] = true;
}

static inline void matrix_add(struct matrix *m, u32 workload, u32 sched, const u8 *level)
{
	if (m->n == m->cap) {
		m->cap = m->cap ? 2 * m->cap : 1024;
		m->run = xrealloc(m->run, m->cap * sizeof *m->run);
	}
	struct matrix_run *r = &m->run[m->n++];
	*r = (struct matrix_run){.workload = workload, .sched = sched};
	memcpy(r->level, level, sizeof r->level);
}

/* The combination that brings most: levels, and pairs of them, new to the workload and to the scheduler; among equals
 * the one that this scheduler has had least often, then the one that follows `turn`. */
static inline u32 matrix_best(const struct matrix *m, const struct pairs_seen *w, const struct pairs_seen *s,
                              const u16 *used, u32 turn)
{
	u32 n = matrix_combinations(m), best = 0;
	u64 most = 0;
	for (u32 i = 0; i < n; i++) {
		u32 c = (i + turn) % n;
		u8 level[FACTORS_MAX] = {0};
		matrix_levels(m, c, level);
		const u32 levels = levels_new(m, w, level) + levels_new(m, s, level);
		u64 gain = (u64)(FACTORS_MAX * levels + pairs_new(m, w, level) + pairs_new(m, s, level)) << 16 |
		           (UINT16_MAX - used[c]);
		if (gain > most) {
			most = gain;
			best = c;
		}
	}
	return best;
}

static inline void matrix_cover(struct matrix *m, u32 rounds)
{
	u32 combinations = matrix_combinations(m);
	struct pairs_seen *by_sched = xcalloc(m->scheds, sizeof *by_sched);
	u16 *used = xcalloc((size_t)m->scheds * combinations, sizeof *used);
	for (u32 w = 0; w < m->workloads; w++) {
		struct pairs_seen *seen = xcalloc(1, sizeof *seen);
		for (u32 i = 0; i < rounds; i++) {
			u32 s = (w * rounds + i) % m->scheds;
			u32 c = matrix_best(m, seen, &by_sched[s], &used[s * combinations], w + i);
			u8 level[FACTORS_MAX] = {0};
			matrix_levels(m, c, level);
			pairs_add(m, seen, level);
			pairs_add(m, &by_sched[s], level);
			used[s * combinations + c]++;
			matrix_add(m, w, s, level);
		}
		free(seen);
	}
	free(used);
	free(by_sched);
}

/* The product of everything but the last factors, `turning` of them, which take turns: the very last goes on by one, so
 * that each of its levels meets every workload under every scheduler, the combinations of the others by seven. */
static inline void matrix_product(struct matrix *m, u32 turning)
{
	u32 last = m->nfactors - 1, first = m->nfactors - turning, n = 1, others = 1;
	m->product = true;
	for (u32 f = 0; f < last; f++)
		*(f < first ? &n : &others) *= m->factor[f].n;
	for (u32 w = 0; w < m->workloads; w++)
		for (u32 s = 0; s < m->scheds; s++)
			for (u32 c = 0; c < n; c++) {
				u8 level[FACTORS_MAX] = {0};
				matrix_levels(m, c + n * ((w + 3 * s + 7 * c) % others), level);
				level[last] = (u8)((w + s + c) % m->factor[last].n);
				matrix_add(m, w, s, level);
			}
}
#endif
