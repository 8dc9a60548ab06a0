/* The order in which the SMs of a cycle and the routers of a mesh are simulated (tick.shuffle) changes nothing: all
 * bytes of the machine's state are the same every so many cycles. Small workloads on mesh and crossbar machines here;
 * with WARPDBG_ORDERS=N also N machines and workloads drawn at random, with all policies and any keys; "full": every
 * workload on both APUs under both rules of coherence, every CTA scheduler and three orders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "session/session.h"
#include "tests/rig/catalog_rig.h"
#include "tests/rig/order_rig.h"

static u32 ran, differed, refused;
static u64 cycles;

/* One after the other; all are run before the test fails. */
static void one(const struct order_case *c)
{
	struct strbuf says = STRBUF_INIT;
	const enum order_end end = order_run(c, &says, &cycles);
	ran++;
	refused += end == ORDER_REFUSED;
	differed += end == ORDER_DIFFERS;
	if (end == ORDER_DIFFERS || (end == ORDER_REFUSED && getenv("WARPDBG_ORDERS_REFUSED")))
		print_error("%s\n", strbuf_str(&says));
	strbuf_release(&says);
}

static void expect_none(const char *what, u32 most_refused)
{
	print_message("%s: %u runs, %u refused, %u differ, %.1f million cycles\n", what, ran, refused, differed,
	              (double)cycles / 1e6);
	const u32 n = differed, no = refused;
	assert_true(ran && cycles);
	ran = differed = refused = 0;
	cycles = 0;
	assert_int_equal(n, 0);
	assert_true(no <= most_refused);
}

static void test_few(void **state)
{
	static const struct order_case cases[] = {
	    {.workload = "gaussian", .gpu = "apu15", .param = {"n=24"}, .shuffle = 5},
	    {.workload = "gaussian", .gpu = "apu15", .param = {"n=24"}, .set = {"coherence=gpu"}, .shuffle = 9},
	    {.workload = "color", .gpu = "apu15", .set = {"cta-sched=steal"}, .shuffle = 77, .cycles = 9000},
	    {.workload = "histogram", .gpu = "apu15", .set = {"noc.mesh_order=oldest"}, .shuffle = 3, .cycles = 9000},
	    {.workload = "bfs", .gpu = "apu3", .shuffle = 4, .cycles = 20000},
	    {.workload = "spmv", .gpu = "gtx480", .set = {"network=mesh"}, .shuffle = 6, .cycles = 6000},
	    {.workload = "concurrent/pair",
	     .gpu = "apu15",
	     .param = {"a=hotspot", "b=lps"},
	     .set = {"partition=spatial", "preempt=chimera", "idempotence.track=true"},
	     .requests = 1,
	     .shuffle = 8,
	     .cycles = 12000},
	    {.workload = "bfs", .gpu = "gtx480", .shuffle = 2, .cycles = 6000},
	    {.workload = "transpose", .gpu = "v100", .set = {"cta-virtual=vt"}, .shuffle = 7, .cycles = 6000},
	};
	for (u32 i = 0; i < ARRAY_LEN(cases); i++)
		one(&cases[i]);
	expect_none("a few", 0);
}

/* --- at random ---------------------------------------------------------------------------------------------------- */
struct draw {
	struct order_case c;
	char text[ORDER_SETS][80], param[2][64];
	u32 n;
	u64 rng;
};

static u32 below(struct draw *d, u32 n)
{
	return (u32)(rng_next(&d->rng) % n);
}

static void put(struct draw *d, const char *key, const char *value)
{
	if (d->n + 1 >= ORDER_SETS)
		return;
	snprintf(d->text[d->n], sizeof *d->text, "%s=%s", key, value);
	d->c.set[d->n] = d->text[d->n];
	d->n++;
}

static const char *policy_drawn(struct draw *d, enum policy_kind kind)
{
	u32 n = 0;
	while (sim_policy(kind, n))
		n++;
	return sim_policy(kind, below(d, n))->name;
}

/* A key with few values gets one of them. */
static void put_any_key(struct draw *d)
{
	const struct conf_key *k = &conf_keys[below(d, conf_nkeys)];
	if (k->kind == CONF_BOOL) {
		put(d, k->key, below(d, 2) ? "true" : "false");
	} else if (k->kind == CONF_ENUM) {
		char *values = strdup(k->values), *save = NULL, *v = strtok_r(values, "|", &save);
		for (const char *next; v && below(d, 2) && (next = strtok_r(NULL, "|", &save));)
			v = (char *)next;
		put(d, k->key, v);
		free(values);
	}
}

