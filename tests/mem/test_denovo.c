/* coherence=denovo. Small cases by hand; then random programs without data races on random machines, with values: what
 * a load returns is what the program's order says, whatever is on its way. The model of values lives here: it follows
 * what the rule does through the rule's and the network's own interfaces. */
#include <stdio.h>

#include "tests/rig/denovo_rig.h"
#include "tests/rig/denovo_transitions.h"
#include "mem/noc/network.h"

static const struct coherence_ops *denovo;
static const struct network_ops *network;

static void masks(void **state)
{
	for (u32 s = 0; s < 16; s++) {
		u32 words = 0;
		for (u32 w = 0; w < 32; w++)
			words |= s >> w / 8 & 1 ? 1u << w : 0;
		assert_int_equal(words_in((u8)s), words);
		assert_int_equal(sectors_with(words), s);
		assert_int_equal(sectors_full_of(words), s);
		assert_int_equal(sectors_full_of(words & 0x7f7f7f7f), 0);
	}
	for (u32 w = 0; w < 32; w++) {
		assert_int_equal(sectors_with(1u << w), 1u << w / 8);
		assert_int_equal(sectors_full_of(~(1u << w)), 15u & ~(1u << w / 8));
	}
}

/* What an SM has written stays in its L1D over the start of a kernel; what it has only read does not. */
static void owned_words_survive(void **state)
{
	DENOVO(r);
	assert_int_equal(quiet_access(&r, 0, MO_STORE, BASE, 0xff), MR_SENT);
	assert_int_equal(quiet_access(&r, 0, MO_LOAD, BASE + 256, 0xff), MR_PENDING);
	start_kernel(&r);
	assert_int_equal(quiet_access(&r, 0, MO_LOAD, BASE, 0xff), MR_HIT);
	assert_int_equal(quiet_access(&r, 0, MO_STORE, BASE, 0xff), MR_HIT);
	assert_int_equal(quiet_access(&r, 0, MO_LOAD_VOLATILE, BASE, 0xff), MR_HIT);
	assert_int_equal(quiet_access(&r, 0, MO_LOAD, BASE + 256, 0xff), MR_PENDING);
	assert_int_equal(quiet_access(&r, 0, MO_LOAD, BASE, 0x1ff), MR_PENDING); /* one word more */
	assert_int_equal(quiet_access(&r, 0, MO_STORE, BASE, 0x1ff), MR_SENT);
	rig_stop(&r);
}

/* Another SM's words come from its L1D, which keeps them; who writes them takes them. */
static void words_move(void **state)
{
	DENOVO(r);
	quiet_access(&r, 0, MO_STORE, BASE, 0x00ff);
	quiet_access(&r, 1, MO_STORE, BASE, 0xff00);
	assert_int_equal(l1d(&r, 0)->words_taken, 0); /* two owners of a line */
	assert_int_equal(quiet_access(&r, 2, MO_LOAD, BASE, 0xffff), MR_PENDING);
	assert_int_equal(l1d(&r, 0)->remote_reads, 1);
	assert_int_equal(l1d(&r, 1)->remote_reads, 1);
	assert_int_equal(quiet_access(&r, 2, MO_LOAD, BASE, 0xffff), MR_HIT);
	assert_int_equal(quiet_access(&r, 0, MO_LOAD, BASE, 0x00ff), MR_HIT);
	assert_int_equal(quiet_access(&r, 2, MO_STORE, BASE, 0x000f), MR_SENT);
	assert_int_equal(l1d(&r, 0)->words_taken, 1);
	assert_int_equal(quiet_access(&r, 0, MO_LOAD, BASE, 0x00f0), MR_HIT);
	assert_int_equal(quiet_access(&r, 0, MO_LOAD, BASE, 0x000f), MR_PENDING);
	assert_int_equal(l1d(&r, 2)->remote_reads, 1);
	assert_int_equal(L2(&r, remote_reads), 4); /* SM 1 as well: words of the same sectors */
	rig_stop(&r);
}

/* A cache that is only read gets what L1D has written. */
static void other_caches_see_it(void **state)
{
	DENOVO(r);
	quiet_access(&r, 0, MO_STORE, BASE, 0xff);
	struct mem_txn t = txn(BASE, 0xf);
	assert_int_equal(mem_access(r.m, 1, MC_L1T, MO_LOAD, &t, 1, r.now), MR_PENDING);
	rig_drain(&r);
	rig_check(&r);
	assert_int_equal(L2(&r, words_recalled), 1);
	rig_stop(&r);
}

/* What is owned is written back when its line goes, from L1D or from the slice, which is asked first. */
static void lines_go(void **state)
{
	DENOVO(r, "l1d.sets=1", "l1d.ways=1", "partitions=1", "l2.slices=1", "l2.sets=1", "l2.ways=2");
	quiet_access(&r, 0, MO_STORE, BASE, 0xf);
	assert_int_equal(quiet_access(&r, 0, MO_LOAD, BASE + 128, 0xf), MR_PENDING);
	assert_int_equal(l1d(&r, 0)->writebacks, 1);
	quiet_access(&r, 0, MO_STORE, BASE + 128, 0xf);
	quiet_access(&r, 1, MO_STORE, BASE + 256, 0xf); /* BASE has no owner: it goes first */
	assert_int_equal(L2(&r, words_recalled), 0);
	assert_int_equal(quiet_access(&r, 2, MO_LOAD, BASE + 384, 0xf), MR_PENDING);
	assert_int_equal(L2(&r, words_recalled), 1);
	assert_int_equal(l1d(&r, 0)->words_recalled, 1);
	assert_int_equal(quiet_access(&r, 0, MO_LOAD, BASE + 128, 0xf), MR_PENDING);
	rig_stop(&r);
}

