/* compare: the first different decision is the one that two lone runs show, and comparing changes neither machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "session/cmdline.h"
#include "session/lockstep.h"
#include "obs/compare/delta.h"
#include "obs/compare/diverge.h"

/* --- a comparison and lone runs ---------------------------------------------------------------------------------- */

struct rig {
	struct options o;
	struct compare *c;
};

static void rig_open(struct rig *r, const char *workload, const char *a, const char *b, const char *by,
                     const char *until)
{
	struct err e = {0};
	char *argv[] = {"warpdbg", "compare", (char *)workload, "--size",   "small",   "--a",         (char *)a,
	                "--b",     (char *)b, "--by",           (char *)by, "--until", (char *)until, NULL};
	assert_int_equal(cmdline_parse(&r->o, (int)ARRAY_LEN(argv) - 1, argv, &e), CMDLINE_OK);
	r->c = compare_open(&r->o, console_modules, &e);
	if (!r->c)
		fail_msg("%s", e.msg);
	assert_true(compare_run(r->c, NULL));
}

static void rig_close(struct rig *r)
{
	compare_close(r->c);
	cmdline_free(&r->o);
}

/* The decisions of one machine running alone. */
struct lone {
	struct options o;
	struct session *s;
	struct decision *d;
	u32 n, cap;
};

static bool hear(void *ctx, const struct event *e)
{
	struct lone *l = ctx;
	if (l->n == l->cap) {
		l->cap = MAX(l->cap * 2, 1024u);
		l->d = xrealloc(l->d, l->cap * sizeof *l->d);
	}
	l->d[l->n++] = (struct decision){.cycle = e->cycle,
	                                 .ready = e->arg[1],
	                                 .kernel = e->kernel,
	                                 .cta = e->cta,
	                                 .warp = e->warp,
	                                 .sm = (u16)e->sm,
	                                 .scheduler = (u8)e->arg[0]};
	return false;
}

static void lone_run(struct lone *l, const char *workload, const char *side, u64 until)
{
	struct err e = {0};
	char *argv[] = {"warpdbg", "compare", (char *)workload, "--size", "small", "--a", (char *)side, NULL};
	struct options common;
	memset(l, 0, sizeof *l);
	assert_int_equal(cmdline_parse(&common, (int)ARRAY_LEN(argv) - 1, argv, &e), CMDLINE_OK);
	assert_int_equal(cmdline_side(&l->o, &common, 0, &e), CMDLINE_OK);
	l->s = session_open(&l->o, console_modules, &e);
	assert_non_null(l->s);
	sim_subscribe(l->s->sim, EVENT(EV_SCHED_PICK), hear, l);
	enum session_stop why = session_run(l->s, until, &e);
	assert_true(why == SS_FINISHED || why == SS_CYCLE);
	cmdline_free(&common);
}

static void lone_close(struct lone *l)
{
	session_close(l->s);
	cmdline_free(&l->o);
	free(l->d);
}

static bool same_slot(const struct decision *a, const struct decision *b)
{
	return a->cycle == b->cycle && a->sm == b->sm && a->scheduler == b->scheduler;
}

static bool same_choice(const struct decision *a, const struct decision *b)
{
	return a->warp == b->warp && a->cta == b->cta && a->kernel == b->kernel;
}

static void assert_reported(const struct decision *reported, const struct decision *seen)
{
	assert_true(same_slot(reported, seen));
	assert_true(same_choice(reported, seen));
	assert_int_equal(reported->ready, seen->ready);
}

/* --- by cycles --------------------------------------------------------------------------------------------------- */

static void assert_confirmed(const char *workload, const char *a, const char *b)
{
	struct rig r;
	struct lone la, lb;
	rig_open(&r, workload, a, b, "cycles", "end");
	const struct divergence *d = diverge_first(compare_divergence(r.c));
	assert_true(d->found);
	lone_run(&la, workload, a, d->side[0].cycle + 1);
	lone_run(&lb, workload, b, d->side[1].cycle + 1);
	u32 i = 0;
	while (i < la.n && i < lb.n && same_slot(&la.d[i], &lb.d[i]) && same_choice(&la.d[i], &lb.d[i]))
		i++;
	assert_int_equal(diverge_equal(compare_divergence(r.c)), i);
	assert_true(i < la.n || i < lb.n);
	if (d->side[0].warp >= 0)
		assert_reported(&d->side[0], &la.d[i]);
	if (d->side[1].warp >= 0)
		assert_reported(&d->side[1], &lb.d[i]);
	assert_true(d->side[0].warp >= 0 || d->side[1].warp >= 0);
	lone_close(&la);
	lone_close(&lb);
	rig_close(&r);
}

