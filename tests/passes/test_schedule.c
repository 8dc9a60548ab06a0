/* List scheduling: blocks worked out by hand; every kernel of configs/kernels against the dependence relation computed
 * anew, the slow way, from what the instructions read and write; registers; the workloads' results in both orders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <glob.h>

#include "commands/commands.h"
#include "session/catalog.h"
#include "front/ptx/ptx.h"
#include "passes/phases.h"
#include "passes/schedule.h"
#include "session/session.h"
#include "tests/rig/rounds.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define REGS ".reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .pred %p<8>; .reg .f32 %f<40>;\n"
#define KERNEL ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)\n{\n" REGS
/* Two addresses, computed in a block of their own. */
#define BASES                                                                                                          \
	KERNEL "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\ncvta.to.global.u64 %rd1, %rd1;\n"                        \
	       "cvta.to.global.u64 %rd2, %rd2;\nmov.u32 %r1, %tid.x;\nbra.uni B;\nB:\n"

static struct schedule_params params_for(u32 regs)
{
	struct conf c;
	struct schedule_params p;
	conf_defaults(&c);
	schedule_params_of(&p, &c);
	p.free_regs = regs;
	return p;
}

static struct module *load_with(const char *ptx, const struct schedule_params *p, const struct func **f)
{
	struct err e = {0};
	struct module *m = ptx_load_for("test.ptx", ptx, strlen(ptx), p, &e);
	if (!m)
		fail_msg("%s", e.msg);
	*f = module_func(m, "k", true);
	assert_non_null(*f);
	return m;
}

/* --- by hand ------------------------------------------------------------------------------------------------------ */

/* pc of the only instruction whose text contains `text`. */
static u32 pc_of(const struct module *m, const char *text)
{
	u32 found = UINT32_MAX;
	for (u32 pc = 0; pc < m->ncode; pc++) {
		u32 len;
		const char *line = module_line(m, m->code[pc].line, &len);
		if (!memmem(line, len, text, strlen(text)))
			continue;
		if (found != UINT32_MAX)
			fail_msg("'%s' is there twice", text);
		found = pc;
	}
	if (found == UINT32_MAX)
		fail_msg("no '%s'", text);
	return found;
}

/* In the scheduled code, each pair "x", "y" in this order. Texts end with NULL. */
static void expect_order(const char *body, const char *const *pairs)
{
	char ptx[8192];
	const struct func *f;
	struct schedule_params p = params_for(63);
	snprintf(ptx, sizeof ptx, "%s%sret;\n}\n", HEAD BASES, body);
	struct module *m = load_with(ptx, &p, &f);
	for (; *pairs; pairs += 2)
		if (pc_of(m, pairs[0]) >= pc_of(m, pairs[1]))
			fail_msg("'%s' comes behind '%s'", pairs[0], pairs[1]);
	module_free(m);
}
#define ORDER(body, ...) expect_order(body, (const char *const[]){__VA_ARGS__, NULL})

#define LOAD1 "ld.global.f32 %f1, [%rd1];\n"
#define LOAD2 "ld.global.f32 %f2, [%rd2];\n"

static void loads_up_and_uses_down(void **state)
{
	/* the second load passes the first one's use and arithmetic that has nothing to do with it */
	ORDER(LOAD1 "add.f32 %f3, %f1, %f1;\nmul.lo.s32 %r2, %r1, 3;\n" LOAD2 "add.f32 %f4, %f2, %f3;\n",
	      "ld.global.f32 %f2", "add.f32 %f3", "ld.global.f32 %f2", "mul.lo.s32 %r2", "mul.lo.s32 %r2", "add.f32 %f3");
	/* and its address with it */
	ORDER(LOAD1 "add.f32 %f3, %f1, %f1;\nmul.wide.s32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
	            "ld.global.f32 %f2, [%rd4];\nadd.f32 %f4, %f2, %f3;\n",
	      "ld.global.f32 %f2", "add.f32 %f3", "mul.wide.s32", "add.s64", "add.s64", "ld.global.f32 %f2");
}

/* %f8 is late: a store of it comes last unless the load behind it has to wait for it. */
#define BEFORE LOAD2 "add.f32 %f3, %f2, %f2;\nadd.f32 %f8, %f3, %f3;\n"
#define BEHIND LOAD1 "add.f32 %f5, %f1, %f8;\n"

