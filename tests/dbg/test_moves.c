/* Where CTAs have been: what is noted of them is all that happens, once, however the machine was brought to a cycle;
 * swaps and lives are whole; `why cta` says of every CTA what the machine says; asking changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "dbg/moves.h"
#include "dbg/swaps.h"
#include "gpu/query_slotless.h"
#include "tests/rig/debug_rig.h"
#include "tests/rig/rounds.h"

static const char *const swapping[] = {
    "bfs --param n=5000 --cta-virtual vt --set num_sms=2",
    "backprop --size small --cta-virtual vt --set num_sms=2",
    "bfs --param n=5000 --cta-virtual vt --set num_sms=2 --set vt.ending=true --set vt.bandwidth=0",
    "spmv backprop --size small --cta-virtual vt --partition smk --set num_sms=2",
};
static const char *const preempting[] = {
    "blackscholes concurrent/realtime --size small --param first_us=60 --partition spatial --preempt switch",
    "blackscholes concurrent/realtime --size small --param first_us=60 --partition spatial --preempt chimera "
    "--dynamic-idempotence",
    "bfs concurrent/realtime --size small --param first_us=1 --partition spatial --preempt switch --cta-virtual vt",
};

static u64 now(const struct rig *r)
{
	return sim_cycle(r->s->sim);
}

/* --- all that is noted, as bytes --- */

struct list {
	struct event *e;
	u32 n, room;
};
static void append(struct list *l, const struct event *ev)
{
	if (l->n == l->room)
		l->e = xrealloc(l->e, (l->room = MAX(2 * l->room, 256u)) * sizeof *l->e);
	l->e[l->n++] = *ev;
}
static void on_walk(void *ctx, const struct event *ev)
{
	append(ctx, ev);
}
static struct list noted(const struct rig *r)
{
	struct list l = {0};
	moves_walk(r->d->moves, now(r), on_walk, &l);
	return l;
}

static bool on_event(void *ctx, const struct event *ev)
{
	append(ctx, ev);
	return false;
}

static int by_all(const void *a, const void *b)
{
	const struct event *x = a, *y = b;
	return x->cycle != y->cycle ? (x->cycle > y->cycle) - (x->cycle < y->cycle) : memcmp(x, y, sizeof *x);
}

static void same(const char *what, struct list *a, struct list *b)
{
	assert_int_equal(a->n, b->n);
	if (a->n)
		qsort(a->e, a->n, sizeof *a->e, by_all);
	if (b->n)
		qsort(b->e, b->n, sizeof *b->e, by_all);
	for (u32 i = 0; i < a->n; i++)
		if (memcmp(&a->e[i], &b->e[i], sizeof *a->e) != 0)
			fail_msg("%s: %u: cycle %llu %s, cycle %llu %s", what, i, (unsigned long long)a->e[i].cycle,
			         event_descs[a->e[i].type].name, (unsigned long long)b->e[i].cycle, event_descs[b->e[i].type].name);
	free(a->e);
	free(b->e);
}

/* --- each program --- */

static void each(const char *const *program, u32 n, void (*test)(struct rig *r, const char *program))
{
	for (u32 i = 0; i < n; i += rounds(NULL, 1, 2)) {
		struct rig r;
		rig_words(&r, program[i]);
		test(&r, program[i]);
		rig_close(&r);
	}
}
#define EACH(programs, test) each(programs, ARRAY_LEN(programs), test)

/* What somebody hears who listens to a run that goes straight on. */
static struct list heard(const char *program, const char *const *line, u32 n)
{
	struct rig r;
	struct list l = {0};
	rig_words(&r, program);
	sim_subscribe(r.s->sim, moves_mask(), on_event, &l);
	for (u32 i = 0; i < n; i++)
		rig_try(&r, line[i]);
	rig_close(&r);
	return l;
}

