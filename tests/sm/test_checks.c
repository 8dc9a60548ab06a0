/* Races and reads of what nobody has written (sm/checks.h): kernels with planted faults and their repaired twins, each
 * with the pairs of lines that must be found; time travel, forks, and that the machine is the same without. */
#include "tests/rig/sm_rig.h"

#include "base/rng.h"
#include "gpu/gpu.h"
#include "obs/name/findings.h"
#include "obs/name/names.h"

#define RACES "check.races=true"
#define INIT "check.init=true"
#define HEAD9 ".version 8.0\n.target sm_90\n.address_size 64\n"
#define DECLARE                                                                                                        \
	".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"                                                             \
	".reg .u64 %rd<16>; .reg .u32 %r<16>; .reg .u16 %h<4>; .reg .pred %p<6>; .shared .align 16 .b8 sh[4096];\n"        \
	"ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"                 \
	"shl.b32 %r3, %r1, 2;\nmov.u32 %r4, sh;\nadd.u32 %r3, %r3, %r4;\n"                                                 \
	"mul.wide.u32 %rd3, %r1, 4;\nadd.u64 %rd4, %rd1, %rd3;\nadd.u32 %r9, %r4, %r1;\n"                                  \
	"setp.lt.u32 %p1, %r1, 32;\nsetp.eq.u32 %p2, %r1, 0;\nsetp.eq.u32 %p3, %r2, 0;\n"
#define BEGIN PTX_HEAD DECLARE
#define END "DONE: ret;\n}\n"

/* --- kernels with known answers ----------------------------------------------------------------------------------- */

static void add_side(const struct gpu *g, const struct check_side *s, struct strbuf *out)
{
	line_text(gpu_launched(g, s->launch)->mod, s->pc, out);
}

/* "raw shared: FIRST > SECOND\n" of each pair, with "same" and "fence" behind. */
static void list(struct sim *s, struct strbuf *out)
{
	const struct gpu *g = sim_gpu(s);
	u32 n;
	u64 lost;
	const struct check_finding *f = checks_findings(gpu_checks(g), &n, &lost);
	assert_int_equal(lost, 0);
	for (u32 i = 0; i < n; i++) {
		strbuf_addf(out, "%s %s: ", check_kind_names[f[i].kind], space_names[f[i].space]);
		if (f[i].kind != CHECK_UNINIT) {
			add_side(g, &f[i].first, out);
			strbuf_adds(out, " > ");
			assert_true(f[i].first.cycle <= f[i].second.cycle);
		}
		add_side(g, &f[i].second, out);
		strbuf_addf(out, "%s%s\n", f[i].same ? " same" : "", f[i].fence ? " fence" : "");
	}
}

struct set {
	const char *head;
	const char *const *keys;
	bool fresh; /* nobody has written the memory that the kernel gets */
};
static const char *const stack[] = {"num_sms=2", RACES, INIT, NULL};
static const char *const splits[] = {"num_sms=2", "isa.threads=splits", RACES, INIT, NULL};
static const char *const late[] = {"num_sms=2", "cuda.capability=90", RACES, INIT, NULL};
static const struct set on_stack = {BEGIN, stack, false}, on_splits = {BEGIN, splits, false},
                        on_late = {HEAD9 DECLARE, late, false}, fresh = {BEGIN, stack, true};

static struct sim *execute(const struct set *m, const char *body, u32 grid, u32 block)
{
	static const u8 zeros[16384];
	struct strbuf text = STRBUF_INIT;
	struct err e = {0};
	struct sim *s = machine(m->keys);
	const u64 args[] = {rig_alloc(s, sizeof zeros), rig_alloc(s, 4096)};
	if (!m->fresh)
		assert_true(devmem_write(sim_devmem(s), args[0], zeros, sizeof zeros, &e) &&
		            devmem_write(sim_devmem(s), args[1], zeros, 4096, &e));
	strbuf_addf(&text, "%s%s%s", m->head, body, END);
	const struct run run = run_ptx(s, text.buf, grid, block, args, 2);
	if (run.why != STOP_IDLE)
		fail_msg("stopped with %d:\n%s", run.why, text.buf);
	strbuf_release(&text);
	return s;
}

static void expect(const struct set *m, const char *body, u32 grid, u32 block, const char *want)
{
	struct strbuf got = STRBUF_INIT;
	struct sim *s = execute(m, body, grid, block);
	list(s, &got);
	if (strcmp(strbuf_str(&got), want))
		fail_msg("found:\n%s\nnot:\n%s\nin:\n%s", strbuf_str(&got), want, body);
	strbuf_release(&got);
	sim_destroy(s);
}

