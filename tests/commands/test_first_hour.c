/* What a new user types in the first hour and expects to work: breakpoints kept in a file, `goto` to a cycle to come,
 * CUDA's names, the focus on a warp that is there, lines copied with their prompt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "session/host/param_list.h"

/* The numbers of breakpoints at the beginning of lines are others when they are set again. */
static char *unnumbered(const char *table)
{
	struct strbuf out = STRBUF_INIT;
	for (const char *p = table; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		const char *text = p + strspn(p, "0123456789");
		text += text > p ? strspn(text, " ") : 0;
		strbuf_addf(&out, "%.*s\n", (int)strcspn(text, "\n"), text);
	}
	return out.buf;
}

static void breakpoints_are_kept(void **state)
{
	struct rig r;
	char line[200], dir[] = "/tmp/first_hourXXXXXX";
	static const char *const lines[] = {"break cta-done sm=1 count=2 if e.cta > 0",
	                                    "commands",
	                                    "  silent",
	                                    "  print 40 + 2",
	                                    "end",
	                                    "tbreak vecadd:30 sm=2",
	                                    "break stat gpu.sm[3].l1d.hit_rate < 10% over 500",
	                                    "condition 3 gpu.ipc > 0",
	                                    "ignore 1 3",
	                                    "watch gpu.sm[3].l1d.misses count=3",
	                                    "break becomes memory sm=1 kernel=vecadd",
	                                    "disable 2 3",
	                                    "break divergence --warp-sched lrr",
	                                    "condition 6 gpu.cycle > 5",
	                                    "watch mem 0x100000000 16 cta=2",
	                                    "break warp-stall state=b"};
	assert_non_null(mkdtemp(dir));
	rig_vecadd(&r);
	snprintf(line, sizeof line, "save breakpoints %s/b", dir);
	rig_fails(&r, line, "there is none");
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		rig_say(&r, lines[i]);
	char *was = unnumbered(rig_say(&r, "info breakpoints"));
	rig_say(&r, "step 60");
	rig_say(&r, "watch %rd1");
	rig_say(&r, "break cycle 70");
	rig_say(&r, "break cycle 5000");
	rig_has(&r, line, "is left out: it goes with the warp or CTA");
	rig_has(&r, line, "10 breakpoints saved"); /* once more, over the first */
	rig_say(&r, "step 40");
	rig_say(&r, "delete");
	snprintf(line, sizeof line, "source %s/b", dir);
	rig_has(&r, line, "cycle 70: that cycle has passed"); /* behind all others */
	rig_has(&r, "info breakpoints", "cycle 5000");
	rig_say(&r, "disable $bpnum");
	rig_has(&r, "info breakpoints", "off  cycle 5000");
	rig_say(&r, "delete $bpnum");
	char *is = unnumbered(rig_say(&r, "info breakpoints"));
	char *now = strstr(is, "(now "), *then = strstr(was, "(now "); /* what it watches is behind these */
	assert_non_null(now);
	assert_memory_equal(is, was, (size_t)(then - was));
	assert_string_equal(strstr(is, "warp-stall state=barrier"), strstr(was, "warp-stall state=barrier"));
	rig_fails(&r, "save", "save breakpoints FILE");
	rig_fails(&r, "save breakpoints", "a file is expected");
	rig_fails(&r, "save breakpoints /nonexistent/b", "/nonexistent/b: ");
	rig_say(&r, "delete");
	rig_fails(&r, "disable $bpnum", "is not a number");
	free(was);
	free(is);
	snprintf(line, sizeof line, "%s/b", dir);
	unlink(line);
	rmdir(dir);
	rig_close(&r);
}

/* Behind the farthest cycle `goto` runs, breakpoints stop it there, and one `undo` takes it back. */
static void goto_what_comes(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_has(&r, "goto 300", "Cycle 300 has not been simulated yet: running there from 0");
	assert_int_equal(sim_cycle(r.s->sim), 300);
	rig_say(&r, "goto 100");
	rig_say(&r, "break cycle 200"); /* known: passed over */
	rig_say(&r, "break cycle 350");
	rig_has(&r, "goto 400", "Breakpoint 2, cycle 350");
	assert_int_equal(sim_cycle(r.s->sim), 350);
	rig_say(&r, "undo");
	assert_int_equal(sim_cycle(r.s->sim), 100);
	rig_has(&r, "goto 99999999", "The program has finished at cycle");
	rig_fails(&r, "goto 99999999", "the program has finished at");
	rig_close(&r);
}

static void names_of_cuda(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "step 60");
	rig_say(&r, "focus sm 1 warp 2 lane 5");
	rig_has(&r, "print threadIdx.x", "69");
	rig_has(&r, "p/x threadIdx.x", "0x45");
	rig_has(&r, "print blockDim.x", "256");
	rig_has(&r, "print gridDim.x", "64");
	rig_has(&r, "display blockIdx.x", "1: blockIdx.x = 1");
	rig_fails(&r, "print threadIdx", "`print threadIdx.x`");
	rig_fails(&r, "watch foo", "there is no variable, buffer or symbol 'foo'");
	rig_fails(&r, "twatch foo", "'foo'");
	rig_say(&r, "set var foo = 1");
	rig_has(&r, "watch foo", "Watchpoint 1: foo (now 1)");
	rig_close(&r);
}

