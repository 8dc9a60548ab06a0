/* coherence=denovo: atomics. L1D registers their words and executes them; SMs that ask for the same words form a queue.
 * With denovo.atomics=l2 the slice executes what L1D does not own. */
#include "tests/rig/denovo_rig.h"

#include "mem/impl.h"

static void check_now(struct rig *r)
{
	struct err e = {0};
	if (!mem_check_state(r->m, &e))
		fail_msg("cycle %llu: %s", (unsigned long long)r->now, e.msg);
}
/* Runs until nothing is on its way, checked every cycle; answers by SM. It ends: who waits forever is found. */
static void run_checked(struct rig *r, u32 *answers)
{
	for (u32 left = 20000; left; left--) {
		struct mem_reply a;
		rig_step(r);
		check_now(r);
		for (u32 sm = 0; sm < r->c.num_sms; sm++)
			while (mem_pop(r->m, sm, r->now, &a))
				answers[sm]++;
		if (mem_quiet(r->m)) {
			rig_check(r);
			return;
		}
	}
	fail_msg("atomics still wait after 20000 cycles");
}
static struct words *words_at(struct rig *r, u32 sm, u64 line)
{
	const struct l1 *l = &r->m->l1[sm * MC_COUNT + MC_L1D];
	u32 i = tags_find(&l->tags, tags_set(&l->tags, line >> l->tags.line_shift), line);
	assert_int_not_equal(i, TAGS_NONE);
	return words_of(l, i);
}
static u32 questions(struct rig *r, u32 sm)
{
	return r->m->denovo->buffer[sm].questions;
}

/* The first one brings the words, later ones hit, over kernels too. What is asked for is words, not their line. */
static void words_come_and_stay(void **state)
{
	DENOVO(r);
	assert_int_equal(quiet_access(&r, 0, MO_ATOMIC, BASE, 0x03), MR_PENDING);
	assert_int_equal(quiet_access(&r, 0, MO_ATOMIC, BASE, 0x03), MR_HIT);
	assert_int_equal(quiet_access(&r, 0, MO_RED, BASE, 0x01), MR_HIT);
	assert_int_equal(quiet_access(&r, 0, MO_LOAD, BASE, 0x03), MR_HIT);
	assert_int_equal(quiet_access(&r, 0, MO_STORE, BASE, 0x03), MR_HIT);
	start_kernel(&r);
	assert_int_equal(quiet_access(&r, 0, MO_ATOMIC, BASE, 0x02), MR_HIT);
	assert_int_equal(quiet_access(&r, 0, MO_RED, BASE, 0x06), MR_SENT); /* word 2 is not here */
	assert_int_equal(quiet_access(&r, 0, MO_RED, BASE, 0x06), MR_HIT);
	const struct cache_counters *c = l1d(&r, 0);
	assert_true(c->atomics == 6 && c->misses == 2 && c->hits == 6 && c->bypasses == 0 && c->reads == 1);
	assert_true(L2(&r, atomics) == 0 && L2(&r, writes) == 2 && L2(&r, reads) == 0);
	assert_int_equal(words_at(&r, 0, BASE)->have, 0x07);
	rig_stop(&r);
}

/* Another SM's atomic takes them away, with their values: no memory, no slice's data. */
static void words_are_passed_on(void **state)
{
	DENOVO(r);
	quiet_access(&r, 0, MO_STORE, BASE, 0x0f);
	assert_int_equal(quiet_access(&r, 1, MO_RED, BASE, 0x03), MR_SENT);
	assert_true(l1d(&r, 0)->words_passed == 1 && L2(&r, words_passed) == 1 && L2(&r, words_recalled) == 0);
	assert_int_equal(quiet_access(&r, 1, MO_ATOMIC, BASE, 0x03), MR_HIT);
	assert_int_equal(words_at(&r, 0, BASE)->owned, 0x0c);
	assert_int_equal(quiet_access(&r, 0, MO_LOAD, BASE, 0x0f), MR_PENDING);
	assert_int_equal(l1d(&r, 1)->remote_reads, 1);
	assert_int_equal(quiet_access(&r, 2, MO_ATOMIC, BASE, 0x1f), MR_PENDING); /* of two owners, and the slice's */
	assert_true(l1d(&r, 0)->words_passed == 2 && l1d(&r, 1)->words_passed == 1);
	assert_int_equal(words_at(&r, 2, BASE)->owned, 0x1f);
	assert_true(L2(&r, remote_requests) == 3 && l1d(&r, 0)->remote_requests == 1 && l1d(&r, 2)->remote_requests == 1);
	rig_stop(&r);
}

