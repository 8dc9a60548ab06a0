/* Every event of events.def is emitted when it should be, with the arguments it documents, and agrees with the
 * counters. */
#include "tests/rig/sm_rig.h"

#include "obs/break/break.h"
#include "sim_internal.h"

#define REGS ".reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %a<8>;\n"
#define ENTRY(name)                                                                                                    \
	".visible .entry " name "(.param .u64 p0)\n{\n" REGS "ld.param.u64 %a1, [p0]; mov.u32 %r1, %tid.x;\n"
#define OWN_WORD                                                                                                       \
	"mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 4, %a1;\n"

struct recorded {
	struct sim *s;
	struct module *m;
	struct rig_log log;
};

static struct recorded record(const char *const *sets, const char *body)
{
	char text[4096];
	struct recorded r = {.s = machine(sets)};
	snprintf(text, sizeof text, "%s%s\n}\n", PTX_HEAD ENTRY("k") OWN_WORD, body);
	r.m = rig_load(r.s, text);
	return r;
}

/* To the end, with the events of `mask` recorded. The log lives in the caller: the subscription points to it. */
static void run(struct recorded *r, u32 grid, u32 block, event_set mask)
{
	u64 buf = rig_alloc(r->s, 1 << 20);
	sim_subscribe(r->s, mask, rig_record, &r->log);
	rig_launch(r->s, r->m, "k", grid, block, 0, &buf, 1);
	rig_finish(r->s);
}

/* Each event has the places that its row of the table names, and no others: filters may name those alone. */
static void check_places(const struct rig_log *log)
{
	for (u32 i = 0; i < log->n; i++) {
		const struct event *e = &log->e[i];
		u32 has = (e->sm >= 0 ? EVENT_OF_SM : 0) | (e->kernel >= 0 ? EVENT_OF_KERNEL : 0) |
		          (e->cta >= 0 ? EVENT_OF_CTA : 0) | (e->warp >= 0 ? EVENT_OF_WARP : 0);
		if (has != event_descs[e->type].places)
			fail_msg("%s: has places %x, its row %x", event_descs[e->type].name, has, event_descs[e->type].places);
	}
}

static void release(struct recorded *r)
{
	check_places(&r->log);
	free(r->log.e);
	sim_destroy(r->s);
}

static const char mixed[] =
    ".shared .align 4 .b8 sh[1024];\n"
    "and.b32 %r5, %r1, 255; shl.b32 %r5, %r5, 2; mov.u32 %r6, sh; add.u32 %r6, %r6, %r5; st.shared.u32 [%r6], %r4;\n"
    "bar.sync 0; setp.lt.u32 %p1, %r1, 10; @%p1 bra A; mul.lo.u32 %r8, %r4, 7; bra.uni B;\nA: div.u32 %r8, %r4, 3;\n"
    "B: mul.lo.u32 %r9, %r4, 129; and.b32 %r9, %r9, 16383; mad.wide.u32 %a3, %r9, 4, %a1; ld.global.u32 %r10, [%a3];\n"
    "ld.global.u32 %r11, [%a3+128]; add.u32 %r10, %r10, %r8; add.u32 %r10, %r10, %r11; "
    "st.global.u32 [%a2+131072], %r10; ret;";

/* --- the SM ------------------------------------------------------------------------------------------------------- */

static void test_issue(void **state)
{
	struct recorded r = record((const char *[]){"num_sms=2", "sm.schedulers=3", NULL}, mixed);
	run(&r, 8, 96, EVENT(EV_ISSUE) | EVENT(EV_SCHED_PICK));
	u64 lanes = 0;
	for (u32 i = 0; i < r.log.n; i++) {
		const struct event *e = &r.log.e[i];
		bool issue = e->type == EV_ISSUE;
		assert_int_equal(e->arg[issue ? 2 : 0], e->warp % 3);
		assert_in_range(e->cta, 0, 7);
		assert_int_equal(e->kernel, 0);
		if (issue) {
			assert_true(e->arg[0] == e->pc && e->pc < r.m->ncode);
			lanes += bit_count(e->arg[1]);
		} else {
			assert_true(e->arg[1] >> e->warp & 1);
			assert_true(e->arg[2] <= 1);
		}
	}
	assert_int_equal(rig_count(&r.log, EV_ISSUE), rig_counter(r.s, CG_sm, "issued"));
	assert_int_equal(rig_count(&r.log, EV_SCHED_PICK), rig_counter(r.s, CG_sm, "issue_slots"));
	assert_int_equal(lanes, rig_counter(r.s, CG_sm, "thread_insts"));
	release(&r);
}

