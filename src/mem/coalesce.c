/* Coalescing: the lanes' addresses become one transaction per cache line touched, in the order of the first lane.
 *
 * The whole warp is one group: an instruction never gives two transactions of the same line. (The programming guide
 * splits 64- and 128-bit requests of compute capability 2.x into half and quarter warps; GPGPU-Sim does not, and
 * neither do later machines. For unit strides both give the same lines.) Sectors of a line travel as a mask;
 * where L1D has banks each is a transaction of its own. */
#include "base/bits.h"
#include "mem/mem.h"
#include "mem/tags.h"

#include <string.h>

#define SECTOR SECTOR_BYTES
#define LINE_WORDS 4 /* 256 B, the longest line, as a bit per byte */

#define SLOTS 256 /* twice MEM_TXN_MAX, so that probes stay short */
#define FEW 4     /* lines up to which they are looked through one by one */

struct coalescer {
	u32 line; /* bytes */
	u32 line_shift;
	u32 n;
	bool sectored, count_bytes;
	struct mem_txn *out;
	u8 slot[SLOTS];                       /* open addressing: transaction + 1 by line */
	u64 touched[MEM_TXN_MAX][LINE_WORDS]; /* bit per byte of the line; only with count_bytes */
};

static u32 line_bytes(const struct conf *c, enum mem_cache cache)
{
	switch (cache) {
	case MC_L1I: return c->l1i_line;
	case MC_L1C: return c->l1c_line;
	case MC_L1T: return c->l1t_line;
	default: return c->l1d_line;
	}
}

/* The slot of a line: its own, or the free one where it belongs. */
static inline u32 slot_of(const struct coalescer *co, u64 line)
{
	u32 at = (u32)(line >> co->line_shift) * 0x9e3779b1u >> 24;
	while (co->slot[at] && co->out[co->slot[at] - 1u].addr != line)
		at = (at + 1) % SLOTS;
	return at;
}

static void fill_slots(struct coalescer *co)
{
	memset(co->slot, 0, sizeof(co->slot));
	for (u32 i = 0; i < co->n; i++)
		co->slot[slot_of(co, co->out[i].addr)] = (u8)(i + 1);
}

static inline u32 new_txn(struct coalescer *co, u64 line)
{
	u32 n = co->n;
	BUG_ON(n == MEM_TXN_MAX);
	co->out[n] = (struct mem_txn){.addr = line};
	if (co->count_bytes)
		memset(co->touched[n], 0, sizeof(co->touched[0]));
	co->n = n + 1;
	return n;
}

/* The transaction of a line, new when no lane touched it before. Neighbouring lanes mostly hit the last one. */
static inline u32 txn_of(struct coalescer *co, u64 line)
{
	u32 n = co->n;
	if (n <= FEW) {
		for (u32 i = n; i-- > 0;)
			if (co->out[i].addr == line)
				return i;
		if (n == FEW)
			fill_slots(co);
	}
	if (n >= FEW) {
		u32 at = slot_of(co, line);
		if (co->slot[at])
			return co->slot[at] - 1u;
		co->slot[at] = (u8)(n + 1);
	}
	return new_txn(co, line);
}

/* Marks bytes of a line; returns how many of them no lane had touched before. */
static u32 touch_words(u64 *touched, u32 from, u32 n)
{
	u32 end = from + n, fresh = 0;
	while (from < end) {
		u32 part = MIN(end - from, 64 - from % 64);
		u64 *word = &touched[from / 64], bits = bit_range(part) << from % 64;
		fresh += *word & bits ? bit_count(bits & ~*word) : part;
		*word |= bits;
		from += part;
	}
	return fresh;
}

/* The same; mostly they lie in one word and are new. */
static inline u32 touch_bytes(u64 *touched, u32 from, u32 n)
{
	u64 *word = &touched[from / 64], bits = bit_range(n) << from % 64;
	if (unlikely(from % 64 + n > 64 || (*word & bits)))
		return touch_words(touched, from, n);
	*word |= bits;
	return n;
}

/* Adds `n` bytes at `addr`; crosses into the next line where the access does. */
static void add_span(struct coalescer *co, u64 addr, u32 n)
{
	while (n) {
		u64 line = addr & ~(u64)(co->line - 1);
		u32 off = (u32)(addr - line), part = MIN(n, co->line - off), i = txn_of(co, line);
		struct mem_txn *t = &co->out[i];
		t->sectors |= (u8)((2u << (off + part - 1) / SECTOR) - (1u << off / SECTOR));
		if (co->count_bytes)
			t->bytes += (u16)touch_bytes(co->touched[i], off, part);
		addr += part;
		n -= part;
	}
}

/* Lanes next to each other that touch one line; no transaction before the first. */
struct run {
	u64 line;
	u32 txn, sectors;
};

static inline void end_run(struct coalescer *co, const struct run *r)
{
	if (r->line == NEVER)
		return;
	co->out[r->txn].sectors |= (u8)r->sectors;
}

