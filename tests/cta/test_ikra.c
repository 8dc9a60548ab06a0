/* CTA schedulers of Huzaifa 2020: chunk, reset, flip, steal; the grids of its figures 2 and 3 step by step. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "cta/sched/ikra.h"
#include "cta/sched/steal.h"

#define SMS_MAX 16
struct hand {
	const struct cta_sched_ops *ops;
	struct conf c;
	struct launch l;
	struct cta_view v;
	struct event_buf ev;
	u64 machine[CTA_SCHED_MACHINE_MAX / 8];
	u64 state[CTA_SCHED_STATE_MAX / 8];
};

static struct hand *hand(const char *name, u32 sms)
{
	struct hand *h = calloc(1, sizeof *h);
	conf_defaults(&h->c);
	for (const struct policy *const *p = cta_policies; *p; p++)
		if (!strcmp((*p)->name, name))
			h->ops = (const struct cta_sched_ops *)(const void *)*p;
	assert_non_null(h->ops);
	h->v = (struct cta_view){.conf = &h->c, .launch = &h->l, .num_sms = sms, .machine = h->machine, .ev = &h->ev};
	return h;
}

static void set(struct hand *h, const char *pair)
{
	struct err e = {0};
	if (!conf_set_pair(&h->c, pair, &e))
		fail_msg("%s", e.msg);
}

static void kernel(struct hand *h, u32 x, u32 y)
{
	h->l.grid = (struct dim3){x, y, 1};
	h->l.ctas = (u64)x * y;
	h->l.id++;
	memset(h->state, 0, sizeof h->state);
	h->ops->init(h->state, &h->v);
}

static s64 ask(struct hand *h, u32 sm)
{
	return (s64)h->ops->next(h->state, &h->v, sm);
}

static void ended(struct hand *h, u32 sm)
{
	static const struct cta c;
	if (h->ops->done)
		h->ops->done(h->state, &h->v, sm, &c);
}

/* The CTAs that an SM gets when it is asked n times; -1: none. */
#define GETS(h, sm, ...)                                                                                               \
	do {                                                                                                               \
		static const s64 want_[] = {__VA_ARGS__};                                                                      \
		for (u32 i_ = 0; i_ < ARRAY_LEN(want_); i_++) {                                                                \
			assert_int_equal(ask(h, sm), want_[i_]);                                                                   \
			if (want_[i_] >= 0)                                                                                        \
				ended(h, sm);                                                                                          \
		}                                                                                                              \
	} while (0)

/* --- chunk, reset, flip ------------------------------------------------------------------------------------------- */
/* Figure 2: 6x4 CTAs, four SMs, a row each; CTA (x, y) is number 6 y + x. */
static void figure_2(void **state)
{
	static const char *const names[] = {"chunk", "reset", "flip", "steal"};
	for (u32 k = 0; k < ARRAY_LEN(names); k++) {
		struct hand *h = hand(names[k], 4);
		kernel(h, 6, 4);
		for (s64 x = 0; x < 6; x++) /* T=1 ... T=6 */
			for (u32 sm = 0; sm < 4; sm++) {
				assert_int_equal(ask(h, sm), 6 * sm + x);
				ended(h, sm);
			}
		for (u32 sm = 0; sm < 4; sm++)
			assert_int_equal(ask(h, sm), -1);
		free(h);
	}
}

static void remainders(void **state)
{
	struct hand *h = hand("reset", 4);
	kernel(h, 10, 1); /* 3, 3, 2, 2 */
	GETS(h, 0, 0, 1, 2, -1);
	GETS(h, 1, 3, 4, 5, -1);
	GETS(h, 2, 6, 7, -1);
	GETS(h, 3, 8, 9, -1);
	kernel(h, 3, 1); /* more SMs than CTAs */
	GETS(h, 3, -1);
	GETS(h, 1, 1, -1);
	GETS(h, 0, 0, -1);
	GETS(h, 2, 2, -1);
	free(h);
}

/* An SM that may hold none leaves its chunk to whoever asks. */
static u32 none_on_1(const struct cta_view *v, u32 sm)
{
	return sm != 1;
}

static void shut_out(void **state)
{
	struct hand *h = hand("flip", 3);
	h->v.most_on = none_on_1;
	kernel(h, 9, 1);
	GETS(h, 2, 6, 7, 8, 3);
	GETS(h, 0, 0, 1, 2, 4, 5, -1);
	GETS(h, 2, -1);
	free(h);
}

