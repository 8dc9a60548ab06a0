/* Text for terminals and manual pages: what roff would take for requests, escapes or special characters is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/page.h"
#include "base/wrap.h"

static void check(struct page *p, const char *want)
{
	assert_string_equal(strbuf_str(p->out), want);
	strbuf_clear(p->out);
}

static void test_roff(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct page p = {&out, true};
	page_text(&p, ".SH is no request, nor 'x");
	check(&p, ".PP\n\\&.SH is no request, nor \\(aqx\n");
	page_text(&p, "'tis --set \\n, 2^10, ~/x");
	check(&p, ".PP\n\\&\\(aqtis \\-\\-set \\en, 2\\(ha10, \\(ti/x\n");
	page_text(&p, "code `a-b` and `open");
	check(&p, ".PP\ncode \\fBa\\-b\\fR and \\fBopen\\fR\n");
	page_text(&p, "a\xc2\xb5s \xe2\x96\xb6 \xf0\x9f\x99\x82 \xff\xc2");
	check(&p, ".PP\na\\[u00B5]s \\[u25B6] \\[u1F642] \\[uFFFD]\\[uFFFD]\n");
	page_heading(&p, "A \"B\" \\");
	check(&p, ".SH \"A \\(dqB\\(dq \\e\"\n");
	page_term(&p, "x[/NFU] `A`", "", "shows");
	check(&p, ".TP\n\\fBx[/NFU] \\(gaA\\(ga\\fR\nshows\n");
	page_term(&p, "step", "s si", "goes on");
	check(&p, ".TP\n\\fBstep\\fR\nalso: s si\n.br\ngoes on\n");
	page_lines(&p, "a\n .b\n.c");
	check(&p, ".PP\n.nf\n.RS 4\na\n .b\n\\&.c\n.RE\n.fi\n");
	strbuf_release(&out);
}

static void test_terminal(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct page p = {&out, false};
	page_head(&p, "X", "1", "nothing");
	page_heading(&p, "A");
	page_text(&p, "one  two\nthree");
	page_heading(&p, "B");
	page_term(&p, "step", "s si", "goes on");
	page_lines(&p, "a\n  b\n");
	check(&p, "A\none two three\n\nB\nstep\n    also: s si\n    goes on\n    a\n      b\n");
	text_wrap("aaa bb cc dddddddddd e", 2, 8, &out);
	check(&p, "aaa bb\n  cc\n  dddddddddd\n  e\n");
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_roff), cmocka_unit_test(test_terminal)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
