/* Breakpoints beyond events and code (states by name, statistics, the n-th match, the first different decision) and
 * watchpoints on registers and memory: where they stop, forwards and backwards, against looking at every cycle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "commands/commands.h"
#include "session/lockstep.h"
#include "tests/rig/debug_rig.h"
#include "dbg/locate.h"
#include "dbg/debugger.h"
#include "obs/compare/diverge.h"
#include "obs/name/names.h"

#define STOPS 64

static void open_hotspot(struct rig *r)
{
	char *argv[] = {"warpdbg", "debug", "hotspot", "--size", "small", NULL};
	rig_open(r, argv);
}

static u64 now(struct rig *r)
{
	return sim_cycle(r->s->sim);
}

/* Runs to the end; the cycles of all stops. */
static u32 all_stops(struct rig *r, u64 *stop)
{
	u32 n = 0;
	while (rig_say(r, "continue"), r->d->run.rest == DBG_STOPPED && n < STOPS)
		stop[n++] = now(r);
	return n;
}

/* From the end: the same stops in reverse order, each once. */
static void same_in_reverse(struct rig *r, const u64 *stop, u32 n, const char *text)
{
	for (u32 i = n; i-- > 0;) {
		rig_has(r, "reverse-continue", text);
		assert_int_equal(now(r), stop[i]);
	}
	rig_has(r, "reverse-continue", "beginning of history");
}

/* --- states ------------------------------------------------------------------------------------------------------- */

static enum warp_state state_of(struct rig *r, u32 sm, u32 warp)
{
	struct warp_info w;
	gpu_warp_info(sim_gpu(r->s->sim), sm, warp, &w);
	return w.state;
}

static void states_by_name(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_has(&r, "break becomes memory sm=1 warp=3", "Breakpoint 1: warp-stall sm=1 warp=3 state=memory");
	rig_has(&r, "c", "Breakpoint 1, warp-stall: SM 1, warp 3");
	assert_int_equal(state_of(&r, 1, 3), WS_MEM);
	rig_say(&r, "delete");
	rig_has(&r, "break becomes ready sm=1 warp=3", "warp-ready sm=1 warp=3");
	rig_has(&r, "c", "ready, waited");
	rig_say(&r, "delete");
	/* 'm' is memory and fence, 'x' short: a letter is all states that it shows. */
	rig_has(&r, "break warp-stall state=x sm=2", "state=short");
	rig_has(&r, "c", "(short)");
	assert_int_equal(state_of(&r, 2, r.d->focus.warp), WS_SHORT);
	rig_fails(&r, "break warp-stall state=memry", "memory (m)");
	rig_fails(&r, "break becomes nonsense", "expected: memory (m), short (x)");
	rig_fails(&r, "break becomes nonsense", ", ready (r)");
	rig_fails(&r, "break becomes", "break becomes: a warp's state");
	rig_fails(&r, "break warp-ready state=memory", "one of ready (r)");
	rig_has(&r, "break stall reason=memory_dependency", "Breakpoint");
	rig_close(&r);
}

/* A warp that was not ready in a cycle and is in the next: one event, and none otherwise. */
struct ready_log {
	struct gpu *g;
	u8 before[48];
	u64 events, changes;
	u64 told; /* warps told of in this cycle */
};

static bool count_ready(void *ctx, const struct event *e)
{
	struct ready_log *l = ctx;
	l->events++;
	if (e->arg[0] < WS_READY_SP || e->arg[0] > WS_READY_LSU)
		fail_msg("state %llu is not ready", (unsigned long long)e->arg[0]);
	l->told |= BIT((u32)e->warp);
	return false;
}

static bool is_ready(u8 s)
{
	return s >= WS_READY_SP && s <= WS_READY_LSU;
}

static void every_ready_is_told(void **state)
{
	struct rig r;
	struct ready_log l = {0};
	rig_vecadd(&r);
	l.g = sim_gpu(r.s->sim);
	sim_subscribe(r.s->sim, EVENT(EV_WARP_READY), count_ready, &l);
	u8 after[WS_COUNT + 64];
	u64 issued, refused, missed = 0;
	for (u32 i = 0; i < 1200; i++) {
		l.told = 0;
		gpu_warp_states(l.g, 0, l.before, &issued, &refused);
		rig_say(&r, "step");
		gpu_warp_states(l.g, 0, after, &issued, &refused);
		for (u32 w = 0; w < 48; w++)
			if (is_ready(after[w]) && !is_ready(l.before[w])) {
				l.changes++;
				missed += !(l.told >> w & 1);
			}
	}
	assert_true(l.changes > 50);
	assert_int_equal(missed, 0);
	rig_close(&r);
}

