/* coherence=denovo in the debugger: the event of words that change hands, `info line` of an address, time travel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "commands/commands.h"
#include "session/session.h"
#include "tests/rig/debug_rig.h"
#include "mem/mem.h"

static void open_ikra(struct rig *r)
{
	char *argv[] = {"warpdbg", "debug", "ikra_small", "--size", "small", "--coherence", "denovo", NULL};
	rig_open(r, argv);
}

/* Every change of hands is told once. L1D has room for all, so nothing leaves with its line while a slice asks for it.
 */
static void each_is_told(void **state)
{
	struct rig r;
	rig_open(&r, (char *[]){"warpdbg", "debug", "ikra_small", "--size", "small", "--coherence", "denovo", "--set",
	                        "l1d.sets=256", "--set", "l1d.hash=linear", NULL});
	rig_say(&r, "lua n = {} for i = 0, 5 do n[i] = 0 end bits = 0");
	rig_say(&r, "lua dbg.on('l1-words', function(e) n[e.change] = n[e.change] + 1 "
	            "if e.change == 0 then bits = bits + (e.words == 0xffffffff and 32 or 0) end end)");
	rig_say(&r, "continue");
	rig_say(&r, "lua read, taken = 0, 0 for i = 0, 14 do local d = gpu.sm[i].l1d "
	            "read = read + d.remote_reads taken = taken + d.words_taken end");
	rig_has(&r, "lua print(read > 0, read == n[2], taken > 0, taken == n[3])", "true\ttrue\ttrue\ttrue");
	rig_has(&r, "lua print(n[0] == n[1], bits == 32 * n[0])", "true\ttrue"); /* owned, then registered: whole lines */
	rig_close(&r);
}

static void a_line_and_its_owner(void **state)
{
	struct rig r;
	open_ikra(&r);
	rig_has(&r, "info line 0x100016404", "no L1D has it");
	rig_has(&r, "info line 0x100016404", "not there");
	rig_say(&r, "break l1-words if e.change == 0 and e.addr == 0x100016400");
	rig_has(&r, "continue",
	        "SM 3, warp 0, CTA 3 of ikra#0 (addr 0x100016400, words 0xffffffff, change stored, other 3)");
	rig_has(&r, "info line 0x100016404", "line 0x100016400  L2 slice");
	rig_has(&r, "info line *0x100016400 + 8", "L1D of SM 3: words 0-31 its own, not registered yet");
	rig_say(&r, "delete");
	rig_say(&r, "break l1-words if e.change == 3 and e.addr == 0x100016400");
	rig_say(&r, "continue");
	rig_has(&r, "info line 0x100016400", "1 owner is asked for words and has not answered");
	rig_has(&r, "info line 0x100016400", "is complete when they have");
	rig_say(&r, "delete");
	rig_say(&r, "continue");
	rig_has(&r, "info line 0x100016400", "all words are registered for SM");
	rig_has(&r, "info line 0x100016400", "words 0-31 its own  (brought in by CTA");
	assert_null(strstr(strbuf_str(&r.out), "not registered yet"));
	rig_fails(&r, "info line 0xq", "malformed");
	rig_fails(&r, "info line *", "");
	rig_close(&r);
}

/* Under `gpu` a line has copies and no owner. */
static void without_owners(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "break l1-fill");
	rig_say(&r, "continue");
	rig_say(&r, "lua a = nil dbg.on('l1-fill', function(e) a = a or e.addr end)");
	rig_say(&r, "continue");
	char line[80] = "info line ";
	strncat(line, rig_say(&r, "lua print(string.format('0x%x', a))"), 40);
	line[strcspn(line, "\n")] = 0;
	rig_say(&r, line);
	if (!strstr(strbuf_str(&r.out), "L1D of SM") || strstr(strbuf_str(&r.out), "words"))
		fail_msg("%s", strbuf_str(&r.out));
	rig_close(&r);
}

#define PLACES 6
/* Time travel, with stores alone and with atomics that wait for words on their way. */
static void there_and_back(struct rig *r)
{
	u64 hash[PLACES];
	for (u32 i = 0; i < PLACES; i++) {
		rig_say(r, "step 1777");
		hash[i] = sim_hash(r->s->sim);
	}
	for (u32 i = PLACES - 1; i-- > 0;) {
		rig_say(r, "reverse-step 1777");
		assert_true(sim_hash(r->s->sim) == hash[i]);
	}
	rig_say(r, "step 1777");
	assert_true(sim_hash(r->s->sim) == hash[1]);
	rig_close(r);
}
static void backwards(void **state)
{
	struct rig r;
	open_ikra(&r);
	there_and_back(&r);
}
static void open_sssp(struct rig *r)
{
	rig_open(r, (char *[]){"warpdbg", "debug", "sssp", "--size", "small", "--gpu", "apu15", NULL});
}
static void backwards_with_atomics(void **state)
{
	struct rig r;
	open_sssp(&r);
	there_and_back(&r);
}

/* An atomic's words: on their way, passed on by another SM's L1D, here. */
static void words_of_atomics(void **state)
{
	struct rig r;
	open_sssp(&r);
	rig_say(&r, "break l1-words if e.change == 6 and e.other ~= e.sm");
	rig_has(&r, "continue", "change got, other ");
	rig_say(&r, "delete");
	rig_say(&r, "lua at = nil dbg.on('l1-words', function(e) if e.change == 6 and e.other ~= e.sm then at = e.addr "
	            "sm = e.sm end end)");
	rig_say(&r, "tbreak l1-words if e.change == 6 and e.other ~= e.sm");
	rig_say(&r, "continue");
	rig_say(&r, "lua cmd = string.format('info line 0x%x', at)");
	rig_has(&r, "lua print(dbg.execute(cmd))", "its own");
	rig_has(&r, "lua dbg.execute('reverse-step 2') print(dbg.execute(cmd))", "on the way to be its own, for an atomic");
	rig_has(&r, "lua print(gpu.l2.words_passed > 0, gpu.l2.atomics)", "true\t0");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_is_told), cmocka_unit_test(a_line_and_its_owner),   cmocka_unit_test(without_owners),
	    cmocka_unit_test(backwards),    cmocka_unit_test(backwards_with_atomics), cmocka_unit_test(words_of_atomics),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
