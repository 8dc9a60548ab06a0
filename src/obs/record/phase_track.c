#include "obs/record/phase_track.h"

#include <stdlib.h>
#include <string.h>

#include "passes/phases.h"

#define WARPS_MAX 256
#define SAMPLES 1024              /* of the whole run, and looks kept one by one... */
#define STORE_BYTES (28u << 20)   /* ...fewer where the SMs are so many that each would need more than this */
#define FNS_MAX (PHASE_BANDS * 4) /* more than have bands, so that calls of the others are known too */
#define UNSEEN 0xff               /* in band_at: the function has not been met */

/* A look, kept by itself. u16: no machine has more warps or instructions in flight than that. */
struct look {
	u16 active, exited, alu, mem;
	u16 warps[PHASE_BANDS];
	u64 cycles[FLIGHT_COUNT]; /* since the look before, */
	u64 so_far[FLIGHT_COUNT]; /* and since the machine was built */
};
struct known_module {
	const struct module *mod;
	u8 *band_at; /* by pc */
};
struct phase_track {
	struct gpu *g;
	u32 scopes; /* SMs + 1; scope 0 = all of them */
	u32 period, capacity;
	u64 base;                /* periods before the first look's */
	u64 n;                   /* looks so far, gaps included */
	struct sm_load *before;  /* of each SM: cycles[] at the last look, or at a fork behind it... */
	struct sm_load *origin;  /* ...and at the beginning */
	u64 recent_from;         /* looks [recent_from, n) are in `recent`, at their number modulo capacity */
	u32 per;                 /* looks of a sample */
	struct phase_sum *store; /* [capacity][scopes]: look k is in sample k / per */
	struct look *recent;     /* [capacity][scopes] */
	bool *looked;            /* [capacity]: of `recent`; else a gap */
	struct known_module *mods;
	u32 nmods, last_mod;
	struct phase_fn fns[FNS_MAX];
	u32 nfns, nbands;
	struct phase_band bands[PHASE_BANDS];
};

/* --- bands --- */

/* Merges the two neighbours that are shortest together. */
static void merge_shortest(struct phase_band *b, u32 n)
{
	u32 best = 0;
	for (u32 i = 1; i + 1 < n; i++)
		if ((u64)b[i].length + b[i + 1].length < (u64)b[best].length + b[best + 1].length)
			best = i;
	b[best].last = b[best + 1].last;
	b[best].length += b[best + 1].length;
	memmove(&b[best + 1], &b[best + 2], (n - best - 2) * sizeof *b);
}

static struct phase_band *make_bands(const struct phases *ph, u32 *n)
{
	struct phase_band *b = xcalloc(ph->n, sizeof *b);
	for (u32 i = 0; i < ph->n; i++)
		b[i] = (struct phase_band){.first = i, .last = i, .length = ph->list[i].length};
	for (*n = ph->n; *n > PHASE_FN_BANDS; --*n)
		merge_shortest(b, *n);
	return b;
}

static void meet_function(struct phase_track *t, struct known_module *k, const struct func *f)
{
	struct phase_params params;
	struct phases ph;
	u32 n;
	phase_params_of(&params, gpu_conf(t->g));
	phases_find(&ph, k->mod, f, &params);
	struct phase_band *b = make_bands(&ph, &n);
	bool room = t->nbands + n <= PHASE_BANDS && t->nfns < FNS_MAX;
	for (u32 i = 0; i < n && room; i++)
		t->bands[t->nbands + i] = b[i];
	for (u32 pc = f->entry, at = 0; pc < f->end; pc++) {
		u32 phase = ph.phase_of[pc - f->entry];
		while (phase > b[at].last)
			at++;
		k->band_at[pc] = (u8)(room ? t->nbands + at : 0);
	}
	if (t->nfns < FNS_MAX)
		t->fns[t->nfns++] = (struct phase_fn){k->mod, f, ph.n, room ? t->nbands : 0, room ? n : 0};
	t->nbands += room ? n : 0;
	free(b);
	phases_release(&ph);
}

static struct known_module *known(struct phase_track *t, const struct module *m)
{
	if (t->last_mod < t->nmods && t->mods[t->last_mod].mod == m)
		return &t->mods[t->last_mod];
	for (t->last_mod = 0; t->last_mod < t->nmods; t->last_mod++)
		if (t->mods[t->last_mod].mod == m)
			return &t->mods[t->last_mod];
	t->mods = xrealloc(t->mods, (t->nmods + 1) * sizeof *t->mods);
	struct known_module *k = &t->mods[t->nmods++];
	*k = (struct known_module){m, xcalloc(MAX(m->ncode, 1u), 1)};
	memset(k->band_at, UNSEEN, m->ncode);
	return k;
}