/* A store to words that are owned but not registered yet is complete when they are; its own words are sent. */
static void stores_join(void **state)
{
	DENOVO(r);
	struct mem_reply a;
	assert_int_equal(access_words(&r, 0, MO_STORE, BASE, 0x0f, 1), MR_SENT);
	assert_int_equal(access_words(&r, 0, MO_STORE, BASE, 0x03, 2), MR_SENT);
	assert_int_equal(access_words(&r, 0, MO_STORE, BASE, 0x18, 3), MR_SENT);
	u32 got = 0;
	for (u32 i = 0; i < 1000 && got != 14; i++) {
		rig_step(&r);
		while (mem_pop(r.m, 0, r.now, &a)) {
			if (a.token == 2)
				assert_true(got & 2);
			got |= 1u << a.token;
		}
	}
	assert_int_equal(got, 14);
	assert_int_equal(quiet_access(&r, 0, MO_STORE, BASE, 0x1f), MR_HIT);
	rig_stop(&r);
}

/* A store is complete when the owner before has given the words up, however far away it is. */
static void a_store_waits_for_the_owner(void **state)
{
	RIG(r, "coherence=denovo", "num_sms=16", "network=mesh", "noc.router_latency=20");
	struct mem_reply a;
	for (u32 n = 0; n < 32; n++) {
		u64 addr = BASE + n * 4096ull;
		const struct l1 *l = &r.m->l1[15 * MC_COUNT + MC_L1D];
		quiet_access(&r, 15, MO_STORE, addr, 0xff);
		assert_int_equal(access_words(&r, 0, MO_STORE, addr, 0x0f, 1), MR_SENT);
		while (!mem_pop(r.m, 0, r.now, &a))
			rig_step(&r);
		assert_int_equal(words_of(l, tags_find(&l->tags, tags_set(&l->tags, addr >> 7), addr))->owned, 0xf0);
		rig_drain(&r);
	}
	rig_stop(&r);
}

/* A load's answer is on its way with a word that is stored and given up meanwhile: no load joins it for that word, and
 * the word is not kept. */
static void answers_of_yesterday(void **state)
{
	DENOVO(r, "dram_clock=20");
	struct l1 *l = &r.m->l1[MC_L1D];
	assert_int_equal(access_words(&r, 0, MO_LOAD, BASE, 0x1, 1), MR_PENDING); /* its sector's words come along */
	assert_int_equal(access_words(&r, 0, MO_STORE, BASE, 0x2, 2), MR_SENT);
	u32 i = tags_find(&l->tags, tags_set(&l->tags, BASE >> 7), BASE);
	for (u32 k = 0; words_of(l, i)->unacked && k < 700; k++)
		rig_step(&r);
	assert_int_equal(words_of(l, i)->owned, 0x2);
	assert_int_equal(access_words(&r, 1, MO_STORE, BASE, 0x2, 3), MR_SENT);
	for (u32 k = 0; words_of(l, i)->owned && k < 700; k++)
		rig_step(&r);
	assert_int_equal(words_of(l, i)->stale, 0x2);
	assert_int_equal(access_words(&r, 0, MO_LOAD, BASE, 0x4, 4), MR_PENDING);
	assert_int_equal(access_words(&r, 0, MO_LOAD, BASE, 0x2, 5), MR_RF_MERGE);
	rig_drain(&r);
	rig_check(&r);
	assert_int_equal(words_of(l, i)->have, ~0x2u);
	assert_int_equal(words_of(l, i)->stale, 0);
	assert_int_equal(quiet_access(&r, 0, MO_LOAD, BASE, 0x4), MR_HIT);
	assert_int_equal(quiet_access(&r, 0, MO_LOAD, BASE, 0x2), MR_PENDING);
	rig_stop(&r);
}

/* Each load that passes L1D asks for itself. */
static void fresh_loads_do_not_join(void **state)
{
	DENOVO(r);
	assert_int_equal(access_words(&r, 0, MO_LOAD_VOLATILE, BASE, 0x1, 1), MR_PENDING);
	assert_int_equal(access_words(&r, 0, MO_LOAD_VOLATILE, BASE, 0x1, 2), MR_PENDING);
	rig_drain(&r);
	rig_check(&r);
	assert_int_equal(l1d(&r, 0)->bypasses, 2);
	assert_int_equal(l1d(&r, 0)->merges, 0);
	rig_stop(&r);
}

static void refused_machines(void **state)
{
	static const char *const wrong[][2] = {{"l2.line=256", "l1d.line"},
	                                       {"noc.message_queue=1", "noc.message_queue"},
	                                       {"num_sms=256", "num_sms"},
	                                       {"noc.switch=islip", "noc.switch"}};
	for (u32 i = 0; i < ARRAY_LEN(wrong); i++) {
		struct conf c;
		struct err e = {0};
		conf_defaults(&c);
		assert_true(conf_set_pair(&c, "coherence=denovo", &e) && conf_set_pair(&c, wrong[i][0], &e));
		assert_false(conf_check(&c, &e));
		if (!strstr(e.msg, wrong[i][1]) || !strstr(e.msg, "denovo"))
			fail_msg("%s: %s", wrong[i][0], e.msg);
	}
}