/* From the picks and the changes of reason alone, the whole stall table can be rebuilt. */
static void rebuild_stalls(const struct rig_log *l, u64 end, u32 nsched, u64 table[2][4][ST_COUNT])
{
	u64 from[2][4] = {{0}};
	u32 now[2][4];
	for (u32 i = 0; i < 8; i++)
		now[i / 4][i % 4] = ST_EMPTY;
	for (u32 i = 0; i < l->n; i++) {
		const struct event *e = &l->e[i];
		u32 sch = (u32)e->arg[0], why = e->type == EV_STALL ? (u32)e->arg[1] : ST_ISSUED;
		if (e->type == EV_STALL) {
			assert_true(why != ST_ISSUED && why < ST_COUNT);
			assert_true(why != now[e->sm][sch]); /* a change, by its definition */
		}
		table[e->sm][sch][now[e->sm][sch]] += e->cycle - from[e->sm][sch];
		from[e->sm][sch] = e->cycle;
		now[e->sm][sch] = why;
	}
	for (u32 sm = 0; sm < 2; sm++)
		for (u32 sch = 0; sch < nsched; sch++)
			table[sm][sch][now[sm][sch]] += end - from[sm][sch];
}

static void test_stall(void **state)
{
	static const char *const machines[][5] = {
	    {"num_sms=2", NULL},
	    {"num_sms=2", "l1d.mshrs=1", "sm.schedulers=4", NULL},
	    {"num_sms=2", "warp-sched=tlv", "tlv.group=2", "sm.issue_period=2", NULL},
	    {"num_sms=2", "l1i.sets=1", "l1i.ways=1", "l1i.mshrs=1", NULL},
	};
	for (u32 k = 0; k < ARRAY_LEN(machines); k++) {
		struct recorded r = record(machines[k], mixed);
		run(&r, 12, 160, EVENT(EV_STALL) | EVENT(EV_SCHED_PICK));
		u64 table[2][4][ST_COUNT] = {{{0}}}, want[ST_COUNT];
		u32 n = gpu_conf(sim_gpu(r.s))->sm_schedulers;
		rebuild_stalls(&r.log, sim_cycle(r.s), n, table);
		for (u32 sm = 0; sm < 2; sm++)
			for (u32 sch = 0; sch < n; sch++) {
				gpu_stalls(sim_gpu(r.s), sm, sch, want);
				assert_memory_equal(table[sm][sch], want, sizeof want);
			}
		release(&r);
	}
}

static void test_divergence(void **state)
{
	struct recorded r = record((const char *[]){"num_sms=1", NULL}, mixed);
	run(&r, 1, 64, EVENT(EV_BRANCH_DIVERGE) | EVENT(EV_RECONVERGE));
	assert_int_equal(rig_count(&r.log, EV_BRANCH_DIVERGE), 1); /* warp 1 goes one way */
	assert_int_equal(rig_counter(r.s, CG_sm, "divergent"), 1);
	assert_int_equal(rig_counter(r.s, CG_sm, "branches"), 2);
	const struct event *d = rig_event(&r.log, EV_BRANCH_DIVERGE, 0);
	const struct inst *in = &r.m->code[d->arg[0]];
	assert_true(in->op == OP_BRA && d->pc == d->arg[0]);
	assert_int_equal(d->arg[1], 0x3ff);
	assert_int_equal(d->arg[2], 0xfffffc00);
	const struct event *j = rig_event(&r.log, EV_RECONVERGE, rig_count(&r.log, EV_RECONVERGE) - 1);
	assert_int_equal(j->warp, d->warp);
	assert_int_equal(j->arg[0], in->reconv);
	assert_int_equal(j->arg[1], 0xffffffff);
	for (u32 i = 0; i < rig_count(&r.log, EV_RECONVERGE); i++) /* nothing "joins" before the join */
		assert_int_equal(rig_event(&r.log, EV_RECONVERGE, i)->arg[0], in->reconv);
	release(&r);
}

