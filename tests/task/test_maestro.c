/* maestro: its sums by hand; on the machine, who has which role, that what it measures is what the SMs issued, that the
 * best partition measured is followed, when dedicated SMs go and come back, what it remembers, and more than two
 * kernels. (Results, resources and going back: test_cta_share; equations 5.3 and 5.4: test_kernel_sched.) */
#include "gpu/verbs.h"
#include "sim_internal.h"
#include "task/partition/partition.h"
#include "task/partition/shares.h"
#include "tests/rig/sm_rig.h"

/* --- by hand ------------------------------------------------------------------------------------------------------ */

/* Equations 5.1 and 5.2: CPI shared / CPI alone = IPC alone / IPC shared. */
static void test_objectives(void **state)
{
	static const struct {
		double alone[2], shared[2], antt, stp;
	} rows[] = {{{1, 1}, {0.5, 0.5}, 2, 1},
	            {{2, 1}, {1, 1}, 1.5, 1.5},
	            {{0.8, 0.4}, {0.2, 0.3}, 8 / 3.0, 1},
	            {{1, 1}, {0, 1}, 500000.5, 1},
	            {{0, 1}, {1, 0.5}, 1, 0.5}};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		assert_float_equal(maestro_antt(rows[i].alone, rows[i].shared), rows[i].antt, 1e-4);
		assert_float_equal(maestro_stp(rows[i].alone, rows[i].shared), rows[i].stp, 1e-9);
	}
}

static void test_fill(void **state)
{
	static const u64 total[] = {48, 8, 32768, 49152};
	static const struct smk_need small = {{6, 1, 2048, 0}, 8}, shared = {{4, 1, 1024, 12288}, 4};
	static const struct smk_need wide = {{48, 1, 0, 0}, 1};
	assert_int_equal(maestro_fill(&small, 3, &small, total), 5);
	assert_int_equal(maestro_fill(&small, 8, &small, total), 0);
	assert_int_equal(maestro_fill(&shared, 3, &shared, total), 1); /* shared memory for four */
	assert_int_equal(maestro_fill(&shared, 3, &small, total), 5);  /* places for eight */
	assert_int_equal(maestro_fill(&small, 1, &shared, total), 4);
	assert_int_equal(maestro_fill(&wide, 1, &small, total), 0);
	assert_int_equal(maestro_fill(&wide, 2, &small, total), 0); /* do not fit themselves */
}

/* --- on the machine ----------------------------------------------------------------------------------------------- */

/* m: a line from far away each round; c: arithmetic that waits for itself; w: c with half of the shared memory. */
#define BODY                                                                                                           \
	"ld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r10, %a3;\n"                                         \
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n"               \
	"mad.wide.u32 %a2, %r4, 4, %a1; mov.u32 %r6, %r4;\n"
#define HEAD(name)                                                                                                     \
	".visible .entry " name                                                                                            \
	"(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %a<8>;\n"
#define WORK                                                                                                           \
	"M: mad.lo.u32 %r6, %r6, %r6, 1; mad.lo.u32 %r6, %r6, %r6, 1; mad.lo.u32 %r6, %r6, %r6, 1;\n"                      \
	"sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra M;\nst.global.u32 [%a2], %r6; ret;\n}\n"
static const char kernels[] = PTX_HEAD HEAD("m") BODY
    "L: ld.global.u32 %r6, [%a2]; add.u32 %r6, %r6, 1;\n"
    "st.global.u32 [%a2], %r6; sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra L; "
    "ret;\n}\n" HEAD("c") BODY WORK HEAD("w") ".shared .align 4 .b8 room[30000];\n" BODY
                                              "mov.u32 %r7, room; st.shared.u32 [%r7], %r6;\n" WORK;

#define SMS 9
struct watch {
	struct sim *s;
	struct module *m;
	struct rig_log log;
	u64 issued[SMS][4]; /* since the log's last event of another kind */
	u32 role[SMS];      /* as the events say */
	s32 kernel[SMS];
	u32 measured; /* trials that were compared with what was issued */
};

static void open_sms(struct watch *w, const char *const *more, event_fn *fn, event_set events)
{
	const char *sets[16] = {"num_sms=9", "partition=maestro", "preempt.halt=cta", "preempt=switch",
	                        "maestro.epoch=1500"};
	u32 n = 5;
	for (; *more; more++)
		sets[n++] = *more;
	*w = (struct watch){.s = machine(sets)};
	w->m = rig_load(w->s, kernels);
	sim_subscribe(w->s, events, fn ? fn : rig_record, fn ? (void *)w : (void *)&w->log);
}

static u32 go(struct watch *w, const char *kernel, u32 ctas, u32 rounds, u32 stream)
{
	return rig_launch(w->s, w->m, kernel, ctas, 128, stream, (u64[]){rig_alloc(w->s, 512ull * ctas), rounds}, 2);
}

static void shut(struct watch *w)
{
	sim_destroy(w->s);
	free(w->log.e);
}

static u32 with_role(const struct watch *w, u32 role)
{
	u32 n = 0;
	for (u32 i = 0; i < SMS; i++)
		n += w->role[i] == role;
	return n;
}

#define SEEN                                                                                                           \
	(EVENT(EV_ROLE) | EVENT(EV_TRIAL) | EVENT(EV_REPARTITION) | EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_DONE) |          \
	 EVENT(EV_CTA_SAVE) | EVENT(EV_CTA_RESTORE) | EVENT(EV_KERNEL_DONE) | EVENT(EV_KERNEL_START))

