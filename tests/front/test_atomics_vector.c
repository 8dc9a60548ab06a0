/* atom and red of vectors from PTX text: every type, operation and length on global and generic addresses, by all
 * threads and by some, random and edge operands. Old values and final cells against the same updates in C, thread by
 * thread (warps in order, lanes ascending). What PTX does not have is refused. */
#include "tests/rig/kernel_rig.h"
#include "tests/rig/refusal.h"
#include "base/rng.h"

enum { CELLS = 5, BYTES = 16 }; /* a cell has room for the longest vector */
static struct {
	u8 b[N][BYTES], old[N][BYTES], cell[CELLS][BYTES];
} data;

/* --- numbers of two formats as doubles ---------------------------------------------------------------------------- */
struct format {
	u32 mantissa; /* bits that are stored */
	s32 bias;
};
static const struct format f16 = {10, 15}, bf16 = {7, 127};

static double decode(struct format f, u16 h)
{
	const u32 m = h & ((1u << f.mantissa) - 1), e = (h & 0x7fffu) >> f.mantissa, top = 0x7fffu >> f.mantissa;
	const double sign = h >> 15 ? -1 : 1;
	if (e == top)
		return m ? (double)NAN : sign * (double)INFINITY;
	return sign * ldexp(m + (e ? ldexp(1, (int)f.mantissa) : 0), (s32)MAX(e, 1u) - f.bias - (s32)f.mantissa);
}
/* To nearest, ties to even. */
static u16 encode(struct format f, double v)
{
	const u16 sign = signbit(v) ? 0x8000 : 0;
	int e;
	if (v != v)
		return 0x7fff;
	if (!(fabs(v) < INFINITY))
		return sign | (u16)((0x7fffu >> f.mantissa) << f.mantissa);
	if (!(fabs(v) > 0))
		return sign;
	frexp(v, &e);
	const s32 quantum = MAX(e - 1 - (s32)f.mantissa, 1 - f.bias - (s32)f.mantissa);
	const u32 units = (u32)nearbyint(ldexp(fabs(v), -quantum)); /* may have grown to the next power of two */
	const u32 field = (u32)(quantum + (s32)f.mantissa + f.bias - 1);
	const u32 bits = units + (field << f.mantissa);
	return sign | (u16)MIN(bits, (0x7fffu >> f.mantissa) << f.mantissa);
}
static u16 ref_half(struct format f, char op, u16 old, u16 b)
{
	const double x = decode(f, old), y = decode(f, b);
	if (op == 'a')
		return encode(f, x + y);
	if (x != x || y != y)
		return x != x && y != y ? 0x7fff : x != x ? b : old;
	if (!(x < y) && !(y < x)) /* -0 is less than 0 */
		return (op == 'n') == (bool)(old >> 15) ? old : b;
	return (x < y) == (op == 'n') ? old : b;
}
static u32 flush(u32 v)
{
	return v & 0x7f800000 ? v : v & 0x80000000;
}
static u32 ref_word(u32 old, u32 b)
{
	float x, y, s;
	u32 v;
	old = flush(old), b = flush(b);
	memcpy(&x, &old, 4);
	memcpy(&y, &b, 4);
	s = x + y;
	memcpy(&v, &s, 4);
	return s != s ? 0x7fffffff : flush(v);
}

/* --- kinds -------------------------------------------------------------------------------------------------------- */
struct kind {
	const char *type;
	u32 element, vec; /* bytes of an element as PTX has it; how many */
	char op;          /* a: add, n: min, x: max */
};
static bool is_bf16(const struct kind *k)
{
	return k->type[0] == 'b';
}
static void ref(const struct kind *k, u8 *cell, const u8 *b)
{
	for (u32 at = 0; at < k->element * k->vec;) {
		u32 old, with;
		u16 h, g;
		if (!strcmp(k->type, "f32")) {
			memcpy(&old, cell + at, 4);
			memcpy(&with, b + at, 4);
			old = ref_word(old, with);
			memcpy(cell + at, &old, 4);
			at += 4;
			continue;
		}
		memcpy(&h, cell + at, 2);
		memcpy(&g, b + at, 2);
		h = ref_half(is_bf16(k) ? bf16 : f16, k->op, h, g);
		memcpy(cell + at, &h, 2);
		at += 2;
	}
}

