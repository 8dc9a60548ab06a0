/* What those type first who know CUDA and gdb, but not this program: names as the source has them, special registers,
 * cuda-gdb's ways to a thread, commands that are called otherwise here, words that are no names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include <math.h>

#include "commands/set.h"
#include "conf/conf.h"
#include "tests/rig/debug_rig.h"
#include "dbg/locate.h"
#include "session/explain.h"
#include "gpu/gpu.h"

/* Names as C++ mangles them: plain, in namespaces, a template's two instances, static, and what only looks like one. */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry _Z5scalePfi(.param .u64 p, .param .u32 n)\n"
    "{\n"
    "	.reg .b32 %r<9>;\n	.reg .b64 %rd<4>;\n"
    "	mov.u32 %r1, %tid.x;\n	mov.u32 %r2, %tid.y;\n	mov.u32 %r3, %tid.z;\n"
    "	mov.u32 %r4, %ctaid.x;\n	mov.u32 %r5, %ctaid.y;\n	mov.u32 %r6, %laneid;\n"
    "	mov.u32 %r7, %warpid;\n"
    "	bar.sync 0;\n"
    "	ld.param.u64 %rd1, [p];\n"
    "	add.u32 %r8, %r1, %r2;\n	add.u32 %r8, %r8, %r3;\n	add.u32 %r8, %r8, %r4;\n	add.u32 %r8, %r8, %r5;\n"
    "	add.u32 %r8, %r8, %r6;\n	add.u32 %r8, %r8, %r7;\n"
    "	st.global.u32 [%rd1], %r8;\n"
    "	ret;\n}\n"
    ".visible .entry _ZN2la4blas4axpyEPf() { ret; }\n"
    ".visible .entry _Z4copyIfEvPT_() { ret; }\n"
    ".visible .entry _Z4copyIdEvPT_() { ret; }\n"
    ".visible .entry _ZN2la6unrollIjLi4EEEvPT_() { ret; }\n"
    ".visible .entry _Z4overPi() { ret; }\n"
    ".visible .entry _Z4overPf() { ret; }\n"
    ".visible .entry _ZN12_GLOBAL__N_14mineIfEEvPT_() { ret; }\n"
    ".visible .entry _ZN2la3boxINS_1TEE3runIS1_EEvv() { ret; }\n"
    ".visible .entry _ZN2la3boxINS_1TEE3runIfEEvv() { ret; }\n"
    ".visible .entry _ZL6hiddenv() { ret; }\n"
    ".visible .entry _Z99short() { ret; }\n"
    ".visible .entry _Zebra() { ret; }\n";

static char path[] = "/tmp/warpdbg-newcomers-XXXXXX.ptx";

static int write_ptx(void **state)
{
	int fd = mkstemps(path, 4);
	return fd < 0 || write(fd, ptx, sizeof ptx - 1) != (ssize_t)(sizeof ptx - 1) || close(fd);
}

static int remove_ptx(void **state)
{
	return unlink(path);
}

/* 12 CTAs of 5 x 4 x 3 threads: two warps each, the second not full. Named as in the source. */
static void open_scale(struct rig *r)
{
	char *argv[] = {"warpdbg", "debug", path,           "--kernel", "scale", "--grid",     "4,3",  "--block",
	                "5,4,3",   "--arg", "u32[16]=zero", "--arg",    "u32=1", "--schedule", "none", NULL};
	rig_open(r, argv);
}

