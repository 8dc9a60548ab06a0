/* Atomics of every operation and type on global, shared and generic addresses, from PTX text: each thread's old value
 * and the final cells against the same sequence of updates in C, thread by thread (warps in order, lanes ascending). */
#include "tests/rig/kernel_rig.h"
#include "tests/rig/refusal.h"
#include "base/rng.h"

#define CELLS 5
static struct {
	u64 b[N], c[N], cell[CELLS];
} data;

struct op {
	const char *name, *type; /* ".add", "u32" */
	u32 bytes;
	char reg; /* prefix of the registers: r, l (64 bits), f, d, h (16 bits) */
};
static const struct op ops[] = {
    {"add", "u32", 4, 'r'}, {"add", "s32", 4, 'r'},  {"add", "u64", 8, 'l'},         {"min", "u32", 4, 'r'},
    {"min", "s32", 4, 'r'}, {"min", "u64", 8, 'l'},  {"min", "s64", 8, 'l'},         {"max", "u32", 4, 'r'},
    {"max", "s32", 4, 'r'}, {"max", "u64", 8, 'l'},  {"max", "s64", 8, 'l'},         {"and", "b32", 4, 'r'},
    {"and", "b64", 8, 'l'}, {"or", "b32", 4, 'r'},   {"or", "b64", 8, 'l'},          {"xor", "b32", 4, 'r'},
    {"xor", "b64", 8, 'l'}, {"exch", "b32", 4, 'r'}, {"exch", "b64", 8, 'l'},        {"cas", "b32", 4, 'r'},
    {"cas", "b64", 8, 'l'}, {"inc", "u32", 4, 'r'},  {"dec", "u32", 4, 'r'},         {"add", "f32", 4, 'f'},
    {"add", "f64", 8, 'd'}, {"cas", "b16", 2, 'h'},  {"add.noftz", "f16x2", 4, 'r'},
};

static float as_float(u64 v)
{
	const u32 u = (u32)v;
	float f;
	memcpy(&f, &u, 4);
	return f;
}
static double as_double(u64 v)
{
	double f;
	memcpy(&f, &v, 8);
	return f;
}
static u64 of_float(float f)
{
	u32 u;
	memcpy(&u, &f, 4);
	return u;
}
static u64 of_double(double f)
{
	u64 u;
	memcpy(&u, &f, 8);
	return u;
}

static u64 ref_min_max(const struct op *o, u64 a, u64 b)
{
	const bool max = o->name[1] == 'a';
	bool less;
	if (o->type[0] == 's')
		less = o->bytes == 8 ? (s64)a < (s64)b : (s32)a < (s32)b;
	else
		less = a < b;
	return less != max ? a : b;
}
/* Small integers as halves: sums are exact, so any correct rounding gives them. */
static s32 half_integer(u16 h)
{
	const s32 v = h & 0x7fff ? (1024 + (h & 1023)) >> (25 - (h >> 10 & 31)) : 0;
	return h >> 15 ? -v : v;
}
static u16 integer_half(s32 v)
{
	const u32 m = (u32)abs(v), e = m ? 31u - (u32)__builtin_clz(m) : 0;
	return m ? (u16)((v < 0 ? 0x8000u : 0) | (e + 15) << 10 | ((m << (10 - e)) & 1023)) : 0;
}
static u64 ref_half_sum(u64 a, u64 b)
{
	const u16 lo = integer_half(half_integer((u16)a) + half_integer((u16)b));
	return lo | (u32)integer_half(half_integer((u16)(a >> 16)) + half_integer((u16)(b >> 16))) << 16;
}
static u64 ref(const struct op *o, u64 old, u64 b, u64 c)
{
	const u64 mask = o->bytes == 8 ? ~0ull : (1ull << 8 * o->bytes) - 1;
	u64 v;
	if (!strcmp(o->type, "f32"))
		v = of_float(as_float(old) + as_float(b));
	else if (!strcmp(o->type, "f64"))
		v = of_double(as_double(old) + as_double(b));
	else if (!strcmp(o->type, "f16x2"))
		v = ref_half_sum(old, b);
	else if (!strcmp(o->name, "add"))
		v = old + b;
	else if (o->name[0] == 'm')
		v = ref_min_max(o, old, b);
	else if (!strcmp(o->name, "and"))
		v = old & b;
	else if (!strcmp(o->name, "or"))
		v = old | b;
	else if (!strcmp(o->name, "xor"))
		v = old ^ b;
	else if (!strcmp(o->name, "exch"))
		v = b;
	else if (!strcmp(o->name, "cas"))
		v = old == b ? c : old;
	else if (!strcmp(o->name, "inc"))
		v = old >= b ? 0 : old + 1;
	else
		v = !old || old > b ? b : old - 1;
	return v & mask;
}

