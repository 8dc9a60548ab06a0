/* Every configuration key in a running debugger: `set KEY` either takes effect, seen in the next cycles or launches, or
 * refuses with what to type instead - and that works. `run OPTIONS` starts again with other options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"

static void open_workload(struct rig *r, const char *name)
{
	char *argv[] = {"warpdbg", "debug", (char *)name, "--size", "small", NULL};
	rig_open(r, argv);
}

/* Another value than the key has, that the machine's other keys allow; NULL = none is known. */
static bool other_value(const struct conf *c, const struct conf_key *k, struct strbuf *out)
{
	static const struct {
		const char *key, *value;
	} known[] = {{"warp-sched", "lrr"},  {"cta-sched", "rr"},     {"machine", "mine"},       {"sm.shared", "16384"},
	             {"sm.threads", "1024"}, {"sm.regs", "16384"},    {"ccws.vta_entries", "8"}, {"ccws.vta_ways", "4"},
	             {"partition", "fcfs"},  {"preempt", "drain"},    {"coherence", "gpu"},      {"network", "crossbar"},
	             {"front", "ptx"},       {"cta-virtual", "none"}, {"kernel-sched", "lrr"},   {"cuda.name", "mine"}};
	struct strbuf now = STRBUF_INIT;
	conf_get(c, k, &now);
	strbuf_clear(out);
	for (u32 i = 0; i < ARRAY_LEN(known); i++)
		if (!strcmp(known[i].key, k->key))
			strbuf_adds(out, known[i].value);
	for (double f = 2; !out->len && k->kind != CONF_STR && f > 0; f = f > 1 ? 0.5 : f > 0.4 ? 0.1 : 0) {
		struct conf trial = *c;
		char text[64];
		double v = strtod(strbuf_str(&now), NULL);
		if (k->kind == CONF_BOOL)
			snprintf(text, sizeof text, "%s", strcmp(strbuf_str(&now), "true") ? "true" : "false");
		else if (k->kind == CONF_ENUM)
			snprintf(text, sizeof text, "%s", strrchr(k->values, '|') + 1);
		else
			snprintf(text, sizeof text, k->kind == CONF_REAL && v < 1 ? "%g" : "%.0f", f == 0.1 ? v + 1 : v * f);
		if (k->kind == CONF_ENUM && !strcmp(text, strbuf_str(&now)))
			snprintf(text, sizeof text, "%.*s", (int)strcspn(k->values, "|"), k->values);
		if (conf_set(&trial, k->key, text, NULL) && conf_check(&trial, NULL) && strcmp(text, strbuf_str(&now)))
			strbuf_adds(out, text);
	}
	strbuf_release(&now);
	return out->len > 0;
}

static bool is_live(const char *key)
{
	for (u32 i = 0; sim_live_key(i); i++)
		if (!strcmp(sim_live_key(i), key))
			return true;
	return false;
}

/* The message has both commands, to be copied. */
static void offers(const char *message, const char *key, const char *value)
{
	char want[200];
	snprintf(want, sizeof want, "`run --set %s=%s` starts again", key, value);
	if (!strstr(message, want))
		fail_msg("set %s: no '%s' in: %s", key, want, message);
	snprintf(want, sizeof want, "`compare --set %s=%s` sets", key, value);
	if (!strstr(message, want))
		fail_msg("set %s: no '%s' in: %s", key, want, message);
}

/* Of an L1D smaller than shared memory there is none; the others need further keys set with them. */
static const char *const need_others[] = {"sm.carveouts",   "sm.int_units",  "sm.f32_on_int",
                                          "sm.dependences", "sm.read_ports", "sm.reuse_cache"};

static bool needs_others(const char *key)
{
	for (u32 i = 0; i < ARRAY_LEN(need_others); i++)
		if (!strcmp(need_others[i], key))
			return true;
	return false;
}

