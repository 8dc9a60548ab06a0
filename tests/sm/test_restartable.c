/* The record of which CTAs could be restarted (sm/restartable.h): kernels worked out by hand, a made-up instruction
 * stream against a record byte by byte, the memory's bound, time travel, and that the machine is the same without. */
#include "tests/rig/sm_rig.h"

#include "base/rng.h"
#include "gpu/gpu.h"
#include "obs/stats/restart_record.h"

#define TRACK "idempotence.track=true"
#define BEGIN                                                                                                          \
	PTX_HEAD ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"                                                    \
	         ".reg .u64 %rd<10>; .reg .u32 %r<10>; .reg .u16 %h<4>; .reg .pred %p<4>;\n"                               \
	         "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"        \
	         "mul.wide.u32 %rd3, %r1, 4;\nadd.u64 %rd4, %rd1, %rd3;\n"
#define END "ret;\n}\n"

/* --- kernels with known answers ----------------------------------------------------------------------------------- */

struct seen {
	struct restart_record r;
	struct rig_log events;
	u64 insts; /* of the launch */
};

static void watch(struct seen *o, struct sim *s, const char *text, u32 grid, u32 block)
{
	*o = (struct seen){0};
	u64 args[] = {rig_alloc(s, 65536), rig_alloc(s, 4096)};
	sim_subscribe(s, EVENT(EV_CTA_NONIDEMPOTENT), rig_record, &o->events);
	struct run run = run_ptx(s, text, grid, block, args, 2);
	if (run.why != STOP_IDLE)
		fail_msg("stopped with %d:\n%s", run.why, text);
	o->insts = run.insts;
	restart_record_of(&o->r, sim_gpu(s), gpu_launched(sim_gpu(s), 0));
	if (o->r.unannounced)
		fail_msg("the static check has missed a place:\n%s", text);
}

static void forget(struct seen *o)
{
	restart_record_release(&o->r);
	free(o->events.e);
}

/* The kernel of this body with so many CTAs: how many end idempotent, overwrote, did atomics. */
static void expect(const char *body, u32 grid, u32 block, u32 idempotent, u32 overwrote, u32 atomic)
{
	struct strbuf text = STRBUF_INIT;
	struct sim *s = machine((const char *[]){"num_sms=2", TRACK, NULL});
	struct seen o;
	strbuf_addf(&text, "%s%s%s", BEGIN, body, END);
	watch(&o, s, text.buf, grid, block);
	if (o.r.ended != grid || o.r.idempotent != idempotent || o.r.overwrote != overwrote || o.r.atomic != atomic)
		fail_msg("%llu CTAs: %llu idempotent, %llu overwrote, %llu atomic; not %u, %u, %u:\n%s",
		         (unsigned long long)o.r.ended, (unsigned long long)o.r.idempotent, (unsigned long long)o.r.overwrote,
		         (unsigned long long)o.r.atomic, idempotent, overwrote, atomic, body);
	assert_int_equal(o.r.measured, grid);
	assert_int_equal(o.events.n, grid - idempotent); /* one for each that is not */
	forget(&o);
	sim_destroy(s);
	strbuf_release(&text);
}

#define LOAD "ld.global.u32 %r3, [%rd4];\n"
#define STORE "st.global.u32 [%rd4], %r1;\n"

static void test_order(void **state)
{
	expect(LOAD STORE, 1, 32, 0, 1, 0);
	expect(STORE LOAD, 1, 32, 1, 0, 0);
	expect(STORE LOAD STORE, 1, 32, 0, 1, 0); /* reading back counts as a read */
	expect(LOAD LOAD, 1, 256, 1, 0, 0);
	expect(STORE STORE, 1, 256, 1, 0, 0);
	expect(LOAD "st.global.u32 [%rd4+128], %r1;\n", 1, 32, 1, 0, 0);
	/* warp 1 overwrites what warp 0 has read, behind a barrier */
	expect("setp.lt.u32 %p1, %r1, 32;\n@%p1 ld.global.u32 %r3, [%rd4];\nbar.sync 0;\n"
	       "@!%p1 st.global.u32 [%rd4+-128], %r1;\n",
	       1, 64, 0, 1, 0);
}

