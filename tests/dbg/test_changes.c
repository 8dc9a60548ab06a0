/* What a user changes with Lua is part of history as `set` is: memory written survives going back and forth, is undone
 * by the command, and ends what came after it. What host programs write is theirs. And what `undo` passes over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/rng.h"
#include "commands/commands.h"
#include "tests/rig/debug_rig.h"

static u64 first_buffer(struct rig *r)
{
	struct devmem *m = sim_devmem(r->s->sim);
	for (u32 i = 0; i < m->nallocs; i++)
		if (!strcmp(m->allocs[i].name, "vecadd_param_0"))
			return m->allocs[i].addr;
	fail_msg("no buffer");
	return 0;
}

static void open_at(struct rig *r, u64 cycle)
{
	char line[80];
	rig_vecadd(r);
	snprintf(line, sizeof(line), "until %llu", (unsigned long long)cycle);
	rig_say(r, line);
	snprintf(line, sizeof(line), "lua a = %llu", (unsigned long long)first_buffer(r));
	rig_say(r, line);
}

static void writes_are_history(void **state)
{
	struct rig r;
	open_at(&r, 200);
	u64 before = sim_hash(r.s->sim);
	rig_say(&r, "lua mem.write_f32(a, 77)");
	u64 written = sim_hash(r.s->sim);
	assert_int_not_equal(before, written);
	rig_say(&r, "step 300");
	u64 later = sim_hash(r.s->sim);
	rig_say(&r, "goto 100");
	rig_has(&r, "p mem.read_f32(a)", "0\n");
	rig_say(&r, "goto 200");
	rig_has(&r, "p mem.read_f32(a)", "77\n");
	assert_int_equal(sim_hash(r.s->sim), written);
	rig_say(&r, "step 300");
	assert_int_equal(sim_hash(r.s->sim), later);
	rig_say(&r, "goto 200");
	rig_say(&r, "undo"); /* this goto, ... */
	rig_say(&r, "undo"); /* the step, */
	rig_say(&r, "undo"); /* the other gotos, */
	rig_say(&r, "undo");
	rig_say(&r, "undo");
	rig_has(&r, "undo", "last change of the machine is undone");
	assert_int_equal(sim_hash(r.s->sim), before);
	rig_close(&r);
}

/* All that one command writes is one change; what runs in between ends it. */
static void one_command_one_change(void **state)
{
	struct rig r;
	open_at(&r, 200);
	u64 before = sim_hash(r.s->sim);
	rig_say(&r, "lua for i = 0, 999 do mem.write_f32(a + 4 * i, -1) end");
	rig_say(&r, "lua mem.write_f32(a, -2); dbg.step(5); mem.write_f32(a, -3)");
	rig_has(&r, "undo", "is undone");
	rig_has(&r, "p mem.read_f32(a)", "-2\n");
	rig_has(&r, "p gpu.cycle", "205\n");
	rig_say(&r, "undo"); /* the steps */
	rig_has(&r, "p mem.read_f32(a)", "-2\n");
	rig_has(&r, "undo", "is undone");
	rig_has(&r, "p mem.read_f32(a + 3996)", "-1\n");
	rig_has(&r, "undo", "is undone");
	assert_int_equal(sim_hash(r.s->sim), before);
	rig_close(&r);
}

/* A write in the past makes the future void; one that fails does not. */
static void writes_fork(void **state)
{
	struct rig r;
	open_at(&r, 600);
	rig_say(&r, "goto 200");
	rig_fails(&r, "lua mem.write_f32(16, 1)", "0x10");
	rig_say(&r, "goto 600");
	rig_say(&r, "goto 200");
	rig_say(&r, "lua mem.write_f32(a, 5)");
	rig_has(&r, "goto 600", "Cycle 600 has not been simulated yet");
	rig_close(&r);
}

/* A cycle that the change made void is no place to go back to: undo says so and goes on to what came before. */
static void undo_passes_over(void **state)
{
	struct rig r;
	open_at(&r, 600);
	rig_say(&r, "goto 200");
	rig_say(&r, "set warp-sched lrr");
	rig_has(&r, "undo", "is undone");
	rig_has(&r, "undo", "The way back to cycle 600 is not in the machine's history any more");
	rig_has(&r, "p gpu.cycle", "0\n");
	rig_fails(&r, "undo", "no command has run");
	rig_close(&r);
}

