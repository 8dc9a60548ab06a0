/* The fetch stage in closed form: when each instruction of a kernel issues, from the keys sm.fetch_width,
 * sm.fetch_latency, sm.fetches, sm.fetch_fallthrough and sm.fetch_refused. */
#include "tests/rig/sm_rig.h"

static u32 decoded_after(u32 latency, u32 fetches) /* the first fetch of a cycle; of several the last takes one more */
{
	return latency - (fetches > 1) ? latency - (fetches > 1) : 1;
}

/* --- issues, as they came ----------------------------------------------------------------------------------------- */
struct issues {
	struct sim *s;
	struct module *m;
	struct rig_log log;
};

/* One CTA of `warps` warps on one SM. Results are there in the next cycle, so that nothing but the fetch delays anyone.
 */
static struct issues issues_of(const char *const *sets, const char *body, u32 warps)
{
	static const char *const always[] = {"num_sms=1",     "sm.schedulers=1", "isa.issue_cost=ptx", "warp-sched=lrr",
	                                     "lat.int_add=1", "lat.logic=1",     "sm.read_latency=0"};
	const char *all[24];
	u32 n = 0;
	for (u32 i = 0; i < ARRAY_LEN(always); i++)
		all[n++] = always[i];
	while (*sets)
		all[n++] = *sets++;
	all[n] = NULL;
	struct strbuf t = STRBUF_INIT;
	strbuf_addf(&t,
	            PTX_HEAD ".visible .entry k(.param .u64 p0)\n{\n.reg .pred %%p<9>; .reg .b32 %%r<99>;\n"
	                     "%s\nret;\n}\n",
	            body);
	struct issues r = {.s = machine(all)};
	r.m = rig_load(r.s, strbuf_str(&t));
	sim_subscribe(r.s, EVENT(EV_ISSUE), rig_record, &r.log);
	rig_launch(r.s, r.m, "k", 1, warps * 32, 0, &(u64){0}, 1);
	rig_finish(r.s);
	strbuf_release(&t);
	return r;
}

static void issues_free(struct issues *r)
{
	sim_destroy(r->s);
	free(r->log.e);
}

/* Cycle of the n-th issue of a warp. */
static u64 issue_at(const struct issues *r, s32 warp, u32 n)
{
	for (u32 i = 0; i < r->log.n; i++)
		if (r->log.e[i].warp == warp && !n--)
			return r->log.e[i].cycle;
	fail_msg("warp %d has not issued so often", warp);
	return 0;
}

static void repeat(struct strbuf *t, const char *text, u32 n)
{
	for (u32 i = 0; i < n; i++)
		strbuf_addf(t, text, i, i);
}

#define KEY(name, key, value)                                                                                          \
	char name[48];                                                                                                     \
	snprintf(name, sizeof name, key "=%u", value)

/* --- straight code ------------------------------------------------------------------------------------------------ */

/* Independent additions of one warp: an empty buffer is asked for in the cycle of its last issue and full `latency`
 * later, so that `width` instructions take width - 1 + latency cycles. */
static void check_straight(u32 width, u32 latency, u32 fetches)
{
	KEY(w, "sm.fetch_width", width);
	KEY(ib, "sm.ibuffer", width);
	KEY(l, "sm.fetch_latency", latency);
	KEY(f, "sm.fetches", fetches);
	struct strbuf t = STRBUF_INIT;
	repeat(&t, "add.u32 %%r%u, %%r98, %u;\n", 64);
	struct issues r = issues_of((const char *[]){w, ib, l, f, "l1i.perfect=true", NULL}, strbuf_str(&t), 1);
	u64 first = issue_at(&r, 0, 0);
	for (u32 i = 0; i < 64; i++)
		if (issue_at(&r, 0, i) - first != i / width * (width - 1 + decoded_after(latency, fetches)) + i % width)
			fail_msg("width %u, latency %u, %u fetches: instruction %u issues %llu cycles after the first", width,
			         latency, fetches, i, (unsigned long long)(issue_at(&r, 0, i) - first));
	assert_int_equal(rig_counter(r.s, CG_sm, "fetches"), (64 + width - 1) / width + (64 % width == 0));
	assert_int_equal(rig_counter(r.s, CG_sm, "flushes"), 0);
	issues_free(&r);
	strbuf_release(&t);
}

static void test_straight(void **state)
{
	for (u32 width = 1; width <= 4; width *= 2)
		for (u32 latency = 1; latency <= 6; latency++)
			for (u32 fetches = 1; fetches <= 3; fetches++)
				check_straight(width, latency, fetches);
}

/* Many warps: an SM issues what its fetches bring, sm.fetches times sm.fetch_width a cycle, up to one instruction of
 * every scheduler. */
