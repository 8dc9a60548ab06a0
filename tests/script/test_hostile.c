/* Scripts that mean harm, or do it: loops that no budget should let go on, objects as errors, files without --allow-io,
 * subscriptions out of subscriptions; and that filters are what they say. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "tests/rig/rounds.h"
#include "views/frame.h"
#include "views/offscreen.h"

/* What never ends without a bound ends the test: seconds of processor time, for the host may be busy. */
#define PATIENCE 120

static void set_patience(int seconds)
{
	const struct itimerval t = {.it_value = {.tv_sec = seconds}};
	setitimer(ITIMER_PROF, &t, NULL);
}

static int begin(void **state)
{
	set_patience(PATIENCE);
	return 0;
}

static int end(void **state)
{
	set_patience(0);
	return 0;
}

static void subscribing_in_callbacks(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	/* What a callback subscribes to it hears from the next event on, and there is an end to it. */
	rig_say(&r, "lua n = 0; function f(e) n = n + 1; dbg.on('issue', f) end; dbg.on('issue', f)");
	rig_has(&r, "step 600", "there are 1000 subscriptions already");
	rig_say(&r, "run");
	rig_close(&r);
	/* One that ends itself and begins another leaves nothing behind, however often. */
	rig_vecadd(&r);
	rig_say(&r,
	        "lua n = 0; function f(e) n = n + 1; dbg.off(id); id = dbg.on('issue', f) end; id = dbg.on('issue', f)");
	rig_say(&r, "step 3000");
	rig_has(&r, "p n > 2000", "true");
	rig_say(&r, "lua dbg.off(id)");
	rig_fails(&r, "lua dbg.off(id)", "no subscription");
	rig_close(&r);
}

static void travelling(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "lua dbg.step(700); c = dbg.snapshot(); h = gpu.hash; dbg.step(300)");
	rig_has(&r, "lua dbg.goto_cycle(c) print(gpu.cycle, gpu.hash == h, dbg.snapshot())", "700\ttrue\t700");
	rig_say(&r, "lua dbg.goto_cycle(3)");
	rig_say(&r, "undo");
	rig_has(&r, "p gpu.cycle, gpu.hash == h", "700");
	rig_has(&r, "lua dbg.goto_cycle(5000)", "finished at cycle 1911");
	rig_say(&r, "undo");
	rig_has(&r, "p gpu.cycle, gpu.hash == h", "700");
	rig_fails(&r, "lua dbg.goto_cycle(-1)", "a cycle is expected");
	rig_fails(&r, "lua coroutine.wrap(function() dbg.goto_cycle(1) end)()", "coroutine");
	rig_say(&r, "lua dbg.on('issue', function() dbg.goto_cycle(1) end) dbg.on('issue', function() dbg.snapshot() end)");
	rig_has(&r, "continue", "dbg.goto_cycle: callbacks and conditions may look");
	rig_close(&r);
}