#define PUT "st.shared.u32 [%r3], %r1;\n"
#define BAR "bar.sync 0;\n"
/* A step of a reduction: the first warp adds what the second has put there. */
#define TAKE "@%p1 ld.shared.u32 %r5, [%r3+128];\n"
#define TAKE_LINE "@%p1 ld.shared.u32 %r5, [%r3+128];"

static void test_barrier(void **state)
{
	expect(&on_stack, PUT BAR TAKE, 1, 64, "");
	/* without it the load comes first or last, as warps are scheduled: warp 1 begins once warp 0 waits */
	expect(&on_stack, PUT "@%p1 bra GO;\nbra DONE;\nGO: nanosleep.u32 500;\nld.shared.u32 %r5, [%r3+128];\n", 1, 64,
	       "raw shared: st.shared.u32 [%r3], %r1; > ld.shared.u32 %r5, [%r3+128];\n");
	/* a loop whose second barrier is missing: the next step's store meets the load of this one */
	expect(&on_stack,
	       PUT BAR "@!%p1 bra SLOW;\nld.shared.u32 %r5, [%r3+128];\nbra DONE;\nSLOW: nanosleep.u32 500;\n"
	               "st.shared.u32 [%r3], %r2;\n",
	       1, 64, "war shared: ld.shared.u32 %r5, [%r3+128]; > st.shared.u32 [%r3], %r2;\n");
	expect(&on_stack, "@!%p1 nanosleep.u32 500;\nst.shared.u32 [%r4], %r1;\n@!%p2 bra DONE;\n", 1, 64,
	       "lanes shared: st.shared.u32 [%r4], %r1; > st.shared.u32 [%r4], %r1;\n"
	       "waw shared: st.shared.u32 [%r4], %r1; > st.shared.u32 [%r4], %r1;\n");
	/* another slot's CTA has nothing to do with it, nor the one that was here before */
	expect(&on_stack, PUT BAR TAKE BAR PUT, 20, 64, "");
}

/* Producer and consumer with barriers of their own. */
static void test_named_barriers(void **state)
{
#define PRODUCE "@!%p1 bra TAKES;\n" PUT
#define CONSUME "bra DONE;\nTAKES: bar.sync 1, 64;\nld.shared.u32 %r5, [%r3+-128];\n"
	expect(&on_stack, PRODUCE "bar.arrive 1, 64;\n" CONSUME, 1, 64, "");
	/* another barrier's arrival */
	expect(&on_stack,
	       PRODUCE "bar.arrive 2, 64;\n"
	               "bra DONE;\nTAKES: nanosleep.u32 500;\nld.shared.u32 %r5, [%r3+-128];\n",
	       1, 64, "raw shared: st.shared.u32 [%r3], %r1; > ld.shared.u32 %r5, [%r3+-128];\n");
	/* what the producer does behind its arrival is not ordered */
	expect(&on_stack,
	       PRODUCE
	       "bar.arrive 1, 64;\nst.shared.u32 [%r3], %r2;\nbra DONE;\nTAKES: bar.sync 1, 64;\nnanosleep.u32 500;\n"
	       "ld.shared.u32 %r5, [%r3+-128];\n",
	       1, 64, "raw shared: st.shared.u32 [%r3], %r2; > ld.shared.u32 %r5, [%r3+-128];\n");
	/* a barrier of warps 0 and 1 does not order warp 2 */
	expect(&on_stack,
	       "setp.lt.u32 %p4, %r1, 64;\n@%p1 st.shared.u32 [%r3], %r1;\n@%p4 bra TWO;\nnanosleep.u32 900;\n"
	       "ld.shared.u32 %r5, [%r3+-256];\nbra DONE;\nTWO: bar.sync 1, 64;\n@!%p1 ld.shared.u32 %r6, [%r3+-128];\n",
	       1, 96, "raw shared: @%p1 st.shared.u32 [%r3], %r1; > ld.shared.u32 %r5, [%r3+-256];\n");
}

