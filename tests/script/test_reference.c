/* The reference of Lua is true: every row says what goes in and out, everything bound is in it and everything in it is
 * bound, fields give the documented types, functions refuse what they say they refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "session/host/array.h"
#include "session/policy/policy_internal.h"
#include "script/reference.h"
#include "base/markdown.h"
#include "tests/rig/debug_rig.h"

/* Functions that do something even without an argument, or answer nil: not called with none. */
static bool required_arguments(const struct lua_doc *x)
{
	const char *open = strpbrk(x->signature, "({");
	return open && !strchr(")[.", open[1]);
}

static void rows_are_complete(void **state)
{
	for (u32 i = 0; i < lua_nsections; i++) {
		assert_true(*lua_sections[i].text);
		for (const struct lua_doc *x = lua_sections[i].docs; x->name; x++) {
			if (!*x->text ||
			    (!*x->values && (lua_sections[i].fields || strstr(x->signature, "->") || required_arguments(x))))
				fail_msg("%s: neither meaning nor values may be missing", x->signature);
			if (x->text[strlen(x->text) - 1] == '.' || (*x->errors && x->errors[strlen(x->errors) - 1] == '.'))
				fail_msg("%s: the markdown adds the full stop", x->signature);
		}
	}
}

static const struct lua_doc *find(const struct lua_doc *docs, const char *name)
{
	for (const struct lua_doc *x = docs; x->name; x++)
		if (!strcmp(x->name, name))
			return x;
	return NULL;
}

static const struct lua_section *section(const char *name)
{
	for (u32 i = 0; i < lua_nsections; i++)
		if (!strcmp(lua_sections[i].name, name))
			return &lua_sections[i];
	fail_msg("no section %s", name);
	return NULL;
}

/* --- what is bound is documented, and the other way round --------------------------------------------------------- */

/* The names in the global table `module`, each of which must have its row "MODULE.NAME". */
static u32 all_documented(struct rig *r, const char *module, const struct lua_doc *docs)
{
	u32 n = 0;
	char line[120], *save = NULL;
	snprintf(line, sizeof line, "lua for k in pairs(%s) do print(k) end", module);
	char *names = xstrdup(rig_say(r, line));
	for (char *k = strtok_r(names, "\n", &save); k; k = strtok_r(NULL, "\n", &save), n++) {
		snprintf(line, sizeof line, "%s.%s", module, k);
		if (!find(docs, line))
			fail_msg("%s has no row in the reference", line);
	}
	free(names);
	return n;
}

static void all_bound(struct rig *r, const struct lua_doc *docs)
{
	char line[200];
	for (const struct lua_doc *x = docs; x->name; x++) {
		snprintf(line, sizeof line, "p type(%s)", x->name);
		if (!strchr(x->name, ':'))
			rig_has(r, line, "function");
	}
}

static void modules(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	assert_true(all_documented(&r, "dbg", section("dbg")->docs) >= 15);
	assert_int_equal(all_documented(&r, "mem", section("mem")->docs), 22);
	all_bound(&r, section("dbg")->docs);
	all_bound(&r, section("mem")->docs);
	all_bound(&r, section("base")->docs);
	rig_fails(&r, "lua io.open('x')", "--allow-io");
	rig_fails(&r, "lua os.remove('x')", "--allow-io");
	rig_has(&r,
	        "p package == nil and debug == nil and dofile == nil and loadfile == nil and "
	        "collectgarbage == nil",
	        "true");
	rig_close(&r);
}

static void methods_documented(const luaL_Reg *methods, const char *prefix, const struct lua_doc *docs)
{
	char name[64];
	u32 bound = 0, documented = 0;
	for (; methods->name; methods++, bound++) {
		snprintf(name, sizeof name, "%s%s", prefix, methods->name);
		if (!find(docs, name))
			fail_msg("%s has no row in the reference", name);
	}
	for (const struct lua_doc *x = docs; x->name; x++)
		documented += !strncmp(x->name, prefix, strlen(prefix));
	assert_int_equal(documented, bound);
}