static void chunk_goes_on(void **state)
{
	struct hand *h = hand("chunk", 4);
	kernel(h, 8, 1);
	GETS(h, 0, 0, 1);
	GETS(h, 3, 6, 7);
	GETS(h, 2, 4, 5);
	GETS(h, 1, 2, 3); /* SM 1 ends last */
	kernel(h, 8, 1);
	GETS(h, 2, 0, 1, -1);
	GETS(h, 3, 2, 3, -1);
	GETS(h, 0, 4, 5, -1);
	GETS(h, 1, 6, 7, -1);
	kernel(h, 8, 1); /* 1 again */
	GETS(h, 2, 0);
	free(h);
}

static void flip_turns(void **state)
{
	struct hand *h = hand("flip", 2);
	for (u32 n = 0; n < 2; n++) {
		kernel(h, 6, 1);
		GETS(h, 0, 0, 1, 2, -1);
		GETS(h, 1, 3, 4, 5, -1);
		kernel(h, 6, 1);
		GETS(h, 0, 2, 1, 0, -1);
		GETS(h, 1, 5, 4, 3, -1);
	}
	free(h);
}

/* The direction turns with every launch, also with a grid of other dimensions: both schedulers go the same way. */
static void other_grids_turn(void **state)
{
	static const char *const of[] = {"flip", "steal"};
	for (u32 i = 0; i < ARRAY_LEN(of); i++) {
		struct hand *h = hand(of[i], 2);
		kernel(h, 6, 1);
		GETS(h, 0, 0, 1, 2);
		GETS(h, 1, 3, 4, 5);
		kernel(h, 4, 1);
		GETS(h, 0, 1, 0);
		GETS(h, 1, 3, 2);
		kernel(h, 8, 1);
		GETS(h, 0, 0, 1, 2, 3);
		GETS(h, 1, 4, 5, 6, 7);
		kernel(h, 4, 2);
		GETS(h, 0, 3, 2, 1, 0);
		GETS(h, 1, 7, 6, 5, 4);
		free(h);
	}
}

static struct cta_share share_of(struct hand *h, u32 sm)
{
	struct cta_share c = {0};
	h->ops->share(h->state, &h->v, sm, &c);
	return c;
}

/* What is shown of it: the chunk, what is left, the next one; in the order in which it goes. */
static void share(void **state)
{
	struct cta_share c;
	struct hand *h = hand("flip", 2);
	kernel(h, 6, 1);
	GETS(h, 1, 3);
	c = share_of(h, 1);
	assert_true(c.lo == 3 && c.hi == 6 && c.from == 4 && c.to == 6 && c.next == 4 && !c.backward && !c.steals);
	kernel(h, 6, 1);
	GETS(h, 1, 5);
	c = share_of(h, 1);
	assert_true(c.lo == 3 && c.hi == 6 && c.from == 3 && c.to == 5 && c.next == 4 && c.backward);
	GETS(h, 1, 4, 3);
	c = share_of(h, 1);
	assert_true(c.from == c.to && c.next == NO_CTA);
	free(h);
	h = hand("chunk", 2);
	kernel(h, 3, 1);
	GETS(h, 1, 2);
	GETS(h, 0, 0, 1); /* SM 0 ends last: SM 1 comes first */
	kernel(h, 3, 1);
	c = share_of(h, 0);
	assert_true(c.lo == 2 && c.hi == 3 && c.next == 2);
	free(h);
}

/* --- steal -------------------------------------------------------------------------------------------------------- */
/* Figure 3: SM 0 has done its row and takes (5,1,0) from SM 1, whose row then ends at (4,1,0). */
static void figure_3(void **state)
{
	struct hand *h = hand("steal", 4);
	const struct steal_machine *m = (const void *)h->machine;
	kernel(h, 6, 4);
	GETS(h, 0, 0, 1, 2, 3, 4, 5);
	GETS(h, 1, 6, 7);
	GETS(h, 2, 12, 13);
	GETS(h, 3, 18, 19);
	GETS(h, 0, 11);
	assert_int_equal(m->chunk.hi[1], 11);
	assert_int_equal(m->queue[0].n, 1);
	assert_int_equal(m->queue[0].entry[0], 11);
	GETS(h, 0, 10, 9);
	GETS(h, 1, 8);
	GETS(h, 2, 14, 15, 16, 17);
	GETS(h, 3, 20, 21, 22, 23);
	for (u32 sm = 0; sm < 4; sm++)
		assert_int_equal(ask(h, sm), -1);
	kernel(h, 6, 4); /* queue first, the youngest first, then the chunk from its end */
	GETS(h, 0, 9, 10, 11, 5, 4, 3, 2, 1, 0);
	GETS(h, 1, 8, 7, 6);
	GETS(h, 2, 17, 16, 15, 14, 13, 12);
	GETS(h, 3, 23, 22, 21, 20, 19, 18);
	kernel(h, 6, 4); /* chunk first, from its beginning, then the queue in the order it was filled */
	GETS(h, 0, 0, 1, 2, 3, 4, 5, 11, 10, 9);
	GETS(h, 1, 6, 7, 8);
	free(h);
}