static void test_bytes(void **state)
{
#define BYTE "cvt.u16.u32 %h1, %r1;\nst.shared.u8 [%r9], %h1;\n"
	expect(&on_stack, BYTE "ld.shared.u8 %h2, [%r9];\n", 1, 64, "");
	/* the last byte of warp 0 is not the first of warp 1, though they are neighbours */
	expect(&on_stack, "mul.lo.u32 %r8, %r1, 3;\nadd.u32 %r9, %r4, %r8;\n" BYTE "ld.shared.u8 %h2, [%r9];\n", 1, 64, "");
	expect(&on_stack, BYTE "@!%p1 bra DONE;\nnanosleep.u32 500;\nld.shared.u8 %h2, [%r9+1];\n", 1, 64,
	       "raw shared: st.shared.u8 [%r9], %h1; > ld.shared.u8 %h2, [%r9+1];\n");
	expect(&on_stack,
	       "shl.b32 %r8, %r1, 3;\nadd.u32 %r8, %r8, %r4;\n@%p1 st.shared.v2.u32 [%r8], {%r1,%r1};\n@%p1 bra DONE;\n"
	       "nanosleep.u32 500;\nst.shared.u32 [%r8], %r1;\nst.shared.u32 [%r3+-128], %r1;\n",
	       1, 64, "waw shared: @%p1 st.shared.v2.u32 [%r8], {%r1,%r1}; > st.shared.u32 [%r3+-128], %r1;\n");
	expect(&on_stack,
	       "@%p2 st.shared.v4.u32 [%r4], {%r1,%r1,%r1,%r1};\nsetp.ne.u32 %p4, %r1, 32;\n@%p4 bra DONE;\n"
	       "nanosleep.u32 500;\nld.shared.u32 %r5, [%r4+12];\n",
	       1, 64, "raw shared: @%p2 st.shared.v4.u32 [%r4], {%r1,%r1,%r1,%r1}; > ld.shared.u32 %r5, [%r4+12];\n");
}

/* Bytes of one word of global memory, of two warps. */
static void test_bytes_of_words(void **state)
{
#define OWN_BYTE                                                                                                       \
	"and.b32 %r8, %r1, 31;\nshl.b32 %r8, %r8, 1;\nshr.u32 %r10, %r1, 5;\nadd.u32 %r8, %r8, %r10;\ncvt.u64.u32 %rd5, "  \
	"%r8;\nadd.u64 %rd6, %rd1, %rd5;\ncvt.u16.u32 %h1, %r1;\n@!%p1 nanosleep.u32 500;\nst.global.u8 [%rd6], %h1;\n"
	expect(&on_stack, OWN_BYTE, 1, 64, "");
	expect(&on_stack, OWN_BYTE "ld.global.u8 %h2, [%rd6];\n", 1, 64, "");
	expect(&on_stack,
	       OWN_BYTE "xor.b32 %r8, %r8, 1;\ncvt.u64.u32 %rd5, %r8;\nadd.u64 %rd7, %rd1, %rd5;\n"
	                "ld.global.u8 %h2, [%rd7];\n",
	       1, 64,
	       "war global: ld.global.u8 %h2, [%rd7]; > st.global.u8 [%rd6], %h1;\n"); /* of the bytes that are written the
	                                                                                  word remembers the last */
}

static void test_one_instruction(void **state)
{
	expect(&on_stack, "st.shared.u32 [%r4], %r1;\n", 1, 32,
	       "lanes shared: st.shared.u32 [%r4], %r1; > st.shared.u32 [%r4], %r1;\n");
	expect(&on_stack, "st.shared.u32 [%r4], %r2;\n", 1, 32,
	       "lanes shared: st.shared.u32 [%r4], %r2; > st.shared.u32 [%r4], %r2; same\n");
	expect(&on_stack, "st.global.u32 [%rd2], %r1;\n", 1, 32,
	       "lanes global: st.global.u32 [%rd2], %r1; > st.global.u32 [%rd2], %r1;\n");
	expect(&on_stack, "st.global.v2.u32 [%rd2], {%r2, %r2};\n", 1, 32,
	       "lanes global: st.global.v2.u32 [%rd2], {%r2, %r2}; > st.global.v2.u32 [%rd2], {%r2, %r2}; same\n");
	/* flags as in bfs: all CTAs leave the same */
	expect(&on_stack, "mov.u32 %r5, 1;\n@%p2 st.global.u32 [%rd2], %r5;\n", 9, 32,
	       "waw global: @%p2 st.global.u32 [%rd2], %r5; > @%p2 st.global.u32 [%rd2], %r5; same\n");
	expect(&on_stack, "@%p2 st.global.u32 [%rd2], %r2;\n", 2, 32,
	       "waw global: @%p2 st.global.u32 [%rd2], %r2; > @%p2 st.global.u32 [%rd2], %r2;\n");
}

