/* Lua's dbg, gpu and mem: values agree with the queries, callbacks are filtered and bounded, errors say what is wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"
#include "obs/name/probe_path.h"

static void inspection(void **state)
{
	struct rig r;
	char line[200];
	struct warp_info w;
	rig_vecadd(&r);
	rig_say(&r, "step 700");
	struct gpu *g = sim_gpu(r.s->sim);
	rig_has(&r, "p gpu.cycle", "700");
	rig_has(&r, "p #gpu.sm", "15");
	rig_has(&r, "p gpu.kernel[0].name", "vecadd");
	rig_has(&r, "p gpu.kernel[0].grid.x", "64");
	for (u32 i = 0; i < 15; i++) {
		char value[40];
		gpu_warp_info(g, i, 3, &w);
		snprintf(line, sizeof(line), "p gpu.sm[%u].warp[3].insts", i);
		snprintf(value, sizeof(value), "%llu\n", (unsigned long long)w.insts);
		assert_string_equal(rig_say(&r, line), value);
	}
	rig_close(&r);
}

/* Every counter, on both ways: Lua and the probe path. */
static void counters_agree_with_probes(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "step 900");
	struct gpu *g = sim_gpu(r.s->sim);
	for (u32 i = 0; i < counter_ndescs; i++) {
		const struct counter_desc *c = &counter_descs[i];
		char path[100], line[120];
		struct probe_path p;
		struct strbuf v = STRBUF_INIT;
		if (c->group == CG_sm)
			snprintf(path, sizeof(path), "gpu.sm[2].%s", c->name);
		else if (c->group == CG_kernel)
			snprintf(path, sizeof(path), "gpu.kernel[0].%s", c->name);
		else
			snprintf(path, sizeof(path), "gpu.%s.%s", counter_group_names[c->group], c->name);
		if (!probe_parse(g, path, &p, &r.e))
			fail_msg("%s", r.e.msg);
		probe_value_text(probe_read(g, &p), &v);
		strbuf_addc(&v, '\n');
		snprintf(line, sizeof(line), "p %s", path);
		assert_string_equal(rig_say(&r, line), strbuf_str(&v));
		strbuf_release(&v);
	}
	rig_close(&r);
}

/* pairs() goes over each list from 0 to its last element, in order. */
static void lists_in_pairs(void **state)
{
	static const char *const lists[] = {"gpu.sm",
	                                    "gpu.kernel",
	                                    "gpu.l2",
	                                    "gpu.dram",
	                                    "gpu.sm[1].warp",
	                                    "gpu.sm[1].cta",
	                                    "gpu.sm[1].warp[0].reg['%r1']"};
	struct rig r;
	char line[200];
	rig_vecadd(&r);
	rig_say(&r, "step 700");
	for (u32 i = 0; i < ARRAY_LEN(lists); i++) {
		snprintf(line, sizeof line,
		         "lua n = 0 for i, v in pairs(%s) do assert(i == n and tostring(v) == tostring(%s[i])) n = n + 1 end",
		         lists[i], lists[i]);
		rig_say(&r, line);
		snprintf(line, sizeof line, "p n > 0 and n == #%s", lists[i]);
		assert_string_equal(rig_say(&r, line), "true\n");
	}
	rig_close(&r);
}

static void registers(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "tbreak vecadd:40 sm=0 warp=0");
	rig_say(&r, "c");
	/* %r5 is the thread's global index: lane l of warp 0 of CTA 0 has l */
	rig_has(&r, "info registers %r5", "0x0000001f");
	rig_has(&r, "p gpu.sm[0].warp[0].reg['%r5'][7]", "7\n");
	rig_fails(&r, "p gpu.sm[0].warp[0].reg['%r5'][32]", "lane 32 does not exist (0..31)");
	rig_fails(&r, "p gpu.sm[0].warp[0].reg['%zz'][0]", "no function with a register");
	rig_close(&r);
}

