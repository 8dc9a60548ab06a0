/* Going back over what partition policies decide: repartitions, roles, trials, kernels that begin and end. Nothing that
 * a policy knows of the future survives: neither the machine's state nor what is decided from there on differs from the
 * first time. There is a snapshot right before each decision, so that no question on the way brings a stale state up to
 * date before it is looked at. */
#include "base/rng.h"
#include "tests/rig/rounds.h"
#include "tests/rig/sm_rig.h"

/* k: a line from far away each round; s: arithmetic in shared memory's company; t: arithmetic at the same pace all the
 * time, y: each lane a line of its own; of these two an SM has room for one CTA each. h: hits, u: each lane a line of
 * its own, always new ones. */
#define HEAD(name)                                                                                                     \
	".visible .entry " name "(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred %p<4>; .reg .b32 %r<32>; "                \
	".reg .b64 %a<8>; .reg .f32 %f<2>;\n"
#define BODY                                                                                                           \
	"ld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r10, %a3;\n"                                         \
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n"               \
	"mad.wide.u32 %a2, %r4, 4, %a1; mov.u32 %r6, %r4;\n"
#define ROUNDS "sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra L;\nst.global.u32 [%a2], %r6; ret;\n}\n"
#define HALF ".shared .align 4 .b8 room[20000];\n" BODY "mov.u32 %r7, room; st.shared.u32 [%r7], %r6;\n"
static const char kernels[] = PTX_HEAD HEAD(
    "k") BODY "L: ld.global.u32 %r6, [%a2]; add.u32 %r6, %r6, 1; st.global.u32 [%a2], %r6;\n" ROUNDS

    HEAD("s") ".shared .align 4 .b8 room[6000];\n" BODY "mov.u32 %r5, room; mad.lo.u32 %r5, %r1, 4, %r5;\n"
              "L: mad.lo.u32 %r6, %r6, %r6, 1; st.shared.u32 [%r5], %r6; bar.sync 0; ld.shared.u32 %r6, [%r5];\n" ROUNDS

                  HEAD("t") HALF "L: sin.approx.f32 %f1, %f1; sin.approx.f32 %f1, %f1; add.u32 %r6, %r6, 1;\n" ROUNDS

                      HEAD("y") HALF
    "mad.wide.u32 %a4, %r4, 128, %a1;\nL: ld.global.u32 %r7, [%a4]; add.u32 %r6, %r6, %r7;\n" ROUNDS

        HEAD("h") BODY "L: ld.global.u32 %r7, [%a2]; add.u32 %r6, %r6, %r7;\n" ROUNDS

            HEAD("u") BODY "mad.wide.u32 %a4, %r4, 128, %a1;\n"
                           "L: ld.global.u32 %r7, [%a4]; add.u32 %r6, %r6, %r7; add.u64 %a4, %a4, 16384;\n" ROUNDS;

struct job {
	const char *kernel;
	u32 ctas, rounds, stream;
	u64 start_at;
};
/* Kernels that come and go while others run; one that comes when no CTA has ended for long; a pair whose measurements
 * are steady, so that maestro's dedicated SMs go and come back; one that is best split. */
static const struct job six[] = {{"k", 90, 9, 1, 0},  {"s", 60, 23, 2, 0}, {"s", 90, 13, 1, 0},
                                 {"k", 60, 20, 2, 0}, {"k", 90, 17, 1, 0}, {"s", 60, 17, 2, 0}},
                        late[] = {{"k", 60, 90, 1, 0}, {"s", 30, 300, 2, 3000}, {"k", 30, 60, 3, 6000}},
                        steady[] = {{"t", 900, 200, 1, 0}, {"y", 900, 60, 2, 0}},
                        apart[] = {{"h", 900, 400, 1, 0}, {"u", 900, 40, 2, 0}};

struct scene {
	const struct job *job;
	u32 njobs;
	const char *partition, *technique, *sms;
	u64 until; /* NEVER: to the end */
};

static struct sim *play(const struct scene *c, struct rig_log *log)
{
	char set[3][64];
	struct err e = {0};
	snprintf(set[0], sizeof set[0], "partition=%s", c->partition);
	snprintf(set[1], sizeof set[1], "preempt=%s", c->technique);
	snprintf(set[2], sizeof set[2], "num_sms=%s", c->sms);
	struct sim *s = machine((const char *[]){set[0], set[1], set[2], "preempt.halt=cta", "slicer.warmup=200",
	                                         "slicer.profile=400", "maestro.epoch=600", "maestro.refresh=3", NULL});
	struct module *m = rig_load(s, kernels);
	for (u32 i = 0; i < c->njobs; i++) {
		const struct job *j = &c->job[i];
		const bool lines = *j->kernel == 'y' || *j->kernel == 'u';
		const u64 args[] = {rig_alloc(s, lines ? 16384ull * (j->ctas + j->rounds) : 512ull * j->ctas), j->rounds};
		const struct launch_spec l = {.mod = m,
		                              .fn = module_func(m, j->kernel, true),
		                              .grid = {j->ctas, 1, 1},
		                              .block = {128, 1, 1},
		                              .stream = j->stream,
		                              .start_at = j->start_at,
		                              .params = args,
		                              .param_bytes = sizeof args};
		if (sim_launch(s, &l, &e) < 0)
			fail_msg("%s", e.msg);
	}
	*log = (struct rig_log){0};
	sim_subscribe(s,
	              EVENT(EV_REPARTITION) | EVENT(EV_ROLE) | EVENT(EV_TRIAL) | EVENT(EV_SM_QUOTA) |
	                  EVENT(EV_PREEMPT_START) | EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_SAVE) | EVENT(EV_CTA_RESTORE) |
	                  EVENT(EV_KERNEL_START) | EVENT(EV_KERNEL_DONE),
	              rig_record, log);
	return s;
}