static bool count_issues(void *ctx, const struct event *e)
{
	struct watch *w = ctx;
	w->issued[e->sm][e->kernel]++;
	return false;
}

static void follow_role(struct watch *w, const struct event *e)
{
	assert_int_equal(e->arg[1], w->role[e->sm]);
	w->role[e->sm] = (u32)e->arg[0];
	w->kernel[e->sm] = e->kernel;
}

/* In thousandths, both rounded. */
static void near(double got, double want, const char *what)
{
	if (got > want + 1 + want / 200 || got < want - 1 - want / 200)
		fail_msg("%s: %.0f, counted %.0f", what, got, want);
}

/* The first epoch once more, with every instruction counted: each trial's IPC and objective. */
static void recount(const struct watch *first, u64 when)
{
	struct watch w;
	struct stop st;
	open_sms(&w, (const char *[]){NULL}, count_issues, EVENT(EV_ISSUE));
	go(&w, "m", 900, 8, 1);
	sim_run(w.s, 2000, &st);
	go(&w, "c", 700, 100, 2);
	sim_run(w.s, when - 1500, &st);
	memset(w.issued, 0, sizeof w.issued);
	sim_run(w.s, when, &st);
	double alone[2] = {0}, shared[2] = {0}, up[2] = {0}, down[2] = {0};
	u32 followers = 0;
	for (u32 i = 0; i < SMS; i++) {
		const double ipc[2] = {(double)w.issued[i][0] / 1500, (double)w.issued[i][1] / 1500};
		if (first->role[i] == ROLE_DEDICATED)
			alone[first->kernel[i]] = ipc[first->kernel[i]];
		for (u32 k = 0; k < 2 && first->role[i] == ROLE_FOLLOWER; k++)
			shared[k] += ipc[k];
		followers += first->role[i] == ROLE_FOLLOWER;
		if (first->role[i] == ROLE_TRIAL && !up[0])
			memcpy(up, ipc, sizeof up);
		else if (first->role[i] == ROLE_TRIAL)
			memcpy(down, ipc, sizeof down);
	}
	shared[0] /= followers;
	shared[1] /= followers;
	u32 n = 0;
	for (u32 i = 0; i < first->log.n; i++) {
		const struct event *e = &first->log.e[i];
		if (e->type != EV_TRIAL || e->cycle != when)
			continue;
		const double *ipc = n == 0 ? shared : n == 1 ? up : n == 2 ? down : alone;
		const double half[2] = {alone[0] / 2, alone[1] / 2};
		near((double)e->arg[2], 1000 * ipc[e->kernel], "IPC");
		near((double)e->arg[3], 1000 * maestro_antt(alone, n == 3 ? half : ipc), "objective");
		n++;
	}
	assert_int_equal(n, 4);
	shut(&w);
}

struct held {
	u32 of[4];
};

/* What an SM holds when an epoch ends is what its role says. */
static void holds(const struct watch *w, const struct held *on, const u64 *share, u32 trial)
{
	u32 more = 0, fewer = 0;
	for (u32 i = 0; i < SMS; i++) {
		const u32 *has = on[i].of;
		if (w->role[i] == ROLE_DEDICATED)
			assert_true(has[w->kernel[i]] && !has[!w->kernel[i]]);
		if (w->role[i] == ROLE_FOLLOWER)
			assert_true(has[0] <= share[0] && has[1] <= share[1] && has[0] + has[1] >= 5);
		if (w->role[i] == ROLE_TRIAL)
			assert_true((has[trial] == share[trial] + 1 || has[trial] + 1 == share[trial]) && has[!trial]);
		more += w->role[i] == ROLE_TRIAL && has[trial] > share[trial];
		fewer += w->role[i] == ROLE_TRIAL && has[trial] < share[trial];
	}
	assert_true(more == 1 && fewer == 1);
}

