/* mbarriers against a model that knows only PTX's rules: random sequences of all operations by one thread, by lanes of
 * a warp, misuse, objects as observers see them; and accesses of what cp.async has under way. */
#include "base/rng.h"
#include "tests/rig/kernel_rig.h"

#define TOP                                                                                                            \
	".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 buf, .param .u64 p2)\n{\n"           \
	".reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .pred %p<8>;\n.shared .align 16 .b8 sm[4096];\n"                        \
	"ld.param.u64 %rd1, [buf];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, sm;\n"

enum { TEXT = 2000 };
static void kernel(char text[TEXT], const char *first, const char *middle, const char *last)
{
	snprintf(text, TEXT, "%s%s%s\n%s", TOP, first, middle, last);
}

/* --- one thread, all operations ----------------------------------------------------------------------------------- */

struct model { /* PTX ISA, mbarrier: pending and expected arrivals, tx-count; completed phases */
	s64 pending, expected, tx;
	u32 phases;
};
static void settle(struct model *m)
{
	if (m->pending == 0 && m->tx == 0) {
		m->pending = m->expected;
		m->phases++;
	}
}

enum { OBJECTS = 3, STEPS = 120 };
struct sequence {
	struct strbuf ptx;
	struct model m[OBJECTS];
	u32 old_phase[OBJECTS]; /* of the state that is kept in %rd(10 + object) */
	s64 old_pending[OBJECTS];
	bool kept[OBJECTS];
	u32 want[4 * N], nwant;
	u64 seed;
};
static u32 draw(struct sequence *q, u32 n)
{
	return (u32)(rng_next(&q->seed) >> 33) % n;
}
/* The last result, in %r9, is what the model says. */
static void record(struct sequence *q, u32 v)
{
	strbuf_addf(&q->ptx, "st.global.u32 [%%rd1+%u], %%r9;\n", 4 * q->nwant);
	q->want[q->nwant++] = v;
}
static const char *const spaces[] = {".shared", ".shared::cta"};
static const char *const sems[] = {"", ".release.cta", ".release.cluster", ".relaxed.cta"};
static void arrive(struct sequence *q, u32 o)
{
	struct model *m = &q->m[o];
	const bool drop = draw(q, 6) == 0 && m->expected > 3, keep = draw(q, 2), expect = draw(q, 4) == 0;
	const s64 most = MIN(m->pending, 4);
	s64 count = 1 + draw(q, (u32)MAX(most, 1)), tx = 0;
	if (!m->pending)
		return; /* bytes are to come: one more arrival would be too many */
	if (drop)
		count = MIN(count, m->expected - 1);
	if (expect) {
		count = 1;
		tx = 8 * draw(q, 5);
	}
	const bool never_ends = !expect && draw(q, 3) == 0 && (m->pending > count || m->tx);
	q->old_phase[o] = m->phases;
	q->old_pending[o] = m->pending;
	q->kept[o] |= keep;
	strbuf_addf(&q->ptx, "mbarrier.arrive%s%s%s%s.b64 ", drop ? "_drop" : "",
	            expect       ? ".expect_tx"
	            : never_ends ? ".noComplete"
	                         : "",
	            never_ends ? "" : sems[draw(q, 4)], spaces[draw(q, 2)]);
	if (keep)
		strbuf_addf(&q->ptx, "%%rd%u", 10 + o);
	else
		strbuf_adds(&q->ptx, "_");
	if (!keep && q->kept[o])
		q->kept[o] = false; /* the one that is kept may be too old by now */
	strbuf_addf(&q->ptx, ", [%%r2+%u]", 8 * o);
	if (expect)
		strbuf_addf(&q->ptx, ", %lld", (long long)tx);
	else if (count != 1 || never_ends)
		strbuf_addf(&q->ptx, ", %lld", (long long)count);
	strbuf_adds(&q->ptx, ";\n");
	m->tx += tx;
	m->pending -= count;
	m->expected -= drop ? count : 0;
	settle(m);
}
static void move_bytes(struct sequence *q, u32 o)
{
	struct model *m = &q->m[o];
	const bool complete = draw(q, 2);
	const s64 tx = complete && m->tx > 0 && draw(q, 2) ? m->tx : 8 * draw(q, 6);
	strbuf_addf(&q->ptx, "mbarrier.%s%s.shared::cta.b64 [%%r2+%u], %lld;\n", complete ? "complete_tx" : "expect_tx",
	            draw(q, 2) ? ".relaxed.cta" : "", 8 * o, (long long)tx);
	m->tx += complete ? -tx : tx;
	if (tx)
		settle(m);
}
static void wait(struct sequence *q, u32 o)
{
	const bool parity = draw(q, 2) || !q->kept[o] || q->m[o].phases - q->old_phase[o] > 1;
	const bool try = draw(q, 2);
	const u32 p = draw(q, 2);
	strbuf_addf(&q->ptx, "mbarrier.%s%s%s.shared.b64 %%p1, [%%r2+%u], ", try ? "try_wait" : "test_wait",
	            parity ? ".parity" : "", draw(q, 2) ? "" : ".acquire.cta", 8 * o);
	if (parity)
		strbuf_addf(&q->ptx, "%u", p);
	else
		strbuf_addf(&q->ptx, "%%rd%u", 10 + o);
	strbuf_addf(&q->ptx, "%s;\nselp.u32 %%r9, 1, 0, %%p1;\n", try && draw(q, 2) ? ", 20" : "");
	record(q, parity ? (q->m[o].phases & 1) != p : q->m[o].phases != q->old_phase[o]);
}
static void one_thread(void **state)
{
	for (u32 round = 0; round < 60; round++) {
		struct sequence q = {.ptx = STRBUF_INIT, .seed = round + 1};
		strbuf_adds(&q.ptx, TOP "setp.ne.u32 %p7, %r1, 0;\n@%p7 bra DONE;\ncvta.shared.u64 %rd4, 0;\n");
		for (u32 o = 0; o < OBJECTS; o++) {
			q.m[o].pending = q.m[o].expected = 1 + draw(&q, 9);
			strbuf_addf(&q.ptx, "mbarrier.init.shared::cta.b64 [%%r2+%u], %lld;\n", 8 * o, (long long)q.m[o].pending);
		}
		for (u32 k = 0; k < STEPS && q.nwant < 4 * N - 4; k++) {
			const u32 o = draw(&q, OBJECTS), what = draw(&q, 8);
			if (what < 3)
				arrive(&q, o);
			else if (what < 5)
				move_bytes(&q, o);
			else if (what < 7)
				wait(&q, o);
			else if (q.kept[o]) {
				strbuf_addf(&q.ptx, "mbarrier.pending_count.b64 %%r9, %%rd%u;\n", 10 + o);
				record(&q, (u32)q.old_pending[o]);
			}
		}
		strbuf_adds(&q.ptx, "DONE: ret;\n}\n");
		rig_open(strbuf_str(&q.ptx), false);
		rig_run();
		fault_text(FAULT_NONE);
		for (u32 i = 0; i < q.nwant; i++)
			if (r.out[i] != q.want[i])
				fail_msg("round %u, result %u: %u, want %u\n%s", round, i, r.out[i], q.want[i], strbuf_str(&q.ptx));
		struct mbarrier_info at[OBJECTS + 1];
		assert_int_equal(front_mbarriers(r.f, 0, 0, at, OBJECTS + 1), OBJECTS);
		for (u32 o = 0; o < OBJECTS; o++) {
			assert_int_equal(at[o].addr, 8 * o);
			assert_int_equal(at[o].pending, q.m[o].pending);
			assert_int_equal(at[o].expected, q.m[o].expected);
			assert_int_equal(at[o].tx, q.m[o].tx);
			assert_int_equal(at[o].phase, q.m[o].phases % 8);
		}
		rig_close();
		strbuf_release(&q.ptx);
	}
}

