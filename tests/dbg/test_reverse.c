/* Going back in a session: host programs with several turns (copies back between launches, loops that look at results),
 * random walks with breakpoints and policy changes, against straight runs; undo; the messages at the ends of history.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "dbg/debugger.h"
#include "tests/rig/debug_rig.h"

static void open_workload(struct rig *r, const char *name)
{
	static char copy[64];
	snprintf(copy, sizeof copy, "%s", name);
	char *argv[] = {"warpdbg", "debug", copy, "--size", "small", NULL};
	rig_open(r, argv);
}

static void must(struct rig *r, const char *fmt, ...)
{
	char line[200];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	if (!rig_try(r, line))
		fail_msg("%s: %s", line, r->e.msg);
}

struct end {
	u64 cycle, hash;
};
static struct end finish(struct rig *r)
{
	if (r->d->run.rest != DBG_FINISHED)
		must(r, "continue");
	assert_int_equal(r->d->run.rest, DBG_FINISHED);
	assert_int_equal(r->s->check, CHECK_PASS);
	return (struct end){sim_cycle(r->s->sim), sim_hash(r->s->sim)};
}

static const char *const walked[] = {"bfs", "kmeans", "lud", "histogram"};

/* Wherever one goes, the end is the same, and so is every cycle seen twice. */
static void random_walks(void **state)
{
	u64 rng = 5;
	for (u32 w = 0; w < ARRAY_LEN(walked); w++) {
		struct rig r;
		open_workload(&r, walked[w]);
		struct end end = finish(&r);
		u64 at[64], hash[64];
		for (u32 i = 0; i < 24; i++) {
			at[i] = rng_next(&rng) % end.cycle;
			must(&r, "goto %llu", (unsigned long long)at[i]);
			hash[i] = sim_hash(r.s->sim);
			if (i % 4 == 1)
				must(&r, "reverse-step %llu", (unsigned long long)(1 + rng_next(&rng) % 50));
			if (i % 4 == 2)
				must(&r, "step %llu", (unsigned long long)(1 + rng_next(&rng) % 500));
			if (i % 8 == 7) {
				struct end again = finish(&r);
				assert_int_equal(again.cycle, end.cycle);
				assert_int_equal(again.hash, end.hash);
			}
		}
		for (u32 i = 24; i-- > 0;) {
			must(&r, "goto %llu", (unsigned long long)at[i]);
			assert_int_equal(sim_hash(r.s->sim), hash[i]);
		}
		rig_close(&r);
	}
}

/* A change in the past: the host program is brought back, goes on from there, and its own check still passes; with the
 * change undone the first end comes back. */
static void changed_past(void **state)
{
	u64 rng = 9;
	for (u32 w = 0; w < ARRAY_LEN(walked); w++) {
		struct rig r;
		open_workload(&r, walked[w]);
		struct end end = finish(&r);
		u64 cycle = end.cycle / 4 + rng_next(&rng) % (end.cycle / 2);
		must(&r, "goto %llu", (unsigned long long)cycle);
		u64 here = sim_hash(r.s->sim);
		must(&r, "set warp-sched lrr");
		struct end other = finish(&r);
		must(&r, "goto %llu", (unsigned long long)(cycle / 2));
		must(&r, "goto %llu", (unsigned long long)other.cycle);
		assert_int_equal(sim_hash(r.s->sim), other.hash);
		must(&r, "goto %llu", (unsigned long long)(cycle + 1));
		must(&r, "undo"); /* the gotos, the run */
		must(&r, "undo");
		must(&r, "undo");
		must(&r, "undo");
		assert_int_equal(sim_cycle(r.s->sim), cycle);
		must(&r, "undo"); /* the change */
		assert_int_equal(sim_cycle(r.s->sim), cycle);
		assert_int_equal(sim_hash(r.s->sim), here);
		struct end again = finish(&r);
		assert_int_equal(again.cycle, end.cycle);
		assert_int_equal(again.hash, end.hash);
		rig_close(&r);
	}
}

