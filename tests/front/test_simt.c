/* Functional execution of whole kernels from PTX text: divergence, calls, barriers, memory, faults and their texts,
 * printf, textures. A plain round-robin loop stands in for the machine: it issues, commits and opens barriers. */
#include "tests/rig/kernel_rig.h"

#include "front/ptx/runtime/state.h"

/* for (i = 0; i < tid % 7; i++) for (j = 0; j < i; j++) { if ((tid + j) & 1) continue; acc += i * j + 1; } */
static void test_nested_loops(void **state)
{
	rig_open(HEAD BEGIN "rem.u32 %r2, %r1, 7;\nmov.u32 %r3, 0;\n"
	                    "O: setp.ge.u32 %p1, %r3, %r2;\n@%p1 bra DONE;\nmov.u32 %r4, 0;\n"
	                    "I: setp.ge.u32 %p2, %r4, %r3;\n@%p2 bra NEXT;\n"
	                    "add.u32 %r5, %r1, %r4;\nand.b32 %r6, %r5, 1;\nsetp.ne.u32 %p3, %r6, 0;\n@%p3 bra CONT;\n"
	                    "mad.lo.u32 %r7, %r3, %r4, 1;\nadd.u32 %r9, %r9, %r7;\n"
	                    "CONT: add.u32 %r4, %r4, 1;\nbra.uni I;\nNEXT: add.u32 %r3, %r3, 1;\nbra.uni O;\nDONE:\n" END,
	         false);
	rig_run();
	for (u32 t = 0; t < N; t++) {
		u32 acc = 0;
		for (u32 i = 0; i < t % 7; i++)
			for (u32 j = 0; j < i; j++)
				if (!((t + j) & 1))
					acc += i * j + 1;
		assert_int_equal(r.out[t], acc);
	}
	rig_close();
}

static void test_exit_in_divergence(void **state)
{
	rig_open(
	    HEAD BEGIN
	    "st.global.u32 [%rd3], 7;\nand.b32 %r2, %r1, 3;\nsetp.eq.u32 %p1, %r2, 1;\n@%p1 bra A;\n"
	    "setp.eq.u32 %p2, %r2, 2;\n@%p2 exit;\n"
	    "add.u32 %r9, %r1, 100;\nbra B;\nA: setp.gt.u32 %p3, %r1, 64;\n@%p3 ret;\nadd.u32 %r9, %r1, 200;\nB:\n" END,
	    false);
	rig_run();
	for (u32 t = 0; t < N; t++)
		assert_int_equal(r.out[t], (t & 3) == 1 ? (t > 64 ? 7 : t + 200) : (t & 3) == 2 ? 7 : t + 100);
	rig_close();
}

/* Lanes that exit in a function do not come back to its caller, nor to the branch round the call. */
static void test_exit_in_a_function(void **state)
{
	rig_open(HEAD ".func leave(.param .b32 n)\n{\n.reg .b32 %r<3>; .reg .pred %p<3>;\nld.param.u32 %r1, [n];\n"
	              "and.b32 %r2, %r1, 3;\nsetp.eq.u32 %p1, %r2, 1;\n@%p1 exit;\nret;\n}\n" BEGIN
	              "st.global.u32 [%rd3], 7;\nmov.u32 %r9, %r1;\nsetp.gt.u32 %p1, %r1, 40;\n@%p1 bra A;\n"
	              "{ .param .b32 a; st.param.b32 [a], %r1; call.uni leave, (a); }\n"
	              "add.u32 %r9, %r9, 100;\nbra.uni B;\nA: add.u32 %r9, %r9, 200;\nB: add.u32 %r9, %r9, 1;\n" END,
	         false);
	rig_run();
	fault_text(FAULT_NONE);
	for (u32 t = 0; t < N; t++)
		assert_int_equal(r.out[t], t > 40 ? t + 201 : (t & 3) == 1 ? 7 : t + 101);
	rig_close();
}

#define FIB                                                                                                            \
	".func (.param .b32 ret) fib(.param .b32 n)\n{\n.reg .b32 %r<10>; .reg .pred %p<3>;\nld.param.u32 %r1, [n];\n"     \
	"setp.lt.u32 %p1, %r1, 2;\n@%p1 bra SMALL;\nadd.s32 %r2, %r1, -1;\n"                                               \
	"{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), fib, (a); ld.param.b32 %r3, [b]; }\n"        \
	"add.s32 %r4, %r1, -2;\n"                                                                                          \
	"{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r4; call.uni (b), fib, (a); ld.param.b32 %r5, [b]; }\n"        \
	"add.s32 %r6, %r3, %r5;\nst.param.b32 [ret], %r6;\nret;\nSMALL: st.param.b32 [ret], %r1;\nret;\n}\n"
