/* info launches: its rows against the counters, the host's calls against the lines of the host program, and both after
 * going back in time and on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gpu/launch_slots.h"
#include "tests/rig/debug_rig.h"
#include "session/call_texts.h"

/* The text of line n of a file. */
static void file_line(const char *path, u32 n, char *out, size_t size)
{
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	for (u32 i = 0; i < n; i++)
		assert_non_null(fgets(out, (int)size, f));
	fclose(f);
}

/* The row of a launch; words are NUL-terminated copies. The call is all that follows the state. */
struct shown {
	char number[16], kernel[64], stream[16], grid[24], block[24], dynamic[16], regs[16], from[16], per_sm[16],
	    start[24], end[24], cycles[24], ipc[16], share[16], lost[32], state[16], call[200];
};

static struct shown row_of(const char *table, u32 row)
{
	struct shown s = {0};
	for (u32 i = 0; i <= row; i++) {
		table = strchr(table, '\n');
		assert_non_null(table);
		table++;
	}
	int at = 0;
	assert_int_equal(sscanf(table, "%15s %63s %15s %23s %23s %15s %15s %15s %15s %23s %23s %23s %15s %15s%n", s.number,
	                        s.kernel, s.stream, s.grid, s.block, s.dynamic, s.regs, s.from, s.per_sm, s.start, s.end,
	                        s.cycles, s.ipc, s.share, &at),
	                 14);
	if (strcmp(s.share, "-") != 0) {
		int more = 0;
		assert_int_equal(sscanf(table + at, "%31s%n", s.lost, &more), 1);
		at += more;
	}
	assert_int_equal(sscanf(table + at, "%15s  %199[^\n]", s.state, s.call), 2);
	return s;
}

static u64 number(const char *text)
{
	char *end;
	const u64 v = strtoull(text, &end, 10);
	assert_true(end != text && !*end);
	return v;
}

static void row_is(struct rig *r, const struct shown *s, u32 launch)
{
	static const char *const states[] = {"queued", "running", "done"};
	struct gpu *g = dbg_gpu(r->d);
	struct kernel_info k;
	gpu_kernel_info(g, launch, &k);
	const struct launch *l = k.launch;
	const struct kernel_counters *n = k.counters;
	char want[64];
	assert_int_equal(number(*s->number == '*' ? s->number + 1 : s->number), launch);
	assert_string_equal(s->kernel, k.label);
	assert_int_equal(number(s->stream), l->stream);
	assert_int_equal(number(s->dynamic), l->dynamic_shared);
	assert_int_equal(number(s->regs), l->regs);
	assert_int_equal(number(s->per_sm), k.ctas_per_sm);
	assert_string_equal(s->state, states[k.state]);
	assert_string_equal(s->call, l->call);
	if (k.state == KS_QUEUED) {
		assert_string_equal(s->start, "-");
		return;
	}
	const u64 to = k.state == KS_DONE ? n->ended_at : gpu_cycle(g);
	assert_int_equal(number(s->start), n->started_at);
	assert_int_equal(number(s->cycles), to - n->started_at);
	if (k.state == KS_DONE)
		assert_int_equal(number(s->end), n->ended_at);
	else
		assert_string_equal(s->end, "-");
	snprintf(want, sizeof want, "%.2f", (double)n->warp_insts / (double)MAX(to - n->started_at, (u64)1));
	if (to > n->started_at)
		assert_string_equal(s->ipc, want);
	if (*s->lost) {
		u64 slots[ST_COUNT];
		const u64 sum = gpu_launch_slots(g, launch, slots);
		const int reason = probe_find_stall(s->lost, strlen(s->lost));
		assert_true(reason > ST_ISSUED);
		for (u32 i = ST_ISSUED + 1; i < ST_COUNT; i++)
			assert_true(slots[i] <= slots[reason]);
		snprintf(want, sizeof want, "%.1f%%", 100.0 * (double)slots[reason] / (double)sum);
		assert_string_equal(s->share, want);
	} else {
		assert_int_equal(to, n->started_at);
	}
}

/* Each row is the launch, in each state, and its call is a line of the program that has cuda.launch. */
static void rows_are_the_counters(void **state)
{
	struct rig r;
	char *argv[] = {"warpdbg", "debug", "hotspot", "--size", "small", NULL}, line[500];
	rig_open(&r, argv);
	for (u32 stop = 0; stop < 6; stop++) {
		rig_say(&r, "step 1700");
		const u32 n = gpu_num_kernels(dbg_gpu(r.d));
		char *table = xstrdup(rig_say(&r, "info launches"));
		for (u32 i = 0; i < n; i++) {
			const struct shown s = row_of(table, i);
			row_is(&r, &s, i);
			static const char begin[] = "cuda.launch from hotspot.lua:";
			assert_int_equal(strncmp(s.call, begin, sizeof begin - 1), 0);
			file_line("scripts/workloads/hotspot.lua", (u32)number(s.call + sizeof begin - 1), line, sizeof line);
			assert_non_null(strstr(line, "cuda.launch("));
			assert_string_equal(s.from, "estimate");
			assert_string_equal(s.grid, "8x8");
			assert_string_equal(s.block, "16x16");
		}
		const struct shown last = row_of(rig_say(&r, "info launches 1"), 0);
		row_is(&r, &last, n - 1);
		free(table);
	}
	rig_fails(&r, "info launches some", "info launches: 'some'");
	rig_close(&r);
}

