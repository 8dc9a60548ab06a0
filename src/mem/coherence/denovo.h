/* denovo: the common part of coherence=denovo. denovo.c describes the rule.
 *
 *   denovo.c        an SM's side: loads, stores, messages, the start of a kernel
 *   denovo_atomic.c atomics, which ask for words to own them
 *   denovo_owner.c  what others ask of the words that an L1D owns
 *   denovo_home.c   a slice's side: which SM owns the words of a line
 *   denovo_check.c  checks that both sides agree */
#ifndef MEM_COHERENCE_DENOVO_H
#define MEM_COHERENCE_DENOVO_H
#include "mem/l1.h"

#define DENOVO_WORDS 32 /* of 4 B, of the longest line */

/* A line of L1D, by set and way. `owned` words are the newest there are; those of `have` beyond them may be read until
 * the next kernel starts. A word that is owned and `unacked` has not been heard of at its slice yet. A `stale` one was
 * given up while an answer was on its way, which may be older: it is not kept, and no load joins it.
 *
 * Words `asked` for by an atomic are on their way to be owned: the line's MSHR waits for them, and so does whoever
 * needs them here. Of these, a copy of those that come `twice` is on its way as well, as a load had asked for it
 * before. */
struct words {
	u32 have, owned, unacked, stale, asked, twice;
};
/* A store on its way to the slice: an entry of the store buffer. */
struct store_entry {
	u64 line;
	u32 place;   /* in the tags; the line stays there until the entry has gone */
	u32 sent;    /* words that its request registers */
	u32 awaited; /* and words that older entries do: it is answered when all of them are acknowledged */
	u32 token;
	u32 next; /* entry + 1: free list */
	bool used;
	u8 pad[3]; /* named so that it is zero */
};
struct store_buffer { /* of an SM */
	u32 free, fresh, used;
	u32 questions; /* that wait in `question` */
};
/* A line of an L2 slice, by set and way: its words' owners, SM + 1; 0: the slice itself. */
struct home_line {
	u8 owner[DENOVO_WORDS];
	u32 launch, tag; /* of the store that waits for the answers: */
	u32 words;
	u16 waiter; /* SM + 1 to be told when they are there; 0: nobody */
	u8 awaited; /* answers of owners that were asked for their words */
	u8 owned;   /* words with an owner */
};
struct denovo {
	struct store_entry *store;   /* [sm * l1d.stores] */
	struct store_buffer *buffer; /* by SM */
	u32 *more;                   /* by packet of a load: words beyond those asked for that come with its answer */
	u8 *remote;                  /* by packet at a slice's head: owners have been asked for words of it */
	u16 *asked;                  /* by SM: messages to it whose answer has not arrived; at most noc.message_queue */
	u16 *backs;                  /* by SM: write-backs served whose acknowledgement is on its way */
	u16 *owed;                   /* by slice: acknowledgements that it must have room for */
	u16 *leaving;                /* [sm * DENOVO_LEAVING + hash of the line]: write-backs not acknowledged */
	struct message *question;    /* [sm * noc.message_queue]: for words that are on their way here, in order */
};
#define DENOVO_LEAVING 1024

/* What messages say. To an owner: */
enum denovo_message {
	DN_READ,   /* `about` is an SM that reads these words for its MSHR `tag` */
	DN_TAKE,   /* they are another SM's now */
	DN_RECALL, /* the slice needs them */
	DN_PASS,   /* they are that SM's now (`about`), which needs their values for its MSHR `tag` */
	/* Its answers: */
	DN_DATA,   /* to the reader */
	DN_TAKEN,  /* to the slice */
	DN_BACK,   /* the same with data */
	DN_PASSED, /* to the SM whose they are, with data */
	/* And from a slice: */
	DN_ACK,  /* the words of store buffer entry `tag` are registered */
	DN_DONE, /* a write-back has been served */
};

static inline struct words *words_of(const struct l1 *l, u32 place)
{
	return &l->words[tags_number(&l->tags, place)];
}
static inline struct home_line *home_of(const struct slice *s, u32 place)
{
	return &s->home[tags_number(&s->tags, place)];
}
static inline u32 words_in(u8 sectors)
{
	u32 w = sectors & 15;
	w = (w | w << 14) & 0x00030003; /* bit k to bit 8 k, in two steps */
	w = (w | w << 7) & 0x01010101;
	return w * 255;
}
/* The sectors that any of these words lies in, or that all of their words lie in. */
static inline u8 sectors_with(u32 words)
{
	u32 m = words | words >> 4;
	m |= m >> 2;
	m |= m >> 1;
	m &= 0x01010101;
	return (u8)((m | m >> 7 | m >> 14 | m >> 21) & 15);
}
static inline u8 sectors_full_of(u32 words)
{
	return (u8)(~sectors_with(~words) & 15);
}
/* The slice's endpoint for a line. */
static inline u32 denovo_home_endpoint(const struct mem *m, u64 line)
{
	return m->nsms + map_place(&m->map, line).slice;
}
/* Write-backs of this line (or of one with the same hash) that its slice has not acknowledged. */
static inline u16 *denovo_leaving(const struct mem *m, u32 sm, u64 line)
{
	return &m->denovo->leaving[sm * DENOVO_LEAVING + ((line >> 5) * 0x9e3779b97f4a7c15ull >> 54)];
}
/* The words of a line that come as copies. */
static inline u32 denovo_copies(const struct l1 *l, u32 i)
{
	const struct line *v = &l->tags.line[i];
	const struct words *w = words_of(l, i);
	return v->pending ? (l->mshr.e[v->mshr].pending & ~w->asked) | w->twice : 0;
}

/* denovo.c: an owner's answer has arrived: it may be asked for more. */
void denovo_answered(struct mem *m, u32 owner, u64 now);
/* After a change of a line's words: what its sectors are to the tags. True: the line is still there. */
bool denovo_settle(struct l1 *l, u32 i);
/* Words of a line are taken from L1D. */
void denovo_lose(struct l1 *l, u64 line, u32 i, u32 words);
/* The event l1-words. */
enum denovo_change { WORDS_OWNED, WORDS_REGISTERED, WORDS_READ, WORDS_TAKEN, WORDS_RECALLED, WORDS_WRITTEN, WORDS_GOT };
void denovo_tell(struct event_buf *ev, u32 sm, u64 line, u32 words, enum denovo_change change, u64 other, u64 now);
/* Where global memory is not cached, nothing is owned. */
static inline bool denovo_cached(const struct access *a)
{
	return a->l->cached >> MO_LOAD & 1;
}

/* denovo_atomic.c: of struct coherence_ops; words that were asked for have come, with their values: from their slice,
 * or from `from`. */
enum mem_result denovo_atomic(const struct access *a);
void denovo_got(struct mem *m, u32 sm, u32 mshr, u32 words, u32 from, u64 now);

/* denovo_owner.c: an owner is asked for words; words have come, and those who wait for words of the line are answered.
 */
void denovo_asked(struct mem *m, const struct message *g, u64 now);
void denovo_answer_waiting(struct mem *m, u32 sm, u64 line, u64 now);

/* denovo_home.c: the operations of struct coherence_ops, and a message that a slice got. */
enum mem_result denovo_serve(struct mem *m, u32 slice, u32 packet, u64 now, bool *done);
void denovo_served(struct mem *m, u32 slice, u32 packet);
u32 denovo_victim(struct mem *m, u32 slice, u32 set, u32 i, u64 now);
void denovo_told(struct mem *m, const struct message *g, u64 now);
/* denovo_check.c */
bool denovo_check(const struct mem *m, struct err *e);
#endif
