/* Schedulers from outside the library: the README's C example and its Lua version decide alike, Lua versions of the
 * built-in ones equal those, wrong answers and errors stop the machine with the place, and going back is possible or
 * refused as the policy declares. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "session/policy/lua_policy.h"
#include "readme_policy.c" /* sched_batch, the code block of README.md */
#include "tests/rig/debug_rig.h"

static char dir[] = "/tmp/warpdbg-policy-XXXXXX";

static const char *file(const char *text)
{
	static char path[64];
	static u32 n;
	snprintf(path, sizeof path, "%s/%u.lua", dir, n++);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	return path;
}

static struct session *open_session(struct options *o, const char *workload, const char *const *sets, u32 n)
{
	struct err e = {0};
	*o = (struct options){
	    .command = "run", .workload = workload, .gpu = "gtx480", .size = "small", .max_cycles = 3000000};
	o->sets = (const char **)sets;
	o->nsets = n;
	struct session *s = session_open(o, console_modules, &e);
	if (!s)
		fail_msg("%s: %s", workload, e.msg);
	return s;
}

struct outcome {
	u64 cycles;
	struct sm_counters sm[15];
};

static void run_session(struct session *s, struct outcome *o)
{
	struct err e = {0};
	enum session_stop why = session_run(s, NEVER, &e);
	if (why != SS_FINISHED || s->check != CHECK_PASS)
		fail_msg("%s: %s %s", s->name, session_stop_text(why), e.msg);
	sim_drain(s->sim);
	if (!sim_check(s->sim, &e))
		fail_msg("%s: %s", s->name, e.msg);
	o->cycles = sim_cycle(s->sim);
	for (u32 i = 0; i < 15; i++)
		memcpy(&o->sm[i], gpu_counters(sim_gpu(s->sim), CG_sm, i), sizeof o->sm[i]);
	session_close(s);
}

static void run_with(const char *workload, const char *set, struct outcome *out)
{
	struct options o;
	run_session(open_session(&o, workload, &set, 1), out);
}

static void assert_same(const struct outcome *a, const struct outcome *b)
{
	assert_int_equal(a->cycles, b->cycles);
	assert_memory_equal(a->sm, b->sm, sizeof a->sm);
}

static const char *const workloads[] = {"vecadd", "bfs", "hotspot", "reduction", "matmul"};

/* --- the README's example ----------------------------------------------------------------------------------------- */

/* The ops of the C example, run as an external policy: the words are its state. */
static u32 pick_batch(void *ctx, struct external_sched_state *st, const struct sched_view *v, u64 ready, struct err *e)
{
	++*(u64 *)ctx;
	return sched_batch.pick(st->word, v, ready);
}

static void run_c_example(const char *workload, struct outcome *out)
{
	struct options o;
	struct err e = {0};
	u64 asked = 0;
	struct external_warp_sched p = {.ctx = &asked, .stateless = true, .pick = pick_batch};
	struct session *s = open_session(&o, workload, NULL, 0);
	assert_true(sched_batch.state_bytes <= sizeof(s64[EXTERNAL_WORDS]));
	sim_register_policy(s->sim, POLICY_WARP, "readme:batch", &p.user);
	if (!sim_set(s->sim, "warp-sched", "readme:batch", &e))
		fail_msg("%s", e.msg);
	run_session(s, out);
	assert_true(asked > 1000);
}

static void test_readme_c_is_lua(void **state)
{
	u32 differ = 0;
	for (u32 i = 0; i < ARRAY_LEN(workloads); i++) {
		struct outcome c, lua, gto;
		run_c_example(workloads[i], &c);
		run_with(workloads[i], "warp-sched=lua:batch", &lua);
		run_with(workloads[i], "warp-sched=gto", &gto);
		assert_same(&c, &lua);
		differ += c.cycles != gto.cycles;
	}
	assert_true(differ >= 3); /* the policy decides something */
}

static void test_readme_shows_the_file(void **state)
{
	struct strbuf readme = STRBUF_INIT, lua = STRBUF_INIT;
	struct err e = {0};
	assert_true(strbuf_read_file(&readme, "scripts/policies/README.md", &e) &&
	            strbuf_read_file(&lua, "scripts/policies/batch.lua", &e));
	assert_non_null(strstr(readme.buf, lua.buf));
	strbuf_release(&readme);
	strbuf_release(&lua);
}