static void policies_part(void **state)
{
	assert_confirmed("hotspot", "--warp-sched gto", "--warp-sched lrr");
	assert_confirmed("bfs", "--warp-sched gto", "--warp-sched tlv");
}

static void machines_part(void **state)
{
	assert_confirmed("hotspot", "", "--set l1d.ways=1");
	assert_confirmed("vecadd", "", "--set num_sms=7");
	assert_confirmed("vecadd", "", "--gpu kepler");
	assert_confirmed("hotspot", "", "--set sm.schedulers=1");
}

/* A slot that only one machine used says what the other lost it to. */
static void lost_slot_has_a_reason(void **state)
{
	struct rig r;
	rig_open(&r, "vecadd", "", "--set launch.latency=900", "cycles", "end");
	const struct divergence *d = diverge_first(compare_divergence(r.c));
	assert_true(d->found);
	assert_true(d->side[0].warp >= 0);
	assert_int_equal(d->side[1].warp, -1);
	assert_int_equal(d->side[1].reason, ST_EMPTY);
	assert_true(d->side[1].cycle == d->side[0].cycle && d->side[1].sm == d->side[0].sm);
	rig_close(&r);
}

/* --- events made up ---------------------------------------------------------------------------------------------- */

struct pair {
	struct sim *sim[2];
	struct diverge *d;
};

static void pair_open(struct pair *p, enum diverge_by by)
{
	struct conf c;
	struct err e = {0};
	conf_defaults(&c);
	for (u32 i = 0; i < 2; i++) {
		p->sim[i] = sim_create(&c, &e);
		assert_non_null(p->sim[i]);
	}
	p->d = diverge_new(sim_gpu(p->sim[0]), sim_gpu(p->sim[1]), by);
}

static void pair_close(struct pair *p)
{
	diverge_free(p->d);
	sim_destroy(p->sim[0]);
	sim_destroy(p->sim[1]);
}

static void tell(struct pair *p, u32 side, struct event e)
{
	e.kernel = e.cta = 0;
	assert_false(diverge_event(diverge_side(p->d, side), &e));
}

static void pick(struct pair *p, u32 side, u64 cycle, s32 sm, u32 scheduler, s32 warp, u64 ready)
{
	tell(
	    p, side,
	    (struct event){.type = EV_SCHED_PICK, .cycle = cycle, .sm = sm, .warp = warp, .arg = {scheduler, ready, 0, 0}});
}

static void issue(struct pair *p, u32 side, u64 cycle, s32 sm, u32 scheduler, s32 warp, u32 pc)
{
	tell(p, side,
	     (struct event){
	         .type = EV_ISSUE, .cycle = cycle, .sm = sm, .warp = warp, .pc = pc, .arg = {pc, 1, scheduler, 0}});
}

static void stall(struct pair *p, u32 side, u64 cycle, s32 sm, u32 scheduler, enum stall why)
{
	tell(p, side,
	     (struct event){.type = EV_STALL, .cycle = cycle, .sm = sm, .warp = -1, .arg = {scheduler, why, 0, 0}});
}

static void warp_alone_differs(void **state)
{
	struct pair p;
	for (enum diverge_by by = DIVERGE_BY_CYCLE; by <= DIVERGE_BY_ORDER; by++) {
		pair_open(&p, by);
		for (u32 i = 0; i < 2; i++) {
			pick(&p, i, 5, 0, 0, 3, i ? 0xc : 0x8);
			pick(&p, i, 6, 0, 1, i ? 4 : 5, 0x30);
		}
		assert_true(diverge_compare(p.d, false));
		assert_int_equal(diverge_first(p.d)->side[0].warp, 5);
		assert_int_equal(diverge_first(p.d)->side[1].warp, 4);
		assert_int_equal(diverge_equal(p.d), 1);
		assert_int_equal(diverge_first_ready(p.d)->side[1].ready, 0xc);
		pair_close(&p);
	}
}

