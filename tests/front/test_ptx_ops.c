/* Instructions from PTX text to result, one small kernel each, against an expression in C: registers wider than the
 * type, packing, bit fields, predicates, special registers, address spaces, warp-wide operations, indexed branches. */
#include "tests/rig/kernel_rig.h"
#include "tests/rig/refusal.h"

/* What every body starts from: %rd15 = mix(tid), %r2 = its low word. */
static u64 mix(u32 t)
{
	return (t + 1) * 0x9e3779b97f4a7c15ull;
}
#define DECLS ".shared .align 16 .b8 sh[4096];\n.const .align 4 .u32 tab[4] = {1,2,3,4};\n"
/* %rd16 is the result, at buf + 8 * tid. */
#define SETUP                                                                                                          \
	".local .align 16 .b8 loc[64];\n.reg .b16 %h<16>; .reg .b64 %l<16>; .reg .f64 %fd<8>; .reg .b8 %c<8>;\n"           \
	"cvt.u64.u32 %rd14, %r1;\nadd.u64 %rd14, %rd14, 1;\nmul.lo.u64 %rd15, %rd14, 0x9e3779b97f4a7c15;\n"                \
	"cvt.u32.u64 %r2, %rd15;\nshr.u64 %rd14, %rd15, 32;\ncvt.u32.u64 %r3, %rd14;\n"                                    \
	"mov.u64 %rd16, 0;\nshl.b64 %rd2, %rd2, 1;\nadd.s64 %rd3, %rd1, %rd2;\n"                                           \
	"shl.b32 %r8, %r1, 4;\nmov.u32 %r7, sh;\nadd.u32 %r8, %r8, %r7;\n"
#define FINISH "st.global.u64 [%rd3], %rd16;\nret;\n}\n"

static void run(const char *body)
{
	char ptx[8192];
	snprintf(ptx, sizeof(ptx), "%s%s%s", HEAD DECLS BEGIN SETUP, body, FINISH);
	rig_open(ptx, false);
	rig_run();
	fault_text(FAULT_NONE);
}
/* Every thread's result against an expression of t (thread) and h (its mixed value). */
#define EXPECT(BODY, EXPR)                                                                                             \
	do {                                                                                                               \
		run(BODY);                                                                                                     \
		for (u32 t = 0; t < N; t++) {                                                                                  \
			const u64 h = mix(t), want = (u64)(EXPR), got = ((const u64 *)(void *)r.out)[t];                           \
			(void)h;                                                                                                   \
			if (got != want)                                                                                           \
				fail_msg("%s thread %u: 0x%llx, want 0x%llx", BODY, t, (unsigned long long)got,                        \
				         (unsigned long long)want);                                                                    \
		}                                                                                                              \
		rig_close();                                                                                                   \
	} while (0)
/* The text, or the kernel at its launch, is refused with these words. */
static void refuse(const char *body, const char *words)
{
	char ptx[8192];
	snprintf(ptx, sizeof(ptx), "%s%s%s", HEAD DECLS BEGIN SETUP, body, FINISH);
	expect_words(refusal_of("test.ptx", ptx, strlen(ptx)).text, words);
}

