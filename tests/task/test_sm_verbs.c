/* SMs taken from a kernel in the console and from Lua: what is said, that breakpoints stop there, that undo and going
 * back know it and another technique may be chosen, and that a mistake changes nothing. What a request does is
 * test_preempt's. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "commands/commands.h"
#include "tests/rig/debug_rig.h"

static void open_hotspot(struct rig *r)
{
	rig_open(r, (char *[]){"warpdbg", "debug", "hotspot", "--size", "small", "--dynamic-idempotence", NULL});
	rig_say(r, "until 4000");
}

static u64 hash(struct rig *r)
{
	return sim_hash(r->s->sim);
}

/* A preemption that took too long: its estimates, back before it, another technique, none too late. */
static void another_technique(void **state)
{
	struct rig r;
	open_hotspot(&r);
	rig_has(&r, "preempt kernel 0 sms 2 within 3 by switch",
	        "gives 2 SMs within 3.00 us, by switch: 2 are not free yet");
	const u64 at = sim_cycle(r.s->sim), asked = hash(&r);
	rig_say(&r, "break preempt-done if e.latency_us > 3");
	rig_has(&r, "continue", "technique switch)");
	rig_has(&r, "info preemptions", "too late, after 11.43 us");
	rig_has(&r, "info preemptions", "would have cost: drain");
	rig_has(&r, "info preemptions", "; flush 0.00 us, ");
	rig_has(&r, "info preemptions 1", "2 SMs are kept from launch 0");
	const u64 there = sim_cycle(r.s->sim), then = hash(&r);
	char line[64];
	snprintf(line, sizeof line, "goto %llu", (unsigned long long)at - 1);
	rig_say(&r, line);
	rig_has(&r, "info preemptions", "No kernel was asked");
	snprintf(line, sizeof line, "goto %llu", (unsigned long long)there);
	rig_say(&r, line);
	assert_true(hash(&r) == then);
	snprintf(line, sizeof line, "goto %llu", (unsigned long long)at - 1);
	rig_say(&r, line);
	rig_say(&r, "step 1");
	assert_true(hash(&r) == asked);
	snprintf(line, sizeof line, "goto %llu", (unsigned long long)at - 1);
	rig_say(&r, line);
	rig_has(&r, "preempt sm 1,3-4 within 3 by flush", "3 are not free yet");
	rig_has(&r, "step 1", "");
	rig_has(&r, "info preemptions", "free after 0.00 us");
	rig_has(&r, "undo", "");
	rig_has(&r, "undo", "undone");
	rig_has(&r, "info preemptions", "No kernel was asked");
	rig_say(&r, "delete");
	rig_has(&r, "continue", "check passed");
	rig_close(&r);
}

static void given_back(void **state)
{
	struct rig r;
	open_hotspot(&r);
	rig_has(&r, "lua print(dbg.preempt{kernel=0, sms={2,5}, within=20, by='flush'})", "1");
	rig_say(&r, "step 400");
	rig_has(&r, "info ctas 5", "SM 5 has no resident CTA.");
	rig_has(&r, "release sm 5", "have their SMs back");
	rig_has(&r, "info preemptions", "1 SM is kept from launch 0");
	rig_say(&r, "lua dbg.release{2}");
	rig_fails(&r, "release sms", "no SM has been taken from a kernel and is free of it");
	rig_has(&r, "lua print(dbg.preempt{sms=1, within=0.2, by='drain'})", "2");
	rig_say(&r, "tbreak deadline-miss");
	rig_has(&r, "continue", "deadline-miss: hotspot#0 (request 2, left 1, within_us 1, sms 1)");
	rig_say(&r, "delete");
	rig_has(&r, "continue", "check passed");
	rig_close(&r);
}

/* Techniques and policies are words: in texts, in filters and in Lua; what is not known says so. */
static void in_words(void **state)
{
	struct rig r;
	open_hotspot(&r);
	rig_say(&r, "tbreak preempt-request policy=chimera");
	rig_say(&r, "tbreak preempt-cta technique=flush");
	rig_say(&r, "lua s = '' dbg.on('preempt-plan', { technique = 3 }, function(e) s = s .. e.technique_name end)");
	rig_say(&r, "lua t = {} dbg.on('preempt-cta', function(e) t[e.technique_name] = true end)");
	rig_say(&r, "lua p = '' dbg.on('preempt-request', function(e) p = p .. e.policy_name end)");
	rig_has(&r, "info breakpoints", "technique=flush");
	rig_say(&r, "preempt kernel 0 sms 1 within 0 by drain");
	rig_say(&r, "step 1");
	rig_say(&r, "tbreak preempt-plan technique=chosen");
	rig_say(&r, "preempt kernel 0 sms 2 within 15 by chimera");
	rig_has(&r, "continue", "policy chimera, asker command, for nobody in particular)");
	rig_has(&r, "continue", "check passed");
	rig_has(&r, "lua print(s:sub(1, 12), p, t.drain, t.flush, t.switch)",
	        "chosenchosen\tdrainchimera\ttrue\ttrue\tnil");
	rig_close(&r);
	rig_open(&r, (char *[]){"warpdbg", "debug", "hotspot", "--size", "small", NULL});
	rig_say(&r, "until 500");
	rig_say(&r, "tbreak preempt-plan technique=drain");
	rig_say(&r, "preempt sms 1 within 15 by drain");
	rig_has(&r, "step 1", "technique drain, latency unknown, overhead unknown, unknown none-ended)");
	rig_fails(&r, "break preempt-cta technique=magic",
	          "technique=magic: one of switch, drain, flush or a number is expected");
	rig_close(&r);
}

