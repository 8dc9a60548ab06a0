/* The program that measures chips (scripts/hardware), on a driver whose chip is the model; then `warpdbg correlate` has
 * to find the same figures again. */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "session/machine.h"
#include "tests/rig/model_driver.h"

int measure_main(int argc, char **argv);
#define main measure_main
#include "scripts/hardware/measure.c"
#undef main
#include "scripts/hardware/replay.c"

#define MACHINE "v100"
static char dir[] = "/tmp/measure.XXXXXX";

static char *in_dir(const char *name)
{
	static char path[4][64];
	static u32 turn;
	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof path[turn], "%s/%s", dir, name);
	return path[turn];
}

/* There in the builds with LeakSanitizer: a program that says what is wrong and ends gives nothing back. */
void __lsan_disable(void) __attribute__((weak));

/* In a process of its own, since it ends by exit(); what it prints in `said`. The exit status. */
static int measure(const char *set, char **words, char *said, size_t n)
{
	int pipes[2], status;
	assert_int_equal(pipe(pipes), 0);
	fflush(NULL);
	pid_t child = fork();
	if (!child) {
		if (__lsan_disable)
			__lsan_disable();
		struct err e = {0};
		char *argv[16] = {"measure"};
		int argc = 1;
		const char *sets[] = {"num_sms=2", "l2.sets=4", set};
		dup2(pipes[1], STDERR_FILENO);
		close(pipes[0]);
		if (!machine_conf(&md.conf, ".", MACHINE, sets, set ? 3 : 2, &e))
			_exit(99);
		while (words[argc - 1] && argc < 15)
			argv[argc] = words[argc - 1], argc++;
		exit(measure_main(argc, argv));
	}
	close(pipes[1]);
	size_t len = 0;
	for (ssize_t got; (got = read(pipes[0], said + len, n - 1 - len)) > 0;)
		len += (size_t)got;
	said[len] = 0;
	close(pipes[0]);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static json_t *correlate(const char *file, const char *more)
{
	char command[300];
	json_error_t at;
	snprintf(command, sizeof command,
	         "./warpdbg correlate %s --gpu " MACHINE " --set num_sms=2 --set l2.sets=4 %s --format json", file, more);
	FILE *f = popen(command, "r");
	json_t *o = json_loadf(f, 0, &at);
	assert_int_equal(pclose(f), 0);
	assert_non_null(o);
	return o;
}

static double ratio(const json_t *o, const char *name)
{
	size_t i;
	json_t *row;
	json_array_foreach(json_object_get(o, "rows"), i, row)
	{
		if (!strcmp(json_string_value(json_object_get(row, "name")), name))
			return json_number_value(json_object_get(row, "ratio"));
	}
	fail_msg("no row %s", name);
	return 0;
}

static void test_finds_itself_again(void **state)
{
	char said[16384], *file = in_dir("all.json");
	char *words[] = {"--ptx",
	                 "scripts/hardware/micro.ptx",
	                 "--out",
	                 file,
	                 "--repeat",
	                 "1",
	                 "--big",
	                 "4194304",
	                 "--clock-kcycles",
	                 "20",
	                 "--hold-kcycles",
	                 "1",
	                 NULL};
	int status = measure(NULL, words, said, sizeof said);
	if (status)
		fail_msg("status %d: %s", status, said);
	json_t *o = correlate(file, "");
	size_t i, close = 0;
	json_t *row;
	json_array_foreach(json_object_get(o, "rows"), i, row)
	{
		double r = json_number_value(json_object_get(row, "ratio"));
		if (r < 0.8 || r > 1.25)
			fail_msg("%s: ratio %g", json_string_value(json_object_get(row, "name")), r);
		close += fabs(r - 1) < 1e-3;
	}
	assert_int_equal(i, 58);
	assert_true(close >= 40); /* all that one warp or one thread does; contended figures depend on what ran before */
	assert_true(fabs(ratio(o, "chase_dram") - 1) < 0.05);
	assert_true(fabs(ratio(o, "stream_read") - 1) < 0.05);
	json_decref(o);
	/* On another machine the rows concerned move, and only they. */
	o = correlate(file, "--set lat.f32_add=21 --set shared.latency=38");
	assert_true(fabs(ratio(o, "chain_f32_add") - 22 / 4.0) < 0.2); /* the loop around it takes its own time */
	assert_true(fabs(ratio(o, "chase_shared") - 42 / 19.0) < 0.01);
	assert_true(fabs(ratio(o, "chain_f32_fma") - 1) < 1e-3);
	assert_true(fabs(ratio(o, "chase_l2") - 1) < 1e-3);
	json_decref(o);
}

/* Records what `warpdbg run WORDS` launches. */
static void record(const char *words, const char *log)
{
	char command[300];
	snprintf(command, sizeof command, "./warpdbg run %s --gpu " MACHINE " --record-launches %s >/dev/null", words, log);
	assert_int_equal(system(command), 0);
}

/* Replays one log; its object of the file written. */
static json_t *replayed(char *log)
{
	char said[4096], *file = in_dir("logs.json");
	char *words[] = {"--ptx",
	                 "scripts/hardware/micro.ptx",
	                 "--out",
	                 file,
	                 "--repeat",
	                 "2",
	                 "--only",
	                 "-",
	                 "--clock-kcycles",
	                 "20",
	                 "--hold-kcycles",
	                 "1",
	                 log,
	                 NULL};
	json_error_t at;
	int status = measure("num_sms=80", words, said, sizeof said);
	if (status)
		fail_msg("%s: status %d: %s", log, status, said);
	json_t *o = json_load_file(file, 0, &at), *w = json_array_get(json_object_get(o, "workloads"), 0);
	assert_non_null(w);
	json_incref(w);
	json_decref(o);
	return w;
}

static double in_memory(const json_t *w, const char *key)
{
	const json_t *v = json_object_get(json_object_get(w, "memory"), key);
	assert_true(json_is_number(v));
	return json_number_value(v);
}

/* Device addresses are others on the chip; results are the same, and times nearly (caches are warm the second time). */
static void test_workloads_are_repeated(void **state)
{
	static const struct {
		const char *words, *name;
		size_t launches;
	} programs[] = {{"vecadd --size small", "vecadd", 1},
	                {"convsep --size small", "convsep", 2}, /* writes constant memory */
	                {"nw --size small", "nw", 0},
	                {"bfs --size small --seed 7", "bfs", 0}};
	for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
		char *log = in_dir("a.log");
		record(programs[i].words, log);
		json_t *w = replayed(log);
		assert_string_equal(json_string_value(json_object_get(w, "name")), programs[i].name);
		assert_true(in_memory(w, "words") > 1000);
		if (in_memory(w, "different") != 0)
			fail_msg("%s: %g words differ", programs[i].name, in_memory(w, "different"));
		size_t n = json_array_size(json_object_get(w, "launches"));
		assert_true(programs[i].launches ? n == programs[i].launches : n > 2);
		json_decref(w);
	}
	json_t *o = correlate(in_dir("logs.json"), "--set num_sms=80 --set l2.sets=32");
	double r = ratio(o, "bfs_expand");
	if (r < 0.8 || r > 1.25)
		fail_msg("bfs_expand: ratio %g", r);
	json_decref(o);
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	fputs(text, f);
	fclose(f);
}

