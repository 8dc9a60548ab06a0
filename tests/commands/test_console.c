/* The console: finding commands, breakpoints and their filters, running, errors that change nothing, and a line fuzzer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/rng.h"
#include "tests/rig/debug_rig.h"
#include "dbg/locate.h"
#include "dbg/debugger.h"
#include "obs/name/names.h"

static void abbreviations(void **state)
{
	static const char *const pairs[][2] = {{"s", "step"},         {"n", "next"},  {"fin", "finish"}, {"u", "until"},
	                                       {"c", "continue"},     {"b", "break"}, {"tb", "tbreak"},  {"d", "delete"},
	                                       {"i", "info"},         {"p", "print"}, {"x", "x"},        {"l", "list"},
	                                       {"q", "quit"},         {"r", "run"},   {"h", "help"},     {"cuda", "focus"},
	                                       {"undi", "undisplay"}, {"wh", "why"},  {"fo", "focus"}};
	struct err e = {0};
	for (u32 i = 0; i < ARRAY_LEN(pairs); i++) {
		const struct command *c = command_find(pairs[i][0], &e);
		assert_non_null(c);
		assert_string_equal(c->name, pairs[i][1]);
	}
}

static void every_command_is_reachable(void **state)
{
	struct err e = {0};
	for (u32 i = 0; i < ncommands; i++)
		assert_ptr_equal(command_find(commands[i].name, &e), &commands[i]);
	for (u32 i = 0; i < ninfo_topics; i++)
		assert_ptr_equal(info_find(info_topics[i].name, &e), &info_topics[i]);
}

static void ambiguities_name_the_candidates(void **state)
{
	struct err e = {0};
	assert_null(command_find("co", &e));
	assert_non_null(strstr(e.msg, "ambiguous"));
	assert_non_null(strstr(e.msg, "condition"));
	assert_non_null(strstr(e.msg, "continue"));
	err_clear(&e);
	assert_null(command_find("brek", &e));
	assert_non_null(strstr(e.msg, "did you mean 'break'"));
}

static void filters(void **state)
{
	struct event_filter f;
	struct err e = {0};
	struct event ev = {.type = EV_L1_MISS, .sm = 3, .warp = 2, .cta = 7, .kernel = 0, .arg = {128, 5, 0, 0}};
	event_filter_any(&f);
	assert_true(event_filter_match(&f, NULL, &ev));
	assert_true(event_filter_add(&f, EV_L1_MISS, "sm", "3", &e));
	assert_true(event_filter_add(&f, EV_L1_MISS, "addr", "0x80", &e));
	assert_true(event_filter_match(&f, NULL, &ev));
	ev.arg[0] = 129;
	assert_false(event_filter_match(&f, NULL, &ev));
	ev.arg[0] = 128;
	ev.sm = 4;
	assert_false(event_filter_match(&f, NULL, &ev));
	assert_false(event_filter_add(&f, EV_L1_MISS, "row", "1", &e));
	assert_non_null(strstr(e.msg, "addr"));
	err_clear(&e);
	assert_false(event_filter_add(&f, EV_L1_MISS, "sm", "-1", &e));
	err_clear(&e);
	assert_false(event_filter_add(&f, EV_L1_MISS, "warp", "99999999999999999999", &e));
}

static void event_breakpoints(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_has(&r, "break cta_dispatch sm=1 cta=16", "Breakpoint 1: cta-dispatch sm=1 cta=16");
	rig_has(&r, "c", "Breakpoint 1, cta-dispatch: SM 1, CTA 16 of vecadd (slot 1, warps 8-15)");
	assert_int_equal(r.d->focus.sm, 1);
	assert_int_equal(r.d->focus.warp, 8);
	assert_int_equal(r.d->focus.cta, 16);
	rig_has(&r, "c", "finished");
	rig_has(&r, "info breakpoints", "1 hit");
	rig_fails(&r, "c", "`run` starts it again");
	rig_say(&r, "ignore 1 1");
	rig_has(&r, "run", "finished");
	rig_has(&r, "delete 1", "");
	rig_has(&r, "info breakpoints", "No breakpoints");
	rig_close(&r);
}

/* A code breakpoint stops before its instruction, at the first warp that gets there. */
static void code_breakpoints(void **state)
{
	struct rig r;
	struct warp_info w;
	rig_vecadd(&r);
	rig_has(&r, "tbreak vecadd:50 sm=2", "vecadd.ptx:50");
	rig_has(&r, "c", "Temporary breakpoint 1, vecadd:50 at vecadd.ptx:50: SM 2");
	gpu_warp_info(sim_gpu(r.s->sim), 2, r.d->focus.warp, &w);
	assert_int_equal(focus_module(r.d)->code[w.pc].line, 50);
	rig_has(&r, "info breakpoints", "No breakpoints");
	rig_has(&r, "break vecadd", "(pc 0)");
	rig_fails(&r, "break vecadd:99999", "no code");
	rig_fails(&r, "break pc 99999", "instructions 0..");
	rig_fails(&r, "break vecad", "did you mean 'vecadd'");
	rig_fails(&r, "break cta-done sm=15", "0..14");
	rig_fails(&r, "break warp-exit warp=48", "0..47");
	rig_fails(&r, "break cycle 1", "has passed");
	rig_fails(&r, "break cta-done if )(", "unexpected symbol");
	rig_close(&r);
}

