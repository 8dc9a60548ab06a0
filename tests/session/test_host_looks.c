/* A Lua host program may look at the machine - counters, cycles, objects, memory - and act on what it sees. Going back
 * and changing something builds it anew: it must see again what it saw then, not what there is now. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/rng.h"
#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"

/* Each round's work depends on all looks before it; what is looked at has every kind of value there is. */
static const char host_program[] =
    "return { run = function(cuda)\n"
    "  local m, n = cuda.module('vecadd.ptx'), 4096\n"
    "  local a, b, c = cuda.malloc(4 * n, 'a'), cuda.malloc(4 * n, 'b'), cuda.malloc(4 * n, 'c')\n"
    "  local seen, sum, first = {}, 0.0, nil\n"
    "  local function see(what, v)\n"
    "    seen[#seen + 1] = what .. '=' .. tostring(v)\n"
    "    if type(v) == 'number' and v == v then sum = (sum * 0.75 + v) % 8192 end\n"
    "  end\n"
    "  for round = 1, 5 do\n"
    "    see('cycle', gpu.cycle)\n"
    "    see('insts', gpu.sm[3].issued)\n"
    "    see('rate', gpu.l1d.hit_rate)\n"
    "    see('l2', gpu.l2[0].accesses)\n"
    "    see('awake', gpu.sm[3].awake)\n"
    "    see('kernels', #gpu.kernel)\n"
    "    see('hash', gpu.hash)\n"
    "    see('kernel', (select(2, pcall(function() return gpu.kernel[round - 1].name end))))\n"
    "    see('stalls', gpu.sm[2].stalls('base').issued)\n"
    "    first = first or gpu.sm[1]\n"
    "    see('handle', first.awake)\n"
    "    see('stack', #gpu.sm[1].warp[0].stack)\n"
    "    see('conf', gpu.conf['num_sms'])\n"
    "    see('no key', (select(2, pcall(function() return gpu.conf.num_smss end))))\n"
    "    see('found', mem.find(a + 8).name)\n"
    "    if round > 1 then see('code', gpu.kernel[0].code(0).op) end\n"
    "    mem.write_f32(a, {sum, sum + 1, sum + 2})\n"
    "    cuda.launch(m.vecadd, 1 + math.floor(sum) % (n // 256), 256, {a, b, c, n})\n"
    "    cuda.sync()\n"
    "  end\n"
    "  print('sum', sum, table.concat(seen, ' '))\n"
    "end }\n";

static char path[] = "/tmp/test_host_looks_XXXXXX.lua";

static void open_program(struct rig *r)
{
	char *argv[] = {"warpdbg", "debug", path, NULL};
	rig_open(r, argv);
}

static int write_program(void **state)
{
	int fd = mkstemps(path, 4);
	assert_int_equal(write(fd, host_program, sizeof host_program - 1), sizeof host_program - 1);
	return close(fd);
}

static int remove_program(void **state)
{
	return unlink(path);
}

/* A change at a random time, undone, and on from there. */
static void walk(struct rig *r, u64 seed, u32 steps)
{
	char *first = xstrdup(rig_say(r, "continue"));
	const char *said = strstr(first, "sum\t");
	assert_non_null(said);
	const size_t n = strcspn(said, "\n");
	u64 end = sim_cycle(r->s->sim), hash = sim_hash(r->s->sim);
	for (u32 i = 0; i < steps; i++) {
		char line[40];
		snprintf(line, sizeof line, "goto %llu", (unsigned long long)(rng_next(&seed) % end));
		rig_say(r, line);
		rig_say(r, i % 2 ? "set warp-sched lrr" : "set max_ctas_per_sm 3");
		snprintf(line, sizeof line, "step %u", 1 + (u32)(rng_next(&seed) % 2000));
		rig_say(r, line);
		rig_say(r, "undo"); /* the steps; then the change */
		rig_has(r, "undo", "last change of the machine is undone");
		const char *again = strstr(rig_say(r, "continue"), "sum\t");
		assert_non_null(again);
		size_t same = 0;
		while (same <= n && again[same] == said[same])
			same++;
		if (same <= n)
			fail_msg("walk %u: first ...%.99s\nthen ...%.99s", i, said + same, again + same);
		assert_int_equal(sim_cycle(r->s->sim), end);
		assert_true(sim_hash(r->s->sim) == hash);
	}
	free(first);
}

static void sees_what_it_saw(void **state)
{
	struct rig r;
	open_program(&r);
	walk(&r, 1, 16);
	rig_close(&r);
}

/* After a fork its looks are at the machine as it has become. */
static void sees_what_is_new(void **state)
{
	struct rig r;
	open_program(&r);
	char *first = xstrdup(rig_say(&r, "continue"));
	u64 end = sim_cycle(r.s->sim);
	rig_say(&r, "goto 700");
	rig_say(&r, "set launch.latency 4321");
	const char *then = strstr(rig_say(&r, "continue"), "sum\t");
	assert_non_null(then);
	assert_true(sim_cycle(r.s->sim) != end);
	assert_string_not_equal(strstr(first, "sum\t"), then);
	free(first);
	rig_close(&r);
}

/* Those who only look get what there is now, whatever the program saw. */
static void inspections_see_the_present(void **state)
{
	struct rig r;
	char want[64];
	open_program(&r);
	rig_say(&r, "continue");
	for (u64 cycle = 500; cycle < 2700; cycle += 700) {
		snprintf(want, sizeof want, "goto %llu", (unsigned long long)cycle);
		rig_say(&r, want);
		snprintf(want, sizeof want, "%llu", (unsigned long long)cycle);
		assert_non_null(strstr(rig_say(&r, "print gpu.cycle"), want));
	}
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sees_what_it_saw),
	    cmocka_unit_test(sees_what_is_new),
	    cmocka_unit_test(inspections_see_the_present),
	};
	return cmocka_run_group_tests(tests, write_program, remove_program);
}
