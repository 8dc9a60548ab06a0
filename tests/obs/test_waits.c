/* Whose fault each cycle of waiting is (sm/waits.h), counted from one change of a warp's state to the next, against a
 * look at all warps in each cycle, which searches what is under way: no cycle more or less at any instruction, from
 * whichever side one comes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gpu/lines.h"
#include "tests/rig/debug_rig.h"
#include "tests/rig/rounds.h"

#define WARPS_MAX 256
#define MODULES_MAX 8
#define CYCLES 4000

struct looker {
	struct gpu *g;
	u32 last[CONF_MAX_SMS][WARPS_MAX]; /* pc of a warp's last instruction */
	u64 stalls;                        /* waits for no operand that are charged to it */
	u64 *at[MODULES_MAX][3];           /* [ncode]: all, from memory, for instructions */
};

static u32 module_of(const struct gpu *g, const struct module *m)
{
	u32 i = 0;
	while (gpu_module(g, i) != m)
		i++;
	assert_true(i < MODULES_MAX);
	return i;
}

static void add(struct looker *k, const struct module *m, u32 pc, u32 state)
{
	u64 **c = k->at[module_of(k->g, m)];
	for (u32 i = 0; i < 3; i++)
		c[i] = c[i] ? c[i] : xcalloc(m->ncode, sizeof(u64));
	assert_true(pc < m->ncode);
	c[0][pc]++;
	c[1][pc] += state == WS_MEM;
	c[2][pc] += state == WS_FETCH;
}

static bool hear(void *ctx, const struct event *e)
{
	((struct looker *)ctx)->last[e->sm][e->warp] = e->pc;
	return false;
}

static bool writes_operand(const struct inst *in, const struct inst *of)
{
	for (u32 i = 0; i < in->n_sb_dst; i++) {
		for (u32 j = 0; j < of->n_sb_src; j++)
			if (inst_sb_src(of)[j] == inst_sb_dst(in)[i])
				return true;
		for (u32 j = 0; j < of->n_sb_dst; j++)
			if (inst_sb_dst(of)[j] == inst_sb_dst(in)[i])
				return true;
	}
	return false;
}

/* A warp waits for a result that it needs. Else, of machines with dependence counters, for the stall behind its last
 * instruction, or until the registers of one of memory have been read, or until a counter may rise again. */
static void has_reason(struct looker *k, const struct module *m, u32 sm, u32 w, u32 pc, u32 by)
{
	const struct inst *in = &m->code[by];
	if (writes_operand(in, &m->code[pc]) || m->code[pc].op == OP_CALL || m->code[pc].op == OP_RET)
		return;
	assert_int_equal(gpu_conf(k->g)->sm_dependences, DEPENDENCES_COUNTERS);
	k->stalls += by == k->last[sm][w];
	if (by != k->last[sm][w] && !inst_is_store(in) && !inst_is_load(in))
		fail_msg("SM %u warp %u waits at pc %u for pc %u, which is not the last (%u)", sm, w, pc, by, k->last[sm][w]);
}

/* The machine stands behind the cycle that it has simulated. */
static void look(void *ctx, u64 cycle)
{
	struct looker *k = ctx;
	u8 states[WARPS_MAX];
	u32 by[WARPS_MAX];
	for (u32 sm = 0; sm < gpu_conf(k->g)->num_sms; sm++) {
		u64 issued, refused;
		gpu_warp_states(k->g, sm, states, &issued, &refused);
		gpu_producers(k->g, sm, by);
		for (u32 w = 0; w < gpu_warps_per_sm(k->g); w++) {
			struct warp_info i;
			if (issued >> w & 1 || !warp_state_waits(states[w]))
				continue;
			gpu_warp_info(k->g, sm, w, &i);
			const struct module *m = gpu_launched(k->g, (u32)i.launch)->mod;
			add(k, m, by[w], states[w]);
			if (states[w] == WS_SHORT)
				has_reason(k, m, sm, w, i.pc, by[w]);
		}
	}
}

static void compare(const struct looker *k, u64 *sum)
{
	*sum = 0;
	for (u32 i = 0; i < gpu_num_modules(k->g); i++) {
		const struct module *m = gpu_module(k->g, i);
		const struct line_counters *c = gpu_line_counters(k->g, m);
		for (u32 pc = 0; pc < m->ncode; pc++) {
			const u64 *const *is = (const u64 *const *)k->at[i];
			const u64 seen[3] = {is[0] ? is[0][pc] : 0, is[0] ? is[1][pc] : 0, is[0] ? is[2][pc] : 0};
			const u64 counted[3] = {c[pc].awaited, c[pc].awaited_memory, c[pc].awaited_fetch};
			for (u32 j = 0; j < 3; j++)
				if (seen[j] != counted[j])
					fail_msg("cycle %llu, pc %u (line %u), %u: seen %llu, counted %llu",
					         (unsigned long long)gpu_cycle(k->g), pc, m->code[pc].line, j, (unsigned long long)seen[j],
					         (unsigned long long)counted[j]);
			*sum += seen[0];
		}
	}
}

static void forget(struct looker *k)
{
	for (u32 i = 0; i < MODULES_MAX; i++)
		for (u32 j = 0; j < 3; j++)
			free(k->at[i][j]);
}