static void share_of_thieves(void **state)
{
	struct cta_share c = {0};
	struct hand *h = hand("steal", 2);
	kernel(h, 8, 1);
	GETS(h, 0, 0, 1, 2, 3, 7, 6);
	c = share_of(h, 0);
	assert_true(c.steals && c.queued == 2 && c.queue[0] == 7 && c.queue[1] == 6 && c.qfrom == c.qto &&
	            c.next == NO_CTA);
	c = share_of(h, 1);
	assert_true(c.lo == 4 && c.hi == 6 && c.from == 4 && c.to == 6 && c.next == 4 && !c.queued);
	GETS(h, 1, 4, 5);
	kernel(h, 8, 1); /* backwards: the queue's end, then the chunk's */
	c = share_of(h, 0);
	assert_true(c.backward && c.qfrom == 0 && c.qto == 2 && c.next == 6 && c.from == 0 && c.to == 4);
	GETS(h, 0, 6, 7);
	c = share_of(h, 0);
	assert_true(c.qfrom == c.qto && c.queued == 2 && c.next == 3);
	GETS(h, 0, 3, 2, 1, 0);
	GETS(h, 1, 5, 4);
	kernel(h, 8, 1); /* forwards: the chunk, then the queue in its order */
	GETS(h, 0, 0, 1, 2, 3);
	c = share_of(h, 0);
	assert_true(!c.backward && c.from == c.to && c.next == 7 && c.qto - c.qfrom == 2);
	free(h);
}

/* Algorithm 1: queues of the left, of the right, of all from SM 0 on, then chunks likewise. */
static void victims(void **state)
{
	struct hand *h = hand("steal", 5);
	kernel(h, 20, 1); /* SM n: 4 n ... 4 n + 3 */
	GETS(h, 2, 8, 9, 10, 11);
	GETS(h, 2, 7, 6, 5, 4, 15, 14, 13, 12); /* left, right, */
	GETS(h, 2, 3, 2, 1, 0, 19);             /* then from SM 0 on */
	GETS(h, 4, 16, 17, 18);
	struct steal_machine *m = (void *)h->machine;
	assert_int_equal(m->queue[2].n, 13);
	kernel(h, 20, 1); /* backwards: who steals from SM 2's queue takes the oldest of it */
	GETS(h, 4, 18, 17, 16);
	GETS(h, 4, 7); /* no neighbour has any: from SM 0 on, the first is SM 2 */
	GETS(h, 3, 6); /* its left neighbour */
	GETS(h, 1, 5); /* its right one */
	GETS(h, 2, 19, 0, 1, 2, 3, 12, 13, 14, 15, 4, 11, 10);
	GETS(h, 3, 8); /* the queue is empty: the chunk from its beginning */
	GETS(h, 2, 9, -1);
	free(h);
}

/* The 32nd stolen CTA fills the queue: the next kernel begins anew; and so does one of other dimensions. */
static void begins_anew(void **state)
{
	struct hand *h = hand("steal", 2);
	const struct steal_machine *m = (const void *)h->machine;
	kernel(h, 62, 1);
	for (u32 i = 0; i < 62; i++) {
		assert_int_not_equal(ask(h, 0), -1);
		ended(h, 0);
	}
	assert_int_equal(m->queue[0].n, 31);
	kernel(h, 62, 1);
	assert_int_equal(ask(h, 1), 61); /* all of it is SM 0's: from its queue, backwards the oldest */
	ended(h, 1);
	while (ask(h, 0) >= 0)
		ended(h, 0);
	kernel(h, 31, 2);
	GETS(h, 1, 31, 32);
	assert_int_equal(m->queue[0].n, 0);
	free(h);
	h = hand("steal", 2);
	m = (const void *)h->machine;
	kernel(h, 66, 1);
	for (u32 i = 0; i < 66; i++) {
		assert_int_not_equal(ask(h, 0), -1);
		ended(h, 0);
	}
	assert_int_equal(m->queue[0].n, 32);
	assert_true(m->begin);
	kernel(h, 66, 1); /* new chunks, and it is the turn of their ends */
	GETS(h, 0, 32);
	GETS(h, 1, 65);
	assert_int_equal(m->queue[0].n, 0);
	free(h);
}

