/* Partition policies in Lua (--partition lua:FILE): what they see is what the machine has, what they set holds in every
 * cycle, those of the built-in kind decide alike, mistakes stop the machine with the place, and time goes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "dbg/debugger.h"
#include "gpu/query_preempt.h"
#include "tests/rig/debug_rig.h"

static char dir[] = "/tmp/warpdbg-partition-XXXXXX";
static u32 files;

static const char *file(const char *text)
{
	static char path[8][80];
	char *p = path[files % 8];
	snprintf(p, sizeof path[0], "%s/%u.lua", dir, files++);
	FILE *f = fopen(p, "w");
	assert_true(f && fputs(text, f) >= 0 && !fclose(f));
	return p;
}

static void must(struct rig *r, const char *fmt, ...)
{
	char line[200];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	if (!rig_try(r, line))
		fail_msg("%s: %s", line, r->e.msg);
}

static void open_two(struct rig *r, const char *a, const char *b, const char *partition, const char *preempt)
{
	static char value[100];
	snprintf(value, sizeof value, "%s%s", *partition == '/' ? "lua:" : "", partition);
	char *argv[] = {"warpdbg",     "debug", "--size",    "small",         (char *)a, (char *)b,
	                "--partition", value,   "--preempt", (char *)preempt, NULL};
	rig_open(r, argv);
}

static void open_pair(struct rig *r, const char *partition, const char *preempt)
{
	open_two(r, "hotspot", "bfs", partition, preempt);
}

struct end {
	u64 cycle, results, times; /* of all kernels, mixed */
};

static struct end finish(struct rig *r)
{
	struct err e = {0};
	if (r->d->run.rest != DBG_FINISHED)
		must(r, "continue");
	if (r->d->run.rest != DBG_FINISHED || r->s->check != CHECK_PASS)
		fail_msg("%s %s", r->d->run.stop_reason, strbuf_str(&r->s->check_message));
	if (!sim_check(r->s->sim, &e))
		fail_msg("%s", e.msg);
	struct end end = {sim_cycle(r->s->sim), devmem_result_hash(sim_devmem(r->s->sim)), 0};
	for (u32 i = 0; i < gpu_num_kernels(sim_gpu(r->s->sim)); i++) {
		struct kernel_info k;
		gpu_kernel_info(sim_gpu(r->s->sim), i, &k);
		end.times = (end.times ^ k.counters->started_at ^ k.counters->ended_at << 20) * 0x100000001b3ull;
	}
	return end;
}

static struct end run(const char *partition, const char *preempt)
{
	struct rig r;
	open_two(&r, "reduction", "hotspot", partition, preempt); /* of reduction CTAs leave for hotspot's */
	const struct end end = finish(&r);
	rig_close(&r);
	return end;
}

/* --- the built-in ones, in Lua -------------------------------------------------------------------------------------- */

#define FCFS "policy.partition { stateless = true, plan = function(m) end }"
/* Of kernels with CTAs to come as many as smk gives them: one more to the one with the least dominant share, if it
 * fits. */
#define SMK                                                                                                            \
	"local function room(k, used, total) for i = 1, 4 do if used[i] + k.of[i] > total[i] then return false end end "   \
	"return true end\n"                                                                                                \
	"policy.partition { stateless = true, plan = function(m)\n"                                                        \
	"local total, used, list = {48, 8, 32768, 49152}, {0, 0, 0, 0}, {}\n"                                              \
	"local now = 0\n"                                                                                                  \
	"for i, k in ipairs(m:kernels()) do local c = m:cta(k)\n"                                                          \
	"now = now * 1000 + k + 1\n"                                                                                       \
	"if m:left(k) > 0 then list[#list + 1] = {id = k, n = 0, most = m:most(k), of = {c.warps, 1, c.regs, c.shared}} "  \
	"else for sm = 0, m.sms - 1 do m:set(k, sm) end end end\n"                                                         \
	"while true do local best, least\n"                                                                                \
	"for _, k in ipairs(list) do if k.n < k.most and room(k, used, total) then local d = 0\n"                          \
	"for i = 1, 4 do d = math.max(d, k.of[i] * k.n / total[i]) end\n"                                                  \
	"if not best or d < least then best, least = k, d end end end\n"                                                   \
	"if not best then break end\n"                                                                                     \
	"best.n = best.n + 1\nfor i = 1, 4 do used[i] = used[i] + best.of[i] end end\n"                                    \
	"local news = m:get(1) ~= now\nm:put(1, now)\n"                                                                    \
	"for _, k in ipairs(list) do for sm = 0, m.sms - 1 do m:set(k.id, sm, k.n, news and k.n or nil) end end end }"

