/* The CTA dispatcher and several kernels at once: who gets which SM, ends in every order, exact fits, quotas, CTA
 * schedulers and partition policies that ask to be called, and that everything is given back. */
#include "base/rng.h"
#include "tests/rig/given_back.h"
#include "tests/rig/sm_rig.h"

/* Adds the CTA's id + 1 to its own words `rounds` times, with arithmetic, loads and stores. */
static const char body[] =
    "(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %a<8>;\n"
    "ld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r10, %a3; mov.u32 %r1, %tid.x; "
    "mov.u32 %r2, %ctaid.x;\n"
    "mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 4, %a1; add.u32 %r5, %r2, 1;\n"
    "L: ld.global.u32 %r6, [%a2]; add.u32 %r6, %r6, %r5; st.global.u32 [%a2], %r6; sub.u32 %r10, %r10, 1;\n"
    "setp.ne.u32 %p1, %r10, 0; @%p1 bra L; ret;\n}\n";

#define KERNELS 3
struct work {
	struct sim *s;
	struct module *m;
	u64 buf[64];
	u32 id[64], grid[64], block[64], rounds[64], n;
};

static void open_work(struct work *w, const char *const *sets)
{
	char text[4096];
	memset(w, 0, sizeof *w);
	w->s = machine(sets);
	snprintf(text, sizeof text, PTX_HEAD ".visible .entry a%s.visible .entry b%s.visible .entry c%s", body, body, body);
	w->m = rig_load(w->s, text);
}

/* CTAs of every third one have shared memory besides. */
static void add_kernel(struct work *w, u32 stream, u32 grid, u32 block, u32 rounds)
{
	static const char *const names[] = {"a", "b", "c"};
	u32 i = w->n++;
	w->buf[i] = rig_alloc(w->s, 4ull * grid * block);
	w->grid[i] = grid;
	w->block[i] = block;
	w->rounds[i] = rounds;
	struct err e = {0};
	struct launch_spec l = {.mod = w->m,
	                        .fn = module_func(w->m, names[i % KERNELS], true),
	                        .grid = {grid, 1, 1},
	                        .block = {block, 1, 1},
	                        .stream = stream,
	                        .params = (u64[]){w->buf[i], rounds},
	                        .param_bytes = 16,
	                        .dynamic_shared = i % KERNELS == 2 ? 1300 : 0};
	const int id = sim_launch(w->s, &l, &e);
	if (id < 0)
		fail_msg("%s", e.msg);
	w->id[i] = (u32)id;
}

static struct kernel_counters counters_of(const struct work *w, u32 i)
{
	struct kernel_info k;
	gpu_kernel_info(sim_gpu(w->s), w->id[i], &k);
	return *k.counters;
}

/* Every word is what its thread wrote; every kernel's counts are what its size says; the sums are the machine's. */
static void close_work(struct work *w)
{
	struct err e = {0};
	rig_finish(w->s);
	sim_drain(w->s);
	if (!sim_check(w->s, &e) || !sim_check_state(w->s, &e))
		fail_msg("%s", e.msg);
	all_given_back(w->s);
	u64 transactions = 0;
	for (u32 i = 0; i < w->n; i++) {
		struct kernel_counters k = counters_of(w, i);
		u64 warps = (u64)w->grid[i] * ((w->block[i] + 31) / 32);
		assert_int_equal(k.ctas_done, w->grid[i]);
		assert_int_equal(k.warp_insts, warps * (10 + 6ull * w->rounds[i])); /* the last branch has no lane */
		assert_int_equal(k.thread_insts, (u64)w->grid[i] * w->block[i] * (9 + 6ull * w->rounds[i]));
		transactions += k.transactions;
		assert_true(k.transactions >= warps * 2 * w->rounds[i]);
		for (u32 t = 0; t < w->grid[i] * w->block[i]; t += 7)
			assert_int_equal(rig_u32(w->s, w->buf[i] + 4 * t), w->rounds[i] * (t / w->block[i] + 1));
	}
	assert_int_equal(rig_counter(w->s, CG_sm, "transactions"), transactions);
	sim_destroy(w->s);
}

/* --- two kernels -------------------------------------------------------------------------------------------------- */

struct mix {
	u32 together; /* CTA starts after which both kernels are on the SM */
	struct gpu *g;
	u64 sms;
};
static bool look_at_mix(void *ctx, const struct event *e)
{
	struct mix *m = ctx;
	const struct sm *s = m->g->sm[e->sm];
	if (sm_resident(s, 0) && sm_resident(s, 1)) {
		m->together++;
		m->sms |= BIT(e->sm);
	}
	return false;
}