static u32 fib(u32 n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static void test_recursion(void **state)
{
	rig_open(HEAD FIB BEGIN "rem.u32 %r2, %r1, 9;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; "
	                        "call.uni (b), fib, (a); ld.param.b32 %r9, [b]; }\n" END,
	         false);
	rig_run();
	fault_text(FAULT_NONE);
	for (u32 t = 0; t < N; t++)
		assert_int_equal(r.out[t], fib(t % 9));
	rig_close();
}
static void test_call_overflow(void **state)
{
	rig_open(HEAD FIB BEGIN "mov.u32 %r2, 1000;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; "
	                        "call.uni (b), fib, (a); ld.param.b32 %r9, [b]; }\n" END,
	         false);
	rig_run();
	expect_words(fault_text(FAULT_STACK_OVERFLOW), "front.frame_kb = 32 KiB");
	rig_close();
}
static void test_indirect_calls(void **state)
{
	rig_open(HEAD ".func (.param .b32 o) f0(.param .b32 x)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [x];\n"
	              "add.u32 %r2, %r1, 1000;\nst.param.b32 [o], %r2;\nret;\n}\n"
	              ".func (.param .b32 o) f1(.param .b32 x)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [x];\n"
	              "mul.lo.u32 %r2, %r1, 3;\nst.param.b32 [o], %r2;\nret;\n}\n"
	              ".func (.param .b32 o) f2(.param .b32 x)\n{\n.reg .b32 %r<4>; .reg .pred %p<2>;\n"
	              "ld.param.u32 %r1, [x];\nsetp.gt.u32 %p1, %r1, 50;\n@%p1 exit;\nst.param.b32 [o], %r1;\nret;\n}\n"
	              ".global .u64 table[3] = {f0, f1, f2};\n" BEGIN
	              "rem.u32 %r2, %r1, 3;\nmul.wide.u32 %rd5, %r2, 8;\nmov.u64 %rd6, table;\nadd.s64 %rd7, %rd6, %rd5;\n"
	              "ld.global.u64 %rd8, [%rd7];\n"
	              "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;\n"
	              "PR: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (b), %rd8, (a), PR;\n"
	              "ld.param.b32 %r9, [b]; }\n" END,
	         false);
	rig_run();
	for (u32 t = 0; t < N; t++)
		assert_int_equal(r.out[t], t % 3 == 0 ? t + 1000 : t % 3 == 1 ? t * 3 : t > 50 ? 0 : t);
	rig_close();
}
static void test_bad_call(void **state)
{
	rig_open(HEAD BEGIN "mov.u64 %rd8, 12345;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;\n"
	                    "PR: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (b), %rd8, (a), PR;\n"
	                    "ld.param.b32 %r9, [b]; }\n" END,
	         false);
	rig_run();
	expect_words(fault_text(FAULT_BAD_CALL), "0x3039");
	rig_close();
}

static void test_barriers(void **state)
{
	rig_open(HEAD
	         ".shared .align 4 .b8 sh[512];\n" BEGIN
	         "mov.u32 %r2, sh;\nshl.b32 %r3, %r1, 2;\nadd.u32 %r4, %r2, %r3;\nst.shared.u32 [%r4], %r1;\nbar.sync 0;\n"
	         "sub.u32 %r5, 508, %r3;\nadd.u32 %r6, %r2, %r5;\nld.shared.u32 %r9, [%r6];\n"
	         "setp.lt.u32 %p1, %r1, 40;\nbar.red.popc.u32 %r7, 1, %p1;\nmad.lo.u32 %r9, %r7, 1000, %r9;\n"
	         "bar.red.and.pred %p2, 2, %p1;\nselp.u32 %r8, 1000000, 0, %p2;\nadd.u32 %r9, %r9, %r8;\n"
	         "bar.red.or.pred %p3, 2, %p1;\nselp.u32 %r8, 2000000, 0, %p3;\nadd.u32 %r9, %r9, %r8;\n" END,
	         true);
	rig_run();
	for (u32 t = 0; t < N; t++)
		assert_int_equal(r.out[t], (127 - t) + 40000 + 2000000);
	rig_close();
}

static void test_warp_operations(void **state)
{
	rig_open(HEAD BEGIN "shfl.sync.bfly.b32 %r2|%p1, %r1, 5, 31, -1;\nsetp.lt.u32 %p2, %r1, 70;\n"
	                    "vote.sync.ballot.b32 %r3, %p2, -1;\npopc.b32 %r4, %r3;\n"
	                    "and.b32 %r5, %r1, 6;\nmatch.any.sync.b32 %r6, %r5, -1;\npopc.b32 %r7, %r6;\n"
	                    "shfl.sync.up.b32 %r8, %r1, 3, 0, -1;\nadd.u32 %r9, %r2, %r4;\n"
	                    "mad.lo.u32 %r9, %r7, 1000, %r9;\nmad.lo.u32 %r9, %r8, 100000, %r9;\n" END,
	         false);
	rig_run();
	for (u32 t = 0; t < N; t++) {
		const u32 ballot = t < 64 ? 32 : t < 96 ? 6 : 0, up = (t & 31) < 3 ? t : t - 3;
		assert_int_equal(r.out[t], (t ^ 5) + ballot + 8 * 1000 + up * 100000);
	}
	rig_close();
}

/* Undefined in PTX: lanes 4 to 7 read lanes that take no part, under a branch and under a guard. They get 0. */
static void test_shuffle_of_idle_lanes(void **state)
{
	static const char *const bodies[] = {
	    "@!%p1 bra OVER;\nshfl.sync.down.b32 %r9|%p2, %r3, 4, 31, 255;\n@%p2 add.u32 %r9, %r9, 1;\nOVER:\n",
	    "@%p1 shfl.sync.idx.b32 %r9|%p2, %r3, %r4, 31, 255;\n@%p1 add.u32 %r9, %r9, 1;\n",
	};
	for (u32 k = 0; k < ARRAY_LEN(bodies); k++) {
		char ptx[2048];
		snprintf(ptx, sizeof ptx,
		         "%sand.b32 %%r2, %%r1, 31;\nadd.u32 %%r3, %%r1, 1000;\nadd.u32 %%r4, %%r2, 4;\nmov.u32 %%r9, 7;\n"
		         "setp.lt.u32 %%p1, %%r2, 8;\n%s%s",
		         HEAD BEGIN, bodies[k], END);
		rig_open(ptx, false);
		rig_run();
		for (u32 t = 0; t < N; t++)
			assert_int_equal(r.out[t], t % 32 < 4 ? t + 1005 : t % 32 < 8 ? 1 : 7);
		rig_close();
	}
}

/* Each lane's own group: lanes of %r2 = tid % 3 name each other. Then what PTX leaves undefined: lanes 8 to 31 of each
 * warp name a group without being in it. */
#define THIRDS "rem.u32 %r2, %r1, 3;\nmatch.any.sync.b32 %r3, %r2, -1;\nsetp.lt.u32 %p1, %r1, 50;\n"
static u32 third_of(u32 t)
{
	u32 mask = 0;
	for (u32 k = 0; k < 32; k++)
		mask |= (u32)((t / 32 * 32 + k) % 3 == t % 3) << k;
	return mask;
}
static void test_member_masks(void **state)
{
	static const char *const bodies[] = {
	    "vote.sync.ballot.b32 %r9, %p1, %r3;\n",
	    "redux.sync.add.u32 %r9, %r1, %r3;\n",
	    "redux.sync.max.s32 %r9, %r1, %r3;\n",
	    "elect.sync %r9|%p2, %r3;\n@%p2 add.u32 %r9, %r9, 100;\n",
	    "shr.u32 %r4, %r1, 4;\nmatch.any.sync.b32 %r9, %r4, %r3;\n",
	    "vote.sync.all.pred %p2, %p1, %r3;\nvote.sync.any.pred %p3, %p1, %r3;\nselp.u32 %r9, 1, 0, %p2;\n"
	    "@%p3 add.u32 %r9, %r9, 2;\nvote.sync.uni.pred %p4, %p1, %r3;\n@%p4 add.u32 %r9, %r9, 4;\n",
	    "vote.sync.ballot.b32 %r9, %p1, 255;\n",
	    "redux.sync.add.u32 %r9, %r1, 255;\n",
	};
	for (u32 k = 0; k < ARRAY_LEN(bodies); k++) {
		char ptx[2048];
		snprintf(ptx, sizeof ptx, "%s%s%s%s", HEAD BEGIN, THIRDS, bodies[k], END);
		rig_open(ptx, false);
		rig_run();
		fault_text(FAULT_NONE);
		for (u32 t = 0; t < N; t++) {
			const u32 m = k < 6 ? third_of(t) : 255, base = t / 32 * 32;
			u32 ballot = 0, sum = 0, max = 0, like = 0;
			for (u32 i = 0; i < 32; i++)
				if (m >> i & 1) {
					ballot |= (u32)(base + i < 50) << i;
					sum += base + i;
					max = base + i;
					like |= (u32)((base + i) >> 4 == t >> 4) << i;
				}
			const u32 first = (u32)__builtin_ctz(m), all = ballot == m, any = ballot != 0;
			const u32 want[] = {
			    ballot,       sum, max, first + (first == t % 32 ? 100 : 0), like, all + 2 * any + 4 * (all || !any),
			    ballot & 255, sum};
			if (r.out[t] != want[k])
				fail_msg("%s thread %u: %x, want %x", bodies[k], t, r.out[t], want[k]);
		}
		rig_close();
	}
}

/* With check.masks: what PTX leaves undefined is a fault that says why; without it, the program goes on. */
static void test_undefined_masks(void **state)
{
	static const struct {
		const char *body, *words;
		u32 lanes;
	} cases[] = {
	    {"vote.sync.ballot.b32 %r9, %p1, 255;\n", "0x000000ff leaves out the lane that gives it", 1 << 8},
	    {"bar.warp.sync 255;\n", "0x000000ff leaves out the lane", 1 << 8},
	    {"and.b32 %r2, %r1, 1;\nsub.u32 %r3, 0, %r2;\nxor.b32 %r3, %r3, -1431655766;\nor.b32 %r3, %r3, 1431655765;\n"
	     "vote.sync.any.pred %p2, %p1, %r3;\n",
	     "0xffffffff names a lane that gives another mask", 1},
	    {"and.b32 %r2, %r1, 31;\nsetp.gt.u32 %p2, %r2, 15;\n@%p2 bra OVER;\nbar.warp.sync -1;\nadd.u32 %r9, %r9, 1;\n"
	     "OVER:\n",
	     "0xffffffff names a lane that does not come", 1},
	    {"and.b32 %r2, %r1, 31;\nsetp.gt.u32 %p2, %r2, 15;\n@%p2 bra OVER;\nbar.warp.sync 65535;\nOVER:\n", NULL, 0},
	    /* the others are gone: nothing is wrong with that */
	    {"and.b32 %r2, %r1, 31;\nsetp.gt.u32 %p2, %r2, 15;\n@%p2 ret;\nshfl.sync.bfly.b32 %r9, %r1, 1, 31, -1;\n", NULL,
	     0},
	};
	for (u32 k = 0; k < ARRAY_LEN(cases); k++)
		for (u32 check = 0; check < 2; check++) {
			char ptx[2048];
			snprintf(ptx, sizeof ptx, "%ssetp.lt.u32 %%p1, %%r1, 50;\n%s%s", HEAD BEGIN, cases[k].body, END);
			rig_open(ptx, false);
			ptx_of(r.f)->check_masks = check;
			rig_run();
			const bool bad = check && cases[k].words;
			const char *text = fault_text(bad ? FAULT_BAD_MASK : FAULT_NONE);
			if (bad) {
				expect_words(text, cases[k].words);
				expect_words(text, "in kernel k at test.ptx:");
				assert_int_equal(front_fault(r.f)->lanes, cases[k].lanes);
				assert_int_equal(front_pc(r.f, 0, front_fault(r.f)->warp), front_fault(r.f)->pc);
			}
			rig_close();
		}
}

/* Lanes meet in different functions, each with a frame of its own: f waits for its odd lanes' side of the branch, whose
 * g waits too. Neither may lose a register. */
#define MEET(NAME, ADD)                                                                                                \
	".func (.param .b32 o) " NAME "(.param .b32 x)\n{\n.reg .b32 %r<9>; .reg .b64 %rd<4>;\nld.param.u32 %r1, [x];\n"   \
	"mul.wide.u32 %rd1, %r1, 3;\nadd.u32 %r2, %r1, " ADD                                                               \
	";\nbar.warp.sync -1;\nshfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;\ncvt.u32.u64 %r4, %rd1;\n"                          \
	"bar.warp.sync -1;\nadd.u32 %r5, %r3, %r4;\nst.param.b32 [o], %r5;\nret;\n"                                        \
	"}\n"
static void test_meeting_in_calls(void **state)
{
	rig_open(HEAD MEET("f", "1000") MEET("g", "5000") BEGIN
	         "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\nmov.u32 %r7, %r1;\n@%p1 bra EVEN;\n"
	         "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), f, (a); ld.param.b32 %r9, [b]; }\n"
	         "bra.uni BACK;\nEVEN: add.u32 %r8, %r1, 1;\n"
	         "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), g, (a); ld.param.b32 %r9, [b]; }\n"
	         "add.u32 %r9, %r9, %r8;\nBACK: add.u32 %r9, %r9, %r7;\n" END,
	         false);
	ptx_of(r.f)->check_masks = true;
	rig_run();
	fault_text(FAULT_NONE);
	for (u32 t = 0; t < N; t++)
		assert_int_equal(r.out[t], 3 * t + (t ^ 1) + (t & 1 ? 5000 : 1000 + t + 1) + t);
	rig_close();
}

/* A lane returns from h while others wait in f, which h has called: it leaves h, not f. */
static void test_return_beside_a_call(void **state)
{
	rig_open(
	    HEAD MEET("f", "1000") ".func (.param .b32 o) h(.param .b32 x)\n{\n.reg .b32 %r<9>; .reg .pred %p<3>;\n"
	                           "ld.param.u32 %r1, [x];\n"
	                           "st.param.b32 [o], 5;\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra EVEN;\n"
	                           "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), f, (a); "
	                           "ld.param.b32 %r3, [b]; }\n"
	                           "bra.uni BACK;\nEVEN: bar.warp.sync -1;\nshfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;\n"
	                           "setp.gt.u32 %p2, %r1, 40;\nbar.warp.sync -1;\n@%p2 bra BACK;\nret;\n"
	                           "BACK: st.param.b32 [o], %r3;\nret;\n}\n" BEGIN
	                           "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), h, (a); "
	                           "ld.param.b32 %r9, [b]; }\n" END,
	    false);
	rig_run();
	fault_text(FAULT_NONE);
	for (u32 t = 0; t < N; t++)
		assert_int_equal(r.out[t], t & 1 ? 3 * t + t - 1 : t > 40 ? t + 1 + 1000 : 5);
	rig_close();
}

/* Barriers that a part of a warp reaches while the others are on their way out: not run yet, waiting at a join behind
 * which there is something left to do, returned from a function, asleep at a bar.warp.sync. */
static void test_leaving_before_a_barrier(void **state)
{
	static const char leave_func[] =
	    ".func (.param .b32 o) f(.param .b32 x)\n{\n.reg .b32 %r<9>; .reg .pred %p<3>;\nld.param.u32 %r1, [x];\n"
	    "st.param.b32 [o], 77;\nand.b32 %r2, %r1, 31;\nsetp.gt.u32 %p1, %r2, 19;\n@%p1 ret;\nbar.sync 0;\n"
	    "st.param.b32 [o], 9;\nret;\n}\n";
	static const struct {
		const char *before, *body;
		u32 lanes, others; /* results of lanes 0 to 19, and of the rest */
	} cases[] = {
	    {"",
	     "@%p1 bra OUT;\nbar.sync 0;\nbra.uni STORE;\nOUT: st.global.u32 [%rd3], 5;\nret;\nSTORE: mov.u32 %r9, 9;\n", 9,
	     5},
	    {"", "mov.u32 %r9, 5;\n@%p1 bra JOIN;\nbar.sync 0;\nmov.u32 %r9, 9;\nJOIN: add.u32 %r9, %r9, 1;\n", 10, 6},
	    {"",
	     "st.global.u32 [%rd3], 5;\n@%p1 bra END;\nbar.sync 0;\nbar.red.popc.u32 %r9, 1, %p1;\nadd.u32 %r9, %r9, 9;\n"
	     "st.global.u32 [%rd3], %r9;\nEND: ret;\n",
	     9, 5},
	    {leave_func,
	     "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), f, (a); ld.param.b32 %r9, [b]; }\n", 9,
	     77},
	    {"",
	     "mov.u32 %r9, 5;\n@%p1 bra SLEEP;\nbar.sync 0;\nmov.u32 %r9, 9;\nbra.uni JOIN;\n"
	     "SLEEP: bar.warp.sync -1048576;\nbar.arrive 3, 128;\nJOIN:\n",
	     0, 0},
	};
	for (u32 k = 0; k < ARRAY_LEN(cases); k++) {
		char ptx[4096];
		snprintf(ptx, sizeof ptx, "%s%s%sand.b32 %%r2, %%r1, 31;\nsetp.gt.u32 %%p1, %%r2, 19;\n%s%s", HEAD,
		         cases[k].before, BEGIN, cases[k].body, END);
		rig_open(ptx, false);
		rig_run();
		if (!cases[k].lanes) { /* alive, and at another barrier */
			expect_words(fault_text(FAULT_DIVERGENT_BARRIER), "others wait at line ");
			rig_close();
			continue;
		}
		fault_text(FAULT_NONE);
		for (u32 t = 0; t < N; t++)
			assert_int_equal(r.out[t], t % 32 < 20 ? cases[k].lanes : cases[k].others);
		rig_close();
	}
}

/* Lanes whose way is out stay at their join: the kernel takes as many instructions as when nobody leaves. */
static void test_gone_costs_nothing(void **state)
{
	u64 n[2];
	for (u32 k = 0; k < 2; k++) {
		char ptx[2048];
		snprintf(ptx, sizeof ptx, "%sand.b32 %%r2, %%r1, 31;\nsetp.gt.u32 %%p1, %%r2, %u;\n@%%p1 bra OUT;\n%s%s",
		         HEAD BEGIN, k ? 19u : 99u,
		         "bar.sync 0;\nst.global.u32 [%rd3], %r1;\nOUT: add.u32 %r9, %r1, 1;\n@%p1 bra LAST;\nLAST:\n",
		         "ret;\n}\n");
		rig_open(ptx, false);
		n[k] = rig_run();
		fault_text(FAULT_NONE);
		rig_close();
	}
	assert_int_equal(n[0], n[1]);
}

/* barrier.sync needs not be one instruction for a warp, but one barrier. */
static void test_barrier_numbers(void **state)
{
	for (u32 other = 0; other < 2; other++) {
		char ptx[2048];
		snprintf(ptx, sizeof ptx,
		         "%sand.b32 %%r2, %%r1, 31;\nsetp.gt.u32 %%p1, %%r2, 19;\n@%%p1 bra OTHER;\nbarrier.sync 0;\n"
		         "bra.uni JOIN;\nOTHER: barrier.sync %u;\nJOIN: mov.u32 %%r9, 4;\n%s",
		         HEAD BEGIN, other, END);
		rig_open(ptx, false);
		rig_run();
		fault_text(other ? FAULT_DIVERGENT_BARRIER : FAULT_NONE);
		for (u32 t = 0; t < N && !other; t++)
			assert_int_equal(r.out[t], 4);
		rig_close();
	}
}

/* Lanes of a tile wait in one branch; those that they wait for leave the kernel instead of coming. */
static void test_exit_ends_waiting(void **state)
{
	rig_open(HEAD BEGIN "st.global.u32 [%rd3], 3;\nand.b32 %r2, %r1, 31;\nsetp.gt.u32 %p1, %r2, 19;\n"
	                    "setp.gt.u32 %p2, %r2, 25;\n@%p1 bra OTHER;\nvote.sync.ballot.b32 %r9, %p3, -1;\n"
	                    "activemask.b32 %r8;\n"
	                    "vote.sync.ballot.b32 %r9, %p1, -1;\nadd.u32 %r9, %r9, %r8;\nbra.uni JOIN;\n"
	                    "OTHER: vote.sync.any.pred %p4, %p1, -1;\n@!%p4 add.u32 %r9, %r9, 1;\n@%p2 exit;\n"
	                    "add.u32 %r9, %r9, 40;\nexit;\nJOIN:\n" END,
	         false);
	rig_run();
	fault_text(FAULT_NONE);
	for (u32 t = 0; t < N; t++)
		assert_int_equal(r.out[t], t % 32 < 20 ? 0xfffff : 3);
	rig_close();
}

static void test_atomics(void **state)
{
	rig_open(
	    HEAD
	    ".shared .align 4 .u32 cnt;\n" BEGIN "atom.shared.add.u32 %r2, [cnt], 1;\n"
	    "atom.global.add.u32 %r3, [%rd1+512], 2;\nred.global.max.s32 [%rd1+516], %r1;\n"
	    "mov.f32 %f1, 0f3f000000;\nred.global.add.f32 [%rd1+520], %f1;\natom.global.cas.b32 %r4, [%rd1+524], 0, %r1;\n"
	    "atom.global.inc.u32 %r5, [%rd1+528], 9;\nadd.u64 %rd9, %rd1, 532;\natom.add.u32 %r6, [%rd9], %r1;\n"
	    "bar.sync 0;\nld.shared.u32 %r9, [cnt];\n" END,
	    false);
	rig_run();
	for (u32 t = 0; t < N; t++)
		assert_int_equal(r.out[t], N);
	const u32 *o = r.out + N;
	float sum;
	memcpy(&sum, &o[2], 4);
	assert_int_equal(o[0], 2 * N);
	assert_int_equal(o[1], N - 1);
	assert_true(sum == N / 2.0f);
	assert_int_equal(o[3], 1); /* lane 0 writes 0, so lane 1 still finds 0 and writes 1; nobody finds 0 any more */
	assert_int_equal(o[4], N % 10);
	assert_int_equal(o[5], N * (N - 1) / 2);
	rig_close();
}

static void test_local_and_generic(void **state)
{
	rig_open(HEAD ".shared .align 8 .b8 sh[1024];\n" BEGIN
	              ".local .align 8 .b8 dep[64];\nmov.u64 %rd4, dep;\nand.b32 %r2, %r1, 15;\n"
	              "mul.wide.u32 %rd5, %r2, 4;\nadd.s64 %rd6, %rd4, %rd5;\n"
	              "st.local.u32 [%rd6], %r1;\nld.local.u32 %r9, [%rd6];\nst.local.u8 [%rd4+61], %r1;\n"
	              "ld.local.u8 %r3, [%rd4+61];\nadd.u32 %r9, %r9, %r3;\n"
	              /* a generic pointer that is local, shared or global by tid % 3 */
	              "cvta.local.u64 %rd7, %rd4;\nmov.u64 %rd8, sh;\nmul.wide.u32 %rd9, %r1, 8;\n"
	              "add.s64 %rd8, %rd8, %rd9;\ncvta.shared.u64 %rd10, %rd8;\nadd.s64 %rd11, %rd1, %rd9;\n"
	              "add.s64 %rd11, %rd11, 512;\n"
	              "rem.u32 %r4, %r1, 3;\nsetp.eq.u32 %p1, %r4, 0;\nsetp.eq.u32 %p2, %r4, 1;\n"
	              "selp.b64 %rd12, %rd7, %rd10, %p1;\nselp.b64 %rd12, %rd11, %rd12, %p2;\n"
	              "st.v2.u32 [%rd12], {%r1, 7};\nbar.sync 0;\nld.u64 %rd13, [%rd12];\nshr.u64 %rd14, %rd13, 32;\n"
	              "cvt.u32.u64 %r5, %rd14;\ncvt.u32.u64 %r6, %rd13;\n"
	              "mad.lo.u32 %r9, %r5, 1000, %r9;\nmad.lo.u32 %r9, %r6, 100000, %r9;\n" END,
	         false);
	rig_run();
	for (u32 t = 0; t < N; t++)
		assert_int_equal(r.out[t], t + (t & 255) + 7000 + t * 100000);
	rig_close();
}

/* Each memory check: the code, and words its text must have. */
static void test_faults(void **state)
{
	static const struct {
		const char *body;
		enum fault_code code;
		const char *words;
	} cases[] = {
	    {"st.global.u32 [%rd3+2048], %r1;\n", FAULT_OOB, "the address is 1 byte behind the last byte of it"},
	    {"ld.global.u32 %r9, [%rd3+-4];\n", FAULT_OOB, "out of bounds"},
	    {"ld.global.u32 %r9, [%rd3+2];\n", FAULT_MISALIGNED, "global load of 4 bytes"},
	    {"ld.global.v4.u32 {%r2,%r3,%r4,%r9}, [%rd3];\n", FAULT_MISALIGNED, "16 bytes"},
	    {"ld.param.u64 %rd5, [p2];\nst.global.u32 [%rd5], %r1;\n", FAULT_FREED, "(freed)"},
	    {"mov.u64 %rd5, tab;\nst.global.u32 [%rd5], %r1;\n", FAULT_READONLY, "tab"},
	    {"st.shared.u32 [%r1+4], %r1;\n", FAULT_MISALIGNED, "shared store"},
	    {"shl.b32 %r2, %r1, 4;\nst.shared.u32 [%r2], %r1;\n", FAULT_SHARED_OOB, "512 bytes of shared memory"},
	    {"ld.shared.u32 %r9, [sh+16];\n", FAULT_SHARED_UNINIT, "never written"},
	    {"mov.u64 %rd5, 64;\nst.local.u32 [%rd5], %r1;\n", FAULT_LOCAL_OOB, "16 bytes of local memory"},
	    {"mov.u64 %rd5, 100;\nld.param.u32 %r9, [%rd5];\n", FAULT_PARAM_OOB, "16 bytes of parameters"},
	    {"setp.lt.u32 %p1, %r1, 5;\n@%p1 bar.sync 0;\n", FAULT_DIVERGENT_BARRIER, "lanes 0x0000001f"},
	    {"mov.u32 %r2, 16;\nbar.sync %r2;\n", FAULT_BAD_BARRIER, "barrier 16"},
	    {"bar.sync 0, 33;\n", FAULT_BAD_BARRIER, "33 threads"},
	    {"setp.eq.u32 %p1, %r1, 37;\n@%p1 trap;\n", FAULT_TRAP, "first thread (37,0,0)"},
	    {"tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [tx, {%r1}];\n", FAULT_BAD_TEXTURE, "unbound"},
	    {"ld.u32 %r9, [%rd2];\n", FAULT_OOB, "generic load"},
	};
	for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = {0};
		char ptx[4096];
		static const char before[] =
		    HEAD ".global .texref tx;\n.const .align 4 .u32 tab[4] = {1,2,3,4};\n.shared .align 4 .b8 sh[512];\n" BEGIN
		         ".local .align 4 .b8 loc[16];\nst.local.u32 [loc], %r1;\nst.shared.u32 [sh], %r1;\n";
		snprintf(ptx, sizeof(ptx), "%s%s%s", before, cases[i].body, END);
		rig_open(ptx, cases[i].code == FAULT_SHARED_UNINIT);
		u64 gone = devmem_alloc(&r.mem, 256, "gone", &e);
		assert_true(devmem_free(&r.mem, gone, &e));
		memcpy(r.l.params + 8, &gone, 8);
		rig_run();
		const char *text = fault_text(cases[i].code);
		expect_words(text, cases[i].words);
		expect_words(text, "in kernel k at test.ptx:");
		/* nothing happened: the warp stands at the faulting instruction */
		assert_int_equal(front_pc(r.f, 0, front_fault(r.f)->warp), front_fault(r.f)->pc);
		rig_close();
	}
}

