/* The files that grow with a run: the tape under them (also cut back, also where nothing can be rewritten), and the
 * rules of the trace format that a viewer relies on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/commands.h"
#include "base/rng.h"
#include "tests/rig/debug_rig.h"
#include "obs/record/tape.h"
#include "obs/record/trace.h"
#include "session/outputs.h"

static char dir[] = "/tmp/warpdbg-trace-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[4][200];
	static u32 k;
	k = (k + 1) % 4;
	snprintf(path[k], sizeof path[k], "%s/%s", dir, name);
	return path[k];
}

static struct strbuf content(const char *path)
{
	struct strbuf text = STRBUF_INIT;
	struct err e = {0};
	if (!strbuf_read_file(&text, path, &e))
		fail_msg("%s", e.msg);
	return text;
}

/* --- the tape ----------------------------------------------------------------------------------------------------- */

/* What the tape should hold, in the plainest way. */
struct model {
	struct strbuf text;
	struct {
		u64 clock, began, number;
	} at[60000];
	u32 n;
};

struct undoing {
	struct model *m;
	u32 expected; /* number of entries not yet undone */
};

static void undo_entry(void *ctx, const void *record, u64 began)
{
	struct undoing *u = ctx;
	u64 number;
	memcpy(&number, record, sizeof number);
	assert_true(u->expected > 0);
	u->expected--;
	assert_int_equal(number, u->m->at[u->expected].number);
	assert_int_equal(began, u->m->at[u->expected].began);
}

static void cut_both(struct tape *t, struct model *m, u64 clock)
{
	struct undoing u = {m, m->n};
	tape_cut(t, clock, undo_entry, &u);
	while (m->n && m->at[m->n - 1].clock > clock) {
		m->n--;
		m->text.len = m->at[m->n].began;
		m->text.buf[m->text.len] = '\0';
	}
	assert_int_equal(u.expected, m->n);
	assert_int_equal(tape_end(t), m->text.len);
}

static void add_both(struct tape *t, struct model *m, u64 clock, u64 number, u32 length)
{
	struct strbuf line = STRBUF_INIT;
	strbuf_addf(&line, "%llu at %llu ", (unsigned long long)number, (unsigned long long)clock);
	while (line.len < length)
		strbuf_addc(&line, '-');
	strbuf_addc(&line, '\n');
	m->at[m->n].clock = clock;
	m->at[m->n].began = m->text.len;
	m->at[m->n++].number = number;
	strbuf_add(&m->text, line.buf, line.len);
	tape_add(t, clock, &line, &number);
	strbuf_release(&line);
}

/* At any moment the file is a beginning of the text, whole lines, followed by the tail. */
static void check_whole(const char *path, const struct model *m, const char *tail)
{
	struct strbuf now = content(path);
	size_t n = strlen(tail);
	if (now.len) { /* before the first block it is empty */
		assert_true(now.len >= n && !strcmp(now.buf + now.len - n, tail));
		assert_true(now.len - n <= m->text.len && m->text.len - (now.len - n) <= TAPE_BLOCK);
		assert_memory_equal(now.buf, m->text.buf, now.len - n);
		assert_true(now.len == n || now.buf[now.len - n - 1] == '\n');
	}
	strbuf_release(&now);
}

static void walk_tape(u64 seed, u32 entries, u32 longest)
{
	struct err e = {0};
	struct model *m = xcalloc(1, sizeof *m);
	char path[200];
	snprintf(path, sizeof path, "%s", path_of("tape"));
	struct tape *t = tape_open(path, "test", "END\n", sizeof(u64), &e);
	u64 clock = 0, number = 0;
	assert_non_null(t);
	while (m->n < entries) {
		clock += rng_next(&seed) % 3;
		add_both(t, m, clock, number++, (u32)(rng_next(&seed) % longest));
		if (rng_next(&seed) % (entries / 4) == 0) {
			u64 back = rng_next(&seed) % (clock + 1);
			if (rng_next(&seed) % 2)
				back = clock - MIN(clock, rng_next(&seed) % 40);
			cut_both(t, m, clock = back);
			check_whole(path_of("tape.part"), m, "END\n");
		}
	}
	FILE *copy = fopen(path_of("copy"), "w");
	assert_true(tape_copy(t, copy));
	fclose(copy);
	assert_true(tape_close(t, &e));
	struct strbuf got = content(path_of("copy"));
	assert_string_equal(got.buf, m->text.buf);
	strbuf_release(&got);
	strbuf_adds(&m->text, "END\n");
	got = content(path);
	assert_string_equal(got.buf, m->text.buf);
	strbuf_release(&got);
	strbuf_release(&m->text);
	free(m);
}