/* --- Lua versions of built-in ones -------------------------------------------------------------------------------- */

static void test_gto_in_lua(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(workloads); i++) {
		struct outcome c, lua;
		run_with(workloads[i], "warp-sched=gto", &c);
		run_with(workloads[i], "warp-sched=lua:gto", &lua);
		assert_same(&c, &lua);
	}
}

/* lrr with its turn in sm.state: policies with a state of their own. */
static void test_lrr_in_lua(void **state)
{
	char set[100];
	snprintf(set, sizeof set, "warp-sched=lua:%s",
	         file("policy.warp { pick = function(sm, ready) local w = policy.next(ready, sm.state.next or 0)\n"
	              "sm.state.next = (w + 1) % 64 return w end }"));
	for (u32 i = 0; i < ARRAY_LEN(workloads); i++) {
		struct outcome c, lua;
		run_with(workloads[i], "warp-sched=lrr", &c);
		run_with(workloads[i], set, &lua);
		assert_same(&c, &lua);
	}
}

static void test_rr_in_lua(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(workloads); i++) {
		struct outcome c, lua;
		run_with(workloads[i], "cta-sched=rr", &c);
		run_with(workloads[i], "cta-sched=lua:rr", &lua);
		assert_same(&c, &lua);
	}
}

struct order {
	u32 n, wrong;
	s32 last[15]; /* of an SM */
	u64 cycle;    /* ids of one cycle stand in SM order */
	s32 lowest, before;
};
static bool note_cta(void *ctx, const struct event *e)
{
	struct order *o = ctx;
	if (e->cycle != o->cycle)
		o->before = o->lowest;
	o->cycle = e->cycle;
	o->wrong += e->cta >= o->last[e->sm] || e->cta >= o->before;
	o->last[e->sm] = e->cta;
	o->lowest = MIN(o->lowest, e->cta);
	o->n++;
	return false;
}

/* From the last CTA to the first, and only one at a time on an SM. */
static void test_cta_order(void **state)
{
	char set[100];
	struct options o;
	struct order order = {.lowest = INT32_MAX, .before = INT32_MAX, .cycle = NEVER};
	struct outcome out;
	snprintf(
	    set, sizeof set, "cta-sched=lua:%s",
	    file("policy.cta { stateless = true, next = function(k, sm)\n"
	         "assert(k:first() == 0 or k:first() == k.ctas)\n"
	         "if k:resident(sm) == 0 and k:dispatched() < k.ctas then return k.ctas - 1 - k:dispatched() end end }"));
	const char *sets[] = {set};
	for (u32 i = 0; i < 15; i++)
		order.last[i] = INT32_MAX;
	struct session *s = open_session(&o, "vecadd", sets, 1);
	sim_subscribe(s->sim, EVENT(EV_CTA_DISPATCH), note_cta, &order);
	run_session(s, &out);
	assert_int_equal(order.wrong, 0);
	assert_int_equal(order.lowest, 0);
	u64 started = 0;
	for (u32 i = 0; i < 15; i++)
		started += out.sm[i].ctas_started;
	assert_int_equal(order.n, started);
	assert_true(started > 100);
}

/* More CTAs than the note of dispatched ids holds: it moves along. */
static void run_many(struct rig *r, const char *text)
{
	char set[100];
	snprintf(set, sizeof set, "lua:%s", file(text));
	char *argv[] = {"warpdbg",  "debug",   "configs/kernels/vecadd.ptx",
	                "--kernel", "vecadd",  "--grid",
	                "70000",    "--block", "32",
	                "--arg",    "f32[32]", "--arg",
	                "f32[32]",  "--arg",   "f32[32]",
	                "--arg",    "u32=32",  "--cta-sched",
	                set,        "--set",   "history.mb=0",
	                NULL};
	argv[10] = argv[12] = argv[14] = "f32[32]=iota";
	rig_open(r, argv);
	rig_try(r, "continue");
}