static void test_epochs(void **state)
{
	struct watch w;
	struct stop st;
	open_sms(&w, (const char *[]){"maestro.refresh=3", NULL}, NULL, SEEN);
	go(&w, "m", 900, 8, 1);
	sim_run(w.s, 2000, &st);
	go(&w, "c", 700, 100, 2);
	rig_finish(w.s);
	struct held on[SMS] = {0};
	u64 share[2] = {0}, last = 0, ended = 0, best[2] = {0}, least = 0;
	u32 epochs = 0, same = 0, changes = 0, went = 0, back = 0, n = 0;
	for (u32 i = 0; i < w.log.n && !ended; i++) {
		const struct event *e = &w.log.e[i];
		switch (e->type) {
		case EV_ROLE:
			went += e->arg[1] == ROLE_DEDICATED && same >= 2;
			back += e->arg[0] == ROLE_DEDICATED && epochs && same >= 2;
			follow_role(&w, e);
			break;
		case EV_REPARTITION:
			if (epochs)
				assert_int_equal(e->arg[1], best[e->kernel]);
			else
				assert_int_equal(e->arg[1], e->kernel ? 4 : 4); /* even: 8 places */
			changes += epochs > 0;
			same = 0;
			share[e->kernel] = e->arg[1];
			break;
		case EV_TRIAL:
			if (e->cycle != last) {
				assert_int_equal(with_role(&w, ROLE_TRIAL), 2);
				holds(&w, on, share, (u32)e->kernel);
				if (!epochs) {
					assert_true(with_role(&w, ROLE_DEDICATED) == 2 && with_role(&w, ROLE_FOLLOWER) == 5);
					struct watch first = w;
					recount(&first, e->cycle);
				}
				assert_true(!epochs || e->cycle >= last + 1500);
				assert_true(same >= 2 || with_role(&w, ROLE_DEDICATED) == 2); /* back after a change, for two epochs */
				last = e->cycle;
				epochs++;
				same++;
				n = 0;
				least = UINT64_MAX;
			}
			if (n == 0) /* the followers */
				assert_true(e->arg[0] == share[e->kernel] && e->arg[1] == share[!e->kernel]);
			if (n == 3)
				assert_true(e->arg[0] == 0 && e->arg[3] == 2000);
			else if (e->arg[3] < least) {
				least = e->arg[3];
				best[e->kernel] = e->arg[0];
				best[!e->kernel] = e->arg[1];
			}
			n++;
			break;
		case EV_KERNEL_DONE: ended = e->cycle; break;
		case EV_KERNEL_START: break;
		default: on[e->sm].of[e->kernel] += e->type == EV_CTA_DISPATCH || e->type == EV_CTA_RESTORE ? 1 : -1u;
		}
	}
	if (epochs < 10 || !changes || !went || !back)
		fail_msg("%u epochs, %u changes, dedicated SMs went %u times and came back %u times", epochs, changes, went,
		         back);
	shut(&w);
}

/* The throughput as the objective: of what is shared the most is followed, and halves of the SMs give 1. */
static void test_throughput(void **state)
{
	struct watch w;
	open_sms(&w, (const char *[]){"maestro.objective=stp", NULL}, NULL, SEEN);
	go(&w, "m", 300, 8, 1);
	go(&w, "c", 300, 100, 2);
	rig_finish(w.s);
	u64 last = 0, most = 0, best[2] = {0};
	u32 n = 0, changes = 0;
	for (u32 i = 0; i < w.log.n; i++) {
		const struct event *e = &w.log.e[i];
		if (e->type == EV_REPARTITION && last) {
			assert_true(e->cycle == last && e->arg[1] == best[e->kernel]);
			changes++;
		}
		if (e->type != EV_TRIAL)
			continue;
		if (e->cycle != last)
			n = 0;
		most = n ? most : 0;
		last = e->cycle;
		if (!e->arg[0])
			assert_int_equal(e->arg[3], 1000);
		else if (!n || e->arg[3] > most) {
			most = e->arg[3];
			best[e->kernel] = e->arg[0];
			best[!e->kernel] = e->arg[1];
		}
		n++;
	}
	assert_true(changes);
	shut(&w);
}

/* A kernel that had less than an even share begins with that when it comes again. */
static void test_history(void **state)
{
	struct watch w;
	struct stop st;
	open_sms(&w, (const char *[]){NULL}, NULL, EVENT(EV_REPARTITION) | EVENT(EV_KERNEL_DONE));
	go(&w, "m", 900, 8, 1);
	go(&w, "c", 3000, 100, 2);
	while (!rig_count(&w.log, EV_KERNEL_DONE))
		sim_run(w.s, sim_cycle(w.s) + 100, &st);
	u64 share[3] = {0};
	for (u32 i = 0; i < w.log.n; i++)
		if (w.log.e[i].type == EV_REPARTITION)
			share[w.log.e[i].kernel] = w.log.e[i].arg[1];
	const s32 gone = w.log.e[w.log.n - 1].kernel;
	const bool less = share[gone] < 4 || share[!gone] < 4;
	assert_true(share[0] && share[1] && share[0] != share[1] && less);
	const u32 before = w.log.n;
	go(&w, gone ? "c" : "m", 300, 100, 3);
	sim_run(w.s, sim_cycle(w.s) + 9000, &st);
	u32 told = 0;
	for (u32 i = before; i < w.log.n; i++) {
		const struct event *e = &w.log.e[i];
		if (e->type != EV_REPARTITION || e->arg[0])
			continue;
		assert_true(e->arg[1] == share[e->kernel == 2 ? gone : e->kernel]);
		told++;
	}
	assert_int_equal(told, 2);
	shut(&w);
}

/* One that had more than an even share begins evenly beside a kernel that leaves it even more. */
static void test_more_is_no_history(void **state)
{
	struct watch w;
	struct stop st;
	open_sms(&w, (const char *[]){NULL}, NULL, EVENT(EV_REPARTITION) | EVENT(EV_KERNEL_DONE));
	go(&w, "m", 300, 8, 1);
	go(&w, "c", 700, 100, 2);
	u64 share[2] = {0};
	u32 seen = 0;
	while (rig_count(&w.log, EV_KERNEL_DONE) < 2) {
		sim_run(w.s, sim_cycle(w.s) + 100, &st);
		for (; seen < w.log.n; seen++)
			if (w.log.e[seen].type == EV_REPARTITION)
				share[w.log.e[seen].kernel] = w.log.e[seen].arg[1];
	}
	const u32 more = share[1] > share[0];
	const u32 again = go(&w, more ? "c" : "m", 900, 100, 1), wide = go(&w, "w", 100, 100, 2);
	while (!w.log.n || w.log.e[w.log.n - 1].kernel < (s32)again)
		sim_run(w.s, sim_cycle(w.s) + 10, &st);
	const struct launch *l[] = {gpu_launched(sim_gpu(w.s), again), gpu_launched(sim_gpu(w.s), wide)};
	struct smk_need k[2];
	u64 total[SMK_RESOURCES];
	u32 even[2], told = 0;
	for (u32 i = 0; i < 2; i++)
		k[i] = smk_need_of(gpu_conf(sim_gpu(w.s)), l[i]);
	smk_totals(gpu_conf(sim_gpu(w.s)), total);
	smk_counts(2, k, total, NULL, even);
	assert_true(share[more] > 4 && even[0] > share[more]);
	for (; seen < w.log.n; seen++) {
		const struct event *e = &w.log.e[seen];
		assert_true(e->type == EV_REPARTITION && !e->arg[0]);
		assert_int_equal(e->arg[1], even[e->kernel == (s32)wide]);
		told++;
	}
	assert_int_equal(told, 2);
	shut(&w);
}