/* A kernel beside another one has chunks that nobody remembers. */
static void beside(void **state)
{
	struct hand *h = hand("steal", 2);
	struct hand *b = calloc(1, sizeof *b);
	kernel(h, 8, 1);
	GETS(h, 0, 0, 1, 2, 3, 7);
	*b = *h;
	b->v.launch = &b->l;
	b->v.machine = h->machine;
	kernel(b, 6, 1);
	GETS(b, 1, 3, 4, 5, 2, 1);
	GETS(h, 1, 4, 5, 6);
	GETS(b, 0, 0);
	kernel(h, 8, 1);
	GETS(h, 0, 7, 3, 2, 1, 0);
	GETS(h, 1, 6, 5, 4);
	free(b);
	free(h);
}

/* --- all of them -------------------------------------------------------------------------------------------------- */
/* Each CTA once, whoever asks when; and with steal nothing is left while somebody asks. */
static void each_once(void **state)
{
	static const char *const names[] = {"chunk", "reset", "flip", "steal"};
	static const char *const depends[] = {"ikra.affine_b=0", "ikra.affine_b=4", "ikra.affine_b=1000003"};
	u64 rng = 3;
	u8 seen[600];
	for (u32 k = 0; k < ARRAY_LEN(names); k++)
		for (u32 round = 0; round < 60; round++) {
			struct hand *h = hand(names[k], 1 + rng_next(&rng) % SMS_MAX);
			u32 x = 1 + rng_next(&rng) % 200;
			set(h, depends[round % 3]);
			set(h, round % 2 ? "ikra.affine_a=7" : "ikra.affine_a=1");
			for (u32 n = 0; n < 6; n++) {
				u32 asleep = rng_next(&rng) % 3 ? SMS_MAX : 0, left = 0;
				x = rng_next(&rng) % 4 ? x : 1 + rng_next(&rng) % 200;
				kernel(h, x, 3);
				memset(seen, 0, sizeof seen);
				for (u32 none = 0; none < 400;) {
					u32 sm = rng_next(&rng) % h->v.num_sms;
					s64 id = sm == asleep ? -1 : ask(h, sm);
					none = id < 0 ? none + 1 : 0;
					if (id < 0)
						continue;
					assert_true(id < 3 * x && !seen[id]++);
					ended(h, sm);
				}
				for (s64 id; (id = ask(h, asleep % h->v.num_sms)) >= 0; left++) {
					assert_false(seen[id]++);
					ended(h, asleep % h->v.num_sms);
				}
				assert_true(k < 3 || h->v.num_sms == 1 || !left);
				for (u32 i = 0; i < 3 * x; i++)
					assert_true(seen[i]);
			}
			free(h);
		}
}

/* CTA i depends on CTA i + 4 of the kernel before: it goes to the SM that had that one. */
static void affine(void **state)
{
	struct hand *h = hand("reset", 2);
	set(h, "ikra.affine_b=4");
	kernel(h, 12, 1);
	GETS(h, 0, 0, 1, 2, 3, 4, 5);
	kernel(h, 12, 1); /* who depend on 0 ... 5: */
	GETS(h, 0, 8, 9, 10, 11, 0, 1, -1);
	GETS(h, 1, 2, 3, 4, 5, 6, 7, -1);
	kernel(h, 12, 1); /* on those */
	GETS(h, 0, 4, 5, 6, 7, 8, 9, -1);
	kernel(h, 5, 1);
	GETS(h, 0, 0, 1, 2, -1);
	free(h);
	h = hand("reset", 2);
	set(h, "ikra.affine_a=5");
	kernel(h, 12, 1);
	kernel(h, 12, 1);
	GETS(h, 0, 0, 5, 10, 3, 8, 1, -1); /* 5 i = 0, 1, 2, 3, 4, 5 modulo 12 */
	set(h, "ikra.affine_a=4");         /* a factor in common: as before */
	kernel(h, 12, 1);
	GETS(h, 0, 0, 5, 10);
	free(h);
	for (u64 n = 1; n < 60; n++)
		for (u64 a = 1; a < 60; a++) {
			u64 i = ikra_inverse(a, n);
			assert_true(n == 1 || (i ? a * i % n == 1 : true));
		}
	assert_int_equal(ikra_inverse(4, 12), 0);
	assert_int_equal(ikra_inverse(1ull << 40, (1ull << 61) - 1), 1ull << 21);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(figure_2), cmocka_unit_test(remainders),       cmocka_unit_test(chunk_goes_on),
	    cmocka_unit_test(shut_out), cmocka_unit_test(other_grids_turn), cmocka_unit_test(flip_turns),
	    cmocka_unit_test(figure_3), cmocka_unit_test(victims),          cmocka_unit_test(begins_anew),
	    cmocka_unit_test(beside),   cmocka_unit_test(each_once),        cmocka_unit_test(affine),
	    cmocka_unit_test(share),    cmocka_unit_test(share_of_thieves),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
