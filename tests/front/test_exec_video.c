/* Video instructions from PTX text to result: random forms of every instruction, with all its types, selectors, masks
 * and modifiers, against a reference that reads the form's own words; what PTX does not allow is refused. */
#include "tests/rig/exec_rig.h"
#include "tests/rig/refusal.h"

/* A form. Selectors are as they stand in the text, without the dot; "" = none. */
static struct form {
	const char *op;
	u32 lanes; /* elements: 1, 2, 4 */
	bool sd, sa, sb, sat, po, na, nb, nc, wrap;
	u32 second, shift; /* 0 none, 1 add, 2 min, 3 max; vmad's 0, 7, 15 */
	const char *cmp;   /* vset */
	char asel[8], bsel[8], dsel[8];
} form;

/* --- the reference ------------------------------------------------------------------------------------------------ */

static s128 piece(u32 v, u32 bit, u32 bits, bool sign)
{
	s128 n = 0;
	for (u32 i = 0; i < bits; i++)
		n += (s128)(v >> (bit + i) & 1) << i;
	return sign && v >> (bit + bits - 1) & 1 ? n - ((s128)1 << bits) : n;
}
/* The bits of a word that "b2" or "h1" names; "" is all of it. */
static void place_of(const char *sel, u32 *bit, u32 *bits)
{
	*bits = *sel == 'b' ? 8 : *sel == 'h' ? 16 : 32;
	*bit = *sel ? (u32)(sel[1] - '0') * *bits : 0;
}
static s128 limit(s128 v, u32 bits, bool sign)
{
	s128 lo = 0, hi = 1;
	for (u32 i = 0; i < bits; i++)
		hi *= 2;
	if (sign)
		lo = -hi / 2, hi = hi / 2;
	hi -= 1;
	return v < lo ? lo : v > hi ? hi : v;
}
static bool compare(s128 a, s128 b)
{
	const char *c = form.cmp;
	return !strcmp(c, "eq")   ? a == b
	       : !strcmp(c, "ne") ? a != b
	       : !strcmp(c, "lt") ? a < b
	       : !strcmp(c, "le") ? a <= b
	       : !strcmp(c, "gt") ? a > b
	                          : a >= b;
}
static s128 result(s128 a, s128 b)
{
	const char *op = form.op;
	if (!strncmp(op, "vadd", 4))
		return a + b;
	if (!strncmp(op, "vsub", 4))
		return a - b;
	if (!strncmp(op, "vabs", 4))
		return a > b ? a - b : b - a;
	if (!strncmp(op, "vmin", 4))
		return a > b ? b : a;
	if (!strncmp(op, "vmax", 4))
		return a > b ? a : b;
	if (!strncmp(op, "vset", 4))
		return compare(a, b);
	if (!strncmp(op, "vavr", 4)) { /* rounded to the nearest, ties away from 0 */
		const s128 s = a + b;
		return s >= 0 ? (s + 1) / 2 : -((-s + 1) / 2);
	}
	const u32 n = (u32)(form.wrap ? b % 32 : b > 32 ? 32 : b);
	s128 power = 1;
	for (u32 i = 0; i < n; i++)
		power *= 2;
	if (!strcmp(op, "vshl"))
		return a * power;
	return a >= 0 ? a / power : -((-a + power - 1) / power); /* downwards */
}
static u32 low(s128 v)
{
	return (u32)(u128)v;
}
static u64 ref_scalar(u32 a, u32 b, u32 c)
{
	u32 bit, bits;
	const bool sign = form.sd && !form.cmp; /* the result of vset is unsigned */
	place_of(form.asel, &bit, &bits);
	const s128 va = piece(a, bit, bits, form.sa);
	place_of(form.bsel, &bit, &bits);
	const s128 vb = piece(b, bit, bits, form.sb);
	place_of(form.dsel, &bit, &bits);
	s128 v = result(va, vb);
	if (form.sat)
		v = limit(v, bits, sign);
	else { /* a number of 33 bits */
		u128 cut = (u128)v & 0x1ffffffff;
		v = cut >> 32 ? (s128)cut - ((s128)1 << 33) : (s128)cut;
	}
	const s128 vc = piece(c, 0, 32, sign);
	if (form.second == 1)
		return low(v + vc);
	if (form.second == 2)
		return low(v > vc ? vc : v);
	if (form.second == 3)
		return low(v > vc ? v : vc);
	for (u32 i = 0; *form.dsel && i < 32; i++)
		if (i >= bit && i < bit + bits)
			c = (c & ~(1u << i)) | (low(v) >> (i - bit) & 1) << i;
	return *form.dsel ? c : low(v);
}
static u64 ref_multiply(u32 a, u32 b, u32 c)
{
	u32 bit, bits;
	place_of(form.asel, &bit, &bits);
	s128 v = piece(a, bit, bits, form.sa);
	place_of(form.bsel, &bit, &bits);
	v *= piece(b, bit, bits, form.sb);
	const bool sign = form.sa || form.sb || form.na != form.nb || form.nc;
	s128 vc = piece(c, 0, 32, sign), divisor = 1;
	v = (form.na != form.nb ? 0 - v : v) + (form.nc ? 0 - vc : vc) + (form.po ? 1 : 0);
	for (u32 i = 0; i < form.shift; i++)
		divisor *= 2;
	v = v >= 0 ? v / divisor : -((-v + divisor - 1) / divisor);
	return low(form.sat ? limit(v, 32, sign) : v);
}
static u64 ref_packed(u32 a, u32 b, u32 c)
{
	const u32 n = form.lanes, bits = 32 / n;
	const char *asel = *form.asel ? form.asel : n == 4 ? "b3210" : "h10";
	const char *bsel = *form.bsel ? form.bsel : n == 4 ? "b7654" : "h32";
	const char *mask = *form.dsel ? form.dsel : n == 4 ? "b3210" : "h10";
	u32 sum = c;
	for (u32 k = 0; k < n; k++) {
		if (!strchr(mask, (char)('0' + k)))
			continue;
		const u32 pa = (u32)(asel[n - k] - '0'), pb = (u32)(bsel[n - k] - '0');
		const s128 va = piece(pa < n ? a : b, pa % n * bits, bits, form.sa);
		const s128 vb = piece(pb < n ? a : b, pb % n * bits, bits, form.sb);
		s128 v = result(va, vb);
		if (form.sat)
			v = limit(v, bits, form.sd);
		sum += low(v);
		for (u32 i = 0; i < bits; i++)
			c = (c & ~(1u << (k * bits + i))) | (low(v) >> i & 1) << (k * bits + i);
	}
	return form.second ? sum : c;
}
static u64 reference(const struct inst *in, u64 a, u64 b, u64 c, u64 d)
{
	return form.lanes > 1             ? ref_packed((u32)a, (u32)b, (u32)c)
	       : !strcmp(form.op, "vmad") ? ref_multiply((u32)a, (u32)b, (u32)c)
	                                  : ref_scalar((u32)a, (u32)b, (u32)c);
}