/* reverse-continue finds the same stops as continue, in reverse. */
static void stops_in_reverse(void **state)
{
	struct rig r;
	open_workload(&r, "hotspot");
	must(&r, "break cta-done sm=2");
	u64 stop[64];
	u32 n = 0;
	while (must(&r, "continue"), r.d->run.rest == DBG_STOPPED && n < ARRAY_LEN(stop))
		stop[n++] = sim_cycle(r.s->sim);
	assert_true(n > 3 && n < ARRAY_LEN(stop));
	while (n) {
		must(&r, "reverse-continue");
		n--;
		assert_int_equal(sim_cycle(r.s->sim), stop[n]);
		assert_non_null(strstr(strbuf_str(&r.out), "Breakpoint 1, cta-done: SM 2"));
		while (n && stop[n - 1] == stop[n])
			n--;
	}
	must(&r, "reverse-continue");
	assert_int_equal(sim_cycle(r.s->sim), 0);
	assert_non_null(strstr(strbuf_str(&r.out), "beginning of history"));
	assert_false(rig_try(&r, "reverse-step"));
	assert_non_null(strstr(r.e.msg, "beginning of history"));
	rig_close(&r);
}

/* A watchpoint found backwards: the cycle is the one at which the forward watch stopped. */
static void watch_in_reverse(void **state)
{
	struct rig r;
	open_workload(&r, "hotspot");
	must(&r, "watch gpu.sm[3].ctas_done");
	must(&r, "continue");
	u64 first = sim_cycle(r.s->sim);
	must(&r, "continue");
	u64 second = sim_cycle(r.s->sim);
	assert_true(second > first);
	must(&r, "reverse-continue");
	assert_int_equal(sim_cycle(r.s->sim), first);
	rig_close(&r);
}

static void next_in_reverse(void **state)
{
	struct rig r;
	open_workload(&r, "hotspot");
	must(&r, "step 600");
	must(&r, "focus sm 1 warp 3");
	u64 cycle[6];
	struct warp_info w;
	for (u32 i = 0; i < ARRAY_LEN(cycle); i++) {
		must(&r, "next");
		cycle[i] = sim_cycle(r.s->sim);
	}
	for (u32 i = ARRAY_LEN(cycle); i-- > 1;) { /* back to before the issue that made stop i */
		must(&r, "reverse-next");
		assert_int_equal(sim_cycle(r.s->sim), cycle[i] - 1);
	}
	must(&r, "reverse-finish");
	gpu_warp_info(sim_gpu(r.s->sim), 1, 3, &w);
	assert_int_equal(w.launch, -1); /* not dispatched yet */
	rig_close(&r);
}

static void bookmarks(void **state)
{
	struct rig r;
	open_workload(&r, "hotspot");
	must(&r, "step 500");
	must(&r, "bookmark here");
	must(&r, "step 700");
	must(&r, "goto here");
	assert_int_equal(sim_cycle(r.s->sim), 500);
	assert_false(rig_try(&r, "goto there"));
	assert_non_null(strstr(r.e.msg, "neither a cycle nor a bookmark"));
	must(&r, "info bookmarks");
	assert_non_null(strstr(strbuf_str(&r.out), "here"));
	rig_close(&r);
}

/* `record`: one JSON line an event; what is gone through twice is written once. */
static void recording(void **state)
{
	struct rig r;
	char line[300], path[] = "/tmp/warpdbg-record-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0 && !close(fd));
	open_workload(&r, "hotspot");
	must(&r, "record start %s cta-dispatch cta-done", path);
	assert_false(rig_try(&r, "record start /tmp/other"));
	must(&r, "step 4000");
	must(&r, "goto 1000");
	finish(&r);
	must(&r, "record stop");
	assert_non_null(strstr(strbuf_str(&r.out), "events recorded"));
	assert_false(rig_try(&r, "record stop"));
	assert_false(rig_try(&r, "record start /nonexistent/x"));
	assert_false(rig_try(&r, "record start /tmp/x no-such-event"));
	u64 dispatched = 0, done = 0, last = 0;
	FILE *f = fopen(path, "r"); /* another file than it was made as */
	while (fgets(line, sizeof line, f)) {
		unsigned long long cycle;
		assert_int_equal(sscanf(line, "{\"cycle\":%llu,\"event\":\"cta-d", &cycle), 1);
		assert_true(cycle >= last);
		assert_string_equal(line + strlen(line) - 2, "}\n");
		last = cycle;
		dispatched += strstr(line, "cta-dispatch") != NULL;
		done += strstr(line, "cta-done") != NULL;
	}
	fclose(f);
	remove(path);
	u64 ctas = 0;
	for (u32 i = 0; i < gpu_num_kernels(sim_gpu(r.s->sim)); i++) {
		struct kernel_info k;
		gpu_kernel_info(sim_gpu(r.s->sim), i, &k);
		ctas += k.counters->ctas_done;
	}
	assert_int_equal(dispatched, ctas);
	assert_int_equal(done, ctas);
	rig_close(&r);
}