/* --- values ------------------------------------------------------------------------------------------------------- */
#define SMS 4
#define LINES 24
#define RACY 4 /* lines that everybody writes at any time: nothing is said of their values */
#define TOKENS 24
#define PACKETS 65536
#define FLIGHTS 8192

/* What the runs have to come by. */
#define COVERED(X)                                                                                                     \
	X(LOAD_HIT), X(LOAD_OWN), X(LOAD_PART), X(FRESH), X(STORE_NEW), X(STORE_OWNED), X(STORE_OVER_COPY),                \
	    X(STORE_JOINED), X(ATOMIC_GIVES), X(ATOMIC_HIT), X(REMOTE), X(REMOTE_FROM_WRITEBACK), X(TAKEN), X(TAKEN_GONE), \
	    X(KEPT_UNACKED), X(RECALLED), X(RECALLED_GONE), X(WRITEBACK), X(WRITEBACK_STALE), X(HOME_WAITS),               \
	    X(VICTIM_RECALLED), X(SURVIVED), X(ATOMIC_ASKS), X(ATOMIC_ASKS_PART), X(ATOMIC_JOINS), X(ATOMIC_OVER_COPY),    \
	    X(ATOMIC_OVER_LOAD), X(FRESH_WAITS_FOR_ATOMIC), X(PASSED), X(PASSED_FROM_WRITEBACK), X(QUESTION_WAITS),        \
	    X(GOT_AND_PASSED), X(SLICE_SENDS)
#define X(n) n
enum covered { COVERED(X), COVERED_COUNT };
#undef X
#define X(n) #n
static const char *const covered_names[] = {COVERED(X)};
#undef X
static u64 covered[COVERED_COUNT];

struct values { /* values on their way: written back, or in a message */
	u64 line, value[32];
	u32 from, to, tag, words;
	bool used, message, served;
};
struct load {
	u32 words, line, mshr, had;
	u64 value[32]; /* what it had there; of a store what it stores */
	u64 least[32]; /* what had to be seen when it was issued */
	u32 left;      /* of an atomic: words that it waits for in L1D */
	bool used, store, fresh, atomic;
};
static struct {
	struct rig r;
	u64 latest[LINES][32], home[LINES][32], copy[SMS][LINES][32], packet[PACKETS][32], mshr[SMS][1024][32];
	struct values flight[FLIGHTS];
	u32 first, last; /* of flight: in order */
	struct load load[SMS][TOKENS];
	u32 atomics[SMS][LINES];  /* in flight */
	u64 seen[SMS][LINES][32]; /* what loads past L1D have shown an SM */
	u64 done[LINES][32];      /* the latest of what is acknowledged: who reads past L1D after that sees it */
	u64 writer[LINES][32];    /* in this phase: SM + 1, 0: nobody */
	u32 unsaved[LINES];       /* words that the slice has and memory has not */
	bool atomic[LINES];       /* in this phase its words see atomics only */
	u32 atomic_waits;         /* words that the last atomic waits for in L1D */
} w;

static u32 line_of(u64 addr)
{
	return (u32)((addr - BASE) / 128);
}
static struct words *words_at(u32 sm, u64 line)
{
	static struct words none;
	struct l1 *l = &w.r.m->l1[sm * MC_COUNT + MC_L1D];
	u32 i = tags_find(&l->tags, tags_set(&l->tags, line >> 7), line);
	none = (struct words){0};
	return i == TAGS_NONE ? &none : words_of(l, i);
}
static struct values *send_values(bool is_message, u32 from, u32 to, u32 tag, u64 line, u32 words)
{
	while (w.first < w.last && !w.flight[w.first % FLIGHTS].used)
		w.first++;
	assert_true(w.last - w.first < FLIGHTS);
	struct values *f = &w.flight[w.last++ % FLIGHTS];
	*f = (struct values){line, {0}, from, to, tag, words, true, is_message, false};
	return f;
}
static struct values *find_values(bool is_message, bool served, u32 from, u32 to, u32 tag, u64 line)
{
	for (u32 k = w.first; k < w.last; k++) {
		struct values *f = &w.flight[k % FLIGHTS];
		if (f->used && f->message == is_message && f->served == served && f->from == from && f->line == line &&
		    (!is_message || (f->to == to && f->tag == tag)))
			return f;
	}
	return NULL;
}
/* What an owner has of a word: in its L1D, where it had these, or in what it has written back last. */
static u64 owners_value(u32 sm, u64 line, u32 word, u32 had, bool *from_back)
{
	if (had >> word & 1)
		return w.copy[sm][line_of(line)][word];
	for (u32 k = w.last; k-- > w.first;) {
		const struct values *f = &w.flight[k % FLIGHTS];
		if (f->used && !f->message && f->from == sm && f->line == line && (f->words >> word & 1)) {
			*from_back = true;
			return f->value[word];
		}
	}
	fail_msg("SM %u is asked for word %u of line %u, which it has not got", sm, word, line_of(line));
	return 0;
}