/* The instruction comes from the issue that follows; another warp's does not count. */
static void pc_alone_differs(void **state)
{
	struct pair p;
	pair_open(&p, DIVERGE_BY_CYCLE);
	for (u32 i = 0; i < 2; i++) {
		pick(&p, i, 5, 0, 0, 3, 8);
		issue(&p, i, 5, 0, 0, 2, 40 + i);
		pick(&p, i, 6, 0, 0, 3, 8);
		issue(&p, i, 6, 0, 0, 3, 70 + i);
		issue(&p, i, 6, 0, 0, 3, 90);
	}
	assert_true(diverge_compare(p.d, false));
	assert_int_equal(diverge_first(p.d)->side[0].cycle, 6);
	assert_int_equal(diverge_first(p.d)->side[0].pc, 70);
	assert_int_equal(diverge_first(p.d)->side[1].pc, 71);
	pair_close(&p);
}

/* What the scheduler that did not choose lost its slot to: the reason of that time, not a later one. */
static void reason_of_the_lost_slot(void **state)
{
	struct pair p;
	pair_open(&p, DIVERGE_BY_CYCLE);
	for (u32 i = 0; i < 2; i++)
		pick(&p, i, 5, 1, 0, 3, 8);
	stall(&p, 1, 6, 0, 0, ST_FETCH);
	stall(&p, 1, 6, 1, 0, ST_MEM);
	assert_false(diverge_compare(p.d, false));
	pick(&p, 0, 9, 1, 0, 3, 8);
	stall(&p, 1, 10, 1, 0, ST_BARRIER);
	pick(&p, 1, 12, 1, 0, 3, 8);
	assert_true(diverge_compare(p.d, false));
	assert_int_equal(diverge_first(p.d)->side[1].warp, -1);
	assert_int_equal(diverge_first(p.d)->side[1].reason, ST_MEM);
	assert_int_equal(diverge_first(p.d)->side[1].cycle, 9);
	assert_int_equal(diverge_equal(p.d), 1);
	pair_close(&p);
}

static void earliest_scheduler(void **state)
{
	struct pair p;
	pair_open(&p, DIVERGE_BY_ORDER);
	for (u32 i = 0; i < 2; i++) {
		pick(&p, i, 9 + i, 0, 0, (s32)(3 + i), 0x18);
		pick(&p, i, 7 + 100 * i, 4, 1, (s32)(5 + i), 0x60);
	}
	assert_true(diverge_compare(p.d, false));
	assert_int_equal(diverge_first(p.d)->side[0].sm, 4);
	assert_int_equal(diverge_first(p.d)->side[1].cycle, 107);
	pair_close(&p);
}

/* By order, decisions that lack a counterpart are a difference at the end only. */
static void left_over(void **state)
{
	struct pair p;
	pair_open(&p, DIVERGE_BY_ORDER);
	for (u32 n = 0; n < 5; n++)
		pick(&p, 1, 10 + n, 2, 1, 3, 8);
	pick(&p, 0, 100, 2, 1, 3, 8);
	assert_false(diverge_compare(p.d, false));
	assert_int_equal(diverge_waiting(p.d), 4);
	pick(&p, 0, 101, 2, 1, 3, 8);
	assert_true(diverge_compare(p.d, true));
	assert_int_equal(diverge_equal(p.d), 2);
	assert_int_equal(diverge_first(p.d)->side[0].warp, -1);
	assert_int_equal(diverge_first(p.d)->side[1].cycle, 12);
	pair_close(&p);
}

static void too_far_apart(void **state)
{
	struct pair p;
	pair_open(&p, DIVERGE_BY_ORDER);
	for (u32 n = 0; n < DIVERGE_WAITING_MAX; n++)
		pick(&p, 0, n, 0, 0, 3, 8);
	assert_false(diverge_compare(p.d, false));
	assert_false(diverge_gave_up(p.d));
	pick(&p, 0, DIVERGE_WAITING_MAX, 0, 0, 3, 8);
	assert_false(diverge_compare(p.d, false));
	assert_true(diverge_gave_up(p.d));
	pick(&p, 1, 0, 0, 0, 4, 16);
	assert_false(diverge_compare(p.d, true));
	pair_close(&p);
}

