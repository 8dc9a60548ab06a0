/* isa.contract: which products and sums become one instruction, against what ptxas (CUDA 13.0, sm_80, -O3) made of the
 * same lines; and the results of each form, against C's fma. */
#include <math.h>

#include "tests/rig/machine.h"

#define TOP                                                                                                            \
	".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"                             \
	".reg .pred %p<4>; .reg .f32 %f<10>; .reg .f64 %d<10>; .reg .b64 %rd<4>; .reg .b32 %r<4>;\n"                       \
	"ld.param.u64 %rd1, [p];\nld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4]; ld.global.f32 %f3, [%rd1+8];\n"  \
	"ld.global.f32 %f4, [%rd1+12]; ld.global.f64 %d1, [%rd1+64]; ld.global.f64 %d2, [%rd1+72];\n"                      \
	"ld.global.f64 %d3, [%rd1+80]; ld.global.u32 %r1, [%rd1+128]; setp.eq.u32 %p1, %r1, 1;\n"
#define MUL "mul.f32 %f5,%f1,%f2; "
#define OUT " st.global.f32 [%rd1+256],%f6;"

static const struct {
	const char *body, *ops; /* of ptxas: m = multiply, a = add, f = fused */
	double want;            /* 0: not looked at */
} cases[] = {
    {MUL "add.f32 %f6,%f5,%f3;" OUT, "f", 1},
    {"mul.rn.f32 %f5,%f1,%f2; add.f32 %f6,%f5,%f3;" OUT, "ma", 2},
    {MUL "add.rn.f32 %f6,%f5,%f3;" OUT, "ma", 2},
    {MUL "add.f32 %f6,%f5,%f3;" OUT " st.global.f32 [%rd1+32],%f5;", "ma", 2},
    {MUL "add.f32 %f6,%f5,%f3; add.f32 %f7,%f5,%f4;" OUT " st.global.f32 [%rd1+32],%f7;", "ff", 1},
    {MUL "add.f32 %f6,%f5,%f5;" OUT, "ma", 0},
    {MUL "mul.f32 %f8,%f3,%f4; add.f32 %f6,%f5,%f8;" OUT, "mf", 3},
    {MUL "mul.f32 %f8,%f3,%f4; add.f32 %f6,%f8,%f5;" OUT, "mf", 4},
    {MUL "mul.f32 %f8,%f3,%f4; add.f32 %f6,%f5,%f8;" OUT " st.global.f32 [%rd1+32],%f8;", "mf", 3},
    {MUL "sub.f32 %f6,%f5,%f3;" OUT, "f", 5},
    {MUL "sub.f32 %f6,%f3,%f5;" OUT, "f", 6},
    {MUL "@%p1 bra L; bar.sync 0; add.f32 %f6,%f5,%f3;" OUT " L:", "ma", 0},
    {"mul.ftz.f32 %f5,%f1,%f2; add.ftz.f32 %f6,%f5,%f3;" OUT, "f", 1},
    {"mul.ftz.f32 %f5,%f1,%f2; add.f32 %f6,%f5,%f3;" OUT, "ma", 2},
    {MUL "add.ftz.f32 %f6,%f5,%f3;" OUT, "ma", 2},
    {MUL "add.sat.f32 %f6,%f5,%f3;" OUT, "f", 0},
    {"mul.sat.f32 %f5,%f1,%f2; add.f32 %f6,%f5,%f3;" OUT, "ma", 0},
    {"mul.f64 %d5,%d1,%d2; add.f64 %d6,%d5,%d3; st.global.f64 [%rd1+256],%d6;", "f", 0},
    {"mul.rn.f64 %d5,%d1,%d2; add.f64 %d6,%d5,%d3; st.global.f64 [%rd1+256],%d6;", "ma", 0},
    {"mul.f32 %f5,%f1,%f1; mul.f32 %f8,%f2,%f2; add.f32 %f6,%f5,%f8;" OUT, "mf", 0},
    {MUL
     "mul.f32 %f6,%f3,%f4; add.f32 %f7,%f5,%f6; mul.f32 %f8,%f1,%f4; add.f32 %f9,%f7,%f8; st.global.f32 [%rd1],%f9;",
     "mff", 0},
    {MUL "mov.f32 %f6,%f4; @%p1 add.f32 %f6,%f5,%f3;" OUT, "f", 0},
    {"mov.f32 %f5,%f4; @%p1 mul.f32 %f5,%f1,%f2; add.f32 %f6,%f5,%f3;" OUT, "ma", 0},
};
static const float a = 1.0000001f, b = 1.0000002f, c = -1.0000003f, d = 1.0000005f;

static float wanted(double what)
{
	switch ((int)what) {
	case 1: return fmaf(a, b, c);
	case 2: return (float)(a * b) + c;
	case 3: return fmaf(a, b, c * d);
	case 4: return fmaf(c, d, a * b);
	case 5: return fmaf(a, b, -c);
	default: return fmaf(-a, b, c);
	}
}
static void as_ptxas(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
		char text[2000], ops[16] = "";
		struct err e = {0};
		float in[4] = {a, b, c, d}, out;
		snprintf(text, sizeof text, "%s%s\nret;\n}\n", TOP, cases[i].body);
		struct sim *s = machine((const char *const[]){"isa.contract=true", "num_sms=1", NULL});
		const u64 at = devmem_alloc(sim_devmem(s), 4096, "buf", &e);
		assert_true(devmem_write(sim_devmem(s), at, in, sizeof in, &e));
		const struct run r = run_ptx(s, text, 1, 1, &at, 1);
		assert_int_equal(r.why, STOP_IDLE);
		const struct module *m = sim_module(s, 0);
		for (u32 pc = 0, n = 0; pc < m->ncode; pc++) {
			const u8 op = m->code[pc].op;
			if (op == OP_MUL || op == OP_ADD || op == OP_SUB || op == OP_FMA)
				ops[n++] = op == OP_MUL ? 'm' : op == OP_FMA ? 'f' : 'a';
		}
		if (strcmp(ops, cases[i].ops))
			fail_msg("%s: %s, ptxas: %s", cases[i].body, ops, cases[i].ops);
		assert_true(devmem_read(sim_devmem(s), at + 256, &out, 4, &e));
		if (cases[i].want != 0 && out != wanted(cases[i].want))
			fail_msg("%s: %a, want %a", cases[i].body, out, wanted(cases[i].want));
		sim_destroy(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_ptxas)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