/* What another CTA reads or writes is nothing to a CTA. */
static void test_other_ctas(void **state)
{
	expect("setp.eq.u32 %p1, %r2, 0;\n@%p1 ld.global.u32 %r3, [%rd4];\n@!%p1 st.global.u32 [%rd4], %r1;\n", 2, 64, 2, 0,
	       0);
	expect("setp.eq.u32 %p1, %r2, 3;\n" LOAD "@%p1 st.global.u32 [%rd4], %r1;\n", 5, 64, 4, 1, 0);
	/* many, one behind another in the same slots: nothing is left behind from the one before */
	expect("setp.lt.u32 %p1, %r2, 40;\n@%p1 ld.global.u32 %r3, [%rd4];\n@!%p1 st.global.u32 [%rd4], %r1;\n", 80, 64, 80,
	       0, 0);
}

static void test_widths(void **state)
{
	expect("ld.global.u8 %h1, [%rd4+3];\n" STORE, 1, 1, 0, 1, 0);
	expect("ld.global.u8 %h1, [%rd4+3];\nst.global.u8 [%rd4+2], %h1;\n", 1, 1, 1, 0, 0);
	expect("ld.global.u8 %h1, [%rd4+3];\nst.global.u16 [%rd4], %h1;\n", 1, 1, 1, 0, 0);
	expect("ld.global.u8 %h1, [%rd4+3];\nst.global.u16 [%rd4+2], %h1;\n", 1, 1, 0, 1, 0);
	expect("ld.global.v4.u32 {%r3,%r4,%r5,%r6}, [%rd1];\nst.global.u8 [%rd1+15], %h1;\n", 1, 1, 0, 1, 0);
	expect("ld.global.v4.u32 {%r3,%r4,%r5,%r6}, [%rd1];\nst.global.u8 [%rd1+16], %h1;\n", 1, 1, 1, 0, 0);
	expect("ld.global.u8 %h1, [%rd1+47];\nst.global.v2.u64 [%rd1+32], {%rd3,%rd3};\n", 1, 1, 0, 1, 0);
	expect("ld.global.u8 %h1, [%rd1+31];\nst.global.v2.u64 [%rd1+32], {%rd3,%rd3};\n", 1, 1, 1, 0, 0);
	expect("ld.global.u64 %rd5, [%rd1];\nst.global.u32 [%rd1+4], %r1;\n", 1, 1, 0, 1, 0);
}

static void test_kinds_of_loads(void **state)
{
	expect("ld.volatile.global.u32 %r3, [%rd4];\n" STORE, 1, 32, 0, 1, 0);
	expect("ld.relaxed.gpu.global.u32 %r3, [%rd4];\n" STORE, 1, 32, 0, 1, 0);
	expect("ld.global.nc.u32 %r3, [%rd4];\n" STORE, 1, 32, 0, 1, 0);
	expect(LOAD "st.volatile.global.u32 [%rd4], %r1;\n", 1, 32, 0, 1, 0);
	expect("ldu.global.u32 %r3, [%rd1];\n" STORE, 1, 32, 0, 1, 0);
	expect("prefetch.global.L1 [%rd4];\n" STORE, 1, 32, 1, 0, 0);
}

static void test_atomics(void **state)
{
	expect("atom.global.add.u32 %r3, [%rd1], 1;\n", 3, 64, 0, 0, 3);
	expect("red.global.add.u32 [%rd1], 1;\n", 3, 64, 0, 0, 3);
	expect("atom.add.u32 %r3, [%rd1], 1;\n", 3, 64, 0, 0, 3); /* generic */
	expect("setp.gt.u32 %p1, %r1, 999;\n@%p1 red.global.add.u32 [%rd1], 1;\n", 1, 64, 1, 0, 0);
	expect("setp.eq.u32 %p1, %r2, 1;\n@%p1 red.global.add.u32 [%rd1], 1;\n", 3, 64, 2, 0, 1);
	/* an atomic reads: a store behind it overwrites as well */
	expect("red.global.add.u32 [%rd4], 1;\n" STORE, 1, 32, 0, 1, 1);
	expect("red.global.add.u32 [%rd4], 1;\nst.global.u32 [%rd4+128], %r1;\n", 1, 32, 0, 0, 1);
	expect(".shared .u32 s[4];\natom.shared.add.u32 %r3, [s], 1;\n", 2, 64, 2, 0, 0);
	expect(".shared .u32 s[4];\nmov.u64 %rd5, s;\ncvta.shared.u64 %rd6, %rd5;\natom.add.u32 %r3, [%rd6], 1;\n", 2, 64,
	       2, 0, 0);
	/* one lane's in global memory, behind the lowest lanes' in shared memory */
	expect(".shared .u32 s[4];\nmov.u64 %rd5, s;\ncvta.shared.u64 %rd6, %rd5;\nsetp.eq.u32 %p1, %r1, 31;\n"
	       "selp.u64 %rd7, %rd1, %rd6, %p1;\natom.add.u32 %r3, [%rd7], 1;\n",
	       1, 32, 0, 0, 1);
}