/* --- forms -------------------------------------------------------------------------------------------------------- */

static u32 pick(u32 n)
{
	return (u32)(rng_next(&seed) >> 33) % n;
}
static void random_digits(char *out, char letter, u32 n, u32 places)
{
	out[0] = letter;
	for (u32 i = 0; i < n; i++)
		out[1 + i] = (char)('0' + pick(places));
	out[1 + n] = 0;
}
static void random_selectors(void)
{
	static const char *const parts[] = {"", "b0", "b1", "b2", "b3", "h0", "h1"};
	const u32 n = form.lanes;
	form.asel[0] = form.bsel[0] = form.dsel[0] = 0;
	if (n == 1) {
		strcpy(form.asel, parts[pick(7)]);
		strcpy(form.bsel, parts[pick(7)]);
		strcpy(form.dsel, form.second || !strcmp(form.op, "vmad") ? "" : parts[pick(7)]);
		return;
	}
	if (pick(3))
		random_digits(form.asel, n == 4 ? 'b' : 'h', n, 2 * n);
	if (pick(3))
		random_digits(form.bsel, n == 4 ? 'b' : 'h', n, 2 * n);
	const u32 mask = pick(1u << n);
	if (!mask)
		return;
	u32 at = 0;
	form.dsel[at++] = n == 4 ? 'b' : 'h';
	for (u32 k = n; k-- > 0;)
		if (mask >> k & 1)
			form.dsel[at++] = (char)('0' + k);
	form.dsel[at] = 0;
}
static void random_form(const char *op, u32 lanes)
{
	static const char *const cmps[] = {"eq", "ne", "lt", "le", "gt", "ge"};
	form = (struct form){.op = op, .lanes = lanes, .sd = pick(2), .sa = pick(2), .sb = pick(2), .sat = pick(2)};
	const bool mad = !strcmp(op, "vmad"), shifts = !strcmp(op, "vshl") || !strcmp(op, "vshr");
	if (!strncmp(op, "vset", 4)) {
		form.cmp = cmps[pick(6)];
		form.sat = false;
	}
	if (shifts)
		form.sb = false;
	form.wrap = shifts && pick(2);
	form.second = mad ? 0 : lanes > 1 ? pick(2) : pick(4);
	if (lanes > 1 && form.second)
		form.sat = false;
	if (mad) {
		form.shift = (u32[]){0, 7, 15}[pick(3)];
		switch (pick(6)) {
		case 0: form.po = true; break;
		case 1: form.na = true; break;
		case 2: form.nb = true; break;
		case 3: form.nc = true; break;
		case 4: form.na = form.nb = form.nc = true; break;
		default: break;
		}
	}
	random_selectors();
}
/* "vadd.u32.s32.u32.sat %r1.b0, %r2.h1, %r3, %r4" */
static const char *form_text(void)
{
	static char text[160];
	static const char *const seconds[] = {"", ".add", ".min", ".max"};
	const char *type[] = {"u32", "s32"};
	char types[40], mods[60];
	if (form.cmp)
		snprintf(types, sizeof types, ".%s.%s.%s", type[form.sa], type[form.sb], form.cmp);
	else
		snprintf(types, sizeof types, ".%s.%s.%s", type[form.sd], type[form.sa], type[form.sb]);
	const bool shifts = !strcmp(form.op, "vshl") || !strcmp(form.op, "vshr");
	snprintf(mods, sizeof mods, "%s%s%s%s%s", form.po ? ".po" : "", form.sat ? ".sat" : "",
	         !shifts     ? ""
	         : form.wrap ? ".wrap"
	                     : ".clamp",
	         seconds[form.second],
	         form.shift == 7 ? ".shr7"
	         : form.shift    ? ".shr15"
	                         : "");
	const bool third = form.lanes > 1 || form.second || *form.dsel || !strcmp(form.op, "vmad");
	snprintf(text, sizeof text, "%s%s%s %%r1%s%s, %s%%r2%s%s, %s%%r3%s%s%s%s", form.op, types, mods,
	         *form.dsel ? "." : "", form.dsel, form.na ? "-" : "", *form.asel ? "." : "", form.asel, form.nb ? "-" : "",
	         *form.bsel ? "." : "", form.bsel,
	         !third    ? ""
	         : form.nc ? ", -"
	                   : ", ",
	         third ? "%r4" : "");
	return text;
}
static size_t in_kernel(char *ptx, size_t cap, const char *text)
{
	return (size_t)snprintf(ptx, cap,
	                        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %%r<5>;\n"
	                        ".reg .b64 %%d<2>;\nld.global.v4.u32 {%%r1,%%r2,%%r3,%%r4}, [%%d1];\n%s;\n"
	                        "st.global.u32 [%%d1], %%r1;\nret;\n}\n",
	                        text);
}
/* The instruction as the reader has it, with the rig's operands. */
static struct inst read_form(const char *text)
{
	char ptx[800];
	struct err e = {0};
	const size_t len = in_kernel(ptx, sizeof ptx, text);
	struct module *m = ptx_load("t.ptx", ptx, len, &e);
	if (!m)
		fail_msg("%s: %s", text, e.msg);
	char *why = func_unsupported(m, &m->funcs[0]);
	if (why)
		fail_msg("%s: %s", text, why);
	const opnd at[] = {R_A, R_B, R_C};
	struct inst in = m->code[1];
	assert_int_equal(in.line, 9);
	in.d[0] = R_D;
	for (u32 i = 0; i < 3; i++)
		in.s[i] = in.s[i] == OPND_NONE ? OPND_NONE : at[i];
	module_free(m);
	return in;
}