static void test_many_ctas(void **state)
{
	struct rig r;
	run_many(&r, "policy.cta { stateless = true, next = function(k, sm) local n, block = k:dispatched(), 20000\n"
	             "if n == k.ctas then return end\n"
	             "local from = n // block * block local size = math.min(block, k.ctas - from)\n"
	             "local id = from + size - 1 - (n - from) assert(not k:gone(id)) return id end }");
	assert_true(r.s->finished);
	const struct sm_counters *k = NULL;
	u64 done = 0;
	for (u32 i = 0; i < 15; i++) {
		k = (const struct sm_counters *)gpu_counters(sim_gpu(r.s->sim), CG_sm, i);
		done += k->ctas_done;
	}
	assert_int_equal(done, 70000);
	rig_close(&r);
	run_many(&r, "policy.cta { next = function(k, sm) return k.ctas - 1 - k:dispatched() end }");
	assert_false(r.s->finished);
	assert_non_null(strstr(strbuf_str(&r.out), "chose CTA 69999, 30720 or more beyond 0, the first not dispatched"));
	rig_close(&r);
}

/* --- mistakes ----------------------------------------------------------------------------------------------------- */

/* The message of a session that cannot be opened. */
static void refused(const char *key, const char *text, const char *message)
{
	char set[100];
	struct err e = {0};
	const char *sets[] = {set};
	struct options o = {
	    .command = "run", .workload = "vecadd", .size = "small", .max_cycles = NEVER, .sets = sets, .nsets = 1};
	snprintf(set, sizeof set, "%s=lua:%s", key, *text == '/' ? text : file(text));
	assert_null(session_open(&o, console_modules, &e));
	if (!strstr(e.msg, message))
		fail_msg("'%s' expected in: %s", message, e.msg);
}

static void test_bad_files(void **state)
{
	refused("warp-sched", "policy.warp { pick = function(", "lua:1: ");
	refused("warp-sched", "x = 1", "has no policy.warp{...}");
	refused("cta-sched", "policy.warp { pick = print }", "has no policy.cta{...}");
	refused("warp-sched", "policy.warp { pick = 3 }", "pick is a number, a function is expected");
	refused("warp-sched", "policy.warp { }", "pick is a nil");
	refused("warp-sched", "policy.warp { pick = print, isued = print }", "unknown field 'isued'");
	refused("warp-sched", "policy.warp(3)", "table expected");
	refused("warp-sched", "policy.warp { pick = print } policy.warp { pick = print }", "a second time");
	refused("warp-sched", "while true do end", "used up its budget");
	refused("warp-sched", "error('no\\nway')", "no\nway");
	refused("warp-sched", "/nonexistent/x.lua", "/nonexistent/x.lua");
	refused("warp-sched", "io.open('x')", "there is no 'io' here");
	refused("warp-sched", "gpu.sm[0].x = 1", "global 'gpu'");
}

static void test_unknown_name(void **state)
{
	struct err e = {0};
	const char *sets[] = {"warp-sched=lua:gtoo"};
	struct options o = {.command = "run", .workload = "vecadd", .sets = sets, .nsets = 1};
	assert_null(session_open(&o, console_modules, &e));
	assert_non_null(strstr(e.msg, "did you mean 'gto'"));
}

/* The message that stops a run; every part must be in it. */
static void stops(const char *key, const char *text, const char *const *parts)
{
	char set[100];
	struct err e = {0};
	struct options o;
	const char *sets[] = {set};
	snprintf(set, sizeof set, "%s=lua:%s", key, file(text));
	struct session *s = open_session(&o, "vecadd", sets, 1);
	assert_int_equal(session_run(s, NEVER, &e), SS_HOST_ERROR);
	for (; *parts; parts++)
		if (!strstr(e.msg, *parts))
			fail_msg("'%s' expected in: %s", *parts, e.msg);
	struct stop again;
	u64 at = sim_cycle(s->sim);
	assert_int_equal(sim_run(s->sim, NEVER, &again), STOP_POLICY); /* and stands */
	assert_int_equal(sim_cycle(s->sim), at);
	if (!sim_check(s->sim, &e))
		fail_msg("%s", e.msg);
	session_close(s);
}
/* What a warp scheduler's answer is refused with. */
static void message(const char *text, char out[1200])
{
	char set[1100];
	struct err e = {0};
	struct options o;
	const char *sets[] = {set};
	snprintf(set, sizeof set, "warp-sched=lua:%s", file(text));
	struct session *s = open_session(&o, "vecadd", sets, 1);
	assert_int_equal(session_run(s, NEVER, &e), SS_HOST_ERROR);
	snprintf(out, 1200, "%s", e.msg);
	session_close(s);
}
/* The text names the cycle and the ready warps: those that the policy itself is told, at its first call that has three
 * of them after cycle 700. */
