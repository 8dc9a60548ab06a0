/* info cache: what lies in an SM's L1D, or in a slice of L2. */
#include <string.h>

#include "base/words.h"
#include "commands/commands.h"
#include "dbg/cachemap.h"
#include "dbg/linelives.h"

#define OWNERS_SHOWN 26u
#define WIDTH 96u

enum shows { SHOWS_OWNER, SHOWS_KERNEL, SHOWS_AGE };
struct asked {
	bool l2;
	u64 unit, set; /* set NEVER: all */
	enum shows shows;
};

static bool take(struct debugger *d, const char *args, struct asked *a, struct err *e)
{
	static const char *const shows[] = {"owner", "kernel", "age"};
	const struct conf *c = gpu_conf(dbg_gpu(d));
	const u32 slices = c->partitions * c->l2_slices;
	*a = (struct asked){.unit = d->focus.sm, .set = NEVER};
	for (char word[32], value[32]; (args = next_word(args, word, sizeof word)) != NULL;) {
		u64 *to = !strcmp(word, "set") ? &a->set : &a->unit;
		bool known = !strcmp(word, "map");
		for (u32 i = 0; i < ARRAY_LEN(shows); i++)
			if (!strcmp(word, shows[i])) {
				a->shows = i;
				known = true;
			}
		if (known)
			continue;
		if (strcmp(word, "sm") != 0 && strcmp(word, "slice") != 0 && strcmp(word, "l2") != 0 &&
		    strcmp(word, "set") != 0)
			return err_set(
			    e, "info cache: `sm N`, `slice N`, `set N`, `owner`, `kernel` or `age` is expected, not '%s'", word);
		args = next_word(args, value, sizeof value);
		if (!args)
			return err_set(e, "info cache %s: a number is expected", word);
		if (!arg_number(value, word, UINT32_MAX, to, e))
			return false;
		if (to == &a->unit)
			a->l2 = strcmp(word, "sm") != 0;
	}
	if (a->unit >= (a->l2 ? slices : c->num_sms))
		return err_set(e, "info cache: there are %s 0 to %u", a->l2 ? "slices" : "SMs",
		               (a->l2 ? slices : c->num_sms) - 1);
	return true;
}

static char sign_of(const struct cachemap *m, const struct cachemap_cell *c, enum shows shows)
{
	if (!c->line.there)
		return c->is == CELL_LENT ? '-' : '.';
	if (shows == SHOWS_AGE)
		return (char)('0' + cachemap_age_digit(cachemap_age(m, c)));
	if (c->owner < 0)
		return '_';
	return shows == SHOWS_OWNER ? m->owner[c->owner].letter : (char)('0' + m->owner[c->owner].launch % 10);
}

static void cell_text(const struct cachemap *m, const struct cachemap_cell *c, enum shows shows, struct strbuf *out)
{
	strbuf_addc(out, sign_of(m, c, shows));
	strbuf_addc(out, c->is == CELL_RESERVED ? ':' : c->is == CELL_DIRTY ? '\'' : ' ');
}

static void owners_text(struct debugger *d, const struct cachemap *m, struct strbuf *out)
{
	for (u32 i = 0; i < MIN(m->nowners, OWNERS_SHOWN); i++) {
		const struct cachemap_owner *o = &m->owner[i];
		strbuf_addf(out, "  %c %5u line%s  ", o->letter, o->lines, plural(o->lines));
		cachemap_owner_text(d, o, false, out);
		strbuf_addc(out, '\n');
	}
	if (m->nowners > OWNERS_SHOWN)
		strbuf_addf(out, "  ... and %u CTAs more\n", m->nowners - OWNERS_SHOWN);
	if (m->nobodys)
		strbuf_addf(out, "  _ %5u line%s  of code, written back by an SM, or not known\n", m->nobodys,
		            plural(m->nobodys));
}

/* As many sets beside each other as there is room for. */
static void map_text(const struct cachemap *m, enum shows shows, struct strbuf *out)
{
	const u32 ways = m->shape.ways, block = 7 + 2 * ways, across = MAX(WIDTH / block, 1u);
	const u32 rows = (m->shape.sets + across - 1) / across;
	struct strbuf row = STRBUF_INIT;
	for (u32 y = 0; y < rows; y++) {
		strbuf_clear(&row);
		for (u32 x = 0; x < across && y * across + x < m->shape.sets; x++) {
			const u32 set = y * across + x;
			strbuf_addf(&row, "%s%5u ", x ? " " : "", set);
			for (u32 w = 0; w < ways; w++)
				cell_text(m, &m->cell[set * ways + w], shows, &row);
		}
		size_t n = row.len;
		while (n && strbuf_str(&row)[n - 1] == ' ')
			n--;
		strbuf_add(out, strbuf_str(&row), n);
		strbuf_addc(out, '\n');
	}
	strbuf_release(&row);
}

bool info_cache(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct asked a;
	struct err why = {0};
	u64 since = 0;
	if (!take(d, args, &a, e))
		return false;
	const void *lives = linelives_fetch(d, &since, &why);
	struct cachemap *m = cachemap_take(d, a.l2, (u32)a.unit, lives, since);
	if (a.set != NEVER && a.set >= m->shape.sets) {
		err_set(e, "info cache: there are sets 0 to %u", m->shape.sets - 1);
		cachemap_free(m);
		return false;
	}
	cachemap_sums_text(m, out);
	strbuf_addc(out, '\n');
	if (a.set == NEVER) {
		owners_text(d, m, out);
		map_text(m, a.shows, out);
	}
	for (u32 w = 0; a.set != NEVER && w < m->shape.ways; w++) {
		const u32 place = (u32)a.set * m->shape.ways + w;
		cachemap_line_text(d, m, place, false, out);
		strbuf_adds(out, m->cell[place].life.line ? "\n    " : "\n");
		if (!m->cell[place].life.line)
			continue;
		cachemap_life_text(d, m, place, out);
		strbuf_addc(out, '\n');
	}
	if (!lives)
		strbuf_addf(out, "What lines have been through is not known: %s\n", why.msg);
	cachemap_free(m);
	return true;
}
