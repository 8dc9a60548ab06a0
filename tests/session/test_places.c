/* Errors of the configuration name the place of each value concerned: FILE:LINE, --set or an option's name; the default
 * says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "session/machine.h"
#include "session/cmdline.h"

static char path[2][64]; /* a machine and one that is based on it */

static void write_file(const char *at, const char *text)
{
	FILE *f = fopen(at, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int begin(void **state)
{
	char text[256];
	for (u32 i = 0; i < 2; i++)
		snprintf(path[i], sizeof path[i], "/tmp/wd-places%u-%d.lua", i, (int)getpid());
	write_file(path[0], "return {\n\tbase = 'gtx480',\n\t['l1d.line'] = 64,\n\t['l2.line'] = 64 }\n");
	snprintf(text, sizeof text, "return { base = '%s',\n\n\n\n['l1d.line'] = 128,\n}\n", path[0]);
	write_file(path[1], text);
	return 0;
}

static int end(void **state)
{
	return unlink(path[0]) || unlink(path[1]);
}

/* What is said of a machine with these settings (NULL-terminated). */
static void says(const char *gpu, const char *const *sets, const char *fmt, const char *a, const char *b)
{
	struct conf c;
	struct err e = {0};
	char want[300];
	u32 n = 0;
	while (sets[n])
		n++;
	snprintf(want, sizeof want, fmt, a, b);
	assert_false(machine_conf(&c, ".", gpu, sets, n, &e));
	assert_string_equal(e.msg, want);
}
#define SETS(...) ((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

static void one_key(void **state)
{
	says(NULL, SETS("l1d.ways=0"), "--set: l1d.ways: 0 is not within 1..256 ways", "", "");
	says(NULL, SETS("l1d.ways=4", "l1d.sets=33"), "--set: l1d.sets: 33 is not a power of two", "", "");
	says(NULL, SETS("nonsense=1"), "--set: unknown config key 'nonsense'", "", "");
	write_file(path[0], "return {\n\tbase = 'gtx480',\n\n\t['l1d.sets'] = 33, ['sm.threads'] = 1024 }\n");
	says(path[0], SETS(NULL), "%s:4: l1d.sets: 33 is not a power of two", path[0], "");
	says(path[0], SETS("sm.threads=100"), "--set: sm.threads: 100 is not a multiple of 32", path[0], "");
	write_file(path[0], "return {\n\tbase = 'gtx480', -- l1d.sets = 1\n--\n\t['l1d.sets'] = 0 } --");
	says(path[0], SETS(NULL), "%s:4: l1d.sets: 0 is not within 1..4096 sets", path[0], "");
	begin(NULL);
}

static void two_keys(void **state)
{
	says(path[1], SETS(NULL), "%s:5: l2.line: 64 is smaller than l1d.line 128 (l2.line: %s:4)", path[1], path[0]);
	says(path[0], SETS("l1d.line=256"), "--set: l2.line: 64 is smaller than l1d.line 256 (l2.line: %s:4)", path[0], "");
	says(path[0], SETS("l2.line=32"), "--set: l2.line: 32 is smaller than l1d.line 64 (l1d.line: %s:3)", path[0], "");
	says(path[0], SETS("l2.line=32", "l1d.line=64"), "--set: l2.line: 32 is smaller than l1d.line 64 (l2.line: --set)",
	     "", "");
	says(NULL, SETS("ccws.vta_entries=12"),
	     "--set: ccws.vta_entries: 12 is not a multiple of ccws.vta_ways 8 (ccws.vta_ways: the default)", "", "");
	says(NULL, SETS("ccws.vta_ways=3"),
	     "--set: ccws.vta_entries: 16 is not a multiple of ccws.vta_ways 3 (ccws.vta_entries: the default)", "", "");
}

static void options_of_their_own(void **state)
{
	static char *const wrong[][2] = {{"--schedule=x", "--schedule: schedule: 'x' is not one of list|none"},
	                                 {"--history-mb=-1", "--history-mb: history.mb: -1 is not within 0..1048576 MiB"}};
	for (u32 i = 0; i < ARRAY_LEN(wrong); i++) {
		char *argv[] = {"warpdbg", "debug", "bfs", wrong[i][0], NULL};
		struct options o;
		struct err e = {0};
		assert_int_equal(cmdline_parse(&o, 4, argv, &e), CMDLINE_ERROR);
		assert_string_equal(e.msg, wrong[i][1]);
		cmdline_free(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(one_key), cmocka_unit_test(two_keys),
	                                   cmocka_unit_test(options_of_their_own)};
	return cmocka_run_group_tests(tests, begin, end);
}