static void fill(const struct kind *k, u8 *to, u64 *seed)
{
	static const u16 edges[] = {0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e01, 0x0001, 0x8001,
	                            0x03ff, 0x0400, 0x7bff, 0xfbff, 0x7f80, 0xff80, 0x7fff, 0x3f80, 0x7f7f};
	for (u32 i = 0; i < BYTES; i += 2) {
		const u64 v = rng_next(seed);
		u16 h = v & 1   ? (u16)(v >> 8)
		        : v & 6 ? (u16)(0x3000 + (v >> 16) % 0x1800 + (v & 8 ? 0x8000 : 0))
		                : edges[(v >> 8) % ARRAY_LEN(edges)];
		if (!strcmp(k->type, "f32") && i % 4 == 2 && v % 5 == 0)
			h &= 0x807f; /* a subnormal number */
		memcpy(to + i, &h, 2);
	}
}

/* {%h0, %h1 ...} of the letter. */
static void registers(char *to, size_t size, char letter, u32 from, u32 n)
{
	size_t at = 0;
	for (u32 i = 0; i < n; i++)
		at += (size_t)snprintf(to + at, size - at, "%s%%%c%u", i ? ", " : "{", letter, from + i);
	snprintf(to + at, size - at, "}");
}
/* The thread's cell is at %rd9, its operands at %rd7; the old value goes to %rd11. Bytes go through 16- or 32-bit
 * registers one by one, so that nothing else has to work. */
static void make_text(char *ptx, size_t size, const struct kind *k, bool generic, bool red, bool masked)
{
	const char letter = k->element == 2 ? 'h' : !strcmp(k->type, "f32") ? 'f' : 'r';
	char in[200], out[200];
	registers(in, sizeof in, letter, 20, k->vec);
	registers(out, sizeof out, letter, 30, k->vec);
	size_t at = (size_t)snprintf(
	    ptx, size,
	    "%s.reg .b16 %%h<40>; .reg .f32 %%f<40>;\nld.param.u64 %%rd6, [p2];\nmul.wide.u32 %%rd2, %%r1, 16;\n"
	    "add.s64 %%rd7, %%rd6, %%rd2;\nadd.s64 %%rd11, %%rd7, %zu;\nrem.u32 %%r2, %%r1, 5;\nmul.wide.u32 %%rd10, "
	    "%%r2, 16;\nadd.s64 %%rd9, %%rd6, %%rd10;\nsetp.ne.u32 %%p1, %%r2, 3;\n",
	    HEAD ".visible .entry k(.param .u64 buf, .param .u64 p2)\n{\n.reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .pred "
	         "%p<8>;\nld.param.u64 %rd1, [buf];\nmov.u32 %r1, %tid.x;\n",
	    offsetof(__typeof__(data), old));
	for (u32 i = 0; i < k->vec; i++)
		at += (size_t)snprintf(ptx + at, size - at, "ld.global.b%u %%%c%u, [%%rd7+%u];\nmov.b%u %%%c%u, %%%c%u;\n",
		                       8 * k->element, letter, 20 + i, k->element * i, 8 * k->element, letter, 30 + i, letter,
		                       20 + i);
	at += (size_t)snprintf(ptx + at, size - at, "%s%s%s.%s%s.v%u.%s %s%s[%%rd9+%zu], %s;\n", masked ? "@%p1 " : "",
	                       red ? "red" : "atom", generic ? "" : ".relaxed.gpu.global",
	                       k->op == 'a'   ? "add"
	                       : k->op == 'n' ? "min"
	                                      : "max",
	                       strcmp(k->type, "f32") ? ".noftz" : "", k->vec, k->type, red ? "" : out, red ? "" : ", ",
	                       offsetof(__typeof__(data), cell), in);
	for (u32 i = 0; i < k->vec && !red; i++)
		at += (size_t)snprintf(ptx + at, size - at, "st.global.b%u [%%rd11+%u], %%%c%u;\n", 8 * k->element,
		                       k->element * i, letter, 30 + i);
	snprintf(ptx + at, size - at, "ret;\n}\n");
}