/* Few and many entries (the log of them beyond what is in memory), short and long (more than a block). */
static void tape_cut_is_as_if_never_written(void **state)
{
	for (u64 seed = 1; seed < 6; seed++) {
		walk_tape(seed, 40, 30);
		walk_tape(seed, 40, 100000);
		walk_tape(seed, 3000, 3000);
		walk_tape(seed, 30000, 60);
	}
}

/* Killed at any moment it is whole: looked at while it grows. */
static void tape_is_whole_at_any_time(void **state)
{
	struct err e = {0};
	struct model *m = xcalloc(1, sizeof *m);
	for (u32 cuts = 0; cuts < 2; cuts++) {
		struct tape *t = tape_open(path_of("whole"), "test", "\n]}\n", cuts ? sizeof(u64) : TAPE_NO_CUT, &e);
		u32 blocks = 0;
		m->n = 0;
		strbuf_clear(&m->text);
		for (u32 i = 0; i < 20000; i++) {
			struct stat st;
			add_both(t, m, i, i, 50);
			assert_int_equal(stat(path_of("whole.part"), &st), 0);
			if (blocks < st.st_size / TAPE_BLOCK) {
				check_whole(path_of("whole.part"), m, "\n]}\n");
				blocks = (u32)(st.st_size / TAPE_BLOCK);
			}
		}
		assert_true(blocks >= 3);
		assert_true(tape_close(t, &e));
	}
	strbuf_release(&m->text);
	free(m);
}

/* To a pipe: block by block, or, where it may be cut, all at the end. */
static void tape_to_a_pipe(void **state)
{
	char command[500];
	struct err e = {0};
	struct model *m = xcalloc(1, sizeof *m);
	for (u32 cuts = 0; cuts < 2; cuts++) {
		const char *pipe = path_of("pipe"), *out = path_of("piped");
		unlink(pipe);
		assert_int_equal(mkfifo(pipe, 0600), 0);
		snprintf(command, sizeof command, "cat '%s' >'%s'", pipe, out);
		pid_t cat = fork();
		if (!cat)
			_exit(system(command) ? 1 : 0);
		struct tape *t = tape_open(pipe, "test", "END\n", cuts ? sizeof(u64) : TAPE_NO_CUT, &e);
		assert_non_null(t);
		assert_int_equal(tape_readable(t), cuts);
		m->n = 0;
		strbuf_clear(&m->text);
		for (u32 i = 0; i < 10000; i++)
			add_both(t, m, i, i, 60);
		if (cuts)
			cut_both(t, m, 7000);
		assert_true(tape_close(t, &e));
		int status;
		assert_int_equal(waitpid(cat, &status, 0), cat);
		assert_int_equal(status, 0);
		strbuf_adds(&m->text, "END\n");
		struct strbuf got = content(out);
		assert_string_equal(got.buf, m->text.buf);
		strbuf_release(&got);
	}
	strbuf_release(&m->text);
	free(m);
}

static void tape_errors(void **state)
{
	struct strbuf line = STRBUF_INIT;
	strbuf_adds(&line, "text\n");
	for (u32 cuts = 0; cuts < 2; cuts++) {
		struct err e = {0};
		size_t record = cuts ? 0 : TAPE_NO_CUT;
		assert_null(tape_open("/nonexistent/x", "test", "", record, &e));
		assert_string_equal(e.msg, "/nonexistent/x: No such file or directory");
		err_clear(&e);
		assert_null(tape_open("/tmp", "test", "", record, &e));
		assert_string_equal(e.msg, "/tmp: Is a directory");
		err_clear(&e);
		struct tape *t = tape_open("/dev/full", "test", "", record, &e);
		assert_non_null(t);
		tape_add(t, 1, &line, NULL);
		assert_false(tape_close(t, &e));
		assert_string_equal(e.msg, "/dev/full: cannot write: No space left on device");
		err_clear(&e);
		t = tape_open("/dev/null", "test", "tail", record, &e);
		tape_add(t, 1, &line, NULL);
		assert_true(tape_close(t, &e));
	}
	strbuf_release(&line);
}

/* --- the format --------------------------------------------------------------------------------------------------- */

