/* `why pick`, `why dispatch`, `why partition` and `why preempt` in the debugger, against what the machine then does or
 * has done: the next pick is the warp that issues, in its cycle; the slot of the last cycle is that of its event; CTAs
 * start where and when they were said to. The machine stays where it is, with the hash that it has. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "dbg/choice.h"
#include "gpu/query_preempt.h"
#include "tests/rig/debug_rig.h"
#include "tests/rig/rounds.h"

struct heard {
	u64 cycle;
	u32 sm, scheduler, warp;
	u64 cta;
	bool any;
};

static bool on_event(void *ctx, const struct event *e)
{
	struct heard *h = ctx;
	if (e->type == EV_SCHED_PICK && ((u32)e->sm != h->sm || e->arg[0] != h->scheduler))
		return false;
	h->any = true;
	h->cycle = e->cycle;
	h->warp = (u32)e->warp;
	h->cta = (u64)e->cta;
	h->sm = e->type == EV_CTA_DISPATCH ? (u32)e->sm : h->sm;
	return true;
}

/* Asks for the next pick of changing schedulers, and lets the machine run to it; then asks for the slot that it was,
 * and for the last pick. */
static void follow_picks(const char *words, u32 times)
{
	struct rig r;
	rig_words(&r, words);
	struct gpu *g = dbg_gpu(r.d);
	struct strbuf text = STRBUF_INIT;
	struct pick_look next, slot, last;
	rig_say(&r, "step 200");
	for (u32 i = 0; i < times; i++) {
		struct heard h = {.sm = i * 7 % gpu_conf(g)->num_sms, .scheduler = i % gpu_conf(g)->sm_schedulers};
		const u64 now = gpu_cycle(g), hash = i % 4 ? 0 : sim_hash(r.s->sim);
		strbuf_clear(&text);
		if (!choice_pick(r.d, CHOICE_NEXT, h.sm, h.scheduler, &next, &text, &r.e))
			fail_msg("%s", r.e.msg);
		if (gpu_cycle(g) != now || (hash && sim_hash(r.s->sim) != hash))
			fail_msg("asking at cycle %llu has changed the machine", (unsigned long long)now);
		const int id = sim_subscribe(r.s->sim, EVENT(EV_SCHED_PICK), on_event, &h);
		while (!h.any && session_run(r.s, NEVER, &r.e) == SS_REQUEST)
			;
		sim_unsubscribe(r.s->sim, id);
		assert_true(h.any);
		if (next.picked != h.warp || next.cycle != h.cycle)
			fail_msg("%s: SM %u, scheduler %u, from cycle %llu: warp %d was to issue in %llu, warp %u did in %llu",
			         words, h.sm, h.scheduler, (unsigned long long)now, (s32)next.picked,
			         (unsigned long long)next.cycle, h.warp, (unsigned long long)h.cycle);
		assert_true(choice_pick(r.d, CHOICE_SLOT, h.sm, h.scheduler, &slot, &text, &r.e));
		assert_true(choice_pick(r.d, CHOICE_LAST, h.sm, h.scheduler, &last, &text, &r.e));
		assert_memory_equal(&slot, &next, sizeof slot);
		assert_memory_equal(&last, &next, sizeof last);
		rig_say(&r, i % 3 ? "step" : "step 40");
	}
	strbuf_release(&text);
	rig_close(&r);
}

static void next_picks_issue(void **state)
{
	const struct policy *p;
	char words[200];
	for (u32 i = 0; (p = sim_policy(POLICY_WARP, i)); i++) {
		snprintf(words, sizeof words, "%s --size small --warp-sched %s", i % 2 ? "spmv" : "hotspot", p->name);
		follow_picks(words, rounds("CHOICE_PICKS", 5, 2));
	}
	follow_picks("hotspot --size small --gpu v100", rounds("CHOICE_PICKS", 6, 2));
	follow_picks("spmv --size small --warp-sched lua:gto.lua", rounds("CHOICE_PICKS", 6, 2));
}

