/* `report`: the page is well-formed, its figures are those of the JSON report, and its curves add up to them; the same
 * cycle gives the same bytes, whichever way the machine has come there; what users write is text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "commands/commands.h"
#include "commands/report/page.h"
#include "session/run_report.h"
#include "tests/rig/debug_rig.h"
#include "tests/rig/page_rig.h"

static char dir[] = "/tmp/test_report.XXXXXX";

static char *path_of(const char *name)
{
	static char path[200];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

static struct strbuf content(const char *name)
{
	struct strbuf s = STRBUF_INIT;
	struct err e = {0};
	if (!strbuf_read_file(&s, path_of(name), &e))
		fail_msg("%s", e.msg);
	return s;
}

static void say_file(struct rig *r, const char *command, const char *name)
{
	char line[300];
	snprintf(line, sizeof line, "%s %s", command, path_of(name));
	rig_say(r, line);
}

static struct strbuf report_of(struct rig *r, const char *name)
{
	say_file(r, "report", name);
	return content(name);
}

static json_t *json_of(struct rig *r)
{
	say_file(r, "export json", "run.json");
	struct strbuf text = content("run.json");
	json_t *doc = json_loads(text.buf, 0, NULL);
	assert_non_null(doc);
	strbuf_release(&text);
	return doc;
}

/* --- figures ------------------------------------------------------------------------------------------------------ */

struct figures {
	json_t *doc;
	u32 n, cards, lines;
	double stall_sum;
};

static void check_number(const char *path, const json_t *want, const char *got)
{
	if (json_is_number(want) &&
	    fabs(json_number_value(want) - strtod(got, NULL)) <= 1e-11 * fabs(json_number_value(want)))
		return;
	if (json_is_string(want) && *got == '"' && !strncmp(got + 1, json_string_value(want), strlen(got) - 2))
		return;
	if ((!want || json_is_null(want)) && !strcmp(got, "null"))
		return;
	char *text = want ? json_dumps(want, JSON_ENCODE_ANY) : NULL;
	fail_msg("%s: the page has %s, JSON %s", path, got, text ? text : "nothing");
}

/* What people read, as a number: "48,213", "41.2 %". */
static void check_shown(const char *path, const char *shown, const char *value)
{
	char digits[64];
	u32 n = 0;
	const char *p = shown;
	for (; *p && strchr("0123456789.,-+", *p) && n + 1 < sizeof digits; p++)
		if (*p != ',')
			digits[n++] = *p;
	digits[n] = 0;
	const bool percent = !strncmp(p, " %", 2);
	const double v = strtod(value, NULL) * (percent && !strstr(path, "percent") ? 100 : 1), s = strtod(digits, NULL);
	if (!strcmp(value, "null") || *value == '"' || !strncmp(p, " pt", 3))
		return;
	if (fabs(v - s) > (strchr(digits, '.') ? 0.0501 : 0.5001))
		fail_msg("%s: %.20s is shown for %s", path, shown, value);
}

static void visit_figure(void *ctx, const struct page_tag *t)
{
	struct figures *f = ctx;
	struct strbuf path = STRBUF_INIT, value = STRBUF_INIT;
	if (page_attr(t, "data-f", &path)) {
		assert_true(page_attr(t, "data-v", &value));
		if (strncmp(strbuf_str(&path), "diagnosis.", 10) != 0) {
			check_number(strbuf_str(&path), page_find(f->doc, strbuf_str(&path)), strbuf_str(&value));
			f->n++;
		}
		if (!strcmp(t->name, "td"))
			check_shown(path.buf, t->behind, strbuf_str(&value));
		if (!strncmp(t->behind, "<b>", 3)) {
			check_shown(path.buf, t->behind + 3, strbuf_str(&value));
			f->cards++;
		}
	}
	strbuf_release(&path);
	strbuf_release(&value);
}

static struct figures check_figures(const struct strbuf *page, json_t *doc)
{
	struct figures f = {.doc = doc};
	page_read(page->buf, visit_figure, &f);
	return f;
}

static void test_figures_are_json(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "continue");
	struct strbuf page = report_of(&r, "a.html");
	json_t *doc = json_of(&r);
	const struct figures f = check_figures(&page, doc);
	assert_int_equal(f.cards, 10);
	assert_in_range(f.n, 150, 2000);
	/* and the reader sees a slip */
	assert_non_null(strstr(page.buf, "data-f=\"l2.hit_rate\""));
	json_decref(doc);
	strbuf_release(&page);
	rig_close(&r);
}