static void names_of_the_source(void **state)
{
	struct rig r;
	struct module *m;
	open_scale(&r);
	assert_non_null(find_func(r.d, "_Z5scalePfi", &m));
	static const char *const known[][2] = {
	    {"scale", "_Z5scalePfi"},
	    {"axpy", "_ZN2la4blas4axpyEPf"},
	    {"blas::axpy", "_ZN2la4blas4axpyEPf"},
	    {"la::blas::axpy", "_ZN2la4blas4axpyEPf"},
	    {"hidden", "_ZL6hiddenv"},
	    {"_Zebra", "_Zebra"},
	    {"copy<float>", "_Z4copyIfEvPT_"},
	    {"copy<double>", "_Z4copyIdEvPT_"},
	    {"unroll", "_ZN2la6unrollIjLi4EEEvPT_"},
	    {"la::unroll", "_ZN2la6unrollIjLi4EEEvPT_"},
	    {"unroll<unsigned int,4>", "_ZN2la6unrollIjLi4EEEvPT_"},
	    {"la::unroll< unsigned int, 4 >", "_ZN2la6unrollIjLi4EEEvPT_"},
	    {"run<la::T>", "_ZN2la3boxINS_1TEE3runIS1_EEvv"},
	    {"box<la::T>::run<float>", "_ZN2la3boxINS_1TEE3runIfEEvv"},
	    {"mine<float>", "_ZN12_GLOBAL__N_14mineIfEEvPT_"},
	};
	for (u32 i = 0; i < ARRAY_LEN(known); i++) {
		const struct func *f = find_func(r.d, known[i][0], &m);
		assert_non_null(f);
		assert_string_equal(f->name, known[i][1]);
	}
	/* Two are called copy and over; a length beyond the end, a part or more of a name, a namespace, arguments that are
	 * others or not all are none. */
	static const char *const unknown[] = {"copy",
	                                      "over",
	                                      "short",
	                                      "scal",
	                                      "scalePfi",
	                                      "la",
	                                      "blas",
	                                      "ebra",
	                                      "",
	                                      "la::axpy",
	                                      "::axpy",
	                                      "la::",
	                                      "copy<int>",
	                                      "copy<",
	                                      "copy<floa",
	                                      "unroll<4>",
	                                      "unroll<unsigned int",
	                                      "unroll<>",
	                                      "over(int*)",
	                                      "la::blas::",
	                                      "la::blas::axp",
	                                      "axpyx",
	                                      "unsigned int, 4>",
	                                      "T>::run<float>",
	                                      ":axpy",
	                                      "GLOBAL"};
	for (u32 i = 0; i < ARRAY_LEN(unknown); i++)
		assert_null(find_func(r.d, unknown[i], &m));
	/* What is shown is what may be typed: the source's name where it means one function alone. */
	static const char *const labels[][2] = {{"_Z5scalePfi", "scale"},
	                                        {"_ZN2la4blas4axpyEPf", "axpy"},
	                                        {"_Z4copyIfEvPT_", "copy<float>"},
	                                        {"_Z4copyIdEvPT_", "copy<double>"},
	                                        {"_ZN2la6unrollIjLi4EEEvPT_", "unroll"},
	                                        {"_Z4overPf", "_Z4overPf"},
	                                        {"_ZN2la3boxINS_1TEE3runIS1_EEvv", "run<la::T>"},
	                                        {"_Z99short", "_Z99short"}};
	for (u32 i = 0; i < ARRAY_LEN(labels); i++)
		assert_string_equal(func_label(find_func(r.d, labels[i][0], &m)), labels[i][1]);
	rig_fails(&r, "break copy", "several functions are called 'copy' in the source: copy<float>, copy<double>");
	rig_has(&r, "tbreak unroll<unsigned int, 4> cta=0", "breakpoint 1: unroll<unsigned int, 4> at");
	rig_fails(&r, "break unroll<unsigned int, 4> left", "'left' is not understood");
	rig_has(&r, "delete", "");
	rig_has(&r, "info kernels", " scale<<<");
	rig_has(&r, "tbreak scale", "Temporary breakpoint 2: scale");
	rig_has(&r, "continue", "Temporary breakpoint 2, scale");
	rig_has(&r, "focus kernel scale cta 3", "CTA 3 of");
	rig_has(&r, "break cta-done kernel=scale count=3", "Breakpoint 3");
	rig_has(&r, "continue", "Breakpoint 3, cta-done");
	assert_null(strstr(rig_say(&r, "break cta-done kernel=scale"), "No kernel"));
	rig_has(&r, "print gpu.kernel[0].label .. gpu.kernel[0].name", "scale_Z5scalePfi");
	rig_close(&r);
}

