#include "dbg/cachemap.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/words.h"
#include "obs/name/findings.h"
#include "obs/name/names.h"

const char *const cell_names[CELL_KINDS] = {"empty", "clean", "dirty", "reserved", "lent"};

#define LETTERS 26

static enum cell_is kind_of(const struct cached_line *l, bool lent)
{
	if (!l->there)
		return lent ? CELL_LENT : CELL_EMPTY;
	return l->pending ? CELL_RESERVED : l->dirty ? CELL_DIRTY : CELL_CLEAN;
}

/* The CTA that brought the line in; false: nobody knows. */
static bool owner_of(const struct cachemap *m, const struct cachemap_cell *c, u32 *launch, u64 *cta)
{
	if (!c->line.there || (m->l2 && (!c->life.line || c->life.by.whose != WHOSE_WARP)))
		return false;
	*launch = m->l2 ? c->life.by.kernel : c->line.launch;
	*cta = m->l2 ? c->life.by.cta : c->line.cta;
	return true;
}

static int by_cta(const void *a, const void *b)
{
	const struct cachemap_owner *x = a, *y = b;
	if (x->launch != y->launch)
		return x->launch < y->launch ? -1 : 1;
	return (x->cta > y->cta) - (x->cta < y->cta);
}

/* The CTAs that have slots now, sorted. */
static struct cachemap_owner *residents(struct debugger *d, u32 *n)
{
	const struct gpu *g = dbg_gpu(d);
	struct cachemap_owner *out = NULL;
	*n = 0;
	for (u32 sm = 0; sm < gpu_conf(g)->num_sms; sm++) {
		struct sm_info s;
		gpu_sm_info(g, sm, &s);
		out = xrealloc(out, (*n + s.max_ctas) * sizeof *out);
		for (u32 i = 0; i < s.max_ctas; i++) {
			struct cta_info c;
			gpu_cta_info(g, sm, i, &c);
			if (c.used)
				out[(*n)++] = (struct cachemap_owner){.launch = c.launch, .cta = c.cta};
		}
	}
	qsort(out, *n, sizeof *out, by_cta);
	return out;
}

/* A letter each, that of the CTA's number where it is free, so that a CTA keeps its letter while others come and go. Of
 * more owners than letters the last ones have none. */
static void give_letters(struct cachemap *m)
{
	bool taken[LETTERS] = {false};
	for (u32 i = 0; i < m->nowners; i++) {
		struct cachemap_owner *o = &m->owner[i];
		u32 k = (u32)((o->cta + 7 * o->launch) % LETTERS), tries = 0;
		while (taken[k] && tries++ < LETTERS)
			k = (k + 1) % LETTERS;
		o->letter = taken[k] ? '%' : (char)('A' + k);
		taken[k] = true;
	}
}

static void find_owners(struct debugger *d, struct cachemap *m)
{
	u32 n = 0;
	m->owner = xcalloc(m->n, sizeof *m->owner);
	for (u32 i = 0; i < m->n; i++)
		if (owner_of(m, &m->cell[i], &m->owner[n].launch, &m->owner[n].cta))
			m->owner[n++].lines = 1;
		else
			m->nobodys += m->cell[i].line.there;
	qsort(m->owner, n, sizeof *m->owner, by_cta);
	for (u32 i = 0; i < n; i++)
		if (m->nowners && !by_cta(&m->owner[m->nowners - 1], &m->owner[i]))
			m->owner[m->nowners - 1].lines++;
		else
			m->owner[m->nowners++] = m->owner[i];
	u32 live;
	struct cachemap_owner *resident = residents(d, &live);
	for (u32 i = 0; i < m->nowners; i++)
		m->owner[i].alive = live && bsearch(&m->owner[i], resident, live, sizeof *resident, by_cta);
	free(resident);
	give_letters(m);
}

static s32 index_of(const struct cachemap *m, const struct cachemap_cell *c)
{
	struct cachemap_owner key = {0};
	if (!owner_of(m, c, &key.launch, &key.cta))
		return -1;
	const struct cachemap_owner *o = bsearch(&key, m->owner, m->nowners, sizeof *m->owner, by_cta);
	return (s32)(o - m->owner);
}