/* Lanes of a warp go in step, or each its own way. */
static void test_lanes(void **state)
{
#define NEXT "xor.b32 %r7, %r3, 4;\nld.shared.u32 %r5, [%r7];\n"
#define NEXT_FOUND "raw shared: st.shared.u32 [%r3], %r1; > ld.shared.u32 %r5, [%r7];\n"
	expect(&on_stack, PUT NEXT, 1, 32, "");
	expect(&on_splits, PUT NEXT, 1, 32, NEXT_FOUND);
	expect(&on_splits, PUT "bar.warp.sync 0xffffffff;\n" NEXT, 1, 32, "");
	expect(&on_splits, PUT BAR NEXT, 1, 32, "");
	expect(&on_splits, PUT "ld.shared.u32 %r5, [%r3];\n", 1, 32, "");
	/* a mask of pairs that the neighbours are in, and one that parts them */
	expect(&on_splits,
	       PUT "and.b32 %r8, %r1, 30;\nmov.u32 %r10, 3;\nshl.b32 %r10, %r10, %r8;\nbar.warp.sync %r10;\n" NEXT, 1, 32,
	       "");
	expect(&on_splits, PUT "mov.u32 %r10, 1;\nshl.b32 %r10, %r10, %r1;\nbar.warp.sync %r10;\n" NEXT, 1, 32, NEXT_FOUND);
	expect(&on_splits, PUT "vote.sync.ballot.b32 %r8, %p1, 0xffffffff;\n" NEXT, 1, 32, "");
}

static void test_atomics(void **state)
{
	/* a histogram: with atomics, and without */
	expect(&on_stack,
	       "@%p2 st.shared.u32 [%r4], %r2;\n" BAR "atom.shared.add.u32 %r5, [%r4], 1;\n" BAR
	       "ld.shared.u32 %r6, [%r4];\n",
	       1, 96, "");
	expect(&on_stack,
	       "@%p2 st.shared.u32 [%r4], %r2;\n" BAR "@!%p1 atom.shared.add.u32 %r5, [%r4], 1;\n@!%p1 bra DONE;\n"
	       "nanosleep.u32 500;\nld.shared.u32 %r6, [%r4];\n",
	       1, 96, "raw shared: @!%p1 atom.shared.add.u32 %r5, [%r4], 1; > ld.shared.u32 %r6, [%r4];\n");
	expect(&on_stack, "red.global.add.u32 [%rd2], 1;\n", 9, 64, "");
	expect(&on_stack,
	       "and.b32 %r8, %r1, 31;\nmul.wide.u32 %rd5, %r8, 4;\nadd.u64 %rd6, %rd2, %rd5;\n@!%p1 nanosleep.u32 500;\n"
	       "ld.global.u32 %r5, [%rd6];\nadd.u32 %r5, %r5, 1;\nst.global.u32 [%rd6], %r5;\n",
	       1, 64,
	       "raw global: st.global.u32 [%rd6], %r5; > ld.global.u32 %r5, [%rd6];\n"
	       "waw global: st.global.u32 [%rd6], %r5; > st.global.u32 [%rd6], %r5;\n");
}

/* threadFenceReduction: the CTA that draws the last ticket adds what all have left. */
#define PARTIAL(FENCE)                                                                                                 \
	"@!%p2 bra DONE;\nmul.wide.u32 %rd5, %r2, 4;\nadd.u64 %rd6, %rd1, %rd5;\nst.global.u32 [%rd6], %r2;\n" FENCE       \
	"atom.global.add.u32 %r5, [%rd2], 1;\nsetp.ne.u32 %p4, %r5, 3;\n@%p4 bra DONE;\n"                                  \
	"ld.global.u32 %r6, [%rd1];\nld.global.u32 %r6, [%rd1+4];\nld.global.u32 %r6, [%rd1+8];\nld.global.u32 %r6, "      \
	"[%rd1+12];\n"
static void test_fences(void **state)
{
	struct strbuf got = STRBUF_INIT;
	expect(&on_stack, PARTIAL("membar.gl;\n"), 4, 64, "");
	expect(&on_stack, PARTIAL("membar.sys;\n"), 4, 64, "");
	expect(&on_stack, PARTIAL("fence.acq_rel.gpu;\n"), 4, 64, "");
	for (u32 i = 0; i < 2; i++) {
		struct sim *s = execute(&on_stack, i ? PARTIAL("membar.cta;\n") : PARTIAL(""), 4, 64);
		list(s, &got);
		u32 n = 0;
		for (const char *at = got.buf; (at = strstr(at, "raw global: st.global.u32 [%rd6], %r2; > ld")); at++)
			n++;
		assert_int_equal(n, 3); /* its own it has ordered */
		assert_non_null(strstr(got.buf, " fence\n"));
		strbuf_clear(&got);
		sim_destroy(s);
	}
	strbuf_release(&got);
	/* all threads write; a barrier, then one thread's fence and ticket: for all of them */
#define MANY(FENCE, THERE)                                                                                             \
	"mad.lo.u32 %r8, %r2, 64, %r1;\nmul.wide.u32 %rd5, %r8, 4;\nadd.u64 %rd6, %rd1, %rd5;\n"                           \
	"st.global.u32 [%rd6], %r8;\n" BAR "@!%p2 bra MEET;\n" FENCE "atom.global.add.u32 %r5, [%rd2], 1;\n"               \
	"SPIN: ld.volatile.global.u32 %r5, [%rd2];\nsetp.lt.u32 %p4, %r5, 2;\n@%p4 bra SPIN;\nMEET: " THERE                \
	"xor.b32 %r8, %r8, 64;\nmul.wide.u32 %rd5, %r8, 4;\nadd.u64 %rd7, %rd1, %rd5;\nld.global.u32 %r6, [%rd7];\n"
	expect(&on_stack, MANY("membar.gl;\n", BAR), 2, 64, "");
	expect(&on_stack, MANY("", BAR), 2, 64,
	       "raw global: st.global.u32 [%rd6], %r8; > ld.global.u32 %r6, [%rd7]; fence\n");
	expect(&on_stack, MANY("membar.gl;\n", "nanosleep.u32 5000;\n"), 2, 64,
	       "raw global: st.global.u32 [%rd6], %r8; > ld.global.u32 %r6, [%rd7];\n"); /* warp 1 has not looked */
}

