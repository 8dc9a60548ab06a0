/* Shapes of code that compilers emit for real programs and that went wrong, or nearly: narrow values in 64-bit
 * registers, opportunistic warp aggregation in a loop that lanes leave one by one, masks as loop state, address
 * arithmetic that mixes widths. Each kernel runs on a CTA of N threads and is compared with C. */
#include "tests/rig/kernel_rig.h"

#define TABLE 64
static u32 table_value(u32 i)
{
	return (i * 37 + 11) % TABLE;
}
static void write_table(void)
{
	u32 words[TABLE];
	struct err e = {0};
	for (u32 i = 0; i < TABLE; i++)
		words[i] = table_value(i);
	const u64 at = devmem_alloc(&r.mem, sizeof(words), "table", &e);
	if (!at || !devmem_write(&r.mem, at, words, sizeof(words), &e))
		fail_msg("%s", e.msg);
	memcpy(r.l.params + 8, &at, 8);
}
static void run(const char *ptx)
{
	rig_open(ptx, false);
	write_table();
	rig_run();
	fault_text(FAULT_NONE);
}
static void expect(u32 t, u32 want)
{
	if (r.out[t] != want)
		fail_msg("thread %u: %u, want %u", t, r.out[t], want);
}

#define TOP                                                                                                            \
	HEAD ".visible .entry k(.param .u64 p, .param .u64 tab)\n{\n"                                                      \
	     ".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<40>;\nld.param.u64 %rd1, [p];\n"                           \
	     "ld.param.u64 %rd2, [tab];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\n"                               \
	     "add.s64 %rd4, %rd1, %rd3;\n"

/* Graph walk: the next vertex comes by ld.s32 into a 64-bit register and is the index of the next load. Neighbouring
 * words are non-zero, so that a load of 8 bytes or a wrong upper half leaves the table. */
static void walk(void **state)
{
	run(TOP "and.b32 %r2, %r1, 63;\ncvt.u64.u32 %rd5, %r2;\nand.b32 %r3, %r1, 7;\nadd.s32 %r3, %r3, 1;\n"
	        "LOOP:\nshl.b64 %rd6, %rd5, 2;\nadd.s64 %rd7, %rd2, %rd6;\nld.global.s32 %rd5, [%rd7];\n"
	        "add.s32 %r3, %r3, -1;\nsetp.ne.s32 %p1, %r3, 0;\n@%p1 bra LOOP;\n"
	        "cvt.u32.u64 %r4, %rd5;\nshr.u64 %rd8, %rd5, 32;\ncvt.u32.u64 %r5, %rd8;\nadd.s32 %r4, %r4, %r5;\n"
	        "st.global.u32 [%rd4], %r4;\nret;\n}\n");
	for (u32 t = 0; t < N; t++) {
		u32 v = t & 63;
		for (u32 k = 0; k <= (t & 7); k++)
			v = table_value(v);
		expect(t, v);
	}
	rig_close();
}

/* An offset held in 64 bits, of which cvt takes the low 32 with their sign: all lanes hold the same value, so that a
 * source read with 32-bit lanes gives every second lane the upper half instead. */
static void low_half_offset(void **state)
{
	run(TOP "mov.u64 %rd5, 0x7ffffffc0;\nand.b32 %r2, %r1, 31;\nadd.s32 %r2, %r2, 64;\ncvt.s64.s32 %rd6, %rd5;\n"
	        "cvt.u64.u32 %rd7, %r2;\nadd.s64 %rd8, %rd6, %rd7;\nshl.b64 %rd8, %rd8, 2;\nadd.s64 %rd9, %rd2, %rd8;\n"
	        "ld.global.u32 %r3, [%rd9];\nst.global.u32 [%rd4], %r3;\nret;\n}\n");
	for (u32 t = 0; t < N; t++)
		expect(t, table_value(t & 31));
	rig_close();
}

/* One atomic per distinct key among the lanes that happen to be active, in a loop with a different number of turns per
 * lane: the leader's old value is handed on by shfl within the key's mask. Every value handed out is distinct, so the
 * slots of a key are 0 .. count - 1. */