/* check.bounds=false: memory around an allocation is there, up to the end of the piece of 2 MiB that it lies in. */
static void test_bounds_as_the_chip(void **state)
{
	static const struct {
		const char *body;
		enum fault_code code;
	} cases[] = {
	    {"st.global.u32 [%rd3+2048], %r1;\nld.global.u32 %r9, [%rd3+2048];\n", FAULT_NONE}, /* behind */
	    {"st.global.u32 [%rd1+1048576], %r1;\nld.global.u32 %r9, [%rd1+1048576];\nadd.u32 %r9, %r1, 0;\n", FAULT_NONE},
	    {"st.global.u32 [%rd1+2097152], %r1;\nld.global.u32 %r9, [%rd1+2097152];\n", FAULT_OOB}, /* the next piece */
	    {"ld.param.u64 %rd5, [p2];\nmul.wide.u32 %rd6, %r1, 4;\nadd.u64 %rd5, %rd5, %rd6;\nst.global.u32 [%rd5], %r1;\n"
	     "ld.global.u32 %r9, [%rd5];\n",
	     FAULT_NONE}, /* freed */
	    {"ld.param.u64 %rd5, [p2];\nmul.wide.u32 %rd6, %r1, 4;\nadd.u64 %rd5, %rd5, %rd6;\n"
	     "atom.global.add.u32 %r2, [%rd5+4096], %r1;\nld.global.u32 %r9, [%rd5+4096];\n",
	     FAULT_NONE},
	    {"ld.global.u32 %r9, [%rd3+2];\n", FAULT_MISALIGNED},
	    {"ld.u32 %r9, [%rd2];\n", FAULT_OOB}, /* no address */
	    {"mov.u64 %rd5, tab;\nst.global.u32 [%rd5], %r1;\n", FAULT_READONLY},
	    {"mov.u64 %rd5, tab;\nld.global.v4.u32 {%r2,%r3,%r4,%r9}, [%rd5];\nadd.u32 %r9, %r1, %r4;\n"
	     "sub.u32 %r9, %r9, 3;\n",
	     FAULT_NONE}, /* across the end of an allocation of 12 bytes */
	};
	rig_check_bounds = false;
	for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = {0};
		char ptx[4096];
		snprintf(ptx, sizeof(ptx), "%s%s%s", HEAD ".const .align 16 .u32 tab[3] = {1,2,3};\n" BEGIN, cases[i].body,
		         END);
		rig_open(ptx, false);
		u64 gone = devmem_alloc(&r.mem, 512, "gone", &e);
		assert_true(devmem_free(&r.mem, gone, &e));
		memcpy(r.l.params + 8, &gone, 8);
		rig_run();
		if (cases[i].code != FAULT_NONE)
			fault_text(cases[i].code);
		else
			for (u32 t = 0; t < N; t++)
				assert_int_equal(r.out[t], t);
		rig_close();
	}
	rig_check_bounds = true;
}

