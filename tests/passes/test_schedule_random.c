/* List scheduling against random programs: each one, run in the order of its text and in the scheduled one, leaves the
 * same memory. Programs are blocks of arithmetic, carries, guards, vectors, packing, shuffles, atomics and accesses to
 * every state space through several pointers to the same bytes: copies, distances known only at run time, generic ones,
 * dynamic shared arrays of two names. No thread touches another's bytes but through instructions that keep their order,
 * so the result of a program does not depend on timing. */
#include "tests/rig/rounds.h"
#include "tests/rig/sm_rig.h"

#include "base/rng.h"
#include "base/strbuf.h"

#define THREADS 32 /* of a CTA: one warp, so that stores to one place have an order */
#define CTAS 2
#define OWN 256  /* bytes a thread owns of the global buffer */
#define PART 64  /* of a shared array */
#define OUT 1024 /* of the output */
#define SHIFT 32 /* what the second global pointer is ahead; the program learns it when it runs */

struct gen {
	u64 rng;
	struct strbuf *o;
	u32 labels;
};

static u32 below(struct gen *g, u32 n)
{
	return (u32)(rng_next(&g->rng) % n);
}

/* A pointer register: what it points into, and the range it may be at. */
struct pointer {
	const char *name, *space; /* "" = generic */
	u32 size, lo, hi;
	bool narrow;
};
enum { NFIXED = 9, NFREE = 6 };
/* The free ones are derived anew in each block. */
static const struct pointer fixed[NFIXED] = {
    {"%a0", ".global", OWN, 0, 0, false}, {"%a1", ".global", OWN, SHIFT, SHIFT, false},
    {"%a2", "", OWN, 0, 0, false},        {"%a3", "", PART, 0, 0, false},
    {"%s0", ".shared", PART, 0, 0, true}, {"%s1", ".shared", PART, 16, 16, true},
    {"%s2", ".shared", PART, 0, 0, true}, {"%a4", ".local", PART, 0, 0, false},
    {"%a5", "", PART, 0, 0, false},
};
static struct pointer pool[NFIXED + NFREE];
static u32 npool;

static const char *guard(struct gen *g)
{
	static char text[4][16];
	static u32 at;
	char *t = text[at++ % 4];
	if (below(g, 4))
		return "";
	snprintf(t, 16, "@%s%%p%u ", below(g, 2) ? "!" : "", below(g, 6));
	return t;
}

/* "[register+offset]" for an access of `bytes` that stays within what the pointer points into. */
static const char *through(struct gen *g, const struct pointer *p, u32 bytes)
{
	static char text[4][32];
	static u32 at;
	char *t = text[at++ % 4];
	u32 room = (p->size - p->hi - bytes + p->lo) / bytes + 1; /* offsets from -lo on, whatever the range */
	snprintf(t, 32, "[%s+%d]", p->name, (int)(below(g, room) * bytes) - (int)p->lo);
	return t;
}

/* Any place for an access of `bytes`, and its state space. */
static const char *place(struct gen *g, u32 bytes, const char **space)
{
	static char text[64];
	if (below(g, 8) == 0) { /* by name: all threads at the same place */
		static const char *const names[] = {"sa", "sb", "dx", "dy"};
		*space = ".shared";
		snprintf(text, sizeof text, "[%s+%u]", names[below(g, 4)], below(g, PART / bytes) * bytes);
		return text;
	}
	if (below(g, 10) == 0) {
		*space = ".local";
		snprintf(text, sizeof text, "[%s+%u]", below(g, 2) ? "la" : "lb", below(g, PART / bytes) * bytes);
		return text;
	}
	const struct pointer *p = &pool[below(g, npool)];
	*space = p->space;
	return through(g, p, bytes);
}

