#include "obs/history/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/bits.h"
#include "base/present.h"
#include "obs/history/warm.h"

#define PAGE DEVMEM_PAGE
#define CHUNK 256 /* table entries that are shared together */

/* A page number in the store + 1; 0 = all zero. */
typedef u32 page_ref;
#define NO_PAGE UINT32_MAX
#define OLD_SHARE 16 /* see worth() */

struct chunk {
	u32 refs;
	page_ref page[CHUNK];
};
struct table {
	struct chunk **chunk;
	u32 n;
};
enum { ARENA, DEVICE, REGIONS };
struct snapshot {
	u64 cycle;
	enum snapshot_kind kind;
	bool rests; /* a TURN: history_rests() */
	u32 turns;
	struct table t[REGIONS];
	void *extra;
	u64 extra_bytes;
	void (*free_extra)(void *);
};
struct history {
	struct arena *arena;
	struct devmem *dev;
	u8 *store;
	struct warm *warm;
	u32 *refs, *free_list;
	u32 capacity, nfree, used;
	u64 aside; /* bytes beside the store that count too: tables and extras */
	struct snapshot *s;
	u32 n, cap, at;
	u32 turns_dropped;
	bool keep_begin; /* the snapshot being taken may not push out the beginning */
	struct present *present;
};

/* --- the page store --- */

static u8 *page_at(const struct history *h, page_ref r)
{
	return h->store + (size_t)(r - 1) * PAGE;
}

static void page_unref(struct history *h, page_ref r)
{
	if (!r || --h->refs[r - 1])
		return;
	h->free_list[h->nfree++] = r - 1;
	h->used--;
}

static bool make_room(struct history *h);

static bool full(const struct history *h)
{
	return !h->nfree || h->aside + (h->used + 1ull) * PAGE > (u64)h->capacity * PAGE;
}

/* Into the store, past the caches: it is not read again soon, and the machine wants them for itself. */
static void copy_out(u8 *to, const u8 *from)
{
#ifdef __SSE2__
	__m128i *t = (__m128i *)(void *)to;
	const __m128i *f = (const __m128i *)(const void *)from;
	for (u32 i = 0; i < PAGE / sizeof *t; i++)
		_mm_stream_si128(t + i, _mm_load_si128(f + i));
#else
	memcpy(to, from, PAGE);
#endif
}

static page_ref page_keep(struct history *h, const u8 *data)
{
	if (all_zero(data, PAGE))
		return 0;
	while (full(h))
		if (!make_room(h))
			return NO_PAGE;
	u32 p = h->free_list[--h->nfree];
	h->refs[p] = 1;
	h->used++;
	warm_use(h->warm, (size_t)p * PAGE);
	copy_out(h->store + (size_t)p * PAGE, data);
	return p + 1;
}

static void chunk_unref(struct history *h, struct chunk *c)
{
	if (!c || --c->refs)
		return;
	for (u32 i = 0; i < CHUNK; i++)
		page_unref(h, c->page[i]);
	free(c);
	h->aside -= sizeof *c;
}

static void table_release(struct history *h, struct table *t)
{
	for (u32 i = 0; i < t->n; i++)
		chunk_unref(h, t->chunk[i]);
	free(t->chunk);
	h->aside -= t->n * sizeof *t->chunk;
	*t = (struct table){0};
}

/* A table that shares every chunk of `from`, with room for n chunks. */
static struct table table_share(struct history *h, const struct table *from, u32 n)
{
	struct table t = {xcalloc(n ? n : 1, sizeof(struct chunk *)), n};
	h->aside += n * sizeof *t.chunk;
	for (u32 i = 0; i < MIN(n, from->n); i++)
		if ((t.chunk[i] = from->chunk[i]))
			t.chunk[i]->refs++;
	return t;
}

static page_ref table_get(const struct table *t, u32 page)
{
	u32 c = page / CHUNK;
	return c < t->n && t->chunk[c] ? t->chunk[c]->page[page % CHUNK] : 0;
}