/* --- by order ---------------------------------------------------------------------------------------------------- */

/* The n-th decision of a scheduler, or NULL. */
static const struct decision *nth(const struct lone *l, u32 sm, u32 scheduler, u32 n)
{
	for (u32 i = 0; i < l->n; i++)
		if (l->d[i].sm == sm && l->d[i].scheduler == scheduler && !n--)
			return &l->d[i];
	return NULL;
}

/* All decisions of the reported scheduler are equal up to the reported pair, which differs. */
static void order_confirmed(const char *by)
{
	const char *a = "--warp-sched gto", *b = "--warp-sched lrr";
	struct rig r;
	struct lone la, lb;
	rig_open(&r, "hotspot", a, b, by, "end");
	const struct divergence *d = diverge_first(compare_divergence(r.c));
	assert_true(d->found);
	lone_run(&la, "hotspot", a, NEVER);
	lone_run(&lb, "hotspot", b, NEVER);
	const struct decision *pa, *pb;
	u32 i = 0;
	do {
		pa = nth(&la, d->side[0].sm, d->side[0].scheduler, i);
		pb = nth(&lb, d->side[1].sm, d->side[1].scheduler, i++);
	} while (pa && pb && same_choice(pa, pb));
	assert_non_null(pa);
	assert_non_null(pb);
	assert_reported(&d->side[0], pa);
	assert_reported(&d->side[1], pb);
	lone_close(&la);
	lone_close(&lb);
	rig_close(&r);
}

static void by_order(void **state)
{
	order_confirmed("insts");
	order_confirmed("ctas");
}

/* Another clock of the memory, and a later start, change when warps issue, not in which order one warp alone does (nw
 * has CTAs of one). */
static void order_ignores_time(void **state)
{
	const char *one_warp = "--set max_ctas_per_sm=1 --set num_sms=1";
	const char *later = "--set max_ctas_per_sm=1 --set num_sms=1 --set dram_clock=400 --set launch.latency=3000";
	struct rig r;
	rig_open(&r, "nw", one_warp, later, "cycles", "first-divergence");
	assert_true(diverge_first(compare_divergence(r.c))->found);
	rig_close(&r);
	rig_open(&r, "nw", one_warp, later, "insts", "end");
	assert_false(diverge_first(compare_divergence(r.c))->found);
	assert_true(diverge_equal(compare_divergence(r.c)) > 100000);
	assert_int_equal(diverge_waiting(compare_divergence(r.c)), 0);
	assert_false(diverge_gave_up(compare_divergence(r.c)));
	rig_close(&r);
}

/* --- the same machine twice -------------------------------------------------------------------------------------- */

static void same_twice(void **state)
{
	static const char *const bys[] = {"cycles", "insts", "ctas"};
	struct lone l;
	lone_run(&l, "hotspot", "", NEVER);
	for (u32 i = 0; i < ARRAY_LEN(bys); i++) {
		struct rig r;
		rig_open(&r, "hotspot", "", "--warp-sched gto", bys[i], i & 1 ? "first-divergence" : "end");
		assert_false(diverge_first(compare_divergence(r.c))->found);
		assert_false(diverge_first_ready(compare_divergence(r.c))->found);
		assert_int_equal(diverge_equal(compare_divergence(r.c)), l.n);
		assert_int_equal(diverge_waiting(compare_divergence(r.c)), 0);
		assert_int_equal(compare_status(r.c), 0);
		for (u32 k = 0; k < 2; k++) /* comparing has changed nothing */
			assert_int_equal(sim_hash(compare_session(r.c, k)->sim), sim_hash(l.s->sim));
		rig_close(&r);
	}
	lone_close(&l);
}