static void test_answer_is_described(void **state)
{
	char told[1200], refused[1200], words[200], *at;
	message(
	    "policy.warp { pick = function(sm, ready) local t = {} for w in policy.warps(ready) do t[#t + 1] = w end\n"
	    "if sm:cycle() > 700 and #t >= 3 then error('<cycle ' .. sm:cycle() .. ': pick returned 99, which is none of "
	    "the ready warps (' .. table.concat(t, ' ') .. ')>') end return t[1] end }",
	    told);
	message("policy.warp { pick = function(sm, ready) local n = 0 for w in policy.warps(ready) do n = n + 1 end\n"
	        "return sm:cycle() > 700 and n >= 3 and 99 or policy.next(ready) end }",
	        refused);
	at = strchr(told, '<');
	assert_non_null(at);
	snprintf(words, sizeof words, "%.*s", (int)(strchr(at, '>') - at - 1), at + 1);
	if (!strstr(refused, words))
		fail_msg("'%s' expected in: %s", words, refused);
}

#define STOPS(key, text, ...) stops(key, text, (const char *const[]){__VA_ARGS__, NULL})

static void test_bad_answers(void **state)
{
	STOPS("warp-sched", "policy.warp { pick = function(sm, ready) return 77 end }", "lua:/tmp",
	      "SM 0, scheduler 0, cycle ", "pick returned 77, which is none of the ready warps (0");
	STOPS("warp-sched", "policy.warp { pick = function(sm, ready) return 1 end }", "pick returned 1, ");
	STOPS("warp-sched", "policy.warp { pick = function(sm, ready) return -1 end }", "pick returned -1, ");
	STOPS("warp-sched", "policy.warp { pick = function(sm, ready) return 0.5 end }", "pick returned 0.5, ");
	STOPS("warp-sched", "policy.warp { pick = function(sm, ready) return '0' end }",
	      "pick returned 0, "); /* text is no number */
	STOPS("warp-sched", "policy.warp { pick = function(sm, ready) return {} end }", "pick returned table, ");
	STOPS("warp-sched",
	      "policy.warp { pick = function(sm, ready) return sm:cycle() > 700 and 99 or policy.next(ready) end }",
	      "cycle 70", "pick returned 99");
	STOPS("cta-sched", "policy.cta { next = function(k, sm) return 0 end }", "kernel 0 (vecadd), cycle 0",
	      "CTA 0, which has been dispatched");
	STOPS("cta-sched", "policy.cta { next = function(k, sm) return k.ctas end }", "chose CTA ");
	STOPS("cta-sched", "policy.cta { next = function(k, sm) return -1 end }", "next returned -1");
	STOPS("cta-sched", "policy.cta { next = function(k, sm) return 1.5 end }", "next returned 1.5");
}