/* Words on their way are asked for once. */
static void atomics_join(void **state)
{
	DENOVO(r);
	u32 answers[3] = {0};
	assert_int_equal(access_words(&r, 0, MO_ATOMIC, BASE, 0x3, 1), MR_PENDING);
	assert_int_equal(access_words(&r, 0, MO_RED, BASE, 0x1, 2), MR_SENT);
	assert_int_equal(access_words(&r, 0, MO_ATOMIC, BASE, 0x6, 3), MR_PENDING); /* one word more */
	assert_int_equal(access_words(&r, 0, MO_LOAD_VOLATILE, BASE, 0x5, 4), MR_PENDING);
	assert_int_equal(access_words(&r, 0, MO_LOAD, BASE, 0x2, 5), MR_PENDING);
	assert_int_equal(access_words(&r, 0, MO_STORE, BASE, 0x2, 6), MR_RF_MERGE); /* they came first */
	assert_int_equal(access_words(&r, 0, MO_LOAD_VOLATILE, BASE, 0x9, 7), MR_RF_MERGE);
	run_checked(&r, answers);
	assert_int_equal(answers[0], 5);
	const struct cache_counters *c = l1d(&r, 0);
	assert_true(c->misses == 2 && c->merges == 3 && c->atomics == 3);
	assert_int_equal(mem_noc_counters(r.m)->requests, 2);
	assert_int_equal(quiet_access(&r, 0, MO_STORE, BASE, 0x7), MR_HIT);
	rig_stop(&r);
}

/* Three SMs want the same word at once, again and again: each gets it in turn, from the one before, and waits for
 * nothing else. Nobody but the slice's first answer brings data from there. */
static void a_race(void **state)
{
	RIG(r, "coherence=denovo", "num_sms=3", "network=mesh", "noc.router_latency=9");
	u32 answers[3] = {0}, waited = 0, sent[3] = {0};
	for (u32 t = 0; t < 3000; t++) {
		struct mem_reply a;
		for (u32 sm = 0; sm < 3; sm++) {
			while (mem_pop(r.m, sm, r.now, &a))
				answers[sm]++;
			if (t < 2000 && answers[sm] == sent[sm]) {
				enum mem_result mr = access_words(&r, sm, MO_ATOMIC, BASE, 0x1, 1);
				assert_true(mr == MR_HIT || mr == MR_PENDING);
				sent[sm] += mr == MR_PENDING;
			}
			waited += questions(&r, sm) != 0;
		}
		rig_step(&r);
		check_now(&r);
	}
	rig_drain(&r);
	rig_check(&r);
	for (u32 sm = 0; sm < 3; sm++)
		assert_true(sent[sm] > 5 && answers[sm] == sent[sm]);
	assert_true(waited > 0);
	assert_int_equal(L2(&r, words_passed), sent[0] + sent[1] + sent[2] - 1);
	assert_int_equal(L2(&r, accesses), sent[0] + sent[1] + sent[2]);
	rig_stop(&r);
}

/* Each has a word that the other needs as well. Whoever kept the one until the other has come would wait forever. */
static void each_others_words(void **state)
{
	DENOVO(r);
	u32 answers[3] = {0};
	quiet_access(&r, 0, MO_ATOMIC, BASE, 0x1);
	quiet_access(&r, 1, MO_ATOMIC, BASE, 0x2);
	assert_int_equal(access_words(&r, 0, MO_ATOMIC, BASE, 0x3, 1), MR_PENDING);
	assert_int_equal(access_words(&r, 1, MO_ATOMIC, BASE, 0x3, 1), MR_PENDING);
	run_checked(&r, answers);
	/* The same with a request that joins: SM 0 asks for word 0; SM 1 for both; SM 0 for both. */
	quiet_access(&r, 2, MO_ATOMIC, BASE, 0x3);
	assert_int_equal(access_words(&r, 0, MO_ATOMIC, BASE, 0x1, 1), MR_PENDING);
	for (u32 i = 0; i < 5; i++)
		rig_step(&r);
	assert_int_equal(access_words(&r, 1, MO_ATOMIC, BASE, 0x3, 1), MR_PENDING);
	for (u32 i = 0; i < 5; i++)
		rig_step(&r);
	assert_int_equal(access_words(&r, 0, MO_ATOMIC, BASE, 0x3, 2), MR_PENDING);
	run_checked(&r, answers);
	assert_true(answers[0] == 3 && answers[1] == 2);
	rig_stop(&r);
}