/* Variables of the module have their first values again each time. */
static void test_variables_are_restored(void **state)
{
	char *log = in_dir("a.log"), *lua = in_dir("p.lua"), text[600];
	write_text(in_dir("c.ptx"), ".version 6.3\n.target sm_70\n.address_size 64\n"
	                            ".visible .global .align 4 .u32 counter[4] = {5, 6, 7, 8};\n"
	                            ".visible .entry count(.param .u32 by)\n{\n.reg .u32 %r<3>;\n"
	                            "ld.param.u32 %r1, [by];\natom.global.add.u32 %r2, [counter+4], %r1;\nret;\n}\n");
	snprintf(text, sizeof text,
	         "return {name = 'p', run = function(cuda, p) local m = cuda.module('%s/c.ptx')\n"
	         "cuda.launch(m.count, 2, 32, {3}); cuda.sync() end}\n",
	         dir);
	write_text(lua, text);
	record(lua, log);
	json_t *w = replayed(log);
	assert_true(in_memory(w, "words") == 4);
	assert_true(in_memory(w, "different") == 0);
	json_decref(w);
}

/* Changes one byte of a file, counted from the last place of `tag`. */
static void change(const char *file, const char *tag, long by)
{
	size_t n;
	char *text = read_file(file, &n), *at = NULL, *next = text;
	while ((next = memmem(next, (size_t)(text + n - next), tag, strlen(tag))))
		at = next++;
	assert_non_null(at);
	at[by] ^= 1;
	FILE *f = fopen(file, "wb");
	fwrite(text, 1, n, f);
	fclose(f);
	free(text);
}