static void those_of_the_built_in_kind_decide_alike(void **state)
{
	const struct end fcfs = run("fcfs", "none"), smk = run("smk", "switch");
	const struct end lua_fcfs = run(file(FCFS), "none"), lua_smk = run(file(SMK), "switch");
	assert_memory_equal(&fcfs, &lua_fcfs, sizeof fcfs);
	assert_memory_equal(&smk, &lua_smk, sizeof smk);
	assert_true(fcfs.cycle != smk.cycle && fcfs.results == smk.results);
}

/* --- what it sees --------------------------------------------------------------------------------------------------- */

#define LOOKS                                                                                                          \
	"policy.partition { stateless = true, plan = function(m)\n"                                                        \
	"if m:cycle() < 3000 then return 3000 end\n"                                                                       \
	"if m:get(2) ~= 0 then return end\nm:put(2, 1)\n"                                                                  \
	"for _, k in ipairs(m:kernels()) do local c = m:cta(k)\n"                                                          \
	"local on = {} for sm = 0, m.sms - 1 do on[#on + 1] = m:resident(k, sm) end\n"                                     \
	"print(k, m:name(k), m:program(k), m:priority(k), m:left(k), m:resident(k), m:most(k), m:limit(k), c.warps, "      \
	"c.regs, c.shared, m:quota(k, 0), table.concat(on, ' ')) end end }"

/* At a cycle that it asked for; against the queries of the machine then. */
static void what_it_sees(void **state)
{
	struct rig r;
	open_pair(&r, file(LOOKS), "none");
	must(&r, "step 3001");
	char *said = strdup(strbuf_str(&r.s->output)), want[400];
	if (!*said) {
		free(said);
		said = strdup(strbuf_str(&r.out));
	}
	must(&r, "reverse-step 1");
	struct gpu *g = sim_gpu(r.s->sim);
	u32 running = 0;
	for (u32 i = 0; i < gpu_num_kernels(g); i++) {
		struct kernel_info k;
		char on[100] = "";
		gpu_kernel_info(g, i, &k);
		if (k.state != KS_RUNNING)
			continue;
		running++;
		for (u32 sm = 0; sm < 15; sm++) {
			u32 n = 0;
			for (u32 c = 0; c < SM_MAX_CTAS; c++) {
				struct cta_info o;
				gpu_cta_info(g, sm, c, &o);
				n += o.used && o.launch == i;
			}
			snprintf(on + strlen(on), sizeof on - strlen(on), "%s%u", sm ? " " : "", n);
		}
		const struct conf *c = gpu_conf(g);
		snprintf(want, sizeof want, "%u\t%s\t%u\t%d\t%llu\t%u\t%u\tnil\t%u\t%u\t%u\tnil\t%s\n", i, k.name, k.program,
		         k.launch->priority, (unsigned long long)(k.launch->ctas - k.dispatched), k.resident, k.ctas_per_sm,
		         k.launch->warps, sm_cta_regs(c, k.launch), sm_cta_shared(c, k.launch), on);
		if (!strstr(said, want))
			fail_msg("no '%s' in '%s'", want, said);
	}
	assert_int_equal(running, 2);
	free(said);
	rig_close(&r);
}

/* --- what it sets --------------------------------------------------------------------------------------------------- */

/* SM 0 for bfs alone, of hotspot one CTA on SM 1, bfs on no SM behind 9; whoever is beyond leaves. */
#define LIMITS                                                                                                         \
	"policy.partition { stateless = true, plan = function(m)\n"                                                        \
	"local news = #m:kernels() ~= m:get(1)\nm:put(1, #m:kernels())\n"                                                  \
	"for _, k in ipairs(m:kernels()) do for sm = 0, m.sms - 1 do\n"                                                    \
	"local most\nif m:program(k) == 0 then most = sm == 0 and 0 or sm == 1 and 1 or nil\n"                             \
	"elseif sm > 9 then most = 0 end\n"                                                                                \
	"m:set(k, sm, most, news and most or nil) end end end }"