static void endless(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	/* A pcall that catches the used-up budget does not get another one. */
	rig_say(&r, "lua dbg.on('issue', function() while true do pcall(function() while true do end end) end end)");
	rig_has(&r, "step 600", "used up its budget");
	rig_say(&r, "step 100");
	rig_has(&r, "lua local n = 0; for i = 1, 100000 do n = n + 1 end print(n)", "100000");
	/* Nor does what Lua calls while the error is on its way, and while no hook is called; nor instructions of
	 * coroutines of their own, nor few instructions that take long. */
#define ENDLESS "function() while true do end end"
#define CLOSES "local x <close> = setmetatable({}, {__close = " ENDLESS "}) "
	static const char *const ways[] = {
	    "xpcall(" ENDLESS ", " ENDLESS ")",
	    "xpcall(error, " ENDLESS ")",
	    "coroutine.wrap(function() xpcall(error, " ENDLESS ") end)()",
	    "coroutine.wrap(function() " CLOSES " while true do end end)()",
	    "local co = coroutine.create(function() " CLOSES " while true do end end) coroutine.resume(co) "
	    "coroutine.close(co)",
	    "local co = coroutine.create(function() " CLOSES " coroutine.yield() end) coroutine.resume(co) "
	    "pcall(coroutine.close, co)",
	    "while true do coroutine.wrap(function() for i = 1, 9000 do end end)() end",
	    "while true do pcall(string.rep, 'x', 1 << 26) end",
	    "local s = ('x'):rep(1 << 24) while true do utf8.len(s) end",
	    "local t = {} for i = 1, 3e5 do t[i] = i end while true do table.sort(t) end",
	    "local s = ('x'):rep(1 << 24) .. 'y' local t = {} for i = 1, 1e5 do t[i] = s end table.sort(t)",
	};
	char line[300];
	for (u32 i = 0; i < ARRAY_LEN(ways); i++) {
		snprintf(line, sizeof(line), "p (function() %s return 'on' end)()", ways[i]);
		rig_fails(&r, line, "used up its budget");
	}
	/* All else of both is as it was. */
	rig_has(&r, "lua print(xpcall(error, function(m) return m .. '!' end, 'e'))", "false\te!\n");
	rig_has(&r, "lua print(xpcall(error, function(m) error(m .. '!', 0) end, 'e'))", "false\te!\n");
	rig_has(&r, "lua print(xpcall(select, print, 2, 'a', 'b', nil))", "true\tb\tnil\n");
	rig_has(&r, "lua print(pcall(xpcall, print))", "function expected");
	rig_has(&r,
	        "lua local co = coroutine.wrap(function(a) local ok, b = xpcall(coroutine.yield, print, a + 1) "
	        "error('e' .. b, 0) end) print(co(1), pcall(co, 7)) print(pcall(co))",
	        "2\tfalse\te7\nfalse\tcannot resume dead coroutine\n");
	rig_has(&r,
	        "lua local co = coroutine.create(function(...) return select('#', ...), coroutine.running() end) "
	        "print(select(2, coroutine.resume(co, nil, nil)), coroutine.status(co), coroutine.close(co))",
	        "2\tdead\ttrue");
	/* Loops in C. */
	rig_has(&r, "lua print(#string.rep('', 1 << 62), ('ab'):rep(2, '-'))", "0\tab-ab");
	rig_fails(&r, "lua table.move({}, 1, 1 << 40, 2)", "too many elements");
	rig_fails(&r, "lua table.insert(setmetatable({}, {__len = function() return 1 << 60 end}), 1, 0)", "too many");
	rig_has(&r, "lua t = table.move({1, 2, 3}, 1, 3, 2) table.insert(t, 1, 0) print(table.unpack(t))", "0\t1\t1\t2\t3");
	/* Finalisers would run at the collector's will: in the middle of the machine's run, after its end. */
	rig_fails(&r, "lua setmetatable({}, {__gc = function() mem.write_u8(0, 1) end})", "__gc");
	rig_has(&r, "lua print(pcall(setmetatable, 1, {}))", "table expected");
	rig_close(&r);
}

/* A million calls deep, what is said of the error is said in bounded time: none counts them. Again: the second one
 * finds Lua's list of calls strewn over the memory. */
static void overflows(void **state)
{
	static const char *const lines[] = {
	    "lua function g() g() end g()",
	    "lua g()",
	    "lua local function f(x) return 1 + f(x) end f(1)",
	};
	struct rig r;
	rig_vecadd(&r);
	for (u32 i = 0; i < ARRAY_LEN(lines); i++) {
		rig_fails(&r, lines[i], "stack overflow");
		assert_null(strstr(r.e.msg, "skipping"));
		assert_non_null(strstr(r.e.msg, "(more than 200 levels)"));
	}
	/* The time that an expression gets may be over before the stack is. */
	rig_fails(&r, "p g()", "lua:1: ");
	if (!strstr(r.e.msg, "stack overflow") && !strstr(r.e.msg, "of processor time"))
		fail_msg("p g(): %s", r.e.msg);
	assert_null(strstr(r.e.msg, "skipping"));
	rig_fails(&r, "lua local function f(n) if n > 0 then f(n - 1) else error('at the bottom') end end f(30)",
	          "skipping"); /* the library's own */
	rig_fails(&r, "lua local function f(n) if n > 0 then f(n - 1) else error('at the bottom') end end f(190)",
	          "at the bottom");
	rig_close(&r);
}