/* Loads extend to 64-bit registers by the type's sign; stores cut. */
static void test_wide_loads(void **state)
{
#define LOAD(TYPE) "st.global.u64 [%rd3], %rd15;\nld.global." TYPE " %rd16, [%rd3];\n"
	EXPECT(LOAD("u32"), (u32)h);
	EXPECT(LOAD("b32"), (u32)h);
	EXPECT(LOAD("f32"), (u32)h);
	EXPECT(LOAD("s32"), (s32)h);
	EXPECT(LOAD("u16"), (u16)h);
	EXPECT(LOAD("s16"), (s16)h);
	EXPECT(LOAD("u8"), (u8)h);
	EXPECT(LOAD("s8"), (s8)h);
#undef LOAD
#define LOAD(TYPE) "st.global.u64 [%rd3], %rd15;\nld.global." TYPE " %r4, [%rd3];\ncvt.u64.u32 %rd16, %r4;\n"
	EXPECT(LOAD("s8"), (u32)(s8)h);
	EXPECT(LOAD("s16"), (u32)(s16)h);
	EXPECT(LOAD("u16"), (u16)h);
#undef LOAD
	/* some lanes only */
	EXPECT("st.global.u64 [%rd3], %rd15;\nsetp.gt.s32 %p1, %r2, 0;\n@%p1 ld.global.s32 %rd16, [%rd3];\n",
	       (s32)h > 0 ? (s32)h : 0);
	EXPECT("st.global.u64 [%rd3], %rd15;\nld.global.v2.s32 {%rd4, %rd5}, [%rd3];\nsub.s64 %rd16, %rd4, %rd5;\n",
	       (s64)(s32)h - (s32)(h >> 32));
	EXPECT("st.global.u64 [%rd3], %rd15;\nld.global.v4.s8 {%rd4, %rd5, _, %rd6}, [%rd3];\nsub.s64 %rd16, %rd4, %rd5;\n"
	       "mad.lo.s64 %rd16, %rd16, %rd6, %rd6;\n",
	       ((s64)(s8)h - (s8)(h >> 8)) * (s8)(h >> 24) + (s8)(h >> 24));
	EXPECT("st.shared.u64 [%r8], %rd15;\nld.shared.s16 %rd16, [%r8+2];\n", (s16)(h >> 16));
	EXPECT("st.local.u64 [loc], %rd15;\nld.local.s32 %rd16, [loc+4];\n", (s32)(h >> 32));
	EXPECT("st.local.u64 [loc], %rd15;\nmov.u64 %rd4, loc;\ncvta.local.u64 %rd4, %rd4;\nld.s8 %rd16, [%rd4+3];\n",
	       (s8)(h >> 24));
	EXPECT("ld.const.u32 %rd16, [tab+8];\n", 3);
	refuse("ld.global.v2.u32 {%rd4, %r4}, [%rd3];\n", "'ld.global.v2.u32' with 64-bit and narrower registers");
	refuse("ld.global.u64 %r4, [%rd3];\n", "needs 64 bits");
}
static void test_wide_stores(void **state)
{
#define STORE(TYPE) "st.global.u64 [%rd3], -1;\nst.global." TYPE " [%rd3], %rd15;\nld.global.u64 %rd16, [%rd3];\n"
	EXPECT(STORE("u32"), (u32)h | 0xffffffff00000000);
	EXPECT(STORE("f32"), (u32)h | 0xffffffff00000000);
	EXPECT(STORE("u16"), (u16)h | 0xffffffffffff0000);
	EXPECT(STORE("b8"), (u8)h | 0xffffffffffffff00);
#undef STORE
	EXPECT("st.global.v2.u32 [%rd3], {%rd15, 7};\nld.global.u64 %rd16, [%rd3];\n", (u32)h | 7ull << 32);
	EXPECT("mov.u64 %rd4, %rd15;\nst.shared.v4.u16 [%r8], {%rd15, -2, %rd14, %rd4};\nld.shared.u64 %rd16, [%r8];\n",
	       (h & 0xffff) | 0xfffe0000 | (h >> 32 & 0xffff) << 32 | (h & 0xffff) << 48);
	EXPECT("st.local.u64 [loc], 0;\nst.local.u16 [loc+6], %rd15;\nld.local.u64 %rd16, [loc];\n", (h & 0xffff) << 48);
	refuse("st.global.v2.f32 [%rd3], {%rd15, 0f3f800000};\n", "64-bit and narrower registers");
}
static void test_wide_conversions(void **state)
{
	EXPECT("cvt.s64.s8 %rd16, %rd15;\n", (s8)h);
	EXPECT("cvt.s64.s16 %rd16, %rd15;\n", (s16)h);
	EXPECT("cvt.u64.u8 %rd16, %rd15;\n", (u8)h);
	EXPECT("cvt.u64.s32 %rd16, %rd15;\n", (s32)h);
	EXPECT("cvt.s64.s8 %rd15, %rd15;\nmov.u64 %rd16, %rd15;\n", (s8)h);
	EXPECT("cvt.s32.s8 %rd16, %rd15;\n", (s8)h);
	EXPECT("cvt.s32.s8 %rd16, %r2;\n", (s8)h);
	EXPECT("cvt.u32.s8 %rd16, %r2;\n", (u32)(s8)h);
	EXPECT("cvt.s16.s32 %rd16, %r2;\n", (s16)h);
	EXPECT("cvt.u16.s64 %rd16, %rd15;\n", (u16)h);
	EXPECT("cvt.sat.s8.s32 %rd16, %r2;\n", (s32)h > 127 ? 127 : (s32)h < -128 ? -128 : (s32)h);
	EXPECT("cvt.sat.u16.s64 %rd16, %rd15;\n", (s64)h > 65535 ? 65535 : (s64)h < 0 ? 0 : (u64)h);
	EXPECT("cvt.s16.s8 %r4, %rd15;\ncvt.u64.u32 %rd16, %r4;\n", (u32)(s16)(s8)h);
	EXPECT("cvt.rn.f32.s16 %f1, %rd15;\nmov.b32 %r4, %f1;\ncvt.u64.u32 %rd16, %r4;\n", ((union {
		                                                                                   float f;
		                                                                                   u32 u;
	                                                                                   }){.f = (float)(s16)h})
	                                                                                       .u);
	EXPECT("cvt.rn.f64.u8 %fd1, %rd15;\nmov.b64 %rd16, %fd1;\n", ((union {
		                                                             double f;
		                                                             u64 u;
	                                                             }){.f = (u8)h})
	                                                                 .u);
	EXPECT("cvt.rn.f32.s32 %f1, %r2;\ncvt.rzi.s32.f32 %rd16, %f1;\n",
	       (float)(s32)h >= 0x1p31f ? INT32_MAX : (s32)(float)(s32)h);
	EXPECT("setp.gt.s32 %p1, %r2, 0;\nmov.u64 %rd16, 5;\n@%p1 cvt.s32.s8 %rd16, %r2;\n", (s32)h > 0 ? (s8)h : 5);
	EXPECT("setp.gt.s32 %p1, %r2, 0;\nmov.u32 %r4, 5;\n@%p1 cvt.s32.s8 %r4, %rd15;\ncvt.s64.s32 %rd16, %r4;\n",
	       (s32)h > 0 ? (s8)h : 5);
	EXPECT("cvt.s32.s8 %rd16, 200;\n", (s8)200);
	refuse("cvt.rz.f32.s32 %f1, %rd15;\n", "'cvt.rz.f32.s32' is not supported");
}