static void test_predicates(void **state)
{
	/* half the lanes read, the other half write theirs */
	expect("setp.lt.u32 %p1, %r1, 16;\n@%p1 ld.global.u32 %r3, [%rd4];\n@!%p1 st.global.u32 [%rd4], %r1;\n", 1, 32, 1,
	       0, 0);
	expect("setp.lt.u32 %p1, %r1, 16;\n@%p1 ld.global.u32 %r3, [%rd4];\n" STORE, 1, 32, 0, 1, 0);
	expect("setp.eq.u32 %p1, %r1, 16;\n" LOAD "@%p1 st.global.u32 [%rd4], %r1;\n", 1, 32, 0, 1, 0);
	expect("setp.eq.u32 %p1, %r1, 77;\n" LOAD "@%p1 st.global.u32 [%rd4], %r1;\n", 1, 32, 1, 0, 0);
	expect("setp.lt.u32 %p1, %r1, 16;\n@!%p1 bra $away;\n" LOAD "bra $end;\n$away:\n" STORE "$end:\n", 1, 32, 1, 0, 0);
}

/* By the space that each lane's generic address is in. */
static void test_spaces(void **state)
{
	expect("ld.u32 %r3, [%rd4];\nst.u32 [%rd4], %r1;\n", 1, 32, 0, 1, 0);
	expect("ld.u32 %r3, [%rd4];\n" STORE, 1, 32, 0, 1, 0);
	expect(".shared .u32 s[4];\nst.shared.u32 [s], 1;\nld.shared.u32 %r3, [s];\nst.shared.u32 [s], 2;\n", 1, 32, 1, 0,
	       0);
	expect(".local .u32 l[4];\nst.local.u32 [l], 1;\nld.local.u32 %r3, [l];\nst.local.u32 [l], 2;\n", 1, 32, 1, 0, 0);
	expect(".local .u32 l[4];\nmov.u64 %rd5, l;\ncvta.local.u64 %rd6, %rd5;\nst.u32 [%rd6], 1;\nld.u32 %r3, [%rd6];\n"
	       "st.u32 [%rd6], 2;\n",
	       1, 64, 1, 0, 0);
	/* lanes below 8 local, below 16 shared, the others global: those alone read, and lane 8 alone writes there */
#define MIX                                                                                                            \
	".local .u32 l[4];\n.shared .u32 s[64];\nmov.u64 %rd5, l;\ncvta.local.u64 %rd6, %rd5;\nst.u32 [%rd6], 1;\n"        \
	"mov.u64 %rd5, s;\ncvta.shared.u64 %rd7, %rd5;\nst.u32 [%rd7], 1;\n"                                               \
	"setp.lt.u32 %p1, %r1, 8;\nsetp.lt.u32 %p2, %r1, 16;\n"                                                            \
	"selp.u64 %rd8, %rd7, %rd4, %p2;\nselp.u64 %rd8, %rd6, %rd8, %p1;\nld.u32 %r3, [%rd8];\n"
	expect(MIX "setp.eq.u32 %p3, %r1, 8;\n@%p3 st.global.u32 [%rd4], %r1;\n", 1, 32, 1, 0, 0);
	expect(MIX "setp.eq.u32 %p3, %r1, 16;\n@%p3 st.global.u32 [%rd4], %r1;\n", 1, 32, 0, 1, 0);
	expect(MIX "st.u32 [%rd8], %r1;\n", 1, 32, 0, 1, 0);
	expect(MIX "setp.lt.u32 %p3, %r1, 16;\n@%p3 st.u32 [%rd8], %r1;\n", 1, 32, 1, 0, 0);
}

/* --- the moment --------------------------------------------------------------------------------------------------- */