#define PLACES 400
/* The cycles of decisions; where there are few, of what comes of them, too. */
static u32 places_of(const struct rig_log *l, u64 *at)
{
	u32 n = 0;
	for (u32 i = 0; i < l->n; i++) {
		const struct event *e = &l->e[i];
		const bool decides = e->type == EV_REPARTITION || e->type == EV_ROLE || e->type == EV_TRIAL ||
		                     e->type == EV_KERNEL_START || e->type == EV_KERNEL_DONE;
		if (decides && e->cycle > 0 && n < PLACES && (!n || at[n - 1] != e->cycle))
			at[n++] = e->cycle;
	}
	return n;
}

/* Events of the first time from a cycle on up to another, and those of this time. */
static void same(const struct scene *c, const struct rig_log *first, const struct rig_log *again, u64 from, u64 to)
{
	u32 i = 0, k = 0;
	while (i < first->n && first->e[i].cycle < from)
		i++;
	for (; i < first->n && first->e[i].cycle < to; i++, k++) {
		const struct event *a = &first->e[i], *b = k < again->n ? &again->e[k] : NULL;
		if (!b || a->type != b->type || a->cycle != b->cycle || a->sm != b->sm || a->kernel != b->kernel ||
		    a->cta != b->cta || memcmp(a->arg, b->arg, sizeof a->arg))
			fail_msg("%s by %s, back in cycle %llu: %s in cycle %llu (%llu %llu %llu), now %s in %llu (%llu %llu %llu)",
			         c->partition, c->technique, (unsigned long long)from, event_descs[a->type].name,
			         (unsigned long long)a->cycle, (unsigned long long)a->arg[0], (unsigned long long)a->arg[1],
			         (unsigned long long)a->arg[2], b ? event_descs[b->type].name : "nothing",
			         b ? (unsigned long long)b->cycle : 0, b ? (unsigned long long)b->arg[0] : 0,
			         b ? (unsigned long long)b->arg[1] : 0, b ? (unsigned long long)b->arg[2] : 0);
	}
	assert_int_equal(k, again->n);
}

/* How many decisions there were. */
static u32 decides_again(const struct scene *c)
{
	struct rig_log first, log;
	struct stop st;
	struct err e = {0};
	u64 at[PLACES + 1], hash[PLACES + 1], seed = 11;
	struct sim *s = play(c, &first);
	sim_run(s, c->until, &st);
	const u64 until = sim_cycle(s);
	sim_destroy(s);
	const u32 n = places_of(&first, at);
	at[n] = until;
	s = play(c, &log);
	assert_true(sim_history(s, 256, &e));
	for (u32 i = 0; i <= n; i++) {
		sim_run(s, at[i], &st);
		assert_true(sim_cycle(s) == at[i] && sim_snapshot(s, &e));
		hash[i] = sim_hash(s);
	}
	same(c, &first, &log, 0, until);
	/* Each place twice: from far away, and from some decisions behind it. Under the sanitizers every fifth time. */
	for (u32 i = 0; i < 2 * n; i += rounds(NULL, 1, 5)) {
		const u32 from = i & 1 ? i / 2 : (u32)(rng_next(&seed) % n), steps = 1 + (u32)(rng_next(&seed) % 4);
		const u32 to = MIN(from + steps, n);
		if (!sim_goto(s, at[from], &e))
			fail_msg("%s", e.msg);
		log.n = 0;
		for (u32 k = from; k <= to; k++) {
			sim_run(s, at[k], &st);
			if (sim_hash(s) != hash[k])
				fail_msg("%s by %s, back in cycle %llu: another state in cycle %llu", c->partition, c->technique,
				         (unsigned long long)at[from], (unsigned long long)at[k]);
		}
		same(c, &first, &log, at[from], at[to]);
	}
	sim_destroy(s);
	free(first.e);
	free(log.e);
	return n;
}

static void test_every_policy(void **state)
{
	const struct policy *q;
	for (u32 k = 0; (q = sim_policy(POLICY_PARTITION, k)); k++) {
		const char *sms = strcmp(q->name, "maestro") ? "3" : "7";
		assert_true(decides_again(&(struct scene){six, ARRAY_LEN(six), q->name, "switch", sms, NEVER}) > 5);
	}
	assert_true(decides_again(&(struct scene){six, ARRAY_LEN(six), "smk", "drain", "3", NEVER}) > 10);
	assert_true(decides_again(&(struct scene){six, ARRAY_LEN(six), "maestro", "drain", "7", NEVER}) > 10);
}

static void test_long_ctas(void **state)
{
	static const char *const of[] = {"spatial", "smk", "smk-pw", "warped-slicer"};
	for (u32 i = 0; i < ARRAY_LEN(of); i++)
		assert_true(decides_again(&(struct scene){late, ARRAY_LEN(late), of[i], "switch", "2", 12000}) >= 2);
}

static void test_measured(void **state)
{
	assert_true(decides_again(&(struct scene){steady, ARRAY_LEN(steady), "maestro", "switch", "7", 16000}) > 15);
	assert_true(decides_again(&(struct scene){apart, ARRAY_LEN(apart), "maestro", "switch", "9", 12000}) > 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_policy),
	    cmocka_unit_test(test_long_ctas),
	    cmocka_unit_test(test_measured),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