static enum mem_result my_store(const struct access *a)
{
	struct words before = *words_at(a->sm, a->line);
	enum mem_result r = denovo->store(a);
	if (r != MR_HIT && r != MR_SENT)
		return r;
	u32 words = a->t->words;
	word_event(E_STORE, &before, words_at(a->sm, a->line), words);
	FOR_EACH_BIT(k, (u64)words)
	w.copy[a->sm][line_of(a->line)][k] = ++w.latest[line_of(a->line)][k];
	covered[STORE_OWNED] += r == MR_HIT;
	covered[STORE_NEW] += (words & ~before.have) != 0;
	covered[STORE_OVER_COPY] += (words & before.have & ~before.owned) != 0;
	covered[STORE_JOINED] += (words & before.unacked) != 0;
	return r;
}
static u32 my_gone(const struct access *a, u32 i)
{
	u64 line = a->l->tags.tag[i] - 1;
	const struct words before = *words_at(a->sm, line), none = {0};
	u32 sm = a->sm, words = denovo->gone(a, i);
	word_event(E_GONE, &before, &none, before.have);
	if (words)
		memcpy(send_values(false, sm, 0, 0, line, words)->value, w.copy[sm][line_of(line)], sizeof w.copy[0][0]);
	return words;
}
/* L1D executes an atomic on words that it has now. */
static void execute(u32 sm, u32 line, u32 words)
{
	FOR_EACH_BIT(k, (u64)words)
	{
		if (line >= RACY && w.copy[sm][line][k] != w.latest[line][k])
			fail_msg("cycle %llu, SM %u: an atomic on word %u of line %u finds %llu, not %llu",
			         (unsigned long long)w.r.now, sm, k, line, (unsigned long long)w.copy[sm][line][k],
			         (unsigned long long)w.latest[line][k]);
		w.copy[sm][line][k] = ++w.latest[line][k];
	}
}
static enum mem_result my_atomic(const struct access *a)
{
	const struct words before = *words_at(a->sm, a->line);
	const bool here = w.r.c.denovo_atomics == DENOVO_ATOMICS_L1;
	const u32 words = a->t->words, owned = before.owned & words, line = line_of(a->line);
	enum mem_result r = denovo->atomic(a);
	if (r >= MR_RF_LINE)
		return r;
	word_event(r == MR_HIT ? E_ATOMIC_HIT : here ? E_ASK : E_ATOMIC, &before, words_at(a->sm, a->line), words);
	covered[ATOMIC_HIT] += r == MR_HIT;
	w.atomic_waits = 0;
	if (r == MR_HIT || here)
		execute(a->sm, line, owned);
	if (r == MR_HIT)
		return r;
	if (here) {
		w.atomic_waits = words & ~owned;
		covered[ATOMIC_ASKS] += (words & ~owned & ~before.asked) != 0;
		covered[ATOMIC_ASKS_PART] += owned != 0;
		covered[ATOMIC_JOINS] += (words & before.asked) != 0;
		covered[ATOMIC_OVER_COPY] += (words & before.have & ~owned) != 0;
		covered[ATOMIC_OVER_LOAD] += (words & words_at(a->sm, a->line)->twice & ~before.twice) != 0;
	} else if (owned) {
		covered[ATOMIC_GIVES]++;
		memcpy(send_values(false, a->sm, 0, 0, a->line, owned)->value, w.copy[a->sm][line], sizeof w.copy[0][0]);
	}
	return r;
}
static u32 home_owner(u32 slice, u32 set, u64 line, u32 word)
{
	const struct slice *s = &w.r.m->slice[slice];
	u32 i = tags_find(&s->tags, set, line);
	return i == TAGS_NONE ? 0 : home_of(s, i)->owner[word];
}
static void owners_of(u32 slice, u32 set, u64 line, u8 *owner)
{
	for (u32 k = 0; k < 32; k++)
		owner[k] = (u8)home_owner(slice, set, line, k);
}
static void to_home(u32 slice, u32 set, u64 line, u32 sm, struct values *f, u32 words, const u8 *owner)
{
	u32 its = 0;
	FOR_EACH_BIT(k, (u64)words)
	if (owner[k] == sm + 1) {
		w.home[line_of(line)][k] = f->value[k];
		its |= 1u << k;
	}
	w.unsaved[line_of(line)] |= its;
	covered[WRITEBACK] += !f->message && its;
	covered[WRITEBACK_STALE] += !f->message && (words & ~its);
	f->served = true;
}
static enum mem_result my_serve(struct mem *m, u32 slice, u32 pi, u64 now, bool *done)
{
	const struct packet p = m->packet[pi];
	u8 owner[32], after[32];
	owners_of(slice, p.set, p.addr, owner);
	u64 recalls = m->slice[slice].cc->words_recalled;
	enum mem_result r = denovo->serve(m, slice, pi, now, done);
	const struct slice *s = &m->slice[slice];
	u32 i = tags_find(&s->tags, p.set, p.addr);
	covered[HOME_WAITS] += r == MR_RF_LINE && i != TAGS_NONE && home_of(s, i)->awaited;
	covered[VICTIM_RECALLED] += p.op == OP_OWN && s->cc->words_recalled != recalls;
	owners_of(slice, p.set, p.addr, after);
	if (r == MR_HIT && p.op == OP_GET)
		owner_event(H_GET, p.sm, owner, after, p.words & ~m->packet[pi].words);
	else if (r == MR_HIT)
		owner_event(p.op == OP_WRITEBACK                  ? H_WRITEBACK
		            : p.op == OP_OWN                      ? H_OWN
		            : p.op == MO_ATOMIC || p.op == MO_RED ? H_ATOMIC
		                                                  : H_READ,
		            p.sm, owner, after, p.words);
	if (r == MR_HIT && *done && p.op == OP_WRITEBACK) {
		struct values *f = find_values(false, false, p.sm, 0, 0, p.addr);
		assert_non_null(f);
		to_home(slice, p.set, p.addr, p.sm, f, p.words, owner);
	}
	return r;
}
static void my_served(struct mem *m, u32 slice, u32 pi)
{
	const struct packet p = m->packet[pi];
	u8 owner[32], after[32];
	covered[SLICE_SENDS]++;
	owners_of(slice, p.set, p.addr, owner);
	denovo->served(m, slice, pi);
	owners_of(slice, p.set, p.addr, after);
	owner_event(H_GET, p.sm, owner, after, p.words);
}
/* A line of the slice goes: is what memory has not written to it? */
static u32 my_victim(struct mem *m, u32 slice, u32 set, u32 i, u64 now)
{
	const struct tags *t = &m->slice[slice].tags;
	u32 at = denovo->victim(m, slice, set, i, now);
	if (at == TAGS_NONE || !t->tag[at])
		return at;
	const u8 none[32] = {0};
	owner_event(H_VICTIM, 0, home_of(&m->slice[slice], at)->owner, none, ~0u);
	u32 line = line_of(t->tag[at] - 1), lost = sectors_with(w.unsaved[line]) & ~(u32)t->line[at].dirty;
	if (lost)
		fail_msg("cycle %llu: sectors %#x of line %u are lost", (unsigned long long)now, lost, line);
	w.unsaved[line] = 0;
	return at;
}
/* A write-back that is acknowledged lies in no buffer any more. */
static void my_arrive(struct mem *m, u32 pi, u64 now)
{
	const struct packet *p = &m->packet[pi];
	if (p->op == OP_WRITEBACK)
		find_values(false, true, p->sm, 0, 0, p->addr)->used = false;
	network->arrive(m, pi, now);
}
/* A slice answers: with what it has now. */
static void my_reply(struct mem *m, u32 slice, u32 pi, u64 now)
{
	const struct packet *p = &m->packet[pi];
	u32 line = line_of(p->addr);
	assert_true(pi < PACKETS);
	if (p->words)
		memcpy(w.packet[pi], w.home[line], sizeof w.home[0]);
	if (p->op == MO_ATOMIC || p->op == MO_RED)
		FOR_EACH_BIT(k, (u64)p->words)
		{
			if (line >= RACY && w.home[line][k] != w.latest[line][k])
				fail_msg("an atomic on word %u of line %u finds %llu, not %llu", k, line,
				         (unsigned long long)w.home[line][k], (unsigned long long)w.latest[line][k]);
			w.home[line][k] = ++w.latest[line][k];
			w.unsaved[line] |= 1u << k;
		}
	network->reply(m, slice, pi, now);
}
static void arrived(u32 sm, u32 mshr, u64 line, u32 words, u32 before, const u64 *value)
{
	u32 fresh = words_at(sm, line)->have & ~before;
	FOR_EACH_BIT(k, (u64)words)
	w.mshr[sm][mshr][k] = value[k];
	FOR_EACH_BIT(k, (u64)fresh)
	w.copy[sm][line_of(line)][k] = value[k];
}
/* Words have come that atomics had asked for: these are executed, and loads that wait see what they leave. */
static void got(u32 sm, u32 mshr, u64 line, u32 words, const u64 *value)
{
	u32 n = line_of(line);
	FOR_EACH_BIT(k, (u64)words)
	w.copy[sm][n][k] = value[k];
	for (u32 t = 0; t < TOKENS; t++) {
		struct load *x = &w.load[sm][t];
		if (!x->used || !x->atomic || x->line != n)
			continue;
		execute(sm, n, x->left & words);
		x->left &= ~words;
	}
	FOR_EACH_BIT(k, (u64)words)
	w.mshr[sm][mshr][k] = w.copy[sm][n][k];
}
/* What an SM has answered since its outbox held n messages, and with what. It had these words of its own. */
static void answers_leave(u32 sm, u32 n, u32 had)
{
	const struct endpoint *p = &w.r.m->endpoint[sm];
	for (; n < p->out.n; n++) {
		const u32 size = w.r.c.noc_messages;
		const struct message *x = &w.r.m->outbox[(size_t)sm * size + fifo_at(&p->out, size, n)].msg;
		bool back = false;
		if (x->what != DN_DATA && x->what != DN_BACK && x->what != DN_PASSED)
			continue;
		struct values *f = send_values(true, sm, x->to, x->tag, x->addr, x->words);
		FOR_EACH_BIT(k, (u64)x->words)
		f->value[k] = owners_value(sm, x->addr, k, had, &back);
		covered[REMOTE] += x->what == DN_DATA && !back;
		covered[REMOTE_FROM_WRITEBACK] += x->what == DN_DATA && back;
		covered[RECALLED] += x->what == DN_BACK && !back;
		covered[RECALLED_GONE] += x->what == DN_BACK && back;
		covered[PASSED] += x->what == DN_PASSED && !back;
		covered[PASSED_FROM_WRITEBACK] += x->what == DN_PASSED && back;
	}
}
static void my_deliver(struct mem *m, u32 pi, u64 now)
{
	const struct packet p = m->packet[pi];
	const struct words before = *words_at(p.sm, p.addr);
	const u32 out = m->endpoint[p.sm].out.n;
	const bool get = p.op == OP_GET;
	denovo->deliver(m, pi, now);
	word_event(get ? E_GOT : E_FILL, &before, words_at(p.sm, p.addr), p.words);
	if (get)
		got(p.sm, p.tag, p.addr, p.words, w.packet[pi]);
	else
		arrived(p.sm, p.tag, p.addr, p.words, before.have, w.packet[pi]);
	answers_leave(p.sm, out, before.owned | (get ? p.words : 0));
}
/* A message that a slice got. */
static bool slice_told(struct mem *m, const struct message *g, u64 now)
{
	struct mem_place at = map_place(&m->map, g->addr);
	const struct message copy = *g;
	u32 slice = g->to - m->nsms, set = tags_set(&m->slice[slice].tags, map_slice_line(&m->map, &at, g->addr));
	u8 owner[32], after[32];
	owners_of(slice, set, g->addr, owner);
	if (g->what == DN_BACK) {
		struct values *f = find_values(true, false, g->from, g->to, g->tag, g->addr);
		assert_non_null(f);
		to_home(slice, set, g->addr, g->from, f, g->words, owner);
		f->used = false;
	}
	bool taken = denovo->message(m, g, now);
	owners_of(slice, set, copy.addr, after);
	owner_event(H_ANSWER, copy.from, owner, after, copy.words);
	return taken;
}
static bool my_message(struct mem *m, const struct message *g, u64 now)
{
	static const u8 events[] = {[DN_READ] = E_READ, [DN_TAKE] = E_TAKE, [DN_RECALL] = E_RECALL, [DN_PASS] = E_PASS,
	                            [DN_DATA] = E_DATA, [DN_ACK] = E_ACK,   [DN_PASSED] = E_GOT};
	if (g->to >= m->nsms)
		return slice_told(m, g, now);
	const struct message x = *g;
	const struct words was = *words_at(x.to, x.addr);
	const u32 out = m->endpoint[x.to].out.n;
	const bool gives = x.what == DN_TAKE || x.what == DN_RECALL || x.what == DN_PASS;
	struct values *f = NULL;
	covered[KEPT_UNACKED] += gives && (was.unacked & was.owned & x.words);
	covered[TAKEN] += x.what == DN_TAKE && (was.owned & ~was.unacked & x.words);
	covered[TAKEN_GONE] += x.what == DN_TAKE && (x.words & ~was.owned & ~was.asked);
	covered[QUESTION_WAITS] += (gives || x.what == DN_READ) && (x.words & was.asked);
	if (x.what == DN_DATA || x.what == DN_PASSED) {
		f = find_values(true, false, x.from, x.to, x.tag, x.addr);
		assert_non_null(f);
	}
	if (x.what == DN_DONE)
		find_values(false, true, x.to, 0, 0, x.addr)->used = false;
	bool taken = denovo->message(m, g, now);
	if (x.what != DN_DONE)
		word_event(events[x.what], &was, words_at(x.to, x.addr), x.words);
	if (x.what == DN_DATA)
		arrived(x.to, x.tag, x.addr, x.words, was.have, f->value);
	if (x.what == DN_PASSED)
		got(x.to, x.tag, x.addr, x.words, f->value);
	if (f)
		f->used = false;
	answers_leave(x.to, out, was.owned | (x.what == DN_PASSED ? x.words : 0));
	covered[GOT_AND_PASSED] += x.what == DN_PASSED && (x.words & ~words_at(x.to, x.addr)->owned);
	return taken;
}

