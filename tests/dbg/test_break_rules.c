/* What every kind of breakpoint and watchpoint takes - filters, conditions, counts, commands - and what is refused
 * because it would never stop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"

static void open_workload(struct rig *r, const char *name, const char *sched)
{
	char *argv[] = {"warpdbg",
	                "debug",
	                (char *)name,
	                "--size",
	                "small",
	                "--set",
	                "lsu.replay=newcar",
	                "--dynamic-idempotence",
	                "--warp-sched",
	                (char *)sched,
	                NULL};
	rig_open(r, argv);
}

static u64 now(struct rig *r)
{
	return sim_cycle(r->s->sim);
}

/* --- places ------------------------------------------------------------------------------------------------------- */

/* Which of sm, kernel, cta, warp the events of each type have been seen with. */
struct seen {
	u64 n[EV_COUNT];
	u32 places[EV_COUNT];
};

static bool note(void *ctx, const struct event *e)
{
	struct seen *s = ctx;
	s->n[e->type]++;
	s->places[e->type] |= (e->sm >= 0) | (e->kernel >= 0) << 1 | (e->cta >= 0) << 2 | (e->warp >= 0) << 3;
	return false;
}

/* A filter on a place is taken exactly when events come with it. */
static void places_are_those_of_events(void **state)
{
	static const char *const scheds[] = {"gto", "tl-gto", "elf", "ccws", "mascar", "sca"};
	static const char *const key[] = {"sm", "kernel", "cta", "warp"};
	static struct seen s;
	u32 types = 0;
	for (u32 i = 0; i < ARRAY_LEN(scheds); i++) {
		struct rig r;
		open_workload(&r, i % 2 ? "histogram" : "hotspot", scheds[i]);
		sim_subscribe(r.s->sim, EVENTS_ALL, note, &s);
		rig_has(&r, "c", "finished");
		rig_close(&r);
	}
	for (u32 t = 0; t < EV_COUNT; t++) {
		types += s.n[t] > 0;
		for (u32 p = 0; p < 4 && s.n[t]; p++) {
			struct event_filter f;
			struct err e = {0};
			event_filter_any(&f);
			bool taken = event_filter_add(&f, (enum event_type)t, key[p], "0", &e);
			if (taken != (s.places[t] >> p & 1))
				fail_msg("%s: filter %s is %s, events %s it", event_descs[t].name, key[p], taken ? "taken" : "refused",
				         taken ? "never have" : "have");
		}
	}
	assert_true(types >= 28); /* all but faults, deadlocks and what needs more than these runs */
}

static void senseless_is_refused(void **state)
{
	static const char *const lines[][2] = {
	    {"break kernel-done sm=3", "event kernel-done has no 'sm': a filter may name kernel, cycles"},
	    {"break deadlock sm=3", "takes no filters"},
	    {"break l2-miss kernel=0", "has no 'kernel'"},
	    {"tbreak cta-dispatch warp=3", "has no 'warp': a filter may name sm, kernel, cta, slot, warps"},
	    {"break stat gpu.ipc < 1 sm=3", "the statistic itself says where"},
	    {"break stat gpu.ipc < 1 count=0", "from 1 to"},
	    {"break stat gpu.ipc < 1 count=2 count=3", "given twice"},
	    {"break stat gpu.ipc < 1 if", "expected after 'if'"},
	    {"break cycle 5000 count=2", "a cycle comes once"},
	    {"break cycle 5000 warp=2", "takes no filters"},
	    {"break divergence --warp-sched lrr if e.cycle > 3", "stops once"},
	    {"break divergence --warp-sched lrr count=2", "stops once"},
	    {"watch gpu.sm[0].issued sm=3", "has no place"},
	    {"watch gpu.cycle + 1 warp=3", "has no place"},
	    {"watch %r1 sm=3", ""},
	    {"watch gpu.cycle count=x", "from 1 to"},
	    {"watch gpu.cycle lane=3", "no filter for lanes"},
	    {"watch gpu.cycle if", "expected after 'if'"},
	    {"watch gpu.cycle if )", "unexpected symbol"},
	    {"watch gpu.cycle sm=99", "does not exist"},
	    {"watch sm=3", "is expected"},
	    {"watch", "is expected"},
	    {"condition 1 e.cycle", "there is no breakpoint 1"},
	    {"ignore 1 3", "there is no breakpoint 1"},
	};
	struct rig r;
	open_workload(&r, "hotspot", "gto");
	for (u32 i = 0; i < ARRAY_LEN(lines); i++)
		rig_fails(&r, lines[i][0], lines[i][1]);
	rig_has(&r, "info breakpoints", "No breakpoints");
	rig_close(&r);
}