static void copied_with_the_prompt(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "(wd) step 5");
	rig_say(&r, " \t (wd)   (wd) step 6  ");
	assert_int_equal(sim_cycle(r.s->sim), 11);
	rig_say(&r, "(wd)"); /* an empty line: the step again */
	assert_int_equal(sim_cycle(r.s->sim), 17);
	rig_close(&r);
}

/* A CTA is done: nothing is left where the focus was. It goes to a warp that is there, and `next` works. A slot that
 * was chosen empty stays, so does the warp that an event is about. */
static void focus_on_a_warp_that_is_there(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "tbreak cta-done sm=1");
	rig_has(&r, "continue", "the focus goes to SM 1 warp ");
	assert_true(r.d->focus.cta_slot >= 0);
	assert_int_equal(r.d->focus.sm, 1);
	rig_has(&r, "next", "SM 1 warp ");
	rig_say(&r, "tbreak warp-exit sm=2");
	rig_say(&r, "continue");
	assert_int_equal(r.d->focus.sm, 2);
	rig_say(&r, "focus sm 3 warp 47");
	rig_has(&r, "step", "SM 3 warp 47: empty");
	rig_say(&r, "tbreak kernel-done");
	rig_say(&r, "continue"); /* nobody is left anywhere */
	rig_has(&r, "info focus", "empty");
	rig_close(&r);
}

/* Continues, and is interrupted behind a cycle. */
static const char *interrupted_behind(struct rig *r, u64 cycle)
{
	struct err e = {0};
	strbuf_clear(&r->out);
	assert_true(debugger_execute(r->d, "continue", &r->out, &e));
	while (debugger_running(r->d)) {
		debugger_run_slice(r->d, 50, &r->out);
		if (sim_cycle(r->s->sim) > cycle)
			debugger_interrupt(r->d);
	}
	assert_non_null(strstr(strbuf_str(&r->out), "Interrupted."));
	return strbuf_str(&r->out);
}

/* Ctrl-C leaves the focus on a warp that goes on, wherever it was; and `next` works from the first cycle on. */
static void next_always_has_a_warp(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_has(&r, "next", "SM 0 warp 0, CTA 0"); /* nobody is there yet: the first that issues */
	const u64 first = sim_cycle(r.s->sim);
	assert_true(first > 0);
	rig_say(&r, "focus sm 3 warp 47");
	rig_fails(&r, "next", "SM 3 warp 47 is empty"); /* chosen so */
	rig_fails(&r, "finish", "SM 3 warp 47 is empty");
	assert_non_null(strstr(interrupted_behind(&r, sim_cycle(r.s->sim) + 40),
	                       "SM 3 warp 47 is empty; the focus goes to SM 3 warp "));
	rig_has(&r, "next", "SM 3 warp ");
	for (int stopped = 0; stopped < 2; stopped++) {
		char gone[60];
		rig_say(&r, "tbreak warp-exit sm=2");
		rig_has(&r, "continue", "done");
		snprintf(gone, sizeof gone, "SM 2 warp %u has exited; the focus goes to SM ", r.d->focus.warp);
		if (stopped)
			assert_non_null(strstr(interrupted_behind(&r, sim_cycle(r.s->sim)), "; the focus goes to SM "));
		else
			rig_has(&r, "next", gone);
		rig_has(&r, "next", "SM ");
	}
	rig_say(&r, "goto 0"); /* before all */
	rig_has(&r, "next", "SM 0 warp 0, CTA 0");
	assert_int_equal(sim_cycle(r.s->sim), first);
	rig_say(&r, "continue");
	rig_close(&r);
}

static void parameters_are_listed(void **state)
{
	struct param p[30];
	struct func f = {.nparams = 3, .params = p};
	char list[PARAM_LIST_MAX];
	p[0] = (struct param){.name = "x", .type = T_U64, .size = 8};
	p[1] = (struct param){.name = "_Z1fPf_param_1", .type = T_F32, .size = 4};
	p[2] = (struct param){.name = "s", .type = T_B8, .size = 24};
	assert_string_equal(param_list(&f, list), " (u64 x, f32, b8[24 bytes] s)");
	f.nparams = 0;
	assert_string_equal(param_list(&f, list), "");
	f.nparams = ARRAY_LEN(p);
	for (size_t i = 0; i < ARRAY_LEN(p); i++)
		p[i] = (struct param){.name = "a_name_of_some_length", .type = T_U64, .size = 8};
	assert_int_equal(strlen(param_list(&f, list)), PARAM_LIST_MAX - 1);
	assert_string_equal(list + PARAM_LIST_MAX - 5, "...)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(breakpoints_are_kept),
	    cmocka_unit_test(goto_what_comes),
	    cmocka_unit_test(names_of_cuda),
	    cmocka_unit_test(copied_with_the_prompt),
	    cmocka_unit_test(focus_on_a_warp_that_is_there),
	    cmocka_unit_test(next_always_has_a_warp),
	    cmocka_unit_test(parameters_are_listed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