/* PTX does not say which lane's value stays. The chips keep the lowest lane's. */
static void test_one_address(void **state)
{
	rig_open(HEAD BEGIN "and.b32 %r2, %r1, 24;\nmul.wide.u32 %rd4, %r2, 4;\nadd.s64 %rd3, %rd1, %rd4;\n"
	                    "mov.u32 %r9, %r1;\n" END,
	         false);
	rig_run();
	for (u32 t = 0; t < 32; t += 8)
		assert_int_equal(r.out[t] % 32, t);
	rig_close();
}

static void test_printf(void **state)
{
	struct strbuf out = STRBUF_INIT;
	rig_open(
	    HEAD
	    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
	    ".global .align 1 .b8 fmt[34] = {116,61,37,51,100,32,120,61,37,35,120,32,102,61,37,46,50,102,32,108,61,37,108,108,100,32,115,61,37,115,37,37,10,0};\n"
	    ".global .align 1 .b8 str[3] = {79,75,0};\n" BEGIN
	    ".local .align 8 .b8 args[40];\n.reg .f64 %fd<3>;\nmov.u64 %rd4, args;\nst.local.u32 [%rd4], %r1;\n"
	    "st.local.u32 [%rd4+4], 255;\nmov.f64 %fd1, 0d3FF8000000000000;\n"
	    "st.local.f64 [%rd4+8], %fd1;\nmov.u64 %rd5, -5;\nst.local.u64 [%rd4+16], %rd5;\nmov.u64 %rd6, str;\n"
	    "st.local.u64 [%rd4+24], %rd6;\n"
	    "cvta.local.u64 %rd7, %rd4;\nmov.u64 %rd8, fmt;\nsetp.ne.u32 %p1, %r1, 33;\n@%p1 bra SKIP;\n"
	    "{ .param .b64 f; .param .b64 a; .param .b32 rr; st.param.b64 [f], %rd8; st.param.b64 [a], %rd7; "
	    "call.uni (rr), vprintf, (f, a); ld.param.b32 %r9, [rr]; }\nSKIP:\n" END,
	    false);
	rig_run();
	front_take_printf(r.f, FRONT_ALL_PROGRAMS, &out);
	assert_string_equal(strbuf_str(&out), "t= 33 x=0xff f=1.50 l=-5 s=OK%\n");
	assert_int_equal(r.out[33], 5);
	strbuf_release(&out);
	rig_close();
}