/* --- statistics --------------------------------------------------------------------------------------------------- */

/* The third of a statistic's crossings, forwards, backwards, and with a condition that drops the first. */
static void nth_crossing(void **state)
{
	struct rig r;
	u64 at[8];
	u32 n = 0;
	const char stat[] = "gpu.sm[2].ipc < 1 over 64";
	char line[160];
	open_workload(&r, "hotspot", "gto");
	snprintf(line, sizeof line, "break stat %s", stat);
	rig_say(&r, line);
	while (n < ARRAY_LEN(at) && (rig_say(&r, "c"), r.d->run.rest == DBG_STOPPED))
		at[n++] = now(&r);
	assert_true(n >= 4);
	rig_say(&r, "delete");
	rig_say(&r, "goto 0");
	snprintf(line, sizeof line, "until stat %s", stat);
	for (u32 i = 0; i < 2; i++) {
		rig_has(&r, line, "gpu.sm[2].ipc < 1 over 64: now ");
		assert_int_equal(now(&r), at[i]);
		assert_int_equal(r.d->focus.sm, 2);
	}
	rig_fails(&r, "until stat", "PROBE OP VALUE");
	rig_fails(&r, "until stat gpu.nonsense < 1", "nonsense");
	rig_fails(&r, "until stat gpu.ipc < 1 sm=3", "the statistic itself says where");
	rig_has(&r, "info breakpoints", "No breakpoints");
	rig_say(&r, "goto 0");
	snprintf(line, sizeof line, "break stat %s count=3", stat);
	rig_has(&r, line, "count=3 (0 so far)");
	rig_has(&r, "c", "Breakpoint 2");
	assert_int_equal(now(&r), at[2]);
	rig_has(&r, "c", "finished");
	rig_has(&r, "reverse-continue", "Breakpoint 2");
	assert_int_equal(now(&r), at[2]);
	rig_has(&r, "reverse-continue", "beginning of history");
	rig_say(&r, "delete");
	snprintf(line, sizeof line, "tbreak stat %s count=2 if e.cycle > %llu", stat, (unsigned long long)at[0]);
	rig_say(&r, line);
	rig_has(&r, "c", "Temporary breakpoint 3");
	assert_int_equal(now(&r), at[2]);
	rig_has(&r, "info breakpoints", "No breakpoints");
	rig_close(&r);
}

/* --- watchpoints -------------------------------------------------------------------------------------------------- */

/* The changes of one statistic, and those that are left of them. */
static void watched_statistic(void **state)
{
	struct rig r;
	u64 at[8];
	char line[160];
	open_workload(&r, "hotspot", "gto");
	rig_has(&r, "watch gpu.sm[3].ctas_done", "Watchpoint 1: gpu.sm[3].ctas_done (now 0)");
	for (u32 i = 0; i < 4; i++) {
		rig_has(&r, "c", "Watchpoint 1: gpu.sm[3].ctas_done: ");
		at[i] = now(&r);
	}
	rig_say(&r, "delete");
	rig_say(&r, "goto 0");
	rig_has(&r, "watch gpu.sm[3].ctas_done count=3", "count=3");
	rig_has(&r, "c", "2 -> 3");
	assert_int_equal(now(&r), at[2]);
	rig_has(&r, "info breakpoints", "1 hit\n");
	rig_has(&r, "c", "finished");
	rig_has(&r, "reverse-continue", "2 -> 3");
	assert_int_equal(now(&r), at[2]);
	rig_say(&r, "delete");
	rig_say(&r, "goto 0");
	snprintf(line, sizeof line, "watch gpu.sm[3].ctas_done if e.cycle > %llu", (unsigned long long)at[0]);
	rig_has(&r, line, " if e.cycle > ");
	rig_has(&r, "c", "1 -> 2");
	rig_has(&r, "condition 3 gpu.cycle > 10000000", "Watchpoint 3 is conditional");
	rig_has(&r, "c", "finished");
	rig_say(&r, "goto 0");
	rig_has(&r, "condition 3", "Watchpoint 3 is unconditional");
	rig_say(&r, "ignore 3 1");
	rig_has(&r, "c", "1 -> 2");
	assert_int_equal(now(&r), at[1]);
	rig_has(&r, "continue 2", "3 -> 4"); /* passes over the next one */
	assert_int_equal(now(&r), at[3]);
	rig_close(&r);
}