/* Three kernels: two share six SMs, the third has three. Two that fit on no SM together have halves. Four SMs are too
 * few to try anything on. */
static void test_groups(void **state)
{
	static const struct {
		const char *kernel[3], *sms;
		bool tries, apart;
	} rows[] = {{{"m", "c", "c"}, "num_sms=9", true, false},
	            {{"w", "w", NULL}, "num_sms=9", false, true},
	            {{"m", "c", NULL}, "num_sms=4", false, false}};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		struct watch w;
		open_sms(&w, (const char *[]){rows[i].sms, NULL}, NULL, SEEN);
		u32 sms[3] = {0}, both = 0, n = 0;
		for (; n < 3 && rows[i].kernel[n]; n++)
			go(&w, rows[i].kernel[n], n == 2 ? 900 : 300, 60, n + 1);
		rig_finish(w.s);
		struct held on[SMS] = {0};
		for (u32 k = 0; k < w.log.n && w.log.e[k].type != EV_KERNEL_DONE; k++) {
			const struct event *e = &w.log.e[k];
			const bool comes = e->type == EV_CTA_DISPATCH || e->type == EV_CTA_RESTORE;
			if (e->type == EV_ROLE)
				follow_role(&w, e);
			if (!comes && e->type != EV_CTA_DONE && e->type != EV_CTA_SAVE)
				continue;
			u32 *has = on[e->sm].of;
			has[e->kernel] += comes ? 1 : -1u;
			if (!comes || e->cycle < 3000 || e->cycle > 30000)
				continue;
			both += has[0] && has[1];
			if (n == 3 && (e->sm >= 6) != (e->kernel == 2))
				fail_msg("cycle %llu: a CTA of kernel %d came to SM %d", (unsigned long long)e->cycle, e->kernel,
				         e->sm);
			sms[e->kernel] |= 1u << e->sm;
		}
		assert_int_equal(rig_count(&w.log, EV_TRIAL) > 0, rows[i].tries);
		assert_int_equal(both == 0, rows[i].apart);
		if (rows[i].apart)
			assert_true(bit_count(sms[0]) == 5 && bit_count(sms[1]) == 4);
		shut(&w);
	}
}

/* SMs of a group whose kernels have no more CTAs to come are those of others, beside what is there. */
static void test_idle_group(void **state)
{
	struct watch w;
	struct stop st;
	open_sms(&w, (const char *[]){NULL}, NULL, EVENT(EV_CTA_DISPATCH));
	go(&w, "c", 9, 4000, 1);
	go(&w, "c", 9, 4000, 2);
	const u32 third = go(&w, "m", 900, 8, 3);
	sim_run(w.s, 20000, &st);
	u32 sms = 0;
	for (u32 i = 0; i < w.log.n; i++)
		sms |= w.log.e[i].kernel == (s32)third ? 1u << w.log.e[i].sm : 0;
	assert_int_equal(sms, (1u << SMS) - 1);
	shut(&w);
}

/* The trial kernel is the one of which an SM holds fewer CTAs - q has a quarter of its shared memory -, whichever comes
 * first. */
static void test_trial_kernel(void **state)
{
	static const char quarter[] =
	    PTX_HEAD HEAD("q") ".shared .align 4 .b8 part[12000];\n" BODY
	                       "mov.u32 %r7, part; st.shared.u32 [%r7], %r6;\n" WORK HEAD("c") BODY WORK;
	static const char *const pair[2] = {"q", "c"};
	for (u32 i = 0; i < 2; i++) {
		struct watch w;
		open_sms(&w, (const char *[]){NULL}, NULL, EVENT(EV_TRIAL));
		w.m = rig_load(w.s, quarter);
		const u32 first = go(&w, pair[i], 400, 100, 1), second = go(&w, pair[!i], 400, 100, 2);
		rig_finish(w.s);
		assert_true(w.log.n > 3);
		for (u32 k = 0; k < w.log.n; k++)
			assert_int_equal(w.log.e[k].kernel, i ? second : first);
		shut(&w);
	}
}