/* Sets one entry; a chunk shared with others is copied first. */
static void table_set(struct history *h, struct table *t, u32 page, page_ref r)
{
	struct chunk **at = &t->chunk[page / CHUNK];
	if (!*at) {
		(*at = xcalloc(1, sizeof(struct chunk)))->refs = 1;
		h->aside += sizeof(struct chunk);
	}
	if ((*at)->refs > 1) {
		struct chunk *own = xmalloc(sizeof *own);
		h->aside += sizeof *own;
		*own = **at;
		own->refs = 1;
		for (u32 i = 0; i < CHUNK; i++)
			if (own->page[i])
				h->refs[own->page[i] - 1]++;
		(*at)->refs--;
		*at = own;
	}
	page_unref(h, (*at)->page[page % CHUNK]);
	(*at)->page[page % CHUNK] = r;
}

/* --- thinning --- */

static void drop(struct history *h, u32 i)
{
	struct snapshot *s = &h->s[i];
	for (u32 r = 0; r < REGIONS; r++)
		table_release(h, &s->t[r]);
	if (s->free_extra)
		s->free_extra(s->extra);
	h->aside -= s->extra_bytes;
	memmove(s, s + 1, (h->n - i - 1) * sizeof *s);
	h->n--;
	if (h->at > i)
		h->at--;
}

/* How little an AUTO snapshot is missed: the gap it would leave, in proportion to its age and a part of the whole past,
 * without which a long run would end up with one gap as long as half of it. */
static double worth(const struct history *h, u32 i)
{
	u64 last = h->s[h->n - 1].cycle;
	double gap = (double)(h->s[i + 1].cycle - h->s[i - 1].cycle) + 1;
	return gap / ((double)(last - h->s[i].cycle) + (double)(last - h->s[0].cycle) / OLD_SHARE + 1);
}

/* Gives up the snapshot that is missed least: an AUTO one between others, else the beginning of history. */
static bool make_room(struct history *h)
{
	u32 best = 0;
	for (u32 i = 1; i + 1 < h->n; i++)
		if (h->s[i].kind == SNAP_AUTO && i != h->at && (!best || worth(h, i) < worth(h, best)))
			best = i;
	if (!best && (h->n < 2 || h->at == 0 || h->keep_begin))
		return false;
	if (!best)
		h->turns_dropped = h->s[0].turns;
	drop(h, best);
	return true;
}

/* --- taking and restoring --- */

static u32 device_pages(const struct history *h)
{
	return (u32)((h->dev->top - DEVMEM_BASE + PAGE - 1) / PAGE);
}

/* Forgets everything; the next snapshot has to hold every page again. */
static void forget(struct history *h)
{
	while (h->n)
		drop(h, h->n - 1);
	h->at = 0;
	for (u32 word = 0; word * 64 < device_pages(h); word++)
		h->dev->dirty[word] |= h->dev->written[word];
}