/* The same table at the same cycle, in the past and in a future made again. */
static void it_is_the_same_after_going_back(void **state)
{
	struct rig r;
	char *argv[] = {"warpdbg", "debug", "hotspot", "--size", "small", NULL};
	rig_open(&r, argv);
	rig_say(&r, "step 4000");
	char *early = xstrdup(rig_say(&r, "info launches"));
	rig_say(&r, "goto 8000");
	char *late = xstrdup(rig_say(&r, "info launches"));
	assert_string_not_equal(early, late);
	rig_say(&r, "goto 4000");
	assert_string_equal(rig_say(&r, "info launches"), early);
	rig_say(&r, "goto 8000");
	assert_string_equal(rig_say(&r, "info launches"), late);
	rig_say(&r, "goto 4000");
	rig_say(&r, "set warp-sched gto"); /* what follows is dropped, and runs again */
	rig_say(&r, "step 4000");
	const struct shown again = row_of(rig_say(&r, "info launches 1"), 0);
	assert_non_null(strstr(late, again.call));
	assert_int_equal(strncmp(again.call, "cuda.launch from hotspot.lua:", 29), 0);
	free(early);
	free(late);
	rig_close(&r);
}

static void launch_on_the_command_line(void **state, char *regs, const char *from)
{
	struct rig r;
	char *argv[] = {"warpdbg",
	                "debug",
	                "configs/kernels/vecadd.ptx",
	                "--kernel",
	                "vecadd",
	                "--grid",
	                "4",
	                "--block",
	                "32",
	                "--arg",
	                "f32[128]=iota",
	                "--arg",
	                "f32[128]=1",
	                "--arg",
	                "f32[128]=zero",
	                "--arg",
	                "u32=128",
	                regs ? "--regs" : NULL,
	                regs,
	                NULL};
	rig_open(&r, argv);
	rig_say(&r, "step 100");
	const struct shown s = row_of(rig_say(&r, "info launches"), 0);
	row_is(&r, &s, 0);
	assert_string_equal(s.call, "command line");
	assert_string_equal(s.from, from);
	rig_has(&r, "print gpu.kernel[0].call", "command line");
	rig_has(&r, "print gpu.kernel[0].regs_from", from);
	rig_has(&r, "info kernels", "by command line");
	rig_close(&r);
}

static void a_launch_of_the_command_line(void **state)
{
	launch_on_the_command_line(state, NULL, "estimate");
	launch_on_the_command_line(state, "24", "--regs");
}

/* A host program that launches from several lines, also through a function; registers that it asks for. */
static void lines_of_a_host_program(void **state)
{
	static const char text[] =
	    "return { run = function(cuda, p)\n"
	    "	local m = cuda.module(\"vecadd.ptx\")\n"
	    "	local d = cuda.malloc(512)\n"
	    "	local function go(o)\n"
	    "		cuda.launch(m.vecadd, 1, 32, { d, d, d, 32 }, o)\n"
	    "	end\n"
	    "	go()\n"
	    "	cuda.launch(m.vecadd, 2, 32, { d, d, d, 64 }, { regs = 40, shared = 128, stream = 0 })\n"
	    "	go { regs = 20 }\n"
	    "	cuda.sync()\n"
	    "end }\n";
	static const struct {
		u32 line, regs, dynamic;
		const char *from;
	} want[] = {{5, 0, 0, "estimate"}, {8, 40, 128, "host"}, {5, 20, 0, "host"}};
	char dir[] = "/tmp/wd-launches-XXXXXX", path[64], command[200];
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/three.lua", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	snprintf(command, sizeof command, "cp configs/kernels/vecadd.ptx %s", dir);
	assert_int_equal(system(command), 0);
	struct rig r;
	char *argv[] = {"warpdbg", "debug", path, NULL};
	rig_open(&r, argv);
	rig_say(&r, "continue");
	char *table = xstrdup(rig_say(&r, "info launches"));
	for (u32 i = 0; i < ARRAY_LEN(want); i++) {
		const struct shown s = row_of(table, i);
		char call[64];
		row_is(&r, &s, i);
		snprintf(call, sizeof call, "cuda.launch from three.lua:%u", want[i].line);
		assert_string_equal(s.call, call);
		assert_string_equal(s.from, want[i].from);
		assert_int_equal(number(s.dynamic), want[i].dynamic);
		if (want[i].regs)
			assert_int_equal(number(s.regs), want[i].regs);
	}
	free(table);
	rig_close(&r);
	snprintf(command, sizeof command, "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

/* Texts of places whose hashes meet, and more of them than are kept. */
static void texts_of_many_places(void **state)
{
	struct call_texts *t = call_texts_new();
	char text[16];
	u32 kept = 0;
	for (u64 i = 0; i < 70000; i++) {
		const u64 key = i << (i % 2 ? 40 : 1); /* every second one begins its search at the same place */
		if (i >= 3000 && i % 2)
			continue; /* so many are enough */
		snprintf(text, sizeof text, "%u", (u32)i);
		assert_null(call_texts_find(t, key));
		const char *got = call_texts_keep(t, key, xstrdup(text));
		if (kept < 36000 && !got)
			fail_msg("no room for text %u", kept);
		kept += got != NULL;
	}
	for (u64 i = 0; i < 70000; i++) {
		const char *got = call_texts_find(t, i << (i % 2 ? 40 : 1));
		snprintf(text, sizeof text, "%u", (u32)i);
		if (i >= 3000 && i % 2)
			assert_null(got);
		else
			assert_string_equal(got, text);
	}
	for (u64 i = 0; call_texts_room(t); i++)
		assert_non_null(call_texts_keep(t, (i + 1) << 20 | 0x80000, xstrdup("more")));
	assert_null(call_texts_keep(t, 0x123457, xstrdup("too many")));
	assert_null(call_texts_find(t, 0x123457));
	call_texts_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_are_the_counters),        cmocka_unit_test(it_is_the_same_after_going_back),
	    cmocka_unit_test(a_launch_of_the_command_line), cmocka_unit_test(lines_of_a_host_program),
	    cmocka_unit_test(texts_of_many_places),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