/* What the debugger says of a special register is what the program has read from it. */
static void special_registers(void **state)
{
	static const char *const pairs[][2] = {{"%tid.x", "%r1"},   {"%tid.y", "%r2"},   {"%tid.z", "%r3"},
	                                       {"%ctaid.x", "%r4"}, {"%ctaid.y", "%r5"}, {"%laneid", "%r6"},
	                                       {"%warpid", "%r7"}};
	struct rig r;
	u32 compared = 0;
	open_scale(&r);
	rig_say(&r, "tbreak becomes barrier cta=7");
	rig_say(&r, "continue");
	for (u32 lane = 0; lane < 28; lane++) {
		char line[64], got[32];
		snprintf(line, sizeof line, "focus cta 7 warp 1 lane %u", lane);
		rig_say(&r, line);
		for (u32 i = 0; i < ARRAY_LEN(pairs); i++, compared++) {
			snprintf(line, sizeof line, "print/d %s", pairs[i][0]);
			snprintf(got, sizeof got, "%s", rig_say(&r, line));
			snprintf(line, sizeof line, "print/d %s", pairs[i][1]);
			assert_string_equal(got, rig_say(&r, line));
		}
	}
	assert_int_equal(compared, 28 * ARRAY_LEN(pairs));
	rig_has(&r, "print %ntid.x", "5");
	rig_has(&r, "print %ntid.z", "3");
	rig_has(&r, "print %nctaid.y", "3");
	rig_fails(&r, "print %tid", "no register '%tid'");
	rig_fails(&r, "print %tid.w", "no register '%tid.w'");
	rig_fails(&r, "print %tid.xx", "no register '%tid.xx'");
	rig_close(&r);
}

/* A register that has no value here says so: its slot holds another's. */
static void dead_registers(void **state)
{
	struct rig r;
	open_scale(&r);
	rig_say(&r, "tbreak becomes barrier");
	rig_say(&r, "continue");
	rig_has(&r, "print %r8", "dead here");
	assert_null(strstr(rig_say(&r, "print %r1"), "dead"));
	rig_close(&r);
}

static void threads_as_in_cuda_gdb(void **state)
{
	struct rig r;
	open_scale(&r);
	rig_fails(&r, "focus thread 3", "of which kernel");
	rig_say(&r, "tbreak becomes barrier cta=11");
	rig_say(&r, "continue");
	rig_has(&r, "cuda block 1,2 thread 4,3,1", "CTA 9 of");
	rig_has(&r, "print %tid.x", "4");
	rig_has(&r, "print %tid.y", "3");
	rig_has(&r, "print %tid.z", "1");
	rig_has(&r, "print %ctaid.y", "2");
	rig_has(&r, "focus cta (3,2,0) thread 33", "CTA 11 of");
	assert_int_equal(r.d->focus.lane, 1);
	rig_has(&r, "focus thread (2,0,0)", "CTA 11 of");
	assert_int_equal(r.d->focus.lane, 2);
	rig_fails(&r, "focus thread 60", "thread 60 does not exist (0..59)");
	rig_fails(&r, "focus thread 0,4", "thread (0,4,0) does not exist: there are 5 x 4 x 3");
	rig_fails(&r, "focus cta 4,0", "cta (4,0,0) does not exist: there are 4 x 3 x 1");
	rig_fails(&r, "focus thread 1 lane 2", "has its warp and lane");
	static const char *const wrong[] = {"focus thread x", "focus thread 1,2,3,4", "focus cta (1",  "focus cta ()",
	                                    "focus cta ,",    "focus cta 1,,x",       "focus warp 1,2"};
	for (u32 i = 0; i < ARRAY_LEN(wrong); i++)
		rig_fails(&r, wrong[i], "expected");
	rig_has(&r, "info cuda warps", "barrier");
	rig_has(&r, "info threads", "thread (2,0,0)");
	rig_has(&r, "info blocks", "(3,2,0)");
	rig_close(&r);
}

