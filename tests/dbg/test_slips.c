/* What a user gets wrong, or takes back, leaves nothing behind: mistakes in `set`, undone changes, stops of other
 * places, events told again in a search through the past; and what is said of things that are not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "commands/commands.h"
#include "tests/rig/debug_rig.h"

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
	assert_false(r.d->travel.changed_by_hand);
	rig_say(&r, "goto 1000");
	rig_say(&r, "set warp-sched lrr"); /* the real thing does fork */
	rig_has(&r, "info history", "cycles 0 to 1000 can be reached; now 1000");
	assert_true(r.d->travel.changed_by_hand);
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
		assert_non_null(strstr(r.d->run.stop_reason, "Breakpoint"));
		rig_say(&r, i ? "goto 100" : "step");
		assert_string_equal(r.d->run.stop_reason, "");
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
	rig_has(&r, "break stat gpu.sm[1].l1d.hit_rate < 50% over run", "(no value yet)");
	rig_has(&r, "continue", "cycles before no value yet");
	rig_has(&r, "reverse-step", "cycle");
	rig_fails(&r, "m", "unknown command 'm'; `help`"); /* no guess at a letter */
	rig_fails(&r, "brek", "did you mean 'break'");
	rig_close(&r);
}

/* --- command files --- */
static void write_commands(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static u32 times(const char *text, const char *word)
{
	u32 n = 0;
	for (const char *p = text; (p = strstr(p, word)); p += strlen(word))
		n++;
	return n;
}

/* A file that sources itself ends, even where errors do not end a batch; what comes behind it in the batch is executed,
 * more files among them. Many files one after the other are no nest. */
static void sourcing_oneself(void **state)
{
	char dir[] = "/tmp/warpdbg-source-XXXXXX", self[64], other[64], line[256];
	struct rig r;
	assert_non_null(mkdtemp(dir));
	snprintf(self, sizeof self, "%s/self", dir);
	snprintf(other, sizeof other, "%s/other", dir);
	snprintf(line, sizeof line, "echo x\nsource %s\nsource %s\n", self, self);
	write_commands(self, line);
	write_commands(other, "echo other\\n\n");
	rig_vecadd(&r);
	r.d->report.keep_going = true;
	snprintf(line, sizeof line, "source %s\nsource %s\nsource %s\n", self, other, other);
	debugger_queue_text(r.d, line, "batch", LINE_ALONE);
	rig_say(&r, "echo");
	assert_int_equal(times(strbuf_str(&r.out), "does the file source itself?"), 1);
	assert_int_equal(times(strbuf_str(&r.out), "error"), 1);
	assert_int_equal(times(strbuf_str(&r.out), "other"), 2);
	struct strbuf many = STRBUF_INIT;
	for (u32 i = 0; i < 1500; i++)
		strbuf_addf(&many, "source %s\n", other);
	write_commands(self, strbuf_str(&many));
	snprintf(line, sizeof line, "source %s", self);
	assert_int_equal(times(rig_say(&r, line), "other\n"), 1500);
	strbuf_release(&many);
	unlink(self);
	unlink(other);
	rmdir(dir);
	rig_close(&r);
}

/* --- words that mean nothing --- */
static void numbers_and_keys(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_fails(&r, "until -3", "until -3: a cycle is a number from 0 on");
	rig_fails(&r, "until +5", "a cycle is a number");
	assert_int_equal(sim_cycle(r.s->sim), 0);
	rig_has(&r, "until -3 < 0", "-3 < 0 holds"); /* an expression all the same */
	rig_fails(&r, "print gpu.conf['nosuch']", "gpu.conf has no 'nosuch'");
	rig_fails(&r, "print gpu.conf['l1d.way']", "did you mean 'l1d.ways'?");
	rig_has(&r, "print gpu.conf['l1d.ways']", "4");
	rig_fails(&r, "alias 3 = echo", "'3' is no name");
	rig_fails(&r, "alias 3x = echo", "begin with a letter");
	rig_fails(&r, "alias - = echo", "begin with a letter");
	rig_say(&r, "alias say3 = echo");
	rig_has(&r, "say3 hello", "hello");
	rig_close(&r);
}

static void bookmarks_out_of_history(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "until 100");
	rig_say(&r, "bookmark early");
	rig_say(&r, "until 1500");
	rig_say(&r, "bookmark late");
	assert_null(strstr(rig_say(&r, "info bookmarks"), "not in the history"));
	rig_say(&r, "goto 1000");
	rig_say(&r, "set warp-sched lrr");
	const char *said = rig_say(&r, "info bookmarks"), *late = strstr(said, "late");
	assert_non_null(late);
	assert_non_null(strstr(late, "cycle 1500 (not in the history)"));
	assert_int_equal(times(said, "not in the history"), 1);
	rig_fails(&r, "goto late", "cycle 1500 is not in the history any more");
	rig_close(&r);
}

/* Every event that only an option brings says so; others, and those of a machine that has the option, do not. */
static void events_without_their_option(void **state)
{
	static const char *const events[][2] = {
	    {"sched-promote", "tl-rr"}, {"sched-demote", "tl-gto"}, {"elf-recalc", "elf++"},
	    {"ccws-throttle", "ccws"},  {"mascar-mode", "mascar"},  {"sca-group", "sca"},
	    {"replay-enter", NULL},     {"replay-leave", NULL},     {"cta-nonidempotent", NULL}};
	struct rig r;
	char line[64], note[64];
	rig_vecadd(&r);
	for (u32 i = 0; i < ARRAY_LEN(events); i++) {
		snprintf(line, sizeof line, i % 2 ? "tbreak %s" : "break %s", events[i][0]);
		snprintf(note, sizeof note, "This machine has no %s events", events[i][0]);
		rig_has(&r, line, note);
		if (!events[i][1])
			continue;
		char set[64];
		snprintf(set, sizeof set, "set warp-sched %s", events[i][1]);
		rig_say(&r, set);
		assert_null(strstr(rig_say(&r, line), "This machine has no"));
		rig_say(&r, "set warp-sched gto");
	}
	assert_null(strstr(rig_say(&r, "break cta-done"), "This machine has no"));
	rig_close(&r);
	char *argv[] = {"warpdbg", "debug",          "vecadd", "--size", "small", "--set", "idempotence.track=true",
	                "--set",   "lsu.replay=car", NULL};
	rig_open(&r, argv);
	assert_null(strstr(rig_say(&r, "break cta-nonidempotent"), "This machine has no"));
	assert_null(strstr(rig_say(&r, "break replay-leave"), "This machine has no"));
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
	    cmocka_unit_test(mistaken_set),
	    cmocka_unit_test(undone_changes),
	    cmocka_unit_test(reason_is_of_here),
	    cmocka_unit_test(search_logs_nothing),
	    cmocka_unit_test(things_not_there),
	    cmocka_unit_test(width_of_help),
	    cmocka_unit_test(sourcing_oneself),
	    cmocka_unit_test(numbers_and_keys),
	    cmocka_unit_test(bookmarks_out_of_history),
	    cmocka_unit_test(events_without_their_option),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
