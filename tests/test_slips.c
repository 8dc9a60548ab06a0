/* What a user gets wrong, or takes back, leaves nothing behind: mistakes in `set`, undone changes, stops of other
 * places, events told again in a search through the past; and what is said of things that are not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "commands/commands.h"
#include "debug_rig.h"

/* A mistake neither forgets the future nor counts as a change. */
static void mistaken_set(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "until 1500");
	rig_say(&r, "goto 1000");
	rig_fails(&r, "set warp-sched gtoo", "did you mean 'gto'");
	rig_fails(&r, "set cta-sched nonsense", "no such cta policy");
	rig_fails(&r, "set l1d.ways 8", "part of the machine");
	rig_fails(&r, "set max_ctas_per_sm many", "");
	rig_has(&r, "info history", "cycles 0 to 1500 can be reached; now 1000");
	rig_has(&r, "goto 1500", "cycle 1500");
	assert_false(r.d->changed_by_hand);
	rig_say(&r, "goto 1000");
	rig_say(&r, "set warp-sched lrr"); /* the real thing does fork */
	rig_has(&r, "info history", "cycles 0 to 1000 can be reached; now 1000");
	assert_true(r.d->changed_by_hand);
	rig_close(&r);
}

/* Once every change is undone the machine is as it was built, so another may be set beside it again. */
static void undone_changes(void **state)
{
	struct rig r;
	char hash[64];
	rig_vecadd(&r);
	rig_say(&r, "until 1000");
	snprintf(hash, sizeof hash, "%s", rig_say(&r, "print gpu.hash"));
	rig_say(&r, "set warp-sched lrr");
	rig_say(&r, "set max_ctas_per_sm 2");
	rig_fails(&r, "compare --warp-sched lrr", "changed by hand");
	rig_say(&r, "undo");
	rig_fails(&r, "compare --warp-sched lrr", "changed by hand");
	rig_say(&r, "undo");
	assert_string_equal(rig_say(&r, "print gpu.hash"), hash);
	rig_has(&r, "compare --warp-sched lrr", "B: --warp-sched lrr");
	rig_close(&r);
}

/* The status line's reason is of this place. */
static void reason_is_of_here(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "break cycle 500");
	for (int i = 0; i < 2; i++) {
		rig_say(&r, i ? "run" : "break cycle 600");
		rig_say(&r, "continue");
		assert_non_null(strstr(r.d->stop_reason, "Breakpoint"));
		rig_say(&r, i ? "goto 100" : "step");
		assert_string_equal(r.d->stop_reason, "");
	}
	rig_close(&r);
}

static void search_logs_nothing(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "set log cta-dispatch cta-done");
	rig_say(&r, "break cta-done sm=1");
	rig_say(&r, "continue");
	rig_say(&r, "delete");
	rig_say(&r, "continue");
	rig_say(&r, "break cta-done sm=1");
	u64 logged = r.d->log.total;
	assert_true(logged > 64);
	rig_has(&r, "reverse-continue", "cta-done: SM 1");
	assert_int_equal(r.d->log.total, logged);
	rig_close(&r);
}

static void things_not_there(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_has(&r, "break cta-done kernel=nonsense", "No kernel of the loaded modules is called 'nonsense'");
	assert_null(strstr(rig_say(&r, "break cta-done kernel=vecadd"), "No kernel"));
	rig_say(&r, "delete");
	rig_has(&r, "break stat gpu.sm[1].l1d.hit_rate < 50%", "(no value yet)");
	rig_has(&r, "continue", "cycles before no value yet");
	rig_has(&r, "reverse-step", "cycle");
	rig_fails(&r, "m", "unknown command 'm'; `help`"); /* no guess at a letter */
	rig_fails(&r, "brek", "did you mean 'break'");
	rig_close(&r);
}

/* Fits 80 columns without being folded again. */
static void width_of_help(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	for (u32 i = 0; i <= ncommands; i++) {
		char line[64];
		snprintf(line, sizeof line, "help %s", i ? commands[i - 1].name : "");
		rig_say(&r, line);
		const char *p = strbuf_str(&r.out);
		p += i ? strcspn(p, "\n") : 0; /* a usage is one line, however long */
		for (; *p; p += strcspn(p, "\n"), p += *p == '\n')
			if (strcspn(p, "\n") > 79 && (!i || strcmp(commands[i - 1].name, "info")) && strcmp(line, "help lua"))
				fail_msg("%s: %.*s", line, (int)strcspn(p, "\n"), p);
	}
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(mistaken_set),        cmocka_unit_test(undone_changes),   cmocka_unit_test(reason_is_of_here),
	    cmocka_unit_test(search_logs_nothing), cmocka_unit_test(things_not_there), cmocka_unit_test(width_of_help),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