/* A kernel that has nothing to come is in no group, and nobody sends away what it has. */
static void test_nothing_to_come(void **state)
{
	struct watch w;
	struct stop st;
	open_sms(&w, (const char *[]){NULL}, NULL, EVENT(EV_CTA_SAVE) | EVENT(EV_KERNEL_DONE) | EVENT(EV_TRIAL));
	const u32 small = go(&w, "c", 9, 4000, 1);
	sim_run(w.s, 3000, &st);
	go(&w, "m", 300, 20, 2);
	go(&w, "c", 300, 100, 3);
	rig_finish(w.s);
	assert_true(rig_count(&w.log, EV_TRIAL) > 0);
	for (u32 k = 0; k < w.log.n; k++)
		assert_true(w.log.e[k].type != EV_CTA_SAVE || w.log.e[k].kernel != (s32)small);
	shut(&w);
}

/* --- roles --------------------------------------------------------------------------------------------------------- */

/* h: hits, a line of L1D a warp; u: each lane a line of its own, always new ones. Together on an SM u keeps h's lines
 * out and its load/store unit busy. Later u
 * only keeps the SFU busy, for which half of its CTAs are enough. */
static const char thrash[] = PTX_HEAD HEAD("h") BODY
    "L: ld.global.u32 %r7, [%a2]; add.u32 %r6, %r6, %r7; sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra "
    "L;\nst.global.u32 [%a2], %r6; ret;\n}\n" HEAD("u") BODY
    ".reg .f32 %f<2>; mad.wide.u32 %a4, %r4, 128, %a1;\n"
    "L: mov.u32 %r8, %clock; setp.gt.u32 %p2, %r8, 14000; @%p2 bra C;\n"
    "ld.global.u32 %r7, [%a4]; add.u32 %r6, %r6, %r7; add.u64 %a4, %a4, 16384; bra E;\n"
    "C: sin.approx.f32 %f1, %f1; sin.approx.f32 %f1, %f1; sin.approx.f32 %f1, %f1; sin.approx.f32 %f1, %f1;\n"
    "E: sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra L;\nst.global.u32 [%a2], %r6; ret;\n}\n";

static u32 spatial_of(const struct watch *w, s32 kernel)
{
	u32 n = 0;
	for (u32 i = 0; i < SMS; i++)
		n += w->role[i] == ROLE_SPATIAL && w->kernel[i] == kernel;
	return n;
}

/* An SM more a kernel after each epoch in which splitting was best, as long as there is room beside two dedicated, two
 * trial and one follower; one less after the others. */
static void test_splits(void **state)
{
	struct watch w;
	struct stop st;
	open_sms(&w, (const char *[]){NULL}, NULL, EVENT(EV_ROLE) | EVENT(EV_TRIAL));
	w.m = rig_load(w.s, thrash);
	const u64 buf = rig_alloc(w.s, 64 << 20);
	rig_launch(w.s, w.m, "h", 900, 128, 1, (u64[]){buf, 400}, 2);
	rig_launch(w.s, w.m, "u", 900, 128, 2, (u64[]){buf, 40}, 2);
	sim_run(w.s, 24000, &st);
	const u32 most = (SMS - 5) / 2;
	u32 split = 0, stays = 0, fewer = 0;
	u64 last = 0, least = 0;
	for (u32 i = 0; i < w.log.n; i++) {
		const struct event *e = &w.log.e[i];
		if (e->type == EV_ROLE) {
			follow_role(&w, e);
			continue;
		}
		if (e->cycle != last) {
			assert_true(spatial_of(&w, 0) == split && spatial_of(&w, 1) == split);
			assert_true(with_role(&w, ROLE_FOLLOWER) >= 1);
			last = e->cycle;
			least = UINT64_MAX;
		}
		if (e->arg[0]) { /* shared */
			least = MIN(least, e->arg[3]);
		} else if (e->arg[3] < least) {
			stays += split == most;
			split = MIN(split + 1, most);
		} else {
			fewer += split > 0;
			split -= split > 0;
		}
	}
	assert_true(most == 2 && stays >= 2 && fewer == most);
	shut(&w);
}

/* x: half of the time - by the clock, 2048 cycles each - much faster than in the other half; t: always as fast. y: each
 * lane a line of its own. Of each an SM has room for two CTAs, or for one of each: there is nothing to try. */
#define HALF                                                                                                           \
	".reg .f32 %f<2>; .shared .align 4 .b8 room[20000];\n" BODY "mov.u32 %r7, room; st.shared.u32 [%r7], %r6;\n"
#define BY_CLOCK(phase)                                                                                                \
	"L: mov.u32 %r8, %clock; and.b32 %r8, %r8, " phase "; setp.eq.u32 %p2, %r8, 0; @%p2 bra S;\n"                      \
	"mad.lo.u32 %r11, %r6, 3, 1; mad.lo.u32 %r12, %r6, 5, 1; mad.lo.u32 %r13, %r6, 7, 1; mad.lo.u32 %r14, %r6, 9, "    \
	"1; mad.lo.u32 %r15, %r6, 11, 1; mad.lo.u32 %r16, %r6, 13, 1; bra E;\n"                                            \
	"S: sin.approx.f32 %f1, %f1; sin.approx.f32 %f1, %f1; sin.approx.f32 %f1, %f1; sin.approx.f32 %f1, %f1;\n"         \
	"sin.approx.f32 %f1, %f1; sin.approx.f32 %f1, %f1;\n"                                                              \
	"E: sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra L;\nst.global.u32 [%a2], %r6; ret;\n}\n"