/* --- textures against a plain reference --------------------------------------------------------------------------- */
enum { TW = 13, TH = 7, TD = 3 };
static float texels[TD][TH][TW];
static u32 ref_address(s64 i, s64 n, u8 mode, bool *border)
{
	*border = mode == TEXA_BORDER && (i < 0 || i >= n);
	if (mode == TEXA_WRAP)
		while (i < 0 || i >= n)
			i += i < 0 ? n : -n;
	if (mode == TEXA_MIRROR)
		while (i < 0 || i >= n)
			i = i < 0 ? -1 - i : 2 * n - 1 - i;
	return (u32)(i < 0 ? 0 : i >= n ? n - 1 : i);
}
static double ref_texel(const struct texture *t, s64 x, s64 y, s64 z)
{
	bool bx, by, bz;
	const u32 i = ref_address(x, TW, t->address[0], &bx), j = ref_address(y, TH, t->address[1], &by),
	          k = ref_address(z, TD, t->address[2], &bz);
	return bx || by || bz ? 0 : texels[k][j][i];
}
static double ref_sample(const struct texture *t, double x, double y, double z)
{
	if (t->normalised_coords)
		x *= TW, y *= TH, z *= TD;
	if (!t->linear)
		return ref_texel(t, (s64)floor(x), (s64)floor(y), (s64)floor(z));
	double sum = 0;
	x -= 0.5, y -= 0.5, z -= 0.5;
	const double fx = floor((x - floor(x)) * 256 + 0.5) / 256, fy = floor((y - floor(y)) * 256 + 0.5) / 256,
	             fz = floor((z - floor(z)) * 256 + 0.5) / 256;
	for (u32 c = 0; c < 8; c++)
		sum += (c & 1 ? fx : 1 - fx) * (c & 2 ? fy : 1 - fy) * (c & 4 ? fz : 1 - fz) *
		       ref_texel(t, (s64)floor(x) + (c & 1), (s64)floor(y) + (c >> 1 & 1), (s64)floor(z) + (c >> 2));
	return sum;
}
static void test_textures(void **state)
{
	for (u32 variant = 0; variant < 12; variant++) {
		struct err e = {0};
		const bool norm = variant >= 4;
		rig_open(HEAD ".global .texref tx;\n" BEGIN "mul.wide.u32 %rd4, %r1, 12;\nadd.s64 %rd5, %rd1, %rd4;\n"
		              "ld.param.u64 %rd6, [p2];\nadd.s64 %rd6, %rd6, %rd4;\n"
		              "ld.global.f32 %f1, [%rd6];\nld.global.f32 %f2, [%rd6+4];\nld.global.f32 %f3, [%rd6+8];\n"
		              "tex.3d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [tx, {%f1,%f2,%f3,%f3}];\nmov.b32 %r9, %f4;\n" END,
		         false);
		const u64 img = devmem_alloc(&r.mem, sizeof(texels), "img", &e),
		          coords = devmem_alloc(&r.mem, N * 12, "coords", &e);
		float xyz[N][3];
		for (u32 i = 0; i < TD * TH * TW; i++)
			(&texels[0][0][0])[i] = (float)((i * 2654435761u) >> 8 & 1023) / 8;
		for (u32 i = 0; i < N; i++)
			for (u32 d = 0; d < 3; d++) {
				const double u = (double)((i * 3 + d) * 40503u % 1000) / 250 - 1.5; /* -1.5 .. 2.5 textures */
				xyz[i][d] = (float)(norm ? u : u * (d == 0 ? TW : d == 1 ? TH : TD));
			}
		devmem_write(&r.mem, img, texels, sizeof(texels), &e);
		devmem_write(&r.mem, coords, xyz, sizeof(xyz), &e);
		memcpy(r.l.params + 8, &coords, 8);
		struct texture t = {.addr = img,
		                    .width = TW,
		                    .height = TH,
		                    .depth = TD,
		                    .pitch = TW * 4,
		                    .channels = 1,
		                    .type = T_F32,
		                    .linear = variant & 1,
		                    .normalised_coords = norm};
		static const u8 modes[6] = {TEXA_CLAMP, TEXA_BORDER, TEXA_WRAP, TEXA_MIRROR, TEXA_CLAMP, TEXA_BORDER};
		memset(t.address, modes[variant / 2 % 6], 3);
		if (!front_bind_texture(r.f, r.m, "tx", &t, &e))
			fail_msg("%s", e.msg);
		rig_run();
		fault_text(FAULT_NONE);
		for (u32 i = 0; i < N; i++) {
			float got;
			memcpy(&got, &r.out[i], 4);
			const double want = ref_sample(&t, xyz[i][0], xyz[i][1], xyz[i][2]);
			if (fabs(got - want) > 1e-3 * (fabs(want) + 1))
				fail_msg("variant %u thread %u (%g %g %g): %g, want %g", variant, i, (double)xyz[i][0],
				         (double)xyz[i][1], (double)xyz[i][2], (double)got, want);
		}
		t.pitch = 8;
		assert_false(front_bind_texture(r.f, r.m, "tx", &t, &e));
		expect_words(e.msg, "pitch of 8 bytes");
		rig_close();
	}
}

