/* Control words: kernels worked out by hand, then every kernel of configs/kernels on random ways, where each
 * instruction of variable latency takes as long as it likes: no register is read before it is written, or written
 * before it is read or while another instruction is about to write it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include <glob.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "front/ptx/ptx.h"
#include "ir/wide.h"
#include "passes/banks.h"
#include "tests/rig/rounds.h"

#define HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"
#define KERNEL                                                                                                         \
	HEAD ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<40>; .reg .b64 %rd<9>; .reg .pred %p<4>; .reg .f32 "       \
	     "%f<9>;\nld.param.u64 %rd1, [a];\n"
/* All registers are alive to the end, so that no two lie in one place; time enough for all that has a fixed one. */
#define TAIL                                                                                                           \
	"bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0; "                                                     \
	"st.global.v4.u32 [%rd4], {%r1, %r2, %r3, %r4}; st.global.v4.u32 [%rd4], {%r5, %r6, %r7, %r10}; "                  \
	"st.global.v4.f32 [%rd4], {%f1, %f2, %f3, %f4}; st.global.v4.f32 [%rd4], {%f5, %f6, %f7, %f8}; "                   \
	"st.global.v2.u64 [%rd4], {%rd1, %rd2}; @%p1 ret; ret;\n}\n"
#define LATENCY 5

/* Parameter loads are free, other memory instructions and special functions are of variable latency. */
static struct control_timing timing_of(const struct inst *in)
{
	struct control_timing t = {.lat = LATENCY, .ii = 1, .kind = CONTROL_FIXED};
	const bool memory = in->cls == IC_GLOBAL || in->cls == IC_SHARED || in->cls == IC_ATOMIC || in->cls == IC_TEX;
	if (in->op == OP_CALL || (in->op == OP_RET && !(in->flags & IF_EXITS)))
		t.kind = CONTROL_CLOSED;
	else if (in->op == OP_LD && in->space == SPC_PARAM)
		t.kind = CONTROL_FREE;
	else if (memory || in->cls == IC_CONST)
		t.kind = CONTROL_MEMORY;
	else if (in->cls == IC_SFU || in->cls == IC_SHFL)
		t.kind = CONTROL_VARIABLE;
	else if (in->cls == IC_TENSOR)
		t = (struct control_timing){.lat = 18, .ii = 4, .kind = CONTROL_FIXED, .unit = 1};
	return t;
}

static struct control_timing *timings_of(const struct module *m)
{
	struct control_timing *t = xcalloc(m->ncode + 1, sizeof *t);
	for (u32 pc = 0; pc < m->ncode; pc++)
		t[pc] = timing_of(&m->code[pc]);
	return t;
}

static struct module *load(const char *ptx)
{
	struct err e = {0};
	struct module *m = ptx_load("test.ptx", ptx, strlen(ptx), &e);
	if (!m)
		fail_msg("%s\n%s", e.msg, ptx);
	return m;
}

/* Of a kernel with this body, by pc: the parameter comes first. */
static struct control_word *words_of(const char *body)
{
	struct strbuf text = STRBUF_INIT;
	strbuf_adds(&text, KERNEL);
	strbuf_adds(&text, body);
	strbuf_adds(&text, TAIL);
	struct module *m = load(strbuf_str(&text));
	struct control_timing *t = timings_of(m);
	struct control_word *w = control_make(m, t);
	banks_count(m, t, w);
	free(t);
	module_free(m);
	strbuf_release(&text);
	return w;
}

/* The words of a kernel with this body, from the instruction behind the parameter on: one line each. */
static void check_words(const char *body, const char *const *want, u32 n)
{
	struct control_word *w = words_of(body);
	for (u32 i = 0; i < n; i++) {
		char got[CONTROL_TEXT];
		control_text(&w[1 + i], got);
		if (strcmp(got, want[i]))
			fail_msg("%s\ninstruction %u: %s, should be %s", body, i, got, want[i]);
	}
	free(w);
}
#define WORDS(body, ...)                                                                                               \
	check_words(body, (const char *const[]){__VA_ARGS__}, ARRAY_LEN(((const char *const[]){__VA_ARGS__})))

