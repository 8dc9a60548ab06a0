/* Waits are charged to the instruction that causes them: the load and not the store that needs its value, the barrier
 * and not the instruction behind it; and every waiting warp, on every way that a result may take, has such a one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"
#include "obs/stats/heat.h"

static const char code[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                           ".visible .entry k(.param .u64 p)\n{\n"
                           ".reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .pred %q;\n"
                           "ld.param.u64 %rd1, [p];\n"
                           "mov.u32 %r1, %tid.x;\n"
                           "mul.wide.u32 %rd2, %r1, 4;\n"
                           "add.u64 %rd3, %rd1, %rd2;\n"
                           "ld.global.u32 %r2, [%rd3];\n" /* line 11 */
                           "add.u32 %r3, %r1, 5;\n"
                           "st.global.u32 [%rd3+4096], %r2;\n" /* line 13 */
                           "setp.lt.u32 %q, %r1, 32;\n"
                           "@%q bra ON;\n"
                           "ld.global.u32 %r4, [%rd3+8192];\n"
                           "st.global.u32 [%rd3+4096], %r4;\n"
                           "ON:\n"
                           "bar.sync 0;\n" /* line 19 */
                           "add.u32 %r3, %r3, 1;\n"
                           "ld.global.u32 %r5, [%rd3+16384];\n" /* line 21 */
                           "ld.global.u32 %r6, [%rd3+20480];\n"
                           "add.u32 %r7, %r6, %r5;\n" /* line 23: waits for %r6 first, then %r5 */
                           "membar.gl;\n"
                           "st.global.u32 [%rd3], %r7;\n"
                           "membar.gl;\n" /* line 26 */
                           "add.u32 %r8, %r7, 1;\n"
                           "st.global.u32 [%rd3], %r8;\n"
                           "ret;\n}\n";

static char dir[] = "/tmp/warpdbg-producers-XXXXXX", path[64];

static void write_code(void)
{
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/k.ptx", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(code, 1, sizeof code - 1, f), sizeof code - 1);
	fclose(f);
}

static void open_code(struct rig *r)
{
	char *argv[] = {"warpdbg", "debug", path,    "--kernel",       "k",     "--grid",        "1",
	                "--block", "64",    "--arg", "u32[8192]=iota", "--set", "schedule=none", NULL};
	rig_open(r, argv);
}

enum { LINES = 32 };
static void charges_the_cause(void **state)
{
	struct rig r;
	open_code(&r);
	struct gpu *g = sim_gpu(r.s->sim);
	u32 charged[LINES] = {0}, barrier = 0, fence = 0, first = 0, second = 0, by[256];
	bool was_second[2] = {false};
	for (u32 i = 0; i < 6000; i++) {
		if (!rig_try(&r, "step 1"))
			break;
		gpu_producers(g, 0, by);
		for (u32 w = 0; w < 2; w++) {
			struct warp_info o;
			gpu_warp_info(g, 0, w, &o);
			if (o.launch < 0 || o.pc == PC_DONE) {
				assert_int_equal(by[w], PC_DONE);
				continue;
			}
			const struct module *m = gpu_launched(g, (u32)o.launch)->mod;
			const u32 felt = m->code[o.pc].line, caused = m->code[by[w]].line;
			assert_in_range(caused, 1, LINES - 1);
			charged[caused] += o.state == WS_MEM;
			if (o.state == WS_MEM && felt == 13)
				assert_int_equal(caused, 11);
			if (o.state == WS_BARRIER) {
				assert_int_equal(felt, 20);
				assert_int_equal(caused, 19);
				barrier++;
			}
			if (o.state == WS_FENCE) {
				assert_true(caused == 24 || caused == 26);
				assert_true(felt == caused + 1);
				fence++;
			}
			if (o.state == WS_MEM && felt == 23) { /* the first operand that is pending */
				assert_true(caused == 22 || (caused == 21 && ++second));
				assert_false(caused == 22 && was_second[w]);
				was_second[w] = caused == 21;
				first += caused == 22;
			}
			if (o.state >= WS_READY_SP && o.state <= WS_READY_LSU)
				assert_int_equal(caused, felt);
		}
	}
	assert_true(charged[11] > 50);
	assert_int_equal(charged[13], 0);
	assert_true(barrier > 20);
	assert_true(fence > 10);
	assert_true(first > 20);
	rig_close(&r);
}

