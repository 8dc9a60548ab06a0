/* The files of `export`, `screenshot` and --phases. */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "commands/commands.h"
#include "tests/rig/debug_rig.h"
#include "views/offscreen.h"

static void rig_hotspot(struct rig *r, char *option, char *value)
{
	char *argv[] = {"warpdbg", "debug", "hotspot", "--size", "small", option, value, NULL};
	rig_open(r, argv);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static char dir[] = "/tmp/test_export.XXXXXX";

static char *path_of(const char *name)
{
	static char path[200];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

static void say_file(struct rig *r, const char *command, const char *name, const char *more)
{
	char line[300];
	snprintf(line, sizeof line, "%s %s%s", command, path_of(name), more);
	rig_say(r, line);
}

static struct strbuf content(const char *name)
{
	struct strbuf s = STRBUF_INIT;
	struct err e = {0};
	if (!strbuf_read_file(&s, path_of(name), &e))
		fail_msg("%s", e.msg);
	return s;
}

/* Every row has as many numbers as the head has names; returns the rows. */
static u32 check_csv(const char *name, void (*row)(const double *v, u32 n))
{
	struct strbuf s = content(name);
	char *line, *rest = s.buf;
	u32 names = 1, rows = 0;
	line = strsep(&rest, "\n");
	for (const char *p = line; *p; p++)
		names += *p == ',';
	while ((line = strsep(&rest, "\n")) && *line) {
		double v[128];
		u32 n = 0;
		for (char *field; (field = strsep(&line, ",")); n++) {
			char *end;
			assert_true(n < ARRAY_LEN(v));
			v[n] = strtod(field, &end);
			if (!strcmp(field, "all"))
				v[n] = NAN;
			assert_true(!*end || !strcmp(field, "all"));
		}
		assert_int_equal(n, names);
		row(v, n);
		rows++;
	}
	strbuf_release(&s);
	return rows;
}

static void timeline_row(const double *v, u32 n)
{
	u64 cycles = (u64)v[1]; /* of a sample: 16, doubled as often as neighbours were merged */
	assert_true(v[0] > 0 && cycles >= 16 && !(cycles & (cycles - 1)) && fmod(v[0], 16) == 0);
}

static void phase_row(const double *v, u32 n)
{
	double sum = 0;
	u64 sms = isnan(v[2]) ? 15 : 1;
	assert_true(v[9] + v[10] + v[11] + v[12] == v[1] * (double)sms); /* by what was in flight: all SM cycles */
	for (u32 i = 13; i < n; i++)
		sum += v[i];
	assert_true(fabs(sum - v[3]) < 0.01); /* the bands' columns are the active warps */
	assert_true(v[7] >= v[5] - 0.01 && v[8] >= v[6] - 0.01);
}

/* Tags are closed in order, attributes quoted, no bare ampersand: what a browser asks of it. */
static void check_xml(const char *name)
{
	struct strbuf s = content(name);
	char open[64][32];
	u32 depth = 0, elements = 0;
	for (const char *p = strbuf_str(&s); *p;) {
		if (*p == '&')
			assert_true(strcspn(p, ";") < 10 && (p[1] == '#' || isalpha((u8)p[1])));
		if (*p++ != '<')
			continue;
		bool closes = *p == '/';
		size_t n = strcspn(p + closes, " >/\n");
		const char *end = p;
		for (char quote = 0; *end && (quote || *end != '>'); end++)
			quote = quote ? (*end == quote ? 0 : quote) : *end == '\'' || *end == '"' ? *end : 0;
		assert_int_equal(*end, '>');
		if (closes) {
			assert_true(depth > 0 && strlen(open[depth - 1]) == n && !strncmp(open[depth - 1], p + 1, n));
			depth--;
		} else if (end[-1] != '/') {
			assert_true(depth < 64 && n < 32);
			snprintf(open[depth++], 32, "%.*s", (int)n, p);
		}
		elements++;
		p = end + 1;
	}
	assert_int_equal(depth, 0);
	assert_true(elements > 20);
	assert_int_equal(strncmp(s.buf, "<svg xmlns=", 11), 0);
	strbuf_release(&s);
}

static json_t *check_json(const char *name)
{
	json_error_t e;
	json_t *j = json_load_file(path_of(name), 0, &e);
	if (!j)
		fail_msg("%s:%d: %s", name, e.line, e.text);
	return j;
}

static void test_export(void **state)
{
	struct rig r;
	char trace[200];
	snprintf(trace, sizeof trace, "%s", path_of("run.json"));
	rig_hotspot(&r, "--trace", trace);
	rig_say(&r, "until 6000");
	rig_has(&r, "export", "phases-svg");
	say_file(&r, "export csv", "t.csv", "");
	assert_int_equal(check_csv("t.csv", timeline_row), 6000 / 16);
	say_file(&r, "export phases-csv", "p.csv", "");
	assert_int_equal(check_csv("p.csv", phase_row), 16 * 93);
	say_file(&r, "export phases-svg", "p.svg", "");
	check_xml("p.svg");
	say_file(&r, "export phases-svg", "p3.svg", " 3");
	check_xml("p3.svg");
	struct strbuf svg = content("p3.svg");
	assert_non_null(strstr(svg.buf, "SM 3"));
	assert_non_null(strstr(svg.buf, "phases of hotspot"));
	strbuf_release(&svg);
	say_file(&r, "export json", "s.json", "");
	json_t *j = check_json("s.json");
	assert_int_equal(json_integer_value(json_object_get(j, "cycles")), 6000);
	json_decref(j);
	say_file(&r, "export trace", "so-far.json", "");
	j = check_json("so-far.json");
	size_t early = json_array_size(json_object_get(j, "traceEvents"));
	assert_true(early > 50);
	json_decref(j);
	rig_say(&r, "continue"); /* the recorder goes on undisturbed */
	rig_close(&r);
	j = check_json("run.json");
	assert_true(json_array_size(json_object_get(j, "traceEvents")) > early);
	json_decref(j);
}

static void test_export_errors(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_fails(&r, "export phase-svg /dev/null", "did you mean 'phases-svg'");
	rig_fails(&r, "export csv", "a file is expected");
	rig_fails(&r, "export csv /dev/null 3", "'3' is left over");
	rig_fails(&r, "export phases-svg /dev/null 99", "larger than 14");
	rig_fails(&r, "export csv /nonexistent/x.csv", "No such file");
	rig_fails(&r, "export csv /dev/full", "cannot write");
	rig_fails(&r, "export trace /dev/null", "--trace");
	rig_fails(&r, "lua dbg.export('csv', '/dev/null')", "--allow-io");
	rig_fails(&r, "lua dbg.execute('export csv /dev/null')", "--allow-io");
	rig_fails(&r, "lua dbg.execute('screenshot /tmp/x.svg')", "--allow-io");
	rig_fails(&r, "export csv '/tmp/x", "the quote is not closed");
	rig_fails(&r, "export csv \"/tmp/x\\\"", "the quote is not closed");
	rig_fails(&r, "export csv ''", "a file is expected");
	char *much = xcalloc(3000, 1);
	snprintf(much, 3000, "screenshot /tmp/%02000d.svg", 0);
	rig_fails(&r, much, "more than 1023 letters");
	free(much);
	rig_fails(&r, "screenshot", "a file is expected");
	rig_fails(&r, "screenshot /tmp/x.jpg", "the ending says");
	rig_fails(&r, "screenshot /tmp/x.svg nothing", "'nothing' is no view");
	rig_fails(&r, "screenshot /tmp/x.svg 3 4x4", "a size from 20x5");
	rig_fails(&r, "screenshot /nonexistent/x.svg", "No such file");
	rig_fails(&r, "screenshot /nonexistent/x.png", "No such file");
	rig_close(&r);
}

/* Names with blanks and quotes, as they are. */
static void test_export_names(void **state)
{
	static const char *const written[][2] = {{"'a b.csv'", "a b.csv"},
	                                         {"\"a  c.csv\"", "a  c.csv"},
	                                         {"\"q\\\"x\\\\.csv\"", "q\"x\\.csv"},
	                                         {"it's.csv", "it's.csv"},
	                                         {"'say \"so\".csv'", "say \"so\".csv"}};
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "until 600");
	for (u32 i = 0; i < ARRAY_LEN(written); i++) {
		char line[400], quoted[100];
		const char *w = written[i][0];
		char quote = *w == '"' || *w == '\'' ? *w : 0;
		snprintf(quoted, sizeof quoted, "%s", w + (quote != 0));
		if (quote)
			snprintf(line, sizeof line, "export csv %c%s", quote, path_of(quoted));
		else
			snprintf(line, sizeof line, "export csv %s", path_of(quoted));
		rig_say(&r, line);
		struct stat st;
		assert_int_equal(stat(path_of(written[i][1]), &st), 0);
		assert_true(st.st_size > 100);
		unlink(path_of(written[i][1]));
	}
	rig_close(&r);
}

static void test_export_from_lua(void **state)
{
	struct rig r;
	char line[300];
	rig_hotspot(&r, "--allow-io", NULL);
	rig_say(&r, "until 2000");
	snprintf(line, sizeof line, "lua dbg.export('phases-svg', '%s', 2)", path_of("lua.svg"));
	rig_say(&r, line);
	check_xml("lua.svg");
	rig_fails(&r, "lua dbg.export('csv', '/nonexistent/x')", "No such file");
	rig_fails(&r, "lua dbg.export('phases-svg', '/dev/null', 15)", "no such SM");
	rig_close(&r);
}

static void test_screenshot(void **state)
{
	struct rig r;
	struct stat st;
	rig_hotspot(&r, NULL, NULL);
	offscreen_open(r.d); /* as batch mode does at its start */
	rig_say(&r, "until 4000");
	say_file(&r, "screenshot", "a.txt", "");
	struct strbuf s = content("a.txt");
	u32 lines = 0;
	for (const char *p = s.buf; *p; p++)
		lines += *p == '\n';
	assert_int_equal(lines, 24);
	assert_non_null(strstr(s.buf, "SM warps"));
	assert_non_null(strstr(s.buf, "cycle 4,000"));
	assert_null(strstr(s.buf, "IPC 0.00")); /* the views have been watching */
	strbuf_release(&s);
	say_file(&r, "screenshot", "b.svg", " phases 120x40");
	check_xml("b.svg");
	s = content("b.svg");
	assert_non_null(strstr(s.buf, "width='1096' height='776'"));
	assert_non_null(strstr(s.buf, ">Phases<"));
	strbuf_release(&s);
	say_file(&r, "screenshot", "c.txt", " 7");
	s = content("c.txt");
	assert_non_null(strstr(s.buf, "Kernels"));
	strbuf_release(&s);
	char line[300];
	snprintf(line, sizeof line, "screenshot %s 4", path_of("d.png"));
	if (rig_try(&r, line)) {
		s = content("d.png");
		assert_memory_equal(s.buf, "\x89PNG", 4);
		strbuf_release(&s);
	} else {
		assert_non_null(strstr(r.e.msg, "librsvg2-bin"));
		assert_int_equal(stat(path_of("d.png"), &st), -1);
	}
	rig_close(&r);
}

/* A picture is the same at the same place after `run` has begun anew. */
static void test_screenshot_is_reproducible(void **state)
{
	struct rig r;
	rig_hotspot(&r, NULL, NULL);
	offscreen_open(r.d);
	rig_say(&r, "break cycle 5000");
	rig_say(&r, "continue");
	say_file(&r, "screenshot", "first.svg", " 1");
	rig_say(&r, "until 7000");
	rig_say(&r, "run"); /* to the breakpoint */
	say_file(&r, "screenshot", "again.svg", " 1");
	struct strbuf a = content("first.svg"), b = content("again.svg");
	assert_string_equal(a.buf, b.buf);
	strbuf_release(&a);
	strbuf_release(&b);
	rig_close(&r);
}

static void run_with_phases(const char *name)
{
	struct options o;
	struct err e = {0};
	char *argv[] = {"warpdbg", "run", "hotspot", "--size", "small", "--phases", path_of(name), NULL};
	assert_int_equal(cmdline_parse(&o, 7, argv, &e), CMDLINE_OK);
	struct session *s = session_open(&o, console_modules, &e);
	assert_non_null(s);
	assert_int_equal(session_run(s, NEVER, &e), SS_FINISHED);
	assert_true(session_close_outputs(s, &e));
	session_close(s);
	cmdline_free(&o);
}

static void refuse_phases(char *file, char *setting, const char *text)
{
	struct options o;
	struct err e = {0};
	char *argv[] = {"warpdbg", "run", "hotspot", "--phases", file, "--set", setting, NULL};
	assert_int_equal(cmdline_parse(&o, 7, argv, &e), CMDLINE_OK);
	assert_null(session_open(&o, console_modules, &e));
	if (!strstr(e.msg, text))
		fail_msg("'%s' expected in: %s", text, e.msg);
	cmdline_free(&o);
}

static void test_headless(void **state)
{
	run_with_phases("run.csv");
	assert_true(check_csv("run.csv", phase_row) > 100);
	run_with_phases("run.svg");
	check_xml("run.svg");
	refuse_phases("x.txt", "seed=1", ".csv or .svg");
	refuse_phases("/nonexistent/x.svg", "seed=1", "No such file");
	refuse_phases("/dev/null.svg", "phases.period=0", "phases.period is 0");
}

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char command[100];
	snprintf(command, sizeof command, "rm -r %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_export),       cmocka_unit_test(test_export_errors),
	    cmocka_unit_test(test_export_names), cmocka_unit_test(test_export_from_lua),
	    cmocka_unit_test(test_screenshot),   cmocka_unit_test(test_screenshot_is_reproducible),
	    cmocka_unit_test(test_headless),
	};
	return cmocka_run_group_tests_name("export", tests, make_dir, remove_dir);
}