/* The first kernel has room left on every SM; the second takes it, on every SM. */
static void test_mixed_residency(void **state)
{
	struct work w;
	open_work(&w, (const char *[]){"num_sms=5", NULL});
	struct mix m = {.g = w.s->gpu};
	sim_subscribe(w.s, EVENT(EV_CTA_DISPATCH), look_at_mix, &m);
	add_kernel(&w, 0, 10, 256, 20);
	add_kernel(&w, 1, 20, 128, 20);
	close_work(&w);
	assert_int_equal(m.sms, bit_range(5));
	assert_int_equal(m.together, 20); /* four more CTAs fit beside the two of each SM */
}

/* Beside a kernel that loads and stores, one that only stores: what it reads is its own code, which nobody else
 * fetches, though a warp of the other one has slot 0 of every SM. */
static void test_messages_by_kernel(void **state)
{
	static const char fill[] =
	    PTX_HEAD ".visible .entry fill(.param .u64 p0)\n{\n.reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %a<4>;\n"
	             "ld.param.u64 %a1, [p0]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
	             "mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 4, %a1; mov.u32 %r5, 0;\n"
	             "L: st.global.u32 [%a2], %r4; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 6; @%p1 bra L; ret;\n}\n";
	struct work w;
	open_work(&w, (const char *[]){"num_sms=2", NULL});
	struct mix m = {.g = w.s->gpu};
	sim_subscribe(w.s, EVENT(EV_CTA_DISPATCH), look_at_mix, &m);
	add_kernel(&w, 0, 4, 256, 40);
	struct module *mod = rig_load(w.s, fill);
	u64 buf = rig_alloc(w.s, 4 * 8 * 128);
	u32 id = rig_launch(w.s, mod, "fill", 8, 128, 1, &buf, 1);
	rig_finish(w.s);
	struct kernel_info k;
	gpu_kernel_info(sim_gpu(w.s), id, &k);
	assert_true(m.together > 0);
	assert_int_equal(k.counters->write_sent, 8 * 4 * 6);
	assert_int_equal(k.counters->write_bytes, 8 * 4 * 6 * (8 + 128));
	assert_int_equal(k.counters->control_sent, 8 * 4 * 6);
	assert_in_range(k.counters->read_sent, 2, 8); /* lines of its code, on two SMs */
	assert_int_equal(k.counters->data_sent, k.counters->read_sent);
	u64 reads = rig_counter(w.s, CG_noc, "read_sent"), writes = rig_counter(w.s, CG_noc, "write_flits");
	assert_int_equal(reads, k.counters->read_sent + counters_of(&w, 0).read_sent);
	assert_int_equal(writes, k.counters->write_flits + counters_of(&w, 0).write_flits);
	sim_destroy(w.s);
}

/* Launched in the same cycle, ended in every order; also with their streams in the other order. */
static void test_ends_in_every_order(void **state)
{
	static const u32 rounds[][KERNELS] = {{4, 40, 120}, {4, 120, 40}, {40, 4, 120},
	                                      {120, 4, 40}, {40, 120, 4}, {120, 40, 4}};
	for (u32 k = 0; k < 2 * ARRAY_LEN(rounds); k++) {
		const u32 *r = rounds[k % ARRAY_LEN(rounds)];
		struct work w;
		open_work(&w, (const char *[]){"num_sms=2", "launch.latency=10", NULL});
		for (u32 i = 0; i < KERNELS; i++)
			add_kernel(&w, k < ARRAY_LEN(rounds) ? i : KERNELS - i, 4, 96, r[i]);
		rig_finish(w.s);
		u64 end[KERNELS];
		for (u32 i = 0; i < KERNELS; i++) {
			assert_int_equal(counters_of(&w, i).started_at, 10);
			end[i] = counters_of(&w, i).ended_at;
		}
		for (u32 i = 0; i < KERNELS; i++)
			for (u32 j = 0; j < KERNELS; j++)
				assert_true((r[i] < r[j]) == (end[i] < end[j]));
		close_work(&w);
	}
}

/* A kernel that starts while another is at work leaves its L1D lines alone; one that starts alone invalidates them. */
/* A kernel with a time of its own: it waits for that, for its stream and for its launch latency, whatever ends last;
 * those of other streams do not wait for it. */
