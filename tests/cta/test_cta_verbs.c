/* The console's verbs on CTAs: what they say, what becomes of the CTA, that undo and going back know them, and that a
 * mistake changes nothing. That no result changes, whatever is done to whom and when, is test_verbs'. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "commands/commands.h"
#include "tests/rig/debug_rig.h"

static void open_small(struct rig *r, const char *workload)
{
	rig_open(r, (char *[]){"warpdbg", "debug", (char *)workload, "--size", "small", "--dynamic-idempotence", NULL});
	rig_say(r, "break cta-dispatch cta=20");
	rig_say(r, "continue");
}

static u64 hash(struct rig *r)
{
	return sim_hash(r->s->sim);
}

static void paused_and_resumed(void **state)
{
	struct rig r;
	open_small(&r, "hotspot");
	rig_has(&r, "pause cta", "CTA 20 of launch 0 is paused.");
	rig_has(&r, "step 300", "paused");
	rig_has(&r, "lua print(gpu.sm[5].cta[1].insts)", "0");
	rig_has(&r, "resume cta 20 kernel=0", "CTA 20 of launch 0 goes on.");
	rig_has(&r, "undo", "undone");
	rig_has(&r, "info focus", "paused");
	rig_has(&r, "lua print(dbg.execute('resume cta'))", "goes on");
	rig_has(&r, "halt cta 20 for 250", "CTA 20 of launch 0 is halted for 250 cycles.");
	rig_has(&r, "step 249", "paused");
	rig_say(&r, "step 40");
	if (strstr(rig_say(&r, "info focus"), "paused"))
		fail_msg("halted for longer than 250 cycles");
	rig_say(&r, "delete");
	rig_has(&r, "continue", "check passed");
	rig_close(&r);
}

static void saved_and_restored(void **state)
{
	struct rig r;
	open_small(&r, "hotspot");
	rig_say(&r, "step 400");
	rig_has(&r, "save cta 20", "is saved, its place is free");
	rig_fails(&r, "pause cta 20", "pause: CTA 20 of launch 0 is saved");
	rig_say(&r, "step 300");
	u64 at = sim_cycle(r.s->sim), before = hash(&r);
	rig_fails(&r, "restore cta 20 sm=77", "there is no SM 77: the machine has 15");
	rig_say(&r, "tbreak cta-restore if e.sm == 3");
	rig_has(&r, "restore cta 20 sm=3", "goes on where there is room");
	rig_has(&r, "continue", "cta-restore: SM 3, CTA 20");
	u64 cycle = sim_cycle(r.s->sim), there = hash(&r);
	char line[64];
	snprintf(line, sizeof line, "goto %llu", (unsigned long long)at - 1);
	rig_say(&r, line);
	snprintf(line, sizeof line, "goto %llu", (unsigned long long)cycle);
	rig_say(&r, line);
	assert_true(hash(&r) == there);
	snprintf(line, sizeof line, "goto %llu", (unsigned long long)at - 1);
	rig_say(&r, line);
	for (u32 i = 0; i < 4; i++) /* three times goto, and continue */
		rig_say(&r, "undo");
	rig_has(&r, "undo", "change of the machine is undone"); /* restore */
	assert_true(sim_cycle(r.s->sim) == at && hash(&r) == before);
	rig_say(&r, "restore cta 20");
	rig_say(&r, "delete");
	rig_has(&r, "continue", "check passed");
	rig_close(&r);
}

static void dropped(void **state)
{
	struct rig r;
	open_small(&r, "hotspot");
	rig_say(&r, "step 300");
	rig_has(&r, "lua print(gpu.sm[5].cta[1].insts > 0)", "true");
	rig_has(&r, "drop cta 20", "CTA 20 of launch 0 begins again.");
	rig_has(&r, "step 1", "fetch");
	rig_say(&r, "delete");
	rig_has(&r, "continue", "check passed");
	rig_close(&r);
	open_small(&r, "histogram");
	rig_say(&r, "tbreak cta-nonidempotent");
	rig_has(&r, "continue", "cta-nonidempotent");
	rig_fails(&r, "drop cta", "cannot be dropped: it did an atomic at pc ");
	rig_close(&r);
	rig_open(&r, (char *[]){"warpdbg", "debug", "hotspot", "--size", "small", NULL});
	rig_say(&r, "step 100");
	rig_fails(&r, "drop cta 0", "--dynamic-idempotence records it");
	rig_close(&r);
}