static bool needs(const struct inst *in, const struct inst *from)
{
	for (u32 k = 0; k < from->n_sb_dst; k++) {
		for (u32 i = 0; i < in->n_sb_src; i++)
			if (inst_sb_src(in)[i] == inst_sb_dst(from)[k])
				return true;
		for (u32 i = 0; i < in->n_sb_dst; i++)
			if (inst_sb_dst(in)[i] == inst_sb_dst(from)[k])
				return true;
	}
	return false;
}

/* Every warp that waits for a result waits for an instruction that makes one of its operands. */
static u32 each_has_one(struct gpu *g)
{
	const struct conf *c = gpu_conf(g);
	u32 n = 0, by[256];
	for (u32 sm = 0; sm < c->num_sms; sm++) {
		gpu_producers(g, sm, by);
		for (u32 w = 0; w < gpu_warps_per_sm(g); w++) {
			struct warp_info o;
			gpu_warp_info(g, sm, w, &o);
			if (o.launch < 0 || o.pc == PC_DONE || (o.state != WS_MEM && o.state != WS_SHORT))
				continue;
			const struct module *m = gpu_launched(g, (u32)o.launch)->mod;
			const struct inst *in = &m->code[o.pc], *from = &m->code[by[w]];
			if (in->op == OP_RET || in->op == OP_CALL)
				continue;
			n++;
			if (!needs(in, from))
				fail_msg("cycle %llu, SM %u, warp %u: line %u waits, line %u is charged",
				         (unsigned long long)gpu_cycle(g), sm, w, in->line, from->line);
			if (o.state == WS_MEM)
				assert_true(from->cls >= IC_GLOBAL);
		}
	}
	return n;
}

static u64 sum(const struct heat_module *m, u32 (*of)[HEAT_STATES], u32 state)
{
	u64 n = 0;
	for (u32 pc = 0; pc < m->mod->ncode; pc++)
		n += of[pc][state];
	return n;
}

/* What is caused is what is felt, by state; the instructions differ. */
static void sums_close(const struct heat *h)
{
	u32 moved = 0;
	for (u32 i = 0; i < h->nmods; i++) {
		const struct heat_module *m = &h->mods[i];
		u64 waiting = 0;
		for (u32 s = 0; s < HEAT_STATES; s++) {
			assert_int_equal(sum(m, m->at, s), sum(m, m->caused, s));
			waiting += heat_is_waiting(s) ? sum(m, m->caused, s) : 0;
		}
		assert_int_equal(waiting, m->waiting);
		for (u32 pc = 0; pc < m->mod->ncode; pc++) {
			moved += m->at[pc][WS_MEM] != m->caused[pc][WS_MEM];
			assert_true(!m->caused[pc][WS_MEM] || m->mod->code[pc].cls >= IC_GLOBAL);
			assert_true(!m->caused[pc][WS_BARRIER] || m->mod->code[pc].op == OP_BAR);
		}
	}
	assert_true(moved > 0);
}

static void on_every_way(void **state)
{
	static const char *const runs[][3] = {
	    {"hotspot", "gtx480", "lsu.replay=none"}, {"bfs", "titanv", "lsu.replay=none"},
	    {"sgemm", "titanv", "lsu.replay=none"},   {"spmv", "gtx480", "lsu.replay=newcar"},
	    {"lps", "gtx480", "lsu.replay=none"},     {"transpose", "titanv", "lsu.replay=none"}};
	for (u32 i = 0; i < ARRAY_LEN(runs); i++) {
		struct rig r;
		char *argv[] = {"warpdbg",          "debug", (char *)runs[i][0], "--size", "small", "--gpu",
		                (char *)runs[i][1], "--set", (char *)runs[i][2], NULL};
		u32 n = 0;
		rig_open(&r, argv);
		for (u32 k = 0; k < 400 && n < 20000 && rig_try(&r, "step 97"); k++) {
			n += each_has_one(sim_gpu(r.s->sim));
		}
		if (n < 1000)
			fail_msg("%s: %u waits seen", runs[i][0], n);
		sums_close(r.s->heat);
		rig_close(&r);
	}
}