static void what_stays_in_order(void **state)
{
	static const char *const between[] = {
	    "bar.sync 0;",
	    "membar.gl;",
	    "atom.global.add.u32 %r9, [%rd2+64], 1;",
	    "red.shared.add.u32 [%r1], 1;",
	    "st.volatile.global.f32 [%rd2], %f9;",
	    "ld.volatile.global.f32 %f9, [%rd2+8];",
	    "mov.u32 %r9, %clock;",
	    "st.global.f32 [%rd1], %f9;",   /* the same place */
	    "st.global.f32 [%rd1+2], %f9;", /* overlaps */
	    "st.global.f32 [%rd2], %f9;",   /* may be the same place */
	    "st.f32 [%rd2], %f9;",          /* generic */
	    "st.global.v2.f32 [%rd1+-4], {%f9, %f8};",
	};
	for (u32 i = 0; i < ARRAY_LEN(between); i++) {
		char body[1024];
		snprintf(body, sizeof body, "%s%s\n%s", BEFORE, between[i], BEHIND);
		ORDER(body, between[i], "ld.global.f32 %f1", "ld.global.f32 %f2", between[i]);
	}
}

static void what_loads_pass(void **state)
{
	static const char *const between[] = {
	    "st.shared.f32 [%r1], %f8;", "st.global.f32 [%rd1+4], %f8;",  "st.global.f32 [%rd1+-4], %f8;",
	    "st.local.f32 [%r1], %f8;",  "ld.global.f32 %f7, [%rd2+12];",
	};
	for (u32 i = 0; i < ARRAY_LEN(between); i++) {
		char body[1024];
		snprintf(body, sizeof body, "%s%s\n%s", BEFORE, between[i], BEHIND);
		ORDER(body, "ld.global.f32 %f1", i < 4 ? between[i] : "add.f32 %f3");
	}
	/* distances through additions, and ld.nc whatever is stored */
	ORDER(LOAD2 "add.f32 %f8, %f2, %f2;\nadd.s64 %rd3, %rd1, 16;\nadd.s64 %rd4, %rd3, -8;\nst.global.f32 [%rd3], %f8;\n"
	            "ld.global.f32 %f1, [%rd4+4];\nadd.f32 %f5, %f1, %f8;\n",
	      "ld.global.f32 %f1", "st.global");
	ORDER(LOAD2 "add.f32 %f8, %f2, %f2;\nadd.s64 %rd3, %rd1, 16;\nadd.s64 %rd4, %rd3, -8;\nst.global.f32 [%rd3], %f8;\n"
	            "ld.global.f32 %f1, [%rd4+8];\nadd.f32 %f5, %f1, %f8;\n",
	      "st.global", "ld.global.f32 %f1");
	ORDER(LOAD2 "add.f32 %f8, %f2, %f2;\nst.global.f32 [%rd2], %f8;\nld.global.nc.f32 %f1, [%rd1];\n"
	            "add.f32 %f5, %f1, %f8;\n",
	      "ld.global.nc", "st.global");
}

/* A base register that changes in between is another address. */
static void a_base_that_changes(void **state)
{
	ORDER(LOAD2 "add.f32 %f8, %f2, %f2;\nst.global.f32 [%rd1+4], %f8;\nadd.s64 %rd1, %rd1, 4;\n" LOAD1
	            "add.f32 %f5, %f1, %f8;\n",
	      "st.global", "ld.global.f32 %f1", "st.global", "add.s64 %rd1");
}

static void guards_and_carry(void **state)
{
	ORDER("setp.gt.s32 %p1, %r1, 3;\nmov.u32 %r2, 5;\n@%p1 mov.u32 %r2, 6;\n@%p1 ld.global.f32 %f1, [%rd1];\n" LOAD2
	      "add.s32 %r3, %r2, 1;\nadd.f32 %f3, %f1, %f2;\nsetp.gt.s32 %p1, %r1, 9;\n@!%p1 mov.u32 %r4, 1;\n",
	      "%r2, 5", "@%p1 mov.u32 %r2", "@%p1 mov.u32 %r2", "add.s32 %r3", "%p1, %r1, 3", "@%p1 ld", "@%p1 ld",
	      "%p1, %r1, 9", "@%p1 mov", "%p1, %r1, 9", "%p1, %r1, 9", "@!%p1");
	ORDER("add.cc.u32 %r2, %r1, 7;\naddc.u32 %r3, %r1, 8;\nadd.cc.u32 %r4, %r1, 9;\naddc.u32 %r5, %r1, 10;\n" LOAD1
	      "add.f32 %f3, %f1, %f1;\n",
	      "ld.global", "add.cc.u32 %r2", "add.cc.u32 %r2", "addc.u32 %r3", "addc.u32 %r3", "add.cc.u32 %r4",
	      "add.cc.u32 %r4", "addc.u32 %r5");
}

