/* isa.threads=splits: whatever lanes of a warp do, the others go on; lanes meet where PTX says that they do; what has
 * no end is a fault that names lanes and places. */
#include "tests/rig/kernel_rig.h"

#include "front/ptx/runtime/state.h"

static u32 turn = 10000, tries = 8;

static void open_splits(const char *ptx)
{
	rig_threads = ISA_THREADS_SPLITS;
	rig_split_turn = turn;
	rig_split_tries = tries;
	rig_open(ptx, false);
	rig_threads = ISA_THREADS_STACK;
}

/* --- locks: a ticket from a counter, and a count that is not atomic, both under the lock --------------------------- */

#define DATA                                                                                                           \
	".global .u32 lock;\n.global .u32 count;\n.global .u32 ready[128];\n.shared .u32 slock;\n.shared .u32 scount;\n"
#define WORK                                                                                                           \
	"ld.volatile.global.u32 %r9, [count];\nadd.u32 %r5, %r9, 1;\nst.volatile.global.u32 [count], %r5;\nmembar.gl;\n"
#define FREE "atom.global.exch.b32 %r6, [lock], 0;\n"

static const struct lock_case {
	const char *what, *text;
} locks[] = {
    {"while (cas)", HEAD DATA BEGIN
     "L: atom.global.cas.b32 %r4, [lock], 0, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra L;\n" WORK FREE END},
    {"while (cas) nanosleep", HEAD DATA BEGIN "L: atom.global.cas.b32 %r4, [lock], 0, 1;\nsetp.eq.u32 %p1, %r4, 0;\n"
                                              "@%p1 bra GOT;\nnanosleep.u32 100;\nbra.uni L;\nGOT:\n" WORK FREE END},
    {"while (exch)",
     HEAD DATA BEGIN "L: atom.global.exch.b32 %r4, [lock], 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra L;\n" WORK
                     "st.volatile.global.u32 [lock], 0;\n" END},
    {"do { if (cas) } while (!done)", HEAD DATA BEGIN
     "L: mov.u32 %r8, 0;\natom.global.cas.b32 %r4, [lock], 0, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra NO;\n" WORK FREE
     "mov.u32 %r8, 1;\nNO: setp.eq.u32 %p2, %r8, 0;\n@%p2 bra L;\n" END},
    {"held across a call",
     HEAD DATA ".func work()\n{\n.reg .b32 %r<10>;\nld.volatile.global.u32 %r1, [count];\nadd.u32 %r1, %r1, 1;\n"
               "st.volatile.global.u32 [count], %r1;\nmembar.gl;\nret;\n}\n" BEGIN
               "L: atom.global.cas.b32 %r4, [lock], 0, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra L;\n"
               "ld.volatile.global.u32 %r9, [count];\ncall.uni work, ();\n" FREE END},
    {"taken in a function",
     HEAD DATA ".func take()\n{\n.reg .b32 %r<10>; .reg .pred %p<3>;\nL: atom.global.cas.b32 %r4, [lock], 0, 1;\n"
               "setp.ne.u32 %p1, %r4, 0;\n@%p1 bra L;\nret;\n}\n" BEGIN "call.uni take, ();\n" WORK FREE END},
    {"a function that tries",
     HEAD DATA ".func (.param .b32 o) try()\n{\n.reg .b32 %r<10>;\natom.global.cas.b32 %r4, [lock], 0, 1;\n"
               "st.param.b32 [o], %r4;\nret;\n}\n" BEGIN
               "L: { .param .b32 b; call.uni (b), try, (); ld.param.b32 %r4, [b]; }\nsetp.ne.u32 %p1, %r4, 0;\n"
               "@%p1 bra L;\n" WORK FREE END},
    {"ticket", HEAD DATA ".global .u32 next;\n" BEGIN
                         "atom.global.add.u32 %r2, [next], 1;\nL: ld.volatile.global.u32 %r4, [lock];\n"
                         "setp.ne.u32 %p1, %r4, %r2;\n@%p1 bra L;\n" WORK "add.u32 %r4, %r2, 1;\n"
                         "st.volatile.global.u32 [lock], %r4;\n" END},
    {"by a branch table, which nothing recognises",
     HEAD DATA BEGIN "T: .branchtargets L, GOT;\nL: atom.global.cas.b32 %r4, [lock], 0, 1;\nsetp.eq.u32 %p1, %r4, 0;\n"
                     "selp.u32 %r5, 1, 0, %p1;\nbrx.idx %r5, T;\nGOT:\n" WORK FREE END},
};

