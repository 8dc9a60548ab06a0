/* Outputs and looks that survive time travel: whatever way a run has taken through its past, --trace and --timeline
 * hold the bytes of the straight run with the same history, and what views have added up is at every cycle what it was
 * when that cycle was first reached. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "base/rng.h"
#include "tests/rig/debug_rig.h"
#include "tests/rig/rounds.h"
#include "obs/record/timeline.h"
#include "obs/stats/heat.h"
#include "views/recent.h"
#include "views/residency.h"

static char dir[] = "/tmp/warpdbg-rewind-XXXXXX";

static char *path_of(const char *name)
{
	static char path[4][200];
	static u32 k;
	k = (k + 1) % 4;
	snprintf(path[k], sizeof path[k], "%s/%s", dir, name);
	return path[k];
}

static void assert_same_files(const char *a, const char *b)
{
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	struct err e = {0};
	if (!strbuf_read_file(&x, path_of(a), &e) || !strbuf_read_file(&y, path_of(b), &e))
		fail_msg("%s", e.msg);
	if (x.len != y.len || memcmp(x.buf, y.buf, x.len)) {
		size_t i = 0;
		while (i < MIN(x.len, y.len) && x.buf[i] == y.buf[i])
			i++;
		fail_msg("%s (%zu bytes) and %s (%zu) differ at byte %zu:\n%.300s\n---\n%.300s", a, x.len, b, y.len, i,
		         x.buf + (i > 100 ? i - 100 : 0), y.buf + (i > 100 ? i - 100 : 0));
	}
	strbuf_release(&x);
	strbuf_release(&y);
}

static void tell(struct rig *r, const char *fmt, u64 n)
{
	char line[80];
	snprintf(line, sizeof line, fmt, (unsigned long long)n);
	rig_say(r, line);
}

static u64 now(const struct rig *r)
{
	return sim_cycle(r->s->sim);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static void open_recorded(struct rig *r, char *detail, char *period, char *trace, char *timeline)
{
	char *argv[] = {"warpdbg", "debug",        "hotspot",    "--size",          "small", "--trace-detail", detail,
	                "--trace", path_of(trace), "--timeline", path_of(timeline), "--set", period,           NULL};
	rig_open(r, argv);
}

static const char *const scheds[] = {"lrr", "gto", "tlv"};
#define SCHEDS ARRAY_LEN(scheds)

/* The changes that the run has seen and not lost again, in order. */
struct change {
	u64 cycle;
	u32 sched;
};
struct past {
	struct change at[200];
	u32 n;
};

static void change(struct rig *r, struct past *p, u32 sched)
{
	char line[80];
	while (p->n && p->at[p->n - 1].cycle > now(r))
		p->n--;
	snprintf(line, sizeof line, "set warp-sched %s", scheds[sched]);
	rig_say(r, line);
	p->at[p->n++] = (struct change){now(r), sched};
}

static u64 frontier(struct rig *r)
{
	struct sim_history_info h;
	sim_history_info(r->s->sim, &h);
	return h.frontier;
}

static void random_move(struct rig *r, struct past *p, u64 *seed, u64 end)
{
	u64 far = frontier(r), at = now(r), any = rng_next(seed);
	switch (rng_next(seed) % 10) {
	case 0:
	case 1:
	case 2: tell(r, "goto %llu", any % (far + 1)); break;
	case 3: tell(r, "reverse-step %llu", at ? 1 + any % MIN(at, 40ull) : 0); break;
	case 4: tell(r, "reverse-step %llu", at ? 1 + any % at : 0); break;
	case 5:
	case 6: tell(r, "until %llu", MIN(at + 1 + any % 700, end)); break;
	case 7: tell(r, "until %llu", MIN(at + 1 + any % 5, end)); break;
	case 8: rig_say(r, "reverse-continue"); break;
	default: change(r, p, (u32)(any % SCHEDS)); break;
	}
}