static void test_start_times(void **state)
{
	struct work w;
	open_work(&w, (const char *[]){"num_sms=1", "launch.latency=7", NULL});
	const u64 at[] = {5000, 5001, 3, 20000, 0, 0}, args = 5;
	for (u32 i = 0; i < ARRAY_LEN(at); i++) {
		struct err e = {0};
		w.buf[i] = rig_alloc(w.s, 4 * 3 * 64);
		struct launch_spec l = {.mod = w.m,
		                        .fn = module_func(w.m, "a", true),
		                        .grid = {3, 1, 1},
		                        .block = {64, 1, 1},
		                        .stream = i < 4 ? 0 : i,
		                        .start_at = at[i],
		                        .params = (u64[]){w.buf[i], args},
		                        .param_bytes = 16};
		w.id[i] = (u32)sim_launch(w.s, &l, &e);
		w.grid[i] = 3, w.block[i] = 64, w.rounds[i] = (u32)args, w.n++;
		assert_true(task_check_state(w.s->gpu->task, &e));
	}
	struct kernel_info k;
	gpu_kernel_info(sim_gpu(w.s), w.id[0], &k);
	assert_int_equal(k.ready_at, 5000);
	gpu_kernel_info(sim_gpu(w.s), w.id[1], &k);
	assert_true(k.ready_at == NEVER); /* behind another one */
	rig_finish(w.s);
	assert_int_equal(counters_of(&w, 0).started_at, 5000);
	assert_true(counters_of(&w, 0).ended_at > 5001);
	assert_int_equal(counters_of(&w, 1).started_at, counters_of(&w, 0).ended_at + 7);
	assert_int_equal(counters_of(&w, 2).started_at, counters_of(&w, 1).ended_at + 7);
	assert_int_equal(counters_of(&w, 3).started_at, 20000);
	assert_int_equal(counters_of(&w, 4).started_at, 7);
	assert_int_equal(counters_of(&w, 5).started_at, 7);
	close_work(&w);
}

static void test_stream_order(void **state)
{
	struct work w;
	open_work(&w, (const char *[]){"num_sms=1", "launch.latency=7", NULL});
	add_kernel(&w, 0, 3, 64, 5);
	add_kernel(&w, 1, 3, 64, 50);
	add_kernel(&w, 0, 3, 64, 5);
	add_kernel(&w, 1, 3, 64, 5);
	rig_finish(w.s);
	assert_int_equal(counters_of(&w, 2).started_at, counters_of(&w, 0).ended_at + 7);
	assert_int_equal(counters_of(&w, 3).started_at, counters_of(&w, 1).ended_at + 7);
	assert_true(counters_of(&w, 2).ended_at < counters_of(&w, 1).ended_at);
	close_work(&w);
}

/* --- exact fits --------------------------------------------------------------------------------------------------- */

/* CTAs resident after the dispatcher has filled one SM. */
static u32 fill(const char *const *sets, u32 block, u32 regs, u32 shared)
{
	struct work w;
	struct err e = {0};
	open_work(&w, sets);
	w.buf[0] = rig_alloc(w.s, 4ull * 64 * block);
	u64 args[] = {w.buf[0], 200};
	struct launch_spec l = {.mod = w.m,
	                        .fn = module_func(w.m, "a", true),
	                        .grid = {64, 1, 1},
	                        .block = {block, 1, 1},
	                        .dynamic_shared = shared,
	                        .regs = regs,
	                        .params = args,
	                        .param_bytes = sizeof args};
	if (sim_launch(w.s, &l, &e) < 0)
		fail_msg("%s", e.msg);
	sim_run(w.s, 40, NULL);
	u32 n = w.s->gpu->sm[0]->nctas;
	rig_finish(w.s);
	all_given_back(w.s);
	sim_destroy(w.s);
	return n;
}

static void test_exact_fit(void **state)
{
	static const struct {
		const char *set, *less;
		u32 block, regs, shared, fits;
	} k[] = {
	    {"sm.threads=1024", "sm.threads=992", 256, 16, 0, 4},
	    {"sm.regs=16384", "sm.regs=16383", 128, 32, 0, 4}, /* 4 warps x 1,024 registers */
	    {"sm.shared=12288", "sm.shared=12287", 64, 16, 4096, 3},
	    {"sm.ctas=5", "sm.ctas=4", 32, 16, 0, 5},
	};
	for (u32 i = 0; i < ARRAY_LEN(k); i++) {
		assert_int_equal(fill((const char *[]){"num_sms=1", k[i].set, NULL}, k[i].block, k[i].regs, k[i].shared),
		                 k[i].fits);
		assert_int_equal(fill((const char *[]){"num_sms=1", k[i].less, NULL}, k[i].block, k[i].regs, k[i].shared),
		                 k[i].fits - 1);
	}
}