/* What the debugger sees of a diverged warp inside a function. */
static void test_inspection(void **state)
{
	static struct dyninst d;
	struct simt_entry st[8];
	rig_open(HEAD ".func f()\n{\n.reg .b32 %r<4>; .reg .pred %p<3>;\nmov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 8;\n"
	              "@%p1 bra X;\nadd.u32 %r1, %r1, 1;\nX: ret;\n}\n" BEGIN "call.uni f, ();\n" END,
	         false);
	front_cta_start(r.f, 0, 0, &r.l, 0, 0xf);
	do
		front_issue(r.f, 0, 0, 0, &d);
	while (!(d.flags & (DYN_DIVERGED | DYN_WARP_DONE)));
	assert_int_equal(d.in->op, OP_BRA);
	assert_int_equal(d.taken, 0xff);
	assert_int_equal(d.next_pc, d.pc + 1);
	assert_int_equal(front_active_mask(r.f, 0, 0), 0xffffff00);
	const u32 depth = front_stack(r.f, 0, 0, st, ARRAY_LEN(st));
	assert_in_range(depth, 4, 5); /* a path, the join, the call, the caller */
	assert_int_equal(st[0].mask, 0xffffff00);
	assert_int_equal(st[depth - 1].mask, 0xffffffff);
	assert_true(st[depth - 2].is_call);
	const opnd at = r.m->code[d.pc - 1].s[0]; /* the function's %r1 */
	assert_int_equal(front_read_reg(r.f, 0, 0, 9, at, T_U32), 9);
	assert_true(front_write_reg(r.f, 0, 0, 9, at, T_U32, 77));
	assert_int_equal(front_read_reg(r.f, 0, 0, 9, at, T_U32), 77);
	assert_false(front_write_reg(r.f, 0, 0, 9, 1 << 20, T_U32, 77));
	rig_close();
}

