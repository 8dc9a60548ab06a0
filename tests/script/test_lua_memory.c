/* Lua has no memory, at any allocation; or what a script returns raises, loops or eats memory wherever it is looked at:
 * an error, never the end of the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "commands/commands.h"
#include "base/outfile.h"
#include "tests/rig/debug_rig.h"
#include "lua/lua.h"

static char dir[] = "/tmp/warpdbg-memory-XXXXXX";

static void write_script(const char *name, const char *text)
{
	char path[200];
	struct err e = {0};
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_true(file_write(path, text, strlen(text), &e));
}

/* Everything that calls Lua: machine, policies, host program and its coroutine, modules, callbacks, conditions,
 * displays, values as text, history. */
static const char *const lines[] = {
    "lua dbg.on('issue', {sm = 1}, function(e) n = (n or 0) + e.cycle end)",
    "lua dbg.sample(50, function(c) t = {c} end) dbg.at_end(function() end)",
    "break issue sm=0 if e.cycle > 60",
    "display gpu.sm[0].warp[0].pc",
    "watch gpu.sm[0].warp[0].insts",
    "continue",
    "print gpu.sm[0], gpu.kernel[0].name, {1, a = 2}",
    "p nosuchname",
    "lua for i = 1, 20 do pcall(string.rep, 'x', 1 << i) end",
    "lua coroutine.wrap(function() xpcall(error, print, 'x') end)()",
    "lua print(setmetatable({}, {__tostring = function() return 'mine' end}))",
    "step 20",
    "lua mem.write_u32(0x100090300, 5)",
    "reverse-step 10",
    "continue",
    "undo",
    "run",
    "step 30",
    "goto 10",
    "lua dbg.step(5)",
};

static void everything(void)
{
	char host[200], gpu[200], warp[200], cta[200];
	snprintf(host, sizeof(host), "%s/host.lua", dir);
	snprintf(gpu, sizeof(gpu), "%s/gpu.lua", dir);
	snprintf(warp, sizeof(warp), "lua:%s/policy.lua", dir);
	snprintf(cta, sizeof(cta), "lua:%s/policy.lua", dir);
	char *argv[] = {"warpdbg", "debug",       host, "--gpu",  gpu,     "--warp-sched",
	                warp,      "--cta-sched", cta,  "--size", "small", NULL};
	struct rig r;
	memset(&r, 0, sizeof(r));
	assert_int_equal(cmdline_parse(&r.o, 11, argv, &r.e), CMDLINE_OK);
	r.s = session_open(&r.o, console_modules, &r.e);
	if (!r.s) {
		assert_true(r.e.set && *r.e.msg);
		cmdline_free(&r.o);
		return;
	}
	r.d = debugger_new(r.s, &console_words);
	debugger_start(r.d, &r.out, &r.e);
	for (u32 i = 0; i < ARRAY_LEN(lines); i++)
		if (!rig_try(&r, lines[i]))
			assert_true(r.e.set);
	rig_close(&r);
}

/* How many there are, and then each in turn the first that fails - or, for a test in a minute, one of so many. */
static void no_memory(void **state)
{
	const char *all = getenv("WARPDBG_EVERY_ALLOCATION");
	u64 n = 0;
	for (u64 left = 0; left == 0; n += all ? 1 : 1 + n / 40) {
		lua_limit_allocations(n);
		everything();
		left = lua_allocations_left();
		lua_limit_allocations(LUA_NO_LIMIT);
	}
	assert_true(n > 3000);
}

static int set_up(void **state)
{
	assert_non_null(mkdtemp(dir));
	write_script("host.lua",
	             "local n = require('need')\n"
	             "return { sizes = { small = { n = 32, name = 'x' } }, help = 'h',\n"
	             "run = function(cuda, p) local m = cuda.module('k.ptx') local d = cuda.malloc(4 * n)\n"
	             "cuda.launch(m.vecadd, 2, 32, { d, d, d, n }) cuda.sync()\n"
	             "local a = cuda.host('f32', 32) cuda.copy(a, d) cuda.check(function() return true end) end }\n");
	write_script("need.lua", "return 32\n");
	write_script("base.lua", "return { ['num_sms'] = 2 }\n");
	char gpu[300];
	snprintf(gpu, sizeof(gpu), "return { base = '%s/base.lua', help = 'h', ['l1d.ways'] = 8 }\n", dir);
	write_script("gpu.lua", gpu);
	write_script(
	    "policy.lua",
	    "policy.warp { stateless = true, pick = function(sm, ready) return policy.next(ready) end, "
	    "issued = function(sm, w, unit) end }\n"
	    "policy.cta { stateless = true, init = function(k) end, next = function(k, sm) return k:first() end }\n");
	struct strbuf ptx = STRBUF_INIT;
	assert_true(strbuf_read_file(&ptx, "configs/kernels/vecadd.ptx", NULL));
	write_script("k.ptx", ptx.buf);
	strbuf_release(&ptx);
	return 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = {"host.lua", "need.lua", "base.lua", "gpu.lua", "policy.lua", "k.ptx"};
	char path[200];
	for (u32 i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(no_memory)};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
