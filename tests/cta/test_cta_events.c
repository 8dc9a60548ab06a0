/* CTA schedulers as a user meets them: breakpoints on what they decide, filters, callbacks, records and watches of it,
 * and the CTAs that dyncta has behind all others. What they decide is tests/cta/test_cta_sched.c's and
 * test_cta_share.c's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"

static void open_under(struct rig *r, const char *workload, const char *sched)
{
	rig_open(r,
	         (char *[]){"warpdbg", "debug", (char *)workload, "--size", "small", "--cta-sched", (char *)sched, NULL});
}

static void test_lcs(void **state)
{
	struct rig r;
	open_under(&r, "hotspot", "lcs");
	rig_has(&r, "print gpu.kernel[0].limits", "{[0] = 0, 0, ");
	rig_say(&r, "tbreak lcs-throttle if e.t_new == (2 * e.sum + e.max) // (2 * e.max) and e.ctas > 1");
	rig_has(&r, "continue", "lcs-throttle: SM ");
	rig_has(&r, "info kernels", "lcs: T_new ");
	rig_has(
	    &r,
	    "lua l = gpu.kernel[0].limits print(#l, l[0] > 0, l[0] == l[14], l[0] == tonumber(gpu.kernel[0].cta_sched:match('%d+')))",
	    "14\ttrue\ttrue\ttrue");
	rig_close(&r);
}

static void test_bcs(void **state)
{
	struct rig r;
	open_under(&r, "lps", "bcs");
	rig_say(&r, "tbreak bcs-pair first=6 ctas=2 runs=1");
	rig_has(&r, "continue", "CTA 6 of laplace3d (first 6, ctas 2, runs 1)");
	rig_close(&r);
}

/* dyncta on madd: limits go up and down, some CTAs are behind all others, and everybody says so. */
static void test_dyncta(void **state)
{
	struct rig r;
	open_under(&r, "madd", "dyncta");
	rig_say(&r, "tbreak cta-pause low=1");
	rig_has(&r, "continue", "cycles 0, low 1)");
	rig_has(&r, "info ctas", "lowered");
	rig_has(&r, "info kernels", " of its CTAs lowered: by their CTA scheduler behind all others\n");
	/* as many as the SMs have, one by one */
	rig_has(
	    &r,
	    "lua n, m = 0, 0 for i = 0, gpu.num_sms - 1 do n = n + gpu.sm[i].lowered for c = 0, gpu.sm[i].max_ctas - 1 do "
	    "m = m + (gpu.sm[i].cta[c].state == 'lowered' and 1 or 0) end end print(n > 0, n == m, n == gpu.kernel[0].kept.lowered)",
	    "true\ttrue\ttrue");
	rig_say(&r, "tbreak cta-resume low=1");
	rig_has(&r, "continue", "cta-resume: SM ");
	rig_say(&r, "tbreak dyncta-step before=4 after=3 sm=3");
	rig_has(&r, "continue", "dyncta-step: SM 3, madd (before 4, after 3, idle ");
	rig_has(&r, "print gpu.kernel[0].limits[3]", "3");
	rig_say(&r, "watch gpu.kernel[0].limits[3]");
	rig_has(&r, "continue", "gpu.kernel[0].limits[3]: 3 -> ");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lcs),
	    cmocka_unit_test(test_bcs),
	    cmocka_unit_test(test_dyncta),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