static void test_forms(void **state)
{
	static const struct {
		const char *op;
		u32 lanes;
	} ops[] = {{"vadd", 1},      {"vsub", 1},      {"vabsdiff", 1}, {"vmin", 1},  {"vmax", 1},  {"vshl", 1},
	           {"vshr", 1},      {"vmad", 1},      {"vset", 1},     {"vadd2", 2}, {"vsub2", 2}, {"vavrg2", 2},
	           {"vabsdiff2", 2}, {"vmin2", 2},     {"vmax2", 2},    {"vset2", 2}, {"vadd4", 4}, {"vsub4", 4},
	           {"vavrg4", 4},    {"vabsdiff4", 4}, {"vmin4", 4},    {"vmax4", 4}, {"vset4", 4}};
	for (u32 i = 0; i < ARRAY_LEN(ops); i++)
		for (u32 k = 0; k < 200; k++) {
			random_form(ops[i].op, ops[i].lanes);
			if (k < 8) /* those with loops of their own */
				form.asel[0] = form.bsel[0] = form.dsel[0] = 0;
			if (k < 4)
				form.sat = false;
			const char *text = form_text();
			const struct inst in = read_form(text);
			const struct shape sh = {T_U32, {T_U32, T_U32, in.s[2] == OPND_NONE ? T_NONE : T_U32, T_NONE}};
			conform(in, sh, reference);
		}
	/* 23 operations, 200 forms, at least 4 sets of operands of 32 lanes, at each vector level of this build and host.
	 */
	assert_true(checks >= 23ull * 200 * 4 * 32 * (exec_best_level() + 1));
}