static void names_that_lua_does_not_know(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_fails(&r, "print ipc", "did you mean gpu.ipc?");
	rig_fails(&r, "print threadIdx", "%tid.x");
	rig_fails(&r, "print nonsense", "no variable, buffer or symbol 'nonsense'");
	rig_fails(&r, "display ipc", "did you mean gpu.ipc?");
	rig_fails(&r, "until ipc", "did you mean gpu.ipc?");
	rig_fails(&r, "until vecadd", "`tbreak vecadd`, then `continue`");
	rig_fails(&r, "until vecadd:30", "`tbreak vecadd:30`, then `continue`");
	rig_fails(&r, "until vecadd:", "expected");
	rig_fails(&r, "until true false", "expected");
	assert_int_equal(sim_cycle(r.s->sim), 0);
	/* What a callback makes later may be waited for. */
	rig_say(&r, "lua dbg.on('cta_dispatch', {cta = 7}, function(e) found = e.cycle end)");
	rig_say(&r, "display found");
	rig_has(&r, "until found", "found = ");
	assert_true(sim_cycle(r.s->sim) > 0 && sim_cycle(r.s->sim) < 100);
	rig_say(&r, "undisplay");
	rig_has(&r, "print nil", "nil");
	rig_has(&r, "print true", "true");
	rig_has(&r, "print false", "false");
	rig_say(&r, "lua mine = 7");
	rig_has(&r, "print mine", "7");
	/* A buffer by the name that `info allocation` gives it. */
	char addr[32];
	u64 a = 0;
	const struct devmem *m = sim_devmem(r.s->sim);
	const char *name = NULL;
	for (u32 i = 0; i < m->nallocs && !name; i++)
		if (m->allocs[i].name[0] &&
		    strspn(m->allocs[i].name, "abcdefghijklmnopqrstuvwxyz_0123456789") == strlen(m->allocs[i].name)) {
			name = m->allocs[i].name;
			a = m->allocs[i].addr;
		}
	assert_non_null(name);
	char line[64];
	snprintf(addr, sizeof addr, "0x%llx\n", (unsigned long long)a);
	snprintf(line, sizeof line, "print %s", name);
	assert_string_equal(rig_say(&r, line), addr);
	snprintf(line, sizeof line, "watch %s", name);
	rig_fails(&r, line, "is a buffer or symbol: `x ");
	rig_fails(&r, "watch ipc", "did you mean gpu.ipc?");
	rig_fails(&r, "watch later", "`set var later = 0` makes a variable");
	/* A script's own rules for globals are its own. */
	rig_say(&r, "lua setmetatable(_G, {__index = function(t, k) return k == 'nonsense' and 'sense' or nil end})");
	rig_has(&r, "print nonsense", "sense");
	rig_has(&r, "print ipc", "nil");
	rig_say(&r, "lua setmetatable(_G, {__index = function(t, k) error('no ' .. k) end})");
	rig_fails(&r, "print ipc", "no ipc");
	rig_close(&r);
}

/* An object is shown with all it holds: what each member says alone. */
static void objects_with_their_members(void **state)
{
	static const char *const objects[] = {
	    "gpu",    "gpu.sm[3]",   "gpu.sm[3].warp[5]", "gpu.sm[3].cta[0]", "gpu.kernel[0]",      "gpu.l1d",
	    "gpu.l2", "gpu.dram[1]", "gpu.noc",           "gpu.sm[3].l1d",    "gpu.sm[14].warp[47]"};
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "until 700");
	for (u32 i = 0; i < ARRAY_LEN(objects); i++) {
		char line[200], *save = NULL;
		u32 compared = 0;
		snprintf(line, sizeof line, "print %s", objects[i]);
		char *all = xstrdup(rig_say(&r, line));
		for (char *l = strtok_r(all, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
			const char *value = l + 25;
			assert_true(strlen(l) >= 25 && l[24] == ' ');
			l[strcspn(l, " ")] = 0;
			if (*value == '(')
				continue; /* a function, a long table */
			snprintf(line, sizeof line, "lua print(%s.%s)", objects[i], l);
			const char *alone = rig_say(&r, line);
			char *end;
			double v = strtod(value, &end); /* numbers; Lua's own print writes 1.0 */
			if (!*end && end > value && fabs(v - strtod(alone, NULL)) > 1e-9 * fabs(v))
				fail_msg("%s.%s: %s, not %s", objects[i], l, value, alone);
			compared++;
		}
		assert_true(compared > 5);
		free(all);
	}
	rig_has(&r, "print gpu.sm", "gpu.sm");
	rig_fails(&r, "print gpu.sm[15]", "SM 15 does not exist");
	rig_fails(&r, "print gpu.l1d.nothing", "has no 'nothing'");
	rig_close(&r);
}

static void habits_of_other_debuggers(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_fails(&r, "thread 3", "`focus cta C thread T`");
	rig_fails(&r, "disas", "`list` shows the PTX");
	rig_fails(&r, "up", "a warp has one place");
	rig_fails(&r, "info locals", "`info registers`");
	rig_has(&r, "goto 3", "running there");
	rig_say(&r, "rsi");
	assert_int_equal(sim_cycle(r.s->sim), 2);
	/* No hint hides a command or topic that there is: those are found before. */
	static const struct {
		bool topic;
		const char *words;
	} table[] = {
#define HABIT(topic, words, hint) {topic, words},
#include "commands/habits.def"
#undef HABIT
	};
	for (u32 i = 0; i < ARRAY_LEN(table); i++) {
		char words[120], *save = NULL;
		snprintf(words, sizeof words, "%s", table[i].words);
		for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
			struct err e = {0};
			assert_true(table[i].topic ? !info_find(w, &e) : !command_find(w, &e));
			if (!strstr(e.msg, "unknown "))
				fail_msg("%s: %s", w, e.msg);
		}
	}
	rig_close(&r);
}

