/* The log that `export konata` writes: a reader of the format checks each line of it, and what it says is what the
 * machine has counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "dbg/lanes.h"
#include "tests/rig/debug_rig.h"

static char dir[] = "/tmp/test_konata.XXXXXX";

static const char *path_of(const char *name)
{
	static char path[200];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

/* --- a reader ------------------------------------------------------------------------------------------------------- */

struct flow {
	bool begun, over, told, arrow;
	u32 thread;
	u64 begins, stage_at;
	char stage[20];
};
struct log {
	struct flow *inst;
	u64 n, first, cycle, retired, flushed, arrows, issue_cycles, cycles_told;
};

/* An instruction that has begun and not ended. */
static struct flow *alive(struct log *g, u64 id)
{
	if (id >= g->n || !g->inst[id].begun || g->inst[id].over)
		fail_msg("instruction %llu has not begun, or is over", (unsigned long long)id);
	return &g->inst[id];
}

static void end_stage(struct log *g, struct flow *x)
{
	if (!*x->stage)
		return;
	g->cycles_told += g->cycle - x->stage_at;
	if (!strcmp(x->stage, "issue"))
		g->issue_cycles += g->cycle - x->stage_at;
	if (g->cycle == x->stage_at)
		fail_msg("stage %s lasts no cycle", x->stage);
}

static void take_line(struct log *g, const char *line)
{
	unsigned long long a, b, c;
	char name[20];
	int n = 0;
	if (sscanf(line, "C\t%llu%n", &a, &n) == 1 && !line[n]) {
		assert_true(a > 0);
		g->cycle += a;
	} else if (sscanf(line, "I\t%llu\t%llu\t%llu%n", &a, &b, &c, &n) == 3 && !line[n]) {
		assert_int_equal(a, g->n); /* one after the other */
		g->inst = xrealloc(g->inst, (g->n + 1) * sizeof *g->inst);
		g->inst[g->n++] = (struct flow){.begun = true, .thread = (u32)c, .begins = g->cycle};
	} else if (sscanf(line, "S\t%llu\t%llu\t%19[^\t]%n", &a, &b, name, &n) == 3 && !line[n]) {
		struct flow *x = alive(g, a);
		assert_int_equal(b, 0);
		assert_string_not_equal(name, x->stage);
		if (!*x->stage)
			assert_int_equal(x->begins, g->cycle);
		end_stage(g, x);
		snprintf(x->stage, sizeof x->stage, "%s", name);
		x->stage_at = g->cycle;
	} else if (sscanf(line, "L\t%llu\t%llu\t%n", &a, &b, &n) == 2 && n) {
		alive(g, a)->told = true;
		assert_true(b <= 1 && line[n] && !strchr(line + n, '\t'));
	} else if (sscanf(line, "W\t%llu\t%llu\t%llu%n", &a, &b, &c, &n) == 3 && !line[n]) {
		assert_false(alive(g, a)->arrow);
		alive(g, a)->arrow = true;
		assert_true(b < a && g->inst[b].told);
		assert_int_equal(g->inst[b].thread, g->inst[a].thread);
		g->arrows++;
	} else if (sscanf(line, "R\t%llu\t%llu\t%llu%n", &a, &b, &c, &n) == 3 && !line[n]) {
		struct flow *x = alive(g, a);
		end_stage(g, x);
		x->over = true;
		assert_true(c <= 1);
		assert_int_equal(b, g->retired);
		assert_int_equal(x->told, !c);
		if (!c)
			assert_string_equal(x->stage, "issue");
		g->retired += !c;
		g->flushed += c;
	} else {
		fail_msg("no line of the format: '%s'", line);
	}
}

static struct log read_log(const char *path)
{
	struct log g = {0};
	struct strbuf s = STRBUF_INIT;
	struct err e = {0};
	unsigned long long first;
	if (!strbuf_read_file(&s, path, &e))
		fail_msg("%s", e.msg);
	char *rest = s.buf;
	assert_string_equal(strsep(&rest, "\n"), "Kanata\t0004");
	assert_int_equal(sscanf(strsep(&rest, "\n"), "C=\t%llu", &first), 1);
	g.first = g.cycle = first;
	for (char *line; (line = strsep(&rest, "\n")) && *line;)
		take_line(&g, line);
	assert_null(rest); /* it ends with a whole line */
	for (u64 i = 0; i < g.n; i++)
		assert_true(g.inst[i].over);
	strbuf_release(&s);
	return g;
}