/* --- CTAs that there are ------------------------------------------------------------------------------------------ */

/* vecadd: launch 0 has 64 CTAs. A later launch may have more: only a launch named by number cannot. */
static void ctas_that_there_are(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_has(&r, "break cta 99999", "No launch so far has a CTA 99999: the largest grid, of vecadd, has 0..63.");
	rig_has(&r, "break cta-done cta=64 kernel=vecadd", "has 0..63. A later launch may have it.");
	rig_fails(&r, "break cta 64 kernel=0", "cta=64: the grid of launch 0, vecadd, has CTAs 0..63");
	rig_has(&r, "info breakpoints", "cta=64");
	rig_say(&r, "delete");
	rig_say(&r, "break cta 64 kernel=1"); /* not launched yet: nobody knows */
	rig_say(&r, "break cta 63 kernel=0");
	assert_null(strstr(strbuf_str(&r.out), "No launch"));
	rig_has(&r, "c", "CTA 63 of vecadd");
	rig_has(&r, "c", "finished");
	rig_close(&r);
}

/* --- statistics --------------------------------------------------------------------------------------------------- */

/* The cycles at which the comparison becomes true, looked at by hand. */
static u32 crossings(const char *probe, double limit, bool above, u64 every, u64 *stop)
{
	struct rig r;
	struct probe_path p;
	u32 n = 0;
	bool was = true;
	open_hotspot(&r);
	assert_true(probe_parse(sim_gpu(r.s->sim), probe, &p, &r.e));
	for (u64 at = 0; r.d->run.rest == DBG_STOPPED && n < STOPS; at += every) {
		char line[64];
		snprintf(line, sizeof line, "until %llu", (unsigned long long)at);
		if (at)
			rig_say(&r, line);
		if (r.d->run.rest != DBG_STOPPED)
			break;
		struct probe_value v = probe_read(sim_gpu(r.s->sim), &p);
		double x = v.real ? v.d : (double)v.u;
		bool is = above ? x > limit : x < limit;
		if (is && !was)
			stop[n++] = at;
		was = is;
	}
	rig_close(&r);
	return n;
}

static void check_statistic(const char *probe, double limit, bool above, u64 every)
{
	struct rig r;
	u64 want[STOPS], got[STOPS];
	char line[120];
	u32 n = crossings(probe, limit, above, every, want);
	assert_true(n > 0 && n < STOPS);
	open_hotspot(&r);
	snprintf(line, sizeof line, "break stat %s%s%g every %llu over run", probe, above ? ">" : "<", limit,
	         (unsigned long long)every);
	rig_say(&r, line);
	assert_int_equal(all_stops(&r, got), n);
	for (u32 i = 0; i < n; i++)
		assert_int_equal(got[i], want[i]);
	same_in_reverse(&r, want, n, "cycles before");
	rig_close(&r);
}

static void statistics(void **state)
{
	check_statistic("gpu.sm[2].ctas_done", 1.5, true, 64);
	check_statistic("gpu.l2.hit_rate", 0.6, true, 100);
	check_statistic("gpu.ipc", 18.5, false, 37);
	check_statistic("gpu.sm[2].ipc", 1.2, true, 250);
	struct rig r;
	open_hotspot(&r);
	rig_has(&r, "tbreak stat gpu.sm[2].ctas_done >= 1 every 10 if e.cycle > 0",
	        "Temporary breakpoint 1: gpu.sm[2].ctas_done >= 1");
	rig_has(&r, "c", "now 1, 10 cycles before 0");
	rig_has(&r, "info breakpoints", "No breakpoints");
	rig_has(&r, "break stat gpu.l1d.hit_rate < 10%", "< 0.1");
	rig_fails(&r, "break stat gpu.nonsense < 1", "nonsense");
	rig_fails(&r, "break stat gpu.ipc", "one of < <= >");
	rig_fails(&r, "break stat gpu.ipc < x", "not a number");
	rig_fails(&r, "break stat gpu.ipc < 1 evry 3", "left over");
	rig_fails(&r, "break stat gpu.ipc < 1 every 0", "cycles from 1");
	rig_fails(&r, "break stat", "PROBE OP VALUE");
	rig_close(&r);
}

/* --- the n-th ----------------------------------------------------------------------------------------------------- */