/* By cycles; within one a CTA begins first and ends last. */
static void in_order(const struct list *l)
{
	for (u32 i = 0; i < l->n; i++)
		for (u32 k = i + 1; k < l->n && l->e[k].cycle <= l->e[i].cycle; k++) {
			assert_int_equal(l->e[k].cycle, l->e[i].cycle);
			if (l->e[k].kernel == l->e[i].kernel && l->e[k].cta == l->e[i].cta)
				assert_true(l->e[k].type != EV_CTA_DISPATCH && l->e[i].type != EV_CTA_DONE);
		}
}

/* The machine goes back and forth, with everybody listening and with nobody. */
static void all_once(struct rig *r, const char *program)
{
	rig_say(r, "goto 2000");
	rig_say(r, "break cta-dispatch");
	rig_try(r, "reverse-continue");
	rig_say(r, "delete");
	rig_say(r, "step 300"); /* over what has been noted */
	rig_say(r, "goto 1200");
	rig_say(r, "step 500");
	rig_say(r, "goto 3000");
	rig_say(r, "goto 10");
	rig_try(r, "goto 150000"); /* or to its end */
	const char *const straight = "goto 150000";
	struct list mine = noted(r), others = heard(program, &straight, 1);
	assert_false(moves_forgotten(r->d->moves));
	if (mine.n < 50)
		fail_msg("%s: %u moves", program, mine.n);
	in_order(&mine);
	same(program, &mine, &others);
}

static void test_all_once(void **state)
{
	EACH(swapping, all_once);
	EACH(preempting, all_once);
}

/* Every swap of the counters, with its cycles; on an SM one at a time. */
static void sums(struct rig *r, const char *program)
{
	rig_say(r, "continue");
	u32 n;
	u64 swaps = 0, cycles = 0, seen = 0, ends[CONF_MAX_SMS] = {0};
	struct swap *s = swaps_known(r->d, &n);
	for (u32 i = 0; i < n; i++) {
		assert_true(s[i].over); /* at the end none is under way */
		assert_true(s[i].cycle >= ends[s[i].sm]);
		ends[s[i].sm] = s[i].over;
		seen += s[i].over - s[i].cycle;
		assert_true(s[i].away != SWAP_UNKNOWN && s[i].ready != SWAP_UNKNOWN && s[i].ready <= s[i].away);
		assert_true(s[i].cause == SWAP_FREE_SLOTS || (s[i].held != SWAP_UNKNOWN && s[i].held <= s[i].cycle));
	}
	for (u32 i = 0; i < gpu_conf(dbg_gpu(r->d))->num_sms; i++) {
		const struct sm_counters *k = (const void *)gpu_counters(dbg_gpu(r->d), CG_sm, i);
		swaps += k->vt_swaps;
		cycles += k->vt_swap_cycles;
	}
	if (n != swaps || seen != cycles)
		fail_msg("%s: %u swaps of %llu cycles, counted %llu of %llu", program, n, (unsigned long long)seen,
		         (unsigned long long)swaps, (unsigned long long)cycles);
	assert_true(n > 10);
	free(s);
}

static void test_sums(void **state)
{
	EACH(swapping, sums);
}

