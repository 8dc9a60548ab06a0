/* Instructions of newer targets that move or describe rather than compute: registers of 128 bits and their atomics,
 * cache policies, fences, copies' forms, queries of textures and surfaces, gradients that do not matter. */
#include "base/rng.h"
#include "tests/rig/kernel_rig.h"
#include "tests/rig/refusal.h"

#define HEAD9 ".version 8.4\n.target sm_90\n.address_size 64\n"
#define TOP                                                                                                            \
	HEAD9                                                                                                              \
	".visible .entry k(.param .u64 buf, .param .u64 p2)\n{\n"                                                          \
	".reg .b16 %h<8>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .b128 %q<8>; .reg .pred %p<8>; .reg .f32 %f<20>;\n"    \
	".shared .align 16 .b8 sm[8192];\nld.param.u64 %rd1, [buf];\nld.param.u64 %rd4, [p2];\n"                           \
	"mov.u32 %r1, %tid.x;\nmov.u32 %r2, sm;\nmul.wide.u32 %rd2, %r1, 16;\nadd.s64 %rd3, %rd1, %rd2;\n"

enum { TEXT = 3000 };
static void kernel(char text[TEXT], const char *middle)
{
	snprintf(text, TEXT, "%s%s\nret;\n}\n", TOP, middle);
}
/* Runs it with a table of random words, 64 KiB, as p2. */
static u32 table[16384];
static u64 table_at;
static void run_with_table(const char *middle)
{
	char text[TEXT];
	struct err e = {0};
	u64 seed = 7;
	kernel(text, middle);
	rig_open(text, false);
	for (u32 i = 0; i < ARRAY_LEN(table); i++)
		table[i] = (u32)rng_next(&seed);
	table_at = devmem_alloc(&r.mem, sizeof table, "table", &e);
	assert_true(devmem_write(&r.mem, table_at, table, sizeof table, &e));
	memcpy(r.l.params + 8, &table_at, 8);
	rig_run();
	fault_text(FAULT_NONE);
}

/* --- 128 bits ----------------------------------------------------------------------------------------------------- */

/* Loads, moves, halves that change places, stores: word w of thread t comes from the table's word 4t + (w ^ 2). */
static void moves(void **state)
{
	run_with_table(
	    "add.s64 %rd5, %rd4, %rd2;\nld.global.b128 %q1, [%rd5];\nmov.b128 %q2, %q1;\n"
	    "mov.b128 {%rd6, %rd7}, %q2;\nmov.b128 %q3, {%rd7, %rd6};\nmov.b128 {_, %rd8}, %q3;\n"
	    "mov.b128 {%rd9, _}, %q3;\nmov.b128 %q4, {%rd9, %rd8};\nshl.b32 %r3, %r1, 4;\nadd.u32 %r3, %r3, %r2;\n"
	    "st.shared.b128 [%r3], %q4;\nbar.sync 0;\nld.relaxed.cta.shared.b128 %q5, [%r3];\n"
	    "st.global.b128 [%rd3], %q5;");
	for (u32 i = 0; i < 4 * N; i++)
		assert_int_equal(r.out[i], table[4 * (i / 4) + (i % 4 ^ 2)]);
	rig_close();
}

