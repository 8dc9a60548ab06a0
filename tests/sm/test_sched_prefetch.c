/* ccws and prefetch instructions: what they push out of L1D counts as any load's doing; what they miss is no loss. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"
#include "gpu/query.h"

/* One warp, one line a lane group: loads A, prefetches the lines that fill A's set, then comes back to A. */
#define HEAD                                                                                                           \
	".version 7.0\n.target sm_50\n.address_size 64\n"                                                                  \
	".visible .entry k(.param .u64 a)\n{\n.reg .b64 %p<4>;\n.reg .u32 %v<4>;\n.reg .b32 %n<2>;\n"                      \
	"ld.param.u64 %p1, [a];\ncvta.to.global.u64 %p1, %p1;\n"
#define LOAD "ld.global.u32 %v1, [%p1];\nst.global.u32 [%p1+524288], %v1;\n"
#define PREFETCH(at) "prefetch.global.L1 [%p1+" at "];\n"
#define TAIL "ret;\n}\n"
/* gtx480's L1D: 32 sets of 4 ways, lines of 128 B: 4096 B apart is the same set when it is not hashed. */
#define FILL PREFETCH("4096") PREFETCH("8192") PREFETCH("12288") PREFETCH("16384")

/* Victim tag hits of SM 0 at the end of the kernel. */
static unsigned long long victim_hits(const char *text)
{
	char path[] = "/tmp/warpdbg-prefetch-XXXXXX.ptx";
	int fd = mkstemps(path, 4);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	char *argv[] = {"warpdbg", "debug", path,    "--kernel",         "k",     "--grid",          "1",
	                "--block", "1",     "--arg", "u32[262144]=iota", "--set", "l1d.hash=linear", "--warp-sched",
	                "ccws",    NULL};
	struct rig r;
	struct strbuf t = STRBUF_INIT;
	rig_open(&r, argv);
	rig_has(&r, "continue", "finished");
	gpu_sched_text(sim_gpu(r.s->sim), 0, 0, NO_WARP, &t);
	const char *hits = strstr(strbuf_str(&t), "victim tag hits ");
	assert_non_null(hits);
	unsigned long long n = strtoull(hits + strlen("victim tag hits "), NULL, 10);
	strbuf_release(&t);
	rig_close(&r);
	unlink(path);
	return n;
}

static void prefetches_push_out(void **state)
{
	assert_int_equal(victim_hits(HEAD LOAD FILL LOAD TAIL), 1);
	assert_int_equal(victim_hits(HEAD LOAD LOAD TAIL), 0);
	assert_int_equal(victim_hits(HEAD LOAD PREFETCH("4096") PREFETCH("8192") LOAD TAIL), 0); /* A is still there */
}

/* A prefetch that brings A back takes its tag: the load behind it has lost nothing either. */
static void prefetches_lose_nothing(void **state)
{
	assert_int_equal(victim_hits(HEAD LOAD FILL PREFETCH("0") TAIL), 0);
	assert_int_equal(victim_hits(HEAD LOAD FILL PREFETCH("0") LOAD TAIL), 0);
	assert_int_equal(victim_hits(HEAD LOAD FILL PREFETCH("0") FILL LOAD TAIL), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(prefetches_push_out),
	                                   cmocka_unit_test(prefetches_lose_nothing)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