static void every_key(void **state)
{
	struct rig r;
	struct strbuf value = STRBUF_INIT;
	u32 live = 0, refused = 0;
	open_workload(&r, "hotspot");
	rig_say(&r, "step 200");
	for (u32 i = 0; i < conf_nkeys; i++) {
		const struct conf_key *k = &conf_keys[i];
		char line[200], why[sizeof r.e.msg];
		if (needs_others(k->key))
			continue;
		if (!other_value(gpu_conf(sim_gpu(r.s->sim)), k, &value))
			fail_msg("%s: no other value", k->key);
		snprintf(line, sizeof line, "set %s %s", k->key, value.buf);
		if (rig_try(&r, line)) {
			struct strbuf is = STRBUF_INIT;
			conf_get(gpu_conf(sim_gpu(r.s->sim)), k, &is);
			assert_true(is_live(k->key));
			assert_string_equal(strbuf_str(&is), value.buf);
			strbuf_release(&is);
			live++;
			rig_say(&r, "undo");
			continue;
		}
		snprintf(why, sizeof why, "%s", r.e.msg);
		assert_false(is_live(k->key) && strcmp(k->key, "cta-sched"));
		offers(why, k->key, value.buf);
		refused++;
	}
	assert_int_equal(live + refused + ARRAY_LEN(need_others), conf_nkeys);
	assert_true(live >= 7);
	strbuf_release(&value);
	rig_close(&r);
}

/* What `run --set KEY=VALUE` promises: the machine has that value, for some keys that cannot change live. */
static void run_with_options(void **state)
{
	struct rig r;
	open_workload(&r, "hotspot");
	rig_say(&r, "break cta-dispatch cta=3");
	rig_say(&r, "tbreak cycle 100");
	rig_has(&r, "run --set l1d.ways=8 --warp-sched elf++", "Breakpoint 1");
	const struct conf *c = gpu_conf(sim_gpu(r.s->sim));
	assert_int_equal(c->l1d_ways, 8);
	assert_int_equal(c->lsu_replay, LSU_REPLAY_NEWCAR);
	rig_say(&r, "delete");
	rig_has(&r, "run", "finished");
	assert_int_equal(gpu_conf(sim_gpu(r.s->sim))->l1d_ways, 8); /* it stays */
	u64 end = sim_cycle(r.s->sim);
	/* A mistake leaves everything as it is. */
	rig_fails(&r, "run --set l1d.ways=0", "run: --set: l1d.ways: 0 is not within");
	rig_fails(&r, "run --nonsense", "unknown option");
	rig_fails(&r, "run --gpu nosuch", "no machine 'nosuch'");
	rig_fails(&r, "run hotspo", "run: no workload");
	rig_fails(&r, "run --param nosuch=3", "nosuch");
	assert_int_equal(gpu_conf(sim_gpu(r.s->sim))->l1d_ways, 8);
	rig_has(&r, "run", "finished");
	assert_int_equal(sim_cycle(r.s->sim), end);
	/* The same as started so. */
	struct rig other;
	char *argv[] = {"warpdbg", "debug",      "hotspot",      "--size", "small",
	                "--set",   "l1d.ways=8", "--warp-sched", "elf++",  NULL};
	rig_open(&other, argv);
	rig_has(&other, "c", "finished");
	assert_int_equal(sim_cycle(other.s->sim), end);
	assert_int_equal(sim_hash(other.s->sim), sim_hash(r.s->sim));
	rig_close(&other);
	rig_close(&r);
}

/* A host program that fails when it is asked to, before or behind its kernel's launch. */
static char *failing_program(void)
{
	static char path[64];
	snprintf(path, sizeof path, "/tmp/wd-restart-%d.lua", (int)getpid());
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs("return { name = 'f', help = 'h', kernels = 'vecadd.ptx', sizes = { small = { n = 40000, fail = 0 } },\n"
	      "run = function(cuda, p)\n"
	      "local m, n = cuda.module('vecadd.ptx'), p.n\n"
	      "if p.fail == 1 then error('asked to fail') end\n"
	      "local a = cuda.malloc(4 * n, 'a')\n"
	      "cuda.launch(m.vecadd, { (n + 255) // 256, 1, 1 }, { 256, 1, 1 }, { a, a, a, n })\n"
	      "if p.fail == 2 then error('failed behind the launch') end\n"
	      "cuda.sync()\n"
	      "end }\n",
	      f);
	fclose(f);
	return path;
}

/* `run OPTIONS` that fails, however far it comes, changes nothing: machine, cycle, past, breakpoints, watches,
 * displays.
 */