/* Pairs of threads contend for 16 places: lanes act in order. The same in global and in shared memory. */
struct pair {
	u64 a, b;
};
static void model(bool cas, struct pair *place, struct pair old[N], const struct pair *given)
{
	for (u32 t = 0; t < N; t++) { /* warps issue in order, lanes act in order */
		struct pair *p = &place[t % 16];
		old[t] = *p;
		if (!cas)
			*p = given[t];
		else if (p->a == given[t % 16].a && p->b == given[t % 16].b) /* c = the thread's number, twice */
			*p = (struct pair){t, t};
	}
}
static void atomics(void **state)
{
	static const struct {
		const char *ptx;
		bool cas, shared;
	} t[] = {
	    {"atom.global.exch.b128 %q2, [%rd6], %q1;", false, false},
	    {"atom.relaxed.gpu.global.cas.b128 %q2, [%rd6], %q3, %q4;", true, false},
	    {"atom.exch.b128 %q2, [%rd6], %q1;", false, false},
	    {"atom.shared.exch.b128 %q2, [%r5], %q1;", false, true},
	    {"atom.shared::cta.cas.b128 %q2, [%r5], %q3, %q4;", true, true},
	};
	for (u32 i = 0; i < ARRAY_LEN(t); i++) {
		char text[TEXT];
		struct pair place[16], old[N];
		/* q1 = the table's pair t; q3 = pair t % 16, which is what the places have at first; q4 = {t, t} */
		snprintf(text, sizeof text,
		         "add.s64 %%rd5, %%rd4, %%rd2;\nld.global.b128 %%q1, [%%rd5];\nand.b32 %%r3, %%r1, 15;\n"
		         "mul.wide.u32 %%rd6, %%r3, 16;\nadd.s64 %%rd7, %%rd4, %%rd6;\nld.global.b128 %%q3, [%%rd7];\n"
		         "add.s64 %%rd6, %%rd7, 8192;\nshl.b32 %%r5, %%r3, 4;\nadd.u32 %%r5, %%r5, %%r2;\n"
		         "cvt.u64.u32 %%rd8, %%r1;\nmov.b128 %%q4, {%%rd8, %%rd8};\nsetp.lt.u32 %%p1, %%r1, 16;\n"
		         "@%%p1 st.global.b128 [%%rd6], %%q3;\n@%%p1 st.shared.b128 [%%r5], %%q3;\nbar.sync 0;\n%s\n"
		         "bar.sync 0;\nst.global.b128 [%%rd3], %%q2;\n@!%%p1 bra DONE;\nld.shared.b128 %%q5, [%%r5];\n"
		         "st.global.b128 [%%rd6+4096], %%q5;\nDONE:",
		         t[i].ptx);
		run_with_table(text);
		memcpy(place, table, sizeof place);
		model(t[i].cas, place, old, (const struct pair *)(const void *)table);
		assert_memory_equal(r.out, old, sizeof old);
		struct err e = {0};
		struct pair now[16];
		assert_true(devmem_read(&r.mem, table_at + 8192 + (t[i].shared ? 4096 : 0), now, sizeof now, &e));
		assert_memory_equal(now, place, sizeof now);
		rig_close();
	}
}
static void misaligned(void **state)
{
	char text[TEXT];
	kernel(text, "ld.global.b128 %q1, [%rd1+8];");
	rig_open(text, false);
	rig_run();
	fault_text(FAULT_MISALIGNED);
	rig_close();
	kernel(text, "mov.b128 %q1, {%rd1, %rd1};\natom.shared.exch.b128 %q2, [%r2+8], %q1;");
	rig_open(text, false);
	rig_run();
	fault_text(FAULT_MISALIGNED);
	rig_close();
}

/* --- hints, fences ------------------------------------------------------------------------------------------------ */