static void test_barriers(void **state)
{
	struct recorded r = record((const char *[]){"num_sms=1", NULL}, mixed);
	run(&r, 3, 128, EVENT(EV_BARRIER_ARRIVE) | EVENT(EV_BARRIER_RELEASE) | EVENT(EV_CTA_DISPATCH));
	u32 arrived[3] = {0};
	for (u32 i = 0; i < r.log.n; i++) {
		const struct event *e = &r.log.e[i];
		if (e->type == EV_BARRIER_ARRIVE) {
			assert_int_equal(e->arg[0], 0);
			assert_int_equal(e->arg[1], ++arrived[e->cta]);
			assert_int_equal(e->arg[2], 4);
		} else if (e->type == EV_BARRIER_RELEASE) {
			assert_int_equal(arrived[e->cta], 4);
			assert_int_equal(e->warp, -1);
			assert_int_equal(e->arg[1], rig_event(&r.log, EV_CTA_DISPATCH, (u32)e->cta)->arg[1]);
		}
	}
	assert_int_equal(rig_count(&r.log, EV_BARRIER_RELEASE), 3);
	assert_int_equal(rig_count(&r.log, EV_BARRIER_ARRIVE), 12);
	release(&r);
}

static void test_warps_and_ctas(void **state)
{
	struct recorded r = record((const char *[]){"num_sms=2", NULL}, mixed);
	run(&r, 20, 96, EVENT(EV_WARP_EXIT) | EVENT(EV_WARP_STALL) | EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_DONE));
	u64 since[20] = {0}, warps[20] = {0}, exited[20] = {0}, states = 0;
	for (u32 i = 0; i < r.log.n; i++) {
		const struct event *e = &r.log.e[i];
		switch (e->type) {
		case EV_CTA_DISPATCH:
			assert_int_equal(bit_count(e->arg[1]), 3);
			assert_in_range(e->arg[0], 0, 7);
			since[e->cta] = e->cycle;
			warps[e->cta] = e->arg[1];
			break;
		case EV_CTA_DONE:
			assert_int_equal(e->arg[1], e->cycle - since[e->cta]);
			assert_int_equal(exited[e->cta], warps[e->cta]);
			break;
		case EV_WARP_EXIT:
			assert_false(exited[e->cta] >> e->warp & 1);
			exited[e->cta] |= BIT(e->warp);
			break;
		case EV_WARP_STALL:
			assert_in_range(e->arg[0], WS_MEM, WS_DONE);
			assert_true(warps[e->cta] >> e->warp & 1);
			states |= BIT(e->arg[0]);
			break;
		}
	}
	assert_int_equal(rig_count(&r.log, EV_CTA_DISPATCH), 20);
	assert_int_equal(rig_count(&r.log, EV_CTA_DONE), 20);
	assert_int_equal(rig_count(&r.log, EV_WARP_EXIT), 60);
	assert_int_equal(states, BIT(WS_MEM) | BIT(WS_SHORT) | BIT(WS_BARRIER) | BIT(WS_FETCH) | BIT(WS_DONE));
	release(&r);
}