struct cycles {
	u64 at[4096];
	u32 n;
};

static bool note_cycle(void *ctx, const struct event *e)
{
	struct cycles *c = ctx;
	if (c->n < ARRAY_LEN(c->at))
		c->at[c->n++] = e->cycle;
	return false;
}

static void nth_match_only(void **state)
{
	static struct cycles all;
	struct rig r;
	char line[64];
	all.n = 0;
	open_hotspot(&r);
	sim_subscribe(r.s->sim, EVENT(EV_CTA_DONE), note_cycle, &all);
	rig_has(&r, "break cta-done count=23", "count=23");
	rig_say(&r, "c");
	u64 stop = now(&r);
	assert_true(all.n >= 23);
	assert_int_equal(all.at[22] + 1, stop);
	rig_has(&r, "c", "finished");
	rig_has(&r, "info breakpoints", "1 hit");
	rig_has(&r, "reverse-continue", "cta-done");
	assert_int_equal(now(&r), stop);
	/* The same one again from anywhere before, and not another one from behind it. */
	snprintf(line, sizeof line, "goto %llu", (unsigned long long)stop / 2);
	rig_say(&r, line);
	rig_say(&r, "c");
	assert_int_equal(now(&r), stop);
	rig_has(&r, "c", "finished");
	rig_has(&r, "reverse-continue", "cta-done");
	rig_has(&r, "reverse-continue", "beginning of history");
	rig_has(&r, "break cta 9", "cta-dispatch cta=9");
	rig_fails(&r, "break cta-done count=0", "from 1 to");
	rig_close(&r);
}

/* --- the first different decision --------------------------------------------------------------------------------- */

static u64 first_difference(const char *other)
{
	struct options o;
	struct err e = {0};
	char *argv[] = {"warpdbg", "compare", "hotspot", "--size", "small", "--a", "", "--b", (char *)other, NULL};
	assert_int_equal(cmdline_parse(&o, 9, argv, &e), CMDLINE_OK);
	struct compare *c = compare_open(&o, console_modules, &e);
	assert_non_null(c);
	assert_true(compare_run(c, NULL));
	const struct divergence *f = diverge_first(compare_divergence(c));
	u64 cycle = f->found ? MAX(f->side[0].cycle, f->side[1].cycle) : NEVER;
	compare_close(c);
	cmdline_free(&o);
	return cycle;
}

static void divergence(void **state)
{
	struct rig r;
	u64 cycle = first_difference("--warp-sched lrr");
	assert_true(cycle != NEVER);
	open_hotspot(&r);
	rig_has(&r, "break divergence --warp-sched lrr", "Breakpoint 1: divergence --warp-sched lrr");
	rig_has(&r, "c", "First different decision");
	assert_int_equal(now(&r), cycle + 1);
	assert_non_null(strstr(strbuf_str(&r.out), " A  cycle"));
	assert_non_null(strstr(strbuf_str(&r.out), " B  cycle"));
	rig_has(&r, "c", "finished");
	rig_has(&r, "reverse-continue", "First different decision");
	assert_int_equal(now(&r), cycle + 1);
	/* Set behind it: said at once. */
	rig_say(&r, "delete");
	rig_has(&r, "break divergence --warp-sched lrr", "They differ already");
	rig_fails(&r, "break divergence --warp-shed lrr", "did you mean");
	rig_fails(&r, "break divergence", "options are expected");
	/* A machine changed by hand is like no other. */
	rig_say(&r, "set max_ctas_per_sm 2");
	rig_has(&r, "info breakpoints", "off  divergence");
	rig_fails(&r, "break divergence --warp-sched lrr", "changed by hand");
	rig_close(&r);
	open_hotspot(&r);
	rig_say(&r, "break divergence --set history.mb=100");
	rig_has(&r, "c", "without a different decision");
	rig_close(&r);
}

/* --- registers ---------------------------------------------------------------------------------------------------- */

/* What a watch of %name sees, by looking after every cycle. */
struct looked {
	u64 value;
	bool valid;
};

static struct looked look(struct rig *r, const struct warp_info *who, u32 sm, u32 warp, u32 lane, const char *name)
{
	struct warp_info w;
	struct gpu *g = sim_gpu(r->s->sim);
	gpu_warp_info(g, sm, warp, &w);
	if (w.launch != who->launch || w.cta != who->cta || w.pc == PC_DONE)
		return (struct looked){0, false};
	const struct module *m = module_of_launch(g, w.launch);
	u32 pc = front_pc(gpu_front(g), sm, warp);
	const struct regname *x = reg_find(m, pc, name);
	if (!x || !reg_live(x, pc))
		return (struct looked){0, false};
	return (struct looked){front_read_reg(gpu_front(g), sm, warp, lane, x->at, x->type), true};
}