struct cachemap *cachemap_take(struct debugger *d, bool l2, u32 unit, const void *lives, u64 since)
{
	struct gpu *g = dbg_gpu(d);
	const struct mem *mem = gpu_mem(g);
	struct cache_shape shape;
	if (l2)
		mem_slice_shape(mem, unit, &shape);
	else
		mem_l1d_shape(mem, unit, &shape);
	const u32 n = shape.sets * shape.ways;
	struct cachemap *m = xcalloc(1, sizeof *m + n * sizeof *m->cell);
	*m = (struct cachemap){.l2 = l2, .unit = unit, .shape = shape, .n = n, .known = lives != NULL, .since = since};
	m->now = sim_cycle(d->s->sim);
	for (u32 i = 0; i < n; i++) {
		struct cachemap_cell *c = &m->cell[i];
		if (l2)
			mem_slice_line(mem, unit, i, &c->line);
		else
			mem_l1d_line(mem, unit, i, &c->line);
		const struct life *life = !lives || !c->line.there ? NULL
		                          : l2                     ? lives_slice(g, lives, unit, i, c->line.addr)
		                                                   : lives_l1d(g, lives, unit, i, c->line.addr);
		if (life)
			c->life = *life;
		c->is = kind_of(&c->line, i % shape.ways >= shape.ways - shape.lent);
		m->of[c->is]++;
	}
	find_owners(d, m);
	for (u32 i = 0; i < n; i++)
		m->cell[i].owner = index_of(m, &m->cell[i]);
	return m;
}

void cachemap_free(struct cachemap *m)
{
	if (m)
		free(m->owner);
	free(m);
}

u64 cachemap_age(const struct cachemap *m, const struct cachemap_cell *c)
{
	return !m->known ? c->line.behind : m->now - (c->life.line ? c->life.used : MIN(m->since, m->now));
}

u32 cachemap_age_digit(u64 age)
{
	return age ? MIN(log2_floor(age) / 2 + 1, 9u) : 0;
}

/* --- words -------------------------------------------------------------------------------------------------------- */
static const char *number(u64 v)
{
	static char text[8][GROUPED_MAX];
	static u32 turn;
	return grouped(v, text[turn = (turn + 1) % 8]);
}

void cachemap_sums_text(const struct cachemap *m, struct strbuf *out)
{
	const u32 there = m->of[CELL_CLEAN] + m->of[CELL_DIRTY] + m->of[CELL_RESERVED];
	strbuf_addf(out, m->l2 ? "L2 slice %u: " : "L1D of SM %u: ", m->unit);
	strbuf_addf(out, "%u sets x %u ways of %u B; %u of %u lines there:", m->shape.sets, m->shape.ways, m->shape.line,
	            there, m->n);
	strbuf_addf(out, " %u clean, %u dirty, %u reserved; %u empty", m->of[CELL_CLEAN], m->of[CELL_DIRTY],
	            m->of[CELL_RESERVED], m->of[CELL_EMPTY]);
	if (m->of[CELL_LENT])
		strbuf_addf(out, ", %u lent to shared memory", m->of[CELL_LENT]);
}

void cachemap_owner_text(struct debugger *d, const struct cachemap_owner *o, bool brief, struct strbuf *out)
{
	const struct gpu *g = dbg_gpu(d);
	if (brief) {
		strbuf_addf(out, o->alive ? "%u:%llu" : "(%u:%llu)", o->launch, (unsigned long long)o->cta);
		return;
	}
	strbuf_addf(out, "CTA %llu of kernel %u", (unsigned long long)o->cta, o->launch);
	if (o->launch < gpu_num_kernels(g)) {
		struct kernel_info k;
		gpu_kernel_info(g, o->launch, &k);
		strbuf_addf(out, " (%s)", k.label);
	}
	strbuf_adds(out, o->alive ? "" : ", has ended or left");
}