static void follow(void)
{
	static struct coherence_ops rule;
	static struct network_ops net;
	denovo = w.r.m->rule;
	network = w.r.m->net;
	rule = *denovo;
	net = *network;
	rule.store = my_store;
	rule.gone = my_gone;
	rule.atomic = my_atomic;
	rule.serve = my_serve;
	rule.served = my_served;
	rule.victim = my_victim;
	rule.deliver = my_deliver;
	rule.message = my_message;
	net.reply = my_reply;
	net.arrive = my_arrive;
	mem_use_coherence(w.r.m, &rule.policy);
	mem_use_network(w.r.m, &net.policy);
}

/* --- a random program --------------------------------------------------------------------------------------------- */
static u64 rng;
static u32 pick(u32 n)
{
	return (u32)(rng_next(&rng) % n);
}

static void set(const char *key, u32 value)
{
	char pair[64];
	struct err e = {0};
	snprintf(pair, sizeof pair, "%s=%u", key, value);
	if (!conf_set_pair(&w.r.c, pair, &e))
		fail_msg("%s", e.msg);
}

static void random_machine(void)
{
	struct err e = {0};
	size_t bytes;
	memset(&w, 0, sizeof w);
	conf_defaults(&w.r.c);
	assert_true(conf_set_pair(&w.r.c, "coherence=denovo", &e));
	assert_true(!pick(2) || conf_set_pair(&w.r.c, "network=mesh", &e));
	assert_true(pick(3) || conf_set_pair(&w.r.c, "denovo.atomics=l2", &e));
	set("num_sms", 2 + pick(SMS - 1));
	set("partitions", 1 + pick(3));
	set("l2.slices", 1 + pick(2));
	set("l1d.sets", 1u << pick(3));
	set("l1d.ways", 1 + pick(4));
	set("l2.sets", 1u << pick(3));
	set("l2.ways", 2 + pick(6));
	set("l1d.mshrs", 1 + pick(8));
	set("l1d.merges", 1 + pick(4));
	set("l1d.miss_queue", 1 + pick(8));
	set("l1d.stores", 1 + pick(8));
	set("l2.mshrs", 1 + pick(8));
	set("l2.latency", 1 + pick(60));
	set("noc.latency", 1 + pick(20));
	set("noc.message_queue", 2 + pick(6));
	set("noc.router_latency", 1 + pick(8));
	set("mem.miss_causes", pick(2));
	w.r.c.coalesce = pick(2) ? COALESCE_SECTOR32 : COALESCE_LINE128;
	if (!conf_check(&w.r.c, &e) || !mem_state_bytes(&w.r.c, &bytes, &e) || !arena_init(&w.r.a, bytes, &e))
		fail_msg("%s", e.msg);
	w.r.m = mem_create(&w.r.c, &w.r.a, NULL, NULL, &e);
	assert_non_null(w.r.m);
	follow();
}