/* mov between a whole and its parts. */
static void test_pack(void **state)
{
	EXPECT("mov.b64 {%r4, %r5}, %rd15;\nmov.b64 %rd16, {%r5, %r4};\n", h >> 32 | h << 32);
	EXPECT("mov.b64 {%h1, %h2, %h3, %h4}, %rd15;\nmov.b64 %rd16, {%h4, %h3, %h2, %h1};\n",
	       h >> 48 | (h >> 16 & 0xffff0000) | (h & 0xffff0000) << 16 | h << 48);
	EXPECT("mov.b32 {%h1, %h2}, %r2;\nmov.b32 %r4, {%h2, %h1};\ncvt.u64.u32 %rd16, %r4;\n",
	       (u32)(h >> 16 & 0xffff) | (u32)h << 16);
	EXPECT("mov.b64 {%r4, _}, %rd15;\ncvt.u64.u32 %rd16, %r4;\n", (u32)h);
	EXPECT("mov.b64 {_, %r4}, %rd15;\ncvt.u64.u32 %rd16, %r4;\n", h >> 32);
	EXPECT("cvt.u16.u32 %h1, %r2;\nmov.b16 {%c1, %c2}, %h1;\nmov.b16 %h2, {%c2, %c1};\ncvt.u64.u16 %rd16, %h2;\n",
	       (u16)(h << 8 | (h >> 8 & 255)));
	EXPECT("mov.b32 {%c1, %c2, %c3, %c4}, %r2;\nmov.b32 %r4, {%c4, %c3, %c2, %c1};\ncvt.u64.u32 %rd16, %r4;\n",
	       __builtin_bswap32((u32)h));
	/* a part is the whole, some lanes only */
	EXPECT("setp.lt.s32 %p1, %r2, 0;\nmov.b64 %rd16, %rd15;\n@%p1 mov.b64 %rd16, {%r3, %r3};\n",
	       (s32)h < 0 ? (h >> 32) * 0x100000001ull : h);
	EXPECT("mov.b64 %rd16, {1, %r3};\n", 1 | (h >> 32) << 32);
	refuse("mov.b64 {%r4, %r5, %r6}, %rd15;\n", "cannot be made of 3 parts");
}

/* --- bit fields --------------------------------------------------------------------------------------------------- */
static u32 ref_bmsk(u64 a, u64 b, bool clamp)
{
	u32 v = 0;
	if (!clamp)
		a %= 32, b %= 32;
	for (u64 i = a; i < a + b && i < 32; i++)
		v |= 1u << i;
	return v;
}
static u32 ref_szext(u32 a, u64 b, bool clamp, bool sign)
{
	if (!clamp)
		b %= 32;
	if (b > 31)
		return a;
	u32 v = 0;
	for (u32 i = 0; i < 32; i++)
		v |= (i < b ? a >> i & 1 : sign && b ? a >> (b - 1) & 1 : 0) << i;
	return v;
}
static void test_fields(void **state)
{
/* %r4 = 0..39, %r5 = 0..44, both with every combination of interest among the 128 threads */
#define AB "rem.u32 %r4, %r3, 40;\nrem.u32 %r5, %r2, 45;\n"
#define A ((u32)(h >> 32) % 40)
#define B ((u32)h % 45)
	EXPECT(AB "bmsk.clamp.b32 %r6, %r4, %r5;\ncvt.u64.u32 %rd16, %r6;\n", ref_bmsk(A, B, true));
	EXPECT(AB "bmsk.wrap.b32 %r6, %r4, %r5;\ncvt.u64.u32 %rd16, %r6;\n", ref_bmsk(A, B, false));
	EXPECT("bmsk.clamp.b32 %r6, %r1, 4;\ncvt.u64.u32 %rd16, %r6;\n", ref_bmsk(t, 4, true));
	EXPECT("bmsk.clamp.b32 %r6, 0, %r1;\ncvt.u64.u32 %rd16, %r6;\n", ref_bmsk(0, t, true));
	EXPECT("bmsk.wrap.b32 %r6, %r1, %r1;\ncvt.u64.u32 %rd16, %r6;\n", ref_bmsk(t, t, false));
	EXPECT("szext.clamp.s32 %r6, %r2, %r1;\ncvt.u64.u32 %rd16, %r6;\n", ref_szext((u32)h, t, true, true));
	EXPECT("szext.wrap.s32 %r6, %r2, %r1;\ncvt.u64.u32 %rd16, %r6;\n", ref_szext((u32)h, t, false, true));
	EXPECT("szext.clamp.u32 %r6, %r2, %r1;\ncvt.u64.u32 %rd16, %r6;\n", ref_szext((u32)h, t, true, false));
	EXPECT("szext.wrap.u32 %r6, %r2, %r1;\ncvt.u64.u32 %rd16, %r6;\n", ref_szext((u32)h, t, false, false));
#undef A
#undef B
	refuse("bmsk.b32 %r6, %r1, %r2;\n", "lacks a modifier");
	refuse("szext.clamp.u16 %h1, %r1, %r2;\n", "szext");
	EXPECT("fns.b32 %r6, %r2, 3, 2;\ncvt.u64.u32 %rd16, %r6;\n", ({
		       u32 seen = 0, at = ~0u;
		       for (u32 i = 3; i < 32 && seen < 2; i++)
			       if ((u32)h >> i & 1 && ++seen == 2)
				       at = i;
		       at;
	       }));
}