/* In the past, too: what came after is still there. */
static void mistakes_change_nothing(void **state)
{
	static const struct {
		const char *line, *says;
	} wrong[] = {
	    {"pause", "`pause cta [N] [kernel=K]` is expected"},
	    {"pause sm 3", "`pause cta [N] [kernel=K]` is expected"},
	    {"pause cta x", "'x' is not understood"},
	    {"pause cta 3 4", "'4' is not understood"},
	    {"pause cta 3 sm=1", "'sm=1' is not understood"},
	    {"pause cta 99999", "there is no CTA 99999"},
	    {"pause cta 3 kernel=9", "there is no launch 9"},
	    {"pause cta 3 kernel=", "a number is expected"},
	    {"pause cta 63", "is on no SM"},
	    {"resume cta 20", "is neither paused nor halted"},
	    {"halt cta 20", "for how long?"},
	    {"halt cta 20 for", "a number is expected"},
	    {"halt cta 20 for 0", "for how long?"},
	    {"halt cta 20 for 1000000000000", "1 to 268435456 cycles"},
	    {"halt cta 20 for 5 cycles", "halt"},
	    {"drop cta 63", "is on no SM"},
	    {"save cta 63", "is on no SM"},
	    {"restore cta 20", "is not saved"},
	};
	struct rig r;
	open_small(&r, "hotspot");
	rig_say(&r, "step 500");
	rig_say(&r, "reverse-step 400");
	u64 before = hash(&r);
	for (u32 i = 0; i < ARRAY_LEN(wrong); i++)
		rig_fails(&r, wrong[i].line, wrong[i].says);
	assert_true(hash(&r) == before);
	struct sim_history_info h;
	sim_history_info(r.s->sim, &h);
	assert_true(h.frontier == sim_cycle(r.s->sim) + 400);
	rig_say(&r, "pause cta 20");
	sim_history_info(r.s->sim, &h);
	assert_true(h.frontier == sim_cycle(r.s->sim));
	rig_close(&r);
}

/* A machine in which everything is paused or saved says so, and goes on when it is told to. */
static void kept_is_no_hang(void **state)
{
	struct rig r;
	open_small(&r, "hotspot");
	rig_say(&r, "step 100");
	rig_say(&r, "pause cta 20");
	rig_say(&r, "save cta 5");
	rig_has(&r, "why", "its CTA 20 is paused since cycle 102 (`resume cta 20 kernel=0` ends it)");
	rig_has(&r, "info ctas", "paused");
	rig_has(&r, "info kernels", "1 of its CTAs on SMs paused or halted, 1 saved");
	rig_say(&r, "halt cta 35 for 700");
	rig_has(&r, "why machine", "CTA 35 of hotspot#0 on SM 5 is halted since cycle 102, until cycle 802");
	rig_say(&r, "delete");
	const char *end = rig_say(&r, "continue");
	if (!strstr(end, "Nothing goes on: every CTA that is left is paused or saved") || strstr(end, "eadlock") ||
	    !strstr(end, "so is all 1 CTA of SM 5: nothing issues there") ||
	    !strstr(end, "CTA 5 of hotspot#0, which was on SM 5, is saved since cycle"))
		fail_msg("a machine whose CTAs are kept says: %s", end);
	rig_say(&r, "resume cta 20");
	end = rig_say(&r, "continue");
	if (!strstr(end, "`restore cta 5 kernel=0` ends it") || strstr(end, "CTA 20"))
		fail_msg("a kernel that waits for a saved CTA says: %s", end);
	rig_say(&r, "reverse-step 3");
	rig_say(&r, "restore cta 5");
	rig_has(&r, "continue", "check passed");
	rig_close(&r);
}

/* Is the text in the file, which is removed? Blanks and line ends count for nothing. */
static bool file_has(const char *path, const char *text)
{
	static char all[1 << 21];
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	size_t n = 0;
	for (int c; (c = getc(f)) != EOF && n < sizeof all - 1;)
		if (c != ' ' && c != '\n')
			all[n++] = (char)c;
	all[n] = '\0';
	fclose(f);
	remove(path);
	return strstr(all, text);
}

/* Since when a CTA is what it is, and how many there are of each kind: the same for people, scripts and files. */
static void since_and_counts(void **state)
{
#define SAVED_OF "lua for _, c in ipairs(gpu.kernel[0].saved) do "
#define TELL "print(c.cta, c.state, c.since, c.left_at, c.sm, c.to, c.restarts) end"
#define KEPT "lua local k = gpu.kernel[0].kept; print(k.paused, k.saved, k.queued, k.restarts, k.inactive)"
#define JSON "/tmp/warpdbg-test-kept.json"
#define SCREEN "/tmp/warpdbg-test-kept.txt"
	struct rig r;
	open_small(&r, "hotspot");
	rig_has(&r, KEPT, "0\t0\t0\t0\t0");
	rig_say(&r, "step 299");
	rig_say(&r, "pause cta 20");
	rig_say(&r, "save cta 5");
	rig_say(&r, "drop cta 35");
	rig_say(&r, "save cta 35");
	rig_has(&r, "info ctas 5", " 35         0       301          301          any        leaving, begins again\n");
	rig_say(&r, "step 599");
	rig_has(&r, "info ctas 5", " 5          0       301          301          any        saved\n");
	rig_say(&r, "restore cta 35 sm=5");
	rig_has(&r, "info ctas 5", " 35         0       301          900          5          queued, begins again\n");
	rig_has(&r, "info ctas 4", "2 CTAs have been taken off other SMs.");
	rig_has(&r, SAVED_OF TELL, "5\tsaved\t301\t301\t5\tnil\tfalse\n35\tqueued\t900\t301\t5\t5\ttrue");
	rig_has(&r, KEPT, "1\t2\t1\t1\t0");
	rig_has(&r, "lua print(#gpu.kernel[1].saved, gpu.kernel[1].kept.saved)", "0\t0");
	rig_has(&r, "info kernels", "1 of its CTAs on SMs paused or halted, 2 saved");
	rig_has(&r, "info kernels", "waiting for room on an SM: 1 of the saved; to begin again: 1 of them");
	rig_say(&r, "export json " JSON);
	assert_true(file_has(
	    JSON,
	    "\"kept\":{\"paused\":1,\"moving\":0,\"lowered\":0,\"inactive\":0,\"saved\":2,\"queued\":1,\"restarts\":1,\"saved_ctas\":["
	    "{\"cta\":5,\"state\":\"saved\",\"since\":301,\"left_at\":301,\"sm\":5,\"to\":null,\"restarts\":false},"
	    "{\"cta\":35,\"state\":\"queued\",\"since\":900,\"left_at\":301,\"sm\":5,\"to\":5,\"restarts\":true}]}"));
	rig_say(&r, "screenshot " SCREEN " kernel 120x30");
	assert_true(file_has(SCREEN, "1p2s1r"));
	rig_say(&r, "resume cta 20");
	rig_say(&r, "step 4000"); /* there is room on SM 5 */
	rig_has(&r, KEPT, "0\t1\t0\t0\t0");
	rig_say(&r, "restore cta 5");
	rig_say(&r, "delete");
	rig_has(&r, "continue", "check passed");
	rig_say(&r, "screenshot " SCREEN " kernel 120x30");
	assert_false(file_has(SCREEN, "kept"));
	rig_close(&r);
}