static void emit(struct gen *g, const char *fmt, ...)
{
	char line[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	strbuf_addf(g->o, "%s\n", line);
}

static u32 r(struct gen *g)
{
	return below(g, 12);
}
static u32 q(struct gen *g)
{
	return below(g, 6);
}

static void arithmetic(struct gen *g)
{
	static const char *const op32[] = {"add.u32", "sub.u32", "mul.lo.u32", "xor.b32", "and.b32",   "or.b32",
	                                   "min.s32", "max.u32", "shl.b32",    "shr.u32", "mul.hi.u32"};
	static const char *const op64[] = {"add.u64", "sub.u64", "mul.lo.u64", "xor.b64", "min.s64", "and.b64"};
	static const char *const opf[] = {"add.f32", "sub.f32", "mul.f32", "min.f32", "max.f32"};
	static const char *const cmp[] = {"lt", "eq", "gt", "ne"};
	const char *p = guard(g);
	switch (below(g, 16)) {
	case 0 ... 3: emit(g, "%s%s %%r%u, %%r%u, %%r%u;", p, op32[below(g, ARRAY_LEN(op32))], r(g), r(g), r(g)); break;
	case 4: emit(g, "%sadd.u32 %%r%u, %%r%u, %u;", p, r(g), r(g), below(g, 1000)); break;
	case 5: emit(g, "%s%s %%q%u, %%q%u, %%q%u;", p, op64[below(g, ARRAY_LEN(op64))], q(g), q(g), q(g)); break;
	case 6: emit(g, "%smul.wide.u32 %%q%u, %%r%u, %%r%u;", p, q(g), r(g), r(g)); break;
	case 7: emit(g, "%smov.b64 %%q%u, {%%r%u, %%r%u};", p, q(g), r(g), r(g)); break;
	case 8: {
		u32 a = r(g);
		emit(g, "%smov.b64 {%%r%u, %%r%u}, %%q%u;", p, a, (a + 1 + below(g, 10)) % 12, q(g));
		break;
	}
	case 9: emit(g, "%s%s %%f%u, %%f%u, %%f%u;", p, opf[below(g, ARRAY_LEN(opf))], q(g), q(g), q(g)); break;
	case 10: emit(g, "%sfma.rn.f64 %%d%u, %%d%u, %%d%u, %%d%u;", p, q(g), q(g), q(g), q(g)); break;
	case 11: emit(g, "%ssetp.%s.u32 %%p%u, %%r%u, %%r%u;", p, cmp[below(g, 4)], below(g, 6), r(g), r(g)); break;
	case 12: emit(g, "%sselp.b32 %%r%u, %%r%u, %%r%u, %%p%u;", p, r(g), r(g), r(g), below(g, 6)); break;
	case 13: emit(g, "%scvt.u16.u32 %%h%u, %%r%u;", p, below(g, 4), r(g)); break;
	case 14: emit(g, "%smad.wide.u16 %%r%u, %%h%u, %%h%u, %%r%u;", p, r(g), below(g, 4), below(g, 4), r(g)); break;
	case 15: emit(g, "%scvt.rn.f32.u32 %%f%u, %%r%u;", p, q(g), r(g)); break;
	}
}

static void carries(struct gen *g)
{
	const char *p = guard(g);
	emit(g, "%s%s.cc.u32 %%r%u, %%r%u, %%r%u;", p, below(g, 2) ? "add" : "sub", r(g), r(g), r(g));
	for (u32 n = below(g, 3); n--;)
		arithmetic(g);
	emit(g, "addc%s.u32 %%r%u, %%r%u, %%r%u;", below(g, 2) ? ".cc" : "", r(g), r(g), r(g));
	if (below(g, 2))
		emit(g, "subc.u32 %%r%u, %%r%u, %%r%u;", r(g), r(g), r(g));
	if (below(g, 2))
		emit(g, "madc.lo.u32 %%r%u, %%r%u, %%r%u, %%r%u;", r(g), r(g), r(g), r(g));
}

/* n different registers of a file, from a random one on. */
static const char *vector(struct gen *g, const char *file, u32 n, u32 of)
{
	static char text[64];
	u32 first = below(g, of), len = 0;
	for (u32 i = 0; i < n; i++)
		len += (u32)snprintf(text + len, sizeof text - len, "%s%%%s%u", i ? ", " : "{", file, (first + i) % of);
	snprintf(text + len, sizeof text - len, "}");
	return text;
}

static void access(struct gen *g)
{
	const char *p = guard(g), *space, *at, *kind = below(g, 12) ? "" : ".volatile";
	bool store = below(g, 2);
	const char *op = store ? "st" : "ld";
	char reg[64];
	u32 what = below(g, 9), bytes;
	static const struct {
		const char *type, *file;
		u32 bytes, n, of;
	} kinds[] = {{"u32", "r", 4, 1, 12},    {"b64", "q", 8, 1, 6},      {"f32", "f", 4, 1, 6},
	             {"f64", "d", 8, 1, 6},     {"u8", "r", 1, 1, 12},      {"u16", "h", 2, 1, 4},
	             {"v2.u32", "r", 8, 2, 12}, {"v4.u32", "r", 16, 4, 12}, {"v2.b64", "q", 16, 2, 6}};
	bytes = kinds[what].bytes;
	if (kinds[what].n > 1)
		snprintf(reg, sizeof reg, "%s", vector(g, kinds[what].file, kinds[what].n, kinds[what].of));
	else
		snprintf(reg, sizeof reg, "%%%s%u", kinds[what].file, below(g, kinds[what].of));
	at = place(g, bytes, &space);
	if (!strcmp(space, ".local"))
		kind = "";
	if (store)
		emit(g, "%s%s%s%s.%s %s, %s;", p, op, kind, space, kinds[what].type, at, reg);
	else
		emit(g, "%s%s%s%s.%s %s, %s;", p, op, kind, space, kinds[what].type, reg, at);
}

static void special(struct gen *g)
{
	switch (below(g, 8)) {
	case 0: emit(g, "shfl.sync.bfly.b32 %%r%u, %%r%u, %u, 31, -1;", r(g), r(g), 1 + below(g, 31)); break;
	case 1: emit(g, "vote.sync.ballot.b32 %%r%u, %%p%u, -1;", r(g), below(g, 6)); break;
	case 2: emit(g, "atom.global.add.u32 %%r%u, [%%a0+%u], %%r%u;", r(g), 4 * below(g, OWN / 4), r(g)); break;
	case 3:
		emit(g, "%satom.shared.exch.b32 %%r%u, [%%s0+%u], %%r%u;", guard(g), r(g), 4 * below(g, PART / 4), r(g));
		break;
	case 4: emit(g, "red.global.add.u32 [%%a0+%u], %%r%u;", 4 * below(g, OWN / 4), r(g)); break;
	case 5: emit(g, "ld.global.nc.u32 %%r%u, [%%a6+%u];", r(g), 4 * below(g, 16)); break;
	case 6: emit(g, "ld.const.u32 %%r%u, [table+%u];", r(g), 4 * below(g, 4)); break;
	case 7: emit(g, "call (%%r%u), helper, (%%r%u, %%r%u);", r(g), r(g), r(g)); break;
	}
}

/* Another register with an address: a copy, a distance, or one of two chosen by a guard. */
static void pointer(struct gen *g)
{
	u32 at = below(g, NFREE), from = below(g, npool);
	const struct pointer *p = &pool[from];
	char name[8];
	bool narrow = p->narrow;
	snprintf(name, sizeof name, narrow ? "%%s%u" : "%%a%u", 10 + at);
	int lo = -(int)(p->lo / 16), n = (int)((p->size - 16 - p->hi) / 16) - lo + 1;
	int step = 16 * (lo + (int)below(g, (u32)n));
	u32 slot = NFIXED + at;
	struct pointer made = {NULL, p->space, p->size, (u32)((int)p->lo + step), (u32)((int)p->hi + step), narrow};
	const char *w = narrow ? "32" : "64";
	if (slot > npool)
		return;
	if (step < 0 ? below(g, 4) : !below(g, 3))
		emit(g, "sub.u%s %s, %s, %d;", w, name, p->name, -step);
	else
		emit(g, "add.s%s %s, %s, %d;", w, name, p->name, step);
	static char names[NFREE][2][8];
	snprintf(names[at][narrow], 8, "%s", name);
	made.name = names[at][narrow];
	pool[slot] = made;
	npool = MAX(npool, slot + 1);
	if (!below(g, 3) && made.hi + 32 <= made.size) { /* some threads are farther on */
		emit(g, "@%%p%u add.u%s %s, %s, 16;", below(g, 6), w, name, name);
		pool[slot].hi += 16;
	}
	if (from == slot)
		return;
	/* the new one against the old: a late value is stored, the next load wants to be early */
	u32 late = r(g);
	const struct pointer *one = &pool[below(g, 2) ? slot : from], *other = &pool[one == &pool[slot] ? from : slot];
	emit(g, "mul.lo.u32 %%r%u, %%r%u, %%r%u;\nmul.hi.u32 %%r%u, %%r%u, %%r%u;", late, r(g), late, late, late, r(g));
	emit(g, "st%s.u32 %s, %%r%u;", one->space, through(g, one, 4), late);
	emit(g, "ld%s.u32 %%r%u, %s;", other->space, r(g), through(g, other, 4));
}

static void block(struct gen *g)
{
	npool = NFIXED;
	memcpy(pool, fixed, sizeof fixed);
	for (u32 n = 6 + below(g, 50); n--;) {
		u32 k = below(g, 20);
		if (k < 8)
			arithmetic(g);
		else if (k < 9)
			carries(g);
		else if (k < 11)
			pointer(g);
		else if (k < 12)
			special(g);
		else
			access(g);
	}
}

static const char head[] =
    PTX_HEAD ".const .align 4 .b32 table[4] = {7, 11, 13, 17};\n"
             ".extern .shared .align 16 .b8 dx[];\n.extern .shared .align 16 .b8 dy[];\n"
             ".func (.reg .u32 %o) helper(.reg .u32 %x, .reg .u32 %y)\n{\n.reg .b32 %t<4>;\n"
             "mul.lo.u32 %t1, %x, 3; xor.b32 %t2, %t1, %y; shr.u32 %t3, %t2, 3; add.u32 %o, %t3, %x; ret;\n}\n"
             ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)\n{\n"
             ".reg .b32 %r<20>; .reg .b64 %q<8>; .reg .f32 %f<8>; .reg .f64 %d<8>; .reg .b16 %h<4>; .reg .pred %p<8>;\n"
             ".reg .b64 %a<20>; .reg .b32 %s<20>; .reg .b32 %t<8>;\n"
             ".shared .align 16 .b8 sa[2048]; .shared .align 16 .b8 sb[64];\n"
             ".local .align 16 .b8 la[64]; .local .align 16 .b8 lb[64];\n"
             "mov.u32 %t0, %tid.x; mov.u32 %t1, %ctaid.x; mad.lo.u32 %t2, %t1, 32, %t0;\n"
             "ld.param.u64 %a0, [p0]; mad.wide.u32 %a0, %t2, 256, %a0; ld.param.u64 %a1, [p1]; add.u64 %a1, %a0, %a1;\n"
             "cvta.global.u64 %a2, %a0; mov.u32 %s0, sa; mad.lo.u32 %s0, %t0, 64, %s0; cvt.u64.u32 %a3, %s0;\n"
             "cvta.shared.u64 %a3, %a3; ld.param.u32 %s1, [p1]; shr.u32 %s1, %s1, 1; add.u32 %s1, %s1, %s0;\n"
             "mov.u32 %s2, dx; mad.lo.u32 %s2, %t0, 64, %s2; mov.u64 %a4, la; cvta.local.u64 %a5, %a4;\n"
             "ld.param.u64 %a6, [p2]; ld.param.u64 %a7, [p3]; mad.wide.u32 %a7, %t2, 1024, %a7;\n"
             "st.local.v4.u32 [la], {%t0, %t1, %t2, %t0}; st.local.v4.u32 [la+16], {%t0, %t1, %t2, %t0};\n"
             "st.local.v4.u32 [la+32], {%t0, %t1, %t2, %t0}; st.local.v4.u32 [la+48], {%t0, %t1, %t2, %t0};\n"
             "st.local.v4.u32 [lb], {%t1, %t1, %t2, %t0}; st.local.v4.u32 [lb+16], {%t0, %t0, %t2, %t0};\n"
             "st.local.v4.u32 [lb+32], {%t2, %t1, %t2, %t0}; st.local.v4.u32 [lb+48], {%t0, %t1, %t1, %t0};\n";

static void first_values(struct gen *g)
{
	for (u32 i = 0; i < 12; i++)
		emit(g, "mad.lo.u32 %%r%u, %%t2, %u, %u;", i, below(g, 1u << 20) | 1, below(g, 1u << 20));
	for (u32 i = 0; i < 6; i++) {
		emit(g, "mul.wide.u32 %%q%u, %%r%u, %%r%u;", i, i, i + 1);
		emit(g, "cvt.rn.f32.u32 %%f%u, %%r%u;\ncvt.rn.f64.u32 %%d%u, %%r%u;", i, i + 2, i, i + 3);
		emit(g, "setp.lt.u32 %%p%u, %%r%u, %%r%u;", i, i + 1, i + 5);
	}
	for (u32 i = 0; i < 4; i++)
		emit(g, "cvt.u16.u32 %%h%u, %%r%u;", i, i + 4);
}

static void last_values(struct gen *g)
{
	u32 at = 0;
	for (u32 i = 0; i < 12; i++, at += 4)
		emit(g, "st.global.u32 [%%a7+%u], %%r%u;", at, i);
	for (u32 i = 0; i < 6; i++, at += 24) {
		emit(g, "st.global.u64 [%%a7+%u], %%q%u;\nst.global.f64 [%%a7+%u], %%d%u;", at, i, at + 8, i);
		emit(g, "selp.u32 %%t3, 1, 0, %%p%u;\nst.global.u8 [%%a7+%u], %%t3;", i, at + 16);
		emit(g, "st.global.f32 [%%a7+%u], %%f%u;", at + 20, i);
	}
	for (u32 i = 0; i < 4; i++, at += 2)
		emit(g, "st.global.u16 [%%a7+%u], %%h%u;", at, i);
	emit(g, "bar.sync 0;");
	for (u32 i = 0; i < PART; i += 4, at += 20) {
		emit(g, "ld.shared.u32 %%t3, [%%s0+%u];\nld.shared.u32 %%t4, [%%s2+%u];\nld.shared.u32 %%t5, [sb+%u];", i, i,
		     i);
		emit(g, "st.global.u32 [%%a7+%u], %%t3;\nst.global.u32 [%%a7+%u], %%t4;", at, at + 4);
		emit(g, "st.global.u32 [%%a7+%u], %%t5;\nld.local.u32 %%t3, [la+%u];\nld.local.u32 %%t4, [lb+%u];", at + 8, i,
		     i);
		emit(g, "st.global.u32 [%%a7+%u], %%t3;\nst.global.u32 [%%a7+%u], %%t4;", at + 12, at + 16);
	}
	assert_true(at <= OUT);
}

static void program(u64 seed, struct strbuf *o)
{
	struct gen g = {.rng = seed, .o = o};
	strbuf_clear(o);
	strbuf_adds(o, head);
	first_values(&g);
	for (u32 n = 2 + below(&g, 5); n--;) {
		u32 label = g.labels++;
		if (below(&g, 3) == 0) { /* some threads skip it */
			emit(&g, "@%%p%u bra L%u;", below(&g, 6), label);
			block(&g);
		} else if (below(&g, 3) == 0) { /* twice */
			emit(&g, "mov.u32 %%t6, 0;\nM%u:", label);
			block(&g);
			emit(&g, "add.u32 %%t6, %%t6, 1;\nsetp.lt.u32 %%p7, %%t6, 2;\n@%%p7 bra M%u;", label);
		} else {
			block(&g);
		}
		emit(&g, "L%u:", label);
	}
	last_values(&g);
	emit(&g, "ret;\n}");
}

struct memory {
	u8 own[CTAS * THREADS * OWN], out[CTAS * THREADS * OUT];
};

static void run(u64 seed, const char *text, const char *const *sets, struct memory *out)
{
	struct err e = {0};
	struct sim *s = machine(sets);
	struct module *m = rig_load(s, text);
	u64 own = rig_alloc(s, sizeof out->own), ro = rig_alloc(s, 64), res = rig_alloc(s, sizeof out->out);
	for (u32 i = 0; i < sizeof out->own; i += 4) {
		u32 v = (u32)rng_next(&seed);
		assert_true(devmem_write(sim_devmem(s), own + i, &v, 4, &e));
		if (i < 64)
			assert_true(devmem_write(sim_devmem(s), ro + i, &v, 4, &e));
	}
	struct launch_spec l = {.mod = m,
	                        .fn = module_func(m, "k", true),
	                        .grid = {CTAS, 1, 1},
	                        .block = {THREADS, 1, 1},
	                        .dynamic_shared = THREADS * PART,
	                        .params = (u64[]){own, SHIFT, ro, res},
	                        .param_bytes = 32};
	if (sim_launch(s, &l, &e) < 0)
		fail_msg("%s", e.msg);
	rig_finish(s);
	assert_true(devmem_read(sim_devmem(s), own, out->own, sizeof out->own, &e));
	assert_true(devmem_read(sim_devmem(s), res, out->out, sizeof out->out, &e));
	sim_destroy(s);
}

static void compare(u64 seed, const char *const *sets)
{
	static struct memory text_order, scheduled;
	struct strbuf text = STRBUF_INIT;
	const char *none[8] = {"schedule=none"}, *list[8] = {"schedule=list"};
	for (u32 i = 0; sets[i]; i++)
		none[i + 1] = list[i + 1] = sets[i];
	program(seed, &text);
	run(seed, strbuf_str(&text), none, &text_order);
	run(seed, strbuf_str(&text), list, &scheduled);
	if (memcmp(&text_order, &scheduled, sizeof scheduled)) {
		u32 at = 0;
		while (((u8 *)&text_order)[at] == ((u8 *)&scheduled)[at])
			at++;
		const char *file = getenv("KEEP");
		FILE *f = file ? fopen(file, "w") : NULL;
		if (f) {
			fputs(strbuf_str(&text), f);
			fclose(f);
		}
		fail_msg("program %llu: byte %u of the result differs", (unsigned long long)seed, at);
	}
	strbuf_release(&text);
}

static void test_random_programs(void **state)
{
	static const char *const machines[][4] = {
	    {"num_sms=1", NULL},
	    {"num_sms=1", "isa.issue_cost=ptx", "schedule_spare=7", NULL},
	    {"num_sms=1", "sm.regs=16384", "sm.issue_width=2", NULL},
	    {"num_sms=1", "sm.regs=65536", "sm.threads=1024", NULL},
	};
	for (u32 i = 0; i < rounds("ROUNDS", 150, 30); i++)
		compare(1000 + i, machines[i % ARRAY_LEN(machines)]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