/* --- predicates --------------------------------------------------------------------------------------------------- */
static void test_setp_pairs(void **state)
{
#define PAIR "selp.b64 %rd16, 1, 0, %p2;\nselp.b64 %rd4, 2, 0, %p3;\nor.b64 %rd16, %rd16, %rd4;\n"
#define CMP_LT ((s32)h < (s32)(h >> 32))
#define C ((t & 1) != 0)
#define THIRD "and.b32 %r4, %r1, 1;\nsetp.ne.u32 %p1, %r4, 0;\n"
	EXPECT("setp.lt.s32 %p2|%p3, %r2, %r3;\n" PAIR, CMP_LT ? 1 : 2);
	EXPECT(THIRD "setp.lt.and.s32 %p2|%p3, %r2, %r3, %p1;\n" PAIR, (CMP_LT && C ? 1 : 0) | (!CMP_LT && C ? 2 : 0));
	EXPECT(THIRD "setp.lt.or.s32 %p2|%p3, %r2, %r3, %p1;\n" PAIR, (CMP_LT || C ? 1 : 0) | (!CMP_LT || C ? 2 : 0));
	EXPECT(THIRD "setp.lt.xor.s32 %p2|%p3, %r2, %r3, %p1;\n" PAIR, (CMP_LT != C ? 1 : 0) | (!CMP_LT != C ? 2 : 0));
	EXPECT(THIRD "setp.lt.and.s32 %p2|%p3, %r2, %r3, !%p1;\n" PAIR, (CMP_LT && !C ? 1 : 0) | (!CMP_LT && !C ? 2 : 0));
	EXPECT(THIRD "setp.eq.s32 %p2|%p3, %r1, %r1;\n@%p1 setp.lt.or.s32 %p2|%p3, %r2, %r3, !%p1;\n" PAIR, !C       ? 1
	                                                                                                    : CMP_LT ? 1
	                                                                                                             : 2);
	EXPECT(THIRD "setp.lt.and.s32 _|%p3, %r2, %r3, %p1;\nsetp.ne.u32 %p2, 0, 0;\n" PAIR, !CMP_LT && C ? 2 : 0);
	/* the predicate combined is also a destination */
	EXPECT(THIRD "setp.lt.xor.s32 %p1|%p2, %r2, %r3, %p1;\nnot.pred %p3, %p1;\n" PAIR,
	       (!CMP_LT != C ? 1 : 0) | (CMP_LT == C ? 2 : 0));
	EXPECT(THIRD "set.lt.and.u32.s32 %r5, %r2, %r3, %p1;\ncvt.u64.u32 %rd16, %r5;\n", CMP_LT && C ? 0xffffffff : 0);
	EXPECT("set.ge.f32.s32 %f1, %r2, %r3;\nmov.b32 %r5, %f1;\ncvt.u64.u32 %rd16, %r5;\n", CMP_LT ? 0 : 0x3f800000);
}

/* --- special registers -------------------------------------------------------------------------------------------- */
static void sreg_case(const char *name, bool wide)
{
	char body[256];
	snprintf(body, sizeof(body), wide ? "mov.u64 %%rd16, %s;\n" : "mov.u32 %%r5, %s;\ncvt.u64.u32 %%rd16, %%r5;\n",
	         name);
	char ptx[8192];
	snprintf(ptx, sizeof(ptx), "%s%s%s",
	         HEAD DECLS
	         ".extern .shared .b8 dyn[];\n" BEGIN SETUP
	         "mov.u32 %r6, %tid.y;\nmov.u32 %r7, %tid.z;\nmad.lo.u32 %r1, %r6, 8, %r1;\nmad.lo.u32 %r1, %r7, 32, %r1;\n"
	         "mul.wide.u32 %rd2, %r1, 8;\nadd.s64 %rd3, %rd1, %rd2;\n",
	         body, FINISH);
	rig_open(ptx, false);
	r.l.block = (struct dim3){8, 4, 4};
	r.l.grid = (struct dim3){3, 2, 5};
	r.l.ctas = 30;
	r.cta = 2 + 3 * 1 + 6 * 3; /* (2, 1, 3) */
	r.l.id = 5;
	r.l.dynamic_shared = 96;
	r.l.shared_bytes = r.l.fn->shared_bytes + 96;
	rig_run();
	fault_text(FAULT_NONE);
}
#define SREG(NAME, WIDE, EXPR)                                                                                         \
	do {                                                                                                               \
		sreg_case(NAME, WIDE);                                                                                         \
		for (u32 t = 0; t < N; t++) {                                                                                  \
			const u64 want = (u64)(EXPR), got = ((const u64 *)(void *)r.out)[t];                                       \
			if (got != want)                                                                                           \
				fail_msg("%s thread %u: 0x%llx, want 0x%llx", NAME, t, (unsigned long long)got,                        \
				         (unsigned long long)want);                                                                    \
		}                                                                                                              \
		rig_close();                                                                                                   \
	} while (0)