/* Immediates, and a third operand that nothing is done with. */
static void test_operands(void **state)
{
	form = (struct form){.op = "vadd", .lanes = 1};
	struct inst in = read_form("vadd.u32.u32.u32 %r1, %r2, %r3, %r4");
	assert_int_equal(in.s[2], OPND_NONE);
	conform(in, (struct shape){T_U32, {T_U32, T_U32}}, reference);
	in = read_form("vadd.u32.u32.u32.add %r1, 5, %r3.b1, -1");
	assert_true(in.s[0] != OPND_NONE && in.s[2] != OPND_NONE);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} t[] = {{"vadd.u32.u32.u32.add %r1, %r2, %r3", "takes 4 operands"},
	         {"vadd.u32.u32.u32 %r1.b0, %r2, %r3", "takes 4 operands"},
	         {"vadd2.u32.u32.u32 %r1, %r2, %r3", "takes 4 operands"},
	         {"vadd.u32.u32.u32 %r1, -%r2, %r3", "'-' is not allowed here"},
	         {"vadd.u32.u32 %r1, %r2, %r3", "needs three types"},
	         {"vadd.u32.u32.b32 %r1, %r2, %r3", "needs types .u32 or .s32"},
	         {"vadd.u32.u32.u32 %r1, %r2.b4, %r3", "'.b4' is no selector"},
	         {"vadd.u32.u32.u32 %r1, %r2.h10, %r3", "'.h10' is no selector"},
	         {"vadd.u32.u32.u32.min %r1.b0, %r2, %r3, %r4", "cannot have a selector of the destination"},
	         {"vadd4.u32.u32.u32 %r1, %r2.b321, %r3, %r4", "'.b321' is no selector"},
	         {"vadd4.u32.u32.u32 %r1, %r2.b8000, %r3, %r4", "'.b8000' is no selector"},
	         {"vadd4.u32.u32.u32 %r1.b01, %r2, %r3, %r4", "'.b01' is no selector"},
	         {"vadd4.u32.u32.u32 %r1.b00, %r2, %r3, %r4", "'.b00' is no selector"},
	         {"vadd2.u32.u32.u32 %r1, %r2.h4, %r3, %r4", "'.h4' is no selector"},
	         {"vadd2.u32.u32.u32 %r1, %r2.h40, %r3, %r4", "'.h40' is no selector"},
	         {"vadd2.u32.u32.u32 %r1, %r2, %r3, %r4.h10", "'.h10' is no selector"},
	         {"vadd4.u32.u32.u32.sat.add %r1, %r2, %r3, %r4", "that without .sat"},
	         {"vadd4.u32.u32.u32.min %r1, %r2, %r3, %r4", "packed video instructions have .add"},
	         {"vshl.u32.u32.u32 %r1, %r2, %r3", "lacks a modifier"},
	         {"vshl.u32.u32.s32.clamp %r1, %r2, %r3", "needs .u32 for the amount"},
	         {"vset.u32.u32.hi %r1, %r2, %r3", "needs .eq"},
	         {"vset.u32.u32 %r1, %r2, %r3", "lacks a modifier"},
	         {"vmad.u32.u32.u32 %r1, -%r2, %r3, -%r4", "the product or the third operand"},
	         {"vmad.u32.u32.u32.po %r1, %r2, %r3, -%r4", "with .po neither"},
	         {"vmad.u32.u32.u32 %r1, %r2, %r3", "takes 4 operands"}};
	for (u32 i = 0; i < ARRAY_LEN(t); i++) {
		char ptx[800];
		const struct refusal r = refusal_of("t.ptx", ptx, in_kernel(ptx, sizeof ptx, t[i].text));
		if (!r.file || strncmp(r.text, "t.ptx:9:", 8) || !strstr(r.text, t[i].says))
			fail_msg("%s: %s", t[i].text, r.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_forms),
	    cmocka_unit_test(test_operands),
	    cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