static u32 register_changes(const char *name, u64 *at)
{
	struct rig r;
	struct warp_info who;
	u32 n = 0;
	open_hotspot(&r);
	rig_say(&r, "step 60");
	gpu_warp_info(sim_gpu(r.s->sim), 1, 3, &who);
	struct looked old = look(&r, &who, 1, 3, 7, name);
	for (;;) {
		rig_say(&r, "step");
		struct warp_info w;
		gpu_warp_info(sim_gpu(r.s->sim), 1, 3, &w);
		if (w.launch != who.launch || w.cta != who.cta || w.pc == PC_DONE || r.d->run.rest != DBG_STOPPED)
			break;
		struct looked l = look(&r, &who, 1, 3, 7, name);
		if (l.valid && old.valid && l.value != old.value && n < STOPS)
			at[n++] = now(&r);
		old = l.valid ? l : old;
	}
	rig_close(&r);
	return n;
}

/* Names of registers of the focused kernel that change, so that the test does not depend on one compiler's names. */
static u32 watchable(char names[][32], u32 max)
{
	struct rig r;
	u32 n = 0;
	open_hotspot(&r);
	rig_say(&r, "step 60");
	rig_say(&r, "focus sm 1 warp 3 lane 7");
	const struct module *m = focus_module(r.d);
	for (u32 i = 0; i < m->nregnames && n < max; i++)
		if (m->regnames[i].live_to - m->regnames[i].live_from > 20 && strlen(m->regnames[i].name) < 32 &&
		    m->regnames[i].func == (u32)(func_of_pc(m, 0) - m->funcs))
			snprintf(names[n++], 32, "%.31s", m->regnames[i].name);
	rig_close(&r);
	return n;
}

static void check_register(const char name[32], u64 *changes)
{
	struct rig r;
	u64 want[STOPS];
	u32 n = register_changes(name, want), i = 0;
	char line[64];
	open_hotspot(&r);
	rig_say(&r, "step 60");
	rig_say(&r, "focus sm 1 warp 3 lane 7");
	snprintf(line, sizeof line, "watch %.40s", name);
	rig_say(&r, line);
	for (; i < n && i < 6; i++, (*changes)++) {
		rig_has(&r, "c", "->");
		assert_int_equal(now(&r), want[i]);
		assert_non_null(strstr(strbuf_str(&r.out), "written by SM 1 warp 3 lane 7"));
	}
	for (; i > 1; i--) {
		rig_has(&r, "reverse-continue", "->");
		assert_int_equal(now(&r), want[i - 2]);
	}
	while (rig_say(&r, "c"), r.d->nwatches)
		assert_int_equal(r.d->run.rest, DBG_STOPPED);
	assert_non_null(strstr(strbuf_str(&r.out), "its warp has exited"));
	rig_close(&r);
}