static void test_moment(void **state)
{
	struct sim *s = machine((const char *[]){"num_sms=1", "launch.latency=100", TRACK, NULL});
	struct seen o;
	struct rig_log ctas = {0};
	sim_subscribe(s, EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_DONE), rig_record, &ctas);
	/* 6 instructions, a load, 2 more, the store, 3 more and the end: 9 of 14 before it */
	watch(&o, s,
	      BEGIN LOAD "add.u32 %r4, %r3, 1;\nadd.u32 %r5, %r4, 1;\n" STORE "add.u32 %r6, %r5, 1;\nadd.u32 %r7, %r6, 1;\n"
	                 "add.u32 %r8, %r7, 1;\n" END,
	      1, 32);
	assert_int_equal(o.insts, 14);
	assert_true(o.r.insts_share == 9.0 / 14);
	const u64 began = rig_event(&ctas, EV_CTA_DISPATCH, 0)->cycle, ended = rig_event(&ctas, EV_CTA_DONE, 0)->cycle;
	assert_true(began > 0);
	const u64 moment = rig_event(&o.events, EV_CTA_NONIDEMPOTENT, 0)->cycle;
	assert_true(o.r.time_share == (double)(moment - began) / (double)(ended - began));
	free(ctas.e);
	assert_int_equal(o.r.nplaces, 1);
	assert_int_equal(o.r.place[0].pc, 9);
	assert_int_equal(o.r.place[0].cause, RESTART_OVERWRITE);
	assert_int_equal(o.r.place[0].times, 1);
	assert_int_equal(o.r.place[0].firsts, 1);
	const struct event *e = rig_event(&o.events, EV_CTA_NONIDEMPOTENT, 0);
	assert_int_equal(e->pc, 9);
	assert_int_equal(e->arg[0], RESTART_OVERWRITE);
	assert_int_equal(e->arg[2], 9);
	assert_int_equal(e->arg[3], 9);
	assert_int_equal(e->cta, 0);
	assert_int_equal(e->kernel, 0);
	assert_int_equal(devmem_find(sim_devmem(s), e->arg[1])->addr, e->arg[1]); /* lane 0's: the first byte of a */
	assert_int_equal(rig_counter(s, CG_kernel, "ctas_overwrote"), 1);
	assert_int_equal(rig_counter(s, CG_kernel, "idem_of"), 14);
	assert_int_equal(rig_counter(s, CG_kernel, "idem_insts"), 9);
	forget(&o);
	sim_destroy(s);
}

/* Every time at a place is counted, the first of a CTA apart. */
static void test_places(void **state)
{
	struct sim *s = machine((const char *[]){"num_sms=2", TRACK, NULL});
	struct seen o;
	watch(&o, s, BEGIN "red.global.add.u32 [%rd2], 1;\n" LOAD STORE STORE END, 6, 96);
	assert_int_equal(o.r.nplaces, 3);
	for (u32 i = 0; i < 3; i++) {
		assert_int_equal(o.r.place[i].times, 18); /* warps */
		assert_int_equal(o.r.place[i].firsts, i ? 0 : 6);
		assert_int_equal(o.r.place[i].cause, i ? RESTART_OVERWRITE : RESTART_ATOMIC);
	}
	assert_int_equal(o.r.overwrote, 6);
	assert_int_equal(o.r.atomic, 6);
	assert_false(o.r.false_alarm);
	forget(&o);
	sim_destroy(s);
	s = machine((const char *[]){"num_sms=2", TRACK, NULL});
	watch(&o, s, BEGIN LOAD "st.global.u32 [%rd4+4096], %r1;\n" END, 6, 96);
	assert_int_equal(o.r.static_points, 1);
	assert_int_equal(o.r.idempotent, 6);
	assert_true(o.r.false_alarm);
	forget(&o);
	sim_destroy(s);
}

static void test_printf(void **state)
{
	struct sim *s = machine((const char *[]){"num_sms=1", TRACK, NULL});
	struct seen o;
	watch(&o, s,
	      PTX_HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
	               ".global .align 1 .b8 text[4] = {104, 105, 10, 0};\n"
	               ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"
	               ".reg .u64 %rd<4>; .reg .pred %p1; .reg .u32 %r1;\nmov.u32 %r1, %ctaid.x;\n"
	               "setp.ne.u32 %p1, %r1, 1;\n@%p1 bra $end;\n"
	               "mov.u64 %rd1, text;\ncvta.global.u64 %rd2, %rd1;\nmov.u64 %rd3, 0;\n{\n.param .b64 p0;\n"
	               "st.param.b64 [p0], %rd2;\n.param .b64 p1;\nst.param.b64 [p1], %rd3;\n.param .b32 r0;\n"
	               "call.uni (r0), vprintf, (p0, p1);\n}\n$end:\nret;\n}\n",
	      3, 32);
	assert_int_equal(o.r.printed, 1);
	assert_int_equal(o.r.idempotent, 2);
	assert_int_equal(rig_event(&o.events, EV_CTA_NONIDEMPOTENT, 0)->arg[0], RESTART_PRINT);
	forget(&o);
	sim_destroy(s);
}