/* Reads and writes by mem.*, each round from what the rounds before it have left. */
static const char host_program[] = "return { run = function(cuda)\n"
                                   "  local m, n, sum = cuda.module('vecadd.ptx'), 4096, 0\n"
                                   "  local a, b, c = cuda.malloc(4 * n), cuda.malloc(4 * n), cuda.malloc(4 * n)\n"
                                   "  for i = 1, 4 do\n"
                                   "    mem.write_f32(a, i * 1.5 + sum)\n"
                                   "    mem.write_f32(a + 4, {1, 2, 3})\n"
                                   "    cuda.launch(m.vecadd, n // 256, 256, {a, b, c, n})\n"
                                   "    cuda.sync()\n"
                                   "    sum = sum + mem.read_f32(c) + mem.read_f32(c, 3)[2]\n"
                                   "  end\n"
                                   "  print('sum', sum)\n"
                                   "end }\n";

/* A host program's own writes are no change by hand; built anew after `undo` it has read what it read then. */
/* A machine's state at a place, a cycle and the turns so far, is one, whatever the way there: what is known of each, up
 * to the last change. */
static struct {
	struct sim_place at;
	u64 hash;
} seen[1000];
static u32 nseen;

static void check_state(struct rig *r, u64 seed, u32 step)
{
	const struct sim_place at = sim_place(r->s->sim);
	const u64 hash = sim_hash(r->s->sim);
	u32 i = 0;
	while (i < nseen && sim_place_order(seen[i].at, at))
		i++;
	if (i < nseen && seen[i].hash != hash)
		fail_msg("seed %llu, step %u: cycle %llu, turn %u has another state than before", (unsigned long long)seed,
		         step, (unsigned long long)at.cycle, at.turn);
	assert_true(i < ARRAY_LEN(seen));
	seen[i].at = at;
	seen[i].hash = hash;
	nseen = MAX(nseen, i + 1);
}

static void change(struct rig *r, u64 *seed)
{
	const struct sim_place at = sim_place(r->s->sim);
	char line[100];
	snprintf(line, sizeof(line), "lua mem.write_u32(a + %u, %u)", (u32)(rng_next(seed) % 4000) * 4,
	         (u32)rng_next(seed));
	rig_say(r, line);
	session_change_ends(r->s);
	u32 kept = 0;
	for (u32 i = 0; i < nseen; i++)
		if (sim_place_order(seen[i].at, at) <= 0)
			seen[kept++] = seen[i];
	nseen = kept;
}

/* Stops by events are at the end of a cycle: a change made there is at the beginning of the next. */
static void walks_with_changes(void **state)
{
	static const char *const ways[] = {"continue",         "continue",       "step 1",         "step 7",
	                                   "step 300",         "reverse-step 1", "reverse-step 1", "reverse-step 40",
	                                   "reverse-continue", "goto 1000"};
	for (u64 walk = 1; walk <= 2; walk++) {
		struct rig r;
		u64 seed = walk;
		open_at(&r, 1000);
		nseen = 0;
		rig_say(&r, walk % 2 ? "break l1-evict" : "break issue sm=3 warp=2");
		rig_say(&r, "break warp-exit");
		rig_say(&r, "break if gpu.cycle % 501 == 0");
		for (u32 i = 0; i < 120; i++) {
			check_state(&r, walk, i);
			if (rng_next(&seed) % 3 == 0)
				change(&r, &seed);
			check_state(&r, walk, i);
			rig_try(&r, ways[rng_next(&seed) % ARRAY_LEN(ways)]);
		}
		rig_close(&r);
	}
}

static void host_programs_write(void **state)
{
	char path[] = "/tmp/test_changes_XXXXXX.lua";
	char *argv[] = {"warpdbg", "debug", path, NULL};
	struct rig r;
	int fd = mkstemps(path, 4);
	assert_int_equal(write(fd, host_program, sizeof host_program - 1), sizeof host_program - 1);
	close(fd);
	rig_open(&r, argv);
	assert_non_null(strstr(rig_say(&r, "continue"), "sum\t69.0\n"));
	u64 end = sim_cycle(r.s->sim), hash = sim_hash(r.s->sim);
	for (u32 part = 1; part < 8; part++) {
		char line[40];
		snprintf(line, sizeof line, "goto %llu", (unsigned long long)(end * part / 8));
		rig_say(&r, line);
		rig_say(&r, "set warp-sched lrr");
		rig_say(&r, "step 300");
		rig_say(&r, "undo");
		rig_has(&r, "undo", "last change of the machine is undone");
		assert_non_null(strstr(rig_say(&r, "continue"), "sum\t69.0\n"));
		assert_int_equal(sim_cycle(r.s->sim), end);
		assert_true(sim_hash(r.s->sim) == hash);
	}
	rig_close(&r);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(writes_are_history),  cmocka_unit_test(one_command_one_change),
	    cmocka_unit_test(writes_fork),         cmocka_unit_test(undo_passes_over),
	    cmocka_unit_test(host_programs_write), cmocka_unit_test(walks_with_changes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