static void record_run(const char *path, bool detour)
{
	struct rig r;
	open_workload(&r, "hotspot");
	must(&r, "record start %s cta-dispatch cta-done kernel-launch warp-exit", path);
	must(&r, detour ? "until 6000" : "until 2500");
	if (detour) {
		must(&r, "goto 1000");
		must(&r, "set warp-sched tlv");
		must(&r, "until 3000");
		must(&r, "goto 2800");
		must(&r, "undo"); /* back to 3000, 1000, and the change */
		must(&r, "undo");
		must(&r, "undo");
		assert_non_null(strstr(strbuf_str(&r.out), "change of the machine is undone"));
		must(&r, "until 6000");
		must(&r, "goto 2500");
	}
	must(&r, "set warp-sched lrr");
	must(&r, "until 6000");
	must(&r, "record stop");
	rig_close(&r);
}

/* Begun in the past, it records what was gone through before: as if begun there the first time. */
static void recording_the_past(void **state)
{
	char text[2][65536];
	size_t n[2];
	for (u32 back = 0; back < 2; back++) {
		struct rig r;
		char path[] = "/tmp/warpdbg-record-XXXXXX";
		int fd = mkstemp(path);
		assert_true(fd >= 0 && !close(fd));
		open_workload(&r, "hotspot");
		must(&r, back ? "until 4000" : "until 700");
		if (back)
			must(&r, "goto 700");
		must(&r, "record start %s cta-dispatch cta-done", path);
		must(&r, "until 2000");
		if (back) {
			must(&r, "goto 300");
			must(&r, "until 3000");
			must(&r, "reverse-step 1500");
		}
		must(&r, "until 5000");
		must(&r, "record stop");
		rig_close(&r);
		FILE *f = fopen(path, "r"); /* another file than it was made as */
		n[back] = fread(text[back], 1, sizeof text[back], f);
		fclose(f);
		remove(path);
	}
	assert_true(n[0] > 1000 && n[0] < sizeof text[0]);
	assert_int_equal(n[0], n[1]);
	assert_memory_equal(text[0], text[1], n[0]);
}

/* What was recorded of a future that is given up is not in the file. */
static void recording_over_forks(void **state)
{
	char a[] = "/tmp/warpdbg-record-XXXXXX", b[] = "/tmp/warpdbg-record-XXXXXX";
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	struct err e = {0};
	close(mkstemp(a));
	close(mkstemp(b));
	record_run(a, true);
	record_run(b, false);
	assert_true(strbuf_read_file(&x, a, &e) && strbuf_read_file(&y, b, &e));
	assert_true(x.len > 10000);
	assert_string_equal(x.buf, y.buf);
	strbuf_release(&x);
	strbuf_release(&y);
	remove(a);
	remove(b);
}

/* A search through the past leaves counts and switches of breakpoints and watchpoints as they were, also when a
 * watchpoint goes on the way (a register's, with its warp). */
static void counts_survive_a_search(void **state)
{
	struct rig r;
	open_workload(&r, "histogram");
	must(&r, "watch gpu.sm[1].ctas_done");
	must(&r, "disable 1");
	must(&r, "step 300");
	must(&r, "break cta-dispatch cta=3");
	must(&r, "watch %%r1");
	must(&r, "ignore 2 3");
	struct breakpoint *b = break_find(&r.d->breaks, 2);
	u64 hits = b->hits;
	must(&r, "reverse-continue");
	assert_int_equal(b->ignore, 3);
	assert_int_equal(b->hits, hits);
	must(&r, "goto 300");
	must(&r, "focus sm 0 warp 0");
	must(&r, "reverse-next");
	assert_int_equal(b->ignore, 3);
	assert_true(b->enabled);
	assert_int_equal(r.d->watches[0].id, 1);
	assert_false(r.d->watches[0].b->enabled);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(random_walks),
	    cmocka_unit_test(changed_past),
	    cmocka_unit_test(stops_in_reverse),
	    cmocka_unit_test(watch_in_reverse),
	    cmocka_unit_test(next_in_reverse),
	    cmocka_unit_test(bookmarks),
	    cmocka_unit_test(recording),
	    cmocka_unit_test(recording_the_past),
	    cmocka_unit_test(recording_over_forks),
	    cmocka_unit_test(counts_survive_a_search),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