/* Data, then a flag. */
static void test_flags(void **state)
{
#define FLAG(ORDER, SET, LOOK)                                                                                         \
	"@!%p2 bra DONE;\nmov.u32 %r5, 1;\n@!%p3 bra SPIN;\nst.global.u32 [%rd1], %r5;\n" ORDER SET " [%rd2], %r5;\nbra "  \
	"DONE;\nSPIN: " LOOK " %r6, [%rd2];\nsetp.eq.u32 %p4, %r6, 0;\n@%p4 bra SPIN;\nld.global.u32 %r6, [%rd1];\n"
#define FLAG_FOUND "raw global: st.global.u32 [%rd1], %r5; > ld.global.u32 %r6, [%rd1]; fence\n"
	expect(&on_stack, FLAG("membar.gl;\n", "st.volatile.global.u32", "ld.volatile.global.u32"), 2, 32, "");
	expect(&on_stack, FLAG("", "st.volatile.global.u32", "ld.volatile.global.u32"), 2, 32, FLAG_FOUND);
	expect(&on_stack, FLAG("", "st.relaxed.gpu.global.u32", "ld.acquire.gpu.global.u32"), 2, 32, FLAG_FOUND);
	expect(&on_stack, FLAG("", "st.release.gpu.global.u32", "ld.acquire.gpu.global.u32"), 2, 32, "");
	expect(&on_stack, FLAG("membar.gl;\n", "red.global.add.u32", "ld.volatile.global.u32"), 2, 32, "");
}

static void test_uninit(void **state)
{
	expect(&on_stack, "ld.shared.u32 %r5, [%r3];\n", 1, 64, "uninit shared: ld.shared.u32 %r5, [%r3];\n");
	expect(&on_stack, PUT "ld.shared.u32 %r5, [%r3];\n", 9, 64, "");
	/* one byte of a word, and a CTA's start makes it new */
	expect(&on_stack, "cvt.u16.u32 %h1, %r1;\nst.shared.u16 [%r3], %h1;\nld.shared.u32 %r5, [%r3];\n", 1, 32,
	       "uninit shared: ld.shared.u32 %r5, [%r3];\n");
	expect(&on_stack, "@%p3 st.shared.u32 [%r3], %r1;\nld.shared.u32 %r5, [%r3];\n", 3, 32,
	       "uninit shared: ld.shared.u32 %r5, [%r3];\n");
	expect(&on_stack, "atom.shared.add.u32 %r5, [%r4], 1;\n", 1, 32,
	       "uninit shared: atom.shared.add.u32 %r5, [%r4], 1;\n");
	expect(&on_stack, "ld.global.u32 %r5, [%rd4];\n", 1, 64, "");
	expect(&fresh, "ld.global.u32 %r5, [%rd4];\n", 1, 64, "uninit global: ld.global.u32 %r5, [%rd4];\n");
	expect(&fresh, "st.global.u32 [%rd4], %r1;\nld.global.u32 %r5, [%rd4];\n", 1, 64, "");
	expect(&fresh,
	       "@%p2 st.global.v4.u32 [%rd1], {%r1,%r1,%r1,%r1};\n@%p2 ld.global.v2.u32 {%r5,%r6}, [%rd1+8];\n"
	       "@%p2 ld.global.v2.u32 {%r7,%r8}, [%rd1+16];\n",
	       1, 32, "uninit global: @%p2 ld.global.v2.u32 {%r7,%r8}, [%rd1+16];\n");
}