static void test_differences_are_counted(void **state)
{
	char *log = in_dir("a.log"), said[4096];
	record("vecadd --size small", log);
	change(log, "\nend", -4); /* the last result's last word, a float's lower bits */
	json_t *w = replayed(log);
	assert_true(in_memory(w, "different") == 1);
	assert_true(in_memory(w, "max_relative") > 0 && in_memory(w, "max_relative") < 0.1);
	json_decref(w);
	/* Files that are no logs, or cut short. */
	write_text(log, "warpdbg-launches 1\nworkload x\n");
	char *words[] = {
	    "--ptx", "scripts/hardware/micro.ptx", "--out", in_dir("logs.json"), "--repeat", "1", "--only", "-", log, NULL};
	assert_int_equal(measure(NULL, words, said, sizeof said), 2);
	assert_non_null(strstr(said, "the file is not complete"));
	write_text(log, "warpdbg-launches 1\nworkload x\nfill 12345678 4 0\nend\n");
	assert_int_equal(measure(NULL, words, said, sizeof said), 2);
	assert_non_null(strstr(said, "an address that lies in no allocation"));
	write_text(log, "something else\nend\n");
	assert_int_equal(measure(NULL, words, said, sizeof said), 2);
	assert_non_null(strstr(said, "no log of `warpdbg run --record-launches`"));
}

static void test_what_cannot_be_repeated(void **state)
{
	char *log = in_dir("a.log"), *lua = in_dir("p.lua");
	record("sad --size small", log);
	json_t *w = replayed(log);
	assert_string_equal(json_string_value(json_object_get(w, "left_out")), "textures");
	assert_string_equal(json_string_value(json_object_get(w, "name")), "sad");
	json_decref(w);
	write_text(lua, "return {name = 'p', run = function(cuda, p)\n"
	                "local m, a, b = cuda.module('vecadd.ptx'), cuda.malloc(400), cuda.malloc(400)\n"
	                "local h = cuda.host('u64', 50); h[3] = b + 8; cuda.copy(a, h)\n"
	                "cuda.launch(m.vecadd, 1, 32, {a, a, b, 32}); cuda.sync() end}\n");
	record(lua, log);
	w = replayed(log);
	assert_string_equal(json_string_value(json_object_get(w, "left_out")), "pointers in memory");
	json_decref(w);
}

static void test_says_what_is_missing(void **state)
{
	char said[4096], *file = in_dir("none.json");
	char *good[] = {"--ptx", "scripts/hardware/micro.ptx", "--out", file, "--only", "chain_f32_add", NULL};
	md.refuse_init = true;
	assert_int_equal(measure(NULL, good, said, sizeof said), 2);
	assert_non_null(strstr(said, "no usable GPU: no CUDA-capable device is detected"));
	assert_int_not_equal(access(file, F_OK), 0);
	md.refuse_init = false;
	static const struct {
		char *words[9];
		int status;
		const char *says;
	} bad[] = {{{"--ptx", "scripts/hardware/micro.ptx"}, 2, "--out FILE.json is missing"},
	           {{"--out", "/nonexistent/x", "--ptx", "scripts/hardware/micro.ptx"}, 2, "/nonexistent/x: No such file"},
	           {{"--out", "x", "--ptx", "/nonexistent/y"}, 2, "/nonexistent/y: No such file"},
	           {{"--out", "x", "--ptx", "README.md"}, 3, "README.md: the driver does not take this PTX"},
	           {{"--out", "x", "--repeat", "0"}, 2, "--repeat: '0' is not a whole number within 1..99"},
	           {{"--out", "x", "--device", "3", "--ptx", "scripts/hardware/micro.ptx"}, 2, "--device 3: there are 1"},
	           {{"--out"}, 2, "--out needs a value"},
	           {{"--out", "/dev/null", "--ptx", "scripts/hardware/micro.ptx", "--only", "-", "/nonexistent/z"},
	            2,
	            "/nonexistent/z: No such file"},
	           {{"--nix"}, 2, "unknown option --nix"}};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		int status = measure(NULL, (char **)bad[i].words, said, sizeof said);
		if (status != bad[i].status || !strstr(said, bad[i].says))
			fail_msg("case %zu: status %d, said %s", i, status, said);
	}
}

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	unlink(in_dir("all.json"));
	unlink(in_dir("logs.json"));
	unlink(in_dir("a.log"));
	unlink(in_dir("p.lua"));
	unlink(in_dir("c.ptx"));
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_finds_itself_again),      cmocka_unit_test(test_workloads_are_repeated),
	    cmocka_unit_test(test_variables_are_restored),  cmocka_unit_test(test_differences_are_counted),
	    cmocka_unit_test(test_what_cannot_be_repeated), cmocka_unit_test(test_says_what_is_missing),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