/* A line with words of atomics is written back when it goes. Until its slice has acknowledged that, no atomic asks for
 * words of it again; who asks for them meanwhile gets them from what is on its way. */
static void lines_go(void **state)
{
	DENOVO(r, "l1d.sets=1", "l1d.ways=1");
	u32 answers[3] = {0};
	quiet_access(&r, 0, MO_ATOMIC, BASE, 0x1);
	assert_int_equal(access_words(&r, 0, MO_LOAD, BASE + 4096, 0x1, 1), MR_PENDING);
	assert_int_equal(l1d(&r, 0)->writebacks, 1);
	for (u32 i = 0; i < 8; i++) /* both requests leave the miss queue */
		rig_step(&r);
	assert_int_equal(access_words(&r, 1, MO_ATOMIC, BASE, 0x1, 1), MR_PENDING);
	assert_int_equal(access_words(&r, 0, MO_ATOMIC, BASE, 0x1, 2), MR_RF_QUEUE);
	assert_false(mem_retry_wanted(r.m, 0, MC_L1D));
	run_checked(&r, answers);
	assert_true(mem_retry_wanted(r.m, 0, MC_L1D)); /* the acknowledgement has come */
	assert_int_equal(quiet_access(&r, 0, MO_ATOMIC, BASE, 0x1), MR_PENDING);
	assert_int_equal(l1d(&r, 1)->words_passed, 1);
	rig_stop(&r);
}

/* The owner is asked for words that it has written back: it answers from there, and asks for nothing until then. */
static void passed_from_a_write_back(void **state)
{
	RIG(r, "coherence=denovo", "num_sms=3", "l1d.sets=1", "l1d.ways=1", "noc.latency=60");
	u32 answers[3] = {0};
	bool retried = false;
	quiet_access(&r, 0, MO_ATOMIC, BASE, 0x1);
	assert_int_equal(access_words(&r, 1, MO_ATOMIC, BASE, 0x1, 1), MR_PENDING);
	for (u32 t = 0; t < 2000 && !(retried && mem_quiet(r.m)); t++) {
		struct mem_reply a;
		if (t == 30) /* SM 1's request is under way: the slice passes it on before the write-back has come */
			assert_int_equal(access_words(&r, 0, MO_LOAD, BASE + 4096, 0x1, 1), MR_PENDING);
		if (t > 30 && !retried)
			retried = access_words(&r, 0, MO_ATOMIC, BASE, 0x1, 2) == MR_PENDING;
		rig_step(&r);
		check_now(&r);
		for (u32 sm = 0; sm < 3; sm++)
			while (mem_pop(r.m, sm, r.now, &a))
				answers[sm]++;
	}
	rig_check(&r);
	assert_true(retried && answers[1] == 1 && l1d(&r, 0)->words_passed == 1 && l1d(&r, 1)->words_passed == 1);
	rig_stop(&r);
}

/* The slice calls a word back, for another cache, while the word is on its way to its owner: it comes back when it has
 * been used. A store takes one in the same way. */
static void called_back_on_the_way(void **state)
{
	for (u32 store = 0; store < 2; store++) {
		DENOVO(r, "dram_clock=20");
		u32 answers[3] = {0};
		struct mem_txn t = txn(BASE, 1);
		assert_int_equal(access_words(&r, 0, MO_ATOMIC, BASE, 0x1, 1), MR_PENDING);
		for (u32 i = 0; i < 60; i++)
			rig_step(&r);
		if (store)
			assert_int_equal(access_words(&r, 1, MO_STORE, BASE, 0x1, 1), MR_SENT);
		else
			assert_int_equal(mem_access(r.m, 1, MC_L1T, MO_LOAD, &t, 1, r.now), MR_PENDING);
		for (u32 i = 0; i < 300 && !questions(&r, 0); i++)
			rig_step(&r);
		assert_int_equal(questions(&r, 0), 1);
		assert_int_equal(answers[0], 0);
		run_checked(&r, answers);
		assert_true(answers[0] == 1 && answers[1] == 1);
		assert_int_equal(l1d(&r, 0)->words_recalled, !store);
		assert_int_equal(l1d(&r, 0)->words_taken, store);
		assert_int_equal(quiet_access(&r, 0, MO_ATOMIC, BASE, 0x1), MR_PENDING);
		rig_stop(&r);
	}
}