/* Those of a part of the run are what the JSON of that scope says, and the page says of which part. */
static void test_scope(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "continue");
	struct strbuf whole = report_of(&r, "a.html");
	assert_null(strstr(whole.buf, "id=\"scope\""));
	rig_say(&r, "scope 1000 4000");
	struct strbuf part = report_of(&r, "b.html");
	json_t *doc = json_of(&r);
	check_figures(&part, doc);
	assert_int_equal(json_integer_value(page_find(doc, "cycles")), 3000);
	assert_non_null(strstr(part.buf, "of a part of the run: <b>cycles 1,000 to 4,000</b>"));
	assert_non_null(strstr(part.buf, "data-from=\"1000\" data-width=\"16\" data-to=\"4000\""));
	rig_say(&r, "scope kernel 1");
	struct strbuf launch = report_of(&r, "c.html");
	assert_non_null(strstr(launch.buf, "kernel 1, hotspot"));
	json_decref(doc);
	strbuf_release(&whole);
	strbuf_release(&part);
	strbuf_release(&launch);
	rig_close(&r);
}

/* --- curves ------------------------------------------------------------------------------------------------------- */

/* The columns add up to what was counted in all, exactly. */
static void check_sums(struct rig *r)
{
	struct curves c;
	struct sample sum = {0};
	u64 warps = 0;
	json_t *doc = json_of(r);
	assert_true(curves_gather(r->d, &c, &r->e));
	for (u32 i = 0; i < c.n; i++)
		sample_add(&sum, &c.machine[i]);
	for (u32 i = 0; i < c.n * c.sms; i++)
		warps += c.warp_cycles[i];
	assert_in_range(c.n, 1, CURVE_COLUMNS);
	assert_int_equal(sum.cycles, json_integer_value(page_find(doc, "cycles")));
	assert_int_equal(sum.issued, json_integer_value(page_find(doc, "warp_insts")));
	assert_int_equal(sum.warp_cycles, json_integer_value(page_find(doc, "sm.occupancy")));
	assert_int_equal(warps, sum.warp_cycles);
	assert_int_equal(sum.dram_bytes, json_integer_value(page_find(doc, "dram.bytes")));
	assert_int_equal(sum.l1d_hits, json_integer_value(page_find(doc, "l1d.hits")));
	for (u32 i = 0; i < ST_COUNT; i++) {
		char path[80];
		snprintf(path, sizeof path, "stalls.base.%s", stall_descs[i].name[TAX_BASE]);
		assert_int_equal(sum.stalls[i], json_integer_value(page_find(doc, path)));
	}
	curves_release(&c);
	json_decref(doc);
}

static void test_curves_add_up(void **state)
{
	static const char *const parts[] = {"scope off", "scope 1000 4000", "scope 5 6", "scope 7001 9313",
	                                    "scope kernel 1"};
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "step 5");
	check_sums(&r);
	rig_say(&r, "step 4003");
	check_sums(&r);
	rig_say(&r, "continue");
	for (u32 i = 0; i < ARRAY_LEN(parts); i++) {
		rig_say(&r, parts[i]);
		check_sums(&r);
	}
	rig_close(&r);
}

/* Samples that the session keeps, and a part that is gone through again: the same curves. */
static void test_curves_both_ways(void **state)
{
	struct rig r;
	struct curves kept, again;
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "continue");
	assert_true(curves_gather(r.d, &kept, &r.e));
	rig_say(&r, "scope 0 now");
	assert_true(curves_gather(r.d, &again, &r.e));
	assert_int_equal(kept.n, again.n);
	assert_int_equal(kept.width, again.width);
	assert_memory_equal(kept.machine, again.machine, kept.n * sizeof *kept.machine);
	assert_memory_equal(kept.warp_cycles, again.warp_cycles, kept.n * kept.sms * sizeof *kept.warp_cycles);
	curves_release(&kept);
	curves_release(&again);
	rig_close(&r);
}

/* --- the same bytes ----------------------------------------------------------------------------------------------- */

static void same(const char *a, const char *b)
{
	struct strbuf x = content(a), y = content(b);
	size_t i = 0;
	while (i < x.len && i < y.len && x.buf[i] == y.buf[i])
		i++;
	if (x.len != y.len || i < x.len)
		fail_msg("%s and %s differ: ...%.80s | ...%.80s", a, b, x.buf + i - MIN(i, 20), y.buf + i - MIN(i, 20));
	strbuf_release(&x);
	strbuf_release(&y);
}

