/* Several PTX files in one module: which names they share, which definition counts, whose lines messages name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "front/ptx/ptx.h"

#define HEAD ".version 9.0\n.target sm_75\n.address_size 64\n"
#define ENTRY(name, body) ".visible .entry " name "()\n{\n.reg .b64 %d<4>;\n.reg .b32 %r<4>;\n" body "ret;\n}\n"
#define BODY(n) "{\n.reg .b32 %r;\nmov.b32 %r, " #n ";\nst.param.b32 [r], %r;\nret;\n}\n"
#define SIG ".func (.param .b32 r) f ()"

static struct module *link_n(const char *const *texts, u32 n, struct err *e)
{
	static const char *const names[] = {"a.ptx", "b.ptx", "c.ptx"};
	struct source_text t[3];
	for (u32 i = 0; i < n; i++)
		t[i] = (struct source_text){names[i], texts[i], strlen(texts[i])};
	*e = (struct err){0};
	return ptx_link_for(t, n, NULL, e);
}

static struct module *linked(const char *a, const char *b)
{
	struct err e;
	struct module *m = link_n((const char *[]){a, b}, 2, &e);
	if (!m)
		fail_msg("%s", e.msg);
	return m;
}

static void refused(const char *a, const char *b, const char *message)
{
	struct err e;
	struct module *m = link_n((const char *[]){a, b}, 2, &e);
	if (m)
		fail_msg("linked, but '%s' was to be said", message);
	assert_string_equal(e.msg, message);
}

static const struct symbol *symbol(const struct module *m, const char *name, u32 *count)
{
	const struct symbol *found = NULL;
	*count = 0;
	for (u32 i = 0; i < m->nsymbols; i++)
		if (!strcmp(m->symbols[i].name, name)) {
			found = found ? found : &m->symbols[i];
			++*count;
		}
	return found;
}

/* The constant that f returns: the source of its first instruction. */
static u32 value_of_f(const struct module *m)
{
	const struct func *f = module_func(m, "f", false);
	u32 v;
	assert_non_null(f);
	assert_true(f->end > f->entry);
	memcpy(&v, m->pool + (m->code[f->entry].s[0] & ~OPND_POOL), 4);
	return v;
}

static void functions_and_calls(void **state)
{
	struct module *m =
	    linked(HEAD ".extern " SIG ";\n" ENTRY("k", "call (%r0), f;\n"), HEAD ".visible " SIG "\n" BODY(7));
	const struct func *k = module_func(m, "k", true), *f = module_func(m, "f", false);
	u32 calls = 0;
	assert_non_null(k);
	for (u32 pc = k->entry; pc < k->end; pc++)
		if (m->code[pc].op == OP_CALL) {
			assert_ptr_equal(&m->funcs[m->code[pc].func], f);
			calls++;
		}
	assert_int_equal(calls, 1);
	assert_int_equal(value_of_f(m), 7);
	/* lines: people see those of the file */
	assert_int_equal(m->nparts, 2);
	assert_string_equal(module_part_of(m, f->line)->path, "b.ptx");
	assert_int_equal(module_line_in_file(m, f->line), 4);
	assert_string_equal(module_part_of(m, k->line)->path, "a.ptx");
	assert_int_equal(module_line_in_file(m, k->line), 5);
	assert_int_equal(module_pc_line(m, f->entry), 7);
	module_free(m);
}

/* The one without a directive is the file's own: three functions f. */
static void names_of_a_file(void **state)
{
	struct module *m = linked(HEAD SIG "\n" BODY(1) ".global .u32 v = 1;\n" ENTRY("k", "call (%r0), f;\n"),
	                          HEAD SIG "\n" BODY(2) ".global .u32 v = 2;\n" ENTRY("k2", "call (%r0), f;\n"));
	u32 n;
	symbol(m, "v", &n);
	assert_int_equal(n, 2);
	const struct func *k = module_func(m, "k2", true);
	for (u32 pc = k->entry; pc < k->end; pc++)
		if (m->code[pc].op == OP_CALL)
			assert_string_equal(module_part_of(m, m->funcs[m->code[pc].func].line)->path, "b.ptx");
	module_free(m);
}

