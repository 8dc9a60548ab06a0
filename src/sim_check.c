/* The conservation laws, which must add up at the end of every run; and when a checking build looks at the state. */
#include "gpu/scope.h"
#include "obs/energy/energy.h"
#include "sim_internal.h"
#include "sm/replay.h"
#include "sm/restartable.h"
#include "sm/tensor.h"

static bool check_stalls(struct gpu *g, struct err *e)
{
	for (u32 i = 0; i < g->conf.num_sms; i++)
		for (u32 k = 0; k < g->conf.sm_schedulers; k++) {
			u64 sum = 0;
			for (u32 r = 0; r < ST_COUNT; r++)
				sum += g->sm[i]->stall[k][r];
			if (sum != g->st->cycle)
				return err_set(e, "SM %u, scheduler %u: stall reasons sum to %llu slots of %llu cycles", i, k,
				               (unsigned long long)sum, (unsigned long long)g->st->cycle);
		}
	return true;
}

static bool check_taxonomies(struct gpu *g, struct err *e)
{
	u64 base[ST_COUNT], want = g->st->cycle * g->conf.num_sms * g->conf.sm_schedulers;
	gpu_stalls_sum(g, -1, base);
	for (u32 t = 0; t < TAX_COUNT; t++) {
		struct stall_class c[TAX_MAX_CLASSES];
		u32 n = stall_map(t, base, c);
		u64 sum = 0;
		for (u32 i = 0; i < n; i++)
			sum += c[i].slots;
		if (sum != want)
			return err_set(e, "taxonomy %s sums to %llu of %llu slots", taxonomy_names[t], (unsigned long long)sum,
			               (unsigned long long)want);
	}
	return true;
}

/* The parts of an SM's counters are their sum: instructions by kind, cycles by what is in flight, the LSU's refused
 * cycles by cause. */
static bool check_parts(struct gpu *g, struct err *e)
{
	for (u32 i = 0; i < g->conf.num_sms; i++) {
		const struct sm_counters *k = &g->sm[i]->k;
		u64 kinds = k->insts_int + k->insts_f32 + k->insts_f64 + k->insts_sfu + k->insts_ctrl + k->insts_global +
		            k->insts_shared + k->insts_local + k->insts_const + k->insts_tex + k->insts_tensor;
		if (kinds != k->issued)
			return err_set(e, "SM %u: instructions by kind sum to %llu of %llu", i, (unsigned long long)kinds,
			               (unsigned long long)k->issued);
		u64 flights = k->flight_alu + k->flight_mem + k->flight_both + k->flight_none;
		if (flights != k->cycles)
			return err_set(e, "SM %u: cycles by what is in flight sum to %llu of %llu", i, (unsigned long long)flights,
			               (unsigned long long)k->cycles);
		u64 refused = 0;
		for (enum mem_cache c = MC_L1D; c <= MC_L1T; c++) {
			const struct cache_counters *cc = mem_cache_counters(g->mem, c, i);
			refused += cc->rf_line + cc->rf_mshr + cc->rf_merge + cc->rf_queue;
		}
		u64 asked = k->lsu_blocked + k->replay_refused;
		if (refused != asked)
			return err_set(e, "SM %u: the caches refused %llu cycles, the LSU and its queue were refused %llu", i,
			               (unsigned long long)refused, (unsigned long long)asked);
	}
	return true;
}

static bool has_ctas(const struct sm *s)
{
	u64 away = 0; /* being saved, or inactive */
	for (u32 i = 0; i < ARRAY_LEN(s->ctas_away); i++)
		away |= s->ctas_away[i];
	return s->used || away;
}

/* Re-execution queues: what went in came out or is there. */
static bool check_replay(struct gpu *g, struct err *e)
{
	for (u32 i = 0; i < g->conf.num_sms; i++) {
		const struct sm_counters *k = &g->sm[i]->k;
		const struct replay *r = g->ctx[i].replay;
		u64 left = k->replay_tries - k->replay_refused + k->replay_dropped, there = r ? r->n : 0;
		if (k->replay_entered != left + there)
			return err_set(e, "SM %u: %llu transactions entered the re-execution queue, %llu left, %llu are there", i,
			               (unsigned long long)k->replay_entered, (unsigned long long)left, (unsigned long long)there);
		if (there && !has_ctas(g->sm[i]))
			return err_set(e, "SM %u: %llu transactions in the re-execution queue, but no CTA is resident or leaving",
			               i, (unsigned long long)there);
	}
	return true;
}