static void test_kernels(void **state)
{
	struct recorded r = record((const char *[]){"num_sms=2", "launch.latency=50", NULL}, mixed);
	u64 buf = rig_alloc(r.s, 1 << 20);
	sim_subscribe(r.s,
	              EVENT(EV_KERNEL_LAUNCH) | EVENT(EV_KERNEL_START) | EVENT(EV_KERNEL_DONE) | EVENT(EV_CTA_DISPATCH) |
	                  EVENT(EV_CTA_DONE),
	              rig_record, &r.log);
	rig_launch(r.s, r.m, "k", 5, 32, 3, &buf, 1);
	rig_launch(r.s, r.m, "k", 6, 32, 3, &buf, 1);
	rig_finish(r.s);
	for (u32 i = 0; i < 2; i++) {
		struct kernel_info k;
		gpu_kernel_info(sim_gpu(r.s), i, &k);
		const struct event *l = rig_event(&r.log, EV_KERNEL_LAUNCH, i), *s = rig_event(&r.log, EV_KERNEL_START, i),
		                   *d = rig_event(&r.log, EV_KERNEL_DONE, i);
		assert_int_equal(l->kernel, i);
		assert_int_equal(l->arg[0], 3);
		assert_int_equal(l->arg[1], 5 + i);
		assert_int_equal(s->cycle, k.counters->started_at);
		assert_int_equal(d->cycle, k.counters->ended_at);
		assert_int_equal(d->arg[0], d->cycle - s->cycle);
	}
	assert_int_equal(r.log.e[r.log.n - 1].type, EV_KERNEL_DONE); /* after the end of its last CTA */
	release(&r);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

#define MEMORY                                                                                                         \
	(EVENT(EV_L1_MISS) | EVENT(EV_L1_EVICT) | EVENT(EV_L1_FILL) | EVENT(EV_L2_MISS) | EVENT(EV_DRAM_ACTIVATE))

static void test_memory(void **state)
{
	struct recorded r =
	    record((const char *[]){"num_sms=2", "l1d.sets=4", "l1d.ways=2", "l2.sets=4", "l2.ways=2", NULL}, mixed);
	run(&r, 24, 128, MEMORY);
	u64 misses[2] = {0}, fills[2] = {0};
	for (u32 i = 0; i < r.log.n; i++) {
		const struct event *e = &r.log.e[i];
		switch (e->type) {
		case EV_L1_MISS:
			assert_int_equal(e->arg[0] % 128, 0);
			assert_in_range(e->arg[1], 0, 63);
			misses[e->sm]++;
			break;
		case EV_L1_FILL:
			assert_int_equal(e->arg[0] % 128, 0);
			assert_true(++fills[e->sm] <= misses[e->sm]);
			break;
		case EV_L1_EVICT: assert_true(e->arg[0] % 128 == 0 && e->arg[0] != e->arg[1] / 128 * 128); break;
		case EV_L2_MISS:
			assert_in_range(e->arg[1], 0, gpu_num_l2(sim_gpu(r.s)) - 1);
			u32 slice;
			u32 channel = mem_channel_of(gpu_mem(sim_gpu(r.s)), e->arg[0], &slice);
			assert_int_equal(slice, e->arg[1]);
			assert_int_equal(channel, slice / gpu_conf(sim_gpu(r.s))->l2_slices);
			break;
		case EV_DRAM_ACTIVATE:
			assert_in_range(e->arg[0], 0, 5);
			assert_in_range(e->arg[1], 0, 15);
			break;
		}
	}
	assert_int_equal(rig_count(&r.log, EV_L1_FILL), rig_counter(r.s, CG_l1d, "fills"));
	assert_int_equal(rig_count(&r.log, EV_L1_MISS), rig_counter(r.s, CG_l1d, "fills")); /* whole lines: one each */
	assert_int_equal(rig_count(&r.log, EV_L1_EVICT), rig_counter(r.s, CG_l1d, "evictions"));
	assert_int_equal(rig_count(&r.log, EV_DRAM_ACTIVATE), rig_counter(r.s, CG_dram, "activates"));
	assert_in_range(rig_count(&r.log, EV_L2_MISS), 1, rig_counter(r.s, CG_l2, "misses"));
	assert_true(rig_count(&r.log, EV_L1_EVICT) > 0);
	release(&r);
}

/* Each cause of refusal on the machine that provokes it; once for each transaction and reason, not once for each try.
 */
static void test_refusals(void **state)
{
	static const struct {
		const char *set[4], *counter;
		u32 reason;
	} cases[] = {
	    {{"l1d.sets=1", "l1d.ways=1"}, "rf_line", 1},
	    {{"l1d.mshrs=1"}, "rf_mshr", 2},
	    {{"l1d.merges=1"}, "rf_merge", 3},
	    {{"l1d.miss_queue=1", "noc.flit=8"}, "rf_queue", 4},
	};
	static const char body[] = "and.b32 %r5, %r1, 7; mad.wide.u32 %a3, %r5, 128, %a1; ld.global.u32 %r6, [%a3]; "
	                           "ld.global.u32 %r7, [%a3+2048];\n"
	                           "add.u32 %r6, %r6, %r7; st.global.u32 [%a2+65536], %r6; ret;";
	for (u32 k = 0; k < ARRAY_LEN(cases); k++) {
		const char *sets[] = {"num_sms=1", cases[k].set[0], cases[k].set[1], NULL};
		struct recorded r = record(sets, body);
		run(&r, 4, 64, EVENT(EV_L1_REFUSE));
		u32 n = 0;
		for (u32 i = 0; i < r.log.n; i++) {
			const struct event *e = &r.log.e[i];
			n += e->arg[1] == cases[k].reason;
			assert_int_equal(r.m->code[e->pc].cls, IC_GLOBAL);
			if (i)
				assert_true(e->cycle > e[-1].cycle &&
				            (e->arg[0] != e[-1].arg[0] || e->warp != e[-1].warp || e->arg[1] != e[-1].arg[1]));
		}
		assert_true(n > 0 && n <= rig_counter(r.s, CG_l1d, cases[k].counter));
		release(&r);
	}
}

/* --- the end of the machine --------------------------------------------------------------------------------------- */

static void test_fault(void **state)
{
	struct recorded r =
	    record((const char *[]){"num_sms=2", NULL},
	           "setp.ne.u32 %p1, %r4, 70; mov.u64 %a3, 64; @%p1 bra E; ld.global.u32 %r5, [%a3];\nE: ret;");
	sim_subscribe(r.s, EVENT(EV_FAULT), rig_record, &r.log);
	u64 buf = rig_alloc(r.s, 4096);
	rig_launch(r.s, r.m, "k", 2, 64, 0, &buf, 1);
	struct stop st = rig_run(r.s, NEVER);
	assert_int_equal(st.why, STOP_FAULT);
	assert_int_equal(r.log.n, 1);
	const struct event *e = r.log.e;
	assert_int_equal(e->arg[0], FAULT_OOB);
	assert_int_equal(e->arg[1], 64);
	assert_int_equal(r.m->code[e->arg[2]].op, OP_LD);
	assert_int_equal(e->cta, 1);
	assert_int_equal(e->sm, 1);
	assert_int_equal(e->cycle + 1, st.cycle);
	release(&r);
}

static void test_deadlock(void **state)
{
	struct recorded r = record((const char *[]){"num_sms=1", NULL},
	                           "setp.lt.u32 %p1, %r1, 32; @%p1 bra A; bar.sync 1, 64; ret;\nA: bar.sync 2, 64; ret;");
	sim_subscribe(r.s, EVENT(EV_DEADLOCK), rig_record, &r.log);
	u64 buf = rig_alloc(r.s, 4096);
	rig_launch(r.s, r.m, "k", 1, 64, 0, &buf, 1);
	assert_int_equal(rig_run(r.s, NEVER).why, STOP_DEADLOCK);
	assert_int_equal(r.log.n, 1);
	release(&r);
}

/* A row that the table does not have yet: a type in the second word of a set, where the first has one that does not
 * come in this run. */
enum { HIGH = 64 + EV_DEADLINE_MET };
static void test_many_types(void **state)
{
	struct recorded r = record((const char *[]){"num_sms=1", NULL}, "ret;");
	struct event_buf own = {.mask = EVENT(HIGH)};
	struct rig_log other = {0};
	struct break_set breaks;
	const enum event_type high = (enum event_type)HIGH;
	assert_true(event_wanted(&own, high));
	assert_false(event_wanted(&own, (enum event_type)(HIGH - 64)));
	sim_subscribe(r.s, EVENT(HIGH), rig_record, &r.log);
	sim_subscribe(r.s, EVENT(HIGH - 64) | EVENT(HIGH + 1), rig_record, &other);
	break_init(&breaks);
	break_new_event(&breaks, high, "high");
	assert_true(break_mask(&breaks) == EVENT(HIGH));
	assert_false(break_event(&breaks, sim_gpu(r.s), &(struct event){.type = HIGH - 64}));
	break_release(&breaks);
	u64 buf = rig_alloc(r.s, 4096);
	rig_launch(r.s, r.m, "k", 1, 32, 0, &buf, 1);
	event_add(gpu_events(r.s->gpu), high, 0);
	rig_finish(r.s);
	assert_int_equal(r.log.n, 1);
	assert_int_equal(r.log.e[0].type, HIGH);
	assert_int_equal(other.n, 0);
	r.log.n = 0; /* no row says where it is */
	release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_issue),    cmocka_unit_test(test_stall),          cmocka_unit_test(test_divergence),
	    cmocka_unit_test(test_barriers), cmocka_unit_test(test_warps_and_ctas), cmocka_unit_test(test_kernels),
	    cmocka_unit_test(test_memory),   cmocka_unit_test(test_refusals),       cmocka_unit_test(test_fault),
	    cmocka_unit_test(test_deadlock), cmocka_unit_test(test_many_types),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