static void what_it_sets_holds_in_every_cycle(void **state)
{
	struct rig r;
	open_pair(&r, file(LIMITS), "flush");
	struct gpu *g = sim_gpu(r.s->sim);
	u64 seen = 0;
	for (u32 n = 0; n < 400; n++) {
		must(&r, "step 37");
		for (u32 sm = 0; sm < 15; sm++) {
			u32 on[2] = {0};
			for (u32 c = 0; c < SM_MAX_CTAS; c++) {
				struct cta_info o;
				struct kernel_info k;
				gpu_cta_info(g, sm, c, &o);
				if (!o.used)
					continue;
				gpu_kernel_info(g, o.launch, &k);
				on[k.program]++;
			}
			assert_true(on[0] <= (sm == 0 ? 0 : sm == 1 ? 1 : 8));
			assert_true(sm <= 9 || !on[1]);
			seen |= (u64)(on[0] > 0) << sm | (u64)(on[1] > 0) << (16 + sm);
		}
	}
	assert_int_equal(seen, 0x3ff7ffeull); /* both were wherever they may be */
	finish(&r);
	rig_close(&r);
}

/* A quota that is set is the one that is told, nil is none. */
static void quotas_are_told(void **state)
{
	struct rig r;
	open_pair(&r,
	          file("policy.partition { stateless = true, plan = function(m) for _, k in ipairs(m:kernels()) do\n"
	               "m:set(k, 3, 2)\nassert(m:quota(k, 3) == 2 and m:quota(k, 4) == nil)\n"
	               "m:set(k, 3)\nassert(m:quota(k, 3) == nil) end end }"),
	          "none");
	finish(&r);
	rig_close(&r);
}

/* A quota alone sends nobody away; with `keep` CTAs leave, and are to come. */
static void who_leaves(void **state)
{
	for (u32 keep = 0; keep < 2; keep++) {
		const u32 look = keep ? 14000 : 4000; /* a context takes its time */
		struct rig r;
		struct kernel_info k, before;
		char text[400];
		snprintf(text, sizeof text,
		         "policy.partition { stateless = true, plan = function(m)\nif m:cycle() < 2000 then return 2000 end\n"
		         "if m:kernels()[1] ~= 0 then return end\n"
		         "for sm = 0, m.sms - 1 do m:set(0, sm, 1%s) end\n"
		         "if m:cycle() < %u then return %u end\nprint('left ' .. m:left(0) .. ' at ' .. m:cycle()) end }",
		         keep ? ", 1" : "", look, look);
		open_pair(&r, file(text), "switch");
		must(&r, "step 2000");
		gpu_kernel_info(sim_gpu(r.s->sim), 0, &before);
		const u32 there = before.resident;
		assert_true(there > 30);
		must(&r, "step %u", look - 2000);
		gpu_kernel_info(sim_gpu(r.s->sim), 0, &k);
		const u64 left = k.launch->ctas - k.counters->ctas_done - k.resident;
		if (keep) {
			assert_int_equal(k.resident, 15);
			assert_true(left > k.launch->ctas - k.dispatched); /* those that were saved */
		} else {
			assert_int_equal(left, k.launch->ctas - k.dispatched);
			assert_true(k.resident + k.counters->ctas_done >= there);
		}
		char want[80];
		must(&r, "step 1");
		snprintf(want, sizeof want, "left %llu at %u", (unsigned long long)left, look);
		assert_non_null(strstr(r.out.len ? r.out.buf : strbuf_str(&r.s->output), want));
		finish(&r);
		rig_close(&r);
	}
}

/* The later launch first. */
#define BACKWARDS                                                                                                      \
	"policy.partition { stateless = true, plan = function(m) local k = m:kernels()\n"                                  \
	"table.sort(k, function(a, b) return a > b end)\nm:order(k) end }"

static void the_order(void **state)
{
	struct rig r;
	struct kernel_info k;
	open_pair(&r, file(BACKWARDS), "none");
	must(&r, "step 400");
	for (u32 i = 0; i < gpu_num_kernels(sim_gpu(r.s->sim)); i++) {
		gpu_kernel_info(sim_gpu(r.s->sim), i, &k);
		if (k.program == 1 && k.state == KS_RUNNING)
			assert_int_equal(k.dispatched, k.launch->ctas); /* all of bfs, at once */
	}
	finish(&r);
	rig_close(&r);
}

/* What it has counted goes back with the machine. */
#define COUNTS                                                                                                         \
	"policy.partition { stateless = true, plan = function(m)\n"                                                        \
	"m:put(1, m:get(1) + 1)\n"                                                                                         \
	"for _, k in ipairs(m:kernels()) do for sm = 0, m.sms - 1 do m:set(k, sm, (m:get(1) // 8 + sm) % 3) end end\n"     \
	"return m:cycle() + 300 end }"