static void test_special_registers(void **state)
{
	SREG("%tid.x", false, t % 8);
	SREG("%tid.y", false, t / 8 % 4);
	SREG("%tid.z", false, t / 32);
	SREG("%ntid.x", false, 8);
	SREG("%ntid.y", false, 4);
	SREG("%ntid.z", false, 4);
	SREG("%ctaid.x", false, 2);
	SREG("%ctaid.y", false, 1);
	SREG("%ctaid.z", false, 3);
	SREG("%nctaid.x", false, 3);
	SREG("%nctaid.y", false, 2);
	SREG("%nctaid.z", false, 5);
	SREG("%laneid", false, t % 32);
	SREG("%warpid", false, t / 32);
	SREG("%nwarpid", false, r.conf.sm_threads / 32);
	SREG("%smid", false, 0);
	SREG("%nsmid", false, 1);
	SREG("%gridid", true, 5);
	SREG("%lanemask_eq", false, 1u << t % 32);
	SREG("%lanemask_lt", false, (1u << t % 32) - 1);
	SREG("%lanemask_le", false, (2ull << t % 32) - 1);
	SREG("%lanemask_gt", false, (u32)(0xffffffffull << (t % 32 + 1)));
	SREG("%lanemask_ge", false, 0xffffffffu << t % 32);
	SREG("%envreg3", false, 0);
	SREG("%dynamic_smem_size", false, 96);
	SREG("%total_smem_size", false, 4096 + 96);
	SREG("%clock_hi", false, 0);
	SREG("%globaltimer_hi", false, 0);
	/* time: the rig issues one instruction of a warp per cycle */
	EXPECT("mov.u32 %r4, %clock;\nmov.u32 %r5, %clock;\nsub.u32 %r6, %r5, %r4;\ncvt.u64.u32 %rd16, %r6;\n", 1);
	EXPECT("mov.u64 %rd4, %clock64;\nmov.u32 %r5, %clock;\ncvt.u64.u32 %rd5, %r5;\nsub.u64 %rd16, %rd5, %rd4;\n", 1);
	run("mov.u64 %rd4, %clock64;\nmov.u64 %rd5, %globaltimer;\nmov.b64 %rd6, %rd4;\ncvt.u32.u64 %r4, %rd6;\n"
	    "cvt.u32.u64 %r5, %rd5;\nmov.b64 %rd16, {%r4, %r5};\n");
	for (u32 t = 0; t < N; t++)
		assert_int_equal(r.out[2 * t + 1], (u32)((double)(r.out[2 * t] + 1) * (1000.0 / r.conf.core_clock)));
	rig_close();
	/* as an operand of something else than mov */
	EXPECT("add.u32 %r4, %laneid, 3;\ncvt.u64.u32 %rd16, %r4;\n", t % 32 + 3);
	refuse("mov.u32 %r4, %pm8;\n", "%pm8");
}

/* --- negated predicates ------------------------------------------------------------------------------------------- */
#define PREDS "and.b32 %r4, %r2, 1;\nsetp.ne.u32 %p1, %r4, 0;\nand.b32 %r4, %r2, 2;\nsetp.ne.u32 %p2, %r4, 0;\n"
#define P ((h & 1) != 0)
#define Q ((h & 2) != 0)
static void test_negated(void **state)
{
	EXPECT(PREDS "selp.b64 %rd16, 5, 7, !%p1;\n", P ? 7 : 5);
	EXPECT(PREDS "selp.b64 %rd16, 5, 7, %p1;\n", P ? 5 : 7);
	EXPECT(PREDS "selp.b32 %r5, %r2, %r3, !%p2;\ncvt.u64.u32 %rd16, %r5;\n", Q ? h >> 32 : (u32)h);
	EXPECT(PREDS "cvt.u16.u32 %h1, %r2;\nselp.u16 %h2, %h1, 3, !%p2;\ncvt.u64.u16 %rd16, %h2;\n", Q ? 3 : (u16)h);
	EXPECT(PREDS "selp.f32 %f1, 0f40000000, 0f3f800000, !%p1;\nmov.b32 %r5, %f1;\ncvt.u64.u32 %rd16, %r5;\n",
	       P ? 0x3f800000 : 0x40000000);
	EXPECT(PREDS "selp.f64 %fd1, 0d4000000000000000, 0d3ff0000000000000, !%p1;\nmov.b64 %rd16, %fd1;\n",
	       P ? 0x3ff0000000000000 : 0x4000000000000000);
#define LOGIC(TEXT, WANT) EXPECT(PREDS TEXT ";\nselp.b64 %rd16, 1, 0, %p3;\n", (WANT) != 0)
	LOGIC("mov.pred %p3, !%p1", !P);
	LOGIC("mov.pred %p3, %p1", P);
	LOGIC("not.pred %p3, !%p1", P);
	LOGIC("not.pred %p3, %p1", !P);
	LOGIC("and.pred %p3, !%p1, %p2", !P && Q);
	LOGIC("and.pred %p3, %p1, !%p2", P && !Q);
	LOGIC("and.pred %p3, !%p1, !%p2", !P && !Q);
	LOGIC("or.pred %p3, !%p1, %p2", !P || Q);
	LOGIC("or.pred %p3, %p1, !%p2", P || !Q);
	LOGIC("or.pred %p3, !%p1, !%p2", !P || !Q);
	LOGIC("xor.pred %p3, !%p1, %p2", P == Q);
	LOGIC("xor.pred %p3, %p1, !%p2", P == Q);
	LOGIC("xor.pred %p3, !%p1, !%p2", P != Q);
	LOGIC("and.pred %p3, !%p1, 1", !P);
	LOGIC("and.pred %p3, 1, !%p2", !Q);
	LOGIC("or.pred %p3, %p1, !1", P);
	LOGIC("mov.pred %p3, !0", 1);
	LOGIC("mov.pred %p3, 0;\n@!%p1 xor.pred %p3, %p3, !%p2", !P && !Q);
	LOGIC("vote.sync.all.pred %p3, !%p1, -1;\nxor.pred %p3, %p3, !%p1", !P);
	refuse("add.u32 %r4, %r2, !%r3;\n", "'!' is not allowed here");
	refuse("selp.b32 %r4, !%r2, %r3, %p1;\n", "'!' is not allowed here");
	refuse("not.pred !%p1, %p2;\n", "needs a register as destination");
#undef LOGIC
}
#undef P
#undef Q