/* --- a warp ------------------------------------------------------------------------------------------------------- */

/* 128 threads arrive at one object of 128 through generic addresses: lane after lane, each gets the state before its
 * own arrival, and then the phase is over. */
static void lanes(void **state)
{
	rig_open(TOP "cvta.shared.u64 %rd5, sm;\nsetp.ne.u32 %p1, %r1, 0;\n@!%p1 mbarrier.init.b64 [%rd5+64], 128;\n"
	             "bar.sync 0;\nmbarrier.arrive.b64 %rd6, [%rd5+64];\nmbarrier.pending_count.b64 %r9, %rd6;\n"
	             "bar.sync 0;\nmbarrier.test_wait.b64 %p2, [%rd5+64], %rd6;\n@!%p2 mov.u32 %r9, 777;\n"
	             "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r9;\n"
	             "bar.sync 0;\n@!%p1 mbarrier.inval.b64 [%rd5+64];\nret;\n}\n",
	         false);
	rig_run();
	fault_text(FAULT_NONE);
	for (u32 i = 0; i < N; i++)
		assert_int_equal(r.out[i], N - i);
	struct mbarrier_info at;
	assert_int_equal(front_mbarriers(r.f, 0, 0, &at, 1), 0); /* inval */
	rig_close();
}

/* --- misuse ------------------------------------------------------------------------------------------------------- */