/* Going back, a change while it runs, and a policy that keeps something of its own. */
static void time_goes_back(void **state)
{
	struct rig r;
	u64 hash[6];
	open_pair(&r, file(COUNTS), "switch");
	for (u32 i = 0; i < 6; i++) {
		must(&r, "goto %u", 700 + 2500 * i);
		hash[i] = sim_hash(r.s->sim);
	}
	const struct end end = finish(&r);
	for (u32 i = 6; i-- > 0;) {
		must(&r, "goto %u", 700 + 2500 * i);
		assert_true(sim_hash(r.s->sim) == hash[i]);
	}
	must(&r, "goto 5000");
	must(&r, "set partition lua:%s", file(LIMITS));
	const struct end other = finish(&r);
	assert_true(other.results == end.results && other.cycle != end.cycle);
	must(&r, "goto 6000");
	must(&r, "set partition spatial");
	assert_true(finish(&r).results == end.results);
	rig_close(&r);
	open_pair(&r, file("local n = 0\npolicy.partition { plan = function(m) n = n + 1 end }"), "none");
	must(&r, "step 100");
	assert_false(rig_try(&r, "reverse-step 10"));
	rig_close(&r);
}

/* --- mistakes ------------------------------------------------------------------------------------------------------- */

static void stops_with(const char *virtual, const char *plan, const char *message)
{
	struct options o;
	struct err e = {0};
	char text[400], set[100];
	snprintf(text, sizeof text,
	         "policy.partition { stateless = true, plan = function(m) if #m:kernels() < 1 then return end %s end }",
	         plan);
	snprintf(set, sizeof set, "lua:%s", file(text));
	char *argv[] = {"warpdbg",     "run", "vecadd",        "--size",        "small",
	                "--partition", set,   "--cta-virtual", (char *)virtual, NULL};
	assert_int_equal(cmdline_parse(&o, 9, argv, &e), CMDLINE_OK);
	struct session *s = session_open(&o, console_modules, &e);
	if (!s)
		fail_msg("%s: %s", plan, e.msg);
	assert_int_equal(session_run(s, NEVER, &e), SS_HOST_ERROR);
	if (!strstr(e.msg, message) || !strstr(e.msg, "cycle "))
		fail_msg("%s: '%s' expected in: %s", plan, message, e.msg);
	session_close(s);
	cmdline_free(&o);
}

static void stops(const char *plan, const char *message)
{
	stops_with("none", plan, message);
}

/* Virtual threads: more CTAs than slots may be there, and may stay. */
static void beyond_the_slots(void **state)
{
	static const char many[] =
	    ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p0)\n{\n.reg .pred %p<2>; "
	    ".reg .b32 %r<8>; .reg .b64 %a<4>;\nld.param.u64 %a1, [p0]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; "
	    "mad.lo.u32 %r3, %r1, 32, %r2; mov.u32 %r4, 0; mov.u32 %r5, 0;\n"
	    "L: mad.wide.u32 %a2, %r3, 4, %a1; ld.global.u32 %r6, [%a2]; add.u32 %r4, %r4, %r6; add.u32 %r3, %r3, 37;\n"
	    "and.b32 %r3, %r3, 8191; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 40; @%p1 bra L;\n"
	    "mad.lo.u32 %r3, %r1, 32, %r2; mad.wide.u32 %a2, %r3, 4, %a1; st.global.u32 [%a2+32768], %r4; ret;\n}\n";
	static const struct {
		const char *how;
		u32 stay;
	} rows[] = {{"flush", 40}, {"switch", 33}, {"drain", 50}};
	char ptx[80], plan[200], set[100];
	snprintf(ptx, sizeof ptx, "%s/many.ptx", dir);
	FILE *f = fopen(ptx, "w");
	assert_true(f && fputs(many, f) >= 0 && !fclose(f));
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		snprintf(plan, sizeof plan,
		         "policy.partition { stateless = true, plan = function(m) if m:cycle() < 3000 then return 3000 end "
		         "if #m:kernels() > 0 then m:set(0, 0, %u, %u) end end }",
		         rows[i].stay, rows[i].stay);
		snprintf(set, sizeof set, "lua:%s", file(plan));
		struct rig r;
		rig_open(&r, (char *[]){"warpdbg",
		                        "debug",
		                        ptx,
		                        "--kernel",
		                        "k",
		                        "--grid",
		                        "128",
		                        "--block",
		                        "32",
		                        "--arg",
		                        "u32[16384]=iota",
		                        "--set",
		                        "num_sms=1",
		                        "--set",
		                        "preempt.bandwidth=1000",
		                        "--cta-virtual",
		                        "vt",
		                        "--partition",
		                        set,
		                        "--preempt",
		                        (char *)rows[i].how,
		                        NULL});
		struct gpu *g = sim_gpu(r.s->sim);
		must(&r, "goto 2999");
		assert_true(gpu_resident(g, 0, 0) > 60);
		must(&r, "until gpu.kernel[0].ctas_done > 0 or gpu.sm[0].ctas + gpu.sm[0].inactive <= %u", rows[i].stay);
		while (gpu_preempted(g, 0, &(struct request_sm){0}))
			must(&r, "step");
		struct request_sm q;
		assert_int_equal(gpu_request_sms(g, 1, &q, 1), 1);
		assert_true(q.done_at && q.ctas > 10);
		assert_true(gpu_resident(g, 0, 0) <= rows[i].stay);
		must(&r, "continue");
		assert_true(r.d->run.rest == DBG_FINISHED && sim_check(r.s->sim, &r.e));
		rig_close(&r);
	}
	unlink(ptx);
}