static void check(const struct kind *k, bool generic, bool red, bool masked, u64 *seed)
{
	struct err e = {0};
	char ptx[8192];
	u8 cell[CELLS][BYTES];
	const u32 bytes = k->element * k->vec;
	make_text(ptx, sizeof(ptx), k, generic, red, masked);
	rig_open(ptx, false);
	for (u32 t = 0; t < N; t++)
		fill(k, data.b[t], seed);
	for (u32 i = 0; i < CELLS; i++)
		fill(k, data.cell[i], seed);
	memset(data.old, 0, sizeof data.old);
	memcpy(cell, data.cell, sizeof cell);
	const u64 in = devmem_alloc(&r.mem, sizeof(data), "data", &e);
	assert_true(devmem_write(&r.mem, in, &data, sizeof(data), &e));
	memcpy(r.l.params + 8, &in, 8);
	rig_run();
	fault_text(FAULT_NONE);
	assert_true(devmem_read(&r.mem, in, &data, sizeof(data), &e));
	for (u32 t = 0; t < N; t++) {
		const bool out = masked && t % CELLS == 3;
		if (!red && memcmp(data.old[t], out ? data.b[t] : cell[t % CELLS], bytes))
			fail_msg("%s v%u %c%s: old value of thread %u", k->type, k->vec, k->op, generic ? " generic" : "", t);
		if (!out)
			ref(k, cell[t % CELLS], data.b[t]);
	}
	for (u32 i = 0; i < CELLS; i++)
		for (u32 j = 0; j < BYTES; j++)
			if (data.cell[i][j] != cell[i][j])
				fail_msg("%s v%u %c%s%s: byte %u of cell %u is %02x, want %02x", k->type, k->vec, k->op,
				         generic ? " generic" : "", red ? " red" : "", j, i, data.cell[i][j], cell[i][j]);
	rig_close();
}

static void test_every_vector(void **state)
{
	static const char *const types[] = {"f32", "f16x2", "bf16x2", "f16", "bf16"};
	u64 seed = 11;
	for (u32 i = 0; i < ARRAY_LEN(types); i++)
		for (u32 vec = 2; vec <= (i > 2 ? 8u : 4); vec *= 2)
			for (const char *op = i ? "anx" : "a"; *op; op++)
				for (u32 v = 0; v < 8; v++)
					for (u32 round = 0; round < 4; round++)
						check(&(struct kind){types[i], i > 2 ? 2 : 4, vec, *op}, v & 1, v & 2, v & 4, &seed);
}

/* The address is a multiple of the whole vector's size; shared memory has no vectors. */
static void test_faults(void **state)
{
	rig_open(HEAD BEGIN "atom.global.add.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1+8], {%f1,%f2,%f3,%f4};\n" END, false);
	rig_run();
	fault_text(FAULT_MISALIGNED);
	rig_close();
	rig_open(HEAD ".shared .align 16 .b8 sm[64];\n" BEGIN
	              "mov.u64 %rd4, sm;\ncvta.shared.u64 %rd4, %rd4;\nred.add.v2.f32 [%rd4], {%f1,%f2};\n" END,
	         false);
	rig_run();
	fault_text(FAULT_OOB);
	rig_close();
}

static void test_refused(void **state)
{
	static const char *const bodies[] = {
	    "atom.shared.add.v2.f32 {%f1,%f2}, [%r1], {%f1,%f2};\n",
	    "atom.global.min.v2.f32 {%f1,%f2}, [%rd1], {%f1,%f2};\n",
	    "atom.global.exch.v2.b32 {%r1,%r2}, [%rd1], {%r1,%r2};\n",
	    "red.global.add.v2.u32 [%rd1], {%r1,%r2};\n",
	    "red.global.add.noftz.v8.f16x2 [%rd1], {%r1,%r2,%r1,%r2,%r1,%r2,%r1,%r2};\n",
	    "red.global.add.v4.f32 [%rd1], {%f1,%f2};\n",
	    "atom.global.add.v2.f32 %f1, [%rd1], {%f1,%f2};\n",
	    "red.global.min.noftz.f16x2 [%rd1], %r1;\n",
	};
	for (u32 i = 0; i < ARRAY_LEN(bodies); i++)
		expect_refused(HEAD BEGIN, bodies[i], END);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_vector),
	    cmocka_unit_test(test_faults),
	    cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