/* --- what it says ----------------------------------------------------------------------------------------------------- */

static void go(struct rig *r, u64 cycle)
{
	char line[40];
	snprintf(line, sizeof line, "goto %llu", (unsigned long long)cycle);
	rig_say(r, line);
}

/* Instructions with a slot that the SM has issued so far; slots that it has used. */
static u64 executed(struct rig *r, u32 sm, u64 *slots)
{
	const struct sm_counters *k = (const struct sm_counters *)gpu_counters(dbg_gpu(r->d), CG_sm, sm);
	*slots = k->issue_slots;
	return k->issued - k->issued_free;
}

static void check_export(struct rig *r, u32 sm, u64 from, u64 to, u64 *arrows)
{
	char line[300];
	u64 slots[2], n[2];
	const u64 hash = sim_hash(r->s->sim);
	snprintf(line, sizeof line, "export konata %s %u %llu %llu", path_of("log"), sm, (unsigned long long)from,
	         (unsigned long long)to);
	rig_say(r, line);
	assert_true(sim_hash(r->s->sim) == hash);
	struct log g = read_log(path_of("log"));
	go(r, from);
	n[0] = executed(r, sm, &slots[0]);
	go(r, to);
	n[1] = executed(r, sm, &slots[1]);
	assert_int_equal(g.first, from);
	assert_true(g.cycle <= to);
	assert_int_equal(g.retired, n[1] - n[0]);
	u64 leading = 0; /* a slot that takes a leading part of an instruction that is not issued before the end */
	for (u64 i = 0; i < g.n; i++)
		leading += !g.inst[i].told && !strcmp(g.inst[i].stage, "issue") ? g.cycle - g.inst[i].stage_at : 0;
	assert_in_range(slots[1] - slots[0], g.issue_cycles - leading, g.issue_cycles);
	assert_true(g.retired > 50);
	*arrows += g.arrows;
	free(g.inst);
	unlink(path_of("log"));
}

static void logs(void **state)
{
	static const struct {
		const char *words;
		u64 until, from, to;
		u32 sm;
	} cases[] = {
	    {"hotspot --size small", 3000, 900, 1500, 3},
	    {"hotspot --size small --set isa.issue_cost=ptx", 3000, 900, 1500, 3},
	    {"hotspot --size small --set sm.issue_width=2", 3000, 900, 1500, 3},
	    {"hotspot --size small --gpu v100", 6000, 0, 6000, 3},
	    {"hotspot --size small --cta-virtual vt --set sm.ctas=2", 2000, 900, 1400, 1},
	};
	u64 arrows = 0;
	for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig r;
		char line[40];
		rig_words(&r, cases[i].words);
		snprintf(line, sizeof line, "until %llu", (unsigned long long)cases[i].until);
		rig_say(&r, line);
		check_export(&r, cases[i].sm, cases[i].from, cases[i].to, &arrows);
		rig_close(&r);
	}
	assert_true(arrows > 100);
}

static bool there(const char *name)
{
	struct stat st;
	return !stat(path_of(name), &st);
}

/* In pieces it is the same as in one; whole or not at all. */
static void files(void **state)
{
	struct rig r;
	char line[300];
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "until 1200");
	snprintf(line, sizeof line, "export konata %s 3 900 1201", path_of("no"));
	rig_fails(&r, line, "simulated from 0 to 1200");
	assert_false(there("no"));
	snprintf(line, sizeof line, "export konata %s 15", path_of("no"));
	rig_fails(&r, line, "SM 15 does not exist (0..14)");
	snprintf(line, sizeof line, "export konata %s 3 900 900", path_of("no"));
	rig_fails(&r, line, "cycles 900 to 900 are none");
	snprintf(line, sizeof line, "export konata %s 3 x", path_of("no"));
	rig_fails(&r, line, "'x' is left over");
	snprintf(line, sizeof line, "export konata %s/none/no 3", dir);
	rig_fails(&r, line, "none/no");
	assert_false(there("no"));
	rig_say(&r, "focus sm 4");
	rig_say(&r, "scope 300 800");
	snprintf(line, sizeof line, "export konata %s", path_of("scope"));
	rig_say(&r, line);
	struct log g = read_log(path_of("scope"));
	assert_int_equal(g.first, 300);
	assert_in_range(g.cycle, 700, 800);
	free(g.inst);
	unlink(path_of("scope"));
	rig_close(&r);
}

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(logs),
	    cmocka_unit_test(files),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