static void aggregated_slots(void **state)
{
	run(TOP
	    ".shared .align 4 .b8 count[16];\n"
	    "setp.gt.u32 %p1, %r1, 3;\n@%p1 bra START;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, count;\nadd.s32 %r3, %r3, %r2;\n"
	    "mov.u32 %r4, 0;\nst.shared.u32 [%r3], %r4;\nSTART:\nbar.sync 0;\nmov.u32 %r5, 0;\nmov.u32 %r20, 0;\n"
	    "rem.u32 %r6, %r1, 3;\nmov.u32 %r7, %laneid;\nmov.u32 %r8, %lanemask_lt;\n"
	    "LOOP:\nadd.s32 %r9, %r1, %r5;\nand.b32 %r9, %r9, 3;\nactivemask.b32 %r10;\n"
	    "match.any.sync.b32 %r11, %r9, %r10;\nbrev.b32 %r12, %r11;\nbfind.shiftamt.u32 %r13, %r12;\n"
	    "and.b32 %r14, %r8, %r11;\nsetp.ne.s32 %p2, %r14, 0;\nmov.u32 %r15, 0;\n@%p2 bra HAND;\n"
	    "popc.b32 %r16, %r11;\nshl.b32 %r17, %r9, 2;\nmov.u32 %r18, count;\nadd.s32 %r18, %r18, %r17;\n"
	    "atom.shared.add.u32 %r15, [%r18], %r16;\n"
	    "HAND:\nshfl.sync.idx.b32 %r19|%p3, %r15, %r13, 31, %r11;\npopc.b32 %r21, %r14;\nadd.s32 %r19, %r19, %r21;\n"
	    "add.s32 %r20, %r20, %r19;\nadd.s32 %r20, %r20, 1;\n"
	    "add.s32 %r5, %r5, 1;\nsetp.le.u32 %p4, %r5, %r6;\n@%p4 bra LOOP;\n"
	    "st.global.u32 [%rd4], %r20;\nret;\n}\n");
	/* The sum over all threads of slot + 1 is, per key, 1 + 2 + ... + count. */
	u64 got = 0, want = 0, count[4] = {0};
	for (u32 t = 0; t < N; t++) {
		got += r.out[t];
		for (u32 k = 0; k <= t % 3; k++)
			count[(t + k) & 3]++;
	}
	for (u32 k = 0; k < 4; k++)
		want += count[k] * (count[k] + 1) / 2;
	assert_int_equal(got, want);
	rig_close();
}

/* Two pointers stepped in a loop, the 64-bit difference compared, a byte counter in a 16-bit register kept across the
 * back edge: values of three widths live at once. */
static void mixed_widths(void **state)
{
	run(TOP ".reg .b16 %h<9>;\nand.b32 %r2, %r1, 15;\nadd.s32 %r2, %r2, 1;\nmul.wide.u32 %rd5, %r2, 4;\n"
	        "add.s64 %rd6, %rd2, %rd5;\nmov.u64 %rd7, %rd2;\nmov.u16 %h1, 250;\nmov.u32 %r3, 0;\nmov.u64 %rd9, 0;\n"
	        "LOOP:\nld.global.u32 %r4, [%rd7];\nld.global.u8 %rd8, [%rd7];\nadd.s64 %rd9, %rd9, %rd8;\n"
	        "add.s32 %r3, %r3, %r4;\nadd.s16 %h1, %h1, 1;\nand.b16 %h1, %h1, 255;\nadd.s64 %rd7, %rd7, 4;\n"
	        "sub.s64 %rd10, %rd6, %rd7;\nsetp.gt.s64 %p1, %rd10, 0;\n@%p1 bra LOOP;\n"
	        "cvt.u32.u16 %r5, %h1;\nmul.lo.u32 %r5, %r5, 65536;\nadd.s32 %r3, %r3, %r5;\ncvt.u32.u64 %r6, %rd9;\n"
	        "add.s32 %r3, %r3, %r6;\nst.global.u32 [%rd4], %r3;\nret;\n}\n");
	for (u32 t = 0; t < N; t++) {
		const u32 turns = (t & 15) + 1;
		u32 want = ((250 + turns) & 255) * 65536;
		for (u32 k = 0; k < turns; k++)
			want += 2 * table_value(k);
		expect(t, want);
	}
	rig_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(walk),
	    cmocka_unit_test(low_half_offset),
	    cmocka_unit_test(aggregated_slots),
	    cmocka_unit_test(mixed_widths),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