static const char *const machines[] = {
    "spmv --gpu gtx480",
    "hotspot --gpu v100",
    "bfs --gpu gtx480 --set lsu.replay=newcar",
    "histogram --gpu kepler",
    "reduction --gpu v100",
    "tensor/hgemm --gpu a100",
    "matmul --gpu rtx3070 --set sm.dependences=counters --set sm.read_ports=true",
    "kmeans --gpu fermi28 --cta-virtual vt",
    "spmv --gpu gtx480 --cta-virtual vt",
    "sgemm --gpu gtx980 --warp-sched gty",
    "btree --gpu rtx2080ti --warp-sched ccws",
    "lud --gpu fermi28 --set sm.issue_width=2",
    "tensor/flash2 --gpu a100",
};

#define KERNEL(name, gpu)                                                                                              \
	"tests/kernels/waits.ptx --kernel " name " --grid 30 --block 64 --arg u32[400000]=zero --gpu " gpu
/* Calls, which wait for all that is under way, and grids that wait for others; several operands under way; lanes that
 * are apart. */
static const char *const others[] = {
    KERNEL("constants", "gtx480"),
    KERNEL("constants", "v100"),
    KERNEL("registers", "gtx480"),
    KERNEL("locks", "v100"),
    "tests/kernels/recursion.lua --gpu v100 --set sm.dependences=counters",
    "tests/kernels/recursion.lua",
    "tests/kernels/link.lua",
    "tests/kernels/heap.lua",
    "tests/kernels/dependents.lua --gpu h200",
    "tests/kernels/grid_sync.lua --gpu v100",
};

static void watch(const char *words)
{
	struct rig r;
	char line[40];
	u64 sum;
	rig_words(&r, words);
	static struct looker k;
	k = (struct looker){.g = sim_gpu(r.s->sim)};
	sim_add_sampler(r.s->sim, 1, look, &k);
	sim_subscribe(r.s->sim, EVENT(EV_ISSUE), hear, &k);
	snprintf(line, sizeof line, "step %u", CYCLES);
	for (u32 j = 0; j < 3; j++) {
		rig_try(&r, line);
		compare(&k, &sum);
	}
	print_message("%s: %llu warp cycles at cycle %llu\n", words, (unsigned long long)sum,
	              (unsigned long long)gpu_cycle(k.g));
	assert_true(sum > 1000);
	if (gpu_conf(k.g)->sm_dependences == DEPENDENCES_COUNTERS)
		assert_true(k.stalls > 0);
	rig_close(&r);
	forget(&k);
}

static void each_cycle(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(machines); i += rounds("WAITS_EVERY", 1, 3)) {
		char words[300];
		snprintf(words, sizeof words, "%s --size small", machines[i]);
		watch(words);
	}
	for (u32 i = 0; i < ARRAY_LEN(others); i++)
		watch(others[i]);
}

/* Where CTAs are paused, and are taken off their SMs, dropped and brought back. */
static void preempted(void **state)
{
	static const char *const by[] = {"switch", "drain", "flush"};
	struct rig r;
	u64 sum = 0;
	rig_words(&r, "kmeans --size small --dynamic-idempotence");
	static struct looker k;
	k = (struct looker){.g = sim_gpu(r.s->sim)};
	sim_add_sampler(r.s->sim, 1, look, &k);
	sim_subscribe(r.s->sim, EVENT(EV_ISSUE), hear, &k);
	rig_say(&r, "until 5000");
	for (u32 i = 0; i < 6; i++) {
		char line[80];
		snprintf(line, sizeof line, "preempt sms 3 within 5 by %s", by[i % 3]);
		rig_say(&r, line);
		rig_say(&r, "step 1700");
		compare(&k, &sum);
		rig_try(&r, "release sms");
		rig_say(&r, "step 500");
		compare(&k, &sum);
	}
	assert_true(sum > 1000);
	rig_close(&r);
	forget(&k);
}

/* Counting that begins in the middle: what is under way then has its producers, too. */
static void from_here(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(machines); i += rounds("WAITS_EVERY", 2, 4)) {
		struct options o = {0};
		struct err e = {0};
		char words[300], *argv[20];
		u32 n = 0;
		u64 sum;
		snprintf(words, sizeof words, "warpdbg run %s --size small", machines[i]);
		for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
			argv[n++] = w;
		assert_int_equal(cmdline_parse(&o, (int)n, argv, &e), CMDLINE_OK);
		struct session *s = session_open(&o, console_modules, &e);
		assert_non_null(s);
		assert_true(session_run_script(s, &e));
		static struct looker k;
		k = (struct looker){.g = sim_gpu(s->sim)};
		sim_subscribe(s->sim, EVENT(EV_ISSUE), hear, &k);
		session_run(s, 3011, &e);
		gpu_count_lines(k.g);
		sim_add_sampler(s->sim, 1, look, &k);
		session_run(s, 5000, &e);
		compare(&k, &sum);
		assert_true(sum > 1000);
		session_close(s);
		cmdline_free(&o);
		forget(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_cycle),
	    cmocka_unit_test(preempted),
	    cmocka_unit_test(from_here),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