static u32 band_of(struct phase_track *t, struct warp_place at)
{
	struct known_module *k = known(t, gpu_launched(t->g, at.launch)->mod);
	if (at.pc >= k->mod->ncode)
		return 0;
	for (u32 i = 0; i < k->mod->nfuncs && k->band_at[at.pc] == UNSEEN; i++)
		if (at.pc >= k->mod->funcs[i].entry && at.pc < k->mod->funcs[i].end)
			meet_function(t, k, &k->mod->funcs[i]);
	return k->band_at[at.pc] == UNSEEN ? 0 : k->band_at[at.pc];
}

/* --- looking --- */

/* Every SM's cycles up to now. */
static void read_cycles(const struct phase_track *t, struct sm_load *of)
{
	struct warp_place place[WARPS_MAX];
	for (u32 sm = 0; sm + 1 < t->scopes; sm++)
		gpu_sm_load(t->g, sm, &of[sm], place);
}

struct phase_track *phase_track_create(struct gpu *g, u32 period)
{
	struct phase_track *t = xcalloc(1, sizeof *t);
	BUG_ON(!period);
	t->g = g;
	t->scopes = gpu_conf(g)->num_sms + 1;
	t->period = period;
	t->per = 1;
	t->nbands = 1;
	t->base = gpu_cycle(g) / period;
	t->capacity = SAMPLES;
	while (t->capacity > 64 && (size_t)t->capacity * t->scopes * sizeof *t->store > STORE_BYTES)
		t->capacity /= 2;
	t->store = xcalloc((size_t)t->capacity * t->scopes, sizeof *t->store);
	t->recent = xcalloc((size_t)t->capacity * t->scopes, sizeof *t->recent);
	t->looked = xcalloc(t->capacity, sizeof *t->looked);
	t->before = xcalloc(t->scopes, sizeof *t->before);
	t->origin = xcalloc(t->scopes, sizeof *t->origin);
	read_cycles(t, t->origin);
	read_cycles(t, t->before);
	return t;
}

void phase_track_free(struct phase_track *t)
{
	if (!t)
		return;
	for (u32 i = 0; i < t->nmods; i++)
		free(t->mods[i].band_at);
	free(t->mods);
	free(t->store);
	free(t->recent);
	free(t->looked);
	free(t->before);
	free(t->origin);
	free(t);
}

static struct look *recent_row(const struct phase_track *t, u64 k)
{
	return t->recent + (size_t)(k % t->capacity) * t->scopes;
}

static struct phase_sum *store_row(const struct phase_track *t, u64 i)
{
	return t->store + (size_t)i * t->scopes;
}

static void look_at(struct phase_track *t, u32 sm, struct look *own, struct look *all)
{
	struct warp_place place[WARPS_MAX];
	struct sm_load l;
	u32 n = gpu_sm_load(t->g, sm, &l, place);
	*own = (struct look){.active = (u16)n, .exited = (u16)l.exited, .alu = (u16)l.alu, .mem = (u16)l.mem};
	for (u32 i = 0; i < FLIGHT_COUNT; i++) {
		own->cycles[i] = l.cycles[i] - t->before[sm].cycles[i];
		own->so_far[i] = l.cycles[i];
		all->cycles[i] += own->cycles[i];
	}
	t->before[sm] = l;
	for (u32 i = 0; i < n; i++) {
		u32 band = band_of(t, place[i]);
		own->warps[band]++;
		all->warps[band]++;
	}
	all->active = (u16)(all->active + n);
	all->exited = (u16)(all->exited + l.exited);
	all->alu = (u16)(all->alu + l.alu);
	all->mem = (u16)(all->mem + l.mem);
}

static void add_look(struct phase_sum *s, const struct look *l, u32 nbands)
{
	s->looks++;
	s->active += l->active;
	s->exited += l->exited;
	s->alu += l->alu;
	s->mem += l->mem;
	s->alu_peak = MAX(s->alu_peak, (u32)l->alu);
	s->mem_peak = MAX(s->mem_peak, (u32)l->mem);
	for (u32 i = 0; i < nbands; i++)
		s->warps[i] += l->warps[i];
	for (u32 i = 0; i < FLIGHT_COUNT; i++)
		s->cycles[i] += l->cycles[i];
}

static void add_sum(struct phase_sum *s, const struct phase_sum *b)
{
	s->looks += b->looks;
	s->active += b->active;
	s->exited += b->exited;
	s->alu += b->alu;
	s->mem += b->mem;
	s->alu_peak = MAX(s->alu_peak, b->alu_peak);
	s->mem_peak = MAX(s->mem_peak, b->mem_peak);
	for (u32 i = 0; i < PHASE_BANDS; i++)
		s->warps[i] += b->warps[i];
	for (u32 i = 0; i < FLIGHT_COUNT; i++)
		s->cycles[i] += b->cycles[i];
}