static void no_deltas(void **state)
{
	struct rig r;
	struct strbuf text = STRBUF_INIT;
	rig_open(&r, "hotspot", "", "", "cycles", "end");
	compare_report(r.c, "json", false, true, &text);
	json_t *o = json_loads(text.buf, 0, NULL), *row;
	size_t i;
	assert_non_null(o);
	assert_int_equal(json_array_size(json_object_get(o, "config")), 0);
	assert_true(json_array_size(json_object_get(o, "stats")) > 200);
	json_array_foreach(json_object_get(o, "stats"), i, row)
	{
		json_t *delta = json_object_get(row, "delta");
		assert_true(json_is_null(delta) || json_number_value(delta) == 0);
		assert_true(json_equal(json_object_get(row, "a"), json_object_get(row, "b")));
	}
	json_decref(o);
	strbuf_release(&text);
	rig_close(&r);
}

/* --- stopping at the divergence ---------------------------------------------------------------------------------- */

static void stops_there(void **state)
{
	static const char *const bys[] = {"cycles", "insts", "ctas"}, *const sides[] = {"", "--warp-sched lrr"};
	for (u32 i = 0; i < ARRAY_LEN(bys); i++) {
		struct rig r;
		rig_open(&r, "hotspot", sides[0], sides[1], bys[i], "first-divergence");
		const struct divergence *d = diverge_first(compare_divergence(r.c));
		assert_true(d->found);
		assert_int_equal(compare_status(r.c), 0);
		for (u32 k = 0; k < 2; k++) {
			struct lone l;
			struct session *s = compare_session(r.c, k);
			assert_int_equal(sim_cycle(s->sim), d->side[k].cycle + 1);
			lone_run(&l, "hotspot", sides[k], d->side[k].cycle + 1);
			assert_int_equal(sim_hash(s->sim), sim_hash(l.s->sim));
			lone_close(&l);
		}
		rig_close(&r);
	}
}

/* --- figures ----------------------------------------------------------------------------------------------------- */

static json_t *stat(json_t *o, const char *name)
{
	json_t *row;
	size_t i;
	json_array_foreach(json_object_get(o, "stats"), i,
	                   row) if (!strcmp(json_string_value(json_object_get(row, "name")), name)) return row;
	fail_msg("no row %s", name);
	return NULL;
}

static void figures_are_the_runs(void **state)
{
	struct rig r;
	struct strbuf text = STRBUF_INIT;
	rig_open(&r, "hotspot", "", "--warp-sched lrr --set l1d.ways=8", "insts", "end");
	compare_report(r.c, "json", false, true, &text);
	json_t *o = json_loads(text.buf, 0, NULL), *cycles = stat(o, "run.cycles"), *row;
	u64 a = sim_cycle(compare_session(r.c, 0)->sim), b = sim_cycle(compare_session(r.c, 1)->sim);
	assert_int_equal(json_integer_value(json_object_get(cycles, "a")), a);
	assert_int_equal(json_integer_value(json_object_get(cycles, "b")), b);
	assert_int_equal(json_integer_value(json_object_get(cycles, "delta")), (s64)(b - a));
	assert_true(fabs(json_real_value(json_object_get(cycles, "ratio")) - ((double)b - (double)a) / (double)a) < 1e-9);
	u64 slots[TAX_COUNT] = {0};
	size_t i;
	json_array_foreach(json_object_get(o, "stats"), i, row) for (u32 t = 0; t < TAX_COUNT; t++)
	{
		char prefix[32];
		int n = snprintf(prefix, sizeof prefix, "stalls.%s.", taxonomy_names[t]);
		if (!strncmp(json_string_value(json_object_get(row, "name")), prefix, (size_t)n))
			slots[t] += (u64)json_integer_value(json_object_get(row, "b"));
	}
	const struct conf *c = &compare_session(r.c, 1)->conf;
	for (u32 t = 0; t < TAX_COUNT; t++)
		assert_int_equal(slots[t], b * c->num_sms * c->sm_schedulers);
	assert_int_equal(json_array_size(json_object_get(o, "config")), 2);
	json_decref(o);
	strbuf_release(&text);
	rig_close(&r);
}

/* Lock step by instructions: both stand behind the same number of them, to within what 30 schedulers issue in a cycle,
 * those without a slot included. */
