/* disturb_rig: workloads to which something is done while they run, between two cycles: they end as they do
 * undisturbed, all that they had is given back, and going back among the disturbances and on again is the same way.
 * Include behind cmocka.h. */
#ifndef TESTS_RIG_DISTURB_RIG_H
#define TESTS_RIG_DISTURB_RIG_H
#include <stdlib.h>

#include "base/rng.h"
#include "commands/commands.h"
#include "session/session.h"
#include "sim_internal.h"
#include "tests/rig/catalog_rig.h"
#include "tests/rig/given_back.h"

/* What is done: once, at random; and what ends all that has been done and lasts. */
struct disturbance {
	void (*once)(struct session *s, u64 *seed);
	void (*end)(struct session *s);
};

struct setting {
	struct options o;
	const char *sets[8];
};
static inline struct session *open_workload(struct setting *x, const char *workload, const char *gpu,
                                            const char *const *more)
{
	u32 n = 2;
	struct err e = {0};
	*x = (struct setting){.sets = {"idempotence.track=true", "history.mb=0"}};
	for (; more && *more; more++)
		x->sets[n++] = *more;
	x->o = (struct options){.command = "run",
	                        .workload = workload,
	                        .gpu = gpu,
	                        .size = "small",
	                        .sets = x->sets,
	                        .nsets = n,
	                        .max_cycles = NEVER};
	struct session *s = session_open(&x->o, console_modules, &e);
	if (!s)
		fail_msg("%s: %s", workload, e.msg);
	return s;
}

static inline void laws(struct session *s, const char *when)
{
	struct err e = {0};
	if (!sim_check(s->sim, &e))
		fail_msg("%s, %s, cycle %llu: %s", s->name, when, (unsigned long long)sim_cycle(s->sim), e.msg);
}

static inline void not_expected(struct session *s, enum session_stop why, const char *says)
{
	struct strbuf text = STRBUF_INIT;
	sim_fault_text(s->sim, &text);
	fail_msg("%s: %s %s %s %s", s->name, session_stop_text(why), says, strbuf_str(&s->check_message),
	         strbuf_str(&text));
}

/* To the end: its check passes, the laws hold. The hash of its results. */
static inline u64 finish(struct session *s)
{
	struct err e = {0};
	enum session_stop why = session_run(s, NEVER, &e);
	if (why != SS_FINISHED || s->check == CHECK_FAIL)
		not_expected(s, why, e.msg);
	all_given_back(s->sim);
	if (!sim_check(s->sim, &e))
		fail_msg("%s: %s", s->name, e.msg);
	laws(s, "at the end");
	return devmem_result_hash(sim_devmem(s->sim));
}

/* In a workload's past: every cycle is what it was, forward and backward. */
static inline void disturbed_travel_with(const char *workload, const char *const *more, const struct disturbance *d,
                                         u64 *seed)
{
	struct setting x;
	struct err e = {0};
	struct session *s = open_workload(&x, workload, "gtx480", more);
	if (!sim_history(s->sim, 256, &e))
		fail_msg("%s", e.msg);
	u64 at[24], hash[24];
	u32 n = 0;
	for (; n < ARRAY_LEN(at) && session_run(s, 150 + 97 * n, &e) == SS_CYCLE; n++) {
		if (!session_change_begins(s, &e))
			fail_msg("%s", e.msg);
		d->once(s, seed);
		if (n % 8 == 7)
			d->end(s);
		session_changed(s);
		at[n] = sim_cycle(s->sim);
		hash[n] = sim_hash(s->sim);
		laws(s, "in the past to be");
	}
	assert_true(n > 8);
	for (u32 i = n; i-- > 0;) {
		if (!sim_goto(s->sim, at[i], &e))
			fail_msg("%s", e.msg);
		laws(s, "in the past");
		if (sim_hash(s->sim) != hash[i])
			fail_msg("%s, cycle %llu: another state", workload, (unsigned long long)at[i]);
	}
	if (!sim_goto(s->sim, at[0], &e) || !sim_goto(s->sim, at[n - 1], &e))
		fail_msg("%s", e.msg);
	assert_true(sim_hash(s->sim) == hash[n - 1]);
	session_close(s);
}
static inline void disturbed_travel(const char *workload, const struct disturbance *d, u64 *seed)
{
	disturbed_travel_with(workload, NULL, d, seed);
}
#endif