/* Moves about, changes things, goes on to `end` or stays where it is; then the same history straight. */
static void walk(u64 seed, char *detail, char *period, u32 moves, u64 end, bool stay)
{
	struct rig r;
	struct past p = {0};
	open_recorded(&r, detail, period, "walked.json", "walked.csv");
	tell(&r, "until %llu", 600 + rng_next(&seed) % 2000);
	rig_say(&r, "break cta-done if e.cycle % 7 == 0");
	rig_say(&r, "disable");
	for (u32 i = 0; i < moves && p.n < ARRAY_LEN(p.at); i++)
		if (now(&r) || i == 0)
			random_move(&r, &p, &seed, end);
		else
			tell(&r, "until %llu", MIN(300 + rng_next(&seed) % 900, end));
	if (!stay)
		tell(&r, "goto %llu", frontier(&r));
	u64 last = MAX(frontier(&r), stay ? 0 : end);
	if (now(&r) < last && !stay)
		tell(&r, "until %llu", last);
	rig_close(&r);
	open_recorded(&r, detail, period, "straight.json", "straight.csv");
	for (u32 i = 0; i < p.n; i++) {
		if (now(&r) < p.at[i].cycle)
			tell(&r, "until %llu", p.at[i].cycle);
		char line[80];
		snprintf(line, sizeof line, "set warp-sched %s", scheds[p.at[i].sched]);
		rig_say(&r, line);
	}
	if (now(&r) < last)
		tell(&r, "until %llu", last);
	rig_close(&r);
	assert_same_files("walked.json", "straight.json");
	assert_same_files("walked.csv", "straight.csv");
}

static void files_of_a_random_walk(void **state)
{
	static char *const details[] = {"ctas", "warps", "states"};
	static char *const periods[] = {"timeline.period=100", "timeline.period=1000", "timeline.period=37"};
	for (u32 seed = 1; seed <= 9; seed++)
		walk(seed, details[seed % 3], periods[seed / 3 % 3], 40, 4000 + 500 * (seed % 4), seed % 2);
}

/* To the end of the program, with the host program's own turns gone through again. */
static void files_of_the_whole_run(void **state)
{
	struct rig r;
	open_recorded(&r, "states", "timeline.period=250", "straight.json", "straight.csv");
	rig_say(&r, "continue");
	rig_close(&r);
	open_recorded(&r, "states", "timeline.period=250", "walked.json", "walked.csv");
	static const char *const way[] = {"continue", "goto 4900",    "until 5000", "goto 8000",         "goto 100",
	                                  "continue", "reverse-step", "goto 4840",  "reverse-step 4800", "until 4848"};
	for (u32 i = 0; i < ARRAY_LEN(way); i++)
		rig_say(&r, way[i]);
	rig_close(&r); /* in the past: the run is known to its end all the same */
	assert_same_files("walked.json", "straight.json");
	assert_same_files("walked.csv", "straight.csv");
}

/* A change and its undoing leave nothing behind; `undo` goes back over the runs in between. */
static void files_after_undo(void **state)
{
	struct rig r;
	open_recorded(&r, "warps", "timeline.period=100", "straight.json", "straight.csv");
	rig_say(&r, "until 5200");
	rig_close(&r);
	open_recorded(&r, "warps", "timeline.period=100", "walked.json", "walked.csv");
	rig_say(&r, "until 3000");
	rig_say(&r, "goto 1234");
	rig_say(&r, "set warp-sched lrr");
	rig_say(&r, "until 4000");
	rig_say(&r, "goto 2000");
	while (rig_try(&r, "undo") && !strstr(strbuf_str(&r.out), "change of the machine is undone"))
		;
	assert_false(r.e.set);
	assert_int_equal(now(&r), 1234);
	rig_say(&r, "until 5200");
	rig_close(&r);
	assert_same_files("walked.json", "straight.json");
	assert_same_files("walked.csv", "straight.csv");
}