static void misuse(void **state)
{
	static const struct {
		const char *ptx;
		enum fault_code code;
		const char *words;
	} t[] = {
	    {"mbarrier.arrive.shared.b64 _, [%r2];", FAULT_MBARRIER, "no mbarrier.init has been executed there"},
	    {"mbarrier.init.shared.b64 [%r2], 1;\nmbarrier.inval.shared.b64 [%r2];\n"
	     "mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 0;",
	     FAULT_MBARRIER, "or mbarrier.inval since"},
	    {"mbarrier.init.shared.b64 [%r2], 1;\nmbarrier.arrive.shared.b64 _, [%r2+8];", FAULT_MBARRIER, "at 0x8"},
	    {"mbarrier.init.shared.b64 [%r2+4], 1;", FAULT_MISALIGNED, "misaligned"},
	    {"mbarrier.init.shared.b64 [%r2], 0;", FAULT_MBARRIER, "a count of 0"},
	    {"mbarrier.init.shared.b64 [%r2], 1048576;", FAULT_MBARRIER, "a count of 1048576"},
	    {"mbarrier.init.shared.b64 [%r2], 4;\nmbarrier.arrive.shared.b64 _, [%r2], 0;", FAULT_MBARRIER, "a count of 0"},
	    {"mbarrier.init.shared.b64 [%r2], 4;\nmbarrier.arrive.shared.b64 _, [%r2], 5;", FAULT_MBARRIER,
	     "more arrivals than its phase expects: 4 pending"},
	    {"mbarrier.init.shared.b64 [%r2], 2;\nmbarrier.arrive.noComplete.shared.b64 %rd5, [%r2], 2;", FAULT_MBARRIER,
	     "with .noComplete ends the phase"},
	    {"mbarrier.init.shared.b64 [%r2], 2;\nmbarrier.expect_tx.shared.b64 [%r2], 1048575;\n"
	     "mbarrier.expect_tx.shared.b64 [%r2], 1;",
	     FAULT_MBARRIER, "tx-count out of range"},
	    {"mbarrier.init.shared.b64 [%r2], 1;\nmbarrier.arrive.shared.b64 %rd5, [%r2];\n"
	     "mbarrier.arrive.shared.b64 _, [%r2];\nmbarrier.test_wait.shared.b64 %p1, [%r2], %rd5;",
	     FAULT_MBARRIER, "a wait for phase 0, but it is in phase 2"},
	    {"mbarrier.init.shared.b64 [%r2], 1;\nmbarrier.test_wait.parity.shared.b64 %p1, [%r2], 2;", FAULT_MBARRIER,
	     "a wait for parity 2"},
	    {"mbarrier.init.shared.b64 [%r2+65536], 1;", FAULT_SHARED_OOB, "out of bounds"},
	};
	for (u32 i = 0; i < ARRAY_LEN(t); i++) {
		char text[TEXT];
		kernel(text, "setp.ne.u32 %p7, %r1, 0;\n@%p7 bra DONE;\n", t[i].ptx, "DONE: ret;\n}\n");
		rig_open(text, false);
		rig_run();
		expect_words(fault_text(t[i].code), t[i].words);
		rig_close();
	}
}

/* What the reader refuses, with the place. */
static void refused(void **state)
{
	static const char *const t[][2] = {
	    {"mbarrier.init.shared.b64 [%r2];", "test.ptx:11:1: 'mbarrier.init.shared.b64' takes 2 operands, here are 1"},
	    {"mbarrier.init.shared [%r2], 1;", "needs type .b64"},
	    {"mbarrier.arrive.expect_tx.shared.b64 _, [%r2];", "takes 3 operands, here are 2"},
	    {"mbarrier.arrive.parity.shared.b64 _, [%r2];", ".parity is for test_wait and try_wait"},
	    {"mbarrier.test_wait.shared.b64 %p1, [%r2], %r3;", "'%r3' is a .b32 register"},
	    {"mbarrier.try_wait.parity.shared.b64 %r3, [%r2], 0;", "needs a predicate here"},
	    {"mbarrier.test_wait.release.cta.shared.b64 %p1, [%r2], %rd3;", "arrivals have .release, waits .acquire"},
	    {"mbarrier.shared.b64 %p1, [%r2];", "lacks a modifier"},
	    {"mbarrier.arrive.b64 _, [%r2];", "needs a generic address"},
	    {"mbarrier.arrive.noComplete.shared.b64 %rd3, [%r2];", "takes 3 operands"},
	};
	for (u32 i = 0; i < ARRAY_LEN(t); i++) {
		char text[TEXT];
		struct err e = {0};
		kernel(text, "", t[i][0], "ret;\n}\n");
		struct module *m = ptx_load("test.ptx", text, strlen(text), &e);
		if (m)
			fail_msg("%s is accepted", t[i][0]);
		expect_words(e.msg, t[i][1]);
		err_clear(&e);
	}
}