static void methods(void **state)
{
	const struct lua_doc *policy = section("policy")->docs;
	methods_documented(policy_module, "policy.", policy);
	methods_documented(policy_warp_methods, "sm:", policy);
	methods_documented(policy_cta_methods, "k:", policy);
	methods_documented(policy_partition_methods, "m:", policy);
	methods_documented(array_methods, "array:", section("cuda")->docs);
}

/* A host program that keeps its `cuda` for the console to look at. */
static void host_programs(void **state)
{
	static const char text[] = "return { run = function(c, p) cuda = c; array = c.host('u32', 4) end }";
	char path[] = "/tmp/warpdbg-reference-XXXXXX.lua";
	int fd = mkstemps(path, 4);
	assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
	close(fd);
	struct rig r;
	char *argv[] = {"warpdbg", "debug", path, NULL};
	rig_open(&r, argv);
	rig_try(&r, "continue");
	assert_true(all_documented(&r, "cuda", section("cuda")->docs) >= 21);
	all_bound(&r, section("cuda")->docs);
	rig_has(&r, "p #array:iota():fill(7):rand()", "4");
	rig_fails(&r, "lua array:sort()", "methods fill, iota, rand, combine");
	rig_close(&r);
	unlink(path);
}

/* --- fields ------------------------------------------------------------------------------------------------------- */

/* "integer or nil, cycles": what type() may say of such a value. */
static bool type_fits(const char *values, const char *type)
{
	static const char *const words[][2] = {{"object", "userdata"}, {"table", "table"},      {"integer", "integer"},
	                                       {"number", "number"},   {"number", "float"},     {"string", "string"},
	                                       {"boolean", "boolean"}, {"function", "function"}};
	if (!strcmp(type, "nil"))
		return strstr(values, "or nil") != NULL;
	for (u32 i = 0; i < ARRAY_LEN(words); i++)
		if (!strncmp(values, words[i][0], strlen(words[i][0])) && !strcmp(words[i][1], type))
			return true;
	return false;
}

static void field_gives_its_type(struct rig *r, const struct lua_doc *x)
{
	char line[200], *to = line + sprintf(line, "lua local v = ");
	for (const char *p = x->name; *p; p++)
		*to++ = strchr("SWCK", *p) && p[-1] == '[' ? '0' : *p;
	snprintf(to, (size_t)(line + sizeof line - to), " print(math.type(v) or type(v))");
	char *type = xstrdup(rig_say(r, line));
	type[strcspn(type, "\n")] = 0;
	if (!type_fits(x->values, type))
		fail_msg("%s is a %s; documented is: %s", x->name, type, x->values);
	free(type);
}

/* On a machine at work, where warp 0 is there, and on one that has finished, where it is not. */
static void fields(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "lua v = gpu.l1d.hit_rate"); /* nothing has been accessed */
	rig_has(&r, "p math.type(v), v ~= v", "float  true");
	rig_say(&r, "step 600");
	for (u32 pass = 0; pass < 2; pass++) {
		if (pass)
			rig_say(&r, "continue");
		for (const struct lua_doc *x = section("gpu")->docs; x->name; x++)
			if (!strstr(x->signature, "COUNTER"))
				field_gives_its_type(&r, x);
	}
	rig_has(&r, "p math.type(gpu.ctas_done), math.type(gpu.sm[0].ipc), math.type(gpu.l2[0].hits)",
	        "integer  float  integer");
	rig_has(&r, "p math.type(gpu.kernel[0].ctas_done)", "integer");
	rig_fails(&r, "lua gpu.cycle = 1", "read-only");
	rig_fails(&r, "p gpu.sm[15]", "SM 15 does not exist (0..14)");
	rig_close(&r);
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

/* What needs an argument says so. */
static void calls_without_arguments(void **state)
{
	static const char *const checked[] = {"dbg", "mem"};
	struct rig r;
	u32 n = 0;
	rig_vecadd(&r);
	for (u32 i = 0; i < ARRAY_LEN(checked); i++)
		for (const struct lua_doc *x = section(checked[i])->docs; x->name; x++, n++) {
			char line[120];
			snprintf(line, sizeof line, "p (pcall(%s))", x->name);
			if (required_arguments(x))
				rig_has(&r, line, "false");
		}
	assert_true(n > 30);
	rig_close(&r);
}