/* Left at once after a change in the past, with the second kernel begun in what is given up. */
static void files_end_at_a_fork(void **state)
{
	struct rig r;
	open_recorded(&r, "states", "timeline.period=100", "straight.json", "straight.csv");
	rig_say(&r, "until 2040");
	rig_say(&r, "set warp-sched lrr");
	rig_close(&r);
	open_recorded(&r, "states", "timeline.period=100", "walked.json", "walked.csv");
	rig_say(&r, "until 6000");
	assert_int_equal(gpu_num_kernels(sim_gpu(r.s->sim)), 2);
	rig_say(&r, "goto 2040");
	rig_say(&r, "set warp-sched lrr");
	rig_close(&r);
	assert_same_files("walked.json", "straight.json");
	assert_same_files("walked.csv", "straight.csv");
}

/* `run` and `restart`: the files are those of the last run; `export trace` from the past holds what came after too. */
static void files_after_restart(void **state)
{
	struct rig r;
	char line[300];
	open_recorded(&r, "ctas", "timeline.period=100", "straight.json", "straight.csv");
	rig_say(&r, "until 2500");
	rig_close(&r);
	open_recorded(&r, "ctas", "timeline.period=100", "walked.json", "walked.csv");
	rig_say(&r, "break cycle 2500");
	rig_say(&r, "until 4000");
	rig_say(&r, "until 4000");
	assert_int_equal(now(&r), 4000);
	rig_say(&r, "run");
	assert_int_equal(now(&r), 2500);
	rig_say(&r, "goto 700");
	snprintf(line, sizeof line, "export trace %s", path_of("exported.json"));
	rig_say(&r, line);
	rig_close(&r);
	assert_same_files("walked.json", "straight.json");
	assert_same_files("walked.csv", "straight.csv");
	assert_same_files("exported.json", "straight.json");
}

/* --- what views add up -------------------------------------------------------------------------------------------- */

struct looks {
	struct recent recent;
	struct residency residency;
};

static void attach(struct looks *l, struct rig *r)
{
	recent_attach(&l->recent, r->s->sim);
	residency_attach(&l->residency, r->s->sim);
}

static void detach(struct looks *l)
{
	recent_detach(&l->recent);
	residency_detach(&l->residency);
}

static void add_bytes(struct strbuf *out, const char *what, const void *p, size_t n)
{
	strbuf_adds(out, what);
	for (size_t i = 0; i < n; i++)
		strbuf_addf(out, "%02x", ((const u8 *)p)[i]);
	strbuf_addc(out, '\n');
}

/* Everything they would show. Heat alone is of the past only; residency and timeline go on to the farthest cycle, so
 * their part up to now is looked at. */
static void show(struct looks *l, struct rig *r, struct strbuf *out)
{
	const struct conf *c = gpu_conf(sim_gpu(r->s->sim));
	strbuf_addf(out, "cycle %llu\n", (unsigned long long)now(r));
	recent_update(&l->recent);
	for (s32 sm = -1; sm < (s32)c->num_sms; sm++)
		add_bytes(out, "recent ", recent_get(&l->recent, sm), sizeof(struct sample));
	for (u32 i = 0; i < r->s->heat->nmods; i++) {
		const struct heat_module *m = &r->s->heat->mods[i];
		for (u32 pc = 0; pc < m->mod->ncode && m->waiting; pc++) {
			add_bytes(out, "heat ", m->at[pc], sizeof m->at[pc]);
			add_bytes(out, "caused ", m->caused[pc], sizeof m->caused[pc]);
		}
		if (m->waiting)
			strbuf_addf(out, "waiting %llu\n", (unsigned long long)m->waiting);
	}
	for (u64 at = RESIDENCY_CYCLES; at <= now(r); at += l->residency.span)
		for (u32 sm = 0; sm < c->num_sms; sm += 5) {
			const struct resident *x = residency_at(&l->residency, sm, at);
			assert_non_null(x);
			strbuf_addf(out, "held %u %u %d\n", x->ctas ? x->launch : 0, x->ctas, x->ctas && x->most < x->ctas);
		}
	u64 span = timeline_span(r->s->timeline);
	for (u32 i = 0; i < now(r) / span; i++) {
		struct sample s = timeline_sum(r->s->timeline, -1, i, i + 1);
		add_bytes(out, "line ", &s, sizeof s);
	}
}