/* --- copies under way --------------------------------------------------------------------------------------------- */

/* Each of 128 threads copies 16 bytes to sm[16 * tid]; then an access before or behind the wait. */
static void races(void **state)
{
	static const struct {
		const char *ptx;
		bool race;
	} t[] = {
	    {"ld.shared.u32 %r9, [%r3];", true},
	    {"st.shared.u8 [%r3+15], %r9;", true},
	    {"atom.shared.add.u32 %r9, [%r3+4], 1;", true},
	    {"cvta.shared.u64 %rd5, sm;\nld.u32 %r9, [%rd5];", true},
	    {"ld.shared.u32 %r9, [%r2+2048];", false},
	    {"cp.async.commit_group;\nld.shared.u32 %r9, [%r3];", true},
	    {"cp.async.commit_group;\ncp.async.wait_group 0;\nld.shared.u32 %r9, [%r3];", false},
	    {"cp.async.wait_group 0;\nld.shared.u32 %r9, [%r3];", true}, /* nothing has been committed */
	    {"cp.async.wait_all;\nld.shared.u32 %r9, [%r3];", false},
	    {"cp.async.commit_group;\ncp.async.wait_group 1;\nld.shared.u32 %r9, [%r3];", true},
	    {"cp.async.commit_group;\ncp.async.ca.shared.global [%r3+2048], [%rd4], 4;\ncp.async.commit_group;\n"
	     "cp.async.wait_group 1;\nld.shared.u32 %r9, [%r3];",
	     false},
	    {"cp.async.commit_group;\ncp.async.ca.shared.global [%r3+2048], [%rd4], 4;\ncp.async.commit_group;\n"
	     "cp.async.wait_group 1;\nld.shared.u32 %r9, [%r3+2048];",
	     true},
	    {"cp.async.ca.shared.global [%r3+2048], [%rd4], 4;\ncp.async.wait_all;\nld.shared.u32 %r9, [%r3+2052];", false},
	    /* what another warp copies, and has not waited for */
	    {"setp.ge.u32 %p1, %r1, 32;\n@%p1 cp.async.wait_all;\n@%p1 ld.shared.u32 %r9, [%r2];", true},
	    {"cp.async.wait_all;\nbar.sync 0;\nxor.b32 %r4, %r1, 32;\nshl.b32 %r4, %r4, 4;\nadd.u32 %r4, %r4, %r2;\n"
	     "ld.shared.u32 %r9, [%r4];",
	     false},
	};
	for (u32 i = 0; i < ARRAY_LEN(t); i++)
		for (u32 on = 0; on < 2; on++) {
			char text[TEXT];
			kernel(text,
			       "shl.b32 %r3, %r1, 4;\nadd.u32 %r3, %r3, %r2;\nmul.wide.u32 %rd4, %r1, 16;\n"
			       "add.s64 %rd4, %rd1, %rd4;\ncp.async.cg.shared.global [%r3], [%rd4], 16;\n",
			       t[i].ptx, "cp.async.wait_all;\nret;\n}\n");
			rig_check_copies = on;
			rig_open(text, false);
			rig_run();
			const char *said = fault_text(t[i].race && on ? FAULT_COPY_RACE : FAULT_NONE);
			if (t[i].race && on)
				expect_words(said, "that warp has not waited for it");
			rig_close();
		}
	rig_check_copies = true;
}

/* Groups' numbers come round: what was waited for long ago is not under way again. */
static void many_groups(void **state)
{
	rig_open(TOP
	         "shl.b32 %r3, %r1, 4;\nadd.u32 %r3, %r3, %r2;\nmul.wide.u32 %rd4, %r1, 16;\nadd.s64 %rd4, %rd1, %rd4;\n"
	         "cp.async.cg.shared.global [%r3], [%rd4], 16;\nmov.u32 %r10, 0;\n"
	         "L: cp.async.ca.shared.global [%r3+2048], [%rd4], 4;\ncp.async.commit_group;\ncp.async.wait_group 0;\n"
	         "ld.shared.u32 %r9, [%r3];\nadd.u32 %r10, %r10, 1;\nsetp.lt.u32 %p1, %r10, 3000;\n@%p1 bra L;\nret;\n}\n",
	         false);
	rig_run();
	fault_text(FAULT_NONE);
	rig_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_thread), cmocka_unit_test(lanes), cmocka_unit_test(misuse),
	    cmocka_unit_test(refused),    cmocka_unit_test(races), cmocka_unit_test(many_groups),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