static void memory(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	const struct devmem *m = sim_devmem(r.s->sim);
	char line[120];
	u64 addr = 0;
	for (u32 i = 0; i < m->nallocs; i++)
		if (!strcmp(m->allocs[i].name, "vecadd_param_0"))
			addr = m->allocs[i].addr;
	assert_true(addr != 0);
	snprintf(line, sizeof(line), "lua a = %llu", (unsigned long long)addr);
	rig_say(&r, line);
	rig_has(&r, "p mem.read_f32(a + 4 * 100)", "100\n");
	rig_has(&r, "p #mem.read_f32(a, 16)", "16\n");
	rig_has(&r, "p mem.read_f32(a, 16)[15]", "15\n");
	rig_say(&r, "lua mem.write_f32(a, {7.5, 8.5})");
	rig_has(&r, "p mem.read_f32(a) + mem.read_f32(a + 4)", "16\n");
	rig_say(&r, "lua mem.write_s8(a, -3)");
	rig_has(&r, "p mem.read_s8(a)", "-3\n");
	rig_has(&r, "p mem.read_u8(a)", "253\n");
	rig_fails(&r, "p mem.read_f32(16)", "0x10");
	rig_fails(&r, "lua mem.write_u32(a, 'x')", "number expected");
	rig_fails(&r, "p mem.shared(0, 0, 0)", "empty");
	rig_fails(&r, "p mem.read_u8(a, 0)", "elements");
	rig_close(&r);
}

static void events(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "lua n = 0; all = 0; id = dbg.on('cta_done', {sm=1}, function(e) n = n + 1; assert(e.sm == 1 and "
	            "e.kernel_name == 'vecadd') end)");
	rig_say(&r, "lua dbg.on('cta-done', function(e) all = all + 1 end)");
	rig_say(&r, "c");
	assert_int_equal(r.d->run.state, DBG_FINISHED);
	rig_has(&r, "p all", "64\n");
	const u64 *done = gpu_counters(sim_gpu(r.s->sim), CG_sm, 1);
	char line[60], value[40];
	snprintf(value, sizeof(value), "%llu\n", (unsigned long long)((const struct sm_counters *)done)->ctas_done);
	snprintf(line, sizeof(line), "p n");
	assert_string_equal(rig_say(&r, line), value);
	rig_say(&r, "lua dbg.off(id); n = 0");
	rig_say(&r, "run"); /* subscriptions outlive a restart */
	rig_has(&r, "p n", "0\n");
	rig_has(&r, "p all", "128\n");
	rig_fails(&r, "lua dbg.off(id)", "no subscription");
	rig_fails(&r, "lua dbg.on('nonsense', function() end)", "no event");
	rig_fails(&r, "lua dbg.on('cta-done', {lane=1}, function() end)", "lane");
	rig_fails(&r, "lua dbg.on('cta-done', {}, 3)", "function expected");
	rig_close(&r);
}

static void callbacks_are_bounded(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "lua dbg.on('cta-done', function(e) while true do end end)");
	rig_has(&r, "c", "budget");
	rig_has(&r, "c", "finished"); /* the callback is off */
	rig_close(&r);
}

static void callbacks_only_look(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "lua dbg.on('cta-dispatch', function(e) mem.write_u8(0x100000000, 1) end)");
	rig_has(&r, "c", "not change it");
	rig_say(&r, "lua dbg.on('cta-done', function(e) dbg.step() end)");
	rig_has(&r, "c", "running already");
	rig_say(&r, "lua dbg.on('cta-done', function(e) error({}) end)");
	rig_has(&r, "c", "not a string");
	rig_close(&r);
}

