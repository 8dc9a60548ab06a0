/* cachemap: what lies in a cache now, line by line: an SM's L1D, or a slice of L2. The machine knows which lines are
 * there, their sectors and their order of replacement, and of L1D the CTA that brought each in. Who brought a line in
 * to L2, when a line came, when it was last used and how often, is known once linelives.h has found it. */
#ifndef UI_DBG_CACHEMAP_H
#define UI_DBG_CACHEMAP_H
#include "dbg/state.h"
#include "mem/use.h"
#include "obs/record/lives.h"

/* What a place is; each is one of these. */
enum cell_is {
	CELL_EMPTY,
	CELL_CLEAN,    /* its sectors are there */
	CELL_DIRTY,    /* some of them are to be written back */
	CELL_RESERVED, /* some are on their way: an MSHR waits for them */
	CELL_LENT,     /* shared memory has the way (sm.carveouts) */
	CELL_KINDS
};
extern const char *const cell_names[CELL_KINDS]; /* "empty"... */
struct cachemap_cell {
	struct cached_line line;
	struct life life; /* life.line 0: not known */
	u8 is;            /* enum cell_is */
	s32 owner;        /* index into owner; -1: there is no line, or nobody knows */
};
struct cachemap_owner {
	u32 launch, lines;
	u64 cta;
	char letter; /* A to Z; of more owners than letters the later ones have a '%' */
	bool alive;  /* the CTA is resident on an SM */
};
struct cachemap {
	bool l2;
	u32 unit; /* SM or slice */
	struct cache_shape shape;
	u32 n;              /* places: sets x ways, set by set */
	u32 of[CELL_KINDS]; /* they sum to n */
	u32 nowners;
	struct cachemap_owner *owner; /* by launch and CTA; their lines and `nobodys` sum to the lines that are there */
	u32 nobodys;
	bool known; /* lives are; since: from this cycle on */
	u64 since, now;
	struct cachemap_cell cell[];
};
/* lives: of linelives_see(), NULL: not known. The caller frees it with free(). */
struct cachemap *cachemap_take(struct debugger *d, bool l2, u32 unit, const void *lives, u64 since);
void cachemap_free(struct cachemap *m);
/* Cycles since a line was last used; without lives how many uses of the cache lie behind its own. */
u64 cachemap_age(const struct cachemap *m, const struct cachemap_cell *c);
/* The digit of an age: k means less than 4^k; 9: all above. */
u32 cachemap_age_digit(u64 age);

/* In words: the cache and its sums; one owner; a line: what it is and whose; what it has been through, nothing if that
 * is not known. brief: without what is known from elsewhere. */
void cachemap_sums_text(const struct cachemap *m, struct strbuf *out);
void cachemap_owner_text(struct debugger *d, const struct cachemap_owner *o, bool brief, struct strbuf *out);
void cachemap_line_text(struct debugger *d, const struct cachemap *m, u32 place, bool brief, struct strbuf *out);
void cachemap_life_text(struct debugger *d, const struct cachemap *m, u32 place, struct strbuf *out);
#endif