static void test_errors(void **state)
{
	STOPS("warp-sched", "local function deep(x) return x.y.z end\npolicy.warp { pick = function(sm) deep(sm) end }",
	      ":1: attempt to index", "stack traceback:", "in upvalue 'deep'", ":2: in function");
	STOPS("warp-sched", "policy.warp { pick = function(sm) while true do end end }",
	      "used up its budget of 1000000 instructions", "stack traceback:");
	STOPS("warp-sched",
	      "local function deep() while true do end end\npolicy.warp { pick = function(sm) xpcall(deep, deep) end }",
	      "used up its budget of 1000000 instructions", "stack traceback:");
	STOPS("warp-sched", "policy.warp { pick = function(sm) sm:age(1) end }",
	      "warp slot 1 is not one of scheduler 0 of SM 0");
	STOPS("warp-sched", "policy.warp { pick = function(sm) sm:age(46) sm:age(47) end }", "warp slot");
	STOPS("warp-sched", "policy.warp { pick = function(sm) sm:oldest(-1) end }", "not this scheduler's");
	STOPS("warp-sched", "policy.warp { pick = function(sm) sm:in_state('x') end }", "no warp state 'x'");
	STOPS("warp-sched", "policy.warp { pick = function(sm) sm:put(17, 1) end }", "words 1 to 16");
	STOPS("warp-sched",
	      "policy.warp { pick = function(sm, r) old = old or sm; old:cycle(); return policy.next(r) end }",
	      "with a colon");
	STOPS("warp-sched",
	      "policy.warp { pick = function(sm, r) return policy.next(r) end, issued = function(sm, w, u) error(u .. w) "
	      "end }",
	      "SM 0, scheduler 0", "sp0");
	STOPS("warp-sched",
	      "policy.warp { pick = function(sm, r) return policy.next(r) end, warps_started = function() error('s') end }",
	      ":1: s");
	STOPS(
	    "warp-sched",
	    "policy.warp { pick = function(sm, r) return policy.next(r) end, warps_gone = function(sm, m) error('g') end }",
	    ":1: g");
	STOPS("warp-sched", "policy.warp { pick = function(sm) sm.state.x.y = 1 end, stateless = true }", "field 'state'");
	STOPS("warp-sched", "policy.warp { pick = function(sm) sm.count = 1 end, stateless = true }", "'count': a policy");
	STOPS("cta-sched", "policy.cta { next = function(k, sm) k:resident(99) end }", "no such SM", "stack traceback:");
	STOPS("cta-sched", "policy.cta { next = print, init = function(k) error(k.name .. k.sms) end }", "vecadd15");
	STOPS("cta-sched",
	      "policy.cta { next = function(k) return k:first() end, done = function(k, sm, c) error('d') end }", ":1: d");
}

/* A policy that never chooses starves the machine: a deadlock, not a hang. */
static void test_never_choosing(void **state)
{
	static const char *const keys[] = {"warp-sched", "cta-sched"};
	for (u32 i = 0; i < 2; i++) {
		char set[100];
		struct err e = {0};
		struct options o;
		const char *sets[] = {set};
		snprintf(set, sizeof set, "%s=lua:%s", keys[i],
		         file("local no = function() end policy.warp { pick = no } policy.cta { next = no }"));
		struct session *s = open_session(&o, "vecadd", sets, 1);
		assert_int_equal(session_run(s, NEVER, &e), SS_DEADLOCK);
		session_close(s);
	}
}

/* A name with a colon that nobody registered: the machine is there, but does not run. */
static void test_unregistered(void **state)
{
	struct conf c;
	struct err e = {0};
	struct stop st;
	conf_defaults(&c);
	assert_true(conf_set(&c, "warp-sched", "other:thing", &e));
	struct sim *s = sim_create(&c, &e);
	assert_non_null(s);
	assert_int_equal(sim_run(s, NEVER, &st), STOP_POLICY);
	assert_non_null(strstr(sim_policy_error(s), "not registered"));
	assert_false(sim_set(s, "warp-sched", "other:more", &e));
	err_clear(&e);
	assert_true(sim_set(s, "warp-sched", "lrr", &e));
	assert_null(sim_policy_error(s));
	assert_int_equal(sim_run(s, NEVER, &st), STOP_IDLE);
	sim_destroy(s);
}

/* --- what a policy sees ------------------------------------------------------------------------------------------- */