static void conditions(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "break cta-done if e.cta == 5");
	rig_has(&r, "c", "CTA 5 of vecadd");
	rig_say(&r, "delete");
	rig_say(&r, "break cta-done if e.nothing.more");
	rig_has(&r, "c", "the condition of breakpoint 2 failed");
	rig_close(&r);
}

static void watch_cycles_steps(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "step 10");
	assert_int_equal(sim_cycle(r.s->sim), 10);
	rig_say(&r, "");
	assert_int_equal(sim_cycle(r.s->sim), 20);
	rig_say(&r, "break cycle 25");
	rig_has(&r, "c", "Breakpoint 1, cycle 25");
	assert_int_equal(sim_cycle(r.s->sim), 25);
	rig_say(&r, "watch gpu.sm[3].l1d.misses");
	rig_has(&r, "c", "gpu.sm[3].l1d.misses: 0 -> 1");
	u64 at = sim_cycle(r.s->sim);
	rig_say(&r, "run"); /* twice the same, stopped by breakpoint 1 first */
	rig_say(&r, "c");
	assert_int_equal(sim_cycle(r.s->sim), at);
	rig_say(&r, "delete");
	rig_say(&r, "watch gpu.sm[0].warp[0].state");
	rig_say(&r, "until gpu.cycle >= 800");
	rig_fails(&r, "watch gpu.sm[99].issued", "99");
	rig_fails(&r, "until 5", "passed");
	rig_fails(&r, "step 0", "at least 1");
	rig_fails(&r, "step x", "not a number");
	rig_close(&r);
}

static void next_and_finish(void **state)
{
	struct rig r;
	struct warp_info a, b;
	rig_vecadd(&r);
	rig_fails(&r, "finish", "empty");
	rig_say(&r, "step 5");
	gpu_warp_info(sim_gpu(r.s->sim), 0, 0, &a);
	rig_say(&r, "next");
	gpu_warp_info(sim_gpu(r.s->sim), 0, 0, &b);
	assert_true(b.insts > a.insts);
	assert_true(b.issued_last);
	rig_has(&r, "finish", "CTA 0 is done after");
	rig_close(&r);
}

static void commands_of_breakpoints(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "break cta-done");
	rig_say(&r, "commands");
	assert_string_equal(debugger_prompt(r.d), "> ");
	rig_say(&r, "echo seen\\n");
	rig_say(&r, "continue");
	rig_say(&r, "end");
	const char *p = rig_say(&r, "continue");
	u32 seen = 0;
	for (; (p = strstr(p, "seen")); p++)
		seen++;
	assert_in_range(seen, 2, 64);
	assert_int_equal(r.d->run.state, DBG_FINISHED);
	rig_close(&r);
}