static void test_stalls(void **state)
{
	WORDS("add.u32 %r1, %r2, %r3; add.u32 %r4, %r1, %r3; add.u32 %r5, %r2, %r3;", /* one after the other */
	      "B------:R-:W-:S05", "B------:R-:W-:S01", "B------:R-:W-:S01");
	WORDS("add.u32 %r1, %r2, %r3; add.u32 %r5, %r2, %r3; add.u32 %r4, %r1, %r3;", /* one in between */
	      "B------:R-:W-:S01", "B------:R-:W-:S04", "B------:R-:W-:S01");
	WORDS("add.u32 %r1, %r2, %r3; @%p1 bra L; add.u32 %r5, %r2, %r3; L: add.u32 %r4, %r1, %r3;", /* two ways */
	      "B------:R-:W-:S01", "B------:R-:W-:S04", "B------:R-:W-:S04", "B------:R-:W-:S01");
}

#define MMA(d) "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {" d "}, {%r2, %r3}, {%r4}, {%r2, %r3};"

/* Blocks that hold nothing with a slot, and what is known of a unit where two ways meet. */
static void test_joins(void **state)
{
	WORDS("@%p1 bra L1; @%p2 bra L2; add.u32 %r1, %r2, %r3; L1: ld.param.u64 %rd2, [a]; L2: add.u32 %r5, %r1, %r3;",
	      "B------:R-:W-:S05", "B------:R-:W-:S05", "B------:R-:W-:S05"); /* a join is that of all ways */
	WORDS("@%p2 bra L2; add.u32 %r1, %r2, %r3; ld.param.u32 %r1, [a]; L2: add.u32 %r5, %r2, %r3;", "B------:R-:W-:S05",
	      "B------:R-:W-:S05");
	WORDS("add.u32 %r1, %r2, %r3; @%p1 bra L; " MMA("%r5, %r6") " L: " MMA("%r7, %r10") " add.u32 %r4, %r1, %r3;",
	      "B------:R-:W-:S01", "B------:R-:W-:S01", "B------:R-:W-:S01", "B------:R-:W-:S03");
	WORDS("add.u32 %r1, %r2, %r3; " MMA("%r5, %r6") MMA("%r7, %r10") " add.u32 %r4, %r1, %r3;", /* four cycles apart */
	      "B------:R-:W-:S01", "B------:R-:W-:S01", "B------:R-:W-:S01", "B------:R-:W-:S01");
}

static void test_counters(void **state)
{
	WORDS("ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, %r3;", "B------:R-:W0:S02", "B0-----:R-:W-:S01");
	WORDS("ld.global.u32 %r1, [%rd1]; add.u32 %r4, %r3, %r3; add.u32 %r2, %r1, %r3;", "B------:R-:W0:S01",
	      "B------:R-:W-:S01", "B0-----:R-:W-:S01");
	/* The address is written before the data have come: a second counter, until it has been read. */
	WORDS("ld.global.u32 %r1, [%rd1]; add.u64 %rd1, %rd1, 4; add.u32 %r2, %r1, %r3;", "B------:R1:W0:S02",
	      "B-1----:R-:W-:S01", "B0-----:R-:W-:S01");
	/* Not when they have. */
	WORDS("ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, %r3; add.u64 %rd1, %rd1, 4;", "B------:R-:W0:S02",
	      "B0-----:R-:W-:S01", "B------:R-:W-:S01");
	/* A store has no result, but reads late; a guard is read at issue. */
	WORDS("@%p1 st.global.u32 [%rd1], %r1; setp.eq.u32 %p1, %r2, 0; mov.u32 %r1, 0;", "B------:R0:W-:S01",
	      "B------:R-:W-:S01", "B0-----:R-:W-:S01");
	WORDS("ex2.approx.f32 %f1, %f2; mov.f32 %f2, %f3; mov.f32 %f1, %f3;", "B------:R-:W0:S01", "B------:R-:W-:S01",
	      "B0-----:R-:W-:S01");
}

/* Six counters: the seventh load shares that of the first, which is used in the same place. */
static void test_shared_counter(void **state)
{
	WORDS("ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4]; ld.global.u32 %r3, [%rd1+8]; "
	      "ld.global.u32 %r4, [%rd1+12]; ld.global.u32 %r5, [%rd1+16]; ld.global.u32 %r6, [%rd1+20]; "
	      "ld.global.u32 %r7, [%rd1+24]; add.u32 %r10, %r6, %r6; add.u32 %r10, %r1, %r7;",
	      "B------:R-:W0:S01", "B------:R-:W1:S01", "B------:R-:W2:S01", "B------:R-:W3:S01", "B------:R-:W4:S01",
	      "B------:R-:W5:S01", "B------:R-:W0:S01", "B-----5:R-:W-:S05", "B0-----:R-:W-:S01");
}