static void new_phase(void)
{
	u32 grain = 1u << pick(6), sms = w.r.c.num_sms;
	for (u32 n = 0; n < LINES; n++) {
		w.atomic[n] = n >= RACY && !pick(6);
		for (u32 k = 0; k < 32; k++)
			w.writer[n][k] = k % grain ? w.writer[n][k - 1] : pick(sms + 1);
	}
	static struct words before[SMS][LINES];
	memcpy(w.done, w.latest, sizeof w.done);
	for (u32 sm = 0; sm < sms; sm++)
		for (u32 n = 0; n < LINES; n++)
			before[sm][n] = *words_at(sm, BASE + n * 128);
	start_kernel(&w.r);
	for (u32 sm = 0; sm < sms; sm++)
		for (u32 n = 0; n < LINES; n++) {
			const struct words *after = words_at(sm, BASE + n * 128);
			word_event(E_START, &before[sm][n], after, before[sm][n].have);
			covered[SURVIVED] += after->owned != 0;
		}
}

/* A load sees at least what had to be seen when it was issued. Newer is right as well: what its own SM has stored since
 * may come by before the slice has its answer together. */
static void compare(u32 sm, u32 line, u32 word, u64 got, u64 least, const char *what)
{
	if (line >= RACY && (got < least || got > w.latest[line][word]))
		fail_msg("cycle %llu, SM %u, word %u of line %u: %s gives %llu, not %llu to %llu", (unsigned long long)w.r.now,
		         sm, word, line, what, (unsigned long long)got, (unsigned long long)least,
		         (unsigned long long)w.latest[line][word]);
}