static void focus_and_tables(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "step 400");
	rig_has(&r, "focus sm 2 warp 3 lane 4", "SM 2 warp 3");
	rig_has(&r, "cuda cta 16 warp 1", "CTA 16");
	assert_int_equal(r.d->focus.warp, 9);
	rig_fails(&r, "focus sm 15", "0..14");
	rig_fails(&r, "focus lane 32", "0..31");
	rig_fails(&r, "focus cta 999999", "no resident warp");
	rig_fails(&r, "focus kernel 7", "7");
	for (u32 i = 0; i < ninfo_topics; i++) {
		char line[64];
		snprintf(line, sizeof(line), "info %s", info_topics[i].name);
		assert_true(strlen(rig_say(&r, line)) > 0);
	}
	rig_has(&r, "x/2f vecadd_param_1", "1  1");
	rig_has(&r, "p/x 255", "0xff");
	rig_has(&r, "p gpu.sm[0].warp[0].state", "");
	rig_fails(&r, "x/4xw 0", "0x0");
	rig_fails(&r, "x/zz 1", "'z'");
	rig_has(&r, "list vecadd", "vecadd(");
	rig_has(&r, "why", "SM ");
	rig_has(&r, "why machine", "warps resident");
	rig_has(&r, "explain l1d.misses", "misses");
	rig_fails(&r, "set num_sms 3", "num_sms");
	rig_fails(&r, "set taxonomy nope", "lee2014");
	rig_say(&r, "set taxonomy elf");
	rig_has(&r, "info stalls", "taxonomy elf");
	rig_close(&r);
}

/* Slots by reason add up to schedulers x SMs x cycles in every taxonomy, at any stop. */
static void stalls_add_up(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "step 333");
	u64 base[ST_COUNT], sum = 0;
	gpu_stalls_sum(sim_gpu(r.s->sim), -1, base);
	for (u32 i = 0; i < ST_COUNT; i++)
		sum += base[i];
	assert_int_equal(sum, 333ull * 15 * 2);
	rig_close(&r);
}

static u64 end_hash(const char *const *lines, u32 n)
{
	struct rig r;
	rig_vecadd(&r);
	for (u32 i = 0; i < n; i++)
		rig_say(&r, lines[i]);
	rig_say(&r, "delete");
	if (r.d->run.state != DBG_FINISHED)
		rig_say(&r, "c");
	u64 h = sim_hash(r.s->sim);
	rig_close(&r);
	return h;
}

static void looking_changes_nothing(void **state)
{
	static const char *const busy[] = {"break issue sm=1 if e.pc == 9",
	                                   "watch gpu.l1d.misses",
	                                   "c",
	                                   "info warps",
	                                   "info registers",
	                                   "step 100",
	                                   "why machine",
	                                   "lua dbg.on('stall', function(e) n = (n or 0) + 1 end)"};
	assert_true(end_hash(NULL, 0) == end_hash(busy, ARRAY_LEN(busy)));
}

static void completion(void **state)
{
	static const char *const wanted[][2] = {{"bre", "break"},
	                                        {"break cta-di", "cta-dispatch"},
	                                        {"break vec", "vecadd"},
	                                        {"break l1-miss a", "addr="},
	                                        {"print gpu.l1d.mis", "gpu.l1d.misses"},
	                                        {"p dbg.st", "dbg.step"},
	                                        {"info pol", "policies"},
	                                        {"set warp-sched g", "gto"},
	                                        {"explain l1d.mis", "l1d.misses"},
	                                        {"inspect l1_", "l1_thrash"},
	                                        {"p %r", "%r1"},
	                                        {"p gpu.sm[3].l1d.acc", "gpu.sm[3].l1d.accesses"}};
	struct rig r;
	rig_vecadd(&r);
	for (u32 i = 0; i < ARRAY_LEN(wanted); i++) {
		u32 start;
		char **list = debugger_complete(r.d, wanted[i][0], (u32)strlen(wanted[i][0]), &start);
		bool found = false;
		for (u32 k = 0; list && list[k]; k++)
			found |= !strcmp(list[k], wanted[i][1]);
		debugger_free_matches(list);
		if (!found)
			fail_msg("%s: %s is not offered", wanted[i][0], wanted[i][1]);
	}
	rig_close(&r);
}

/* --- random lines: an answer or an error with a message, never a crash or a hang ---------------------------------- */

