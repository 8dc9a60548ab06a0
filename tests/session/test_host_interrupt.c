/* Ctrl-C while the host program computes - before its first launch, between two, in its check: the step is taken back,
 * and going on takes it again, to the same end as if nobody had interrupted. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"

/* It stands still, in the middle of a step that has changed the machine, while the console's `hold` names the place. */
static const char host_program[] = "return { sizes = { default = { place = '' } }, run = function(cuda, p)\n"
                                   "  local function pause(place)\n"
                                   "    reached = hold == place or p.place == place\n"
                                   "    while hold == place or p.place == place do end\n"
                                   "  end\n"
                                   "  local m, n = cuda.module('vecadd.ptx'), 4096\n"
                                   "  local a, b, c = cuda.malloc(4 * n, 'a'), cuda.malloc(4 * n), cuda.malloc(4 * n)\n"
                                   "  print('begin')\n"
                                   "  pause('begin')\n"
                                   "  for round = 1, 3 do\n"
                                   "    mem.write_f32(a, {round, gpu.cycle, 3})\n"
                                   "    local more = cuda.malloc(256, 'more' .. round)\n"
                                   "    cuda.launch(m.vecadd, 4 * round, 256, {a, b, c, n})\n"
                                   "    print('round', round, more)\n"
                                   "    pause(round)\n"
                                   "    cuda.sync()\n"
                                   "  end\n"
                                   "  cuda.check(function() pause('check') return mem.read_f32(c) == 3 end)\n"
                                   "  print('end')\n"
                                   "end }\n";

static char path[] = "/tmp/test_host_interrupt_XXXXXX.lua";
static struct debugger *to_interrupt;

static void on_alarm(int sig)
{
	debugger_interrupt(to_interrupt);
}

static int write_program(void **state)
{
	int fd = mkstemps(path, 4);
	assert_int_equal(write(fd, host_program, sizeof host_program - 1), sizeof host_program - 1);
	struct sigaction a = {.sa_handler = on_alarm};
	sigaction(SIGVTALRM, &a, NULL);
	alarm(300);
	return close(fd);
}

static int remove_program(void **state)
{
	alarm(0);
	signal(SIGVTALRM, SIG_DFL);
	return unlink(path);
}

static void open_program(struct rig *r)
{
	char *argv[] = {"warpdbg", "debug", path, NULL};
	rig_open(r, argv);
	to_interrupt = r->d;
}

/* Executes a line that does not come to an end, and presses Ctrl-C in it; again, as often as a slow build is still on
 * its way there. */
static void press(struct rig *r, const char *line, const char *text)
{
	struct itimerval soon = {.it_value = {.tv_usec = 50000}};
	setitimer(ITIMER_VIRTUAL, &soon, NULL);
	rig_has(r, line, "nterrupted");
	if (!strstr(strbuf_str(&r->out), text))
		press(r, "continue", text);
}

static void cut(struct rig *r, const char *line)
{
	press(r, line, "Interrupted in the host program");
}

/* The same from the start, to the place that is held: a slow program may be cut before it. */
static void cut_at_hold(struct rig *r)
{
	rig_say(r, "lua reached = nil");
	cut(r, "run");
	while (!strstr(rig_say(r, "lua print(reached)"), "true"))
		cut(r, "continue");
}

/* What the whole program prints, how long it takes and what it leaves. */
struct outcome {
	char *said;
	u64 cycles, hash;
};

static struct outcome outcome_of(struct rig *r)
{
	return (struct outcome){xstrdup(strbuf_str(&r->out)), sim_cycle(r->s->sim), sim_hash(r->s->sim)};
}

static void assert_same(const struct rig *r, const struct outcome *o, const char *from)
{
	assert_int_equal(sim_cycle(r->s->sim), o->cycles);
	assert_int_equal(sim_hash(r->s->sim), o->hash);
	assert_int_equal(r->s->check, CHECK_PASS);
	const char *now = strstr(strbuf_str(&r->out), from), *then = strstr(o->said, from);
	assert_non_null(now);
	assert_non_null(then);
	assert_string_equal(now, then); /* nothing printed twice, nothing left out */
}

static void anywhere(void **state)
{
	static const char *const places[] = {"2", "3", "'check'"};
	static const char *const prints[] = {"round\t2", "round\t3", "end"};
	struct rig r;
	open_program(&r);
	rig_say(&r, "run");
	struct outcome o = outcome_of(&r);
	for (u32 i = 0; i < ARRAY_LEN(places); i++) {
		char line[40];
		snprintf(line, sizeof line, "lua hold = %s", places[i]);
		rig_say(&r, line);
		cut_at_hold(&r);
		u64 at = sim_cycle(r.s->sim), hash = sim_hash(r.s->sim);
		if (i < 2)
			assert_null(strstr(strbuf_str(&r.out), prints[i]));
		cut(&r, "continue"); /* and again */
		assert_int_equal(sim_cycle(r.s->sim), at);
		assert_int_equal(sim_hash(r.s->sim), hash); /* no launch, no allocation, no write has stayed */
		rig_say(&r, "lua hold = nil");
		rig_say(&r, "continue");
		assert_same(&r, &o, prints[i]);
	}
	free(o.said);
	rig_close(&r);
}