/* Constant expressions: C's operators, by their precedence. */
static void test_constants(void **state)
{
#define IS(TEXT, WANT) EXPECT("mov.s64 %rd16, " TEXT ";\n", (s64)(WANT))
	IS("1 ? 2 : 3", 2);
	IS("0 ? 2 : 1 ? 4 : 5", 4);
	IS("5 == 5", 1);
	IS("5 != 5", 0);
	IS("!5", 0);
	IS("!0 + 2", 3);
	IS("-1 < 0", 1);
	IS("3 > 3", 0);
	IS("3 >= 3", 1);
	IS("2 <= 1", 0);
	IS("1 << 4 > 15", 1);
	IS("1 | 2 == 2", 1);
	IS("6 & 3 == 3", 0);
	IS("4 && 0 || 2", 1);
	IS("(.s64) -5 >> 1", -3);
	IS("(.u64) 7 * (2 + 3 < 6 ? 10 : 20)", 70);
	IS("1 || 0 && 0", 1);
	refuse("mov.u32 %r4, 1 ? 2;\n", "expected ':'");
	refuse("mov.u32 %r4, 1 ==;\n", "expected an integer constant");
	refuse("mov.u32 %r4, (.u32) 1;\n", "expected an integer constant");
#undef IS
}
static void test_odds(void **state)
{
	EXPECT("mov.u32 %r4, %tid.w;\nadd.u32 %r4, %r4, %ntid.w;\ncvt.u64.u32 %rd16, %r4;\n", 0);
	EXPECT("pmevent 1;\npmevent.mask 3;\nmov.u64 %rd16, 4;\n", 4);
	EXPECT("cvt.u16.u32 %h1, %r2;\nmov.b32 %r4, {%h1, _};\nand.b32 %r4, %r4, 0xffff;\ncvt.u64.u32 %rd16, %r4;\n",
	       (u16)h);
	EXPECT("cvt.u16.u32 %h1, %r2;\nmov.b32 %r4, {_, %h1};\nshr.u32 %r4, %r4, 16;\ncvt.u64.u32 %rd16, %r4;\n", (u16)h);
}

/* --- address spaces ----------------------------------------------------------------------------------------------- */
static void test_isspacep(void **state)
{
/* by tid % 4 a pointer to shared, local, global or constant memory */
#define POINTERS                                                                                                       \
	"mov.u64 %rd4, sh;\ncvta.shared.u64 %rd4, %rd4;\nmov.u64 %rd5, loc;\ncvta.local.u64 %rd5, %rd5;\n"                 \
	"mov.u64 %rd6, tab;\ncvta.const.u64 %rd6, %rd6;\nand.b32 %r4, %r1, 3;\nmov.u64 %rd7, %rd4;\n"                      \
	"setp.eq.u32 %p1, %r4, 1;\n@%p1 mov.u64 %rd7, %rd5;\nsetp.eq.u32 %p1, %r4, 2;\n@%p1 mov.u64 %rd7, %rd1;\n"         \
	"setp.eq.u32 %p1, %r4, 3;\n@%p1 mov.u64 %rd7, %rd6;\n"
#define IS(SPACE) POINTERS "isspacep." SPACE " %p2, %rd7;\nselp.b64 %rd16, 1, 0, %p2;\n"
	EXPECT(IS("shared"), t % 4 == 0);
	EXPECT(IS("local"), t % 4 == 1);
	EXPECT(IS("const"), t % 4 == 3);
	run(IS("global"));
	for (u32 t = 0; t < N; t++) /* constant memory is part of the device's memory: either answer is legal for it */
		if (t % 4 != 3)
			assert_int_equal(r.out[2 * t], t % 4 == 2);
	rig_close();
	EXPECT(POINTERS "cvta.to.shared.u64 %rd8, %rd4;\nmov.u64 %rd9, sh;\nsub.u64 %rd16, %rd8, %rd9;\n", 0);
}