static void answer(u32 sm, u32 token)
{
	struct load *x = &w.load[sm][token];
	assert_true(x->used);
	x->used = false;
	w.atomics[sm][x->line] -= x->atomic;
	if (x->store) {
		FOR_EACH_BIT(k, x->atomic ? 0 : (u64)x->words)
		w.done[x->line][k] = MAX(w.done[x->line][k], x->value[k]);
		return;
	}
	FOR_EACH_BIT(k, (u64)x->words)
	{
		u64 got = x->had >> k & 1 ? x->value[k] : w.mshr[sm][x->mshr][k];
		compare(sm, x->line, k, got, x->least[k], x->fresh ? "a fresh load" : "a load");
		if (x->fresh)
			w.seen[sm][x->line][k] = MAX(w.seen[sm][x->line][k], got);
	}
}

/* The words of a line that an SM may touch in this phase. */
static u32 allowed(u32 sm, u32 line, bool write)
{
	u32 words = 0;
	for (u32 k = 0; k < 32; k++)
		words |= w.writer[line][k] == sm + 1 || (!write && !w.writer[line][k]) ? 1u << k : 0;
	return line < RACY ? ALL : words;
}

/* What a load must see: the latest of what nobody else writes in this phase; else with one that passes L1D what is
 * acknowledged, with another one what the SM has seen before. */
static u64 least_of(u32 sm, u32 line, u32 word, bool fresh)
{
	if (w.writer[line][word] == sm + 1 || !w.writer[line][word])
		return w.latest[line][word];
	return fresh ? w.done[line][word] : w.seen[sm][line][word];
}