/* A track: (pid, tid) of slices, or (pid, name) of a counter. */
struct track {
	char id[80];
	double last;
	u32 points;
	bool named;
};
struct check {
	struct track t[4000];
	u32 n;
	u32 slices, counters, names, marks;
	double cycles; /* sum over slices */
	u32 tensor;    /* of them, on tracks of tensor units */
	double tensor_cycles;
};
static double clock_ghz = 0.7; /* gtx480 */

static struct track *track(struct check *c, const char *kind, s64 pid, s64 tid, const char *name)
{
	char id[80];
	snprintf(id, sizeof id, "%s %lld %lld %s", kind, (long long)pid, (long long)tid, name);
	for (u32 i = 0; i < c->n; i++)
		if (!strcmp(c->t[i].id, id))
			return &c->t[i];
	assert_true(c->n < ARRAY_LEN(c->t));
	c->t[c->n] = (struct track){.last = 0};
	memcpy(c->t[c->n].id, id, sizeof id);
	return &c->t[c->n++];
}

static json_t *need(json_t *o, const char *key, json_type type)
{
	json_t *v = json_object_get(o, key);
	if (!v || (json_typeof(v) != type && !(type == JSON_REAL && json_is_number(v))))
		fail_msg("%s missing or of another type in %s", key, json_dumps(o, JSON_COMPACT));
	return v;
}

static void check_slice(struct check *c, json_t *o, double end)
{
	s64 pid = json_integer_value(need(o, "pid", JSON_INTEGER)), tid = json_integer_value(need(o, "tid", JSON_INTEGER));
	double ts = json_number_value(need(o, "ts", JSON_REAL)), dur = json_number_value(need(o, "dur", JSON_REAL));
	json_t *args = need(o, "args", JSON_OBJECT);
	double from = json_number_value(need(args, "from_cycle", JSON_INTEGER)),
	       to = json_number_value(need(args, "to_cycle", JSON_INTEGER));
	struct track *t = track(c, "slices", pid, tid, "");
	if (!(dur >= 0) || !(ts >= t->last - 1e-6) || !(to >= from) || to > end)
		fail_msg("%s after %f", json_dumps(o, JSON_COMPACT), t->last);
	assert_true(fabs(ts * clock_ghz - from / 1000) < 0.001 && fabs((ts + dur) * clock_ghz - to / 1000) < 0.001);
	t->last = ts + dur; /* no slice begins before the one before it on its track has ended */
	t->points++;
	if (!track(c, "process", pid, -1, "")->named || !track(c, "thread", pid, tid, "")->named)
		fail_msg("no name for %s", t->id);
	c->slices++;
	c->cycles += to - from;
	if (json_object_get(args, "macs")) {
		c->tensor++;
		c->tensor_cycles += to - from;
	}
}

static void check_counter(struct check *c, json_t *o)
{
	s64 pid = json_integer_value(need(o, "pid", JSON_INTEGER));
	const char *name = json_string_value(need(o, "name", JSON_STRING));
	double ts = json_number_value(need(o, "ts", JSON_REAL));
	json_t *args = need(o, "args", JSON_OBJECT), *v;
	const char *key;
	struct track *t = track(c, "counter", pid, -1, name);
	assert_true(ts >= t->last);
	assert_true(json_object_size(args) > 0);
	json_object_foreach(args, key, v) assert_true(json_is_number(v) && isfinite(json_number_value(v)));
	if (strstr(name, "rate") || strstr(name, "utilisation"))
		assert_true(json_number_value(json_object_get(args, "value")) <= 1.0001);
	t->last = ts;
	t->points++;
	c->counters++;
}

static void check_name(struct check *c, json_t *o)
{
	const char *what = json_string_value(need(o, "name", JSON_STRING));
	s64 pid = json_integer_value(need(o, "pid", JSON_INTEGER));
	json_t *args = need(o, "args", JSON_OBJECT);
	if (!strcmp(what, "process_sort_index")) {
		need(args, "sort_index", JSON_INTEGER);
		return;
	}
	assert_true(json_string_length(need(args, "name", JSON_STRING)) > 0);
	bool thread = !strcmp(what, "thread_name");
	assert_true(thread || !strcmp(what, "process_name"));
	s64 tid = thread ? json_integer_value(need(o, "tid", JSON_INTEGER)) : -1;
	struct track *t = track(c, thread ? "thread" : "process", pid, tid, "");
	assert_false(t->named); /* once */
	t->named = true;
	c->names++;
}