/* Of a CTA's life, the cycles with slots and those without, as its swaps have them, are all of it. */
struct life {
	u32 launch, swaps;
	u64 cta, began, ended, got, with, without;
	bool slot;
};
static void lives_whole(struct rig *r, const char *program)
{
	rig_say(r, "continue");
	struct list l = noted(r);
	u32 n, checked = 0;
	struct swap *s = swaps_known(r->d, &n);
	for (u32 i = 0; i < l.n; i++) {
		if (l.e[i].type != EV_CTA_DONE)
			continue;
		struct life of = {.launch = (u32)l.e[i].kernel, .cta = (u64)l.e[i].cta, .ended = l.e[i].cycle};
		for (u32 k = 0; k < i; k++)
			if (l.e[k].type == EV_CTA_DISPATCH && l.e[k].kernel == l.e[i].kernel && l.e[k].cta == l.e[i].cta) {
				of.began = of.got = l.e[k].cycle;
				of.slot = l.e[k].arg[1] != 0;
			}
		assert_int_equal(of.ended - of.began, l.e[i].arg[1]);
		for (u32 k = 0; k < n; k++) {
			if (s[k].cause != SWAP_FREE_SLOTS && s[k].out == of.cta && s[k].out_launch == of.launch) {
				assert_true(of.slot);
				of.with += s[k].held;
				of.slot = false;
				of.swaps++;
			}
			if (s[k].in == of.cta && s[k].in_launch == of.launch) {
				assert_false(of.slot);
				assert_int_equal(s[k].is_new, !of.with);
				of.without += s[k].away;
				of.got = s[k].cycle;
				of.slot = true;
				of.swaps++;
			}
		}
		assert_true(of.slot);
		if (of.with + of.without + (of.ended - of.got) != of.ended - of.began)
			fail_msg("%s: CTA %llu#%u: %llu cycles with slots, %llu without, the last %llu; its life has %llu", program,
			         (unsigned long long)of.cta, of.launch, (unsigned long long)of.with, (unsigned long long)of.without,
			         (unsigned long long)(of.ended - of.got), (unsigned long long)(of.ended - of.began));
		checked += of.swaps > 1;
	}
	assert_true(checked > 5);
	free(s);
	free(l.e);
}

static void test_lives_whole(void **state)
{
	EACH(swapping, lives_whole);
}

/* --- whichever way one comes --- */

static void text_at(struct rig *r, struct strbuf *out)
{
	strbuf_adds(out, rig_say(r, "info swaps 100000"));
	for (u32 i = 0; i < 40; i += 3) {
		char line[40];
		snprintf(line, sizeof line, "why cta %u kernel=0", i);
		if (rig_try(r, line))
			strbuf_adds(out, strbuf_str(&r->out));
	}
}

static void any_way(struct rig *r, const char *program)
{
	static const u32 stops[] = {300, 477, 900, 1500, 2300};
	struct strbuf live[ARRAY_LEN(stops)] = {STRBUF_INIT}, again = STRBUF_INIT;
	u64 hash[ARRAY_LEN(stops)];
	for (u32 i = 0; i < ARRAY_LEN(stops); i++) {
		char line[32];
		snprintf(line, sizeof line, "goto %u", stops[i]);
		rig_say(r, line);
		hash[i] = sim_hash(r->s->sim);
		text_at(r, &live[i]);
		assert_int_equal(sim_hash(r->s->sim), hash[i]);
		assert_int_equal(now(r), stops[i]);
	}
	rig_try(r, "goto 4000");
	for (u32 i = ARRAY_LEN(stops); i-- > 0;) {
		char line[32];
		snprintf(line, sizeof line, "goto %u", stops[i]);
		rig_say(r, line);
		strbuf_clear(&again);
		text_at(r, &again);
		if (strcmp(strbuf_str(&live[i]), strbuf_str(&again)) != 0)
			fail_msg("%s: cycle %u:\n%s\nnot:\n%s", program, stops[i], strbuf_str(&again), strbuf_str(&live[i]));
		assert_int_equal(sim_hash(r->s->sim), hash[i]);
		strbuf_release(&live[i]);
	}
	strbuf_release(&again);
	/* Before the cycle of a move nothing is known of it, behind it is. */
	rig_try(r, "goto 2300");
	struct list l = noted(r);
	const u64 at = l.e[l.n / 2].cycle;
	u32 before = 0, until = 0;
	for (u32 i = 0; i < l.n; i++) {
		before += l.e[i].cycle < at;
		until += l.e[i].cycle <= at;
	}
	for (u32 k = 0; k < 2; k++) {
		char line[32];
		snprintf(line, sizeof line, "goto %llu", (unsigned long long)at + k);
		rig_say(r, line);
		struct list some = noted(r);
		assert_int_equal(some.n, k ? until : before);
		free(some.e);
	}
	free(l.e);
}

