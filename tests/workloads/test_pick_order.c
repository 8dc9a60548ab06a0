/* What `why pick` and `why dispatch` explain, against what the machine does: under every warp scheduler, on several
 * workloads and machines, one scheduler of one SM is looked at in every cycle (gpu/look.h), another one every few
 * cycles. The warp that it explains as picked is the one that the event `sched-pick` tells of. It has the least rank of
 * those shown to the policy, and nobody else has that rank; where the policy takes none, each of them is explained as
 * declined. Looking leaves the machine's hash as it is. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "commands/commands.h"
#include "gpu/look.h"
#include "session/cmdline.h"
#include "session/session.h"
#include "tests/rig/rounds.h"

struct seen {
	u64 cycle;
	u32 sm, scheduler, warp;
	bool any;
};

static bool on_pick(void *ctx, const struct event *e)
{
	struct seen *s = ctx;
	if ((u32)e->sm == s->sm && e->arg[0] == s->scheduler)
		*s =
		    (struct seen){.cycle = e->cycle, .sm = s->sm, .scheduler = s->scheduler, .warp = (u32)e->warp, .any = true};
	return false;
}

static const char *told; /* the run, for messages */

static void check_round(const struct pick_look *l, u32 r)
{
	const bool here = l->picked != NO_WARP && l->claim[l->picked].round == r;
	FOR_EACH_BIT(w, l->round[r].shown)
	{
		const struct pick_claim *c = &l->claim[w];
		const unsigned long long at = l->cycle;
		if (!*c->text)
			fail_msg("%s, cycle %llu: warp %u has no explanation", told, at, (u32)w);
		if (w == l->picked) {
			if (c->rank == PICK_DECLINED)
				fail_msg("%s, cycle %llu: warp %u was picked, explained as declined: %s", told, at, (u32)w, c->text);
		} else if (!here && c->round == r && c->rank != PICK_DECLINED) {
			fail_msg("%s, cycle %llu: none was picked, but warp %u is explained as %lld: %s", told, at, (u32)w,
			         (long long)c->rank, c->text);
		} else if (here && c->rank <= l->claim[l->picked].rank) {
			fail_msg("%s, cycle %llu: warp %u was picked (%lld, %s), but warp %u is %lld (%s)", told, at, l->picked,
			         (long long)l->claim[l->picked].rank, l->claim[l->picked].text, (u32)w, (long long)c->rank,
			         c->text);
		}
	}
}

static void check_look(const struct pick_look *l, const struct seen *s)
{
	const bool issued = s->any && s->cycle == l->cycle;
	if (l->picked != (issued ? s->warp : NO_WARP))
		fail_msg("%s, cycle %llu: explained %d, issued %d", told, (unsigned long long)l->cycle, (s32)l->picked,
		         issued ? (s32)s->warp : -1);
	assert_true(l->ordered && l->rounds);
	for (u32 r = 0; r < l->rounds; r++)
		check_round(l, r);
}

struct tally {
	u64 looks, choices, declined; /* choices: among several */
};

/* To the end, at most so many cycles; looks if `t`. Returns the hash. */
static u64 run(const char *const *words, u64 cycles, struct tally *t)
{
	struct options o = {0};
	struct err e = {0};
	char *argv[24] = {"warpdbg", "run"};
	int argc = 2;
	for (; words[argc - 2]; argc++)
		argv[argc] = (char *)words[argc - 2];
	if (cmdline_parse(&o, argc, argv, &e) != CMDLINE_OK)
		fail_msg("%s", e.msg);
	struct session *s = session_open(&o, console_modules, &e);
	if (!s)
		fail_msg("%s", e.msg);
	struct gpu *g = sim_gpu(s->sim);
	const u32 sms = gpu_conf(g)->num_sms, scheds = gpu_conf(g)->sm_schedulers;
	struct seen seen = {.warp = NO_WARP};
	const int id = t ? sim_subscribe(s->sim, EVENT(EV_SCHED_PICK), on_pick, &seen) : -1;
	for (u64 at = 0; at < cycles; at++) {
		struct pick_look look = {.scheduler = (u32)(at / 16 % scheds)};
		seen.sm = (u32)(at / 64 % 3 * (sms - 1) / 2);
		seen.scheduler = look.scheduler;
		seen.any = false;
		if (t)
			gpu_look_picks(g, seen.sm, &look);
		const enum session_stop why = session_run(s, sim_cycle(s->sim) + 1, &e);
		if (t) {
			gpu_look_picks(g, seen.sm, NULL);
			if (look.seen) {
				check_look(&look, &seen);
				t->looks++;
				t->choices += bit_count(look.ready) > 1;
				t->declined += look.picked == NO_WARP;
			} else if (seen.any) {
				fail_msg("%s, cycle %llu: issued, but nothing was seen", told, (unsigned long long)seen.cycle);
			}
		}
		if (why != SS_CYCLE)
			break;
	}
	const u64 hash = sim_hash(s->sim);
	if (t)
		sim_unsubscribe(s->sim, id);
	session_close(s);
	cmdline_free(&o);
	return hash;
}

