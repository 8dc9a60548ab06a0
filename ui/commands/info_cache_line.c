/* `info line ADDRESS`: where a line of L1D's size is - its L2 slice, the L1Ds with a copy - and who owns its words. */
#include "base/bits.h"
#include "commands/commands.h"
#include "dbg/value.h"
#include "mem/mem.h"

#define COPIES_SHOWN 16

/* "0-3, 7" */
static void add_ranges(struct strbuf *out, u32 mask)
{
	const char *between = "";
	for (u32 from = 0; from < 32; from++) {
		u32 to = from;
		if (!(mask >> from & 1))
			continue;
		while (to + 1 < 32 && (mask >> (to + 1) & 1))
			to++;
		strbuf_addf(out, from == to ? "%s%u" : "%s%u-%u", between, from, to);
		between = ", ";
		from = to;
	}
}

static void add_part(struct strbuf *out, const char **between, const char *what, u32 mask, const char *are)
{
	if (!mask)
		return;
	strbuf_addf(out, "%s%s%s ", *between, what, bit_count(mask) == 1 ? "" : "s");
	add_ranges(out, mask);
	strbuf_addf(out, " %s", are);
	*between = "; ";
}

static void add_sectors(struct strbuf *out, u8 valid, u8 pending, u8 dirty)
{
	const char *between = "";
	add_part(out, &between, "sector", valid, "there");
	add_part(out, &between, "sector", pending, "on the way");
	add_part(out, &between, "sector", dirty, "dirty");
	if (!*between)
		strbuf_adds(out, "nothing of it is valid");
}

static void slice_row(const struct line_info *l, struct strbuf *out)
{
	strbuf_addf(out, "line 0x%llx  L2 slice %u: ", (unsigned long long)l->addr, l->slice);
	if (l->in_l2)
		add_sectors(out, l->valid, l->pending, l->dirty);
	else
		strbuf_adds(out, "not there");
	if (l->copy) {
		strbuf_adds(out, "; copy in the other part: ");
		add_sectors(out, l->copy, 0, 0);
	}
	strbuf_addc(out, '\n');
}

static void owner_rows(const struct line_info *l, struct strbuf *out)
{
	u32 all = (u32)bit_range(l->words), seen = 0;
	for (u32 w = 0; w < l->words; w++) {
		u32 its = 0;
		if (seen >> w & 1)
			continue;
		for (u32 k = w; k < l->words; k++)
			its |= l->owner[k] == l->owner[w] ? 1u << k : 0;
		seen |= its;
		strbuf_adds(out, its == all ? "  all words " : "  words ");
		if (its != all)
			add_ranges(out, its);
		if (l->owner[w] < 0)
			strbuf_adds(out,
			            its == all ? "are nobody's: L2 or memory has them\n" : ": nobody's, L2 or memory has them\n");
		else
			strbuf_addf(out, "%s registered for SM %d, whose L1D answers for them\n", its == all ? "are" : ":",
			            l->owner[w]);
	}
	if (l->awaited)
		strbuf_addf(out, "  %u owner%s asked for words and %s not answered: requests of this line wait\n", l->awaited,
		            l->awaited == 1 ? " is" : "s are", l->awaited == 1 ? "has" : "have");
	if (l->waiter >= 0)
		strbuf_addf(out, "  a store of SM %d is complete when they have\n", l->waiter);
}

static void copy_row(const struct line_info *l, const struct line_copy *c, struct strbuf *out)
{
	const char *between = "";
	strbuf_addf(out, "  L1D of SM %u: ", c->sm);
	if (l->by_word && (c->have | c->asked)) {
		add_part(out, &between, "word", c->owned & ~c->unacked, "its own");
		add_part(out, &between, "word", c->owned & c->unacked, "its own, not registered yet");
		add_part(out, &between, "word", c->asked, "on the way to be its own, for an atomic");
		add_part(out, &between, "word", c->have & ~c->owned, "may be read until the next kernel starts");
		add_part(out, &between, "sector", c->pending, "on the way");
	} else {
		add_sectors(out, c->valid, c->pending, c->dirty);
	}
	strbuf_addf(out, "  (brought in by CTA %llu of kernel %u)\n", (unsigned long long)c->cta, c->launch);
}

bool info_cache_line(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	const struct mem *m = gpu_mem(dbg_gpu(d));
	struct line_copy c[COPIES_SHOWN];
	struct line_info l;
	u64 addr;
	if (!address_expression(d, args, &addr, e))
		return false;
	mem_line(m, addr, &l);
	slice_row(&l, out);
	if (l.by_word)
		owner_rows(&l, out);
	u32 n = mem_line_copies(m, addr, c, COPIES_SHOWN);
	for (u32 i = 0; i < MIN(n, (u32)COPIES_SHOWN); i++)
		copy_row(&l, &c[i], out);
	if (n > COPIES_SHOWN)
		strbuf_addf(out, "  ... and %u more\n", n - COPIES_SHOWN);
	if (!n)
		strbuf_adds(out, "  no L1D has it\n");
	return true;
}