static const char phases[] = PTX_HEAD HEAD("x") HALF BY_CLOCK("2048") HEAD("t") HALF BY_CLOCK("0") HEAD("y") HALF
    "mad.wide.u32 %a4, %r4, 128, %a1;\n"
    "L: ld.global.u32 %r7, [%a4]; add.u32 %r6, %r6, %r7; sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra "
    "L;\nst.global.u32 [%a2], %r6; ret;\n}\n";

/* Without a change dedicated SMs go when what they measure, of both kernels, is as in the epoch before; not until then.
 */
static void test_stable(void **state)
{
	static const struct {
		const char *kernel[2];
		u32 rounds[2];
		bool go;
	} rows[] = {{{"x", "y"}, {200, 60}, false}, {{"y", "x"}, {60, 200}, false}, {{"t", "y"}, {200, 60}, true}};
	for (u32 r = 0; r < ARRAY_LEN(rows); r++) {
		struct watch w;
		struct stop st;
		open_sms(&w, (const char *[]){"maestro.epoch=2048", NULL}, NULL, SEEN);
		w.m = rig_load(w.s, phases);
		const u64 buf = rig_alloc(w.s, 16 << 20);
		for (u32 k = 0; k < 2; k++)
			rig_launch(w.s, w.m, rows[r].kernel[k], 900, 128, k + 1, (u64[]){buf, rows[r].rounds[k]}, 2);
		sim_run(w.s, 24000, &st);
		u32 went = 0, epochs = 0;
		for (u32 i = 0; i < w.log.n; i++) {
			const struct event *e = &w.log.e[i];
			assert_true(e->type != EV_KERNEL_DONE && (e->type != EV_REPARTITION || !epochs));
			epochs += e->type == EV_TRIAL && !e->arg[0];
			went += e->type == EV_ROLE && e->arg[1] == ROLE_DEDICATED;
		}
		if (epochs < 10 || went != (rows[r].go ? 2 : 0))
			fail_msg("%s and %s: %u epochs, %u dedicated SMs went", rows[r].kernel[0], rows[r].kernel[1], epochs, went);
		shut(&w);
	}
}

/* z: arithmetic up to cycle 16384, then hits, for which sharing an SM with y is worse than splitting the SMs. */
static const char turns[] = PTX_HEAD HEAD("z") HALF
    "L: mov.u32 %r8, %clock; and.b32 %r8, %r8, 16384; setp.eq.u32 %p2, %r8, 0; @!%p2 bra H;\n"
    "mad.lo.u32 %r11, %r6, 3, 1; mad.lo.u32 %r12, %r6, 5, 1; mad.lo.u32 %r13, %r6, 7, 1; mad.lo.u32 %r14, %r6, 9, "
    "1; mad.lo.u32 %r15, %r6, 11, 1; mad.lo.u32 %r16, %r6, 13, 1; bra E;\n"
    "H: ld.global.u32 %r7, [%a2]; add.u32 %r6, %r6, %r7; ld.global.u32 %r7, [%a2]; add.u32 %r6, %r6, %r7;\n"
    "E: sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra L;\nst.global.u32 [%a2], %r6; ret;\n}\n" HEAD("y")
        HALF
    "mad.wide.u32 %a4, %r4, 128, %a1;\n"
    "L: ld.global.u32 %r7, [%a4]; add.u32 %r6, %r6, %r7; sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra "
    "L;\nst.global.u32 [%a2], %r6; ret;\n}\n";

/* Dedicated SMs that have gone come back with a change. */
static void test_back_with_change(void **state)
{
	struct watch w;
	struct stop st;
	open_sms(&w, (const char *[]){"maestro.epoch=2048", NULL}, NULL, EVENT(EV_ROLE) | EVENT(EV_TRIAL));
	w.m = rig_load(w.s, turns);
	const u64 buf = rig_alloc(w.s, 16 << 20);
	rig_launch(w.s, w.m, "z", 900, 128, 1, (u64[]){buf, 300}, 2);
	rig_launch(w.s, w.m, "y", 900, 128, 2, (u64[]){buf, 60}, 2);
	sim_run(w.s, 30000, &st);
	u32 went = 0, back = 0;
	u64 splits = 0;
	for (u32 i = 0; i < w.log.n && !splits; i++)
		splits = w.log.e[i].type == EV_ROLE && w.log.e[i].arg[0] == ROLE_SPATIAL ? w.log.e[i].cycle : 0;
	for (u32 i = 0; i < w.log.n; i++) {
		const struct event *e = &w.log.e[i];
		went += e->type == EV_ROLE && e->cycle < splits && e->arg[1] == ROLE_DEDICATED;
		back += e->type == EV_ROLE && e->cycle == splits && e->arg[0] == ROLE_DEDICATED;
	}
	if (went != 2 || back != 2 || splits < 16384)
		fail_msg("%u dedicated SMs went before SMs were split, in cycle %llu; then %u came back", went,
		         (unsigned long long)splits, back);
	shut(&w);
}

static void take(const struct watch *w, u32 kernel, u32 sm)
{
	struct err e = {0};
	const u64 set[CONF_SM_WORDS] = {BIT(sm)};
	if (!gpu_preempt(sim_gpu(w->s), &(struct sm_order){.launch = kernel, .set = set, .within_us = 100}, &e))
		fail_msg("%s", e.msg);
}