static u64 random_operand(const struct op *o, u64 *seed)
{
	static const u64 edges[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 1ull << 63, ~0ull, INT64_MAX, 5};
	const u64 v = rng_next(seed);
	u64 mask = o->bytes == 8 ? ~0ull : (1ull << 8 * o->bytes) - 1;
	if (o->reg == 'f')
		return of_float((float)(s32)v * 0x1p-20f);
	if (o->reg == 'd')
		return of_double((double)(s64)v * 0x1p-40);
	if (!strcmp(o->type, "f16x2")) { /* +-1, +-2: sums stay below 2048 and exact */
		static const u16 small[] = {0x3c00, 0x4000, 0xbc00, 0xc000};
		return small[v & 3] | (u32)small[v >> 2 & 3] << 16;
	}
	if (!strcmp(o->name, "cas"))
		return v % 3; /* so that some succeed */
	if (!strcmp(o->name, "inc") || !strcmp(o->name, "dec"))
		return v % 4 ? v % 7 : edges[(v >> 8) % ARRAY_LEN(edges)] & mask;
	return (v & 1 ? rng_next(seed) : edges[(v >> 8) % ARRAY_LEN(edges)]) & mask;
}

enum where { GLOBAL, SHARED, GENERIC_GLOBAL, GENERIC_SHARED, PLACES };
static const char *const prefix[PLACES] = {".global", ".shared", "", ""};

/* cells at %rd8; the thread's at %rd9 (after the copy to shared memory, where it is used); b, c in %rd4, %rd5 */
static void make_text(char *ptx, size_t size, const struct op *o, enum where at, bool red, const char *guard)
{
	const bool shared = at == SHARED || at == GENERIC_SHARED, cas = !strcmp(o->name, "cas");
	const char *move = o->reg == 'r'   ? "cvt.u32.u64 %r20, %rd4;\ncvt.u32.u64 %r21, %rd5;\n"
	                   : o->reg == 'l' ? "mov.b64 %l20, %rd4;\nmov.b64 %l21, %rd5;\n"
	                   : o->reg == 'f' ? "cvt.u32.u64 %r20, %rd4;\nmov.b32 %f20, %r20;\n"
	                   : o->reg == 'h' ? "cvt.u16.u64 %h20, %rd4;\ncvt.u16.u64 %h21, %rd5;\n"
	                                   : "mov.b64 %d20, %rd4;\n";
	const char *out = o->reg == 'r'   ? "cvt.u64.u32 %rd16, %r22;\n"
	                  : o->reg == 'l' ? "mov.b64 %rd16, %l22;\n"
	                  : o->reg == 'f' ? "mov.b32 %r22, %f22;\ncvt.u64.u32 %rd16, %r22;\n"
	                  : o->reg == 'h' ? "cvt.u64.u16 %rd16, %h22;\n"
	                                  : "mov.b64 %rd16, %d22;\n";
	char insn[200], third[20] = "", dest[20] = "";
	if (cas)
		snprintf(third, sizeof(third), ", %%%c21", o->reg);
	if (!red)
		snprintf(dest, sizeof(dest), "%%%c22, ", o->reg);
	snprintf(insn, sizeof(insn), "%s%s%s.%s.%s %s[%%rd9], %%%c20%s;\n", guard, red ? "red" : "atom", prefix[at],
	         o->name, o->type, dest, o->reg, third);
	snprintf(ptx, size,
	         "%s.reg .b64 %%l<24>; .reg .f64 %%d<24>; .reg .b16 %%h<24>;\n"
	         ".reg .f32 %%f20, %%f22;\n"
	         "ld.param.u64 %%rd6, [p2];\nmul.wide.u32 %%rd2, %%r1, 8;\nadd.s64 %%rd3, %%rd1, %%rd2;\n"
	         "add.s64 %%rd7, %%rd6, %%rd2;\nld.global.u64 %%rd4, [%%rd7];\nld.global.u64 %%rd5, [%%rd7+%u];\n"
	         "add.s64 %%rd8, %%rd6, %u;\nrem.u32 %%r2, %%r1, 5;\nmul.wide.u32 %%rd10, %%r2, 8;\n"
	         "add.s64 %%rd11, %%rd8, %%rd10;\nmov.u64 %%rd12, scells;\nadd.s64 %%rd12, %%rd12, %%rd10;\n"
	         "ld.global.u64 %%rd13, [%%rd11];\nst.shared.u64 [%%rd12], %%rd13;\nbar.sync 0;\n"
	         "setp.ne.u32 %%p1, %%r2, 3;\nmov.u64 %%rd16, 77;\n%s%s\n%s%s%sbar.sync 0;\n%s\n"
	         "st.global.u64 [%%rd3], %%rd16;\nret;\n}\n",
	         HEAD ".shared .align 8 .b64 scells[5];\n" BEGIN, 8 * N, 16 * N,
	         shared ? "mov.u64 %rd9, %rd12;\n" : "mov.u64 %rd9, %rd11;\n",
	         at == GENERIC_SHARED ? "cvta.shared.u64 %rd9, %rd9;\n" : "", move, insn, red ? "" : out,
	         shared ? "ld.shared.u64 %rd13, [%rd12];\nst.global.u64 [%rd11], %rd13;\n" : "");
}