static void test_locks(void **state)
{
	for (u32 k = 0; k < ARRAY_LEN(locks); k++) {
		u8 seen[N] = {0};
		turn = k == ARRAY_LEN(locks) - 1 ? 200 : 10000; /* else it takes long */
		open_splits(locks[k].text);
		const u64 n = rig_run();
		if (n >= 2000000)
			fail_msg("%s: no end", locks[k].what);
		fault_text(FAULT_NONE);
		for (u32 t = 0; t < N; t++) {
			if (r.out[t] >= N || seen[r.out[t]]++)
				fail_msg("%s: thread %u had number %u", locks[k].what, t, r.out[t]);
		}
		rig_close();
	}
	turn = 10000;
}

/* In shared memory, by one thread of 32 at a time. */
static void test_shared_lock(void **state)
{
	u8 seen[N] = {0};
	open_splits(HEAD DATA BEGIN "L: atom.shared.cas.b32 %r4, [slock], 0, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra L;\n"
	                            "ld.volatile.shared.u32 %r9, [scount];\nadd.u32 %r5, %r9, 1;\n"
	                            "st.volatile.shared.u32 [scount], %r5;\nst.volatile.shared.u32 [slock], 0;\n" END);
	assert_true(rig_run() < 2000000);
	fault_text(FAULT_NONE);
	for (u32 t = 0; t < N; t++)
		assert_true(r.out[t] < N && !seen[r.out[t]]++);
	rig_close();
}

/* With the stack the first of these locks never opens. */
static void test_stack_hangs(void **state)
{
	rig_open(locks[0].text, false);
	rig_endless = true;
	assert_true(rig_run() >= 2000000);
	rig_endless = false;
	rig_close();
}

/* An addition by compare-and-swap: in each round one lane more comes through, so nobody goes on alone. */
static void test_retries_keep_together(void **state)
{
	static struct dyninst d;
	tries = 2;
	open_splits(HEAD DATA BEGIN
	            "ld.volatile.global.u32 %r2, [count];\n"
	            "L: mov.u32 %r3, %r2;\nadd.u32 %r4, %r3, 1;\natom.global.cas.b32 %r2, [count], %r3, %r4;\n"
	            "setp.ne.u32 %p1, %r2, %r3;\n@%p1 bra L;\nactivemask.b32 %r9;\n" END);
	r.l.block.x = 32;
	r.l.warps = 1;
	front_cta_start(r.f, 0, 0, &r.l, 0, 1);
	u32 rounds = 0;
	for (u64 cycle = 0; !(d.flags & DYN_WARP_DONE); cycle++) {
		front_issue(r.f, 0, 0, cycle, &d);
		front_commit(r.f, 0, NEVER);
		assert_false(d.flags & (DYN_SPLIT | DYN_TURN | DYN_FAULT));
		rounds += d.in->op == OP_ATOM;
	}
	assert_int_equal(rounds, 32);
	rig_close();
	tries = 8;
}

/* --- producers and consumers --------------------------------------------------------------------------------------- */

/* Lane i waits for what lane i - 1 (of its warp, lane 0 begins) has written: a chain through all lanes, whichever
 * side of the branch the stack would run first. */
static void chain(const char *branch)
{
	char ptx[4096];
	snprintf(ptx, sizeof ptx,
	         "%s%sand.b32 %%r2, %%r1, 31;\nmov.u64 %%rd5, ready;\nadd.s64 %%rd6, %%rd5, %%rd2;\n"
	         "setp.%s.u32 %%p1, %%r2, 0;\n@%%p1 bra A;\n%sbra.uni OUT;\nA: %sOUT:\n%s",
	         HEAD DATA, BEGIN, *branch == 'f' ? "ne" : "eq",
	         *branch == 'f' ? "st.volatile.global.u32 [%rd6], 1;\nmov.u32 %r9, 1;\n"
	                        : "L: ld.volatile.global.u32 %r4, [%rd6+-4];\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra L;\n"
	                          "add.u32 %r9, %r4, 1;\nst.volatile.global.u32 [%rd6], %r9;\n",
	         *branch == 'f' ? "L: ld.volatile.global.u32 %r4, [%rd6+-4];\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra L;\n"
	                          "add.u32 %r9, %r4, 1;\nst.volatile.global.u32 [%rd6], %r9;\n"
	                        : "st.volatile.global.u32 [%rd6], 1;\nmov.u32 %r9, 1;\n",
	         END);
	open_splits(ptx);
	assert_true(rig_run() < 2000000);
	fault_text(FAULT_NONE);
	for (u32 t = 0; t < N; t++)
		assert_int_equal(r.out[t], t % 32 + 1);
	rig_close();
}
static void test_chain(void **state)
{
	chain("first");
	chain("last");
}