static void stepping(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_has(&r, "lua gpu.num_sms", "15\n"); /* a value by itself, as at Lua's own prompt */
	rig_fails(&r, "lua gpu.sm[99]", "SM 99 does not exist");
	rig_has(&r, "lua print('before'); print(dbg.step(50) == '', gpu.cycle)", "before\ntrue\t50\n");
	rig_has(&r, "lua print(dbg.run_until(120) == '', gpu.cycle)", "true\t120");
	rig_has(&r, "lua print(dbg.run_until(function() return gpu.cycle % 64 == 0 end) == '', gpu.cycle)", "true\t128");
	rig_has(&r, "lua print(dbg.run_until('cta-done', {sm=3}) == '', gpu.sm[3].ctas_done)", "true\t1");
	rig_say(&r, "lua b = dbg.break_on('cta-done', {}, function(e) return e.cta == 63 end)");
	rig_has(&r, "lua print(dbg.continue())", "CTA 63 of vecadd");
	rig_has(&r, "lua print(#dbg.execute('info sms') > 500)", "true");
	rig_fails(&r, "lua dbg.execute('nonsense')", "unknown command");
	rig_fails(&r, "lua dbg.run_until(1)", "passed");
	rig_fails(&r, "lua coroutine.wrap(function() dbg.step() end)()", "coroutine");
	rig_close(&r);
}

static void errors_name_things(void **state)
{
	static const char *const bad[][2] = {{"p gpu.sm[15].issued", "SM 15 does not exist (0..14)"},
	                                     {"p gpu.sm[0].warp[48].pc", "warp slot 48 does not exist (0..47)"},
	                                     {"p gpu.kernel[1].name", "kernel 1 does not exist (0..0)"},
	                                     {"p gpu.sm[0].warp[0].stat", "did you mean 'state'"},
	                                     {"p gpu.l1d.nonsense", "l1d has no 'nonsense'"},
	                                     {"lua gpu.sm[0].issued = 3", "read-only"},
	                                     {"lua pairs(gpu.sm[0])", "an SM is no list"},
	                                     {"lua pairs(gpu.l1d)", "is no list"},
	                                     {"p gpu.stalls('x')", "no taxonomy 'x'"},
	                                     {"lua x =", "unexpected symbol near <eof>"},
	                                     {"lua error('boom')", "boom"},
	                                     {"p 1 +", "<eof>"}};
	struct rig r;
	rig_vecadd(&r);
	for (u32 i = 0; i < ARRAY_LEN(bad); i++) {
		if (strstr(bad[i][0], "x =")) { /* unfinished: one more line ends it */
			rig_say(&r, bad[i][0]);
			rig_fails(&r, "", bad[i][1]);
		} else {
			rig_fails(&r, bad[i][0], bad[i][1]);
		}
	}
	rig_close(&r);
}

static void unfinished_chunks_go_on(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "lua for i = 1, 3 do");
	assert_string_equal(debugger_prompt(r.d), "> ");
	rig_say(&r, "print(i * 10)");
	rig_has(&r, "end", "10\n20\n30\n");
	assert_string_equal(debugger_prompt(r.d), "(wd) ");
	rig_close(&r);
}

/* Each documented field can be read on a machine at work; each function is there. */
static void reference_is_true(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "step 600");
	for (const struct lua_doc *x = lua_gpu_docs; x->name; x++) {
		char line[200] = "p ", *to = line + 2;
		if (strstr(x->signature, "COUNTER"))
			continue;
		for (const char *p = x->name; *p; p++)
			*to++ = strchr("SWCK", *p) && p[-1] == '[' ? '0' : *p;
		*to = 0;
		rig_say(&r, line);
	}
	const struct lua_doc *const tables[] = {lua_dbg_docs, lua_mem_docs};
	for (u32 t = 0; t < ARRAY_LEN(tables); t++)
		for (const struct lua_doc *x = tables[t]; x->name; x++) {
			char line[200];
			snprintf(line, sizeof(line), "p type(%s)", x->name);
			rig_has(&r, line, "function");
		}
	rig_close(&r);
}