static void weak_functions(void **state)
{
	const struct {
		const char *a, *b;
		u32 value;
	} t[] = {
	    {HEAD ".weak " SIG "\n" BODY(1), HEAD ".weak " SIG "\n" BODY(2), 1},    /* the first */
	    {HEAD ".weak " SIG "\n" BODY(1), HEAD ".visible " SIG "\n" BODY(2), 2}, /* the strong one, wherever it is */
	    {HEAD ".visible " SIG "\n" BODY(1), HEAD ".weak " SIG "\n" BODY(2), 1},
	    {HEAD ".extern " SIG ";\n", HEAD ".weak " SIG ";\n.weak " SIG "\n" BODY(2), 2},
	};
	for (u32 i = 0; i < ARRAY_LEN(t); i++) {
		struct module *m = linked(t[i].a, t[i].b);
		assert_int_equal(value_of_f(m), t[i].value);
		module_free(m);
	}
	struct module *m =
	    linked(HEAD ".weak .entry k()\n{\nret;\n}\n", HEAD ".weak .entry k()\n{\nbar.sync 0;\nret;\n}\n");
	assert_int_equal(m->nfuncs, 1);
	assert_int_equal(m->ncode, 1);
	module_free(m);
}

static void variables(void **state)
{
	static const struct {
		const char *a, *b;
		u32 first, size;
	} t[] = {
	    {".extern .global .u32 v[];", ".visible .global .u32 v[3] = {5, 6, 7};", 5, 12},
	    {".visible .global .u32 v[] = {5, 6};", ".extern .global .u32 v[2];", 5, 8},
	    {".weak .global .u32 v = 1;", ".weak .global .u32 v = 2;", 1, 4},
	    {".weak .global .u32 v = 1;", ".visible .global .u32 v = 2;", 2, 4},
	    {".visible .const .u32 v = 3;", ".weak .const .u32 v = 2;", 3, 4},
	    {".common .global .u32 v[2];", ".common .global .u32 v[9];", 0, 36},
	    {".common .global .u32 v[2];", ".visible .global .u32 v[2] = {4};", 4, 8},
	    {".extern .const .align 4 .f32 v;", ".visible .const .align 4 .f32 v = 0f40200000;", 0x40200000, 4},
	};
	for (u32 i = 0; i < ARRAY_LEN(t); i++) {
		char a[200], b[200];
		u32 n, first = 0;
		snprintf(a, sizeof a, HEAD "%s", t[i].a); /* and without a newline at the end */
		snprintf(b, sizeof b, HEAD "%s", t[i].b);
		struct module *m = linked(a, b);
		const struct symbol *s = symbol(m, "v", &n);
		assert_int_equal(n, 1);
		assert_int_equal(s->size, t[i].size);
		if (s->init)
			memcpy(&first, s->init, 4);
		assert_int_equal(first, t[i].first);
		module_free(m);
	}
}

/* An extern shared array is the dynamic one unless a file defines it. */
static void shared_memory(void **state)
{
	const char *use = "mov.u64 %d0, s;\nst.shared.u32 [%d0], 1;\n";
	char a[500];
	snprintf(a, sizeof a,
	         HEAD ".extern .shared .align 16 .b8 s[];\n.visible .entry k()\n{\n.reg .b64 %%d<2>;\n%sret;\n}\n", use);
	struct module *m = linked(a, HEAD ".visible .shared .align 16 .b8 s[400];\n");
	assert_false(module_func(m, "k", true)->dynamic_shared);
	assert_int_equal(module_func(m, "k", true)->shared_bytes, 400);
	module_free(m);
	m = linked(a, HEAD ".extern .shared .align 16 .b8 s[];\n");
	assert_true(module_func(m, "k", true)->dynamic_shared);
	assert_int_equal(module_func(m, "k", true)->shared_bytes, 0);
	module_free(m);
}

static void source_files(void **state)
{
	struct module *m = linked(HEAD ENTRY("k", ".loc 1 10 0\nmov.b32 %r0, 1;\n.loc 3 7 0\n") ".file 1 \"one.cu\"\n",
	                          HEAD ENTRY("k2", ".loc 1 20 0\nmov.b32 %r0, 1;\n") ".file 1 \"two.cu\"\n");
	const struct inst *a = &m->code[module_func(m, "k", true)->entry], *b = &m->code[module_func(m, "k2", true)->entry];
	assert_int_equal(a->src_line, 10);
	assert_string_equal(m->files[a->src_file], "one.cu");
	assert_string_equal(m->files[a[1].src_file], ""); /* no .file says what 3 is; the next file's do not count */
	assert_int_equal(b->src_line, 20);
	assert_string_equal(m->files[b->src_file], "two.cu");
	module_free(m);
}

