/* Console habits: every command of the table (help, completion, wrong arguments, any order), aliases, settings, names
 * that complete, and lost events told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include <readline/readline.h>

#include "base/rng.h"
#include "tests/rig/debug_rig.h"
#include "views/appearance.h"
#include "dbg/debugger.h"
#include "gpu/gpu.h"

/* Is `name` among the candidates for the end of line? */
static bool offers(struct rig *r, const char *line, const char *name)
{
	u32 start;
	bool found = false;
	char **m = debugger_complete(r->d, line, (u32)strlen(line), &start);
	for (u32 i = 0; m && m[i]; i++)
		found |= !strcmp(m[i], name);
	debugger_free_matches(m);
	return found;
}

static void must_offer(struct rig *r, const char *line, const char *name)
{
	if (!offers(r, line, name))
		fail_msg("'%s' does not offer '%s'", line, name);
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static void every_command_is_documented(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	for (u32 i = 0; i < ncommands; i++) {
		const struct command *c = &commands[i];
		char line[80];
		assert_true(strlen(c->help) > 10);
		assert_true(!strncmp(c->usage, c->name, strlen(c->name)));
		assert_true(c->help[strlen(c->help) - 1] == '.');
		snprintf(line, sizeof line, "help %s", c->name);
		rig_has(&r, line, c->usage);
		for (size_t n = 1; n <= strlen(c->name); n++) {
			snprintf(line, sizeof line, "%.*s", (int)n, c->name);
			must_offer(&r, line, c->name);
		}
		snprintf(line, sizeof line, "help %.*s", (int)strlen(c->name) - 1, c->name);
		must_offer(&r, line, c->name);
	}
	for (u32 i = 0; i < ninfo_topics; i++) {
		char line[80];
		snprintf(line, sizeof line, "info %.3s", info_topics[i].name);
		must_offer(&r, line, info_topics[i].name);
		snprintf(line, sizeof line, "help info %s", info_topics[i].name);
		rig_has(&r, line, info_topics[i].help);
	}
	rig_close(&r);
}

/* Commands that take any text as it is. */
static bool takes_anything(const char *name)
{
	return !strcmp(name, "echo") || !strcmp(name, "note") || !strcmp(name, "complete") || !strcmp(name, "quit") ||
	       !strcmp(name, "bookmark");
}

static void wrong_arguments_are_errors(void **state)
{
	static const char wrong[] = "@#!wrong{arguments";
	struct rig r;
	char line[120];
	rig_vecadd(&r);
	for (u32 i = 0; i < ncommands; i++) {
		const char *name = commands[i].name;
		if (takes_anything(name))
			continue;
		snprintf(line, sizeof line, "%s %s", name, wrong);
		bool ok = rig_try(&r, line);
		if (r.d->shell->collect.kind != COLLECT_NONE) /* `lua` asks for the rest of it: an empty line ends that */
			ok = rig_try(&r, "");
		if (ok)
			fail_msg("'%s' is no error; it says: %s", line, strbuf_str(&r.out));
		assert_true(r.e.set && strlen(r.e.msg) > 5);
		assert_int_equal(sim_cycle(r.s->sim), 0);
	}
	for (u32 i = 0; i < ninfo_topics; i++) {
		snprintf(line, sizeof line, "info %s %s", info_topics[i].name, wrong);
		if (rig_try(&r, line))
			fail_msg("'%s' is no error; it says: %s", line, strbuf_str(&r.out));
	}
	rig_close(&r);
}

/* Commands in any order, with arguments that may be meant for others: errors, but nothing breaks. */
static void any_order(void **state)
{
	static const char *const arguments[] = {"",
	                                        "1",
	                                        "2",
	                                        "500",
	                                        "0x100030500",
	                                        "%r5",
	                                        "*0x100030500:8",
	                                        "shared:0",
	                                        "stat gpu.ipc > 3",
	                                        "stat gpu.l1d.hit_rate < 10% every 100",
	                                        "becomes memory",
	                                        "becomes ready sm=1",
	                                        "cta-done count=5",
	                                        "cta 7",
	                                        "divergence --warp-sched lrr",
	                                        "vecadd:40",
	                                        "a = step 3",
	                                        "a",
	                                        "b = a",
	                                        "gpu.sm[1].ctas_done",
	                                        "gpu.cycle",
	                                        "warp-sched lrr",
	                                        "pagination on",
	                                        "sm 1 warp 3",
	                                        "warps",
	                                        "breakpoints",
	                                        "aliases",
	                                        "1 if e.cycle > 5"};
	u64 rng = 11;
	for (u32 round = 0; round < 3; round++) {
		struct rig r;
		rig_vecadd(&r);
		for (u32 i = 0; i < 250; i++) {
			const struct command *c = &commands[rng_next(&rng) % ncommands];
			char line[120], *m;
			snprintf(line, sizeof line, "%s %s", c->name, arguments[rng_next(&rng) % ARRAY_LEN(arguments)]);
			u32 start;
			debugger_free_matches(debugger_complete(r.d, line, (u32)(rng_next(&rng) % strlen(line)), &start));
			m = strstr(line, "quit");
			if (m || !strcmp(c->name, "record") || !strcmp(c->name, "source") || !strcmp(c->name, "export") ||
			    !strcmp(c->name, "screenshot")) /* those write files */
				continue;
			bool ok = rig_try(&r, line);
			if (!ok && !r.e.set)
				fail_msg("'%s' fails without a message", line);
			debugger_drop_collect(r.d);
			if (r.d->breaks.n > 8)
				rig_try(&r, "delete");
		}
		rig_say(&r, "delete");
		rig_has(&r, "info breakpoints", "No breakpoints");
		rig_close(&r);
	}
}

/* --- aliases ------------------------------------------------------------------------------------------------------ */

static void aliases(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_has(&r, "info aliases", "no aliases");
	rig_say(&r, "alias w = focus warp");
	rig_say(&r, "w 3");
	assert_int_equal(r.d->focus.warp, 3);
	rig_say(&r, "alias px = print/x");
	rig_has(&r, "px 255", "0xff");
	rig_say(&r, "alias s10 = step 10");
	rig_say(&r, "s10");
	rig_say(&r, ""); /* an empty line repeats what it stands for */
	assert_int_equal(sim_cycle(r.s->sim), 20);
	rig_say(&r, "alias again=s10");
	rig_has(&r, "info aliases", "again        = step 10");
	rig_say(&r, "alias s10 = again"); /* no circle: what it stood for stays */
	rig_say(&r, "s10");
	assert_int_equal(sim_cycle(r.s->sim), 30);
	must_offer(&r, "aga", "again");
	must_offer(&r, "unalias p", "px");
	must_offer(&r, "px gpu.cyc", "gpu.cycle");
	rig_fails(&r, "alias step = next", "is the command step already");
	rig_fails(&r, "alias s = next", "is the command step already");
	rig_fails(&r, "alias x/y = next", "is no name");
	rig_fails(&r, "alias new = nonsense 3", "unknown command 'nonsense'");
	rig_fails(&r, "alias new =", "NAME = COMMAND");
	rig_fails(&r, "alias new", "NAME = COMMAND");
	rig_say(&r, "unalias px");
	rig_fails(&r, "px 255", "unknown command 'px'");
	rig_fails(&r, "unalias px", "there is no alias");
	rig_close(&r);
}

/* --- settings and completion -------------------------------------------------------------------------------------- */

static void settings(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "set pagination on");
	assert_int_equal(r.d->shell->paging, PAGING_ON);
	rig_say(&r, "set pagination off");
	assert_int_equal(r.d->shell->paging, PAGING_OFF);
	rig_fails(&r, "set pagination maybe", "'on' or 'off'");
	rig_say(&r, "set mouse on");
	assert_true(debugger_appearance(r.d)->mouse);
	rig_say(&r, "set editing vi");
	assert_int_equal(rl_editing_mode, 0);
	rig_say(&r, "set editing emacs");
	assert_int_equal(rl_editing_mode, 1);
	rig_fails(&r, "set editing ed", "'vi' or 'emacs'");
	rig_close(&r);
}