/* brkpt stops, and goes on after front_clear_fault. */
static void test_breakpoint(void **state)
{
	static struct dyninst d;
	rig_open(HEAD BEGIN "brkpt;\nadd.u32 %r9, %r9, 3;\n" END, false);
	rig_run();
	fault_text(FAULT_BRKPT);
	front_clear_fault(r.f);
	fault_text(FAULT_NONE);
	do
		front_issue(r.f, 0, 0, 0, &d), front_commit(r.f, 0, NEVER);
	while (!(d.flags & DYN_WARP_DONE));
	fault_text(FAULT_NONE);
	assert_true(devmem_read(&r.mem, r.buf, r.out, 128, &(struct err){0}));
	assert_int_equal(r.out[31], 3);
	rig_close();
}

/* The same kernel twice in fresh machines: equal arenas and memories. */
static void test_deterministic(void **state)
{
	u64 hash[2], mem[2];
	for (u32 i = 0; i < 2; i++) {
		rig_open(HEAD FIB BEGIN "rem.u32 %r2, %r1, 6;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; "
		                        "call.uni (b), fib, (a); ld.param.b32 %r9, [b]; }\n" END,
		         false);
		rig_run();
		hash[i] = arena_hash(&r.arena);
		mem[i] = devmem_hash(&r.mem);
		rig_close();
	}
	assert_true(hash[0] == hash[1] && mem[0] == mem[1]);
}