static void test_whichever_way(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "goto 777");
	say_file(&r, "report", "a.html");
	say_file(&r, "report", "b.html");
	same("a.html", "b.html");
	rig_say(&r, "continue");
	say_file(&r, "report", "end.html");
	rig_say(&r, "goto 777"); /* the samples of the session are coarser now */
	rig_say(&r, "reverse-step 10");
	rig_say(&r, "step 10");
	say_file(&r, "report", "b.html");
	same("a.html", "b.html");
	rig_say(&r, "continue");
	say_file(&r, "report", "b.html");
	same("end.html", "b.html");
	rig_close(&r);
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "step 777");
	say_file(&r, "report", "b.html");
	same("a.html", "b.html");
	rig_close(&r);
}

/* The session's samples are longer by then than a column of the earlier cycle's page. */
static void test_coarser_samples(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot");
	rig_say(&r, "goto 777");
	say_file(&r, "report", "a.html");
	rig_say(&r, "goto 40000");
	rig_say(&r, "goto 777");
	say_file(&r, "report", "b.html");
	same("a.html", "b.html");
	rig_close(&r);
}

/* A fault ends the run; before it, the run is just as far as it is. */
static void test_how_it_ended(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small --max-cycles 3000");
	rig_say(&r, "continue");
	struct strbuf page = report_of(&r, "a.html");
	assert_non_null(strstr(page.buf, "The run as far as cycle 3,000, where it ended: max-cycles."));
	strbuf_release(&page);
	rig_say(&r, "reverse-step 10");
	page = report_of(&r, "a.html");
	assert_non_null(strstr(page.buf, "The run as far as cycle 2,990."));
	strbuf_release(&page);
	rig_close(&r);
}

/* Nothing of the machine changes, nor where it stands. */
static void test_machine_stays(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "step 3000");
	rig_say(&r, "reverse-step 500");
	const u64 hash = sim_hash(r.s->sim);
	rig_say(&r, "scope 100 1000");
	say_file(&r, "report", "a.html");
	assert_int_equal(sim_hash(r.s->sim), hash);
	assert_int_equal(sim_cycle(r.s->sim), 2500);
	rig_has(&r, "scope", "cycles 100 to 1,000");
	rig_close(&r);
}

/* --- what users write --------------------------------------------------------------------------------------------- */

static void test_escaped(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "step 100");
	rig_say(&r, "note </td><script>alert(1)</script> & \"quotes\" 'too' \xff\xc3 \x01");
	rig_say(&r, "note caf\xc3\xa9");
	rig_say(&r, "bookmark <b>&amp;");
	struct strbuf page = report_of(&r, "a.html");
	page_read(page.buf, NULL, NULL);
	assert_null(strstr(page.buf, "<script>alert"));
	assert_non_null(strstr(page.buf, "&#60;/td&#62;&#60;script&#62;alert(1)&#60;/script&#62; &#38; &#34;quotes&#34; "
	                                 "&#39;too&#39; \xef\xbf\xbd\xef\xbf\xbd  </td>"));
	assert_non_null(strstr(page.buf, "caf\xc3\xa9"));
	assert_non_null(strstr(page.buf, "&#60;b&#62;&#38;amp;"));
	strbuf_release(&page);
	rig_close(&r);
}

/* Nothing on the page is fetched from anywhere. */
static void visit_link(void *ctx, const struct page_tag *t)
{
	struct strbuf value = STRBUF_INIT;
	assert_false(page_attr(t, "src", &value));
	assert_string_not_equal(t->name, "iframe");
	assert_string_not_equal(t->name, "img");
	if (page_attr(t, "href", &value))
		assert_string_equal(strbuf_str(&value), "data:,");
	strbuf_release(&value);
}

static void test_stands_alone(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "continue");
	struct strbuf page = report_of(&r, "a.html");
	page_read(page.buf, visit_link, NULL);
	assert_null(strstr(page.buf, "url("));
	assert_null(strstr(page.buf, "@import"));
	assert_null(strstr(page.buf, "http:"));
	assert_null(strstr(page.buf, "https:"));
	assert_in_range(page.len, 50000, 400000);
	strbuf_release(&page);
	rig_close(&r);
}