/* The same for lanes with an address each. */
static void add_lanes(struct coalescer *co, const struct dyninst *d)
{
	const u32 bytes = d->bytes, size = co->line;
	const u64 mask = size - 1;
	const bool count_bytes = co->count_bytes;
	struct run r = {.line = NEVER};
	BUG_ON(bytes > SECTOR);
	for (u32 left = d->mask; left; left &= left - 1) {
		u32 lane = (u32)__builtin_ctz(left);
		u64 addr = d->addr[lane], line = addr & ~mask;
		u32 off = (u32)(addr & mask);
		if (off + bytes > size) {
			add_span(co, addr, bytes);
			continue;
		}
		if (line != r.line) {
			end_run(co, &r);
			r = (struct run){.line = line, .txn = txn_of(co, line)};
		}
		r.sectors |= 1u << off / SECTOR | 1u << (off + bytes - 1) / SECTOR; /* at most two */
		if (count_bytes)
			co->out[r.txn].bytes += (u16)touch_bytes(co->touched[r.txn], off, bytes);
	}
	end_run(co, &r);
}

/* All lanes, one after the other without gaps: what most programs do. */
static bool is_consecutive(const struct dyninst *d)
{
	u64 differs = 0, base = d->addr[0], step = d->bytes;
	if (d->addr[1] != base + step) /* most others are told apart here */
		return false;
	for (u32 l = 0; l < WARP_SIZE; l++)
		differs |= d->addr[l] ^ (base + l * step);
	return !differs;
}

static void add_consecutive(struct coalescer *co, const struct dyninst *d)
{
	u64 base = d->addr[0];
	u32 total = WARP_SIZE * d->bytes;
	for (u32 at = 0; at < total;) {
		u32 part = MIN(total - at, co->line - (u32)((base + at) & (co->line - 1)));
		add_span(co, base + at, part);
		at += part;
	}
}

/* Local memory: the words of an access lie so many bytes apart. */
static void add_local(struct coalescer *co, u64 addr, u32 n, u64 step)
{
	for (u32 w = 0; w * 4 < n; w++)
		add_span(co, addr + w * step, MIN(4, n - w * 4));
}

static void finish(struct coalescer *co)
{
	if (!co->count_bytes)
		for (u32 i = 0; i < co->n; i++)
			co->out[i].bytes = (u16)(sector_count(co->out[i].sectors) * SECTOR);
	if (co->sectored)
		for (u32 i = 0; i < co->n; i++)
			co->out[i].addr += bit_first(co->out[i].sectors) * SECTOR;
}

/* A transaction for each sector, from the highest address down. */
static void split_sectors(struct coalescer *co)
{
	const u32 n = co->n;
	struct mem_txn line[MEM_TXN_MAX];
	memcpy(line, co->out, n * sizeof(*line));
	co->n = 0;
	for (u32 i = 0; i < n; i++) {
		const u64 at = line[i].addr & ~(u64)(co->line - 1);
		u32 before = co->n; /* lines mostly come in the order of their addresses: each goes in front of the others */
		while (before && co->out[before - 1].addr < at)
			before--;
		const u32 sectors = sector_count(line[i].sectors);
		BUG_ON(co->n + sectors > MEM_TXN_MAX);
		memmove(&co->out[before + sectors], &co->out[before], (co->n - before) * sizeof(*line));
		u32 to = before + sectors;
		FOR_EACH_BIT(k, (u64)line[i].sectors)
		co->out[--to] = (struct mem_txn){.addr = at + k * SECTOR, .sectors = (u8)(1u << k), .bytes = SECTOR};
		co->n += sectors;
	}
}

u32 mem_coalesce(const struct conf *c, const struct dyninst *d, enum mem_cache cache, struct mem_txn out[MEM_TXN_MAX])
{
	struct coalescer co;
	co.line = line_bytes(c, cache);
	co.line_shift = log2_floor(co.line);
	co.n = 0;
	co.sectored = c->coalesce == COALESCE_SECTOR32;
	co.count_bytes = (d->store || d->atomic) && !co.sectored;
	co.out = out;
	bool interleaved = d->space == SPC_LOCAL;
	if (!interleaved && d->mask == ~0u && is_consecutive(d)) {
		add_consecutive(&co, d);
	} else if (!interleaved) {
		add_lanes(&co, d);
	} else {
		FOR_EACH_BIT(lane, (u64)d->mask)
		add_local(&co, d->addr[lane], d->bytes, d->word_step);
	}
	finish(&co);
	if (cache == MC_L1D && conf_l1d_banked(c))
		split_sectors(&co);
	return co.n;
}

/* The words of some sectors of a line. */
static u32 words_of(u8 sectors)
{
	u32 words = 0;
	FOR_EACH_BIT(k, (u64)sectors)
	words |= 0xffu << k * (SECTOR / 4);
	return words;
}

static void add_words(struct mem_txn *out, u32 n, u64 mask, u64 addr, u32 bytes)
{
	for (u32 k = 0; k < n; k++) {
		u64 line = out[k].addr & mask, from = MAX(addr, line), to = MIN(addr + bytes, line + ~mask + 1);
		if (from < to)
			out[k].words |= words_of(out[k].sectors) &
			                (u32)(bit_range((u32)ceil_div(to - line, 4)) & ~bit_range((u32)(from - line) / 4));
	}
}

void mem_coalesce_words(const struct conf *c, const struct dyninst *d, struct mem_txn *out, u32 n)
{
	BUG_ON(c->l1d_line > 128);
	FOR_EACH_BIT(lane, (u64)d->mask)
	add_words(out, n, ~(u64)(c->l1d_line - 1), d->addr[lane], d->bytes);
}