static void from_lua(void **state)
{
	static const struct {
		const char *code, *says;
	} wrong[] = {
	    {"lua dbg.pause_cta()", "table expected"},
	    {"lua dbg.pause_cta{}", "dbg.pause_cta: cta= is missing"},
	    {"lua dbg.pause_cta{cta=-1}", "cta: an integer from 0 on is expected"},
	    {"lua dbg.pause_cta{cta=1.5}", "cta: an integer from 0 on is expected"},
	    {"lua dbg.pause_cta{cta='3 kernel=1'}", "cta: an integer from 0 on is expected"},
	    {"lua dbg.pause_cta{cta=1, kernel=1 << 40}", "is larger than 4294967294"},
	    {"lua dbg.pause_cta{cta=1, [{}]=2}", "'table' is not one of cta, kernel"},
	    {"lua dbg.pause_cta{cta=1, sm=2}", "'sm' is not one of cta, kernel"},
	    {"lua dbg.pause_cta{cta=99999}", "there is no CTA 99999"},
	    {"lua dbg.halt_cta{cta=20}", "dbg.halt_cta: cycles= is missing"},
	    {"lua dbg.resume_cta{cta=20}", "is neither paused nor halted"},
	    {"lua dbg.restore_cta{cta=20, sm=3}", "is not saved"},
	    {"lua dbg.drop_cta{cta=63}", "is on no SM"},
	    {"lua coroutine.wrap(function() dbg.pause_cta{cta=20} end)()", "dbg.pause_cta"},
	};
	struct rig r;
	open_small(&r, "hotspot");
	u64 before = hash(&r);
	for (u32 i = 0; i < ARRAY_LEN(wrong); i++)
		rig_fails(&r, wrong[i].code, wrong[i].says);
	assert_true(hash(&r) == before);
	rig_say(&r, "lua dbg.pause_cta{cta=20}");
	rig_has(&r, "lua print(gpu.sm[5].cta[1].state, gpu.sm[5].cta[1].state_since)", "paused\t2");
	rig_say(&r, "lua dbg.resume_cta{cta=20, kernel=0}");
	rig_has(&r, "lua print(gpu.sm[5].cta[1].state)", "running");
	rig_say(&r, "lua dbg.halt_cta{cta=20, cycles=99}");
	rig_has(&r, "lua print(gpu.sm[5].cta[1].state)", "halted");
	rig_say(&r, "lua dbg.drop_cta{cta=20}");
	rig_say(&r, "step 90");
	rig_say(&r, "lua dbg.save_cta{cta=20}");
	rig_say(&r, "step 400");
	rig_say(&r, "lua dbg.restore_cta{cta=20, sm=3}");
	rig_say(&r, "delete");
	rig_has(&r, "continue", "check passed");
	rig_close(&r);
	/* A condition only looks; what a breakpoint does when it stops may change the machine. */
	open_small(&r, "hotspot");
	rig_say(&r, "lua dbg.break_on('warp-stall', {sm=3}, function(e) dbg.pause_cta{cta=20} end)");
	rig_has(&r, "continue", "dbg.pause_cta");
	rig_has(&r, "lua print(gpu.sm[5].cta[1].state)", "running");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(paused_and_resumed),      cmocka_unit_test(saved_and_restored), cmocka_unit_test(dropped),
	    cmocka_unit_test(mistakes_change_nothing), cmocka_unit_test(kept_is_no_hang),    cmocka_unit_test(from_lua),
	    cmocka_unit_test(since_and_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