static void mistakes_change_nothing(void **state)
{
	static const struct {
		const char *line, *says;
	} wrong[] = {
	    {"preempt", "which SMs?"},
	    {"preempt sms", "something is missing behind 'sms'"},
	    {"preempt sms 2", "within what time?"},
	    {"preempt sms 2 within", "something is missing behind 'within'"},
	    {"preempt sms 2 within soon", "'soon' is no time"},
	    {"preempt sms 2 within -3 by drain", "-3 us is no time"},
	    {"preempt sms 2 within nan by drain", "is no time"},
	    {"preempt sms 2 within 15", "no technique is chosen"},
	    {"preempt sms 2 within 15 by magic", "there is no technique 'magic'"},
	    {"preempt sms 2 within 15 by none", "no technique is chosen"},
	    {"preempt sms x within 15 by drain", "'x' is no number of SMs"},
	    {"preempt sms 0 within 15 by drain", "which SMs?"},
	    {"preempt sms 99 within 15 by drain", "launch 0 has CTAs on 15 SMs that it could give"},
	    {"preempt sms 9999 within 15 by drain", "at most 256"},
	    {"preempt sm 77 within 15 by drain", "there is no SM 77: the machine has 15"},
	    {"preempt sm 5-3 within 15 by drain", "the first is behind the last"},
	    {"preempt sm 3-,4 within 15 by drain", "'' is no number of SM"},
	    {"preempt sm 3 sms 2 within 15 by drain", "not both"},
	    {"preempt kernel 7 sms 1 within 15 by drain", "there is no launch 7"},
	    {"preempt kernel=0 sms 1 within 15", "'kernel=0' is not understood"},
	    {"release", "is expected"},
	    {"release sm", "which SMs?"},
	    {"release sms 3", "'3' is left over"},
	    {"release sm 3", "SM 3 has been taken from nobody"},
	    {"release sm 99", "there is no SM 99"},
	    {"release sms", "no SM has been taken from a kernel"},
	    {"lua dbg.preempt{sms=1}", "number expected"},
	    {"lua dbg.preempt{sms={'x'}, within=1}", "number expected"},
	    {"lua dbg.preempt{sms=99, within=1, by='drain'}", "that it could give"},
	    {"lua dbg.release{3}", "taken from nobody"},
	};
	struct rig r;
	struct sim_history_info h;
	open_hotspot(&r);
	rig_say(&r, "reverse-step 400");
	const u64 before = hash(&r);
	for (u32 i = 0; i < ARRAY_LEN(wrong); i++)
		rig_fails(&r, wrong[i].line, wrong[i].says);
	assert_true(hash(&r) == before);
	sim_history_info(r.s->sim, &h);
	assert_true(h.frontier == sim_cycle(r.s->sim) + 400);
	rig_say(&r, "preempt sms 1 within 15 by drain");
	sim_history_info(r.s->sim, &h);
	assert_true(h.frontier == sim_cycle(r.s->sim));
	rig_close(&r);
}

/* A partition policy that takes some of an SM's CTAs: how many, of how many SMs, how many stay, for whom. What leaves
 * is counted from events. */
static void some_of_an_sm(void **state)
{
	struct rig r;
	char want[160];
	u32 ctas, sms, stay;
	rig_open(&r, (char *[]){"warpdbg", "debug", "hotspot", "cp", "--size", "small", "--preempt", "switch", NULL});
	rig_say(&r, "until 3000"); /* hotspot has all SMs */
	rig_say(&r, "set partition smk");
	rig_say(&r, "lua n, sm, m = 0, {}, 0 dbg.on('cta-save', {cause = 'switch'}, function(e) n = n + 1 "
	            "if not sm[e.sm] then sm[e.sm], m = true, m + 1 end end)");
	rig_say(&r, "tbreak preempt-start");
	rig_say(&r, "continue");
	const char *text = rig_say(&r, "info preemptions");
	if (sscanf(text, "request 1, cycle 3000: launch 0 hotspot gives up %u CTAs on %u SMs (%u stay on each)", &ctas,
	           &sms, &stay) != 3)
		fail_msg("%s", text);
	assert_true(ctas > sms && sms == 15 && ctas == (4 - stay) * sms);
	snprintf(want, sizeof want,
	         " for launch 2 cenergy, asked by smk, within 15.00 us, by switch: %u are not free yet\n", sms);
	rig_has(&r, "info preemptions", want);
	rig_say(&r, "tbreak deadline-met");
	rig_say(&r, "continue");
	snprintf(want, sizeof want, "gives up %u CTAs on %u SMs (%u stay on each) for launch 2 cenergy, asked by smk, ",
	         ctas, sms, stay);
	rig_has(&r, "info preemptions 1", want);
	rig_has(&r, "info preemptions 1", "by switch: free after ");
	snprintf(want, sizeof want, "%u\t%u\n", ctas, sms);
	rig_has(&r, "lua print(n, m)", want);
	snprintf(want, sizeof want, "true\n");
	for (u32 sm = 0; sm < sms; sm++) { /* its other CTAs are there */
		char line[64];
		snprintf(line, sizeof line, "lua print((gpu.sm[%u].smst.kernels[0] or 0) == %u)", sm, stay);
		rig_has(&r, line, want);
	}
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(another_technique),       cmocka_unit_test(given_back),    cmocka_unit_test(in_words),
	    cmocka_unit_test(mistakes_change_nothing), cmocka_unit_test(some_of_an_sm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
