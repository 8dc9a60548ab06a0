/* `next line`: a warp's CUDA lines are those that one sees who goes by its instructions; behind a barrier it is when
 * the barrier has opened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/rig/debug_rig.h"

#define STEPS 60

static const struct inst *at(struct rig *r, struct warp_info *w)
{
	gpu_warp_info(dbg_gpu(r->d), r->d->focus.sm, r->d->focus.warp, w);
	return w->launch < 0 || w->pc == PC_DONE ? NULL : &gpu_launched(dbg_gpu(r->d), (u32)w->launch)->mod->code[w->pc];
}

/* The pcs at which the focused warp comes to another line, by its instructions. */
static u32 by_instructions(struct rig *r, u32 *pcs)
{
	u32 n = 0;
	struct warp_info w;
	const struct inst *was = at(r, &w);
	assert_non_null(was);
	const u64 cta = w.cta;
	while (n < STEPS) {
		if (!rig_try(r, "next"))
			break;
		const struct inst *now = at(r, &w);
		if (!now || w.cta != cta)
			break;
		if (now->src_line && (now->src_line != was->src_line || now->src_file != was->src_file)) {
			pcs[n++] = w.pc;
			was = now;
		}
	}
	return n;
}

static void compare(const char *words, u64 cycle)
{
	struct rig r;
	char line[40];
	u32 pcs[STEPS];
	rig_words(&r, words);
	snprintf(line, sizeof line, "goto %llu", (unsigned long long)cycle);
	rig_say(&r, line);
	const struct focus focus = r.d->focus;
	const u32 n = by_instructions(&r, pcs);
	u32 barriers = 0;
	if (n < 5)
		fail_msg("%s: %u lines", words, n);
	rig_say(&r, line);
	rig_try(&r, "focus");
	assert_int_equal(r.d->focus.sm, focus.sm);
	char again[60];
	snprintf(again, sizeof again, "focus sm %u warp %u", focus.sm, focus.warp);
	rig_say(&r, again);
	for (u32 i = 0; i < n; i++) {
		struct warp_info w;
		rig_say(&r, i % 2 ? "next line" : "step line");
		const struct inst *in = at(&r, &w);
		assert_non_null(in);
		const struct inst *code = gpu_launched(dbg_gpu(r.d), (u32)w.launch)->mod->code;
		if (w.pc != pcs[i] &&
		    !(code[pcs[i] - 1].op == OP_BAR && w.pc == pcs[i] + 1 && in->src_line == code[pcs[i]].src_line))
			fail_msg("%s: line %u begins at pc %u, not %u", words, i, w.pc, pcs[i]);
		assert_true(w.state != WS_BARRIER);
		barriers += code[pcs[i] - 1].op == OP_BAR; /* in whose cycle it may have gone on by one instruction */
		char want[24];
		snprintf(want, sizeof want, ":%u\n", in->src_line);
		if (!strstr(strbuf_str(&r.out), want))
			fail_msg("%s: '%s' expected in: %s", words, want, strbuf_str(&r.out));
	}
	if (strstr(words, "hotspot"))
		assert_true(barriers > 0);
	rig_close(&r);
}

static void test_lines(void **state)
{
	compare("hotspot --size small", 100);
	compare("hotspot --size small --gpu v100 --set num_sms=4", 5000);
	compare("bfs --size small", 200);
	compare("spmv --size small --gpu rtx3070 --set num_sms=4", 5000);
	compare("srad1 --size small --cta-virtual vt", 300);
}

static void test_refuses(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_has(&r, "next line", "SM "); /* nobody is there yet: the first that issues */
	rig_fails(&r, "next lines", "next");
	rig_fails(&r, "step line 2", "step");
	rig_say(&r, "focus sm 14 warp 47");
	rig_try(&r, "next line");
	rig_close(&r);
	rig_words(&r, "tests/hangs/circles.ptx --kernel crossed_locks --grid 2 --block 64 --arg u32[64]=zero");
	rig_say(&r, "next");
	rig_fails(&r, "next line", "has no lines of CUDA");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_refuses)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
