/* denovo_transitions: what words go through while coherence=denovo runs - at an L1D and at their slice, for each event
 * from which state to which, counted and compared with the table of what the rule (src/mem/coherence/denovo.c) has.
 * Behind mem_rig.h and mem/coherence/denovo.h. */
#ifndef TESTS_RIG_DENOVO_TRANSITIONS_H
#define TESTS_RIG_DENOVO_TRANSITIONS_H

/* --- a word at an L1D --------------------------------------------------------------------------------------------- */
enum word_state {
	W_NONE,
	W_COPY,  /* may be read until the next kernel starts */
	W_NEW,   /* owned, not registered at the slice yet */
	W_OWN,   /* owned and registered */
	W_ASKED, /* on its way to be owned: an atomic waits for it */
	W_LOST,  /* taken by another SM before its own registration was acknowledged */
	W_KEPT,  /* the same, but still readable */
	W_STATES
};
static const char *const word_states[W_STATES] = {"none", "copy", "new", "own", "asked", "lost", "kept"};

enum word_event {
	E_STORE,
	E_FILL,       /* an answer of the slice */
	E_DATA,       /* an answer of another SM */
	E_ACK,        /* of a registration */
	E_READ,       /* another SM reads */
	E_TAKE,       /* another SM has registered */
	E_RECALL,     /* the slice wants it */
	E_ATOMIC,     /* of its own, at the slice */
	E_ATOMIC_HIT, /* of its own, here */
	E_ASK,        /* of its own, which lacks words */
	E_GOT,        /* the answer to that */
	E_PASS,       /* another SM's atomic has registered */
	E_GONE,       /* the line is evicted */
	E_START,      /* a kernel starts */
	E_EVENTS
};
static const char *const word_events[E_EVENTS] = {
    "store",      "fill",        "remote data", "acknowledged", "read by another", "taken",   "called back",
    "own atomic", "atomic here", "atomic asks", "got",          "passed on",       "evicted", "kernel starts"};
static u64 word_moves[E_EVENTS][W_STATES][W_STATES];

static enum word_state word_state(const struct words *w, u32 k)
{
	const bool have = w->have >> k & 1, owned = w->owned >> k & 1, unacked = w->unacked >> k & 1;
	if (w->asked >> k & 1)
		return have || unacked ? W_STATES : W_ASKED;
	if (owned)
		return unacked ? W_NEW : W_OWN;
	if (have)
		return unacked ? W_KEPT : W_COPY;
	return unacked ? W_LOST : W_NONE;
}

/* Counts what an event did to a line: the words it is about, and whatever else has changed. */
static void word_event(enum word_event e, const struct words *from, const struct words *to, u32 about)
{
	for (u32 k = 0; k < 32; k++) {
		const enum word_state a = word_state(from, k), b = word_state(to, k);
		word_moves[e][a][b] += a != b || (about >> k & 1);
	}
}

/* --- and at its slice --------------------------------------------------------------------------------------------- */
enum owner_state { O_SLICE, O_ITS, O_OTHERS, O_STATES }; /* its: of the SM whose request or answer it is */
static const char *const owner_states[O_STATES] = {"the slice", "its own", "another's"};
enum owner_event { H_READ, H_OWN, H_GET, H_WRITEBACK, H_ATOMIC, H_ANSWER, H_VICTIM, H_EVENTS };
static const char *const owner_events[H_EVENTS] = {"read",   "registration",       "an atomic's", "write-back",
                                                   "atomic", "answer to a recall", "eviction"};
static u64 owner_moves[H_EVENTS][O_STATES][O_STATES];

static enum owner_state owner_state(u8 owner, u32 sm)
{
	return !owner ? O_SLICE : owner == sm + 1 ? O_ITS : O_OTHERS;
}

static void owner_event(enum owner_event e, u32 sm, const u8 *from, const u8 *to, u32 about)
{
	for (u32 k = 0; k < 32; k++)
		owner_moves[e][owner_state(from[k], sm)][owner_state(to[k], sm)] += from[k] != to[k] || (about >> k & 1);
}

/* --- what the rule has --------------------------------------------------------------------------------------------
 *
 * What is not in the tables must not come up:
 *   - a word that is lost or kept while its registration is on its way: it is not given up until that is acknowledged;
 *   - an atomic on a new word, or a store to one that is asked for: it waits; a line with one is not evicted; a kernel
 *     that starts finds none, as it has the machine to itself and stores are acknowledged before a kernel ends;
 *   - a registration or an eviction of a slice's line while another's word has not come back. */