/* --- what the console, `why` and scripts say of it --- */

/* Goes on until `code` holds of warp 0 of SM 0, W in it. */
static void until_warp(struct rig *r, const char *condition)
{
	char line[200];
	snprintf(line, sizeof line, "until (function() local w = gpu.sm[0].warp[0] return %s end)()", condition);
	rig_say(r, line);
	snprintf(line, sizeof line, "print (function() local w = gpu.sm[0].warp[0] return %s end)()", condition);
	rig_has(r, line, "true");
}

static void is_said(void **state)
{
	struct rig r;
	open_code(&r);
	until_warp(&r, "w.state == 'memory' and w.line == 13");
	rig_has(&r, "print gpu.sm[0].warp[0].producer_line", "11");
	rig_has(&r, "print gpu.kernel[0].code(gpu.sm[0].warp[0].producer).line", "11");
	rig_has(&r, "print gpu.sm[0].resident[1].producer == gpu.sm[0].warp[0].producer", "true");
	rig_has(&r, "why warp 0", "waits for %r2: ");
	rig_has(&r, "why warp 0", "produced by k.ptx:11  ld.global.u32 %r2, [%rd3];\n");
	rig_has(&r, "info line 11", "for what it does: memory ");
	rig_say(&r, "info line 13");
	assert_null(strstr(strbuf_str(&r.out), "for what it does"));
	rig_has(&r, "info warps", "line cause  next");
	rig_has(&r, "info warps", "   13    11  st.global.u32");
	rig_has(&r, "explain producer", "charged");

	until_warp(&r, "w.state == 'barrier'");
	rig_has(&r, "print gpu.sm[0].warp[0].producer_line", "19");
	rig_has(&r, "print gpu.sm[0].warp[0].line", "20");
	rig_has(&r, "info line 19", "1 warp waits for what it does: barrier 1\n");
	rig_has(&r, "info warps", "   20    19  add.u32");
	rig_has(&r, "why warp 0", "stands at k.ptx:19  bar.sync 0;");

	until_warp(&r, "w.state == 'fence' and w.line == 27");
	rig_has(&r, "why warp 0", "stands at k.ptx:26  membar.gl;");
	rig_has(&r, "print gpu.sm[0].warp[0].producer_line", "26");
	until_warp(&r, "w.state == 'ready'");
	rig_has(&r, "print gpu.sm[0].warp[0].producer", "nil");
	rig_close(&r);
}

static void other_waits(void **state)
{
	static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
	                           ".visible .entry k(.param .u64 p)\n{\n"
	                           ".reg .b32 %r<9>; .shared .b32 s[64];\n"
	                           "mov.u32 %r1, %tid.x;\n"
	                           "st.shared.u32 [s], %r1;\n"
	                           "ld.shared.u32 %r2, [s];\n" /* line 9 */
	                           "mov.u32 %r3, 1;\n"
	                           "add.u32 %r4, %r2, 1;\n" /* line 11 */
	                           "nanosleep.u32 3000;\n"  /* line 12 */
	                           "add.u32 %r6, %r4, 2;\n"
	                           "st.shared.u32 [s], %r6;\n"
	                           "ret;\n}\n";
	struct rig r;
	char file[64];
	snprintf(file, sizeof file, "%s/o.ptx", dir);
	FILE *f = fopen(file, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, sizeof text - 1, f), sizeof text - 1);
	fclose(f);
	char *argv[] = {"warpdbg",
	                "debug",
	                file,
	                "--kernel",
	                "k",
	                "--grid",
	                "1",
	                "--block",
	                "32",
	                "--arg",
	                "u64=0",
	                "--set",
	                "schedule=none",
	                "--set",
	                "sm.fetch_fallthrough=true",
	                NULL};
	rig_open(&r, argv);
	until_warp(&r, "w.state == 'short' and w.line == 11");
	rig_has(&r, "print gpu.sm[0].warp[0].producer_line", "9");
	rig_has(&r, "why warp 0", "produced by o.ptx:9  ld.shared.u32 %r2, [s];");
	until_warp(&r, "w.state == 'sleep'");
	rig_has(&r, "print gpu.sm[0].warp[0].producer_line", "12");
	rig_has(&r, "print gpu.sm[0].warp[0].line", "13");
	rig_has(&r, "why warp 0", "stands at o.ptx:12  nanosleep.u32 3000;");
	rig_has(&r, "info warps", "   13    12  add.u32");
	rig_close(&r);
	unlink(file);
}