/* Figure 4 of Awatramani 2015 as a compiler writes it: loads beside their addresses. */
static const char vector_addition[] =
    HEAD KERNEL "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.param.u64 %rd3, [c];\nmov.u32 %r1, %ntid.x;\n"
                "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.s32 %r4, %r2, %r1, %r3;\n"
                "mul.wide.s32 %rd4, %r4, 4;\nadd.s64 %rd5, %rd1, %rd4;\nld.global.u32 %r5, [%rd5];\n"
                "add.s32 %r6, %r5, 0;\nadd.s64 %rd6, %rd2, %rd4;\nld.global.u32 %r7, [%rd6];\n"
                "add.s32 %r8, %r6, %r7;\nadd.s64 %rd7, %rd3, %rd4;\nst.global.u32 [%rd7], %r8;\nret;\n}\n";

static u32 phases_in(const struct module *m, const struct func *f, u32 *second)
{
	struct conf c;
	struct phase_params p;
	struct phases ph;
	conf_defaults(&c);
	phase_params_of(&p, &c);
	phases_find(&ph, m, f, &p);
	u32 n = ph.n;
	*second = n > 1 ? ph.list[1].begin : 0;
	phases_release(&ph);
	return n;
}

static void two_phases_of_a_vector_addition(void **state)
{
	const struct func *f;
	u32 second;
	struct schedule_params p = params_for(63);
	struct module *m = load_with(vector_addition, NULL, &f);
	assert_int_equal(phases_in(m, f, &second), 3);
	module_free(m);
	m = load_with(vector_addition, &p, &f);
	assert_int_equal(phases_in(m, f, &second), 2);
	assert_int_equal(second, pc_of(m, "add.s32 %r6"));
	assert_int_equal(second, pc_of(m, "st.global") - 2); /* all that waits for nothing has been done before */
	module_free(m);
}

/* Twenty loads, each with its use behind it: all loads first need 20 registers, the text 2. */
static void registers_bound_the_loads(void **state)
{
	struct strbuf ptx = STRBUF_INIT;
	strbuf_adds(&ptx, HEAD BASES "mov.f32 %f0, 0f00000000;\n");
	for (u32 i = 1; i <= 20; i++)
		strbuf_addf(&ptx, "ld.global.f32 %%f%u, [%%rd1+%u];\nadd.f32 %%f0, %%f0, %%f%u;\n", i, 4 * i, i);
	strbuf_adds(&ptx, "st.global.f32 [%rd2], %f0;\nret;\n}\n");
	u32 last_ahead = 0;
	for (u32 regs = 9; regs <= 30; regs += 7) {
		const struct func *f;
		struct schedule_params p = params_for(regs);
		p.spare = 0;
		struct module *m = load_with(strbuf_str(&ptx), &p, &f);
		u32 ahead = 0, most = 0;
		for (u32 pc = f->entry; pc < f->end; pc++) {
			ahead += m->code[pc].op == OP_LD && m->code[pc].space == SPC_GLOBAL;
			most = MAX(most, ahead);
			ahead -= m->code[pc].op == OP_ADD;
		}
		assert_true(most >= last_ahead);
		assert_true(most <= MAX(regs - 7, 2u));
		last_ahead = most;
		assert_int_equal(f->max_live, 2); /* the figure of the text */
		assert_int_equal(f->regs, 9);
		module_free(m);
	}
	assert_int_equal(last_ahead, 20);
	strbuf_release(&ptx);
}

/* --- every kernel ----------------------------------------------------------------------------------------------------
 *
 * The relation is computed from the text of the lines: registers by name, memory by what stands in brackets. */

#define REGS_OF_LINE 16
struct stmt {
	u32 pc, line;
	char op[48];
	char def[REGS_OF_LINE][24], use[REGS_OF_LINE][24];
	u32 ndef, nuse;
	bool memory, store, fence, constant, boundary;
	char space[8], base[96]; /* state space, "" = generic; what stands before the offset */
	long long offset;
	u32 bytes;
};