/* --- warp-wide ---------------------------------------------------------------------------------------------------- */
static u32 ref_redux(u32 t, u32 op, u32 lanes)
{
	u32 v = op == 0 ? 0 : op == 1 ? ~0u : op == 2 ? 0 : op == 3 ? (u32)INT32_MAX : op == 4 ? (u32)INT32_MIN : 0;
	for (u32 i = t / 32 * 32, end = i + 32; i < end; i++) {
		const u32 a = (u32)mix(i);
		if (!(lanes >> i % 32 & 1))
			continue;
		v = op == 0   ? v + a
		    : op == 1 ? v & a
		    : op == 2 ? v | a
		    : op == 3 ? (u32)MIN((s32)v, (s32)a)
		    : op == 4 ? (u32)MAX((s32)v, (s32)a)
		              : v ^ a;
	}
	return v;
}
static void test_warp_wide(void **state)
{
	static const char *const names[] = {"add.s32", "and.b32", "or.b32", "min.s32", "max.s32", "xor.b32"};
	for (u32 op = 0; op < ARRAY_LEN(names); op++) {
		char body[512];
		snprintf(body, sizeof(body), "redux.sync.%s %%r5, %%r2, -1;\ncvt.u64.u32 %%rd16, %%r5;\n", names[op]);
		EXPECT(body, ref_redux(t, op, ~0u));
		snprintf(body, sizeof(body),
		         "mov.u32 %%r5, 9;\nand.b32 %%r4, %%r1, 4;\nsetp.ne.u32 %%p1, %%r4, 0;\n@%%p1 bra D;\n"
		         "redux.sync.%s %%r5, %%r2, 0x0f0f0f0f;\nD: cvt.u64.u32 %%rd16, %%r5;\n",
		         names[op]);
		EXPECT(body, t & 4 ? 9 : ref_redux(t, op, 0x0f0f0f0f));
	}
	EXPECT(
	    "elect.sync %r5|%p1, -1;\nselp.b64 %rd16, 100, 0, %p1;\ncvt.u64.u32 %rd4, %r5;\nadd.s64 %rd16, %rd16, %rd4;\n",
	    t % 32 == 0 ? 100 : 0);
	EXPECT("activemask.b32 %r5;\ncvt.u64.u32 %rd16, %r5;\n", 0xffffffff);
	EXPECT("setp.lt.s32 %p1, %r2, 0;\n@%p1 activemask.b32 %r5;\n@!%p1 mov.u32 %r5, 0;\n"
	       "@%p1 vote.sync.ballot.b32 %r6, %p1, -1;\n@!%p1 mov.u32 %r6, 0;\nmov.b64 %rd16, {%r5, %r6};\n",
	       ({
		       u32 neg = 0;
		       for (u32 i = 0; i < 32; i++)
			       neg |= (u32)((s32)mix(t / 32 * 32 + i) < 0) << i;
		       (s32) h < 0 ? neg * 0x100000001ull : 0;
	       }));
	EXPECT("membar.cta;\nmembar.gl;\nmembar.sys;\nfence.sc.gpu;\nfence.acq_rel.sys;\nnanosleep.u32 100;\n"
	       "bar.warp.sync -1;\nmov.u64 %rd16, 3;\n",
	       3);
}
static void test_sleep_and_fence(void **state)
{
	static struct dyninst d;
	u32 fences = 0, sleeps = 0;
	rig_open(HEAD BEGIN "membar.gl;\nmov.u32 %r4, 250;\nnanosleep.u32 %r4;\nfence.sc.sys;\n" END, false);
	front_cta_start(r.f, 0, 0, &r.l, 0, 0xf);
	do {
		front_issue(r.f, 0, 0, 0, &d);
		front_commit(r.f, 0, NEVER);
		fences += (d.flags & DYN_FENCE) != 0;
		sleeps += d.flags & DYN_SLEEP && d.sleep_ns == 250;
	} while (!(d.flags & DYN_WARP_DONE));
	assert_int_equal(fences, 2);
	assert_int_equal(sleeps, 1);
	rig_close();
}

/* --- indexed branches --------------------------------------------------------------------------------------------- */
#define TABLE "T: .branchtargets A, B, C, B;\n"
#define TARGETS                                                                                                        \
	"add.u64 %rd16, %rd16, 1000;\nbra E;\nA: add.u64 %rd16, %rd16, 1;\nbra E;\nB: add.u64 %rd16, %rd16, 20;\n"         \
	"C: add.u64 %rd16, %rd16, 300;\nE: add.u64 %rd16, %rd16, 5;\n"
static u64 ref_brx(u32 i)
{
	return i == 0 ? 6 : i == 2 ? 305 : 325;
}
static void test_brx(void **state)
{
	EXPECT("and.b32 %r4, %r2, 3;\n" TABLE "brx.idx %r4, T;\n" TARGETS, ref_brx(h & 3));
	EXPECT("mov.u32 %r4, 2;\n" TABLE "brx.idx.uni %r4, T;\n" TARGETS, 305);
	EXPECT("and.b32 %r4, %r2, 3;\nsetp.gt.s32 %p1, %r2, 0;\n" TABLE "@%p1 brx.idx %r4, T;\n" TARGETS,
	       (s32)h > 0 ? ref_brx(h & 3) : 1005);
	rig_open(HEAD DECLS BEGIN SETUP TABLE "brx.idx %r1, T;\n" TARGETS FINISH, false);
	rig_run();
	expect_words(fault_text(FAULT_BAD_CALL), "lanes 0xfffffff0");
	rig_close();
}

/* --- what is not supported ---------------------------------------------------------------------------------------- */

/* A call through a register reaches a function that its prototype does not fit: nobody knew before. */
static void test_unsupported_runs(void **state)
{
	static const char text[] =
	    HEAD DECLS ".func taken(.param .b64 a) {\n .reg .pred %p;\n .reg .b32 %r;\n mov.u32 %r, %laneid;\n"
	               " setp.gt.u32 %p, %r, 7;\n @!%p frob.u32 %r, [a], {1, 2};\n ret;\n}\n" BEGIN SETUP
	               "P: .callprototype _ ();\nmov.u64 %rd4, taken;\ncall %rd4, P;\n" FINISH;
	rig_open(text, false);
	assert_null(func_unsupported(r.m, module_func(r.m, "k", true)));
	rig_run();
	const char *says = fault_text(FAULT_UNSUPPORTED);
	expect_words(says, "'frob.u32' is not supported");
	expect_words(says, "@!%p frob.u32 %r, [a], {1, 2};");
	expect_words(says, "8 lanes 0x000000ff");
	rig_close();
}