struct history *history_create(struct arena *a, struct devmem *d, u64 budget, struct err *e)
{
	struct history *h = xcalloc(1, sizeof *h);
	u64 pages = MAX(budget, 16ull << 20) / PAGE;
	h->arena = a;
	h->dev = d;
	h->capacity = (u32)MIN(pages, UINT32_MAX - 1);
	h->store = mmap(NULL, (size_t)h->capacity * PAGE, PROT_READ | PROT_WRITE,
	                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (h->store == MAP_FAILED) {
		free(h);
		err_set(e, "cannot reserve %llu MiB for the history: %s", (unsigned long long)(budget >> 20), strerror(errno));
		return NULL;
	}
	madvise(h->store, (size_t)h->capacity * PAGE, MADV_HUGEPAGE); /* fewer page faults; no matter if refused */
	h->warm = warm_start(h->store, (size_t)h->capacity * PAGE);
	h->refs = xcalloc(h->capacity, sizeof(u32));
	h->free_list = xmalloc(h->capacity * sizeof(u32));
	for (u32 i = 0; i < h->capacity; i++)
		h->free_list[i] = h->capacity - 1 - i;
	h->nfree = h->capacity;
	h->present = present_open(a->base, a->reserved);
	forget(h); /* an earlier history's snapshots have cleared dirty bits that this one's first needs */
	return h;
}

void history_free(struct history *h)
{
	if (!h)
		return;
	while (h->n)
		drop(h, h->n - 1);
	warm_stop(h->warm);
	munmap(h->store, (size_t)h->capacity * PAGE);
	present_close(h->present);
	free(h->refs);
	free(h->free_list);
	free(h->s);
	free(h);
}

void history_forked(struct history *h)
{
	present_forked(h->present);
	h->warm = NULL; /* its thread is not here, and may hold its lock for ever */
}

static u32 arena_pages(const struct history *h)
{
	return (u32)((h->arena->used + PAGE - 1) / PAGE);
}
/* Puts the present contents of a page into a table; false when there is no room. */
static bool take_page(struct history *h, struct table *t, u32 page, const u8 *now)
{
	page_ref r = page_keep(h, now);
	if (r == NO_PAGE)
		return false;
	table_set(h, t, page, r);
	return true;
}

static bool take_arena(struct history *h, struct table *t)
{
	const u64 *has = present_find(h->present, arena_pages(h));
	for (u32 p = 0; p < arena_pages(h); p++) {
		if (!present_at(has, p)) {
			p |= has[p / 64] ? 0 : 63; /* none of the 64 */
			continue;
		}
		const u8 *now = h->arena->base + (size_t)p * PAGE;
		page_ref was = table_get(t, p);
		if (was ? !memcmp(now, page_at(h, was), PAGE) : all_zero(now, PAGE))
			continue;
		if (!take_page(h, t, p, now))
			return false;
	}
	return true;
}

static bool take_device(struct history *h, struct table *t)
{
	u32 n = device_pages(h);
	for (u32 word = 0; word * 64 < n; word++) {
		u64 m = h->dev->dirty[word];
		if (!m)
			continue;
		FOR_EACH_BIT(b, m)
		if (!take_page(h, t, word * 64 + (u32)b, h->dev->mem + (word * 64ull + b) * PAGE))
			return false;
	}
	return true;
}

/* The device pages are as the table of `at` says. */
static void settle(struct history *h)
{
	for (u64 word = 0; word * 64 < h->dev->bytes / PAGE; word++) {
		h->dev->written[word] |= h->dev->dirty[word];
		h->dev->dirty[word] = 0;
	}
}

/* The state as a pair of tables, sharing with those of `at`. */
static bool take_tables(struct history *h, struct snapshot *s)
{
	static const struct table none;
	s->t[ARENA] = table_share(h, h->n ? &h->s[h->at].t[ARENA] : &none, (u32)ceil_div(arena_pages(h), CHUNK));
	s->t[DEVICE] = table_share(h, h->n ? &h->s[h->at].t[DEVICE] : &none, (u32)ceil_div(device_pages(h), CHUNK));
	if (take_arena(h, &s->t[ARENA]) && take_device(h, &s->t[DEVICE])) {
		settle(h);
		return true;
	}
	table_release(h, &s->t[ARENA]);
	table_release(h, &s->t[DEVICE]);
	return false;
}

bool history_take(struct history *h, enum snapshot_kind k, u64 cycle, bool again, void *extra, u64 extra_bytes,
                  void (*free_extra)(void *))
{
	struct snapshot s = {
	    .cycle = cycle, .kind = k, .extra = extra, .extra_bytes = extra_bytes, .free_extra = free_extra};
	u32 turns = h->n ? h->s[h->at].turns : h->turns_dropped;
	h->aside += extra_bytes;
	h->keep_begin = again && h->n;
	if (!take_tables(h, &s)) {
		bool skip = k == SNAP_AUTO && h->n; /* one snapshot less on the way is no loss */
		if (!skip)
			forget(h);
		if (skip || !take_tables(h, &s)) {
			h->aside -= extra_bytes;
			free_extra(extra);
			return skip;
		}
	}
	s.turns = turns + (k == SNAP_TURN);
	if (h->n == h->cap) {
		h->cap = h->cap ? h->cap * 2 : 64;
		h->s = xrealloc(h->s, h->cap * sizeof *h->s);
	}
	u32 i = h->n ? h->at + 1 : 0;
	memmove(&h->s[i + 1], &h->s[i], (h->n - i) * sizeof *h->s);
	h->s[i] = s;
	h->n++;
	h->at = i;
	return true;
}

void history_pass(struct history *h)
{
	h->at++;
}

static void put_page(const struct history *h, u8 *to, page_ref r)
{
	if (!r)
		memset(to, 0, PAGE);
	else
		memcpy(to, page_at(h, r), PAGE);
}

static void restore_arena(struct history *h, const struct table *t)
{
	const u64 *has = present_find(h->present, arena_pages(h));
	for (u32 p = 0; p < arena_pages(h); p++) {
		if (!has[p / 64]) { /* none of the 64, then or now: a page once touched keeps its memory */
			p |= 63;
			continue;
		}
		page_ref r = table_get(t, p);
		u8 *now = h->arena->base + (size_t)p * PAGE;
		if (r ? memcmp(now, page_at(h, r), PAGE) : present_at(has, p) && !all_zero(now, PAGE))
			put_page(h, now, r);
	}
}

/* Pages written since the last snapshot or restore, and those in which the two tables differ. */
static void restore_device(struct history *h, const struct table *from, const struct table *to)
{
	u32 n = MAX(from->n, to->n) * CHUNK;
	for (u32 p = 0; p < n; p++) {
		u32 c = p / CHUNK;
		u64 dirty = h->dev->dirty[p / 64];
		bool same_chunk = c < from->n && c < to->n && from->chunk[c] == to->chunk[c];
		if (same_chunk && !dirty) {
			p |= 63;
			continue;
		}
		page_ref r = table_get(to, p);
		if ((dirty >> (p % 64) & 1) || r != table_get(from, p))
			put_page(h, h->dev->mem + (size_t)p * PAGE, r);
	}
}

void *history_restore(struct history *h, u32 i)
{
	restore_arena(h, &h->s[i].t[ARENA]);
	restore_device(h, &h->s[h->at].t[DEVICE], &h->s[i].t[DEVICE]);
	settle(h);
	h->at = i;
	return h->s[i].extra;
}

/* --- looking --- */

u32 history_before(const struct history *h, u64 cycle, u32 turns)
{
	u32 lo = 0, hi = h->n;
	while (lo < hi) {
		u32 mid = (lo + hi) / 2;
		const struct snapshot *s = &h->s[mid];
		if (s->cycle < cycle || (s->cycle == cycle && s->turns <= turns))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? lo - 1 : UINT32_MAX;
}

u32 history_turns_with(const struct history *h, u64 cycle)
{
	u32 i = history_before(h, cycle, UINT32_MAX);
	return i == UINT32_MAX ? h->s[0].turns : h->s[i].turns;
}

u32 history_turns_before(const struct history *h, u64 cycle)
{
	return cycle ? history_turns_with(h, cycle - 1) : h->s[0].turns;
}

void history_rests(struct history *h)
{
	h->s[h->at].rests = h->s[h->at].kind == SNAP_TURN;
}

u32 history_turns_at_rest(const struct history *h, u64 cycle)
{
	for (u32 i = history_before(h, cycle, UINT32_MAX); i != UINT32_MAX && h->s[i].cycle == cycle; i--)
		if (h->s[i].rests)
			return h->s[i].turns;
	return history_turns_before(h, cycle);
}

void history_fork(struct history *h)
{
	while (h->n > h->at + 1)
		drop(h, h->n - 1);
}

u32 history_count(const struct history *h)
{
	return h->n;
}
u32 history_at(const struct history *h)
{
	return h->at;
}
u64 history_cycle(const struct history *h, u32 i)
{
	return h->s[i].cycle;
}
enum snapshot_kind history_kind(const struct history *h, u32 i)
{
	return h->s[i].kind;
}
u32 history_turns(const struct history *h, u32 i)
{
	return h->s[i].turns;
}
u64 history_bytes(const struct history *h)
{
	return (u64)h->used * PAGE + h->aside;
}