static void names_complete(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	must_offer(&r, "info phases ve", "vecadd");
	must_offer(&r, "info points ", "vecadd");
	must_offer(&r, "info idempotence v", "vecadd");
	must_offer(&r, "info stalls le", "lee2014");
	must_offer(&r, "break bec", "becomes");
	must_offer(&r, "break becomes me", "memory");
	must_offer(&r, "break becomes r", "ready");
	must_offer(&r, "break warp-stall state=b", "state=barrier");
	must_offer(&r, "break stall reason=memory", "reason=memory_dependency");
	must_offer(&r, "break cta-done kernel=v", "kernel=vecadd");
	must_offer(&r, "break cta-done co", "count=");
	must_offer(&r, "break stat gpu.sm[1].l1d.hit", "gpu.sm[1].l1d.hit_rate");
	must_offer(&r, "break divergence --warp", "--warp-sched");
	must_offer(&r, "break divergence --warp-sched l", "lrr");
	must_offer(&r, "set warp-sched lu", "lua:");
	must_offer(&r, "set warp-sched lua:scr", "lua:scripts/");
	must_offer(&r, "set editing v", "vi");
	must_offer(&r, "set mouse o", "on");
	assert_false(offers(&r, "break becomes ", "empty"));
	assert_false(offers(&r, "break becomes memory ", "becomes"));
	rig_close(&r);
}