/* Of several questions about a line the first has to wait; those behind it wait too, in order. */
static void questions_wait_in_order(void **state)
{
	DENOVO(r, "dram_clock=20");
	u32 answers[3] = {0}, most = 0;
	quiet_access(&r, 0, MO_STORE, BASE, 0x2);
	assert_int_equal(access_words(&r, 0, MO_ATOMIC, BASE, 0x100, 1), MR_PENDING); /* from DRAM */
	for (u32 i = 0; i < 60; i++)
		rig_step(&r);
	assert_int_equal(access_words(&r, 1, MO_LOAD_VOLATILE, BASE, 0x102, 1), MR_PENDING);
	for (u32 i = 0; i < 60; i++)
		rig_step(&r);
	assert_int_equal(access_words(&r, 2, MO_ATOMIC, BASE, 0x2, 1),
	                 MR_PENDING); /* SM 0 has it, but is to read it first */
	for (u32 i = 0; i < 400 && most < 2; i++) {
		rig_step(&r);
		most = MAX(most, questions(&r, 0));
	}
	assert_int_equal(most, 2);
	struct mshr_info where;
	assert_int_equal(mem_mshrs(r.m, 2, MC_L1D, &where, 1), 1);
	assert_string_equal(where.where, "waits at its owner");
	assert_int_equal(words_at(&r, 0, BASE)->owned, 0x2);
	run_checked(&r, answers);
	assert_true(answers[0] == 1 && answers[1] == 1 && answers[2] == 1);
	assert_int_equal(words_at(&r, 0, BASE)->owned, 0x100);
	rig_stop(&r);
}

/* A load has asked for the word's line before. Whichever answer comes first, the one that the atomic has asked for
 * counts. */
static void over_a_load(void **state)
{
	for (u32 owner = 0; owner < 2; owner++) {
		DENOVO(r, "dram_clock=20");
		u32 answers[3] = {0};
		if (owner)
			quiet_access(&r, 1, MO_STORE, BASE, 0x1); /* passes the word on before DRAM has sent the others */
		assert_int_equal(access_words(&r, 0, MO_LOAD, BASE, 0x3, 1), MR_PENDING);
		assert_int_equal(access_words(&r, 0, MO_ATOMIC, BASE, 0x1, 2), MR_PENDING);
		assert_int_equal(words_at(&r, 0, BASE)->twice, 0x1);
		run_checked(&r, answers);
		assert_int_equal(answers[0], 2);
		assert_int_equal(words_at(&r, 0, BASE)->owned, 0x1);
		assert_int_equal(quiet_access(&r, 0, MO_ATOMIC, BASE, 0x1), MR_HIT);
		assert_int_equal(quiet_access(&r, 0, MO_LOAD, BASE, 0x3), MR_HIT);
		rig_stop(&r);
	}
}

/* Shared memory takes ways while words are on their way to be owned: they come all the same; copies are dropped. */
static void carved_meanwhile(void **state)
{
	DENOVO(r, "dram_clock=20");
	u32 answers[3] = {0};
	assert_int_equal(access_words(&r, 0, MO_LOAD, BASE, 0x100, 1), MR_PENDING);
	assert_int_equal(access_words(&r, 0, MO_ATOMIC, BASE, 0x1, 2), MR_PENDING);
	mem_carve(r.m, 0, 1);
	check_now(&r);
	run_checked(&r, answers);
	assert_int_equal(answers[0], 2);
	assert_int_equal(words_at(&r, 0, BASE)->owned, 0x1);
	assert_int_equal(words_at(&r, 0, BASE)->have, 0x1);
	assert_int_equal(quiet_access(&r, 0, MO_ATOMIC, BASE, 0x1), MR_HIT);
	rig_stop(&r);
}

/* The limits hold for atomics that wait in L1D: MSHRs, their lists, the store buffer, lines. */
static void limits(void **state)
{
	static const struct {
		const char *set[2];
		enum mem_result r;
		u64 addr;
	} cases[] = {{{"l1d.merges=1", "l1d.stores=9"}, MR_RF_MERGE, BASE},
	             {{"l1d.mshrs=1", "l1d.stores=9"}, MR_RF_MSHR, BASE + 4096},
	             {{"l1d.mshrs=9", "l1d.stores=1"}, MR_RF_QUEUE, BASE + 4096},
	             {{"l1d.sets=1", "l1d.ways=1"}, MR_RF_LINE, BASE + 4096},
	             {{"l1d.miss_queue=1", "l1d.stores=9"}, MR_RF_QUEUE, BASE + 4096}};
	for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
		DENOVO(r, cases[i].set[0], cases[i].set[1]);
		u32 answers[3] = {0};
		assert_int_equal(access_words(&r, 0, MO_RED, BASE, 0x1, 1), MR_SENT);
		assert_int_equal(access_words(&r, 0, MO_RED, cases[i].addr, 0x1, 2), cases[i].r);
		run_checked(&r, answers);
		assert_true(mem_retry_wanted(r.m, 0, MC_L1D));
		assert_int_equal(answers[0], 1);
		rig_stop(&r);
	}
}