/* The rules. end: the last cycle. */
static void check_trace(const char *path, double end, struct check *c)
{
	json_error_t e;
	json_t *j = json_load_file(path, JSON_REJECT_DUPLICATES, &e), *o;
	size_t i;
	if (!j)
		fail_msg("%s:%d: %s", path, e.line, e.text);
	memset(c, 0, sizeof *c);
	json_array_foreach(need(j, "traceEvents", JSON_ARRAY), i, o)
	{
		const char *ph = json_string_value(need(o, "ph", JSON_STRING));
		assert_true(json_string_length(need(o, "name", JSON_STRING)) > 0);
		if (!strcmp(ph, "X"))
			check_slice(c, o, end);
		else if (!strcmp(ph, "C"))
			check_counter(c, o);
		else if (!strcmp(ph, "M"))
			check_name(c, o);
		else if (!strcmp(ph, "i"))
			c->marks++;
		else
			fail_msg("ph %s", ph);
	}
	json_decref(j);
}

/* Returns the last cycle. */
static u64 trace_of(const char *detail, const char *until, const char *file, const char *export)
{
	struct rig r;
	char line[300];
	char *argv[] = {"warpdbg",
	                "debug",
	                "hotspot",
	                "--size",
	                "small",
	                "--trace",
	                (char *)file,
	                "--trace-detail",
	                (char *)detail,
	                "--set",
	                "timeline.period=100",
	                NULL};
	rig_open(&r, argv);
	rig_say(&r, until);
	if (export) {
		snprintf(line, sizeof line, "export trace %s", export);
		rig_say(&r, line);
	}
	u64 end = sim_cycle(r.s->sim);
	rig_close(&r);
	return end;
}

static void trace_keeps_the_rules(void **state)
{
	static struct check c, whole;
	u64 end = trace_of("ctas", "continue", path_of("a.json"), NULL);
	check_trace(path_of("a.json"), (double)end, &whole);
	assert_int_equal(whole.slices, 2 + 2 * 64); /* launches and their CTAs */
	assert_in_range(whole.counters, 4 * (end / 100), 6 * (end / 100));
	trace_of("warps", "continue", path_of("b.json"), NULL);
	check_trace(path_of("b.json"), (double)end, &c);
	assert_int_equal(c.slices, 2 + 2 * 64 + 2 * 64 * 8);
	assert_int_equal(c.counters, whole.counters);
	double warps = c.cycles - whole.cycles; /* lives of warps */
	trace_of("states", "continue", path_of("c.json"), NULL);
	check_trace(path_of("c.json"), (double)end, &c);
	assert_true(c.slices > 20000);
	assert_true(c.cycles - whole.cycles == warps); /* the same lives, cut into states */
}

static bool count_one(void *ctx, const struct event *e)
{
	++*(u32 *)ctx;
	return false;
}

/* Virtual threads: a CTA has a track while it has slots, as often as it has them, and each life of a warp in them. */
static void trace_of_swaps(void **state)
{
	static struct check ctas, warps;
	struct rig r;
	u32 left = 0; /* how often a CTA gave up its slots, in both runs */
	u64 end = 0;
	for (u32 k = 0; k < 2; k++) {
		rig_open(&r,
		         (char *[]){"warpdbg", "debug", "vecadd", "--size", "small", "--cta-virtual", "vt", "--trace",
		                    (char *)path_of(k ? "w.json" : "v.json"), "--trace-detail", k ? "warps" : "ctas", NULL});
		sim_subscribe(r.s->sim, EVENT(EV_CTA_SWAP_OUT), count_one, &left);
		rig_has(&r, "continue", "check passed");
		end = sim_cycle(r.s->sim);
		rig_close(&r);
	}
	assert_true(left > 200);
	check_trace(path_of("v.json"), (double)end, &ctas);
	assert_int_equal(ctas.slices, 1 + 512 + left / 2);
	check_trace(path_of("w.json"), (double)end, &warps);
	assert_true(warps.slices > ctas.slices);
}

struct tensor_sum {
	u32 mmas, marks;
	double cycles;
};
static bool add_tensor(void *ctx, const struct event *e)
{
	struct tensor_sum *sum = ctx;
	sum->mmas += e->type == EV_MMA;
	sum->marks += e->type != EV_MMA;
	sum->cycles += e->type == EV_MMA ? (double)e->arg[4] : 0;
	return false;
}

/* Each mma is a slice of its unit, as long as it takes the unit; copies that have landed are marks. Also after going
 * back and on. */