static void try_one(const char *const *words, u64 cycles, struct tally *t)
{
	char name[400] = "";
	for (u32 i = 0; words[i]; i++)
		snprintf(name + strlen(name), sizeof name - strlen(name), "%s ", words[i]);
	told = name;
	const u64 without = run(words, cycles, NULL), with = run(words, cycles, t);
	if (with != without)
		fail_msg("%s: looking has changed the hash", name);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void every_scheduler(void **state)
{
	static const char *const programs[] = {"hotspot", "bfs", "spmv"};
	const struct policy *p;
	for (u32 i = 0; (p = sim_policy(POLICY_WARP, i)); i++) {
		struct tally t = {0};
		for (u32 k = 0; k < ARRAY_LEN(programs); k++)
			try_one(WORDS(programs[k], "--size", "small", "--warp-sched", p->name, "--gpu", k % 2 ? "gtx480" : "m2090"),
			        rounds("PICK_CYCLES", 2500, 800), &t);
		if (!SANITIZED && t.choices < 300)
			fail_msg("%s: only %llu choices among several warps", p->name, (unsigned long long)t.choices);
		print_message("%-8s %6llu looks, %6llu choices, %llu declined\n", p->name, (unsigned long long)t.looks,
		              (unsigned long long)t.choices, (unsigned long long)t.declined);
	}
}

static void other_machines(void **state)
{
	struct tally t = {0};
	try_one(WORDS("hotspot", "--size", "small", "--gpu", "v100"), 1500, &t);
	try_one(WORDS("sgemm", "--size", "small", "--gpu", "rtx3080"), 1500, &t);
	try_one(WORDS("spmv", "--size", "small", "--warp-sched", "tlv", "--set", "tlv.fill=true"), 1500, &t);
	try_one(WORDS("spmv", "--size", "small", "--warp-sched", "tlv", "--set", "tlv.fill=false"), 1500, &t);
	try_one(WORDS("convsep", "--size", "small", "--warp-sched", "sca", "--cta-sched", "bcs"), 3000, &t);
	try_one(WORDS("spmv", "--size", "small", "--cta-sched", "dyncta"), 6000, &t); /* CTAs of the lowest priority */
	try_one(WORDS("spmv", "--size", "small", "--warp-sched", "ccws"), 20000, &t);
	try_one(WORDS("kmeans", "--size", "small", "--warp-sched", "ccws"), 20000, &t);
	try_one(WORDS("spmv", "--size", "small", "--warp-sched", "lua:gto.lua"), 1500, &t);
	assert_true(t.choices > 3000);
	print_message("%llu looks, %llu choices, %llu declined\n", (unsigned long long)t.looks,
	              (unsigned long long)t.choices, (unsigned long long)t.declined);
}

/* Two kernels on an SM: groups of warps are shown one after the other. */
static void kernel_schedulers(void **state)
{
	const struct policy *p;
	struct tally t = {0};
	for (u32 i = 0; (p = sim_policy(POLICY_KERNELS, i)); i++)
		try_one(WORDS("hotspot", "spmv", "--size", "small", "--partition", "smk", "--kernel-sched", p->name), 3000, &t);
	print_message("%llu choices\n", (unsigned long long)t.choices);
	assert_true(t.choices > 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_scheduler),
	    cmocka_unit_test(other_machines),
	    cmocka_unit_test(kernel_schedulers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