static void before_the_first_cycle(void **state)
{
	struct rig r;
	open_program(&r);
	rig_say(&r, "run");
	struct outcome o = outcome_of(&r);
	rig_say(&r, "lua hold = 'begin'");
	cut_at_hold(&r);
	assert_int_equal(sim_cycle(r.s->sim), 0);
	rig_say(&r, "lua hold = nil");
	rig_say(&r, "continue");
	assert_same(&r, &o, "begin");
	free(o.said);
	rig_close(&r);
}

/* The past may be looked at and changed with the interrupted step outstanding. */
static void going_back(void **state)
{
	struct rig r;
	open_program(&r);
	rig_say(&r, "run");
	struct outcome o = outcome_of(&r);
	rig_say(&r, "lua hold = 3");
	cut_at_hold(&r);
	rig_say(&r, "goto 100");
	rig_say(&r, "set warp-sched lrr");
	rig_say(&r, "step 50");
	rig_say(&r, "undo");
	rig_has(&r, "undo", "last change of the machine is undone");
	rig_say(&r, "lua hold = nil");
	rig_say(&r, "continue");
	assert_same(&r, &o, "end");
	rig_say(&r, "lua hold = 'check'");
	cut_at_hold(&r);
	rig_say(&r, "reverse-step 5");
	rig_say(&r, "lua hold = nil");
	rig_say(&r, "continue");
	assert_same(&r, &o, "end");
	free(o.said);
	rig_close(&r);
}

/* Without a history there is no way back; then it says so. */
static void without_a_history(void **state)
{
	struct rig r;
	char *argv[] = {"warpdbg", "debug", path, "--set", "history.mb=0", NULL};
	rig_open(&r, argv);
	to_interrupt = r.d;
	rig_say(&r, "lua hold = 2");
	press(&r, "continue", " interrupted");
	rig_fails(&r, "continue", "cannot go on");
	rig_say(&r, "lua hold = nil");
	rig_has(&r, "run", "check passed");
	rig_close(&r);
}

/* Options whose machine has not come to stand leave the one that is here as it is. */
static void in_a_run_with_options(void **state)
{
	struct rig r;
	open_program(&r);
	rig_say(&r, "step 300");
	u64 hash = sim_hash(r.s->sim);
	struct itimerval soon = {.it_value = {.tv_usec = 300000}};
	setitimer(ITIMER_VIRTUAL, &soon, NULL);
	rig_fails(&r, "run --param place=begin", "the machine is as it was");
	assert_int_equal(sim_cycle(r.s->sim), 300);
	assert_int_equal(sim_hash(r.s->sim), hash);
	rig_has(&r, "continue", "check passed");
	rig_close(&r);
}

/* Nor with a policy that says it keeps no state and does: it cannot be replayed, and the machine stays where it is. */
static void with_a_false_promise(void **state)
{
	char policy[] = "/tmp/test_host_interrupt_XXXXXX.lua", option[64];
	struct rig r;
	int fd = mkstemps(policy, 4);
	static const char text[] =
	    "local n = 0 policy.warp { stateless = true, pick = function(sm, ready) n = n + 1 return "
	    "sm:oldest(ready) end }\n";
	assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
	close(fd);
	snprintf(option, sizeof option, "lua:%s", policy);
	char *argv[] = {"warpdbg", "debug", path, "--warp-sched", option, NULL};
	rig_open(&r, argv);
	to_interrupt = r.d;
	rig_say(&r, "break kernel-done");
	rig_has(&r, "run", "kernel-done");
	u64 at = sim_cycle(r.s->sim);
	assert_true(at > 500); /* far behind the last snapshot */
	rig_say(&r, "lua hold = 2");
	press(&r, "continue", " interrupted");
	assert_int_equal(sim_cycle(r.s->sim), at);
	rig_fails(&r, "continue", "cannot go on");
	rig_close(&r);
	unlink(policy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(anywhere),
	    cmocka_unit_test(before_the_first_cycle),
	    cmocka_unit_test(going_back),
	    cmocka_unit_test(without_a_history),
	    cmocka_unit_test(in_a_run_with_options),
	    cmocka_unit_test(with_a_false_promise),
	};
	return cmocka_run_group_tests(tests, write_program, remove_program);
}