static void test_accessors(void **state)
{
	struct rig r;
	char line[200], want[200];
	rig_vecadd(&r);
	snprintf(line, sizeof line, "set warp-sched lua:%s",
	         file("policy.warp { stateless = true, pick = function(sm, ready)\n"
	              "if sm:cycle() == 300 then for w in policy.warps(sm.mask & ~sm:in_state('empty')) do\n"
	              "print(sm.index, sm.scheduler, w, sm:pc(w), sm:cta(w), sm:kernel(w), sm:insts(w), sm:loads(w), "
	              "sm:state_of(w)) end end\n"
	              "return sm:oldest(ready) end }"));
	rig_say(&r, line);
	rig_say(&r, "step 300");
	struct strbuf expect = STRBUF_INIT;
	u32 lines = 0;
	for (u32 w = 0; w < 48; w++) {
		struct warp_info i;
		gpu_warp_info(sim_gpu(r.s->sim), 0, w, &i);
		if (i.launch < 0)
			continue;
		/* state changes early in cycle 300; everything up to it is as before the cycle */
		snprintf(want, sizeof want, "0\t%u\t%u\t%u\t%llu\t%d\t%llu\t", w % 2, w, i.pc, (unsigned long long)i.cta,
		         i.launch, (unsigned long long)i.insts);
		strbuf_addf(&expect, "%s\n", want);
	}
	struct strbuf said = STRBUF_INIT;
	strbuf_addf(&said, "\n%s", rig_say(&r, "step"));
	for (char *p = strtok(expect.buf, "\n"); p; p = strtok(NULL, "\n")) {
		u32 sched = (u32)atoi(p + 2);
		char head[16];
		snprintf(head, sizeof head, "\n0\t%u\t", sched);
		snprintf(want, sizeof want, "\n%s", p);
		if (!strstr(said.buf, head)) /* that scheduler had nothing ready: it was not asked */
			continue;
		if (!strstr(said.buf, want))
			fail_msg("'%s' expected in: %s", p, said.buf);
		lines++;
	}
	if (lines < 10)
		fail_msg("%u warps in: %s", lines, said.buf);
	strbuf_release(&said);
	strbuf_release(&expect);
	rig_close(&r);
}

/* --- in the debugger ---------------------------------------------------------------------------------------------- */

static void set_policy(struct rig *r, const char *text)
{
	char line[200];
	snprintf(line, sizeof line, "set warp-sched lua:%s", file(text));
	rig_say(r, line);
}

#define OLDEST(stateless)                                                                                              \
	"policy.warp { stateless = " stateless ", pick = function(sm, ready) return sm:oldest(ready) end }"

static void test_going_back(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "step 300");
	rig_say(&r, "set warp-sched lua:batch");
	rig_say(&r, "undo");
	assert_string_equal(gpu_conf(sim_gpu(r.s->sim))->warp_sched, "gto");
	rig_say(&r, "step 5");
	rig_say(&r, "reverse-step 5");
	rig_say(&r, "set warp-sched lua:batch");
	rig_say(&r, "step 200");
	u64 at500 = sim_hash(r.s->sim);
	set_policy(&r, OLDEST("true"));
	rig_say(&r, "step 400");
	u64 at900 = sim_hash(r.s->sim);
	rig_say(&r, "goto 200");
	assert_string_equal(gpu_conf(sim_gpu(r.s->sim))->warp_sched, "gto");
	rig_say(&r, "goto 499");
	assert_string_equal(gpu_conf(sim_gpu(r.s->sim))->warp_sched, "lua:batch");
	rig_say(&r, "goto 900");
	assert_true(sim_hash(r.s->sim) == at900);
	rig_say(&r, "reverse-step 150");
	rig_say(&r, "goto 900");
	assert_true(sim_hash(r.s->sim) == at900);
	rig_say(&r, "goto 499");
	rig_say(&r, "set warp-sched lua:batch"); /* another future, the same policy */
	rig_say(&r, "step");
	assert_true(sim_hash(r.s->sim) != at500); /* its words began anew */
	rig_close(&r);
}

static void test_state_forbids_going_back(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "step 300");
	rig_say(&r, "reverse-step 100");
	set_policy(&r, OLDEST("false"));
	rig_say(&r, "step 100");
	rig_fails(&r, "reverse-step", "keeps a state of its own");
	rig_fails(&r, "goto 10", "keeps a state of its own");
	rig_fails(&r, "reverse-continue", "keeps a state of its own");
	rig_fails(&r, "undo", "keeps a state of its own");
	assert_int_equal(sim_cycle(r.s->sim), 300);
	rig_say(&r, "set warp-sched gto");
	rig_fails(&r, "reverse-step", "a policy with a state of its own ends it");
	rig_say(&r, "continue");
	assert_int_equal(r.s->check, CHECK_NONE);
	assert_true(r.s->finished);
	rig_say(&r, "run"); /* a new machine: the configuration of the command line */
	assert_true(r.s->finished);
	rig_say(&r, "goto 100");
	assert_int_equal(sim_cycle(r.s->sim), 100);
	rig_close(&r);
}

