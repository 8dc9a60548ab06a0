/* Scripts while a command goes back in time: whatever a condition, a watched or displayed expression, a dbg.on function
 * or a breakpoint's commands try, breakpoints, watchpoints, subscriptions and the machine are afterwards what they
 * would be without it, and who tried is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "tests/rig/rounds.h"
#include "dbg/debugger.h"

/* What is tried. In the console's Lua, while the global `armed` is true. */
static const char *const deeds[] = {
    "dbg.break_on('cta-dispatch')",
    "dbg.on('cta-dispatch', print)",
    "dbg.off(1)",
    "dbg.execute('delete')",
    "dbg.execute('disable 1')",
    "dbg.execute('step')",
    "dbg.sample(64, print)",
    "dbg.at_end(print)",
    "dbg.execute('watch gpu.ipc')",
    "dbg.execute('set warp-sched lrr')",
};
enum way { CONDITION, WATCHED, DISPLAYED, CALLBACK, COMMANDS, WAYS };
static const char *const back[] = {"reverse-step 10", "reverse-next", "reverse-continue", "reverse-finish", "goto 900"};

/* reverse-finish needs a CTA. */
static void focus_some_warp(struct rig *r)
{
	struct gpu *g = sim_gpu(r->s->sim);
	for (u32 i = 0; i < 15 * gpu_warps_per_sm(g); i++) {
		struct warp_info w;
		char line[40];
		gpu_warp_info(g, i % 15, i / 15, &w);
		if (w.launch < 0)
			continue;
		snprintf(line, sizeof line, "focus sm %u warp %u", i % 15, i / 15);
		rig_say(r, line);
		return;
	}
	fail_msg("no SM has a warp");
}

/* One that always stops, one with a condition, two watchpoints and subscription 1, all of them hit on the way. */
static void open_watched(struct rig *r, enum way way, const char *deed)
{
	char line[300];
	rig_vecadd(r);
	snprintf(line, sizeof line, "lua function try() if armed then %s end return true end", deed);
	rig_say(r, line);
	rig_say(r, "lua seen = 0; dbg.on('cta-done', function(e) if not e.replay then seen = seen + 1 end end)");
	rig_say(r, "break cta-done sm=1");
	rig_say(r, way == CONDITION ? "break cta-done sm=2 if try()" : "break cta-done sm=2 if true");
	rig_say(r, way == WATCHED ? "watch try()" : "watch true"); /* never changes */
	rig_say(r, "watch gpu.sm[3].ctas_done");
	rig_say(r, way == DISPLAYED ? "display try()" : "display true");
	rig_say(r, way == CALLBACK ? "lua dbg.on('cta-done', function() try() end)"
	                           : "lua dbg.on('cta-done', function() end)");
	rig_say(r, "commands 1");
	rig_say(r, way == COMMANDS ? "lua try()" : "lua x = 1");
	rig_say(r, "end");
	for (u32 i = 0; i < 6; i++)
		rig_say(r, "continue");
	assert_int_equal(r->d->run.rest, DBG_STOPPED);
	focus_some_warp(r);
}

/* All that must stay, as text; of the expression that is refused, not its value. */
static char *possessions(struct rig *r)
{
	struct strbuf t = STRBUF_INIT;
	strbuf_adds(&t, rig_say(r, "info breakpoints"));
	const char *value = strstr(t.buf, " (now");
	if (value) { /* the first watchpoint's */
		t.len = (size_t)(value - t.buf);
		t.buf[t.len] = '\0';
		strbuf_adds(&t, strstr(strbuf_str(&r->out), "watch gpu.sm[3]"));
	}
	strbuf_adds(&t, rig_say(r, "info display"));
	strbuf_adds(&t, rig_say(r, "print armed, seen"));
	strbuf_adds(&t, rig_say(r, "print gpu.cycle, gpu.hash"));
	char *text = xstrdup(strbuf_str(&t));
	strbuf_release(&t);
	return text;
}