static struct debugger *to_interrupt;

static void on_alarm(int sig)
{
	debugger_interrupt(to_interrupt);
}

/* Ctrl-C ends a script, whatever the script runs and catches. */
static void interrupted(void **state)
{
	static const char *const lines[] = {
	    "lua while true do pcall(dbg.execute, 'goto 0') end",
	    "lua while true do pcall(dbg.execute, 'goto 0') pcall(dbg.step, 50) end",
	    "lua while true do pcall(function() while true do pcall(dbg.goto_cycle, 0) pcall(dbg.continue) end end) end",
	    "lua xpcall(function() while true do end end, function() while true do end end)",
	    "lua while true do coroutine.wrap(function() local s = ('x'):rep(1 << 20) while true do s:upper() end end)() "
	    "end",
	    "lua local t = {} for i = 1, 1e6 do t[i] = ('x'):rep(i % 999) end while true do table.sort(t) end",
	};
	struct rig r;
	rig_vecadd(&r);
	to_interrupt = r.d;
	for (u32 i = 0; i < ARRAY_LEN(lines); i++) {
		struct sigaction a = {.sa_handler = on_alarm}, old;
		struct itimerval soon = {.it_value = {.tv_usec = 200000}};
		sigaction(SIGVTALRM, &a, &old);
		setitimer(ITIMER_VIRTUAL, &soon, NULL);
		rig_fails(&r, lines[i], "interrupted");
		sigaction(SIGVTALRM, &old, NULL);
		rig_has(&r, "lua print(6 * 7)", "42");
		rig_say(&r, "goto 0");
		rig_say(&r, "step 10");
	}
	rig_close(&r);
}

/* A pattern that backtracks in C hears Ctrl-C too, and ends by itself; a pcall() does not hide that. */
static void patterns(void **state)
{
	static const char *const lines[] = {
	    "lua pcall(string.find, ('a'):rep(40), ('a*'):rep(25) .. 'b') print('on')",
	    "lua while true do pcall(string.match, ('a'):rep(400), ('a-'):rep(30) .. 'b') end",
	    "lua for x in ('a'):rep(40):gmatch(('a?a*'):rep(25) .. 'b') do end",
	    "lua coroutine.wrap(function() pcall(string.gsub, ('a'):rep(1e5), '(a*)%1a*b', '') end)() print('on')",
	    "p ('x'):rep(1 << 20):find('x*x*x*y')",
	};
	struct rig r;
	rig_vecadd(&r);
	to_interrupt = r.d;
	for (u32 i = 0; i < ARRAY_LEN(lines); i++) {
		struct sigaction a = {.sa_handler = on_alarm}, old;
		struct itimerval soon = {.it_value = {.tv_usec = 200000}};
		sigaction(SIGVTALRM, &a, &old);
		setitimer(ITIMER_VIRTUAL, &soon, NULL);
		rig_fails(&r, lines[i], "interrupted");
		sigaction(SIGVTALRM, &old, NULL);
		rig_has(&r, "lua print(6 * 7)", "42");
	}
	rig_fails(&r, lines[4], "backtracks for too long");
	rig_fails(&r, "lua table.sort(setmetatable({}, {__len = function() return 1 << 30 end, __index = rawlen}))",
	          "too many");
	rig_fails(&r, "lua table.concat(setmetatable({}, {__index = rawlen}), '', 1, 1 << 40)", "too many");
	rig_fails(&r, "lua table.move(setmetatable({}, {__index = rawlen}), 1, 1 << 24, 2, {})", "too many");
	rig_close(&r);
}