/* None of them changes a value. */
static void hints(void **state)
{
	run_with_table(
	    "createpolicy.fractional.L2::evict_last.b64 %rd10, 0.5;\ncreatepolicy.fractional.L2::evict_first.b64 %rd11;\n"
	    "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %rd12, [%rd4], 1024, 4096;\n"
	    "createpolicy.cvt.L2.b64 %rd13, %rd10;\nadd.s64 %rd5, %rd4, %rd2;\nshl.b32 %r3, %r1, 4;\n"
	    "add.u32 %r3, %r3, %r2;\ncvta.shared.u64 %rd14, 0;\ncvt.u64.u32 %rd15, %r3;\n"
	    "discard.global.L2 [%rd4], 128;\napplypriority.global.L2::evict_normal [%rd4], 128;\n"
	    "prefetch.global.L2::evict_last [%rd4];\nprefetch.local.L1 [%rd15];\nprefetch.tensormap [%rd4];\n"
	    "ld.global.L2::cache_hint.u32 %r10, [%rd5], %rd10;\n"
	    "ld.global.nc.L1::no_allocate.L2::cache_hint.L2::256B.u32 %r11, [%rd5+4], %rd11;\n"
	    "cp.async.ca.shared.global.L2::cache_hint [%r3], [%rd5+8], 4, %rd12;\n"
	    "cp.async.ca.shared.global.L2::cache_hint.L2::128B [%r3+4], [%rd5+12], 4, 4, %rd13;\n"
	    "cp.async.wait_all;\nld.shared.v2.u32 {%r12, %r13}, [%r3];\n"
	    "griddepcontrol.wait;\nfence.proxy.async;\nfence.proxy.async.shared::cta;\nfence.proxy.async.global;\n"
	    "fence.proxy.alias;\nmembar.proxy.alias;\nfence.mbarrier_init.release.cluster;\nfence.acq_rel.cluster;\n"
	    "fence.acquire.sync_restrict::shared::cluster.cluster;\nfence.acquire.gpu;\nfence.release.sys;\n"
	    "fence.proxy.tensormap::generic.release.gpu;\nfence.proxy.tensormap::generic.acquire.gpu [%rd4], 128;\n"
	    "fence.sc.cta;\ngriddepcontrol.launch_dependents;\n"
	    "st.global.L2::cache_hint.v4.u32 [%rd3], {%r10, %r11, %r12, %r13}, %rd10;\n"
	    "red.global.add.L2::cache_hint.u32 [%rd3], 1, %rd10;");
	for (u32 i = 0; i < 4 * N; i++)
		assert_int_equal(r.out[i], table[i] + !(i % 4));
	rig_close();
}

/* ignore-src that is negated, and a destination in a 64-bit register. */
static void copies(void **state)
{
	run_with_table(
	    "add.s64 %rd5, %rd4, %rd2;\nshl.b32 %r3, %r1, 4;\nadd.u32 %r3, %r3, %r2;\ncvt.u64.u32 %rd6, %r3;\n"
	    "and.b32 %r4, %r1, 1;\nsetp.eq.u32 %p1, %r4, 1;\nmov.u32 %r5, 9;\n"
	    "st.shared.v4.u32 [%r3], {%r5, %r5, %r5, %r5};\ncp.async.ca.shared.global [%rd6+8], [%rd5+8], 8, !%p1;\n"
	    "cp.async.wait_all;\nld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r3];\n"
	    "st.global.v4.u32 [%rd3], {%r10, %r11, %r12, %r13};");
	for (u32 i = 0; i < 4 * N; i++) { /* words 2 and 3 are copied by odd threads, and zeros by even ones */
		const u32 w = i % 4, odd = i / 4 % 2;
		assert_int_equal(r.out[i], w < 2 ? 9 : odd ? table[i] : 0);
	}
	rig_close();
}

/* --- textures and surfaces ---------------------------------------------------------------------------------------- */