static void test_any_way(void **state)
{
	EACH(swapping, any_way);
	EACH(preempting, any_way);
}

/* Another past has another future: what was noted of the old one is gone, after a change, after it is undone, and after
 * another machine has been built. */
static void test_forks(void **state)
{
	struct rig r;
	static const char *const paused[] = {"goto 1000", "pause cta 0 kernel=0", "goto 2500"},
	                         *const straight = "goto 2500", *const lrr[] = {"run --warp-sched lrr", "goto 2500"};
	rig_words(&r, swapping[0]);
	rig_say(&r, "goto 2500");
	rig_say(&r, "goto 1000");
	rig_say(&r, "pause cta 0 kernel=0");
	rig_say(&r, "goto 2500");
	struct list mine = noted(&r), other = heard(swapping[0], paused, 3), plain = heard(swapping[0], &straight, 1);
	bool differs = plain.n != other.n;
	for (u32 i = 0; i < MIN(plain.n, other.n); i++)
		differs |= memcmp(&plain.e[i], &other.e[i], sizeof other.e[i]) != 0;
	assert_true(differs);
	same("another future", &mine, &other);
	rig_say(&r, "undo");
	rig_say(&r, "undo"); /* the pause */
	rig_say(&r, "goto 2500");
	mine = noted(&r);
	same("undone", &mine, &plain);
	rig_say(&r, "run --warp-sched lrr");
	rig_try(&r, "goto 2500");
	struct rig b;
	rig_words(&b, swapping[0]);
	rig_say(&b, lrr[0]);
	rig_try(&b, lrr[1]);
	mine = noted(&r);
	other = noted(&b);
	assert_true(other.n > 20);
	same("another machine", &mine, &other);
	rig_close(&b);
	rig_close(&r);
}

/* --- why cta --- */

static void has(const char *text, const char *want)
{
	if (!strstr(text, want))
		fail_msg("'%s' expected in: %s", want, text);
}

static void on_sm(struct rig *r, u32 sm, u32 place)
{
	struct cta_info c;
	struct gpu *g = dbg_gpu(r->d);
	char line[64], want[80];
	gpu_cta_info(g, sm, place, &c);
	snprintf(line, sizeof line, "why cta %llu kernel=%u", (unsigned long long)c.cta, c.launch);
	const char *text = rig_say(r, line);
	const bool slot = !cta_state_slotless(c.is.state);
	if (slot)
		snprintf(want, sizeof want, "is on SM %u in slot %u: %s", sm, place, cta_state_descs[c.is.state].name);
	else
		snprintf(want, sizeof want, "is on SM %u without a slot: %s since cycle %llu", sm,
		         cta_state_descs[c.is.state].name, (unsigned long long)c.is.since);
	has(text, want);
	if (slot)
		return;
	struct slotless_info s;
	struct slotless_warp w[WARP_SLOTS];
	gpu_slotless(g, sm, place, &s);
	const u32 n = gpu_slotless_warps(g, sm, place, w, WARP_SLOTS);
	u32 results = 0, open = 0;
	assert_int_equal(n, bit_count(c.warps));
	for (u32 i = 0; i < n; i++) {
		results += w[i].results;
		open += w[i].results || w[i].transactions;
		assert_true(w[i].load == PC_DONE || w[i].results);
	}
	assert_int_equal(s.waits, s.ending ? open : results);
	assert_int_equal(c.is.state == CS_READY, !s.waits && c.is.state != CS_SWAP_OUT);
}