/* Arrivals at mbarriers and waits, and copies. */
static void test_async(void **state)
{
#define WAIT_FOR(ARRIVE)                                                                                               \
	"setp.eq.u32 %p4, %r1, 32;\nadd.u32 %r8, %r4, 2048;\n@%p4 mbarrier.init.shared::cta.b64 [%r8], 32;\n" BAR          \
	"@%p1 bra W;\n" PUT ARRIVE "bra DONE;\nW: mbarrier.try_wait.parity.shared::cta.b64 %p5, [%r8], 0;\n"               \
	"@!%p5 bra W;\nld.shared.u32 %r5, [%r3+128];\n"
	expect(&on_late, WAIT_FOR("mbarrier.arrive.shared::cta.b64 _, [%r8];\n"), 1, 64, "");
	expect(
	    &on_late,
	    WAIT_FOR(
	        "mbarrier.arrive.shared::cta.b64 _, [%r8];\nst.shared.u32 [%r3], %r2;\n") "nanosleep.u32 500;\nld.shared.u32 %r6, [%r3+128];\n",
	    1, 64, /* it comes before the wait is over, too */
	    "raw shared: st.shared.u32 [%r3], %r2; > ld.shared.u32 %r5, [%r3+128];\n"
	    "raw shared: st.shared.u32 [%r3], %r2; > ld.shared.u32 %r6, [%r3+128];\n");
#define COPY                                                                                                           \
	"shl.b32 %r8, %r1, 4;\nadd.u32 %r8, %r8, %r4;\nmul.wide.u32 %rd5, %r1, 16;\nadd.u64 %rd6, %rd1, %rd5;\n"           \
	"cp.async.cg.shared.global [%r8], [%rd6], 16;\ncp.async.wait_all;\n"
	expect(&on_late, COPY BAR "xor.b32 %r8, %r8, 512;\nld.shared.u32 %r5, [%r8+12];\n", 1, 64, "");
	expect(&on_late,
	       COPY "@!%p1 bra DONE;\nnanosleep.u32 2000;\nxor.b32 %r8, %r8, 512;\nld.shared.u32 %r5, [%r8+12];\n", 1, 64,
	       "raw shared: cp.async.cg.shared.global [%r8], [%rd6], 16; > ld.shared.u32 %r5, [%r8+12];\n");
}

/* Launches of a stream follow each other; those of two streams do not. */
static void test_launches(void **state)
{
	static const char text[] =
	    BEGIN "st.global.u32 [%rd4], %r1;\nnanosleep.u32 2000;\nld.global.u32 %r5, [%rd4];\n" END;
	for (u32 streams = 1; streams <= 2; streams++) {
		struct sim *s = machine(stack);
		struct module *m = rig_load(s, text);
		struct strbuf got = STRBUF_INIT;
		const u64 args[] = {rig_alloc(s, 4096), rig_alloc(s, 4096)};
		rig_launch(s, m, "k", 1, 64, 0, args, 2);
		rig_launch(s, m, "k", 1, 64, streams - 1, args, 2);
		rig_finish(s);
		list(s, &got);
		assert_string_equal(strbuf_str(&got),
		                    streams == 1 ? ""
		                                 : "waw global: st.global.u32 [%rd4], %r1; > st.global.u32 [%rd4], %r1; same\n"
		                                   "raw global: st.global.u32 [%rd4], %r1; > ld.global.u32 %r5, [%rd4];\n");
		strbuf_release(&got);
		sim_destroy(s);
	}
}

/* --- who, where, when --------------------------------------------------------------------------------------------- */

static void test_sides(void **state)
{
	struct sim *s = execute(&on_stack,
	                        PUT "@%p1 bra GO;\nbra DONE;\nGO: nanosleep.u32 500;\nld.shared.u32 %r5, [%r3+128];\n"
	                            "setp.eq.u32 %p4, %r1, 5;\n@%p4 ld.shared.u32 %r6, [%r3+132];\n",
	                        3, 64);
	struct strbuf text = STRBUF_INIT;
	struct err e = {0};
	u32 n;
	u64 lost;
	const struct check_finding *f = checks_findings(gpu_checks(sim_gpu(s)), &n, &lost);
	assert_int_equal(n, 2);
	assert_int_equal(f[0].times, 3); /* a warp of each CTA */
	assert_int_equal(f[1].addr, 152);
	assert_int_equal(f[1].first.thread, 38);
	assert_int_equal(f[1].second.thread, 5);
	assert_int_equal(f[1].bytes, 4);
	assert_true(f[1].second.cycle - f[1].first.cycle >= 350); /* 500 ns */
	assert_int_equal(f[1].first.cta, f[1].second.cta);
	finding_text(sim_gpu(s), &f[1], 2, &text);
	assert_non_null(
	    strstr(text.buf, "2: race: read after write, shared memory, 4 bytes at 0x98 (sh + 152 bytes); 3 times"));
	assert_non_null(strstr(text.buf, "store by thread (38,0,0) of CTA (0,0,0), k (launch 0)"));
	assert_non_null(strstr(text.buf, "load by thread (5,0,0) of CTA (0,0,0), k (launch 0)"));
	assert_true(sim_check(s, &e));
	strbuf_release(&text);
	sim_destroy(s);
}

