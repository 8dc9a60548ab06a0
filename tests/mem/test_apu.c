/* The machines apu15 and apu3: zero-load latencies are those of Huzaifa 2020, table 2, in cycles of a compute unit. */
#include "commands/commands.h"
#include "session/session.h"
#include "tests/rig/mem_rig.h"

#include "session/cmdline.h"

static void start(struct rig *r, const char *gpu)
{
	char *argv[] = {"warpdbg", "run", "vecadd", "--gpu", (char *)gpu, NULL};
	struct options o;
	struct err e = {0};
	size_t bytes;
	assert_int_equal(cmdline_parse(&o, 5, argv, &e), CMDLINE_OK);
	memset(r, 0, sizeof *r);
	struct session *s = session_open(&o, console_modules, &e);
	if (!s)
		fail_msg("%s", e.msg);
	r->c = *gpu_conf(sim_gpu(s->sim));
	session_close(s);
	cmdline_free(&o);
	if (!mem_state_bytes(&r->c, &bytes, &e) || !arena_init(&r->a, bytes, &e))
		fail_msg("%s", e.msg);
	r->m = mem_create(&r->c, &r->a, NULL, NULL, &e);
	assert_non_null(r->m);
}

struct span {
	double least, most;
};
static u64 took(struct rig *r, u32 sm, enum mem_op op, u64 addr)
{
	struct mem_txn t = {.addr = addr, .bytes = 64, .sectors = 3, .words = 0xffff};
	u64 from = r->now;
	mem_access(r->m, sm, MC_L1D, op, &t, 1, r->now);
	u64 n = rig_drain(r) - from;
	r->now += 500;
	return n;
}
static void note(struct span *s, u64 cycles)
{
	double n = (double)(cycles + 1); /* the cycle of L1D's tags is one of them */
	s->least = s->least ? MIN(s->least, n) : n;
	s->most = MAX(s->most, n);
}
static void near(const char *what, struct span s, double least, double most, double by)
{
	if (s.least < least - by || s.least > least + by || s.most < most - by || s.most > most + by)
		fail_msg("%s: %.0f to %.0f cycles, not %.0f to %.0f", what, s.least, s.most, least, most);
}

static void latencies(void **state)
{
	struct span l2 = {0}, remote = {0}, memory = {0};
	struct rig r;
	start(&r, "apu15");
	for (u32 sm = 0; sm < 15; sm++)
		for (u32 n = 0; n < 64; n++) { /* every slice */
			u64 addr = BASE + (sm * 64 + n) * 64ull * 7;
			u32 other = (sm * 7 + n) % 15;
			note(&memory, took(&r, sm, MO_LOAD, addr));
			if (other == sm)
				continue;
			note(&l2, took(&r, other, MO_LOAD, addr));
		}
	for (u32 sm = 0; sm < 15; sm++)
		for (u32 n = 0; n < 225; n++) {
			u64 addr = BASE + (1 << 22) + (sm * 225 + n) * 64ull * 5;
			u32 other = n % 15;
			if (other == sm)
				continue;
			took(&r, sm, MO_STORE, addr);
			note(&remote, took(&r, other, MO_LOAD, addr));
		}
	assert_true(mem_cache_counters(r.m, MC_L1D, 3)->remote_reads > 0);
	near("L2", l2, 29, 61, 3);
	/* Published: 35 to 83, which is 18 hops apart. From requester to slice, owner and back there are at most 12 on a
	 * 4x4 mesh. */
	near("a remote L1", remote, 35, 35 + 48 * 12 / 18, 3);
	near("memory", memory, 197, 261, 8); /* rows open and closed */
	rig_check(&r);
	rig_stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(latencies)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