static void check_reads(const char *body, u32 i, const u8 want[3])
{
	struct control_word *w = words_of(body);
	const struct control_word *c = &w[1 + i];
	const u32 reads = c->reads[0] + c->reads[1], reused = c->reused[0] + c->reused[1];
	if (reads != want[0] || MAX(c->reads[0], c->reads[1]) != want[1] || reused != want[2])
		fail_msg("%s\ninstruction %u reads %u and %u, reused %u and %u", body, i, c->reads[0], c->reads[1],
		         c->reused[0], c->reused[1]);
	free(w);
}

/* All reads, most in one bank, reused ones. */
static void test_banks(void **state)
{
	static const char fma[] = "fma.rn.f32 %f4, %f1, %f2, %f3; fma.rn.f32 %f5, %f1, %f6, %f3; "
	                          "fma.rn.f32 %f7, %f6, %f1, %f8;";
	check_reads(fma, 0, (const u8[]){3, 2, 0});
	check_reads(fma, 1, (const u8[]){3, 2, 2});
	check_reads(fma, 2, (const u8[]){3, 2, 2}); /* factors exchanged */
	check_reads("add.f32 %f1, %f2, %f2;", 0, (const u8[]){1, 1, 0});
	check_reads("add.f32 %f1, %f2, %f3;", 0, (const u8[]){2, 1, 0}); /* the banks are chosen so */
	check_reads("add.u64 %rd2, %rd3, %rd4;", 0, (const u8[]){4, 2, 0});
	check_reads("add.f32 %f1, %f2, %f3; add.f32 %f2, %f2, %f3; add.f32 %f4, %f2, %f3;", 2,
	            (const u8[]){2, 1, 1}); /* written in between */
	check_reads("ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r3, 1;", 0, (const u8[]){0, 0, 0});
}

/* --- random ways -------------------------------------------------------------------------------------------------- */

struct flight {
	u32 pc;
	u64 raised, done;
	bool read; /* of registers read, else written */
};
struct way {
	const struct module *m;
	const struct control_timing *t;
	const struct control_word *w;
	u64 rng, now, last_issue;
	u32 last; /* pc, or UINT32_MAX */
	u64 fixed[SB_IDS_MAX], unit[CONTROL_UNITS];
	struct flight f[4096];
	u32 n;
};

static bool has_counter(const struct way *v, const struct flight *f, u32 counters)
{
	const struct control_word *w = &v->w[f->pc];
	return counters >> (f->read ? w->set_read : w->set_write) & 1;
}

static void wait_for_counters(struct way *v, u32 pc)
{
	for (bool again = true; again;) {
		again = false;
		for (u32 i = 0; i < v->n; i++)
			if (has_counter(v, &v->f[i], v->w[pc].wait) && v->f[i].done > v->now && v->now >= v->f[i].raised + 2) {
				v->now = v->f[i].done;
				again = true;
			}
	}
}

static bool writes(const struct inst *in, u16 id)
{
	for (u32 i = 0; i < in->n_sb_dst; i++)
		if (inst_sb_dst(in)[i] == id)
			return true;
	return false;
}

/* Late, and as the register of this number: another one in its place would have got another place. */
static bool reads(const struct inst *in, u16 id, u8 reg)
{
	for (u32 i = 0; i < in->n_sb_src; i++)
		if (inst_sb_src(in)[i] == id && inst_src_reg(in)[i] == reg)
			return in->guard == OPND_NONE || id != in->guard / 4;
	return false;
}

static void check_hazards(struct way *v, u32 pc, const char *path)
{
	const struct inst *in = &v->m->code[pc];
	for (u32 k = 0; k < (u32)in->n_sb_src + in->n_sb_dst; k++) {
		const bool dst = k >= in->n_sb_src;
		const u16 id = dst ? inst_sb_dst(in)[k - in->n_sb_src] : inst_sb_src(in)[k];
		if (v->fixed[id] > v->now)
			fail_msg("%s:%u: id %u is there %llu cycles later", path, in->line, id,
			         (unsigned long long)(v->fixed[id] - v->now));
		for (u32 i = 0; i < v->n; i++) {
			const struct inst *other = &v->m->code[v->f[i].pc];
			if (v->f[i].done <= v->now || (v->f[i].read && !dst))
				continue;
			if (v->f[i].read ? reads(other, id, inst_dst_reg(in)[k - in->n_sb_src]) : writes(other, id))
				fail_msg("%s:%u: id %u is still to be %s by line %u", path, in->line, id,
				         v->f[i].read ? "read" : "written", other->line);
		}
	}
}