static void assert_shows(struct looks *l, struct rig *r, const struct strbuf *want, const char *how)
{
	struct strbuf have = STRBUF_INIT;
	show(l, r, &have);
	if (strcmp(strbuf_str(&have), strbuf_str(want))) {
		size_t i = 0;
		while (have.buf[i] == want->buf[i])
			i++;
		while (i && have.buf[i - 1] != '\n')
			i--;
		fail_msg("%s, cycle %llu: shows %.120s, not %.120s", how, (unsigned long long)now(r), have.buf + i,
		         want->buf + i);
	}
	strbuf_release(&have);
}

#define MARKS 120
#define APART 61

/* What they show at every 61st cycle, the first time through. */
static void first_time(struct rig *r, struct looks *l, struct strbuf *shown, u32 from)
{
	for (u32 i = from; i < MARKS; i++) {
		if (now(r) < (i + 1) * APART)
			tell(r, "until %llu", (u64)(i + 1) * APART);
		strbuf_clear(&shown[i]);
		show(l, r, &shown[i]);
	}
}

static void there_and_back(struct rig *r, struct looks *l, const struct strbuf *shown, u64 *seed, u32 moves)
{
	for (u32 i = 0; i < moves; i++) {
		struct sim_history_info h;
		u32 to = (u32)(rng_next(seed) % MARKS);
		u64 cycle = (u64)(to + 1) * APART;
		sim_history_info(r->s->sim, &h);
		if (cycle < h.begin)
			continue;
		bool ahead = cycle > now(r);
		if (ahead && rng_next(seed) % 2) {
			tell(r, "until %llu", cycle);
			assert_shows(l, r, &shown[to], "run again");
		} else if (!ahead && now(r) > cycle && rng_next(seed) % 2) {
			tell(r, "reverse-step %llu", now(r) - cycle);
			assert_shows(l, r, &shown[to], "stepped back");
		} else {
			tell(r, "goto %llu", cycle);
			assert_shows(l, r, &shown[to], "gone to");
		}
	}
}

static void open_watched(struct rig *r, struct looks *l, char *option, char *value)
{
	char *argv[] = {"warpdbg", "debug", "hotspot", "--size", "small", option, value, NULL};
	rig_open(r, argv);
	attach(l, r);
}

static void close_watched(struct rig *r, struct looks *l)
{
	detach(l);
	rig_close(r);
}

static void views_show_what_they_showed(void **state)
{
	struct rig r;
	struct looks l;
	u64 seed = 7;
	static struct strbuf shown[MARKS];
	open_watched(&r, &l, NULL, NULL);
	first_time(&r, &l, shown, 0);
	there_and_back(&r, &l, shown, &seed, rounds(NULL, 60, 6));
	assert_true(r.s->heat->nmods > 0);
	close_watched(&r, &l);
	for (u32 i = 0; i < MARKS; i++)
		strbuf_release(&shown[i]);
}