/* The device's heap is shared: a block given or taken back is an atomic on its table. */
static void test_heap(void **state)
{
	struct sim *s = machine((const char *[]){"num_sms=1", TRACK, NULL});
	struct seen o;
	watch(&o, s,
	      PTX_HEAD ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
	               ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"
	               ".reg .u64 %rd<4>; .reg .pred %p1; .reg .u32 %r1;\nmov.u32 %r1, %ctaid.x;\n"
	               "setp.ne.u32 %p1, %r1, 1;\n@%p1 bra $end;\nmov.u64 %rd1, 16;\n{\n.param .b64 p0;\n"
	               "st.param.b64 [p0], %rd1;\n.param .b64 r0;\ncall.uni (r0), malloc, (p0);\n"
	               "ld.param.b64 %rd2, [r0];\n}\n$end:\nret;\n}\n",
	      3, 32);
	assert_int_equal(o.r.atomic, 1);
	assert_int_equal(o.r.idempotent, 2);
	assert_int_equal(rig_event(&o.events, EV_CTA_NONIDEMPOTENT, 0)->arg[0], RESTART_ATOMIC);
	forget(&o);
	sim_destroy(s);
}

/* --- the bound ---------------------------------------------------------------------------------------------------- */

#define READ_FAR                                                                                                       \
	"mov.u32 %r4, 0;\n$l:\nmul.wide.u32 %rd5, %r4, 32;\nadd.u64 %rd6, %rd1, %rd5;\nld.global.u32 %r3, [%rd6];\n"       \
	"add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 1000;\n@%p1 bra $l;\n"

static void bounded(const char *kb, const char *text, u32 idempotent, u32 unknown, u32 atomic, u32 measured)
{
	struct sim *s = machine((const char *[]){"num_sms=1", TRACK, kb, NULL});
	struct seen o;
	watch(&o, s, text, 2, 32);
	assert_int_equal(o.r.idempotent, idempotent);
	assert_int_equal(o.r.unknown, unknown);
	assert_int_equal(o.r.atomic, atomic);
	assert_int_equal(o.r.measured, measured);
	assert_int_equal(o.events.n, 2 - idempotent);
	if (unknown)
		assert_int_equal(o.events.e[0].arg[0], RESTART_LOST);
	forget(&o);
	sim_destroy(s);
}

/* Beyond the bound nothing is claimed: neither idempotent, nor since when. */
static void test_lost(void **state)
{
	bounded("idempotence.kb=1", BEGIN READ_FAR END, 0, 2, 0, 0);
	bounded("idempotence.kb=16", BEGIN READ_FAR END, 0, 2, 0, 0);
	bounded("idempotence.kb=32", BEGIN READ_FAR END, 2, 0, 0, 2);
	bounded("idempotence.kb=1", BEGIN READ_FAR "red.global.add.u32 [%rd2], 1;\n" END, 0, 0, 2, 0);
	bounded("idempotence.kb=1", BEGIN "red.global.add.u32 [%rd2], 1;\n" READ_FAR END, 0, 0, 2, 2);
	bounded("idempotence.kb=32", BEGIN READ_FAR "red.global.add.u32 [%rd2], 1;\n" END, 0, 0, 2, 2);
}

/* --- against a record byte by byte -------------------------------------------------------------------------------- */

#define BYTES 65536
#define SLOTS 4
/* What ought to be known of a CTA slot. */
struct plain {
	u8 read[BYTES];
	u64 stored_at[BYTES]; /* cycle + 1 of the last store that was no overwrite then */
	bool overwrote, atomic;
};
struct made_up {
	struct sim *s;
	struct gpu *g;
	u64 base;
	struct plain *p; /* [SLOTS] */
	u64 rng, now;
};

/* The made-up accesses name one of its instructions: ten of them. */
#define WAITS ".visible .entry k()\n{\n.reg .b32 %r<2>;\n$l:\n" NINE("mov.u32 %r1, 0;\n") "bra.uni $l;\n}\n"
#define NINE(text) text text text text text text text text text