/* One that breaks its promise is not brought back, but the time before it is; what it keeps it is told by name. */
static void test_false_promise(void **state)
{
	static const char *const kept[][2] = {
	    {"local top = 0 policy.warp { stateless = true, pick = function(sm, r) top = sm:cycle() return sm:oldest(r) "
	     "end }",
	     "'top'"},
	    {"local t = { n = {} } policy.warp { stateless = true, pick = function(sm, r) t.n[1] = sm:cycle() return "
	     "sm:oldest(r) end }",
	     "'t'"},
	    {"policy.warp { stateless = true, pick = function(sm, r) n = sm:cycle() return sm:oldest(r) end }", "global"},
	    {"policy.warp { stateless = true, pick = function(sm, r) math.random() return sm:oldest(r) end }", "library"},
	    {"policy.warp { stateless = true, pick = function(sm, r) sm.index = sm:cycle() return sm:oldest(r) end }",
	     "object"},
	    {"policy.warp { stateless = true, pick = function(sm, r) getmetatable('').n = sm:cycle() return sm:oldest(r) "
	     "end }",
	     "metatable of strings"},
	    {"require('lib.euler') policy.warp { stateless = true, pick = function(sm, r) require('lib.euler').n = "
	     "sm:cycle() return sm:oldest(r) end }",
	     "a module"},
	};
	for (u32 i = 0; i < ARRAY_LEN(kept); i++) {
		struct rig r;
		rig_vecadd(&r);
		rig_say(&r, "step 300");
		set_policy(&r, kept[i][0]);
		rig_say(&r, "step 300");
		u64 before = sim_hash(r.s->sim);
		rig_fails(&r, "goto 400", "says stateless = true and has changed");
		rig_fails(&r, "reverse-step", kept[i][1]);
		rig_fails(&r, "reverse-continue", kept[i][1]);
		rig_fails(&r, "reverse-next", kept[i][1]);
		assert_true(sim_hash(r.s->sim) == before);
		rig_say(&r, "goto 290");
		rig_fails(&r, "goto 400", "says stateless = true"); /* the future that is left knows it */
		rig_say(&r, "goto 290");
		rig_say(&r, "set warp-sched gto");
		rig_say(&r, "continue");
		assert_true(r.s->finished);
		rig_close(&r);
	}
}

/* From the command line: cycle 0 can be reached, but not gone on from, however often it is tried. */
static void test_false_promise_from_the_start(void **state)
{
	char name[100];
	snprintf(
	    name, sizeof name, "lua:%s",
	    file("local n = 0 policy.warp { stateless = true, pick = function(sm, r) n = n + 1 return sm:oldest(r) end }"));
	char *args[] = {"warpdbg", "debug", "vecadd", "--size", "small", "--warp-sched", name, NULL};
	struct rig r;
	rig_open(&r, args);
	rig_say(&r, "step 600");
	rig_fails(&r, "goto 599", "has changed what it keeps ('n')");
	rig_say(&r, "goto 0");
	for (int i = 0; i < 3; i++) {
		rig_try(&r, "continue");
		assert_true(sim_cycle(r.s->sim) < 600);
	}
	rig_say(&r, "run"); /* the file is loaded anew */
	assert_true(r.s->finished);
	rig_close(&r);
}

/* Tables that stay as they are, functions, and what the library has: no state. */
static void test_kept_promise(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "step 300");
	set_policy(
	    &r, "local order = { 3, 1, n = { 2 } } function first(m) return order[1] and math.max(policy.next(m), 0) end\n"
	        "policy.warp { stateless = true, pick = function(sm, r) local t = {} t[1] = first(r) return t[1] end }");
	rig_say(&r, "step 300");
	u64 at600 = sim_hash(r.s->sim);
	rig_say(&r, "reverse-step 250");
	rig_say(&r, "goto 600");
	assert_true(sim_hash(r.s->sim) == at600);
	rig_close(&r);
}