static void refusals(void **state)
{
	refused(HEAD ".extern " SIG ";\n" ENTRY("k", "call (%r0), f;\n"), HEAD,
	        "a.ptx:9:13: function 'f' is called but not defined in any of the files linked");
	refused(HEAD ".extern " SIG ";\n" ENTRY("k", "call (%r0), f;\n"), HEAD SIG "\n" BODY(1), /* not shared */
	        "a.ptx:9:13: function 'f' is called but not defined in any of the files linked");
	refused(HEAD ".extern .global .u32 v;\n" ENTRY("k", "ld.global.u32 %r0, [v];\n"), HEAD ".global .u32 v;\n",
	        "a.ptx:4:22: variable 'v' is declared .extern and used, but not defined in any of the files linked");
	refused(HEAD ".visible " SIG "\n" BODY(1), HEAD "\n.visible " SIG "\n" BODY(2),
	        "b.ptx:5:32: 'f' is defined twice (first at a.ptx:4:32)");
	refused(HEAD ".visible .global .u32 a, v;\n", HEAD ".visible .global .align 4 .v2 .u32 v = {1, 2};\n",
	        "b.ptx:4:36: 'v' is defined twice (first at a.ptx:4:26)");
	refused(HEAD ENTRY("k", ""), HEAD ENTRY("k", ""), "b.ptx:4:17: 'k' is defined twice (first at a.ptx:4:17)");
	refused(HEAD ".extern .func (.param .b64 r) f ();\n", HEAD "\n\n.visible " SIG "\n" BODY(1),
	        "b.ptx:6:32: 'f' is declared differently at a.ptx:4");
	refused(HEAD ".extern .global .u32 v[4];\n", HEAD "\n.visible .global .u32 v[5];\n",
	        "b.ptx:5:23: 'v' has 20 bytes here, 16 at a.ptx:4");
	refused(HEAD ".extern .global .u32 v;\n", HEAD ".visible .const .u32 v;\n",
	        "b.ptx:4:22: 'v' is in const space here, in global space at a.ptx:4");
	refused(HEAD ".extern .global .u32 f;\n", HEAD ".visible " SIG "\n" BODY(1),
	        "b.ptx:4:32: 'f' is declared differently at a.ptx:4");
	refused(HEAD ".extern " SIG ";\n", HEAD ".visible .global .u32 f;\n",
	        "b.ptx:4:23: 'f' is a variable here, something else at a.ptx:4");
	refused(HEAD, HEAD ".weak " SIG "\n{\n", "b.ptx:6:1: unexpected end of file, expected an instruction");
	refused(HEAD ".weak " SIG "\n" BODY(1), HEAD ".weak " SIG "\n{\n",
	        "b.ptx:5:1: the '}' that belongs to this '{' is missing");
	refused(HEAD, "nothing\n", "b.ptx:1:1: unexpected 'nothing', expected .version");
}

/* What one file's function has that is not supported refuses another file's kernel; the others run. */
static void unsupported(void **state)
{
	struct module *m = linked(
	    HEAD ".extern " SIG ";\n" ENTRY("calls", "call (%r0), f;\n") ENTRY("runs", ""), HEAD
	    "\n.visible " SIG "\n{\n.reg .b32 %r<2>;\n  frobnicate.b32 %r0;\nret;\n}\n" ENTRY("own", "frob.b32 %r0;\n"));
	char *calls = func_unsupported(m, module_func(m, "calls", true)),
	     *own = func_unsupported(m, module_func(m, "own", true));
	assert_string_equal(calls, "b.ptx:8:3: 'frobnicate.b32' is not supported (in function f, which it calls)");
	assert_non_null(strstr(own, "b.ptx:"));
	assert_non_null(strstr(own, ": 'frob.b32' is not supported"));
	assert_null(func_unsupported(m, module_func(m, "runs", true)));
	free(calls);
	free(own);
	module_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(functions_and_calls),
	    cmocka_unit_test(names_of_a_file),
	    cmocka_unit_test(weak_functions),
	    cmocka_unit_test(variables),
	    cmocka_unit_test(shared_memory),
	    cmocka_unit_test(source_files),
	    cmocka_unit_test(refusals),
	    cmocka_unit_test(unsupported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