/* Forks: as in the run that took that way at once. */
static void views_after_a_fork(void **state)
{
	struct rig r, straight;
	struct looks l, m;
	u64 seed = 11;
	static struct strbuf shown[MARKS], other[MARKS];
	const u64 fork = 40 * APART;
	open_watched(&straight, &m, NULL, NULL);
	tell(&straight, "until %llu", fork);
	rig_say(&straight, "set warp-sched lrr");
	first_time(&straight, &m, shown, 39);
	close_watched(&straight, &m);
	open_watched(&r, &l, NULL, NULL);
	first_time(&r, &l, other, 0);
	there_and_back(&r, &l, other, &seed, 5);
	tell(&r, "goto %llu", fork);
	rig_say(&r, "set warp-sched lrr");
	for (u32 i = 39; i < MARKS; i++) {
		if (now(&r) < (i + 1) * APART)
			tell(&r, "until %llu", (u64)(i + 1) * APART);
		assert_shows(&l, &r, &shown[i], "after a fork");
	}
	for (u32 i = 0; i < 39; i++) {
		strbuf_release(&shown[i]);
		shown[i] = other[i];
		other[i] = (struct strbuf)STRBUF_INIT;
	}
	there_and_back(&r, &l, shown, &seed, rounds(NULL, 30, 3));
	close_watched(&r, &l);
	for (u32 i = 0; i < MARKS; i++) {
		strbuf_release(&shown[i]);
		strbuf_release(&other[i]);
	}
}

/* With so little memory that snapshots go: the rest is gone through from further back, and shows the same. */
static void views_with_little_memory(void **state)
{
	struct rig r;
	struct looks l;
	u64 seed = 13;
	static struct strbuf shown[MARKS];
	open_watched(&r, &l, "--history-mb", "16");
	first_time(&r, &l, shown, 0);
	there_and_back(&r, &l, shown, &seed, rounds(NULL, 30, 3));
	close_watched(&r, &l);
	for (u32 i = 0; i < MARKS; i++)
		strbuf_release(&shown[i]);
}

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	static const char *const files[] = {"walked.json", "walked.csv", "straight.json", "straight.csv", "exported.json"};
	for (u32 i = 0; i < ARRAY_LEN(files); i++)
		unlink(path_of(files[i]));
	return rmdir(dir);
}

/* What a kernel prints comes when the machine passes by, not when it is replayed to get somewhere. */
static void printed_once(void **state)
{
	char ptx[] = "/tmp/test_rewind_XXXXXX.ptx";
	int fd = mkstemps(ptx, 4);
	static const char text[] =
	    ".version 7.0\n.target sm_30\n.address_size 64\n"
	    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
	    ".global .align 1 .b8 text[4] = {104, 105, 10, 0};\n.visible .entry k()\n{\n.reg .u64 %rd<4>;\n"
	    "mov.u64 %rd1, text;\ncvta.global.u64 %rd2, %rd1;\nmov.u64 %rd3, 0;\n{\n.param .b64 p0;\n"
	    "st.param.b64 [p0], %rd2;\n.param .b64 p1;\nst.param.b64 [p1], %rd3;\n.param .b32 r0;\n"
	    "call.uni (r0), vprintf, (p0, p1);\n}\n"
	    "bar.sync 0;\nret;\n}\n";
	assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
	close(fd);
	char *argv[] = {"warpdbg", "debug", ptx, "--kernel", "k", "--grid", "1", "--block", "1", NULL};
	struct rig r;
	rig_open(&r, argv);
	rig_has(&r, "until stat gpu.sm[0].ctas_done > 0", "hi\n");
	rig_say(&r, "reverse-step 2");
	assert_null(strstr(rig_say(&r, "step 1"), "hi\n"));
	rig_say(&r, "goto 1");
	rig_has(&r, "c", "hi\n");
	rig_close(&r);
	unlink(ptx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(files_of_a_random_walk), cmocka_unit_test(files_of_the_whole_run),
	    cmocka_unit_test(files_after_undo),       cmocka_unit_test(files_after_restart),
	    cmocka_unit_test(files_end_at_a_fork),    cmocka_unit_test(views_show_what_they_showed),
	    cmocka_unit_test(views_after_a_fork),     cmocka_unit_test(views_with_little_memory),
	    cmocka_unit_test(printed_once),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