/* Merges neighbours: half as many samples, each of twice the looks. */
static void halve(struct phase_track *t)
{
	for (u32 i = 0; i < t->capacity / 2; i++)
		for (u32 s = 0; s < t->scopes; s++) {
			struct phase_sum sum = store_row(t, 2 * i)[s];
			add_sum(&sum, &store_row(t, 2 * i + 1)[s]);
			store_row(t, i)[s] = sum;
		}
	memset(store_row(t, t->capacity / 2), 0, (size_t)(t->capacity / 2) * t->scopes * sizeof *t->store);
	t->per *= 2;
}

/* Adds the look k of `recent` to its sample. */
static void store_look(struct phase_track *t, u64 k)
{
	const struct look *l = recent_row(t, k);
	while (k / t->per >= t->capacity)
		halve(t);
	for (u32 s = 0; s < t->scopes; s++)
		add_look(&store_row(t, k / t->per)[s], &l[s], t->nbands);
}

void phase_track_look(void *ctx, u64 cycle)
{
	struct phase_track *t = ctx;
	u64 k = cycle / t->period - t->base - 1;
	if (cycle % t->period || k < t->n)
		return; /* seen before, on the first way through */
	for (; t->n < k; t->n++)
		t->looked[t->n % t->capacity] = false;
	struct look *row = recent_row(t, k);
	row[0] = (struct look){0};
	for (u32 sm = 0; sm + 1 < t->scopes; sm++)
		look_at(t, sm, &row[sm + 1], &row[0]);
	t->looked[k % t->capacity] = true;
	t->n = k + 1;
	if (t->n - t->recent_from > t->capacity)
		t->recent_from = t->n - t->capacity;
	store_look(t, k);
}

/* `keep` looks are left: the next one counts cycles from the last of them on. */
static void begin_behind(struct phase_track *t, u64 keep)
{
	bool known = keep && keep - 1 >= t->recent_from && t->looked[(keep - 1) % t->capacity];
	if (!keep)
		memcpy(t->before, t->origin, t->scopes * sizeof *t->before);
	else if (!known)
		read_cycles(t, t->before);
	for (u32 sm = 0; sm + 1 < t->scopes && known; sm++)
		memcpy(t->before[sm].cycles, recent_row(t, keep - 1)[sm + 1].so_far, sizeof t->before[sm].cycles);
}

/* The sample in which the fork lies is put together again from the looks before it; where those are no longer known by
 * themselves it is of the looks behind it. */
void phase_track_fork(void *ctx, u64 cycle)
{
	struct phase_track *t = ctx;
	u64 keep = cycle / t->period > t->base ? cycle / t->period - t->base : 0;
	if (keep >= t->n)
		return;
	begin_behind(t, keep);
	u64 first = keep / t->per * t->per, behind = (t->n - 1) / t->per + 1;
	for (u64 i = keep / t->per; i < MIN(behind, (u64)t->capacity); i++)
		memset(store_row(t, i), 0, t->scopes * sizeof *t->store);
	t->n = keep;
	for (u64 k = first; k < keep && first >= t->recent_from; k++)
		if (t->looked[k % t->capacity])
			store_look(t, k);
	t->recent_from = MIN(t->recent_from, keep);
}

/* --- answers --- */

u64 phase_track_start(const struct phase_track *t)
{
	return t->base * t->period;
}
u64 phase_track_end(const struct phase_track *t)
{
	return (t->base + t->n) * t->period;
}
u32 phase_track_period(const struct phase_track *t)
{
	return t->period;
}
u64 phase_track_span(const struct phase_track *t)
{
	return (u64)t->per * t->period;
}

/* The look that stands for a cycle. */
static u64 look_of(const struct phase_track *t, u64 cycle)
{
	return cycle / t->period > t->base ? cycle / t->period - t->base : 0;
}

u64 phase_track_resolution(const struct phase_track *t, u64 from)
{
	return look_of(t, from) >= t->recent_from ? t->period : phase_track_span(t);
}

void phase_track_get(const struct phase_track *t, s32 sm, u64 from, u64 to, struct phase_sum *out)
{
	BUG_ON(sm < -1 || sm + 1 >= (s32)t->scopes);
	u64 a = look_of(t, from), b = MIN(MAX(look_of(t, to + t->period - 1), a + 1), t->n);
	*out = (struct phase_sum){0};
	if (a >= t->recent_from) {
		for (u64 k = a; k < b; k++)
			if (t->looked[k % t->capacity])
				add_look(out, &recent_row(t, k)[sm + 1], t->nbands);
		return;
	}
	for (u64 i = a / t->per; i < (b + t->per - 1) / t->per && a < b; i++)
		add_sum(out, &store_row(t, i)[sm + 1]);
}

u32 phase_track_fns(const struct phase_track *t)
{
	return t->nfns;
}
const struct phase_fn *phase_track_fn(const struct phase_track *t, u32 i)
{
	BUG_ON(i >= t->nfns);
	return &t->fns[i];
}
const struct phase_band *phase_track_band(const struct phase_track *t, u32 band)
{
	BUG_ON(!band || band >= t->nbands);
	return &t->bands[band];
}