static void temporary_and_commands(void **state)
{
	struct rig r;
	open_workload(&r, "hotspot", "gto");
	rig_has(&r, "twatch gpu.sm[3].ctas_done", "Temporary watchpoint 1");
	rig_has(&r, "info breakpoints", "1    del   on   watch gpu.sm[3].ctas_done (now 0)");
	rig_has(&r, "c", "0 -> 1");
	rig_has(&r, "info breakpoints", "No breakpoints");
	rig_say(&r, "watch gpu.sm[3].ctas_done");
	rig_say(&r, "commands");
	rig_say(&r, "silent");
	rig_say(&r, "echo told of it\\n");
	rig_say(&r, "end");
	rig_has(&r, "c", "told of it");
	assert_null(strstr(strbuf_str(&r.out), "Watchpoint 2"));
	assert_null(strstr(strbuf_str(&r.out), "cycle"));
	/* A condition that fails stops, and says why. */
	rig_say(&r, "delete");
	rig_say(&r, "watch gpu.sm[3].ctas_done if e.nothing.at.all");
	rig_has(&r, "c", "the condition of watchpoint 3 failed");
	rig_has(&r, "c", "the condition of watchpoint 3 failed");
	/* A word that looks like a condition within the expression is none. */
	rig_say(&r, "delete");
	rig_has(&r, "watch (function() if gpu.cycle > 7000 then return 1 end end)()", "(now no value)");
	rig_has(&r, "c", "no value -> 1");
	assert_int_equal(now(&r), 7001);
	rig_close(&r);
}

static u64 result(struct rig *r)
{
	const struct devmem *m = sim_devmem(r->s->sim);
	for (u32 i = 0; i < m->nallocs; i++)
		if (!strcmp(m->allocs[i].name, "vecadd_param_2"))
			return m->allocs[i].addr;
	fail_msg("no buffer vecadd_param_2");
	return 0;
}

/* Elements 4992 to 5247 of vecadd's result are written by two CTAs, 19 and 20, on two SMs. */
static void watched_memory(void **state)
{
	struct rig r;
	char line[200];
	rig_vecadd(&r);
	unsigned long long from = result(&r) + 4ull * 4992;
	snprintf(line, sizeof line, "watch mem 0x%llx 1024 cta=20", from);
	rig_has(&r, line, " cta=20\n");
	u32 stops = 0;
	while (rig_say(&r, "c"), r.d->run.rest == DBG_STOPPED) {
		assert_non_null(strstr(strbuf_str(&r.out), ", CTA 20 of vecadd"));
		stops++;
	}
	assert_true(stops >= 1 && stops <= 4);
	u64 end = now(&r);
	rig_has(&r, "reverse-continue", "CTA 20 of vecadd");
	rig_say(&r, "goto 0");
	rig_say(&r, "delete");
	snprintf(line, sizeof line, "watch mem 0x%llx 1024 kernel=vecadd if e.cta == 19 and e.sm >= 0", from);
	rig_say(&r, line);
	rig_has(&r, "c", "CTA 19 of vecadd");
	rig_say(&r, "goto 0");
	rig_say(&r, "condition 2 false");
	rig_has(&r, "c", "finished");
	assert_int_equal(now(&r), end);
	/* Off, a change does not count; the goal of a run that a watchpoint has looked into is reached all the same. */
	rig_say(&r, "goto 0");
	rig_has(&r, "until 1500", "cycle 1500");
	rig_close(&r);
}

/* --- CTAs and threads by their coordinates, conditions ------------------------------------------------------------ */

/* vecadd's grid is a line: backprop's has 2 dimensions, and CTAs of 16 x 16 threads. */
static void open_backprop(struct rig *r)
{
	char *argv[] = {"warpdbg", "debug", "backprop", "--size", "small", NULL};
	rig_open(r, argv);
	rig_say(r, "step");
}

static struct launch *launch_of(struct rig *r)
{
	return (struct launch *)gpu_launched(dbg_gpu(r->d), 0);
}

