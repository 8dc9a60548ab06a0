/* The kernel scheduler's tables as they are told - `info kcb`, `info smst`, their fields in Lua -, and CTAs that stand
 * still because preemption moves contexts: their state by name everywhere, and that no command lets them go on. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "commands/commands.h"
#include "tests/rig/debug_rig.h"

static void open_hotspot(struct rig *r, char *set)
{
	rig_open(r,
	         (char *[]){"warpdbg", "debug", "hotspot", "--size", "small", "--dynamic-idempotence", "--set", set, NULL});
	rig_say(r, "until 4000");
}

/* Every slot is in one state, and what is left adds up with what `gpu.sm` says is used, on all SMs. */
static const char adds_up[] =
    "lua local ok = true for i = 0, 14 do local s, t = gpu.sm[i], gpu.sm[i].smst "
    "local n = 0 for _, c in pairs(t.kernels) do n = n + c end "
    "ok = ok and t.running + t.switch + t.drain + t.flush + t.paused + t.moving == n and n + t.free == s.max_ctas and "
    "t.regs_left + s.regs_used == s.regs and t.shared_left + s.shared_used == s.shared and "
    "t.threads_left == 32 * (s.max_warps - s.warps) end print(ok)";

/* A kernel of 64 CTAs, four an SM; two of its SMs drain, one of its CTAs is paused. */
static void tables(void **state)
{
	struct rig r;
	open_hotspot(&r, "preempt=drain");
	rig_has(&r, "info kcb 0", "kernel 0, hotspot, of stream 0: 0 of 64 CTAs executed, 60 on SMs");
	rig_has(&r, "info kcb 0", "a context of 33792 bytes, which an SM moves in 2000 cycles");
	rig_has(&r, "info kcb 0", "warp instructions a CTA not known yet");
	rig_has(&r, "lua print(gpu.kernel[0].kcb.cta_insts, gpu.kernel[0].kcb.cta_cpi > 1)", "nil\ttrue\n");
	rig_has(&r, "info kcb 1", "0 on SMs");
	rig_fails(&r, "info kcb 99", "99 is larger than");
	rig_has(&r, "info smst 3",
	        "   3     4    4      0     0     0      0      0       0       2048  36864     512  4 x kernel 0\n");
	rig_fails(&r, "info smst 99", "99");
	rig_say(&r, "preempt kernel 0 sms 2 within 100");
	rig_say(&r, "pause cta 5");
	rig_say(&r, "step 1");
	rig_has(&r, adds_up, "true\n");
	rig_has(&r, "info smst 0", "*  0     4    0      0     4     0      0      0       0 ");
	rig_has(&r, "info smst 1", "  4 x kernel 0  request 1\n");
	rig_has(&r, "lua t = gpu.sm[5].smst print(t.running, t.paused, t.request, t.kernels[0])", "3\t1\tnil\t4\n");
	rig_has(&r, "lua t = gpu.sm[0].smst print(t.running, t.drain, t.request)", "0\t4\t1\n");
	rig_say(&r, "resume cta 5");
	rig_say(&r, "save cta 6"); /* it waits for its `restore`, not in the queue */
	rig_say(&r, "step 2000");
	rig_has(&r, "info kcb 0", "; in the queue 0 CTAs");
	rig_say(&r, "restore cta 6");
	rig_say(&r, "until gpu.sm[0].ctas + gpu.sm[1].ctas == 0");
	rig_has(&r, "info kcb 0", "preempted   switch 0, drain 8, flush 0; in the queue 0 CTAs");
	rig_has(&r,
	        "lua k = gpu.kernel[0].kcb print(k.drain, k.ended == gpu.kernel[0].ctas_done, "
	        "math.abs(k.cta_insts * k.cta_cpi - k.cta_cycles) < 1e-6)",
	        "8\ttrue\ttrue\n");
	rig_close(&r);
}

/* None of these may be done to a CTA whose context is moved: it would run while that is elsewhere. */
static void refuse_all(struct rig *r, const char *cta, const char *because)
{
	static const char *const verbs[] = {"resume", "pause", "halt", "drop", "save"};
	char line[64];
	for (u32 i = 0; i < ARRAY_LEN(verbs); i++) {
		snprintf(line, sizeof line, "%s cta %s%s", verbs[i], cta, i == 2 ? " for 100" : "");
		rig_fails(r, line, because);
	}
}

/* SM 0 is switched: its CTAs 0, 15, 30 and 45 stand still from then on until they are back elsewhere. The 15th was
 * paused before. */
static void moves(char *set, const char *because)
{
	struct rig r;
	open_hotspot(&r, set);
	rig_say(&r, "pause cta 15");
	rig_say(&r, "preempt kernel 0 sms 1 within 3 by switch");
	rig_say(&r, "step 1");
	rig_say(&r, "lua before = gpu.sm[0].cta[2].insts");
	rig_has(&r, "info ctas 0", "15360+7680  6144+3072     moving, to leave by switch\n");
	rig_has(&r, "info ctas 0", "7680+7680  3072+3072     paused, to leave by switch\n");
	rig_has(&r, "info kernels", "1 of its CTAs on SMs paused or halted, 0 saved\n    3 of its CTAs moving");
	rig_has(&r, "lua print(gpu.sm[0].cta[2].state, gpu.sm[0].cta[1].state)", "moving\tpaused\n");
	rig_has(&r, "lua k = gpu.kernel[0].kept print(k.paused, k.moving)", "1\t3\n");
	rig_has(&r, adds_up, "true\n");
	rig_has(&r, "info smst 0", "*  0     4    0      4     0     0      0      0       0 ");
	refuse_all(&r, "30", because);
	refuse_all(&r, "15", because); /* its context goes with theirs */
	rig_say(&r, "step 200");
	rig_has(&r, "lua print(gpu.sm[0].cta[2].cta, gpu.sm[0].cta[2].insts - before)", "30\t0\n");
	rig_say(&r, "delete");
	rig_has(&r, "continue", "check passed");
	rig_close(&r);
}

static void moved_in_time(void **state)
{
	moves("preempt.halt=cta", "is moving: preemption moves contexts of SM 0 until cycle 1");
}

static void moved_by_traffic(void **state)
{
	moves("preempt.traffic=true", "is moving: preemption sends contexts of SM 0 through memory, and ends that itself");
}

/* preempt.halt=sm: one that stays is halted with the others, and a place of its own in the table. */
static void stands_with_them(void **state)
{
	struct rig r;
	open_hotspot(&r, "preempt.halt=sm");
	rig_say(&r, "preempt kernel 0 sms 1 within 3 by switch");
	rig_say(&r, "step 1");
	rig_fails(&r, "resume cta 45", "is moving: preemption moves contexts of SM 0 until cycle 12000");
	rig_has(&r, "focus cta 45", "");
	rig_has(&r, "why", "its CTA 45 is moving since cycle 4000, until cycle 12000: preemption moves a context\n");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(tables),
	    cmocka_unit_test(moved_in_time),
	    cmocka_unit_test(moved_by_traffic),
	    cmocka_unit_test(stands_with_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