/* "0-2" */
static void add_sectors(struct strbuf *out, const char *what, u32 mask)
{
	const char *between = "";
	if (!mask)
		return;
	strbuf_addf(out, ", sectors ");
	for (u32 from = 0; from < 8; from++) {
		u32 to = from;
		if (!(mask >> from & 1))
			continue;
		while (mask >> (to + 1) & 1)
			to++;
		strbuf_addf(out, from == to ? "%s%u" : "%s%u-%u", between, from, to);
		between = ",";
		from = to;
	}
	strbuf_addf(out, " %s", what);
}

static void who_text(struct debugger *d, const struct cachemap *m, const struct cachemap_cell *c, bool brief,
                     struct strbuf *out)
{
	const struct use_who *w = &c->life.by;
	if (c->owner >= 0 && brief)
		strbuf_addf(out, "CTA %llu of K%u", (unsigned long long)m->owner[c->owner].cta, m->owner[c->owner].launch);
	else if (c->owner >= 0)
		cachemap_owner_text(d, &m->owner[c->owner], false, out);
	else if (c->life.line && w->whose == WHOSE_CODE)
		strbuf_addf(out, "%s of kernel %u", m->l2 ? "code, or written back," : "code", w->kernel);
	else
		strbuf_adds(out, "not known");
	if (!c->life.line || w->whose != WHOSE_WARP)
		return;
	strbuf_addf(out, w->warp == UINT8_MAX ? ", SM %u" : ", SM %u warp %u", w->sm, w->warp);
}

static void code_text(struct debugger *d, const struct use_who *w, struct strbuf *out)
{
	const struct module *mod = module_of_launch(dbg_gpu(d), (s32)w->kernel);
	if (w->whose != WHOSE_WARP || !mod || w->pc >= mod->ncode)
		return;
	strbuf_adds(out, "by ");
	line_place(mod, w->pc, out);
	struct strbuf cuda = STRBUF_INIT;
	finding_cuda_line(mod, w->pc, &cuda);
	if (cuda.len)
		strbuf_addf(out, " (%s)", strbuf_str(&cuda));
	strbuf_release(&cuda);
	strbuf_adds(out, ", ");
}

static void time_text(const struct cachemap *m, const struct cachemap_cell *c, struct strbuf *out)
{
	const struct life *x = &c->life;
	if (!x->line) {
		strbuf_addf(out, "there since before cycle %s, and not used since then", number(m->since));
		return;
	}
	strbuf_addf(out, "asked for in cycle %s", number(x->asked));
	if (x->filled != NEVER)
		strbuf_addf(out, ", filled in %s", number(x->filled));
	strbuf_addf(out, ", last used in %s, %s hit%s so far", number(x->used), number(x->uses), plural(x->uses));
}

void cachemap_line_text(struct debugger *d, const struct cachemap *m, u32 place, bool brief, struct strbuf *out)
{
	const struct cachemap_cell *c = &m->cell[place];
	strbuf_addf(out, "set %u way %u: ", place / m->shape.ways, place % m->shape.ways);
	if (!c->line.there) {
		strbuf_adds(out, c->is == CELL_LENT ? "shared memory has it" : "empty");
		return;
	}
	strbuf_addf(out, "0x%llx", (unsigned long long)c->line.addr);
	add_sectors(out, "there", c->line.valid);
	add_sectors(out, "dirty", c->line.dirty);
	add_sectors(out, "on the way", c->line.pending);
	if (!brief)
		strbuf_addf(out,
		            !c->line.rank       ? "; used last of its set"
		            : c->line.rank == 1 ? "; %u line of its set used since"
		                                : "; %u lines of its set used since",
		            c->line.rank);
	strbuf_adds(out, "; ");
	who_text(d, m, c, brief, out);
}

void cachemap_life_text(struct debugger *d, const struct cachemap *m, u32 place, struct strbuf *out)
{
	const struct cachemap_cell *c = &m->cell[place];
	if (!c->line.there || !m->known)
		return;
	if (c->life.line)
		code_text(d, &c->life.by, out);
	time_text(m, c, out);
}