/* --- off, and time travel ----------------------------------------------------------------------------------------- */

static const char busy[] = BEGIN
    "mad.lo.u32 %r6, %r2, 128, %r1;\nand.b32 %r6, %r6, 1023;\nmul.wide.u32 %rd5, %r6, 4;\nadd.u64 %rd6, %rd1, %rd5;\n"
    "ld.global.u32 %r5, [%rd6];\n" PUT "setp.gt.u32 %p4, %r2, 20;\n@%p4 ld.shared.u32 %r7, [%r4+8];\n"
    "setp.gt.u32 %p5, %r2, 40;\n@%p5 st.global.u32 [%rd6+4], %r2;\n" BAR "ld.shared.u32 %r7, [%r3+512];\n"
    "setp.gt.u32 %p5, %r2, 60;\n@%p5 st.global.u32 [%rd1+64], %r6;\n"
    "red.global.add.u32 [%rd2], 1;\nld.global.u32 %r6, [%rd6+1024];\nst.global.u32 [%rd6+32768], %r6;\n" END;

struct trip {
	struct sim *s;
	struct module *m;
	u64 args[2];
};

static struct trip depart(bool checked, u64 history_mb)
{
	struct err e = {0};
	struct trip t = {.s = machine((const char *[]){"num_sms=3", checked ? RACES : NULL, INIT, NULL})};
	t.m = rig_load(t.s, busy);
	t.args[0] = rig_alloc(t.s, 131072);
	t.args[1] = rig_alloc(t.s, 4096);
	assert_true(!history_mb || sim_history(t.s, history_mb, &e));
	return t;
}

static void depart_launch(struct trip *t)
{
	sim_fork(t->s);
	rig_launch(t->s, t->m, "k", 100, 128, 0, t->args, 2);
	sim_turn(t->s);
}

static void dump(struct sim *s, struct strbuf *o)
{
	u32 n;
	u64 lost;
	const struct check_finding *f = checks_findings(gpu_checks(sim_gpu(s)), &n, &lost);
	strbuf_clear(o);
	for (u32 i = 0; i < n; i++) {
		strbuf_addf(o, "%llu ", (unsigned long long)f[i].times);
		finding_text(sim_gpu(s), &f[i], i + 1, o);
	}
}

static void run_out(struct sim *s)
{
	while (!sim_idle(s))
		sim_run(s, NEVER, NULL);
}

#define STOPS 400
static u32 straight(struct strbuf *at)
{
	struct trip t = depart(true, 0);
	u32 n = 0;
	for (u32 k = 0; k < 2; k++) {
		depart_launch(&t);
		while (!sim_idle(t.s)) {
			sim_run(t.s, (sim_cycle(t.s) / 100 + 1) * 100, NULL);
			if (sim_cycle(t.s) % 100 == 0 && n < STOPS && sim_cycle(t.s) / 100 == n + 1)
				dump(t.s, &at[n++]);
		}
	}
	sim_destroy(t.s);
	return n;
}

static void expect_dump(struct sim *s, const struct strbuf *want)
{
	struct strbuf now = STRBUF_INIT;
	dump(s, &now);
	if (strcmp(strbuf_str(&now), strbuf_str(want)))
		fail_msg("cycle %llu:\n%s\nis not\n%s", (unsigned long long)sim_cycle(s), strbuf_str(&now), strbuf_str(want));
	strbuf_release(&now);
}

static void test_travel(void **state)
{
	static struct strbuf want[STOPS];
	struct err e = {0};
	struct sim_history_info h;
	u64 seed = 5;
	u32 n = straight(want), moved = 0;
	assert_true(n > 10 && n < STOPS);
	struct trip t = depart(true, 256);
	for (u32 k = 0; k < 2; k++) {
		depart_launch(&t);
		while (!sim_idle(t.s))
			sim_run(t.s, NEVER, NULL);
	}
	for (u32 i = 0; i < 60; i++) {
		sim_history_info(t.s, &h);
		const u64 first = h.begin / 100 + 1, target = (first + rng_next(&seed) % (n - first + 1)) * 100;
		if (!sim_goto(t.s, target, &e))
			fail_msg("%s", e.msg);
		expect_dump(t.s, &want[target / 100 - 1]);
		moved += strcmp(strbuf_str(&want[target / 100 - 1]), strbuf_str(&want[n - 1])) != 0;
	}
	assert_true(moved > 20);
	for (u32 i = 0; i < n; i++)
		strbuf_release(&want[i]);
	sim_destroy(t.s);
}