static void check_rate(u32 width, u32 fetches, u32 schedulers)
{
	KEY(w, "sm.fetch_width", width);
	KEY(ib, "sm.ibuffer", width);
	KEY(f, "sm.fetches", fetches);
	KEY(n, "sm.schedulers", schedulers);
	KEY(sp, "sm.sp_units", schedulers);
	struct strbuf t = STRBUF_INIT;
	repeat(&t, "add.u32 %%r%u, %%r98, %u;\n", 80);
	struct issues r = issues_of((const char *[]){w, ib, f, n, sp, "l1i.perfect=true", NULL}, strbuf_str(&t), 24);
	u64 from = r.log.e[24 * 20].cycle, to = r.log.e[24 * 60].cycle;
	double rate = 24.0 * 40 / (double)(to - from), want = MIN(width * fetches, schedulers);
	if (rate < want * 0.98 || rate > want * 1.02)
		fail_msg("width %u, %u fetches, %u schedulers: %.3f instructions a cycle", width, fetches, schedulers, rate);
	issues_free(&r);
	strbuf_release(&t);
}

static void test_rate(void **state)
{
	for (u32 width = 1; width <= 2; width++)
		for (u32 fetches = 1; fetches <= 4; fetches++)
			for (u32 schedulers = 1; schedulers <= 4; schedulers *= 2)
				check_rate(width, fetches, schedulers);
}

/* --- taken branches ----------------------------------------------------------------------------------------------- */

/* A chain of jumps, each over an addition. The target is asked for
 *   - at once without sm.fetch_fallthrough;
 *   - with it, in the cycle after the jump when the buffer holds the addition (width 2);
 *   - or else (width 1) when the addition has been fetched, `latency` after the jump. */
static void check_jumps(u32 width, u32 latency, bool fallthrough)
{
	KEY(w, "sm.fetch_width", width);
	KEY(ib, "sm.ibuffer", width);
	KEY(l, "sm.fetch_latency", latency);
	KEY(ft, "sm.fetch_fallthrough", fallthrough);
	const u32 njumps = 20, late = !fallthrough ? 0 : width > 1 ? 1 : latency;
	struct strbuf t = STRBUF_INIT;
	repeat(&t, "bra L%u;\nadd.u32 %%r1, %%r1, 1;\nL%u:\n", njumps);
	struct issues r = issues_of((const char *[]){w, ib, l, ft, "l1i.perfect=true", NULL}, strbuf_str(&t), 1);
	for (u32 i = 1; i <= njumps; i++)
		if (issue_at(&r, 0, i) - issue_at(&r, 0, i - 1) != late + latency)
			fail_msg("width %u, latency %u%s: %llu cycles from jump %u to its target", width, latency,
			         fallthrough ? ", behind the fall-through" : "",
			         (unsigned long long)(issue_at(&r, 0, i) - issue_at(&r, 0, i - 1)), i);
	assert_int_equal(rig_counter(r.s, CG_sm, "flushes"), fallthrough ? njumps : 0);
	assert_int_equal(rig_counter(r.s, CG_sm, "fetches"), 1 + njumps * (fallthrough && width == 1 ? 2 : 1));
	issues_free(&r);
	strbuf_release(&t);
}

static void test_jumps(void **state)
{
	for (u32 width = 1; width <= 2; width++)
		for (u32 latency = 1; latency <= 5; latency++) {
			check_jumps(width, latency, false);
			check_jumps(width, latency, true);
		}
}

/* Branches that nobody takes cost nothing, whatever the key says. */
static void test_branches_not_taken(void **state)
{
	struct strbuf t = STRBUF_INIT;
	strbuf_adds(&t, "setp.ne.u32 %p1, %r1, %r1;\n");
	repeat(&t, "@%%p1 bra L%u;\nadd.u32 %%r2, %%r1, 1;\nL%u:\n", 20);
	u64 last[2];
	for (u32 k = 0; k < 2; k++) {
		const char *ft = k ? "sm.fetch_fallthrough=true" : "sm.fetch_fallthrough=false";
		struct issues r = issues_of((const char *[]){ft, "l1i.perfect=true", NULL}, strbuf_str(&t), 1);
		last[k] = issue_at(&r, 0, 41) - issue_at(&r, 0, 1);
		assert_int_equal(rig_counter(r.s, CG_sm, "flushes"), 0);
		issues_free(&r);
	}
	assert_int_equal(last[0], last[1]);
	strbuf_release(&t);
}

/* --- L1I refuses -------------------------------------------------------------------------------------------------- */

#define LATENCY 3 /* sm.fetch_latency here */

/* All warps go round a loop that L1I holds; then warp 0 jumps to a line that it lacks, and warp 1 to another, for which
 * there is no MSHR. Warp 2 stays in the loop. */