/* A slot that nobody used has no pick, and the reason of its stall. */
static void lost_slots(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	struct pick_look l;
	struct strbuf text = STRBUF_INIT;
	u32 lost = 0, used = 0;
	rig_say(&r, "step 600");
	for (u32 i = 0; i < 30; i++) {
		rig_say(&r, "step 3");
		struct gpu *g = dbg_gpu(r.d);
		struct sm_info o;
		gpu_sm_info(g, 3, &o);
		strbuf_clear(&text);
		assert_true(choice_pick(r.d, CHOICE_SLOT, 3, i % 2, &l, &text, &r.e));
		const bool issued = o.last_reason[i % 2] == ST_ISSUED;
		assert_int_equal(issued, l.seen && l.picked != NO_WARP);
		if (!issued) {
			assert_non_null(strstr(strbuf_str(&text), stall_descs[o.last_reason[i % 2]].name[TAX_BASE]));
			lost++;
		}
		used += issued;
	}
	assert_true(lost > 3 && used > 3);
	strbuf_release(&text);
	rig_close(&r);
}

static void next_dispatches_start(void **state)
{
	static const char *const runs[] = {
	    "hotspot --size small",
	    "hotspot --size small --cta-sched chunk",
	    "spmv --size small --cta-sched lcs",
	    "convsep --size small --cta-sched bcs",
	    "spmv --size small --cta-sched dyncta",
	    "hotspot --size small --cta-sched steal",
	    "hotspot --size small --cta-sched lua:rr.lua",
	};
	for (u32 k = 0; k < ARRAY_LEN(runs); k++) {
		struct rig r;
		rig_words(&r, runs[k]);
		u32 n = 0;
		rig_say(&r, "step 1000");
		for (; n < rounds("CHOICE_CTAS", 3, 2); n++) {
			struct dispatch_choice next, last;
			struct strbuf text = STRBUF_INIT;
			struct heard h = {0};
			const u64 hash = sim_hash(r.s->sim);
			if (!choice_dispatch(r.d, CHOICE_NEXT, -1, NO_CTA, -1, &next, &text, &r.e))
				fail_msg("%s: %s", runs[k], r.e.msg);
			assert_true(sim_hash(r.s->sim) == hash);
			const int id = sim_subscribe(r.s->sim, EVENT(EV_CTA_DISPATCH), on_event, &h);
			while (!h.any && session_run(r.s, NEVER, &r.e) == SS_REQUEST)
				;
			sim_unsubscribe(r.s->sim, id);
			if (!h.any) {
				assert_true(next.cta == NO_CTA);
				strbuf_release(&text);
				break;
			}
			/* Of several in a cycle it tells the first; the event heard last is the cycle's last. */
			assert_true(next.cycle == h.cycle);
			assert_true(choice_dispatch(r.d, CHOICE_LAST, -1, NO_CTA, -1, &last, &text, &r.e));
			assert_true(last.cycle == h.cycle && last.cta == h.cta && last.sm == h.sm);
			strbuf_clear(&text);
			assert_true(choice_dispatch(r.d, CHOICE_LAST, (s32)next.launch, next.cta, -1, &last, &text, &r.e));
			assert_true(last.cycle == next.cycle && last.sm == next.sm && last.cta == next.cta);
			assert_non_null(strstr(strbuf_str(&text), "starts; "));
			strbuf_release(&text);
		}
		rig_close(&r);
	}
}

/* The SMs marked as taken are those of the request's plans, and each refused SM has as many CTAs as it is said to. */
static void preemption(void **state)
{
	struct rig r;
	rig_words(&r, "blackscholes concurrent/realtime --size small --param first_us=60 --partition spatial --preempt "
	              "chimera --dynamic-idempotence");
	rig_has(&r, "why preempt", "No kernel has been asked");
	rig_fails(&r, "why preempt 1", "so far");
	rig_say(&r, "break preempt-request");
	rig_say(&r, "continue");
	struct request_sm sms[CONF_MAX_SMS];
	const u32 n = gpu_request_sms(dbg_gpu(r.d), 1, sms, CONF_MAX_SMS);
	assert_int_equal(n, 7);
	const u64 hash = sim_hash(r.s->sim);
	const char *text = rig_say(&r, "why preempt 1");
	u32 taken = 0;
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		unsigned sm, ctas;
		if (*line != '*' || sscanf(line, "* %u %u", &sm, &ctas) != 2)
			continue;
		bool found = false;
		for (u32 i = 0; i < n; i++)
			found |= sms[i].sm == sm && sms[i].ctas == ctas;
		if (!found)
			fail_msg("SM %u is not one of the request: %s", sm, text);
		taken++;
	}
	assert_int_equal(taken, 7);
	assert_non_null(strstr(text, "not taken: others cost less"));
	assert_true(sim_hash(r.s->sim) == hash);
	rig_has(&r, "why partition", "spatial was asked");
	rig_has(&r, "why partition", "all but 0 CTAs are to leave at once");
	rig_fails(&r, "why preempt 9", "numbered from 1 to 1");
	rig_close(&r);
}