static const char *const pieces[] = {"break",
                                     "tbreak",
                                     "watch",
                                     "delete",
                                     "step",
                                     "next",
                                     "finish",
                                     "until",
                                     "continue",
                                     "focus",
                                     "info",
                                     "print",
                                     "display",
                                     "x",
                                     "list",
                                     "why",
                                     "set",
                                     "explain",
                                     "help",
                                     "commands",
                                     "end",
                                     "ignore",
                                     "condition",
                                     "enable",
                                     "disable",
                                     "undisplay",
                                     "lua",
                                     "echo",
                                     "source",
                                     "sms",
                                     "ctas",
                                     "warps",
                                     "registers",
                                     "stack",
                                     "mshrs",
                                     "queues",
                                     "stalls",
                                     "line",
                                     "barriers",
                                     "allocation",
                                     "cta-done",
                                     "issue",
                                     "l1-miss",
                                     "vecadd",
                                     "vecadd:40",
                                     "vecadd.ptx:30",
                                     "pc",
                                     "cycle",
                                     "sm=1",
                                     "warp=2",
                                     "cta=3",
                                     "kernel=vecadd",
                                     "kernel=0",
                                     "addr=0x10",
                                     "if",
                                     "e.sm==1",
                                     "true",
                                     "gpu.cycle",
                                     "gpu.sm[1].issued",
                                     "gpu.sm[",
                                     "gpu.l1d.misses",
                                     "gpu.sm[0].warp[0].pc",
                                     "%r1",
                                     "%f2",
                                     "%",
                                     "0",
                                     "1",
                                     "5",
                                     "20",
                                     "-1",
                                     "0x100000400",
                                     "99999999999999999999",
                                     "shared:0",
                                     "shared:4096",
                                     "/4xw",
                                     "/s",
                                     "/zz",
                                     "/0x",
                                     "1-3",
                                     "machine",
                                     "warp",
                                     "sm",
                                     "cta",
                                     "lane",
                                     "taxonomy",
                                     "elf",
                                     "log",
                                     "none",
                                     "warp-sched",
                                     "gto",
                                     "lrr",
                                     "var",
                                     "a=1",
                                     "==",
                                     "\"",
                                     "'",
                                     "\\",
                                     "(",
                                     ")",
                                     "{}",
                                     "nil",
                                     "#",
                                     "=",
                                     ":",
                                     ",",
                                     "10,20",
                                     "\x01",
                                     "\xff\xfe",
                                     "all",
                                     "display",
                                     "error('x')",
                                     "dbg.step(3)",
                                     "dbg.on('cta-done',print)"};

#define FIRST_ARGUMENT 29 /* the pieces in front are commands */

static void random_line(u64 *rng, char *line, size_t size)
{
	u32 n = 1 + (u32)(rng_next(rng) % 4);
	line[0] = 0;
	for (u32 i = 0; i < n; i++) {
		bool command = !i && rng_next(rng) % 8;
		const char *p = pieces[rng_next(rng) % (command ? FIRST_ARGUMENT : ARRAY_LEN(pieces))];
		size_t at = strlen(line);
		snprintf(line + at, size - at, "%s%s", i && rng_next(rng) % 8 ? " " : "", p);
	}
	if (rng_next(rng) % 10 == 0 && *line)
		line[rng_next(rng) % strlen(line)] = (char)(1 + rng_next(rng) % 255);
}

static void random_lines(void **state)
{
	u64 rng = 20261120;
	u32 accepted = 0, refused = 0;
	const char *rounds = getenv("FUZZ_LINES");
	u32 lines = rounds ? (u32)strtoul(rounds, NULL, 10) : 3000;
	struct rig r;
	rig_vecadd(&r);
	for (u32 i = 0; i < lines; i++) {
		char line[400];
		random_line(&rng, line, sizeof(line));
		if (r.d->shell->collect.kind != COLLECT_NONE && rng_next(&rng) % 4 == 0)
			snprintf(line, sizeof(line),
			         r.d->shell->collect.kind == COLLECT_LUA ? "" : "end"); /* or it would swallow all the rest */
		if (r.d->run.rest != DBG_STOPPED) { /* finished: start over, with what is set kept */
			rig_try(&r, "end");
			rig_try(&r, "delete");
			rig_try(&r, "tbreak cta-dispatch");
			rig_try(&r, "run");
		}
		if (getenv("FUZZ_SHOW"))
			fprintf(stderr, "%s\n", line);
		bool ok = rig_try(&r, line);
		assert_true(ok || r.e.set);
		ok ? accepted++ : refused++;
		u32 start;
		debugger_free_matches(debugger_complete(r.d, line, (u32)(rng_next(&rng) % (strlen(line) + 1)), &start));
	}
	if (accepted < lines / 10 || refused < lines / 10)
		fail_msg("%u accepted, %u refused: the lines do not exercise both", accepted, refused);
	rig_close(&r);
}