/* A machine in the middle of a kernel that waits, so that its CTAs and warps are there: one warp a CTA. */
static void make_up(struct made_up *t, u64 seed)
{
	struct err e = {0};
	*t = (struct made_up){.s = machine((const char *[]){"num_sms=1", TRACK, "idempotence.kb=64", NULL}), .rng = seed};
	struct module *m = rig_load(t->s, PTX_HEAD WAITS);
	t->base = rig_alloc(t->s, BYTES);
	t->g = sim_gpu(t->s);
	rig_launch(t->s, m, "k", SLOTS, 64, 0, NULL, 0);
	sim_run(t->s, 20000, NULL);
	for (u32 i = 0; i < SLOTS; i++)
		assert_true(t->g->sm[0]->cta[i].used);
	t->p = calloc(SLOTS, sizeof *t->p);
	t->now = sim_cycle(t->s);
	assert_false(e.set);
}

static void note_load(struct plain *p, u64 at, u32 n, u64 now)
{
	for (u64 i = at; i < at + n; i++) {
		p->read[i] = 1;
		p->overwrote |= p->stored_at[i] == now + 1;
	}
}

static void note_store(struct plain *p, u64 at, u32 n, u64 now)
{
	for (u64 i = at; i < at + n; i++) {
		p->overwrote |= p->read[i];
		p->stored_at[i] = now + 1;
	}
}

/* One instruction of a warp: lanes at random, in line, or all at one place. */
static void step(struct made_up *t)
{
	struct sm *s = t->g->sm[0];
	u32 slot = (u32)(rng_next(&t->rng) % SLOTS), w = bit_first(s->cta[slot].warps), bytes = 1u << rng_next(&t->rng) % 5;
	u32 kind = (u32)(rng_next(&t->rng) % 64), shape = (u32)(rng_next(&t->rng) % 3);
	u64 at = rng_next(&t->rng) % (BYTES / 16 - 64) * 16;
	struct plain *p = &t->p[slot];
	struct inst in = {.op = kind == 0  ? OP_RED
	                        : kind < 6 ? OP_ST
	                                   : OP_LD,
	                  .space = rng_next(&t->rng) % 2 ? SPC_GLOBAL : SPC_GENERIC};
	struct dyninst d = {
	    .in = &in, .pc = 0, .mask = (u32)rng_next(&t->rng), .bytes = (u8)bytes, .store = kind < 6, .atomic = !kind};
	if (rng_next(&t->rng) % 2)
		d.mask = ~0u;
	FOR_EACH_BIT(l, d.mask)
	{
		u64 to = shape == 0 ? at + (u64)l * bytes : shape == 1 ? at : rng_next(&t->rng) % (BYTES / 16) * 16;
		d.addr[l] = t->base + to;
		if (d.store && !d.atomic)
			note_store(p, to, bytes, t->now);
		else
			note_load(p, to, bytes, t->now);
	}
	p->atomic |= d.atomic && d.mask;
	restart_issue(&t->g->ctx[0], s, w, &d, t->now);
}

static void test_against_bytes(void **state)
{
	u32 overwrote = 0, clean = 0, atomic = 0;
	for (u64 round = 0; round < 200; round++) {
		struct made_up t;
		make_up(&t, round + 1);
		u32 steps = 4 + (u32)(round % 80);
		for (u32 i = 0; i < steps; i++) {
			t.now += i && rng_next(&t.rng) % 2;
			step(&t);
			for (u32 k = 0; k < SLOTS; k++) {
				const struct restart_cta *c = gpu_restart_cta(t.g, 0, k);
				u8 want =
				    (u8)((t.p[k].overwrote ? BIT(RESTART_OVERWRITE) : 0) | (t.p[k].atomic ? BIT(RESTART_ATOMIC) : 0));
				if (c->causes != want)
					fail_msg("round %llu, step %u, slot %u: %#x instead of %#x", (unsigned long long)round, i, k,
					         c->causes, want);
				assert_int_equal(gpu_idempotent_now(t.g, 0, k), !want);
				overwrote += t.p[k].overwrote;
				atomic += t.p[k].atomic;
				clean += !want;
			}
		}
		free(t.p);
		sim_destroy(t.s);
	}
	assert_true(overwrote > 500 && clean > 500 && atomic > 500);
}