/* Long texts and several quantifiers, as in reading a log: what is found is what Lua's library finds. */
static void patterns_that_end(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r,
	        "lua log = {} for i = 1, 2000 do log[i] = ('[%06d] sm %d warp %d: ld.global after %d cycles'):format(i, "
	        "i % 15, i % 48, i % 400) end log = table.concat(log, '\\n') .. '\\n' n, m = 0, 0");
	rig_has(&r, "lua for c, s, w in log:gmatch('%[(%d+)%] sm (%d+) warp (%d+):.-\\n') do n = n + c end print(#log, n)",
	        "2001000");
	rig_has(&r, "lua for a, b, c in log:gmatch('(%S+)%s+(.-)%s+(%S+)\\n') do m = m + 1 end print(m)", "2000");
	rig_has(&r,
	        "lua print(select(2, log:gsub('(%w+) (%d+)', '%2 %1')), #log:gsub('%d+', function(x) return x + 1 end))",
	        "6000	");
	rig_has(&r, "lua print(log:find('cycles.*cycles'), log:match('.*%[(%d+)%]'), log:find('sm 15', 1, true))",
	        "002000	nil");
	rig_has(
	    &r,
	    "lua print(('^a^a'):rep(1e5):gsub('^%^', 'x'):sub(1, 4), (function(n) for x in ('^a^a'):rep(1e5):gmatch('^a')"
	    " do n = n + 1 end return n end)(0))",
	    "xa^a	200000");
	/* what stands before the place where it begins costs nothing */
	rig_has(&r,
	        "lua print(#('a'):rep(3000):gmatch(('a-'):rep(6) .. 'a$', 2991)(), ('a'):rep(3000):find('a-a-a-b', -9))",
	        "10	nil");
	rig_fails(&r, "lua string.find(('a'):rep(1e6), '(a*')", "unfinished capture");
	rig_fails(&r, "lua string.gsub(('a'):rep(1e6), 'a*a*', 1, 'x')", "bad argument #4");
	rig_close(&r);
}

/* Errors name the script and the line also when what was raised is no text. */
static void errors_name_a_place(void **state)
{
	static const char *const raised[] = {"{}", "nil", "setmetatable({}, {__tostring = function() return 'mine' end})",
	                                     "setmetatable({}, {__tostring = function() error(1) end})"};
	struct rig r;
	char line[200];
	rig_vecadd(&r);
	for (u32 i = 0; i < ARRAY_LEN(raised); i++) {
		snprintf(line, sizeof line, "lua error(%s)", raised[i]);
		rig_fails(&r, line, "lua:1: in main chunk");
	}
	rig_fails(&r, "lua error(setmetatable({}, {__tostring = function() return 'mine' end}))", "mine\nstack");
	snprintf(line, sizeof line, "lua error('for the user', 0)");
	rig_fails(&r, line, "for the user");
	assert_null(strstr(strbuf_str(&r.out), "traceback"));
	/* Functions that are off make room for others. */
	rig_has(&r, "lua for i = 1, 5000 do dbg.off(dbg.sample(i, print)) dbg.off(dbg.at_end(print)) end print('on')",
	        "on");
	rig_fails(&r, "lua for i = 1, 5000 do dbg.sample(i, print) end", "1000 such functions");
	rig_close(&r);
}

/* A turn of the host program that waits for nothing could not be found again after going back. */
static void host_that_yields(void **state)
{
	static const char path[] = "/tmp/warpdbg-test-hostile.lua";
	char *args[] = {"warpdbg", "debug", (char *)path, NULL};
	struct rig r;
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs("return { run = function(cuda, p)\nlocal m = cuda.module('vecadd.ptx') local d = cuda.malloc(4000)\n"
	      "cuda.launch(m.vecadd, 4, 256, { d, d, d, 1000 }) cuda.sync()\ncoroutine.yield(7) end }\n",
	      f);
	fclose(f);
	rig_open(&r, args);
	rig_try(&r, "continue");
	assert_non_null(strstr(strbuf_str(&r.out), "coroutine.yield: a host program waits by"));
	assert_non_null(strstr(strbuf_str(&r.out), "hostile.lua:4: in function"));
	rig_close(&r);
	unlink(path);
}