static void told(struct rig *r, const char *program)
{
	u32 looked = 0, slotless = 0;
	for (u32 at = 200; at < 9000 && r->d->run.state == DBG_STOPPED; at += 371) {
		char line[32];
		snprintf(line, sizeof line, "goto %u", at);
		rig_say(r, line);
		for (u32 sm = 0; sm < gpu_conf(dbg_gpu(r->d))->num_sms; sm++) {
			u32 place[GPU_CTAS_MAX];
			const u32 n = gpu_ctas(dbg_gpu(r->d), sm, place, GPU_CTAS_MAX);
			for (u32 i = 0; i < n; i++)
				on_sm(r, sm, place[i]);
			struct sm_info s; /* whom the LSU serves has a slot, or none: other places are nobody's name */
			gpu_sm_info(dbg_gpu(r->d), sm, &s);
			assert_true(s.lsu_warp <= WARP_SLOTS);
			looked += n;
			slotless += gpu_inactive_ctas(dbg_gpu(r->d), sm, place, GPU_CTAS_MAX);
		}
	}
	if (looked < 50 || (slotless < 10 && !strstr(program, "smk"))) /* those have such CTAs later */
		fail_msg("%s: %u CTAs looked at, %u without a slot", program, looked, slotless);
}

static void test_told(void **state)
{
	EACH(swapping, told);
}

/* A saved CTA: off its SM, and back on another, in one answer. */
static void test_saved(void **state)
{
	struct rig r;
	char line[64], want[120];
	rig_words(&r, preempting[0]);
	rig_say(&r, "break cta-restore");
	rig_say(&r, "continue");
	struct list l = noted(&r);
	const struct event *save = NULL, *back = NULL;
	for (u32 i = 0; i < l.n; i++)
		if (l.e[i].type == EV_CTA_RESTORE)
			back = &l.e[i];
	assert_non_null(back);
	for (u32 i = 0; i < l.n; i++)
		if (l.e[i].type == EV_CTA_SAVE && l.e[i].cta == back->cta && l.e[i].kernel == back->kernel)
			save = &l.e[i];
	assert_non_null(save);
	snprintf(line, sizeof line, "why cta %d kernel=%d", back->cta, back->kernel);
	const char *text = rig_say(&r, line);
	snprintf(want, sizeof want, "is taken off SM %d by switch for request %llu, with %llu bytes", save->sm,
	         (unsigned long long)save->arg[3], (unsigned long long)save->arg[4]);
	has(text, want);
	snprintf(want, sizeof want, "goes on on SM %d in slot %llu with", back->sm, (unsigned long long)back->arg[0]);
	has(text, want);
	has(text, "is to leave SM");
	assert_int_equal(back->cycle - save->cycle, back->arg[3]);
	has(rig_say(&r, "why cta 0 kernel=0"), "#0 has ended"); /* while its kernel runs */
	/* Before that it was on no SM, */
	snprintf(line, sizeof line, "goto %llu", (unsigned long long)save->cycle + 100);
	rig_say(&r, line);
	snprintf(line, sizeof line, "why cta %d kernel=%d", back->cta, back->kernel);
	snprintf(want, sizeof want, "is on no SM: it was taken off SM %d in cycle %llu, 100 cycles ago, and is queued",
	         save->sm, (unsigned long long)save->cycle);
	has(rig_say(&r, line), want);
	assert_null(strstr(rig_say(&r, line), "goes on on"));
	/* in the beginning not begun, and in the end it has ended. */
	rig_say(&r, "goto 1");
	has(rig_say(&r, line), "has not begun");
	rig_say(&r, "delete");
	rig_say(&r, "continue");
	has(rig_say(&r, line), "has ended");
	free(l.e);
	rig_close(&r);
}

/* By which technique, for which request. */
static void test_techniques(void **state)
{
	struct rig r;
	u32 flushed = 0;
	rig_words(&r, preempting[1]);
	rig_say(&r, "goto 60000");
	struct list l = noted(&r);
	for (u32 i = 0; i < l.n; i++) {
		char line[40], want[64];
		if (l.e[i].type != EV_CTA_SAVE)
			continue;
		snprintf(line, sizeof line, "why cta %d kernel=%d", l.e[i].cta, l.e[i].kernel);
		snprintf(want, sizeof want, "is taken off SM %d by %s for request %llu", l.e[i].sm,
		         event_arg_name(EV_CTA_SAVE, 2, l.e[i].arg[2]), (unsigned long long)l.e[i].arg[3]);
		has(rig_say(&r, line), want);
		flushed += l.e[i].arg[2] == 2;
	}
	assert_true(flushed);
	free(l.e);
	rig_close(&r);
}