static void random_access(u32 sm)
{
	static const enum mem_op kinds[] = {MO_LOAD,  MO_LOAD,          MO_LOAD,   MO_STORE,
	                                    MO_STORE, MO_LOAD_VOLATILE, MO_ATOMIC, MO_RED};
	u32 token = 0, line = pick(LINES), span = 1 + pick(32), at = pick(32);
	enum mem_op op = kinds[pick(ARRAY_LEN(kinds))];
	bool atomic = op == MO_ATOMIC || op == MO_RED;
	while (token < TOKENS && w.load[sm][token].used)
		token++;
	if (token == TOKENS || (line >= RACY && w.atomic[line] && !atomic))
		return;
	bool alone = line >= RACY && !w.atomic[line]; /* the SM's own words: it waits for its atomics */
	u32 mask = (u32)(bit_range(span) << at);
	bool poll = (op == MO_LOAD_VOLATILE || op == MO_LOAD) && pick(2); /* what others write now */
	u32 words = mask & (poll || (atomic && !alone) ? ALL : allowed(sm, line, op == MO_STORE || atomic));
	if (!words || (alone && w.atomics[sm][line]))
		return;
	u64 addr = BASE + line * 128ull;
	struct words before = *words_at(sm, addr);
	enum mem_result r = access_words(&w.r, sm, op, addr, words, token);
	bool load = op == MO_LOAD || op == MO_LOAD_VOLATILE, fresh = op == MO_LOAD_VOLATILE;
	if (r >= MR_RF_LINE)
		return;
	if (r == MR_HIT && (op == MO_STORE || atomic))
		FOR_EACH_BIT(k, (u64)words)
	w.done[line][k] = w.latest[line][k];
	if (r == MR_HIT && load) {
		covered[LOAD_HIT]++;
		covered[LOAD_OWN] += (before.owned & words) != 0;
		FOR_EACH_BIT(k, (u64)words)
		compare(sm, line, k, w.copy[sm][line][k], least_of(sm, line, k, fresh), "a hit");
	}
	if (r == MR_HIT)
		return;
	const struct l1 *l = &w.r.m->l1[sm * MC_COUNT + MC_L1D];
	struct load *x = &w.load[sm][token];
	*x = (struct load){.words = words, .line = line, .used = true, .store = !load, .fresh = fresh};
	x->atomic = atomic;
	x->left = atomic ? w.atomic_waits : 0;
	w.atomics[sm][line] += atomic;
	if (!load) {
		memcpy(x->value, w.latest[line], sizeof x->value);
		return;
	}
	for (u32 k = 0; k < 32; k++)
		x->least[k] = least_of(sm, line, k, fresh);
	x->had = words & (fresh ? before.owned : before.have);
	covered[LOAD_PART] += x->had != 0;
	covered[FRESH] += fresh;
	memcpy(x->value, w.copy[sm][line], sizeof x->value);
	bool joins = words & ~x->had & before.asked;
	covered[FRESH_WAITS_FOR_ATOMIC] += fresh && joins;
	if (!fresh || joins)
		x->mshr = l->tags.line[tags_find(&l->tags, tags_set(&l->tags, addr >> 7), addr)].mshr;
	for (u32 k = 0; fresh && !joins && k < l->mshr.size; k++) { /* one of its own, of this cycle */
		const struct mshr_entry *e = &l->mshr.e[k];
		if (e->used && e->slot == TAGS_NONE && e->line == addr && e->since == w.r.now)
			x->mshr = k;
	}
}

/* One cycle. Is anything waited for? */
static bool cycle(bool issue)
{
	struct err e = {0};
	struct mem_reply a;
	bool busy = false;
	for (u32 sm = 0; sm < w.r.c.num_sms; sm++) {
		while (mem_pop(w.r.m, sm, w.r.now, &a))
			answer(sm, a.token);
		if (issue && pick(2))
			random_access(sm);
		for (u32 k = 0; k < TOKENS; k++)
			busy |= w.load[sm][k].used;
	}
	rig_step(&w.r);
	if (!mem_check_state(w.r.m, &e))
		fail_msg("cycle %llu: %s", (unsigned long long)w.r.now, e.msg);
	return busy;
}

static void one_machine(u64 seed)
{
	rng = seed;
	random_machine();
	for (u32 phase = 0; phase < 6; phase++) {
		new_phase();
		for (u32 i = 0; i < 250; i++)
			cycle(true);
		bool last = phase == 5; /* else the next kernel starts when everybody has its answers */
		u32 left = 200000;
		while (cycle(false) || (last && !mem_quiet(w.r.m)))
			assert_true(left--);
		if (last)
			rig_check(&w.r);
	}
	rig_stop(&w.r);
}

static void no_stale_read(void **state)
{
	const char *more = getenv("WARPDBG_DENOVO"); /* machines */
	u32 n = more ? (u32)strtoul(more, NULL, 10) : 60;
	for (u32 i = 0; i < n; i++)
		one_machine(1000 + i);
	bool all = true;
	for (u32 i = 0; i < COVERED_COUNT; i++) {
		print_message("%-22s %10llu\n", covered_names[i], (unsigned long long)covered[i]);
		all &= covered[i] != 0;
	}
	assert_true(all);
	assert_true(transitions_as_in_tables());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(masks),
	    cmocka_unit_test(owned_words_survive),
	    cmocka_unit_test(words_move),
	    cmocka_unit_test(other_caches_see_it),
	    cmocka_unit_test(lines_go),
	    cmocka_unit_test(stores_join),
	    cmocka_unit_test(a_store_waits_for_the_owner),
	    cmocka_unit_test(answers_of_yesterday),
	    cmocka_unit_test(fresh_loads_do_not_join),
	    cmocka_unit_test(refused_machines),
	    cmocka_unit_test(no_stale_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