static const struct transition {
	u8 event, from, to;
} word_table[] = {
    {E_STORE, W_NONE, W_NEW},
    {E_STORE, W_COPY, W_NEW},
    {E_STORE, W_NEW, W_NEW}, /* joins the one before */
    {E_STORE, W_OWN, W_OWN},
    {E_FILL, W_NONE, W_NONE}, /* past L1D, of an atomic, or stale */
    {E_FILL, W_NONE, W_COPY},
    {E_FILL, W_COPY, W_COPY},
    {E_FILL, W_NEW, W_NEW}, /* stored meanwhile */
    {E_FILL, W_OWN, W_OWN},
    {E_DATA, W_NONE, W_NONE},
    {E_DATA, W_NONE, W_COPY},
    {E_DATA, W_NEW, W_NEW},
    {E_ACK, W_NEW, W_OWN},
    {E_READ, W_NONE, W_NONE}, /* answered from what it has
                                                             written back */
    {E_READ, W_NEW, W_NEW},   /* it owned the word before, wrote it back and owns it again */
    {E_READ, W_OWN, W_OWN},
    {E_TAKE, W_NONE, W_NONE},
    {E_TAKE, W_NEW, W_NEW},
    {E_TAKE, W_OWN, W_NONE},
    {E_RECALL, W_NONE, W_NONE},
    {E_RECALL, W_NEW, W_NEW},
    {E_RECALL, W_OWN, W_NONE},
    {E_ATOMIC, W_NONE, W_NONE},
    {E_ATOMIC, W_COPY, W_NONE},
    {E_ATOMIC, W_OWN, W_NONE},
    {E_ATOMIC_HIT, W_OWN, W_OWN},
    {E_GONE, W_COPY, W_NONE},
    {E_GONE, W_OWN, W_NONE},
    {E_ASK, W_NONE, W_ASKED},
    {E_ASK, W_COPY, W_ASKED},
    {E_ASK, W_ASKED, W_ASKED},
    {E_ASK, W_OWN, W_OWN}, /* other words of it are not */
    {E_GOT, W_ASKED, W_OWN},
    {E_GOT, W_ASKED, W_NONE}, /* and passed on to who waits */
    {E_GOT, W_OWN, W_NONE},   /* who asked for it has waited behind somebody who asked for the word that has come */
    {E_PASS, W_OWN, W_NONE},
    {E_PASS, W_NONE, W_NONE}, /* from what it has written back */
    {E_PASS, W_ASKED, W_ASKED},
    {E_READ, W_ASKED, W_ASKED}, /* these wait */
    {E_TAKE, W_ASKED, W_ASKED},
    {E_RECALL, W_ASKED, W_ASKED},
    {E_FILL, W_ASKED, W_ASKED},
    {E_DATA, W_ASKED, W_ASKED}, /* a copy that a load had asked for */
    {E_START, W_COPY, W_NONE},
    {E_START, W_OWN, W_OWN},
};
static const struct transition owner_table[] = {
    {H_READ, O_SLICE, O_SLICE},     {H_READ, O_OTHERS, O_OTHERS},
    {H_OWN, O_SLICE, O_ITS},        {H_OWN, O_ITS, O_ITS}, /* begun before, for want of room in the outbox */
    {H_GET, O_SLICE, O_ITS},        {H_GET, O_OTHERS, O_ITS},
    {H_OWN, O_OTHERS, O_ITS},       {H_WRITEBACK, O_SLICE, O_SLICE},   /* called back meanwhile */
    {H_WRITEBACK, O_ITS, O_SLICE},  {H_WRITEBACK, O_OTHERS, O_OTHERS}, /* taken meanwhile */
    {H_ATOMIC, O_SLICE, O_SLICE},   {H_ANSWER, O_ITS, O_SLICE},
    {H_ANSWER, O_OTHERS, O_OTHERS}, {H_VICTIM, O_SLICE, O_SLICE},
};
/* Right, but too seldom for a short run to be sure of. */
static const struct transition seldom_table[] = {
    {E_TAKE, W_OWN, W_OWN},   {E_RECALL, W_OWN, W_OWN},
    {E_PASS, W_OWN, W_OWN},   /* these wait behind a question about other words of the line */
    {E_PASS, W_NEW, W_NEW},   /* from what it had written back before */
    {E_DATA, W_OWN, W_OWN},   /* stored and registered meanwhile */
    {E_DATA, W_COPY, W_COPY}, /* came with another answer meanwhile */
    {E_READ, W_COPY, W_COPY}, /* written back, and read again before the question came */
};

static bool has(const struct transition *t, u32 n, u32 event, u32 from, u32 to)
{
	for (u32 i = 0; i < n; i++)
		if (t[i].event == event && t[i].from == from && t[i].to == to)
			return true;
	return false;
}

/* One line of the report. False: seen and not in the rule, or in the rule and not seen. */
static bool report(const char *where, const char *event, const char *from, const char *to, u64 seen, bool known,
                   bool seldom)
{
	if (known || seldom || seen)
		print_message("  %-6s %-18s %-9s -> %-9s %12llu%s\n", where, event, from, to, (unsigned long long)seen,
		              !known && !seldom ? "  not in the rule"
		              : known && !seen  ? "  never seen"
		                                : "");
	return seen ? known || seldom : !known;
}

/* Prints what was seen. True: every line of both tables, and nothing else. */
static bool transitions_as_in_tables(void)
{
	bool ok = true;
	for (u32 e = 0; e < E_EVENTS; e++)
		for (u32 a = 0; a < W_STATES; a++)
			for (u32 b = 0; b < W_STATES; b++)
				ok &= report("L1D", word_events[e], word_states[a], word_states[b], word_moves[e][a][b],
				             has(word_table, ARRAY_LEN(word_table), e, a, b),
				             has(seldom_table, ARRAY_LEN(seldom_table), e, a, b));
	for (u32 e = 0; e < H_EVENTS; e++)
		for (u32 a = 0; a < O_STATES; a++)
			for (u32 b = 0; b < O_STATES; b++)
				ok &= report("slice", owner_events[e], owner_states[a], owner_states[b], owner_moves[e][a][b],
				             has(owner_table, ARRAY_LEN(owner_table), e, a, b), false);
	return ok;
}
#endif