static void hooks(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "lua samples, ends, starts = {}, 0, 0");
	rig_say(&r, "lua id = dbg.sample(150, function(c) samples[#samples + 1] = c; assert(c == gpu.cycle) end)");
	rig_say(&r, "lua other = dbg.sample(100, function(c) if c == 400 then dbg.stop('enough at ' .. c) end end)");
	rig_say(&r, "lua last = dbg.at_end(function(c) ends = ends + 1; endcycle = c; print('the end of it') end)");
	rig_say(&r, "lua dbg.at_start(function() starts = starts + 1 end)");
	rig_has(&r, "c", "enough at 400");
	rig_has(&r, "p gpu.cycle", "400\n");
	rig_has(&r, "p samples", "{150, 300}");
	rig_say(&r, "goto 200"); /* what is passed again is not sampled again */
	rig_say(&r, "step 300");
	rig_has(&r, "p gpu.cycle", "500\n");
	rig_has(&r, "p samples", "{150, 300, 450}");
	rig_has(&r, "p ends", "0\n");
	rig_has(&r, "c", "the end of it");
	rig_has(&r, "p ends == 1 and endcycle == gpu.cycle and #samples == gpu.cycle // 150", "true");
	rig_say(&r, "lua dbg.off(id); dbg.off(other); dbg.off(last); n = #samples");
	rig_say(&r, "run"); /* to its end: nothing stops it any more */
	rig_has(&r, "p starts == 1 and ends == 1 and #samples == n", "true");
	rig_fails(&r, "lua dbg.off(id)", "no subscription");
	rig_fails(&r, "lua dbg.stop('now')", "outside a callback");
	rig_fails(&r, "lua dbg.sample(0, print)", "at least 1 cycle");
	rig_fails(&r, "lua dbg.at_end(3)", "function expected");
	rig_close(&r);
}

static void hooks_that_fail_are_off(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "lua dbg.sample(100, function(c) error('broken sample', 0) end)");
	rig_say(&r, "lua dbg.at_end(function(c) mem.write_u8(0x100000000, 1) end)");
	rig_has(&r, "c", "broken sample");
	rig_has(&r, "p gpu.cycle", "100\n");
	assert_true(r.d->report.failed);
	rig_has(&r, "c", "not change it");
	assert_int_equal(r.d->run.state, DBG_FINISHED);
	rig_close(&r);
}

/* Events passed again after going back say so, with `goto` as with the reverse commands. */
static void replayed_events_say_so(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "lua new, old = 0, 0");
	rig_say(&r, "lua dbg.on('issue', function(e) if e.replay then old = old + 1 else new = new + 1 end end)");
	rig_say(&r, "step 700");
	rig_has(&r, "p new == gpu.issued and old == 0", "true");
	rig_say(&r, "goto 300");
	rig_say(&r, "lua before = gpu.issued");
	rig_say(&r, "step 600");
	rig_has(&r, "p new == gpu.issued and old > 0", "true");
	rig_say(&r, "goto 700");
	rig_has(&r, "p old == gpu.issued - before", "true");
	rig_close(&r);
}

static void code_and_states(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "lua pcs, cost, waits = {}, 0, 0");
	rig_say(&r, "lua dbg.on('issue', function(e) pcs[e.pc] = gpu.kernel[e.kernel].code(e.pc); cost = cost + "
	            "pcs[e.pc].slots end)");
	rig_say(&r, "lua dbg.on('warp-stall', {state='memory'}, function(e) assert(e.state_name == 'memory'); waits = "
	            "waits + 1 end)");
	rig_say(&r, "lua dbg.on('l1-miss', function(e) assert(e.kernel_name == 'vecadd' and e.warp and e.cta); miss = "
	            "gpu.kernel[0].code(e.pc).op end)");
	rig_say(&r, "step 700");
	rig_say(&r, "lua seen = 0; for i = 0, 14 do for _, w in ipairs(gpu.sm[i].resident) do seen = seen + 1; local x = "
	            "gpu.sm[i].warp[w.slot]; assert(w.cta == x.cta and w.kernel == 0 and w.pc == x.pc and w.waits == "
	            "x.waits) end end");
	rig_has(&r, "p seen", "");
	rig_say(&r, "lua all = 0; for i = 0, 14 do all = all + gpu.sm[i].warps end assert(seen == all and seen > 0)");
	rig_say(&r, "c");
	rig_has(&r, "p cost == gpu.issue_slots and waits > 0", "true");
	rig_has(&r, "p miss", "ld\n");
	rig_has(&r, "p pcs[0].func .. ' ' .. pcs[0].file .. ' ' .. tostring(pcs[0].kernel)", "vecadd vecadd.ptx true");
	rig_fails(&r, "p gpu.kernel[0].code(100000)", "no instruction 100000");
	rig_fails(&r, "p gpu.kernel[0].code(-1)", "no instruction -1");
	rig_fails(&r, "lua dbg.on('warp-stall', {state='memry'}, print)", "a number is expected");
	rig_close(&r);
}