static void test_set_in_debugger(void **state)
{
	struct rig r;
	char line[200];
	rig_vecadd(&r);
	rig_say(&r, "step 300");
	u64 before = sim_hash(r.s->sim);
	rig_fails(&r, "set warp-sched lua:nothing", "no Lua policy 'nothing'");
	snprintf(line, sizeof line, "set warp-sched lua:%s", file("policy.warp {"));
	rig_fails(&r, line, "unexpected symbol near <eof>");
	assert_true(sim_hash(r.s->sim) == before);
	rig_fails(&r, "set cta-sched lua:rr", "kernels are running");
	set_policy(&r, "policy.warp { stateless = true, pick = function(sm, r) if sm:cycle() == 400 then error('here') end "
	               "return sm:oldest(r) end }");
	rig_try(&r, "continue");
	assert_non_null(strstr(strbuf_str(&r.out), "cycle 400: "));
	assert_non_null(strstr(strbuf_str(&r.out), ":1: here"));
	assert_int_equal(sim_cycle(r.s->sim), 401);
	rig_say(&r, "goto 350"); /* alive: before the mistake */
	rig_say(&r, "set warp-sched lrr");
	rig_say(&r, "continue");
	assert_true(r.s->finished);
	rig_close(&r);
}

/* The built machine and a restarted one, with the policy from the command line. */
static void test_restart(void **state)
{
	struct rig r;
	char *argv[] = {"warpdbg",      "debug",     "vecadd",      "--size", "small",
	                "--warp-sched", "lua:batch", "--cta-sched", "lua:rr", NULL};
	rig_open(&r, argv);
	rig_say(&r, "continue");
	u64 cycles = sim_cycle(r.s->sim), hash = sim_hash(r.s->sim);
	assert_int_equal(r.s->check, CHECK_PASS);
	rig_say(&r, "run");
	assert_true(r.s->finished);
	assert_int_equal(sim_cycle(r.s->sim), cycles);
	assert_true(sim_hash(r.s->sim) == hash);
	rig_say(&r, "goto 1000");
	rig_say(&r, "continue");
	assert_true(sim_hash(r.s->sim) == hash);
	rig_has(&r, "info policies", "* warp       lua:batch    written in Lua\n");
	rig_has(&r, "info policies", "* cta        lua:rr       written in Lua\n");
	rig_say(&r, "set warp-sched lrr");
	rig_has(&r, "info policies", "* warp       lrr ");
	rig_has(&r, "help lua policy.warp", "pick=function");
	rig_close(&r);
}

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	for (u32 i = 0; i < 100; i++) {
		char path[64];
		snprintf(path, sizeof path, "%s/%u.lua", dir, i);
		unlink(path);
	}
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_readme_c_is_lua),
	    cmocka_unit_test(test_readme_shows_the_file),
	    cmocka_unit_test(test_gto_in_lua),
	    cmocka_unit_test(test_lrr_in_lua),
	    cmocka_unit_test(test_rr_in_lua),
	    cmocka_unit_test(test_cta_order),
	    cmocka_unit_test(test_many_ctas),
	    cmocka_unit_test(test_bad_files),
	    cmocka_unit_test(test_unknown_name),
	    cmocka_unit_test(test_answer_is_described),
	    cmocka_unit_test(test_bad_answers),
	    cmocka_unit_test(test_errors),
	    cmocka_unit_test(test_never_choosing),
	    cmocka_unit_test(test_unregistered),
	    cmocka_unit_test(test_accessors),
	    cmocka_unit_test(test_going_back),
	    cmocka_unit_test(test_state_forbids_going_back),
	    cmocka_unit_test(test_set_in_debugger),
	    cmocka_unit_test(test_restart),
	    cmocka_unit_test(test_false_promise),
	    cmocka_unit_test(test_kept_promise),
	    cmocka_unit_test(test_false_promise_from_the_start),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