static void registers(void **state)
{
	char names[12][32];
	u64 changes = 0;
	u32 n = watchable(names, 12);
	for (u32 i = 0; i < n; i++)
		check_register(names[i], &changes);
	assert_true(n > 3);
	assert_true(changes > 3);
	struct rig r;
	rig_vecadd(&r);
	rig_fails(&r, "watch %r5", "empty or has exited");
	rig_say(&r, "step 600");
	rig_fails(&r, "watch %nonsense", "no register");
	rig_close(&r);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* vecadd's third buffer. */
static u64 result(struct rig *r)
{
	const struct devmem *m = sim_devmem(r->s->sim);
	for (u32 i = 0; i < m->nallocs; i++)
		if (!strcmp(m->allocs[i].name, "vecadd_param_2"))
			return m->allocs[i].addr;
	fail_msg("no buffer vecadd_param_2");
	return 0;
}

static float at_index(struct rig *r, u64 base, u32 i)
{
	float f;
	assert_true(devmem_read(sim_devmem(r->s->sim), base + 4ull * i, &f, 4, NULL));
	return f;
}

/* Element 5000 of vecadd's result: thread 5000 is lane 8 of a warp of CTA 19. */
static void memory(void **state)
{
	struct rig r;
	char line[80];
	rig_vecadd(&r);
	u64 out = result(&r);
	snprintf(line, sizeof line, "watch *0x%llx:4", (unsigned long long)(out + 20000));
	rig_has(&r, line, "now 0x00000000 (0)");
	rig_has(&r, "c", "lane 8, CTA 19 of vecadd, at vecadd.ptx:56");
	assert_non_null(strstr(strbuf_str(&r.out), "0x00000000 (0) -> "));
	assert_int_equal(r.d->focus.cta, 19);
	assert_int_equal(r.d->focus.lane, 8);
	u64 stop = now(&r);
	assert_true(at_index(&r, out, 5000) == 5001);
	rig_say(&r, "reverse-step");
	assert_true(at_index(&r, out, 5000) == 0);
	rig_has(&r, "c", "Watchpoint 1");
	assert_int_equal(now(&r), stop);
	rig_has(&r, "c", "finished");
	rig_has(&r, "reverse-continue", "CTA 19 of vecadd");
	assert_int_equal(now(&r), stop);
	rig_has(&r, "reverse-continue", "beginning of history");
	/* A range: each of its words once; ignored ones are passed over. */
	rig_say(&r, "delete");
	snprintf(line, sizeof line, "watch mem 0x%llx 512", (unsigned long long)(out + 20000));
	rig_has(&r, line, "512 bytes");
	rig_has(&r, "c", "+");
	u32 stops = 1;
	while (rig_say(&r, "c"), r.d->run.rest == DBG_STOPPED)
		stops++;
	assert_true(stops >= 2 && stops <= 5); /* 128 threads: parts of 5 warps */
	rig_close(&r);
}

static void memory_errors(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_fails(&r, "watch *64", "");
	rig_fails(&r, "watch *", "address is expected");
	rig_fails(&r, "watch *0x100000000:0", "from 1 to 4096");
	rig_fails(&r, "watch *0x100000000:5000", "from 1 to 4096");
	rig_fails(&r, "watch mem", "");
	rig_fails(&r, "watch shared:0", "empty");
	rig_say(&r, "step 600");
	rig_fails(&r, "watch shared:0", "outside the CTA's");
	rig_has(&r, "info breakpoints", "No breakpoints");
	rig_close(&r);
}

/* Shared memory of one CTA: only its own stores count, and the watchpoint goes with it. */
static void shared_memory(void **state)
{
	struct rig r;
	u32 n = 0;
	open_hotspot(&r);
	rig_say(&r, "step 60");
	rig_say(&r, "focus sm 1 warp 3");
	s64 cta = r.d->focus.cta;
	rig_has(&r, "watch shared:128:8", "now 0x");
	while (rig_say(&r, "c"), r.d->nwatches) {
		assert_non_null(strstr(strbuf_str(&r.out), "written by SM 1"));
		assert_int_equal(r.d->focus.cta, cta);
		n++;
	}
	assert_non_null(strstr(strbuf_str(&r.out), "its CTA is done"));
	assert_true(n > 0);
	rig_close(&r);
}

/* Watching changes nothing of what is simulated. */
static void same_end(void **state)
{
	u64 end[2], hash[2];
	for (u32 i = 0; i < 2; i++) {
		struct rig r;
		rig_vecadd(&r);
		u64 out = result(&r);
		char line[80];
		snprintf(line, sizeof line, "watch *0x%llx", (unsigned long long)out);
		if (i) {
			rig_say(&r, line);
			rig_say(&r, "break stat gpu.ipc > 3");
			rig_say(&r, "break becomes memory sm=1 warp=3");
			rig_say(&r, "break divergence --warp-sched lrr");
		}
		for (u32 k = 0; k < 200 && r.d->run.rest == DBG_STOPPED; k++)
			rig_say(&r, "c");
		assert_int_equal(r.d->run.rest, DBG_FINISHED);
		end[i] = now(&r);
		hash[i] = sim_hash(r.s->sim);
		rig_close(&r);
	}
	assert_int_equal(end[0], end[1]);
	assert_int_equal(hash[0], hash[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(states_by_name),
	    cmocka_unit_test(ctas_that_there_are),
	    cmocka_unit_test(every_ready_is_told),
	    cmocka_unit_test(statistics),
	    cmocka_unit_test(nth_match_only),
	    cmocka_unit_test(divergence),
	    cmocka_unit_test(registers),
	    cmocka_unit_test(memory),
	    cmocka_unit_test(memory_errors),
	    cmocka_unit_test(shared_memory),
	    cmocka_unit_test(same_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