/* CTA 0 of every launch has a way of its own. */
static void test_launches(void **state)
{
	struct rig r;
	rig_words(&r, swapping[0]);
	rig_say(&r, "continue");
	for (u32 k = 0; k < 3; k++) {
		char line[40];
		snprintf(line, sizeof line, "why cta 0 kernel=%u", k);
		const char *text = rig_say(&r, line), *begins = strstr(text, " begins on");
		assert_non_null(begins);
		assert_null(strstr(begins + 1, " begins on"));
	}
	rig_close(&r);
}

static void test_refuses(void **state)
{
	struct rig r;
	rig_words(&r, swapping[0]);
	rig_has(&r, "info swaps", "No CTA has given its slots");
	rig_fails(&r, "info swaps many", "info swaps");
	rig_say(&r, "goto 460");
	rig_fails(&r, "why cta 99999", "has CTAs 0 to");
	rig_fails(&r, "why cta x", "'x' is not understood");
	rig_fails(&r, "why cta 1 2", "'2' is not understood");
	rig_fails(&r, "why cta 1 kernel=9", "why cta");
	rig_fails(&r, "why cta 1,700", "the grid of launch 0 has");
	rig_has(&r, "why cta 1,0", "CTA 1 of");
	rig_has(&r, "why cta", "CTA ");
	rig_close(&r);
	rig_vecadd(&r);
	rig_has(&r, "info swaps", "--cta-virtual vt");
	rig_close(&r);
}

/* `scope`: the swaps of a part; parts make up the whole. */
static void test_scope(void **state)
{
	struct rig r;
	u32 whole, first, second;
	rig_words(&r, swapping[0]);
	rig_say(&r, "goto 2500");
	struct swap *all = swaps_known(r.d, &whole);
	char line[40]; /* the first part ends where a swap begins */
	const unsigned long long cut = all[whole / 2].cycle;
	free(all);
	snprintf(line, sizeof line, "scope 0 %llu", cut);
	rig_say(&r, line);
	free(swaps_known(r.d, &first));
	snprintf(line, sizeof line, "scope %llu 2500", cut);
	rig_say(&r, line);
	free(swaps_known(r.d, &second));
	assert_int_equal(first + second, whole);
	assert_true(first && second);
	rig_close(&r);
}

/* The stop on a swap says who leaves, who comes, and what the others wait for. */
static void test_stop(void **state)
{
	struct rig r;
	rig_words(&r, swapping[0]);
	rig_say(&r, "break cta-swap-out if e.cycle > 900");
	const char *text = rig_say(&r, "continue");
	has(text, ": all its warps wait for memory\nwithout a slot: ");
	for (u32 sm = 0; sm < gpu_conf(dbg_gpu(r.d))->num_sms; sm++)
		assert_int_equal(moves_last_swap(r.d->moves, now(&r), sm)->sm, sm);
	const struct event *ev = moves_last_swap(r.d->moves, now(&r), r.d->focus.sm);
	char want[64];
	assert_non_null(ev);
	snprintf(want, sizeof want, "CTA %d -> CTA %llu in slot %llu until cycle", ev->cta, (unsigned long long)ev->arg[3],
	         (unsigned long long)ev->arg[4]);
	has(text, want);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_all_once), cmocka_unit_test(test_sums),    cmocka_unit_test(test_lives_whole),
	    cmocka_unit_test(test_any_way),  cmocka_unit_test(test_forks),   cmocka_unit_test(test_told),
	    cmocka_unit_test(test_saved),    cmocka_unit_test(test_refuses), cmocka_unit_test(test_techniques),
	    cmocka_unit_test(test_launches), cmocka_unit_test(test_scope),   cmocka_unit_test(test_stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