/* Errors that the reference names, one of each kind. */
static void errors(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_fails(&r, "lua dbg.on('cta-dspatch', print)", "did you mean 'cta-dispatch'");
	rig_fails(&r, "lua dbg.on('cta-dispatch', {nothing = 1}, print)", "filter");
	rig_fails(&r, "lua dbg.off(99)", "there is no subscription 99");
	rig_fails(&r, "lua dbg.sample(0, print)", "at least 1 cycle");
	rig_fails(&r, "lua dbg.stop('x')", "outside a callback");
	rig_fails(&r, "lua dbg.break_on('cta-done', {}, 'e.sm ==')", "unexpected symbol");
	rig_fails(&r, "lua dbg.step(0)", "at least 1 cycle");
	rig_fails(&r, "lua dbg.run_until(0)", "that cycle has passed");
	rig_fails(&r, "lua coroutine.wrap(function() dbg.step() end)()", "host program or coroutine");
	rig_fails(&r, "lua dbg.export('json', '/tmp/x')", "allow-io");
	rig_fails(&r, "lua mem.read_u32(16)", "");
	rig_fails(&r, "lua mem.read_u32(16, 0)", "elements");
	rig_fails(&r, "lua mem.shared(15, 0, 0)", "no such SM");
	rig_fails(&r, "lua mem.shared(0, 0, 0)", "is empty");
	rig_fails(&r, "lua mem.shared(0, 0, 0, 'u31')", "u31");
	rig_has(&r, "p mem.find(16)", "nil");
	rig_say(&r, "lua id = dbg.on('cta-dispatch', function(e) dbg.at_end(print) end)");
	rig_has(&r, "step 10", "not within a callback");
	rig_say(&r, "lua id = dbg.on('issue', {sm = 0}, function(e) mem.write_u32(0, 0) end)");
	rig_try(&r, "step 600");
	if (!strstr(strbuf_str(&r.out), "not change it"))
		fail_msg("mem.write within a callback: %s", strbuf_str(&r.out));
	rig_say(&r, "continue");
	rig_fails(&r, "lua dbg.step()", "the program has finished");
	rig_close(&r);
}

/* --- markdown and help -------------------------------------------------------------------------------------------- */

static void escaped(const char *text, u32 where, const char *want)
{
	struct strbuf out = STRBUF_INIT;
	markdown_add(&out, text, where);
	assert_string_equal(strbuf_str(&out), want);
	strbuf_release(&out);
}

static void nothing_is_markup(void **state)
{
	escaped("a_b _c_ d_", 0, "a_b \\_c\\_ d\\_");
	escaped("rel * |want| *x*", 0, "rel * |want| \\*x\\*");
	escaped("a | b `c | d*e`", MARKDOWN_CELL, "a \\| b `c \\| d*e`");
	escaped("a|b *c*", MARKDOWN_CELL | MARKDOWN_CODE, "a\\|b *c*");
	escaped("[x](y) <b> a < b", 0, "[x\\](y) \\<b> a < b");
}

static void help_tells_all(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_has(&r, "help mem.read_u32", "errors: memory that is not allocated");
	rig_has(&r, "help gpu.cycle", "gpu.cycle: integer, cycles\n");
	rig_has(&r, "help lua machine", "base: string");
	rig_has(&r, "help lua sm:oldest", "sm:oldest(mask) -> warp");
	rig_has(&r, "help cuda.u64", "cuda.u64(x) -> argument");
	char *all = xstrdup(rig_say(&r, "help lua"));
	for (u32 i = 0; i < lua_nsections; i++)
		for (const struct lua_doc *x = lua_sections[i].docs; x->name; x++)
			if (!strstr(all, x->signature))
				fail_msg("help lua lacks %s", x->signature);
	free(all);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_are_complete),
	    cmocka_unit_test(modules),
	    cmocka_unit_test(methods),
	    cmocka_unit_test(host_programs),
	    cmocka_unit_test(fields),
	    cmocka_unit_test(calls_without_arguments),
	    cmocka_unit_test(errors),
	    cmocka_unit_test(nothing_is_markup),
	    cmocka_unit_test(help_tells_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