/* A request of the user's is a turn: algorithm 3's choice, and SMs that were named. */
static void preemption_by_hand(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "step 1500");
	rig_say(&r, "preempt sms 3 within 20 by switch");
	rig_say(&r, "step 10");
	rig_has(&r, "why preempt", "15 candidates, of which 3 are taken");
	rig_say(&r, "preempt sm 9,11 within 20 by switch");
	rig_say(&r, "step 10");
	const char *text = rig_say(&r, "why preempt 2");
	assert_non_null(strstr(text, "its SMs were named"));
	assert_non_null(strstr(text, "*   9 "));
	assert_non_null(strstr(text, "*  11 "));
	assert_non_null(strstr(text, "2 candidates"));
	assert_non_null(strstr(text, "is being preempted already (request 1)"));
	rig_close(&r);
}

static void words_and_errors(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_has(&r, "why pick", "No cycle has been simulated yet");
	rig_has(&r, "why pick next", "was picked");
	rig_has(&r, "why pick last", "has issued nothing so far");
	rig_has(&r, "why dispatch", "No such CTA has been dispatched");
	rig_has(&r, "why partition", "has not been asked");
	rig_say(&r, "step 100");
	rig_fails(&r, "why pick foo", "'foo' is not understood");
	rig_fails(&r, "why pick sm", "a number is expected behind 'sm'");
	rig_fails(&r, "why pick sm 15", "from 0 to 14");
	rig_fails(&r, "why pick scheduler 2", "from 0 to 1");
	rig_fails(&r, "why pick kernel 0", "not understood");
	rig_fails(&r, "why dispatch kernel 7", "from 0 to");
	rig_fails(&r, "why dispatch kernel 0 cta 64", "CTAs 0 to 63");
	rig_fails(&r, "why partition 3", "partition");
	rig_has(&r, "why dispatch cta 40", "CTA 40 of hotspot#0 was dispatched to SM 10");
	rig_has(&r,
	        "lua local p = dbg.why_pick{when='next'}; print(p.candidates[1].warp == p.picked, p.candidates[1].text)",
	        "true");
	rig_has(&r, "lua print(dbg.why_dispatch{cta=40}.sm)", "10");
	rig_say(&r, "continue");
	rig_has(&r, "why pick next", "issues nothing more in this run");
	rig_has(&r, "why dispatch next", "No such CTA is dispatched from here on");
	rig_has(&r, "why pick last", "was picked");
	rig_fails(&r, "lua dbg.why_pick{sm=99}", "sm is a number from 0 to 14");
	rig_fails(&r, "lua dbg.why_pick{when='soon'}", "when is 'slot', 'last' or 'next'");
	rig_fails(&r, "lua dbg.why_dispatch{foo=1}", "no field 'foo'");
	rig_close(&r);
	rig_words(&r, "hotspot --size small --history 0");
	rig_say(&r, "step 100");
	rig_fails(&r, "why pick", "why pick: ");
	rig_has(&r, "why pick next", "was picked");
	rig_has(&r, "why dispatch next", "was dispatched");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(next_picks_issue),      cmocka_unit_test(lost_slots),
	    cmocka_unit_test(next_dispatches_start), cmocka_unit_test(preemption),
	    cmocka_unit_test(preemption_by_hand),    cmocka_unit_test(words_and_errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
