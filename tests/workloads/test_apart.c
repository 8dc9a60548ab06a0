/* SMs share nothing within a cycle: whatever an SM's tick writes is its own, and nothing that it reads is written by
 * another's. At random cycles of workloads each awake SM has its tick alone, from the same state, in a process of its
 * own; no byte of the arena may be changed by two of them, and all their changes together must be what the ticks leave
 * that come one after the other. What does not hold is named: the cycle, the SMs, what lies at the byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/present.h"
#include "session/session.h"
#include "tests/rig/catalog_rig.h"
#include "tests/rig/order_rig.h"

#define NO_SM UINT32_MAX

/* Between processes. */
struct seen {
	u32 changed;       /* SMs whose tick alone changed something */
	u32 first, second; /* SMs that both changed a byte; second is NONE where the sum is not the whole */
	u64 at;            /* that byte + 1; 0: all is well */
	u8 value[2];
};
struct apart {
	struct seen *seen;
	struct present *there; /* pages of the arena that anybody has touched: the rest is zero, before and after */
	u8 *before;            /* a copy of those */
	u16 *owner;            /* by byte: the SM that changed it, + 1 */
	u8 *merged;            /* and to what */
	u8 *touched;           /* by page: a tick has changed something of it */
	size_t bytes;
};

static void *shared(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_true(p != MAP_FAILED);
	return p;
}

/* A planted fault: an SM counts in a place that another one has, too, or looks at one. */
static enum { NO_FAULT, FAULT_WRITES, FAULT_READS } planted;

static void tick_one(struct gpu *g, u32 i)
{
	const u64 now = g->st->cycle;
	if (mem_wake(g->mem)[i / 64] >> i % 64 & 1)
		sm_replies(&g->ctx[i], g->sm[i], now);
	sm_tick(&g->ctx[i], g->sm[i], now);
	if (planted == FAULT_WRITES)
		g->sm[0]->k.issue_slots++;
	else if (planted == FAULT_READS)
		g->sm[i]->k.issue_slots += g->sm[(i + 1) % g->conf.num_sms]->k.issue_slots;
}

static const u64 *touched_pages(const struct apart *x)
{
	return present_find(x->there, (u32)(x->bytes / 4096 + 1));
}
static bool is_there(const u64 *there, size_t byte)
{
	return present_at(there, byte / PRESENT_PAGE);
}

/* In a child. */
static void alone(struct gpu *g, struct apart *x, u32 sm)
{
	tick_one(g, sm);
	const u8 *now = g->arena.base;
	const u64 *there = touched_pages(x);
	bool any = false;
	for (size_t page = 0; page < x->bytes; page += 4096) {
		const size_t end = MIN(page + 4096, x->bytes);
		if (!is_there(there, page) || !memcmp(now + page, x->before + page, end - page))
			continue;
		any = true;
		x->touched[page / 4096] = 1;
		for (size_t b = page; b < end; b++) {
			if (now[b] == x->before[b])
				continue;
			if (x->owner[b] && !x->seen->at)
				*x->seen =
				    (struct seen){.changed = x->seen->changed, .first = x->owner[b] - 1u, .second = sm, .at = b + 1};
			x->owner[b] = (u16)(sm + 1);
			x->merged[b] = now[b];
		}
	}
	x->seen->changed += any;
}

/* No tick has changed anything of this page. */
static bool untouched(const struct apart *x, size_t page)
{
	return !x->touched[page / 4096];
}

static void together(struct gpu *g, struct apart *x, const bool *turn)
{
	for (u32 i = 0; i < g->conf.num_sms; i++)
		if (turn[i])
			tick_one(g, i);
	const u8 *now = g->arena.base;
	const u64 *there = touched_pages(x);
	for (size_t b = 0; b < x->bytes && !x->seen->at; b++) {
		if (b % 4096 == 0 && untouched(x, b) &&
		    (!is_there(there, b) || !memcmp(now + b, x->before + b, MIN(x->bytes - b, 4096u)))) {
			b += 4095;
			continue;
		}
		const u8 sum = x->owner[b] ? x->merged[b] : x->before[b];
		if (now[b] != sum)
			*x->seen = (struct seen){.changed = x->seen->changed,
			                         .first = x->owner[b] ? x->owner[b] - 1u : NO_SM,
			                         .second = NO_SM,
			                         .at = b + 1,
			                         .value = {sum, now[b]}};
	}
}