/* In the statistics: the instructions of the file, and sums that close. */
static void in_json(void **state)
{
	struct rig r;
	char file[64], line[80];
	open_code(&r);
	rig_say(&r, "until 3000");
	snprintf(file, sizeof file, "%s/s.json", dir);
	snprintf(line, sizeof line, "export json %s", file);
	rig_say(&r, line);
	json_t *all = json_load_file(file, 0, NULL), *w = json_object_get(all, "waits"), *c;
	assert_non_null(w);
	assert_int_equal(json_integer_value(json_object_get(w, "period")), HEAT_CYCLES);
	const s64 waiting = json_integer_value(json_object_get(w, "waiting"));
	s64 causes = 0, waits = 0, of_11 = 0, at_13 = 0;
	size_t i;
	json_array_foreach(json_object_get(w, "code"), i, c)
	{
		const char *place = json_string_value(json_object_get(c, "place")), *name;
		const s64 n = json_integer_value(json_object_get(c, "causes"));
		s64 states = 0;
		json_t *one;
		json_object_foreach(json_object_get(c, "states"), name, one) states += json_integer_value(one);
		assert_int_equal(states, n);
		causes += n;
		waits += json_integer_value(json_object_get(c, "waits"));
		if (!strcmp(place, "k.ptx:11")) {
			assert_string_equal(json_string_value(json_object_get(c, "text")), "ld.global.u32 %r2, [%rd3];");
			of_11 = json_integer_value(json_object_get(json_object_get(c, "states"), "memory"));
		}
		if (!strcmp(place, "k.ptx:13")) {
			at_13 = json_integer_value(json_object_get(c, "waits"));
			assert_int_equal(n, 0);
		}
	}
	assert_true(waiting > 0);
	assert_int_equal(causes, waiting);
	assert_int_equal(waits, waiting);
	assert_true(of_11 > 0 && at_13 > 0);
	json_decref(all);
	unlink(file);
	rig_close(&r);
}

/* A fetch that goes on behind a branch that was taken is the branch's fault. */
static void fetches(void **state)
{
	struct rig r;
	u32 n = 0, by[256];
	rig_open(&r, (char *[]){"warpdbg", "debug", "hotspot", "--size", "small", NULL});
	for (u32 k = 0; k < 100 && rig_try(&r, "step 16"); k++) {
		struct gpu *g = sim_gpu(r.s->sim);
		gpu_producers(g, 0, by);
		for (u32 i = 0; i < gpu_warps_per_sm(g); i++) {
			struct warp_info w;
			char line[64];
			gpu_warp_info(g, 0, i, &w);
			if (w.state != WS_FETCH || by[i] == w.pc)
				continue;
			assert_int_equal(gpu_launched(g, (u32)w.launch)->mod->code[by[i]].op, OP_BRA);
			if (n++)
				continue;
			snprintf(line, sizeof line, "why warp %u", i);
			rig_has(&r, line, "behind the branch hotspot.ptx:");
		}
	}
	assert_true(n > 20);
	rig_close(&r);
}

/* What the producer must be: the last instruction that the warp has executed, wherever its CTA was then, of those that
 * write the register it waits for. */