/* --- directed rounding and approximations ------------------------------------------------------------------------- */
static void test_rounding(void **state)
{
#define BITS32(v)                                                                                                      \
	((union {                                                                                                          \
		float f;                                                                                                       \
		u32 u;                                                                                                         \
	}){.f = (v)})                                                                                                      \
	    .u
#define BITS64(v)                                                                                                      \
	((union {                                                                                                          \
		double f;                                                                                                      \
		u64 u;                                                                                                         \
	}){.f = (v)})                                                                                                      \
	    .u
#define F32(OP) "cvt.rn.f32.u32 %f1, %r2;\n" OP " %f2, %f1;\nmov.b32 %r4, %f2;\ncvt.u64.u32 %rd16, %r4;\n"
#define F64(OP) "cvt.rn.f64.u32 %fd1, %r2;\n" OP " %fd2, %fd1;\nmov.b64 %rd16, %fd2;\n"
	/* the double (or long double) result is far more exact than the last place asked for; neither is ever a tie here */
	EXPECT(F32("rcp.rn.f32"), BITS32((float)(1.0 / (double)(float)(u32)h)));
	EXPECT(F32("sqrt.rn.f32"), BITS32((float)sqrt((double)(float)(u32)h)));
#define TOWARDS(v, LESS, NEXT)                                                                                         \
	({                                                                                                                 \
		const double e_ = (v);                                                                                         \
		float f_ = (float)e_;                                                                                          \
		(double)f_ LESS e_ ? NEXT : f_;                                                                                \
	})
	EXPECT(F32("rcp.rz.f32"), BITS32(TOWARDS(1.0 / (double)(float)(u32)h, >, nextafterf(f_, 0))));
	EXPECT(F32("rcp.rm.f32"), BITS32(TOWARDS(1.0 / (double)(float)(u32)h, >, nextafterf(f_, -INFINITY))));
	EXPECT(F32("rcp.rp.f32"), BITS32(TOWARDS(1.0 / (double)(float)(u32)h, <, nextafterf(f_, INFINITY))));
	EXPECT(F32("sqrt.rm.f32"), BITS32(TOWARDS(sqrt((double)(float)(u32)h), >, nextafterf(f_, 0))));
	EXPECT(F32("sqrt.rp.f32"), BITS32(TOWARDS(sqrt((double)(float)(u32)h), <, nextafterf(f_, INFINITY))));
#undef TOWARDS
#define TOWARDS(v, LESS, NEXT)                                                                                         \
	({                                                                                                                 \
		const long double e_ = (v);                                                                                    \
		double f_ = (double)e_;                                                                                        \
		(long double)f_ LESS e_ ? NEXT : f_;                                                                           \
	})
	EXPECT(F64("rcp.rn.f64"), BITS64(1.0 / (double)(u32)h));
	EXPECT(F64("sqrt.rn.f64"), BITS64(sqrt((double)(u32)h)));
	EXPECT(F64("rcp.rz.f64"), BITS64(TOWARDS(1.0L / (u32)h, >, nextafter(f_, 0))));
	EXPECT(F64("rcp.rp.f64"), BITS64(TOWARDS(1.0L / (u32)h, <, nextafter(f_, INFINITY))));
	EXPECT(F64("sqrt.rm.f64"), BITS64(TOWARDS(sqrtl((u32)h), >, nextafter(f_, 0))));
	EXPECT(F64("sqrt.rp.f64"), BITS64(TOWARDS(sqrtl((u32)h), <, nextafter(f_, INFINITY))));
	run(F64("rsqrt.approx.f64"));
	for (u32 t = 0; t < N; t++) {
		double got, want = 1 / sqrt((double)(u32)mix(t));
		memcpy(&got, &r.out[2 * t], 8);
		assert_true(fabs(got - want) <= want * 0x1p-50);
	}
	rig_close();
	/* rcp.approx.ftz.f64 reads and writes the high words only; PTX bounds its error by 2^-20 or so */
	run(F64("rcp.approx.ftz.f64"));
	for (u32 t = 0; t < N; t++) {
		double got, want = 1 / (double)(u32)mix(t);
		memcpy(&got, &r.out[2 * t], 8);
		assert_int_equal(r.out[2 * t], 0);
		assert_true(fabs(got - want) <= want * 0x1p-19);
	}
	rig_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_wide_loads),
	    cmocka_unit_test(test_wide_stores),
	    cmocka_unit_test(test_wide_conversions),
	    cmocka_unit_test(test_pack),
	    cmocka_unit_test(test_fields),
	    cmocka_unit_test(test_setp_pairs),
	    cmocka_unit_test(test_special_registers),
	    cmocka_unit_test(test_negated),
	    cmocka_unit_test(test_constants),
	    cmocka_unit_test(test_odds),
	    cmocka_unit_test(test_isspacep),
	    cmocka_unit_test(test_warp_wide),
	    cmocka_unit_test(test_sleep_and_fence),
	    cmocka_unit_test(test_brx),
	    cmocka_unit_test(test_unsupported_runs),
	    cmocka_unit_test(test_rounding),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