static void in_child(struct gpu *g, struct apart *x, u32 sm, const bool *turn)
{
	fflush(NULL);
	const pid_t child = fork();
	int status;
	assert_true(child >= 0);
	if (!child) {
		present_forked(x->there);
		turn ? together(g, x, turn) : alone(g, x, sm);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
}

/* Who would be ticked in this cycle; an SM at fault stands still. */
static u32 whose_turn(const struct gpu *g, bool *turn)
{
	u32 n = 0;
	for (u32 i = 0; i < g->conf.num_sms; i++) {
		turn[i] =
		    ((g->st->awake[i / 64] | mem_wake(g->mem)[i / 64]) >> i % 64 & 1 || g->st->wake_at[i] <= g->st->cycle) &&
		    !g->sm[i]->faulted;
		n += turn[i];
	}
	return n;
}

/* Text, where something does not hold. False: fewer than two SMs have something to do. */
static bool look(struct gpu *g, u8 *copy, struct strbuf *says)
{
	bool turn[CONF_MAX_SMS];
	if (whose_turn(g, turn) < 2)
		return false;
	struct apart x = {.bytes = g->arena.tail ? MIN(g->arena.used, g->arena.tail) : g->arena.used, .before = copy};
	x.seen = shared(sizeof *x.seen);
	x.merged = shared(x.bytes);
	x.owner = shared(x.bytes * sizeof *x.owner);
	x.touched = shared(x.bytes / 4096 + 1);
	x.there = present_open(g->arena.base, g->arena.reserved);
	const u64 *there = touched_pages(&x);
	for (size_t page = 0; page < x.bytes; page += 4096)
		if (is_there(there, page))
			memcpy(x.before + page, g->arena.base + page, MIN(x.bytes - page, 4096u));
	for (u32 i = 0; i < g->conf.num_sms; i++)
		if (turn[i])
			in_child(g, &x, i, NULL);
	in_child(g, &x, 0, turn);
	const u32 changed = x.seen->changed;
	if (x.seen->at) {
		strbuf_addf(says, "cycle %llu: ", (unsigned long long)g->st->cycle);
		arena_where(&g->arena, x.seen->at - 1, says);
		if (x.seen->second != NO_SM)
			strbuf_addf(says, ": written by SM %u and by SM %u", x.seen->first, x.seen->second);
		else
			strbuf_addf(says, ": %u when each SM ticks alone, %u when they do in turn", x.seen->value[0],
			            x.seen->value[1]);
	}
	present_close(x.there);
	munmap(x.seen, sizeof *x.seen);
	munmap(x.merged, x.bytes);
	munmap(x.owner, x.bytes * sizeof *x.owner);
	munmap(x.touched, x.bytes / 4096 + 1);
	return changed > 1;
}

/* So many looks, at random cycles, at two SMs or more. Text where something does not hold. */
static void run(const struct order_case *c, u32 looks, struct strbuf *says)
{
	struct order_side s;
	struct err e = {0};
	u64 rng = c->shuffle;
	u32 done = 0;
	if (!order_open(&s, c, 0, &e))
		fail_msg("%s: %s", c->workload, e.msg);
	u8 *copy = xcalloc(1, sim_gpu(s.s->sim)->arena.reserved); /* as much of it as is used gets memory */
	for (u32 k = 0; done < looks && !says->len; k++) {
		s.why = session_run(s.s, sim_cycle(s.s->sim) + 1 + rng_next(&rng) % 500, &e);
		if (s.why != SS_CYCLE)
			break;
		order_request(s.s, c->requests ? c->requests + k : 0);
		done += look(sim_gpu(s.s->sim), copy, says);
	}
	if (!says->len && !done)
		fail_msg("%s: no two SMs were awake", c->workload);
	free(copy);
	session_close(s.s);
}

static const struct order_case cases[] = {
    {.workload = "color", .gpu = "apu15", .set = {"l1d.mshrs=4", "num_sms=4"}, .shuffle = 2},
    {.workload = "bfs", .gpu = "apu3", .set = {"coherence=gpu", "warp-sched=ccws"}, .shuffle = 3},
    {.workload = "histogram",
     .gpu = "gtx480",
     .set = {"warp-sched=mascar", "lsu.replay=newcar", "num_sms=3"},
     .shuffle = 4},
    {.workload = "heartwall", .gpu = "gtx480", .set = {"cta-virtual=vt", "num_sms=3"}, .shuffle = 5},
    {.workload = "concurrent/pair",
     .gpu = "gtx480",
     .param = {"a=hotspot", "b=lps"},
     .set = {"partition=spatial", "preempt=chimera", "idempotence.track=true", "num_sms=4", "commit.delay=3"},
     .requests = 1,
     .shuffle = 6},
};

static u32 looks_wanted(u32 few)
{
	const char *n = getenv("WARPDBG_APART");
	return n ? (u32)strtoul(n, NULL, 10) : few;
}

static void test_nothing_shared(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf says = STRBUF_INIT, command = STRBUF_INIT;
		run(&cases[i], looks_wanted(3), &says);
		order_command(&cases[i], &command);
		if (says.len)
			fail_msg("%s: %s", strbuf_str(&command), strbuf_str(&says));
		strbuf_release(&says);
		strbuf_release(&command);
	}
}

/* With WARPDBG_APART=N: N looks at every workload, on each machine in turn. */
static void test_every_workload(void **state)
{
	for (u32 w = 0; w < workloads.n; w++) {
		struct strbuf says = STRBUF_INIT;
		const struct order_case c = {.workload = workloads.name[w],
		                             .gpu = machines.name[w % machines.n],
		                             .set = {"num_sms=3"},
		                             .shuffle = w + 1};
		run(&c, looks_wanted(1), &says);
		if (says.len)
			fail_msg("%s on %s: %s", c.workload, c.gpu, strbuf_str(&says));
		strbuf_release(&says);
	}
}

/* What it looks for it finds. */
static void test_finds(void **state)
{
	struct strbuf says = STRBUF_INIT;
	planted = FAULT_WRITES;
	run(&cases[0], 8, &says);
	assert_non_null(strstr(strbuf_str(&says), "struct sm"));
	assert_non_null(strstr(strbuf_str(&says), "written by SM"));
	strbuf_clear(&says);
	planted = FAULT_READS;
	run(&cases[2], 8, &says);
	assert_non_null(strstr(strbuf_str(&says), "when each SM ticks alone"));
	planted = NO_FAULT;
	strbuf_release(&says);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nothing_shared),
	    cmocka_unit_test(test_finds),
	};
	const struct CMUnitTest every[] = {cmocka_unit_test(test_every_workload)};
	if (getenv("WARPDBG_APART"))
		return cmocka_run_group_tests(every, find_files, release_files);
	return cmocka_run_group_tests(tests, find_files, release_files);
}