static struct issues refusals(const char *policy, const char *refused, u32 warps)
{
	struct strbuf t = STRBUF_INIT;
	strbuf_adds(&t, "mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 5; mov.u32 %r2, 0;\n"
	                "LOOP:\nadd.u32 %r2, %r2, 1;\nadd.u32 %r3, %r1, 64;\nsetp.eq.u32 %p1, %r2, %r3;\n"
	                "setp.eq.u32 %p2, %r1, 0;\nsetp.eq.u32 %p3, %r1, 1;\nand.pred %p2, %p1, %p2;\n"
	                "and.pred %p3, %p1, %p3;\n@%p2 bra X;\n@%p3 bra Y;\nsetp.lt.u32 %p4, %r2, 200;\n"
	                "@%p4 bra LOOP;\nret;\n");
	repeat(&t, "add.u32 %%r%u, %%r98, %u;\n", 40);
	strbuf_adds(&t, "X: add.u32 %r11, %r98, 7;\nret;\n");
	repeat(&t, "add.u32 %%r%u, %%r98, %u;\n", 40);
	strbuf_adds(&t, "Y: add.u32 %r12, %r98, 7;\n");
	struct issues r = issues_of((const char *[]){policy, refused, "sm.fetch_fallthrough=false", "sm.fetch_width=1",
	                                             "l1i.mshrs=1", "sm.fetch_latency=3", NULL},
	                            strbuf_str(&t), warps);
	strbuf_release(&t);
	return r;
}

/* Where a warp's last jump into the cold line issues, and the target. */
static void jump_of(const struct issues *r, s32 warp, u64 *left, u64 *there)
{
	u32 n = 0;
	for (u32 i = 0; i < r->log.n; i++)
		n += r->log.e[i].warp == warp;
	*there = issue_at(r, warp, n - 2); /* the addition before the last ret */
	*left = issue_at(r, warp, n - 3);
}

/* The longest time that warp 2 does not issue between two cycles, and when it ends. */
static u64 longest_gap(const struct issues *r, u64 from, u64 to, u64 *ends)
{
	u64 last = 0, gap = 0;
	for (u32 i = 0; i < r->log.n; i++) {
		const struct event *e = &r->log.e[i];
		if (e->warp != 2)
			continue;
		if (last >= from && last <= to && e->cycle - last > gap) {
			gap = e->cycle - last;
			*ends = e->cycle;
		}
		last = e->cycle;
	}
	return gap;
}

static void check_waits(const char *policy, const char *refused, u32 behind)
{
	u64 left, there, ends = 0;
	struct issues r = refusals(policy, refused, 3);
	jump_of(&r, 0, &left, &there);
	assert_true(longest_gap(&r, left, there, &ends) > 100);
	assert_int_equal(ends, there + behind);
	issues_free(&r);
}

/* The line arrives LATENCY before its instruction issues and takes the stage for that cycle; in turn the miss of warp 1
 * has the next one, and warp 2 the one after that. */
static void test_refused_waits(void **state)
{
	check_waits("warp-sched=lrr", "sm.fetch_refused=wait", 2);
	check_waits("warp-sched=elf", "sm.fetch_refused=next", 1); /* it orders the fetches: warp 2 before warp 1 */
}

/* A refused fetch costs its turn only: warp 2, asking every LATENCY cycles, has it a cycle later at most. */
static void test_refused_costs_a_turn(void **state)
{
	u64 left, there, ends = 0;
	struct issues r = refusals("warp-sched=lrr", "sm.fetch_refused=next", 3);
	jump_of(&r, 0, &left, &there);
	assert_true(there - left > 100);
	assert_int_equal(longest_gap(&r, left + 50, there, &ends), LATENCY + 1);
	issues_free(&r);
}

/* Nobody else is there: a refusal a cycle, from the jump of warp 1 until the line of warp 0 arrives; the SM sleeps in
 * the meantime and makes up for them. In the cycle of the arrival a stage that waits still does; one whose turns pass
 * is taken. */
static void test_refusals_counted(void **state)
{
	static const char *const key[] = {"sm.fetch_refused=next", "sm.fetch_refused=wait"};
	for (u32 k = 0; k < 2; k++) {
		struct issues r = refusals("warp-sched=lrr", key[k], 2);
		u64 left[2], there[2];
		for (s32 w = 0; w < 2; w++)
			jump_of(&r, w, &left[w], &there[w]);
		assert_int_equal(rig_counter(r.s, CG_l1i, "rf_mshr"), there[0] - LATENCY - left[1] + k);
		issues_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_straight),
	    cmocka_unit_test(test_rate),
	    cmocka_unit_test(test_jumps),
	    cmocka_unit_test(test_branches_not_taken),
	    cmocka_unit_test(test_refused_waits),
	    cmocka_unit_test(test_refused_costs_a_turn),
	    cmocka_unit_test(test_refusals_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