/* --- denovo.atomics=l2 -------------------------------------------------------------------------------------------- */
/* An atomic on words that are registered here is executed here; they stay owned, and others find them here. */
static void at_the_slice(void **state)
{
	DENOVO(r, "denovo.atomics=l2");
	quiet_access(&r, 0, MO_STORE, BASE, 0x0f);
	assert_int_equal(quiet_access(&r, 0, MO_ATOMIC, BASE, 0x03), MR_HIT);
	assert_int_equal(quiet_access(&r, 0, MO_RED, BASE, 0x0f), MR_HIT);
	start_kernel(&r);
	assert_int_equal(quiet_access(&r, 0, MO_ATOMIC, BASE, 0x01), MR_HIT);
	assert_true(l1d(&r, 0)->writebacks == 0 && l1d(&r, 0)->atomics == 3 && L2(&r, atomics) == 0);
	assert_int_equal(quiet_access(&r, 1, MO_LOAD, BASE, 0x01), MR_PENDING);
	assert_int_equal(l1d(&r, 0)->remote_reads, 1);
	assert_int_equal(quiet_access(&r, 1, MO_RED, BASE, 0x01), MR_SENT); /* not registered there: at the slice */
	assert_int_equal(l1d(&r, 0)->words_recalled, 1);
	assert_int_equal(quiet_access(&r, 0, MO_ATOMIC, BASE, 0x01), MR_PENDING);
	assert_int_equal(quiet_access(&r, 0, MO_ATOMIC, BASE, 0x02), MR_HIT);
	rig_stop(&r);
}

/* Any other one is executed at the slice: its own SM's words go ahead of it, others' are called back. */
static void at_the_slice_all_come_back(void **state)
{
	DENOVO(r, "denovo.atomics=l2");
	quiet_access(&r, 0, MO_STORE, BASE, 0xff);
	assert_int_equal(quiet_access(&r, 0, MO_ATOMIC, BASE, 0x101), MR_PENDING);
	assert_int_equal(l1d(&r, 0)->writebacks, 1);
	assert_int_equal(L2(&r, words_recalled), 0);
	assert_int_equal(quiet_access(&r, 1, MO_RED, BASE, 0x07), MR_SENT);
	assert_int_equal(L2(&r, words_recalled), 1); /* of words 1 and 2 */
	assert_int_equal(quiet_access(&r, 0, MO_LOAD, BASE, 0xf8), MR_HIT);
	assert_int_equal(quiet_access(&r, 0, MO_LOAD, BASE, 0x04), MR_PENDING);
	rig_stop(&r);
}

/* With the cache off nothing is owned. */
static void without_a_cache(void **state)
{
	DENOVO(r, "l1d.cache_global=false");
	assert_int_equal(quiet_access(&r, 0, MO_ATOMIC, BASE, 0x1), MR_PENDING);
	assert_int_equal(quiet_access(&r, 0, MO_ATOMIC, BASE, 0x1), MR_PENDING);
	assert_true(L2(&r, atomics) == 2 && l1d(&r, 0)->bypasses == 2);
	rig_stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(words_come_and_stay),
	    cmocka_unit_test(words_are_passed_on),
	    cmocka_unit_test(atomics_join),
	    cmocka_unit_test(a_race),
	    cmocka_unit_test(each_others_words),
	    cmocka_unit_test(lines_go),
	    cmocka_unit_test(passed_from_a_write_back),
	    cmocka_unit_test(called_back_on_the_way),
	    cmocka_unit_test(questions_wait_in_order),
	    cmocka_unit_test(over_a_load),
	    cmocka_unit_test(carved_meanwhile),
	    cmocka_unit_test(limits),
	    cmocka_unit_test(at_the_slice),
	    cmocka_unit_test(at_the_slice_all_come_back),
	    cmocka_unit_test(without_a_cache),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