/* Nothing that a script leaves to be executed later has more rights than the script. */
static void files_later(void **state)
{
	static const char file[] = "/tmp/warpdbg-test-hostile.json";
	struct rig r;
	rig_vecadd(&r);
	unlink(file);
	rig_fails(&r, "lua dbg.execute('record start /tmp/warpdbg-test-hostile.json')", "--allow-io");
	rig_fails(&r, "lua dbg.execute('source /etc/hostname')", "--allow-io");
	rig_say(&r, "lua dbg.execute('tbreak cycle 10') dbg.execute('commands') "
	            "dbg.execute('export json /tmp/warpdbg-test-hostile.json') dbg.execute('end')");
	rig_has(&r, "continue", "--allow-io");
	rig_say(&r, "lua dbg.execute('alias zz = export') dbg.execute('alias yy = zz json')");
	rig_fails(&r, "yy /tmp/warpdbg-test-hostile.json", "--allow-io");
	assert_int_equal(access(file, F_OK), -1);
	/* The user's own have. */
	rig_say(&r, "alias yy = export json");
	rig_say(&r, "yy /tmp/warpdbg-test-hostile.json");
	assert_int_equal(unlink(file), 0);
	rig_say(&r, "tbreak cycle 20");
	rig_say(&r, "commands");
	rig_say(&r, "export json /tmp/warpdbg-test-hostile.json");
	rig_say(&r, "end");
	rig_say(&r, "continue");
	assert_int_equal(unlink(file), 0);
	rig_close(&r);
}

/* Of what a picture finds out about the code there is one list, the screen's. */
static void pictures_keep_marks(void **state)
{
	static const char file[] = "/tmp/warpdbg-test-hostile.txt";
	struct rig r;
	struct err e = {0};
	rig_vecadd(&r);
	rig_say(&r, "step 600");
	for (u32 i = 0; i < 2; i++) {
		assert_true(screen_picture(r.d, file, screen_find_view("8"), 100, 30, &e));
		assert_int_equal(r.d->screen->marks.nmods, 1);
	}
	unlink(file);
	rig_close(&r);
}

static void filters_are_exact(void **state)
{
	static const struct {
		char *run[12];
		const char *of[4]; /* what must be among the events */
	} rows[] = {
	    {{"warpdbg", "debug", "reduction", "--size", "small", "--warp-sched", "tl-paws", "--set", "lsu.replay=newcar"},
	     {" sched-promote "}},
	    {{"warpdbg", "debug", "bfs", "--size", "small", "--warp-sched", "mascar", "--set", "idempotence.track=true"},
	     {" mascar-mode "}},
	    {{"warpdbg", "debug", "mummer", "--size", "small", "--warp-sched", "ccws", "--gpu", "m2090"}, {" l1-refuse "}},
	    {{"warpdbg", "debug", "lps", "--size", "small", "--cta-sched", "lcs+bcs"}, {" lcs-throttle ", " bcs-pair "}},
	    {{"warpdbg", "debug", "madd", "--size", "small", "--cta-sched", "dyncta"},
	     {" dyncta-step ", " cta-pause ", " cta-resume "}},
	    {{"warpdbg", "debug", "vecadd", "--size", "small", "--cta-virtual", "vt"},
	     {" cta-swap-in ", " cta-swap-out ", " vt-ready"}}};
	for (u32 i = 0; i < ARRAY_LEN(rows); i += rounds(NULL, 1, 3)) {
		struct rig r;
		rig_open(&r, (char **)rows[i].run);
		rig_has(&r, "source tests/filters.lua", ", wrong 0\n");
		const char *of = strstr(strbuf_str(&r.out), "\nof ");
		assert_non_null(of);
		for (u32 k = 0; k < ARRAY_LEN(rows[i].of) && rows[i].of[k]; k++)
			if (!strstr(of, rows[i].of[k]))
				fail_msg("run %u: no%s, but%s", i, rows[i].of[k], of);
		rig_close(&r);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(subscribing_in_callbacks),
	    TEST(travelling),
	    TEST(endless),
	    TEST(overflows),
	    TEST(interrupted),
	    TEST(patterns),
	    TEST(patterns_that_end),
	    TEST(errors_name_a_place),
	    TEST(host_that_yields),
	    TEST(files_later),
	    TEST(pictures_keep_marks),
	    TEST(filters_are_exact),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