/* The first kernel of a pair loses an SM (none: SMS) to the user, and what is issued is counted from a cycle on. */
static void with_one_taken(struct watch *w, u32 sm, u64 taken, u64 counted, u64 until)
{
	struct stop st;
	const bool counts = counted < until;
	open_sms(w, (const char *[]){NULL}, counts ? count_issues : NULL, counts ? EVENT(EV_ISSUE) : SEEN);
	go(w, "m", 900, 8, 1);
	go(w, "c", 700, 100, 2);
	sim_run(w->s, taken, &st);
	if (sm < SMS)
		take(w, 0, sm);
	sim_run(w->s, counted, &st);
	memset(w->issued, 0, sizeof w->issued);
	sim_run(w->s, until, &st);
}

/* Instructions of the first kernel in the epoch that has just ended are those of followers that the user has left it.
 */
static void followers_measured(const struct watch *w, u32 sm, u64 taken, const struct event *e)
{
	struct watch again;
	double issued = 0;
	u32 n = 0;
	with_one_taken(&again, sm, taken, e->cycle - 1500, e->cycle);
	for (u32 i = 0; i < SMS; i++) {
		const bool measured = w->role[i] == ROLE_FOLLOWER && i != sm;
		issued += measured ? (double)again.issued[i][0] : 0;
		n += measured;
	}
	assert_true(n && w->role[sm] == ROLE_FOLLOWER && !again.issued[sm][0]);
	near((double)e->arg[2], 1000 * issued / n / 1500, "IPC of the followers");
	shut(&again);
}

/* An SM that the user has taken from a kernel stays the user's whatever the policy does there, and is not measured: no
 * follower and no dedicated SM. */
static void test_taken(void **state)
{
	static const u32 roles[] = {ROLE_FOLLOWER, ROLE_DEDICATED};
	const u64 taken = 2900; /* in the second epoch */
	for (u32 r = 0; r < ARRAY_LEN(roles); r++) {
		struct watch w;
		u32 sm = SMS, epochs = 0;
		u64 last = 0, gone = 0, alone = 0;
		with_one_taken(&w, SMS, taken, taken, taken);
		for (u32 i = 0; i < w.log.n; i++)
			if (w.log.e[i].type == EV_ROLE)
				follow_role(&w, &w.log.e[i]);
		for (u32 i = 0; i < SMS; i++)
			sm = w.role[i] == roles[r] && w.kernel[i] == 0 ? i : sm;
		assert_true(sm < SMS && rig_count(&w.log, EV_TRIAL) == 4);
		shut(&w);
		with_one_taken(&w, sm, taken, 14000, 14000);
		for (u32 i = 0; i < w.log.n; i++) {
			const struct event *e = &w.log.e[i];
			const bool comes = e->type == EV_CTA_DISPATCH || e->type == EV_CTA_RESTORE;
			if (e->type == EV_ROLE)
				follow_role(&w, e);
			if (e->sm == (s32)sm && e->kernel == 0 && e->cycle > taken && e->type != EV_ROLE && e->type != EV_TRIAL) {
				if (comes)
					fail_msg("cycle %llu: a CTA comes to SM %u, which is the user's", (unsigned long long)e->cycle, sm);
				gone = e->cycle;
			}
			if (e->type != EV_TRIAL)
				continue;
			if (!e->arg[0] && e->cycle < taken)
				alone = e->arg[2];
			if (!e->arg[0] && roles[r] == ROLE_DEDICATED && !epochs && e->cycle > taken) {
				assert_int_equal(e->arg[2], alone); /* the epoch in which it was taken: what was measured before it */
				epochs = 2;
			}
			if (e->cycle != last && roles[r] == ROLE_FOLLOWER && gone && e->cycle > gone + 1500) {
				followers_measured(&w, sm, taken, e);
				epochs++;
			}
			last = e->cycle;
		}
		if (!gone || epochs < 2)
			fail_msg("%s: left SM %u in cycle %llu, %u epochs", partition_role_names[roles[r]], sm,
			         (unsigned long long)gone, epochs);
		shut(&w);
	}
}

/* That the user has taken an SM from a kernel of another group is nothing to the group whose SM it is. */
static void test_taken_from_others(void **state)
{
	struct watch w;
	struct stop st;
	open_sms(&w, (const char *[]){NULL}, NULL, EVENT(EV_ROLE) | EVENT(EV_TRIAL));
	w.m = rig_load(w.s, phases);
	const u64 buf = rig_alloc(w.s, 16 << 20);
	rig_launch(w.s, w.m, "t", 900, 128, 1, (u64[]){buf, 200}, 2);
	rig_launch(w.s, w.m, "y", 900, 128, 2, (u64[]){buf, 60}, 2);
	const u32 third = rig_launch(w.s, w.m, "t", 900, 128, 3, (u64[]){buf, 200}, 2);
	sim_run(w.s, 500, &st);
	for (u32 i = 0; i < w.log.n; i++)
		follow_role(&w, &w.log.e[i]);
	for (u32 i = 0; i < 6; i++)
		if (w.role[i] == ROLE_FOLLOWER)
			take(&w, third, i);
	const u32 before = w.log.n;
	while (!rig_count(&w.log, EV_TRIAL))
		sim_run(w.s, sim_cycle(w.s) + 1, &st);
	u32 followers = 0;
	for (u32 i = before; i < w.log.n; i++)
		followers += w.log.e[i].type == EV_TRIAL && w.log.e[i].arg[0] && w.log.e[i].arg[2];
	assert_int_equal(followers, 1);
	shut(&w);
}

