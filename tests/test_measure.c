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

#include "catalog.h"
#include "tests/model_driver.h"

int measure_main(int argc, char **argv);
#define main measure_main
#include "scripts/hardware/measure.c"
#undef main

#define MACHINE "v100"
static char dir[] = "/tmp/measure.XXXXXX";

static char *in_dir(const char *name)
{
	static char path[2][64];
	static u32 turn;
	turn ^= 1;
	snprintf(path[turn], sizeof path[turn], "%s/%s", dir, name);
	return path[turn];
}

/* In a process of its own, since it ends by exit(); what it prints in `said`. The exit status. */
static int measure(const char *set, char **words, char *said, size_t n)
{
	int pipes[2], status;
	assert_int_equal(pipe(pipes), 0);
	fflush(NULL);
	pid_t child = fork();
	if (!child) {
		struct err e = {0};
		char *argv[16] = {"measure"};
		int argc = 1;
		const char *sets[] = {"num_sms=2", "l2.sets=4", set};
		dup2(pipes[1], STDERR_FILENO);
		close(pipes[0]);
		if (!catalog_conf(&md.conf, ".", MACHINE, sets, set ? 3 : 2, &e))
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
	assert_true(fabs(ratio(o, "chain_f32_add") - 24 / 7.0) < 0.01);
	assert_true(fabs(ratio(o, "chase_shared") - 42 / 24.0) < 0.01);
	assert_true(fabs(ratio(o, "chain_f32_fma") - 1) < 1e-3);
	assert_true(fabs(ratio(o, "chase_l2") - 1) < 1e-3);
	json_decref(o);
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
		char *words[8];
		int status;
		const char *says;
	} bad[] = {{{"--ptx", "scripts/hardware/micro.ptx"}, 2, "--out FILE.json is missing"},
	           {{"--out", "/nonexistent/x", "--ptx", "scripts/hardware/micro.ptx"}, 2, "/nonexistent/x: No such file"},
	           {{"--out", "x", "--ptx", "/nonexistent/y"}, 2, "/nonexistent/y: No such file"},
	           {{"--out", "x", "--ptx", "README.md"}, 3, "README.md: the driver does not take this PTX"},
	           {{"--out", "x", "--repeat", "0"}, 2, "--repeat: '0' is not a whole number within 1..99"},
	           {{"--out", "x", "--device", "3", "--ptx", "scripts/hardware/micro.ptx"}, 2, "--device 3: there are 1"},
	           {{"--out"}, 2, "--out needs a value"},
	           {{"--out", "x", "word"}, 2, "unexpected word word"},
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
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_finds_itself_again),
	    cmocka_unit_test(test_says_what_is_missing),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