/* Lanes that exit while others wait for them at a flag they have set before, and a lane that spins for ever does not
 * keep others from their end. */
static void test_ping_pong(void **state)
{
	/* lanes 0 and 1 take turns a hundred times over one word */
	open_splits(HEAD DATA BEGIN "and.b32 %r2, %r1, 31;\nsetp.gt.u32 %p1, %r2, 1;\n@%p1 bra OUT;\nshr.u32 %r3, %r1, 5;\n"
	                            "mul.wide.u32 %rd5, %r3, 4;\nmov.u64 %rd6, ready;\nadd.s64 %rd6, %rd6, %rd5;\n"
	                            "M: setp.eq.u32 %p4, %r9, 100;\n@%p4 bra OUT;\n"
	                            "L: ld.volatile.global.u32 %r4, [%rd6];\nand.b32 %r5, %r4, 1;\n"
	                            "setp.ne.u32 %p2, %r5, %r2;\n@%p2 bra L;\nadd.u32 %r4, %r4, 1;\n"
	                            "st.volatile.global.u32 [%rd6], %r4;\nadd.u32 %r9, %r9, 1;\nbra.uni M;\nOUT:\n" END);
	assert_true(rig_run() < 2000000);
	fault_text(FAULT_NONE);
	for (u32 t = 0; t < N; t++)
		assert_int_equal(r.out[t], t % 32 < 2 ? 100 : 0);
	rig_close();
}

/* Lanes 1 and 2 wait for lane 0, which waits for them where the branch ends; each of their jumps back is an arrival at
 * the join of a branch in the loop. */
static void test_join_at_the_head(void **state)
{
	for (u32 plain = 0; plain < 2; plain++) {
		char ptx[4096];
		snprintf(
		    ptx, sizeof ptx,
		    "%sand.b32 %%r2, %%r1, 31;\nshr.u32 %%r3, %%r1, 5;\nmul.wide.u32 %%rd5, %%r3, 8;\nmov.u64 %%rd6, ready;\n"
		    "add.s64 %%rd6, %%rd6, %%rd5;\nsetp.eq.u32 %%p1, %%r2, 0;\n@%%p1 bra OUT;\n"
		    "setp.gt.u32 %%p1, %%r2, 2;\n@%%p1 bra END;\nand.b32 %%r5, %%r2, 1;\nsetp.eq.u32 %%p3, %%r5, 0;\n"
		    "HEAD: @%%p3 bra EVEN;\n"
		    "ld.volatile.global.u32 %%r4, [%%rd6];\nadd.u32 %%r9, %%r9, %%r4;\n%ssetp.eq.u32 %%p2, %%r9, 0;\n@%%p2 bra HEAD;\n"
		    "bra.uni OUT;\nEVEN: ld.volatile.global.u32 %%r4, [%%rd6];\nadd.u32 %%r9, %%r9, %%r4;\n"
		    "setp.eq.u32 %%p2, %%r9, 0;\n@%%p2 bra HEAD;\n"
		    "OUT: st.volatile.global.u32 [%%rd6], 1;\nEND:\n%s",
		    HEAD DATA BEGIN, plain ? "add.s64 %rd6, %rd6, 0;\n" : "", END);
		turn = 500;
		open_splits(ptx);
		assert_true(rig_run() < 2000000);
		fault_text(FAULT_NONE);
		for (u32 t = 0; t < N; t++)
			assert_int_equal(r.out[t], t % 32 == 1 || t % 32 == 2);
		rig_close();
	}
	turn = 10000;
}

/* --- meeting ------------------------------------------------------------------------------------------------------ */

/* What is given to `ptx` goes on, and %r9 is as expected. */
static void expect(const char *text, u32 (*want)(u32 t))
{
	open_splits(text);
	rig_run();
	fault_text(FAULT_NONE);
	for (u32 t = 0; t < N; t++)
		if (r.out[t] != want(t))
			fail_msg("%s\nthread %u: %u, want %u", text, t, r.out[t], want(t));
	rig_close();
}
static u32 swapped(u32 t)
{
	return (t ^ 1) + 100;
}
static u32 by_16(u32 t)
{
	return t ^ 16;
}
static u32 from_odd(u32 t)
{
	return t & 1 ? t : t + 1;
}