static void places_by_coordinates(void **state)
{
	struct rig r;
	char line[80];
	struct warp_info w;
	open_backprop(&r);
	const struct launch *l = launch_of(&r);
	assert_true(l->grid.y > 3 && l->block.x == 16 && l->block.y == 16);
	const u64 linear = 3 * l->grid.x;
	rig_has(&r, "tbreak cta 0,3", "cta=0,3");
	rig_say(&r, "c");
	const u64 at = now(&r);
	rig_say(&r, "goto 1");
	snprintf(line, sizeof line, "tbreak cta %llu", (unsigned long long)linear);
	rig_say(&r, line);
	rig_say(&r, "c");
	assert_int_equal(now(&r), at);
	/* A thread: the warp that has it, and the focus on its lane. */
	rig_say(&r, "goto 1");
	rig_has(&r, "tbreak issue cta=(0,3,0) thread=5,3", "cta=0,3,0 thread=5,3");
	rig_say(&r, "c");
	gpu_warp_info(dbg_gpu(r.d), r.d->focus.sm, r.d->focus.warp, &w);
	assert_int_equal(w.cta, linear);
	assert_int_equal(w.warp_in_cta, (3 * 16 + 5) / 32);
	assert_int_equal(r.d->focus.lane, (3 * 16 + 5) % 32);
	rig_has(&r, "print threadIdx.x", "5");
	rig_has(&r, "print threadIdx.y", "3");
	/* Lua's filters take both forms. */
	rig_say(&r, "goto 1");
	rig_say(&r, "lua n, m = 0, 0; dbg.on('issue', function() n = n + 1 end, nil, {cta={0,3}, thread={5,3}}); "
	            "dbg.on('issue', function() m = m + 1 end, nil, {cta='0,3,0', thread=53})");
	rig_say(&r, "until 2000");
	rig_has(&r, "print n > 10 and n == m", "true");
	/* Everything that names a CTA. */
	rig_has(&r, "pause cta 0,3", "CTA 3 of launch 0 is paused");
	rig_has(&r, "focus cta 0,3 thread 4,1", "CTA 3 of layer_forward, lane 20");
	rig_has(&r, "watch *0x100000000 cta=0,3 thread=1,2", "Watchpoint");
	rig_fails(&r, "pause cta 5,3", "the grid of launch 0 has");
	rig_fails(&r, "break issue cta=0,999 kernel=0", "cta=0,999: the grid of launch 0, layer_forward, has CTAs 1 x ");
	rig_has(&r, "break issue cta=0,999", "No launch so far has a CTA 0,999");
	rig_fails(&r, "break issue cta=0,x", "a number or X,Y,Z");
	rig_fails(&r, "break issue cta=1,2,3,4", "a number or X,Y,Z");
	rig_fails(&r, "break issue cta=(1,2", "a number or X,Y,Z");
	rig_fails(&r, "break cta-done thread=3", "has no 'thread'");
	rig_close(&r);
}

static void conditions_are_checked_when_typed(void **state)
{
	struct rig r;
	open_backprop(&r);
	rig_fails(&r, "break issue if e.sm == 1 && e.warp == 2", "`&&` is `and` in Lua");
	rig_fails(&r, "break issue if e.sm == 1 || e.warp == 2", "`||` is `or` in Lua");
	rig_fails(&r, "break issue if e.sm != 1", "`!=` is `~=` in Lua");
	rig_fails(&r, "tbreak issue if !e.sm", "`!` is `not` in Lua");
	rig_fails(&r, "break issue if e.sm = 1", "a comparison is `==`");
	rig_fails(&r, "watch gpu.sm[0].ctas_done if e.sm != 1", "`~=`");
	rig_fails(&r, "break stat gpu.ipc < 1 if !gpu", "`not`");
	rig_fails(&r, "print 1 != 2", "`~=`");
	rig_fails(&r, "break issue if threadIdx.x == 3", "thread=X,Y,Z");
	rig_fails(&r, "break issue if %tid.x == 3", "gpu.sm[e.sm].warp[e.warp].reg");
	rig_fails(&r, "break issue if nothing.x == 3", "there is no 'nothing'");
	rig_fails(&r, "break issue if nothing(e)", "there is no 'nothing'");
	rig_has(&r, "break issue if e.sm == nothing", "'nothing' has no value so far");
	rig_fails(&r, "condition 1 e.sm != 2", "`~=`");
	rig_fails(&r, "lua dbg.break_on('issue', {}, 'e.sm != 2')", "`~=`");
	/* What only looks so. */
	rig_has(&r, "condition 1 'a != b && !c' == e.event", "conditional");
	assert_null(strstr(strbuf_str(&r.out), "has no value"));
	rig_has(&r, "condition 1 (function(x) return x.sm ~= 3 and not x.none end)(e)", "conditional");
	rig_has(&r, "condition 1 e.sm ~= 3 and 'x'..e.event == 'xissue' and 0xff >= 1e1", "conditional");
	assert_null(strstr(strbuf_str(&r.out), "has no value"));
	rig_say(&r, "delete");
	rig_has(&r, "tbreak issue if blockIdx.x == 0 and blockIdx.y == 3 and blockDim.y == 16 and gridDim.z == 1",
	        "breakpoint");
	rig_has(&r, "c", "CTA 3 of layer_forward");
	rig_close(&r);
}