/* --- random launches ---------------------------------------------------------------------------------------------- */

static void test_random_launches(void **state)
{
	u64 seed = 5;
	for (u32 k = 0; k < 12; k++) {
		struct work w;
		open_work(&w, (const char *[]){"num_sms=3", k % 2 ? "launch.latency=50" : "launch.latency=0",
		                               k % 3 ? "warp-sched=gto" : "warp-sched=lrr", NULL});
		for (u32 i = 0; i < 24; i++) {
			add_kernel(&w, (u32)(rng_next(&seed) % 20), 1 + (u32)(rng_next(&seed) % 30),
			           1 + (u32)(rng_next(&seed) % 400), 1 + (u32)(rng_next(&seed) % 9));
			if (rng_next(&seed) % 3 == 0)
				sim_run(w.s, sim_cycle(w.s) + rng_next(&seed) % 700, NULL);
		}
		close_work(&w);
	}
}

/* --- the seams ---------------------------------------------------------------------------------------------------- */

static struct {
	u32 timer, init, asked;
	u64 at[64], sum;
} seen;

struct patient {
	u64 next, open;
};
static void patient_init(void *state, const struct cta_view *v)
{
	seen.init++;
	seen.sum += ++*(u64 *)v->machine; /* 1 + 2 + 3 .. : it outlives the kernels */
}
static u64 patient_next(void *state, const struct cta_view *v, u32 sm)
{
	struct patient *p = state;
	return p->next < MIN(p->open, v->launch->ctas) ? p->next++ : NO_CTA;
}
static u64 patient_timer(void *state, const struct cta_view *v)
{
	struct patient *p = state;
	seen.at[seen.timer++] = v->now;
	p->open += 2;
	return p->open < v->launch->ctas ? v->now + 1000 : NEVER;
}
static const struct cta_sched_ops patient = {.name = "patient",
                                             .state_bytes = sizeof(struct patient),
                                             .machine_bytes = sizeof(u64),
                                             .init = patient_init,
                                             .next = patient_next,
                                             .timer = patient_timer};

static bool note_cta(void *ctx, const struct event *e)
{
	u64 *at = ctx;
	at[e->cta] = e->cycle;
	return false;
}

/* A CTA scheduler that lets two CTAs go every 1,000 cycles: called at these cycles exactly, although nothing else
 * happens by then, and what it allows starts in the same cycle. */
static void test_timer(void **state)
{
	struct work w;
	u64 started[8] = {0};
	memset(&seen, 0, sizeof seen);
	open_work(&w, (const char *[]){"num_sms=2", "launch.latency=5", NULL});
	w.s->gpu->dispatch.sched = &patient;
	sim_subscribe(w.s, EVENT(EV_CTA_DISPATCH), note_cta, started);
	add_kernel(&w, 0, 8, 64, 1);
	rig_finish(w.s);
	assert_int_equal(seen.timer, 4);
	for (u32 i = 0; i < 4; i++) {
		assert_int_equal(seen.at[i], 5 + 1000 * i);
		assert_int_equal(started[2 * i], 5 + 1000 * i);
		assert_int_equal(started[2 * i + 1], 5 + 1000 * i);
	}
	add_kernel(&w, 0, 2, 64, 1);
	rig_finish(w.s);
	assert_int_equal(seen.init, 2);
	assert_int_equal(seen.sum, 1 + 2);
	close_work(&w);
}

/* Kernel 0 may have one CTA an SM, on the odd SMs none; the others what fits. After 600 cycles all may. */
static u64 plan_one(void *state, const struct partition_view *v, struct partition_plan *p)
{
	seen.at[seen.asked++ % ARRAY_LEN(seen.at)] = v->now;
	for (u32 r = 0; r < v->d->n; r++) {
		u32 slot = v->d->order[r];
		for (u32 i = 0; i < v->num_sms; i++)
			p->quota[i][slot] = v->d->k[slot].launch || v->now >= 600 ? QUOTA_ANY : !(i & 1);
	}
	return v->now < 600 ? 600 : NEVER;
}
static const struct partition_ops one = {.name = "one", .plan = plan_one};