static const char *workload_drawn(struct draw *d)
{
	const char *w;
	do
		w = workloads.name[below(d, workloads.n)];
	while (strchr(w, '/'));
	return w;
}

static void draw(struct draw *d, u64 seed)
{
	static const char *const small[] = {"1", "2", "3", "5", "9"};
	*d = (struct draw){.rng = seed};
	d->c.shuffle = 1 + below(d, 1u << 30);
	d->c.gpu = below(d, 2) ? below(d, 3) ? "apu15" : "apu3" : machines.name[below(d, machines.n)];
	d->c.workload = workload_drawn(d);
	if (below(d, 3) == 0) {
		snprintf(d->param[0], sizeof *d->param, "a=%s", d->c.workload);
		snprintf(d->param[1], sizeof *d->param, "b=%s", workload_drawn(d));
		d->c.workload = "concurrent/pair";
		d->c.param[0] = d->param[0];
		d->c.param[1] = d->param[1];
		put(d, "partition", policy_drawn(d, POLICY_PARTITION));
		put(d, "preempt", policy_drawn(d, POLICY_PREEMPT));
		put(d, "kernel-sched", policy_drawn(d, POLICY_KERNELS));
		d->c.requests = below(d, 2) ? 1 + below(d, 1u << 30) : 0;
	}
	put(d, "coherence", policy_drawn(d, POLICY_COHERENCE));
	put(d, "cta-sched", policy_drawn(d, POLICY_CTA));
	put(d, "warp-sched", policy_drawn(d, POLICY_WARP));
	if (below(d, 4) == 0)
		put(d, "cta-virtual", policy_drawn(d, POLICY_VIRTUAL));
	if (below(d, 4) == 0)
		put(d, "network", policy_drawn(d, POLICY_NETWORK));
	if (below(d, 4) == 0)
		put(d, "commit.delay", small[below(d, ARRAY_LEN(small))]);
	if (below(d, 4) == 0)
		put(d, "noc.request_queue", small[below(d, ARRAY_LEN(small))]);
	if (below(d, 4) == 0)
		put(d, "l2.mshrs", small[below(d, ARRAY_LEN(small))]);
	if (below(d, 4) == 0)
		put(d, "dram.queue", small[below(d, ARRAY_LEN(small))]);
	for (u32 k = below(d, 4); k-- > 0;)
		put_any_key(d);
	d->c.cycles = 24000;
}

static u32 wanted(void)
{
	const char *n = getenv("WARPDBG_ORDERS");
	return n ? (u32)strtoul(n, NULL, 10) : 0;
}

static void test_drawn(void **state)
{
	const char *from = getenv("WARPDBG_ORDERS_FROM");
	const u64 first = from ? strtoull(from, NULL, 10) : 1;
	const u32 n = wanted();
	assert_true(n > 0); /* a number */
	for (u32 i = 0; i < n; i++) {
		struct draw d;
		draw(&d, (first + i) * 0x9e3779b97f4a7c15ull);
		one(&d.c);
	}
	expect_none("drawn", n / 2);
}

static void test_all(void **state)
{
	static const char *const gpus[] = {"apu15", "apu3"};
	u64 seed = 1;
	const struct policy *rule, *cta;
	for (u32 w = 0; w < workloads.n; w++)
		for (u32 g = 0; g < ARRAY_LEN(gpus); g++)
			for (u32 r = 0; (rule = sim_policy(POLICY_COHERENCE, r)); r++)
				for (u32 k = 0; (cta = sim_policy(POLICY_CTA, k)); k++) {
					char sets[2][64];
					snprintf(sets[0], sizeof *sets, "coherence=%s", rule->name);
					snprintf(sets[1], sizeof *sets, "cta-sched=%s", cta->name);
					one(&(struct order_case){.workload = workloads.name[w],
					                         .gpu = gpus[g],
					                         .set = {sets[0], sets[1]},
					                         .shuffle = 1 + rng_next(&seed) % 4000000000u});
				}
	expect_none("all", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_few),
	};
	const struct CMUnitTest drawn[] = {cmocka_unit_test(test_drawn)}, all[] = {cmocka_unit_test(test_all)};
	const char *how = getenv("WARPDBG_ORDERS");
	if (how && !strcmp(how, "full"))
		return cmocka_run_group_tests(all, find_files, release_files);
	if (how)
		return cmocka_run_group_tests(drawn, find_files, release_files);
	return cmocka_run_group_tests(tests, find_files, release_files);
}