/* History forks in the middle of a launch: the findings are those of a machine that never knew the other future. */
static void test_fork(void **state)
{
	struct err e = {0};
	struct strbuf want = STRBUF_INIT, other = STRBUF_INIT;
	struct trip t = depart(true, 0);
	depart_launch(&t);
	sim_run(t.s, 900, NULL);
	assert_false(sim_idle(t.s));
	depart_launch(&t);
	run_out(t.s);
	dump(t.s, &want);
	sim_destroy(t.s);
	t = depart(true, 256);
	depart_launch(&t);
	run_out(t.s);
	dump(t.s, &other);
	assert_string_not_equal(strbuf_str(&other), strbuf_str(&want));
	assert_true(sim_goto(t.s, 900, &e));
	depart_launch(&t);
	run_out(t.s);
	expect_dump(t.s, &want);
	strbuf_release(&want);
	strbuf_release(&other);
	sim_destroy(t.s);
}

/* The machine is the same, cycle by cycle, in what is hashed; SMs may tick in any order. */
static void test_off(void **state)
{
	struct sim *s[3];
	struct strbuf found[3] = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT};
	for (u32 i = 0; i < 3; i++) {
		const u64 args[] = {4096, 4096};
		u64 at[2];
		s[i] = machine((const char *[]){"num_sms=3", i == 2 ? "tick.shuffle=7" : "seed=1", i ? RACES : "seed=1",
		                                i ? INIT : NULL, NULL});
		struct module *m = rig_load(s[i], busy);
		for (u32 k = 0; k < 2; k++)
			at[k] = rig_alloc(s[i], args[k] * 32);
		rig_launch(s[i], m, "k", 100, 128, 0, at, 2);
	}
	while (!sim_idle(s[0])) {
		for (u32 i = 0; i < 3; i++)
			sim_run(s[i], sim_cycle(s[i]) + 97, NULL);
		assert_int_equal(sim_cycle(s[0]), sim_cycle(s[1]));
		assert_int_equal(sim_hash(s[0]), sim_hash(s[1]));
	}
	assert_null(gpu_checks(sim_gpu(s[0])));
	for (u32 i = 1; i < 3; i++)
		dump(s[i], &found[i]);
	assert_true(found[1].len > 0);
	assert_string_equal(strbuf_str(&found[1]), strbuf_str(&found[2]));
	for (u32 i = 0; i < 3; i++) {
		strbuf_release(&found[i]);
		sim_destroy(s[i]);
	}
}

/* Events: one for each pair, once, with its place and number. */
static void test_events(void **state)
{
	struct rig_log log = {0};
	struct trip t = depart(true, 0);
	u32 n, benign;
	sim_subscribe(t.s, EVENT(EV_FINDING), rig_record, &log);
	depart_launch(&t);
	run_out(t.s);
	n = findings_count(sim_gpu(t.s), &benign);
	assert_true(n > 3);
	assert_int_equal(rig_count(&log, EV_FINDING), n);
	for (u32 i = 0; i < n; i++) {
		u32 all;
		u64 lost;
		const struct event *e = rig_event(&log, EV_FINDING, i);
		const struct check_finding *f = checks_findings(gpu_checks(sim_gpu(t.s)), &all, &lost) + e->arg[2] - 1;
		assert_int_equal(e->cycle, f->second.cycle);
		assert_int_equal(e->arg[1], f->addr);
		assert_int_equal(e->arg[3], f->second.pc);
		assert_int_equal(e->sm, f->sm);
		assert_int_equal(e->cta, f->second.cta);
		assert_false(f->same);
	}
	free(log.e);
	sim_destroy(t.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_barrier),        cmocka_unit_test(test_named_barriers),
	    cmocka_unit_test(test_bytes),          cmocka_unit_test(test_one_instruction),
	    cmocka_unit_test(test_bytes_of_words), cmocka_unit_test(test_lanes),
	    cmocka_unit_test(test_atomics),        cmocka_unit_test(test_fences),
	    cmocka_unit_test(test_flags),          cmocka_unit_test(test_uninit),
	    cmocka_unit_test(test_async),          cmocka_unit_test(test_launches),
	    cmocka_unit_test(test_sides),          cmocka_unit_test(test_travel),
	    cmocka_unit_test(test_fork),           cmocka_unit_test(test_off),
	    cmocka_unit_test(test_events),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