static void mistakes_stop_the_machine(void **state)
{
	stops("return m:cycle()", "plan returned 0; a cycle later than 0, or nil, is expected");
	stops("if m:cycle() > 0 then return m:cycle() end", "a cycle later than");
	stops("return -1", "plan returned -1");
	stops("return 2.5", "plan returned 2.5");
	stops("return {}", "plan returned table");
	stops("m:set(7, 0)", "launch 7 does not run");
	stops("m:set(-1, 0)", "launch -1 does not run");
	stops("m:set(0, 15)", "there is no such SM");
	stops("m:set(0, 0, 33)", "a number of CTAs, 0 to 32, or nil expected");
	stops("m:set(0, 0, 1, -1)", "a number of CTAs, 0 to 32, or nil expected");
	stops_with("vt", "m:set(0, 0, 160, 161)", "a number of CTAs, 0 to 160, or nil expected");
	stops("m:order{}", "the launches that run, each once, expected");
	stops("m:order{0, 0}", "the launches that run, each once, expected");
	stops("m:order{'0'}", "the launches that run, each once, expected");
	stops("m:order{3}", "the launches that run, each once, expected");
	stops("m:pick(0, 16)", "a number of SMs expected");
	stops("m:tell(0, -1, 2)", "a number, 0 and more, expected");
	stops("m.x = 1", "keeps nothing in the object");
	stops("m.set(0, 0, 1)", "a method is called with a colon");
	stops("while true do end", "used up its budget");
	stops("error('no way')", "no way");
}

static void refused(const char *text, const char *message)
{
	struct options o;
	struct err e = {0};
	char set[100];
	snprintf(set, sizeof set, "lua:%s", file(text));
	char *argv[] = {"warpdbg", "run", "vecadd", "--partition", set, NULL};
	assert_int_equal(cmdline_parse(&o, 5, argv, &e), CMDLINE_OK);
	assert_null(session_open(&o, console_modules, &e));
	if (!strstr(e.msg, message))
		fail_msg("'%s' expected in: %s", message, e.msg);
	cmdline_free(&o);
}

static void bad_files(void **state)
{
	refused("policy.cta { next = print }", "has no policy.partition{...}");
	refused("policy.partition { }", "plan is a nil");
	refused("policy.partition { plan = print, each = true }", "unknown field 'each'; there are name, stateless, plan");
	refused("policy.partition { plan = print } policy.partition { plan = print }", "a second time");
}

/* The bundled example: two thirds of the SMs for the first program. */
static void weighted(void **state)
{
	struct rig r;
	open_pair(&r, "lua:weighted", "flush");
	struct gpu *g = sim_gpu(r.s->sim);
	must(&r, "step 2000");
	for (u32 sm = 0; sm < 15; sm++)
		for (u32 c = 0; c < SM_MAX_CTAS; c++) {
			struct cta_info o;
			struct kernel_info k;
			gpu_cta_info(g, sm, c, &o);
			if (!o.used)
				continue;
			gpu_kernel_info(g, o.launch, &k);
			assert_int_equal(k.program, sm >= 10);
		}
	finish(&r);
	rig_close(&r);
}

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char path[80];
	for (u32 i = 0; i < files; i++) {
		snprintf(path, sizeof path, "%s/%u.lua", dir, i);
		unlink(path);
	}
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(those_of_the_built_in_kind_decide_alike),
	    cmocka_unit_test(what_it_sees),
	    cmocka_unit_test(what_it_sets_holds_in_every_cycle),
	    cmocka_unit_test(quotas_are_told),
	    cmocka_unit_test(who_leaves),
	    cmocka_unit_test(the_order),
	    cmocka_unit_test(time_goes_back),
	    cmocka_unit_test(beyond_the_slots),
	    cmocka_unit_test(mistakes_stop_the_machine),
	    cmocka_unit_test(bad_files),
	    cmocka_unit_test(weighted),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