/* --- behind a barrier --------------------------------------------------------------------------------------------- */

/* A breakpoint behind bar.sync stops when the barrier opens, not when its first warp comes there; each warp counts. */
static void behind_a_barrier(void **state)
{
	struct rig r;
	u32 line = 0;
	char text[64];
	open_backprop(&r);
	const struct module *m = launch_of(&r)->mod;
	for (u32 pc = launch_of(&r)->fn->entry; !line; pc++)
		if (m->code[pc].op == OP_BAR)
			line = m->code[pc + 1].line;
	snprintf(text, sizeof text, "break %u sm=0 cta=0", line);
	rig_say(&r, text);
	rig_say(&r, "c");
	const u64 first = now(&r);
	for (u32 w = 0; w < 8; w++) {
		struct warp_info i;
		gpu_warp_info(dbg_gpu(r.d), 0, w, &i);
		assert_int_not_equal(i.state, WS_BARRIER);
		assert_true(m->code[i.pc].line == line || i.issued_last);
	}
	assert_non_null(strstr(strbuf_str(&r.out), "and 7 more hits in this cycle"));
	rig_has(&r, "info breakpoints", "8 hits");
	/* It is the cycle in which the barrier opened, also going back. */
	rig_say(&r, "goto 1");
	rig_say(&r, "tbreak barrier-release sm=0 cta=0");
	rig_say(&r, "disable 1");
	rig_say(&r, "c");
	assert_int_equal(now(&r), first);
	rig_say(&r, "enable 1");
	rig_say(&r, "until 6000");
	for (u32 i = 0; i < 50 && now(&r) > first; i++)
		rig_say(&r, "reverse-continue");
	assert_int_equal(now(&r), first);
	rig_close(&r);
}

/* --- figures of a launch that runs -------------------------------------------------------------------------------- */

static double number(struct rig *r, const char *expr)
{
	char line[96];
	snprintf(line, sizeof line, "print %s", expr);
	return strtod(rig_say(r, line), NULL);
}

/* One definition: the prompt, `info kernels`, a statistic's breakpoint and the statistics file. */
static void figures_of_a_running_launch(void **state)
{
	struct rig r;
	char text[64];
	open_backprop(&r);
	rig_has(&r, "print gpu.kernel[0].ipc", "");
	rig_say(&r, "until 1500");
	const struct kernel_counters *k = (const void *)gpu_counters(dbg_gpu(r.d), CG_kernel, 0);
	assert_int_equal(k->ended_at, 0);
	const double ipc = (double)k->warp_insts / (double)(1500 - k->started_at);
	assert_true(ipc > 0.1);
	assert_float_equal(number(&r, "gpu.kernel[0].ipc"), ipc, 1e-9);
	assert_float_equal(number(&r, "gpu.kernel[0].cycles"), (double)(1500 - k->started_at), 0);
	assert_float_equal(number(&r, "gpu.kernel[0].wait"), (double)(k->started_at - k->launched_at), 0);
	snprintf(text, sizeof text, "IPC %.2f", ipc);
	rig_has(&r, "info kernels", text);
	/* It stops while the launch runs, where the comparison has become true. */
	rig_say(&r, "goto 200");
	snprintf(text, sizeof text, "break stat gpu.kernel[0].ipc > %.3f every 1", ipc * 0.5);
	const bool below = number(&r, "gpu.kernel[0].ipc") < ipc * 0.5;
	assert_true(below);
	rig_say(&r, text);
	rig_has(&r, "c", "gpu.kernel[0].ipc");
	assert_in_range(now(&r), 201, 1500);
	assert_true(number(&r, "gpu.kernel[0].ipc") > ipc * 0.5);
	/* Before there is such a launch it has no value, there and back. */
	rig_say(&r, "delete");
	rig_has(&r, "c", "finished");
	rig_say(&r, "break stat gpu.kernel[1].ipc > 0.1");
	rig_say(&r, "goto 5");
	rig_say(&r, "c");
	assert_true(number(&r, "gpu.kernel[1].ipc") > 0.1);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(places_are_those_of_events),
	    cmocka_unit_test(senseless_is_refused),
	    cmocka_unit_test(nth_crossing),
	    cmocka_unit_test(watched_statistic),
	    cmocka_unit_test(temporary_and_commands),
	    cmocka_unit_test(watched_memory),
	    cmocka_unit_test(places_by_coordinates),
	    cmocka_unit_test(conditions_are_checked_when_typed),
	    cmocka_unit_test(behind_a_barrier),
	    cmocka_unit_test(figures_of_a_running_launch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