#define SIDES(A, B)                                                                                                    \
	"and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra EVEN;\n" A "bra.uni OUT;\nEVEN: " B "OUT:\n"
static void test_meeting(void **state)
{
	/* one side meets the other, which waits where the branches meet, at its next instruction there */
	expect(
	    HEAD BEGIN SIDES(
	        "add.u32 %r3, %r1, 100;\nshfl.sync.bfly.b32 %r9, %r3, 1, 31, -1;\n",
	        "add.u32 %r3, %r1, 100;\n") "setp.eq.u32 %p2, %r2, 0;\n@%p2 shfl.sync.bfly.b32 %r9, %r3, 1, 31, -1;\n" END,
	    swapped);
	/* a guard parts the lanes: both halves come to an instruction of their own */
	expect(HEAD BEGIN
	       "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\nadd.u32 %r3, %r1, 100;\n"
	       "@%p1 shfl.sync.bfly.b32 %r9, %r3, 1, 31, -1;\n@!%p1 shfl.sync.bfly.b32 %r9, %r3, 1, 31, -1;\n" END,
	       swapped);
	/* a barrier of the warp in both, with a store before and a load behind it */
	expect(HEAD ".shared .u32 sh[128];\n" BEGIN
	            "mov.u32 %r7, sh;\nshl.b32 %r6, %r1, 2;\nadd.u32 %r7, %r7, %r6;\nxor.b32 %r8, %r7, 64;\n"
	            "and.b32 %r2, %r1, 16;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra LOW;\n"
	            "st.shared.u32 [%r7], %r1;\nbar.warp.sync -1;\nld.shared.u32 %r9, [%r8];\nbra.uni OUT;\n"
	            "LOW: st.shared.u32 [%r7], %r1;\nbar.warp.sync -1;\nld.shared.u32 %r9, [%r8];\nOUT:\n" END,
	       by_16);
	/* odd lanes come late: even ones spin on their flag first, and meet them then */
	expect(HEAD DATA BEGIN "mov.u64 %rd5, ready;\nadd.s64 %rd6, %rd5, %rd2;\n" SIDES(
	           "mov.u32 %r9, %r1;\nst.volatile.global.u32 [%rd6], %r1;\nbar.warp.sync -1;\n",
	           "L: ld.volatile.global.u32 %r9, [%rd6+4];\nsetp.eq.u32 %p2, %r9, 0;\n@%p2 bra L;\nbar.warp.sync -1;\n")
	           END,
	       from_odd);
}

/* Named lanes that exit leave the mask, also while another lane spins until those that waited have gone on. */
static u32 left(u32 t)
{
	return t % 32 == 0 ? 7 : t % 32 == 1 ? 8 : 0;
}
static void test_exit_leaves_masks(void **state)
{
	expect(HEAD DATA BEGIN
	       "and.b32 %r2, %r1, 31;\nshr.u32 %r3, %r1, 5;\nmul.wide.u32 %rd5, %r3, 4;\nmov.u64 %rd6, ready;\n"
	       "add.s64 %rd6, %rd6, %rd5;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra OTHERS;\n"
	       "bar.warp.sync -3;\nst.volatile.global.u32 [%rd6], 1;\nmov.u32 %r9, 7;\nbra.uni OUT;\n"
	       "OTHERS: setp.eq.u32 %p2, %r2, 1;\n@%p2 bra SPIN;\nexit;\n"
	       "SPIN: ld.volatile.global.u32 %r4, [%rd6];\nsetp.eq.u32 %p3, %r4, 0;\n@%p3 bra SPIN;\n"
	       "mov.u32 %r9, 8;\nOUT:\n" END,
	       left);
}

/* Lanes of one warp at barriers in different places, after a lock. */
static u32 all_of_them(u32 t)
{
	return N;
}
static void test_barrier_counts(void **state)
{
	r.conf.check_barriers = false;
	expect(HEAD DATA BEGIN
	       "L: atom.global.cas.b32 %r4, [lock], 0, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra L;\n" WORK FREE
	       "bar.sync 0;\nld.volatile.global.u32 %r9, [count];\n" END,
	       all_of_them);
}