static void add_reg(char (*list)[24], u32 *n, const char *s, size_t len)
{
	assert_true(*n < REGS_OF_LINE && len < 24);
	snprintf(list[(*n)++], 24, "%.*s", (int)len, s);
}

/* Registers named in s up to end. */
static void find_regs(const char *s, const char *end, char (*list)[24], u32 *n)
{
	for (; s < end; s++)
		if (*s == '%') {
			size_t len = 1 + strspn(s + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$");
			add_reg(list, n, s, len);
			s += len - 1;
		}
}

static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static u32 access_bytes(const char *op)
{
	const char *last = strrchr(op, '.');
	u32 bits = (u32)atoi(last + 2 + (last[1] == 'b' && last[2] == 'f'));
	return bits / 8 * (strstr(op, ".v2") ? 2 : strstr(op, ".v4") ? 4 : 1);
}

static void parse_memory(struct stmt *s, const char *text)
{
	static const char *const spaces[] = {"global", "shared", "local", "const", "param"};
	s->memory = starts(s->op, "ld") || starts(s->op, "st.") || starts(s->op, "atom") || starts(s->op, "red.") ||
	            starts(s->op, "tex") || starts(s->op, "prefetch");
	if (!s->memory)
		return;
	s->store = starts(s->op, "st.");
	s->fence = starts(s->op, "atom") || starts(s->op, "red.") || strstr(s->op, ".volatile") ||
	           strstr(s->op, ".acquire") || strstr(s->op, ".release");
	for (u32 i = 0; i < ARRAY_LEN(spaces); i++) {
		char dotted[16];
		snprintf(dotted, sizeof dotted, ".%s", spaces[i]);
		if (strstr(s->op, dotted))
			snprintf(s->space, sizeof s->space, "%s", spaces[i]);
	}
	s->constant =
	    starts(s->op, "tex") || strstr(s->op, ".nc") || !strcmp(s->space, "const") || !strcmp(s->space, "param");
	const char *at = strchr(text, '[');
	assert_non_null(at);
	size_t len = strcspn(at + 1, "+]");
	snprintf(s->base, sizeof s->base, "%.*s", (int)len, at + 1);
	if (at[1 + len] == '+')
		s->offset = strtoll(at + 2 + len, NULL, 0);
	if (!starts(s->op, "tex") && !starts(s->op, "prefetch"))
		s->bytes = access_bytes(s->op);
}

static void parse_stmt(struct stmt *s, const struct module *m, u32 pc)
{
	u32 len;
	const char *line = module_line(m, m->code[pc].line, &len);
	char *copy = xstrndup(line, len), *p = copy, *end = strchr(copy, ';');
	if (end)
		*end = 0;
	else
		end = copy + len;
	*s = (struct stmt){.pc = pc, .line = m->code[pc].line};
	p += strspn(p, " \t{");
	if (*p == '@') {
		size_t n = strcspn(p, " \t");
		find_regs(p, p + n, s->use, &s->nuse);
		p += n + strspn(p + n, " \t");
	}
	size_t n = strcspn(p, " \t;");
	snprintf(s->op, sizeof s->op, "%.*s", (int)MIN(n, 47), p);
	p += n;
	parse_memory(s, p);
	s->boundary = m->code[pc].cls == IC_CTRL || strstr(p, "%clock") || strstr(p, "%globaltimer");
	if (!s->store && !starts(s->op, "red.") && !starts(s->op, "prefetch") && m->code[pc].cls != IC_CTRL) {
		const char *d = p;
		for (int depth = 0; *p && (*p != ',' || depth); p++)
			depth += *p == '{' ? 1 : *p == '}' ? -1 : 0;
		find_regs(d, p, s->def, &s->ndef);
	}
	find_regs(p, end, s->use, &s->nuse);
	if (strstr(s->op, ".cc"))
		add_reg(s->def, &s->ndef, "cc", 2);
	if (starts(s->op, "addc") || starts(s->op, "subc") || starts(s->op, "madc"))
		add_reg(s->use, &s->nuse, "cc", 2);
	free(copy);
}

static bool share(const char (*a)[24], u32 na, const char (*b)[24], u32 nb)
{
	for (u32 i = 0; i < na; i++)
		for (u32 k = 0; k < nb; k++)
			if (!strcmp(a[i], b[k]))
				return true;
	return false;
}

/* Base and offset through additions of constants and moves, back to the first of the run. */
static void resolve(const struct module *m, const struct stmt *list, u32 i, char *base, u32 *def, long long *offset)
{
	u32 at = i;
	snprintf(base, 96, "%s", list[i].base);
	*offset = list[i].offset;
	*def = UINT32_MAX;
	while (at-- > 0) {
		const char me[1][24] = {""};
		const struct stmt *s = &list[at];
		memcpy((char *)me[0], base, MIN(strlen(base) + 1, 24u));
		if (*base != '%' || !share(me, 1, s->def, s->ndef))
			continue;
		*def = at;
		u32 len;
		const char *text = module_line(m, s->line, &len);
		char from[24], rest[32];
		long long add = 0;
		char *copy = xstrndup(text, len), *comma = strchr(copy, ',');
		bool plain = comma && s->ndef == 1 && !strchr(copy, '@') && *(comma + 1 + strspn(comma + 1, " \t")) == '%';
		bool more = plain && sscanf(comma + 1, " %23[%a-zA-Z0-9_], %31[-0-9];", from, rest) == 2;
		bool moved = plain && starts(s->op, "mov.") && sscanf(comma + 1, " %23[%a-zA-Z0-9_]", from) == 1;
		free(copy);
		if (more && (starts(s->op, "add.s") || starts(s->op, "add.u") || starts(s->op, "sub.s"))) {
			add = strtoll(rest, NULL, 0);
			*offset += *s->op == 's' ? -add : add;
		} else if (!moved || strchr(from, '.')) {
			return;
		}
		snprintf(base, 96, "%s", from);
		*def = UINT32_MAX;
	}
}

static bool proved_apart(const struct module *m, const struct stmt *list, u32 i, u32 k)
{
	char a[96], b[96];
	u32 da, db;
	long long oa, ob;
	resolve(m, list, i, a, &da, &oa);
	resolve(m, list, k, b, &db, &ob);
	if (*a != '%' && *b != '%' && strcmp(a, b))
		return !strcmp(list[i].space, list[k].space); /* different variables */
	return !strcmp(a, b) && da == db && (oa + list[i].bytes <= ob || ob + list[k].bytes <= oa);
}

static bool depends(const struct module *m, const struct stmt *list, u32 i, u32 k)
{
	const struct stmt *a = &list[i], *b = &list[k];
	if (a->boundary || b->boundary || share(a->def, a->ndef, b->def, b->ndef) ||
	    share(a->def, a->ndef, b->use, b->nuse) || share(a->use, a->nuse, b->def, b->ndef))
		return true;
	if (!a->memory || !b->memory)
		return false;
	if (a->fence || b->fence)
		return true;
	if ((!a->store && !b->store) || a->constant || b->constant)
		return false;
	if (strcmp(a->space, b->space))
		return !*a->space || !*b->space;
	return !proved_apart(m, list, i, k);
}

/* New place of the instruction of a line within a block. */
static u32 place_of(const struct module *m, u32 begin, u32 end, u32 line, u8 op)
{
	u32 found = UINT32_MAX;
	for (u32 pc = begin; pc < end; pc++)
		if (m->code[pc].line == line && m->code[pc].op == op) {
			assert_int_equal(found, UINT32_MAX);
			found = pc;
		}
	assert_int_not_equal(found, UINT32_MAX);
	return found;
}

static u32 check_block(const struct module *text, const struct module *list, u32 begin, u32 end)
{
	struct stmt *s = xcalloc(end - begin, sizeof *s);
	u32 *to = xcalloc(end - begin, sizeof *to), moved = 0;
	for (u32 pc = begin; pc < end; pc++) {
		const struct inst *in = &text->code[pc];
		parse_stmt(&s[pc - begin], text, pc);
		u32 p = to[pc - begin] = place_of(list, begin, end, in->line, in->op);
		moved += p != pc;
		assert_false(s[pc - begin].boundary && p != pc);
		const struct inst *now = &list->code[p];
		assert_true(now->cost == in->cost && now->flags == in->flags && now->src_line == in->src_line &&
		            now->target == in->target && now->reconv == in->reconv && now->imm == in->imm);
	}
	for (u32 i = 0; i < end - begin; i++)
		for (u32 k = i + 1; k < end - begin; k++)
			if (to[i] > to[k] && depends(text, s, i, k))
				fail_msg("%s: lines %u and %u have changed places", text->path, s[i].line, s[k].line);
	free(s);
	free(to);
	return moved;
}

static u32 check_function(const struct module *text, const struct module *list, const struct func *f,
                          const struct func *g)
{
	const struct fn fn = {.code = text->code, .begin = f->entry, .end = f->end, .tables = text->tables};
	struct cfg cfg;
	u32 moved = 0;
	assert_true(f->entry == g->entry && f->end == g->end && f->regs == g->regs && f->max_live == g->max_live);
	cfg_build(&cfg, &fn);
	for (u32 b = 0; b < cfg.nblocks; b++)
		moved += check_block(text, list, cfg.blocks[b].begin, cfg.blocks[b].end);
	cfg_release(&cfg);
	return moved;
}

static void check_file(const char *path, const struct schedule_params *p, u32 *moved, u32 *insts)
{
	struct err e = {0};
	struct module *text = ptx_load_file(path, &e), *list = ptx_load_file_for(path, p, &e);
	if (!text || !list)
		fail_msg("%s", e.msg);
	for (u32 i = 0; i < text->nfuncs; i++) {
		if (text->funcs[i].entry == text->funcs[i].end)
			continue;
		*moved += check_function(text, list, &text->funcs[i], &list->funcs[i]);
		*insts += text->funcs[i].end - text->funcs[i].entry;
	}
	module_free(text);
	module_free(list);
}

static void every_kernel_keeps_its_order(void **state)
{
	glob_t files;
	assert_int_equal(glob("configs/kernels/*.ptx", 0, NULL, &files), 0);
	for (u32 spare = 0; spare <= 7; spare += 7) {
		struct schedule_params p = params_for(spare ? 63 : 20);
		u32 moved = 0, insts = 0;
		p.spare = spare;
		for (size_t i = 0; i < files.gl_pathc; i++)
			check_file(files.gl_pathv[i], &p, &moved, &insts);
		assert_true(moved > insts / 10);
	}
	globfree(&files);
}

/* --- results ------------------------------------------------------------------------------------------------------ */

/* Threads race there (benignly): the last of several writers, or the order of additions, depends on timing. */
static const char *const races[] = {"bfs"};

static u64 memory_after(const char *workload, const char *schedule)
{
	char set[32];
	snprintf(set, sizeof set, "schedule=%s", schedule);
	const char *sets[] = {set};
	struct options o = {
	    .command = "run", .workload = workload, .size = "small", .sets = sets, .nsets = 1, .max_cycles = NEVER};
	struct err e = {0};
	struct session *s = session_open(&o, console_modules, &e);
	if (!s || session_run(s, NEVER, &e) != SS_FINISHED || s->check != CHECK_PASS)
		fail_msg("%s with schedule=%s: %s", workload, schedule, e.msg);
	sim_drain(s->sim);
	u64 hash = devmem_hash(sim_devmem(s->sim));
	session_close(s);
	return hash;
}

static void the_same_results_in_both_orders(void **state)
{
	struct err e = {0};
	char *dir = catalog_data_dir(&e);
	struct file_names w = catalog_names(dir, "scripts/workloads");
	u32 bad = 0;
	for (u32 i = 0; i < w.n; i += rounds(NULL, 1, 5)) {
		bool race = false;
		for (u32 k = 0; k < ARRAY_LEN(races); k++)
			race |= !strcmp(races[k], w.name[i]);
		bool same = memory_after(w.name[i], "list") == memory_after(w.name[i], "none");
		if (!same && !race) {
			print_error("%s: memory differs between schedule=list and none\n", w.name[i]);
			bad++;
		}
	}
	assert_int_equal(bad, 0);
	catalog_release(&w);
	free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(loads_up_and_uses_down),
	    cmocka_unit_test(what_stays_in_order),
	    cmocka_unit_test(what_loads_pass),
	    cmocka_unit_test(a_base_that_changes),
	    cmocka_unit_test(guards_and_carry),
	    cmocka_unit_test(two_phases_of_a_vector_addition),
	    cmocka_unit_test(registers_bound_the_loads),
	    cmocka_unit_test(every_kernel_keeps_its_order),
	    cmocka_unit_test(the_same_results_in_both_orders),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