/* Lanes of one warp come to a barrier by instructions with opposite guards, or only some come and the rest goes on to
 * its end. Warps are at different speeds, and each reads what the other wrote before. */
#define GUARDED(sync)                                                                                                  \
	HEAD BEGIN ".shared .b32 sh[128];\nmov.u32 %r2, sh;\nshl.b32 %r3, %r1, 2;\nadd.u32 %r3, %r2, %r3;\n"               \
	           "xor.b32 %r4, %r1, 67;\nshl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r2, %r4;\nand.b32 %r5, %r1, 31;\n"          \
	           "setp.lt.u32 %p1, %r5, 5;\nmov.u32 %r6, 0;\nmov.u32 %r9, %r1;\n"                                        \
	           "LOOP: shr.u32 %r7, %r1, 5;\nxor.b32 %r7, %r7, %r6;\nand.b32 %r7, %r7, 3;\nmul.lo.u32 %r7, %r7, 9;\n"   \
	           "SLOW: setp.eq.u32 %p2, %r7, 0;\n@%p2 bra GO;\nsub.u32 %r7, %r7, 1;\nbra SLOW;\n"                       \
	           "GO: st.shared.u32 [%r3], %r9;\n@%p1 " sync " 0;\n@!%p1 " sync " 0;\nld.shared.u32 %r8, [%r4];\n"       \
	           "@!%p1 " sync " 1;\n@%p1 " sync " 1;\nmad.lo.u32 %r9, %r8, 3, %r6;\n"                                   \
	           "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, 5;\n@%p3 bra LOOP;\n" END
static void guarded_barriers(const char *text, bool check)
{
	rig_open(text, false);
	ptx_of(r.f)->check_barriers = check;
	rig_run();
}
static void test_guarded_barriers(void **state)
{
	static const struct {
		const char *text;
		bool check;
	} right[] = {{GUARDED("barrier.sync"), true}, {GUARDED("barrier.cta.sync"), true}, {GUARDED("bar.sync"), false}};
	for (u32 k = 0; k < ARRAY_LEN(right); k++) {
		guarded_barriers(right[k].text, right[k].check);
		fault_text(FAULT_NONE);
		for (u32 t = 0; t < N; t++) {
			u32 want[2] = {t, t ^ 67};
			for (u32 i = 0; i < 5; i++) {
				const u32 mine = want[0];
				want[0] = want[1] * 3 + i;
				want[1] = mine * 3 + i;
			}
			assert_int_equal(r.out[t], want[0]);
		}
		rig_close();
	}
	guarded_barriers(GUARDED("bar.sync"), true);
	expect_words(fault_text(FAULT_DIVERGENT_BARRIER),
	             "its guard is false for others, which .aligned does not allow (barrier.sync does)");
	expect_words(fault_text(FAULT_DIVERGENT_BARRIER), "lanes 0x0000001f");
	rig_close();
	guarded_barriers(GUARDED("barrier.sync.aligned"), true);
	fault_text(FAULT_DIVERGENT_BARRIER);
	rig_close();
}
static void test_guarded_barrier_for_some(void **state)
{
	rig_open(HEAD BEGIN "and.b32 %r5, %r1, 31;\nsetp.lt.u32 %p1, %r5, 5;\n@!%p1 st.global.u32 [%rd3], 7;\n"
	                    "@%p1 barrier.sync 0;\nsub.u64 %rd4, %rd3, 0;\nxor.b32 %r6, %r1, 64;\nor.b32 %r6, %r6, 8;\n"
	                    "mul.wide.u32 %rd5, %r6, 4;\nadd.u64 %rd5, %rd1, %rd5;\n@%p1 ld.global.u32 %r9, [%rd5];\n"
	                    "@!%p1 mov.u32 %r9, 7;\n" END,
	         false);
	rig_run();
	fault_text(FAULT_NONE);
	for (u32 t = 0; t < N; t++)
		assert_int_equal(r.out[t], 7);
	rig_close();
	rig_open(HEAD BEGIN
	         "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 barrier.sync 1;\n@!%p1 barrier.sync 2;\n" END,
	         false);
	rig_run();
	expect_words(fault_text(FAULT_DIVERGENT_BARRIER), "others wait at line ");
	rig_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nested_loops),
	    cmocka_unit_test(test_exit_in_divergence),
	    cmocka_unit_test(test_exit_in_a_function),
	    cmocka_unit_test(test_recursion),
	    cmocka_unit_test(test_call_overflow),
	    cmocka_unit_test(test_indirect_calls),
	    cmocka_unit_test(test_bad_call),
	    cmocka_unit_test(test_barriers),
	    cmocka_unit_test(test_warp_operations),
	    cmocka_unit_test(test_shuffle_of_idle_lanes),
	    cmocka_unit_test(test_atomics),
	    cmocka_unit_test(test_local_and_generic),
	    cmocka_unit_test(test_faults),
	    cmocka_unit_test(test_bounds_as_the_chip),
	    cmocka_unit_test(test_one_address),
	    cmocka_unit_test(test_printf),
	    cmocka_unit_test(test_textures),
	    cmocka_unit_test(test_deterministic),
	    cmocka_unit_test(test_inspection),
	    cmocka_unit_test(test_breakpoint),
	    cmocka_unit_test(test_member_masks),
	    cmocka_unit_test(test_undefined_masks),
	    cmocka_unit_test(test_meeting_in_calls),
	    cmocka_unit_test(test_return_beside_a_call),
	    cmocka_unit_test(test_leaving_before_a_barrier),
	    cmocka_unit_test(test_exit_ends_waiting),
	    cmocka_unit_test(test_gone_costs_nothing),
	    cmocka_unit_test(test_barrier_numbers),
	    cmocka_unit_test(test_guarded_barriers),
	    cmocka_unit_test(test_guarded_barrier_for_some),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