static void run_that_fails(void **state)
{
	static const char *const wrong[][2] = {
	    {"run --set num_sms=4 --param fail=1", "asked to fail"},
	    {"run --set num_sms=4 --param fail=2", "failed behind the launch"},
	    {"run --set num_sms=4 --param n=1e12", "out of device memory"},
	    {"run --set num_sms=4 --param n=true", "run: "},
	    {"run --set num_sms=4 --set mem.heap_mb=1 --param n=4000000", "out of device memory"},
	    {"run --set num_sms=4 --size large", "sizes.large"},
	    {"run --set num_sms=4 --param nosuch=1", "nosuch"},
	    {"run --set num_sms=4 --set sm.threads=128", "run: "}, /* no CTA fits */
	    {"run --set num_sms=4 --warp-sched lua:/nowhere.lua", "nowhere.lua"},
	    {"run --set num_sms=4 --warp-sched nosuch", "nosuch"},
	    {"run --set num_sms=4 --set l2.line=64", "run: --set: l2.line: 64 is smaller than l1d.line 128"},
	};
	struct rig r;
	struct strbuf shown = STRBUF_INIT;
	char *path = failing_program();
	open_workload(&r, path);
	rig_say(&r, "break stat gpu.sm[12].ipc > 1000");
	rig_say(&r, "break cta-dispatch cta=3");
	rig_say(&r, "watch gpu.sm[12].ctas_done");
	rig_say(&r, "display gpu.sm[12].ipc");
	rig_say(&r, "disable 3");
	rig_say(&r, "break divergence --warp-sched lrr");
	rig_has(&r, "c", "Breakpoint 2");
	rig_say(&r, "enable 3");
	rig_say(&r, "step 200");
	rig_say(&r, "focus sm 12 warp 1");
	const struct sim *sim = r.s->sim;
	u64 cycle = sim_cycle(sim), hash = sim_hash(r.s->sim), generation = r.d->bound.generation;
	strbuf_adds(&shown, rig_say(&r, "info breakpoints"));
	for (u32 i = 0; i < ARRAY_LEN(wrong); i++) {
		rig_fails(&r, wrong[i][0], wrong[i][1]);
		if (r.s->sim != sim || sim_cycle(sim) != cycle || sim_hash(r.s->sim) != hash ||
		    r.d->bound.generation != generation)
			fail_msg("%s: the machine is another one", wrong[i][0]);
		assert_string_equal(rig_say(&r, "info breakpoints"), strbuf_str(&shown));
		assert_int_equal(r.d->focus.sm, 12);
		rig_has(&r, "info display", "gpu.sm[12].ipc");
	}
	rig_say(&r, "reverse-step 7"); /* the past is there */
	assert_int_equal(sim_cycle(sim), cycle - 7);
	rig_say(&r, "disable 4");
	rig_has(&r, "c", "Watchpoint 3");
	rig_has(&r, "run --set num_sms=4", "Breakpoint 1 is deleted: ");
	strbuf_release(&shown);
	rig_close(&r);
	unlink(path);
}

/* A machine with fewer SMs: what looks at those that are gone goes, and it is said. */
static void smaller_machine(void **state)
{
	struct rig r;
	open_workload(&r, "hotspot");
	rig_say(&r, "step 300");
	rig_say(&r, "focus sm 12 warp 3");
	rig_say(&r, "break stat gpu.sm[12].ipc > 1000");
	rig_say(&r, "break stat gpu.sm[2].ipc > 1000");
	rig_say(&r, "watch gpu.sm[12].ctas_done");
	rig_has(&r, "run --set num_sms=4", "Breakpoint 1 is deleted: ");
	assert_int_equal(r.d->focus.sm, 0);
	rig_has(&r, "info breakpoints", "2    keep  on ");
	rig_has(&r, "info sms", "\n   3 ");
	rig_has(&r, "reverse-step", "cycle");
	rig_say(&r, "delete");
	rig_has(&r, "run --gpu v100", "finished");
	assert_int_equal(gpu_conf(sim_gpu(r.s->sim))->num_sms, 4); /* --set wins over the machine's file */
	rig_close(&r);
}