/* What users of gdb type without thinking. */
static void habits_of_gdb(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "step 300");
	rig_has(&r, "bt", "#0  mask ffffffff");
	rig_has(&r, "i s", "#0  mask ffffffff");
	rig_has(&r, "i b", "No breakpoints");
	rig_fails(&r, "p $sp", "of $ names there are $bpnum and");
	rig_fails(&r, "frame 1", "unknown command 'frame'; a warp has one place");
	rig_has(&r, "help dbg.on", "dbg.on(event");
	assert_null(strstr(strbuf_str(&r.out), "dbg.off(id)"));
	rig_fails(&r, "help lua nothing", "nothing there is called 'nothing'");
	rig_close(&r);
}

/* `silent` as the first line of a breakpoint's commands: the stop is not reported, the commands are executed. */
static void silent_breakpoints(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "break cta-done");
	rig_say(&r, "commands 1");
	rig_say(&r, "silent");
	rig_say(&r, "echo only this\\n");
	rig_say(&r, "end");
	rig_say(&r, "c");
	assert_string_equal(strbuf_str(&r.out), "only this\n");
	assert_non_null(strstr(r.d->run.stop_reason, "cta-done")); /* the status line and the log know it all the same */
	rig_close(&r);
}

/* An interrupt that came while nothing ran is not meant for the next run; one in multi-line input ends that. */
static void interrupts_do_not_linger(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	debugger_interrupt(r.d);
	rig_say(&r, "step 100");
	assert_int_equal(sim_cycle(r.s->sim), 100);
	rig_say(&r, "until 200");
	sim_interrupt(r.s->sim); /* between two slices */
	debugger_clear_interrupt(r.d);
	rig_say(&r, "step 100");
	assert_int_equal(sim_cycle(r.s->sim), 300);
	rig_say(&r, "break cta-done");
	rig_say(&r, "commands");
	assert_true(debugger_drop_collect(r.d));
	assert_string_equal(debugger_prompt(r.d), "(wd) ");
	assert_false(debugger_drop_collect(r.d));
	rig_close(&r);
}

/* On a small screen a place is one line that fits. */
static void brief_places(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	for (u32 columns = 20; columns <= 120; columns += 50) {
		r.d->report.brief = columns;
		const char *said = rig_say(&r, "step 20");
		assert_int_equal(strcspn(said, "\n") + 1, strlen(said));
		assert_in_range(strlen(said), 10, columns + 1);
	}
	assert_null(strstr(strbuf_str(&r.out), "...")); /* 120 columns are enough for all of it */
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(abbreviations),
	    cmocka_unit_test(every_command_is_reachable),
	    cmocka_unit_test(ambiguities_name_the_candidates),
	    cmocka_unit_test(filters),
	    cmocka_unit_test(event_breakpoints),
	    cmocka_unit_test(code_breakpoints),
	    cmocka_unit_test(conditions),
	    cmocka_unit_test(watch_cycles_steps),
	    cmocka_unit_test(next_and_finish),
	    cmocka_unit_test(commands_of_breakpoints),
	    cmocka_unit_test(focus_and_tables),
	    cmocka_unit_test(stalls_add_up),
	    cmocka_unit_test(looking_changes_nothing),
	    cmocka_unit_test(completion),
	    cmocka_unit_test(habits_of_gdb),
	    cmocka_unit_test(silent_breakpoints),
	    cmocka_unit_test(interrupts_do_not_linger),
	    cmocka_unit_test(brief_places),
	    cmocka_unit_test(random_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