static void check(const struct op *o, enum where at, bool red, bool masked, u64 *seed)
{
	struct err e = {0};
	char ptx[8192];
	u64 cell[CELLS], got[CELLS];
	make_text(ptx, sizeof(ptx), o, at, red, masked ? "@%p1 " : "");
	rig_open(ptx, false);
	for (u32 t = 0; t < N; t++) {
		data.b[t] = random_operand(o, seed);
		data.c[t] = random_operand(o, seed);
	}
	for (u32 i = 0; i < CELLS; i++)
		cell[i] = data.cell[i] = random_operand(o, seed);
	const u64 in = devmem_alloc(&r.mem, sizeof(data), "data", &e);
	assert_true(devmem_write(&r.mem, in, &data, sizeof(data), &e));
	memcpy(r.l.params + 8, &in, 8);
	rig_run();
	fault_text(FAULT_NONE);
	for (u32 t = 0; t < N; t++) {
		const u64 result = ((const u64 *)(void *)r.out)[t], old = cell[t % CELLS];
		if (masked && t % CELLS == 3)
			continue;
		if (!red && result != old)
			fail_msg("atom%s.%s.%s thread %u: old value %llx, want %llx", prefix[at], o->name, o->type, t,
			         (unsigned long long)result, (unsigned long long)old);
		cell[t % CELLS] = ref(o, old, data.b[t], data.c[t]);
	}
	assert_true(devmem_read(&r.mem, in + 16 * N, got, sizeof(got), &e));
	for (u32 i = 0; i < CELLS; i++)
		if (got[i] != cell[i])
			fail_msg("%s%s.%s.%s cell %u: %llx, want %llx", red ? "red" : "atom", prefix[at], o->name, o->type, i,
			         (unsigned long long)got[i], (unsigned long long)cell[i]);
	rig_close();
}

static void test_every_operation(void **state)
{
	u64 seed = 42;
	for (u32 i = 0; i < ARRAY_LEN(ops); i++)
		for (u32 at = 0; at < PLACES; at++)
			for (u32 round = 0; round < 4; round++) {
				const bool red = round & 1 && strcmp(ops[i].name, "cas");
				check(&ops[i], (enum where)at, red, round & 2, &seed);
			}
}

/* inc and dec wrap at their bound, below, at and above it. */
static void test_inc_dec_edges(void **state)
{
	static const u32 table[][3] = {/* old, bound, inc */
	                               {0, 0, 0}, {0, 1, 1},  {1, 1, 0},     {5, 9, 6},
	                               {9, 9, 0}, {10, 9, 0}, {~0u, ~0u, 0}, {~0u - 1, ~0u, ~0u}};
	static const u32 down[] = {0, 1, 0, 4, 8, 9, ~0u - 1, ~0u - 2};
	for (u32 i = 0; i < ARRAY_LEN(table); i++) {
		char ptx[4096];
		snprintf(ptx, sizeof(ptx),
		         "%sst.global.u32 [%%rd3+512], %u;\natom.global.inc.u32 %%r9, [%%rd3+512], %u;\n"
		         "st.global.u32 [%%rd3+1024], %u;\nred.global.dec.u32 [%%rd3+1024], %u;\n%s",
		         HEAD BEGIN, table[i][0], table[i][1], table[i][0], table[i][1], END);
		rig_open(ptx, false);
		rig_run();
		for (u32 t = 0; t < N; t++) {
			assert_int_equal(r.out[t], table[i][0]);
			assert_int_equal(r.out[N + t], table[i][2]);
			assert_int_equal(r.out[2 * N + t], down[i]);
		}
		rig_close();
	}
}

/* Same word, several warps in one cycle: each old value is seen once; f32 adds to global memory flush subnormals. */
static void test_tickets(void **state)
{
	bool seen[N] = {0};
	rig_open(HEAD BEGIN
	         "st.global.u32 [%rd1+512], 0;\nbar.sync 0;\natom.add.u32 %r9, [%rd1+512], 1;\n"
	         "mov.f32 %f1, 0f00000001;\nst.global.u32 [%rd3+1024], 0;\nred.global.add.f32 [%rd3+1024], %f1;\n" END,
	         false);
	rig_run();
	for (u32 t = 0; t < N; t++) {
		assert_in_range(r.out[t], 0, N - 1);
		assert_false(seen[r.out[t]]);
		seen[r.out[t]] = true;
		assert_int_equal(r.out[2 * N + t], 0);
	}
	rig_close();
}

static void test_refused(void **state)
{
	static const char *const bodies[] = {
	    "atom.global.inc.s32 %r9, [%rd1], 1;\n", "atom.global.min.f32 %f1, [%rd1], %f2;\n",
	    "red.global.cas.b32 [%rd1], 1, 2;\n",    "atom.const.add.u32 %r9, [%rd1], 1;\n",
	    "atom.global.add.u16 %r9, [%rd1], 1;\n", "atom.global.dec.u64 %rd4, [%rd1], 1;\n",
	};
	for (u32 i = 0; i < ARRAY_LEN(bodies); i++)
		expect_refused(HEAD BEGIN, bodies[i], END);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_operation),
	    cmocka_unit_test(test_inc_dec_edges),
	    cmocka_unit_test(test_tickets),
	    cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