/* A store and a load of one cycle: the load sees what was there before, whichever issued first. */
static void test_same_cycle(void **state)
{
	for (u32 apart = 0; apart < 2; apart++) {
		struct made_up t;
		make_up(&t, 1);
		struct sm *s = t.g->sm[0];
		u32 first = bit_first(s->cta[0].warps), second = bit_first(s->cta[0].warps & ~BIT(first));
		struct inst st = {.op = OP_ST, .space = SPC_GLOBAL}, ld = {.op = OP_LD, .space = SPC_GLOBAL};
		struct dyninst a = {.in = &st, .pc = 7, .mask = 1, .bytes = 4, .store = true, .addr = {t.base}};
		struct dyninst b = {.in = &ld, .pc = 9, .mask = 1, .bytes = 1, .addr = {t.base + 3}};
		restart_issue(&t.g->ctx[0], s, first, &a, t.now);
		assert_true(gpu_idempotent_now(t.g, 0, 0));
		restart_issue(&t.g->ctx[0], s, second, &b, t.now + apart);
		assert_int_equal(gpu_idempotent_now(t.g, 0, 0), apart);
		if (!apart) {
			assert_int_equal(gpu_restart_cta(t.g, 0, 0)->first_pc, 7);
			assert_int_equal(gpu_restart_cta(t.g, 0, 0)->first_addr, t.base + 3);
		}
		free(t.p);
		sim_destroy(t.s);
	}
}

/* --- off, and time travel ----------------------------------------------------------------------------------------- */

static const char busy[] = BEGIN
    "mad.lo.u32 %r3, %r2, 128, %r1;\nand.b32 %r3, %r3, 8191;\nmul.wide.u32 %rd5, %r3, 4;\nadd.u64 %rd6, %rd1, %rd5;\n"
    "ld.global.u32 %r4, [%rd6];\nbar.sync 0;\nadd.u32 %r4, %r4, 1;\nsetp.gt.u32 %p1, %r2, 40;\n"
    "@%p1 st.global.u32 [%rd6+4], %r4;\nand.b32 %r5, %r2, 3;\nsetp.eq.u32 %p2, %r5, 1;\n"
    "@%p2 red.global.add.u32 [%rd2], 1;\nld.global.u32 %r6, [%rd6+1024];\nadd.u32 %r6, %r6, %r4;\n"
    "st.global.u32 [%rd6+32768], %r6;\n" END;

struct trip {
	struct sim *s;
	struct module *m;
	u64 args[2];
};