/* --- lost events -------------------------------------------------------------------------------------------------- */

static void lost_events_are_told(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	assert_null(strstr(rig_say(&r, "info events"), "events were lost"));
	struct event_buf *b = &sim_gpu(r.s->sim)->ev[0];
	for (u32 i = 0; i < EVENT_BUF_MAX + 2; i++) /* one place is spare: it takes what does not fit */
		event_add(b, EV_ISSUE, 0);
	assert_int_equal(b->dropped, 3);
	b->n = 0;
	rig_has(&r, "info events", "3 events were lost");
	rig_has(&r, "step", "Warning: 3 events were lost");
	assert_null(strstr(rig_say(&r, "step"), "lost"));
	rig_close(&r);
}

/* --- names of gdb, lists without an index, libraries that are not there --------------------------------------------- */

static void hints_instead_of_riddles(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_has(&r, "print $bpnum", "0");
	rig_say(&r, "break cta-done");
	rig_say(&r, "tbreak cycle 40");
	rig_has(&r, "print $bpnum", "2");
	rig_say(&r, "c");
	struct warp_info w;
	char text[32];
	gpu_warp_info(dbg_gpu(r.d), r.d->focus.sm, r.d->focus.warp, &w);
	snprintf(text, sizeof text, "%u\n", w.pc);
	assert_string_equal(rig_say(&r, "print $pc"), text);
	rig_has(&r, "display $pc", text);
	rig_fails(&r, "print $sp", "$bpnum");
	rig_fails(&r, "print gpu.sm.vt_swaps", "gpu.sm[S].vt_swaps is an SM's, gpu.vt_swaps the sum over all");
	rig_fails(&r, "print gpu.sm.ctas", "gpu.sm is a list: gpu.sm[S].ctas");
	rig_fails(&r, "print gpu.kernel.ipc", "gpu.kernel is a list: gpu.kernel[K].ipc");
	rig_fails(&r, "print gpu.sm[1].warp.pc", "gpu.sm[1].warp is a list: gpu.sm[1].warp[I].pc");
	rig_fails(&r, "print gpu.sm[1].cta.age", "gpu.sm[1].cta[I].age");
	/* An inspection's table is as wide as the terminal at most: its lines are cut, not broken. */
	rig_say(&r, "delete");
	rig_say(&r, "until 1100");
	r.d->report.columns = 50;
	for (const char *line = rig_say(&r, "inspect line_stalls"); *line; line += strcspn(line, "\n") + 1) {
		assert_in_range(strcspn(line, "\n"), 0, 50);
		if (!line[strcspn(line, "\n")])
			break;
	}
	assert_non_null(strstr(strbuf_str(&r.out), "vecadd.ptx:"));
	r.d->report.columns = 0;
	rig_fails(&r, "print io.open('x')", "--allow-io");
	rig_fails(&r, "lua os.exit()", "--allow-io");
	rig_fails(&r, "lua io.x = 1", "--allow-io");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_command_is_documented),
	    cmocka_unit_test(wrong_arguments_are_errors),
	    cmocka_unit_test(any_order),
	    cmocka_unit_test(aliases),
	    cmocka_unit_test(settings),
	    cmocka_unit_test(names_complete),
	    cmocka_unit_test(lost_events_are_told),
	    cmocka_unit_test(hints_instead_of_riddles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