static void queries(void **state)
{
	static const struct {
		const char *ask;
		u32 texture, surface; /* ~0: not for it */
	} t[] = {{"width", 12, 12},
	         {"height", 5, 5},
	         {"depth", 3, 3},
	         {"array_size", 3, 3},
	         {"channel_data_type", 0x10d2, 0x10d9},
	         {"channel_order", 0x10b5, 0x10b2},
	         {"normalized_coords", 1, ~0u},
	         {"num_mipmap_levels", 1, ~0u},
	         {"num_samples", 1, ~0u},
	         {"level.width", 12, ~0u},
	         {"memory_layout", ~0u, 0}};
	for (u32 i = 0; i < 2 * ARRAY_LEN(t); i++) {
		const bool surface = i >= ARRAY_LEN(t);
		const u32 k = i % ARRAY_LEN(t), want = surface ? t[k].surface : t[k].texture;
		char text[TEXT], middle[600];
		struct err e = {0};
		if (want == ~0u)
			continue;
		snprintf(middle, sizeof middle,
		         "%s.%s.b32 %%r9, [%%rd4]%s;\nistypep.texref %%p1, %%rd4;\nistypep.surfref %%p2, %%rd4;\n"
		         "istypep.samplerref %%p3, %%rd4;\nistypep.texref %%p4, %%rd1;\nselp.u32 %%r10, 1, 0, %%p1;\n"
		         "selp.u32 %%r11, 2, 0, %%p2;\nselp.u32 %%r12, 4, 0, %%p3;\nselp.u32 %%r13, 8, 0, %%p4;\n"
		         "add.u32 %%r10, %%r10, %%r11;\nadd.u32 %%r12, %%r12, %%r13;\nadd.u32 %%r10, %%r10, %%r12;\n"
		         "st.global.v2.u32 [%%rd3], {%%r9, %%r10};",
		         surface ? "suq" : "txq", t[k].ask, !strncmp(t[k].ask, "level", 5) ? ", 0" : "");
		kernel(text, middle);
		rig_open(text, false);
		struct texture x = {.addr = devmem_alloc(&r.mem, 16384, "texels", &e),
		                    .width = 12,
		                    .height = 5,
		                    .depth = 3,
		                    .pitch = 256,
		                    .channels = surface ? 2 : 4,
		                    .type = surface ? T_S32 : T_U8,
		                    .normalised_coords = true,
		                    .read_normalised = !surface};
		const u64 handle = surface ? front_surface_object(r.f, &x, &e) : front_texture_object(r.f, &x, &e);
		if (!handle)
			fail_msg("%s", e.msg);
		memcpy(r.l.params + 8, &handle, 8);
		rig_run();
		fault_text(FAULT_NONE);
		for (u32 n = 0; n < N; n++) {
			assert_int_equal(r.out[4 * n], want);
			assert_int_equal(r.out[4 * n + 1], surface ? 2 : 1);
		}
		rig_close();
	}
	char text[TEXT];
	kernel(text, "txq.width.b32 %r9, [%rd1];"); /* no handle */
	rig_open(text, false);
	rig_run();
	fault_text(FAULT_BAD_TEXTURE);
	rig_close();
}
/* With one mip level a fetch with gradients is the fetch. */
static void gradients(void **state)
{
	static const char *const forms[] = {"tex.2d", "tex.grad.2d", "tex.base.2d"};
	u32 got[3][4 * N];
	for (u32 i = 0; i < 3; i++) {
		char text[TEXT], middle[600];
		struct err e = {0};
		snprintf(middle, sizeof middle,
		         "cvt.rn.f32.u32 %%f1, %%r1;\nmul.f32 %%f1, %%f1, 0f3DCCCCCD;\nmul.f32 %%f2, %%f1, 0f3F000000;\n"
		         "%s.v4.f32.f32 {%%f3, %%f4, %%f5, %%f6}, [%%rd4, {%%f1, %%f2}]%s;\n"
		         "st.global.v4.f32 [%%rd3], {%%f3, %%f4, %%f5, %%f6};",
		         forms[i], i == 1 ? ", {%f1, %f2}, {%f2, 0f41200000}" : "");
		kernel(text, middle);
		rig_open(text, false);
		float texels[64 * 8];
		for (u32 k = 0; k < ARRAY_LEN(texels); k++)
			texels[k] = (float)(k * k % 97);
		struct texture x = {.addr = devmem_alloc(&r.mem, sizeof texels, "texels", &e),
		                    .width = 16,
		                    .height = 8,
		                    .pitch = 256,
		                    .channels = 4,
		                    .type = T_F32,
		                    .linear = true,
		                    .address = {TEXA_CLAMP, TEXA_CLAMP, TEXA_CLAMP}};
		assert_true(devmem_write(&r.mem, x.addr, texels, sizeof texels, &e));
		const u64 handle = front_texture_object(r.f, &x, &e);
		memcpy(r.l.params + 8, &handle, 8);
		rig_run();
		fault_text(FAULT_NONE);
		memcpy(got[i], r.out, sizeof got[i]);
		rig_close();
	}
	assert_memory_equal(got[0], got[1], sizeof got[0]);
	assert_memory_equal(got[0], got[2], sizeof got[0]);
	assert_int_not_equal(got[0][0], got[0][40]);
}