static struct trip depart(const char *track, u64 history_mb)
{
	struct err e = {0};
	struct trip t = {.s = machine((const char *[]){"num_sms=3", track, NULL})};
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

static void put(struct strbuf *o, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strbuf_addf(o, "%02x", ((const u8 *)p)[i]);
	strbuf_addc(o, '\n');
}

/* All that the record says, as text. */
static void dump(struct sim *s, struct strbuf *o)
{
	struct gpu *g = sim_gpu(s);
	struct restart_record r;
	strbuf_clear(o);
	for (u32 i = 0; i < gpu_num_kernels(g); i++)
		put(o, gpu_restart_launch(g, i), sizeof(struct restart_launch));
	for (u32 i = 0; i < gpu_conf(g)->num_sms; i++)
		for (u32 c = 0; c < gpu_conf(g)->sm_ctas; c++)
			if (gpu_restart_cta(g, i, c))
				put(o, gpu_restart_cta(g, i, c), sizeof(struct restart_cta));
	restart_record_of(&r, g, gpu_launched(g, 0));
	for (u32 i = 0; i < r.nplaces; i++)
		strbuf_addf(o, "%u %u %llu %llu\n", r.place[i].pc, r.place[i].cause, (unsigned long long)r.place[i].times,
		            (unsigned long long)r.place[i].firsts);
	restart_record_release(&r);
}

#define STOPS 400
/* Two launches; the record at every 100th cycle. */
static u32 straight(struct strbuf *at)
{
	struct trip t = depart(TRACK, 0);
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
	struct rig_log log = {0};
	u64 seed = 5;
	u32 n = straight(want), moved = 0;
	assert_true(n > 20 && n < STOPS);
	struct trip t = depart(TRACK, 128);
	for (u32 k = 0; k < 2; k++) {
		depart_launch(&t);
		while (!sim_idle(t.s))
			sim_run(t.s, NEVER, NULL);
	}
	sim_subscribe(t.s, EVENT(EV_ISSUE), rig_record, &log); /* which replays switch off and on again */
	for (u32 i = 0; i < 60; i++) {
		sim_history_info(t.s, &h);
		u64 first = h.begin / 100 + 1, target = (first + rng_next(&seed) % (n - first + 1)) * 100;
		if (!sim_goto(t.s, target, &e))
			fail_msg("%s", e.msg);
		expect_dump(t.s, &want[target / 100 - 1]);
		moved += strcmp(strbuf_str(&want[target / 100 - 1]), strbuf_str(&want[n - 1])) != 0;
		if (i % 3 == 0 && target / 100 < n) {
			u64 on = target + 100 * (1 + rng_next(&seed) % MIN(n - target / 100, 20));
			while (sim_cycle(t.s) < on)
				assert_int_equal(sim_run(t.s, on, NULL), STOP_CYCLE);
			expect_dump(t.s, &want[on / 100 - 1]);
		}
	}
	assert_true(moved > 20);
	for (u32 i = 0; i < n; i++)
		strbuf_release(&want[i]);
	free(log.e);
	sim_destroy(t.s);
}

static void run_out(struct sim *s)
{
	while (!sim_idle(s))
		sim_run(s, NEVER, NULL);
}

/* History forks in the middle of a launch: the record is that of a machine that never knew the other future. */
static void test_fork(void **state)
{
	struct err e = {0};
	struct strbuf want = STRBUF_INIT, other = STRBUF_INIT;
	struct trip t = depart(TRACK, 0);
	depart_launch(&t);
	sim_run(t.s, 1500, NULL);
	assert_false(sim_idle(t.s));
	depart_launch(&t);
	run_out(t.s);
	dump(t.s, &want);
	sim_destroy(t.s);
	t = depart(TRACK, 64);
	depart_launch(&t);
	run_out(t.s);
	dump(t.s, &other);
	assert_string_not_equal(strbuf_str(&other), strbuf_str(&want));
	assert_true(sim_goto(t.s, 1500, &e));
	depart_launch(&t);
	run_out(t.s);
	expect_dump(t.s, &want);
	strbuf_release(&want);
	strbuf_release(&other);
	sim_destroy(t.s);
}

/* The machine is the same, byte for byte of what is hashed, and events and counters of others too. */
static void test_off(void **state)
{
	struct rig_log log[2] = {0};
	struct sim *s[2];
	for (u32 i = 0; i < 2; i++) {
		struct trip t = depart(i ? TRACK : NULL, 0);
		event_set all = EVENTS_ALL & ~EVENT(EV_CTA_NONIDEMPOTENT);
		s[i] = t.s;
		sim_subscribe(t.s, all, rig_record, &log[i]);
		depart_launch(&t);
	}
	for (u64 at = 200; !sim_idle(s[0]); at += 200) {
		for (u32 i = 0; i < 2; i++)
			sim_run(s[i], at, NULL);
		assert_int_equal(sim_cycle(s[0]), sim_cycle(s[1]));
		assert_int_equal(sim_hash(s[0]), sim_hash(s[1]));
	}
	assert_true(sim_idle(s[1]));
	assert_int_equal(log[0].n, log[1].n);
	assert_true(log[0].n > 1000);
	assert_memory_equal(log[0].e, log[1].e, log[0].n * sizeof *log[0].e);
	assert_false(gpu_idempotent_now(sim_gpu(s[0]), 0, 0));
	assert_null(gpu_restart_launch(sim_gpu(s[0]), 0));
	assert_int_equal(rig_counter(s[0], CG_kernel, "ctas_idempotent"), 0);
	assert_int_equal(gpu_restart_launch(sim_gpu(s[1]), 0)->ended, 100);
	for (u32 i = 0; i < 2; i++) {
		free(log[i].e);
		sim_destroy(s[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_order),
	    cmocka_unit_test(test_other_ctas),
	    cmocka_unit_test(test_widths),
	    cmocka_unit_test(test_atomics),
	    cmocka_unit_test(test_kinds_of_loads),
	    cmocka_unit_test(test_predicates),
	    cmocka_unit_test(test_spaces),
	    cmocka_unit_test(test_moment),
	    cmocka_unit_test(test_places),
	    cmocka_unit_test(test_printf),
	    cmocka_unit_test(test_heap),
	    cmocka_unit_test(test_lost),
	    cmocka_unit_test(test_against_bytes),
	    cmocka_unit_test(test_same_cycle),
	    cmocka_unit_test(test_travel),
	    cmocka_unit_test(test_fork),
	    cmocka_unit_test(test_off),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