/* Having met at a barrier, they are one split: matrix instructions work again. */
static u32 one(u32 t)
{
	return 0xffffffff;
}
static void test_whole_again(void **state)
{
	static const char *const meet[] = {"bar.sync 0;\n", "bar.warp.sync -1;\n", "vote.sync.ballot.b32 %r8, %p1, -1;\n"};
	for (u32 k = 0; k < ARRAY_LEN(meet); k++) {
		char ptx[4096];
		snprintf(ptx, sizeof ptx,
		         "%sL: atom.global.cas.b32 %%r4, [lock], 0, 1;\nsetp.ne.u32 %%p1, %%r4, 0;\n@%%p1 bra L;\n%s%s%s%s%s",
		         HEAD DATA BEGIN, WORK, FREE, meet[k], "activemask.b32 %r9;\n", END);
		expect(ptx, one);
	}
}

/* --- waits without an end ------------------------------------------------------------------------------------------ */

static void expect_fault(const char *text, enum fault_code code, const char *const *words)
{
	open_splits(text);
	rig_run();
	const char *says = fault_text(code);
	for (; *words; words++)
		expect_words(says, *words);
	rig_close();
}
static void test_no_end(void **state)
{
	expect_fault(HEAD BEGIN "bar.warp.sync 255;\n" END, FAULT_BAD_MASK,
	             (const char *const[]){"0x000000ff leaves out the lane", "24 lanes 0xffffff00", NULL});
	expect_fault(HEAD BEGIN "setp.gt.u32 %p2, %r1, 3;\n@%p2 bra O;\nvote.sync.any.pred %p3, %p2, -16;\nO:\n" END,
	             FAULT_BAD_MASK, (const char *const[]){"0xfffffff0 leaves out the lane", "lanes 0x0000000f", NULL});
	/* two barriers of the warp that wait for each other's lanes */
	expect_fault(
	    HEAD BEGIN SIDES("bar.warp.sync -1;\n", "vote.sync.any.pred %p3, %p2, -1;\n") END, FAULT_LANES_STUCK,
	    (const char *const[]){"0xaaaaaaaa", "0x55555555", "deadlock in the warp", "bar.warp.sync", "vote.sync", NULL});
	/* one side at a barrier of the CTA */
	expect_fault(HEAD BEGIN SIDES("bar.warp.sync -1;\n", "bar.sync 0;\n") END, FAULT_LANES_STUCK,
	             (const char *const[]){"lanes 0xaaaaaaaa wait for lanes 0x55555555",
	                                   "0x55555555 wait at test.ptx:", "bar.sync 0", NULL});
}

/* An .aligned instruction of a diverged warp has its name. */
static void test_aligned(void **state)
{
	expect_fault(HEAD BEGIN SIDES("movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r1;\n", "add.u32 %r9, %r1, 1;\n") END,
	             FAULT_DIVERGENT_MATRIX, (const char *const[]){"lanes 0xaaaaaaaa only", NULL});
}

/* --- sleep --------------------------------------------------------------------------------------------------------- */

/* Lanes that sleep do not keep the others from running: these read the flag of those that run, in less time. */
static void test_sleep(void **state)
{
	open_splits(HEAD DATA BEGIN
	            "mov.u64 %rd7, %clock64;\n" SIDES("nanosleep.u32 100000;\n", "add.u32 %r9, %r9, 1;\nexit;\n") END);
	ptx_of(r.f)->ns_per_cycle = 10; /* 10,000 cycles */
	static struct dyninst d;
	r.l.block.x = 32;
	r.l.warps = 1;
	front_cta_start(r.f, 0, 0, &r.l, 0, 1);
	u64 cycle = 0, slept = 0, exits = 0;
	for (; !(d.flags & DYN_WARP_DONE); cycle++) {
		front_issue(r.f, 0, 0, cycle, &d);
		if (d.in->op == OP_EXIT && d.mask == 0x55555555)
			exits = cycle;
		if (d.flags & DYN_SLEEP) {
			assert_int_equal(slept, 0);
			slept = d.sleep_cycles;
			cycle += slept - 1;
		}
		front_commit(r.f, 0, NEVER);
	}
	assert_true(exits && exits < 100);
	assert_in_range(slept, 9900, 10000);
	rig_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_locks),
	    cmocka_unit_test(test_shared_lock),
	    cmocka_unit_test(test_stack_hangs),
	    cmocka_unit_test(test_retries_keep_together),
	    cmocka_unit_test(test_chain),
	    cmocka_unit_test(test_ping_pong),
	    cmocka_unit_test(test_join_at_the_head),
	    cmocka_unit_test(test_meeting),
	    cmocka_unit_test(test_exit_leaves_masks),
	    cmocka_unit_test(test_barrier_counts),
	    cmocka_unit_test(test_whole_again),
	    cmocka_unit_test(test_no_end),
	    cmocka_unit_test(test_aligned),
	    cmocka_unit_test(test_sleep),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