/* Subscriptions go on: a whole run later as many have been told. */
static void finish(struct rig *r, struct strbuf *t)
{
	rig_say(r, "lua armed = nil");
	while (r->d->run.rest == DBG_STOPPED)
		rig_say(r, "continue");
	strbuf_adds(t, rig_say(r, "print gpu.cycle, gpu.hash, seen"));
	strbuf_adds(t, rig_say(r, "lua print(dbg.on('cta-done', print))")); /* the next number: nobody has taken one */
}

static bool searches(u32 command)
{
	return command == 1 || command == 2;
}

/* What there is right behind the command, and what after the rest of the run. */
struct outcome {
	char *left;
	struct strbuf after;
};

/* deed "": nothing is tried. */
static struct outcome go_back(enum way way, const char *deed, u32 command)
{
	struct outcome o = {.after = STRBUF_INIT};
	struct rig r;
	open_watched(&r, way, deed);
	rig_say(&r, "lua armed = true");
	const char *said = rig_say(&r, back[command]);
	/* reverse-next searches for an issue alone, with all of the user's breakpoints off. */
	bool told = way == CALLBACK ? searches(command) : (way == CONDITION || way == WATCHED) && command == 2;
	if (*deed && told && !strstr(said, "not while searching back"))
		fail_msg("%s in way %u, %s: is not told of: %s", deed, way, back[command], said);
	if (*deed && way == DISPLAYED && !strstr(said, "not change it"))
		fail_msg("%s displayed, %s: is not told of: %s", deed, back[command], said);
	o.left = possessions(&r);
	finish(&r, &o.after);
	rig_close(&r);
	return o;
}

static void outcome_release(struct outcome *o)
{
	free(o->left);
	strbuf_release(&o->after);
}

static void must_be_same(const struct outcome *a, const struct outcome *b, enum way way, const char *deed, u32 command)
{
	/* A condition that fails stops the search: elsewhere, or at once, but with all that was there. */
	bool elsewhere = way == CONDITION || way == CALLBACK;
	if (!elsewhere && strcmp(a->left, b->left))
		fail_msg("%s in way %u, %s:\n%s\n---\n%s", deed, way, back[command], a->left, b->left);
	if (strcmp(strbuf_str(&a->after), strbuf_str(&b->after)))
		fail_msg("%s in way %u, %s, later:\n%s\n---\n%s", deed, way, back[command], strbuf_str(&a->after),
		         strbuf_str(&b->after));
}

/* Everything is tried in searches; where there is none, no Lua but displays runs: every third deed does. Under the
 * sanitizers a fourth of that, of which the deeds take turns. */
static void every_way(enum way way)
{
	for (u32 command = 0; command < ARRAY_LEN(back); command++) {
		struct outcome plain = go_back(way, "", command);
		const u32 step = rounds(NULL, 1, 4);
		for (u32 deed = (way + command) % step; deed < ARRAY_LEN(deeds); deed += step * (searches(command) ? 1 : 3)) {
			struct outcome tried = go_back(way, deeds[deed], command);
			must_be_same(&plain, &tried, way, deeds[deed], command);
			outcome_release(&tried);
		}
		outcome_release(&plain);
	}
}

static void conditions(void **state)
{
	every_way(CONDITION);
}

static void watched(void **state)
{
	every_way(WATCHED);
}

static void displayed(void **state)
{
	every_way(DISPLAYED);
}

static void callbacks(void **state)
{
	every_way(CALLBACK);
}

static void commands_of_breakpoints(void **state)
{
	every_way(COMMANDS);
}

/* Going forward too, what is evaluated again and again only looks. */
static void looks_change_nothing(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_fails(&r, "watch dbg.break_on('cta-done')", "not change it");
	rig_has(&r, "display dbg.execute('undisplay')", "not change it");
	rig_has(&r, "step", "not change it");
	rig_has(&r, "until dbg.execute('step') == ''", "not change it");
	rig_has(&r, "info breakpoints", "No breakpoints");
	rig_has(&r, "display dbg.stop('x')", "nothing to stop");
	rig_has(&r, "print dbg.break_on('cta-done')", "1"); /* typed: once, and meant */
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(conditions),
	    cmocka_unit_test(watched),
	    cmocka_unit_test(displayed),
	    cmocka_unit_test(callbacks),
	    cmocka_unit_test(commands_of_breakpoints),
	    cmocka_unit_test(looks_change_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