static const char check[] =
    "bad, seen, last, dests = {}, 0, {}, {}\n"
    "local function dest(kernel, pc)\n"
    "  local d = dests[kernel * 4096 + pc]\n"
    "  if not d then\n"
    "    d = {}\n"
    "    local text = gpu.kernel[kernel].code(pc).text:gsub('^@%S+%s+', ''):match('^%S+%s+(.*)') or ''\n"
    "    for name in (text:match('^{[^}]*}') or text:match('^[^,]*')):gmatch('%%[%w_]+') do d[name] = true end\n"
    "    dests[kernel * 4096 + pc] = d\n"
    "  end\n"
    "  return d\n"
    "end\n"
    "local function of(e)\n"
    "  local k = e.kernel .. ':' .. e.cta .. ':' .. gpu.sm[e.sm].warp[e.warp].warp_in_cta\n"
    "  last[k] = last[k] or {}\n"
    "  return last[k]\n"
    "end\n"
    "dbg.on('issue', function(e) for name in pairs(dest(e.kernel, e.pc)) do of(e)[name] = e.pc end end)\n"
    "dbg.on('cta-drop', function(e) for k in pairs(last) do\n"
    "  if k:find(e.kernel .. ':' .. e.cta .. ':', 1, true) == 1 then last[k] = nil end end end)\n"
    "dbg.sample(61, function() for i = 0, gpu.num_sms - 1 do for _, w in ipairs(gpu.sm[i].resident) do\n"
    "  local name = (w.state == 'memory' or w.state == 'short') and w.waits:match('^%%[%w_]+')\n"
    "  local pc = name and of({sm = i, warp = w.slot, kernel = w.kernel, cta = w.cta})[name]\n"
    "  if pc then\n"
    "    seen = seen + 1\n"
    "    if pc ~= w.producer then bad[#bad + 1] = table.concat({gpu.cycle, i, w.slot, w.waits, pc, w.producer}, ' ') "
    "end\n"
    "  end end end end)\n";

static void learn_to_check(struct rig *r)
{
	char file[64], line[80];
	snprintf(file, sizeof file, "%s/check.lua", dir);
	snprintf(line, sizeof line, "source %s", file);
	FILE *f = fopen(file, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(check, 1, sizeof check - 1, f), sizeof check - 1);
	fclose(f);
	rig_say(r, line);
	unlink(file);
}

/* Results of CTAs that have no slots name places that are another CTA's now: none of them is charged with them. */
static void without_slots(void **state)
{
	char *runs[][16] = {{"warpdbg", "debug", "bfs", "--size", "small", "--cta-virtual", "vt", "--set", "sm.ctas=2",
	                     "--set", "num_sms=2", NULL},
	                    {"warpdbg", "debug", "vecadd", "--size", "small", "--gpu", "titanv", "--cta-virtual", "vt",
	                     "--set", "sm.ctas=2", "--set", "num_sms=2", NULL},
	                    {"warpdbg", "debug", "bfs", "--size", "small", NULL}};
	for (u32 i = 0; i < ARRAY_LEN(runs); i++) {
		struct rig r;
		u32 n = 0, kept = 0, waits = 0;
		rig_open(&r, runs[i]);
		learn_to_check(&r);
		for (u32 k = 0; k < 300 && rig_try(&r, "step 61"); k++) {
			struct gpu *g = sim_gpu(r.s->sim);
			n += each_has_one(g);
			const struct cta_tally t = gpu_cta_tally(g, -1);
			kept += t.inactive + t.saved;
			if (i < 2)
				continue;
			struct warp_info w; /* preempted by hand: the focused warp's CTA, while it waits */
			gpu_warp_info(g, 0, 0, &w);
			if (k % 10 == 9)
				rig_try(&r, "restore cta 0");
			else if (w.state == WS_MEM && w.cta == 0 && rig_try(&r, "save cta 0"))
				waits++;
		}
		if (n < 300 || kept < (i < 2 ? 500 : 4) || (i == 2 && !waits))
			fail_msg("run %u: %u waits seen, %u CTAs without a slot, %u saved", i, n, kept, waits);
		rig_has(&r, "print seen > 100", "true");
		rig_has(&r, "print bad[1] or 'none'", "none");
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(charges_the_cause), cmocka_unit_test(on_every_way), cmocka_unit_test(is_said),
	    cmocka_unit_test(other_waits),       cmocka_unit_test(fetches),      cmocka_unit_test(in_json),
	    cmocka_unit_test(without_slots),
	};
	write_code();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	rmdir(dir);
	return failed;
}