/* Before anything has run, without launches, and with preempted SMs and virtual threads. */
static void test_odd_places(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	struct strbuf page = report_of(&r, "a.html");
	page_read(page.buf, NULL, NULL);
	strbuf_release(&page);
	rig_say(&r, "step 2000");
	rig_say(&r, "preempt kernel 0 sms 3 within 5 by switch");
	rig_say(&r, "step 3000");
	page = report_of(&r, "a.html");
	page_read(page.buf, NULL, NULL);
	assert_non_null(strstr(page.buf, "id=\"preemptions\""));
	assert_non_null(strstr(page.buf, "class=\"mark\""));
	strbuf_release(&page);
	rig_close(&r);
	rig_words(&r, "hotspot --size small --cta-virtual vt");
	rig_say(&r, "continue");
	page = report_of(&r, "a.html");
	json_t *doc = json_of(&r);
	check_figures(&page, doc);
	assert_non_null(strstr(page.buf, "<td><b>vt</b></td><td>none</td>"));
	json_decref(doc);
	strbuf_release(&page);
	rig_close(&r);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

struct lines {
	json_t *doc;
	struct strbuf line;
	u32 rows;
};

/* The counters of a CUDA line are the sum of its instructions'. */
static void visit_line(void *ctx, const struct page_tag *t)
{
	struct lines *l = ctx;
	struct strbuf key = STRBUF_INIT, value = STRBUF_INIT;
	if (page_attr(t, "data-line", &key)) {
		strbuf_clear(&l->line);
		strbuf_adds(&l->line, strbuf_str(&key));
		l->rows++;
	}
	if (page_attr(t, "data-k", &key)) {
		size_t i;
		json_t *in;
		u64 sum = 0;
		assert_true(page_attr(t, "data-v", &value));
		json_array_foreach(page_find(l->doc, "lines"), i,
		                   in) if (json_string_value(json_object_get(in, "cuda")) &&
		                           !strcmp(json_string_value(json_object_get(in, "cuda")), strbuf_str(&l->line))) sum +=
		    (u64)json_integer_value(json_object_get(in, key.buf));
		assert_int_equal(sum, strtoull(strbuf_str(&value), NULL, 10));
	}
	strbuf_release(&key);
	strbuf_release(&value);
}

static void test_lines(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "continue");
	struct strbuf page = report_of(&r, "a.html");
	struct lines l = {.doc = json_of(&r)};
	page_read(page.buf, visit_line, &l);
	assert_in_range(l.rows, 5, 20);
	strbuf_release(&l.line);
	json_decref(l.doc);
	strbuf_release(&page);
	rig_close(&r);
}

/* --- run and compare ---------------------------------------------------------------------------------------------- */

static void test_of_a_run(void **state)
{
	static char *argv[] = {"warpdbg", "run", "hotspot", "--size", "small", "--report", "unused", NULL};
	struct options o;
	struct err e = {0};
	struct strbuf page = STRBUF_INIT, text = STRBUF_INIT, again = STRBUF_INIT;
	assert_int_equal(cmdline_parse(&o, 7, argv, &e), CMDLINE_OK);
	struct session *s = session_open(&o, console_modules, &e);
	assert_non_null(s);
	assert_int_equal(session_run(s, NEVER, &e), SS_FINISHED);
	page_of_session(s, "finished", &page);
	page_of_session(s, "finished", &again);
	run_report(s, "json", "finished", 0, false, false, &text);
	json_t *doc = json_loads(text.buf, 0, NULL);
	assert_int_equal(check_figures(&page, doc).cards, 10);
	assert_string_equal(page.buf, again.buf);
	assert_non_null(strstr(page.buf, "id=\"curves\""));
	json_decref(doc);
	strbuf_release(&page);
	strbuf_release(&again);
	strbuf_release(&text);
	session_close(s);
	cmdline_free(&o);
}

/* A row has A's figure, B's and the change, of one name. */
static void visit_sides(void *ctx, const struct page_tag *t)
{
	static const char *const sides[] = {"a", "b", "delta"};
	u32 *cells = ctx, row;
	char side[16];
	struct strbuf path = STRBUF_INIT;
	static u32 last;
	if (!strcmp(t->name, "td") && page_attr(t, "data-f", &path) && sscanf(path.buf, "stats.%u.%15s", &row, side) == 2) {
		assert_string_equal(side, sides[*cells % 3]);
		assert_true(!(*cells % 3) || row == last);
		last = row;
		++*cells;
	}
	strbuf_release(&path);
}

/* The launches' figures are those of each side's own report: their section is cut out. */
static void cut_launches(char *page)
{
	char *launches = strstr(page, "<section id=\"launches\">"), *behind = strstr(page, "<section id=\"all\">");
	assert_non_null(launches);
	assert_true(behind > launches);
	page_read(page, NULL, NULL);
	memmove(launches, behind, strlen(behind) + 1);
}