/* CTAs and instructions: what the SMs did is what the kernels count. */
static bool check_work(struct gpu *g, struct err *e)
{
	u64 started = 0, done = 0, issued = 0, threads = 0, kdone = 0, kissued = 0, kthreads = 0;
	u64 transactions = 0, ktransactions = 0, stay = 0, kstay = 0;
	struct lane_counters lanes = {0}, klanes = {0};
	for (u32 i = 0; i < g->conf.num_sms; i++) {
		started += g->sm[i]->k.ctas_started;
		done += g->sm[i]->k.ctas_done;
		issued += g->sm[i]->k.issued;
		threads += g->sm[i]->k.thread_insts;
		transactions += g->sm[i]->k.transactions;
		stay += g->sm[i]->k.occupancy;
		lanes_add(&lanes, sm_lanes(&g->sm[i]->k));
	}
	for (u32 i = 0; i < g->task->nlaunches; i++) {
		struct kernel_info k;
		gpu_kernel_info(g, i, &k);
		kdone += k.counters->ctas_done;
		kissued += k.counters->warp_insts;
		kthreads += k.counters->thread_insts;
		ktransactions += k.counters->transactions;
		kstay += k.counters->warp_cycles;
		struct kernel_counters copy = *k.counters;
		lanes_add(&klanes, kernel_lanes(&copy));
	}
	const struct cta_tally t = gpu_cta_tally(g, -1);
	HOLDS(started == done + t.on + t.inactive + t.saved && done == kdone,
	      "CTAs: %llu started, %llu done, %u resident, %u inactive, %u saved, kernels count %llu",
	      (unsigned long long)started, (unsigned long long)done, t.on, t.inactive, t.saved, (unsigned long long)kdone);
	HOLDS(threads == kthreads, "thread instructions: SMs executed %llu, kernels count %llu",
	      (unsigned long long)threads, (unsigned long long)kthreads);
	HOLDS(transactions == ktransactions, "transactions: SMs sent %llu, kernels count %llu",
	      (unsigned long long)transactions, (unsigned long long)ktransactions);
	HOLDS(stay == kstay, "warp cycles: SMs had %llu, kernels count %llu", (unsigned long long)stay,
	      (unsigned long long)kstay);
	for (u32 i = 0; i < IK_COUNT; i++)
		HOLDS(lanes.lanes[i] == klanes.lanes[i], "lanes of kind %u: SMs executed %llu, kernels count %llu", i,
		      (unsigned long long)lanes.lanes[i], (unsigned long long)klanes.lanes[i]);
	HOLDS(lanes.reg_reads == klanes.reg_reads && lanes.reg_writes == klanes.reg_writes,
	      "operands: SMs read %llu and wrote %llu, kernels count %llu and %llu", (unsigned long long)lanes.reg_reads,
	      (unsigned long long)lanes.reg_writes, (unsigned long long)klanes.reg_reads,
	      (unsigned long long)klanes.reg_writes);
	for (u32 i = 0; i < g->conf.num_sms; i++)
		if (!tensor_check(g->ctx[i].tensor, g->sm[i]->k.insts_tensor, e)) {
			err_prefix(e, "SM %u: ", i);
			return false;
		}
	return issued == kissued || err_set(e, "warp instructions: SMs issued %llu, kernels count %llu",
	                                    (unsigned long long)issued, (unsigned long long)kissued);
}

/* Every message belongs to a kernel. */
static bool check_traffic(struct gpu *g, struct err *e)
{
	static const char *const what[3] = {"messages", "flits", "bytes"};
	const u64 *all = (const u64 *)noc_messages(mem_noc_counters(g->mem));
	u64 sum[MSG_CLASSES * 3] = {0};
	for (u32 i = 0; i < g->task->nlaunches; i++)
		for (u32 k = 0; k < MSG_CLASSES * 3; k++)
			sum[k] += ((const u64 *)mem_kernel_messages(g->mem, i))[k];
	for (u32 k = 0; k < MSG_CLASSES * 3; k++)
		HOLDS(sum[k] == all[k], "%s %s: the interconnect moved %llu, the kernels count %llu", msg_class_names[k / 3],
		      what[k % 3], (unsigned long long)all[k], (unsigned long long)sum[k]);
	return true;
}

/* What the compiler says of idempotence, against what CTAs did: none comes to what it cannot be flushed behind without
 * having given notice before. */
static bool check_notices(const struct gpu *g, struct err *e)
{
	for (u32 i = 0; g->restart && i < g->task->nlaunches; i++) {
		const struct restart_launch *l = restart_launch(g->restart, i);
		HOLDS(!l->unnoticed,
		      "launch %u: %llu of %llu CTAs cannot begin again and gave no notice: the compiler overlooked it", i,
		      (unsigned long long)l->unnoticed, (unsigned long long)l->ended);
	}
	return true;
}

bool sim_check_state(const struct sim *s, struct err *e)
{
	return gpu_check_state(s->gpu, e);
}

#ifdef SIM_CHECK
void sim_check_periodic(struct sim *s)
{
	struct err e = {0};
	u64 cycle = s->gpu->st->cycle, turn = cycle / SIM_CHECK;
	if (turn == s->checked)
		return;
	s->checked = turn;
	if (!sim_check_state(s, &e))
		BUG("the state after cycle %llu: %s", (unsigned long long)cycle, e.msg);
}
#endif

bool sim_check(struct sim *s, struct err *e)
{
	struct gpu_scope *scope = gpu_scope_off(s->gpu);
	gpu_sync(s->gpu);
	bool quiet = task_idle(s->gpu->task) && mem_next(s->gpu->mem) == NEVER;
	bool ok = check_stalls(s->gpu, e) && check_taxonomies(s->gpu, e) && check_parts(s->gpu, e) &&
	          sim_check_state(s, e) && check_replay(s->gpu, e) && check_work(s->gpu, e) && check_traffic(s->gpu, e) &&
	          check_notices(s->gpu, e) && energy_check(s->gpu, e) && (!quiet || mem_check(s->gpu->mem, e));
	gpu_scope_on(s->gpu, scope);
	return ok;
}