static void trace_of_tensor_units(void **state)
{
	static struct check c;
	struct rig r;
	struct tensor_sum sum = {0};
	rig_open(&r, (char *[]){"warpdbg", "debug", "tensor/hgemm", "--gpu", "a100", "--param", "n=64", "--param", "step=5",
	                        "--trace", (char *)path_of("t.json"), "--trace-detail", "states", NULL});
	sim_subscribe(r.s->sim, EVENT(EV_MMA) | EVENT(EV_COPY_DONE), add_tensor, &sum);
	rig_has(&r, "continue", "check passed");
	const u64 end = sim_cycle(r.s->sim);
	const struct tensor_sum all = sum;
	rig_say(&r, "goto 1500");
	rig_say(&r, "set warp-sched gto");
	rig_say(&r, "set warp-sched lrr"); /* another future, which is the same */
	rig_has(&r, "continue", "check passed");
	assert_int_equal(sim_cycle(r.s->sim), end);
	rig_close(&r);
	clock_ghz = 1.41;
	check_trace(path_of("t.json"), (double)end, &c);
	clock_ghz = 0.7;
	assert_int_equal(all.mmas, 64 * 64 * 64 / (16 * 8 * 16));
	assert_true(all.marks > 0);
	assert_int_equal(c.tensor, all.mmas);
	assert_true(c.tensor_cycles == all.cycles);
	assert_int_equal(c.marks, all.marks);
}

/* In the middle: what is open ends there, the copy of it is as good. */
static void trace_cut_short(void **state)
{
	static struct check c, d;
	static const char *const details[] = {"ctas", "warps", "states"};
	for (u32 i = 0; i < 3; i++) {
		trace_of(details[i], "until 3000", path_of("d.json"), path_of("e.json"));
		check_trace(path_of("d.json"), 3000, &c);
		check_trace(path_of("e.json"), 3000, &d);
		assert_true(c.slices > 60);
		struct strbuf a = content(path_of("d.json")), b = content(path_of("e.json"));
		assert_string_equal(a.buf, b.buf);
		strbuf_release(&a);
		strbuf_release(&b);
	}
}

/* A name is needed for a track whose only slice is still open. */
static void trace_of_nothing(void **state)
{
	static struct check c;
	trace_of("states", "step", path_of("f.json"), NULL);
	check_trace(path_of("f.json"), 1, &c);
	assert_int_equal(c.counters, 0);
	trace_of("ctas", "until 5", path_of("f.json"), NULL);
	check_trace(path_of("f.json"), 5, &c);
}

static void trace_options(void **state)
{
	static const char *const wrong[][2] = {{"warp", "'warp' is none of: ctas warps states"},
	                                       {"", "'' is none of: ctas warps states"}};
	struct options o;
	struct err e = {0};
	for (u32 i = 0; i < 2; i++) {
		char *argv[] = {
		    "warpdbg",           "debug", "vecadd", "--size", "small", "--trace", "/tmp/x", "--trace-detail",
		    (char *)wrong[i][0], NULL};
		assert_int_equal(cmdline_parse(&o, 9, argv, &e), CMDLINE_OK);
		assert_null(session_open(&o, console_modules, &e));
		assert_non_null(strstr(e.msg, wrong[i][1]));
		cmdline_free(&o);
		err_clear(&e);
	}
	char *argv[] = {"warpdbg", "debug", "vecadd", "--trace-detail", "warps", NULL};
	assert_int_equal(cmdline_parse(&o, 5, argv, &e), CMDLINE_OK);
	assert_null(session_open(&o, console_modules, &e));
	assert_non_null(strstr(e.msg, "--trace-detail: there is no --trace"));
	cmdline_free(&o);
}

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	static const char *const files[] = {"tape",   "copy",   "whole",  "pipe",   "piped",  "a.json", "b.json",
	                                    "c.json", "d.json", "e.json", "f.json", "v.json", "w.json", "t.json"};
	for (u32 i = 0; i < ARRAY_LEN(files); i++)
		unlink(path_of(files[i]));
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(tape_cut_is_as_if_never_written),
	    cmocka_unit_test(tape_is_whole_at_any_time),
	    cmocka_unit_test(tape_to_a_pipe),
	    cmocka_unit_test(tape_errors),
	    cmocka_unit_test(trace_keeps_the_rules),
	    cmocka_unit_test(trace_of_swaps),
	    cmocka_unit_test(trace_of_tensor_units),
	    cmocka_unit_test(trace_cut_short),
	    cmocka_unit_test(trace_of_nothing),
	    cmocka_unit_test(trace_options),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