static void steps_are_equal(void **state)
{
	static const struct {
		const char *by, *key;
		u64 slack;
	} modes[] = {{"cycles", "cycle", 0}, {"insts", "warp_insts", 480}, {"ctas", "ctas_done", 15}};
	for (u32 m = 0; m < ARRAY_LEN(modes); m++) {
		struct rig r;
		struct strbuf text = STRBUF_INIT;
		rig_open(&r, "hotspot", "", "--warp-sched lrr", modes[m].by, "end");
		compare_report(r.c, "json", false, true, &text);
		json_t *o = json_loads(text.buf, 0, NULL), *row;
		size_t i;
		assert_true(json_array_size(json_object_get(o, "lockstep")) >= 4);
		json_array_foreach(json_object_get(o, "lockstep"), i, row)
		{
			u64 at = (u64)json_integer_value(json_object_get(row, "at"));
			for (u32 k = 0; k < 2; k++) {
				json_t *side = json_object_get(row, k ? "b" : "a");
				u64 v = (u64)json_integer_value(json_object_get(side, modes[m].key));
				assert_in_range(v, at, at + modes[m].slack);
			}
		}
		json_decref(o);
		strbuf_release(&text);
		rig_close(&r);
	}
}

/* --- options ----------------------------------------------------------------------------------------------------- */

static enum cmdline_result side(struct options *out, const char *text, struct err *e)
{
	static struct options common;
	char *argv[] = {"warpdbg", "compare", "hotspot", "--set",      "l1d.ways=2",
	                "--size",  "small",   "--a",     (char *)text, NULL};
	err_clear(e);
	assert_int_equal(cmdline_parse(&common, (int)ARRAY_LEN(argv) - 1, argv, e), CMDLINE_OK);
	enum cmdline_result r = cmdline_side(out, &common, 0, e);
	cmdline_free(&common);
	return r;
}

static void side_words(void **state)
{
	struct options o;
	struct err e = {0};
	assert_int_equal(side(&o, "  --gpu 'a b' --set \"x=1 2\"\t--size=large --set y=a\\ b", &e), CMDLINE_OK);
	assert_string_equal(o.gpu, "a b");
	assert_string_equal(o.size, "large");
	assert_int_equal(o.nsets, 3);
	assert_string_equal(o.sets[0], "l1d.ways=2");
	assert_string_equal(o.sets[1], "x=1 2");
	assert_string_equal(o.sets[2], "y=a b");
	cmdline_free(&o);
	assert_int_equal(side(&o, "", &e), CMDLINE_OK);
	assert_int_equal(o.nsets, 1);
	assert_string_equal(o.size, "small");
	cmdline_free(&o);
}

static void bad_side_words(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
	    {"--gpu 'x", "--a: a quote is not closed"},
	    {"--gp", "--a: "},
	    {"--wrp-sched gto", "--a: unknown option '--wrp-sched'"},
	    {"--stats x", "--a: --stats does not belong to"},
	    {"--seed", "--a: --seed needs a value"},
	    {"--seed x", "--a: --seed: 'x' is not a whole number"},
	    {"bfs", "--a: unexpected word 'bfs'"},
	    {"''", "--a: unexpected word ''"},
	    {"--set", "--a: --set needs a value"},
	    {"--a x", "--a: --a does not belong to"},
	};
	for (u32 i = 0; i < ARRAY_LEN(bad); i++) {
		struct options o;
		struct err e = {0};
		assert_int_equal(side(&o, bad[i].text, &e), CMDLINE_ERROR);
		if (!strstr(e.msg, bad[i].message))
			fail_msg("'%s' gives: %s", bad[i].text, e.msg);
		cmdline_free(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(side_words),
	    cmocka_unit_test(bad_side_words),
	    cmocka_unit_test(warp_alone_differs),
	    cmocka_unit_test(pc_alone_differs),
	    cmocka_unit_test(reason_of_the_lost_slot),
	    cmocka_unit_test(earliest_scheduler),
	    cmocka_unit_test(left_over),
	    cmocka_unit_test(too_far_apart),
	    cmocka_unit_test(policies_part),
	    cmocka_unit_test(machines_part),
	    cmocka_unit_test(lost_slot_has_a_reason),
	    cmocka_unit_test(by_order),
	    cmocka_unit_test(order_ignores_time),
	    cmocka_unit_test(same_twice),
	    cmocka_unit_test(no_deltas),
	    cmocka_unit_test(stops_there),
	    cmocka_unit_test(figures_are_the_runs),
	    cmocka_unit_test(steps_are_equal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