/* --- refusals ----------------------------------------------------------------------------------------------------- */

static void refused(void **state)
{
	static const char *const t[][2] = {
	    {"red.global.add.b128 [%rd1], %q1;", "'red.global.add.b128' is not supported: .b128 has .exch and .cas alone"},
	    {"ld.global.v2.b128 {%q1, %q2}, [%rd1];", "'ld.global.v2.b128' is not supported"},
	    {"add.u64 %rd1, %q1, %rd2;", "'%q1' is a .b128 register"},
	    {"st.global.b128 [%rd1], %rd2;", "needs a register of 128 bits here, not '%rd2'"},
	    {"st.global.b64 [%rd1], %q1;", "with a register of 128 bits is not supported"},
	    {"mov.b128 %q1, {%r1, %r1, %r1, %r1};", "of 4 parts is not supported"},
	    {"discard.global.L2 [%rd1], 64;", "is for 128 bytes"},
	    {"discard.shared.L2 [%rd1], 128;", "does not know '.shared'"},
	    {"applypriority.global.L2::evict_last [%rd1], 128;", "does not know '.L2::evict_last'"},
	    {"createpolicy.fractional.L2::evict_last %rd1, 0.5;", "needs .fractional, .range or .cvt, and type .b64"},
	    {"createpolicy.range.L2::evict_last.b64 %rd1, [%rd2], %r1;", "takes 4 operands"},
	    {"fence.proxy;", "lacks a modifier that says what to do"},
	    {"fence.proxy.texture;", "does not know '.texture'"},
	    {"fence.mbarrier_init.release;", "lacks a modifier that says what to do"},
	    {"griddepcontrol.start;", "needs .wait or .launch_dependents"},
	    {"txq.force_unnormalized_coords.b32 %r1, [%rd1];", "does not know '.force_unnormalized_coords'"},
	    {"suq.normalized_coords.b32 %r1, [%rd1];", "does not know '.normalized_coords'"},
	    {"txq.width.b64 %rd2, [%rd1];", "does not know '.b64'"},
	    {"istypep.tensor %p1, %rd1;", "needs .texref, .samplerref or .surfref"},
	    {"tex.grad.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1,%f2}], {%f1}, {%f1,%f2};", "needs 2 gradients here"},
	    {"tld4.r.3d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1,%f2,%f3,%f4}];",
	     "'tld4.r.3d.v4.f32.f32' is not supported"},
	    {"alloca.u64 %rd2, 64, 24;", "needs a power of two"},
	    {"fma.rn.oob.f16 %h1, %h2, %h3, %h4;", "does not know '.oob'"},
	};
	for (u32 i = 0; i < ARRAY_LEN(t); i++) {
		char text[TEXT];
		kernel(text, t[i][0]);
		const struct refusal why = refusal_of("test.ptx", text, strlen(text));
		expect_words(why.text, t[i][1]);
		expect_words(why.text, "test.ptx:14:");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(moves),  cmocka_unit_test(atomics), cmocka_unit_test(misaligned), cmocka_unit_test(hints),
	    cmocka_unit_test(copies), cmocka_unit_test(queries), cmocka_unit_test(gradients),  cmocka_unit_test(refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