static void fly(struct way *v, u32 pc, bool read, u64 done)
{
	if (v->n < ARRAY_LEN(v->f))
		v->f[v->n++] = (struct flight){pc, v->now, done, read};
}

static void land(struct way *v)
{
	u32 kept = 0;
	for (u32 i = 0; i < v->n; i++)
		if (v->f[i].done > v->now)
			v->f[kept++] = v->f[i];
	v->n = kept;
}

static void execute(struct way *v, u32 pc, const char *path)
{
	const struct inst *in = &v->m->code[pc];
	const struct control_timing *t = &v->t[pc];
	if (v->last != UINT32_MAX)
		v->now = MAX(v->now, v->last_issue + v->w[v->last].stall);
	wait_for_counters(v, pc);
	if (t->kind == CONTROL_CLOSED)
		v->now += 1000; /* that it waits for all is the machine's own rule */
	if (t->kind != CONTROL_FREE && t->ii)
		v->now = MAX(v->now, v->unit[t->unit]);
	land(v);
	check_hazards(v, pc, path);
	if (t->kind == CONTROL_FREE)
		return;
	v->last = pc;
	v->last_issue = v->now;
	v->unit[t->unit] = v->now + t->ii;
	for (u32 k = 0; k < in->n_sb_dst && t->kind == CONTROL_FIXED; k++)
		v->fixed[inst_sb_dst(in)[k]] = v->now + t->lat;
	if (t->kind == CONTROL_FIXED || t->kind == CONTROL_CLOSED)
		return;
	const u64 written = v->now + 1 + rng_next(&v->rng) % (rng_next(&v->rng) % 2 ? 8 : 400);
	const u64 read = v->now + 1 + rng_next(&v->rng) % 60;
	if (in->n_sb_dst) { /* with a counter or without */
		assert_int_not_equal(v->w[pc].set_write, CONTROL_NONE);
		fly(v, pc, false, written);
	}
	if (t->kind == CONTROL_MEMORY)
		fly(v, pc, true, in->n_sb_dst ? MIN(read, written) : read);
}

/* Where control goes on; UINT32_MAX: nowhere. */
static u32 next_of(struct way *v, u32 pc)
{
	const struct inst *in = &v->m->code[pc];
	const bool stays = in->guard != OPND_NONE && rng_next(&v->rng) % 2;
	if (!stays && in->op == OP_BRA)
		return (u32)in->target;
	if (!stays && in->op == OP_BRX)
		return v->m->tables[in->table].pc[rng_next(&v->rng) % v->m->tables[in->table].n];
	if (!stays && (in->op == OP_RET || in->op == OP_EXIT || in->op == OP_TRAP))
		return UINT32_MAX;
	return pc + 1;
}

static void walk(const struct module *m, const struct func *f, const struct control_timing *t,
                 const struct control_word *w, u64 seed, const char *path)
{
	struct way *v = xcalloc(1, sizeof *v);
	*v = (struct way){.m = m, .t = t, .w = w, .rng = seed, .last = UINT32_MAX};
	u32 pc = f->entry;
	for (u32 steps = 0; pc < f->end && steps < 3000; steps++) {
		execute(v, pc, path);
		pc = next_of(v, pc);
	}
	free(v);
}

static void test_random_ways(void **state)
{
	glob_t files;
	assert_int_equal(glob("configs/kernels/*.ptx", 0, NULL, &files), 0);
	const u32 each = rounds("WARPDBG_WAYS", 60, 6);
	u32 functions = 0;
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct err e = {0};
		struct module *m = ptx_load_file(files.gl_pathv[i], &e);
		assert_non_null(m);
		struct control_timing *t = timings_of(m);
		struct control_word *w = control_make(m, t);
		for (u32 k = 0; k < m->nfuncs; k++)
			for (u32 seed = 1; seed <= each && m->funcs[k].entry != m->funcs[k].end; seed++, functions++)
				walk(m, &m->funcs[k], t, w, seed * 0x9e3779b97f4a7c15ull + k, files.gl_pathv[i]);
		free(w);
		free(t);
		module_free(m);
	}
	assert_true(functions > 100);
	globfree(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stalls),         cmocka_unit_test(test_joins), cmocka_unit_test(test_counters),
	    cmocka_unit_test(test_shared_counter), cmocka_unit_test(test_banks), cmocka_unit_test(test_random_ways),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