/* The kernel's last dedicated SM so far. */
static u32 dedicated_of(struct watch *w, s32 kernel, u32 *roles)
{
	u32 sm = SMS;
	*roles = 0;
	for (u32 i = 0; i < w->log.n; i++)
		if (w->log.e[i].type == EV_ROLE && w->log.e[i].arg[0] == ROLE_DEDICATED && w->log.e[i].kernel == kernel) {
			sm = (u32)w->log.e[i].sm;
			++*roles;
		}
	return sm;
}

/* The user takes a kernel's dedicated SM before it has been measured, and the next one, and the one behind that: though
 * nothing else changes, another is the kernel's after each such epoch, and dedicated SMs go only when both kernels have
 * been measured. */
static void test_taken_early(void **state)
{
	struct watch w;
	struct stop st;
	u32 roles = 0;
	open_sms(&w, (const char *[]){"maestro.epoch=2048", NULL}, NULL, EVENT(EV_ROLE) | EVENT(EV_TRIAL));
	w.m = rig_load(w.s, phases);
	const u64 buf = rig_alloc(w.s, 16 << 20);
	rig_launch(w.s, w.m, "t", 900, 128, 1, (u64[]){buf, 200}, 2);
	rig_launch(w.s, w.m, "y", 900, 128, 2, (u64[]){buf, 60}, 2);
	for (u32 taken = 0; taken < 3 && sim_cycle(w.s) < 24000;) {
		sim_run(w.s, sim_cycle(w.s) + 100, &st);
		const u32 sm = dedicated_of(&w, 0, &roles);
		if (roles > taken && !sim_gpu(w.s)->preempt.p->smst[sm]) {
			take(&w, 0, sm);
			taken++;
		}
	}
	sim_run(w.s, 24000, &st);
	dedicated_of(&w, 0, &roles);
	u32 epochs = 0, went = 0;
	u64 alone = 0;
	for (u32 i = 0; i < w.log.n; i++) {
		const struct event *e = &w.log.e[i];
		if (e->type == EV_TRIAL && !e->arg[0]) {
			alone = e->arg[2]; /* of the trial kernel, the first */
			epochs++;
		}
		went += e->type == EV_ROLE && e->arg[1] == ROLE_DEDICATED;
		if (epochs && e->type == EV_ROLE && e->arg[1] == ROLE_DEDICATED)
			assert_true((epochs <= 3 && !alone) || (epochs > 3 && alone > 0));
	}
	if (epochs < 8 || roles != 4 || went != 5)
		fail_msg("%u epochs, %u SMs were dedicated to the first kernel, %u dedicated ones went", epochs, roles, went);
	shut(&w);
}

/* Roles go to the SMs that have to give up least for them, not to the first: an SM that is empty when the second kernel
 * comes is that kernel's dedicated one; one that the user has taken from the first kernel follows, as long as there are
 * others for the roles that measure. */
static void test_cheapest(void **state)
{
	for (u32 given_back = 0; given_back < 2; given_back++) {
		struct watch w;
		struct stop st;
		struct err e = {0};
		const u32 sm = given_back ? 6 : 0;
		open_sms(&w, (const char *[]){NULL}, NULL, EVENT(EV_ROLE) | EVENT(EV_TRIAL));
		go(&w, "m", 900, 8, 1);
		sim_run(w.s, 1000, &st);
		take(&w, 0, sm);
		sim_run(w.s, 6000, &st);
		assert_int_equal(sim_gpu(w.s)->sm[sm]->nctas, 0);
		if (given_back && !gpu_release_sms(sim_gpu(w.s), (const u64[CONF_SM_WORDS]){BIT(sm)}, &e))
			fail_msg("%s", e.msg);
		go(&w, "c", 700, 100, 2);
		sim_run(w.s, 6010, &st);
		assert_true(w.log.n > 0 && !rig_count(&w.log, EV_TRIAL));
		for (u32 i = 0; i < w.log.n; i++)
			follow_role(&w, &w.log.e[i]);
		/* The first kernel has all SMs to itself: to dedicate one costs nothing anywhere. */
		assert_true(w.role[given_back ? 0 : 1] == ROLE_DEDICATED && w.kernel[given_back ? 0 : 1] == 0);
		if (given_back)
			assert_true(w.role[sm] == ROLE_DEDICATED && w.kernel[sm] == 1);
		else
			assert_int_equal(w.role[sm], ROLE_FOLLOWER);
		shut(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_objectives),
	    cmocka_unit_test(test_fill),
	    cmocka_unit_test(test_epochs),
	    cmocka_unit_test(test_throughput),
	    cmocka_unit_test(test_history),
	    cmocka_unit_test(test_more_is_no_history),
	    cmocka_unit_test(test_groups),
	    cmocka_unit_test(test_trial_kernel),
	    cmocka_unit_test(test_nothing_to_come),
	    cmocka_unit_test(test_splits),
	    cmocka_unit_test(test_stable),
	    cmocka_unit_test(test_taken),
	    cmocka_unit_test(test_idle_group),
	    cmocka_unit_test(test_back_with_change),
	    cmocka_unit_test(test_cheapest),
	    cmocka_unit_test(test_taken_early),
	    cmocka_unit_test(test_taken_from_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