/* What the warp scheduler says and the phase of a warp are the queries', in Lua and in info policies. */
static void schedulers(void **state)
{
	static const struct {
		const char *name, *says;
	} policies[] = {{"lrr", "turn from "},    {"gto", "greedy "},       {"tlv", "active group "},
	                {"rr", "turn of "},       {"paws", "last "},        {"tl-rr", " | active "},
	                {"tl-gto", " | active "}, {"tl-paws", " | active "}};
	struct rig r;
	char line[120];
	rig_vecadd(&r);
	rig_say(&r, "step 300");
	for (u32 i = 0; i < ARRAY_LEN(policies); i++) {
		struct strbuf text = STRBUF_INIT;
		struct warp_info w;
		snprintf(line, sizeof line, "set warp-sched %s", policies[i].name);
		rig_say(&r, line);
		for (u32 k = 0; k < 20 && !text.len; k++) { /* until its first choice */
			rig_say(&r, "step 20");
			gpu_sched_text(sim_gpu(r.s->sim), 0, 1, UINT32_MAX, &text);
		}
		if (!strstr(strbuf_str(&text), policies[i].says))
			fail_msg("%s says '%s'", policies[i].name, strbuf_str(&text));
		snprintf(line, sizeof line, "SM 0 scheduler 1: %s\n", strbuf_str(&text));
		rig_has(&r, "info policies", line);
		rig_has(&r, "p gpu.sm[0].sched[1].text", strbuf_str(&text));
		strbuf_clear(&text);
		gpu_sched_text(sim_gpu(r.s->sim), 0, 1, 3, &text);
		strbuf_addc(&text, '\n');
		assert_string_equal(rig_say(&r, "p gpu.sm[0].warp[3].policy"), strbuf_str(&text));
		gpu_warp_info(sim_gpu(r.s->sim), 0, 3, &w);
		assert_true(w.phase >= 0 && (u32)w.phase < w.phases && w.phase_distance > 0);
		snprintf(line, sizeof line, "%d/%u/%u\n", w.phase, w.phases, w.phase_distance);
		assert_string_equal(rig_say(&r, "p gpu.sm[0].warp[3].phase..'/'..gpu.sm[0].warp[3].phases..'/'.."
		                                "gpu.sm[0].warp[3].phase_distance"),
		                    line);
		strbuf_release(&text);
	}
	rig_say(&r, "continue");
	assert_string_equal(rig_say(&r, "p gpu.sm[0].warp[3].phase"), "nil\n"); /* an empty slot */
	assert_string_equal(rig_say(&r, "p gpu.sm[0].warp[3].policy"), "\n");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(inspection),
	    cmocka_unit_test(counters_agree_with_probes),
	    cmocka_unit_test(lists_in_pairs),
	    cmocka_unit_test(registers),
	    cmocka_unit_test(memory),
	    cmocka_unit_test(events),
	    cmocka_unit_test(callbacks_are_bounded),
	    cmocka_unit_test(callbacks_only_look),
	    cmocka_unit_test(stepping),
	    cmocka_unit_test(errors_name_things),
	    cmocka_unit_test(unfinished_chunks_go_on),
	    cmocka_unit_test(reference_is_true),
	    cmocka_unit_test(hooks),
	    cmocka_unit_test(hooks_that_fail_are_off),
	    cmocka_unit_test(replayed_events_say_so),
	    cmocka_unit_test(code_and_states),
	    cmocka_unit_test(schedulers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