static void check_sides(struct strbuf *page, json_t *doc)
{
	struct figures f = {.doc = doc};
	u32 cells = 0;
	cut_launches(page->buf);
	page_read(page->buf, visit_figure, &f);
	page_read(page->buf, visit_sides, &cells);
	assert_in_range(cells, 150, 3000);
	assert_int_equal(cells % 3, 0);
	assert_in_range(f.n, 150, 3000);
	assert_non_null(strstr(page->buf, "B takes 21.1 % more cycles than A."));
	assert_non_null(strstr(page->buf, "data-f=\"divergence.b.warp\""));
	assert_non_null(strstr(page->buf, "class=\"line c1\""));
}

/* Of `compare`, and of the debugger with a second machine: the same figures. */
static void test_of_a_comparison(void **state)
{
	static char *argv[] = {"warpdbg", "compare", "hotspot",          "--size",   "small",  "--a",
	                       "",        "--b",     "--warp-sched lrr", "--report", "unused", NULL};
	struct options o;
	struct err e = {0};
	struct rig r;
	struct strbuf page = STRBUF_INIT, text = STRBUF_INIT;
	assert_int_equal(cmdline_parse(&o, ARRAY_LEN(argv) - 1, argv, &e), CMDLINE_OK);
	struct compare *c = compare_open(&o, console_modules, &e);
	assert_non_null(c);
	assert_true(compare_run(c, NULL));
	page_of_comparison(c, &page);
	compare_report(c, "json", false, false, &text);
	json_t *doc = json_loads(text.buf, 0, NULL);
	check_sides(&page, doc);
	strbuf_release(&page);
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "compare --warp-sched lrr");
	rig_say(&r, "continue"); /* to the first different decision */
	rig_say(&r, "continue");
	rig_say(&r, "note of <both>");
	page = report_of(&r, "a.html");
	assert_non_null(strstr(page.buf, "of &#60;both&#62;"));
	check_sides(&page, doc);
	strbuf_release(&page);
	rig_say(&r, "scope 1000 2000");
	page = report_of(&r, "a.html");
	page_read(page.buf, NULL, NULL);
	assert_non_null(strstr(page.buf, "of a part of the run: <b>cycles 1,000 to 2,000</b>"));
	strbuf_release(&page);
	rig_close(&r);
	json_decref(doc);
	strbuf_release(&text);
	compare_close(c);
	cmdline_free(&o);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static void test_files(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "step 100");
	rig_fails(&r, "report", "a file is expected");
	rig_fails(&r, "report notes.txt", "report: notes.txt: a report is FILE.html");
	rig_fails(&r, "report a.html b", "'b' is left over");
	rig_fails(&r, "report /nonexistent/a.html", "/nonexistent/a.html");
	rig_fails(&r, "report /dev/full", "/dev/full");
	rig_fails(&r, "lua dbg.execute('report x.html')", "only with --allow-io");
	char line[300];
	say_file(&r, "export json", "old.html");
	struct strbuf before = content("old.html");
	rig_say(&r, "lua dbg.on('cta-done', function() end)");
	chmod(dir, 0500);
	snprintf(line, sizeof line, "report %s/new.html", dir);
	if (geteuid())
		rig_fails(&r, line, "new.html");
	chmod(dir, 0700);
	struct strbuf after = content("old.html");
	assert_string_equal(before.buf, after.buf);
	say_file(&r, "report", "old.html"); /* an own file is written again */
	strbuf_release(&after);
	after = content("old.html");
	page_read(after.buf, NULL, NULL);
	strbuf_release(&before);
	strbuf_release(&after);
	rig_close(&r);
}

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char line[200];
	snprintf(line, sizeof line, "rm -rf %s", dir);
	return system(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_figures_are_json),
	    cmocka_unit_test(test_scope),
	    cmocka_unit_test(test_curves_add_up),
	    cmocka_unit_test(test_curves_both_ways),
	    cmocka_unit_test(test_coarser_samples),
	    cmocka_unit_test(test_how_it_ended),
	    cmocka_unit_test(test_whichever_way),
	    cmocka_unit_test(test_machine_stays),
	    cmocka_unit_test(test_escaped),
	    cmocka_unit_test(test_stands_alone),
	    cmocka_unit_test(test_odd_places),
	    cmocka_unit_test(test_lines),
	    cmocka_unit_test(test_of_a_run),
	    cmocka_unit_test(test_of_a_comparison),
	    cmocka_unit_test(test_files),
	};
	return cmocka_run_group_tests_name("report", tests, make_dir, remove_dir);
}