static bool offers(struct rig *r, const char *line, const char *name)
{
	u32 start;
	bool found = false;
	char **m = debugger_complete(r->d, line, (u32)strlen(line), &start);
	for (u32 i = 0; m && m[i]; i++)
		found |= !strcmp(m[i], name);
	debugger_free_matches(m);
	return found;
}

/* `show` has all that `set` has, and every key of the configuration, as `set` would take it. */
static void show_shows_everything(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	const char *key;
	char line[120];
	struct strbuf all = STRBUF_INIT;
	strbuf_adds(&all, rig_say(&r, "show"));
	for (u32 i = 0; (key = set_key(i)); i++) {
		snprintf(line, sizeof line, "%s ", key);
		if (strcmp(key, "var") && !strstr(strbuf_str(&all), line))
			fail_msg("show does not show %s", key);
	}
	for (u32 i = 0; i < conf_nkeys; i++) {
		struct strbuf v = STRBUF_INIT;
		conf_get(gpu_conf(dbg_gpu(r.d)), &conf_keys[i], &v);
		snprintf(line, sizeof line, "show %s", conf_keys[i].key);
		rig_has(&r, line, strbuf_str(&v));
		strbuf_release(&v);
	}
	rig_has(&r, "show l1d", "l1d.ways");
	assert_null(strstr(rig_say(&r, "show l1d"), "l2."));
	rig_say(&r, "set warp-sched lrr");
	rig_has(&r, "show warp-sched", "lrr");
	rig_say(&r, "set taxonomy elf");
	rig_has(&r, "show taxonomy", "elf");
	rig_say(&r, "set log cta-done");
	rig_has(&r, "show log", "cta-done");
	rig_say(&r, "set log none");
	rig_has(&r, "show log", "none");
	assert_true(offers(&r, "show l1d.w", "l1d.ways"));
	assert_true(offers(&r, "show pal", "palette"));
	assert_false(offers(&r, "show l1d.ways l1", "l1d.ways"));
	assert_true(offers(&r, "focus th", "thread"));
	rig_fails(&r, "show l1d.way", "did you mean 'l1d.ways'");
	rig_fails(&r, "show @", "no setting");
	strbuf_release(&all);
	rig_close(&r);
}

static void must_explain(const char *word, const char *text)
{
	struct strbuf out = STRBUF_INIT;
	struct err e = {0};
	explain_name(word, false, &out, &e);
	if (!strstr(e.set ? e.msg : strbuf_str(&out), text))
		fail_msg("explain %s: '%s' expected, not: %s%s", word, text, strbuf_str(&out), e.msg);
	strbuf_release(&out);
}

static void explained_by_a_word(void **state)
{
	must_explain("IPC", "sm.ipc  (rate");
	must_explain("ld.global.f32", "ld  (opcode)");
	must_explain("bar.sync", "bar  (opcode)");
	must_explain("bar.warp.sync", "bar.warp  (opcode)");
	must_explain("evict", "with it in name or text");
	must_explain("lsu", "load/store unit");
	must_explain("conflict", "sm.shared_conflicts");
	must_explain("hit_rat", "did you mean 'hit_rate'?");
	must_explain("a", "nothing is called 'a'"); /* one letter is in everything */
	must_explain("xyzzy", "see warpdbg list stats");
	must_explain(".", "nothing is called '.'");
	must_explain("...", "nothing is called '...'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_of_the_source),
	    cmocka_unit_test(special_registers),
	    cmocka_unit_test(dead_registers),
	    cmocka_unit_test(threads_as_in_cuda_gdb),
	    cmocka_unit_test(names_that_lua_does_not_know),
	    cmocka_unit_test(objects_with_their_members),
	    cmocka_unit_test(habits_of_other_debuggers),
	    cmocka_unit_test(show_shows_everything),
	    cmocka_unit_test(explained_by_a_word),
	};
	return cmocka_run_group_tests(tests, write_ptx, remove_ptx);
}