static void test_quota(void **state)
{
	struct work w;
	memset(&seen, 0, sizeof seen);
	open_work(&w, (const char *[]){"num_sms=4", NULL});
	w.s->gpu->partition.ops = &one;
	add_kernel(&w, 0, 40, 64, 60);
	add_kernel(&w, 1, 40, 64, 60);
	sim_run(w.s, 599, NULL);
	for (u32 i = 0; i < 4; i++) {
		assert_int_equal(sm_resident(w.s->gpu->sm[i], 0), !(i & 1));
		assert_int_equal(sm_resident(w.s->gpu->sm[i], 1), 8 - !(i & 1));
	}
	assert_int_equal(seen.asked, 2); /* two kernels began */
	sim_run(w.s, 601, NULL);
	assert_int_equal(seen.asked, 3);
	assert_int_equal(seen.at[2], 600);
	rig_finish(w.s);
	assert_int_equal(seen.asked, 5); /* and ended */
	close_work(&w);
}

/* Nobody may go before cycle 5,000: until then nothing happens on the machine, and then it happens in that cycle. */
static u64 plan_late(void *state, const struct partition_view *v, struct partition_plan *p)
{
	for (u32 i = 0; i < v->num_sms; i++)
		memset(p->quota[i], v->now < 5000 ? 0 : QUOTA_ANY, sizeof p->quota[i]);
	return v->now < 5000 ? 5000 : NEVER;
}
static const struct partition_ops late = {.name = "late", .plan = plan_late};

static void test_plan_wakes(void **state)
{
	struct work w;
	u64 started[8] = {0};
	open_work(&w, (const char *[]){"num_sms=4", NULL});
	w.s->gpu->partition.ops = &late;
	sim_subscribe(w.s, EVENT(EV_CTA_DISPATCH), note_cta, started);
	add_kernel(&w, 0, 4, 64, 1);
	close_work(&w);
	for (u32 i = 0; i < 4; i++)
		assert_int_equal(started[i], 5000);
}

/* The order in which kernels are served is the plan's: the later one first. */
static u64 plan_last_first(void *state, const struct partition_view *v, struct partition_plan *p)
{
	for (u32 i = 0; i + 1 < v->d->n; i++)
		for (u32 k = i + 1; k < v->d->n; k++)
			if (v->d->k[p->order[k]].launch > v->d->k[p->order[i]].launch) {
				u8 t = p->order[i];
				p->order[i] = p->order[k];
				p->order[k] = t;
			}
	for (u32 i = 0; i < v->num_sms; i++)
		memset(p->quota[i], QUOTA_ANY, sizeof p->quota[i]);
	return NEVER;
}
static const struct partition_ops last_first = {.name = "last-first", .plan = plan_last_first};

static void test_order(void **state)
{
	struct work w;
	open_work(&w, (const char *[]){"num_sms=2", "sm.ctas=2", NULL});
	w.s->gpu->partition.ops = &last_first;
	add_kernel(&w, 0, 12, 64, 30);
	add_kernel(&w, 1, 12, 64, 30);
	sim_run(w.s, 50, NULL);
	for (u32 i = 0; i < 2; i++)
		assert_int_equal(sm_resident(w.s->gpu->sm[i], 1), 2);
	rig_finish(w.s);
	assert_true(counters_of(&w, 1).ended_at < counters_of(&w, 0).ended_at);
	close_work(&w);
}

/* Two kernels in the past: going back among their CTAs and on again is the same way. */
static void test_time_travel(void **state)
{
	struct work w;
	struct err e = {0};
	open_work(&w, (const char *[]){"num_sms=4", NULL});
	add_kernel(&w, 0, 40, 64, 6);
	add_kernel(&w, 1, 40, 64, 9);
	if (!sim_history(w.s, 64, &e))
		fail_msg("%s", e.msg);
	u64 hash[12];
	for (u32 i = 0; i < ARRAY_LEN(hash); i++) {
		sim_run(w.s, 250 * (i + 1), NULL);
		hash[i] = sim_hash(w.s);
	}
	for (u32 i = ARRAY_LEN(hash); i-- > 0;) {
		if (!sim_goto(w.s, 250 * (i + 1), &e))
			fail_msg("%s", e.msg);
		assert_int_equal(sim_cycle(w.s), 250 * (i + 1));
		if (sim_hash(w.s) != hash[i])
			fail_msg("cycle %u: another state", 250 * (i + 1));
	}
	close_work(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_mixed_residency),
	    cmocka_unit_test(test_messages_by_kernel),
	    cmocka_unit_test(test_ends_in_every_order),
	    cmocka_unit_test(test_stream_order),
	    cmocka_unit_test(test_start_times),
	    cmocka_unit_test(test_exact_fit),
	    cmocka_unit_test(test_random_launches),
	    cmocka_unit_test(test_timer),
	    cmocka_unit_test(test_quota),
	    cmocka_unit_test(test_order),
	    cmocka_unit_test(test_plan_wakes),
	    cmocka_unit_test(test_time_travel),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