static void run_beside_another(void **state)
{
	struct rig r;
	open_workload(&r, "hotspot");
	rig_say(&r, "compare --warp-sched lrr");
	rig_fails(&r, "run --warp-sched elf", "`compare off` takes it away");
	rig_say(&r, "compare off");
	rig_say(&r, "break divergence --warp-sched lrr");
	rig_has(&r, "run --warp-sched elf", "Breakpoint 2 is off: it compares with machines of the options before");
	rig_close(&r);
}

/* Events that need an option: the note's command brings them. */
static void events_that_need_an_option(void **state)
{
	static const char *const need[][2] = {
	    {"cta-nonidempotent", "--set idempotence.track=true"},
	    {"replay-enter", "--set lsu.replay=newcar"},
	    {"elf-recalc", "--warp-sched elf"},
	};
	for (u32 i = 0; i < ARRAY_LEN(need); i++) {
		struct rig r;
		char line[100], note[100];
		open_workload(&r, i == 0 ? "lud" : "bfs");
		snprintf(line, sizeof line, "break %s", need[i][0]);
		snprintf(note, sizeof note, "`run %s` starts again", need[i][1]);
		rig_has(&r, line, note);
		rig_has(&r, "c", "finished");
		snprintf(line, sizeof line, "run %s", need[i][1]);
		rig_has(&r, line, "Breakpoint 1, ");
		snprintf(line, sizeof line, "tbreak %s", need[i][0]);
		rig_say(&r, line);
		assert_null(strstr(strbuf_str(&r.out), "This machine has no"));
		rig_close(&r);
	}
}

/* A live change is seen in the cycles that follow. */
static void live_changes_are_seen(void **state)
{
	static const char *const lines[] = {"set warp-sched lrr", "set max_ctas_per_sm 1", "set sm.fetch_prefetch true"};
	for (u32 i = 0; i < ARRAY_LEN(lines); i++) {
		struct rig r;
		open_workload(&r, "hotspot");
		rig_say(&r, "until 300");
		u64 before = sim_hash(r.s->sim);
		rig_say(&r, "until 6000");
		u64 plain = sim_hash(r.s->sim);
		rig_say(&r, "goto 300");
		assert_int_equal(sim_hash(r.s->sim), before);
		rig_say(&r, lines[i]);
		rig_say(&r, "until 6000");
		assert_true(sim_hash(r.s->sim) != plain);
		rig_close(&r);
	}
}

/* Set in the past, a key is said to hold from there on; set at the end of history, there is nothing to say. */
static void set_in_the_past(void **state)
{
	struct rig r;
	open_workload(&r, "hotspot");
	rig_say(&r, "until 600");
	rig_say(&r, "goto 300");
	rig_has(&r, "set warp-sched lrr", "from cycle 300 on; the cycles after it, up to 600, are forgotten");
	rig_say(&r, "set warp-sched gto");
	assert_null(strstr(strbuf_str(&r.out), "forgotten"));
	rig_close(&r);
}

/* Options that are none of a machine's, as the user wrote them: without the `--b` that they are read as. */
static void options_of_no_machine(void **state)
{
	static const char *const with_options[] = {"run", "compare", "break divergence"};
	struct rig r;
	open_workload(&r, "hotspot");
	for (u32 i = 0; i < ARRAY_LEN(with_options); i++) {
		char line[80], text[120];
		snprintf(line, sizeof line, "%s --help", with_options[i]);
		const char *why = i ? "does not belong to the options of one machine" : "is for the command line";
		snprintf(text, sizeof text, "%s: --help %s", with_options[i], why);
		rig_fails(&r, line, text);
		snprintf(line, sizeof line, "%s --stats x", with_options[i]);
		snprintf(text, sizeof text, "%s: --stats %.16s", with_options[i], why);
		rig_fails(&r, line, text);
	}
	rig_fails(&r, "show var", "print NAME");
	rig_fails(&r, "delete 1-", "'1-' is not a number");
	rig_has(&r, "until stat gpu.ipc > 0.1 over 100 if error('x')", "the condition failed: condition:1: x");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_key),
	    cmocka_unit_test(run_with_options),
	    cmocka_unit_test(run_that_fails),
	    cmocka_unit_test(smaller_machine),
	    cmocka_unit_test(run_beside_another),
	    cmocka_unit_test(events_that_need_an_option),
	    cmocka_unit_test(live_changes_are_seen),
	    cmocka_unit_test(set_in_the_past),
	    cmocka_unit_test(options_of_no_machine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
